// Reading, comparing, making and copying values.
#include "lg_test.h"

#include "json/json.h"

#include <math.h>

static lg_arena arena; // of the running test

static const lg_json *parse(const char *text)
{
    const lg_json *value = NULL;
    lg_str s = lg_str_c(text);
    lg_status status = lg_json_parse_in(&arena, s, 0, s.len, NULL, &value, NULL);
    CHECK_MSG(status == LG_OK, text);
    return value;
}

static void readers_take_anything(void)
{
    const lg_json *v = parse("{\"s\":\"text\",\"a\":[10,20],\"t\":true,\"n\":null,\"i\":7}");
    CHECK_STR(lg_json_str(lg_json_get(v, LG_STR("s"))), "text");
    CHECK(lg_json_len(v) == 5);
    CHECK(lg_json_len(lg_json_get(v, LG_STR("a"))) == 2);
    CHECK(lg_json_item(lg_json_get(v, LG_STR("a")), 1)->as.i64 == 20);
    CHECK(lg_json_item(lg_json_get(v, LG_STR("a")), 2) == NULL);
    CHECK(lg_json_is_true(lg_json_get(v, LG_STR("t"))));
    CHECK(!lg_json_is_true(lg_json_get(v, LG_STR("n"))));
    CHECK(lg_json_get(v, LG_STR("missing")) == NULL);
    CHECK(lg_json_get(NULL, LG_STR("s")) == NULL);
    CHECK(lg_json_get(lg_json_get(v, LG_STR("s")), LG_STR("s")) == NULL);
    CHECK(lg_json_item(v, 0) == NULL);
    CHECK(lg_json_item(NULL, 0) == NULL);
    CHECK(lg_json_len(NULL) == 0 && lg_json_len(lg_json_get(v, LG_STR("s"))) == 0);
    CHECK_STR(lg_json_str(lg_json_get(v, LG_STR("i"))), "");
    CHECK_STR(lg_json_str(NULL), "");
    CHECK(!lg_json_is_number(NULL) && !lg_json_is(NULL, LG_JSON_NULL));
    CHECK_STR(lg_json_key(lg_json_member_at(v, 2)), "t");
}

// An object of `count` members, key `k<i>` with value i, in an order that is not sorted.
static lg_json make_big(size_t count)
{
    lg_json_member *members = lg_json_alloc_members(&arena, count);
    for (size_t i = 0; i < count; i++) {
        size_t number = i * 7919 % count;
        lg_str key = lg_arena_printf(&arena, "k%zu", number);
        members[i] = lg_json_make_member(key, lg_json_make_int((int64_t)number));
    }
    return lg_json_make_object(members, count);
}

static void large_objects_are_found_by_index(void)
{
    static const size_t counts[] = {0, 1, 24, 25, 100, 3001};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        lg_json made = make_big(counts[i]);
        lg_buf out;
        lg_buf_init(&out, 0);
        lg_json_print(&out, &made);
        lg_buf_add_byte(&out, '\0');
        const lg_json *parsed = parse(out.ptr);
        const lg_json *copied = lg_json_copy(&arena, &made);
        const lg_json *const all[] = {&made, parsed, copied};
        for (size_t a = 0; a < 3; a++) {
            CHECK(lg_json_len(all[a]) == counts[i]);
            for (size_t k = 0; k < counts[i]; k++) {
                char key[24];
                snprintf(key, sizeof(key), "k%zu", k);
                const lg_json *v = lg_json_get(all[a], lg_str_c(key));
                CHECK(v && v->as.i64 == (int64_t)k);
            }
            CHECK(lg_json_get(all[a], LG_STR("k")) == NULL);
            CHECK(lg_json_get(all[a], LG_STR("kx")) == NULL);
            CHECK(lg_json_get(all[a], LG_STR("k99999999")) == NULL);
            CHECK(lg_json_get(all[a], LG_STR("")) == NULL);
        }
        CHECK(lg_json_equal(&made, parsed) && lg_json_equal(parsed, copied));
        lg_buf_done(&out);
    }
}

typedef struct comparison {
    const char *a;
    const char *b;
    int order; // of a against b
} comparison;

