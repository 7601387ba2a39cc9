// requests.c: `requests` and `customer`: what is asked for, of which records, and by whom.
#include "pack/requests.h"

#include "pack/loader.h"

// --- Names and tools ----------------------------------------------------------------------------

static bool declare(lg_cel_env *env, const char *name, const lg_cel_type *type, uint32_t slot)
{
    return env && lg_cel_env_declare(env, lg_str_c(name), type) == slot;
}

// What a message, or the choice of records, is described with.
static lg_cel_env *message_env(loader *l)
{
    lg_cel_env *env = lg_cel_env_new(l->arena, l->rule_base, &l->limits);
    const lg_cel_type *text = lg_cel_type_of_kind(LG_CEL_STRING);
    if (!declare(env, "now", lg_cel_type_of_kind(LG_CEL_TIMESTAMP), LG_REQUEST_SLOT_NOW) ||
        !declare(env, "sentence", text, LG_REQUEST_SLOT_SENTENCE) ||
        !declare(env, "message", text, LG_REQUEST_SLOT_MESSAGE) ||
        !declare(env, "said", text, LG_REQUEST_SLOT_SAID)) {
        loader_error(l, 0, "out of memory");
        return NULL;
    }
    return env;
}

// What one record is described with: `about` tells of which type it is.
static lg_cel_env *record_env(loader *l, const lg_cel_env *parent, const lg_cel_program *about)
{
    const lg_cel_type *type = about ? lg_cel_program_type(about) : NULL;
    const lg_cel_type *record =
        type && type->kind == LG_CEL_MAP ? type->element : lg_cel_type_of_kind(LG_CEL_DYN);
    lg_cel_env *env = lg_cel_env_new(l->arena, parent, &l->limits);
    if (!declare(env, "key", lg_cel_type_of_kind(LG_CEL_STRING), LG_REQUEST_SLOT_KEY) ||
        !declare(env, "record", record, LG_REQUEST_SLOT_RECORD)) {
        loader_error(l, 0, "out of memory");
        return NULL;
    }
    return env;
}

// A tool of the agent by its name; NULL after adding an error.
static const lg_tool *find_tool(loader *l, const lg_json *name)
{
    lg_str text = lg_json_str(name);
    if (!lg_json_is(name, LG_JSON_STRING)) {
        loader_error(l, name->offset, "a tool is named by a text");
        return NULL;
    }
    const lg_tool *tool = lg_pack_tool(l->pack, text);
    const lg_tool *close = tool ? NULL : lg_pack_closest_tool(l->pack, text);
    if (close) {
        loader_error(l, name->offset, "no tool is called `%.*s`; did you mean `%.*s`?",
                     LG_FMT(text), LG_FMT(close->name));
    } else if (!tool) {
        loader_error(l, name->offset, "no tool is called `%.*s`", LG_FMT(text));
    } else if (tool->by_user) {
        loader_error(l, name->offset, "`%.*s` is a tool of the customer's own", LG_FMT(text));
        return NULL;
    }
    return tool;
}

static void read_tool(loader *l, const lg_json_member *member, lg_request *request)
{
    const lg_json *name = lg_json_get(&member->value, LG_STR("tool"));
    if (!name) {
        loader_error(l, member->key_offset,
                     "request `%.*s` needs `tool`: the write that fulfils it", LG_FMT(request->id));
        return;
    }
    const lg_tool *tool = find_tool(l, name);
    if (tool && tool->kind != LG_TOOL_WRITE) {
        loader_error(l, name->offset, "`%.*s` is a %s tool; what fulfils a request is a write",
                     LG_FMT(tool->name), lg_tool_kind_name(tool->kind));
        return;
    }
    request->tool = tool;
}

static void read_also(loader *l, const lg_json *names, lg_request *request)
{
    if (!names) {
        return;
    }
    const lg_tool **tools = LG_NEW_ARRAY(l->arena, const lg_tool *, lg_json_len(names) + 1);
    if (!lg_json_is(names, LG_JSON_ARRAY) || !tools) {
        loader_error(l, names->offset, "`fulfils_also` is a list of tools");
        return;
    }
    for (size_t i = 0; i < lg_json_len(names); i++) {
        const lg_json *name = lg_json_item(names, i);
        const lg_tool *tool = find_tool(l, name);
        if (tool && tool->kind == LG_TOOL_READ) {
            loader_error(l, name->offset, "`%.*s` is a read tool, which fulfils nothing",
                         LG_FMT(tool->name));
        } else if (tool) {
            tools[request->also_count++] = tool;
        }
    }
    request->also = tools;
}

