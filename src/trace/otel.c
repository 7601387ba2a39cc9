// otel.c: traces of OpenTelemetry with GenAI attributes, as OTLP JSON: {resourceSpans: [...]}, or JSON Lines of it.
//
// All spans of the file are gathered first, for a collector writes those of one conversation apart and in any order. A
// conversation is a `gen_ai.conversation.id` (`session.id`) if a span, one above it, or its trace has one, else a trace. An agent
// that was called by another one, or by a tool, has a conversation of its own, named after it; where no span tells what it
// did, that is work out of sight (lg_trace.delegated).
//
// Spans come in the order of time: a call of a model when it began, a tool when it returned. What a library writes around
// several calls of a model (Vercel's `ai.generateText`, `invoke_agent` with messages) is read only where these tell nothing.
// The words of a model are recorded only if somebody switched that on: calls of a model that tell nothing are counted.
#include "trace/otel_internal.h"

enum { ANCESTORS_MAX = 100 };

struct lg_gathered_spans {
    otel_span *spans;
    size_t count, capacity;
    uint32_t entries;
};

// --- Gathering -----------------------------------------------------------------------------------

static void gather(lg_importer *imp, const lg_json *value, const lg_json *resource, bool ours)
{
    struct lg_gathered_spans *all = imp->spans;
    if (!lg_json_is(value, LG_JSON_OBJECT)) {
        lg_importer_issue(imp, value->offset, true, "a span that is %s", lg_kind(value));
        return;
    }
    otel_span *spans =
        lg_arena_grow(imp->arena, all->spans, all->count, &all->capacity, sizeof(*spans));
    if (!spans) {
        lg_importer_fail_oom(imp);
        return;
    }
    all->spans = spans;
    otel_span *span = &spans[all->count];
    *span = (otel_span){.resource = resource,
                        .is_ours = ours,
                        .entry = all->entries,
                        .order = (uint32_t)all->count};
    all->count++;
    otel_span_read(span, value);
}

static void gather_scope(lg_importer *imp, const lg_json *scope, const lg_json *resource)
{
    const lg_json *spans = lg_get(scope, "spans");
    lg_str name = lg_json_str(lg_get(lg_get(scope, "scope"), "name"));
    if (lg_given(spans) && !lg_json_is(spans, LG_JSON_ARRAY)) {
        lg_importer_issue(imp, spans->offset, true, "the spans are %s, not a list", lg_kind(spans));
    }
    for (size_t i = 0; i < lg_list_len(spans) && lg_importer_ok(imp); i++) {
        gather(imp, lg_json_item(spans, i), resource, lg_str_eq(name, LG_STR("ledgergate")));
    }
}

void lg_import_otel(lg_importer *imp, const lg_json *value)
{
    const lg_json *entries = lg_get(value, "resourceSpans");
    imp->spans = imp->spans ? imp->spans : LG_NEW(imp->arena, struct lg_gathered_spans);
    if (!imp->spans) {
        lg_importer_fail_oom(imp);
        return;
    }
    for (size_t i = 0; i < lg_list_len(entries) && lg_importer_ok(imp); i++) {
        const lg_json *entry = lg_json_item(entries, i);
        const lg_json *scopes = lg_get(entry, "scopeSpans");
        const lg_json *resource = lg_get(lg_get(entry, "resource"), "attributes");
        imp->spans->entries++;
        if (lg_json_is(lg_get(entry, "spans"), LG_JSON_ARRAY)) {
            gather_scope(imp, entry, resource);
        } else if (!lg_json_is(scopes, LG_JSON_ARRAY)) {
            lg_importer_issue(imp, entry->offset, true, "an entry without `scopeSpans`");
        }
        for (size_t k = 0; k < lg_list_len(scopes) && lg_importer_ok(imp); k++) {
            gather_scope(imp, lg_json_item(scopes, k), resource);
        }
    }
}

// --- Who is above whom ---------------------------------------------------------------------------

static int compare_ids(const void *context, uint32_t a, uint32_t b)
{
    const otel_span *spans = context;
    int order = lg_str_cmp(spans[a].trace, spans[b].trace);
    return order ? order : lg_str_cmp(spans[a].id, spans[b].id);
}

// The span `id` of `trace` in `order`, which is by these; or LG_NO_EVENT.
static uint32_t find_span(const otel_span *spans, const uint32_t *order, size_t count, lg_str trace,
                          lg_str id)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const otel_span *span = &spans[order[middle]];
        int diff = lg_str_cmp(span->trace, trace);
        diff = diff ? diff : lg_str_cmp(span->id, id);
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

