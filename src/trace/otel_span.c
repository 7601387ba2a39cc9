// otel_span.c: one span of OTLP JSON: its ids, times, and what its attributes and events say.
//
// OTLP asks for hexadecimal ids and numbers as enum values and 64-bit integers as text; producers write base64, names,
// and plain numbers as well, and all of them are read. Ids are only compared, never decoded.
//
// Where messages stand:
//     gen_ai.input.messages, gen_ai.output.messages,         semantic conventions since 1.37: JSON as text, or structured;
//     gen_ai.system_instructions                              on the span, or on an event of it
//     events gen_ai.user.message, ..., gen_ai.choice          conventions 1.28 to 1.36: a message an event
//     gen_ai.prompt.0.role, gen_ai.completion.0.content       OpenLLMetry: an attribute a member
//     ai.prompt.messages, ai.response.text, .toolCalls        Vercel's AI SDK
#include "trace/otel_internal.h"

#include "json/writer.h"

// Deeper than this is no argument of a tool; the writer can hold 64.
enum { VALUE_DEPTH = 50 };

static const struct attr_name {
    const char *key;
    otel_attr attr;
} attr_names[] = {
    {"gen_ai.operation.name", OTEL_OPERATION},
    {"ai.operationId", OTEL_AI_OPERATION},
    {"gen_ai.conversation.id", OTEL_CONVERSATION},
    {"session.id", OTEL_CONVERSATION},
    {"gen_ai.request.model", OTEL_MODEL},
    {"ai.model.id", OTEL_MODEL},
    {"gen_ai.provider.name", OTEL_PROVIDER},
    {"gen_ai.system", OTEL_PROVIDER},
    {"gen_ai.agent.name", OTEL_AGENT},
    {"gen_ai.system_instructions", OTEL_SYSTEM},
    {"gen_ai.input.messages", OTEL_INPUT},
    {"ai.prompt.messages", OTEL_INPUT},
    {"gen_ai.output.messages", OTEL_OUTPUT},
    {"gen_ai.tool.definitions", OTEL_TOOLS},
    {"ai.prompt.tools", OTEL_AI_TOOLS},
    {"ai.response.text", OTEL_AI_TEXT},
    {"gen_ai.response.output_text", OTEL_AI_TEXT},
    {"ai.response.toolCalls", OTEL_AI_CALLS},
    {"gen_ai.tool.name", OTEL_TOOL},
    {"ai.toolCall.name", OTEL_TOOL},
    {"gen_ai.tool.call.id", OTEL_TOOL_ID},
    {"ai.toolCall.id", OTEL_TOOL_ID},
    {"gen_ai.tool.call.arguments", OTEL_TOOL_ARGS},
    {"ai.toolCall.args", OTEL_TOOL_ARGS},
    {"gen_ai.tool.call.result", OTEL_TOOL_RESULT},
    {"ai.toolCall.result", OTEL_TOOL_RESULT},
    {"gen_ai.response.finish_reasons", OTEL_FINISH},
    {"ai.response.finishReason", OTEL_FINISH},
    {"ledgergate.recording", OTEL_RECORDING},
};

// --- Values --------------------------------------------------------------------------------------

// A number of 64 bits, as OTLP writes it: digits as text.
static bool parse_whole(lg_str text, int64_t *ret)
{
    bool negative = lg_str_starts(text, LG_STR("-"));
    uint64_t number = 0;
    if (text.len == negative || text.len > (size_t)18 + negative) {
        if (text.len != (size_t)19 + negative) {
            return false;
        }
    }
    for (size_t i = negative; i < text.len; i++) {
        if (!lg_is_digit(text.ptr[i])) {
            return false;
        }
        number = number * 10 + (uint64_t)(text.ptr[i] - '0');
    }
    *ret = negative ? -(int64_t)number : (int64_t)number;
    return number <= INT64_MAX;
}

lg_str otel_text(const lg_json *any)
{
    return lg_json_str(lg_get(any, "stringValue"));
}

