// ledgergate.c: what `ledgergate log export` writes: JSON Lines of records, as docs/log.md has them.
//
// An event names the one before it, and a client that tries again goes on from an earlier one: so the log's events are
// trees, and each of their leaves is the end of one conversation, which is the path that leads there. A reply that was let
// pass comes back as an event with the client's next request; the last one of a conversation does not, and is taken
// from the decision that was made there, if it was delivered. What was refused never reached the client and is no event; it
// is counted in the metadata.
//
// What was redacted is missing: a path that does not reach its beginning is a conversation of which something was left out.
#include "trace/trace_internal.h"

typedef struct log_event {
    const lg_json *payload;
    lg_str id;
    uint32_t up;                 // the event before it, or LG_NO_EVENT
    uint32_t depth;              // events to its beginning, itself included; 0: not known yet
    bool has_more;               // others stand behind it
    uint32_t last;               // of the decisions made here the last delivered one
    uint32_t decisions, refused; // made here
} log_event;

typedef struct log_decision {
    const lg_json *payload;
    lg_str id;
    bool delivered;
} log_decision;

struct lg_log_records {
    log_event *events;
    size_t event_count, event_capacity;
    log_decision *decisions;
    size_t decision_count, decision_capacity;
    const lg_json **outcomes;
    size_t outcome_count, outcome_capacity;
    const lg_json *law; // the first
};

// --- Gathering -----------------------------------------------------------------------------------

static void gather_event(lg_importer *imp, const lg_json *payload, lg_str id)
{
    struct lg_log_records *all = imp->records;
    log_event *events = lg_arena_grow(imp->arena, all->events, all->event_count,
                                      &all->event_capacity, sizeof(*events));
    if (!events) {
        lg_importer_fail_oom(imp);
        return;
    }
    all->events = events;
    events[all->event_count++] =
        (log_event){.payload = payload, .id = id, .up = LG_NO_EVENT, .last = LG_NO_EVENT};
}

static void gather_decision(lg_importer *imp, const lg_json *payload, lg_str id)
{
    struct lg_log_records *all = imp->records;
    log_decision *decisions = lg_arena_grow(imp->arena, all->decisions, all->decision_count,
                                            &all->decision_capacity, sizeof(*decisions));
    if (!decisions) {
        lg_importer_fail_oom(imp);
        return;
    }
    all->decisions = decisions;
    decisions[all->decision_count++] = (log_decision){.payload = payload, .id = id};
}

static void gather_outcome(lg_importer *imp, const lg_json *payload)
{
    struct lg_log_records *all = imp->records;
    const lg_json **outcomes = lg_arena_grow(imp->arena, all->outcomes, all->outcome_count,
                                             &all->outcome_capacity, sizeof(*outcomes));
    if (!outcomes) {
        lg_importer_fail_oom(imp);
        return;
    }
    all->outcomes = outcomes;
    outcomes[all->outcome_count++] = payload;
}

void lg_import_ledgergate(lg_importer *imp, const lg_json *record)
{
    const lg_json *payload = lg_get(record, "payload");
    lg_str kind = lg_json_str(lg_get(record, "kind"));
    lg_str id = lg_json_str(lg_get(record, "id"));
    imp->records = imp->records ? imp->records : LG_NEW(imp->arena, struct lg_log_records);
    if (!imp->records) {
        lg_importer_fail_oom(imp);
        return;
    }
    if (!lg_json_is(payload, LG_JSON_OBJECT)) {
        return; // redacted: whoever stands behind it tells
    }
    if (lg_str_eq(kind, LG_STR("event"))) {
        gather_event(imp, payload, id);
    } else if (lg_str_eq(kind, LG_STR("decision"))) {
        gather_decision(imp, payload, id);
    } else if (lg_str_eq(kind, LG_STR("outcome"))) {
        gather_outcome(imp, payload);
    } else if (lg_str_eq(kind, LG_STR("law"))) {
        imp->records->law = imp->records->law ? imp->records->law : payload;
    } else if (!lg_str_eq(kind, LG_STR("redaction"))) {
        lg_importer_issue(imp, record->offset, true, "a record of the kind `%.*s`", LG_FMT(kind));
    }
}

// --- Who comes behind whom -----------------------------------------------------------------------

