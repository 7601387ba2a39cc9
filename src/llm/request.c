// request.c: a request as JSON, as the server gets it and as it is known by.
//
// What is known by is canonical (RFC 8785), has no key, no address, and nothing of how an answer is to be sent (`stream`): so that
// a recording answers whoever asks the same of another server, streamed or not.
#include "llm/llm_internal.h"

#include <math.h>

#define MOST_TOP_LOGPROBS 20u

static const struct {
    const char *name;
    lg_str path;
} kinds[] = {
    [LG_LLM_CHAT] = {"chat", {"/chat/completions", 17}},
    [LG_LLM_EMBED] = {"embeddings", {"/embeddings", 11}},
    [LG_LLM_RERANK] = {"rerank", {"/rerank", 7}},
};

const char *lg_llm_kind_name(lg_llm_kind kind)
{
    return kinds[kind].name;
}

// --- addresses ---

lg_status lg_llm_address(lg_arena *arena, lg_str base_url, lg_llm_kind kind, lg_str *ret_url,
                         lg_str *ret_shown, lg_error *reterr)
{
    size_t query_at = lg_str_find(base_url, LG_STR("?"));
    lg_str base = lg_str_slice(base_url, 0, query_at);
    lg_str query = lg_str_slice(base_url, query_at, base_url.len);
    bool web = lg_str_starts(base, LG_STR("http://")) || lg_str_starts(base, LG_STR("https://"));
    size_t host_at = web ? lg_str_find(base, LG_STR("//")) + 2 : 0;
    if (!web || host_at == base.len || base.ptr[host_at] == '/') {
        return lg_fail(reterr, LG_ERR_USAGE,
                       "the address of the model's API begins with http:// or https://, as in "
                       "https://api.example.com/v1");
    }
    if (lg_str_find(base, LG_STR("@")) != SIZE_MAX || lg_str_find(base, LG_STR("#")) != SIZE_MAX) {
        return lg_fail(reterr, LG_ERR_USAGE,
                       "the address of the model's API holds no name, password or fragment; the "
                       "key comes out of an environment variable");
    }
    while (base.len > host_at && base.ptr[base.len - 1] == '/') {
        base.len--;
    }
    lg_str path = kinds[kind].path;
    *ret_url = lg_arena_printf(arena, "%.*s%.*s%.*s", LG_FMT(base), LG_FMT(path), LG_FMT(query));
    *ret_shown = lg_arena_printf(arena, "%.*s%.*s", LG_FMT(base), LG_FMT(path));
    return ret_url->ptr && ret_shown->ptr ? LG_OK : lg_fail_oom(reterr);
}

// --- bodies ---

static void write_texts(lg_json_writer *w, const char *key, const lg_llm_request *request)
{
    lg_jw_key(w, key);
    lg_jw_begin_array(w);
    for (size_t i = 0; i < request->text_count; i++) {
        lg_jw_str(w, request->texts[i]);
    }
    lg_jw_end_array(w);
}

static void write_message(lg_json_writer *w, const lg_llm_message *message)
{
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "role", message->role);
    if (message->parts) {
        lg_jw_member_json(w, "content", message->parts);
    } else if (message->calls && message->text.len == 0) {
        lg_jw_key(w, "content");
        lg_jw_null(w);
    } else {
        lg_jw_member_str(w, "content", message->text);
    }
    if (message->calls) {
        lg_jw_member_json(w, "tool_calls", message->calls);
    }
    if (message->call_id.len) {
        lg_jw_member_str(w, "tool_call_id", message->call_id);
    }
    lg_jw_end_object(w);
}

static void write_messages(lg_json_writer *w, const lg_llm_request *request,
                           const lg_llm_again *again)
{
    lg_jw_key(w, "messages");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < request->message_count; i++) {
        write_message(w, &request->messages[i]);
    }
    for (size_t i = 0; i < again->count; i++) {
        write_message(w, &again->items[i]);
    }
    lg_jw_end_array(w);
}

