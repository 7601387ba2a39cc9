// test_synthesise.c: what is made is valid, the same for the same seed, and honest when it cannot be.
#include "schema_test.h"

#include "base/alloc.h"
#include "schema/synthesise.h"

static const lg_schema_options with_formats = {.assert_formats = true};

// The instance as text in `out`, or the error's message behind "error: ".
static lg_status make_text(const char *schema, const lg_schema_options *options,
                           const lg_synthesis_options *how, char *out, size_t size_bytes)
{
    lg_arena arena;
    lg_error error = {.msg = "none"};
    const lg_json *made = NULL;
    lg_json_doc *doc = parse_quoted(schema);
    lg_arena_init(&arena, 0);
    lg_status status = LG_ERR_PARSE;
    snprintf(out, size_bytes, "error: the test's own schema");
    if (doc) {
        status = lg_schema_synthesise(&arena, lg_json_root(doc), options, how, &made, &error);
        CHECK_MSG((made != NULL) == (status == LG_OK), schema);
        snprintf(out, size_bytes, "error: %s", error.msg);
    }
    lg_json_doc_free(doc); // the instance must outlive the schema
    if (made) {
        lg_buf text;
        lg_buf_init(&text, 0);
        lg_json_print(&text, made);
        snprintf(out, size_bytes, "%.*s", LG_FMT(lg_buf_str(&text)));
        lg_buf_done(&text);
    }
    lg_arena_done(&arena);
    return status;
}

static void check_valid(const char *schema, const lg_schema_options *options, const char *instance)
{
    compiled c;
    compile_quoted(&c, schema, options);
    lg_json_doc *doc = NULL;
    bool ok = c.schema && lg_json_parse(lg_str_c(instance), NULL, &doc, NULL) == LG_OK &&
              lg_schema_validate(c.schema, lg_json_root(doc), NULL);
    if (!CHECK_MSG(ok, schema)) {
        printf("    %s\n", instance);
    }
    lg_json_doc_free(doc);
    compiled_done(&c);
}

enum { TEXT_MAX = 16384, SEEDS = 24 };

// Many seeds, each way of choosing members; twice, which must give the same.
static void check_schema(const char *schema, const lg_schema_options *options)
{
    static char text[TEXT_MAX];
    static char again[TEXT_MAX];
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        lg_synthesis_options how = {
            .seed = seed, .members = (lg_synthesis_members)(seed % 3), .made_up = seed % 2 == 1};
        lg_status status = make_text(schema, options, &how, text, sizeof(text));
        if (!CHECK_MSG(status == LG_OK, schema)) {
            printf("    seed %llu: %s\n", (unsigned long long)seed, text);
            return;
        }
        check_valid(schema, options, text);
        CHECK(make_text(schema, options, &how, again, sizeof(again)) == LG_OK);
        CHECK_STR(lg_str_c(again), text);
    }
}

// --- Every keyword --------------------------------------------------------------------------------

