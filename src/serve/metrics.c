// metrics.c: numbers for Prometheus (text format 0.0.4).
//
// Each worker counts for itself, in atomics that nobody else writes; whoever asks adds them up. Labels are bounded:
// routes of the configuration, tools and rules of its packs, classes of status.
#include "gate/gate.h"
#include "pack/pack.h"
#include "serve/serve_internal.h"

static const char *const class_names[METRIC_CLASSES] = {"1xx", "2xx", "3xx", "4xx", "5xx"};

// Upper ends of the buckets, in nanoseconds.
static const uint64_t bounds[METRIC_BUCKETS] = {
    1000,       2500,       5000,       10000,       25000,       50000,
    100000,     250000,     500000,     1000000,     2500000,     5000000,
    10000000,   25000000,   50000000,   100000000,   250000000,   500000000,
    1000000000, 2500000000, 5000000000, 10000000000, 30000000000, 60000000000};

static void add(atomic_uint_fast64_t *to, uint64_t by)
{
    atomic_fetch_add_explicit(to, by, memory_order_relaxed);
}

void metrics_time(histogram *h, int64_t ns)
{
    uint64_t took = ns > 0 ? (uint64_t)ns : 0;
    size_t i = 0;
    while (i < METRIC_BUCKETS && took > bounds[i]) {
        i++;
    }
    add(&h->counts[i], 1);
    add(&h->sum_ns, took);
}

void metrics_status(metrics *m, unsigned status)
{
    add(&m->answers[status / 100 >= 1 && status / 100 <= METRIC_CLASSES ? status / 100 - 1 : 4], 1);
}

void metrics_count(atomic_uint_fast64_t *number)
{
    add(number, 1);
}

// --- Writing ------------------------------------------------------------------------------------

static uint64_t value_of(const atomic_uint_fast64_t *number)
{
    return atomic_load_explicit(number, memory_order_relaxed);
}

// The number that stands `at` bytes into each worker's metrics, of all workers.
static uint64_t sum(const lg_serve *s, size_t at)
{
    uint64_t all = 0;
    for (size_t i = 0; i < s->worker_count; i++) {
        const char *base = (const char *)&s->workers[i].metrics;
        all += value_of((const atomic_uint_fast64_t *)(const void *)(base + at));
    }
    return all;
}

static void head(lg_buf *out, const char *name, const char *type, const char *about)
{
    lg_buf_addf(out, "# HELP ledgergate_%s %s\n# TYPE ledgergate_%s %s\n", name, about, name, type);
}

static void number(lg_buf *out, const char *name, const char *type, const char *about,
                   uint64_t value)
{
    head(out, name, type, about);
    lg_buf_addf(out, "ledgergate_%s %llu\n", name, (unsigned long long)value);
}

static void label(lg_buf *out, lg_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '\\' || c == '"') {
            lg_buf_add_byte(out, '\\');
        }
        lg_buf_add_byte(out, (unsigned char)c < 0x20 ? ' ' : c);
    }
}

static void write_histogram(lg_buf *out, const lg_serve *s, const char *name, const char *about,
                            size_t at)
{
    uint64_t below = 0;
    head(out, name, "histogram", about);
    for (size_t i = 0; i <= METRIC_BUCKETS; i++) {
        below += sum(s, at + offsetof(histogram, counts) + i * sizeof(atomic_uint_fast64_t));
        if (i < METRIC_BUCKETS) {
            lg_buf_addf(out, "ledgergate_%s_bucket{le=\"%g\"} %llu\n", name,
                        (double)bounds[i] / 1e9, (unsigned long long)below);
        }
    }
    lg_buf_addf(out, "ledgergate_%s_bucket{le=\"+Inf\"} %llu\n", name, (unsigned long long)below);
    lg_buf_addf(out, "ledgergate_%s_sum %.9f\n", name,
                (double)sum(s, at + offsetof(histogram, sum_ns)) / 1e9);
    lg_buf_addf(out, "ledgergate_%s_count %llu\n", name, (unsigned long long)below);
}

void metrics_finding_labels(lg_buf *out, lg_str path, const char *kind)
{
    lg_buf_addf(out, "finding=\"%s\",route=\"", kind);
    label(out, path);
    lg_buf_add_c(out, "\"");
}

void metrics_labels(lg_buf *out, lg_str path, lg_verdict verdict, lg_str rule, lg_str tool)
{
    lg_buf_add_c(out, "route=\"");
    label(out, path);
    lg_buf_addf(out, "\",verdict=\"%s\",rule=\"", lg_verdict_name(verdict));
    label(out, rule);
    lg_buf_add_c(out, "\",tool=\"");
    label(out, tool);
    lg_buf_add_c(out, "\"");
}