static const comparison numbers[] = {
    {"1", "1", 0},
    {"1", "2", -1},
    {"1", "1.0", 0},
    {"-1", "-1.5", 1},
    {"0", "-0", 0},
    {"0", "-0.0e5", 0},
    {"2", "1.9999999999999998", 1},
    {"9007199254740993", "9007199254740992.0", 1},
    {"9007199254740993", "9007199254740994.0", -1},
    {"9223372036854775807", "9223372036854775808", -1},
    {"9223372036854775807", "9223372036854775807.0", -1}, // the double is 2^63
    {"9223372036854775808", "9223372036854775808.0", 0},
    {"18446744073709551615", "18446744073709551615.0", -1}, // the double is 2^64
    {"18446744073709551616", "18446744073709551616.0", 0},
    {"18446744073709551617", "18446744073709551616.0", 1},
    {"18446744073709551615", "18446744073709551616", -1},
    {"-9223372036854775808", "-9223372036854775809", 1},
    {"-9223372036854775808", "-9223372036854775808.0", 0},
    {"-9223372036854775809", "-9223372036854775808.0", -1},
    {"18446744073709551615", "-1", 1},
    {"18446744073709551615", "1e300", -1},
    {"18446744073709551615", "0.5", 1},
    {"9223372036854775807", "1e300", -1},
    {"-5", "-1e300", 1},
    {"100000000000000000000", "1e20", 0},
    {"100000000000000000001", "1e20", 1},
    {"100000000000000000000", "1.5", 1},
    {"-100000000000000000000", "1.5", -1},
    {"-100000000000000000000", "-1.5", -1},
    {"100000000000000000000", "-1e300", 1},
    {"1000000000000000000000000", "1e24", 1}, // the double nearest to 10^24 is below it
    {"100000000000000000000000", "99999999999999991611392.0", 1},
    {"99999999999999991611392", "1e23", 0},
    {"99999999999999991611391", "1e23", -1},
    {"123456789012345678901234567890", "123456789012345678901234567890", 0},
    {"123456789012345678901234567891", "123456789012345678901234567890", 1},
    {"-123456789012345678901234567891", "-123456789012345678901234567890", -1},
    {"1e400", "10e399", 0},
    {"1e400", "0.1e401", 0},
    {"1e400", "0.0001E+404", 0},
    {"1.50e400", "15e399", 0},
    {"1.5e400", "1.49999e400", 1},
    {"1e400", "1e401", -1},
    {"-1e400", "1e400", -1},
    {"-1e400", "-1e401", 1},
    {"1e400", "99999999999999999999999999", 1},
    {"1e400", "1.7976931348623157e308", 1},
    {"-1e400", "-1.7976931348623157e308", -1},
    {"1e400", "12", 1},
    {"1e99999999999999999", "1e99999999999999998", 1},
    {"12e99999999999999998", "1.2e99999999999999999", 0},
    {"1.1e400", "1.10e400", 0},
    {"1.01e400", "1.1e400", -1},
    {"1234.5678e400", "1.2345678e403", 0},
    {"1234.5678e400", "1234.56789e400", -1},
};

static void numbers_compare_by_their_exact_value(void)
{
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        const lg_json *a = parse(numbers[i].a);
        const lg_json *b = parse(numbers[i].b);
        int order = lg_json_number_cmp(a, b);
        int back = lg_json_number_cmp(b, a);
        char what[160];
        snprintf(what, sizeof(what), "%s against %s", numbers[i].a, numbers[i].b);
        CHECK_MSG((order > 0) - (order < 0) == numbers[i].order, what);
        CHECK_MSG((back > 0) - (back < 0) == -numbers[i].order, what);
        CHECK_MSG(lg_json_equal(a, b) == (numbers[i].order == 0), what);
    }
}

