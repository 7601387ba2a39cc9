// list.c: what a list shows: all that was written and suits, then what was shown and suits, and then, up to the few that the
// schema's own answer has, what is made up. So a list that is asked for again is the same, and its pages come to an end.
//
// A user's own collection is shown as it is, and nothing beside it.
#include "simulate/open_world_internal.h"

#include <stdlib.h>

// --- Pages --------------------------------------------------------------------------------------

typedef struct page {
    size_t skip;
    size_t limit;
    int64_t number; // as asked for; 0: by none
    lg_str after;   // the id of what stands before the page
    bool later;     // behind a cursor that nobody knows
    lg_str sort;    // the member that they are sorted by; empty: as they came
    bool down;
} page;

static bool is_one_of(lg_str name, const char *const *list)
{
    ow_word word = ow_plain(name);
    return ow_word_in(&word, list);
}

static bool is_date(lg_str text)
{
    return text.len >= 10 && text.ptr[4] == '-' && text.ptr[7] == '-';
}

// A cursor is a number of entities that this file gave as the next one, or the id of an entity.
static void take_cursor(const ow_turn *turn, page *p, lg_str name, const lg_json *value)
{
    static const char *const ours[] = {"cursor",     "pagetoken", "nextcursor",        "marker",
                                       "nextmarker", "nexttoken", "continuationtoken", NULL};
    static const char *const ids[] = {"after", "startingafter", NULL};
    static const char *const others[] = {"before", "endingbefore", NULL};
    lg_str text = lg_json_str(value);
    if (is_one_of(name, ids) && !is_date(text) &&
        (text.len || lg_json_is(value, LG_JSON_INT))) { // `after` a day is none
        p->after = ow_key_text(turn->arena, value);
    } else if (text.len && is_one_of(name, ours)) {
        size_t number = 0;
        bool digits = text.len < 10;
        for (size_t i = 0; i < text.len && digits; i++) {
            digits = lg_is_digit(text.ptr[i]);
            number = digits ? number * 10 + (size_t)(text.ptr[i] - '0') : 0;
        }
        p->skip = digits ? number : p->skip;
        p->later = p->later || !digits;
    } else if (text.len && is_one_of(name, others)) {
        p->later = p->later || !is_date(text);
    }
}

// sort=-name, sort=name:desc, order=desc
static void take_order(page *p, lg_str name, lg_str value)
{
    static const char *const fields[] = {"sort", "sortby", "orderby", "order", "sortfield", NULL};
    static const char *const ways[] = {"order",         "sort",    "direction", "sortorder",
                                       "sortdirection", "sortdir", NULL};
    static const char *const up[] = {"asc", "ascending", NULL};
    static const char *const down[] = {"desc", "descending", NULL};
    if (is_one_of(name, ways) && (is_one_of(value, up) || is_one_of(value, down))) {
        static const lg_str usual = {"created", 7};
        p->down = is_one_of(value, down);
        p->sort = p->sort.len ? p->sort : usual;
        return;
    }
    if (!is_one_of(name, fields) || value.len == 0) {
        return;
    }
    size_t end = 0;
    bool minus = value.ptr[0] == '-';
    value = lg_str_slice(value, minus || value.ptr[0] == '+' ? 1 : 0, value.len);
    while (end < value.len && !strchr(":, ", value.ptr[end])) {
        end++;
    }
    p->sort = lg_str_slice(value, 0, end);
    p->down = p->down || minus || is_one_of(lg_str_slice(value, end, value.len), down);
}

