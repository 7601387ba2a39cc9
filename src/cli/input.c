// input.c: opening packs and recorded conversations.
#include "cli/cli.h"

#include "base/alloc.h"
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define PACK_ERRORS_MAX 50u

#define PACK_PATH_MAX 4096u

// The file of a pack that is named by its folder, so that errors say where they are.
static void pack_file(const char *path, char out[PACK_PATH_MAX])
{
    struct stat info;
    bool folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    bool slash = lg_str_ends(lg_str_c(path), LG_STR("/"));
    snprintf(out, PACK_PATH_MAX, "%s%s%s", path, folder && !slash ? "/" : "",
             folder ? "pack.yaml" : "");
}

// What loading a pack gave.
typedef struct pack_attempt {
    char name[PACK_PATH_MAX];
    lg_pack *pack; // NULL: see below
    lg_status status;
    lg_error errors[PACK_ERRORS_MAX];
    size_t kept;  // of the errors
    size_t count; // of all there were
} pack_attempt;

static void try_pack(const char *path, pack_attempt *a)
{
    *a = (pack_attempt){0};
    pack_file(path, a->name);
    a->status = lg_pack_load(a->name, NULL, &a->pack, a->errors, PACK_ERRORS_MAX, &a->count);
    a->kept = a->count < PACK_ERRORS_MAX ? a->count : PACK_ERRORS_MAX;
}

lg_pack *cli_load_pack(const char *path, int *ret_code)
{
    pack_attempt a;
    try_pack(path, &a);
    if (a.status == LG_OK) {
        return a.pack;
    }
    lg_file file = {0}; // once more, to show the lines that have errors
    if (lg_file_open(a.name, lg_limits_resolve(NULL).json_bytes, &file, NULL) != LG_OK) {
        file = (lg_file){{"", 0}, NULL};
    }
    for (size_t i = 0; i < a.kept; i++) {
        cli_say_error(&a.errors[i], file.text);
    }
    if (a.count > a.kept) {
        fprintf(stderr, "... and %zu more\n", a.count - a.kept);
    }
    fprintf(stderr, "%s: %zu error%s\n", a.name, a.count, a.count == 1 ? "" : "s");
    lg_file_close(&file);
    *ret_code = cli_exit_code(a.status);
    return NULL;
}

static void write_problems(cli_out *out, const lg_error *errors, size_t kept, size_t count)
{
    lg_json_writer w = {.out = &out->buf};
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "errors");
    lg_jw_uint(&w, count);
    lg_jw_key(&w, "problems");
    lg_jw_begin_array(&w);
    for (size_t i = 0; i < kept; i++) {
        lg_jw_begin_object(&w);
        cli_write_position(&w, lg_error_position(&errors[i]));
        lg_jw_key(&w, "message");
        lg_jw_c(&w, errors[i].msg);
        lg_jw_end_object(&w);
    }
    lg_jw_end_array(&w);
    lg_jw_end_object(&w);
    lg_buf_add_c(&out->buf, "\n");
}

lg_pack *cli_load_pack_json(const char *path, int *ret_code)
{
    pack_attempt a;
    try_pack(path, &a);
    if (a.status == LG_OK) {
        return a.pack;
    }
    cli_out out;
    cli_out_init(&out, true);
    write_problems(&out, a.errors, a.kept, a.count);
    *ret_code = cli_out_done(&out, cli_exit_code(a.status));
    return NULL;
}

bool cli_looks_like_pack(const char *path)
{
    char inside[4096];
    struct stat info;
    lg_str name = lg_str_c(path);
    snprintf(inside, sizeof(inside), "%s/pack.yaml", path);
    return stat(inside, &info) == 0 || lg_str_ends(name, LG_STR(".yaml")) ||
           lg_str_ends(name, LG_STR(".yml"));
}

// --- Traces -------------------------------------------------------------------------------------

typedef struct path_list {
    lg_arena arena;
    const char **paths;
    bool *found; // in a folder, not named
    size_t count;
    size_t capacity;
    size_t found_capacity;
    int code; // once something failed
} path_list;

static bool fail_oom(path_list *list)
{
    fprintf(stderr, "ledgergate: out of memory\n");
    list->code = EXIT_INTERNAL;
    return false;
}

// Says why a folder cannot be read.
static bool fail_folder(path_list *list, const char *folder, const char *why)
{
    fprintf(stderr, "ledgergate: cannot read %s: %s\n", folder, why);
    list->code = EXIT_USAGE;
    return false;
}

