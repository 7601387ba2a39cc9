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
    answer->source = is_refused(outcome) ? LG_SIM_SOURCE_RULES : LG_SIM_SOURCE_EFFECTS;
    answer->result = outcome->result;
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
    lg_world_call call = {.tool = turn->call->tool,
                          .args = turn->call->args,
                          .args_text = turn->call->args_text,
                          .by_user = turn->call->by_user,
                          .ledger = lg_session_ledger(session->ledger)->state.root,
                          .now_seconds = family->sim->options.now_seconds};
    lg_world_enter(world, turn->root, turn->sound);
    if (lg_world_call_tool(world, &call, &outcome, reterr) != LG_OK) {
        return sim_family_fail(family, reterr);
    }
    turn->root = world->root;
    turn->sound = lg_world_is_sound(world);
    return tell_outcome(turn, &outcome, reterr);
}
