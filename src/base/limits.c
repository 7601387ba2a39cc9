// limits.c: the defaults of every ceiling, and the texts of the statuses.
#include "base/types.h"

const lg_limits lg_limits_default = {
    .json_depth = 256,
    .json_bytes = (size_t)1 << 30,
    .stream_bytes = (size_t)64 << 20,
    .json_string_bytes = (size_t)64 << 20,
    .document_bytes = (size_t)1 << 30,
    .memory_bytes = (size_t)64 << 20,
    .error_count = 50,
    .cel_bytes = (size_t)64 << 10,
    .cel_depth = 200,
    .cel_cost = 1000000,
    .regex_steps = 100000,
    .decision_steps = 300000,
    .observe_steps = 5000000,
    .ledger_entries = 10000,
    .open_calls = 256,
    .trace_events = 1000000,
};

lg_limits lg_limits_resolve(const lg_limits *limits)
{
    if (!limits) {
        return lg_limits_default;
    }
    lg_limits r = *limits;
#define DEFAULT(field) r.field = r.field ? r.field : lg_limits_default.field
    DEFAULT(json_depth);
    DEFAULT(json_bytes);
    DEFAULT(stream_bytes);
    DEFAULT(json_string_bytes);
    DEFAULT(document_bytes);
    DEFAULT(memory_bytes);
    DEFAULT(error_count);
    DEFAULT(cel_bytes);
    DEFAULT(cel_depth);
    DEFAULT(cel_cost);
    DEFAULT(regex_steps);
    DEFAULT(decision_steps);
    DEFAULT(observe_steps);
    DEFAULT(ledger_entries);
    DEFAULT(open_calls);
    DEFAULT(trace_events);
#undef DEFAULT
    return r;
}

const char *lg_status_text(lg_status status)
{
    switch (status) {
    case LG_OK:
        return "fine";
#define X(name, text)                                                                              \
    case LG_ERR_##name:                                                                            \
        return text;
        LG_STATUS_MAP(X)
#undef X
    }
    return "unknown status";
}
