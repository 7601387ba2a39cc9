// call.c: one call, from its arguments to what it leaves and what it gives.
#include "world/world_internal.h"

#include "catalogue/arguments.h"

const char *lg_world_end_name(lg_world_end end)
{
    static const char *const names[] = {"done", "failed", "bad_arguments", "unknown_tool", "fault"};
    return names[end];
}

// A result that the ledger reads as JSON is written as JSON.
static bool returns_json(const lg_tool *tool)
{
    return tool && !tool->has_answer && !tool->returns_text &&
           (tool->result || tool->store_count || tool->ensure_count);
}

void lg_world_print_result(lg_buf *out, const lg_tool *tool, const lg_json *result)
{
    if (lg_json_is(result, LG_JSON_STRING) && !returns_json(tool)) {
        lg_buf_add(out, lg_json_str(result));
    } else {
        lg_json_print(out, result);
    }
}

void lg_world_print_outcome(lg_buf *out, const lg_world_outcome *outcome)
{
    lg_world_print_result(out, lg_world_is_error(outcome) ? NULL : outcome->tool, outcome->result);
}

static lg_cel_value clock_of(const lg_world *world, const lg_world_call *call)
{
    const lg_pack *pack = world->pack;
    return pack->fixed_clock ? lg_cel_make_timestamp(pack->clock_seconds, pack->clock_nanos)
                             : lg_cel_make_timestamp(call->now_seconds, call->now_nanos);
}

// --- Refusals -----------------------------------------------------------------------------------

static bool refuse(world_run *run, lg_world_end end, lg_str text)
{
    LG_DEBUG_ASSERT(end == LG_WORLD_UNKNOWN_TOOL || end == LG_WORLD_BAD_ARGUMENTS);
    LG_DEBUG_ASSERT(run->root == run->world->root); // nothing was done yet
    lg_json *result = LG_NEW(&run->world->work, lg_json);
    if (!result || !text.ptr) {
        return world_out_of_memory(run);
    }
    *result = lg_json_make_str(text);
    run->outcome->end = end;
    run->outcome->result = result;
    return false;
}

// In the words of tau2's environment, where agents and users have different tools.
static bool find_tool(world_run *run)
{
    const lg_tool *tool = lg_pack_tool(run->world->pack, run->call->tool);
    if (tool && tool->by_user == run->call->by_user) {
        run->tool = tool;
        run->outcome->tool = tool;
        run->outcome->effects_unknown = tool->kind == LG_TOOL_WRITE && !tool->has_effects;
        run->offset = tool->offset;
        return true;
    }
    return refuse(run, LG_WORLD_UNKNOWN_TOOL,
                  lg_arena_printf(&run->world->work, "Error: Tool '%.*s' not found.",
                                  LG_FMT(run->call->tool)));
}

// The state may take over what the arguments say, so they are copied; what it takes moves with it.
static bool check_arguments(world_run *run)
{
    lg_argument_check check;
    run->args = run->call->args ? lg_json_copy(&run->world->work, run->call->args) : NULL;
    if (!run->args != !run->call->args) {
        return world_out_of_memory(run);
    }
    if (lg_tool_check_arguments(&run->world->work, run->tool->arguments, run->args,
                                run->call->args_text, &check) != LG_OK) {
        return world_out_of_memory(run);
    }
    return check.valid ||
           refuse(run, LG_WORLD_BAD_ARGUMENTS,
                  lg_arena_printf(&run->world->work, "Error: %.*s", LG_FMT(check.message)));
}

// --- The result ---------------------------------------------------------------------------------

static bool check_result(world_run *run)
{
    const lg_schema *shape = run->tool->result;
    const lg_json *result = run->outcome->result;
    if (run->tool->returns_text && !lg_json_is(result, LG_JSON_STRING)) {
        return world_fault(run, "the result must be a text, as the pack declares");
    }
    if (!shape || lg_schema_validate(shape, result, NULL)) {
        return true;
    }
    lg_schema_violation violation = {.msg = "it does not fit its schema"};
    lg_schema_report report = {.items = &violation, .capacity = 1};
    (void)lg_schema_validate(shape, result, &report);
    return world_fault(run, "the result is not what the pack declares: %s%s%s",
                       violation.instance_pointer, violation.instance_pointer[0] ? ": " : "",
                       violation.msg);
}

