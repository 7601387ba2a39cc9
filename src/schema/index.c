// index.c: finds every subschema of a document before any keyword is read.
//
// A reference may point forward, into another resource, or at an anchor not seen yet, so all of
// them are collected first: each subschema becomes a node that knows its place and its resource,
// and is queued for compilation. Only the keywords that hold schemas are followed: an `$id` inside
// `enum` is data. A place that a JSON pointer names and no keyword does is indexed when a reference
// asks for it.
#include "schema/schema_internal.h"

#include "base/hash.h"
#include "base/utf8.h"

// --- The map ------------------------------------------------------------------------------------

static map_slot *find_slot(const map *m, uint64_t hash, lg_str key)
{
    size_t at = (size_t)hash & (m->capacity - 1);
    while (m->slots[at].value && !(m->slots[at].hash == hash && lg_str_eq(m->slots[at].key, key))) {
        at = (at + 1) & (m->capacity - 1);
    }
    return &m->slots[at];
}

void *lg_table_get(const map *m, lg_str key)
{
    return m->capacity ? find_slot(m, lg_hash(key), key)->value : NULL;
}

static bool grow_map(lg_arena *arena, map *m)
{
    map bigger = {.capacity = m->capacity ? m->capacity * 2 : 16, .count = m->count};
    bigger.slots = LG_NEW_ARRAY(arena, map_slot, bigger.capacity);
    if (!bigger.slots) {
        return false;
    }
    for (size_t i = 0; i < m->capacity; i++) {
        if (m->slots[i].value) {
            *find_slot(&bigger, m->slots[i].hash, m->slots[i].key) = m->slots[i];
        }
    }
    *m = bigger;
    return true;
}

bool lg_table_put(lg_arena *arena, map *m, lg_str key, void *value)
{
    if (m->count * 2 >= m->capacity && !grow_map(arena, m)) {
        return false;
    }
    uint64_t hash = lg_hash(key);
    map_slot *slot = find_slot(m, hash, key);
    m->count += slot->value ? 0 : 1;
    *slot = (map_slot){hash, key, value};
    return true;
}

// --- Complaints ---------------------------------------------------------------------------------

void lg_schema_no_memory(compiler *c)
{
    c->failed = true;
    if (!c->oom) {
        c->oom = true;
        lg_error error;
        (void)lg_fail_oom(&error);
        lg_errors_add(c->errors, &error);
    }
}

void lg_schema_complain(compiler *c, const place *where, const char *keyword, const char *format,
                        ...)
{
    char room[256];
    char problem[LG_ERROR_TEXT_BYTES];
    fixed_text pointer = lg_text_in(room, sizeof(room));
    lg_place_print(&pointer, where);
    if (keyword && !pointer.cut) {
        lg_text_add_pointer_token(&pointer, lg_str_c(keyword));
        lg_text_end(&pointer);
    }
    va_list args;
    va_start(args, format);
    vsnprintf(problem, sizeof(problem), format, args);
    va_end(args);
    c->failed = true;
    lg_errors_addf(c->errors, LG_ERR_FORMAT, (lg_position){0}, "%s: %s",
                   room[0] ? room : "the schema", problem);
}

// --- Places -------------------------------------------------------------------------------------

const place *lg_index_place(compiler *c, const place *parent, lg_str token)
{
    place *made = LG_NEW(c->arena, place);
    if (!made) {
        lg_schema_no_memory(c);
        return NULL;
    }
    *made = (place){parent, token};
    return made;
}

const place *lg_index_place_at(compiler *c, const place *parent, size_t index)
{
    lg_str token = lg_arena_printf(c->arena, "%zu", index);
    if (!token.ptr) {
        lg_schema_no_memory(c);
        return NULL;
    }
    return lg_index_place(c, parent, token);
}

// --- Dialects -----------------------------------------------------------------------------------

static const struct {
    lg_str uri;
    lg_schema_dialect draft;
    bool is_2019_09;
} known_dialects[] = {
    {{"https://json-schema.org/draft/2020-12/schema", 44}, LG_SCHEMA_2020_12, false},
    {{"https://json-schema.org/draft/2019-09/schema", 44}, LG_SCHEMA_2020_12, true},
    {{"http://json-schema.org/draft-07/schema", 38}, LG_SCHEMA_7, false},
    {{"https://json-schema.org/draft-07/schema", 39}, LG_SCHEMA_7, false},
    {{"http://json-schema.org/draft-06/schema", 38}, LG_SCHEMA_7, false},
    {{"https://spec.openapis.org/oas/3.1/dialect/base", 46}, LG_SCHEMA_2020_12, false},
    {{"https://spec.openapis.org/oas/3.1/dialect/2024-11-10", 52}, LG_SCHEMA_2020_12, false},
};

