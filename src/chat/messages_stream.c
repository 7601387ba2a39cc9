// messages_stream.c: streams of Anthropic's Messages API.
//
//     message_start {message}, then of each block content_block_start {index, content_block}, content_block_delta {index,
//     delta}, content_block_stop {index}; message_delta {delta: {stop_reason}, usage}, message_stop; ping anywhere
//
// Indices are contiguous, so behind the first block that may go everything waits for the ruling. What the events are follows
// from their data: that is what clients look at.
#include "chat/messages.h"

#include "chat/guard.h"

typedef struct block {
    lg_str start; // `content_block`
    lg_block_kind kind;
    bool is_text; // its type, which says more than its kind
    bool closed;
    bool has_json; // its arguments came in deltas
    lg_pieces json;
    lg_pieces citations;
    lg_grown_list grown; // text, thinking, signature
    const char *broken;
} block;

typedef struct state {
    lg_str start; // `message` of message_start
    lg_str delta; // data of message_delta
    block *blocks;
    size_t count;
    size_t capacity;
    bool holds; // everything from here on waits
} state;

// Of all replies of a stream.
typedef struct lasting {
    bool started;  // message_start has gone on
    uint64_t next; // index of the next block for the client
} lasting;

lg_status lg_messages_begin(lg_chat_stream *stream)
{
    state *st = LG_NEW(stream->arena, state);
    if (!stream->lasting) {
        stream->lasting = LG_NEW(stream->arena, lasting);
    }
    stream->state = st;
    if (st) {
        st->holds = stream->options.hold_text;
    }
    return st && stream->lasting ? LG_OK : LG_ERR_OOM;
}

// --- Collecting -----------------------------------------------------------------------------------

static block *block_at(lg_chat_stream *stream, const lg_json *value)
{
    state *st = stream->state;
    int64_t index;
    const lg_json *given = lg_get(value, "index");
    if (given && lg_json_int(given, &index) && index >= 0 && (uint64_t)index < st->count) {
        return &st->blocks[index];
    }
    lg_stream_fail(stream, LG_ERR_FORMAT, "an event of the reply is of no block");
    return NULL;
}

static void start_block(lg_chat_stream *stream, lg_str source, const lg_json *value)
{
    state *st = stream->state;
    const lg_json *content = lg_get(value, "content_block");
    int64_t index;
    const lg_json *given = lg_get(value, "index");
    bool next = given && lg_json_int(given, &index) && index >= 0 && (uint64_t)index == st->count;
    if (!next || !lg_json_is(content, LG_JSON_OBJECT)) {
        lg_stream_fail(stream, LG_ERR_FORMAT, "a block of the reply is not the next one");
        return;
    }
    if (st->count >= stream->options.limits.items) {
        lg_stream_fail(stream, LG_ERR_LIMIT, "the reply has more than %zu blocks", st->count);
        return;
    }
    block *blocks =
        lg_arena_grow(stream->arena, st->blocks, st->count, &st->capacity, sizeof(*blocks));
    if (!blocks) {
        lg_stream_fail_oom(stream);
        return;
    }
    st->blocks = blocks;
    blocks[st->count] = (block){.start = lg_stream_keep(stream, lg_json_source(source, content)),
                                .kind = lg_block_kind_of(content),
                                .is_text = lg_text_is(lg_get(content, "type"), "text")};
    st->holds = st->holds || blocks[st->count].kind == LG_BLOCK_CALL ||
                blocks[st->count].kind == LG_BLOCK_UNKNOWN;
    st->count++;
}

static void take_json(lg_chat_stream *stream, block *b, const lg_json *delta)
{
    if (b->kind == LG_BLOCK_SAID) {
        lg_stream_fail(stream, LG_ERR_FORMAT, "arguments of a block that is no call");
    }
    const lg_json *json = lg_get(delta, "partial_json");
    if (lg_given(lg_get(delta, "text")) || (json && !lg_json_is(json, LG_JSON_STRING))) {
        b->broken = "its deltas are not those of a call";
    }
    b->has_json = true;
    lg_pieces_add(stream, &b->json, lg_json_str(lg_get(delta, "partial_json")));
}

static const lg_json *parse(lg_chat_stream *stream, lg_str text)
{
    const lg_json *value = NULL;
    if (lg_json_parse_in(&stream->frame, text, 0, text.len, NULL, &value, NULL) != LG_OK) {
        lg_stream_fail_oom(stream); // it was parsed before
    }
    return value;
}

