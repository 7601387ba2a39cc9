// llm.h: questions to models: chat completions, embeddings and rerank of any server that speaks OpenAI's protocol.
//
// Whoever has two thousand questions asks them all, some of them at a time, and reads the replies by index: whatever
// order they came in, and whether they came today or out of a recording, the replies are the same.
//
//     lg_llm_options options = {.base_url = LG_STR("https://api.example.com/v1"), .model = LG_STR("judge-1"),
//                               .key = key, .in_flight = 8, .budget = {.calls = 3000},
//                               .recording = "audit.jsonl", .mode = LG_LLM_RECORD};
//     if (lg_llm_new(&options, &llm, &error) != LG_OK) ...
//     lg_llm_message messages[] = {{.role = LG_STR("system"), .text = rules}, {.role = LG_STR("user"), .text = case}};
//     requests[i] = (lg_llm_request){.messages = messages, .message_count = 2, .schema = verdict_schema};
//     lg_llm_ask_all(llm, requests, count, &arena, replies, &error);
//     if (replies[i].end == LG_LLM_OK) ... replies[i].value // JSON, and the schema allows it
//     else ... replies[i].error.msg                         // and the other replies are what they are
//
// One request that fails is one reply that says why. A client belongs to one thread and works on that thread alone, in an
// event loop of its own that turns inside lg_llm_wait() and lg_llm_ask_all().
//
// Everything that comes back is hostile: its bytes, its depth and its time are bounded, what is no JSON, or JSON of
// another form, is an error. The key is sent to the server and goes nowhere else: no message, no recording has it.
#ifndef LG_LLM_H
#define LG_LLM_H

#include "schema/schema.h"

typedef struct lg_llm lg_llm;

// --- Configuration --------------------------------------------------------------------------------

// How a server is told that it has to answer in JSON of a schema. OpenAI takes schemas whose objects require all of their
// members and allow no others.
typedef enum lg_llm_format {
    LG_LLM_FORMAT_SCHEMA, // {"type":"json_schema","json_schema":{"name":"answer","schema":...,"strict":true}}: OpenAI, vLLM
    LG_LLM_FORMAT_OBJECT_SCHEMA, // {"type":"json_object","schema":...}: llama.cpp
    LG_LLM_FORMAT_OBJECT,        // {"type":"json_object"}: the prompt has to say which JSON
    LG_LLM_FORMAT_PROMPT,        // nothing but the prompt
} lg_llm_format;

typedef enum lg_llm_mode {
    LG_LLM_OFF, // no recording is read or written
    // What is recorded is not asked again, what is asked is recorded. A question that failed in an earlier run is asked again.
    LG_LLM_RECORD,
    LG_LLM_REPLAY, // nothing is asked: what was not recorded is an error
} lg_llm_mode;

// What all requests of a client together may take; 0: without end. It is looked at before each attempt, so tokens and
// money may be passed by what is in flight then. Calls and seconds are never passed.
typedef struct lg_llm_budget {
    uint64_t calls; // HTTP requests, those that are sent again included
    uint64_t prompt_tokens, completion_tokens;
    uint64_t tokens; // both together
    double seconds;  // since lg_llm_new()
    double money;    // in the currency of the prices
} lg_llm_budget;

// Zero means the default, in brackets. Everything is copied.
typedef struct lg_llm_options {
    lg_str
        base_url; // "https://host/v1", perhaps with a query ("?api-version=1"); not needed to replay
    lg_str model;        // of requests that name none
    lg_str key;          // sent as `Authorization: Bearer ...`; empty: no such header
    uint32_t in_flight;  // requests at a time, those that wait for their next attempt included [8]
    uint32_t connect_ms; // [10 s]
    uint32_t idle_ms;    // between two bytes of an answer [as request_ms]
    uint32_t request_ms; // one attempt [120 s]
    uint32_t total_ms;   // one request with all its attempts [600 s]
    uint32_t attempts;   // of one request [5]
    uint32_t backoff_ms; // before the second attempt; doubled before each further one [500 ms]
    uint32_t most_backoff_ms; // [30 s]
    uint32_t
        most_wait_ms; // a server that asks for a longer wait (Retry-After) is not asked again [120 s]
    uint64_t seed;    // of the jitter, a part of 50 to 100 % of each wait
    uint32_t
        rounds; // how often a request with a schema is put to the model, the first time included [3]
    lg_llm_format format; // of requests with a schema
    size_t reply_bytes;   // of an answer's body [16 MiB]
    uint32_t json_depth;  // of an answer [64]
    lg_llm_budget budget;
    double prompt_price, completion_price; // of a million tokens
    lg_llm_mode mode;
    const char *recording; // a file, see recording.c; needed unless the mode is off
    const char *ca_file;   // as in net/client.h
    const char *proxy;
} lg_llm_options;

