// values.h: files of JSON values: one, or one a line; YAML where the name says so.
#ifndef LG_CLI_VALUES_H
#define LG_CLI_VALUES_H

#include "cli/files.h"

#include "base/file.h"

// A file and all its values. Positions are asked for in any order, and are cheap in the order of
// the file: the place of the last question is kept.
typedef struct cli_values {
    const char *path;
    lg_file file;
    lg_arena arena;
    const lg_json **items;
    size_t count;
    size_t offset; // of the last question, with its line and column
    uint32_t line;
    uint32_t column;
} cli_values;

// Reads a file that holds one JSON value, or YAML if its name ends in .yaml or .yml. False after
// saying what is wrong; `*ret_code` is then the exit code. cli_values_close() in either case.
bool cli_values_open_one(const char *path, cli_values *ret, int *ret_code);

// The same; a file whose first line is a value of its own may also hold one value a line.
bool cli_values_open(const char *path, cli_values *ret, int *ret_code);

// The same without a word. cli_values_close() in either case.
LG_NODISCARD lg_status cli_values_read(const char *path, cli_values *ret, lg_error *reterr);

// Reads the file alone and parses nothing; `items` stays empty. cli_values_close() in either case.
LG_NODISCARD lg_status cli_values_read_text(const char *path, cli_values *ret, lg_error *reterr);

void cli_values_close(cli_values *values);

// The place of byte `offset`; line 0 for LG_JSON_NO_OFFSET.
lg_position cli_values_position(cli_values *values, uint32_t offset);

#endif
