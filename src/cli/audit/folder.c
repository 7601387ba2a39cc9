// folder.c: see folder.h.
#include "cli/audit/folder.h"

#include "base/alloc.h"
#include "base/write_file.h"
#include "cli/audit/part.h"
#include "cli/audit/reports.h"
#include "cli/lines.h"
#include "page/page.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

struct audit_folder {
    lg_arena arena;
    const char *path;
    audit_part results;
    lg_page *page;
    lg_stats *stats;
    lg_stats *before; // of the audit that it is compared with, or NULL
    bool told;        // something went wrong, and was said
};

static void fail(audit_folder *folder, const char *name, const char *why)
{
    if (!folder->told) {
        cli_progress("", 0, 0);
        cli_say("ledgergate audit: %s: %s", name, why);
    }
    folder->told = true;
}

// The path of a file in the folder; NULL without memory.
static const char *path_of(audit_folder *folder, const char *name)
{
    const char *path = lg_arena_printf(&folder->arena, "%s/%s", folder->path, name).ptr;
    if (!path) {
        fail(folder, name, "out of memory");
    }
    return path;
}

static void make_folder(audit_folder *folder, const char *path)
{
    struct stat about;
    if (!path || folder->told) {
        return;
    }
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        fail(folder, path, strerror(errno));
    } else if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode)) {
        fail(folder, path, "it is no folder");
    }
}

static void open_files(audit_folder *folder)
{
    lg_error why = {0};
    lg_page_options options = {.path = path_of(folder, "index.html"), .title = "Audit"};
    const char *results = path_of(folder, "results.jsonl");
    if (folder->told) {
        return;
    }
    if (!audit_part_open(&folder->results, results) ||
        lg_page_begin(&options, &folder->page, &why) != LG_OK ||
        lg_stats_new(&folder->stats, &why) != LG_OK) {
        fail(folder, folder->path, why.msg[0] ? why.msg : strerror(errno));
    }
}

// A line of the earlier audit: a result, or something else that nobody compares.
static lg_status add_before(audit_folder *folder, lg_str line, lg_error *reterr)
{
    lg_stats_added added;
    lg_status status = lg_stats_add(folder->before, line, &added, reterr);
    if (status == LG_OK && added.kind == LG_STATS_RESULT) {
        status = lg_page_add_before(folder->page, line, reterr);
    }
    return status;
}

static void read_before(audit_folder *folder, const char *compare)
{
    const char *path = lg_arena_printf(&folder->arena, "%s/results.jsonl", compare).ptr;
    cli_lines lines;
    lg_str line;
    lg_error why = {0};
    bool more = true;
    if (!path || folder->told) {
        return;
    }
    lg_status status = lg_stats_new(&folder->before, &why);
    if (status == LG_OK) {
        status = cli_lines_open(&lines, path, &why);
        while (status == LG_OK && (status = cli_lines_next(&lines, &line, &more, &why)) == LG_OK &&
               more) {
            status = add_before(folder, line, &why);
        }
        cli_lines_close(&lines);
    }
    if (status != LG_OK) {
        fail(folder, path, why.msg);
    }
}

bool audit_folder_open(const char *path, const char *compare, audit_folder **ret)
{
    audit_folder *folder = lg_zalloc(sizeof(*folder));
    if (!folder) {
        return false;
    }
    *ret = folder;
    folder->path = path;
    lg_arena_init(&folder->arena, 0);
    make_folder(folder, path);
    make_folder(folder, path_of(folder, "conversations"));
    open_files(folder);
    if (compare) {
        read_before(folder, compare);
    }
    return true;
}

// --- A conversation -----------------------------------------------------------------------------------------

void audit_folder_add(audit_folder *folder, const audit_item *item)
{
    char name[64];
    lg_error why = {0};
    lg_stats_added added;
    if (folder->told) {
        return;
    }
    lg_arena_mark mark = lg_arena_mark_here(&folder->arena);
    snprintf(name, sizeof(name), "conversations/%s.json", item->id);
    const char *path = path_of(folder, name);
    if (path && !lg_write_private_file(path, item->artefact)) {
        fail(folder, path, strerror(errno));
    }
    audit_part_put(&folder->results, item->result);
    audit_part_put(&folder->results, LG_STR("\n"));
    if (!folder->told &&
        (lg_page_add(folder->page, item->artefact, lg_str_c(name), &why) != LG_OK ||
         lg_stats_add(folder->stats, item->result, &added, &why) != LG_OK)) {
        fail(folder, "index.html", why.msg);
    }
    lg_arena_rewind(&folder->arena, mark);
}

// --- The end --------------------------------------------------------------------------------------------------

// {"audit": what is counted, ...: docs/stats.md}
static void write_summary(audit_folder *folder, const audit_sum *sum, lg_buf *text)
{
    lg_json_writer w = {.out = text};
    lg_stats_options options = {.runs = true, .baseline = folder->before};
    lg_error why = {0};
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "audit");
    audit_sum_write(sum, &w);
    lg_status status = lg_stats_write(folder->stats, &options, &w, &why);
    lg_jw_end_object(&w);
    lg_buf_add_c(text, "\n");
    if (status != LG_OK || lg_buf_status(text) != LG_OK) {
        fail(folder, "summary.json", why.msg[0] ? why.msg : "out of memory");
    }
}

static void end_page(audit_folder *folder, lg_str stats)
{
    lg_error why = {0};
    lg_page *page = folder->page;
    folder->page = NULL;
    if (lg_page_end(page, stats, &why) != LG_OK) {
        fail(folder, "index.html", why.msg);
    }
}

// What is made of all results: from the file of them, so that memory does not grow with it.
static void write_reports(audit_folder *folder, const audit_sum *sum)
{
    const char *junit = path_of(folder, "junit.xml"), *sarif = path_of(folder, "audit.sarif");
    const char *results = path_of(folder, "results.jsonl");
    lg_error why = {0};
    if (folder->told) {
        return;
    }
    if (!audit_write_junit(results, sum, junit, &why) || !audit_write_sarif(results, sarif, &why)) {
        fail(folder, "reports", why.msg);
    }
}

static void complete_all(audit_folder *folder, const audit_sum *sum)
{
    lg_buf text;
    lg_error why = {0};
    lg_buf_init(&text, 0);
    write_summary(folder, sum, &text);
    if (!audit_part_close(&folder->results, !folder->told)) {
        fail(folder, "results.jsonl", strerror(errno));
    }
    write_reports(folder, sum);
    if (!folder->told) {
        end_page(folder, lg_buf_str(&text));
    }
    const char *summary = path_of(folder, "summary.json");
    if (!folder->told && lg_write_file(summary, lg_buf_str(&text), &why) != LG_OK) {
        fail(folder, summary, why.msg);
    }
    lg_buf_done(&text);
}

bool audit_folder_close(audit_folder *folder, const audit_sum *sum, bool complete)
{
    if (complete && !folder->told) {
        complete_all(folder, sum);
    }
    (void)audit_part_close(&folder->results, false);
    lg_page_drop(folder->page);
    lg_stats_free(folder->stats);
    lg_stats_free(folder->before);
    bool fine = !folder->told;
    lg_arena_done(&folder->arena);
    lg_free(folder);
    return fine;
}
