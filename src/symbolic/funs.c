// funs.c: functions known at literals, and nowhere else.
//
// For each function there are uninterpreted ones: whether it fails, what it gives, whether that is not
// finite. Before a check the values at all literals that occur are asserted (funs_tell_literals()); at
// literal arguments the evaluator's answer stands in place of the call. Everywhere else the solver may
// choose any value, the same for the same arguments. So a proof holds for every function with these
// values, the real one among them; a case may assume values that the real one does not have, and is
// executed before it is believed.
//
// A few facts about texts that are put together and about times are told on top (tell_*), each true of the
// real function at all arguments.
#include "symbolic/funs.h"
#include "base/time.h"
#include "schema/schema.h"
#include "symbolic/forall.h"
#include "symbolic/number.h"

#include <math.h>

static const struct {
    lg_cel_kind cel;
    alt_kind kind;
} kinds[] = {{LG_CEL_BOOL, ALT_BOOL},        {LG_CEL_INT, ALT_INT},
             {LG_CEL_UINT, ALT_UINT},        {LG_CEL_DOUBLE, ALT_DOUBLE},
             {LG_CEL_STRING, ALT_TEXT},      {LG_CEL_TIMESTAMP, ALT_TIME},
             {LG_CEL_DURATION, ALT_DURATION}};

static const lg_cel_type *cel_type(alt_kind kind)
{
    LG_DEBUG_ASSERT(kind < ALT_NONFINITE);
    for (size_t i = 0; i < LG_COUNT(kinds); i++) {
        if (kinds[i].kind == kind) {
            return lg_cel_type_of_kind(kinds[i].cel);
        }
    }
    return lg_cel_type_of_kind(LG_CEL_DYN);
}

alt_kind kind_of_cel(lg_cel_kind kind)
{
    for (size_t i = 0; i < LG_COUNT(kinds); i++) {
        if (kinds[i].cel == kind) {
            return kinds[i].kind;
        }
    }
    return ALT_ANY;
}

// --- Literals and values of CEL -----------------------------------------------------------------

// False also for a numeral that its kind cannot hold: a model may choose an int of any size.
bool cel_of_literal(problem *p, alt_kind kind, term literal, lg_cel_value *ret)
{
    int64_t whole;
    double number;
    uint32_t nanos;
    lg_str text;
    if (!term_is_literal(p->t, literal)) {
        return false;
    }
    if (kind == ALT_BOOL) {
        *ret = lg_cel_make_bool(term_is_true(p->t, literal));
        return true;
    }
    if (kind == ALT_TEXT && term_text_of(p->t, literal, &text)) {
        *ret = lg_cel_make_str(text);
        return true;
    }
    if (kind == ALT_DOUBLE && term_double_of(p->t, literal, &number)) {
        *ret = lg_cel_make_double(number);
        return true;
    }
    if (kind == ALT_INT && term_int_of(p->t, literal, &whole)) {
        *ret = lg_cel_make_int(whole);
        return true;
    }
    if (kind == ALT_UINT && term_int_of(p->t, literal, &whole) && whole >= 0) {
        *ret = lg_cel_make_uint((uint64_t)whole);
        return true;
    }
    if ((kind == ALT_TIME || kind == ALT_DURATION) && term_time_of(p->t, literal, &whole, &nanos)) {
        *ret = kind == ALT_TIME ? lg_cel_make_timestamp(whole, nanos)
                                : lg_cel_make_duration(whole, nanos);
        return true;
    }
    return false;
}

// What no alternative stands for (bytes, a type, an optional): any value, a new one each time.
static alt any_alt(problem *p)
{
    alt a = {.kind = ALT_ANY, .guard = term_bool(p->t, true)};
    a.t = unknown_term(p, SORT_INT, LG_STR("constant"));
    return a;
}

static term nonfinite_term(problem *p, double number)
{
    LG_DEBUG_ASSERT(!isfinite(number));
    return term_int(p->t, isnan(number) ? 0 : number > 0 ? 1 : 2);
}

