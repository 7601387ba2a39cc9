// Macros: calls that the parser turns into something else, because they bind a name or look at how
// an argument is written. One row a macro; the row's function makes the node.
#include "cel/cel_internal.h"

typedef struct macro {
    const char *name;
    bool member;
    uint8_t count; // of arguments
    uint8_t fold;  // an lg_cel_fold_kind, for macros that walk through a list or map
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

// clang-format off
static const macro macros[] = {
    {"has",        false, 1, 0,                1, false, expand_has},
    {"all",        true,  2, LG_FOLD_ALL,      1, false, expand_fold},
    {"exists",     true,  2, LG_FOLD_EXISTS,   1, false, expand_fold},
    {"exists_one", true,  2, LG_FOLD_ONE,      1, false, expand_fold},
    {"existsOne",  true,  2, LG_FOLD_ONE,      1, false, expand_fold},
    {"filter",     true,  2, LG_FOLD_FILTER,   1, false, expand_fold},
    {"map",        true,  2, LG_FOLD_MAP,      1, false, expand_fold},
    {"map",        true,  3, LG_FOLD_MAP,      1, true,  expand_fold},
};
// clang-format on

lg_cel_node *lg_cel_expand(lg_cel_build *build, lg_cel_node *call)
{
    lg_str name = call->as.call.name;
    for (size_t i = 0; i < LG_COUNT(macros); i++) {
        const macro *row = &macros[i];
        if (row->count == call->as.call.count && row->member == (call->as.call.target != NULL) &&
            row->name[0] == name.ptr[0] && lg_str_eq(name, lg_str_c(row->name))) {
            return row->expand(build, call, row);
        }
    }
    return call;
}
