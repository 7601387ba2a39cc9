// validate.c: `ledgergate validate`: do these files fit this schema?
#include "cli/values.h"

#include "base/alloc.h"
#include "schema/schema.h"

#include <stdio.h>

static const char help[] =
    "usage: ledgergate validate --schema SCHEMA [OPTIONS] FILE...\n"
    "\n"
    "Validates every value of the files against a JSON Schema and lists all violations, each with\n"
    "its place in the file and in the schema. FILE holds one JSON value or one a line, or YAML if\n"
    "its name ends in .yaml; or it is a folder of such files (.json, .jsonl, .yaml, .yml, hidden\n"
    "files left out); - is standard input. A file that cannot be read is named, the others are\n"
    "validated, and the exit code is 2. Nothing is ever fetched: a schema refers to itself alone.\n"
    "\n"
    "  --schema SCHEMA  the schema, JSON or YAML\n"
    "  --draft NAME     what holds where the schema has no $schema: 2020-12, 7, openapi-3.0\n"
    "                   [2020-12]\n"
    "  --formats        `format` is checked too, not only noted\n"
    "  --json           one JSON object a violation, then one with the counts\n"
    "\n"
    "Exit codes: 0 all valid, 1 violations, 2 bad input or a bad schema, 3 internal or\n"
    "environment.\n";

#define SCHEMA_ERRORS_MAX 50u
#define REPORT_START 64u
#define REPORT_MAX 16384u

typedef struct validation {
    cli_out out;
    bool json;
    const lg_schema *schema;
    lg_schema_report report; // grows until all violations of a value fit
    size_t files;            // that could be read
    size_t values;
    size_t invalid;
    size_t violations;
} validation;

// --- The schema ---------------------------------------------------------------------------------

static bool find_draft(const char *name, lg_schema_dialect *ret)
{
    static const struct {
        const char *name;
        lg_schema_dialect dialect;
    } drafts[] = {{"2020-12", LG_SCHEMA_2020_12},
                  {"7", LG_SCHEMA_7},
                  {"draft-07", LG_SCHEMA_7},
                  {"openapi-3.0", LG_SCHEMA_OPENAPI_3_0}};
    for (size_t i = 0; i < LG_COUNT(drafts); i++) {
        if (lg_str_eq(lg_str_c(name), lg_str_c(drafts[i].name))) {
            *ret = drafts[i].dialect;
            return true;
        }
    }
    return false;
}

// Errors of the compiler begin with a pointer: the place of that value, or of the nearest above it.
static lg_position place_of_error(cli_values *schema, lg_str msg)
{
    const lg_json *root = schema->items[0];
    lg_str pointer = lg_str_slice(msg, 0, lg_str_find(msg, LG_STR(": ")));
    const lg_json *found = NULL;
    while (pointer.len && pointer.ptr[0] == '/' && !found) {
        found = lg_json_at(root, pointer);
        while (pointer.len && pointer.ptr[pointer.len - 1] != '/') {
            pointer.len--;
        }
        pointer.len -= pointer.len ? 1 : 0;
    }
    return cli_values_position(schema, (found ? found : root)->offset);
}

static const lg_schema *compile(cli_values *file, const lg_schema_options *options, int *ret_code)
{
    lg_errors errors;
    lg_errors_init(&errors, &file->arena, SCHEMA_ERRORS_MAX);
    const lg_schema *schema = lg_schema_compile(&file->arena, file->items[0], options, &errors);
    for (size_t i = 0; !schema && i < errors.count; i++) {
        lg_error error = errors.items[i];
        lg_position at = place_of_error(file, lg_str_c(error.msg));
        error.file = file->path;
        error.line = at.line;
        error.column = at.column;
        cli_say_error(&error, file->file.text);
    }
    if (!schema) {
        size_t count = errors.count + errors.dropped;
        cli_say("%s: %zu error%s", file->path, count, lg_plural(count));
        *ret_code = EXIT_USAGE;
    }
    return schema;
}

