// Slices: comparing, finding, cutting, and the distance behind "did you mean".
#include "base/str.h"

#include "lg_test.h"

static const lg_str none = {NULL, 0}; // the slice of nothing is a slice too

static int sign(int n)
{
    return (n > 0) - (n < 0);
}

static void order_is_that_of_bytes(void)
{
    // Each is smaller than the next.
    static const char *const sorted[] = {"", "A", "a", "aa", "ab", "b", "\x7f", "\xc3\xa4", "\xff"};
    for (size_t i = 0; i < LG_COUNT(sorted); i++) {
        for (size_t j = 0; j < LG_COUNT(sorted); j++) {
            lg_str a = lg_str_c(sorted[i]);
            lg_str b = lg_str_c(sorted[j]);
            int want = i < j ? -1 : i > j;
            CHECK_MSG(sign(lg_str_cmp(a, b)) == want, sorted[i]);
            CHECK_MSG(lg_str_eq(a, b) == (i == j), sorted[i]);
        }
    }
    CHECK(lg_str_cmp(lg_str_of("a\0b", 3), lg_str_of("a\0a", 3)) > 0);
    CHECK(!lg_str_eq(lg_str_of("a\0b", 3), lg_str_of("a\0a", 3)));
    CHECK(lg_str_eq(none, LG_STR("")) && lg_str_cmp(none, LG_STR("")) == 0);
    CHECK(lg_str_cmp(none, LG_STR("a")) < 0);
    CHECK(lg_str_eq(lg_str_c(NULL), none));
}

static const struct affix_case {
    const char *s, *affix;
    bool starts, ends;
} affix_cases[] = {
    {"abcabc", "abc", true, true}, {"abcabc", "", true, true}, {"abc", "abc", true, true},
    {"abc", "abcd", false, false}, {"abc", "bc", false, true}, {"abc", "ab", true, false},
    {"", "", true, true},          {"", "a", false, false},
};

static void affixes(void)
{
    for (size_t i = 0; i < LG_COUNT(affix_cases); i++) {
        const struct affix_case *c = &affix_cases[i];
        CHECK_MSG(lg_str_starts(lg_str_c(c->s), lg_str_c(c->affix)) == c->starts, c->affix);
        CHECK_MSG(lg_str_ends(lg_str_c(c->s), lg_str_c(c->affix)) == c->ends, c->affix);
    }
    CHECK(lg_str_starts(none, none) && lg_str_ends(none, none));
}

static const struct find_case {
    const char *s, *needle;
    size_t at;
} find_cases[] = {
    {"hello", "l", 2},       {"hello", "lo", 3},
    {"hello", "hello", 0},   {"hello", "hellos", SIZE_MAX},
    {"hello", "", 0},        {"", "", 0},
    {"", "a", SIZE_MAX},     {"aaab", "aab", 1},
    {"abababc", "ababc", 2}, {"aaaa", "b", SIZE_MAX},
    {"ab", "ba", SIZE_MAX},  {"xab", "ab", 1},
};

static void finding(void)
{
    for (size_t i = 0; i < LG_COUNT(find_cases); i++) {
        const struct find_case *c = &find_cases[i];
        CHECK_MSG(lg_str_find(lg_str_c(c->s), lg_str_c(c->needle)) == c->at, c->needle);
    }
    CHECK(lg_str_find(lg_str_of("a\0b", 3), lg_str_of("\0b", 2)) == 1);
    CHECK(lg_str_find(none, LG_STR("a")) == SIZE_MAX);
}

static void slices_are_clamped(void)
{
    CHECK_STR(lg_str_slice(LG_STR("hello"), 1, 3), "el");
    CHECK_STR(lg_str_slice(LG_STR("hello"), 3, SIZE_MAX), "lo");
    CHECK_STR(lg_str_slice(LG_STR("hello"), 9, 12), "");
    CHECK_STR(lg_str_slice(LG_STR("hello"), 4, 2), "");
    CHECK_STR(lg_str_slice(LG_STR("hello"), 5, 5), "");
    CHECK(lg_str_slice(none, 0, 7).len == 0);
}

static void trimming(void)
{
    CHECK_STR(lg_str_trim(LG_STR(" \t\r\n a b \n")), "a b");
    CHECK_STR(lg_str_trim(LG_STR("ab")), "ab");
    CHECK_STR(lg_str_trim(LG_STR(" \n ")), "");
    CHECK_STR(lg_str_trim(LG_STR("\xc2\xa0x")), "\xc2\xa0x"); // only ASCII blanks are blanks
    CHECK(lg_str_trim(none).len == 0);
}

static const struct distance_case {
    const char *a, *b;
    uint32_t distance;
} distance_cases[] = {
    {"", "", 0},
    {"", "abc", 3},
    {"abc", "abc", 0},
    {"abc", "abd", 1},
    {"abc", "abcd", 1},
    {"abc", "ac", 1},
    {"abc", "acb", 1}, // two neighbours swapped
    {"abcd", "badc", 2},
    {"ca", "abc", 3}, // no letter is changed twice
    {"kitten", "sitting", 3},
    {"--jsn", "--json", 1},
    {"get_order", "get_user", 3},
};

