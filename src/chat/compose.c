// compose.c: the client's bytes with texts and rounds in them.
//
// Of each message: its texts become one, at the end of its own last text or as a part behind its last one; then what comes
// behind it. An `input` that is one string becomes a list where something has to come behind it.
#include "chat/chat_internal.h"

typedef struct composer {
    const lg_chat_request *request;
    const lg_json *list; // `messages` or `input`
    lg_arena *arena;
    lg_edits edits;
    bool failed;
} composer;

static bool is_responses(const composer *c)
{
    return c->request->api == LG_CHAT_RESPONSES;
}

// --- Texts --------------------------------------------------------------------------------------

// May somebody but the model have written it, in the list?
static bool takes_text(const lg_chat_message *message)
{
    return !message->is_field && message->role != LG_ROLE_AGENT;
}

// Where texts go. For each message: the one that takes a text which is meant for its end (message_count: none), and the
// texts that it takes, as numbers of inserts from 1.
typedef struct targets {
    size_t *of;
    size_t *first;
    size_t *last;
    size_t *next; // of each insert
} targets;

static bool find_targets(composer *c, targets *t, const lg_chat_insert *inserts, size_t count)
{
    const lg_chat_request *request = c->request;
    size_t messages = request->message_count;
    size_t target = messages;
    t->of = LG_NEW_ARRAY(c->arena, size_t, messages + 1);
    t->first = LG_NEW_ARRAY(c->arena, size_t, messages + 1);
    t->last = LG_NEW_ARRAY(c->arena, size_t, messages + 1);
    t->next = LG_NEW_ARRAY(c->arena, size_t, count + 1);
    if (!t->of || !t->first || !t->last || !t->next) {
        return false;
    }
    for (size_t i = messages; i > 0; i--) { // before all that take one: the first that does
        target = takes_text(&request->messages[i - 1]) ? i - 1 : target;
    }
    for (size_t i = 0; i < messages; i++) {
        target = takes_text(&request->messages[i]) ? i : target;
        t->of[i] = target;
    }
    for (size_t i = 0; i < count; i++) {
        if (inserts[i].place == LG_CHAT_TEXT) {
            size_t at = t->of[inserts[i].at];
            *(t->first[at] ? &t->next[t->last[at] - 1] : &t->first[at]) = i + 1;
            t->last[at] = i + 1;
        }
    }
    return true;
}

static const lg_json *element_at(const composer *c, uint32_t offset)
{
    size_t low = 0;
    size_t high = lg_list_len(c->list);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lg_json_item(c->list, middle)->offset < offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return lg_json_item(c->list, low);
}

// Texts that are inserted at one place stand in the order in which they came: long ones are never printed into others.
static void put(composer *c, size_t at, lg_str text)
{
    lg_edits_replace(&c->edits, at, at, text);
}

// All texts that follow are escaped: they stand as they do inside a JSON string.

// Behind an item that has no place for a text.
static void text_behind(composer *c, const lg_chat_message *message, lg_str text)
{
    put(c, message->to,
        LG_STR(",{\"type\":\"message\",\"role\":\"developer\",\"content\":"
               "[{\"type\":\"input_text\",\"text\":\""));
    put(c, message->to, text);
    put(c, message->to, LG_STR("\"}]}"));
}

static void text_in_string(composer *c, const lg_json *value, lg_str text)
{
    size_t at = lg_json_end(c->request->body, value) - 1;
    put(c, at, value->len ? LG_STR("\\n\\n") : LG_STR(""));
    put(c, at, text);
}

static void text_in_list(composer *c, const lg_json *parts, lg_str text)
{
    size_t at = lg_json_end(c->request->body, parts) - 1;
    lg_edits_replacef(&c->edits, at, at, "%s{\"type\":\"%s\",\"text\":\"", parts->len ? "," : "",
                      is_responses(c) ? "input_text" : "text");
    put(c, at, text);
    put(c, at, LG_STR("\"}"));
}

static void text_as_content(composer *c, const lg_json *item, lg_str text)
{
    lg_str quoted = lg_arena_printf(c->arena, "\"%.*s\"", LG_FMT(text));
    lg_edits_member(&c->edits, item, "content", quoted.ptr ? quoted : LG_STR("\"\""));
    c->failed = c->failed || !quoted.ptr;
}

// Of an output that is no text for the model (a screenshot, a shell's list), nothing is the end.
static const lg_json *content_of(const composer *c, const lg_json *item)
{
    if (!is_responses(c) || lg_get(item, "role")) {
        return lg_get(item, "content");
    }
    bool plain = lg_text_is(lg_get(item, "type"), "function_call_output") ||
                 lg_text_is(lg_get(item, "type"), "custom_tool_call_output");
    return plain ? lg_get(item, "output") : NULL;
}

static void add_text(composer *c, const lg_chat_message *message, lg_str text)
{
    if (lg_json_is(c->list, LG_JSON_STRING)) {
        text_in_string(c, c->list, text);
        return;
    }
    const lg_json *item = element_at(c, message->from);
    const lg_json *content = content_of(c, item);
    if (lg_json_is(content, LG_JSON_STRING)) {
        text_in_string(c, content, text);
    } else if (lg_json_is(content, LG_JSON_ARRAY)) {
        text_in_list(c, content, text);
    } else if (is_responses(c)) {
        text_behind(c, message, text);
    } else if (lg_json_is(item, LG_JSON_OBJECT)) {
        text_as_content(c, item, text);
    }
}

static lg_str escaped(composer *c, const lg_chat_insert *insert)
{
    return insert->plain_bytes ? insert->text : lg_chat_escaped(c->arena, insert->text, &c->failed);
}

