// translate.c: from the tree of an expression to its value in every state.
#include "symbolic/translate.h"
#include "symbolic/funs.h"

#define DEPTH_MAX 250u

static val translate_constant(const translation *r, const lg_cel_node *node)
{
    lg_cel_value v = node->as.constant;
    if (v.kind == LG_CEL_NULL) {
        return value_null(r->p);
    }
    alt a = alt_of_cel(r->p, v);
    if (a.kind == ALT_ANY || alt_is_failure(&a)) {
        lg_str name = problem_name(r->p, "constant %p", (const void *)node);
        return unknown_value(r->p, name, ALT_ANY, "a constant of another type");
    }
    return value_scalar(r->p, a.kind, a.t);
}

// A name that is not bound cannot be in a program that was checked: an error is the evaluator's answer.
static val translate_ident(const translation *r, const lg_cel_node *node)
{
    if (node->as.ident.local) {
        for (const binding *b = r->locals; b; b = b->outer) {
            if (b->local == node->as.ident.local) {
                return b->v;
            }
        }
        return value_error(r->p);
    }
    return node->as.ident.resolved && r->slots ? r->slots[node->as.ident.slot] : value_error(r->p);
}

// --- Logic --------------------------------------------------------------------------------------

// A chain of `&&` or `||`: one operand that decides is enough, whatever the others are, before or behind
// it; else the worst failure (any error goes before a missing key); else the other bool. An operand
// that is no bool counts as an error, as the evaluator has it.
static val translate_chain(const translation *r, const lg_cel_node *node, bool decides)
{
    problem *p = r->p;
    terms *t = p->t;
    term decided = term_bool(t, false);
    term failed = term_bool(t, false);
    term missing = term_bool(t, false);
    term lacking = term_bool(t, false);
    for (uint32_t i = 0; i < node->as.list.count; i++) {
        val v = translate_node(r, node->as.list.items[i]);
        decided = term_or(t, decided, value_holds(p, v, decides));
        if (term_is_true(t, decided)) {
            return value_bool(p, term_bool(t, decides));
        }
        missing = term_or(t, missing, value_is(p, v, ALT_MISSING));
        lacking = term_or(t, lacking, value_lacks(p, v));
        term no_bool = term_or(t, value_no_bool(p, v), value_is(p, v, ALT_ERROR));
        failed = term_or(t, failed, no_bool);
    }
    builder b = builder_of(p);
    term open = term_not(t, decided);
    term fails = term_and(t, open, failed);
    term misses = term_and(t, term_and(t, open, term_not(t, failed)), missing);
    builder_add(&b, fails, alt_of(p, ALT_ERROR, NULL));
    builder_add(&b, misses, alt_missing(p, lacking));
    term clean = term_not(t, term_or(t, fails, misses));
    builder_add(&b, clean, alt_of(p, ALT_BOOL, decides ? decided : open));
    return builder_done(&b);
}

// Only the branch that is taken is evaluated, so failures of the other do not count.
static val translate_condition(const translation *r, const lg_cel_node *node)
{
    problem *p = r->p;
    terms *t = p->t;
    val c = translate_node(r, node->as.of.a);
    term yes = value_holds(p, c, true);
    term no = value_holds(p, c, false);
    builder b = builder_of(p);
    builder_add_failures(&b, term_bool(t, true), c);
    builder_add(&b, value_no_bool(p, c), alt_of(p, ALT_ERROR, NULL));
    if (!term_is_false(t, yes)) {
        builder_add_value(&b, yes, translate_node(r, node->as.of.b));
    }
    if (!term_is_false(t, no)) {
        builder_add_value(&b, no, translate_node(r, node->as.of.c));
    }
    return builder_done(&b);
}

// --- Literals -----------------------------------------------------------------------------------

// A literal whose parts may fail: the failure is the literal's.
static val unless_failed(problem *p, term failed, term missing, term lacking, val made)
{
    LG_DEBUG_ASSERT(term_has_sort(p->t, failed, SORT_BOOL) &&
                    term_has_sort(p->t, missing, SORT_BOOL));
    terms *t = p->t;
    builder b = builder_of(p);
    builder_add(&b, failed, alt_of(p, ALT_ERROR, NULL));
    builder_add(&b, term_and(t, term_not(t, failed), missing), alt_missing(p, lacking));
    builder_add_value(&b, term_not(t, term_or(t, failed, missing)), made);
    return builder_done(&b);
}

// A literal list is explicit as a whole, however long its text is. An element that fails makes it fail.
static val translate_list(const translation *r, const lg_cel_node *node)
{
    problem *p = r->p;
    uint32_t count = node->as.list.count;
    seq *list = LG_NEW(p->arena, seq);
    element *items = LG_NEW_ARRAY(p->arena, element, count + 1);
    term failed = term_bool(p->t, false);
    term missing = term_bool(p->t, false);
    term lacking = term_bool(p->t, false);
    if (!list || !items) {
        return value_lost(p);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (node->as.list.items[i]->optional_item) {
            return unknown_value(p, LG_STR(""), ALT_ANY, "optional items");
        }
        val v = translate_node(r, node->as.list.items[i]);
        failed = term_or(p->t, failed, value_is(p, v, ALT_ERROR));
        missing = term_or(p->t, missing, value_is(p, v, ALT_MISSING));
        lacking = term_or(p->t, lacking, value_lacks(p, v));
        items[i] = (element){term_bool(p->t, true), thunk_of(p, v)};
    }
    *list = (seq){.items = items, .count = count, .prefix = true, .computed = true};
    return unless_failed(p, failed, missing, lacking, value_list(p, list));
}

