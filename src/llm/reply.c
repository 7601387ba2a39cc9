// reply.c: what a server has answered, looked at member by member.
//
// Nothing of it is believed: what is not of the form that was asked for is an error that names the member, an index that is not
// one of the request's or comes twice is one, and so is a number that is none.
#include "llm/llm_internal.h"

#include <math.h>

#define MOST_TOKENS INT64_C(1000000000) // of one reply: more is nonsense
#define MOST_TOP 64u

// --- chat ---

static lg_status read_calls(lg_arena *arena, const lg_json *calls, lg_llm_reply *reply,
                            lg_error *reterr)
{
    size_t count = lg_json_len(calls);
    lg_llm_call *items = LG_NEW_ARRAY(arena, lg_llm_call, count ? count : 1);
    if (!items) {
        return lg_fail_oom(reterr);
    }
    for (size_t i = 0; i < count; i++) {
        const lg_json *call = lg_json_item(calls, i);
        const lg_json *function = lg_json_get(call, LG_STR("function"));
        const lg_json *name = lg_json_get(function, LG_STR("name"));
        const lg_json *args = lg_json_get(function, LG_STR("arguments"));
        if (!lg_json_is(name, LG_JSON_STRING) || (args && !lg_json_is(args, LG_JSON_STRING))) {
            return lg_fail(reterr, LG_ERR_FORMAT,
                           "choices[0].message.tool_calls[%zu].function has no name, or arguments "
                           "that are no text",
                           i);
        }
        items[i] = (lg_llm_call){.id = lg_json_str(lg_json_get(call, LG_STR("id"))),
                                 .name = lg_json_str(name),
                                 .args = lg_json_str(args)};
    }
    reply->calls = items;
    reply->call_count = count;
    return LG_OK;
}

static bool read_token(const lg_json *value, lg_llm_token *ret)
{
    const lg_json *text = lg_json_get(value, LG_STR("token"));
    double logprob = 0;
    bool fine = lg_json_is(text, LG_JSON_STRING) &&
                lg_json_double(lg_json_get(value, LG_STR("logprob")), &logprob);
    *ret = (lg_llm_token){.text = lg_json_str(text), .logprob = logprob};
    return fine;
}

static int by_logprob(const lg_llm_token *a, const lg_llm_token *b)
{
    return (a->logprob < b->logprob) - (a->logprob > b->logprob);
}

// Few: sorted by insertion, so that equals stay in their order.
static void sort_tokens(lg_llm_token *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        lg_llm_token item = items[i];
        size_t at = i;
        for (; at > 0 && by_logprob(&items[at - 1], &item) > 0; at--) {
            items[at] = items[at - 1];
        }
        items[at] = item;
    }
}

static bool read_top(lg_arena *arena, const lg_json *list, lg_llm_token *token, bool *ret_oom)
{
    size_t count = lg_json_is(list, LG_JSON_ARRAY) ? lg_json_len(list) : 0;
    lg_llm_token *items = LG_NEW_ARRAY(arena, lg_llm_token, count ? count : 1);
    *ret_oom = !items;
    if (!items || count > MOST_TOP) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!read_token(lg_json_item(list, i), &items[i])) {
            return false;
        }
    }
    sort_tokens(items, count);
    token->top = items;
    token->top_count = count;
    return true;
}

static lg_status read_tokens(lg_arena *arena, const lg_json *choice, lg_llm_reply *reply,
                             lg_error *reterr)
{
    const lg_json *content =
        lg_json_get(lg_json_get(choice, LG_STR("logprobs")), LG_STR("content"));
    size_t count = lg_json_is(content, LG_JSON_ARRAY) ? lg_json_len(content) : 0;
    lg_llm_token *items = LG_NEW_ARRAY(arena, lg_llm_token, count ? count : 1);
    if (!items) {
        return lg_fail_oom(reterr);
    }
    for (size_t i = 0; i < count; i++) {
        const lg_json *item = lg_json_item(content, i);
        bool oom = false;
        if (!read_token(item, &items[i]) ||
            !read_top(arena, lg_json_get(item, LG_STR("top_logprobs")), &items[i], &oom)) {
            return oom ? lg_fail_oom(reterr)
                       : lg_fail(reterr, LG_ERR_FORMAT,
                                 "choices[0].logprobs.content[%zu] is no token with its logprob",
                                 i);
        }
    }
    reply->tokens = items;
    reply->token_count = count;
    return LG_OK;
}

