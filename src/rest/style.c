// style.c: values of parameters out of text, by style and explode (OpenAPI 3.1.1 section 4.8.12.6; RFC 6570).
//
// The text is cut before it is decoded: a comma that is part of a value is written %2C. Blanks and bars are an exception, as
// clients escape them also where they separate (README.md says what follows).
#include "rest/rest_internal.h"

#define SCALARS (REST_BOOLEAN | REST_INTEGER | REST_NUMBER | REST_STRING)

typedef struct style_job {
    rest_reading *r;
    const lg_json *schema;
    rest_decoding how;
    lg_json *items;
    size_t count, capacity;
    lg_json_member *members;
    size_t member_count, member_capacity;
} style_job;

// --- Cutting ------------------------------------------------------------------------------------

static size_t find_any_case(lg_str text, lg_str needle)
{
    for (size_t i = 0; i + needle.len <= text.len; i++) {
        if (lg_str_eq_any_case(lg_str_slice(text, i, i + needle.len), needle)) {
            return i;
        }
    }
    return SIZE_MAX;
}

static size_t nearer(size_t a, size_t b, size_t *width, size_t width_of_b)
{
    *width = b < a ? width_of_b : *width;
    return b < a ? b : a;
}

// Where the next separator is, and how many bytes it has; SIZE_MAX: there is none.
static size_t find_cut(lg_str raw, char by, size_t *width)
{
    char plain[1] = {by};
    *width = 1;
    size_t at = lg_str_find(raw, lg_str_of(plain, 1));
    if (by == '|' && at == SIZE_MAX) {
        at = nearer(at, find_any_case(raw, LG_STR("%7C")), width, 3);
    } else if (by == ' ') {
        at = nearer(at, lg_str_find(raw, LG_STR("+")), width, 1);
        at = nearer(at, lg_str_find(raw, LG_STR("%20")), width, 3);
    } else if (by == '\t') {
        at = nearer(at, lg_str_find(raw, LG_STR("%09")), width, 3);
    }
    return at;
}

// Takes the next piece off `*rest`; its `ptr` becomes NULL with the last one.
static lg_str next_piece(lg_str *rest, char by)
{
    size_t width = 0;
    size_t at = find_cut(*rest, by, &width);
    lg_str piece = lg_str_slice(*rest, 0, at);
    *rest = at == SIZE_MAX ? (lg_str){0} : lg_str_slice(*rest, at + width, rest->len);
    return piece;
}

static bool has_cut(lg_str raw, char by)
{
    size_t width = 0;
    return find_cut(raw, by, &width) != SIZE_MAX;
}

// --- Values -------------------------------------------------------------------------------------

static bool read_scalar(style_job *j, const lg_json *schema, lg_str raw, lg_json *ret)
{
    lg_str text;
    if (!lg_rest_read_text(j->r, raw, j->how, &text)) {
        return false;
    }
    text = j->how == REST_PLAIN ? lg_str_trim(text) : text;
    uint32_t types = lg_rest_types(schema, j->r->rest->document);
    bool looks = text.len && ((text.ptr[0] == '{' && (types & REST_OBJECT)) ||
                              (text.ptr[0] == '[' && (types & REST_ARRAY)));
    // No style says lists in lists or objects in them; JSON does, and so do those who need it.
    const lg_json *inner = looks && types != REST_ANY ? lg_rest_json(j->r->arena, text) : NULL;
    *ret = inner ? *inner : lg_rest_scalar(j->r->arena, text, types);
    return true;
}

static bool add_item(style_job *j, lg_str raw)
{
    lg_json *items = lg_arena_grow(j->r->arena, j->items, j->count, &j->capacity, sizeof(*items));
    if (!items) {
        j->r->oom = true;
        return false;
    }
    j->items = items;
    const lg_json *element = lg_rest_element(j->schema, j->r->rest->document);
    return read_scalar(j, element, raw, &j->items[j->count++]);
}

static bool add_items(style_job *j, lg_str raw, char by)
{
    bool ok = true;
    for (lg_str rest = raw; ok && rest.ptr;) {
        ok = add_item(j, next_piece(&rest, by));
    }
    return ok;
}

static bool add_member(style_job *j, lg_str raw_key, lg_str raw)
{
    lg_str key;
    lg_json value;
    if (!lg_rest_read_text(j->r, raw_key, j->how, &key)) {
        return false;
    }
    key = j->how == REST_PLAIN ? lg_str_trim(key) : key;
    lg_json_member *members = lg_arena_grow(j->r->arena, j->members, j->member_count,
                                            &j->member_capacity, sizeof(*members));
    j->r->oom = j->r->oom || !members;
    if (!members ||
        !read_scalar(j, lg_rest_member(j->schema, j->r->rest->document, key), raw, &value)) {
        return false;
    }
    j->members = members;
    j->members[j->member_count++] = lg_json_make_member(key, value);
    return j->member_count <= LG_REST_FIELDS_MAX ||
           lg_rest_trouble(j->r, 400, "a parameter has more than %u members", LG_REST_FIELDS_MAX);
}

