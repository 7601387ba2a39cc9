// otel_fold.c: one conversation out of spans of which each repeats what was said before.
//
// A call of a model is recorded with all that the model was shown, so the next one has the same messages again, and what
// came since. What is known and what is shown now are laid over each other where the end of the one is the longest
// beginning of the other (the failure function of Knuth, Morris and Pratt, so in linear time). Only what
// was said and called is compared, since results are recorded where the tool ran as well, in another order. A result is
// known if its call is and has one.
//
// Where nothing fits (a summary took the place of the beginning, another agent speaks) all of it is new: rather told twice
// than left out. Only a call that is known by its id and its arguments is not told twice.
#include "trace/otel_internal.h"

// A call that was made, by its id.
typedef struct otel_call {
    lg_role role;
    uint32_t turn;
    uint32_t event;
    bool answered;
} otel_call;

// A tool that ran without an id is looked for among so many of the latest calls.
enum { CALLS_LOOKED_AT = 64, SYSTEM_LOOKED_AT = 8 };

// What was read of one message.
typedef struct told {
    size_t event_end;
    size_t issue_end;
    size_t left_out, dropped; // issues of it
} told;

static bool is_result(const lg_trace_event *event)
{
    return event->kind == LG_EVENT_RESULT || event->kind == LG_EVENT_ERROR;
}

static bool same_args(const lg_trace_event *a, const lg_trace_event *b)
{
    return a->args && b->args ? lg_json_equal(a->args, b->args)
                              : !a->args && !b->args && lg_str_eq(a->text, b->text);
}

static bool same_event(const lg_trace_event *a, const lg_trace_event *b)
{
    if (a->kind != b->kind || a->role != b->role) {
        return false;
    }
    return a->kind == LG_EVENT_CALL ? lg_str_eq(a->tool, b->tool) && same_args(a, b)
                                    : lg_str_eq(lg_str_trim(a->text), lg_str_trim(b->text));
}

static void speak(otel_fold *fold, uint32_t index)
{
    lg_importer *imp = fold->imp;
    uint32_t *spoken = lg_arena_grow(imp->arena, fold->spoken, fold->spoken_count,
                                     &fold->spoken_capacity, sizeof(*spoken));
    if (!spoken) {
        lg_importer_fail_oom(imp);
        return;
    }
    fold->spoken = spoken;
    spoken[fold->spoken_count++] = index;
}

static otel_call *find_call(const otel_fold *fold, lg_str id)
{
    otel_call *const *found = id.len ? lg_map_get(&fold->calls, id) : NULL;
    return found ? *found : NULL;
}

static void know(otel_fold *fold, lg_str id, otel_call *call)
{
    otel_call **item = LG_NEW(fold->imp->arena, otel_call *);
    if (!item || !call || !lg_map_put(fold->imp->arena, &fold->calls, id, item, 1)) {
        lg_importer_fail_oom(fold->imp);
        return;
    }
    *item = call;
}

// What is new stands at `index`: remembers calls, and gives a result the requestor of its call.
static void keep(otel_fold *fold, uint32_t index)
{
    lg_importer *imp = fold->imp;
    lg_trace_event *event = &imp->events[index];
    otel_call *call = find_call(fold, event->id);
    if (is_result(event)) {
        if (call) {
            call->answered = true;
            event->role = call->role;
            event->id = imp->events[call->event].id; // another one where the tool itself told none
        }
        return;
    }
    speak(fold, index);
    if (event->kind != LG_EVENT_CALL || event->id.len == 0) {
        return;
    }
    otel_call *made = LG_NEW(imp->arena, otel_call);
    if (made) {
        *made = (otel_call){.role = event->role, .turn = event->turn, .event = index};
    }
    know(fold, event->id, made);
}

// --- Reading messages ----------------------------------------------------------------------------

static told read_message(otel_fold *fold, const lg_json *message)
{
    lg_importer *imp = fold->imp;
    size_t left_out = imp->set->left_out;
    size_t dropped = imp->set->issues_dropped;
    imp->turn = fold->turn;
    fold->turn += 2;
    lg_importer_message(imp, message);
    return (told){imp->event_count, imp->set->issue_count, imp->set->left_out - left_out,
                  imp->set->issues_dropped - dropped};
}

// --- What is known of it -------------------------------------------------------------------------

// Has the system said that already?
static bool is_known_system(const otel_fold *fold, const lg_trace_event *event)
{
    const lg_trace_event *events = fold->imp->events;
    for (size_t i = 0; i < fold->spoken_count && i < SYSTEM_LOOKED_AT; i++) {
        if (same_event(&events[fold->spoken[i]], event)) {
            return true;
        }
    }
    return false;
}

