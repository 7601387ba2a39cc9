// hash.c: a multiply-and-fold hash for tables; SHA-256 comes from libsodium.
#include "base/hash.h"

#include <sodium.h>
#include <string.h>

static uint64_t fold(uint64_t a, uint64_t b)
{
    // The 128-bit product's halves, mixed: every input bit reaches every output bit.
    uint64_t a_low = a & UINT32_MAX;
    uint64_t a_high = a >> 32;
    uint64_t b_low = b & UINT32_MAX;
    uint64_t b_high = b >> 32;
    uint64_t low = a_low * b_low;
    uint64_t cross = a_high * b_low + (low >> 32);
    uint64_t cross2 = a_low * b_high + (cross & UINT32_MAX);
    uint64_t high = a_high * b_high + (cross >> 32) + (cross2 >> 32);
    return high ^ (cross2 << 32 | (low & UINT32_MAX));
}

uint64_t lg_hash(lg_str s)
{
    uint64_t state = UINT64_C(0x9E3779B97F4A7C15) ^ s.len;
    for (size_t at = 0; at < s.len; at += 8) {
        uint64_t word = 0;
        memcpy(&word, s.ptr + at, s.len - at < 8 ? s.len - at : 8);
        state = fold(state ^ word, UINT64_C(0xD6E8FEB86659FD93));
    }
    return fold(state, UINT64_C(0xA0761D6478BD642F));
}

_Static_assert(LG_SHA256_BYTES == crypto_hash_sha256_BYTES, "a digest of SHA-256");

void lg_sha256(lg_str s, unsigned char ret_digest[LG_SHA256_BYTES])
{
    crypto_hash_sha256(ret_digest, (const unsigned char *)s.ptr, s.len);
}

void lg_sha256_hex(lg_str s, char out[65])
{
    unsigned char digest[LG_SHA256_BYTES];
    lg_sha256(s, digest);
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < sizeof(digest); i++) {
        out[2 * i] = digits[digest[i] >> 4];
        out[2 * i + 1] = digits[digest[i] & 15];
    }
    out[64] = '\0';
}
