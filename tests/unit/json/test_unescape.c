// Both ways to decode escapes against the plainest loop that does the same, at every length.
#include "lg_test.h"

#include "json/unescape.h"

enum { TEXT_MAX = 400 };

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

// The inside of a string, of one of eight tempers: from all plain to all backslashes. What is seldom
// in real texts is seldom here, or every text would end at its beginning.
static void fill(char *text, size_t len, uint64_t *state)
{
    static const char escaped[] = "\"\\/bfnrt";
    static const char wrong[] = "u'a0\n\x80\xFF\xE2\x1F";
    uint64_t temper = next_random(state) % 8;
    for (size_t i = 0; i < len; i++) {
        uint64_t r = next_random(state);
        text[i] = (char)('a' + r % 26);
        if (r >> 8 & (0xFFu >> temper)) {
            continue;
        }
        text[i] = '\\';
        if (i + 1 < len && (r >> 16 & 127)) {
            text[++i] = escaped[(r >> 32) % (sizeof(escaped) - 1)];
        } else if (i + 1 < len && (r >> 40 & 1)) {
            text[++i] = wrong[(r >> 48) % (sizeof(wrong) - 1)];
        } else {
            text[i] = (r >> 40 & 6) ? text[i] : wrong[5 + (r >> 48) % 4];
        }
    }
}

static const char *plain_find_close(const char *at, const char *end)
{
    while (at < end && *at != '"') {
        at += *at == '\\' && end - at > 1 ? 2 : 1;
    }
    return at;
}

// Decodes one character or one escape of two bytes; NULL for anything else, so for the closing quote.
static const char *plain_step(const char *at, const char *close, char **out)
{
    if (*at != '\\') {
        *(*out)++ = *at;
        bool plain = (unsigned char)*at >= 0x20 && (unsigned char)*at < 0x80 && *at != '"';
        return plain ? at + 1 : NULL;
    }
    char meant = close - at >= 2 ? lg_short_escapes[(unsigned char)at[1]] : '\0';
    *(*out)++ = meant;
    return meant ? at + 2 : NULL;
}

// Decodes as far as plain characters and short escapes reach; without a way, step by step.
static size_t decode(const lg_unescaper *way, const char *from, const char *close, char *to,
                     size_t *ret_len)
{
    const char *at = from;
    char *out = to;
    for (;;) {
        at = way ? way->decode(at, close, &out) : at;
        char *before = out;
        const char *next = at < close ? plain_step(at, close, &out) : NULL;
        if (!next) {
            *ret_len = (size_t)(before - to);
            return (size_t)(at - from);
        }
        at = next;
    }
}

static void check_way(const lg_unescaper *way, const char *text, size_t len)
{
    char *room[2] = {malloc(len + 1), malloc(len + 1)};
    size_t lens[2];
    const char *close = plain_find_close(text, text + len);
    CHECK(way->find_close(text, text + len) == close);
    const char *limits[] = {close, text + len}; // known, or behind the end of the string
    for (size_t i = 0; i < 2; i++) {
        size_t stop = decode(NULL, text, limits[i], room[0], &lens[0]);
        CHECK(decode(way, text, limits[i], room[1], &lens[1]) == stop);
        CHECK(lens[0] == lens[1] && memcmp(room[0], room[1], lens[0]) == 0);
    }
    free(room[0]);
    free(room[1]);
}

// Texts that end where their memory ends, so that a sanitizer sees a byte too many.
static void both_ways_decode_alike(void)
{
    uint64_t state = 42;
    for (size_t i = 0; i < 40000; i++) {
        size_t len = i % TEXT_MAX;
        char *text = malloc(len + 1);
        fill(text, len, &state);
        text[len] = '"';
        check_way(&lg_unescaper_portable, text, len + (i >> 3 & 1));
        check_way(lg_unescaper_best(), text, len + (i >> 3 & 1));
        free(text);
    }
}

// Every byte behind a backslash, and without one, at every place of three blocks.
static void every_byte_is_judged(void)
{
    const lg_unescaper *ways[] = {&lg_unescaper_portable, lg_unescaper_best()};
    for (int byte = 0; byte < 256; byte++) {
        for (size_t place = 0; place < 192; place++) {
            char text[192];
            memset(text, 'a', sizeof(text));
            text[place] = (char)byte;
            check_way(ways[place % 2], text, sizeof(text));
            if (place > 0) {
                text[place - 1] = '\\';
            }
            check_way(ways[0], text, sizeof(text));
            check_way(ways[1], text, sizeof(text));
        }
    }
}

static void runs_of_backslashes_keep_their_parity(void)
{
    for (size_t from = 0; from < 70; from++) {
        for (size_t count = 0; count < 140; count++) {
            char text[256];
            memset(text, 'a', sizeof(text));
            memset(text + from, '\\', count);
            text[from + count] = '"';
            check_way(&lg_unescaper_portable, text, sizeof(text));
            check_way(lg_unescaper_best(), text, sizeof(text));
        }
    }
}

int main(void)
{
    RUN(both_ways_decode_alike);
    RUN(every_byte_is_judged);
    RUN(runs_of_backslashes_keep_their_parity);
    return lg_test_done();
}
