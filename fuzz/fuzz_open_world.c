// fuzz_open_world.c: a list of tools or an OpenAPI document, a line with a first state, then a call a line.
//
// Properties: an answer that a call gets is valid by the schema of its result; the same calls in another session give the
// same bytes and lead to the same state; what was deleted is not read; nothing takes more than its bounds.
#include "base/hash.h"
#include "simulate/simulate.h"

#include <stdlib.h>

#define CALLS_MAX 24u
#define SESSION_BYTES ((size_t)1 << 24)

static void expect(bool condition)
{
    if (!condition) {
        abort();
    }
}

static lg_str next_line(lg_str text, size_t *at)
{
    size_t from = *at;
    size_t to = lg_str_line_end(text, from);
    *at = to < text.len ? to + 1 : text.len;
    return lg_str_slice(text, from, to);
}

static const lg_json *parse(lg_arena *arena, lg_str text)
{
    const lg_json *value = NULL;
    lg_limits limits = {.json_depth = 64};
    return lg_json_parse_in(arena, text, 0, text.len, &limits, &value, NULL) == LG_OK ? value
                                                                                      : NULL;
}

// The hash of all answers and the last state; empty where a session's memory ended.
static void play(const lg_sim *sim, const lg_world_file *state, lg_str calls, char ret[65])
{
    lg_sim_begin begin = {.state = state, .task = LG_STR(""), .seed = 3};
    lg_sim_session *session = NULL;
    lg_arena arena;
    lg_buf all;
    char hash[65] = "";
    size_t at = 0;
    ret[0] = '\0';
    lg_arena_init(&arena, (size_t)1 << 25);
    lg_buf_init(&all, 0);
    if (lg_sim_session_new(sim, &begin, &session, NULL) != LG_OK) {
        lg_arena_done(&arena);
        return;
    }
    lg_status status = LG_OK;
    for (size_t i = 0; i < CALLS_MAX && at < calls.len && status == LG_OK; i++) {
        const lg_json *line = parse(&arena, next_line(calls, &at));
        lg_sim_call call = {.tool = lg_json_str(lg_json_get(line, LG_STR("name"))),
                            .args = lg_json_get(line, LG_STR("arguments")),
                            .args_text = LG_STR("")};
        lg_sim_answer answer;
        status = lg_sim_call_tool(session, &call, NULL, &answer, NULL);
        if (status == LG_OK) {
            bool checked = answer.end == LG_SIM_DONE && answer.tool->results;
            expect(!checked || lg_schema_validate(answer.tool->results, answer.result, NULL));
            expect(lg_sim_is_error(&answer) == (answer.error.len > 0));
            lg_buf_add(&all, answer.text);
        }
    }
    expect(status == LG_OK || status == LG_ERR_LIMIT || status == LG_ERR_OOM);
    if (status == LG_OK && lg_sim_state_hash(session, hash, NULL) == LG_OK) {
        lg_buf_add_c(&all, hash);
        lg_sha256_hex(lg_buf_str(&all), ret);
    }
    lg_sim_session_free(session);
    lg_buf_done(&all);
    lg_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lg_str text = {(const char *)data, size};
    lg_arena arena;
    lg_errors errors;
    lg_limits limits = {.json_depth = 64, .regex_steps = 2000};
    size_t at = 0;
    lg_arena_init(&arena, (size_t)1 << 26);
    lg_errors_init(&errors, &arena, 2);
    lg_str document = next_line(text, &at);
    lg_world_file state = {.name = "state", .text = next_line(text, &at)};
    const lg_catalogue *catalogue = NULL;
    lg_sim *sim = NULL;
    lg_catalogue_options reading = {.limits = &limits};
    lg_sim_options options = {
        .catalogue = catalogue, .limits = &limits, .session_bytes = SESSION_BYTES, .entities = 12};
    state.value = parse(&arena, state.text);
    if (lg_catalogue_read(&arena, document, &reading, &catalogue, NULL) == LG_OK &&
        catalogue->tool_count > 0) {
        options.catalogue = catalogue;
        if (lg_sim_new(&options, &sim, &errors) == LG_OK) {
            char first[65];
            char second[65];
            lg_str calls = lg_str_slice(text, at, text.len);
            bool own = lg_json_is(state.value, LG_JSON_OBJECT);
            play(sim, own ? &state : NULL, calls, first);
            play(sim, own ? &state : NULL, calls, second);
            expect(strcmp(first, second) == 0);
        }
    }
    lg_sim_free(sim);
    lg_arena_done(&arena);
    return 0;
}
