// validate.c: what is wrong with a call, by rules (Gecko, section 3.1 and appendix A.3.1): its tool, its arguments, and
// what the gate of the pack would have said. No value of the state is told in what is said of arguments.
#include "simulate/simulate_internal.h"

#include "base/utf8.h"
#include "catalogue/arguments.h"

lg_status sim_add_violation(sim_turn *turn, lg_str rule, const char *kind, lg_str path,
                            lg_str message, lg_error *reterr)
{
    sim_family *family = turn->session->family;
    lg_sim_violation *items = lg_arena_grow(&family->work, turn->violations, turn->violation_count,
                                            &turn->violation_capacity, sizeof(*items));
    if (!items || !path.ptr || !message.ptr || !rule.ptr) {
        return sim_family_fail(family, reterr);
    }
    items[turn->violation_count++] = (lg_sim_violation){rule, lg_str_c(kind), path, message};
    turn->violations = items;
    return LG_OK;
}

lg_status sim_add_note(sim_turn *turn, lg_str sentence, lg_error *reterr)
{
    sim_family *family = turn->session->family;
    lg_str old = turn->answer.note;
    if (!sentence.len) {
        return LG_OK;
    }
    turn->answer.note = lg_arena_printf(&family->work, "%.*s%s%.*s", LG_FMT(old),
                                        old.len ? "; " : "", LG_FMT(sentence));
    return turn->answer.note.ptr ? LG_OK : sim_family_fail(family, reterr);
}

void lg_sim_violations_write(lg_json_writer *w, const lg_sim_violation *items, size_t count)
{
    lg_jw_key(w, "violations");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        lg_jw_begin_object(w);
        lg_jw_member_str(w, "rule", items[i].rule);
        lg_jw_member_str(w, "kind", items[i].kind);
        lg_jw_member_str(w, "path", items[i].path);
        lg_jw_member_str(w, "message", items[i].message);
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}

// --- The tool -----------------------------------------------------------------------------------

static lg_status refuse_tool(sim_turn *turn, lg_error *reterr)
{
    sim_family *family = turn->session->family;
    lg_str name = lg_str_cut(turn->call->tool, 100);
    const char *whose = turn->call->by_user ? "of the customer's " : "";
    lg_str message =
        lg_arena_printf(&family->work, "no tool %sis called `%.*s`", whose, LG_FMT(name));
    turn->answer.end = LG_SIM_UNKNOWN_TOOL;
    turn->answer.error = message;
    return family->sim->options.without_validator
               ? LG_OK
               : sim_add_violation(turn, LG_STR("known_tool"), "arguments", LG_STR(""), message,
                                   reterr);
}

// --- Arguments ----------------------------------------------------------------------------------

// Up to where a sentence begins to tell what would be right.
static lg_str before(lg_str text, const char *words)
{
    return lg_str_slice(text, 0, lg_str_find(text, lg_str_c(words)));
}

// What is wrong, and by which rule: never the value that would have been right, which is the planner's to find.
static lg_str word_fault(lg_arena *arena, const lg_schema_violation *fault)
{
    lg_str text = lg_str_c(fault->msg);
    size_t listed = lg_json_len(lg_json_get(fault->schema, LG_STR("enum")));
    const char *rule = NULL;
    text = before(text, "; did you mean ");
    text = before(text, "; there is `");
    text = before(text, "; allowed: `");
    text = before(text, "; one of them says: ");
    if (strcmp(fault->keyword, "propertyNames") == 0) {
        return lg_arena_str(arena, before(text, "`: "));
    }
    switch (fault->fault) {
    case LG_FAULT_ENUM:
        rule = listed > 1 ? "one of the values that its schema lists" : "the value of its schema";
        break;
    case LG_FAULT_PATTERN:
        rule = "of the pattern of its schema";
        break;
    case LG_FAULT_REQUIRED:
    case LG_FAULT_UNKNOWN:
    case LG_FAULT_TYPE:
    case LG_FAULT_RANGE:
    case LG_FAULT_LENGTH:
    case LG_FAULT_FORMAT:
    case LG_FAULT_COMBINATION:
    case LG_FAULT_LIMIT:
        break;
    }
    if (!rule) {
        return lg_arena_str(arena, text);
    }
    text = before(before(text, " must be "), " must match ");
    return lg_arena_printf(arena, "%.*s must be %s", LG_FMT(text), rule);
}

// The member that is absent ends the pointer.
static lg_str pointer_of(lg_arena *arena, const lg_schema_violation *violation)
{
    lg_buf pointer;
    lg_buf_init(&pointer, 0);
    lg_buf_add_c(&pointer, violation->instance_pointer);
    if (violation->fault == LG_FAULT_REQUIRED) {
        lg_json_pointer_add(&pointer, violation->member);
    }
    return lg_buf_keep(&pointer, arena);
}

