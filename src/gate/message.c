// message.c: findings and decisions in words, for a model that shall act on them.
#include "gate/gate_internal.h"

#include "base/utf8.h"

// Texts of others are cut and cleaned, so that a message stays one text that can be passed on.
#define NAME_BYTES_MAX 120u
#define PLACE_BYTES_MAX 400u  // a path, a read with its arguments, a value that is offered
#define VALUE_BYTES_MAX 2000u // what stands for one placeholder of a rule's words

static void add_cut(lg_buf *out, lg_str text, size_t bytes_max)
{
    lg_str cut = lg_str_cut(text, bytes_max);
    lg_utf8_add_printable(out, cut);
    lg_buf_add_c(out, cut.len < text.len ? "..." : "");
}

void add_shown(lg_buf *out, lg_str text)
{
    add_cut(out, text, NAME_BYTES_MAX);
}

void add_place(lg_buf *out, lg_str text)
{
    add_cut(out, text, PLACE_BYTES_MAX);
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

// --- What a rule says ---------------------------------------------------------------------------

static bool is_empty(lg_cel_value value)
{
    bool list = value.kind == LG_CEL_LIST || value.kind == LG_CEL_MAP;
    return list ? lg_cel_len(value) == 0 : value.kind == LG_CEL_STRING && value.aux == 0;
}

// A value on one line, cut where it is long.
static void print_value(judgement *j, lg_buf *out, lg_cel_value value)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_cel_print_line(&text, value, &j->budget->words);
    lg_str said = lg_buf_str(&text);
    lg_str cut = lg_str_cut(said, VALUE_BYTES_MAX);
    lg_buf_add(out, cut);
    lg_buf_add_c(out, cut.len < said.len ? "..." : "");
    out->status = lg_buf_status(&text) == LG_OK ? out->status : lg_buf_status(&text);
    lg_buf_done(&text);
}

// False if something in it is not known, or empty. What cannot be evaluated shows that it is not known; a
// message is never refused.
static bool print_template(judgement *j, lg_buf *out, const lg_template *template)
{
    bool full = true;
    for (size_t i = 0; i < template->count; i++) {
        const lg_template_part *part = &template->parts[i];
        lg_buf_add(out, part->literal);
        if (!part->program) {
            continue;
        }
        lg_cel_value value = evaluate_words(j, part->program, j->values, NULL, &j->budget->words);
        full = full && value.kind != LG_CEL_ERROR && !is_empty(value);
        if (value.kind == LG_CEL_ERROR) {
            lg_buf_addf(out, "(%.*s: not known)", LG_FMT(part->source));
        } else {
            print_value(j, out, value);
        }
    }
    return full;
}

// A `show` that fails leaves a value that fails where it is used.
static void print_say(judgement *j, lg_buf *out, const lg_rule *rule)
{
    const lg_say *say = &rule->say;
    for (size_t i = 0; i < say->show_count; i++) {
        j->values[LG_SLOT_COUNT + rule->let_count + i] =
            evaluate_words(j, say->shows[i].program, j->values, NULL, &j->budget->shows);
    }
    for (size_t i = 0; i < say->count; i++) {
        lg_buf sentence;
        lg_buf_init(&sentence, 0);
        bool full = print_template(j, &sentence, &say->sentences[i]);
        if (i == 0 || (full && !j->budget->words.spent)) {
            lg_buf_add_c(out, i ? " " : "");
            lg_buf_add(out, lg_buf_str(&sentence));
        }
        out->status = lg_buf_status(&sentence) == LG_OK ? out->status : lg_buf_status(&sentence);
        lg_buf_done(&sentence);
    }
}

// --- What is missing ----------------------------------------------------------------------------

// What is said of a list that was computed: it has no path.
static void print_lacking(lg_buf *out, const outcome *o, const lg_finding *finding)
{
    if (finding->missing_count) {
        lg_buf_add_c(out, "This rule needs ");
        add_place(out, finding->missing[0].path);
        lg_buf_add_c(out, ", which the call does not give.");
    } else {
        lg_str source = lg_cel_program_source(o->program);
        lg_buf_addf(out, "With what the call gives, `%.*s` has no value.", LG_FMT(source));
    }
}

