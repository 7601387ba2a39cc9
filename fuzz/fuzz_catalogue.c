// fuzz_catalogue.c: any text as a catalogue of tools.
//
// Properties: reading again gives the same tools and findings; an error has words and leaves nothing
// behind; names of arguments are unique and what they list is in the schema; every finding lies in
// the text and is told once; the count of errors is that of the findings; an empty call is either
// valid or explained.
#include "catalogue/arguments.h"
#include "catalogue/catalogue.h"

#include <stdlib.h>

static void expect(bool condition)
{
    if (!condition) {
        abort();
    }
}

static void check_tool(lg_arena *arena, const lg_catalogue_tool *tool)
{
    const lg_json empty = lg_json_make_object(NULL, 0);
    lg_argument_check check;
    lg_buf type;
    lg_buf_init(&type, 1u << 20);
    expect(tool->source != NULL);
    expect(!tool->arguments || tool->parameters);
    for (size_t i = 0; i < tool->list_count; i++) {
        const lg_catalogue_argument *a = &tool->list[i];
        expect(a->schema != NULL);
        for (size_t j = 0; j < i && i < 64; j++) {
            expect(!lg_str_eq(a->name, tool->list[j].name));
        }
        if (tool->format == LG_CATALOGUE_OPENAPI) {
            expect(a->place != LG_PLACE_NONE);
            expect(lg_json_get(lg_json_get(tool->parameters, LG_STR("properties")), a->name) !=
                   NULL);
        }
        lg_buf_clear(&type);
        lg_catalogue_print_type(&type, a->schema,
                                tool->document ? tool->document : tool->parameters);
        expect(type.len > 0);
    }
    lg_buf_done(&type);
    if (lg_tool_check_arguments(arena, tool->arguments, &empty, LG_STR("{}"), &check) == LG_OK) {
        expect(check.valid == (check.count == 0) && check.valid == (check.message.len == 0));
    }
}

static void check_findings(const lg_catalogue *c, size_t size)
{
    size_t errors = 0;
    for (size_t i = 0; i < c->finding_count; i++) {
        const lg_catalogue_finding *f = &c->findings[i];
        errors += lg_catalogue_kind_is_error(f->kind);
        expect(f->msg.len > 0 && f->offset < size);
        for (size_t j = 0; j < i && i < 200; j++) {
            expect(f->kind != c->findings[j].kind || f->offset != c->findings[j].offset);
        }
    }
    expect(c->findings_dropped ? errors <= c->error_count : errors == c->error_count);
}

static void expect_same(const lg_catalogue *a, const lg_catalogue *b)
{
    expect(a->tool_count == b->tool_count && a->finding_count == b->finding_count);
    for (size_t i = 0; i < a->tool_count; i++) {
        expect(lg_str_eq(a->tools[i].name, b->tools[i].name));
        expect(a->tools[i].list_count == b->tools[i].list_count);
        expect((a->tools[i].arguments == NULL) == (b->tools[i].arguments == NULL));
    }
    for (size_t i = 0; i < a->finding_count; i++) {
        expect(lg_str_eq(a->findings[i].msg, b->findings[i].msg));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lg_str text = {(const char *)data, size};
    lg_arena arena;
    lg_error error = {0};
    const lg_catalogue *first = NULL;
    const lg_catalogue *second = NULL;
    lg_arena_init(&arena, (size_t)1 << 27);
    lg_status status = lg_catalogue_read(&arena, text, NULL, &first, &error);
    if (status == LG_OK) {
        for (size_t i = 0; i < first->tool_count; i++) {
            check_tool(&arena, &first->tools[i]);
        }
        check_findings(first, size);
        if (lg_catalogue_read(&arena, text, NULL, &second, &error) == LG_OK) {
            expect_same(first, second);
        }
    } else {
        expect(first == NULL && error.msg[0]);
    }
    lg_arena_done(&arena);
    return 0;
}
