// stream.h: what runs under every face's stream: events cut out of bytes, text that grows, events that are held.
#ifndef LG_CHAT_STREAM_H
#define LG_CHAT_STREAM_H

#include "chat/chat_internal.h"

// One server-sent event (HTML, section 9.2). Valid until the next one.
struct lg_sse_event {
    lg_str name; // of its `event` line, or empty
    lg_str id;
    lg_str retry;
    lg_str data; // its `data` lines, joined by line feeds
    bool has_data;
    bool is_comment;
    char *joined;       // room for all `data` lines, once there are two
    lg_sse_event *next; // of those that are held
};

// What comes in pieces and is read once.
typedef struct lg_pieces {
    lg_str *items;
    size_t count;
    size_t capacity;
    size_t size_bytes;
} lg_pieces;

struct lg_chat_stream {
    lg_chat_api api;
    const lg_chat_face *face;
    lg_chat_options options;
    lg_arena *arena;    // the caller's: of all that is kept
    lg_arena frame;     // of the event at hand
    lg_buf pending;     // bytes of an event that is not whole
    size_t line;        // in `pending`: where the line at hand begins
    size_t scanned;     // and how far it was looked at
    size_t taken_bytes; // of the reply at hand
    uint16_t half;      // of a character, which a delta has ended with; 0: none
    lg_status status;   // of the first failure, which sticks
    lg_error error;
    bool is_first;   // no event has come yet
    bool complete;   // the last event has
    bool told_error; // the upstream's own error has gone on
    bool finished;
    void *state;                // of the face, of the reply at hand
    const lg_chat_reply *reply; // once it has ended
    size_t rounds;              // replies before this one
    lg_str id;                  // that the client goes by; empty until something has gone on
    void *lasting;              // of the face, of all replies
    lg_sse_event *held;         // in the order in which they came
    lg_sse_event **held_end;
};

LG_PRINTF(3, 4)
void lg_stream_fail(lg_chat_stream *stream, lg_status status, const char *format, ...);
void lg_stream_fail_oom(lg_chat_stream *stream);

// Parses the data of an event, which must be an object. NULL: it is none, and the stream has failed.
const lg_json *lg_stream_parse(lg_chat_stream *stream, const lg_sse_event *event);

// The upstream's error, told anew from what it says of itself, and nothing after it. `value` is its data.
void lg_stream_tell_error(lg_chat_stream *stream, const lg_sse_event *event, const lg_json *value,
                          lg_buf *out);

// Clients go by the name of an event or by the `type` in its data: of one that has a name, both say the same.
lg_sse_event lg_stream_named(const lg_sse_event *event, const lg_json *value);

// Appends the event with its own data; or with other data, or edits of its own; or one of our own. `data` is JSON.
void lg_stream_pass(const lg_sse_event *event, lg_buf *out);
void lg_stream_emit(const lg_sse_event *event, lg_str data, lg_buf *out);
void lg_stream_emit_edits(lg_chat_stream *stream, const lg_sse_event *event, lg_edits *edits,
                          lg_buf *out);
void lg_stream_write(const char *name, lg_str data, lg_buf *out);

// Takes what was pending when the upstream ended as if its last line had ended.
void lg_stream_flush(lg_chat_stream *stream, lg_buf *out);

// Something of a reply by this id goes on: the first such id is the stream's to its end.
void lg_stream_go_by(lg_chat_stream *stream, const lg_json *id);

// The id of what goes on now, if it is another than the stream goes by.
void lg_stream_edit_id(const lg_chat_stream *stream, lg_edits *edits, const lg_json *id);

// Keeps a copy. NULL when out of memory: the stream has failed.
lg_sse_event *lg_stream_hold(lg_chat_stream *stream, const lg_sse_event *event);

lg_str lg_stream_keep(lg_chat_stream *stream, lg_str text); // a copy for good
void lg_pieces_add(lg_chat_stream *stream, lg_pieces *pieces, lg_str text);
void lg_pieces_write(const lg_pieces *pieces, lg_buf *out);
lg_str lg_pieces_join(lg_chat_stream *stream, const lg_pieces *pieces);

// Members of an object that nobody here knows, while they grow: texts are put together, anything else stands until
// there is another.
typedef struct lg_grown {
    lg_str key;
    bool is_text;
    lg_pieces text;
    lg_str json;
} lg_grown;

typedef struct lg_grown_list {
    lg_grown *items;
    size_t count;
    size_t capacity;
} lg_grown_list;

void lg_grown_add(lg_chat_stream *stream, lg_grown_list *list, lg_str key, lg_str source,
                  const lg_json *value);
void lg_grown_write(lg_chat_stream *stream, const lg_grown_list *list, lg_json_writer *w);

// --- faces ----------------------------------------------------------------------------------------

// Members of a message in which stands again, or beforehand, what it says: where that goes, they do. So do `logprobs`.
#define LG_COMPLETIONS_SAYS_TOO                                                                    \
    {                                                                                              \
        "reasoning_content", "reasoning", "reasoning_details", "annotations", "audio"              \
    }

// Is there, in a reply whose choices have a `message` (or a `delta`), what might be a call and is read as none?
bool lg_completions_has_stray(const lg_json *root, const char *message);
// Which of the signs that the upstream has run a tool by itself are there: a bit each. And what one is called.
#define LG_COMPLETIONS_SIGNS 15u
uint32_t lg_completions_signs(const lg_json *root, const char *message);
lg_str lg_completions_sign(size_t sign);
lg_status lg_completions_begin(lg_chat_stream *stream);
void lg_completions_event(lg_chat_stream *stream, const lg_sse_event *event, lg_buf *out);
void lg_completions_body(lg_chat_stream *stream, lg_buf *body);
void lg_completions_mark(lg_chat_stream *stream, lg_chat_reply *reply, lg_chat_call *calls);
void lg_completions_finish(lg_chat_stream *stream, const lg_chat_ruling *ruling, lg_buf *out);

lg_status lg_responses_begin(lg_chat_stream *stream);
void lg_responses_event(lg_chat_stream *stream, const lg_sse_event *event, lg_buf *out);
void lg_responses_body(lg_chat_stream *stream, lg_buf *body);
void lg_responses_mark(lg_chat_stream *stream, lg_chat_reply *reply, lg_chat_call *calls);
void lg_responses_finish(lg_chat_stream *stream, const lg_chat_ruling *ruling, lg_buf *out);

lg_status lg_messages_begin(lg_chat_stream *stream);
void lg_messages_event(lg_chat_stream *stream, const lg_sse_event *event, lg_buf *out);
void lg_messages_body(lg_chat_stream *stream, lg_buf *body);
void lg_messages_mark(lg_chat_stream *stream, lg_chat_reply *reply, lg_chat_call *calls);
void lg_messages_finish(lg_chat_stream *stream, const lg_chat_ruling *ruling, lg_buf *out);

// The number of the next event of ours.
uint64_t lg_responses_next_sequence(const lg_chat_stream *stream);

#endif
