// Random texts and values: what the index finds is what a search through all texts finds, in forks too.
#include "origin/origin.h"

#include <ctype.h>

#include "dice.h"
#include "lg_test.h"

#define TEXTS_MAX 12
#define GAP_MAX 4

typedef struct said {
    lg_origin_kind kind;
    char text[64];
    bool agrees;
} said;

typedef struct talk {
    said texts[TEXTS_MAX];
    uint32_t count;
} talk;

// --- The reference: every word of every text as a beginning, one letter after the other ---------

// Where the value, read from byte `at` on, ends; 0 if it does not stand there.
static size_t reads(const char *text, size_t at, const char *value)
{
    size_t v = 0;
    size_t t = at;
    size_t letters = 0;
    for (size_t i = 0; value[i]; i++) {
        letters += isalnum((unsigned char)value[i]) != 0;
    }
    bool exact = letters < 5;
    while (value[v] && !isalnum((unsigned char)value[v])) {
        v++;
    }
    for (;;) {
        if (!text[t] || tolower((unsigned char)text[t]) != tolower((unsigned char)value[v])) {
            return 0;
        }
        t++;
        v++;
        bool text_ends = !isalnum((unsigned char)text[t]);
        bool value_ends = !isalnum((unsigned char)value[v]);
        while (value[v] && !isalnum((unsigned char)value[v])) {
            v++;
        }
        if (!value[v]) {
            return text_ends ? t : 0;
        }
        if (exact && text_ends != value_ends) {
            return 0;
        }
        size_t gap = 0;
        while (text_ends && text[t] && !isalnum((unsigned char)text[t])) {
            t++;
            gap++;
        }
        if (gap > GAP_MAX) {
            return 0;
        }
    }
}

static bool agreed(const talk *t, uint32_t text)
{
    for (uint32_t i = text + 1; i < t->count; i++) {
        if (t->texts[i].kind == LG_ORIGIN_USER) {
            return t->texts[i].agrees;
        }
    }
    return false;
}

static bool find(const talk *t, const char *value, bool own, lg_origin_place *ret)
{
    for (uint32_t i = 0; i < t->count; i++) {
        bool agent = t->texts[i].kind == LG_ORIGIN_AGENT || t->texts[i].kind == LG_ORIGIN_CALL;
        const char *text = t->texts[i].text;
        if (agent != own || (own && (t->texts[i].kind == LG_ORIGIN_CALL || !agreed(t, i)))) {
            continue;
        }
        for (size_t at = 0; text[at]; at++) {
            bool begins = isalnum((unsigned char)text[at]) &&
                          (at == 0 || !isalnum((unsigned char)text[at - 1]));
            size_t end = begins ? reads(text, at, value) : 0;
            if (end) {
                *ret = (lg_origin_place){
                    .source = {.event = i}, .begin = (uint32_t)at, .end = (uint32_t)end};
                return true;
            }
        }
    }
    return false;
}

// --- Random talks -------------------------------------------------------------------------------

static void write(dice *d, char *out, size_t room)
{
    static const char letters[] = "aabb12AB";
    static const char marks[] = "  -_,/.#";
    size_t len = 1 + dice_below(d, (uint32_t)room - 1);
    for (size_t i = 0; i < len; i++) {
        out[i] = dice_one_in(d, 3) ? marks[dice_below(d, 8)] : letters[dice_below(d, 8)];
    }
    out[len] = '\0';
}

static void say(dice *d, talk *t, lg_origin *origin)
{
    static const lg_origin_kind kinds[] = {LG_ORIGIN_USER, LG_ORIGIN_FIELD, LG_ORIGIN_PROMPT,
                                           LG_ORIGIN_AGENT, LG_ORIGIN_CALL};
    said *s = &t->texts[t->count];
    *s = (said){.kind = kinds[dice_below(d, 5)]};
    write(d, s->text, sizeof(s->text) - 8);
    if (s->kind == LG_ORIGIN_USER && dice_one_in(d, 2)) {
        memmove(s->text + 4, s->text, strlen(s->text) + 1);
        memcpy(s->text, "yes ", 4);
        s->agrees = true;
    }
    lg_origin_source source = {.kind = s->kind, .event = t->count};
    lg_origin_take(origin, source, lg_str_c(s->text));
    t->count++;
}

