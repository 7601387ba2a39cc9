// messages.c: requests of Anthropic's Messages API: {system, messages, ...}, or {request, response} with the reply as the
// last message, or JSON Lines of either.
//
// The `system` text, if there is one, is turn 0, and the messages follow it: so a conversation has the turns that it has in
// a protocol that keeps its system's message in the list. Results of several calls come in one message, and
// are one turn.
#include "trace/trace_internal.h"

static void read_messages(lg_importer *imp, const lg_json *request, uint32_t first_turn)
{
    const lg_json *messages = lg_get(request, "messages");
    if (!lg_json_is(messages, LG_JSON_ARRAY)) {
        lg_importer_messages(imp, messages, request); // says what is wrong
        return;
    }
    for (size_t i = 0; i < lg_list_len(messages) && lg_importer_ok(imp); i++) {
        const lg_json *message = lg_json_item(messages, i);
        imp->turn = first_turn + (uint32_t)i;
        lg_importer_time(imp, message);
        lg_importer_message(imp, message);
    }
    imp->turn = first_turn + (uint32_t)lg_list_len(messages);
}

void lg_import_messages(lg_importer *imp, const lg_json *value)
{
    const lg_json *request = lg_get(value, "request");
    const lg_json *reply = request ? lg_get(value, "response") : NULL;
    request = request ? request : value;
    const lg_json *system = lg_get(request, "system");
    lg_importer_begin(imp, value);
    lg_importer_about(imp, value, request);
    if (lg_given(system)) {
        (void)lg_importer_content(imp, LG_ROLE_SYSTEM, system, system);
    }
    read_messages(imp, request, lg_given(system) ? 1 : 0);
    if (lg_given(reply)) {
        imp->has_time = false;
        lg_importer_message(imp, reply);
        imp->trace.ended = lg_json_str(lg_get(reply, "stop_reason"));
    }
    lg_importer_end(imp);
}
