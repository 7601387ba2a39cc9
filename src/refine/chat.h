// chat.h: refined calls for any client that speaks OpenAI's chat completions: bytes in, a status and bytes out.
//
//     lg_refine_chat_options options = {.sim = sim, .refine = {.planner = &planner, .models = &models, .retries = 3}};
//     lg_refine_chat_reply reply;
//     if (lg_refine_chat(&options, body, &out, &reply, &err) != LG_OK) ... // memory, or a mistake of our own: 500
//     ... answer reply.status, reply.type, lg_buf_str(&out) ...
//
// The task is the last user message. Turns before it count as done; what calls and results stand behind it were made for it
// already. All of these calls are made again in a session of the request's own, so that attempts begin where they lead; or,
// if whoever asks names a session, in which they were made, in a fork of that. The answer has the calls of the attempt that
// stands, but those that failed, as `tool_calls` (with `"parallel_tool_calls": false` the first alone), or what the planner says if there is nothing
// left to call, and a member `ledgergate`: {"status", "why", "attempts", "stands", "feedback", "costs"}.
//
// The request's own member `ledgergate` says when the task is done: {"checklist", "actions", "communicate_info", "state"}, any of
// them (checklist.h). Without it the judge's model makes a checklist; without that, too, there is one attempt, of status `unjudged`.
//
// It blocks while models are asked: call it on a worker's thread, with a planner and models of that thread's own.
#ifndef LG_REFINE_CHAT_H
#define LG_REFINE_CHAT_H

#include "refine/refine.h"

typedef struct lg_refine_chat_options {
    const lg_sim *sim;
    lg_sim_session *session;   // or NULL. Only forked: it stays where it is
    const lg_sim_begin *begin; // of a session of the request's own; may be NULL
    // Tools of the request that the simulator has not are simulated by their schemas alone, and then all of them are; else
    // the request is refused with 400.
    bool allows_other_tools;
    lg_refine_options
        refine; // `task` and what was before it come from the request; `rules` stand before its system messages
    int64_t created; // seconds, for the answer's member of this name
} lg_refine_chat_options;

typedef struct lg_refine_chat_reply {
    unsigned
        status; // 200, 400, 422 (calls of the conversation that are none), 429 (a budget), 502 (the planner)
    const char *type; // "application/json" or "text/event-stream"
} lg_refine_chat_reply;

// Answers `body`: appends to `out`. Fails as lg_refine() does, and with LG_ERR_USAGE where no session can begin (a pack, and
// no state); `out` is then of no use.
LG_NODISCARD lg_status lg_refine_chat(const lg_refine_chat_options *options, lg_str body,
                                      lg_buf *out, lg_refine_chat_reply *ret, lg_error *reterr);

#endif