// "k,v,k,v", or "k=v,k=v" where it is exploded.
static bool add_members(style_job *j, lg_str raw, char by, bool explode)
{
    bool ok = true;
    for (lg_str rest = raw; ok && rest.ptr && raw.len;) {
        lg_str piece = next_piece(&rest, by);
        lg_str value = {0};
        if (explode) {
            size_t equals = lg_str_find(piece, LG_STR("="));
            value = lg_str_slice(piece, equals == SIZE_MAX ? piece.len : equals + 1, piece.len);
            piece = lg_str_slice(piece, 0, equals);
        } else if (rest.ptr) {
            value = next_piece(&rest, by);
        }
        ok = add_member(j, piece, value.ptr ? value : LG_STR(""));
    }
    return ok;
}

static lg_json items_of(const style_job *j)
{
    return lg_json_make_array(j->items, j->count);
}

static bool members_of(style_job *j, lg_json *ret)
{
    bool ok = lg_rest_object(j->r->arena, j->members, j->member_count, ret);
    j->r->oom = j->r->oom || !ok;
    return ok;
}

static bool read_content(style_job *j, lg_str raw, lg_json *ret)
{
    lg_str text;
    if (!lg_rest_read_text(j->r, raw, j->how, &text)) {
        return false;
    }
    const lg_json *value = lg_rest_json(j->r->arena, text);
    *ret = value ? *value : lg_json_make_str(text);
    return true;
}

// --- Paths and headers --------------------------------------------------------------------------

static char separator_of(const rest_parameter *p)
{
    switch (p->style) {
    case REST_LABEL:
        return p->explode ? '.' : ',';
    case REST_MATRIX:
        return p->explode ? ';' : ',';
    case REST_SPACE:
        return ' ';
    case REST_PIPE:
        return '|';
    case REST_TAB:
        return '\t';
    case REST_SIMPLE:
    case REST_FORM_STYLE:
    case REST_DEEP:
    case REST_CONTENT:
        break;
    }
    return ',';
}

// Takes "name=" off.
static lg_str without_name(lg_str raw, lg_str name)
{
    bool named = lg_str_starts(raw, name) && raw.len > name.len && raw.ptr[name.len] == '=';
    return named ? lg_str_slice(raw, name.len + 1, raw.len) : raw;
}

// Is the text one of several values, or of members? A type that may be plain as well is, where nothing separates.
static bool wants(uint32_t types, uint32_t container, bool separated)
{
    return types != REST_ANY && (types & container) && (!(types & SCALARS) || separated);
}

static bool read_matrix_items(style_job *j, const rest_parameter *p, lg_str raw)
{
    bool ok = true;
    for (lg_str rest = raw; ok && rest.ptr;) {
        ok = add_item(j, without_name(next_piece(&rest, ';'), p->argument->key));
    }
    return ok;
}

bool lg_rest_read_raw(rest_reading *r, const rest_parameter *p, lg_str raw, rest_decoding how,
                      lg_json *ret, bool *ret_has)
{
    style_job j = {.r = r, .schema = p->argument->schema, .how = how};
    *ret_has = true;
    if (p->style == REST_CONTENT) {
        return read_content(&j, raw, ret);
    }
    char mark = p->style == REST_LABEL ? '.' : p->style == REST_MATRIX ? ';' : '\0';
    char by = separator_of(p);
    if (mark) {
        raw = raw.len && raw.ptr[0] == mark ? lg_str_slice(raw, 1, raw.len) : raw;
        // OpenAPI before 3.0.4 separated by points here.
        by = p->style == REST_LABEL && !has_cut(raw, by) ? '.' : by;
    }
    bool is_named = p->style == REST_MATRIX && !p->explode;
    if (wants(p->types, REST_OBJECT, has_cut(raw, by)) && !(p->types & REST_ARRAY)) {
        raw = is_named ? without_name(raw, p->argument->key) : raw;
        return add_members(&j, raw, by, p->explode) && members_of(&j, ret);
    }
    bool several = wants(p->types, REST_ARRAY, has_cut(raw, by));
    if (several && p->style == REST_MATRIX && p->explode) {
        bool ok = read_matrix_items(&j, p, raw);
        *ret = items_of(&j);
        return ok;
    }
    raw = p->style == REST_MATRIX ? without_name(raw, p->argument->key) : raw;
    if (several) {
        bool ok = add_items(&j, raw, by);
        *ret = items_of(&j);
        return ok;
    }
    return read_scalar(&j, j.schema, raw, ret);
}

// --- Queries, cookies, forms --------------------------------------------------------------------

