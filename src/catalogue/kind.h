// kind.h: does a tool read, write, or neither? By the words of its name and description.
//
// What a list of tools does not say has to be guessed: the first verb that is known decides, of the name before that of
// the description, since names are chosen with more care. It is a guess, and whoever shows it says so.
//
//     lg_words_kind(LG_STR("get_order_details"), description) == LG_WORDS_READ
#ifndef LG_CATALOGUE_KIND_H
#define LG_CATALOGUE_KIND_H

#include "base/str.h"

typedef enum lg_words {
    LG_WORDS_UNKNOWN, // no word says anything
    LG_WORDS_READ,    // looks at something that others may change: get, list, search
    LG_WORDS_WRITE,   // changes something: create, cancel, send
    LG_WORDS_GENERIC, // works something out of its arguments alone: calculate, convert
} lg_words;

// "unknown", "read", "write", "generic".
const char *lg_words_name(lg_words kind);

// Takes time in proportion to the name and the first 400 bytes of the description.
lg_words lg_words_kind(lg_str name, lg_str description);

// The next word of a name at `*at`, which moves behind it: `getUserInfo`, `get_user_info` and `get-user.info` all are
// "get", "user", "info", in whatever case they are written. Empty at the end.
lg_str lg_words_next(lg_str name, size_t *at);

#endif
