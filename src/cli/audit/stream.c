// stream.c: one conversation a line, one result a line, in order: for engines that divide the work.
//
// Nothing of a result depends on the lines before it, nor on their number, so that any division of the lines gives the
// same results. A line that cannot be read gives a line that says so.
#include "cli/audit/audit.h"
#include "cli/lines.h"

typedef struct stream {
    audit_worker worker;
    cli_out out;
    audit_batch batch; // of the line at hand
    size_t broken, findings, lost;
    bool failed; // nothing more could be read
} stream;

static void write_broken(stream *s, const lg_error *why)
{
    lg_json_writer w = {.out = &s->out.buf};
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "broken_line");
    lg_jw_begin_object(&w);
    lg_jw_member_uint(&w, "column", why->column);
    lg_jw_member_c(&w, "message", why->msg);
    lg_jw_end_object(&w);
    lg_jw_end_object(&w);
    lg_buf_add_c(&s->out.buf, "\n");
}

static void take_item(stream *s, const audit_item *item)
{
    size_t kinds;
    (void)lg_audit_kinds(&kinds);
    for (size_t i = 0; i < kinds; i++) {
        s->findings += audit_tally_counted(&item->found[i]);
    }
    lg_buf_add(&s->out.buf, item->result);
    lg_buf_add_c(&s->out.buf, "\n");
}

static void take_line(stream *s, lg_str line)
{
    audit_batch_init(&s->batch);
    audit_line(&s->worker, line, &s->batch);
    if (s->batch.status == LG_OK && s->batch.count == 0) {
        s->batch.status = lg_fail(&s->batch.error, LG_ERR_FORMAT, "the line holds no conversation");
    }
    if (s->batch.status != LG_OK) {
        s->broken++;
        write_broken(s, &s->batch.error);
    }
    for (size_t i = 0; i < s->batch.count && s->batch.status == LG_OK; i++) {
        take_item(s, &s->batch.items[i]);
    }
    s->lost += s->batch.lost;
    s->broken += s->batch.left_out > 0;
    audit_batch_done(&s->batch);
    cli_out_flush_some(&s->out);
}

// The next line; one that is too long is said to be broken. False at the end, or when nothing more can be read.
static bool next_line(stream *s, cli_lines *lines, lg_str *ret)
{
    lg_error why;
    bool more = true;
    lg_status status;
    while ((status = cli_lines_next(lines, ret, &more, &why)) == LG_ERR_LIMIT) {
        s->broken++;
        write_broken(s, &why);
    }
    if (status != LG_OK) {
        cli_say("ledgergate audit: %s", why.msg);
        s->failed = true;
    }
    return status == LG_OK && more;
}

static int run(stream *s)
{
    cli_lines lines;
    lg_error why;
    lg_str line;
    if (cli_lines_open(&lines, "-", &why) != LG_OK) {
        cli_say("ledgergate audit: %s", why.msg);
        cli_lines_close(&lines);
        return EXIT_INTERNAL;
    }
    while (!s->out.failed && next_line(s, &lines, &line)) {
        if (lg_str_trim(line).len > 0) {
            take_line(s, line);
        }
    }
    cli_lines_close(&lines);
    if (s->broken) {
        cli_say("ledgergate audit: %zu line%s could not be read as a whole", s->broken,
                lg_plural(s->broken));
    }
    return s->failed || s->lost ? EXIT_INTERNAL
           : s->broken          ? EXIT_USAGE
           : s->findings        ? EXIT_FINDINGS
                                : EXIT_FINE;
}

int audit_stream(const audit_options *options)
{
    stream s = {.broken = 0};
    if (!audit_worker_init(&s.worker, options)) {
        return EXIT_INTERNAL;
    }
    cli_out_init(&s.out, true);
    int code = run(&s);
    audit_worker_done(&s.worker);
    return cli_out_done(&s.out, code);
}