static bool is_another(const lg_rest_operation *o, const rest_parameter *p, lg_str name)
{
    for (size_t i = 0; i < o->tool->list_count; i++) {
        const lg_catalogue_argument *a = &o->tool->list[i];
        if (a != p->argument && a->place == p->argument->place && lg_str_eq(a->key, name)) {
            return true;
        }
    }
    return false;
}

// An exploded object: its members are pairs like any other.
static bool read_spread(style_job *j, const rest_parameter *p, const rest_pair *pairs, size_t count,
                        lg_json *ret, bool *ret_has)
{
    const lg_json *document = j->r->rest->document;
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        bool is_member = lg_rest_names_member(j->schema, document, pairs[i].name) ||
                         (lg_rest_member(j->schema, document, pairs[i].name) &&
                          !lg_str_starts(pairs[i].name, LG_STR("__")));
        if (!is_member || is_another(j->r->operation, p, pairs[i].name)) {
            continue;
        }
        lg_json value;
        lg_json_member *members = lg_arena_grow(j->r->arena, j->members, j->member_count,
                                                &j->member_capacity, sizeof(*members));
        j->r->oom = j->r->oom || !members;
        ok = members && read_scalar(j, lg_rest_member(j->schema, document, pairs[i].name),
                                    pairs[i].raw, &value);
        if (ok) {
            j->members = members;
            j->members[j->member_count++] = lg_json_make_member(pairs[i].name, value);
        }
    }
    *ret_has = j->member_count > 0;
    return ok && members_of(j, ret);
}

static bool read_deep(style_job *j, const rest_parameter *p, const rest_pair *pairs, size_t count,
                      lg_json *ret, bool *ret_has)
{
    rest_tree tree;
    lg_str key = p->argument->key;
    bool ok = lg_rest_tree_begin(j->r, &tree);
    for (size_t i = 0; ok && i < count; i++) {
        lg_str name = pairs[i].name;
        lg_str text;
        if (lg_str_starts(name, key) && (name.len == key.len || name.ptr[key.len] == '[')) {
            ok = lg_rest_read_text(j->r, pairs[i].raw, j->how, &text) &&
                 lg_rest_tree_add(&tree, name, false, text);
        }
    }
    *ret_has = ok && lg_rest_tree_value(&tree, key, j->schema, ret);
    return ok;
}

// All that stands under the parameter's name, as elements.
static bool add_all(style_job *j, const rest_parameter *p, const rest_pair *pairs, size_t count,
                    char by)
{
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        if (lg_str_eq(pairs[i].name, p->argument->key)) {
            ok = by ? add_items(j, pairs[i].raw, by) : add_item(j, pairs[i].raw);
        }
    }
    return ok;
}

// A list of objects that came as one text of JSON, as no style has words for it.
static bool is_whole_list(style_job *j, lg_str raw, lg_json *ret)
{
    const lg_json *document = j->r->rest->document;
    lg_str text;
    bool oom = false;
    if (lg_rest_types(lg_rest_element(j->schema, document), document) != REST_OBJECT ||
        !lg_rest_decode(j->r->arena, raw, j->how, &text, &oom) || text.len == 0 ||
        text.ptr[0] != '[') {
        return false;
    }
    const lg_json *list = lg_rest_json(j->r->arena, text);
    if (list) {
        *ret = *list;
    }
    return list != NULL;
}

bool lg_rest_read_named(rest_reading *r, const rest_parameter *p, const rest_pair *pairs,
                        size_t count, rest_decoding how, lg_json *ret, bool *ret_has)
{
    style_job j = {.r = r, .schema = p->argument->schema, .how = how};
    *ret_has = false;
    if (p->style == REST_DEEP) {
        return read_deep(&j, p, pairs, count, ret, ret_has);
    }
    char by = separator_of(p);
    size_t matches = 0;
    lg_str raw = {0};
    for (size_t i = 0; i < count; i++) {
        if (lg_str_eq(pairs[i].name, p->argument->key)) {
            raw = matches++ == 0 ? pairs[i].raw : raw;
        }
    }
    bool is_content = p->style == REST_CONTENT;
    bool object = !is_content && wants(p->types, REST_OBJECT, false) && !(p->types & REST_ARRAY);
    if (object && p->explode && matches == 0) {
        return read_spread(&j, p, pairs, count, ret, ret_has);
    }
    *ret_has = matches > 0;
    if (matches == 0) {
        return true;
    }
    if (is_content) {
        return read_content(&j, raw, ret);
    }
    if (object && !p->explode) {
        return add_members(&j, raw, by, false) && members_of(&j, ret);
    }
    if (matches == 1 && is_whole_list(&j, raw, ret)) {
        return true;
    }
    bool separated = matches > 1 || (!p->explode && has_cut(raw, by));
    bool several = wants(p->types, REST_ARRAY, separated);
    if (several || matches > 1) {
        bool ok = add_all(&j, p, pairs, count, several && !p->explode ? by : '\0');
        *ret = items_of(&j);
        return ok;
    }
    return read_scalar(&j, j.schema, raw, ret);
}
