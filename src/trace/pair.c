// pair.c: which result belongs to which call.
//
// First by id. An id may come again: a result takes the earliest open call of that id in the latest
// message that has one, for an agent that repeats an id has given up waiting for the older answer.
// What is left, because an id is empty, goes by position: the open calls of the latest message that
// made any, in their order; of these a call of the tool that the result names goes first.
//
// Where an id names no call nothing is guessed: the result stays without one, and is listed.
// Sorting instead of hashing keeps this at n log n for ids that a stranger chose.
#include "trace/trace_internal.h"

void lg_index_sort(uint32_t *indices, uint32_t *spare, size_t count, lg_index_cmp *compare,
                   const void *context)
{
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t from = 0; from < count; from += 2 * width) {
            size_t middle = from + width < count ? from + width : count;
            size_t to = from + 2 * width < count ? from + 2 * width : count;
            size_t left = from;
            size_t right = middle;
            for (size_t i = from; i < to; i++) {
                bool take_left = left < middle && (right >= to || compare(context, indices[left],
                                                                          indices[right]) <= 0);
                spare[i] = take_left ? indices[left++] : indices[right++];
            }
        }
        memcpy(indices, spare, count * sizeof(*indices));
    }
}

static bool is_result(const lg_trace_event *event)
{
    return event->kind == LG_EVENT_RESULT || event->kind == LG_EVENT_ERROR;
}

static bool is_call(const lg_trace_event *event)
{
    return event->kind == LG_EVENT_CALL;
}

static void join(lg_trace_event *events, uint32_t call, uint32_t result)
{
    LG_DEBUG_ASSERT(call < result && is_call(&events[call]) && is_result(&events[result]));
    LG_DEBUG_ASSERT(events[call].other == LG_NO_EVENT && events[result].other == LG_NO_EVENT);
    events[call].other = result;
    events[result].other = call;
}

// --- By id --------------------------------------------------------------------------------------

static int compare_ids(const void *context, uint32_t a, uint32_t b)
{
    const lg_trace_event *events = context;
    int order = lg_str_cmp(events[a].id, events[b].id);
    return order ? order : (int)events[a].role - (int)events[b].role;
}

// Open calls of one id: batches of one message each, the latest on top.
typedef struct batch {
    uint32_t turn;
    uint32_t next; // first open one in `calls`
    uint32_t end;
} batch;

typedef struct id_pairing {
    lg_trace_event *events;
    uint32_t *calls;
    size_t call_count;
    batch *batches;
    size_t batch_count;
} id_pairing;

static void push_call(id_pairing *p, uint32_t call)
{
    batch *top = p->batch_count ? &p->batches[p->batch_count - 1] : NULL;
    uint32_t at = (uint32_t)p->call_count;
    p->calls[p->call_count++] = call;
    LG_DEBUG_ASSERT(!top || (top->next <= top->end && top->end <= at));
    if (top && top->turn == p->events[call].turn && top->end == at) {
        top->end++;
    } else {
        p->batches[p->batch_count++] = (batch){p->events[call].turn, at, at + 1};
    }
}

static void take_call(id_pairing *p, uint32_t result)
{
    while (p->batch_count) {
        batch *top = &p->batches[p->batch_count - 1];
        if (top->next < top->end) {
            join(p->events, p->calls[top->next++], result);
            return;
        }
        p->batch_count--;
    }
}

static void pair_ids(lg_importer *imp)
{
    size_t all = imp->event_count;
    lg_arena_mark mark = lg_arena_mark_here(imp->arena);
    uint32_t *order = LG_NEW_ARRAY(imp->arena, uint32_t, 3 * all);
    batch *batches = LG_NEW_ARRAY(imp->arena, batch, all);
    if (!order || !batches) {
        lg_importer_fail_oom(imp);
        lg_arena_rewind(imp->arena, mark);
        return;
    }
    size_t count = 0;
    for (size_t i = 0; i < all; i++) {
        const lg_trace_event *event = &imp->events[i];
        if (event->id.len && (is_call(event) || is_result(event))) {
            order[count++] = (uint32_t)i;
        }
    }
    lg_index_sort(order, order + all, count, compare_ids, imp->events);
    id_pairing p = {.events = imp->events, .calls = order + 2 * all, .batches = batches};
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare_ids(imp->events, order[i - 1], order[i]) != 0) {
            p.call_count = 0;
            p.batch_count = 0;
        }
        if (is_call(&imp->events[order[i]])) {
            push_call(&p, order[i]);
        } else {
            take_call(&p, order[i]);
        }
    }
    lg_arena_rewind(imp->arena, mark);
}

// --- By position --------------------------------------------------------------------------------

// Calls of one message lie side by side, so a batch is a range of events. The search for a name
// looks at no more than this many: a batch of a stranger may be long.
enum { NAME_WINDOW = 64 };

typedef struct latest {
    uint32_t turn;
    size_t next; // everything before is paired
    size_t end;
} latest;

