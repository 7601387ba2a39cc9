// folder.c: see folder.h.
#include "cli/audit/folder.h"

#include "base/alloc.h"
#include "base/write_file.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct audit_folder {
    lg_arena arena;
    const char *path;
    const char *results_part; // results.jsonl while it is written
    FILE *results;
    lg_buf text; // of one file
    bool told;   // something went wrong, and was said
};

static void fail(audit_folder *folder, const char *name)
{
    if (!folder->told) {
        cli_say("ledgergate audit: %s could not be written: %s", name, strerror(errno));
    }
    folder->told = true;
}

// The path of a file in the folder; NULL without memory.
static const char *path_of(audit_folder *folder, const char *name)
{
    return lg_arena_printf(&folder->arena, "%s/%s", folder->path, name).ptr;
}

static bool make_folder(const char *path)
{
    if (path && (mkdir(path, 0777) == 0 || errno == EEXIST)) {
        struct stat about;
        if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
            return true;
        }
        errno = ENOTDIR;
    }
    return false;
}

bool audit_folder_open(const char *path, audit_folder **ret)
{
    audit_folder *folder = lg_zalloc(sizeof(*folder));
    if (!folder) {
        return false;
    }
    *ret = folder;
    folder->path = path;
    lg_arena_init(&folder->arena, 0);
    lg_buf_init(&folder->text, 0);
    folder->results_part = path_of(folder, ".results.jsonl.part");
    if (!make_folder(path) || !make_folder(path_of(folder, "conversations"))) {
        fail(folder, path);
        return true;
    }
    folder->results = folder->results_part ? fopen(folder->results_part, "we") : NULL;
    if (!folder->results) {
        fail(folder, folder->results_part ? folder->results_part : path);
    }
    return true;
}

static void add_result(audit_folder *folder, const audit_item *item)
{
    bool put = fwrite(item->result.ptr, 1, item->result.len, folder->results) == item->result.len;
    if (!put || fputc('\n', folder->results) == EOF) {
        fail(folder, folder->results_part);
    }
}

void audit_folder_add(audit_folder *folder, const audit_item *item)
{
    char name[64];
    if (folder->told) {
        return;
    }
    lg_arena_mark mark = lg_arena_mark_here(&folder->arena);
    snprintf(name, sizeof(name), "conversations/%s.json", item->id);
    const char *path = path_of(folder, name);
    if (!path || !lg_write_private_file(path, item->artefact)) {
        fail(folder, path ? path : name);
    } else {
        add_result(folder, item);
    }
    lg_arena_rewind(&folder->arena, mark);
}

static void write_named(audit_folder *folder, const char *name)
{
    const char *path = path_of(folder, name);
    lg_error why = {0};
    if (folder->told) {
        return;
    }
    if (lg_buf_status(&folder->text) != LG_OK || !path ||
        lg_write_file(path, lg_buf_str(&folder->text), &why) != LG_OK) {
        cli_say("ledgergate audit: %s", why.msg[0] ? why.msg : "out of memory");
        folder->told = true;
    }
    lg_buf_clear(&folder->text);
}

static void write_summary(audit_folder *folder, const audit_sum *sum)
{
    lg_json_writer w = {.out = &folder->text};
    audit_sum_write(sum, &w);
    lg_buf_add_c(&folder->text, "\n");
    write_named(folder, "summary.json");
}

static void end_results(audit_folder *folder)
{
    const char *path = path_of(folder, "results.jsonl");
    bool fine = fflush(folder->results) == 0 && fsync(fileno(folder->results)) == 0;
    fine = fclose(folder->results) == 0 && fine;
    folder->results = NULL;
    if (!path || !fine || (!folder->told && rename(folder->results_part, path) != 0)) {
        fail(folder, "results.jsonl");
    }
}

bool audit_folder_close(audit_folder *folder, const audit_sum *sum, bool complete)
{
    if (folder->results) {
        end_results(folder);
    }
    if (complete) {
        write_summary(folder, sum);
    }
    if (folder->told && folder->results_part) {
        (void)unlink(folder->results_part);
    }
    bool fine = !folder->told;
    lg_buf_done(&folder->text);
    lg_arena_done(&folder->arena);
    lg_free(folder);
    return fine;
}
