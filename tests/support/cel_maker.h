// cel_maker.h: expressions of CEL by seed and type, from the evaluator's own table of functions.
//
// An expression of a type is a name, a literal, or something that has that type: an operator, a macro,
// or any function that the table lists, with arguments of the types that it wants. Functions that have
// seldom been used go first, so none is left out, and one that is added to the table is used as well.
// Some arguments are of any type behind `dyn`, for the errors. What does not compile is thrown away.
#ifndef LG_CEL_MAKER_H
#define LG_CEL_MAKER_H

#include "dice.h"

#include "cel/cel_internal.h"

#include <string.h>

#define CEL_MAKER_FUNCTIONS_MAX 256u
#define CEL_MAKER_LOCALS_MAX 8u

// What is no function, and counted like one.
// clang-format off
#define CEL_MAKER_FORMS(X)                                                                         \
    X(ADD, "+") X(SUB, "-") X(MUL, "*") X(DIV, "/") X(MOD, "%") X(EQ, "==") X(NE, "!=")            \
    X(LT, "<") X(LE, "<=") X(GT, ">") X(GE, ">=") X(IN, "in") X(INDEX, "[]") X(OPT_INDEX, "[?]")   \
    X(OPT_SELECT, ".?") X(NOT, "!") X(NEGATE, "unary -") X(AND, "&&") X(OR, "||") X(CHOICE, "? :") \
    X(HAS, "has") X(ALL, "all") X(ALL_TWO, "all, 2") X(EXISTS, "exists")                           \
    X(EXISTS_TWO, "exists, 2") X(ONE, "exists_one") X(ONE_TWO, "existsOne, 2")                     \
    X(FILTER, "filter") X(MAP, "map") X(MAP_IF, "map, if") X(TO_LIST, "transformList")             \
    X(TO_LIST_IF, "transformList, if") X(TO_MAP, "transformMap") X(TO_MAP_IF, "transformMap, if")  \
    X(TO_ENTRY, "transformMapEntry") X(TO_ENTRY_IF, "transformMapEntry, if") X(SORT_BY, "sortBy")  \
    X(OPT_MAP, "optMap") X(OPT_FLAT_MAP, "optFlatMap") X(BIND, "cel.bind")                         \
    X(LIST, "[a]") X(OPT_ITEM, "[?a]") X(MAP_LITERAL, "{a: b}") X(OPT_ENTRY, "{?a: b}")
// clang-format on
typedef enum cel_form {
#define X(name, text) FORM_##name,
    CEL_MAKER_FORMS(X)
#undef X
        FORM_COUNT
} cel_form;

static const char *const cel_form_names[] = {
#define X(name, text) text,
    CEL_MAKER_FORMS(X)
#undef X
};

typedef struct cel_name { // A variable, or what a macro binds.
    const char *text;
    const lg_cel_type *type;
} cel_name;

typedef struct cel_counts {
    size_t functions[CEL_MAKER_FUNCTIONS_MAX], forms[FORM_COUNT];
} cel_counts;

typedef struct cel_maker {
    dice *d;
    lg_buf *out;
    lg_arena *arena; // of types that are made
    cel_name names[CEL_MAKER_LOCALS_MAX + 16];
    uint32_t name_count;
    uint32_t next_local;
    uint32_t depth_max;
    bool known_only;      // no path whose type is not known
    cel_counts now, kept; // of the expression at hand, and of those that compiled
} cel_maker;

static inline size_t cel_function_count(void)
{
    size_t count = 0;
    while (lg_cel_function_at(count)) {
        count++;
    }
    return count;
}

static inline void make_cel(cel_maker *m, const lg_cel_type *want, uint32_t depth);

// --- Types ----------------------------------------------------------------------------------------

static inline const lg_cel_type *plain_type(dice *d)
{
    static const lg_cel_type *const types[] = {
        &lg_cel_t_double,    &lg_cel_t_string,   &lg_cel_t_int,  &lg_cel_t_bool,
        &lg_cel_t_double,    &lg_cel_t_string,   &lg_cel_t_uint, &lg_cel_t_bytes,
        &lg_cel_t_timestamp, &lg_cel_t_duration, &lg_cel_t_dyn,  &lg_cel_t_null,
        &lg_cel_t_type};
    return DICE_PICK(d, types);
}

