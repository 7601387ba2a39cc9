// places.c: the places that a pack declares: of the ledger, and of the state.
//
// A place is `orders.*`: a record, a collection of records by any key, or a field of a group. From
// all of them come the type that expressions see and the value before anything is there.
#include "pack/loader.h"

static bool is_name_start(char c)
{
    return lg_is_letter(c) || c == '_';
}

bool loader_is_name(lg_str s)
{
    if (s.len == 0 || !is_name_start(s.ptr[0])) {
        return false;
    }
    for (size_t i = 0; i < s.len; i++) {
        if (!is_name_start(s.ptr[i]) && !lg_is_digit(s.ptr[i])) {
            return false;
        }
    }
    return true;
}

static bool is_star(lg_str s)
{
    return lg_str_eq(s, LG_STR("*"));
}

static bool split_path(loader *l, lg_place *path)
{
    size_t from = 0;
    for (size_t i = 0; i <= path->text.len; i++) {
        if (i < path->text.len && path->text.ptr[i] != '.') {
            continue;
        }
        lg_str segment = lg_str_slice(path->text, from, i);
        if (path->segment_count == LG_PATH_SEGMENTS_MAX) {
            loader_error(l, path->offset, "path `%.*s` has more than %u segments",
                         LG_FMT(path->text), LG_PATH_SEGMENTS_MAX);
            return false;
        }
        if (!loader_is_name(segment) && !(is_star(segment) && from > 0)) {
            loader_error(l, path->offset,
                         "path `%.*s`: a segment is a name, or `*` for any key after the first",
                         LG_FMT(path->text));
            return false;
        }
        path->segments[path->segment_count++] = segment;
        from = i + 1;
    }
    if (lg_str_eq(path->segments[0], LG_STR("history"))) {
        loader_error(l, path->offset,
                     "`history` is there already: it holds the writes that were "
                     "carried out");
        return false;
    }
    return true;
}

static bool same_prefix(const lg_place *a, const lg_place *b, uint32_t segments)
{
    for (uint32_t i = 0; i < segments; i++) {
        if (i >= a->segment_count || i >= b->segment_count ||
            !lg_str_eq(a->segments[i], b->segments[i])) {
            return false;
        }
    }
    return true;
}

// The type of what stands below the first `depth` segments of path `first`: a record, a map of
// any key, or an object of the names that are declared there.
static const lg_cel_type *type_below(loader *l, const lg_places *all, const lg_place *first,
                                     uint32_t depth)
{
    const lg_place *end = all->items + all->count;
    const lg_cel_type *dyn = lg_cel_type_of_kind(LG_CEL_DYN);
    lg_cel_type *object = LG_NEW(l->arena, lg_cel_type);
    lg_cel_field *fields = LG_NEW_ARRAY(l->arena, lg_cel_field, all->count + 1);
    if (!object || !fields) {
        return dyn;
    }
    size_t count = 0;
    for (const lg_place *p = all->items; p < end; p++) {
        if (!same_prefix(p, first, depth)) {
            continue;
        }
        bool ends = p->segment_count == depth;
        bool star = !ends && is_star(p->segments[depth]);
        if (p != first &&
            (ends || first->segment_count == depth || star != is_star(first->segments[depth]))) {
            loader_error(l, p->offset,
                         "path `%.*s` collides with `%.*s`: a place is a record, a "
                         "collection of any key, or a group of names",
                         LG_FMT(p->text), LG_FMT(first->text));
            return dyn;
        }
        if (ends) {
            return p->type;
        }
        bool known = star && count > 0;
        for (size_t i = 0; i < count; i++) {
            known = known || lg_str_eq(fields[i].name, p->segments[depth]);
        }
        if (!known) {
            fields[count++] = (lg_cel_field){.name = p->segments[depth],
                                             .type = type_below(l, all, p, depth + 1)};
        }
    }
    if (count == 1 && is_star(fields[0].name)) {
        const lg_cel_type *map =
            lg_cel_type_map(l->arena, lg_cel_type_of_kind(LG_CEL_STRING), fields[0].type);
        return map ? map : dyn;
    }
    *object = (lg_cel_type){.kind = LG_CEL_OBJECT,
                            .name = depth == 0 ? LG_STR("") : first->segments[depth - 1],
                            .fields = fields,
                            .field_count = count};
    return object;
}

// What became of a write: done; unverified, it answered what it should not; unknown, it failed or never
// answered, and may have happened; pending, it was proposed before in the same message.
static const lg_json *outcomes(loader *l)
{
    static const char *const names[] = {"done", "unverified", "unknown", "pending"};
    lg_json *items = LG_NEW_ARRAY(l->arena, lg_json, LG_COUNT(names));
    lg_json *list = LG_NEW(l->arena, lg_json);
    for (size_t i = 0; items && i < LG_COUNT(names); i++) {
        items[i] = lg_json_make_str(lg_str_c(names[i]));
    }
    if (items && list) {
        *list = lg_json_make_array(items, LG_COUNT(names));
    }
    return items ? list : NULL;
}

