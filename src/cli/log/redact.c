// redact.c: `log redact` and `log prune`: what the log says is taken out for good, and that it was.
#include "cli/log/log.h"

static void write_result(log_task *t, const lg_journal_selection *selection, size_t taken)
{
    if (t->json) {
        lg_json_writer w = {.out = &t->out.buf};
        lg_jw_begin_object(&w);
        lg_jw_member_uint(&w, t->dry_run ? "would_redact" : "redacted", taken);
        lg_jw_member_uint(&w, "decisions", selection->decisions);
        lg_jw_member_uint(&w, "shared", selection->shared);
        lg_jw_end_object(&w);
        lg_buf_add_c(&t->out.buf, "\n");
        return;
    }
    lg_buf_addf(&t->out.buf, "%zu record%s %sredacted, %zu decision%s among them\n", taken,
                lg_plural(taken), t->dry_run ? "would be " : "", selection->decisions,
                lg_plural(selection->decisions));
    if (selection->shared) {
        lg_buf_addf(&t->out.buf, "%zu event%s stay: other conversations begin with the same\n",
                    selection->shared, lg_plural(selection->shared));
    }
}

// Nothing is changed: the decisions that would go.
static int show_selection(log_task *t, const lg_journal_selection *selection)
{
    lg_error err;
    lg_status status = log_read_outcomes(t, 1, &err);
    for (size_t i = 0; i < selection->count && status == LG_OK; i++) {
        lg_log_record record;
        status = lg_log_at(t->log, selection->sequences[i], &record, &err);
        if (status == LG_OK && lg_str_eq(record.kind, LG_STR("decision"))) {
            (t->json ? log_write_record : log_show_record)(t, &record);
        }
    }
    if (status != LG_OK) {
        return log_fail(&err);
    }
    write_result(t, selection, selection->count);
    return EXIT_FINE;
}

// The reader is closed first: what it still sees could not be overwritten. Where nothing is to be taken out any more, what a
// reader kept from being overwritten the last time is.
static int take_out(log_task *t, const lg_journal_selection *selection)
{
    lg_error err;
    lg_store *store;
    size_t taken = 0;
    lg_log_close(t->log);
    t->log = NULL;
    lg_store_options options = {.path = t->path, .key_path = t->key_path, .beside = true};
    lg_store_redaction redaction = {.sequences = selection->sequences,
                                    .marks = selection->marks,
                                    .count = selection->count,
                                    .why = lg_str_c(t->why),
                                    .now = cli_now()};
    lg_status status = lg_store_open(&options, &store, &err);
    if (status != LG_OK) {
        return log_fail(&err);
    }
    status = lg_store_redact(store, &redaction, &taken, &err);
    lg_store_close(store);
    if (status != LG_OK) {
        int code = log_fail(&err);
        if (taken && selection->thread_count) { // its name is gone with it
            cli_say("The conversation's name is gone, too; now that is: ledgergate log redact %llu",
                    (unsigned long long)selection->threads[0].sequence);
        }
        return code;
    }
    write_result(t, selection, taken);
    return EXIT_FINE;
}

// Whose these are, nobody here knows: so somebody has to say which, or that he means all.
static int refuse_alike(const log_task *t, const lg_journal_selection *selection)
{
    size_t shown = selection->thread_count < LG_JOURNAL_THREADS_MAX ? selection->thread_count
                                                                    : LG_JOURNAL_THREADS_MAX;
    cli_say(
        "ledgergate log: %s is %zu conversations, which begin alike; the last decision of each:",
        t->conversation, selection->thread_count);
    for (size_t i = 0; i < shown; i++) {
        char time[LG_TIME_TEXT_MAX];
        const lg_journal_thread *thread = &selection->threads[i];
        lg_str when = log_time(thread->time, time);
        cli_say("  %8llu  %.*s  %.*s  %.*s", (unsigned long long)thread->sequence, LG_FMT(when),
                LG_FMT(thread->id), LG_FMT(thread->words));
    }
    if (shown < selection->thread_count) {
        cli_say("  and %zu more", selection->thread_count - shown);
    }
    cli_say("Give --conversation the id of one of these; --all-alike takes all, --dry-run shows "
            "what would go.");
    return EXIT_USAGE;
}

static int redact_conversation(log_task *t)
{
    lg_error err;
    lg_journal_selection selection;
    lg_status status = lg_journal_select_conversation(t->log, lg_str_c(t->conversation), &t->kept,
                                                      &selection, &err);
    if (status != LG_OK) {
        return log_fail(&err);
    }
    if (selection.thread_count > 1 && !t->all_alike) {
        return refuse_alike(t, &selection);
    }
    return t->dry_run ? show_selection(t, &selection) : take_out(t, &selection);
}

int log_redact(log_task *t, char **operands, size_t count)
{
    lg_error err;
    lg_journal_selection selection;
    if ((count == 0) == (t->conversation == NULL)) {
        return cli_usage("log", "redact takes the id of a decision, or --conversation ID");
    }
    if (count && t->all_alike) {
        return cli_usage("log", "redact takes --all-alike with --conversation");
    }
    if (t->conversation) {
        return redact_conversation(t);
    }
    lg_status status =
        lg_journal_select_decision(t->log, lg_str_c(operands[0]), &t->kept, &selection, &err);
    if (status != LG_OK) {
        return log_fail(&err);
    }
    return t->dry_run ? show_selection(t, &selection) : take_out(t, &selection);
}

int log_prune(log_task *t, char **operands, size_t count)
{
    lg_error err;
    lg_time before;
    lg_journal_selection selection;
    (void)operands;
    (void)count;
    if (!t->before || !lg_time_parse(lg_str_c(t->before), &before)) {
        return cli_usage("log", "prune takes --before TIME, for example 2026-01-31T00:00:00Z");
    }
    if (lg_time_cmp(before, cli_now()) > 0 && !t->force) {
        return cli_usage("log",
                         "--before %s is in the future: all of the log would go; --force "
                         "says that this is meant",
                         t->before);
    }
    lg_status status = lg_journal_select_before(t->log, before, &t->kept, &selection, &err);
    if (status != LG_OK) {
        return log_fail(&err);
    }
    return t->dry_run ? show_selection(t, &selection) : take_out(t, &selection);
}
