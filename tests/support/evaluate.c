// evaluate.c: formulas on values, node by node, only as far as the answer needs.
//
// Numbers are exact fractions of 128 bits; where that is not enough the result is unknown, and so is
// whatever is computed from it.
#include "base/time.h"
#include "evaluate_parts.h"
#include "symbolic_terms.h"

#include <math.h>
#include <stdlib.h>

#define DEPTH_MAX 3000u
#define ATTEMPTS 8u // to give inputs so that all keys looked up are explicit

// --- Values ---------------------------------------------------------------------------------------

concrete concrete_unknown(const char *why)
{
    return (concrete){.why = why, .den = 1};
}

concrete concrete_bool(bool yes)
{
    return (concrete){.yes = yes, .den = 1};
}

concrete concrete_int(wide number)
{
    return (concrete){.num = number, .den = 1};
}

concrete concrete_text(evaluation *e, lg_str text)
{
    int64_t id = 0;
    term t = term_text(e->p->t, text);
    return term_int_of(e->p->t, t, &id) ? concrete_int(id) : concrete_unknown("a text");
}

bool concrete_same(const concrete *a, const concrete *b)
{
    return !a->why && !b->why && a->yes == b->yes && a->num == b->num && a->den == b->den;
}

static concrete too_large(void)
{
    return concrete_unknown("numbers too large for exact arithmetic");
}

static wide magnitude(wide a)
{
    return a < 0 ? -a : a;
}

static concrete fraction(wide num, wide den)
{
    wide a = magnitude(num);
    wide b = den;
    while (b != 0) {
        wide left = a % b;
        a = b;
        b = left;
    }
    return (concrete){.num = a ? num / a : 0, .den = a ? den / a : 1};
}

// A double is a whole number times a power of two.
bool concrete_of_double(double number, concrete *ret)
{
    int exponent;
    double mantissa = frexp(number, &exponent) * 0x1p53;
    exponent -= 53;
    while (exponent < 0 && mantissa != 0 && fmod(mantissa, 2) == 0) {
        mantissa /= 2;
        exponent++;
    }
    if (number == 0) {
        *ret = concrete_int(0);
        return true;
    }
    if (!isfinite(number) || exponent > 60 || exponent < -100) {
        return false;
    }
    *ret = exponent >= 0 ? concrete_int((wide)mantissa * ((wide)1 << exponent))
                         : (concrete){.num = (wide)mantissa, .den = (wide)1 << -exponent};
    return true;
}

static bool parse_wide(const char **at, wide *ret)
{
    bool negative = **at == '-';
    wide number = 0;
    *at += negative;
    for (; **at >= '0' && **at <= '9'; ++*at) {
        if (__builtin_mul_overflow(number, (wide)10, &number) ||
            __builtin_add_overflow(number, (wide)(**at - '0'), &number)) {
            return false;
        }
    }
    *ret = negative ? -number : number;
    return true;
}

static concrete literal_value(terms *t, term a)
{
    if (term_is_true(t, a) || term_is_false(t, a)) {
        return concrete_bool(term_is_true(t, a));
    }
    const char *digits = term_digits(t, a);
    wide num;
    wide den = 1;
    if (!parse_wide(&digits, &num) || (*digits == '/' && (digits++, !parse_wide(&digits, &den)))) {
        return too_large();
    }
    return fraction(num, den);
}

// --- Cells ----------------------------------------------------------------------------------------

uint32_t cell_of(const evaluation *e, term t)
{
    uint32_t id = term_id(e->p->t, t);
    return id < e->id_count && e->by_id[id] ? e->by_id[id] - 1 : NOBODY;
}

static void find_function(const evaluation *e, cell *c)
{
    for (size_t i = 0; i < e->p->fun_count; i++) {
        const fun *f = &e->p->funs[i];
        c->fails = term_is_call_of(e->p->t, c->t, f->fails);
        c->nonfinite = !c->fails && f->nonfinite && term_is_call_of(e->p->t, c->t, f->nonfinite);
        if (c->fails || c->nonfinite || term_is_call_of(e->p->t, c->t, f->gives)) {
            c->f = f;
            c->function = c->fails ? f->fails : c->nonfinite ? f->nonfinite : f->gives;
            return;
        }
    }
    c->function = number_function(e->p, c->t, &c->arith, &c->nonfinite);
}

