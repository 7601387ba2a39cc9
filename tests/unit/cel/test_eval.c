// What expressions come to: values with their types, failures with their kinds.
#include "cel_fixture.h"

typedef struct eval_case {
    const char *source;
    const char *want;
} eval_case;

// j: a JSON object of all kinds of values; everything is dyn.
static void declare_json(cel_fixture *f)
{
    const lg_cel_type *dyn = lg_cel_type_of_kind(LG_CEL_DYN);
    fixture_declare(f, "j", dyn,
                    fixture_json(f, "{\"i\":42,\"f\":1.5,\"s\":\"text\",\"t\":true,\"n\":null,"
                                    "\"l\":[1,2,3],\"o\":{\"a\":1,\"b\":{\"c\":2}},"
                                    "\"big\":9007199254740993,\"big2\":9007199254740992,"
                                    "\"huge\":18446744073709551615,"
                                    "\"vast\":123456789012345678901234567890,"
                                    "\"items\":[{\"p\":10},{\"p\":60.5},{\"q\":1}],"
                                    "\"e\":[],\"eo\":{},\"esc\":\"\\u00e9\\n\"}"));
    fixture_declare(f, "k", dyn, lg_cel_make_str(LG_STR("i")));
    fixture_declare(f, "now", lg_cel_type_of_kind(LG_CEL_TIMESTAMP),
                    lg_cel_make_timestamp(1715785200, 500000000));
}

static void run_evals(const eval_case *cases, size_t count)
{
    cel_fixture f;
    fixture_init(&f);
    declare_json(&f);
    for (size_t i = 0; i < count; i++) {
        lg_test_name = cases[i].source;
        CHECK_STR(fixture_run(&f, cases[i].source), cases[i].want);
    }
    fixture_done(&f);
}

static void reads_json(void)
{
    static const eval_case cases[] = {
        {"j.i", "double 42"},
        {"j.f", "double 1.5"},
        {"j.s", "string text"},
        {"j.t", "bool true"},
        {"j.n", "null_type null"},
        {"j.l", "list [1,2,3]"},
        {"j.o.b.c", "double 2"},
        {"j.o['b']['c']", "double 2"},
        {"j[k]", "double 42"},
        {"j.l[1]", "double 2"},
        {"j.l[1.0]", "double 2"},
        {"j.l[j.l[0]]", "double 2"},
        {"j.l[1u]", "double 2"},
        {"j.l[1.5]", "type: no such overload"},
        {"j.l['a']", "type: no such overload"},
        {"j.l[3]", "missing: index out of range `3`"},
        {"j.l[-1]", "missing: index out of range `-1`"},
        {"j.l[1e300]", "missing: index out of range `1e+300`"},
        {"j.l[18446744073709551615u]", "missing: index out of range `18446744073709551615`"},
        {"j.x", "missing: no such key `x`"},
        {"j['x']", "missing: no such key `x`"},
        {"j[1]", "missing: no such key `1`"},
        {"j[true]", "missing: no such key `true`"},
        {"j[null]", "type: no such overload"},
        {"j.x.y.z", "missing: no such key `x`"},
        {"j.n.x", "type: no such overload"},
        {"j.n['x']", "type: no such overload"},
        {"j.s.x", "type: no such overload"},
        {"j.s[0]", "type: no such overload"},
        {"j.l.x", "type: no such overload"},
        {"j.i.x", "type: no such overload"},
        {"has(j.i)", "bool true"},
        {"has(j.n)", "bool true"},
        {"has(j.x)", "bool false"},
        {"has(j.o.b.c)", "bool true"},
        {"has(j.o.b.d)", "bool false"},
        {"has(j.o.x.d)", "missing: no such key `x`"},
        {"has(j.n.x)", "type: no such overload"},
        {"has(j.s.x)", "type: no such overload"},
        {"has(j.l.x)", "type: no such overload"},
        {"j.big", "int 9007199254740993"},
        {"j.big == 9007199254740993", "bool true"},
        {"j.big == j.big2", "bool false"},
        {"j.big > j.big2", "bool true"},
        {"j.big2", "double 9007199254740992"},
        {"j.huge", "uint 18446744073709551615"},
        {"j.huge == 18446744073709551615u", "bool true"},
        {"j.vast", "range: a number too large to be exact"},
        {"j.vast == j.vast", "range: a number too large to be exact"},
        {"[j.vast] == [1]", "range: a number too large to be exact"},
        {"j == j", "bool true"},
        {"[j.esc]", "list [\"\xc3\xa9\\n\"]"},
        {"j.esc", "string \xc3\xa9\n"},
    };
    run_evals(cases, LG_COUNT(cases));
}

