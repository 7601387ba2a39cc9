// collect.c: the growing set: conversations, their events, and the list of issues.
//
// Everything grows in the set's arena. An issue knows the byte it is about; its JSON pointer is
// found again from that byte, so that the importers need not carry a path along for the few values
// that turn out to be unreadable.
#include "trace/trace_internal.h"

#include <stdarg.h>
#include <stdio.h>

lg_status lg_importer_fail_oom(lg_importer *imp)
{
    if (imp->status == LG_OK) {
        imp->status = lg_fail_oom(imp->reterr);
    }
    return imp->status;
}

lg_str lg_importer_copy(lg_importer *imp, lg_str text)
{
    lg_str copy = lg_arena_str(imp->arena, text);
    if (!copy.ptr) {
        lg_importer_fail_oom(imp);
        return LG_STR("");
    }
    return copy;
}

lg_str lg_importer_printf(lg_importer *imp, const char *format, ...)
{
    lg_buf *out = &imp->scratch;
    lg_buf_clear(out);
    va_list args;
    va_start(args, format);
    int size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *room = lg_buf_room(out, (size_t)size + 1);
    if (!room) {
        lg_importer_fail_oom(imp);
        return LG_STR("");
    }
    va_start(args, format);
    vsnprintf(room, (size_t)size + 1, format, args);
    va_end(args);
    return lg_importer_copy(imp, lg_str_of(room, (size_t)size));
}

// A value takes at most this many bytes for each byte of its text: 16 for `0,`, twice while growing.
enum { VALUE_BYTES = 64, SPARE_BYTES = 1 << 16 };

// The parser reports depth and budget with one status. Too deep is an issue of that text; a budget
// that is used up is the end of the import, or else what is left out would depend on it.
static bool is_budget_left(const lg_importer *imp, lg_str text)
{
    size_t left = imp->arena->limit_bytes - imp->arena->held_bytes;
    return left > SPARE_BYTES && (left - SPARE_BYTES) / VALUE_BYTES > text.len;
}

bool lg_importer_parse(lg_importer *imp, lg_str text, const lg_json **ret_value, lg_error *ret_why)
{
    lg_status status =
        lg_json_parse_in(imp->arena, text, 0, text.len, &imp->limits, ret_value, ret_why);
    if (status == LG_ERR_OOM || (status == LG_ERR_LIMIT && !is_budget_left(imp, text))) {
        lg_importer_fail_oom(imp);
    }
    return status == LG_OK;
}

bool lg_importer_parse_inside(lg_importer *imp, lg_str text, uint32_t offset,
                              const lg_json **ret_value, lg_error *ret_why)
{
    size_t room = imp->set->text.len;
    uint32_t shift = offset < room && room - offset > text.len ? offset : 0;
    lg_status status =
        lg_json_parse_piece(imp->arena, text, shift, &imp->limits, ret_value, ret_why);
    if (status == LG_ERR_OOM || (status == LG_ERR_LIMIT && !is_budget_left(imp, text))) {
        lg_importer_fail_oom(imp);
    }
    return status == LG_OK;
}

// A value that was put together has no place of its own: it stands somewhere in its conversation.
static uint32_t place_of(const lg_importer *imp, uint32_t offset)
{
    return offset < imp->set->text.len || imp->is_live ? offset : imp->trace.offset;
}

// --- Issues -------------------------------------------------------------------------------------

// The line that byte `offset` is in: the last that begins at or before it.
static const lg_trace_line *line_of(const lg_importer *imp, uint32_t offset)
{
    size_t low = 0;
    size_t high = imp->line_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (imp->lines[middle].offset <= offset) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low < imp->line_count ? &imp->lines[low] : NULL;
}

static lg_str pointer_of(lg_importer *imp, uint32_t offset)
{
    lg_buf *out = &imp->scratch;
    lg_buf_clear(out);
    const lg_trace_line *line = line_of(imp, offset);
    if (line && imp->is_lines) {
        lg_buf_addf(out, "/%u", line->number);
    }
    if (line && line->value) {
        lg_json_pointer_of(out, line->value, offset);
    }
    if (lg_buf_status(out) != LG_OK) {
        lg_importer_fail_oom(imp);
        return LG_STR("");
    }
    return lg_importer_copy(imp, lg_buf_str(out));
}