// All texts of one message, with a blank line between them.
static void add_texts(composer *c, const targets *t, size_t target, const lg_chat_insert *inserts)
{
    lg_buf text;
    size_t first = t->first[target];
    const lg_chat_message *message = &c->request->messages[target];
    if (!t->next[first - 1]) { // nearly always it is one
        add_text(c, message, escaped(c, &inserts[first - 1]));
        return;
    }
    lg_buf_init(&text, 0);
    for (size_t i = first; i; i = t->next[i - 1]) {
        lg_buf_add_c(&text, i == first ? "" : "\\n\\n");
        lg_buf_add(&text, escaped(c, &inserts[i - 1]));
    }
    lg_str joined = lg_arena_str(c->arena, lg_buf_str(&text)); // edits point to it
    c->failed = c->failed || lg_buf_status(&text) != LG_OK || !joined.ptr;
    if (!c->failed) {
        add_text(c, message, joined);
    }
    lg_buf_done(&text);
}

// --- What comes behind --------------------------------------------------------------------------------

static lg_str message_of(composer *c, const lg_chat_insert *insert)
{
    if (insert->place != LG_CHAT_SYSTEM) {
        return insert->text;
    }
    lg_str text = escaped(c, insert);
    lg_str message =
        lg_arena_printf(c->arena, "{\"role\":\"system\",\"content\":\"%.*s\"}", LG_FMT(text));
    c->failed = c->failed || !message.ptr;
    return message.ptr ? message : LG_STR("");
}

// Behind what stands outside of the list is before all of it.
static void add_in_front(composer *c, lg_str text)
{
    size_t at = c->list->offset + 1;
    put(c, at, text);
    put(c, at, lg_list_len(c->list) ? LG_STR(",") : LG_STR(""));
}

static void add_message(composer *c, const lg_chat_insert *insert)
{
    const lg_chat_message *message = &c->request->messages[insert->at];
    lg_str text = message_of(c, insert);
    if (insert->place == LG_CHAT_INSTEAD) {
        lg_edits_replace(&c->edits, message->from, message->to, text);
    } else if (message->is_field) {
        add_in_front(c, text);
    } else {
        put(c, message->to, LG_STR(","));
        put(c, message->to, text);
    }
}

// The one string of an `input` as the list that it stands for.
static void wrap(composer *c, bool is_first)
{
    size_t at = is_first ? c->list->offset : lg_json_end(c->request->body, c->list);
    lg_edits_replace(&c->edits, at, at,
                     is_first ? LG_STR("[{\"role\":\"user\",\"content\":") : LG_STR("}"));
}

static lg_status check(const lg_chat_request *request, const lg_chat_insert *inserts, size_t count,
                       bool *ret_wrap, lg_error *reterr)
{
    const lg_json *input = lg_get(request->root, "input");
    bool is_string = request->api == LG_CHAT_RESPONSES && lg_json_is(input, LG_JSON_STRING);
    *ret_wrap = false;
    for (size_t i = 0; i < count; i++) {
        bool instead = inserts[i].place == LG_CHAT_INSTEAD;
        if (inserts[i].place == LG_CHAT_PREVIOUS) {
            continue;
        }
        if (inserts[i].at >= request->message_count) {
            return lg_fail(reterr, LG_ERR_USAGE, "an insertion at message %u, of %zu",
                           inserts[i].at, request->message_count);
        }
        if (instead && (is_string || request->messages[inserts[i].at].is_field)) {
            return lg_fail(reterr, LG_ERR_USAGE, "message %u cannot be replaced: it is a text",
                           inserts[i].at);
        }
        *ret_wrap = *ret_wrap || (is_string && inserts[i].place != LG_CHAT_TEXT);
    }
    return LG_OK;
}

static void add_previous(composer *c, const lg_chat_insert *inserts, size_t count)
{
    const lg_json *id = lg_get(c->request->root, "previous_response_id");
    for (size_t i = 0; i < count; i++) {
        if (inserts[i].place == LG_CHAT_PREVIOUS && lg_json_is(id, LG_JSON_STRING)) {
            lg_edits_string(&c->edits, id, inserts[i].text);
        }
    }
}

static void add_all(composer *c, const lg_chat_insert *inserts, size_t count, bool wraps)
{
    targets t;
    if (!find_targets(c, &t, inserts, count)) {
        c->failed = true;
        return;
    }
    if (wraps) {
        wrap(c, true);
    }
    for (size_t i = 0; i < c->request->message_count; i++) {
        if (t.first[i]) {
            add_texts(c, &t, i, inserts);
        }
    }
    if (wraps) {
        wrap(c, false);
    }
    for (size_t i = 0; i < count; i++) {
        if (inserts[i].place != LG_CHAT_TEXT && inserts[i].place != LG_CHAT_PREVIOUS) {
            add_message(c, &inserts[i]);
        }
    }
    if (wraps) {
        size_t end = lg_json_end(c->request->body, c->list);
        lg_edits_replace(&c->edits, end, end, LG_STR("]"));
    }
}

lg_status lg_chat_compose(const lg_chat_request *request, const lg_chat_insert *inserts,
                          size_t count, lg_buf *out, lg_error *reterr)
{
    lg_arena scratch;
    bool wraps;
    lg_status status = check(request, inserts, count, &wraps, reterr);
    if (status != LG_OK) {
        return status;
    }
    lg_arena_init(&scratch, 0);
    composer c = {.request = request, .arena = &scratch};
    c.list = lg_get(request->root, is_responses(&c) ? "input" : "messages");
    lg_edits_begin(&c.edits, &scratch, request->body);
    add_previous(&c, inserts, count);
    if (lg_given(c.list)) {
        add_all(&c, inserts, count, wraps);
    }
    status = c.failed ? lg_fail_oom(reterr) : lg_edits_apply(&c.edits, out, reterr);
    lg_arena_done(&scratch);
    return status;
}
