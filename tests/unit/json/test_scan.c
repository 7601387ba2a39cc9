// The scanners against the plainest loop that does the same, at every place and length.
#include "lg_test.h"

#include "base/utf8.h"
#include "json/scan.h"
#include "json/wide.h"

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static bool is_stop(char c)
{
    unsigned char byte = (unsigned char)c;
    return byte < 0x20 || byte >= 0x80 || c == '"' || c == '\\';
}

// Mostly plain bytes, with a stop here and there.
static void fill(char *text, size_t len, uint64_t *state)
{
    static const char stops[] = "\"\\\n\x1F\x01\x80\xFF\xC3";
    for (size_t i = 0; i < len; i++) {
        uint64_t r = next_random(state);
        text[i] = (char)(0x20 + r % 95);
        text[i] = text[i] == '"' || text[i] == '\\' ? 'x' : text[i];
        text[i] = r >> 32 & 31 ? text[i] : stops[(r >> 40) % (sizeof(stops) - 1)];
    }
}

static void every_byte_is_judged(void)
{
    for (int byte = 0; byte < 256; byte++) {
        for (int place = 0; place < 16; place++) {
            char text[16];
            memset(text, 'a', sizeof(text));
            text[place] = (char)byte;
            unsigned want = is_stop((char)byte) ? 1u << place : 0;
            CHECK(lg_scan_stops(text) == want);
            CHECK(lg_scan_stops_portable(text) == want);
        }
    }
}

static void both_ways_agree(void)
{
    uint64_t state = 1234567;
    for (int i = 0; i < 20000; i++) {
        uint64_t words[2] = {next_random(&state), next_random(&state)};
        char text[16];
        memcpy(text, words, sizeof(text));
        CHECK(lg_scan_stops(text) == lg_scan_stops_portable(text));
    }
}

// The window finds the same stops as a loop, from stop to stop and over jumps.
static void check_window(bool wide)
{
    uint64_t state = 42;
    for (size_t len = 0; len < 2500; len += len < 400 ? 1 : 37) {
        char *text = malloc(len ? len : 1); // of the exact size
        fill(text, len, &state);
        const char *end = text + len;
        lg_scan_window window;
        const uint32_t *next = lg_scan_open(&window, text, text, end, wide);
        for (const char *at = text; at < end; at += at < end) {
            const char *want = at;
            while (want < end && !is_stop(*want)) {
                want++;
            }
            CHECK(lg_scan_next(&window, &next, at) == want);
            size_t left = (size_t)(end - want);
            size_t jump = next_random(&state) % 20 == 0 ? next_random(&state) % 1500 : 0;
            at = want + (jump < left ? jump : left);
        }
        free(text);
    }
}

static void a_window_misses_nothing(void)
{
    check_window(false);
    check_window(lg_wide_here());
}

static void strings_end_where_utf8_does(void)
{
    uint64_t state = 7;
    static const char *const pieces[] = {
        "plain",        "\xC3\xA9",         "\xE2\x82\xAC", "\xF0\x9F\x98\x80",
        "\xED\x9F\xBF", "sixteen bytes ..", "\xEF\xBF\xBF", "\xF4\x8F\xBF\xBF",
        "\xE0\xA0\x80", "\xF0\x90\x80\x80"};
    for (int i = 0; i < 5000; i++) {
        char text[300];
        size_t len = 0;
        while (len < 200) {
            const char *piece = pieces[next_random(&state) % 10];
            memcpy(text + len, piece, strlen(piece));
            len += strlen(piece);
        }
        // One byte is spoilt; or the text is cut, perhaps inside of a character.
        size_t spoilt = next_random(&state) % len;
        if (i % 2) {
            text[spoilt] = (char)(0x80 | next_random(&state));
        } else {
            len = spoilt;
        }
        char *exact = malloc(len ? len : 1);
        memcpy(exact, text, len);
        size_t valid = lg_utf8_valid_prefix((lg_str){exact, len});
        CHECK(lg_scan_string(exact, exact + len) == exact + valid);
        free(exact);
    }
}

static void one_byte_is_found_everywhere(void)
{
    uint64_t state = 99;
    for (int round = 0; round < 300; round++) {
        char text[64];
        fill(text, sizeof(text), &state);
        uint64_t want = 0;
        for (size_t i = 0; i < sizeof(text); i++) {
            want |= (uint64_t)(text[i] == '"') << i;
        }
        CHECK(lg_scan_equal64(text, '"') == want);
    }
}

int main(void)
{
    RUN(every_byte_is_judged);
    RUN(both_ways_agree);
    RUN(a_window_misses_nothing);
    RUN(strings_end_where_utf8_does);
    RUN(one_byte_is_found_everywhere);
    return lg_test_done();
}
