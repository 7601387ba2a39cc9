// Lexer, parser and checker: what an expression's type is, or the first error with its place.
#include "cel_fixture.h"

typedef struct check_case {
    const char *source;
    const char *type;  // as printed, or
    const char *error; // "line:column: message"
} check_case;

static const lg_cel_type *of(lg_cel_kind kind)
{
    return lg_cel_type_of_kind(kind);
}

// order: Order, maybe: string or null, m: map(string, dyn), ids: list(string), n: double, d: dyn
static void declare_typed(cel_fixture *f)
{
    static lg_cel_field item_fields[2];
    static lg_cel_type item = {.kind = LG_CEL_OBJECT};
    static lg_cel_field order_fields[4];
    static lg_cel_type order = {.kind = LG_CEL_OBJECT};
    item.name = LG_STR("Item");
    item.fields = item_fields;
    item.field_count = 2;
    item_fields[0] = (lg_cel_field){.name = LG_STR("price"), .type = of(LG_CEL_DOUBLE)};
    item_fields[1] = (lg_cel_field){.name = LG_STR("name"), .type = of(LG_CEL_STRING)};
    order.name = LG_STR("Order");
    order.fields = order_fields;
    order.field_count = 4;
    order_fields[0] = (lg_cel_field){.name = LG_STR("status"), .type = of(LG_CEL_STRING)};
    order_fields[1] = (lg_cel_field){.name = LG_STR("total"), .type = of(LG_CEL_DOUBLE)};
    order_fields[2] =
        (lg_cel_field){.name = LG_STR("items"), .type = lg_cel_type_list(&f->arena, &item)};
    order_fields[3] = (lg_cel_field){.name = LG_STR("closed"),
                                     .type = lg_cel_type_nullable(&f->arena, of(LG_CEL_STRING))};
    fixture_declare(f, "order", &order, fixture_json(f, "{}"));
    fixture_declare(f, "maybe", lg_cel_type_nullable(&f->arena, of(LG_CEL_STRING)),
                    lg_cel_make_null());
    fixture_declare(f, "m", lg_cel_type_map(&f->arena, of(LG_CEL_STRING), of(LG_CEL_DYN)),
                    fixture_json(f, "{}"));
    fixture_declare(f, "ids", lg_cel_type_list(&f->arena, of(LG_CEL_STRING)),
                    fixture_json(f, "[]"));
    fixture_declare(f, "n", of(LG_CEL_DOUBLE), lg_cel_make_double(1));
    fixture_declare(f, "d", of(LG_CEL_DYN), lg_cel_make_null());
    fixture_declare(f, "now", of(LG_CEL_TIMESTAMP), lg_cel_make_timestamp(0, 0));
}

static void run_checks(const check_case *cases, size_t count)
{
    cel_fixture f;
    fixture_init(&f);
    declare_typed(&f);
    for (size_t i = 0; i < count; i++) {
        const lg_cel_program *program = fixture_compile(&f, lg_str_c(cases[i].source));
        lg_test_name = cases[i].source;
        if (cases[i].error) {
            CHECK_STR(lg_buf_str(&f.text), cases[i].error);
        } else {
            if (program) {
                lg_cel_type_print(&f.text, lg_cel_program_type(program));
            }
            CHECK_STR(lg_buf_str(&f.text), cases[i].type);
        }
    }
    fixture_done(&f);
}

