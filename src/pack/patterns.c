// patterns.c: patterns of events and windows, with the types of what their conditions may name.
#include "pack/course.h"

#define NAMES_MAX 200u

// --- Tools --------------------------------------------------------------------------------------

static void complain_about_name(course_loader *c, const lg_json *at, lg_str name, const char *what,
                                bool patterns)
{
    loader_names names = {.wanted = name};
    for (size_t i = 0; patterns && i < c->named_count; i++) {
        loader_offer(&names, c->named[i].name);
    }
    for (size_t i = 0; i < c->l->pack->tool_count; i++) {
        loader_offer(&names, c->l->pack->tools[i].name);
    }
    loader_error(c->l, at->offset, "no %s is called `%.*s`%s", what, LG_FMT(name),
                 loader_meant(c->l, &names));
}

// Marks the tools that `name` stands for; false if there are none.
static bool mark_tools(course_loader *c, lg_str name, bool *tools)
{
    const lg_pack *pack = c->l->pack;
    bool writes = lg_str_eq(name, LG_STR("writes"));
    bool reads = lg_str_eq(name, LG_STR("reads"));
    bool found = writes || reads;
    for (size_t i = 0; i < pack->tool_count; i++) {
        const lg_tool *tool = &pack->tools[i];
        bool by_kind = !tool->by_user && ((writes && tool->kind == LG_TOOL_WRITE) ||
                                          (reads && tool->kind == LG_TOOL_READ));
        if (by_kind || lg_str_eq(tool->name, name)) {
            tools[i] = true;
            found = true;
        }
    }
    return found;
}

static void read_part_tools(course_loader *c, const lg_json *json, lg_pattern_part *part)
{
    if (lg_str_eq(lg_json_str(json), LG_STR("any"))) {
        return;
    }
    bool *tools = LG_NEW_ARRAY(c->l->arena, bool, c->l->pack->tool_count + 1);
    if (!tools) {
        loader_error(c->l, json->offset, "out of memory");
        return;
    }
    part->tools = tools;
    bool list = lg_json_is(json, LG_JSON_ARRAY);
    size_t count = list ? lg_json_len(json) : 1;
    if (count == 0) {
        loader_error(c->l, json->offset, "name at least one tool, or `any`");
    }
    for (size_t i = 0; i < count && i < NAMES_MAX; i++) {
        const lg_json *item = list ? lg_json_item(json, i) : json;
        if (!lg_json_is(item, LG_JSON_STRING)) {
            loader_error(c->l, item ? item->offset : json->offset,
                         "tools are named by a text or a list of them: names, `writes`, `reads`, "
                         "or `any` alone");
        } else if (!mark_tools(c, lg_json_str(item), tools)) {
            complain_about_name(c, item, lg_json_str(item), "tool", false);
        }
    }
}

// --- Types --------------------------------------------------------------------------------------

static const lg_cel_type *kind_type(lg_cel_kind kind)
{
    return lg_cel_type_of_kind(kind);
}

static bool same_type(const lg_cel_type *a, const lg_cel_type *b)
{
    return a == b ||
           (loader_assignable(a, b) && loader_assignable(b, a) && loader_same_values(a, b));
}

// Two types that differ in the values that they list are still the same kind.
static const lg_cel_type *either(const lg_cel_type *a, const lg_cel_type *b)
{
    return a->kind == b->kind && a->kind == LG_CEL_STRING ? kind_type(LG_CEL_STRING)
                                                          : kind_type(LG_CEL_DYN);
}

// The fields of object `a` that object `b` has as well; dyn if one of them is no object.
static const lg_cel_type *common_fields(course_loader *c, const lg_cel_type *a,
                                        const lg_cel_type *b)
{
    lg_cel_type *type = LG_NEW(c->l->arena, lg_cel_type);
    if (a->kind != LG_CEL_OBJECT || b->kind != LG_CEL_OBJECT || !type) {
        return kind_type(LG_CEL_DYN);
    }
    lg_cel_field *fields = LG_NEW_ARRAY(c->l->arena, lg_cel_field, a->field_count + 1);
    if (!fields) {
        return kind_type(LG_CEL_DYN);
    }
    *type = (lg_cel_type){.kind = LG_CEL_OBJECT,
                          .name = LG_STR("the arguments that all its tools share"),
                          .fields = fields};
    for (size_t i = 0; i < a->field_count; i++) {
        for (size_t j = 0; j < b->field_count; j++) {
            if (lg_str_eq(a->fields[i].name, b->fields[j].name)) {
                bool same = same_type(a->fields[i].type, b->fields[j].type);
                fields[type->field_count] = a->fields[i];
                fields[type->field_count++].type =
                    same ? a->fields[i].type : either(a->fields[i].type, b->fields[j].type);
            }
        }
    }
    return type;
}