static void take_delta(lg_chat_stream *stream, lg_str source, const lg_json *value)
{
    block *b = block_at(stream, value);
    const lg_json *delta = lg_get(value, "delta");
    const lg_json *type = lg_get(delta, "type");
    if (!b) {
        return;
    }
    if (!lg_json_is(delta, LG_JSON_OBJECT)) {
        lg_stream_fail(stream, LG_ERR_FORMAT, "a delta of the reply is no object");
    } else if (b->closed) {
        lg_stream_fail(stream, LG_ERR_FORMAT, "a delta of a block that has ended");
    } else if (lg_given(lg_get(delta, "text")) && !b->is_text) {
        lg_stream_fail(stream, LG_ERR_FORMAT, "a text in a block of the reply that is none");
    } else if (lg_text_is(type, "input_json_delta")) {
        take_json(stream, b, delta);
    } else if (b->kind == LG_BLOCK_CALL) {
        b->broken = "its deltas are not those of a call";
    } else if (lg_text_is(type, "citations_delta")) {
        const lg_json *citation = lg_get(delta, "citation");
        lg_pieces_add(stream, &b->citations, lg_chat_text_of(source, citation));
    } else {
        for (size_t i = 0; i < lg_member_count(delta); i++) {
            const lg_json_member *member = lg_json_member_at(delta, i);
            if (!lg_str_eq(lg_json_key(member), LG_STR("type"))) {
                lg_grown_add(stream, &b->grown, lg_json_key(member), source, &member->value);
            }
        }
    }
}

static void take_start(lg_chat_stream *stream, lg_str source, const lg_json *value)
{
    state *st = stream->state;
    const lg_json *message = lg_get(value, "message");
    if (!lg_json_is(message, LG_JSON_OBJECT) || st->start.ptr) {
        lg_stream_fail(stream, LG_ERR_FORMAT, "the reply begins twice, or with no message");
    } else if (lg_says_something(lg_get(message, "content"))) {
        lg_stream_fail(stream, LG_ERR_FORMAT, "the reply begins with blocks that no event shows");
    } else {
        st->start = lg_stream_keep(stream, lg_json_source(source, message));
    }
}

// --- Passing ------------------------------------------------------------------------------------

typedef enum event_kind {
    EVENT_START,
    EVENT_BLOCK_START,
    EVENT_BLOCK_DELTA,
    EVENT_BLOCK_STOP,
    EVENT_DELTA,
    EVENT_STOP,
    EVENT_PING,
    EVENT_ERROR,
    EVENT_UNKNOWN,
} event_kind;

static event_kind event_kind_of(const lg_json *value)
{
    static const char *const types[] = {
        [EVENT_START] = "message_start",
        [EVENT_BLOCK_START] = "content_block_start",
        [EVENT_BLOCK_DELTA] = "content_block_delta",
        [EVENT_BLOCK_STOP] = "content_block_stop",
        [EVENT_DELTA] = "message_delta",
        [EVENT_STOP] = "message_stop",
        [EVENT_PING] = "ping",
        [EVENT_ERROR] = "error",
    };
    for (size_t i = 0; i < LG_COUNT(types); i++) {
        if (lg_text_is(lg_get(value, "type"), types[i])) {
            return (event_kind)i;
        }
    }
    return EVENT_UNKNOWN;
}

// As it came, but for the index of its block.
static void pass(lg_chat_stream *stream, const lg_sse_event *event, const lg_json *value,
                 uint64_t index, lg_buf *out)
{
    lg_edits edits;
    lg_edits_begin(&edits, &stream->frame, event->data);
    lg_edits_number(&edits, lg_get(value, "index"), index);
    lg_edits_member(&edits, value, "ledgergate", LG_MEMBER_GOES);
    lg_stream_emit_edits(stream, event, &edits, out);
}

static void pass_or_hold(lg_chat_stream *stream, const lg_sse_event *event, const lg_json *value,
                         event_kind kind, lg_buf *out)
{
    state *st = stream->state;
    lasting *all = stream->lasting;
    int64_t index = 0;
    if (st->holds) {
        lg_stream_hold(stream, event);
        return;
    }
    if (kind == EVENT_START) {
        if (!all->started) {
            lg_stream_go_by(stream, lg_get(lg_get(value, "message"), "id"));
            pass(stream, event, value, 0, out);
        }
        all->started = true;
        return;
    }
    (void)lg_json_int(lg_get(value, "index"), &index);
    // Nothing has gone before what passes: its index is that of the block plus those of earlier replies.
    uint64_t base = all->next - (st->count - (kind == EVENT_BLOCK_START));
    all->next += kind == EVENT_BLOCK_START;
    pass(stream, event, value, base + (uint64_t)index, out);
}

