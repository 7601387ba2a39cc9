// note.h: what a request says beside its messages that makes them less than the whole truth.
#ifndef LG_CHAT_NOTE_H
#define LG_CHAT_NOTE_H

#include "chat/chat_internal.h"

// Fills in the notes of a request whose `root` has been parsed.
LG_NODISCARD lg_status lg_chat_take_notes(lg_arena *arena, lg_chat_request *request,
                                          lg_error *reterr);

#endif