static inline const lg_cel_type *key_type(dice *d)
{
    static const lg_cel_type *const types[] = {&lg_cel_t_string, &lg_cel_t_string, &lg_cel_t_int,
                                               &lg_cel_t_bool, &lg_cel_t_uint};
    return DICE_PICK(d, types);
}

static inline const lg_cel_type *optional_of_type(cel_maker *m, const lg_cel_type *of)
{
    lg_cel_type *made = LG_NEW(m->arena, lg_cel_type);
    if (made) {
        *made = (lg_cel_type){.kind = LG_CEL_OPTIONAL, .element = of};
    }
    return made ? made : &lg_cel_t_dyn;
}

static inline const lg_cel_type *any_type(cel_maker *m)
{
    switch (dice_below(m->d, 8)) {
    case 0:
        return lg_cel_type_list(m->arena, plain_type(m->d));
    case 1:
        return lg_cel_type_map(m->arena, key_type(m->d), plain_type(m->d));
    case 2:
        return optional_of_type(m, plain_type(m->d));
    default:
        return plain_type(m->d);
    }
}

// What the parameters of an overload stand for.
typedef struct cel_params {
    const lg_cel_type *of[2];
} cel_params;

static inline const lg_cel_type **param_of(cel_params *params, const lg_cel_type *type)
{
    return &params->of[type->name.ptr[0] == 'B'];
}

// May something of type `have` stand where `want` is wanted? Binds the parameters in `have`.
static inline bool type_fits(cel_params *params, const lg_cel_type *have, const lg_cel_type *want)
{
    if (have->kind == LG_CEL_PARAM) {
        const lg_cel_type **to = param_of(params, have);
        *to = *to ? *to : want;
        return *to == want || lg_cel_type_equal(*to, want);
    }
    if (have->kind == LG_CEL_DYN || want->kind == LG_CEL_DYN) {
        return true;
    }
    if (have->kind != want->kind) {
        return false;
    }
    if (have->kind == LG_CEL_LIST || have->kind == LG_CEL_OPTIONAL) {
        return type_fits(params, have->element, want->element);
    }
    if (have->kind == LG_CEL_MAP) {
        return type_fits(params, have->key, want->key) &&
               type_fits(params, have->element, want->element);
    }
    return have->kind != LG_CEL_OPAQUE || lg_str_eq(have->name, want->name);
}

static inline bool plainly_fits(const lg_cel_type *have, const lg_cel_type *want)
{
    cel_params none = {{NULL, NULL}};
    return type_fits(&none, have, want);
}

// The type with its parameters replaced; those that nothing has bound become any type.
static inline const lg_cel_type *type_bound(cel_maker *m, cel_params *params,
                                            const lg_cel_type *type)
{
    if (type->kind == LG_CEL_PARAM) {
        const lg_cel_type **to = param_of(params, type);
        *to = *to ? *to : plain_type(m->d);
        return *to;
    }
    if (type->kind == LG_CEL_LIST) {
        return lg_cel_type_list(m->arena, type_bound(m, params, type->element));
    }
    if (type->kind == LG_CEL_OPTIONAL) {
        return optional_of_type(m, type_bound(m, params, type->element));
    }
    if (type->kind != LG_CEL_MAP) {
        return type;
    }
    // A key is none of any type.
    if (type->key->kind == LG_CEL_PARAM && !*param_of(params, type->key)) {
        *param_of(params, type->key) = key_type(m->d);
    }
    const lg_cel_type *key = type_bound(m, params, type->key);
    return lg_cel_type_map(m->arena, key, type_bound(m, params, type->element));
}

// --- Names and literals ---------------------------------------------------------------------------

static inline bool is_name(lg_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && !(i > 0 && c >= '0' && c <= '9')) {
            return false;
        }
    }
    return text.len > 0;
}

// One step into a value: a field, an element, a member. NULL if there is none.
static inline const lg_cel_type *step_into(cel_maker *m, const lg_cel_type *type)
{
    static const char *const members[] = {".a", ".b", ".k", "[\"a\"]", "[\"x\"]", "[0]", "[1]"};
    static const char *const keys[] = {".a", ".k", "[\"a\"]", "[\"\"]", ".x"};
    if (type->kind == LG_CEL_OBJECT && type->field_count) {
        const lg_cel_field *field = &type->fields[dice_below(m->d, (uint32_t)type->field_count)];
        if (is_name(field->name)) {
            lg_buf_addf(m->out, ".%.*s", LG_FMT(field->name));
            return field->type;
        }
        return NULL;
    }
    if (type->kind == LG_CEL_LIST) {
        lg_buf_addf(m->out, "[%u]", dice_below(m->d, 3));
        return type->element;
    }
    if (type->kind == LG_CEL_MAP && type->key->kind == LG_CEL_STRING) {
        lg_buf_add_c(m->out, DICE_PICK(m->d, keys));
        return type->element;
    }
    if (type->kind == LG_CEL_DYN) {
        lg_buf_add_c(m->out, DICE_PICK(m->d, members));
        return type;
    }
    return NULL;
}

