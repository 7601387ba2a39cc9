// chat_maker.h: replies by seed, streamed and not.
#ifndef LG_CHAT_MAKER_H
#define LG_CHAT_MAKER_H

#include "dice.h"
#include "json/writer.h"

#include "chat_laws.h"

enum { MADE_PARTS = 6 };

typedef struct made_part {
    bool is_call;
    char text[64]; // what is said, or the arguments
    char name[32];
} made_part;

typedef struct made_reply {
    made_part parts[MADE_PARTS];
    size_t count;
    size_t sequence;
    dice *d;
    lg_buf stream;
    lg_buf whole;
} made_reply;

static inline void made_say(dice *d, char *out, size_t size)
{
    static const char letters[] = "ab \"\\\n\t{}[]:,.0/<";
    size_t len = 1 + dice_below(d, (uint32_t)size - 2);
    for (size_t i = 0; i < len; i++) {
        out[i] = letters[dice_below(d, sizeof(letters) - 1)];
    }
    out[len] = '\0';
}

static inline void made_choose(made_reply *r, lg_chat_api api)
{
    static const char *const args[] = {"{}", "{\"n\":1}", "{\"a\":{\"b\":[1,2.50,\"x\\\"y\"]}}",
                                       "{\"long\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaa\"}"};
    r->count = 1 + dice_below(r->d, MADE_PARTS - 1);
    for (size_t i = 0; i < r->count; i++) {
        made_part *part = &r->parts[i];
        // Of Completions one text, and it comes first.
        part->is_call = api == LG_CHAT_COMPLETIONS ? i > 0 : dice_one_in(r->d, 2);
        snprintf(part->name, sizeof(part->name), "tool%zu", i);
        if (part->is_call) {
            snprintf(part->text, sizeof(part->text), "%s", DICE_PICK(r->d, args));
        } else {
            made_say(r->d, part->text, 24);
        }
    }
}

static inline void made_event(made_reply *r, const char *name, const lg_buf *data)
{
    static const char *const ends[] = {"\n", "\n", "\r\n"};
    const char *end = DICE_PICK(r->d, ends);
    if (name && !dice_one_in(r->d, 8)) {
        lg_buf_addf(&r->stream, "event: %s%s", name, end);
    }
    lg_buf_addf(&r->stream, dice_one_in(r->d, 5) ? "data:%.*s%s%s" : "data: %.*s%s%s",
                LG_FMT(lg_buf_str(data)), end, end);
    if (dice_one_in(r->d, 9)) {
        lg_buf_addf(&r->stream, ": still here%s%s", end, end);
    }
}

// Calls `tell` with each piece of a text.
typedef void made_tell(made_reply *r, size_t index, lg_str piece, bool first);
static inline void made_pieces(made_reply *r, size_t index, made_tell *tell)
{
    lg_str rest = lg_str_c(r->parts[index].text);
    for (bool first = true; rest.len || first; first = false) {
        size_t len = dice_below(r->d, (uint32_t)rest.len + 1) + !first;
        tell(r, index, lg_str_slice(rest, 0, len), first);
        rest = lg_str_slice(rest, len, rest.len);
    }
}

static inline void made_field(lg_json_writer *w, const char *key, lg_str text)
{
    lg_jw_key(w, key);
    lg_jw_str(w, text);
}

// --- Completions ------------------------------------------------------------------------------------

static inline void made_chunk(made_reply *r, lg_json_writer *w, lg_buf *data)
{
    lg_buf_init(data, 0);
    *w = (lg_json_writer){.out = data};
    lg_jw_begin_object(w);
    made_field(w, "id", LG_STR("c"));
    made_field(w, "object", LG_STR("chat.completion.chunk"));
    lg_jw_key(w, "choices");
    lg_jw_begin_array(w);
    lg_jw_begin_object(w);
    lg_jw_key(w, "index");
    lg_jw_int(w, 0);
    lg_jw_key(w, "delta");
    lg_jw_begin_object(w);
    (void)r;
}

static inline void made_chunk_end(made_reply *r, lg_json_writer *w, lg_buf *data,
                                  const char *finish)
{
    lg_jw_end_object(w);
    lg_jw_key(w, "finish_reason");
    if (finish) {
        lg_jw_c(w, finish);
    } else {
        lg_jw_null(w);
    }
    lg_jw_end_object(w);
    lg_jw_end_array(w);
    lg_jw_end_object(w);
    made_event(r, NULL, data);
    lg_buf_done(data);
}

