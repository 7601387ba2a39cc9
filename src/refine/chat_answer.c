// chat_answer.c: a record as a chat completion, whole or in events.
#include "refine/chat_internal.h"

typedef struct answer {
    const lg_refine_chat_request *request;
    const lg_refined *record;
    const lg_refine_attempt *attempt; // that stands
    int64_t created;
    char id[40];
    size_t call_count; // that are handed over
} answer;

// What is worth doing on real tools: what was carried out, and did not fail.
static bool is_handed_over(const lg_refined_call *call)
{
    return call->end == LG_SIM_DONE;
}

static lg_str model_of(const answer *a)
{
    return a->request->model.len ? a->request->model : LG_STR("ledgergate-refine");
}

static void write_call(lg_json_writer *w, const answer *a, const lg_refined_call *call,
                       size_t index)
{
    char id[64];
    // The planner's ids are of a rehearsal; these are new in the conversation, whatever it has had so far.
    lg_str text = lg_str_c("call_");
    lg_buf buf;
    lg_buf_init_in(&buf, id, sizeof(id), 0);
    lg_buf_addf(&buf, "%.*s%zu_%zu", LG_FMT(text), a->request->message_count, index + 1);
    lg_jw_begin_object(w);
    if (a->request->is_streamed) {
        lg_jw_member_uint(w, "index", index);
    }
    lg_jw_member_str(w, "id", lg_buf_str(&buf));
    lg_buf_done(&buf);
    lg_jw_member_c(w, "type", "function");
    lg_jw_key(w, "function");
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "name", call->name);
    lg_jw_member_str(w, "arguments", call->args_text);
    lg_jw_end_object(w);
    lg_jw_end_object(w);
}

static void write_calls(lg_json_writer *w, const answer *a)
{
    size_t index = 0;
    lg_jw_key(w, "tool_calls");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < a->attempt->call_count && index < a->call_count; i++) {
        if (is_handed_over(&a->attempt->calls[i])) {
            write_call(w, a, &a->attempt->calls[i], index++);
        }
    }
    lg_jw_end_array(w);
}

static lg_str text_of(const answer *a)
{
    return a->attempt->response.len ? a->attempt->response
                                    : LG_STR("The task could not be carried out.");
}

static void write_message(lg_json_writer *w, const answer *a, const char *key)
{
    lg_jw_key(w, key);
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "role", "assistant");
    lg_jw_key(w, "content");
    if (a->call_count) {
        lg_jw_null(w);
        write_calls(w, a);
    } else {
        lg_jw_str(w, text_of(a));
    }
    lg_jw_end_object(w);
}

static void write_head(lg_json_writer *w, const answer *a)
{
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "id", a->id);
    lg_jw_member_c(w, "object",
                   a->request->is_streamed ? "chat.completion.chunk" : "chat.completion");
    lg_jw_member_int(w, "created", a->created);
    lg_jw_member_str(w, "model", model_of(a));
}

static void write_usage(lg_json_writer *w, const answer *a)
{
    const lg_refine_costs *c = &a->record->costs;
    uint64_t prompt =
        c->planner.prompt_tokens + c->simulator.prompt_tokens + c->judge.prompt_tokens;
    uint64_t completion =
        c->planner.completion_tokens + c->simulator.completion_tokens + c->judge.completion_tokens;
    lg_jw_key(w, "usage");
    lg_jw_begin_object(w);
    lg_jw_member_uint(w, "prompt_tokens", prompt);
    lg_jw_member_uint(w, "completion_tokens", completion);
    lg_jw_member_uint(w, "total_tokens", prompt + completion);
    lg_jw_end_object(w);
}

