// test_journal.c: what was decided is decided again from the log, and whatever was changed shows.
#include "base/alloc.h"
#include "journal/journal.h"

#include "desk_pack.h"
#include "temp_folder.h"

static const lg_time NOW = {1700000000, 0};

#define RULES                                                                                      \
    "rules:\n"                                                                                     \
    "  open_only:\n"                                                                               \
    "    tools: [act]\n"                                                                           \
    "    let: {o: 'ledger.orders[args.id]'}\n"                                                     \
    "    that: o.status == 'open'\n"                                                               \
    "    needs: ['ledger.orders[args.id]']\n"                                                      \
    "    say: 'Order {args.id} is {o.status}'\n"                                                   \
    "  early:\n"                                                                                   \
    "    tools: [ping]\n"                                                                          \
    "    that: now < timestamp('2023-11-15T00:00:00Z')\n"                                          \
    "    say: It is late\n"

// What a host does: a session, its place in the log, and a batch a message.
typedef struct host {
    char folder[128];
    char path[256];
    lg_store *store;
    lg_journal *journal;
    lg_pack *pack;
    lg_session *session;
    lg_journal_id law;
    lg_journal_id at;
    lg_error err;
    uint32_t turn;
    const char *conversation;
    bool sets_time;
    lg_time clock;
} host;

static void open_host(host *h, const char *rules)
{
    *h = (host){.pack = desk_pack(rules), .conversation = "talk"};
    lg_temp_folder(h->folder);
    lg_temp_path(h->path, sizeof(h->path), h->folder, "log.db");
    CHECK(lg_store_open(&(lg_store_options){.path = h->path}, &h->store, &h->err) == LG_OK);
    CHECK(lg_journal_new(h->store, &h->journal) == LG_OK);
    CHECK(lg_session_new(h->pack, NULL, &h->session) == LG_OK);
    lg_journal_law law = {.now = NOW, .pack = h->pack, .explain = LG_EXPLAIN_ALL};
    CHECK(lg_journal_add_law(h->journal, &law, &h->law, &h->err) == LG_OK);
    lg_journal_scope(h->journal, LG_STR("alice at /v1"), &h->at);
}

static void close_host(host *h)
{
    lg_session_free(h->session);
    lg_journal_free(h->journal);
    lg_store_close(h->store);
    lg_pack_free(h->pack);
    lg_temp_remove(h->folder);
}

static void tell(host *h, lg_journal_batch *batch, lg_event event)
{
    lg_journal_event told = {.event = event, .has_host_time = h->sets_time, .host_time = h->clock};
    if (h->sets_time) {
        lg_session_set_time(h->session, h->clock);
    }
    lg_status ignored = lg_observe(h->session, &event, NULL, NULL);
    (void)ignored;
    lg_journal_add_event(batch, &h->at, &told, &h->at);
}

static void told(void *context, const lg_store_receipt *receipt)
{
    lg_status *status = context;
    *status = receipt->status;
}

static void commit(host *h, lg_journal_batch *batch)
{
    lg_status status = LG_ERR_INTERNAL;
    uint64_t ticket = 0;
    CHECK(lg_journal_commit(batch, told, &status, &h->err) == LG_OK);
    lg_store_item last = {.kind = LG_STR("mark"), .time = NOW};
    CHECK(lg_store_append(h->store, &last, 1, NULL, NULL, &ticket, &h->err) == LG_OK);
    CHECK(lg_store_wait(h->store, ticket, &h->err) == LG_OK);
    CHECK(status == LG_OK);
}

// Proposes a call behind what was told, and puts the decision into the log.
static lg_verdict propose(host *h, lg_journal_batch *batch, const char *tool, const char *args,
                          lg_journal_id *ret_id)
{
    lg_event call = {.kind = LG_EVENT_CALL,
                     .has_turn = true,
                     .turn = ++h->turn,
                     .id = LG_STR("c"),
                     .tool = lg_str_c(tool),
                     .args = lg_str_c(args)};
    const lg_decision *decisions = NULL;
    if (h->sets_time) {
        lg_session_set_time(h->session, h->clock);
    }
    CHECK(lg_decide(h->session, &call, 1, &decisions, &h->err) == LG_OK);
    lg_verdict verdict = decisions[0].verdict;
    lg_journal_decision decision = {.conversation = lg_str_c(h->conversation),
                                    .about = LG_STR("{\"route\":\"/v1\"}"),
                                    .law = h->law,
                                    .last = h->at,
                                    .has_host_time = h->sets_time,
                                    .host_time = h->clock,
                                    .session = h->session,
                                    .proposed = &call,
                                    .count = 1,
                                    .decisions = decisions};
    lg_journal_add_decision(batch, &decision, ret_id);
    return verdict;
}

