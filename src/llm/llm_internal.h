// llm_internal.h: what the files of this room share.
//
// Three layers: words (request.c, stream.c, reply.c, answer.c, section.c, retry.c: functions over bytes and trees, no clock, no socket),
// what lasts (recording.c, spend.c), and what moves (llm.c the queue, exchange.c one question on the wire).
#ifndef LG_LLM_INTERNAL_H
#define LG_LLM_INTERNAL_H

#include "llm/llm.h"
#include "net/client.h"

#include "json/writer.h"

// --- request.c ------------------------------------------------------------------------------------

// "chat", "embeddings", "rerank": in recordings.
const char *lg_llm_kind_name(lg_llm_kind kind);

// What an answer that will not do, and the word on it, add to a request: they stand behind its messages.
typedef struct lg_llm_again {
    lg_llm_message *items; // an assistant's and a user's, by turns
    size_t count;
} lg_llm_again;

typedef struct lg_llm_question {
    const lg_json *body; // what is asked: without what only says how it is to be sent
    lg_str wire;         // what is sent, canonical JSON
    char hash[65];       // of kind, body and sample
} lg_llm_question;

// Builds it in `arena`. Fails with LG_ERR_USAGE for a request that is none, LG_ERR_LIMIT for one nested too deep.
LG_NODISCARD lg_status lg_llm_question_make(lg_arena *arena, const lg_llm_options *options,
                                            const lg_llm_request *request,
                                            const lg_llm_again *again, lg_llm_question *ret,
                                            lg_error *reterr);

// "https://host/v1" and the kind's path, before the query if there is one. `shown`: without the query, for messages.
LG_NODISCARD lg_status lg_llm_address(lg_arena *arena, lg_str base_url, lg_llm_kind kind,
                                      lg_str *ret_url, lg_str *ret_shown, lg_error *reterr);

// --- stream.c -------------------------------------------------------------------------------------

// Appends the completion, as it would have come unstreamed, that the events of `text` come to. Fails with LG_ERR_PARSE if
// they are none, LG_ERR_MISSING if the last one has not come, LG_ERR_LIMIT or LG_ERR_OOM.
LG_NODISCARD lg_status lg_llm_stream_read(lg_str text, const lg_limits *limits, lg_buf *out,
                                          lg_error *reterr);

// --- reply.c --------------------------------------------------------------------------------------

// Fills the reply's part of this kind from the body of a 200. What it points to lies in `arena` and in `body`. Fails with
// LG_ERR_FORMAT and says what is missing, or LG_ERR_OOM.
LG_NODISCARD lg_status lg_llm_reply_read(lg_arena *arena, const lg_llm_request *request,
                                         const lg_json *body, lg_llm_reply *reply,
                                         lg_error *reterr);

// What the server says that it took; what it does not say is estimated from the bytes that went and came.
lg_llm_usage lg_llm_usage_read(const lg_json *body, size_t sent_bytes, size_t got_bytes);

// The server's own words on a failure: `error.message`, `message`, `detail`; empty if it has none.
lg_str lg_llm_error_words(const lg_json *body);

// Its code, `error.code` or `error.type`; empty if it has none.
lg_str lg_llm_error_code(const lg_json *body);

// A 200 whose body is an error has perhaps a status in it; 0: it is no error, 500: it is one without a status.
unsigned lg_llm_hidden_status(const lg_json *body);

// --- answer.c -------------------------------------------------------------------------------------

// Is it what the schema allows? If not, `*ret_wrong` says what is wrong with it, in words for the model.
bool lg_llm_answer_fits(lg_arena *arena, const lg_schema *schema, const lg_json *value,
                        lg_str *ret_wrong);

// --- retry.c --------------------------------------------------------------------------------------

bool lg_llm_is_worth_again(unsigned status); // 408 409 425 429 5xx

// Milliseconds to wait before attempt `attempt` + 1 of the question `hash`: a function of its arguments.
uint64_t lg_llm_backoff_ms(const lg_llm_options *options, const char hash[65], uint32_t attempt);

// What Retry-After says, in milliseconds: seconds, or a date (RFC 9110 section 5.6.7, its preferred form) less that of the
// answer itself, so that nobody's clock matters. False if it says nothing that is understood.
bool lg_llm_retry_after_ms(lg_str retry_after, lg_str date, uint64_t *ret_ms);

// --- spend.c --------------------------------------------------------------------------------------