static void write_format(lg_json_writer *w, lg_llm_format format, const lg_json *schema)
{
    if (format == LG_LLM_FORMAT_PROMPT) {
        return;
    }
    lg_jw_key(w, "response_format");
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "type", format == LG_LLM_FORMAT_SCHEMA ? "json_schema" : "json_object");
    if (format == LG_LLM_FORMAT_SCHEMA) {
        lg_jw_key(w, "json_schema");
        lg_jw_begin_object(w);
        lg_jw_member_c(w, "name", "answer");
        lg_jw_member_json(w, "schema", schema);
        lg_jw_member_bool(w, "strict", true);
        lg_jw_end_object(w);
    } else if (format == LG_LLM_FORMAT_OBJECT_SCHEMA) {
        lg_jw_member_json(w, "schema", schema);
    }
    lg_jw_end_object(w);
}

static void write_chat(lg_json_writer *w, const lg_llm_options *options,
                       const lg_llm_request *request, const lg_llm_again *again)
{
    write_messages(w, request, again);
    if (request->schema) {
        write_format(w, options->format, request->schema);
    }
    if (request->tools) {
        lg_jw_member_json(w, "tools", request->tools);
    }
    if (request->tool_choice) {
        lg_jw_member_json(w, "tool_choice", request->tool_choice);
    }
    if (request->has_temperature) {
        lg_jw_member_double(w, "temperature", request->temperature);
    }
    if (request->has_seed) {
        lg_jw_member_int(w, "seed", request->seed);
    }
    if (request->max_tokens) {
        lg_jw_member_uint(w, "max_tokens", request->max_tokens);
    }
    if (request->logprobs || request->top_logprobs) {
        lg_jw_member_bool(w, "logprobs", true);
    }
    if (request->top_logprobs) {
        lg_jw_member_uint(w, "top_logprobs", request->top_logprobs);
    }
}

static void write_body(lg_json_writer *w, const lg_llm_options *options,
                       const lg_llm_request *request, const lg_llm_again *again)
{
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "model", request->model.len ? request->model : options->model);
    switch (request->kind) {
    case LG_LLM_CHAT:
        write_chat(w, options, request, again);
        break;
    case LG_LLM_EMBED:
        write_texts(w, "input", request);
        if (request->dimensions) {
            lg_jw_member_uint(w, "dimensions", request->dimensions);
        }
        break;
    case LG_LLM_RERANK:
        lg_jw_member_str(w, "query", request->query);
        write_texts(w, "documents", request);
        if (request->top_n) {
            lg_jw_member_uint(w, "top_n", request->top_n);
        }
        break;
    }
    lg_jw_end_object(w);
}

// What would be no request at all, said before it is sent.
static lg_status check(const lg_llm_options *options, const lg_llm_request *request,
                       lg_error *reterr)
{
    const char *wrong = NULL;
    if (request->model.len == 0 && options->model.len == 0) {
        wrong = "a request needs the name of a model";
    } else if (request->kind == LG_LLM_CHAT && request->message_count == 0) {
        wrong = "a chat without messages asks nothing";
    } else if (request->kind != LG_LLM_CHAT && request->text_count == 0) {
        wrong = "without texts there is nothing to embed or to rank";
    } else if (request->has_temperature && !isfinite(request->temperature)) {
        wrong = "the temperature is no number";
    } else if (request->top_logprobs > MOST_TOP_LOGPROBS) {
        wrong = "top_logprobs is 20 at most";
    } else if (request->kind != LG_LLM_CHAT && request->schema) {
        wrong = "a schema is for the answer to a chat";
    } else if (request->more && !lg_json_is(request->more, LG_JSON_OBJECT)) {
        wrong = "further members of a request are an object";
    }
    return wrong ? lg_fail(reterr, LG_ERR_USAGE, "%s", wrong) : LG_OK;
}

// --- questions ---

static bool is_of_sending(lg_str key)
{
    return lg_str_eq(key, LG_STR("stream")) || lg_str_eq(key, LG_STR("stream_options"));
}

// `own` with the members of `more` that it has not, and `room` for as many more. NULL when out of memory.
static lg_json_member *members_of(lg_arena *arena, const lg_json *own, const lg_json *more,
                                  size_t room, size_t *ret_count)
{
    size_t most = lg_json_len(own) + lg_json_len(more) + room;
    lg_json_member *members = lg_json_alloc_members(arena, most);
    size_t count = 0;
    for (size_t i = 0; members && i < lg_json_len(own); i++) {
        members[count++] = *lg_json_member_at(own, i);
    }
    for (size_t i = 0; members && i < lg_json_len(more); i++) {
        const lg_json_member *member = lg_json_member_at(more, i);
        if (!is_of_sending(lg_json_key(member)) && !lg_json_get(own, lg_json_key(member))) {
            members[count++] = *member;
        }
    }
    *ret_count = count;
    return members;
}

