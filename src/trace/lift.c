// lift.c: what a file says about its conversations: words, rewards, expected actions, domains.
#include "trace/trace_internal.h"

const char *lg_kind(const lg_json *value)
{
    static const char *const names[] = {"null",     "true or false", "a number",
                                        "a number", "a number",      "a number",
                                        "a string", "a list",        "an object"};
    return names[lg_json_type_of(value)];
}

lg_str lg_importer_word(lg_importer *imp, const lg_json *value)
{
    return lg_given(value) ? lg_importer_json(imp, value) : LG_STR("");
}

void lg_importer_reward(lg_importer *imp, const lg_json *value)
{
    double reward;
    if (!lg_given(value)) {
        return;
    }
    if (lg_json_is(value, LG_JSON_BOOL)) {
        reward = value->as.boolean ? 1.0 : 0.0;
    } else if (!lg_json_double(value, &reward)) {
        lg_importer_issue(imp, value->offset, false, "a reward that is no number");
        return;
    }
    imp->trace.has_reward = true;
    imp->trace.reward = reward;
}

void lg_importer_trial(lg_importer *imp, const lg_json *value)
{
    int64_t trial;
    if (!lg_given(value)) {
        return;
    }
    if (!lg_json_int(value, &trial) || trial < 0 || trial > UINT32_MAX) {
        lg_importer_issue(imp, value->offset, false, "a trial that is no small whole number");
        return;
    }
    imp->trace.trial = (uint32_t)trial;
}

// --- Expected actions ---------------------------------------------------------------------------

static bool make_action(lg_importer *imp, const lg_json *recorded, lg_json *ret_action)
{
    const lg_json *inner = lg_get(recorded, "action");
    const lg_json *action = lg_json_is(inner, LG_JSON_OBJECT) ? inner : recorded;
    const lg_json *name = lg_get(action, "name");
    const lg_json *args = lg_get(action, "arguments");
    const lg_json *requestor = lg_get(action, "requestor");
    args = args ? args : lg_get(action, "kwargs");
    if (!lg_json_is(name, LG_JSON_STRING) || !lg_json_is(args, LG_JSON_OBJECT)) {
        lg_importer_issue(imp, recorded->offset, true,
                          "an expected action without a name or arguments");
        return false;
    }
    lg_json_member *members = lg_json_alloc_members(imp->arena, 3);
    if (!members) {
        lg_importer_fail_oom(imp);
        return false;
    }
    lg_json who = lg_json_make_str(LG_STR("assistant"));
    members[0] = lg_json_make_member(LG_STR("name"), *name);
    members[1] = lg_json_make_member(LG_STR("arguments"), *args);
    members[2] = lg_json_make_member(LG_STR("requestor"),
                                     lg_json_is(requestor, LG_JSON_STRING) ? *requestor : who);
    *ret_action = lg_json_make_object(members, 3);
    ret_action->offset = action->offset;
    return true;
}

void lg_importer_about(lg_importer *imp, const lg_json *about, const lg_json *request)
{
    imp->trace.task = lg_importer_word(imp, lg_get(about, "task_id"));
    imp->trace.model = lg_json_str(lg_get(request, "model"));
    imp->trace.domain = lg_json_str(lg_get(about, "domain"));
    imp->trace.name = lg_importer_word(imp, lg_get(about, "id"));
    lg_importer_reward(imp, lg_get(about, "reward"));
    lg_importer_trial(imp, lg_get(about, "trial"));
    if (imp->trace.name.len == 0) {
        imp->trace.name = lg_importer_printf(imp, "%zu", imp->set->count);
    }
    if (!imp->is_live) {
        const lg_json *metadata = lg_get(about, "metadata");
        metadata = metadata ? metadata : lg_get(request, "metadata");
        imp->trace.metadata = lg_json_is(metadata, LG_JSON_OBJECT) ? metadata : NULL;
        imp->trace.tools = lg_importer_tools(request);
        imp->trace.ended = lg_json_str(lg_get(about, "ended"));
        const lg_json *recording = lg_get(metadata, "ledgergate");
        if (lg_json_is(recording, LG_JSON_OBJECT)) {
            imp->trace.metadata = NULL;
            lg_importer_restore(imp, recording);
        }
    }
}

