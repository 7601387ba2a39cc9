// term.c: Z3 behind a small face.
//
// A context of Z3's without reference counts keeps every term until the context goes, which is what
// a proof about one tool wants: terms are shared, and their addresses can stand in tables.
//
// What fails (memory, the budget, a mistake of Z3's) sets `failed` once and for ever: no term is built any
// more, builders answer with a term that exists, and every check with ANSWER_UNKNOWN. So translation needs
// no error paths, and no verdict can come of half a formula.
#include "base/hash.h"
#include "base/time.h"
#include "symbolic/term_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MEMORY_BYTES                                                                               \
    "2147483648" // then Z3 gives a question up; with a `memory_max_size` it would abort
#define MADE_MAX                                                                                   \
    1500000u // terms; what takes more is not followed. The largest of our packs take 320,000
#define SPENT_EVERY 512u // terms after which time and memory are looked at
#define CHOICE_LEVELS 4
// Z3's own measure, so that what is proved does not depend on the machine: some tenths of a second.
#define STEPS_TO_REFUTE 700000
#define WHOLE_LEVELS 12

// Z3's own handler ends the process. The code is read after each call instead.
static void on_error(Z3_context context, Z3_error_code code)
{
    (void)context;
    (void)code;
}

// Is the run's time or memory used up? Then the terms have failed.
static bool is_spent(terms *t)
{
    terms_budget *b = t->budget;
    if (!b) {
        return false;
    }
    b->late = b->late || (b->work_us && b->until_us && b->work_us() >= b->until_us);
    bool large = b->memory_bytes && z3.get_estimated_alloc_size() > b->memory_bytes;
    bool spent = b->late || large;
    b->cut = b->cut || spent;
    t->failed = t->failed || spent;
    return spent;
}

// Is the share's time used up? More of it may be had later, so the terms go on.
static bool is_share_spent(terms *t)
{
    terms_budget *b = t->budget;
    if (!b || !b->work_us || !b->share_until_us) {
        return false;
    }
    b->share_late = b->share_late || b->work_us() >= b->share_until_us;
    b->cut = b->cut || b->share_late;
    return b->share_late;
}

// Every term that Z3 makes comes through here: it counts against the budget, and a mistake of Z3's ends
// the building. What is given back then is well formed, but means nothing; `failed` says so for good.
term terms_wrap(terms *t, Z3_ast made)
{
    t->made++;
    t->failed = t->failed || (t->budget && t->made > MADE_MAX);
    if (t->made % SPENT_EVERY == 0 && is_spent(t)) {
        return (term)(void *)t->no;
    }
    if (!made || z3.get_error_code(t->context) != Z3_OK) {
        t->failed = true;
        return (term)(void *)t->no;
    }
    unsigned id = z3.get_ast_id(t->context, made);
    t->top = id > t->top ? id : t->top;
    return (term)(void *)made;
}

// Set before each check: what is left of the run's time may be less than one question is allowed.
static void set_params(terms *t, uint32_t timeout_ms)
{
    t->timeout_ms = timeout_ms;
    if (t->budget && t->budget->work_us && t->budget->until_us) {
        uint64_t now = t->budget->work_us();
        uint64_t share = t->budget->share_until_us;
        uint64_t until = share && share < t->budget->until_us ? share : t->budget->until_us;
        uint64_t left_ms = now < until ? (until - now) / 1000 + 1 : 1;
        timeout_ms = timeout_ms && timeout_ms < left_ms ? timeout_ms : (uint32_t)left_ms;
    }
    t->allowed_ms = timeout_ms;
    z3.params_set_uint(t->context, t->params, z3.mk_string_symbol(t->context, "timeout"),
                       timeout_ms ? timeout_ms : UINT32_MAX);
    z3.params_set_uint(t->context, t->params, z3.mk_string_symbol(t->context, "random_seed"), 7);
    if (t->steps) {
        z3.params_set_uint(t->context, t->params, z3.mk_string_symbol(t->context, "rlimit"),
                           t->steps);
    }
    if (t->only_refutes) {
        z3.params_set_bool(t->context, t->params, z3.mk_string_symbol(t->context, "mbqi"), false);
    }
    z3.solver_set_params(t->context, t->solver, t->params);
}

