// embedded.c: entities in entities. The `category` of a pet is one of the categories, and one element of its `tags` is a tag:
// whoever shows it, the same id has the same fields, and what reads categories finds it.
//
// The name of the member says which they are: those of an operation whose path ends in /categories/{id}, if there is one.
#include "base/hash.h"
#include "simulate/open_world_internal.h"

#define EMBEDDED_DEPTH_MAX 3u
#define EMBEDDED_MAX 200u // in one entity

// Of `about` its collection and noun are those of the latest, and nothing else is ever set.
typedef struct walk {
    ow_turn *turn;
    uint32_t count;
    ow_about about;
} walk;

static walk begin(ow_turn *turn)
{
    return (walk){.turn = turn,
                  .about = {.action = OW_READ_ONE,
                            .noun = LG_STR(""),
                            .collection = LG_STR(""),
                            .parent = LG_STR(""),
                            .id_name = LG_STR(""),
                            .holder = LG_STR(""),
                            .key = LG_STR("")}};
}

// Only what is surely an id: `code` and `number` are mostly something else in what is no entity of its own.
static const lg_json_member *sure_id(const lg_json *object, lg_str noun)
{
    const lg_json_member *id = ow_id_member(object, LG_STR(""), noun);
    ow_word word = id ? ow_plain(lg_json_key(id)) : (ow_word){.len = 0};
    return ow_word_ends(&word, "id") ? id : NULL;
}

static bool has_entities(const lg_json *value)
{
    const lg_json *first =
        lg_json_is(value, LG_JSON_ARRAY) && lg_json_len(value) ? &value->as.items[0] : value;
    return lg_json_is(first, LG_JSON_OBJECT) && lg_json_len(first) > 1;
}

static bool make_kind(ow_turn *turn, lg_str name, ow_kind_of *ret)
{
    ow_word word = ow_singular(ow_plain(name));
    lg_str noun = lg_arena_str(turn->arena, (lg_str){word.text, word.len});
    turn->oom = turn->oom || !noun.ptr;
    if (!noun.ptr || noun.len == 0) {
        return false;
    }
    *ret = (ow_kind_of){.name = name, .noun = noun};
    ret->collection = ow_collection_of(turn->arena, turn->call, noun, name, &turn->oom);
    return !turn->oom && ret->collection.len > 0;
}

// Which entities a member of this name has. False: none.
static bool find_collection(walk *w, lg_str name)
{
    ow_turn *turn = w->turn;
    size_t at = 0;
    while (at < turn->kind_count && !lg_str_eq(turn->kinds[at].name, name)) {
        at++;
    }
    at = at < OW_KINDS_MAX ? at : OW_KINDS_MAX - 1;
    if (at >= turn->kind_count || !lg_str_eq(turn->kinds[at].name, name)) {
        if (!make_kind(turn, name, &turn->kinds[at])) {
            turn->kind_count = at < turn->kind_count ? at : turn->kind_count;
            return false;
        }
        turn->kind_count = at + 1;
    }
    w->about.noun = turn->kinds[at].noun;
    w->about.collection = turn->kinds[at].collection;
    return true;
}

// --- What is known ------------------------------------------------------------------------------

static lg_json known_value(walk *w, const lg_json *value, unsigned depth);

// A user's own collection has all that there is: one of them.
static const lg_json *one_of_own(const walk *w, lg_str key)
{
    const ow_kept *kept = &w->turn->kept;
    size_t count = ow_written_count(kept, w->about.collection);
    if (!ow_own(kept, w->about.collection, false) || count == 0) {
        return NULL;
    }
    lg_str ignored;
    return ow_written_at(kept, w->about.collection, lg_hash(key) % count, &ignored);
}

static lg_json known_entity(walk *w, const lg_json *entity, unsigned depth)
{
    ow_turn *turn = w->turn;
    const lg_json_member *id = sure_id(entity, w->about.noun);
    lg_str key =
        id && w->count++ < EMBEDDED_MAX ? ow_key_text(turn->arena, &id->value) : LG_STR("");
    lg_json made = *entity;
    if (key.len) {
        const lg_json *seen = ow_seen(&turn->kept, w->about.collection, key);
        const lg_json *written = ow_written(&turn->kept, &w->about, key);
        written = written ? written : one_of_own(w, key);
        made = seen ? ow_replace(turn->arena, &made, seen, &turn->oom) : made;
        made = written ? ow_replace(turn->arena, &made, written, &turn->oom) : made;
    }
    return known_value(w, &made, depth + 1);
}

