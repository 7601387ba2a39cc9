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

static const lg_cel_type param_a = {.kind = LG_CEL_PARAM, .name = {"A", 1}};
static const lg_cel_type param_b = {.kind = LG_CEL_PARAM, .name = {"B", 1}};
static const lg_cel_type list_a = {.kind = LG_CEL_LIST, .element = A};
static const lg_cel_type map_ab = {.kind = LG_CEL_MAP, .key = A, .element = &param_b};
static const lg_cel_type list_int = {.kind = LG_CEL_LIST, .element = INT};

// clang-format off
#define F1(r, a)       {.result = (r), .args = {(a)}, .arg_count = 1}
#define F2(r, a, b)    {.result = (r), .args = {(a), (b)}, .arg_count = 2}
#define M1(r, a)       {.result = (r), .args = {(a)}, .arg_count = 1, .member = true}
#define M2(r, a, b)    {.result = (r), .args = {(a), (b)}, .arg_count = 2, .member = true}

static const lg_cel_overload o_bool[] = {F1(BOOL, BOOL), F1(BOOL, STRING)};
static const lg_cel_overload o_bytes[] = {F1(BYTES, BYTES), F1(BYTES, STRING)};
static const lg_cel_overload o_string_test[] = {M2(BOOL, STRING, STRING)};
static const lg_cel_overload o_double[] = {F1(DOUBLE, DOUBLE), F1(DOUBLE, INT), F1(DOUBLE, UINT),
                                           F1(DOUBLE, STRING)};
static const lg_cel_overload o_duration[] = {F1(DURATION, DURATION), F1(DURATION, STRING)};
static const lg_cel_overload o_dyn[] = {F1(DYN, A)};
static const lg_cel_overload o_int[] = {F1(INT, INT), F1(INT, UINT), F1(INT, DOUBLE),
                                        F1(INT, STRING), F1(INT, TIME)};
static const lg_cel_overload o_matches[] = {M2(BOOL, STRING, STRING), F2(BOOL, STRING, STRING)};
static const lg_cel_overload o_range[] = {F1(&list_int, INT)};
static const lg_cel_overload o_size[] = {
    F1(INT, STRING), F1(INT, BYTES), F1(INT, LIST_A), F1(INT, MAP_AB),
    M1(INT, STRING), M1(INT, BYTES), M1(INT, LIST_A), M1(INT, MAP_AB)};
static const lg_cel_overload o_string[] = {
    F1(STRING, STRING), F1(STRING, BOOL), F1(STRING, INT), F1(STRING, UINT), F1(STRING, DOUBLE),
    F1(STRING, BYTES), F1(STRING, TIME), F1(STRING, DURATION)};
static const lg_cel_overload o_sum[] = {F1(DOUBLE, LIST_A)};
static const lg_cel_overload o_timestamp[] = {F1(TIME, TIME), F1(TIME, STRING), F1(TIME, INT)};
static const lg_cel_overload o_type[] = {F1(TYPE, A)};
static const lg_cel_overload o_uint[] = {F1(UINT, UINT), F1(UINT, INT), F1(UINT, DOUBLE),
                                         F1(UINT, STRING)};
static const lg_cel_overload o_time_part[] = {M1(INT, TIME), M2(INT, TIME, STRING)};
static const lg_cel_overload o_any_part[] = {M1(INT, TIME), M2(INT, TIME, STRING),
                                             M1(INT, DURATION)};

#define ROW(name, native, overloads, constant) \
    {name, native, overloads, LG_COUNT(overloads), constant}
static const lg_cel_function functions[] = {
    ROW("bool",            lg_cel_fn_bool,             o_bool,        true),
    ROW("bytes",           lg_cel_fn_bytes,            o_bytes,       true),
    ROW("contains",        lg_cel_fn_contains,         o_string_test, false),
    ROW("double",          lg_cel_fn_double,           o_double,      true),
    ROW("duration",        lg_cel_fn_duration,         o_duration,    true),
    ROW("dyn",             lg_cel_fn_dyn,              o_dyn,         true),
    ROW("endsWith",        lg_cel_fn_ends,             o_string_test, false),
    ROW("getDate",         lg_cel_fn_get_date,         o_time_part,   false),
    ROW("getDayOfMonth",   lg_cel_fn_get_day_of_month, o_time_part,   false),
    ROW("getDayOfWeek",    lg_cel_fn_get_day_of_week,  o_time_part,   false),
    ROW("getDayOfYear",    lg_cel_fn_get_day_of_year,  o_time_part,   false),
    ROW("getFullYear",     lg_cel_fn_get_full_year,    o_time_part,   false),
    ROW("getHours",        lg_cel_fn_get_hours,        o_any_part,    false),
    ROW("getMilliseconds", lg_cel_fn_get_milliseconds, o_any_part,    false),
    ROW("getMinutes",      lg_cel_fn_get_minutes,      o_any_part,    false),
    ROW("getMonth",        lg_cel_fn_get_month,        o_time_part,   false),
    ROW("getSeconds",      lg_cel_fn_get_seconds,      o_any_part,    false),
    ROW("int",             lg_cel_fn_int,              o_int,         true),
    ROW("matches",         lg_cel_fn_matches,          o_matches,     false),
    ROW("range",           lg_cel_fn_range,            o_range,       false),
    ROW("size",            lg_cel_fn_size,             o_size,        false),
    ROW("startsWith",      lg_cel_fn_starts,           o_string_test, false),
    ROW("string",          lg_cel_fn_string,           o_string,      true),
    ROW("sum",             lg_cel_fn_sum,              o_sum,         false),
    ROW("timestamp",       lg_cel_fn_timestamp,        o_timestamp,   true),
    ROW("type",            lg_cel_fn_type,             o_type,        false),
    ROW("uint",            lg_cel_fn_uint,             o_uint,        true),
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