static const char *const keyword_schemas[] = {
    "true",
    "{}",
    "{'type': 'null'}",
    "{'type': 'boolean'}",
    "{'type': 'integer'}",
    "{'type': 'number'}",
    "{'type': 'string'}",
    "{'type': 'array'}",
    "{'type': 'object'}",
    "{'type': ['string', 'null']}",
    "{'enum': [1, 'a', null, {'b': [2]}]}",
    "{'enum': [1, 2, 'a'], 'type': 'string'}",
    "{'const': {'a': [1.50, 'x']}}",
    // Numbers.
    "{'type': 'integer', 'minimum': 3, 'maximum': 3}",
    "{'type': 'integer', 'exclusiveMinimum': 3, 'exclusiveMaximum': 5}",
    "{'type': 'number', 'exclusiveMinimum': 0, 'exclusiveMaximum': 1}",
    "{'type': 'number', 'exclusiveMinimum': 0, 'exclusiveMaximum': 1e-12}",
    "{'type': 'number', 'minimum': -0.1, 'maximum': -0.1}",
    "{'type': 'integer', 'minimum': 9007199254740993, 'maximum': 9007199254740993}",
    "{'type': 'integer', 'minimum': -9223372036854775808, 'maximum': -9223372036854775808}",
    "{'type': 'integer', 'minimum': 18446744073709551615}",
    "{'type': 'integer', 'minimum': 1e300}",
    "{'minimum': 1e400}",
    "{'type': 'integer', 'multipleOf': 7, 'minimum': 50, 'maximum': 56}",
    "{'type': 'number', 'multipleOf': 0.01, 'minimum': 0.07, 'maximum': 0.07}",
    "{'type': 'number', 'multipleOf': 0.01}",
    "{'allOf': [{'multipleOf': 6}, {'multipleOf': 0.04}], 'type': 'integer', 'minimum': 1}",
    "{'allOf': [{'multipleOf': 4}, {'multipleOf': 6}], 'minimum': 13, 'maximum': 24}",
    "{'type': 'integer', 'multipleOf': 1.5, 'minimum': 1}",
    "{'type': 'number', 'not': {'type': 'integer'}}",
    "{'type': 'number', 'not': {'minimum': -5}}",
    "{'type': 'integer', 'minimum': 0, 'maximum': 10, 'not': {'maximum': 9}}",
    // Strings.
    "{'type': 'string', 'minLength': 40, 'maxLength': 40}",
    "{'type': 'string', 'maxLength': 0}",
    "{'type': 'string', 'maxLength': 3, 'minLength': 2}",
    "{'type': 'string', 'pattern': '^[A-Z]{3}-[0-9]{4}$'}",
    "{'type': 'string', 'pattern': '^(foo|bar(baz)?)+$', 'minLength': 12}",
    "{'type': 'string', 'pattern': '^[^a-z]+$', 'maxLength': 5}",
    "{'type': 'string', 'pattern': 'x', 'minLength': 30}",
    "{'type': 'string', 'pattern': 'b$', 'minLength': 30, 'maxLength': 30}",
    "{'type': 'string', 'pattern': '^\\\\d+\\\\s\\\\w{2}\\\\S\\\\D\\\\W$'}",
    "{'type': 'string', 'pattern': '^\\\\p{Lu}\\\\p{L}*$'}",
    "{'type': 'string', 'pattern': '^(?<q>a|b)-\\\\k<q>-\\\\1$'}",
    "{'type': 'string', 'pattern': '^(?=.*[A-Z])(?=.*[0-9])[A-Za-z0-9]{8,}$'}",
    "{'type': 'string', 'pattern': '^(?!foo)[a-z]+$'}",
    "{'type': 'string', 'pattern': '^\\\\u0041\\\\x42[\\\\u{1F600}-\\\\u{1F64F}]$'}",
    "{'type': 'string', 'allOf': [{'pattern': '^[a-z]+$'}, {'minLength': 3}, {'maxLength': 4}]}",
    "{'type': 'string', 'pattern': '^.{0,3}$', 'not': {'maxLength': 1}}",
    "{'type': 'string', 'pattern': ''}",
    "{'type': 'string', 'pattern': '^$'}",
    "{'type': 'string', 'pattern': '^a{2,3}?b*c+?$'}",
    "{'type': 'string', 'format': 'email', 'minLength': 50}",
    "{'type': 'string', 'format': 'uri', 'maxLength': 8}",
    "{'type': 'string', 'format': 'uri', 'pattern': '^https://'}",
    // Arrays.
    "{'type': 'array', 'items': {'type': 'integer'}, 'minItems': 3, 'maxItems': 3}",
    "{'type': 'array', 'items': {'enum': [1, 2, 3]}, 'minItems': 3, 'uniqueItems': true}",
    "{'type': 'array', 'items': {'type': 'string', 'examples': ['one']}, 'minItems': 3, "
    "'uniqueItems': true}",
    "{'type': 'array', 'items': {'type': 'boolean'}, 'minItems': 2, 'uniqueItems': true}",
    "{'type': 'array', 'prefixItems': [{'type': 'string'}, {'const': 5}], 'items': false, "
    "'minItems': 2}",
    "{'type': 'array', 'prefixItems': [{'type': 'string'}], 'items': {'type': 'null'}, "
    "'minItems': 3}",
    "{'type': 'array', 'contains': {'const': 7}}",
    "{'type': 'array', 'items': {'type': 'integer', 'maximum': 9}, 'contains': {'minimum': 8}, "
    "'minContains': 2, 'maxContains': 2, 'minItems': 4}",
    "{'type': 'array', 'prefixItems': [{'const': 1}], 'contains': {'const': 2}, 'maxItems': 2}",
    "{'type': 'array', 'contains': true, 'minContains': 0, 'items': {'type': 'string'}}",
    "{'type': 'array', 'prefixItems': [{'type': 'string'}], 'unevaluatedItems': false}",
    "{'type': 'array', 'not': {'maxItems': 2}}",
    "{'type': 'array', 'not': {'items': {'type': 'string'}}}",
    // Objects.
    "{'type': 'object', 'properties': {'a': {'type': 'string'}, 'b': {'type': 'integer'}}, "
    "'required': ['b']}",
    "{'type': 'object', 'required': ['x', 'y']}",
    "{'type': 'object', 'properties': {'a': false, 'b': {}}, 'additionalProperties': false}",
    "{'type': 'object', 'additionalProperties': {'type': 'integer'}, 'minProperties': 5}",
    "{'type': 'object', 'patternProperties': {'^x-[a-z]{2}$': {'type': 'boolean'}}, "
    "'additionalProperties': false, 'minProperties': 3}",
    "{'type': 'object', 'propertyNames': {'pattern': '^[A-Z]{4}$'}, 'minProperties': 2}",
    "{'type': 'object', 'propertyNames': {'enum': ['p', 'q']}, 'minProperties': 2}",
    "{'type': 'object', 'properties': {'a': {}, 'b': {}, 'c': {}}, 'additionalProperties': false, "
    "'minProperties': 2, 'maxProperties': 2}",
    "{'type': 'object', 'maxProperties': 0, 'properties': {'a': {}}}",
    "{'type': 'object', 'properties': {'a': {}, 'b': {}}, 'dependentRequired': {'a': ['b', 'z']}}",
    "{'type': 'object', 'properties': {'a': {}}, 'required': ['a'], 'dependentSchemas': {'a': "
    "{'required': ['q'], 'properties': {'q': {'const': 3}}}}}",
    "{'type': 'object', 'properties': {'a': {}}, 'unevaluatedProperties': false, 'allOf': "
    "[{'properties': {'b': {'type': 'null'}}, 'required': ['b']}]}",
    "{'type': 'object', 'properties': {'a': {'type': 'string'}}, 'patternProperties': {'^a': "
    "{'minLength': 9}}, 'required': ['a']}",
    "{'type': 'object', 'not': {'required': ['a']}, 'properties': {'a': {}, 'b': {}}}",
    "{'type': 'object', 'not': {'properties': {'a': {'type': 'string'}}}}",
    "{'type': 'object', 'not': {'additionalProperties': false, 'properties': {'a': {}}}}",
    // Logic.
    "{'allOf': [{'type': 'object', 'properties': {'a': {'minimum': 5}}}, {'properties': {'a': "
    "{'type': 'integer', 'maximum': 6}}, 'required': ['a']}]}",
    "{'anyOf': [{'type': 'string'}, {'type': 'integer', 'minimum': 5}]}",
    "{'anyOf': [false, false, false, {'const': 'last'}]}",
    "{'oneOf': [{'type': 'number'}, {'type': 'integer'}]}",
    "{'oneOf': [{'minimum': 0}, {'maximum': 10}], 'type': 'integer'}",
    "{'type': 'object', 'properties': {'a': {}, 'b': {}}, 'oneOf': [{'required': ['a']}, "
    "{'required': ['b']}]}",
    "{'oneOf': [{'type': 'object', 'properties': {'e': {'type': 'array', 'items': {'type': "
    "'string'}}}}, {'type': 'object', 'properties': {'e': {'type': 'array', 'items': {'type': "
    "'object'}}}}]}",
    "{'oneOf': [{'type': 'array', 'items': {'type': 'string'}}, {'type': 'array', 'items': "
    "{'type': 'integer'}}]}",
    "{'not': {'type': ['string', 'object', 'array', 'number']}}",
    "{'not': {'not': {'type': 'boolean'}}}",
    "{'type': 'object', 'not': {'maxProperties': 2}}",
    "{'type': 'object', 'not': {'propertyNames': {'maxLength': 3}}}",
    "{'type': 'object', 'not': {'dependentRequired': {'a': ['b']}}}",
    "{'type': 'object', 'not': {'dependentSchemas': {'a': {'required': ['b']}}}}",
    "{'type': 'array', 'not': {'uniqueItems': true}}",
    "{'not': {'anyOf': [true, {'properties': {'a': true}}], 'unevaluatedProperties': false}}",
    "{'not': {'enum': ['', 0, null]}}",
    "{'type': 'string', 'not': {'minLength': 3}}",
    "{'type': 'object', 'properties': {'c': {'enum': ['US', 'DE']}, 'zip': {'type': 'string'}}, "
    "'required': ['c', 'zip'], 'if': {'properties': {'c': {'const': 'US'}}}, 'then': {'properties'"
    ": {'zip': {'pattern': '^[0-9]{5}$'}}}, 'else': {'properties': {'zip': {'pattern': "
    "'^D-[0-9]{5}$'}}}}",
    "{'if': {'type': 'string'}, 'then': false}",
    "{'if': {'type': 'string'}, 'else': false}",
    // References.
    "{'$ref': '#/$defs/a', '$defs': {'a': {'type': 'integer'}}}",
    "{'$defs': {'n': {'type': 'object', 'properties': {'next': {'$ref': '#/$defs/n'}, 'v': {'type'"
    ": 'integer'}}, 'required': ['v']}}, '$ref': '#/$defs/n'}",
    "{'$defs': {'n': {'type': 'object', 'properties': {'next': {'anyOf': [{'$ref': '#/$defs/n'}, "
    "{'type': 'null'}]}}, 'required': ['next']}}, '$ref': '#/$defs/n'}",
    "{'$defs': {'t': {'type': 'array', 'items': {'$ref': '#/$defs/t'}}}, '$ref': '#/$defs/t'}",
    "{'$defs': {'e': {'oneOf': [{'$ref': '#/$defs/add'}, {'type': 'integer'}]}, 'add': {'type': "
    "'object', 'properties': {'l': {'$ref': '#/$defs/e'}, 'r': {'$ref': '#/$defs/e'}}, 'required':"
    " ['l', 'r'], 'additionalProperties': false}}, '$ref': '#/$defs/e'}",
    "{'$id': 'https://example.com/tree', '$dynamicAnchor': 'node', 'type': 'object', 'properties':"
    " {'children': {'type': 'array', 'items': {'$dynamicRef': '#node'}}}, 'required': "
    "['children']}",
    // Annotations.
    "{'type': 'string', 'default': 5, 'examples': [6, 'seven']}",
};

