// Macros: calls that the parser turns into something else, because they bind a name or look at how
// an argument is written. One row a macro; the row's function makes the node.
#include "cel/cel_internal.h"

typedef struct macro {
    const char *space; // "cel" of cel.bind(), or NULL
    const char *name;
    bool member;
    uint8_t count; // of arguments
    uint8_t fold;  // an lg_cel_fold_kind or lg_cel_bind_kind: what it expands to
    uint8_t names; // how many arguments are names that the macro binds
    bool filter;   // the argument after the names is a condition for the step
    lg_cel_node *(*expand)(lg_cel_build *build, lg_cel_node *call, const struct macro *row);
} macro;

// The name that argument `arg` is, as something to bind; NULL with an error if it is not one.
static lg_cel_local *bound_name(lg_cel_build *build, const lg_cel_node *arg)
{
    if (arg->kind != LG_NODE_IDENT || arg->as.ident.absolute || arg->parenthesised) {
        return lg_cel_report(build, LG_ERR_PARSE, arg->start,
                             "a macro's variable must be a plain name");
    }
    lg_cel_local *local = LG_NEW(build->work, lg_cel_local);
    if (!local) {
        return lg_cel_oom(build);
    }
    local->name = arg->as.ident.name;
    return local;
}

static lg_cel_node *expand_has(lg_cel_build *build, lg_cel_node *call, const macro *row)
{
    (void)row;
    lg_cel_node *arg = call->as.call.args[0];
    if (arg->kind != LG_NODE_SELECT || arg->parenthesised) {
        return lg_cel_report(build, LG_ERR_PARSE, arg->start,
                             "has() wants the selection of a field, such as has(a.b)");
    }
    arg->kind = LG_NODE_HAS;
    arg->start = call->start;
    return arg;
}

static lg_cel_node *expand_fold(lg_cel_build *build, lg_cel_node *call, const macro *row)
{
    lg_cel_node **args = call->as.call.args;
    lg_cel_node *node = lg_cel_node_new(build, LG_NODE_FOLD, call->offset);
    if (!node) {
        return NULL;
    }
    node->start = call->start;
    node->op = row->fold;
    node->as.fold.range = call->as.call.target;
    node->as.fold.first = bound_name(build, args[0]);
    node->as.fold.second = row->names == 2 ? bound_name(build, args[1]) : NULL;
    if (!node->as.fold.first || (row->names == 2 && !node->as.fold.second)) {
        return NULL;
    }
    if (row->names == 2 && lg_str_eq(node->as.fold.first->name, node->as.fold.second->name)) {
        return lg_cel_report(build, LG_ERR_PARSE, args[1]->start,
                             "the two variables of a macro need different names");
    }
    node->as.fold.filter = row->filter ? args[row->names] : NULL;
    node->as.fold.step = args[row->count - 1];
    return lg_cel_node_done(build, node);
}

// --- Names for a value --------------------------------------------------------------------------

static lg_cel_node *make_ident(lg_cel_build *build, uint32_t offset, lg_str name)
{
    lg_cel_node *node = lg_cel_node_new(build, LG_NODE_IDENT, offset);
    if (node && name.ptr) {
        node->as.ident.name = name;
        return node;
    }
    return lg_cel_oom(build);
}

static lg_cel_node *make_bind(lg_cel_build *build, const lg_cel_node *call, lg_cel_bind_kind kind,
                              const lg_cel_node *name, lg_cel_node *value, lg_cel_node *body)
{
    lg_cel_local *local = name ? bound_name(build, name) : NULL;
    lg_cel_node *node = local && body ? lg_cel_node_new(build, LG_NODE_BIND, call->offset) : NULL;
    if (!node) {
        return NULL;
    }
    node->op = (uint8_t)kind;
    node->start = call->start;
    node->as.bind.local = local;
    node->as.bind.value = value;
    node->as.bind.body = body;
    return lg_cel_node_done(build, node);
}

static lg_cel_node *expand_bind(lg_cel_build *build, lg_cel_node *call, const macro *row)
{
    lg_cel_node **args = call->as.call.args;
    (void)row;
    return make_bind(build, call, LG_BIND_PLAIN, args[0], args[1], args[2]);
}

static lg_cel_node *expand_opt(lg_cel_build *build, lg_cel_node *call, const macro *row)
{
    lg_cel_node **args = call->as.call.args;
    return make_bind(build, call, (lg_cel_bind_kind)row->fold, args[0], call->as.call.target,
                     args[1]);
}

// list.sortBy(x, key) is cel.bind(@list, list, @sort(@list, @list.map(x, key))).
static lg_cel_node *expand_sort_by(lg_cel_build *build, lg_cel_node *call, const macro *row)
{
    lg_cel_node *list = make_ident(build, call->offset, LG_STR("@list"));
    lg_cel_node *keys = lg_cel_node_new(build, LG_NODE_FOLD, call->offset);
    lg_cel_node *sort = lg_cel_node_new(build, LG_NODE_CALL, call->offset);
    lg_cel_node **args = LG_NEW_ARRAY(build->work, lg_cel_node *, 2);
    (void)row;
    if (!list || !keys || !sort || !args) {
        return lg_cel_oom(build);
    }
    keys->op = LG_FOLD_MAP;
    keys->as.fold.range = list;
    keys->as.fold.first = bound_name(build, call->as.call.args[0]);
    keys->as.fold.step = call->as.call.args[1];
    args[0] = list;
    args[1] = keys;
    sort->as.call.name = LG_STR("lists.@sortByKeys");
    sort->as.call.args = args;
    sort->as.call.count = 2;
    if (!keys->as.fold.first || !lg_cel_node_done(build, keys) || !lg_cel_node_done(build, sort)) {
        return NULL;
    }
    return make_bind(build, call, LG_BIND_PLAIN, list, call->as.call.target, sort);
}