static lg_status read_chat(lg_arena *arena, const lg_json *body, lg_llm_reply *reply,
                           lg_error *reterr)
{
    const lg_json *choices = lg_json_get(body, LG_STR("choices"));
    const lg_json *choice = lg_json_is(choices, LG_JSON_ARRAY) ? lg_json_item(choices, 0) : NULL;
    const lg_json *message = lg_json_get(choice, LG_STR("message"));
    if (!lg_json_is(message, LG_JSON_OBJECT)) {
        return lg_fail(reterr, LG_ERR_FORMAT, "the answer has no choices[0].message");
    }
    const lg_json *content = lg_json_get(message, LG_STR("content"));
    const lg_json *calls = lg_json_get(message, LG_STR("tool_calls"));
    if (content && !lg_json_is(content, LG_JSON_STRING) && !lg_json_is(content, LG_JSON_NULL)) {
        return lg_fail(reterr, LG_ERR_FORMAT, "choices[0].message.content is no text");
    }
    if (calls && !lg_json_is(calls, LG_JSON_ARRAY) && !lg_json_is(calls, LG_JSON_NULL)) {
        return lg_fail(reterr, LG_ERR_FORMAT, "choices[0].message.tool_calls is no list");
    }
    reply->text = lg_json_str(content);
    reply->refusal = lg_json_str(lg_json_get(message, LG_STR("refusal")));
    reply->finish = lg_json_str(lg_json_get(choice, LG_STR("finish_reason")));
    lg_status status = read_calls(arena, calls, reply, reterr);
    return status == LG_OK ? read_tokens(arena, choice, reply, reterr) : status;
}

// --- embeddings ---

static lg_status read_vector(lg_arena *arena, const lg_json *list, size_t at, lg_llm_vector *ret,
                             lg_error *reterr)
{
    size_t count = lg_json_is(list, LG_JSON_ARRAY) ? lg_json_len(list) : 0;
    float *items = LG_NEW_ARRAY(arena, float, count ? count : 1);
    if (!items) {
        return lg_fail_oom(reterr);
    }
    for (size_t i = 0; i < count; i++) {
        double number;
        if (!lg_json_double(lg_json_item(list, i), &number) || !(fabs(number) < 1e30)) {
            return lg_fail(reterr, LG_ERR_FORMAT, "data[%zu].embedding[%zu] is no number", at, i);
        }
        items[i] = (float)number;
    }
    *ret = (lg_llm_vector){items, count};
    return count ? LG_OK
                 : lg_fail(reterr, LG_ERR_FORMAT, "data[%zu].embedding is no list of numbers", at);
}

static lg_status place_vector(lg_arena *arena, const lg_json *item, size_t at, size_t count,
                              lg_llm_vector *vectors, lg_error *reterr)
{
    int64_t index = (int64_t)at;
    const lg_json *place = lg_json_get(item, LG_STR("index"));
    if (place && (!lg_json_int(place, &index) || index < 0 || (uint64_t)index >= count)) {
        return lg_fail(reterr, LG_ERR_FORMAT, "data[%zu].index is none of the %zu texts", at,
                       count);
    }
    if (vectors[index].items) {
        return lg_fail(reterr, LG_ERR_FORMAT, "data has two embeddings of text %zu", (size_t)index);
    }
    return read_vector(arena, lg_json_get(item, LG_STR("embedding")), at, &vectors[index], reterr);
}

