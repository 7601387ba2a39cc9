// test_lists.c: tools of lists and in words, references, answers, names.
#include "describe_fixture.h"

static void words(void)
{
    converted c = convert("# Tools of the house\n\n"
                          "Tool: get_weather\nGets the weather.\n\nParameters:\n"
                          "- city (string, required): The city\n"
                          "- days: integer, optional, default 3 - how many\n"
                          "* `unit` - one of \"C\" or \"F\", defaults to \"C\"\n"
                          "Returns: the forecast\n  - sky (string): clear or not\n\n"
                          "## send_note\nSends a note. Takes the person's name.\n\n"
                          "book_room(hotel: str, nights=2) - Books a room.\n",
                          LG_DESCRIBE_GUESS);
    CHECK(c.status == LG_OK && c.tools->tool_count == 3 && c.tools->input == LG_DESCRIBE_WORDS);
    CHECK(holds(&c, "get_weather", ARGS "/required", "[\"city\"]"));
    CHECK(holds(&c, "get_weather", ARG "days",
                "{\"type\":\"integer\",\"description\":\"how many\",\"default\":3}"));
    CHECK(holds(&c, "get_weather", ARG "unit/enum", "[\"C\",\"F\"]"));
    CHECK(holds(&c, "get_weather", GIVES "/properties/sky/type", "\"string\""));
    CHECK(holds(&c, "send_note", "/x-ledgergate-by",
                "{\"kind\":\"words\",\"parameters\":\"nothing\",\"success\":\"words\"}"));
    CHECK(holds(&c, "send_note", "/x-ledgergate-unknown", "[\"its parameters\"]"));
    CHECK(holds(&c, "book_room", ARG "nights/default", "2"));
    CHECK(holds(&c, "book_room", "/x-ledgergate-kind", "\"write\""));
    converted_done(&c);
}

static void references(void)
{
    converted c =
        convert("{\"tools\":[{\"name\":\"f\",\"inputSchema\":{\"$schema\":\"http://json-schema.org/"
                "draft-07/schema#\",\"type\":\"object\","
                "\"properties\":{\"n\":{\"$ref\":\"#/$defs/"
                "n\",\"description\":\"N\"},\"l\":{\"items\":[{\"type\":\"string\"}]},"
                "\"x\":{\"$ref\":\"http://elsewhere/"
                "\"}},\"required\":[\"n\",\"gone\"],\"$defs\":{\"n\":{\"type\":\"object\","
                "\"properties\":{\"next\":{\"$ref\":\"#/$defs/n\"}}}}}}]}",
                LG_DESCRIBE_GUESS);
    CHECK(c.status == LG_OK && c.tools->tool_count == 1 && c.tools->finding_count > 0);
    CHECK(holds(&c, "f", ARGS "/required", "[\"n\"]"));
    CHECK(holds(&c, "f", ARG "n/description", "\"N\""));
    CHECK(holds(&c, "f", ARG "n/properties/next/properties/next/description",
                "\"Anything; cut here: it contains itself\""));
    CHECK(holds(&c, "f", ARG "l/prefixItems", "[{\"type\":\"string\"}]"));
    CHECK(
        holds(&c, "f", ARG "x/description", "\"Anything; cut here: its reference leads nowhere\""));
    converted_done(&c);
}

// An error is never a success, whatever the list says of results.
static void answers(void)
{
    static const char *const results[] = {
        "{\"type\":\"object\",\"properties\":{\"error\":{\"type\":\"string\"}}}",
        "{}",
        "{\"type\":\"object\",\"not\":{\"required\":[\"x\"]}}",
        "{\"type\":[\"object\",\"null\"]}",
        "{\"type\":\"string\"}",
        "{\"type\":\"object\",\"required\":[\"error\"]}"};
    for (size_t i = 0; i < LG_COUNT(results); i++) {
        char text[512];
        snprintf(text, sizeof(text),
                 "[{\"name\":\"f\",\"inputSchema\":{\"type\":\"object\"},\"outputSchema\":%s}]",
                 results[i]);
        converted c = convert(text, LG_DESCRIBE_LIST);
        const lg_catalogue *back = NULL;
        CHECK(c.root && lg_catalogue_of(&c.arena, LG_STR(""), c.root, NULL, &back, NULL) == LG_OK);
        const lg_json *error = NULL;
        lg_str wrong = LG_STR("{\"error\":\"no\"}");
        CHECK(lg_json_parse_in(&c.arena, wrong, 0, wrong.len, NULL, &error, NULL) == LG_OK);
        CHECK(back && back->tool_count == 1 &&
              lg_schema_validate(back->tools[0].results, error, NULL));
        converted_done(&c);
    }
}

static void names(void)
{
    converted c =
        convert("[{\"name\":\"a/b {c}\",\"parameters\":{\"type\":\"dict\",\"properties\":{}}},"
                "{\"name\":\"f\",\"parameters\":{\"type\":\"dict\",\"properties\":{\"x\":{\"type\":"
                "\"float\"}}}},"
                "{\"name\":\"f\",\"parameters\":{\"type\":\"dict\",\"properties\":{\"x\":{\"type\":"
                "\"float\"}}}},"
                "{\"name\":\"f\",\"parameters\":{\"type\":\"dict\",\"properties\":{}}}]",
                LG_DESCRIBE_GUESS);
    CHECK(c.status == LG_OK && c.tools->tool_count == 3 && c.tools->repeated == 1);
    CHECK(lg_json_at(c.root, LG_STR("/paths/~1tools~1a%2Fb%20%7Bc%7D/post")) != NULL);
    CHECK_STR(c.tools->tools[2].name, "f_2");
    CHECK(holds(&c, "f", ARG "x/type", "\"number\""));
    converted_done(&c);
}

static void mistakes(void)
{
    converted c = convert("Just some words.\n", LG_DESCRIBE_GUESS);
    CHECK(c.status == LG_ERR_FORMAT && strstr(c.error.msg, "Tool: get_weather"));
    converted_done(&c);
    c = convert("[{\"name\":", LG_DESCRIBE_GUESS);
    CHECK(c.status == LG_ERR_PARSE && c.error.line == 1);
    converted_done(&c);
    c = convert("[]", LG_DESCRIBE_GUESS);
    CHECK(c.status == LG_ERR_FORMAT);
    converted_done(&c);
}

int main(void)
{
    RUN(words);
    RUN(references);
    RUN(answers);
    RUN(names);
    RUN(mistakes);
    return lg_test_done();
}