// The last one stands: clients lay each over those before.
static void take_end(lg_chat_stream *stream, const lg_sse_event *event, const lg_json *value)
{
    state *st = stream->state;
    const lg_json *usage = lg_get(value, "usage");
    bool fine = lg_json_is(lg_get(value, "delta"), LG_JSON_OBJECT) &&
                (!lg_given(usage) || lg_json_is(usage, LG_JSON_OBJECT));
    if (!fine) {
        lg_stream_fail(stream, LG_ERR_FORMAT, "the end of the reply is no object");
    }
    st->delta = lg_stream_keep(stream, event->data);
    st->holds = true;
}

// Takes in what the event says. False: it goes no further.
static bool take(lg_chat_stream *stream, const lg_sse_event *event, const lg_json *value,
                 event_kind kind, lg_buf *out)
{
    state *st = stream->state;
    block *b;
    if (kind != EVENT_START && kind != EVENT_PING && kind != EVENT_ERROR && !st->start.ptr) {
        lg_stream_fail(stream, LG_ERR_FORMAT, "the reply does not begin with `message_start`");
        return false;
    }
    switch (kind) {
    case EVENT_START:
        take_start(stream, event->data, value);
        break;
    case EVENT_BLOCK_START:
        start_block(stream, event->data, value);
        break;
    case EVENT_BLOCK_DELTA:
        take_delta(stream, event->data, value);
        break;
    case EVENT_BLOCK_STOP:
        b = block_at(stream, value);
        if (b) {
            b->closed = true;
        }
        break;
    case EVENT_DELTA:
        take_end(stream, event, value);
        break;
    case EVENT_STOP:
        stream->complete = true;
        st->holds = true;
        break;
    case EVENT_PING:
        lg_stream_emit(event, LG_STR("{\"type\": \"ping\"}"), out);
        return false;
    case EVENT_ERROR:
        lg_stream_tell_error(stream, event, value, out);
        return false;
    case EVENT_UNKNOWN:
        return stream->options.pass_unknown; // it might be a call of a kind to come
    }
    return stream->status == LG_OK;
}

// Errors and pings are written anew.
static bool has_stray(const lg_json *value, event_kind kind)
{
    static const char *const of_start[] = {"message", NULL};
    static const char *const of_block[] = {"content_block", NULL};
    static const char *const of_delta[] = {"delta", NULL};
    static const char *const of_json[] = {"partial_json", NULL};
    const lg_json *delta = lg_get(value, "delta");
    switch (kind) {
    case EVENT_START:
        return lg_has_stray_member(value, of_start) ||
               lg_message_has_stray(lg_get(value, "message"));
    case EVENT_BLOCK_START:
        return lg_has_stray_member(value, of_block) ||
               lg_block_has_stray(lg_get(value, "content_block"));
    case EVENT_BLOCK_DELTA:
    case EVENT_DELTA:
        return lg_has_stray_member(value, of_delta) ||
               (lg_text_is(lg_get(delta, "type"), "input_json_delta")
                    ? lg_has_second_reading(delta, of_json, "partial_json")
                    : lg_has_stray_member(delta, NULL));
    case EVENT_BLOCK_STOP:
    case EVENT_STOP:
        return lg_has_stray_member(value, NULL);
    case EVENT_ERROR:
    case EVENT_PING:
    case EVENT_UNKNOWN:
        break;
    }
    return false;
}

void lg_messages_event(lg_chat_stream *stream, const lg_sse_event *event, lg_buf *out)
{
    const lg_json *value = lg_stream_parse(stream, event);
    event_kind kind = event_kind_of(value);
    if (has_stray(value, kind)) {
        lg_stream_fail(stream, LG_ERR_FORMAT, LG_STRAY_CALL);
        return;
    }
    lg_sse_event named = lg_stream_named(event, value);
    if (value && take(stream, &named, value, kind, out)) {
        pass_or_hold(stream, &named, value, kind, out);
    }
}

// --- The reply ----------------------------------------------------------------------------------------

