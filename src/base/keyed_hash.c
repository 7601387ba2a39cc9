// keyed_hash.c: SipHash-2-4-128 in steps, as libsodium has it of whole texts only; and libsodium's BLAKE2b.
#include "base/keyed_hash.h"

#include <sodium.h>

// --- SipHash ------------------------------------------------------------------------------------

static inline uint64_t little(uint64_t word) // from or to little-endian
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(word);
#else
    return word;
#endif
}

static inline uint64_t word_at(const unsigned char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof(word));
    return little(word);
}

static inline uint64_t turned(uint64_t word, unsigned bits)
{
    return word << bits | word >> (64 - bits);
}

static inline void mix(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = turned(v[1], 13) ^ v[0];
    v[3] = turned(v[3], 16) ^ v[2];
    v[0] = turned(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = turned(v[1], 17) ^ v[2];
    v[3] = turned(v[3], 21) ^ v[0];
    v[2] = turned(v[2], 32);
}

static inline void take_word(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    mix(v);
    mix(v);
    v[0] ^= word;
}

void lg_hash_begin(lg_hash_state *state, const lg_hash_key *key)
{
    uint64_t low = word_at(key->bytes);
    uint64_t high = word_at(key->bytes + 8);
    *state = (lg_hash_state){
        .v = {low ^ UINT64_C(0x736f6d6570736575), high ^ UINT64_C(0x646f72616e646f6d) ^ 0xee,
              low ^ UINT64_C(0x6c7967656e657261), high ^ UINT64_C(0x7465646279746573)}};
}

// In words of the text as they lie, put together with what is left of the word before.
void lg_hash_add(lg_hash_state *state, const void *bytes, size_t size_bytes)
{
    const unsigned char *at = bytes;
    size_t left = size_bytes;
    unsigned bits = 8 * (unsigned)(state->len % 8);
    uint64_t v[4];
    uint64_t tail = state->tail;
    memcpy(v, state->v, sizeof(v));
    for (; left >= 8; left -= 8, at += 8) {
        uint64_t word = word_at(at);
        take_word(v, tail | word << bits);
        tail = bits ? word >> (64 - bits) : 0;
    }
    memcpy(state->v, v, sizeof(v));
    state->tail = tail;
    state->len += size_bytes - left;
    for (; left; left--, at++) {
        state->tail |= (uint64_t)*at << 8 * (state->len++ % 8);
        if (state->len % 8 == 0) {
            take_word(state->v, state->tail);
            state->tail = 0;
        }
    }
}

void lg_hash_add_str(lg_hash_state *state, lg_str text)
{
    uint64_t len = text.len;
    lg_hash_add(state, &len, sizeof(len));
    lg_hash_add(state, text.ptr, text.len);
}

lg_hash_digest lg_hash_now(const lg_hash_state *state)
{
    uint64_t v[4];
    uint64_t halves[2];
    lg_hash_digest digest;
    memcpy(v, state->v, sizeof(v));
    take_word(v, state->tail | state->len << 56);
    v[2] ^= 0xee;
    for (int half = 0; half < 2; half++) {
        for (int i = 0; i < 4; i++) {
            mix(v);
        }
        halves[half] = little(v[0] ^ v[1] ^ v[2] ^ v[3]);
        v[1] ^= 0xdd;
    }
    memcpy(digest.bytes, halves, sizeof(halves));
    return digest;
}

// --- Digests ------------------------------------------------------------------------------------

void lg_digest_parts(lg_str key, const lg_str *parts, size_t count, lg_digest *ret)
{
    crypto_generichash_state state;
    size_t most = crypto_generichash_KEYBYTES_MAX;
    size_t key_bytes = key.len < most ? key.len : most;
    const unsigned char *bytes = (const unsigned char *)key.ptr;
    crypto_generichash_init(&state, key_bytes ? bytes : NULL, key_bytes, sizeof(ret->bytes));
    for (size_t i = 0; i < count; i++) {
        if (parts[i].len) {
            crypto_generichash_update(&state, (const unsigned char *)parts[i].ptr, parts[i].len);
        }
    }
    crypto_generichash_final(&state, ret->bytes, sizeof(ret->bytes));
}
