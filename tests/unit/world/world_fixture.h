// world_fixture.h: a small shop whose state is in a file, and calls of a tool `t` that a test writes.
#ifndef LG_WORLD_FIXTURE_H
#define LG_WORLD_FIXTURE_H

#include "lg_test.h"
#include "pack_fixture.h"
#include "world/world.h"

#define SHOP_STATE                                                                                 \
    "{\"users\":{\"ada\":{\"name\":\"Ada\",\"balance\":5,\"tags\":[\"a\",\"b\"]},"                 \
    "\"bob\":{\"name\":\"Bob\",\"balance\":0.5,\"tags\":[]}},"                                     \
    "\"kept\":{\"x\":[1,2]},"                                                                      \
    "\"db\":{\"orders\":[{\"id\":\"#2\",\"status\":\"open\",\"items\":[{\"sku\":\"x\",\"n\":1},"   \
    "{\"sku\":\"y\",\"n\":2}]},{\"id\":\"#1\",\"status\":\"paid\",\"items\":[],\"by\":\"ada\"}],"  \
    "\"other\":true},"                                                                             \
    "\"phone\":{\"on\":false},\"loose\":{\"text\":\"t\",\"list\":[1],\"none\":null}}"

// Everything but the tools. Places of each sort: a map, a list of records, records, one that may be
// absent.
static const char shop_head[] =
    "pack: shop\n"
    "version: '1'\n"
    "clock: 2024-05-15T15:00:00Z\n"
    "types:\n"
    "  User:\n"
    "    type: object\n"
    "    properties: {name: {type: string}, balance: {type: number},\n"
    "                 tags: {type: array, items: {type: string}}, email: {type: string}}\n"
    "    required: [name, balance]\n"
    "  Item:\n"
    "    type: object\n"
    "    properties: {sku: {type: string}, n: {type: integer}}\n"
    "  Order:\n"
    "    type: object\n"
    "    properties: {id: {type: string}, status: {enum: [open, paid, shut]},\n"
    "                 items: {type: array, items: {$ref: '#/types/Item'}},\n"
    "                 by: {type: [string, 'null']}}\n"
    "    required: [id, status, items]\n"
    "  Phone: {type: object, properties: {on: {type: boolean}, bars: {type: number}}}\n"
    "state:\n"
    "  users.*: User\n"
    "  orders.*: {is: Order, key: id, at: db.orders}\n"
    "  device: {is: Phone, at: phone}\n"
    "  memo: {is: {type: [string, 'null']}, at: notes.memo}\n"
    "  loose: {type: object}\n"
    "ledger: {seen: {type: string}}\n";

typedef struct shop {
    lg_pack *pack;
    lg_world world;
    lg_arena arena;
    const lg_json *file;
    lg_world_outcome outcome; // of the latest call
} shop;

// A world of the head and `rest`, with no state yet.
static inline void shop_make(shop *s, const char *rest)
{
    *s = (shop){0};
    lg_arena_init(&s->arena, 0);
    lg_str text = lg_arena_printf(&s->arena, "%s%s", shop_head, rest);
    s->pack = fixture_pack(text.ptr);
    lg_world_init(&s->world, s->pack, NULL);
}

// Loads `document`; all errors, one a line.
static inline lg_str shop_load(shop *s, const char *document)
{
    lg_errors errors;
    lg_errors_init(&errors, &s->arena, 5);
    lg_str text = lg_arena_str(&s->arena, lg_str_c(document));
    s->file = fixture_json(&s->arena, text.ptr);
    lg_world_file file = {.value = s->file, .text = text, .name = "db.json"};
    lg_status status = lg_world_load(&s->world, &file, &errors);
    CHECK((status == LG_OK) == !lg_errors_any(&errors));
    CHECK((status == LG_OK) == (s->world.root != NULL));
    lg_str told = LG_STR("");
    for (size_t i = 0; i < errors.count; i++) {
        told = lg_arena_printf(&s->arena, "%.*s%u:%u %s\n", LG_FMT(told), errors.items[i].line,
                               errors.items[i].column, errors.items[i].msg);
    }
    return errors.dropped
               ? lg_arena_printf(&s->arena, "%.*sand %zu more\n", LG_FMT(told), errors.dropped)
               : told;
}

static inline void shop_open(shop *s, const char *rest)
{
    shop_make(s, rest);
    CHECK_STR(shop_load(s, SHOP_STATE), "");
}

static inline void shop_close(shop *s)
{
    lg_world_done(&s->world);
    lg_pack_free(s->pack);
    lg_arena_done(&s->arena);
}

// What differs between two values: `path: before -> after`, one after the other.
static inline lg_str shop_differences(shop *s, const lg_json *before, const lg_json *after)
{
    lg_world_differences found = {.arena = &s->arena, .limit = 20};
    lg_world_compare(before, after, &found);
    lg_str told = LG_STR("");
    for (size_t i = 0; i < found.count; i++) {
        const lg_world_difference *d = &found.items[i];
        told = lg_arena_printf(
            &s->arena, "%.*s; %.*s: %.*s -> %.*s", LG_FMT(told), LG_FMT(d->path),
            LG_FMT(d->before ? fixture_print(&s->arena, d->before) : LG_STR("(none)")),
            LG_FMT(d->after ? fixture_print(&s->arena, d->after) : LG_STR("(none)")));
    }
    CHECK(found.total == found.count && !found.oom);
    return told;
}

// Calls `tool`. How it ended, what it gave and what it changed, in one line.
static inline lg_str shop_call(shop *s, const char *tool, const char *args, bool by_user)
{
    lg_world_call call = {.tool = lg_str_c(tool),
                          .args = args[0] == '{' || args[0] == '[' ? fixture_json(&s->arena, args)
                                                                   : NULL,
                          .args_text = lg_str_c(args),
                          .by_user = by_user};
    const lg_json *before = s->world.root;
    lg_json seen;
    lg_json kept = *before;
    CHECK(lg_world_call_tool(&s->world, &call, &s->outcome, NULL) == LG_OK);
    const lg_world_outcome *o = &s->outcome;
    CHECK(o->end == LG_WORLD_DONE || lg_world_is_half_done(o) || s->world.root == before);
    CHECK(lg_world_view(&s->world, &s->arena, &seen) == LG_OK);
    CHECK(memcmp(&kept, before, sizeof(kept)) == 0); // a state never changes
    lg_str told = lg_str_c(lg_world_end_name(o->end));
    if (o->result) {
        lg_buf text;
        lg_buf_init(&text, 0);
        lg_world_print_outcome(&text, o);
        told = lg_arena_printf(&s->arena, "%.*s %.*s", LG_FMT(told), LG_FMT(lg_buf_str(&text)));
        lg_buf_done(&text);
    }
    if (o->end == LG_WORLD_FAULT) {
        CHECK(o->fault.line > 0 && o->fault.column > 0);
        told = lg_arena_printf(&s->arena, "%.*s %s", LG_FMT(told), o->fault.msg);
    }
    for (size_t i = 0; i < o->breach_count; i++) {
        told = lg_arena_printf(&s->arena, "%.*s; broken %.*s%s%.*s", LG_FMT(told),
                               LG_FMT(o->breaches[i].condition->id),
                               o->breaches[i].why.len ? ": " : "", LG_FMT(o->breaches[i].why));
    }
    lg_str changes = shop_differences(s, before, s->world.root);
    return lg_arena_printf(&s->arena, "%.*s%.*s", LG_FMT(told), LG_FMT(changes));
}

#endif