static void every_keyword_is_honoured(void)
{
    for (size_t i = 0; i < LG_COUNT(keyword_schemas); i++) {
        check_schema(keyword_schemas[i], &with_formats);
    }
}

static void every_format_is_honoured(void)
{
    static const char *const formats[] = {"date-time",    "date",          "time",
                                          "duration",     "email",         "idn-email",
                                          "hostname",     "ipv4",          "ipv6",
                                          "uri",          "uri-reference", "iri",
                                          "uuid",         "regex",         "iri-reference",
                                          "uri-template", "json-pointer",  "int32",
                                          "made-up",      "double",        "relative-json-pointer"};
    for (size_t i = 0; i < LG_COUNT(formats); i++) {
        char schema[100];
        snprintf(schema, sizeof(schema), "{'type': 'string', 'format': '%s'}", formats[i]);
        check_schema(schema, &with_formats);
    }
}

static void other_dialects_are_honoured(void)
{
    static const struct {
        const char *schema;
        lg_schema_dialect dialect;
    } cases[] = {
        {"{'type': 'integer', 'minimum': 5, 'exclusiveMinimum': true, 'maximum': 6}",
         LG_SCHEMA_OPENAPI_3_0},
        {"{'type': 'string', 'nullable': true, 'example': null}", LG_SCHEMA_OPENAPI_3_0},
        {"{'type': 'object', 'required': ['a'], 'properties': {'a': {'type': 'string', 'nullable':"
         " true, 'enum': ['x', null]}}}",
         LG_SCHEMA_OPENAPI_3_0},
        {"{'type': 'array', 'items': [{'const': 1}, {'const': 2}], 'additionalItems': false, "
         "'minItems': 2}",
         LG_SCHEMA_7},
        {"{'type': 'object', 'required': ['a'], 'dependencies': {'a': ['b'], 'b': {'minProperties'"
         ": 3}}}",
         LG_SCHEMA_7},
        {"{'definitions': {'a': {'type': 'null'}}, '$ref': '#/definitions/a', 'type': 'string'}",
         LG_SCHEMA_7},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        check_schema(cases[i].schema, &(lg_schema_options){.dialect = cases[i].dialect});
    }
}

