// paths.c: the ledger's declared paths, where results go, and what writes may change.
//
// A declared path is `orders.*`; a store's target is `orders[args.order_id]`. The target is matched
// with the declared paths here, once, so that folding a result needs no search.
#include "pack/loader.h"

static bool is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name(lg_str s)
{
    if (s.len == 0 || !is_name_start(s.ptr[0])) {
        return false;
    }
    for (size_t i = 0; i < s.len; i++) {
        if (!is_name_start(s.ptr[i]) && !(s.ptr[i] >= '0' && s.ptr[i] <= '9')) {
            return false;
        }
    }
    return true;
}

static bool is_star(lg_str s)
{
    return lg_str_eq(s, LG_STR("*"));
}

// --- Declared paths -----------------------------------------------------------------------------

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
        if (!is_name(segment) && !(is_star(segment) && from > 0)) {
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
static const lg_cel_type *type_below(loader *l, const lg_place *first, uint32_t depth)
{
    const lg_place *paths = l->pack->ledger.items;
    const lg_place *end = paths + l->pack->ledger.count;
    const lg_cel_type *dyn = lg_cel_type_of_kind(LG_CEL_DYN);
    lg_cel_type *object = LG_NEW(l->arena, lg_cel_type);
    lg_cel_field *fields = LG_NEW_ARRAY(l->arena, lg_cel_field, l->pack->ledger.count + 1);
    if (!object || !fields) {
        return dyn;
    }
    size_t count = 0;
    for (const lg_place *p = paths; p < end; p++) {
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
            fields[count++] = (lg_cel_field){p->segments[depth], type_below(l, p, depth + 1)};
        }
    }
    if (count == 1 && is_star(fields[0].name)) {
        const lg_cel_type *map =
            lg_cel_type_map(l->arena, lg_cel_type_of_kind(LG_CEL_STRING), fields[0].type);
        return map ? map : dyn;
    }
    *object = (lg_cel_type){.kind = LG_CEL_OBJECT,
                            .name = depth == 0 ? LG_STR("the ledger") : first->segments[depth - 1],
                            .fields = fields,
                            .field_count = count};
    return object;
}

static const lg_cel_type *history_type(loader *l)
{
    lg_cel_type *entry = LG_NEW(l->arena, lg_cel_type);
    lg_cel_field *fields = LG_NEW_ARRAY(l->arena, lg_cel_field, 2);
    const lg_cel_type *string = lg_cel_type_of_kind(LG_CEL_STRING);
    const lg_cel_type *args = lg_cel_type_map(l->arena, string, lg_cel_type_of_kind(LG_CEL_DYN));
    if (!entry || !fields || !args) {
        return lg_cel_type_of_kind(LG_CEL_DYN);
    }
    fields[0] = (lg_cel_field){LG_STR("name"), string};
    fields[1] = (lg_cel_field){LG_STR("args"), args};
    *entry = (lg_cel_type){.kind = LG_CEL_OBJECT,
                           .name = LG_STR("a history entry"),
                           .fields = fields,
                           .field_count = 2};
    const lg_cel_type *list = lg_cel_type_list(l->arena, entry);
    return list ? list : lg_cel_type_of_kind(LG_CEL_DYN);
}