static lg_status check_arguments(sim_turn *turn, lg_error *reterr)
{
    sim_family *family = turn->session->family;
    lg_argument_check check;
    if (lg_tool_check_arguments(&family->work, turn->tool->arguments, turn->call->args,
                                turn->call->args_text, &check) != LG_OK) {
        return sim_family_fail(family, reterr);
    }
    lg_status status = LG_OK;
    lg_buf all;
    lg_buf_init(&all, 0);
    for (size_t i = 0; !check.valid && i < check.count && status == LG_OK; i++) {
        const lg_schema_violation *fault = &check.errors[i];
        lg_str words = word_fault(&family->work, fault);
        lg_buf_add_c(&all, i ? "; " : "");
        lg_utf8_add_printable(&all, words);
        status = sim_add_violation(turn, lg_str_c(fault->keyword), "arguments",
                                   pointer_of(&family->work, fault), words, reterr);
    }
    if (!check.valid) {
        // The tools of a pack speak as they really do; of others nobody knows how they would.
        turn->answer.end = LG_SIM_BAD_ARGUMENTS;
        turn->answer.error = turn->tool->of_pack || !all.len
                                 ? check.message
                                 : lg_arena_str(&family->work, lg_buf_str(&all));
    }
    lg_buf_done(&all);
    return status == LG_OK && !turn->answer.error.ptr ? sim_family_fail(family, reterr) : status;
}

// --- The gate -----------------------------------------------------------------------------------

static const char *kind_of(lg_verdict verdict)
{
    return verdict == LG_BLOCK ? "block" : "revise";
}

// No verdict is a refusal: it is told, and nobody takes it for consent.
static lg_status tell_gate_failure(sim_turn *turn, const lg_error *why, lg_error *reterr)
{
    sim_family *family = turn->session->family;
    lg_str message =
        turn->session->ledger->state.lost
            ? lg_arena_printf(
                  &family->work,
                  "no verdict: the session's ledger could not take in all that was done "
                  "(ledger_writes: %zu; memory: a quarter of session_bytes): reset the session, go "
                  "back to a snapshot, or begin a new one",
                  family->sim->options.ledger_writes)
            : lg_arena_printf(&family->work, "no verdict: %s", why->msg);
    return sim_add_violation(turn, LG_STR("gate"), "gate", LG_STR(""), message, reterr);
}

static lg_status tell_findings(sim_turn *turn, const lg_decision *decision, lg_error *reterr)
{
    lg_arena *work = &turn->session->family->work;
    lg_status status = LG_OK;
    for (size_t i = 0; i < decision->finding_count && status == LG_OK; i++) {
        const lg_finding *finding = &decision->findings[i];
        status =
            sim_add_violation(turn, lg_arena_str(work, finding->rule), kind_of(finding->verdict),
                              LG_STR(""), lg_arena_str(work, finding->message), reterr);
    }
    return status;
}

static lg_status ask_gate(sim_turn *turn, lg_error *reterr)
{
    lg_session *ledger = turn->session->ledger;
    const lg_decision *decision;
    lg_event proposed = {.kind = LG_EVENT_CALL,
                         .tool = turn->tool->name,
                         .json = turn->call->args,
                         .role = LG_ROLE_AGENT};
    lg_error why;
    if (!ledger || turn->tool->by_user || turn->tool->kind != LG_TOOL_WRITE) {
        return LG_OK;
    }
    lg_status status = lg_decide(ledger, &proposed, 1, &decision, &why);
    if (status == LG_ERR_OOM && !ledger->memory->quota.refused) {
        return lg_fail_oom(reterr);
    }
    return status == LG_OK ? tell_findings(turn, decision, reterr)
                           : tell_gate_failure(turn, &why, reterr);
}

lg_status sim_validate(sim_turn *turn, lg_error *reterr)
{
    const lg_sim *sim = turn->session->family->sim;
    turn->tool = lg_sim_tool_named(sim, turn->call->tool, turn->call->by_user);
    turn->answer.tool = turn->tool;
    turn->answer.end = LG_SIM_DONE;
    turn->answer.source = LG_SIM_SOURCE_RULES;
    if (!turn->tool) {
        return refuse_tool(turn, reterr);
    }
    if (sim->options.without_validator) {
        return LG_OK;
    }
    lg_status status = check_arguments(turn, reterr);
    if (status == LG_OK && turn->answer.end == LG_SIM_DONE) {
        status = ask_gate(turn, reterr);
    }
    if (status == LG_OK && turn->answer.end == LG_SIM_DONE) {
        status = sim_ask_validator(turn, reterr);
    }
    return status;
}
