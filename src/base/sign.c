// sign.c: Ed25519 and random bytes, by libsodium.
#include "base/sign.h"

#include <sodium.h>

_Static_assert(sizeof(((lg_sign_key *)NULL)->secret) == crypto_sign_SECRETKEYBYTES,
               "libsodium's layout");
_Static_assert(LG_SIGN_KEY_BYTES == crypto_sign_SEEDBYTES, "of a seed");
_Static_assert(LG_SIGN_KEY_BYTES == crypto_sign_PUBLICKEYBYTES, "and of a public key");
_Static_assert(LG_SIGNATURE_BYTES == crypto_sign_BYTES, "of a signature");

bool lg_sign_begin(void)
{
    return sodium_init() >= 0;
}

void lg_random(void *out, size_t size_bytes)
{
    randombytes_buf(out, size_bytes);
}

void lg_sign_key_of(const unsigned char seed[LG_SIGN_KEY_BYTES], lg_sign_key *ret)
{
    unsigned char public_key[LG_SIGN_KEY_BYTES];
    (void)crypto_sign_seed_keypair(public_key, ret->secret, seed);
}

const unsigned char *lg_sign_public(const lg_sign_key *key)
{
    return key->secret + LG_SIGN_KEY_BYTES;
}

void lg_sign(const lg_sign_key *key, lg_str text, unsigned char ret[LG_SIGNATURE_BYTES])
{
    (void)crypto_sign_detached(ret, NULL, (const unsigned char *)text.ptr, text.len, key->secret);
}

bool lg_sign_verify(const unsigned char public_key[LG_SIGN_KEY_BYTES], lg_str text,
                    const unsigned char signature[LG_SIGNATURE_BYTES])
{
    return crypto_sign_verify_detached(signature, (const unsigned char *)text.ptr, text.len,
                                       public_key) == 0;
}

void lg_forget(void *secret, size_t size_bytes)
{
    sodium_memzero(secret, size_bytes);
}

void lg_hex(const void *bytes, size_t size_bytes, char *out)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *from = bytes;
    for (size_t i = 0; i < size_bytes; i++) {
        out[2 * i] = digits[from[i] >> 4];
        out[2 * i + 1] = digits[from[i] & 15];
    }
    out[2 * size_bytes] = '\0';
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool lg_unhex(lg_str hex, void *out, size_t size_bytes)
{
    unsigned char *to = out;
    if (hex.len != 2 * size_bytes) {
        return false;
    }
    for (size_t i = 0; i < size_bytes; i++) {
        int high = digit_of(hex.ptr[2 * i]);
        int low = digit_of(hex.ptr[2 * i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        to[i] = (unsigned char)(high << 4 | low);
    }
    return true;
}
