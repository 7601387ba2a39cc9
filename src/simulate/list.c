// list.c: what a list shows: all that was written and suits, then what is made up.
//
// A user's own collection is shown as it is, and nothing beside it. Filters are arguments whose names are members of the
// entities: what was written is chosen by them, what is made up is made to suit.
#include "simulate/open_world_internal.h"

#include <stdio.h>

// --- Filters ------------------------------------------------------------------------------------

static bool same_value(const lg_json *wanted, const lg_json *value, unsigned depth);

static bool any_same(const lg_json *wanted, const lg_json *value, unsigned depth)
{
    for (size_t i = 0; i < lg_json_len(value); i++) {
        const lg_json *inner = lg_json_is(value, LG_JSON_ARRAY)
                                   ? &value->as.items[i]
                                   : &lg_json_member_at(value, i)->value;
        if (same_value(wanted, inner, depth + 1)) {
            return true;
        }
    }
    return false;
}

// One of several that are wanted, or of several that the entity has; a number is also its text.
static bool same_value(const lg_json *wanted, const lg_json *value, unsigned depth)
{
    if (lg_json_equal(wanted, value)) {
        return true;
    }
    if (depth < 3 && lg_json_is(wanted, LG_JSON_ARRAY)) {
        for (size_t i = 0; i < lg_json_len(wanted); i++) {
            if (same_value(&wanted->as.items[i], value, depth + 1)) {
                return true;
            }
        }
        return lg_json_len(wanted) == 0;
    }
    if (depth < 3 && value->type >= LG_JSON_ARRAY) {
        return any_same(wanted, value, depth);
    }
    const lg_json *text = lg_json_is(wanted, LG_JSON_STRING) ? wanted : value;
    const lg_json *number = text == wanted ? value : wanted;
    int64_t integer;
    char room[32];
    return lg_json_is(text, LG_JSON_STRING) && lg_json_int(number, &integer) &&
           snprintf(room, sizeof(room), "%lld", (long long)integer) > 0 &&
           lg_str_eq(lg_json_str(text), lg_str_c(room));
}

static bool suits(const lg_json *fields, const lg_json *entity)
{
    for (size_t i = 0; i < lg_json_len(fields); i++) {
        const lg_json_member *field = lg_json_member_at(fields, i);
        const lg_json *value = lg_json_get(entity, lg_json_key(field));
        if (value && !lg_json_is(&field->value, LG_JSON_NULL) &&
            !same_value(&field->value, value, 0)) {
            return false;
        }
    }
    return true;
}

// The item as the filters want it.
static lg_json made_to_suit(ow_turn *turn, const lg_json *item)
{
    lg_json made = *item;
    for (size_t i = 0; i < lg_json_len(&turn->about.fields); i++) {
        const lg_json_member *field = lg_json_member_at(&turn->about.fields, i);
        const lg_json *value = lg_json_get(&made, lg_json_key(field));
        const lg_json *wanted = &field->value;
        if (!value || same_value(wanted, value, 0)) {
            continue;
        }
        if (lg_json_is(wanted, LG_JSON_ARRAY) && !lg_json_is(value, LG_JSON_ARRAY)) {
            wanted = &wanted->as.items[0];
        }
        lg_json list = lg_json_make_array(wanted, 1);
        bool several = lg_json_is(value, LG_JSON_ARRAY) && !lg_json_is(wanted, LG_JSON_ARRAY);
        made =
            ow_with(turn->arena, &made, lg_json_key(field), several ? list : *wanted, &turn->oom);
    }
    return made;
}

// --- Pages --------------------------------------------------------------------------------------

typedef struct page {
    size_t skip;
    size_t limit;
    bool later; // behind a cursor
} page;

static bool is_one_of(lg_str name, const char *const *list)
{
    ow_word word = ow_plain(name);
    return ow_word_in(&word, list);
}

static page find_page(const ow_turn *turn)
{
    static const char *const limits[] = {"limit", "perpage",  "pagesize", "maxresults",
                                         "first", "take",     "top",      "count",
                                         "size",  "maxitems", NULL};
    static const char *const skips[] = {"offset", "skip", NULL};
    static const char *const pages[] = {"page", "pagenumber", NULL};
    static const char *const cursors[] = {
        "cursor",       "after",     "before",     "startingafter",
        "endingbefore", "pagetoken", "nextcursor", NULL};
    page p = {.skip = 0, .limit = SIZE_MAX};
    int64_t number = 0;
    const lg_json *args = turn->call->args;
    for (size_t i = 0; i < lg_json_len(args); i++) {
        const lg_json_member *member = lg_json_member_at(args, i);
        lg_str name = lg_json_key(member);
        int64_t value;
        bool counts = lg_json_int(&member->value, &value) && value >= 0;
        p.limit = counts && is_one_of(name, limits) ? (size_t)value : p.limit;
        p.skip = counts && is_one_of(name, skips) ? (size_t)value : p.skip;
        number = counts && is_one_of(name, pages) ? value : number;
        p.later = p.later || (lg_json_str(&member->value).len > 0 && is_one_of(name, cursors));
    }
    if (number > 1 && (uint64_t)number < UINT32_MAX) {
        size_t each = p.limit < OW_ITEMS_MAX ? p.limit : 20;
        p.skip = (size_t)(number - 1) * each;
    }
    return p;
}

