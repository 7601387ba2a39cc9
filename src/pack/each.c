// each.c: invariants that speak of each record of a collection by itself.
//
// Most do: `state.orders.all(k, state.orders[k].order_id == k)`. After a call only records that have changed can break
// such a one, if what else it reads is as it was.
#include "pack/follow.h"

typedef struct looking {
    uint32_t slot;
    lg_str name;               // of the collection
    const lg_cel_local *first; // its key
} looking;

// `state.NAME`
static bool is_collection_of(const lg_cel_node *node, uint32_t state_slot, lg_str *ret_name)
{
    const lg_cel_node *operand = node->kind == LG_NODE_SELECT ? node->as.select.operand : NULL;
    bool named = operand && !node->optional && operand->kind == LG_NODE_IDENT &&
                 !operand->as.ident.local && operand->as.ident.slot == state_slot;
    *ret_name = named ? node->as.select.name : LG_STR("");
    return named;
}

// `state.NAME[k]`
static bool is_own_record(const looking *at, const lg_cel_node *node)
{
    lg_str name;
    bool indexes = node->kind == LG_NODE_BINARY && node->op == LG_BIN_INDEX;
    return indexes && is_collection_of(node->as.of.a, at->slot, &name) &&
           lg_str_eq(name, at->name) && node->as.of.b->kind == LG_NODE_IDENT &&
           node->as.of.b->as.ident.local == at->first;
}

// Does it name the state as its own record, or as another collection, and in no other way? As deep as the tree.
static bool keeps_to_own(const looking *at, const lg_cel_node *node)
{
    lg_str name;
    if (is_own_record(at, node)) {
        return true;
    }
    if (is_collection_of(node, at->slot, &name)) {
        return !lg_str_eq(name, at->name);
    }
    if (node->kind == LG_NODE_IDENT) {
        return node->as.ident.local || node->as.ident.slot != at->slot;
    }
    const lg_cel_node *child;
    bool keeps = true;
    for (size_t i = 0; keeps && (child = lg_cel_node_child(node, i)) != NULL; i++) {
        keeps = keeps_to_own(at, child);
    }
    return keeps;
}

lg_str each_of(const lg_cel_node *tree, uint32_t state_slot)
{
    looking at = {.slot = state_slot};
    bool all = tree && tree->kind == LG_NODE_FOLD && tree->op == LG_FOLD_ALL && tree->as.fold.first;
    if (!all || tree->as.fold.filter ||
        !is_collection_of(tree->as.fold.range, state_slot, &at.name)) {
        return LG_STR("");
    }
    const lg_cel_type *type = tree->as.fold.range->type;
    at.first = tree->as.fold.first;
    bool map = type && type->kind == LG_CEL_MAP;
    return map && keeps_to_own(&at, tree->as.fold.step) ? at.name : LG_STR("");
}
