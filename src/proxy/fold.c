// fold.c: a request's messages become a session, and what the session says becomes part of the prompt.
//
// The messages are the session: what is remembered is only how far a prefix of exactly these messages has been folded.
// So a changed prefix is another conversation, and turn n costs what is new in it.
#include "proxy/exchange_internal.h"

#include <stdio.h>
#include <stdlib.h>

#define SLICE_BYTES ((size_t)64 << 10)

// --- Events as the session is told them ---------------------------------------------------------

static lg_event shift(const lg_exchange *x, lg_event event, char room[LG_TRACE_ID_BYTES])
{
    event.turn += x->base_messages;
    unsigned long number = event.id.len > 1 ? strtoul(event.id.ptr + 1, NULL, 10) : LG_NO_EVENT;
    if (x->base_events && number < LG_NO_EVENT) { // "#12"
        number += x->base_events;
        int len = snprintf(room, LG_TRACE_ID_BYTES, "#%lu", number);
        event.id = (lg_str){room, (size_t)len};
    }
    return event;
}

// The call that stands in what the request continues, or NULL.
static const talk_call *earlier_call(const lg_exchange *x, const lg_trace_event *event)
{
    bool answers = event->kind == LG_EVENT_RESULT || event->kind == LG_EVENT_ERROR;
    for (size_t i = x->talk ? x->talk->call_count : 0; answers && event->id.len && i > 0; i--) {
        const talk_call *call = &x->talk->calls[i - 1];
        if (lg_str_eq(call->id, event->id)) {
            return call;
        }
    }
    return NULL;
}

lg_event fold_event_at(const lg_exchange *x, size_t index, char room[LG_TRACE_ID_BYTES])
{
    const lg_trace *trace = x->request->conversation;
    const lg_trace_event *recorded = &trace->events[index];
    lg_event event = lg_trace_event_at(trace, index, room);
    const talk_call *call = recorded->other == LG_NO_EVENT ? earlier_call(x, recorded) : NULL;
    if (call) {
        int len = snprintf(room, LG_TRACE_ID_BYTES, "#%u", call->event);
        event.id = (lg_str){room, (size_t)len};
        event.tool = call->tool;
        event.turn += x->base_messages;
        return event;
    }
    return shift(x, event, room);
}

lg_event fold_proposed(const lg_exchange *x, const lg_chat_choice *choice, size_t index,
                       char room[LG_TRACE_ID_BYTES])
{
    return shift(x, lg_chat_proposed(x->request, choice, index, room), room);
}

// --- What is wrong with a request ---------------------------------------------------------------

static bool refuse_request(lg_exchange *x, lg_status status, const lg_error *why)
{
    if (status == LG_ERR_OOM) {
        exchange_fail_oom(x);
    } else {
        exchange_fail(x, status == LG_ERR_LIMIT ? 413 : 400, "ledgergate_request",
                      "the request cannot be read: %s", why->msg);
    }
    return false;
}

// What only the upstream knows or does passes only where the route says so.
static bool check_note(lg_exchange *x, const lg_chat_note *seen)
{
    bool tools = seen->kind == LG_CHAT_BUILT_IN || seen->kind == LG_CHAT_CONTAINER;
    bool shadow = x->route->options.mode == LG_PROXY_SHADOW;
    lg_str id = lg_str_cut(seen->id, 80);
    switch (seen->kind) {
    case LG_CHAT_PREVIOUS_RESPONSE:
        return true;
    case LG_CHAT_BACKGROUND:
        if (shadow) {
            exchange_add(x, COUNT_unseen_history, 1);
            return true;
        }
        exchange_fail(x, 400, "ledgergate_unseen",
                      "`background` is refused: the reply would come later, and unjudged");
        return false;
    case LG_CHAT_BAD_FIELD:
        exchange_fail(x, 400, "ledgergate_request", "`%.*s` is not of its type", LG_FMT(id));
        return false;
    case LG_CHAT_CONVERSATION:
    case LG_CHAT_ITEM_REFERENCE:
    case LG_CHAT_COMPACTION:
    case LG_CHAT_PROMPT:
    case LG_CHAT_CONTAINER:
    case LG_CHAT_BUILT_IN:
        break;
    }
    exchange_add(x, tools ? COUNT_unseen_tools : COUNT_unseen_history, 1);
    if (x->route->options.allow_unseen || shadow) {
        return true;
    }
    exchange_fail(x, 400, "ledgergate_unseen",
                  "`%s` (%.*s) is refused: the upstream would %s. The route can allow it "
                  "(`allow_unseen: true`)",
                  lg_chat_note_name(seen->kind), LG_FMT(id),
                  tools ? "act without showing a call before" : "know a history that is not shown");
    return false;
}

