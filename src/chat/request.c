// request.c: a request body as a conversation: its messages, their events, and a hash for each prefix.
//
// The hash is of the events as a session is told them, and not of the bytes: a client that moves a mark for its cache, or
// writes the same numbers otherwise, has not changed what was said, and what the session knows follows from
// nothing else. A result that is paired with another call, because of what came later, is another event.
#include "chat/note.h"
#include "chat/reading.h"

// --- Messages -----------------------------------------------------------------------------------

typedef struct reader {
    lg_arena *arena;
    lg_chat_request *request;
    lg_chat_message *messages;
    size_t count;
    size_t capacity;
    bool failed;
} reader;

static lg_role role_of(const lg_json *message)
{
    lg_str role = lg_json_str(lg_get(message, "role"));
    if (lg_str_eq(role, LG_STR("assistant")) || lg_str_eq(role, LG_STR("model"))) {
        return LG_ROLE_AGENT;
    }
    bool system = lg_str_eq(role, LG_STR("system")) || lg_str_eq(role, LG_STR("developer"));
    return system ? LG_ROLE_SYSTEM : LG_ROLE_USER;
}

static lg_chat_message *add(reader *r, lg_role role, const lg_json *value)
{
    lg_chat_message *messages =
        lg_arena_grow(r->arena, r->messages, r->count, &r->capacity, sizeof(*messages));
    if (!messages) {
        r->failed = true;
        return NULL;
    }
    r->messages = messages;
    lg_chat_message *message = &messages[r->count++];
    *message = (lg_chat_message){
        .role = role, .from = value->offset, .to = (uint32_t)lg_json_end(r->request->body, value)};
    return message;
}

// What stands outside of the list: the first message.
static void add_field(reader *r, const char *key)
{
    const lg_json *value = lg_get(r->request->root, key);
    lg_chat_message *message = lg_given(value) ? add(r, LG_ROLE_SYSTEM, value) : NULL;
    if (message) {
        message->is_field = true;
    }
}

static void add_list(reader *r, const lg_json *messages)
{
    for (size_t i = 0; i < lg_list_len(messages) && !r->failed; i++) {
        const lg_json *message = lg_json_item(messages, i);
        add(r, role_of(message), message);
    }
}

// Items that have one turn are one message, of the model.
static void add_items(reader *r, const lg_json *items)
{
    for (size_t i = 0; i < lg_list_len(items) && !r->failed; i++) {
        const lg_json *item = lg_json_item(items, i);
        if (i > 0 && lg_trace_item_turn(lg_json_item(items, i - 1), 0, item) == 0) {
            lg_chat_message *run = &r->messages[r->count - 1];
            run->role = LG_ROLE_AGENT;
            run->to = (uint32_t)lg_json_end(r->request->body, item);
        } else {
            bool of_model = lg_trace_item_turn(item, 0, item) == 0;
            add(r, of_model ? LG_ROLE_AGENT : role_of(item), item);
        }
    }
}

static lg_status fail_list(const char *key, const lg_json *value, lg_error *reterr)
{
    return lg_fail(reterr, LG_ERR_FORMAT, "`%s` %s", key,
                   value ? "is not what the API wants: a list" : "is missing");
}

static lg_status read_list(reader *r, lg_error *reterr)
{
    const lg_chat_request *request = r->request;
    bool responses = request->api == LG_CHAT_RESPONSES;
    const char *key = responses ? "input" : "messages";
    const lg_json *list = lg_get(request->root, key);
    bool elsewhere = lg_given(lg_get(request->root, "previous_response_id")) ||
                     lg_given(lg_get(request->root, "conversation")) ||
                     lg_given(lg_get(request->root, "prompt"));
    if (request->api != LG_CHAT_COMPLETIONS) {
        add_field(r, responses ? "instructions" : "system");
    }
    if (responses && lg_json_is(list, LG_JSON_STRING)) {
        add(r, LG_ROLE_USER, list);
    } else if (lg_json_is(list, LG_JSON_ARRAY)) {
        if (responses) {
            add_items(r, list);
        } else {
            add_list(r, list);
        }
    } else if (!responses || lg_given(list) || !elsewhere) {
        return fail_list(key, list, reterr);
    }
    return r->failed ? lg_fail_oom(reterr) : LG_OK;
}

// --- Hashes -------------------------------------------------------------------------------------

static void hash_args(lg_hash_state *state, const lg_chat_request *request,
                      const lg_trace_event *event, lg_buf *scratch)
{
    if (event->text.len || !event->args) {
        lg_hash_add_str(state, event->text);
    } else if (event->args->offset < request->body.len) {
        lg_hash_add_str(state, lg_json_source(request->body, event->args));
    } else {
        lg_buf_clear(scratch);
        lg_json_print(scratch, event->args);
        lg_hash_add_str(state, lg_buf_str(scratch));
    }
}

