// ask.c: asks a model what stands on standard input, one request a line, and prints the replies in the same order.
//
//     ask '{"base_url":"http://127.0.0.1:1234/v1","model":"m","mode":"record","recording":"r.jsonl"}' < requests.jsonl
//
// A request has the members of lg_llm_request, and messages as the protocol has them. The last line is what it all took. The
// key comes out of the environment, under the name in `key_env`. The exit code is 0 if everything was told, else 2.
#include "llm/llm.h"

#include "base/file.h"
#include "json/writer.h"

#include <stdio.h>
#include <stdlib.h>

static void fail(const lg_error *error)
{
    fprintf(stderr, "ask: %s%s%s\n", error->file ? error->file : "", error->file ? ": " : "",
            error->msg);
    exit(2);
}

static lg_str text_of(const lg_json *object, const char *key)
{
    return lg_json_str(lg_json_get(object, lg_str_c(key)));
}

static int64_t number_of(const lg_json *object, const char *key)
{
    int64_t number = 0;
    (void)lg_json_int(lg_json_get(object, lg_str_c(key)), &number);
    return number;
}

static double amount_of(const lg_json *object, const char *key)
{
    double number = 0;
    (void)lg_json_double(lg_json_get(object, lg_str_c(key)), &number);
    return number;
}

static const char *c_of(const lg_json *object, const char *key)
{
    static char room[4][512];
    static size_t next;
    lg_str text = text_of(object, key);
    char *to = room[next++ % 4];
    snprintf(to, sizeof(room[0]), "%.*s", LG_FMT(text));
    return to;
}

static const lg_json *parse(lg_arena *arena, lg_str text)
{
    const lg_json *value = NULL;
    lg_error error;
    if (lg_json_parse_in(arena, text, 0, text.len, NULL, &value, &error) != LG_OK) {
        fail(&error);
    }
    return value;
}

static size_t index_of(lg_str name, const char *names, size_t otherwise)
{
    size_t index = 0;
    for (const char *at = names; *at; at += strlen(at) + 1, index++) {
        if (lg_str_eq(name, lg_str_c(at))) {
            return index;
        }
    }
    return otherwise;
}

// --- in ---

static lg_llm_options read_options(const lg_json *from)
{
    lg_error error;
    const char *key_env = c_of(from, "key_env");
    const char *key = key_env[0] ? getenv(key_env) : NULL;
    lg_llm_options o = {
        .base_url = text_of(from, "base_url"),
        .model = text_of(from, "model"),
        .key = lg_str_c(key ? key : ""),
        .in_flight = (uint32_t)number_of(from, "in_flight"),
        .connect_ms = (uint32_t)number_of(from, "connect_ms"),
        .idle_ms = (uint32_t)number_of(from, "idle_ms"),
        .request_ms = (uint32_t)number_of(from, "request_ms"),
        .total_ms = (uint32_t)number_of(from, "total_ms"),
        .attempts = (uint32_t)number_of(from, "attempts"),
        .backoff_ms = (uint32_t)number_of(from, "backoff_ms"),
        .most_backoff_ms = (uint32_t)number_of(from, "most_backoff_ms"),
        .most_wait_ms = (uint32_t)number_of(from, "most_wait_ms"),
        .seed = (uint64_t)number_of(from, "seed"),
        .rounds = (uint32_t)number_of(from, "rounds"),
        .reply_bytes = (size_t)number_of(from, "reply_bytes"),
        .prompt_price = amount_of(from, "prompt_price"),
        .completion_price = amount_of(from, "completion_price"),
        .format = (lg_llm_format)index_of(text_of(from, "format"),
                                          "schema\0object_schema\0object\0prompt\0", 0),
        .mode = (lg_llm_mode)index_of(text_of(from, "mode"), "off\0record\0replay\0", 0),
    };
    o.recording = lg_json_get(from, LG_STR("recording")) ? c_of(from, "recording") : NULL;
    lg_str budget = text_of(from, "budget");
    if (budget.len && lg_llm_budget_read(budget, &o.budget, &error) != LG_OK) {
        fail(&error);
    }
    return o;
}