static void write_any(lg_json_writer *w, const lg_json *any, int depth)
{
    const lg_json *list = lg_get(lg_get(any, "arrayValue"), "values");
    const lg_json *members = lg_get(lg_get(any, "kvlistValue"), "values");
    const lg_json *whole = lg_get(any, "intValue");
    int64_t number;
    if (depth > VALUE_DEPTH) {
        lg_jw_null(w);
    } else if (lg_get(any, "arrayValue")) {
        lg_jw_begin_array(w);
        for (size_t i = 0; i < lg_list_len(list); i++) {
            write_any(w, lg_json_item(list, i), depth + 1);
        }
        lg_jw_end_array(w);
    } else if (lg_get(any, "kvlistValue")) {
        lg_jw_begin_object(w);
        for (size_t i = 0; i < lg_list_len(members); i++) {
            const lg_json *member = lg_json_item(members, i);
            lg_jw_key_str(w, lg_json_str(lg_get(member, "key")));
            write_any(w, lg_get(member, "value"), depth + 1);
        }
        lg_jw_end_object(w);
    } else if (lg_json_is(whole, LG_JSON_STRING) && parse_whole(lg_json_str(whole), &number)) {
        lg_jw_int(w, number);
    } else {
        lg_jw_json(w, lg_json_is(any, LG_JSON_OBJECT) && lg_json_len(any) == 1
                          ? &lg_json_member_at(any, 0)->value
                          : NULL);
    }
}

static bool is_any(const lg_json *any)
{
    static const char *const kinds[] = {"boolValue",  "doubleValue", "intValue",
                                        "arrayValue", "kvlistValue", "bytesValue"};
    bool known =
        lg_json_is(any, LG_JSON_OBJECT) && lg_json_len(any) == 0; // nothing is a value, too
    for (size_t i = 0; i < LG_COUNT(kinds) && !known; i++) {
        known = lg_get(any, kinds[i]) != NULL;
    }
    return known;
}

// Whatever is no text is printed and parsed: the parser knows about depth, size and repeated keys.
static const lg_json *parse_printed(lg_importer *imp, const lg_json *at, lg_buf *text)
{
    const lg_json *value = NULL;
    lg_error why;
    if (lg_buf_status(text) != LG_OK) {
        lg_importer_fail_oom(imp);
        return NULL;
    }
    lg_str copy = lg_importer_copy(imp, lg_buf_str(text));
    if (!lg_importer_parse_inside(imp, copy, at->offset, &value, &why) && lg_importer_ok(imp)) {
        lg_importer_issue(imp, at->offset, true, "a value that cannot be read: %s", why.msg);
    }
    return value;
}

const lg_json *otel_plain(lg_importer *imp, const lg_json *any)
{
    const lg_json *text = lg_get(any, "stringValue");
    lg_json_writer w = {.out = &imp->scratch};
    if (!any || lg_json_is(text, LG_JSON_STRING)) {
        return any ? text : NULL;
    }
    if (!is_any(any)) {
        lg_importer_issue(imp, any->offset, true,
                          "an attribute's value that is %s of no known kind", lg_kind(any));
        return NULL;
    }
    lg_buf_clear(&imp->scratch);
    write_any(&w, any, 0);
    return parse_printed(imp, any, &imp->scratch);
}

const lg_json *otel_value(lg_importer *imp, const lg_json *any)
{
    const lg_json *plain = otel_plain(imp, any);
    lg_str text = lg_str_trim(lg_json_str(plain));
    const lg_json *value = NULL;
    lg_error why;
    if (!lg_str_starts(text, LG_STR("[")) && !lg_str_starts(text, LG_STR("{"))) {
        return plain;
    }
    bool parsed =
        lg_importer_parse_inside(imp, lg_json_str(plain), plain->offset + 1, &value, &why);
    return parsed ? value : plain;
}

const lg_json *otel_find(const lg_json *attributes, const char *key)
{
    for (size_t i = 0; i < lg_list_len(attributes); i++) {
        const lg_json *attribute = lg_json_item(attributes, i);
        if (lg_str_eq(lg_json_str(lg_get(attribute, "key")), lg_str_c(key))) {
            return lg_get(attribute, "value");
        }
    }
    return NULL;
}

// --- Spans ---------------------------------------------------------------------------------------

static uint64_t nanos_of(const lg_json *value)
{
    int64_t nanos = 0;
    if (!parse_whole(lg_json_str(value), &nanos)) {
        (void)(value && lg_json_int(value, &nanos));
    }
    return nanos > 0 ? (uint64_t)nanos : 0;
}

