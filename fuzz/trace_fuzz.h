// trace_fuzz.h: the properties of every importer, for the fuzz targets of src/trace.
//
// Of any bytes: the importer refuses them with an error, or gives a set that obeys the laws of
// trace_dump.h. Then a second import gives the same text; the format, left open, is recognised as
// the one that was asked for; and every issue of a single document has a pointer that leads there.
#ifndef LG_TRACE_FUZZ_H
#define LG_TRACE_FUZZ_H

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
    lg_trace_close(set);
    lg_trace_close(again);
    return 0;
}

#endif
