// routing.c: what a configuration becomes: packs that are loaded, routes that can be asked.
//
// A routing is made whole or not at all, never changed, and counted: a worker holds the one that is current, and a
// request the one with which it began. So a reload changes nothing for what is under way.
#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "pack/pack.h"
#include "serve/serve_internal.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define PACK_ERRORS_MAX 20u

// --- Laws ---------------------------------------------------------------------------------------

static void law_unref(void *context)
{
    law *l = context;
    if (l && atomic_fetch_sub(&l->refs, 1) == 1) {
        lg_pack_free(l->pack);
        lg_free(l);
    }
}

// The file of a pack that is named by its folder, so that errors say where they are.
static lg_str pack_file(lg_arena *arena, lg_str path)
{
    struct stat info;
    lg_str name = lg_arena_str(arena, path);
    if (!name.ptr || stat(name.ptr, &info) != 0 || !S_ISDIR(info.st_mode)) {
        return name;
    }
    return lg_arena_printf(arena, "%.*s%spack.yaml", LG_FMT(path),
                           lg_str_ends(path, LG_STR("/")) ? "" : "/");
}

static void tell_pack(const char *name, const lg_limits *limits, const lg_error *errors,
                      size_t count, lg_serve_problems *problems)
{
    lg_file file = {0}; // once more, to show the lines that have errors
    bool read = lg_file_read(name, limits, &file, NULL) == LG_OK;
    for (size_t i = 0; i < count; i++) {
        (void)lg_serve_problem_add(problems, &errors[i], read ? file.text : LG_STR(""));
    }
    lg_file_close(&file);
}

static lg_position place_of(const lg_serve_config *c, const lg_serve_route *of)
{
    lg_position at = of->offset ? lg_text_position(c->text, of->offset) : (lg_position){0};
    at.file = c->file.len ? c->file.ptr : NULL;
    return at;
}

// What is not there has no line: that of the route is told.
static bool is_missing(const lg_serve_config *c, const lg_serve_route *of, const char *name,
                       lg_serve_problems *problems)
{
    lg_error err;
    if (access(name, F_OK) == 0) {
        return false;
    }
    (void)lg_fail_at(&err, LG_ERR_IO, place_of(c, of), "`pack` of route `%.*s`: there is no %.*s",
                     LG_FMT(of->path), LG_FMT(of->pack));
    (void)lg_serve_problem_add(problems, &err, c->text);
    return true;
}

static law *law_load(const lg_serve_config *c, const lg_serve_route *of, const lg_limits *limits,
                     lg_serve_problems *problems)
{
    lg_error errors[PACK_ERRORS_MAX];
    size_t count = 0;
    lg_error oom;
    lg_str name = pack_file(&problems->arena, of->pack);
    law *l = lg_zalloc(sizeof(*l));
    if (!l || !name.ptr) {
        (void)lg_fail_oom(&oom);
        (void)lg_serve_problem_add(problems, &oom, LG_STR(""));
        lg_free(l);
        return NULL;
    }
    if (is_missing(c, of, name.ptr, problems)) {
        lg_free(l);
        return NULL;
    }
    if (lg_pack_load(name.ptr, limits, &l->pack, errors, PACK_ERRORS_MAX, &count) != LG_OK) {
        size_t kept = count < PACK_ERRORS_MAX ? count : PACK_ERRORS_MAX;
        tell_pack(name.ptr, limits, errors, kept, problems);
        problems->dropped += count - kept;
        lg_free(l);
        return NULL;
    }
    atomic_init(&l->refs, 1);
    return l;
}

// --- Routes -------------------------------------------------------------------------------------

// One pack that two routes name is loaded once.
static bool find_law(routing *r, size_t index, const lg_limits *limits, lg_serve_problems *problems)
{
    route *to = &r->routes[index];
    if (!to->config->pack.len) {
        return true;
    }
    for (size_t i = 0; i < index && !to->law; i++) {
        if (lg_str_eq(r->routes[i].config->pack, to->config->pack) && r->routes[i].law) {
            to->law = r->routes[i].law;
            atomic_fetch_add(&to->law->refs, 1);
        }
    }
    to->law = to->law ? to->law : law_load(r->config, to->config, limits, problems);
    return to->law != NULL;
}

static lg_proxy_route_options options_of(const route *r, lg_time now)
{
    const lg_serve_route *c = r->config;
    return (lg_proxy_route_options){
        .name = c->path,
        .pack = r->law ? r->law->pack : NULL,
        .now = now,
        .released = law_unref,
        .context = r->law,
        .mode = (lg_proxy_mode)c->mode,
        .shadow_rules = c->shadow_rules.items,
        .shadow_rule_count = c->shadow_rules.count,
        .block = (lg_proxy_block)c->block,
        .block_bytes = c->block_bytes,
        .block_compact = c->block_compact,
        .block_again_bytes = c->block_again_bytes,
        .block_as_system = c->block_as == 1,
        .on_refusal = (lg_proxy_refusal)c->on_refusal,
        .no_revisions = c->has_max_revisions && c->max_revisions == 0,
        .max_revisions = (uint32_t)c->max_revisions,
        .hold_text = c->hold_text,
        .allow_unseen = c->allow_unseen,
    };
}

// Of the same path.
static lg_proxy_route *find_before(const routing *before, lg_str path)
{
    for (size_t i = 0; before && i < before->count; i++) {
        if (lg_str_eq(before->routes[i].config->path, path)) {
            return before->routes[i].judged;
        }
    }
    return NULL;
}