static void take_attributes(otel_span *span, const lg_json *attributes)
{
    for (size_t i = 0; i < lg_list_len(attributes); i++) {
        const lg_json *attribute = lg_json_item(attributes, i);
        lg_str key = lg_json_str(lg_get(attribute, "key"));
        span->is_numbered = span->is_numbered || lg_str_starts(key, LG_STR("gen_ai.prompt.")) ||
                            lg_str_starts(key, LG_STR("gen_ai.completion."));
        for (size_t k = 0; k < LG_COUNT(attr_names); k++) {
            const lg_json **slot = &span->attr[attr_names[k].attr];
            if (lg_str_eq(key, lg_str_c(attr_names[k].key)) && !*slot) {
                *slot = lg_get(attribute, "value");
            }
        }
    }
}

static bool ends_in(lg_str text, lg_str end)
{
    return text.len >= end.len && lg_str_eq(lg_str_slice(text, text.len - end.len, text.len), end);
}

static otel_kind kind_of(const otel_span *span)
{
    static const char *const others[] = {"embeddings", "create_agent", "retrieval", "rerank"};
    lg_str operation = otel_text(span->attr[OTEL_OPERATION]);
    lg_str library = otel_text(span->attr[OTEL_AI_OPERATION]);
    if (lg_str_eq(operation, LG_STR("execute_tool")) || span->attr[OTEL_TOOL] ||
        lg_str_eq(library, LG_STR("ai.toolCall"))) {
        return OTEL_TOOL_RUN;
    }
    if (lg_str_eq(operation, LG_STR("invoke_agent")) ||
        lg_str_eq(operation, LG_STR("invoke_workflow"))) {
        return OTEL_AGENT_RUN;
    }
    for (size_t i = 0; i < LG_COUNT(others); i++) {
        if (lg_str_eq(operation, lg_str_c(others[i]))) {
            return OTEL_OTHER;
        }
    }
    if (library.len) {
        bool one = ends_in(library, LG_STR(".doGenerate")) || ends_in(library, LG_STR(".doStream"));
        return one ? OTEL_CHAT : OTEL_AROUND;
    }
    bool chat = operation.len || span->attr[OTEL_INPUT] || span->attr[OTEL_OUTPUT] ||
                span->is_numbered || span->attr[OTEL_MODEL] || span->attr[OTEL_PROVIDER];
    return chat ? OTEL_CHAT : OTEL_OTHER;
}

// All zeros, in hexadecimal or base64, stand for no id.
static lg_str id_of(const lg_json *value)
{
    lg_str id = lg_json_str(value);
    for (size_t i = 0; i < id.len; i++) {
        if (id.ptr[i] != '0' && id.ptr[i] != 'A' && id.ptr[i] != '=') {
            return id;
        }
    }
    return LG_STR("");
}

void otel_span_read(otel_span *span, const lg_json *value)
{
    span->value = value;
    span->trace = id_of(lg_get(value, "traceId"));
    span->id = id_of(lg_get(value, "spanId"));
    span->parent = id_of(lg_get(value, "parentSpanId"));
    span->start = nanos_of(lg_get(value, "startTimeUnixNano"));
    span->end = nanos_of(lg_get(value, "endTimeUnixNano"));
    span->end = span->end < span->start ? span->start : span->end;
    span->up = LG_NO_EVENT;
    span->agent = LG_NO_EVENT;
    take_attributes(span, lg_get(value, "attributes"));
    span->kind = kind_of(span);
    const lg_json *events = lg_get(value, "events");
    for (size_t i = 0; i < lg_list_len(events); i++) { // the conventions let them hold the messages
        const lg_json *event = lg_json_item(events, i);
        if (lg_str_starts(lg_json_str(lg_get(event, "name")), LG_STR("gen_ai."))) {
            take_attributes(span, lg_get(event, "attributes"));
            span->kind = span->kind == OTEL_OTHER ? kind_of(span) : span->kind;
        }
    }
    span->conversation = otel_text(span->attr[OTEL_CONVERSATION]);
}

