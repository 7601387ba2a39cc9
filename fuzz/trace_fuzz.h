// trace_fuzz.h: the properties of every importer, for the fuzz targets of src/trace.
//
// Of any bytes: the importer refuses them with an error, or gives a set that obeys the laws of
// trace_dump.h. Then a second import gives the same text; the format, left open, is recognised as
// the one that was asked for; and every issue of a single document has a pointer that leads there.
// A gate judges its calls, whose ids and keys become paths, under the laws of drive.h.
#ifndef LG_TRACE_FUZZ_H
#define LG_TRACE_FUZZ_H

#include "drive.h"
#include "trace_dump.h"

static inline void trace_fuzz_require(bool holds)
{
    if (!holds) {
        __builtin_trap();
    }
}

static inline lg_trace_set *trace_fuzz_import(lg_str text, lg_trace_format format)
{
    // Small ceilings, so that they are reached.
    lg_limits limits = {.json_depth = 64,
                        .document_bytes = 64u << 20,
                        .memory_bytes = 64u << 20,
                        .trace_events = 1000};
    lg_trace_options options = {.format = format, .limits = &limits};
    lg_trace_set *set = NULL;
    lg_error err = {0};
    lg_status status = lg_trace_import(text, "fuzz", &options, &set, &err);
    trace_fuzz_require((status == LG_OK) == (set != NULL));
    trace_fuzz_require(status == LG_OK || (err.status == status && err.msg[0]));
    trace_fuzz_require(status != LG_ERR_PARSE || (err.line > 0 && err.column > 0));
    return set;
}

static inline void trace_fuzz_pointers(const lg_trace_set *set)
{
    lg_json_doc *doc = NULL;
    if (lg_json_parse(set->text, NULL, &doc, NULL) != LG_OK) {
        return; // JSON Lines
    }
    for (size_t i = 0; i < set->issue_count; i++) {
        trace_fuzz_require(lg_json_at(lg_json_root(doc), set->issues[i].pointer) != NULL);
    }
    lg_json_doc_free(doc);
}

static inline void trace_fuzz_same(const lg_trace_set *a, const lg_trace_set *b)
{
    lg_buf texts[2];
    lg_buf_init(&texts[0], 0);
    lg_buf_init(&texts[1], 0);
    trace_dump(&texts[0], a);
    trace_dump(&texts[1], b);
    trace_fuzz_require(lg_str_eq(lg_buf_str(&texts[0]), lg_buf_str(&texts[1])));
    lg_buf_done(&texts[0]);
    lg_buf_done(&texts[1]);
}

static inline void trace_fuzz_event(lg_session *session, lg_arena *arena, const lg_trace *trace,
                                    const lg_trace_event *event)
{
    static const char *const tools[] = {"pay", "look", "note", "swap"};
    lg_event told = {.kind = event->kind,
                     .role = event->role,
                     .has_turn = true,
                     .turn = event->turn,
                     .text = event->text};
    if (event->kind == LG_EVENT_MESSAGE) {
        drive_hear(session, &told);
    }
    const lg_trace_event *answer =
        event->other == LG_NO_EVENT ? event : &trace->events[event->other];
    for (size_t i = 0; i < LG_COUNT(tools) && event->kind == LG_EVENT_CALL; i++) {
        bool failed = i == 0 && answer->kind == LG_EVENT_ERROR;
        told.kind = failed ? LG_EVENT_ERROR : LG_EVENT_RESULT;
        told.role = LG_ROLE_AGENT;
        told.tool = lg_str_c(tools[i]);
        told.args = event->args ? drive_print(arena, event->args) : event->text;
        told.text = answer->text;
        drive_call(session, &told);
    }
}

static inline void trace_fuzz_drive(const lg_trace_set *set)
{
    enum { EVENTS = 60 }; // of each conversation: a gate's work grows with what it has seen
    lg_session *session;
    lg_arena arena;
    lg_limits limits = {.memory_bytes = (size_t)64 << 20, .cel_cost = 20000, .ledger_entries = 50};
    trace_fuzz_require(lg_session_new(drive_pack(), &limits, &session) == LG_OK);
    lg_arena_init(&arena, 0);
    for (size_t i = 0; i < set->count && i < 4; i++) {
        const lg_trace *trace = &set->traces[i];
        for (size_t k = 0; k < trace->count && k < EVENTS; k++) {
            trace_fuzz_event(session, &arena, trace, &trace->events[k]);
        }
        drive_end(session);
        lg_session_reset(session);
    }
    lg_arena_done(&arena);
    lg_session_free(session);
}

static inline int trace_fuzz(const uint8_t *data, size_t size, lg_trace_format format)
{
    lg_str text = {(const char *)data, size};
    lg_trace_set *set = trace_fuzz_import(text, format);
    if (!set) {
        return 0;
    }
    lg_trace_set *again = trace_fuzz_import(text, LG_TRACE_AUTO);
    trace_fuzz_require(again && again->format == format && set->format == format);
    trace_fuzz_require(!trace_broken_law(set));
    trace_fuzz_same(set, again);
    trace_fuzz_pointers(set);
    trace_fuzz_drive(set);
    lg_trace_close(set);
    lg_trace_close(again);
    return 0;
}

#endif