static void closed_arguments_stay_closed(void)
{
    lg_schema_options options = {.closed_arguments = true};
    check_schema("{'type': 'object', 'properties': {'a': {}}, 'minProperties': 1}", &options);
    check_schema("{'allOf': [{'properties': {'a': {}}}], 'type': 'object'}", &options);
}

// --- Choice ---------------------------------------------------------------------------------------

// With these options, every seed gives this.
static void members_examples_and_defaults_are_chosen(void)
{
    static const struct {
        const char *schema;
        lg_synthesis_options how;
        const char *want;
    } cases[] = {
        {"{'const': 'x'}", {0}, "\"x\""},
        {"{'type': 'string', 'examples': ['Lisbon']}", {0}, "\"Lisbon\""},
        {"{'type': 'string', 'default': 'Porto'}", {0}, "\"Porto\""},
        {"{'type': 'string', 'example': 'Faro'}", {0}, "\"Faro\""},
        {"{'type': 'integer', 'examples': ['no', 7]}", {0}, "7"},
        {"{'type': 'object', 'example': {'a': 1, 'b': 2}}", {0}, "{\"a\":1,\"b\":2}"},
        {"{'type': 'object', 'example': {'a': 1}, 'required': ['c'], 'properties': {'c': {'const': "
         "3}}}",
         {.members = LG_MEMBERS_REQUIRED},
         "{\"c\":3}"},
        {"{'type': 'object', 'properties': {'z': {'const': 1}, 'a': {'const': 2}, 'm': {'const': "
         "3}}, 'required': ['m']}",
         {.members = LG_MEMBERS_ALL},
         "{\"z\":1,\"a\":2,\"m\":3}"},
        {"{'type': 'object', 'properties': {'z': {'const': 1}, 'a': {'const': 2}}, 'required': "
         "['a']}",
         {.members = LG_MEMBERS_REQUIRED},
         "{\"a\":2}"},
        {"{'type': 'array', 'items': {'const': 1}}", {.members = LG_MEMBERS_REQUIRED}, "[]"},
        {"{'type': 'object', 'properties': {'next': {'$ref': '#'}}}",
         {.members = LG_MEMBERS_REQUIRED},
         "{}"},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            char text[256];
            lg_synthesis_options how = cases[i].how;
            how.seed = seed;
            CHECK_MSG(make_text(cases[i].schema, NULL, &how, text, sizeof(text)) == LG_OK,
                      cases[i].schema);
            CHECK_STR(lg_str_c(text), cases[i].want);
        }
    }
}

