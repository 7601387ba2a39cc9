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

// RFC 8032 5.1.6, but for the nonce: there it is a digest of the secret and the text, here of the secret and of random
// bytes, so that it is unknown to others even where the random bytes are not.
void lg_sign_draw(const lg_sign_key *key, lg_sign_nonce *ret)
{
    unsigned char expanded[crypto_hash_sha512_BYTES];
    unsigned char wide[crypto_hash_sha512_BYTES];
    unsigned char drawn[crypto_hash_sha512_BYTES];
    crypto_hash_sha512_state state;
    randombytes_buf(drawn, sizeof(drawn));
    (void)crypto_hash_sha512(expanded, key->secret, LG_SIGN_KEY_BYTES);
    (void)crypto_hash_sha512_init(&state);
    (void)crypto_hash_sha512_update(&state, expanded + 32, 32);
    (void)crypto_hash_sha512_update(&state, drawn, sizeof(drawn));
    (void)crypto_hash_sha512_final(&state, wide);
    crypto_core_ed25519_scalar_reduce(ret->scalar, wide);
    ret->is_drawn = crypto_scalarmult_ed25519_base_noclamp(ret->point, ret->scalar) == 0;
    lg_forget(expanded, sizeof(expanded));
    lg_forget(wide, sizeof(wide));
    lg_forget(drawn, sizeof(drawn));
    lg_forget(&state, sizeof(state));
}

void lg_sign_drawn(const lg_sign_key *key, lg_sign_nonce *nonce, lg_str text,
                   unsigned char ret[LG_SIGNATURE_BYTES])
{
    unsigned char expanded[crypto_hash_sha512_BYTES];
    unsigned char wide[crypto_hash_sha512_BYTES];
    unsigned char product[crypto_core_ed25519_SCALARBYTES];
    crypto_hash_sha512_state state;
    if (!nonce->is_drawn) {
        lg_sign(key, text, ret);
        return;
    }
    (void)crypto_hash_sha512_init(&state);
    (void)crypto_hash_sha512_update(&state, nonce->point, sizeof(nonce->point));
    (void)crypto_hash_sha512_update(&state, lg_sign_public(key), LG_SIGN_KEY_BYTES);
    (void)crypto_hash_sha512_update(&state, (const unsigned char *)text.ptr, text.len);
    (void)crypto_hash_sha512_final(&state, wide);
    crypto_core_ed25519_scalar_reduce(product, wide);
    (void)crypto_hash_sha512(expanded, key->secret, LG_SIGN_KEY_BYTES);
    expanded[0] &= 248;
    expanded[31] = (unsigned char)((expanded[31] & 63) | 64);
    crypto_core_ed25519_scalar_mul(product, product, expanded);
    memcpy(ret, nonce->point, sizeof(nonce->point));
    crypto_core_ed25519_scalar_add(ret + sizeof(nonce->point), product, nonce->scalar);
    lg_forget(expanded, sizeof(expanded));
    lg_forget(product, sizeof(product));
    lg_forget(nonce, sizeof(*nonce));
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
