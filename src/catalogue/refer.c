// refer.c: references inside a document, the named arguments of a tool, and types in a few words.
//
// The schema compiler follows references on its own and with all their rules. What is here serves
// reading and showing: parameters of operations that are defined elsewhere, arguments that a tool
// names through `$ref` or `allOf`.
#include "catalogue/catalogue_internal.h"

const lg_json *lg_refer(const lg_json *value, const lg_json *document)
{
    for (uint32_t hops = 0; hops < LG_CATALOGUE_HOPS_MAX; hops++) {
        const lg_json *reference = lg_json_get(value, LG_STR("$ref"));
        if (!lg_json_is(reference, LG_JSON_STRING)) {
            return value;
        }
        lg_str text = lg_json_str(reference);
        if (text.len == 0 || text.ptr[0] != '#') {
            return NULL;
        }
        value = lg_json_at(document, lg_str_slice(text, 1, text.len));
        if (!value) {
            return NULL;
        }
    }
    return NULL;
}

// --- Arguments ----------------------------------------------------------------------------------

typedef struct gathering {
    reader *r;
    lg_catalogue_tool *tool;
    const lg_json *document;
    text_set names;
    size_t capacity;
    uint32_t visits; // `allOf` of references to `allOf` of references doubles at each level
} gathering;

static void add_argument(gathering *g, const lg_json_member *member)
{
    lg_catalogue_tool *tool = g->tool;
    lg_str name = lg_json_key(member);
    if (lg_text_set_put(g->r->arena, &g->names, name, tool->list_count, &g->r->oom) != SIZE_MAX ||
        g->r->oom) {
        return;
    }
    lg_catalogue_argument *list =
        lg_arena_grow(g->r->arena, tool->list, tool->list_count, &g->capacity, sizeof(*list));
    if (!list) {
        g->r->oom = true;
        return;
    }
    tool->list = list;
    tool->list[tool->list_count++] =
        (lg_catalogue_argument){.name = name, .key = name, .schema = &member->value};
}

static void mark_required(gathering *g, const lg_json *required)
{
    for (size_t i = 0; lg_json_is(required, LG_JSON_ARRAY) && i < lg_json_len(required); i++) {
        size_t at = lg_text_set_find(&g->names, lg_json_str(&required->as.items[i]));
        if (at != SIZE_MAX) {
            g->tool->list[at].required = true;
        }
    }
}

// Properties of `schema`, of what it refers to, and of all parts of `allOf`. First the names, then
// in a second walk the marks: one part may require what a later one names.
static void gather(gathering *g, const lg_json *schema, bool marks, uint32_t depth)
{
    if (depth > LG_CATALOGUE_GATHER_DEPTH_MAX || !lg_json_is(schema, LG_JSON_OBJECT) ||
        g->visits++ > LG_CATALOGUE_VISITS_MAX) {
        return;
    }
    const lg_json *target = lg_refer(schema, g->document);
    if (target && target != schema) {
        gather(g, target, marks, depth + 1);
    }
    const lg_json *properties = lg_json_get(schema, LG_STR("properties"));
    for (size_t i = 0;
         !marks && lg_json_is(properties, LG_JSON_OBJECT) && i < lg_json_len(properties); i++) {
        add_argument(g, lg_json_member_at(properties, i));
    }
    if (marks) {
        mark_required(g, lg_json_get(schema, LG_STR("required")));
    }
    const lg_json *parts = lg_json_get(schema, LG_STR("allOf"));
    for (size_t i = 0; lg_json_is(parts, LG_JSON_ARRAY) && i < lg_json_len(parts); i++) {
        gather(g, &parts->as.items[i], marks, depth + 1);
    }
}

void lg_catalogue_list_arguments(reader *r, lg_catalogue_tool *tool)
{
    gathering g = {.r = r, .tool = tool};
    g.document = tool->document ? tool->document : tool->parameters;
    if (tool->parameters && !tool->list) {
        gather(&g, tool->parameters, false, 0);
        gather(&g, tool->parameters, true, 0);
    }
}

// --- Types in words -----------------------------------------------------------------------------

#define SHOWN_VALUES 4u
#define SHOWN_MEMBERS 4u
#define SHOWN_BYTES 24u
#define SHOWN_DEPTH 4u
#define SHOWN_TYPES 7u // there are no more

static void print_type(lg_buf *out, const lg_json *schema, const lg_json *document, uint32_t depth);

static void print_value(lg_buf *out, const lg_json *value)
{
    if (lg_json_is(value, LG_JSON_STRING) && value->len > SHOWN_BYTES) {
        lg_str cut = lg_str_cut(lg_json_str(value), SHOWN_BYTES);
        lg_buf_addf(out, "\"%.*s...\"", LG_FMT(cut));
    } else if (lg_json_len(value)) {
        lg_buf_add_c(out, lg_json_is(value, LG_JSON_ARRAY) ? "[...]" : "{...}");
    } else {
        lg_json_print(out, value);
    }
}

