// responses_stream.c: streams of OpenAI's Responses API.
//
//     response.created, response.in_progress; of each item response.output_item.added {output_index, item}, its events,
//     response.output_item.done {output_index, item}; response.completed {response}: all of it once more
//
// An event names its item by its place in the output, and all are numbered: what goes on is counted anew where something
// is left out. Reasoning waits for the item that it leads to, and from the first call on everything waits. What is judged are
// the items of the last event; those that the other events have told must be the same.
#include "chat/responses.h"

#include "chat/guard.h"

typedef struct item {
    lg_item_kind kind;
    bool has_args; // of the kinds of calls whose arguments come in events of their own
    lg_str added;  // the item of each of its two events
    lg_str done;
    bool told;      // its one delta has been written
    bool passed;    // it went on before the ruling
    uint64_t index; // for the client
    lg_said said;
} item;

typedef enum holding {
    HOLD_NOTHING,
    HOLD_REASONING,
    HOLD_ALL,
} holding;

typedef struct state {
    item *items;
    size_t count;
    size_t capacity;
    holding holding;
    lg_str last; // data of the last event
} state;

// Of all replies of a stream.
typedef struct lasting {
    bool created;
    uint64_t sequence; // of the next event
    uint64_t index;    // of the next item
    lg_pieces items;   // those that went on, of replies before this one, with a comma behind each
} lasting;

uint64_t lg_responses_next_sequence(const lg_chat_stream *stream)
{
    return ((const lasting *)stream->lasting)->sequence;
}

lg_status lg_responses_begin(lg_chat_stream *stream)
{
    const state *before = stream->state;
    state *st = LG_NEW(stream->arena, state);
    if (!stream->lasting) {
        stream->lasting = LG_NEW(stream->arena, lasting);
    }
    lasting *all = stream->lasting;
    if (!st || !all) {
        return LG_ERR_OOM;
    }
    for (size_t i = 0; before && i < before->count; i++) {
        if (before->items[i].passed && before->items[i].done.ptr) {
            lg_pieces_add(stream, &all->items, before->items[i].done);
            lg_pieces_add(stream, &all->items, LG_STR(","));
        }
    }
    st->holding = stream->options.hold_text ? HOLD_ALL : HOLD_NOTHING;
    stream->state = st;
    return LG_OK;
}

// --- Events ---------------------------------------------------------------------------------------

typedef enum event_kind {
    EVENT_BEGIN, // the response, before anything is in it
    EVENT_ADDED,
    EVENT_DONE,
    EVENT_ARGS_DELTA, // of a call
    EVENT_ARGS_DONE,
    EVENT_OF_ITEM, // anything else about one
    EVENT_LAST,
    EVENT_FAILED,
    EVENT_ERROR,
    EVENT_UNKNOWN,
} event_kind;

static const struct event_name {
    const char *type; // a prefix, if it ends in a dot or an underscore
    event_kind kind;
} event_names[] = {
    {"response.created", EVENT_BEGIN},
    {"response.in_progress", EVENT_BEGIN},
    {"response.queued", EVENT_BEGIN},
    {"response.output_item.added", EVENT_ADDED},
    {"response.output_item.done", EVENT_DONE},
    {"response.function_call_arguments.delta", EVENT_ARGS_DELTA},
    {"response.function_call_arguments.done", EVENT_ARGS_DONE},
    {"response.custom_tool_call_input.delta", EVENT_ARGS_DELTA},
    {"response.custom_tool_call_input.done", EVENT_ARGS_DONE},
    {"response.completed", EVENT_LAST},
    {"response.incomplete", EVENT_LAST},
    {"response.failed", EVENT_FAILED},
    {"error", EVENT_ERROR},
    {"response.content_part.", EVENT_OF_ITEM},
    {"response.output_text.", EVENT_OF_ITEM},
    {"response.refusal.", EVENT_OF_ITEM},
    {"response.reasoning.", EVENT_OF_ITEM},
    {"response.reasoning_", EVENT_OF_ITEM},
    {"response.web_search_call.", EVENT_OF_ITEM},
    {"response.file_search_call.", EVENT_OF_ITEM},
    {"response.code_interpreter_call.", EVENT_OF_ITEM},
    {"response.code_interpreter_call_", EVENT_OF_ITEM},
    {"response.image_generation_call.", EVENT_OF_ITEM},
    {"response.mcp_", EVENT_OF_ITEM},
};