static lg_json known_list(walk *w, const lg_json *list, unsigned depth)
{
    size_t count = lg_json_len(list);
    lg_json *items = LG_NEW_ARRAY(w->turn->arena, lg_json, count + 1);
    const lg_str noun = w->about.noun;
    const lg_str collection = w->about.collection;
    w->turn->oom = w->turn->oom || !items;
    for (size_t i = 0; items && i < count; i++) {
        w->about.noun = noun;
        w->about.collection = collection;
        items[i] = lg_json_is(&list->as.items[i], LG_JSON_OBJECT)
                       ? known_entity(w, &list->as.items[i], depth)
                       : list->as.items[i];
    }
    return items ? lg_json_make_array(items, count) : *list;
}

static lg_json known_value(walk *w, const lg_json *value, unsigned depth)
{
    lg_json made = *value;
    for (size_t i = 0; depth < EMBEDDED_DEPTH_MAX && i < lg_json_len(value); i++) {
        const lg_json_member *member = lg_json_member_at(value, i);
        if (!has_entities(&member->value) || !find_collection(w, lg_json_key(member))) {
            continue;
        }
        lg_json inner = lg_json_is(&member->value, LG_JSON_ARRAY)
                            ? known_list(w, &member->value, depth)
                            : known_entity(w, &member->value, depth);
        made = ow_with(w->turn->arena, &made, lg_json_key(member), inner, &w->turn->oom);
    }
    return made;
}

lg_json ow_with_known(ow_turn *turn, const lg_json *entity)
{
    walk w = begin(turn);
    return lg_json_is(entity, LG_JSON_OBJECT) ? known_value(&w, entity, 0) : *entity;
}

// --- What is kept -------------------------------------------------------------------------------

static void keep_value(walk *w, const lg_json *value, bool news, unsigned depth);

static void keep_entity(walk *w, const lg_json *entity, bool news, unsigned depth)
{
    ow_turn *turn = w->turn;
    const ow_about *about = &w->about;
    const lg_json_member *id = sure_id(entity, about->noun);
    lg_str key =
        id && w->count++ < EMBEDDED_MAX ? ow_key_text(turn->arena, &id->value) : LG_STR("");
    bool own = key.len && ow_own(&turn->kept, about->collection, false) != NULL;
    if (key.len && !own && !ow_is_deleted(&turn->kept, about->collection, key)) {
        (void)ow_keep_seen_of(turn, about, key, entity, news);
    }
    keep_value(w, entity, news, depth + 1);
}

static void keep_value(walk *w, const lg_json *value, bool news, unsigned depth)
{
    for (size_t i = 0; depth < EMBEDDED_DEPTH_MAX && i < lg_json_len(value); i++) {
        const lg_json_member *member = lg_json_member_at(value, i);
        if (!has_entities(&member->value) || !find_collection(w, lg_json_key(member))) {
            continue;
        }
        const lg_str noun = w->about.noun;
        const lg_str collection = w->about.collection;
        bool list = lg_json_is(&member->value, LG_JSON_ARRAY);
        for (size_t j = 0; j < (list ? lg_json_len(&member->value) : 1); j++) {
            const lg_json *one = list ? &member->value.as.items[j] : &member->value;
            w->about.noun = noun;
            w->about.collection = collection;
            if (lg_json_is(one, LG_JSON_OBJECT)) {
                keep_entity(w, one, news, depth);
            }
        }
    }
}

void ow_keep_embedded(ow_turn *turn, const lg_json *entity, const lg_json *written)
{
    walk w = begin(turn);
    if (lg_json_is(written, LG_JSON_OBJECT)) {
        keep_value(&w, written, true, 0);
    }
    if (lg_json_is(entity, LG_JSON_OBJECT)) {
        keep_value(&w, entity, false, 0);
    }
}
