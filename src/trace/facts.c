// facts.c: what makes a recording self-contained: prompt, tools, the user's task, the reward's parts, how it ended.
//
// Nothing is copied that can be borrowed, since whoever only replays asks for none of it. Live traffic has no facts.
#include "trace/trace_internal.h"

// --- Objects put together from what a file says --------------------------------------------------

void lg_facts_add(lg_facts *facts, const char *key, const lg_json *value)
{
    bool there = false;
    for (size_t i = 0; i < facts->count; i++) {
        there = there || lg_str_eq(lg_json_key(&facts->members[i]), lg_str_c(key));
    }
    if (!there && lg_given(value) && facts->count < LG_COUNT(facts->members)) {
        facts->members[facts->count++] = lg_json_make_member(lg_str_c(key), *value);
    }
}

void lg_facts_pick(lg_facts *facts, const lg_json *object, const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        lg_facts_add(facts, keys[i], lg_get(object, keys[i]));
    }
}

void lg_facts_score(lg_facts *facts, const char *key, const lg_json *value)
{
    double score = -1.0;
    if (lg_json_is(value, LG_JSON_BOOL)) {
        score = value->as.boolean ? 1.0 : 0.0;
    } else if (!lg_json_is_number(value) || !lg_json_double(value, &score)) {
        return;
    }
    if (score >= 0.0 && score <= 1.0) {
        lg_json number = lg_json_make_double(score);
        lg_facts_add(facts, key, &number);
    }
}

void lg_facts_share(lg_facts *facts, const char *key, const lg_json *list, const char *flag,
                    const lg_json *otherwise)
{
    size_t count = lg_list_len(list);
    size_t met = 0;
    for (size_t i = 0; i < count; i++) {
        met += lg_json_is_true(lg_get(lg_json_item(list, i), flag));
    }
    if (count == 0) {
        lg_facts_score(facts, key, otherwise);
        return;
    }
    lg_json share = lg_json_make_double((double)met / (double)count);
    lg_facts_add(facts, key, &share);
}

const lg_json *lg_facts_make(lg_importer *imp, const lg_facts *facts)
{
    if (facts->count == 0) {
        return NULL;
    }
    lg_json *object = LG_NEW(imp->arena, lg_json);
    lg_json_member *members = lg_json_alloc_members(imp->arena, facts->count);
    if (!object || !members) {
        lg_importer_fail_oom(imp);
        return NULL;
    }
    memcpy(members, facts->members, facts->count * sizeof(*members));
    *object = lg_json_make_object(members, facts->count);
    return object;
}

// --- Texts ---------------------------------------------------------------------------------------

// "Reason for call: ...", a line a member that is a text; the keys as people would write them.
static void add_labelled(lg_buf *out, const lg_json *object)
{
    for (size_t i = 0; i < lg_json_len(object); i++) {
        const lg_json_member *member = lg_json_member_at(object, i);
        lg_str text = lg_str_trim(lg_json_str(&member->value));
        lg_str key = lg_json_key(member);
        if (text.len == 0) {
            continue;
        }
        lg_buf_add_c(out, out->len ? "\n" : "");
        for (size_t k = 0; k < key.len; k++) {
            char byte = key.ptr[k] == '_' ? ' ' : key.ptr[k];
            lg_buf_add_byte(out, k == 0 && byte >= 'a' && byte <= 'z' ? (char)(byte - 32) : byte);
        }
        lg_buf_add_c(out, ": ");
        lg_buf_add(out, text);
    }
}

static lg_str copy_of(lg_importer *imp, const lg_buf *text)
{
    if (lg_buf_status(text) != LG_OK) {
        lg_importer_fail_oom(imp);
        return LG_STR("");
    }
    return lg_importer_copy(imp, lg_buf_str(text));
}

lg_str lg_importer_scenario(lg_importer *imp, const lg_json *scenario)
{
    lg_buf *out = &imp->scratch;
    const lg_json *instructions = lg_get(scenario, "instructions");
    if (lg_json_is(scenario, LG_JSON_STRING)) {
        return lg_json_str(scenario);
    }
    if (lg_json_is(instructions, LG_JSON_STRING) && !lg_given(lg_get(scenario, "persona"))) {
        return lg_json_str(instructions);
    }
    lg_buf_clear(out);
    add_labelled(out, scenario);
    if (lg_json_is(instructions, LG_JSON_OBJECT)) {
        add_labelled(out, instructions);
    }
    return copy_of(imp, out);
}