static const lg_cel_type *ledger_type(loader *l)
{
    lg_cel_type *type = LG_NEW(l->arena, lg_cel_type);
    lg_cel_field *fields = LG_NEW_ARRAY(l->arena, lg_cel_field, l->pack->ledger.count + 1);
    if (!type || !fields) {
        return lg_cel_type_of_kind(LG_CEL_DYN);
    }
    size_t count = 0;
    if (l->pack->ledger.count > 0) {
        const lg_cel_type *declared = type_below(l, &l->pack->ledger.items[0], 0);
        for (size_t i = 0; declared->kind == LG_CEL_OBJECT && i < declared->field_count; i++) {
            fields[count++] = declared->fields[i];
        }
    }
    fields[count++] = (lg_cel_field){LG_STR("history"), history_type(l)};
    *type = (lg_cel_type){.kind = LG_CEL_OBJECT,
                          .name = LG_STR("the ledger"),
                          .fields = fields,
                          .field_count = count};
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
static bool empty_below(loader *l, const lg_place *first, uint32_t depth,
                        lg_json_member **ret_members, size_t *ret_count)
{
    const lg_place *end = l->pack->ledger.items + l->pack->ledger.count;
    size_t below = 0;
    for (const lg_place *p = l->pack->ledger.items; p < end; p++) {
        below += same_prefix(p, first, depth);
    }
    lg_json_member *members = lg_json_alloc_members(l->arena, below + 1);
    *ret_members = members;
    *ret_count = 0;
    for (const lg_place *p = l->pack->ledger.items; members && p < end; p++) {
        if (p->segment_count <= depth + 1 || !same_prefix(p, first, depth) ||
            is_star(p->segments[depth]) || has_member(members, *ret_count, p->segments[depth])) {
            continue;
        }
        lg_json_member *inner;
        size_t count;
        if (!empty_below(l, p, depth + 1, &inner, &count)) {
            return false;
        }
        members[(*ret_count)++] =
            lg_json_make_member(p->segments[depth], lg_json_make_object(inner, count));
    }
    return members != NULL;
}

static const lg_json *empty_ledger(loader *l)
{
    static const lg_place none = {0};
    lg_json *root = LG_NEW(l->arena, lg_json);
    lg_json_member *members;
    size_t count;
    if (!root ||
        !empty_below(l, l->pack->ledger.count ? l->pack->ledger.items : &none, 0, &members, &count)) {
        return NULL;
    }
    members[count++] = lg_json_make_member(LG_STR("history"), lg_json_make_array(NULL, 0));
    *root = lg_json_make_object(members, count);
    return root;
}

void loader_read_paths(loader *l, const lg_json *ledger)
{
    size_t count = lg_json_len(ledger);
    lg_place *paths = LG_NEW_ARRAY(l->arena, lg_place, count);
    if (ledger && !lg_json_is(ledger, LG_JSON_OBJECT)) {
        loader_error(l, ledger->offset, "`ledger` must be a map from paths to types");
        count = 0;
    }
    size_t kept = 0;
    for (size_t i = 0; paths && i < count; i++) {
        const lg_json_member *member = &ledger->as.members[i];
        lg_place *path = &paths[kept];
        *path = (lg_place){.text = lg_json_key(member), .offset = member->key_offset};
        if (split_path(l, path)) {
            path->type = loader_type(l, &member->value);
            kept++;
        }
    }
    l->pack->ledger.items = paths;
    l->pack->ledger.count = kept;
    l->pack->ledger.type = ledger_type(l);
    l->pack->ledger.root = empty_ledger(l);
}

// --- Targets ------------------------------------------------------------------------------------

// The offset of the `]` that closes the `[` before `at`, minding brackets and quoted texts.
static size_t closing_bracket(lg_str text, size_t at)
{
    uint32_t depth = 1;
    char quote = 0;
    for (; at < text.len; at++) {
        char c = text.ptr[at];
        if (quote) {
            at += c == '\\';
            quote = c == quote ? 0 : quote;
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (c == '[') {
            depth++;
        } else if (c == ']' && --depth == 0) {
            return at;
        }
    }
    return SIZE_MAX;
}

// `args.name` alone, for which a read can be suggested from a missing key.
static lg_str plain_argument(lg_str expression)
{
    lg_str trimmed = lg_str_trim(expression);
    lg_str prefix = LG_STR("args.");
    if (lg_str_starts(trimmed, prefix)) {
        lg_str name = lg_str_slice(trimmed, prefix.len, trimmed.len);
        if (is_name(name)) {
            return name;
        }
    }
    return LG_STR("");
}

static bool read_key(loader *l, const lg_cel_env *env, const lg_json *scalar, size_t from,
                     size_t to, lg_target_segment *segment)
{
    segment->key = loader_compile(l, env, scalar, from, to);
    if (!segment->key) {
        return false;
    }
    lg_cel_kind kind = lg_cel_program_type(segment->key)->kind;
    if (kind != LG_CEL_STRING && kind != LG_CEL_DYN) {
        loader_error(l, scalar->offset, "the key `%.*s` must be a string",
                     LG_FMT(lg_str_slice(lg_json_str(scalar), from, to)));
        return false;
    }
    segment->argument = plain_argument(lg_str_slice(lg_json_str(scalar), from, to));
    return true;
}

// `name(.name | [expression])*`; returns how many segments, or 0 after adding an error.
static uint32_t read_target(loader *l, const lg_cel_env *env, const lg_json *scalar,
                            lg_target_segment segments[LG_PATH_SEGMENTS_MAX])
{
    lg_str text = lg_json_str(scalar);
    uint32_t count = 0;
    size_t at = 0;
    while (at < text.len && count < LG_PATH_SEGMENTS_MAX) {
        lg_target_segment *segment = &segments[count];
        if (count > 0 && text.ptr[at] == '[') {
            size_t close = closing_bracket(text, at + 1);
            if (close == SIZE_MAX || !read_key(l, env, scalar, at + 1, close, segment)) {
                if (close == SIZE_MAX) {
                    loader_error(l, scalar->offset, "`%.*s`: a `[` is not closed", LG_FMT(text));
                }
                return 0;
            }
            at = close + 1;
        } else {
            at += count > 0 && text.ptr[at] == '.';
            size_t from = at;
            while (at < text.len && text.ptr[at] != '.' && text.ptr[at] != '[') {
                at++;
            }
            segment->name = lg_str_slice(text, from, at);
            if (!is_name(segment->name)) {
                break;
            }
        }
        count++;
    }
    if (at < text.len || count == 0) {
        loader_error(l, scalar->offset,
                     "`%.*s` is no ledger path; write names and keys: orders[args.order_id]",
                     LG_FMT(text));
        return 0;
    }
    return count;
}

// The longest declared path that is a prefix of the target (or, for a change, that it is one of).
static const lg_place *match_path(const lg_pack *pack, const lg_target_segment *segments,
                                        uint32_t count, bool allow_shorter)
{
    const lg_place *best = NULL;
    for (size_t i = 0; i < pack->ledger.count; i++) {
        const lg_place *path = &pack->ledger.items[i];
        uint32_t common = path->segment_count < count ? path->segment_count : count;
        bool fits = path->segment_count <= count || allow_shorter;
        for (uint32_t s = 0; fits && s < common; s++) {
            fits = is_star(path->segments[s]) ||
                   (!segments[s].key && lg_str_eq(path->segments[s], segments[s].name));
        }
        if (fits && (!best || path->segment_count > best->segment_count)) {
            best = path;
        }
    }
    return best;
}

// The type of the place that the target names: the record, or a field of it.
static const lg_cel_type *target_type(loader *l, const lg_json *at, const lg_store *store)
{
    const lg_cel_type *type = store->to.place->type;
    for (uint32_t s = store->to.place->segment_count; s < store->to.segment_count; s++) {
        const lg_cel_type *below = NULL;
        if (type->kind == LG_CEL_DYN || type->kind == LG_CEL_MAP) {
            below = type->kind == LG_CEL_MAP ? type->element : type;
        }
        for (size_t f = 0; type->kind == LG_CEL_OBJECT && f < type->field_count; f++) {
            if (lg_str_eq(type->fields[f].name, store->to.segments[s].name)) {
                below = type->fields[f].type;
            }
        }
        if (!below || store->to.segments[s].key) {
            loader_error(l, at->offset, "`%.*s` names no field of `%.*s`", LG_FMT(lg_json_str(at)),
                         LG_FMT(store->to.place->text));
            return NULL;
        }
        type = below;
    }
    return type;
}

// --- Stores -------------------------------------------------------------------------------------

static lg_cel_env *store_env(loader *l, const lg_tool *tool, const lg_cel_type *item)
{
    lg_cel_env *env = lg_cel_env_new(l->arena, NULL, &l->limits);
    if (!env || lg_cel_env_declare(env, LG_STR("args"), tool->args_type) != LG_STORE_SLOT_ARGS ||
        lg_cel_env_declare(env, LG_STR("result"), tool->result_type) != LG_STORE_SLOT_RESULT ||
        (item && lg_cel_env_declare(env, LG_STR("item"), item) != LG_STORE_SLOT_ITEM)) {
        loader_error(l, tool->offset, "out of memory");
        return NULL;
    }
    return env;
}

// Reads `each`, one expression or a list of them for nested lists; returns the item's type, NULL
// without `each` or after an error.
static const lg_cel_type *read_each(loader *l, const lg_tool *tool, const lg_json *each,
                                    lg_store *store)
{
    const lg_cel_type *item = NULL;
    size_t count = lg_json_is(each, LG_JSON_ARRAY) ? lg_json_len(each) : each != NULL;
    if (count > LG_EACH_MAX) {
        loader_error(l, each->offset, "`each` goes at most %u lists deep", LG_EACH_MAX);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        const lg_json *one = lg_json_is(each, LG_JSON_ARRAY) ? lg_json_item(each, i) : each;
        const lg_cel_env *env = store_env(l, tool, item);
        const lg_cel_program *program =
            env ? loader_compile_as(l, env, one, LG_CEL_LIST, "each") : NULL;
        if (!program) {
            return NULL;
        }
        const lg_cel_type *list = lg_cel_program_type(program);
        store->each[store->each_count++] = program;
        item = list->kind == LG_CEL_LIST ? list->element : lg_cel_type_of_kind(LG_CEL_DYN);
    }
    return item;
}

static void read_store_value(loader *l, const lg_json *store_json, const lg_cel_env *env,
                             lg_store *store)
{
    const lg_json *at = lg_json_get(store_json, LG_STR("at"));
    const lg_json *value = lg_json_get(store_json, LG_STR("value"));
    lg_json *implied = LG_NEW(l->arena, lg_json);
    if (!value && implied) {
        *implied = lg_json_make_str(store->each_count ? LG_STR("item") : LG_STR("result"));
        implied->offset = at->offset;
        value = implied;
    }
    if (!lg_json_is(value, LG_JSON_STRING)) {
        loader_error(l, store_json->offset, "`value` must be an expression");
        return;
    }
    store->value = loader_compile(l, env, value, 0, lg_json_str(value).len);
    const lg_cel_type *place = target_type(l, at, store);
    if (!store->value || !place) {
        return;
    }
    const lg_cel_type *type = lg_cel_program_type(store->value);
    if (!loader_assignable(type, place)) {
        lg_buf text;
        lg_buf_init(&text, 0);
        lg_cel_type_print(&text, type);
        lg_buf_add_c(&text, ", but the ledger holds ");
        lg_cel_type_print(&text, place);
        lg_buf_add_c(&text, " there");
        loader_error(l, at->offset, "`%.*s` would be given %.*s", LG_FMT(lg_json_str(at)),
                     LG_FMT(lg_buf_str(&text)));
        lg_buf_done(&text);
    }
}

static void read_store(loader *l, lg_tool *tool, const lg_json *json, lg_store *store)
{
    static const char *const keys[] = {"when", "each", "at", "value"};
    const lg_json *at = lg_json_get(json, LG_STR("at"));
    if (!loader_check_keys(l, json, "a store", keys, LG_COUNT(keys))) {
        return;
    }
    if (!lg_json_is(at, LG_JSON_STRING)) {
        loader_error(l, json->offset, "a store needs `at`: a ledger path");
        return;
    }
    const lg_json *each = lg_json_get(json, LG_STR("each"));
    const lg_cel_type *item = read_each(l, tool, each, store);
    const lg_cel_env *env = each && !item ? NULL : store_env(l, tool, item);
    if (!env) {
        return;
    }
    const lg_json *when = lg_json_get(json, LG_STR("when"));
    if (when) {
        store->when = loader_compile_as(l, env, when, LG_CEL_BOOL, "when");
    }
    store->to.segment_count = read_target(l, env, at, store->to.segments);
    if (store->to.segment_count == 0) {
        return;
    }
    store->to.place = match_path(l->pack, store->to.segments, store->to.segment_count, false);
    if (!store->to.place) {
        loader_error(l, at->offset, "`%.*s` matches no path that `ledger` declares",
                     LG_FMT(lg_json_str(at)));
        return;
    }
    read_store_value(l, json, env, store);
}

void loader_read_stores(loader *l, lg_tool *tool, const lg_json *stores)
{
    if (!stores) {
        return;
    }
    if (!lg_json_is(stores, LG_JSON_ARRAY)) {
        loader_error(l, stores->offset, "`stores` must be a list");
        return;
    }
    if (tool->kind != LG_TOOL_READ) {
        loader_error(l, stores->offset,
                     "only a tool of kind read may have `stores`: what a write "
                     "returns is not observed state");
        return;
    }
    lg_store *items = LG_NEW_ARRAY(l->arena, lg_store, lg_json_len(stores));
    for (size_t i = 0; items && i < lg_json_len(stores); i++) {
        read_store(l, tool, lg_json_item(stores, i), &items[i]);
    }
    tool->stores = items;
    tool->store_count = items ? lg_json_len(stores) : 0;
}

// --- Changes ------------------------------------------------------------------------------------

void loader_read_changes(loader *l, lg_tool *tool, const lg_json *changes)
{
    if (!changes) {
        return;
    }
    if (tool->kind != LG_TOOL_WRITE || !lg_json_is(changes, LG_JSON_ARRAY)) {
        loader_error(l, changes->offset,
                     "`changes` is the list of ledger paths that a write may change");
        return;
    }
    size_t count = lg_json_len(changes);
    lg_change *items = LG_NEW_ARRAY(l->arena, lg_change, count);
    lg_cel_env *env = lg_cel_env_new(l->arena, NULL, &l->limits);
    if (!items || !env ||
        lg_cel_env_declare(env, LG_STR("args"), tool->args_type) != LG_STORE_SLOT_ARGS) {
        loader_error(l, changes->offset, "out of memory");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const lg_json *path = lg_json_item(changes, i);
        if (!lg_json_is(path, LG_JSON_STRING)) {
            loader_error(l, path->offset, "a change is a ledger path: orders[args.order_id]");
            continue;
        }
        items[i].segment_count = read_target(l, env, path, items[i].segments);
        if (items[i].segment_count &&
            !match_path(l->pack, items[i].segments, items[i].segment_count, true)) {
            loader_error(l, path->offset, "`%.*s` matches no path that `ledger` declares",
                         LG_FMT(lg_json_str(path)));
        }
    }
    tool->changes = items;
    tool->change_count = count;
    tool->declares_changes = true;
}