// Over the seeds, each of these is seen.
static void seeds_reach_every_branch(void)
{
    static const struct {
        const char *schema;
        const char *seen[5];
    } cases[] = {
        {"{'enum': [1, 2, 3]}", {"1", "2", "3"}},
        {"{'type': 'boolean'}", {"true", "false"}},
        {"{'anyOf': [{'const': 'a'}, {'const': 'b'}]}", {"\"a\"", "\"b\""}},
        {"{'type': ['null', 'boolean']}", {"null", "true", "false"}},
        {"{'type': 'integer', 'minimum': 1, 'maximum': 3}", {"1", "2", "3"}},
        {"{'type': 'object', 'properties': {'a': {'const': 1}}}", {"{}", "{\"a\":1}"}},
        {"{'if': {'const': 1}, 'then': {'const': 1}, 'else': {'const': 2}}", {"1", "2"}},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        for (size_t j = 0; cases[i].seen[j]; j++) {
            bool seen = false;
            for (uint64_t seed = 0; seed < 100 && !seen; seed++) {
                char text[256];
                lg_synthesis_options how = {.seed = seed};
                CHECK(make_text(cases[i].schema, NULL, &how, text, sizeof(text)) == LG_OK);
                seen = strcmp(text, cases[i].seen[j]) == 0;
            }
            if (!CHECK_MSG(seen, cases[i].schema)) {
                printf("    never %s\n", cases[i].seen[j]);
            }
        }
    }
}

static void seeds_differ(void)
{
    const char *schema = "{'type': 'object', 'required': ['id', 'when', 'who'], 'properties': "
                         "{'id': {'format': 'uuid'}, 'when': {'format': 'date-time'}, 'who': "
                         "{'type': 'string'}}}";
    char first[1024];
    char second[1024];
    size_t same = 0;
    for (uint64_t seed = 0; seed < 50; seed++) {
        CHECK(make_text(schema, NULL, &(lg_synthesis_options){.seed = seed}, first,
                        sizeof(first)) == LG_OK);
        CHECK(make_text(schema, NULL, &(lg_synthesis_options){.seed = seed + 1}, second,
                        sizeof(second)) == LG_OK);
        same += strcmp(first, second) == 0 ? 1 : 0;
    }
    CHECK(same == 0);
}

