// answer.c: what the model is told of what was refused, and what the client gets.
#include "proxy/exchange_internal.h"

#include "json/writer.h"

// --- What is left of a choice -------------------------------------------------------------------

static size_t passing(const round_of *r, size_t choice, size_t first, size_t *ret_refused)
{
    size_t passes = 0;
    for (size_t i = 0; i < r->reply->choices[choice].call_count; i++) {
        passes += r->calls[first + i].passes;
    }
    *ret_refused = r->reply->choices[choice].call_count - passes;
    return passes;
}

// Something was refused, and no call is left.
static bool is_left_empty(const round_of *r, size_t choice, size_t first)
{
    size_t refused;
    size_t passes = passing(r, choice, first, &refused);
    return passes == 0 && (refused > 0 || !r->texts[choice].passes);
}

bool answer_wants_again(const round_of *r)
{
    size_t first = 0;
    bool all = r->reply->choice_count > 0;
    for (size_t c = 0; c < r->reply->choice_count; c++) {
        all = all && is_left_empty(r, c, first);
        first += r->reply->choices[c].call_count;
    }
    return all;
}

// --- What the model is told ---------------------------------------------------------------------

static void add_feedback(lg_buf *out, const ruling *r, const char *what)
{
    if (r->passes) {
        lg_buf_addf(out,
                    "LedgerGate has not made %s, because the others of the message were refused.",
                    what);
        return;
    }
    lg_buf_addf(out, "LedgerGate has refused %s, and nothing was done. ", what);
    lg_buf_add(out, r->message);
    if (r->verdict == LG_BLOCK) {
        lg_buf_add_c(out, " It is ruled out: do not try it again, and tell the user that it cannot "
                          "be done.");
    }
}

static lg_str feedback_on(lg_exchange *x, const ruling *r, const char *what, lg_error *reterr)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    add_feedback(&text, r, what);
    lg_str kept = {NULL, 0};
    if (lg_buf_status(&text) == LG_OK) {
        kept = lg_arena_str(&x->arena, lg_buf_str(&text));
    }
    lg_buf_done(&text);
    if (!kept.ptr) {
        (void)lg_fail_oom(reterr);
    }
    return kept;
}

lg_str answer_feedback(lg_exchange *x, const ruling *one)
{
    lg_error why;
    lg_str text = feedback_on(x, one, "this call", &why);
    return text.ptr ? text : LG_STR("refused");
}

// On call `index`; behind the last one stands what there is to say of the message's words, which has no place of its own.
static lg_str feedback_at(lg_exchange *x, const round_of *r, size_t index, lg_error *reterr)
{
    size_t calls = r->reply->choices[0].call_count;
    if (!calls) {
        return feedback_on(x, &r->texts[0], "this message", reterr);
    }
    lg_str on_call = feedback_on(x, &r->calls[index], "this call", reterr);
    if (index + 1 < calls || r->texts[0].passes || !on_call.ptr) {
        return on_call;
    }
    lg_str on_text = feedback_on(x, &r->texts[0], "what the message says", reterr);
    return on_text.ptr
               ? lg_arena_printf(&x->arena, "%.*s\n\n%.*s", LG_FMT(on_call), LG_FMT(on_text))
               : on_text;
}

lg_status answer_ask(lg_exchange *x, const round_of *r, lg_error *reterr)
{
    size_t calls = r->reply->choices[0].call_count;
    size_t count = calls ? calls : 1;
    lg_str *feedback = LG_NEW_ARRAY(&x->arena, lg_str, count);
    if (!feedback) {
        return lg_fail_oom(reterr);
    }
    for (size_t i = 0; i < count; i++) {
        feedback[i] = feedback_at(x, r, i, reterr);
        if (!feedback[i].ptr) {
            return lg_fail_oom(reterr);
        }
    }
    if (x->rounds.len) {
        lg_buf_add_c(&x->rounds, ",");
    }
    lg_status status = lg_chat_ask_again(r->reply, 0, feedback, count, &x->rounds, reterr);
    return status == LG_OK && lg_buf_status(&x->rounds) != LG_OK ? lg_fail_oom(reterr) : status;
}

// --- What the client is told --------------------------------------------------------------------