// The arguments that came in pieces: JSON, or a text if they are none.
static void write_input(lg_chat_stream *stream, block *b, lg_json_writer *w)
{
    const lg_json *value;
    lg_str json = lg_pieces_join(stream, &b->json);
    lg_limits limits = {.json_depth = stream->options.limits.json_depth};
    if (lg_str_trim(json).len == 0) {
        lg_jw_raw(w, LG_STR("{}"));
    } else if (lg_json_parse_in(&stream->frame, json, 0, json.len, &limits, &value, NULL) ==
               LG_OK) {
        lg_jw_raw(w, json);
    } else {
        lg_jw_str(w, json);
    }
}

static const lg_grown *grown_of(const block *b, lg_str key)
{
    for (size_t i = 0; i < b->grown.count; i++) {
        if (lg_str_eq(b->grown.items[i].key, key)) {
            return &b->grown.items[i];
        }
    }
    return NULL;
}

static void write_citations(const block *b, lg_json_writer *w)
{
    lg_jw_begin_array(w);
    for (size_t i = 0; i < b->citations.count; i++) {
        lg_jw_raw(w, b->citations.items[i]);
    }
    lg_jw_end_array(w);
}

static void write_grown(lg_chat_stream *stream, const lg_grown *grown, lg_str before,
                        lg_json_writer *w)
{
    lg_buf text;
    if (!grown->is_text) {
        lg_jw_raw(w, grown->json);
        return;
    }
    lg_buf_init(&text, 0);
    lg_buf_add(&text, before);
    lg_pieces_write(&grown->text, &text);
    if (lg_buf_status(&text) != LG_OK) {
        lg_stream_fail_oom(stream);
    }
    lg_jw_str(w, lg_buf_str(&text));
    lg_buf_done(&text);
}

static void write_block(lg_chat_stream *stream, block *b, lg_json_writer *w)
{
    const lg_json *start = parse(stream, b->start);
    lg_jw_begin_object(w);
    for (size_t i = 0; i < lg_member_count(start); i++) {
        const lg_json_member *member = lg_json_member_at(start, i);
        lg_str key = lg_json_key(member);
        const lg_grown *grown = grown_of(b, key);
        lg_jw_key_str(w, key);
        if (grown) {
            write_grown(stream, grown, lg_json_str(&member->value), w);
        } else if (lg_str_eq(key, LG_STR("input")) && b->has_json) {
            b->broken = lg_is_placeholder(&member->value) ? b->broken : "its arguments came twice";
            write_input(stream, b, w);
        } else if (lg_str_eq(key, LG_STR("citations")) && b->citations.count) {
            write_citations(b, w);
        } else {
            lg_jw_raw(w, lg_json_source(b->start, &member->value));
        }
    }
    for (size_t i = 0; i < b->grown.count; i++) {
        if (!lg_json_get(start, b->grown.items[i].key)) {
            lg_jw_key_str(w, b->grown.items[i].key);
            write_grown(stream, &b->grown.items[i], LG_STR(""), w);
        }
    }
    if (b->has_json && !lg_get(start, "input")) {
        lg_jw_key(w, "input");
        write_input(stream, b, w);
    }
    if (b->citations.count && !lg_get(start, "citations")) {
        lg_jw_key(w, "citations");
        write_citations(b, w);
    }
    lg_jw_end_object(w);
}

static void write_blocks(lg_chat_stream *stream, lg_json_writer *w)
{
    const state *st = stream->state;
    lg_jw_begin_array(w);
    for (size_t i = 0; i < st->count; i++) {
        write_block(stream, &st->blocks[i], w);
    }
    lg_jw_end_array(w);
}

// The members of `first`, with those of `second` over them.
static void write_over(lg_str first_text, const lg_json *first, lg_str second_text,
                       const lg_json *second, lg_json_writer *w)
{
    for (size_t i = 0; i < lg_member_count(first); i++) {
        const lg_json_member *member = lg_json_member_at(first, i);
        const lg_json *over = lg_json_get(second, lg_json_key(member));
        lg_jw_key_str(w, lg_json_key(member));
        lg_jw_raw(w, lg_given(over) ? lg_json_source(second_text, over)
                                    : lg_json_source(first_text, &member->value));
    }
    for (size_t i = 0; i < lg_member_count(second); i++) {
        const lg_json_member *member = lg_json_member_at(second, i);
        if (!lg_json_get(first, lg_json_key(member))) {
            lg_jw_key_str(w, lg_json_key(member));
            lg_jw_raw(w, lg_json_source(second_text, &member->value));
        }
    }
}