static void write_ledgergate(lg_json_writer *w, const answer *a)
{
    lg_jw_key(w, "ledgergate");
    lg_jw_begin_object(w);
    bool is_judged = a->attempt->judgement.count > 0;
    lg_jw_member_c(w, "status", is_judged ? lg_refine_status_name(a->record) : "unjudged");
    lg_jw_member_c(w, "why", lg_refine_why_name(a->record->why));
    lg_jw_member_uint(w, "attempts", a->record->attempt_count);
    lg_jw_member_uint(w, "stands", a->record->stands);
    lg_jw_member_str(w, "feedback", a->attempt->feedback);
    lg_jw_member_str_if(w, "message", a->record->message);
    lg_jw_key(w, "costs");
    lg_refine_write_costs(w, &a->record->costs);
    lg_jw_end_object(w);
}

static const char *finish_of(const answer *a)
{
    return a->call_count ? "tool_calls" : "stop";
}

static void answer_whole(lg_buf *out, const answer *a)
{
    lg_json_writer w = {.out = out};
    write_head(&w, a);
    lg_jw_key(&w, "choices");
    lg_jw_begin_array(&w);
    lg_jw_begin_object(&w);
    lg_jw_member_uint(&w, "index", 0);
    write_message(&w, a, "message");
    lg_jw_member_c(&w, "finish_reason", finish_of(a));
    lg_jw_end_object(&w);
    lg_jw_end_array(&w);
    write_usage(&w, a);
    write_ledgergate(&w, a);
    lg_jw_end_object(&w);
}

// One event: what the message is, why it ends (then with what is ours), or what it took.
typedef enum event {
    EVENT_MESSAGE,
    EVENT_FINISH,
    EVENT_USAGE,
} event;

static void write_choice(lg_json_writer *w, const answer *a, event kind)
{
    lg_jw_begin_object(w);
    lg_jw_member_uint(w, "index", 0);
    if (kind == EVENT_MESSAGE) {
        write_message(w, a, "delta");
    } else {
        lg_jw_key(w, "delta");
        lg_jw_begin_object(w);
        lg_jw_end_object(w);
    }
    lg_jw_key(w, "finish_reason");
    if (kind == EVENT_MESSAGE) {
        lg_jw_null(w);
    } else {
        lg_jw_c(w, finish_of(a));
    }
    lg_jw_end_object(w);
}

static void add_event(lg_buf *out, const answer *a, event kind)
{
    lg_json_writer w = {.out = out};
    lg_buf_add_c(out, "data: ");
    write_head(&w, a);
    lg_jw_key(&w, "choices");
    lg_jw_begin_array(&w);
    if (kind != EVENT_USAGE) {
        write_choice(&w, a, kind);
    }
    lg_jw_end_array(&w);
    if (kind == EVENT_FINISH) {
        write_ledgergate(&w, a);
    } else if (kind == EVENT_USAGE) {
        write_usage(&w, a);
    }
    lg_jw_end_object(&w);
    lg_buf_add_c(out, "\n\n");
}

void lg_refine_chat_answer(lg_buf *out, const lg_refine_chat_request *request,
                           const lg_refined *record, int64_t created)
{
    answer a = {.request = request,
                .record = record,
                .attempt = &record->attempts[record->stands],
                .created = created};
    for (size_t i = 0; i < a.attempt->call_count; i++) {
        a.call_count += is_handed_over(&a.attempt->calls[i]);
    }
    if (request->is_one_by_one && a.call_count > 1) {
        a.call_count = 1;
    }
    // The same state at the end, of the same start: the same answer.
    lg_buf id;
    lg_buf_init_in(&id, a.id, sizeof(a.id) - 1, 0);
    lg_buf_addf(&id, "chatcmpl-%.12s%.12s", a.attempt->start_hash, a.attempt->end_hash);
    a.id[id.len] = 0;
    lg_buf_done(&id);
    if (!request->is_streamed) {
        answer_whole(out, &a);
        return;
    }
    add_event(out, &a, EVENT_MESSAGE);
    add_event(out, &a, EVENT_FINISH);
    if (request->wants_usage) {
        add_event(out, &a, EVENT_USAGE);
    }
    lg_buf_add_c(out, "data: [DONE]\n\n");
}
