// proxy_law.c: what the proxy says of a call is what `replay` says of the same messages, byte for byte.
//
// Every call of the gold conversations, and every violating call at its place, goes through the proxy as the reply to a
// request that holds what came before, in each of the three APIs, streamed and not. The other side is the same
// messages, imported as a recording and told to a session as `replay` does (e2e/law.py compares that with the binary).
// No gold call may be lost, and no violating one may get through. Without the data it is skipped.
#include "base/file.h"
#include "proxy_faces.h"
#include "proxy_host.h"

#define CALLS_MAX 256u

static const char *const domains[] = {"airline", "retail", "telecom"};

typedef struct told {
    lg_str json; // of the decision; empty: it was not judged
    lg_verdict verdict;
} told;

typedef struct law {
    host host;
    lg_arena arena; // of one conversation
    lg_str gold;    // the file
    face_call calls[CALLS_MAX];
    size_t count;
    told expected[CALLS_MAX];
    size_t exchanges, lost, violating, stopped;
} law;

// --- Replayed -----------------------------------------------------------------------------------

static void replay_call(law *l, lg_session *session, const lg_trace *trace, size_t index, told *ret)
{
    char id[LG_TRACE_ID_BYTES];
    const lg_decision *decision;
    lg_error err;
    lg_str json = LG_STR("");
    lg_event proposed = lg_trace_event_at(trace, index, id);
    CHECK(lg_trace_calls_together(trace, index) == 1);
    if (!CHECK(lg_decide(session, &proposed, 1, &decision, &err) == LG_OK)) {
        return;
    }
    ret->verdict = decision->verdict;
    if (decision->gated) {
        CHECK(lg_decision_json(session, decision, &json, NULL) == LG_OK);
    }
    ret->json = lg_arena_str(&l->arena, json);
}

// What replay says of each call of a recording that is a request's body.
static void replay(law *l, lg_str body)
{
    lg_trace_set *set;
    lg_session *session;
    lg_error err;
    if (!CHECK(lg_trace_import(body, "request", NULL, &set, &err) == LG_OK)) {
        printf("    %s\n", err.msg);
        return;
    }
    CHECK(set->count == 1 && set->issue_count == 0);
    CHECK(lg_session_new(l->host.pack, NULL, &session) == LG_OK);
    lg_session_set_recorded(session, true);
    const lg_trace *trace = &set->traces[0];
    size_t call = 0;
    for (size_t i = 0; i < trace->count; i++) {
        char id[LG_TRACE_ID_BYTES];
        if (trace->events[i].kind == LG_EVENT_CALL) {
            replay_call(l, session, trace, i, &l->expected[call++]);
        }
        lg_event event = lg_trace_event_at(trace, i, id);
        CHECK(lg_observe(session, &event, NULL, &err) == LG_OK);
    }
    CHECK(call == l->count);
    lg_session_free(session);
    lg_trace_close(set);
}

// --- Live ---------------------------------------------------------------------------------------

// The member `decision` of the reply's field; of a stream too, since a JSON text stands on one line.
static lg_str decision_of(lg_str got)
{
    size_t from = lg_str_find(got, LG_STR("\"decision\":{"));
    if (from == SIZE_MAX) {
        return LG_STR("");
    }
    from += sizeof("\"decision\":") - 1;
    size_t depth = 0;
    bool quoted = false;
    for (size_t to = from; to < got.len; to++) {
        char c = got.ptr[to];
        if (quoted) {
            to += c == '\\';
            quoted = c != '"';
            continue;
        }
        quoted = c == '"';
        depth += c == '{';
        depth -= c == '}';
        if (depth == 0) {
            return lg_str_slice(got, from, to + 1);
        }
    }
    return LG_STR("");
}

// Does the client get the call?
static bool is_delivered(lg_chat_api api, lg_str got, size_t number, bool streamed)
{
    char mark[64];
    const char *id = api == LG_CHAT_RESPONSES ? "call_id" : "id";
    snprintf(mark, sizeof(mark), "\"%s\":\"call_%zu\"", id, number);
    size_t field = lg_str_find(got, LG_STR("\"ledgergate\":"));
    size_t at = lg_str_find(got, lg_str_c(mark));
    // A stream has the call before the field, which is in its last part.
    return at != SIZE_MAX && (!streamed || field == SIZE_MAX || at < field);
}

