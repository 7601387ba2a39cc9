// kept.c: the state of the open world: looking into it, and the next one.
#include "simulate/open_world_internal.h"

#include "catalogue/kind.h"
#include "json/tree.h"

#include <stdlib.h>

#define COLLECTIONS LG_STR("collections")
#define SINGLETONS LG_STR("singletons")
#define DELETED LG_STR("deleted")
#define SEEN LG_STR("seen")

static lg_str singular_of(lg_str name, ow_word *room)
{
    *room = ow_singular(ow_plain(name));
    return (lg_str){room->text, room->len};
}

// The key of a singleton is empty, or that of its parents.
static bool is_singleton(lg_str key)
{
    return key.len == 0 || key.ptr[key.len - 1] == '/';
}

// `users/avatar/7` of the avatar of user 7.
static lg_str singleton_name(const ow_kept *kept, lg_str collection, lg_str key)
{
    return key.len == 0 ? collection
                        : lg_arena_printf(kept->arena, "%.*s/%.*s", LG_FMT(collection),
                                          (int)key.len - 1, key.ptr);
}

// --- A user's own -------------------------------------------------------------------------------

// One that holds entities, or, of a singleton, what is one.
static bool is_own(const lg_json *value, bool singleton)
{
    if (singleton || lg_json_is(value, LG_JSON_ARRAY)) {
        return lg_json_is(value, LG_JSON_OBJECT) == singleton;
    }
    return lg_json_is(value, LG_JSON_OBJECT) &&
           (lg_json_len(value) == 0 ||
            lg_json_is(&lg_json_member_at(value, 0)->value, LG_JSON_OBJECT));
}

static const lg_json_member *own_member(const ow_kept *kept, lg_str collection, bool singleton)
{
    const lg_str ours[] = {COLLECTIONS, SINGLETONS, DELETED, SEEN};
    for (size_t i = 0; collection.len && i < lg_json_len(&kept->root); i++) {
        const lg_json_member *member = lg_json_member_at(&kept->root, i);
        ow_word room, wanted;
        bool mine = false;
        for (size_t j = 0; j < LG_COUNT(ours) && !mine; j++) {
            mine = lg_str_eq(lg_json_key(member), ours[j]);
        }
        if (!mine && is_own(&member->value, singleton) &&
            lg_str_eq(singular_of(lg_json_key(member), &room), singular_of(collection, &wanted))) {
            return member;
        }
    }
    return NULL;
}

const lg_json *ow_own(const ow_kept *kept, lg_str collection, bool singleton)
{
    const lg_json_member *member = own_member(kept, collection, singleton);
    return member ? &member->value : NULL;
}

// A key, and the whole number that it may be.
typedef struct sought {
    lg_str key;
    bool is_int;
    int64_t number;
} sought;

static sought seek(lg_str key)
{
    sought s = {.key = key};
    const lg_json *number = NULL;
    lg_arena arena;
    lg_arena_init(&arena, 0);
    if (key.len < 21 && lg_json_parse_in(&arena, key, 0, key.len, NULL, &number, NULL) == LG_OK) {
        s.is_int = lg_json_is(number, LG_JSON_INT) && lg_json_int(number, &s.number);
    }
    lg_arena_done(&arena);
    return s;
}

// False: ow_key_text() of the value is surely another one. Most values of a large collection end here, without a word being
// written.
static bool may_be(const sought *s, const lg_json *value)
{
    switch (value->type) {
    case LG_JSON_INT:
        return s->is_int && value->as.i64 == s->number;
    case LG_JSON_STRING:
        return lg_str_starts(lg_json_str(value), s->key);
    case LG_JSON_NULL:
    case LG_JSON_BOOL:
    case LG_JSON_UINT:
    case LG_JSON_DOUBLE:
    case LG_JSON_BIGNUM:
    case LG_JSON_ARRAY:
    case LG_JSON_OBJECT:
        return true;
    }
    return true;
}

