// requests.c: `--requests`: what customers asked for: done, permitted and never done, refused, undecided.
#include "cli/replay/replay.h"

#define KEY_SHOWN 60u

static uint32_t turn_of(const lg_trace *trace, uint32_t event)
{
    return trace->events[event].turn;
}

static void write_turn(lg_json_writer *w, const char *name, const lg_trace *trace, uint32_t event)
{
    if (event != LG_NO_EVENT) {
        lg_jw_member_uint(w, name, turn_of(trace, event));
    }
}

static void write_asked(replay *r, const lg_trace_set *set, const lg_trace *trace,
                        const lg_asked *asked)
{
    lg_json_writer w = {.out = &r->out.buf};
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "request");
    lg_jw_begin_object(&w);
    replay_write_talk(r, &w, set, trace, 0);
    lg_jw_member_str(&w, "request", asked->request->id);
    lg_jw_member_str(&w, "tool", asked->request->tool->name);
    lg_jw_member_c(&w, "verdict", lg_asked_verdict_name(asked->verdict));
    lg_jw_member_c(&w, "how", lg_asked_how_name(asked->how));
    if (asked->key.len) {
        lg_jw_member_str(&w, "key", asked->key);
    }
    lg_jw_member_json(&w, "args", asked->args);
    lg_jw_member_bool(&w, "complete", asked->complete);
    write_turn(&w, "turn", trace, asked->event);
    write_turn(&w, "withdrawn", trace, asked->withdrawn);
    write_turn(&w, "done", trace, asked->done);
    write_turn(&w, "tried", trace, asked->tried);
    if (asked->rule.len) {
        lg_jw_member_str(&w, "rule", asked->rule);
    }
    if (asked->message.len) {
        lg_jw_member_str(&w, "message", asked->message);
    }
    if (asked->because.len) {
        lg_jw_member_str(&w, "because", asked->because);
    }
    lg_jw_end_object(&w);
    lg_jw_end_object(&w);
    lg_buf_add_c(&r->out.buf, "\n");
}

static const char *words_for(const lg_asked *asked)
{
    return asked->verdict == LG_ASKED_PERMITTED ? "permitted, asked for and not done"
           : asked->verdict == LG_ASKED_REFUSED ? "asked for, and refused by a rule"
           : asked->verdict == LG_ASKED_FORFEITED
               ? "asked for, and refused by a rule for what was done before"
               : "asked for; what is known does not decide it";
}

// What was done needs no words.
static void show_asked(replay *r, const lg_trace *trace, const lg_asked *asked)
{
    if (asked->verdict == LG_ASKED_DONE || asked->withdrawn != LG_NO_EVENT) {
        return;
    }
    cli_out *out = replay_begin_row(r, PART_REPORTED, turn_of(trace, asked->event), "2", "request");
    cli_add_text(out, asked->request->id);
    if (asked->key.len) {
        lg_buf_add_c(&out->buf, " of ");
        cli_add_cut(out, asked->key, KEY_SHOWN);
    }
    lg_buf_addf(&out->buf, ": %s\n", words_for(asked));
    if (asked->rule.len) {
        lg_buf_addf(&out->buf, "      %.*s: ", LG_FMT(asked->rule));
        cli_add_text(out, asked->message);
        lg_buf_add_c(&out->buf, "\n");
    }
}

bool replay_requests(replay *r, const lg_trace_set *set, const lg_trace *trace)
{
    lg_requests found;
    lg_error error;
    if (!r->show_requests) {
        return true;
    }
    lg_arena_reset(&r->scratch);
    if (lg_requests_find(r->by->session, trace, &r->scratch, &found, &error) != LG_OK) {
        cli_say("ledgergate replay: what was asked for cannot be told: %s", error.msg);
        return false;
    }
    for (size_t i = 0; i < found.count; i++) {
        const lg_asked *asked = &found.items[i];
        r->by->asked[asked->verdict] += asked->withdrawn == LG_NO_EVENT;
        if (!r->quiet && r->json) {
            write_asked(r, set, trace, asked);
        } else if (!r->quiet) {
            show_asked(r, trace, asked);
        }
    }
    return true;
}

void replay_requests_write_summary(replay *r, lg_json_writer *w)
{
    if (!r->show_requests) {
        return;
    }
    lg_jw_key(w, "requests");
    lg_jw_begin_object(w);
    for (lg_asked_verdict v = LG_ASKED_DONE; v < LG_ASKED_VERDICT_COUNT; v++) {
        lg_jw_member_uint(w, lg_asked_verdict_name(v), r->by->asked[v]);
    }
    lg_jw_end_object(w);
}

void replay_requests_show_summary(replay *r)
{
    static const char *const words[] = {"done", "permitted, and not done", "refused by a rule",
                                        "refused for what was done before",
                                        "not decided by what is known"};
    if (!r->show_requests) {
        return;
    }
    lg_buf_add_c(&r->out.buf, "What customers asked for, by patterns\n");
    for (lg_asked_verdict v = LG_ASKED_DONE; v < LG_ASKED_VERDICT_COUNT; v++) {
        lg_buf_add_c(&r->out.buf, "  ");
        cli_pad(&r->out, lg_str_c(words[v]), 52);
        lg_buf_addf(&r->out.buf, "%8zu\n", r->by->asked[v]);
    }
}