static void find_parents(lg_importer *imp, uint32_t *order, uint32_t *spare)
{
    otel_span *spans = imp->spans->spans;
    size_t count = imp->spans->count;
    for (size_t i = 0; i < count; i++) {
        order[i] = (uint32_t)i;
    }
    lg_index_sort(order, spare, count, compare_ids, spans);
    for (size_t i = 0; i < count; i++) {
        otel_span *span = &spans[i];
        if (span->trace.len && span->parent.len && !lg_str_eq(span->parent, span->id)) {
            span->up = find_span(spans, order, count, span->trace, span->parent);
        }
    }
}

static bool hands_on(const otel_span *span)
{
    return span->kind == OTEL_AGENT_RUN || span->kind == OTEL_TOOL_RUN;
}

// The conversation of the nearest span above, and the nearest agent that something else has called.
static void look_up(otel_span *spans, otel_span *span)
{
    uint32_t agent = span->kind == OTEL_AGENT_RUN ? (uint32_t)(span - spans) : LG_NO_EVENT;
    uint32_t up = span->up;
    for (int i = 0; up != LG_NO_EVENT && i < ANCESTORS_MAX; i++, up = spans[up].up) {
        lg_str own = otel_text(spans[up].attr[OTEL_CONVERSATION]);
        span->conversation = span->conversation.len ? span->conversation : own;
        if (agent != LG_NO_EVENT && hands_on(&spans[up])) {
            span->agent = agent; // and not the first, which the conversation is of
            break;
        }
        agent = spans[up].kind == OTEL_AGENT_RUN ? up : agent;
    }
}

// What a span does not say its trace says, by whichever of its spans; without ids, what stands together is together.
static void name_conversations(lg_importer *imp, const uint32_t *order)
{
    otel_span *spans = imp->spans->spans;
    size_t count = imp->spans->count;
    for (size_t i = 0; i < count;) {
        size_t end = i;
        lg_str trace = spans[order[i]].trace;
        lg_str known = LG_STR("");
        for (; end < count && lg_str_eq(spans[order[end]].trace, trace); end++) {
            known = known.len ? known : spans[order[end]].conversation;
        }
        for (; i < end; i++) {
            otel_span *span = &spans[order[i]];
            if (span->conversation.len == 0 && trace.len == 0) {
                span->conversation = lg_importer_printf(imp, "entry %u", span->entry);
            } else if (span->conversation.len == 0) {
                span->conversation = known.len ? known : trace;
            }
        }
    }
}

// --- Order ---------------------------------------------------------------------------------------

static uint64_t time_of(const otel_span *span)
{
    return span->kind == OTEL_TOOL_RUN ? span->end : span->start;
}

static int compare_spans(const void *context, uint32_t a, uint32_t b)
{
    const otel_span *x = (const otel_span *)context + a;
    const otel_span *y = (const otel_span *)context + b;
    int order = lg_str_cmp(x->conversation, y->conversation);
    if (order == 0 && x->agent != y->agent) {
        return x->agent + 1u < y->agent + 1u ? -1 : 1; // who was called comes after the caller
    }
    if (order == 0) {
        order = (time_of(x) > time_of(y)) - (time_of(x) < time_of(y));
    }
    return order ? order : (int)(x->kind == OTEL_TOOL_RUN) - (int)(y->kind == OTEL_TOOL_RUN);
}

// --- One conversation ----------------------------------------------------------------------------

typedef struct group {
    const uint32_t *order; // of its spans
    size_t count;
    size_t silent; // calls of a model of which nothing is told
    const otel_span *first_silent;
    bool any; // some call of a model tells what was said
} group;

static void set_time(lg_importer *imp, uint64_t nanos)
{
    imp->has_time = nanos > 0;
    imp->time = (lg_time){.seconds = (int64_t)(nanos / LG_TIME_NANOS),
                          .nanos = (uint32_t)(nanos % LG_TIME_NANOS)};
}

static lg_str first_word(lg_importer *imp, const lg_json *any)
{
    const lg_json *value = otel_value(imp, any);
    const lg_json *first = lg_json_is(value, LG_JSON_ARRAY) ? lg_json_item(value, 0) : value;
    return lg_json_str(first);
}

static lg_str finish_of(lg_importer *imp, const otel_span *span, const lg_json *output)
{
    lg_str finish = first_word(imp, span->attr[OTEL_FINISH]);
    size_t count = lg_list_len(output);
    const lg_json *last = count ? lg_json_item(output, count - 1) : NULL;
    return finish.len ? finish : lg_json_str(lg_get(last, "finish_reason"));
}