static void computes(void)
{
    static const eval_case cases[] = {
        {"1 + 2 * 3 - 4 / 2 % 3", "int 5"},
        {"7 / -2", "int -3"},
        {"-7 % 3", "int -1"},
        {"1 / 0", "range: division by zero"},
        {"1 % 0", "range: modulus by zero"},
        {"1u / 0u", "range: division by zero"},
        {"1.0 / 0.0", "double +Inf"},
        {"0.0 / 0.0", "double NaN"},
        {"9223372036854775807 + 1", "range: integer overflow"},
        {"-9223372036854775807 - 2", "range: integer overflow"},
        {"-9223372036854775808 / -1", "range: integer overflow"},
        {"-9223372036854775808 % -1", "int 0"},
        {"-(-9223372036854775808)", "range: integer overflow"},
        {"9223372036854775807 * 2", "range: integer overflow"},
        {"0u - 1u", "range: integer overflow"},
        {"j.i * 2", "type: no such overload"},
        {"j.i * 2.0", "double 84"},
        {"j.s + '!'", "string text!"},
        {"j.s + j.i", "type: no such overload"},
        {"'' + ''", "string "},
        {"b'a' + b'b' == b'ab'", "bool true"},
        {"j.l + [4]", "list [1,2,3,4]"},
        {"[] + j.l == j.l", "bool true"},
        {"-j.f", "double -1.5"},
        {"-j.s", "type: no such overload"},
        {"!j.t", "bool false"},
        {"!j.n", "type: no such overload"},
        {"sum([1.5, 2.5, -1.0])", "double 3"},
        {"sum(j.l)", "double 6"},
        {"sum([])", "double 0"},
        {"sum([1.0, 2])", "type: no such overload"},
        {"sum(['a'])", "type: no such overload"},
        {"arithmetic('2 * (340 + 95) - 1.5')", "double 868.5"},
        {"arithmetic('-2 ** 2 + 2 ** -1 ** 2')", "double -3.5"},
        {"arithmetic('-7 // 2 / 2')", "double -2"},
        {"arithmetic(' 1.+.5 ')", "double 1.5"},
        {"arithmetic('--3 - -4')", "double 7"},
        {"math.isInf(arithmetic('1 / (2 - 2)'))", "bool true"},
        {"math.isNaN(arithmetic('0 // 0'))", "bool true"},
        {"arithmetic('9 ** 9 ** 9')", "range: a whole number beyond 127 bits"},
        {"arithmetic('10 ** 37 / 10 ** 36')", "double 10"},
        {"arithmetic('12345678901234567890123-12345678901234567890122')", "double 1"},
        {"arithmetic('273592 * 319411341767/67 * 0.145')", "double 189124122886924.97"},
        {"arithmetic('9007199254740993 / 1')", "double 9007199254740992"},
        {"arithmetic('9007199254740995 / -3')", "double -3002399751580331.5"},
        {"arithmetic('-7 / 2')", "double -3.5"},
        {"arithmetic('1 / 3')", "double 0.3333333333333333"},
        {"arithmetic('0 / 5')", "double 0"},
        {"arithmetic('99999999999999999999999999999999999999')", "double 1e+38"},
        {"arithmetic('-170141183460469231731687303715884105727 + 1')",
         "range: a whole number beyond 127 bits"},
        {"arithmetic('-2 ** 127')", "range: a whole number beyond 127 bits"},
        {"arithmetic('(-2) ** 127')", "range: a whole number beyond 127 bits"},
        {"arithmetic('(-2) ** 126 // -1 + 2 ** 126')", "double 0"},
        {"arithmeticError('1.5+999999999999999999999999999999999999999')",
         "string a whole number beyond 127 bits"},
        {"arithmetic('-0')", "double 0"},
        {"arithmetic('-0.0')", "double -0"},
        {"arithmetic('128 // 0.4')", "double 319"},
        {"arithmetic('-7.5 // 2')", "double -4"},
        {"arithmetic('9007199254740993 - 9007199254740992')", "double 1"},
        {"math.isNaN(arithmetic('(-8) ** 0.5'))", "bool true"},
        {"arithmeticError('2 * (340 + 95)')", "string "},
        {"arithmeticError('1 / (2 - 2)')", "string division by zero"},
        {"arithmeticError('1 // 0')", "string integer division or modulo by zero"},
        {"arithmeticError('1.0 // 0 + 1 / 0')", "string float floor division by zero"},
        {"arithmeticError('(1 / 0)(2)')", "string division by zero"},
        {"arithmeticError('5.(2)')", "string 'float' object is not callable"},
        {"arithmeticError('0 ** -1')", "string 0.0 cannot be raised to a negative power"},
        {"arithmeticError('10 ** 400')", "string a whole number beyond 127 bits"},
        {"arithmeticError('5/ /2')", "string not an arithmetic expression"},
        {"arithmeticError(' ')", "string not an arithmetic expression"},
        {"arithmeticError('(1))')", "string not an arithmetic expression"},
        {"arithmetic('')", "range: not an arithmetic expression"},
        {"arithmetic('()')", "range: not an arithmetic expression"},
        {"arithmetic('1 2')", "range: not an arithmetic expression"},
        {"arithmetic('(1')", "range: not an arithmetic expression"},
        {"arithmetic('007')", "range: not an arithmetic expression"},
        {"arithmetic('1 +')", "range: not an arithmetic expression"},
        {"arithmetic('2 * x')", "range: not an arithmetic expression"},
        {"decimal(4.0)", "string 4.0"},
        {"decimal(-0.0)", "string -0.0"},
        {"decimal(15.1)", "string 15.1"},
        {"decimal(0.1 + 0.2)", "string 0.30000000000000004"},
        {"decimal(0.0001)", "string 0.0001"},
        {"decimal(0.00001)", "string 1e-05"},
        {"decimal(1234567890123456.0)", "string 1234567890123456.0"},
        {"decimal(1e16)", "string 1e+16"},
        {"decimal(1.5e-7)", "string 1.5e-07"},
        {"range(3)", "list [0,1,2]"},
        {"range(0)", "list []"},
        {"range(-5)", "list []"},
        {"size('h\xc3\xa9')", "int 2"},
        {"size(b'h\xc3\xa9')", "int 3"},
        {"j.l.size() + size(j.o)", "int 5"},
        {"size(j.i)", "type: no such overload"},
        {"size(j.n)", "type: no such overload"},
    };
    run_evals(cases, LG_COUNT(cases));
}

