// chat_dump.h: what was read of a reply, as text; and streams, driven.
//
//     reply completions error=0 left_out=0
//       choice 0 finish=tool_calls text="..." refusal=""
//         call function c1 pay {"a":1}
//       seen acted web_search_call
//     usage {...}
#ifndef LG_CHAT_DUMP_H
#define LG_CHAT_DUMP_H

#include "chat/chat.h"

static inline void chat_dump_call(lg_buf *out, const lg_chat_reply *reply, size_t index)
{
    const lg_chat_call *call = &reply->calls[index];
    lg_buf_addf(out, "    call %.*s %.*s %.*s ", LG_FMT(call->kind), LG_FMT(call->id),
                LG_FMT(call->tool));
    lg_json_print_str(out, call->args);
    lg_buf_addf(out, "%s%s%s\n", call->cut ? " cut" : "", call->broken ? " broken: " : "",
                call->broken ? call->broken : "");
    if (call->event != LG_NO_EVENT && reply->choices[call->choice].events[call->event].args) {
        lg_buf_add_c(out, "      ");
        lg_json_print(out, reply->choices[call->choice].events[call->event].args);
        lg_buf_add_byte(out, '\n');
    }
}

// Events without their places, which differ between a reply that came whole and one that was put together.
static inline void chat_dump_event(lg_buf *out, const lg_trace_event *event)
{
    lg_buf_addf(out, "    event %s %.*s ", lg_event_kind_name(event->kind), LG_FMT(event->tool));
    if (event->kind == LG_EVENT_CALL) {
        lg_buf_add_byte(out, '\n');
        return;
    }
    lg_json_print_str(out, event->text);
    lg_buf_add_byte(out, '\n');
}

static inline void chat_dump_reply(lg_buf *out, const lg_chat_reply *reply)
{
    lg_buf_addf(out, "reply %s id=%.*s model=%.*s error=%d left_out=%zu\n",
                lg_chat_api_name(reply->api), LG_FMT(reply->id), LG_FMT(reply->model),
                reply->is_error, reply->left_out);
    for (size_t i = 0; i < reply->choice_count; i++) {
        const lg_chat_choice *choice = &reply->choices[i];
        lg_buf_addf(out, "  choice %u finish=%.*s text=", choice->index, LG_FMT(choice->finish));
        lg_json_print_str(out, choice->text);
        lg_buf_add_c(out, " refusal=");
        lg_json_print_str(out, choice->refusal);
        lg_buf_add_byte(out, '\n');
        for (size_t k = 0; k < choice->event_count; k++) {
            chat_dump_event(out, &choice->events[k]);
        }
        for (size_t k = 0; k < reply->call_count; k++) {
            if (reply->calls[k].choice == i) {
                chat_dump_call(out, reply, k);
            }
        }
    }
    for (size_t i = 0; i < reply->seen_count; i++) {
        lg_buf_addf(out, "  seen %s %.*s\n",
                    reply->seen[i].kind == LG_CHAT_UNKNOWN ? "unknown" : "acted",
                    LG_FMT(reply->seen[i].type));
    }
    lg_buf_add_c(out, "  usage ");
    if (reply->usage) {
        lg_json_print(out, reply->usage);
    }
    lg_buf_add_byte(out, '\n');
}

// --- Rulings --------------------------------------------------------------------------------------

enum { CHAT_CALLS = 256, CHAT_CHOICES = 128 };

typedef struct chat_ruling {
    lg_chat_ruling ruling;
    bool allowed[CHAT_CALLS];
    lg_chat_choice_ruling choices[CHAT_CHOICES];
} chat_ruling;

// Bit i of `mask` allows call i (and i + 64, ...).
static inline const lg_chat_ruling *chat_rule(chat_ruling *room, uint64_t mask, const char *field,
                                              const char *if_nothing)
{
    *room = (chat_ruling){
        .ruling = {.allowed = room->allowed, .choices = room->choices, .field = lg_str_c(field)}};
    for (size_t i = 0; i < CHAT_CALLS; i++) {
        room->allowed[i] = mask >> (i % 64) & 1;
    }
    for (size_t i = 0; i < CHAT_CHOICES; i++) {
        room->choices[i].if_nothing = lg_str_c(if_nothing);
    }
    return &room->ruling;
}

// --- Streams ----------------------------------------------------------------------------------------

typedef struct chat_run {
    lg_arena arena;
    lg_chat_stream *stream;
    const lg_chat_reply *reply;
    lg_status status;
    lg_error error;
    lg_buf passed; // before the ruling
    lg_buf all;
} chat_run;

// Feeds `text` in pieces that end at `cut` and at each `step` bytes behind it (0: one piece).
static inline void chat_run_begin(chat_run *run, lg_chat_api api, const lg_chat_options *options,
                                  lg_str text, size_t cut, size_t step)
{
    *run = (chat_run){.status = LG_OK};
    lg_arena_init(&run->arena, 0);
    lg_buf_init(&run->passed, 0);
    lg_buf_init(&run->all, 0);
    run->status = lg_chat_stream_new(&run->arena, api, options, &run->stream, &run->error);
    for (size_t from = 0; from < text.len && run->status == LG_OK;) {
        size_t to = from < cut ? cut : step ? from + step : text.len;
        lg_str piece = lg_str_slice(text, from, to);
        run->status = lg_chat_stream_feed(run->stream, piece, &run->passed, &run->error);
        from = to;
    }
    if (run->status == LG_OK) {
        run->status = lg_chat_stream_end(run->stream, &run->passed, &run->reply, &run->error);
    }
    lg_buf_add(&run->all, lg_buf_str(&run->passed));
}

static inline void chat_run_finish(chat_run *run, const lg_chat_ruling *ruling)
{
    if (run->status == LG_OK) {
        run->status = lg_chat_stream_finish(run->stream, ruling, &run->all, &run->error);
    }
}

static inline void chat_run_done(chat_run *run)
{
    lg_chat_stream_free(run->stream);
    lg_buf_done(&run->passed);
    lg_buf_done(&run->all);
    lg_arena_done(&run->arena);
}

#endif