#define ONE "{\"id\": \"1\"}"
#define OPEN_ONE "{\"id\": \"1\", \"status\": \"open\", \"note\": \"private\"}"

static void read_order(host *h, lg_journal_batch *batch, const char *order)
{
    tell(h, batch,
         (lg_event){.kind = LG_EVENT_MESSAGE, .role = LG_ROLE_USER, .text = LG_STR("act, please")});
    tell(h, batch,
         (lg_event){.kind = LG_EVENT_CALL,
                    .has_turn = true,
                    .turn = ++h->turn,
                    .id = LG_STR("r"),
                    .tool = LG_STR("get_order"),
                    .args = LG_STR(ONE)});
    tell(h, batch, (lg_event){.kind = LG_EVENT_RESULT, .id = LG_STR("r"), .text = lg_str_c(order)});
}

// --- Deciding again -----------------------------------------------------------------------------

static lg_journal_check latest;
static char latest_now[512];

static void note(void *context, const lg_journal_check *check)
{
    (void)context;
    latest = *check;
    snprintf(latest_now, sizeof(latest_now), "%.*s",
             (int)(check->now.len < 500 ? check->now.len : 500),
             check->now.ptr ? check->now.ptr : "");
}

static lg_journal_counts again(host *h)
{
    lg_journal_counts counts = {0};
    lg_log *log = NULL;
    CHECK(lg_log_open(h->path, NULL, &log, &h->err) == LG_OK);
    CHECK(lg_journal_verify(log, lg_store_secret(h->store), 0, note, NULL, &counts, &h->err) ==
          LG_OK);
    lg_log_close(log);
    return counts;
}

static void decisions_are_the_same_again(void)
{
    host h;
    lg_journal_id id;
    open_host(&h, RULES);
    lg_journal_batch *batch = lg_journal_begin(h.journal, NOW);
    CHECK(propose(&h, batch, "act", ONE, &id) == LG_REVISE); // nothing was read
    read_order(&h, batch, OPEN_ONE);
    CHECK(propose(&h, batch, "act", ONE, &id) == LG_ALLOW);
    commit(&h, batch);
    batch = lg_journal_begin(h.journal, NOW);
    read_order(&h, batch, "{\"id\": \"1\", \"status\": \"shut\"}");
    CHECK(propose(&h, batch, "act", ONE, &id) == LG_REVISE);
    CHECK(propose(&h, batch, "act", "{not json", &id) == LG_REVISE);
    lg_journal_add_outcome(batch,
                           &(lg_journal_outcome){.decision = id, .kind = LG_OUTCOME_REMOVED});
    commit(&h, batch);
    lg_journal_counts counts = again(&h);
    CHECK(counts.decisions == 4 && counts.same == 4);
    close_host(&h);
}

static uint64_t count_records(host *h)
{
    lg_log *log = NULL;
    lg_log_head head = {0};
    CHECK(lg_log_open(h->path, NULL, &log, &h->err) == LG_OK);
    CHECK(lg_log_head_of(log, &head, &h->err) == LG_OK);
    lg_log_close(log);
    return head.sequence;
}

static void what_is_sent_again_is_kept_once(void)
{
    host h;
    open_host(&h, RULES);
    lg_journal_id begin = h.at;
    lg_journal_batch *batch = lg_journal_begin(h.journal, NOW);
    read_order(&h, batch, OPEN_ONE);
    lg_journal_id first = h.at;
    commit(&h, batch);
    uint64_t count = count_records(&h);
    h.at = begin;
    h.turn = 0;
    batch = lg_journal_begin(h.journal, NOW);
    read_order(&h, batch, OPEN_ONE);
    CHECK(memcmp(&h.at, &first, sizeof(first)) == 0);
    commit(&h, batch);
    CHECK(count_records(&h) == count + 1); // the mark
    h.at = begin;
    h.turn = 0;
    batch = lg_journal_begin(h.journal, NOW);
    read_order(&h, batch, "{\"id\": \"1\", \"status\": \"shut\"}"); // only the last is another one
    CHECK(memcmp(&h.at, &first, sizeof(first)) != 0);
    commit(&h, batch);
    CHECK(count_records(&h) == count + 3);
    close_host(&h);
}

