// The extension libraries, and the table of functions itself.
#include "cel_fixture.h"

#include "cel/cel_internal.h"

typedef struct library_case {
    const char *source;
    const char *want;
} library_case;

static void run_cases(const library_case *cases, size_t count)
{
    cel_fixture f;
    fixture_init(&f);
    const lg_cel_type *dyn = lg_cel_type_of_kind(LG_CEL_DYN);
    fixture_declare(&f, "j", dyn,
                    fixture_json(&f, "{\"s\":\"a b\",\"l\":[3,1,2],\"o\":{\"k\":\"v\"},\"n\":null,"
                                     "\"d\":2.5}"));
    for (size_t i = 0; i < count; i++) {
        lg_test_name = cases[i].source;
        CHECK_STR(fixture_run(&f, cases[i].source), cases[i].want);
    }
    fixture_done(&f);
}

// The table is searched by halves.
static void the_table_is_in_order(void)
{
    const lg_cel_function *before = NULL;
    const lg_cel_function *function;
    size_t count = 0;
    for (; (function = lg_cel_function_at(count)); before = function, count++) {
        CHECK_MSG(!before || strcmp(before->name, function->name) < 0, function->name);
        CHECK_MSG(lg_cel_function_find(lg_str_c(function->name)) == function, function->name);
        CHECK_MSG(function->overload_count > 0, function->name);
    }
    CHECK(count > 80);
    CHECK(!lg_cel_function_find(LG_STR("")));
    CHECK(!lg_cel_function_find(LG_STR("zzz")));
}

// Types are advice only: every function must bear operands of every kind, and any number of them
// that one of its overloads has.
static void no_function_trusts_its_operands(void)
{
    static const lg_cel_opaque address = {.type = &lg_cel_t_ip, .family = 4};
    static const lg_cel_value inner = {.kind = LG_CEL_INT, .as.i64 = 1};
    static const lg_cel_list no_items = {.items = &inner, .count = 1};
    lg_arena kept;
    lg_arena arena;
    lg_arena_init(&kept, 0);
    lg_arena_init(&arena, 0);
    lg_cel_value map = lg_cel_make_map(&kept, NULL, 0);
    const lg_cel_value kinds[] = {
        lg_cel_make_null(),
        lg_cel_make_bool(true),
        lg_cel_make_int(-3),
        lg_cel_make_int(INT64_MAX),
        lg_cel_make_uint(7),
        lg_cel_make_double(1.5),
        lg_cel_make_str(LG_STR("a%s")),
        lg_cel_make_bytes(LG_STR("\xff")),
        lg_cel_make_timestamp(0, 0),
        lg_cel_make_duration(-1, 5),
        {.kind = LG_CEL_LIST, .as.list = &no_items},
        map,
        {.kind = LG_CEL_TYPE, .as.type = &lg_cel_t_int},
        {.kind = LG_CEL_OPTIONAL},
        {.kind = LG_CEL_OPTIONAL, .as.optional = &inner},
        {.kind = LG_CEL_OPAQUE, .as.opaque = &address},
    };
    const lg_cel_function *function;
    for (size_t i = 0; (function = lg_cel_function_at(i)); i++) {
        for (size_t o = 0; o < function->overload_count; o++) {
            uint32_t count = function->overloads[o].arg_count;
            uint32_t combinations =
                count == 0 ? 1 : LG_COUNT(kinds) * (count > 1 ? LG_COUNT(kinds) : 1);
            for (uint32_t c = 0; c < combinations; c++) {
                lg_cel_vm vm = {.scratch = &arena, .budget = 100000, .regex_steps = 100};
                lg_cel_value args[5];
                for (uint32_t k = 0; k < 5; k++) {
                    args[k] = kinds[(k % 2 ? c / LG_COUNT(kinds) : c) % LG_COUNT(kinds)];
                }
                lg_cel_value value = function->native(&vm, args, count);
                CHECK_MSG(value.kind != LG_CEL_DYN && value.kind < LG_CEL_PARAM, function->name);
            }
        }
        lg_arena_reset(&arena);
    }
    lg_arena_done(&kept);
    lg_arena_done(&arena);
}

