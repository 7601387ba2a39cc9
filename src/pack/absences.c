// absences.c: where a rule abstains because a record may leave something out.
//
// A record that was never read is evidence that is still to come, and a rule without `needs` abstains
// until then. A field that the record's type does not require is another matter: the read has been made,
// and the rule abstains for good. That may be what its author wants, or a hole; so it is told, and a
// `has()` or a `needs` says what was meant. Of what the arguments may leave out nothing is told: a call without it is
// refused.
#include "cel/tree.h"
#include "pack/loader.h"
#include "pack/yaml.h"

// A field that is known to be there, or whose absence was told already.
typedef struct field {
    const lg_cel_node *of;
    lg_str name;
    const struct field *next;
} field;

// Names of `let` are followed wherever they stand, so that a small rule can stand for a large one.
#define STEPS_MAX 200000u

// A macro that binds names, around what is gone through.
typedef struct scope {
    const lg_cel_node *by;
    const struct scope *outer;
} scope;

typedef struct search {
    loader *l;
    const lg_rule *rule;
    const lg_json *scalar; // the expression that is gone through
    const field *told;
    const scope *scope;
    uint32_t steps; // that are left; without them nothing more is told
} search;

static bool pay(search *s)
{
    s->steps -= s->steps > 0;
    return s->steps > 0;
}

// --- Which fields are known to be there ---------------------------------------------------------

// What a name of `let` stands for.
static const lg_cel_node *meaning(const search *s, const lg_cel_node *node)
{
    while (node->kind == LG_NODE_IDENT && !node->as.ident.local && node->as.ident.resolved &&
           node->as.ident.slot >= LG_SLOT_COUNT &&
           node->as.ident.slot - LG_SLOT_COUNT < s->rule->let_count) {
        const lg_cel_program *let = s->rule->lets[node->as.ident.slot - LG_SLOT_COUNT].program;
        const lg_cel_node *tree = let ? lg_cel_program_tree(let) : NULL;
        if (!tree) {
            break;
        }
        node = tree; // of an earlier name: a `let` sees only those above it
    }
    return node;
}

// Do both stand for the same value? As deep as the trees.
static bool same(search *s, const lg_cel_node *a, const lg_cel_node *b)
{
    a = meaning(s, a);
    b = meaning(s, b);
    if (!pay(s) || a->kind != b->kind || a->op != b->op) {
        return false;
    }
    if (a->kind == LG_NODE_CONST) {
        return a->as.constant.kind == b->as.constant.kind &&
               lg_cel_equal(a->as.constant, b->as.constant);
    }
    if (a->kind == LG_NODE_IDENT) {
        return a->as.ident.local == b->as.ident.local &&
               (a->as.ident.local || a->as.ident.slot == b->as.ident.slot);
    }
    if (a->kind == LG_NODE_SELECT) {
        return lg_str_eq(a->as.select.name, b->as.select.name) &&
               same(s, a->as.select.operand, b->as.select.operand);
    }
    return a->kind == LG_NODE_BINARY && same(s, a->as.of.a, b->as.of.a) &&
           same(s, a->as.of.b, b->as.of.b);
}

static bool is_known(search *s, const field *known, const lg_cel_node *of, lg_str name)
{
    for (; known; known = known->next) {
        if (lg_str_eq(known->name, name) && same(s, known->of, of)) {
            return true;
        }
    }
    return false;
}

static const field *with(search *s, const field *known, const lg_cel_node *of, lg_str name)
{
    field *more = LG_NEW(s->l->arena, field);
    if (!more) {
        return known;
    }
    *more = (field){of, name, known};
    return more;
}

// The fields that are there if `node` is `truth`, before `known`. As deep as the tree.
static const field *facts_of(search *s, const lg_cel_node *node, bool truth, const field *known)
{
    if (!pay(s)) {
        return known;
    }
    node = meaning(s, node);
    if (node->kind == LG_NODE_NOT) {
        return facts_of(s, node->as.of.a, !truth, known);
    }
    if (node->kind == (truth ? LG_NODE_AND : LG_NODE_OR)) {
        for (uint32_t i = 0; i < node->as.list.count; i++) {
            known = facts_of(s, node->as.list.items[i], truth, known);
        }
        return known;
    }
    if (truth && node->kind == LG_NODE_HAS) {
        return with(s, known, node->as.select.operand, node->as.select.name);
    }
    bool key = node->kind == LG_NODE_BINARY && node->op == LG_BIN_IN &&
               node->as.of.a->kind == LG_NODE_CONST &&
               node->as.of.a->as.constant.kind == LG_CEL_STRING;
    return truth && key ? with(s, known, node->as.of.b, lg_cel_str(node->as.of.a->as.constant))
                        : known;
}

// --- What is read -------------------------------------------------------------------------------

// Where the values of a name come from that a macro binds, or NULL.
static const lg_cel_node *source_of(const search *s, const lg_cel_local *local)
{
    for (const scope *around = s->scope; around; around = around->outer) {
        const lg_cel_node *by = around->by;
        bool folds = by->kind == LG_NODE_FOLD;
        if (folds && (by->as.fold.first == local || by->as.fold.second == local)) {
            return by->as.fold.range;
        }
        if (!folds && by->as.bind.local == local) {
            return by->as.bind.value;
        }
    }
    return NULL;
}