alt alt_of_cel(problem *p, lg_cel_value v)
{
    alt a = {.kind = kind_of_cel((lg_cel_kind)v.kind), .guard = term_bool(p->t, true)};
    // The one place that tells missing from other errors; the rest follows the two kinds of alternatives.
    if (v.kind == LG_CEL_ERROR) {
        a.kind = v.as.failure->kind == LG_CEL_FAIL_MISSING ? ALT_MISSING : ALT_ERROR;
    } else if (v.kind == LG_CEL_NULL) {
        a.kind = ALT_NULL;
    } else if (a.kind == ALT_BOOL) {
        a.t = term_bool(p->t, v.as.boolean);
    } else if (a.kind == ALT_INT || a.kind == ALT_UINT) {
        a.t = term_whole(p->t, v.as.i64, a.kind == ALT_UINT);
    } else if (a.kind == ALT_DOUBLE && isfinite(v.as.f64)) {
        a.t = term_real(p->t, v.as.f64);
    } else if (a.kind == ALT_DOUBLE) {
        a.kind = ALT_NONFINITE;
        a.t = nonfinite_term(p, v.as.f64);
    } else if (a.kind == ALT_TEXT) {
        a.t = term_text(p->t, lg_cel_str(v));
    } else if (a.kind == ALT_TIME || a.kind == ALT_DURATION) {
        a.t = term_nanos(p->t, v.as.i64, v.aux);
    } else {
        return any_alt(p);
    }
    return a;
}

// The evaluator itself is asked, so that there is no second opinion about patterns, times and texts.
static alt fun_at(problem *p, const fun *f, const term *args)
{
    LG_DEBUG_ASSERT(f->count <= FUN_ARGS_MAX);
    lg_cel_value values[FUN_ARGS_MAX];
    for (uint32_t i = 0; i < f->count; i++) {
        if (!cel_of_literal(p, f->from[i], args[i], &values[i])) {
            return any_alt(p);
        }
    }
    if (!f->program) {
        return alt_of(p, ALT_ERROR, NULL);
    }
    lg_cel_activation activation = {.values = values, .scratch = p->arena};
    return alt_of_cel(p, lg_cel_eval(f->program, &activation));
}

// --- Functions ----------------------------------------------------------------------------------

static const lg_cel_program *compile(problem *p, const fun *f)
{
    static const char *const names[FUN_ARGS_MAX] = {"x0", "x1", "x2", "x3"};
    lg_cel_env *env = lg_cel_env_new(p->arena, NULL, NULL);
    for (uint32_t i = 0; env && i < f->count; i++) {
        lg_cel_env_declare(env, lg_str_c(names[i]), cel_type(f->from[i]));
    }
    lg_errors errors;
    lg_errors_init(&errors, p->arena, 1);
    return env ? lg_cel_compile(p->arena, env, f->source, (lg_position){0}, &errors) : NULL;
}

// Joining texts, comparing them and testing them never fails; what is not listed here may. Wrongly total
// would be unsound (a failure would be excluded), wrongly partial only loses proofs: so the source has
// to consist of nothing but what is listed.
static bool is_total(lg_str source)
{
    static const char *const calls[] = {".matches(\"",  ".startsWith(", ".endsWith(", ".contains(",
                                        ".lowerAscii(", ".upperAscii(", ".trim("};
    lg_buf others;
    char room[512];
    lg_buf_init_in(&others, room, sizeof(room), 4096);
    for (size_t i = 0; i < source.len;) {
        lg_str present = lg_str_slice(source, i, source.len);
        size_t skip = 0;
        for (size_t k = 0; k < LG_COUNT(calls) && !skip; k++) {
            skip = lg_str_starts(present, lg_str_c(calls[k])) ? lg_str_c(calls[k]).len : 0;
        }
        if (!skip) {
            lg_buf_add_byte(&others, source.ptr[i]);
        }
        i += skip ? skip : 1;
    }
    // Another call would be a letter before a parenthesis.
    bool total = lg_buf_status(&others) == LG_OK;
    lg_str left = lg_buf_str(&others);
    for (size_t i = 1; i < left.len; i++) {
        char before = left.ptr[i - 1];
        bool letter = lg_is_letter(before);
        total = total && !(left.ptr[i] == '(' && letter);
    }
    lg_buf_done(&others);
    return total;
}

