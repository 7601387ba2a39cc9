// test_validate.c: every keyword, valid and not, with the words of its violation.
#include "schema_test.h"

#include "base/utf8.h"

static const schema_case any_type[] = {
    {"true", "1", NULL},
    {"{}", "[1, {}]", NULL},
    {"false", "1", "combination : the value is never allowed"},
    {"{'properties': {'a': false}}", "{'a': 1}", "combination /a: `a` is never allowed"},
    {"{'type': 'string'}", "'x'", NULL},
    {"{'type': 'string'}", "12", "type : the value must be a string; got the number 12"},
    {"{'type': 'integer'}", "'12'", "type : the value must be an integer; got the string \"12\""},
    {"{'type': 'integer'}", "1.0", NULL},
    {"{'type': 'integer'}", "1e300", NULL},
    {"{'type': 'integer'}", "1e400", NULL},
    {"{'type': 'integer'}", "1.5e-1", "type : the value must be an integer; got the number 0.15"},
    {"{'type': 'integer'}", "18446744073709551616", NULL},
    {"{'type': ['integer', 'null', 'boolean']}", "[1]",
     "type : the value must be an integer, a boolean or null; got an array of 1 item"},
    {"{'type': ['string', 'null']}", "{}",
     "type : the value must be a string or null; got an object of 0 members"},
    {"{'type': ['number', 'integer']}", "true", "type : the value must be a number; got true"},
    {"{'enum': ['economy', 'business']}", "'first'",
     "enum : the value must be one of \"economy\", \"business\"; got \"first\""},
    {"{'enum': ['economy', 'business']}", "'busines'",
     "enum : the value must be one of \"economy\", \"business\"; got \"busines\"; did you mean "
     "\"business\"?"},
    {"{'enum': ['USD', 'EUR']}", "'eur'",
     "enum : the value must be one of \"USD\", \"EUR\"; got \"eur\"; did you mean \"EUR\"?"},
    {"{'enum': [1, null, {'a': [1.0]}]}", "{'a': [1]}", NULL},
    {"{'enum': [1]}", "2", "enum : the value must be 1; got 2"},
    {"{'enum': []}", "2", "enum : the value must be one of no values; got 2"},
    {"{'const': 5}", "5.0", NULL},
    {"{'const': 5}", "'5'", "enum : the value must be 5; got \"5\""},
    {"{'const': false}", "0", "enum : the value must be false; got 0"},
};

static const schema_case numbers[] = {
    {"{'minimum': 1}", "1", NULL},
    {"{'minimum': 1}", "0.5", "range : the value must be at least 1; got 0.5"},
    {"{'maximum': 1}", "2", "range : the value must be at most 1; got 2"},
    {"{'exclusiveMinimum': 1}", "1", "range : the value must be greater than 1; got 1"},
    {"{'exclusiveMaximum': 1}", "1", "range : the value must be less than 1; got 1"},
    {"{'minimum': 1}", "'x'", NULL},
    {"{'maximum': 9007199254740993}", "9007199254740993", NULL},
    {"{'maximum': 9007199254740992}", "9007199254740993",
     "range : the value must be at most 9007199254740992; got 9007199254740993"},
    {"{'maximum': 18446744073709551615}", "18446744073709551616",
     "range : the value must be at most 18446744073709551615; got 18446744073709551616"},
    {"{'maximum': 1e400}", "1e399", NULL},
    {"{'multipleOf': 0.01}", "19.99", NULL},
    {"{'multipleOf': 0.01}", "19.995", "range : the value must be a multiple of 0.01; got 19.995"},
    {"{'minimum': 10, 'multipleOf': 3}", "4",
     "range : the value must be at least 10; got 4\n"
     "range : the value must be a multiple of 3; got 4"},
};