const lg_json *lg_importer_actions(lg_importer *imp, const lg_json *actions)
{
    size_t count = lg_list_len(actions);
    if (!lg_json_is(actions, LG_JSON_ARRAY)) {
        return NULL;
    }
    lg_json *list = LG_NEW(imp->arena, lg_json);
    lg_json *items = count ? LG_NEW_ARRAY(imp->arena, lg_json, count) : NULL;
    if (!list || (count && !items)) {
        lg_importer_fail_oom(imp);
        return NULL;
    }
    size_t made = 0;
    for (size_t i = 0; i < count; i++) {
        if (make_action(imp, lg_json_item(actions, i), &items[made])) {
            made++;
        }
    }
    *list = lg_json_make_array(items, made);
    list->offset = actions->offset;
    return list;
}

// --- Domains ------------------------------------------------------------------------------------

static bool ends_in(lg_str line, lg_str ending)
{
    size_t from = line.len < ending.len ? 0 : line.len - ending.len;
    return lg_str_eq_any_case(lg_str_slice(line, from, line.len), ending);
}

// A policy that begins "# Retail agent policy" is that of `retail`: one word between the mark of a
// heading and "agent policy", in any case.
static lg_str domain_of_heading(lg_importer *imp, lg_str policy)
{
    const lg_str tail = LG_STR(" agent policy");
    lg_str text = lg_str_trim(policy);
    lg_str line = lg_str_trim(lg_str_slice(text, 0, lg_str_find(text, LG_STR("\n"))));
    if (!lg_str_starts(line, LG_STR("# ")) || !ends_in(line, tail)) {
        return LG_STR("");
    }
    char word[32];
    size_t len = line.len - 2 - tail.len;
    for (size_t i = 0; i < len && i < sizeof(word); i++) {
        word[i] = lg_lower(line.ptr[2 + i]);
        if (word[i] < 'a' || word[i] > 'z') {
            return LG_STR("");
        }
    }
    return len > sizeof(word) ? LG_STR("") : lg_importer_copy(imp, lg_str_of(word, len));
}

// Tools that nearly every conversation of the known benchmarks begins with, and that no other of
// them has.
static lg_str domain_of_tool(lg_str tool)
{
    static const struct {
        const char *tool;
        const char *domain;
    } known[] = {
        {"get_reservation_details", "airline"}, {"search_direct_flight", "airline"},
        {"get_order_details", "retail"},        {"find_user_id_by_name_zip", "retail"},
        {"find_user_id_by_email", "retail"},    {"list_all_product_types", "retail"},
        {"get_customer_by_phone", "telecom"},   {"find_customer_by_phone", "telecom"},
        {"find_customer_by_email", "telecom"},  {"find_patient_by_email", "telehealth"},
        {"get_provider_details", "telehealth"}, {"find_patient_by_name_dob", "telehealth"},
    };
    for (size_t i = 0; i < LG_COUNT(known); i++) {
        if (lg_str_eq(tool, lg_str_c(known[i].tool))) {
            return lg_str_c(known[i].domain);
        }
    }
    return LG_STR("");
}

lg_str lg_importer_guess_domain(lg_importer *imp)
{
    lg_str domain = LG_STR("");
    for (size_t i = 0; i < imp->event_count && domain.len == 0; i++) {
        const lg_trace_event *event = &imp->events[i];
        if (event->kind == LG_EVENT_MESSAGE && event->role == LG_ROLE_SYSTEM) {
            domain = domain_of_heading(imp, event->text);
        } else if (event->kind == LG_EVENT_CALL) {
            domain = domain_of_tool(event->tool);
        }
    }
    return domain;
}