static void judge(law *l, lg_chat_api api, size_t number, bool streamed, bool violating)
{
    host *h = &l->host;
    const told *expected = &l->expected[number];
    lg_buf body;
    lg_buf reply;
    lg_buf_init(&body, 0);
    lg_buf_init(&reply, 0);
    face_request(&body, api, l->calls, number, false, streamed);
    if (streamed) {
        face_stream(&reply, api, number, &l->calls[number]);
    } else {
        face_reply(&reply, api, number, &l->calls[number]);
    }
    h->o.api = api;
    h->answer_next = 0;
    h->answer_count = 1;
    h->answers[0] = (host_answer){.status = 200,
                                  .type = streamed ? "text/event-stream" : "application/json",
                                  .body = lg_buf_str(&reply)};
    CHECK(host_run_text(h, lg_buf_str(&body)));
    lg_str got = lg_buf_str(&h->got);
    bool same = CHECK(lg_str_eq(decision_of(got), expected->json));
    bool delivered = is_delivered(api, got, number, streamed);
    bool passes = expected->verdict == LG_ALLOW;
    if (!CHECK(delivered == passes) || !same) {
        printf("    %s, %s, call %zu of %.*s:\n    live:   %.*s\n    replay: %.*s\n",
               lg_chat_api_name(api), streamed ? "streamed" : "whole", number,
               LG_FMT(l->calls[number].tool), (int)(got.len < 600 ? got.len : 600), got.ptr,
               LG_FMT(expected->json));
    }
    l->exchanges++;
    // What failed in the environment itself may be refused.
    l->lost += !violating && !delivered && !l->calls[number].failed;
    l->violating += violating;
    l->stopped += violating && !delivered;
    lg_buf_done(&body);
    lg_buf_done(&reply);
    lg_arena_reset(&h->arena);
}

// All of `count` calls, or the last alone.
static void judge_all(law *l, bool violating)
{
    for (lg_chat_api api = LG_CHAT_COMPLETIONS; api < LG_CHAT_API_COUNT; api++) {
        lg_buf body;
        lg_buf_init(&body, 0);
        face_request(&body, api, l->calls, l->count, violating, false);
        replay(l, lg_buf_str(&body));
        lg_buf_done(&body);
        for (size_t i = violating ? l->count - 1 : 0; i < l->count; i++) {
            judge(l, api, i, false, violating);
            judge(l, api, i, true, violating);
        }
    }
}

// --- The data -----------------------------------------------------------------------------------

static lg_str word(const lg_json *object, const char *key)
{
    return lg_json_str(lg_json_get(object, lg_str_c(key)));
}

// The customer's own calls are in no request: the agent does not see them.
static void add_call(law *l, const lg_json *call)
{
    if (!lg_str_eq(word(call, "requestor"), LG_STR("user")) && CHECK(l->count < CALLS_MAX)) {
        l->calls[l->count++] =
            (face_call){.tool = word(call, "name"),
                        .args = lg_json_get(call, LG_STR("arguments")),
                        .result = word(call, "result"),
                        .failed = lg_json_is_true(lg_json_get(call, LG_STR("error")))};
    }
}

static const lg_json *read_line(law *l, lg_str text, size_t *at)
{
    size_t end = lg_str_line_end(text, *at);
    const lg_json *value = NULL;
    if (lg_str_trim(lg_str_slice(text, *at, end)).len) {
        CHECK(lg_json_parse_in(&l->arena, text, *at, end, NULL, &value, NULL) == LG_OK);
    }
    *at = end + 1;
    return value;
}

static void judge_gold(law *l)
{
    for (size_t at = 0; at < l->gold.len;) {
        const lg_json *line = read_line(l, l->gold, &at);
        const lg_json *calls = lg_json_get(line, LG_STR("calls"));
        l->count = 0;
        for (size_t i = 0; i < lg_json_len(calls); i++) {
            add_call(l, lg_json_item(calls, i));
        }
        if (l->count) {
            judge_all(l, false);
        }
        lg_arena_reset(&l->arena);
    }
}

