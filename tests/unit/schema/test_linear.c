// Patterns matched in one pass: which ones are, and that they mean what PCRE2 makes of them.
#include "lg_test.h"

#include "schema/schema_internal.h"

static bool is_linear(lg_arena *arena, const char *pattern)
{
    const linear_pattern *made = NULL;
    CHECK(lg_linear_compile(arena, lg_str_c(pattern), &made));
    return made != NULL;
}

static void which_are_linear(void)
{
    static const struct {
        const char *pattern;
        bool linear;
    } rows[] = {
        {"^#W[0-9]{7}$", true},
        {"^[A-Z]{3}$", true},
        {"^\\d{4}-\\d{2}-\\d{2}$", true},
        {"^[a-z0-9_-]+$", true},
        {"^[a-z]+_[a-z]+_\\d+$", true},
        {"^https?:", true},
        {"^$", true},
        {"^", true},
        {"^x{2,}y?$", true},
        {"^[\\w.\\-]+@[a-z]+$", true},
        {"[0-9]", false},            // may match anywhere
        {"^[a-z]+[a-z0-9]$", false}, // a choice where the first class ends
        {"^a?ab$", false},
        {"^a*b*a$", false},
        {"^(a|b)$", false},
        {"^a|b$", false},
        {"^[^a]$", false}, // of characters, not of bytes
        {"^.$", false},
        {"^\\s$", false},
        {"^\\u0041$", false},
        {"^\xC3\xA9$", false},
        {"^a+?$", false},
        {"^[]$", false},
        {"^a$b", false},
        {"^\\bA$", false},
    };
    lg_arena arena;
    lg_arena_init(&arena, 0);
    for (size_t i = 0; i < LG_COUNT(rows); i++) {
        CHECK_MSG(is_linear(&arena, rows[i].pattern) == rows[i].linear, rows[i].pattern);
    }
    char longest[130] = "^";
    memset(longest + 1, 'a', 64);
    CHECK_MSG(is_linear(&arena, longest), "64 items");
    longest[65] = 'b';
    CHECK_MSG(!is_linear(&arena, longest), "65 items");
    lg_arena_done(&arena);
}

// A schema of one pattern, or of the same pattern in a group, which is left to PCRE2.
static const lg_schema *compile_pattern(lg_arena *arena, const char *pattern, bool grouped)
{
    lg_buf out;
    lg_buf_init(&out, 0);
    lg_buf_add_c(&out, "{\"pattern\":");
    lg_str text = grouped ? lg_arena_printf(arena, "(?:%s)", pattern) : lg_str_c(pattern);
    lg_json_print_str(&out, text);
    lg_buf_add_c(&out, "}");
    lg_str copy = lg_arena_str(arena, lg_buf_str(&out));
    lg_buf_done(&out);
    const lg_json *source = NULL;
    lg_errors errors;
    lg_errors_init(&errors, arena, 5);
    CHECK(lg_json_parse_in(arena, copy, 0, copy.len, NULL, &source, NULL) == LG_OK);
    return lg_schema_compile(arena, source, NULL, &errors);
}

