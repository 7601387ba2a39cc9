// list.c: what a list shows: all that was written and suits, then what was shown and suits, and then, up to the few that the
// schema's own answer has, what is made up. So a list that is asked for again is the same, and its pages come to an end.
//
// A user's own collection is shown as it is, and nothing beside it.
#include "simulate/open_world_internal.h"

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
        lg_str text = lg_json_str(&member->value);
        bool date = text.len >= 10 && text.ptr[4] == '-' && text.ptr[7] == '-'; // `after` a day
        p.later = p.later || (text.len > 0 && !date && is_one_of(name, cursors));
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
    lg_json *later; // made up, for other pages
    size_t later_count;
    size_t matched; // on all pages
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

// How much of what was written an item shows.
typedef enum show {
    SHOW_EXACT, // the entity as it is
    SHOW_ALL,   // all of it, over what is made up
    SHOW_KNOWN, // of it what the made up has too: the schema may allow nothing else
} show;

static bool has_all_members(const lg_json *entity, const lg_json *like)
{
    bool all = true;
    for (size_t i = 0; i < lg_json_len(like) && all; i++) {
        all = lg_json_get(entity, lg_json_key(lg_json_member_at(like, i))) != NULL;
    }
    return all;
}

static lg_json dress(ow_turn *turn, const lg_json *entity, lg_str key, const lg_json *like,
                     show how)
{
    if (!lg_json_is(like, LG_JSON_OBJECT)) {
        return *entity;
    }
    if (has_all_members(entity, like)) { // as nearly always: nothing is left to be made up
        return how == SHOW_ALL ? ow_merge(turn->arena, like, entity, &turn->oom)
                               : ow_replace(turn->arena, like, entity, &turn->oom);
    }
    const lg_json *seen = ow_seen(&turn->kept, turn->about.collection, key);
    lg_json made = turn->call->given ? *like : ow_made_to_suit(turn, like);
    made = seen ? ow_replace(turn->arena, &made, seen, &turn->oom) : made;
    made = ow_with_known(turn, &made);
    made = how == SHOW_ALL ? ow_merge(turn->arena, &made, entity, &turn->oom)
                           : ow_replace(turn->arena, &made, entity, &turn->oom);
    const lg_json_member *id = ow_id_member(&made, turn->about.id_name, turn->about.noun);
    if (id && !ow_id_member(entity, turn->about.id_name, turn->about.noun)) {
        lg_json text = lg_json_make_str(lg_str_slice(key, turn->about.parent.len, key.len));
        made = ow_with(turn->arena, &made, lg_json_key(id), ow_id_like(turn, &text, &id->value),
                       &turn->oom);
    }
    return made;
}

// One more that matches; it is shown if it is on the page. False: the list is full.
static bool add_match(ow_turn *turn, items *all, const page *p, const lg_json *entity, lg_str key,
                      const lg_json *like, show how)
{
    all->matched++;
    if (p->later || all->matched <= p->skip || all->count >= p->limit) {
        return true;
    }
    if (all->count == OW_ITEMS_MAX) {
        ow_note(turn, "the list is cut: it shows the first 1,000 of what was written or shown");
        return false;
    }
    add_item(all, dress(turn, entity, key, how == SHOW_EXACT ? NULL : like, how), key);
    return true;
}

// Does what was written suit, with what was made up of the same entity?
static bool written_suits(ow_turn *turn, const lg_json *entity, lg_str key)
{
    const lg_json *seen = ow_seen(&turn->kept, turn->about.collection, key);
    lg_json whole = seen ? ow_merge(turn->arena, seen, entity, &turn->oom) : *entity;
    return ow_suits(turn, &whole);
}

// What was written and suits, as it is or in the dress of what is made up.
static void add_written(ow_turn *turn, items *all, const page *p, const lg_json *made, show how)
{
    size_t count = ow_written_count(&turn->kept, turn->about.collection);
    size_t models = lg_json_len(made);
    bool room = true;
    for (size_t i = 0; i < count && room && !turn->oom; i++) {
        lg_str key;
        const lg_json *entity = ow_written_at(&turn->kept, turn->about.collection, i, &key);
        key = key.len ? key : key_of(turn, entity);
        if (lg_json_is(entity, LG_JSON_OBJECT) && is_below(turn, key) &&
            written_suits(turn, entity, key)) {
            room = add_match(turn, all, p, entity, key, models ? &made->as.items[i % models] : NULL,
                             how);
        }
    }
}

