// tools.c: a simulator's tools as a planner gets them.
//
// Few servers of models follow `$ref`, so what is referred to stands in its place. Documents of strangers refer in circles, and
// wide: a reference to what is being put in its place already is left open ({}), and so is all that a bounded number of values
// does not reach.
#include "refine/refine_internal.h"

#define MOST_VALUES 200000u // of all tools together
#define MOST_DEPTH 64u

// What is being put in place, the innermost first.
typedef struct opened {
    const lg_json *target;
    const struct opened *outer;
    uint32_t depth;
} opened;

typedef struct inlining {
    lg_arena *arena;
    const lg_json *document;
    size_t left; // values that may still be made
    bool failed; // out of memory
} inlining;

static lg_json put(inlining *in, const lg_json *value, const opened *outer, bool is_named);

static lg_json open_schema(void)
{
    return lg_json_make_object(NULL, 0);
}

// These hold values, and not schemas.
static bool is_data(lg_str key)
{
    static const char *const names[] = {"const", "enum", "default", "example", "examples"};
    for (size_t i = 0; i < LG_COUNT(names); i++) {
        if (lg_str_eq(key, lg_str_c(names[i]))) {
            return true;
        }
    }
    return false;
}

static bool has_names(lg_str key)
{
    return lg_str_eq(key, LG_STR("properties")) || lg_str_eq(key, LG_STR("patternProperties")) ||
           lg_str_eq(key, LG_STR("dependentSchemas"));
}

static bool is_shelf(lg_str key)
{
    return lg_str_eq(key, LG_STR("$defs")) || lg_str_eq(key, LG_STR("definitions"));
}

static const lg_json *find_target(const inlining *in, lg_str reference)
{
    bool is_local = reference.len && reference.ptr[0] == '#';
    return is_local ? lg_json_at(in->document, lg_str_slice(reference, 1, reference.len)) : NULL;
}

static lg_json put_reference(inlining *in, lg_str reference, const opened *outer)
{
    const lg_json *target = find_target(in, reference);
    for (const opened *o = outer; o; o = o->outer) {
        if (o->target == target) {
            return open_schema();
        }
    }
    return target ? put(in, target, outer, false) : open_schema();
}

static lg_json put_array(inlining *in, const lg_json *array, const opened *outer)
{
    lg_json *items = LG_NEW_ARRAY(in->arena, lg_json, array->len + 1);
    if (!items) {
        in->failed = true;
        return open_schema();
    }
    for (size_t i = 0; i < array->len; i++) {
        items[i] = put(in, lg_json_item(array, i), outer, false);
    }
    return lg_json_make_array(items, array->len);
}

// Members of a schema, or (`is_named`) schemas by names that mean nothing here.
static lg_json put_object(inlining *in, const lg_json *object, const opened *outer, bool is_named)
{
    lg_json_member *members = lg_json_alloc_members(in->arena, object->len + 1);
    size_t count = 0;
    if (!members) {
        in->failed = true;
        return open_schema();
    }
    for (size_t i = 0; i < object->len; i++) {
        const lg_json_member *m = lg_json_member_at(object, i);
        lg_str key = lg_json_key(m);
        if (!is_named && is_shelf(key)) {
            continue; // what is referred to stands where it is referred from
        }
        bool whole = !is_named && is_data(key);
        members[count++] = lg_json_make_member(
            key, whole ? m->value : put(in, &m->value, outer, !is_named && has_names(key)));
    }
    return lg_json_make_object(members, count);
}

static lg_json put(inlining *in, const lg_json *value, const opened *outer, bool is_named)
{
    opened here = {.target = value, .outer = outer, .depth = outer ? outer->depth + 1 : 0};
    if (value->type < LG_JSON_ARRAY) {
        return *value;
    }
    if (in->left <= value->len || here.depth > MOST_DEPTH || in->failed) {
        return open_schema();
    }
    in->left -= value->len + 1;
    if (lg_json_is(value, LG_JSON_ARRAY)) {
        return put_array(in, value, &here);
    }
    const lg_json *reference = is_named ? NULL : lg_json_get(value, LG_STR("$ref"));
    if (lg_json_is(reference, LG_JSON_STRING)) {
        return put_reference(in, lg_json_str(reference), &here);
    }
    return put_object(in, value, &here, is_named);
}