terms *terms_new(lg_arena *arena, uint32_t timeout_ms, uint32_t steps)
{
    terms *t = LG_NEW(arena, terms);
    if (!t || z3_load(NULL, NULL) != LG_OK) {
        return NULL;
    }
    z3.global_param_set("memory_high_watermark", MEMORY_BYTES);
    Z3_config config = z3.mk_config();
    t->arena = arena;
    t->steps = steps;
    t->context = config ? z3.mk_context(config) : NULL;
    if (config) {
        z3.del_config(config);
    }
    if (!t->context) {
        return NULL;
    }
    z3.set_error_handler(t->context, on_error);
    // Z3 keeps the latest object it made, and only that: each is taken before the next is made.
    t->solver = z3.mk_simple_solver(t->context);
    if (t->solver) {
        z3.solver_inc_ref(t->context, t->solver);
    }
    t->params = z3.mk_params(t->context);
    if (!t->solver || !t->params) {
        z3.del_context(t->context);
        return NULL;
    }
    z3.params_inc_ref(t->context, t->params);
    set_params(t, timeout_ms);
    t->sorts[SORT_BOOL] = z3.mk_bool_sort(t->context);
    t->sorts[SORT_INT] = z3.mk_int_sort(t->context);
    t->sorts[SORT_REAL] = z3.mk_real_sort(t->context);
    // Texts are their numbers: equality is all that is asked of them, and integers are cheap.
    t->sorts[SORT_TEXT] = t->sorts[SORT_INT];
    t->yes = z3.mk_true(t->context);
    t->no = z3.mk_false(t->context);
    return t;
}

static void drop_model(terms *t)
{
    if (t->model) {
        z3.model_dec_ref(t->context, t->model);
    }
    t->model = NULL;
}

void terms_free(terms *t)
{
    if (!t) {
        return;
    }
    drop_model(t);
    z3.params_dec_ref(t->context, t->params);
    z3.solver_dec_ref(t->context, t->solver);
    z3.del_context(t->context);
}

// Without a budget (tests) only Z3's own limits hold.
void terms_limit(terms *t, terms_budget *budget)
{
    t->budget = budget;
}

bool terms_failed(const terms *t)
{
    return t->failed;
}

// Without model-based instantiation Z3 never finds a model of quantifiers, and answers "unknown" sooner
// where it cannot refute: proofs need nothing else.
void terms_only_refute(terms *t, uint32_t timeout_ms)
{
    t->only_refutes = true;
    t->steps = t->steps ? t->steps : STEPS_TO_REFUTE;
    set_params(t, timeout_ms);
}

void terms_set_steps(terms *t, uint32_t steps, uint32_t timeout_ms)
{
    t->steps = steps;
    set_params(t, timeout_ms);
}

uint64_t terms_made(const terms *t)
{
    return t->made;
}

// --- Literals -----------------------------------------------------------------------------------

// As a text: Z3 has no other way in for numbers beyond 64 bits and for fractions.
static Z3_ast numeral(terms *t, const char *text, term_sort sort)
{
    return z3.mk_numeral(t->context, text, t->sorts[sort]);
}

term term_bool(terms *t, bool value)
{
    return (term)(void *)(value ? t->yes : t->no);
}

term term_int(terms *t, int64_t value)
{
    return terms_wrap(t, z3.mk_int64(t->context, value, t->sorts[SORT_INT]));
}

term term_whole(terms *t, int64_t bits, bool is_unsigned)
{
    return is_unsigned
               ? terms_wrap(t, z3.mk_unsigned_int64(t->context, (uint64_t)bits, t->sorts[SORT_INT]))
               : term_int(t, bits);
}

// A double is a whole number times a power of two; both are written out.
term term_real(terms *t, double value)
{
    if (!isfinite(value)) {
        t->failed = true;
        return term_bool(t, false);
    }
    char text[800];
    int exponent;
    double mantissa = frexp(value, &exponent) * 0x1p53;
    exponent -= 53;
    while (exponent < 0 && mantissa != 0 && fmod(mantissa, 2) == 0) {
        mantissa /= 2;
        exponent++;
    }
    if (mantissa == 0 || exponent >= 0) {
        snprintf(text, sizeof(text), "%.0f", value);
    } else if (exponent >= -1022) {
        snprintf(text, sizeof(text), "%.0f/%.0f", mantissa, ldexp(1.0, -exponent));
    } else { // 2^1074 is no double
        term scaled = term_real(t, ldexp(value, 200));
        return term_arith_of(t, ARITH_DIV, scaled, term_real(t, 0x1p200));
    }
    return terms_wrap(t, numeral(t, text, SORT_REAL));
}

