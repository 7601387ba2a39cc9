// continue.c: Responses that the upstream keeps: a request that names one shows only what is new.
//
// What is remembered under a response's id is what its exchange has added to the conversation: the request's events,
// and the reply as it was delivered; with it stands what that one continued. So a conversation is kept once, and
// is folded again from the beginning where its session is gone.
//
// A record is bytes of this process alone: fixed parts first, then events and calls, each text behind its length.
#include "proxy/exchange_internal.h"
#include "json/writer.h"

#include <stdio.h>

typedef struct record_head {
    lg_hash_digest talk;   // the session of the request, without the reply
    lg_hash_digest base;   // what a request that continues it begins with
    lg_hash_digest said;   // the reply
    lg_hash_digest parent; // what it continued itself
    bool has_parent;
    char conversation[33];
    uint32_t messages; // up to its end, from the beginning of the conversation
    uint32_t events;   // likewise
    uint32_t own;      // of these, its own: they follow
    uint32_t of_reply; // of these the last ones
    uint32_t calls;    // of the reply: they follow behind the events, and behind them
    bool owes;         // there are items that answer its refused calls, which the upstream has kept
} record_head;

// --- Bytes --------------------------------------------------------------------------------------

static void put_bytes(lg_buf *out, const void *bytes, size_t size_bytes)
{
    lg_buf_add(out, (lg_str){bytes, size_bytes});
}

static void put_str(lg_buf *out, lg_str text)
{
    put_bytes(out, &text.len, sizeof(text.len));
    lg_buf_add(out, text);
}

static void take_bytes(lg_str *from, void *to, size_t size_bytes)
{
    LG_ASSERT(from->len >= size_bytes); // nobody else writes records
    lg_copy_bytes(to, from->ptr, size_bytes);
    *from = lg_str_slice(*from, size_bytes, from->len);
}

static lg_str take_str(lg_str *from)
{
    size_t len;
    take_bytes(from, &len, sizeof(len));
    LG_ASSERT(from->len >= len);
    lg_str text = lg_str_slice(*from, 0, len);
    *from = lg_str_slice(*from, len, from->len);
    return text;
}

enum { ARGS_AS_TEXT, ARGS_READ, ARGS_AS_VALUE };

typedef struct event_head {
    lg_event_kind kind;
    lg_role role;
    uint32_t turn;
    int args;
} event_head;

static void put_event(lg_buf *out, const lg_event *event)
{
    event_head head = {.kind = event->kind,
                       .role = event->role,
                       .turn = event->turn,
                       .args = !event->json      ? ARGS_AS_TEXT
                               : event->args.len ? ARGS_READ
                                                 : ARGS_AS_VALUE};
    put_bytes(out, &head, sizeof(head));
    put_str(out, event->id);
    put_str(out, event->tool);
    if (head.args == ARGS_AS_VALUE) {
        lg_buf value;
        lg_buf_init(&value, 0);
        lg_json_print(&value, event->json);
        out->status = lg_buf_status(&value) == LG_OK ? out->status : LG_ERR_OOM;
        put_str(out, lg_buf_str(&value));
        lg_buf_done(&value);
    } else {
        put_str(out, event->args);
    }
    put_str(out, event->text);
}

// Borrows the record.
static lg_status take_event(lg_arena *arena, lg_str *from, lg_event *ret)
{
    event_head head;
    take_bytes(from, &head, sizeof(head));
    *ret = (lg_event){.kind = head.kind, .role = head.role, .has_turn = true, .turn = head.turn};
    ret->id = take_str(from);
    ret->tool = take_str(from);
    ret->args = take_str(from);
    ret->text = take_str(from);
    if (head.args == ARGS_AS_TEXT) {
        return LG_OK;
    }
    lg_status status = lg_json_parse_in(arena, ret->args, 0, ret->args.len, NULL, &ret->json, NULL);
    ret->args = head.args == ARGS_AS_VALUE ? LG_STR("") : ret->args;
    return status;
}

// --- Finding ------------------------------------------------------------------------------------

static lg_str open_record(const lg_buf *record, record_head *ret)
{
    lg_str rest = lg_buf_str(record);
    take_bytes(&rest, ret, sizeof(*ret));
    return rest;
}

// What stands behind calls and events: what is owed, then the upstream's own id. It differs from the one that the client
// has where the upstream was asked again after a stream had begun.
static void take_rest(lg_exchange *x, lg_str rest, const record_head *head, lg_str id)
{
    event_head event;
    for (uint32_t i = 0; i < head->own; i++) {
        take_bytes(&rest, &event, sizeof(event));
        for (int part = 0; part < 4; part++) {
            (void)take_str(&rest);
        }
    }
    for (uint32_t i = 0; i < head->calls; i++) {
        uint32_t number;
        take_bytes(&rest, &number, sizeof(number));
        (void)take_str(&rest);
        (void)take_str(&rest);
    }
    lg_str owing = take_str(&rest);
    lg_str own = take_str(&rest);
    x->owing = head->owes ? owing : LG_STR("");
    x->previous = lg_str_eq(own, id) ? LG_STR("") : own;
}