static void write_proxy(lg_buf *out, const lg_serve *s)
{
    lg_proxy_counts counts;
    lg_proxy_count(s->proxy, &counts);
#define X(name, text) number(out, #name "_total", "counter", text, counts.name);
    LG_PROXY_COUNT_MAP(X)
#undef X
    number(out, "exchanges_bytes", "gauge", "memory of exchanges beside their bodies",
           lg_proxy_held_bytes(s->proxy));
}

static void write_store(lg_buf *out, const lg_serve *s)
{
    lg_store_counts c = lg_store_counts_of(s->store);
    number(out, "store_commits_total", "counter", "commits of the log", c.commits);
    number(out, "store_records_total", "counter", "records written to the log", c.records);
    number(out, "store_bytes_total", "counter", "bytes of their payloads", c.bytes);
    number(out, "store_waiting", "gauge", "records that wait for the log", c.waiting);
    number(out, "store_up", "gauge", "1: the log takes records",
           lg_store_status(s->store, NULL) == LG_OK);
    head(out, "store_commit_seconds_total", "counter", "time that the log's commits took");
    lg_buf_addf(out, "ledgergate_store_commit_seconds_total %.9f\n", (double)c.commit_ns / 1e9);
}

static void write_requests(lg_buf *out, const lg_serve *s)
{
    head(out, "http_answers_total", "counter", "answers to clients, by class of status");
    for (size_t i = 0; i < METRIC_CLASSES; i++) {
        lg_buf_addf(out, "ledgergate_http_answers_total{status=\"%s\"} %llu\n", class_names[i],
                    (unsigned long long)sum(s, offsetof(metrics, answers) +
                                                   i * sizeof(atomic_uint_fast64_t)));
    }
#define X(name, type, text) number(out, #name, type, text, sum(s, offsetof(metrics, name)));
    METRIC_MAP(X)
#undef X
    write_histogram(out, s, "overhead_seconds",
                    "from a request to its answer's head, without the upstream",
                    offsetof(metrics, overhead));
    write_histogram(out, s, "upstream_seconds", "until the head of an upstream's answer",
                    offsetof(metrics, upstream));
    write_histogram(out, s, "request_seconds", "from a request to the end of its answer",
                    offsetof(metrics, total));
}

// Which law is live, as of the routing of whoever asks.
static void write_packs(lg_buf *out, const routing *r)
{
    head(out, "pack_info", "gauge", "1: the pack that judges on this route");
    for (size_t i = 0; i < r->count; i++) {
        const law *l = r->routes[i].law;
        if (l) {
            lg_buf_add_c(out, "ledgergate_pack_info{route=\"");
            label(out, r->routes[i].config->path);
            lg_buf_add_c(out, "\",pack=\"");
            label(out, l->pack->name);
            lg_buf_add_c(out, "\",version=\"");
            label(out, l->pack->version);
            lg_buf_addf(out, "\",hash=\"%s\"} 1\n", l->pack->hash);
        }
    }
}

static void write_reloads(lg_buf *out, const lg_serve *s)
{
    head(out, "reloads_total", "counter",
         "configurations that were read again, by what came of it");
    lg_buf_addf(out, "ledgergate_reloads_total{result=\"taken\"} %llu\n",
                (unsigned long long)value_of(&s->reloads));
    lg_buf_addf(out, "ledgergate_reloads_total{result=\"failed\"} %llu\n",
                (unsigned long long)value_of(&s->reloads_failed));
    number(out, "loaded_timestamp_seconds", "gauge",
           "when the configuration that is live was taken", value_of(&s->reloaded_at));
}

void metrics_write(lg_buf *out, const worker *w)
{
    const lg_serve *s = w->gateway;
    write_requests(out, s);
    write_proxy(out, s);
    head(out, "decisions_total", "counter", "what was decided, by route, verdict, rule and tool");
    past_write(&w->gateway->past, out, "decisions_total", "route=");
    head(out, "findings_total", "counter",
         "results in conversations of calls that were refused, or never judged here");
    past_write(&w->gateway->past, out, "findings_total", "finding=");
    write_packs(out, w->routing);
    write_reloads(out, s);
    if (s->store) {
        write_store(out, s);
    }
    number(out, "spans_sent_total", "counter", "spans that the collector has taken",
           value_of(&s->otlp.sent));
    number(out, "spans_dropped_total", "counter", "spans that it has not",
           value_of(&s->otlp.dropped));
    number(out, "log_lines_dropped_total", "counter", "lines of the log that had no room",
           say_dropped(&s->say));
}