// Members of the message that its delta gives, or that are put together.
static bool write_member(lg_chat_stream *stream, const lg_json_member *member, const lg_json *delta,
                         lg_json_writer *w)
{
    const state *st = stream->state;
    lg_str key = lg_json_key(member);
    const lg_json *over = lg_json_get(lg_get(delta, "delta"), key);
    if (lg_str_eq(key, LG_STR("content"))) {
        lg_jw_key_str(w, key);
        write_blocks(stream, w);
    } else if (lg_str_eq(key, LG_STR("usage")) && lg_json_is(&member->value, LG_JSON_OBJECT)) {
        lg_jw_key_str(w, key);
        lg_jw_begin_object(w);
        write_over(st->start, &member->value, st->delta, lg_get(delta, "usage"), w);
        lg_jw_end_object(w);
    } else if (lg_given(over)) {
        lg_jw_key_str(w, key);
        lg_jw_raw(w, lg_json_source(st->delta, over));
    } else if (!lg_str_eq(key, LG_STR("ledgergate"))) {
        lg_jw_key_str(w, key);
        lg_jw_raw(w, lg_json_source(st->start, &member->value));
    }
    return true;
}

// What the delta has and the start has not.
static void write_rest(lg_chat_stream *stream, const lg_json *start, const lg_json *delta,
                       lg_json_writer *w)
{
    const state *st = stream->state;
    const lg_json *inner = lg_get(delta, "delta");
    if (!lg_get(start, "content")) {
        lg_jw_key(w, "content");
        write_blocks(stream, w);
    }
    for (size_t i = 0; i < lg_member_count(inner); i++) {
        const lg_json_member *member = lg_json_member_at(inner, i);
        bool known = lg_json_get(start, lg_json_key(member)) ||
                     lg_str_eq(lg_json_key(member), LG_STR("content")) ||
                     lg_str_eq(lg_json_key(member), LG_STR("ledgergate"));
        if (!known) {
            lg_jw_key_str(w, lg_json_key(member));
            lg_jw_raw(w, lg_json_source(st->delta, &member->value));
        }
    }
    const lg_json *usage = lg_get(delta, "usage");
    if (lg_given(usage) && !lg_json_is(lg_get(start, "usage"), LG_JSON_OBJECT) &&
        !lg_get(start, "usage")) {
        lg_jw_member_raw(w, "usage", lg_json_source(st->delta, usage));
    }
}

void lg_messages_body(lg_chat_stream *stream, lg_buf *body)
{
    const state *st = stream->state;
    lg_json_writer w = {.out = body};
    if (!st->start.ptr || !st->delta.ptr) {
        lg_stream_fail(stream, LG_ERR_FORMAT,
                       "the reply has no beginning, or no reason of its end");
        return;
    }
    for (size_t i = 0; i < st->count; i++) {
        if (!st->blocks[i].closed) {
            lg_stream_fail(stream, LG_ERR_FORMAT, "a block of the reply has no end");
            return;
        }
    }
    const lg_json *start = parse(stream, st->start);
    const lg_json *delta = parse(stream, st->delta);
    lg_jw_begin_object(&w);
    for (size_t i = 0; i < lg_member_count(start); i++) {
        (void)write_member(stream, lg_json_member_at(start, i), delta, &w);
    }
    write_rest(stream, start, delta, &w);
    lg_jw_end_object(&w);
}

void lg_messages_mark(lg_chat_stream *stream, lg_chat_reply *reply, lg_chat_call *calls)
{
    const state *st = stream->state;
    size_t next = 0;
    for (size_t i = 0; i < st->count; i++) {
        const lg_json *whole = lg_json_item(lg_get(reply->root, "content"), i);
        if (lg_block_kind_of(whole) != st->blocks[i].kind) {
            lg_stream_fail(stream, LG_ERR_FORMAT, "a block of the reply is not what it began as");
            return;
        }
        if (st->blocks[i].kind == LG_BLOCK_CALL) {
            LG_DEBUG_ASSERT(next < reply->call_count);
            calls[next].broken = st->blocks[i].broken ? st->blocks[i].broken : calls[next].broken;
            next++;
        }
    }
    LG_DEBUG_ASSERT(next == reply->call_count);
}