static lg_status read_embeddings(lg_arena *arena, size_t count, const lg_json *body,
                                 lg_llm_reply *reply, lg_error *reterr)
{
    const lg_json *data = lg_json_get(body, LG_STR("data"));
    if (!lg_json_is(data, LG_JSON_ARRAY) || lg_json_len(data) != count) {
        return lg_fail(reterr, LG_ERR_FORMAT, "the answer has no data with %zu embedding%s", count,
                       lg_plural(count));
    }
    lg_llm_vector *vectors = LG_NEW_ARRAY(arena, lg_llm_vector, count);
    lg_status status = vectors ? LG_OK : lg_fail_oom(reterr);
    for (size_t i = 0; i < count && status == LG_OK; i++) {
        status = place_vector(arena, lg_json_item(data, i), i, count, vectors, reterr);
    }
    for (size_t i = 1; i < count && status == LG_OK; i++) {
        if (vectors[i].dimensions != vectors[0].dimensions) {
            status = lg_fail(reterr, LG_ERR_FORMAT,
                             "the embedding of text %zu has %zu numbers, that of the first %zu", i,
                             vectors[i].dimensions, vectors[0].dimensions);
        }
    }
    reply->vectors = vectors;
    reply->vector_count = status == LG_OK ? count : 0;
    return status;
}

// --- rerank ---

static int by_score(const lg_llm_rank *a, const lg_llm_rank *b)
{
    return a->score != b->score ? (a->score < b->score ? 1 : -1)
                                : (a->index > b->index) - (a->index < b->index);
}

// Merges [from, middle) and [middle, to); a merge sort takes n log n whatever the server's order is.
static void merge(lg_llm_rank *items, lg_llm_rank *room, size_t from, size_t middle, size_t to)
{
    size_t a = from, b = middle;
    for (size_t i = from; i < to; i++) {
        bool first = a < middle && (b >= to || by_score(&items[a], &items[b]) <= 0);
        room[i] = first ? items[a++] : items[b++];
    }
    for (size_t i = from; i < to; i++) {
        items[i] = room[i];
    }
}

static void sort_ranks(lg_llm_rank *items, lg_llm_rank *room, size_t count)
{
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t from = 0; from + width < count; from += 2 * width) {
            size_t to = from + 2 * width < count ? from + 2 * width : count;
            merge(items, room, from, from + width, to);
        }
    }
}

static lg_status read_rank(const lg_json *item, size_t at, size_t count, bool *seen,
                           lg_llm_rank *ret, lg_error *reterr)
{
    int64_t index;
    double score;
    if (!lg_json_int(lg_json_get(item, LG_STR("index")), &index) || index < 0 ||
        (uint64_t)index >= count || seen[index]) {
        return lg_fail(reterr, LG_ERR_FORMAT,
                       "results[%zu].index is none of the %zu documents, or stands there twice", at,
                       count);
    }
    if (!lg_json_double(lg_json_get(item, LG_STR("relevance_score")), &score) || !isfinite(score)) {
        return lg_fail(reterr, LG_ERR_FORMAT, "results[%zu].relevance_score is no number", at);
    }
    seen[index] = true;
    *ret = (lg_llm_rank){(size_t)index, score};
    return LG_OK;
}

static lg_status read_ranks(lg_arena *arena, const lg_llm_request *request, const lg_json *body,
                            lg_llm_reply *reply, lg_error *reterr)
{
    size_t texts = request->text_count;
    size_t wanted = request->top_n && request->top_n < texts ? request->top_n : texts;
    const lg_json *results = lg_json_get(body, LG_STR("results"));
    size_t count = lg_json_len(results);
    if (!lg_json_is(results, LG_JSON_ARRAY) || count < wanted) {
        return lg_fail(reterr, LG_ERR_FORMAT, "the answer has no results for %zu document%s",
                       wanted, lg_plural(wanted));
    }
    count = count < texts ? count : texts + 1; // one more than there can be: an index comes twice
    lg_llm_rank *ranks = LG_NEW_ARRAY(arena, lg_llm_rank, 2 * (texts + 1));
    bool *seen = LG_NEW_ARRAY(arena, bool, texts + 1);
    lg_status status = ranks && seen ? LG_OK : lg_fail_oom(reterr);
    count = count > lg_json_len(results) ? lg_json_len(results) : count;
    for (size_t i = 0; i < count && status == LG_OK; i++) {
        status = read_rank(lg_json_item(results, i), i, texts, seen, &ranks[i], reterr);
    }
    if (status == LG_OK) {
        sort_ranks(ranks, ranks + texts + 1, count);
        reply->ranks = ranks;
        reply->rank_count = wanted; // a server that ranks all of them has ranked these
    }
    return status;
}