static const lg_cel_type *history_type(loader *l)
{
    lg_cel_type *outcome = LG_NEW(l->arena, lg_cel_type);
    lg_cel_type *entry = LG_NEW(l->arena, lg_cel_type);
    lg_cel_field *fields = LG_NEW_ARRAY(l->arena, lg_cel_field, 3);
    const lg_cel_type *string = lg_cel_type_of_kind(LG_CEL_STRING);
    const lg_cel_type *args = lg_cel_type_map(l->arena, string, lg_cel_type_of_kind(LG_CEL_DYN));
    if (!entry || !fields || !args || !outcome) {
        return lg_cel_type_of_kind(LG_CEL_DYN);
    }
    *outcome = (lg_cel_type){.kind = LG_CEL_STRING, .values = outcomes(l)};
    fields[0] = (lg_cel_field){.name = LG_STR("name"), .type = string};
    fields[1] = (lg_cel_field){.name = LG_STR("args"), .type = args};
    fields[2] = (lg_cel_field){.name = LG_STR("outcome"), .type = outcome};
    *entry = (lg_cel_type){.kind = LG_CEL_OBJECT,
                           .name = LG_STR("a history entry"),
                           .fields = fields,
                           .field_count = 3};
    const lg_cel_type *list = lg_cel_type_list(l->arena, entry);
    return list ? list : lg_cel_type_of_kind(LG_CEL_DYN);
}

// The object of all places of `all`, called `name` in messages. The ledger has its history, too.
static const lg_cel_type *root_type(loader *l, const lg_places *all, lg_str name, bool history)
{
    lg_cel_type *type = LG_NEW(l->arena, lg_cel_type);
    lg_cel_field *fields = LG_NEW_ARRAY(l->arena, lg_cel_field, all->count + 1);
    if (!type || !fields) {
        return lg_cel_type_of_kind(LG_CEL_DYN);
    }
    size_t count = 0;
    if (all->count > 0) {
        const lg_cel_type *declared = type_below(l, all, &all->items[0], 0);
        for (size_t i = 0; declared->kind == LG_CEL_OBJECT && i < declared->field_count; i++) {
            fields[count++] = declared->fields[i];
        }
    }
    if (history) {
        fields[count++] = (lg_cel_field){.name = LG_STR("history"), .type = history_type(l)};
    }
    *type =
        (lg_cel_type){.kind = LG_CEL_OBJECT, .name = name, .fields = fields, .field_count = count};
    return type;
}

static bool has_member(const lg_json_member *members, size_t count, lg_str key)
{
    for (size_t i = 0; i < count; i++) {
        if (lg_str_eq(lg_json_key(&members[i]), key)) {
            return true;
        }
    }
    return false;
}

// What stands below the first `depth` segments of `first` before anything was read: nothing in a
// collection, and in a group its groups and collections, so that neither `x in ledger.orders` nor
// `has(ledger.auth.user_id)` fails. Records are absent. Leaves room for one member more. As deep as
// a path; false when out of memory.
static bool empty_below(loader *l, const lg_places *all, const lg_place *first, uint32_t depth,
                        lg_json_member **ret_members, size_t *ret_count)
{
    const lg_place *end = all->items + all->count;
    size_t below = 0;
    for (const lg_place *p = all->items; p < end; p++) {
        below += same_prefix(p, first, depth);
    }
    lg_json_member *members = lg_json_alloc_members(l->arena, below + 1);
    *ret_members = members;
    *ret_count = 0;
    for (const lg_place *p = all->items; members && p < end; p++) {
        if (p->segment_count <= depth + 1 || !same_prefix(p, first, depth) ||
            is_star(p->segments[depth]) || has_member(members, *ret_count, p->segments[depth])) {
            continue;
        }
        lg_json_member *inner;
        size_t count;
        if (!empty_below(l, all, p, depth + 1, &inner, &count)) {
            return false;
        }
        members[(*ret_count)++] =
            lg_json_make_member(p->segments[depth], lg_json_make_object(inner, count));
    }
    return members != NULL;
}

static const lg_json *empty_root(loader *l, const lg_places *all, bool history)
{
    static const lg_place none = {0};
    lg_json *root = LG_NEW(l->arena, lg_json);
    lg_json_member *members;
    size_t count;
    if (!root || !empty_below(l, all, all->count ? all->items : &none, 0, &members, &count)) {
        return NULL;
    }
    if (history) {
        members[count++] = lg_json_make_member(LG_STR("history"), lg_json_make_array(NULL, 0));
    }
    *root = lg_json_make_object(members, count);
    return root;
}

// --- What an entry says ---------------------------------------------------------------------------