static void lexes(void)
{
    static const check_case cases[] = {
        {"", NULL, "1:1: unexpected end of expression, wanted an expression"},
        {"   // nothing", NULL, "1:14: unexpected end of expression, wanted an expression"},
        {"// a comment\n 1", "int", NULL},
        {"'abc", NULL, "1:1: string literal without an end"},
        {"'a\nb'", NULL, "1:1: string literal without an end"},
        {"'''a\nb'''", "string", NULL},
        {"'a\\qb'", NULL, "1:3: invalid escape sequence"},
        {"'\\u12'", NULL, "1:2: invalid escape sequence"},
        {"'\\ud800'", NULL, "1:2: invalid escape sequence"},
        {"'\\U00110000'", NULL, "1:2: invalid escape sequence"},
        {"b'\\u0041'", NULL, "1:3: invalid escape sequence"},
        {"'\\400'", NULL, "1:2: invalid escape sequence"},
        {"r'\\q'", "string", NULL},
        {"rb'\\q'", "bytes", NULL},
        {"Br'\\q'", "bytes", NULL},
        {"9223372036854775807", "int", NULL},
        {"-9223372036854775808", "int", NULL},
        {"9223372036854775808", NULL, "1:1: integer literal out of range"},
        {"-9223372036854775809", NULL, "1:2: integer literal out of range"},
        {"18446744073709551615u", "uint", NULL},
        {"18446744073709551616u", NULL, "1:1: integer literal out of range"},
        {"0xffffffffffffffffu", "uint", NULL},
        {"0x", NULL, "1:1: `0x` needs a hexadecimal digit"},
        {"0x1ffffffffffffffffu", NULL, "1:1: integer literal out of range"},
        {"1.5e3", "double", NULL},
        {".5", "double", NULL},
        {"1e400", NULL, "1:1: floating-point literal out of range"},
        {"007.5", "double", NULL},
        {"12abc", NULL, "1:1: a number runs into a name"},
        {"1.5x", NULL, "1:1: a number runs into a name"},
        {"#", NULL, "1:1: unexpected character `#`"},
        {"1 + \xc3\xa9", NULL, "1:5: unexpected character `\xc3\xa9`"},
        {"'\xff'", NULL, "1:2: the expression is not valid UTF-8"},
        {"'\xc3\xa9' + #", NULL, "1:7: unexpected character `#`"},
        {"1 +\n  #", NULL, "2:3: unexpected character `#`"},
        {"m.`a b`", "dyn", NULL},
        {"m.`a(b`", NULL, "1:3: a quoted name is made of letters, digits, blanks and `_.-/`"},
        {"m.``", NULL, "1:3: a quoted name is made of letters, digits, blanks and `_.-/`"},
    };
    run_checks(cases, LG_COUNT(cases));
}

static void parses(void)
{
    static const check_case cases[] = {
        {"1 +", NULL, "1:4: unexpected end of expression, wanted an expression"},
        {"1 2", NULL, "1:3: unexpected `2`, wanted an operator or the end of the expression"},
        {"(1", NULL, "1:3: unexpected end of expression, wanted `)`"},
        {"[1, 2", NULL, "1:6: unexpected end of expression, wanted `,` or `]`"},
        {"[1, 2,]", "list(int)", NULL},
        {"[,]", NULL, "1:2: unexpected `,`, wanted an expression"},
        {"{'a': 1,}", "map(string, int)", NULL},
        {"{'a' 1}", NULL, "1:6: unexpected `1`, wanted `:`"},
        {"{'a': 1 'b': 2}", NULL, "1:9: unexpected `'b'`, wanted `,` or `}`"},
        {"size(1,)", NULL, "1:8: unexpected `)`, wanted an argument"},
        {"true ? 1", NULL, "1:9: unexpected end of expression, wanted `:`"},
        {"m.", NULL, "1:3: unexpected end of expression, wanted the name of a field or function"},
        {"m.5", NULL, "1:2: unexpected `.5`, wanted an operator or the end of the expression"},
        {"m[1", NULL, "1:4: unexpected end of expression, wanted `]`"},
        {"for", NULL, "1:1: `for` is a reserved word"},
        {"while + 1", NULL, "1:1: `while` is a reserved word"},
        {"m.for", "dyn", NULL},
        {"m.in", NULL, "1:3: unexpected `in`, wanted the name of a field or function"},
        {"T{a: 1}", NULL, "1:2: message literals are not supported; write a map"},
        {"1 = 2", NULL, "1:3: unexpected character `=`"},
        {"a & b", NULL, "1:3: unexpected character `&`"},
        {"-1 + 2", "int", NULL},
        {"- n", "double", NULL},
        {"!!true", "bool", NULL},
        {"true || false && true ? 1 : 2", "int", NULL},
        {"ids.all(1, true)", NULL, "1:9: a macro's variable must be a plain name"},
        {"ids.all(m.x, true)", NULL, "1:9: a macro's variable must be a plain name"},
        {"ids.all((x), true)", NULL, "1:10: a macro's variable must be a plain name"},
        {"has(m)", NULL, "1:5: has() wants the selection of a field, such as has(a.b)"},
        {"has(m['a'])", NULL, "1:5: has() wants the selection of a field, such as has(a.b)"},
        {"has((m.a))", NULL, "1:6: has() wants the selection of a field, such as has(a.b)"},
        {"ids.all(x)", NULL, "1:5: wrong number of arguments for the macro `all`"},
    };
    run_checks(cases, LG_COUNT(cases));
}

