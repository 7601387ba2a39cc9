// stores.c: where the results of reads go.
#include "pack/loader.h"

static lg_cel_env *store_env(loader *l, const lg_tool *tool, const lg_cel_type *item)
{
    lg_cel_env *env = lg_cel_env_new(l->arena, l->definitions, &l->limits);
    if (!env || lg_cel_env_declare(env, LG_STR("args"), tool->args_type) != LG_STORE_SLOT_ARGS ||
        lg_cel_env_declare(env, LG_STR("result"), tool->result_type) != LG_STORE_SLOT_RESULT ||
        (item && lg_cel_env_declare(env, LG_STR("item"), item) != LG_STORE_SLOT_ITEM)) {
        loader_error(l, tool->offset, "out of memory");
        return NULL;
    }
    return env;
}

// Reads `each`, one expression or a list of them for nested lists; returns the item's type, NULL
// without `each` or after an error.
static const lg_cel_type *read_each(loader *l, const lg_tool *tool, const lg_json *each,
                                    lg_tool_store *store)
{
    const lg_cel_type *item = NULL;
    size_t count = lg_json_is(each, LG_JSON_ARRAY) ? lg_json_len(each) : each != NULL;
    if (count > LG_EACH_MAX) {
        loader_error(l, each->offset, "`each` goes at most %u lists deep", LG_EACH_MAX);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        const lg_json *one = lg_json_is(each, LG_JSON_ARRAY) ? lg_json_item(each, i) : each;
        const lg_cel_env *env = store_env(l, tool, item);
        const lg_cel_program *program =
            env ? loader_compile_as(l, env, one, LG_CEL_LIST, "each") : NULL;
        if (!program) {
            return NULL;
        }
        const lg_cel_type *list = lg_cel_program_type(program);
        store->each[store->each_count++] = program;
        item = list->kind == LG_CEL_LIST ? list->element : lg_cel_type_of_kind(LG_CEL_DYN);
    }
    return item;
}

static void read_store_value(loader *l, const lg_json *store_json, const lg_cel_env *env,
                             lg_tool_store *store)
{
    const lg_json *at = lg_json_get(store_json, LG_STR("at"));
    const lg_json *value = lg_json_get(store_json, LG_STR("value"));
    lg_json *implied = LG_NEW(l->arena, lg_json);
    if (!value && implied) {
        *implied = lg_json_make_str(store->each_count ? LG_STR("item") : LG_STR("result"));
        implied->offset = at->offset;
        value = implied;
    }
    if (!lg_json_is(value, LG_JSON_STRING)) {
        loader_error(l, store_json->offset, "`value` must be an expression");
        return;
    }
    store->value = loader_compile(l, env, value, 0, lg_json_str(value).len);
    lg_str what = lg_arena_printf(l->arena, "`%.*s`", LG_FMT(lg_json_str(at)));
    if (store->value && what.ptr) {
        loader_check_fits(l, at, lg_cel_program_type(store->value), store->to.type, "ledger");
        loader_wanted wanted = {.scalar = value,
                                .type = store->to.type,
                                .schema = loader_schema_at(l, &store->to),
                                .what = what};
        loader_check_literals(l, store->value, &wanted);
    }
}

static void read_store(loader *l, lg_tool *tool, const lg_json *json, lg_tool_store *store)
{
    static const char *const keys[] = {"when", "each", "at", "value"};
    const lg_json *at = lg_json_get(json, LG_STR("at"));
    if (!loader_check_keys(l, json, "a store", keys, LG_COUNT(keys))) {
        return;
    }
    if (!lg_json_is(at, LG_JSON_STRING)) {
        loader_error(l, json->offset, "a store needs `at`: a ledger path");
        return;
    }
    const lg_json *each = lg_json_get(json, LG_STR("each"));
    const lg_cel_type *item = read_each(l, tool, each, store);
    const lg_cel_env *env = each && !item ? NULL : store_env(l, tool, item);
    if (!env) {
        return;
    }
    const lg_json *when = lg_json_get(json, LG_STR("when"));
    if (when) {
        store->when = loader_compile_as(l, env, when, LG_CEL_BOOL, "when");
    }
    if (loader_read_target(l, env, at, &l->pack->ledger, &store->to)) {
        read_store_value(l, json, env, store);
    }
}

void loader_read_stores(loader *l, lg_tool *tool, const lg_json *stores)
{
    if (!stores) {
        return;
    }
    if (!lg_json_is(stores, LG_JSON_ARRAY)) {
        loader_error(l, stores->offset, "`stores` must be a list");
        return;
    }
    if (tool->kind != LG_TOOL_READ) {
        loader_error(l, stores->offset,
                     "only a tool of kind read may have `stores`: what a write "
                     "returns is not observed state");
        return;
    }
    lg_tool_store *items = LG_NEW_ARRAY(l->arena, lg_tool_store, lg_json_len(stores));
    for (size_t i = 0; items && i < lg_json_len(stores); i++) {
        read_store(l, tool, lg_json_item(stores, i), &items[i]);
    }
    tool->stores = items;
    tool->store_count = items ? lg_json_len(stores) : 0;
}
