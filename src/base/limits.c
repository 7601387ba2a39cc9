// limits.c: the defaults of every ceiling, and the texts of the statuses.
#include "base/types.h"

lg_limits lg_limits_resolve(const lg_limits *limits)
{
    lg_limits r = limits ? *limits : (lg_limits){0};
#define DEFAULT(field, value)                                                                      \
    if (r.field == 0) {                                                                            \
        r.field = (value);                                                                         \
    }
    DEFAULT(json_depth, 256)
    DEFAULT(json_bytes, (size_t)1 << 30)
    DEFAULT(json_string_bytes, (size_t)64 << 20)
    DEFAULT(memory_bytes, (size_t)1 << 30)
    DEFAULT(error_count, 50)
    DEFAULT(cel_bytes, (size_t)64 << 10)
    DEFAULT(cel_depth, 200)
    DEFAULT(cel_cost, 1000000)
    DEFAULT(regex_steps, 100000)
    DEFAULT(ledger_entries, 10000)
    DEFAULT(trace_events, 1000000)
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
