// artifact.c: what trace/export.h writes, read again: {ledgergate_artifact: 1, ..., events: [...]}, one a line.
#include "trace/trace_internal.h"

void lg_import_artifact(lg_importer *imp, const lg_json *value)
{
    const lg_json *events = lg_get(value, "events");
    const lg_json *left_out = lg_get(value, "left_out");
    int64_t count = 0;
    lg_importer_begin(imp, value);
    lg_importer_restore(imp, value);
    if (!lg_json_is(events, LG_JSON_ARRAY)) {
        lg_importer_issue(imp, value->offset, true, "the events are %s, not a list",
                          events ? lg_kind(events) : "missing");
    }
    if (left_out && lg_json_int(left_out, &count) && count > 0) {
        lg_importer_issue(imp, left_out->offset, true,
                          "%lld part%s of it could not be read when it was written",
                          (long long)count, lg_plural((uint64_t)count));
    }
    for (size_t i = 0; i < lg_list_len(events) && lg_importer_ok(imp); i++) {
        const lg_json *event = lg_json_item(events, i);
        int64_t turn = 0;
        const lg_json *told = lg_get(event, "turn");
        bool fine = told && lg_json_int(told, &turn) && turn >= 0 && turn < UINT32_MAX;
        imp->turn = fine ? (uint32_t)turn : imp->turn;
        lg_importer_event(imp, event);
    }
    lg_importer_end(imp);
}