// --- Items --------------------------------------------------------------------------------------

typedef struct items {
    lg_json *list;
    lg_str *keys;
    size_t count, capacity;
    size_t matched; // of what was written, on all pages
} items;

static lg_str key_of(ow_turn *turn, const lg_json *item)
{
    const lg_json_member *id = ow_id_member(item, turn->about.id_name, turn->about.noun);
    lg_str key = id ? lg_arena_printf(turn->arena, "%.*s%.*s", LG_FMT(turn->about.parent),
                                      LG_FMT(ow_key_text(turn->arena, &id->value)))
                    : LG_STR("");
    turn->oom = turn->oom || !key.ptr;
    return key.ptr ? key : LG_STR("");
}

static void add_item(items *all, lg_json item, lg_str key)
{
    if (all->count < all->capacity) {
        all->list[all->count] = item;
        all->keys[all->count++] = key;
    }
}

// Of /users/7/repos: directly below the parent, and no deeper.
static bool is_below(const ow_turn *turn, lg_str key)
{
    lg_str parent = turn->about.parent;
    return parent.len == 0 || lg_str_starts(key, parent);
}

static lg_json dress(ow_turn *turn, const lg_json *entity, lg_str key, const lg_json *like)
{
    if (!lg_json_is(like, LG_JSON_OBJECT)) {
        return *entity;
    }
    const lg_json *seen = ow_seen(&turn->kept, turn->about.collection, key);
    lg_json made = seen ? ow_replace(turn->arena, like, seen, &turn->oom) : *like;
    made = ow_merge(turn->arena, &made, entity, &turn->oom);
    const lg_json_member *id = ow_id_member(&made, turn->about.id_name, turn->about.noun);
    if (id && !ow_id_member(entity, turn->about.id_name, turn->about.noun)) {
        lg_json text = lg_json_make_str(lg_str_slice(key, turn->about.parent.len, key.len));
        made = ow_with(turn->arena, &made, lg_json_key(id), ow_id_like(turn, &text, &id->value),
                       &turn->oom);
    }
    return made;
}

// What was written and suits, `exact` or in the dress of what is made up.
static void add_written(ow_turn *turn, items *all, const page *p, const lg_json *made, bool exact)
{
    size_t count = ow_written_count(&turn->kept, turn->about.collection);
    size_t models = lg_json_len(made);
    for (size_t i = 0; i < count && !turn->oom; i++) {
        lg_str key;
        const lg_json *entity = ow_written_at(&turn->kept, turn->about.collection, i, &key);
        key = key.len ? key : key_of(turn, entity);
        if (!lg_json_is(entity, LG_JSON_OBJECT) || !is_below(turn, key) ||
            !suits(&turn->about.fields, entity)) {
            continue;
        }
        all->matched++;
        if (!p->later && all->matched > p->skip && all->count < p->limit) {
            const lg_json *like = models && !exact ? &made->as.items[i % models] : NULL;
            if (all->count == OW_ITEMS_MAX) {
                ow_note(turn, "the list is cut: it shows the first 1,000 of what was written");
                break;
            }
            add_item(all, dress(turn, entity, key, like), key);
        }
    }
}

static bool has_key(const items *all, lg_str key)
{
    for (size_t i = 0; i < all->count; i++) {
        if (lg_str_eq(all->keys[i], key)) {
            return true;
        }
    }
    return false;
}

