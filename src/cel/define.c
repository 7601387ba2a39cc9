// define.c: expressions with a name and parameters.
//
// A call of a definition is the definition's text, parsed where it is called, with its parameters
// bound around it. So it sees the names of that place, is checked there, and neither the machine nor
// a reader of trees has to know about definitions.
#include "cel/cel_internal.h"

struct lg_cel_definition {
    lg_str name;
    lg_str params[LG_CEL_DEFINITION_PARAMS];
    uint32_t param_count;
    lg_str body;
    uint32_t rank; // of those in its environment
};

static const lg_cel_definition *find(const lg_cel_env *env, lg_str name)
{
    for (; env; env = env->parent) {
        for (size_t i = 0; i < env->definition_count; i++) {
            if (lg_str_eq(env->definitions[i].name, name)) {
                return &env->definitions[i];
            }
        }
    }
    return NULL;
}

// --- Hygiene ------------------------------------------------------------------------------------

// A parameter under a name that no source can contain, so that arguments never meet it.
static lg_str private_name(lg_cel_build *build, const lg_cel_definition *definition, lg_str param)
{
    return lg_arena_printf(build->work, "@%.*s:%.*s", LG_FMT(definition->name), LG_FMT(param));
}

static void rename_local(lg_cel_local *local, lg_str from, lg_str to)
{
    if (local && lg_str_eq(local->name, from)) {
        local->name = to;
    }
}

// Renames `from` in the tree, names that macros bind included, which changes nothing but its look.
// Errors of the body are said of the call. As deep as the tree, which is bounded.
static void adopt(lg_cel_node *node, lg_str from, lg_str to, uint32_t offset)
{
    node->offset = offset;
    node->start = offset;
    if (node->kind == LG_NODE_IDENT && !node->as.ident.absolute &&
        lg_str_eq(node->as.ident.name, from)) {
        node->as.ident.name = to;
    } else if (node->kind == LG_NODE_FOLD) {
        rename_local(node->as.fold.first, from, to);
        rename_local(node->as.fold.second, from, to);
    } else if (node->kind == LG_NODE_BIND) {
        rename_local(node->as.bind.local, from, to);
    }
    lg_cel_node *child;
    for (size_t i = 0; (child = lg_cel_child(node, i)) != NULL; i++) {
        adopt(child, from, to, offset);
    }
}

static lg_cel_node *bind(lg_cel_build *build, const lg_cel_node *call, lg_str name,
                         lg_cel_node *value, lg_cel_node *body)
{
    lg_cel_local *local = LG_NEW(build->work, lg_cel_local);
    lg_cel_node *node = lg_cel_node_new(build, LG_NODE_BIND, call->offset);
    if (!local || !node || !name.ptr) {
        return lg_cel_oom(build);
    }
    local->name = name;
    node->op = LG_BIND_PLAIN;
    node->start = call->start;
    node->as.bind.local = local;
    node->as.bind.value = value;
    node->as.bind.body = body;
    return lg_cel_node_done(build, node);
}

// --- Calls --------------------------------------------------------------------------------------

// Parses the body; in it, only definitions before this one are known, so nothing calls itself.
static lg_cel_node *parse_body(lg_cel_build *build, const lg_cel_definition *definition,
                               uint32_t offset)
{
    build->expanded += definition->body.len;
    if (build->expanded > build->env->limits.cel_bytes) {
        return lg_cel_report(build, LG_ERR_LIMIT, offset,
                             "with its definitions put in, the expression is longer than %zu bytes "
                             "(limit cel_bytes)",
                             build->env->limits.cel_bytes);
    }
    lg_cel_build inner = *build;
    inner.source = definition->body;
    inner.definitions = definition->rank;
    lg_cel_node *body = lg_cel_parse(&inner);
    build->expanded = inner.expanded;
    build->failed = inner.failed;
    build->out_of_memory = inner.out_of_memory;
    return body;
}

lg_cel_node *lg_cel_expand_definition(lg_cel_build *build, lg_cel_node *call)
{
    const lg_cel_definition *definition =
        call->as.call.target ? NULL : find(build->env, call->as.call.name);
    if (!definition || definition->rank >= build->definitions) {
        return call;
    }
    if (definition->param_count != call->as.call.count) {
        return lg_cel_report(build, LG_ERR_TYPE, call->offset, "`%.*s` wants %u arguments, not %u",
                             LG_FMT(definition->name), definition->param_count,
                             call->as.call.count);
    }
    lg_cel_node *body = parse_body(build, definition, call->offset);
    if (!body) {
        return NULL;
    }
    adopt(body, LG_STR(""), LG_STR(""), call->offset);
    for (uint32_t i = definition->param_count; i-- > 0 && body;) {
        lg_str name = private_name(build, definition, definition->params[i]);
        if (!name.ptr) {
            return lg_cel_oom(build);
        }
        adopt(body, definition->params[i], name, call->offset);
        body = bind(build, call, name, call->as.call.args[i], body);
    }
    return body;
}

