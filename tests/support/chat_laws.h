// chat_laws.h: what holds for every reply, streamed or not, however its bytes are cut and whatever is refused.
//
// Each function gives the law that was broken, or NULL.
#ifndef LG_CHAT_LAWS_H
#define LG_CHAT_LAWS_H

#include "chat_dump.h"

#include <stdio.h>

typedef struct chat_sample {
    const char *name;
    lg_chat_api api;
    lg_str stream;
    lg_str whole; // the same reply unstreamed
} chat_sample;

#define CHAT_FIELD "{\"verdicts\":[]}"

static inline bool chat_same_runs(const chat_run *a, const chat_run *b)
{
    lg_buf dumps[2];
    lg_buf_init(&dumps[0], 0);
    lg_buf_init(&dumps[1], 0);
    bool same = a->status == b->status && (a->status == LG_OK || a->error.msg[0]) &&
                lg_str_eq(lg_buf_str(&a->passed), lg_buf_str(&b->passed)) &&
                lg_str_eq(lg_buf_str(&a->all), lg_buf_str(&b->all));
    if (same && a->reply && b->reply) {
        chat_dump_reply(&dumps[0], a->reply);
        chat_dump_reply(&dumps[1], b->reply);
        same = lg_str_eq(lg_buf_str(&dumps[0]), lg_buf_str(&dumps[1])) &&
               lg_str_eq(a->reply->body, b->reply->body);
    }
    lg_buf_done(&dumps[0]);
    lg_buf_done(&dumps[1]);
    return same && (a->reply != NULL) == (b->reply != NULL);
}

static inline void chat_run_all(chat_run *run, lg_chat_api api, const lg_chat_options *options,
                                lg_str text, size_t cut, size_t step)
{
    chat_ruling room;
    chat_run_begin(run, api, options, text, cut, step);
    chat_run_finish(run, chat_rule(&room, 2, CHAT_FIELD, "Not now."));
}

// Streams cut anywhere (at each `every` bytes) are the stream in one piece.
static inline const char *chat_broken_by_cut(lg_chat_api api, const lg_chat_options *options,
                                             lg_str text, size_t every)
{
    chat_run whole, pieces;
    const char *broken = NULL;
    chat_run_all(&whole, api, options, text, 0, 0);
    for (size_t cut = 1; cut < text.len && !broken; cut += every) {
        chat_run_all(&pieces, api, options, text, cut, 0);
        broken = chat_same_runs(&whole, &pieces) ? NULL : "a stream is the same, cut anywhere";
        chat_run_done(&pieces);
    }
    chat_run_all(&pieces, api, options, text, 0, 1);
    broken =
        broken || chat_same_runs(&whole, &pieces) ? broken : "a stream is the same, byte for byte";
    chat_run_done(&pieces);
    chat_run_done(&whole);
    return broken;
}

// Does `reply` have exactly the calls of `before` that `ruling` allows?
static inline bool chat_has_allowed(const lg_chat_reply *before, const lg_chat_ruling *ruling,
                                    const lg_chat_reply *reply)
{
    size_t next = 0;
    for (size_t i = 0; i < before->call_count; i++) {
        const lg_chat_call *call = &before->calls[i];
        if (!ruling->allowed[i] || call->cut || call->broken) {
            continue;
        }
        const lg_chat_call *left = next < reply->call_count ? &reply->calls[next++] : NULL;
        if (!left || !lg_str_eq(left->id, call->id) || !lg_str_eq(left->tool, call->tool) ||
            !lg_str_eq(left->args, call->args) || left->choice != call->choice ||
            !lg_str_eq(left->kind, call->kind) || left->broken || left->cut) {
            return false;
        }
    }
    return next == reply->call_count;
}

// Reads what was written for the client again.
static inline const char *chat_broken_by_ruling(lg_chat_api api, const lg_chat_options *options,
                                                lg_str stream, const lg_chat_reply *whole,
                                                uint64_t mask, bool compare)
{
    chat_run run, again;
    chat_ruling room;
    lg_arena arena;
    lg_buf rewritten, dumps[2];
    const lg_chat_reply *reply = NULL;
    const char *broken = NULL;
    const lg_chat_ruling *ruling = chat_rule(&room, mask, CHAT_FIELD, "Not now.");
    lg_arena_init(&arena, 0);
    lg_buf_init(&rewritten, 0);
    lg_buf_init(&dumps[0], 0);
    lg_buf_init(&dumps[1], 0);
    chat_run_begin(&run, api, options, stream, 0, 0);
    chat_run_finish(&run, ruling);
    chat_run_begin(&again, api, options, lg_buf_str(&run.all), 0, 0);
    if (run.status != LG_OK || again.status != LG_OK) {
        broken = "a ruling leaves a stream";
    } else if (!chat_has_allowed(run.reply, ruling, again.reply)) {
        broken = "a stream has exactly the calls that were allowed";
    } else if (lg_chat_rewrite(whole, ruling, &rewritten, NULL) != LG_OK ||
               lg_chat_reply_parse(&arena, api, lg_buf_str(&rewritten), options, &reply, NULL) !=
                   LG_OK) {
        broken = "a ruling leaves a reply";
    } else if (!chat_has_allowed(whole, ruling, reply)) {
        broken = "a reply has exactly the calls that were allowed";
    } else {
        chat_dump_reply(&dumps[0], reply);
        chat_dump_reply(&dumps[1], again.reply);
        if (compare && !lg_str_eq(lg_buf_str(&dumps[0]), lg_buf_str(&dumps[1]))) {
            broken = "a reply, rewritten, is the stream, rewritten";
            printf("%.*s%.*s%.*s\n", LG_FMT(lg_buf_str(&dumps[0])), LG_FMT(lg_buf_str(&dumps[1])),
                   LG_FMT(lg_buf_str(&run.all)));
        }
    }
    chat_run_done(&run);
    chat_run_done(&again);
    lg_buf_done(&rewritten);
    lg_buf_done(&dumps[0]);
    lg_buf_done(&dumps[1]);
    lg_arena_done(&arena);
    return broken;
}