lg_status lg_llm_reply_read(lg_arena *arena, const lg_llm_request *request, const lg_json *body,
                            lg_llm_reply *reply, lg_error *reterr)
{
    switch (request->kind) {
    case LG_LLM_CHAT:
        return read_chat(arena, body, reply, reterr);
    case LG_LLM_EMBED:
        return read_embeddings(arena, request->text_count, body, reply, reterr);
    case LG_LLM_RERANK:
        return read_ranks(arena, request, body, reply, reterr);
    }
    return lg_fail(reterr, LG_ERR_USAGE, "there is no such kind of request");
}

// --- usage ---

static bool read_count(const lg_json *usage, lg_str key, uint64_t *ret)
{
    int64_t number;
    if (!lg_json_int(lg_json_get(usage, key), &number) || number < 0 || number > MOST_TOKENS) {
        return false;
    }
    *ret = (uint64_t)number;
    return true;
}

lg_llm_usage lg_llm_usage_read(const lg_json *body, size_t sent_bytes, size_t got_bytes)
{
    const lg_json *usage = lg_json_get(body, LG_STR("usage"));
    lg_llm_usage found = {0};
    bool prompt = read_count(usage, LG_STR("prompt_tokens"), &found.prompt_tokens) ||
                  read_count(usage, LG_STR("input_tokens"), &found.prompt_tokens) ||
                  read_count(usage, LG_STR("total_tokens"), &found.prompt_tokens);
    // Embeddings and ranks are made of nothing but their prompt.
    bool chat = lg_json_get(body, LG_STR("choices")) != NULL;
    bool completion = read_count(usage, LG_STR("completion_tokens"), &found.completion_tokens) ||
                      read_count(usage, LG_STR("output_tokens"), &found.completion_tokens) || !chat;
    if (prompt && completion) {
        return found;
    }
    return (lg_llm_usage){.prompt_tokens = (sent_bytes + 3) / 4,
                          .completion_tokens = chat ? (got_bytes + 3) / 4 : 0,
                          .estimated = true};
}

// --- a server's own words ---

lg_str lg_llm_error_words(const lg_json *body)
{
    const lg_json *error = lg_json_get(body, LG_STR("error"));
    const lg_json *places[] = {lg_json_get(error, LG_STR("message")), error,
                               lg_json_get(body, LG_STR("message")),
                               lg_json_get(body, LG_STR("detail"))};
    for (size_t i = 0; i < LG_COUNT(places); i++) {
        if (lg_json_str(places[i]).len) {
            return lg_json_str(places[i]);
        }
    }
    return LG_STR("");
}

lg_str lg_llm_error_code(const lg_json *body)
{
    const lg_json *error = lg_json_get(body, LG_STR("error"));
    lg_str code = lg_json_str(lg_json_get(error, LG_STR("code")));
    return code.len ? code : lg_json_str(lg_json_get(error, LG_STR("type")));
}

unsigned lg_llm_hidden_status(const lg_json *body)
{
    const lg_json *error = lg_json_get(body, LG_STR("error"));
    bool is_error = lg_json_is(error, LG_JSON_OBJECT) || lg_json_is(error, LG_JSON_STRING);
    int64_t code;
    if (!is_error || lg_json_get(body, LG_STR("choices")) || lg_json_get(body, LG_STR("data")) ||
        lg_json_get(body, LG_STR("results"))) {
        return 0;
    }
    bool said = lg_json_int(lg_json_get(error, LG_STR("code")), &code) && code >= 400 && code < 600;
    return said ? (unsigned)code : 500;
}
