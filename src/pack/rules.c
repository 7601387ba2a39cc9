// rules.c: rules: which tools they judge, what must hold, and what it needs.
#include "pack/follow.h"
#include "pack/loader.h"

// --- Which tools --------------------------------------------------------------------------------

static void add_tool(loader *l, lg_rule *rule, uint32_t *tools, lg_str name, uint32_t offset)
{
    const lg_tool *tool = lg_pack_tool(l->pack, name);
    for (size_t i = 0; tool && i < rule->tool_count; i++) {
        if (tools[i] == (uint32_t)(tool - l->pack->tools)) {
            loader_error(l, offset, "`%.*s` is named twice", LG_FMT(name));
            return;
        }
    }
    if (!tool) {
        const lg_tool *close = lg_pack_closest_tool(l->pack, name);
        if (close) {
            loader_error(l, offset, "no tool is called `%.*s`; did you mean `%.*s`?", LG_FMT(name),
                         LG_FMT(close->name));
        } else {
            loader_error(l, offset, "no tool is called `%.*s`", LG_FMT(name));
        }
        return;
    }
    if (tool->kind != LG_TOOL_WRITE) {
        loader_error(l, offset, "`%.*s` is a %s tool; rules judge only tools of kind write",
                     LG_FMT(name), lg_tool_kind_name(tool->kind));
        return;
    }
    if (tool->by_user) {
        loader_error(l, offset, "`%.*s` is a tool of the customer's own; these are not gated",
                     LG_FMT(name));
        return;
    }
    tools[rule->tool_count++] = (uint32_t)(tool - l->pack->tools);
}

static void read_tools(loader *l, const lg_json *json, const lg_json *body, lg_rule *rule)
{
    uint32_t *tools = LG_NEW_ARRAY(l->arena, uint32_t, l->pack->tool_count + lg_json_len(json));
    if (!tools) {
        return;
    }
    rule->tools = tools;
    if (lg_json_is(json, LG_JSON_STRING) && lg_str_eq(lg_json_str(json), LG_STR("writes"))) {
        for (size_t i = 0; i < l->pack->tool_count; i++) {
            if (l->pack->tools[i].kind == LG_TOOL_WRITE && !l->pack->tools[i].by_user) {
                tools[rule->tool_count++] = (uint32_t)i;
            }
        }
        return;
    }
    if (!lg_json_is(json, LG_JSON_ARRAY) || lg_json_len(json) == 0) {
        loader_error(l, json ? json->offset : body->offset,
                     "rule `%.*s` needs `tools`: a list of write tools, or `writes` for all",
                     LG_FMT(rule->id));
        return;
    }
    for (size_t i = 0; i < lg_json_len(json); i++) {
        const lg_json *name = lg_json_item(json, i);
        if (lg_json_is(name, LG_JSON_STRING)) {
            add_tool(l, rule, tools, lg_json_str(name), name->offset);
        } else {
            loader_error(l, name->offset, "a tool is named by a text");
        }
    }
}

// Is the field one of these arguments, too? Where the types differ, it becomes dyn.
static bool shares_field(const lg_cel_type *args, lg_cel_field *field)
{
    const lg_cel_type *dyn = lg_cel_type_of_kind(LG_CEL_DYN);
    const lg_cel_field *other =
        args->kind == LG_CEL_OBJECT ? lg_cel_type_field(args, field->name) : NULL;
    if (!other) {
        field->type = dyn; // what has no form may have any field
        return args->kind != LG_CEL_OBJECT;
    }
    bool same =
        loader_assignable(other->type, field->type) && loader_assignable(field->type, other->type);
    field->optional = field->optional || other->optional;
    if (!same) {
        field->type = dyn;
    } else if (!loader_same_values(other->type, field->type)) {
        field->type = loader_without_values(field->type);
    }
    return true;
}

// The arguments that every tool of the rule has.
static const lg_cel_type *common_args(loader *l, const lg_rule *rule)
{
    const lg_cel_type *dyn = lg_cel_type_of_kind(LG_CEL_DYN);
    lg_cel_type *type = LG_NEW(l->arena, lg_cel_type);
    const lg_cel_type *first = rule->tool_count ? l->pack->tools[rule->tools[0]].args_type : dyn;
    lg_cel_field *fields = LG_NEW_ARRAY(l->arena, lg_cel_field, first->field_count);
    if (!type || !fields || first->kind != LG_CEL_OBJECT) {
        return dyn;
    }
    size_t count = 0;
    for (size_t f = 0; f < first->field_count; f++) {
        lg_cel_field field = first->fields[f];
        bool everywhere = true;
        for (size_t t = 1; t < rule->tool_count && everywhere; t++) {
            everywhere = shares_field(l->pack->tools[rule->tools[t]].args_type, &field);
        }
        if (everywhere) {
            fields[count++] = field;
        }
    }
    *type = (lg_cel_type){.kind = LG_CEL_OBJECT,
                          .name = rule->tool_count > 1
                                      ? LG_STR("the arguments that all its tools share")
                                      : LG_STR("the arguments"),
                          .fields = fields,
                          .field_count = count};
    return type;
}