// Fails with LG_ERR_USAGE (no address, no model, a key that no header may hold), LG_ERR_IO or LG_ERR_PARSE (the recording:
// its name and line), LG_ERR_ENVIRONMENT or LG_ERR_OOM.
LG_NODISCARD lg_status lg_llm_new(const lg_llm_options *options, lg_llm **ret_llm,
                                  lg_error *reterr);

// From any thread, once: ends what is under way as LG_LLM_SPENT, and whatever is asked from then on, so that lg_llm_wait()
// returns soon. The client is still to be freed.
void lg_llm_end_all(lg_llm *llm);

// Ends what is under way without a word. Not from within a callback. NULL is allowed.
void lg_llm_free(lg_llm *llm);

// "calls=100,prompt_tokens=..,completion_tokens=..,tokens=..,seconds=..,money=..": any of them, each once. Fails with LG_ERR_USAGE.
LG_NODISCARD lg_status lg_llm_budget_read(lg_str text, lg_llm_budget *ret, lg_error *reterr);

// --- Requests -------------------------------------------------------------------------------------

typedef enum lg_llm_kind {
    LG_LLM_CHAT,   // POST {base}/chat/completions
    LG_LLM_EMBED,  // POST {base}/embeddings
    LG_LLM_RERANK, // POST {base}/rerank
} lg_llm_kind;

typedef struct lg_llm_message {
    lg_str role;          // "system", "user", "assistant", "tool"
    lg_str text;          // UTF-8
    const lg_json *parts; // content in parts, instead of `text`; or NULL
    const lg_json *calls; // `tool_calls` of an assistant, as the protocol has them; or NULL
    lg_str call_id;       // of a tool's answer
} lg_llm_message;

// Borrowed, with all that it points to, until its reply has been told. What is zero is not sent.
typedef struct lg_llm_request {
    lg_llm_kind kind;
    lg_str model; // empty: that of the options
    // The same request with another number is another question: who wants several answers to one prompt numbers them.
    // Not sent, but part of what a recording is looked up by.
    uint32_t sample;

    // Chat.
    const lg_llm_message *messages;
    size_t message_count;
    // The reply has to be JSON that this allows. What is not is put to the model again, with what was wrong
    // (`rounds`). A schema that is none fails the request.
    const lg_json *schema;
    const lg_json *tools; // an array as the protocol has it
    const lg_json *tool_choice;
    bool has_temperature;
    double temperature;
    bool has_seed;
    int64_t seed;
    uint32_t max_tokens;
    bool logprobs;
    uint32_t top_logprobs; // 0 to 20
    bool stream;           // the answer comes in events; the reply is the same
    const lg_json *more;   // an object: further members of the body. Those named above go before it

    // Embeddings: of each text one vector. Rerank: of each text one score, by `query`.
    const lg_str *texts;
    size_t text_count;
    lg_str query;
    uint32_t top_n;      // 0: all
    uint32_t dimensions; // of embeddings
} lg_llm_request;

// --- Replies --------------------------------------------------------------------------------------

typedef enum lg_llm_end {
    LG_LLM_OK,
    LG_LLM_REFUSED, // the server said no (400, 401, 403, 404 ...), or said so after all attempts (429, 5xx)
    LG_LLM_UNREACHABLE,  // no connection, a reset, an answer that was cut: after all attempts
    LG_LLM_TIMEOUT,      // likewise
    LG_LLM_BAD,          // what came is no reply: no JSON, another form, too large
    LG_LLM_INVALID,      // it is a reply, and none that the schema allows, after all rounds
    LG_LLM_SPENT,        // the budget; it was not sent, or not again
    LG_LLM_NOT_RECORDED, // when replaying
    LG_LLM_FAILED,       // memory, a request that is none, or something else of our own
} lg_llm_end;

// "ok", "refused", ...: a word for reports and recordings.
const char *lg_llm_end_name(lg_llm_end end);

typedef struct lg_llm_usage {
    uint64_t prompt_tokens, completion_tokens;
    bool estimated; // the server said nothing of it, or nonsense: a token each four bytes
} lg_llm_usage;

typedef struct lg_llm_call {
    lg_str id, name;
    lg_str args; // as the model wrote it: JSON, if it did well
} lg_llm_call;