static const schema_case strings[] = {
    {"{'minLength': 2}", "'\xC3\xA9\xC3\xA9'", NULL},
    {"{'minLength': 2}", "'\xF0\x9F\x90\xB2'",
     "length : the value must have at least 2 characters; it has 1"},
    {"{'maxLength': 1}", "'ab'", "length : the value must have at most 1 character; it has 2"},
    {"{'maxLength': 1}", "5", NULL},
    {"{'pattern': '^[A-Z]+$'}", "'ABC'", NULL},
    {"{'pattern': '^[A-Z]+$'}", "'ab'",
     "pattern : the value must match the pattern ^[A-Z]+$; got \"ab\""},
    {"{'pattern': 'b'}", "'abc'", NULL},
    {"{'pattern': '^a$'}", "'a\\n'",
     "pattern : the value must match the pattern ^a$; got \"a\\u000a\""},
    {"{'format': 'date'}", "'never'", NULL},
};

static const schema_case formats[] = {
    {"{'format': 'date'}", "'2024-02-30'",
     "format : the value must be a date such as 2024-05-15; got \"2024-02-30\""},
    {"{'format': 'date'}", "20240230", NULL},
    {"{'format': 'made-up'}", "'anything'", NULL},
    {"{'format': 'uuid'}", "'123e4567-e89b-12d3-a456-426614174000'", NULL},
    {"{'format': 'email'}", "'a@b'", NULL},
    {"{'format': 'email'}", "'a'", "format : the value must be an e-mail address; got \"a\""},
    {"{'format': 'ipv4'}", "'1.2.3.256'",
     "format : the value must be an IPv4 address such as 192.0.2.1; got \"1.2.3.256\""},
    {"{'format': 'regex'}", "'(a'",
     "format : the value must be a regular expression of ECMA-262; got \"(a\""},
    {"{'format': 'hostname'}", "'a..b'", "format : the value must be a host name; got \"a..b\""},
};

static const schema_case arrays[] = {
    {"{'minItems': 1}", "[]", "length : the value must have at least 1 item; it has 0"},
    {"{'maxItems': 1}", "[1, 2]", "length : the value must have at most 1 item; it has 2"},
    {"{'items': {'type': 'integer'}}", "[1, 'x', 2, null]",
     "type /1: `[1]` must be an integer; got the string \"x\"\n"
     "type /3: `[3]` must be an integer; got null"},
    {"{'prefixItems': [{'type': 'string'}], 'items': false}", "['a']", NULL},
    {"{'prefixItems': [{'type': 'string'}], 'items': false}", "['a', 1]",
     "length : the value must have at most 1 item; it has 2"},
    {"{'uniqueItems': true}", "[1, 2, 1.0]",
     "length : the value must have no equal items, but those at 0 and 2 are both 1.0"},
    {"{'uniqueItems': true}", "[{'a': 1, 'b': 2}, {'b': 2, 'a': 1}]",
     "length : the value must have no equal items, but those at 0 and 1 are both an object of 2 "
     "members"},
    {"{'uniqueItems': true}", "[1, true, '1', [1], {'a': 1}, [[1]], 0, false, null]", NULL},
    {"{'uniqueItems': false}", "[1, 1]", NULL},
    {"{'contains': {'const': 1}}", "[0, 1]", NULL},
    {"{'contains': {'const': 1}}", "[0]",
     "combination : the value must have at least 1 item of the kind under `contains`; it has 0"},
    {"{'contains': {'const': 1}, 'minContains': 0}", "[]", NULL},
    {"{'contains': {'const': 1}, 'minContains': 2, 'maxContains': 2}", "[1, 1, 1]",
     "combination : the value must have at most 2 items of the kind under `contains`; it has 3"},
    {"{'prefixItems': [true], 'unevaluatedItems': false}", "[1, 2, 3]",
     "length : the value must not have the item at index 1"},
    {"{'contains': {'const': 1}, 'unevaluatedItems': {'type': 'string'}}", "[1, 'x', 1]", NULL},
    {"{'contains': {'const': 1}, 'unevaluatedItems': {'type': 'string'}}", "[1, 2]",
     "type /1: `[1]` must be a string; got the number 2"},
};

