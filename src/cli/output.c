// output.c: standard output and standard error.
#include "cli/cli.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FLUSH_AT_BYTES ((size_t)64 << 10)

void cli_out_init(cli_out *out)
{
    *out = (cli_out){.colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR")};
    lg_buf_init(&out->buf, 0);
}

static void write_all(cli_out *out)
{
    lg_str text = lg_buf_str(&out->buf);
    out->failed = out->failed || lg_buf_status(&out->buf) != LG_OK;
    while (text.len > 0 && !out->failed) {
        ssize_t put = write(STDOUT_FILENO, text.ptr, text.len);
        if (put < 0 && errno != EINTR) {
            out->failed = true;
        } else if (put > 0) {
            text = lg_str_slice(text, (size_t)put, text.len);
        }
    }
    lg_buf_clear(&out->buf);
}

void cli_out_flush_some(cli_out *out)
{
    if (out->buf.len >= FLUSH_AT_BYTES || lg_buf_status(&out->buf) != LG_OK) {
        write_all(out);
    }
}

int cli_out_done(cli_out *out, int code)
{
    write_all(out);
    lg_buf_done(&out->buf);
    if (out->failed) {
        fprintf(stderr, "ledgergate: the output could not be written in full\n");
        return EXIT_INTERNAL;
    }
    return code;
}

void cli_colour(cli_out *out, const char *code)
{
    if (out->colour) {
        lg_buf_addf(&out->buf, "\033[%sm", code);
    }
}

void cli_pad(cli_out *out, lg_str text, size_t width)
{
    size_t shown = lg_utf8_count(text);
    lg_buf_add(&out->buf, text);
    if (shown < width) {
        lg_buf_add_repeat(&out->buf, ' ', width - shown);
    }
}

void cli_say_error(const lg_error *error, lg_str source)
{
    fprintf(stderr, "%s", error->file ? error->file : "ledgergate");
    if (error->line) {
        fprintf(stderr, ":%u:%u", error->line, error->column);
    }
    fprintf(stderr, ": %s\n", error->msg);
    if (error->line && source.len) {
        lg_buf caret;
        lg_buf_init(&caret, 0);
        lg_cel_caret(&caret, source, error->line, error->column);
        lg_str text = lg_str_trim(lg_buf_str(&caret));
        if (text.len) {
            fprintf(stderr, "%.*s\n", LG_FMT(lg_buf_str(&caret)));
        }
        lg_buf_done(&caret);
    }
}

int cli_usage(const char *verb, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "ledgergate %s: ", verb);
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n`ledgergate %s --help` tells how to use it\n", verb);
    va_end(args);
    return EXIT_USAGE;
}

int cli_exit_code(lg_status status)
{
    switch (status) {
    case LG_OK:
        return EXIT_FINE;
    case LG_ERR_OOM:
    case LG_ERR_INTERNAL:
        return EXIT_INTERNAL;
    case LG_ERR_LIMIT:
    case LG_ERR_IO:
    case LG_ERR_PARSE:
    case LG_ERR_TYPE:
    case LG_ERR_NAME:
    case LG_ERR_MISSING:
    case LG_ERR_FORMAT:
    case LG_ERR_USAGE:
        return EXIT_USAGE;
    }
    return EXIT_INTERNAL;
}

void cli_progress(const char *what, size_t done, size_t total)
{
    if (!isatty(STDERR_FILENO)) {
        return;
    }
    if (total) {
        fprintf(stderr, "\r%s %zu of %zu ", what, done, total);
    } else {
        fprintf(stderr, "\r\033[K");
    }
}
