// lints.c: what looks right and is not: remarks about a sound pack.
//
// None of this is an error, since each has a meaning, but hardly the one its author had in mind: a word
// boundary that has become a backspace, a pattern that an id only has to contain, a rule that no call
// comes to, a read of which nobody knows what it shows.
#include "pack/loader.h"
#include "pack/yaml.h"

#define CONSTANT_STEPS 1000u // for a condition that reads nothing

#define BOUND_MAX 16u // names that are looked behind at once

typedef struct search {
    loader *l;
    const lg_json *scalar;
    size_t from;         // where in it the expression begins
    const lg_rule *rule; // whose expression it is, or NULL
    struct {
        const lg_cel_local *local;
        const lg_cel_node *value;
    } bound[BOUND_MAX]; // what definitions were given, from the outside in
    uint32_t bound_count;
} search;

static uint32_t place_of(const search *s, const lg_cel_node *node)
{
    return (uint32_t)lg_yaml_locate(s->l->pack->text, s->scalar, s->from + node->start);
}

static bool is_text(const lg_cel_node *node)
{
    return node->kind == LG_NODE_CONST && node->as.constant.kind == LG_CEL_STRING;
}

// --- Texts --------------------------------------------------------------------------------------

static bool has_backspace(lg_str text)
{
    return lg_str_find(text, LG_STR("\b")) != SIZE_MAX;
}

void loader_lint_text(loader *l, const lg_json *scalar)
{
    if (has_backspace(lg_json_str(scalar))) {
        loader_remark(
            l, scalar->offset,
            "here `\\b` is a backspace: write `\\\\b` where YAML has double quotes around it");
    }
}