// --- Finding the conversation -------------------------------------------------------------------

// Has the agent said anything in it? A conversation that begins is none of an earlier law, whoever began with the same.
static bool has_begun(const lg_exchange *x)
{
    bool begun = x->is_continued;
    for (size_t i = 0; i < x->request->message_count && !begun; i++) {
        begun = x->request->messages[i].role == LG_ROLE_AGENT;
    }
    return begun;
}

// The longest prefix that is folded already, and by what law.
static talk *take_prefix(lg_exchange *x)
{
    bool earlier = has_begun(x);
    for (size_t count = x->request->message_count; count > 0; count--) {
        lg_hash_digest key = key_session(x->proxy, &x->base, &x->request->messages[count - 1].hash);
        talk *t = route_take(&x->route, &key, earlier);
        if (t) {
            x->message = count;
            return t;
        }
    }
    return NULL;
}

static size_t events_before(const lg_chat_request *request, size_t message)
{
    return message < request->message_count ? request->messages[message].first_event
                                            : request->conversation->count;
}

// From the beginning, and what it continues as well.
static bool begin_cold(lg_exchange *x)
{
    char room[33];
    lg_journal_id scope = {0};
    if (x->proxy->journal) {
        lg_journal_scope(x->proxy->journal, key_hex(&x->scope, room), &scope);
    }
    lg_status status = talk_new(x->route, &scope, &x->talk);
    if (status == LG_OK && x->is_continued) {
        status = continue_load(x);
    }
    if (status == LG_ERR_MISSING) { // an empty ledger: rules that need evidence ask for it
        exchange_add(x, COUNT_unknown_responses, 1);
        x->base = key_session(x->proxy, &x->scope, &x->continues);
        x->base_messages = 0;
        x->base_events = 0;
        x->is_continued = false;
        status = LG_OK;
    }
    if (status != LG_OK) {
        exchange_fail_oom(x);
    }
    return status == LG_OK;
}

static bool find_talk(lg_exchange *x)
{
    const lg_chat_request *request = x->request;
    x->talk = take_prefix(x);
    if (!x->talk && x->is_continued) {
        x->talk = continue_take(x);
    }
    exchange_add(x, x->talk ? COUNT_folds_warm : COUNT_folds_cold, 1);
    if (!x->talk && !begin_cold(x)) {
        return false;
    }
    x->event = events_before(request, x->message);
    if (!x->route->options.pack->fixed_clock) {
        lg_session_set_time(x->talk->session, x->o.now);
        if (!talk_add_clock(x->talk, x->o.now)) {
            exchange_fail_oom(x);
            return false;
        }
    }
    return true;
}

// By what the log calls it: the first that a user has said in it.
static void name_conversation(lg_exchange *x)
{
    const lg_chat_request *request = x->request;
    if (x->conversation[0] || request->message_count == 0) {
        return; // it continues one that has its name
    }
    size_t first = 0;
    while (first + 1 < request->message_count && request->messages[first].role != LG_ROLE_USER) {
        first++;
    }
    lg_hash_digest key = key_session(x->proxy, &x->scope, &request->messages[first].hash);
    (void)key_hex(&key, x->conversation);
}

static bool check_request(lg_exchange *x)
{
    for (size_t i = 0; i < x->request->note_count; i++) {
        if (!check_note(x, &x->request->notes[i])) {
            return false;
        }
    }
    return true;
}

static bool find_continued(lg_exchange *x)
{
    const lg_proxy_route_options *o = &x->route->options;
    for (size_t i = 0; i < x->request->note_count; i++) {
        const lg_chat_note *seen = &x->request->notes[i];
        if (seen->kind != LG_CHAT_PREVIOUS_RESPONSE) {
            continue;
        }
        if (!continue_find(x, seen->id)) {
            exchange_fail_oom(x);
            return false;
        }
        bool guarded = o->shares_upstream && !o->allow_unseen && o->mode == LG_PROXY_ENFORCE;
        if (!x->is_continued && guarded) {
            exchange_fail(x, 400, "previous_response_not_found",
                          "`previous_response_id` names no response that LedgerGate has given to "
                          "you and still knows: send the whole conversation as `input`");
            return false;
        }
    }
    return true;
}