static bool push_path(path_list *list, lg_str path, bool found)
{
    const char **paths =
        lg_arena_grow(&list->arena, list->paths, list->count, &list->capacity, sizeof(*paths));
    bool *marks = lg_arena_grow(&list->arena, list->found, list->count, &list->found_capacity,
                                sizeof(*marks));
    lg_str copy = lg_arena_str(&list->arena, path);
    if (!paths || !marks || !copy.ptr) {
        return fail_oom(list);
    }
    list->paths = paths;
    list->found = marks;
    list->paths[list->count] = copy.ptr;
    list->found[list->count++] = found;
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

#define FOLDER_DEPTH_MAX 32u

// The paths of what is in `folder`, in the order of their names; false when out of memory.
static bool list_folder(lg_arena *arena, lg_str folder, DIR *dir, const char ***ret_names,
                        size_t *ret_count)
{
    const char **names = NULL;
    size_t count = 0;
    size_t capacity = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        names = lg_arena_grow(arena, names, count, &capacity, sizeof(*names));
        lg_str path = lg_arena_printf(arena, "%.*s/%s", LG_FMT(folder), entry->d_name);
        if (!names || !path.ptr) {
            return false;
        }
        names[count++] = path.ptr;
    }
    if (count > 1) {
        qsort(names, count, sizeof(*names), by_name);
    }
    *ret_names = names;
    *ret_count = count;
    return true;
}

// Is `path`, found in a folder, a folder itself? A link to one is not: it may lead back.
static bool is_inner_folder(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

// Adds the .json and .jsonl files of a folder and of those in it, in the order of their names. Says
// why if it cannot.
static bool push_folder(path_list *list, lg_str folder, uint32_t depth)
{
    if (depth > FOLDER_DEPTH_MAX) {
        return fail_folder(list, folder.ptr, "folders are nested deeper than 32 levels");
    }
    DIR *dir = opendir(folder.ptr);
    if (!dir) {
        return fail_folder(list, folder.ptr, strerror(errno));
    }
    const char **names = NULL;
    size_t count = 0;
    bool ok = list_folder(&list->arena, folder, dir, &names, &count);
    closedir(dir);
    if (!ok) {
        return fail_oom(list);
    }
    for (size_t i = 0; ok && i < count; i++) {
        lg_str path = lg_str_c(names[i]);
        if (is_inner_folder(names[i])) {
            ok = push_folder(list, path, depth + 1);
        } else if (lg_str_ends(path, LG_STR(".json")) || lg_str_ends(path, LG_STR(".jsonl"))) {
            ok = push_path(list, path, true);
        }
    }
    return ok;
}

static int open_all(const path_list *list, const lg_trace_options *options, cli_traces *ret)
{
    ret->sets = lg_zalloc((list->count + 1) * sizeof(*ret->sets));
    if (!ret->sets) {
        fprintf(stderr, "ledgergate: out of memory\n");
        return EXIT_INTERNAL;
    }
    for (size_t i = 0; i < list->count; i++) {
        cli_progress("reading file", i + 1, list->count);
        lg_error error;
        lg_status status = lg_trace_open(list->paths[i], options, &ret->sets[ret->count], &error);
        if (status == LG_ERR_FORMAT && list->found[i]) {
            ret->skipped++;
            continue;
        }
        if (status != LG_OK) {
            cli_progress("", 0, 0);
            bool standard_input = strcmp(list->paths[i], "-") == 0;
            error.file = standard_input ? "standard input" : list->paths[i];
            cli_say_error(&error, LG_STR(""));
            return cli_exit_code(status);
        }
        ret->traces += ret->sets[ret->count++]->count;
    }
    cli_progress("", 0, 0);
    return EXIT_FINE;
}

static int unknown_format(const char *format)
{
    fprintf(stderr, "ledgergate: no format is called `%s`; there are", format);
    for (lg_trace_format f = LG_TRACE_GOLD; f <= LG_TRACE_VSCODE; f++) {
        fprintf(stderr, "%s %s", f == LG_TRACE_GOLD ? "" : ",", lg_trace_format_name(f));
    }
    fprintf(stderr, "\n");
    return EXIT_USAGE;
}

int cli_open_traces(char **paths, size_t count, const char *format, cli_traces *ret)
{
    lg_trace_options options = {0};
    if (format && !lg_trace_format_parse(lg_str_c(format), &options.format)) {
        return unknown_format(format);
    }
    *ret = (cli_traces){0};
    path_list list = {0};
    lg_arena_init(&list.arena, 0);
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++) {
        struct stat info;
        bool folder = stat(paths[i], &info) == 0 && S_ISDIR(info.st_mode);
        lg_str path = lg_str_c(paths[i]);
        while (folder && path.len > 1 && lg_str_ends(path, LG_STR("/"))) {
            path.len--;
        }
        path = lg_arena_str(&list.arena, path);
        ok = path.ptr ? (folder ? push_folder(&list, path, 0) : push_path(&list, path, false))
                      : fail_oom(&list);
    }
    int code = ok ? open_all(&list, &options, ret) : list.code;
    lg_arena_done(&list.arena);
    if (code == EXIT_FINE && ret->traces == 0) {
        fprintf(stderr,
                "ledgergate: there is no conversation in %s%s; give recordings, or folders "
                "with .json or .jsonl files of them\n",
                paths[0], count > 1 ? " and the others" : "");
        code = EXIT_USAGE;
    }
    if (code != EXIT_FINE) {
        cli_close_traces(ret);
    }
    return code;
}

void cli_close_traces(cli_traces *traces)
{
    for (size_t i = 0; i < traces->count; i++) {
        lg_trace_close(traces->sets[i]);
    }
    lg_free(traces->sets);
    *traces = (cli_traces){0};
}
