// planner.c: a model as planner.
#include "refine/refine_internal.h"

static void read_reply(const lg_llm_reply *reply, lg_refine_reply *ret)
{
    ret->error = reply->error;
    switch (reply->end) {
    case LG_LLM_OK:
        ret->said = LG_REFINE_SAID;
        ret->text = reply->text.len ? reply->text : reply->refusal;
        ret->calls = reply->calls;
        ret->call_count = reply->call_count;
        return;
    case LG_LLM_BAD:
    case LG_LLM_INVALID:
        ret->said = LG_REFINE_SAID_UNREAD;
        return;
    case LG_LLM_SPENT:
        ret->said = LG_REFINE_SAID_NO_BUDGET;
        return;
    case LG_LLM_REFUSED:
    case LG_LLM_UNREACHABLE:
    case LG_LLM_TIMEOUT:
    case LG_LLM_NOT_RECORDED:
    case LG_LLM_FAILED:
        ret->said = LG_REFINE_SAID_NOTHING;
        return;
    }
}

static lg_status ask_model(void *data, const lg_refine_ask *ask, lg_arena *arena,
                           lg_refine_reply *ret, lg_error *reterr)
{
    lg_llm_reply reply;
    // The attempt is part of the question, so that a recording answers each attempt with its own reply, should two ask the
    // same.
    lg_llm_request request = {
        .kind = LG_LLM_CHAT,
        .sample = ask->attempt,
        .messages = ask->messages,
        .message_count = ask->message_count,
        .tools = lg_json_len(ask->tools) ? ask->tools : NULL,
        .has_temperature = true,
    };
    lg_status status = lg_llm_ask_all(data, &request, 1, arena, &reply, reterr);
    if (status == LG_OK) {
        read_reply(&reply, ret);
    }
    return status;
}

lg_refine_planner lg_refine_planner_of(lg_llm *llm)
{
    return (lg_refine_planner){.next = ask_model, .data = llm, .llm = llm};
}