static lg_cel_env *rule_env(loader *l, const lg_rule *rule, const lg_cel_type *args)
{
    lg_cel_env *env = lg_cel_env_new(l->arena, l->rule_base, &l->limits);
    if (!env || lg_cel_env_declare(env, LG_STR("args"), args) != LG_SLOT_ARGS ||
        lg_cel_env_declare(env, LG_STR("now"), lg_cel_type_of_kind(LG_CEL_TIMESTAMP)) !=
            LG_SLOT_NOW ||
        lg_cel_env_declare(env, LG_STR("tool"), lg_cel_type_of_kind(LG_CEL_STRING)) !=
            LG_SLOT_TOOL) {
        loader_error(l, rule->offset, "out of memory");
        return NULL;
    }
    return env;
}

// --- One rule -----------------------------------------------------------------------------------

const lg_binding *loader_read_lets(loader *l, const lg_json *lets, const char *what,
                                   lg_cel_env *env, size_t *ret_count)
{
    *ret_count = 0;
    if (!lets) {
        return NULL;
    }
    lg_binding *bindings = LG_NEW_ARRAY(l->arena, lg_binding, lg_json_len(lets));
    if (!lg_json_is(lets, LG_JSON_OBJECT) || !bindings) {
        loader_error(l, lets->offset, "`%s` must be a map from names to expressions", what);
        return NULL;
    }
    for (size_t i = 0; i < lg_json_len(lets); i++) {
        const lg_json_member *member = lg_json_member_at(lets, i);
        const lg_cel_type *type = lg_cel_type_of_kind(LG_CEL_DYN);
        lg_binding *binding = &bindings[*ret_count];
        binding->name = lg_json_key(member);
        if (!lg_json_is(&member->value, LG_JSON_STRING)) {
            loader_error(l, member->key_offset, "`%.*s` must be an expression",
                         LG_FMT(binding->name));
        } else {
            binding->program =
                loader_compile(l, env, &member->value, 0, lg_json_str(&member->value).len);
        }
        if (binding->program) {
            type = lg_cel_program_type(binding->program);
        }
        uint32_t at = lg_cel_env_declare(env, binding->name, type);
        if (at == UINT32_MAX) {
            loader_error(l, member->key_offset,
                         "`%.*s` cannot be bound: it is taken, reserved, or no name",
                         LG_FMT(binding->name));
            continue;
        }
        ++*ret_count;
    }
    return bindings;
}

static void read_needs(loader *l, const lg_json *needs, const lg_cel_env *env, lg_rule *rule)
{
    if (!needs) {
        return;
    }
    lg_binding *paths = LG_NEW_ARRAY(l->arena, lg_binding, lg_json_len(needs));
    if (!lg_json_is(needs, LG_JSON_ARRAY) || lg_json_len(needs) == 0 || !paths) {
        loader_error(l, needs->offset,
                     "`needs` must be a list of paths; leave it out if the rule "
                     "may abstain");
        return;
    }
    rule->needs = paths;
    for (size_t i = 0; i < lg_json_len(needs); i++) {
        const lg_json *path = lg_json_item(needs, i);
        lg_str text = lg_json_str(path);
        if (!lg_str_starts(text, LG_STR("ledger.")) && !lg_str_starts(text, LG_STR("args."))) {
            loader_error(l, path->offset, "a need is a path that begins with `ledger.` or `args.`");
            continue;
        }
        const lg_cel_program *program = loader_compile(l, env, path, 0, text.len);
        if (program) {
            paths[rule->need_count++] = (lg_binding){text, program};
        }
    }
}

static lg_verdict read_otherwise(loader *l, const lg_json *body)
{
    const lg_json *value = lg_json_get(body, LG_STR("otherwise"));
    lg_str word = lg_json_str(value);
    if (value && !lg_str_eq(word, LG_STR("revise")) && !lg_str_eq(word, LG_STR("block"))) {
        loader_error(l, value->offset, "`otherwise` is revise or block");
    }
    return lg_str_eq(word, LG_STR("block")) ? LG_BLOCK : LG_REVISE;
}

static bool read_alone(loader *l, const lg_json *body)
{
    const lg_json *value = lg_json_get(body, LG_STR("alone"));
    if (value && !lg_json_is(value, LG_JSON_BOOL)) {
        loader_error(l, value->offset, "`alone` is true or false");
    }
    return lg_json_is_true(value);
}