// Does it lie in the arguments, or in a list that was made of them? As deep as the tree.
static bool is_of_args(search *s, const lg_cel_node *node)
{
    while (node && pay(s)) {
        node = meaning(s, node);
        if (node->kind == LG_NODE_IDENT && !node->as.ident.local) {
            return node->as.ident.slot == LG_SLOT_ARGS;
        }
        node = node->kind == LG_NODE_IDENT    ? source_of(s, node->as.ident.local)
               : node->kind == LG_NODE_SELECT ? node->as.select.operand
               : node->kind == LG_NODE_BINARY ? node->as.of.a
               : node->kind == LG_NODE_FOLD   ? node->as.fold.range
                                              : NULL;
    }
    return false;
}

static bool may_be_absent(const lg_cel_type *type, lg_str name)
{
    const lg_cel_field *found = type ? lg_cel_type_field(type, name) : NULL;
    return found && found->optional;
}

static bool was_told(const search *s, const lg_cel_type *type, lg_str name)
{
    for (const field *told = s->told; told; told = told->next) {
        if (told->of->type == type && lg_str_eq(told->name, name)) {
            return true;
        }
    }
    return false;
}

static void tell(search *s, const lg_cel_node *node)
{
    const lg_cel_node *of = node->as.select.operand;
    lg_str name = node->as.select.name;
    if (!s->steps || !may_be_absent(of->type, name) || is_of_args(s, of) ||
        was_told(s, of->type, name)) {
        return;
    }
    s->told = with(s, s->told, of, name);
    size_t at = lg_yaml_locate(s->l->pack->text, s->scalar, node->offset);
    lg_str type = of->type->name.len ? of->type->name : LG_STR("its record");
    loader_remark(s->l, (uint32_t)at,
                  "rule `%.*s` abstains where `%.*s` is absent, which %.*s does not require; say "
                  "has(), or `needs`",
                  LG_FMT(s->rule->id), LG_FMT(name), LG_FMT(type));
}

static void look(search *s, const lg_cel_node *node, const field *known);

// The other operands of `&&` count only where this one is true, of `||` where it is false; so what is
// absent in one of them decides nothing if another one asks for it, wherever that stands.
static void look_at_chain(search *s, const lg_cel_node *node, const field *known)
{
    known = facts_of(s, node, node->kind == LG_NODE_AND, known);
    for (uint32_t i = 0; i < node->as.list.count; i++) {
        look(s, node->as.list.items[i], known);
    }
}

// As deep as the tree, which is bounded.
static void look(search *s, const lg_cel_node *node, const field *known)
{
    if (node->kind == LG_NODE_AND || node->kind == LG_NODE_OR) {
        look_at_chain(s, node, known);
        return;
    }
    if (node->kind == LG_NODE_COND) {
        look(s, node->as.of.a, known);
        look(s, node->as.of.b, facts_of(s, node->as.of.a, true, known));
        look(s, node->as.of.c, facts_of(s, node->as.of.a, false, known));
        return;
    }
    scope inner = {node, s->scope};
    bool binds = node->kind == LG_NODE_FOLD || node->kind == LG_NODE_BIND;
    s->scope = binds ? &inner : s->scope;
    if (node->kind == LG_NODE_FOLD && node->as.fold.filter) {
        known = facts_of(s, node->as.fold.filter, true, known);
    }
    if (node->kind == LG_NODE_SELECT && !node->optional &&
        !is_known(s, known, node->as.select.operand, node->as.select.name)) {
        tell(s, node);
    }
    const lg_cel_node *child;
    for (size_t i = 0; (child = lg_cel_node_child(node, i)) != NULL; i++) {
        look(s, child, known);
    }
    s->scope = inner.outer;
}

static void look_at(search *s, const lg_json *scalar, const lg_cel_program *program,
                    const field *known)
{
    const lg_cel_node *tree = program ? lg_cel_program_tree(program) : NULL;
    s->scalar = scalar;
    if (tree && lg_json_is(scalar, LG_JSON_STRING)) {
        look(s, tree, known);
    }
}

void loader_remark_absences(loader *l, const lg_rule *rule, const lg_json *body)
{
    search s = {.l = l, .rule = rule, .steps = STEPS_MAX};
    if (rule->need_count) {
        return; // whatever is missing is a finding
    }
    const lg_json *lets = lg_json_get(body, LG_STR("let"));
    for (size_t i = 0; i < rule->let_count && rule->let_count == lg_json_len(lets); i++) {
        look_at(&s, &lg_json_member_at(lets, i)->value, rule->lets[i].program, NULL);
    }
    look_at(&s, lg_json_get(body, LG_STR("when")), rule->when, NULL);
    const lg_cel_node *when = rule->when ? lg_cel_program_tree(rule->when) : NULL;
    const field *known = when ? facts_of(&s, when, true, NULL) : NULL;
    look_at(&s, lg_json_get(body, LG_STR("that")), rule->that, known);
    if (!s.steps) {
        loader_remark(l, rule->offset, "rule `%.*s` is too long to say where it abstains",
                      LG_FMT(rule->id));
    }
}