static event_kind event_kind_of(const lg_json *value)
{
    lg_str type = lg_json_str(lg_get(value, "type"));
    for (size_t i = 0; i < LG_COUNT(event_names); i++) {
        lg_str name = lg_str_c(event_names[i].type);
        char end = name.ptr[name.len - 1];
        bool same = end == '.' || end == '_' ? lg_str_starts(type, name) : lg_str_eq(type, name);
        if (same) {
            return event_names[i].kind;
        }
    }
    return EVENT_UNKNOWN;
}

static item *item_of(lg_chat_stream *stream, const lg_json *value)
{
    state *st = stream->state;
    int64_t index;
    const lg_json *given = lg_get(value, "output_index");
    if (given && lg_json_int(given, &index) && index >= 0 && (uint64_t)index < st->count) {
        return &st->items[index];
    }
    lg_stream_fail(stream, LG_ERR_FORMAT, "an event of the reply is of no item");
    return NULL;
}

// --- Passing ------------------------------------------------------------------------------------

// Counted anew, if the event is numbered.
static void number(lg_chat_stream *stream, lg_edits *edits, const lg_json *value, const item *it)
{
    lasting *all = stream->lasting;
    const lg_json *sequence = lg_get(value, "sequence_number");
    if (sequence) {
        lg_edits_number(edits, sequence, all->sequence++);
    }
    if (it) {
        lg_edits_number(edits, lg_get(value, "output_index"), it->index);
    }
}

static void pass(lg_chat_stream *stream, const lg_sse_event *event, const lg_json *value,
                 const item *it, lg_buf *out)
{
    lg_edits edits;
    lg_edits_begin(&edits, &stream->frame, event->data);
    number(stream, &edits, value, it);
    lg_edits_member(&edits, value, "ledgergate", LG_MEMBER_GOES);
    lg_stream_emit_edits(stream, event, &edits, out);
}

// What goes on now of an item, or of none.
static void go_on(lg_chat_stream *stream, const lg_sse_event *event, const lg_json *value,
                  lg_buf *out)
{
    lasting *all = stream->lasting;
    event_kind kind = event_kind_of(value);
    item *it = kind == EVENT_BEGIN || kind == EVENT_UNKNOWN ? NULL : item_of(stream, value);
    if (kind == EVENT_BEGIN) {
        if (stream->rounds && all->created) {
            return;
        }
        lg_stream_go_by(stream, lg_get(lg_get(value, "response"), "id"));
        all->created = true;
    }
    if (it && kind == EVENT_ADDED) {
        it->index = all->index++;
        it->passed = true;
    }
    pass(stream, event, value, it, out);
}

static void release(lg_chat_stream *stream, lg_buf *out)
{
    lg_sse_event *event = stream->held;
    stream->held = NULL;
    stream->held_end = &stream->held;
    for (; event && stream->status == LG_OK; event = event->next) {
        const lg_json *value = lg_stream_parse(stream, event);
        if (value) {
            go_on(stream, event, value, out);
        }
    }
}

// --- Collecting -----------------------------------------------------------------------------------

