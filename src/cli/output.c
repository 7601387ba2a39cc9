// output.c: standard output and standard error.
#include "cli/cli.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FLUSH_AT_BYTES ((size_t)64 << 10)

void cli_out_init(cli_out *out, bool is_data)
{
    *out = (cli_out){.colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR"), .is_data = is_data};
    lg_buf_init(&out->buf, 0);
}

// --- Text of strangers --------------------------------------------------------------------------

// Puts what `clean` holds in place of what was added since the last time.
static void take_clean(cli_out *out, lg_buf *clean)
{
    if (lg_buf_status(&out->buf) != LG_OK || lg_buf_status(clean) != LG_OK) {
        out->failed = true;
    } else {
        out->buf.len = out->printable;
        lg_buf_add(&out->buf, lg_buf_str(clean));
    }
    out->printable = out->buf.len;
    lg_buf_done(clean);
}

static void make_json_safe(cli_out *out)
{
    lg_buf clean;
    lg_buf_init(&clean, 0);
    lg_json_add_safe(&clean, lg_buf_str(&out->buf));
    out->printable = 0;
    take_clean(out, &clean);
}

// What was added since the last time, fit for a terminal: line ends are the only controls.
static void make_printable(cli_out *out)
{
    lg_buf clean;
    lg_buf_init(&clean, 0);
    size_t from = out->printable < out->buf.len ? out->printable : out->buf.len;
    lg_str text = lg_str_slice(lg_buf_str(&out->buf), from, out->buf.len);
    for (size_t at = 0; at < text.len;) {
        size_t end = lg_str_line_end(text, at);
        lg_utf8_add_printable(&clean, lg_str_slice(text, at, end));
        lg_buf_add_c(&clean, end < text.len ? "\n" : "");
        at = end + 1;
    }
    out->printable = from;
    take_clean(out, &clean);
}

void cli_add_text(cli_out *out, lg_str text)
{
    lg_utf8_add_printable(&out->buf, text);
}

void cli_add_cut(cli_out *out, lg_str text, size_t most)
{
    lg_str cut = lg_str_cut(text, most);
    cli_add_text(out, cut);
    lg_buf_add_c(&out->buf, cut.len < text.len ? "..." : "");
}

// --- Standard output ----------------------------------------------------------------------------

void cli_out_flush(cli_out *out)
{
    (out->is_data ? make_json_safe : make_printable)(out);
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
    out->printable = 0;
}

void cli_out_flush_some(cli_out *out)
{
    if (out->buf.len >= FLUSH_AT_BYTES || lg_buf_status(&out->buf) != LG_OK) {
        cli_out_flush(out);
    }
}

void cli_out_move(cli_out *to, cli_out *from)
{
    make_printable(to);
    make_printable(from);
    lg_buf_add(&to->buf, lg_buf_str(&from->buf));
    to->printable = to->buf.len;
    to->failed = to->failed || from->failed;
    lg_buf_clear(&from->buf);
    from->printable = 0;
}

void cli_out_drop(cli_out *out)
{
    lg_buf_done(&out->buf);
}

int cli_out_done(cli_out *out, int code)
{
    cli_out_flush(out);
    lg_buf_done(&out->buf);
    if (out->failed) {
        cli_say("ledgergate: the output could not be written in full");
        return EXIT_INTERNAL;
    }
    return code;
}

void cli_colour(cli_out *out, const char *code)
{
    if (out->colour) {
        make_printable(out);
        lg_buf_addf(&out->buf, "\033[%sm", code);
        out->printable = out->buf.len;
    }
}

void cli_pad(cli_out *out, lg_str text, size_t width)
{
    size_t before = out->buf.len;
    cli_add_text(out, text);
    size_t shown = lg_utf8_count(lg_str_slice(lg_buf_str(&out->buf), before, out->buf.len));
    if (shown < width) {
        lg_buf_add_repeat(&out->buf, ' ', width - shown);
    }
}

int cli_print_help(const char *text)
{
    cli_out out;
    cli_out_init(&out, false);
    lg_buf_add_c(&out.buf, text);
    return cli_out_done(&out, EXIT_FINE);
}

// --- JSON ---------------------------------------------------------------------------------------

void cli_add_json(cli_out *out, const lg_json *value, size_t most)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    if (value) {
        lg_json_print(&text, value);
    } else {
        lg_buf_add_c(&text, "(absent)");
    }
    cli_add_cut(out, lg_buf_str(&text), most);
    lg_buf_done(&text);
}

void cli_write_position(lg_json_writer *w, lg_position at)
{
    lg_jw_member_c(w, "file", at.file ? at.file : "");
    lg_jw_member_uint(w, "line", at.line);
    lg_jw_member_uint(w, "column", at.column);
}