static dialect dialect_of(lg_schema_dialect draft, bool is_2019_09, bool asserts_format)
{
    return (dialect){.draft = draft,
                     .is_2019_09 = is_2019_09,
                     .applies = true,
                     .validates = true,
                     .unevaluated = draft == LG_SCHEMA_2020_12,
                     .asserts_format = asserts_format};
}

static bool find_dialect(const compiler *c, lg_str uri, dialect *ret)
{
    for (size_t i = 0; i < LG_COUNT(known_dialects); i++) {
        if (lg_str_eq(known_dialects[i].uri, uri)) {
            *ret = dialect_of(known_dialects[i].draft, known_dialects[i].is_2019_09,
                              c->options.assert_formats);
            return true;
        }
    }
    return false;
}

static const lg_json *registered(const compiler *c, lg_str uri)
{
    for (size_t i = 0; i < c->options.registry_count; i++) {
        if (lg_str_eq(lg_uri_without_fragment(c->options.registry[i].uri), uri)) {
            return c->options.registry[i].schema;
        }
    }
    return NULL;
}

// Reads `$vocabulary` of a meta-schema into `d`. A vocabulary that must be understood and is not
// known here is a complaint.
static void read_vocabulary(compiler *c, const lg_json *vocabulary, const place *where, dialect *d)
{
    static const char *const known[] = {"core",       "applicator",        "unevaluated",
                                        "validation", "format-annotation", "format-assertion",
                                        "content",    "meta-data",         "format"};
    bool seen[LG_COUNT(known)] = {false};
    for (size_t i = 0; i < lg_json_len(vocabulary); i++) {
        const lg_json_member *member = lg_json_member_at(vocabulary, i);
        lg_str name = lg_json_key(member);
        size_t at = LG_COUNT(known);
        size_t slash = name.len;
        while (slash > 0 && name.ptr[slash - 1] != '/') {
            slash--;
        }
        if (lg_str_starts(name, LG_STR("https://json-schema.org/draft/20")) &&
            lg_str_eq(lg_str_slice(name, 37, slash), LG_STR("/vocab/"))) {
            lg_str last = lg_str_slice(name, slash, name.len);
            for (at = 0; at < LG_COUNT(known) && !lg_str_eq(lg_str_c(known[at]), last); at++) {
            }
        }
        if (at < LG_COUNT(known)) {
            seen[at] = true;
        } else if (lg_json_is_true(&member->value)) {
            lg_schema_complain(c, where, "$schema", "the vocabulary %.*s is required, but unknown",
                               LG_FMT(name));
        }
    }
    d->applies = seen[1];
    d->unevaluated = seen[2] || (d->is_2019_09 && seen[1]);
    d->validates = seen[3];
    d->asserts_format = seen[5] || c->options.assert_formats;
}

// The dialect of a resource root. Follows `$schema` through registered meta-schemas, each of which
// is described by another one, up to a small number.
static dialect read_dialect(compiler *c, const lg_json *source, const place *where, dialect given)
{
    const lg_json *named = lg_json_get(source, LG_STR("$schema"));
    if (!named) {
        return given;
    }
    if (!lg_json_is(named, LG_JSON_STRING)) {
        lg_schema_complain(c, where, "$schema", "must be a string");
        return given;
    }
    const lg_json *vocabulary = NULL;
    lg_str uri = lg_uri_without_fragment(lg_json_str(named));
    dialect found = given;
    for (int hops = 0; hops < 8 && !find_dialect(c, uri, &found); hops++) {
        const lg_json *meta = registered(c, uri);
        const lg_json *next = lg_json_get(meta, LG_STR("$schema"));
        if (!lg_json_is(next, LG_JSON_STRING)) {
            lg_schema_complain(c, where, "$schema",
                               "`%.*s` is no dialect that is known here; known are "
                               "https://json-schema.org/draft/2020-12/schema and "
                               "http://json-schema.org/draft-07/schema#",
                               (int)(uri.len < 100 ? uri.len : 100), uri.ptr);
            return given;
        }
        vocabulary = vocabulary ? vocabulary : lg_json_get(meta, LG_STR("$vocabulary"));
        uri = lg_uri_without_fragment(lg_json_str(next));
    }
    if (vocabulary) {
        read_vocabulary(c, vocabulary, where, &found);
    }
    return found;
}

