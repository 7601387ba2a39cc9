// UTF-8 against the table of RFC 3629 section 4, byte by byte at its borders.
#include "base/utf8.h"

#include "lg_test.h"

static const struct valid_case {
    const char *bytes;
    size_t len, valid;
} valid_cases[] = {
    {"", 0, 0},
    {"abc", 3, 3},
    {"a\0b", 3, 3},
    {"\x7f", 1, 1},
    {"\x80", 1, 0},
    {"\xbf", 1, 0},
    {"\xc0\x80", 2, 0}, // overlong NUL
    {"\xc1\xbf", 2, 0},
    {"\xc2\x7f", 2, 0},
    {"\xc2\x80", 2, 2},
    {"\xc2\xc0", 2, 0},
    {"\xdf\xbf", 2, 2},
    {"\xc3", 1, 0},
    {"\xe0\x9f\xbf", 3, 0}, // overlong
    {"\xe0\xa0\x80", 3, 3},
    {"\xe2\x82", 2, 0},
    {"\xe2\x28\xa1", 3, 0},
    {"\xe2\x82\x28", 3, 0},
    {"\xed\x9f\xbf", 3, 3}, // U+D7FF
    {"\xed\xa0\x80", 3, 0}, // U+D800
    {"\xed\xbf\xbf", 3, 0}, // U+DFFF
    {"\xee\x80\x80", 3, 3}, // U+E000
    {"\xef\xbf\xbf", 3, 3},
    {"\xf0\x8f\xbf\xbf", 4, 0}, // overlong
    {"\xf0\x90\x80\x80", 4, 4},
    {"\xf0\x90\x80", 3, 0},
    {"\xf4\x8f\xbf\xbf", 4, 4}, // U+10FFFF
    {"\xf4\x90\x80\x80", 4, 0}, // U+110000
    {"\xf5\x80\x80\x80", 4, 0},
    {"\xff", 1, 0},
    {"abcdefgh\xff", 9, 8},
    {"abcdefg\xffijklmnop", 16, 7},
    {"abcdefghijklmno\xc3\xa4z", 18, 18},
    {"abcdefgh\xe2\x82", 10, 8},
};

static void the_longest_valid_prefix_is_found(void)
{
    for (size_t i = 0; i < LG_COUNT(valid_cases); i++) {
        const struct valid_case *c = &valid_cases[i];
        // From an allocation of the exact size, so that a read past the end is seen.
        char *exact = malloc(c->len ? c->len : 1);
        if (!CHECK(exact != NULL)) {
            continue;
        }
        memcpy(exact, c->bytes, c->len);
        CHECK_MSG(lg_utf8_valid_prefix((lg_str){exact, c->len}) == c->valid, c->bytes);
        free(exact);
    }
}

// Every code point that exists: put, check, read back, count.
static void every_code_point_survives_the_round_trip(void)
{
    uint32_t bad = 0;
    for (uint32_t code_point = 0; code_point <= 0x10FFFF; code_point++) {
        if (code_point >= 0xD800 && code_point <= 0xDFFF) {
            continue;
        }
        char bytes[4];
        size_t len = lg_utf8_put(bytes, code_point);
        lg_str s = {bytes, len};
        size_t offset = 0;
        bool ok = lg_utf8_valid_prefix(s) == len && lg_utf8_next(s, &offset) == code_point &&
                  offset == len && lg_utf8_count(s) == 1;
        bad += !ok;
    }
    CHECK(bad == 0);
}

static void lengths_change_where_the_table_says(void)
{
    static const struct {
        uint32_t code_point;
        size_t len;
    } cases[] = {{0, 1},     {0x7F, 1},   {0x80, 2},    {0x7FF, 2},
                 {0x800, 3}, {0xFFFF, 3}, {0x10000, 4}, {0x10FFFF, 4}};
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        char bytes[4];
        CHECK(lg_utf8_put(bytes, cases[i].code_point) == cases[i].len);
    }
}

static void code_points_are_counted_and_walked(void)
{
    lg_str text = LG_STR("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z");
    static const uint32_t want[] = {'a', 0xE4, 0x20AC, 0x1F600, 'z'};
    CHECK(lg_utf8_count(text) == 5);
    size_t offset = 0;
    for (size_t i = 0; i < LG_COUNT(want); i++) {
        CHECK(lg_utf8_next(text, &offset) == want[i]);
    }
    CHECK(offset == text.len);
    CHECK(lg_utf8_count((lg_str){NULL, 0}) == 0);
    CHECK(lg_utf8_valid_prefix((lg_str){NULL, 0}) == 0);
}

// Of each valid case all characters together are as long as the valid part.
static void characters_are_measured_one_by_one(void)
{
    for (size_t i = 0; i < LG_COUNT(valid_cases); i++) {
        lg_str text = {valid_cases[i].bytes, valid_cases[i].len};
        size_t at = 0;
        size_t length = 0;
        do {
            at += length;
            length = lg_utf8_length((lg_str){text.ptr + at, text.len - at});
        } while (length);
        CHECK_MSG(at == valid_cases[i].valid, valid_cases[i].bytes);
    }
}

static void controls_are_what_commands_a_terminal(void)
{
    static const struct {
        uint32_t first, last;
        bool is_control;
    } ranges[] = {{0, 0x1F, true}, {0x20, 0x7E, false}, {0x7F, 0x9F, true}, {0xA0, 0x400, false}};
    for (size_t i = 0; i < LG_COUNT(ranges); i++) {
        for (uint32_t c = ranges[i].first; c <= ranges[i].last; c++) {
            CHECK(lg_utf8_is_control(c) == ranges[i].is_control);
        }
    }
}

int main(void)
{
    RUN(the_longest_valid_prefix_is_found);
    RUN(every_code_point_survives_the_round_trip);
    RUN(lengths_change_where_the_table_says);
    RUN(code_points_are_counted_and_walked);
    RUN(characters_are_measured_one_by_one);
    RUN(controls_are_what_commands_a_terminal);
    return lg_test_done();
}
