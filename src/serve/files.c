// files.c: what a configuration names beside its packs: is it there, and can it be used?
#include "serve/files.h"

#include "base/str.h"
#include "net/certificate.h"
#include "pack/yaml.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

lg_position files_place(const lg_serve_config *c, const lg_serve_host *host, const char *key)
{
    lg_arena arena;
    const lg_json *root;
    uint32_t offset = 0;
    lg_arena_init(&arena, 0);
    if (lg_yaml_parse(&arena, c->text, c->file.ptr, host->limits, &root, NULL) == LG_OK) {
        for (size_t i = 0; i < lg_json_len(root); i++) {
            const lg_json_member *m = lg_json_member_at(root, i);
            offset = lg_str_eq(lg_json_key(m), lg_str_c(key)) ? m->key_offset : offset;
        }
    }
    lg_arena_done(&arena);
    lg_position at = lg_text_position(c->text, offset);
    at.file = c->file.ptr;
    return at;
}

typedef struct looking {
    const lg_serve_config *config;
    const lg_serve_host *host;
    lg_serve_problems *problems;
} looking;

static void wrong(const looking *l, const char *key, lg_status status, const char *why)
{
    lg_error err;
    (void)lg_fail_at(&err, status, files_place(l->config, l->host, key), "`%s`: %s", key, why);
    (void)lg_serve_problem_add(l->problems, &err, l->config->text);
}

// Is it a database, or to become one? What nobody may read is told when it is opened.
static bool may_be_log(const char *path)
{
    static const char magic[] = "SQLite format 3"; // with its NUL
    char begin[sizeof(magic)];
    FILE *file = fopen(path, "rb");
    size_t len = file ? fread(begin, 1, sizeof(begin), file) : 0;
    if (file) {
        fclose(file);
    }
    return len == 0 || (len == sizeof(magic) && memcmp(begin, magic, sizeof(magic)) == 0);
}

// A file that is made where it is missing: its folder has to be there.
static void look_at_place(const looking *l, const char *key, lg_str path)
{
    struct stat info;
    lg_error err;
    size_t end = path.len;
    while (end && path.ptr[end - 1] != '/') {
        end--;
    }
    lg_str folder = end > 1 ? lg_str_slice(path, 0, end - 1) : lg_str_slice(path, 0, end);
    if (!path.len) {
        return;
    }
    if (stat(path.ptr, &info) == 0) {
        if (!S_ISREG(info.st_mode)) {
            (void)lg_fail(&err, LG_ERR_IO, "%.*s is no file", LG_FMT(path));
            wrong(l, key, LG_ERR_IO, err.msg);
        } else if (strcmp(key, "store") == 0 && !may_be_log(path.ptr)) {
            (void)lg_fail(&err, LG_ERR_FORMAT, "%.*s is no log of LedgerGate: name a new file",
                          LG_FMT(path));
            wrong(l, key, LG_ERR_FORMAT, err.msg);
        }
        return;
    }
    lg_str name = lg_arena_printf(&l->problems->arena, "%.*s", LG_FMT(folder));
    if (folder.len && (!name.ptr || stat(name.ptr, &info) != 0 || !S_ISDIR(info.st_mode))) {
        (void)lg_fail(&err, LG_ERR_IO, "there is no folder %.*s", LG_FMT(folder));
        wrong(l, key, LG_ERR_IO, err.msg);
    }
}

static void look_at_file(const looking *l, const char *key, lg_str path)
{
    lg_error err;
    if (path.len && access(path.ptr, R_OK) != 0) {
        (void)lg_fail(&err, LG_ERR_IO, "%.*s cannot be read", LG_FMT(path));
        wrong(l, key, LG_ERR_IO, err.msg);
    }
}

void files_check(const lg_serve_config *config, const lg_serve_host *host,
                 lg_serve_problems *problems)
{
    looking l = {config, host, problems};
    lg_certificate found;
    lg_error err;
    look_at_place(&l, "store", config->store);
    look_at_place(&l, "store_key", config->store_key);
    look_at_file(&l, "client", config->ca_file);
    if (config->tls_cert.len && config->tls_key.len &&
        lg_certificate_read(config->tls_cert.ptr, config->tls_key.ptr, &found, &err) != LG_OK) {
        wrong(&l, "tls", err.status, err.msg);
    }
}
