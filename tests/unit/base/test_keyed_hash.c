// test_keyed_hash.c: a hash in steps is the hash of the whole, as libsodium has it; digests are of the parts together.
#include "base/keyed_hash.h"
#include "lg_test.h"

#include <sodium.h>

#define LONGEST 300u

static void fill(unsigned char *bytes, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1103515245u + 12345u;
        bytes[i] = (unsigned char)(seed >> 16);
    }
}

static lg_hash_digest of_whole(const unsigned char *bytes, size_t count, const lg_hash_key *key)
{
    lg_hash_digest digest;
    crypto_shorthash_siphashx24(digest.bytes, bytes, count, key->bytes);
    return digest;
}

static void a_hash_is_that_of_another_siphash(void)
{
    unsigned char bytes[LONGEST];
    lg_hash_key key;
    fill(bytes, sizeof(bytes), 1);
    for (unsigned len = 0; len <= LONGEST; len++) {
        lg_hash_state state;
        fill(key.bytes, sizeof(key.bytes), len);
        lg_hash_begin(&state, &key);
        lg_hash_add(&state, bytes, len);
        lg_hash_digest here = lg_hash_now(&state);
        lg_hash_digest there = of_whole(bytes, len, &key);
        CHECK(lg_hash_digest_eq(&here, &there));
    }
}

static void a_hash_of_pieces_is_that_of_the_whole_at_each_stage(void)
{
    unsigned char bytes[LONGEST];
    lg_hash_key key = {{7}};
    fill(bytes, sizeof(bytes), 2);
    for (unsigned step = 1; step < 40; step++) {
        lg_hash_state state;
        lg_hash_begin(&state, &key);
        for (size_t at = 0, piece = 0, i = 0; at < LONGEST; at += piece, i++) {
            piece = step * i % 23 + (i % 2);
            piece = piece < LONGEST - at ? piece : LONGEST - at;
            lg_hash_add(&state, bytes + at, piece);
            lg_hash_digest here = lg_hash_now(&state);
            lg_hash_digest there = of_whole(bytes, at + piece, &key);
            CHECK(lg_hash_digest_eq(&here, &there));
        }
    }
}

static void a_digest_is_of_its_parts_together(void)
{
    lg_digest one, two, other;
    lg_digest_parts(LG_STR("key"), &LG_STR("abcdef"), 1, &one);
    lg_digest_parts(LG_STR("key"), (lg_str[]){LG_STR("abc"), LG_STR(""), LG_STR("def")}, 3, &two);
    lg_digest_parts(LG_STR(""), &LG_STR("abcdef"), 1, &other);
    CHECK(memcmp(one.bytes, two.bytes, sizeof(one.bytes)) == 0);
    CHECK(memcmp(one.bytes, other.bytes, sizeof(one.bytes)) != 0);
}

int main(void)
{
    RUN(a_hash_is_that_of_another_siphash);
    RUN(a_hash_of_pieces_is_that_of_the_whole_at_each_stage);
    RUN(a_digest_is_of_its_parts_together);
    return lg_test_done();
}
