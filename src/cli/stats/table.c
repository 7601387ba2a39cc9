// table.c: see table.h.
#include "cli/stats/table.h"

#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

#define TEXT_BYTES 48u // of a cell; what is longer is cut

void cli_table_begin(cli_table *table, lg_arena *arena, const char *columns)
{
    *table = (cli_table){.arena = arena, .columns = columns};
}

void cli_table_text(cli_table *table, lg_str text)
{
    lg_str *cells =
        lg_arena_grow(table->arena, table->cells, table->count, &table->capacity, sizeof(*cells));
    lg_str copy = lg_arena_str(table->arena, lg_str_cut(text, TEXT_BYTES));
    if (!cells || !copy.ptr) {
        table->oom = true;
        return;
    }
    table->cells = cells;
    cells[table->count++] = copy;
}

void cli_table_c(cli_table *table, const char *text)
{
    cli_table_text(table, lg_str_c(text));
}

void cli_table_number(cli_table *table, const lg_json *value, int digits)
{
    char text[64];
    double number;
    if (!lg_json_double(value, &number)) {
        cli_table_c(table, "-");
        return;
    }
    snprintf(text, sizeof(text), "%.*f", digits, number);
    cli_table_c(table, text);
}

void cli_table_percent(cli_table *table, const lg_json *share)
{
    char text[64];
    double number;
    if (!lg_json_double(share, &number)) {
        cli_table_c(table, "-");
        return;
    }
    snprintf(text, sizeof(text), "%.1f %%", 100 * number);
    cli_table_c(table, text);
}

void cli_table_interval(cli_table *table, const lg_json *object, const char *key)
{
    char text[96];
    double value, low, high;
    if (!lg_json_double(lg_json_get(object, lg_str_c(key)), &value)) {
        cli_table_c(table, "-");
    } else if (!lg_json_double(lg_json_get(object, LG_STR("low")), &low) ||
               !lg_json_double(lg_json_get(object, LG_STR("high")), &high)) {
        snprintf(text, sizeof(text), "%.3f", value);
        cli_table_c(table, text);
    } else {
        snprintf(text, sizeof(text), "%.3f (%.3f to %.3f)", value, low, high);
        cli_table_c(table, text);
    }
}

static size_t width_of(const cli_table *table, size_t column, size_t columns)
{
    size_t width = 0;
    for (size_t i = column; i < table->count; i += columns) {
        size_t own = lg_utf8_count(table->cells[i]);
        width = own > width ? own : width;
    }
    return width;
}

static void print_row(const cli_table *table, cli_out *out, const lg_str *cells,
                      const size_t *widths, size_t columns)
{
    lg_buf_add_c(&out->buf, " ");
    for (size_t i = 0; i < columns; i++) {
        bool last = i + 1 == columns;
        size_t own = lg_utf8_count(cells[i]);
        lg_buf_add_c(&out->buf, i ? "  " : " ");
        if (table->columns[i] == 'r') {
            lg_buf_add_repeat(&out->buf, ' ', widths[i] - own);
        }
        cli_pad(out, cells[i], last || table->columns[i] == 'r' ? 0 : widths[i]);
    }
    lg_buf_add_c(&out->buf, "\n");
}

void cli_table_print(cli_table *table, cli_out *out, const char *title)
{
    size_t widths[CLI_TABLE_COLUMNS_MOST] = {0};
    size_t columns = strlen(table->columns);
    out->failed = out->failed || table->oom;
    if (table->oom || table->count <= columns) {
        return; // a heading alone says nothing
    }
    for (size_t i = 0; i < columns; i++) {
        widths[i] = width_of(table, i, columns);
    }
    cli_colour(out, "1");
    lg_buf_add_c(&out->buf, title);
    cli_colour(out, "0");
    lg_buf_add_c(&out->buf, "\n");
    cli_colour(out, "2");
    print_row(table, out, table->cells, widths, columns);
    cli_colour(out, "0");
    for (size_t i = columns; i + columns <= table->count; i += columns) {
        print_row(table, out, table->cells + i, widths, columns);
        cli_out_flush_some(out);
    }
    lg_buf_add_c(&out->buf, "\n");
}
