// fuzz_pack.c: any text as a pack. It is refused with an error that says something and points into
// the text, or it loads; then it loads a second time with the same hash, its ledger begins empty,
// and a session of it judges a call of each of its tools without arguments, one in which each
// argument has its own name for a value, and those that stand behind a NUL byte, one a line.
#include "drive.h"
#include "gate/gate.h"

static void require(bool holds)
{
    if (!holds) {
        __builtin_trap();
    }
}

static lg_pack *load(lg_str text)
{
    // Small ceilings, so that they are reached.
    lg_limits limits = {.json_depth = 32,
                        .document_bytes = (size_t)32 << 20,
                        .memory_bytes = (size_t)32 << 20,
                        .error_count = 5,
                        .cel_bytes = 2000,
                        .cel_depth = 50,
                        .cel_cost = 10000};
    lg_pack *pack = NULL;
    lg_error errors[5];
    size_t count = 0;
    lg_status status = lg_pack_load_text(text, "fuzz", &limits, &pack, errors, 5, &count);
    require((status == LG_OK) == (pack != NULL) && (status == LG_OK) == (count == 0));
    for (size_t i = 0; i < count && i < 5; i++) {
        drive_check_text(lg_str_c(errors[i].msg));
        require(errors[i].status != LG_OK && errors[i].msg[0]);
        lg_position end = lg_text_position(text, text.len);
        require(errors[i].line <= end.line + 1);
    }
    return pack;
}

// {"name": "name", ...} of what the tool's schema names.
static lg_str named_arguments(lg_arena *arena, const lg_tool *tool)
{
    const lg_json *properties = lg_json_get(tool->parameters, LG_STR("properties"));
    size_t count = lg_json_is(properties, LG_JSON_OBJECT) ? properties->len : 0;
    lg_buf out;
    lg_buf_init(&out, 0);
    lg_buf_add_byte(&out, '{');
    for (size_t i = 0; i < count; i++) {
        lg_str name = lg_json_key(&properties->as.members[i]);
        lg_buf_add_c(&out, i ? "," : "");
        lg_json_print_str(&out, name);
        lg_buf_add_byte(&out, ':');
        lg_json_print_str(&out, name);
    }
    lg_buf_add_byte(&out, '}');
    lg_str text = lg_arena_str(arena, lg_buf_str(&out));
    lg_buf_done(&out);
    return text;
}

static void judge(const lg_pack *pack, lg_str lines)
{
    lg_arena arena;
    lg_session *session;
    lg_limits limits = {.memory_bytes = (size_t)64 << 20, .cel_cost = 10000, .ledger_entries = 50};
    lg_arena_init(&arena, 0);
    require(lg_session_new(pack, &limits, &session) == LG_OK);
    for (size_t i = 0; i < pack->tool_count && i < 16; i++) {
        const lg_tool *tool = &pack->tools[i];
        lg_event answer = {.kind = LG_EVENT_RESULT,
                           .tool = tool->name,
                           .args = LG_STR("{}"),
                           .text = LG_STR("{}")};
        lg_event call = {.kind = LG_EVENT_CALL, .tool = tool->name, .args = LG_STR("{}")};
        const lg_decision *decision;
        require(lg_decide(session, &call, 1, &decision, NULL) == LG_OK);
        require(pack->course || decision->gated == (tool->kind == LG_TOOL_WRITE || tool->by_user));
        require(!tool->by_user || decision->verdict != LG_ALLOW);
        require((decision->verdict == LG_ALLOW) == (decision->finding_count == 0));
        require(lg_observe(session, &answer, NULL, NULL) == LG_OK);
        call.args = answer.args = answer.text = named_arguments(&arena, tool);
        drive_call(session, &answer);
        drive_decide(session, &call);
    }
    drive_lines(session, &arena, lines);
    drive_end(session);
    lg_session_free(session);
    lg_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lg_str all = {(const char *)data, size};
    size_t split = lg_str_find(all, (lg_str){"", 1});
    lg_str text = lg_str_slice(all, 0, split);
    lg_str lines = lg_str_slice(all, split == SIZE_MAX ? size : split + 1, size);
    lg_pack *pack = load(text);
    if (!pack) {
        return 0;
    }
    lg_pack *again = load(text);
    require(again && lg_str_eq(lg_str_c(pack->hash), lg_str_c(again->hash)));
    require(lg_json_equal(pack->ledger.root, again->ledger.root));
    judge(pack, lines);
    lg_pack_free(pack);
    lg_pack_free(again);
    return 0;
}
