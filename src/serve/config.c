// config.c: a configuration's life, and what is wrong with one.
#include "serve/config.h"

#include "base/alloc.h"

#define STOP_MS 30000u

lg_serve_config *lg_serve_config_new(void)
{
    lg_serve_config *c = lg_zalloc(sizeof(*c));
    if (c) {
        lg_arena_init(&c->arena, 0);
        c->listen = LG_STR("127.0.0.1:8080");
        c->timeouts.stop = STOP_MS;
    }
    return c;
}

void lg_serve_config_free(lg_serve_config *config)
{
    if (config) {
        lg_arena arena = config->arena;
        lg_free(config);
        lg_arena_done(&arena);
    }
}

void lg_serve_problems_init(lg_serve_problems *problems)
{
    *problems = (lg_serve_problems){.count = 0};
    lg_arena_init(&problems->arena, 0);
}

void lg_serve_problems_done(lg_serve_problems *problems)
{
    lg_arena_done(&problems->arena);
}

// The same text is copied once, however many errors it has.
static lg_str keep_source(lg_serve_problems *problems, lg_str source)
{
    for (size_t i = 0; i < problems->count; i++) {
        if (lg_str_eq(problems->items[i].source, source)) {
            return problems->items[i].source;
        }
    }
    lg_str copy = lg_arena_str(&problems->arena, source);
    return copy.ptr ? copy : LG_STR("");
}

lg_status lg_serve_problem_add(lg_serve_problems *problems, const lg_error *error, lg_str source)
{
    if (problems->count == LG_SERVE_PROBLEMS_MAX) {
        problems->dropped++;
        return error->status;
    }
    lg_serve_problem p = {.error = *error, .source = keep_source(problems, source)};
    p.error.file = error->file ? lg_arena_str(&problems->arena, lg_str_c(error->file)).ptr : NULL;
    problems->items[problems->count++] = p;
    return error->status;
}