static bool reads_ledger(const lg_cel_program *program)
{
    const lg_cel_node *tree = program ? lg_cel_program_tree(program) : NULL;
    return program && (!tree || names_slot(tree, LG_SLOT_LEDGER));
}

// Does the rule look at what was read, or name it in what it says?
static bool asks_ledger(const lg_rule *rule)
{
    bool asks = reads_ledger(rule->when) || reads_ledger(rule->that);
    for (size_t i = 0; i < rule->let_count && !asks; i++) {
        asks = reads_ledger(rule->lets[i].program);
    }
    for (size_t i = 0; i < rule->need_count && !asks; i++) {
        asks = reads_ledger(rule->needs[i].program);
    }
    for (size_t i = 0; i < rule->say.show_count && !asks; i++) {
        asks = reads_ledger(rule->say.shows[i].program);
    }
    for (size_t i = 0; i < rule->say.count; i++) {
        const lg_template *sentence = &rule->say.sentences[i];
        for (size_t p = 0; p < sentence->count && !asks; p++) {
            asks = reads_ledger(sentence->parts[p].program);
        }
    }
    return asks;
}

static void read_rule(loader *l, const lg_json_member *member, lg_rule *rule)
{
    static const char *const keys[] = {"tools",     "let",   "when",    "that",  "needs",
                                       "otherwise", "say",   "because", "stale", "category",
                                       "show",      "offer", "alone"};
    const lg_json *body = &member->value;
    *rule = (lg_rule){.id = lg_json_key(member), .offset = member->key_offset};
    if (!loader_check_keys(l, body, "a rule", keys, LG_COUNT(keys))) {
        return;
    }
    read_tools(l, lg_json_get(body, LG_STR("tools")), body, rule);
    const lg_cel_type *args = common_args(l, rule);
    lg_cel_env *env = rule_env(l, rule, args);
    if (!env) {
        return;
    }
    rule->otherwise = read_otherwise(l, body);
    rule->because = loader_string(l, body, "because", false);
    rule->alone = read_alone(l, body);
    rule->stale = loader_read_stale(l, body, l->pack->stale);
    rule->category = loader_read_category(l, body, LG_CATEGORY_ENTITY, LG_CATEGORY_FORMAT);
    read_needs(l, lg_json_get(body, LG_STR("needs")), env, rule);
    rule->lets =
        loader_read_lets(l, lg_json_get(body, LG_STR("let")), "let", env, &rule->let_count);
    const lg_json *when = lg_json_get(body, LG_STR("when"));
    if (when) {
        rule->when = loader_compile_as(l, env, when, LG_CEL_BOOL, "when");
    }
    const lg_json *that = lg_json_get(body, LG_STR("that"));
    if (that) {
        rule->that = loader_compile_as(l, env, that, LG_CEL_BOOL, "that");
    } else {
        loader_error(l, member->key_offset, "rule `%.*s` needs `that`: what must hold",
                     LG_FMT(rule->id));
    }
    loader_read_say(l, env, member, rule);
    const lg_json *offer = lg_json_get(body, LG_STR("offer"));
    loader_read_offers(l, offer, args, rule);
    rule->of_call = !asks_ledger(rule);
    if (offer && rule->alone) {
        loader_error(
            l, offer->offset,
            "`offer` beside `alone` is of no use: a rule that is told alone offers nothing");
    }
    loader_remark_absences(l, rule, body);
    loader_lint_rule(l, rule, body);
}

// For each tool the list of its rules, in the pack's order.
void loader_index_rules(loader *l, lg_tool *tools)
{
    for (size_t t = 0; t < l->pack->tool_count; t++) {
        uint32_t *indices = LG_NEW_ARRAY(l->arena, uint32_t, l->pack->rule_count);
        if (!indices) {
            loader_error(l, 0, "out of memory");
            return;
        }
        for (size_t r = 0; r < l->pack->rule_count; r++) {
            const lg_rule *rule = &l->pack->rules[r];
            for (size_t i = 0; i < rule->tool_count; i++) {
                if (rule->tools[i] == t) {
                    indices[tools[t].rule_count++] = (uint32_t)r;
                    break;
                }
            }
        }
        tools[t].rules = indices;
    }
}

void loader_read_rules(loader *l, const lg_json *rules)
{
    if (rules && !lg_json_is(rules, LG_JSON_OBJECT)) {
        loader_error(l, rules->offset, "`rules` must be a map from ids to rules");
        return;
    }
    lg_rule *items = LG_NEW_ARRAY(l->arena, lg_rule, lg_json_len(rules));
    if (!items) {
        loader_error(l, 0, "out of memory");
        return;
    }
    for (size_t i = 0; i < lg_json_len(rules); i++) {
        read_rule(l, lg_json_member_at(rules, i), &items[i]);
    }
    l->pack->rules = items;
    l->pack->rule_count = lg_json_len(rules);
}
