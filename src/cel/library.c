// The table of functions and operators: what exists, how it may be called, what runs it.
//
// To add a function: write its native in one of the fn_ files, declare it in cel_internal.h, and
// add a row here, in the order of names (a test holds the table to it).
#include "cel/cel_internal.h"

// Short names, for this file only: it is read as a table.
#define BOOL &lg_cel_t_bool
#define INT &lg_cel_t_int
#define UINT &lg_cel_t_uint
#define DOUBLE &lg_cel_t_double
#define STRING &lg_cel_t_string
#define BYTES &lg_cel_t_bytes
#define TIME &lg_cel_t_timestamp
#define DURATION &lg_cel_t_duration
#define TYPE &lg_cel_t_type
#define DYN &lg_cel_t_dyn
#define A &param_a
#define LIST_A &list_a
#define MAP_AB &map_ab
#define OPT_A &optional_a
#define IP &lg_cel_t_ip
#define CIDR &lg_cel_t_cidr

static const lg_cel_type param_a = {.kind = LG_CEL_PARAM, .name = {"A", 1}};
static const lg_cel_type param_b = {.kind = LG_CEL_PARAM, .name = {"B", 1}};
static const lg_cel_type list_a = {.kind = LG_CEL_LIST, .element = A};
static const lg_cel_type map_ab = {.kind = LG_CEL_MAP, .key = A, .element = &param_b};
static const lg_cel_type list_b = {.kind = LG_CEL_LIST, .element = &param_b};
static const lg_cel_type list_dyn = {.kind = LG_CEL_LIST, .element = DYN};
static const lg_cel_type list_string = {.kind = LG_CEL_LIST, .element = STRING};
static const lg_cel_type optional_a = {.kind = LG_CEL_OPTIONAL, .element = A};
static const lg_cel_type list_optional_a = {.kind = LG_CEL_LIST, .element = OPT_A};
static const lg_cel_type list_int = {.kind = LG_CEL_LIST, .element = INT};

// clang-format off
#define F1(r, a)       {.result = (r), .args = {(a)}, .arg_count = 1}
#define F2(r, a, b)    {.result = (r), .args = {(a), (b)}, .arg_count = 2}
#define F0(r)          {.result = (r), .arg_count = 0}
#define FN(r, a)       {.result = (r), .args = {(a)}, .arg_count = 1, .variadic = true}
#define M1(r, a)       {.result = (r), .args = {(a)}, .arg_count = 1, .member = true}
#define M2(r, a, b)    {.result = (r), .args = {(a), (b)}, .arg_count = 2, .member = true}
#define M3(r, a, b, c) {.result = (r), .args = {(a), (b), (c)}, .arg_count = 3, .member = true}
#define M4(r, a, b, c, d)                                                                          \
    {.result = (r), .args = {(a), (b), (c), (d)}, .arg_count = 4, .member = true}

// The standard.
static const lg_cel_overload o_bool[] = {F1(BOOL, BOOL), F1(BOOL, STRING)};
static const lg_cel_overload o_bytes[] = {F1(BYTES, BYTES), F1(BYTES, STRING)};
static const lg_cel_overload o_string_test[] = {M2(BOOL, STRING, STRING)};
static const lg_cel_overload o_double[] = {
    F1(DOUBLE, DOUBLE), F1(DOUBLE, INT), F1(DOUBLE, UINT), F1(DOUBLE, STRING)};
static const lg_cel_overload o_duration[] = {F1(DURATION, DURATION), F1(DURATION, STRING)};
static const lg_cel_overload o_dyn[] = {F1(DYN, A)};
static const lg_cel_overload o_int[] = {
    F1(INT, INT), F1(INT, UINT), F1(INT, DOUBLE), F1(INT, STRING), F1(INT, TIME)};
static const lg_cel_overload o_matches[] = {M2(BOOL, STRING, STRING), F2(BOOL, STRING, STRING)};
static const lg_cel_overload o_size[] = {
    F1(INT, STRING), F1(INT, BYTES), F1(INT, LIST_A), F1(INT, MAP_AB),
    M1(INT, STRING), M1(INT, BYTES), M1(INT, LIST_A), M1(INT, MAP_AB)};
