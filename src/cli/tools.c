// tools.c: `ledgergate tools`: which tools does this catalogue have, and what is wrong with them?
#include "cli/values.h"

#include "base/alloc.h"
#include "base/utf8.h"
#include "catalogue/catalogue.h"
#include "pack/yaml.h"

#include <stdio.h>

static const char help[] =
    "usage: ledgergate tools FILE... [--findings] [--json]\n"
    "\n"
    "Lists the tools of catalogues with their arguments, and says what is wrong with them: names\n"
    "that are taken or that an API refuses, schemas that are no schemas, required arguments that\n"
    "nothing defines, defaults that are not valid, missing descriptions. FILE is an MCP "
    "tools/list\n"
    "result, a list of OpenAI or Anthropic functions, BFCL questions, or an OpenAPI document "
    "(3.0,\n"
    "3.1, Swagger 2.0), as JSON or YAML, or a folder of such files (.json, .yaml, .yml, hidden\n"
    "files left out); - is standard input. A file that cannot be read is named, the others are\n"
    "listed, and the exit code is 2.\n"
    "\n"
    "  --findings  only what is wrong, not the tools\n"
    "  --json      one JSON object a tool, then one a finding, then one with the counts\n"
    "\n"
    "Exit codes: 0 no errors (warnings do not count), 1 errors, 2 bad input, 3 internal or\n"
    "environment.\n";

#define NAME_WIDTH_MAX 32u
#define TYPE_WIDTH_MAX 48u
#define SUMMARY_BYTES 72u // of a description in the list

typedef struct listing {
    cli_out out;
    bool json;
    bool only_findings;
    size_t files;
    size_t tools;
    size_t arguments;
    size_t errors;
    size_t warnings;
} listing;

typedef struct source {
    cli_values values; // path, text, arena; the catalogue reads the text itself
    const lg_catalogue *catalogue;
} source;

// --- Text for people ----------------------------------------------------------------------------

// The first line of a description, cut at a blank where there is one.
static void add_summary(cli_out *out, lg_str description)
{
    lg_str line = lg_str_trim(description);
    line = lg_str_trim(lg_str_slice(line, 0, lg_str_find(line, LG_STR("\n"))));
    lg_str shown = lg_str_cut(line, SUMMARY_BYTES);
    if (shown.len < line.len) {
        size_t blank = shown.len;
        while (blank > SUMMARY_BYTES / 2 && shown.ptr[blank - 1] != ' ') {
            blank--;
        }
        shown.len = blank > SUMMARY_BYTES / 2 ? blank - 1 : shown.len;
    }
    cli_add_text(out, shown);
    lg_buf_add_c(&out->buf, shown.len < line.len ? " ..." : "");
}

static void print_type(lg_buf *out, const lg_catalogue_tool *tool,
                       const lg_catalogue_argument *argument)
{
    lg_catalogue_print_type(out, argument->schema,
                            tool->document ? tool->document : tool->parameters);
}

// The columns of a tool's arguments: as wide as the longest that is not too long.
typedef struct widths {
    size_t name;
    size_t type;
} widths;

static size_t wider(size_t width, lg_str text, size_t max)
{
    size_t own = lg_utf8_count(text);
    return own > width && own <= max ? own : width;
}

static widths measure(const lg_catalogue_tool *tool)
{
    widths w = {0, 0};
    lg_buf type;
    lg_buf_init(&type, 0);
    for (size_t i = 0; i < tool->list_count; i++) {
        lg_buf_clear(&type);
        print_type(&type, tool, &tool->list[i]);
        w.name = wider(w.name, tool->list[i].name, NAME_WIDTH_MAX);
        w.type = wider(w.type, lg_buf_str(&type), TYPE_WIDTH_MAX);
    }
    lg_buf_done(&type);
    return w;
}

static void add_padding(cli_out *out, size_t shown, size_t width)
{
    lg_buf_add_repeat(&out->buf, ' ', (shown < width ? width - shown : 0) + 2);
}

