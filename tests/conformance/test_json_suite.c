// JSONTestSuite: which files the parser takes, which it refuses and why. Everything the suite leaves
// open is written down here.
//
//     json_suite [--json FILE]
//
// With --json the sums go to a file too. There a text refused on purpose is a failure, with its name,
// and a text that the suite leaves open is a skipped one.
#include "lg_test.h"

#include "data_files.h"
#include "json/json.h"

// Valid by the grammar of RFC 8259, but refused on purpose: readers disagree about the value.
static const char *const refused_on_purpose[] = {
    "y_object_duplicated_key.json",
    "y_object_duplicated_key_and_value.json",
};

typedef struct outcome {
    const char *name;
    const char *text; // the canonical form, or `line:column: message`
} outcome;

// clang-format off
#define LOW_MISSING(unit) "1:3: lone surrogate `\\u" unit                                          \
    "`: expected a low surrogate (`\\uDC00` to `\\uDFFF`) after it"
#define HIGH_MISSING(unit) "1:3: lone surrogate `\\u" unit                                         \
    "`: a low surrogate needs a high one before it"
#define NOT_UTF8(place, byte) place ": byte " byte " inside a string is not valid UTF-8"
#define UTF16 "1:1: the text looks like UTF-16: save it as UTF-8"
// clang-format on

// `i_`: left to the implementation. Numbers too large keep their text, numbers too small are zero;
// whatever is not Unicode text in UTF-8 is refused.
static const outcome left_open[] = {
    {"i_number_double_huge_neg_exp.json", "[0]"},
    {"i_number_huge_exp.json", "1:2: the exponent of this number is beyond the limit of 10^17"},
    {"i_number_neg_int_huge_exp.json", "[-1e+9999]"},
    {"i_number_pos_double_huge_exp.json", "[1.5e+9999]"},
    {"i_number_real_neg_overflow.json", "[-123123e100000]"},
    {"i_number_real_pos_overflow.json", "[123123e100000]"},
    {"i_number_real_underflow.json", "[0]"},
    {"i_number_too_big_neg_int.json", "[-123123123123123123123123123123]"},
    {"i_number_too_big_pos_int.json", "[100000000000000000000]"},
    {"i_number_very_big_negative_int.json", "[-237462374673276894279832749832423479823246327846]"},
    {"i_object_key_lone_2nd_surrogate.json", HIGH_MISSING("DFAA")},
    {"i_string_1st_surrogate_but_2nd_missing.json", LOW_MISSING("DADA")},
    {"i_string_1st_valid_surrogate_2nd_invalid.json", LOW_MISSING("D888")},
    {"i_string_UTF-16LE_with_BOM.json", UTF16},
    {"i_string_UTF-8_invalid_sequence.json", NOT_UTF8("1:5", "0xFA")},
    {"i_string_UTF8_surrogate_U+D800.json", NOT_UTF8("1:3", "0xED")},
    {"i_string_incomplete_surrogate_and_escape_valid.json", LOW_MISSING("D800")},
    {"i_string_incomplete_surrogate_pair.json", HIGH_MISSING("DD1E")},
    {"i_string_incomplete_surrogates_escape_valid.json", LOW_MISSING("D800")},
    {"i_string_invalid_lonely_surrogate.json", LOW_MISSING("D800")},
    {"i_string_invalid_surrogate.json", LOW_MISSING("D800")},
    {"i_string_invalid_utf-8.json", NOT_UTF8("1:3", "0xFF")},
    {"i_string_inverted_surrogates_U+1D11E.json", HIGH_MISSING("DD1E")},
    {"i_string_iso_latin_1.json", NOT_UTF8("1:3", "0xE9")},
    {"i_string_lone_second_surrogate.json", HIGH_MISSING("DFAA")},
    {"i_string_lone_utf8_continuation_byte.json", NOT_UTF8("1:3", "0x81")},
    {"i_string_not_in_unicode_range.json", NOT_UTF8("1:3", "0xF4")},
    {"i_string_overlong_sequence_2_bytes.json", NOT_UTF8("1:3", "0xC0")},
    {"i_string_overlong_sequence_6_bytes.json", NOT_UTF8("1:3", "0xFC")},
    {"i_string_overlong_sequence_6_bytes_null.json", NOT_UTF8("1:3", "0xFC")},
    {"i_string_truncated-utf-8.json", NOT_UTF8("1:3", "0xE0")},
    {"i_string_utf16BE_no_BOM.json", UTF16},
    {"i_string_utf16LE_no_BOM.json", UTF16},
    {"i_structure_500_nested_arrays.json",
     "1:257: nested deeper than the limit of 256 levels (json_depth)"},
    {"i_structure_UTF-8_BOM_empty_object.json",
     "1:1: the text begins with a byte order mark: save it without one"},
};

