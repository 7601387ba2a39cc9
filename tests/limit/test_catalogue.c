// test_catalogue.c: the ceilings of catalogues, from both sides.
#include "lg_test.h"

#include "base/types.h"
#include "catalogue/catalogue.h"

// A list of `count` tools; `described` is what each says of itself.
static lg_status read_many(lg_arena *arena, size_t count, const char *described,
                           const lg_catalogue **ret, lg_error *error)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    for (size_t i = 0; i < count; i++) {
        lg_buf_addf(&text, "%s{\"name\":\"t%zu\",\"description\":\"%s\",\"parameters\":{}}",
                    i ? "," : "[", i, described);
    }
    lg_buf_add_c(&text, "]");
    lg_str kept = lg_arena_str(arena, lg_buf_str(&text));
    lg_buf_done(&text);
    return lg_catalogue_read(arena, kept, NULL, ret, error);
}

static void tools_are_counted(void)
{
    for (size_t more = 0; more < 2; more++) {
        lg_arena arena;
        lg_error error = {0};
        const lg_catalogue *c = NULL;
        lg_arena_init(&arena, 0);
        lg_status status = read_many(&arena, LG_CATALOGUE_TOOLS_MAX + more, "d", &c, &error);
        if (more) {
            CHECK(status == LG_ERR_LIMIT && c == NULL);
            CHECK_STR(lg_str_c(error.msg), "more than 100000 tools");
        } else {
            CHECK(status == LG_OK && c && c->tool_count == LG_CATALOGUE_TOOLS_MAX);
        }
        lg_arena_done(&arena);
    }
}

static void findings_are_dropped_and_counted(void)
{
    for (size_t more = 0; more < 2; more++) {
        lg_arena arena;
        lg_error error = {0};
        const lg_catalogue *c = NULL;
        lg_arena_init(&arena, 0);
        CHECK(read_many(&arena, LG_CATALOGUE_FINDINGS_MAX + more, "", &c, &error) == LG_OK);
        CHECK(c && c->finding_count == LG_CATALOGUE_FINDINGS_MAX && c->findings_dropped == more);
        lg_arena_done(&arena);
    }
}

// A schema that nests lists `depth` deep, the innermost one with a foreign word.
static const lg_catalogue *read_deep(lg_arena *arena, size_t depth)
{
    lg_buf text;
    const lg_catalogue *c = NULL;
    lg_buf_init(&text, 0);
    lg_buf_add_c(&text, "[{\"name\":\"a\",\"description\":\"d\",\"parameters\":{\"type\":\"dict\"");
    for (size_t i = 0; i < depth; i++) {
        lg_buf_add_c(&text, ",\"items\":{\"type\":\"tuple\"");
    }
    for (size_t i = 0; i < depth; i++) {
        lg_buf_add_c(&text, "}");
    }
    lg_buf_add_c(&text, "}}]");
    lg_str kept = lg_arena_str(arena, lg_buf_str(&text));
    lg_buf_done(&text);
    CHECK(lg_catalogue_read(arena, kept, NULL, &c, NULL) == LG_OK);
    return c;
}

static void words_below_the_ceiling_are_no_types(void)
{
    for (size_t more = 0; more < 2; more++) {
        lg_arena arena;
        lg_arena_init(&arena, 0);
        const lg_catalogue *c = read_deep(&arena, LG_CATALOGUE_DEPTH_MAX + more);
        CHECK(c && c->tool_count == 1 && (c->tools[0].arguments != NULL) == (more == 0));
        CHECK(c && c->error_count == more);
        lg_arena_done(&arena);
    }
}

int main(void)
{
    RUN(tools_are_counted);
    RUN(findings_are_dropped_and_counted);
    RUN(words_below_the_ceiling_are_no_types);
    return lg_test_done();
}
