// files.c: see files.h.
#include "cli/files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define FOLDER_DEPTH_MAX 32u
#define SKIPPED_SAID 20u // one by one; of the others the number

bool cli_has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path);
    size_t tail = strlen(ending);
    return length >= tail && lg_str_eq_any_case(lg_str_c(path + length - tail), lg_str_c(ending));
}

static bool fail_oom(cli_files *files)
{
    if (!files->oom) {
        cli_say("ledgergate: out of memory");
    }
    files->oom = true;
    files->code = EXIT_INTERNAL;
    return false;
}

// --- What is not read ---------------------------------------------------------------------------

static void note(cli_files *files, const char *path, const lg_error *error, bool broken)
{
    cli_unread *items = lg_arena_grow(&files->arena, files->unread, files->unread_count,
                                      &files->unread_capacity, sizeof(*items));
    files->broken += broken;
    files->skipped += !broken;
    if (!items) {
        (void)fail_oom(files);
        return;
    }
    files->unread = items;
    items[files->unread_count++] = (cli_unread){path, *error, broken};
}

static void note_broken(cli_files *files, const char *path, const lg_error *error, lg_str text)
{
    int code = cli_exit_code(error->status);
    lg_error named = *error;
    named.file = strcmp(path, "-") == 0 ? "standard input" : path;
    cli_progress("", 0, 0);
    cli_say_error(&named, text);
    files->code = code > files->code ? code : files->code;
    note(files, named.file, error, true);
}

static void note_skipped(cli_files *files, const char *path, const lg_error *error)
{
    if (files->skipped < SKIPPED_SAID) {
        cli_progress("", 0, 0);
        cli_say("ledgergate: %s is left out: %s", path, error->msg);
    }
    note(files, path, error, false);
}

void cli_files_break(cli_files *files, size_t i, const lg_error *error, lg_str text)
{
    note_broken(files, files->paths[i], error, text);
}

void cli_files_leave_out(cli_files *files, size_t i, const lg_error *error)
{
    if (files->found[i]) {
        note_skipped(files, files->paths[i], error);
    } else {
        note_broken(files, files->paths[i], error, LG_STR(""));
    }
}

void cli_files_end(const cli_files *files)
{
    if (files->skipped > SKIPPED_SAID) {
        cli_say("ledgergate: and %zu more are left out", files->skipped - SKIPPED_SAID);
    }
    if (files->broken && files->count > 1) { // one of one has been told
        cli_say("ledgergate: %zu file%s could not be read", files->broken,
                lg_plural(files->broken));
    }
}

void cli_files_write(const cli_files *files, cli_out *out)
{
    for (size_t i = 0; i < files->unread_count; i++) {
        const cli_unread *item = &files->unread[i];
        lg_json_writer w = {.out = &out->buf};
        lg_jw_begin_object(&w);
        lg_jw_key(&w, item->broken ? "broken_file" : "skipped_file");
        lg_jw_begin_object(&w);
        cli_write_position(&w, (lg_position){item->path, item->error.line, item->error.column});
        lg_jw_member_c(&w, "message", item->error.msg);
        lg_jw_end_object(&w);
        lg_jw_end_object(&w);
        lg_buf_add_c(&out->buf, "\n");
    }
}

void cli_files_write_counts(const cli_files *files, lg_json_writer *w)
{
    lg_jw_member_uint(w, "broken_files", files->broken);
    lg_jw_member_uint(w, "skipped_files", files->skipped);
}

int cli_files_code(const cli_files *files, int code)
{
    return files->code > code ? files->code : code;
}

// --- Listing ------------------------------------------------------------------------------------

