// input.c: opening packs.
#include "cli/files.h"

#include "base/file.h"

#include <stdio.h>
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
    a->status =
        lg_pack_load(a->name, cli_limits(), &a->pack, a->errors, PACK_ERRORS_MAX, &a->count);
    a->kept = a->count < PACK_ERRORS_MAX ? a->count : PACK_ERRORS_MAX;
}

static bool is_regular(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

lg_pack *cli_load_pack(const char *path, int *ret_code)
{
    pack_attempt a;
    try_pack(path, &a);
    if (a.status == LG_OK) {
        return a.pack;
    }
    lg_file file = {0}; // once more, to show the lines that have errors
    bool again = strcmp(a.name, "-") != 0 && is_regular(a.name); // others cannot be read twice
    if (!again || lg_file_read(a.name, cli_limits(), &file, NULL) != LG_OK) {
        file = (lg_file){{"", 0}, NULL};
    }
    for (size_t i = 0; i < a.kept; i++) {
        cli_say_error(&a.errors[i], file.text);
    }
    if (a.count > a.kept) {
        cli_say("... and %zu more", a.count - a.kept);
    }
    cli_say("%s: %zu error%s", a.name, a.count, lg_plural(a.count));
    lg_file_close(&file);
    *ret_code = cli_exit_code(a.status);
    return NULL;
}

static void write_problems(cli_out *out, const lg_error *errors, size_t kept, size_t count)
{
    lg_json_writer w = {.out = &out->buf};
    lg_jw_begin_object(&w);
    lg_jw_member_uint(&w, "errors", count);
    lg_jw_key(&w, "problems");
    lg_jw_begin_array(&w);
    for (size_t i = 0; i < kept; i++) {
        lg_jw_begin_object(&w);
        cli_write_position(&w, lg_error_position(&errors[i]));
        lg_jw_member_c(&w, "message", errors[i].msg);
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
    char inside[PACK_PATH_MAX];
    struct stat info;
    int length = snprintf(inside, sizeof(inside), "%s/pack.yaml", path);
    bool fits = length > 0 && (size_t)length < sizeof(inside);
    return (fits && stat(inside, &info) == 0) || cli_has_ending(path, ".yaml") ||
           cli_has_ending(path, ".yml");
}