// A way from a name to something of the type. False, and nothing is written, if none is found.
static inline bool make_path(cel_maker *m, const lg_cel_type *want)
{
    size_t before = m->out->len;
    for (uint32_t attempt = 0; attempt < 8 && m->name_count; attempt++) {
        const cel_name *name = &m->names[dice_below(m->d, m->name_count)];
        const lg_cel_type *type = name->type;
        lg_buf_add_c(m->out, name->text);
        uint32_t most = name->type->kind == LG_CEL_DYN ? 2 : 4;
        for (uint32_t steps = 0; type && steps <= most; steps++) {
            bool exact = type->kind == want->kind || want->kind == LG_CEL_DYN;
            bool known = !m->known_only || type->kind != LG_CEL_DYN;
            if (known && plainly_fits(type, want) && (exact || dice_one_in(m->d, 3))) {
                return true;
            }
            type = step_into(m, type);
        }
        m->out->len = before;
    }
    return false;
}

static const char *const cel_texts[] = {"''",        "'a'",           "'b'",
                                        "'k'",       "'ab'",          "'x'",
                                        "'\\u212a'", "'1'",           "'NaN'",
                                        "'1.5'",     "'e\\u0301'",    "'\\ue000'",
                                        "'%s %d'",   "'10.0.0.1'",    "'10.0.0.0/8'",
                                        "'true'",    "'1h30m'",       "'2024-02-29T23:59:59.5Z'",
                                        "' a '",     "'\\U0001F600'", "'YQ=='"};
static const char *const cel_bools[] = {"true", "false"};
static const char *const cel_nulls[] = {"null"};
static const char *const cel_ints[] = {
    "0", "1", "2", "-1", "3", "9223372036854775807", "-9223372036854775808", "9007199254740993"};
static const char *const cel_uints[] = {"0u", "1u", "2u", "3u", "18446744073709551615u"};
static const char *const cel_doubles[] = {"0.0",  "1.0",   "2.0",    "0.5",
                                          "-1.0", "0.1",   "-0.0",   "10.0",
                                          "2.5",  "1e300", "5e-324", "9007199254740992.0"};
static const char *const cel_bytes[] = {"b''", "b'a'", "b'\\xff\\x00'"};
static const char *const cel_times[] = {"timestamp('2024-05-15T15:00:00Z')", "timestamp(0)",
                                        "timestamp('9999-12-31T23:59:59.999999999Z')"};
static const char *const cel_spans[] = {"duration('0s')", "duration('1h')", "duration('-90.5s')"};
static const char *const cel_types[] = {"int", "double",    "string", "list",
                                        "map", "null_type", "bool"};

// One of those of the kind; of the first `usual` ones most of the time.
static inline void make_literal_of_kind(cel_maker *m, lg_cel_kind kind)
{
#define LITERALS(kind, items, usual)                                                               \
    {                                                                                              \
        kind, items, LG_COUNT(items), usual                                                        \
    }
    static const struct {
        lg_cel_kind kind;
        const char *const *items;
        uint32_t count, usual;
    } rows[] = {LITERALS(LG_CEL_STRING, cel_texts, 6),   LITERALS(LG_CEL_BOOL, cel_bools, 2),
                LITERALS(LG_CEL_NULL, cel_nulls, 1),     LITERALS(LG_CEL_INT, cel_ints, 5),
                LITERALS(LG_CEL_UINT, cel_uints, 5),     LITERALS(LG_CEL_DOUBLE, cel_doubles, 6),
                LITERALS(LG_CEL_BYTES, cel_bytes, 3),    LITERALS(LG_CEL_TIMESTAMP, cel_times, 3),
                LITERALS(LG_CEL_DURATION, cel_spans, 3), LITERALS(LG_CEL_TYPE, cel_types, 7)};
#undef LITERALS
    size_t row = 0;
    for (size_t i = 0; i < LG_COUNT(rows); i++) {
        row = rows[i].kind == kind ? i : row;
    }
    uint32_t count = dice_one_in(m->d, 3) ? rows[row].count : rows[row].usual;
    lg_buf_add_c(m->out, rows[row].items[dice_below(m->d, count)]);
}