static void print_values(lg_buf *out, const lg_json *values)
{
    size_t count = lg_json_len(values);
    size_t shown = count > SHOWN_VALUES + 1 ? SHOWN_VALUES : count;
    for (size_t i = 0; i < shown; i++) {
        lg_buf_add_c(out, i ? " | " : "");
        print_value(out, &values->as.items[i]);
    }
    if (shown < count) {
        lg_buf_addf(out, " | %zu more", count - shown);
    }
}

static void print_choice(lg_buf *out, const lg_json *list, const lg_json *document, uint32_t depth)
{
    size_t count = lg_json_len(list);
    size_t shown = count > SHOWN_VALUES ? SHOWN_VALUES : count;
    for (size_t i = 0; i < shown; i++) {
        lg_buf_add_c(out, i ? " or " : "");
        print_type(out, &list->as.items[i], document, depth + 1);
    }
    if (shown < count) {
        lg_buf_addf(out, " or %zu more", count - shown);
    }
}

static void print_object(lg_buf *out, const lg_json *schema)
{
    const lg_json *properties = lg_json_get(schema, LG_STR("properties"));
    size_t count = lg_json_is(properties, LG_JSON_OBJECT) ? lg_json_len(properties) : 0;
    lg_buf_add_c(out, count ? "object {" : "object");
    for (size_t i = 0; i < count && i < SHOWN_MEMBERS; i++) {
        lg_buf_addf(out, "%s%.*s", i ? ", " : "",
                    LG_FMT(lg_json_key(lg_json_member_at(properties, i))));
    }
    lg_buf_add_c(out, count > SHOWN_MEMBERS ? ", ...}" : count ? "}" : "");
}

static void print_named_type(lg_buf *out, lg_str type, const lg_json *schema,
                             const lg_json *document, uint32_t depth)
{
    const lg_json *items = lg_json_get(schema, LG_STR("items"));
    const lg_json *format = lg_json_get(schema, LG_STR("format"));
    if (lg_str_eq(type, LG_STR("array"))) {
        lg_buf_add_c(out, lg_json_is(items, LG_JSON_OBJECT) ? "list of " : "list");
        if (lg_json_is(items, LG_JSON_OBJECT)) {
            print_type(out, items, document, depth + 1);
        }
    } else if (lg_str_eq(type, LG_STR("object"))) {
        print_object(out, schema);
    } else {
        lg_buf_add(out, type);
        if (lg_json_is(format, LG_JSON_STRING)) {
            lg_buf_addf(out, " (%.*s)", LG_FMT(lg_str_cut(lg_json_str(format), SHOWN_BYTES)));
        }
    }
}

static void print_types(lg_buf *out, const lg_json *types, const lg_json *schema,
                        const lg_json *document, uint32_t depth)
{
    for (size_t i = 0; i < lg_json_len(types) && i < SHOWN_TYPES; i++) {
        lg_buf_add_c(out, i ? " or " : "");
        print_named_type(out, lg_json_str(&types->as.items[i]), schema, document, depth);
    }
}

static void print_type(lg_buf *out, const lg_json *schema, const lg_json *document, uint32_t depth)
{
    static const lg_str choices[] = {{"anyOf", 5}, {"oneOf", 5}, {"allOf", 5}};
    schema = depth > SHOWN_DEPTH ? NULL : lg_refer(schema, document);
    const lg_json *type = lg_json_get(schema, LG_STR("type"));
    const lg_json *values = lg_json_get(schema, LG_STR("enum"));
    const lg_json *constant = lg_json_get(schema, LG_STR("const"));
    const lg_json *choice = NULL;
    for (size_t i = 0; i < LG_COUNT(choices) && !choice; i++) {
        choice = lg_json_get(schema, choices[i]);
    }
    if (constant) {
        print_value(out, constant);
    } else if (lg_json_is(values, LG_JSON_ARRAY) && lg_json_len(values)) {
        print_values(out, values);
    } else if (lg_json_is(type, LG_JSON_STRING)) {
        print_named_type(out, lg_json_str(type), schema, document, depth);
    } else if (lg_json_is(type, LG_JSON_ARRAY)) {
        print_types(out, type, schema, document, depth);
    } else if (lg_json_is(choice, LG_JSON_ARRAY) && lg_json_len(choice)) {
        print_choice(out, choice, document, depth);
    } else {
        lg_buf_add_c(out, lg_json_get(schema, LG_STR("properties")) ? "object" : "any");
    }
    if (lg_json_is_true(lg_json_get(schema, LG_STR("nullable")))) {
        lg_buf_add_c(out, " or null");
    }
}

void lg_catalogue_print_type(lg_buf *out, const lg_json *schema, const lg_json *document)
{
    size_t start = out->len;
    print_type(out, schema, document, 0);
    if (out->len == start) {
        lg_buf_add_c(out, "unclear"); // a type that is the empty text is a finding of its own
    }
}
