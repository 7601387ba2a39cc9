// test_compile.c: what is refused when a schema is compiled, and with which words; references,
// resources and dialects.
#include "schema_test.h"

typedef struct refusal {
    const char *schema;
    const char *want; // the first error
} refusal;

static void check_refusals(const refusal *cases, size_t count, const lg_schema_options *options)
{
    for (size_t i = 0; i < count; i++) {
        compiled c;
        compile_quoted(&c, cases[i].schema, options);
        CHECK_MSG(c.schema == NULL, cases[i].schema);
        const char *got = c.errors.count ? c.errors.items[0].msg : "(no error)";
        if (!CHECK_MSG(strcmp(got, cases[i].want) == 0, cases[i].schema)) {
            printf("    got:  %s\n    want: %s\n", got, cases[i].want);
        }
        compiled_done(&c);
    }
}

static void malformed_keywords_are_refused(void)
{
    static const refusal cases[] = {
        {"12", "the schema: must be an object or a boolean"},
        {"{'type': 'strin'}", "/type: must be string, number, integer, boolean, array, object or "
                              "null, but is the string \"strin\""},
        {"{'type': []}",
         "/type: must be a type or a non-empty array of types, but is an array of 0 items"},
        {"{'type': ['null', 'null']}", "/type: names `null` twice"},
        {"{'properties': {'a': 5}}",
         "/properties/a: must be a schema (an object or a boolean), but is the number 5"},
        {"{'properties': []}",
         "/properties: must be an object of schemas, but is an array of 0 items"},
        {"{'items': [true]}",
         "/items: must be a schema; since 2020-12 an array belongs in `prefixItems`"},
        {"{'required': true}", "/required: must be an array of names, but is true"},
        {"{'required': ['a', 1]}", "/required: item 1 must be a string"},
        {"{'required': ['a', 'a']}", "/required: names `a` twice"},
        {"{'allOf': []}",
         "/allOf: must be a non-empty array of schemas, but is an array of 0 items"},
        {"{'anyOf': [{}, null]}",
         "/anyOf/1: must be a schema (an object or a boolean), but is null"},
        {"{'minLength': -1}", "/minLength: must be a non-negative integer, but is the number -1"},
        {"{'maxItems': 1.5}", "/maxItems: must be a non-negative integer, but is the number 1.5"},
        {"{'minimum': '1'}", "/minimum: must be a number, but is the string \"1\""},
        {"{'exclusiveMinimum': true}", "/exclusiveMinimum: must be a number, but is true"},
        {"{'multipleOf': 0}", "/multipleOf: must be a number above zero, but is the number 0"},
        {"{'multipleOf': 1.0000000000000000000000001e400}",
         "/multipleOf: must be a number of at most 19 significant digits, but is the number "
         "1.0000000000000000000000001e400"},
        {"{'enum': 'a'}", "/enum: must be an array of the allowed values, but is the string \"a\""},
        {"{'uniqueItems': 1}", "/uniqueItems: must be a boolean, but is the number 1"},
        {"{'pattern': '('}", "/pattern: is not a regular expression of ECMA-262: `(` is not closed "
                             "(at byte 1)"},
        {"{'patternProperties': {'a**': true}}",
         "/patternProperties/a**: is not a regular expression of ECMA-262: `*` has nothing to "
         "repeat (at byte 2)"},
        {"{'pattern': '(?<=a+)b'}", "/pattern: is not a pattern that can be honoured: lookbehind "
                                    "assertion is not fixed length"},
        {"{'format': 5}", "/format: must be the name of a format, but is the number 5"},
        {"{'$ref': 5}", "/$ref: must be a URI reference, but is the number 5"},
        {"{'$ref': '#/$defs/none'}", "/$ref: `#/$defs/none` points to no schema"},
        {"{'$ref': '#/enum/0', 'enum': [1]}", "/$ref: `#/enum/0` points to no schema"},
        {"{'$ref': '#none'}", "/$ref: `#none` points to no schema"},
        {"{'$ref': 'https://example.com/a'}", "/$ref: `https://example.com/a` is not in this "
                                              "schema or the registry; nothing is fetched"},
        {"{'$id': 5}", "/$id: must be a string"},
        {"{'$id': 'a#b'}", "/$id: must have no fragment; use `$anchor`"},
        {"{'$anchor': '#a'}",
         "/$anchor: must be a name: a letter or `_`, then letters, digits, `-`, `_`, `.`"},
        {"{'$defs': {'a': {'$anchor': 'x'}, 'b': {'$anchor': 'x'}}}",
         "/$defs/b/$anchor: the anchor `x` is declared twice"},
        {"{'$defs': {'a': {'$id': 'u'}, 'b': {'$id': 'u'}}}",
         "/$defs/b/$id: another schema is already called `u`"},
        {"{'$schema': 'http://json-schema.org/draft-04/schema#'}",
         "/$schema: `http://json-schema.org/draft-04/schema` is no dialect that is known here; "
         "known are https://json-schema.org/draft/2020-12/schema and "
         "http://json-schema.org/draft-07/schema#"},
        {"{'$schema': 'https://json-schema.org/draft/2019-09/schema', '$recursiveRef': '#'}",
         "/$recursiveRef: is of draft 2019-09 and not supported; use `$dynamicRef` of 2020-12"},
        {"{'dependentRequired': {'a': {}}}", "/dependentRequired/a: must be an array of names"},
        {"{'$defs': {'unused': {'type': 7}}}",
         "/$defs/unused/type: must be string, number, integer, boolean, array, object or null, but "
         "is the number 7"},
    };
    check_refusals(cases, sizeof(cases) / sizeof(cases[0]), NULL);
}

