// sign.h: what makes a text provably the same later on: keys and signatures, of texts and digests (keyed_hash.h).
//
// A signature is Ed25519 (RFC 8032), by libsodium. Nothing here fails but lg_sign_begin().
#ifndef LG_BASE_SIGN_H
#define LG_BASE_SIGN_H

#include "base/keyed_hash.h"

#define LG_SIGNATURE_BYTES 64u
#define LG_SIGN_KEY_BYTES 32u // of a secret, and of the public key that belongs to it

// Once before anything else here, from any thread. False: the system gives no random bytes.
LG_NODISCARD bool lg_sign_begin(void);

void lg_random(void *out, size_t size_bytes);

typedef struct lg_sign_key {
    unsigned char secret[2 * LG_SIGN_KEY_BYTES]; // the seed, then the public key
} lg_sign_key;

void lg_sign_key_of(const unsigned char seed[LG_SIGN_KEY_BYTES], lg_sign_key *ret);
const unsigned char *lg_sign_public(const lg_sign_key *key);
void lg_sign(const lg_sign_key *key, lg_str text, unsigned char ret[LG_SIGNATURE_BYTES]);

bool lg_sign_verify(const unsigned char public_key[LG_SIGN_KEY_BYTES], lg_str text,
                    const unsigned char signature[LG_SIGNATURE_BYTES]);

// Overwrites a secret, also where a compiler sees that nobody will read it.
void lg_forget(void *secret, size_t size_bytes);

// Lower-case hexadecimal, ended by NUL; and back: false if it is not exactly `size_bytes` of it.
void lg_hex(const void *bytes, size_t size_bytes, char *out);
LG_NODISCARD bool lg_unhex(lg_str hex, void *out, size_t size_bytes);

#endif
