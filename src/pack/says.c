// says.c: what a rule tells of the call that violates it, `say`, `show` and `offer`, and where arguments of the
// read that it asks for are found.
//
// What is said must help without deciding anything: `show` is evaluated after the verdict, and a
// sentence whose values are not known is left out. What is offered is for the pack to say, since only
// its author knows which arguments identify something and which are the customer's choice.
#include "pack/loader.h"

#define ALTERNATIVES_DEPTH_MAX 8u // of schemas that may list values

// --- Texts with placeholders --------------------------------------------------------------------

static size_t next_brace(lg_str text, size_t at)
{
    while (at < text.len && text.ptr[at] != '{' && text.ptr[at] != '}') {
        at++;
    }
    return at;
}

// The expression in the braces that open at `open`, and what is behind them. SIZE_MAX after an error.
static size_t read_placeholder(loader *l, const lg_cel_env *env, const lg_json *scalar, size_t open,
                               lg_template_part *part)
{
    lg_str text = lg_json_str(scalar);
    size_t length = lg_str_find(lg_str_slice(text, open + 1, text.len), LG_STR("}"));
    if (text.ptr[open] == '}' || length == SIZE_MAX) {
        loader_error(l, scalar->offset,
                     text.ptr[open] == '}' ? "a `}` without its `{`; write `}}` for a brace"
                                           : "a `{` is not closed; write `{{` for a brace");
        return SIZE_MAX;
    }
    size_t close = open + 1 + length;
    part->source = lg_str_slice(text, open + 1, close);
    part->program = loader_compile(l, env, scalar, open + 1, close);
    return close + 1;
}

// Splits "Order {args.order_id} is {o.status}" at its placeholders. `{{` and `}}` stand for braces.
void loader_read_template(loader *l, const lg_cel_env *env, const lg_json *scalar,
                          lg_template *template)
{
    lg_str text = lg_json_str(scalar);
    lg_template_part *parts = NULL;
    size_t capacity = 0;
    size_t at = 0;
    do {
        size_t brace = next_brace(text, at);
        bool doubled = brace + 1 < text.len && text.ptr[brace + 1] == text.ptr[brace];
        lg_template_part part = {.literal = lg_str_slice(text, at, brace + doubled)};
        at = doubled            ? brace + 2
             : brace < text.len ? read_placeholder(l, env, scalar, brace, &part)
                                : brace;
        parts = lg_arena_grow(l->arena, parts, template->count, &capacity, sizeof(part));
        if (at == SIZE_MAX || !parts) {
            return;
        }
        parts[template->count++] = part;
        template->parts = parts;
    } while (at < text.len);
    loader_lint_text(l, scalar);
}

// --- say and show -------------------------------------------------------------------------------

// One text, or a list of them: the first is always said.
static void read_sentences(loader *l, const lg_cel_env *env, const lg_json *say, lg_say *ret)
{
    bool list = lg_json_is(say, LG_JSON_ARRAY);
    size_t count = list ? lg_json_len(say) : 1;
    if (count == 0 || count > LG_SENTENCES_MAX) {
        loader_error(l, say->offset, "`say` is a text, or a list of 1 to %u texts",
                     LG_SENTENCES_MAX);
        return;
    }
    lg_template *sentences = LG_NEW_ARRAY(l->arena, lg_template, count);
    for (size_t i = 0; sentences && i < count; i++) {
        const lg_json *text = list ? lg_json_item(say, i) : say;
        if (lg_json_is(text, LG_JSON_STRING)) {
            loader_read_template(l, env, text, &sentences[i]);
        } else {
            loader_error(l, text->offset, "a sentence of `say` is a text");
        }
    }
    ret->sentences = sentences;
    ret->count = sentences ? count : 0;
}