static const schema_case objects[] = {
    {"{'required': ['a', 'b']}", "{'b': 1}", "required : `a` is required, but missing"},
    {"{'required': ['order_id'], 'properties': {'n': {}}}",
     "{'n': 1, 'm': 2, 'order': '1', 'id': 3}",
     "required : `order_id` is required, but missing; there is `id`, 3: did you mean `order_id`?"},
    {"{'required': ['dob']}", "{'date_of_birth': 'x'}",
     "required : `dob` is required, but missing; there is `date_of_birth`, \"x\": did you mean "
     "`dob`?"},
    {"{'required': ['dob']}", "{'x': 1, 'y': 2}", "required : `dob` is required, but missing"},
    {"{'properties': {'x': {'required': ['a']}}}", "{'x': {}}",
     "required /x: `x.a` is required, but missing"},
    {"{'minProperties': 1}", "{}", "length : the value must have at least 1 member; it has 0"},
    {"{'maxProperties': 0}", "{'a': 1}",
     "length : the value must have at most 0 members; it has 1"},
    {"{'properties': {'seats': true}, 'additionalProperties': false}", "{'seat': 1}",
     "unknown_argument /seat: `seat` is not allowed here; did you mean `seats`?"},
    {"{'properties': {'a': true, 'bc': true}, 'additionalProperties': false}", "{'zz': 1}",
     "unknown_argument /zz: `zz` is not allowed here; allowed: `a`, `bc`"},
    {"{'required': ['q'], 'additionalProperties': false}", "{'q': 1}",
     "unknown_argument /q: `q` is not allowed here"},
    {"{'additionalProperties': {'type': 'string'}}", "{'a/b~c': 1}",
     "type /a~1b~0c: `[\"a/b~c\"]` must be a string; got the number 1"},
    {"{'patternProperties': {'^x': {'type': 'string'}}, 'additionalProperties': false}",
     "{'x1': 'a', 'x2': 1, 'y': 1}",
     "type /x2: `x2` must be a string; got the number 1\n"
     "unknown_argument /y: `y` is not allowed here"},
    {"{'propertyNames': {'pattern': '^[a-z]+$'}}", "{'ok': 1, 'Not': 1}",
     "pattern : the name \"Not\" is not allowed in the value: `Not` must match the pattern "
     "^[a-z]+$; got \"Not\""},
    {"{'dependentRequired': {'a': ['b']}}", "{'a': 1}",
     "required : `b` is required when `a` is given, but missing"},
    {"{'dependentSchemas': {'a': {'required': ['c']}}}", "{'a': 1}",
     "required : `c` is required, but missing"},
    {"{'dependencies': {'a': ['b'], 'b': {'minProperties': 2}}}", "{'a': 1}",
     "required : `b` is required when `a` is given, but missing"},
    {"{'allOf': [{'properties': {'a': true}}], 'unevaluatedProperties': false}", "{'a': 1, 'b': 1}",
     "unknown_argument /b: `b` is not allowed here"},
    {"{'anyOf': [{'properties': {'a': {'const': 1}}, 'required': ['a']}, {}],"
     " 'unevaluatedProperties': false}",
     "{'a': 2}", "unknown_argument /a: `a` is not allowed here"},
    {"{'properties': {'flights': {'items': {'properties': {'date': {'type': 'string'}}}}}}",
     "{'flights': [{}, {'date': 3}]}",
     "type /flights/1/date: `flights[1].date` must be a string; got the number 3"},
};

