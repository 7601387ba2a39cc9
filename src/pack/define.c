// define.c: expressions that a pack gives a name: `status_bar(d): "..."`.
#include "pack/loader.h"

// Splits "name(a, b)" into names. False if it is not written so.
static bool split_signature(lg_str text, lg_str *ret_name, lg_str *params, uint32_t *ret_count)
{
    size_t open = lg_str_find(text, LG_STR("("));
    *ret_count = 0;
    if (open == SIZE_MAX || text.ptr[text.len - 1] != ')') {
        return false;
    }
    *ret_name = lg_str_trim(lg_str_slice(text, 0, open));
    lg_str rest = lg_str_trim(lg_str_slice(text, open + 1, text.len - 1));
    while (rest.len > 0 && *ret_count < LG_CEL_DEFINITION_PARAMS) {
        size_t comma = lg_str_find(rest, LG_STR(","));
        size_t end = comma == SIZE_MAX ? rest.len : comma;
        params[*ret_count] = lg_str_trim(lg_str_slice(rest, 0, end));
        if (!loader_is_name(params[*ret_count])) {
            return false;
        }
        ++*ret_count;
        rest = comma == SIZE_MAX ? LG_STR("") : lg_str_slice(rest, comma + 1, rest.len);
    }
    return loader_is_name(*ret_name) && rest.len == 0;
}

static void read_definition(loader *l, lg_cel_env *env, const lg_json_member *member)
{
    lg_str params[LG_CEL_DEFINITION_PARAMS];
    uint32_t count;
    lg_str name;
    if (!split_signature(lg_json_key(member), &name, params, &count)) {
        loader_error(l, member->key_offset,
                     "a definition is called like status_bar(device), with at most %u parameters",
                     LG_CEL_DEFINITION_PARAMS);
        return;
    }
    if (!lg_json_is(&member->value, LG_JSON_STRING)) {
        loader_error(l, member->value.offset, "`%.*s` must be an expression", LG_FMT(name));
        return;
    }
    lg_errors errors;
    lg_errors_init(&errors, l->arena, l->limits.error_count);
    lg_position start = {l->pack->file, 1, 1};
    lg_str body = lg_json_str(&member->value);
    bool made = lg_cel_env_define(env, name, params, count, body, start, &errors);
    loader_adopt_errors(l, &member->value, 0, body, &errors);
    if (!made && errors.count == 0) {
        loader_error(l, member->key_offset, "out of memory");
    }
}

void loader_read_definitions(loader *l, const lg_json *define)
{
    lg_cel_env *env = lg_cel_env_new(l->arena, NULL, &l->limits);
    l->definitions = env;
    if (!env) {
        return;
    }
    lg_cel_env_keep_trees(env);
    if (define && !lg_json_is(define, LG_JSON_OBJECT)) {
        loader_error(l, define->offset, "`define` is a map from name(parameters) to expressions");
        return;
    }
    for (size_t i = 0; i < lg_json_len(define); i++) {
        read_definition(l, env, lg_json_member_at(define, i));
    }
}
