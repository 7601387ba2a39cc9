// ask_model.c: a question is put until what comes is JSON of the right form, a bounded number of times.
//
// The schema is sent where a server can take it. One that does not (it refuses the request, or the schema is written in a
// dialect that no server speaks) is asked in words alone, and what comes is looked for in the text, checked here, and put
// back with what is wrong.
#include "simulate/ask_internal.h"

lg_status ask_schema(lg_arena *arena, const char *text, const lg_json **ret, lg_error *reterr)
{
    lg_str source = lg_str_c(text);
    return lg_json_parse_in(arena, source, 0, source.len, NULL, ret, reterr);
}

// --- One exchange -------------------------------------------------------------------------------

// What a conversation about one answer holds: the question, and each wrong answer with what was wrong.
typedef struct exchange {
    lg_arena *arena;
    lg_llm *model;
    const ask_question *question;
    lg_llm_message messages[2 + 2 * (ASK_ROUNDS - 1)];
    size_t count;
} exchange;

static lg_status put(exchange *e, const lg_json *schema, lg_llm_reply *ret, lg_error *reterr)
{
    lg_llm_request request = {.kind = LG_LLM_CHAT,
                              .messages = e->messages,
                              .message_count = e->count,
                              .schema = schema,
                              .has_temperature = true,
                              .temperature = 0};
    lg_status status = lg_llm_ask_all(e->model, &request, 1, e->arena, ret, reterr);
    if (status == LG_OK || status == LG_ERR_OOM || status == LG_ERR_IO) {
        return status;
    }
    // Something of the system's: the model is as good as gone, and the call goes on.
    ret->end = LG_LLM_FAILED;
    ret->error = *reterr;
    return LG_OK;
}

static lg_str said_why(exchange *e, const lg_llm_reply *reply)
{
    lg_str why = lg_arena_printf(e->arena, "%s: %s", lg_llm_end_name(reply->end), reply->error.msg);
    return why.ptr ? why : LG_STR("the model did not answer");
}

// --- Is it what was asked for? ------------------------------------------------------------------

static bool is_small(const lg_json *value, lg_str *ret_wrong)
{
    lg_buf text;
    lg_buf_init(&text, ASK_VALUE_BYTES);
    lg_json_print(&text, value);
    bool small = lg_buf_status(&text) == LG_OK;
    lg_buf_done(&text);
    if (!small) {
        *ret_wrong = LG_STR("it is too large or nested too deep");
    }
    return small;
}

static bool is_asked_for(exchange *e, const lg_json *value, lg_str *ret_wrong)
{
    lg_schema_violation items[4];
    lg_schema_report report = {.items = items, .capacity = LG_COUNT(items)};
    if (e->question->of_object && !lg_json_is(value, LG_JSON_OBJECT)) {
        *ret_wrong = LG_STR("it is no JSON object");
        return false;
    }
    if (!is_small(value, ret_wrong)) {
        return false;
    }
    if (!e->question->checked || lg_schema_validate(e->question->checked, value, &report)) {
        return true;
    }
    lg_str wrong = LG_STR("");
    for (size_t i = 0; i < report.count && wrong.ptr; i++) {
        const char *at = items[i].instance_pointer;
        wrong = lg_arena_printf(e->arena, "%.*s%sat %s: %s", LG_FMT(wrong), i ? "; " : "",
                                at[0] ? at : "the top", items[i].msg);
    }
    *ret_wrong = wrong.ptr && wrong.len ? wrong : LG_STR("it is not what the schema allows");
    return false;
}

// --- With a schema, and without -------------------------------------------------------------------

// A server that cannot take the schema says so with one of these. `*ret_value` may be NULL after it, and `*ret_why` empty:
// then the question is to be put in words.
static lg_status ask_with_schema(exchange *e, const lg_json **ret_value, lg_str *ret_why,
                                 lg_error *reterr)
{
    lg_llm_reply reply = {0};
    lg_status status = put(e, e->question->schema, &reply, reterr);
    if (status != LG_OK) {
        return status;
    }
    bool refused = reply.end == LG_LLM_REFUSED && (reply.status == 400 || reply.status == 422);
    bool is_none = reply.end == LG_LLM_FAILED && reply.error.status == LG_ERR_USAGE;
    if (reply.end != LG_LLM_OK) {
        *ret_why = refused || is_none ? LG_STR("") : said_why(e, &reply);
    } else if (!reply.value) {
        *ret_why = LG_STR("it made calls in place of an answer");
    } else if (is_asked_for(e, reply.value, ret_why)) {
        *ret_value = reply.value;
    }
    return LG_OK;
}