// --- Resources and anchors ----------------------------------------------------------------------

static resource *add_resource(compiler *c, const lg_json *root, const place *where, lg_str uri,
                              dialect d)
{
    resource *made = LG_NEW(c->arena, resource);
    if (!made) {
        lg_schema_no_memory(c);
        return NULL;
    }
    *made = (resource){.uri = uri, .root = root, .where = where, .dialect = d};
    const resource *old = lg_table_get(&c->resources, uri);
    if (old && old->root != root) {
        lg_schema_complain(c, where, "$id", "another schema is already called `%.*s`",
                           LG_FMT(lg_str_slice(uri, 0, 120)));
    } else if (!lg_table_put(c->arena, &c->resources, uri, made)) {
        lg_schema_no_memory(c);
    }
    return made;
}

static bool is_anchor_name(lg_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char ch = s.ptr[i];
        bool first = lg_is_letter(ch) || ch == '_';
        bool later = lg_is_digit(ch) || ch == '-' || ch == '.' || ch == ':';
        if (!first && (i == 0 || !later)) {
            return false;
        }
    }
    return s.len > 0;
}

static void add_anchor(compiler *c, node *n, const char *keyword, lg_str name)
{
    lg_str key = lg_arena_printf(c->arena, "%.*s#%.*s", LG_FMT(n->resource->uri), LG_FMT(name));
    if (!key.ptr) {
        lg_schema_no_memory(c);
        return;
    }
    const node *old = lg_table_get(&c->anchors, key);
    if (old && old != n) {
        lg_schema_complain(c, n->where, keyword, "the anchor `%.*s` is declared twice",
                           LG_FMT(lg_str_slice(name, 0, 120)));
    } else if (!lg_table_put(c->arena, &c->anchors, key, n)) {
        lg_schema_no_memory(c);
    }
}

static void index_anchor(compiler *c, node *n, const char *keyword, bool dynamic)
{
    const lg_json *value = lg_json_get(n->source, lg_str_c(keyword));
    if (!value) {
        return;
    }
    lg_str name = lg_json_str(value);
    if (!lg_json_is(value, LG_JSON_STRING) || !is_anchor_name(name)) {
        lg_schema_complain(c, n->where, keyword,
                           "must be a name: a letter or `_`, then letters, digits, `-`, `_`, `.`");
        return;
    }
    add_anchor(c, n, keyword, name);
    if (dynamic) {
        dynamic_anchor *made = LG_NEW(c->arena, dynamic_anchor);
        if (!made) {
            lg_schema_no_memory(c);
            return;
        }
        *made = (dynamic_anchor){name, n, n->resource->dynamic};
        n->resource->dynamic = made;
    }
}

// Draft 7 ignores whatever stands beside `$ref`, as does OpenAPI 3.0.
static bool ref_hides_siblings(const node *n)
{
    return n->resource->dialect.draft != LG_SCHEMA_2020_12 &&
           lg_json_get(n->source, LG_STR("$ref")) != NULL;
}

// Reads `$id`: gives `n` a resource of its own, or in draft 7 perhaps only an anchor.
static void index_id(compiler *c, node *n)
{
    const lg_json *id = lg_json_get(n->source, LG_STR("$id"));
    if (!id || n->resource->dialect.draft == LG_SCHEMA_OPENAPI_3_0 || ref_hides_siblings(n)) {
        return;
    }
    if (!lg_json_is(id, LG_JSON_STRING)) {
        lg_schema_complain(c, n->where, "$id", "must be a string");
        return;
    }
    lg_str text = lg_json_str(id);
    lg_str fragment = lg_uri_fragment(text);
    if (fragment.len && n->resource->dialect.draft == LG_SCHEMA_2020_12) {
        lg_schema_complain(c, n->where, "$id", "must have no fragment; use `$anchor`");
        return;
    }
    lg_str uri = lg_uri_without_fragment(text);
    if (uri.len) {
        lg_str absolute = lg_uri_resolve(c->arena, n->resource->uri, uri);
        if (!absolute.ptr) {
            lg_schema_no_memory(c);
            return;
        }
        if (absolute.len > LG_SCHEMA_URI_BYTES_MAX) {
            lg_schema_complain(c, n->where, "$id", "is longer than %u bytes once resolved",
                               LG_SCHEMA_URI_BYTES_MAX);
            return;
        }
        bool root = n->source == n->resource->root; // its `$schema` has been read
        dialect d = root ? n->resource->dialect
                         : read_dialect(c, n->source, n->where, n->resource->dialect);
        resource *own = add_resource(c, n->source, n->where, absolute, d);
        n->resource = own ? own : n->resource;
    }
    if (fragment.len && fragment.ptr[0] != '/') {
        add_anchor(c, n, "$id", fragment);
    }
}

