// sink.c: where results go: standard output, and the folder.
#include "cli/audit/audit.h"
#include "cli/audit/folder.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <stdio.h>

// Ids of the conversations so far: a table of open addresses, at most half full.
typedef struct audit_seen {
    char (*ids)[17];
    size_t count, capacity;
} audit_seen;

static char *slot_of(const audit_seen *seen, const char *id)
{
    size_t mask = seen->capacity - 1;
    size_t at = (size_t)lg_hash(lg_str_of(id, 16)) & mask;
    while (seen->ids[at][0] && memcmp(seen->ids[at], id, 16) != 0) {
        at = (at + 1) & mask;
    }
    return seen->ids[at];
}

static bool grow(audit_seen *seen)
{
    audit_seen larger = {.capacity = seen->capacity ? seen->capacity * 2 : 1024,
                         .count = seen->count};
    larger.ids = lg_zalloc(larger.capacity * sizeof(*larger.ids));
    if (!larger.ids) {
        return false;
    }
    for (size_t i = 0; i < seen->capacity; i++) {
        if (seen->ids[i][0]) {
            memcpy(slot_of(&larger, seen->ids[i]), seen->ids[i], 17);
        }
    }
    lg_free(seen->ids);
    *seen = larger;
    return true;
}

// Was it there before? From now on it was.
static bool note_id(audit_sink *sink, const char *id)
{
    audit_seen *seen = sink->seen;
    if (seen->count * 2 >= seen->capacity && !grow(seen)) {
        sink->failed = true;
        return false;
    }
    char *slot = slot_of(seen, id);
    bool there = slot[0] != '\0';
    memcpy(slot, id, 17);
    seen->count += !there;
    return there;
}

bool audit_sink_init(audit_sink *sink, const audit_options *options)
{
    *sink = (audit_sink){.options = options};
    cli_out_init(&sink->out, options->json);
    sink->seen = lg_zalloc(sizeof(*sink->seen));
    bool fine = sink->seen && audit_sum_init(&sink->sum);
    sink->sum.llm = options->llm;
    sink->sum.model = options->model;
    return fine &&
           (!options->out || audit_folder_open(options->out, options->compare, &sink->folder));
}

static void tell_duplicate(audit_sink *sink, const audit_item *item)
{
    sink->sum.duplicates++;
    if (sink->options->json) {
        lg_json_writer w = {.out = &sink->out.buf};
        lg_jw_begin_object(&w);
        lg_jw_key(&w, "duplicate");
        lg_jw_begin_object(&w);
        lg_jw_member_c(&w, "id", item->id);
        lg_jw_member_str(&w, "conversation", item->name);
        lg_jw_end_object(&w);
        lg_jw_end_object(&w);
        lg_buf_add_c(&sink->out.buf, "\n");
    }
}

static void take_item(audit_sink *sink, const audit_item *item)
{
    if (note_id(sink, item->id)) {
        tell_duplicate(sink, item);
        return;
    }
    sink->failed = !audit_sum_add(&sink->sum, item) || sink->failed;
    if (sink->options->json) {
        lg_buf_add(&sink->out.buf, item->result);
        lg_buf_add_c(&sink->out.buf, "\n");
        cli_out_flush_some(&sink->out);
    }
    if (sink->folder) {
        audit_folder_add(sink->folder, item);
    }
}

void audit_sink_take(audit_sink *sink, const audit_batch *batch)
{
    for (size_t i = 0; i < batch->count && batch->status == LG_OK; i++) {
        take_item(sink, &batch->items[i]);
    }
    sink->sum.issues += batch->issue_count;
    sink->sum.left_out += batch->left_out;
    sink->sum.lost += batch->lost;
    if (sink->options->json) {
        lg_buf_add(&sink->out.buf, lg_buf_str(&batch->issues));
    } else if (batch->issues.len > 0) {
        cli_progress("", 0, 0);
        fprintf(stderr, "%.*s", LG_FMT(lg_buf_str(&batch->issues)));
    }
    if (batch->lost) {
        cli_say("ledgergate audit: %zu conversation%s could not be audited: %s", batch->lost,
                lg_plural(batch->lost), batch->error.msg);
    }
}

static void write_summary(audit_sink *sink, const cli_files *files)
{
    lg_json_writer w = {.out = &sink->out.buf};
    cli_files_write(files, &sink->out);
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "summary");
    audit_sum_write(&sink->sum, &w);
    lg_jw_end_object(&w);
    lg_buf_add_c(&sink->out.buf, "\n");
}

int audit_sink_done(audit_sink *sink, const cli_files *files, int code)
{
    if (sink->options->json) {
        write_summary(sink, files);
    } else {
        audit_sum_show(&sink->sum, &sink->out);
    }
    if (sink->folder && !audit_folder_close(sink->folder, &sink->sum, code == EXIT_FINE)) {
        code = EXIT_INTERNAL;
    }
    if (sink->failed) {
        cli_say("ledgergate audit: out of memory");
        code = EXIT_INTERNAL;
    }
    bool found = audit_sum_findings(&sink->sum) > 0;
    code = code == EXIT_FINE && sink->sum.lost ? EXIT_INTERNAL : code;
    code = code == EXIT_FINE && found ? EXIT_FINDINGS : code;
    audit_sum_done(&sink->sum);
    if (sink->seen) {
        lg_free(sink->seen->ids);
        lg_free(sink->seen);
    }
    return cli_out_done(&sink->out, code);
}