static void add_item(lg_chat_stream *stream, lg_str source, const lg_json *value)
{
    state *st = stream->state;
    const lg_json *added = lg_get(value, "item");
    const lg_json *given = lg_get(value, "output_index");
    int64_t index;
    bool next = given && lg_json_int(given, &index) && index >= 0 && (uint64_t)index == st->count;
    if (!next || !lg_json_is(added, LG_JSON_OBJECT)) {
        lg_stream_fail(stream, LG_ERR_FORMAT, "an item of the reply is not the next one");
        return;
    }
    if (st->count >= stream->options.limits.items) {
        lg_stream_fail(stream, LG_ERR_LIMIT, "the reply has more than %zu items", st->count);
        return;
    }
    item *items = lg_arena_grow(stream->arena, st->items, st->count, &st->capacity, sizeof(*items));
    if (!items) {
        lg_stream_fail_oom(stream);
        return;
    }
    st->items = items;
    const lg_json *type = lg_get(added, "type");
    items[st->count++] = (item){.kind = lg_item_kind_of(added),
                                .has_args = lg_text_is(type, "function_call") ||
                                            lg_text_is(type, "custom_tool_call"),
                                .added = lg_stream_keep(stream, lg_json_source(source, added))};
}

// A message is something to hear, and what was acted has been: neither can be ruled out, nor the thoughts before it.
static void choose_holding(lg_chat_stream *stream, lg_buf *out)
{
    state *st = stream->state;
    lg_item_kind kind = st->items[st->count - 1].kind;
    if (st->holding == HOLD_ALL) {
        return;
    }
    if (kind == LG_ITEM_CALL || kind == LG_ITEM_UNKNOWN) {
        st->holding = HOLD_ALL;
    } else if (kind == LG_ITEM_REASONING) {
        st->holding = HOLD_REASONING;
    } else {
        st->holding = HOLD_NOTHING;
        release(stream, out);
    }
}

static const lg_json *parse(lg_chat_stream *stream, lg_str text)
{
    const lg_json *value = NULL;
    if (text.len &&
        lg_json_parse_in(&stream->frame, text, 0, text.len, NULL, &value, NULL) != LG_OK) {
        lg_stream_fail_oom(stream); // it was parsed before
    }
    return value;
}

static bool is_of_call(event_kind kind)
{
    return kind == EVENT_ARGS_DELTA || kind == EVENT_ARGS_DONE;
}

// A text that was told is the text at the end.
static void check_said(lg_chat_stream *stream, const item *it, const lg_json *done)
{
    const lg_json *added = parse(stream, it->added);
    bool same = lg_said_is(stream, &it->said, done) &&
                (!lg_says_something(lg_get(added, "content")) || lg_said_same(added, done));
    if (it->kind == LG_ITEM_SAID && !same) {
        lg_stream_fail(stream, LG_ERR_FORMAT, "a text of the reply is told in two ways");
    }
}

static void take_item_event(lg_chat_stream *stream, lg_str source, const lg_json *value,
                            event_kind kind)
{
    item *it = item_of(stream, value);
    if (!it) {
        return;
    }
    if (it->done.ptr) {
        lg_stream_fail(stream, LG_ERR_FORMAT, "an event of an item that has ended");
    } else if (is_of_call(kind) && it->kind != LG_ITEM_UNKNOWN && !it->has_args) {
        lg_stream_fail(stream, LG_ERR_FORMAT, "arguments of an item that is no call");
    } else if (kind == EVENT_DONE) {
        const lg_json *done = lg_get(value, "item");
        if (!done || lg_item_kind_of(done) != it->kind) {
            lg_stream_fail(stream, LG_ERR_FORMAT, "an item of the reply ends as another one");
        } else {
            it->done = lg_stream_keep(stream, lg_json_source(source, done));
            check_said(stream, it, done);
        }
    } else if (kind == EVENT_OF_ITEM) {
        lg_said_take(stream, &it->said, it->kind == LG_ITEM_SAID, value);
    }
}