// --- Violations ---------------------------------------------------------------------------------

static void write_violation(validation *run, lg_position at, const lg_schema_violation *v)
{
    lg_json_writer w = {.out = &run->out.buf};
    lg_jw_begin_object(&w);
    cli_write_position(&w, at);
    lg_jw_member_c(&w, "instance", v->instance_pointer);
    lg_jw_member_c(&w, "schema", v->schema_pointer);
    lg_jw_member_c(&w, "keyword", v->keyword);
    lg_jw_member_c(&w, "fault", lg_schema_fault_name(v->fault));
    lg_jw_member_c(&w, "message", v->msg);
    lg_jw_end_object(&w);
    lg_buf_add_c(&run->out.buf, "\n");
}

static void show_violation(validation *run, lg_position at, const lg_schema_violation *v)
{
    lg_buf *out = &run->out.buf;
    cli_add_text(&run->out, lg_str_c(at.file));
    lg_buf_addf(out, ":%u:%u: ", at.line, at.column);
    cli_add_text(&run->out, lg_str_c(v->msg));
    lg_buf_add_c(out, "\n");
    cli_colour(&run->out, "2");
    lg_buf_add_c(out, "    value ");
    cli_add_text(&run->out,
                 v->instance_pointer[0] ? lg_str_c(v->instance_pointer) : LG_STR("(the whole)"));
    lg_buf_add_c(out, "   schema ");
    cli_add_text(&run->out,
                 v->schema_pointer[0] ? lg_str_c(v->schema_pointer) : LG_STR("(the whole)"));
    cli_colour(&run->out, "0");
    lg_buf_add_c(out, "\n");
}

// Makes room for twice as many violations. False when there is none to be had.
static bool grow_report(validation *run)
{
    size_t capacity = run->report.capacity ? run->report.capacity * 2 : REPORT_START;
    lg_schema_violation *items =
        capacity > REPORT_MAX ? NULL : lg_realloc(run->report.items, capacity * sizeof(*items));
    if (!items) {
        return false;
    }
    run->report.items = items;
    run->report.capacity = capacity;
    return true;
}

static void validate_value(validation *run, cli_values *file, const lg_json *value)
{
    run->values++;
    if (lg_schema_validate(run->schema, value, NULL)) {
        return;
    }
    do {
        run->report.count = 0;
        run->report.dropped = 0;
        (void)lg_schema_validate(run->schema, value, &run->report);
    } while (run->report.dropped && grow_report(run));
    run->invalid++;
    run->violations += run->report.count + run->report.dropped;
    for (size_t i = 0; i < run->report.count; i++) {
        const lg_schema_violation *v = &run->report.items[i];
        lg_position at = cli_values_position(file, v->instance->offset);
        if (run->json) {
            write_violation(run, at, v);
        } else {
            show_violation(run, at, v);
        }
        cli_out_flush_some(&run->out);
    }
    if (run->report.dropped && !run->json) {
        lg_buf_addf(&run->out.buf, "... and %zu more\n", run->report.dropped);
    }
}

// --- The whole ----------------------------------------------------------------------------------

// Of nothing there is nothing to sum up.
static void summarise(validation *run, const cli_files *files)
{
    if (!run->json && run->files == 0) {
        return;
    }
    if (!run->json) {
        lg_buf_addf(&run->out.buf, "%zu file%s, %zu value%s: ", run->files, lg_plural(run->files),
                    run->values, lg_plural(run->values));
        if (run->invalid) {
            lg_buf_addf(&run->out.buf, "%zu invalid, %zu violation%s\n", run->invalid,
                        run->violations, lg_plural(run->violations));
        } else {
            lg_buf_add_c(&run->out.buf, "all valid\n");
        }
        return;
    }
    lg_json_writer w = {.out = &run->out.buf};
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "summary");
    lg_jw_begin_object(&w);
    lg_jw_member_uint(&w, "files", run->files);
    lg_jw_member_uint(&w, "values", run->values);
    lg_jw_member_uint(&w, "invalid", run->invalid);
    lg_jw_member_uint(&w, "violations", run->violations);
    cli_files_write_counts(files, &w);
    lg_jw_end_object(&w);
    lg_jw_end_object(&w);
    lg_buf_add_c(&run->out.buf, "\n");
}

