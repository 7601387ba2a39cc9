// chat.h: the protocols of model APIs as functions over bytes: no socket, no clock, no pack.
//
// A request becomes events (read by `trace`, as the same conversation is read when it is recorded), a reply
// becomes calls, and whoever judges them gives back a ruling. What goes on is the other side's own bytes with
// edits in them: nothing is printed anew, so fields that nobody here knows stay as they are.
//
//     lg_chat_request_parse(&arena, api, body, &options, &request, &err);
//     ... observe request->conversation, judge ...
//     lg_chat_compose(request, inserts, count, &upstream_body, &err);
//
//     lg_chat_reply_parse(&arena, api, bytes, &options, &reply, &err);          // unstreamed
//     lg_chat_rewrite(reply, &ruling, &out, &err);
//
//     lg_chat_stream_new(&arena, api, &options, &stream, &err);                  // streamed
//     while (bytes come) lg_chat_stream_feed(stream, bytes, &out, &err);         // text passes, calls are held
//     lg_chat_stream_end(stream, &out, &reply, &err);                            // the same reply as unstreamed
//     lg_chat_stream_finish(stream, &ruling, &out, &err);                        // allowed calls, last events
//
// Laws: a ruling that refuses nothing gives the reply byte for byte with one more member, `ledgergate`; nothing
// of a refused call is in what is written; a streamed reply is read as the same reply unstreamed, however its
// bytes were cut; what the most lenient client would call was listed and allowed; a request's hashes depend on what its conversation says, message by message, and on a secret.
//
// Everything lives in the caller's arena and borrows the bytes that were given, which must live as long. A
// function that fails has written nothing of use. All input is a stranger's: every size has a ceiling below.
#ifndef LG_CHAT_H
#define LG_CHAT_H

#include "base/keyed_hash.h"
#include "trace/trace.h"

typedef enum lg_chat_api {
    LG_CHAT_COMPLETIONS, // OpenAI: POST /chat/completions
    LG_CHAT_RESPONSES,   // OpenAI: POST /responses
    LG_CHAT_MESSAGES,    // Anthropic: POST /messages
    LG_CHAT_API_COUNT
} lg_chat_api;

const char *lg_chat_api_name(lg_chat_api api); // "completions", "responses", "messages"

// Ceilings; zero means the default in brackets.
typedef struct lg_chat_limits {
    size_t request_bytes; // of one request body [32 MiB]
    size_t reply_bytes;   // of one reply, all events of a stream together [16 MiB]
    size_t event_bytes;   // of one event of a stream [8 MiB]
    uint32_t calls;       // in one reply [256]
    uint32_t choices;     // in one reply [128]
    uint32_t items;       // blocks or items in one reply [4096]
    uint32_t json_depth;  // levels of nesting [128]
} lg_chat_limits;

typedef struct lg_chat_options {
    lg_chat_limits limits;
    const lg_hash_key *key; // of a request's hashes; NULL: the key of zeroes, for tests
    bool
        pass_unknown; // of a reply: items, blocks and calls of kinds that are not known here are left in;
                      // else they are taken out. They are listed in either case
    bool hold_text; // of a stream: nothing passes before lg_chat_stream_finish()
} lg_chat_options;

// --- Requests -----------------------------------------------------------------------------------

// What makes a conversation be more than its messages show, or lets things happen that no call shows.
typedef enum lg_chat_note_kind {
    LG_CHAT_PREVIOUS_RESPONSE, // Responses: `previous_response_id`; `id` is it
    LG_CHAT_CONVERSATION,      // Responses: `conversation`; `id` is its id
    LG_CHAT_ITEM_REFERENCE,    // Responses: an item that is named and not there
    LG_CHAT_COMPACTION,        // a summary that only the upstream can read (Responses), or makes
    LG_CHAT_PROMPT,            // Responses: a template kept upstream; `id` is its id
    LG_CHAT_BACKGROUND, // Responses: `background: true`: the reply comes later, to somebody else
    LG_CHAT_CONTAINER,  // Messages: a container with skills and files
    LG_CHAT_BUILT_IN, // a tool that the upstream runs by itself; `id` is its type, or `mcp_servers`
    LG_CHAT_BAD_FIELD, // a field that is not of its type; `id` says which
} lg_chat_note_kind;

const char *lg_chat_note_name(lg_chat_note_kind kind); // "previous_response", "built_in", ...