void loader_read_say(loader *l, lg_cel_env *env, const lg_json_member *member, lg_rule *rule)
{
    const lg_json *body = &member->value;
    const lg_json *show = lg_json_get(body, LG_STR("show"));
    const lg_json *say = lg_json_get(body, LG_STR("say"));
    if (lg_json_len(show) > LG_SHOWS_MAX) {
        loader_error(l, show->offset, "a rule has at most %u names under `show`", LG_SHOWS_MAX);
        return;
    }
    rule->say.shows = loader_read_lets(l, show, "show", env, &rule->say.show_count);
    size_t slots = rule->let_count + rule->say.show_count;
    l->pack->let_max = slots > l->pack->let_max ? (uint32_t)slots : l->pack->let_max;
    if (lg_json_is(say, LG_JSON_STRING) || lg_json_is(say, LG_JSON_ARRAY)) {
        read_sentences(l, env, say, &rule->say);
    } else {
        loader_error(l, say ? say->offset : member->key_offset,
                     "rule `%.*s` needs `say`: the text that a refused caller gets",
                     LG_FMT(rule->id));
    }
}

// --- offer --------------------------------------------------------------------------------------

static const lg_cel_type *type_of_field(const lg_cel_type *type, lg_str name, loader_names *names)
{
    const lg_cel_field *field = lg_cel_type_field(type, name);
    if (field) {
        return field->type;
    }
    if (type->kind == LG_CEL_MAP) {
        return type->element;
    }
    loader_offer_fields(names, type);
    return type->kind == LG_CEL_DYN ? type : NULL;
}

// `payment_id`, or `[]`, of what `type` describes. NULL after adding an error.
static const lg_cel_type *read_step(loader *l, const lg_json *scalar, lg_str word,
                                    const lg_cel_type *type, lg_offer *offer)
{
    bool item = word.len == 0;
    if (offer->count == LG_PATH_SEGMENTS_MAX) {
        loader_error(l, scalar->offset, "at most %u steps lead to what is offered",
                     LG_PATH_SEGMENTS_MAX);
        return NULL;
    }
    offer->steps[offer->count++] = item ? (lg_str){NULL, 0} : word;
    if (type->kind == LG_CEL_DYN) {
        return type;
    }
    if (item) {
        if (type->kind != LG_CEL_LIST) {
            loader_error(l, scalar->offset, "`[]` stands for any item of a list; here is none");
        }
        return type->kind == LG_CEL_LIST ? type->element : NULL;
    }
    loader_names names = {.wanted = word};
    const lg_cel_type *found = type_of_field(type, word, &names);
    if (!found) {
        loader_error(l, scalar->offset, "there is no `%.*s` there%s", LG_FMT(word),
                     loader_meant(l, &names));
    }
    return found;
}

// Does the schema list the values, be it one by one? Yes and no are two.
static bool lists_values(const loader *l, const lg_json *schema, uint32_t depth)
{
    schema = loader_schema_meant(l, schema);
    if (!lg_json_is(schema, LG_JSON_OBJECT) || depth > ALTERNATIVES_DEPTH_MAX) {
        return false;
    }
    const lg_json *any = lg_json_get(schema, LG_STR("anyOf"));
    any = any ? any : lg_json_get(schema, LG_STR("oneOf"));
    size_t listed = 0;
    while (listed < lg_json_len(any) && lists_values(l, lg_json_item(any, listed), depth + 1)) {
        listed++;
    }
    return lg_json_get(schema, LG_STR("enum")) || lg_json_get(schema, LG_STR("const")) ||
           lg_str_eq(lg_json_str(lg_json_get(schema, LG_STR("type"))), LG_STR("boolean")) ||
           (listed > 0 && listed == lg_json_len(any));
}

static bool is_choice(const loader *l, const lg_tool *tool, const lg_offer *offer)
{
    const lg_json *schema = tool->parameters;
    for (size_t i = 0; i < offer->count && schema; i++) {
        schema = loader_schema_meant(l, schema);
        schema = offer->steps[i].ptr
                     ? lg_json_get(lg_json_get(schema, LG_STR("properties")), offer->steps[i])
                     : lg_json_get(schema, LG_STR("items"));
    }
    return schema && lists_values(l, schema, 0);
}

