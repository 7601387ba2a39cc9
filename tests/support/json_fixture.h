// json_fixture.h: values for tests, from texts that must be sound.
#ifndef LG_JSON_FIXTURE_H
#define LG_JSON_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>

#include "json/json.h"

// A value that lives in `arena`, or the end of the test.
static inline const lg_json *fixture_json(lg_arena *arena, const char *text)
{
    const lg_json *value = NULL;
    lg_str copy = lg_arena_str(arena, lg_str_c(text));
    lg_error error;
    if (lg_json_parse_in(arena, copy, 0, copy.len, NULL, &value, &error) != LG_OK) {
        printf("fixture: %s in %s\n", error.msg, text);
        exit(1);
    }
    return value;
}

// The value as compact JSON in `arena`.
static inline lg_str fixture_print(lg_arena *arena, const lg_json *value)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_json_print(&text, value);
    lg_str copy = lg_arena_str(arena, lg_buf_str(&text));
    lg_buf_done(&text);
    return copy;
}

#endif
