// What the parser accepts, what it makes of it, and what it says about the rest.
#include "lg_test.h"

#include "json/json.h"

static char message[512]; // the last error, as `line:column: text`

// Parses from an allocation of the exact size, so that a sanitizer sees the first byte beyond it.
static lg_json_doc *parse(const char *text, size_t len)
{
    char *exact = malloc(len ? len : 1);
    memcpy(exact, text, len);
    lg_arena arena;
    lg_arena_init(&arena, 0);
    lg_error err = {0};
    const lg_json *value = NULL;
    lg_status in = lg_json_parse_in(&arena, (lg_str){exact, len}, 0, len, NULL, &value, &err);
    lg_arena_done(&arena);

    lg_json_doc *doc = NULL;
    lg_status status = lg_json_parse((lg_str){exact, len}, NULL, &doc, &err);
    CHECK_MSG(in == status, "lg_json_parse and lg_json_parse_in agree");
    CHECK_MSG((doc != NULL) == (status == LG_OK), "a document exactly on success");
    snprintf(message, sizeof(message), "%u:%u: %s", err.line, err.column, err.msg);
    free(exact);
    return doc;
}

typedef struct accepted {
    const char *text;
    lg_json_type type;
    const char *compact;
} accepted;

static const accepted good[] = {
    {"null", LG_JSON_NULL, "null"},
    {" \t\r\n true \n", LG_JSON_BOOL, "true"},
    {"false", LG_JSON_BOOL, "false"},
    {"0", LG_JSON_INT, "0"},
    {"-1", LG_JSON_INT, "-1"},
    {"9223372036854775807", LG_JSON_INT, "9223372036854775807"},
    {"-9223372036854775808", LG_JSON_INT, "-9223372036854775808"},
    {"9223372036854775808", LG_JSON_UINT, "9223372036854775808"},
    {"18446744073709551615", LG_JSON_UINT, "18446744073709551615"},
    {"18446744073709551616", LG_JSON_BIGNUM, "18446744073709551616"},
    {"99999999999999999999", LG_JSON_BIGNUM, "99999999999999999999"},
    {"100000000000000000000000", LG_JSON_BIGNUM, "100000000000000000000000"},
    {"-9223372036854775809", LG_JSON_BIGNUM, "-9223372036854775809"},
    {"-18446744073709551615", LG_JSON_BIGNUM, "-18446744073709551615"},
    {"-0", LG_JSON_DOUBLE, "-0.0"},
    {"-0.0e9", LG_JSON_DOUBLE, "-0.0"},
    {"0e999999999999999999999999", LG_JSON_DOUBLE, "0.0"},
    {"1e-999999999999999999999999", LG_JSON_DOUBLE, "0.0"},
    {"1.0", LG_JSON_DOUBLE, "1.0"},
    {"1E+2", LG_JSON_DOUBLE, "100.0"},
    {"1e400", LG_JSON_BIGNUM, "1e400"},
    {"-1.5E+9999", LG_JSON_BIGNUM, "-1.5E+9999"},
    {"\"\"", LG_JSON_STRING, "\"\""},
    {"\"\\u0041\\n\\/\\\"\"", LG_JSON_STRING, "\"A\\n/\\\"\""},
    {"\"\\ud834\\udd1e\"", LG_JSON_STRING, "\"\xF0\x9D\x84\x9E\""},
    {"\"\\uD7FF\\uE000\\uFFFF\"", LG_JSON_STRING, "\"\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF\""},
    {"\"a\\u0000b\"", LG_JSON_STRING, "\"a\\u0000b\""},
    {"\"caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 and a long tail\"", LG_JSON_STRING,
     "\"caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 and a long tail\""},
    {"[]", LG_JSON_ARRAY, "[]"},
    {"[ ]", LG_JSON_ARRAY, "[]"},
    {"[1,[2,[3]],{}]", LG_JSON_ARRAY, "[1,[2,[3]],{}]"},
    {"{}", LG_JSON_OBJECT, "{}"},
    {"{ \"a\" : { \"b\" : [ 1 , 2.5 ] } , \"\" : null }", LG_JSON_OBJECT,
     "{\"a\":{\"b\":[1,2.5]},\"\":null}"},
    {"{\"a\":1,\"A\":2,\"a \":3,\"\\u0000\":4}", LG_JSON_OBJECT,
     "{\"a\":1,\"A\":2,\"a \":3,\"\\u0000\":4}"},
};