// test_transform: texts whose value differs between implementations. Normal forms of Unicode stay
// apart; the keys below differ in bytes only.
static const outcome transformed[] = {
    {"number_-9223372036854775808.json", "[-9223372036854775808]"},
    {"number_-9223372036854775809.json", "[-9223372036854775809]"},
    {"number_1.0.json", "[1]"},
    {"number_1.000000000000000005.json", "[1]"},
    {"number_1000000000000000.json", "[1000000000000000]"},
    {"number_10000000000000000999.json", "[10000000000000000999]"},
    {"number_1e-999.json", "[0]"},
    {"number_1e6.json", "[1000000]"},
    {"number_9223372036854775807.json", "[9223372036854775807]"},
    {"number_9223372036854775808.json", "[9223372036854775808]"},
    {"object_key_nfc_nfd.json", "{\"e\xCC\x81\":\"NFD\",\"\xC3\xA9\":\"NFC\"}"},
    {"object_key_nfd_nfc.json", "{\"e\xCC\x81\":\"NFD\",\"\xC3\xA9\":\"NFC\"}"},
    {"object_same_key_different_values.json", "1:8: duplicate key `a`, first at line 1"},
    {"object_same_key_same_value.json", "1:8: duplicate key `a`, first at line 1"},
    {"object_same_key_unclear_values.json", "1:9: duplicate key `a`, first at line 1"},
    {"string_1_escaped_invalid_codepoint.json", LOW_MISSING("D800")},
    {"string_1_invalid_codepoint.json", NOT_UTF8("1:3", "0xED")},
    {"string_2_escaped_invalid_codepoints.json", LOW_MISSING("D800")},
    {"string_2_invalid_codepoints.json", NOT_UTF8("1:3", "0xED")},
    {"string_3_escaped_invalid_codepoints.json", LOW_MISSING("D800")},
    {"string_3_invalid_codepoints.json", NOT_UTF8("1:3", "0xED")},
    {"string_with_escaped_NULL.json", "[\"A\\u0000B\"]"},
};

// Appends the canonical form of `text`, or the error.
static lg_status describe(lg_buf *out, lg_str text)
{
    lg_json_doc *doc = NULL;
    lg_error err;
    lg_status status = lg_json_parse(text, NULL, &doc, &err);
    if (status == LG_OK) {
        lg_json_print_canonical(out, lg_json_root(doc));
    } else {
        lg_buf_addf(out, "%u:%u: %s", err.line, err.column, err.msg);
        CHECK_MSG(err.line > 0 && err.column > 0 && err.msg[0], "an error has a place and a text");
    }
    lg_json_doc_free(doc);
    return status;
}

static bool is_refused_on_purpose(const char *name)
{
    for (size_t i = 0; i < sizeof(refused_on_purpose) / sizeof(refused_on_purpose[0]); i++) {
        if (strcmp(name, refused_on_purpose[i]) == 0) {
            return true;
        }
    }
    return false;
}

static const char *find_outcome(const outcome *rows, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            return rows[i].text;
        }
    }
    return NULL;
}

typedef struct counts {
    int yes, no, open, transform;
} counts;

static void check_parsing(void *context, const char *path, lg_str text)
{
    counts *seen = context;
    const char *name = lg_data_name(path);
    lg_buf out;
    lg_buf_init(&out, 0);
    lg_status status = describe(&out, text);
    if (name[0] == 'y') {
        seen->yes++;
        CHECK_MSG((status == LG_OK) == !is_refused_on_purpose(name), name);
    } else if (name[0] == 'n') {
        seen->no++;
        CHECK_MSG(status == LG_ERR_PARSE || status == LG_ERR_LIMIT, name);
    } else {
        seen->open++;
        const char *want = find_outcome(left_open, sizeof(left_open) / sizeof(left_open[0]), name);
        CHECK_MSG(want != NULL, name);
        CHECK_STR(lg_buf_str(&out), want);
    }
    lg_buf_done(&out);
}