// What an expression under one part may name.
typedef struct part_types {
    const lg_cel_type *args, *result, *message, *tool;
} part_types;

// The arguments that the part's tools share, and what they return if that is the same.
static void add_tool_types(course_loader *c, const lg_pattern_part *part, part_types *types)
{
    bool first = true;
    for (size_t i = 0; i < c->l->pack->tool_count; i++) {
        const lg_tool *tool = &c->l->pack->tools[i];
        if (!part->tools[i]) {
            continue;
        }
        if (first) {
            types->args = tool->args_type;
            types->result = tool->result_type;
        } else {
            types->args = common_fields(c, types->args, tool->args_type);
            types->result =
                same_type(types->result, tool->result_type) ? types->result : kind_type(LG_CEL_DYN);
        }
        first = false;
    }
}

static part_types types_of_part(course_loader *c, const lg_pattern_part *part)
{
    const lg_cel_type *dyn = kind_type(LG_CEL_DYN);
    const lg_cel_type *null = kind_type(LG_CEL_NULL);
    const lg_cel_type *text = kind_type(LG_CEL_STRING);
    part_types types = {.args = dyn, .result = dyn, .message = dyn, .tool = dyn};
    if (part->on == LG_ON_ANYTHING) {
        return types;
    }
    if (part->on & (LG_ON_USER | LG_ON_AGENT)) {
        return (part_types){.args = null, .result = null, .message = text, .tool = null};
    }
    types.message = null;
    types.tool = text;
    if (part->tools) {
        add_tool_types(c, part, &types);
    }
    if (part->on & LG_ON_CALL) {
        types.result = null;
    } else if (part->on & LG_ON_ERROR) {
        types.result = text;
    }
    return types;
}

lg_cel_env *course_env(course_loader *c, const lg_pattern *pattern)
{
    const lg_cel_type *dyn = kind_type(LG_CEL_DYN);
    part_types all = {.args = dyn, .result = dyn, .message = dyn, .tool = dyn};
    for (size_t i = 0; i < pattern->count; i++) {
        part_types t = types_of_part(c, &pattern->parts[i]);
        if (i == 0) {
            all = t;
            continue;
        }
        all.args = same_type(all.args, t.args) ? all.args : common_fields(c, all.args, t.args);
        all.result = same_type(all.result, t.result) ? all.result : dyn;
        all.message = same_type(all.message, t.message) ? all.message : dyn;
        all.tool = same_type(all.tool, t.tool) ? all.tool : dyn;
    }
    lg_cel_env *env = lg_cel_env_new(c->l->arena, c->l->definitions, &c->l->limits);
    const struct {
        const char *name;
        const lg_cel_type *type;
    } names[LG_COURSE_SLOT_COUNT] = {
        [LG_COURSE_SLOT_LEDGER] = {"ledger", c->l->pack->ledger.type},
        [LG_COURSE_SLOT_ARGS] = {"args", all.args},
        [LG_COURSE_SLOT_RESULT] = {"result", all.result},
        [LG_COURSE_SLOT_MESSAGE] = {"message", all.message},
        [LG_COURSE_SLOT_TOOL] = {"tool", all.tool},
        [LG_COURSE_SLOT_KIND] = {"kind", kind_type(LG_CEL_STRING)},
    };
    for (uint32_t i = 0; env && i < LG_COURSE_SLOT_COUNT; i++) {
        if (lg_cel_env_declare(env, lg_str_c(names[i].name), names[i].type) != i) {
            env = NULL;
        }
    }
    for (size_t i = 0; env && i < c->course->signal_count; i++) {
        bool counts = c->signals[i].kind == LG_SIGNAL_COUNT;
        if (lg_cel_env_declare(env, c->signals[i].name,
                               kind_type(counts ? LG_CEL_INT : LG_CEL_BOOL)) == UINT32_MAX) {
            env = NULL;
        }
    }
    if (!env) {
        loader_error(c->l, 0, "out of memory");
    }
    return env;
}