static const lg_json *find_gold(law *l, lg_str task)
{
    for (size_t at = 0; at < l->gold.len;) {
        const lg_json *line = read_line(l, l->gold, &at);
        if (lg_str_eq(word(line, "task_id"), task)) {
            return line;
        }
    }
    return NULL;
}

static bool is_omitted(const lg_json *omit, int64_t index)
{
    for (size_t i = 0; i < lg_json_len(omit); i++) {
        int64_t number;
        if (lg_json_int(lg_json_item(omit, i), &number) && number == index) {
            return true;
        }
    }
    return false;
}

static void judge_violating(law *l, lg_str text)
{
    for (size_t at = 0; at < text.len;) {
        const lg_json *line = read_line(l, text, &at);
        const lg_json *gold = line ? find_gold(l, word(line, "task_id")) : NULL;
        const lg_json *calls = lg_json_get(gold, LG_STR("calls"));
        const lg_json *extra = lg_json_get(line, LG_STR("extra_calls"));
        int64_t position = 0;
        if (!line ||
            !CHECK(gold && lg_json_int(lg_json_get(line, LG_STR("position")), &position))) {
            continue;
        }
        l->count = 0;
        for (int64_t i = 0; i < position; i++) {
            if (!is_omitted(lg_json_get(line, LG_STR("omit")), i)) {
                add_call(l, lg_json_item(calls, (size_t)i));
            }
        }
        for (size_t i = 0; i < lg_json_len(extra); i++) {
            add_call(l, lg_json_item(extra, i));
        }
        add_call(l, lg_json_get(line, LG_STR("call")));
        judge_all(l, true);
        lg_arena_reset(&l->arena);
    }
}

static bool read_data(const char *domain, const char *name, lg_file *ret)
{
    char path[4096];
    lg_error err;
    snprintf(path, sizeof(path), "%s/data/tau2/%s/%s", lg_test_data_dir(), domain, name);
    return CHECK(lg_file_read(path, NULL, ret, &err) == LG_OK);
}

static void judge_domain(const char *domain, law *sum)
{
    char path[4096];
    lg_pack *pack;
    lg_error err;
    size_t errors;
    lg_file gold;
    lg_file violating;
    law *l = sum;
    snprintf(path, sizeof(path), "%s/packs/%s", LG_SOURCE_DIR, domain);
    if (!CHECK(lg_pack_load(path, NULL, &pack, &err, 1, &errors) == LG_OK) ||
        !read_data(domain, "gold_traces.jsonl", &gold) ||
        !read_data(domain, "violating_calls.jsonl", &violating)) {
        return;
    }
    host_open(&l->host,
              &(host_options){.pack = pack,
                              .no_journal = true,
                              .route = {.no_revisions = true, .block = LG_PROXY_BLOCK_APPEND}});
    lg_arena_init(&l->arena, 0);
    l->gold = gold.text;
    judge_gold(l);
    judge_violating(l, violating.text);
    lg_proxy_counts counts = host_counts(&l->host);
    printf("%s: %llu folds warm, %llu cold\n", domain, (unsigned long long)counts.folds_warm,
           (unsigned long long)counts.folds_cold);
    lg_arena_done(&l->arena);
    host_close(&l->host);
    lg_file_close(&gold);
    lg_file_close(&violating);
}

static law sum;

static void live_is_replay(void)
{
    for (size_t i = 0; i < LG_COUNT(domains); i++) {
        judge_domain(domains[i], &sum);
    }
    CHECK(sum.lost == 0);
    CHECK(sum.stopped == sum.violating && sum.violating == 603u * 6);
    printf("%zu exchanges: %zu gold calls lost, %zu of %zu violating calls stopped\n",
           sum.exchanges, sum.lost, sum.stopped, sum.violating);
}

int main(void)
{
    if (!lg_test_data_dir()) {
        printf("skipped: the recordings are not here\n");
        return 77;
    }
    RUN(live_is_replay);
    return lg_test_done();
}