static void the_clock_of_the_host_is_kept(void)
{
    host h;
    lg_journal_id id;
    open_host(&h, RULES);
    h.sets_time = true;
    h.clock = (lg_time){1700000000, 0}; // 2023-11-14
    lg_journal_batch *batch = lg_journal_begin(h.journal, NOW);
    CHECK(propose(&h, batch, "ping", "{}", &id) == LG_ALLOW);
    h.clock = (lg_time){1700010000, 0}; // 2023-11-15
    CHECK(propose(&h, batch, "ping", "{}", &id) == LG_REVISE);
    commit(&h, batch);
    lg_journal_counts counts = again(&h);
    CHECK(counts.decisions == 2 && counts.same == 2);
    close_host(&h);
}

// A conversation in which all kinds of events are told in all ways, bytes that are no text among them.
static void events_are_kept_as_they_were_told(void)
{
    host h;
    lg_journal_id id;
    open_host(&h, RULES);
    lg_json args = lg_json_make_object(NULL, 0);
    lg_journal_batch *batch = lg_journal_begin(h.journal, NOW);
    tell(&h, batch,
         (lg_event){
             .kind = LG_EVENT_MESSAGE, .role = LG_ROLE_SYSTEM, .text = LG_STR("be\0careful\xff")});
    tell(&h, batch,
         (lg_event){.kind = LG_EVENT_CALL,
                    .id = LG_STR("u"),
                    .role = LG_ROLE_USER,
                    .tool = LG_STR("toggle"),
                    .json = &args});
    tell(&h, batch, (lg_event){.kind = LG_EVENT_ERROR, .id = LG_STR("u"), .text = LG_STR("no")});
    tell(&h, batch,
         (lg_event){.kind = LG_EVENT_RESULT,
                    .has_time = true,
                    .time = {1, 2},
                    .tool = LG_STR("get_order"),
                    .args = LG_STR(ONE),
                    .text = LG_STR(OPEN_ONE)});
    tell(&h, batch,
         (lg_event){.kind = LG_EVENT_RESULT, .id = LG_STR("nobody's"), .text = LG_STR("x")});
    tell(&h, batch,
         (lg_event){.kind = LG_EVENT_MESSAGE,
                    .has_time = true,
                    .time = {INT64_MAX, 5},
                    .text = LG_STR("")});
    tell(&h, batch,
         (lg_event){.kind = LG_EVENT_CALL,
                    .id = LG_STR("\xc3\x28"),
                    .tool = LG_STR("ping"),
                    .args = LG_STR("{}"),
                    .json = &args});
    CHECK(propose(&h, batch, "act", ONE, &id) == LG_ALLOW);
    commit(&h, batch);
    lg_journal_counts counts = again(&h);
    CHECK_MSG(counts.decisions == 1 && counts.same == 1, latest.why);
    close_host(&h);
}

// --- Redaction ----------------------------------------------------------------------------------

static void a_redacted_conversation_is_not_decided_again(void)
{
    host h;
    lg_journal_id id;
    open_host(&h, RULES);
    lg_journal_batch *batch = lg_journal_begin(h.journal, NOW);
    read_order(&h, batch, OPEN_ONE);
    propose(&h, batch, "act", ONE, &id);
    lg_journal_add_outcome(batch,
                           &(lg_journal_outcome){.decision = id, .kind = LG_OUTCOME_DELIVERED});
    commit(&h, batch);
    lg_log *log = NULL;
    lg_arena arena;
    lg_journal_selection selection = {0};
    lg_arena_init(&arena, 0);
    CHECK(lg_log_open(h.path, NULL, &log, &h.err) == LG_OK);
    CHECK(lg_journal_select_conversation(log, LG_STR("other"), &arena, &selection, &h.err) ==
          LG_OK);
    CHECK(selection.count == 0);
    CHECK(lg_journal_select_conversation(log, LG_STR("talk"), &arena, &selection, &h.err) == LG_OK);
    CHECK(selection.count == 5 && selection.decisions == 1); // 3 events, decision, outcome
    lg_log_close(log);
    size_t count = 0;
    CHECK(lg_store_redact(
              h.store,
              &(lg_store_redaction){
                  .sequences = &selection.sequences[1], .count = 1, .why = LG_STR(""), .now = NOW},
              &count, &h.err) == LG_OK &&
          count == 1);
    lg_journal_counts counts = again(&h);
    CHECK(counts.not_executable == 1 && counts.different == 0 && counts.broken == 0);
    CHECK(lg_store_redact(h.store,
                          &(lg_store_redaction){.sequences = selection.sequences,
                                                .count = selection.count,
                                                .why = LG_STR(""),
                                                .now = NOW},
                          &count, &h.err) == LG_OK &&
          count == 4);
    counts = again(&h);
    CHECK(counts.not_executable == 1 && counts.decisions == 1);
    lg_arena_done(&arena);
    close_host(&h);
}