static void accepts_and_types(void)
{
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        lg_json_doc *doc = parse(good[i].text, strlen(good[i].text));
        if (!CHECK_MSG(doc != NULL, good[i].text)) {
            printf("    %s\n", message);
            continue;
        }
        CHECK_MSG(lg_json_is(lg_json_root(doc), good[i].type), good[i].text);
        lg_buf out;
        lg_buf_init(&out, 0);
        lg_json_print(&out, lg_json_root(doc));
        CHECK_STR(lg_buf_str(&out), good[i].compact);
        lg_buf_done(&out);
        lg_json_doc_free(doc);
    }
}

typedef struct refused {
    const char *text;
    const char *error;
} refused;

static const refused bad[] = {
    {"", "1:1: expected a value, found the end of the text"},
    {" \n ", "2:2: expected a value, found the end of the text"},
    {"nul", "1:1: expected a value, found `nul`"},
    {"True", "1:1: expected a value, found `True`: write `true`"},
    {"[None]", "1:2: expected a value, found `None`: write `null`"},
    {"NaN", "1:1: expected a value, found `NaN`: JSON has no such number"},
    {"-Infinity", "1:2: expected a digit after `-`, found `Infinity`: JSON has no such number"},
    {"'a'", "1:1: expected a value, found `'`: strings need double quotes"},
    {"[1,]", "1:4: expected a value, found `]`: remove the comma before it"},
    {"[1, // one\n2]", "1:5: expected a value, found `/`: JSON has no comments"},
    {"[1 2]", "1:4: expected `,` or `]` after an element, found `2`"},
    {"[1\n2]", "2:1: expected `,` or `]` after an element, found `2`"},
    {"[", "1:2: expected a value, found the end of the text"},
    {"[1", "1:3: expected `,` or `]` after an element, found the end of the text"},
    {"[1}", "1:3: expected `,` or `]` after an element, found `}`"},
    {"{", "1:2: expected a key in double quotes or `}`, found the end of the text"},
    {"{a:1}", "1:2: expected a key in double quotes or `}`, found `a`"},
    {"{'a':1}",
     "1:2: expected a key in double quotes or `}`, found `'`: strings need double quotes"},
    {"{\"a\":1,}", "1:8: expected a key in double quotes, found `}`: remove the comma before it"},
    {"{\"a\" 1}", "1:6: expected `:` after a key, found `1`"},
    {"{\"a\":}", "1:6: expected a value, found `}`"},
    {"{\"a\":1 x}", "1:8: expected `,` or `}` after a member, found `x`"},
    {"{\"a\":1]", "1:7: expected `,` or `}` after a member, found `]`"},
    {"1 2", "1:3: expected the end of the text after the value, found `2`"},
    {"{} {}", "1:4: expected the end of the text after the value, found `{`"},
    {"[1]]", "1:4: expected the end of the text after the value, found `]`"},
    {"01", "1:1: a number may not begin with a needless `0`"},
    {"-012", "1:1: a number may not begin with a needless `0`"},
    {"+1", "1:1: expected a value, found `+`: a number has no `+` before it"},
    {".5", "1:1: expected a value, found `.`: a number has a digit before its point"},
    {"1.", "1:3: expected a digit after the decimal point, found the end of the text"},
    {"1.e3", "1:3: expected a digit after the decimal point, found `e3`"},
    {"1e", "1:3: expected a digit in the exponent, found the end of the text"},
    {"1e+x", "1:4: expected a digit in the exponent, found `x`"},
    {"-", "1:2: expected a digit after `-`, found the end of the text"},
    {"1e100000000000000001", "1:1: the exponent of this number is beyond the limit of 10^17"},
    {"\"abc", "1:1: this string is never closed by a `\"`"},
    {"[\"abc\\\"", "1:2: this string is never closed by a `\"`"},
    {"\"a\nb\"", "1:3: the line ends inside a string: close it with `\"`, or write `\\n`"},
    {"\"a\tb\"", "1:3: control character 0x09 inside a string: write `\\u0009`"},
    {"\"\\n\x01\"", "1:4: control character 0x01 inside a string: write `\\u0001`"},
    {"\"\\x\"", "1:2: unknown escape: expected one of `\"\\/bfnrtu` after `\\`, found `x`"},
    {"\"\\", "1:1: this string is never closed by a `\"`"},
    {"\"\\u12G4\"", "1:2: expected four hexadecimal digits after `\\u`"},
    {"\"\\u123\"4\"", "1:2: expected four hexadecimal digits after `\\u`"},
    {"\"\\ud800\"", "1:2: lone surrogate `\\uD800`: expected a low surrogate (`\\uDC00` to "
                    "`\\uDFFF`) after it"},
    {"\"\\ud800\\u0041\"", "1:2: lone surrogate `\\uD800`: expected a low surrogate (`\\uDC00` to "
                           "`\\uDFFF`) after it"},
    {"\"x\\udc00\"", "1:3: lone surrogate `\\uDC00`: a low surrogate needs a high one before it"},
    {"\"\x80\"", "1:2: byte 0x80 inside a string is not valid UTF-8"},
    {"\"\xC3\xA9\xC3\"", "1:3: byte 0xC3 inside a string is not valid UTF-8"},
    {"\"\xC0\x80\"", "1:2: byte 0xC0 inside a string is not valid UTF-8"},
    {"\"\xE0\x9F\xBF\"", "1:2: byte 0xE0 inside a string is not valid UTF-8"},
    {"\"\xED\xA0\x80\"", "1:2: byte 0xED inside a string is not valid UTF-8"},
    {"\"\xF4\x90\x80\x80\"", "1:2: byte 0xF4 inside a string is not valid UTF-8"},
    {"\"\xF0\x8F\xBF\xBF\"", "1:2: byte 0xF0 inside a string is not valid UTF-8"},
    {"\"\\n\xFF\"", "1:4: byte 0xFF inside a string is not valid UTF-8"},
    {"[\xC3\xA9]", "1:2: expected a value, found `\xC3\xA9` (U+00E9)"},
    {"[\xFF]", "1:2: expected a value, found the byte 0xFF"},
    {"[\"\xC3\xA9\xE2\x82\xAC\" x]", "1:7: expected `,` or `]` after an element, found `x`"},
    {"\xEF\xBB\xBF{}", "1:1: the text begins with a byte order mark: save it without one"},
    {"\xFF\xFE{", "1:1: the text looks like UTF-16: save it as UTF-8"},
    {"{\"a\":1,\"a\":2}", "1:8: duplicate key `a`, first at line 1"},
    {"{\"a\":1,\n\"\\u0061\":2}", "2:1: duplicate key `a`, first at line 1"},
    {"{\"\":1,\n \"b\":{\"\":0},\n \"\":2}", "3:2: duplicate key ``, first at line 1"},
    {"[{\"a\":1},{\"a\":{\"x\":1,\"y\":2,\"x\":3}}]", "1:28: duplicate key `x`, first at line 1"},
};

