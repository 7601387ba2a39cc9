// token.c: who asks: by the gateway's own tokens, or by the credential that is meant for the upstream.
//
// Tokens stand in a configuration as SHA-256, which is enough for what nobody can guess: --hash-token makes tokens of
// 32 random bytes. All of them are compared, and in full, whatever was found.
#include "base/hash.h"
#include "base/sign.h"
#include "base/str.h"
#include "serve/serve_internal.h"

#include <stdio.h>

#define PREFIX_BYTES 7u // "sha256:"

static const char *const credentials[] = {"authorization", "x-api-key", "api-key"};

bool token_is_credential(lg_str header)
{
    bool is = false;
    for (size_t i = 0; i < LG_COUNT(credentials) && !is; i++) {
        is = lg_str_eq_any_case(header, lg_str_c(credentials[i]));
    }
    return is;
}

static bool is_bearer(lg_str value)
{
    return value.len > 7 && lg_str_eq_any_case(lg_str_slice(value, 0, 6), LG_STR("bearer")) &&
           value.ptr[6] == ' ';
}

// Of the headers that may hold one, number `which`; or empty.
static lg_str credential_of(lg_http_headers headers, size_t which)
{
    lg_str value = lg_http_header_value(headers, lg_str_c(credentials[which]));
    if (which == 0) {
        return is_bearer(value) ? lg_str_trim(lg_str_slice(value, 7, value.len)) : LG_STR("");
    }
    return value.ptr ? value : LG_STR("");
}

lg_str token_credential(lg_http_headers headers)
{
    lg_str found = LG_STR("");
    for (size_t i = 0; !found.len && i < LG_COUNT(credentials); i++) {
        found = credential_of(headers, i);
    }
    lg_str other = lg_http_header_value(headers, LG_STR("authorization")); // of another scheme
    return found.len || !other.ptr ? found : other;
}

void lg_serve_hash_token(lg_str token, char out[LG_SERVE_HASH_BYTES])
{
    memcpy(out, "sha256:", PREFIX_BYTES);
    lg_sha256_hex(token, out + PREFIX_BYTES);
}

void lg_serve_make_token(char out[LG_SERVE_TOKEN_BYTES])
{
    unsigned char bytes[32];
    lg_random(bytes, sizeof(bytes));
    memcpy(out, "lg_", 3);
    lg_hex(bytes, sizeof(bytes), out + 3);
    lg_forget(bytes, sizeof(bytes));
}

// Takes as long wherever the first difference is.
static bool equal(const char *a, lg_str b, size_t len)
{
    unsigned char difference = b.len != len;
    for (size_t i = 0; i < len; i++) {
        difference |= (unsigned char)(a[i] ^ (i < b.len ? b.ptr[i] : 0));
    }
    return difference == 0;
}

static bool find(const lg_serve_config *c, lg_str credential, lg_str *ret_name)
{
    char hash[LG_SERVE_HASH_BYTES];
    bool found = false;
    lg_serve_hash_token(credential, hash);
    for (size_t i = 0; i < c->token_count; i++) {
        if (equal(hash, c->tokens[i].hash, sizeof(hash) - 1)) {
            *ret_name = c->tokens[i].name;
            found = true;
        }
    }
    return found && credential.len > 0;
}

bool token_find(const lg_serve_config *c, lg_http_headers headers, lg_str *ret_name)
{
    bool found = false;
    for (size_t i = 0; !found && i < LG_COUNT(credentials); i++) {
        found = find(c, credential_of(headers, i), ret_name);
    }
    return found;
}

lg_str token_principal(const lg_serve *s, lg_str credential, lg_arena *arena)
{
    lg_digest digest;
    char hex[2 * 8 + 1];
    if (!credential.len) {
        return LG_STR("anyone");
    }
    lg_digest_parts(lg_str_of((const char *)s->secret, sizeof(s->secret)), &credential, 1, &digest);
    lg_hex(digest.bytes, 8, hex);
    return lg_arena_printf(arena, "key-%s", hex);
}