static const lg_json *tools_of(lg_importer *imp, const otel_span *span)
{
    const lg_json *tools = otel_value(imp, span->attr[OTEL_TOOLS]);
    const lg_json *texts = tools ? NULL : otel_value(imp, span->attr[OTEL_AI_TOOLS]);
    size_t count = lg_list_len(texts);
    if (!count) {
        return lg_list_len(tools) ? tools : NULL;
    }
    lg_json *items = LG_NEW_ARRAY(imp->arena, lg_json, count);
    lg_json *list = LG_NEW(imp->arena, lg_json);
    if (!items || !list) {
        lg_importer_fail_oom(imp);
        return NULL;
    }
    size_t made = 0;
    for (size_t i = 0; i < count; i++) { // each is JSON as text
        const lg_json *text = lg_json_item(texts, i);
        const lg_json *tool = text;
        lg_error why;
        if (!lg_json_is(text, LG_JSON_STRING) ||
            lg_importer_parse_inside(imp, lg_json_str(text), text->offset, &tool, &why)) {
            items[made++] = *tool;
        }
    }
    *list = lg_json_make_array(items, made);
    return list;
}

static void read_about(lg_importer *imp, const otel_span *span)
{
    lg_trace *trace = &imp->trace;
    if (trace->model.len == 0) {
        trace->model = otel_text(span->attr[OTEL_MODEL]);
    }
    if (!trace->tools && lg_importer_ok(imp)) {
        trace->tools = tools_of(imp, span);
    }
    if (span->attr[OTEL_RECORDING]) {
        lg_importer_restore(imp, otel_value(imp, span->attr[OTEL_RECORDING]));
    }
    if (!trace->metadata && !span->is_ours) {
        lg_facts facts = {0};
        lg_facts_add(&facts, "service", otel_plain(imp, otel_find(span->resource, "service.name")));
        lg_facts_add(&facts, "provider", otel_plain(imp, span->attr[OTEL_PROVIDER]));
        lg_facts_add(&facts, "agent", otel_plain(imp, span->attr[OTEL_AGENT]));
        trace->metadata = lg_facts_make(imp, &facts);
    }
}

static void read_chat(lg_importer *imp, otel_fold *fold, const otel_span *span, group *g)
{
    const lg_json *input = NULL;
    const lg_json *output = NULL;
    lg_str why = LG_STR("");
    otel_span_messages(imp, span, &input, &output);
    bool failed = otel_span_failed(imp, span, &why);
    set_time(imp, span->is_ours ? 0 : span->start);
    if (input) {
        otel_fold_input(fold, input, span->is_ours);
        g->silent = lg_list_len(input) > 1 ? 0 : g->silent; // it shows what the ones before said
    }
    set_time(imp, span->is_ours ? 0 : span->end);
    if (output) {
        otel_fold_output(fold, output);
    } else if (!failed) {
        g->first_silent = g->silent++ ? g->first_silent : span;
    }
    lg_str finish = finish_of(imp, span, output);
    imp->trace.ended = failed ? LG_STR("error") : finish.len ? finish : imp->trace.ended;
    if (failed) {
        lg_importer_issue(imp, span->value->offset, false, "a call of the model failed: %.*s",
                          LG_FMT(why));
    }
}

static bool tells(const otel_span *span)
{
    const lg_json *events = lg_get(span->value, "events");
    bool any = span->attr[OTEL_INPUT] || span->attr[OTEL_OUTPUT] || span->attr[OTEL_AI_TEXT] ||
               span->attr[OTEL_AI_CALLS] || span->is_numbered;
    for (size_t i = 0; i < lg_list_len(events) && !any; i++) {
        lg_str name = lg_json_str(lg_get(lg_json_item(events, i), "name"));
        any = lg_str_starts(name, LG_STR("gen_ai.")) &&
              (lg_str_ends(name, LG_STR(".message")) || lg_str_ends(name, LG_STR(".choice")));
    }
    return any;
}

static bool is_read(const otel_span *span, const group *g)
{
    bool around = span->kind == OTEL_AGENT_RUN || span->kind == OTEL_AROUND;
    return span->kind == OTEL_CHAT || (around && !g->any && tells(span));
}

// What the exporter could not send is not there.
static void check_dropped(lg_importer *imp, const otel_span *span)
{
    const lg_json *dropped = lg_get(span->value, "droppedAttributesCount");
    int64_t count = 0;
    if (dropped && span->kind != OTEL_OTHER && lg_json_int(dropped, &count) && count > 0) {
        lg_importer_issue(imp, span->value->offset, false,
                          "%lld attributes of this span were dropped when it was recorded",
                          (long long)count);
    }
}

