// conditions.c: postconditions, invariants, what stale records count as, and categories.
#include "pack/loader.h"

#include "cel/tree.h"

static bool id_is_taken(const lg_condition *items, size_t count, lg_str id)
{
    for (size_t i = 0; i < count; i++) {
        if (lg_str_eq(items[i].id, id)) {
            return true;
        }
    }
    return false;
}

static bool read_condition(loader *l, const lg_json *body, const lg_cel_env *env,
                           lg_condition *condition)
{
    static const char *const keys[] = {"id", "that", "because", "category"};
    if (!loader_check_keys(l, body, "a condition", keys, LG_COUNT(keys))) {
        return false;
    }
    condition->id = loader_string(l, body, "id", true);
    condition->because = loader_string(l, body, "because", false);
    condition->category = loader_read_category(l, body, LG_CATEGORY_FORMAT, LG_CATEGORY_UPDATE);
    condition->offset = body->offset;
    const lg_json *that = lg_json_get(body, LG_STR("that"));
    if (!that) {
        loader_error(l, body->offset, "a condition needs `that`: what must hold");
        return false;
    }
    condition->that = loader_compile_as(l, env, that, LG_CEL_BOOL, "that");
    return condition->that != NULL && condition->id.len > 0;
}

// Does the expression name any variable? As deep as the tree, which is bounded.
static bool names_nothing(const lg_cel_node *node)
{
    if (node->kind == LG_NODE_IDENT && !node->as.ident.local) {
        return false;
    }
    const lg_cel_node *child;
    for (size_t i = 0; (child = lg_cel_node_child(node, i)) != NULL; i++) {
        if (!names_nothing(child)) {
            return false;
        }
    }
    return true;
}

// --- Postconditions -----------------------------------------------------------------------------

static const lg_cel_env *ensure_env(loader *l, const lg_tool *tool)
{
    lg_cel_env *env = lg_cel_env_new(l->arena, l->rule_base, &l->limits);
    bool declared =
        env && lg_cel_env_declare(env, LG_STR("args"), tool->args_type) == LG_ENSURE_SLOT_ARGS &&
        lg_cel_env_declare(env, LG_STR("now"), lg_cel_type_of_kind(LG_CEL_TIMESTAMP)) ==
            LG_ENSURE_SLOT_NOW &&
        lg_cel_env_declare(env, LG_STR("result"), tool->result_type) == LG_ENSURE_SLOT_RESULT;
    return declared ? env : NULL;
}

void loader_read_ensures(loader *l, lg_tool *tool, const lg_json *ensures)
{
    if (!ensures) {
        return;
    }
    lg_condition *items = LG_NEW_ARRAY(l->arena, lg_condition, lg_json_len(ensures));
    const lg_cel_env *env = ensure_env(l, tool);
    if (!lg_json_is(ensures, LG_JSON_ARRAY) || !items || !env) {
        loader_error(l, ensures->offset, "`ensures` is a list of {id, that, because}");
        return;
    }
    size_t kept = 0;
    for (size_t i = 0; i < lg_json_len(ensures); i++) {
        const lg_json *body = lg_json_item(ensures, i);
        if (!read_condition(l, body, env, &items[kept])) {
            continue;
        }
        if (id_is_taken(items, kept, items[kept].id)) {
            loader_error(l, body->offset, "`%.*s` is there already", LG_FMT(items[kept].id));
            continue;
        }
        if (names_nothing(lg_cel_program_tree(items[kept].that))) {
            loader_error(l, lg_json_get(body, LG_STR("that"))->offset,
                         "`%.*s` is the same for every call: a postcondition speaks of `result`",
                         LG_FMT(items[kept].id));
            continue;
        }
        kept++;
    }
    tool->ensures = items;
    tool->ensure_count = kept;
}

// --- Invariants ---------------------------------------------------------------------------------

// Does the expression name the variable of this slot? As deep as the tree, which is bounded.
static bool mentions(const lg_cel_node *node, uint32_t slot)
{
    if (node->kind == LG_NODE_IDENT && !node->as.ident.local && node->as.ident.slot == slot) {
        return true;
    }
    const lg_cel_node *child;
    for (size_t i = 0; (child = lg_cel_node_child(node, i)) != NULL; i++) {
        if (mentions(child, slot)) {
            return true;
        }
    }
    return false;
}