// In place of what was refused, if nothing else is left of the message: for whoever reads it.
static bool write_refusal(lg_exchange *x, const round_of *r, size_t choice, size_t first,
                          lg_str *ret)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_buf_add_c(&text, "This was not done, because it was refused.");
    for (size_t i = 0; i < r->reply->choices[choice].call_count; i++) {
        const ruling *one = &r->calls[first + i];
        if (!one->passes) {
            bool named = one->report.len && !one->host; // a decision names the tool itself
            lg_str tool = named ? LG_STR("") : r->reply->calls[first + i].tool;
            lg_buf_addf(&text, "\n%.*s%s%.*s", LG_FMT(tool), tool.len ? ": " : "",
                        LG_FMT(one->message));
        }
    }
    if (!r->texts[choice].passes) {
        lg_buf_addf(&text, "\n%.*s", LG_FMT(r->texts[choice].message));
    }
    if (x->unrevised.len) {
        lg_buf_addf(&text, "\n%.*s", LG_FMT(x->unrevised));
    }
    *ret = (lg_str){NULL, 0};
    if (lg_buf_status(&text) == LG_OK) {
        *ret = lg_arena_str(&x->arena, lg_buf_str(&text));
    }
    lg_buf_done(&text);
    return ret->ptr != NULL;
}

static void write_decision(lg_json_writer *w, const round_of *r, size_t round, bool delivered,
                           uint32_t choice, const lg_chat_call *call, const ruling *one)
{
    lg_jw_begin_object(w);
    if (one->id.len) { // else it is kept nowhere
        lg_jw_member_str(w, "id", one->id);
    }
    lg_jw_member_uint(w, "round", round);
    lg_jw_member_uint(w, "choice", r->reply->choices[choice].index);
    lg_jw_member_str(w, call ? "call" : "message", call ? call->id : LG_STR(""));
    if (call) {
        lg_jw_member_str(w, "tool", call->tool);
    }
    lg_jw_member_c(w, "verdict", lg_verdict_name(one->verdict));
    lg_jw_member_bool(w, "delivered", delivered && one->passes);
    if (one->shadowed) {
        lg_jw_member_bool(w, "shadow", true);
    }
    lg_jw_key(w, "rules");
    lg_buf_add(w->out, one->rules.len ? one->rules : LG_STR("[]"));
    w->need_comma = true;
    if (one->message.len) {
        lg_jw_key(w, one->passes ? "would_say" : "text"); // what passes was not refused
        lg_jw_str(w, one->message);
    }
    if (one->report.len) {
        lg_jw_key(w, "decision");
        lg_buf_add(w->out, one->report);
        w->need_comma = true;
    }
    lg_jw_end_object(w);
}

static void write_round(lg_json_writer *w, const round_of *r, size_t round, bool delivered)
{
    for (size_t i = 0; i < r->reply->choice_count; i++) {
        if (r->texts[i].judged) {
            write_decision(w, r, round, delivered, (uint32_t)i, NULL, &r->texts[i]);
        }
    }
    for (size_t i = 0; i < r->reply->call_count; i++) {
        const lg_chat_call *call = &r->reply->calls[i];
        if (r->calls[i].judged || !r->calls[i].passes) {
            write_decision(w, r, round, delivered, call->choice, call, &r->calls[i]);
        }
    }
}

static void write_notes(const lg_exchange *x, lg_json_writer *w)
{
    lg_jw_key(w, "findings");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < x->note_count; i++) {
        const note *n = &x->notes[i];
        lg_jw_begin_object(w);
        lg_jw_member_c(w, "kind", n->kind);
        if (n->tool.len) {
            lg_jw_member_str(w, "tool", n->tool);
        }
        lg_jw_member_str(w, "id", n->id);
        lg_jw_member_str(w, "text", n->message);
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}

static void write_field(const lg_exchange *x, lg_buf *out)
{
    lg_json_writer w = {.out = out};
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "decisions");
    lg_jw_begin_array(&w);
    for (size_t i = 0; i < x->judged_count; i++) {
        write_round(&w, &x->judged[i], i, i + 1 == x->judged_count);
    }
    lg_jw_end_array(&w);
    lg_jw_member_uint(&w, "revisions", x->round);
    if (x->note_count) {
        write_notes(x, &w);
    }
    if (x->notes_seen > x->note_count) {
        lg_jw_member_uint(&w, "findings_left_out", x->notes_seen - x->note_count);
    }
    if (x->report.problem.len) {
        lg_jw_member_str(&w, "problem", x->report.problem);
    }
    lg_jw_end_object(&w);
}

// --- The reply ----------------------------------------------------------------------------------

// What the client gets of a choice.
typedef struct delivery {
    bool empty;    // something was refused, and no call is left
    bool drop;     // what the model has said does not go on
    lg_str spoken; // in its place; or empty
    lg_str text;   // all that the client has of it
} delivery;