// Numbers are those of daily life, whatever a schema's bounds would allow; the words of a name say more.
static void numbers_are_plausible(void)
{
    static const struct {
        const char *name, *rules;
        double least, most;
    } cases[] = {
        {"id", "'minimum':-9223372036854775808,'maximum':9223372036854775807", 1, 1e6},
        {"any", "'minimum':-9223372036854775808,'maximum':9223372036854775807", 0, 1e6},
        {"any", "'minimum':-2147483648,'maximum':2147483647", 0, 1e6},
        {"any", "'maximum':-10", -1e9, -10},
        {"age", "'minimum':0", 18, 70},
        {"orderQuantity", "'maximum':100000", 1, 10},
        {"unit_price", "'minimum':0,'maximum':1e300", 5, 500},
        {"year", "'minimum':1", 2024, 2026},
        {"width", "'minimum':0", 0, 2000},
        {"total_count", "'minimum':0", 0, 50},
        {"page", "'minimum':1,'maximum':3", 1, 3},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        for (int whole = 0; whole < 2; whole++) {
            char schema[256];
            snprintf(schema, sizeof(schema),
                     "{'type':'object','required':['%s'],'properties':{'%s':{'type':'%s',%s}}}",
                     cases[i].name, cases[i].name, whole ? "integer" : "number", cases[i].rules);
            for (uint64_t seed = 0; seed < 40; seed++) {
                char text[256];
                lg_synthesis_options how = {.seed = seed, .made_up = true};
                CHECK(make_text(schema, NULL, &how, text, sizeof(text)) == LG_OK);
                double value = strtod(strchr(text, ':') + 1, NULL);
                CHECK_MSG(value >= cases[i].least && value <= cases[i].most, text);
            }
        }
    }
}

// The bytes themselves, so that a change of them is noticed: a recorded rehearsal depends on them.
static void bytes_of_a_seed_stay(void)
{
    char text[1024];
    const char *schema =
        "{'type': 'object', 'required': ['user_id', 'email', 'created_at', 'total'], 'properties':"
        " {'user_id': {'type': 'string'}, 'email': {'type': 'string'}, 'created_at': {'type': "
        "'string', 'format': 'date-time'}, 'total': {'type': 'number', 'minimum': 0}}}";
    CHECK(make_text(schema, NULL, &(lg_synthesis_options){.seed = 42}, text, sizeof(text)) ==
          LG_OK);
    CHECK_STR(lg_str_c(text), "{\"user_id\":\"UU55764\",\"email\":\"fern78@example.com\","
                              "\"created_at\":\"2026-11-23T07:40:00Z\",\"total\":62}");
}

// --- Failure --------------------------------------------------------------------------------------