// Takes in what the event says. False: it goes no further.
static bool take(lg_chat_stream *stream, const lg_sse_event *event, const lg_json *value,
                 lg_buf *out)
{
    state *st = stream->state;
    event_kind kind = event_kind_of(value);
    switch (kind) {
    case EVENT_BEGIN:
        if (lg_says_something(lg_get(lg_get(value, "response"), "output"))) {
            lg_stream_fail(stream, LG_ERR_FORMAT,
                           "the reply begins with items that no event shows");
        }
        break;
    case EVENT_ADDED:
        add_item(stream, event->data, value);
        if (stream->status == LG_OK) {
            choose_holding(stream, out);
        }
        break;
    case EVENT_DONE:
    case EVENT_ARGS_DELTA:
    case EVENT_ARGS_DONE:
    case EVENT_OF_ITEM:
        take_item_event(stream, event->data, value, kind);
        break;
    case EVENT_LAST:
        st->last = lg_stream_keep(stream, event->data);
        st->holding = HOLD_ALL;
        stream->complete = true;
        break;
    case EVENT_FAILED:
    case EVENT_ERROR:
        lg_stream_tell_error(stream, event, value, out);
        return false;
    case EVENT_UNKNOWN:
        return stream->options.pass_unknown; // it might be of a call of a kind to come
    }
    return stream->status == LG_OK;
}

// Errors are written anew. The arguments of a call are written as they were judged.
static bool has_stray(const lg_json *value)
{
    static const char *const of_item[] = {"item", NULL};
    static const char *const of_response[] = {"response", NULL};
    static const char *const of_args[] = {"arguments", "input", "name", NULL};
    switch (event_kind_of(value)) {
    case EVENT_ERROR:
    case EVENT_FAILED:
    case EVENT_UNKNOWN:
        return false;
    case EVENT_ARGS_DELTA:
    case EVENT_ARGS_DONE:
        return lg_has_stray_member(value, of_args);
    case EVENT_ADDED:
    case EVENT_DONE:
        return lg_has_stray_member(value, of_item) || lg_item_has_stray(lg_get(value, "item"));
    case EVENT_BEGIN:
    case EVENT_LAST:
        return lg_has_stray_member(value, of_response) ||
               lg_response_has_stray(lg_get(value, "response"));
    case EVENT_OF_ITEM:
        break;
    }
    return lg_has_stray_member(value, NULL);
}

void lg_responses_event(lg_chat_stream *stream, const lg_sse_event *event, lg_buf *out)
{
    if (lg_str_eq(lg_str_trim(event->data), LG_STR("[DONE]"))) {
        return; // some write it here, too; the end is another event
    }
    const lg_json *value = lg_stream_parse(stream, event);
    if (has_stray(value)) {
        lg_stream_fail(stream, LG_ERR_FORMAT, LG_STRAY_CALL);
        return;
    }
    lg_sse_event named = lg_stream_named(event, value);
    if (!value || !take(stream, &named, value, out)) {
        return;
    }
    if (((const state *)stream->state)->holding == HOLD_NOTHING) {
        go_on(stream, &named, value, out);
    } else {
        lg_stream_hold(stream, &named);
    }
}

// --- The reply ----------------------------------------------------------------------------------------

static void write_items(lg_chat_stream *stream, lg_buf *body)
{
    const state *st = stream->state;
    for (size_t i = 0; i < st->count; i++) {
        lg_buf_add_c(body, i ? "," : "");
        lg_buf_add(body, st->items[i].done);
    }
}

