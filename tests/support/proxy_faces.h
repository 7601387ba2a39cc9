// proxy_faces.h: conversations of calls and their results as each of the three APIs has them: requests, replies,
// streams.
#ifndef LG_PROXY_FACES_H
#define LG_PROXY_FACES_H

#include "chat/chat.h"
#include "json/writer.h"

#include <stdio.h>

// A call with its answer.
typedef struct face_call {
    lg_str tool;
    const lg_json *args;
    lg_str result;
    bool failed;
} face_call;

static inline void face_pair(lg_json_writer *w, const char *key, lg_str value)
{
    lg_jw_key(w, key);
    lg_jw_str(w, value);
}

static inline void face_word(lg_json_writer *w, const char *key, const char *value)
{
    lg_jw_key(w, key);
    lg_jw_c(w, value);
}

// The arguments as a text of JSON.
static inline void face_args(lg_json_writer *w, const char *key, const lg_json *args)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_json_print(&text, args);
    face_pair(w, key, lg_buf_str(&text));
    lg_buf_done(&text);
}

static inline void face_id(lg_json_writer *w, const char *key, size_t number)
{
    char id[32];
    snprintf(id, sizeof(id), "call_%zu", number);
    face_word(w, key, id);
}

static inline void face_user(lg_json_writer *w, const char *text)
{
    lg_jw_begin_object(w);
    face_word(w, "role", "user");
    face_word(w, "content", text);
    lg_jw_end_object(w);
}

// --- The agent's part ---------------------------------------------------------------------------

static inline void face_completions_call(lg_json_writer *w, size_t number, const face_call *call)
{
    lg_jw_begin_object(w);
    face_id(w, "id", number);
    face_word(w, "type", "function");
    lg_jw_key(w, "function");
    lg_jw_begin_object(w);
    face_pair(w, "name", call->tool);
    face_args(w, "arguments", call->args);
    lg_jw_end_object(w);
    lg_jw_end_object(w);
}

static inline void face_completions_message(lg_json_writer *w, size_t number, const face_call *call)
{
    lg_jw_begin_object(w);
    face_word(w, "role", "assistant");
    lg_jw_key(w, "content");
    lg_jw_null(w);
    lg_jw_key(w, "tool_calls");
    lg_jw_begin_array(w);
    face_completions_call(w, number, call);
    lg_jw_end_array(w);
    lg_jw_end_object(w);
}

static inline void face_messages_content(lg_json_writer *w, size_t number, const face_call *call)
{
    lg_jw_begin_array(w);
    lg_jw_begin_object(w);
    face_word(w, "type", "tool_use");
    face_id(w, "id", number);
    face_pair(w, "name", call->tool);
    lg_jw_key(w, "input");
    lg_jw_json(w, call->args);
    lg_jw_end_object(w);
    lg_jw_end_array(w);
}

static inline void face_responses_item(lg_json_writer *w, size_t number, const face_call *call)
{
    lg_jw_begin_object(w);
    face_word(w, "type", "function_call");
    face_word(w, "id", "fc_1");
    face_id(w, "call_id", number);
    face_pair(w, "name", call->tool);
    face_args(w, "arguments", call->args);
    face_word(w, "status", "completed");
    lg_jw_end_object(w);
}

static inline void face_made(lg_json_writer *w, lg_chat_api api, size_t number,
                             const face_call *call)
{
    if (api == LG_CHAT_COMPLETIONS) {
        face_completions_message(w, number, call);
    } else if (api == LG_CHAT_RESPONSES) {
        face_responses_item(w, number, call);
    } else {
        lg_jw_begin_object(w);
        face_word(w, "role", "assistant");
        lg_jw_key(w, "content");
        face_messages_content(w, number, call);
        lg_jw_end_object(w);
    }
}

// --- What the tool says -------------------------------------------------------------------------