static void what_cannot_be_is_named(void)
{
    static const struct {
        const char *schema;
        lg_status status;
        const char *want;
    } cases[] = {
        {"false", LG_ERR_USAGE,
         "error: no instance is valid: the schema: is `false` and allows nothing"},
        {"{'properties': {'a': false}, 'required': ['a'], 'type': 'object'}", LG_ERR_USAGE,
         "error: no instance is valid: /properties/a: is `false` and allows nothing"},
        {"{'type': 'integer', 'minimum': 6, 'maximum': 5}", LG_ERR_USAGE,
         "error: no instance is valid: /minimum: leaves nothing below the upper bound"},
        {"{'type': 'number', 'exclusiveMinimum': 5, 'maximum': 5}", LG_ERR_USAGE,
         "error: no instance is valid: /exclusiveMinimum: leaves nothing below the upper bound"},
        {"{'type': 'integer', 'multipleOf': 7, 'minimum': 8, 'maximum': 13}", LG_ERR_USAGE,
         "error: no instance is valid: /multipleOf: no number of the type that is wanted lies "
         "between the bounds"},
        {"{'type': 'integer', 'exclusiveMinimum': 5, 'exclusiveMaximum': 6}", LG_ERR_USAGE,
         "error: no instance is valid: the schema: no number of the type that is wanted lies "
         "between the bounds"},
        {"{'type': 'string', 'minLength': 3, 'maxLength': 2}", LG_ERR_USAGE,
         "error: no instance is valid: /minLength: is larger than `maxLength` allows"},
        {"{'type': 'array', 'minItems': 3, 'maxItems': 2}", LG_ERR_USAGE,
         "error: no instance is valid: /minItems: is more than the 2 items allowed"},
        {"{'type': 'array', 'prefixItems': [{}], 'items': false, 'minItems': 2}", LG_ERR_USAGE,
         "error: no instance is valid: /minItems: is more than the 1 items allowed"},
        {"{'type': 'object', 'required': ['a'], 'additionalProperties': false}", LG_ERR_USAGE,
         "error: no instance is valid: /additionalProperties: is `false` and allows nothing"},
        {"{'allOf': [{'type': 'string'}, {'type': 'null'}]}", LG_ERR_USAGE,
         "error: no instance is valid: the schema: allows no type, taken together"},
        {"{'type': 'string', 'enum': [1, 2]}", LG_ERR_USAGE,
         "error: no instance is valid: /enum: allows no value of the types that are allowed"},
        {"{'enum': ['a', 'b'], 'minLength': 2}", LG_ERR_USAGE,
         "error: no instance is valid: /enum: none of the allowed values is valid"},
        {"{'const': 5, 'maximum': 4}", LG_ERR_USAGE,
         "error: no instance is valid: /const: the one allowed value is not valid"},
        {"{'type': 'array', 'items': false, 'minItems': 1}", LG_ERR_USAGE,
         "error: no instance is valid: /minItems: is more than the 0 items allowed"},
        {"{'anyOf': [false, {'type': 'string', 'const': 1}]}", LG_ERR_USAGE,
         "error: no instance is valid: the schema: allows no type, taken together"},
        {"{'type': 'object', 'properties': {'next': {'$ref': '#'}}, 'required': ['next']}",
         LG_ERR_USAGE,
         "error: no instance is valid: the schema: has no finite instance, since it always leads "
         "back to itself"},
        {"{'type': 'string', 'allOf': [{'pattern': '^a+$'}, {'pattern': '^b+$'}]}", LG_ERR_LIMIT,
         NULL},
        {"{'type': 'array', 'items': {'type': 'boolean'}, 'minItems': 3, 'uniqueItems': true}",
         LG_ERR_LIMIT, NULL},
        {"{'type': 'string', 'minLength': 5000000}", LG_ERR_LIMIT,
         "error: no valid instance found in all attempts: /minLength: needs more than the 1048576 "
         "bytes of text allowed"},
        {"{'type': 'strin'}", LG_ERR_FORMAT,
         "error: /type: must be string, number, integer, boolean, array, object or null, but is "
         "the string \"strin\""},
        {"5", LG_ERR_FORMAT, "error: the schema: must be an object or a boolean"},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        char text[1024];
        lg_status status = make_text(cases[i].schema, NULL, NULL, text, sizeof(text));
        if (!CHECK_MSG(status == cases[i].status, cases[i].schema)) {
            printf("    %d: %s\n", (int)status, text);
        }
        if (cases[i].want) {
            CHECK_STR(lg_str_c(text), cases[i].want);
        }
    }
}

// Whichever bound is drawn, the answer is an instance within it or LG_ERR_LIMIT.
static void bounds_hold(void)
{
    static const struct {
        const char *schema;
        lg_synthesis_options enough;
        lg_synthesis_options less;
    } cases[] = {
        {"{'type': 'array', 'minItems': 50, 'items': {'type': 'null'}}",
         {.values = 51},
         {.values = 50}},
        {"{'type': 'array', 'minItems': 1, 'items': {'type': 'array', 'minItems': 1}}",
         {.depth = 2},
         {.depth = 1}},
        {"{'type': 'string', 'minLength': 100}", {.text_bytes = 100}, {.text_bytes = 99}},
        {"{'type': 'object', 'required': ['abcdef'], 'properties': {'abcdef': {'type': 'null'}}}",
         {.text_bytes = 6},
         {.text_bytes = 5}},
        {"{'type': 'array', 'minItems': 50, 'items': {'type': 'null'}}",
         {.steps = 4000},
         {.steps = 40}},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        char text[1024];
        CHECK_MSG(make_text(cases[i].schema, NULL, &cases[i].enough, text, sizeof(text)) == LG_OK,
                  cases[i].schema);
        lg_status status = make_text(cases[i].schema, NULL, &cases[i].less, text, sizeof(text));
        CHECK_MSG(status == LG_ERR_LIMIT, cases[i].schema);
        CHECK_MSG(strstr(text, "no valid instance found") != NULL, text);
    }
}

