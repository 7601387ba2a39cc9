// cli.h: what the verbs share: options, output, files.
//
// The only room that prints and exits. A verb is a function from its arguments to an exit code:
// 0 fine, 1 findings, 2 usage or bad input, 3 internal or environment.
#ifndef LG_CLI_H
#define LG_CLI_H

#include "base/buf.h"
#include "base/str.h"
#include "gate/gate.h"
#include "trace/trace.h"
#include "json/writer.h"

enum { EXIT_FINE = 0, EXIT_FINDINGS = 1, EXIT_USAGE = 2, EXIT_INTERNAL = 3 };

// --- Verbs --------------------------------------------------------------------------------------

int cli_check(int argc, char **argv);
int cli_show(int argc, char **argv);
int cli_replay(int argc, char **argv);
int cli_audit(int argc, char **argv);
int cli_extract(int argc, char **argv);
int cli_convert(int argc, char **argv);
int cli_apply(int argc, char **argv);
int cli_prove(int argc, char **argv);
int cli_refine(int argc, char **argv);
int cli_tools(int argc, char **argv);
int cli_validate(int argc, char **argv);
int cli_cel(int argc, char **argv);
int cli_log(int argc, char **argv);
int cli_serve(int argc, char **argv);
int cli_doctor(int argc, char **argv);
int cli_stats(int argc, char **argv);
int cli_simulate(int argc, char **argv);

// --- Options (options.c) ------------------------------------------------------------------------

typedef struct cli_option {
    const char *name;   // "--pack"
    const char **value; // set to the argument that follows it (or that stands behind `=`)
    bool *flag;         // or: set to true
} cli_option;

// Sorts `argv` into options and operands; `*ret_operands` points at the operands, which are moved
// to the front of `argv`. Returns EXIT_FINE, or EXIT_USAGE after saying what is wrong. `--` ends
// the options.
int cli_parse(const char *verb, int argc, char **argv, const cli_option *options, size_t count,
              size_t *ret_operands);

#define CLI_LIST_MAX 64u

// An option that may be given several times: its values in their order.
typedef struct cli_list {
    const char *name;
    const char *items[CLI_LIST_MAX];
    size_t count;
} cli_list;

// The same, with such an option. Without it `list` is NULL.
int cli_parse_list(const char *verb, int argc, char **argv, const cli_option *options, size_t count,
                   cli_list *list, size_t *ret_operands);

// The limits of everything that is read: the defaults, but for the sizes of files and streams where
// `--max-bytes N` was among the options. Every verb takes it.
const lg_limits *cli_limits(void);

// Was --help or -h asked for? Then the verb prints its help and returns what cli_print_help does.
bool cli_wants_help(int argc, char **argv);
int cli_print_help(const char *text); // EXIT_FINE, or EXIT_INTERNAL if it could not be written

// --- Output (output.c) --------------------------------------------------------------------------

// Standard output as a buffer that is flushed when it is large and at the end.
typedef struct cli_out {
    lg_buf buf;
    size_t printable; // up to here `buf` holds nothing that a terminal obeys but our colours
    bool colour;      // a terminal, and NO_COLOR is not set
    bool
        is_data; // JSON: what a terminal would obey is escaped, what is no UTF-8 \ufffd. Else control
                 // characters become `?`
    bool failed; // writing failed: the disk is full, or the reader is gone
} cli_out;

void cli_out_init(cli_out *out, bool is_data);
void cli_out_flush(cli_out *out);
void cli_out_flush_some(cli_out *out); // if there is much of it

// Moves what `from` holds to the end of `to`, which is for people like it, and leaves `from` empty. One that was
// only moved from ends with cli_out_drop().
void cli_out_move(cli_out *to, cli_out *from);
void cli_out_drop(cli_out *out);

// Flushes and releases; returns `code`, or EXIT_INTERNAL after saying that writing failed.
int cli_out_done(cli_out *out, int code);

// Appends the escape sequence if colours are on: "1" bold, "2" faint, "31" red, "33" yellow, "0".
void cli_colour(cli_out *out, const char *code);

// Appends `text` as cli_add_text() does, padded with blanks to `width` code points.
void cli_pad(cli_out *out, lg_str text, size_t width);

// Appends `text` as a part of one line: tabs and line ends become blanks; what could command a
// terminal, or is no UTF-8, becomes `?`.
void cli_add_text(cli_out *out, lg_str text);

// The same, cut after `most` bytes, with "..." where something is left out.
void cli_add_cut(cli_out *out, lg_str text, size_t most);

// Appends a JSON value as a part of one line, cut after `most` bytes; NULL is "(absent)".
void cli_add_json(cli_out *out, const lg_json *value, size_t most);

// Writes the members `file`, `line` and `column` of the object that was begun.
void cli_write_position(lg_json_writer *w, lg_position at);

// Says one line on standard error, without a line end of its own. Whatever bytes the names in it have, it
// is one line and commands no terminal.
LG_PRINTF(1, 2) void cli_say(const char *format, ...);

// Says `file:line:column: message` on standard error, and the line (or the part of it around the
// column) with a caret if `source` (the file's text; may be empty) has it.
void cli_say_error(const lg_error *error, lg_str source);

// "ledgergate VERB: ..." on standard error; returns EXIT_USAGE.
LG_PRINTF(2, 3) int cli_usage(const char *verb, const char *format, ...);

// False after saying that memory ran out.
bool cli_out_of_memory(int *ret_code);

// Exit code for a status: EXIT_USAGE for bad input, EXIT_INTERNAL for the rest.
int cli_exit_code(lg_status status);

// A progress line on standard error if that is a terminal; `total` 0 ends it. `what` may be anyone's
// text.
void cli_progress(const char *what, size_t done, size_t total);

// --- What rooms below do not ask for themselves (options.c) ---------------------------------------

lg_time cli_now(void); // the wall clock
const char *cli_environment(const char *name);

// --- Packs (input.c) ----------------------------------------------------------------------------

// Loads a pack, or says all its errors and sets `*ret_code`; then NULL.
lg_pack *cli_load_pack(const char *path, int *ret_code);

// The same; errors go to standard output as one JSON line {"errors": n, "problems": [...]}.
lg_pack *cli_load_pack_json(const char *path, int *ret_code);

// Is `path` a pack: a folder with pack.yaml in it, or a file whose name ends in .yaml or .yml?
bool cli_looks_like_pack(const char *path);

#endif