static bool grow_ids(evaluation *e, uint32_t id)
{
    if (id < e->id_count) {
        return true;
    }
    size_t count = (size_t)id * 2 + 1024;
    uint32_t *by_id = LG_NEW_ARRAY(e->p->arena, uint32_t, count);
    if (!by_id) {
        return false;
    }
    if (e->id_count) {
        memcpy(by_id, e->by_id, e->id_count * sizeof(*by_id));
    }
    e->by_id = by_id;
    e->id_count = count;
    return true;
}

static bool add_args(evaluation *e, term t, uint32_t count, uint32_t *ret_first)
{
    *ret_first = (uint32_t)e->arg_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *args =
            lg_arena_grow(e->p->arena, e->args, e->arg_count, &e->arg_capacity, sizeof(*args));
        if (!args) {
            return false;
        }
        e->args = args;
        args[e->arg_count++] = cell_of(e, term_arg(e->p->t, t, i));
    }
    return true;
}

// Each node once, after its arguments. As deep as the formula, within a bound: what lies deeper is
// unknown.
static bool add_cells(evaluation *e, term t, uint32_t depth)
{
    terms *z = e->p->t;
    uint32_t id = term_id(z, t);
    if (!grow_ids(e, id)) {
        return false;
    }
    if (e->by_id[id]) {
        return true;
    }
    cell c = {.t = t, .op = term_op_of(z, t), .definition = NOBODY};
    c.op = depth > DEPTH_MAX ? TERM_OTHER : c.op;
    c.count = c.op == TERM_OTHER ? 0 : term_arg_count(z, t);
    for (uint32_t i = 0; i < c.count; i++) {
        if (!add_cells(e, term_arg(z, t, i), depth + 1)) {
            return false;
        }
    }
    if (!add_args(e, t, c.count, &c.first)) {
        return false;
    }
    if (c.op == TERM_LITERAL) {
        c.assigned = literal_value(z, t);
        c.is_assigned = true;
    } else if (c.op == TERM_CALL) {
        find_function(e, &c);
    }
    cell *cells =
        lg_arena_grow(e->p->arena, e->cells, e->cell_count, &e->cell_capacity, sizeof(*cells));
    if (!cells) {
        return false;
    }
    e->cells = cells;
    cells[e->cell_count++] = c;
    e->by_id[id] = (uint32_t)e->cell_count;
    return true;
}

static bool add_definitions(evaluation *e)
{
    bool ok = true;
    for (size_t i = 0; ok && i < e->p->definition_count; i++) {
        const definition *h = &e->p->definitions[i];
        const summary *r = h->summary;
        ok = (!h->constant || add_cells(e, h->constant, 0)) && (!h->on || add_cells(e, h->on, 0)) &&
             (!h->from || add_cells(e, h->from, 0)) &&
             (!r || (add_cells(e, r->count, 0) && add_cells(e, r->present, 0) &&
                     (!r->key || add_cells(e, r->key, 0)) &&
                     (!r->in_front || add_cells(e, r->in_front, 0))));
        uint32_t index = h->constant ? cell_of(e, h->constant) : NOBODY;
        if (ok && index != NOBODY && e->cells[index].op == TERM_CONSTANT) {
            e->cells[index].definition = (uint32_t)i;
        }
    }
    return ok;
}

// The constants of an input that is looked up are defined by the lookup.
static void mark_inputs(evaluation *e)
{
    e->scratch = e->p->arena;
    for (size_t i = 0; i < e->p->definition_count; i++) {
        if (e->p->definitions[i].kind == DEFINED_LOOKUP) {
            e->marking = (uint32_t)i;
            assign(e, e->p->definitions[i].in, NULL);
        }
    }
    e->marking = NOBODY;
}

static bool add_layer(evaluation *e, uint32_t layer)
{
    if (!e->memo[layer]) {
        e->memo[layer] = LG_NEW_ARRAY(e->p->arena, concrete, e->cell_count + 1);
        e->stamps[layer] = LG_NEW_ARRAY(e->p->arena, uint32_t, e->cell_count + 1);
    }
    return e->memo[layer] && e->stamps[layer];
}

static bool make_room(evaluation *e)
{
    problem *p = e->p;
    e->extent_count = p->next_id + 1;
    e->extents = LG_NEW_ARRAY(p->arena, extent, e->extent_count);
    e->looked_up = LG_NEW_ARRAY(p->arena, uint32_t, p->definition_count + 1);
    e->first_key = LG_NEW_ARRAY(p->arena, uint32_t, e->extent_count);
    e->next_key = LG_NEW_ARRAY(p->arena, uint32_t, p->definition_count + 1);
    bool ok = e->extents && e->looked_up && e->first_key && e->next_key;
    for (size_t i = 0; ok && i < e->extent_count; i++) {
        e->first_key[i] = NOBODY;
    }
    for (uint32_t i = 0; ok && i < p->definition_count; i++) {
        const definition *h = &p->definitions[i];
        if (h->kind == DEFINED_KEY && !h->summary->base) {
            e->next_key[i] = e->first_key[h->summary->id];
            e->first_key[h->summary->id] = i;
        }
    }
    return ok && add_layer(e, 0);
}

