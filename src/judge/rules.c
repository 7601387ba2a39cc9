// rules.c: the rules that a prompt states, as a model reads them (AgentPex section 3.2.1).
#include "judge/judge_internal.h"

#include "base/hash.h"

// --- From replies to rules ------------------------------------------------------------------------------

typedef struct collecting {
    lg_arena *arena;
    lg_str prompt, tools; // sources
    lg_prompt_rule *items;
    size_t count, capacity;
    size_t unquoted, repeated;
    bool oom;
} collecting;

// The next byte of a word, from `*at` on, in lower case; 0 at the end. All beyond ASCII is of words.
static char next_of_word(lg_str text, size_t *at)
{
    while (*at < text.len) {
        char c = text.ptr[(*at)++];
        if (lg_is_letter(c) || lg_is_digit(c) || (c & 0x80) != 0) {
            return lg_lower(c);
        }
    }
    return 0;
}

// The same words in any case, whatever stands between them.
static bool says_the_same(lg_str a, lg_str b)
{
    size_t i = 0, j = 0;
    char left, right;
    do {
        left = next_of_word(a, &i);
        right = next_of_word(b, &j);
    } while (left == right && left != 0);
    return left == right;
}

static bool is_repeated(const collecting *c, const lg_prompt_rule *rule)
{
    for (size_t i = 0; i < c->count; i++) {
        const lg_prompt_rule *other = &c->items[i];
        bool same_edge = lg_str_eq(other->from, rule->from) && lg_str_eq(other->to, rule->to);
        if (other->family == rule->family && same_edge &&
            (rule->from.len > 0 || says_the_same(other->text, rule->text))) {
            return true;
        }
    }
    return false;
}

static void add_rule(collecting *c, lg_prompt_rule rule)
{
    rule.in_tools = !judge_find_quote(c->prompt, rule.quote, &rule.begin, &rule.end);
    if (rule.in_tools && !judge_find_quote(c->tools, rule.quote, &rule.begin, &rule.end)) {
        c->unquoted++;
        return;
    }
    if (is_repeated(c, &rule)) {
        c->repeated++;
        return;
    }
    lg_prompt_rule *items =
        lg_arena_grow(c->arena, c->items, c->count, &c->capacity, sizeof(*items));
    rule.text = lg_arena_str(c->arena, rule.text);
    rule.quote = lg_arena_str(c->arena, rule.quote);
    rule.from = lg_arena_str(c->arena, rule.from);
    rule.to = lg_arena_str(c->arena, rule.to);
    c->oom =
        c->oom || !items || !rule.text.ptr || !rule.quote.ptr || !rule.from.ptr || !rule.to.ptr;
    if (!c->oom) {
        c->items = items;
        items[c->count++] = rule;
    }
}

static void take_reply(collecting *c, lg_rule_family family, const lg_json *value)
{
    const lg_json *rules = lg_json_get(value, LG_STR("rules"));
    for (size_t i = 0; i < lg_json_len(rules); i++) {
        const lg_json *item = lg_json_item(rules, i);
        add_rule(c,
                 (lg_prompt_rule){.family = family,
                                  .must = lg_str_eq(lg_json_str(lg_json_get(item, LG_STR("level"))),
                                                    LG_STR("must")),
                                  .text = lg_json_str(lg_json_get(item, LG_STR("rule"))),
                                  .quote = lg_json_str(lg_json_get(item, LG_STR("quote"))),
                                  .from = lg_json_str(lg_json_get(item, LG_STR("from"))),
                                  .to = lg_json_str(lg_json_get(item, LG_STR("to")))});
    }
}

// --- Asking -----------------------------------------------------------------------------------------------

static lg_str tools_text(lg_arena *arena, const lg_json *tools)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    if (tools) {
        lg_json_print(&text, tools);
    }
    return lg_buf_keep(&text, arena);
}

static lg_status ask_rules(lg_judge *judge, lg_str prompt, const lg_json *tools,
                           lg_llm_reply *replies, lg_error *reterr)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_llm_add_section(&text, "instructions", prompt, SIZE_MAX);
    judge_add_tools(&text, tools);
    lg_str material = lg_buf_keep(&text, &judge->arena);
    judge_question questions[LG_FAMILY_COUNT];
    if (!material.ptr) {
        return lg_fail_oom(reterr);
    }
    for (lg_rule_family f = 0; f < LG_FAMILY_COUNT; f++) {
        questions[f] = (judge_question){
            .task = lg_str_c(judge_task_rules[f]),
            .material = material,
            .schema = f == LG_FAMILY_FORBIDDEN_EDGE ? judge_schema_edges : judge_schema_rules};
    }
    return judge_ask(judge->options.extractor, questions, LG_FAMILY_COUNT, &judge->arena, replies,
                     reterr);
}