static void checks_names(void)
{
    static const check_case cases[] = {
        {"order.statuz", NULL, "1:7: unknown field `statuz` of Order; did you mean `status`?"},
        {"order.wholly_different", NULL, "1:7: unknown field `wholly_different` of Order"},
        {"order['statuz']", NULL, "1:7: unknown field `statuz` of Order; did you mean `status`?"},
        {"order['status']", "string", NULL},
        {"order[maybe]", "dyn", NULL},
        {"ordre.status", NULL, "1:1: unknown name `ordre`; did you mean `order`?"},
        {"nothing_like_it", NULL, "1:1: unknown name `nothing_like_it`"},
        {"siz(ids)", NULL, "1:1: unknown function `siz`; did you mean `size`?"},
        {"ids.exits(x, true)", NULL, "1:5: unknown function `exits`; did you mean `exists`?"},
        {"frobnicate(1)", NULL, "1:1: unknown function `frobnicate`"},
        {"order.items.exists(i, i.prise > 5.0)", NULL,
         "1:25: unknown field `prise` of Item; did you mean `price`?"},
        {"ids.exists(x, y == 'a')", NULL, "1:15: unknown name `y`"},
        {"ids.exists(order, order == 'a')", "bool", NULL},
        {"order.items.map(i, i.name)", "list(string)", NULL},
        {"order.items[0].price", "double", NULL},
        {"order.status.length", NULL, "1:14: a value of type string has no field `length`"},
        {"ids.x", NULL, "1:5: a value of type list(string) has no field `x`"},
        {"m.a.b.c", "dyn", NULL},
        {"m.a.b[0]['c']", "dyn", NULL},
        {"has(order.statuz)", NULL,
         "1:11: unknown field `statuz` of Order; did you mean `status`?"},
        {"has(order.status)", "bool", NULL},
        {"int", "type", NULL},
        {"type(1) == int", "bool", NULL},
        {"google.protobuf.Timestamp", "type", NULL},
        {"google.protobuf.Timestam", NULL, "1:1: unknown name `google`"},
    };
    run_checks(cases, LG_COUNT(cases));
}

static void checks_operators(void)
{
    static const check_case cases[] = {
        {"1 + 2", "int", NULL},
        {"1 + 'a'", NULL, "1:3: no overload of `+` for (int, string)"},
        {"1 + 1.0", NULL,
         "1:3: no overload of `+` for (int, double): numbers of JSON are doubles, so write 10.0 "
         "for 10, or double(n)"},
        {"1 == 1.0", NULL,
         "1:3: no overload of `==` for (int, double): numbers of JSON are doubles, so write 10.0 "
         "for 10, or double(n)"},
        {"1 < 1.0", "bool", NULL},
        {"1u >= 1", "bool", NULL},
        {"'a' < 1", NULL, "1:5: no overload of `<` for (string, int)"},
        {"5.0 % 2.0", NULL, "1:5: no overload of `%` for (double, double)"},
        {"order.status == null", NULL, "1:14: no overload of `==` for (string, null_type)"},
        {"order.closed == null", "bool", NULL},
        {"order.closed == 'x'", "bool", NULL},
        {"order.closed + 'x'", "string", NULL},
        {"order.closed == 5", NULL, "1:14: no overload of `==` for (string or null, int)"},
        {"d == null", "bool", NULL},
        {"null == d", "bool", NULL},
        {"order == null", "bool", NULL},
        {"now == null", "bool", NULL},
        {"order == m", "bool", NULL},
        {"order == ids", NULL, "1:7: no overload of `==` for (Order, list(string))"},
        {"now - duration('1h')", "timestamp", NULL},
        {"now - now", "duration", NULL},
        {"now + now", NULL, "1:5: no overload of `+` for (timestamp, timestamp)"},
        {"now > 5", NULL, "1:5: no overload of `>` for (timestamp, int)"},
        {"true && 1", NULL, "1:9: no overload of `&&` for (bool, int)"},
        {"'a' || true", NULL, "1:1: no overload of `||` for (string, bool)"},
        {"true && true && n", NULL, "1:17: no overload of `&&` for (bool, double)"},
        {"!n", NULL, "1:1: no overload of `!` for (double)"},
        {"-'a'", NULL, "1:1: no overload of `-` for (string)"},
        {"-1u", NULL, "1:1: no overload of `-` for (uint)"},
        {"1 ? 2 : 3", NULL, "1:3: no overload of `?:` for (int, int, int)"},
        {"true ? 2 : 'a'", NULL, "1:6: no overload of `?:` for (bool, int, string)"},
        {"true ? 'a' : null", "string or null", NULL},
        {"true ? d : 'a'", "dyn", NULL},
        {"'a' in ids", "bool", NULL},
        {"1 in ids", NULL, "1:3: no overload of `in` for (int, list(string))"},
        {"'a' in m", "bool", NULL},
        {"'a' in order", "bool", NULL},
        {"1 in m", NULL, "1:3: no overload of `in` for (int, map(string, dyn))"},
        {"'a' in 5", NULL, "1:5: no overload of `in` for (string, int)"},
        {"ids['a']", NULL, "1:4: no overload of `[]` for (list(string), string)"},
        {"m[1]", NULL, "1:2: no overload of `[]` for (map(string, dyn), int)"},
        {"n[1]", NULL, "1:2: no overload of `[]` for (double, int)"},
        {"[1, 2] + [3]", "list(int)", NULL},
        {"[1, 'a']", "list(dyn)", NULL},
        {"[]", "list(dyn)", NULL},
        {"[] + ids", "list(string)", NULL},
        {"{1: 'a', 'b': 2}", "map(dyn, dyn)", NULL},
        {"{1.5: 'a'}", NULL, "1:2: a map key must be a bool, int, uint or string, not double"},
        {"[1, null]", "list(dyn)", NULL},
        {"[order.closed, 'a']", "list(string or null)", NULL},
    };
    run_checks(cases, LG_COUNT(cases));
}

