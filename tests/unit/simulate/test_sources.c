// test_sources.c: who answers a valid call, in which order, and when a recording or the real tool no longer may.
#include "simulate_fixture.h"

#include "base/alloc.h"

static const char recorded[] =
    "[{\"name\":\"get_order\",\"arguments\":{\"id\":\"#1\"},\"result\":\"{\\\"id\\\": \\\"#1\\\", "
    "\\\"n\\\": 8}\"},"
    "{\"name\":\"get_order\",\"arguments\":{\"id\":\"#1\"},\"result\":\"second\"},"
    "{\"name\":\"get_order\",\"arguments\":{\"id\":\"#9\"},\"result\":\"none "
    "there\",\"error\":true},"
    "{\"name\":\"set_status\",\"arguments\":{\"id\":\"#1\",\"status\":\"paid\"},\"result\":"
    "\"recorded\"}]";

static void recordings_go_first(void)
{
    desk d;
    uint64_t n = 0;
    lg_error error = {.msg = ""};
    desk_open(&d, (lg_sim_options){0});
    CHECK(lg_sim_add_recorded(d.sim, fixture_json(&d.arena, recorded), NULL) == LG_OK);
    CHECK(lg_sim_add_recorded(d.sim, fixture_json(&d.arena, "[7]"), &error) == LG_ERR_FORMAT);
    lg_sim_session *s = desk_session(&d);
    CHECK_STR(desk_call(&d, s, "get_order", "{\"id\":\"#1\"}"),
              "done recorded {\"id\": \"#1\", \"n\": 8}");
    CHECK(lg_sim_snapshot(s, &n, NULL) == LG_OK);
    CHECK_STR(desk_call(&d, s, "get_order", "{\"id\":\"#1\"}"), "done recorded second");
    CHECK_STR(desk_call(&d, s, "get_order", "{\"id\":\"#1\"}"), "done recorded second");
    CHECK(lg_sim_restore(s, n, NULL) == LG_OK);
    CHECK_STR(desk_call(&d, s, "get_order", "{\"id\":\"#1\"}"), "done recorded second");
    CHECK_STR(desk_call(&d, s, "get_order", "{\"id\":\"#9\"}"), "failed recorded none there");
    CHECK_STR(desk_call(&d, s, "get_order", "{\"id\":\"#2\"}"),
              "done effects {\"id\":\"#2\",\"status\":\"paid\",\"n\":2}");
    lg_sim_session_free(s);
    desk_close(&d);
}

static void changes_end_recordings(void)
{
    desk d;
    desk_open(&d, (lg_sim_options){0});
    CHECK(lg_sim_add_recorded(d.sim, fixture_json(&d.arena, recorded), NULL) == LG_OK);
    lg_sim_session *s = desk_session(&d);
    (void)desk_call_by(&d, s, "flip", "{}", true);                               // elsewhere
    (void)desk_call(&d, s, "set_status", "{\"id\":\"#2\",\"status\":\"open\"}"); // another order
    CHECK(
        lg_str_starts(desk_call(&d, s, "get_order", "{\"id\":\"#1\"}"), LG_STR("done recorded ")));
    // A write that the pack can carry out is carried out.
    CHECK(lg_str_starts(desk_call(&d, s, "set_status", "{\"id\":\"#1\",\"status\":\"paid\"}"),
                        LG_STR("done effects now paid")));
    CHECK_STR(desk_call(&d, s, "get_order", "{\"id\":\"#1\"}"),
              "done effects {\"id\":\"#1\",\"status\":\"paid\",\"n\":1}");
    (void)desk_call(&d, s, "set_status", "{\"id\":\"#1\",\"status\":\"open\"}"); // as it was
    CHECK(
        lg_str_starts(desk_call(&d, s, "get_order", "{\"id\":\"#1\"}"), LG_STR("done recorded ")));
    lg_sim_session_free(s);
    desk_close(&d);
}

// --- Real tools ---------------------------------------------------------------------------------

typedef struct real {
    int asked;
    bool fails;
    lg_str latest;
    size_t wide_bytes; // of the answer; 0: "as it is"
} real;

static bool read_real(void *data, const lg_sim_tool *tool, const lg_json *args, lg_arena *arena,
                      const lg_json **ret_result, bool *ret_is_error, unsigned *ret_status,
                      lg_error *reterr)
{
    real *r = data;
    r->asked++;
    r->latest = tool->name;
    CHECK(lg_json_is(args, LG_JSON_OBJECT));
    if (r->fails) {
        (void)lg_fail(reterr, LG_ERR_IO, "the line is dead");
        return false;
    }
    lg_json *result = LG_NEW(arena, lg_json);
    *result = lg_json_make_str(LG_STR("as it is"));
    if (r->wide_bytes) {
        char *wide = lg_arena_alloc(arena, r->wide_bytes, 1);
        if (!wide) {
            return false;
        }
        memset(wide, 'x', r->wide_bytes);
        *result = lg_json_make_str((lg_str){wide, r->wide_bytes});
    }
    *ret_result = result;
    *ret_is_error = false;
    *ret_status = 0;
    return true;
}