evaluation *evaluation_new(problem *p, const term *roots, size_t count)
{
    evaluation *e = LG_NEW(p->arena, evaluation);
    bool ok = e != NULL;
    if (ok) {
        *e = (evaluation){.p = p, .marking = NOBODY};
    }
    for (size_t i = 0; ok && i < count; i++) {
        ok = add_cells(e, roots[i], 0);
    }
    for (size_t i = 0; ok && i < p->t->asserted_count; i++) {
        ok = add_cells(e, (term)(void *)p->t->asserted[i], 0);
    }
    if (!ok || !add_definitions(e) || !make_room(e)) {
        return NULL;
    }
    mark_inputs(e);
    return e;
}

static uint32_t next_stamp(evaluation *e)
{
    return e->layer_stamp[e->layer] = ++e->stamp;
}

void evaluation_begin(evaluation *e, lg_arena *scratch, uint64_t seed)
{
    e->scratch = scratch;
    e->seed = seed;
    e->wanted_count = 0;
    evaluation_again(e);
}

void evaluation_again(evaluation *e)
{
    e->why = NULL;
    e->layer = 0;
    e->undo_count = 0;
    e->next_text = 0;
    for (size_t i = 0; i < e->cell_count; i++) {
        e->cells[i].is_assigned = e->cells[i].op == TERM_LITERAL;
    }
    for (size_t i = 0; i < e->extent_count; i++) {
        e->extents[i].known = false;
    }
    next_stamp(e);
}

const char *evaluation_why(const evaluation *e)
{
    return e->why ? e->why : "";
}

// --- Layers ---------------------------------------------------------------------------------------

static concrete eval(evaluation *e, uint32_t index);

typedef struct layer_mark {
    size_t undo, wanted;
} layer_mark;

static const summary *base_of(const summary *r)
{
    return r->base ? r->base : r;
}

// The real elements of a summary: of a range they are numbers.
static bool extent_of(evaluation *e, const summary *base, extent *ret, const char **why)
{
    uint32_t count = cell_of(e, base->count);
    concrete many =
        count == NOBODY ? concrete_unknown("a rest of which nothing is known") : eval(e, count);
    if (many.why || many.num < 0 || many.num > 10000) {
        *why = many.why ? many.why : "a list that is too long";
        return false;
    }
    *ret = e->extents[base->id];
    if (base->range) {
        *ret = (extent){.known = true, .first = base->before, .count = (uint32_t)many.num};
        ret->at = ret->count ? (uint32_t)(e->seed % ret->count) : 0;
    }
    *why = "a rest of which nothing is known";
    return ret->known;
}

// --- Keys that must be explicit -------------------------------------------------------------------

bool is_wanted_key(const evaluation *e, uint32_t of, lg_str key)
{
    for (size_t i = 0; i < e->wanted_count; i++) {
        if (e->wanted[i].of == of && lg_str_eq(e->wanted[i].key, key)) {
            return true;
        }
    }
    return false;
}

static void want(evaluation *e, uint32_t of, lg_str key)
{
    wanted_key *items =
        lg_arena_grow(e->p->arena, e->wanted, e->wanted_count, &e->wanted_capacity, sizeof(*items));
    if (items) {
        e->wanted = items;
        items[e->wanted_count++] = (wanted_key){of, key};
    }
}

// Is the key that is looked up explicit, or not there at all?
static bool is_settled(evaluation *e, const definition *h)
{
    const extent *x = &e->extents[h->summary->id];
    concrete key = evaluate(e, h->on);
    for (uint32_t k = 0; !key.why && x->known && x->members && k < x->count; k++) {
        lg_str name = lg_json_key(x->members[k]);
        concrete text = concrete_text(e, name);
        if (concrete_same(&text, &key)) {
            bool wanted = is_wanted_key(e, h->summary->id, name);
            if (!wanted) {
                want(e, h->summary->id, name);
            }
            return wanted;
        }
    }
    return true;
}

