// message.c: findings and decisions in words, for a model that shall act on them.
#include "gate/gate_internal.h"

#include "base/utf8.h"

#define SHOWN_BYTES_MAX 120u

// Texts of others are cut and cleaned, so that a message stays one text that can be passed on.
void add_shown(lg_buf *out, lg_str text)
{
    lg_str cut = lg_str_cut(text, SHOWN_BYTES_MAX);
    lg_utf8_add_printable(out, cut);
    lg_buf_add_c(out, cut.len < text.len ? "..." : "");
}

lg_status take_text(judgement *j, lg_buf *text, lg_str *ret)
{
    lg_status status = lg_buf_status(text);
    lg_str copy = lg_arena_str(j->scratch, lg_buf_str(text));
    lg_buf_done(text);
    if (status != LG_OK || !copy.ptr) {
        return LG_ERR_OOM;
    }
    *ret = copy;
    return LG_OK;
}

// A placeholder that cannot be evaluated shows that it is not known; a message is never refused.
static void print_template(judgement *j, lg_buf *out, const lg_template *template)
{
    for (size_t i = 0; i < template->count; i++) {
        const lg_template_part *part = &template->parts[i];
        lg_buf_add(out, part->literal);
        if (!part->program) {
            continue;
        }
        lg_cel_activation activation = {.values = j->values,
                                        .scratch = j->scratch,
                                        .cost_limit = j->cel_cost,
                                        .budget = &j->budget->words};
        lg_cel_value value = lg_cel_eval(part->program, &activation);
        if (value.kind == LG_CEL_ERROR) {
            lg_buf_addf(out, "(%.*s: not known)", LG_FMT(part->source));
        } else {
            lg_cel_print_line(out, value, &j->budget->words);
        }
    }
}

// What is said of a list that was computed: it has no path.
static void print_lacking(lg_buf *out, const outcome *o, const lg_finding *finding)
{
    if (finding->missing_count) {
        lg_buf_add_c(out, "This rule needs ");
        lg_utf8_add_printable(out, finding->missing[0].path);
        lg_buf_add_c(out, ", which the call does not give.");
    } else {
        lg_str source = lg_cel_program_source(o->program);
        lg_buf_addf(out, "With what the call gives, `%.*s` has no value.", LG_FMT(source));
    }
}

static void print_missing(lg_buf *out, const outcome *o, const lg_finding *finding)
{
    if (finding->missing_count == 0) {
        lg_str source = lg_cel_program_source(o->program);
        lg_buf_addf(out, "Evidence is missing: `%.*s` has no value yet.", LG_FMT(source));
        return;
    }
    const lg_missing *missing = &finding->missing[0];
    if (missing->read.len) {
        lg_buf_add_c(out, "Evidence is missing: no tool has returned ");
        lg_utf8_add_printable(out, missing->path);
        lg_buf_add_c(out, " yet. Call ");
        lg_utf8_add_printable(out, missing->read);
        lg_buf_add_c(out, " first, then try again.");
    } else {
        lg_buf_add_c(out, "Evidence is missing: ");
        lg_utf8_add_printable(out, missing->path);
        lg_buf_add_c(out, " is in none of the records that were read.");
    }
}

static void print_stale(lg_buf *out, const outcome *o, const lg_finding *finding)
{
    if (finding->missing_count == 0) {
        lg_buf_add_c(out,
                     "What it has read may have changed since; read it again, then try again.");
        return;
    }
    for (size_t i = 0; i < finding->missing_count; i++) {
        const stale_read *read = &o->stale[i];
        lg_str tool = read->part ? read->part->tool : read->entry->stale_tool;
        lg_buf_add_c(out, i ? " " : "");
        lg_utf8_add_printable(out, finding->missing[i].path);
        lg_buf_addf(out, " may have changed since it was read (%.*s at turn %u).", LG_FMT(tool),
                    read->part ? read->part->turn : read->entry->stale_turn);
    }
    lg_buf_add_c(out, " Read again: ");
    for (size_t i = 0; i < finding->missing_count; i++) {
        bool repeated = false;
        for (size_t k = 0; k < i && !repeated; k++) {
            repeated = lg_str_eq(finding->missing[k].read, finding->missing[i].read);
        }
        if (!repeated) {
            lg_buf_add_c(out, i ? ", " : "");
            lg_utf8_add_printable(out, finding->missing[i].read);
        }
    }
    if (finding->missing_count < o->stale_count) {
        lg_buf_addf(out, ", and %zu record%s more", o->stale_count - finding->missing_count,
                    lg_plural(o->stale_count - finding->missing_count));
    }
    lg_buf_add_c(out, "; then try again.");
}

static void print_defect(judgement *j, lg_buf *out, const lg_rule *rule, const outcome *o)
{
    lg_position at = lg_pack_position(j->pack, rule->offset);
    lg_buf_addf(out,
                "Rule %.*s (%s:%u) could not be evaluated: %s. This is a fault of the pack or of a "
                "record, not of the call; it is refused to be safe.",
                LG_FMT(rule->id), at.file, at.line,
                o->failure ? o->failure->what : "the result is not a bool");
}

// What a rule says need not end in a stop.
static void end_sentence(lg_buf *text)
{
    lg_str said = lg_str_trim(lg_buf_str(text));
    bool ended = said.len && strchr(".!?;:", said.ptr[said.len - 1]);
    lg_buf_add_c(text, ended ? "" : ".");
}