bool otel_span_failed(lg_importer *imp, const otel_span *span, lg_str *ret_text)
{
    const lg_json *status = lg_get(span->value, "status");
    const lg_json *code = lg_get(status, "code");
    const lg_json *attributes = lg_get(span->value, "attributes");
    lg_str type = otel_text(otel_find(attributes, "error.type"));
    lg_str text = lg_json_str(lg_get(status, "message"));
    int64_t number = 0;
    bool failed = lg_str_eq(lg_json_str(code), LG_STR("STATUS_CODE_ERROR")) ||
                  (code && lg_json_int(code, &number) && number == 2) || type.len;
    const lg_json *events = lg_get(span->value, "events");
    for (size_t i = 0; i < lg_list_len(events) && text.len == 0; i++) {
        const lg_json *event = lg_json_item(events, i);
        if (lg_str_eq(lg_json_str(lg_get(event, "name")), LG_STR("exception"))) {
            text = otel_text(otel_find(lg_get(event, "attributes"), "exception.message"));
        }
    }
    *ret_text = type.len && text.len
                    ? lg_importer_printf(imp, "%.*s: %.*s", LG_FMT(type), LG_FMT(text))
                : type.len ? type
                           : text;
    return failed;
}

// --- Messages that are put together --------------------------------------------------------------

// {role, content, tool_calls}: what is not there is left out.
static const lg_json *make_message(lg_importer *imp, const char *role, const lg_json *content,
                                   const lg_json *calls)
{
    lg_facts facts = {0};
    lg_json name = lg_json_make_str(lg_str_c(role));
    lg_facts_add(&facts, "role", &name);
    lg_facts_add(&facts, "content", content);
    lg_facts_add(&facts, "tool_calls", calls);
    return lg_facts_make(imp, &facts);
}

// `first`, if there is one, and the items of `rest`.
static const lg_json *make_list(lg_importer *imp, const lg_json *first, const lg_json *rest)
{
    size_t count = (first ? 1 : 0) + lg_list_len(rest);
    lg_json *items = LG_NEW_ARRAY(imp->arena, lg_json, count + 1);
    lg_json *list = LG_NEW(imp->arena, lg_json);
    if (!items || !list) {
        lg_importer_fail_oom(imp);
        return NULL;
    }
    size_t made = 0;
    if (first) {
        items[made++] = *first;
    }
    if (lg_list_len(rest)) {
        memcpy(items + made, rest->as.items, lg_list_len(rest) * sizeof(*items));
    }
    *list = lg_json_make_array(items, count);
    list->offset = rest ? rest->offset : LG_JSON_NO_OFFSET;
    return list;
}

static const lg_json *output_of_library(lg_importer *imp, const otel_span *span)
{
    const lg_json *text = otel_plain(imp, span->attr[OTEL_AI_TEXT]);
    const lg_json *calls = otel_value(imp, span->attr[OTEL_AI_CALLS]);
    if (!text && !calls) {
        return NULL;
    }
    return make_list(imp, make_message(imp, "assistant", text, calls), NULL);
}

// --- Messages as events: one an event ------------------------------------------------------------

static const lg_json *message_of_event(lg_importer *imp, const lg_json *event, lg_str name)
{
    const lg_json *attributes = lg_get(event, "attributes");
    const lg_json *body = otel_find(attributes, "event_body");
    body = otel_value(imp, body ? body : lg_get(event, "body"));
    const lg_json *whole = otel_value(imp, otel_find(attributes, "message"));
    const char *role = lg_str_eq(name, LG_STR("gen_ai.system.message")) ? "system"
                       : lg_str_eq(name, LG_STR("gen_ai.user.message")) ? "user"
                       : lg_str_eq(name, LG_STR("gen_ai.tool.message")) ? "tool"
                                                                        : "assistant";
    lg_json told = lg_json_make_str(lg_str_c(role));
    whole = whole ? whole : lg_get(body, "message");
    lg_facts facts = {0};
    lg_facts_add(&facts, "role", &told);
    const lg_json *from[] = {whole, body};
    for (size_t i = 0; i < LG_COUNT(from); i++) {
        lg_facts_add(&facts, "content", lg_get(from[i], "content"));
        lg_facts_add(&facts, "tool_calls", lg_get(from[i], "tool_calls"));
        lg_facts_add(&facts, "id", lg_get(from[i], "id"));
    }
    lg_facts_add(&facts, "content", otel_plain(imp, otel_find(attributes, "content")));
    lg_facts_add(&facts, "content", lg_json_is(whole, LG_JSON_STRING) ? whole : NULL);
    lg_facts_add(&facts, "tool_calls", otel_value(imp, otel_find(attributes, "tool_calls")));
    lg_facts_add(&facts, "id", otel_plain(imp, otel_find(attributes, "id")));
    return lg_facts_make(imp, &facts);
}