static bool any_may_be(const sought *s, const lg_json *object)
{
    bool may = !lg_json_is(object, LG_JSON_OBJECT);
    for (size_t i = 0; !may && i < lg_json_len(object); i++) {
        const lg_json *value = &lg_json_member_at(object, i)->value;
        may = value->type != LG_JSON_ARRAY && value->type != LG_JSON_OBJECT && // which are no ids
              may_be(s, value);
    }
    return may;
}

// The element of an own array whose id is the key, or SIZE_MAX.
static size_t own_index(const ow_kept *kept, const lg_json *array, const ow_about *about,
                        lg_str key)
{
    sought wanted = seek(key);
    for (size_t i = 0; i < lg_json_len(array); i++) {
        if (!any_may_be(&wanted, &array->as.items[i])) {
            continue;
        }
        const lg_json_member *id = ow_id_member(&array->as.items[i], about->id_name, about->noun);
        if (id && lg_str_eq(ow_key_text(kept->arena, &id->value), key)) {
            return i;
        }
    }
    return SIZE_MAX;
}

static const lg_json *own_entity(const ow_kept *kept, const lg_json *own, const ow_about *about,
                                 lg_str key)
{
    if (lg_json_is(own, LG_JSON_ARRAY)) {
        size_t at = own_index(kept, own, about, key);
        return at == SIZE_MAX ? NULL : &own->as.items[at];
    }
    return key.len == 0 ? own : lg_json_get(own, key);
}

// --- Looking ------------------------------------------------------------------------------------

static const lg_json *entry_of(const ow_kept *kept, lg_str branch, lg_str collection, lg_str key)
{
    return lg_json_get(lg_json_get(lg_json_get(&kept->root, branch), collection), key);
}

bool ow_is_deleted(const ow_kept *kept, lg_str collection, lg_str key)
{
    return entry_of(kept, DELETED, collection, key) != NULL;
}

const lg_json *ow_written(const ow_kept *kept, const ow_about *about, lg_str key)
{
    const lg_json *own = ow_own(kept, about->collection, key.len == 0);
    const lg_json *found = own ? own_entity(kept, own, about, key) : NULL;
    if (!own && is_singleton(key)) {
        found = lg_json_get(lg_json_get(&kept->root, SINGLETONS),
                            singleton_name(kept, about->collection, key));
    } else if (!own) {
        found = entry_of(kept, COLLECTIONS, about->collection, key);
    }
    return lg_json_is(found, LG_JSON_OBJECT) ? found : NULL;
}

const lg_json *ow_seen(const ow_kept *kept, lg_str collection, lg_str key)
{
    const lg_json *found = entry_of(kept, SEEN, collection, key);
    return lg_json_is(found, LG_JSON_OBJECT) ? found : NULL;
}

// Is `name` that of the id, or one of the two in {idOrName}?
static bool is_named(lg_str id_name, const ow_word *plain, lg_str name)
{
    ow_word word = ow_plain(name);
    lg_str text = {word.text, word.len};
    bool either = false;
    bool part = false;
    size_t at = 0;
    for (lg_str next; (next = lg_words_next(id_name, &at)).len > 0;) {
        either = either || lg_str_eq_any_case(next, LG_STR("or"));
        part = part || lg_str_eq_any_case(next, text);
    }
    return lg_str_eq((lg_str){plain->text, plain->len}, text) || (either && part);
}

static lg_str search_in(const ow_kept *kept, const lg_json *entities, const ow_about *about,
                        lg_str wanted)
{
    ow_word name = ow_plain(about->id_name);
    sought key = seek(wanted);
    for (size_t i = 0; lg_json_is(entities, LG_JSON_OBJECT) && i < lg_json_len(entities); i++) {
        const lg_json_member *entity = lg_json_member_at(entities, i);
        if (!lg_str_starts(lg_json_key(entity), about->parent)) {
            continue;
        }
        for (size_t j = 0;
             lg_json_is(&entity->value, LG_JSON_OBJECT) && j < lg_json_len(&entity->value); j++) {
            const lg_json_member *member = lg_json_member_at(&entity->value, j);
            if (may_be(&key, &member->value) &&
                is_named(about->id_name, &name, lg_json_key(member)) &&
                lg_str_eq(ow_key_text(kept->arena, &member->value), wanted)) {
                return lg_json_key(entity);
            }
        }
    }
    return LG_STR("");
}