void lg_importer_issue(lg_importer *imp, uint32_t offset, bool fatal, const char *format, ...)
{
    lg_trace_set *set = imp->set;
    if (!lg_importer_ok(imp)) {
        return;
    }
    offset = place_of(imp, offset);
    set->left_out += fatal;
    imp->trace.left_out += fatal && imp->open;
    if (set->issue_count >= imp->limits.error_count) {
        set->issues_dropped++;
        return;
    }
    lg_error clean; // it knows what may not be shown to people
    va_list args;
    va_start(args, format);
    (void)lg_vfail_at(&clean, LG_ERR_FORMAT, (lg_position){0}, format, args);
    va_end(args);

    lg_trace_issue *items = lg_arena_grow(imp->arena, set->issues, set->issue_count,
                                          &imp->issue_capacity, sizeof(*items));
    if (!items) {
        lg_importer_fail_oom(imp);
        return;
    }
    set->issues = items;
    items[set->issue_count++] = (lg_trace_issue){
        .pointer = pointer_of(imp, offset),
        .offset = offset,
        .trace = imp->open ? (uint32_t)set->count : LG_NO_EVENT,
        .fatal = fatal,
        .message = lg_importer_copy(imp, lg_str_c(clean.msg)),
    };
}

// --- Conversations and events -------------------------------------------------------------------

void lg_importer_begin(lg_importer *imp, const lg_json *at)
{
    imp->open = true;
    imp->trace = (lg_trace){.offset = at->offset,
                            .name = LG_STR(""),
                            .task = LG_STR(""),
                            .domain = LG_STR(""),
                            .model = LG_STR(""),
                            .prompt = LG_STR(""),
                            .request = LG_STR(""),
                            .ended = LG_STR("")};
    imp->event_count = imp->known ? imp->known->count : 0;
    imp->turn = 0;
    imp->has_time = false;
    imp->has_side_chains = false;
    imp->knows_delegated = false;
}

static lg_trace_event *spill(lg_importer *imp)
{
    imp->spill = (lg_trace_event){.other = LG_NO_EVENT};
    return &imp->spill;
}

lg_trace_event *lg_importer_add(lg_importer *imp, lg_event_kind kind, lg_role role, uint32_t offset)
{
    if (!lg_importer_ok(imp)) {
        return spill(imp);
    }
    if (imp->event_count >= imp->limits.trace_events) {
        lg_position at = lg_text_position(imp->set->text, offset);
        imp->status = lg_fail_at(imp->reterr, LG_ERR_LIMIT, at,
                                 "a conversation has more than %u events (trace_events)",
                                 imp->limits.trace_events);
        return spill(imp);
    }
    lg_trace_event *events = lg_arena_grow(imp->arena, imp->events, imp->event_count,
                                           &imp->event_capacity, sizeof(*events));
    if (!events) {
        lg_importer_fail_oom(imp);
        return spill(imp);
    }
    imp->events = events;
    lg_trace_event *event = &events[imp->event_count++];
    *event = (lg_trace_event){.kind = kind,
                              .role = role,
                              .turn = imp->turn,
                              .offset = place_of(imp, offset),
                              .other = LG_NO_EVENT,
                              .has_time = imp->has_time,
                              .time = imp->time,
                              .id = LG_STR(""),
                              .tool = LG_STR(""),
                              .text = LG_STR("")};
    return event;
}

void lg_importer_time(lg_importer *imp, const lg_json *message)
{
    char with_zone[LG_TIME_TEXT_MAX + 1];
    lg_str text = lg_json_str(lg_get(message, "timestamp"));
    imp->has_time = lg_time_parse(text, &imp->time);
    if (!imp->has_time && text.len > 0 && text.len < sizeof(with_zone)) {
        memcpy(with_zone, text.ptr, text.len); // as Python's isoformat() writes it
        with_zone[text.len] = 'Z';
        imp->has_time = lg_time_parse(lg_str_of(with_zone, text.len + 1), &imp->time);
    }
}

// --- Order ---------------------------------------------------------------------------------------

static int compare_turns(const void *context, uint32_t a, uint32_t b)
{
    const lg_trace_event *events = context;
    return (events[a].turn > events[b].turn) - (events[a].turn < events[b].turn);
}

static bool in_order(const lg_importer *imp)
{
    for (size_t i = 1; i < imp->event_count; i++) {
        if (imp->events[i - 1].turn > imp->events[i].turn) {
            return false;
        }
    }
    return true;
}