static const lg_json *messages_of_events(lg_importer *imp, const otel_span *span, bool output)
{
    static const char *const inputs[] = {"gen_ai.system.message", "gen_ai.user.message",
                                         "gen_ai.assistant.message", "gen_ai.tool.message"};
    const lg_json *events = lg_get(span->value, "events");
    lg_json *items = LG_NEW_ARRAY(imp->arena, lg_json, lg_list_len(events) + 1);
    size_t count = 0;
    for (size_t i = 0; i < lg_list_len(events) && items; i++) {
        const lg_json *event = lg_json_item(events, i);
        lg_str name = lg_json_str(lg_get(event, "name"));
        bool wanted = output && lg_str_eq(name, LG_STR("gen_ai.choice"));
        for (size_t k = 0; k < LG_COUNT(inputs) && !output; k++) {
            wanted = wanted || lg_str_eq(name, lg_str_c(inputs[k]));
        }
        const lg_json *message = wanted ? message_of_event(imp, event, name) : NULL;
        if (message) {
            items[count] = *message;
            items[count++].offset = event->offset;
        }
    }
    lg_json *list = items ? LG_NEW(imp->arena, lg_json) : NULL;
    if (!list) {
        lg_importer_fail_oom(imp);
        return NULL;
    }
    *list = lg_json_make_array(items, count);
    return count ? list : NULL;
}

// --- Messages as numbered attributes -------------------------------------------------------------

typedef struct numbered {
    uint32_t message;
    uint32_t call; // from 1; 0: a member of the message itself
    lg_str member;
    const lg_json *value;
} numbered;

// A number of few digits and the dot behind it.
static bool take_number(lg_str *rest, uint32_t *ret)
{
    size_t len = 0;
    *ret = 0;
    while (len < rest->len && len < 8 && lg_is_digit(rest->ptr[len])) {
        *ret = *ret * 10 + (uint32_t)(rest->ptr[len++] - '0');
    }
    if (len == 0 || len >= rest->len || rest->ptr[len] != '.') {
        return false;
    }
    *rest = lg_str_slice(*rest, len + 1, rest->len);
    return true;
}

static bool parse_numbered(lg_str key, lg_str prefix, numbered *ret)
{
    const lg_str calls = LG_STR("tool_calls.");
    if (!lg_str_starts(key, prefix)) {
        return false;
    }
    lg_str rest = lg_str_slice(key, prefix.len, key.len);
    ret->call = 0;
    if (!take_number(&rest, &ret->message)) {
        return false;
    }
    if (lg_str_starts(rest, calls)) {
        rest = lg_str_slice(rest, calls.len, rest.len);
        if (!take_number(&rest, &ret->call)) {
            return false;
        }
        ret->call++;
    }
    ret->member = rest;
    return true;
}

static int compare_numbered(const void *context, uint32_t a, uint32_t b)
{
    const numbered *all = context;
    if (all[a].message != all[b].message) {
        return all[a].message < all[b].message ? -1 : 1;
    }
    return (all[a].call > all[b].call) - (all[a].call < all[b].call);
}

// The members that stand together, written once each, of those that a message or a call can have.
static void write_members(lg_json_writer *w, const numbered *all, const uint32_t *order,
                          size_t from, size_t to, bool role_needed, const char *role)
{
    static const char *const members[] = {"role",         "content", "id",
                                          "tool_call_id", "name",    "arguments"};
    for (size_t m = 0; m < LG_COUNT(members); m++) {
        const lg_json *value = NULL;
        for (size_t i = from; i < to && !value; i++) {
            bool same = lg_str_eq(all[order[i]].member, lg_str_c(members[m]));
            value = same ? all[order[i]].value : NULL;
        }
        if (value) {
            lg_jw_key(w, members[m]);
            write_any(w, value, 0);
        } else if (m == 0 && role_needed) {
            lg_jw_member_c(w, "role", role);
        }
    }
}

