// redact.c: `log redact` and `log prune`: what the log says is taken out for good, and that it was.
#include "cli/log/log.h"

#include <time.h>

static lg_time wall_clock(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    return (lg_time){now.tv_sec, (uint32_t)now.tv_nsec};
}

static void write_result(log_task *t, const lg_journal_selection *selection, size_t taken)
{
    if (t->json) {
        lg_json_writer w = {.out = &t->out.buf};
        lg_jw_begin_object(&w);
        lg_jw_key(&w, "redacted");
        lg_jw_uint(&w, taken);
        lg_jw_key(&w, "decisions");
        lg_jw_uint(&w, selection->decisions);
        lg_jw_key(&w, "shared");
        lg_jw_uint(&w, selection->shared);
        lg_jw_end_object(&w);
        lg_buf_add_c(&t->out.buf, "\n");
        return;
    }
    lg_buf_addf(&t->out.buf, "%zu record%s redacted, %zu decision%s among them\n", taken,
                lg_plural(taken), selection->decisions, lg_plural(selection->decisions));
    if (selection->shared) {
        lg_buf_addf(&t->out.buf, "%zu event%s stay: other conversations begin with the same\n",
                    selection->shared, lg_plural(selection->shared));
    }
}

// The reader is closed first: what it still sees could not be overwritten.
static int take_out(log_task *t, const lg_journal_selection *selection)
{
    lg_error err;
    lg_store *store;
    size_t taken = 0;
    lg_log_close(t->log);
    t->log = NULL;
    if (selection->count) {
        lg_store_options options = {.path = t->path, .key_path = t->key_path, .beside = true};
        lg_store_redaction redaction = {.sequences = selection->sequences,
                                        .marks = selection->marks,
                                        .count = selection->count,
                                        .why = lg_str_c(t->why),
                                        .now = wall_clock()};
        lg_status status = lg_store_open(&options, &store, &err);
        if (status != LG_OK) {
            return log_fail(&err);
        }
        status = lg_store_redact(store, &redaction, &taken, &err);
        lg_store_close(store);
        if (status != LG_OK) {
            return log_fail(&err);
        }
    }
    write_result(t, selection, taken);
    return EXIT_FINE;
}

int log_redact(log_task *t, char **operands, size_t count)
{
    lg_error err;
    lg_journal_selection selection;
    if ((count == 0) == (t->conversation == NULL)) {
        return cli_usage("log", "redact takes the id of a decision, or --conversation NAME");
    }
    lg_status status = count ? lg_journal_select_decision(t->log, lg_str_c(operands[0]), &t->arena,
                                                          &selection, &err)
                             : lg_journal_select_conversation(t->log, lg_str_c(t->conversation),
                                                              &t->arena, &selection, &err);
    return status == LG_OK ? take_out(t, &selection) : log_fail(&err);
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
    lg_status status = lg_journal_select_before(t->log, before, &t->arena, &selection, &err);
    return status == LG_OK ? take_out(t, &selection) : log_fail(&err);
}