// --- Patterns -----------------------------------------------------------------------------------

typedef struct pattern_reader {
    course_loader *c;
    course_key key;
    lg_pattern_part *parts; // LG_PATTERN_PARTS_MAX of them
    size_t count;
} pattern_reader;

static lg_pattern_part *new_part(pattern_reader *r, const lg_json *json)
{
    static const lg_pattern_part none = {0};
    if (r->count == LG_PATTERN_PARTS_MAX) {
        loader_error(r->c->l, json->offset, "a pattern has more than %u alternatives",
                     LG_PATTERN_PARTS_MAX);
        return NULL;
    }
    lg_pattern_part *part = &r->parts[r->count++];
    *part = none;
    part->offset = json->offset;
    return part;
}

static void set_text(pattern_reader *r, lg_pattern_part *part, const char *what,
                     const lg_json *names)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_buf_add_c(&text, what);
    bool list = lg_json_is(names, LG_JSON_ARRAY);
    size_t count = list ? lg_json_len(names) : 1;
    for (size_t i = 0; i < count && i < 4; i++) {
        lg_buf_add_c(&text, i ? ", " : "");
        lg_buf_add(&text, lg_json_str(list ? lg_json_item(names, i) : names));
    }
    lg_buf_add_c(&text, count > 4 ? ", ..." : "");
    part->text = lg_arena_str(r->c->l->arena, lg_buf_str(&text));
    lg_buf_done(&text);
}

// `message: user`, `agent` or `any`; `event: any`.
static void read_said(pattern_reader *r, const lg_json *value, bool event, lg_pattern_part *part)
{
    lg_str word = lg_json_str(value);
    bool any = lg_str_eq(word, LG_STR("any"));
    bool user = lg_str_eq(word, LG_STR("user"));
    bool agent = lg_str_eq(word, LG_STR("agent"));
    if (event && !any) {
        loader_error(r->c->l, value->offset, "`event` is any");
    } else if (!any && !user && !agent) {
        loader_error(r->c->l, value->offset, "`message` is user, agent or any");
    }
    part->on = event   ? (uint32_t)LG_ON_ANYTHING
               : user  ? (uint32_t)LG_ON_USER
               : agent ? (uint32_t)LG_ON_AGENT
                       : (uint32_t)LG_ON_USER | (uint32_t)LG_ON_AGENT;
    part->text = event   ? LG_STR("any event")
                 : user  ? LG_STR("a message of the user")
                 : agent ? LG_STR("a message of the agent")
                         : LG_STR("a message");
}

// The one key of a pattern that says which events it is about.
static bool read_kind(pattern_reader *r, const lg_json *json, lg_pattern_part *part)
{
    static const struct {
        const char *key;
        uint32_t on; // 0: said by the value
        const char *what;
        bool any_event;
    } kinds[] = {{"call", LG_ON_CALL, "a call of ", false},
                 {"result", LG_ON_RESULT, "a result of ", false},
                 {"error", LG_ON_ERROR, "an error of ", false},
                 {"message", 0, "", false},
                 {"event", 0, "", true}};
    size_t found = 0;
    for (size_t i = 0; i < LG_COUNT(kinds); i++) {
        const lg_json *value = lg_json_get(json, lg_str_c(kinds[i].key));
        if (!value) {
            continue;
        }
        found++;
        if (kinds[i].on) {
            part->on = kinds[i].on;
            read_part_tools(r->c, value, part);
            set_text(r, part, kinds[i].what, value);
        } else {
            read_said(r, value, kinds[i].any_event, part);
        }
    }
    if (found != 1) {
        loader_error(r->c->l, json->offset,
                     "a pattern names one of `call`, `result`, `error`, `message` and `event`");
    }
    return found == 1;
}