static inline void count_form(cel_maker *m, cel_form form)
{
    m->now.forms[form]++;
}

static inline void make_literal_list(cel_maker *m, const lg_cel_type *want, uint32_t depth)
{
    uint32_t count = dice_below(m->d, depth < m->depth_max ? 4 : 2);
    count_form(m, FORM_LIST);
    lg_buf_add_byte(m->out, '[');
    for (uint32_t i = 0; i < count; i++) {
        lg_buf_add_c(m->out, i ? ", " : "");
        if (dice_one_in(m->d, 10)) {
            count_form(m, FORM_OPT_ITEM);
            lg_buf_add_byte(m->out, '?');
            make_cel(m, optional_of_type(m, want->element), depth + 1);
        } else {
            make_cel(m, want->element, depth + 1);
        }
    }
    lg_buf_add_byte(m->out, ']');
}

static inline void make_literal_map(cel_maker *m, const lg_cel_type *want, uint32_t depth)
{
    uint32_t count = dice_below(m->d, depth < m->depth_max ? 3 : 2);
    count_form(m, FORM_MAP_LITERAL);
    lg_buf_add_byte(m->out, '{');
    for (uint32_t i = 0; i < count; i++) {
        bool optional = dice_one_in(m->d, 10);
        lg_buf_add_c(m->out, i ? ", " : "");
        lg_buf_add_c(m->out, optional ? "?" : "");
        make_cel(m, want->key, depth + 1);
        lg_buf_add_c(m->out, ": ");
        make_cel(m, optional ? optional_of_type(m, want->element) : want->element, depth + 1);
        m->now.forms[FORM_OPT_ENTRY] += optional;
    }
    lg_buf_add_byte(m->out, '}');
}

static inline void make_literal(cel_maker *m, const lg_cel_type *want, uint32_t depth)
{
    if (want->nullable && dice_one_in(m->d, 3)) {
        lg_buf_add_c(m->out, "null");
        return;
    }
    if (want->kind == LG_CEL_LIST) {
        make_literal_list(m, want, depth);
    } else if (want->kind == LG_CEL_MAP) {
        make_literal_map(m, want, depth);
    } else if (want->kind == LG_CEL_OPTIONAL) {
        lg_buf_add_c(m->out, "optional.of(");
        make_cel(m, want->element, depth + 1);
        lg_buf_add_byte(m->out, ')');
    } else if (want->kind == LG_CEL_OPAQUE) {
        bool ip = lg_str_eq(want->name, lg_cel_t_ip.name);
        lg_buf_add_c(m->out, ip ? "ip('10.0.0.1')" : "cidr('10.0.0.0/8')");
    } else if (want->kind == LG_CEL_DYN || want->kind == LG_CEL_OBJECT) {
        lg_buf_add_c(m->out, "dyn(");
        make_cel(m, plain_type(m->d), depth + 1);
        lg_buf_add_byte(m->out, ')');
    } else {
        make_literal_of_kind(m, want->kind);
    }
}

static inline void make_leaf(cel_maker *m, const lg_cel_type *want, uint32_t depth)
{
    if (dice_one_in(m->d, 4) || !make_path(m, want)) {
        make_literal(m, want, depth);
    }
}

// --- Functions ------------------------------------------------------------------------------------

