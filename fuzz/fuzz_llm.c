// fuzz_llm.c: what a model's server answers: chat, streams, embeddings, rankings; and what a model says for JSON.
//
// The first byte chooses which. Properties: what is refused has a reason; a stream that is whole is JSON, and read like any other
// completion; of each text one vector, all of one length; ranks are of the request's texts, each once, and in order; a value
// that is found in a text prints and reads back; usage is bounded.
#include "llm/llm_internal.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#define TEXTS 3u

static const lg_limits limits = {.json_depth = 64};

static void check_vectors(const lg_llm_reply *reply)
{
    REQUIRE(reply->vector_count == TEXTS);
    for (size_t i = 0; i < reply->vector_count; i++) {
        REQUIRE(reply->vectors[i].dimensions == reply->vectors[0].dimensions);
        REQUIRE(reply->vectors[i].dimensions > 0 && reply->vectors[i].items);
    }
}

static void check_ranks(const lg_llm_reply *reply)
{
    unsigned seen = 0;
    REQUIRE(reply->rank_count == 2);
    for (size_t i = 0; i < reply->rank_count; i++) {
        REQUIRE(reply->ranks[i].index < TEXTS);
        REQUIRE(!(seen >> reply->ranks[i].index & 1));
        seen |= 1u << reply->ranks[i].index;
        REQUIRE(i == 0 || reply->ranks[i - 1].score >= reply->ranks[i].score);
    }
}

static void check_tokens(const lg_llm_reply *reply)
{
    for (size_t i = 0; i < reply->token_count; i++) {
        for (size_t j = 1; j < reply->tokens[i].top_count; j++) {
            REQUIRE(reply->tokens[i].top[j - 1].logprob >= reply->tokens[i].top[j].logprob);
        }
    }
}

static void read_body(lg_arena *arena, lg_llm_kind kind, lg_str text)
{
    const lg_str texts[TEXTS] = {LG_STR("a"), LG_STR("b"), LG_STR("c")};
    lg_llm_request request = {.kind = kind, .texts = texts, .text_count = TEXTS, .top_n = 2};
    lg_llm_reply reply = {0};
    lg_error error = {0};
    const lg_json *body = NULL;
    if (lg_json_parse_in(arena, text, 0, text.len, &limits, &body, &error) != LG_OK) {
        return;
    }
    unsigned hidden = lg_llm_hidden_status(body);
    REQUIRE(hidden == 0 || (hidden >= 400 && hidden < 600));
    REQUIRE(lg_llm_error_words(body).ptr && lg_llm_error_code(body).ptr);
    lg_llm_usage usage = lg_llm_usage_read(body, 100, text.len);
    REQUIRE(usage.prompt_tokens <= 1000000000 && usage.completion_tokens <= 1000000000);
    if (lg_llm_reply_read(arena, &request, body, &reply, &error) != LG_OK) {
        REQUIRE(error.msg[0]);
    } else if (kind == LG_LLM_EMBED) {
        check_vectors(&reply);
    } else if (kind == LG_LLM_RERANK) {
        check_ranks(&reply);
    } else {
        check_tokens(&reply);
    }
}

static void read_stream(lg_arena *arena, lg_str text)
{
    lg_buf out;
    lg_error error = {0};
    lg_buf_init(&out, 0);
    lg_status status = lg_llm_stream_read(text, &limits, &out, &error);
    if (status == LG_OK) {
        lg_llm_request request = {.kind = LG_LLM_CHAT};
        lg_llm_reply reply = {0};
        const lg_json *body = NULL;
        lg_str whole = lg_buf_str(&out);
        REQUIRE(lg_json_parse_in(arena, whole, 0, whole.len, NULL, &body, &error) == LG_OK);
        status = lg_llm_reply_read(arena, &request, body, &reply, &error);
        REQUIRE(status == LG_OK || error.msg[0]);
    } else {
        REQUIRE(error.msg[0]);
    }
    lg_buf_done(&out);
}

static void find_value(lg_arena *arena, lg_str text)
{
    lg_error error = {0};
    const lg_json *value = lg_llm_find_json(arena, text, &limits, &error);
    if (!value) {
        REQUIRE(error.msg[0]);
        return;
    }
    lg_buf out;
    const lg_json *again = NULL;
    lg_buf_init(&out, 0);
    lg_json_print(&out, value);
    lg_str printed = lg_buf_str(&out);
    REQUIRE(lg_json_parse_in(arena, printed, 0, printed.len, NULL, &again, &error) == LG_OK);
    REQUIRE(lg_json_identical(value, again));
    lg_buf_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lg_arena arena;
    uint64_t wait_ms;
    lg_llm_budget budget;
    lg_error error = {0};
    if (size < 1) {
        return 0;
    }
    lg_str text = {(const char *)data + 1, size - 1};
    lg_arena_init(&arena, (size_t)256 << 20);
    switch (data[0] % 6) {
    case 0:
        read_body(&arena, LG_LLM_CHAT, text);
        break;
    case 1:
        read_body(&arena, LG_LLM_EMBED, text);
        break;
    case 2:
        read_body(&arena, LG_LLM_RERANK, text);
        break;
    case 3:
        read_stream(&arena, text);
        break;
    case 4:
        find_value(&arena, text);
        break;
    default:
        (void)lg_llm_retry_after_ms(text, LG_STR("Sun, 06 Nov 1994 08:49:37 GMT"), &wait_ms);
        REQUIRE(lg_llm_budget_read(text, &budget, &error) == LG_OK || error.msg[0]);
        break;
    }
    lg_arena_done(&arena);
    return 0;
}