// Are all keys explicit that are looked up in the maps which were given since the mark? If not, they
// are wanted now.
static bool settled_since(evaluation *e, size_t mark)
{
    bool settled = true;
    for (size_t i = mark; i < e->undo_count; i++) {
        const undo *u = &e->undone[i];
        uint32_t key = u->kind == UNDO_EXTENT ? e->first_key[u->index] : NOBODY;
        for (; key != NOBODY; key = e->next_key[key]) {
            settled = is_settled(e, &e->p->definitions[key]) && settled;
        }
    }
    return settled;
}

// From here to leave(), the generic element is number `at`.
static bool enter(evaluation *e, const summary *base, const extent *x, uint32_t at, layer_mark *ret)
{
    *ret = (layer_mark){e->undo_count, e->wanted_count};
    e->layer++;
    next_stamp(e);
    if (base->id < e->extent_count) {
        extent now = *x;
        now.at = at;
        remember_extent(e, base, now);
    }
    bool ok = true;
    for (uint32_t i = 0; ok && i < ATTEMPTS && !base->range; i++) {
        ok = assign_generic(e, base, x, at);
        next_stamp(e); // what was evaluated on the way knew the element before
        if (!ok || settled_since(e, ret->undo)) {
            break;
        }
    }
    return ok;
}

static void leave(evaluation *e, layer_mark mark)
{
    e->wanted_count = mark.wanted;
    while (e->undo_count > mark.undo) {
        const undo *u = &e->undone[--e->undo_count];
        if (u->kind == UNDO_CELL) {
            e->cells[u->index].is_assigned = u->was_assigned;
            e->cells[u->index].assigned = u->was;
        } else if (u->kind == UNDO_EXTENT) {
            e->extents[u->index] = u->was_extent;
        } else {
            e->looked_up[u->index] = u->was_layer;
        }
    }
    e->layer--;
}

// --- Definitions ----------------------------------------------------------------------------------

static concrete add(const concrete *a, const concrete *b)
{
    wide x, y, num, den;
    if (a->den == 1 && b->den == 1) {
        return __builtin_add_overflow(a->num, b->num, &num) ? too_large() : concrete_int(num);
    }
    if (__builtin_mul_overflow(a->num, b->den, &x) || __builtin_mul_overflow(b->num, a->den, &y) ||
        __builtin_add_overflow(x, y, &num) || __builtin_mul_overflow(a->den, b->den, &den)) {
        return too_large();
    }
    return fraction(num, den);
}

static bool double_of(const concrete *w, double *ret)
{
    concrete back;
    *ret = (double)w->num / (double)w->den;
    return concrete_of_double(*ret, &back) && concrete_same(w, &back);
}

// As doubles have it.
static concrete rounded(term_arith op, const concrete *a, const concrete *b)
{
    double x, y;
    concrete made;
    if (a->why || b->why) {
        return a->why ? *a : *b;
    }
    if (!double_of(a, &x) || !double_of(b, &y)) {
        return too_large();
    }
    double z = op == ARITH_ADD ? x + y : op == ARITH_SUB ? x - y : op == ARITH_MUL ? x * y : x / y;
    return concrete_of_double(z, &made) ? made : concrete_unknown("a number that is not finite");
}

// Of functions that stand for arithmetic: whether its result is finite, or the result.
static concrete counted(evaluation *e, const cell *c)
{
    concrete a = eval(e, e->args[c->first]);
    concrete b = eval(e, e->args[c->first + 1]);
    if (c->nonfinite && !a.why && !b.why && c->arith == ARITH_DIV && b.num == 0) {
        return concrete_bool(false);
    }
    concrete made = rounded(c->arith, &a, &b);
    return c->nonfinite && !made.why ? concrete_bool(true) : made;
}

// Whether some elements have a property, how many, or their sum.
static concrete over_elements(evaluation *e, const definition *h)
{
    extent x;
    const char *why;
    const summary *base = base_of(h->summary);
    uint32_t on = cell_of(e, h->on);
    bool sum = h->kind == DEFINED_SUM || h->kind == DEFINED_FINITE;
    concrete result = h->kind == DEFINED_EXISTS ? concrete_bool(false) : concrete_int(0);
    if (sum) {
        result = evaluate(e, h->from);
    }
    if (!extent_of(e, base, &x, &why)) {
        return concrete_unknown(why);
    }
    for (uint32_t i = 0; i < x.count; i++) {
        layer_mark mark;
        if (e->layer + 1 >= LAYERS_MAX || !add_layer(e, e->layer + 1)) {
            return concrete_unknown("lists in lists in lists");
        }
        bool ok = enter(e, base, &x, i, &mark);
        concrete one =
            ok && on != NOBODY ? eval(e, on) : concrete_unknown("an element that does not fit");
        leave(e, mark);
        if (h->kind == DEFINED_EXISTS && !one.why && one.yes) {
            return one;
        }
        if (one.why || result.why) {
            result = result.why ? result : one;
        } else if (h->kind == DEFINED_COUNT) {
            result.num += one.yes;
        } else if (sum) {
            result = rounded(ARITH_ADD, &result, &one);
        }
    }
    return h->kind == DEFINED_FINITE && !result.why ? concrete_bool(true) : result;
}