lg_str answer_join(lg_exchange *x, lg_str text, lg_str behind)
{
    lg_str gap = text.len && behind.len ? lg_chat_stream_gap(x->o.api) : LG_STR("");
    return lg_arena_printf(&x->arena, "%.*s%.*s%.*s", LG_FMT(text), LG_FMT(gap), LG_FMT(behind));
}

static bool has_text(const lg_exchange *x, const round_of *r, size_t choice, lg_str *ret)
{
    bool streamed = x->stream && !lg_proxy_holds_text(x->route) && !x->report.shadow;
    lg_str before = streamed && choice < x->passed_count ? x->passed[choice] : LG_STR("");
    *ret = r->reply->choices[choice].text;
    return streamed && (before.len || ret->len);
}

// A message whose calls were all refused, and which was asked for again in vain, says something that did not happen:
// the refusal stands in its place, or behind it if it has gone on already.
static bool plan_delivery(lg_exchange *x, const round_of *r, size_t choice, size_t first,
                          delivery *ret)
{
    lg_str text;
    bool gone_on = has_text(x, r, choice, &text);
    lg_str before = choice < x->passed_count ? x->passed[choice] : LG_STR("");
    *ret = (delivery){.empty = is_left_empty(r, choice, first), .spoken = LG_STR("")};
    bool asks = x->route->options.on_refusal == LG_PROXY_ASK;
    ret->drop = (ret->empty && asks) || !r->texts[choice].passes;
    if (ret->empty && !write_refusal(x, r, choice, first, &ret->spoken)) {
        return false;
    }
    if (gone_on) {
        lg_str behind = ret->drop ? ret->spoken : LG_STR("");
        ret->text = answer_join(x, answer_join(x, before, text), behind);
    } else {
        ret->text = ret->drop ? LG_STR("") : text;
        ret->text = ret->empty && !ret->text.len ? ret->spoken : ret->text;
    }
    return ret->text.ptr != NULL;
}

static bool write_ruling(lg_exchange *x, const round_of *r, lg_chat_ruling *ret)
{
    const lg_chat_reply *reply = r->reply;
    bool *allowed = LG_NEW_ARRAY(&x->arena, bool, reply->call_count);
    lg_chat_choice_ruling *choices =
        LG_NEW_ARRAY(&x->arena, lg_chat_choice_ruling, reply->choice_count);
    const lg_json **usage = LG_NEW_ARRAY(&x->arena, const lg_json *, x->judged_count);
    if (!allowed || !choices || !usage) {
        return false;
    }
    size_t first = 0;
    for (size_t c = 0; c < reply->choice_count; c++) {
        delivery d;
        if (!plan_delivery(x, r, c, first, &d)) {
            return false;
        }
        choices[c] = (lg_chat_choice_ruling){.drop_text = d.drop, .if_nothing = d.spoken};
        exchange_add(x, COUNT_gave_up, d.empty);
        first += reply->choices[c].call_count;
    }
    for (size_t i = 0; i < reply->call_count; i++) {
        allowed[i] = r->calls[i].passes;
    }
    *ret = (lg_chat_ruling){.allowed = allowed, .choices = choices, .earlier_usage = usage};
    for (size_t i = 0; i + 1 < x->judged_count; i++) {
        usage[ret->earlier_count] = x->judged[i].reply->usage;
        ret->earlier_count += x->judged[i].reply->usage != NULL;
    }
    return true;
}

lg_status answer_write(lg_exchange *x, const round_of *r, lg_error *reterr)
{
    lg_chat_ruling plan;
    lg_buf field;
    lg_buf_init(&field, 0);
    write_field(x, &field);
    bool made = write_ruling(x, r, &plan) && lg_buf_status(&field) == LG_OK;
    plan.field = lg_buf_str(&field);
    lg_status status = made ? LG_OK : lg_fail_oom(reterr);
    if (made) {
        status = x->is_sse ? lg_chat_stream_finish(x->stream, &plan, &x->out, reterr)
                           : lg_chat_rewrite(r->reply, &plan, &x->out, reterr);
    }
    lg_buf_done(&field);
    return status == LG_OK && lg_buf_status(&x->out) != LG_OK ? lg_fail_oom(reterr) : status;
}

// --- What is remembered -------------------------------------------------------------------------

// As a recording would have it; NULL: it is no call that could be recorded.
static const lg_trace_event *event_of(const lg_chat_reply *reply, size_t call)
{
    const lg_chat_choice *choice = &reply->choices[reply->calls[call].choice];
    uint32_t event = reply->calls[call].event;
    return event < choice->event_count ? &choice->events[event] : NULL;
}