bool fold_begin(lg_exchange *x)
{
    lg_error why = {0};
    x->scope = key_scope(x->route, x->o.principal);
    lg_status status = hold_read(x, &why);
    if (status != LG_OK) {
        return refuse_request(x, status, &why);
    }
    if (!check_request(x)) {
        return false;
    }
    x->base = x->scope;
    if (!find_continued(x) || !find_talk(x)) {
        return false;
    }
    name_conversation(x);
    return true;
}

// --- Folding ------------------------------------------------------------------------------------

static bool said_of(const lg_exchange *x, size_t message, lg_hash_digest *ret)
{
    const lg_chat_message *messages = x->request->messages;
    const lg_trace *trace = x->request->conversation;
    key_said said;
    key_said_begin(&said, x->proxy, &x->base, message ? &messages[message - 1].hash : NULL);
    for (size_t i = 0; i < messages[message].event_count; i++) {
        const lg_trace_event *event = &trace->events[messages[message].first_event + i];
        if (event->kind == LG_EVENT_MESSAGE) {
            key_said_text(&said, event->text);
        } else if (event->kind == LG_EVENT_CALL) {
            key_said_call(&said, event);
        }
    }
    return key_said_end(&said, ret);
}

// What is still to be told of the agent's last message. False: out of memory.
static bool write_feedback(lg_exchange *x, bool commit, prompt_text *out)
{
    lg_buf feedback;
    lg_buf_init(&feedback, 0);
    if (x->talk->has_said && shelf_get_text(&x->proxy->feedback, &x->talk->said, &feedback)) {
        exchange_add(x, COUNT_feedback_joined, !commit);
        prompt_add(out, lg_buf_str(&feedback));
    }
    bool fine = lg_buf_status(&feedback) == LG_OK;
    lg_buf_done(&feedback);
    return fine;
}

// What stands behind the first `count` messages: the feedback, and the ledger.
static lg_status write_tail(lg_exchange *x, size_t count, bool commit, prompt_text *out,
                            lg_error *reterr)
{
    char room[33];
    bool marked = x->route->options.block == LG_PROXY_BLOCK_APPEND && count;
    lg_str mark = marked ? key_mark(x->proxy, &x->base, &x->request->messages[count - 1].hash, room)
                         : LG_STR("");
    return write_feedback(x, commit, out)
               ? block_write(x->route, x->talk, mark, commit, out, reterr)
               : lg_fail_oom(reterr);
}

static bool is_agents(const lg_exchange *x, size_t message)
{
    return x->request->messages[message].role == LG_ROLE_AGENT;
}

static lg_chat_place tail_place(const lg_exchange *x)
{
    return x->route->options.block_as_system ? LG_CHAT_SYSTEM : LG_CHAT_TEXT;
}

// A prompt ended before the agent spoke here, and what stood at its end stays there.
static lg_status keep_tail(lg_exchange *x, size_t message, lg_error *reterr)
{
    bool append = x->route->options.block == LG_PROXY_BLOCK_APPEND;
    if (!append || message == 0 || is_agents(x, message - 1)) {
        return LG_OK;
    }
    prompt_clear(&x->tail);
    lg_status status = write_tail(x, message, true, &x->tail, reterr);
    lg_chat_insert insert = {tail_place(x), x->base_messages + (uint32_t)message - 1,
                             lg_buf_str(&x->tail.json), x->tail.plain_bytes};
    if (status == LG_OK && x->tail.json.len > 0 && !talk_insert(x->talk, &insert)) {
        status = LG_ERR_OOM;
    }
    return status;
}

static lg_status keep_hidden(lg_exchange *x, size_t message)
{
    lg_buf rounds;
    lg_buf_init(&rounds, 0);
    bool found = message > 0 && shelf_get_text(&x->proxy->hidden, &x->talk->said, &rounds);
    lg_chat_insert insert = {LG_CHAT_AFTER, x->base_messages + (uint32_t)message - 1,
                             lg_buf_str(&rounds), 0};
    bool kept = !found || (lg_buf_status(&rounds) == LG_OK && talk_insert(x->talk, &insert));
    exchange_add(x, COUNT_hidden_rounds, found);
    lg_buf_done(&rounds);
    return kept ? LG_OK : LG_ERR_OOM;
}

static lg_status enter_message(lg_exchange *x, size_t message, lg_error *reterr)
{
    if (!is_agents(x, message)) {
        return LG_OK;
    }
    lg_status status = keep_tail(x, message, reterr);
    if (status != LG_OK || !said_of(x, message, &x->talk->said)) {
        return LG_ERR_OOM;
    }
    x->talk->has_said = true;
    return keep_hidden(x, message);
}

