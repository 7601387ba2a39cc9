// lints.c: what looks right and is not: remarks about a sound pack.
//
// None of this is an error, since each has a meaning, but hardly the one its author had in mind: a word
// boundary that has become a backspace, a pattern that an id only has to contain, a rule that no call
// comes to, a read of which nobody knows what it shows.
#include "cel/tree.h"
#include "pack/loader.h"
#include "pack/yaml.h"

typedef struct search {
    loader *l;
    const lg_json *scalar;
    size_t from; // where in it the expression begins
} search;

static uint32_t place_of(const search *s, const lg_cel_node *node)
{
    size_t at = s->from + node->start;
    bool inside = at < lg_json_str(s->scalar).len; // else it stands in a definition
    return inside ? (uint32_t)lg_yaml_locate(s->l->pack->text, s->scalar, at) : s->scalar->offset;
}

static bool is_text(const lg_cel_node *node)
{
    return node->kind == LG_NODE_CONST && node->as.constant.kind == LG_CEL_STRING;
}

// --- Texts --------------------------------------------------------------------------------------

static void look_for_backspace(search *s, const lg_cel_node *node)
{
    if (is_text(node) && lg_str_find(lg_cel_str(node->as.constant), LG_STR("\b")) != SIZE_MAX) {
        loader_remark(s->l, place_of(s, node),
                      "here `\\b` is a backspace, not the edge of a word: make it a raw text, "
                      "r'...', and write `\\\\b` where YAML has double quotes around it");
    }
}

static bool is_id(lg_str name)
{
    return lg_str_eq(name, LG_STR("id")) || lg_str_ends(name, LG_STR("_id")) ||
           lg_str_ends(name, LG_STR("Id"));
}

// Does a text that matches it have no more than it says? `(?i)` and its like may stand before.
static bool is_anchored(lg_str pattern)
{
    size_t at = 0;
    if (lg_str_starts(pattern, LG_STR("(?"))) {
        size_t end = lg_str_find(pattern, LG_STR(")"));
        at = end == SIZE_MAX ? 0 : end + 1;
    }
    lg_str rest = lg_str_slice(pattern, at, pattern.len);
    bool escaped = lg_str_ends(rest, LG_STR("\\$"));
    bool begins = lg_str_starts(rest, LG_STR("^")) || lg_str_starts(rest, LG_STR("\\A"));
    bool ends = lg_str_ends(rest, LG_STR("$")) || lg_str_ends(rest, LG_STR("\\z"));
    return begins && ends && !escaped;
}

static void remark_pattern(loader *l, uint32_t offset, lg_str name)
{
    loader_remark(l, offset,
                  "the pattern has only to occur in `%.*s`: write ^ before it and $ behind it if "
                  "it is the whole id",
                  LG_FMT(name));
}

// `args.order_id.matches('W[0-9]+')`, or `matches(args.order_id, ...)`.
static void look_at_match(search *s, const lg_cel_node *node)
{
    if (node->kind != LG_NODE_CALL || !lg_str_eq(node->as.call.name, LG_STR("matches"))) {
        return;
    }
    bool method = node->as.call.target != NULL;
    if (node->as.call.count != (method ? 1 : 2)) {
        return;
    }
    const lg_cel_node *text = method ? node->as.call.target : node->as.call.args[0];
    const lg_cel_node *pattern = node->as.call.args[method ? 0 : 1];
    if (text->kind == LG_NODE_SELECT && is_id(text->as.select.name) && is_text(pattern) &&
        !is_anchored(lg_cel_str(pattern->as.constant))) {
        remark_pattern(s->l, place_of(s, pattern), text->as.select.name);
    }
}

// As deep as the tree, which is bounded.
static void look(search *s, const lg_cel_node *node)
{
    look_for_backspace(s, node);
    const lg_cel_node *child;
    for (size_t i = 0; (child = lg_cel_node_child(node, i)) != NULL; i++) {
        look(s, child);
    }
}

void loader_lint_expression(loader *l, const lg_json *scalar, size_t from,
                            const lg_cel_program *program)
{
    const lg_cel_node *tree = lg_cel_program_tree(program);
    search s = {l, scalar, from};
    if (tree) {
        look(&s, tree);
    }
}

// --- Rules that nothing comes to ----------------------------------------------------------------

static bool judges(const loader *l, const lg_rule *rule, lg_str tool)
{
    for (size_t i = 0; i < rule->tool_count; i++) {
        if (lg_str_eq(l->pack->tools[rule->tools[i]].name, tool)) {
            return true;
        }
    }
    return false;
}