// The name, a star if it is required, the type, and for operations the place.
static void show_argument(listing *l, const lg_catalogue_tool *tool,
                          const lg_catalogue_argument *argument, widths w)
{
    lg_buf type;
    lg_buf_init(&type, 0);
    print_type(&type, tool, argument);
    lg_buf_add_c(&l->out.buf, argument->required ? "    * " : "      ");
    cli_add_text(&l->out, argument->name);
    add_padding(&l->out, lg_utf8_count(argument->name), w.name);
    cli_add_text(&l->out, lg_buf_str(&type));
    if (argument->place != LG_PLACE_NONE) {
        add_padding(&l->out, lg_utf8_count(lg_buf_str(&type)), w.type);
        cli_colour(&l->out, "2");
        lg_buf_add_c(&l->out.buf, argument->place == LG_PLACE_MEMBER
                                      ? "body"
                                      : lg_argument_place_name(argument->place));
        cli_colour(&l->out, "0");
    }
    lg_buf_add_c(&l->out.buf, "\n");
    l->out.failed = l->out.failed || lg_buf_status(&type) != LG_OK;
    lg_buf_done(&type);
}

static void show_tool(listing *l, const lg_catalogue_tool *tool)
{
    lg_buf *out = &l->out.buf;
    lg_buf_add_c(out, "  ");
    cli_colour(&l->out, "1");
    cli_add_text(&l->out, tool->name.len ? tool->name : LG_STR("(no name)"));
    cli_colour(&l->out, "0");
    if (tool->method.len) {
        lg_buf_addf(out, "  %.*s ", LG_FMT(tool->method));
        cli_add_text(&l->out, tool->path);
    }
    lg_buf_add_c(out, "\n");
    if (lg_str_trim(tool->description).len) {
        cli_colour(&l->out, "2");
        lg_buf_add_c(out, "      ");
        add_summary(&l->out, tool->description);
        cli_colour(&l->out, "0");
        lg_buf_add_c(out, "\n");
    }
    widths w = measure(tool);
    for (size_t i = 0; i < tool->list_count; i++) {
        show_argument(l, tool, &tool->list[i], w);
    }
    lg_buf_add_c(out, "\n");
}

static void show_finding(listing *l, const lg_catalogue_finding *f, lg_position at)
{
    bool error = lg_catalogue_kind_is_error(f->kind);
    cli_add_text(&l->out, lg_str_c(at.file));
    lg_buf_addf(&l->out.buf, ":%u:%u: ", at.line, at.column);
    cli_colour(&l->out, error ? "31" : "33");
    lg_buf_add_c(&l->out.buf, error ? "error" : "warning");
    cli_colour(&l->out, "0");
    lg_buf_add_c(&l->out.buf, ": ");
    if (f->tool.len) {
        cli_add_text(&l->out, f->tool);
        lg_buf_add_c(&l->out.buf, ": ");
    }
    cli_add_text(&l->out, f->msg);
    lg_buf_add_c(&l->out.buf, "\n");
    if (f->pointer.len) {
        cli_colour(&l->out, "2");
        lg_buf_add_c(&l->out.buf, "    ");
        cli_add_text(&l->out, f->pointer);
        cli_colour(&l->out, "0");
        lg_buf_add_c(&l->out.buf, "\n");
    }
}

// --- JSON ---------------------------------------------------------------------------------------

static void write_argument(lg_json_writer *w, const lg_catalogue_tool *tool,
                           const lg_catalogue_argument *argument)
{
    lg_buf type;
    lg_buf_init(&type, 0);
    print_type(&type, tool, argument);
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "name", argument->name);
    lg_jw_member_str(w, "type", lg_buf_str(&type));
    lg_jw_member_bool(w, "required", argument->required);
    if (argument->place != LG_PLACE_NONE) {
        lg_jw_member_c(w, "in", lg_argument_place_name(argument->place));
        lg_jw_member_str(w, "key", argument->key);
    }
    lg_jw_end_object(w);
    lg_buf_done(&type);
}

