// router.c: from a path to its operation.
//
// The paths of the document form a tree by segment. In a node, concrete segments are found by bisection and go before
// patterns, of which those with more letters of their own go first; where a way leads nowhere, the next one is tried. Each node is
// looked at once for one request at most, as there is one way to it alone.
//
// In a pattern of several braces ("{name}.{format}") a value ends where the literal behind it begins first. The other way
// escapes these bytes in values (style_write.c), so that what was written is what is read.
#include "rest/rest_internal.h"

#include <stdlib.h>

typedef struct rest_node {
    lg_str segment; // as in the template, braces emptied: "{}.json"
    rest_pattern pattern;
    size_t weight; // bytes of its literals
    struct rest_node **concrete;
    size_t concrete_count, concrete_capacity;
    struct rest_node **patterns;
    size_t pattern_count, pattern_capacity;
    const lg_rest_operation **operations;
    size_t operation_count, operation_capacity;
    lg_str allow;
} rest_node;

// A template, as the tree is built of.
typedef struct template
{
    lg_str segments[REST_SEGMENTS_MAX];
    size_t count;
    const lg_rest_operation *operation;
}
template;

// --- Building -----------------------------------------------------------------------------------

// The path without the names in its braces.
static bool without_names(lg_arena *arena, lg_str path, lg_str *ret)
{
    char *out = lg_arena_alloc(arena, path.len + 1, 1);
    size_t len = 0;
    bool inside = false;
    for (size_t i = 0; out && i < path.len; i++) {
        bool opens = path.ptr[i] == '{' && memchr(path.ptr + i, '}', path.len - i) != NULL;
        inside = inside && path.ptr[i] != '}';
        if (!inside) {
            out[len++] = path.ptr[i];
        }
        inside = inside || opens;
    }
    *ret = lg_str_of(out ? out : "", len);
    return out != NULL;
}

static size_t cut_path(lg_str path, lg_str *segments)
{
    size_t count = 0;
    for (size_t at = 1; at <= path.len && path.len > 0;) {
        size_t slash = lg_str_find(lg_str_slice(path, at, path.len), LG_STR("/"));
        size_t end = slash == SIZE_MAX ? path.len : at + slash;
        if (count == REST_SEGMENTS_MAX) {
            return SIZE_MAX;
        }
        segments[count++] = lg_str_slice(path, at, end);
        at = end + 1;
    }
    return count;
}

static int by_segments(const void *a, const void *b)
{
    const template *one = *(template *const *)a;
    const template *other = *(template *const *)b;
    for (size_t i = 0; i < one->count && i < other->count; i++) {
        int order = lg_str_cmp(one->segments[i], other->segments[i]);
        if (order) {
            return order;
        }
    }
    if (one->count != other->count) {
        return one->count < other->count ? -1 : 1;
    }
    return one->operation < other->operation ? -1 : one->operation > other->operation;
}

static bool read_pattern(lg_arena *arena, lg_str segment, rest_node *node)
{
    size_t braces = 0;
    for (size_t i = 0; i + 1 < segment.len; i++) {
        braces += segment.ptr[i] == '{' && segment.ptr[i + 1] == '}';
    }
    node->pattern.brace_count = braces;
    node->pattern.literals = LG_NEW_ARRAY(arena, lg_str, braces + 1);
    node->weight = segment.len - 2 * braces;
    lg_str rest = segment;
    for (size_t i = 0; node->pattern.literals && i <= braces; i++) {
        size_t brace = i < braces ? lg_str_find(rest, LG_STR("{}")) : rest.len;
        node->pattern.literals[i] = lg_str_slice(rest, 0, brace);
        rest = lg_str_slice(rest, brace + 2, rest.len);
    }
    return node->pattern.literals != NULL;
}

// Templates come sorted: if the child is there, it is the last of its kind.
static rest_node *child_of(lg_arena *arena, rest_node *node, lg_str segment)
{
    bool concrete = lg_str_find(segment, LG_STR("{}")) == SIZE_MAX;
    rest_node ***list = concrete ? &node->concrete : &node->patterns;
    size_t *count = concrete ? &node->concrete_count : &node->pattern_count;
    size_t *capacity = concrete ? &node->concrete_capacity : &node->pattern_capacity;
    if (*count && lg_str_eq((*list)[*count - 1]->segment, segment)) {
        return (*list)[*count - 1];
    }
    rest_node **grown = lg_arena_grow(arena, *list, *count, capacity, sizeof(rest_node *));
    rest_node *child = LG_NEW(arena, rest_node);
    if (!grown || !child || !read_pattern(arena, segment, child)) {
        return NULL;
    }
    child->segment = segment;
    *list = grown;
    (*list)[(*count)++] = child;
    return child;
}

