// ask_material.c: what a model is shown: texts between tags, each cut where it is too long, with a mark that says so.
#include "simulate/ask_internal.h"

// A failure of `from` is one of `out`.
static void pass_on(lg_buf *out, const lg_buf *from)
{
    if (lg_buf_status(from) != LG_OK && out->status == LG_OK) {
        out->status = from->status;
    }
}

void ask_add_cut_json(lg_buf *out, const lg_json *value, size_t most)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    if (value) {
        lg_json_print(&text, value);
    } else {
        lg_buf_add_c(&text, "(none)");
    }
    lg_llm_add_cut(out, lg_buf_str(&text), most);
    pass_on(out, &text);
    lg_buf_done(&text);
}

void ask_add_json(lg_buf *out, const char *name, const lg_json *value, size_t most)
{
    lg_buf text;
    if (!value) {
        return;
    }
    lg_buf_init(&text, 0);
    lg_json_print(&text, value);
    lg_llm_add_section(out, name, lg_buf_str(&text), most);
    pass_on(out, &text);
    lg_buf_done(&text);
}

static void add_call(lg_buf *text, const lg_sim_past *call)
{
    lg_buf_addf(text, "%llu. %s%.*s ", (unsigned long long)call->number,
                call->by_user ? "(by the user) " : "", LG_FMT(call->tool));
    ask_add_cut_json(text, call->args, ASK_TEXT_BYTES);
    if (call->end != LG_SIM_DONE) {
        lg_buf_add_c(text, "\n   failed: ");
        lg_llm_add_cut(text, call->error, ASK_TEXT_BYTES);
    } else {
        lg_buf_add_c(text, "\n   returned: ");
        ask_add_cut_json(text, call->result, ASK_TEXT_BYTES);
    }
    lg_buf_add_c(text, "\n");
}

void ask_add_calls(lg_buf *out, const lg_sim_past *calls, size_t count, uint64_t not_shown)
{
    lg_buf text;
    size_t from = count > ASK_CALLS ? count - ASK_CALLS : 0;
    lg_buf_init(&text, 0);
    if (not_shown + from > 0) {
        lg_buf_addf(&text, "[cut: %llu earlier calls]\n", (unsigned long long)(not_shown + from));
    }
    for (size_t i = from; i < count; i++) {
        add_call(&text, &calls[i]);
    }
    if (count == 0) {
        lg_buf_add_c(&text, "(none)");
    }
    lg_str whole = lg_buf_str(&text);
    lg_llm_add_section(out, "calls", whole, whole.len);
    pass_on(out, &text);
    lg_buf_done(&text);
}

static void add_tool(lg_buf *text, const lg_sim_tool *tool)
{
    const lg_json *properties = lg_json_get(tool->parameters, LG_STR("properties"));
    lg_buf_addf(text, "%s%.*s(", tool->by_user ? "(by the user) " : "", LG_FMT(tool->name));
    for (size_t i = 0; i < lg_json_len(properties) && i < ASK_CALLS; i++) {
        if (lg_json_is(properties, LG_JSON_OBJECT)) {
            lg_str name = lg_json_key(lg_json_member_at(properties, i));
            lg_buf_add_c(text, i ? ", " : "");
            lg_llm_add_cut(text, name, 100);
        }
    }
    lg_buf_add_c(text, "): ");
    lg_llm_add_cut(text, tool->description, 300);
    lg_buf_add_c(text, "\n");
}

void ask_add_tools(lg_buf *out, const lg_sim *sim)
{
    lg_buf text;
    size_t count = lg_sim_tool_count(sim);
    lg_buf_init(&text, 0);
    for (size_t i = 0; i < count && i < ASK_TOOLS; i++) {
        add_tool(&text, lg_sim_tool_at(sim, i));
    }
    if (count > ASK_TOOLS) {
        lg_buf_addf(&text, "[cut: %zu more tools]\n", count - ASK_TOOLS);
    }
    lg_llm_add_section(out, "tools", lg_buf_str(&text), ASK_STATE_BYTES);
    pass_on(out, &text);
    lg_buf_done(&text);
}

lg_status ask_take(lg_arena *arena, lg_buf *text, lg_str *ret, lg_error *reterr)
{
    *ret = lg_buf_keep(text, arena);
    return ret->ptr ? LG_OK : lg_fail_oom(reterr);
}
