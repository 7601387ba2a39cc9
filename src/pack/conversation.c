// conversation.c: `conversation`: patterns by name, signals, and rules about the course of events.
//
// Names are bound in the order of the file: a pattern sees those above it, a signal the signals
// above it, rules all of them. So no definition can go in circles, and one pass over the signals
// gives their values at an event.
#include "pack/course.h"

// --- What all rules share -----------------------------------------------------------------------

static lg_verdict read_otherwise(loader *l, const lg_json *body)
{
    const lg_json *value = lg_json_get(body, LG_STR("otherwise"));
    lg_str word = lg_json_str(value);
    if (!value || lg_str_eq(word, LG_STR("revise"))) {
        return LG_REVISE;
    }
    if (lg_str_eq(word, LG_STR("report"))) {
        return LG_ALLOW;
    }
    if (!lg_str_eq(word, LG_STR("block"))) {
        loader_error(l, value->offset, "`otherwise` is revise, block or report");
    }
    return LG_BLOCK;
}

static lg_cel_env *owed_env(course_loader *c)
{
    lg_cel_env *env = lg_cel_env_new(c->l->arena, c->l->definitions, &c->l->limits);
    const lg_cel_type *text = lg_cel_type_of_kind(LG_CEL_STRING);
    if (!env || lg_cel_env_declare(env, LG_STR("key"), text) != LG_OWED_SLOT_KEY ||
        lg_cel_env_declare(env, LG_STR("tool"), text) != LG_OWED_SLOT_TOOL ||
        lg_cel_env_declare(env, LG_STR("turn"), lg_cel_type_of_kind(LG_CEL_INT)) !=
            LG_OWED_SLOT_TURN) {
        loader_error(c->l, 0, "out of memory");
        return NULL;
    }
    return env;
}

// `otherwise`, `because` and `say`, whose names are those of the event that is judged.
static void read_common(course_loader *c, const lg_json *body, lg_course_rule *rule)
{
    const lg_json *say = lg_json_get(body, LG_STR("say"));
    rule->otherwise = read_otherwise(c->l, body);
    rule->because = loader_string(c->l, body, "because", false);
    if (!say) {
        return;
    }
    if (!lg_json_is(say, LG_JSON_STRING)) {
        loader_error(c->l, say->offset, "`say` must be a text; put it in quotes");
        return;
    }
    lg_cel_env *env = rule->kind == LG_COURSE_AFTER ? owed_env(c) : course_env(c, &rule->judged);
    if (env) {
        rule->has_say = true;
        loader_read_template(c->l, env, say, &rule->say);
    }
}

// --- Keys ---------------------------------------------------------------------------------------

static size_t keys_of(const lg_pattern *pattern)
{
    size_t count = 0;
    for (size_t i = 0; i < pattern->count; i++) {
        count += pattern->parts[i].key != NULL;
    }
    return count;
}

// A rule is kept by key if all its alternatives have one; some of them only is a mistake. What
// `unless` matches may go without: then it counts for every key.
static void check_keys(course_loader *c, lg_course_rule *rule)
{
    const lg_pattern *must_have[] = {&rule->opens,
                                     rule->kind == LG_COURSE_AFTER ? &rule->closes : &rule->judged};
    size_t parts = must_have[0]->count + must_have[1]->count;
    size_t keys = keys_of(must_have[0]) + keys_of(must_have[1]);
    size_t all = keys + (rule->kind == LG_COURSE_NEVER ? keys_of(&rule->closes) : 0);
    rule->keyed = all > 0;
    if (all == 0 || keys == parts) {
        return;
    }
    for (size_t p = 0; p < LG_COUNT(must_have); p++) {
        for (size_t i = 0; i < must_have[p]->count; i++) {
            const lg_pattern_part *part = &must_have[p]->parts[i];
            if (!part->key) {
                loader_error(c->l, part->offset,
                             "`%.*s` needs a `key` here: another pattern of rule `%.*s` has one",
                             LG_FMT(part->text), LG_FMT(rule->id));
            }
        }
    }
}

// --- The shapes ---------------------------------------------------------------------------------

static lg_pattern read_member(course_loader *c, const lg_json *body, const char *key, bool required)
{
    const lg_json *json = lg_json_get(body, lg_str_c(key));
    if (json) {
        return course_read_pattern(c, json, COURSE_KEY_ALLOWED);
    }
    if (required) {
        loader_error(c->l, body->offset, "`%s` is missing", key);
    }
    return (lg_pattern){0};
}