static void look_for_backspace(search *s, const lg_cel_node *node)
{
    if (is_text(node) && has_backspace(lg_cel_str(node->as.constant))) {
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

// Where the first alternative of the pattern ends: at a `|` outside of all groups and classes, or its end.
static size_t end_of_alternative(lg_str pattern)
{
    size_t depth = 0;
    bool in_class = false;
    for (size_t i = 0; i < pattern.len; i++) {
        char c = pattern.ptr[i];
        if (c == '\\') {
            i++;
        } else if (in_class || c == '[') {
            in_class = c != ']';
        } else if (c == '|' && depth == 0) {
            return i;
        } else {
            depth += c == '(';
            depth -= c == ')' && depth > 0;
        }
    }
    return pattern.len;
}

// What a pattern says of the text around what it matches. Anchors bind tighter than `|`.
typedef enum anchors {
    ANCHORS_NONE,
    ANCHORS_SOME, // of its alternatives, or on one side
    ANCHORS_ALL,
} anchors;

// A `$` is none behind a backslash, unless that is the second of two.
static bool ends_in_anchor(lg_str text, bool lines)
{
    size_t slashes = 0;
    while (slashes + 1 < text.len && text.ptr[text.len - 2 - slashes] == '\\') {
        slashes++;
    }
    return (!lines && lg_str_ends(text, LG_STR("$")) && slashes % 2 == 0) ||
           (lg_str_ends(text, LG_STR("\\z")) && slashes % 2 == 1);
}

static anchors anchors_of_alternatives(lg_str pattern, bool lines)
{
    bool all = true;
    bool any = false;
    size_t at = 0;
    do {
        lg_str rest = lg_str_slice(pattern, at, pattern.len);
        lg_str one = lg_str_slice(rest, 0, end_of_alternative(rest));
        bool begins =
            (!lines && lg_str_starts(one, LG_STR("^"))) || lg_str_starts(one, LG_STR("\\A"));
        bool ends = ends_in_anchor(one, lines);
        all = all && begins && ends;
        any = any || begins || ends;
        at += one.len + 1;
    } while (at <= pattern.len);
    return all ? ANCHORS_ALL : any ? ANCHORS_SOME : ANCHORS_NONE;
}

// What is in the parentheses, if they are around all of the pattern; else the pattern.
static lg_str inside_of_group(lg_str pattern)
{
    size_t from = lg_str_starts(pattern, LG_STR("(?:")) ? 3
                  : lg_str_starts(pattern, LG_STR("(")) ? 1
                                                        : 0;
    if (from == 0 || pattern.len == from || (from == 1 && pattern.ptr[1] == '?')) {
        return pattern;
    }
    lg_str rest = lg_str_slice(pattern, from, pattern.len);
    size_t depth = 1;
    size_t at = 0;
    for (bool in_class = false; at < rest.len && depth > 0; at++) {
        char c = rest.ptr[at];
        at += c == '\\';
        in_class = in_class ? c != ']' : c == '[';
        depth += !in_class && c == '(';
        depth -= !in_class && c == ')';
    }
    return depth == 0 && at == rest.len ? lg_str_slice(rest, 0, at - 1) : pattern;
}

// `lines`: of (?m), where ^ and $ stand for the ends of any line.
static anchors anchors_of(lg_str pattern, bool *lines)
{
    *lines = false;
    if (lg_str_starts(pattern, LG_STR("(?")) && pattern.len > 2 && pattern.ptr[2] != ':') {
        size_t end = lg_str_find(pattern, LG_STR(")")); // of `(?i)` and its like
        if (end != SIZE_MAX) {
            *lines = lg_str_find(lg_str_slice(pattern, 0, end), LG_STR("m")) != SIZE_MAX;
            pattern = lg_str_slice(pattern, end + 1, pattern.len);
        }
    }
    for (lg_str inside = inside_of_group(pattern); inside.len < pattern.len;
         inside = inside_of_group(pattern)) {
        pattern = inside;
    }
    return anchors_of_alternatives(pattern, *lines);
}

static void remark_pattern(loader *l, uint32_t offset, lg_str name, lg_str pattern)
{
    bool lines;
    anchors known = anchors_of(pattern, &lines);
    bool torn = known == ANCHORS_SOME && end_of_alternative(pattern) < pattern.len;
    if (torn) {
        loader_remark(l, offset,
                      "^ and $ belong to the alternatives of `|` beside them, so that this matches "
                      "more than `%.*s`: put all alternatives in parentheses, ^(...|...)$",
                      LG_FMT(name));
    } else if (known != ANCHORS_ALL) {
        loader_remark(
            l, offset,
            "the pattern has only to occur in `%.*s`: write ^ before it and $ behind it if "
            "it is the whole id%s",
            LG_FMT(name), lines ? ", without (?m)" : "");
    }
}

// What the name stands for, or NULL.
static const lg_cel_node *behind_name(const search *s, const lg_cel_node *name)
{
    if (name->kind != LG_NODE_IDENT || !name->as.ident.resolved) {
        return NULL;
    }
    for (uint32_t i = s->bound_count; name->as.ident.local && i-- > 0;) {
        if (s->bound[i].local == name->as.ident.local) {
            return s->bound[i].value;
        }
    }
    uint32_t let = name->as.ident.slot - LG_SLOT_COUNT;
    bool is_let = s->rule && !name->as.ident.local && name->as.ident.slot >= LG_SLOT_COUNT &&
                  let < s->rule->let_count && s->rule->lets[let].program;
    return is_let ? lg_cel_program_tree(s->rule->lets[let].program) : NULL;
}

// What stands in a `let`, or is given to a definition, instead of its name there. Each knows only those before it.
static const lg_cel_node *behind_names(const search *s, const lg_cel_node *node)
{
    const lg_cel_node *next = behind_name(s, node);
    while (next) {
        node = next;
        next = behind_name(s, node);
    }
    return node;
}

// `order_id` of `args.order_id` and `args['order_id']`.
static lg_str name_of_field(const lg_cel_node *node)
{
    if (node->kind == LG_NODE_SELECT) {
        return node->as.select.name;
    }
    bool constant =
        node->kind == LG_NODE_BINARY && node->op == LG_BIN_INDEX && is_text(node->as.of.b);
    return constant ? lg_cel_str(node->as.of.b->as.constant) : LG_STR("");
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
    const lg_cel_node *named = node->as.call.args[method ? 0 : 1];
    const lg_cel_node *pattern = behind_names(s, named);
    lg_str name = name_of_field(behind_names(s, text));
    if (is_id(name) && is_text(pattern)) {
        remark_pattern(s->l, place_of(s, named), name, lg_cel_str(pattern->as.constant));
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
    search s = {.l = l, .scalar = scalar, .from = from};
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

static void compare_tool(void *context, const lg_cel_node *name, const lg_cel_node *literal)
{
    const search *s = context;
    loader_names names = {.wanted = lg_cel_str(literal->as.constant)};
    if (!is_tool_name(name) || judges(s->l, s->rule, names.wanted)) {
        return;
    }
    for (size_t i = 0; i < s->l->pack->tool_count && !lg_pack_tool(s->l->pack, names.wanted); i++) {
        lg_str tool = s->l->pack->tools[i].name;
        loader_offer(&names, tool);
        if (names.best.len == 0 && lg_str_starts(tool, names.wanted)) {
            names.best = tool; // the beginning of a name is meant for it
            names.distance = UINT32_MAX;
        }
    }
    loader_remark(s->l, place_of(s, literal),
                  "rule `%.*s` never judges `%.*s`: it is none of its `tools`%s",
                  LG_FMT(s->rule->id), LG_FMT(names.wanted), loader_meant(s->l, &names));
}

// As deep as the tree. Patterns are looked at in rules alone: an effect may well ask how an id begins.
static void look_at_matches(search *s, const lg_cel_node *node)
{
    uint32_t outside = s->bound_count;
    if (node->kind == LG_NODE_BIND && s->bound_count < BOUND_MAX) {
        s->bound[s->bound_count].local = node->as.bind.local;
        s->bound[s->bound_count++].value = node->as.bind.value;
    }
    look_at_match(s, node);
    const lg_cel_node *child;
    for (size_t i = 0; (child = lg_cel_node_child(node, i)) != NULL; i++) {
        look_at_matches(s, child);
    }
    s->bound_count = outside;
}

static void lint_part(loader *l, const lg_rule *rule, const lg_json *scalar,
                      const lg_cel_program *program)
{
    const lg_cel_node *tree = program ? lg_cel_program_tree(program) : NULL;
    search s = {.l = l, .scalar = scalar, .rule = rule};
    if (tree) {
        look_at_matches(&s, tree);
        loader_each_comparison(tree, compare_tool, &s);
    }
}

static bool reads_nothing(const lg_cel_node *node)
{
    const lg_cel_node *child;
    bool nothing = node->kind != LG_NODE_IDENT;
    for (size_t i = 0; nothing && (child = lg_cel_node_child(node, i)) != NULL; i++) {
        nothing = reads_nothing(child);
    }
    return nothing;
}

// Does the condition read nothing, and so is this for every call?
static bool is_always(loader *l, const lg_cel_program *condition, bool what)
{
    const lg_cel_node *tree = condition ? lg_cel_program_tree(condition) : NULL;
    if (!tree || !reads_nothing(tree)) {
        return false;
    }
    lg_budget steps = {.left = CONSTANT_STEPS};
    lg_cel_value value =
        lg_cel_eval(condition, &(lg_cel_activation){.scratch = l->arena, .budget = &steps});
    return value.kind == LG_CEL_BOOL && value.as.boolean == what;
}

void loader_lint_rule(loader *l, const lg_rule *rule, const lg_json *body)
{
    const lg_json *when = lg_json_get(body, LG_STR("when"));
    if (rule->tool_count == 0 && lg_json_is(lg_json_get(body, LG_STR("tools")), LG_JSON_STRING)) {
        loader_remark(l, rule->offset,
                      "rule `%.*s` judges nothing: no tool of the agent is a write",
                      LG_FMT(rule->id));
    } else if (is_always(l, rule->when, false)) {
        loader_remark(l, when->offset, "rule `%.*s` judges nothing: its `when` is never true",
                      LG_FMT(rule->id));
    } else if (is_always(l, rule->that, true) && rule->need_count == 0) {
        loader_remark(l, lg_json_get(body, LG_STR("that"))->offset,
                      "rule `%.*s` refuses nothing: its `that` is always true", LG_FMT(rule->id));
    }
    const lg_json *lets = lg_json_get(body, LG_STR("let"));
    for (size_t i = 0; i < rule->let_count; i++) {
        lint_part(l, rule, lg_json_get(lets, rule->lets[i].name), rule->lets[i].program);
    }
    lint_part(l, rule, when, rule->when);
    lint_part(l, rule, lg_json_get(body, LG_STR("that")), rule->that);
}

// --- Tools --------------------------------------------------------------------------------------

// Keys of a schema under which there are values, not schemas.
static bool is_data(lg_str key)
{
    return lg_str_eq(key, LG_STR("enum")) || lg_str_eq(key, LG_STR("const")) ||
           lg_str_eq(key, LG_STR("default")) || lg_str_eq(key, LG_STR("examples"));
}

// Patterns of ids, wherever the schema of one stands: under its own name, or as a type that is called so. As deep
// as the schema, which is bounded.
static void lint_patterns(loader *l, lg_str name, const lg_json *schema)
{
    bool object = lg_json_is(schema, LG_JSON_OBJECT);
    const lg_json *pattern = object ? lg_json_get(schema, LG_STR("pattern")) : NULL;
    if (lg_json_is(pattern, LG_JSON_STRING)) {
        loader_lint_text(l, pattern);
        if (is_id(name)) {
            remark_pattern(l, pattern->offset, name, lg_json_str(pattern));
        }
    }
    for (size_t i = 0; i < lg_json_len(schema); i++) {
        const lg_json_member *member = object ? lg_json_member_at(schema, i) : NULL;
        if (!object) {
            lint_patterns(l, LG_STR(""), lg_json_item(schema, i));
        } else if (!is_data(lg_json_key(member))) {
            lint_patterns(l, lg_json_key(member), &member->value);
        }
    }
}

// What is required and has no name among the properties: a slip of the finger that refuses every value. As deep
// as the schema, which is bounded.
static void lint_required(loader *l, const lg_json *schema)
{
    const lg_json *properties = lg_json_get(schema, LG_STR("properties"));
    const lg_json *required = lg_json_get(schema, LG_STR("required"));
    const lg_json *more = lg_json_get(schema, LG_STR("additionalProperties"));
    bool closed = !more || (lg_json_is(more, LG_JSON_BOOL) && !lg_json_is_true(more));
    bool looks = closed && lg_json_is(properties, LG_JSON_OBJECT) &&
                 lg_json_is(required, LG_JSON_ARRAY) &&
                 !lg_json_get(schema, LG_STR("patternProperties"));
    for (size_t i = 0; looks && i < lg_json_len(required); i++) {
        const lg_json *name = lg_json_item(required, i);
        loader_names names = {.wanted = lg_json_str(name)};
        if (!lg_json_is(name, LG_JSON_STRING) || lg_json_get(properties, names.wanted)) {
            continue;
        }
        for (size_t p = 0; p < lg_json_len(properties); p++) {
            loader_offer(&names, lg_json_key(lg_json_member_at(properties, p)));
        }
        loader_remark(l, name->offset, "`%.*s` is required, but is none of the `properties`%s",
                      LG_FMT(names.wanted), loader_meant(l, &names));
    }
    bool object = lg_json_is(schema, LG_JSON_OBJECT);
    for (size_t i = 0; i < lg_json_len(schema); i++) {
        if (!object) {
            lint_required(l, lg_json_item(schema, i));
        } else if (!is_data(lg_json_key(lg_json_member_at(schema, i)))) {
            lint_required(l, &lg_json_member_at(schema, i)->value);
        }
    }
}

// `returns: {type: string}`, and nothing more.
static void lint_result(loader *l, const lg_tool *tool)
{
    const lg_json *tools = lg_json_get(l->pack->document, LG_STR("tools"));
    const lg_json *returns = lg_json_get(lg_json_get(tools, tool->name), LG_STR("returns"));
    const lg_json *type = lg_json_get(returns, LG_STR("type"));
    lint_patterns(l, LG_STR(""), returns);
    lint_required(l, returns);
    if (lg_json_len(returns) == 1 && lg_str_eq(lg_json_str(type), LG_STR("string"))) {
        loader_remark(
            l, returns->offset,
            "the result of `%.*s` is a JSON text, so it has quotes around it; if the tool "
            "answers without them, it is `returns: text`",
            LG_FMT(tool->name));
    }
}

void loader_lint_tools(loader *l)
{
    lint_patterns(l, LG_STR(""), l->types);
    lint_patterns(l, LG_STR(""), lg_json_get(l->pack->document, LG_STR("ledger")));
    lint_required(l, l->types);
    lint_required(l, lg_json_get(l->pack->document, LG_STR("ledger")));
    lint_required(l, lg_json_get(l->pack->document, LG_STR("state")));
    for (size_t i = 0; i < l->pack->tool_count; i++) {
        const lg_tool *tool = &l->pack->tools[i];
        bool known = tool->gives || tool->has_answer;
        lint_patterns(l, LG_STR(""), tool->parameters);
        lint_result(l, tool);
        // Without a state the pack says of no tool what it does.
        if (l->pack->state.count && tool->kind == LG_TOOL_READ && tool->store_count && !known) {
            loader_remark(l, tool->offset,
                          "`%.*s` has no `gives` and no `answer`: every write makes stale what it "
                          "has stored",
                          LG_FMT(tool->name));
        }
    }
}
