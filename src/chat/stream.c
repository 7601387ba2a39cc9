// stream.c: the life of a stream: fed, ended, finished or gone on with.
//
// The reply is put together as if it had come unstreamed, and read by the same function. So what is judged is the same in
// both cases, and a face's stream knows nothing of judging: it holds, and releases by the ruling.
#include "chat/stream.h"

#include "base/alloc.h"

#include <stdarg.h>
#include <stdio.h>

void lg_stream_fail(lg_chat_stream *stream, lg_status status, const char *format, ...)
{
    if (stream->status != LG_OK) {
        return;
    }
    va_list args;
    va_start(args, format);
    stream->status = lg_vfail_at(&stream->error, status, (lg_position){0}, format, args);
    va_end(args);
}

void lg_stream_fail_oom(lg_chat_stream *stream)
{
    lg_stream_fail(stream, LG_ERR_OOM, "%s", lg_status_text(LG_ERR_OOM));
}

// --- What faces use -----------------------------------------------------------------------------------

const lg_json *lg_stream_parse(lg_chat_stream *stream, const lg_sse_event *event)
{
    const lg_json *value;
    lg_error why;
    const lg_chat_limits *limits = &stream->options.limits;
    lg_status status =
        lg_chat_parse_object(&stream->frame, event->data, limits->reply_bytes, limits->json_depth,
                             "an event of the reply", &value, &why);
    if (status == LG_OK) {
        return value;
    }
    lg_stream_fail(stream, status, "%s", why.msg);
    return NULL;
}

lg_sse_event lg_stream_named(const lg_sse_event *event, const lg_json *value)
{
    lg_sse_event named = *event;
    named.name = event->name.len ? lg_json_str(lg_get(value, "type")) : LG_STR("");
    return named;
}

void lg_stream_tell_error(lg_chat_stream *stream, const lg_sse_event *event, const lg_json *value,
                          lg_buf *out)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_chat_write_error(stream, event->data, value, &text);
    lg_stream_emit(event, lg_buf_str(&text), out);
    if (lg_buf_status(&text) != LG_OK) {
        lg_stream_fail_oom(stream);
    }
    lg_buf_done(&text);
    stream->told_error = true;
    lg_stream_fail(stream, LG_ERR_FORMAT, "the upstream ended its reply with an error");
}

lg_str lg_stream_keep(lg_chat_stream *stream, lg_str text)
{
    lg_str copy = lg_arena_str(stream->arena, text);
    if (!copy.ptr) {
        lg_stream_fail_oom(stream);
        return LG_STR("");
    }
    return copy;
}

lg_sse_event *lg_stream_hold(lg_chat_stream *stream, const lg_sse_event *event)
{
    lg_sse_event *copy = LG_NEW(stream->arena, lg_sse_event);
    if (!copy) {
        lg_stream_fail_oom(stream);
        return NULL;
    }
    *copy = *event;
    copy->next = NULL;
    copy->joined = NULL;
    copy->name = lg_stream_keep(stream, event->name);
    copy->id = lg_stream_keep(stream, event->id);
    copy->retry = lg_stream_keep(stream, event->retry);
    copy->data = lg_stream_keep(stream, event->data);
    *stream->held_end = copy;
    stream->held_end = &copy->next;
    return stream->status == LG_OK ? copy : NULL;
}

void lg_pieces_add(lg_chat_stream *stream, lg_pieces *pieces, lg_str text)
{
    if (text.len == 0) {
        return;
    }
    lg_str *items = lg_arena_grow(stream->arena, pieces->items, pieces->count, &pieces->capacity,
                                  sizeof(*items));
    if (!items) {
        lg_stream_fail_oom(stream);
        return;
    }
    pieces->items = items;
    items[pieces->count++] = lg_stream_keep(stream, text);
    pieces->size_bytes += text.len;
}

void lg_pieces_write(const lg_pieces *pieces, lg_buf *out)
{
    for (size_t i = 0; i < pieces->count; i++) {
        lg_buf_add(out, pieces->items[i]);
    }
}

lg_str lg_pieces_join(lg_chat_stream *stream, const lg_pieces *pieces)
{
    if (pieces->count <= 1) {
        return pieces->count ? pieces->items[0] : LG_STR("");
    }
    char *joined = lg_arena_alloc(stream->arena, pieces->size_bytes, 1);
    size_t len = 0;
    if (!joined) {
        lg_stream_fail_oom(stream);
        return LG_STR("");
    }
    for (size_t i = 0; i < pieces->count; i++) {
        memcpy(joined + len, pieces->items[i].ptr, pieces->items[i].len);
        len += pieces->items[i].len;
    }
    return lg_str_of(joined, len);
}

