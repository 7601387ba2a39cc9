// synth_number.c: numbers between bounds and on a grid, exactly.
//
// A candidate is k * step * 10^e with integers k and step; e is below zero only where fractions are
// wanted or `multipleOf` has them. The bounds become bounds of k: a first guess in doubles is moved
// until exact comparison says that it holds, so that 2^53 + 1 and 0.3 come out right.
#include "schema/synth_internal.h"

#include <math.h>

enum { DIVISORS_MAX = 16 };

typedef struct number_facts {
    const lg_json *low; // NULL: none
    const lg_json *high;
    const node *low_node;
    const node *high_node;
    bool low_open; // exclusive
    bool high_open;
    decimal divisors[DIVISORS_MAX];
    size_t divisor_count;
    const lg_json *divisor; // one of them, as it was written
    const node *divisor_node;
} number_facts;

// --- Facts ----------------------------------------------------------------------------------------

static void raise_low(number_facts *f, const node *n, const lg_json *bound, bool open)
{
    int order = bound && f->low ? lg_json_number_cmp(bound, f->low) : 1;
    if (bound && (order > 0 || (order == 0 && open))) {
        f->low = bound;
        f->low_open = open;
        f->low_node = n;
    }
}

static void drop_high(number_facts *f, const node *n, const lg_json *bound, bool open)
{
    int order = bound && f->high ? lg_json_number_cmp(bound, f->high) : -1;
    if (bound && (order < 0 || (order == 0 && open))) {
        f->high = bound;
        f->high_open = open;
        f->high_node = n;
    }
}

static number_facts facts_of(const demand *d)
{
    number_facts f = {0};
    for (size_t i = 0; i < d->count; i++) {
        const node *n = d->nodes[i];
        if (!n->number) {
            continue;
        }
        raise_low(&f, n, n->number->minimum, false);
        raise_low(&f, n, n->number->above, true);
        drop_high(&f, n, n->number->maximum, false);
        drop_high(&f, n, n->number->below, true);
        if (n->number->multiple_of && f.divisor_count < DIVISORS_MAX) {
            f.divisors[f.divisor_count++] = n->number->divisor;
            f.divisor = n->number->multiple_of;
            f.divisor_node = n;
        }
    }
    return f;
}

// Moves a bound to where a schema that should not hold does not. True if that was done.
static bool break_bounds(synth *s, const demand *d, uint32_t round, number_facts *f)
{
    const scope *here = NULL;
    const node *broken = lg_synth_to_break(s, d, round, &here);
    const number_rules *r = broken ? broken->number : NULL;
    if (!r) {
        return false;
    }
    if (lg_synth_one_in(s, 2)) {
        drop_high(f, broken, r->minimum, true);
        drop_high(f, broken, r->above, false);
    } else {
        raise_low(f, broken, r->maximum, true);
        raise_low(f, broken, r->below, false);
    }
    return true;
}

// --- The grid -------------------------------------------------------------------------------------

typedef struct grid {
    int64_t step;
    int64_t exponent;
    bool usable; // false: out of the range of 64 bits
} grid;