static void reads_are_real(void)
{
    desk d;
    real r = {0};
    lg_sim_session *s = NULL;
    lg_sim_begin begin = {.read_real = read_real, .real_data = &r};
    desk_open(&d, (lg_sim_options){0});
    CHECK(lg_sim_session_new(d.sim, &begin, &s, NULL) == LG_OK);
    CHECK_STR(desk_call(&d, s, "get_order", "{\"id\":\"#1\"}"), "done real as it is");
    CHECK(r.asked == 1);
    (void)desk_call(&d, s, "get_order", "{\"id\":1}");
    (void)desk_call(&d, s, "no_such", "{}");
    (void)desk_call(&d, s, "set_status", "{\"id\":\"#1\",\"status\":\"paid\"}");
    (void)desk_call_by(&d, s, "flip", "{}", true);
    CHECK(r.asked == 1); // never what is not valid, what writes, or is the customer's
    CHECK(lg_str_starts(desk_call(&d, s, "get_order", "{\"id\":\"#1\"}"), LG_STR("done effects ")));
    CHECK_STR(desk_call(&d, s, "get_order", "{\"id\":\"#2\"}"), "done real as it is");
    r.fails = true;
    CHECK(lg_str_starts(desk_call(&d, s, "get_order", "{\"id\":\"#2\"}"), LG_STR("done effects ")));
    CHECK(lg_str_find(d.answer.note, LG_STR("the line is dead")) != SIZE_MAX);
    lg_sim_session_free(s);
    desk_close(&d);
}

// --- Packs that do not say everything -----------------------------------------------------------

static const char plain_pack[] =
    "pack: plain\n"
    "version: '1'\n"
    "clock: 2024-05-15T15:00:00Z\n"
    "types:\n"
    "  Order: {type: object, properties: {id: {type: string}, n: {type: integer}}, required: [id, "
    "n]}\n"
    "ledger: {orders.*: Order}\n"
    "tools:\n"
    "  get_order:\n"
    "    kind: read\n"
    "    parameters: {type: object, properties: {id: {type: string}}, required: [id]}\n"
    "    returns: Order\n"
    "    stores: [{at: \"orders[args.id]\"}]\n"
    "  note:\n"
    "    kind: write\n"
    "    parameters: {type: object, properties: {}}\n";

static void packs_without_a_state_are_answered_by_form(void)
{
    desk d = {0};
    lg_errors errors;
    lg_arena_init(&d.arena, 0);
    lg_errors_init(&errors, &d.arena, 5);
    d.pack = fixture_pack(plain_pack);
    lg_sim_options options = {.pack = d.pack};
    CHECK(lg_sim_new(&options, &d.sim, &errors) == LG_OK);
    lg_sim_session *s = desk_session(&d);
    lg_str first = desk_call(&d, s, "get_order", "{\"id\":\"a\"}");
    CHECK(lg_str_starts(first, LG_STR("done synthesis {")));
    CHECK(lg_schema_validate(d.answer.tool->results, d.answer.result, NULL));
    CHECK(lg_str_eq(first, desk_call(&d, s, "get_order", "{\"id\":\"a\"}")));
    CHECK(!lg_str_eq(first, desk_call(&d, s, "get_order", "{\"id\":\"b\"}")));
    CHECK(
        lg_str_starts(desk_call(&d, s, "get_order", "{\"id\":5}"), LG_STR("bad_arguments rules ")));
    CHECK(lg_str_starts(desk_call(&d, s, "note", "{}"), LG_STR("done ")));
    CHECK(d.answer.result == NULL && d.answer.note.len > 0);
    CHECK_STR(desk_state(&d, s), "{}");
    lg_sim_session_free(s);
    desk_close(&d);
}

// --- Without a pack -----------------------------------------------------------------------------

static const char tools[] =
    "[{\"name\":\"get_user\",\"description\":\"Gets a "
    "user.\",\"inputSchema\":{\"type\":\"object\",\"properties\":{"
    "\"user_id\":{\"type\":\"string\"}},\"required\":[\"user_id\"]},\"outputSchema\":{\"type\":"
    "\"object\","
    "\"properties\":{\"user_id\":{\"type\":\"string\"},\"age\":{\"type\":\"integer\"}},"
    "\"required\":[\"user_id\","
    "\"age\"]}},{\"name\":\"get_user\",\"inputSchema\":{\"type\":\"object\"}}]";