// The events of a turn stand together, where its first is; among themselves they stay as recorded.
static void order_turns(lg_importer *imp)
{
    size_t count = imp->event_count;
    if (!lg_importer_ok(imp) || in_order(imp)) {
        return;
    }
    lg_arena_mark mark = lg_arena_mark_here(imp->arena);
    uint32_t *order = LG_NEW_ARRAY(imp->arena, uint32_t, 2 * count);
    lg_trace_event *sorted = LG_NEW_ARRAY(imp->arena, lg_trace_event, count);
    if (order && sorted) {
        for (size_t i = 0; i < count; i++) {
            order[i] = (uint32_t)i;
        }
        lg_index_sort(order, order + count, count, compare_turns, imp->events);
        for (size_t i = 0; i < count; i++) {
            sorted[i] = imp->events[order[i]];
        }
        memcpy(imp->events, sorted, count * sizeof(*sorted));
    } else {
        lg_importer_fail_oom(imp);
    }
    lg_arena_rewind(imp->arena, mark);
}

// Of the turns that were left free, none stays.
static void number_turns(lg_importer *imp)
{
    uint32_t turn = 0;
    for (size_t i = 0; i < imp->event_count && lg_importer_ok(imp); i++) {
        uint32_t was = imp->events[i].turn;
        imp->events[i].turn = turn;
        turn += i + 1 < imp->event_count && imp->events[i + 1].turn != was;
    }
}

void lg_importer_end(lg_importer *imp)
{
    lg_trace_set *set = imp->set;
    if (!imp->open) {
        return;
    }
    // A task whose right answer is to do nothing has a gold trace without calls.
    if (imp->event_count == 0 && set->format != LG_TRACE_GOLD) {
        lg_importer_issue(imp, imp->trace.offset, false, "the conversation is empty");
    }
    if (imp->trace.domain.len == 0 && !imp->is_live) {
        imp->trace.domain = lg_importer_guess_domain(imp);
    }
    order_turns(imp);
    if (imp->numbers_turns) {
        number_turns(imp);
    }
    if (!imp->is_live && lg_importer_ok(imp)) {
        imp->trace.line = lg_importer_line(imp, imp->trace.offset);
        lg_importer_delegations(imp);
    }
    if (!imp->is_live) { // what the agent was told goes before what the file says it was told
        lg_str prompt = lg_importer_prompt(imp);
        imp->trace.prompt = prompt.len ? prompt : imp->trace.prompt;
    }
    if (imp->known && imp->known->count) {
        imp->status =
            lg_importer_ok(imp) && !lg_importer_pair_on(imp) ? LG_ERR_MISSING : imp->status;
    } else {
        lg_importer_pair(imp);
    }
    lg_trace *traces =
        lg_arena_grow(imp->arena, set->traces, set->count, &imp->trace_capacity, sizeof(*traces));
    size_t count = imp->event_count;
    bool keeps = imp->known != NULL; // the array grows on
    lg_trace_event *events = keeps   ? imp->events
                             : count ? LG_NEW_ARRAY(imp->arena, lg_trace_event, count)
                                     : NULL;
    if (!traces || (count && !events)) {
        lg_importer_fail_oom(imp);
        return;
    }
    if (events && !keeps) {
        memcpy(events, imp->events, count * sizeof(*events));
    }
    imp->trace.events = events;
    imp->trace.count = count;
    set->traces = traces;
    traces[set->count++] = imp->trace;
    imp->open = false;
}

// --- Names --------------------------------------------------------------------------------------

static int compare_names(const void *context, uint32_t a, uint32_t b)
{
    const lg_trace *traces = context;
    return lg_str_cmp(traces[a].name, traces[b].name);
}

// Renames all but the first of each name. A new name can, if somebody meant it to, equal an old
// one: hence the caller's few rounds.
static size_t rename_repeated(lg_importer *imp, const uint32_t *order)
{
    lg_trace *traces = imp->set->traces;
    size_t renamed = 0;
    lg_str first = traces[order[0]].name;
    for (size_t i = 1; i < imp->set->count; i++) {
        lg_trace *trace = &traces[order[i]];
        if (lg_str_eq(trace->name, first)) {
            trace->name = lg_importer_printf(imp, "%.*s#%u", LG_FMT(first), order[i]);
            renamed++;
        } else {
            first = trace->name;
        }
    }
    return renamed;
}

void lg_importer_unique_names(lg_importer *imp)
{
    size_t count = imp->set->count;
    if (!lg_importer_ok(imp) || count < 2) {
        return;
    }
    uint32_t *order = LG_NEW_ARRAY(imp->arena, uint32_t, 2 * count);
    if (!order) {
        lg_importer_fail_oom(imp);
        return;
    }
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < count; i++) {
            order[i] = (uint32_t)i;
        }
        lg_index_sort(order, order + count, count, compare_names, imp->set->traces);
        if (rename_repeated(imp, order) == 0) {
            return;
        }
    }
}
