// bench_session.c: what a session's memory and time come to as it grows.
//
//     bench_session packs/retail DATA/data/tau2/retail/gold_traces.jsonl
//
// Through the public interface alone. Memory is what malloc has handed out since the session began. Prints one JSON line.
#include <ledgergate/ledgergate.h>

#include "trace/trace.h"

#include "sampling.h"

#include <malloc.h>

#define RECORDS 10000u
#define REPEATS 100000u
#define RETAIL_READS 20u

static const char store_pack[] = "pack: store\n"
                                 "version: 1.0.0\n"
                                 "types:\n"
                                 "  Item: {type: object, properties: {id: {type: string}, name: "
                                 "{type: string}, price: {type: number}, tags: {type: array, "
                                 "items: {type: string}}}, required: [id]}\n"
                                 "ledger: {items.*: Item}\n"
                                 "tools:\n"
                                 "  get_item:\n"
                                 "    kind: read\n"
                                 "    parameters: {type: object, properties: {id: {type: "
                                 "string}}, required: [id]}\n"
                                 "    returns: Item\n"
                                 "    stores: [{at: \"items[args.id]\"}]\n";

static size_t allocated(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static void fail(const char *what)
{
    fprintf(stderr, "bench_session: %s\n", what);
    exit(3);
}

// --- Many records -------------------------------------------------------------------------------

typedef struct growth {
    double seconds;
    size_t peak_bytes; // seen after an observation
    unsigned observed; // until it failed
} growth;

// What a host has in hand when a result comes.
typedef struct read_text {
    char args[32];
    char result[144];
} read_text;

static read_text *texts_of_items(unsigned count)
{
    read_text *texts = calloc(count, sizeof(*texts));
    if (!texts) {
        fail("no memory for the results");
    }
    for (unsigned i = 0; i < count; i++) {
        snprintf(texts[i].args, sizeof(texts[i].args), "{\"id\": \"item_%06u\"}", i);
        snprintf(texts[i].result, sizeof(texts[i].result),
                 "{\"id\": \"item_%06u\", \"name\": \"A thing of some use\", \"price\": %u.25, "
                 "\"tags\": [\"new\", \"blue\"]}",
                 i, i % 97);
    }
    return texts;
}

static void observe_item(lg_session *session, const read_text *text, growth *g)
{
    lg_event o = {.kind = LG_EVENT_RESULT,
                  .tool = LG_STR("get_item"),
                  .args = {text->args, strlen(text->args)},
                  .text = {text->result, strlen(text->result)}};
    lg_observed observed;
    if (lg_observe(session, &o, &observed, NULL) == LG_OK && observed == LG_OBSERVED_RECORDS) {
        g->observed++;
    }
}

static growth grow(const lg_pack *pack, unsigned distinct, unsigned repeats)
{
    growth g = {0};
    lg_session *session;
    read_text *texts = texts_of_items(distinct);
    size_t before = allocated();
    double start = sampling_now_ns();
    if (lg_session_new(pack, NULL, &session) != LG_OK) {
        fail("no session");
    }
    for (unsigned i = 0; i < distinct + repeats; i++) {
        observe_item(session, &texts[i < distinct ? i : i * 7919u % distinct], &g);
        size_t now = i % 64 == 0 ? allocated() - before : 0;
        g.peak_bytes = now > g.peak_bytes ? now : g.peak_bytes;
    }
    g.seconds = (sampling_now_ns() - start) / 1e9;
    lg_session_free(session);
    free(texts);
    return g;
}

// --- A conversation -----------------------------------------------------------------------------

// The session of a conversation with so many reads, or of several, one after the other, in one session.
static size_t converse(const lg_pack *pack, const lg_trace_set *set, unsigned reads,
                       size_t *ret_result_bytes)
{
    lg_session *session;
    size_t before = allocated();
    size_t held = 0;
    unsigned made = 0;
    if (lg_session_new(pack, NULL, &session) != LG_OK) {
        fail("no session");
    }
    *ret_result_bytes = 0;
    for (size_t t = 0; t < set->count && made < reads; t++) {
        const lg_trace *trace = &set->traces[t];
        for (size_t i = 0; i < trace->count && made < reads; i++) {
            const lg_trace_event *call = &trace->events[i];
            if (call->kind != LG_EVENT_CALL || call->role != LG_ROLE_AGENT) {
                continue;
            }
            const lg_trace_event *answer = &trace->events[call->other];
            lg_buf args;
            lg_buf_init(&args, 0);
            lg_json_print(&args, call->args);
            lg_event proposed = {.kind = LG_EVENT_CALL,
                                 .has_turn = true,
                                 .turn = call->turn,
                                 .tool = call->tool,
                                 .args = lg_buf_str(&args)};
            lg_event came = {.kind = answer->kind, .tool = call->tool, .text = answer->text};
            const lg_decision *decision;
            lg_observed observed = LG_OBSERVED_NOTHING;
            if (lg_decide(session, &proposed, 1, &decision, NULL) != LG_OK ||
                lg_observe(session, &proposed, NULL, NULL) != LG_OK ||
                lg_observe(session, &came, &observed, NULL) != LG_OK) {
                fail("a call was not taken");
            }
            made += observed == LG_OBSERVED_RECORDS;
            *ret_result_bytes += observed == LG_OBSERVED_RECORDS ? answer->text.len : 0;
            lg_buf_done(&args);
        }
    }
    held = allocated() - before;
    lg_session_free(session);
    return held;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: bench_session PACK GOLD_TRACES\n");
        return 2;
    }
    lg_pack *retail;
    lg_pack *store;
    lg_error error = {0};
    size_t errors;
    lg_trace_set *set;
    if (lg_pack_load(argv[1], NULL, &retail, &error, 1, &errors) != LG_OK ||
        lg_pack_load_text((lg_str){store_pack, sizeof(store_pack) - 1}, "store", NULL, &store,
                          &error, 1, &errors) != LG_OK ||
        lg_trace_open(argv[2], NULL, &set, &error) != LG_OK) {
        fprintf(stderr, "%s\n", error.msg);
        return 2;
    }
    growth distinct = grow(store, RECORDS, 0);
    growth repeated = grow(store, RECORDS, REPEATS);
    growth single = grow(store, 1, 20000);
    size_t one_text;
    size_t many_text;
    size_t one = converse(retail, set, 1, &one_text);
    size_t many = converse(retail, set, RETAIL_READS, &many_text);
    printf("{\"bench\": \"session\", \"records\": %u, \"records_s\": %.3f, \"records_mb\": %.1f, "
           "\"with_%u_repeats_s\": %.3f, \"with_%u_repeats_mb\": %.1f, \"repeats_taken\": %u, "
           "\"one_record_20000_times_mb\": %.2f, \"one_read_kb\": %.1f, \"%u_retail_reads_kb\": "
           "%.1f, \"their_results_kb\": %.1f}\n",
           distinct.observed, distinct.seconds, (double)distinct.peak_bytes / 1e6, REPEATS,
           repeated.seconds, REPEATS, (double)repeated.peak_bytes / 1e6,
           repeated.observed - distinct.observed, (double)single.peak_bytes / 1e6,
           (double)one / 1024, RETAIL_READS, (double)many / 1024, (double)many_text / 1024);
    lg_trace_close(set);
    lg_pack_free(store);
    lg_pack_free(retail);
    return 0;
}