static const lg_cel_overload o_string[] = {
    F1(STRING, STRING), F1(STRING, BOOL), F1(STRING, INT), F1(STRING, UINT), F1(STRING, DOUBLE),
    F1(STRING, BYTES), F1(STRING, TIME), F1(STRING, DURATION), F1(STRING, IP), F1(STRING, CIDR)};
static const lg_cel_overload o_timestamp[] = {F1(TIME, TIME), F1(TIME, STRING), F1(TIME, INT)};
static const lg_cel_overload o_type[] = {F1(TYPE, A)};
static const lg_cel_overload o_uint[] = {
    F1(UINT, UINT), F1(UINT, INT), F1(UINT, DOUBLE), F1(UINT, STRING)};
static const lg_cel_overload o_time_part[] = {M1(INT, TIME), M2(INT, TIME, STRING)};
static const lg_cel_overload o_any_part[] = {
    M1(INT, TIME), M2(INT, TIME, STRING), M1(INT, DURATION)};

// Lists.
static const lg_cel_overload o_range[] = {F1(&list_int, INT)};
static const lg_cel_overload o_sum[] = {F1(DOUBLE, LIST_A)};
static const lg_cel_overload o_same_list[] = {M1(LIST_A, LIST_A)};
static const lg_cel_overload o_flatten[] = {M1(&list_dyn, LIST_A), M2(&list_dyn, LIST_A, INT)};
static const lg_cel_overload o_slice[] = {M3(LIST_A, LIST_A, INT, INT)};
static const lg_cel_overload o_sort_by[] = {F2(LIST_A, LIST_A, &list_b)};
static const lg_cel_overload o_edge[] = {M1(OPT_A, LIST_A)};
static const lg_cel_overload o_reverse[] = {M1(STRING, STRING), M1(LIST_A, LIST_A)};

// Strings.
static const lg_cel_overload o_char_at[] = {M2(STRING, STRING, INT)};
static const lg_cel_overload o_index_of[] = {M2(INT, STRING, STRING), M3(INT, STRING, STRING, INT)};
static const lg_cel_overload o_substring[] = {M2(STRING, STRING, INT), M3(STRING, STRING, INT, INT)};
static const lg_cel_overload o_same_string[] = {M1(STRING, STRING)};
static const lg_cel_overload o_replace[] = {
    M3(STRING, STRING, STRING, STRING), M4(STRING, STRING, STRING, STRING, INT)};
static const lg_cel_overload o_split[] = {
    M2(&list_string, STRING, STRING), M3(&list_string, STRING, STRING, INT)};
static const lg_cel_overload o_join[] = {
    M1(STRING, &list_string), M2(STRING, &list_string, STRING)};
static const lg_cel_overload o_quote[] = {F1(STRING, STRING)};
static const lg_cel_overload o_decimal[] = {F1(STRING, DOUBLE)};
static const lg_cel_overload o_arithmetic[] = {F1(DOUBLE, STRING)};
static const lg_cel_overload o_arithmetic_error[] = {F1(STRING, STRING)};
static const lg_cel_overload o_format[] = {M2(STRING, STRING, &list_dyn)};
static const lg_cel_overload o_encode[] = {F1(STRING, BYTES)};
static const lg_cel_overload o_decode[] = {F1(BYTES, STRING)};

// Optionals.
static const lg_cel_overload o_optional_of[] = {F1(OPT_A, A)};
static const lg_cel_overload o_optional_none[] = {F0(OPT_A)};
static const lg_cel_overload o_has_value[] = {M1(BOOL, OPT_A)};
static const lg_cel_overload o_value[] = {M1(A, OPT_A)};
static const lg_cel_overload o_or[] = {M2(OPT_A, OPT_A, OPT_A)};
static const lg_cel_overload o_or_value[] = {M2(A, OPT_A, A)};
static const lg_cel_overload o_unwrap[] = {F1(LIST_A, &list_optional_a)};
static const lg_cel_overload o_unwrap_opt[] = {M1(LIST_A, &list_optional_a)};

// Mathematics.
static const lg_cel_overload o_extreme[] = {
    FN(INT, INT), FN(UINT, UINT), FN(DOUBLE, DOUBLE), FN(DYN, DYN)};
