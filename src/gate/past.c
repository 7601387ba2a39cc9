// past.c: writes that may or may not have happened.
//
// The history holds what was carried out, and beside it writes of which that is not known: one that
// failed with an error that tells nothing, or whose answer has not come. History both forbids (no
// repeated write) and permits (a certificate after a cancellation), so neither counting such a write nor
// leaving it out is safe. A rule that reads the history is judged with and without each of them, and the
// severer verdict stands. That is all subsets while they are few; of more the rule knows too little, and
// refuses.
#include "gate/gate_internal.h"

#include "json/tree.h"

static const lg_json *history_of(const judgement *j)
{
    return lg_json_get(j->state->root, LG_STR("history"));
}

// Once a decision, when the first rule asks. False when out of memory.
static bool find_uncertain(judgement *j)
{
    past *p = &j->past;
    if (p->looked) {
        return true;
    }
    const lg_json *history = history_of(j);
    size_t count = lg_json_len(history);
    if (!lg_budget_take(j->work, count / 4)) {
        return true;
    }
    p->looked = true;
    for (size_t i = j->state->certain; i < count; i++) {
        if (lg_ledger_is_uncertain(lg_json_item(history, i))) {
            p->count++;
        }
    }
    p->items = p->count ? LG_NEW_ARRAY(&j->log_arena, uint32_t, p->count) : NULL;
    for (size_t i = j->state->certain, next = 0; p->items && i < count; i++) {
        if (lg_ledger_is_uncertain(lg_json_item(history, i))) {
            p->items[next++] = (uint32_t)i;
        }
    }
    return p->count == 0 || p->items != NULL;
}

// Is uncertain write number `index` left out?
static bool is_left_out(const past *p, uint32_t without, uint32_t index)
{
    return p->count > PAST_UNCERTAIN_MAX || (without >> index & 1);
}

// The ledger without those of the uncertain writes whose bits are set; without all, if they are many.
// NULL when out of memory, and without the steps for it.
static const lg_json *ledger_without(judgement *j, uint32_t without)
{
    past *p = &j->past;
    const lg_json *history = history_of(j);
    size_t count = lg_json_len(history);
    if (p->roots[without]) {
        return p->roots[without];
    }
    if (!lg_budget_take(j->work, 20 + count / 2)) {
        return NULL;
    }
    lg_json *items = LG_NEW_ARRAY(&j->log_arena, lg_json, count);
    lg_json *root = LG_NEW(&j->log_arena, lg_json);
    if (!items || !root) {
        return NULL;
    }
    size_t kept = 0;
    uint32_t next = 0;
    for (size_t i = 0; i < count; i++) {
        bool uncertain = next < p->count && p->items[next] == i;
        if (!uncertain || !is_left_out(p, without, next)) {
            items[kept++] = *lg_json_item(history, i);
        }
        next += uncertain;
    }
    lg_status status = lg_tree_with_member(&j->log_arena, j->state->root, LG_STR("history"),
                                           lg_json_make_array(items, kept), root);
    p->roots[without] = status == LG_OK ? root : NULL;
    return p->roots[without];
}

bool is_other_past(const judgement *j, const lg_json *node)
{
    for (uint32_t i = 1; j->past.count && i < PAST_SUBSETS; i++) {
        if (node && j->past.roots[i] == node) {
            return true;
        }
    }
    return false;
}

const lg_json *as_of_state(const judgement *j, const lg_json *node)
{
    size_t count = lg_json_len(j->state->root);
    bool copied = node && j->past.count && count && count <= LG_JSON_INDEX_MIN;
    for (uint32_t i = 1; copied && i < PAST_SUBSETS; i++) {
        const lg_json *other = j->past.roots[i];
        if (!other || lg_json_len(other) != count) {
            continue;
        }
        uintptr_t first = (uintptr_t)&lg_json_member_at(other, 0)->value;
        uintptr_t at = (uintptr_t)node - first;
        if (at < count * sizeof(lg_json_member)) {
            return &lg_json_member_at(j->state->root, at / sizeof(lg_json_member))->value;
        }
    }
    return node;
}

// False when out of memory, and without the steps for it.
static bool evaluate_without(judgement *j, const lg_rule *rule, uint32_t without, bool log,
                             outcome *ret)
{
    past *p = &j->past;
    const lg_json *root = without ? ledger_without(j, without) : j->state->root;
    if (!root) {
        return false;
    }
    j->values[LG_SLOT_LEDGER] = lg_cel_from_json(root);
    p->other_bound = without != 0;
    return evaluate_once(j, rule, log, ret) == LG_OK;
}

lg_status judge_other_pasts(judgement *j, const lg_rule *rule, bool log, outcome *o)
{
    if (!find_uncertain(j)) {
        return LG_ERR_OOM;
    }
    past *p = &j->past;
    if (p->count == 0) {
        return LG_OK;
    }
    bool few = p->count <= PAST_UNCERTAIN_MAX;
    uint32_t subsets = few ? 1u << p->count : 2;
    uint32_t worst = 0;
    lg_verdict verdict = outcome_verdict(rule, o);
    bool differ = false;
    outcome other;
    for (uint32_t without = 1; without < subsets && !j->work->spent; without++) {
        if (!evaluate_without(j, rule, without, false, &other)) {
            return j->work->spent ? LG_OK : LG_ERR_OOM;
        }
        lg_verdict found = outcome_verdict(rule, &other);
        differ = differ || found != verdict;
        worst = found > verdict ? without : worst;
        verdict = found > verdict ? found : verdict;
    }
    if (j->work->spent) {
        return LG_OK;
    }
    // Once more, for what the message shows, and for the evidence.
    uint32_t log_from = o->log_from;
    if (!evaluate_without(j, rule, worst, log && worst, worst ? o : &other)) {
        return j->work->spent ? LG_OK : LG_ERR_OOM;
    }
    o->log_from = log_from;
    if (!few && verdict < rule->otherwise) {
        o->kind = OUTCOME_UNCERTAIN;
    }
    o->uncertain = differ;
    return LG_OK;
}

// --- In words -----------------------------------------------------------------------------------

#define NAMES_SHOWN 4u

static lg_str name_of(const judgement *j, uint32_t index)
{
    const lg_json *write = lg_json_item(history_of(j), j->past.items[index]);
    return lg_json_str(lg_json_get(write, LG_STR("name")));
}

void print_uncertain(judgement *j, lg_buf *out)
{
    uint32_t shown = 0;
    bool more = j->past.count > PAST_SUBSETS; // that nobody looks through
    lg_buf_add_c(out, "It is not known whether ");
    for (uint32_t i = 0; i < j->past.count && i < PAST_SUBSETS; i++) {
        bool repeated = false;
        for (uint32_t k = 0; k < i && !repeated; k++) {
            repeated = lg_str_eq(name_of(j, k), name_of(j, i));
        }
        more = more || (!repeated && shown == NAMES_SHOWN);
        if (!repeated && shown < NAMES_SHOWN) {
            lg_buf_add_c(out, shown ? ", " : "");
            add_shown(out, name_of(j, i));
            shown++;
        }
    }
    lg_buf_addf(out, "%s %s carried out", more ? " and others" : "", shown > 1 ? "were" : "was");
    if (j->past.count > 1) {
        lg_buf_addf(out, " (%u writes)", j->past.count);
    }
}
