// keyed_hash.h: a hash of a growing text under a secret key, and digests of whole ones.
//
// A hash has 16 bytes (SipHash-2-4-128: Aumasson and Bernstein, 2012), is of a growing text at each of its stages, and
// always under a secret key: two texts that are not the same have the same hash with a chance that nobody can raise who
// does not know the key. So it may stand for what was hashed, among those who have the key and show it to nobody. A
// stage costs the work of a few words, and a byte less than a digest's.
//
// A digest has 32 bytes (BLAKE2b, RFC 7693), is of a text that is there, and with a key or without: it stands for the
// text for everybody.
#ifndef LG_BASE_KEYED_HASH_H
#define LG_BASE_KEYED_HASH_H

#include "base/types.h"

typedef struct lg_hash_key {
    unsigned char bytes[16];
} lg_hash_key;

typedef struct lg_hash_digest {
    unsigned char bytes[16];
} lg_hash_digest;

static inline bool lg_hash_digest_eq(const lg_hash_digest *a, const lg_hash_digest *b)
{
    return memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

// Plain data: a copy goes on by itself. The members are keyed_hash.c's.
typedef struct lg_hash_state {
    uint64_t v[4];
    uint64_t tail; // the bytes behind the last whole word
    uint64_t len;  // of all bytes
} lg_hash_state;

void lg_hash_begin(lg_hash_state *state, const lg_hash_key *key);
void lg_hash_add(lg_hash_state *state, const void *bytes, size_t size_bytes);

// The length, then the bytes: so that two texts are never taken for two others that read alike in a row.
void lg_hash_add_str(lg_hash_state *state, lg_str text);

// The hash of all that was added so far; more may be added afterwards.
lg_hash_digest lg_hash_now(const lg_hash_state *state);

#define LG_DIGEST_BYTES 32u

typedef struct lg_digest {
    unsigned char bytes[LG_DIGEST_BYTES];
} lg_digest;

// A digest of parts, one after the other, as if they were one text. `key` may be empty; at most 64 bytes of it
// count. Whoever does not have the key learns nothing of the text, not even by guessing it.
void lg_digest_parts(lg_str key, const lg_str *parts, size_t count, lg_digest *ret);

#endif