// Texts that a function makes something of.
static inline const char *hint_of(dice *d, lg_str name)
{
    static const struct {
        const char *names, *texts[6];
    } table[] = {
        {"timestamp", {"'2024-02-29T23:59:59.5Z'", "'2024-05-15'", "'x'"}},
        {"duration", {"'1h30m'", "'-90s'", "'1.5ms'", "''"}},
        {"matches", {"'^a'", "'[a-c]+$'", "'(?i)K'", "'.'", "'a|b'"}},
        {"ip ip.isCanonical isIP containsIP", {"'10.0.0.1'", "'::1'", "'::ffff:1.2.3.4'", "'x'"}},
        {"cidr isCIDR containsCIDR", {"'10.0.0.0/8'", "'2001:db8::/32'", "'10.0.0.1/33'"}},
        {"arithmetic", {"'3 + 4'", "'1 / 0'", "'('"}},
        {"arithmeticError", {"'3 + 4'", "'1 / 0'", "'('"}},
        {"format", {"'%s'", "'%d %s'", "'%.2f'", "'%'", "'a'"}},
        {"base64.decode", {"'YQ=='", "'!'", "''"}},
        {"double int uint", {"'NaN'", "'Infinity'", "'1'", "'-0'", "'1e400'", "' 1'"}},
        {"bool", {"'true'", "'T'", "'yes'"}},
    };
    for (size_t i = 0; i < LG_COUNT(table); i++) {
        lg_str names = lg_str_c(table[i].names);
        for (size_t from = 0; from < names.len;) {
            size_t length = lg_str_find(lg_str_slice(names, from, names.len), LG_STR(" "));
            size_t to = length == SIZE_MAX ? names.len : from + length;
            if (lg_str_eq(lg_str_slice(names, from, to), name)) {
                uint32_t count = 0;
                while (count < 6 && table[i].texts[count]) {
                    count++;
                }
                return table[i].texts[dice_below(d, count)];
            }
            from = to + 1;
        }
    }
    return NULL;
}

static inline void make_argument(cel_maker *m, const lg_cel_function *f, const lg_cel_type *type,
                                 uint32_t index, uint32_t depth)
{
    static const char *const zones[] = {"'UTC'", "'America/New_York'", "'+01:30'", "'Nowhere'"};
    const char *hint = hint_of(m->d, lg_str_c(f->name));
    if (f->takes_zone && index == 1) {
        lg_buf_add_c(m->out, DICE_PICK(m->d, zones));
    } else if (hint && type->kind == LG_CEL_STRING && dice_one_in(m->d, 2)) {
        lg_buf_add_c(m->out, hint);
    } else {
        make_cel(m, type, depth + 1);
    }
}

static inline void write_call(cel_maker *m, const lg_cel_function *f, const lg_cel_overload *o,
                              cel_params *params, uint32_t depth)
{
    uint32_t count = o->arg_count + (o->variadic ? dice_below(m->d, 3) : 0);
    uint32_t first = o->member ? 1 : 0;
    if (o->member) {
        lg_buf_add_byte(m->out, '(');
        make_argument(m, f, type_bound(m, params, o->args[0]), 0, depth);
        lg_buf_add_c(m->out, ").");
    }
    lg_buf_addf(m->out, "%s(", f->name);
    for (uint32_t i = first; i < count; i++) {
        const lg_cel_type *type = o->args[i < o->arg_count ? i : o->arg_count - 1u];
        lg_buf_add_c(m->out, i > first ? ", " : "");
        make_argument(m, f, type_bound(m, params, type), i, depth);
    }
    lg_buf_add_byte(m->out, ')');
}

// Of some functions that give the type, that which was used least.
static inline bool make_call(cel_maker *m, const lg_cel_type *want, uint32_t depth)
{
    static size_t count;
    count = count ? count : cel_function_count();
    const lg_cel_function *best = NULL;
    const lg_cel_overload *best_overload = NULL;
    size_t best_index = 0;
    for (uint32_t i = 0; i < 48; i++) {
        size_t index = dice_below(m->d, (uint32_t)count);
        const lg_cel_function *f = lg_cel_function_at(index);
        const lg_cel_overload *o = &f->overloads[dice_below(m->d, f->overload_count)];
        bool internal = lg_str_find(lg_str_c(f->name), LG_STR("@")) != SIZE_MAX;
        cel_params params = {{NULL, NULL}};
        bool any = o->result->kind == LG_CEL_DYN && want->kind != LG_CEL_DYN;
        if (!internal && type_fits(&params, o->result, want) && (!any || dice_one_in(m->d, 6)) &&
            (!best || m->kept.functions[index] < m->kept.functions[best_index])) {
            best = f;
            best_overload = o;
            best_index = index;
        }
    }
    if (best) {
        cel_params params = {{NULL, NULL}};
        type_fits(&params, best_overload->result, want);
        m->now.functions[best_index]++;
        write_call(m, best, best_overload, &params, depth);
    }
    return best != NULL;
}

// --- Operators ------------------------------------------------------------------------------------