static concrete assign_lookup(evaluation *e, uint32_t index, const lg_json *found)
{
    const definition *h = &e->p->definitions[index];
    size_t mark = e->undo_count;
    note_undo(e, (undo){.kind = UNDO_LOOKUP, .index = index, .was_layer = e->looked_up[index]});
    e->looked_up[index] = e->layer_stamp[e->layer];
    evaluation_set(e, h->constant, concrete_bool(found));
    for (uint32_t i = 0; i < ATTEMPTS; i++) {
        if (!assign(e, h->in, found)) {
            return concrete_unknown("an element that does not fit");
        }
        if (settled_since(e, mark)) {
            break;
        }
    }
    return concrete_bool(true);
}

// Element number `index` of what was left of a list, those in front counted.
static concrete filtered_element(evaluation *e, const summary *r, const extent *x, concrete index,
                                 const lg_json **ret)
{
    const summary *base = base_of(r);
    bool same =
        r->generic && base->generic && r->generic->in && r->generic->in == base->generic->in;
    uint32_t present = cell_of(e, r->present);
    uint32_t front = r->in_front ? cell_of(e, r->in_front) : NOBODY;
    if (!same || !x->list || present == NOBODY || front == NOBODY) {
        return concrete_unknown("an index into a list that was made");
    }
    concrete in_front = eval(e, front);
    wide left = index.num - in_front.num;
    for (uint32_t i = 0; i < x->count && !in_front.why && left >= 0; i++) {
        layer_mark mark;
        if (e->layer + 1 >= LAYERS_MAX || !add_layer(e, e->layer + 1)) {
            return concrete_unknown("lists in lists in lists");
        }
        bool ok = enter(e, base, x, i, &mark);
        concrete kept = ok ? eval(e, present) : concrete_unknown("an element that does not fit");
        leave(e, mark);
        if (kept.why) {
            return kept;
        }
        *ret = kept.yes && left == 0 ? lg_json_item(x->list, (size_t)x->first + i) : *ret;
        left -= kept.yes;
    }
    return in_front;
}

// The input of a lookup becomes what really stands under the key, in this layer.
static concrete look_up(evaluation *e, uint32_t index)
{
    const definition *h = &e->p->definitions[index];
    extent x;
    const char *why;
    uint32_t on = cell_of(e, h->on);
    concrete key = on == NOBODY ? concrete_unknown("a key") : eval(e, on);
    const lg_json *found = NULL;
    if (h->summary->range) {
        return concrete_unknown("an index into a range");
    }
    if (key.why || !extent_of(e, base_of(h->summary), &x, &why)) {
        return concrete_unknown(key.why ? key.why : why);
    }
    if (h->summary->base) {
        concrete done = filtered_element(e, h->summary, &x, key, &found);
        return done.why ? done : assign_lookup(e, index, found);
    }
    for (uint32_t i = 0; x.members && i < x.count && !found; i++) {
        concrete name = concrete_text(e, lg_json_key(x.members[i]));
        found = concrete_same(&name, &key) ? &x.members[i]->value : NULL;
    }
    if (x.list && key.den == 1 && key.num >= x.first && key.num < (wide)lg_json_len(x.list)) {
        found = lg_json_item(x.list, (size_t)key.num);
    }
    return assign_lookup(e, index, found);
}

static concrete index_of(evaluation *e, const definition *h)
{
    extent x;
    const char *why;
    if (h->summary->base) {
        return concrete_unknown("an index in a list that was filtered");
    }
    if (!extent_of(e, h->summary, &x, &why)) {
        return concrete_unknown(why);
    }
    // In a layer of its own the extent says which element it is.
    const extent *present = &e->extents[h->summary->id];
    return concrete_int((wide)x.first + (present->known ? present->at : x.at));
}