static const lg_cel_overload o_of_double[] = {F1(DOUBLE, DOUBLE)};
static const lg_cel_overload o_test_double[] = {F1(BOOL, DOUBLE)};
static const lg_cel_overload o_sqrt[] = {F1(DOUBLE, DOUBLE), F1(DOUBLE, INT), F1(DOUBLE, UINT)};
static const lg_cel_overload o_same_number[] = {F1(INT, INT), F1(UINT, UINT), F1(DOUBLE, DOUBLE)};
static const lg_cel_overload o_bits[] = {F2(INT, INT, INT), F2(UINT, UINT, UINT)};
static const lg_cel_overload o_bit_not[] = {F1(INT, INT), F1(UINT, UINT)};
static const lg_cel_overload o_shift[] = {F2(INT, INT, INT), F2(UINT, UINT, INT)};

// Network.
static const lg_cel_overload o_ip[] = {F1(IP, STRING), M1(IP, CIDR)};
static const lg_cel_overload o_cidr[] = {F1(CIDR, STRING)};
static const lg_cel_overload o_is_address[] = {F1(BOOL, STRING)};
static const lg_cel_overload o_family[] = {M1(INT, IP)};
static const lg_cel_overload o_address_test[] = {M1(BOOL, IP)};
static const lg_cel_overload o_prefix_length[] = {M1(INT, CIDR)};
static const lg_cel_overload o_masked[] = {M1(CIDR, CIDR)};
static const lg_cel_overload o_contains_ip[] = {M2(BOOL, CIDR, IP), M2(BOOL, CIDR, STRING)};
static const lg_cel_overload o_contains_cidr[] = {M2(BOOL, CIDR, CIDR), M2(BOOL, CIDR, STRING)};

