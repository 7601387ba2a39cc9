// The printers, the writer and the hash.
#include "dice.h"
#include "lg_test.h"

#include "base/hash.h"
#include "base/str.h"
#include "json/json.h"
#include "json/writer.h"

typedef void (*printer)(lg_buf *out, const lg_json *value);

static void check_print(printer print, const char *text, const char *want)
{
    lg_json_doc *doc = NULL;
    CHECK_MSG(lg_json_parse(lg_str_c(text), NULL, &doc, NULL) == LG_OK, text);
    lg_buf out;
    lg_buf_init(&out, 0);
    if (doc) {
        print(&out, lg_json_root(doc));
    }
    CHECK_STR(lg_buf_str(&out), want);
    lg_buf_done(&out);
    lg_json_doc_free(doc);
}

static void pretty_is_for_people(void)
{
    check_print(lg_json_print_pretty, "1", "1");
    check_print(lg_json_print_pretty, "[]", "[]");
    check_print(lg_json_print_pretty, "{}", "{}");
    check_print(lg_json_print_pretty, "{\"a\":[1,{\"b\":null},[]],\"c\":{}}",
                "{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    },\n    []\n  ],\n"
                "  \"c\": {}\n}");
}

// The examples of RFC 8785: sections 3.2.2, 3.2.3 and the output of 3.2.4.
static void canonical_is_rfc_8785(void)
{
    check_print(lg_json_print_canonical,
                "{\n"
                "  \"numbers\": [333333333.33333329, 1E30, 4.50, 2e-3, "
                "0.000000000000000000000000001],\n"
                "  \"string\": \"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\\"\\/\",\n"
                "  \"literals\": [null, true, false]\n"
                "}",
                "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,"
                "1e-27],\"string\":\"\xE2\x82\xAC$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
    check_print(lg_json_print_canonical,
                "{\"\\u20ac\": \"Euro Sign\", \"\\r\": \"Carriage Return\","
                " \"\\ufb33\": \"Hebrew Letter Dalet With Dagesh\", \"1\": \"One\","
                " \"\\ud83d\\ude00\": \"Emoji: Grinning Face\", \"\\u0080\": \"Control\","
                " \"\\u00f6\": \"Latin Small Letter O With Diaeresis\"}",
                "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\xC2\x80\":\"Control\","
                "\"\xC3\xB6\":\"Latin Small Letter O With Diaeresis\","
                "\"\xE2\x82\xAC\":\"Euro Sign\",\"\xF0\x9F\x98\x80\":\"Emoji: Grinning Face\","
                "\"\xEF\xAC\xB3\":\"Hebrew Letter Dalet With Dagesh\"}");
    check_print(lg_json_print_canonical, "{\"b\":1,\"a\":{\"z\":[],\"y\":{}},\"\":0,\"aa\":2}",
                "{\"\":0,\"a\":{\"y\":{},\"z\":[]},\"aa\":2,\"b\":1}");
    check_print(lg_json_print_canonical,
                "[9007199254740993,18446744073709551615,123456789012345678901,1e400,-0,1.0]",
                "[9007199254740993,18446744073709551615,123456789012345678901,1e400,0,1]");
    // U+10FFFF, U+10000: two surrogates. U+E000, U+FFFF: behind all surrogates. U+D7FF: before.
    check_print(lg_json_print_canonical,
                "{\"\\uFFFF\":0,\"\\uE000\":1,\"\\uDBFF\\uDFFF\":2,\"\\uD800\\uDC00\":3,"
                "\"\\uD7FF\":4,\"\\uE000\\uD800\\uDC00\":5}",
                "{\"\xED\x9F\xBF\":4,\"\xF0\x90\x80\x80\":3,\"\xF4\x8F\xBF\xBF\":2,"
                "\"\xEE\x80\x80\":1,\"\xEE\x80\x80\xF0\x90\x80\x80\":5,\"\xEF\xBF\xBF\":0}");
}

// More members than fit the frame of the printer, from the last key to the first.
static void canonical_sorts_large_objects(void)
{
    lg_buf text;
    lg_buf want;
    lg_buf_init(&text, 0);
    lg_buf_init(&want, 0);
    for (int i = 0; i < 200; i++) {
        lg_buf_addf(&text, "%s\"%03d\":0", i ? "," : "{", 199 - i);
        lg_buf_addf(&want, "%s\"%03d\":0", i ? "," : "{", i);
    }
    lg_buf_add(&text, (lg_str){"}", 2}); // with its NUL
    lg_buf_add(&want, (lg_str){"}", 2});
    check_print(lg_json_print_canonical, text.ptr, want.ptr);
    lg_buf_done(&text);
    lg_buf_done(&want);
}

static void strings_are_escaped_and_mended(void)
{
    static const struct {
        lg_str raw;
        const char *printed;
    } rows[] = {
        {{"", 0}, "\"\""},
        {{NULL, 0}, "\"\""},
        {{"a\"b\\c/d", 7}, "\"a\\\"b\\\\c/d\""},
        {{"\b\f\n\r\t", 5}, "\"\\b\\f\\n\\r\\t\""},
        {{"\0\x01\x0b\x1f\x7f", 5}, "\"\\u0000\\u0001\\u000b\\u001f\x7f\""},
        {{"caf\xC3\xA9 \xF0\x9F\x98\x80", 10}, "\"caf\xC3\xA9 \xF0\x9F\x98\x80\""},
        {{"a\xFF"
          "b",
          3},
         "\"a\xEF\xBF\xBD"
         "b\""},
        {{"\xC3", 1}, "\"\xEF\xBF\xBD\""},
        {{"\xED\xA0\x80", 3}, "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
        {{"forty plain bytes and then a \"quotation\"!", 41},
         "\"forty plain bytes and then a \\\"quotation\\\"!\""},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        lg_buf out;
        lg_buf_init(&out, 0);
        lg_json_print_str(&out, rows[i].raw);
        CHECK_STR(lg_buf_str(&out), rows[i].printed);
        lg_buf_done(&out);
    }
}

// Pieces that are printed in different ways, and how each is.
static const struct piece {
    const char *raw;
    const char *printed;
} pieces[] = {
    {"\"", "\\\""},
    {"\\", "\\\\"},
    {"\n", "\\n"},
    {"\x01", "\\u0001"},
    {"plain", "plain"},
    {"a text that is longer than a step", "a text that is longer than a step"},
    {"\xC3\xA9", "\xC3\xA9"},
};

static void check_pieces(lg_str raw, lg_str printed)
{
    lg_buf out;
    lg_arena arena;
    const lg_json *list;
    lg_arena_init(&arena, 0);
    lg_buf_init(&out, printed.len + 2); // just so much: no room is taken that is not needed
    lg_json_print_str(&out, raw);
    CHECK(lg_buf_status(&out) == LG_OK);
    CHECK(lg_str_eq(lg_str_slice(lg_buf_str(&out), 1, out.len - 1), printed));
    lg_str text = lg_arena_printf(&arena, "[%.*s ,1]", LG_FMT(lg_buf_str(&out)));
    CHECK(lg_json_parse_in(&arena, text, 0, text.len, NULL, &list, NULL) == LG_OK);
    CHECK(lg_json_end(text, lg_json_item(list, 0)) == out.len + 1);
    lg_buf_done(&out);
    lg_buf_init(&out, printed.len + 1);
    lg_json_print_str(&out, raw);
    CHECK(lg_buf_status(&out) == LG_ERR_LIMIT);
    lg_buf_done(&out);
    lg_arena_done(&arena);
}

// What is escaped in runs, cut into steps, comes out as piece by piece, and ends where it ends.
static void long_strings_are_escaped_as_short_ones(void)
{
    dice d = dice_of(7);
    for (size_t round = 0; round < 300; round++) {
        lg_buf raw;
        lg_buf printed;
        lg_buf_init(&raw, 0);
        lg_buf_init(&printed, 0);
        size_t kinds = 1 + dice_below(&d, LG_COUNT(pieces));
        for (size_t left = dice_below(&d, 400); left > 0; left--) {
            const struct piece *p = &pieces[dice_below(&d, (uint32_t)kinds)];
            lg_buf_add_c(&raw, p->raw);
            lg_buf_add_c(&printed, p->printed);
        }
        check_pieces(lg_buf_str(&raw), lg_buf_str(&printed));
        lg_buf_done(&raw);
        lg_buf_done(&printed);
    }
}

static void the_hash_is_of_the_canonical_form(void)
{
    lg_json_doc *a = NULL;
    lg_json_doc *b = NULL;
    CHECK(lg_json_parse(LG_STR("{ \"b\": 1.0, \"a\": \"\\u0041\" }"), NULL, &a, NULL) == LG_OK);
    CHECK(lg_json_parse(LG_STR("{\"a\":\"A\",\"b\":1}"), NULL, &b, NULL) == LG_OK);
    char hash_a[65];
    char hash_b[65];
    char want[65];
    CHECK(lg_json_hash(lg_json_root(a), hash_a) == LG_OK);
    CHECK(lg_json_hash(lg_json_root(b), hash_b) == LG_OK);
    lg_sha256_hex(LG_STR("{\"a\":\"A\",\"b\":1}"), want);
    CHECK_STR(lg_str_c(hash_a), want);
    CHECK_STR(lg_str_c(hash_b), want);
    lg_json_doc_free(a);
    lg_json_doc_free(b);
}

static void the_writer_puts_the_commas(void)
{
    lg_buf buf;
    lg_buf_init(&buf, 0);
    lg_json_writer w = {.out = &buf};
    lg_json three = lg_json_make_int(3);
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "empty");
    lg_jw_begin_array(&w);
    lg_jw_end_array(&w);
    lg_jw_key_str(&w, LG_STR("all"));
    lg_jw_begin_array(&w);
    lg_jw_str(&w, LG_STR("a\n"));
    lg_jw_c(&w, "c");
    lg_jw_c(&w, NULL);
    lg_jw_int(&w, INT64_MIN);
    lg_jw_uint(&w, UINT64_MAX);
    lg_jw_double(&w, 2.0);
    lg_jw_bool(&w, true);
    lg_jw_bool(&w, false);
    lg_jw_null(&w);
    lg_jw_json(&w, &three);
    lg_jw_json(&w, NULL);
    lg_jw_begin_object(&w);
    lg_jw_end_object(&w);
    lg_jw_end_array(&w);
    lg_jw_key(&w, "last");
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "x");
    lg_jw_int(&w, 1);
    lg_jw_end_object(&w);
    lg_jw_end_object(&w);
    CHECK_STR(lg_buf_str(&buf),
              "{\"empty\":[],\"all\":[\"a\\n\",\"c\",\"\",-9223372036854775808,"
              "18446744073709551615,2.0,true,false,null,3,null,{}],\"last\":{\"x\":1}}");
    lg_json_doc *doc = NULL;
    CHECK(lg_json_parse(lg_buf_str(&buf), NULL, &doc, NULL) == LG_OK);
    lg_json_doc_free(doc);
    lg_buf_done(&buf);
}

static void a_full_buffer_stays_failed(void)
{
    lg_json_doc *doc = NULL;
    CHECK(lg_json_parse(LG_STR("[1,[2,{\"a\":\"text\"}]]"), NULL, &doc, NULL) == LG_OK);
    for (size_t limit = 1; limit < 19; limit++) {
        lg_buf out;
        lg_buf_init(&out, limit);
        lg_json_print(&out, lg_json_root(doc));
        CHECK(lg_buf_status(&out) == LG_ERR_LIMIT);
        lg_buf_done(&out);
    }
    lg_json_doc_free(doc);
}

int main(void)
{
    RUN(pretty_is_for_people);
    RUN(canonical_is_rfc_8785);
    RUN(canonical_sorts_large_objects);
    RUN(strings_are_escaped_and_mended);
    RUN(long_strings_are_escaped_as_short_ones);
    RUN(the_hash_is_of_the_canonical_form);
    RUN(the_writer_puts_the_commas);
    RUN(a_full_buffer_stays_failed);
    return lg_test_done();
}