static bool said_now(lg_exchange *x, const round_of *r, size_t choice, size_t first,
                     const delivery *d, lg_hash_digest *ret)
{
    const lg_chat_request *request = x->request;
    const lg_chat_choice *c = &r->reply->choices[choice];
    key_said said;
    key_said_begin(&said, x->proxy, &x->base, request->message_count ? &x->last : NULL);
    key_said_text(&said, d->text);
    for (size_t i = 0; i < c->call_count; i++) {
        const lg_trace_event *event = event_of(r->reply, first + i);
        if (r->calls[first + i].passes && event) {
            key_said_call(&said, event);
        }
    }
    return key_said_end(&said, ret);
}

// What a model has written stands in the prompt as one string, so that it ends no block of ours and begins none.
static void add_quoted(lg_buf *out, lg_str text)
{
    lg_json_writer w = {.out = out};
    lg_jw_str(&w, text);
}

static void keep_feedback(lg_exchange *x, const round_of *r, size_t choice, size_t first,
                          const lg_hash_digest *said)
{
    lg_buf text;
    size_t refused = 0;
    lg_buf_init(&text, 0);
    for (size_t i = 0; i < r->reply->choices[choice].call_count; i++) {
        const ruling *one = &r->calls[first + i];
        const lg_chat_call *call = &r->reply->calls[first + i];
        if (!one->passes) {
            refused++;
            lg_buf_add_c(&text, "\n\n[LedgerGate, not written by the user: your call of ");
            add_quoted(&text, call->tool);
            lg_buf_add_c(&text, " with ");
            add_quoted(&text, lg_str_cut(call->args, 400));
            lg_buf_add_c(&text, " was taken out of your last message. ");
            add_feedback(&text, one, "it");
            lg_buf_add_c(&text, "]\n");
        }
    }
    if (!r->texts[choice].passes) {
        refused++;
        lg_buf_add_c(&text, "\n\n[LedgerGate, not written by the user: ");
        add_feedback(&text, &r->texts[choice], "what you said last");
        lg_buf_add_c(&text, "]\n");
    }
    if (refused && lg_buf_status(&text) == LG_OK) {
        bool kept = shelf_put_text(&x->proxy->feedback, said, lg_buf_str(&text));
        exchange_add(x, COUNT_feedback_kept, kept ? refused : 0);
    }
    lg_buf_done(&text);
}

// Signed reasoning is bound to the messages before it, so what stood there stays there.
static bool has_reasoning(const lg_exchange *x)
{
    const char *list = x->o.api == LG_CHAT_MESSAGES ? "content" : "output";
    for (size_t r = 0; r < x->judged_count && x->o.api != LG_CHAT_COMPLETIONS; r++) {
        const lg_json *items = lg_json_get(x->judged[r].reply->root, lg_str_c(list));
        for (size_t i = 0; i < lg_json_len(items); i++) {
            lg_str type = lg_json_str(lg_json_get(lg_json_item(items, i), LG_STR("type")));
            if (lg_str_eq(type, LG_STR("thinking")) || lg_str_eq(type, LG_STR("reasoning")) ||
                lg_str_eq(type, LG_STR("redacted_thinking"))) {
                return true;
            }
        }
    }
    return false;
}

static void keep_calls(lg_exchange *x, const round_of *r)
{
    for (size_t i = 0; i < r->reply->call_count; i++) {
        const lg_trace_event *event = event_of(r->reply, i);
        const ruling *one = &r->calls[i];
        lg_hash_digest key;
        if (event && (one->judged || !one->passes) && key_call(x->proxy, &x->scope, event, &key)) {
            (void)shelf_put_text(&x->proxy->judged, &key, one->passes ? LG_STR("a") : LG_STR("r"));
        }
    }
}

void answer_remember(lg_exchange *x, const round_of *r)
{
    size_t first = 0;
    bool hidden = x->rounds.len && has_reasoning(x);
    for (size_t i = 0; i < x->judged_count; i++) {
        keep_calls(x, &x->judged[i]);
    }
    for (size_t c = 0; c < r->reply->choice_count; c++) {
        delivery d;
        lg_hash_digest said;
        if (plan_delivery(x, r, c, first, &d) && said_now(x, r, c, first, &d, &said)) {
            keep_feedback(x, r, c, first, &said);
            if (hidden) {
                (void)shelf_put_text(&x->proxy->hidden, &said, lg_buf_str(&x->rounds));
            }
            if (c == 0) {
                continue_keep(x, r, d.text, &said);
            }
        }
        first += r->reply->choices[c].call_count;
    }
}