// "ledger.user and ledger.orders["#W1"]", of those which a read would supply, or which none would.
static size_t print_paths(lg_buf *out, const lg_finding *finding, bool supplied)
{
    size_t shown = 0;
    size_t count = 0;
    for (size_t i = 0; i < finding->missing_count; i++) {
        count += (finding->missing[i].read.len > 0) == supplied;
    }
    for (size_t i = 0; i < finding->missing_count; i++) {
        if ((finding->missing[i].read.len > 0) == supplied) {
            lg_buf_add_c(out, shown == 0 ? "" : shown + 1 == count ? " and " : ", ");
            add_place(out, finding->missing[i].path);
            shown++;
        }
    }
    return count;
}

// The reads themselves are named at the end of the message, each once.
static void print_missing(lg_buf *out, const outcome *o, const lg_finding *finding)
{
    lg_buf paths;
    if (finding->missing_count == 0) {
        lg_str source = lg_cel_program_source(o->program);
        lg_buf_addf(out, "Evidence is missing: `%.*s` has no value yet.", LG_FMT(source));
        return;
    }
    lg_buf_add_c(out, "Evidence is missing: ");
    lg_buf_init(&paths, 0);
    size_t supplied = print_paths(&paths, finding, true);
    if (supplied) {
        lg_buf_addf(out, "no tool has returned %.*s yet", LG_FMT(lg_buf_str(&paths)));
    }
    lg_buf_done(&paths);
    lg_buf_init(&paths, 0);
    size_t others = print_paths(&paths, finding, false);
    if (others) {
        lg_buf_addf(out, "%s%.*s %s in none of the records that were read", supplied ? "; " : "",
                    LG_FMT(lg_buf_str(&paths)), others == 1 ? "is" : "are");
    }
    lg_buf_done(&paths);
    lg_buf_add_c(out, ".");
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
        add_place(out, finding->missing[i].path);
        lg_buf_addf(out, " may have changed since it was read (%.*s at turn %u).", LG_FMT(tool),
                    read->part ? read->part->turn : read->entry->stale_turn);
    }
    if (finding->missing_count < o->stale_count) {
        size_t more = o->stale_count - finding->missing_count;
        lg_buf_addf(out, " So may %zu record%s more.", more, lg_plural(more));
    }
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

static const struct {
    lg_cause cause;
    lg_category category;
} kinds[] = {
    [OUTCOME_VIOLATED] = {LG_CAUSE_VIOLATED, LG_CATEGORY_ENTITY}, // unless the rule names another
    [OUTCOME_MISSING] = {LG_CAUSE_MISSING, LG_CATEGORY_STATE},
    [OUTCOME_LACKING] = {LG_CAUSE_ARGUMENTS, LG_CATEGORY_FORMAT},
    // What was to be compared has not the form that the rule counts on.
    [OUTCOME_DEFECT] = {LG_CAUSE_DEFECT, LG_CATEGORY_FORMAT},
    [OUTCOME_UNCERTAIN] = {LG_CAUSE_MISSING, LG_CATEGORY_STATE},
    [OUTCOME_STALE] = {LG_CAUSE_STALE, LG_CATEGORY_STATE},
    [OUTCOME_PENDING] = {LG_CAUSE_PENDING, LG_CATEGORY_STATE},
};

static lg_status print_finding(judgement *j, const lg_rule *rule, const outcome *o,
                               lg_finding *finding, lg_buf *text)
{
    lg_status status = LG_OK;
    if (o->uncertain && o->kind != OUTCOME_UNCERTAIN) {
        print_uncertain(j, text);
        lg_buf_add_c(text, ". In the worse case: ");
    }
    switch (o->kind) {
    case OUTCOME_VIOLATED:
        print_say(j, text, rule);
        break;
    case OUTCOME_MISSING:
        status = list_missing(j, rule, o, finding);
        print_missing(text, o, finding);
        break;
    case OUTCOME_LACKING:
        status = list_missing(j, rule, o, finding);
        print_lacking(text, o, finding);
        break;
    case OUTCOME_DEFECT:
        print_defect(j, text, rule, o);
        break;
    case OUTCOME_UNCERTAIN:
        print_uncertain(j, text);
        lg_buf_add_c(
            text, ", and this rule depends on it. These are too many to judge it with and without "
                  "each, so it refuses to be safe.");
        break;
    case OUTCOME_STALE:
        status = list_stale(j, o, finding);
        print_stale(text, o, finding);
        break;
    case OUTCOME_PENDING:
        print_pending(j, text, o);
        break;
    case OUTCOME_HOLDS:
    case OUTCOME_NOT_APPLICABLE:
    case OUTCOME_ABSTAINS:
        LG_DEBUG_ASSERT(false); // is no finding
        break;
    }
    return status;
}

