// page.c: an HTML page of artefacts: page OUT.html TITLE [BEFORE.jsonl [EMBED_BYTES]] < ARTEFACTS.jsonl
//
// What the command writes with an audit, of any artefacts: tests make them up. BEFORE.jsonl holds audits of an earlier run;
// `-` is none.
#include "page/page.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const lg_error *err)
{
    fprintf(stderr, "page: %s\n", err->msg);
    return 3;
}

static lg_status add_line(lg_page *page, lg_str line, bool before, size_t number, lg_error *err)
{
    char path[64];
    if (line.len == 0) {
        return LG_OK;
    }
    snprintf(path, sizeof(path), "conversations/%zu.json", number);
    return before ? lg_page_add_before(page, line, err)
                  : lg_page_add(page, line, lg_str_c(path), err);
}

static lg_status add_file(lg_page *page, const char *path, bool before, lg_error *err)
{
    lg_file file;
    lg_status status = lg_file_open(path, (size_t)4 << 30, &file, err);
    size_t number = 0;
    if (status != LG_OK) {
        return status;
    }
    for (size_t at = 0; at < file.text.len && status == LG_OK;) {
        size_t end = lg_str_line_end(file.text, at);
        status = add_line(page, lg_str_slice(file.text, at, end), before, number++, err);
        at = end + 1;
    }
    lg_file_close(&file);
    return status;
}

int main(int argc, char **argv)
{
    lg_error err = {0};
    lg_page *page;
    if (argc < 3) {
        fprintf(stderr,
                "usage: page OUT.html TITLE [BEFORE.jsonl [EMBED_BYTES]] < ARTEFACTS.jsonl\n");
        return 2;
    }
    lg_page_options options = {.path = argv[1], .title = argv[2]};
    options.embed_bytes = argc > 4 ? (size_t)strtoull(argv[4], NULL, 10) : 0;
    if (lg_page_begin(&options, &page, &err) != LG_OK) {
        return fail(&err);
    }
    lg_status status = LG_OK;
    if (argc > 3 && strcmp(argv[3], "-") != 0) {
        status = add_file(page, argv[3], true, &err);
    }
    status = status == LG_OK ? add_file(page, "-", false, &err) : status;
    if (status != LG_OK) {
        lg_page_drop(page);
        return fail(&err);
    }
    return lg_page_end(page, LG_STR(""), &err) == LG_OK ? 0 : fail(&err);
}