static bool is_of_system(const lg_trace_event *event)
{
    return event->kind == LG_EVENT_MESSAGE && event->role == LG_ROLE_SYSTEM;
}

lg_str lg_importer_prompt(lg_importer *imp)
{
    size_t count = 0;
    while (count < imp->event_count && is_of_system(&imp->events[count])) {
        count++;
    }
    if (count <= 1) {
        return count ? imp->events[0].text : LG_STR("");
    }
    lg_buf_clear(&imp->scratch);
    for (size_t i = 0; i < count; i++) {
        lg_buf_add_c(&imp->scratch, i ? "\n\n" : "");
        lg_buf_add(&imp->scratch, imp->events[i].text);
    }
    return copy_of(imp, &imp->scratch);
}

// --- Tools ---------------------------------------------------------------------------------------

const lg_json *lg_importer_tools(const lg_json *request)
{
    const lg_json *tools = lg_get(request, "tools");
    tools = lg_list_len(tools) ? tools : lg_get(request, "functions"); // before OpenAI had `tools`
    return lg_list_len(tools) ? tools : NULL;
}

// {name, doc, params} to {name, description, parameters}.
static bool make_signature(lg_importer *imp, const lg_json_member *recorded, lg_json *ret_tool)
{
    const lg_json *signature = &recorded->value;
    const lg_json *name = lg_get(signature, "name");
    lg_facts facts = {0};
    lg_json key = lg_json_make_str(lg_json_key(recorded));
    lg_facts_add(&facts, "name", lg_json_is(name, LG_JSON_STRING) ? name : &key);
    lg_facts_add(&facts, "description", lg_get(signature, "doc"));
    lg_facts_add(&facts, "parameters", lg_get(signature, "params"));
    const lg_json *tool = lg_facts_make(imp, &facts);
    if (tool) {
        *ret_tool = *tool;
    }
    return tool != NULL;
}

const lg_json *lg_importer_signatures(lg_importer *imp, const lg_json *recorded)
{
    size_t count = lg_json_is(recorded, LG_JSON_OBJECT) ? lg_json_len(recorded) : 0;
    if (lg_list_len(recorded)) {
        return recorded;
    }
    lg_json *items = count ? LG_NEW_ARRAY(imp->arena, lg_json, count) : NULL;
    lg_json *list = count ? LG_NEW(imp->arena, lg_json) : NULL;
    if (count && (!items || !list)) {
        lg_importer_fail_oom(imp);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        if (!make_signature(imp, lg_json_member_at(recorded, i), &items[i])) {
            return NULL;
        }
    }
    if (list) {
        *list = lg_json_make_array(items, count);
    }
    return list;
}

// --- What export.h wrote ---------------------------------------------------------------------------

// A text, a list or an object replaces what was read elsewhere; what is not there leaves it.
static void take_str(lg_str *to, const lg_json *recording, const char *key)
{
    lg_str text = lg_json_str(lg_get(recording, key));
    *to = text.len ? text : *to;
}

static void take_json(const lg_json **to, const lg_json *recording, const char *key,
                      lg_json_type type)
{
    const lg_json *value = lg_get(recording, key);
    *to = lg_json_is(value, type) ? value : *to;
}

void lg_importer_restore(lg_importer *imp, const lg_json *recording)
{
    lg_trace *trace = &imp->trace;
    const lg_json *initial = lg_get(recording, "initial");
    const lg_json *delegated = lg_get(recording, "delegated");
    int64_t count = 0;
    take_str(&trace->name, recording, "name");
    take_str(&trace->task, recording, "task");
    take_str(&trace->domain, recording, "domain");
    take_str(&trace->model, recording, "model");
    take_str(&trace->prompt, recording, "prompt");
    take_str(&trace->request, recording, "request");
    take_str(&trace->ended, recording, "ended");
    take_json(&trace->tools, recording, "tools", LG_JSON_ARRAY);
    take_json(&trace->checks, recording, "checks", LG_JSON_OBJECT);
    take_json(&trace->metadata, recording, "metadata", LG_JSON_OBJECT);
    trace->initial = lg_given(initial) ? initial : trace->initial;
    const lg_json *expected = lg_importer_actions(imp, lg_get(recording, "expected"));
    trace->expected = expected ? expected : trace->expected;
    lg_importer_reward(imp, lg_get(recording, "reward"));
    lg_importer_trial(imp, lg_get(recording, "trial"));
    if (delegated && lg_json_int(delegated, &count) && count > 0) {
        trace->delegated = (size_t)count;
        imp->knows_delegated = true;
    }
}