static concrete constant(evaluation *e, uint32_t index)
{
    const cell *c = &e->cells[index];
    if (c->t == e->p->idealised) {
        return concrete_bool(false);
    }
    if (c->definition == NOBODY) {
        return c->is_assigned ? c->assigned
                              : concrete_unknown("a constant that was not given a value");
    }
    const definition *h = &e->p->definitions[c->definition];
    switch (h->kind) {
    case DEFINED_EXISTS:
    case DEFINED_COUNT:
    case DEFINED_SUM:
    case DEFINED_FINITE:
        return over_elements(e, h);
    case DEFINED_INDEX:
    case DEFINED_RANGE_INDEX:
        return index_of(e, h);
    case DEFINED_LOOKUP: {
        concrete done = e->looked_up[c->definition] == e->layer_stamp[e->layer]
                            ? concrete_bool(true)
                            : look_up(e, c->definition);
        return done.why ? done
               : e->cells[index].is_assigned
                   ? e->cells[index].assigned
                   : concrete_unknown("a constant that was not given a value");
    }
    case DEFINED_KEY:
    case DEFINED_UNKNOWN:
        break;
    }
    return concrete_unknown(h->why ? h->why : "a value that is not followed");
}

// --- Functions of texts ---------------------------------------------------------------------------

static bool cel_of_concrete(evaluation *e, alt_kind kind, const concrete *w, lg_cel_value *ret)
{
    lg_arena *scratch = e->scratch;
    size_t count = terms_literal_count(e->p->t);
    if (kind == ALT_BOOL) {
        *ret = lg_cel_make_bool(w->yes);
    } else if (kind == ALT_INT) {
        *ret = lg_cel_make_int((int64_t)w->num);
    } else if (kind == ALT_UINT) {
        *ret = lg_cel_make_uint((uint64_t)w->num);
    } else if (kind == ALT_DOUBLE) {
        *ret = lg_cel_make_double((double)w->num / (double)w->den);
    } else if (kind == ALT_TEXT && w->num >= 1 && w->num <= (wide)count) {
        *ret = lg_cel_make_str(terms_literal(e->p->t, (size_t)w->num - 1));
    } else if (kind == ALT_TEXT) {
        lg_str none = lg_arena_printf(scratch, "absent %lld", (long long)w->num);
        *ret = lg_cel_make_str(none.ptr ? none : LG_STR("absent"));
    } else {
        wide seconds = w->num / LG_TIME_NANOS - (w->num % LG_TIME_NANOS < 0);
        uint32_t nanos = (uint32_t)(w->num - seconds * LG_TIME_NANOS);
        *ret = kind == ALT_TIME ? lg_cel_make_timestamp((int64_t)seconds, nanos)
                                : lg_cel_make_duration((int64_t)seconds, nanos);
    }
    return !w->why;
}

static bool concrete_of_cel(evaluation *e, lg_cel_value v, concrete *ret)
{
    if (v.kind == LG_CEL_BOOL) {
        *ret = concrete_bool(v.as.boolean);
    } else if (v.kind == LG_CEL_INT) {
        *ret = concrete_int(v.as.i64);
    } else if (v.kind == LG_CEL_UINT) {
        *ret = concrete_int((wide)v.as.u64);
    } else if (v.kind == LG_CEL_DOUBLE) {
        return concrete_of_double(v.as.f64, ret);
    } else if (v.kind == LG_CEL_STRING) {
        *ret = concrete_text(e, lg_cel_str(v));
    } else if (v.kind == LG_CEL_TIMESTAMP || v.kind == LG_CEL_DURATION) {
        *ret = concrete_int((wide)v.as.i64 * LG_TIME_NANOS + v.aux);
    } else {
        return false;
    }
    return true;
}

static concrete call(evaluation *e, const cell *c)
{
    lg_cel_value values[FUN_ARGS_MAX];
    if (c->function && !c->f) {
        return counted(e, c);
    }
    if (!c->f || !c->f->program || c->count > FUN_ARGS_MAX) {
        return concrete_unknown("a function that is not known");
    }
    for (uint32_t i = 0; i < c->count; i++) {
        concrete arg = eval(e, e->args[c->first + i]);
        if (!cel_of_concrete(e, c->f->from[i], &arg, &values[i])) {
            return arg;
        }
    }
    lg_cel_activation activation = {.values = values, .scratch = e->scratch};
    lg_cel_value given = lg_cel_eval(c->f->program, &activation);
    bool nonfinite = given.kind == LG_CEL_DOUBLE && !isfinite(given.as.f64);
    if (c->fails || c->nonfinite) {
        return concrete_bool(c->fails ? given.kind == LG_CEL_ERROR : nonfinite);
    }
    concrete made = concrete_int(0); // of what fails, or is not finite, nothing is asked
    bool asked = given.kind != LG_CEL_ERROR && !nonfinite;
    return !asked || concrete_of_cel(e, given, &made) ? made : too_large();
}

// --- Operators ------------------------------------------------------------------------------------

