// sessions.c: which session a request means: a table by id, families, how many there may be, and for how long.
//
// Ids are numbers with an `s` before them, given in order and never again, so that the table needs no hash that a stranger
// could work against. The list by use tells which have been idle longest.
#include "base/alloc.h"
#include "base/str.h"
#include "mock/mock_internal.h"

#include <stdio.h>

#define BUCKETS_FIRST 64u
#define DEFAULT_ID LG_STR("default")
// Of `default`, which nobody began and nobody ends: the more is kept, the longer everybody waits when it is tidied.
#define DEFAULT_HISTORY_BYTES ((size_t)2 << 20)

bool mock_sessions_open(lg_mock *mock)
{
    mock_sessions *t = &mock->sessions;
    t->buckets = lg_zalloc(BUCKETS_FIRST * sizeof(*t->buckets));
    t->bucket_count = t->buckets ? BUCKETS_FIRST : 0;
    return t->buckets != NULL;
}

void mock_sessions_close(lg_mock *mock)
{
    while (mock->sessions.oldest) {
        mock_sessions_remove(mock, mock->sessions.oldest);
    }
    lg_free(mock->sessions.buckets);
}

// --- The table ----------------------------------------------------------------------------------

static bool read_id(lg_str id, uint64_t *ret)
{
    *ret = 0;
    if (lg_str_eq(id, DEFAULT_ID)) {
        return true;
    }
    bool plain = id.len > 1 && id.ptr[0] == 's' && id.ptr[1] != '0';
    return plain && mock_read_number(lg_str_slice(id, 1, id.len), ret);
}

static mock_session **bucket_of(const mock_sessions *t, uint64_t number)
{
    return &t->buckets[number & (t->bucket_count - 1)];
}

mock_session *mock_sessions_find(const lg_mock *mock, lg_str id)
{
    uint64_t number;
    if (!read_id(id, &number)) {
        return NULL;
    }
    mock_session *s = *bucket_of(&mock->sessions, number);
    while (s && s->number != number) {
        s = s->next;
    }
    return s;
}

// Twice the buckets, if there is memory: without them it only is slower.
static void grow(mock_sessions *t)
{
    size_t count = 2 * t->bucket_count;
    mock_sessions grown = {.bucket_count = count,
                           .buckets = lg_zalloc(count * sizeof(*grown.buckets))};
    if (!grown.buckets) {
        return;
    }
    for (size_t i = 0; i < t->bucket_count; i++) {
        for (mock_session *s = t->buckets[i], *next; s; s = next) {
            mock_session **to = bucket_of(&grown, s->number);
            next = s->next;
            s->next = *to;
            *to = s;
        }
    }
    lg_free(t->buckets);
    t->buckets = grown.buckets;
    t->bucket_count = count;
}

// --- By use -------------------------------------------------------------------------------------

static void unlink_use(mock_sessions *t, mock_session *s)
{
    *(s->newer ? &s->newer->older : &t->newest) = s->older;
    *(s->older ? &s->older->newer : &t->oldest) = s->newer;
}

static void link_newest(mock_sessions *t, mock_session *s)
{
    s->newer = NULL;
    s->older = t->newest;
    *(t->newest ? &t->newest->newer : &t->oldest) = s;
    t->newest = s;
}

static void use(lg_mock *mock, mock_session *s)
{
    s->used_ns = mock->loop ? lg_loop_now_ns(mock->loop) : 0;
    if (mock->sessions.newest != s) {
        unlink_use(&mock->sessions, s);
        link_newest(&mock->sessions, s);
    }
}

void mock_sessions_expire(lg_mock *mock)
{
    int64_t now = lg_loop_now_ns(mock->loop);
    int64_t least = now - (int64_t)mock->limits.idle_s * 1000 * LG_NS_PER_MS;
    for (mock_session *s = mock->sessions.oldest, *newer; s && s->used_ns < least; s = newer) {
        newer = s->newer;
        if (!s->family->busy) {
            mock_sessions_remove(mock, s);
        }
    }
}

// --- Coming and going ---------------------------------------------------------------------------

bool mock_sessions_has_room(mock_exchange *x, bool another)
{
    const lg_mock *mock = x->mock;
    if (another && mock->sessions.count >= mock->limits.sessions) {
        mock_fail(x, 429, "limit",
                  "there are %zu sessions, as many as --sessions allows; delete some of them",
                  mock->sessions.count);
        return false;
    }
    if (mock->sessions.held_bytes > mock->limits.memory_bytes) {
        mock_fail(x, 429, "limit",
                  "all sessions together take %zu bytes, more than --memory allows; delete some of "
                  "them",
                  mock->sessions.held_bytes);
        return false;
    }
    return true;
}

