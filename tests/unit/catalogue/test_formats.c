// test_formats.c: what `format` means for the arguments of operations, and that it means nothing for other tools.
#include "lg_test.h"

#include "base/str.h"
#include "base/types.h"
#include "catalogue/arguments.h"
#include "catalogue/catalogue.h"

#define PROPERTIES                                                                                 \
    "{\"day\":{\"type\":\"string\",\"format\":\"date\"},"                                          \
    "\"small\":{\"type\":\"integer\",\"format\":\"int32\"},"                                       \
    "\"own\":{\"type\":\"integer\",\"format\":\"int32\",\"maximum\":3000000000},"                  \
    "\"long\":{\"type\":\"integer\",\"format\":\"int64\"},"                                        \
    "\"word\":{\"type\":\"string\",\"format\":\"password\"}}"
#define SCHEMA "{\"type\":\"object\",\"properties\":" PROPERTIES "}"

static const char openapi[] =
    "{\"openapi\":\"3.0.0\",\"paths\":{\"/a\":{\"post\":{\"operationId\":\"a\",\"requestBody\":{"
    "\"content\":{\"application/json\":{\"schema\":" SCHEMA "}}}}}}}";
static const char mcp[] = "{\"tools\":[{\"name\":\"a\",\"inputSchema\":" SCHEMA "}]}";

static bool takes(lg_arena *arena, const lg_catalogue *tools, const char *args)
{
    lg_argument_check check = {0};
    const lg_json *value = NULL;
    lg_str text = lg_str_c(args);
    CHECK(tools->tool_count == 1 && tools->tools[0].arguments);
    CHECK(lg_json_parse_in(arena, text, 0, text.len, NULL, &value, NULL) == LG_OK);
    CHECK(lg_tool_check_arguments(arena, tools->tools[0].arguments, value, text, &check) == LG_OK);
    return check.valid;
}

static void formats_bind_operations_alone(void)
{
    static const struct {
        const char *args;
        bool of_operation;
    } rows[] = {
        {"{\"day\":\"2024-02-29\"}", true},        {"{\"day\":\"2023-02-29\"}", false},
        {"{\"small\":2147483647}", true},          {"{\"small\":2147483648}", false},
        {"{\"small\":-2147483649}", false},        {"{\"own\":3000000000}", true},
        {"{\"own\":-2147483649}", false},          {"{\"long\":9223372036854775807}", true},
        {"{\"long\":9223372036854775808}", false}, {"{\"word\":\"any\"}", true},
    };
    lg_arena arena;
    lg_error err = {0};
    const lg_catalogue *operations = NULL;
    const lg_catalogue *tools = NULL;
    lg_arena_init(&arena, 0);
    if (CHECK(lg_catalogue_read(&arena, lg_str_c(openapi), NULL, &operations, &err) == LG_OK) &&
        CHECK(lg_catalogue_read(&arena, lg_str_c(mcp), NULL, &tools, &err) == LG_OK)) {
        for (size_t i = 0; i < LG_COUNT(rows); i++) {
            CHECK_MSG(takes(&arena, operations, rows[i].args) == rows[i].of_operation,
                      rows[i].args);
            CHECK_MSG(takes(&arena, tools, rows[i].args), rows[i].args);
        }
    }
    lg_arena_done(&arena);
}

// Nothing is said against the tool, and all but this format of it is checked.
static void a_format_that_cannot_be_asserted_costs_no_tool(void)
{
    static const char text[] =
        "{\"openapi\":\"3.0.0\",\"paths\":{\"/a\":{\"get\":{\"operationId\":\"a\",\"parameters\":["
        "{\"name\":\"host\",\"in\":\"query\",\"schema\":{\"type\":\"string\",\"format\":"
        "\"idn-hostname\"}}]}}}}";
    lg_arena arena;
    lg_error err = {0};
    const lg_catalogue *tools = NULL;
    lg_arena_init(&arena, 0);
    if (CHECK(lg_catalogue_read(&arena, lg_str_c(text), NULL, &tools, &err) == LG_OK)) {
        CHECK(takes(&arena, tools, "{\"host\":\"b\\u00fccher.example\"}"));
        CHECK(!takes(&arena, tools, "{\"host\":1}"));
    }
    lg_arena_done(&arena);
}

int main(void)
{
    RUN(formats_bind_operations_alone);
    RUN(a_format_that_cannot_be_asserted_costs_no_tool);
    return lg_test_done();
}
