// tree.c: names with brackets: filter[price][gte]=3, items[0][id]=a, tags[]=x.
//
// No standard has them; they are read as Rails, PHP, qs and Stripe write them. Whether a branch is a list or an object is the
// schema's to say, and where it says both, the keys': a list has none, or numbers.
#include "rest/rest_internal.h"

typedef struct rest_branch {
    lg_str key;
    lg_str *texts; // given for this very name
    size_t text_count, text_capacity;
    struct rest_branch *first, *last, *next;
    size_t count; // of branches
} rest_branch;

bool lg_rest_tree_begin(rest_reading *r, rest_tree *tree)
{
    tree->r = r;
    tree->root = LG_NEW(r->arena, rest_branch);
    r->oom = r->oom || !tree->root;
    return tree->root != NULL;
}

// The branch of this key; an empty key is a new one each time.
static rest_branch *enter(rest_tree *tree, rest_branch *branch, lg_str key)
{
    for (rest_branch *b = branch->first; b && key.len; b = b->next) {
        if (lg_str_eq(b->key, key)) {
            return b;
        }
    }
    rest_branch *made = LG_NEW(tree->r->arena, rest_branch);
    if (!made) {
        tree->r->oom = true;
        return NULL;
    }
    made->key = key;
    if (branch->last) {
        branch->last->next = made;
    } else {
        branch->first = made;
    }
    branch->last = made;
    branch->count++;
    return made;
}

static bool add_text(rest_tree *tree, rest_branch *branch, lg_str text)
{
    lg_str *texts = lg_arena_grow(tree->r->arena, branch->texts, branch->text_count,
                                  &branch->text_capacity, sizeof(*texts));
    if (!texts) {
        tree->r->oom = true;
        return false;
    }
    branch->texts = texts;
    branch->texts[branch->text_count++] = text;
    return true;
}

// Are all brackets of the name behind its first key closed, and nothing else there?
static bool has_brackets(lg_str name, size_t from)
{
    for (size_t at = from; at < name.len;) {
        size_t close = lg_str_find(lg_str_slice(name, at, name.len), LG_STR("]"));
        if (name.ptr[at] != '[' || close == SIZE_MAX) {
            return false;
        }
        at += close + 1;
    }
    return true;
}

bool lg_rest_tree_add(rest_tree *tree, lg_str name, bool literal, lg_str text)
{
    size_t open = lg_str_find(name, LG_STR("["));
    if (literal || open == SIZE_MAX || open == 0 || !has_brackets(name, open)) {
        open = name.len;
    }
    lg_str key = lg_str_slice(name, 0, open);
    rest_branch *branch = key.len ? enter(tree, tree->root, key) : NULL;
    uint32_t levels = 0;
    for (size_t at = open; branch && at < name.len;) {
        size_t close = at + lg_str_find(lg_str_slice(name, at, name.len), LG_STR("]"));
        if (++levels > REST_NESTING_MAX) {
            return lg_rest_trouble(tree->r, 400, "the name `%.*s` has more than %u brackets",
                                   LG_FMT(lg_str_cut(name, 80)), REST_NESTING_MAX);
        }
        branch = enter(tree, branch, lg_str_slice(name, at + 1, close));
        at = close + 1;
    }
    if (!branch) {
        return tree->r->oom ? false : key.len == 0;
    }
    return add_text(tree, branch, text);
}

// --- Values -------------------------------------------------------------------------------------

static lg_json leaf(rest_tree *tree, lg_str text, const lg_json *schema)
{
    const lg_json *document = tree->r->rest->document;
    uint32_t types = lg_rest_types(schema, document);
    bool looks = text.len && ((text.ptr[0] == '{' && (types & REST_OBJECT)) ||
                              (text.ptr[0] == '[' && (types & REST_ARRAY)));
    const lg_json *value = looks && types != REST_ANY ? lg_rest_json(tree->r->arena, text) : NULL;
    return value ? *value : lg_rest_scalar(tree->r->arena, text, types);
}

static bool is_index(lg_str key)
{
    for (size_t i = 0; i < key.len; i++) {
        if (!lg_is_digit(key.ptr[i])) {
            return false;
        }
    }
    return true;
}

static bool is_list(const rest_branch *branch, uint32_t types)
{
    if (!(types & REST_OBJECT) || !(types & REST_ARRAY)) {
        return (types & REST_ARRAY) != 0;
    }
    for (const rest_branch *b = branch->first; b; b = b->next) {
        if (!is_index(b->key)) {
            return false;
        }
    }
    return true;
}

static lg_json value_of(rest_tree *tree, const rest_branch *branch, const lg_json *schema);

static lg_json list_of(rest_tree *tree, const rest_branch *branch, const lg_json *schema)
{
    const lg_json *element = lg_rest_element(schema, tree->r->rest->document);
    lg_json *items = LG_NEW_ARRAY(tree->r->arena, lg_json, branch->text_count + branch->count + 1);
    size_t count = 0;
    for (size_t i = 0; items && i < branch->text_count; i++) {
        items[count++] = leaf(tree, branch->texts[i], element);
    }
    for (const rest_branch *b = branch->first; items && b; b = b->next) {
        items[count++] = value_of(tree, b, element);
    }
    tree->r->oom = tree->r->oom || !items;
    return lg_json_make_array(items, items ? count : 0);
}

static lg_json object_of(rest_tree *tree, const rest_branch *branch, const lg_json *schema)
{
    lg_json_member *members = LG_NEW_ARRAY(tree->r->arena, lg_json_member, branch->count + 1);
    size_t count = 0;
    for (const rest_branch *b = branch->first; members && b; b = b->next) {
        const lg_json *own = lg_rest_member(schema, tree->r->rest->document, b->key);
        members[count++] = lg_json_make_member(b->key, value_of(tree, b, own));
    }
    lg_json object = lg_json_make_null();
    bool ok = members && lg_rest_object(tree->r->arena, members, count, &object);
    tree->r->oom = tree->r->oom || !ok;
    return object;
}

// Names nest no deeper than REST_NESTING_MAX.
static lg_json value_of(rest_tree *tree, const rest_branch *branch, const lg_json *schema)
{
    uint32_t types = lg_rest_types(schema, tree->r->rest->document);
    if (branch->count && !is_list(branch, types) && branch->text_count == 0) {
        return object_of(tree, branch, schema);
    }
    if (branch->count || branch->text_count > 1) {
        return list_of(tree, branch, schema);
    }
    if (types == REST_ARRAY || types == (REST_ARRAY | REST_NULL)) {
        lg_str text = branch->texts[0];
        const lg_json *value =
            text.len && text.ptr[0] == '[' ? lg_rest_json(tree->r->arena, text) : NULL;
        return lg_json_is(value, LG_JSON_ARRAY) ? *value : list_of(tree, branch, schema);
    }
    return leaf(tree, branch->texts[0], schema);
}

bool lg_rest_tree_value(rest_tree *tree, lg_str key, const lg_json *schema, lg_json *ret)
{
    for (const rest_branch *b = tree->root->first; b; b = b->next) {
        if (lg_str_eq(b->key, key)) {
            *ret = value_of(tree, b, schema);
            return true;
        }
    }
    return false;
}

lg_json lg_rest_tree_object(rest_tree *tree, const lg_json *schema)
{
    return object_of(tree, tree->root, schema);
}

bool lg_rest_tree_each(const rest_tree *tree, rest_tree_visit visit, void *context)
{
    for (const rest_branch *b = tree->root->first; b; b = b->next) {
        if (!visit(context, b->key)) {
            return false;
        }
    }
    return true;
}