static void compares(void)
{
    static const eval_case cases[] = {
        {"dyn(1) == 1.0", "bool true"},
        {"dyn(1) == 1u", "bool true"},
        {"dyn(9007199254740993) == 9007199254740992.0", "bool false"},
        {"dyn(9007199254740993) > 9007199254740992.0", "bool true"},
        {"9223372036854775807 == dyn(9223372036854775808.0)", "bool false"},
        {"18446744073709551615u == dyn(18446744073709551616.0)", "bool false"},
        {"-1 < 1u", "bool true"},
        {"-1 == dyn(18446744073709551615u)", "bool false"},
        {"0.5 > 0", "bool true"},
        {"-0.5 < 0", "bool true"},
        {"0.0 == -0.0", "bool true"},
        {"0.0 / 0.0 == 0.0 / 0.0", "bool false"},
        {"0.0 / 0.0 != 0.0 / 0.0", "bool true"},
        {"0.0 / 0.0 < 1.0", "bool false"},
        {"0.0 / 0.0 >= 1", "bool false"},
        {"j.i == '42'", "bool false"},
        {"j.n == 'x'", "bool false"},
        {"j.n != 'x'", "bool true"},
        {"j.n == null", "bool true"},
        {"j.s == null", "bool false"},
        {"j.i == 42", "bool true"},
        {"j.l == [1, 2, 3]", "bool true"},
        {"j.l == [1, 3, 2]", "bool false"},
        {"j.l == [1.0, 2u, 3]", "bool true"},
        {"j.o == {'b': {'c': 2.0}, 'a': 1.0}", "bool true"},
        {"{'b': {'c': 2.0}, 'a': 1.0} == j.o", "bool true"},
        {"j.o == {'a': 1.0}", "bool false"},
        {"dyn({1: 'a'}) == {1u: 'a'}", "bool true"},
        {"j.o == j.l", "bool false"},
        {"'a' < 'b'", "bool true"},
        {"'a' < 'B'", "bool false"},
        {"'a' < 'aa'", "bool true"},
        {"'\xc3\xa9' > 'z'", "bool true"},
        {"b'a' < b'b'", "bool true"},
        {"false < true", "bool true"},
        {"j.i < 'a'", "type: no such overload"},
        {"j.l < j.l", "type: no such overload"},
        {"j.n < j.n", "type: no such overload"},
        {"j.i in j.l", "bool false"},
        {"2 in j.l", "bool true"},
        {"'a' in j.o", "bool true"},
        {"'z' in j.o", "bool false"},
        {"1 in j.o", "bool false"},
        {"j.n in j.o", "bool false"},
        {"'a' in j.s", "type: no such overload"},
        {"'a' in j.n", "type: no such overload"},
        {"j.s in ['x', 'text']", "bool true"},
        {"type(j.i) == double", "bool true"},
        {"type(j.l) == list && type(j.o) == map && type(null) == null_type", "bool true"},
        {"type(type(1)) == type", "bool true"},
    };
    run_evals(cases, LG_COUNT(cases));
}

