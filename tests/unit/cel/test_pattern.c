// Patterns that one pass decides: which they are, and that they mean what PCRE2 takes them for.
#include "cel/cel_internal.h"
#include "cel_fixture.h"
#include "dice.h"

static const char *const linear[] = {
    "^#W[0-9]{7}$",
    "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
    "^",
    "^$",
    "^abc",
    "^a*b$",
    "^a+$",
    "^a?b?c?$",
    "^a{2,}b",
    "^a{2,3}$",
    "^a{0}b$",
    "^a{1000}$",
    "^\\d+\\.\\d{1,2}$",
    "^\\w+@\\w+$",
    "^[a-c_-]+$",
    "^[-a]$",
    "^[a-]$",
    "^[a^]+$",
    "^[.*+?(){}|$]+$",
    "^[\\]\\\\\\-]+$",
    "^[a-c-]+$",
    "^[+--]+$",
    "^[\\w.]+ b",
    "^\\#\\_\\/$",
    "^ / : ,$",
    "^[a-z]+[0-9]*[A-Z]?$",
    "^a*[b-z]*0$",
};

// For PCRE2 to decide, or to refuse.
static const char *const other[] = {
    "a",       "",         "a$",        "^a|b",        "^(a)",      "^a.b",     "^[^a]$",
    "^a*a$",   "^a?a",     "^a+?b",     "^a??",        "^a{1,2}?b", "^a{",      "^a{,2}",
    "^a{1",    "^a{1,x}",  "^a{2,1}",   "^a{1001}",    "^a{1}{",    "^a**",     "^*",
    "^a++",    "^a^",      "^a$b",      "^a$$",        "^[a",       "^[]",      "^[]a]",
    "^[c-a]",  "^[[:a:]]", "^[[]",      "^[\\s]",      "^[\\d-z]",  "^[a-\\d]", "^\\s",
    "^\\D",    "^\\1",     "^\\x41",    "^\\",         "^[\\",      "^\\pN",    "^\\Qa\\E",
    "^a]",     "^a}",      "^\xc3\xa9", "^[\xc3\xa9]", "^\\b",      "^\\n",     "^[a-c]*b$",
    "^a?b?a$", "^\\w*_$",  "^(?i)a",    "^[\\b]",      "^[a-",      "^a\\z",    "\\Aa",
};

static const char *const texts[] = {
    "",          "#W1234567", "#W123456", "#W12345678", "#W123456x", "#W1234567\n", "2024-05-15",
    "2024-05-1", "a",         "b",        "c",          "ab",        "abc",         "abcd",
    "aab",       "aaab",      "aa",       "aaa",        "aaaa",      "ac",          "bc",
    "1.5",       "12.345",    "12.34",    ".5",         "x_1@y",     "x@",          "a-b_c",
    "-",         "_",         "^a^",      "a\n",        "\na",       ".*+?(){}|$",  "]\\-",
    "+,-",       "#_/",       " / : ,",   "abc12Z",     "abcZ",      "12Z",         "a\xc3\xa9",
    "\xc3\xa9",  "\xd9\xa3",  "a.b b",    "a b",        "aaazz0",    "0",           "zz0",
};

static bool is_linear(cel_fixture *f, const char *pattern)
{
    const lg_cel_linear *made = NULL;
    CHECK_MSG(lg_cel_linear_compile(&f->arena, lg_str_c(pattern), &made), pattern);
    return made != NULL;
}

static void knows_what_is_linear(void)
{
    cel_fixture f;
    fixture_init(&f);
    for (size_t i = 0; i < LG_COUNT(linear); i++) {
        CHECK_MSG(is_linear(&f, linear[i]), linear[i]);
    }
    for (size_t i = 0; i < LG_COUNT(other); i++) {
        CHECK_MSG(!is_linear(&f, other[i]), other[i]);
    }
    // 32 steps, and one more.
    CHECK(is_linear(&f, "^abcdefghijklmnopqrstuvwxyzabcdef$"));
    CHECK(!is_linear(&f, "^abcdefghijklmnopqrstuvwxyzabcdefg$"));
    CHECK(is_linear(&f, "^[a-b]") && !is_linear(&f, "^[a-b]\xff"));
    fixture_done(&f);
}