static bool is_choice_of_any(const loader *l, const lg_rule *rule, const lg_offer *offer)
{
    bool choice = false;
    for (size_t i = 0; i < rule->tool_count && !choice; i++) {
        choice = is_choice(l, &l->pack->tools[rule->tools[i]], offer);
    }
    return choice;
}

// `args.payments[].payment_id`.
static bool read_offer(loader *l, const lg_json *scalar, const lg_cel_type *args,
                       const lg_rule *rule, lg_offer *offer)
{
    lg_str text = lg_json_str(scalar);
    if (!lg_json_is(scalar, LG_JSON_STRING) || !lg_str_starts(text, LG_STR("args.")) ||
        lg_str_ends(text, LG_STR("."))) {
        loader_error(l, scalar->offset,
                     "what is offered is a path like `args.payment_id` or `args.item_ids[]`");
        return false;
    }
    const lg_cel_type *type = args;
    size_t at = 5;
    while (type && at < text.len) {
        size_t end = at;
        while (end < text.len && text.ptr[end] != '.' && text.ptr[end] != '[') {
            end++;
        }
        lg_str word = lg_str_slice(text, at, end);
        bool item = word.len == 0 && lg_str_starts(lg_str_slice(text, at, text.len), LG_STR("[]"));
        if (!item && !loader_is_name(word)) {
            loader_error(l, scalar->offset, "names and `[]` lead to what is offered, not this");
            return false;
        }
        type = read_step(l, scalar, word, type, offer);
        at = item ? at + 2 : end;
        at += at < text.len && text.ptr[at] == '.';
    }
    bool choice = type && is_choice_of_any(l, rule, offer);
    if (choice) {
        loader_error(l, scalar->offset,
                     "the schema lists the values of this: which of them is wanted is the "
                     "customer's choice, and never offered");
    }
    return type && !choice;
}

void loader_read_offers(loader *l, const lg_json *offers, const lg_cel_type *args, lg_rule *rule)
{
    if (!offers) {
        return;
    }
    lg_offer *items = LG_NEW_ARRAY(l->arena, lg_offer, lg_json_len(offers));
    if (!lg_json_is(offers, LG_JSON_ARRAY) || lg_json_len(offers) == 0 || !items) {
        loader_error(l, offers->offset,
                     "`offer` is a list of arguments, such as `args.payment_id`");
        return;
    }
    for (size_t i = 0; i < lg_json_len(offers); i++) {
        rule->offer_count +=
            read_offer(l, lg_json_item(offers, i), args, rule, &items[rule->offer_count]);
    }
    rule->offers = items;
}

// --- Where arguments are found ------------------------------------------------------------------

void loader_read_found_in(loader *l, lg_tool *tool, const lg_json *found_in)
{
    if (!found_in) {
        return;
    }
    if (tool->kind != LG_TOOL_READ || !lg_json_is(found_in, LG_JSON_OBJECT)) {
        loader_error(l, found_in->offset,
                     "`found_in` says of a read where its arguments are in the ledger: a map from "
                     "their names to expressions");
        return;
    }
    lg_binding *found = LG_NEW_ARRAY(l->arena, lg_binding, lg_json_len(found_in));
    for (size_t i = 0; found && i < lg_json_len(found_in); i++) {
        const lg_json_member *member = lg_json_member_at(found_in, i);
        lg_str name = lg_json_key(member);
        loader_names names = {.wanted = name};
        if (!type_of_field(tool->args_type, name, &names)) {
            loader_error(l, member->key_offset, "`%.*s` is no argument of `%.*s`%s", LG_FMT(name),
                         LG_FMT(tool->name), loader_meant(l, &names));
        } else if (!lg_json_is(&member->value, LG_JSON_STRING)) {
            loader_error(l, member->value.offset, "where `%.*s` is found is an expression",
                         LG_FMT(name));
        } else {
            size_t end = lg_json_str(&member->value).len;
            found[tool->found_count++] =
                (lg_binding){name, loader_compile(l, l->rule_base, &member->value, 0, end)};
        }
    }
    tool->found_in = found;
}
