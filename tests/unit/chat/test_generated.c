// Replies by seed keep the laws that the samples keep.
#include "chat_maker.h"
#include "lg_test.h"

enum { REPLIES = 24 };

static void check(uint64_t seed, lg_chat_api api)
{
    char name[64];
    dice d = dice_of(seed);
    made_reply made;
    lg_arena arena;
    const lg_chat_reply *whole = NULL;
    lg_chat_options options = {.hold_text = seed % 2};
    snprintf(name, sizeof(name), "%s %llu", lg_chat_api_name(api), (unsigned long long)seed);
    lg_test_name = name;
    lg_arena_init(&arena, 0);
    made_begin(&made, &d, api);
    chat_sample sample = {name, api, lg_buf_str(&made.stream), lg_buf_str(&made.whole)};
    if (CHECK(lg_chat_reply_parse(&arena, api, sample.whole, &options, &whole, NULL) == LG_OK)) {
        const char *broken = chat_broken_reply(&sample, &options, whole);
        broken = broken ? broken : chat_broken_by_cut(api, &options, sample.stream, 31 + seed % 29);
        if (!CHECK_MSG(!broken, broken ? broken : "")) {
            printf("%.*s\n%.*s\n", LG_FMT(sample.stream), LG_FMT(sample.whole));
        }
    }
    made_done(&made);
    lg_arena_done(&arena);
}

static void replies_by_seed(void)
{
    for (uint64_t seed = 1; seed <= REPLIES; seed++) {
        for (size_t api = 0; api < LG_CHAT_API_COUNT; api++) {
            check(seed, (lg_chat_api)api);
        }
    }
}

int main(void)
{
    RUN(replies_by_seed);
    return lg_test_done();
}
