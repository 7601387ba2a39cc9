// judge_event.h: one event, judged by the rules about the conversation with the steps of a decision.
#ifndef LG_JUDGE_EVENT_H
#define LG_JUDGE_EVENT_H

#include "conversation/conversation.h"

static inline lg_status judge_event(const lg_conversation *c, const lg_conversation_event *event,
                                    lg_arena *scratch, lg_conversation_findings *ret)
{
    lg_budget budget = {.left = c->limits.decision_steps,
                        .what = LG_NO_STEPS_LEFT("decision_steps")};
    lg_conversation_bounds bounds = {&budget, &budget};
    return lg_conversation_judge(c, event, &bounds, scratch, ret, NULL);
}

#endif