static void hash_event(lg_hash_state *state, const lg_chat_request *request, size_t index,
                       lg_buf *scratch)
{
    const lg_trace_event *event = &request->conversation->events[index];
    bool is_call = event->kind == LG_EVENT_CALL;
    bool is_message = event->kind == LG_EVENT_MESSAGE;
    uint32_t head[] = {(uint32_t)event->kind, (uint32_t)event->role,
                       event->turn,           is_call || is_message ? 0 : event->other,
                       event->has_time,       is_call && !event->args};
    lg_hash_add(state, head, sizeof(head));
    if (event->has_time) {
        lg_hash_add(state, &event->time.seconds, sizeof(event->time.seconds));
        lg_hash_add(state, &event->time.nanos, sizeof(event->time.nanos));
    }
    if (!is_message) {
        lg_hash_add_str(state, event->tool);
    }
    if (!is_call && !is_message && event->other == LG_NO_EVENT) {
        lg_hash_add_str(state, event->id); // of a call that was made where we do not see it
    }
    if (is_call) {
        hash_args(state, request, event, scratch);
    } else {
        lg_hash_add_str(state, event->text);
    }
}

// Hands out the events to their messages from message `first` on, and hashes them on the way; `next` is the first event.
static lg_status take_events(reader *r, lg_hash_state *state, size_t first, size_t next,
                             lg_error *reterr)
{
    const lg_trace *conversation = r->request->conversation;
    lg_buf scratch;
    lg_buf_init(&scratch, 0);
    for (size_t i = first; i < r->count; i++) {
        lg_chat_message *message = &r->messages[i];
        message->first_event = (uint32_t)next;
        while (next < conversation->count && conversation->events[next].turn <= i) {
            hash_event(state, r->request, next++, &scratch);
        }
        message->event_count = (uint32_t)next - message->first_event;
        message->hash = lg_hash_now(state);
    }
    lg_status status = lg_buf_status(&scratch);
    lg_buf_done(&scratch);
    LG_DEBUG_ASSERT(next == conversation->count); // the index of a message is its turn
    return status == LG_OK ? LG_OK : lg_fail_oom(reterr);
}

// --- The request ----------------------------------------------------------------------------------

static const lg_json *list_or_null(const lg_json *value)
{
    return lg_list_len(value) ? value : NULL;
}

static void read_fields(lg_chat_request *request)
{
    const lg_json *root = request->root;
    const lg_json *choice = lg_get(root, "tool_choice");
    int64_t n = 1;
    request->model = lg_json_str(lg_get(root, "model"));
    request->stream = lg_json_is_true(lg_get(root, "stream"));
    request->include_usage =
        lg_json_is_true(lg_get(lg_get(root, "stream_options"), "include_usage"));
    (void)lg_json_int(lg_get(root, "n") ? lg_get(root, "n") : root, &n);
    request->n = n >= 1 && n <= UINT32_MAX ? (uint32_t)n : 1;
    request->tools = list_or_null(lg_get(root, "tools"));
    request->functions = list_or_null(lg_get(root, "functions"));
    request->tool_choice = lg_given(choice) ? choice : lg_get(root, "function_call");
}

static lg_status read_conversation(lg_arena *arena, lg_chat_request *request, lg_error *reterr)
{
    lg_limits limits = {.document_bytes = arena->limit_bytes};
    lg_trace_options options = {.format = lg_chat_face_of(request->api)->format, .limits = &limits};
    lg_status status =
        lg_trace_read(arena, request->body, request->root, &options, &request->set, reterr);
    if (status == LG_OK) {
        LG_DEBUG_ASSERT(request->set->count == 1);
        request->conversation = &request->set->traces[0];
    }
    return status;
}

static void finish(const reader *r)
{
    lg_chat_request *request = r->request;
    request->messages = r->messages;
    request->message_count = r->count;
    // What follows a message of the model that is not finished goes on with its turn in Responses, whose items are one run.
    bool goes_on = request->api == LG_CHAT_RESPONSES && r->count &&
                   !r->messages[r->count - 1].is_field &&
                   r->messages[r->count - 1].role == LG_ROLE_AGENT;
    request->next_turn = (uint32_t)r->count - goes_on;
}

static lg_hash_state begin_hash(const lg_hash_key *key)
{
    static const lg_hash_key zeroes;
    lg_hash_state state;
    lg_hash_begin(&state, key ? key : &zeroes);
    return state;
}

