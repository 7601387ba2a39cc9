// state.c: from a state file to the state, and back.
//
// A place of the state has a prefix, its names up to the first `*`, and a location, where the value
// of that prefix stands in the file. The view is the file with a map at the location of each list of
// records. The state picks the prefixes out of the view; printing puts them back. So whatever the
// pack does not name goes through untouched, and a map in the view keeps the order of its list.
#include "world/world_internal.h"

#include "base/map.h"
#include "json/tree.h"

#include <stdarg.h>
#include <stdio.h>

void lg_world_init(lg_world *world, const lg_pack *pack, const lg_limits *limits)
{
    *world = (lg_world){.pack = pack, .limits = lg_limits_resolve(limits)};
    lg_arena_init(&world->base, world->limits.document_bytes);
    lg_arena_init(&world->arena, world->limits.document_bytes);
    lg_arena_init(&world->work, world->limits.document_bytes);
}

void lg_world_done(lg_world *world)
{
    lg_arena_done(&world->base);
    lg_arena_done(&world->arena);
    lg_arena_done(&world->work);
    *world = (lg_world){0};
}

void lg_world_borrow(lg_world *world, const lg_world *base)
{
    LG_DEBUG_ASSERT(world->pack == base->pack && base->start);
    world->view = base->view;
    world->start = base->start;
    world->sound[0] = base->sound[0];
    lg_world_enter(world, base->start, false);
}

void lg_world_enter(lg_world *world, const lg_json *root, bool sound)
{
    world->root = root;
    world->sound[1] = sound ? root : NULL; // what stood there may be another state by now
}

bool lg_world_is_sound(const lg_world *world)
{
    return world->root && (world->root == world->sound[0] || world->root == world->sound[1]);
}

// --- Where places stand -------------------------------------------------------------------------

// A collection ends in a `*`.
static bool is_collection(const lg_place *place)
{
    return lg_str_eq(place->segments[place->segment_count - 1], LG_STR("*"));
}

static uint32_t prefix_count(const lg_place *place)
{
    return place->segment_count - is_collection(place);
}

static const lg_json *value_at(const lg_json *root, const lg_str *path, uint32_t count)
{
    for (uint32_t i = 0; i < count && root; i++) {
        root = lg_json_get(root, path[i]);
    }
    return root;
}

static bool begins_with(const lg_str *path, uint32_t count, const lg_str *prefix,
                        uint32_t prefix_length)
{
    for (uint32_t i = 0; i < prefix_length; i++) {
        if (i >= count || !lg_str_eq(path[i], prefix[i])) {
            return false;
        }
    }
    return true;
}

// --- Errors of a state file ---------------------------------------------------------------------

typedef struct reading {
    lg_world *world;
    const lg_world_file *file;
    lg_errors *errors;
    bool oom;
} reading;

// Appends the pointer of a place in the file.
static void add_location(lg_buf *out, const lg_place *place)
{
    for (uint32_t i = 0; i < place->at_count; i++) {
        lg_json_pointer_add(out, place->at[i]);
    }
}

