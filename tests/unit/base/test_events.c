// Server-sent events: whole texts, texts in pieces of every size, lines of every ending.
#include "lg_test.h"

#include "base/events.h"
#include "base/str.h"

// What the events of a text say, each in brackets, when it comes in pieces of `step` bytes.
static void read_all(const char *text, size_t step, char *out, size_t room)
{
    lg_events events;
    lg_str all = lg_str_c(text), data;
    size_t len = 0;
    out[0] = '\0';
    lg_events_init(&events);
    for (size_t at = 0; at < all.len || at == 0; at += step) {
        size_t to = at + step < all.len ? at + step : all.len;
        bool is_all = to == all.len;
        while (lg_events_next(&events, lg_str_slice(all, 0, to), is_all, &data)) {
            len += (size_t)snprintf(out + len, room - len, "[%.*s]", LG_FMT(data));
        }
    }
    lg_str rest = lg_events_rest(&events);
    snprintf(out + len, room - len, "%.*s", LG_FMT(rest));
    lg_events_done(&events);
}

static void pieces_make_no_difference(void)
{
    static const char *const cases[][2] = {
        {"data: a\n\n", "[a]"},
        {"data: a\r\n\r\n", "[a]"},
        {"data: a\r\rdata: b\r\r", "[a][b]"},
        {"data: a\r\n\ndata: b\n\r\n", "[a][b]"},
        {"data:a\ndata: b\ndata\ndata:  c\n\n", "[a\nb\n\n c]"},
        {": comment\nevent: x\nid: 1\nretry: 5\ndata: a\n\n", "[a]"},
        {"event: x\n\n\n\ndata: a\n\n", "[a]"},
        {"database: x\n\ndata: a\n\n", "[a]"},
        {"data: {\"a\":\"\xC3\xA4\"}\n\n", "[{\"a\":\"\xC3\xA4\"}]"},
        {"data: a\n\ndata: cut", "[a]cut"},
        {"data: a\n\ndata: cut\n", "[a]cut"},
        {"data: a\r\n\r", "[a]"},
        {"data\n\n", "[]"},
        {"", ""},
        {"\n", ""},
        {"\xEF\xBB\xBF"
         "data: a\n\n",
         "[a]"},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        for (size_t step = 1; step < 40; step++) {
            char got[200];
            // The mark at the beginning is seen once it is whole.
            if (step < 3 && cases[i][0][0] == '\xEF') {
                continue;
            }
            read_all(cases[i][0], step, got, sizeof(got));
            CHECK_STR(lg_str_c(got), cases[i][1]);
        }
    }
}

int main(void)
{
    RUN(pieces_make_no_difference);
    return lg_test_done();
}