// False if another attempt would pass the budget; then `reterr` says which.
bool lg_llm_may_spend(const lg_llm_options *options, const lg_llm_sum *sent, lg_error *reterr);

double lg_llm_price(const lg_llm_options *options, lg_llm_usage usage);

void lg_llm_usage_add(lg_llm_usage *sum, lg_llm_usage usage);

// --- recording.c ----------------------------------------------------------------------------------

// How a question ended: what a line of a recording holds.
typedef struct lg_llm_exchange {
    lg_llm_end end;
    lg_error error; // unless LG_LLM_OK
    unsigned status;
    uint32_t attempts;
    lg_llm_usage usage;
    const lg_json *body; // the answer, if LG_LLM_OK
} lg_llm_exchange;

typedef struct lg_llm_recording lg_llm_recording;

LG_NODISCARD lg_status lg_llm_recording_open(const char *path, lg_llm_mode mode,
                                             lg_llm_recording **ret, lg_error *reterr);
void lg_llm_recording_close(lg_llm_recording *recording); // NULL is allowed

typedef enum lg_llm_found {
    LG_LLM_FOUND_NOTHING,
    LG_LLM_FOUND,       // in an earlier run
    LG_LLM_FOUND_FRESH, // of this run: it was told already what it took
    LG_LLM_FOUND_BROKEN,
} lg_llm_found;

// Looks for the question; what is found lies in `arena`. A failure of an earlier run is found when replaying alone.
// `reterr` of a broken line names it in its words.
lg_llm_found lg_llm_recording_find(lg_llm_recording *recording, lg_arena *arena,
                                   const lg_llm_question *question, lg_llm_exchange *ret,
                                   lg_error *reterr);

// Appends a line. Fails with LG_ERR_IO and leaves the file as it was, or LG_ERR_OOM.
LG_NODISCARD lg_status lg_llm_recording_add(lg_llm_recording *recording,
                                            const lg_llm_request *request,
                                            const lg_llm_question *question,
                                            const lg_llm_exchange *exchange, lg_error *reterr);

// --- llm.c ----------------------------------------------------------------------------------------

typedef struct lg_llm_work lg_llm_work;
typedef struct lg_llm_waiting lg_llm_waiting;

struct lg_llm {
    lg_llm_options options; // with its defaults
    lg_limits limits;       // of what comes back
    lg_arena arena;         // of what the options point to
    lg_loop *loop;
    lg_client *client; // made when something is sent for the first time
    lg_llm_recording *recording;
    lg_task start;
    lg_timer end_of_time; // of the budget
    bool out_of_time;
    lg_task end_all;
    bool ended; // by whoever has it
    lg_llm_waiting *queue, **queue_end;
    lg_llm_work *active; // under way
    lg_llm_work *parked; // the same question is under way already
    lg_llm_work *woken;  // it has come to its end
    uint32_t active_count;
    uint64_t outstanding;  // submitted and not yet told
    int64_t held_until_ns; // a server has asked everybody to wait
    lg_llm_totals totals;
    lg_error record_error; // the first
};

// --- exchange.c -----------------------------------------------------------------------------------

// A request that is under way.
struct lg_llm_work {
    lg_llm *llm;
    const lg_llm_request *request;
    lg_llm_done done;
    void *data;
    lg_arena *into; // where the reply lives: the caller's or `arena`
    lg_arena arena; // of the request
    lg_arena round; // of the question at hand
    lg_llm_reply reply;
    const lg_schema *schema;
    lg_llm_again again;
    lg_llm_question question;
    bool is_asked; // on the wire, and not looked for
    // The exchange at hand.
    lg_str url, shown;
    lg_http_header headers[4];
    lg_outbound *out; // NULL: none is under way
    lg_timer timer;   // until the next attempt
    lg_buf answer;
    unsigned status;
    bool is_events, is_json;
    lg_str type; // of the answer's content
    bool has_wait;
    uint64_t wait_ms; // that the server has asked for
    uint32_t attempts;
    int64_t begun_ns;
    lg_llm_work *next, *previous;
};

// Sends the question, as often as it takes; ends in lg_llm_exchange_over(), perhaps before it returns.
void lg_llm_exchange_begin(lg_llm_work *work);

// Lets go of what is on the wire: the time of the budget is over.
void lg_llm_exchange_end(lg_llm_work *work);

// In llm.c: how it ended.
void lg_llm_exchange_over(lg_llm_work *work, const lg_llm_exchange *exchange);

#endif
