// describe_fixture.h: one text converted, and its document looked into by JSON pointers.
#ifndef LG_DESCRIBE_FIXTURE_H
#define LG_DESCRIBE_FIXTURE_H

#include "lg_test.h"

#include "describe/describe.h"

typedef struct converted {
    lg_arena arena;
    lg_status status;
    lg_error error;
    lg_description *tools;
    const lg_json *root;
} converted;

static inline converted convert(const char *text, lg_describe_input input)
{
    converted c = {.status = LG_OK};
    lg_describe_options options = {.input = input};
    lg_buf out;
    lg_buf_init(&out, 0);
    lg_arena_init(&c.arena, 0);
    c.status = lg_describe_read(&c.arena, lg_str_c(text), &options, &c.tools, &c.error);
    if (c.status == LG_OK) {
        lg_describe_print(&out, c.tools, LG_STR("T"));
        lg_str made = lg_arena_str(&c.arena, lg_buf_str(&out));
        CHECK(lg_json_parse_in(&c.arena, made, 0, made.len, NULL, &c.root, NULL) == LG_OK);
    }
    lg_buf_done(&out);
    return c;
}

static inline void converted_done(converted *c)
{
    lg_arena_done(&c->arena);
}

// What stands at `pointer` below the tool's operation, compared with JSON.
static inline bool holds(converted *c, const char *tool, const char *pointer, const char *json)
{
    lg_str at = lg_arena_printf(&c->arena, "/paths/~1tools~1%s/post%s", tool, pointer);
    const lg_json *found = lg_json_at(c->root, at);
    const lg_json *want = NULL;
    lg_str text = lg_str_c(json);
    CHECK(lg_json_parse_in(&c->arena, text, 0, text.len, NULL, &want, NULL) == LG_OK);
    bool same = found && want && lg_json_equal(found, want);
    if (!same) {
        lg_buf got;
        lg_buf_init(&got, 0);
        lg_json_print(&got, found);
        printf("    %s%s is %.*s\n", tool, pointer, LG_FMT(lg_buf_str(&got)));
        lg_buf_done(&got);
    }
    return same;
}

#define ARGS "/requestBody/content/application~1json/schema"
#define ARG "/requestBody/content/application~1json/schema/properties/"
#define GIVES "/responses/200/content/application~1json/schema/oneOf/0"

#endif