// Open addressing, never more than half full.
static bool grow_table(terms *t)
{
    size_t size = t->table_size ? t->table_size * 2 : 64;
    uint32_t *table = LG_NEW_ARRAY(t->arena, uint32_t, size);
    if (!table) {
        return false;
    }
    for (size_t i = 0; i < t->literal_count; i++) {
        size_t at = t->literals[i].hash & (size - 1);
        while (table[at]) {
            at = (at + 1) & (size - 1);
        }
        table[at] = (uint32_t)i + 1;
    }
    t->table = table;
    t->table_size = size;
    return true;
}

// Literal number i is the integer i, from 1 on; a model gives texts that nobody has written down other
// numbers, 0 and below or beyond the last.
term term_text(terms *t, lg_str text)
{
    if (t->literal_count * 2 >= t->table_size && !grow_table(t)) {
        t->failed = true;
        return term_int(t, 0);
    }
    uint64_t hash = lg_hash(text);
    size_t at = hash & (t->table_size - 1);
    for (; t->table[at]; at = (at + 1) & (t->table_size - 1)) {
        if (lg_str_eq(t->literals[t->table[at] - 1].text, text)) {
            return term_int(t, t->table[at]);
        }
    }
    literal *items = lg_arena_grow(t->arena, t->literals, t->literal_count, &t->literal_capacity,
                                   sizeof(*items));
    lg_str copy = lg_arena_str(t->arena, text);
    if (!items || !copy.ptr) {
        t->failed = true;
        return term_int(t, 0);
    }
    t->literals = items;
    items[t->literal_count++] = (literal){copy, hash};
    t->table[at] = (uint32_t)t->literal_count;
    return term_int(t, (int64_t)t->literal_count);
}

term term_nanos(terms *t, int64_t seconds, uint32_t nanos)
{
    LG_DEBUG_ASSERT(nanos < LG_TIME_NANOS);
    char text[48];
    __extension__ typedef __int128 wide;
    wide all = (wide)seconds * LG_TIME_NANOS + nanos;
    bool negative = all < 0;
    all = negative ? -all : all;
    snprintf(text, sizeof(text), "%s%lld%09lld", negative ? "-" : "",
             (long long)(all / LG_TIME_NANOS), (long long)(all % LG_TIME_NANOS));
    return terms_wrap(t, numeral(t, text, SORT_INT));
}

term term_fresh(terms *t, term_sort sort, lg_str name)
{
    char text[160];
    snprintf(text, sizeof(text), "%.*s#%u", (int)(name.len < 120 ? name.len : 120), name.ptr,
             t->next_name++);
    return terms_wrap(
        t, z3.mk_const(t->context, z3.mk_string_symbol(t->context, text), t->sorts[sort]));
}

// --- Reading ------------------------------------------------------------------------------------

bool term_is_true(const terms *t, term a)
{
    return ast(a) == t->yes;
}

bool term_is_false(const terms *t, term a)
{
    return ast(a) == t->no;
}

// Z3 gives the numbers of dead nodes again, but no node of ours dies before its context.
uint32_t term_id(terms *t, term a)
{
    return z3.get_ast_id(t->context, ast(a));
}

bool term_is_literal(terms *t, term a)
{
    return ast(a) == t->yes || ast(a) == t->no || z3.is_numeral_ast(t->context, ast(a));
}

size_t terms_literal_count(const terms *t)
{
    return t->literal_count;
}

lg_str terms_literal(const terms *t, size_t index)
{
    LG_DEBUG_ASSERT(index < t->literal_count);
    return t->literals[index].text;
}

// False beyond 64 bits, too: a model may choose an integer of any size.
bool term_int_of(terms *t, term number, int64_t *ret)
{
    return z3.is_numeral_ast(t->context, ast(number)) &&
           z3.get_numeral_int64(t->context, ast(number), ret);
}

bool term_text_of(terms *t, term a, lg_str *ret)
{
    int64_t index;
    if (!term_int_of(t, a, &index) || index < 1 || (uint64_t)index > t->literal_count) {
        return false;
    }
    *ret = t->literals[index - 1].text;
    return true;
}