lg_status lg_chat_request_parse(lg_arena *arena, lg_chat_api api, lg_str body,
                                const lg_chat_options *options, const lg_chat_request **ret_request,
                                lg_error *reterr)
{
    lg_chat_options o = lg_chat_options_resolve(options);
    lg_chat_request *request = LG_NEW(arena, lg_chat_request);
    reader r = {.arena = arena, .request = request};
    if (!request) {
        return lg_fail_oom(reterr);
    }
    request->api = api;
    request->body = body;
    lg_status status =
        lg_chat_parse_object(arena, body, o.limits.request_bytes, o.limits.json_depth,
                             "the request", &request->root, reterr);
    if (status == LG_OK) {
        read_fields(request);
        status = read_list(&r, reterr);
    }
    if (status == LG_OK) {
        status = read_conversation(arena, request, reterr);
    }
    if (status == LG_OK) {
        lg_hash_state state = begin_hash(o.key);
        status = take_events(&r, &state, 0, 0, reterr);
    }
    if (status == LG_OK) {
        status = lg_chat_take_notes(arena, request, reterr);
    }
    if (status != LG_OK) {
        return status;
    }
    finish(&r);
    *ret_request = request;
    return LG_OK;
}

// --- Reading on ---------------------------------------------------------------------------------

// All but the messages: what stands before and behind them is another body's.
static lg_status parse_around(lg_arena *arena, const lg_chat_reading *reading,
                              const lg_chat_limits *limits, lg_chat_request *request)
{
    lg_error why;
    lg_json_known known = {.from = reading->list_at + 1,
                           .to = reading->to,
                           .items = reading->items,
                           .count = reading->item_count};
    lg_status status =
        lg_chat_parse_beside(arena, request->body, &known, limits->request_bytes,
                             limits->json_depth, "the request", &request->root, &why);
    const lg_json *list = status == LG_OK ? lg_get(request->root, "messages") : NULL;
    bool same = lg_json_is(list, LG_JSON_ARRAY) && list->offset == reading->list_at &&
                list->len == reading->item_count;
    return status == LG_OK && !same ? LG_ERR_MISSING : status;
}

static lg_status read_events_on(lg_arena *arena, lg_chat_reading *reading, lg_chat_request *request,
                                bool *ret_more)
{
    lg_error why;
    lg_limits limits = {.document_bytes = arena->limit_bytes};
    lg_trace_options options = {.format = LG_TRACE_OPENAI, .limits = &limits};
    lg_status status = lg_trace_read_on(arena, &reading->events, request->body, request->root,
                                        &options, &request->set, ret_more, &why);
    if (status == LG_OK) {
        request->conversation = &request->set->traces[0];
    }
    return status;
}

static lg_status read_messages_on(lg_arena *arena, lg_chat_reading *reading,
                                  lg_chat_request *request, bool *ret_more)
{
    reader r = {.arena = &reading->arena,
                .request = request,
                .messages = reading->messages,
                .count = reading->message_count,
                .capacity = reading->message_capacity};
    size_t first = reading->message_count;
    size_t next = reading->events.count;
    for (size_t i = first; i < reading->item_count && !r.failed; i++) {
        add(&r, role_of(&reading->items[i]), &reading->items[i]);
    }
    lg_status status = r.failed ? LG_ERR_OOM : read_events_on(arena, reading, request, ret_more);
    if (status == LG_OK) {
        status = take_events(&r, &reading->state, first, next, NULL);
    }
    reading->messages = r.messages;
    reading->message_count = r.count;
    reading->message_capacity = r.capacity;
    finish(&r);
    return status;
}

lg_status lg_chat_request_read_on(lg_arena *arena, lg_chat_reading *reading, lg_str body,
                                  const lg_chat_options *options,
                                  const lg_chat_request **ret_request, bool *ret_more)
{
    lg_chat_options o = lg_chat_options_resolve(options);
    lg_chat_request *request = LG_NEW(arena, lg_chat_request);
    if (!request) {
        return LG_ERR_OOM;
    }
    request->api = LG_CHAT_COMPLETIONS;
    request->body = body;
    lg_status status = lg_chat_reading_extend(reading, body, &o.limits);
    if (status == LG_OK) {
        status = parse_around(arena, reading, &o.limits, request);
    }
    if (status == LG_OK) {
        read_fields(request);
        status = read_messages_on(arena, reading, request, ret_more);
    }
    if (status == LG_OK) {
        status = lg_chat_take_notes(arena, request, NULL);
    }
    *ret_request = status == LG_OK ? request : NULL;
    return status;
}
