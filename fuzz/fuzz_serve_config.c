// fuzz_serve_config.c: any text as a configuration of the gateway. It is refused with errors that say something and
// point into the text, or it is read; then it is read a second time alike, and what it says keeps what the reader
// promises: routes with a path and an address, hashes, numbers within their bounds. No secret stands in it.
#include "drive.h"
#include "serve/serve.h"

static void require(bool holds)
{
    if (!holds) {
        __builtin_trap();
    }
}

static const char *environment(const char *name)
{
    return name[0] == 'N' ? NULL : "value";
}

static lg_time now(void)
{
    return (lg_time){1700000000, 0};
}

static void check_problems(const lg_serve_problems *problems, lg_str text)
{
    lg_position end = lg_text_position(text, text.len);
    for (size_t i = 0; i < problems->count; i++) {
        const lg_error *e = &problems->items[i].error;
        drive_check_text(lg_str_c(e->msg));
        require(e->status != LG_OK && e->msg[0] && e->line <= end.line + 1);
    }
}

static void check_config(const lg_serve_config *c)
{
    require(c->route_count > 0);
    for (size_t i = 0; i < c->route_count; i++) {
        const lg_serve_route *r = &c->routes[i];
        require(!r->path.len || r->path.ptr[0] == '/');
        require(lg_str_starts(r->upstream.url, LG_STR("http")));
        require(r->max_revisions <= 14 && r->mode <= LG_PROXY_SHADOW);
    }
    for (size_t i = 0; i < c->token_count; i++) {
        require(c->tokens[i].hash.len == LG_SERVE_HASH_BYTES - 1 && c->tokens[i].name.len);
    }
    require(c->timeouts.stop >= 1 && c->timeouts.stop <= 86400000);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const lg_limits limits = {.json_depth = 32, .document_bytes = (size_t)8 << 20};
    lg_serve_host host = {.now = now, .environment = environment, .log_fd = -1, .limits = &limits};
    lg_serve_problems problems;
    lg_serve_config *first = NULL, *second = NULL;
    lg_str text = lg_str_of((const char *)data, size);
    lg_serve_problems_init(&problems);
    lg_status status = lg_serve_config_read(text, "fuzz.yaml", &host, &first, &problems);
    require((status == LG_OK) == (first != NULL));
    require((status == LG_OK) == (problems.count == 0));
    check_problems(&problems, text);
    if (first) {
        check_config(first);
        require(lg_serve_config_read(text, "fuzz.yaml", &host, &second, &problems) == LG_OK);
        require(second->route_count == first->route_count &&
                lg_str_eq(second->listen, first->listen));
    }
    lg_serve_config_free(first);
    lg_serve_config_free(second);
    lg_serve_problems_done(&problems);
    return 0;
}
