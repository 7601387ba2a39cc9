// carry.c: calls carried out on the state of a file, and observed.
#include "cli/carry.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#define STATE_ERRORS_MAX 50u

bool cli_carry_open(cli_carry *c, const lg_pack *pack, const char *state, int *ret_code)
{
    lg_limits limits = lg_limits_resolve(NULL);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now); // of packs without a clock of their own
    *c = (cli_carry){.pack = pack, .now_seconds = now.tv_sec};
    lg_world_init(&c->world, pack, &limits);
    lg_arena_init(&c->scratch, limits.document_bytes);
    if (lg_session_new(pack, NULL, &c->session) != LG_OK) {
        return cli_out_of_memory(ret_code);
    }
    return cli_values_open(state, &c->state, ret_code);
}

void cli_carry_close(cli_carry *c)
{
    cli_values_close(&c->state);
    lg_world_done(&c->world);
    lg_session_free(c->session);
    lg_arena_done(&c->scratch);
}

// --- States -------------------------------------------------------------------------------------

static bool is_for_task(const lg_json *document, lg_str task)
{
    const lg_json *id = lg_json_get(document, LG_STR("task_id"));
    if (!lg_json_is_number(id)) {
        return lg_str_eq(lg_json_str(id), task);
    }
    char room[64];
    lg_buf text;
    lg_buf_init_in(&text, room, sizeof(room), 0);
    lg_json_print(&text, id);
    bool same = lg_str_eq(lg_buf_str(&text), task);
    lg_buf_done(&text);
    return same;
}

// Says what is wrong, whatever bytes the file's own words have. Always false.
LG_PRINTF(3, 4)
static bool say(lg_status status, int *ret_code, const char *format, ...)
{
    lg_error error;
    va_list args;
    va_start(args, format);
    *ret_code = cli_exit_code(lg_vfail_at(&error, status, (lg_position){0}, format, args));
    va_end(args);
    cli_say_error(&error, LG_STR(""));
    return false;
}

// The document for `task`: the one that names it, or the only one, if that names none.
static const lg_json *find_document(const cli_carry *c, lg_str task)
{
    const cli_values *file = &c->state;
    if (file->count == 1 && !lg_json_get(file->items[0], LG_STR("task_id"))) {
        return file->items[0];
    }
    for (size_t i = 0; i < file->count; i++) {
        if (task.len ? is_for_task(file->items[i], task) : file->count == 1) {
            return file->items[i];
        }
    }
    return NULL;
}

static bool load_document(cli_carry *c, const lg_json *document, int *ret_code)
{
    lg_errors errors;
    lg_errors_init(&errors, &c->scratch, STATE_ERRORS_MAX);
    lg_world_file file = {.value = document, .text = c->state.file.text, .name = c->state.path};
    lg_status status = lg_world_load(&c->world, &file, &errors);
    c->use = status == LG_OK ? document : NULL;
    for (size_t i = 0; i < errors.count; i++) {
        cli_say_error(&errors.items[i], LG_STR(""));
    }
    if (errors.dropped) {
        cli_say("... and %zu more", errors.dropped);
    }
    if (status != LG_OK && !lg_errors_any(&errors)) {
        return cli_out_of_memory(ret_code);
    }
    *ret_code = status == LG_OK ? *ret_code : cli_exit_code(status);
    return status == LG_OK;
}

// An invariant that goes on being broken is told once. False when out of memory.
static bool tell_new_breaches(cli_carry *c, lg_world_outcome *outcome)
{
    const lg_pack *pack = c->pack;
    size_t invariants = pack->state_invariant_count;
    size_t count = 0;
    if (!c->broken) { // all that is needed for any number of calls
        c->broken = LG_NEW_ARRAY(&c->scratch, bool, 2 * invariants + 1);
    }
    if (!c->told || c->told_capacity < outcome->breach_count) {
        c->told_capacity = outcome->breach_count + invariants;
        c->told = LG_NEW_ARRAY(&c->scratch, lg_world_breach, c->told_capacity + 1);
    }
    if (!c->broken || !c->told) {
        return false;
    }
    bool *broken = c->broken + invariants;
    memset(broken, 0, invariants * sizeof(*broken));
    for (size_t i = 0; i < outcome->breach_count; i++) {
        const lg_world_breach *breach = &outcome->breaches[i];
        size_t index = (size_t)(breach->condition - pack->state_invariants);
        if (breach->is_invariant) {
            broken[index] = true;
        }
        if (!breach->is_invariant || !c->broken[index]) {
            c->told[count++] = *breach;
        }
    }
    if (outcome->end == LG_WORLD_DONE) { // else nothing was checked
        memcpy(c->broken, broken, invariants * sizeof(*broken));
    }
    outcome->breaches = c->told;
    outcome->breach_count = count;
    return true;
}

bool cli_carry_begin(cli_carry *c, lg_str task, lg_world_outcome *ret_start, int *ret_code)
{
    const lg_json *document = find_document(c, task);
    lg_session_reset(c->session);
    if (!document && task.len) {
        return say(LG_ERR_MISSING, ret_code, "%s has no state for task `%.*s`", c->state.path,
                   LG_FMT(task));
    }
    if (!document) {
        return say(LG_ERR_USAGE, ret_code, "%s holds %zu states; choose one with --task",
                   c->state.path, c->state.count);
    }
    if (document == c->use) { // it need not be read and checked again
        c->world.root = c->world.start;
    } else if (!load_document(c, document, ret_code)) {
        return false;
    }
    *ret_start = (lg_world_outcome){.end = LG_WORLD_DONE};
    c->broken = NULL;
    c->told = NULL;
    return (lg_world_check(&c->world, &c->scratch, &ret_start->breaches,
                           &ret_start->breach_count) == LG_OK &&
            tell_new_breaches(c, ret_start)) ||
           cli_out_of_memory(ret_code);
}

// --- Calls --------------------------------------------------------------------------------------

// What a conversation would have seen, for the postconditions of later calls.
static bool observe(cli_carry *c, const cli_call *call, const lg_world_outcome *outcome)
{
    lg_buf text;
    lg_observed observed;
    if (!outcome->result || !lg_json_is(call->args, LG_JSON_OBJECT)) {
        return true;
    }
    lg_buf_init(&text, 0);
    lg_world_print_outcome(&text, outcome);
    lg_event answer = {.kind = lg_world_is_error(outcome) ? LG_EVENT_ERROR : LG_EVENT_RESULT,
                       .role = call->by_user ? LG_ROLE_USER : LG_ROLE_AGENT,
                       .has_time = true,
                       .time = {c->now_seconds, 0},
                       .tool = call->name,
                       .json = call->args,
                       .text = lg_buf_str(&text)};
    bool fine = lg_buf_status(&text) == LG_OK &&
                lg_observe(c->session, &answer, &observed, NULL) != LG_ERR_OOM;
    lg_buf_done(&text);
    return fine;
}

bool cli_carry_out(cli_carry *c, const cli_call *call, lg_world_outcome *ret, int *ret_code)
{
    lg_world_call world_call = {.tool = call->name,
                                .args = call->args,
                                .args_text = call->args_text,
                                .by_user = call->by_user,
                                .ledger = lg_session_ledger(c->session)->state.root,
                                .now_seconds = c->now_seconds};
    lg_error error;
    lg_world_tidy(&c->world, NULL, 0);
    if (lg_world_call_tool(&c->world, &world_call, ret, &error) != LG_OK ||
        !observe(c, call, ret) || !tell_new_breaches(c, ret)) {
        return cli_out_of_memory(ret_code);
    }
    return true;
}