#define ROW(name, native, overloads, constant) \
    {name, lg_cel_fn_##native, overloads, LG_COUNT(overloads), constant, false}
#define ZONED(name, native, overloads) \
    {name, lg_cel_fn_##native, overloads, LG_COUNT(overloads), false, true}
static const lg_cel_function functions[] = {
    ROW("arithmetic",              arithmetic,               o_arithmetic,      false),
    ROW("arithmeticError",         arithmetic_error,         o_arithmetic_error, false),
    ROW("base64.decode",           base64_decode,            o_decode,          true),
    ROW("base64.encode",           base64_encode,            o_encode,          true),
    ROW("bool",                    bool,                     o_bool,            true),
    ROW("bytes",                   bytes,                    o_bytes,           true),
    ROW("charAt",                  char_at,                  o_char_at,         false),
    ROW("cidr",                    cidr,                     o_cidr,            true),
    ROW("contains",                contains,                 o_string_test,     false),
    ROW("containsCIDR",            contains_cidr,            o_contains_cidr,   false),
    ROW("containsIP",              contains_ip,              o_contains_ip,     false),
    ROW("decimal",                 decimal,                  o_decimal,         false),
    ROW("distinct",                distinct,                 o_same_list,       false),
    ROW("double",                  double,                   o_double,          true),
    ROW("duration",                duration,                 o_duration,        true),
    ROW("dyn",                     dyn,                      o_dyn,             true),
    ROW("endsWith",                ends,                     o_string_test,     false),
    ROW("family",                  family,                   o_family,          false),
    ROW("first",                   first,                    o_edge,            false),
    ROW("flatten",                 flatten,                  o_flatten,         false),
    ROW("format",                  format,                   o_format,          false),
    ZONED("getDate",                 get_date,                 o_time_part),
    ZONED("getDayOfMonth",           get_day_of_month,         o_time_part),
    ZONED("getDayOfWeek",            get_day_of_week,          o_time_part),
    ZONED("getDayOfYear",            get_day_of_year,          o_time_part),
    ZONED("getFullYear",             get_full_year,            o_time_part),
    ZONED("getHours",                get_hours,                o_any_part),
    ZONED("getMilliseconds",         get_milliseconds,         o_any_part),
    ZONED("getMinutes",              get_minutes,              o_any_part),
    ZONED("getMonth",                get_month,                o_time_part),
    ZONED("getSeconds",              get_seconds,              o_any_part),
    ROW("hasValue",                has_value,                o_has_value,       false),
    ROW("indexOf",                 index_of,                 o_index_of,        false),
    ROW("int",                     int,                      o_int,             true),
    ROW("ip",                      ip,                       o_ip,              true),
    ROW("ip.isCanonical",          is_canonical,             o_is_address,      false),
    ROW("isCIDR",                  is_cidr,                  o_is_address,      false),
    ROW("isGlobalUnicast",         is_global_unicast,        o_address_test,    false),
    ROW("isIP",                    is_ip,                    o_is_address,      false),
    ROW("isLinkLocalMulticast",    is_link_local_multicast,  o_address_test,    false),
    ROW("isLinkLocalUnicast",      is_link_local_unicast,    o_address_test,    false),
    ROW("isLoopback",              is_loopback,              o_address_test,    false),
    ROW("isUnspecified",           is_unspecified,           o_address_test,    false),
    ROW("join",                    join,                     o_join,            false),
    ROW("last",                    last,                     o_edge,            false),
    ROW("lastIndexOf",             last_index_of,            o_index_of,        false),
    ROW("lists.@sortByKeys",       sort_by_keys,             o_sort_by,         false),
    ROW("lists.range",             range,                    o_range,           false),
    ROW("lowerAscii",              lower_ascii,              o_same_string,     false),
    ROW("masked",                  masked,                   o_masked,          false),
    ROW("matches",                 matches,                  o_matches,         false),
    ROW("math.abs",                abs,                      o_same_number,     false),
    ROW("math.bitAnd",             bit_and,                  o_bits,            false),
    ROW("math.bitNot",             bit_not,                  o_bit_not,         false),
    ROW("math.bitOr",              bit_or,                   o_bits,            false),
    ROW("math.bitShiftLeft",       bit_left,                 o_shift,           false),
    ROW("math.bitShiftRight",      bit_right,                o_shift,           false),
    ROW("math.bitXor",             bit_xor,                  o_bits,            false),
    ROW("math.ceil",               ceil,                     o_of_double,       false),
    ROW("math.floor",              floor,                    o_of_double,       false),
    ROW("math.greatest",           greatest,                 o_extreme,         false),
    ROW("math.isFinite",           is_finite,                o_test_double,     false),
    ROW("math.isInf",              is_inf,                   o_test_double,     false),
    ROW("math.isNaN",              is_nan,                   o_test_double,     false),
    ROW("math.least",              least,                    o_extreme,         false),
    ROW("math.round",              round,                    o_of_double,       false),
    ROW("math.sign",               sign,                     o_same_number,     false),
    ROW("math.sqrt",               sqrt,                     o_sqrt,            false),
    ROW("math.trunc",              trunc,                    o_of_double,       false),
    ROW("optional.none",           optional_none,            o_optional_none,   false),
    ROW("optional.of",             optional_of,              o_optional_of,     false),
    ROW("optional.ofNonZeroValue", optional_non_zero,        o_optional_of,     false),
    ROW("optional.unwrap",         unwrap,                   o_unwrap,          false),
    ROW("or",                      or,                       o_or,              false),
    ROW("orValue",                 or_value,                 o_or_value,        false),
    ROW("prefixLength",            prefix_length,            o_prefix_length,   false),
    ROW("range",                   range,                    o_range,           false),
    ROW("replace",                 replace,                  o_replace,         false),
    ROW("reverse",                 reverse,                  o_reverse,         false),
    ROW("size",                    size,                     o_size,            false),
    ROW("slice",                   slice,                    o_slice,           false),
    ROW("sort",                    sort,                     o_same_list,       false),
    ROW("split",                   split,                    o_split,           false),
    ROW("startsWith",              starts,                   o_string_test,     false),
    ROW("string",                  string,                   o_string,          true),
    ROW("strings.quote",           quote,                    o_quote,           false),
    ROW("substring",               substring,                o_substring,       false),
    ROW("sum",                     sum,                      o_sum,             false),
    ROW("timestamp",               timestamp,                o_timestamp,       true),
    ROW("trim",                    trim,                     o_same_string,     false),
    ROW("type",                    type,                     o_type,            false),
    ROW("uint",                    uint,                     o_uint,            true),
    ROW("unwrapOpt",               unwrap,                   o_unwrap_opt,      false),
    ROW("upperAscii",              upper_ascii,              o_same_string,     false),
    ROW("value",                   value,                    o_value,           false),
};

#define NUMBERS(F, r)  F(r, INT, INT), F(r, UINT, UINT), F(r, DOUBLE, DOUBLE)
static const lg_cel_overload o_add[] = {
    F2(INT, INT, INT), F2(UINT, UINT, UINT), F2(DOUBLE, DOUBLE, DOUBLE), F2(STRING, STRING, STRING),
    F2(BYTES, BYTES, BYTES), F2(LIST_A, LIST_A, LIST_A), F2(TIME, TIME, DURATION),
    F2(TIME, DURATION, TIME), F2(DURATION, DURATION, DURATION)};
static const lg_cel_overload o_sub[] = {
    F2(INT, INT, INT), F2(UINT, UINT, UINT), F2(DOUBLE, DOUBLE, DOUBLE), F2(DURATION, TIME, TIME),
    F2(TIME, TIME, DURATION), F2(DURATION, DURATION, DURATION)};
static const lg_cel_overload o_mul[] = {
    F2(INT, INT, INT), F2(UINT, UINT, UINT), F2(DOUBLE, DOUBLE, DOUBLE)};
static const lg_cel_overload o_mod[] = {F2(INT, INT, INT), F2(UINT, UINT, UINT)};
static const lg_cel_overload o_equal[] = {F2(BOOL, A, A)};
static const lg_cel_overload o_order[] = {
    NUMBERS(F2, BOOL),
    F2(BOOL, INT, UINT), F2(BOOL, INT, DOUBLE), F2(BOOL, UINT, INT), F2(BOOL, UINT, DOUBLE),
    F2(BOOL, DOUBLE, INT), F2(BOOL, DOUBLE, UINT), F2(BOOL, BOOL, BOOL), F2(BOOL, STRING, STRING),
    F2(BOOL, BYTES, BYTES), F2(BOOL, TIME, TIME), F2(BOOL, DURATION, DURATION)};
static const lg_cel_overload o_in[] = {F2(BOOL, A, LIST_A), F2(BOOL, A, MAP_AB)};
// clang-format on

const lg_cel_function *lg_cel_function_at(size_t index)
{
    return index < LG_COUNT(functions) ? &functions[index] : NULL;
}

const lg_cel_function *lg_cel_function_find(lg_str name)
{
    size_t low = 0;
    size_t high = LG_COUNT(functions);
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = lg_str_cmp(name, lg_str_c(functions[middle].name));
        if (order == 0) {
            return &functions[middle];
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}

lg_cel_kind lg_cel_function_gives(lg_str name)
{
    const lg_cel_function *function = lg_cel_function_find(name);
    for (size_t i = 1; function && i < function->overload_count; i++) {
        if (function->overloads[i].result->kind != function->overloads[0].result->kind) {
            return LG_CEL_DYN;
        }
    }
    return function ? function->overloads[0].result->kind : LG_CEL_DYN;
}

const lg_cel_overload *lg_cel_operator_overloads(lg_cel_binary op, size_t *ret_count)
{
    static const struct {
        const lg_cel_overload *overloads;
        size_t count;
    } rows[] = {
        [LG_BIN_ADD] = {o_add, LG_COUNT(o_add)},
        [LG_BIN_SUB] = {o_sub, LG_COUNT(o_sub)},
        [LG_BIN_MUL] = {o_mul, LG_COUNT(o_mul)},
        [LG_BIN_DIV] = {o_mul, LG_COUNT(o_mul)},
        [LG_BIN_MOD] = {o_mod, LG_COUNT(o_mod)},
        [LG_BIN_EQ] = {o_equal, LG_COUNT(o_equal)},
        [LG_BIN_NE] = {o_equal, LG_COUNT(o_equal)},
        [LG_BIN_LT] = {o_order, LG_COUNT(o_order)},
        [LG_BIN_LE] = {o_order, LG_COUNT(o_order)},
        [LG_BIN_GT] = {o_order, LG_COUNT(o_order)},
        [LG_BIN_GE] = {o_order, LG_COUNT(o_order)},
        [LG_BIN_IN] = {o_in, LG_COUNT(o_in)},
        [LG_BIN_INDEX] = {NULL, 0},
        [LG_BIN_OPT_INDEX] = {NULL, 0},
    };
    *ret_count = rows[op].count;
    return rows[op].overloads;
}
