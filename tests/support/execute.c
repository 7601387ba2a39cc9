// execute.c: makes the calls of standard input with an executor, one a line, and prints what came of each.
//
//     execute '{"spec":"stdio:python3 server.py","call_ms":500}' < calls.jsonl
//
// A line is {"name","arguments"}, or {"list":true} for the tools. What comes of it is {"outcome","is_error","value","text",
// "structured","why"}, or the tools. The exit code is 0 if the executor could be opened, else 2 with its words.
#include "tool/tool.h"

#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>

static void fail(const lg_error *error)
{
    fprintf(stderr, "execute: %s%s%s\n", error->file ? error->file : "", error->file ? ": " : "",
            error->msg);
    exit(2);
}

static const lg_json *parse(lg_arena *arena, lg_str text)
{
    const lg_json *value = NULL;
    lg_error error;
    if (lg_json_parse_in(arena, text, 0, text.len, NULL, &value, &error) != LG_OK) {
        fail(&error);
    }
    return value;
}

static uint32_t number_of(const lg_json *object, const char *key)
{
    int64_t number = 0;
    (void)lg_json_int(lg_json_get(object, lg_str_c(key)), &number);
    return (uint32_t)number;
}

static const lg_catalogue *read_catalogue(lg_arena *arena, lg_str path, lg_file *file)
{
    const lg_catalogue *catalogue = NULL;
    lg_error error = {0};
    if (path.len == 0) {
        return NULL;
    }
    if (lg_file_read(lg_arena_str(arena, path).ptr, NULL, file, &error) != LG_OK ||
        lg_catalogue_read(arena, file->text, NULL, &catalogue, &error) != LG_OK) {
        fail(&error);
    }
    return catalogue;
}

static void print(lg_json_writer *w)
{
    lg_str text = lg_buf_str(w->out);
    printf("%.*s\n", LG_FMT(text));
    fflush(stdout);
    lg_buf_clear(w->out);
}

static void print_tools(lg_executor *executor, lg_arena *arena, lg_buf *out)
{
    lg_mcp_tools tools = {0};
    lg_error error = {0};
    lg_json_writer w = {.out = out};
    lg_jw_begin_object(&w);
    if (lg_executor_list(executor, arena, &tools, &error) != LG_OK) {
        lg_jw_member_c(&w, "failed", error.msg);
    }
    lg_jw_key(&w, "tools");
    lg_jw_begin_array(&w);
    for (size_t i = 0; i < tools.count; i++) {
        lg_jw_str(&w, tools.items[i].name);
    }
    lg_jw_end_array(&w);
    lg_jw_end_object(&w);
    print(&w);
}

static void print_call(lg_executor *executor, const lg_json *line, lg_arena *arena, lg_buf *out)
{
    lg_executor_call call = {.tool = lg_json_str(lg_json_get(line, LG_STR("name"))),
                             .args = lg_json_get(line, LG_STR("arguments"))};
    lg_executor_answer answer;
    lg_error error = {0};
    lg_json_writer w = {.out = out};
    if (lg_executor_run(executor, &call, arena, &answer, &error) != LG_OK) {
        fail(&error);
    }
    lg_jw_begin_object(&w);
    lg_jw_member_c(&w, "outcome", lg_executor_outcome_name(answer.outcome));
    lg_jw_member_bool(&w, "is_error", answer.is_error);
    lg_jw_member_json(&w, "value", answer.value);
    lg_jw_member_str(&w, "text", answer.text);
    lg_jw_member_json(&w, "structured", answer.structured);
    lg_jw_member_str(&w, "why", answer.why);
    lg_jw_end_object(&w);
    print(&w);
}

static lg_executor *open_executor(const lg_json *config, lg_arena *arena, lg_file *file)
{
    lg_executor_options options = {
        .connect_ms = number_of(config, "connect_ms"),
        .call_ms = number_of(config, "call_ms"),
        .reply_bytes = number_of(config, "reply_bytes"),
        .catalogue =
            read_catalogue(arena, lg_json_str(lg_json_get(config, LG_STR("catalogue"))), file)};
    lg_str record = lg_json_str(lg_json_get(config, LG_STR("record")));
    lg_executor *executor;
    lg_error error = {0};
    if (lg_executor_open(lg_json_str(lg_json_get(config, LG_STR("spec"))), &options, &executor,
                         &error) != LG_OK) {
        fail(&error);
    }
    if (record.len &&
        lg_executor_record(executor, lg_arena_str(arena, record).ptr, &executor, &error) != LG_OK) {
        fail(&error);
    }
    return executor;
}

int main(int argc, char **argv)
{
    lg_arena arena;
    lg_buf out;
    lg_file file = {0};
    char *line = NULL;
    size_t room = 0;
    lg_arena_init(&arena, 0);
    lg_buf_init(&out, 0);
    if (argc != 2) {
        return 2;
    }
    lg_executor *executor = open_executor(parse(&arena, lg_str_c(argv[1])), &arena, &file);
    for (ssize_t len; (len = getline(&line, &room, stdin)) > 0;) {
        lg_arena call;
        lg_arena_init(&call, 0);
        const lg_json *asked = parse(&call, lg_str_trim((lg_str){line, (size_t)len}));
        if (lg_json_get(asked, LG_STR("list"))) {
            print_tools(executor, &call, &out);
        } else {
            print_call(executor, asked, &call, &out);
        }
        lg_arena_done(&call);
    }
    free(line);
    lg_executor_free(executor);
    lg_file_close(&file);
    lg_buf_done(&out);
    lg_arena_done(&arena);
    return 0;
}
