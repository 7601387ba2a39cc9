// rejected.c: what was rejected and why, and the ledger, as JSON lines and for people.
#include "cli/replay/replay.h"
#include "report/report.h"

// --- Results that were not accepted -------------------------------------------------------------

static const char *word_for(lg_observed observed)
{
    return observed == LG_OBSERVED_REJECTED     ? "rejected"
           : observed == LG_OBSERVED_UNVERIFIED ? "unverified"
                                                : "unreadable";
}

static void write_rejected(replay *r, const replay_site *site, lg_observed observed)
{
    lg_json_writer w = {.out = &r->out.buf};
    lg_jw_begin_object(&w);
    lg_jw_key(&w, observed == LG_OBSERVED_REJECTED     ? "rejected_result"
                  : observed == LG_OBSERVED_UNVERIFIED ? "unverified_write"
                                                       : "unreadable_result");
    lg_jw_begin_object(&w);
    replay_write_site(r, &w, site);
    lg_jw_member_str(&w, "tool", site->call->tool);
    lg_report_rejection_members(&w, lg_rejected(r->by->session));
    lg_jw_end_object(&w);
    lg_jw_end_object(&w);
    lg_buf_add_c(&r->out.buf, "\n");
}

void replay_print_rejected(replay *r, const replay_site *site, lg_observed observed)
{
    if (r->quiet) {
        return;
    }
    if (r->json) {
        write_rejected(r, site, observed);
        return;
    }
    cli_out *out = replay_begin_row(r, PART_REFUSED, site->call->turn, "0", word_for(observed));
    cli_add_text(out, lg_str_c(lg_rejected(r->by->session)->message));
    lg_buf_add_c(&out->buf, "\n");
}

// --- By category --------------------------------------------------------------------------------

typedef struct category_row {
    bool of_results;
    lg_category category;
    const char *words;
} category_row;

// The rows of the paper's table. Results that have not the declared form are a row of their own.
static const category_row category_rows[] = {
    {false, LG_CATEGORY_ENTITY, "value or entity hallucination"},
    {false, LG_CATEGORY_FORMAT, "schema and format violation"},
    {false, LG_CATEGORY_STATE, "state dependency missing"},
    {true, LG_CATEGORY_EMPTY, "empty or null"},
    {true, LG_CATEGORY_FORMAT, "schema and format violation"},
    {true, LG_CATEGORY_SEMANTIC, "semantic mismatch"},
    {true, LG_CATEGORY_UPDATE, "state-update inconsistency"},
};

static size_t count_of(const replay *r, const category_row *row)
{
    return (row->of_results ? r->by->counts.rejected_for
                            : r->by->counts.refused_for)[row->category];
}

// Of all calls of the agent, as the paper counts.
static double share_of(const replay *r, size_t count)
{
    return r->by->counts.calls ? (double)count / (double)r->by->counts.calls : 0.0;
}

void replay_write_rejections(replay *r, lg_json_writer *w)
{
    lg_jw_begin_array(w);
    for (size_t i = 0; i < LG_COUNT(category_rows); i++) {
        const category_row *row = &category_rows[i];
        lg_jw_begin_object(w);
        lg_jw_member_c(w, "stage", row->of_results ? "post-condition" : "pre-condition");
        lg_jw_member_c(w, "category", lg_category_name(row->category));
        lg_jw_member_uint(w, "count", count_of(r, row));
        lg_jw_member_double(w, "share", share_of(r, count_of(r, row)));
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}

static void show_category(replay *r, const char *stage, const char *words, size_t count)
{
    lg_buf_add_c(&r->out.buf, "  ");
    cli_pad(&r->out, lg_str_c(stage), 16);
    cli_pad(&r->out, lg_str_c(words), 36);
    lg_buf_addf(&r->out.buf, "%8zu%8.1f %%\n", count, 100.0 * share_of(r, count));
}

static void show_stage(replay *r, bool of_results)
{
    size_t sum = 0;
    const char *stage =
        of_results ? "results" : "refused calls"; // the paper's post- and pre-condition
    for (size_t i = 0; i < LG_COUNT(category_rows); i++) {
        size_t count = count_of(r, &category_rows[i]);
        if (category_rows[i].of_results == of_results && count) {
            show_category(r, stage, category_rows[i].words, count);
            stage = "";
            sum += count;
        }
    }
    if (sum) {
        show_category(r, "", "together", sum);
    }
}

void replay_show_rejections(replay *r)
{
    size_t all = 0;
    for (size_t i = 0; i < LG_COUNT(category_rows); i++) {
        all += count_of(r, &category_rows[i]);
    }
    if (all) {
        lg_buf_addf(&r->out.buf, "Rejections by category, and their share of %zu call%s\n",
                    r->by->counts.calls, lg_plural(r->by->counts.calls));
        show_stage(r, false);
        show_stage(r, true);
    }
}

// --- The ledger ---------------------------------------------------------------------------------

void replay_print_ledger(replay *r, const lg_trace_set *set, const lg_trace *trace)
{
    lg_json_writer w = {.out = &r->out.buf};
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "ledger");
    lg_jw_begin_object(&w);
    replay_write_talk(r, &w, set, trace, 0);
    lg_ledger_state seen;
    if (lg_session_seen(r->by->session, &seen) == LG_OK) {
        lg_report_ledger_members(&w, &seen);
    }
    lg_jw_end_object(&w);
    lg_jw_end_object(&w);
    lg_buf_add_c(&r->out.buf, "\n");
}