static lg_json parameters_of(inlining *in, const lg_sim_tool *tool)
{
    lg_json_member *members;
    if (lg_json_is(tool->parameters, LG_JSON_OBJECT)) {
        const lg_catalogue_tool *listed = tool->of_catalogue;
        in->document = listed && listed->document ? listed->document : tool->parameters;
        return put(in, tool->parameters, NULL, false);
    }
    members = lg_json_alloc_members(in->arena, 1);
    if (!members) {
        in->failed = true;
        return open_schema();
    }
    members[0] = lg_json_make_member(LG_STR("type"), lg_json_make_str(LG_STR("object")));
    return lg_json_make_object(members, 1);
}

static lg_json tool_json(inlining *in, const lg_sim_tool *tool)
{
    lg_json_member *inner = lg_json_alloc_members(in->arena, 3);
    lg_json_member *outer = lg_json_alloc_members(in->arena, 2);
    if (!inner || !outer) {
        in->failed = true;
        return open_schema();
    }
    inner[0] = lg_json_make_member(LG_STR("name"), lg_json_make_str(tool->name));
    inner[1] = lg_json_make_member(LG_STR("description"), lg_json_make_str(tool->description));
    inner[2] = lg_json_make_member(LG_STR("parameters"), parameters_of(in, tool));
    outer[0] = lg_json_make_member(LG_STR("type"), lg_json_make_str(LG_STR("function")));
    outer[1] = lg_json_make_member(LG_STR("function"), lg_json_make_object(inner, 3));
    return lg_json_make_object(outer, 2);
}

const lg_json *lg_refine_inlined(lg_arena *arena, const lg_sim_tool *tool, const lg_json *schema)
{
    inlining in = {.arena = arena, .left = MOST_VALUES / 10, .document = schema};
    lg_json *made = LG_NEW(arena, lg_json);
    if (tool->of_catalogue && tool->of_catalogue->document) {
        in.document = tool->of_catalogue->document;
    }
    if (made && schema) {
        *made = put(&in, schema, NULL, false);
    }
    return schema && !in.failed ? made : NULL;
}

// Whose tools are listed.
typedef enum whose {
    OF_AGENT,
    OF_USER,
    OF_BOTH, // where both have a tool of one name, it is the agent's
} whose;

static bool is_offered(const lg_sim *sim, const lg_sim_tool *tool, whose of)
{
    switch (of) {
    case OF_AGENT:
        return !tool->by_user;
    case OF_USER:
        return tool->by_user;
    case OF_BOTH:
        break;
    }
    return !tool->by_user || !lg_sim_tool_named(sim, tool->name, false);
}

static lg_status list_tools(const lg_sim *sim, whose of, lg_arena *arena, const lg_json **ret_tools,
                            lg_error *reterr)
{
    inlining in = {.arena = arena, .left = MOST_VALUES};
    size_t count = 0, all = lg_sim_tool_count(sim);
    lg_json *tools = LG_NEW_ARRAY(arena, lg_json, all + 1);
    lg_json *list = LG_NEW(arena, lg_json);
    for (size_t i = 0; tools && list && i < all; i++) {
        const lg_sim_tool *tool = lg_sim_tool_at(sim, i);
        if (is_offered(sim, tool, of)) {
            tools[count++] = tool_json(&in, tool);
        }
    }
    if (!tools || !list || in.failed) {
        return lg_fail_oom(reterr);
    }
    *list = lg_json_make_array(tools, count);
    *ret_tools = list;
    return LG_OK;
}

lg_status lg_refine_tools(const lg_sim *sim, bool with_user_tools, lg_arena *arena,
                          const lg_json **ret_tools, lg_error *reterr)
{
    return list_tools(sim, with_user_tools ? OF_BOTH : OF_AGENT, arena, ret_tools, reterr);
}

lg_status lg_refine_user_tools(const lg_sim *sim, lg_arena *arena, const lg_json **ret_tools,
                               lg_error *reterr)
{
    return list_tools(sim, OF_USER, arena, ret_tools, reterr);
}