typedef struct lg_chat_note {
    lg_chat_note_kind kind;
    lg_str id;
    uint32_t offset; // byte of the body
} lg_chat_note;

// One message: a turn of the conversation. Its index is the turn of its events. Of Completions each element of
// `messages` is one. Of Messages likewise, after the `system` text, if there is one. Of Responses: the
// `instructions`, if there are any; each item of the client; and each run of items of the model, which is what one
// reply of it was.
typedef struct lg_chat_message {
    lg_role role;         // of a result: LG_ROLE_USER
    bool is_field;        // `system`, `instructions`: it stands outside of the list
    uint32_t from, to;    // its bytes in the body
    uint32_t first_event; // in `conversation`; count may be 0 (nothing but reasoning)
    uint32_t event_count;
    lg_hash_digest hash; // of the events of all messages up to this one, as a session is told them
} lg_chat_message;

typedef struct lg_chat_request {
    lg_chat_api api;
    lg_str body;
    const lg_json *root; // an object
    lg_str model;        // empty: none is named
    bool stream;
    bool include_usage;         // Completions: `stream_options.include_usage`
    uint32_t n;                 // choices that are asked for, at least 1
    const lg_json *tools;       // NULL: none
    const lg_json *functions;   // Completions, before there were tools
    const lg_json *tool_choice; // or `function_call`
    const lg_trace
        *conversation; // what lg_trace_import() reads of the same body: events, turns, pairs
    const lg_trace_set
        *set; // its issues. conversation->left_out: parts that could not be read, in which
              // something may have been done
    const lg_chat_message *messages;
    size_t message_count;
    uint32_t next_turn; // of the reply
    const lg_chat_note *notes;
    size_t note_count;
} lg_chat_request;

// Parses a body. Fails with LG_ERR_PARSE (no JSON: line and column), LG_ERR_FORMAT (no object, no list of messages),
// LG_ERR_LIMIT or LG_ERR_OOM. `options` may be NULL.
LG_NODISCARD lg_status lg_chat_request_parse(lg_arena *arena, lg_chat_api api, lg_str body,
                                             const lg_chat_options *options,
                                             const lg_chat_request **ret_request, lg_error *reterr);

// What was read of the messages of a body (Completions), for the next one that begins with them.
typedef struct lg_chat_reading lg_chat_reading;

// NULL: out of memory. `list_at` is where the bracket of the messages stands in a body; `key` as in lg_chat_options.
lg_chat_reading *lg_chat_reading_new(size_t list_at, const lg_hash_key *key, size_t limit_bytes);
void lg_chat_reading_free(lg_chat_reading *reading); // NULL is allowed
size_t lg_chat_reading_bytes(const lg_chat_reading *reading);
size_t lg_chat_reading_end(const lg_chat_reading *reading); // of the bytes that it knows

// Does `body` have the same bytes, from the same place on?
bool lg_chat_reading_fits(const lg_chat_reading *reading, lg_str body, size_t list_at);

// The request that lg_chat_request_parse() makes of the same body and options, by a reading that fits it, which has all of
// its messages then. It lives in `arena` and the reading. `*ret_more`: the reading may be read on from. A failure says
// nothing of the body: the reading is of no use then, and the body is to be parsed.
LG_NODISCARD lg_status lg_chat_request_read_on(lg_arena *arena, lg_chat_reading *reading,
                                               lg_str body, const lg_chat_options *options,
                                               const lg_chat_request **ret_request, bool *ret_more);

typedef enum lg_chat_place {
    // A text at the end of message `at`, in its last text or as a part of its own, behind everything that the client
    // marked for a cache. If that message is the model's or stands outside of the list, at the end of the nearest
    // before it that is not, or else of the first one.
    LG_CHAT_TEXT,
    // A text as a message of the system, right behind message `at`.
    LG_CHAT_SYSTEM,
    // Messages (items) as JSON, comma between them, right behind message `at`: what lg_chat_ask_again() writes.
    LG_CHAT_AFTER,
    // The same, instead of message `at`.
    LG_CHAT_INSTEAD,
    // The id of the response that is continued, instead of the one that `previous_response_id` names; `at` is not read.
    LG_CHAT_PREVIOUS,
} lg_chat_place;

typedef struct lg_chat_insert {
    lg_chat_place place;
    uint32_t at; // index of a message
    lg_str text;
    // Of a text: not 0 if it stands there as it does inside a JSON string; so many bytes it has outside of one.
    size_t plain_bytes;
} lg_chat_insert;

