// past.c: decisions by route, verdict, rule and tool, of all routings that there were: a reload makes another routing with
// counts of its own, and a counter never goes back.
//
// All routings that somebody holds are in a list. When requests that began with one are over, and it is not the current one
// any more, what it has counted is kept, and it goes. Under one lock; a scrape and a reload come here, no request does.
#include "serve/serve_internal.h"

typedef struct counted {
    lg_str labels;
    uint64_t count;
} counted;

typedef struct tally {
    lg_arena *arena;
    lg_map map;   // of `counted`, by labels as they are written
    lg_str route; // whose counts come
    bool failed;
} tally;

static void add(tally *t, lg_str labels, uint64_t count)
{
    const counted *before = lg_map_get(&t->map, labels);
    counted *now = LG_NEW(t->arena, counted);
    lg_str kept = before ? before->labels : lg_arena_str(t->arena, labels);
    if (!now || !kept.ptr) {
        t->failed = true;
        return;
    }
    *now = (counted){kept, count + (before ? before->count : 0)};
    t->failed = !lg_map_put(t->arena, &t->map, kept, now, 0) || t->failed;
}

static void add_decision(void *context, lg_verdict verdict, lg_str rule, lg_str tool,
                         uint64_t count)
{
    tally *t = context;
    lg_buf labels;
    lg_buf_init(&labels, 0);
    metrics_labels(&labels, t->route, verdict, rule, tool);
    if (lg_buf_status(&labels) == LG_OK) {
        add(t, lg_buf_str(&labels), count);
    } else {
        t->failed = true;
    }
    lg_buf_done(&labels);
}

static void add_routing(tally *t, const routing *r)
{
    for (size_t i = 0; i < r->count; i++) {
        t->route = r->routes[i].config->path;
        lg_proxy_route_decisions(r->routes[i].judged, add_decision, t);
    }
}

static void add_all(tally *t, const lg_map *counts)
{
    for (uint32_t i = 0; i < counts->count; i++) {
        const counted *one = lg_map_at(counts, i);
        add(t, one->labels, one->count);
    }
}

// --- Routings ----------------------------------------------------------------------------------

bool past_open(past *p)
{
    lg_arena_init(&p->arena, 0);
    p->is_open = pthread_mutex_init(&p->lock, NULL) == 0;
    return p->is_open;
}

void past_close(past *p)
{
    if (!p->is_open) {
        return;
    }
    while (p->routings) {
        routing *r = p->routings;
        p->routings = r->older;
        routing_unref(r);
    }
    lg_arena_done(&p->arena);
    pthread_mutex_destroy(&p->lock);
    p->is_open = false;
}

// Nobody but the list holds it: what it has counted is all that it will count.
static bool is_over(const routing *r)
{
    return atomic_load(&r->refs) == 1;
}

// What those have counted that are over is kept, and they go. Without memory they stay. With the lock.
static void sweep(past *p)
{
    lg_arena arena;
    tally t = {.arena = &arena};
    routing *stay = NULL;
    routing *go = NULL;
    bool any = false;
    for (const routing *r = p->routings; r && !any; r = r->older) {
        any = is_over(r);
    }
    if (!any) {
        return;
    }
    lg_arena_init(&arena, 0);
    add_all(&t, &p->counts);
    while (p->routings) {
        routing *r = p->routings;
        p->routings = r->older;
        routing **to = is_over(r) ? &go : &stay;
        r->older = *to;
        *to = r;
        if (to == &go) {
            add_routing(&t, r);
        }
    }
    for (routing *r = go; r; r = go) {
        go = r->older;
        if (t.failed) {
            r->older = stay;
            stay = r;
        } else {
            routing_unref(r);
        }
    }
    p->routings = stay;
    if (t.failed) {
        lg_arena_done(&arena);
        return;
    }
    lg_arena_done(&p->arena);
    p->arena = arena;
    p->counts = t.map;
}

void past_add(past *p, routing *r)
{
    routing_ref(r);
    pthread_mutex_lock(&p->lock);
    r->older = p->routings;
    p->routings = r;
    sweep(p);
    pthread_mutex_unlock(&p->lock);
}

// --- Writing ------------------------------------------------------------------------------------

void past_write(past *p, lg_buf *out)
{
    lg_arena arena;
    tally t = {.arena = &arena};
    lg_arena_init(&arena, 0);
    pthread_mutex_lock(&p->lock);
    sweep(p);
    add_all(&t, &p->counts);
    for (const routing *r = p->routings; r; r = r->older) {
        add_routing(&t, r);
    }
    pthread_mutex_unlock(&p->lock);
    for (uint32_t i = 0; i < t.map.count; i++) {
        const counted *one = lg_map_at(&t.map, i);
        lg_buf_addf(out, "ledgergate_decisions_total{%.*s} %llu\n", LG_FMT(one->labels),
                    (unsigned long long)one->count);
    }
    if (t.failed) { // a counter that is missing would have gone back
        out->status = LG_ERR_OOM;
    }
    lg_arena_done(&arena);
}
