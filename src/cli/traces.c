// traces.c: opening recorded conversations, and what could not be read of them.
#include "cli/traces.h"

#include "base/alloc.h"
#include "base/utf8.h"

// --- Opening ------------------------------------------------------------------------------------

static void open_one(cli_traces *traces, size_t i, const lg_trace_options *options)
{
    lg_error error;
    lg_trace_set *set;
    lg_status status = lg_trace_open(traces->files.paths[i], options, &set, &error);
    if (status == LG_ERR_FORMAT) {
        cli_files_leave_out(&traces->files, i, &error);
    } else if (status != LG_OK) {
        cli_files_break(&traces->files, i, &error, LG_STR(""));
    } else {
        traces->sets[traces->count++] = set;
        traces->traces += set->count;
        traces->left_out += set->left_out;
    }
}

static bool open_all(cli_traces *traces, const lg_trace_options *options)
{
    size_t count = traces->files.count;
    traces->sets = lg_zalloc((count + 1) * sizeof(*traces->sets));
    if (!traces->sets) {
        cli_say("ledgergate: out of memory");
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        cli_progress("reading file", i + 1, count);
        open_one(traces, i, options);
    }
    cli_progress("", 0, 0);
    cli_files_end(&traces->files);
    return !traces->files.oom;
}

static int unknown_format(const char *format)
{
    lg_buf all;
    lg_buf_init(&all, 0);
    for (lg_trace_format f = LG_TRACE_GOLD; f < LG_TRACE_FORMAT_COUNT; f++) {
        lg_buf_addf(&all, "%s%s", f == LG_TRACE_GOLD ? "" : ", ", lg_trace_format_name(f));
    }
    cli_say("ledgergate: no format is called `%s`; there are %.*s", format,
            LG_FMT(lg_buf_str(&all)));
    lg_buf_done(&all);
    return EXIT_USAGE;
}

int cli_open_traces(char **paths, size_t count, const char *format, cli_traces *ret)
{
    static const char *const endings[] = {".json", ".jsonl", NULL};
    lg_trace_options options = {.limits = cli_limits()};
    *ret = (cli_traces){.count = 0};
    if (format && !lg_trace_format_parse(lg_str_c(format), &options.format)) {
        return unknown_format(format);
    }
    if (!cli_files_list(&ret->files, paths, count, endings) || !open_all(ret, &options)) {
        cli_close_traces(ret);
        return EXIT_INTERNAL;
    }
    if (ret->traces == 0 && ret->files.broken == 0) {
        cli_say("ledgergate: there is no conversation in %s%s; give recordings, or folders "
                "with .json or .jsonl files of them",
                paths[0], count > 1 ? " and the others" : "");
        ret->files.code = EXIT_USAGE;
    }
    return EXIT_FINE;
}

void cli_close_traces(cli_traces *traces)
{
    for (size_t i = 0; i < traces->count; i++) {
        lg_trace_close(traces->sets[i]);
    }
    lg_free(traces->sets);
    cli_files_close(&traces->files);
    *traces = (cli_traces){.count = 0};
}

int cli_left_out_code(size_t left_out, int code)
{
    if (left_out) {
        cli_say("ledgergate: %zu part%s of the conversations could not be read, and a write may be "
                "among what was left out",
                left_out, lg_plural(left_out));
        code = code < EXIT_USAGE ? EXIT_USAGE : code;
    }
    return code;
}

int cli_traces_code(const cli_traces *traces, int code)
{
    return cli_files_code(&traces->files, cli_left_out_code(traces->left_out, code));
}

// --- What could not be read ---------------------------------------------------------------------

void cli_show_issues(lg_buf *out, const lg_trace_set *set)
{
    for (size_t i = 0; i < set->issue_count; i++) {
        const lg_trace_issue *issue = &set->issues[i];
        lg_position at = lg_text_position(set->text, issue->offset);
        lg_utf8_add_printable(out, set->path);
        lg_buf_addf(out, ":%u:%u: %s: ", at.line, at.column,
                    issue->fatal ? "left out" : "read in part");
        lg_utf8_add_printable(out, issue->message);
        lg_buf_add_c(out, " (");
        lg_utf8_add_printable(out, issue->pointer);
        lg_buf_add_c(out, ")\n");
    }
    if (set->issues_dropped) {
        lg_utf8_add_printable(out, set->path);
        lg_buf_addf(out, ": and %zu more\n", set->issues_dropped);
    }
}

static void write_issue(lg_json_writer *w, const lg_trace_set *set, const lg_trace_issue *issue)
{
    lg_jw_begin_object(w);
    lg_jw_key(w, "import_error");
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "file", set->path);
    lg_jw_member_str(w, "pointer", issue->pointer);
    lg_jw_member_uint(w, "line", lg_text_position(set->text, issue->offset).line);
    lg_jw_member_bool(w, "left_out", issue->fatal);
    lg_jw_member_str(w, "message", issue->message);
    lg_jw_end_object(w);
    lg_jw_end_object(w);
}

// How many issues the importer counted without keeping them.
static void write_dropped(lg_json_writer *w, const lg_trace_set *set)
{
    lg_jw_begin_object(w);
    lg_jw_key(w, "import_errors_dropped");
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "file", set->path);
    lg_jw_member_uint(w, "count", set->issues_dropped);
    lg_jw_end_object(w);
    lg_jw_end_object(w);
}

void cli_write_issues(lg_buf *out, const lg_trace_set *set)
{
    for (size_t i = 0; i < set->issue_count; i++) {
        lg_json_writer w = {.out = out};
        write_issue(&w, set, &set->issues[i]);
        lg_buf_add_c(out, "\n");
    }
    if (set->issues_dropped) {
        lg_json_writer w = {.out = out};
        write_dropped(&w, set);
        lg_buf_add_c(out, "\n");
    }
}
