// derive.c: the derivation of calls at a concrete state, as in appendix G.6 of ToolGate.
//
// Each step is made as the rule for a step says: P is asked of the gate, and a call that does not
// meet it is not made; the call is carried out on the state; Q is asked of what it returned; only
// then is the ledger extended. What is shown is what they answered, and what has changed.
#include "cli/prove/explain.h"

#include "base/utf8.h"
#include "gate/gate.h"

#include <stdio.h>

#define CHANGES_SHOWN 12u
#define VALUE_BYTES_SHOWN 160u
#define LABEL_WIDTH 34u // at least
#define LABEL_WIDTH_MAX 60u

typedef struct derivation {
    cli_out *out;
    bool json; // a line a call; what are lines otherwise are items of its `lines`
    lg_json_writer w;
    size_t label_width;
    cli_carry carry;
    size_t unsafe; // steps after which something does not hold
    size_t made;
    size_t withheld; // calls that did not meet P
} derivation;

// --- Lines --------------------------------------------------------------------------------------

static void member(derivation *d, const char *key, lg_str value)
{
    lg_jw_member_str(&d->w, key, value);
}

static void line(derivation *d, const char *letter, lg_str label)
{
    if (d->json) {
        lg_jw_begin_object(&d->w);
        member(d, "of", lg_str_c(letter));
        member(d, "id", label);
        return;
    }
    lg_buf_add_c(&d->out->buf, "      ");
    cli_pad(d->out, lg_str_c(letter), 4);
    cli_pad(d->out, label, d->label_width);
    lg_buf_add_c(&d->out->buf, " ");
}

static void end_line(derivation *d, const char *words, lg_str why)
{
    if (d->json) {
        member(d, "says", lg_str_c(words));
        if (why.len) {
            member(d, "why", why);
        }
        lg_jw_end_object(&d->w);
        return;
    }
    lg_buf_add_c(&d->out->buf, words);
    if (why.len) {
        lg_buf_add_c(&d->out->buf, ": ");
        cli_add_text(d->out, why);
    }
    lg_buf_add_c(&d->out->buf, "\n");
}

// What follows of all lines of a step.
static void end_step(derivation *d, bool safe, const char *words, lg_str why)
{
    if (!d->json) {
        lg_buf_add_c(&d->out->buf, "      so  ");
        end_line(d, words, why);
        return;
    }
    lg_jw_end_array(&d->w);
    lg_jw_member_bool(&d->w, "safe", safe);
    member(d, "so", lg_str_c(words));
    if (why.len) {
        member(d, "why", why);
    }
    lg_jw_end_object(&d->w);
    lg_buf_add_c(&d->out->buf, "\n");
    d->w = (lg_json_writer){.out = &d->out->buf}; // the next line is a value of its own
}

// --- P ------------------------------------------------------------------------------------------

static const lg_finding *finding_of(const lg_decision *decision, lg_str rule)
{
    for (size_t i = 0; i < decision->finding_count; i++) {
        if (lg_str_eq(decision->findings[i].rule, rule)) {
            return &decision->findings[i];
        }
    }
    return NULL;
}

static void show_read(derivation *d, const lg_decision *decision)
{
    for (size_t i = 0; i < decision->evidence_count; i++) {
        const lg_evidence *e = &decision->evidence[i];
        if (!e->observed) {
            continue;
        }
        line(d, "σ", e->path);
        if (d->json) {
            member(d, "value", e->value);
            lg_jw_member_bool(&d->w, "stale", e->stale);
            lg_jw_end_object(&d->w);
        } else {
            cli_add_text(d->out, e->value);
            lg_buf_add_c(&d->out->buf, e->stale ? ", stale\n" : "\n");
        }
    }
}

// The gate says which rules have a finding. Of the others it says how many abstain.
static void show_precondition(derivation *d, const lg_tool *tool, const lg_decision *decision)
{
    const char *fine = decision->rules_abstained ? "no finding" : "holds";
    const lg_finding *arguments = finding_of(decision, LG_STR("arguments"));
    show_read(d, decision);
    if (arguments) {
        line(d, "P", LG_STR("arguments"));
        end_line(d, "does not hold", arguments->message);
    }
    for (size_t i = 0; i < tool->rule_count; i++) {
        lg_str id = d->carry.pack->rules[tool->rules[i]].id;
        const lg_finding *finding = finding_of(decision, id);
        line(d, "P", id);
        end_line(d, finding ? lg_cause_name(finding->cause) : fine,
                 finding ? finding->message : LG_STR(""));
    }
    if (decision->rules_abstained) {
        line(d, "P", LG_STR("rules that abstain"));
        char words[64];
        snprintf(words, sizeof(words), "%zu, for want of evidence", decision->rules_abstained);
        end_line(d, words, LG_STR(""));
    }
}

