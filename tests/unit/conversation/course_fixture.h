// course_fixture.h: a pack with a few tools, and conversations as short texts.
//
//     u:hello      the user says hello (`_` is a blank)     a:hello   the agent does
//     look         a call of look and its result            look!     and its error
//     look?        the call alone
//     look(7)      with {"id": "7"}                         look()    with {}
//     +look        in the message of the word before
//     @30          30 seconds pass; times are recorded from the first @ on
//     @-30         the clock goes back by 30 seconds
//     @            from here on none is recorded
#ifndef LG_COURSE_FIXTURE_H
#define LG_COURSE_FIXTURE_H

#include "conversation/conversation.h"
#include "judge_event.h"
#include "lg_test.h"
#include "pack_fixture.h"

static const char course_head[] =
    "pack: desk\n"
    "version: '1'\n"
    "ledger:\n"
    "  orders.*: {type: object, properties: {state: {type: string}}}\n"
    "tools:\n"
    "  look: {kind: read, parameters: &x, returns: {type: object, properties: {state: {type:"
    " string}}}}\n"
    "  find: {kind: read, parameters: &x, returns: text}\n"
    "  pay: {kind: write, parameters: &x, effects: []}\n"
    "  cancel: {kind: write, parameters: &x, effects: []}\n"
    "  refund: {kind: write, parameters: &x, effects: []}\n"
    "  transfer: {kind: generic, parameters: &x}\n"
    "  reboot: {kind: write, requestor: user, parameters: &x}\n"
    "conversation:\n";
static const char course_parameters[] =
    "{type: object, properties: {id: {type: string}, amount: {type: number}}}";

typedef struct course_run {
    lg_pack *pack;
    lg_conversation c;
    lg_arena arena;   // texts of the conversation
    lg_arena scratch; // of one event
    bool timed;
    int64_t seconds;
    uint32_t turn;
    lg_buf said;        // what was found so far
    size_t words;       // how many there were
    uint64_t most_work; // of any event
} course_run;

// The YAML of the pack with `rules` as its conversation; `&x` stands for the parameters.
static inline lg_str course_yaml(lg_arena *arena, const char *rules)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    for (const char *at = course_head; *at; at++) {
        if (at[0] == '&' && at[1] == 'x') {
            lg_buf_add_c(&text, course_parameters);
            at++;
        } else {
            lg_buf_add_byte(&text, *at);
        }
    }
    lg_buf_add_c(&text, rules);
    lg_str copy = lg_arena_str(arena, lg_buf_str(&text));
    lg_buf_done(&text);
    return copy;
}

static inline void course_begin(course_run *r, const char *rules)
{
    *r = (course_run){0};
    lg_arena_init(&r->arena, 0);
    lg_arena_init(&r->scratch, 0);
    lg_buf_init(&r->said, 0);
    r->pack = fixture_pack(course_yaml(&r->arena, rules).ptr);
    lg_conversation_init(&r->c, r->pack, NULL);
}

static inline void course_end(course_run *r)
{
    lg_conversation_done(&r->c);
    lg_pack_free(r->pack);
    lg_arena_done(&r->arena);
    lg_arena_done(&r->scratch);
    lg_buf_done(&r->said);
}

// Judges and observes one event; what judging and observing find must be the same.
static inline void course_event(course_run *r, lg_conversation_event event)
{
    lg_conversation_findings judged, observed;
    event.has_turn = true;
    event.turn = r->turn;
    event.has_time = r->timed;
    event.time = (lg_time){r->seconds, 0};
    event.ledger = event.ledger ? event.ledger : r->pack->ledger.root;
    lg_arena_reset(&r->scratch);
    CHECK(judge_event(&r->c, &event, &r->scratch, &judged) == LG_OK);
    uint64_t before = r->c.work;
    CHECK(lg_conversation_observe(&r->c, &event, &r->scratch, &observed, NULL) == LG_OK);
    uint64_t work = r->c.work - before;
    r->most_work = work > r->most_work ? work : r->most_work;
    CHECK(judged.count == observed.count && judged.undecided == observed.undecided);
    for (size_t i = 0; i < observed.count; i++) {
        const lg_finding *finding = &observed.items[i];
        CHECK(lg_str_eq(finding->rule, judged.items[i].rule) && finding->message.len > 0);
        lg_buf_addf(&r->said, "%s%zu:%.*s%s", r->said.len ? " " : "", r->words,
                    LG_FMT(finding->rule),
                    finding->cause == LG_CAUSE_DEFECT ? " defect"
                    : finding->verdict == LG_BLOCK    ? " block"
                    : finding->verdict == LG_ALLOW    ? " report"
                                                      : "");
    }
    for (size_t i = 0; i < observed.undecided; i++) {
        lg_buf_addf(&r->said, "%s%zu:?", r->said.len ? " " : "", r->words);
    }
}

