// keyed_hash.c: libsodium's generichash, which is BLAKE2b.
#include "base/keyed_hash.h"

#include <sodium.h>

_Static_assert(sizeof(crypto_generichash_state) <= sizeof(lg_hash_state), "the state has room");
_Static_assert(_Alignof(crypto_generichash_state) <= _Alignof(lg_hash_state), "and lies right");

static crypto_generichash_state *inside(lg_hash_state *state)
{
    return (crypto_generichash_state *)(void *)state->private_bytes;
}

static void begin(lg_hash_state *state, const void *key, size_t key_bytes, size_t out_bytes)
{
    size_t most = crypto_generichash_KEYBYTES_MAX;
    key_bytes = key_bytes < most ? key_bytes : most;
    crypto_generichash_init(inside(state), key_bytes ? key : NULL, key_bytes, out_bytes);
}

void lg_hash_begin(lg_hash_state *state, const lg_hash_key *key)
{
    begin(state, key->bytes, sizeof(key->bytes), sizeof(lg_hash_digest));
}

void lg_hash_add(lg_hash_state *state, const void *bytes, size_t size_bytes)
{
    if (size_bytes) {
        crypto_generichash_update(inside(state), bytes, size_bytes);
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
    lg_hash_state copy = *state;
    lg_hash_digest digest;
    crypto_generichash_final(inside(&copy), digest.bytes, sizeof(digest.bytes));
    return digest;
}

void lg_digest_parts(lg_str key, const lg_str *parts, size_t count, lg_digest *ret)
{
    lg_hash_state state;
    begin(&state, key.ptr, key.len, sizeof(ret->bytes));
    for (size_t i = 0; i < count; i++) {
        lg_hash_add(&state, parts[i].ptr, parts[i].len);
    }
    crypto_generichash_final(inside(&state), ret->bytes, sizeof(ret->bytes));
}