static bool ask_gate(derivation *d, const cli_call *call, const lg_tool *tool, bool *ret_allowed)
{
    lg_decision decision;
    lg_error error;
    lg_gate_call proposed = {.tool = call->name,
                             .args = call->args,
                             .args_text = call->args_text,
                             .now_seconds = d->carry.now_seconds};
    lg_gate_options options = {.explain = LG_EXPLAIN_EVIDENCE};
    *ret_allowed = true;
    if (call->by_user || !tool || tool->kind != LG_TOOL_WRITE) {
        line(d, "P", LG_STR("true"));
        end_line(d, "holds", LG_STR(""));
        return true;
    }
    if (lg_gate_decide(d->carry.pack, &lg_session_ledger(d->carry.session)->state, &proposed,
                       &options, &d->carry.scratch, &decision, &error) != LG_OK) {
        return false;
    }
    show_precondition(d, tool, &decision);
    *ret_allowed = decision.verdict == LG_ALLOW;
    return true;
}

// --- Q ------------------------------------------------------------------------------------------

static const lg_world_breach *breach_of(const lg_world_outcome *outcome,
                                        const lg_condition *condition)
{
    for (size_t i = 0; i < outcome->breach_count; i++) {
        if (outcome->breaches[i].condition == condition) {
            return &outcome->breaches[i];
        }
    }
    return NULL;
}

static bool show_postcondition(derivation *d, const lg_world_outcome *outcome)
{
    const lg_rejection *rejection = lg_rejected(d->carry.session);
    bool accepted = !rejection;
    if (outcome->tool->result) {
        bool fits = accepted || !lg_str_eq(rejection->condition, LG_STR("returns"));
        line(d, "Q", LG_STR("returns"));
        end_line(d, fits ? "holds" : "does not hold",
                 fits ? LG_STR("") : lg_str_c(rejection->message));
    }
    for (size_t i = 0; i < outcome->tool->ensure_count; i++) {
        const lg_condition *condition = &outcome->tool->ensures[i];
        const lg_world_breach *breach = breach_of(outcome, condition);
        line(d, "Q", condition->id);
        end_line(d, breach ? "does not hold" : "holds", breach ? breach->why : LG_STR(""));
        accepted = accepted && !breach;
    }
    return accepted;
}

// --- U ------------------------------------------------------------------------------------------

typedef struct extent {
    size_t added, changed, removed; // of the state
} extent;

// Shows where two values differ, and counts. False when out of memory.
static bool show_changes(derivation *d, const char *root, const lg_json *before,
                         const lg_json *after, extent *counts)
{
    lg_world_differences changes = {.arena = &d->carry.scratch, .limit = CHANGES_SHOWN};
    lg_world_compare(before, after, &changes);
    for (size_t i = 0; i < changes.count; i++) {
        const lg_world_difference *change = &changes.items[i];
        counts->added += !change->before;
        counts->removed += !change->after;
        counts->changed += change->before && change->after;
        if (d->json) {
            lg_str path = lg_arena_printf(&d->carry.scratch, "%s.%.*s", root, LG_FMT(change->path));
            line(d, "U", path.ptr ? path : change->path);
            lg_jw_member_json(&d->w, "old", change->before);
            lg_jw_member_json(&d->w, "new", change->after);
            lg_jw_end_object(&d->w);
            continue;
        }
        lg_buf_addf(&d->out->buf, "      U   %s.", root);
        cli_add_text(d->out, change->path);
        lg_buf_add_c(&d->out->buf, ": ");
        cli_add_json(d->out, change->before, VALUE_BYTES_SHOWN);
        lg_buf_add_c(&d->out->buf, " -> ");
        cli_add_json(d->out, change->after, VALUE_BYTES_SHOWN);
        lg_buf_add_c(&d->out->buf, "\n");
    }
    if (changes.total > changes.count) {
        if (!d->json) {
            size_t more = changes.total - changes.count;
            lg_buf_addf(&d->out->buf, "      U   ... and %zu more\n", more);
        }
        counts->changed += changes.total - changes.count; // more cannot be said of them
    }
    return !changes.oom;
}

