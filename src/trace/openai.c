// openai.c: plain lists of messages: one list, {"messages": [...]}, a list of those, or JSON Lines of
// those. Beside the messages, `id`, `model`, `task_id`, `trial`, `reward` and `domain` are read if
// somebody put them there.
#include "trace/trace_internal.h"

static void read_conversation(lg_importer *imp, const lg_json *about, const lg_json *messages)
{
    lg_importer_begin(imp, about);
    lg_importer_about(imp, about, about);
    lg_importer_messages(imp, messages, about);
    const lg_json *answer = lg_get(about, "choices");
    if (lg_given(answer)) { // a request with its answer: the answer may be a call
        lg_importer_issue(imp, answer->offset, true, "an answer in `choices` cannot be read here");
    }
    lg_importer_end(imp);
}

void lg_import_openai(lg_importer *imp, const lg_json *value)
{
    if (lg_json_is(value, LG_JSON_OBJECT)) {
        read_conversation(imp, value, lg_get(value, "messages"));
        return;
    }
    if (!lg_get(lg_json_item(value, 0), "messages")) {
        read_conversation(imp, value, value);
        return;
    }
    for (size_t i = 0; i < lg_list_len(value) && lg_importer_ok(imp); i++) {
        const lg_json *conversation = lg_json_item(value, i);
        read_conversation(imp, conversation, lg_get(conversation, "messages"));
    }
}