// The last event's response. Some leave its output empty: then it is that of the other events.
void lg_responses_body(lg_chat_stream *stream, lg_buf *body)
{
    const state *st = stream->state;
    const lg_json *response = lg_get(parse(stream, st->last), "response");
    const lg_json *output = lg_get(response, "output");
    if (!lg_json_is(response, LG_JSON_OBJECT) || !lg_json_is(output, LG_JSON_ARRAY)) {
        lg_stream_fail(stream, LG_ERR_FORMAT, "the last event of the reply has no response");
        return;
    }
    for (size_t i = 0; i < st->count; i++) {
        if (!st->items[i].done.ptr) {
            lg_stream_fail(stream, LG_ERR_FORMAT, "an item of the reply has no end");
            return;
        }
    }
    if (lg_list_len(output) && lg_list_len(output) != st->count) {
        lg_stream_fail(stream, LG_ERR_FORMAT,
                       "the reply ends with other items than its events have told");
        return;
    }
    lg_str source = lg_json_source(st->last, response);
    size_t at = output->offset - response->offset;
    lg_buf_add(body, lg_str_slice(source, 0, at + 1));
    if (lg_list_len(output) == 0) {
        write_items(stream, body);
    }
    lg_buf_add(body, lg_str_slice(source, at + 1, source.len));
}

static bool is_same_member(const lg_json *a, const lg_json *b, const char *key)
{
    const lg_json *left = lg_get(a, key);
    const lg_json *right = lg_get(b, key);
    return left && right ? lg_json_equal(left, right) : left == right;
}

static bool is_same_call(const lg_json *a, const lg_json *b)
{
    static const char *const keys[] = {"type", "call_id", "id", "name", "server_label"};
    for (size_t i = 0; i < LG_COUNT(keys); i++) {
        if (!is_same_member(a, b, keys[i])) {
            return false;
        }
    }
    return true;
}

// Arguments that are there when an item begins are those that it ends with, or none.
static bool begins_with_args(const lg_json *added, const lg_json *judged)
{
    const lg_json *args = lg_get(added, lg_item_args_key(judged));
    return lg_is_placeholder(args) || lg_json_equal(args, lg_get(judged, lg_item_args_key(judged)));
}

// Why the events of a call do not tell what the last one does, or NULL.
static const char *broken_of(lg_chat_stream *stream, const item *it, const lg_json *judged)
{
    const lg_json *added = parse(stream, it->added);
    const lg_json *done = parse(stream, it->done);
    bool same = is_same_call(added, judged) && is_same_call(done, judged) &&
                is_same_member(done, judged, lg_item_args_key(judged)) &&
                begins_with_args(added, judged);
    return same ? NULL : "its events tell of another call than the last one";
}

void lg_responses_mark(lg_chat_stream *stream, lg_chat_reply *reply, lg_chat_call *calls)
{
    state *st = stream->state;
    const lg_json *output = lg_get(reply->root, "output");
    size_t next = 0;
    LG_DEBUG_ASSERT(reply->is_error || lg_list_len(output) == st->count);
    for (size_t i = 0; i < st->count && !reply->is_error; i++) {
        const lg_json *judged = lg_json_item(output, i);
        if (lg_item_kind_of(judged) != st->items[i].kind) {
            lg_stream_fail(stream, LG_ERR_FORMAT, "an item of the reply ends as another one");
            return;
        }
        if (st->items[i].kind == LG_ITEM_SAID &&
            !lg_said_same(parse(stream, st->items[i].done), judged)) {
            lg_stream_fail(stream, LG_ERR_FORMAT, "a text of the reply is told in two ways");
            return;
        }
        if (st->items[i].kind == LG_ITEM_CALL) {
            const char *broken = broken_of(stream, &st->items[i], judged);
            calls[next].broken = broken ? broken : calls[next].broken;
            next++;
        }
    }
}

// --- The end --------------------------------------------------------------------------------------

typedef struct finisher {
    lg_chat_stream *stream;
    const lg_chat_ruling *ruling;
    const lg_chat_reply *reply;
    bool *gone;
    lg_str said; // the item that says something where nothing is left, or empty
    lg_str said_id;
    lg_buf *out;
} finisher;