static void lists_of_tools_are_an_open_world(void)
{
    desk d = {0};
    lg_errors errors;
    real r = {0};
    const lg_catalogue *catalogue = NULL;
    lg_sim_session *s = NULL;
    lg_arena_init(&d.arena, 0);
    lg_errors_init(&errors, &d.arena, 5);
    CHECK(lg_catalogue_read(&d.arena, lg_str_c(tools), NULL, &catalogue, NULL) == LG_OK);
    lg_sim_options options = {.catalogue = catalogue};
    CHECK(lg_sim_new(&options, &d.sim, &errors) == LG_OK);
    CHECK(
        lg_sim_add_recorded(
            d.sim,
            fixture_json(&d.arena, "[{\"name\":\"get_user\",\"arguments\":{\"user_id\":\"ann\"},"
                                   "\"result\":\"{\\\"user_id\\\":\\\"ann\\\",\\\"age\\\":41}\"}]"),
            NULL) == LG_OK);
    const lg_sim_tool *tool = lg_sim_tool_named(d.sim, LG_STR("get_user"), false);
    CHECK(tool->kind == LG_TOOL_READ && tool->is_guessed &&
          tool->results); // the first of this name
    s = desk_session(&d);
    CHECK_STR(desk_call(&d, s, "get_user", "{\"user_id\":\"ann\"}"),
              "done recorded {\"user_id\":\"ann\",\"age\":41}");
    lg_str told = desk_call(&d, s, "get_user", "{\"user_id\":\"bob\"}");
    CHECK(lg_str_starts(told, LG_STR("done synthesis {")));
    CHECK(lg_schema_validate(tool->results, d.answer.result, NULL));
    CHECK(lg_str_eq(told, desk_call(&d, s, "get_user", "{\"user_id\":\"bob\"}")));
    CHECK(lg_str_starts(desk_call(&d, s, "get_user", "{}"), LG_STR("bad_arguments rules ")));
    CHECK(d.answer.result == NULL);
    told = desk_call(&d, s, "get_user", "{\"user_id\":7,\"usr_id\":\"ann\"}");
    CHECK(lg_str_find(told, LG_STR("user_id` must be ")) != SIZE_MAX);
    CHECK(lg_str_find(told, LG_STR("did you mean")) == SIZE_MAX);
    CHECK_STR(desk_call(&d, s, "get_usr", "{}"),
              "unknown_tool rules no tool is called `get_usr`; arguments known_tool : no tool is "
              "called `get_usr`");
    lg_sim_session_free(s);
    lg_sim_begin begin = {.read_real = read_real, .real_data = &r};
    r.fails = true;
    CHECK(lg_sim_session_new(d.sim, &begin, &s, NULL) == LG_OK);
    CHECK(lg_str_starts(desk_call(&d, s, "get_user", "{\"user_id\":\"cy\"}"),
                        LG_STR("failed real the real tool could not be asked")));
    CHECK(r.asked == 1 && d.answer.note.len > 0 && d.answer.status == 502);
    lg_sim_session_free(s);
    lg_sim *both = NULL;
    d.pack = fixture_pack(desk_pack);
    options.pack = d.pack;
    CHECK(lg_sim_new(&options, &both, &errors) == LG_ERR_USAGE && !both);
    desk_close(&d);
}

static void what_is_real_is_asked_once_where_there_is_no_room(void)
{
    desk d;
    real r = {.wide_bytes = (size_t)300 << 10};
    lg_sim_session *s = NULL;
    lg_sim_begin begin = {.read_real = read_real, .real_data = &r};
    size_t made = 0;
    desk_open(&d, (lg_sim_options){.session_bytes = (size_t)2 << 20});
    CHECK(lg_sim_session_new(d.sim, &begin, &s, NULL) == LG_OK);
    lg_sim_call call = {.tool = LG_STR("get_order"),
                        .args = fixture_json(&d.arena, "{\"id\":\"#1\"}"),
                        .args_text = LG_STR("")};
    bool met = false;
    for (; made < 20; made++) {
        uint64_t snapshot;
        met = lg_sim_call_tool(s, &call, NULL, &d.answer, NULL) == LG_ERR_LIMIT || met;
        CHECK(r.asked == (int)made + 1);
        lg_status status = lg_sim_snapshot(s, &snapshot, NULL); // which holds what is kept
        (void)status;
    }
    CHECK(met);
    lg_sim_session_free(s);
    desk_close(&d);
}

