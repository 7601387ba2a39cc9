// The ceilings of the JSON parser: just below passes, just above names the limit.
#include "lg_test.h"

#include "json/json.h"

static lg_error err;

static lg_status parse(lg_str text, const lg_limits *limits)
{
    lg_json_doc *doc = NULL;
    err = (lg_error){0};
    lg_status status = lg_json_parse(text, limits, &doc, &err);
    lg_json_doc_free(doc);
    return status;
}

static lg_str repeated(lg_buf *buf, const char *open, const char *middle, const char *close,
                       size_t count)
{
    lg_buf_clear(buf);
    for (size_t i = 0; i < count; i++) {
        lg_buf_add_c(buf, open);
    }
    lg_buf_add_c(buf, middle);
    for (size_t i = 0; i < count; i++) {
        lg_buf_add_c(buf, close);
    }
    return lg_buf_str(buf);
}

static void check_depth(lg_limits limits, uint32_t levels)
{
    lg_buf buf;
    lg_buf_init(&buf, 0);
    CHECK(parse(repeated(&buf, "[", "1", "]", levels), &limits) == LG_OK);
    CHECK(parse(repeated(&buf, "{\"a\":", "1", "}", levels), &limits) == LG_OK);
    CHECK(parse(repeated(&buf, "[", "1", "]", levels + 1), &limits) == LG_ERR_LIMIT);
    char want[100];
    snprintf(want, sizeof(want), "nested deeper than the limit of %u levels (json_depth)", levels);
    CHECK_STR(lg_str_c(err.msg), want);
    CHECK(err.line == 1 && err.column == levels + 1);
    CHECK(parse(repeated(&buf, "{\"a\":", "1", "}", levels + 1), &limits) == LG_ERR_LIMIT);
    CHECK_STR(lg_str_c(err.msg), want);
    lg_buf_done(&buf);
}

static void depth(void)
{
    check_depth((lg_limits){0}, 256);
    check_depth((lg_limits){.json_depth = 1}, 1);
    check_depth((lg_limits){.json_depth = 1000}, 1000);
    // Half of what the walkers can take is the most that one may ask for.
    check_depth((lg_limits){.json_depth = UINT32_MAX}, LG_JSON_DEPTH_MAX / 2);
}

static void text_bytes(void)
{
    lg_limits limits = {.json_bytes = 10};
    CHECK(parse(LG_STR("[1,2,3, 4]"), &limits) == LG_OK);
    CHECK(parse(LG_STR("[1,2,3,  4]"), &limits) == LG_ERR_LIMIT);
    CHECK_STR(lg_str_c(err.msg), "JSON text of 11 bytes, the limit is 10 (json_bytes)");
    // Of a file of lines, the limit is that of one text.
    lg_arena arena;
    lg_arena_init(&arena, 0);
    const lg_json *value = NULL;
    lg_str lines = LG_STR("[1,2,3, 4]\n[5]");
    CHECK(lg_json_parse_in(&arena, lines, 0, 10, &limits, &value, &err) == LG_OK);
    CHECK(lg_json_parse_in(&arena, lines, 11, 14, &limits, &value, &err) == LG_OK);
    CHECK(lg_json_parse_in(&arena, lines, 0, 11, &limits, &value, &err) == LG_ERR_LIMIT);
    CHECK_STR(lg_str_c(err.msg), "JSON text of 11 bytes, the limit is 10 (json_bytes)");
    lg_arena_done(&arena);
}

// Offsets have 32 bits. The text is never read, so it need not exist.
static void text_beyond_the_offsets(void)
{
#if SIZE_MAX > UINT32_MAX
    lg_limits limits = {.json_bytes = SIZE_MAX};
    lg_arena arena;
    lg_arena_init(&arena, 0);
    const lg_json *value = NULL;
    lg_str huge = {"1", (size_t)UINT32_MAX + 5};
    CHECK(lg_json_parse_in(&arena, huge, 0, UINT32_MAX, &limits, &value, &err) == LG_ERR_LIMIT);
    CHECK_STR(lg_str_c(err.msg), "text of 4294967295 bytes, offsets reach to 4294967294");
    CHECK(lg_json_parse(huge, &limits, &(lg_json_doc *){NULL}, &err) == LG_ERR_LIMIT);
    CHECK_STR(lg_str_c(err.msg),
              "JSON text of 4294967300 bytes, the limit is 4294967294 (json_bytes)");
    lg_arena_done(&arena);
#endif
}

static void string_bytes(void)
{
    lg_limits limits = {.json_string_bytes = 4};
    CHECK(parse(LG_STR("\"abcd\""), &limits) == LG_OK);
    CHECK(parse(LG_STR("{\"abcd\":12345}"), &limits) == LG_OK);
    CHECK(parse(LG_STR("\"\\u0061bc\\n\""), &limits) == LG_OK); // decoded bytes count
    static const char *const longer[] = {"\"abcde\"", "[\"\\u0061bcde\"]", "{\"abcde\":1}",
                                         "\"\\u20ac\\u20ac\""};
    for (size_t i = 0; i < sizeof(longer) / sizeof(longer[0]); i++) {
        CHECK_MSG(parse(lg_str_c(longer[i]), &limits) == LG_ERR_LIMIT, longer[i]);
        CHECK_STR(lg_str_c(err.msg), "string longer than the limit of 4 bytes (json_string_bytes)");
    }
}