static const schema_case logic[] = {
    {"{'allOf': [{'type': 'string'}, {'minLength': 2}]}", "'x'",
     "length : the value must have at least 2 characters; it has 1"},
    {"{'anyOf': [{'type': 'string'}, {'type': 'null'}]}", "5",
     "type : the value must be a string or null; got the number 5"},
    {"{'anyOf': [{'type': 'string', 'minLength': 2}, {'type': 'null'}]}", "'x'",
     "length : the value must have at least 2 characters; it has 1"},
    {"{'anyOf': [{'minimum': 5}, {'multipleOf': 2}]}", "3",
     "combination : the value matches none of the 2 alternatives of `anyOf`; one of them says: the "
     "value must be at least 5; got 3"},
    {"{'oneOf': [{'properties': {'kind': {'const': 'a'}, 'x': {'type': 'string'}}},"
     " {'properties': {'kind': {'const': 'b'}, 'x': {'type': 'null'}}}]}",
     "{'kind': 'b', 'x': 1}", "type /x: `x` must be null; got the number 1"},
    {"{'oneOf': [{'minimum': 1}, {'maximum': 3}, {'const': 2}]}", "2",
     "combination : the value matches alternatives 1 and 2 of `oneOf`, but must match exactly one"},
    {"{'not': {'type': 'string'}}", "'x'",
     "combination : the value must not match the schema under `not`; got \"x\""},
    {"{'not': {'not': {'type': 'string'}}}", "'x'", NULL},
    {"{'if': {'type': 'string'}, 'then': {'minLength': 1}, 'else': {'minimum': 1}}", "''",
     "length : the value must have at least 1 character; it has 0"},
    {"{'if': {'type': 'string'}, 'then': {'minLength': 1}, 'else': {'minimum': 1}}", "0",
     "range : the value must be at least 1; got 0"},
    {"{'then': false}", "0", NULL},
    {"{'$ref': '#/$defs/a', '$defs': {'a': {'type': 'null'}}}", "0",
     "type : the value must be null; got the number 0"},
    {"{'$ref': '#/$defs/a%25b', '$defs': {'a%b': {'type': 'null'}}}", "null", NULL},
    {"{'properties': {'next': {'$ref': '#'}}, 'additionalProperties': false}",
     "{'next': {'next': {'nxt': 1}}}",
     "unknown_argument /next/next/nxt: `next.next.nxt` is not allowed here; did you mean `next`?"},
};

static void keywords_say_what_is_wrong(void)
{
    check_cases(any_type, sizeof(any_type) / sizeof(any_type[0]), NULL);
    check_cases(numbers, sizeof(numbers) / sizeof(numbers[0]), NULL);
    check_cases(strings, sizeof(strings) / sizeof(strings[0]), NULL);
    check_cases(arrays, sizeof(arrays) / sizeof(arrays[0]), NULL);
    check_cases(objects, sizeof(objects) / sizeof(objects[0]), NULL);
    check_cases(logic, sizeof(logic) / sizeof(logic[0]), NULL);
}

static void formats_are_asserted_on_request(void)
{
    lg_schema_options options = {.assert_formats = true};
    check_cases(formats, sizeof(formats) / sizeof(formats[0]), &options);
}

static void draft_7_differs(void)
{
    static const schema_case cases[] = {
        {"{'$ref': '#/definitions/a', 'type': 'null', 'definitions': {'a': {}}}", "1", NULL},
        {"{'items': [{'type': 'null'}], 'additionalItems': {'type': 'string'}}", "[null, 1]",
         "type /1: `[1]` must be a string; got the number 1"},
        {"{'items': {}, 'additionalItems': false}", "[1, 2]", NULL},
        {"{'items': [true, true], 'additionalItems': false}", "[1, 2, 3]",
         "length : the value must have at most 2 items; it has 3"},
        {"{'dependentRequired': {'a': ['b']}, 'unevaluatedProperties': false}", "{'a': 1}", NULL},
        {"{'allOf': [{'$ref': '#foo'}], 'definitions': {'x': {'$id': '#foo', 'type': 'null'}}}",
         "1", "type : the value must be null; got the number 1"},
        {"{'$schema': 'https://json-schema.org/draft/2020-12/schema', '$ref': '#/$defs/a',"
         " 'type': 'null', '$defs': {'a': {}}}",
         "1", "type : the value must be null; got the number 1"},
    };
    lg_schema_options options = {.dialect = LG_SCHEMA_7};
    check_cases(cases, sizeof(cases) / sizeof(cases[0]), &options);
}