static void every_mistake_is_found_at_once(void)
{
    compiled c;
    compile_quoted(&c, "{'type': 1, 'minLength': 'x', 'properties': {'a': {'pattern': '['}}}",
                   NULL);
    CHECK(c.schema == NULL && c.errors.count == 3);
    compiled_done(&c);
}

static void loops_without_input_are_refused(void)
{
    static const refusal cases[] = {
        {"{'$ref': '#'}", "/$ref: leads back to itself without consuming any input"},
        {"{'allOf': [{'$ref': '#/$defs/a'}], '$defs': {'a': {'anyOf': [{'not': {'$ref': '#'}}]}}}",
         "/$defs/a/anyOf/0/not/$ref: leads back to itself without consuming any input"},
        {"{'if': {'dependentSchemas': {'x': {'$ref': '#'}}}}",
         "/if/dependentSchemas/x/$ref: leads back to itself without consuming any input"},
        {"{'$dynamicRef': '#a', '$dynamicAnchor': 'a'}",
         "/$dynamicRef: leads back to itself without consuming any input"},
    };
    check_refusals(cases, sizeof(cases) / sizeof(cases[0]), NULL);
    static const schema_case fine[] = {
        {"{'items': {'$ref': '#'}}", "[[[]]]", NULL},
        {"{'allOf': [{'$ref': '#/$defs/a'}, {'$ref': '#/$defs/a'}], '$defs': {'a': {}}}", "1",
         NULL},
    };
    check_cases(fine, sizeof(fine) / sizeof(fine[0]), NULL);
}

static void formats_that_cannot_be_asserted_are_refused(void)
{
    static const refusal cases[] = {
        {"{'format': 'idn-hostname'}",
         "/format: `idn-hostname` cannot be asserted: the tables of IDNA are not here"},
    };
    lg_schema_options options = {.assert_formats = true};
    check_refusals(cases, 1, &options);
    static const schema_case fine[] = {{"{'format': 'idn-hostname'}", "'x'", NULL}};
    check_cases(fine, 1, NULL);
}

static void unknown_keywords_are_annotations(void)
{
    static const schema_case cases[] = {
        {"{'x-order': 1, 'title': 5, 'nullable': 'what', 'examples': 1, 'default': {}}", "1", NULL},
        {"{'additionalItems': 5, '$recursiveRef': 5}", "1", NULL},
    };
    check_cases(cases, sizeof(cases) / sizeof(cases[0]), NULL);
}