static size_t end_of_group(const numbered *all, const uint32_t *order, size_t from, size_t count)
{
    size_t to = from + 1;
    while (to < count && compare_numbered(all, order[from], order[to]) == 0) {
        to++;
    }
    return to;
}

static void write_numbered(lg_json_writer *w, const numbered *all, const uint32_t *order,
                           size_t count, const char *role)
{
    lg_jw_begin_array(w);
    for (size_t i = 0; i < count;) {
        uint32_t message = all[order[i]].message;
        size_t to = all[order[i]].call == 0 ? end_of_group(all, order, i, count) : i;
        lg_jw_begin_object(w);
        write_members(w, all, order, i, to, true, role);
        bool calls = to < count && all[order[to]].message == message;
        if (calls) {
            lg_jw_key(w, "tool_calls");
            lg_jw_begin_array(w);
        }
        for (i = to; i < count && all[order[i]].message == message;) {
            to = end_of_group(all, order, i, count);
            lg_jw_begin_object(w);
            write_members(w, all, order, i, to, false, NULL);
            lg_jw_end_object(w);
            i = to;
        }
        if (calls) {
            lg_jw_end_array(w);
        }
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}

static const lg_json *messages_of_numbers(lg_importer *imp, const otel_span *span, lg_str prefix,
                                          const char *role)
{
    const lg_json *attributes = lg_get(span->value, "attributes");
    size_t most = lg_list_len(attributes);
    numbered *all = LG_NEW_ARRAY(imp->arena, numbered, most + 1);
    uint32_t *order = LG_NEW_ARRAY(imp->arena, uint32_t, 2 * most + 1);
    size_t count = 0;
    if (!all || !order) {
        lg_importer_fail_oom(imp);
        return NULL;
    }
    for (size_t i = 0; i < most; i++) {
        const lg_json *attribute = lg_json_item(attributes, i);
        const lg_json *value = lg_get(attribute, "value");
        if (value && parse_numbered(lg_json_str(lg_get(attribute, "key")), prefix, &all[count])) {
            all[count].value = value;
            order[count] = (uint32_t)count;
            count++;
        }
    }
    if (count == 0) {
        return NULL;
    }
    lg_index_sort(order, order + most, count, compare_numbered, all);
    lg_json_writer w = {.out = &imp->scratch};
    lg_buf_clear(&imp->scratch);
    write_numbered(&w, all, order, count, role);
    return parse_printed(imp, all[order[0]].value, &imp->scratch);
}

// --- The messages of a span ----------------------------------------------------------------------

static const lg_json *as_list(lg_importer *imp, const otel_span *span, const lg_json *value)
{
    if (!value || lg_json_is(value, LG_JSON_ARRAY)) {
        return value;
    }
    if (lg_json_is(value, LG_JSON_OBJECT)) {
        return make_list(imp, value, NULL);
    }
    lg_importer_issue(imp, span->value->offset, true, "the messages of a span are %s, not a list",
                      lg_kind(value));
    return NULL;
}

void otel_span_messages(lg_importer *imp, const otel_span *span, const lg_json **ret_input,
                        const lg_json **ret_output)
{
    const lg_json *system = otel_value(imp, span->attr[OTEL_SYSTEM]);
    const lg_json *input = as_list(imp, span, otel_value(imp, span->attr[OTEL_INPUT]));
    const lg_json *output = as_list(imp, span, otel_value(imp, span->attr[OTEL_OUTPUT]));
    if (span->is_numbered && !input) {
        input = messages_of_numbers(imp, span, LG_STR("gen_ai.prompt."), "user");
    }
    if (span->is_numbered && !output) {
        output = messages_of_numbers(imp, span, LG_STR("gen_ai.completion."), "assistant");
    }
    input = input ? input : messages_of_events(imp, span, false);
    output = output ? output : output_of_library(imp, span);
    output = output ? output : messages_of_events(imp, span, true);
    if (system && lg_importer_ok(imp)) {
        input = make_list(imp, make_message(imp, "system", system, NULL), input);
    }
    *ret_input = input;
    *ret_output = output;
}