// Was the call judged here, and allowed? Of writes alone: nothing else is judged by its tool.
static bool check_result(lg_exchange *x, const lg_trace_event *call)
{
    const lg_tool *tool = lg_pack_tool(x->route->options.pack, call->tool);
    if (!tool || tool->kind != LG_TOOL_WRITE || tool->by_user || call->role != LG_ROLE_AGENT) {
        return true;
    }
    lg_hash_digest key;
    char room[2];
    lg_buf word;
    lg_buf_init_in(&word, room, sizeof(room), 0);
    if (!key_call(x->proxy, &x->scope, call, &key)) {
        return false;
    }
    bool known = shelf_get_text(&x->proxy->judged, &key, &word);
    bool refused = known && lg_str_eq(lg_buf_str(&word), LG_STR("r"));
    lg_buf_done(&word);
    if (known && !refused) {
        return true;
    }
    exchange_note(x, refused ? COUNT_results_refused : COUNT_results_unjudged,
                  (note){.kind = refused ? "result_of_refused" : "result_never_judged",
                         .past_gate = true,
                         .tool = call->tool,
                         .id = call->id,
                         .message = refused
                                        ? LG_STR("the conversation has a result of this call, "
                                                 "which was refused: something makes calls "
                                                 "past the gate")
                                        : LG_STR("the conversation has a result of this call, "
                                                 "which was never judged here: it came past the "
                                                 "gate, or from before its memory")});
    return true;
}

// False: out of memory.
static bool note_found(lg_exchange *x)
{
    size_t count;
    const lg_finding *found = lg_found(x->talk->session, &count);
    x->notes_seen += count;
    for (size_t i = 0; i < count && x->note_count < EXCHANGE_NOTES_MAX; i++) {
        lg_str rule = lg_arena_str(&x->arena, found[i].rule);
        lg_str message = lg_arena_str(&x->arena, found[i].message);
        if (!rule.ptr || !message.ptr) {
            return false;
        }
        x->notes[x->note_count++] =
            (note){.kind = "rule", .id = rule, .tool = LG_STR(""), .message = message};
    }
    return true;
}

static bool observe(lg_exchange *x, const lg_event *event)
{
    lg_observed observed;
    lg_error why = {0};
    lg_status status = lg_observe(x->talk->session, event, &observed, &why);
    x->talk->events++;
    exchange_add(x, COUNT_events, 1);
    if (status == LG_ERR_OOM) {
        exchange_fail_oom(x);
        return false;
    }
    if (status == LG_ERR_LIMIT && !x->lost) { // from here on nothing gated is decided
        x->lost = true;
        x->notes_seen++;
        exchange_add(x, COUNT_failures, 1);
        x->notes[x->note_count < EXCHANGE_NOTES_MAX ? x->note_count++ : EXCHANGE_NOTES_MAX - 1] =
            (note){.kind = "not_followed",
                   .tool = LG_STR(""),
                   .id = LG_STR(""),
                   .message = lg_arena_printf(&x->arena, "%s", why.msg)};
    }
    if (status == LG_OK && !note_found(x)) {
        exchange_fail_oom(x);
        return false;
    }
    return true;
}

static bool fold_event(lg_exchange *x, size_t index)
{
    const lg_trace *trace = x->request->conversation;
    const lg_trace_event *recorded = &trace->events[index];
    char room[LG_TRACE_ID_BYTES];
    bool answers = recorded->kind == LG_EVENT_RESULT || recorded->kind == LG_EVENT_ERROR;
    lg_event event = fold_event_at(x, index, room);
    if (answers && recorded->other == LG_NO_EVENT && !earlier_call(x, recorded)) {
        x->talk->events++; // an answer to no call, which nobody observes; its number is its own
        return true;
    }
    if (answers && recorded->other != LG_NO_EVENT &&
        !check_result(x, &trace->events[recorded->other])) {
        exchange_fail_oom(x);
        return false;
    }
    return observe(x, &event);
}

// The bytes that an event takes to read.
static size_t weight(const lg_event *event)
{
    return event->text.len + event->args.len + 64;
}

// What the request continues, as far as the slice goes.
static bool fold_before(lg_exchange *x, size_t *events, size_t *bytes)
{
    while (x->before_told < x->before_count && *events < x->o.slice && *bytes < SLICE_BYTES) {
        const lg_event *event = &x->before[x->before_told++];
        *bytes += weight(event);
        ++*events;
        if (!observe(x, event)) {
            return false;
        }
    }
    return true;
}

