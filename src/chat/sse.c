// sse.c: server-sent events, read and written.
//
// What is read of an event is what a browser would read. Nothing of the upstream's bytes goes on by itself: an event is
// written anew from what was read of it, so no line reaches a client that was none here. Clients do not agree on what a line
// is (some strip blanks or a byte order mark, some end lines where Unicode does).
#include "chat/stream.h"

#include <stdio.h>

void lg_stream_pass(const lg_sse_event *event, lg_buf *out)
{
    lg_stream_emit(event, event->data, out);
}

// JSON on a line of its own, whatever ends lines: U+0085, U+2028 and U+2029 can only stand in its strings.
static void write_line(lg_str text, lg_buf *out)
{
    size_t from = 0;
    for (size_t i = 0; i + 1 < text.len; i++) {
        const unsigned char *at = (const unsigned char *)text.ptr + i;
        bool next_line = at[0] == 0xC2 && at[1] == 0x85;
        bool separator =
            at[0] == 0xE2 && i + 2 < text.len && at[1] == 0x80 && (at[2] == 0xA8 || at[2] == 0xA9);
        if (next_line || separator) {
            lg_buf_add(out, lg_str_slice(text, from, i));
            lg_buf_add_c(out, next_line ? "\\u0085" : at[2] == 0xA8 ? "\\u2028" : "\\u2029");
            from = i + (next_line ? 2 : 3);
        }
    }
    lg_buf_add(out, lg_str_slice(text, from, text.len));
}

// Each line of the data is one of the event.
static void write_data(lg_str data, lg_buf *out)
{
    for (size_t from = 0; from <= data.len;) {
        size_t to = lg_str_line_end(data, from);
        lg_buf_add_c(out, "data: ");
        write_line(lg_str_slice(data, from, to), out);
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

// A word that can only be read as one.
static bool is_word(lg_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '!' || text.ptr[i] > '~') {
            return false;
        }
    }
    return text.len > 0 && text.len <= 256;
}

static bool is_digits(lg_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') {
            return false;
        }
    }
    return text.len > 0 && text.len <= 9;
}

static void write_field(const char *field, lg_str value, bool fine, lg_buf *out)
{
    if (fine) {
        lg_buf_addf(out, "%s: %.*s\n", field, LG_FMT(value));
    }
}

void lg_stream_emit(const lg_sse_event *event, lg_str data, lg_buf *out)
{
    write_field("event", event->name, is_word(event->name), out);
    write_field("id", event->id, is_word(event->id), out);
    write_field("retry", event->retry, is_digits(event->retry), out);
    write_data(data, out);
}

void lg_stream_emit_edits(lg_chat_stream *stream, const lg_sse_event *event, lg_edits *edits,
                          lg_buf *out)
{
    lg_str data = lg_edits_text(edits);
    if (edits->failed) {
        lg_stream_fail_oom(stream);
    } else {
        lg_stream_emit(event, data, out);
    }
}

// --- Reading ------------------------------------------------------------------------------------

// `most` bounds all lines together: they are joined once.
static void add_data(lg_chat_stream *stream, lg_sse_event *event, lg_str value, size_t most)
{
    if (!event->has_data) {
        event->has_data = true;
        event->data = value;
        return;
    }
    if (!event->joined) {
        event->joined = lg_arena_alloc(&stream->frame, most, 1);
        if (!event->joined) {
            lg_stream_fail_oom(stream);
            return;
        }
        lg_copy_bytes(event->joined, event->data.ptr, event->data.len);
    }
    size_t len = event->data.len + 1 + value.len;
    LG_DEBUG_ASSERT(len <= most);
    event->joined[event->data.len] = '\n';
    lg_copy_bytes(event->joined + event->data.len + 1, value.ptr, value.len);
    event->data = lg_str_of(event->joined, len);
}