static inline void course_call(course_run *r, lg_str word)
{
    lg_conversation_event event = {.kind = LG_EVENT_CALL, .role = LG_ROLE_AGENT};
    char last = word.ptr[word.len - 1];
    if (last == '!' || last == '?') {
        word.len--;
    }
    size_t open = lg_str_find(word, LG_STR("("));
    lg_str key = LG_STR("");
    if (open < word.len) {
        key = lg_str_slice(word, open + 1, word.len - 1);
    }
    event.tool = lg_str_slice(word, 0, open < word.len ? open : word.len);
    const lg_tool *tool = lg_pack_tool(r->pack, event.tool);
    event.role = tool && tool->by_user ? LG_ROLE_USER : LG_ROLE_AGENT;
    lg_str args =
        key.len ? lg_arena_printf(&r->arena, "{\"id\": \"%.*s\"}", LG_FMT(key)) : LG_STR("{}");
    event.args = fixture_json(&r->arena, args.ptr);
    course_event(r, event);
    if (last != '?') {
        event.kind = last == '!' ? LG_EVENT_ERROR : LG_EVENT_RESULT;
        event.text = last == '!' ? LG_STR("Error: no") : LG_STR("{\"state\": \"open\"}");
        course_event(r, event);
    }
}

static inline void course_word(course_run *r, lg_str word)
{
    if (word.ptr[0] == '@') {
        r->timed = word.len > 1;
        bool back = word.len > 1 && word.ptr[1] == '-';
        int64_t seconds = 0;
        for (size_t i = back ? 2 : 1; i < word.len; i++) {
            seconds = seconds * 10 + (word.ptr[i] - '0');
        }
        r->seconds += back ? -seconds : seconds;
        return;
    }
    if (word.ptr[0] == '+') {
        word = lg_str_slice(word, 1, word.len);
    } else {
        r->turn++;
    }
    r->words++;
    if (word.len > 1 && word.ptr[1] == ':') {
        lg_conversation_event event = {.kind = LG_EVENT_MESSAGE,
                                       .role = word.ptr[0] == 'u' ? LG_ROLE_USER : LG_ROLE_AGENT};
        lg_str text = lg_arena_str(&r->arena, lg_str_slice(word, 2, word.len));
        lg_buf blanks;
        lg_buf_init(&blanks, 0);
        for (size_t i = 0; i < text.len; i++) {
            lg_buf_add_byte(&blanks, text.ptr[i] == '_' ? ' ' : text.ptr[i]);
        }
        event.text = lg_arena_str(&r->arena, lg_buf_str(&blanks));
        lg_buf_done(&blanks);
        course_event(r, event);
    } else {
        course_call(r, word);
    }
}

static inline void course_play(course_run *r, const char *words)
{
    lg_str rest = lg_str_c(words);
    while (rest.len) {
        size_t end = lg_str_find(rest, LG_STR(" "));
        end = end < rest.len ? end : rest.len;
        if (end) {
            course_word(r, lg_str_slice(rest, 0, end));
        }
        rest = lg_str_slice(rest, end + 1, rest.len);
    }
}

// What was found, by the number of the word, and then what is owed:
// "2:rule 3:? owes rule(7) late"
static inline lg_str course_outcome(course_run *r)
{
    const lg_obligation *owed;
    size_t count;
    CHECK(lg_conversation_owed(&r->c, &r->arena, &owed, &count, NULL) == LG_OK);
    for (size_t i = 0; i < count; i++) {
        lg_buf_addf(&r->said, "%sowes %.*s%s%.*s%s%s%s", r->said.len ? " " : "",
                    LG_FMT(owed[i].rule), owed[i].key.len ? "(" : "", LG_FMT(owed[i].key),
                    owed[i].key.len ? ")" : "", owed[i].state == LG_OWED_OPEN ? "" : " ",
                    owed[i].state == LG_OWED_OPEN ? "" : lg_obligation_state_name(owed[i].state));
        CHECK(owed[i].message.len > 0);
    }
    return lg_buf_str(&r->said);
}

#endif