// With nothing refused, a reply is itself and the field.
static inline const char *chat_broken_by_field(const lg_chat_reply *reply)
{
    chat_ruling room;
    lg_buf out, wanted;
    size_t end = reply->body.len;
    const char *broken = NULL;
    for (size_t i = 0; i < reply->call_count; i++) {
        if (reply->calls[i].cut || reply->calls[i].broken) {
            return NULL; // nobody can allow it
        }
    }
    for (size_t i = 0; i < reply->seen_count; i++) {
        if (reply->seen[i].kind == LG_CHAT_UNKNOWN && !reply->pass_unknown) {
            return NULL; // it is taken out
        }
    }
    while (end > 0 && reply->body.ptr[end - 1] != '}') {
        end--;
    }
    lg_buf_init(&out, 0);
    lg_buf_init(&wanted, 0);
    lg_buf_add(&wanted, lg_str_slice(reply->body, 0, end - 1));
    lg_buf_add_c(&wanted, lg_json_len(reply->root) ? ",\"ledgergate\":" CHAT_FIELD
                                                   : "\"ledgergate\":" CHAT_FIELD);
    lg_buf_add(&wanted, lg_str_slice(reply->body, end - 1, reply->body.len));
    if (lg_chat_rewrite(reply, chat_rule(&room, UINT64_MAX, CHAT_FIELD, ""), &out, NULL) != LG_OK ||
        !lg_str_eq(lg_buf_str(&out), lg_buf_str(&wanted))) {
        broken = "what is allowed goes on byte for byte, with the field";
    }
    lg_buf_done(&out);
    lg_buf_done(&wanted);
    return broken;
}

static inline const char *chat_broken_reply(const chat_sample *sample,
                                            const lg_chat_options *options,
                                            const lg_chat_reply *whole)
{
    lg_str stream = sample->stream;
    const char *broken = chat_broken_by_field(whole);
    chat_run run;
    lg_buf dumps[2];
    lg_buf_init(&dumps[0], 0);
    lg_buf_init(&dumps[1], 0);
    chat_run_begin(&run, sample->api, options, stream, 0, 0);
    if (run.status != LG_OK) {
        broken = "a stream is read";
        printf("%s\n", run.error.msg);
    } else if (!broken) {
        chat_dump_reply(&dumps[0], whole);
        chat_dump_reply(&dumps[1], run.reply);
        if (!lg_str_eq(lg_buf_str(&dumps[0]), lg_buf_str(&dumps[1]))) {
            broken = "a reply is read alike, streamed or not";
            printf("%.*s%.*s", LG_FMT(lg_buf_str(&dumps[0])), LG_FMT(lg_buf_str(&dumps[1])));
        }
    }
    for (uint64_t mask = 0; mask < 8 && !broken; mask++) {
        broken = chat_broken_by_ruling(sample->api, options, stream, whole, mask, true);
    }
    chat_run_done(&run);
    lg_buf_done(&dumps[0]);
    lg_buf_done(&dumps[1]);
    return broken;
}

static inline const char *chat_broken_law(const chat_sample *sample)
{
    const char *broken = NULL;
    for (int way = 0; way < 4 && !broken; way++) {
        lg_arena arena;
        lg_chat_options options = {.hold_text = way & 1, .pass_unknown = way & 2};
        const lg_chat_reply *whole;
        lg_arena_init(&arena, 0);
        if (lg_chat_reply_parse(&arena, sample->api, sample->whole, &options, &whole, NULL) !=
            LG_OK) {
            broken = "a reply is read";
        }
        broken = broken ? broken : chat_broken_reply(sample, &options, whole);
        broken = broken ? broken
                        : chat_broken_by_cut(sample->api, &options, sample->stream, way ? 13 : 1);
        lg_arena_done(&arena);
    }
    return broken;
}

#endif
