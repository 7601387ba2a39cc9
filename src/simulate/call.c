// call.c: one call, from its validation to what is kept of it.
//
// Until all of it is there nothing is changed: what it needs of the memory that is kept is given back where it fails,
// and then the session is as it was.
#include "simulate/simulate_internal.h"

#include "json/tree.h"

// --- What is answered ---------------------------------------------------------------------------

static lg_status answer_call(sim_turn *turn, lg_error *reterr)
{
    sim_family *family = turn->session->family;
    lg_status status = sim_ask_first_state(turn, reterr);
    if (status == LG_OK) {
        status = sim_validate(turn, reterr);
    }
    bool refused = turn->answer.end != LG_SIM_DONE;
    if (status != LG_OK || (refused && !family->has_world)) {
        return status;
    }
    return refused && turn->answer.source == LG_SIM_SOURCE_RULES
               ? sim_carry_out(turn, reterr) // in the words of the tools themselves
           : refused ? LG_OK
                     : sim_answer(turn, reterr);
}

// The result as a model reads it, and of an error what it says.
static lg_status print_answer(sim_turn *turn, lg_error *reterr)
{
    sim_family *family = turn->session->family;
    lg_sim_answer *answer = &turn->answer;
    bool made_here =
        answer->source != LG_SIM_SOURCE_RECORDED && answer->source != LG_SIM_SOURCE_REAL;
    const lg_tool *tool =
        turn->tool && answer->end == LG_SIM_DONE && made_here ? turn->tool->of_pack : NULL;
    lg_buf text;
    answer->text = answer->error;
    if (!answer->result) {
        return LG_OK;
    }
    lg_buf_init(&text, lg_arena_left(&family->work) / 2);
    lg_world_print_result(&text, tool, answer->result);
    if (lg_buf_status(&text) == LG_OK) {
        answer->text = lg_arena_str(&family->work, lg_buf_str(&text));
    }
    bool fine = lg_buf_status(&text) == LG_OK && answer->text.ptr;
    family->quota.refused = family->quota.refused || lg_buf_status(&text) == LG_ERR_LIMIT;
    lg_buf_done(&text);
    if (lg_sim_is_error(answer) && answer->error.len == 0) {
        answer->error = answer->text.len ? answer->text : lg_str_c(lg_sim_end_name(answer->end));
    }
    return fine ? LG_OK : sim_family_fail(family, reterr);
}

// --- What is kept -------------------------------------------------------------------------------

// What the answer points to lies in the memory of the call, or among what is kept already.
static const lg_json *keep_value(sim_family *family, const lg_json *value)
{
    const lg_arena *homes[] = {&family->world.work, &family->work};
    for (size_t i = 0; i < sizeof(homes) / sizeof(homes[0]) && value; i++) {
        lg_mover mover;
        if (!lg_mover_init(&mover, homes[i], sim_kept(family))) {
            return NULL;
        }
        bool here = lg_mover_leaves(&mover, value);
        value = here ? lg_tree_move_at(&mover, value) : value;
        lg_mover_done(&mover);
    }
    return value;
}

static bool keep_state(sim_turn *turn)
{
    sim_family *family = turn->session->family;
    if (!family->has_world && turn->root) { // a world has kept it already
        turn->root = keep_value(family, turn->root);
    }
    if (turn->asked) {
        turn->asked = keep_value(family, turn->asked);
    }
    return (!turn->root == !turn->session->at.root) && (!turn->session->at.asked || turn->asked);
}

// What the history tells of the rules that a call broke: the first of them.
static bool keep_violations(sim_turn *turn, lg_sim_past *past)
{
    lg_arena *kept = sim_kept(turn->session->family);
    size_t count = turn->violation_count < LG_SIM_PAST_VIOLATIONS ? turn->violation_count
                                                                  : LG_SIM_PAST_VIOLATIONS;
    lg_sim_violation *items = count ? LG_NEW_ARRAY(kept, lg_sim_violation, count) : NULL;
    bool fine = items || !count;
    for (size_t i = 0; fine && i < count; i++) {
        const lg_sim_violation *v = &turn->violations[i];
        items[i] = (lg_sim_violation){.rule = lg_arena_str(kept, v->rule),
                                      .kind = lg_arena_str(kept, v->kind),
                                      .path = lg_arena_str(kept, v->path),
                                      .message = lg_arena_str(kept, v->message)};
        fine = items[i].rule.ptr && items[i].kind.ptr && items[i].path.ptr && items[i].message.ptr;
    }
    past->violations = items;
    past->violation_count = count;
    past->note = lg_arena_str(kept, turn->answer.note);
    return fine && past->note.ptr;
}