// What is wide and deep on purpose ends within the bounds.
static void hostile_schemas_end(void)
{
    static const char *const schemas[] = {
        "{'$defs': {'n': {'type': 'object', 'properties': {'a': {'$ref': '#/$defs/n'}, 'b': {'$ref'"
        ": '#/$defs/n'}, 'c': {'$ref': '#/$defs/n'}, 'd': {'$ref': '#/$defs/n'}}}}, '$ref': "
        "'#/$defs/n'}",
        "{'type': 'array', 'minItems': 9000000}",
        "{'type': 'object', 'minProperties': 9000000}",
        "{'type': 'object', 'minProperties': 3000}",
        "{'type': 'string', 'pattern': '^((((a{9}){9}){9}){9})*$'}",
        "{'type': 'string', 'pattern': '^(a|aa)+$', 'minLength': 100000, 'maxLength': 100000}",
        "{'allOf': [{'anyOf': [{'const': 1}, {'const': 2}]}, {'anyOf': [{'const': 3}, {'const': "
        "4}]}, {'anyOf': [{'const': 5}, {'const': 6}]}]}",
        "{'type': 'array', 'minItems': 2, 'items': {'$ref': '#'}}",
    };
    for (size_t i = 0; i < LG_COUNT(schemas); i++) {
        for (uint64_t seed = 0; seed < 6; seed++) {
            static char text[1 << 20];
            lg_synthesis_options how = {.seed = seed, .members = (lg_synthesis_members)(seed % 3)};
            lg_status status = make_text(schemas[i], NULL, &how, text, sizeof(text));
            CHECK_MSG(status == LG_OK || status == LG_ERR_LIMIT || status == LG_ERR_USAGE, text);
        }
    }
}

// The expression is long to read, and short to write and to match: `^x(?!aaa...)$`. `start` may say that nothing
// matches, so that all attempts are made.
static lg_status make_of_long_pattern(const char *start, uint64_t steps, char *text,
                                      size_t size_bytes)
{
    enum { LENGTH = 4000 };
    char schema[128 + LENGTH];
    int at = snprintf(schema, sizeof(schema), "{'type': 'string', 'pattern': '^%sx(?!", start);
    memset(schema + at, 'a', LENGTH);
    snprintf(schema + at + LENGTH, sizeof(schema) - LENGTH - (size_t)at, ")$'}");
    return make_text(schema, NULL, &(lg_synthesis_options){.steps = steps}, text, size_bytes);
}

static void a_pattern_is_read_once_and_that_costs_steps(void)
{
    static char text[TEXT_MAX];
    CHECK(make_of_long_pattern("", 10000, text, sizeof(text)) == LG_OK);
    CHECK_STR(lg_str_c(text), "\"x\"");
    CHECK(make_of_long_pattern("", 3000, text, sizeof(text)) == LG_ERR_LIMIT);
    CHECK_MSG(strstr(text, "within the limit of steps") != NULL, text);
    // Hundreds of rounds, and one reading.
    CHECK(make_of_long_pattern("(?!x)", 40000, text, sizeof(text)) == LG_ERR_LIMIT);
    CHECK_MSG(strstr(text, "in all attempts") != NULL, text);
}

static void every_failing_allocation_is_an_error(void)
{
    const char *schema =
        "{'type': 'object', 'properties': {'a': {'type': 'string', 'pattern': '^[a-z]{3}$'}, 'b': "
        "{'type': 'array', 'items': {'oneOf': [{'type': 'integer'}, {'type': 'string'}]}, "
        "'minItems': 3}}, 'required': ['a', 'b'], 'minProperties': 4}";
    lg_json_doc *doc = parse_quoted(schema);
    for (uint64_t n = 1, done = 0; !done && n < 1000; n++) {
        lg_arena arena;
        lg_error error = {.msg = ""};
        const lg_json *made = NULL;
        lg_arena_init(&arena, 0);
        lg_alloc_fail_at(n);
        lg_status status =
            lg_schema_synthesise(&arena, lg_json_root(doc), NULL, NULL, &made, &error);
        lg_alloc_fail_at(0);
        CHECK((status == LG_OK) == (made != NULL));
        CHECK(status == LG_OK || status == LG_ERR_OOM);
        done = status == LG_OK;
        CHECK(n < 999);
        lg_arena_done(&arena);
    }
    lg_json_doc_free(doc);
}

int main(void)
{
    RUN(every_keyword_is_honoured);
    RUN(every_format_is_honoured);
    RUN(other_dialects_are_honoured);
    RUN(closed_arguments_stay_closed);
    RUN(members_examples_and_defaults_are_chosen);
    RUN(seeds_reach_every_branch);
    RUN(seeds_differ);
    RUN(numbers_are_plausible);
    RUN(bytes_of_a_seed_stay);
    RUN(what_cannot_be_is_named);
    RUN(bounds_hold);
    RUN(hostile_schemas_end);
    RUN(a_pattern_is_read_once_and_that_costs_steps);
    RUN(every_failing_allocation_is_an_error);
    return lg_test_done();
}