static void read_map(pattern_reader *r, const lg_json *json)
{
    static const char *const keys[] = {"call",  "result", "error", "message",
                                       "event", "when",   "key"};
    course_loader *c = r->c;
    if (!loader_check_keys(c->l, json, "a pattern", keys, LG_COUNT(keys))) {
        return;
    }
    lg_pattern_part *part = new_part(r, json);
    if (!part || !read_kind(r, json, part)) {
        return;
    }
    const lg_json *when = lg_json_get(json, LG_STR("when"));
    const lg_json *key = lg_json_get(json, LG_STR("key"));
    if (!when && !key) {
        return;
    }
    lg_pattern alone = {part, 1};
    lg_cel_env *env = course_env(c, &alone);
    if (env && when) {
        part->when = loader_compile_as(c->l, env, when, LG_CEL_BOOL, "when");
    }
    if (env && key && r->key == COURSE_KEY_NONE) {
        loader_error(c->l, key->offset, "a `key` has no meaning here: nothing is kept by key");
    } else if (env && key && !lg_json_is(key, LG_JSON_STRING)) {
        loader_error(c->l, key->offset, "`key` must be an expression (put it in quotes)");
    } else if (env && key) {
        part->key = loader_compile(c->l, env, key, 0, lg_json_str(key).len);
    }
}

static void read_name(pattern_reader *r, const lg_json *json)
{
    course_loader *c = r->c;
    lg_str name = lg_json_str(json);
    for (size_t i = 0; i < c->named_count; i++) {
        if (!lg_str_eq(c->named[i].name, name)) {
            continue;
        }
        const lg_pattern *pattern = &c->named[i].pattern;
        for (size_t p = 0; p < pattern->count; p++) {
            lg_pattern_part *part = new_part(r, json);
            if (!part) {
                return;
            }
            *part = pattern->parts[p];
            if (part->key && r->key == COURSE_KEY_NONE) {
                part->key = NULL; // the same pattern serves rules with and without keys
            }
        }
        return;
    }
    lg_pattern_part *part = new_part(r, json);
    bool *tools = LG_NEW_ARRAY(c->l->arena, bool, c->l->pack->tool_count + 1);
    if (!part || !tools) {
        return;
    }
    part->on = LG_ON_CALL;
    part->tools = tools;
    set_text(r, part, "a call of ", json);
    if (!mark_tools(c, name, tools)) {
        complain_about_name(c, json, name, "pattern or tool", true);
    }
}

lg_pattern course_read_pattern(course_loader *c, const lg_json *json, course_key key)
{
    pattern_reader r = {.c = c, .key = key};
    r.parts = LG_NEW_ARRAY(c->l->arena, lg_pattern_part, LG_PATTERN_PARTS_MAX);
    if (!r.parts) {
        loader_error(c->l, json->offset, "out of memory");
        return (lg_pattern){0};
    }
    bool list = lg_json_is(json, LG_JSON_ARRAY);
    size_t count = list ? lg_json_len(json) : 1;
    if (count == 0) {
        loader_error(c->l, json->offset, "a pattern without alternatives matches nothing");
    }
    for (size_t i = 0; i < count && r.count <= LG_PATTERN_PARTS_MAX; i++) {
        const lg_json *item = list ? lg_json_item(json, i) : json;
        size_t before = r.count;
        if (lg_json_is(item, LG_JSON_STRING)) {
            read_name(&r, item);
        } else {
            read_map(&r, item);
        }
        if (r.count == before && i >= LG_PATTERN_PARTS_MAX) {
            break;
        }
    }
    return (lg_pattern){r.parts, r.count};
}

// --- Windows ------------------------------------------------------------------------------------

lg_window course_read_window(course_loader *c, const lg_json *json)
{
    static const char *const units[] = {"events", "turns", "calls", "seconds"};
    lg_window window = {0};
    if (!json || !loader_check_keys(c->l, json, "a window", units, LG_COUNT(units))) {
        return window;
    }
    for (size_t i = 0; i < LG_COUNT(units); i++) {
        const lg_json *value = lg_json_get(json, lg_str_c(units[i]));
        int64_t size;
        if (!value) {
            continue;
        }
        if (!lg_json_int(value, &size) || size < 1 || size > LG_WINDOW_SIZE_MAX) {
            loader_error(c->l, value->offset, "a window is a whole number from 1 to %lld",
                         (long long)LG_WINDOW_SIZE_MAX);
            return window;
        }
        window.unit = (lg_window_unit)(LG_WINDOW_EVENTS + i);
        window.size = window.unit == LG_WINDOW_SECONDS ? size * 1000 : size;
    }
    if (lg_json_len(json) != 1) {
        loader_error(c->l, json->offset,
                     "a window has one of `events`, `turns`, `calls` and `seconds`");
    }
    return window;
}