static inline void made_call(const made_reply *r, size_t index, lg_json_writer *w)
{
    made_field(w, "id", lg_str_c(r->parts[index].name));
    made_field(w, "type", LG_STR("function"));
    lg_jw_key(w, "function");
    lg_jw_begin_object(w);
    made_field(w, "name", lg_str_c(r->parts[index].name));
}

static inline void made_delta(made_reply *r, size_t index, lg_str piece, bool first)
{
    lg_buf data;
    lg_json_writer w;
    made_chunk(r, &w, &data);
    if (!r->parts[index].is_call) {
        if (first) {
            made_field(&w, "role", LG_STR("assistant"));
        }
        made_field(&w, "content", piece);
        made_chunk_end(r, &w, &data, NULL);
        return;
    }
    lg_jw_key(&w, "tool_calls");
    lg_jw_begin_array(&w);
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "index");
    lg_jw_uint(&w, index - 1);
    if (first) {
        made_call(r, index, &w);
    } else {
        lg_jw_key(&w, "function");
        lg_jw_begin_object(&w);
    }
    made_field(&w, "arguments", piece);
    lg_jw_end_object(&w);
    lg_jw_end_object(&w);
    lg_jw_end_array(&w);
    made_chunk_end(r, &w, &data, NULL);
}

static inline void made_completions(made_reply *r)
{
    lg_buf data;
    lg_json_writer w;
    const char *finish = r->count > 1 ? "tool_calls" : "stop";
    for (size_t i = 0; i < r->count; i++) {
        made_pieces(r, i, made_delta);
    }
    made_chunk(r, &w, &data);
    made_chunk_end(r, &w, &data, finish);
    lg_buf_add_c(&r->stream, "data: [DONE]\n\n");
    w = (lg_json_writer){.out = &r->whole};
    lg_buf_add_c(&r->whole, "{\"id\":\"c\",\"choices\":[{\"index\":0,\"message\":");
    lg_jw_begin_object(&w);
    made_field(&w, "role", LG_STR("assistant"));
    made_field(&w, "content", lg_str_c(r->parts[0].text));
    if (r->count > 1) {
        lg_jw_key(&w, "tool_calls");
        lg_jw_begin_array(&w);
        for (size_t i = 1; i < r->count; i++) {
            lg_jw_begin_object(&w);
            made_call(r, i, &w);
            made_field(&w, "arguments", lg_str_c(r->parts[i].text));
            lg_jw_end_object(&w);
            lg_jw_end_object(&w);
        }
        lg_jw_end_array(&w);
    }
    lg_jw_end_object(&w);
    lg_buf_addf(&r->whole, ",\"finish_reason\":\"%s\"}]}", finish);
}

// --- Messages and Responses ---------------------------------------------------------------------------

// One event of JSON in which @ is the index of the part, $ its name, ^ the piece as a string and # the number.
static inline void made_form(made_reply *r, lg_buf *out, const char *form, size_t index,
                             lg_str piece)
{
    for (const char *c = form; *c; c++) {
        if (*c == '@') {
            lg_buf_addf(out, "%zu", index);
        } else if (*c == '$') {
            lg_buf_add_c(out, r->parts[index].name);
        } else if (*c == '^') {
            lg_json_print_str(out, piece);
        } else if (*c == '~') {
            lg_buf_add(out, piece);
        } else if (*c == '#') {
            lg_buf_addf(out, "%zu", r->sequence++);
        } else {
            lg_buf_add_byte(out, *c);
        }
    }
}

static inline void made_formed(made_reply *r, const char *name, const char *form, size_t index,
                               lg_str piece)
{
    lg_buf data;
    lg_buf_init(&data, 0);
    lg_buf_addf(&data, "{\"type\":\"%s\"", name);
    made_form(r, &data, form, index, piece);
    lg_buf_add_byte(&data, '}');
    made_event(r, name, &data);
    lg_buf_done(&data);
}

static inline void made_block_delta(made_reply *r, size_t index, lg_str piece, bool first)
{
    (void)first;
    made_formed(r, "content_block_delta",
                r->parts[index].is_call
                    ? ",\"index\":@,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":^}"
                    : ",\"index\":@,\"delta\":{\"type\":\"text_delta\",\"text\":^}",
                index, piece);
}

