// sources.c: who answers a call that is valid: a recording, the pack, the real tool, a model, or the schema.
//
// With a pack that has a state a recorded or real answer counts only as long as nothing that it shows has changed in this
// session. Without a pack what others answer goes through the open world, which lays over it what was written here.
#include "simulate/simulate_internal.h"

#include "base/hash.h"
#include "schema/synthesise.h"
#include "json/tree.h"

// Somebody's answer, before it is looked at.
typedef struct given {
    const lg_json *result; // NULL: nobody has answered
    bool is_error;
    lg_sim_source source;
    unsigned status; // of HTTP, where it is known; or 0
} given;

// --- Recorded -----------------------------------------------------------------------------------

static size_t times_asked(const sim_turn *turn, lg_str group)
{
    int64_t times = 0;
    return lg_json_int(lg_json_get(turn->asked, group), &times) ? (size_t)times : 0;
}

static lg_status count_asked(sim_turn *turn, lg_str group, size_t times, lg_error *reterr)
{
    sim_family *family = turn->session->family;
    lg_json *asked = LG_NEW(&family->work, lg_json);
    lg_str key = lg_arena_str(&family->work, group);
    if (!asked || !key.ptr ||
        lg_tree_with_member(&family->work, turn->asked ? turn->asked : &lg_json_no_members, key,
                            lg_json_make_int((int64_t)times), asked) != LG_OK) {
        return sim_family_fail(family, reterr);
    }
    turn->asked = asked;
    return LG_OK;
}

// May what was recorded stand for what the tool would say now? A write that the pack can carry out it carries out.
static bool may_be_recorded(const sim_turn *turn)
{
    const lg_tool *of_pack = turn->tool->of_pack; // NULL: nobody can carry it out
    bool writes = turn->tool->kind == LG_TOOL_WRITE && of_pack && of_pack->has_effects;
    return !turn->session->family->has_world || (!writes && sim_shows_the_same(turn));
}

static lg_status recall(sim_turn *turn, given *ret, lg_error *reterr)
{
    const lg_recall *recorded = turn->session->family->sim->recall;
    lg_recalled found;
    if (!recorded || !lg_recall_find(recorded, turn->tool->name, turn->call->args, 0, &found) ||
        !may_be_recorded(turn)) {
        return LG_OK;
    }
    char room[32];
    lg_buf group;
    lg_buf_init_in(&group, room, sizeof(room), 0);
    lg_buf_addf(&group, "%zu", found.group);
    size_t times = times_asked(turn, lg_buf_str(&group));
    (void)lg_recall_find(recorded, turn->tool->name, turn->call->args, times, &found);
    *ret = (given){found.result, found.is_error, LG_SIM_SOURCE_RECORDED, found.status};
    lg_status status = count_asked(turn, lg_buf_str(&group), times + 1, reterr);
    lg_buf_done(&group);
    return status;
}

// --- Real ---------------------------------------------------------------------------------------

// Reads alone, and only the agent's: what writes is never done.
static bool may_be_real(const sim_turn *turn)
{
    const lg_sim_session *session = turn->session;
    return session->read_real && turn->tool->kind == LG_TOOL_READ && !turn->tool->by_user &&
           (!session->family->has_world || sim_shows_the_same(turn));
}

// What is real is not made up: a read that did not get there has failed, unless a pack knows the answer. One that may not be
// asked, as nothing says that it reads, is made up, and that is noted.
static lg_status ask_real(sim_turn *turn, given *ret, lg_error *reterr)
{
    lg_sim_session *session = turn->session;
    lg_arena *work = &session->family->work;
    lg_error why = {.msg = ""};
    if (ret->result || !may_be_real(turn)) {
        return LG_OK;
    }
    ret->source = LG_SIM_SOURCE_REAL;
    if (session->read_real(session->real_data, turn->tool, turn->call->args, work, &ret->result,
                           &ret->is_error, &ret->status, &why) &&
        ret->result) {
        return LG_OK;
    }
    *ret = (given){0};
    lg_str note = lg_arena_printf(work, "the real tool could not be asked: %s", why.msg);
    if (note.ptr && why.status != LG_ERR_USAGE && !session->family->has_world) {
        lg_json words = lg_json_make_str(note);
        *ret = (given){lg_json_copy(work, &words), true, LG_SIM_SOURCE_REAL, 502};
    }
    return note.ptr ? sim_add_note(turn, note, reterr) : sim_family_fail(session->family, reterr);
}

