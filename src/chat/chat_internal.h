// chat_internal.h: what the files of this room share and nobody else sees.
//
// One face a protocol (`lg_chat_face`) holds what differs: how a reply is read, rewritten and answered, and how its
// stream runs. All else is common.
#ifndef LG_CHAT_INTERNAL_H
#define LG_CHAT_INTERNAL_H

#include "base/error.h"
#include "chat/chat.h"
#include "json/writer.h"

static inline const lg_json *lg_get(const lg_json *object, const char *key)
{
    return lg_json_get(object, lg_str_c(key));
}

static inline bool lg_given(const lg_json *value) // absent and null mean the same
{
    return value && !lg_json_is(value, LG_JSON_NULL);
}

static inline size_t lg_list_len(const lg_json *value)
{
    return lg_json_is(value, LG_JSON_ARRAY) ? value->len : 0;
}

// The number of members of an object; 0 for anything else: a stranger's list has none. (lg_json_len counts elements too.)
static inline size_t lg_member_count(const lg_json *value)
{
    return lg_json_is(value, LG_JSON_OBJECT) ? value->len : 0;
}

static inline bool lg_text_is(const lg_json *value, const char *text)
{
    return lg_json_is(value, LG_JSON_STRING) && lg_str_eq(lg_json_str(value), lg_str_c(text));
}

// Of an `error`: what a client would raise. Some upstreams write an empty one where there is none.
bool lg_says_something(const lg_json *value);

// Of arguments that come in deltas: what stands in their place until then.
static inline bool lg_is_placeholder(const lg_json *args)
{
    bool is_empty = lg_json_is(args, LG_JSON_STRING) || lg_json_is(args, LG_JSON_OBJECT);
    return !lg_given(args) || (is_empty && args->len == 0);
}

// --- limits.c -----------------------------------------------------------------------------------

// `options` with every zero replaced by its default.
lg_chat_options lg_chat_options_resolve(const lg_chat_options *options);

// Parses `text`, which must be an object of at most `most` bytes; `what` it is, for messages.
LG_NODISCARD lg_status lg_chat_parse_object(lg_arena *arena, lg_str text, size_t most,
                                            uint32_t depth, const char *what, const lg_json **ret,
                                            lg_error *reterr);

// The same, where elements of a list in it may be known (NULL: none are).
LG_NODISCARD lg_status lg_chat_parse_beside(lg_arena *arena, lg_str text,
                                            const lg_json_known *known, size_t most, uint32_t depth,
                                            const char *what, const lg_json **ret,
                                            lg_error *reterr);

// --- edit.c: edits of a text, applied at once ------------------------------------------------------

typedef struct lg_edit {
    size_t from, to; // what is replaced; equal: an insertion
    lg_str text;
} lg_edit;

// Fails once and stays failed. Of two edits where one lies in what the other cuts out, the outer stands.
typedef struct lg_edits {
    lg_arena *arena;
    lg_str source;
    lg_edit *items;
    size_t count;
    size_t capacity;
    bool failed;
} lg_edits;

void lg_edits_begin(lg_edits *edits, lg_arena *arena, lg_str source);
void lg_edits_replace(lg_edits *edits, size_t from, size_t to, lg_str text);
LG_PRINTF(4, 5)
void lg_edits_replacef(lg_edits *edits, size_t from, size_t to, const char *format, ...);

// The value's own text, replaced.
void lg_edits_value(lg_edits *edits, const lg_json *value, lg_str text);
void lg_edits_string(lg_edits *edits, const lg_json *value, lg_str text); // as a JSON string
void lg_edits_number(lg_edits *edits, const lg_json *value,
                     uint64_t number); // if it is not that already

// Takes elements (members) out of a list (an object), with their commas. `gone` has one bool for each.
void lg_edits_remove(lg_edits *edits, const lg_json *container, const bool *gone);

// Adds an element at the end of a list of which `left` stay.
void lg_edits_append(lg_edits *edits, const lg_json *list, size_t left, lg_str text);

// Changes members of an object: a text is set (added at the end if there is no such member); without one (NULL) the member
// goes. Once an object, since commas depend on what is left of it.
typedef struct lg_member_edit {
    const char *key;
    lg_str text;
} lg_member_edit;

#define LG_MEMBER_GOES ((lg_str){NULL, 0})
void lg_edits_members(lg_edits *edits, const lg_json *object, const lg_member_edit *changes,
                      size_t count);
void lg_edits_member(lg_edits *edits, const lg_json *object, const char *key, lg_str text);

// Appends the source with the edits in it. Appends the source itself if there are none.
LG_NODISCARD lg_status lg_edits_apply(lg_edits *edits, lg_buf *out, lg_error *reterr);