// The first commit comes onto the empty ledger: an invariant that does not hold of it would discard
// whatever is read first.
static void check_start(loader *l, const lg_condition *invariant, const lg_json *that)
{
    lg_arena_mark mark = lg_arena_mark_here(l->arena);
    lg_cel_value values[LG_INVARIANT_SLOT_COUNT] = {[LG_INVARIANT_SLOT_LEDGER] =
                                                        lg_cel_from_json(l->pack->ledger.root),
                                                    [LG_INVARIANT_SLOT_STATE] = lg_cel_make_null()};
    lg_cel_activation activation = {
        .values = values, .scratch = l->arena, .cost_limit = l->limits.cel_cost};
    lg_cel_value holds = lg_cel_eval(invariant->that, &activation);
    const char *failure = holds.kind == LG_CEL_ERROR ? holds.as.failure->what : NULL;
    lg_arena_rewind(l->arena, mark);
    if (failure) {
        loader_error(l, that->offset,
                     "invariant `%.*s` cannot be evaluated of the empty ledger, with which every "
                     "conversation begins: %s",
                     LG_FMT(invariant->id), failure);
    } else if (holds.kind != LG_CEL_BOOL || !holds.as.boolean) {
        loader_error(l, that->offset,
                     "invariant `%.*s` does not hold of the empty ledger, with which every "
                     "conversation begins",
                     LG_FMT(invariant->id));
    }
}

static void file_invariant(loader *l, const lg_condition *read, const lg_json *that,
                           lg_condition *of_ledger, lg_condition *of_state)
{
    lg_pack *pack = l->pack;
    const lg_cel_node *tree = lg_cel_program_tree(read->that);
    bool ledger = mentions(tree, LG_INVARIANT_SLOT_LEDGER);
    bool state = mentions(tree, LG_INVARIANT_SLOT_STATE);
    if (ledger == state) {
        loader_error(l, read->offset,
                     "invariant `%.*s` must speak of `ledger` or of `state`, and not of both",
                     LG_FMT(read->id));
        return;
    }
    if (id_is_taken(of_ledger, pack->ledger_invariant_count, read->id) ||
        id_is_taken(of_state, pack->state_invariant_count, read->id)) {
        loader_error(l, read->offset, "`%.*s` is there already", LG_FMT(read->id));
        return;
    }
    if (ledger) {
        check_start(l, read, that);
        of_ledger[pack->ledger_invariant_count++] = *read;
    } else {
        of_state[pack->state_invariant_count++] = *read;
    }
}

void loader_read_invariants(loader *l, const lg_json *invariants)
{
    if (!invariants) {
        return;
    }
    size_t count = lg_json_len(invariants);
    lg_condition *of_ledger = LG_NEW_ARRAY(l->arena, lg_condition, count);
    lg_condition *of_state = LG_NEW_ARRAY(l->arena, lg_condition, count);
    lg_cel_env *env = lg_cel_env_new(l->arena, l->rule_base, &l->limits);
    if (!lg_json_is(invariants, LG_JSON_ARRAY) || !of_ledger || !of_state || !env ||
        lg_cel_env_declare(env, LG_STR("state"), l->pack->state.type) != LG_INVARIANT_SLOT_STATE) {
        loader_error(l, invariants->offset, "`invariants` is a list of {id, that, because}");
        return;
    }
    l->pack->ledger_invariants = of_ledger;
    l->pack->state_invariants = of_state;
    for (size_t i = 0; i < count; i++) {
        lg_condition read = {0};
        const lg_json *body = lg_json_item(invariants, i);
        if (read_condition(l, body, env, &read)) {
            file_invariant(l, &read, lg_json_get(body, LG_STR("that")), of_ledger, of_state);
        }
    }
}

// --- Stale records ------------------------------------------------------------------------------

lg_stale_policy loader_read_stale(loader *l, const lg_json *body, lg_stale_policy otherwise)
{
    const lg_json *stale = lg_json_get(body, LG_STR("stale"));
    if (!stale) {
        return otherwise;
    }
    if (lg_str_eq(lg_json_str(stale), LG_STR("reread"))) {
        return LG_STALE_REREAD;
    }
    if (!lg_str_eq(lg_json_str(stale), LG_STR("use"))) {
        loader_error(l, stale->offset, "`stale` is use or reread");
    }
    return LG_STALE_USE;
}

// --- Categories ---------------------------------------------------------------------------------

static const char *const categories[] = {"none",  "entity",   "state", "format",
                                         "empty", "semantic", "update"};

const char *lg_category_name(lg_category category)
{
    return categories[category];
}

lg_category loader_read_category(loader *l, const lg_json *body, lg_category first,
                                 lg_category last)
{
    const lg_json *word = lg_json_get(body, LG_STR("category"));
    for (lg_category c = first; word && c <= last; c++) {
        if (lg_str_eq(lg_json_str(word), lg_str_c(categories[c]))) {
            return c;
        }
    }
    if (word) {
        loader_error(l, word->offset, "`category` is one of %s",
                     first == LG_CATEGORY_ENTITY ? "entity, state and format"
                                                 : "format, empty, semantic and update");
    }
    return LG_CATEGORY_NONE;
}