// A fraction of two long integers; `long double` keeps what a double rounds, so that term_real() and this
// are each other's reverse.
bool term_double_of(terms *t, term number, double *ret)
{
    if (!z3.is_numeral_ast(t->context, ast(number))) {
        return false;
    }
    char text[700];
    snprintf(text, sizeof(text), "%s", z3.get_numeral_string(t->context, ast(number)));
    char *slash = strchr(text, '/');
    long double below = slash ? strtold(slash + 1, NULL) : 1.0L;
    if (slash) {
        *slash = '\0';
    }
    *ret = (double)(strtold(text, NULL) / below);
    return isfinite(*ret);
}

bool term_time_of(terms *t, term number, int64_t *ret_seconds, uint32_t *ret_nanos)
{
    if (!z3.is_numeral_ast(t->context, ast(number))) {
        return false;
    }
    const char *text = z3.get_numeral_string(t->context, ast(number));
    bool negative = *text == '-';
    __extension__ typedef __int128 wide;
    wide all = 0;
    for (const char *at = text + negative; *at >= '0' && *at <= '9' && at - text < 30; at++) {
        all = all * 10 + (*at - '0');
    }
    all = negative ? -all : all;
    // Rounded down, so that the nanoseconds are not negative before 1970 either.
    wide seconds = all / LG_TIME_NANOS - (all % LG_TIME_NANOS < 0);
    *ret_seconds = (int64_t)seconds;
    *ret_nanos = (uint32_t)(all - seconds * LG_TIME_NANOS);
    return true;
}

// --- Logic --------------------------------------------------------------------------------------

bool terms_is_kind(terms *t, Z3_ast a, Z3_decl_kind kind)
{
    return z3.get_ast_kind(t->context, a) == Z3_APP_AST &&
           z3.get_decl_kind(t->context, z3.get_app_decl(t->context, z3.to_app(t->context, a))) ==
               kind;
}

Z3_ast terms_child(terms *t, Z3_ast a, unsigned index)
{
    LG_DEBUG_ASSERT(index < z3.get_app_num_args(t->context, z3.to_app(t->context, a)));
    return z3.get_app_arg(t->context, z3.to_app(t->context, a), index);
}

term term_not(terms *t, term a)
{
    LG_DEBUG_ASSERT(term_has_sort(t, a, SORT_BOOL));
    if (t->failed || term_is_true(t, a)) {
        return term_bool(t, false);
    }
    if (term_is_false(t, a)) {
        return term_bool(t, true);
    }
    if (terms_is_kind(t, ast(a), Z3_OP_NOT)) {
        return (term)(void *)terms_child(t, ast(a), 0);
    }
    return terms_wrap(t, z3.mk_not(t->context, ast(a)));
}

// Only what is seen at a glance: that others contradict each other is for the solver to find.
static bool opposite(terms *t, Z3_ast a, Z3_ast b)
{
    return (terms_is_kind(t, a, Z3_OP_NOT) && terms_child(t, a, 0) == b) ||
           (terms_is_kind(t, b, Z3_OP_NOT) && terms_child(t, b, 0) == a);
}

// `a` is one of the operands of `b`, an app of `kind`, however deep: a few levels are looked at.
static bool among(terms *t, Z3_ast a, Z3_ast b, Z3_decl_kind kind, bool *ret_opposite, int levels)
{
    if (a == b) {
        return true;
    }
    *ret_opposite = *ret_opposite || opposite(t, a, b);
    if (levels == 0 || !terms_is_kind(t, b, kind)) {
        return false;
    }
    return among(t, a, terms_child(t, b, 0), kind, ret_opposite, levels - 1) ||
           among(t, a, terms_child(t, b, 1), kind, ret_opposite, levels - 1);
}

// Both connectives: `zero` decides, `one` says nothing. What an operand says already is not said again,
// and what it excludes decides; so guards that are joined on many ways stay as short as they were.
static term connect(terms *t, Z3_decl_kind kind, term a, term b)
{
    LG_DEBUG_ASSERT(term_has_sort(t, a, SORT_BOOL));
    LG_DEBUG_ASSERT(term_has_sort(t, b, SORT_BOOL));
    Z3_ast zero = kind == Z3_OP_AND ? t->no : t->yes;
    Z3_ast one = kind == Z3_OP_AND ? t->yes : t->no;
    Z3_ast pair[2] = {ast(a), ast(b)};
    if (t->failed || pair[0] == zero || pair[1] == zero) {
        return (term)(void *)zero;
    }
    if (pair[0] == one || pair[1] == one) {
        return pair[0] == one ? b : a;
    }
    bool against = false;
    if (among(t, pair[0], pair[1], kind, &against, 6)) {
        return b;
    }
    if (among(t, pair[1], pair[0], kind, &against, 6)) {
        return a;
    }
    if (against) {
        return (term)(void *)zero;
    }
    return terms_wrap(t, kind == Z3_OP_AND ? z3.mk_and(t->context, 2, pair)
                                           : z3.mk_or(t->context, 2, pair));
}