static page find_page(const ow_turn *turn)
{
    static const char *const limits[] = {"limit", "perpage",  "pagesize", "maxresults",
                                         "first", "take",     "top",      "count",
                                         "size",  "maxitems", NULL};
    static const char *const skips[] = {"offset", "skip", NULL};
    static const char *const pages[] = {"page", "pagenumber", NULL};
    page p = {.skip = 0, .limit = SIZE_MAX, .after = LG_STR(""), .sort = LG_STR("")};
    const lg_json *args = turn->call->args;
    for (size_t i = 0; i < lg_json_len(args); i++) {
        const lg_json_member *member = lg_json_member_at(args, i);
        lg_str name = lg_json_key(member);
        int64_t value;
        bool counts = lg_json_int(&member->value, &value) && value >= 0;
        p.limit = counts && is_one_of(name, limits) ? (size_t)value : p.limit;
        p.skip = counts && is_one_of(name, skips) ? (size_t)value : p.skip;
        p.number = counts && is_one_of(name, pages) ? value : p.number;
        take_cursor(turn, &p, name, &member->value);
        take_order(&p, name, lg_json_str(&member->value));
    }
    if (p.number > 0 && (uint64_t)p.number < UINT32_MAX) {
        p.limit = p.limit < OW_ITEMS_MAX ? p.limit : 20;
        p.skip = (size_t)(p.number - 1) * p.limit;
    }
    return p;
}

// An answer that is no list of entities has lists all the same: they are no longer than is asked for.
void ow_cut_lists(ow_turn *turn)
{
    page p = find_page(turn);
    lg_json target = turn->result;
    bool cut = false;
    if (p.limit >= OW_ITEMS_MAX || turn->call->given) {
        return;
    }
    if (lg_json_is(&target, LG_JSON_ARRAY) && lg_json_len(&target) > p.limit) {
        target = lg_json_make_array(target.as.items, p.limit);
        cut = true;
    }
    for (size_t i = 0; lg_json_is(&target, LG_JSON_OBJECT) && i < lg_json_len(&target); i++) {
        const lg_json_member *member = lg_json_member_at(&target, i);
        if (lg_json_is(&member->value, LG_JSON_ARRAY) && lg_json_len(&member->value) > p.limit) {
            lg_json shorter = lg_json_make_array(member->value.as.items, p.limit);
            target = ow_with(turn->arena, &target, lg_json_key(member), shorter, &turn->oom);
            cut = true;
        }
    }
    turn->result =
        cut ? ow_graft(turn->arena, turn->schema, &turn->budget, &turn->result, &target, &turn->oom)
            : turn->result;
}

// --- Items --------------------------------------------------------------------------------------

typedef struct items {
    lg_json *list;
    lg_str *keys;
    bool *known; // all that it shows is in the state, under its key
    size_t count, capacity;
    lg_json *later; // made up, for other pages
    size_t later_count;
    size_t matched; // on all pages
    size_t end;     // of them, up to the last that is shown
    bool passed;    // what stands before the page
    bool more;      // there are some behind it
} items;

// One more that matches: is it on the page?
static bool is_on_page(const ow_turn *turn, items *all, const page *p, lg_str key)
{
    all->matched++;
    if (p->after.len && !all->passed) {
        lg_str id = lg_str_slice(key, turn->about.parent.len, key.len);
        all->passed = lg_str_eq(id, p->after);
        return false;
    }
    if (p->later || (!p->after.len && all->matched <= p->skip)) {
        return false;
    }
    all->more = all->more || all->count >= p->limit;
    all->end = all->count >= p->limit ? all->end : all->matched;
    return all->count < p->limit;
}

static lg_str key_from(ow_turn *turn, const lg_json_member *id)
{
    lg_str key = id ? ow_key_text(turn->arena, &id->value) : LG_STR("");
    if (id && key.ptr && turn->about.parent.len) {
        key = lg_arena_printf(turn->arena, "%.*s%.*s", LG_FMT(turn->about.parent), LG_FMT(key));
    }
    turn->oom = turn->oom || !key.ptr;
    return key.ptr ? key : LG_STR("");
}

static void add_item(items *all, lg_json item, lg_str key, bool known)
{
    if (all->count < all->capacity) {
        all->list[all->count] = item;
        all->known[all->count] = known;
        all->keys[all->count++] = key;
    }
}

static lg_str key_of(ow_turn *turn, const lg_json *item)
{
    return key_from(turn, ow_id_member(item, turn->about.id_name, turn->about.noun));
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
        all = ow_get_near(entity, lg_json_key(lg_json_member_at(like, i)), i) != NULL;
    }
    return all;
}

