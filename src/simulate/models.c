// models.c: what models are asked during a call, each if there is one.
#include "simulate/simulate_internal.h"

#include "simulate/ask.h"

#define PAST_MAX 20u // calls that a model is shown

// The latest calls, the oldest first. Without a state there is no past either.
static bool list_past(const sim_turn *turn, lg_ask *ask)
{
    const lg_sim_session *session = turn->session;
    size_t kept = lg_sim_history_count(session);
    size_t count = kept < PAST_MAX ? kept : PAST_MAX;
    count = session->family->sim->options.without_state ? 0 : count;
    lg_sim_past *past = LG_NEW_ARRAY(&session->family->work, lg_sim_past, count + 1);
    for (size_t i = 0; past && i < count; i++) {
        past[i] = lg_sim_history_at(session, kept - count + i);
    }
    ask->past = past;
    ask->past_count = count;
    return past != NULL;
}

static bool begin_ask(const sim_turn *turn, lg_ask *ask)
{
    *ask = (lg_ask){.tool = turn->tool, .args = turn->call->args, .state = turn->root};
    return list_past(turn, ask);
}

// A model that failed is told of, and what is impossible for the family is the family's failure.
static lg_status end_ask(sim_turn *turn, lg_status status, lg_str note, lg_error *reterr)
{
    if (status == LG_ERR_OOM) {
        return sim_family_fail(turn->session->family, reterr);
    }
    return status == LG_OK ? sim_add_note(turn, note, reterr) : status;
}

static lg_status tell_reasons(sim_turn *turn, const lg_sim_violation *items, size_t count,
                              lg_error *reterr)
{
    lg_arena *work = &turn->session->family->work;
    lg_status status = LG_OK;
    for (size_t i = 0; i < count && status == LG_OK; i++) {
        const lg_sim_violation *v = &items[i];
        lg_str before = turn->answer.error;
        turn->answer.error = lg_arena_printf(work, "%.*s%s%.*s", LG_FMT(before),
                                             before.len ? "; " : "", LG_FMT(v->message));
        status = turn->answer.error.ptr
                     ? sim_add_violation(turn, v->rule, "arguments", v->path, v->message, reterr)
                     : sim_family_fail(turn->session->family, reterr);
    }
    if (count) {
        turn->answer.end = LG_SIM_BAD_ARGUMENTS;
        turn->answer.source = LG_SIM_SOURCE_MODEL;
    }
    return status;
}

lg_status sim_ask_validator(sim_turn *turn, lg_error *reterr)
{
    sim_family *family = turn->session->family;
    const lg_sim_violation *items = NULL;
    size_t count = 0;
    lg_str note = LG_STR("");
    lg_ask ask;
    if (!turn->models->validator) {
        return LG_OK;
    }
    if (!begin_ask(turn, &ask)) {
        return sim_family_fail(family, reterr);
    }
    lg_status status = lg_ask_validity(&family->work, turn->models->validator, &ask, &items, &count,
                                       &note, reterr);
    status = end_ask(turn, status, note, reterr);
    return status == LG_OK ? tell_reasons(turn, items, count, reterr) : status;
}

lg_status sim_ask_responder(sim_turn *turn, const lg_json **ret, lg_error *reterr)
{
    sim_family *family = turn->session->family;
    lg_str note = LG_STR("");
    lg_ask ask;
    *ret = NULL;
    if (!begin_ask(turn, &ask)) {
        return sim_family_fail(family, reterr);
    }
    lg_status status =
        lg_ask_response(&family->work, turn->models->responder, &ask, ret, &note, reterr);
    return end_ask(turn, status, note, reterr);
}

lg_status sim_ask_estimator(sim_turn *turn, lg_error *reterr)
{
    sim_family *family = turn->session->family;
    const lg_json *state = NULL;
    lg_str note = LG_STR("");
    lg_ask ask;
    if (!turn->models->estimator) {
        return LG_OK;
    }
    if (!begin_ask(turn, &ask)) {
        return sim_family_fail(family, reterr);
    }
    lg_status status = lg_ask_state(&family->work, turn->models->estimator, &ask,
                                    turn->answer.result, &state, &note, reterr);
    status = end_ask(turn, status, note, reterr);
    turn->root = status == LG_OK && state ? state : turn->root;
    return status;
}

// --- The first state ----------------------------------------------------------------------------

// What the model has made becomes the beginning of all sessions of the family, none of which has gone on from it yet.
static void begin_anew(sim_family *family, const lg_json *state)
{
    const lg_json *old = family->start.root;
    for (lg_sim_session *s = family->sessions; s; s = s->next) {
        s->at.root = s->at.root == old ? state : s->at.root;
    }
    for (sim_snapshot *s = family->snapshots; s; s = s->next) {
        s->at.root = s->at.root == old ? state : s->at.root;
    }
    family->start.root = state;
}

lg_status sim_ask_first_state(sim_turn *turn, lg_error *reterr)
{
    sim_family *family = turn->session->family;
    const lg_json *state = NULL;
    lg_str note = LG_STR("");
    const lg_json *known = lg_json_len(family->start.root) ? family->start.root : NULL;
    if (!turn->models->estimator || !family->about.len ||
        turn->session->at.root != family->start.root) {
        return LG_OK;
    }
    lg_status status = lg_ask_first_state(&family->work, turn->models->estimator, family->sim,
                                          family->about, known, &state, &note, reterr);
    status = end_ask(turn, status, note, reterr);
    const lg_json *kept = state ? lg_json_copy(&family->own, state) : NULL;
    if (status != LG_OK || !kept != !state) {
        return status == LG_OK ? sim_family_fail(family, reterr) : status;
    }
    family->about = LG_STR(""); // it is asked once
    if (kept) {
        begin_anew(family, kept);
        turn->root = kept;
    }
    return LG_OK;
}