static const lg_json *keep(lg_arena *arena, lg_json value)
{
    lg_json *kept = LG_NEW(arena, lg_json);
    if (kept) {
        *kept = value;
    }
    return kept;
}

// The tree of the body: written, and read again, so that it is made of what was checked to be JSON.
static lg_status own_tree(lg_arena *arena, const lg_llm_options *options,
                          const lg_llm_request *request, const lg_llm_again *again,
                          const lg_json **ret, lg_error *reterr)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_json_writer w = {.out = &text};
    write_body(&w, options, request, again);
    lg_status status = lg_buf_status(&text);
    lg_str kept = status == LG_OK ? lg_arena_str(arena, lg_buf_str(&text)) : (lg_str){NULL, 0};
    lg_buf_done(&text);
    if (status == LG_ERR_LIMIT) {
        return lg_fail(reterr, status, "the request is nested too deep");
    }
    return kept.ptr ? lg_json_parse_in(arena, kept, 0, kept.len, NULL, ret, reterr)
                    : lg_fail_oom(reterr);
}

static lg_status write_wire(lg_arena *arena, const lg_llm_request *request, const lg_json *body,
                            lg_str *ret, lg_error *reterr)
{
    const lg_json *sent = body;
    if (request->kind == LG_LLM_CHAT && request->stream) {
        size_t count;
        lg_json_member *members = members_of(arena, body, NULL, 2, &count);
        lg_json_member *usage = lg_json_alloc_members(arena, 1);
        if (!members || !usage) {
            return lg_fail_oom(reterr);
        }
        usage[0] = lg_json_make_member(LG_STR("include_usage"), lg_json_make_bool(true));
        members[count++] = lg_json_make_member(LG_STR("stream"), lg_json_make_bool(true));
        members[count++] =
            lg_json_make_member(LG_STR("stream_options"), lg_json_make_object(usage, 1));
        sent = keep(arena, lg_json_make_object(members, count));
    }
    lg_buf text;
    lg_buf_init(&text, 0);
    if (sent) {
        lg_json_print_canonical(&text, sent);
    }
    bool fine = sent && lg_buf_status(&text) == LG_OK;
    *ret = fine ? lg_arena_str(arena, lg_buf_str(&text)) : (lg_str){NULL, 0};
    lg_buf_done(&text);
    return ret->ptr ? LG_OK : lg_fail_oom(reterr);
}

static lg_status name_it(lg_arena *arena, const lg_llm_request *request, lg_llm_question *question,
                         lg_error *reterr)
{
    lg_json_member *members = lg_json_alloc_members(arena, 3);
    if (!members) {
        return lg_fail_oom(reterr);
    }
    lg_str kind = lg_str_c(lg_llm_kind_name(request->kind));
    members[0] = lg_json_make_member(LG_STR("kind"), lg_json_make_str(kind));
    members[1] = lg_json_make_member(LG_STR("request"), *question->body);
    members[2] = lg_json_make_member(LG_STR("sample"), lg_json_make_int(request->sample));
    lg_json whole = lg_json_make_object(members, 3);
    lg_status status = lg_json_hash(&whole, question->hash);
    return status == LG_OK ? status : lg_fail_oom(reterr);
}

lg_status lg_llm_question_make(lg_arena *arena, const lg_llm_options *options,
                               const lg_llm_request *request, const lg_llm_again *again,
                               lg_llm_question *ret, lg_error *reterr)
{
    const lg_json *own = NULL;
    lg_status status = check(options, request, reterr);
    status = status == LG_OK ? own_tree(arena, options, request, again, &own, reterr) : status;
    if (status != LG_OK) {
        return status;
    }
    size_t count;
    lg_json_member *members = members_of(arena, own, request->more, 0, &count);
    ret->body = members ? keep(arena, lg_json_make_object(members, count)) : NULL;
    if (!ret->body) {
        return lg_fail_oom(reterr);
    }
    status = name_it(arena, request, ret, reterr);
    return status == LG_OK ? write_wire(arena, request, ret->body, &ret->wire, reterr) : status;
}