// --- The walk -----------------------------------------------------------------------------------

typedef enum schema_shape {
    SHAPE_ONE,          // a schema
    SHAPE_LIST,         // an array of schemas
    SHAPE_MAP,          // an object of schemas
    SHAPE_ONE_OR_LIST,  // `items` of draft 7
    SHAPE_MAP_OR_NAMES, // `dependencies`: a schema or an array of names
} schema_shape;

enum { IN_2020 = 1, IN_7 = 2, IN_2019 = 4, IN_ALL = 7 };

static const struct {
    const char *keyword;
    schema_shape shape;
    int drafts;
} holders[] = {
    {"properties", SHAPE_MAP, IN_ALL},
    {"items", SHAPE_ONE_OR_LIST, IN_ALL},
    {"$defs", SHAPE_MAP, IN_2020 | IN_2019},
    {"definitions", SHAPE_MAP, IN_ALL},
    {"additionalProperties", SHAPE_ONE, IN_ALL},
    {"patternProperties", SHAPE_MAP, IN_ALL},
    {"propertyNames", SHAPE_ONE, IN_ALL},
    {"allOf", SHAPE_LIST, IN_ALL},
    {"anyOf", SHAPE_LIST, IN_ALL},
    {"oneOf", SHAPE_LIST, IN_ALL},
    {"not", SHAPE_ONE, IN_ALL},
    {"if", SHAPE_ONE, IN_ALL},
    {"then", SHAPE_ONE, IN_ALL},
    {"else", SHAPE_ONE, IN_ALL},
    {"contains", SHAPE_ONE, IN_ALL},
    {"prefixItems", SHAPE_LIST, IN_2020},
    {"additionalItems", SHAPE_ONE, IN_7 | IN_2019},
    {"dependentSchemas", SHAPE_MAP, IN_2020 | IN_2019},
    {"dependencies", SHAPE_MAP_OR_NAMES, IN_ALL},
    {"unevaluatedItems", SHAPE_ONE, IN_2020 | IN_2019},
    {"unevaluatedProperties", SHAPE_ONE, IN_2020 | IN_2019},
    {"contentSchema", SHAPE_ONE, IN_2020 | IN_2019},
};

static int draft_bit(const dialect *d)
{
    return d->draft != LG_SCHEMA_2020_12 ? IN_7 : d->is_2019_09 ? IN_2019 : IN_2020;
}

typedef struct walk {
    compiler *c;
    uint32_t depth;
} walk;

static node *index_node(walk *w, const lg_json *source, const place *where, resource *base);

static bool looks_like_schema(const lg_json *value)
{
    return lg_json_is(value, LG_JSON_OBJECT) || lg_json_is(value, LG_JSON_BOOL);
}

static void index_members(walk *w, const lg_json *object, const place *where, resource *base)
{
    for (size_t i = 0; i < lg_json_len(object) && !w->c->oom; i++) {
        const lg_json_member *member = lg_json_member_at(object, i);
        if (looks_like_schema(&member->value)) {
            index_node(w, &member->value, lg_index_place(w->c, where, lg_json_key(member)), base);
        }
    }
}

static void index_items(walk *w, const lg_json *array, const place *where, resource *base)
{
    for (size_t i = 0; i < lg_json_len(array) && !w->c->oom; i++) {
        if (looks_like_schema(&array->as.items[i])) {
            index_node(w, &array->as.items[i], lg_index_place_at(w->c, where, i), base);
        }
    }
}

// Indexes what `value`, the value of a keyword of `shape`, holds. What does not fit the shape is
// left to the compiler of the keyword, which complains.
static void index_holder(walk *w, const lg_json *value, schema_shape shape, const place *where,
                         resource *base)
{
    bool is_list = lg_json_is(value, LG_JSON_ARRAY);
    bool is_object = lg_json_is(value, LG_JSON_OBJECT);
    if (is_list && (shape == SHAPE_LIST || shape == SHAPE_ONE_OR_LIST)) {
        index_items(w, value, where, base);
    } else if (is_object && (shape == SHAPE_MAP || shape == SHAPE_MAP_OR_NAMES)) {
        index_members(w, value, where, base);
    } else if (looks_like_schema(value) && (shape == SHAPE_ONE || shape == SHAPE_ONE_OR_LIST)) {
        index_node(w, value, where, base);
    }
}

