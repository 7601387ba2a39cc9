// fuzz_conversation.c: rules and events from any bytes. A pack with the text as its conversation is
// refused or runs; then for any course of events judging finds what observing finds and changes
// nothing, an event's work stays under a bound that follows from the pack alone, and a second run
// says the same. A session goes through the same events under the laws of drive.h.
#include "conversation/conversation.h"
#include "drive.h"
#include "judge_event.h"

static void require(bool holds)
{
    if (!holds) {
        __builtin_trap();
    }
}

static const char head[] =
    "pack: desk\nversion: '1'\nledger: {orders.*: {type: object}}\ntools:\n"
    "  look:\n"
    "    kind: read\n"
    "    parameters: {type: object, properties: {id: {type: string}}}\n"
    "    stores: [{at: 'orders[args.id]'}]\n"
    "  pay: {kind: write, parameters: {type: object, properties: {id: {type: string}}}}\n"
    "  boot: {kind: write, requestor: user, parameters: {type: object}}\n"
    "rules:\n"
    "  known:\n"
    "    tools: [pay]\n"
    "    that: ledger.orders[args.id] == args\n"
    "    needs: ['ledger.orders[args.id]']\n"
    "    say: '{args.id}'\n"
    "conversation:\n";

// The steps an event may cost: each pattern, signal and key once or a few times.
static uint64_t most_work(const lg_course *course)
{
    uint64_t parts = course->ends.count;
    for (size_t i = 0; i < course->signal_count; i++) {
        parts += course->signals[i].of.count + course->signals[i].until.count;
    }
    for (size_t i = 0; i < course->rule_count; i++) {
        const lg_course_rule *rule = &course->rules[i];
        parts += rule->opens.count + rule->judged.count + rule->closes.count;
    }
    return parts + 12 * course->signal_count +
           course->rule_count * (1 + 4 * (uint64_t)LG_CONVERSATION_KEYS_MAX);
}

static const char *const tools[] = {"look", "pay", "boot", "none"};

static lg_conversation_event event_of(const lg_pack *pack, uint8_t byte, const lg_json *args[4])
{
    lg_event_kind kind = (lg_event_kind)(byte & 3);
    return (lg_conversation_event){.kind = kind,
                                   .role = byte & 4 ? LG_ROLE_USER : LG_ROLE_AGENT,
                                   .has_turn = (byte & 0x60) != 0x60,
                                   .turn = byte >> 5,
                                   .tool = lg_str_c(tools[byte >> 3 & 3]),
                                   .args = args[byte >> 5 & 3],
                                   .text = LG_STR("{\"yes\": 1}"),
                                   .ledger = pack->ledger.root,
                                   .has_time = byte != 0xFF,
                                   .time = {byte, 0}};
}

// The event as if it had come, and then it has not: afterwards all is as it was.
static void try_event(lg_conversation *c, const lg_conversation_event *event, lg_arena *scratch,
                      bool tidy)
{
    lg_conversation_state before = c->state;
    lg_conversation_state *const snapshots[] = {&before};
    (void)!lg_conversation_observe(c, event, scratch, NULL, NULL);
    if (tidy) {
        (void)lg_conversation_tidy_now(c, snapshots, 1);
    }
    c->state = before;
}