static bool give(world_run *run)
{
    const lg_tool *tool = run->tool;
    run->offset = tool->offset;
    if (tool->has_answer) {
        return world_print_template(run, &tool->answer, &run->outcome->result);
    }
    if (!tool->gives) {
        return true;
    }
    lg_cel_value value;
    if (!world_eval(run, tool->gives, &value)) {
        return false;
    }
    run->outcome->result = lg_cel_to_json(&run->world->work, value);
    if (!run->outcome->result) {
        return run->world->work.refused ? world_out_of_memory(run)
                                        : world_fault(run, "the result is what JSON cannot hold");
    }
    return check_result(run);
}

// --- What must hold -----------------------------------------------------------------------------

typedef struct checking {
    lg_arena *arena;
    uint64_t cost;
    const lg_cel_value *values;
    lg_world_breach *items;
    size_t count;
} checking;

static bool check_condition(checking *c, const lg_condition *condition, bool is_invariant)
{
    LG_DEBUG_ASSERT(c->values);
    lg_cel_activation activation = {
        .values = c->values, .scratch = c->arena, .cost_limit = c->cost};
    lg_cel_value value = lg_cel_eval(condition->that, &activation);
    if (value.kind == LG_CEL_BOOL && value.as.boolean) {
        return true;
    }
    lg_world_breach *breach = &c->items[c->count++];
    *breach =
        (lg_world_breach){.condition = condition, .is_invariant = is_invariant, .why = LG_STR("")};
    if (value.kind == LG_CEL_ERROR) {
        lg_buf text;
        lg_buf_init(&text, 0);
        world_print_failure(&text, value.as.failure);
        breach->why = lg_arena_str(c->arena, lg_buf_str(&text));
        bool fine = lg_buf_status(&text) == LG_OK && breach->why.ptr;
        lg_buf_done(&text);
        return fine && !c->arena->refused;
    }
    return true;
}

// Invariants look at all of the state, and most calls only read: what was sound still is.
static bool is_known_sound(const lg_world *world, const lg_json *root)
{
    return root == world->sound[0] || root == world->sound[1];
}

static void note_sound(lg_world *world)
{
    LG_DEBUG_ASSERT(world->root);
    world->sound[world->root == world->start ? 0 : 1] = world->root;
}

// Where all of them held before, those hold still whose values are the same, and of each that speaks of records by
// themselves only those that are new are looked at. That is the difference between a record and a database.
static bool check_invariants(checking *c, const lg_world *world, const lg_json *root)
{
    const lg_pack *pack = world->pack;
    const lg_json *before = is_known_sound(world, world->root) ? world->root : NULL;
    if (is_known_sound(world, root)) {
        return true;
    }
    lg_cel_value values[LG_INVARIANT_SLOT_COUNT];
    values[LG_INVARIANT_SLOT_LEDGER] = lg_cel_make_null(); // none of these speaks of it
    c->values = values;
    bool fine = true;
    for (size_t i = 0; i < pack->state_invariant_count && fine; i++) {
        const lg_json *concerned = root;
        fine =
            world_concerns(c->arena, &pack->state_invariant_reaches[i], before, root, &concerned);
        if (fine && concerned) {
            values[LG_INVARIANT_SLOT_STATE] = lg_cel_from_json(concerned);
            fine = check_condition(c, &pack->state_invariants[i], true);
        }
    }
    c->values = NULL;
    return fine;
}

static bool check_ensures(checking *c, world_run *run)
{
    const lg_tool *tool = run->tool;
    if (!run->call->ledger || !run->outcome->result || run->outcome->end != LG_WORLD_DONE) {
        return true;
    }
    lg_cel_value values[LG_ENSURE_SLOT_COUNT];
    values[LG_ENSURE_SLOT_LEDGER] = lg_cel_from_json(run->call->ledger);
    values[LG_ENSURE_SLOT_ARGS] = lg_cel_from_json(run->args);
    values[LG_ENSURE_SLOT_NOW] = clock_of(run->world, run->call);
    values[LG_ENSURE_SLOT_RESULT] = lg_cel_from_json(run->outcome->result);
    c->values = values;
    bool fine = true;
    for (size_t i = 0; i < tool->ensure_count && fine; i++) {
        fine = check_condition(c, &tool->ensures[i], false);
    }
    c->values = NULL;
    return fine;
}

static bool check_conditions(world_run *run)
{
    const lg_pack *pack = run->world->pack;
    checking c = {.arena = &run->world->work, .cost = run->world->limits.cel_cost};
    c.items = LG_NEW_ARRAY(c.arena, lg_world_breach,
                           run->tool->ensure_count + pack->state_invariant_count + 1);
    if (!c.items || !check_ensures(&c, run) || !check_invariants(&c, run->world, run->root)) {
        return world_out_of_memory(run);
    }
    run->outcome->breaches = c.items;
    run->outcome->breach_count = c.count;
    return true;
}