lg_str ow_search(const ow_kept *kept, const ow_about *about, const lg_json *id)
{
    lg_str wanted = ow_key_text(kept->arena, id);
    const lg_json *own = ow_own(kept, about->collection, false);
    if (own) {
        return search_in(kept, own, about, wanted);
    }
    lg_str found = search_in(
        kept, lg_json_get(lg_json_get(&kept->root, COLLECTIONS), about->collection), about, wanted);
    return found.len
               ? found
               : search_in(kept, lg_json_get(lg_json_get(&kept->root, SEEN), about->collection),
                           about, wanted);
}

// --- Counting -----------------------------------------------------------------------------------

static size_t count_below(const lg_json *branch)
{
    size_t count = 0;
    for (size_t i = 0; lg_json_is(branch, LG_JSON_OBJECT) && i < lg_json_len(branch); i++) {
        count += lg_json_len(&lg_json_member_at(branch, i)->value);
    }
    return count;
}

size_t ow_count_written(const ow_kept *kept)
{
    const lg_str ours[] = {COLLECTIONS, SINGLETONS, DELETED, SEEN};
    size_t count = lg_json_len(lg_json_get(&kept->root, SINGLETONS)) +
                   count_below(lg_json_get(&kept->root, COLLECTIONS)) +
                   count_below(lg_json_get(&kept->root, DELETED));
    for (size_t i = 0; i < lg_json_len(&kept->root); i++) {
        const lg_json_member *member = lg_json_member_at(&kept->root, i);
        bool mine = false;
        for (size_t j = 0; j < LG_COUNT(ours); j++) {
            mine = mine || lg_str_eq(lg_json_key(member), ours[j]);
        }
        count += mine ? 0 : lg_json_len(&member->value);
    }
    return count;
}

size_t ow_count_seen(const ow_kept *kept)
{
    return count_below(lg_json_get(&kept->root, SEEN));
}

size_t ow_seen_count(const ow_kept *kept, lg_str collection)
{
    return lg_json_len(lg_json_get(lg_json_get(&kept->root, SEEN), collection));
}

const lg_json *ow_seen_at(const ow_kept *kept, lg_str collection, size_t index, lg_str *ret_key)
{
    const lg_json *all = lg_json_get(lg_json_get(&kept->root, SEEN), collection);
    *ret_key = lg_json_key(lg_json_member_at(all, index));
    return &lg_json_member_at(all, index)->value;
}

size_t ow_count_in(const ow_kept *kept, lg_str collection)
{
    return ow_written_count(kept, collection) +
           lg_json_len(lg_json_get(lg_json_get(&kept->root, DELETED), collection));
}

size_t ow_written_count(const ow_kept *kept, lg_str collection)
{
    return lg_json_len(ow_all_written(kept, collection));
}

const lg_json *ow_all_written(const ow_kept *kept, lg_str collection)
{
    const lg_json *own = ow_own(kept, collection, false);
    return own ? own : lg_json_get(lg_json_get(&kept->root, COLLECTIONS), collection);
}

const lg_json *ow_written_at(const ow_kept *kept, lg_str collection, size_t index, lg_str *ret_key)
{
    return ow_entity_at(ow_all_written(kept, collection), index, ret_key);
}

const lg_json *ow_entity_at(const lg_json *all, size_t index, lg_str *ret_key)
{
    *ret_key = LG_STR("");
    if (lg_json_is(all, LG_JSON_ARRAY)) {
        return &all->as.items[index];
    }
    LG_ASSERT(all); // it has more than `index`
    *ret_key = lg_json_key(lg_json_member_at(all, index));
    return &lg_json_member_at(all, index)->value;
}