static void compare(const talk *t, lg_origin *origin, lg_arena *arena, const char *value)
{
    lg_json json = lg_json_make_str(lg_str_c(value));
    lg_json_member *member = lg_json_alloc_members(arena, 1);
    *member = lg_json_make_member(LG_STR("item_id"), json);
    lg_json args = lg_json_make_object(member, 1);
    lg_origin_answers answers = {0};
    lg_origin_place want = {0};
    CHECK(lg_origin_ask(origin, arena, &args, NULL, &answers, NULL) == LG_OK);
    bool found = find(t, value, false, &want) || find(t, value, true, &want);
    const lg_origin_answer *got = &answers.items[0];
    bool same = (got->verdict == LG_ORIGIN_SEEN) == found &&
                (!found || (got->place.source.event == want.source.event &&
                            got->place.begin == want.begin && got->place.end == want.end));
    if (!same) {
        printf("\"%s\": %s %u [%u, %u), not %d %u [%u, %u)\n", value,
               lg_origin_verdict_name(got->verdict), got->place.source.event, got->place.begin,
               got->place.end, found, want.source.event, want.begin, want.end);
        for (uint32_t i = 0; i < t->count; i++) {
            printf("  %s: %s\n", lg_origin_kind_name(t->texts[i].kind), t->texts[i].text);
        }
    }
    CHECK(same);
}

// A value that has a letter and no digit alone is looked up as words, whatever else it may be like.
static void ask_some(dice *d, const talk *t, lg_origin *origin)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    for (int i = 0; i < 6; i++) {
        char value[16];
        write(d, value, 2 + dice_below(d, 12));
        const said *from = &t->texts[dice_below(d, t->count)];
        size_t len = strlen(from->text);
        if (dice_one_in(d, 2)) { // a piece of what was said
            size_t at = dice_below(d, (uint32_t)len);
            snprintf(value, sizeof(value), "%.*s", (int)(1 + dice_below(d, 12)), from->text + at);
        }
        if (strpbrk(value, "abAB")) {
            compare(t, origin, &arena, value);
        }
        lg_arena_reset(&arena);
    }
    lg_arena_done(&arena);
}

static void like_a_search_through_all(void)
{
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        dice d = dice_of(seed);
        static talk talks[2];
        lg_origin *origins[2] = {NULL, NULL};
        talks[0].count = 0;
        CHECK(lg_origin_new(NULL, &origins[0]) == LG_OK);
        for (uint32_t i = 1 + dice_below(&d, TEXTS_MAX / 2); i > 0; i--) {
            say(&d, &talks[0], origins[0]);
        }
        talks[1] = talks[0];
        CHECK(lg_origin_fork(origins[0], &origins[1]) == LG_OK);
        for (uint32_t i = dice_below(&d, TEXTS_MAX); i > 0; i--) {
            uint32_t which = dice_below(&d, 2);
            if (talks[which].count < TEXTS_MAX) {
                say(&d, &talks[which], origins[which]);
            }
        }
        for (int i = 0; i < 2; i++) {
            ask_some(&d, &talks[i], origins[i]);
        }
        lg_origin_free(origins[0]);
        lg_origin_free(origins[1]);
    }
}

// Numbers in random dress are seen exactly if they were said.
static void numbers(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        dice d = dice_of(seed);
        char text[256] = "";
        int64_t cents[4];
        size_t len = 0;
        lg_origin *origin = NULL;
        CHECK(lg_origin_new(NULL, &origin) == LG_OK);
        for (int i = 0; i < 4; i++) {
            cents[i] = 200 + dice_below(&d, 2000) * (dice_one_in(&d, 2) ? 100 : 1);
            long long whole = cents[i] / 100;
            long long rest = cents[i] % 100;
            bool groups = whole >= 1000 && dice_one_in(&d, 2);
            len += (size_t)(groups ? snprintf(text + len, sizeof(text) - len, "$%lld,%03lld",
                                              whole / 1000, whole % 1000)
                                   : snprintf(text + len, sizeof(text) - len, "x %lld", whole));
            if (rest || dice_one_in(&d, 2)) {
                len += (size_t)snprintf(text + len, sizeof(text) - len, ".%02lld", rest);
            }
            len += (size_t)snprintf(text + len, sizeof(text) - len, "%s",
                                    dice_one_in(&d, 3)   ? ", "
                                    : dice_one_in(&d, 2) ? ". "
                                                         : " ");
        }
        lg_origin_take(origin, (lg_origin_source){.kind = LG_ORIGIN_TEXT}, lg_str_of(text, len));
        for (int i = 0; i < 8; i++) {
            int64_t asked = i < 4 ? cents[i] : 200 + dice_below(&d, 2000);
            bool was = false;
            for (int k = 0; k < 4; k++) {
                was = was || cents[k] == asked;
            }
            lg_json value = lg_json_make_double((double)asked / 100);
            lg_origin_answers answers = {0};
            CHECK(lg_origin_ask(origin, &arena, &value, NULL, &answers, NULL) == LG_OK);
            CHECK_MSG((answers.items[0].verdict == LG_ORIGIN_SEEN) == was, text);
            lg_arena_reset(&arena);
        }
        lg_origin_free(origin);
    }
    lg_arena_done(&arena);
}

int main(void)
{
    RUN(like_a_search_through_all);
    RUN(numbers);
    return lg_test_done();
}
