// guard.h: what a client might take for a call where nobody here reads one.
#ifndef LG_CHAT_GUARD_H
#define LG_CHAT_GUARD_H

#include "chat/chat_internal.h"

// Is something in the members of an object that is read here, however deep, that a client might take for a call? Not in
// those of `read` (NULL at the end), which their reader looks at. Or is a name in it that only some clients take for one that
// is read here? What is no object is looked through.
bool lg_has_stray_member(const lg_json *object, const char *const *read);

// The same of a call, whose arguments stand under `args` alone: nothing in it may tell of other ones.
bool lg_has_second_reading(const lg_json *call, const char *const *read, const char *args);

// What is said of a reply that has some.
#define LG_STRAY_CALL "the reply has what a client might take for a call, where no call can be"

#endif