static inline bool make_operator(cel_maker *m, const lg_cel_type *want, uint32_t depth)
{
    for (uint32_t attempt = 0; attempt < 12; attempt++) {
        uint32_t form = dice_below(m->d, FORM_IN + 1);
        size_t count = 0;
        const lg_cel_overload *overloads =
            lg_cel_operator_overloads((lg_cel_binary)(LG_BIN_ADD + form), &count);
        const lg_cel_overload *o = &overloads[dice_below(m->d, (uint32_t)count)];
        cel_params params = {{NULL, NULL}};
        if (type_fits(&params, o->result, want)) {
            count_form(m, (cel_form)form);
            lg_buf_add_byte(m->out, '(');
            make_cel(m, type_bound(m, &params, o->args[0]), depth + 1);
            lg_buf_addf(m->out, " %s ", cel_form_names[form]);
            bool known = m->known_only;
            m->known_only = known || form == FORM_EQ || form == FORM_NE || form == FORM_IN;
            make_cel(m, type_bound(m, &params, o->args[1]), depth + 1);
            m->known_only = known;
            lg_buf_add_byte(m->out, ')');
            return true;
        }
    }
    return false;
}

// A binary operator is its own place in the table of forms.
_Static_assert((int)LG_BIN_IN - (int)LG_BIN_ADD == (int)FORM_IN - (int)FORM_ADD,
               "the operators stand in the order of cel_internal.h");

static inline void make_around(cel_maker *m, const char *before, const lg_cel_type *type,
                               const char *after, uint32_t depth)
{
    lg_buf_add_c(m->out, before);
    make_cel(m, type, depth + 1);
    lg_buf_add_c(m->out, after);
}

static inline void make_logic(cel_maker *m, uint32_t depth)
{
    uint32_t way = dice_below(m->d, 4);
    count_form(m, way == 0 ? FORM_NOT : way == 1 ? FORM_AND : way == 2 ? FORM_OR : FORM_HAS);
    if (way == 0) {
        make_around(m, "!(", &lg_cel_t_bool, ")", depth);
    } else if (way < 3) {
        make_around(m, "(", &lg_cel_t_bool, way == 1 ? " && " : " || ", depth);
        make_around(m, "", &lg_cel_t_bool, ")", depth);
    } else {
        static const char *const names[] = {"a", "b", "c", "k", "x"};
        lg_buf_add_c(m->out, "has((");
        if (dice_one_in(m->d, 2) ||
            !make_path(m, lg_cel_type_map(m->arena, &lg_cel_t_string, &lg_cel_t_dyn))) {
            make_cel(m, &lg_cel_t_dyn, depth + 1);
        }
        lg_buf_addf(m->out, ").%s)", DICE_PICK(m->d, names));
    }
}

static inline void make_choice(cel_maker *m, const lg_cel_type *want, uint32_t depth)
{
    count_form(m, FORM_CHOICE);
    make_around(m, "(", &lg_cel_t_bool, " ? ", depth);
    make_around(m, "", want, " : ", depth);
    make_around(m, "", want, ")", depth);
}

// What stands in a list or a map.
static inline void make_lookup(cel_maker *m, const lg_cel_type *want, bool optional, uint32_t depth)
{
    bool map = dice_one_in(m->d, 2);
    const lg_cel_type *key = map                    ? key_type(m->d)
                             : dice_one_in(m->d, 4) ? &lg_cel_t_double
                                                    : &lg_cel_t_int;
    const lg_cel_type *from =
        map ? lg_cel_type_map(m->arena, key, want) : lg_cel_type_list(m->arena, want);
    count_form(m, optional ? FORM_OPT_INDEX : FORM_INDEX);
    make_around(m, "(", dice_one_in(m->d, 5) ? &lg_cel_t_dyn : from, optional ? ")[?" : ")[",
                depth);
    make_around(m, "", key, "]", depth);
}

static inline void make_optional(cel_maker *m, const lg_cel_type *want, uint32_t depth)
{
    static const char *const names[] = {"a", "b", "k", "x"};
    if (dice_one_in(m->d, 2)) {
        make_lookup(m, want->element, true, depth);
        return;
    }
    count_form(m, FORM_OPT_SELECT);
    lg_buf_add_byte(m->out, '(');
    const lg_cel_type *map = lg_cel_type_map(m->arena, &lg_cel_t_string, want->element);
    if (!make_path(m, map)) {
        make_cel(m, map, depth + 1);
    }
    lg_buf_addf(m->out, ").?%s", DICE_PICK(m->d, names));
}

// --- Macros ---------------------------------------------------------------------------------------

