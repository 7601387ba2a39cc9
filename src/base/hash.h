// hash.h: a fast hash for tables, and SHA-256 for whatever is compared across time.
#ifndef LG_BASE_HASH_H
#define LG_BASE_HASH_H

#include "base/types.h"

// 64 well-mixed bits, the same on every run. Not for hostile keys without a bounded probe.
uint64_t lg_hash(lg_str s);

#define LG_SHA256_BYTES 32u

// SHA-256 (FIPS 180-4, by libsodium) of `s`.
void lg_sha256(lg_str s, unsigned char ret_digest[LG_SHA256_BYTES]);

// The same in lower-case hexadecimal, ended by NUL.
void lg_sha256_hex(lg_str s, char out[65]);

#endif