// --- The next state -----------------------------------------------------------------------------

static void put(ow_kept *kept, const lg_str *path, size_t count, lg_json value)
{
    lg_json root;
    if (lg_tree_with(kept->arena, &kept->root, path, count, value, &root) != LG_OK) {
        kept->oom = true;
        return;
    }
    kept->root = root;
    kept->changed = true;
}

// Takes `key` out of a collection of a branch, and the collection with its last.
static void take_out(ow_kept *kept, lg_str branch, lg_str collection, lg_str key)
{
    const lg_json *all = lg_json_get(&kept->root, branch);
    const lg_json *entities = lg_json_get(all, collection);
    lg_json left;
    if (!lg_json_get(entities, key)) {
        return;
    }
    if (lg_tree_without_member(kept->arena, entities, key, &left) != LG_OK) {
        kept->oom = true;
    } else if (lg_json_len(&left) > 0) {
        put(kept, (lg_str[]){branch, collection}, 2, left);
    } else if (lg_tree_without_member(kept->arena, all, collection, &left) == LG_OK) {
        put(kept, &branch, 1, left);
    } else {
        kept->oom = true;
    }
}

// The own collection with `entity` (NULL: without it) at the key.
static void write_own(ow_kept *kept, const lg_json_member *own, const ow_about *about, lg_str key,
                      const lg_json *entity)
{
    lg_str name = lg_json_key(own);
    lg_json all;
    lg_status status = LG_OK;
    if (lg_json_is(&own->value, LG_JSON_ARRAY)) {
        size_t at = own_index(kept, &own->value, about, key);
        if (at == SIZE_MAX) {
            status =
                entity ? lg_tree_with_item(kept->arena, &own->value, *entity, &all) : LG_ERR_USAGE;
        } else {
            status = entity ? lg_tree_with_item_at(kept->arena, &own->value, at, *entity, &all)
                            : lg_tree_without_item(kept->arena, &own->value, at, &all);
        }
    } else if (key.len == 0) {
        all = entity ? *entity : lg_json_make_object(NULL, 0);
    } else {
        status = entity ? lg_tree_with_member(kept->arena, &own->value, key, *entity, &all)
                        : lg_tree_without_member(kept->arena, &own->value, key, &all);
    }
    kept->oom = kept->oom || status == LG_ERR_OOM;
    if (status == LG_OK) {
        put(kept, &name, 1, all);
    }
}

void ow_write(ow_kept *kept, const ow_about *about, lg_str key, const lg_json *entity)
{
    bool own = own_member(kept, about->collection, key.len == 0) != NULL;
    take_out(kept, DELETED, about->collection, key);
    take_out(kept, SEEN, about->collection, key);
    if (own) {
        write_own(kept, own_member(kept, about->collection, key.len == 0), about, key, entity);
    } else if (is_singleton(key)) {
        put(kept, (lg_str[]){SINGLETONS, singleton_name(kept, about->collection, key)}, 2, *entity);
    } else {
        put(kept, (lg_str[]){COLLECTIONS, about->collection, key}, 3, *entity);
    }
}

void ow_see(ow_kept *kept, lg_str collection, lg_str key, const lg_json *entity)
{
    put(kept, (lg_str[]){SEEN, collection, key}, 3, *entity);
}

void ow_delete(ow_kept *kept, const ow_about *about, lg_str key)
{
    bool own = own_member(kept, about->collection, key.len == 0) != NULL;
    take_out(kept, SEEN, about->collection, key);
    if (own) {
        write_own(kept, own_member(kept, about->collection, key.len == 0), about, key, NULL);
    } else if (is_singleton(key)) {
        lg_json left;
        const lg_json *all = lg_json_get(&kept->root, SINGLETONS);
        lg_str name = singleton_name(kept, about->collection, key);
        if (all && lg_tree_without_member(kept->arena, all, name, &left) == LG_OK) {
            lg_str branch = SINGLETONS;
            put(kept, &branch, 1, left);
        }
    } else {
        take_out(kept, COLLECTIONS, about->collection, key);
    }
    put(kept, (lg_str[]){DELETED, about->collection, key}, 3, lg_json_make_bool(true));
}