static void a_part_of_a_document_refers_to_it(void)
{
    lg_json_doc *pack = parse_quoted(
        "{'types': {'Order': {'properties': {'id': {'$ref': '#/types/Id'}}}, 'Id': {'type': "
        "'string'}}, 'tool': {'properties': {'order': {'$ref': '#/types/Order'}}}}");
    const lg_json *root = lg_json_root(pack);
    lg_schema_options options = {.document = root, .closed_arguments = true};
    lg_arena arena;
    lg_errors errors;
    lg_arena_init(&arena, 0);
    lg_errors_init(&errors, &arena, 10);
    const lg_schema *schema =
        lg_schema_compile(&arena, lg_json_get(root, LG_STR("tool")), &options, &errors);
    lg_json_doc *doc = parse_quoted("{'order': {'id': 4}}");
    if (CHECK(schema != NULL)) {
        check_instance(schema, lg_json_root(doc),
                       "type /order/id: `order.id` must be a string; got the number 4", "part");
    }
    lg_json_doc_free(doc);
    lg_json_doc_free(pack);
    lg_arena_done(&arena);
}

static void the_registry_is_looked_up(void)
{
    lg_json_doc *shared =
        parse_quoted("{'$id': 'https://example.com/own', '$defs': {'id': {'type': "
                     "'string', '$anchor': 'name'}}, 'properties': {'a': {'$ref': "
                     "'#name'}, 'b': {'$ref': '#/$defs/id'}}}");
    lg_schema_resource resource = {LG_STR("https://example.com/shared"), lg_json_root(shared)};
    lg_schema_options options = {.registry = &resource, .registry_count = 1};
    static const schema_case cases[] = {
        {"{'$ref': 'https://example.com/shared'}", "{'a': 1, 'b': 2}",
         "type /a: `a` must be a string; got the number 1\n"
         "type /b: `b` must be a string; got the number 2"},
        {"{'$id': 'https://example.com/x/y', '$ref': '../shared#name'}", "1",
         "type : the value must be a string; got the number 1"},
        {"{'$ref': 'https://example.com/shared#/$defs/id'}", "'x'", NULL},
    };
    check_cases(cases, sizeof(cases) / sizeof(cases[0]), &options);
    // A violation in a registered schema is located by its URI.
    compiled c;
    compile_quoted(&c, "{'$ref': 'https://example.com/shared'}", &options);
    lg_json_doc *doc = parse_quoted("{'b': 2}");
    lg_schema_violation item;
    lg_schema_report report = {.items = &item, .capacity = 1};
    CHECK(c.schema && !lg_schema_validate(c.schema, lg_json_root(doc), &report));
    CHECK(!strcmp(item.schema_pointer, "https://example.com/shared#/$defs/id/type"));
    lg_json_doc_free(doc);
    compiled_done(&c);
    // A mistake in one is found when it is used, and only then.
    lg_json_doc *wrong = parse_quoted("{'type': 5}");
    resource.schema = lg_json_root(wrong);
    static const refusal refused[] = {
        {"{'$ref': 'https://example.com/shared'}",
         "https://example.com/shared#/type: must be string, number, integer, boolean, array, "
         "object "
         "or null, but is the number 5"},
    };
    check_refusals(refused, 1, &options);
    check_cases(&(schema_case){"{}", "1", NULL}, 1, &options);
    lg_json_doc_free(wrong);
    lg_json_doc_free(shared);
}

static void unknown_vocabularies_are_refused(void)
{
    lg_json_doc *meta =
        parse_quoted("{'$schema': 'https://json-schema.org/draft/2020-12/schema', '$vocabulary': "
                     "{'https://json-schema.org/draft/2020-12/vocab/core': true, "
                     "'https://example.com/money': true}}");
    lg_schema_resource resource = {LG_STR("https://example.com/meta"), lg_json_root(meta)};
    lg_schema_options options = {.registry = &resource, .registry_count = 1};
    static const refusal cases[] = {
        {"{'$schema': 'https://example.com/meta'}",
         "/$schema: the vocabulary https://example.com/money is required, but unknown"},
    };
    check_refusals(cases, 1, &options);
    lg_json_doc_free(meta);
}