// Two conversations that begin alike: what both stand on stays when one is taken out, and what was said behind its last
// decision goes with it.
static void what_others_stand_on_stays(void)
{
    host h;
    lg_journal_id id;
    open_host(&h, RULES);
    lg_journal_batch *batch = lg_journal_begin(h.journal, NOW);
    tell(&h, batch,
         (lg_event){.kind = LG_EVENT_MESSAGE, .role = LG_ROLE_SYSTEM, .text = LG_STR("be good")});
    lg_journal_id both = h.at;
    read_order(&h, batch, OPEN_ONE);
    propose(&h, batch, "act", ONE, &id);
    tell(&h, batch,
         (lg_event){.kind = LG_EVENT_MESSAGE, .role = LG_ROLE_USER, .text = LG_STR("thanks")});
    h.at = both;
    h.turn = 0;
    h.conversation = "other";
    lg_session_reset(h.session);
    lg_status ignored = lg_observe(
        h.session, &(lg_event){.role = LG_ROLE_SYSTEM, .text = LG_STR("be good")}, NULL, NULL);
    (void)ignored;
    read_order(&h, batch, "{\"id\": \"1\", \"status\": \"shut\"}");
    propose(&h, batch, "act", ONE, &id);
    commit(&h, batch);
    lg_journal_counts counts = again(&h);
    CHECK(counts.same == 2);
    lg_log *log = NULL;
    lg_arena arena;
    lg_journal_selection selection = {0};
    size_t count = 0;
    lg_arena_init(&arena, 0);
    CHECK(lg_log_open(h.path, NULL, &log, &h.err) == LG_OK);
    CHECK(lg_journal_select_conversation(log, LG_STR("talk"), &arena, &selection, &h.err) == LG_OK);
    CHECK(selection.shared == 3 && selection.count == 3 && selection.decisions == 1);
    lg_log_close(log);
    CHECK(lg_store_redact(h.store,
                          &(lg_store_redaction){.sequences = selection.sequences,
                                                .count = selection.count,
                                                .why = LG_STR(""),
                                                .now = NOW},
                          &count, &h.err) == LG_OK);
    counts = again(&h);
    CHECK(counts.same == 1 && counts.not_executable == 1);
    lg_arena_done(&arena);
    close_host(&h);
}

// --- Differences --------------------------------------------------------------------------------

// Writes a decision of which `from` was made `to`, as if the log had always said so.
static void falsify(host *h, const char *from, const char *to)
{
    lg_log *log = NULL;
    lg_log_record record;
    lg_arena arena;
    lg_arena_init(&arena, 0);
    CHECK(lg_log_open(h->path, NULL, &log, &h->err) == LG_OK);
    CHECK(lg_log_next(log, 1, LG_STR("decision"), &record, &h->err) == LG_OK);
    size_t at = lg_str_find(record.body, lg_str_c(from));
    if (CHECK_MSG(at != SIZE_MAX, from)) {
        lg_str body =
            lg_arena_printf(&arena, "%.*s%s%.*s", (int)at, record.body.ptr, to,
                            LG_FMT(lg_str_slice(record.body, at + strlen(from), record.body.len)));
        uint64_t ticket = 0;
        lg_store_item item = {.kind = LG_STR("decision"), .time = NOW, .body = body};
        CHECK(lg_store_append(h->store, &item, 1, NULL, NULL, &ticket, &h->err) == LG_OK);
        CHECK(lg_store_wait(h->store, ticket, &h->err) == LG_OK);
    }
    lg_log_close(log);
    lg_arena_done(&arena);
}

static void the_first_difference_is_told(void)
{
    static const struct {
        const char *from, *to, *why;
    } cases[] = {
        {"\"verdict\":\"allow\"", "\"verdict\":\"block\"", "decisions/0/verdict differs"},
        {"\"gated\":true,", "", "decisions/0/gated differs"},
        {"\"gated\":true,", "\"gated\":true,\"more\":1,", "decisions/0/more differs"},
        {"\"gated\":true", "\"gated\": true", "decisions differs in how it is written"},
        {"\"ledger\":\"", "\"ledger\":\"0", "ledger differs"},
    };
    host h;
    lg_journal_id id;
    open_host(&h, RULES);
    lg_journal_batch *batch = lg_journal_begin(h.journal, NOW);
    read_order(&h, batch, OPEN_ONE);
    CHECK(propose(&h, batch, "act", ONE, &id) == LG_ALLOW);
    commit(&h, batch);
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        falsify(&h, cases[i].from, cases[i].to);
        lg_journal_counts counts = again(&h);
        CHECK(counts.same == 1 && counts.different == i + 1 &&
              latest.agreement == LG_JOURNAL_DIFFERENT);
        CHECK_STR(lg_str_c(latest.why), cases[i].why);
    }
    close_host(&h);
}