static void checks_calls(void)
{
    static const check_case cases[] = {
        {"size(ids)", "int", NULL},
        {"ids.size()", "int", NULL},
        {"size(1)", NULL, "1:1: no overload of `size` for (int)"},
        {"size(ids, ids)", NULL, "1:1: no overload of `size` for (list(string), list(string))"},
        {"size()", NULL, "1:1: no overload of `size` for ()"},
        {"'a'.startsWith(1)", NULL, "1:5: no overload of `startsWith` for string.(int)"},
        {"startsWith('a', 'b')", NULL, "1:1: no overload of `startsWith` for (string, string)"},
        {"d.startsWith(d)", "bool", NULL},
        {"timestamp(true)", NULL, "1:1: no overload of `timestamp` for (bool)"},
        {"range(size(ids))", "list(int)", NULL},
        {"range(1.5)", NULL, "1:1: no overload of `range` for (double)"},
        {"sum(order.items.map(i, i.price))", "double", NULL},
        {"sum(5)", NULL, "1:1: no overload of `sum` for (int)"},
        {"dyn(1)", "dyn", NULL},
        {"dyn(1) + 'a'", "string", NULL},
        {"now.getHours('UTC')", "int", NULL},
        {"ids.filter(x, size(x))", NULL, "1:15: the condition of filter() must be a bool, not int"},
        {"n.exists(x, true)", NULL, "1:3: exists() walks through a list or a map, not double"},
        {"m.all(k, k == 1)", NULL, "1:12: no overload of `==` for (string, int)"},
        {"ids.map(x, x != 'a', size(x))", "list(int)", NULL},
        {"ids.map(x, size(x), x)", NULL, "1:12: the condition of map() must be a bool, not int"},
        {"'a'.matches('[')", NULL, "1:13: unfinished class in a pattern"},
        {"'a'.matches('(?=x)')", NULL,
         "1:13: an operator in a pattern that RE2 does not have (look-around, atomic or "
         "conditional "
         "group, recursion)"},
    };
    run_checks(cases, LG_COUNT(cases));
}

// The elements of an empty list have no type yet. A call says something about them only if it has one
// overload left; of several, it has what their results have in common.
static void keeps_candidates(void)
{
    static const check_case cases[] = {
        {"[].map(x, x + x)", "list(dyn)", NULL},
        {"[].map(x, x % x)", "list(dyn)", NULL},
        {"[].map(x, x + 1)", "list(int)", NULL},
        {"[].map(x, x - now)", "list(duration)", NULL},
        {"[].map(x, x < x)", "list(bool)", NULL},
        {"[].map(x, size(x))", "list(int)", NULL},
        {"sum([])", "double", NULL},
        {"[].filter(x, (x / x) in [1.5])", "list(dyn)", NULL},
        {"[].filter(x, (x / x) in [1])", "list(dyn)", NULL},
        {"[].filter(x, (x / x) in ids)", "list(dyn)", NULL},
        {"[].filter(x, x + x == 1 && x + x == 'a')", "list(dyn)", NULL},
        {"[].filter(x, x + x == x && x in ids)", "list(string)", NULL},
        {"[].filter(x, x + 1 > 0)", "list(int)", NULL},
        {"[].filter(x, x.startsWith('a'))", "list(string)", NULL},
        {"[].filter(x, x + 1 > 0 && x == 'a')", NULL,
         "1:29: no overload of `==` for (int, string)"},
        {"[].filter(x, x * x == x && x.startsWith(1))", NULL,
         "1:30: no overload of `startsWith` for dyn.(int)"},
        {"[].filter(x, x / true > x)", NULL, "1:16: no overload of `/` for (dyn, bool)"},
    };
    run_checks(cases, LG_COUNT(cases));
}