// --- The end --------------------------------------------------------------------------------------

typedef struct finisher {
    lg_chat_stream *stream;
    const lg_chat_ruling *ruling;
    const lg_chat_reply *reply;
    bool *gone;      // of each block
    uint64_t *index; // its index for the client
    bool *told;      // its one delta has been written
    size_t passed;   // blocks that had gone on before
    bool said;       // anything but reasoning is left
    lg_buf *out;
} finisher;

// Which blocks go, and what the others are called.
static bool plan(finisher *f)
{
    lg_chat_stream *stream = f->stream;
    const state *st = stream->state;
    lasting *all = stream->lasting;
    bool drop_text = stream->options.hold_text && lg_chat_drops_text(f->ruling, 0);
    size_t call = 0;
    f->gone = LG_NEW_ARRAY(stream->arena, bool, st->count + 1);
    f->told = LG_NEW_ARRAY(stream->arena, bool, st->count + 1);
    f->index = LG_NEW_ARRAY(stream->arena, uint64_t, st->count + 1);
    if (!f->gone || !f->told || !f->index) {
        lg_stream_fail_oom(stream);
        return false;
    }
    for (size_t i = 0; i < st->count; i++) {
        const lg_json *whole = lg_json_item(lg_get(f->reply->root, "content"), i);
        f->gone[i] = st->blocks[i].kind == LG_BLOCK_CALL
                         ? !lg_chat_is_allowed(f->reply, f->ruling, call++)
                         : lg_block_goes(whole, f->reply->pass_unknown, drop_text);
        if (f->gone[i] && i < f->passed) { // it became another kind after it had begun
            lg_stream_fail(stream, LG_ERR_FORMAT, "a block of the reply is not what it began as");
        }
    }
    bool silent = lg_chat_drops_text(f->ruling, 0) || f->reply->choices[0].text.len == 0;
    f->said = !silent || lg_chat_calls_left(f->reply, f->ruling, 0);
    uint64_t next = all->next - f->passed;
    for (size_t i = 0; i < st->count; i++) {
        f->index[i] = next;
        next += !f->gone[i];
    }
    all->next = next;
    return stream->status == LG_OK;
}

// Arguments in pieces become one piece: what was judged.
static void emit_block_event(finisher *f, const lg_sse_event *event, const lg_json *value)
{
    lg_chat_stream *stream = f->stream;
    state *st = stream->state;
    int64_t index = 0;
    (void)lg_json_int(lg_get(value, "index"), &index);
    block *b = &st->blocks[index];
    const lg_json *delta = lg_get(value, "delta");
    const lg_json *json = lg_get(delta, "partial_json");
    if (f->gone[index]) {
        return;
    }
    lg_edits edits;
    lg_edits_begin(&edits, &stream->frame, event->data);
    lg_edits_number(&edits, lg_get(value, "index"), f->index[index]);
    lg_edits_member(&edits, value, "ledgergate", LG_MEMBER_GOES);
    if (b->kind == LG_BLOCK_CALL && json) {
        if (f->told[index]) {
            return;
        }
        f->told[index] = true;
        lg_edits_string(&edits, json, lg_pieces_join(stream, &b->json));
    }
    lg_stream_emit_edits(stream, event, &edits, f->out);
}

static void emit_text(finisher *f, lg_str said)
{
    lasting *all = f->stream->lasting;
    unsigned long long index = all->next++;
    lg_edits edits; // only to print
    lg_edits_begin(&edits, &f->stream->frame, LG_STR(""));
    lg_str quoted = lg_chat_quoted(&f->stream->frame, said, &edits.failed);
    lg_str events[] = {
        lg_arena_printf(&f->stream->frame,
                        "{\"type\":\"content_block_start\",\"index\":%llu,\"content_block\":"
                        "{\"type\":\"text\",\"text\":\"\"}}",
                        index),
        lg_arena_printf(&f->stream->frame,
                        "{\"type\":\"content_block_delta\",\"index\":%llu,\"delta\":"
                        "{\"type\":\"text_delta\",\"text\":%.*s}}",
                        index, LG_FMT(quoted)),
        lg_arena_printf(&f->stream->frame, "{\"type\":\"content_block_stop\",\"index\":%llu}",
                        index)};
    static const char *const names[] = {"content_block_start", "content_block_delta",
                                        "content_block_stop"};
    for (size_t i = 0; i < LG_COUNT(events); i++) {
        if (!events[i].ptr || edits.failed) {
            lg_stream_fail_oom(f->stream);
            return;
        }
        lg_stream_write(names[i], events[i], f->out);
    }
}