static bool is_tool_name(const lg_cel_node *node)
{
    return node->kind == LG_NODE_IDENT && node->as.ident.resolved && !node->as.ident.local &&
           node->as.ident.slot == LG_SLOT_TOOL;
}

static void compare_tool(search *s, const lg_rule *rule, const lg_cel_node *name,
                         const lg_cel_node *literal)
{
    if (is_tool_name(name) && is_text(literal) &&
        !judges(s->l, rule, lg_cel_str(literal->as.constant))) {
        loader_remark(s->l, place_of(s, literal),
                      "rule `%.*s` never judges `%.*s`: it is none of its `tools`",
                      LG_FMT(rule->id), LG_FMT(lg_cel_str(literal->as.constant)));
    }
}

// As deep as the tree. Patterns are looked at in rules alone: an effect may well ask how an id begins.
static void look_at_rule(search *s, const lg_rule *rule, const lg_cel_node *node)
{
    look_at_match(s, node);
    if (node->kind == LG_NODE_BINARY && (node->op == LG_BIN_EQ || node->op == LG_BIN_NE)) {
        compare_tool(s, rule, node->as.of.a, node->as.of.b);
        compare_tool(s, rule, node->as.of.b, node->as.of.a);
    } else if (node->kind == LG_NODE_BINARY && node->op == LG_BIN_IN &&
               node->as.of.b->kind == LG_NODE_LIST) {
        const lg_cel_node *list = node->as.of.b;
        for (uint32_t i = 0; i < list->as.list.count; i++) {
            compare_tool(s, rule, node->as.of.a, list->as.list.items[i]);
        }
    }
    const lg_cel_node *child;
    for (size_t i = 0; (child = lg_cel_node_child(node, i)) != NULL; i++) {
        look_at_rule(s, rule, child);
    }
}

static void lint_part(loader *l, const lg_rule *rule, const lg_json *scalar,
                      const lg_cel_program *program)
{
    const lg_cel_node *tree = program ? lg_cel_program_tree(program) : NULL;
    search s = {l, scalar, 0};
    if (tree) {
        look_at_rule(&s, rule, tree);
    }
}

void loader_lint_rule(loader *l, const lg_rule *rule, const lg_json *body)
{
    const lg_json *when = lg_json_get(body, LG_STR("when"));
    const lg_cel_node *tree = rule->when ? lg_cel_program_tree(rule->when) : NULL;
    if (rule->tool_count == 0 && lg_json_is(lg_json_get(body, LG_STR("tools")), LG_JSON_STRING)) {
        loader_remark(l, rule->offset, "rule `%.*s` judges nothing: the pack declares no write",
                      LG_FMT(rule->id));
    }
    if (tree && tree->kind == LG_NODE_CONST && tree->as.constant.kind == LG_CEL_BOOL &&
        !tree->as.constant.as.boolean) {
        loader_remark(l, when->offset, "rule `%.*s` judges nothing: its `when` is never true",
                      LG_FMT(rule->id));
    }
    const lg_json *lets = lg_json_get(body, LG_STR("let"));
    for (size_t i = 0; i < rule->let_count; i++) {
        lint_part(l, rule, lg_json_get(lets, rule->lets[i].name), rule->lets[i].program);
    }
    lint_part(l, rule, when, rule->when);
    lint_part(l, rule, lg_json_get(body, LG_STR("that")), rule->that);
}

// --- Tools --------------------------------------------------------------------------------------

static void lint_arguments(loader *l, const lg_tool *tool)
{
    const lg_json *properties = lg_json_get(tool->parameters, LG_STR("properties"));
    bool object = lg_json_is(properties, LG_JSON_OBJECT);
    for (size_t i = 0; object && i < lg_json_len(properties); i++) {
        const lg_json_member *member = lg_json_member_at(properties, i);
        const lg_json *pattern = lg_json_get(&member->value, LG_STR("pattern"));
        if (lg_json_is(pattern, LG_JSON_STRING) && is_id(lg_json_key(member)) &&
            !is_anchored(lg_json_str(pattern))) {
            remark_pattern(l, pattern->offset, lg_json_key(member));
        }
    }
}

void loader_lint_tools(loader *l)
{
    for (size_t i = 0; i < l->pack->tool_count; i++) {
        const lg_tool *tool = &l->pack->tools[i];
        bool known = tool->gives || tool->has_answer;
        lint_arguments(l, tool);
        // Without a state the pack says of no tool what it does.
        if (l->pack->state.count && tool->kind == LG_TOOL_READ && tool->store_count && !known) {
            loader_remark(l, tool->offset,
                          "`%.*s` has no `gives` and no `answer`: every write makes stale what it "
                          "has stored",
                          LG_FMT(tool->name));
        }
    }
}