static void read_spans(lg_importer *imp, otel_fold *fold, group *g)
{
    const otel_span *spans = imp->spans->spans;
    for (size_t i = 0; i < g->count; i++) {
        const otel_span *span = &spans[g->order[i]];
        g->any = g->any || (span->kind == OTEL_CHAT && tells(span));
    }
    for (size_t i = 0; i < g->count && lg_importer_ok(imp); i++) {
        const otel_span *span = &spans[g->order[i]];
        check_dropped(imp, span);
        read_about(imp, span);
        if (is_read(span, g)) {
            read_chat(imp, fold, span, g);
        } else if (span->kind == OTEL_TOOL_RUN) {
            set_time(imp, span->is_ours ? 0 : span->end);
            otel_fold_tool(fold, span);
        }
    }
    if (g->silent) {
        lg_importer_issue(imp, g->first_silent->value->offset, true,
                          "%zu call%s of a model without a word of what was said", g->silent,
                          lg_plural(g->silent));
    }
}

static bool has_work(const otel_span *span)
{
    return span->kind == OTEL_CHAT || span->kind == OTEL_TOOL_RUN || tells(span);
}

static void read_group(lg_importer *imp, const uint32_t *order, size_t count, size_t delegated)
{
    const otel_span *spans = imp->spans->spans;
    const otel_span *first = &spans[order[0]];
    group g = {.order = order, .count = count};
    otel_fold fold = {.imp = imp};
    lg_importer_begin(imp, first->value);
    imp->trace.name = first->conversation;
    imp->trace.delegated = delegated;
    if (first->agent != LG_NO_EVENT) {
        lg_str agent = otel_text(spans[first->agent].attr[OTEL_AGENT]);
        agent = agent.len ? agent : lg_json_str(lg_get(spans[first->agent].value, "name"));
        imp->trace.name =
            lg_importer_printf(imp, "%.*s/%.*s", LG_FMT(first->conversation), LG_FMT(agent));
    }
    read_spans(imp, &fold, &g);
    lg_importer_end(imp);
}

static size_t end_of_group(const otel_span *spans, const uint32_t *order, size_t from, size_t count)
{
    size_t end = from + 1;
    while (end < count && spans[order[end]].agent == spans[order[from]].agent &&
           lg_str_eq(spans[order[end]].conversation, spans[order[from]].conversation)) {
        end++;
    }
    return end;
}

// Does anything tell what was done there?
static bool is_in_sight(const otel_span *spans, const uint32_t *order, size_t from, size_t end)
{
    for (size_t i = from; i < end; i++) {
        if (has_work(&spans[order[i]])) {
            return true;
        }
    }
    return false;
}

// Agents that were called from the conversation, and of which no span tells what they did.
static size_t count_delegated(const otel_span *spans, const uint32_t *order, size_t from,
                              size_t count)
{
    size_t out_of_sight = 0;
    lg_str conversation = spans[order[from]].conversation;
    for (size_t i = end_of_group(spans, order, from, count);
         i < count && lg_str_eq(spans[order[i]].conversation, conversation);) {
        size_t end = end_of_group(spans, order, i, count);
        out_of_sight += !is_in_sight(spans, order, i, end);
        i = end;
    }
    return out_of_sight;
}

static void read_groups(lg_importer *imp, const uint32_t *order)
{
    const otel_span *spans = imp->spans->spans;
    size_t count = imp->spans->count;
    for (size_t i = 0; i < count && lg_importer_ok(imp);) {
        size_t end = end_of_group(spans, order, i, count);
        bool main = spans[order[i]].agent == LG_NO_EVENT;
        size_t delegated = main ? count_delegated(spans, order, i, count) : 0;
        bool any = delegated > 0;
        for (size_t k = i; k < end && !any; k++) {
            any = spans[order[k]].kind != OTEL_OTHER;
        }
        if (any && (main || is_in_sight(spans, order, i, end))) {
            read_group(imp, order + i, end - i, delegated);
        }
        i = end;
    }
}

void lg_import_otel_end(lg_importer *imp)
{
    size_t count = imp->spans ? imp->spans->count : 0;
    uint32_t *order = count ? LG_NEW_ARRAY(imp->arena, uint32_t, 2 * count) : NULL;
    if (count == 0) {
        return;
    }
    if (!order) {
        lg_importer_fail_oom(imp);
        return;
    }
    find_parents(imp, order, order + count);
    for (size_t i = 0; i < count; i++) {
        look_up(imp->spans->spans, &imp->spans->spans[i]);
    }
    imp->numbers_turns = true;
    name_conversations(imp, order);
    if (lg_importer_ok(imp)) {
        lg_index_sort(order, order + count, count, compare_spans, imp->spans->spans);
        read_groups(imp, order);
    }
}