static void strings(void)
{
    static const library_case cases[] = {
        {"'h\xc3\xa9llo'.charAt(1)", "string \xc3\xa9"},
        {"'abc'.charAt(3)", "string "},
        {"'abc'.charAt(4)", "range: position outside of the text"},
        {"'abc'.charAt(-1)", "range: position outside of the text"},
        {"j.n.charAt(0)", "type: no such overload"},
        {"'h\xc3\xa9llo'.indexOf('l')", "int 2"},
        {"'abcabc'.indexOf('c', 3)", "int 5"},
        {"'abc'.indexOf('x')", "int -1"},
        {"'abc'.indexOf('a', 9)", "range: position outside of the text"},
        {"'abcabc'.lastIndexOf('bc')", "int 4"},
        {"'abcabc'.lastIndexOf('bc', 3)", "int 1"},
        {"'abc'.lastIndexOf('')", "int 3"},
        {"'h\xc3\xa9llo'.substring(1, 3)", "string \xc3\xa9l"},
        {"'abc'.substring(2, 1)", "range: position outside of the text"},
        {"'aBc\xc3\x89'.lowerAscii()", "string abc\xc3\x89"},
        {"'aBc\xc3\xa9'.upperAscii()", "string ABC\xc3\xa9"},
        {"'\\u2003 a b \\n'.trim()", "string a b"},
        {"'   '.trim()", "string "},
        {"'a\xc3\xa9z'.reverse()", "string z\xc3\xa9"
                                   "a"},
        {"'abab'.replace('b', 'xy')", "string axyaxy"},
        {"'abab'.replace('b', 'xy', 1)", "string axyab"},
        {"'abab'.replace('b', 'xy', 0)", "string abab"},
        {"'ab'.replace('', '-')", "string -a-b-"},
        {"''.replace('', '-')", "string -"},
        {"'a,b,,c'.split(',')", "list [\"a\",\"b\",\"\",\"c\"]"},
        {"'a,b,c'.split(',', 2)", "list [\"a\",\"b,c\"]"},
        {"'a,b'.split(',', 0)", "list []"},
        {"'a\xc3\xa9'.split('')", "list [\"a\",\"\xc3\xa9\"]"},
        {"''.split('')", "list []"},
        {"''.split(',')", "list [\"\"]"},
        {"'a,'.split(',')", "list [\"a\",\"\"]"},
        {"['a', 'b'].join('-')", "string a-b"},
        {"[].join()", "string "},
        {"j.l.join(',')", "type: no such overload"},
        {"strings.quote('a\"b\\n')", "string \"a\\\"b\\n\""},
    };
    run_cases(cases, LG_COUNT(cases));
}

static void formats(void)
{
    static const library_case cases[] = {
        {"'%s and %d, 100%%'.format(['a', 5])", "string a and 5, 100%"},
        {"'%d'.format([j.l[0]])", "string 3"},
        {"'%d'.format([j.d])", "type: %d of what is no whole number"},
        {"'%d'.format([-9223372036854775808])", "string -9223372036854775808"},
        {"'%s'.format([j.d])", "string 2.5"},
        {"'%s'.format([j.o])", "string {k: v}"},
        {"'%s'.format([{'b': [1, null], 'a': true}])", "string {a: true, b: [1, null]}"},
        {"'%.2f'.format([2.675])", "string 2.67"},
        {"'%.0f'.format([2.5])", "string 2"},
        {"'%f'.format([1])", "string 1.000000"},
        {"'%.1e'.format([1234.5])", "string 1.2e+03"},
        {"'%f'.format([-1.0 / 0.0])", "string -Infinity"},
        {"'%.100f'.format([1.7976931348623157e308]).size()", "int 410"},
        {"'%.101f'.format([1.0])", "type: a precision in a format is larger than 100"},
        {"'%b %o %x %X'.format([5, 8, 255, 255u])", "string 101 10 ff FF"},
        {"'%x'.format([-255])", "string -ff"},
        {"'%x'.format(['hi'])", "string 6869"},
        {"'%b'.format([true])", "string 1"},
        {"'%b'.format(['a'])", "type: %b of what is neither an integer nor a bool"},
        {"'%o'.format([1.5])", "type: %o of what is no integer"},
        {"'%x'.format([1.5])", "type: %x of what is no integer, string or bytes"},
        {"'%f'.format(['a'])", "type: %f or %e of what is no number"},
        {"'%q'.format([1])", "type: unknown clause in a format"},
        {"'%'.format([1])", "type: unfinished clause in a format"},
        {"'%.3'.format([1])", "type: unfinished clause in a format"},
        {"'%s %s'.format([1])", "type: more clauses in a format than values"},
        {"'%s'.format([b'\\xff'])", "type: the bytes are no UTF-8"},
    };
    run_cases(cases, LG_COUNT(cases));
}