static void converts(void)
{
    static const eval_case cases[] = {
        {"int('-12')", "int -12"},
        {"int('+12')", "int 12"},
        {"int('12x')", "type: the text is no int"},
        {"int('')", "type: the text is no int"},
        {"int('-')", "type: the text is no int"},
        {"int('9223372036854775808')", "range: conversion out of range"},
        {"int('-9223372036854775808')", "int -9223372036854775808"},
        {"int(j.f)", "int 1"},
        {"int(-1.9)", "int -1"},
        {"int(1e19)", "range: conversion out of range"},
        {"int(0.0/0.0)", "range: conversion out of range"},
        {"uint(-0.5)", "range: conversion out of range"},
        {"uint('12')", "uint 12"},
        {"uint('-1')", "type: the text is no uint"},
        {"uint('18446744073709551616')", "range: conversion out of range"},
        {"double('1.5e3')", "double 1500"},
        {"double('.5')", "double 0.5"},
        {"double('5.')", "double 5"},
        {"double('-Inf')", "double -Inf"},
        {"double('NaN')", "double NaN"},
        {"double('1e400')", "range: conversion out of range"},
        {"double('abc')", "type: the text is no double"},
        {"double('0.e.e.e.e.e')", "type: the text is no double"},
        {"double('.')", "type: the text is no double"},
        {"double('.e5')", "type: the text is no double"},
        {"double('5.e2')", "double 500"},
        {"double('')", "type: the text is no double"},
        {"double('0x10')", "type: the text is no double"},
        {"double('[1]')", "type: the text is no double"},
        {"double(' 1')", "type: the text is no double"},
        {"double(size(j.l))", "double 3"},
        {"string(j.i)", "string 42"},
        {"string(0.1 + 0.2)", "string 0.30000000000000004"},
        {"string(1e21)", "string 1e+21"},
        {"string(123456789.0)", "string 123456789"},
        {"string(0.00001)", "string 1e-05"},
        {"string(5e-324)", "string 5e-324"},
        {"string(1.7976931348623157e308)", "string 1.7976931348623157e+308"},
        {"string(-0.0)", "string -0"},
        {"string(true)", "string true"},
        {"string(b'\\xff')", "type: the bytes are no UTF-8"},
        {"string(j.l)", "type: no such overload"},
        {"string(j.n)", "type: no such overload"},
        {"bytes('\xc3\xa9') == b'\\303\\251'", "bool true"},
        {"bool('TRUE')", "bool true"},
        {"bool('tRue')", "type: the text is no bool"},
        {"string(timestamp('2024-02-29T12:00:00+02:00'))", "string 2024-02-29T10:00:00Z"},
        {"string(duration('90m'))", "string 5400s"},
        {"string(duration('-1.5s'))", "string -1.5s"},
        {"string(duration('-0.5s'))", "string -0.5s"},
    };
    run_evals(cases, LG_COUNT(cases));
}