lg_status lg_world_check(lg_world *world, lg_arena *arena, const lg_world_breach **ret_items,
                         size_t *ret_count)
{
    checking c = {.arena = arena, .cost = world->limits.cel_cost};
    c.items = LG_NEW_ARRAY(arena, lg_world_breach, world->pack->state_invariant_count + 1);
    if (!c.items || !check_invariants(&c, world, world->root)) {
        return LG_ERR_OOM;
    }
    if (c.count == 0) {
        note_sound(world);
    }
    *ret_items = c.items;
    *ret_count = c.count;
    return LG_OK;
}

// --- The whole ----------------------------------------------------------------------------------

static bool carry_out(world_run *run)
{
    const lg_pack *pack = run->world->pack;
    const lg_tool *tool = run->tool;
    run->values[LG_STEP_SLOT_STATE] = lg_cel_from_json(run->root);
    run->values[LG_STEP_SLOT_NOW] = clock_of(run->world, run->call);
    run->values[LG_STEP_SLOT_ARGS] = lg_cel_from_json(run->args);
    world_do_lets(run, tool->lets, tool->let_count, LG_STEP_SLOT_COUNT);
    bool completed = world_do_steps(run, tool->steps, tool->step_count) && give(run);
    if (!completed && !lg_world_is_half_done(run->outcome)) {
        return false;
    }
    // Steps that all tools share see no arguments.
    run->values[LG_STEP_SLOT_ARGS] = lg_cel_make_null();
    return world_do_steps(run, pack->settle, pack->settle_count) &&
           world_check_shapes(run, run->world->root, run->root) && check_conditions(run);
}

static bool is_sound(const lg_world_outcome *outcome)
{
    for (size_t i = 0; i < outcome->breach_count; i++) {
        if (outcome->breaches[i].is_invariant) {
            return false;
        }
    }
    return true;
}

static bool settle(world_run *run)
{
    const lg_pack *pack = run->world->pack;
    run->values[LG_STEP_SLOT_STATE] = lg_cel_from_json(run->root);
    run->values[LG_STEP_SLOT_NOW] = clock_of(run->world, run->call);
    run->values[LG_STEP_SLOT_ARGS] = lg_cel_make_null();
    return world_do_steps(run, pack->settle, pack->settle_count) &&
           world_check_shapes(run, run->world->root, run->root);
}

static bool call_tool(world_run *run)
{
    return find_tool(run) && check_arguments(run) && carry_out(run);
}

// Does something to the state, in a run of its own.
static lg_status run_with(lg_world *world, const lg_world_call *call, bool (*act)(world_run *run),
                          lg_world_outcome *ret, lg_error *reterr)
{
    world_run run = {.world = world,
                     .call = call,
                     .root = world->root,
                     .steps_left = LG_WORLD_STEPS_MAX,
                     .outcome = ret};
    const lg_json *before = world->root;
    *ret = (lg_world_outcome){.end = LG_WORLD_DONE};
    if (!world->root) {
        return lg_fail(reterr, LG_ERR_USAGE, "no state is loaded");
    }
    lg_arena_reset(&world->work);
    world->work.refused = false;
    run.values =
        LG_NEW_ARRAY(&world->work, lg_cel_value, world->pack->step_slots + LG_STEP_SLOT_COUNT);
    bool done = run.values && act(&run); // also if it has failed half-way
    LG_DEBUG_ASSERT(!done || !run.oom);
    if (run.values && done && world_keep(&run) && act == call_tool && is_sound(ret)) {
        note_sound(world);
    }
    LG_DEBUG_ASSERT(done || run.world->root == before); // a failed call leaves no trace
    if (run.oom || !run.values) {
        return lg_fail_oom(reterr);
    }
    if (ret->end == LG_WORLD_FAULT) {
        ret->result = NULL;
    }
    return LG_OK;
}

lg_status lg_world_call_tool(lg_world *world, const lg_world_call *call, lg_world_outcome *ret,
                             lg_error *reterr)
{
    return run_with(world, call, call_tool, ret, reterr);
}

lg_status lg_world_settle(lg_world *world, lg_world_outcome *ret, lg_error *reterr)
{
    static const lg_world_call nobody;
    return run_with(world, &nobody, settle, ret, reterr);
}