static void references_resolve_as_in_rfc_3986(void)
{
    // Section 5.4.1 and 5.4.2, with the base of that section as `$id`: each target is a sibling
    // resource with an absolute `$id`, and only the right one is the schema `true`.
    static const char *const cases[][2] = {
        {"g", "http://a/b/c/g"},
        {"./g", "http://a/b/c/g"},
        {"g/", "http://a/b/c/g/"},
        {"/g", "http://a/g"},
        {"//g", "http://g"},
        {"?y", "http://a/b/c/d;p?y"},
        {"g?y", "http://a/b/c/g?y"},
        {";x", "http://a/b/c/;x"},
        {"g;x=1/./y", "http://a/b/c/g;x=1/y"},
        {".", "http://a/b/c/"},
        {"..", "http://a/b/"},
        {"../g", "http://a/b/g"},
        {"../..", "http://a/"},
        {"../../../g", "http://a/g"},
        {"/./g", "http://a/g"},
        {"/../g", "http://a/g"},
        {"g.", "http://a/b/c/g."},
        {"..g", "http://a/b/c/..g"},
        {"./../g", "http://a/b/g"},
        {"g/../h", "http://a/b/c/h"},
        {"http:g", "http:g"},
        {"urn:x:y", "urn:x:y"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[300];
        snprintf(
            text, sizeof(text),
            "{'$id': 'http://a/b/c/d;p?q', '$ref': '%s', '$defs': {'x': {'$id': '%s', 'const': "
            "1}}}",
            cases[i][0], cases[i][1]);
        compiled c;
        compile_quoted(&c, text, NULL);
        CHECK_MSG(c.schema != NULL, text);
        compiled_done(&c);
    }
}

static void memory_may_run_out_anywhere(void)
{
    static const char schema[] =
        "{'$id': 'http://a/', 'type': ['string', 'null', 'object'], 'enum': [1, 2], 'minLength': "
        "1, "
        "'pattern': '^[a-z]{2}\\\\s$', 'properties': {'a': {'$ref': '#/$defs/x'}, 'b': {'$ref': "
        "'#y'}}, 'required': ['a', 'q'], 'patternProperties': {'^x': {'minimum': 1}}, "
        "'dependentRequired': {'a': ['b']}, 'allOf': [{'$dynamicRef': '#d'}], 'prefixItems': "
        "[true], "
        "'$defs': {'x': {'not': {}}, 'y': {'$anchor': 'y', '$dynamicAnchor': 'd'}}}";
    lg_json_doc *doc = parse_quoted(schema);
    lg_schema_options options = {.closed_arguments = true};
    bool finished = false;
    int failures = 0;
    for (size_t limit = 1; !finished && limit < 4000000; limit = limit + 1 + limit / 40) {
        lg_arena arena;
        lg_arena error_arena;
        lg_errors errors;
        lg_arena_init(&arena, limit);
        lg_arena_init(&error_arena, 0);
        lg_errors_init(&errors, &error_arena, 10);
        const lg_schema *made = lg_schema_compile(&arena, lg_json_root(doc), &options, &errors);
        CHECK((made != NULL) == (errors.count == 0));
        if (!made && errors.count) {
            CHECK(errors.items[0].status == LG_ERR_OOM);
            failures++;
        }
        finished = made != NULL;
        lg_arena_done(&error_arena);
        lg_arena_done(&arena);
    }
    CHECK(finished && failures > 10);
    lg_json_doc_free(doc);
}

int main(void)
{
    RUN(malformed_keywords_are_refused);
    RUN(every_mistake_is_found_at_once);
    RUN(loops_without_input_are_refused);
    RUN(formats_that_cannot_be_asserted_are_refused);
    RUN(unknown_keywords_are_annotations);
    RUN(a_part_of_a_document_refers_to_it);
    RUN(the_registry_is_looked_up);
    RUN(unknown_vocabularies_are_refused);
    RUN(references_resolve_as_in_rfc_3986);
    RUN(memory_may_run_out_anywhere);
    return lg_test_done();
}