// What is identical prints the same bytes, and what prints the same bytes is identical.
static void identity_is_that_of_the_printed_bytes(void)
{
    static const char *const texts[] = {
        "null",
        "false",
        "true",
        "0",
        "-0.0",
        "0.0",
        "1",
        "1.0",
        "18446744073709551615",
        "1e400",
        "10e399",
        "\"\"",
        "\"a\"",
        "\"\\u0061\"",
        "\"1\"",
        "[]",
        "[1]",
        "[1.0]",
        "[1,2]",
        "{}",
        "{\"a\":1}",
        "{\"a\":[]}",
        "{\"a\":1,\"b\":2}",
        "{\"b\":2,\"a\":1}",
        "{\"b\":1}",
        "[{\"a\":{\"b\":[null,-0.0]}}]",
        "[{\"a\":{\"b\":[null,0.0]}}]",
    };
    for (size_t i = 0; i < LG_COUNT(texts); i++) {
        for (size_t j = 0; j < LG_COUNT(texts); j++) {
            const lg_json *a = parse(texts[i]);
            const lg_json *b = parse(texts[j]);
            lg_buf printed[2];
            lg_buf_init(&printed[0], 0);
            lg_buf_init(&printed[1], 0);
            lg_json_print(&printed[0], a);
            lg_json_print(&printed[1], b);
            bool same = lg_str_eq(lg_buf_str(&printed[0]), lg_buf_str(&printed[1]));
            CHECK_MSG(lg_json_identical(a, b) == same, texts[i]);
            CHECK_MSG(!same || lg_json_equal(a, b), texts[j]);
            lg_buf_done(&printed[0]);
            lg_buf_done(&printed[1]);
        }
    }
    CHECK(lg_json_identical(NULL, NULL) && !lg_json_identical(NULL, parse("null")));
}