static void add_made(ow_turn *turn, items *all, const page *p, const lg_json *made)
{
    lg_str collection = turn->about.collection;
    for (size_t i = 0; i < lg_json_len(made) && all->count < p->limit && !turn->oom; i++) {
        const lg_json *item = &made->as.items[i];
        lg_str key = key_of(turn, item);
        if (key.len == 0) {
            add_item(all, made_to_suit(turn, item), key);
            continue;
        }
        const lg_json *written = ow_written(&turn->kept, &turn->about, key);
        const lg_json *seen = ow_seen(&turn->kept, collection, key);
        const lg_json *fields = &turn->about.fields;
        if (ow_is_deleted(&turn->kept, collection, key) || has_key(all, key) ||
            (written && (!turn->call->given || !suits(fields, written))) ||
            (seen && !turn->call->given && !suits(fields, seen))) {
            continue;
        }
        lg_json shown = turn->call->given ? *item : made_to_suit(turn, item);
        shown = ow_in_order(turn->arena, &shown, item, &turn->oom);
        shown = seen && !turn->call->given_is_real
                    ? ow_replace(turn->arena, &shown, seen, &turn->oom)
                    : shown;
        shown = written ? ow_merge(turn->arena, &shown, written, &turn->oom) : shown;
        add_item(all, shown, key);
    }
}

// --- The whole ----------------------------------------------------------------------------------

// Totals and cursors beside the list.
static lg_json count_items(ow_turn *turn, const lg_json *holder, const items *all, const page *p)
{
    static const char *const totals[] = {"total",      "totalcount",  "count",     "totalresults",
                                         "totalitems", "resultcount", "totalhits", NULL};
    static const char *const more[] = {"hasmore", "hasnext", "hasnextpage", "istruncated", NULL};
    static const char *const cursors[] = {"next",          "nextcursor",  "nextpage",
                                          "nextpagetoken", "nextpageuri", NULL};
    lg_json made = *holder;
    size_t total = all->matched > p->skip + all->count ? all->matched : p->skip + all->count;
    for (size_t i = 0; lg_json_is(holder, LG_JSON_OBJECT) && i < lg_json_len(holder); i++) {
        const lg_json_member *member = lg_json_member_at(holder, i);
        lg_str name = lg_json_key(member);
        if (lg_json_is_number(&member->value) && is_one_of(name, totals)) {
            made = ow_with(turn->arena, &made, name, lg_json_make_int((int64_t)total), &turn->oom);
        } else if (lg_json_is_true(&member->value) && is_one_of(name, more)) {
            made = ow_with(turn->arena, &made, name,
                           lg_json_make_bool(total > p->skip + all->count), &turn->oom);
        } else if (total <= p->skip + all->count && is_one_of(name, cursors)) {
            made = ow_with(turn->arena, &made, name, lg_json_make_null(), &turn->oom);
        }
    }
    return made;
}

static bool begin_items(ow_turn *turn, items *all, size_t made)
{
    *all = (items){.capacity = OW_ITEMS_MAX + made};
    all->list = LG_NEW_ARRAY(turn->arena, lg_json, all->capacity);
    all->keys = LG_NEW_ARRAY(turn->arena, lg_str, all->capacity);
    turn->oom = turn->oom || !all->list || !all->keys;
    return !turn->oom;
}

static lg_json with_items(ow_turn *turn, const ow_path *path, const items *all, const page *p)
{
    lg_json root = turn->base;
    if (turn->call->given == NULL && path->count > 0) {
        ow_path above = *path;
        above.count--;
        root = count_items(turn, ow_at(&turn->base, &above), all, p);
        root = ow_put_at(turn->arena, &turn->base, &above, root, &turn->oom);
    }
    return ow_put_at(turn->arena, &root, path, lg_json_make_array(all->list, all->count),
                     &turn->oom);
}

void ow_answer_list(ow_turn *turn, const ow_path *path, const lg_json *models)
{
    const lg_json *made = ow_at(&turn->base, path);
    page p = find_page(turn);
    items all;
    bool own = ow_own(&turn->kept, turn->about.collection, false) != NULL && !turn->call->given;
    if (!begin_items(turn, &all, lg_json_len(made))) {
        return;
    }
    lg_json target;
    if (own) {
        add_written(turn, &all, &p, models, true);
        target = with_items(turn, path, &all, &p);
    }
    if (!own || (turn->schema && !turn->oom &&
                 !lg_schema_validate_within(turn->schema, &target, NULL, &turn->budget))) {
        all.count = 0;
        all.matched = 0;
        add_written(turn, &all, &p, models, false);
        if (!own) {
            add_made(turn, &all, &p, made);
        }
        target = with_items(turn, path, &all, &p);
    }
    if (turn->oom) {
        return;
    }
    turn->result =
        ow_graft(turn->arena, turn->schema, &turn->budget, &turn->base, &target, &turn->oom);
    const lg_json *shown = ow_at(&turn->result, path);
    for (size_t i = 0; i < lg_json_len(shown) && !turn->oom; i++) {
        lg_str key = key_of(turn, &shown->as.items[i]);
        if (key.len) {
            ow_keep_seen(turn, key, &shown->as.items[i]);
        }
    }
}