// The kind of what it gives, which the checker finds from the kinds of its arguments. If no overload fits, the
// program is NULL, and a call fails. A kind that has no term (a nullable one, bytes) is not followed.
static alt_kind kind_of_result(const lg_cel_program *program)
{
    const lg_cel_type *type = program ? lg_cel_program_type(program) : NULL;
    return !program ? ALT_ERROR : type && !type->nullable ? kind_of_cel(type->kind) : ALT_ANY;
}

static fun *add_fun(problem *p, const fun *like)
{
    fun *items = lg_arena_grow(p->arena, p->funs, p->fun_count, &p->fun_capacity, sizeof(*items));
    if (!items) {
        return NULL;
    }
    p->funs = items;
    fun *f = &items[p->fun_count++];
    *f = *like;
    f->program = compile(p, f);
    f->to = kind_of_result(f->program);
    term_sort from[FUN_ARGS_MAX];
    for (uint32_t i = 0; i < f->count; i++) {
        from[i] = sort_of_kind(f->from[i]);
    }
    f->source = lg_arena_str(p->arena, like->source);
    f->gives = term_func_new(p->t, f->source, from, f->count, sort_of_kind(f->to));
    f->fails = term_func_new(p->t, LG_STR("fails"), from, f->count, SORT_BOOL);
    f->nonfinite =
        f->to == ALT_DOUBLE ? term_func_new(p->t, LG_STR("odd"), from, f->count, SORT_BOOL) : NULL;
    // -0 and 0 are one term; these print them differently.
    f->signs = lg_str_find(f->source, LG_STR("string(")) != SIZE_MAX ||
               lg_str_find(f->source, LG_STR("decimal(")) != SIZE_MAX;
    f->total = is_total(f->source);
    for (uint32_t i = 0; i < f->count; i++) {
        f->total = f->total && f->from[i] == ALT_TEXT;
    }
    return f;
}

// The same source with the same kinds of arguments is one function: its values at equal arguments are equal.
static fun *find_fun(problem *p, const fun *like)
{
    for (size_t i = 0; i < p->fun_count; i++) {
        fun *f = &p->funs[i];
        bool same = f->count == like->count && lg_str_eq(f->source, like->source);
        for (uint32_t k = 0; same && k < f->count; k++) {
            same = f->from[k] == like->from[k];
        }
        if (same) {
            return f;
        }
    }
    return add_fun(p, like);
}

// True if it is new. Only then facts about this use are asserted, and reading a model looks at each use.
static bool note_use(problem *p, fun *f, const term *args)
{
    LG_DEBUG_ASSERT(f->to != ALT_ERROR);
    for (size_t i = 0; i < f->use_count; i++) {
        if (memcmp(f->uses[i].args, args, f->count * sizeof(*args)) == 0) {
            return false;
        }
    }
    fun_use *uses = lg_arena_grow(p->arena, f->uses, f->use_count, &f->use_capacity, sizeof(*uses));
    if (uses) {
        lg_copy_bytes(uses[f->use_count++].args, args, f->count * sizeof(*args));
        f->uses = uses;
    }
    return true;
}

#define NANOS_A_DAY INT64_C(86400000000000)

// `timestamp(x + 'T00:00:00Z')` is that time on some day, within the years that there are.
// Lets the solver reason about whole days between two dates, which packs do (`... within 24 hours`).
static void tell_time(problem *p, const fun *f, const term *args)
{
    terms *t = p->t;
    lg_time time;
    lg_str start = LG_STR("timestamp((x0 + \"T");
    if (f->to != ALT_TIME) {
        return;
    }
    term gives = term_apply(t, f->gives, args, f->count);
    problem_assert(p, term_le(t, term_nanos(t, LG_TIME_MIN_SECONDS, 0), gives));
    problem_assert(p, term_le(t, gives, term_nanos(t, LG_TIME_MAX_SECONDS, LG_TIME_NANOS - 1)));
    size_t end = lg_str_find(f->source, LG_STR("\"))"));
    if (!lg_str_starts(f->source, start) || end == SIZE_MAX) {
        return;
    }
    lg_str clock = lg_str_slice(f->source, start.len, end);
    lg_str text = lg_arena_printf(p->arena, "1970-01-01T%.*s", LG_FMT(clock));
    if (text.ptr && lg_time_parse(text, &time)) {
        term at = term_arith_of(t, ARITH_SUB, gives, term_nanos(t, time.seconds, time.nanos));
        term day = unknown_term(p, SORT_INT, LG_STR("day"));
        problem_assert(p,
                       term_eq(t, at, term_arith_of(t, ARITH_MUL, day, term_int(t, NANOS_A_DAY))));
    }
}

