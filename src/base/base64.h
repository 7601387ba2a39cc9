// base64.h: bytes as text (RFC 4648 section 4).
#ifndef LG_BASE_BASE64_H
#define LG_BASE_BASE64_H

#include "base/types.h"

// Writes `bytes` with padding: 4 bytes to `out` for each 3 begun, and no NUL. Returns how many.
size_t lg_base64(char *out, lg_str bytes);

// And back: writes up to 3 bytes to `out` for each 4. False for what is not exactly such a text, padding included.
LG_NODISCARD bool lg_unbase64(lg_str text, char *out, size_t *ret_len);

#endif
