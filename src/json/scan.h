// scan.h: finding the next byte of a string that needs a decision. Shared by parser and printer.
//
// Most bytes of most strings are plain ASCII, so they are taken 16 at a time with SSE2, or 8 at a
// time in a 64-bit word where there is none.
#ifndef LG_JSON_SCAN_H
#define LG_JSON_SCAN_H

#include "base/types.h"

// The first byte at or after `at` that is a quote, a backslash, a control character, or begins what
// is not valid UTF-8; `end` if there is none.
const char *lg_scan_string(const char *at, const char *end);

// The first quote or backslash at or after `at`; `end` if there is none.
const char *lg_scan_quote(const char *at, const char *end);

#endif