static void write_tool(listing *l, const char *file, const lg_catalogue_tool *tool)
{
    lg_json_writer w = {.out = &l->out.buf};
    lg_jw_begin_object(&w);
    lg_jw_member_c(&w, "file", file);
    lg_jw_member_str(&w, "tool", tool->name);
    lg_jw_member_c(&w, "format", lg_catalogue_format_name(tool->format));
    lg_jw_member_str(&w, "description", tool->description);
    if (tool->id.len) {
        lg_jw_member_str(&w, "id", tool->id);
    }
    if (tool->method.len) {
        lg_jw_member_str(&w, "method", tool->method);
        lg_jw_member_str(&w, "path", tool->path);
    }
    lg_jw_key(&w, "arguments");
    lg_jw_begin_array(&w);
    for (size_t i = 0; i < tool->list_count; i++) {
        write_argument(&w, tool, &tool->list[i]);
    }
    lg_jw_end_array(&w);
    lg_jw_member_json(&w, "parameters", tool->parameters);
    lg_jw_end_object(&w);
    lg_buf_add_c(&l->out.buf, "\n");
}

static void write_finding(listing *l, const lg_catalogue_finding *f, lg_position at)
{
    lg_json_writer w = {.out = &l->out.buf};
    lg_jw_begin_object(&w);
    cli_write_position(&w, at);
    lg_jw_member_c(&w, "severity", lg_catalogue_kind_is_error(f->kind) ? "error" : "warning");
    lg_jw_member_c(&w, "finding", lg_catalogue_kind_name(f->kind));
    lg_jw_member_str(&w, "tool", f->tool);
    lg_jw_member_str(&w, "pointer", f->pointer);
    lg_jw_member_str(&w, "message", f->msg);
    lg_jw_end_object(&w);
    lg_buf_add_c(&l->out.buf, "\n");
}

static void write_summary(listing *l, const cli_files *files)
{
    lg_json_writer w = {.out = &l->out.buf};
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "summary");
    lg_jw_begin_object(&w);
    lg_jw_member_uint(&w, "files", l->files);
    lg_jw_member_uint(&w, "tools", l->tools);
    lg_jw_member_uint(&w, "arguments", l->arguments);
    lg_jw_member_uint(&w, "errors", l->errors);
    lg_jw_member_uint(&w, "warnings", l->warnings);
    cli_files_write_counts(files, &w);
    lg_jw_end_object(&w);
    lg_jw_end_object(&w);
    lg_buf_add_c(&l->out.buf, "\n");
}

// --- The whole ----------------------------------------------------------------------------------

static lg_status read_source(const char *path, source *s, lg_error *reterr)
{
    const lg_catalogue_options options = {.limits = cli_limits()};
    lg_status status = cli_values_read_text(path, &s->values, reterr);
    if (status != LG_OK) {
        return status;
    }
    lg_arena *arena = &s->values.arena;
    lg_str text = s->values.file.text;
    const lg_json *root = NULL;
    if (!cli_has_ending(path, ".yaml") && !cli_has_ending(path, ".yml")) {
        return lg_catalogue_read(arena, text, &options, &s->catalogue, reterr);
    }
    status = lg_yaml_parse(arena, text, path, cli_limits(), &root, reterr);
    return status == LG_OK ? lg_catalogue_of(arena, text, root, &options, &s->catalogue, reterr)
                           : status;
}

static void list_tools(listing *l, const source *s)
{
    const lg_catalogue *c = s->catalogue;
    if (!l->json && !l->only_findings) {
        cli_add_text(&l->out, lg_str_c(s->values.path));
        lg_buf_addf(&l->out.buf, ": %zu tool%s", c->tool_count, lg_plural(c->tool_count));
        lg_buf_addf(&l->out.buf, "%s%s\n\n", c->tool_count ? ", " : "",
                    c->tool_count ? lg_catalogue_format_name(c->tools[0].format) : "");
    }
    for (size_t i = 0; i < c->tool_count; i++) {
        l->arguments += c->tools[i].list_count;
        if (l->json && !l->only_findings) {
            write_tool(l, s->values.path, &c->tools[i]);
        } else if (!l->only_findings) {
            show_tool(l, &c->tools[i]);
        }
        cli_out_flush_some(&l->out);
    }
}