// A call is told as it was judged, in one delta.
static void emit_args(finisher *f, const lg_sse_event *event, const lg_json *value, item *it,
                      size_t index)
{
    lg_edits edits;
    const lg_json *judged = lg_json_item(lg_get(f->reply->root, "output"), index);
    const char *key = lg_item_args_key(judged);
    bool is_delta = event_kind_of(value) == EVENT_ARGS_DELTA;
    if (is_delta && it->told) {
        return;
    }
    it->told = it->told || is_delta;
    lg_edits_begin(&edits, &f->stream->frame, event->data);
    number(f->stream, &edits, value, it);
    lg_str args = lg_chat_quoted(edits.arena, lg_json_str(lg_get(judged, key)), &edits.failed);
    lg_str name = lg_chat_quoted(edits.arena, lg_json_str(lg_get(judged, "name")), &edits.failed);
    lg_member_edit changes[] = {
        {is_delta ? "delta" : key, args},
        {is_delta ? key : "delta", LG_MEMBER_GOES},
        {strcmp(key, "input") == 0 ? "arguments" : "input", LG_MEMBER_GOES},
        {"ledgergate", LG_MEMBER_GOES},
        {"name", lg_get(value, "name") ? name : LG_MEMBER_GOES},
    };
    lg_edits_members(&edits, value, changes, LG_COUNT(changes));
    lg_stream_emit_edits(f->stream, event, &edits, f->out);
}

static void emit_item_event(finisher *f, const lg_sse_event *event, const lg_json *value,
                            event_kind kind)
{
    state *st = f->stream->state;
    lasting *all = f->stream->lasting;
    item *it = item_of(f->stream, value);
    if (!it || f->gone[it - st->items]) {
        return;
    }
    if (kind == EVENT_ADDED) {
        it->index = all->index++;
    }
    if (is_of_call(kind) && it->kind == LG_ITEM_CALL) {
        emit_args(f, event, value, it, (size_t)(it - st->items));
    } else {
        pass(f->stream, event, value, it, f->out);
    }
}

static void emit_own(finisher *f, const char *type, lg_str rest)
{
    lasting *all = f->stream->lasting;
    lg_str data =
        lg_arena_printf(&f->stream->frame, "{\"type\":\"%s\",\"sequence_number\":%llu,%.*s}", type,
                        (unsigned long long)all->sequence++, LG_FMT(rest));
    if (data.ptr && rest.ptr) {
        lg_stream_write(type, data, f->out);
    } else {
        lg_stream_fail_oom(f->stream);
    }
}

// The events of a message of our own.
static void emit_said(finisher *f, lg_str text)
{
    lg_arena *frame = &f->stream->frame;
    lasting *all = f->stream->lasting;
    unsigned long long index = all->index++;
    bool failed = false;
    lg_str quoted = lg_chat_quoted(frame, text, &failed);
    lg_str place =
        lg_arena_printf(frame, "\"item_id\":\"%.*s\",\"output_index\":%llu,\"content_index\":0",
                        LG_FMT(f->said_id), index);
    if (failed || !place.ptr) {
        lg_stream_fail_oom(f->stream);
        return;
    }
    emit_own(f, "response.output_item.added",
             lg_arena_printf(frame,
                             "\"output_index\":%llu,\"item\":{\"id\":\"%.*s\",\"type\":"
                             "\"message\",\"status\":\"in_progress\",\"role\":\"assistant\","
                             "\"content\":[]}",
                             index, LG_FMT(f->said_id)));
    emit_own(f, "response.content_part.added",
             lg_arena_printf(
                 frame, "%.*s,\"part\":{\"type\":\"output_text\",\"annotations\":[],\"text\":\"\"}",
                 LG_FMT(place)));
    emit_own(f, "response.output_text.delta",
             lg_arena_printf(frame, "%.*s,\"delta\":%.*s", LG_FMT(place), LG_FMT(quoted)));
    emit_own(f, "response.output_text.done",
             lg_arena_printf(frame, "%.*s,\"text\":%.*s", LG_FMT(place), LG_FMT(quoted)));
    emit_own(f, "response.content_part.done",
             lg_arena_printf(
                 frame, "%.*s,\"part\":{\"type\":\"output_text\",\"annotations\":[],\"text\":%.*s}",
                 LG_FMT(place), LG_FMT(quoted)));
    emit_own(f, "response.output_item.done",
             lg_arena_printf(frame, "\"output_index\":%llu,\"item\":%.*s", index, LG_FMT(f->said)));
}

