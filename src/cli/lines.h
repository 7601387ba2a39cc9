// lines.h: a file line by line, in the memory of its longest line.
#ifndef LG_CLI_LINES_H
#define LG_CLI_LINES_H

#include "cli/cli.h"

typedef struct cli_lines {
    const char *name; // for people
    uint32_t number;  // of the line that came last, from 1
    // Private.
    int fd;
    char *memory;
    size_t from, len, capacity; // what was read and not yet given stands at `from`
    size_t limit_bytes;
    bool ended;
} cli_lines;

// "-" is standard input. Fails with LG_ERR_IO. cli_lines_close() in either case.
LG_NODISCARD lg_status cli_lines_open(cli_lines *lines, const char *path, lg_error *reterr);

// The next line without its line end; the last one needs none. It lives until the next call. LG_OK with `*ret_more`
// false: there is none. LG_ERR_LIMIT: a line is longer than `--max-bytes` (64M), and was passed over; ask on. LG_ERR_IO,
// LG_ERR_OOM: there will be no more.
LG_NODISCARD lg_status cli_lines_next(cli_lines *lines, lg_str *ret, bool *ret_more,
                                      lg_error *reterr);
void cli_lines_close(cli_lines *lines);

#endif
