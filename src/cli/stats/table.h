// table.h: cells that are known before their columns are as wide as the widest.
#ifndef LG_CLI_STATS_TABLE_H
#define LG_CLI_STATS_TABLE_H

#include "cli/cli.h"

#define CLI_TABLE_COLUMNS_MOST 24u

typedef struct cli_table {
    // Private.
    lg_arena *arena;
    const char *columns; // a letter each: l, r: to which side it is set
    lg_str *cells;       // row by row; the first row is the heading
    size_t count, capacity;
    bool oom;
} cli_table;

void cli_table_begin(cli_table *table, lg_arena *arena, const char *columns);
void cli_table_text(cli_table *table, lg_str text);
void cli_table_c(cli_table *table, const char *text);
// A number with so many digits behind the point; what is no number is `-`.
void cli_table_number(cli_table *table, const lg_json *value, int digits);
// A share as `42.0 %`.
void cli_table_percent(cli_table *table, const lg_json *share);
// `0.708 (0.683 to 0.731)`, of an object with these members.
void cli_table_interval(cli_table *table, const lg_json *object, const char *key);

// Prints all rows, a heading above, and a blank line behind.
void cli_table_print(cli_table *table, cli_out *out, const char *title);

#endif