static void index_children(walk *w, node *n)
{
    int draft = draft_bit(&n->resource->dialect);
    bool hidden = ref_hides_siblings(n);
    for (size_t i = 0; i < LG_COUNT(holders) && !w->c->oom; i++) {
        // Definitions beside a `$ref` of draft 7 are still definitions.
        bool skip = hidden && strcmp(holders[i].keyword, "definitions") != 0;
        lg_str name = lg_str_c(holders[i].keyword);
        const lg_json *value =
            !skip && (holders[i].drafts & draft) ? lg_json_get(n->source, name) : NULL;
        if (value) {
            index_holder(w, value, holders[i].shape, lg_index_place(w->c, n->where, name),
                         n->resource);
        }
    }
}

static node *find_node(const compiler *c, const lg_json *source)
{
    uintptr_t address = (uintptr_t)source;
    return lg_table_get(&c->nodes, lg_str_of((const char *)&address, sizeof(address)));
}

static node *add_node(compiler *c, const lg_json *source, const place *where, resource *base)
{
    node *n = LG_NEW(c->arena, node);
    if (!n) {
        lg_schema_no_memory(c);
        return NULL;
    }
    *n = (node){.source = source,
                .address = (uintptr_t)source,
                .where = where,
                .resource = base,
                .id = c->node_count++};
    lg_str key = lg_str_of((const char *)&n->address, sizeof(n->address));
    if (!lg_table_put(c->arena, &c->nodes, key, n)) {
        lg_schema_no_memory(c);
        return NULL;
    }
    n->next = c->to_compile;
    c->to_compile = n;
    return n;
}

static node *index_node(walk *w, const lg_json *source, const place *where, resource *base)
{
    compiler *c = w->c;
    if (!where || !base || c->oom) {
        return NULL;
    }
    node *n = find_node(c, source);
    if (n) {
        return n;
    }
    if (w->depth >= LG_SCHEMA_DEPTH_MAX) {
        lg_schema_complain(c, where, NULL, "subschemas are nested deeper than %u levels",
                           LG_SCHEMA_DEPTH_MAX);
        return NULL;
    }
    n = add_node(c, source, where, base);
    if (n && lg_json_is(source, LG_JSON_OBJECT)) {
        index_id(c, n);
        if (n->resource->dialect.draft == LG_SCHEMA_2020_12) {
            index_anchor(c, n, "$anchor", false);
            index_anchor(c, n, "$dynamicAnchor", true);
        }
        w->depth++;
        index_children(w, n);
        w->depth--;
    }
    return n;
}

node *lg_index_schema(compiler *c, const lg_json *source, const place *where, resource *base)
{
    walk w = {.c = c};
    return index_node(&w, source, where, base);
}

node *lg_index_document(compiler *c, const lg_json *source, lg_str uri)
{
    const place *where = lg_index_place(c, NULL, uri);
    if (!where) {
        return NULL;
    }
    lg_schema_dialect draft = c->options.dialect;
    draft = draft == LG_SCHEMA_DETECT ? LG_SCHEMA_2020_12 : draft;
    dialect given = dialect_of(draft, false, c->options.assert_formats);
    bool has_own = lg_json_is(source, LG_JSON_OBJECT);
    dialect d = has_own ? read_dialect(c, source, where, given) : given;
    // Only the main schema can be a part of a larger document; its pointers begin at that one's root.
    const lg_json *root = uri.len == 0 && c->options.document ? c->options.document : source;
    resource *base = add_resource(c, root, where, uri, d);
    return base ? lg_index_schema(c, source, where, base) : NULL;
}

// --- References ---------------------------------------------------------------------------------

// Percent-decodes a fragment. ptr is NULL when out of memory; an escape that is none stays.
static lg_str decode_fragment(lg_arena *arena, lg_str s)
{
    char *out = lg_arena_alloc(arena, s.len + 1, 1);
    size_t len = 0;
    for (size_t i = 0; out && i < s.len; i++) {
        int high = s.ptr[i] == '%' && i + 2 < s.len ? lg_hex_digit(s.ptr[i + 1]) : -1;
        int low = high >= 0 ? lg_hex_digit(s.ptr[i + 2]) : -1;
        if (low >= 0) {
            out[len++] = (char)(high * 16 + low);
            i += 2;
        } else {
            out[len++] = s.ptr[i];
        }
    }
    return lg_str_of(out, len);
}

