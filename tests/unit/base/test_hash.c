// SHA-256 against the examples of FIPS 180-4, and what a table may expect of the fast hash.
#include "base/hash.h"
#include "base/str.h"

#include "lg_test.h"

static const struct sha_case {
    const char *text, *hex;
} sha_cases[] = {
    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
};

static void sha256_gives_the_published_digests(void)
{
    char hex[65];
    for (size_t i = 0; i < LG_COUNT(sha_cases); i++) {
        lg_sha256_hex(lg_str_c(sha_cases[i].text), hex);
        CHECK_STR(lg_str_c(hex), sha_cases[i].hex);
    }
    lg_sha256_hex((lg_str){NULL, 0}, hex);
    CHECK_STR(lg_str_c(hex), sha_cases[0].hex);
}

static void sha256_of_a_million_letters(void)
{
    char *text = malloc(1000000);
    if (!CHECK(text != NULL)) {
        return;
    }
    memset(text, 'a', 1000000);
    char hex[65];
    lg_sha256_hex(lg_str_of(text, 1000000), hex);
    CHECK_STR(lg_str_c(hex), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(text);
}

static void the_hash_depends_on_bytes_and_length_alone(void)
{
    char shifted[] = "-some bytes of a key";
    CHECK(lg_hash(LG_STR("some bytes of a key")) == lg_hash(lg_str_c(shifted + 1)));
    CHECK(lg_hash((lg_str){NULL, 0}) == lg_hash(LG_STR("")));
    // Zeros at the end are told from none.
    CHECK(lg_hash(LG_STR("")) != lg_hash(lg_str_of("\0", 1)));
    CHECK(lg_hash(lg_str_of("\0", 1)) != lg_hash(lg_str_of("\0\0", 2)));
    CHECK(lg_hash(lg_str_of("a\0\0\0\0\0\0\0", 8)) != lg_hash(LG_STR("a")));
}

// 64 buckets by the low bits, 64 by the high ones: no bucket of 6400 keys may hold thrice its share.
static void similar_keys_spread_over_the_buckets(void)
{
    size_t low[64] = {0};
    size_t high[64] = {0};
    for (int i = 0; i < 6400; i++) {
        char key[32];
        snprintf(key, sizeof(key), "#W%07d", i);
        uint64_t hash = lg_hash(lg_str_c(key));
        low[hash & 63]++;
        high[hash >> 58]++;
    }
    for (size_t i = 0; i < 64; i++) {
        CHECK(low[i] > 30 && low[i] < 300);
        CHECK(high[i] > 30 && high[i] < 300);
    }
}

// Flipping one bit of the input should flip about half of the output.
static void every_input_bit_reaches_the_whole_hash(void)
{
    char key[24];
    memset(key, 'k', sizeof(key));
    uint64_t base = lg_hash(lg_str_of(key, sizeof(key)));
    for (size_t bit = 0; bit < sizeof(key) * 8; bit++) {
        key[bit / 8] = (char)(key[bit / 8] ^ (1 << bit % 8));
        uint64_t changed = base ^ lg_hash(lg_str_of(key, sizeof(key)));
        key[bit / 8] = (char)(key[bit / 8] ^ (1 << bit % 8));
        int flipped = 0;
        for (; changed; changed &= changed - 1) {
            flipped++;
        }
        CHECK(flipped > 10 && flipped < 54);
    }
}

int main(void)
{
    RUN(sha256_gives_the_published_digests);
    RUN(sha256_of_a_million_letters);
    RUN(the_hash_depends_on_bytes_and_length_alone);
    RUN(similar_keys_spread_over_the_buckets);
    RUN(every_input_bit_reaches_the_whole_hash);
    return lg_test_done();
}