// Keys that are the same literal twice are an error of the pack; keys of other types than texts are
// not followed.
static val translate_map(const translation *r, const lg_cel_node *node)
{
    problem *p = r->p;
    uint32_t count = node->as.list.count / 2;
    dict *map = LG_NEW(p->arena, dict);
    entry *items = LG_NEW_ARRAY(p->arena, entry, count + 1);
    term failed = term_bool(p->t, false);
    term missing = term_bool(p->t, false);
    term lacking = term_bool(p->t, false);
    bool literal = true;
    if (!map || !items) {
        return value_lost(p);
    }
    for (uint32_t i = 0; i < count; i++) {
        val key = translate_node(r, node->as.list.items[2 * i]);
        val v = translate_node(r, node->as.list.items[2 * i + 1]);
        if (key.count != 1 || key.alts[0].kind != ALT_TEXT ||
            node->as.list.items[2 * i]->optional_item) {
            return unknown_value(p, LG_STR(""), ALT_ANY, "maps with computed keys");
        }
        literal = literal && term_is_literal(p->t, key.alts[0].t);
        failed = term_or(p->t, failed, value_is(p, v, ALT_ERROR));
        missing = term_or(p->t, missing, value_is(p, v, ALT_MISSING));
        lacking = term_or(p->t, lacking, value_lacks(p, v));
        items[i] = (entry){term_bool(p->t, true), key.alts[0].t, 0, thunk_of(p, v)};
        for (uint32_t k = 0; k < i; k++) { // a key that is repeated is an error
            failed = term_or(p->t, failed, term_eq(p->t, items[k].key, items[i].key));
        }
    }
    uint32_t family = literal ? ++p->next_id : 0;
    for (uint32_t i = 0; i < count; i++) {
        items[i].family = family;
    }
    *map = (dict){.items = items, .count = count, .computed = true};
    return unless_failed(p, failed, missing, lacking, value_map(p, map));
}

// --- Nodes --------------------------------------------------------------------------------------

// Texts that are put together are one function of their parts, which knows more than a chain of `+` (funs.h).
static val translate_binary(const translation *r, const lg_cel_node *node)
{
    bool texts = node->op == LG_BIN_ADD && node->type && node->type->kind == LG_CEL_STRING;
    if (texts) {
        return translate_template(r, node);
    }
    val a = translate_node(r, node->as.of.a);
    val b = translate_node(r, node->as.of.b);
    if (node->op == LG_BIN_OPT_INDEX) {
        return unknown_value(r->p, LG_STR(""), ALT_ANY, "optional values");
    }
    return operate(r->p, (lg_cel_binary)node->op, a, b);
}

// `cel.bind` evaluates its value once, where it stands; a name that holds a failure fails where it is used.
static val translate_bind(const translation *r, const lg_cel_node *node)
{
    if (node->op != LG_BIND_PLAIN) {
        return unknown_value(r->p, LG_STR(""), ALT_ANY, "optional values");
    }
    val v = translate_node(r, node->as.bind.value);
    binding b = {.local = node->as.bind.local, .v = v, .outer = r->locals};
    translation inner = *r;
    inner.locals = &b;
    return translate_node(&inner, node->as.bind.body);
}

// As deep as the expression, which its parser has bounded.
val translate_node(const translation *outer, const lg_cel_node *node)
{
    translation r = *outer;
    problem *p = r.p;
    if (++r.depth > DEPTH_MAX || terms_failed(p->t) || problem_exhausted(p)) {
        return value_lost(p);
    }
    // A new kind of node: a case here, and in the evaluator; the compiler names both.
    switch ((lg_cel_node_kind)node->kind) {
    case LG_NODE_CONST:
        return translate_constant(&r, node);
    case LG_NODE_IDENT:
        return translate_ident(&r, node);
    case LG_NODE_SELECT:
        if (node->as.select.name.len && node->optional) {
            return unknown_value(p, LG_STR(""), ALT_ANY, "optional values");
        }
        return operate_select(p, translate_node(&r, node->as.select.operand), node->as.select.name);
    case LG_NODE_HAS:
        return operate_has(p, translate_node(&r, node->as.select.operand), node->as.select.name);
    case LG_NODE_NOT:
        return operate_not(p, translate_node(&r, node->as.of.a));
    case LG_NODE_NEGATE:
        return operate_negate(p, translate_node(&r, node->as.of.a));
    case LG_NODE_BINARY:
        return translate_binary(&r, node);
    case LG_NODE_AND:
        return translate_chain(&r, node, false);
    case LG_NODE_OR:
        return translate_chain(&r, node, true);
    case LG_NODE_COND:
        return translate_condition(&r, node);
    case LG_NODE_LIST:
        return translate_list(&r, node);
    case LG_NODE_MAP:
        return translate_map(&r, node);
    case LG_NODE_CALL:
        return translate_call(&r, node);
    case LG_NODE_FOLD:
        return translate_fold(&r, node);
    case LG_NODE_BIND:
        return translate_bind(&r, node);
    }
    return value_error(p);
}

val translate(problem *p, const lg_cel_program *program, const val *slots)
{
    const lg_cel_node *tree = lg_cel_program_tree(program);
    translation r = {.p = p, .slots = slots};
    if (!tree) {
        return unknown_value(p, LG_STR(""), ALT_ANY, "an expression without its tree");
    }
    return translate_node(&r, tree);
}