bool continue_find(lg_exchange *x, lg_str id)
{
    record_head head;
    x->continues = key_response(x->proxy, &x->scope, id);
    lg_buf_clear(&x->record);
    if (!shelf_get_text(&x->proxy->responses, &x->continues, &x->record)) {
        exchange_add(x, COUNT_unknown_responses, 1);
        x->base = key_session(x->proxy, &x->scope, &x->continues);
        return true;
    }
    if (lg_buf_status(&x->record) != LG_OK) {
        return false;
    }
    lg_str rest = open_record(&x->record, &head);
    x->is_continued = true;
    take_rest(x, rest, &head, id);
    x->base = head.base;
    x->base_messages = head.messages;
    x->base_events = head.events;
    memcpy(x->conversation, head.conversation, sizeof(x->conversation));
    return true;
}

// --- Loading ------------------------------------------------------------------------------------

static lg_status take_calls(lg_str *from, uint32_t count, talk *t)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t event;
        take_bytes(from, &event, sizeof(event));
        lg_str id = take_str(from);
        lg_str tool = take_str(from);
        if (!talk_add_call(t, id, tool, event)) {
            return LG_ERR_OOM;
        }
    }
    return LG_OK;
}

// The record's own events, to where they stand in the whole, and the calls of its reply.
static lg_status take_own(lg_exchange *x, const lg_buf *record, lg_event *all, talk *t)
{
    record_head head;
    lg_str text = lg_arena_str(&x->arena, lg_buf_str(record));
    lg_status status = text.ptr ? LG_OK : LG_ERR_OOM;
    lg_buf kept = {.ptr = (char *)(uintptr_t)text.ptr, .len = text.len};
    lg_str rest = status == LG_OK ? open_record(&kept, &head) : text;
    for (uint32_t i = 0; status == LG_OK && i < head.own; i++) {
        status = take_event(&x->arena, &rest, &all[head.events - head.own + i]);
    }
    return status == LG_OK ? take_calls(&rest, head.calls, t) : status;
}

lg_status continue_load(lg_exchange *x)
{
    lg_event *all = LG_NEW_ARRAY(&x->arena, lg_event, x->base_events);
    lg_buf record;
    lg_buf_init(&record, 0);
    lg_buf_add(&record, lg_buf_str(&x->record));
    lg_status status = all && lg_buf_status(&record) == LG_OK ? LG_OK : LG_ERR_OOM;
    for (bool more = true; status == LG_OK && more;) {
        record_head head;
        (void)open_record(&record, &head);
        status = take_own(x, &record, all, x->talk);
        more = head.has_parent;
        if (status == LG_OK && more) {
            lg_buf_clear(&record);
            bool there = shelf_get_text(&x->proxy->responses, &head.parent, &record);
            status = !there ? LG_ERR_MISSING : lg_buf_status(&record);
        }
    }
    lg_buf_done(&record);
    if (status == LG_OK) {
        record_head head;
        (void)open_record(&x->record, &head);
        x->before = all;
        x->before_count = x->base_events;
        x->talk->has_said = !head.owes; // or it is told twice
        x->talk->said = head.said;
    }
    return status;
}

talk *continue_take(lg_exchange *x)
{
    record_head head;
    (void)open_record(&x->record, &head);
    talk *t = route_take(&x->route, &head.talk, true);
    if (!t) {
        return NULL;
    }
    lg_event *all = LG_NEW_ARRAY(&x->arena, lg_event, head.events);
    bool fits = t->events == head.events - head.of_reply;
    if (!fits || !all || take_own(x, &x->record, all, t) != LG_OK) {
        talk_free(t); // it is folded again
        return NULL;
    }
    x->before = all + (head.events - head.of_reply);
    x->before_count = head.of_reply;
    t->has_said = !head.owes;
    t->said = head.said;
    return t;
}

// --- Keeping ------------------------------------------------------------------------------------