static inline void face_result(lg_json_writer *w, lg_chat_api api, size_t number,
                               const face_call *call)
{
    lg_jw_begin_object(w);
    if (api == LG_CHAT_COMPLETIONS) {
        face_word(w, "role", "tool");
        face_id(w, "tool_call_id", number);
        face_pair(w, "content", call->result);
    } else if (api == LG_CHAT_RESPONSES) {
        face_word(w, "type", "function_call_output");
        face_id(w, "call_id", number);
        face_pair(w, "output", call->result);
    } else {
        face_word(w, "role", "user");
        lg_jw_key(w, "content");
        lg_jw_begin_array(w);
        lg_jw_begin_object(w);
        face_word(w, "type", "tool_result");
        face_id(w, "tool_use_id", number);
        face_pair(w, "content", call->result);
        lg_jw_key(w, "is_error");
        lg_jw_bool(w, call->failed);
        lg_jw_end_object(w);
        lg_jw_end_array(w);
    }
    lg_jw_end_object(w);
}

// --- The whole ----------------------------------------------------------------------------------

// A request whose conversation is these calls. With `open`, of the last one no result is there.
static inline void face_request(lg_buf *out, lg_chat_api api, const face_call *calls, size_t count,
                                bool open, bool stream)
{
    lg_json_writer w = {.out = out};
    lg_jw_begin_object(&w);
    face_word(&w, "model", "m");
    lg_jw_key(&w, "stream");
    lg_jw_bool(&w, stream);
    lg_jw_key(&w, api == LG_CHAT_RESPONSES ? "input" : "messages");
    lg_jw_begin_array(&w);
    face_user(&w, "Please do it.");
    for (size_t i = 0; i < count; i++) {
        face_made(&w, api, i, &calls[i]);
        if (i + 1 < count || !open) {
            face_result(&w, api, i, &calls[i]);
        }
    }
    lg_jw_end_array(&w);
    lg_jw_end_object(&w);
}

// The reply that makes the call.
static inline void face_reply(lg_buf *out, lg_chat_api api, size_t number, const face_call *call)
{
    lg_json_writer w = {.out = out};
    lg_jw_begin_object(&w);
    face_word(&w, "id", "reply_1");
    face_word(&w, "model", "m");
    if (api == LG_CHAT_COMPLETIONS) {
        face_word(&w, "object", "chat.completion");
        lg_jw_key(&w, "choices");
        lg_jw_begin_array(&w);
        lg_jw_begin_object(&w);
        lg_jw_key(&w, "index");
        lg_jw_uint(&w, 0);
        lg_jw_key(&w, "message");
        face_completions_message(&w, number, call);
        face_word(&w, "finish_reason", "tool_calls");
        lg_jw_end_object(&w);
        lg_jw_end_array(&w);
    } else if (api == LG_CHAT_RESPONSES) {
        face_word(&w, "object", "response");
        face_word(&w, "status", "completed");
        lg_jw_key(&w, "output");
        lg_jw_begin_array(&w);
        face_responses_item(&w, number, call);
        lg_jw_end_array(&w);
    } else {
        face_word(&w, "type", "message");
        face_word(&w, "role", "assistant");
        lg_jw_key(&w, "content");
        face_messages_content(&w, number, call);
        face_word(&w, "stop_reason", "tool_use");
    }
    lg_jw_end_object(&w);
}

// --- Streams ------------------------------------------------------------------------------------

static inline void face_event(lg_buf *out, const char *name, const char *format, lg_str text)
{
    if (name) {
        lg_buf_addf(out, "event: %s\n", name);
    }
    lg_buf_add_c(out, "data: ");
    for (const char *c = format; *c; c++) { // ' is ", and @ the text
        if (*c == '@') {
            lg_buf_add(out, text);
        } else {
            lg_buf_add_byte(out, *c == '\'' ? '"' : *c);
        }
    }
    lg_buf_add_c(out, "\n\n");
}

static inline void face_stream_completions(lg_buf *out, lg_str call)
{
    face_event(
        out, NULL,
        "{'id':'reply_1','object':'chat.completion.chunk','choices':[{'index':0,'delta':{'role':"
        "'assistant','content':null,'tool_calls':[@]},'finish_reason':null}]}",
        call);
    face_event(out, NULL,
               "{'id':'reply_1','object':'chat.completion.chunk','choices':[{'index':0,'delta':{},"
               "'finish_reason':'tool_calls'}]}",
               call);
    lg_buf_add_c(out, "data: [DONE]\n\n");
}