// The arguments that stand in the path, and are those of every operation of it. NULL when out of memory.
static const lg_json *path_arguments(lg_arena *arena, lg_str path, const lg_json *args)
{
    size_t count = 0;
    lg_json *object = LG_NEW(arena, lg_json);
    lg_json_member *members = lg_json_alloc_members(arena, lg_json_len(args) + 1);
    for (size_t i = 0; members && lg_json_is(args, LG_JSON_OBJECT) && i < lg_json_len(args); i++) {
        const lg_json_member *member = lg_json_member_at(args, i);
        lg_str name = lg_arena_printf(arena, "{%.*s}", LG_FMT(lg_json_key(member)));
        if (name.ptr && lg_str_find(path, name) != SIZE_MAX) {
            members[count++] = *member;
        }
    }
    if (object && members) {
        *object = lg_json_make_object(members, count);
    }
    return members ? object : NULL;
}

// Is it a write of a REST interface to what its path names?
static bool is_about_one(const lg_sim_tool *tool)
{
    const lg_catalogue_tool *writes = tool->of_catalogue;
    return writes && tool->kind == LG_TOOL_WRITE && lg_str_ends(writes->path, LG_STR("}")) &&
           !lg_str_eq_any_case(writes->method, LG_STR("POST"));
}

// Does the real service say that what a write is about does not exist? The GET of the same path is asked.
static bool is_really_lacking(sim_turn *turn)
{
    lg_sim_session *session = turn->session;
    lg_arena *work = &session->family->work;
    const lg_catalogue_tool *writes = turn->tool->of_catalogue;
    const lg_sim *sim = session->family->sim;
    const lg_json *result = NULL;
    bool is_error = false;
    unsigned status = 0;
    lg_error why = {.msg = ""};
    if (!session->read_real || !is_about_one(turn->tool)) {
        return false;
    }
    const lg_json *args = path_arguments(work, writes->path, turn->call->args);
    for (size_t i = 0; args && i < lg_sim_tool_count(sim); i++) {
        const lg_sim_tool *tool = lg_sim_tool_at(sim, i);
        const lg_catalogue_tool *reads = tool->of_catalogue;
        if (reads && lg_str_eq(reads->path, writes->path) &&
            lg_str_eq_any_case(reads->method, LG_STR("GET"))) {
            return session->read_real(session->real_data, tool, args, work, &result, &is_error,
                                      &status, &why) &&
                   is_error && (status == 404 || status == 410);
        }
    }
    return false;
}

// --- The answer ---------------------------------------------------------------------------------

static void take(sim_turn *turn, const given *from)
{
    turn->answer.end = from->is_error ? LG_SIM_FAILED : LG_SIM_DONE;
    turn->answer.source = from->source;
    turn->answer.result = from->result;
    turn->answer.status = from->status;
}

// A result of a tool of which the pack says the form alone.
static lg_status make_result(sim_turn *turn, lg_error *reterr)
{
    sim_family *family = turn->session->family;
    const lg_schema *shape = turn->tool->results;
    lg_error why;
    lg_buf text;
    if (!shape) {
        return sim_add_note(turn, LG_STR("the pack does not say what this tool returns"), reterr);
    }
    lg_buf_init(&text, 0);
    lg_buf_add(&text, turn->tool->name);
    lg_json_print_canonical(&text, turn->call->args);
    uint64_t hash = lg_hash(lg_buf_str(&text));
    bool fine = lg_buf_status(&text) == LG_OK;
    lg_buf_done(&text);
    lg_synthesis_options how = {.seed = hash ^ turn->session->seed, .made_up = true};
    lg_status status =
        fine ? lg_schema_synthesise_compiled(&family->work, shape, &how, &turn->answer.result, &why)
             : LG_ERR_OOM;
    turn->answer.source = LG_SIM_SOURCE_SYNTHESIS;
    if (status == LG_ERR_OOM) {
        return sim_family_fail(family, reterr);
    }
    if (status != LG_OK) {
        turn->answer.end = LG_SIM_FAULT;
        turn->answer.error = lg_arena_printf(&family->work, "no valid answer: %s", why.msg);
    }
    return turn->answer.error.ptr ? LG_OK : sim_family_fail(family, reterr);
}

// What a model would answer, if nobody has.
static lg_status ask_model(sim_turn *turn, given *ret, lg_error *reterr)
{
    if (ret->result || !turn->models->responder) {
        return LG_OK;
    }
    ret->source = LG_SIM_SOURCE_MODEL;
    return sim_ask_responder(turn, &ret->result, reterr);
}

static lg_status answer_beside_pack(sim_turn *turn, lg_error *reterr)
{
    given from = {0};
    lg_status status = ask_model(turn, &from, reterr);
    if (status != LG_OK || !from.result) {
        return status == LG_OK ? make_result(turn, reterr) : status;
    }
    take(turn, &from);
    return LG_OK;
}