// --- Errors -------------------------------------------------------------------------------------

LG_PRINTF(2, 0) static void say(const char *prefix, const char *format, va_list args)
{
    va_list again;
    lg_buf text;
    lg_buf shown;
    lg_buf_init(&text, 0);
    lg_buf_init(&shown, 0);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *room = length >= 0 ? lg_buf_room(&text, (size_t)length + 1) : NULL;
    if (room) {
        vsnprintf(room, (size_t)length + 1, format, again);
        lg_utf8_add_printable(&shown, lg_str_of(room, (size_t)length));
    }
    va_end(again);
    fprintf(stderr, "%s%.*s\n", prefix, LG_FMT(lg_buf_str(&shown)));
    lg_buf_done(&text);
    lg_buf_done(&shown);
}

void cli_say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("", format, args);
    va_end(args);
}

#define SOURCE_COLUMNS 100u // of a long line, this much is shown around the column

static lg_str line_of(lg_str source, uint32_t line)
{
    size_t at = 0;
    for (; line > 1; line--) {
        size_t end = lg_str_find(lg_str_slice(source, at, source.len), LG_STR("\n"));
        if (end == SIZE_MAX) {
            return LG_STR("");
        }
        at += end + 1;
    }
    source = lg_str_slice(source, at, source.len);
    source = lg_str_slice(source, 0, lg_str_find(source, LG_STR("\n")));
    return lg_str_ends(source, LG_STR("\r")) ? lg_str_slice(source, 0, source.len - 1) : source;
}

static size_t skip_columns(lg_str text, size_t at, uint32_t count)
{
    for (; count > 0 && at < text.len; count--) {
        lg_utf8_next(text, &at);
    }
    return at;
}

// The line with a caret below. What is shown has one column for each code point and each bad byte,
// so the caret stands right.
static void say_source(lg_str source, uint32_t line, uint32_t column)
{
    lg_buf shown;
    lg_buf_init(&shown, 0);
    lg_utf8_add_printable(&shown, line_of(source, line));
    lg_str text = lg_buf_str(&shown);
    bool windowed = column > SOURCE_COLUMNS / 2 && lg_utf8_count(text) > SOURCE_COLUMNS;
    uint32_t skipped = windowed ? column - SOURCE_COLUMNS / 2 : 0;
    size_t from = skip_columns(text, 0, skipped);
    size_t to = skip_columns(text, from, SOURCE_COLUMNS);
    if (lg_buf_status(&shown) == LG_OK && lg_str_trim(text).len) {
        fprintf(stderr, "%s%.*s%s\n", skipped ? "..." : "", LG_FMT(lg_str_slice(text, from, to)),
                to < text.len ? "..." : "");
        fprintf(stderr, "%*s^\n", (int)(column - skipped - 1 + (skipped ? 3 : 0)), "");
    }
    lg_buf_done(&shown);
}

void cli_say_error(const lg_error *error, lg_str source)
{
    // What could not be opened is named in the message already.
    lg_error shown; // what may be shown of the name, as the message has it
    (void)lg_fail(&shown, error->status, "%s", error->file ? error->file : "");
    bool named = !error->line && strstr(error->msg, shown.msg) != NULL;
    const char *file = shown.msg[0] && !named ? error->file : "ledgergate";
    if (error->line) {
        cli_say("%s:%u:%u: %s", file, error->line, error->column, error->msg);
    } else {
        cli_say("%s: %s", file, error->msg);
    }
    if (error->line && error->column && source.len) {
        say_source(source, error->line, error->column);
    }
}

int cli_usage(const char *verb, const char *format, ...)
{
    va_list args;
    char prefix[64];
    (void)snprintf(prefix, sizeof(prefix), "ledgergate %s: ", verb);
    va_start(args, format);
    say(prefix, format, args);
    va_end(args);
    cli_say("`ledgergate %s --help` tells how to use it", verb);
    return EXIT_USAGE;
}

bool cli_out_of_memory(int *ret_code)
{
    cli_say("ledgergate: out of memory");
    *ret_code = EXIT_INTERNAL;
    return false;
}

int cli_exit_code(lg_status status)
{
    switch (status) {
    case LG_OK:
        return EXIT_FINE;
    case LG_ERR_OOM:
    case LG_ERR_BUSY:
    case LG_ERR_INTERNAL:
    case LG_ERR_ENVIRONMENT:
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
    lg_buf shown;
    lg_buf_init(&shown, 0);
    lg_utf8_add_printable(&shown, lg_str_c(what));
    if (total) {
        fprintf(stderr, "\r\033[K%.*s %zu of %zu ", LG_FMT(lg_buf_str(&shown)), done, total);
    } else {
        fprintf(stderr, "\r\033[K");
    }
    lg_buf_done(&shown);
}
