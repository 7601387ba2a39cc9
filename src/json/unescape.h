// unescape.h: what takes the time in a string with escapes: to find its end, and to decode the
// escapes of two bytes.
//
// There are two ways, which give the same answers. The portable one goes from escape to escape. The
// wide one, for processors that have the instructions of wide.h, decodes 64 bytes in some thirty
// instructions, however many escapes are in them. (JSON of 2 KB quoted inside of JSON: 0.8 us and
// 0.25 us.)
#ifndef LG_JSON_UNESCAPE_H
#define LG_JSON_UNESCAPE_H

#include "base/types.h"

typedef struct lg_unescaper {
    // The closing quote of a string with escapes, of which `at` is the first byte or a later one that
    // is not escaped; `end`, which ends the text, if there is none. Nothing is checked yet.
    const char *(*find_close)(const char *at, const char *end);

    // Decodes from `at` (not escaped) into `*out`, where there is room for as many bytes as are left
    // to `limit`. May stop anywhere but within an escape, so at `limit` at the latest, and does so
    // before the closing quote, a control character, what is not ASCII, an escape of a code point, one
    // that is none and one that `limit` cuts off. Returns where it stopped.
    const char *(*decode)(const char *at, const char *limit, char **out);
} lg_unescaper;

extern const lg_unescaper lg_unescaper_portable;

// What this processor does best.
const lg_unescaper *lg_unescaper_best(void);

// What the escape `\c` stands for; NUL for what is none, and for `\u`. A table: which escape comes
// next is hard to foresee, and a branch on it was a third of the time of a text full of `\"`.
extern const char lg_short_escapes[256];

#endif