static bool times_ten(int64_t *value, int64_t times)
{
    bool ok = times <= 18;
    for (int64_t i = 0; i < times && ok; i++) {
        ok = *value <= INT64_MAX / 10;
        *value *= ok ? 10 : 1;
    }
    return ok;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static bool common_multiple(int64_t *into, int64_t other)
{
    int64_t part = other / common_divisor(*into, other);
    bool ok = *into <= INT64_MAX / part;
    *into *= ok ? part : 1;
    return ok;
}

// The coarsest grid of 10^`exponent` or finer that holds all common multiples.
static grid grid_of(const number_facts *f, bool integer, int64_t exponent)
{
    grid g = {.step = 1, .exponent = f->divisor_count || integer ? 0 : exponent, .usable = true};
    for (size_t i = 0; i < f->divisor_count; i++) {
        int64_t own = f->divisors[i].exponent;
        g.exponent = own < g.exponent ? own : g.exponent;
    }
    for (size_t i = 0; i < f->divisor_count && g.usable; i++) {
        int64_t scaled = (int64_t)f->divisors[i].mantissa;
        g.usable = f->divisors[i].mantissa <= INT64_MAX && scaled > 0 &&
                   times_ten(&scaled, f->divisors[i].exponent - g.exponent) &&
                   common_multiple(&g.step, scaled);
    }
    int64_t one = 1;
    if (integer && g.exponent < 0 && g.usable) {
        g.usable = times_ten(&one, -g.exponent) && common_multiple(&g.step, one);
    }
    return g;
}

// The number at `k`. False where it leaves the range, or there is no memory.
static bool number_at(synth *s, const grid *g, int64_t k, lg_json *ret)
{
    if (k > INT64_MAX / g->step || k < -(INT64_MAX / g->step)) {
        return false;
    }
    int64_t value = k * g->step;
    int64_t exponent = g->exponent;
    while (exponent < 0 && value % 10 == 0) { // 1.50 is 1.5, and 2.00 is an integer
        value /= 10;
        exponent++;
        exponent = value == 0 ? 0 : exponent;
    }
    if (exponent == 0) {
        *ret = lg_json_make_int(value);
        return true;
    }
    lg_str text = lg_arena_printf(&s->arena, "%llde%lld", (long long)value, (long long)exponent);
    const lg_json *parsed = NULL;
    if (!text.ptr || lg_json_parse_in(&s->arena, text, 0, text.len, NULL, &parsed, NULL) != LG_OK) {
        return false;
    }
    *ret = *parsed;
    return true;
}

static bool is_low_enough(const number_facts *f, const lg_json *value)
{
    int order = f->high ? lg_json_number_cmp(value, f->high) : -1;
    return order < 0 || (order == 0 && !f->high_open);
}

static bool is_high_enough(const number_facts *f, const lg_json *value)
{
    int order = f->low ? lg_json_number_cmp(value, f->low) : 1;
    return order > 0 || (order == 0 && !f->low_open);
}

// --- Bounds of k ----------------------------------------------------------------------------------

typedef struct k_range {
    int64_t first;
    int64_t last;
    bool exact; // no grid point outside of it is within the bounds
} k_range;

enum { NUDGES = 12 };

#define FAR INT64_C(4000000000000000000) // grid points from zero; beyond, no bound is looked for

// Where `bound` lies on the grid, to a few units; false beyond 62 bits.
static bool guess(const grid *g, const lg_json *bound, int64_t *ret)
{
    int64_t exact = 0;
    if (g->exponent == 0 && lg_json_is(bound, LG_JSON_INT) && lg_json_int(bound, &exact)) {
        bool near = exact / g->step > -FAR && exact / g->step < FAR;
        *ret = near ? exact / g->step : 0;
        return near;
    }
    double value = 0;
    double unit = (double)g->step * pow(10, (double)g->exponent);
    bool ok = lg_json_double(bound, &value) && unit > 0 && fabs(value / unit) < (double)FAR;
    *ret = ok ? (int64_t)(value / unit) : 0;
    return ok;
}

// Is the lower bound so far below zero, or the upper so far above, that it is as good as none? So are those of 64 bits.
static bool is_far(const grid *g, const lg_json *bound, bool low)
{
    int64_t exact = 0;
    double value = 0;
    double unit = (double)g->step * pow(10, (double)g->exponent);
    if (g->exponent == 0 && lg_json_is(bound, LG_JSON_INT) && lg_json_int(bound, &exact)) {
        return low ? exact / g->step <= -FAR : exact / g->step >= FAR;
    }
    return lg_json_double(bound, &value) && unit > 0 &&
           (low ? value / unit <= -(double)FAR : value / unit >= (double)FAR);
}

// Moves `*k` upwards to the first grid point that is high enough (`up`), or downwards to the last
// one that is low enough. `*exact` stays true only if its neighbour was seen to be none.
static bool settle(synth *s, const number_facts *f, const grid *g, bool up, int64_t *k, bool *exact)
{
    int64_t toward = up ? 1 : -1;
    if (*k > INT64_MAX - NUDGES || *k < INT64_MIN + NUDGES) {
        return false;
    }
    int64_t at = *k - 3 * toward;
    for (int i = 0; i < NUDGES; i++, at += toward) {
        lg_json value;
        if (number_at(s, g, at, &value) &&
            (up ? is_high_enough(f, &value) : is_low_enough(f, &value))) {
            *k = at;
            *exact = *exact && i > 0;
            return true;
        }
    }
    return false;
}

// With one bound or none, the range is cut to what looks like a number of daily life.
static bool range_of(synth *s, const number_facts *f, const grid *g, k_range *ret)
{
    bool exact = true;
    enum { WIDTH = 100000000 };
    int64_t first = 0;
    int64_t last = 0;
    bool low = f->low && !is_far(g, f->low, true);
    bool high = f->high && !is_far(g, f->high, false);
    bool ok = (!low || (guess(g, f->low, &first) && settle(s, f, g, true, &first, &exact))) &&
              (!high || (guess(g, f->high, &last) && settle(s, f, g, false, &last, &exact)));
    if (!low) {
        first = high && last < WIDTH ? last - WIDTH : 0;
    }
    if (!high) {
        last = first > INT64_MAX - WIDTH ? INT64_MAX : first + WIDTH;
    }
    *ret = (k_range){first, last, exact && low == (f->low != NULL) && high == (f->high != NULL)};
    return ok;
}

// --- What is usual ---------------------------------------------------------------------------------

typedef struct usual_range {
    int64_t base;
    uint64_t width;
} usual_range;

// What the words of a name say of its numbers; of all others one expects 1 to 100. The first row that is found counts.
static const struct named_range {
    const char *word;
    usual_range range;
} named_ranges[] = {
    {"year", {2024, 2}},      {"month", {1, 11}},
    {"day", {1, 27}},         {"latitude", {35, 20}},
    {"lat", {35, 20}},        {"longitude", {5, 30}},
    {"lng", {5, 30}},         {"lon", {5, 30}},
    {"hour", {0, 23}},        {"minute", {0, 59}},
    {"port", {8000, 999}},    {"timestamp", {INT64_C(1717200000), 60000000}},
    {"id", {10000, 989999}},  {"age", {18, 52}},
    {"quantity", {1, 9}},     {"qty", {1, 9}},
    {"rating", {1, 4}},       {"stars", {1, 4}},
    {"percent", {1, 99}},     {"percentage", {1, 99}},
    {"price", {5, 495}},      {"cost", {5, 495}},
    {"amount", {5, 495}},     {"balance", {100, 4900}},
    {"salary", {2000, 8000}}, {"population", {10000, 990000}},
    {"page", {1, 9}},         {"version", {1, 9}},
    {"size", {1, 4095}},      {"bytes", {512, 65024}},
    {"count", {1, 49}},       {"total", {1, 99}},
    {"width", {100, 1820}},   {"height", {100, 980}},
};

// Also "petid" and "USERID", but no other word that ends so.
static bool is_id(lg_str name)
{
    static const char *const others[] = {"paid", "bid",   "void", "grid",  "valid",
                                         "mid",  "humid", "said", "solid", "covid"};
    bool found = name.len > 4 &&
                 lg_str_eq_any_case(lg_str_slice(name, name.len - 2, name.len), LG_STR("id"));
    for (size_t i = 0; i < LG_COUNT(others) && found; i++) {
        found = !lg_synth_name_says(name, others[i]);
    }
    return found;
}

static usual_range usual_number(const synth *s, const grid *g)
{
    int64_t unit = 1;
    if (g->step != 1 || g->exponent < -4 || !times_ten(&unit, -g->exponent)) {
        return (usual_range){1, g->step == 1 ? 9999 : 99};
    }
    for (size_t i = 0; i < LG_COUNT(named_ranges); i++) {
        usual_range range = named_ranges[i].range;
        if (lg_synth_name_says(s->hint, named_ranges[i].word)) {
            return (usual_range){range.base * unit, range.width * (uint64_t)unit};
        }
    }
    if (g->exponent >= 0 && is_id(s->hint)) {
        return (usual_range){10000, 989999};
    }
    return (usual_range){1, g->exponent < 0 ? 9999 : 99};
}

// Whether a number of this name counts something, though fractions are allowed.
static bool is_counted(lg_str name)
{
    static const char *const parts[] = {"count", "limit",  "offset", "page",      "size",
                                        "index", "number", "year",   "quantity",  "total",
                                        "day",   "age",    "id",     "timestamp", "port"};
    bool found = false;
    for (size_t i = 0; i < LG_COUNT(parts) && !found; i++) {
        found = lg_synth_name_says(name, parts[i]);
    }
    return found;
}

// --- Choice ---------------------------------------------------------------------------------------

// Small positive numbers first, the ends now and then where they are near, and later anything.
static int64_t choose_k(synth *s, k_range r, uint32_t round, usual_range usual)
{
    uint64_t span = (uint64_t)r.last - (uint64_t)r.first;
    uint64_t kind = lg_synth_below(s, 10);
    bool near = r.first >= -1000 && r.first <= 1000;
    if (span == 0 || (kind == 0 && (round > 0 || (usual.base <= 1 && near)))) {
        return r.first;
    }
    if (kind == 1 && round > 0) {
        return r.last;
    }
    if (round > 1 && kind < 6) {
        uint64_t offset = span == UINT64_MAX ? lg_synth_next(s) : lg_synth_below(s, span + 1);
        return (int64_t)((uint64_t)r.first + offset);
    }
    uint64_t below = usual.width < span ? usual.width : span; // where all are below what is usual
    int64_t base = r.first > usual.base  ? r.first
                   : r.last < usual.base ? (int64_t)((uint64_t)r.last - below)
                                         : usual.base;
    uint64_t rest = (uint64_t)r.last - (uint64_t)base;
    return (int64_t)((uint64_t)base +
                     lg_synth_below(s, (rest < usual.width ? rest : usual.width) + 1));
}

// As many digits after the point as the range has room for: 0 to 1 wants more than 0 to 1000.
static int64_t usual_exponent(const number_facts *f, uint32_t round)
{
    double low = 0;
    double high = 0;
    int64_t exponent = round % 4 == 3 ? -1 : -2;
    if (f->low && f->high && lg_json_double(f->low, &low) && lg_json_double(f->high, &high)) {
        double width = high - low;
        while (exponent > -15 && width > 0 && width < 10 * pow(10, (double)exponent)) {
            exponent--;
        }
    }
    return exponent;
}

// What no grid reaches: the bounds and the divisor themselves, which are exact however large.
static bool take_literal(synth *s, const demand *d, const number_facts *f, bool integer,
                         lg_json *ret)
{
    lg_json beyond = lg_json_make_int(0);
    double bound = 0;
    if (f->low && f->low_open && lg_json_double(f->low, &bound) && isfinite(bound)) {
        double next = nextafter(bound, HUGE_VAL);
        beyond = isfinite(next) ? lg_json_make_double(next) : beyond;
    } else if (f->high && f->high_open && lg_json_double(f->high, &bound) && isfinite(bound)) {
        double next = nextafter(bound, -HUGE_VAL);
        beyond = isfinite(next) ? lg_json_make_double(next) : beyond;
    }
    const lg_json zero = lg_json_make_int(0);
    const lg_json *literals[] = {f->low, f->high, f->divisor, &beyond, &zero};
    for (size_t i = 0; i < LG_COUNT(literals); i++) {
        bool fits = literals[i] && (!integer || lg_number_is_integral(literals[i]));
        if (fits && lg_synth_holds(s, d, literals[i])) {
            *ret = *literals[i];
            return true;
        }
    }
    return false;
}

static outcome fail_range(synth *s, outcome how, const number_facts *f)
{
    const node *n = f->divisor_node ? f->divisor_node : f->low_node ? f->low_node : f->high_node;
    return lg_synth_fail(s, how, n, f->divisor_node ? "multipleOf" : NULL,
                         "no number of the type that is wanted lies between the bounds");
}

static outcome check_bounds(synth *s, const number_facts *f)
{
    int order = f->low && f->high ? lg_json_number_cmp(f->low, f->high) : -1;
    if (order > 0 || (order == 0 && (f->low_open || f->high_open))) {
        return lg_synth_fail(s, IMPOSSIBLE, f->low_node,
                             f->low_open ? "exclusiveMinimum" : "minimum",
                             "leaves nothing below the upper bound");
    }
    return MADE;
}

outcome lg_synth_number(synth *s, const demand *d, bool integer, uint32_t round, lg_json *ret)
{
    number_facts f = facts_of(d);
    if (check_bounds(s, &f) != MADE) {
        return IMPOSSIBLE;
    }
    bool broken = break_bounds(s, d, round, &f);
    if (broken && check_bounds(s, &f) != MADE) {
        return FAILED;
    }
    bool fraction_only = !(d->types & TYPE_INTEGER);
    bool counted = is_counted(s->hint) || lg_synth_one_in(s, 3);
    bool whole = integer || (!fraction_only && counted && round % 2 == 0);
    grid g = grid_of(&f, integer, whole ? 0 : usual_exponent(&f, round));
    k_range r = {0, 0, false};
    bool ranged = g.usable && range_of(s, &f, &g, &r);
    if (ranged && r.first > r.last && whole && !integer) { // no integer in a narrow range
        g = grid_of(&f, false, usual_exponent(&f, round));
        ranged = g.usable && range_of(s, &f, &g, &r);
    }
    if (!ranged || (round > 2 && lg_synth_one_in(s, 3))) {
        return take_literal(s, d, &f, integer, ret) ? MADE : fail_range(s, FAILED, &f);
    }
    if (r.first > r.last) {
        // The grid of a divisor or of the integers holds all numbers there are, others do not.
        bool proved = r.exact && !broken && (integer || f.divisor_count);
        return fail_range(s, proved ? IMPOSSIBLE : FAILED, &f);
    }
    return number_at(s, &g, choose_k(s, r, round, usual_number(s, &g)), ret)
               ? MADE
               : lg_synth_fail(s, FAILED, f.low_node, NULL, "the number is out of range");
}
