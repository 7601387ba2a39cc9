// told.c: what an exchange's replies say of themselves, for spans.
#include "proxy/exchange_internal.h"

static uint64_t tokens(const lg_json *usage, lg_str name, lg_str other)
{
    int64_t count = 0;
    const lg_json *value = lg_json_get(usage, name);
    value = value ? value : lg_json_get(usage, other);
    return value && lg_json_int(value, &count) && count > 0 ? (uint64_t)count : 0;
}

static void add_usage(lg_exchange_reply *told, const lg_json *usage)
{
    if (!lg_json_is(usage, LG_JSON_OBJECT)) {
        return;
    }
    told->has_usage = true;
    told->input_tokens += tokens(usage, LG_STR("input_tokens"), LG_STR("prompt_tokens"));
    told->output_tokens += tokens(usage, LG_STR("output_tokens"), LG_STR("completion_tokens"));
}

void lg_exchange_tell_reply(const lg_exchange *x, lg_exchange_reply *ret)
{
    *ret = (lg_exchange_reply){.has_usage = false};
    for (size_t i = 0; i < x->judged_count; i++) {
        add_usage(ret, x->judged[i].reply->usage);
    }
    if (!x->judged_count) {
        return;
    }
    const lg_chat_reply *last = x->judged[x->judged_count - 1].reply;
    ret->id = last->id;
    ret->model = last->model;
    for (size_t i = 0; i < last->choice_count && i < LG_EXCHANGE_FINISHES; i++) {
        ret->finishes[ret->finish_count++] = last->choices[i].finish;
    }
}