static const lg_llm_message *read_messages(lg_arena *arena, const lg_json *list, size_t *ret_count)
{
    size_t count = lg_json_len(list);
    lg_llm_message *messages = LG_NEW_ARRAY(arena, lg_llm_message, count + 1);
    for (size_t i = 0; messages && i < count; i++) {
        const lg_json *from = lg_json_item(list, i);
        const lg_json *content = lg_json_get(from, LG_STR("content"));
        messages[i] = (lg_llm_message){
            .role = text_of(from, "role"),
            .text = lg_json_str(content),
            .parts = lg_json_is(content, LG_JSON_ARRAY) ? content : NULL,
            .calls = lg_json_get(from, LG_STR("tool_calls")),
            .call_id = text_of(from, "tool_call_id"),
        };
    }
    *ret_count = messages ? count : 0;
    return messages;
}

static const lg_str *read_texts(lg_arena *arena, const lg_json *list, size_t *ret_count)
{
    size_t count = lg_json_len(list);
    lg_str *texts = LG_NEW_ARRAY(arena, lg_str, count + 1);
    for (size_t i = 0; texts && i < count; i++) {
        texts[i] = lg_json_str(lg_json_item(list, i));
    }
    *ret_count = texts ? count : 0;
    return texts;
}

static lg_llm_request read_request(lg_arena *arena, const lg_json *from)
{
    lg_llm_request r = {
        .kind = (lg_llm_kind)index_of(text_of(from, "kind"), "chat\0embeddings\0rerank\0", 0),
        .model = text_of(from, "model"),
        .sample = (uint32_t)number_of(from, "sample"),
        .schema = lg_json_get(from, LG_STR("schema")),
        .tools = lg_json_get(from, LG_STR("tools")),
        .tool_choice = lg_json_get(from, LG_STR("tool_choice")),
        .has_temperature = lg_json_get(from, LG_STR("temperature")) != NULL,
        .temperature = amount_of(from, "temperature"),
        .has_seed = lg_json_get(from, LG_STR("seed")) != NULL,
        .seed = number_of(from, "seed"),
        .max_tokens = (uint32_t)number_of(from, "max_tokens"),
        .logprobs = lg_json_is_true(lg_json_get(from, LG_STR("logprobs"))),
        .top_logprobs = (uint32_t)number_of(from, "top_logprobs"),
        .stream = lg_json_is_true(lg_json_get(from, LG_STR("stream"))),
        .more = lg_json_get(from, LG_STR("more")),
        .query = text_of(from, "query"),
        .top_n = (uint32_t)number_of(from, "top_n"),
        .dimensions = (uint32_t)number_of(from, "dimensions"),
    };
    r.messages = read_messages(arena, lg_json_get(from, LG_STR("messages")), &r.message_count);
    r.texts = read_texts(arena, lg_json_get(from, LG_STR("texts")), &r.text_count);
    return r;
}

// --- out ---

static void write_usage(lg_json_writer *w, const lg_llm_usage *usage)
{
    lg_jw_key(w, "usage");
    lg_jw_begin_object(w);
    lg_jw_member_uint(w, "prompt_tokens", usage->prompt_tokens);
    lg_jw_member_uint(w, "completion_tokens", usage->completion_tokens);
    lg_jw_member_bool(w, "estimated", usage->estimated);
    lg_jw_end_object(w);
}

static void write_token(lg_json_writer *w, const lg_llm_token *token)
{
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "text", token->text);
    lg_jw_member_double(w, "logprob", token->logprob);
    lg_jw_key(w, "top");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < token->top_count; i++) {
        lg_jw_str(w, token->top[i].text);
    }
    lg_jw_end_array(w);
    lg_jw_end_object(w);
}

static void write_lists(lg_json_writer *w, const lg_llm_reply *reply)
{
    lg_jw_key(w, "calls");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < reply->call_count; i++) {
        lg_jw_begin_object(w);
        lg_jw_member_str(w, "id", reply->calls[i].id);
        lg_jw_member_str(w, "name", reply->calls[i].name);
        lg_jw_member_str(w, "args", reply->calls[i].args);
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
    lg_jw_key(w, "tokens");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < reply->token_count; i++) {
        write_token(w, &reply->tokens[i]);
    }
    lg_jw_end_array(w);
    lg_jw_key(w, "vectors");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < reply->vector_count; i++) {
        lg_jw_begin_array(w);
        for (size_t j = 0; j < reply->vectors[i].dimensions; j++) {
            lg_jw_double(w, (double)reply->vectors[i].items[j]);
        }
        lg_jw_end_array(w);
    }
    lg_jw_end_array(w);
    lg_jw_key(w, "ranks");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < reply->rank_count; i++) {
        lg_jw_begin_array(w);
        lg_jw_uint(w, reply->ranks[i].index);
        lg_jw_double(w, reply->ranks[i].score);
        lg_jw_end_array(w);
    }
    lg_jw_end_array(w);
}