static bool add_template(lg_arena *arena, rest_node *root, const template *t)
{
    rest_node *node = root;
    for (size_t i = 0; node && i < t->count; i++) {
        node = child_of(arena, node, t->segments[i]);
    }
    const lg_rest_operation **grown =
        node ? lg_arena_grow(arena, node->operations, node->operation_count,
                             &node->operation_capacity, sizeof(*grown))
             : NULL;
    if (!grown) {
        return false;
    }
    node->operations = grown;
    node->operations[node->operation_count++] = t->operation;
    return true;
}

static int by_weight(const void *a, const void *b)
{
    const rest_node *one = *(rest_node *const *)a;
    const rest_node *other = *(rest_node *const *)b;
    if (one->weight != other->weight) {
        return one->weight > other->weight ? -1 : 1;
    }
    return lg_str_cmp(one->segment, other->segment);
}

static bool list_methods(lg_arena *arena, rest_node *node)
{
    lg_buf out;
    lg_buf_init(&out, 0);
    bool has_head = false;
    bool has_get = false;
    for (size_t i = 0; i < node->operation_count; i++) {
        lg_str method = node->operations[i]->tool->method;
        bool told = false;
        for (size_t j = 0; j < i && !told; j++) {
            told = lg_str_eq(node->operations[j]->tool->method, method);
        }
        has_head = has_head || lg_str_eq(method, LG_STR("HEAD"));
        has_get = has_get || lg_str_eq(method, LG_STR("GET"));
        if (!told) {
            lg_buf_addf(&out, "%s%.*s", i ? ", " : "", LG_FMT(method));
        }
    }
    if (has_get && !has_head) {
        lg_buf_add_c(&out, ", HEAD");
    }
    return lg_rest_take(arena, &out, &node->allow);
}

// Nodes nest no deeper than paths have segments.
static bool finish(lg_arena *arena, rest_node *node)
{
    bool ok = true;
    if (node->pattern_count > 1) {
        qsort(node->patterns, node->pattern_count, sizeof(*node->patterns), by_weight);
    }
    if (node->operation_count) {
        ok = list_methods(arena, node);
    }
    for (size_t i = 0; ok && i < node->concrete_count; i++) {
        ok = finish(arena, node->concrete[i]);
    }
    for (size_t i = 0; ok && i < node->pattern_count; i++) {
        ok = finish(arena, node->patterns[i]);
    }
    return ok;
}

bool lg_rest_build_router(lg_arena *arena, lg_rest *rest)
{
    rest_node *root = LG_NEW(arena, rest_node);
    template **list = LG_NEW_ARRAY(arena, template *, rest->count + 1);
    size_t count = 0;
    if (!root || !list) {
        return false;
    }
    for (size_t i = 0; i < rest->count; i++) {
        template *t = LG_NEW(arena, template);
        lg_str path;
        lg_str whole = rest->operations[i].tool->path;
        whole = lg_str_slice(whole, 0, lg_str_find(whole, LG_STR("?")));
        if (!t || !without_names(arena, whole, &path)) {
            return false;
        }
        t->operation = &rest->operations[i];
        t->count = cut_path(path, t->segments);
        if (t->count <= REST_SEGMENTS_MAX && t->operation->brace_count < LG_REST_PATH_VALUES_MAX) {
            list[count++] = t;
        }
    }
    qsort(list, count, sizeof(*list), by_segments);
    for (size_t i = 0; i < count; i++) {
        if (!add_template(arena, root, list[i])) {
            return false;
        }
    }
    rest->root = root;
    return finish(arena, root);
}

// --- Finding ------------------------------------------------------------------------------------

typedef struct search {
    lg_arena *arena;
    lg_str segments[REST_SEGMENTS_MAX]; // as on the wire
    lg_str plain[REST_SEGMENTS_MAX];    // decoded
    size_t count;
    lg_str *values;
} search;

static const rest_node *concrete_child(const rest_node *node, lg_str segment)
{
    size_t from = 0;
    size_t to = node->concrete_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = lg_str_cmp(node->concrete[middle]->segment, segment);
        if (order == 0) {
            return node->concrete[middle];
        }
        from = order < 0 ? middle + 1 : from;
        to = order < 0 ? to : middle;
    }
    return NULL;
}