// A list or a map to go through, and the names that its keys and elements get.
typedef struct cel_loop {
    uint32_t names;         // before
    const char *key, *item; // `key` may be NULL
} cel_loop;

static inline const char *new_name(cel_maker *m)
{
    lg_str made = lg_arena_printf(m->arena, "v%u", m->next_local++);
    return made.ptr ? made.ptr : "v";
}

static inline const char *bind_name(cel_maker *m, const lg_cel_type *type)
{
    const char *text = new_name(m);
    m->names[m->name_count++] = (cel_name){text, type};
    return text;
}

// One name: the element of a list, the key of a map. Two: the index or key, and the value.
static inline cel_loop open_loop(cel_maker *m, const lg_cel_type *item, bool two, uint32_t depth)
{
    cel_loop loop = {.names = m->name_count};
    bool map = dice_one_in(m->d, 3);
    const lg_cel_type *key = map ? key_type(m->d) : &lg_cel_t_int;
    item = item ? item : plain_type(m->d);
    if (map && !two && (item->kind == LG_CEL_STRING || item->kind == LG_CEL_INT)) {
        key = item;
    } else if (map && !two) {
        map = false;
        key = &lg_cel_t_int;
    }
    const lg_cel_type *of = map ? lg_cel_type_map(m->arena, key, two ? item : &lg_cel_t_dyn)
                                : lg_cel_type_list(m->arena, item);
    lg_buf_add_byte(m->out, '(');
    if (dice_one_in(m->d, 3) || !make_path(m, of)) {
        make_cel(m, of, depth + 1);
    }
    lg_buf_add_c(m->out, ").");
    if (two) {
        loop.key = bind_name(m, key);
        loop.item = bind_name(m, item);
    } else {
        loop.item = bind_name(m, item);
    }
    return loop;
}

static inline void write_loop(cel_maker *m, const cel_loop *loop, const char *macro)
{
    lg_buf_addf(m->out, "%s(%s%s%s, ", macro, loop->key ? loop->key : "", loop->key ? ", " : "",
                loop->item);
}

static inline bool has_room(const cel_maker *m)
{
    return m->name_count + 2 < LG_COUNT(m->names);
}

static inline void make_fold_to_bool(cel_maker *m, uint32_t depth)
{
    static const struct {
        const char *macro;
        cel_form form;
        bool two;
    } rows[] = {{"all", FORM_ALL, false},        {"all", FORM_ALL_TWO, true},
                {"exists", FORM_EXISTS, false},  {"exists", FORM_EXISTS_TWO, true},
                {"exists_one", FORM_ONE, false}, {"existsOne", FORM_ONE_TWO, true}};
    uint32_t row = dice_below(m->d, LG_COUNT(rows));
    cel_loop loop = open_loop(m, NULL, rows[row].two, depth);
    count_form(m, rows[row].form);
    write_loop(m, &loop, rows[row].macro);
    make_around(m, "", &lg_cel_t_bool, ")", depth);
    m->name_count = loop.names;
}

static inline void make_fold_to_list(cel_maker *m, const lg_cel_type *want, uint32_t depth)
{
    uint32_t way = dice_below(m->d, 6);
    bool two = way >= 3 && way < 5;
    bool same = way == 0 || way == 5;
    const char *macro = way == 0 ? "filter" : two ? "transformList" : way == 5 ? "sortBy" : "map";
    static const cel_form forms[] = {FORM_FILTER,  FORM_MAP,        FORM_MAP_IF,
                                     FORM_TO_LIST, FORM_TO_LIST_IF, FORM_SORT_BY};
    static const lg_cel_type *const sorted[] = {&lg_cel_t_double, &lg_cel_t_string, &lg_cel_t_int};
    cel_loop loop = open_loop(m, same ? want->element : NULL, two, depth);
    count_form(m, forms[way]);
    write_loop(m, &loop, macro);
    if (way == 0 || way == 2 || way == 4) {
        make_around(m, "", &lg_cel_t_bool, way == 0 ? ")" : ", ", depth);
    }
    if (way != 0) {
        make_around(m, "", way == 5 ? DICE_PICK(m->d, sorted) : want->element, ")", depth);
    }
    m->name_count = loop.names;
}