static bool has_same_names(const lg_json *entity, const lg_json *like)
{
    bool same = lg_json_len(entity) == lg_json_len(like);
    for (size_t i = 0; i < lg_json_len(like) && same; i++) {
        same = lg_str_eq(lg_json_key(lg_json_member_at(entity, i)),
                         lg_json_key(lg_json_member_at(like, i)));
    }
    return same;
}

// Sets *ret_known where nothing is made up.
static lg_json dress(ow_turn *turn, const lg_json *entity, lg_str key, const lg_json *like,
                     show how, bool *ret_known)
{
    *ret_known = true;
    if (!lg_json_is(like, LG_JSON_OBJECT) || has_same_names(entity, like)) {
        return *entity;
    }
    *ret_known = has_all_members(entity, like);
    if (*ret_known) { // as nearly always: nothing is left to be made up
        return how == SHOW_ALL ? ow_merge(turn->arena, like, entity, &turn->oom)
                               : ow_replace(turn->arena, like, entity, &turn->oom);
    }
    const lg_json *seen = ow_seen(&turn->kept, turn->about.collection, key);
    lg_json made = turn->call->given ? *like : ow_made_to_suit(turn, like);
    made = turn->call->given ? made : ow_with_parents(turn, &made);
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
    if (!is_on_page(turn, all, p, key)) {
        return true;
    }
    if (all->count == OW_ITEMS_MAX) {
        ow_note(turn, "the list is cut: it shows the first 1,000 of what was written or shown");
        return false;
    }
    bool known;
    lg_json item = dress(turn, entity, key, how == SHOW_EXACT ? NULL : like, how, &known);
    add_item(all, item, key, known);
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
    const lg_json *written = ow_all_written(&turn->kept, turn->about.collection);
    size_t count = lg_json_len(written);
    size_t models = lg_json_len(made);
    bool room = true;
    for (size_t i = 0; i < count && room && !turn->oom; i++) {
        lg_str key;
        const lg_json *entity = ow_entity_at(written, i, &key);
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
        add_item(all, shown, key, false);
    }
}

// As many as are missing to the few that were made. Those on other pages are kept, too: they will be shown there.
static void add_made(ow_turn *turn, items *all, const page *p, const lg_json *made)
{
    lg_str collection = turn->about.collection;
    size_t gone = ow_count_in(&turn->kept, collection) - ow_written_count(&turn->kept, collection);
    size_t there = all->matched + gone; // what was deleted is not replaced by what was never there
    size_t missing = lg_json_len(made) > there ? lg_json_len(made) - there : 0;
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
        shown = ow_with_parents(turn, &shown);
        missing--;
        if (is_on_page(turn, all, p, key)) {
            add_item(all, shown, key, false);
        } else {
            all->later[all->later_count++] = shown;
        }
    }
}

// --- Order --------------------------------------------------------------------------------------

typedef struct sorted {
    lg_json item;
    lg_str key;
    bool known;
    const lg_json *value; // NULL: it has none, and stands at the end
    size_t index;
    bool down;
} sorted;

