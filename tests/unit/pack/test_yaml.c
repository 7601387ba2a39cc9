// test_yaml.c: YAML to values, and back to the place in the text.
#include "base/buf.h"
#include "lg_test.h"
#include "pack/yaml.h"

typedef struct yaml_case {
    const char *text;
    const char *json;  // the value as JSON, or NULL
    const char *error; // "line:column: start of the message"
} yaml_case;

static const yaml_case cases[] = {
    {"a: 1", "{\"a\":1}", NULL},
    {"a: 1.0.0", "{\"a\":\"1.0.0\"}", NULL},
    {"a: yes", "{\"a\":\"yes\"}", NULL},
    {"a: true\nb: null\nc: ~\nd:", "{\"a\":true,\"b\":null,\"c\":null,\"d\":null}", NULL},
    {"a: '1'", "{\"a\":\"1\"}", NULL},
    {"a: 0x10", "{\"a\":\"0x10\"}", NULL},
    {"a: -1.5e3", "{\"a\":-1500.0}", NULL},
    {"a: 12345678901234567890", "{\"a\":12345678901234567890}", NULL},
    {"[a, {b: c}, []]", "[\"a\",{\"b\":\"c\"},[]]", NULL},
    {"a: >-\n  one\n  two\n", "{\"a\":\"one two\"}", NULL},
    {"a: |\n  one\n  two\n", "{\"a\":\"one\\ntwo\\n\"}", NULL},
    {"{\"a\": 1}", "{\"a\":1}", NULL},
    {"# only a comment", NULL, "1:1: the file is empty"},
    {"a: 1\na: 2", NULL, "2:1: duplicate key `a`"},
    {"a: &x 1", NULL, "1:4: anchors"},
    {"a: *x", NULL, "1:4: anchors"},
    {"a: !!str 1", NULL, "1:4: anchors"},
    {"<<: {a: 1}", NULL, "1:1: merge keys"},
    {"? [a]\n: 1", NULL, "1:3: a key must be"},
    {"a: [1, 2", NULL, "1:9: not well-formed YAML"},
    {"a: 1\n--- \nb: 2", NULL, "2:1: a second YAML document"},
    {"{\"a\": }", NULL, "1:7:"},
    {"a:\r  b: *x", NULL, "1:9: anchors"}, // a lone CR ends no line that is counted
    {"a: \xff", NULL, "1:4: not valid UTF-8"},
};

static void values_and_errors(void)
{
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        lg_arena arena;
        lg_arena_init(&arena, 0);
        const lg_json *value = NULL;
        lg_error error = {0};
        lg_buf got;
        lg_buf_init(&got, 0);
        lg_status status = lg_yaml_parse(&arena, (lg_str){cases[i].text, strlen(cases[i].text)},
                                         "p.yaml", NULL, &value, &error);
        if (status == LG_OK) {
            lg_json_print(&got, value);
        } else {
            lg_buf_addf(&got, "%u:%u: %s", error.line, error.column, error.msg);
        }
        if (cases[i].json) {
            CHECK_STR(lg_buf_str(&got), cases[i].json);
        } else {
            lg_str start = lg_str_slice(lg_buf_str(&got), 0, strlen(cases[i].error));
            CHECK_STR(start, cases[i].error);
        }
        lg_buf_done(&got);
        lg_arena_done(&arena);
    }
}

typedef struct place_case {
    const char *text;
    const char *needle; // in the value of key `a`
    uint32_t line, column;
} place_case;

static const place_case places[] = {
    {"a: one two", "two", 1, 8},
    {"a: 'one two'", "two", 1, 9},
    {"a: 'it''s two'", "two", 1, 11},
    {"a: \"x\\\"y two\"", "two", 1, 10},
    {"a: >-\n    one\n    two\n    three", "three", 4, 5},
    {"a: >-\n\n  one\n  two", "two", 4, 3},
    {"a: |\n  one\n  two", "two", 3, 3},
    {"a: one\n   two\n   three", "three", 3, 4},
};

static void offsets_are_found_again(void)
{
    for (size_t i = 0; i < LG_COUNT(places); i++) {
        lg_arena arena;
        lg_arena_init(&arena, 0);
        const lg_json *value = NULL;
        lg_str text = lg_str_c(places[i].text);
        bool parsed = lg_yaml_parse(&arena, text, "p.yaml", NULL, &value, NULL) == LG_OK;
        if (CHECK_MSG(parsed, places[i].text)) {
            const lg_json *scalar = lg_json_get(value, LG_STR("a"));
            size_t at = lg_str_find(lg_json_str(scalar), lg_str_c(places[i].needle));
            lg_position got = lg_text_position(text, lg_yaml_locate(text, scalar, at));
            CHECK_MSG(got.line == places[i].line && got.column == places[i].column, places[i].text);
        }
        lg_arena_done(&arena);
    }
}

static void nesting_is_limited(void)
{
    for (int flow = 0; flow < 2; flow++) {
        lg_buf text;
        lg_buf_init(&text, 0);
        for (int i = 0; i < 10000; i++) {
            lg_buf_add_c(&text, flow ? "[" : "- ");
        }
        lg_arena arena;
        lg_arena_init(&arena, 0);
        const lg_json *value;
        lg_error error = {0};
        lg_status status =
            lg_yaml_parse(&arena, lg_buf_str(&text), "deep.yaml", NULL, &value, &error);
        CHECK(status == LG_ERR_LIMIT);
        CHECK(strstr(error.msg, "json_depth"));
        lg_buf_done(&text);
        lg_arena_done(&arena);
    }
}

// Places on one line of two hundred thousand nodes are found in time that grows with the line.
static void a_long_line_is_walked_once(void)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_buf_add_c(&text, "a: [");
    for (int i = 0; i < 200000; i++) {
        lg_buf_add_c(&text, "1,");
    }
    lg_buf_add_c(&text, "2]");
    lg_arena arena;
    lg_arena_init(&arena, 0);
    const lg_json *value = NULL;
    CHECK(lg_yaml_parse(&arena, lg_buf_str(&text), "long.yaml", NULL, &value, NULL) == LG_OK);
    const lg_json *last = lg_json_item(lg_json_get(value, LG_STR("a")), 200000);
    CHECK(last && last->offset == text.len - 2);
    lg_buf_done(&text);
    lg_arena_done(&arena);
}

int main(void)
{
    RUN(values_and_errors);
    RUN(offsets_are_found_again);
    RUN(nesting_is_limited);
    RUN(a_long_line_is_walked_once);
    return lg_test_done();
}