// What was only shown so far, and suits.
static void add_seen(ow_turn *turn, items *all, const page *p, const lg_json *made, show how)
{
    lg_str collection = turn->about.collection;
    size_t count = ow_seen_count(&turn->kept, collection);
    size_t models = lg_json_len(made);
    bool room = true;
    for (size_t i = 0; i < count && room && !turn->oom; i++) {
        lg_str key;
        const lg_json *entity = ow_seen_at(&turn->kept, collection, i, &key);
        if (key.len && is_below(turn, key) && !ow_written(&turn->kept, &turn->about, key) &&
            ow_suits(turn, entity)) {
            room = add_match(turn, all, p, entity, key, models ? &made->as.items[i % models] : NULL,
                             how);
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

// What somebody else gave, under what was written since.
static void add_given(ow_turn *turn, items *all, const page *p, const lg_json *given)
{
    lg_str collection = turn->about.collection;
    for (size_t i = 0; i < lg_json_len(given) && all->count < p->limit && !turn->oom; i++) {
        const lg_json *item = &given->as.items[i];
        lg_str key = key_of(turn, item);
        const lg_json *written = key.len ? ow_written(&turn->kept, &turn->about, key) : NULL;
        const lg_json *seen = key.len ? ow_seen(&turn->kept, collection, key) : NULL;
        if (key.len && (ow_is_deleted(&turn->kept, collection, key) || has_key(all, key) ||
                        (written && !ow_suits(turn, written)))) {
            continue;
        }
        lg_json shown = seen && !turn->call->given_is_real
                            ? ow_replace(turn->arena, item, seen, &turn->oom)
                            : *item;
        shown = written ? ow_merge(turn->arena, &shown, written, &turn->oom) : shown;
        add_item(all, shown, key);
    }
}

// As many as are missing to the few that were made. Those on other pages are kept, too: they will be shown there.
static void add_made(ow_turn *turn, items *all, const page *p, const lg_json *made)
{
    lg_str collection = turn->about.collection;
    size_t missing = lg_json_len(made) > all->matched ? lg_json_len(made) - all->matched : 0;
    for (size_t i = 0; i < lg_json_len(made) && missing > 0 && !turn->oom; i++) {
        const lg_json *item = &made->as.items[i];
        lg_str key = key_of(turn, item);
        if (key.len &&
            (ow_is_deleted(&turn->kept, collection, key) || has_key(all, key) ||
             ow_written(&turn->kept, &turn->about, key) || ow_seen(&turn->kept, collection, key))) {
            continue;
        }
        lg_json shown = ow_made_to_suit(turn, item);
        shown = ow_in_order(turn->arena, &shown, item, &turn->oom);
        shown = ow_with_known(turn, &shown);
        missing--;
        all->matched++;
        if (all->matched <= p->skip || all->count >= p->limit || p->later) {
            all->later[all->later_count++] = shown;
        } else {
            add_item(all, shown, key);
        }
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
    size_t total = all->matched;
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
    all->later = LG_NEW_ARRAY(turn->arena, lg_json, made + 1);
    turn->oom = turn->oom || !all->list || !all->keys || !all->later;
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

static void fill_items(ow_turn *turn, items *all, const page *p, const lg_json *made,
                       const lg_json *models, show how)
{
    bool given = turn->call->given != NULL;
    bool own = ow_own(&turn->kept, turn->about.collection, false) != NULL && !given;
    add_written(turn, all, p, models, how);
    if (given) {
        add_given(turn, all, p, made);
    } else if (!own) {
        add_seen(turn, all, p, models, how);
        add_made(turn, all, p, made);
    }
}

static void keep_item(ow_turn *turn, const lg_json *item)
{
    lg_str key = key_of(turn, item);
    if (key.len) {
        ow_keep_seen(turn, key, item);
    }
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
    lg_json target = turn->base;
    bool fits = false;
    for (int how = own ? SHOW_EXACT : SHOW_ALL; how <= SHOW_KNOWN && !fits && !turn->oom; how++) {
        all.count = 0;
        all.later_count = 0;
        all.matched = 0;
        fill_items(turn, &all, &p, made, models, (show)how);
        target = with_items(turn, path, &all, &p);
        fits = !turn->schema || (!turn->oom && lg_schema_validate_within(turn->schema, &target,
                                                                         NULL, &turn->budget));
    }
    if (turn->oom) {
        return;
    }
    turn->result =
        ow_graft(turn->arena, turn->schema, &turn->budget, &turn->base, &target, &turn->oom);
    const lg_json *shown = ow_at(&turn->result, path);
    for (size_t i = 0; i < lg_json_len(shown) && !turn->oom; i++) {
        keep_item(turn, &shown->as.items[i]);
    }
    for (size_t i = 0; i < all.later_count && !turn->oom; i++) {
        keep_item(turn, &all.later[i]);
    }
}