lg_status write_finding(judgement *j, const lg_rule *rule, const outcome *o, lg_finding *finding)
{
    *finding = (lg_finding){
        .rule = rule->id, .verdict = outcome_verdict(rule, o), .because = rule->because};
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_status status = LG_OK;
    if (o->kind == OUTCOME_VIOLATED) {
        finding->cause = LG_CAUSE_VIOLATED;
        finding->category =
            rule->category == LG_CATEGORY_NONE ? LG_CATEGORY_ENTITY : rule->category;
        print_template(j, &text, &rule->say);
    } else if (o->kind == OUTCOME_MISSING) {
        finding->cause = LG_CAUSE_MISSING;
        finding->category = LG_CATEGORY_STATE;
        status = list_missing(j, o, finding);
        print_missing(&text, o, finding);
    } else if (o->kind == OUTCOME_LACKING) {
        finding->cause = LG_CAUSE_ARGUMENTS;
        finding->category = LG_CATEGORY_FORMAT;
        status = list_missing(j, o, finding);
        print_lacking(&text, o, finding);
    } else if (o->kind == OUTCOME_UNCERTAIN) {
        finding->cause = LG_CAUSE_MISSING;
        finding->category = LG_CATEGORY_STATE;
        lg_buf_add_c(&text, "This rule depends on what was done before, and ");
        print_uncertain(j, &text);
        lg_buf_add_c(&text, ", too many to judge it with and without each; it refuses to be safe.");
    } else if (o->kind == OUTCOME_STALE) {
        finding->cause = LG_CAUSE_STALE;
        finding->category = LG_CATEGORY_STATE;
        status = list_stale(j, o, finding);
        print_stale(&text, o, finding);
    } else if (o->kind == OUTCOME_PENDING) {
        finding->cause = LG_CAUSE_PENDING;
        finding->category = LG_CATEGORY_STATE;
        print_pending(j, &text, o);
    } else { // what was to be compared has not the form that the rule counts on
        finding->cause = LG_CAUSE_DEFECT;
        finding->category = LG_CATEGORY_FORMAT;
        print_defect(j, &text, rule, o);
    }
    if (o->uncertain && o->kind != OUTCOME_UNCERTAIN) {
        end_sentence(&text);
        lg_buf_add_c(&text, " Note that ");
        print_uncertain(j, &text);
        lg_buf_add_c(&text, "; the severer verdict stands.");
    }
    lg_status taken = take_text(j, &text, &finding->message);
    return status == LG_OK ? taken : status;
}

lg_status write_out_of_steps(judgement *j, lg_str what, lg_finding *finding)
{
    *finding = (lg_finding){.rule = what,
                            .verdict = LG_REVISE,
                            .cause = LG_CAUSE_BUDGET,
                            .category = LG_CATEGORY_FORMAT,
                            .because = LG_STR("")};
    static const char format[] =
        "There was no verdict within its share of the %llu step%s of a decision (decision_steps), "
        "so the call is refused to be safe. Try it with fewer or shorter arguments; if that is no "
        "help, it cannot be judged, nor made.";
    uint64_t steps = j->budget->steps;
    finding->message =
        lg_arena_printf(j->scratch, format, (unsigned long long)steps, lg_plural(steps));
    return finding->message.ptr ? LG_OK : LG_ERR_OOM;
}

// A call that only lacks an argument is judged anew once it has it.
static bool is_ruled_out(const lg_decision *decision)
{
    bool ruled_out = false;
    for (size_t i = 0; i < decision->finding_count; i++) {
        const lg_finding *finding = &decision->findings[i];
        ruled_out =
            ruled_out || (finding->verdict == LG_BLOCK && finding->cause != LG_CAUSE_ARGUMENTS);
    }
    return ruled_out;
}

lg_status write_message(judgement *j, lg_decision *decision)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    if (decision->verdict != LG_ALLOW) {
        add_shown(&text, j->call->tool);
        lg_buf_addf(&text, " was not carried out (%s).", lg_verdict_name(decision->verdict));
    }
    for (size_t i = 0; i < decision->finding_count; i++) {
        const lg_finding *finding = &decision->findings[i];
        lg_buf_addf(&text, "\n- %.*s: %.*s", LG_FMT(finding->rule), LG_FMT(finding->message));
        if (finding->because.len) {
            lg_buf_addf(&text, " [policy: %.*s]", LG_FMT(finding->because));
        }
    }
    for (size_t i = 0; i < decision->hint_count; i++) {
        lg_buf_add_c(&text, "\nThe rules would pass with ");
        lg_utf8_add_printable(&text, decision->hints[i].path);
        lg_buf_add_c(&text, " = ");
        lg_utf8_add_printable(&text, decision->hints[i].value);
        lg_buf_add_c(&text, ", if that is what is wanted.");
    }
    if (decision->hints_cut && decision->hint_count) {
        lg_buf_add_c(&text, "\nThere may be other values that pass; the search ended early.");
    }
    if (is_ruled_out(decision)) {
        lg_buf_add_c(&text, "\nThe action is ruled out by what was observed; do not repeat it.");
    }
    return take_text(j, &text, &decision->message);
}