// Appends the upstream's body: the client's bytes with `inserts` in them. Of one message: texts in their order, then what
// comes behind it in its order. What is written for a message depends on it and on its inserts alone, so what a longer
// conversation with the same inserts begins with is the same. Without inserts it is the body itself. A body without
// messages takes none. Fails with LG_ERR_USAGE for a place that is not there.
LG_NODISCARD lg_status lg_chat_compose(const lg_chat_request *request,
                                       const lg_chat_insert *inserts, size_t count, lg_buf *out,
                                       lg_error *reterr);

// --- Replies ------------------------------------------------------------------------------------

// Something that the client would act on.
typedef struct lg_chat_call {
    uint32_t choice; // index in `choices`
    uint32_t event;  // index in that choice's events
    lg_str kind; // as the protocol names it: "function", "custom", "function_call", "tool_use", ...
    lg_str id;   // by which its result finds it
    lg_str tool; // its name, or that of its kind: "computer", "shell"
    lg_str args; // as it came: JSON, or any text of a custom tool
    bool cut;    // its arguments may lack their end (length, content filter): it must be refused
    const char *broken; // it is not one call: why it must be refused, or NULL
    uint32_t offset;    // byte of the reply's `body`
} lg_chat_call;

typedef struct lg_chat_choice {
    uint32_t index;               // as it came
    lg_str text;                  // all that was said, pieces one after the other
    lg_str refusal;               // the model's own, or empty
    lg_str finish;                // finish_reason, stop_reason or status
    const lg_trace_event *events; // as `trace` reads the message: see lg_chat_proposed()
    size_t event_count;
    size_t call_count; // its calls stand side by side in `calls`
} lg_chat_choice;

typedef enum lg_chat_seen_kind {
    LG_CHAT_ACTED,    // the upstream did it itself, before anybody could judge it
    LG_CHAT_APPROVED, // likewise, after the client had approved of it: that call was judged
    LG_CHAT_UNKNOWN,  // an item, a block or a call of a kind that is not known here
} lg_chat_seen_kind;

typedef struct lg_chat_seen {
    lg_chat_seen_kind kind;
    lg_str type;
    uint32_t offset;
} lg_chat_seen;

typedef struct lg_chat_reply {
    lg_chat_api api;
    lg_str body; // of a stream: the same reply as it would have come unstreamed
    const lg_json *root;
    lg_str id;
    lg_str model;
    bool
        is_error; // it is the upstream's error, and has no choices. Responses: `status: failed` too
    const lg_json *usage; // or NULL
    const lg_chat_choice *choices;
    size_t choice_count;
    const lg_chat_call *calls; // of all choices in their order
    size_t call_count;
    const lg_chat_seen *seen;
    size_t seen_count;
    bool pass_unknown;
    size_t
        left_out; // parts that could not be read, in which a call may be; lg_chat_rewrite() refuses
} lg_chat_reply;

// Parses a reply. Errors as of lg_chat_request_parse(); an error means that nothing of it may go on.
LG_NODISCARD lg_status lg_chat_reply_parse(lg_arena *arena, lg_chat_api api, lg_str body,
                                           const lg_chat_options *options,
                                           const lg_chat_reply **ret_reply, lg_error *reterr);

// Event `index` of a choice as a session is told it after all of `request`: with the turn and the id that it has when the
// conversation is recorded with it.
lg_event lg_chat_proposed(const lg_chat_request *request, const lg_chat_choice *choice,
                          size_t index, char id_room[LG_TRACE_ID_BYTES]);

typedef struct lg_chat_choice_ruling {
    bool drop_text; // what was said does not go on (of a stream: only if it was held)
    // Said if neither text nor calls are left, and behind a text that was to be dropped and has gone on already;
    // empty: nothing is.
    lg_str if_nothing;
} lg_chat_choice_ruling;

typedef struct lg_chat_ruling {
    const bool
        *allowed; // one a call; NULL refuses all of them. A call that is cut or broken, or of
                  // a choice that was left out, is refused whatever stands here
    const lg_chat_choice_ruling *choices; // one a choice, or NULL
    lg_str field; // the value of `ledgergate`, JSON on one line; empty: no such member
    const lg_json *const
        *earlier_usage; // of the replies that this one came instead of; added to its own
    size_t earlier_count;
} lg_chat_ruling;