static void what_is_no_payload_is_broken(void)
{
    static const struct {
        const char *from, *to;
    } cases[] = {
        {"{\"conversation\"", "{{\"conversation\""},
        {"\"law\":\"", "\"law\":\"0"},
        {"\"last\":\"", "\"lost\":\""},
        {"\"proposed\":[", "\"proposed\":[1,"},
        {"\"decisions\":[", "\"decisions\":[1,"},
        {"\"decisions\":", "\"decision\":"},
        {"\"kind\":\"call\"", "\"kind\":\"cold\""},
    };
    host h;
    lg_journal_id id;
    open_host(&h, RULES);
    lg_journal_batch *batch = lg_journal_begin(h.journal, NOW);
    CHECK(propose(&h, batch, "act", ONE, &id) == LG_REVISE);
    commit(&h, batch);
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        falsify(&h, cases[i].from, cases[i].to);
        lg_journal_counts counts = again(&h);
        CHECK_MSG(counts.same == 1 && counts.broken == i + 1, cases[i].to);
    }
    close_host(&h);
}

// --- Memory -------------------------------------------------------------------------------------

// Whatever cannot be done again says that memory ran out; loading a pack says so in words alone.
static void check_memory(void *context, const lg_journal_check *check)
{
    size_t *odd = context;
    *odd += check->agreement != LG_JOURNAL_SAME && !strstr(check->why, "memory");
}

// The n-th allocation and all later ones fail: nothing is written then, and the log goes on.
static void running_out_of_memory_writes_nothing(void)
{
    host h;
    lg_journal_id id;
    size_t failed = 0;
    open_host(&h, RULES);
    lg_journal_id begin = h.at;
    for (uint64_t n = 1; n < 60; n++) {
        h.at = begin;
        lg_session_reset(h.session);
        lg_event call = {
            .kind = LG_EVENT_CALL, .id = LG_STR("c"), .tool = LG_STR("act"), .args = LG_STR(ONE)};
        const lg_decision *decisions = NULL;
        CHECK(lg_decide(h.session, &call, 1, &decisions, &h.err) == LG_OK);
        lg_alloc_fail_at(n);
        lg_journal_batch *batch = lg_journal_begin(h.journal, NOW);
        lg_journal_event told = {.event = {.kind = LG_EVENT_MESSAGE, .text = LG_STR("hello")}};
        lg_journal_add_event(batch, &h.at, &told, &h.at);
        lg_journal_decision decision = {.law = h.law,
                                        .last = h.at,
                                        .session = h.session,
                                        .proposed = &call,
                                        .count = 1,
                                        .decisions = decisions};
        lg_journal_add_decision(batch, &decision, &id);
        lg_status status = lg_journal_commit(batch, NULL, NULL, &h.err);
        lg_alloc_fail_at(0);
        CHECK(status == LG_OK || status == LG_ERR_OOM);
        failed += status != LG_OK;
    }
    CHECK(failed > 3);
    commit(&h, lg_journal_begin(h.journal, NOW));
    lg_journal_counts counts = again(&h);
    CHECK(counts.decisions == 59 - failed && counts.same == counts.decisions);
    lg_log *log = NULL;
    CHECK(lg_log_open(h.path, NULL, &log, &h.err) == LG_OK);
    for (uint64_t n = 1; n < 400; n += 3) {
        lg_alloc_fail_at(n);
        size_t odd = 0;
        lg_status status = lg_journal_verify(log, lg_store_secret(h.store), 0, check_memory, &odd,
                                             &counts, &h.err);
        lg_alloc_fail_at(0);
        CHECK((status == LG_ERR_OOM || status == LG_OK) && odd == 0 && counts.different == 0);
    }
    lg_log_close(log);
    close_host(&h);
}

int main(void)
{
    RUN(decisions_are_the_same_again);
    RUN(what_is_sent_again_is_kept_once);
    RUN(the_clock_of_the_host_is_kept);
    RUN(events_are_kept_as_they_were_told);
    RUN(a_redacted_conversation_is_not_decided_again);
    RUN(what_others_stand_on_stays);
    RUN(the_first_difference_is_told);
    RUN(what_is_no_payload_is_broken);
    RUN(running_out_of_memory_writes_nothing);
    return lg_test_done();
}