static lg_grown *grown_of(lg_chat_stream *stream, lg_grown_list *list, lg_str key)
{
    for (size_t i = 0; i < list->count; i++) {
        if (lg_str_eq(list->items[i].key, key)) {
            return &list->items[i];
        }
    }
    lg_grown *items =
        lg_arena_grow(stream->arena, list->items, list->count, &list->capacity, sizeof(*items));
    if (!items) {
        lg_stream_fail_oom(stream);
        return NULL;
    }
    if (list->count >= 256) {
        lg_stream_fail(stream, LG_ERR_LIMIT, "a message of the reply has too many members");
        return NULL;
    }
    list->items = items;
    items[list->count] = (lg_grown){.key = lg_stream_keep(stream, key), .json = LG_STR("null")};
    return &items[list->count++];
}

void lg_grown_add(lg_chat_stream *stream, lg_grown_list *list, lg_str key, lg_str source,
                  const lg_json *value)
{
    lg_grown *grown = grown_of(stream, list, key);
    if (!grown || !lg_given(value)) {
        return;
    }
    grown->is_text = lg_json_is(value, LG_JSON_STRING);
    if (grown->is_text) {
        lg_pieces_add(stream, &grown->text, lg_json_str(value));
    } else {
        grown->json = lg_stream_keep(stream, lg_json_source(source, value));
    }
}

void lg_grown_write(lg_chat_stream *stream, const lg_grown_list *list, lg_json_writer *w)
{
    for (size_t i = 0; i < list->count; i++) {
        lg_jw_key_str(w, list->items[i].key);
        if (list->items[i].is_text) {
            lg_jw_str(w, lg_pieces_join(stream, &list->items[i].text));
        } else {
            lg_jw_raw(w, list->items[i].json);
        }
    }
}

// --- Life -----------------------------------------------------------------------------------------

static void begin_reply(lg_chat_stream *stream)
{
    lg_buf_clear(&stream->pending);
    stream->line = stream->scanned = stream->taken_bytes = 0;
    stream->half = 0;
    stream->is_first = true;
    stream->complete = false;
    stream->reply = NULL;
    stream->held = NULL;
    stream->held_end = &stream->held;
    if (stream->status == LG_OK && stream->face->begin(stream) != LG_OK) {
        lg_stream_fail_oom(stream);
    }
}

lg_status lg_chat_stream_new(lg_arena *arena, lg_chat_api api, const lg_chat_options *options,
                             lg_chat_stream **ret_stream, lg_error *reterr)
{
    lg_chat_stream *stream = lg_zalloc(sizeof(*stream));
    if (!stream) {
        return lg_fail_oom(reterr);
    }
    stream->api = api;
    stream->face = lg_chat_face_of(api);
    stream->options = lg_chat_options_resolve(options);
    stream->arena = arena;
    lg_arena_init(&stream->frame, arena->limit_bytes);
    lg_buf_init(&stream->pending, 0);
    begin_reply(stream);
    if (stream->status != LG_OK) {
        lg_chat_stream_free(stream);
        return lg_fail_oom(reterr);
    }
    *ret_stream = stream;
    return LG_OK;
}

void lg_chat_stream_free(lg_chat_stream *stream)
{
    if (stream) {
        lg_arena_done(&stream->frame);
        lg_buf_done(&stream->pending);
        lg_free(stream);
    }
}

size_t lg_chat_stream_pending_bytes(const lg_chat_stream *stream)
{
    return stream->pending.len;
}

bool lg_chat_stream_is_complete(const lg_chat_stream *stream)
{
    return stream->complete;
}

void lg_stream_go_by(lg_chat_stream *stream, const lg_json *id)
{
    if (!stream->id.len) {
        stream->id = lg_stream_keep(stream, lg_json_str(id));
    }
}

void lg_stream_edit_id(const lg_chat_stream *stream, lg_edits *edits, const lg_json *id)
{
    if (stream->rounds && stream->id.len && lg_json_is(id, LG_JSON_STRING)) {
        lg_edits_string(edits, id, stream->id);
    }
}

