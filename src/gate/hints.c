// hints.c: what would pass.
//
// The gate is a verifier and repairs nothing (LedgerAgent section 3.3), but it can look. For each
// argument that a violated rule has read, and that the rule offers other values for (`offer`), it tries the
// values that the rule has compared it with or looked it up among. A value is a hint only if the whole
// call passes with it: schema and all rules. What is the customer's to choose is never offered, and the
// pack says what is not.
#include "gate/gate_internal.h"

#include "json/tree.h"

#define TRIALS_MAX 128u
#define HINTS_MAX 8u
#define ARGUMENTS_MAX 16u

typedef struct search {
    judgement *j;
    const outcome *outcomes; // of the call as it is
    lg_decision *decision;
    lg_hint *hints;
    uint32_t trials;
    uint32_t log_from, log_to; // what the violated rule has read
} search;

// A copy of `value` in which the node at `steps` is `with`. NULL when out of memory or the path
// does not lead anywhere. As deep as the path, which is bounded.
static const lg_json *replaced(judgement *j, const lg_json *value, const read_step *steps,
                               uint32_t count, const lg_json *with)
{
    if (count == 0) {
        return with;
    }
    const lg_json *old =
        steps->is_index ? lg_json_item(value, steps->index) : lg_json_get(value, steps->key);
    const lg_json *child = old ? replaced(j, old, steps + 1, count - 1, with) : NULL;
    lg_json *copy = LG_NEW(j->scratch, lg_json);
    if (!copy || !child) {
        return NULL;
    }
    lg_status status = steps->is_index
                           ? lg_tree_with_item_at(j->scratch, value, steps->index, *child, copy)
                           : lg_tree_with_member(j->scratch, value, steps->key, *child, copy);
    return status == LG_OK ? copy : NULL;
}

// A rule that abstains has found nothing out: that passes only if it was so with the call itself,
// or a value that is in no record would be the best of advice.
static lg_status passes(const search *s, const lg_json *args, bool *ret)
{
    judgement *j = s->j;
    *ret =
        !j->tool->arguments || lg_schema_validate_within(j->tool->arguments, args, NULL, j->work);
    judgement_bind(j, args);
    for (size_t i = 0; i < j->tool->rule_count && *ret; i++) {
        outcome o;
        if (evaluate_rule(j, &j->pack->rules[j->tool->rules[i]], false, &o) != LG_OK) {
            return LG_ERR_OOM;
        }
        bool as_before = o.kind == OUTCOME_ABSTAINS && s->outcomes[i].kind == OUTCOME_ABSTAINS;
        *ret = o.kind == OUTCOME_HOLDS || o.kind == OUTCOME_NOT_APPLICABLE || as_before;
        *ret = *ret && !j->work->spent;
    }
    return LG_OK;
}

static bool known_hint(const search *s, lg_str path, lg_str value)
{
    for (size_t i = 0; i < s->decision->hint_count; i++) {
        if (lg_str_eq(s->hints[i].path, path) && lg_str_eq(s->hints[i].value, value)) {
            return true;
        }
    }
    return false;
}

static lg_status add_hint(search *s, const read_path *path, const lg_json *value)
{
    if (!lg_json_weigh(s->j->work, value)) {
        return LG_OK;
    }
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_json_print(&text, value);
    lg_hint hint = {.path = read_path_text(s->j, path, s->j->work)};
    if (take_text(s->j, &text, &hint.value) != LG_OK || !hint.path.ptr) {
        return LG_ERR_OOM;
    }
    if (!known_hint(s, hint.path, hint.value)) {
        s->hints[s->decision->hint_count++] = hint;
    }
    return LG_OK;
}

static size_t value_bytes(const lg_json *value)
{
    bool text = lg_json_is(value, LG_JSON_STRING) || lg_json_is(value, LG_JSON_BIGNUM);
    return text ? value->len : 0;
}

// Whether it is any use to go on: the ceilings, and the steps.
static bool is_done(const search *s)
{
    return s->trials >= TRIALS_MAX || s->decision->hint_count >= HINTS_MAX || s->j->work->spent;
}

// A trial copies the arguments as far as the path leads through them; a large object gets a new index.
static bool pay_trial(search *s, const read_path *path)
{
    const lg_json *at = s->j->call->args;
    uint64_t cost = 10;
    for (uint32_t i = 0; i < path->count; i++) {
        const read_step *step = &path->steps[i];
        cost += lg_json_len(at) * (lg_json_len(at) > LG_JSON_INDEX_MIN ? 24 : 2);
        at = step->is_index ? lg_json_item(at, step->index) : lg_json_get(at, step->key);
    }
    return lg_budget_take(s->j->work, cost);
}

static lg_status try_value(search *s, const read_path *path, const lg_json *current,
                           const lg_json *value)
{
    if (is_done(s) || !lg_budget_take(s->j->work, 1 + value_bytes(value) / 32)) {
        return LG_OK;
    }
    bool comparable = lg_json_type_of(value) == lg_json_type_of(current) ||
                      (lg_json_is_number(value) && lg_json_is_number(current));
    if (!comparable || lg_json_equal(value, current) || !pay_trial(s, path)) {
        return LG_OK;
    }
    s->trials++;
    lg_arena_mark mark = lg_arena_mark_here(s->j->scratch);
    const lg_json *args = replaced(s->j, s->j->call->args, path->steps, path->count, value);
    if (!args) {
        return LG_ERR_OOM;
    }
    bool passed;
    lg_status status = passes(s, args, &passed);
    judgement_bind(s->j, s->j->call->args);
    lg_arena_rewind(s->j->scratch, mark); // a hundred trials take the memory of one
    return status == LG_OK && passed ? add_hint(s, path, value) : status;
}

