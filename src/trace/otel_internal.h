// otel_internal.h: what the files of the OpenTelemetry importer share.
#ifndef LG_TRACE_OTEL_INTERNAL_H
#define LG_TRACE_OTEL_INTERNAL_H

#include "base/map.h"
#include "trace/trace_internal.h"

// What is looked for among a span's attributes; producers disagree about the keys (otel_span.c).
typedef enum otel_attr {
    OTEL_OPERATION,
    OTEL_AI_OPERATION,
    OTEL_CONVERSATION,
    OTEL_MODEL,
    OTEL_PROVIDER,
    OTEL_AGENT,
    OTEL_SYSTEM,
    OTEL_INPUT,
    OTEL_OUTPUT,
    OTEL_TOOLS,
    OTEL_AI_TOOLS,
    OTEL_AI_TEXT,
    OTEL_AI_CALLS,
    OTEL_TOOL,
    OTEL_TOOL_ID,
    OTEL_TOOL_ARGS,
    OTEL_TOOL_RESULT,
    OTEL_FINISH,
    OTEL_RECORDING, // what our own exporter wrote beside
    OTEL_ATTR_COUNT,
} otel_attr;

typedef enum otel_kind {
    OTEL_CHAT, // one call of a model
    OTEL_TOOL_RUN,
    OTEL_AGENT_RUN,
    OTEL_AROUND, // a library's span around several calls of a model
    OTEL_OTHER,
} otel_kind;

typedef struct otel_span {
    const lg_json *value;
    const lg_json *resource; // attributes of where it comes from
    const lg_json *attr[OTEL_ATTR_COUNT];
    otel_kind kind;
    bool is_numbered;    // `gen_ai.prompt.0.role` and the like
    bool is_ours;        // written by trace/export.h: each span's input is what is new
    uint32_t entry;      // of the file: what stands together there, if ids tell nothing
    uint32_t order;      // in the file
    uint64_t start, end; // nanoseconds since 1970
    lg_str trace, id, parent;
    lg_str conversation; // its own or inherited
    uint32_t up;         // its parent among all spans, or LG_NO_EVENT
    uint32_t agent;      // the delegated agent that it is of, likewise
} otel_span;

// Reads ids, times and attributes.
void otel_span_read(otel_span *span, const lg_json *value);

// Did it end in an error? Then `*ret_text` says which, and may be empty.
bool otel_span_failed(lg_importer *imp, const otel_span *span, lg_str *ret_text);

// An AnyValue as JSON; what is a text that holds a list or an object is what it holds. NULL: none.
const lg_json *otel_value(lg_importer *imp, const lg_json *any);
// The same where a text stays a text.
const lg_json *otel_plain(lg_importer *imp, const lg_json *any);
lg_str otel_text(const lg_json *any); // of a stringValue

// The messages that the span tells of, as lists of messages in some dialect; NULL: it does not tell.
void otel_span_messages(lg_importer *imp, const otel_span *span, const lg_json **ret_input,
                        const lg_json **ret_output);

// The attribute `key` of a list of attributes.
const lg_json *otel_find(const lg_json *attributes, const char *key);

// --- otel_fold.c: one conversation out of spans that repeat it ----------------------------------

typedef struct otel_fold {
    lg_importer *imp;
    lg_map calls;     // of known ids: otel_call
    uint32_t *spoken; // events that are no results, in their order
    size_t spoken_count, spoken_capacity;
    uint32_t turn; // of the next message; odd ones are for results that come late
} otel_fold;

// Adds what is new in `messages`, which may begin with what is known.
void otel_fold_input(otel_fold *fold, const lg_json *messages, bool all_new);
void otel_fold_output(otel_fold *fold, const lg_json *messages);
// Adds a call that was carried out, or only its result if the call is known.
void otel_fold_tool(otel_fold *fold, const otel_span *span);

#endif