static bool fill_entry(sim_turn *turn, sim_entry *entry)
{
    sim_family *family = turn->session->family;
    lg_arena *kept = sim_kept(family);
    const lg_sim_answer *answer = &turn->answer;
    *entry = (sim_entry){.before = turn->session->at.root, .after = turn->root};
    entry->past =
        (lg_sim_past){.number = answer->number,
                      .tool = turn->tool ? turn->tool->name : lg_arena_str(kept, turn->call->tool),
                      .args = turn->call->args ? lg_json_copy(kept, turn->call->args) : NULL,
                      .by_user = turn->call->by_user,
                      .end = answer->end,
                      .source = answer->source,
                      .result = answer->result ? keep_value(family, answer->result) : NULL,
                      .error = lg_arena_str(kept, answer->error)};
    const lg_sim_past *past = &entry->past;
    return keep_violations(turn, &entry->past) && past->tool.ptr && past->error.ptr &&
           !past->args == !turn->call->args && !past->result == !answer->result;
}

static size_t write_count(lg_session *ledger)
{
    return lg_json_len(lg_json_get(lg_session_ledger(ledger)->state.root, LG_STR("history")));
}

// What a conversation would have seen. A ledger that cannot take in all of it takes in no more, and the gate says so from
// then on; calls are answered all the same.
static lg_status observe(sim_turn *turn, lg_error *reterr)
{
    lg_session *ledger = turn->session->ledger;
    const lg_sim_answer *answer = &turn->answer;
    lg_observed observed;
    bool refused = answer->end == LG_SIM_BAD_ARGUMENTS || answer->end == LG_SIM_UNKNOWN_TOOL;
    if (!ledger || ledger->state.lost || refused || !answer->result ||
        !lg_json_is(turn->call->args, LG_JSON_OBJECT)) {
        return LG_OK;
    }
    lg_event event = {.kind = lg_sim_is_error(answer) ? LG_EVENT_ERROR : LG_EVENT_RESULT,
                      .role = turn->call->by_user ? LG_ROLE_USER : LG_ROLE_AGENT,
                      .tool = turn->call->tool,
                      .json = turn->call->args,
                      .text = answer->text};
    lg_status status = lg_observe(ledger, &event, &observed, NULL);
    if (status == LG_ERR_OOM) {
        ledger->state.lost = ledger->memory->quota.refused;
        return ledger->state.lost ? LG_OK : lg_fail_oom(reterr); // else the call is not made
    }
    ledger->state.lost = ledger->state.lost ||
                         write_count(ledger) > turn->session->family->sim->options.ledger_writes;
    return LG_OK;
}

static lg_status keep(sim_turn *turn, uint64_t used_before, lg_error *reterr)
{
    lg_sim_session *session = turn->session;
    sim_family *family = session->family;
    const lg_sim_options *options = &family->sim->options;
    sim_entry *entry = LG_NEW(sim_kept(family), sim_entry);
    sim_page *page = sim_history_reserve(sim_kept(family), &session->at.history);
    if (!entry || !page || !keep_state(turn) || !fill_entry(turn, entry)) {
        return sim_family_fail(family, reterr);
    }
    lg_status status = observe(turn, reterr);
    if (status != LG_OK) {
        return status;
    }
    if (!options->without_state) {
        session->at.root = turn->root;
        session->at.sound = turn->sound;
        session->at.broken = turn->broken;
        session->at.asked = turn->asked;
    }
    entry->bytes = session->at.history.bytes + sim_used_bytes(sim_kept(family)) - used_before;
    sim_history_add(&session->at.history, page, entry, options->history_calls,
                    session->history_bytes);
    return LG_OK;
}