// --- Expressions --------------------------------------------------------------------------------

// One pattern, or a list of them.
static const lg_cel_program *const *read_patterns(loader *l, const lg_cel_env *env,
                                                  const lg_json *json, const char *what,
                                                  size_t *ret_count)
{
    *ret_count = 0;
    if (!json) {
        return NULL;
    }
    bool list = lg_json_is(json, LG_JSON_ARRAY);
    size_t count = list ? lg_json_len(json) : 1;
    const lg_cel_program **programs = LG_NEW_ARRAY(l->arena, const lg_cel_program *, count + 1);
    if (!programs) {
        loader_error(l, json->offset, "out of memory");
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        const lg_json *scalar = list ? lg_json_item(json, i) : json;
        const lg_cel_program *program = loader_compile_as(l, env, scalar, LG_CEL_BOOL, what);
        if (program) {
            programs[(*ret_count)++] = program;
        }
    }
    return programs;
}

static bool is_text(const lg_cel_type *type)
{
    return type->kind == LG_CEL_STRING || type->kind == LG_CEL_DYN;
}

// A map whose keys are texts, or a list of texts.
static const lg_cel_program *read_about(loader *l, const lg_cel_env *env, const lg_json *about)
{
    if (!about) {
        return NULL;
    }
    if (!lg_json_is(about, LG_JSON_STRING)) {
        loader_error(l, about->offset, "`about` must be an expression (put it in quotes)");
        return NULL;
    }
    const lg_cel_program *program = loader_compile(l, env, about, 0, lg_json_str(about).len);
    const lg_cel_type *type = program ? lg_cel_program_type(program) : NULL;
    if (type && type->kind != LG_CEL_DYN && !(type->kind == LG_CEL_MAP && is_text(type->key)) &&
        !(type->kind == LG_CEL_LIST && is_text(type->element))) {
        lg_buf text;
        lg_buf_init(&text, 0);
        lg_cel_type_print(&text, type);
        loader_error(l, about->offset,
                     "`about` must give records by their keys, or a list of keys; this gives %.*s",
                     LG_FMT(lg_buf_str(&text)));
        lg_buf_done(&text);
        return NULL;
    }
    return program;
}

static const lg_cel_program *read_condition(loader *l, const lg_cel_env *env, const lg_json *body,
                                            const char *key, bool has_sense)
{
    const lg_json *condition = lg_json_get(body, lg_str_c(key));
    if (condition && !has_sense) {
        loader_error(l, condition->offset, "`%s` chooses among records, and needs `about`", key);
    }
    return condition ? loader_compile_as(l, env, condition, LG_CEL_BOOL, key) : NULL;
}

// The argument of the tool that is called so; NULL after adding an error.
static const lg_cel_type *type_of_argument(loader *l, const lg_tool *tool,
                                           const lg_json_member *member)
{
    lg_str name = lg_json_key(member);
    if (tool->args_type->kind != LG_CEL_OBJECT) {
        return lg_cel_type_of_kind(LG_CEL_DYN);
    }
    const lg_cel_field *field = lg_cel_type_field(tool->args_type, name);
    if (!field) {
        loader_names names = {.wanted = name};
        loader_offer_fields(&names, tool->args_type);
        loader_error(l, member->key_offset, "`%.*s` has no argument `%.*s`%s", LG_FMT(tool->name),
                     LG_FMT(name), loader_meant(l, &names));
    }
    return field ? field->type : NULL;
}

static void check_argument(loader *l, const lg_tool *tool, const lg_json_member *member,
                           const lg_cel_type *wanted, const lg_cel_program *program)
{
    const lg_cel_type *type = lg_cel_program_type(program);
    lg_str name = lg_json_key(member);
    const lg_json *properties = lg_json_get(tool->parameters, LG_STR("properties"));
    lg_str what = lg_arena_printf(l->arena, "`%.*s`", LG_FMT(name));
    if (loader_assignable(type, wanted)) {
        loader_check_literals(l, program,
                              &(loader_wanted){.scalar = &member->value,
                                               .type = wanted,
                                               .schema = lg_json_get(properties, name),
                                               .what = what});
        return;
    }
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_cel_type_print(&text, wanted);
    lg_buf_add_c(&text, ", this gives ");
    lg_cel_type_print(&text, type);
    loader_error(l, member->value.offset, "`%.*s` of `%.*s` is %.*s", LG_FMT(name),
                 LG_FMT(tool->name), LG_FMT(lg_buf_str(&text)));
    lg_buf_done(&text);
}