// The reply as the client has it, in the ids and turns of the conversation.
static uint32_t put_reply(lg_exchange *x, const round_of *r, lg_str text, lg_buf *out,
                          lg_buf *calls, uint32_t *ret_calls)
{
    const lg_chat_choice *choice = &r->reply->choices[0];
    uint32_t count = 0;
    uint32_t turn = x->base_messages + x->request->next_turn;
    if (text.len) {
        put_event(out, &(lg_event){.kind = LG_EVENT_MESSAGE,
                                   .role = LG_ROLE_AGENT,
                                   .has_turn = true,
                                   .turn = turn,
                                   .text = text});
        count++;
    }
    for (size_t i = 0; i < choice->call_count; i++) {
        const lg_chat_call *call = &r->reply->calls[i];
        char room[LG_TRACE_ID_BYTES];
        char own[LG_TRACE_ID_BYTES];
        if (!r->calls[i].passes || call->event >= choice->event_count) {
            continue;
        }
        uint32_t number = x->talk->events + count;
        lg_event event = fold_proposed(x, choice, call->event, room);
        int len = snprintf(own, sizeof(own), "#%u", number);
        event.id = (lg_str){own, (size_t)len};
        put_event(out, &event);
        put_bytes(calls, &number, sizeof(number));
        put_str(calls, call->id);
        put_str(calls, event.tool);
        count++;
        ++*ret_calls;
    }
    return count;
}

// The upstream has kept the refused calls with the reply, and wants an answer to each.
static bool put_owing(lg_exchange *x, const round_of *r, lg_buf *out)
{
    lg_buf items;
    lg_buf_init(&items, 0);
    for (size_t i = 0; i < r->reply->call_count; i++) {
        const lg_chat_call *call = &r->reply->calls[i];
        bool custom = lg_str_eq(call->kind, LG_STR("custom_tool_call"));
        bool known = custom || lg_str_eq(call->kind, LG_STR("function_call"));
        if (r->calls[i].passes || !known) {
            continue;
        }
        lg_buf_add_c(&items, items.len ? "," : "");
        lg_json_writer w = {.out = &items};
        lg_jw_begin_object(&w);
        lg_jw_member_c(&w, "type", custom ? "custom_tool_call_output" : "function_call_output");
        lg_jw_member_str(&w, "call_id", call->id);
        lg_jw_member_str(&w, "output", answer_feedback(x, &r->calls[i]));
        lg_jw_end_object(&w);
    }
    bool owes = items.len > 0;
    out->status = lg_buf_status(&items) == LG_OK ? out->status : LG_ERR_OOM;
    put_str(out, lg_buf_str(&items));
    lg_buf_done(&items);
    return owes;
}

static void put_request(const lg_exchange *x, lg_buf *out)
{
    for (size_t i = 0; i < x->request->conversation->count; i++) {
        char room[LG_TRACE_ID_BYTES];
        lg_event event = fold_event_at(x, i, room);
        put_event(out, &event);
    }
}

void continue_keep(lg_exchange *x, const round_of *r, lg_str text, const lg_hash_digest *said)
{
    const lg_chat_request *request = x->request;
    bool keeps = x->o.api == LG_CHAT_RESPONSES && r->reply->id.len && r->reply->choice_count == 1 &&
                 request->message_count && x->talk && !x->lost;
    if (!keeps) {
        return;
    }
    lg_buf parts[3]; // all, events, calls
    for (size_t i = 0; i < LG_COUNT(parts); i++) {
        lg_buf_init(&parts[i], 0);
    }
    record_head head = {.said = *said, .parent = x->continues, .has_parent = x->is_continued};
    head.talk = key_session(x->proxy, &x->base, &x->last);
    head.base = key_session(x->proxy, &head.talk, said);
    memcpy(head.conversation, x->conversation, sizeof(head.conversation));
    put_request(x, &parts[1]);
    head.of_reply = put_reply(x, r, text, &parts[1], &parts[2], &head.calls);
    head.owes = put_owing(x, r, &parts[2]);
    put_str(&parts[2], r->reply->id);
    head.messages = x->base_messages + request->next_turn + 1;
    head.own = (uint32_t)request->conversation->count + head.of_reply;
    head.events = x->base_events + head.own;
    put_bytes(&parts[0], &head, sizeof(head));
    lg_buf_add(&parts[0], lg_buf_str(&parts[1]));
    lg_buf_add(&parts[0], lg_buf_str(&parts[2]));
    bool made = true;
    for (size_t i = 0; i < LG_COUNT(parts); i++) {
        made = made && lg_buf_status(&parts[i]) == LG_OK;
    }
    if (made) { // else it is not known later, which refuses what needs evidence
        lg_str told = x->is_sse ? lg_chat_stream_id(x->stream) : LG_STR("");
        told = told.len ? told : r->reply->id;
        lg_hash_digest key = key_response(x->proxy, &x->scope, told);
        (void)shelf_put_text(&x->proxy->responses, &key, lg_buf_str(&parts[0]));
    }
    for (size_t i = 0; i < LG_COUNT(parts); i++) {
        lg_buf_done(&parts[i]);
    }
}