LG_PRINTF(5, 6)
static void add_error(reading *r, lg_status status, const lg_json *at, lg_buf *pointer,
                      const char *format, ...)
{
    char text[LG_ERROR_TEXT_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    lg_position position = {.file = r->file->name};
    if (at && at->offset < r->file->text.len) {
        position = lg_text_position(r->file->text, at->offset);
        position.file = r->file->name;
    }
    lg_str where = pointer->len ? lg_buf_str(pointer) : LG_STR("(the whole)");
    lg_str shown = lg_str_cut(where, 160); // the rest is for what is wrong there
    lg_errors_addf(r->errors, status, position, "%.*s%s: %s", LG_FMT(shown),
                   shown.len < where.len ? "..." : "", text);
    lg_buf_done(pointer);
}

static void add_place_error(reading *r, lg_status status, const lg_place *place, const lg_json *at,
                            const char *what)
{
    lg_buf pointer;
    lg_buf_init(&pointer, 0);
    add_location(&pointer, place);
    add_error(r, status, at, &pointer, "%s: the pack's `%.*s` stands here", what,
              LG_FMT(place->text));
}

// --- Lists of records ---------------------------------------------------------------------------

static void add_record_error(reading *r, const lg_place *place, size_t index, const lg_json *record,
                             const char *what)
{
    lg_buf pointer;
    lg_buf_init(&pointer, 0);
    add_location(&pointer, place);
    lg_buf_addf(&pointer, "/%zu", index);
    add_error(r, LG_ERR_TYPE, record, &pointer, "%s `%.*s`, by which `%.*s` are told apart", what,
              LG_FMT(place->record_key), LG_FMT(place->text));
}

// The list as a map, in the same order. False after adding errors, or without memory.
static bool read_records(reading *r, const lg_place *place, const lg_json *list, lg_json *ret)
{
    size_t count = lg_json_len(list);
    lg_json_member *members = lg_json_alloc_members(&r->world->base, count);
    bool sound = true;
    r->oom = r->oom || !members;
    for (size_t i = 0; i < count && members; i++) {
        const lg_json *record = lg_json_item(list, i);
        const lg_json *key = lg_json_get(record, place->record_key);
        if (!lg_json_is(key, LG_JSON_STRING)) {
            add_record_error(r, place, i, record, "needs a text");
            sound = false;
            continue;
        }
        members[i] = lg_json_make_member(lg_json_str(key), *record);
        members[i].key_offset = key->offset;
    }
    if (!sound || !members) {
        return false;
    }
    *ret = lg_json_make_object(members, count);
    ret->offset = list->offset;
    for (size_t i = 0; i < count; i++) { // of two with one key, the map finds one alone
        if (lg_json_get(ret, lg_json_key(&members[i])) != &members[i].value) {
            add_record_error(r, place, i, lg_json_item(list, i), "has the same");
            return false;
        }
    }
    return true;
}

static lg_status list_of(lg_arena *arena, const lg_json *map, lg_json *ret)
{
    size_t count = lg_json_len(map);
    lg_json *items = LG_NEW_ARRAY(arena, lg_json, count + 1);
    if (!items) {
        return LG_ERR_OOM;
    }
    for (size_t i = 0; i < count; i++) {
        items[i] = lg_json_member_at(map, i)->value;
    }
    *ret = lg_json_make_array(items, count);
    return LG_OK;
}

// --- Loading ------------------------------------------------------------------------------------

// Of two places, one inside of the other, the same thing would be kept twice.
static bool check_locations(reading *r)
{
    const lg_places *places = &r->world->pack->state;
    for (size_t i = 0; i < places->count; i++) {
        for (size_t j = 0; j < places->count; j++) {
            const lg_place *a = &places->items[i];
            const lg_place *b = &places->items[j];
            if (i != j && begins_with(a->at, a->at_count, b->at, b->at_count)) {
                lg_errors_addf(r->errors, LG_ERR_TYPE, lg_pack_position(r->world->pack, a->offset),
                               "`%.*s` stands within `%.*s` in a state file", LG_FMT(a->text),
                               LG_FMT(b->text));
                return false;
            }
        }
    }
    return true;
}

// A single record whose schema allows null may be absent, where it could be put.
static bool may_be_absent(const lg_place *place, const lg_json *file)
{
    lg_json null = lg_json_make_null();
    for (uint32_t i = 0; i < place->at_count && file; i++) {
        if (!lg_json_is(file, LG_JSON_OBJECT)) {
            return false;
        }
        file = lg_json_get(file, place->at[i]);
    }
    return !is_collection(place) && lg_schema_validate(place->shape, &null, NULL);
}

static bool read_place(reading *r, const lg_place *place, lg_json *view, lg_json *root)
{
    const lg_json *found = value_at(r->file->value, place->at, place->at_count);
    lg_json value;
    if (!found) {
        if (!may_be_absent(place, r->file->value)) {
            add_place_error(r, LG_ERR_MISSING, place, r->file->value, "is absent");
        }
        return true;
    }
    value = *found;
    if (place->record_key.len) {
        if (!lg_json_is(found, LG_JSON_ARRAY)) {
            add_place_error(r, LG_ERR_TYPE, place, found, "must be a list of records");
            return true;
        }
        if (!read_records(r, place, found, &value)) {
            return !r->oom;
        }
    }
    // The maps of records are made ready now, so that no call has to.
    if (lg_tree_prepare(&r->world->base, &value, &value) != LG_OK) {
        return false;
    }
    if (place->record_key.len &&
        lg_tree_with(&r->world->base, view, place->at, place->at_count, value, view) != LG_OK) {
        return false;
    }
    return lg_tree_with(&r->world->base, root, place->segments, prefix_count(place), value, root) ==
           LG_OK;
}

static bool check_file(reading *r, const lg_place *place, const lg_json *root);

static lg_status read_file(reading *r, lg_json *view, lg_json *root)
{
    const lg_places *places = &r->world->pack->state;
    lg_position nowhere = {.file = r->file->name};
    if (places->count == 0 || !places->root) {
        lg_errors_addf(r->errors, LG_ERR_USAGE, nowhere,
                       "the pack declares no `state`: it does not say what its tools do");
        return LG_ERR_USAGE;
    }
    if (!lg_json_is(r->file->value, LG_JSON_OBJECT)) {
        lg_errors_addf(r->errors, LG_ERR_TYPE, nowhere, "a state file must hold a JSON object");
        return LG_ERR_TYPE;
    }
    *view = *r->file->value;
    *root = *places->root;
    bool fine = check_locations(r);
    for (size_t i = 0; i < places->count && fine; i++) {
        fine = read_place(r, &places->items[i], view, root);
    }
    for (size_t i = 0; i < places->count && fine; i++) {
        fine = check_file(r, &places->items[i], root);
    }
    if (lg_errors_any(r->errors)) {
        return r->errors->count ? r->errors->items[0].status : LG_ERR_TYPE;
    }
    return fine ? LG_OK : LG_ERR_OOM;
}

lg_status lg_world_load(lg_world *world, const lg_world_file *file, lg_errors *errors)
{
    reading r = {.world = world, .file = file, .errors = errors};
    lg_arena_reset(&world->base);
    lg_arena_done(&world->arena);
    lg_arena_reset(&world->work);
    world->tidy_bytes = 0;
    world->view = NULL;
    world->root = NULL;
    world->start = NULL;
    world->sound[0] = NULL;
    world->sound[1] = NULL;
    lg_json *view = LG_NEW(&world->base, lg_json);
    lg_json *root = LG_NEW(&world->base, lg_json);
    lg_status status = view && root ? read_file(&r, view, root) : LG_ERR_OOM;
    if (status == LG_OK) {
        world->view = view;
        world->root = root;
        world->start = root;
    }
    return status;
}

// --- Printing -----------------------------------------------------------------------------------

static lg_status put_places(const lg_world *world, lg_arena *arena, bool as_lists, lg_json *ret)
{
    const lg_places *places = &world->pack->state;
    LG_DEBUG_ASSERT(world->view && world->root); // a state was loaded
    *ret = *world->view;
    for (size_t i = 0; i < places->count; i++) {
        const lg_place *place = &places->items[i];
        const lg_json *value = value_at(world->root, place->segments, prefix_count(place));
        const lg_json *old = value_at(ret, place->at, place->at_count);
        lg_json put = value ? *value : lg_json_make_null();
        lg_status status = LG_OK;
        if (!value && !old) {
            continue;
        }
        if (as_lists && place->record_key.len) {
            status = list_of(arena, &put, &put);
        } else if (value && old && world_is_same(value, old)) {
            continue;
        }
        if (status == LG_OK) {
            status = lg_tree_with(arena, ret, place->at, place->at_count, put, ret);
        }
        if (status != LG_OK) {
            return status;
        }
    }
    return LG_OK;
}

lg_status lg_world_print(const lg_world *world, lg_arena *arena, lg_json *ret)
{
    return put_places(world, arena, true, ret);
}

lg_status lg_world_view(const lg_world *world, lg_arena *arena, lg_json *ret)
{
    return put_places(world, arena, false, ret);
}

// --- Shapes -------------------------------------------------------------------------------------

// The records of a place that are not the same as before, of a file or after a call.
typedef struct shape_check {
    const lg_place *place;
    reading *reading; // either of a file,
    world_run *run;   // or of a call
} shape_check;

// One record, or the place as a whole where `key` is NULL. False to stop at it.
static bool complain(shape_check *c, const lg_str *key, size_t index, const lg_json *value,
                     const char *below, const char *message)
{
    const lg_place *place = c->place;
    lg_buf path;
    LG_DEBUG_ASSERT(!c->reading != !c->run);
    lg_buf_init(&path, 0);
    if (c->reading) {
        add_location(&path, place);
        if (key && place->record_key.len) {
            lg_buf_addf(&path, "/%zu", index);
        } else if (key) {
            lg_json_pointer_add(&path, *key);
        }
        lg_buf_add_c(&path, below);
        add_error(c->reading, LG_ERR_TYPE, value, &path, "%s", message);
        return true; // all of them are told
    }
    for (uint32_t i = 0; i < prefix_count(place); i++) {
        world_print_key(&path, place->segments[i], i == 0);
    }
    if (key) {
        world_print_key(&path, *key, false);
    }
    world_fault(c->run, "%.*s%s%s: %s", LG_FMT(lg_str_cut(lg_buf_str(&path), 160)),
                below[0] ? " at " : "", below, message);
    lg_buf_done(&path);
    return false;
}

static bool check_record(shape_check *c, const lg_str *key, size_t index, const lg_json *value)
{
    const lg_place *place = c->place;
    if (key && place->record_key.len &&
        !lg_str_eq(lg_json_str(lg_json_get(value, place->record_key)), *key)) {
        char text[160];
        snprintf(text, sizeof(text), "`%.*s` must be the key by which it is found",
                 LG_FMT(lg_str_cut(place->record_key, 80)));
        return complain(c, key, index, value, "", text);
    }
    if (lg_schema_validate(place->shape, value, NULL)) {
        return true;
    }
    lg_schema_violation violation = {.instance = value, .msg = "does not fit its schema"};
    lg_schema_report report = {.items = &violation, .capacity = 1};
    (void)lg_schema_validate(place->shape, value, &report);
    return complain(c, key, index, violation.instance, violation.instance_pointer, violation.msg);
}

static bool check_new_record(void *context, const void *item)
{
    const lg_json_member *member = item;
    lg_str key = lg_json_key(member);
    return check_record(context, &key, 0, &member->value);
}

static bool check_collection(shape_check *c, const lg_json *before, const lg_json *map)
{
    if (!lg_json_is(map, LG_JSON_OBJECT)) {
        return complain(c, NULL, 0, map, "", "must be an object: a record for each key");
    }
    if (c->run && map->offset == LG_JSON_MAPPED && before && before->offset == LG_JSON_MAPPED) {
        return lg_map_each_new(before->as.map, map->as.map, check_new_record, c);
    }
    for (size_t i = 0; i < lg_json_len(map); i++) {
        const lg_json_member *member = lg_json_member_at(map, i);
        lg_str key = lg_json_key(member);
        const lg_json *old = lg_json_get(before, key);
        if (!(old && world_is_same(old, &member->value)) &&
            !check_record(c, &key, i, &member->value)) {
            return false;
        }
    }
    return true;
}

static bool check_place(shape_check *c, const lg_json *before, const lg_json *after)
{
    uint32_t count = prefix_count(c->place);
    const lg_json *old = value_at(before, c->place->segments, count);
    const lg_json *value = value_at(after, c->place->segments, count);
    if (!value || (old && world_is_same(old, value))) {
        return true;
    }
    return is_collection(c->place) ? check_collection(c, old, value)
                                   : check_record(c, NULL, 0, value);
}

static bool check_file(reading *r, const lg_place *place, const lg_json *root)
{
    shape_check c = {.place = place, .reading = r};
    return check_place(&c, NULL, root);
}

bool world_check_shapes(world_run *run, const lg_json *before, const lg_json *after)
{
    const lg_places *places = &run->world->pack->state;
    for (size_t i = 0; i < places->count; i++) {
        shape_check c = {.place = &places->items[i], .run = run};
        if (!check_place(&c, before, after)) {
            return false;
        }
    }
    return true;
}