// --- cel.block: slots that later ones and the result refer to by number -------------------------

// cel.index(n), cel.iterVar(n, m): names that no source can contain.
static lg_cel_node *expand_slot(lg_cel_build *build, lg_cel_node *call, const macro *row)
{
    long long numbers[2] = {0, 0};
    for (uint32_t i = 0; i < call->as.call.count; i++) {
        const lg_cel_node *arg = call->as.call.args[i];
        if (arg->kind != LG_NODE_CONST || arg->as.constant.kind != LG_CEL_INT) {
            return lg_cel_report(build, LG_ERR_PARSE, arg->start, "cel.%s() wants a number",
                                 row->name);
        }
        numbers[i] = (long long)arg->as.constant.as.i64;
    }
    lg_str name = lg_arena_printf(build->work, "@%s:%lld:%lld", row->name, numbers[0], numbers[1]);
    lg_cel_node *node = make_ident(build, call->offset, name);
    if (node) {
        node->start = call->start;
    }
    return node;
}

static lg_cel_node *expand_block(lg_cel_build *build, lg_cel_node *call, const macro *row)
{
    const lg_cel_node *slots = call->as.call.args[0];
    lg_cel_node *body = call->as.call.args[1];
    (void)row;
    if (slots->kind != LG_NODE_LIST) {
        return lg_cel_report(build, LG_ERR_PARSE, slots->start,
                             "cel.block() wants a list of expressions");
    }
    for (uint32_t i = slots->as.list.count; i-- > 0 && body;) {
        lg_str name = lg_arena_printf(build->work, "@index:%u:0", i);
        lg_cel_node *slot = make_ident(build, call->offset, name);
        body = make_bind(build, call, LG_BIND_PLAIN, slot, slots->as.list.items[i], body);
    }
    return body;
}

// clang-format off
static const macro macros[] = {
    {NULL,  "has",        false, 1, 0,                1, false, expand_has},
    {NULL,  "all",        true,  2, LG_FOLD_ALL,      1, false, expand_fold},
    {NULL,  "all",        true,  3, LG_FOLD_ALL,      2, false, expand_fold},
    {NULL,  "exists",     true,  2, LG_FOLD_EXISTS,   1, false, expand_fold},
    {NULL,  "exists",     true,  3, LG_FOLD_EXISTS,   2, false, expand_fold},
    {NULL,  "exists_one", true,  2, LG_FOLD_ONE,      1, false, expand_fold},
    {NULL,  "exists_one", true,  3, LG_FOLD_ONE,      2, false, expand_fold},
    {NULL,  "existsOne",  true,  2, LG_FOLD_ONE,      1, false, expand_fold},
    {NULL,  "existsOne",  true,  3, LG_FOLD_ONE,      2, false, expand_fold},
    {NULL,  "filter",     true,  2, LG_FOLD_FILTER,   1, false, expand_fold},
    {NULL,  "map",        true,  2, LG_FOLD_MAP,      1, false, expand_fold},
    {NULL,  "map",        true,  3, LG_FOLD_MAP,      1, true,  expand_fold},
    {NULL,  "transformList",     true, 3, LG_FOLD_MAP,         2, false, expand_fold},
    {NULL,  "transformList",     true, 4, LG_FOLD_MAP,         2, true,  expand_fold},
    {NULL,  "transformMap",      true, 3, LG_FOLD_MAP_VALUES,  2, false, expand_fold},
    {NULL,  "transformMap",      true, 4, LG_FOLD_MAP_VALUES,  2, true,  expand_fold},
    {NULL,  "transformMapEntry", true, 3, LG_FOLD_MAP_ENTRIES, 2, false, expand_fold},
    {NULL,  "transformMapEntry", true, 4, LG_FOLD_MAP_ENTRIES, 2, true,  expand_fold},
    {NULL,  "sortBy",     true,  2, 0,                    1, false, expand_sort_by},
    {NULL,  "optMap",     true,  2, LG_BIND_OPT_MAP,      1, false, expand_opt},
    {NULL,  "optFlatMap", true,  2, LG_BIND_OPT_FLAT_MAP, 1, false, expand_opt},
    {"cel", "bind",       true,  3, 0, 1, false, expand_bind},
    {"cel", "block",      true,  2, 0, 0, false, expand_block},
    {"cel", "index",      true,  1, 0, 0, false, expand_slot},
    {"cel", "iterVar",    true,  2, 0, 0, false, expand_slot},
    {"cel", "accuVar",    true,  2, 0, 0, false, expand_slot},
};
// clang-format on

static bool in_space(const macro *row, const lg_cel_node *target)
{
    return !row->space || (target && target->kind == LG_NODE_IDENT && !target->as.ident.absolute &&
                           lg_str_eq(target->as.ident.name, lg_str_c(row->space)));
}

lg_cel_node *lg_cel_expand(lg_cel_build *build, lg_cel_node *call)
{
    lg_str name = call->as.call.name;
    for (size_t i = 0; i < LG_COUNT(macros); i++) {
        const macro *row = &macros[i];
        if (row->count == call->as.call.count && row->member == (call->as.call.target != NULL) &&
            row->name[0] == name.ptr[0] && lg_str_eq(name, lg_str_c(row->name)) &&
            in_space(row, call->as.call.target)) {
            return row->expand(build, call, row);
        }
    }
    return lg_cel_expand_definition(build, call);
}