static void number_bytes(void)
{
    lg_limits limits = {.json_string_bytes = 25};
    CHECK(parse(LG_STR("1234567890123456789012345"), &limits) == LG_OK);
    CHECK(parse(LG_STR("12345678901234567890123456"), &limits) == LG_ERR_LIMIT);
    CHECK_STR(lg_str_c(err.msg), "number longer than the limit of 25 bytes (json_string_bytes)");
    // A double keeps no text, so its length does not matter.
    CHECK(parse(LG_STR("1.2345678901234567890123456789"), &limits) == LG_OK);
    CHECK(parse(LG_STR("1e100000000000000000"), NULL) == LG_OK);
    CHECK(parse(LG_STR("1e100000000000000001"), NULL) == LG_ERR_LIMIT);
    CHECK_STR(lg_str_c(err.msg), "the exponent of this number is beyond the limit of 10^17");
}

// The smallest budget that a text passes with: one byte less names the limit.
static void check_memory(lg_str text)
{
    size_t low = 1;
    size_t high = text.len * 64 + 100000;
    CHECK(parse(text, &(lg_limits){.document_bytes = high}) == LG_OK);
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        lg_status status = parse(text, &(lg_limits){.document_bytes = middle});
        CHECK(status == LG_OK || status == LG_ERR_LIMIT);
        if (status == LG_OK) {
            high = middle;
        } else {
            char want[100];
            snprintf(want, sizeof(want),
                     "more memory needed than the limit of %zu bytes (document_bytes)", middle);
            CHECK_STR(lg_str_c(err.msg), want);
            low = middle;
        }
    }
    CHECK_MSG(high > text.len && high < text.len * 64, "the budget is near the need");
}

static void document_bytes(void)
{
    lg_buf buf;
    lg_buf_init(&buf, 0);
    check_memory(LG_STR("{\"a\":[1,2,3],\"text with an escape\":\"\\n and more of it\"}"));
    check_memory(repeated(&buf, "[", "1,2,3", ",4]", 200));
    lg_buf_clear(&buf);
    lg_buf_add_c(&buf, "[0");
    lg_buf_add_repeat(&buf, ' ', 10);
    for (int i = 0; i < 20000; i++) {
        lg_buf_add_c(&buf, ",1");
    }
    lg_buf_add_c(&buf, "]");
    check_memory(lg_buf_str(&buf));
    lg_buf_done(&buf);
}

// A caller's arena may allow more than the limits, or less: the smaller counts.
static void memory_of_an_arena(void)
{
    lg_buf buf;
    lg_buf_init(&buf, 0);
    lg_str text = repeated(&buf, "[[],", "[]", "]", 200);
    const lg_json *value = NULL;
    lg_arena arena;
    lg_arena_init(&arena, 0);
    lg_limits limits = {.document_bytes = 1000};
    CHECK(lg_json_parse_in(&arena, text, 0, text.len, &limits, &value, &err) == LG_ERR_LIMIT);
    CHECK(lg_json_parse_in(&arena, text, 0, text.len, NULL, &value, &err) == LG_OK);
    CHECK_MSG(arena.limit_bytes == SIZE_MAX, "the arena's own limit is as before");
    lg_arena_done(&arena);
    lg_arena_init(&arena, 1000);
    CHECK(lg_json_parse_in(&arena, text, 0, text.len, NULL, &value, &err) == LG_ERR_LIMIT);
    CHECK_STR(lg_str_c(err.msg), "more memory needed than the limit of 1000 bytes (memory_bytes)");
    CHECK(arena.limit_bytes == 1000);
    lg_arena_done(&arena);
    lg_buf_done(&buf);
}

// Texts that are small on disk and made to be slow: all are done in time that grows with their size.
static void hostile_shapes_are_bounded(void)
{
    lg_buf buf;
    lg_buf_init(&buf, 0);
    CHECK(parse(repeated(&buf, "[", "", "", 1000000), NULL) == LG_ERR_LIMIT);
    CHECK(parse(repeated(&buf, "{\"\":[", "", "", 1000000), NULL) == LG_ERR_LIMIT);
    // A million keys that differ only in the middle: no fingerprint tells them apart.
    lg_buf_clear(&buf);
    for (int i = 0; i < 200000; i++) {
        lg_buf_addf(&buf, "%s\"aaaaaaaaaaaaaaaa%07daaaaaaaaaaaaaaaa\":0", i ? "," : "{",
                    (int)((i * 7919LL) % 200003));
    }
    lg_buf_add_c(&buf, "}");
    CHECK(parse(lg_buf_str(&buf), NULL) == LG_OK);
    // Digits without end, before and behind the point, and in the exponent.
    static const char *const digits[] = {"1", "0.", "1.", "-1e", "0.0e-", "1e-"};
    for (size_t i = 0; i < sizeof(digits) / sizeof(digits[0]); i++) {
        lg_buf_clear(&buf);
        lg_buf_add_c(&buf, digits[i]);
        lg_buf_add_repeat(&buf, '7', 1000000);
        lg_status status = parse(lg_buf_str(&buf), NULL);
        CHECK_MSG(status == (i == 3 ? LG_ERR_LIMIT : LG_OK), digits[i]);
    }
    // Nothing but escapes; and a string that is never closed.
    CHECK(parse(repeated(&buf, "\\n", "\"", "", 1000000), NULL) == LG_ERR_PARSE);
    lg_buf_clear(&buf);
    lg_buf_add_c(&buf, "\"");
    for (int i = 0; i < 500000; i++) {
        lg_buf_add_c(&buf, "\\\"");
    }
    CHECK(parse(lg_buf_str(&buf), NULL) == LG_ERR_PARSE);
    lg_buf_add_c(&buf, "\"");
    CHECK(parse(lg_buf_str(&buf), NULL) == LG_OK);
    lg_buf_done(&buf);
}

int main(void)
{
    RUN(depth);
    RUN(text_bytes);
    RUN(text_beyond_the_offsets);
    RUN(string_bytes);
    RUN(number_bytes);
    RUN(document_bytes);
    RUN(memory_of_an_arena);
    RUN(hostile_shapes_are_bounded);
    return lg_test_done();
}