// Is it texts put together, `("a" + x0)`, with something between quotes? Then it is never empty.
static bool is_joined(lg_str source, bool *ret_filled)
{
    bool quoted = false;
    *ret_filled = false;
    for (size_t i = 0; i < source.len; i++) {
        char c = source.ptr[i];
        if (c == '"') {
            quoted = !quoted;
        } else if (quoted) {
            *ret_filled = true;
            i += c == '\\';
        } else if (c != '(' && c != ')' && c != ' ' && c != '+' && c != 'x' &&
                   (c < '0' || c > '9')) {
            return false;
        }
    }
    return true;
}

// Few facts about joined texts are known to the solver; this one rules out that an id with a prefix is empty.
static void tell_joined(problem *p, const fun *f, const term *args)
{
    bool filled;
    if (f->to == ALT_TEXT && is_joined(f->source, &filled) && filled) {
        term gives = term_apply(p->t, f->gives, args, f->count);
        problem_assert(p, term_not(p->t, term_eq(p->t, gives, term_text(p->t, LG_STR("")))));
    }
}

// Which use of which function made this text by putting texts together? NULL: none. Terms are compared by
// address: applying a function to the same arguments gives the same term.
static const fun *joining_of(const problem *p, term text, const fun_use **ret_use)
{
    bool filled;
    for (size_t i = 0; i < p->fun_count; i++) {
        const fun *f = &p->funs[i];
        for (size_t k = 0; f->to == ALT_TEXT && k < f->use_count; k++) {
            if (term_apply(p->t, f->gives, f->uses[k].args, f->count) == text &&
                is_joined(f->source, &filled)) {
                *ret_use = &f->uses[k];
                return f;
            }
        }
    }
    return NULL;
}

// A text that was put together contains its parts, and ends with the last.
static void tell_part(problem *p, const fun *f, const term *args)
{
    const fun_use *use = NULL;
    bool ends = lg_str_eq(f->source, LG_STR("(x0).endsWith(x1)"));
    if (!ends && !lg_str_eq(f->source, LG_STR("(x0).contains(x1)"))) {
        return;
    }
    const fun *whole = joining_of(p, args[0], &use);
    for (uint32_t i = 0; whole && i < whole->count; i++) {
        lg_str tail = problem_name(p, "+ x%u)", i);
        if (use->args[i] == args[1] && (!ends || lg_str_ends(whole->source, tail))) {
            problem_assert(p, term_apply(p->t, f->gives, args, f->count));
        }
    }
}

// When an argument is a zero of which the function would see the sign: -0.0 == 0.0, so both are one term, yet
// string() prints them differently.
static term meets_zero(problem *p, const fun *f, const term *args)
{
    term zero = term_bool(p->t, false);
    for (uint32_t i = 0; i < f->count; i++) {
        if (f->signs && f->from[i] == ALT_DOUBLE) {
            zero = term_or(p->t, zero, term_eq(p->t, args[i], term_real(p->t, 0)));
        }
    }
    return zero;
}

