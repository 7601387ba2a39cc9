// fuzz_journal.c: payloads of a log that anybody may have written. The first byte chooses the kind.
//
// Laws: what is read as an event is written again as something that reads the same; a session takes it in or refuses it; a
// law gives a pack or an error; a redaction's runs grow in nothing but what they say.
#include "drive.h"

#include "base/alloc.h"
#include "journal/journal_internal.h"
#include "store/store_internal.h"

static const char pack_text[] =
    "pack: desk\nversion: '1'\nledger: {orders.*: {type: object}}\ntools:\n"
    "  look:\n"
    "    kind: read\n"
    "    parameters: {type: object, properties: {id: {type: string}}}\n"
    "    stores: [{at: 'orders[args.id]'}]\n"
    "  pay: {kind: write, parameters: {type: object, properties: {id: {type: string}}}}\n"
    "rules:\n"
    "  known:\n"
    "    tools: [pay]\n"
    "    that: ledger.orders[args.id] == args\n"
    "    needs: ['ledger.orders[args.id]']\n"
    "    say: '{args.id}'\n";

static lg_session *session(void)
{
    static lg_pack *pack;
    static lg_session *one;
    lg_error error;
    size_t count;
    if (!pack) {
        drive_require(lg_pack_load_text(lg_str_c(pack_text), "desk", NULL, &pack, &error, 1,
                                        &count) == LG_OK);
        drive_require(lg_session_new(pack, NULL, &one) == LG_OK);
    }
    lg_session_reset(one);
    return one;
}

static lg_str written(lg_arena *arena, const read_event *event)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_json_writer w = {.out = &text};
    lg_journal_id said;
    write_event(&w, LG_STR("a secret"), &event->previous, &event->told, &said);
    drive_require(lg_buf_status(&text) == LG_OK);
    lg_str copy = lg_arena_str(arena, lg_buf_str(&text));
    lg_buf_done(&text);
    return copy;
}

static void try_event(lg_arena *arena, lg_str body)
{
    read_event event = {0};
    read_event again = {0};
    if (read_event_body(arena, body, &event, NULL) != LG_OK) {
        return;
    }
    lg_str first = written(arena, &event);
    drive_require(read_event_body(arena, first, &again, NULL) == LG_OK);
    drive_require(lg_str_eq(first, written(arena, &again)));
    lg_status ignored = lg_observe(session(), &event.told.event, NULL, NULL);
    (void)ignored;
}

static void try_law(lg_arena *arena, lg_str body)
{
    read_law law = {0};
    lg_pack *pack = NULL;
    lg_error error;
    size_t count;
    if (read_law_body(arena, body, &law, NULL) == LG_OK &&
        lg_pack_load_text(law.text, "law", &law.limits, &pack, &error, 1, &count) == LG_OK) {
        lg_pack_free(pack);
    }
}

static void try_decision(lg_arena *arena, lg_str body)
{
    read_decision decision;
    const lg_decision *decisions;
    if (read_decision_body(arena, body, &decision, NULL) != LG_OK) {
        return;
    }
    drive_require(!decision.decisions || lg_str_starts(decision.reports, LG_STR("[")));
    if (lg_decide(session(), decision.proposed, decision.count, &decisions, NULL) == LG_OK) {
        for (size_t i = 0; i < decision.count; i++) {
            drive_check_decision(&decisions[i]);
        }
    }
}

static void count_run(void *context, uint64_t from, uint64_t to)
{
    size_t *runs = context;
    drive_require(from > 0 && from <= to);
    ++*runs;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lg_arena arena;
    lg_journal_id id;
    size_t runs = 0;
    if (size == 0) {
        return 0;
    }
    lg_arena_init(&arena, (size_t)64 << 20);
    lg_str body = lg_arena_str(&arena, (lg_str){(const char *)data + 1, size - 1});
    switch (data[0] % 5) {
    case 0:
        try_law(&arena, body);
        break;
    case 1:
        try_event(&arena, body);
        break;
    case 2:
        try_decision(&arena, body);
        break;
    case 3:
        (void)!read_outcome_body(&arena, body, &id, NULL);
        break;
    case 4:
        (void)store_read_redaction(&arena, body, count_run, &runs);
        break;
    }
    lg_arena_done(&arena);
    return 0;
}