static void lists(void)
{
    static const library_case cases[] = {
        {"j.l.sort()", "list [1,2,3]"},
        {"['b', 'a', 'c'].sort()", "list [\"a\",\"b\",\"c\"]"},
        {"[1, 'a'].sort()", "type: no such overload"},
        {"[null].sort()", "type: no such overload"},
        {"[].sort()", "list []"},
        {"range(10).map(i, (i * 7) % 10).sort()", "list [0,1,2,3,4,5,6,7,8,9]"},
        {"['bb', 'a', 'cc', 'd'].sortBy(s, size(s))", "list [\"a\",\"d\",\"bb\",\"cc\"]"},
        {"[[2, 'x'], [1, 'y']].sortBy(p, p[0]).map(p, p[1])", "list [\"y\",\"x\"]"},
        {"j.l.sortBy(x, -x).sortBy(x, x)[0]", "double 1"},
        {"j.l.sortBy(x, x.y)", "type: no such overload"},
        {"[1, 2, 1, 3, 2].distinct()", "list [1,2,3]"},
        {"[1, dyn(1.0), 1u].distinct()", "list [1]"},
        {"[[1], [2, [3]]].flatten()", "list [1,2,[3]]"},
        {"[[1], [2, [3]]].flatten(2)", "list [1,2,3]"},
        {"[[1]].flatten(0)", "list [[1]]"},
        {"[[1]].flatten(-1)", "range: flatten() wants a depth from 0 to 100"},
        {"[1, 2, 3, 4].slice(1, 3)", "list [2,3]"},
        {"[1, 2].slice(0, 3)", "range: slice outside of the list"},
        {"[1, 2].slice(2, 1)", "range: slice outside of the list"},
        {"j.l.reverse()", "list [2,1,3]"},
        {"[].reverse()", "list []"},
        {"lists.range(3)", "list [0,1,2]"},
        {"j.l.first().value() + j.l.last().value()", "double 5"},
        {"[].first().hasValue()", "bool false"},
    };
    run_cases(cases, LG_COUNT(cases));
}

static void numbers(void)
{
    static const library_case cases[] = {
        {"math.greatest(1, 5, 3)", "int 5"},
        {"math.greatest(1, 5.5, 3u)", "double 5.5"},
        {"math.least([3, 1, 2])", "int 1"},
        {"math.least(j.l)", "double 1"},
        {"math.greatest([])", "range: no extreme of an empty list"},
        {"math.greatest('a')", "type: no such overload"},
        {"math.ceil(1.2) + math.floor(1.8)", "double 3"},
        {"math.round(-1.5)", "double -2"},
        {"math.trunc(-1.7)", "double -1"},
        {"math.isNaN(0.0 / 0.0) && math.isInf(1.0 / 0.0) && math.isFinite(1.0)", "bool true"},
        {"math.abs(-5)", "int 5"},
        {"math.abs(-9223372036854775808)", "range: integer overflow"},
        {"math.sign(-2.5)", "double -1"},
        {"math.sqrt(81)", "double 9"},
        {"math.bitAnd(6, 3)", "int 2"},
        {"math.bitOr(6u, 3u)", "uint 7"},
        {"math.bitXor(6, 3)", "int 5"},
        {"math.bitNot(0)", "int -1"},
        {"math.bitShiftLeft(1, 4)", "int 16"},
        {"math.bitShiftRight(-1, 60)", "int 15"},
        {"math.bitShiftLeft(1, 64)", "int 0"},
        {"math.bitShiftLeft(1, -1)", "range: a shift by less than zero"},
        {"math.nope(1)", "1:6: unknown function `nope`"},
    };
    run_cases(cases, LG_COUNT(cases));
}