// --- The whole ----------------------------------------------------------------------------------

static void begin_turn(sim_turn *turn, lg_sim_session *session, const lg_sim_call *call,
                       const lg_sim_models *models)
{
    static const lg_sim_models none;
    sim_family *family = session->family;
    *turn = (sim_turn){.session = session,
                       .call = call,
                       .models = models ? models : &none,
                       .root = session->at.root,
                       .sound = session->at.sound,
                       .broken = session->at.broken,
                       .asked = session->at.asked};
    turn->answer = (lg_sim_answer){.text = LG_STR(""),
                                   .error = LG_STR(""),
                                   .note = LG_STR(""),
                                   .number = session->at.history.latest + 1};
    lg_arena_reset(&family->work);
    family->quota.refused = false;
    if (session->ledger) {
        session->ledger->memory->quota.refused = false;
    }
}

static void end_turn(sim_turn *turn, lg_sim_answer *ret)
{
    turn->answer.violations = turn->violations;
    turn->answer.violation_count = turn->violation_count;
    *ret = turn->answer;
}

static lg_status call_once(lg_sim_session *session, const lg_sim_call *call,
                           const lg_sim_models *models, lg_sim_answer *ret, lg_error *reterr)
{
    sim_family *family = session->family;
    sim_turn turn;
    begin_turn(&turn, session, call, models);
    lg_arena_mark mark = lg_arena_mark_here(sim_kept(family));
    size_t used = sim_used_bytes(sim_kept(family));
    lg_status status = answer_call(&turn, reterr);
    if (status == LG_OK) {
        status = print_answer(&turn, reterr);
    }
    if (status == LG_OK) {
        status = keep(&turn, used, reterr);
    }
    if (status != LG_OK) {
        lg_arena_rewind(sim_kept(family), mark);
        return status;
    }
    end_turn(&turn, ret);
    return LG_OK;
}

lg_status lg_sim_call_tool(lg_sim_session *session, const lg_sim_call *call,
                           const lg_sim_models *models, lg_sim_answer *ret, lg_error *reterr)
{
    sim_family *family = session->family;
    // Whoever is asked outside of this process is asked once: there is no second run, so that room is made before.
    bool waits = lg_sim_may_wait(session, call, models);
    sim_family_tidy(family, waits && family->quota.held_bytes > family->quota.limit_bytes / 2);
    lg_status status = call_once(session, call, models, ret, reterr);
    if (status == LG_ERR_LIMIT && family->quota.refused && !waits) {
        sim_family_tidy(family, true); // perhaps it was for what nobody needs
        status = call_once(session, call, models, ret, reterr);
    }
    return status;
}

lg_status lg_sim_validate(lg_sim_session *session, const lg_sim_call *call,
                          const lg_sim_models *models, lg_sim_answer *ret, lg_error *reterr)
{
    sim_turn turn;
    begin_turn(&turn, session, call, models);
    turn.answer.number = 0; // it is none
    lg_status status = sim_validate(&turn, reterr);
    if (status == LG_OK) {
        turn.answer.text = turn.answer.error;
        end_turn(&turn, ret);
    }
    return status;
}

lg_status lg_sim_take_call(lg_sim_session *session, const lg_sim_call *call, lg_sim_answer *answer,
                           lg_error *reterr)
{
    sim_family *family = session->family;
    sim_turn turn;
    sim_family_tidy(family, false);
    begin_turn(&turn, session, call, NULL);
    uint64_t number = turn.answer.number;
    turn.tool = answer->tool;
    turn.answer = *answer;
    turn.answer.note = LG_STR("");
    turn.answer.number = number;
    turn.answer.result = answer->result ? lg_json_copy(&family->work, answer->result) : NULL;
    if (answer->result && !turn.answer.result) {
        return sim_family_fail(family, reterr);
    }
    lg_arena_mark mark = lg_arena_mark_here(sim_kept(family));
    lg_status status = keep(&turn, sim_used_bytes(sim_kept(family)), reterr);
    if (status != LG_OK) {
        lg_arena_rewind(sim_kept(family), mark);
        return status;
    }
    answer->number = number;
    return LG_OK;
}
