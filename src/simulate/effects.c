// effects.c: a call carried out as the pack says, on the session's state.
#include "simulate/simulate_internal.h"

// --- What does not hold afterwards --------------------------------------------------------------

static lg_status tell_breach(sim_turn *turn, const lg_world_breach *breach, lg_error *reterr)
{
    lg_arena *work = &turn->session->family->work;
    const lg_condition *condition = breach->condition;
    lg_str message = breach->why.len ? lg_arena_printf(work, "`%.*s` could not be evaluated: %.*s",
                                                       LG_FMT(condition->id), LG_FMT(breach->why))
                     : condition->because.len
                         ? condition->because
                         : lg_arena_printf(work, "`%.*s` does not hold", LG_FMT(condition->id));
    return sim_add_violation(turn, condition->id,
                             breach->is_invariant ? "invariant" : "postcondition", LG_STR(""),
                             message, reterr);
}

// An invariant that goes on being broken is told once.
static lg_status tell_breaches(sim_turn *turn, const lg_world_outcome *outcome, lg_error *reterr)
{
    const lg_pack *pack = turn->session->family->sim->options.pack;
    uint64_t broken = 0;
    lg_status status = LG_OK;
    for (size_t i = 0; i < outcome->breach_count && status == LG_OK; i++) {
        const lg_world_breach *breach = &outcome->breaches[i];
        size_t index = (size_t)(breach->condition - pack->state_invariants);
        uint64_t bit = breach->is_invariant && index < 64 ? (uint64_t)1 << index : 0;
        broken |= bit;
        if (!(turn->broken & bit)) {
            status = tell_breach(turn, breach, reterr);
        }
    }
    if (outcome->end == LG_WORLD_DONE) { // else nothing was checked
        turn->broken = broken;
    }
    return status;
}

// --- The call -----------------------------------------------------------------------------------

static lg_sim_end end_of(lg_world_end end)
{
    switch (end) {
    case LG_WORLD_DONE:
        return LG_SIM_DONE;
    case LG_WORLD_FAILED:
        return LG_SIM_FAILED;
    case LG_WORLD_BAD_ARGUMENTS:
        return LG_SIM_BAD_ARGUMENTS;
    case LG_WORLD_UNKNOWN_TOOL:
        return LG_SIM_UNKNOWN_TOOL;
    case LG_WORLD_FAULT:
        return LG_SIM_FAULT;
    }
    return LG_SIM_FAULT;
}

static bool is_refused(const lg_world_outcome *outcome)
{
    return outcome->end == LG_WORLD_BAD_ARGUMENTS || outcome->end == LG_WORLD_UNKNOWN_TOOL;
}

static lg_status tell_outcome(sim_turn *turn, const lg_world_outcome *outcome, lg_error *reterr)
{
    sim_family *family = turn->session->family;
    lg_sim_answer *answer = &turn->answer;
    answer->end = end_of(outcome->end);
    if (outcome->end == LG_WORLD_BAD_ARGUMENTS && family->sim->options.without_validator) {
        // Whoever does without a validator does without the one in the tool, too: something is answered, and nothing done.
        answer->end = LG_SIM_DONE;
        answer->source = LG_SIM_SOURCE_SYNTHESIS;
        return LG_OK;
    }
    answer->source = is_refused(outcome) ? LG_SIM_SOURCE_RULES : LG_SIM_SOURCE_EFFECTS;
    answer->result = outcome->result;
    answer->error = LG_STR(""); // what the tool itself says, not what the rules do
    if (outcome->end == LG_WORLD_FAULT) {
        answer->error =
            lg_arena_printf(&family->work, "the pack's mistake, %s:%u:%u: %s",
                            outcome->fault.file ? outcome->fault.file : "pack", outcome->fault.line,
                            outcome->fault.column, outcome->fault.msg);
    }
    lg_status status = answer->error.ptr ? LG_OK : sim_family_fail(family, reterr);
    if (status == LG_OK && outcome->effects_unknown) {
        status = sim_add_note(turn, LG_STR("the pack does not say what this tool does"), reterr);
    }
    if (status == LG_OK && !family->sim->options.without_validator) {
        status = tell_breaches(turn, outcome, reterr);
    }
    return status;
}

lg_status sim_carry_out(sim_turn *turn, lg_error *reterr)
{
    lg_sim_session *session = turn->session;
    sim_family *family = session->family;
    lg_world *world = &family->world;
    lg_world_outcome outcome;
    // Postconditions are not judged by a ledger that stays behind.
    bool knows = !session->ledger->state.lost;
    lg_world_call call = {.tool = turn->call->tool,
                          .args = turn->call->args,
                          .args_text = turn->call->args_text,
                          .by_user = turn->call->by_user,
                          .ledger = knows ? lg_session_ledger(session->ledger)->state.root : NULL,
                          .now_seconds = family->sim->options.now_seconds};
    lg_world_enter(world, turn->root, turn->sound);
    if (lg_world_call_tool(world, &call, &outcome, reterr) != LG_OK) {
        return sim_family_fail(family, reterr);
    }
    turn->root = world->root;
    turn->sound = lg_world_is_sound(world);
    return tell_outcome(turn, &outcome, reterr);
}

// --- What a tool shows --------------------------------------------------------------------------

// The key that a step of a path stands for in this call. False: it may be several, or is not known before the call.
static bool key_of(const lg_reach_step *step, const lg_json *args, lg_str *ret)
{
    const lg_reach_value *value = step->value;
    if (step->key == LG_REACH_NAME) {
        *ret = step->name;
        return true;
    }
    if (step->key == LG_REACH_ANY || value->of_state || value->text_count) {
        return false;
    }
    for (uint32_t i = 0; i < value->path.count && args; i++) {
        const lg_reach_step *inner = &value->path.steps[i];
        args = inner->key == LG_REACH_NAME ? lg_json_get(args, inner->name) : NULL;
    }
    *ret = lg_json_str(args);
    return lg_json_is(args, LG_JSON_STRING);
}

static bool is_same_there(const lg_reach *reach, const lg_json *args, const lg_json *before,
                          const lg_json *after)
{
    for (uint32_t i = 0; i < reach->count; i++) {
        lg_str key;
        if (!lg_json_is(before, LG_JSON_OBJECT) || !lg_json_is(after, LG_JSON_OBJECT) ||
            !key_of(&reach->steps[i], args, &key)) {
            break;
        }
        before = lg_json_get(before, key);
        after = lg_json_get(after, key);
        if (!before || !after) {
            return before == after;
        }
    }
    lg_world_differences found = {.limit = 0};
    lg_world_compare(before, after, &found);
    return found.total == 0 && !found.oom;
}

bool sim_shows_the_same(const sim_turn *turn)
{
    static const lg_reach all = {.count = 0};
    const lg_tool *tool = turn->tool->of_pack;
    const lg_json *start = turn->session->family->start.root;
    const lg_json *root = turn->session->at.root;
    bool follows = tool && (tool->gives || tool->has_answer) && !tool->shows.anything;
    if (root == start) {
        return true;
    }
    bool same = follows || is_same_there(&all, turn->call->args, start, root);
    for (size_t i = 0; follows && same && i < tool->shows.count; i++) {
        same = is_same_there(&tool->shows.items[i], turn->call->args, start, root);
    }
    return same;
}