typedef struct lg_llm_token {
    lg_str text;
    double logprob;
    const struct lg_llm_token *top; // what might have stood here, the likeliest first
    size_t top_count;
} lg_llm_token;

typedef struct lg_llm_vector {
    const float *items; // `dimensions` of them
    size_t dimensions;
} lg_llm_vector;

typedef struct lg_llm_rank {
    size_t index; // of the request's texts
    double score;
} lg_llm_rank;

typedef struct lg_llm_reply {
    lg_llm_end end;
    lg_error error; // unless LG_LLM_OK
    // Chat. Of LG_LLM_INVALID what the model said last is here, too.
    lg_str text;
    lg_str refusal; // of the model, or empty
    lg_str finish;  // "stop", "length", "tool_calls", ...
    const lg_json
        *value; // of a request with a schema; NULL if the model made calls and said nothing
    const lg_llm_call *calls;
    size_t call_count;
    const lg_llm_token *tokens; // if logprobs were asked for and came
    size_t token_count;
    // Embeddings, by the request's index: all of one length.
    const lg_llm_vector *vectors;
    size_t vector_count;
    // Rerank: the best first, of equals the one that came first in the request.
    const lg_llm_rank *ranks;
    size_t rank_count;

    lg_llm_usage usage; // of all rounds
    uint32_t rounds;    // questions put for it; 1 without a schema
    uint32_t
        attempts; // HTTP requests sent for it when it was made, which may have been in an earlier run
    unsigned status; // of HTTP, the last; 0 if there was none
    bool reused;     // out of the recording
    char hash[65];   // what the (last) exchange is recorded by
} lg_llm_reply;

// --- Asking ---------------------------------------------------------------------------------------

// Called once a request, from within lg_llm_wait() or lg_llm_ask_all(). The reply lives until it returns. It may submit more.
typedef void (*lg_llm_done)(void *data, const lg_llm_reply *reply);

// Puts the request into the queue, behind those before it. Fails with LG_ERR_OOM alone: everything else is told by `done`.
LG_NODISCARD lg_status lg_llm_submit(lg_llm *llm, const lg_llm_request *request, lg_llm_done done,
                                     void *data, lg_error *reterr);

// Turns until every reply was told. Fails with LG_ERR_IO if a reply could not be recorded (all were told nevertheless), or
// LG_ERR_INTERNAL if the loop will not turn. Not from within a callback; nor is lg_llm_ask_all().
LG_NODISCARD lg_status lg_llm_wait(lg_llm *llm, lg_error *reterr);

// Asks all of them and waits; `replies[i]` is that of `requests[i]`, and what it points to lives in `arena`. Fails as
// lg_llm_wait(), or with LG_ERR_OOM before anything was asked.
LG_NODISCARD lg_status lg_llm_ask_all(lg_llm *llm, const lg_llm_request *requests, size_t count,
                                      lg_arena *arena, lg_llm_reply *replies, lg_error *reterr);

// The JSON in what a model has said: all of it, what stands in a code fence, or the first object or array in it. For whoever
// asks without a schema. It lives in `arena` and points into `text`. NULL: there is none, and `reterr` says what is wrong with
// what looks most like it. LG_ERR_OOM shows there, too.
const lg_json *lg_llm_find_json(lg_arena *arena, lg_str text, const lg_limits *limits,
                                lg_error *reterr);

// Material for a prompt: <name>text</name>, a line each, cut to `most` bytes with a mark that says so. What looks like the
// closing tag inside of the text is broken up, so that no text ends its section. SIZE_MAX: nothing is cut.
void lg_llm_add_section(lg_buf *out, const char *name, lg_str text, size_t most);
void lg_llm_add_cut(lg_buf *out, lg_str text,
                    size_t most); // the same without tags, on no line of its own

// --- What it took ---------------------------------------------------------------------------------

typedef struct lg_llm_sum {
    uint64_t exchanges; // questions that came to an end, each once
    uint64_t attempts;  // HTTP requests
    lg_llm_usage usage;
    double money; // by the prices
} lg_llm_sum;

typedef struct lg_llm_totals {
    // Of everything that was told: when it is replayed, or reused, what it took when it was made. The same questions have
    // the same sum, so this is what a report may hold.
    lg_llm_sum made;
    lg_llm_sum sent; // of it what was sent now
    uint64_t reused; // questions that the recording answered
    uint64_t failed; // requests that ended with anything but LG_LLM_OK
} lg_llm_totals;

lg_llm_totals lg_llm_totals_of(const lg_llm *llm);

#endif
