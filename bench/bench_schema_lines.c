// bench_schema_lines.c: verdicts for many schemas at once.
//
//     bench_schema_lines <CASES
//
// Reads lines of JSON, {"draft": 7 or 2020, "schema": ..., "instances": [...]}, and prints a line for
// each: a `1` or `0` for each instance, or `error: ` and why the schema was refused. An instance that
// is judged differently with and without a report is an `x`. bench/peers/schema/differential.mjs
// compares these lines with ajv's.
#include "base/file.h"
#include "schema/schema.h"

#include <stdio.h>
#include <stdlib.h>

enum { VIOLATIONS = 4 };

static void stop(const char *what)
{
    fprintf(stderr, "bench_schema_lines: %s\n", what);
    exit(1);
}

static const lg_schema *compile(lg_arena *arena, const lg_json *line, lg_errors *errors)
{
    int64_t draft = 0;
    (void)lg_json_int(lg_json_get(line, LG_STR("draft")), &draft);
    lg_schema_options options = {.dialect = draft == 7 ? LG_SCHEMA_7 : LG_SCHEMA_2020_12};
    return lg_schema_compile(arena, lg_json_get(line, LG_STR("schema")), &options, errors);
}

static char verdict(const lg_schema *schema, const lg_json *instance)
{
    lg_schema_violation items[VIOLATIONS];
    lg_schema_report report = {.items = items, .capacity = VIOLATIONS};
    bool quiet = lg_schema_validate(schema, instance, NULL);
    bool told = lg_schema_validate(schema, instance, &report);
    bool same = quiet == told && (report.count == 0) == told;
    return !same ? 'x' : told ? '1' : '0';
}

static void judge(const lg_json *line, lg_arena *arena)
{
    lg_errors errors;
    lg_errors_init(&errors, arena, 5);
    const lg_schema *schema = compile(arena, line, &errors);
    if (!schema) {
        printf("error: %s\n", errors.count ? errors.items[0].msg : "");
        return;
    }
    const lg_json *instances = lg_json_get(line, LG_STR("instances"));
    for (size_t i = 0; i < lg_json_len(instances); i++) {
        putchar(verdict(schema, lg_json_item(instances, i)));
    }
    putchar('\n');
}

int main(void)
{
    lg_file file = {0};
    lg_error error;
    lg_arena arena;
    lg_arena_init(&arena, 0);
    if (lg_file_open("-", SIZE_MAX, &file, &error) != LG_OK) {
        stop(error.msg);
    }
    for (size_t at = 0; at < file.text.len;) {
        size_t end = lg_str_find(lg_str_slice(file.text, at, file.text.len), LG_STR("\n"));
        end = end == SIZE_MAX ? file.text.len : at + end;
        const lg_json *line = NULL;
        if (lg_json_parse_in(&arena, file.text, at, end, NULL, &line, &error) != LG_OK) {
            stop(error.msg);
        }
        judge(line, &arena);
        lg_arena_reset(&arena);
        at = end + 1;
    }
    lg_arena_done(&arena);
    lg_file_close(&file);
    return 0;
}