static void read_line(lg_chat_stream *stream, lg_sse_event *event, lg_str line, size_t most)
{
    size_t colon = lg_str_find(line, LG_STR(":"));
    lg_str field = lg_str_slice(line, 0, colon);
    size_t at = colon == SIZE_MAX ? line.len : colon + 1;
    at += at < line.len && line.ptr[at] == ' ';
    lg_str value = lg_str_slice(line, at, line.len);
    event->is_comment = event->is_comment || colon == 0;
    if (lg_str_eq(field, LG_STR("data"))) {
        add_data(stream, event, value, most);
    } else if (lg_str_eq(field, LG_STR("event"))) {
        event->name = value;
    } else if (lg_str_eq(field, LG_STR("id"))) {
        event->id = value;
    } else if (lg_str_eq(field, LG_STR("retry"))) {
        event->retry = value;
    }
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

static lg_sse_event read_event(lg_chat_stream *stream, lg_str raw)
{
    lg_sse_event event = {
        .name = LG_STR(""), .id = LG_STR(""), .retry = LG_STR(""), .data = LG_STR("")};
    size_t from = stream->is_first && lg_str_starts(raw, LG_STR("\xEF\xBB\xBF")) ? 3 : 0;
    while (from < raw.len) {
        size_t to = from;
        while (to < raw.len && !is_line_end(raw.ptr[to])) {
            to++;
        }
        read_line(stream, &event, lg_str_slice(raw, from, to), raw.len);
        if (stream->status != LG_OK) {
            break;
        }
        from = to + 1; // of \r\n the \n is a line without anything
    }
    return event;
}

// --- Halves of characters -----------------------------------------------------------------------

#define ESCAPE_BYTES 6u // "\\uD83D"

// The code unit of the escape that begins at `at`, or 0: it is another escape, or none.
static uint32_t unit_at(lg_str text, size_t at)
{
    uint32_t unit = 0;
    if (at + ESCAPE_BYTES > text.len || text.ptr[at] != '\\' || text.ptr[at + 1] != 'u') {
        return 0;
    }
    for (size_t i = at + 2; i < at + ESCAPE_BYTES; i++) {
        int digit = lg_hex_digit(text.ptr[i]);
        if (digit < 0) {
            return 0;
        }
        unit = unit * 16 + (uint32_t)digit;
    }
    return unit;
}

static bool is_high(uint32_t unit)
{
    return unit >= 0xD800 && unit < 0xDC00;
}

static bool is_low(uint32_t unit)
{
    return unit >= 0xDC00 && unit < 0xE000;
}

typedef struct halves {
    size_t low;  // where a string begins with the second half of a character, or SIZE_MAX
    size_t high; // where one ends with the first half, or SIZE_MAX
    bool other;  // there are halves that are neither, or more of them
} halves;

static halves find_halves(lg_str data)
{
    halves found = {SIZE_MAX, SIZE_MAX, false};
    size_t behind = SIZE_MAX; // the last escape
    const char *at = data.len ? memchr(data.ptr, '\\', data.len) : NULL;
    while (at) {
        size_t i = (size_t)(at - data.ptr);
        uint32_t unit = unit_at(data, i);
        size_t len = unit ? ESCAPE_BYTES : 2;
        if (is_high(unit) && is_low(unit_at(data, i + len))) {
            len += ESCAPE_BYTES;
        } else if (is_high(unit)) {
            bool ends = i + len < data.len && data.ptr[i + len] == '"';
            found.other = found.other || !ends || found.high != SIZE_MAX;
            found.high = i;
        } else if (is_low(unit)) {
            bool begins = i > 0 && data.ptr[i - 1] == '"' && behind != i;
            found.other = found.other || !begins || found.low != SIZE_MAX;
            found.low = i;
        }
        behind = i + len;
        at = behind < data.len ? memchr(data.ptr + behind, '\\', data.len - behind) : NULL;
    }
    return found;
}

// A delta may end with half a character whose other half begins a later one: clients put texts together. It goes on, and is
// judged, with that one. Halves that find no other are left to the parser, which says so.
static lg_str join_halves(lg_chat_stream *stream, lg_str data)
{
    halves found = find_halves(data);
    bool joins = found.low != SIZE_MAX;
    bool ends = found.high != SIZE_MAX;
    if ((!joins && !ends) || found.other || joins != (stream->half != 0)) {
        return data;
    }
    char *text = lg_arena_alloc(&stream->frame, data.len + ESCAPE_BYTES + 1, 1);
    if (!text) {
        lg_stream_fail_oom(stream);
        return data;
    }
    size_t len = 0;
    for (size_t i = 0; i < data.len; i++) {
        if (joins && i == found.low) {
            len += (size_t)snprintf(text + len, ESCAPE_BYTES + 1, "\\u%04X", stream->half);
        }
        i += ends && i == found.high ? ESCAPE_BYTES : 0; // a quote stands behind it
        text[len++] = data.ptr[i];
    }
    stream->half = (uint16_t)(ends ? unit_at(data, found.high) : 0);
    return lg_str_of(text, len);
}

// --- Events -------------------------------------------------------------------------------------

// A comment keeps the connection alive and says nothing; an event without data is none.
static void take(lg_chat_stream *stream, lg_str raw, lg_buf *out)
{
    lg_arena_reset(&stream->frame);
    lg_sse_event event = read_event(stream, raw);
    stream->is_first = false;
    if (stream->status != LG_OK || stream->complete) {
        return;
    }
    if (event.has_data) {
        event.data = join_halves(stream, event.data);
    }
    if (event.has_data && stream->status == LG_OK) {
        stream->face->event(stream, &event, out);
    } else if (event.is_comment) {
        lg_buf_add_c(out, ":\n\n");
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