static lg_status open_route(const routing *r, route *to, lg_proxy *proxy, const routing *before,
                            lg_time now, lg_serve_problems *problems)
{
    lg_error err = {0};
    lg_proxy_route_options options = options_of(to, now);
    // With tokens the client's own credential does not pass either.
    options.shares_upstream = to->config->upstream.key.len > 0 || r->config->token_count > 0;
    options.before = find_before(before, to->config->path);
    lg_proxy_route_options open = {.name = to->config->path};
    if (to->law) {
        atomic_fetch_add(&to->law->refs, 1); // the proxy's
    }
    lg_status status = lg_proxy_route_new(proxy, &options, &to->judged, &err);
    if (status != LG_OK) {
        law_unref(to->law);
    } else {
        status = lg_proxy_route_new(proxy, &open, &to->open, &err);
    }
    if (status != LG_OK) {
        lg_error placed;
        (void)lg_fail_at(&placed, status, place_of(r->config, to->config), "%s", err.msg);
        (void)lg_serve_problem_add(problems, &placed, r->config->text);
    }
    return status;
}

static lg_status fill(routing *r, lg_proxy *proxy, const lg_serve_host *host, const routing *before,
                      lg_serve_problems *problems)
{
    size_t known = problems->count;
    route_counts *counts = LG_NEW_ARRAY(&r->config->arena, route_counts, r->count);
    if (!counts) {
        lg_error err;
        (void)lg_fail_oom(&err);
        return lg_serve_problem_add(problems, &err, LG_STR(""));
    }
    for (size_t i = 0; i < r->count; i++) {
        r->routes[i].config = &r->config->routes[i];
        r->routes[i].counts = &counts[i];
    }
    for (size_t i = 0; i < r->count; i++) {
        if (find_law(r, i, host->limits, problems) && proxy) {
            (void)open_route(r, &r->routes[i], proxy, before, host->now(), problems);
        }
    }
    return problems->count > known ? problems->items[known].error.status : LG_OK;
}

lg_status routing_new(lg_serve_config *config, lg_proxy *proxy, const lg_serve_host *host,
                      const routing *before, lg_serve_problems *problems, routing **ret)
{
    routing *r = lg_zalloc(sizeof(*r));
    if (!r) {
        lg_error err;
        (void)lg_fail_oom(&err);
        lg_serve_config_free(config);
        return lg_serve_problem_add(problems, &err, LG_STR(""));
    }
    atomic_init(&r->refs, 1);
    r->config = config;
    r->routes = LG_NEW_ARRAY(&config->arena, route, config->route_count);
    r->count = r->routes ? config->route_count : 0;
    lg_status status = LG_OK;
    if (!r->routes) {
        lg_error err;
        (void)lg_fail_oom(&err);
        status = lg_serve_problem_add(problems, &err, LG_STR(""));
    } else {
        status = fill(r, proxy, host, before, problems);
    }
    if (status != LG_OK) {
        routing_unref(r);
        return status;
    }
    *ret = r;
    return LG_OK;
}

void routing_ref(routing *r)
{
    atomic_fetch_add(&r->refs, 1);
}

void routing_unref(routing *r)
{
    if (!r || atomic_fetch_sub(&r->refs, 1) != 1) {
        return;
    }
    for (size_t i = 0; i < r->count; i++) {
        lg_proxy_route_free(r->routes[i].judged);
        lg_proxy_route_free(r->routes[i].open);
        law_unref(r->routes[i].law);
    }
    lg_serve_config_free(r->config);
    lg_free(r);
}

void files_check_packs(const lg_serve_config *c, const lg_limits *limits,
                       lg_serve_problems *problems)
{
    for (size_t i = 0; i < c->route_count; i++) {
        bool again = !c->routes[i].pack.len;
        for (size_t j = 0; j < i && !again; j++) {
            again = lg_str_eq(c->routes[j].pack, c->routes[i].pack);
        }
        law_unref(again ? NULL : law_load(c, &c->routes[i], limits, problems));
    }
}

static void member(lg_json_writer *w, const char *key, lg_str value)
{
    lg_jw_member_str(w, key, lg_str_cut(value, 64));
}

void routing_tell(const routing *r, size_t most, lg_json_writer *w)
{
    lg_jw_begin_array(w);
    for (size_t i = 0; i < r->count && most > 0; i++) {
        const law *l = r->routes[i].law;
        if (l) {
            most--;
            lg_jw_begin_object(w);
            member(w, "route", r->routes[i].config->path);
            member(w, "pack", l->pack->name);
            member(w, "version", l->pack->version);
            member(w, "hash", lg_str_c(l->pack->hash));
            lg_jw_end_object(w);
        }
    }
    lg_jw_end_array(w);
}

static bool is_below(lg_str path, lg_str prefix)
{
    return lg_str_starts(path, prefix) && (path.len == prefix.len || path.ptr[prefix.len] == '/');
}

const route *routing_find(const routing *r, lg_str path, lg_str *ret_rest)
{
    const route *best = NULL;
    for (size_t i = 0; i < r->count; i++) {
        lg_str prefix = r->routes[i].config->path;
        if (is_below(path, prefix) && (!best || prefix.len > best->config->path.len)) {
            best = &r->routes[i];
            *ret_rest = lg_str_slice(path, prefix.len, path.len);
        }
    }
    return best;
}
