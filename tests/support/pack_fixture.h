// pack_fixture.h: packs and arguments for tests, from texts that must be sound.
#ifndef LG_PACK_FIXTURE_H
#define LG_PACK_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>

#include "pack/pack.h"

// The pack, or the end of the test with what is wrong with it.
static inline lg_pack *fixture_pack_with(const char *yaml, const lg_limits *limits)
{
    lg_pack *pack = NULL;
    lg_error errors[8];
    size_t count = 0;
    if (lg_pack_load_text(lg_str_c(yaml), "fixture.yaml", limits, &pack, errors, 8, &count) ==
        LG_OK) {
        return pack;
    }
    for (size_t i = 0; i < count && i < 8; i++) {
        printf("fixture.yaml:%u:%u: %s\n", errors[i].line, errors[i].column, errors[i].msg);
    }
    exit(1);
}

static inline lg_pack *fixture_pack(const char *yaml)
{
    return fixture_pack_with(yaml, NULL);
}

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
