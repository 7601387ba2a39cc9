// sse.c: server-sent events, read and written.
//
// What is read of an event is what a browser would read; what goes on of it are its own bytes, with other data where the
// data had to change.
#include "chat/stream.h"

void lg_stream_pass(const lg_sse_event *event, lg_buf *out)
{
    lg_buf_add(out, event->raw);
}

// Each line of the data is one of the event.
static void write_data(lg_str data, lg_buf *out)
{
    for (size_t from = 0; from <= data.len;) {
        size_t to = lg_str_line_end(data, from);
        lg_buf_add_c(out, "data: ");
        lg_buf_add(out, lg_str_slice(data, from, to));
        lg_buf_add_byte(out, '\n');
        from = to + 1;
    }
    lg_buf_add_byte(out, '\n');
}

void lg_stream_write(const char *name, lg_str data, lg_buf *out)
{
    if (name) {
        lg_buf_addf(out, "event: %s\n", name);
    }
    write_data(data, out);
}

void lg_stream_emit(const lg_sse_event *event, lg_str data, lg_buf *out)
{
    if (event->data_at != SIZE_MAX) {
        lg_buf_add(out, lg_str_slice(event->raw, 0, event->data_at));
        lg_buf_add(out, data);
        lg_buf_add(out, lg_str_slice(event->raw, event->data_at + event->data.len, event->raw.len));
        return;
    }
    if (event->name.len) {
        lg_buf_add_c(out, "event: ");
        lg_buf_add(out, event->name);
        lg_buf_add_byte(out, '\n');
    }
    write_data(data, out);
}

// --- Reading ------------------------------------------------------------------------------------

static void add_data(lg_chat_stream *stream, lg_sse_event *event, lg_str value, size_t at)
{
    if (!event->has_data) {
        event->has_data = true;
        event->data = value;
        event->data_at = at;
        return;
    }
    size_t len = event->data.len + 1 + value.len;
    char *joined = lg_arena_alloc(&stream->frame, len, 1);
    if (!joined) {
        lg_stream_fail_oom(stream);
        return;
    }
    lg_copy_bytes(joined, event->data.ptr, event->data.len);
    joined[event->data.len] = '\n';
    lg_copy_bytes(joined + event->data.len + 1, value.ptr, value.len);
    event->data = lg_str_of(joined, len);
    event->data_at = SIZE_MAX;
}

static void read_line(lg_chat_stream *stream, lg_sse_event *event, size_t from, size_t to)
{
    lg_str line = lg_str_slice(event->raw, from, to);
    size_t colon = lg_str_find(line, LG_STR(":"));
    lg_str field = lg_str_slice(line, 0, colon);
    size_t value = colon == SIZE_MAX ? line.len : colon + 1;
    value += value < line.len && line.ptr[value] == ' ';
    if (lg_str_eq(field, LG_STR("data"))) {
        add_data(stream, event, lg_str_slice(line, value, line.len), from + value);
    } else if (lg_str_eq(field, LG_STR("event"))) {
        event->name = lg_str_slice(line, value, line.len);
    }
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

static lg_sse_event read_event(lg_chat_stream *stream, lg_str raw)
{
    lg_sse_event event = {.raw = raw, .name = LG_STR(""), .data = LG_STR(""), .data_at = SIZE_MAX};
    size_t from = stream->is_first && lg_str_starts(raw, LG_STR("\xEF\xBB\xBF")) ? 3 : 0;
    while (from < raw.len) {
        size_t to = from;
        while (to < raw.len && !is_line_end(raw.ptr[to])) {
            to++;
        }
        read_line(stream, &event, from, to);
        from = to + 1; // of \r\n the \n is a line without anything
    }
    return event;
}

// What is no event for anybody (comments, blank lines) goes on at once; an event without data is none either.
static void take(lg_chat_stream *stream, lg_str raw, lg_buf *out)
{
    lg_arena_reset(&stream->frame);
    lg_sse_event event = read_event(stream, raw);
    stream->is_first = false;
    if (stream->status != LG_OK || stream->complete) {
        return;
    }
    if (event.has_data) {
        stream->face->event(stream, &event, out);
    } else if (event.name.len == 0) {
        lg_stream_pass(&event, out);
    }
}

// The end of the next event in what is pending, or 0. A \r that is last may be half of a line end.
static size_t next_end(lg_chat_stream *stream)
{
    lg_str text = lg_buf_str(&stream->pending);
    while (stream->scanned < text.len) {
        size_t at = stream->scanned;
        if (!is_line_end(text.ptr[at])) {
            stream->scanned++;
            continue;
        }
        bool is_cr = text.ptr[at] == '\r';
        if (is_cr && at + 1 == text.len) {
            return 0;
        }
        size_t after = at + (is_cr && text.ptr[at + 1] == '\n' ? 2 : 1);
        bool blank = at == stream->line;
        stream->line = stream->scanned = after;
        if (blank) {
            return after;
        }
    }
    return 0;
}

static void check_size(lg_chat_stream *stream, size_t more)
{
    const lg_chat_limits *limits = &stream->options.limits;
    if (more > limits->reply_bytes - stream->taken_bytes) {
        lg_stream_fail(stream, LG_ERR_LIMIT, "the reply has more than %zu bytes",
                       limits->reply_bytes);
    } else {
        stream->taken_bytes += more;
    }
}

// Takes what is whole, and keeps the rest.
static void take_whole(lg_chat_stream *stream, lg_buf *out)
{
    size_t from = 0;
    for (size_t to = next_end(stream); to && stream->status == LG_OK; to = next_end(stream)) {
        take(stream, lg_str_slice(lg_buf_str(&stream->pending), from, to), out);
        from = to;
    }
    if (from) {
        memmove(stream->pending.ptr, stream->pending.ptr + from, stream->pending.len - from);
        stream->pending.len -= from;
        stream->line -= from;
        stream->scanned -= from;
    }
    if (stream->pending.len > stream->options.limits.event_bytes) {
        lg_stream_fail(stream, LG_ERR_LIMIT, "an event of the reply has more than %zu bytes",
                       stream->options.limits.event_bytes);
    }
}

lg_status lg_chat_stream_feed(lg_chat_stream *stream, lg_str bytes, lg_buf *out, lg_error *reterr)
{
    if (stream->status == LG_OK) {
        check_size(stream, bytes.len);
    }
    if (stream->status == LG_OK) {
        lg_buf_add(&stream->pending, bytes);
        if (lg_buf_status(&stream->pending) != LG_OK) {
            lg_stream_fail_oom(stream);
        }
    }
    if (stream->status == LG_OK) {
        take_whole(stream, out);
    }
    if (stream->status != LG_OK && reterr) {
        *reterr = stream->error;
    }
    return stream->status;
}

void lg_stream_flush(lg_chat_stream *stream, lg_buf *out)
{
    lg_str rest = lg_buf_str(&stream->pending);
    if (rest.len && stream->status == LG_OK) {
        lg_buf_add_c(&stream->pending, rest.ptr[rest.len - 1] == '\n' ? "\n" : "\n\n");
        if (lg_buf_status(&stream->pending) != LG_OK) {
            lg_stream_fail_oom(stream);
            return;
        }
        take_whole(stream, out);
    }
}
