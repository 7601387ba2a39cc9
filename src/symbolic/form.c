// form.c: walks over formulas: does a variable occur, and what is the form of a formula?
//
// Two things are asked of formulas that Z3 does not answer. Whether a constant that stands for a variable
// occurs, so that only what speaks of it is quantified. And whether two formulas say the same of a
// variable about different things ("the amount is above args.limit", "... above 5"): their form is the
// formula with those things taken out as arguments, so that a sum or count over a list is one function
// of its form, and equal arguments give equal sums.
//
// Shared nodes are walked once: marks lie in arrays by Z3's number of a node.
#include "symbolic/term_internal.h"

#define ABOVE_TOP (size_t)65536 // numbers of parts that Z3 has made by itself
#define FORM_DEPTH_MAX 400

// --- Variables ----------------------------------------------------------------------------------

// A new walk: no node was seen yet. Marks are by Z3's number of a node, and stamped, so that they need
// not be cleared. Z3 may make nodes by itself meanwhile: ABOVE_TOP leaves room. False when out of memory.
static bool begin_walk(terms *t)
{
    size_t needed = t->top + ABOVE_TOP;
    if (needed > t->stamp_count) {
        size_t count = needed * 2 + 1024;
        uint32_t *stamps = LG_NEW_ARRAY(t->arena, uint32_t, count);
        bool *found = LG_NEW_ARRAY(t->arena, bool, count);
        Z3_ast *formed = LG_NEW_ARRAY(t->arena, Z3_ast, count);
        if (!stamps || !found || !formed) {
            t->failed = true;
            return false;
        }
        t->stamps = stamps;
        t->found = found;
        t->formed = formed;
        t->stamp_count = count;
        t->stamp = 0;
    }
    t->stamp++;
    return true;
}

// As deep as the formula; each node once.
static bool mentions(terms *t, Z3_ast a, Z3_ast constant)
{
    size_t id = z3.get_ast_id(t->context, a);
    if (a == constant || id >= t->stamp_count) {
        return true; // what is too new to have been counted is none that we made
    }
    if (t->stamps[id] == t->stamp) {
        return t->found[id];
    }
    bool found = false;
    Z3_ast_kind kind = z3.get_ast_kind(t->context, a);
    if (kind == Z3_QUANTIFIER_AST) {
        found = mentions(t, z3.get_quantifier_body(t->context, a), constant);
    } else if (kind == Z3_APP_AST) {
        unsigned count = z3.get_app_num_args(t->context, z3.to_app(t->context, a));
        for (unsigned i = 0; i < count && !found; i++) {
            found = mentions(t, terms_child(t, a, i), constant);
        }
    }
    t->stamps[id] = t->stamp;
    t->found[id] = found;
    t->formed[id] = NULL;
    return found;
}

bool term_mentions(terms *t, term a, term constant)
{
    return t->failed || !begin_walk(t) || mentions(t, ast(a), ast(constant));
}

term term_exists(terms *t, term variable, term body)
{
    LG_DEBUG_ASSERT(t->failed || term_op_of(t, variable) == TERM_CONSTANT);
    LG_DEBUG_ASSERT(term_has_sort(t, body, SORT_BOOL));
    if (t->failed || !term_mentions(t, body, variable)) {
        return body;
    }
    Z3_app bound = z3.to_app(t->context, ast(variable));
    return terms_wrap(t, z3.mk_exists_const(t->context, 0, 1, &bound, 0, NULL, ast(body)));
}

// --- Forms --------------------------------------------------------------------------------------

typedef struct forming {
    terms *t;
    Z3_ast variable;
    term *parts;
    uint32_t count, capacity;
    bool failed;
} forming;

static Z3_ast place_of(terms *t, term_sort sort, uint32_t index)
{
    LG_DEBUG_ASSERT(index <= FORM_PARTS_MAX);
    Z3_ast *place = &t->places[sort][index];
    if (!*place) {
        *place = ast(term_fresh(t, sort, LG_STR("part")));
    }
    return *place;
}

// A part that does not mention the variable becomes an argument, and the constant of its number and sort
// stands where it stood. Equal parts are one argument.
static Z3_ast take_out(forming *f, Z3_ast a)
{
    terms *t = f->t;
    if (z3.is_numeral_ast(t->context, a) || a == t->yes || a == t->no) {
        return a;
    }
    uint32_t at = 0;
    while (at < f->count && ast(f->parts[at]) != a) {
        at++;
    }
    if (at == f->capacity || at == FORM_PARTS_MAX) {
        f->failed = true;
        return a;
    }
    if (at == f->count) {
        f->parts[f->count++] = (term)(void *)a;
    }
    return place_of(t, term_sort_of(t, (term)(void *)a), at);
}

// As deep as the formula, within a bound; each node once. Quantifiers are not looked into.
static Z3_ast form(forming *f, Z3_ast a, uint32_t depth)
{
    terms *t = f->t;
    Z3_ast args[64];
    size_t id = z3.get_ast_id(t->context, a);
    if (f->failed) {
        return a;
    }
    if (a == f->variable) {
        return place_of(t, SORT_INT, FORM_PARTS_MAX); // the same, whichever variable it is
    }
    if (!mentions(t, a, f->variable)) {
        return take_out(f, a);
    }
    bool app = id < t->stamp_count && z3.get_ast_kind(t->context, a) == Z3_APP_AST;
    unsigned count = app ? z3.get_app_num_args(t->context, z3.to_app(t->context, a)) : 0;
    if (!app || count > LG_COUNT(args) || depth > FORM_DEPTH_MAX) {
        f->failed = true;
        return a;
    }
    if (t->formed[id]) {
        return t->formed[id];
    }
    // Of an equality, the side with the variable first: which side is which says nothing.
    bool swap = terms_is_kind(t, a, Z3_OP_EQ) && !mentions(t, terms_child(t, a, 0), f->variable);
    for (unsigned i = 0; i < count; i++) {
        args[i] = form(f, terms_child(t, a, swap ? count - 1 - i : i), depth + 1);
    }
    t->formed[id] = ast(terms_wrap(t, z3.update_term(t->context, a, count, args)));
    return t->formed[id];
}

// The soundness of what is built on it: two bodies with the same form and equal parts are the same
// formula of the variable, so a function of the form's name and those parts is well defined.
bool term_form(terms *t, term a, term variable, term *parts, uint32_t *count, uint32_t capacity,
               term *ret)
{
    LG_DEBUG_ASSERT(*count <= capacity && capacity <= FORM_PARTS_MAX);
    forming f = {.t = t, .variable = ast(variable), .parts = parts, .count = *count};
    f.capacity = capacity;
    *ret = a;
    if (t->failed || !begin_walk(t)) {
        return false;
    }
    *ret = (term)(void *)form(&f, ast(a), 0);
    *count = f.count;
    return !f.failed && !t->failed;
}