static lg_status extract(lg_judge *judge, lg_str prompt, const lg_json *tools, judge_known *known,
                         lg_error *reterr)
{
    lg_llm_reply replies[LG_FAMILY_COUNT];
    collecting c = {
        .arena = &judge->lasting, .prompt = prompt, .tools = tools_text(&judge->arena, tools)};
    if (!c.tools.ptr) {
        return lg_fail_oom(reterr);
    }
    lg_status status = ask_rules(judge, prompt, tools, replies, reterr);
    if (status != LG_OK) {
        return status;
    }
    for (lg_rule_family f = 0; f < LG_FAMILY_COUNT; f++) {
        if (replies[f].end == LG_LLM_OK) {
            take_reply(&c, f, replies[f].value);
        } else {
            known->why = lg_arena_printf(&judge->lasting, "%.*s%s%s rules: %s", LG_FMT(known->why),
                                         known->why.len ? "; " : "", lg_rule_family_name(f),
                                         replies[f].error.msg);
            c.oom = c.oom || !known->why.ptr;
        }
    }
    known->rules = (lg_prompt_rules){c.items, c.count, c.unquoted, c.repeated};
    return c.oom ? lg_fail_oom(reterr) : LG_OK;
}

lg_status lg_prompt_id(lg_str prompt, const lg_json *tools, char ret[65], lg_error *reterr)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_buf_addf(&text, "%zu ", prompt.len);
    lg_buf_add(&text, prompt);
    if (tools) {
        lg_json_print(&text, tools);
    }
    lg_status status = lg_buf_status(&text);
    lg_sha256_hex(lg_buf_str(&text), ret);
    lg_buf_done(&text);
    return status == LG_OK ? LG_OK : lg_fail_oom(reterr);
}

lg_status lg_judge_rules(lg_judge *judge, lg_str prompt, const lg_json *tools,
                         const lg_prompt_rules **ret_rules, lg_str *ret_why, lg_error *reterr)
{
    char hash[65];
    lg_status status = lg_prompt_id(prompt, tools, hash, reterr);
    judge_known *known = judge->known;
    while (status == LG_OK && known && memcmp(known->hash, hash, 64) != 0) {
        known = known->next;
    }
    if (status == LG_OK && !known) {
        known = LG_NEW(&judge->lasting, judge_known);
        if (!known) {
            return lg_fail_oom(reterr);
        }
        memcpy(known->hash, hash, sizeof(hash));
        known->why = LG_STR("");
        status = extract(judge, prompt, tools, known, reterr);
        if (status == LG_OK) {
            known->next = judge->known;
            judge->known = known;
        }
    }
    if (status == LG_OK) {
        *ret_rules = &known->rules;
        *ret_why = known->why;
    }
    return status;
}

lg_status lg_prompt_rules_of(lg_arena *arena, const lg_prompt_rules *rules, lg_str prompt,
                             const lg_json *tools, lg_prompt_rules *ret, lg_error *reterr)
{
    char id[65];
    bool any = false; // else nothing is hashed
    for (size_t i = 0; i < rules->count; i++) {
        any = any || rules->items[i].prompt.len > 0;
    }
    if (!any) {
        *ret = *rules;
        return LG_OK;
    }
    lg_prompt_rule *items = LG_NEW_ARRAY(arena, lg_prompt_rule, rules->count);
    if (!items) {
        return lg_fail_oom(reterr);
    }
    lg_status status = lg_prompt_id(prompt, tools, id, reterr);
    *ret = (lg_prompt_rules){.items = items};
    for (size_t i = 0; i < rules->count; i++) {
        lg_str of = rules->items[i].prompt;
        if (of.len == 0 || lg_str_eq(of, lg_str_of(id, 64))) {
            items[ret->count++] = rules->items[i];
        }
    }
    return status;
}

// --- As JSON ------------------------------------------------------------------------------------------------