static void tells_time(void)
{
    static const eval_case cases[] = {
        {"now", "timestamp 2024-05-15T15:00:00.5Z"},
        {"timestamp('2024-05-15')", "type: the text is no RFC 3339 timestamp"},
        {"timestamp('2024-05-15 15:00:00Z')", "type: the text is no RFC 3339 timestamp"},
        {"timestamp('2023-02-29T00:00:00Z')", "type: the text is no RFC 3339 timestamp"},
        {"timestamp(253402300800)", "range: timestamp or duration out of range"},
        {"timestamp(j.i)", "type: no such overload"},
        {"now - duration('24h') < now", "bool true"},
        {"now - now == duration('0s')", "bool true"},
        {"now - timestamp('2024-05-15T14:00:00Z')", "duration 3600.5s"},
        {"duration('1h30m') == duration('90m')", "bool true"},
        {"duration('1.5h').getMinutes()", "int 90"},
        {"duration('100ms').getMilliseconds()", "int 100"},
        {"duration('-100ms').getMilliseconds()", "int -100"},
        {"duration('-90s').getMinutes()", "int -1"},
        {"duration('-1.5s').getSeconds()", "int -1"},
        {"duration('1us') > duration('999ns')", "bool true"},
        {"duration('0')", "duration 0s"},
        {"duration('')", "type: the text is no duration"},
        {"duration('-')", "type: the text is no duration"},
        {"duration('5')", "type: the text is no duration"},
        {"duration('5d')", "type: the text is no duration"},
        {"duration('h')", "type: the text is no duration"},
        {"duration('300y')", "type: the text is no duration"},
        {"duration('9999999999999h')", "range: duration out of range"},
        {"-duration('5s')", "duration -5s"},
        {"now.getFullYear()", "int 2024"},
        {"now.getMonth()", "int 4"},
        {"now.getDate()", "int 15"},
        {"now.getDayOfMonth()", "int 14"},
        {"now.getDayOfWeek()", "int 3"},
        {"now.getDayOfYear()", "int 135"},
        {"now.getHours()", "int 15"},
        {"now.getMilliseconds()", "int 500"},
        {"now.getHours('+09:30')", "int 0"},
        {"now.getDate('+09:30')", "int 16"},
        {"now.getHours('-02:30')", "int 12"},
        {"now.getHours('Nowhere')",
         "1:14: unknown time zone `Nowhere`, or no time zone data in /usr/share/zoneinfo"},
        {"now.getHours('../etc')", "1:14: unknown time zone `../etc`"},
        {"now.getHours(j.s)",
         "type: unknown time zone (a name must be a constant, else an offset)"},
        {"now.getHours(j.i)", "type: no such overload"},
        {"timestamp('0001-01-01T00:00:00Z').getDayOfWeek('-01:00')", "int 0"},
        {"j.s.getHours()", "type: no such overload"},
    };
    run_evals(cases, LG_COUNT(cases));
}

