// session_fixture.h: a session of the desk's pack, told in short.
#ifndef LG_SESSION_FIXTURE_H
#define LG_SESSION_FIXTURE_H

#include "base/str.h"
#include "desk_pack.h"

typedef struct desk {
    lg_pack *pack;
    lg_session *session;
    lg_arena arena; // texts of the test
    lg_error error; // of the latest call
} desk;

static inline void desk_open(desk *d, const char *rest)
{
    *d = (desk){.pack = desk_pack(rest)};
    lg_arena_init(&d->arena, 0);
    CHECK(lg_session_new(d->pack, NULL, &d->session) == LG_OK);
}

static inline void desk_close(desk *d)
{
    lg_session_free(d->session);
    lg_pack_free(d->pack);
    lg_arena_done(&d->arena);
}

// --- Events -------------------------------------------------------------------------------------

static inline lg_event desk_message(lg_role role, const char *text, uint32_t turn)
{
    return (lg_event){.kind = LG_EVENT_MESSAGE,
                      .role = role,
                      .has_turn = true,
                      .turn = turn,
                      .text = lg_str_c(text)};
}

static inline lg_event desk_call(const char *id, const char *tool, const char *args, uint32_t turn)
{
    return (lg_event){.kind = LG_EVENT_CALL,
                      .has_turn = true,
                      .turn = turn,
                      .id = lg_str_c(id),
                      .tool = lg_str_c(tool),
                      .args = lg_str_c(args)};
}

// Of a call that was observed: one of `id` and `tool` may be empty.
static inline lg_event desk_result(const char *id, const char *tool, const char *text)
{
    return (lg_event){.kind = LG_EVENT_RESULT,
                      .id = lg_str_c(id),
                      .tool = lg_str_c(tool),
                      .text = lg_str_c(text)};
}

static inline lg_observed desk_take(desk *d, lg_event event)
{
    lg_observed observed = LG_OBSERVED_NOTHING;
    d->error = (lg_error){0};
    CHECK_MSG(lg_observe(d->session, &event, &observed, &d->error) == LG_OK, d->error.msg);
    return observed;
}

// A call and its result at once.
static inline lg_observed desk_observe(desk *d, const char *tool, const char *args,
                                       const char *result, uint32_t turn)
{
    lg_event both = desk_call("", tool, args, turn);
    both.kind = LG_EVENT_RESULT;
    both.text = lg_str_c(result);
    return desk_take(d, both);
}

// One order and the user; what else there is was never read.
static inline void desk_fill(desk *d)
{
    desk_observe(d, "get_order", "{\"id\": \"1\"}",
                 "{\"id\": \"1\", \"status\": \"open\", \"total\": 10, \"note\": null,"
                 " \"items\": [\"a\", \"b\"]}",
                 1);
    desk_observe(d, "get_user", "{}",
                 "{\"name\": \"Ada\", \"cards\": {\"c1\": {\"kind\": \"card\"},"
                 " \"g1\": {\"kind\": \"gift\"}}, \"any\": \"text\"}",
                 2);
}

static inline const lg_decision *desk_decide_all(desk *d, const lg_event *proposed, size_t count)
{
    static const lg_decision none[8] = {0};
    const lg_decision *decisions = none;
    d->error = (lg_error){0};
    CHECK_MSG(lg_decide(d->session, proposed, count, &decisions, &d->error) == LG_OK, d->error.msg);
    return decisions;
}

static inline const lg_decision *desk_decide(desk *d, const char *tool, const char *args)
{
    lg_event call = {.kind = LG_EVENT_CALL, .tool = lg_str_c(tool), .args = lg_str_c(args)};
    return desk_decide_all(d, &call, 1);
}

static inline lg_str desk_describe(desk *d, const lg_decision *decision)
{
    return desk_words(&d->arena, decision);
}

static inline lg_str desk_render(desk *d)
{
    lg_str text = {0};
    CHECK(lg_render(d->session, NULL, &text, NULL) == LG_OK);
    return lg_arena_str(&d->arena, text);
}

#endif
