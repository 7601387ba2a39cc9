// refine_fixture.h: planners that are scripts, and refinements in one line.
//
// A script is a list of turns: "get_order {\"id\":\"#1\"}" is a call, several are parted by line ends; "= text" ends the attempt; "" says
// nothing; "?" cannot be read; "!" cannot be asked; "$" has no budget left.
#ifndef LG_REFINE_FIXTURE_H
#define LG_REFINE_FIXTURE_H

#include "simulate_fixture.h"

#include "refine/refine.h"

typedef struct script {
    const char *const *turns;
    size_t count, at;
    lg_arena seen; // the messages of each question, as text
    lg_str texts[64];
    uint32_t attempts[64];
    lg_status fails; // instead of the last turn
} script;

static inline void script_read_calls(lg_arena *arena, const char *turn, lg_refine_reply *ret)
{
    lg_llm_call *calls = LG_NEW_ARRAY(arena, lg_llm_call, 64);
    lg_str rest = lg_str_c(turn);
    while (rest.len) {
        size_t end = lg_str_line_end(rest, 0);
        lg_str line = lg_str_slice(rest, 0, end);
        size_t blank = lg_str_find(line, LG_STR(" "));
        calls[ret->call_count++] =
            (lg_llm_call){.name = lg_str_slice(line, 0, blank),
                          .args = lg_str_trim(lg_str_slice(line, blank, line.len))};
        rest = end < rest.len ? lg_str_slice(rest, end + 1, rest.len) : LG_STR("");
    }
    ret->calls = calls;
}

static inline void script_see(script *s, const lg_refine_ask *ask)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    for (size_t i = 1; i < ask->message_count; i++) {
        const lg_llm_message *m = &ask->messages[i];
        lg_buf_addf(&text, "%.*s: %.*s", LG_FMT(m->role), LG_FMT(m->text));
        if (m->calls) {
            lg_json_print(&text, m->calls);
        }
        lg_buf_add_byte(&text, '\n');
    }
    s->attempts[s->at] = ask->attempt;
    s->texts[s->at] = lg_arena_str(&s->seen, lg_buf_str(&text));
    lg_buf_done(&text);
}

static inline lg_status script_next(void *data, const lg_refine_ask *ask, lg_arena *arena,
                                    lg_refine_reply *ret, lg_error *reterr)
{
    script *s = data;
    const char *turn = s->turns[s->at < s->count ? s->at : s->count - 1];
    if (s->fails != LG_OK && s->at + 1 >= s->count) {
        return lg_fail(reterr, s->fails, "the script ends");
    }
    if (s->at < LG_COUNT(s->texts)) {
        script_see(s, ask);
    }
    s->at++;
    ret->usage = (lg_llm_usage){.prompt_tokens = 10, .completion_tokens = 5};
    ret->said = turn[0] == '?'   ? LG_REFINE_SAID_UNREAD
                : turn[0] == '!' ? LG_REFINE_SAID_NOTHING
                : turn[0] == '$' ? LG_REFINE_SAID_NO_BUDGET
                                 : LG_REFINE_SAID;
    if (ret->said != LG_REFINE_SAID) {
        (void)lg_fail(&ret->error, LG_ERR_IO, "it is broken");
    } else if (turn[0] == '=') {
        ret->text = lg_str_c(turn + 2);
    } else {
        script_read_calls(arena, turn, ret);
    }
    return LG_OK;
}

static inline lg_refine_planner script_planner(script *s)
{
    lg_arena_init(&s->seen, 0);
    return (lg_refine_planner){.next = script_next, .data = s};
}

static inline bool has(lg_str text, const char *what)
{
    return lg_str_find(text, lg_str_c(what)) != SIZE_MAX;
}

static inline lg_checklist fixture_checklist(lg_arena *arena, const char *json)
{
    lg_checklist list = {0};
    lg_errors errors;
    lg_errors_init(&errors, arena, 5);
    CHECK(lg_checklist_read(arena, fixture_json(arena, json), &list, &errors) == LG_OK);
    return list;
}

// The first order is paid.
#define PAID                                                                                       \
    "{\"checklist\":[{\"description\":\"#1 is paid\",\"that\":\"state.orders['#1'].status == "     \
    "'paid'\"}]}"

#endif
