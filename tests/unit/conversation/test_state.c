// test_state.c: the state is a value: snapshots, failures that leave it alone, memory that comes back.
#include "course_fixture.h"

#include "base/alloc.h"

#define RULES                                                                                      \
    "  ends: transfer\n"                                                                           \
    "  single_call_per_turn: {otherwise: report}\n"                                                \
    "  signals:\n"                                                                                 \
    "    n: {count: {call: pay}, within: {events: 100000}}\n"                                      \
    "    m: {count: {call: any}, within: {seconds: 100}}\n"                                        \
    "    s: {since: {result: look}, until: {result: pay}}\n"                                       \
    "  rules:\n"                                                                                   \
    "    never: {never: {from: {call: pay, key: args.id}, to: {call: cancel, key: args.id}}}\n"    \
    "    after: {after: {result: cancel, key: args.id}, must: {result: refund, key: args.id},"     \
    " within: {events: 6}}\n"                                                                      \
    "    that: {that: 's || n < 3 || m < 2', at: pay}\n"

#define BEFORE "@5 look(1) pay(1) @3 cancel(2) u:hi a:so"
#define ONE_WAY "pay(3) +cancel(1) look(2) u:a u:b refund(2) @ pay(4) pay(5) transfer"
#define OTHER_WAY "refund(2) cancel(1) @200 pay(7) cancel(7) pay(8) look(1) transfer"

// What is found and owed on the way.
static lg_str played(course_run *r, const char *words)
{
    lg_str found = {0};
    course_play(r, words);
    found = lg_arena_str(&r->arena, course_outcome(r));
    lg_buf_done(&r->said);
    lg_buf_init(&r->said, 0);
    return found;
}

// The fixture's own part of where the conversation stands.
typedef struct place {
    lg_conversation_state state;
    bool timed;
    int64_t seconds;
    uint32_t turn;
    size_t words;
} place;

static place here(const course_run *r)
{
    return (place){r->c.state, r->timed, r->seconds, r->turn, r->words};
}

static void go_back(course_run *r, const place *to)
{
    r->c.state = to->state;
    r->timed = to->timed;
    r->seconds = to->seconds;
    r->turn = to->turn;
    r->words = to->words;
}

static lg_str afresh(const char *words)
{
    static char text[512];
    course_run r;
    course_begin(&r, RULES);
    (void)played(&r, BEFORE);
    lg_str found = played(&r, words);
    snprintf(text, sizeof(text), "%.*s", LG_FMT(found));
    course_end(&r);
    return lg_str_c(text);
}

static void a_fork_leads_where_the_same_events_lead_afresh(void)
{
    course_run r;
    course_begin(&r, RULES);
    (void)played(&r, BEFORE);
    place before = here(&r);
    CHECK(afresh(ONE_WAY).len > 20 && afresh(OTHER_WAY).len > 20);
    for (int i = 0; i < 3; i++) {
        lg_conversation_state *const snapshots[] = {&before.state};
        CHECK_STR(played(&r, ONE_WAY), afresh(ONE_WAY).ptr);
        if (i > 0) {
            (void)lg_conversation_tidy_now(&r.c, snapshots, 1);
        }
        go_back(&r, &before);
        CHECK_STR(played(&r, OTHER_WAY), afresh(OTHER_WAY).ptr);
        go_back(&r, &before);
    }
    course_end(&r);
}

// Two futures write behind the same beginning, each without being seen by the other.
static void two_futures_do_not_meet(void)
{
    course_run r;
    course_begin(&r, RULES);
    (void)played(&r, BEFORE);
    place one = here(&r);
    place other = here(&r);
    static const char *const words[][2] = {
        {"pay(3)", "refund(2)"}, {"pay(4)", "cancel(1)"}, {"u:a", "pay(9)"}, {"pay(5)", "pay(8)"}};
    lg_buf both[2];
    lg_buf_init(&both[0], 0);
    lg_buf_init(&both[1], 0);
    for (size_t i = 0; i < 2 * LG_COUNT(words); i++) {
        place *mine = i % 2 ? &other : &one;
        lg_conversation_state *const snapshots[] = {&one.state, &other.state};
        go_back(&r, mine);
        lg_str found = played(&r, words[i / 2][i % 2]);
        lg_buf_addf(&both[i % 2], "%.*s|", LG_FMT(found));
        *mine = here(&r);
        (void)lg_conversation_tidy_now(&r.c, snapshots, 2);
    }
    for (size_t way = 0; way < 2; way++) {
        course_run alone;
        lg_buf found;
        lg_buf_init(&found, 0);
        course_begin(&alone, RULES);
        (void)played(&alone, BEFORE);
        for (size_t i = 0; i < LG_COUNT(words); i++) {
            lg_str one_found = played(&alone, words[i][way]);
            lg_buf_addf(&found, "%.*s|", LG_FMT(one_found));
        }
        lg_buf_add_byte(&found, '\0');
        CHECK_STR(lg_buf_str(&both[way]), found.ptr);
        lg_buf_done(&found);
        lg_buf_done(&both[way]);
        course_end(&alone);
    }
    course_end(&r);
}

// The places behind a count's positions belong to whoever writes there first.
static void what_another_future_counts_is_not_counted(void)
{
    course_run r;
    course_begin(&r, "  signals: {n: {count: {call: pay}, within: {seconds: 10}}}\n"
                     "  rules: {r: {that: n <= 1, at: pay}}\n");
    (void)played(&r, "@1 pay");
    place before = here(&r);
    CHECK_STR(played(&r, "@50 pay"), "");
    place after = here(&r);
    go_back(&r, &before);
    CHECK_STR(played(&r, "@100 pay"), "");
    go_back(&r, &after);
    CHECK_STR(played(&r, "@45 pay"), "");
    CHECK_STR(played(&r, "@5 pay"), "4:r");
    course_end(&r);
}

