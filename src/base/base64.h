// base64.h: bytes as text (RFC 4648 section 4).
#ifndef LG_BASE_BASE64_H
#define LG_BASE_BASE64_H

#include "base/types.h"

// Writes `bytes` with padding: 4 bytes to `out` for each 3 begun, and no NUL. Returns how many.
size_t lg_base64(char *out, lg_str bytes);

#endif