static lg_status try_keys(search *s, const read_path *path, const lg_json *current,
                          const lg_json *map)
{
    for (size_t i = 0; i < lg_json_len(map) && !is_done(s); i++) {
        lg_json *key = LG_NEW(s->j->scratch, lg_json);
        if (!key) {
            return LG_ERR_OOM;
        }
        *key = lg_json_make_str(lg_json_key(lg_json_member_at(map, i)));
        lg_status status = try_value(s, path, current, key);
        if (status != LG_OK) {
            return status;
        }
    }
    return LG_OK;
}

// Candidates from one entry of the rule's log: the keys of a map in which the argument was looked
// up, or a scalar of the ledger that the rule has read.
static lg_status try_entry(search *s, const read_path *path, const lg_json *current, uint32_t index)
{
    const lg_cel_read *read = &s->j->log.items[index];
    read_path from;
    if (!lg_budget_take(s->j->work, 1 + read->key.len / 32) || !read_path_of(s->j, index, &from) ||
        from.in_args) {
        return LG_OK;
    }
    bool looked_up = !read->is_index && lg_json_is(current, LG_JSON_STRING) &&
                     lg_json_is(read->parent, LG_JSON_OBJECT) &&
                     lg_str_eq(read->key, lg_json_str(current));
    if (looked_up) {
        return try_keys(s, path, current, read->parent);
    }
    bool scalar = read->child && lg_json_type_of(read->child) < LG_JSON_ARRAY;
    return scalar ? try_value(s, path, current, read->child) : LG_OK;
}

static lg_status try_argument(search *s, const read_path *path, const lg_json *current)
{
    for (uint32_t i = s->log_from; i < s->log_to && !is_done(s); i++) {
        lg_status status = try_entry(s, path, current, i);
        if (status != LG_OK) {
            return status;
        }
    }
    return LG_OK;
}

// Does this argument say which record the call is about? Another record may well pass, but it is
// not what was asked for: its key is never a hint.
static bool selects_record(const judgement *j, const lg_json *current)
{
    if (!lg_budget_take(j->work, j->log.count / 4 + value_bytes(current) / 32)) {
        return true;
    }
    for (uint32_t i = 0; i < j->log.count; i++) {
        const lg_cel_read *read = &j->log.items[i];
        const read_note *note = &j->notes[i];
        bool in_record = note->above != NO_ENTRY && j->notes[note->above].entry;
        if (!read->is_index && note->rooted && !note->in_args && !in_record &&
            lg_str_eq(read->key, lg_json_str(current))) {
            return true;
        }
    }
    return false;
}

// Does the rule offer other values of what the path leads to?
static bool is_offered(const lg_rule *rule, const read_path *path)
{
    for (size_t i = 0; i < rule->offer_count; i++) {
        const lg_offer *offer = &rule->offers[i];
        bool same = offer->count == path->count;
        for (uint32_t s = 0; s < path->count && same; s++) {
            const read_step *step = &path->steps[s];
            same = step->is_index ? !offer->steps[s].ptr : lg_str_eq(offer->steps[s], step->key);
        }
        if (same) {
            return true;
        }
    }
    return false;
}

static bool contains(const lg_json *const *nodes, uint32_t count, const lg_json *node)
{
    for (uint32_t i = 0; i < count; i++) {
        if (nodes[i] == node) {
            return true;
        }
    }
    return false;
}

static lg_status search_rule(search *s, const lg_rule *rule)
{
    const lg_json *tried[ARGUMENTS_MAX];
    uint32_t count = 0;
    for (uint32_t i = s->log_from; i < s->log_to && count < ARGUMENTS_MAX && !is_done(s); i++) {
        const lg_cel_read *read = &s->j->log.items[i];
        read_path path;
        bool scalar = read->child && lg_json_type_of(read->child) < LG_JSON_ARRAY;
        if (!lg_budget_take(s->j->work, 1)) {
            break;
        }
        if (!scalar || contains(tried, count, read->child) || !read_path_of(s->j, i, &path) ||
            !path.in_args || !is_offered(rule, &path)) {
            continue;
        }
        tried[count++] = read->child;
        if (lg_json_is(read->child, LG_JSON_STRING) && selects_record(s->j, read->child)) {
            continue;
        }
        lg_status status = try_argument(s, &path, read->child);
        if (status != LG_OK) {
            return status;
        }
    }
    return LG_OK;
}

lg_status list_hints(judgement *j, const outcome *outcomes, lg_decision *decision)
{
    search s = {.j = j,
                .outcomes = outcomes,
                .decision = decision,
                .hints = LG_NEW_ARRAY(j->scratch, lg_hint, HINTS_MAX + 1)};
    if (!s.hints) {
        return LG_ERR_OOM;
    }
    decision->hints = s.hints;
    for (size_t i = 0; i < j->tool->rule_count && j->notes; i++) {
        const lg_rule *rule = &j->pack->rules[j->tool->rules[i]];
        if (outcomes[i].kind == OUTCOME_VIOLATED && rule->offer_count) {
            s.log_from = outcomes[i].log_from;
            s.log_to = outcomes[i].log_to;
            lg_status status = search_rule(&s, rule);
            if (status != LG_OK) {
                return status;
            }
        }
    }
    return LG_OK;
}