static void openapi_differs(void)
{
    static const schema_case cases[] = {
        {"{'type': 'string', 'nullable': true}", "null", NULL},
        {"{'type': 'string', 'nullable': true}", "1",
         "type : the value must be a string or null; got the number 1"},
        {"{'type': 'string', 'nullable': false}", "null",
         "type : the value must be a string; got null"},
        {"{'minimum': 1, 'exclusiveMinimum': true}", "1",
         "range : the value must be greater than 1; got 1"},
        {"{'maximum': 1, 'exclusiveMaximum': false}", "1", NULL},
        {"{'const': 1, 'if': false}", "2", NULL},
    };
    lg_schema_options options = {.dialect = LG_SCHEMA_OPENAPI_3_0};
    check_cases(cases, sizeof(cases) / sizeof(cases[0]), &options);
}

static void arguments_are_closed_on_request(void)
{
    static const schema_case cases[] = {
        {"{'properties': {'order_id': {}}}", "{'order_id': 1}", NULL},
        {"{'properties': {'order_id': {}}}", "{'orderid': 1}",
         "unknown_argument /orderid: `orderid` is not allowed here; did you mean `order_id`?"},
        {"{'type': 'object', 'properties': {}}", "{'x': 1}",
         "unknown_argument /x: `x` is not allowed here"},
        {"{'type': 'object'}", "{'x': 1}", NULL},
        {"{'properties': {}, 'additionalProperties': true}", "{'x': 1}", NULL},
        {"{'properties': {}, 'additionalProperties': {'type': 'null'}}", "{'x': null}", NULL},
        {"{'properties': {'a': {'properties': {}}}}", "{'a': {'x': 1}}", NULL},
        {"{'properties': {}, 'patternProperties': {'^x': {}}}", "{'x1': 1}", NULL},
        {"{'$ref': '#/$defs/a', '$defs': {'a': {'properties': {'b': {}}}}}", "{'b': 1, 'c': 2}",
         "unknown_argument /c: `c` is not allowed here"},
        {"{'properties': {'a': {}}, 'allOf': [{'properties': {'b': {}}}]}",
         "{'a': 1, 'b': 1, 'c': 1}", "unknown_argument /c: `c` is not allowed here; allowed: `a`"},
        {"{'allOf': [{'properties': {'b': {}}, 'additionalProperties': true}]}", "{'c': 1}", NULL},
        {"{'properties': {'child': {'$ref': '#'}}}", "{'child': {'x': 1}}", NULL},
        {"{'$schema': 'http://json-schema.org/draft-07/schema#', '$ref': '#/definitions/a',"
         " 'definitions': {'a': {'properties': {'b': {}}}}}",
         "{'c': 2}", "unknown_argument /c: `c` is not allowed here"},
    };
    lg_schema_options options = {.closed_arguments = true};
    check_cases(cases, sizeof(cases) / sizeof(cases[0]), &options);
}