static void read_args(loader *l, const lg_cel_env *env, const lg_json *args, lg_request *request)
{
    if (!args || !request->tool) {
        return;
    }
    lg_binding *bindings = LG_NEW_ARRAY(l->arena, lg_binding, lg_json_len(args) + 1);
    if (!lg_json_is(args, LG_JSON_OBJECT) || !bindings) {
        loader_error(l, args->offset, "`args` must be a map from arguments to expressions");
        return;
    }
    request->args = bindings;
    for (size_t i = 0; i < lg_json_len(args); i++) {
        const lg_json_member *member = lg_json_member_at(args, i);
        const lg_cel_type *wanted = type_of_argument(l, request->tool, member);
        const lg_cel_program *program = NULL;
        if (!lg_json_is(&member->value, LG_JSON_STRING)) {
            loader_error(l, member->key_offset, "`%.*s` must be an expression",
                         LG_FMT(lg_json_key(member)));
        } else {
            program = loader_compile(l, env, &member->value, 0, lg_json_str(&member->value).len);
        }
        if (program && wanted) {
            check_argument(l, request->tool, member, wanted, program);
            bindings[request->arg_count++] = (lg_binding){lg_json_key(member), program};
        }
    }
}

// --- One request --------------------------------------------------------------------------------

static void read_request(loader *l, const lg_json_member *member, lg_request *request)
{
    static const char *const keys[] = {"tool",  "says",   "unless",       "about",
                                       "means", "likely", "where",        "when",
                                       "given", "args",   "fulfils_also", "because"};
    const lg_json *body = &member->value;
    *request = (lg_request){.id = lg_json_key(member), .offset = member->key_offset};
    if (!loader_check_keys(l, body, "a request", keys, LG_COUNT(keys))) {
        return;
    }
    read_tool(l, member, request);
    read_also(l, lg_json_get(body, LG_STR("fulfils_also")), request);
    request->because = loader_string(l, body, "because", false);
    const lg_json *says = lg_json_get(body, LG_STR("says"));
    if (!says || (lg_json_is(says, LG_JSON_ARRAY) && lg_json_len(says) == 0)) {
        loader_error(l, says ? says->offset : member->key_offset,
                     "request `%.*s` needs `says`: a pattern over sentences of the user",
                     LG_FMT(request->id));
    }
    lg_cel_env *env = message_env(l);
    if (!env) {
        return;
    }
    request->says = read_patterns(l, env, says, "says", &request->says_count);
    const lg_json *unless = lg_json_get(body, LG_STR("unless"));
    request->unless = read_patterns(l, env, unless, "unless", &request->unless_count);
    const lg_json *about = lg_json_get(body, LG_STR("about"));
    request->about = read_about(l, env, about);
    lg_cel_env *records = record_env(l, env, request->about);
    if (records) {
        request->means = read_condition(l, records, body, "means", about != NULL);
        request->likely = read_condition(l, records, body, "likely", about != NULL);
        request->where = read_condition(l, records, body, "where", about != NULL);
        request->when = read_condition(l, records, body, "when", true);
        request->given = read_condition(l, records, body, "given", true);
        read_args(l, records, lg_json_get(body, LG_STR("args")), request);
    }
}

void loader_read_requests(loader *l, const lg_json *requests, const lg_json *customer)
{
    if (customer) {
        l->pack->customer = loader_compile_as(l, l->rule_base, customer, LG_CEL_STRING, "customer");
    }
    if (requests && !lg_json_is(requests, LG_JSON_OBJECT)) {
        loader_error(l, requests->offset, "`requests` must be a map from ids to requests");
        return;
    }
    lg_request *items = LG_NEW_ARRAY(l->arena, lg_request, lg_json_len(requests) + 1);
    if (!items) {
        loader_error(l, 0, "out of memory");
        return;
    }
    for (size_t i = 0; i < lg_json_len(requests); i++) {
        read_request(l, lg_json_member_at(requests, i), &items[i]);
    }
    l->pack->requests = items;
    l->pack->request_count = lg_json_len(requests);
}