static void validate_file(validation *run, cli_values *file)
{
    run->files++;
    for (size_t i = 0; i < file->count; i++) {
        validate_value(run, file, file->items[i]);
    }
}

// Opens all files first: what is broken is said before anything is printed.
static int validate_all(validation *run, cli_files *files)
{
    cli_values *values = lg_zalloc((files->count + 1) * sizeof(*values));
    if (!values || !grow_report(run)) {
        cli_say("ledgergate: out of memory");
        lg_free(values);
        return EXIT_INTERNAL;
    }
    for (size_t i = 0; i < files->count; i++) {
        lg_error error;
        if (cli_values_read(files->paths[i], &values[i], &error) != LG_OK) {
            cli_files_break(files, i, &error, values[i].file.text);
            cli_values_close(&values[i]);
            values[i] = (cli_values){.path = NULL};
        }
    }
    cli_files_end(files);
    for (size_t i = 0; i < files->count; i++) {
        if (values[i].path) {
            validate_file(run, &values[i]);
            cli_values_close(&values[i]);
        }
    }
    lg_free(values);
    return run->invalid ? EXIT_FINDINGS : EXIT_FINE;
}

static int validate_paths(validation *run, char **paths, size_t count)
{
    static const char *const endings[] = {".json", ".jsonl", ".yaml", ".yml", NULL};
    cli_files files;
    int code = EXIT_INTERNAL;
    if (cli_files_list(&files, paths, count, endings)) {
        code = validate_all(run, &files);
        if (files.count == 0 && files.broken == 0) {
            cli_say("ledgergate: there is nothing to validate in %s%s", paths[0],
                    count > 1 ? " and the others" : "");
            code = EXIT_USAGE;
        }
        if (run->json) {
            cli_files_write(&files, &run->out);
        }
        summarise(run, &files);
    }
    code = cli_files_code(&files, code);
    cli_files_close(&files);
    return code;
}

static int run_validation(const char *path, const lg_schema_options *options, bool json,
                          char **files, size_t count)
{
    int code = EXIT_FINE;
    cli_values schema;
    validation run = {.json = json};
    cli_out_init(&run.out, json);
    if (cli_values_open_one(path, &schema, &code)) {
        run.schema = compile(&schema, options, &code);
        code = run.schema ? validate_paths(&run, files, count) : code;
    }
    cli_values_close(&schema);
    lg_free(run.report.items);
    return cli_out_done(&run.out, code);
}

int cli_validate(int argc, char **argv)
{
    if (cli_wants_help(argc, argv)) {
        return cli_print_help(help);
    }
    const char *schema = NULL;
    const char *draft = NULL;
    bool json = false;
    lg_schema_options settings = {0};
    const cli_option options[] = {{"--schema", &schema, NULL},
                                  {"--draft", &draft, NULL},
                                  {"--formats", NULL, &settings.assert_formats},
                                  {"--json", NULL, &json}};
    size_t operands;
    int code = cli_parse("validate", argc, argv, options, LG_COUNT(options), &operands);
    if (code != EXIT_FINE) {
        return code;
    }
    if (!schema) {
        return cli_usage("validate", "say which schema to validate against: --schema SCHEMA");
    }
    if (draft && !find_draft(draft, &settings.dialect)) {
        return cli_usage("validate", "no draft is called `%s`; known are 2020-12, 7, openapi-3.0",
                         draft);
    }
    if (operands == 0) {
        return cli_usage("validate", "give at least one file");
    }
    return run_validation(schema, &settings, json, argv, operands);
}
