// test_sign.c: digests and signatures against published vectors.
#include "base/clock.h"
#include "base/sign.h"

#include "lg_test.h"

#include "base/str.h"

static void digests_are_blake2b(void)
{
    lg_digest digest;
    lg_digest keyed;
    char hex[65];
    const lg_str parts[] = {LG_STR("a"), {NULL, 0}, LG_STR("bc")};
    lg_digest_parts(LG_STR(""), parts, 3, &digest);
    lg_hex(digest.bytes, sizeof(digest.bytes), hex);
    CHECK_STR(lg_str_c(hex), "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
    lg_digest_parts(LG_STR("key"), parts, 3, &keyed);
    CHECK(memcmp(digest.bytes, keyed.bytes, sizeof(digest.bytes)) != 0);
    lg_digest_parts(LG_STR("key"), &LG_STR("abc"), 1, &digest);
    CHECK(memcmp(digest.bytes, keyed.bytes, sizeof(digest.bytes)) == 0);
}

// RFC 8032 section 7.1, test 1.
static void signatures_are_ed25519(void)
{
    unsigned char seed[LG_SIGN_KEY_BYTES];
    unsigned char signature[LG_SIGNATURE_BYTES];
    lg_sign_key key;
    char hex[2 * LG_SIGNATURE_BYTES + 1];
    CHECK(lg_unhex(LG_STR("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"), seed,
                   sizeof(seed)));
    lg_sign_key_of(seed, &key);
    lg_hex(lg_sign_public(&key), LG_SIGN_KEY_BYTES, hex);
    CHECK_STR(lg_str_c(hex), "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
    lg_sign(&key, LG_STR(""), signature);
    lg_hex(signature, sizeof(signature), hex);
    CHECK_STR(
        lg_str_c(hex),
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701c"
        "f9b46bd25bf5f0595bbe24655141438e7a100b");
    CHECK(lg_sign_verify(lg_sign_public(&key), LG_STR(""), signature));
    CHECK(!lg_sign_verify(lg_sign_public(&key), LG_STR("x"), signature));
    signature[3] ^= 1;
    CHECK(!lg_sign_verify(lg_sign_public(&key), LG_STR(""), signature));
    lg_forget(&key, sizeof(key));
    CHECK(key.secret[0] == 0 && key.secret[sizeof(key.secret) - 1] == 0);
}

static void hexadecimal_is_lower_case_and_whole(void)
{
    unsigned char bytes[2] = {7, 7};
    CHECK(lg_unhex(LG_STR("00ff"), bytes, 2) && bytes[0] == 0 && bytes[1] == 0xff);
    CHECK(!lg_unhex(LG_STR("00f"), bytes, 2) && !lg_unhex(LG_STR("00FF"), bytes, 2));
    CHECK(!lg_unhex(LG_STR("00f "), bytes, 2) && !lg_unhex(LG_STR("00ff0"), bytes, 2));
}

static void random_bytes_differ(void)
{
    unsigned char a[16] = {0};
    unsigned char b[16] = {0};
    lg_random(a, sizeof(a));
    lg_random(b, sizeof(b));
    CHECK(memcmp(a, b, sizeof(a)) != 0);
}

static void the_steady_clock_does_not_go_back(void)
{
    int64_t before = lg_monotonic_ns();
    CHECK(before > 0 && lg_monotonic_ns() >= before);
}

int main(void)
{
    CHECK(lg_sign_begin());
    RUN(digests_are_blake2b);
    RUN(signatures_are_ed25519);
    RUN(hexadecimal_is_lower_case_and_whole);
    RUN(random_bytes_differ);
    RUN(the_steady_clock_does_not_go_back);
    return lg_test_done();
}
