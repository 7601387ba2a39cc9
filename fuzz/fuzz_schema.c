// fuzz_schema.c: a schema and an instance, chosen by the fuzzer, on two sides of a line feed.
//
// Properties: with and without a report the answer is the same; asking again changes nothing; an
// invalid instance is explained and a valid one is not; `{"not": S}` accepts exactly what S does not,
// unless a limit was hit; what is refused has an error, what is compiled has none.
#include "schema/schema.h"

#include <stdlib.h>

static void expect(bool condition)
{
    if (!condition) {
        abort();
    }
}

static const lg_schema *compile(lg_arena *arena, const lg_json *source, bool closed)
{
    lg_errors errors;
    lg_errors_init(&errors, arena, 5);
    lg_schema_options options = {.assert_formats = true,
                                 .closed_arguments = closed,
                                 .steps = 20000,
                                 .limits = &(lg_limits){.regex_steps = 2000}};
    const lg_schema *schema = lg_schema_compile(arena, source, &options, &errors);
    expect((schema != NULL) == !lg_errors_any(&errors));
    return schema;
}

static bool hit_limit(const lg_schema_report *report)
{
    return report->count > 0 && report->items[report->count - 1].fault == LG_FAULT_LIMIT;
}

static void check_one(const lg_schema *schema, const lg_json *instance, bool *ret_valid,
                      bool *ret_limit)
{
    lg_schema_violation items[3];
    lg_schema_violation again[3];
    lg_schema_report report = {.items = items, .capacity = 3};
    lg_schema_report second = {.items = again, .capacity = 3};
    bool quiet = lg_schema_validate(schema, instance, NULL);
    bool told = lg_schema_validate(schema, instance, &report);
    expect(quiet == told && told == (report.count == 0));
    expect(lg_schema_validate(schema, instance, &second) == told);
    expect(report.count == second.count && report.dropped == second.dropped);
    for (size_t i = 0; i < report.count; i++) {
        expect(items[i].msg[0] && strlen(items[i].msg) < sizeof(items[i].msg));
        expect(strcmp(items[i].msg, again[i].msg) == 0);
        expect(items[i].instance && items[i].schema && items[i].keyword);
    }
    *ret_valid = told;
    *ret_limit = hit_limit(&report);
}

static void check_negation(lg_arena *arena, const lg_json *source, const lg_json *instance,
                           bool valid, bool limit)
{
    // Below another schema, `$schema` would count no more; `#` still means the source.
    lg_json_member *members = lg_json_alloc_members(arena, 1);
    if (!members || lg_json_get(source, LG_STR("$schema"))) {
        return;
    }
    members[0] = lg_json_make_member(LG_STR("not"), *source);
    lg_json *object = LG_NEW(arena, lg_json);
    if (!object) {
        return;
    }
    *object = lg_json_make_object(members, 1);
    lg_errors errors;
    lg_errors_init(&errors, arena, 5);
    lg_schema_options options = {.assert_formats = true,
                                 .document = source,
                                 .steps = 20000,
                                 .limits = &(lg_limits){.regex_steps = 2000}};
    const lg_schema *schema = lg_schema_compile(arena, object, &options, &errors);
    if (schema && !limit) {
        bool opposite = false;
        bool stopped = false;
        check_one(schema, instance, &opposite, &stopped);
        expect(stopped || opposite == !valid);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lg_str text = {(const char *)data, size};
    size_t line = lg_str_find(text, LG_STR("\n"));
    if (line == SIZE_MAX) {
        return 0;
    }
    lg_arena arena;
    lg_arena_init(&arena, (size_t)1 << 26);
    const lg_json *source = NULL;
    const lg_json *instance = NULL;
    if (lg_json_parse_in(&arena, text, 0, line, NULL, &source, NULL) == LG_OK &&
        lg_json_parse_in(&arena, text, line + 1, size, NULL, &instance, NULL) == LG_OK) {
        const lg_schema *open = compile(&arena, source, false);
        const lg_schema *closed = compile(&arena, source, true);
        expect((open == NULL) == (closed == NULL));
        bool valid = false;
        bool limit = false;
        if (open) {
            check_one(open, instance, &valid, &limit);
            check_negation(&arena, source, instance, valid, limit);
        }
        bool strict = false;
        if (closed) {
            check_one(closed, instance, &strict, &limit);
            expect(valid || !strict); // closing refuses more, never less
        }
    }
    lg_arena_done(&arena);
    return 0;
}