// All that a violation carries, not the message alone.
static void violations_are_located(void)
{
    compiled c;
    compile_quoted(&c,
                   "{'properties': {'a': {'$ref': '#/$defs/b'}}, '$defs': {'b': {'required': "
                   "['k'], 'properties': {'x/y': {'maxLength': 1}}}}}",
                   NULL);
    lg_json_doc *doc = parse_quoted("{'a': {'x/y': 'long'}}");
    lg_schema_violation items[2];
    lg_schema_report report = {.items = items, .capacity = 2};
    if (CHECK(c.schema && doc)) {
        const lg_json *a = lg_json_get(lg_json_root(doc), LG_STR("a"));
        const lg_json *b = lg_json_at(lg_json_root(c.doc), LG_STR("/$defs/b"));
        CHECK(!lg_schema_validate(c.schema, lg_json_root(doc), &report));
        CHECK(report.count == 2 && report.dropped == 0);
        CHECK(items[0].fault == LG_FAULT_LENGTH && !strcmp(items[0].keyword, "maxLength"));
        CHECK(!strcmp(items[0].instance_pointer, "/a/x~1y"));
        CHECK(!strcmp(items[0].schema_pointer, "/$defs/b/properties/x~1y/maxLength"));
        CHECK(items[0].instance == lg_json_get(a, LG_STR("x/y")));
        CHECK(items[1].fault == LG_FAULT_REQUIRED && items[1].instance == a);
        CHECK(items[1].schema == b);
        CHECK_STR(items[1].member, "k");
        CHECK(!strcmp(items[1].instance_pointer, "/a"));
        CHECK(!strcmp(items[1].schema_pointer, "/$defs/b/required"));
    }
    lg_json_doc_free(doc);
    compiled_done(&c);
}

static void a_full_report_counts_on(void)
{
    compiled c;
    compile_quoted(&c, "{'items': {'type': 'null'}}", NULL);
    lg_json_doc *doc = parse_quoted("[1, 2, 3, null, 4]");
    lg_schema_violation items[2];
    for (size_t capacity = 0; capacity <= 2; capacity++) {
        lg_schema_report report = {.items = items, .capacity = capacity, .count = 9, .dropped = 9};
        CHECK(!lg_schema_validate(c.schema, lg_json_root(doc), &report));
        CHECK(report.count == capacity && report.dropped == 4 - capacity);
    }
    CHECK(!lg_schema_validate(c.schema, NULL, NULL));
    lg_json_doc_free(doc);
    compiled_done(&c);
}

// Whether a text of bytes ends within a character, or holds half of one.
#define CUT_INSIDE(text) (lg_utf8_valid_prefix(lg_str_c(text)) != strlen(text))

static void long_things_are_cut_between_characters(void)
{
    compiled c;
    compile_quoted(&c,
                   "{'additionalProperties': {'enum': ['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                   "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbbbbbbbbbb"
                   "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 'c', 'd']}}",
                   NULL);
    char text[4000] = "{'";
    for (int i = 0; i < 900; i++) {
        memcpy(text + 2 + (size_t)i * 2, "\xC3\xA9", 3);
    }
    snprintf(text + strlen(text), 20, "': '\xC3\xA9'}");
    lg_json_doc *doc = parse_quoted(text);
    lg_schema_violation item;
    lg_schema_report report = {.items = &item, .capacity = 1};
    CHECK(!lg_schema_validate(c.schema, lg_json_root(doc), &report));
    CHECK(!CUT_INSIDE(item.instance_pointer) && !CUT_INSIDE(item.msg));
    CHECK(strlen(item.instance_pointer) > 250);
    CHECK(strcmp(item.instance_pointer + strlen(item.instance_pointer) - 3, "...") == 0);
    CHECK(strstr(item.msg, ", ... (4 in all)") != NULL);
    lg_json_doc_free(doc);
    compiled_done(&c);
}

static void every_fault_has_a_name(void)
{
    static const char *const names[] = {
        "required", "unknown_argument", "type",   "enum",        "range",
        "length",   "pattern",          "format", "combination", "limit"};
    for (int i = 0; i <= LG_FAULT_LIMIT; i++) {
        CHECK(strcmp(lg_schema_fault_name((lg_schema_fault)i), names[i]) == 0);
    }
}

int main(void)
{
    RUN(keywords_say_what_is_wrong);
    RUN(formats_are_asserted_on_request);
    RUN(draft_7_differs);
    RUN(openapi_differs);
    RUN(arguments_are_closed_on_request);
    RUN(violations_are_located);
    RUN(a_full_report_counts_on);
    RUN(long_things_are_cut_between_characters);
    RUN(every_fault_has_a_name);
    return lg_test_done();
}