static inline void made_messages(made_reply *r)
{
    bool any = false;
    lg_str none = LG_STR("");
    made_formed(
        r, "message_start",
        ",\"message\":{\"id\":\"m\",\"role\":\"assistant\",\"content\":[],\"stop_reason\":null}", 0,
        none);
    lg_buf_add_c(&r->whole, "{\"id\":\"m\",\"role\":\"assistant\",\"content\":[");
    for (size_t i = 0; i < r->count; i++) {
        bool call = r->parts[i].is_call;
        any = any || call;
        made_formed(r, "content_block_start",
                    call ? ",\"index\":@,\"content_block\":{\"type\":\"tool_use\",\"id\":\"$\","
                           "\"name\":\"$\",\"input\":{}}"
                         : ",\"index\":@,\"content_block\":{\"type\":\"text\",\"text\":\"\"}",
                    i, none);
        made_pieces(r, i, made_block_delta);
        made_formed(r, "content_block_stop", ",\"index\":@", i, none);
        lg_buf_add_c(&r->whole, i ? "," : "");
        made_form(r, &r->whole,
                  call ? "{\"type\":\"tool_use\",\"id\":\"$\",\"name\":\"$\",\"input\":~}"
                       : "{\"type\":\"text\",\"text\":^}",
                  i, lg_str_c(r->parts[i].text));
    }
    lg_str reason = any ? LG_STR("tool_use") : LG_STR("end_turn");
    made_formed(r, "message_delta", ",\"delta\":{\"stop_reason\":^}", 0, reason);
    made_formed(r, "message_stop", "", 0, none);
    lg_buf_addf(&r->whole, "],\"stop_reason\":\"%.*s\"}", LG_FMT(reason));
}

static inline void made_args_delta(made_reply *r, size_t index, lg_str piece, bool first)
{
    (void)first;
    made_formed(r,
                r->parts[index].is_call ? "response.function_call_arguments.delta"
                                        : "response.output_text.delta",
                ",\"output_index\":@,\"delta\":^,\"sequence_number\":#", index, piece);
}

static inline void made_responses(made_reply *r)
{
    lg_str none = LG_STR("");
    lg_buf output;
    lg_buf_init(&output, 0);
    made_formed(r, "response.created", ",\"response\":{\"output\":[]},\"sequence_number\":#", 0,
                none);
    for (size_t i = 0; i < r->count; i++) {
        bool call = r->parts[i].is_call;
        lg_buf item;
        lg_buf_init(&item, 0);
        made_form(r, &item,
                  call ? "{\"type\":\"function_call\",\"id\":\"f$\",\"call_id\":\"$\",\"name\":\"$"
                         "\",\"arguments\":^}"
                       : "{\"type\":\"message\",\"id\":\"$\",\"role\":\"assistant\",\"content\":[{"
                         "\"type\":\"output_text\",\"text\":^}]}",
                  i, lg_str_c(r->parts[i].text));
        made_formed(
            r, "response.output_item.added",
            call ? ",\"output_index\":@,\"item\":{\"type\":\"function_call\",\"id\":\"f$\",\"call_"
                   "id\":\"$\",\"name\":\"$\",\"arguments\":\"\"},\"sequence_number\":#"
                 : ",\"output_index\":@,\"item\":{\"type\":\"message\",\"id\":\"$\",\"role\":"
                   "\"assistant\",\"content\":[]},\"sequence_number\":#",
            i, none);
        made_pieces(r, i, made_args_delta);
        made_formed(r, call ? "response.function_call_arguments.done" : "response.output_text.done",
                    call ? ",\"output_index\":@,\"arguments\":^,\"sequence_number\":#"
                         : ",\"output_index\":@,\"text\":^,\"sequence_number\":#",
                    i, lg_str_c(r->parts[i].text));
        made_formed(r, "response.output_item.done",
                    ",\"output_index\":@,\"item\":~,\"sequence_number\":#", i, lg_buf_str(&item));
        lg_buf_add_c(&output, i ? "," : "");
        lg_buf_add(&output, lg_buf_str(&item));
        lg_buf_done(&item);
    }
    lg_buf_addf(&r->whole, "{\"id\":\"r\",\"status\":\"completed\",\"output\":[%.*s]}",
                LG_FMT(lg_buf_str(&output)));
    made_formed(r, "response.completed", ",\"response\":~,\"sequence_number\":#", 0,
                lg_buf_str(&r->whole));
    lg_buf_done(&output);
}

// Makes a reply of `api`. Ends with made_done().
static inline void made_begin(made_reply *r, dice *d, lg_chat_api api)
{
    memset(r, 0, sizeof(*r));
    r->d = d;
    lg_buf_init(&r->stream, 0);
    lg_buf_init(&r->whole, 0);
    made_choose(r, api);
    if (api == LG_CHAT_COMPLETIONS) {
        made_completions(r);
    } else if (api == LG_CHAT_MESSAGES) {
        made_messages(r);
    } else {
        made_responses(r);
    }
}

static inline void made_done(made_reply *r)
{
    lg_buf_done(&r->stream);
    lg_buf_done(&r->whole);
}

#endif