// --- Failures -----------------------------------------------------------------------------------

static lg_conversation_event call_of(course_run *r, const char *tool, const char *args)
{
    return (lg_conversation_event){.kind = LG_EVENT_CALL,
                                   .role = LG_ROLE_AGENT,
                                   .has_turn = true,
                                   .turn = 1000,
                                   .tool = lg_str_c(tool),
                                   .args = fixture_json(&r->arena, args),
                                   .ledger = r->pack->ledger.root};
}

// Whichever allocation fails, the state is what it was, and the event can be observed again.
static void without_memory_the_state_is_as_it_was(void)
{
    course_run r;
    uint64_t failed = 0;
    course_begin(&r, RULES);
    (void)played(&r, BEFORE);
    for (uint32_t i = 0; i < 2000; i++) { // until chunks run out now and then
        lg_str args = lg_arena_printf(&r.arena, "{\"id\": \"%u\"}", i % 7);
        lg_conversation_event event = call_of(&r, i % 3 ? "pay" : "cancel", args.ptr);
        lg_conversation_state before = r.c.state;
        lg_arena_done(&r.scratch);
        for (uint64_t n = 1; n < 50; n++) {
            lg_alloc_fail_at(n);
            lg_status status = lg_conversation_observe(&r.c, &event, &r.scratch, NULL, NULL);
            lg_alloc_fail_at(0);
            if (status == LG_OK) {
                break;
            }
            failed++;
            CHECK(status == LG_ERR_OOM && !r.c.state.lost);
            CHECK(memcmp(&before, &r.c.state, sizeof(before)) == 0);
            lg_arena_done(&r.scratch);
        }
        CHECK(r.c.state.events == before.events + 1);
    }
    printf("%llu failures\n", (unsigned long long)failed);
    CHECK(failed > 2000);
    course_end(&r);
}

// Where the steps end nothing is known any more; a snapshot of before is not concerned.
static void without_steps_the_state_is_lost(void)
{
    course_run r;
    lg_conversation_findings found;
    lg_error error;
    course_begin(&r, RULES);
    (void)played(&r, BEFORE);
    lg_conversation_state before = r.c.state;
    lg_conversation_event event = call_of(&r, "pay", "{\"id\": \"1\"}");
    uint64_t steps = r.c.limits.observe_steps;
    r.c.limits.observe_steps = 3;
    CHECK(lg_conversation_observe(&r.c, &event, &r.scratch, NULL, &error) == LG_ERR_LIMIT);
    r.c.limits.observe_steps = steps;
    CHECK(r.c.state.lost && r.c.state.events == before.events);
    CHECK(judge_event(&r.c, &event, &r.scratch, &found) == LG_OK);
    CHECK(found.lost && found.unfinished.len > 0);
    CHECK(lg_conversation_observe(&r.c, &event, &r.scratch, NULL, &error) == LG_ERR_LIMIT);
    r.c.state = before;
    CHECK(judge_event(&r.c, &event, &r.scratch, &found) == LG_OK);
    CHECK(!found.lost && !found.unfinished.ptr);
    CHECK(lg_conversation_observe(&r.c, &event, &r.scratch, NULL, &error) == LG_OK);
    course_end(&r);
}

// --- Memory -------------------------------------------------------------------------------------

// The most that the states took while `events` calls of a few keys came, with `kept` snapshots.
static size_t most_bytes(uint32_t events, size_t kept)
{
    course_run r;
    lg_quota quota = {.limit_bytes = (size_t)4 << 20};
    lg_conversation_state states[4];
    lg_conversation_state *snapshots[4];
    size_t most = 0;
    course_begin(&r, RULES);
    lg_conversation_share(&r.c, &quota);
    for (size_t i = 0; i < kept; i++) {
        states[i] = r.c.state;
        snapshots[i] = &states[i];
    }
    for (uint32_t i = 0; i < events; i++) {
        lg_arena_reset(&r.arena);
        lg_arena_reset(&r.scratch);
        lg_str args = lg_arena_printf(&r.arena, "{\"id\": \"%u\"}", i % 50);
        lg_conversation_event event = call_of(&r, i % 3 ? "pay" : "look", args.ptr);
        event.turn = i;
        lg_conversation_tidy(&r.c, snapshots, kept);
        if (lg_conversation_observe(&r.c, &event, &r.scratch, NULL, NULL) != LG_OK) {
            CHECK_MSG(false, "an event is observed");
        }
        if (kept) {
            states[i % kept] = r.c.state;
        }
        most = quota.held_bytes > most ? quota.held_bytes : most;
    }
    course_end(&r);
    return most;
}

static void memory_does_not_grow_with_the_conversation(void)
{
    for (size_t kept = 0; kept <= 4; kept += 4) {
        size_t few = most_bytes(4000, kept);
        size_t many = most_bytes(40000, kept);
        printf("at most %zu bytes over 4,000 events, %zu over 40,000, with %zu snapshots\n", few,
               many, kept);
        CHECK(few > 0 && many <= few + few / 2);
    }
}

int main(void)
{
    RUN(a_fork_leads_where_the_same_events_lead_afresh);
    RUN(two_futures_do_not_meet);
    RUN(what_another_future_counts_is_not_counted);
    RUN(without_memory_the_state_is_as_it_was);
    RUN(without_steps_the_state_is_lost);
    RUN(memory_does_not_grow_with_the_conversation);
    return lg_test_done();
}