static void searches_texts(void)
{
    static const eval_case cases[] = {
        {"j.s.contains('ex')", "bool true"},
        {"j.s.startsWith('te') && j.s.endsWith('xt')", "bool true"},
        {"j.i.startsWith('te')", "type: no such overload"},
        {"j.s.matches('^t.*t$')", "bool true"},
        {"matches(j.s, 'ex')", "bool true"},
        {"j.i.matches('ex')", "type: no such overload"},
        {"j.s.matches(j.s)", "bool true"},
        {"j.s.matches(j.s + '(')", "type: the pattern is not well formed"},
        {"j.s.matches(j.s + '(?=a)')",
         "type: an operator in a pattern that RE2 does not have (look-around, atomic or "
         "conditional group, recursion)"},
        {"'a\\n'.matches('^a$')", "bool false"},
        {"'a\\n'.matches('^a\\\\s$')", "bool true"},
        {"'\\v'.matches('\\\\s')", "bool false"},
        {"'\\v'.matches('\\\\v')", "bool true"},
        {"'\\n'.matches('\\\\v')", "bool false"},
        {"'\\v'.matches('[\\\\S]')", "bool true"},
        {"'\xd9\xa3'.matches('\\\\d')", "bool false"},
        {"'\xc3\x89'.matches('(?i)\xc3\xa9')", "bool true"},
        {"'a.c'.matches('\\\\Qa.c\\\\E')", "bool true"},
        {"'abc'.matches('\\\\Qa.c\\\\E')", "bool false"},
        {"'S'.matches('\\\\123')", "bool true"},
        {"'ab'.matches('(?P<x>a)(?<y>b)')", "bool true"},
        {"'a]'.matches('[]]') && '['.matches('[[]')", "bool true"},
        {"'a{'.matches('a{')", "bool true"},
        {"'aaa'.matches('^a{2,3}?$')", "bool true"},
        {"'\xce\xb1'.matches('\\\\p{Greek}')", "bool true"},
        {"'a'.matches('[[:alpha:]]')", "bool true"},
    };
    run_evals(cases, LG_COUNT(cases));
}

static void refuses_patterns(void)
{
    static const char *const patterns[] = {
        "(?=a)", "(?!a)",   "(?<=a)",    "(?<!a)", "(a)\\\\1", "\\\\k<a>",   "\\\\g1",
        "a*+",   "a++",     "a?+",       "a{1}+",  "(?>a)",    "(?(1)a|b)",  "(?R)",
        "(?1)",  "(?&x)",   "(?P>x)",    "(?P=x)", "(?#x)",    "(?x)",       "(*UTF8)a",
        "(?|a)", "\\\\K",   "\\\\G",     "\\\\R",  "\\\\X",    "\\\\h",      "\\\\N",
        "\\\\C", "\\\\Z",   "\\\\e",     "a**",    "a{1001}",  "a{1}{2}",    "[[:nope:]]",
        "[a",    "(a",      "a)",        "\\\\",   "[\\\\b]",  "\\\\p{Xan}", "\\\\8",
        "(?C1)", "(?'x'a)", "\\\\o{12}", "\\\\cA", "*a",       "a|*",        "x{2,1}",
    };
    cel_fixture f;
    fixture_init(&f);
    for (size_t i = 0; i < LG_COUNT(patterns); i++) {
        char source[128];
        snprintf(source, sizeof(source), "'a'.matches('%s')", patterns[i]);
        source[sizeof(source) - 1] = '\0';
        // A quote within the pattern would end the literal.
        if (strstr(patterns[i], "'")) {
            snprintf(source, sizeof(source), "'a'.matches(\"%s\")", patterns[i]);
        }
        CHECK_MSG(!fixture_compile(&f, lg_str_c(source)), source);
    }
    fixture_done(&f);
}

static void builds(void)
{
    static const eval_case cases[] = {
        {"[1, 'a', null, [true], {'k': 1.5}]", "list [1,\"a\",null,[true],{\"k\":1.5}]"},
        {"{'a': j.i, 1: 2u, true: null}", "map {\"a\":42,\"1\":2,\"true\":null}"},
        {"{'a': 1, 'a': 2}", "type: repeated key in a map"},
        {"{1: 1, 1u: 2}", "type: repeated key in a map"},
        {"{j.n: 1}", "type: a map key must be a bool, int, uint or string"},
        {"{j.f: 1}", "type: a map key must be a bool, int, uint or string"},
        {"{1: 'a', 2: 'b'}[dyn(2u)]", "string b"},
        {"{'a': 1}['b']", "missing: no such key `b`"},
        {"{1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7, 8: 8, 9: 9, 'x': 10}['x']", "int 10"},
        {"{1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7, 8: 8, 9: 9, 'x': 10}[dyn(7.0)]", "int 7"},
        {"[1, 2][1]", "int 2"},
        {"[j.i, 1][0]", "double 42"},
        {"true ? 1 : 2", "int 1"},
        {"j.t ? j.s : j.x", "string text"},
        {"j.x ? 1 : 2", "missing: no such key `x`"},
        {"j.n ? 1 : 2", "type: no such overload"},
    };
    run_evals(cases, LG_COUNT(cases));
}