static lg_status ask_again(exchange *e, lg_str said, lg_str wrong, lg_error *reterr)
{
    lg_str repair = lg_arena_printf(
        e->arena, "This is not what was asked for: %.*s. Answer again, whole, with the JSON alone.",
        LG_FMT(wrong));
    lg_str kept = lg_arena_str(e->arena, lg_str_cut(said, ASK_SCHEMA_BYTES));
    if (!repair.ptr || !kept.ptr) {
        return lg_fail_oom(reterr);
    }
    e->messages[e->count++] = (lg_llm_message){.role = LG_STR("assistant"), .text = kept};
    e->messages[e->count++] = (lg_llm_message){.role = LG_STR("user"), .text = repair};
    return LG_OK;
}

static lg_status ask_in_words(exchange *e, const lg_json **ret_value, lg_str *ret_why,
                              lg_error *reterr)
{
    static const lg_limits limits = {.json_depth = 64};
    for (unsigned round = 1; round <= ASK_ROUNDS; round++) {
        lg_llm_reply reply = {0};
        lg_error error = {0};
        lg_status status = put(e, NULL, &reply, reterr);
        if (status != LG_OK) {
            return status;
        }
        if (reply.end != LG_LLM_OK) {
            *ret_why = said_why(e, &reply);
            return LG_OK;
        }
        const lg_json *value = lg_llm_find_json(e->arena, reply.text, &limits, &error);
        if (!value && error.status == LG_ERR_OOM) {
            return lg_fail_oom(reterr);
        }
        if (value && is_asked_for(e, value, ret_why)) {
            *ret_value = value;
            return LG_OK;
        }
        if (!value) {
            *ret_why = lg_arena_str(e->arena, lg_str_c(error.msg));
        }
        status = round < ASK_ROUNDS ? ask_again(e, reply.text, *ret_why, reterr) : LG_OK;
        if (status != LG_OK) {
            return status;
        }
    }
    lg_str why = lg_arena_printf(e->arena, "after %u tries: %.*s", ASK_ROUNDS, LG_FMT(*ret_why));
    *ret_why = why.ptr ? why : *ret_why;
    return LG_OK;
}

// A server may not be told the schema, or not keep to it: the task says it too, unless the material does.
static lg_str task_of(lg_arena *arena, const ask_question *question)
{
    lg_buf text;
    if (!question->schema || question->checked) {
        return lg_str_c(question->task);
    }
    lg_buf_init(&text, 0);
    lg_buf_addf(&text, "%s\n\nAnswer with JSON alone, such as this schema allows:\n",
                question->task);
    lg_json_print(&text, question->schema);
    return lg_buf_keep(&text, arena);
}

lg_status ask_model(lg_arena *arena, lg_llm *model, const ask_question *question,
                    const lg_json **ret_value, lg_str *ret_why, lg_error *reterr)
{
    lg_error own;
    lg_error *error = reterr ? reterr : &own;
    exchange e = {.arena = arena, .model = model, .question = question, .count = 2};
    e.messages[0] = (lg_llm_message){.role = LG_STR("system"), .text = task_of(arena, question)};
    e.messages[1] = (lg_llm_message){.role = LG_STR("user"), .text = question->material};
    *ret_value = NULL;
    *ret_why = LG_STR("");
    if (!e.messages[0].text.ptr) {
        return lg_fail_oom(reterr);
    }
    if (question->schema) {
        lg_status status = ask_with_schema(&e, ret_value, ret_why, error);
        if (status != LG_OK || *ret_value || ret_why->len > 0) {
            return status;
        }
    }
    return ask_in_words(&e, ret_value, ret_why, error);
}
