// values.c: everything is read before anything is judged, so that bad input prints no half result.
#include "cli/values.h"

#include "base/utf8.h"
#include "pack/yaml.h"

static bool fail(cli_values *values, const lg_error *error, int *ret_code)
{
    lg_error named = *error;
    named.file = values->path;
    cli_say_error(&named, values->file.text);
    *ret_code = cli_exit_code(error->status);
    return false;
}

static bool is_yaml(const char *path)
{
    return cli_has_ending(path, ".yaml") || cli_has_ending(path, ".yml");
}

lg_status cli_values_read_text(const char *path, cli_values *ret, lg_error *reterr)
{
    lg_limits limits = lg_limits_resolve(cli_limits());
    *ret = (cli_values){.path = path, .line = 1, .column = 1};
    lg_arena_init(&ret->arena, limits.document_bytes);
    lg_status status = lg_file_read(path, &limits, &ret->file, reterr);
    if (status != LG_OK) {
        ret->file = (lg_file){.text = LG_STR("")};
    }
    return status;
}

static lg_status add(cli_values *values, const lg_json *value, size_t *capacity, lg_error *error)
{
    const lg_json **items =
        lg_arena_grow(&values->arena, values->items, values->count, capacity, sizeof(*items));
    if (!items) {
        return lg_fail_oom(error);
    }
    values->items = items;
    values->items[values->count++] = value;
    return LG_OK;
}

static lg_status read_one(cli_values *values, lg_error *error)
{
    lg_str text = values->file.text;
    const lg_json *value = NULL;
    size_t capacity = 0;
    lg_status status =
        is_yaml(values->path)
            ? lg_yaml_parse(&values->arena, text, values->path, cli_limits(), &value, error)
            : lg_json_parse_in(&values->arena, text, 0, text.len, cli_limits(), &value, error);
    return status == LG_OK ? add(values, value, &capacity, error) : status;
}

static bool is_blank(lg_str text, size_t from, size_t to)
{
    return lg_str_trim(lg_str_slice(text, from, to)).len == 0;
}

// A broken first line of many is still one if the name says so.
static bool has_lines(cli_values *values)
{
    return cli_has_ending(values->path, ".jsonl") ||
           lg_json_is_lines(&values->arena, values->file.text, cli_limits());
}

static lg_status read_lines(cli_values *values, lg_error *error)
{
    lg_str text = values->file.text;
    lg_status status = LG_OK;
    size_t capacity = 0;
    for (size_t from = 0; from < text.len && status == LG_OK;) {
        size_t end = lg_str_line_end(text, from);
        const lg_json *value = NULL;
        if (!is_blank(text, from, end)) {
            status = lg_json_parse_in(&values->arena, text, from, end, cli_limits(), &value, error);
            status = status == LG_OK ? add(values, value, &capacity, error) : status;
        }
        from = end + 1;
    }
    return status;
}

bool cli_values_open_one(const char *path, cli_values *ret, int *ret_code)
{
    lg_error error;
    lg_status status = cli_values_read_text(path, ret, &error);
    status = status == LG_OK ? read_one(ret, &error) : status;
    return status == LG_OK || fail(ret, &error, ret_code);
}

lg_status cli_values_read(const char *path, cli_values *ret, lg_error *reterr)
{
    lg_status status = cli_values_read_text(path, ret, reterr);
    if (status != LG_OK) {
        return status;
    }
    return !is_yaml(path) && has_lines(ret) ? read_lines(ret, reterr) : read_one(ret, reterr);
}

bool cli_values_open(const char *path, cli_values *ret, int *ret_code)
{
    lg_error error;
    return cli_values_read(path, ret, &error) == LG_OK || fail(ret, &error, ret_code);
}

void cli_values_close(cli_values *values)
{
    lg_arena_done(&values->arena);
    lg_file_close(&values->file);
}

lg_position cli_values_position(cli_values *values, uint32_t offset)
{
    lg_str text = values->file.text;
    if (offset == LG_JSON_NO_OFFSET || offset > text.len) {
        return (lg_position){.file = values->path};
    }
    if (offset < values->offset) {
        values->offset = 0;
        values->line = 1;
        values->column = 1;
    }
    size_t at = values->offset;
    for (size_t end = lg_str_line_end(text, at); end < offset; end = lg_str_line_end(text, at)) {
        at = end + 1;
        values->line++;
        values->column = 1;
    }
    values->column += (uint32_t)lg_utf8_count(lg_str_slice(text, at, offset));
    values->offset = offset;
    return (lg_position){values->path, values->line, values->column};
}