static bool try_open_world(const lg_sim *sim, const lg_json *const *args)
{
    lg_sim_session *s = NULL;
    lg_sim_session *fork = NULL;
    lg_sim_answer answer;
    bool fine = lg_sim_session_new(sim, NULL, &s, NULL) == LG_OK;
    for (size_t i = 0; i < 3 && fine; i++) {
        lg_sim_call call = {.tool = LG_STR("get_user"), .args = args[i], .args_text = LG_STR("")};
        fine = lg_sim_call_tool(s, &call, NULL, &answer, NULL) == LG_OK;
        CHECK(lg_sim_history_count(s) == i + fine); // all of it or nothing
    }
    fine = fine && lg_sim_fork(s, &fork, NULL) == LG_OK;
    lg_sim_session_free(s);
    lg_sim_session_free(fork);
    return fine;
}

static void open_worlds_survive_without_memory(void)
{
    desk d = {0};
    lg_errors errors;
    const lg_catalogue *catalogue = NULL;
    bool done = false;
    lg_arena_init(&d.arena, 0);
    lg_errors_init(&errors, &d.arena, 5);
    CHECK(lg_catalogue_read(&d.arena, lg_str_c(tools), NULL, &catalogue, NULL) == LG_OK);
    lg_sim_options options = {.catalogue = catalogue};
    CHECK(lg_sim_new(&options, &d.sim, &errors) == LG_OK);
    CHECK(lg_sim_add_recorded(
              d.sim,
              fixture_json(&d.arena, "[{\"name\":\"get_user\",\"arguments\":{\"user_id\":\"ann\"},"
                                     "\"result\":{\"user_id\":\"ann\",\"age\":41}}]"),
              NULL) == LG_OK);
    const lg_json *args[] = {fixture_json(&d.arena, "{\"user_id\":\"ann\"}"),
                             fixture_json(&d.arena, "{\"user_id\":\"bob\"}"),
                             fixture_json(&d.arena, "{\"user\":\"bob\"}")};
    for (uint64_t n = 1; n < 5000 && !done; n++) {
        lg_alloc_fail_at(n);
        done = try_open_world(d.sim, args);
        lg_alloc_fail_at(0);
    }
    CHECK(done);
    desk_close(&d);
}

// --- Models -------------------------------------------------------------------------------------

// A model that nobody can reach has nothing to say, which is told, and the call is answered all the same.
static void models_that_fail_are_told_of(void)
{
    desk d = {0};
    lg_errors errors;
    lg_error error = {.msg = ""};
    lg_llm *model = NULL;
    const lg_catalogue *catalogue = NULL;
    lg_arena_init(&d.arena, 0);
    lg_errors_init(&errors, &d.arena, 5);
    CHECK(lg_catalogue_read(&d.arena, lg_str_c(tools), NULL, &catalogue, NULL) == LG_OK);
    lg_sim_options options = {.catalogue = catalogue};
    CHECK(lg_sim_new(&options, &d.sim, &errors) == LG_OK);
    lg_llm_options nobody = {.base_url = LG_STR("http://127.0.0.1:1/v1"),
                             .model = LG_STR("none"),
                             .attempts = 1,
                             .connect_ms = 500};
    lg_sim_session *s = NULL;
    lg_sim_begin begin = {.about = LG_STR("Find out how old bob is.")};
    CHECK(lg_sim_session_new(d.sim, &begin, &s, NULL) == LG_OK);
    if (lg_llm_new(&nobody, &model, &error) != LG_OK) {
        CHECK_MSG(false, error.msg);
        return;
    }
    lg_sim_models models = {.validator = model, .responder = model, .estimator = model};
    lg_sim_call call = {.tool = LG_STR("get_user"),
                        .args = fixture_json(&d.arena, "{\"user_id\":\"bob\"}"),
                        .args_text = LG_STR("")};
    CHECK(lg_sim_call_tool(s, &call, &models, &d.answer, &error) == LG_OK);
    CHECK(d.answer.end == LG_SIM_DONE && d.answer.source == LG_SIM_SOURCE_SYNTHESIS);
    CHECK(d.answer.note.len > 0 && d.answer.violation_count == 0);
    call.args = fixture_json(&d.arena, "{}"); // the rules say it, and nobody is asked
    CHECK(lg_sim_call_tool(s, &call, &models, &d.answer, &error) == LG_OK);
    CHECK(d.answer.end == LG_SIM_BAD_ARGUMENTS && d.answer.note.len == 0);
    lg_llm_free(model);
    lg_sim_session_free(s);
    desk_close(&d);
}

int main(void)
{
    RUN(recordings_go_first);
    RUN(changes_end_recordings);
    RUN(reads_are_real);
    RUN(packs_without_a_state_are_answered_by_form);
    RUN(lists_of_tools_are_an_open_world);
    RUN(what_is_real_is_asked_once_where_there_is_no_room);
    RUN(open_worlds_survive_without_memory);
    RUN(models_that_fail_are_told_of);
    return lg_test_done();
}