// Values are never empty: "/pets/" is not the pet without a name.
static bool fits(const rest_pattern *pattern, lg_str segment, lg_str *values)
{
    lg_str first = pattern->literals[0];
    lg_str last = pattern->literals[pattern->brace_count];
    if (!lg_str_starts(segment, first) || segment.len < first.len + last.len ||
        !lg_str_ends(segment, last)) {
        return false;
    }
    lg_str rest = lg_str_slice(segment, first.len, segment.len - last.len);
    for (size_t i = 0; i + 1 < pattern->brace_count; i++) {
        lg_str behind = pattern->literals[i + 1];
        size_t at = lg_str_find(lg_str_slice(rest, 1, rest.len), behind);
        if (rest.len == 0 || at == SIZE_MAX) {
            return false;
        }
        values[i] = lg_str_slice(rest, 0, at + 1);
        rest = lg_str_slice(rest, at + 1 + behind.len, rest.len);
    }
    values[pattern->brace_count - 1] = rest;
    return rest.len > 0;
}

static const rest_node *find(const search *s, const rest_node *node, size_t depth, size_t value)
{
    if (depth == s->count) {
        return node->operation_count ? node : NULL;
    }
    const rest_node *child = concrete_child(node, s->plain[depth]);
    const rest_node *found = child ? find(s, child, depth + 1, value) : NULL;
    for (size_t i = 0; !found && i < node->pattern_count; i++) {
        child = node->patterns[i];
        bool room = value + child->pattern.brace_count <= LG_REST_PATH_VALUES_MAX;
        if (room && fits(&child->pattern, s->segments[depth], s->values + value)) {
            found = find(s, child, depth + 1, value + child->pattern.brace_count);
        }
    }
    return found;
}

static const rest_node *find_path(const lg_rest *rest, lg_arena *arena, lg_str path,
                                  rest_route *route)
{
    search s = {.arena = arena, .values = route->values};
    s.count = cut_path(path, s.segments);
    if (s.count > REST_SEGMENTS_MAX) {
        return NULL;
    }
    for (size_t i = 0; i < s.count; i++) {
        bool oom = false;
        if (!lg_rest_decode(arena, s.segments[i], REST_ESCAPED, &s.plain[i], &oom)) {
            return NULL;
        }
    }
    return find(&s, rest->root, 0, 0);
}

// How well the names of a query suit an operation: what its path demands counts most.
static uint32_t suits(const lg_rest_operation *o, lg_str query)
{
    uint32_t fitting = 0;
    uint32_t found = 0;
    for (size_t at = 0; at < query.len;) {
        lg_str rest = lg_str_slice(query, at, query.len);
        size_t and = lg_str_find(rest, LG_STR("&"));
        lg_str pair = lg_str_slice(rest, 0, and);
        size_t equals = lg_str_find(pair, LG_STR("="));
        lg_str name = lg_str_slice(pair, 0, equals);
        lg_str value = equals == SIZE_MAX ? LG_STR("") : lg_str_slice(pair, equals + 1, pair.len);
        for (size_t i = 0; i < o->fixed_count; i++) {
            found += lg_str_eq(o->fixed[i].key, name) &&
                     (o->fixed[i].argument != SIZE_MAX || lg_str_eq(o->fixed[i].literal, value));
        }
        for (size_t i = 0; i < o->tool->list_count; i++) {
            fitting +=
                o->tool->list[i].place == LG_PLACE_QUERY && lg_str_eq(o->tool->list[i].key, name);
        }
        at = and == SIZE_MAX ? query.len : at + and+1;
    }
    bool whole = found >= o->fixed_count;
    return (whole ? 1 + (uint32_t)o->fixed_count * 10000 : 0) + (fitting < 9999 ? fitting : 9999);
}

static const lg_rest_operation *with_method(const rest_node *node, lg_str method, lg_str query)
{
    const lg_rest_operation *found = NULL;
    uint32_t best = 0;
    for (size_t i = 0; i < node->operation_count; i++) {
        const lg_rest_operation *o = node->operations[i];
        if (!lg_str_eq(o->tool->method, method)) {
            continue;
        }
        bool alone = !found && i + 1 == node->operation_count;
        uint32_t rank = alone ? 0 : suits(o, query);
        if (!found || rank > best) {
            found = o;
            best = rank;
        }
    }
    return found;
}

void lg_rest_route(const lg_rest *rest, lg_arena *arena, lg_str method, lg_str path, lg_str query,
                   rest_route *ret)
{
    const rest_node *node = find_path(rest, arena, path, ret);
    for (size_t i = 0; !node && i < rest->prefix_count; i++) {
        lg_str prefix = rest->prefixes[i];
        if (lg_str_starts(path, prefix) && path.len > prefix.len && path.ptr[prefix.len] == '/') {
            node = find_path(rest, arena, lg_str_slice(path, prefix.len, path.len), ret);
        }
    }
    ret->operation = NULL;
    ret->allow = (lg_str){0};
    if (node) {
        ret->operation = with_method(node, method, query);
        if (!ret->operation && lg_str_eq(method, LG_STR("HEAD"))) {
            ret->operation = with_method(node, LG_STR("GET"), query);
        }
        ret->allow = node->allow;
    }
}