// What it gives at arguments that are not all literals: one value for the same arguments.
static val applied(problem *p, fun *f, const term *args)
{
    LG_DEBUG_ASSERT(f->to != ALT_ANY && f->to != ALT_ERROR);
    terms *t = p->t;
    if (note_use(p, f, args)) {
        tell_time(p, f, args);
        tell_joined(p, f, args);
        tell_part(p, f, args);
    }
    term fails = term_apply(t, f->fails, args, f->count);
    term gives = term_apply(t, f->gives, args, f->count);
    builder b = builder_of(p);
    if (f->total) {
        problem_assert(p, term_not(t, fails));
        fails = term_bool(t, false);
    }
    term nonfinite =
        f->nonfinite ? term_apply(t, f->nonfinite, args, f->count) : term_bool(t, false);
    builder_add(&b, fails, alt_of(p, ALT_ERROR, NULL));
    builder_add_value(&b, term_not(t, fails),
                      f->nonfinite ? double_value(p, gives, term_not(t, nonfinite))
                                   : value_scalar(p, f->to, gives));
    return builder_done(&b);
}

// One choice of alternatives, all of them scalars.
static void apply(problem *p, builder *b, term guard, fun *f, const term *args)
{
    LG_DEBUG_ASSERT(term_has_sort(p->t, guard, SORT_BOOL));
    terms *t = p->t;
    bool literal = true;
    for (uint32_t i = 0; i < f->count; i++) {
        literal = literal && term_is_literal(t, args[i]);
    }
    term zero = meets_zero(p, f, args);
    if (f->to == ALT_ERROR) {
        builder_add(b, guard, alt_of(p, ALT_ERROR, NULL));
        return;
    }
    if (!term_is_false(t, zero)) {
        builder_add_value(b, term_and(t, guard, zero),
                          unknown_value(p, LG_STR(""), f->to, "the sign of zero"));
        guard = term_and(t, guard, term_not(t, zero));
    }
    if (literal) {
        builder_add(b, guard, fun_at(p, f, args));
    } else {
        builder_add_value(b, guard, applied(p, f, args));
    }
}

typedef struct choice_of {
    const alt *alts[FUN_ARGS_MAX];
} choice_of;

// Of a value that has no term of its own.
static val unknown_choice(problem *p, lg_str source, const choice_of *choice, uint32_t count,
                          alt_kind kind)
{
    lg_buf name;
    lg_buf_init(&name, 8192);
    lg_buf_add(&name, source);
    for (uint32_t i = 0; i < count; i++) {
        const alt *a = choice->alts[i];
        lg_buf_addf(&name, " %d:%u", (int)a->kind, a->t ? term_id(p->t, a->t) : 0);
    }
    bool named = lg_buf_status(&name) == LG_OK;
    val made = unknown_value(p, named ? lg_buf_str(&name) : LG_STR(""), kind, "any value");
    lg_buf_done(&name);
    return made;
}

// Calls in calls: what is missing in one of them gives way to what fails in another, and nobody looks there.
static bool is_nested(lg_str source)
{
    size_t opened = 0;
    for (size_t i = 0; i < source.len; i++) {
        opened += source.ptr[i] == '(';
    }
    return opened > 2; // (x0).f(x1)
}

// What comes of one choice among the alternatives of the arguments. No overload takes null: that fails,
// like any other misfit, unless an argument was missing.
static void apply_choice(problem *p, builder *b, lg_str source, const choice_of *choice,
                         uint32_t count, alt_kind kind)
{
    LG_DEBUG_ASSERT(count <= FUN_ARGS_MAX);
    fun like = {.source = source, .count = count};
    term args[FUN_ARGS_MAX];
    term guard = term_bool(p->t, true);
    term lacking = term_bool(p->t, false);
    bool missing = false;
    bool failed = false;
    bool null = false; // to which no overload fits, unless an argument has failed before
    bool open = false;
    for (uint32_t i = 0; i < count; i++) {
        const alt *a = choice->alts[i];
        guard = term_and(p->t, guard, a->guard);
        missing = missing || a->kind == ALT_MISSING;
        if (a->kind == ALT_MISSING && a->t) {
            lacking = term_or(p->t, lacking, a->t);
        }
        failed = failed || a->kind == ALT_ERROR;
        null = null || a->kind == ALT_NULL;
        open = open || a->kind == ALT_NONFINITE || a->kind == ALT_ANY;
        like.from[i] = a->kind;
        args[i] = a->t;
    }
    if (term_is_false(p->t, guard)) {
        return;
    }
    fun *f = missing || failed || null || open ? NULL : find_fun(p, &like);
    if (f && f->to != ALT_ANY) {
        apply(p, b, guard, f, args);
    } else if (f || (open && !missing && !failed) || (missing && !failed && is_nested(source))) {
        builder_add_value(b, guard, unknown_choice(p, source, choice, count, kind));
    } else {
        bool misses = missing && !failed;
        builder_add_value(b, guard, misses ? value_missing(p, lacking) : value_error(p));
    }
}