term term_and(terms *t, term a, term b)
{
    return connect(t, Z3_OP_AND, a, b);
}

term term_or(terms *t, term a, term b)
{
    return connect(t, Z3_OP_OR, a, b);
}

term term_implies(terms *t, term a, term b)
{
    return term_or(t, term_not(t, a), b);
}

// A choice between truth values becomes a connective, which the simplifications above see through.
term term_ite(terms *t, term condition, term a, term b)
{
    LG_DEBUG_ASSERT(term_has_sort(t, condition, SORT_BOOL));
    LG_DEBUG_ASSERT(t->failed || term_sort_of(t, a) == term_sort_of(t, b));
    if (t->failed || a == b || term_is_true(t, condition)) {
        return a;
    }
    if (term_is_false(t, condition)) {
        return b;
    }
    if (term_is_true(t, a)) {
        return term_or(t, condition, b);
    }
    if (term_is_false(t, a)) {
        return term_and(t, term_not(t, condition), b);
    }
    if (term_is_true(t, b)) {
        return term_or(t, term_not(t, condition), a);
    }
    if (term_is_false(t, b)) {
        return term_and(t, condition, a);
    }
    return terms_wrap(t, z3.mk_ite(t->context, ast(condition), ast(a), ast(b)));
}

// Of two numerals everything is decided here, without the solver.
static bool both_numerals(terms *t, term a, term b)
{
    return z3.is_numeral_ast(t->context, ast(a)) && z3.is_numeral_ast(t->context, ast(b));
}

// By Z3, whose normal form of sums and products makes equal ones the same term.
static term simplified(terms *t, Z3_ast made)
{
    term made_term = terms_wrap(t, made);
    return t->failed ? made_term : terms_wrap(t, z3.simplify(t->context, ast(made_term)));
}

term term_eq(terms *t, term a, term b)
{
    LG_DEBUG_ASSERT(t->failed || term_sort_of(t, a) == term_sort_of(t, b));
    if (t->failed || a == b) {
        return term_bool(t, a == b);
    }
    if (both_numerals(t, a, b)) { // numerals of one sort are shared: these differ
        return term_bool(t, false);
    }
    if (term_is_true(t, a) || term_is_true(t, b)) {
        return term_is_true(t, a) ? b : a;
    }
    if (term_is_false(t, a) || term_is_false(t, b)) {
        return term_not(t, term_is_false(t, a) ? b : a);
    }
    bool ordered = term_id(t, a) < term_id(t, b); // so that a == b and b == a are one
    return terms_wrap(t, z3.mk_eq(t->context, ast(ordered ? a : b), ast(ordered ? b : a)));
}

term term_lt(terms *t, term a, term b)
{
    LG_DEBUG_ASSERT(t->failed || term_sort_of(t, a) == term_sort_of(t, b));
    LG_DEBUG_ASSERT(t->failed || !term_has_sort(t, a, SORT_BOOL));
    if (t->failed || a == b) {
        return term_bool(t, false);
    }
    Z3_ast made = z3.mk_lt(t->context, ast(a), ast(b));
    return both_numerals(t, a, b) ? simplified(t, made) : terms_wrap(t, made);
}

// So that `a <= b` and `b < a` are seen to be opposite. Orders are total here: no term is NaN.
term term_le(terms *t, term a, term b)
{
    return term_not(t, term_lt(t, b, a));
}

term term_is_index(terms *t, term index, term count)
{
    LG_DEBUG_ASSERT(term_has_sort(t, index, SORT_INT));
    return term_and(t, term_le(t, term_int(t, 0), index), term_lt(t, index, count));
}