static bool may_take(const lg_trace_event *call, const lg_trace_event *result)
{
    return is_call(call) && call->other == LG_NO_EVENT && call->role == result->role &&
           (result->id.len == 0 || call->id.len == 0);
}

static void pair_position(lg_trace_event *events, latest *calls, uint32_t result)
{
    while (calls->next < calls->end && events[calls->next].other != LG_NO_EVENT) {
        calls->next++;
    }
    size_t chosen = SIZE_MAX;
    for (size_t i = calls->next; i < calls->end && i < calls->next + NAME_WINDOW; i++) {
        if (!may_take(&events[i], &events[result])) {
            continue;
        }
        if (chosen == SIZE_MAX) {
            chosen = i;
        }
        if (events[result].tool.len == 0 || lg_str_eq(events[i].tool, events[result].tool)) {
            chosen = i;
            break;
        }
    }
    if (chosen != SIZE_MAX) {
        join(events, (uint32_t)chosen, result);
    }
}

static void pair_positions(lg_importer *imp)
{
    lg_trace_event *events = imp->events;
    latest calls[3] = {{0}}; // by role
    for (size_t i = 0; i < imp->event_count; i++) {
        latest *own = &calls[events[i].role];
        if (is_call(&events[i])) {
            if (own->end == i && own->turn == events[i].turn && own->end > 0) {
                own->end++;
            } else {
                *own = (latest){events[i].turn, i, i + 1};
            }
        } else if (is_result(&events[i]) && events[i].other == LG_NO_EVENT) {
            pair_position(events, own, (uint32_t)i);
        }
    }
}

// --- What is left -------------------------------------------------------------------------------

static void check_result(lg_importer *imp, lg_trace_event *result)
{
    if (result->other == LG_NO_EVENT) {
        lg_importer_issue(imp, result->offset, false,
                          result->id.len ? "a result for the call id `%.*s`, which no open call has"
                                         : "a result without a call%.*s",
                          LG_FMT(result->id));
        return;
    }
    const lg_trace_event *call = &imp->events[result->other];
    LG_DEBUG_ASSERT(&imp->events[call->other] == result); // each is the other's
    if (result->tool.len && !lg_str_eq(result->tool, call->tool)) {
        lg_importer_issue(imp, result->offset, false,
                          "a result of `%.*s`, but its call is to `%.*s`", LG_FMT(result->tool),
                          LG_FMT(call->tool));
    }
    result->tool = call->tool;
}

void lg_importer_pair(lg_importer *imp)
{
    if (!lg_importer_ok(imp) || imp->event_count == 0) {
        return;
    }
    pair_ids(imp);
    pair_positions(imp);
    for (size_t i = 0; i < imp->event_count; i++) {
        if (is_result(&imp->events[i])) {
            check_result(imp, &imp->events[i]);
        }
    }
}

// --- Reading on ---------------------------------------------------------------------------------

// Of more than this at once all are paired anew: each is looked for from its end.
enum { NEW_EVENTS_MAX = 64 };

static bool goes_by_id(const lg_trace_event *event)
{
    return event->id.len > 0 || (!is_call(event) && !is_result(event));
}

// The earliest open call of that id in the latest message that has one; or LG_NO_EVENT.
static uint32_t find_open(const lg_trace_event *events, uint32_t result)
{
    uint32_t found = LG_NO_EVENT;
    for (uint32_t i = result; i > 0; i--) {
        const lg_trace_event *call = &events[i - 1];
        if (found != LG_NO_EVENT && call->turn != events[found].turn) {
            break;
        }
        if (is_call(call) && call->other == LG_NO_EVENT && call->role == events[result].role &&
            lg_str_eq(call->id, events[result].id)) {
            found = i - 1;
        }
    }
    return found;
}

bool lg_importer_pair_on(lg_importer *imp)
{
    size_t first = imp->known->count;
    if (imp->event_count - first > NEW_EVENTS_MAX) {
        return false;
    }
    for (size_t i = first; i < imp->event_count; i++) {
        if (!goes_by_id(&imp->events[i])) {
            return false;
        }
    }
    for (size_t i = first; i < imp->event_count; i++) {
        uint32_t call =
            is_result(&imp->events[i]) ? find_open(imp->events, (uint32_t)i) : LG_NO_EVENT;
        if (call != LG_NO_EVENT) {
            join(imp->events, call, (uint32_t)i);
        }
    }
    for (size_t i = first; i < imp->event_count; i++) {
        if (is_result(&imp->events[i])) {
            check_result(imp, &imp->events[i]);
        }
    }
    return true;
}

bool lg_importer_is_settled(const lg_importer *imp)
{
    for (size_t i = imp->known->count; i < imp->event_count; i++) {
        const lg_trace_event *event = &imp->events[i];
        if (!goes_by_id(event) || (is_result(event) && event->other == LG_NO_EVENT)) {
            return false;
        }
    }
    return true;
}