static void check_transform(void *context, const char *path, lg_str text)
{
    counts *seen = context;
    const char *name = lg_data_name(path);
    lg_buf out;
    lg_buf_init(&out, 0);
    (void)describe(&out, text);
    const char *want =
        find_outcome(transformed, sizeof(transformed) / sizeof(transformed[0]), name);
    CHECK_MSG(want != NULL, name);
    CHECK_STR(lg_buf_str(&out), want);
    seen->transform++;
    lg_buf_done(&out);
}

// A few of the kind, so that something is checked where the suite is not at hand.
static void our_own_samples(void)
{
    static const outcome rows[] = {
        {"[1.0, 1E400, -0]", "[1,1E400,0]"},
        {"{\"b\":[], \"a\":{}}", "{\"a\":{},\"b\":[]}"},
        {"[1,]", "1:4: expected a value, found `]`: remove the comma before it"},
        {"[\"\\uD800\"]", LOW_MISSING("D800")},
        {"[\"\xED\xA0\x80\"]", NOT_UTF8("1:3", "0xED")},
        {"{\"a\":0, \"a\":-0}", "1:9: duplicate key `a`, first at line 1"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        lg_buf out;
        lg_buf_init(&out, 0);
        (void)describe(&out, lg_str_c(rows[i].name));
        CHECK_STR(lg_buf_str(&out), rows[i].text);
        lg_buf_done(&out);
    }
}

static void json_test_suite(void)
{
    const char *data = lg_test_data_dir();
    if (!data) {
        printf("skipped: JSONTestSuite (no shared data)\n");
        return;
    }
    counts seen = {0};
    char folder[4096];
    snprintf(folder, sizeof(folder), "%s/data/json-parsing/test_parsing", data);
    CHECK(lg_data_each(folder, ".json", 0, check_parsing, &seen) == 318);
    snprintf(folder, sizeof(folder), "%s/data/json-parsing/test_transform", data);
    CHECK(lg_data_each(folder, ".json", 0, check_transform, &seen) == 22);
    CHECK(seen.yes == 95 && seen.no == 188 && seen.open == 35 && seen.transform == 22);
    printf("%d y_ (of them %zu refused on purpose), %d n_, %d i_, %d transform\n", seen.yes,
           sizeof(refused_on_purpose) / sizeof(refused_on_purpose[0]), seen.no, seen.open,
           seen.transform);
}

static void write_names(FILE *file, const char *key, const char *names[], size_t count)
{
    fprintf(file, ",\"%s\":[", key);
    for (size_t i = 0; i < count; i++) {
        fprintf(file, "%s\"%s\"", i ? "," : "", names[i]);
    }
    fputs("]", file);
}

// The runner has failed where anything here would not be so.
static void write_sums(const char *path)
{
    enum { YES = 95, NO = 188 };
    size_t refused = LG_COUNT(refused_on_purpose);
    const char *open[LG_COUNT(left_open)];
    const char *purpose[LG_COUNT(refused_on_purpose)];
    for (size_t i = 0; i < LG_COUNT(left_open); i++) {
        open[i] = left_open[i].name;
    }
    for (size_t i = 0; i < refused; i++) {
        purpose[i] = refused_on_purpose[i];
    }
    FILE *file = fopen(path, "w");
    if (!CHECK_MSG(file != NULL, path)) {
        return;
    }
    fprintf(file, "{\"json\":{\"passed\":%zu,\"failed\":%zu,\"skipped\":%zu", YES + NO - refused,
            refused, LG_COUNT(left_open));
    write_names(file, "failures", purpose, refused);
    write_names(file, "skips", open, LG_COUNT(left_open));
    fputs("}}\n", file);
    CHECK(fclose(file) == 0);
}

int main(int argc, char **argv)
{
    RUN(our_own_samples);
    RUN(json_test_suite);
    if (argc == 3 && strcmp(argv[1], "--json") == 0 && lg_test_data_dir() &&
        lg_test_failures == 0) {
        write_sums(argv[2]);
    }
    return lg_test_done();
}
