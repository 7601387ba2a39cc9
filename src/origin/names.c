// names.c: the words for kinds, verdicts and operations.
#include "origin/origin.h"

const char *lg_origin_kind_name(lg_origin_kind kind)
{
    static const char *const names[LG_ORIGIN_KIND_COUNT] = {
        "user", "prompt", "request", "schema", "field",
        "text", "error",  "agent",   "call",   "confirmed"};
    return kind < LG_ORIGIN_KIND_COUNT ? names[kind] : "unknown";
}

const char *lg_origin_verdict_name(lg_origin_verdict verdict)
{
    static const char *const names[LG_ORIGIN_VERDICT_COUNT] = {
        "seen", "computed", "chosen", "code", "trivial", "prose", "ungrounded", "unknown"};
    return verdict < LG_ORIGIN_VERDICT_COUNT ? names[verdict] : "unknown";
}

const char *lg_origin_operation_name(lg_origin_operation operation)
{
    static const char *const names[LG_ORIGIN_OPERATION_COUNT] = {
        "none", "sum",    "difference", "product", "percentage", "count",
        "date", "joined", "inflected",  "part",    "expression"};
    return operation < LG_ORIGIN_OPERATION_COUNT ? names[operation] : "none";
}