static void write_reply(lg_buf *out, const lg_llm_reply *reply)
{
    lg_json_writer w = {.out = out};
    lg_jw_begin_object(&w);
    lg_jw_member_c(&w, "end", lg_llm_end_name(reply->end));
    lg_jw_member_c(&w, "error", reply->end == LG_LLM_OK ? "" : reply->error.msg);
    lg_jw_member_int(&w, "error_status", reply->end == LG_LLM_OK ? 0 : reply->error.status);
    lg_jw_member_str(&w, "text", reply->text);
    lg_jw_member_str(&w, "refusal", reply->refusal);
    lg_jw_member_str(&w, "finish", reply->finish);
    lg_jw_member_json(&w, "value", reply->value);
    write_lists(&w, reply);
    write_usage(&w, &reply->usage);
    lg_jw_member_uint(&w, "rounds", reply->rounds);
    lg_jw_member_uint(&w, "attempts", reply->attempts);
    lg_jw_member_uint(&w, "status", reply->status);
    lg_jw_member_bool(&w, "reused", reply->reused);
    lg_jw_member_c(&w, "hash", reply->hash);
    lg_jw_end_object(&w);
    lg_buf_add_byte(out, '\n');
}

static void write_sum(lg_json_writer *w, const char *name, const lg_llm_sum *sum)
{
    lg_jw_key(w, name);
    lg_jw_begin_object(w);
    lg_jw_member_uint(w, "exchanges", sum->exchanges);
    lg_jw_member_uint(w, "attempts", sum->attempts);
    write_usage(w, &sum->usage);
    lg_jw_member_double(w, "money", sum->money);
    lg_jw_end_object(w);
}

static void write_totals(lg_buf *out, const lg_llm_totals *totals)
{
    lg_json_writer w = {.out = out};
    lg_jw_begin_object(&w);
    write_sum(&w, "made", &totals->made);
    write_sum(&w, "sent", &totals->sent);
    lg_jw_member_uint(&w, "reused", totals->reused);
    lg_jw_member_uint(&w, "failed", totals->failed);
    lg_jw_end_object(&w);
    lg_buf_add_byte(out, '\n');
}

int main(int argc, char **argv)
{
    lg_arena arena;
    lg_file input;
    lg_error error = {0};
    lg_llm *llm;
    lg_arena_init(&arena, 0);
    const lg_json *config = parse(&arena, lg_str_c(argc > 1 ? argv[1] : "{}"));
    lg_llm_options options = read_options(config);
    if (lg_llm_new(&options, &llm, &error) != LG_OK ||
        lg_file_read("-", NULL, &input, &error) != LG_OK) {
        fail(&error);
    }
    lg_llm_request *requests = NULL;
    size_t count = 0, capacity = 0;
    for (size_t from = 0; from < input.text.len;) {
        size_t end = lg_str_line_end(input.text, from);
        if (end > from) {
            requests = lg_arena_grow(&arena, requests, count, &capacity, sizeof(*requests));
            if (!requests) {
                lg_fail_oom(&error);
                fail(&error);
            }
            requests[count++] =
                read_request(&arena, parse(&arena, lg_str_slice(input.text, from, end)));
        }
        from = end + 1;
    }
    lg_llm_reply *replies = LG_NEW_ARRAY(&arena, lg_llm_reply, count + 1);
    lg_status status = lg_llm_ask_all(llm, requests, count, &arena, replies, &error);
    lg_llm_totals totals = lg_llm_totals_of(llm);
    lg_llm_free(llm); // first: what is printed lives without it
    lg_buf out;
    lg_buf_init(&out, 0);
    for (size_t i = 0; i < count; i++) {
        write_reply(&out, &replies[i]);
    }
    write_totals(&out, &totals);
    fwrite(out.ptr, 1, out.len, stdout);
    lg_buf_done(&out);
    lg_file_close(&input);
    lg_arena_done(&arena);
    if (status != LG_OK) {
        fail(&error);
    }
    return 0;
}