static void refuses_with_a_reason(void)
{
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        lg_json_doc *doc = parse(bad[i].text, strlen(bad[i].text));
        CHECK_MSG(doc == NULL, bad[i].text);
        CHECK_STR(lg_str_c(message), bad[i].error);
        lg_json_doc_free(doc);
    }
    CHECK_MSG(parse("\xFE\xFF\0{", 4) == NULL, "UTF-16 with a mark");
    CHECK_MSG(parse("{\0}\0", 4) == NULL, "UTF-16 without a mark");
    CHECK_STR(lg_str_c(message), "1:1: the text looks like UTF-16: save it as UTF-8");
    CHECK_MSG(parse("[\0]", 3) == NULL, "NUL outside of a string");
    CHECK_STR(lg_str_c(message), "1:2: expected a value, found the byte 0x00");
    CHECK_MSG(parse("\"a\0\"", 4) == NULL, "NUL inside a string");
    CHECK_STR(lg_str_c(message), "1:3: control character 0x00 inside a string: write `\\u0000`");
}

// An object of `count` members with keys of one length; member `twin` has the key of member 0.
static lg_str many_members(lg_buf *out, size_t count, size_t twin)
{
    lg_buf_clear(out);
    for (size_t i = 0; i < count; i++) {
        unsigned key = (unsigned)(i == twin ? 0 : i * 2654435761u % 1000003);
        lg_buf_addf(out, "%s\n\"key%07u\":%zu", i ? "," : "{", key, i);
    }
    lg_buf_add_byte(out, '}');
    return lg_buf_str(out);
}