term term_arith_of(terms *t, term_arith op, term a, term b)
{
    LG_DEBUG_ASSERT(t->failed || term_sort_of(t, a) == term_sort_of(t, b));
    LG_DEBUG_ASSERT(op != ARITH_MOD || term_has_sort(t, a, SORT_INT));
    if (t->failed) {
        return a;
    }
    Z3_ast pair[2] = {ast(a), ast(b)};
    Z3_ast made = op == ARITH_ADD   ? z3.mk_add(t->context, 2, pair)
                  : op == ARITH_SUB ? z3.mk_sub(t->context, 2, pair)
                  : op == ARITH_MUL ? z3.mk_mul(t->context, 2, pair)
                  : op == ARITH_DIV ? z3.mk_div(t->context, pair[0], pair[1])
                                    : z3.mk_mod(t->context, pair[0], pair[1]);
    return simplified(t, made);
}

// "if then else": a choice.
static bool is_ite(terms *t, term a)
{
    return terms_is_kind(t, ast(a), Z3_OP_ITE);
}

static term part(terms *t, term a, unsigned index)
{
    return (term)(void *)terms_child(t, ast(a), index);
}

// Into the branches of a choice: whole_of() finds the integers there again.
term term_to_real(terms *t, term a)
{
    LG_DEBUG_ASSERT(term_has_sort(t, a, SORT_INT));
    if (t->failed || !is_ite(t, a)) {
        return t->failed ? a : simplified(t, z3.mk_int2real(t->context, ast(a)));
    }
    return term_ite(t, part(t, a, 0), term_to_real(t, part(t, a, 1)),
                    term_to_real(t, part(t, a, 2)));
}

term term_to_int(terms *t, term a)
{
    LG_DEBUG_ASSERT(term_has_sort(t, a, SORT_REAL));
    return t->failed ? a : simplified(t, z3.mk_real2int(t->context, ast(a)));
}

term term_is_int(terms *t, term a)
{
    LG_DEBUG_ASSERT(term_has_sort(t, a, SORT_REAL));
    return t->failed ? a : simplified(t, z3.mk_is_int(t->context, ast(a)));
}

term term_count(terms *t, term sum, term condition)
{
    LG_DEBUG_ASSERT(term_has_sort(t, sum, SORT_INT));
    if (term_is_false(t, condition)) {
        return sum;
    }
    term one = term_ite(t, condition, term_int(t, 1), term_int(t, 0));
    return term_arith_of(t, ARITH_ADD, sum, one);
}

// A choice, at most a few levels deep, some of whose ends are numerals.
static bool is_choice(terms *t, term a, int levels)
{
    return is_ite(t, a) &&
           (term_is_literal(t, part(t, a, 1)) || term_is_literal(t, part(t, a, 2)) ||
            (levels > 0 &&
             (is_choice(t, part(t, a, 1), levels - 1) || is_choice(t, part(t, a, 2), levels - 1))));
}

// Nonlinear arithmetic is where solvers give up; a choice among constants times something is linear.
term term_times(terms *t, term a, term b)
{
    if (t->failed || term_is_literal(t, a) || term_is_literal(t, b)) {
        return term_arith_of(t, ARITH_MUL, a, b);
    }
    term choice = is_choice(t, a, CHOICE_LEVELS) ? a : is_choice(t, b, CHOICE_LEVELS) ? b : NULL;
    if (!choice) {
        return term_arith_of(t, ARITH_MUL, a, b);
    }
    term other = choice == a ? b : a;
    return term_ite(t, part(t, choice, 0), term_times(t, part(t, choice, 1), other),
                    term_times(t, part(t, choice, 2), other));
}

// The integer of which it is the real; NULL if it may be none, or that is not seen.
static term whole_of(terms *t, term a, int levels)
{
    if (z3.is_numeral_ast(t->context, ast(a))) {
        const char *digits = z3.get_numeral_string(t->context, ast(a));
        return strchr(digits, '/') ? NULL : term_numeral(t, digits, SORT_INT);
    }
    if (levels == 0 || z3.get_ast_kind(t->context, ast(a)) != Z3_APP_AST) {
        return NULL;
    }
    if (terms_is_kind(t, ast(a), Z3_OP_TO_REAL)) {
        return part(t, a, 0);
    }
    if (is_ite(t, a)) {
        term yes = whole_of(t, part(t, a, 1), levels - 1);
        term no = yes ? whole_of(t, part(t, a, 2), levels - 1) : NULL;
        return no ? term_ite(t, part(t, a, 0), yes, no) : NULL;
    }
    bool product = terms_is_kind(t, ast(a), Z3_OP_MUL);
    if (!product && !terms_is_kind(t, ast(a), Z3_OP_ADD)) {
        return NULL;
    }
    term made = whole_of(t, part(t, a, 0), levels - 1);
    for (unsigned i = 1; made && i < term_arg_count(t, a); i++) {
        term next = whole_of(t, part(t, a, i), levels - 1);
        made = next ? term_arith_of(t, product ? ARITH_MUL : ARITH_ADD, made, next) : NULL;
    }
    return made;
}