static int by_value(const void *a, const void *b)
{
    const sorted *x = a;
    const sorted *y = b;
    int order = 0;
    if (!x->value || !y->value) {
        order = (x->value == NULL) - (y->value == NULL);
        return order ? order : (x->index > y->index) - (x->index < y->index);
    }
    if (lg_json_is_number(x->value) && lg_json_is_number(y->value)) {
        order = lg_json_number_cmp(x->value, y->value);
    } else {
        order = lg_str_cmp(lg_json_str(x->value), lg_json_str(y->value));
    }
    order = x->down ? -order : order;
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

// `created` is also created_at.
static const lg_json *value_to_sort_by(const lg_json *item, lg_str name)
{
    ow_word wanted = ow_plain(name);
    lg_str text = {wanted.text, wanted.len};
    for (size_t i = 0; lg_json_is(item, LG_JSON_OBJECT) && i < lg_json_len(item); i++) {
        const lg_json_member *member = lg_json_member_at(item, i);
        ow_word word = ow_plain(lg_json_key(member));
        lg_str theirs = {word.text, word.len};
        bool same =
            lg_str_eq(theirs, text) ||
            (word.len == text.len + 2 && lg_str_starts(theirs, text) && ow_word_ends(&word, "at"));
        bool scalar =
            lg_json_is(&member->value, LG_JSON_STRING) || lg_json_is_number(&member->value);
        if (same && scalar) {
            return &member->value;
        }
    }
    return NULL;
}

// All that matches, in order; then of it what is on the page.
static void arrange(ow_turn *turn, items *all, const page *p)
{
    size_t count = all->count;
    sorted *order = LG_NEW_ARRAY(turn->arena, sorted, count + 1);
    turn->oom = turn->oom || !order;
    for (size_t i = 0; order && i < count; i++) {
        order[i] = (sorted){.item = all->list[i],
                            .key = all->keys[i],
                            .known = all->known[i],
                            .index = i,
                            .down = p->down};
    }
    for (size_t i = 0; order && i < count; i++) {
        order[i].value = value_to_sort_by(&order[i].item, p->sort);
    }
    if (!order) {
        return;
    }
    qsort(order, count, sizeof(*order), by_value);
    all->count = 0;
    all->matched = 0;
    all->more = false;
    all->passed = false;
    for (size_t i = 0; i < count; i++) {
        if (is_on_page(turn, all, p, order[i].key)) {
            add_item(all, order[i].item, order[i].key, order[i].known);
        } else {
            all->later[all->later_count++] = order[i].item;
        }
    }
}

// --- Fitting ------------------------------------------------------------------------------------

// Is the answer valid with `item` alone in its list?
static bool fits_alone(ow_turn *turn, const ow_path *path, const lg_json *item)
{
    lg_json *alone = LG_NEW(turn->arena, lg_json);
    turn->oom = turn->oom || !alone;
    if (!alone) {
        return false;
    }
    *alone = *item;
    lg_json target =
        ow_put_at(turn->arena, &turn->base, path, lg_json_make_array(alone, 1), &turn->oom);
    return lg_schema_validate_within(turn->schema, &target, NULL, &turn->budget);
}

// What a list shows of an entity may be another form of it: of its members those that fit, over what was made up.
static lg_json made_to_fit(ow_turn *turn, const ow_path *path, const lg_json *item,
                           const lg_json *model)
{
    if (fits_alone(turn, path, item) || !lg_json_is(item, LG_JSON_OBJECT) ||
        !lg_json_is(model, LG_JSON_OBJECT) || !fits_alone(turn, path, model)) {
        return *item;
    }
    lg_json made = *model;
    for (size_t i = 0; i < lg_json_len(item) && !turn->oom; i++) {
        const lg_json_member *member = lg_json_member_at(item, i);
        const lg_json *old = lg_json_get(&made, lg_json_key(member));
        lg_json with = ow_with(turn->arena, &made, lg_json_key(member), member->value, &turn->oom);
        bool fits = fits_alone(turn, path, &with);
        if (!fits && lg_json_is(&member->value, LG_JSON_NULL)) { // it is absent
            with = ow_without(turn->arena, &made, lg_json_key(member), &turn->oom);
            fits = fits_alone(turn, path, &with);
        }
        if (fits) {
            made = with;
        } else if (lg_json_is(old, LG_JSON_OBJECT) && lg_json_is(&member->value, LG_JSON_OBJECT)) {
            lg_json inner = ow_replace(turn->arena, old, &member->value, &turn->oom);
            with = ow_with(turn->arena, &made, lg_json_key(member), inner, &turn->oom);
            made = fits_alone(turn, path, &with) ? with : made;
        }
    }
    return made;
}

static void fit_items(ow_turn *turn, const ow_path *path, items *all, const lg_json *models)
{
    size_t count = lg_json_len(models);
    for (size_t i = 0; i < all->count && !turn->oom && !lg_budget_is_spent(&turn->budget); i++) {
        all->list[i] =
            made_to_fit(turn, path, &all->list[i], count ? &models->as.items[i % count] : NULL);
    }
}

// --- The whole ----------------------------------------------------------------------------------

// A total, a cursor or the like, as it is now; or as it was.
static lg_json counted(ow_turn *turn, const lg_json_member *member, const items *all, const page *p)
{
    static const char *const totals[] = {"total",      "totalcount",  "count",     "totalresults",
                                         "totalitems", "resultcount", "totalhits", NULL};
    static const char *const more[] = {"hasmore", "hasnext", "hasnextpage", "istruncated", NULL};
    static const char *const next[] = {"next",          "nextcursor",  "nextpage",   "nexttoken",
                                       "nextpagetoken", "nextpageuri", "nextmarker", NULL};
    static const char *const urls[] = {"next", "nextpageuri", NULL};
    lg_str name = lg_json_key(member);
    const lg_json *value = &member->value;
    const lg_json *asked = lg_json_get(turn->call->args, name);
    if (lg_json_is_number(value) && is_one_of(name, totals)) {
        return lg_json_make_int((int64_t)all->matched);
    }
    if (lg_json_is_number(value) && lg_json_is(asked, LG_JSON_INT)) {
        return *asked; // the limit and the page
    }
    if (lg_json_is(value, LG_JSON_BOOL) && is_one_of(name, more)) {
        return lg_json_make_bool(all->more);
    }
    if (!is_one_of(name, next) || !all->more) {
        return is_one_of(name, next) ? lg_json_make_null() : *value;
    }
    if (lg_json_is_number(value)) {
        return lg_json_make_int(p->number > 0 ? p->number + 1 : 2);
    }
    bool text_or_none = lg_json_is(value, LG_JSON_STRING) || lg_json_is(value, LG_JSON_NULL);
    bool token = text_or_none && !is_one_of(name, urls);
    lg_str text = token ? lg_arena_printf(turn->arena, "%zu", all->end) : LG_STR("");
    turn->oom = turn->oom || !text.ptr;
    return token && text.ptr ? lg_json_make_str(text) : *value;
}

// Totals and cursors beside the list, and in what holds them: {"pagination": {"total": 3}}.
static lg_json count_items(ow_turn *turn, const lg_json *holder, const items *all, const page *p,
                           bool inner)
{
    static const char *const holders[] = {"pagination", "meta",     "page",     "paging",
                                          "pageinfo",   "metadata", "pagemeta", NULL};
    lg_json made = *holder;
    for (size_t i = 0; lg_json_is(holder, LG_JSON_OBJECT) && i < lg_json_len(holder); i++) {
        const lg_json_member *member = lg_json_member_at(holder, i);
        lg_str name = lg_json_key(member);
        bool holds = inner && lg_json_is(&member->value, LG_JSON_OBJECT);
        if (!holds) {
            lg_json value = counted(turn, member, all, p);
            made = ow_with(turn->arena, &made, name, value, &turn->oom);
        } else if (is_one_of(name, holders)) {
            made = ow_with(turn->arena, &made, name,
                           count_items(turn, &member->value, all, p, false), &turn->oom);
        }
    }
    return made;
}

static bool begin_items(ow_turn *turn, items *all, size_t made)
{
    lg_str collection = turn->about.collection;
    size_t there =
        ow_written_count(&turn->kept, collection) + ow_seen_count(&turn->kept, collection);
    *all = (items){.capacity = (there < OW_ITEMS_MAX ? there : OW_ITEMS_MAX) + made};
    all->list = LG_NEW_ARRAY(turn->arena, lg_json, all->capacity + 1);
    all->keys = LG_NEW_ARRAY(turn->arena, lg_str, all->capacity + 1);
    all->known = LG_NEW_ARRAY(turn->arena, bool, all->capacity + 1);
    all->later = LG_NEW_ARRAY(turn->arena, lg_json, all->capacity + made + 1);
    turn->oom = turn->oom || !all->list || !all->keys || !all->known || !all->later;
    return !turn->oom;
}

static lg_json with_items(ow_turn *turn, const ow_path *path, const items *all, const page *p)
{
    lg_json root = turn->base;
    if (turn->call->given == NULL && path->count > 0) {
        ow_path above = *path;
        above.count--;
        root = count_items(turn, ow_at(&turn->base, &above), all, p, true);
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

// The items of a list are mostly alike, and the id of all is where that of the last was.
typedef struct id_place {
    const lg_json *item; // NULL: none yet
    size_t index;        // its length: it has no id
} id_place;

static bool are_alike(const lg_json *a, const lg_json *b)
{
    bool alike = has_same_names(a, b);
    for (size_t i = 0; i < lg_json_len(a) && alike; i++) {
        alike = lg_json_type_of(&lg_json_member_at(a, i)->value) ==
                lg_json_type_of(&lg_json_member_at(b, i)->value);
    }
    return alike;
}

static const lg_json_member *id_of(const ow_turn *turn, id_place *place, const lg_json *item)
{
    if (!lg_json_is(item, LG_JSON_OBJECT)) {
        return NULL;
    }
    if (!place->item || !are_alike(item, place->item)) {
        const lg_json_member *id = ow_id_member(item, turn->about.id_name, turn->about.noun);
        place->item = item;
        place->index = 0;
        while (place->index < lg_json_len(item) && lg_json_member_at(item, place->index) != id) {
            place->index++;
        }
    }
    return place->index < lg_json_len(item) ? lg_json_member_at(item, place->index) : NULL;
}

// `known_as`: all of it is in the state under this key; empty: perhaps not.
static void keep_item(ow_turn *turn, const lg_json *item, id_place *place, lg_str known_as)
{
    lg_str key = key_from(turn, id_of(turn, place, item));
    if (key.len && !lg_str_eq(key, known_as)) {
        ow_keep_seen(turn, key, item);
    }
}

static void fill_page(ow_turn *turn, items *all, const page *p, const lg_json *made,
                      const lg_json *models, show how)
{
    page whole = *p;
    all->count = 0;
    all->later_count = 0;
    all->matched = 0;
    all->end = 0;
    all->passed = false;
    all->more = false;
    if (p->sort.len == 0 || turn->call->given) {
        fill_items(turn, all, p, made, models, how);
        return;
    }
    whole.skip = 0;
    whole.limit = SIZE_MAX;
    whole.after = LG_STR("");
    whole.later = false;
    fill_items(turn, all, &whole, made, models, how);
    arrange(turn, all, p);
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
        fill_page(turn, &all, &p, made, models, (show)how);
        target = with_items(turn, path, &all, &p);
        fits = !turn->schema || (!turn->oom && lg_schema_validate_within(turn->schema, &target,
                                                                         NULL, &turn->budget));
    }
    if (!fits && !turn->oom && !turn->call->given) {
        fit_items(turn, path, &all, models);
        target = with_items(turn, path, &all, &p);
    }
    if (turn->oom) {
        return;
    }
    turn->result =
        fits ? target
             : ow_graft(turn->arena, turn->schema, &turn->budget, &turn->base, &target, &turn->oom);
    if (!turn->oom && lg_json_len(ow_at(&turn->result, path)) < all.count) {
        ow_note(turn, "the list leaves out what does not fit the tool's result schema");
    }
    const lg_json *shown = ow_at(&turn->result, path);
    id_place place = {.item = NULL};
    for (size_t i = 0; i < lg_json_len(shown) && !turn->oom; i++) {
        keep_item(turn, &shown->as.items[i], &place,
                  fits && all.known[i] ? all.keys[i] : LG_STR(""));
    }
    for (size_t i = 0; i < all.later_count && !turn->oom; i++) {
        keep_item(turn, &all.later[i], &place, LG_STR(""));
    }
}