static void finds_duplicates_at_every_size(void)
{
    static const size_t counts[] = {2, 3, 23, 24, 25, 26, 63, 64, 65, 1000, 5000};
    lg_buf buf;
    lg_buf_init(&buf, 0);
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        size_t n = counts[i];
        lg_str text = many_members(&buf, n, SIZE_MAX);
        lg_json_doc *doc = parse(text.ptr, text.len);
        CHECK_MSG(doc && lg_json_len(lg_json_root(doc)) == n, "all members");
        lg_json_doc_free(doc);
        for (size_t twin = 1; twin < n; twin += twin < 30 ? 1 : n / 3) {
            char want[80];
            snprintf(want, sizeof(want), "%zu:1: duplicate key `key0000000`, first at line 2",
                     twin + 2);
            text = many_members(&buf, n, twin);
            CHECK_MSG(parse(text.ptr, text.len) == NULL, "a repeated key");
            CHECK_STR(lg_str_c(message), want);
        }
    }
    lg_buf_done(&buf);
}

// Keys that share length and both ends leave the same fingerprint: only the whole key decides.
static void keys_alike_are_not_equal(void)
{
    lg_json_doc *doc = parse("{\"head0tail\":0,\"head1tail\":1,\"head2tail\":2}", 43);
    CHECK(doc && lg_json_is(lg_json_get(lg_json_root(doc), LG_STR("head2tail")), LG_JSON_INT));
    lg_json_doc_free(doc);
    CHECK(parse("{\"head0tail\":0,\"head1tail\":1,\"head0tail\":2}", 43) == NULL);
    CHECK_STR(lg_str_c(message), "1:30: duplicate key `head0tail`, first at line 1");
}

static void long_duplicate_keys_are_cut(void)
{
    char text[800];
    char key[200];
    memset(key, 'x', sizeof(key));
    key[79] = '\xC3'; // a character that the cut would split
    key[80] = '\xA9';
    size_t len = (size_t)snprintf(text, sizeof(text), "{\"%.200s\":1,\"%.200s\":2}", key, key);
    CHECK(parse(text, len) == NULL);
    char want[200];
    snprintf(want, sizeof(want), "1:206: duplicate key `%.79s`..., first at line 1", key);
    CHECK_STR(lg_str_c(message), want);
}

static const char *const samples[] = {
    ("{\"order_id\": \"#W2378156\", \"items\": [{\"price\": 342.81, \"n\": -12}, null, true, "
     "false],"
     " \"note\": \"caf\xC3\xA9 \\u20ac \\ud83d\\ude00 \\\"quoted\\\"\", \"big\": 1e400}"),
    "[0.1e-7, 123456789012345678901234567890, \"\xF0\x9F\x98\x80\xE2\x82\xAC\", {}, [], [[[]]]]",
    "\"sixteen bytes at a time: a string longer than two vectors of them\"",
};

// A prefix of a container or string is never a whole text, and is read from memory of its size.
static void every_prefix_is_refused(void)
{
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        size_t len = strlen(samples[i]);
        for (size_t cut = 0; cut < len; cut++) {
            CHECK_MSG(parse(samples[i], cut) == NULL, samples[i]);
        }
        lg_json_doc *doc = parse(samples[i], len);
        CHECK_MSG(doc != NULL, samples[i]);
        lg_json_doc_free(doc);
    }
}

// Any byte in place of any other: accepted or refused alike by both entrances, never a crash.
static void every_changed_byte_is_survived(void)
{
    char text[400];
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        size_t len = strlen(samples[i]);
        for (size_t at = 0; at < len; at++) {
            for (int byte = 0; byte < 256; byte += 5) {
                memcpy(text, samples[i], len);
                text[at] = (char)byte;
                lg_json_doc_free(parse(text, len));
            }
        }
    }
}