term term_whole_of(terms *t, term a)
{
    return t->failed ? NULL : whole_of(t, a, WHOLE_LEVELS);
}

// --- Looking inside -----------------------------------------------------------------------------

// What is not in the table is made by nobody here, but may come out of simplifications of Z3's.
static term_op op_of_kind(Z3_decl_kind kind, uint32_t args)
{
    static const struct {
        Z3_decl_kind kind;
        term_op op;
    } table[] = {
        {Z3_OP_TRUE, TERM_LITERAL},  {Z3_OP_FALSE, TERM_LITERAL},   {Z3_OP_ANUM, TERM_LITERAL},
        {Z3_OP_NOT, TERM_NOT},       {Z3_OP_AND, TERM_AND},         {Z3_OP_OR, TERM_OR},
        {Z3_OP_EQ, TERM_EQ},         {Z3_OP_ITE, TERM_ITE},         {Z3_OP_LT, TERM_LT},
        {Z3_OP_LE, TERM_LE},         {Z3_OP_GT, TERM_GT},           {Z3_OP_GE, TERM_GE},
        {Z3_OP_ADD, TERM_ADD},       {Z3_OP_SUB, TERM_SUB},         {Z3_OP_MUL, TERM_MUL},
        {Z3_OP_DIV, TERM_DIV},       {Z3_OP_IDIV, TERM_IDIV},       {Z3_OP_MOD, TERM_MOD},
        {Z3_OP_UMINUS, TERM_MINUS},  {Z3_OP_TO_REAL, TERM_TO_REAL}, {Z3_OP_TO_INT, TERM_TO_INT},
        {Z3_OP_IS_INT, TERM_IS_INT},
    };
    if (kind == Z3_OP_UNINTERPRETED) {
        return args ? TERM_CALL : TERM_CONSTANT;
    }
    for (size_t i = 0; i < LG_COUNT(table); i++) {
        if (table[i].kind == kind) {
            return table[i].op;
        }
    }
    return TERM_OTHER;
}

term_op term_op_of(terms *t, term a)
{
    if (term_is_literal(t, a)) {
        return TERM_LITERAL;
    }
    if (z3.get_ast_kind(t->context, ast(a)) != Z3_APP_AST) {
        return TERM_OTHER;
    }
    Z3_app app = z3.to_app(t->context, ast(a));
    return op_of_kind(z3.get_decl_kind(t->context, z3.get_app_decl(t->context, app)),
                      z3.get_app_num_args(t->context, app));
}

uint32_t term_arg_count(terms *t, term a)
{
    bool app = z3.get_ast_kind(t->context, ast(a)) == Z3_APP_AST;
    return app ? z3.get_app_num_args(t->context, z3.to_app(t->context, ast(a))) : 0;
}

term term_numeral(terms *t, const char *digits, term_sort sort)
{
    return terms_wrap(t, numeral(t, digits, sort));
}

// --- Sorts and assertions -----------------------------------------------------------------------

term_sort term_sort_of(terms *t, term a)
{
    Z3_sort sort = z3.get_sort(t->context, ast(a));
    return sort == t->sorts[SORT_BOOL]   ? SORT_BOOL
           : sort == t->sorts[SORT_REAL] ? SORT_REAL
                                         : SORT_INT;
}

bool term_has_sort(terms *t, term a, term_sort sort)
{
    return t->failed || z3.get_sort(t->context, ast(a)) == t->sorts[sort];
}

// Kept beside Z3's own list, in their order, for tests that evaluate what is taken for granted.
static void note_asserted(terms *t, term a)
{
    Z3_ast *items = lg_arena_grow(t->arena, t->asserted, t->asserted_count, &t->asserted_capacity,
                                  sizeof(*items));
    if (!items) {
        t->failed = true;
        return;
    }
    t->asserted = items;
    items[t->asserted_count++] = ast(a);
}

// --- Functions without definitions --------------------------------------------------------------