// An empty group before a pattern changes nothing but who reads it.
static void means_the_same_to_both(void)
{
    cel_fixture f;
    fixture_init(&f);
    const lg_cel_type *string = lg_cel_type_of_kind(LG_CEL_STRING);
    fixture_declare(&f, "t", string, lg_cel_make_str(LG_STR("")));
    fixture_declare(&f, "p", string, lg_cel_make_str(LG_STR("")));
    const lg_cel_program *quick = fixture_compile(&f, LG_STR("t.matches(p)"));
    const lg_cel_program *slow = fixture_compile(&f, LG_STR("t.matches('(?:)' + p)"));
    size_t matched = 0;
    for (size_t i = 0; i < LG_COUNT(linear); i++) {
        for (size_t j = 0; quick && slow && j < LG_COUNT(texts); j++) {
            f.values[0] = lg_cel_make_str(lg_str_c(texts[j]));
            f.values[1] = lg_cel_make_str(lg_str_c(linear[i]));
            lg_cel_value a = fixture_eval(&f, quick);
            lg_cel_value b = fixture_eval(&f, slow);
            bool same =
                a.kind == LG_CEL_BOOL && b.kind == LG_CEL_BOOL && a.as.boolean == b.as.boolean;
            matched += same && a.as.boolean;
            if (!same) {
                printf("pattern %s, text %s\n", linear[i], texts[j]);
            }
            CHECK_MSG(same, linear[i]);
        }
    }
    CHECK_MSG(matched > LG_COUNT(linear), "most patterns match something");
    fixture_done(&f);
}

// --- Words ----------------------------------------------------------------------------------------

static const char *const words[] = {
    "(?i)\\b(yes|ok|ok go|go ahead|s)\\b",
    "\\b(?:yes|YES|y)\\b",
    "(?i)yes|ok",
    "(?i)\\bok",
    "ok\\b",
    "ok",
    "(?i)(k|es)\\b",
    "\\b( ok|_9)",
    "(?i)\\b9 ",
};

static const char *const no_words[] = {
    "",
    "(?i)",
    "\\b",
    "(yes|)",
    "(|yes)",
    "(yes",
    "yes)",
    "\\byes|ok",
    "yes|ok\\b",
    "(yes)+",
    "(yes|o.)",
    "(yes|(ok))",
    "(?s)yes",
    "yes$",
    "^yes",
    "(yes|\xc3\xa9)",
    "a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q|r|s|t|u|v|w|x|y|z|"
    "a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q|r|s|t|u|v|w|x|y|z|a|b|c|d|e|f|g|h|i|j|k|l|m",
};

// Some beyond ASCII, among them letters that are s and k but for their case.
static const char *const pieces[] = {"yes", "YES", "ye", "s",        "ok",       "Ok",          "k",
                                     " ",   " ",   "_",  "9",        "go ahead", "go",          "-",
                                     "\n",  "y",   "es", "\xc3\xa9", "\xc5\xbf", "\xe2\x84\xaa"};

static void knows_what_are_words(void)
{
    cel_fixture f;
    fixture_init(&f);
    for (size_t i = 0; i < LG_COUNT(words); i++) {
        CHECK_MSG(lg_cel_words_compile(&f.arena, lg_str_c(words[i])), words[i]);
    }
    for (size_t i = 0; i < LG_COUNT(no_words); i++) {
        CHECK_MSG(!lg_cel_words_compile(&f.arena, lg_str_c(no_words[i])), no_words[i]);
    }
    CHECK(lg_cel_words_can(LG_STR("yes\x7f")) && !lg_cel_words_can(LG_STR("yes\xc3\xa9")));
    fixture_done(&f);
}

