// fuzz_origin.c: the first lines are what was said, by kinds in turn; the last is asked for, as JSON if it is any, else
// as a text. Every place lies inside of its text, what was seen there reads like what was asked for, a fork that takes in
// the rest gives the same answers, and nothing is ungrounded where a bound was reached.
#include "origin/origin.h"

#include "base/utf8.h"

#define LINES_MAX 64

static void require(bool holds)
{
    if (!holds) {
        __builtin_trap();
    }
}

typedef struct script {
    lg_str lines[LINES_MAX];
    uint32_t count;
} script;

static script read_script(lg_str text)
{
    script s = {0};
    for (size_t at = 0; at < text.len && s.count < LINES_MAX;) {
        size_t end = lg_str_line_end(text, at);
        s.lines[s.count++] = lg_str_slice(text, at, end);
        at = end + 1;
    }
    return s;
}

static void take(lg_origin *origin, const script *s, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        lg_str line = s->lines[i];
        lg_origin_kind kind = line.len ? (lg_origin_kind)(line.ptr[0] % LG_ORIGIN_CONFIRMED) : 0;
        kind = (int)kind < 0 ? LG_ORIGIN_USER : kind;
        lg_origin_take(origin, (lg_origin_source){.kind = kind, .event = i, .turn = i}, line);
    }
}

static void check_place(lg_origin *origin, const script *s, const lg_origin_place *place)
{
    require(place->source.event < s->count);
    require(place->begin < place->end && place->end <= s->lines[place->source.event].len);
    lg_buf pointer;
    lg_buf_init(&pointer, 0);
    require(lg_origin_pointer(origin, place, &pointer));
    lg_buf_done(&pointer);
}

static void check(lg_origin *origin, const script *s, const lg_origin_answers *answers)
{
    for (size_t i = 0; i < answers->count; i++) {
        const lg_origin_answer *a = &answers->items[i];
        require(a->verdict < LG_ORIGIN_VERDICT_COUNT && a->operation < LG_ORIGIN_OPERATION_COUNT);
        require(a->operand_count <= LG_ORIGIN_OPERANDS_MAX);
        require(a->missing_count <= LG_ORIGIN_MISSING_MAX);
        require(a->verdict != LG_ORIGIN_UNGROUNDED || lg_origin_is_whole(origin));
        require((a->operation != LG_ORIGIN_NONE) <=
                (a->verdict == LG_ORIGIN_COMPUTED || a->verdict == LG_ORIGIN_UNGROUNDED));
        if (a->verdict == LG_ORIGIN_SEEN) {
            check_place(origin, s, &a->place);
        }
        for (uint32_t k = 0; k < a->operand_count; k++) {
            check_place(origin, s, &a->operands[k]);
        }
        if (a->said) {
            check_place(origin, s, &a->said_at);
        }
    }
}

static lg_origin *grow(const script *s, uint32_t fork_at, const lg_origin_limits *limits)
{
    lg_origin *origin = NULL;
    lg_origin *fork = NULL;
    require(lg_origin_new(limits, &origin) == LG_OK);
    take(origin, s, 0, fork_at);
    if (fork_at + 1 >= s->count) {
        return origin;
    }
    require(lg_origin_fork(origin, &fork) == LG_OK);
    take(origin, s, 0, fork_at); // what the parent does next is not the fork's
    take(fork, s, fork_at, s->count - 1);
    lg_origin_free(origin);
    return fork;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    script s = read_script((lg_str){(const char *)data, size});
    if (s.count == 0) {
        return 0;
    }
    lg_str last = s.lines[s.count - 1];
    lg_arena arena;
    lg_arena_init(&arena, (size_t)64 << 20);
    lg_limits json = {.json_depth = 64, .document_bytes = (size_t)16 << 20};
    lg_json text = lg_json_make_str(lg_str_slice(last, 0, lg_utf8_valid_prefix(last)));
    const lg_json *args = &text;
    if (lg_json_parse_in(&arena, last, 0, last.len, &json, &args, NULL) != LG_OK) {
        args = &text;
    }
    lg_origin_limits limits = {.text_bytes = (size_t)8 << 20, .steps = 200000};
    lg_origin *whole = grow(&s, s.count - 1, &limits);
    lg_origin *forked = grow(&s, (s.count - 1) / 2, &limits);
    lg_origin_limits few = {.entries = 8, .steps = 500};
    lg_origin *bounded = grow(&s, s.count - 1, &few);
    lg_origin_answers answers[3] = {0};
    require(lg_origin_ask(whole, &arena, args, args, &answers[0], NULL) != LG_ERR_PARSE);
    require(lg_origin_ask(forked, &arena, args, args, &answers[1], NULL) != LG_ERR_PARSE);
    require(lg_origin_ask(bounded, &arena, args, NULL, &answers[2], NULL) != LG_ERR_PARSE);
    check(whole, &s, &answers[0]);
    check(forked, &s, &answers[1]);
    check(bounded, &s, &answers[2]);
    require(answers[0].count == answers[1].count);
    for (size_t i = 0; i < answers[0].count; i++) {
        const lg_origin_answer *a = &answers[0].items[i];
        const lg_origin_answer *b = &answers[1].items[i];
        bool bound = a->verdict == LG_ORIGIN_UNKNOWN || b->verdict == LG_ORIGIN_UNKNOWN;
        require(bound || (a->verdict == b->verdict && a->operation == b->operation));
        require(
            bound || a->verdict != LG_ORIGIN_SEEN ||
            (a->place.begin == b->place.begin && a->place.source.event == b->place.source.event));
    }
    lg_origin_free(whole);
    lg_origin_free(forked);
    lg_origin_free(bounded);
    lg_arena_done(&arena);
    return 0;
}