static void read_never(course_loader *c, const lg_json *shape, lg_course_rule *rule)
{
    static const char *const keys[] = {"from", "to", "unless"};
    if (loader_check_keys(c->l, shape, "`never`", keys, LG_COUNT(keys))) {
        rule->opens = read_member(c, shape, "from", true);
        rule->judged = read_member(c, shape, "to", true);
        rule->closes = read_member(c, shape, "unless", false);
    }
}

static void read_before(course_loader *c, const lg_json *shape, lg_course_rule *rule)
{
    static const char *const keys[] = {"first", "then"};
    if (loader_check_keys(c->l, shape, "`before`", keys, LG_COUNT(keys))) {
        rule->opens = read_member(c, shape, "first", true);
        rule->judged = read_member(c, shape, "then", true);
    }
}

static void read_after(course_loader *c, const lg_json *shape, const lg_json *body,
                       lg_course_rule *rule)
{
    const lg_json *must = lg_json_get(body, LG_STR("must"));
    rule->opens = course_read_pattern(c, shape, COURSE_KEY_ALLOWED);
    if (must) {
        rule->closes = course_read_pattern(c, must, COURSE_KEY_ALLOWED);
    } else {
        loader_error(c->l, shape->offset, "`after` needs `must`: what has to follow");
    }
}

static void read_that(course_loader *c, const lg_json *shape, const lg_json *body,
                      lg_course_rule *rule)
{
    static const lg_pattern_part any_call = {.on = LG_ON_CALL, .text = {"a call", 6}};
    const lg_json *at = lg_json_get(body, LG_STR("at"));
    rule->judged = at ? course_read_pattern(c, at, COURSE_KEY_NONE) : (lg_pattern){&any_call, 1};
    lg_cel_env *env = course_env(c, &rule->judged);
    if (env) {
        rule->that = loader_compile_as(c->l, env, shape, LG_CEL_BOOL, "that");
    }
}

// --- One rule -----------------------------------------------------------------------------------

static void refuse_stray(course_loader *c, const lg_json *body, const char *key, bool allowed)
{
    const lg_json *value = lg_json_get(body, lg_str_c(key));
    if (value && !allowed) {
        loader_error(c->l, value->offset, "`%s` has no meaning in a rule of this shape", key);
    }
}

static bool find_shape(course_loader *c, const lg_json *body, lg_course_rule *rule,
                       const lg_json **ret_shape)
{
    static const struct {
        const char *key;
        lg_course_kind kind;
    } shapes[] = {{"never", LG_COURSE_NEVER},
                  {"before", LG_COURSE_BEFORE},
                  {"after", LG_COURSE_AFTER},
                  {"that", LG_COURSE_THAT}};
    size_t found = 0;
    for (size_t i = 0; i < LG_COUNT(shapes); i++) {
        const lg_json *shape = lg_json_get(body, lg_str_c(shapes[i].key));
        if (shape) {
            *ret_shape = shape;
            rule->kind = shapes[i].kind;
            found++;
        }
    }
    if (found != 1) {
        loader_error(c->l, rule->offset,
                     "rule `%.*s` needs one of `never`, `before`, `after` and `that`",
                     LG_FMT(rule->id));
    }
    return found == 1;
}

static void read_shape(course_loader *c, const lg_json *shape, const lg_json *body,
                       lg_course_rule *rule)
{
    refuse_stray(c, body, "must", rule->kind == LG_COURSE_AFTER);
    refuse_stray(c, body, "at", rule->kind == LG_COURSE_THAT);
    refuse_stray(c, body, "within", rule->kind != LG_COURSE_THAT);
    switch (rule->kind) {
    case LG_COURSE_NEVER:
        read_never(c, shape, rule);
        break;
    case LG_COURSE_BEFORE:
        read_before(c, shape, rule);
        break;
    case LG_COURSE_AFTER:
        read_after(c, shape, body, rule);
        break;
    case LG_COURSE_THAT:
        read_that(c, shape, body, rule);
        break;
    case LG_COURSE_SINGLE_CALL:
    case LG_COURSE_NO_TEXT:
        break; // have no shape
    }
}