static void list_findings(listing *l, source *s)
{
    const lg_catalogue *c = s->catalogue;
    for (size_t i = 0; i < c->finding_count; i++) {
        const lg_catalogue_finding *f = &c->findings[i];
        lg_position at = cli_values_position(&s->values, f->offset);
        if (l->json) {
            write_finding(l, f, at);
        } else {
            show_finding(l, f, at);
        }
        cli_out_flush_some(&l->out);
    }
    if (c->findings_dropped && !l->json) {
        lg_buf_addf(&l->out.buf, "... and %zu more\n", c->findings_dropped);
    }
    l->tools += c->tool_count;
    l->errors += c->error_count;
    l->warnings += c->finding_count + c->findings_dropped - c->error_count;
}

// Of nothing there is nothing to sum up.
static void summarise(listing *l, const cli_files *files)
{
    if (l->json) {
        write_summary(l, files);
        return;
    }
    if (l->files == 0) {
        return;
    }
    lg_buf_addf(&l->out.buf, "%zu tool%s, %zu argument%s: ", l->tools, lg_plural(l->tools),
                l->arguments, lg_plural(l->arguments));
    if (l->errors + l->warnings == 0) {
        lg_buf_add_c(&l->out.buf, "nothing wrong\n");
    } else {
        lg_buf_addf(&l->out.buf, "%zu error%s, %zu warning%s\n", l->errors, lg_plural(l->errors),
                    l->warnings, lg_plural(l->warnings));
    }
}

// What is no catalogue but lies in a folder is no mistake.
static void read_one(cli_files *files, size_t i, source *s)
{
    lg_error error;
    lg_status status = read_source(files->paths[i], s, &error);
    if (status == LG_OK) {
        return;
    }
    if (status == LG_ERR_FORMAT && files->found[i]) {
        cli_files_leave_out(files, i, &error);
    } else {
        cli_files_break(files, i, &error, s->values.file.text);
    }
    cli_values_close(&s->values);
    *s = (source){.catalogue = NULL};
}

static void list_sources(listing *l, source *sources, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (sources[i].catalogue) {
            l->files++;
            list_tools(l, &sources[i]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (sources[i].catalogue) {
            list_findings(l, &sources[i]);
            cli_values_close(&sources[i].values);
        }
    }
}

// Reads all files first: what is broken is said before anything is printed.
static int list_all(listing *l, cli_files *files)
{
    source *sources = lg_zalloc((files->count + 1) * sizeof(*sources));
    if (!sources) {
        cli_say("ledgergate: out of memory");
        return EXIT_INTERNAL;
    }
    for (size_t i = 0; i < files->count; i++) {
        read_one(files, i, &sources[i]);
    }
    cli_files_end(files);
    list_sources(l, sources, files->count);
    lg_free(sources);
    if (l->files == 0 && files->broken == 0) {
        cli_say("ledgergate: there is no catalogue of tools in the folders");
        return EXIT_USAGE;
    }
    return l->errors ? EXIT_FINDINGS : EXIT_FINE;
}

static int list_paths(listing *l, char **paths, size_t count)
{
    static const char *const endings[] = {".json", ".yaml", ".yml", NULL};
    cli_files files;
    int code = EXIT_INTERNAL;
    if (cli_files_list(&files, paths, count, endings)) {
        code = list_all(l, &files);
        if (l->json) {
            cli_files_write(&files, &l->out);
        }
        summarise(l, &files);
    }
    code = cli_files_code(&files, code);
    cli_files_close(&files);
    return code;
}

int cli_tools(int argc, char **argv)
{
    if (cli_wants_help(argc, argv)) {
        return cli_print_help(help);
    }
    listing l = {.json = false};
    const cli_option options[] = {{"--findings", NULL, &l.only_findings},
                                  {"--json", NULL, &l.json}};
    size_t operands;
    int code = cli_parse("tools", argc, argv, options, LG_COUNT(options), &operands);
    if (code != EXIT_FINE) {
        return code;
    }
    if (operands == 0) {
        return cli_usage("tools", "give at least one catalogue");
    }
    cli_out_init(&l.out, l.json);
    code = list_paths(&l, argv, operands);
    return cli_out_done(&l.out, code);
}