static void words_are_found_where_pcre2_finds_them(void)
{
    cel_fixture f;
    fixture_init(&f);
    const lg_cel_type *string = lg_cel_type_of_kind(LG_CEL_STRING);
    fixture_declare(&f, "t", string, lg_cel_make_str(LG_STR("")));
    fixture_declare(&f, "p", string, lg_cel_make_str(LG_STR("")));
    const lg_cel_program *quick = fixture_compile(&f, LG_STR("t.matches(p)"));
    const lg_cel_program *slow = fixture_compile(&f, LG_STR("t.matches('(?:)' + p)"));
    dice d = dice_of(5);
    size_t matched = 0, rounds = 3000;
    for (size_t i = 0; quick && slow && i < rounds; i++) {
        char room[128];
        lg_buf text;
        lg_buf_init_in(&text, room, sizeof(room), 0);
        size_t kinds = 1 + dice_below(&d, LG_COUNT(pieces));
        for (uint32_t left = dice_below(&d, 8); left > 0; left--) {
            lg_buf_add_c(&text, pieces[dice_below(&d, (uint32_t)kinds)]);
        }
        const char *pattern = DICE_PICK(&d, words);
        f.values[0] = lg_cel_make_str(lg_buf_str(&text));
        f.values[1] = lg_cel_make_str(lg_str_c(pattern));
        lg_cel_value a = fixture_eval(&f, quick);
        lg_cel_value b = fixture_eval(&f, slow);
        bool same = a.kind == LG_CEL_BOOL && b.kind == LG_CEL_BOOL && a.as.boolean == b.as.boolean;
        matched += same && a.as.boolean;
        if (!CHECK_MSG(same, pattern)) {
            printf("    text %.*s\n", LG_FMT(lg_buf_str(&text)));
        }
        lg_buf_done(&text);
    }
    CHECK(matched > rounds / 8 && matched < rounds - rounds / 8);
    fixture_done(&f);
}

// What lies behind a matched part is none of the pattern's business; what must follow, must.
static void bounds_the_repetitions(void)
{
    static const struct {
        const char *pattern;
        const char *text;
        bool matches;
    } cases[] = {
        {"^a{2}", "aaa", true},    {"^a{2}$", "aaa", false},   {"^a{2}", "a", false},
        {"^a{2,}$", "aaaa", true}, {"^a{2,3}b", "aaab", true}, {"^a{2,3}b", "aaaab", false},
        {"^a{0,1}b", "b", true},   {"^a{0}$", "", true},       {"^[a-z]{3}", "ab1", false},
        {"^$", "\n", false},       {"^a$", "a\n", false},
    };
    cel_fixture f;
    fixture_init(&f);
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        const lg_cel_linear *made = NULL;
        CHECK_MSG(lg_cel_linear_compile(&f.arena, lg_str_c(cases[i].pattern), &made) && made,
                  cases[i].pattern);
        CHECK_MSG(made && lg_cel_linear_match(made, lg_str_c(cases[i].text)) == cases[i].matches,
                  cases[i].pattern);
    }
    fixture_done(&f);
}

// Each match takes its steps, however it is decided: a limit that is met is never "no match".
static void charges_for_matches(void)
{
    cel_fixture f;
    fixture_init(&f);
    lg_limits limits = {.cel_cost = 12};
    f.env = lg_cel_env_new(&f.arena, NULL, &limits);
    fixture_declare(&f, "t", lg_cel_type_of_kind(LG_CEL_STRING),
                    lg_cel_make_str(LG_STR("0123456789012345678901234567890123456789")));
    const lg_cel_program *program = fixture_compile(&f, LG_STR("!t.matches('^[0-9]+x$')"));
    if (CHECK(program)) {
        lg_cel_value value = fixture_eval(&f, program);
        CHECK(value.kind == LG_CEL_ERROR && value.as.failure->kind == LG_CEL_FAIL_LIMIT);
    }
    limits.cel_cost = 40;
    f.env = lg_cel_env_new(&f.arena, NULL, &limits);
    fixture_declare(&f, "t", lg_cel_type_of_kind(LG_CEL_STRING),
                    lg_cel_make_str(LG_STR("0123456789012345678901234567890123456789")));
    program = fixture_compile(&f, LG_STR("!t.matches('0x|1x|2x|3x|4x|5x|6x|7x|8x|9x')"));
    if (CHECK(program)) {
        lg_cel_value value = fixture_eval(&f, program);
        CHECK(value.kind == LG_CEL_ERROR && value.as.failure->kind == LG_CEL_FAIL_LIMIT);
    }
    fixture_done(&f);
}

int main(void)
{
    RUN(knows_what_is_linear);
    RUN(means_the_same_to_both);
    RUN(knows_what_are_words);
    RUN(words_are_found_where_pcre2_finds_them);
    RUN(bounds_the_repetitions);
    RUN(charges_for_matches);
    return lg_test_done();
}