static inline void make_fold_to_map(cel_maker *m, const lg_cel_type *want, uint32_t depth)
{
    bool entries = dice_one_in(m->d, 2);
    bool only = dice_one_in(m->d, 2);
    cel_loop loop = open_loop(m, NULL, true, depth);
    count_form(m, entries ? (only ? FORM_TO_ENTRY_IF : FORM_TO_ENTRY)
                          : (only ? FORM_TO_MAP_IF : FORM_TO_MAP));
    write_loop(m, &loop, entries ? "transformMapEntry" : "transformMap");
    if (only) {
        make_around(m, "", &lg_cel_t_bool, ", ", depth);
    }
    if (entries) {
        make_around(m, "{", want->key, ": ", depth);
        make_around(m, "", want->element, "})", depth);
    } else {
        make_around(m, "", want->element, ")", depth);
    }
    m->name_count = loop.names;
}

static inline void make_bound(cel_maker *m, const lg_cel_type *want, uint32_t depth)
{
    const lg_cel_type *type = any_type(m);
    const char *name = new_name(m);
    lg_buf_addf(m->out, "cel.bind(%s, ", name);
    make_around(m, "", type, ", ", depth);
    m->names[m->name_count++] = (cel_name){name, type};
    make_around(m, "", want, ")", depth);
    m->name_count--;
    count_form(m, FORM_BIND);
}

static inline void make_optional_map(cel_maker *m, const lg_cel_type *want, uint32_t depth)
{
    const lg_cel_type *type = plain_type(m->d);
    bool flat = dice_one_in(m->d, 2);
    uint32_t names = m->name_count;
    make_around(m, "(", optional_of_type(m, type), flat ? ").optFlatMap(" : ").optMap(", depth);
    lg_buf_addf(m->out, "%s, ", bind_name(m, type));
    make_around(m, "", flat ? want : want->element, ")", depth);
    m->name_count = names;
    count_form(m, flat ? FORM_OPT_FLAT_MAP : FORM_OPT_MAP);
}

// --- Any of them ----------------------------------------------------------------------------------

static inline bool make_of_kind(cel_maker *m, const lg_cel_type *want, uint32_t depth)
{
    bool first = dice_one_in(m->d, 2);
    if (want->kind == LG_CEL_BOOL && first) {
        make_logic(m, depth);
    } else if (want->kind == LG_CEL_BOOL) {
        make_fold_to_bool(m, depth);
    } else if (want->kind == LG_CEL_LIST) {
        make_fold_to_list(m, want, depth);
    } else if (want->kind == LG_CEL_MAP) {
        make_fold_to_map(m, want, depth);
    } else if (want->kind == LG_CEL_OPTIONAL && first) {
        make_optional(m, want, depth);
    } else if (want->kind == LG_CEL_OPTIONAL) {
        make_optional_map(m, want, depth);
    } else if ((want->kind == LG_CEL_INT || want->kind == LG_CEL_DOUBLE) && dice_one_in(m->d, 4)) {
        count_form(m, FORM_NEGATE);
        make_around(m, "-(", want, ")", depth);
    } else {
        return false;
    }
    return true;
}

static inline void make_cel(cel_maker *m, const lg_cel_type *want, uint32_t depth)
{
    if (dice_one_in(m->d, 40) && depth < m->depth_max) { // something else, for the errors
        make_around(m, "dyn(", any_type(m), ")", depth);
        return;
    }
    if (depth >= m->depth_max || dice_one_in(m->d, 4) || !has_room(m)) {
        make_leaf(m, want, depth);
        return;
    }
    switch (dice_below(m->d, 10)) {
    case 0:
        make_choice(m, want, depth);
        return;
    case 1:
        make_lookup(m, want, false, depth);
        return;
    case 2:
        make_bound(m, want, depth);
        return;
    case 3:
    case 4:
    case 5:
        if (make_of_kind(m, want, depth)) {
            return;
        }
        break;
    case 6:
    case 7:
        if (make_operator(m, want, depth)) {
            return;
        }
        break;
    default:
        break;
    }
    if (!make_call(m, want, depth)) {
        make_leaf(m, want, depth);
    }
}

// What was counted since the last of these, if the expression compiled.
static inline void settle_counts(cel_maker *m, bool compiled)
{
    for (size_t i = 0; compiled && i < CEL_MAKER_FUNCTIONS_MAX; i++) {
        m->kept.functions[i] += m->now.functions[i];
    }
    for (size_t i = 0; compiled && i < FORM_COUNT; i++) {
        m->kept.forms[i] += m->now.forms[i];
    }
    memset(&m->now, 0, sizeof(m->now));
}

#endif