// --- I ------------------------------------------------------------------------------------------

// Every entry of the ledger has its type, and invariants of the ledger held when it was extended:
// the ledger discards what would break them.
static bool show_invariants(derivation *d, const char *state)
{
    bool all = true;
    for (size_t i = 0; i < d->carry.pack->state_invariant_count; i++) {
        bool broken = d->carry.broken && d->carry.broken[i];
        line(d, state, d->carry.pack->state_invariants[i].id);
        end_line(d, broken ? "does not hold" : "holds", LG_STR(""));
        all = all && !broken;
    }
    return all;
}

static void conclude(derivation *d, bool accepted, bool sound, const extent *counts)
{
    if (!accepted || !sound) {
        d->unsafe++;
        end_step(d, false,
                 accepted ? "σ' is not well-formed: the step is not safe"
                          : "Q does not hold: the result is not accepted, the step is not safe",
                 LG_STR(""));
        return;
    }
    bool extension = counts->changed + counts->removed == 0;
    end_step(d, true,
             counts->added && extension
                 ? "σ' = U(σ, r) is well-formed, and an extension of σ (eq. 24)"
             : extension ? "σ' = U(σ, r) is well-formed, and the state is as it was (eq. 24)"
                         : "σ' = U(σ, r) is well-formed (eq. 24)",
             LG_STR(""));
}

// --- Steps --------------------------------------------------------------------------------------

static void head(derivation *d, size_t number, const cli_call *call)
{
    if (d->json) {
        lg_jw_begin_object(&d->w);
        lg_jw_member_uint(&d->w, "call", number);
        member(d, "name", call->name);
        lg_jw_member_json(&d->w, "arguments", call->args);
        lg_jw_key(&d->w, "lines");
        lg_jw_begin_array(&d->w);
        return;
    }
    lg_buf_addf(&d->out->buf, "%4zu  ", number);
    cli_colour(d->out, "1");
    cli_add_text(d->out, call->name);
    cli_colour(d->out, "0");
    if (call->args) {
        cli_add_json(d->out, call->args, VALUE_BYTES_SHOWN);
    } else {
        cli_add_cut(d->out, call->args_text, VALUE_BYTES_SHOWN);
    }
    lg_buf_add_c(&d->out->buf, "\n");
}

static bool end_without_effect(derivation *d, const lg_world_outcome *outcome)
{
    if (outcome->end == LG_WORLD_DONE) {
        return false;
    }
    bool fault = outcome->end == LG_WORLD_FAULT;
    d->unsafe += fault;
    end_step(d, !fault,
             fault ? "a fault of the pack, and σ' = σ: the step is not safe"
                   : "the tool's own error, and σ' = σ",
             fault ? lg_str_c(outcome->fault.msg) : LG_STR(""));
    return true;
}

static bool make_step(derivation *d, const cli_call *call, int *ret_code)
{
    lg_world_outcome outcome;
    extent state = {0};
    extent ledger = {0};
    const lg_json *before = d->carry.world.root;
    const lg_json *known = lg_session_ledger(d->carry.session)->state.root;
    if (!cli_carry_out(&d->carry, call, &outcome, ret_code)) {
        return false;
    }
    d->made++;
    if (d->json) {
        lg_jw_begin_object(&d->w);
        member(d, "of", LG_STR("r"));
        lg_jw_member_json(&d->w, "value", outcome.result);
        lg_jw_end_object(&d->w);
    } else {
        lg_buf_add_c(&d->out->buf, "      r   ");
        cli_add_json(d->out, outcome.result, VALUE_BYTES_SHOWN);
        lg_buf_add_c(&d->out->buf, "\n");
    }
    if (end_without_effect(d, &outcome)) {
        return true;
    }
    bool accepted = show_postcondition(d, &outcome);
    if (!show_changes(d, "state", before, d->carry.world.root, &state) ||
        !show_changes(d, "ledger", known, lg_session_ledger(d->carry.session)->state.root,
                      &ledger)) {
        return cli_out_of_memory(ret_code);
    }
    bool sound = show_invariants(d, "σ'");
    conclude(d, accepted, sound, &state);
    return true;
}