static void emit_last(finisher *f, const lg_sse_event *event, const lg_json *value)
{
    lg_edits edits;
    lasting *all = f->stream->lasting;
    const lg_json *response = lg_get(value, "response");
    if (f->said.len) {
        emit_said(f, lg_chat_if_nothing(f->ruling, 0));
    }
    lg_edits_begin(&edits, &f->stream->frame, event->data);
    number(f->stream, &edits, value, NULL);
    lg_stream_edit_id(f->stream, &edits, lg_get(response, "id"));
    lg_edits_member(&edits, value, "ledgergate", LG_MEMBER_GOES);
    lg_member_edit changes[2] = {
        {"ledgergate", f->ruling->field.len ? f->ruling->field : LG_MEMBER_GOES}};
    size_t count = 1;
    if (f->ruling->earlier_count && !lg_json_is(lg_get(response, "usage"), LG_JSON_OBJECT)) {
        lg_str usage = lg_chat_earlier_usage(&f->stream->frame, f->ruling, &edits.failed);
        changes[count] = (lg_member_edit){"usage", usage};
        count += usage.len > 0;
    }
    lg_edits_members(&edits, response, changes, count);
    lg_response_edit(&edits, response, f->ruling, f->gone, lg_pieces_join(f->stream, &all->items),
                     f->said);
    lg_stream_emit_edits(f->stream, event, &edits, f->out);
}

static void emit_held(finisher *f, const lg_sse_event *event)
{
    lg_arena_reset(&f->stream->frame);
    const lg_json *value = lg_stream_parse(f->stream, event);
    event_kind kind = event_kind_of(value);
    if (!value) {
        return;
    }
    switch (kind) {
    case EVENT_ADDED:
    case EVENT_DONE:
    case EVENT_ARGS_DELTA:
    case EVENT_ARGS_DONE:
    case EVENT_OF_ITEM:
        emit_item_event(f, event, value, kind);
        break;
    case EVENT_LAST:
        emit_last(f, event, value);
        break;
    case EVENT_BEGIN:
    case EVENT_FAILED:
    case EVENT_ERROR:
    case EVENT_UNKNOWN:
        go_on(f->stream, event, value, f->out);
        break;
    }
}

void lg_responses_finish(lg_chat_stream *stream, const lg_chat_ruling *ruling, lg_buf *out)
{
    const state *st = stream->state;
    bool drop_text = stream->options.hold_text && lg_chat_drops_text(ruling, 0);
    finisher f = {.stream = stream, .ruling = ruling, .reply = stream->reply, .out = out};
    f.gone = LG_NEW_ARRAY(stream->arena, bool, st->count + 1);
    if (!f.gone) {
        lg_stream_fail_oom(stream);
        return;
    }
    lg_str said = lg_chat_if_nothing(ruling, 0);
    bool any = lg_items_plan(f.reply, ruling, drop_text, f.gone);
    any = any && (!lg_chat_drops_text(ruling, 0) || lg_chat_calls_left(f.reply, ruling, 0));
    f.said_id = lg_item_said_id(stream->arena, f.reply->id);
    f.said = any || !said.len ? LG_STR("") : lg_item_said(stream->arena, f.said_id, said);
    for (size_t i = 0; i < st->count; i++) {
        if (f.gone[i] && st->items[i].passed) {
            lg_stream_fail(stream, LG_ERR_FORMAT, "an item of the reply is not what it began as");
        }
    }
    if (!f.said.ptr) {
        lg_stream_fail_oom(stream);
    }
    for (const lg_sse_event *e = stream->held; e && stream->status == LG_OK; e = e->next) {
        emit_held(&f, e);
    }
}