static void a_slice_of_a_text_knows_its_place(void)
{
    lg_str lines = LG_STR("{\"a\":1}\n{\"b\":\n[2}\n");
    lg_arena arena;
    lg_arena_init(&arena, 0);
    const lg_json *value = NULL;
    lg_error err;
    CHECK(lg_json_parse_in(&arena, lines, 0, 7, NULL, &value, &err) == LG_OK);
    const lg_json *kept = value;
    size_t held = arena.held_bytes;
    char *next = arena.next;
    CHECK(lg_json_parse_in(&arena, lines, 8, lines.len, NULL, &value, &err) == LG_ERR_PARSE);
    CHECK(err.line == 3 && err.column == 3);
    CHECK_MSG(value == kept, "the result stays as it was");
    CHECK_MSG(arena.held_bytes == held && arena.next == next, "what was allocated is rewound");
    CHECK(lg_json_get(value, LG_STR("a"))->offset == 5);

    CHECK(lg_json_parse_in(&arena, lines, 14, 16, NULL, &value, &err) == LG_ERR_PARSE);
    CHECK_STR(lg_str_c(err.msg), "expected `,` or `]` after an element, found the end of the text");
    CHECK(lg_json_parse_in(&arena, lines, 15, 16, NULL, &value, NULL) == LG_OK);
    CHECK(value->offset == 15 && value->as.i64 == 2);
    lg_arena_done(&arena);
}

static void strings_without_escapes_are_borrowed(void)
{
    lg_str text = LG_STR("[\"plain\",\"esc\\taped\"]");
    lg_arena arena;
    lg_arena_init(&arena, 0);
    const lg_json *value = NULL;
    CHECK(lg_json_parse_in(&arena, text, 0, text.len, NULL, &value, NULL) == LG_OK);
    CHECK(lg_json_str(lg_json_item(value, 0)).ptr == text.ptr + 2);
    CHECK_STR(lg_json_str(lg_json_item(value, 1)), "esc\taped");
    lg_arena_done(&arena);
}

static void a_document_owns_its_text(void)
{
    char text[] = "{\"key\":\"value\"}";
    lg_json_doc *doc = NULL;
    CHECK(lg_json_parse((lg_str){text, sizeof(text) - 1}, NULL, &doc, NULL) == LG_OK);
    memset(text, 'x', sizeof(text));
    CHECK_STR(lg_json_str(lg_json_get(lg_json_root(doc), LG_STR("key"))), "value");
    lg_json_doc_free(doc);
    lg_json_doc_free(NULL);
}

// Every length around the vector sizes, with an escape or a non-ASCII character at every place.
static void strings_of_every_length(void)
{
    char text[200];
    for (size_t len = 0; len < 70; len++) {
        for (size_t at = 0; at <= len; at++) {
            memset(text, 'x', sizeof(text));
            text[0] = '"';
            memcpy(text + 1 + at, at % 2 ? "\\n" : "\xC3\xA9", 2);
            text[len + 3] = '"';
            lg_json_doc *doc = parse(text, len + 4);
            size_t want = at % 2 ? len + 1 : len + 2;
            CHECK_MSG(doc && lg_json_str(lg_json_root(doc)).len == want, "decoded length");
            lg_json_doc_free(doc);
        }
    }
}

