// fuzz_describe.c: any text as tools in words, as Python, and as whatever it looks like.
//
// Properties: reading again gives the same document; a document is JSON without references, reads back as a catalogue with
// as many tools, each with schemas that compile, and an error is never a success; what fails has words, and a place where
// the text is at fault.
#include "describe/describe.h"

#include <stdlib.h>

static void expect(bool condition)
{
    if (!condition) {
        abort();
    }
}

static void check_tool(const lg_catalogue_tool *tool)
{
    lg_json_member *members = calloc(1, sizeof(*members));
    expect(members && tool->arguments && tool->results);
    members[0] = lg_json_make_member(LG_STR("error"), lg_json_make_str(LG_STR("no")));
    lg_json error = lg_json_make_object(members, 1);
    expect(lg_schema_validate(tool->results, &error, NULL)); // one of both, and not both
    free(members);
}

static void check_document(lg_arena *arena, lg_str text, const lg_description *made)
{
    const lg_json *root = NULL;
    const lg_catalogue *back = NULL;
    expect(lg_json_parse_in(arena, text, 0, text.len, NULL, &root, NULL) == LG_OK);
    if (lg_catalogue_of(arena, text, root, NULL, &back, NULL) != LG_OK) {
        return; // memory
    }
    expect(back->tool_count == made->tool_count);
    for (size_t i = 0; i < back->tool_count && i < 20; i++) {
        expect(lg_str_eq(back->tools[i].id, made->tools[i].name));
        check_tool(&back->tools[i]);
    }
}

static void check(lg_str text, lg_describe_input input)
{
    lg_describe_options options = {.input = input};
    lg_error error = {0};
    lg_arena arena;
    lg_buf out[2];
    lg_description *made = NULL;
    lg_arena_init(&arena, (size_t)1 << 28);
    for (size_t i = 0; i < 2; i++) {
        lg_buf_init(&out[i], (size_t)1 << 26);
        lg_status status = lg_describe_read(&arena, text, &options, &made, &error);
        if (status != LG_OK) {
            expect(error.msg[0] && (status != LG_ERR_PARSE || error.line > 0));
            made = NULL;
            continue;
        }
        lg_describe_print(&out[i], made, LG_STR("T"));
    }
    bool whole = lg_buf_status(&out[0]) == LG_OK && lg_buf_status(&out[1]) == LG_OK;
    if (made && whole && out[0].len && out[1].len) {
        expect(lg_str_eq(lg_buf_str(&out[0]), lg_buf_str(&out[1])));
        check_document(&arena, lg_buf_str(&out[0]), made);
    }
    lg_buf_done(&out[0]);
    lg_buf_done(&out[1]);
    lg_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lg_str text = {(const char *)data, size};
    if (size < 1u << 16) {
        check(text, LG_DESCRIBE_PYTHON);
        check(text, LG_DESCRIBE_WORDS);
        check(text, LG_DESCRIBE_GUESS);
    }
    return 0;
}