term_func *term_func_new(terms *t, lg_str name, const term_sort *from, uint32_t count, term_sort to)
{
    term_func *func = LG_NEW(t->arena, term_func);
    if (!func || count > LG_COUNT(func->from)) {
        t->failed = true;
        return NULL;
    }
    Z3_sort sorts[LG_COUNT(func->from)];
    for (uint32_t i = 0; i < count; i++) {
        sorts[i] = t->sorts[from[i]];
        func->from[i] = from[i];
    }
    char text[160];
    snprintf(text, sizeof(text), "%.*s#%u", (int)(name.len < 120 ? name.len : 120), name.ptr,
             t->next_name++);
    func->count = count;
    func->decl = z3.mk_func_decl(t->context, z3.mk_string_symbol(t->context, text), count, sorts,
                                 t->sorts[to]);
    return func;
}

term term_apply(terms *t, const term_func *func, const term *args, uint32_t count)
{
    Z3_ast items[LG_COUNT(func->from)];
    if (t->failed || !func || count != func->count) {
        t->failed = true;
        return term_bool(t, false);
    }
    for (uint32_t i = 0; i < count; i++) {
        LG_DEBUG_ASSERT(term_has_sort(t, args[i], func->from[i]));
        items[i] = ast(args[i]);
    }
    return terms_wrap(t, z3.mk_app(t->context, func->decl, count, items));
}

// --- Solving ------------------------------------------------------------------------------------

void terms_assert(terms *t, term a)
{
    LG_DEBUG_ASSERT(term_has_sort(t, a, SORT_BOOL));
    if (!t->failed && !term_is_true(t, a)) {
        z3.solver_assert(t->context, t->solver, ast(a));
        note_asserted(t, a);
    }
}

lg_status terms_load_solver(const char *path, lg_error *reterr)
{
    return z3_load(path, reterr);
}

const char *terms_solver(void)
{
    return z3_load(NULL, NULL) == LG_OK ? z3.get_full_version() : "none";
}

// Steps are the same on every machine, time and memory are not. Z3 says "canceled" of both.
static bool was_cut(terms *t, uint64_t since_us)
{
    const char *why = z3.solver_get_reason_unknown(t->context, t->solver);
    bool late =
        !t->budget->now_us || t->budget->now_us() - since_us >= (uint64_t)t->allowed_ms * 1000u;
    return !why || strstr(why, "memory") || (!strstr(why, "incomplete") && (late || !t->steps));
}

// UNSAT is only said if Z3 says so without an error; SAT only with a model. All else is unknown, and
// `cut` whether more time or memory might change that.
answer terms_check(terms *t, const term *goals, size_t count)
{
    drop_model(t);
    for (size_t i = 0; i < count && !t->failed; i++) {
        if (term_is_false(t, goals[i])) {
            return ANSWER_UNSAT;
        }
    }
    if (t->failed || is_spent(t) || is_share_spent(t)) {
        return ANSWER_UNKNOWN;
    }
    set_params(t, t->timeout_ms);
    uint64_t since_us = t->budget && t->budget->now_us ? t->budget->now_us() : 0;
    z3.solver_push(t->context, t->solver);
    for (size_t i = 0; i < count; i++) {
        LG_DEBUG_ASSERT(term_has_sort(t, goals[i], SORT_BOOL));
        z3.solver_assert(t->context, t->solver, ast(goals[i]));
    }
    Z3_lbool answered = z3.solver_check(t->context, t->solver);
    if (answered == Z3_L_TRUE) {
        t->model = z3.solver_get_model(t->context, t->solver);
        if (t->model) {
            z3.model_inc_ref(t->context, t->model);
        }
    }
    bool broken = z3.get_error_code(t->context) != Z3_OK;
    if (answered == Z3_L_UNDEF && t->budget) {
        t->budget->cut = t->budget->cut || was_cut(t, since_us);
    }
    z3.solver_pop(t->context, t->solver, 1);
    return answered == Z3_L_FALSE && !broken              ? ANSWER_UNSAT
           : answered == Z3_L_TRUE && t->model && !broken ? ANSWER_SAT
                                                          : ANSWER_UNKNOWN;
}

// With completion: what the model does not name gets some value, the same each time it is asked.
term terms_value(terms *t, term a)
{
    Z3_ast value = NULL;
    if (!t->model || t->failed || !z3.model_eval(t->context, t->model, ast(a), true, &value) ||
        !value) {
        return a;
    }
    return (term)(void *)value;
}

bool terms_holds(terms *t, term a)
{
    LG_DEBUG_ASSERT(term_has_sort(t, a, SORT_BOOL));
    return term_is_true(t, terms_value(t, a));
}