// Splits "db.lines" into names; false after adding an error.
static bool read_at(loader *l, const lg_json *at, lg_place *place)
{
    lg_place split = {.text = lg_json_str(at), .offset = at->offset};
    if (!lg_json_is(at, LG_JSON_STRING) || !split_path(l, &split)) {
        loader_error(l, at->offset, "`at` is where a state file has it: db.lines");
        return false;
    }
    for (uint32_t i = 0; i < split.segment_count; i++) {
        place->at[i] = split.segments[i];
    }
    place->at_count = split.segment_count;
    return true;
}

// `{is: Line, key: line_id, at: db.lines}` of the state.
static const lg_json *read_long_form(loader *l, const lg_json *entry, lg_place *place)
{
    static const char *const keys[] = {"is", "key", "at"};
    const lg_json *is = lg_json_get(entry, LG_STR("is"));
    const lg_json *key = lg_json_get(entry, LG_STR("key"));
    const lg_json *at = lg_json_get(entry, LG_STR("at"));
    loader_check_keys(l, entry, "a place of the state", keys, LG_COUNT(keys));
    if (key) {
        place->record_key = loader_string(l, entry, "key", false);
        bool collection =
            place->segment_count > 1 && is_star(place->segments[place->segment_count - 1]);
        if (!collection) {
            loader_error(l, key->offset, "only a collection, such as lines.*, has a `key`");
        }
    }
    if (at) {
        read_at(l, at, place);
    }
    return is;
}

// Where a place stands in a state file when nothing is said: by its names, up to a `*`.
static void default_at(lg_place *place)
{
    for (uint32_t i = 0; place->at_count == 0 && i < place->segment_count; i++) {
        if (is_star(place->segments[i])) {
            break;
        }
        place->at[i] = place->segments[i];
    }
    while (place->at_count < place->segment_count && place->at[place->at_count].len) {
        place->at_count++;
    }
}

// A list of records becomes a map by a field that each has, and that is a text.
static void check_record_key(loader *l, const lg_json *key, const lg_place *place)
{
    loader_names names = {.wanted = place->record_key};
    loader_offer_fields(&names, place->type);
    if (!key || place->type->kind != LG_CEL_OBJECT) {
        return;
    }
    for (size_t f = 0; f < place->type->field_count; f++) {
        if (lg_str_eq(place->type->fields[f].name, place->record_key)) {
            lg_cel_kind kind = place->type->fields[f].type->kind;
            if (kind != LG_CEL_STRING && kind != LG_CEL_DYN) {
                loader_error(l, key->offset, "`%.*s` is no text: it cannot be the key",
                             LG_FMT(place->record_key));
            }
            return;
        }
    }
    loader_error(l, key->offset, "the records of `%.*s` have no field `%.*s`%s",
                 LG_FMT(place->text), LG_FMT(place->record_key), loader_meant(l, &names));
}

static void read_entry(loader *l, const lg_json *entry, bool state, lg_place *place)
{
    const lg_json *key = NULL;
    if (state && lg_json_get(entry, LG_STR("is"))) {
        key = lg_json_get(entry, LG_STR("key"));
        entry = read_long_form(l, entry, place);
    }
    place->type = loader_type(l, entry);
    check_record_key(l, key, place);
    place->schema = entry;
    place->shape = loader_schema(l, entry, false);
    if (!state) {
        return;
    }
    default_at(place);
    for (uint32_t i = 0; i + 1 < place->segment_count; i++) {
        if (is_star(place->segments[i])) {
            loader_error(l, place->offset,
                         "a place of the state has its `*` at the end: what a record holds is said "
                         "by its type");
            return;
        }
    }
}

static void read_places(loader *l, const lg_json *entries, const char *section, lg_str name,
                        lg_places *all)
{
    bool state = all == &l->pack->state;
    size_t count = lg_json_len(entries);
    lg_place *places = LG_NEW_ARRAY(l->arena, lg_place, count);
    if (entries && !lg_json_is(entries, LG_JSON_OBJECT)) {
        loader_error(l, entries->offset, "`%s` must be a map from paths to types", section);
        count = 0;
    }
    size_t kept = 0;
    for (size_t i = 0; places && i < count; i++) {
        const lg_json_member *member = lg_json_member_at(entries, i);
        lg_place *place = &places[kept];
        *place = (lg_place){.text = lg_json_key(member), .offset = member->key_offset};
        if (split_path(l, place)) {
            read_entry(l, &member->value, state, place);
            kept++;
        }
    }
    *all = (lg_places){.items = places, .count = kept};
    all->type = root_type(l, all, name, !state);
    all->root = empty_root(l, all, !state);
}

void loader_read_ledger(loader *l, const lg_json *ledger)
{
    read_places(l, ledger, "ledger", LG_STR("the ledger"), &l->pack->ledger);
}

void loader_read_state(loader *l, const lg_json *state)
{
    read_places(l, state, "state", LG_STR("the state"), &l->pack->state);
}