// Counts through all choices, the first argument fastest.
static bool next_choice(const val *args, uint32_t count, uint32_t *at, choice_of *choice)
{
    for (uint32_t i = 0; i < count; i++) {
        if (++at[i] < args[i].count) {
            choice->alts[i] = &args[i].alts[at[i]];
            return true;
        }
        at[i] = 0;
        choice->alts[i] = &args[i].alts[0];
    }
    return false;
}

bool fun_call(problem *p, lg_str source, const val *args, uint32_t count, alt_kind kind, val *ret)
{
    uint32_t at[FUN_ARGS_MAX] = {0};
    choice_of choice;
    if (count > FUN_ARGS_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < args[i].count; k++) {
            if (args[i].alts[k].kind >= ALT_LIST) {
                return false;
            }
        }
        if (args[i].count == 0) {
            return false;
        }
        choice.alts[i] = &args[i].alts[0];
    }
    builder b = builder_of(p);
    do {
        apply_choice(p, &b, source, &choice, count, kind);
    } while (next_choice(args, count, at, &choice));
    *ret = builder_done(&b);
    return true;
}

static void tell_literal(problem *p, const fun *f, term literal)
{
    LG_DEBUG_ASSERT(f->count == 1 && f->from[0] == ALT_TEXT);
    terms *t = p->t;
    alt given = fun_at(p, f, &literal);
    term fails = term_apply(t, f->fails, &literal, 1);
    if (given.kind == ALT_ANY) {
        return;
    }
    if (alt_is_failure(&given)) {
        problem_assert(p, fails);
        return;
    }
    problem_assert(p, term_not(t, fails));
    if (f->nonfinite) {
        term nonfinite = term_apply(t, f->nonfinite, &literal, 1);
        problem_assert(p, given.kind == ALT_NONFINITE ? nonfinite : term_not(t, nonfinite));
    }
    if (given.kind == f->to) {
        problem_assert(p, term_eq(t, term_apply(t, f->gives, &literal, 1), given.t));
    }
}

// The literals that the text is not, since they do not fit. What cannot be compiled is left alone.
static void tell_patterned(problem *p, patterned *of, size_t count)
{
    LG_DEBUG_ASSERT(p->explicit_only && count <= terms_literal_count(p->t));
    const lg_schema_options options = {.document = p->document};
    lg_errors errors;
    lg_errors_init(&errors, p->arena, 1);
    const lg_schema *schema = of->literals_told < count
                                  ? lg_schema_compile(p->arena, of->schema, &options, &errors)
                                  : NULL;
    for (size_t i = of->literals_told; schema && i < count; i++) {
        lg_json literal = lg_json_make_str(terms_literal(p->t, i));
        if (!lg_schema_validate(schema, &literal, NULL)) {
            term is = term_eq(p->t, of->text, term_int(p->t, (int64_t)i + 1));
            problem_assert(p, term_not(p->t, is));
        }
    }
    of->literals_told = count;
}

// Only functions of one text: two texts would be as many facts as there are pairs of literals.
void funs_tell_literals(problem *p)
{
    size_t count = terms_literal_count(p->t); // those that this makes are left for the next time
    for (size_t i = 0; i < p->patterned_count; i++) {
        tell_patterned(p, &p->patterned[i], count);
    }
    for (size_t i = 0; i < p->fun_count; i++) {
        fun *f = &p->funs[i];
        if (f->count != 1 || f->from[0] != ALT_TEXT || f->use_count == 0) {
            continue;
        }
        for (; f->literals_told < count; f->literals_told++) {
            tell_literal(p, f, term_int(p->t, (int64_t)f->literals_told + 1));
        }
    }
}