static concrete multiply(const concrete *a, const concrete *b)
{
    wide num, den;
    if (__builtin_mul_overflow(a->num, b->num, &num) ||
        __builtin_mul_overflow(a->den, b->den, &den)) {
        return too_large();
    }
    return fraction(num, den);
}

static concrete divide(const concrete *a, const concrete *b)
{
    if (b->num == 0) {
        return concrete_unknown("a division by zero");
    }
    concrete inverse = {.num = b->num < 0 ? -b->den : b->den, .den = magnitude(b->num)};
    return multiply(a, &inverse);
}

// As Z3 has it: the remainder is never negative.
static concrete divide_whole(const concrete *a, const concrete *b, bool remainder)
{
    if (b->num == 0) {
        return concrete_unknown("a division by zero");
    }
    wide left = a->num % b->num;
    left += left < 0 ? magnitude(b->num) : 0;
    return concrete_int(remainder ? left : (a->num - left) / b->num);
}

static concrete negated(const concrete *a)
{
    concrete made = *a;
    made.num = -made.num;
    return made;
}

// -1, 0, 1; 2 if the numbers are too large.
static int order(const concrete *a, const concrete *b)
{
    wide x, y;
    if (__builtin_mul_overflow(a->num, b->den, &x) || __builtin_mul_overflow(b->num, a->den, &y)) {
        double p = (double)a->num / (double)a->den;
        double q = (double)b->num / (double)b->den;
        return p < q ? -1 : p > q ? 1 : 2; // doubles tell them apart, or nothing does
    }
    return x < y ? -1 : x > y;
}

static concrete compared(term_op op, const concrete *a, const concrete *b)
{
    int at = order(a, b);
    if (at == 2) {
        return too_large();
    }
    return concrete_bool(op == TERM_LT   ? at < 0
                         : op == TERM_LE ? at <= 0
                         : op == TERM_GT ? at > 0
                                         : at >= 0);
}

static concrete binary(term_op op, const concrete *a, const concrete *b)
{
    concrete minus = negated(b);
    switch (op) {
    case TERM_EQ:
        return concrete_bool(concrete_same(a, b));
    case TERM_LT:
    case TERM_LE:
    case TERM_GT:
    case TERM_GE:
        return compared(op, a, b);
    case TERM_ADD:
        return add(a, b);
    case TERM_SUB:
        return add(a, &minus);
    case TERM_MUL:
        return multiply(a, b);
    case TERM_DIV:
        return divide(a, b);
    case TERM_IDIV:
    case TERM_MOD:
        return divide_whole(a, b, op == TERM_MOD);
    case TERM_LITERAL:
    case TERM_CONSTANT:
    case TERM_CALL:
    case TERM_NOT:
    case TERM_AND:
    case TERM_OR:
    case TERM_ITE:
    case TERM_MINUS:
    case TERM_TO_REAL:
    case TERM_TO_INT:
    case TERM_IS_INT:
    case TERM_OTHER:
        break;
    }
    return concrete_unknown("an operator that is not evaluated");
}

static concrete unary(term_op op, const concrete *a)
{
    concrete made = *a;
    if (a->why || op == TERM_TO_REAL) {
        return made;
    }
    if (op == TERM_NOT) {
        made.yes = !made.yes;
        return made;
    }
    if (op == TERM_MINUS) {
        return negated(a);
    }
    if (op == TERM_IS_INT) {
        return concrete_bool(a->den == 1);
    }
    return concrete_int(a->num / a->den - (a->num % a->den < 0)); // the floor
}

// One operand that decides is enough, whatever is not known of the others.
static concrete connected(evaluation *e, const cell *c, bool decides)
{
    concrete result = concrete_bool(!decides);
    for (uint32_t i = 0; i < c->count; i++) {
        concrete one = eval(e, e->args[c->first + i]);
        if (!one.why && one.yes == decides) {
            return one;
        }
        result = one.why && !result.why ? one : result;
    }
    return result;
}

static concrete chosen(evaluation *e, const cell *c)
{
    concrete condition = eval(e, e->args[c->first]);
    if (!condition.why) {
        return eval(e, e->args[c->first + (condition.yes ? 1 : 2)]);
    }
    concrete a = eval(e, e->args[c->first + 1]);
    concrete b = eval(e, e->args[c->first + 2]);
    return concrete_same(&a, &b) ? a : condition;
}

static concrete operated(evaluation *e, const cell *c)
{
    concrete result = eval(e, e->args[c->first]);
    if (c->count == 1) {
        return unary(c->op, &result);
    }
    for (uint32_t i = 1; i < c->count && !result.why; i++) {
        concrete next = eval(e, e->args[c->first + i]);
        result = next.why ? next : binary(c->op, &result, &next);
    }
    return result;
}