// Runs of backslashes of every length, begun at every place of a block of 64 bytes: each two are one,
// and one that is left escapes the quote behind it.
// However much room the arena has left when the string begins, and however long it is.
static void escapes_are_decoded_wherever_the_room_ends(void)
{
    static const char *const pieces[] = {
        "\\n",          "plain text, more than sixteen bytes of it",
        "\\u00e9",      "\\uD83D\\uDE00",
        "\xE2\x82\xAC", "\\\"",
        "\\\\"};
    static const char *const meant[] = {"\n",
                                        "plain text, more than sixteen bytes of it",
                                        "\xC3\xA9",
                                        "\xF0\x9F\x98\x80",
                                        "\xE2\x82\xAC",
                                        "\"",
                                        "\\"};
    for (size_t round = 0; round < 3000; round++) {
        lg_buf text, want;
        lg_buf_init(&text, 0);
        lg_buf_init(&want, 0);
        lg_buf_add_c(&text, "[\"");
        for (size_t i = 0, n = round; i < round % 17 + 1; i++, n = n * 5 + 3) {
            lg_buf_add_c(&text, pieces[n / 4 % 7]);
            lg_buf_add_c(&want, meant[n / 4 % 7]);
        }
        lg_buf_add_c(&text, "\", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]");
        lg_arena arena;
        lg_arena_init(&arena, 0);
        CHECK(lg_arena_alloc(&arena, 1, 1) != NULL);
        size_t room = lg_arena_room(&arena);
        CHECK(lg_arena_alloc(&arena, room - round % 300, 1) != NULL);
        const lg_json *value = NULL;
        lg_str s = lg_buf_str(&text);
        CHECK(lg_json_parse_in(&arena, s, 0, s.len, NULL, &value, NULL) == LG_OK);
        CHECK(lg_str_eq(lg_json_str(lg_json_item(value, 0)), lg_buf_str(&want)));
        lg_arena_done(&arena);
        lg_buf_done(&text);
        lg_buf_done(&want);
    }
}

static void runs_of_backslashes(void)
{
    char text[420];
    for (size_t before = 0; before < 66; before++) {
        for (size_t run = 0; run < 140; run++) {
            memset(text, 'x', sizeof(text));
            text[0] = '"';
            memset(text + 1 + before, '\\', run);
            text[1 + before + run] = run % 2 ? '"' : 'y';
            text[2 + before + run + 100] = '"';
            lg_json_doc *doc = parse(text, 2 + before + run + 101);
            lg_str got = doc ? lg_json_str(lg_json_root(doc)) : LG_STR("");
            bool ok = got.len == before + (run + 1) / 2 + 100 + (run + 1) % 2;
            for (size_t i = 0; ok && i < got.len; i++) {
                char want = i < before || i > before + run / 2 ? 'x'
                            : i < before + run / 2             ? '\\'
                            : run % 2                          ? '"'
                                                               : 'y';
                ok = got.ptr[i] == want;
            }
            CHECK_MSG(ok, "a run of backslashes");
            lg_json_doc_free(doc);
        }
    }
}

static void positions_count_code_points(void)
{
    lg_str text = LG_STR("a\xC3\xA9\xE2\x82\xAC\nb\r\nc");
    static const struct {
        size_t offset;
        uint32_t line, column;
    } places[] = {{0, 1, 1}, {1, 1, 2},  {3, 1, 3},  {6, 1, 4}, {7, 2, 1},
                  {9, 2, 3}, {10, 3, 1}, {11, 3, 2}, {99, 3, 2}};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        lg_position at = lg_text_position(text, places[i].offset);
        CHECK(at.line == places[i].line && at.column == places[i].column);
    }
}

static void lines_are_told_from_one_value(void)
{
    static const struct {
        const char *text;
        bool lines;
    } cases[] = {{"{}\n{}\n", true},  {"1\n2", true},     {"\n \n[1]\n\n[2]", true},
                 {"{}", false},       {"{}\n", false},    {"\n{}\n \n", false},
                 {"{\n}\n{}", false}, {"[1,\n2]", false}, {"", false},
                 {"{}\nbroken", true}};
    lg_arena arena;
    lg_arena_init(&arena, 0);
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        CHECK_MSG(lg_json_is_lines(&arena, lg_str_c(cases[i].text), NULL) == cases[i].lines,
                  cases[i].text);
    }
    lg_arena_done(&arena);
}

int main(void)
{
    RUN(accepts_and_types);
    RUN(refuses_with_a_reason);
    RUN(finds_duplicates_at_every_size);
    RUN(keys_alike_are_not_equal);
    RUN(long_duplicate_keys_are_cut);
    RUN(every_prefix_is_refused);
    RUN(every_changed_byte_is_survived);
    RUN(a_slice_of_a_text_knows_its_place);
    RUN(strings_without_escapes_are_borrowed);
    RUN(a_document_owns_its_text);
    RUN(strings_of_every_length);
    RUN(escapes_are_decoded_wherever_the_room_ends);
    RUN(runs_of_backslashes);
    RUN(positions_count_code_points);
    RUN(lines_are_told_from_one_value);
    return lg_test_done();
}
