// Configurations: what is read, and memory that ends anywhere while it is read.
#include "base/alloc.h"
#include "lg_test.h"
#include "serve/serve.h"

static const char whole[] =
    "listen: 127.0.0.1:0\n"
    "routes:\n"
    "  - path: /v1\n"
    "    upstream: {url: 'http://x/v1/', key: '${KEY}', headers: {a: 'b${KEY}', c: '$${d}'}}\n"
    "    mode: shadow\n"
    "    max_revisions: 0\n"
    "    pack: p\n"
    "    shadow_rules: [r1, r2]\n"
    "    pass: [GET /files/*]\n"
    "  - {path: /v1/more, upstream: {url: 'https://y'}}\n"
    "tokens:\n"
    "  - name: a\n"
    "    hash: sha256:1e9ec3ce63c28109adbc5d815ce9779793fe3d4929b9f70716c72d60b145d2aa\n"
    "limits: {body_bytes: 2M}\n"
    "timeouts: {stop: 1500ms, idle: 2h}\n";

static lg_time now(void)
{
    return (lg_time){1700000000, 0};
}

static const char *environment(const char *name)
{
    return strcmp(name, "KEY") == 0 ? "secret" : NULL;
}

static const lg_serve_host host = {.now = now, .environment = environment, .log_fd = -1};

static lg_status read_whole(lg_serve_config **ret, lg_serve_problems *problems)
{
    return lg_serve_config_read(lg_str_c(whole), "etc/c.yaml", &host, ret, problems);
}

static void every_key_arrives(void)
{
    lg_serve_problems problems;
    lg_serve_config *c = NULL;
    lg_serve_problems_init(&problems);
    if (!CHECK_MSG(read_whole(&c, &problems) == LG_OK, problems.items[0].error.msg)) {
        lg_serve_problems_done(&problems);
        return;
    }
    const lg_serve_route *r = c->routes;
    CHECK(c->route_count == 2 && lg_str_eq(r[1].path, LG_STR("/v1/more")));
    CHECK(lg_str_eq(r->upstream.url, LG_STR("http://x/v1")));
    CHECK(lg_str_eq(r->upstream.key, LG_STR("secret")));
    CHECK(r->upstream.header_count == 2);
    CHECK(lg_str_eq(r->upstream.headers[0].value, LG_STR("bsecret")));
    CHECK(lg_str_eq(r->upstream.headers[1].value, LG_STR("${d}")));
    CHECK(r->mode == LG_PROXY_SHADOW && r->has_max_revisions && r->max_revisions == 0);
    CHECK(r->shadow_rules.count == 2 && r->pass.count == 1 && !r[1].has_max_revisions);
    CHECK(c->limits.body_bytes == (uint64_t)2 << 20);
    CHECK(c->timeouts.stop == 1500 && c->timeouts.idle == 7200000);
    lg_serve_config_free(c);
    lg_serve_problems_done(&problems);
}

// Each allocation fails once: then there is no configuration, and it is said why.
static void running_out_of_memory_is_told(void)
{
    lg_status status = LG_ERR_OOM;
    uint64_t n = 1;
    for (; status != LG_OK && n < 1000; n++) {
        lg_serve_problems problems;
        lg_serve_config *c = NULL;
        lg_serve_problems_init(&problems);
        lg_alloc_fail_at(n);
        status = read_whole(&c, &problems);
        lg_alloc_fail_at(0);
        CHECK((status == LG_OK) == (c != NULL));
        CHECK(status == LG_OK || problems.count > 0);
        lg_serve_config_free(c);
        lg_serve_problems_done(&problems);
    }
    CHECK(n > 3 && n < 1000);
}

static void tokens_are_hashed(void)
{
    char hash[LG_SERVE_HASH_BYTES], token[LG_SERVE_TOKEN_BYTES], other[LG_SERVE_TOKEN_BYTES];
    lg_serve_hash_token(LG_STR("abc"), hash); // FIPS 180-4, example B.1
    CHECK_STR(lg_str_c(hash),
              "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    lg_serve_make_token(token);
    lg_serve_make_token(other);
    CHECK(strlen(token) == LG_SERVE_TOKEN_BYTES - 1 && strcmp(token, other) != 0);
}

int main(void)
{
    RUN(every_key_arrives);
    RUN(running_out_of_memory_is_told);
    RUN(tokens_are_hashed);
    return lg_test_done();
}
