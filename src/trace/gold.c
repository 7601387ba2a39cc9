// gold.c: JSON Lines of {domain, task_id, calls: [{name, arguments, requestor, inserted, result,
// error}]}: expected actions that were executed in the original environment, each with its return.
//
// There are no messages: a call is a turn of its own, its result follows it. The expected actions
// of the task are the calls that were not inserted.
#include "trace/trace_internal.h"

static const lg_json *expected_of(lg_importer *imp, const lg_json *calls)
{
    size_t count = 0;
    lg_json *kept = LG_NEW_ARRAY(imp->arena, lg_json, lg_list_len(calls) + 1);
    if (!kept) {
        lg_importer_fail_oom(imp);
        return NULL;
    }
    for (size_t i = 0; i < lg_list_len(calls); i++) {
        const lg_json *call = lg_json_item(calls, i);
        if (!lg_json_is_true(lg_get(call, "inserted"))) {
            kept[count++] = *call;
        }
    }
    lg_json list = lg_json_make_array(kept, count);
    return lg_importer_actions(imp, &list);
}

static void read_call(lg_importer *imp, const lg_json *recorded)
{
    bool inserted = lg_json_is_true(lg_get(recorded, "inserted"));
    const lg_json *result = lg_get(recorded, "result");
    if (!lg_json_is(recorded, LG_JSON_OBJECT)) {
        lg_importer_issue(imp, recorded->offset, true, "a call that is %s", lg_kind(recorded));
        return;
    }
    lg_role role = lg_importer_requestor(imp, recorded, LG_ROLE_AGENT);
    lg_trace_event *call = lg_importer_call(
        imp, role, recorded, lg_json_str(lg_get(recorded, "name")), lg_get(recorded, "arguments"));
    call->inserted = inserted;
    if (!result) {
        return; // never answered
    }
    const lg_json *error = lg_get(recorded, "error");
    bool odd = lg_given(error) && !lg_json_is(error, LG_JSON_BOOL);
    if (odd) {
        lg_importer_issue(imp, error->offset, false, "an `error` that is %s: taken for a failure",
                          lg_kind(error));
    }
    bool failed = odd || lg_json_is_true(error);
    lg_trace_event *event =
        lg_importer_add(imp, failed ? LG_EVENT_ERROR : LG_EVENT_RESULT, role, result->offset);
    event->inserted = inserted;
    event->text = lg_importer_text(imp, result);
}

void lg_import_gold(lg_importer *imp, const lg_json *value)
{
    const lg_json *calls = lg_get(value, "calls");
    lg_importer_begin(imp, value);
    imp->trace.task = lg_importer_word(imp, lg_get(value, "task_id"));
    imp->trace.name = imp->trace.task;
    imp->trace.domain = lg_json_str(lg_get(value, "domain"));
    for (size_t i = 0; i < lg_list_len(calls) && lg_importer_ok(imp); i++) {
        imp->turn = (uint32_t)i;
        read_call(imp, lg_json_item(calls, i));
    }
    imp->trace.expected = expected_of(imp, calls);
    lg_importer_end(imp);
}