static inline void face_stream_messages(lg_buf *out, lg_str block, lg_str input)
{
    face_event(
        out, "message_start",
        "{'type':'message_start','message':{'id':'reply_1','type':'message','role':'assistant',"
        "'model':'m','content':[],'stop_reason':null,'usage':{'input_tokens':1,"
        "'output_tokens':1}}}",
        block);
    face_event(out, "content_block_start",
               "{'type':'content_block_start','index':0,'content_block':@}", block);
    face_event(out, "content_block_delta",
               "{'type':'content_block_delta','index':0,'delta':{'type':'input_json_delta',"
               "'partial_json':@}}",
               input);
    face_event(out, "content_block_stop", "{'type':'content_block_stop','index':0}", block);
    face_event(out, "message_delta",
               "{'type':'message_delta','delta':{'stop_reason':'tool_use','stop_sequence':null},"
               "'usage':{'output_tokens':9}}",
               block);
    face_event(out, "message_stop", "{'type':'message_stop'}", block);
}

static inline void face_stream_responses(lg_buf *out, lg_str item, lg_str args)
{
    static const char *const names[] = {"response.created", "response.in_progress"};
    for (int i = 0; i < 2; i++) {
        char text[256];
        snprintf(text, sizeof(text),
                 "{'type':'%s','sequence_number':%d,'response':{'id':'reply_1','object':'response',"
                 "'status':'in_progress','model':'m','output':[]}}",
                 names[i], i);
        face_event(out, names[i], text, item);
    }
    face_event(
        out, "response.output_item.added",
        "{'type':'response.output_item.added','sequence_number':2,'output_index':0,'item':@}",
        item);
    face_event(
        out, "response.function_call_arguments.delta",
        "{'type':'response.function_call_arguments.delta','sequence_number':3,'output_index':0,"
        "'item_id':'fc_1','delta':@}",
        args);
    face_event(
        out, "response.function_call_arguments.done",
        "{'type':'response.function_call_arguments.done','sequence_number':4,'output_index':0,"
        "'item_id':'fc_1','arguments':@}",
        args);
    face_event(out, "response.output_item.done",
               "{'type':'response.output_item.done','sequence_number':5,'output_index':0,'item':@}",
               item);
    face_event(
        out, "response.completed",
        "{'type':'response.completed','sequence_number':6,'response':{'id':'reply_1','object':"
        "'response','status':'completed','model':'m','output':[@]}}",
        item);
}

// The same reply as a stream.
static inline void face_stream(lg_buf *out, lg_chat_api api, size_t number, const face_call *call)
{
    static const lg_json none = {.type = LG_JSON_OBJECT};
    face_call bare = {.tool = call->tool, .args = &none};
    lg_buf parts[3]; // the item, the arguments as a text, that text as a JSON string
    for (size_t i = 0; i < 3; i++) {
        lg_buf_init(&parts[i], 0);
    }
    lg_json_writer w = {.out = &parts[0]};
    lg_json_print(&parts[1], call->args);
    lg_json_print_str(&parts[2], lg_buf_str(&parts[1]));
    if (api == LG_CHAT_COMPLETIONS) {
        lg_buf_add_c(&parts[0], "{\"index\":0,");
        lg_buf whole;
        lg_buf_init(&whole, 0);
        lg_json_writer v = {.out = &whole};
        face_completions_call(&v, number, call);
        lg_buf_add(&parts[0], lg_str_slice(lg_buf_str(&whole), 1, whole.len));
        lg_buf_done(&whole);
        face_stream_completions(out, lg_buf_str(&parts[0]));
    } else if (api == LG_CHAT_RESPONSES) {
        face_responses_item(&w, number, call);
        face_stream_responses(out, lg_buf_str(&parts[0]), lg_buf_str(&parts[2]));
    } else {
        face_messages_content(&w, number, &bare);
        lg_str block = lg_buf_str(&parts[0]);
        face_stream_messages(out, lg_str_slice(block, 1, block.len - 1), lg_buf_str(&parts[2]));
    }
    for (size_t i = 0; i < 3; i++) {
        lg_buf_done(&parts[i]);
    }
}

#endif