static int compare_events(const void *context, uint32_t a, uint32_t b)
{
    const log_event *events = context;
    return lg_str_cmp(events[a].id, events[b].id);
}

static int compare_decisions(const void *context, uint32_t a, uint32_t b)
{
    const log_decision *decisions = context;
    return lg_str_cmp(decisions[a].id, decisions[b].id);
}

static uint32_t find_event(const struct lg_log_records *all, const uint32_t *order, lg_str id)
{
    size_t low = 0;
    size_t high = all->event_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int diff = lg_str_cmp(all->events[order[middle]].id, id);
        if (diff == 0) {
            return order[middle];
        }
        if (diff < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return LG_NO_EVENT;
}

static log_decision *find_decision(const struct lg_log_records *all, const uint32_t *order,
                                   lg_str id)
{
    size_t low = 0;
    size_t high = all->decision_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int diff = lg_str_cmp(all->decisions[order[middle]].id, id);
        if (diff == 0) {
            return &all->decisions[order[middle]];
        }
        if (diff < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

// Ids of scopes, which nothing comes before, have their first bit set.
static bool is_scope(lg_str id)
{
    return id.len > 0 && !(id.ptr[0] >= '0' && id.ptr[0] <= '7');
}

static void link_events(lg_importer *imp, const uint32_t *order)
{
    struct lg_log_records *all = imp->records;
    for (size_t i = 0; i < all->event_count; i++) {
        log_event *event = &all->events[i];
        lg_str previous = lg_json_str(lg_get(event->payload, "previous"));
        event->up = is_scope(previous) ? LG_NO_EVENT : find_event(all, order, previous);
        if (event->up == i) {
            event->up = LG_NO_EVENT;
        }
        if (event->up != LG_NO_EVENT) {
            all->events[event->up].has_more = true;
        }
    }
}

// Does `event` pass: is it allowed, and not refused by the host?
static bool passes(const lg_json *decision, size_t index)
{
    const lg_json *report = lg_json_item(lg_get(decision, "decisions"), index);
    const lg_json *host = lg_get(decision, "host");
    for (size_t i = 0; i < lg_list_len(host); i++) {
        const lg_json *override = lg_json_item(host, i);
        int64_t of = -1;
        const lg_json *proposed = lg_get(override, "proposed");
        if (proposed && lg_json_int(proposed, &of) && of == (int64_t)index) {
            return lg_json_is_true(lg_get(override, "passes"));
        }
    }
    return lg_str_eq(lg_json_str(lg_get(report, "verdict")), LG_STR("allow"));
}

static void place_decisions(lg_importer *imp, const uint32_t *order, const uint32_t *by_id)
{
    struct lg_log_records *all = imp->records;
    for (size_t i = 0; i < all->outcome_count; i++) {
        const lg_json *outcome = all->outcomes[i];
        log_decision *decision =
            find_decision(all, by_id, lg_json_str(lg_get(outcome, "decision")));
        if (decision) {
            lg_str how = lg_json_str(lg_get(outcome, "outcome"));
            decision->delivered = lg_str_eq(how, LG_STR("delivered"));
        }
    }
    for (size_t i = 0; i < all->decision_count; i++) {
        const log_decision *decision = &all->decisions[i];
        uint32_t at = find_event(all, order, lg_json_str(lg_get(decision->payload, "last")));
        if (at == LG_NO_EVENT) {
            continue;
        }
        size_t count = lg_list_len(lg_get(decision->payload, "proposed"));
        all->events[at].decisions += (uint32_t)count;
        for (size_t k = 0; k < count; k++) {
            all->events[at].refused += !passes(decision->payload, k);
        }
        if (decision->delivered) {
            all->events[at].last = (uint32_t)i;
        }
    }
}

// Sets how far each event is from its beginning. One that leads into a ring, which no log has, is cut from it.
static void measure(lg_importer *imp, uint32_t *path)
{
    const struct lg_log_records *all = imp->records;
    for (size_t i = 0; i < all->event_count; i++) {
        size_t steps = 0;
        uint32_t at = (uint32_t)i;
        while (at != LG_NO_EVENT && all->events[at].depth == 0) {
            all->events[at].depth = UINT32_MAX; // on this path
            path[steps++] = at;
            at = all->events[at].up;
        }
        bool ring = at != LG_NO_EVENT && all->events[at].depth == UINT32_MAX;
        uint32_t depth = ring || at == LG_NO_EVENT ? 0 : all->events[at].depth;
        if (ring) {
            all->events[path[steps - 1]].up = LG_NO_EVENT;
            lg_importer_issue(imp, all->events[at].payload->offset, true,
                              "an event that comes before itself");
        }
        while (steps > 0) {
            all->events[path[--steps]].depth = ++depth;
        }
    }
}

// --- One conversation ----------------------------------------------------------------------------

static lg_role role_of(lg_importer *imp, const lg_json *payload)
{
    lg_str name = lg_json_str(lg_get(payload, "role"));
    if (lg_str_eq(name, LG_STR("user"))) {
        return LG_ROLE_USER;
    }
    if (lg_str_eq(name, LG_STR("system"))) {
        return LG_ROLE_SYSTEM;
    }
    if (!lg_str_eq(name, LG_STR("agent"))) {
        lg_importer_issue(imp, payload->offset, false, "the role `%.*s`: taken for the agent's",
                          LG_FMT(name));
    }
    return LG_ROLE_AGENT;
}

// A text of any bytes: what is no UTF-8 stays in hexadecimal.
static lg_str text_of(lg_importer *imp, const lg_json *payload, const char *key, const char *hex)
{
    const lg_json *coded = lg_get(payload, hex);
    if (coded) {
        lg_importer_issue(imp, coded->offset, false, "a text that is no UTF-8");
        return lg_json_str(coded);
    }
    return lg_json_str(lg_get(payload, key));
}

static void read_time(lg_importer *imp, const lg_json *payload)
{
    const lg_json *time = lg_get(payload, "time");
    int64_t seconds = 0;
    int64_t nanos = 0;
    imp->has_time = lg_list_len(time) == 2 && lg_json_int(lg_json_item(time, 0), &seconds) &&
                    lg_json_int(lg_json_item(time, 1), &nanos) && seconds >= LG_TIME_MIN_SECONDS &&
                    seconds <= LG_TIME_MAX_SECONDS && nanos >= 0 && nanos < LG_TIME_NANOS;
    imp->time = (lg_time){.seconds = seconds, .nanos = (uint32_t)nanos};
    if (lg_json_is(time, LG_JSON_STRING)) {
        imp->has_time = lg_time_parse(lg_json_str(time), &imp->time);
    }
}

void lg_importer_event(lg_importer *imp, const lg_json *payload)
{
    lg_str kind = lg_json_str(lg_get(payload, "kind"));
    lg_str text = text_of(imp, payload, "text", "text_hex");
    lg_str tool = text_of(imp, payload, "tool", "tool_hex");
    lg_role role = role_of(imp, payload);
    const lg_json *args = lg_get(payload, "args");
    read_time(imp, payload);
    if (lg_str_eq(kind, LG_STR("call"))) {
        args = args ? args : lg_get(payload, "value");
        lg_trace_event *call = lg_importer_call(imp, role, payload, tool, args);
        call->inserted = lg_json_is_true(lg_get(payload, "inserted"));
        return;
    }
    bool failed = lg_str_eq(kind, LG_STR("error"));
    bool result = failed || lg_str_eq(kind, LG_STR("result"));
    if (!result && !lg_str_eq(kind, LG_STR("message"))) {
        lg_importer_issue(imp, payload->offset, true, "an event of the kind `%.*s`", LG_FMT(kind));
        return;
    }
    lg_event_kind is = failed ? LG_EVENT_ERROR : result ? LG_EVENT_RESULT : LG_EVENT_MESSAGE;
    lg_trace_event *event = lg_importer_add(imp, is, role, payload->offset);
    event->text = text;
    event->id = result ? text_of(imp, payload, "id", "id_hex") : LG_STR("");
    event->tool = result ? tool : LG_STR("");
    event->inserted = lg_json_is_true(lg_get(payload, "inserted"));
}

static int64_t turn_of(const lg_json *payload)
{
    int64_t turn = -1;
    const lg_json *recorded = lg_get(payload, "turn");
    return recorded && lg_json_int(recorded, &turn) ? turn : -1;
}

static void read_about(lg_importer *imp, const lg_json *decision)
{
    const lg_json *about = lg_get(decision, "about");
    if (imp->trace.model.len == 0) {
        imp->trace.model = lg_json_str(lg_get(about, "model"));
    }
    if (imp->trace.name.len == 0) {
        imp->trace.name = lg_json_str(lg_get(decision, "conversation"));
    }
}

static void make_metadata(lg_importer *imp, const lg_json *decision, uint64_t decisions,
                          uint64_t refused)
{
    static const char *const about[] = {"route", "principal", "api", "mode"};
    lg_facts facts = {0};
    lg_json made = lg_json_make_int((int64_t)decisions);
    lg_json kept = lg_json_make_int((int64_t)refused);
    lg_facts_pick(&facts, lg_get(decision, "about"), about, LG_COUNT(about));
    lg_facts_add(&facts, "pack", lg_get(imp->records->law, "pack"));
    lg_facts_add(&facts, "version", lg_get(imp->records->law, "version"));
    lg_facts_add(&facts, "decisions", &made);
    lg_facts_add(&facts, "refused", &kept);
    imp->trace.metadata = lg_facts_make(imp, &facts);
}

// What was delivered last and did not come back.
static void read_reply(lg_importer *imp, const lg_json *decision)
{
    const lg_json *proposed = lg_get(decision, "proposed");
    for (size_t i = 0; i < lg_list_len(proposed) && lg_importer_ok(imp); i++) {
        if (passes(decision, i)) {
            lg_importer_event(imp, lg_json_item(proposed, i));
        }
    }
}

static void read_path(lg_importer *imp, const uint32_t *path, size_t count)
{
    const struct lg_log_records *all = imp->records;
    const log_event *first = &all->events[path[0]];
    const lg_json *decision = NULL;
    uint64_t decisions = 0;
    uint64_t refused = 0;
    int64_t before = turn_of(first->payload);
    lg_importer_begin(imp, first->payload);
    if (!is_scope(lg_json_str(lg_get(first->payload, "previous")))) {
        lg_importer_issue(imp, first->payload->offset, true,
                          "what came before is not in the log any more");
    }
    for (size_t i = 0; i < count && lg_importer_ok(imp); i++) {
        const log_event *event = &all->events[path[i]];
        int64_t turn = turn_of(event->payload);
        imp->turn += i > 0 && (turn < 0 || turn != before);
        before = turn;
        lg_importer_event(imp, event->payload);
        decisions += event->decisions;
        refused += event->refused;
        if (event->last != LG_NO_EVENT) {
            decision = all->decisions[event->last].payload;
            read_about(imp, decision);
        }
    }
    const log_event *end = &all->events[path[count - 1]];
    imp->turn++;
    if (end->last != LG_NO_EVENT) {
        read_reply(imp, all->decisions[end->last].payload);
    }
    make_metadata(imp, decision, decisions, refused);
    imp->trace.name = imp->trace.name.len ? imp->trace.name : first->id;
    lg_importer_end(imp);
}

void lg_import_ledgergate_end(lg_importer *imp)
{
    struct lg_log_records *all = imp->records;
    size_t events = all ? all->event_count : 0;
    if (events == 0) {
        return;
    }
    size_t decisions = all->decision_count;
    uint32_t *order = LG_NEW_ARRAY(imp->arena, uint32_t, 2 * events);
    uint32_t *by_id = LG_NEW_ARRAY(imp->arena, uint32_t, 2 * decisions + 1);
    if (!order || !by_id) {
        lg_importer_fail_oom(imp);
        return;
    }
    for (size_t i = 0; i < events; i++) {
        order[i] = (uint32_t)i;
    }
    for (size_t i = 0; i < decisions; i++) {
        by_id[i] = (uint32_t)i;
    }
    lg_index_sort(order, order + events, events, compare_events, all->events);
    lg_index_sort(by_id, by_id + decisions, decisions, compare_decisions, all->decisions);
    link_events(imp, order);
    place_decisions(imp, order, by_id);
    uint32_t *path = order; // nobody looks for ids any more
    measure(imp, path);
    for (size_t i = 0; i < events && lg_importer_ok(imp); i++) {
        if (all->events[i].has_more) {
            continue;
        }
        size_t count = all->events[i].depth;
        uint32_t at = (uint32_t)i;
        for (size_t k = count; k > 0; k--) {
            path[k - 1] = at;
            at = all->events[at].up;
        }
        read_path(imp, path, count);
    }
}
