// tree.c: walking an expression.
#include "cel/cel_internal.h"

static lg_cel_node *of_list(lg_cel_node *const *items, uint32_t count, size_t index)
{
    return index < count ? items[index] : NULL;
}

static lg_cel_node *of_call(const lg_cel_node *node, size_t index)
{
    lg_cel_node *target = node->as.call.target;
    if (target && index == 0) {
        return target;
    }
    return of_list(node->as.call.args, node->as.call.count, index - (target ? 1 : 0));
}

static lg_cel_node *of_fold(const lg_cel_node *node, size_t index)
{
    lg_cel_node *const all[] = {node->as.fold.range, node->as.fold.filter, node->as.fold.step};
    size_t at = 0;
    for (size_t i = 0; i < LG_COUNT(all); i++) {
        if (all[i] && at++ == index) {
            return all[i];
        }
    }
    return NULL;
}

lg_cel_node *lg_cel_child(const lg_cel_node *node, size_t index)
{
    switch ((lg_cel_node_kind)node->kind) {
    case LG_NODE_CONST:
    case LG_NODE_IDENT:
        return NULL;
    case LG_NODE_SELECT:
    case LG_NODE_HAS:
        return index == 0 ? node->as.select.operand : NULL;
    case LG_NODE_NOT:
    case LG_NODE_NEGATE:
        return index == 0 ? node->as.of.a : NULL;
    case LG_NODE_BINARY:
    case LG_NODE_COND: {
        lg_cel_node *const all[] = {node->as.of.a, node->as.of.b,
                                    node->kind == LG_NODE_COND ? node->as.of.c : NULL};
        return index < LG_COUNT(all) ? all[index] : NULL;
    }
    case LG_NODE_AND:
    case LG_NODE_OR:
    case LG_NODE_LIST:
    case LG_NODE_MAP:
        return of_list(node->as.list.items, node->as.list.count, index);
    case LG_NODE_CALL:
        return of_call(node, index);
    case LG_NODE_FOLD:
        return of_fold(node, index);
    case LG_NODE_BIND:
        return index == 0 ? node->as.bind.value : index == 1 ? node->as.bind.body : NULL;
    }
    return NULL;
}

const lg_cel_node *lg_cel_node_child(const lg_cel_node *node, size_t index)
{
    return lg_cel_child(node, index);
}