lg_str lg_chat_stream_gap(lg_chat_api api)
{
    return api == LG_CHAT_COMPLETIONS ? LG_STR("\n\n") : LG_STR("");
}

lg_str lg_chat_stream_id(const lg_chat_stream *stream)
{
    return stream->id;
}

bool lg_chat_stream_told_error(const lg_chat_stream *stream)
{
    return stream->told_error;
}

// The reply as it would have come unstreamed.
static lg_str body_of(lg_chat_stream *stream)
{
    lg_buf body;
    lg_buf_init(&body, 0);
    stream->face->body(stream, &body);
    if (lg_buf_status(&body) != LG_OK) {
        lg_stream_fail_oom(stream);
    }
    lg_str text = stream->status == LG_OK ? lg_stream_keep(stream, lg_buf_str(&body)) : LG_STR("");
    lg_buf_done(&body);
    return text;
}

// What is known of the deltas and not of the calls that they make.
static lg_status mark_calls(lg_chat_stream *stream, const lg_chat_reply *parsed,
                            const lg_chat_reply **ret_reply)
{
    lg_chat_reply *reply = LG_NEW(stream->arena, lg_chat_reply);
    lg_chat_call *calls = LG_NEW_ARRAY(stream->arena, lg_chat_call, parsed->call_count + 1);
    if (!reply || !calls) {
        return LG_ERR_OOM;
    }
    lg_copy_bytes(calls, parsed->calls, parsed->call_count * sizeof(*calls));
    *reply = *parsed;
    reply->calls = calls;
    stream->face->mark(stream, reply, calls);
    *ret_reply = reply;
    return LG_OK;
}

static void make_reply(lg_chat_stream *stream)
{
    const lg_chat_reply *parsed;
    lg_chat_options options = stream->options;
    options.limits.reply_bytes = SIZE_MAX; // what came was measured; escapes may be longer here
    lg_str body = body_of(stream);
    if (stream->status != LG_OK) {
        return;
    }
    lg_error why;
    lg_status status =
        lg_chat_reply_parse(stream->arena, stream->api, body, &options, &parsed, &why);
    if (status != LG_OK) {
        lg_stream_fail(stream, status, "%s", why.msg);
    } else if (parsed->is_error) {
        lg_stream_fail(stream, LG_ERR_FORMAT, "the upstream ended its reply with an error");
    } else if (mark_calls(stream, parsed, &stream->reply) != LG_OK) {
        lg_stream_fail_oom(stream);
    }
}

static lg_status result_of(const lg_chat_stream *stream, lg_error *reterr)
{
    if (stream->status != LG_OK && reterr) {
        *reterr = stream->error;
    }
    return stream->status;
}

lg_status lg_chat_stream_end(lg_chat_stream *stream, lg_buf *out, const lg_chat_reply **ret_reply,
                             lg_error *reterr)
{
    lg_stream_flush(stream, out);
    if (stream->status == LG_OK && !stream->complete) {
        lg_stream_fail(stream, LG_ERR_FORMAT,
                       "the upstream's reply was cut: its last event is missing");
    }
    if (stream->status == LG_OK && !stream->reply) {
        make_reply(stream);
    }
    if (stream->status == LG_OK) {
        *ret_reply = stream->reply;
    }
    return result_of(stream, reterr);
}

lg_status lg_chat_stream_finish(lg_chat_stream *stream, const lg_chat_ruling *ruling, lg_buf *out,
                                lg_error *reterr)
{
    if (stream->status == LG_OK && (!stream->reply || stream->finished)) {
        return lg_fail(reterr, LG_ERR_USAGE, "a stream is finished once, after its end");
    }
    if (stream->status == LG_OK && stream->reply->left_out) {
        lg_stream_fail(stream, LG_ERR_FORMAT,
                       "the reply has parts that cannot be read, in which calls may be");
    }
    if (stream->status == LG_OK) {
        size_t before = out->len;
        stream->finished = true;
        stream->face->finish(stream, ruling, out);
        if (stream->status == LG_OK && lg_buf_status(out) != LG_OK) {
            lg_stream_fail_oom(stream);
        }
        if (stream->status != LG_OK && out->len >= before) {
            out->len = before; // all of it or nothing
        }
    }
    return result_of(stream, reterr);
}

void lg_chat_stream_again(lg_chat_stream *stream)
{
    stream->rounds++;
    begin_reply(stream);
}