lg_status write_finding(judgement *j, const lg_rule *rule, const outcome *o, lg_finding *finding)
{
    *finding = (lg_finding){.rule = rule->id,
                            .verdict = outcome_verdict(rule, o),
                            .cause = kinds[o->kind].cause,
                            .category = kinds[o->kind].category,
                            .because = rule->because};
    if (o->kind == OUTCOME_VIOLATED && rule->category != LG_CATEGORY_NONE) {
        finding->category = rule->category;
    }
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_status status = print_finding(j, rule, o, finding, &text);
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

// --- The whole decision -------------------------------------------------------------------------

// The rule that has found it; NULL of what no rule finds.
static const lg_rule *rule_of(const judgement *j, const lg_finding *finding)
{
    for (size_t i = 0; i < j->pack->rule_count; i++) {
        if (lg_str_eq(j->pack->rules[i].id, finding->rule)) {
            return &j->pack->rules[i];
        }
    }
    return NULL;
}

// Where such a rule does not hold, or it is not known whether it does, nothing of a record is told.
static bool is_alone(const judgement *j, const lg_finding *finding)
{
    const lg_rule *rule = rule_of(j, finding);
    return rule && rule->alone;
}

// What is wrong with the call, whosever the record is.
static bool is_of_call(const judgement *j, const lg_finding *finding)
{
    const lg_rule *rule = rule_of(j, finding);
    return finding->cause == LG_CAUSE_ARGUMENTS || finding->cause == LG_CAUSE_BUDGET ||
           (rule && rule->of_call);
}

bool has_alone(const judgement *j, const lg_decision *decision)
{
    for (size_t i = 0; i < decision->finding_count; i++) {
        if (is_alone(j, &decision->findings[i])) {
            return true;
        }
    }
    return false;
}

// The findings that are told: all, or those beside which nothing else is but what the call itself has wrong.
// Those that say the same stand in one line, with each policy once.
typedef struct telling {
    const lg_finding **items;
    size_t count;
    lg_verdict verdict; // the severest of them: that of the others would tell something of them
} telling;

// Has the pack such a rule that was perhaps not judged, since the steps ended before it?
static bool may_have_alone(const judgement *j, const lg_decision *decision)
{
    bool cut = false;
    bool any = false;
    for (size_t i = 0; i < decision->finding_count; i++) {
        cut = cut || decision->findings[i].cause == LG_CAUSE_BUDGET;
    }
    for (size_t i = 0; i < j->pack->rule_count && cut; i++) {
        any = any || j->pack->rules[i].alone;
    }
    return any;
}

// What is missing only because an id has not its form is no news beside that it has not.
static void leave_out_withdrawn(telling *told)
{
    size_t kept = 0;
    for (size_t i = 0; i < told->count; i++) {
        kept += !is_withdrawn(told->items[i]);
    }
    size_t all = told->count;
    told->count = kept ? 0 : all;
    for (size_t i = 0; i < all && kept; i++) {
        if (!is_withdrawn(told->items[i])) {
            told->items[told->count++] = told->items[i];
        }
    }
}

static lg_status choose_told(judgement *j, const lg_decision *decision, telling *ret)
{
    bool alone = has_alone(j, decision) || may_have_alone(j, decision);
    *ret = (telling){.items =
                         LG_NEW_ARRAY(j->scratch, const lg_finding *, decision->finding_count + 1)};
    if (!ret->items) {
        return LG_ERR_OOM;
    }
    for (size_t i = 0; i < decision->finding_count; i++) {
        const lg_finding *finding = &decision->findings[i];
        if (!alone || is_of_call(j, finding) || is_alone(j, finding)) {
            ret->items[ret->count++] = finding;
            ret->verdict = finding->verdict > ret->verdict ? finding->verdict : ret->verdict;
        }
    }
    leave_out_withdrawn(ret);
    return LG_OK;
}

// What a rule says of what it knows; what is missing, pending or lacking may turn out well.
static bool is_ruled_out(const telling *told)
{
    bool ruled_out = false;
    for (size_t i = 0; i < told->count; i++) {
        const lg_finding *finding = told->items[i];
        ruled_out =
            ruled_out || (finding->verdict == LG_BLOCK && finding->cause == LG_CAUSE_VIOLATED);
    }
    return ruled_out;
}

static bool says_same(const telling *told, size_t a, size_t b)
{
    return lg_str_eq(told->items[a]->message, told->items[b]->message);
}

// Is there one before it, that says the same, with the same policy?
static bool is_quoted(const telling *told, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (says_same(told, i, index) &&
            lg_str_eq(told->items[i]->because, told->items[index]->because)) {
            return true;
        }
    }
    return false;
}