static void distances(void)
{
    for (size_t i = 0; i < LG_COUNT(distance_cases); i++) {
        const struct distance_case *c = &distance_cases[i];
        lg_str a = lg_str_c(c->a);
        lg_str b = lg_str_c(c->b);
        CHECK_MSG(lg_str_distance(a, b) == c->distance, c->b);
        CHECK_MSG(lg_str_distance(b, a) == c->distance, c->b);
    }
}

static void distances_of_long_slices_are_not_computed(void)
{
    char longest[65];
    memset(longest, 'x', sizeof(longest));
    CHECK(lg_str_distance(lg_str_of(longest, 64), lg_str_of(longest, 64)) == 0);
    CHECK(lg_str_distance(lg_str_of(longest, 64), LG_STR("")) == 64);
    CHECK(lg_str_distance(lg_str_of(longest, 65), LG_STR("x")) == UINT32_MAX);
    CHECK(lg_str_distance(LG_STR("x"), lg_str_of(longest, 65)) == UINT32_MAX);
}

static void lines_end_at_a_line_feed_or_with_the_text(void)
{
    lg_str text = LG_STR("ab\n\nc");
    static const size_t ends[] = {2, 2, 2, 3, 5, 5, 5};
    for (size_t from = 0; from < LG_COUNT(ends); from++) {
        CHECK(lg_str_line_end(text, from) == ends[from]);
    }
    CHECK(lg_str_line_end(LG_STR(""), 0) == 0);
}

static void case_is_that_of_ascii_letters_alone(void)
{
    static const char hex_digits[] = "0123456789abcdef0123456789ABCDEF";
    CHECK(lg_str_eq_any_case(LG_STR("Content-TYPE"), LG_STR("content-type")));
    CHECK(lg_str_eq_any_case(none, LG_STR("")));
    CHECK(!lg_str_eq_any_case(LG_STR("ab"), LG_STR("abc")));
    CHECK(!lg_str_eq_any_case(LG_STR("@[`{"), LG_STR("`{@["))); // 0x20 apart, and no letters
    CHECK(!lg_str_eq_any_case(LG_STR("\xc3\x84"), LG_STR("\xc3\xa4"))); // two umlauts
    for (int c = -128; c < 256; c++) {
        bool letter =
            c > 0 && c < 128 && strchr("abcdefghijklmnopqrstuvwxyz", c | 0x20) && c >= 'A';
        CHECK(lg_is_letter(c) == letter);
        CHECK(lg_is_digit(c) == (c > 0 && c < 128 && strchr("0123456789", c) != NULL));
        CHECK(lg_lower((char)c) == (char)(letter ? c | 0x20 : c));
        const char *hex = c > 0 && c < 128 ? strchr(hex_digits, c) : NULL;
        CHECK(lg_hex_digit(c) == (hex ? (int)(hex - hex_digits) % 16 : -1));
    }
}

static void media_types_are_named_without_their_parameters(void)
{
    CHECK(lg_is_media_type(LG_STR("application/json"), LG_STR("application/json")));
    CHECK(
        lg_is_media_type(LG_STR(" Application/JSON ; charset=utf-8"), LG_STR("application/json")));
    CHECK(!lg_is_media_type(LG_STR("application/jsonl"), LG_STR("application/json")));
    CHECK(!lg_is_media_type(LG_STR("text/plain; application/json"), LG_STR("application/json")));
    CHECK(!lg_is_media_type(none, LG_STR("application/json")));
}

LG_PRINTF(3, 4)
static lg_str print(char *room, size_t room_bytes, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    lg_str text = lg_str_vprint(room, room_bytes, format, args);
    va_end(args);
    return text;
}

static void what_is_printed_is_cut_between_characters(void)
{
    char room[6];
    CHECK_STR(print(room, sizeof(room), "%s", "12345"), "12345");
    CHECK_STR(print(room, sizeof(room), "%s", "123456"), "12345");
    CHECK_STR(print(room, sizeof(room), "%s", "1234\xc3\xa4"), "1234");
    CHECK_STR(print(room, sizeof(room), "%s", "12\xe2\x82\xac!"), "12\xe2\x82\xac");
    CHECK_STR(print(room, 1, "%s", "a"), "");
}

int main(void)
{
    RUN(order_is_that_of_bytes);
    RUN(affixes);
    RUN(finding);
    RUN(slices_are_clamped);
    RUN(lines_end_at_a_line_feed_or_with_the_text);
    RUN(trimming);
    RUN(case_is_that_of_ascii_letters_alone);
    RUN(media_types_are_named_without_their_parameters);
    RUN(what_is_printed_is_cut_between_characters);
    RUN(distances);
    RUN(distances_of_long_slices_are_not_computed);
    return lg_test_done();
}