// How many of `now` are the end of what is known. `fail` has room for as many.
static size_t overlap(const otel_fold *fold, const uint32_t *now, size_t count, uint32_t *fail)
{
    const lg_trace_event *e = fold->imp->events;
    size_t from = fold->spoken_count > count ? fold->spoken_count - count : 0;
    size_t fits = 0;
    if (count == 0) {
        return 0;
    }
    fail[0] = 0;
    for (size_t i = 1; i < count; i++) {
        while (fits && !same_event(&e[now[i]], &e[now[fits]])) {
            fits = fail[fits - 1];
        }
        fits += same_event(&e[now[i]], &e[now[fits]]);
        fail[i] = (uint32_t)fits;
    }
    fits = 0;
    for (size_t i = from; i < fold->spoken_count; i++) {
        const lg_trace_event *known = &e[fold->spoken[i]];
        while (fits && (fits == count || !same_event(known, &e[now[fits]]))) {
            fits = fail[fits - 1];
        }
        fits += same_event(known, &e[now[fits]]);
    }
    return fits;
}

// How many events of `now` are what the conversation began with.
static size_t prefix(const otel_fold *fold, const uint32_t *now, size_t count)
{
    const lg_trace_event *e = fold->imp->events;
    size_t same = 0;
    while (same < count && same < fold->spoken_count &&
           same_event(&e[fold->spoken[same]], &e[now[same]])) {
        same++;
    }
    return same;
}

typedef struct span_now {
    uint32_t *now; // new events that are no results
    size_t count;
    size_t known;   // so many of them are known
    size_t systems; // of these are instructions that were told before
    bool fits;      // else only their beginning is
    size_t border;  // the first event behind those
} span_now;

static void look(otel_fold *fold, size_t first, span_now *at)
{
    lg_importer *imp = fold->imp;
    size_t all = imp->event_count - first;
    at->now = LG_NEW_ARRAY(imp->arena, uint32_t, 2 * all + 1);
    if (!at->now) {
        lg_importer_fail_oom(imp);
        return;
    }
    for (size_t i = first; i < imp->event_count; i++) {
        if (!is_result(&imp->events[i])) {
            at->now[at->count++] = (uint32_t)i;
        }
    }
    uint32_t *fail = at->now + all;
    size_t systems = 0;
    at->known = overlap(fold, at->now, at->count, fail);
    if (!at->known) { // instructions are told with every call, also where older messages are not
        while (systems < at->count && imp->events[at->now[systems]].role == LG_ROLE_SYSTEM &&
               is_known_system(fold, &imp->events[at->now[systems]])) {
            systems++;
        }
        at->known = overlap(fold, at->now + systems, at->count - systems, fail) + systems;
    }
    at->fits = at->known > systems;
    at->systems = systems;
    if (!at->fits) {
        size_t same = prefix(fold, at->now, at->count);
        at->known = same > systems ? same : systems;
    }
    at->border = at->known ? at->now[at->known - 1] + 1u : first;
}

// Calls that are known by no id, or by another one, are known by this one, too.
static void learn_ids(otel_fold *fold, const span_now *at)
{
    lg_importer *imp = fold->imp;
    size_t count = at->known - at->systems;
    for (size_t i = 0; i < count && at->fits && lg_importer_ok(imp); i++) {
        const lg_trace_event *now = &imp->events[at->now[at->systems + i]];
        const lg_trace_event *known = &imp->events[fold->spoken[fold->spoken_count - count + i]];
        otel_call *call = find_call(fold, known->id);
        if (now->kind == LG_EVENT_CALL && now->id.len && call && !find_call(fold, now->id)) {
            know(fold, now->id, call);
        }
    }
}

static bool is_new(const otel_fold *fold, const span_now *at, size_t index, size_t ordinal)
{
    const lg_trace_event *event = &fold->imp->events[index];
    const otel_call *call = find_call(fold, event->id);
    if (is_result(event)) {
        return event->id.len && call ? !call->answered : index >= at->border;
    }
    if (ordinal < at->known) {
        return false;
    }
    bool again = !at->fits && call && event->kind == LG_EVENT_CALL &&
                 same_event(event, &fold->imp->events[call->event]);
    return !again;
}

// Takes back the issues of messages that are known, since they were listed before.
static void forget_issues(lg_importer *imp, const told *messages, size_t count, size_t first_event,
                          size_t first_issue, size_t border)
{
    size_t kept = first_issue;
    size_t issue = first_issue;
    for (size_t i = 0; i < count; i++) {
        bool known = messages[i].event_end <= border && border > first_event;
        for (; issue < messages[i].issue_end; issue++) {
            if (!known) {
                imp->set->issues[kept++] = imp->set->issues[issue];
            }
        }
        if (known) {
            imp->set->left_out -= messages[i].left_out;
            imp->trace.left_out -= messages[i].left_out;
            imp->set->issues_dropped -= messages[i].dropped;
        }
    }
    imp->set->issue_count = kept;
}