static void print_told(const telling *told, lg_buf *out)
{
    for (size_t i = 0; i < told->count; i++) {
        bool repeated = false;
        for (size_t k = 0; k < i && !repeated; k++) {
            repeated = says_same(told, k, i);
        }
        if (repeated) {
            continue;
        }
        lg_buf_addf(out, "\n- %.*s", LG_FMT(told->items[i]->rule));
        for (size_t k = i + 1; k < told->count; k++) {
            if (says_same(told, i, k)) {
                lg_buf_addf(out, ", %.*s", LG_FMT(told->items[k]->rule));
            }
        }
        lg_buf_addf(out, ": %.*s", LG_FMT(told->items[i]->message));
        for (size_t k = i; k < told->count; k++) {
            if (says_same(told, i, k) && told->items[k]->because.len && !is_quoted(told, k)) {
                lg_buf_addf(out, " [%.*s]", LG_FMT(told->items[k]->because));
            }
        }
    }
}

static bool is_known_read(const lg_str *reads, size_t count, lg_str read)
{
    for (size_t i = 0; i < count; i++) {
        if (lg_str_eq(reads[i], read)) {
            return true;
        }
    }
    return false;
}

// "Call get_user_details(user_id: "mia_1") and get_order_details(order_id: "#W1") first": each once.
static lg_status print_reads(judgement *j, const telling *told, lg_buf *out)
{
    size_t all = 0;
    for (size_t i = 0; i < told->count; i++) {
        all += told->items[i]->missing_count;
    }
    lg_str *reads = LG_NEW_ARRAY(j->scratch, lg_str, all + 1);
    size_t count = 0;
    if (!reads) {
        return LG_ERR_OOM;
    }
    for (size_t i = 0; i < told->count; i++) {
        for (size_t m = 0; m < told->items[i]->missing_count; m++) {
            lg_str read = told->items[i]->missing[m].read;
            if (read.len && !is_known_read(reads, count, read)) {
                reads[count++] = read;
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        lg_buf_add_c(out, i == 0 ? "\nCall " : i + 1 == count ? " and " : ", ");
        add_place(out, reads[i]);
    }
    lg_buf_add_c(out, count ? " first, then try again." : "");
    return LG_OK;
}

// Values for one argument stand together.
static void print_hints(const lg_decision *decision, lg_buf *out)
{
    for (size_t i = 0; i < decision->hint_count; i++) {
        const lg_hint *hint = &decision->hints[i];
        bool first = i == 0 || !lg_str_eq(hint[-1].path, hint->path);
        bool last = i + 1 == decision->hint_count || !lg_str_eq(hint[1].path, hint->path);
        if (first) {
            lg_buf_add_c(out, "\nThe rules would pass with ");
            add_place(out, hint->path);
            lg_buf_add_c(out, " = ");
        } else {
            lg_buf_add_c(out, last ? " or " : ", ");
        }
        add_place(out, hint->value);
        lg_buf_add_c(out, last ? ", if that is what is wanted." : "");
    }
    if (decision->hints_cut && decision->hint_count) {
        lg_buf_add_c(out, "\nThere may be other values that pass; the search ended early.");
    }
}

lg_status write_message(judgement *j, lg_decision *decision)
{
    telling told;
    lg_buf text;
    if (choose_told(j, decision, &told) != LG_OK) {
        return LG_ERR_OOM;
    }
    lg_status status = LG_OK;
    lg_buf_init(&text, 0);
    if (decision->verdict != LG_ALLOW) {
        add_shown(&text, j->call->tool);
        lg_buf_addf(&text, " was not carried out (%s).", lg_verdict_name(told.verdict));
    }
    print_told(&told, &text);
    if (is_ruled_out(&told)) {
        lg_buf_add_c(
            &text, "\nWhat was observed rules this call out: do not make it again unless that has "
                   "changed.");
    } else {
        status = print_reads(j, &told, &text);
        print_hints(decision, &text);
    }
    lg_status taken = take_text(j, &text, &decision->message);
    return status == LG_OK ? taken : status;
}