static void means_what_pcre2_means(void)
{
    static const char *const patterns[] = {
        "^#W[0-9]{7}$",
        "^[a-c]+$",
        "^[a-c]{2,3}$",
        "^a?b*c+$",
        "^a{2}",
        "^$",
        "^",
        "^[ab]*[c-e]?f{1,2}$",
        "^\\d+-\\w$",
        "^[a\\-z]$",
        "^[-a]\\.$",
        "^[\\w-]+\\/$",
        "^a{0}b$",
        "^[a-c]{0,2}d*",
    };
    static const char *const subjects[] = {
        "",
        "a",
        "b",
        "c",
        "ab",
        "abc",
        "aab",
        "aaa",
        "aaaa",
        "aabbcc",
        "#W1234567",
        "-",
        "z",
        "-.",
        "a.",
        "1-a",
        "12-_",
        "cf",
        "ff",
        "abff",
        "abcfff",
        "#W123456",
        "f",
        "\n",
        "a\n",
        "_/",
        "a/",
        "ad",
        "abd",
        "d",
        "aa",
        "#W12345678",
        "\xC3\xA9",
        "a\xC3\xA9",
        "\xC3\xA9"
        "a",
    };
    lg_arena arena;
    lg_arena_init(&arena, 0);
    for (size_t i = 0; i < LG_COUNT(patterns); i++) {
        CHECK_MSG(is_linear(&arena, patterns[i]), patterns[i]);
        const lg_schema *linear = compile_pattern(&arena, patterns[i], false);
        const lg_schema *pcre2 = compile_pattern(&arena, patterns[i], true);
        for (size_t j = 0; linear && pcre2 && j < LG_COUNT(subjects); j++) {
            lg_json subject = lg_json_make_str(lg_str_c(subjects[j]));
            bool same = lg_schema_validate(linear, &subject, NULL) ==
                        lg_schema_validate(pcre2, &subject, NULL);
            CHECK_MSG(same, lg_arena_printf(&arena, "%s on `%s`", patterns[i], subjects[j]).ptr);
        }
        CHECK_MSG(linear && pcre2, patterns[i]);
    }
    lg_arena_done(&arena);
}

// A text of any length is read within the steps that a pattern may take.
static void takes_few_steps(void)
{
    static char text[1u << 20];
    memset(text, 'a', sizeof(text));
    lg_arena arena;
    lg_arena_init(&arena, 0);
    const lg_schema *schema = compile_pattern(&arena, "^a+$", false);
    lg_json subject = lg_json_make_str(lg_str_of(text, sizeof(text)));
    CHECK_MSG(schema && lg_schema_validate(schema, &subject, NULL), "a megabyte of `a`");
    lg_schema few = schema ? *schema : (lg_schema){0};
    few.regex_steps = 100;
    CHECK_MSG(schema && !lg_schema_validate(&few, &subject, NULL), "with a hundred steps");
    lg_arena_done(&arena);
}

// Ranges are compared by the word: every byte at every place of every length, against a plain loop.
static void words_say_what_bytes_say(void)
{
    static const struct {
        const char *pattern;
        unsigned char first;
        unsigned char last;
        size_t min;
        size_t max;
        bool whole;
    } rows[] = {
        {"^[0-9]{10}$", '0', '9', 10, 10, true},    {"^[0-9]{7}", '0', '9', 7, 7, false},
        {"^[b-y]{3,9}$", 'b', 'y', 3, 9, true},     {"^[ -~]*$", ' ', '~', 0, SIZE_MAX, true},
        {"^[a]{4,}$", 'a', 'a', 4, SIZE_MAX, true},
    };
    lg_arena arena;
    lg_arena_init(&arena, 0);
    for (size_t i = 0; i < LG_COUNT(rows); i++) {
        const linear_pattern *made = NULL;
        CHECK(lg_linear_compile(&arena, lg_str_c(rows[i].pattern), &made) && made);
        for (size_t len = 0; made && len < 20; len++) {
            for (size_t at = 0; at < 256 * len; at++) {
                char text[20];
                memset(text, rows[i].first, len);
                text[at / 256] = (char)(at % 256);
                bool inside = at % 256 >= rows[i].first && at % 256 <= rows[i].last;
                size_t run = inside ? len : at / 256;
                run = run < rows[i].max ? run : rows[i].max;
                bool want = run >= rows[i].min && (!rows[i].whole || run == len);
                CHECK_MSG(lg_linear_match(made, (lg_str){text, len}) == want, rows[i].pattern);
            }
        }
    }
    lg_arena_done(&arena);
}

int main(void)
{
    RUN(which_are_linear);
    RUN(means_what_pcre2_means);
    RUN(words_say_what_bytes_say);
    RUN(takes_few_steps);
    return lg_test_done();
}