static void read_rule(course_loader *c, const lg_json_member *member)
{
    static const char *const keys[] = {"never", "before", "after", "must",    "that",
                                       "at",    "within", "say",   "because", "otherwise"};
    const lg_json *body = &member->value;
    const lg_json *shape = NULL;
    lg_course_rule rule = {.id = lg_json_key(member), .offset = member->key_offset};
    if (!loader_check_keys(c->l, body, "a rule", keys, LG_COUNT(keys)) ||
        !find_shape(c, body, &rule, &shape)) {
        return;
    }
    for (size_t i = 0; i < c->l->pack->rule_count; i++) {
        if (lg_str_eq(c->l->pack->rules[i].id, rule.id)) {
            loader_error(c->l, rule.offset, "another rule is called `%.*s` already",
                         LG_FMT(rule.id));
        }
    }
    read_shape(c, shape, body, &rule);
    rule.within = course_read_window(c, lg_json_get(body, LG_STR("within")));
    check_keys(c, &rule);
    read_common(c, body, &rule);
    c->rules[c->course->rule_count++] = rule;
}

// `single_call_per_turn: true`, or what it says and does.
static void read_message_rule(course_loader *c, const lg_json *conversation, const char *key,
                              lg_course_kind kind)
{
    static const char *const keys[] = {"otherwise", "because", "say"};
    static const lg_pattern_part any_call = {.on = LG_ON_CALL, .text = {"a call", 6}};
    const lg_json *json = lg_json_get(conversation, lg_str_c(key));
    lg_course_rule rule = {.id = lg_str_c(key),
                           .kind = kind,
                           .judged = {&any_call, 1},
                           .otherwise = LG_REVISE,
                           .offset = json ? json->offset : 0};
    if (!json || (lg_json_is(json, LG_JSON_BOOL) && !json->as.boolean)) {
        return;
    }
    if (lg_json_is(json, LG_JSON_OBJECT)) {
        if (!loader_check_keys(c->l, json, "the rule", keys, LG_COUNT(keys))) {
            return;
        }
        read_common(c, json, &rule);
    } else if (!lg_json_is(json, LG_JSON_BOOL)) {
        loader_error(c->l, json->offset, "`%s` is true, false, or a map", key);
    }
    c->rules[c->course->rule_count++] = rule;
}

static void read_rules(course_loader *c, const lg_json *conversation)
{
    const lg_json *rules = lg_json_get(conversation, LG_STR("rules"));
    size_t count = lg_json_len(rules);
    if (rules && !lg_json_is(rules, LG_JSON_OBJECT)) {
        loader_error(c->l, rules->offset, "`rules` must be a map from ids to rules");
        count = 0;
    } else if (count > LG_COURSE_RULES_MAX) {
        loader_error(c->l, rules->offset, "more than %u conversation rules", LG_COURSE_RULES_MAX);
        count = 0;
    }
    c->rules = LG_NEW_ARRAY(c->l->arena, lg_course_rule, count + 2);
    c->course->rules = c->rules;
    if (!c->rules) {
        loader_error(c->l, 0, "out of memory");
        return;
    }
    read_message_rule(c, conversation, "single_call_per_turn", LG_COURSE_SINGLE_CALL);
    read_message_rule(c, conversation, "no_text_with_call", LG_COURSE_NO_TEXT);
    for (size_t i = 0; i < count; i++) {
        read_rule(c, lg_json_member_at(rules, i));
    }
}

// --- Signals ------------------------------------------------------------------------------------

static void read_since(course_loader *c, const lg_json *body, lg_signal *signal)
{
    static const lg_pattern_part any = {.on = LG_ON_ANYTHING, .text = {"any event", 9}};
    const lg_pattern every = {&any, 1};
    const lg_json *until = lg_json_get(body, LG_STR("until"));
    const lg_json *hold = lg_json_get(body, LG_STR("while"));
    if (until) {
        signal->until = course_read_pattern(c, until, COURSE_KEY_NONE);
    }
    lg_cel_env *env = hold ? course_env(c, &every) : NULL;
    if (env) {
        signal->hold = loader_compile_as(c->l, env, hold, LG_CEL_BOOL, "while");
    }
    if (!until && !hold) {
        loader_error(c->l, body->offset,
                     "`since` needs `until` or `while`; without them, it is `once`");
    }
}