// The usage of all replies: what message_start told was of the first alone.
static lg_str summed_usage(finisher *f)
{
    lg_edits edits;
    const lg_chat_reply *reply = f->reply;
    lg_edits_begin(&edits, &f->stream->frame, reply->body);
    lg_edits_add_usage(&edits, reply->usage, f->ruling);
    size_t after = reply->body.len - lg_json_end(reply->body, reply->usage);
    lg_str body = lg_edits_text(&edits);
    if (edits.failed) {
        lg_stream_fail_oom(f->stream);
        return LG_STR("{}");
    }
    return lg_str_slice(body, reply->usage->offset, body.len - after);
}

static void emit_delta(finisher *f, const lg_sse_event *event, const lg_json *value)
{
    lg_edits edits;
    const lg_json *stop_reason = lg_get(lg_get(value, "delta"), "stop_reason");
    lg_str said = lg_chat_if_nothing(f->ruling, 0);
    if (!f->said && said.len) {
        emit_text(f, said);
        f->said = true;
    }
    lg_edits_begin(&edits, &f->stream->frame, event->data);
    if (lg_is_end_for_tools(f->reply, f->ruling, stop_reason)) {
        lg_edits_string(&edits, stop_reason, LG_STR("end_turn"));
    }
    lg_member_edit changes[2] = {{"ledgergate", LG_MEMBER_GOES}};
    size_t count = 1;
    if (f->ruling->earlier_count) {
        lg_str usage = lg_json_is(f->reply->usage, LG_JSON_OBJECT)
                           ? summed_usage(f)
                           : lg_chat_earlier_usage(&f->stream->frame, f->ruling, &edits.failed);
        changes[count] = (lg_member_edit){"usage", usage};
        count += usage.len > 0;
    }
    lg_edits_members(&edits, value, changes, count);
    lg_stream_emit_edits(f->stream, event, &edits, f->out);
}

static void emit_stop(finisher *f, const lg_sse_event *event, const lg_json *value)
{
    lg_edits edits;
    lg_edits_begin(&edits, &f->stream->frame, event->data);
    lg_edits_member(&edits, value, "ledgergate",
                    f->ruling->field.len ? f->ruling->field : LG_MEMBER_GOES);
    lg_stream_emit_edits(f->stream, event, &edits, f->out);
}

static void emit_held(finisher *f, const lg_sse_event *event)
{
    lasting *all = f->stream->lasting;
    lg_arena_reset(&f->stream->frame);
    const lg_json *value = lg_stream_parse(f->stream, event);
    if (!value) {
        return;
    }
    switch (event_kind_of(value)) {
    case EVENT_START:
        if (!all->started) {
            lg_stream_go_by(f->stream, lg_get(lg_get(value, "message"), "id"));
            pass(f->stream, event, value, 0, f->out);
        }
        all->started = true;
        break;
    case EVENT_BLOCK_START:
    case EVENT_BLOCK_DELTA:
    case EVENT_BLOCK_STOP:
        emit_block_event(f, event, value);
        break;
    case EVENT_DELTA:
        emit_delta(f, event, value);
        break;
    case EVENT_STOP:
        emit_stop(f, event, value);
        break;
    case EVENT_PING:
    case EVENT_ERROR:
    case EVENT_UNKNOWN:
        lg_stream_pass(event, f->out);
        break;
    }
}

// How many blocks went on before anything was held.
static size_t passed_blocks(lg_chat_stream *stream)
{
    const state *st = stream->state;
    size_t held = 0;
    for (const lg_sse_event *e = stream->held; e; e = e->next) {
        lg_arena_reset(&stream->frame);
        const lg_json *value = lg_stream_parse(stream, e);
        held += value && event_kind_of(value) == EVENT_BLOCK_START;
    }
    return st->count - held;
}

void lg_messages_finish(lg_chat_stream *stream, const lg_chat_ruling *ruling, lg_buf *out)
{
    finisher f = {.stream = stream, .ruling = ruling, .reply = stream->reply, .out = out};
    f.passed = passed_blocks(stream);
    if (!plan(&f)) {
        return;
    }
    for (const lg_sse_event *e = stream->held; e && stream->status == LG_OK; e = e->next) {
        emit_held(&f, e);
    }
}
