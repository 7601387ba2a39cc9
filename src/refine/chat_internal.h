// chat_internal.h: a request for refined calls, read.
#ifndef LG_REFINE_CHAT_INTERNAL_H
#define LG_REFINE_CHAT_INTERNAL_H

#include "refine/chat.h"

typedef struct lg_refine_chat_request {
    const lg_json *body;
    lg_str model;
    lg_str rules;                   // the texts of its system messages
    lg_str task;                    // the text of its last user message
    const lg_llm_message *messages; // without those of the system
    size_t message_count;
    size_t task_at;             // among them
    const lg_str *tasks_before; // user messages before it
    size_t before_count;
    const lg_json *tools;   // its own, as they came; NULL: it names none
    lg_checklist checklist; // read of that; no items: it gives none
    bool is_streamed, wants_usage, is_one_by_one;
} lg_refine_chat_request;

// Reads `body`; what is read lives in `arena` and in the body. LG_ERR_FORMAT, LG_ERR_PARSE, LG_ERR_LIMIT: a request that is
// none, and `reterr` says why. LG_ERR_OOM.
LG_NODISCARD lg_status lg_refine_chat_read(lg_arena *arena, lg_str body, const lg_limits *limits,
                                           lg_refine_chat_request *ret, lg_error *reterr);

// The calls of the conversation with their answers, as recorded ones: [{"name", "arguments", "result", "error"}].
LG_NODISCARD lg_status lg_refine_chat_recorded(lg_arena *arena,
                                               const lg_refine_chat_request *request,
                                               const lg_limits *limits, const lg_json **ret,
                                               lg_error *reterr);

// Reads what the request's member `ledgergate` says: a checklist. As lg_refine_chat_read().
LG_NODISCARD lg_status lg_refine_chat_checklist(lg_arena *arena, lg_refine_chat_request *request,
                                                lg_error *reterr);

// Appends the answer. `calls` are of the attempt that stands.
void lg_refine_chat_answer(lg_buf *out, const lg_refine_chat_request *request,
                           const lg_refined *record, int64_t created);

#endif