static concrete fresh(evaluation *e, uint32_t index)
{
    const cell *c = &e->cells[index];
    switch (c->op) {
    case TERM_LITERAL:
        return c->assigned;
    case TERM_CONSTANT:
        return constant(e, index);
    case TERM_CALL:
        return call(e, c);
    case TERM_AND:
    case TERM_OR:
        return connected(e, c, c->op == TERM_OR);
    case TERM_ITE:
        return chosen(e, c);
    case TERM_NOT:
    case TERM_EQ:
    case TERM_LT:
    case TERM_LE:
    case TERM_GT:
    case TERM_GE:
    case TERM_ADD:
    case TERM_SUB:
    case TERM_MUL:
    case TERM_DIV:
    case TERM_IDIV:
    case TERM_MOD:
    case TERM_MINUS:
    case TERM_TO_REAL:
    case TERM_TO_INT:
    case TERM_IS_INT:
        return operated(e, c);
    case TERM_OTHER:
        break;
    }
    return concrete_unknown("an operator that is not evaluated");
}

// As deep as the formula, within a bound.
static concrete eval(evaluation *e, uint32_t index)
{
    uint32_t stamp = e->layer_stamp[e->layer];
    uint32_t layer = e->layer;
    if (e->stamps[layer][index] == stamp) {
        return e->memo[layer][index];
    }
    if (e->depth > DEPTH_MAX) {
        return concrete_unknown("a formula that is too deep");
    }
    e->depth++;
    concrete made = fresh(e, index);
    e->depth--;
    // What was not given yet may be given later.
    if (!made.why || e->cells[index].op != TERM_CONSTANT) {
        e->stamps[layer][index] = stamp;
        e->memo[layer][index] = made;
    }
    return made;
}

concrete evaluate(evaluation *e, term t)
{
    uint32_t index = cell_of(e, t);
    return index == NOBODY ? concrete_unknown("a formula that was not prepared") : eval(e, index);
}

bool evaluation_settled(evaluation *e)
{
    return settled_since(e, 0);
}

// --- Assertions and models ------------------------------------------------------------------------

term evaluation_broken(evaluation *e, size_t *ret_unknown)
{
    *ret_unknown = 0;
    for (size_t i = 0; i < e->p->t->asserted_count; i++) {
        term t = (term)(void *)e->p->t->asserted[i];
        concrete w = evaluate(e, t);
        *ret_unknown += w.why != NULL;
        if (!w.why && !w.yes) {
            return t;
        }
    }
    return NULL;
}

static term literal_of(evaluation *e, term like, const concrete *w)
{
    char digits[100];
    char *end = digits + sizeof(digits) - 1;
    char *at = end;
    terms *t = e->p->t;
    term_sort sort = term_sort_of(t, like);
    if (sort == SORT_BOOL) {
        return term_bool(t, w->yes);
    }
    *end = '\0';
    for (wide den = w->den; w->den != 1 && den; den /= 10) {
        *--at = (char)('0' + den % 10);
    }
    if (w->den != 1) {
        *--at = '/';
    }
    wide num = magnitude(w->num);
    do {
        *--at = (char)('0' + num % 10);
        num /= 10;
    } while (num);
    if (w->num < 0) {
        *--at = '-';
    }
    return term_numeral(t, at, sort);
}

static void add_call_to_model(evaluation *e, own_model *m, const cell *c, const concrete *w)
{
    term args[FUN_ARGS_MAX];
    for (uint32_t i = 0; i < c->count && i < FUN_ARGS_MAX; i++) {
        concrete arg = eval(e, e->args[c->first + i]);
        args[i] = literal_of(e, e->cells[e->args[c->first + i]].t, &arg);
    }
    model_call(m, c->function, args, c->count, literal_of(e, c->t, w));
}

void evaluation_to_model(evaluation *e)
{
    own_model m = begin_model(e->p->t);
    for (uint32_t i = 0; i < e->cell_count; i++) {
        const cell *c = &e->cells[i];
        concrete w = e->memo[0][i];
        bool known = e->stamps[0][i] == e->layer_stamp[0] && !w.why;
        if (known && c->op == TERM_CONSTANT) {
            model_constant(&m, c->t, literal_of(e, c->t, &w));
        } else if (known && c->op == TERM_CALL && c->function) {
            add_call_to_model(e, &m, c, &w);
        }
    }
    end_model(&m);
}