static bool push(cli_files *files, lg_str path, bool found)
{
    const char **paths =
        lg_arena_grow(&files->arena, files->paths, files->count, &files->capacity, sizeof(*paths));
    bool *marks = lg_arena_grow(&files->arena, files->found, files->count, &files->found_capacity,
                                sizeof(*marks));
    lg_str copy = lg_arena_str(&files->arena, path);
    if (!paths || !marks || !copy.ptr) {
        return fail_oom(files);
    }
    files->paths = paths;
    files->found = marks;
    files->paths[files->count] = copy.ptr;
    files->found[files->count++] = found;
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool cli_list_folder(lg_arena *arena, lg_str folder, cli_listing *ret)
{
    *ret = (cli_listing){0};
    lg_str name = lg_arena_str(arena, folder);
    if (!name.ptr) {
        return false;
    }
    DIR *dir = opendir(name.ptr);
    if (!dir) {
        ret->failed = errno;
        return true;
    }
    bool ok = true;
    errno = 0;
    for (struct dirent *entry; ok && (entry = readdir(dir)); errno = 0) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        const char **paths =
            lg_arena_grow(arena, ret->paths, ret->count, &ret->capacity, sizeof(*paths));
        lg_str path = lg_arena_printf(arena, "%.*s/%s", LG_FMT(folder), entry->d_name);
        ok = paths && path.ptr;
        if (ok) {
            ret->paths = paths;
            ret->paths[ret->count++] = path.ptr;
        }
    }
    ret->failed = ok ? errno : 0;
    closedir(dir);
    if (ret->count > 1) {
        qsort(ret->paths, ret->count, sizeof(*ret->paths), by_name);
    }
    return ok;
}

static void break_folder(cli_files *files, const char *folder, const char *why)
{
    lg_error error;
    (void)lg_fail(&error, LG_ERR_IO, "cannot read %s: %s", folder, why);
    note_broken(files, folder, &error, LG_STR(""));
}

static bool is_wanted(const char *path, const char *const *endings)
{
    for (; *endings; endings++) {
        if (cli_has_ending(path, *endings)) {
            return true;
        }
    }
    return false;
}

// What is not a file of contents: why it is left out, or NULL. To open a pipe would wait for somebody to
// write into it; a link to a folder may lead back.
static const char *why_not(const char *path, const struct stat *itself)
{
    struct stat info = *itself;
    if (S_ISLNK(info.st_mode) && stat(path, &info) != 0) {
        return NULL; // a link to nothing is told when it is opened
    }
    return S_ISDIR(info.st_mode)    ? "a link to a folder is not followed; name it to have it read"
           : S_ISFIFO(info.st_mode) ? "a pipe"
           : S_ISSOCK(info.st_mode) ? "a socket"
           : S_ISREG(info.st_mode)  ? NULL
                                    : "a device";
}

static bool push_folder(cli_files *files, lg_str folder, const char *const *endings,
                        uint32_t depth);

static bool push_entry(cli_files *files, const char *path, const char *const *endings,
                       uint32_t depth)
{
    struct stat info;
    lg_error error;
    if (lstat(path, &info) != 0) {
        break_folder(files, path, strerror(errno));
        return true;
    }
    if (S_ISDIR(info.st_mode)) {
        return push_folder(files, lg_str_c(path), endings, depth + 1);
    }
    const char *why = why_not(path, &info);
    if (why) {
        (void)lg_fail(&error, LG_ERR_FORMAT, "%s", why);
        note_skipped(files, path, &error);
        return !files->oom;
    }
    return !is_wanted(path, endings) || push(files, lg_str_c(path), true);
}

// What cannot be listed is a broken file among others.
static bool push_folder(cli_files *files, lg_str folder, const char *const *endings, uint32_t depth)
{
    cli_listing inside;
    if (depth > FOLDER_DEPTH_MAX) {
        break_folder(files, folder.ptr, "folders are nested deeper than 32 levels");
        return !files->oom;
    }
    if (!cli_list_folder(&files->arena, folder, &inside)) {
        return fail_oom(files);
    }
    bool ok = true;
    for (size_t i = 0; ok && i < inside.count; i++) {
        ok = push_entry(files, inside.paths[i], endings, depth);
    }
    if (inside.failed) {
        break_folder(files, folder.ptr, strerror(inside.failed));
    }
    return ok && !files->oom;
}

bool cli_files_list(cli_files *files, char **paths, size_t count, const char *const *endings)
{
    *files = (cli_files){.code = EXIT_FINE};
    lg_arena_init(&files->arena, 0);
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++) {
        struct stat info;
        bool folder = stat(paths[i], &info) == 0 && S_ISDIR(info.st_mode);
        lg_str path = lg_str_c(paths[i]);
        while (folder && path.len > 1 && lg_str_ends(path, LG_STR("/"))) {
            path.len--;
        }
        path = lg_arena_str(&files->arena, path);
        ok = !path.ptr ? fail_oom(files)
             : folder  ? push_folder(files, path, endings, 0)
                       : push(files, path, false);
    }
    return ok;
}

void cli_files_close(cli_files *files)
{
    lg_arena_done(&files->arena);
}