static void optionals(void)
{
    static const library_case cases[] = {
        {"optional.of(1)", "optional_type optional.of(1)"},
        {"optional.none()", "optional_type optional.none()"},
        {"optional.of(1).value()", "int 1"},
        {"optional.none().value()", "range: the optional has no value"},
        {"optional.ofNonZeroValue('').hasValue()", "bool false"},
        {"optional.ofNonZeroValue(0.0).hasValue()", "bool false"},
        {"j.?s.orValue('x')", "string a b"},
        {"j.?zz.orValue('x')", "string x"},
        {"j.?zz.yy.?xx.orValue('x')", "string x"},
        {"j.?o.k.value()", "string v"},
        {"j.?o.zz.hasValue()", "bool false"},
        {"j[?'s'].hasValue()", "bool true"},
        {"j.l[?9].hasValue()", "bool false"},
        {"j.l[?9].orValue(0.0) + j.l[?0].orValue(0.0)", "double 3"},
        {"j.n.?x.hasValue()", "type: no such overload"},
        {"optional.of(1).orValue(1 / 0)", "int 1"},
        {"optional.none().orValue(1 / 0)", "range: division by zero"},
        {"optional.of(1).or(optional.of(2)).value()", "int 1"},
        {"optional.none().or(optional.of(2)).value()", "int 2"},
        {"j.s.orValue(1)", "type: no such overload"},
        {"optional.of(2).optMap(x, x * 3).value()", "int 6"},
        {"optional.none().optMap(x, x * 3).hasValue()", "bool false"},
        {"optional.of(2).optMap(x, x / 0)", "range: division by zero"},
        {"optional.of(j.o).optFlatMap(m, m.?k).value()", "string v"},
        {"j.zz.optMap(x, x)", "missing: no such key `zz`"},
        {"j.s.optMap(x, x)", "type: no such overload"},
        {"[?j.?s, ?j.?zz, 1]", "list [\"a b\",1]"},
        {"{?'a': j.?s, ?'b': j.?zz}", "map {\"a\":\"a b\"}"},
        {"[?1]", "1:3: an item marked `?` must be optional, not int"},
        {"{?'a': 1}", "1:8: an item marked `?` must be optional, not int"},
        {"has(j.?o.k) && !has(j.?zz.k)", "bool true"},
        {"optional.unwrap([optional.of(1), optional.none(), optional.of(2)])", "list [1,2]"},
        {"[optional.of(1), optional.none()].unwrapOpt()", "list [1]"},
        {"type(optional.none()) == optional_type", "bool true"},
        {"optional.of(1) == optional.of(1) && optional.of(1) != optional.none()", "bool true"},
    };
    run_cases(cases, LG_COUNT(cases));
}

static void macros(void)
{
    static const library_case cases[] = {
        {"j.l.all(i, x, x > double(i) - 2.0)", "bool true"},
        {"j.l.exists(i, x, i == 2 && x == 2.0)", "bool true"},
        {"j.l.existsOne(i, x, x > 1.0 && i > 0)", "bool true"},
        {"j.o.exists(k, v, k == 'k' && v == 'v')", "bool true"},
        {"j.l.transformList(i, x, x * 10.0 + double(i))", "list [30,11,22]"},
        {"j.l.transformList(i, x, i > 0, x)", "list [1,2]"},
        {"j.o.transformMap(k, v, k + v)", "map {\"k\":\"kv\"}"},
        {"j.o.transformMap(k, v, k == 'z', v)", "map {}"},
        {"j.l.transformMap(i, x, x)", "map {\"0\":3,\"1\":1,\"2\":2}"},
        {"j.l.transformMapEntry(i, x, {string(x): i})", "map {\"3\":0,\"1\":1,\"2\":2}"},
        {"j.l.transformMapEntry(i, x, {'same': i})", "type: repeated key in a map"},
        {"j.l.transformMapEntry(i, x, x.y)", "type: no such overload"},
        {"j.l.all(x, x, true)", "1:12: the two variables of a macro need different names"},
        {"cel.bind(x, j.l[0], x + x)", "double 6"},
        {"cel.bind(x, j.zz, true)", "bool true"},
        {"cel.bind(x, j.zz, x)", "missing: no such key `zz`"},
        {"cel.bind(x, 1, cel.bind(x, x + 1, x * 10))", "int 20"},
        {"[1, 2].map(y, cel.bind(x, y, [x, x]))", "list [[1,1],[2,2]]"},
        {"cel.block([1, cel.index(0) + 1], cel.index(1) * 10)", "int 20"},
        {"cel.block(1, 2)", "1:11: cel.block() wants a list of expressions"},
        {"cel.index('a')", "1:11: cel.index() wants a number"},
        {"cel.index(0)", "1:5: unknown name `@index:0:0`"},
    };
    run_cases(cases, LG_COUNT(cases));
}

