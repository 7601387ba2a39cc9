// export_internal.h: what the exporters share.
#ifndef LG_TRACE_EXPORT_INTERNAL_H
#define LG_TRACE_EXPORT_INTERNAL_H

#include "trace/export.h"
#include "json/writer.h"

// Ids of calls that are unique, by event: those of results are of their calls. NULL: `out` has failed.
const lg_str *export_ids(lg_buf *out, lg_arena *arena, const lg_trace *trace);

// The members that say what the conversation is; with `all` also those that messages of an API have in their places.
void export_about(lg_json_writer *w, const lg_trace *trace, bool all);

void export_otlp(lg_buf *out, const lg_trace_set *set, const lg_trace *trace);

// Fails `out` as memory that ran out does.
void export_fail(lg_buf *out, lg_status status);

// The name of the file that it is of, without folders.
lg_str export_file(const lg_trace_set *set);

static inline bool export_is_result(const lg_trace_event *event)
{
    return event->kind == LG_EVENT_RESULT || event->kind == LG_EVENT_ERROR;
}

#endif