static void read_signal(course_loader *c, const lg_json_member *member)
{
    static const char *const kinds[] = {"once", "since", "count"};
    static const char *const keys[] = {"once", "since", "count", "until", "while", "within"};
    const lg_json *body = &member->value;
    lg_signal signal = {.name = lg_json_key(member), .offset = member->key_offset};
    size_t found = 0;
    if (!loader_check_keys(c->l, body, "a signal", keys, LG_COUNT(keys))) {
        return;
    }
    for (size_t i = 0; i < LG_COUNT(kinds); i++) {
        const lg_json *of = lg_json_get(body, lg_str_c(kinds[i]));
        if (of) {
            signal.kind = (lg_signal_kind)(LG_SIGNAL_ONCE + i);
            signal.of = course_read_pattern(c, of, COURSE_KEY_NONE);
            found++;
        }
    }
    if (found != 1) {
        loader_error(c->l, signal.offset, "signal `%.*s` needs one of `once`, `since` and `count`",
                     LG_FMT(signal.name));
        return;
    }
    refuse_stray(c, body, "until", signal.kind == LG_SIGNAL_SINCE);
    refuse_stray(c, body, "while", signal.kind == LG_SIGNAL_SINCE);
    if (signal.kind == LG_SIGNAL_SINCE) {
        read_since(c, body, &signal);
    }
    signal.within = course_read_window(c, lg_json_get(body, LG_STR("within")));
    c->signals[c->course->signal_count] = signal;
    // The name must be free in every environment that will declare it.
    lg_cel_env *env = course_env(c, &(lg_pattern){0});
    if (env &&
        lg_cel_env_declare(env, signal.name, lg_cel_type_of_kind(LG_CEL_BOOL)) == UINT32_MAX) {
        loader_error(c->l, signal.offset,
                     "`%.*s` cannot be bound: it is taken, reserved, or no name",
                     LG_FMT(signal.name));
        return;
    }
    c->course->signal_count++;
}

static void read_signals(course_loader *c, const lg_json *signals)
{
    size_t count = lg_json_len(signals);
    if (signals && !lg_json_is(signals, LG_JSON_OBJECT)) {
        loader_error(c->l, signals->offset, "`signals` must be a map from names to signals");
        return;
    }
    if (count > LG_COURSE_SIGNALS_MAX) {
        loader_error(c->l, signals->offset, "more than %u signals", LG_COURSE_SIGNALS_MAX);
        return;
    }
    c->signals = LG_NEW_ARRAY(c->l->arena, lg_signal, count + 1);
    c->course->signals = c->signals;
    if (!c->signals) {
        loader_error(c->l, 0, "out of memory");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        read_signal(c, lg_json_member_at(signals, i));
    }
}

// --- Patterns by name ---------------------------------------------------------------------------

static void read_patterns(course_loader *c, const lg_json *patterns)
{
    if (!patterns) {
        return;
    }
    if (!lg_json_is(patterns, LG_JSON_OBJECT)) {
        loader_error(c->l, patterns->offset, "`patterns` must be a map from names to patterns");
        return;
    }
    c->named = LG_NEW_ARRAY(c->l->arena, struct named_pattern, lg_json_len(patterns));
    if (!c->named) {
        loader_error(c->l, 0, "out of memory");
        return;
    }
    for (size_t i = 0; i < lg_json_len(patterns); i++) {
        const lg_json_member *member = lg_json_member_at(patterns, i);
        lg_str name = lg_json_key(member);
        if (lg_pack_tool(c->l->pack, name) || lg_str_eq(name, LG_STR("writes")) ||
            lg_str_eq(name, LG_STR("reads")) || lg_str_eq(name, LG_STR("any"))) {
            loader_error(c->l, member->key_offset,
                         "a pattern may not be called `%.*s`: that names tools", LG_FMT(name));
            continue;
        }
        lg_pattern pattern = course_read_pattern(c, &member->value, COURSE_KEY_ALLOWED);
        c->named[c->named_count++] = (struct named_pattern){name, pattern};
    }
}

// --- The section --------------------------------------------------------------------------------

void loader_read_conversation(loader *l, const lg_json *conversation)
{
    static const char *const keys[] = {
        "single_call_per_turn", "no_text_with_call", "ends", "patterns", "signals", "rules"};
    if (!conversation ||
        !loader_check_keys(l, conversation, "`conversation`", keys, LG_COUNT(keys))) {
        return;
    }
    course_loader c = {.l = l, .course = LG_NEW(l->arena, lg_course)};
    if (!c.course) {
        loader_error(l, conversation->offset, "out of memory");
        return;
    }
    l->pack->course = c.course;
    read_patterns(&c, lg_json_get(conversation, LG_STR("patterns")));
    read_signals(&c, lg_json_get(conversation, LG_STR("signals")));
    const lg_json *ends = lg_json_get(conversation, LG_STR("ends"));
    if (ends) {
        c.course->has_ends = true;
        c.course->ends = course_read_pattern(&c, ends, COURSE_KEY_NONE);
    }
    read_rules(&c, conversation);
}