static bool fold_messages(lg_exchange *x, size_t *events, size_t *bytes)
{
    const lg_chat_request *request = x->request;
    lg_error why = {0};
    while (x->message < request->message_count && *events < x->o.slice && *bytes < SLICE_BYTES) {
        const lg_chat_message *message = &request->messages[x->message];
        if (!x->entered && enter_message(x, x->message, &why) != LG_OK) {
            exchange_fail_oom(x);
            return false;
        }
        if (!x->entered && is_agents(x, x->message)) {
            *bytes += x->tail.json.len; // a block was written
        }
        x->entered = true;
        size_t end = message->first_event + message->event_count;
        for (; x->event < end && *events < x->o.slice && *bytes < SLICE_BYTES; x->event++) {
            const lg_trace_event *event = &request->conversation->events[x->event];
            *bytes += event->text.len + 64;
            ++*events;
            if (!fold_event(x, x->event)) {
                return false;
            }
        }
        if (x->event == end) {
            x->message++;
            x->entered = false;
        }
    }
    return true;
}

bool fold_some(lg_exchange *x)
{
    size_t events = 0;
    size_t bytes = 0;
    bool fine = fold_before(x, &events, &bytes) &&
                (x->before_told < x->before_count || fold_messages(x, &events, &bytes));
    x->report.worked += bytes;
    if (!fine) {
        return false;
    }
    x->folded = x->before_told == x->before_count && x->message == x->request->message_count;
    return true;
}

// --- The prompt ---------------------------------------------------------------------------------

static lg_status add_tail(lg_exchange *x, lg_error *reterr)
{
    prompt_clear(&x->tail);
    return write_tail(x, x->request->message_count, false, &x->tail, reterr);
}

// What stands in the messages that the request shows; what it continues, the upstream has.
static size_t list_inserts(const lg_exchange *x, lg_chat_insert *inserts)
{
    const talk *t = x->talk;
    size_t count = 0;
    for (size_t i = 0; i < t->insert_count; i++) {
        if (t->inserts[i].at >= x->base_messages) {
            inserts[count] = t->inserts[i];
            inserts[count++].at -= x->base_messages;
        }
    }
    uint32_t last = (uint32_t)x->request->message_count - 1;
    if (x->owing.len) {
        inserts[count++] = (lg_chat_insert){LG_CHAT_AFTER, 0, x->owing, 0};
    }
    if (x->tail.json.len) {
        inserts[count++] =
            (lg_chat_insert){tail_place(x), last, lg_buf_str(&x->tail.json), x->tail.plain_bytes};
    }
    if (x->rounds.len) {
        inserts[count++] = (lg_chat_insert){LG_CHAT_AFTER, last, lg_buf_str(&x->rounds), 0};
    }
    return count;
}

static void count_block(lg_exchange *x, const lg_chat_insert *inserts, size_t count)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        bool text = inserts[i].place == LG_CHAT_TEXT || inserts[i].place == LG_CHAT_SYSTEM;
        bytes += text ? inserts[i].plain_bytes : 0;
    }
    x->report.block_bytes += bytes;
    exchange_add(x, COUNT_block_bytes, bytes);
    exchange_add(x, COUNT_block_tokens, (bytes + 3) / 4);
}

bool fold_compose(lg_exchange *x)
{
    lg_error why = {0};
    lg_status status = x->round == 0 ? add_tail(x, &why) : LG_OK;
    lg_buf_clear(&x->body);
    bool listed = x->request->message_count > 0;
    lg_chat_insert *inserts = LG_NEW_ARRAY(&x->arena, lg_chat_insert, x->talk->insert_count + 4);
    if (status != LG_OK || !inserts) {
        exchange_fail_oom(x);
        return false;
    }
    size_t count = listed ? list_inserts(x, inserts) : 0;
    if (x->previous.len) {
        inserts[count++] = (lg_chat_insert){LG_CHAT_PREVIOUS, 0, x->previous, 0};
    }
    count_block(x, inserts, count);
    status = lg_chat_compose(x->request, inserts, count, &x->body, &why);
    if (status == LG_OK && lg_buf_status(&x->body) == LG_OK) {
        hold_rest(x);
        return true;
    }
    if (status == LG_OK || status == LG_ERR_OOM) {
        exchange_fail_oom(x);
    } else {
        exchange_fail(x, 500, "ledgergate_request", "the request cannot be written: %s", why.msg);
    }
    return false;
}