static void encodes(void)
{
    static const library_case cases[] = {
        {"base64.encode(b'hi!?')", "string aGkhPw=="},
        {"base64.decode('aGkhPw==') == b'hi!?'", "bool true"},
        {"base64.decode('aGkhPw') == b'hi!?'", "bool true"},
        {"base64.decode('')  == b''", "bool true"},
        {"base64.decode('a')", "type: the text is no base64"},
        {"base64.decode('aGkhPx==')", "type: the text is no base64"},
        {"base64.decode('aGkhPw=')", "type: the text is no base64"},
        {"base64.decode('aG k')", "type: the text is no base64"},
        {"base64.decode('===')", "type: the text is no base64"},
    };
    run_cases(cases, LG_COUNT(cases));
}

static void networks(void)
{
    static const library_case cases[] = {
        {"string(ip('10.0.0.1'))", "string 10.0.0.1"},
        {"string(ip('2001:DB8:0:0:1:0:0:1'))", "string 2001:db8::1:0:0:1"},
        {"string(ip('::'))", "string ::"},
        {"string(ip('1::'))", "string 1::"},
        {"string(ip('::ffff:c0a8:1'))", "string 192.168.0.1"},
        {"ip('1:2:3:4:5:6:7:8:9')", "type: the text is no IP address or CIDR block"},
        {"ip('1:2:3:4:5:6:7')", "type: the text is no IP address or CIDR block"},
        {"ip('1::2::3')", "type: the text is no IP address or CIDR block"},
        {"ip(':::')", "type: the text is no IP address or CIDR block"},
        {"ip('12345::')", "type: the text is no IP address or CIDR block"},
        {"ip('1.2.3')", "type: the text is no IP address or CIDR block"},
        {"ip('01.2.3.4')", "type: the text is no IP address or CIDR block"},
        {"ip('1.2.3.256')", "type: the text is no IP address or CIDR block"},
        {"isIP('::1') && !isIP('') && !isIP('::ffff:1.2.3.4')", "bool true"},
        {"ip('10.0.0.1') == ip('10.0.0.1')", "bool true"},
        {"cidr('10.0.0.0/8').containsIP('10.255.0.1')", "bool true"},
        {"cidr('10.0.0.0/8').containsIP('11.0.0.0')", "bool false"},
        {"cidr('0.0.0.0/0').containsIP('11.0.0.0')", "bool true"},
        {"cidr('10.0.0.0/9').containsCIDR('10.64.0.0/10')", "bool true"},
        {"cidr('10.0.0.0/9').containsCIDR('10.0.0.0/8')", "bool false"},
        {"string(cidr('10.1.2.3/9').masked())", "string 10.0.0.0/9"},
        {"cidr('10.0.0.0/33')", "type: the text is no IP address or CIDR block"},
        {"cidr('10.0.0.0')", "type: the text is no IP address or CIDR block"},
        {"isCIDR('::/128') && !isCIDR('::/129')", "bool true"},
        {"ip('127.0.0.1').isLoopback() && ip('::').isUnspecified()", "bool true"},
        {"[string(ip('10.0.0.1')), 1]", "list [\"10.0.0.1\",1]"},
        {"[ip('10.0.0.1')]", "list [10.0.0.1]"},
    };
    run_cases(cases, LG_COUNT(cases));
}

int main(void)
{
    RUN(the_table_is_in_order);
    RUN(no_function_trusts_its_operands);
    RUN(strings);
    RUN(formats);
    RUN(lists);
    RUN(numbers);
    RUN(optionals);
    RUN(macros);
    RUN(encodes);
    RUN(networks);
    return lg_test_done();
}