void lg_prompt_rules_write(lg_json_writer *w, const lg_prompt_rules *rules)
{
    lg_jw_begin_object(w);
    lg_jw_key(w, "rules");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < rules->count; i++) {
        const lg_prompt_rule *rule = &rules->items[i];
        lg_jw_begin_object(w);
        lg_jw_member_c(w, "family", lg_rule_family_name(rule->family));
        lg_jw_member_c(w, "level", rule->must ? "must" : "should");
        lg_jw_member_str(w, "rule", rule->text);
        lg_jw_member_str(w, "quote", rule->quote);
        lg_jw_member_c(w, "source", rule->in_tools ? "tools" : "prompt");
        lg_jw_member_uint(w, "begin", rule->begin);
        lg_jw_member_uint(w, "end", rule->end);
        if (rule->family == LG_FAMILY_FORBIDDEN_EDGE) {
            lg_jw_member_str(w, "from", rule->from);
            lg_jw_member_str(w, "to", rule->to);
        }
        if (rule->prompt.len > 0) {
            lg_jw_member_str(w, "prompt", rule->prompt);
        }
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
    lg_jw_member_uint(w, "unquoted", rules->unquoted);
    lg_jw_member_uint(w, "repeated", rules->repeated);
    lg_jw_end_object(w);
}

static bool read_rule(lg_arena *arena, const lg_json *item, lg_prompt_rule *ret)
{
    lg_str family = lg_json_str(lg_json_get(item, LG_STR("family")));
    lg_rule_family f = 0;
    while (f < LG_FAMILY_COUNT && !lg_str_eq(family, lg_str_c(lg_rule_family_name(f)))) {
        f++;
    }
    int64_t begin = 0, end = 0;
    (void)lg_json_int(lg_json_get(item, LG_STR("begin")), &begin);
    (void)lg_json_int(lg_json_get(item, LG_STR("end")), &end);
    *ret = (lg_prompt_rule){
        .family = f,
        .must = lg_str_eq(lg_json_str(lg_json_get(item, LG_STR("level"))), LG_STR("must")),
        .text = lg_arena_str(arena, lg_json_str(lg_json_get(item, LG_STR("rule")))),
        .quote = lg_arena_str(arena, lg_json_str(lg_json_get(item, LG_STR("quote")))),
        .in_tools = lg_str_eq(lg_json_str(lg_json_get(item, LG_STR("source"))), LG_STR("tools")),
        .begin = begin > 0 && begin < UINT32_MAX ? (uint32_t)begin : 0,
        .end = end > 0 && end < UINT32_MAX ? (uint32_t)end : 0,
        .from = lg_arena_str(arena, lg_json_str(lg_json_get(item, LG_STR("from")))),
        .to = lg_arena_str(arena, lg_json_str(lg_json_get(item, LG_STR("to")))),
        .prompt = lg_arena_str(arena, lg_json_str(lg_json_get(item, LG_STR("prompt"))))};
    return f < LG_FAMILY_COUNT && ret->text.len > 0 &&
           (f != LG_FAMILY_FORBIDDEN_EDGE || (ret->from.len > 0 && ret->to.len > 0));
}

lg_status lg_prompt_rules_read(lg_arena *arena, const lg_json *value, lg_prompt_rules *ret,
                               lg_error *reterr)
{
    const lg_json *rules = lg_json_get(value, LG_STR("rules"));
    if (!lg_json_is(rules, LG_JSON_ARRAY)) {
        return lg_fail(reterr, LG_ERR_TYPE,
                       "/rules: a list of rules is expected, as `ledgergate extract` writes it");
    }
    lg_prompt_rule *items = LG_NEW_ARRAY(arena, lg_prompt_rule, lg_json_len(rules) + 1);
    if (!items) {
        return lg_fail_oom(reterr);
    }
    for (size_t i = 0; i < lg_json_len(rules); i++) {
        if (!read_rule(arena, lg_json_item(rules, i), &items[i])) {
            return lg_fail(reterr, LG_ERR_TYPE,
                           "/rules/%zu: a rule has `family` (output, transition, forbidden_edge) "
                           "and `rule`, a "
                           "forbidden edge `from` and `to` as well",
                           i);
        }
        if (!items[i].text.ptr || !items[i].quote.ptr || !items[i].from.ptr || !items[i].to.ptr ||
            !items[i].prompt.ptr) {
            return lg_fail_oom(reterr);
        }
    }
    *ret = (lg_prompt_rules){.items = items, .count = lg_json_len(rules)};
    return LG_OK;
}
