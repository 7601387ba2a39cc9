// unfit.c: conversations that none of several packs fits: named, and judged by none.
#include "cli/replay/replay.h"
#include "session/fitting.h"

#define LEFT_TOLD 20u // one by one, for people
#define TOOLS_SHOWN 120u

static void write_left(replay *r, const lg_trace_set *set, const lg_trace *trace,
                       const lg_str *tools, size_t count)
{
    lg_json_writer w = {.out = &r->out.buf};
    r->by = NULL;
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "no_pack");
    lg_jw_begin_object(&w);
    replay_write_talk(r, &w, set, trace, 0);
    lg_jw_key(&w, "tools");
    lg_jw_begin_array(&w);
    for (size_t i = 0; i < count; i++) {
        lg_jw_str(&w, tools[i]);
    }
    lg_jw_end_array(&w);
    lg_jw_end_object(&w);
    lg_jw_end_object(&w);
    lg_buf_add_c(&r->out.buf, "\n");
    cli_out_flush_some(&r->out);
}

static void tell_left(replay *r, const lg_trace_set *set, const lg_trace *trace,
                      const lg_str *tools, size_t count)
{
    cli_out *out = &r->unfit;
    lg_buf names;
    lg_buf_init(&names, 0);
    for (size_t i = 0; i < count && names.len <= TOOLS_SHOWN; i++) {
        lg_buf_addf(&names, "%s%.*s", i ? ", " : "", LG_FMT(tools[i]));
    }
    lg_buf_add_c(&out->buf, "  ");
    cli_add_text(out, replay_shown_path(set->path));
    lg_buf_add_c(&out->buf, ": ");
    cli_add_text(out, trace->name);
    lg_buf_add_c(&out->buf, count ? ", which calls " : ", which calls no tool");
    cli_add_cut(out, lg_buf_str(&names), TOOLS_SHOWN);
    lg_buf_add_c(&out->buf, "\n");
    lg_buf_done(&names);
}

bool replay_leave(replay *r, const lg_trace_set *set, const lg_trace *trace)
{
    const lg_str *tools;
    size_t count;
    lg_arena_reset(&r->scratch);
    if (!lg_called_tools(&r->scratch, trace, &tools, &count)) {
        return false;
    }
    r->run.traces++;
    r->run.no_pack++;
    if (r->json && !r->quiet) {
        write_left(r, set, trace, tools, count);
    } else if (!r->json && r->run.no_pack <= LEFT_TOLD) {
        tell_left(r, set, trace, tools, count);
    }
    return true;
}

void replay_show_left(replay *r)
{
    size_t left = r->run.no_pack;
    if (left == 0 || r->quiet) {
        return;
    }
    lg_buf_addf(&r->out.buf, "\nno pack fits: %zu conversation%s\n", left, lg_plural(left));
    cli_out_move(&r->out, &r->unfit);
    if (left > LEFT_TOLD) {
        lg_buf_addf(&r->out.buf, "  and %zu more (--json names all)\n", left - LEFT_TOLD);
    }
}