void ow_unsee(ow_kept *kept, lg_str collection, lg_str key)
{
    take_out(kept, SEEN, collection, key);
}

void ow_forget_seen(ow_kept *kept)
{
    lg_json root;
    if (lg_tree_without_member(kept->arena, &kept->root, SEEN, &root) == LG_OK) {
        kept->root = root;
        kept->changed = true;
    } else {
        kept->oom = true;
    }
}

// --- One view of what was written and what was shown --------------------------------------------

static int by_key(const void *a, const void *b)
{
    return lg_str_cmp(lg_json_key(a), lg_json_key(b));
}

// The entities of both, by key: so that an entity stands where it stood, whichever it was of.
static bool unite(lg_arena *arena, const lg_json *written, const lg_json *seen, lg_json *ret)
{
    size_t count = lg_json_len(written);
    size_t more = lg_json_len(seen);
    lg_json_member *members = lg_json_alloc_members(arena, count + more);
    for (size_t i = 0; members && i < count + more; i++) {
        members[i] =
            *(i < count ? lg_json_member_at(written, i) : lg_json_member_at(seen, i - count));
    }
    if (members) {
        qsort(members, count + more, sizeof(*members), by_key);
        *ret = lg_json_make_object(members, count + more);
    }
    return members != NULL;
}

// All collections that either state has, as `state` has them.
static bool unite_collections(lg_arena *arena, const lg_json *state, const lg_json *other,
                              lg_json *ret)
{
    const lg_json *const parts[] = {lg_json_get(state, COLLECTIONS), lg_json_get(state, SEEN),
                                    lg_json_get(other, COLLECTIONS), lg_json_get(other, SEEN)};
    size_t count = 0;
    size_t used = 0;
    for (size_t i = 0; i < LG_COUNT(parts); i++) {
        count += lg_json_is(parts[i], LG_JSON_OBJECT) ? lg_json_len(parts[i]) : 0;
    }
    lg_json_member *members = lg_json_alloc_members(arena, count);
    for (size_t i = 0; members && i < LG_COUNT(parts); i++) {
        size_t here = lg_json_is(parts[i], LG_JSON_OBJECT) ? lg_json_len(parts[i]) : 0;
        for (size_t j = 0; j < here; j++) {
            lg_str name = lg_json_key(lg_json_member_at(parts[i], j));
            bool known = false;
            for (size_t k = 0; k < i && !known; k++) {
                known = lg_json_get(parts[k], name) != NULL;
            }
            lg_json entities;
            if (known) {
                continue;
            }
            if (!unite(arena, lg_json_get(parts[0], name), lg_json_get(parts[1], name),
                       &entities)) {
                return false;
            }
            members[used++] = lg_json_make_member(name, entities);
        }
    }
    if (members) {
        qsort(members, used, sizeof(*members), by_key);
        *ret = lg_json_make_object(members, used);
    }
    return members != NULL;
}

bool lg_open_world_view(lg_arena *arena, const lg_json *state, const lg_json *other, lg_json *ret)
{
    const lg_str always[] = {SINGLETONS, DELETED};
    lg_json view = lg_json_is(state, LG_JSON_OBJECT) ? *state : lg_json_make_object(NULL, 0);
    lg_json all;
    bool oom = !unite_collections(arena, &view, other, &all);
    view = oom ? view : ow_with(arena, &view, COLLECTIONS, all, &oom);
    view = ow_without(arena, &view, SEEN, &oom);
    for (size_t i = 0; i < LG_COUNT(always); i++) {
        view = lg_json_get(&view, always[i])
                   ? view
                   : ow_with(arena, &view, always[i], lg_json_make_object(NULL, 0), &oom);
    }
    *ret = view;
    return !oom;
}