static bool derive_call(derivation *d, size_t number, const cli_call *call, int *ret_code)
{
    const lg_tool *tool = lg_pack_tool(d->carry.pack, call->name);
    bool allowed;
    head(d, number, call);
    if (!ask_gate(d, call, tool, &allowed)) {
        return cli_out_of_memory(ret_code);
    }
    if (!allowed) {
        d->withheld++;
        end_step(d, true, "P does not hold: the call is not made, and σ' = σ", LG_STR(""));
        return true;
    }
    return make_step(d, call, ret_code);
}

static void show_start(derivation *d, const char *state)
{
    if (!d->json) {
        lg_buf_addf(&d->out->buf, "At %s\n", state);
        d->unsafe += !show_invariants(d, "σ");
        return;
    }
    lg_jw_begin_object(&d->w);
    member(d, "state", lg_str_c(state));
    lg_jw_key(&d->w, "lines");
    lg_jw_begin_array(&d->w);
    bool sound = show_invariants(d, "σ");
    d->unsafe += !sound;
    end_step(d, sound, sound ? "σ is well-formed" : "σ is not well-formed", LG_STR(""));
}

static void show_end(derivation *d)
{
    if (!d->json) {
        lg_buf_addf(&d->out->buf, "\n%zu call%s made, %zu not made; %s\n", d->made,
                    lg_plural(d->made), d->withheld,
                    d->unsafe ? "not every step was safe (eq. 20)"
                              : "every step was safe, and every state well-formed (eq. 20)");
        return;
    }
    const struct {
        const char *name;
        size_t count;
    } counts[] = {{"made", d->made}, {"not_made", d->withheld}, {"unsafe", d->unsafe}};
    lg_jw_begin_object(&d->w);
    lg_jw_key(&d->w, "summary");
    lg_jw_begin_object(&d->w);
    for (size_t i = 0; i < LG_COUNT(counts); i++) {
        lg_jw_member_uint(&d->w, counts[i].name, counts[i].count);
    }
    lg_jw_end_object(&d->w);
    lg_jw_end_object(&d->w);
    lg_buf_add_c(&d->out->buf, "\n");
}

static bool derive_all(derivation *d, const explain_request *request, int *ret_code)
{
    cli_calls calls;
    lg_world_outcome start;
    bool fine = cli_calls_open(request->calls, NULL, &calls, ret_code) &&
                cli_carry_begin(&d->carry, calls.task, &start, ret_code);
    if (fine) {
        show_start(d, request->state);
    }
    for (size_t i = 0; fine && i < calls.count; i++) {
        fine = derive_call(d, i + 1, &calls.items[i], ret_code);
    }
    if (fine) {
        show_end(d);
    }
    cli_calls_close(&calls);
    return fine;
}

static size_t wider(size_t width, lg_str label)
{
    size_t shown = lg_utf8_count(label);
    return shown > width && shown <= LABEL_WIDTH_MAX ? shown : width;
}

// As wide as the longest name of a rule or condition.
static size_t label_width_of(const lg_pack *pack)
{
    size_t width = LABEL_WIDTH;
    for (size_t i = 0; i < pack->rule_count; i++) {
        width = wider(width, pack->rules[i].id);
    }
    for (size_t i = 0; i < pack->state_invariant_count; i++) {
        width = wider(width, pack->state_invariants[i].id);
    }
    return width;
}

bool explain_derive(cli_out *out, const explain_request *request, size_t *ret_unsafe, int *ret_code)
{
    derivation d = {.out = out,
                    .json = request->json,
                    .w = {.out = &out->buf},
                    .label_width = label_width_of(request->pack)};
    bool fine = cli_carry_open(&d.carry, request->pack, request->state, ret_code);
    if (fine) {
        lg_session_keep_all(
            d.carry.session); // what was before a call is shown beside what is after it
        fine = derive_all(&d, request, ret_code);
    }
    *ret_unsafe = d.unsafe;
    cli_carry_close(&d.carry);
    return fine;
}