// A number that the whole course of events decides.
static uint64_t run(const lg_pack *pack, const uint8_t *bytes, size_t count)
{
    lg_conversation c;
    lg_arena scratch, texts;
    uint64_t sum = 0;
    lg_arena_init(&scratch, 0);
    lg_arena_init(&texts, 0);
    lg_conversation_init(&c, pack, NULL);
    const lg_json *args[4] = {NULL};
    static const char *const objects[] = {"{\"id\": \"a\"}", "{\"id\": \"b\"}", "{}"};
    for (size_t i = 0; i < LG_COUNT(objects); i++) {
        lg_str text = lg_str_c(objects[i]);
        require(lg_json_parse_in(&texts, text, 0, text.len, NULL, &args[i], NULL) == LG_OK);
    }
    for (size_t i = 0; i < count && i < 300; i++) {
        lg_conversation_findings judged, found;
        lg_conversation_event event = event_of(pack, bytes[i], args);
        lg_arena_reset(&scratch);
        require(judge_event(&c, &event, &scratch, &judged) == LG_OK);
        try_event(&c, &event, &scratch, bytes[i] % 16 == 7);
        uint64_t before = c.work;
        lg_status seen = lg_conversation_observe(&c, &event, &scratch, &found, NULL);
        require(c.work - before <= most_work(pack->course));
        if (seen == LG_ERR_LIMIT) { // from now on nothing is known
            require(judge_event(&c, &event, &scratch, &judged) == LG_OK);
            require(c.state.lost && judged.lost && judged.unfinished.ptr);
            break;
        }
        require(seen == LG_OK);
        require(judged.unfinished.ptr ||
                (judged.count == found.count && judged.undecided == found.undecided));
        for (size_t f = 0; f < found.count; f++) {
            require(found.items[f].message.len > 0);
            sum = sum * 31 + found.items[f].message.len + i;
        }
    }
    const lg_obligation *owed;
    size_t owed_count;
    require(lg_conversation_owed(&c, &scratch, &owed, &owed_count, NULL) == LG_OK);
    lg_conversation_done(&c);
    lg_arena_done(&scratch);
    lg_arena_done(&texts);
    return sum * 31 + owed_count;
}

// The names of rules and signals in turn: ids that the fuzzer makes as long as it likes.
static lg_str name_in(const lg_course *course, size_t index)
{
    size_t count = course->rule_count + course->signal_count;
    size_t at = count ? index % count : 0;
    return !count                    ? LG_STR("none")
           : at < course->rule_count ? course->rules[at].id
                                     : course->signals[at - course->rule_count].name;
}

static lg_str args_text(const lg_pack *pack, uint8_t byte, size_t index, lg_arena *arena)
{
    lg_str name = name_in(pack->course, index);
    switch (byte >> 5 & 3) {
    case 0:
        return LG_STR("{\"id\": \"a\"}");
    case 1:
        return LG_STR("{}");
    default:
        return lg_arena_printf(arena, "{\"id\": \"%.*s\"}", LG_FMT(name));
    }
}

static void drive_course(const lg_pack *pack, const uint8_t *bytes, size_t count)
{
    lg_session *session;
    lg_arena arena;
    lg_limits limits = {.memory_bytes = (size_t)64 << 20, .cel_cost = 10000, .ledger_entries = 50};
    require(lg_session_new(pack, &limits, &session) == LG_OK);
    lg_arena_init(&arena, 0);
    for (size_t i = 0; i < count && i < 50; i++) {
        lg_str args = args_text(pack, bytes[i], i, &arena);
        lg_event event = {.kind = (lg_event_kind)(bytes[i] & 3),
                          .role = bytes[i] & 4 ? LG_ROLE_USER : LG_ROLE_AGENT,
                          .has_turn = true,
                          .turn = (uint32_t)i,
                          .text = args};
        if (event.kind == LG_EVENT_MESSAGE) {
            drive_hear(session, &event);
            continue;
        }
        event.kind = event.kind == LG_EVENT_ERROR ? LG_EVENT_ERROR : LG_EVENT_RESULT;
        event.tool = lg_str_c(tools[bytes[i] >> 3 & 3]);
        event.args = args;
        drive_call(session, &event);
    }
    drive_end(session);
    lg_session_free(session);
    lg_arena_done(&arena);
}

// The text, then a zero byte, then a byte an event.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t split = 0;
    while (split < size && data[split] != 0) {
        split++;
    }
    lg_buf yaml;
    lg_buf_init(&yaml, 0);
    lg_buf_add_c(&yaml, head);
    lg_buf_add(&yaml, (lg_str){(const char *)data, split});
    lg_limits limits = {
        .document_bytes = (size_t)32 << 20, .memory_bytes = (size_t)32 << 20, .cel_cost = 10000};
    lg_pack *pack = NULL;
    lg_error error;
    size_t errors = 0;
    lg_status status =
        lg_pack_load_text(lg_buf_str(&yaml), "fuzz", &limits, &pack, &error, 1, &errors);
    require((status == LG_OK) == (errors == 0));
    if (status == LG_OK && pack->course) {
        size_t from = split < size ? split + 1 : size;
        require(run(pack, data + from, size - from) == run(pack, data + from, size - from));
        drive_course(pack, data + from, size - from);
    }
    lg_pack_free(pack);
    lg_buf_done(&yaml);
    return 0;
}