// One reference token, unescaped; ptr is NULL when out of memory.
static lg_str unescape_token(lg_arena *arena, lg_str s)
{
    char *out = lg_arena_alloc(arena, s.len + 1, 1);
    size_t len = 0;
    for (size_t i = 0; out && i < s.len; i++) {
        bool escape = s.ptr[i] == '~' && i + 1 < s.len;
        if (escape && (s.ptr[i + 1] == '0' || s.ptr[i + 1] == '1')) {
            out[len++] = s.ptr[i + 1] == '0' ? '~' : '/';
            i++;
        } else {
            out[len++] = s.ptr[i];
        }
    }
    return lg_str_of(out, len);
}

static const lg_json *child_of(const lg_json *value, lg_str token)
{
    if (lg_json_is(value, LG_JSON_OBJECT)) {
        return lg_json_get(value, token);
    }
    uint64_t index = 0;
    bool number = token.len > 0 && token.len < 10 && (token.ptr[0] != '0' || token.len == 1);
    for (size_t i = 0; number && i < token.len; i++) {
        number = token.ptr[i] >= '0' && token.ptr[i] <= '9';
        index = index * 10 + (uint64_t)(token.ptr[i] - '0');
    }
    return number ? lg_json_item(value, (size_t)index) : NULL;
}

// Walks `pointer` from the root of `from`. On the way it changes into the resources of the
// subschemas it passes, since those may have an `$id`.
static node *follow_pointer(compiler *c, resource *from, lg_str pointer)
{
    const lg_json *value = from->root;
    const place *where = from->where;
    resource *base = from;
    for (size_t at = 0; at < pointer.len && value && where;) {
        size_t end = at + 1;
        while (end < pointer.len && pointer.ptr[end] != '/') {
            end++;
        }
        lg_str token = unescape_token(c->arena, lg_str_slice(pointer, at + 1, end));
        if (!token.ptr) {
            lg_schema_no_memory(c);
            return NULL;
        }
        value = child_of(value, token);
        where = lg_index_place(c, where, token);
        const node *known = value ? find_node(c, value) : NULL;
        if (known) {
            base = known->resource;
            where = known->where;
        }
        at = end;
    }
    return looks_like_schema(value) ? lg_index_schema(c, value, where, base) : NULL;
}

static resource *find_resource(compiler *c, lg_str uri)
{
    resource *found = lg_table_get(&c->resources, uri);
    const lg_json *source = found ? NULL : registered(c, uri);
    if (source && lg_index_document(c, source, uri)) {
        found = lg_table_get(&c->resources, uri);
    }
    // A document may call itself by another name than the registry does: its own one counts.
    const node *root = found ? find_node(c, found->root) : NULL;
    return root ? root->resource : found;
}

node *lg_index_resolve(compiler *c, const resource *base, const place *where, const char *keyword,
                       lg_str reference, lg_str *ret_name)
{
    lg_str shown = lg_str_slice(reference, 0, 120);
    lg_str uri = lg_uri_resolve(c->arena, base->uri, reference);
    if (!uri.ptr) {
        lg_schema_no_memory(c);
        return NULL;
    }
    if (lg_uri_without_fragment(uri).len > LG_SCHEMA_URI_BYTES_MAX) {
        lg_schema_complain(c, where, keyword, "is longer than %u bytes once resolved",
                           LG_SCHEMA_URI_BYTES_MAX);
        return NULL;
    }
    resource *target = find_resource(c, lg_uri_without_fragment(uri));
    if (!target) {
        lg_schema_complain(c, where, keyword,
                           "`%.*s` is not in this schema or the registry; nothing is fetched",
                           LG_FMT(shown));
        return NULL;
    }
    lg_str fragment = decode_fragment(c->arena, lg_uri_fragment(uri));
    if (!fragment.ptr) {
        lg_schema_no_memory(c);
        return NULL;
    }
    node *found = NULL;
    if (fragment.len == 0 || fragment.ptr[0] == '/') {
        found = follow_pointer(c, target, fragment);
    } else {
        lg_str key = lg_arena_printf(c->arena, "%.*s#%.*s", LG_FMT(target->uri), LG_FMT(fragment));
        found = key.ptr ? lg_table_get(&c->anchors, key) : NULL;
        *ret_name = fragment;
    }
    if (!found && !c->oom) {
        lg_schema_complain(c, where, keyword, "`%.*s` points to no schema", LG_FMT(shown));
    }
    return found;
}
