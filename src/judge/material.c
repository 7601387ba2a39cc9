// material.c: what a model is shown: the recording as numbered events, between tags.
#include "judge/judge_internal.h"

#include <stdio.h>

void judge_add_tools(lg_buf *out, const lg_json *tools)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    for (size_t i = 0; i < lg_json_len(tools); i++) {
        lg_json_print(&text, lg_json_item(tools, i));
        lg_buf_add_c(&text, "\n");
    }
    lg_llm_add_section(out, "tools", lg_buf_str(&text), SIZE_MAX);
    lg_buf_done(&text);
}

static void add_cut(lg_buf *out, lg_str text, size_t most)
{
    lg_str kept = lg_str_cut(text, most);
    lg_buf_add(out, kept);
    if (kept.len < text.len) {
        lg_buf_addf(out, " [cut: %zu of %zu bytes]", kept.len, text.len);
    }
}

static void add_event(lg_buf *out, const lg_trace_event *event, size_t index, size_t most)
{
    static const char *const roles[] = {"agent", "user", "system"};
    lg_buf_addf(out, "[%zu] ", index);
    if (event->kind == LG_EVENT_MESSAGE) {
        lg_buf_addf(out, "%s: ", roles[event->role]);
        add_cut(out, event->text, most);
    } else if (event->kind == LG_EVENT_CALL) {
        lg_buf_addf(out, "%s calls %.*s ", roles[event->role], LG_FMT(event->tool));
        if (event->args) {
            lg_json_print(out, event->args);
        } else {
            add_cut(out, event->text, most);
        }
    } else {
        lg_buf_addf(out, "%s of %.*s: ", event->kind == LG_EVENT_RESULT ? "result" : "error",
                    LG_FMT(event->tool));
        add_cut(out, event->text, most);
    }
    lg_buf_add_c(out, "\n");
}

void judge_add_conversation(const lg_judge *judge, lg_buf *out, const lg_trace *trace)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    for (size_t i = 0; i < trace->count; i++) {
        if (text.len > judge->options.prompt_bytes) {
            lg_buf_addf(&text, "[cut: %zu more events]\n", trace->count - i);
            break;
        }
        const lg_trace_event *event = &trace->events[i];
        if (event->kind != LG_EVENT_MESSAGE || event->role != LG_ROLE_SYSTEM) {
            add_event(&text, event, i, judge->options.text_bytes);
        }
    }
    lg_llm_add_section(out, "conversation", lg_buf_str(&text), SIZE_MAX);
    if (lg_buf_status(&text) != LG_OK && out->status == LG_OK) {
        out->status = text.status;
    }
    lg_buf_done(&text);
}