void mock_sessions_weigh(lg_mock *mock, mock_session *session)
{
    mock_family *f = session->family;
    size_t now = lg_sim_held_bytes(session->sim);
    mock->sessions.held_bytes += now - f->held_bytes; // modulo 2^64, which comes out right
    f->held_bytes = now;
}

static bool join(mock_session *s, mock_family *family)
{
    s->family = family ? family : lg_zalloc(sizeof(*family));
    if (s->family) {
        s->family->members++;
    }
    return s->family != NULL;
}

static mock_session *add(mock_exchange *x, lg_sim_session *sim, mock_family *family,
                         uint64_t number)
{
    lg_mock *mock = x->mock;
    mock_session *s = lg_zalloc(sizeof(*s));
    if (!s || !join(s, family)) {
        lg_free(s);
        lg_sim_session_free(sim);
        mock_fail_oom(x);
        return NULL;
    }
    s->number = number;
    s->sim = sim;
    (void)snprintf(s->id, sizeof(s->id), number ? "s%llu" : "default", (unsigned long long)number);
    if (mock->sessions.count >= mock->sessions.bucket_count) {
        grow(&mock->sessions);
    }
    mock_session **bucket = bucket_of(&mock->sessions, number);
    s->next = *bucket;
    *bucket = s;
    mock->sessions.count++;
    link_newest(&mock->sessions, s);
    use(mock, s);
    mock_sessions_weigh(mock, s);
    return s;
}

mock_session *mock_sessions_add(mock_exchange *x, lg_sim_session *sim, mock_family *family)
{
    return add(x, sim, family, ++x->mock->sessions.last);
}

void mock_sessions_remove(lg_mock *mock, mock_session *session)
{
    mock_sessions *t = &mock->sessions;
    mock_session **at = bucket_of(t, session->number);
    while (*at != session) {
        at = &(*at)->next;
    }
    *at = session->next;
    unlink_use(t, session);
    t->count--;
    lg_sim_session_free(session->sim);
    if (--session->family->members == 0) {
        t->held_bytes -= session->family->held_bytes;
        lg_free(session->family);
    }
    lg_free(session);
}

// --- Of a request -------------------------------------------------------------------------------

lg_sim_begin mock_sessions_as_usual(const lg_mock *mock)
{
    bool hybrid = mock->options.real && !mock->options.passes_on;
    return (lg_sim_begin){.seed = mock->options.seed,
                          .read_real = hybrid ? lg_executor_read_real : NULL,
                          .real_data = mock->options.real};
}

static mock_session *begin_as(mock_exchange *x, const lg_sim_begin *begin, uint64_t number)
{
    lg_sim_session *sim = NULL;
    lg_error err = {0};
    lg_sim_begin plain = mock_sessions_as_usual(x->mock);
    plain.history_bytes = number ? 0 : DEFAULT_HISTORY_BYTES;
    if (!mock_sessions_has_room(x, true)) {
        return NULL;
    }
    if (lg_sim_session_new(x->mock->options.sim, begin ? begin : &plain, &sim, &err) != LG_OK) {
        mock_fail_with(x, &err);
        return NULL;
    }
    return add(x, sim, NULL, number);
}

mock_session *mock_sessions_begin(mock_exchange *x, const lg_sim_begin *begin)
{
    return begin_as(x, begin, ++x->mock->sessions.last);
}

mock_session *mock_sessions_take(mock_exchange *x, lg_str id)
{
    bool is_default = !id.len || lg_str_eq(id, DEFAULT_ID);
    mock_session *s = mock_sessions_find(x->mock, is_default ? DEFAULT_ID : id);
    if (!s && is_default) {
        return begin_as(x, NULL, 0);
    }
    if (!s) {
        id = lg_str_cut(id, 60);
        mock_fail(x, 404, "unknown_session", "no session is called `%.*s` (any more)", LG_FMT(id));
        return NULL;
    }
    if (s->family->busy) {
        mock_fail(x, 409, "busy", "another request is using session %s, or a fork of it", s->id);
        return NULL;
    }
    use(x->mock, s);
    return s;
}

mock_session *mock_sessions_of(mock_exchange *x)
{
    return mock_sessions_take(
        x, lg_http_header_value(x->request.headers, LG_STR("x-ledgergate-session")));
}