void otel_fold_input(otel_fold *fold, const lg_json *messages, bool all_new)
{
    lg_importer *imp = fold->imp;
    size_t count = lg_list_len(messages);
    size_t first = imp->event_count;
    size_t first_issue = imp->set->issue_count;
    told *of = LG_NEW_ARRAY(imp->arena, told, count + 1);
    if (!of) {
        lg_importer_fail_oom(imp);
        return;
    }
    for (size_t i = 0; i < count && lg_importer_ok(imp); i++) {
        of[i] = read_message(fold, lg_json_item(messages, i));
    }
    span_now at = {.border = first};
    if (lg_importer_ok(imp)) {
        look(fold, first, &at);
    }
    if (!lg_importer_ok(imp)) {
        return;
    }
    if (all_new) {
        at.known = 0;
        at.systems = 0;
        at.fits = true;
        at.border = first;
    }
    learn_ids(fold, &at);
    size_t end = imp->event_count;
    size_t kept = first;
    size_t ordinal = 0;
    for (size_t i = first; i < end && lg_importer_ok(imp); i++) {
        bool result = is_result(&imp->events[i]);
        if (is_new(fold, &at, i, ordinal)) {
            const otel_call *call = find_call(fold, imp->events[i].id);
            imp->events[kept] = imp->events[i];
            if (result && i < at.border && call) {
                imp->events[kept].turn = call->turn + 1;
            }
            keep(fold, (uint32_t)kept++);
        }
        ordinal += !result;
    }
    imp->event_count = kept;
    forget_issues(imp, of, count, first, first_issue, at.border);
}

void otel_fold_output(otel_fold *fold, const lg_json *messages)
{
    lg_importer *imp = fold->imp;
    size_t first = imp->event_count;
    for (size_t i = 0; i < lg_list_len(messages) && lg_importer_ok(imp); i++) {
        (void)read_message(fold, lg_json_item(messages, i));
    }
    for (size_t i = first; i < imp->event_count && lg_importer_ok(imp); i++) {
        keep(fold, (uint32_t)i);
    }
}

// --- Tools that ran ------------------------------------------------------------------------------

// The latest call of `tool` that nobody has answered: of a span without an id.
static const lg_trace_event *find_open(const otel_fold *fold, lg_str tool)
{
    const lg_trace_event *events = fold->imp->events;
    for (size_t i = fold->spoken_count; i > 0 && fold->spoken_count - i < CALLS_LOOKED_AT; i--) {
        const lg_trace_event *event = &events[fold->spoken[i - 1]];
        const otel_call *call = find_call(fold, event->id);
        if (event->kind == LG_EVENT_CALL && call && !call->answered &&
            lg_str_eq(event->tool, tool)) {
            return event;
        }
    }
    return NULL;
}

// The tool that a span is named after, where no attribute names it: "execute_tool get_order".
static lg_str tool_of(const otel_span *span)
{
    static const lg_str mark = {"execute_tool ", 13};
    lg_str name = lg_json_str(lg_get(span->value, "name"));
    lg_str tool = otel_text(span->attr[OTEL_TOOL]);
    return tool.len                    ? tool
           : lg_str_starts(name, mark) ? lg_str_slice(name, mark.len, name.len)
                                       : LG_STR("");
}

static lg_str add_call(otel_fold *fold, const otel_span *span, lg_str tool, lg_str id)
{
    lg_importer *imp = fold->imp;
    const lg_json *args = otel_plain(imp, span->attr[OTEL_TOOL_ARGS]);
    imp->turn = fold->turn;
    fold->turn += 2;
    uint32_t index = (uint32_t)imp->event_count;
    lg_trace_event *call = lg_importer_call(imp, LG_ROLE_AGENT, span->value, tool, args);
    call->id = id.len ? id : lg_importer_printf(imp, "span %u", span->order);
    id = call->id;
    if (lg_importer_ok(imp)) {
        keep(fold, index);
    }
    return id;
}

void otel_fold_tool(otel_fold *fold, const otel_span *span)
{
    lg_importer *imp = fold->imp;
    lg_str id = otel_text(span->attr[OTEL_TOOL_ID]);
    lg_str tool = tool_of(span);
    const lg_trace_event *open = id.len ? NULL : find_open(fold, tool);
    lg_str why;
    bool failed = otel_span_failed(imp, span, &why);
    const otel_call *call = find_call(fold, open ? open->id : id);
    id = call ? imp->events[call->event].id : add_call(fold, span, tool, id);
    call = find_call(fold, id);
    const lg_json *recorded = otel_plain(imp, span->attr[OTEL_TOOL_RESULT]);
    if (!lg_importer_ok(imp) || !call || call->answered) {
        return;
    }
    if (!recorded && !failed) {
        lg_importer_issue(imp, span->value->offset, false, "the result of `%.*s` was not recorded",
                          LG_FMT(tool));
        return;
    }
    imp->turn = fold->turn;
    fold->turn += 2;
    lg_str text = recorded ? lg_importer_text(imp, recorded) : why;
    uint32_t index = (uint32_t)imp->event_count;
    lg_trace_event *result = lg_importer_add(imp, failed ? LG_EVENT_ERROR : LG_EVENT_RESULT,
                                             LG_ROLE_AGENT, span->value->offset);
    result->id = id;
    result->text = text;
    if (lg_importer_ok(imp)) {
        keep(fold, index);
    }
}
