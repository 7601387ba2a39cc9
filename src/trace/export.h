// export.h: one recorded conversation in a form that other programs read, and this one again.
//
// Whatever format a conversation came from, what goes out has the same events: kinds, roles, tools, arguments, texts, and
// which result is of which call. Ids of calls stay what they were where they are unique and there; else they are made so.
// lg_export() appends one line without its line end; the same conversation gives the same bytes. What goes wrong is the
// buffer's status: LG_ERR_OOM or its ceiling.
#ifndef LG_TRACE_EXPORT_H
#define LG_TRACE_EXPORT_H

#include "trace/trace.h"

typedef enum lg_export_format {
    // {id, messages, tools, ...}: chat messages of OpenAI. A result's failure stands in `error`, which OpenAI does not
    // have; a user's own calls have tau2's `requestor`; what OpenAI has no place for is in `metadata.ledgergate`.
    LG_EXPORT_OPENAI,
    // {resourceSpans: [...]}: OTLP JSON with GenAI attributes: one trace with a span for the agent, one for each time
    // that it spoke, and one for each tool that ran right then. Each span of a chat has what was said since the one
    // before, not all of the history, so that a trace is as long as its conversation. Ids are digests. Where no times
    // were recorded, events are a millisecond apart.
    LG_EXPORT_OTLP,
    // {ledgergate_artifact: 1, source, name, ..., events: [...]}: all that is known of the conversation, in one form
    // whatever it came from; an event has the members of docs/log.md. What was not recorded is left out.
    LG_EXPORT_ARTIFACT,
} lg_export_format;

bool lg_export_format_parse(lg_str name, lg_export_format *ret); // "openai", "otlp", "artifact"

void lg_export(lg_buf *out, lg_export_format format, const lg_trace_set *set,
               const lg_trace *trace);

#endif