static void equality_is_deep(void)
{
    static const struct {
        const char *a;
        const char *b;
        bool equal;
    } rows[] = {
        {"null", "null", true},
        {"null", "false", false},
        {"true", "true", true},
        {"true", "false", false},
        {"\"1\"", "1", false},
        {"\"a\"", "\"\\u0061\"", true},
        {"\"a\"", "\"ab\"", false},
        {"[1,2]", "[1.0,2e0]", true},
        {"[1,2]", "[2,1]", false},
        {"[1]", "[1,2]", false},
        {"[]", "{}", false},
        {"{\"a\":1,\"b\":[true]}", "{\"b\":[true],\"a\":1.0}", true},
        {"{\"a\":1}", "{\"b\":1}", false},
        {"{\"a\":1}", "{\"a\":2}", false},
        {"{\"a\":1}", "{\"a\":1,\"b\":2}", false},
        {"{\"a\":{\"b\":{}}}", "{\"a\":{\"b\":[]}}", false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const lg_json *a = parse(rows[i].a);
        const lg_json *b = parse(rows[i].b);
        CHECK_MSG(lg_json_equal(a, b) == rows[i].equal, rows[i].a);
        CHECK_MSG(lg_json_equal(b, a) == rows[i].equal, rows[i].b);
    }
    CHECK(lg_json_equal(NULL, NULL));
    CHECK(!lg_json_equal(NULL, parse("null")));
}

static void numbers_convert(void)
{
    static const struct {
        const char *text;
        bool is_int;
        int64_t i;
        bool is_double;
        double d;
    } rows[] = {
        {"7", true, 7, true, 7.0},
        {"7.0", true, 7, true, 7.0},
        {"-0", true, 0, true, -0.0},
        {"1e3", true, 1000, true, 1000.0},
        {"7.5", false, 0, true, 7.5},
        {"9223372036854775807", true, INT64_MAX, true, 0x1p63},
        {"9223372036854775808", false, 0, true, 0x1p63},
        {"9223372036854775808.0", false, 0, true, 0x1p63},
        {"-9223372036854775808.0", true, INT64_MIN, true, -0x1p63},
        {"-9223372036854777856.0", false, 0, true, -9223372036854777856.0},
        {"10000000000000000000999", false, 0, true, 1e22},
        {"1e400", false, 0, false, 0.0},
        {"\"7\"", false, 0, false, 0.0},
        {"null", false, 0, false, 0.0},
        {"[7]", false, 0, false, 0.0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const lg_json *v = parse(rows[i].text);
        int64_t n = 0;
        double d = 0.0;
        CHECK_MSG(lg_json_int(v, &n) == rows[i].is_int && n == rows[i].i, rows[i].text);
        CHECK_MSG(lg_json_double(v, &d) == rows[i].is_double, rows[i].text);
        CHECK_MSG(!(d < rows[i].d) && !(d > rows[i].d), rows[i].text);
        CHECK_MSG(signbit(d) == signbit(rows[i].d), rows[i].text);
    }
    int64_t n;
    double d;
    CHECK(!lg_json_int(NULL, &n) && !lg_json_double(NULL, &d));
}

static void made_values_are_like_parsed_ones(void)
{
    lg_json items[] = {lg_json_make_null(), lg_json_make_bool(true), lg_json_make_int(-3),
                       lg_json_make_double(0.5), lg_json_make_str(LG_STR("x"))};
    lg_json_member *members = lg_json_alloc_members(&arena, 2);
    members[0] = lg_json_make_member(LG_STR("list"), lg_json_make_array(items, 5));
    members[1] = lg_json_make_member(LG_STR("none"), lg_json_make_str((lg_str){NULL, 0}));
    lg_json made = lg_json_make_object(members, 2);
    CHECK(lg_json_equal(&made, parse("{\"list\":[null,true,-3,0.5,\"x\"],\"none\":\"\"}")));
    CHECK(made.offset == LG_JSON_NO_OFFSET && members[0].key_offset == LG_JSON_NO_OFFSET);
}

static void a_copy_points_at_nothing_outside(void)
{
    char text[] = "{\"k\":[\"s\",18446744073709551616,{\"\":{}},[],1.5,null,false]}";
    lg_str s = {text, sizeof(text) - 1};
    lg_arena other;
    lg_arena_init(&other, 0);
    const lg_json *value = NULL;
    CHECK(lg_json_parse_in(&arena, s, 0, s.len, NULL, &value, NULL) == LG_OK);
    const lg_json *copy = lg_json_copy(&other, value);
    lg_arena_reset(&arena);
    memset(text, 'x', sizeof(text));
    lg_buf out;
    lg_buf_init(&out, 0);
    lg_json_print(&out, copy);
    CHECK_STR(lg_buf_str(&out), "{\"k\":[\"s\",18446744073709551616,{\"\":{}},[],1.5,null,false]}");
    CHECK(copy->offset == 0);
    lg_buf_done(&out);
    lg_arena_done(&other);
}

// Arrays inside of arrays, made by hand: deeper than anything that was parsed.
static const lg_json *nested(size_t levels)
{
    lg_json *items = LG_NEW_ARRAY(&arena, lg_json, levels + 1);
    items[0] = lg_json_make_int(1);
    for (size_t i = 1; i <= levels; i++) {
        items[i] = lg_json_make_array(&items[i - 1], 1);
    }
    return &items[levels];
}

static void walkers_stop_at_the_greatest_depth(void)
{
    const lg_json *most = nested(LG_JSON_DEPTH_MAX);
    const lg_json *more = nested(LG_JSON_DEPTH_MAX + 1);
    lg_buf out;
    lg_buf_init(&out, 0);
    lg_json_print(&out, most);
    CHECK(lg_buf_status(&out) == LG_OK && out.len == 2 * LG_JSON_DEPTH_MAX + 1);
    lg_buf_clear(&out);
    lg_json_print_canonical(&out, more);
    CHECK(lg_buf_status(&out) == LG_ERR_LIMIT);
    lg_buf_done(&out);
    char hash[65];
    CHECK(lg_json_hash(most, hash) == LG_OK);
    CHECK(lg_json_hash(more, hash) == LG_ERR_LIMIT);
    CHECK(lg_json_equal(most, most));
    CHECK(!lg_json_equal(more, more));
    CHECK(lg_json_copy(&arena, most) != NULL);
    size_t held = arena.held_bytes;
    CHECK(lg_json_copy(&arena, more) == NULL);
    CHECK_MSG(arena.held_bytes == held, "a failed copy is rewound");
}

static void alone(void (*test)(void))
{
    lg_arena_init(&arena, 0);
    test();
    lg_arena_done(&arena);
}

#define RUN_ALONE(test)                                                                            \
    do {                                                                                           \
        lg_test_name = #test;                                                                      \
        alone(test);                                                                               \
    } while (0)

int main(void)
{
    RUN_ALONE(readers_take_anything);
    RUN_ALONE(large_objects_are_found_by_index);
    RUN_ALONE(numbers_compare_by_their_exact_value);
    RUN_ALONE(equality_is_deep);
    RUN_ALONE(identity_is_that_of_the_printed_bytes);
    RUN_ALONE(numbers_convert);
    RUN_ALONE(made_values_are_like_parsed_ones);
    RUN_ALONE(a_copy_points_at_nothing_outside);
    RUN_ALONE(walkers_stop_at_the_greatest_depth);
    return lg_test_done();
}