// One run shows every mistake, and each only once.
static void reports_all_errors(void)
{
    cel_fixture f;
    fixture_init(&f);
    declare_typed(&f);
    const char *source = "ordr.status == 'x' &&\n  order.statuz == 'y' && size(zzz) > order.totl";
    CHECK(!fixture_compile(&f, lg_str_c(source)));
    static const char *const wanted[] = {
        "1:1: unknown name `ordr`; did you mean `order`?",
        "2:9: unknown field `statuz` of Order; did you mean `status`?",
        "2:31: unknown name `zzz`",
        "2:44: unknown field `totl` of Order; did you mean `total`?",
    };
    CHECK(f.errors.count == LG_COUNT(wanted));
    for (size_t i = 0; i < f.errors.count && i < LG_COUNT(wanted); i++) {
        lg_buf_clear(&f.text);
        lg_buf_addf(&f.text, "%u:%u: %s", f.errors.items[i].line, f.errors.items[i].column,
                    f.errors.items[i].msg);
        CHECK_STR(lg_buf_str(&f.text), wanted[i]);
    }
    fixture_done(&f);
}

// An expression that begins in the middle of a file's line.
static void places_errors_in_the_file(void)
{
    cel_fixture f;
    fixture_init(&f);
    lg_errors_init(&f.errors, &f.arena, 10);
    lg_position at = {"pack.yaml", 12, 9};
    CHECK(!lg_cel_compile(&f.arena, f.env, LG_STR("1 + x +\n y"), at, &f.errors));
    if (CHECK(f.errors.count == 2)) {
        CHECK(f.errors.items[0].line == 12 && f.errors.items[0].column == 13);
        CHECK(f.errors.items[1].line == 13 && f.errors.items[1].column == 2);
        CHECK(strcmp(f.errors.items[0].file, "pack.yaml") == 0);
        CHECK(f.errors.items[0].status == LG_ERR_NAME);
    }
    fixture_done(&f);
}

static void declares_names(void)
{
    cel_fixture f;
    fixture_init(&f);
    lg_cel_env *child;
    CHECK(lg_cel_env_declare(f.env, LG_STR("a"), of(LG_CEL_INT)) == 0);
    CHECK(lg_cel_env_declare(f.env, LG_STR("b"), of(LG_CEL_INT)) == 1);
    CHECK(lg_cel_env_declare(f.env, LG_STR("a"), of(LG_CEL_INT)) == UINT32_MAX);
    CHECK(lg_cel_env_declare(f.env, LG_STR("for"), of(LG_CEL_INT)) == UINT32_MAX);
    CHECK(lg_cel_env_declare(f.env, LG_STR("true"), of(LG_CEL_INT)) == UINT32_MAX);
    CHECK(lg_cel_env_declare(f.env, LG_STR("2x"), of(LG_CEL_INT)) == UINT32_MAX);
    CHECK(lg_cel_env_declare(f.env, LG_STR(""), of(LG_CEL_INT)) == UINT32_MAX);
    CHECK(lg_cel_env_declare(f.env, LG_STR("a..b"), of(LG_CEL_INT)) == UINT32_MAX);
    CHECK(lg_cel_env_declare(f.env, LG_STR("x.y"), of(LG_CEL_INT)) == 2);
    child = lg_cel_env_new(&f.arena, f.env, NULL);
    CHECK(lg_cel_env_declare(child, LG_STR("b"), of(LG_CEL_INT)) == UINT32_MAX);
    CHECK(lg_cel_env_declare(child, LG_STR("c"), of(LG_CEL_INT)) == 3);
    CHECK(lg_cel_env_slots(child) == 4 && lg_cel_env_slots(f.env) == 3);
    fixture_done(&f);
}

int main(void)
{
    RUN(lexes);
    RUN(parses);
    RUN(checks_names);
    RUN(checks_operators);
    RUN(checks_calls);
    RUN(keeps_candidates);
    RUN(reports_all_errors);
    RUN(places_errors_in_the_file);
    RUN(declares_names);
    return lg_test_done();
}