static lg_status answer_of_pack(sim_turn *turn, const given *from, lg_error *reterr)
{
    lg_status status = LG_OK;
    if (from->result) {
        take(turn, from);
        return LG_OK;
    }
    if (turn->session->family->has_world) {
        status = sim_carry_out(turn, reterr);
    }
    return status == LG_OK && !turn->answer.result && turn->answer.end == LG_SIM_DONE
               ? answer_beside_pack(turn, reterr)
               : status;
}

// What it says may point into the arguments, which are the caller's: so they are copied.
static const lg_json *args_of(sim_turn *turn)
{
    const lg_json *args =
        lg_json_is(turn->call->args, LG_JSON_OBJECT) ? turn->call->args : &lg_json_no_members;
    return lg_json_copy(&turn->session->family->work, args);
}

// Recordings and programs give values as text; where the tool returns anything but text it is read.
static const lg_json *value_of(sim_turn *turn, const lg_json *result)
{
    const lg_json *value = NULL;
    lg_str text = lg_json_str(result);
    bool fits =
        !turn->tool->results || !result || lg_schema_validate(turn->tool->results, result, NULL);
    bool reads = lg_json_is(result, LG_JSON_STRING) && (!turn->tool->results || !fits) &&
                 lg_json_parse_in(&turn->session->family->work, text, 0, text.len,
                                  &turn->session->family->sim->limits, &value, NULL) == LG_OK;
    return reads ? value : result;
}

static lg_status reply_of_open_world(sim_turn *turn, const given *from, bool is_lacking,
                                     lg_error *reterr)
{
    sim_family *family = turn->session->family;
    lg_open_world_call call = {.sim = family->sim,
                               .tool = turn->tool,
                               .args = args_of(turn),
                               .state = turn->root,
                               .seed = turn->session->seed,
                               .entities = family->sim->options.entities,
                               .made = &family->made,
                               .given = value_of(turn, from->result),
                               .given_is_real = from->source == LG_SIM_SOURCE_REAL,
                               .is_lacking = is_lacking};
    lg_open_world_answer reply;
    if (!call.args || lg_open_world_reply(&family->work, &call, &reply, reterr) != LG_OK) {
        return sim_family_fail(family, reterr);
    }
    bool used = call.given && reply.end == LG_SIM_DONE;
    turn->answer.end = reply.end;
    turn->answer.source = used ? from->source : LG_SIM_SOURCE_SYNTHESIS;
    turn->answer.result = reply.result;
    turn->answer.status = used ? from->status : 0;
    turn->answer.error = reply.error;
    turn->root = reply.state;
    return sim_add_note(turn, reply.note, reterr);
}

static lg_status answer_of_open_world(sim_turn *turn, given *from, lg_error *reterr)
{
    if (from->is_error && from->source == LG_SIM_SOURCE_REAL) { // unless it was written here
        static const given nobody = {0};
        lg_status status = reply_of_open_world(turn, &nobody, true, reterr);
        if (status != LG_OK || turn->answer.end == LG_SIM_DONE) {
            return status;
        }
        turn->answer.error = LG_STR("");
    }
    if (from->is_error) {
        take(turn, from);
        return LG_OK;
    }
    bool is_lacking = !from->result && is_really_lacking(turn);
    lg_status status = is_lacking ? LG_OK : ask_model(turn, from, reterr);
    if (status == LG_OK) {
        status = reply_of_open_world(turn, from, is_lacking, reterr);
    }
    return status == LG_OK && turn->answer.end == LG_SIM_DONE && turn->tool->kind != LG_TOOL_READ
               ? sim_ask_estimator(turn, reterr)
               : status;
}

bool lg_sim_may_wait(const lg_sim_session *session, const lg_sim_call *call,
                     const lg_sim_models *models)
{
    static const lg_sim_models none;
    const sim_family *family = session->family;
    const lg_sim_tool *tool = lg_sim_tool_named(family->sim, call->tool, call->by_user);
    models = models ? models : &none;
    if (models->estimator && family->about.len) { // makes the first state
        return true;
    }
    if (!tool) {
        return false;
    }
    bool reads = tool->kind == LG_TOOL_READ;
    bool real = session->read_real && !tool->by_user && (reads || is_about_one(tool));
    const lg_tool *told = family->has_world ? tool->of_pack : NULL;
    bool exact = told && told->has_effects && (told->gives || told->has_answer);
    bool estimates = models->estimator && !tool->of_pack && !reads;
    return models->validator || real || (models->responder && !exact) || estimates;
}

lg_status sim_answer(sim_turn *turn, lg_error *reterr)
{
    given from = {0};
    lg_status status = recall(turn, &from, reterr);
    if (status == LG_OK) {
        status = ask_real(turn, &from, reterr);
    }
    if (status != LG_OK) {
        return status;
    }
    return turn->tool->of_pack ? answer_of_pack(turn, &from, reterr)
                               : answer_of_open_world(turn, &from, reterr);
}
