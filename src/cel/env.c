// Environments: which names an expression may use. Each is an array; a child continues the slots
// of its parent. An expression uses few names, so they are found by going through them.
#include "cel/cel_internal.h"

lg_cel_env *lg_cel_env_new(lg_arena *arena, const lg_cel_env *parent, const lg_limits *limits)
{
    lg_cel_env *env = LG_NEW(arena, lg_cel_env);
    if (!env) {
        return NULL;
    }
    env->arena = arena;
    env->parent = parent;
    env->limits = limits || !parent ? lg_limits_resolve(limits) : parent->limits;
    if (parent) {
        env->first_slot = lg_cel_env_slots(parent);
        env->container = parent->container;
        env->unchecked = parent->unchecked;
        env->keep_trees = parent->keep_trees;
        env->qualified = parent->qualified;
    }
    return env;
}

uint32_t lg_cel_env_slots(const lg_cel_env *env)
{
    return env->first_slot + (uint32_t)env->count;
}

bool lg_cel_is_reserved(lg_str name)
{
    static const char *const words[] = {
        "as",       "break",   "const",  "continue", "else", "false", "for",
        "function", "if",      "import", "in",       "let",  "loop",  "namespace",
        "null",     "package", "return", "true",     "var",  "void",  "while",
    };
    for (size_t i = 0; i < LG_COUNT(words); i++) {
        if (name.len && words[i][0] == name.ptr[0] && lg_str_eq(name, lg_str_c(words[i]))) {
            return true;
        }
    }
    return false;
}

static bool is_identifier(lg_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool letter = lg_is_letter(c) || c == '_';
        if (!letter && (i == 0 || c < '0' || c > '9')) {
            return false;
        }
    }
    return name.len > 0 && !lg_cel_is_reserved(name);
}

// Identifiers joined by dots.
static bool is_qualified_name(lg_str name)
{
    for (;;) {
        size_t dot = lg_str_find(name, LG_STR("."));
        if (dot == SIZE_MAX) {
            return is_identifier(name);
        }
        if (!is_identifier(lg_str_slice(name, 0, dot))) {
            return false;
        }
        name = lg_str_slice(name, dot + 1, name.len);
    }
}

const lg_cel_variable *lg_cel_env_find(const lg_cel_env *env, lg_str name, uint32_t *ret_slot)
{
    for (; env; env = env->parent) {
        for (size_t i = 0; i < env->count; i++) {
            if (lg_str_eq(env->items[i].name, name)) {
                *ret_slot = env->first_slot + (uint32_t)i;
                return &env->items[i];
            }
        }
    }
    return NULL;
}

uint32_t lg_cel_env_declare(lg_cel_env *env, lg_str name, const lg_cel_type *type)
{
    uint32_t taken;
    if (!type || !is_qualified_name(name) || lg_cel_env_find(env, name, &taken) ||
        env->count >= UINT16_MAX) {
        return UINT32_MAX;
    }
    lg_cel_variable *items =
        lg_arena_grow(env->arena, env->items, env->count, &env->capacity, sizeof(*items));
    lg_str copy = lg_arena_str(env->arena, name);
    if (!items || !copy.ptr) {
        return UINT32_MAX;
    }
    env->items = items;
    env->items[env->count] = (lg_cel_variable){copy, type};
    env->qualified = env->qualified || lg_str_find(name, LG_STR(".")) != SIZE_MAX;
    return env->first_slot + (uint32_t)env->count++;
}

void lg_cel_env_set_container(lg_cel_env *env, lg_str container)
{
    env->container = container;
}

void lg_cel_env_set_unchecked(lg_cel_env *env, bool unchecked)
{
    env->unchecked = unchecked;
}

void lg_cel_env_keep_trees(lg_cel_env *env)
{
    env->keep_trees = true;
}

bool lg_cel_env_declare_function(lg_cel_env *env, lg_str name, const lg_cel_overload *overload)
{
    lg_cel_host_function *items = lg_arena_grow(env->arena, env->functions, env->function_count,
                                                &env->function_capacity, sizeof(*items));
    if (!items) {
        return false;
    }
    env->functions = items;
    env->functions[env->function_count++] = (lg_cel_host_function){name, overload};
    return true;
}