// Appends the reply for the client: the body without refused calls, indices contiguous, the reason of its end mended where no
// call is left. A `ledgergate` that the upstream wrote is taken out. Of an error its own words go on, without a field.
LG_NODISCARD lg_status lg_chat_rewrite(const lg_chat_reply *reply, const lg_chat_ruling *ruling,
                                       lg_buf *out, lg_error *reterr);

// Appends the round that asks for a better reply, for LG_CHAT_AFTER behind the last message of the request: the message of
// choice `choice` as it came, reasoning and all, then a result for each of its calls, feedback[i] for its i-th, and
// nothing in between. If it has no calls, feedback[0] is a message of the user. Fails with LG_ERR_USAGE if `count` is
// not the number of its calls (or 1).
LG_NODISCARD lg_status lg_chat_ask_again(const lg_chat_reply *reply, size_t choice,
                                         const lg_str *feedback, size_t count, lg_buf *out,
                                         lg_error *reterr);

// --- Streams ------------------------------------------------------------------------------------

typedef struct lg_chat_stream lg_chat_stream;

LG_NODISCARD lg_status lg_chat_stream_new(lg_arena *arena, lg_chat_api api,
                                          const lg_chat_options *options,
                                          lg_chat_stream **ret_stream, lg_error *reterr);

// Releases what is not in the arena. NULL is allowed.
void lg_chat_stream_free(lg_chat_stream *stream);

// Takes in bytes of server-sent events, cut anywhere, and appends what may go on at once. A failure is of the whole stream:
// nothing that is held will be released, and all further calls fail alike.
LG_NODISCARD lg_status lg_chat_stream_feed(lg_chat_stream *stream, lg_str bytes, lg_buf *out,
                                           lg_error *reterr);

// Bytes of an event that is not whole yet: the bytes that end it make all of it be read.
size_t lg_chat_stream_pending_bytes(const lg_chat_stream *stream);

// The last event has come: no more bytes are needed.
bool lg_chat_stream_is_complete(const lg_chat_stream *stream);

// The upstream has ended. Gives the reply. Fails with LG_ERR_FORMAT if the stream was cut: it lacks its last event, or held
// an error, which then has gone on to the client, told anew (lg_chat_stream_told_error()).
LG_NODISCARD lg_status lg_chat_stream_end(lg_chat_stream *stream, lg_buf *out,
                                          const lg_chat_reply **ret_reply, lg_error *reterr);
bool lg_chat_stream_told_error(const lg_chat_stream *stream);

// What stands between the texts of two replies that both go on in one stream, where they are one text to the client: a blank
// line; or nothing, where they are blocks of their own.
lg_str lg_chat_stream_gap(lg_chat_api api);

// The id that the client goes by: of the first reply of which something has gone on. Empty: nothing has, yet.
lg_str lg_chat_stream_id(const lg_chat_stream *stream);

// Appends the rest: what was held and is allowed, each call as one delta, the reason of the end, usage, the field in the last
// chunk (in `response` of the last event, of Responses), the last event. Once, after lg_chat_stream_end().
LG_NODISCARD lg_status lg_chat_stream_finish(lg_chat_stream *stream, const lg_chat_ruling *ruling,
                                             lg_buf *out, lg_error *reterr);

// Instead of lg_chat_stream_finish(): what was held is forgotten, and the stream goes on with another reply of the upstream.
// Its events continue those that have gone on: indices and sequence numbers follow, nothing begins twice.
void lg_chat_stream_again(lg_chat_stream *stream);

// --- Errors -------------------------------------------------------------------------------------

// Appends the protocol's own error body for an HTTP `status`: {"error": {...}}, or {"type": "error", ...}. `code` names the
// error for machines ("ledgergate_refused") and may be empty.
void lg_chat_error(lg_chat_api api, uint32_t status, lg_str code, lg_str message, lg_buf *out);

// Appends the error that an upstream has told in `body`, with a status that is no success, in its own words and nothing
// else of it; byte for byte if it is nothing else. False: it is no JSON, or has no words that errors of this API have; then nothing is appended.
bool lg_chat_error_again(lg_chat_api api, lg_str body, const lg_chat_limits *limits, lg_buf *out);

// Appends the same as the event that ends a stream which has begun. NULL: a stream of which nothing is known.
void lg_chat_stream_error(const lg_chat_stream *stream, lg_chat_api api, uint32_t status,
                          lg_str code, lg_str message, lg_buf *out);

#endif