static void folds(void)
{
    static const eval_case cases[] = {
        {"j.l.all(x, x > 0.0)", "bool true"},
        {"j.l.exists(x, x == 2.0)", "bool true"},
        {"j.l.exists(x, x == 5.0)", "bool false"},
        {"j.l.exists_one(x, x == 2.0)", "bool true"},
        {"j.l.exists_one(x, x > 1.0)", "bool false"},
        {"j.l.filter(x, x != 2.0)", "list [1,3]"},
        {"j.l.map(x, x * 2.0)", "list [2,4,6]"},
        {"j.l.map(x, x > 1.0, x * 2.0)", "list [4,6]"},
        {"j.e.all(x, x.y)", "bool true"},
        {"j.e.exists(x, x.y)", "bool false"},
        {"j.e.exists_one(x, x.y)", "bool false"},
        {"j.e.map(x, x.y)", "list []"},
        {"j.o.all(k, k in ['a', 'b'])", "bool true"},
        {"j.o.map(k, k)", "list [\"a\",\"b\"]"},
        {"j.o.filter(k, k == 'b')", "list [\"b\"]"},
        {"j.eo.exists(k, true)", "bool false"},
        {"{1: 'a', 2: 'b'}.map(k, k)", "list [1,2]"},
        {"j.l.exists(x, j.l.exists(y, x + y == 6.0))", "bool true"},
        {"j.l.map(x, j.l.map(y, y > x, y))", "list [[2,3],[3],[]]"},
        {"j.l.map(x, j.l.filter(x, x > 2.0))", "list [[3],[3],[3]]"},
        {"j.l.all(x, x)", "type: no such overload"},
        {"j.l.filter(x, x)", "type: no such overload"},
        {"j.i.all(x, true)", "type: no such overload"},
        {"j.n.exists(x, true)", "type: no such overload"},
        {"j.x.exists(x, true)", "missing: no such key `x`"},
        {"range(3).map(i, j.l[i])", "list [1,2,3]"},
        {"j.l.map(x, string(x)).exists(s, s == '2')", "bool true"},
        {"[[1, 2], [3]].map(l, l.map(x, x * 2))", "list [[2,4],[6]]"},
    };
    run_evals(cases, LG_COUNT(cases));
}

static void makes_json(void)
{
    static const struct {
        const char *source;
        const char *want; // NULL: JSON cannot hold it
    } cases[] = {
        {"j.o", "{\"a\":1,\"b\":{\"c\":2}}"},
        {"{1: [true, null, 2u, 1.5], 'b': b'hi!?'}",
         "{\"1\":[true,null,2,1.5],\"b\":\"aGkhPw==\"}"},
        {"[now, duration('1m')]", "[\"2024-05-15T15:00:00.5Z\",\"60s\"]"},
        {"18446744073709551615u", "18446744073709551615"},
        {"[1.0 / 0.0]", NULL},
        {"int", NULL},
        {"1 / 0", NULL},
    };
    cel_fixture f;
    fixture_init(&f);
    declare_json(&f);
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        const lg_cel_program *program = fixture_compile(&f, lg_str_c(cases[i].source));
        const lg_json *json = program ? lg_cel_to_json(&f.arena, fixture_eval(&f, program)) : NULL;
        lg_test_name = cases[i].source;
        CHECK((json != NULL) == (cases[i].want != NULL));
        if (json && cases[i].want) {
            lg_buf_clear(&f.text);
            lg_json_print(&f.text, json);
            CHECK_STR(lg_buf_str(&f.text), cases[i].want);
        }
    }
    fixture_done(&f);
}

int main(void)
{
    RUN(reads_json);
    RUN(computes);
    RUN(compares);
    RUN(converts);
    RUN(tells_time);
    RUN(searches_texts);
    RUN(refuses_patterns);
    RUN(builds);
    RUN(folds);
    RUN(makes_json);
    return lg_test_done();
}