// The source with the edits in it, in the arena.
lg_str lg_edits_text(lg_edits *edits);

// `text` as a JSON string without its quotes; with them.
lg_str lg_chat_escaped(lg_arena *arena, lg_str text, bool *failed);
lg_str lg_chat_quoted(lg_arena *arena, lg_str text, bool *failed);

// --- reply.c ------------------------------------------------------------------------------------

// A reply while it is being read. Fails once and stays failed.
typedef struct lg_reply_reader {
    lg_arena *arena;
    lg_chat_reply *reply;
    lg_chat_choice *choices;
    size_t choice_capacity;
    lg_chat_call *calls;
    size_t call_capacity;
    lg_chat_seen *seen;
    size_t seen_capacity;
    size_t unknown; // parts that `trace` has counted as left out, and that stand in `seen`
    size_t left_out;
    lg_chat_options options;
    lg_status status;
    lg_error *reterr;
} lg_reply_reader;

LG_PRINTF(3, 4)
void lg_reader_fail(lg_reply_reader *reader, lg_status status, const char *format, ...);

// Adds a choice whose message (or items, a list) `trace` reads as `format`. NULL after a failure.
lg_chat_choice *lg_reader_choice(lg_reply_reader *reader, lg_trace_format format,
                                 const lg_json *messages);
// Adds a call of the latest choice, which is recorded at `at`.
lg_chat_call *lg_reader_call(lg_reply_reader *reader, const lg_json *at, lg_str kind);
// Gives the call its id. One that is no text, or that another call of the same message has, is broken: nobody could say
// to which call a result belongs. Without an id it goes by its position.
void lg_reader_id(lg_reply_reader *reader, lg_chat_call *call, const lg_json *id);
void lg_reader_seen(lg_reply_reader *reader, lg_chat_seen_kind kind, lg_str type,
                    const lg_json *at);

// The source text of a string without its quotes decoded, or of any other value its JSON; empty for NULL.
lg_str lg_chat_text_of(lg_str source, const lg_json *value);

// --- error.c --------------------------------------------------------------------------------------

// Appends the upstream's error, told anew: of `value`, which was read from `source`, the members that errors of this API
// have, and of those only words and numbers. `stream` is NULL for a body.
void lg_chat_write_error(lg_chat_stream *stream, lg_str source, const lg_json *value, lg_buf *out);
void lg_chat_write_error_body(lg_chat_api api, lg_str source, const lg_json *value, lg_buf *out);

// --- rewriting ------------------------------------------------------------------------------------

bool lg_chat_is_allowed(const lg_chat_reply *reply, const lg_chat_ruling *ruling, size_t call);

// Of choice `choice`: how many calls are left.
size_t lg_chat_calls_left(const lg_chat_reply *reply, const lg_chat_ruling *ruling, size_t choice);
bool lg_chat_drops_text(const lg_chat_ruling *ruling, size_t choice);
lg_str lg_chat_if_nothing(const lg_chat_ruling *ruling, size_t choice);

// Adds the numbers of `earlier` usages to those of `usage`, member by member.
void lg_edits_add_usage(lg_edits *edits, const lg_json *usage, const lg_chat_ruling *ruling);

// For a reply that has no usage: that of those before it, as JSON; empty: there is none.
lg_str lg_chat_earlier_usage(lg_arena *arena, const lg_chat_ruling *ruling, bool *failed);

// --- faces ----------------------------------------------------------------------------------------

typedef struct lg_sse_event lg_sse_event;

typedef struct lg_chat_face {
    const char *name;
    lg_trace_format format;
    void (*read_reply)(lg_reply_reader *reader);
    void (*rewrite)(const lg_chat_reply *reply, const lg_chat_ruling *ruling, lg_edits *edits);
    lg_status (*ask_again)(const lg_chat_reply *reply, size_t choice, const lg_str *feedback,
                           lg_buf *out);
    // Streams. `begin` makes the state of one reply.
    lg_status (*begin)(lg_chat_stream *stream);
    void (*event)(lg_chat_stream *stream, const lg_sse_event *event, lg_buf *out);
    void (*body)(lg_chat_stream *stream, lg_buf *body);
    void (*mark)(lg_chat_stream *stream, lg_chat_reply *reply, lg_chat_call *calls);
    void (*finish)(lg_chat_stream *stream, const lg_chat_ruling *ruling, lg_buf *out);
} lg_chat_face;

const lg_chat_face *lg_chat_face_of(lg_chat_api api);
extern const lg_chat_face lg_chat_completions;
extern const lg_chat_face lg_chat_responses;
extern const lg_chat_face lg_chat_messages;

#endif