// --- Calls that nothing can serve ---------------------------------------------------------------

void lg_cel_offer_definitions(const lg_cel_env *env, lg_cel_closest *closest)
{
    for (; env; env = env->parent) {
        for (size_t i = 0; i < env->definition_count; i++) {
            lg_cel_closest_offer(closest, env->definitions[i].name);
        }
    }
}

static bool is_function(const lg_cel_env *env, lg_str name)
{
    for (; env; env = env->parent) {
        for (size_t i = 0; i < env->function_count; i++) {
            if (lg_str_eq(env->functions[i].name, name)) {
                return true;
            }
        }
    }
    return lg_cel_function_find(name) != NULL || lg_str_eq(name, LG_STR("has"));
}

// Names wait for the place of a call, but functions do not: a body that calls itself, or what is
// defined below it, is told where it stands, used or not. As deep as the tree, which is bounded.
static bool calls_are_known(lg_cel_build *build, const lg_cel_definition *definition,
                            const lg_cel_node *node)
{
    if (node->kind == LG_NODE_CALL && !node->as.call.target &&
        !is_function(build->env, node->as.call.name)) {
        lg_cel_closest closest = {.wanted = node->as.call.name};
        lg_cel_offer_definitions(build->env, &closest);
        bool itself = lg_str_eq(node->as.call.name, definition->name);
        bool good = !itself && lg_cel_closest_good(&closest);
        if (itself) {
            lg_cel_report(build, LG_ERR_NAME, node->offset, "`%.*s` calls itself",
                          LG_FMT(definition->name));
            return false;
        }
        lg_cel_report(build, LG_ERR_NAME, node->offset,
                      "no function, and no definition above, is called `%.*s`%s%.*s%s",
                      LG_FMT(node->as.call.name), good ? "; did you mean `" : "",
                      good ? (int)closest.best.len : 0, good ? closest.best.ptr : "",
                      good ? "`?" : "");
        return false;
    }
    const lg_cel_node *child;
    bool known = true;
    for (size_t i = 0; (child = lg_cel_node_child(node, i)) != NULL; i++) {
        known = calls_are_known(build, definition, child) && known;
    }
    return known;
}

// --- Declaring ----------------------------------------------------------------------------------

static bool parses(lg_cel_env *env, const lg_cel_definition *definition, lg_position at,
                   lg_errors *errors)
{
    lg_arena work;
    lg_arena_init(&work, env->limits.document_bytes);
    lg_cel_build build = {.arena = &work,
                          .work = &work,
                          .env = env,
                          .source = definition->body,
                          .at = at,
                          .errors = errors,
                          .definitions = definition->rank,
                          .depth_limit = env->limits.cel_depth < LG_CEL_DEPTH_MAX
                                             ? env->limits.cel_depth
                                             : LG_CEL_DEPTH_MAX};
    const lg_cel_node *tree = lg_cel_parse(&build);
    bool good = tree && calls_are_known(&build, definition, tree);
    lg_arena_done(&work);
    return good;
}

bool lg_cel_env_define(lg_cel_env *env, lg_str name, const lg_str *params, uint32_t param_count,
                       lg_str body, lg_position at, lg_errors *errors)
{
    if (find(env, name) || lg_cel_function_find(name) || param_count > LG_CEL_DEFINITION_PARAMS ||
        lg_utf8_valid_prefix(body) != body.len || body.len > env->limits.cel_bytes) {
        lg_errors_addf(errors, LG_ERR_NAME, at,
                       "`%.*s` cannot be defined: it is taken, has more than %u parameters, or is "
                       "too long",
                       LG_FMT(name), LG_CEL_DEFINITION_PARAMS);
        return false;
    }
    lg_cel_definition *items = lg_arena_grow(env->arena, env->definitions, env->definition_count,
                                             &env->definition_capacity, sizeof(*items));
    if (!items) {
        return false;
    }
    env->definitions = items;
    lg_cel_definition *definition = &items[env->definition_count];
    *definition = (lg_cel_definition){.name = lg_arena_str(env->arena, name),
                                      .param_count = param_count,
                                      .body = lg_arena_str(env->arena, body),
                                      .rank = (uint32_t)env->definition_count};
    for (uint32_t i = 0; i < param_count; i++) {
        definition->params[i] = lg_arena_str(env->arena, params[i]);
    }
    if (!definition->name.ptr || !definition->body.ptr || !parses(env, definition, at, errors)) {
        return false;
    }
    env->definition_count++;
    return true;
}
