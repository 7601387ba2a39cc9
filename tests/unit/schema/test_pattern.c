// test_pattern.c: regular expressions mean what ECMA-262 says, are refused with a reason, and stop.
#include "schema_test.h"

#include "base/alloc.h"

// A schema {"pattern": text} without the detour over JSON text.
static const lg_schema *compile_pattern(lg_arena *arena, lg_str pattern, const lg_limits *limits,
                                        lg_errors *errors)
{
    lg_json_member *members = lg_json_alloc_members(arena, 1);
    lg_json *object = LG_NEW(arena, lg_json);
    if (!members || !object) {
        return NULL;
    }
    members[0] = lg_json_make_member(LG_STR("pattern"), lg_json_make_str(pattern));
    *object = lg_json_make_object(members, 1);
    lg_errors_init(errors, arena, 5);
    return lg_schema_compile(arena, object, &(lg_schema_options){.limits = limits}, errors);
}

static bool matches(const lg_schema *schema, const char *subject, size_t len)
{
    lg_json value = lg_json_make_str(lg_str_of(subject, len));
    return lg_schema_validate(schema, &value, NULL);
}

typedef struct pattern_case {
    const char *pattern;
    const char *yes[4];
    const char *no[4];
} pattern_case;

static void patterns_mean_what_ecma_says(void)
{
    static const pattern_case cases[] = {
        {"", {"", "x"}, {NULL}},
        {"b", {"abc"}, {"ac"}},
        {"^a|b$", {"ax", "xb"}, {"xa"}},
        {"^$", {""}, {"\n"}},
        {"^a$", {"a"}, {"a\n", "b\na"}},
        {"^.$", {"a", "\xC3\xA9", "\xF0\x9F\x90\xB2", "\x0b"}, {"\n", "\r", "\xE2\x80\xA8", "ab"}},
        {"^\\d$", {"7"}, {"\xDF\x80", "\xD9\xA0", "a"}},
        {"^\\D$", {"a", "\xDF\x80"}, {"7"}},
        {"^\\w$", {"a", "Z", "_", "0"}, {"\xC3\xA9", "-"}},
        {"^\\W$", {"\xC3\xA9", "-", "\xF0\x9F\x90\xB2"}, {"a", "_"}},
        {"^\\s$", {" ", "\xC2\xA0", "\xEF\xBB\xBF", "\xE2\x80\xA9"}, {"\xE2\x80\x8B", "x"}},
        {"^\\S$", {"\xE2\x80\x8B", "x"}, {" ", "\xC2\xA0", "\xE3\x80\x80"}},
        {"^[\\s\\d]$", {"\xC2\xA0", "1"}, {"a"}},
        {"^[^\\s\\d]$", {"a"}, {"\xC2\xA0", "1"}},
        {"^[\\S]$", {"a"}, {" "}},
        {"^[\\D\\d]$", {"a", "1", "\n"}, {""}},
        {"^\\v$", {"\x0b"}, {"\n", "\r"}},
        {"^\\cA\\ca$", {"\x01\x01"}, {"AA"}},
        {"^\\x41\\u0042\\u{43}\\u{1F432}$", {"ABC\xF0\x9F\x90\xB2"}, {"ABC"}},
        {"^\\ud83d\\udc32$", {"\xF0\x9F\x90\xB2"}, {"x"}},
        {"^[\\b]$", {"\b"}, {"b"}},
        {"\\bcat\\b", {"a cat!"}, {"concat"}},
        {"^[]$", {NULL}, {"", "a", "]"}},
        {"^[^]$", {"a", "\n", "\xF0\x9F\x90\xB2"}, {""}},
        {"^[[:alpha:]]$", {"[]", ":]", "a]"}, {"b", "a"}},
        {"^[a-]$", {"a", "-"}, {"b"}},
        {"^[-a]$", {"-"}, {"b"}},
        {"^[a\\-z]$", {"a", "-", "z"}, {"b"}},
        {"^[\\]^]$", {"]", "^"}, {"a"}},
        {"^[a&&b]$", {"&"}, {"c"}},
        {"^]{}$", {"]{}"}, {"]"}},
        {"^a{,2}$", {"a{,2}"}, {"aa"}},
        {"^a{2}$", {"aa"}, {"a", "aaa"}},
        {"^a{2,}$", {"aa", "aaaa"}, {"a"}},
        {"^a{1,2}?$", {"a", "aa"}, {"aaa"}},
        {"^a#b c$", {"a#b c"}, {"ab c"}},
        {"^\\/\\-\\_\\@\\.$", {"/-_@."}, {"x"}},
        {"^(a)(b)?\\2\\1$", {"aa", "abba"}, {"ab"}},
        {"^(?<x>a|b)\\k<x>$", {"aa", "bb"}, {"ab"}},
        {"^(?:a|bc)+$", {"abca"}, {"b"}},
        {"^(?=.*\\d)(?!.*x)", {"a1"}, {"a", "1x"}},
        {"(?<=\\$)\\d", {"$5"}, {"5"}},
        {"(?<!\\$)5", {"5"}, {"$5"}},
        {"^\\p{L}+$", {"a\xC3\xA9"}, {"1"}},
        {"^\\p{Letter}\\P{Lu}$", {"Aa"}, {"AA"}},
        {"^\\p{Script=Greek}\\p{sc=Latin}$", {"\xCE\xB1x"}, {"xx"}},
        {"^\\p{General_Category=Decimal_Number}$", {"\xDF\x80"}, {"a"}},
        {"^[\\p{Lu}\\d]$", {"A", "1"}, {"a"}},
        {"^\\0$", {""}, {"0"}},
        {"^\xC3\xA9[\xC3\xA0-\xC3\xBF]$", {"\xC3\xA9\xC3\xA9"}, {"\xC3\xA9"}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lg_arena arena;
        lg_errors errors;
        lg_arena_init(&arena, 0);
        const lg_schema *schema =
            compile_pattern(&arena, lg_str_c(cases[i].pattern), NULL, &errors);
        if (!CHECK_MSG(schema != NULL, cases[i].pattern)) {
            printf("    %s\n", errors.items[0].msg);
        }
        bool nul = strcmp(cases[i].pattern, "^\\0$") == 0; // its subject is one NUL
        for (size_t k = 0; schema && k < 4; k++) {
            const char *yes = cases[i].yes[k];
            const char *no = cases[i].no[k];
            CHECK_MSG(!yes || matches(schema, yes, nul ? 1 : strlen(yes)), cases[i].pattern);
            CHECK_MSG(!no || !matches(schema, no, strlen(no)), cases[i].pattern);
        }
        lg_arena_done(&arena);
    }
}

static void what_cannot_be_honoured_is_refused(void)
{
    static const char *const cases[][2] = {
        {"(", "`(` is not closed (at byte 1)"},
        {"a)", "`)` closes nothing (at byte 1)"},
        {"[a", "`[` is not closed (at byte 2)"},
        {"[a-", "`[` is not closed (at byte 3)"},
        {"[z-a]", "a range in a class is out of order (at byte 4)"},
        {"[\\w-z]", "a class such as `\\w` cannot begin a range (at byte 3)"},
        {"[a-\\d]", "a class such as `\\w` cannot end a range (at byte 5)"},
        {"*a", "`*` has nothing to repeat (at byte 0)"},
        {"a**", "`*` has nothing to repeat (at byte 2)"},
        {"a++", "`+` has nothing to repeat (at byte 2)"},
        {"{1}", "a quantifier in braces has nothing to repeat (at byte 3)"},
        {"a{2,1}", "the bounds of a quantifier are out of order (at byte 6)"},
        {"a{70000}", "a quantifier may not count beyond 65535 (at byte 8)"},
        {"^*", "an assertion cannot be repeated (at byte 2)"},
        {"(?=a)*", "an assertion cannot be repeated (at byte 6)"},
        {"\\", "a backslash at the end escapes nothing (at byte 1)"},
        {"\\a", "`\\a` is no escape of ECMA-262 (at byte 2)"},
        {"\\Z", "`\\Z` is no escape of ECMA-262 (at byte 2)"},
        {"\\Q", "`\\Q` is no escape of ECMA-262 (at byte 2)"},
        {"\\c1", "`\\c` is no escape of ECMA-262 (at byte 2)"},
        {"\\07", "`\\0` is no escape of ECMA-262 (at byte 2)"},
        {"\\x4", "`\\x` must be followed by two hexadecimal digits (at byte 2)"},
        {"\\u12", "`\\u` must be followed by four hexadecimal digits (at byte 2)"},
        {"\\u{110000}",
         "`\\u{` must be followed by a code point in hexadecimal and `}` (at byte 9)"},
        {"\\ud800", "a lone surrogate matches no character of a JSON string (at byte 6)"},
        {"[\\ud800-\\udfff]", "a lone surrogate matches no character of a JSON string (at byte 7)"},
        {"\\p", "`\\p` must be followed by a property in braces (at byte 2)"},
        {"\\p{}", "`\\p` must be followed by a property in braces (at byte 2)"},
        {"(?i)a", "`(?` must be followed by `:`, `=`, `!`, `<=`, `<!` or `<name>` (at byte 1)"},
        {"(?>a)", "`(?` must be followed by `:`, `=`, `!`, `<=`, `<!` or `<name>` (at byte 1)"},
        {"(?P<n>a)", "`(?` must be followed by `:`, `=`, `!`, `<=`, `<!` or `<name>` (at byte 1)"},
        {"(*UTF)a", "`*` has nothing to repeat (at byte 1)"},
        {"(?<1>a)", "a group name must be 1 to 32 ASCII letters, digits or `_`, then `>` (at byte "
                    "4)"},
        {"(?<a>x)(?<a>y)", "two groups are called `a` (at byte 12)"},
        {"\\1", "a backreference has no group (at byte 2)"},
        {"(a)\\2", "a backreference has no group (at byte 5)"},
        {"\\k<a>", "a backreference has no group (at byte 5)"},
        {"(?:(a)|b)*\\1",
         "a backreference to a group inside a repeated group is not supported (at byte 12)"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lg_arena arena;
        lg_errors errors;
        char want[300];
        lg_arena_init(&arena, 0);
        CHECK_MSG(!compile_pattern(&arena, lg_str_c(cases[i][0]), NULL, &errors), cases[i][0]);
        snprintf(want, sizeof(want), "/pattern: is not a regular expression of ECMA-262: %s",
                 cases[i][1]);
        CHECK_STR(lg_str_c(errors.count ? errors.items[0].msg : ""), want);
        lg_arena_done(&arena);
    }
}

static void pcre_has_the_last_word(void)
{
    static const char *const cases[][2] = {
        {"(?<=a+)b", "lookbehind assertion is not fixed length"},
        {"\\p{Nonsense}", "unknown property after \\P or \\p"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lg_arena arena;
        lg_errors errors;
        char want[300];
        lg_arena_init(&arena, 0);
        CHECK_MSG(!compile_pattern(&arena, lg_str_c(cases[i][0]), NULL, &errors), cases[i][0]);
        snprintf(want, sizeof(want), "/pattern: is not a pattern that can be honoured: %s",
                 cases[i][1]);
        CHECK_STR(lg_str_c(errors.count ? errors.items[0].msg : ""), want);
        lg_arena_done(&arena);
    }
}

// Each would take years, or minutes, without the limits.
static void catastrophes_stop(void)
{
    static const struct {
        const char *pattern;
        const char *unit;
        size_t times;
        const char *end;
    } cases[] = {
        {"^(a+)+$", "a", 40, "!"},
        {"^(a|a)*$", "a", 60, "!"},
        {"^(?:a?){40}a{40}$", "a", 39, ""},
        {"(x+x+)+y", "x", 100, ""}, // no y: found at once
        {"(.*)*(.*)*(.*)*z$", "z", 200, "!"},
        {"^(([a-z])+.)+[A-Z]([a-z])+$", "a", 60, ""},
        {"(?=(a+))a*b\\1", "a", 3000, ""},
        {"a{30000}b", "a", 200000, "c"},
        {"(?:a{1,500}){1,3}b", "a", 100000, "c"},
        {"[^b]*c", "a", 1000000, ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lg_arena arena;
        lg_errors errors;
        lg_arena_init(&arena, 0);
        const lg_schema *schema =
            compile_pattern(&arena, lg_str_c(cases[i].pattern), NULL, &errors);
        size_t len = cases[i].times * strlen(cases[i].unit);
        char *subject = lg_arena_alloc(&arena, len + 2, 1);
        if (!CHECK_MSG(schema && subject, cases[i].pattern)) {
            lg_arena_done(&arena);
            continue;
        }
        memset(subject, cases[i].unit[0], len);
        memcpy(subject + len, cases[i].end, strlen(cases[i].end));
        lg_json value = lg_json_make_str(lg_str_of(subject, len + strlen(cases[i].end)));
        lg_schema_violation item;
        lg_schema_report report = {.items = &item, .capacity = 1};
        CHECK_MSG(!lg_schema_validate(schema, &value, &report), cases[i].pattern);
        CHECK_MSG(item.fault == LG_FAULT_LIMIT || item.fault == LG_FAULT_PATTERN, cases[i].pattern);
        if (i == 0) {
            CHECK_STR(lg_str_c(item.msg), "the value takes too much work to match against its "
                                          "pattern; it counts as invalid");
            CHECK(item.fault == LG_FAULT_LIMIT && !strcmp(item.keyword, "limit"));
        }
        lg_arena_done(&arena);
    }
}

// A limit may come from the caller, and one is not the other's business.
static void the_limit_is_the_callers(void)
{
    lg_arena arena;
    lg_errors errors;
    lg_arena_init(&arena, 0);
    const lg_limits few = {.regex_steps = 20};
    const lg_schema *strict = compile_pattern(&arena, LG_STR("^(?:ab)*$"), &few, &errors);
    CHECK(strict && matches(strict, "abab", 4));
    char text[101] = "";
    for (size_t i = 0; i < 100; i++) {
        text[i] = i % 2 ? 'b' : 'a';
    }
    CHECK(!matches(strict, text, 100));
    const lg_schema *usual = compile_pattern(&arena, LG_STR("^(?:ab)*$"), NULL, &errors);
    CHECK(usual && matches(usual, text, 100));
    // Long texts are well within the usual limit, if the pattern is sane.
    size_t len = 60000;
    char *base64 = lg_arena_alloc(&arena, len, 1);
    const lg_schema *sane =
        compile_pattern(&arena, LG_STR("^(?:[A-Za-z0-9+/]{4})*$"), NULL, &errors);
    if (CHECK(base64 && sane)) {
        memset(base64, 'Q', len);
        CHECK(matches(sane, base64, len));
    }
    lg_arena_done(&arena);
}

static void matching_asks_the_system_for_nothing(void)
{
    lg_arena arena;
    lg_errors errors;
    lg_arena_init(&arena, 0);
    const lg_schema *schema = compile_pattern(&arena, LG_STR("^[A-Z]{2}(\\d+|x)*$"), NULL, &errors);
    uint64_t before = lg_alloc_count();
    for (int i = 0; i < 10; i++) {
        CHECK(matches(schema, "HA1234567x12", 12));
        CHECK(!matches(schema, "ha1234567x12", 12));
    }
    CHECK(lg_alloc_count() == before);
    lg_arena_done(&arena);
}

// When PCRE2 gets no memory for its backtracking, the answer is no, and nothing is lost.
static void matching_may_run_out_of_memory(void)
{
    lg_arena arena;
    lg_errors errors;
    lg_arena_init(&arena, 0);
    const lg_schema *schema = compile_pattern(&arena, LG_STR("^(?:a|b)*$"), NULL, &errors);
    char text[2000];
    memset(text, 'a', sizeof(text));
    CHECK(matches(schema, text, sizeof(text)));
    lg_alloc_fail_at(1);
    bool got = matches(schema, text, sizeof(text));
    lg_alloc_fail_at(0);
    CHECK(!got);
    lg_arena_done(&arena);
}

static void compiling_may_run_out_of_memory(void)
{
    for (uint64_t n = 1; n <= 8; n++) {
        lg_arena arena;
        lg_errors errors;
        lg_arena_init(&arena, 0);
        lg_alloc_fail_at(n);
        const lg_schema *schema = compile_pattern(&arena, LG_STR("^(?:a|b)*$"), NULL, &errors);
        lg_alloc_fail_at(0);
        CHECK(schema || n < 8);
        lg_arena_done(&arena);
    }
}

int main(void)
{
    RUN(patterns_mean_what_ecma_says);
    RUN(what_cannot_be_honoured_is_refused);
    RUN(pcre_has_the_last_word);
    RUN(catastrophes_stop);
    RUN(the_limit_is_the_callers);
    RUN(matching_asks_the_system_for_nothing);
    RUN(matching_may_run_out_of_memory);
    RUN(compiling_may_run_out_of_memory);
    return lg_test_done();
}
