// exchange.c: the state machine: what the host is to do next, and what it has been told.
#include "proxy/exchange_internal.h"

#include "base/alloc.h"
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>

#define SLICE_EVENTS 16u
#define AT_ONCE_BYTES ((size_t)256 << 10)

// --- Ending badly -------------------------------------------------------------------------------

static void add_own_head(lg_exchange *x, uint16_t status)
{
    if (!x->head_sent && !x->head_due) {
        x->head_due = true;
        x->out_status = status;
        x->own_answer = true;
    }
}

void exchange_problem(lg_exchange *x, const char *code, lg_str why)
{
    x->report.problem = lg_str_c(code);
    x->report.why = lg_arena_str(&x->arena, why);
    x->report.why = x->report.why.ptr ? x->report.why : LG_STR("");
}

// In shadow nothing that goes wrong with a request keeps it from anybody: it goes on as it came, and nobody judges what
// comes of it.
static bool goes_on_unjudged(lg_exchange *x, const char *code)
{
    bool asks = x->state == EXCHANGE_READING || x->state == EXCHANGE_FOLDING ||
                x->state == EXCHANGE_COMPOSING;
    if (!exchange_is_shadow(x) || !asks) {
        return false;
    }
    talk_free(x->talk);
    x->talk = NULL;
    x->request = NULL;
    x->state = EXCHANGE_ASKING;
    exchange_problem(x, code, LG_STR(""));
    return true;
}

static void fail_with(lg_exchange *x, uint16_t status, const char *code, lg_str message)
{
    bool begun = x->head_sent || x->head_due;
    if (x->end_due || x->end_sent || goes_on_unjudged(x, code)) {
        return;
    }
    if (!begun || lg_buf_status(&x->out) != LG_OK) { // nothing that waits is of use now
        lg_buf_done(&x->out);
        lg_buf_init_in(&x->out, x->room, sizeof(x->room), 0);
    }
    if (begun && x->stream) {
        lg_chat_stream_error(x->stream, x->o.api, status, lg_str_c(code), message, &x->out);
    } else if (!begun) {
        lg_chat_error(x->o.api, status, lg_str_c(code), message, &x->out);
    }
    // What has begun must not end as if it were whole.
    x->broken = begun && (!x->stream || lg_buf_status(&x->out) != LG_OK);
    if (lg_buf_status(&x->out) != LG_OK) {
        lg_buf_done(&x->out);
        lg_buf_init(&x->out, 0);
    }
    add_own_head(x, status);
    x->end_due = true;
    x->state = EXCHANGE_OVER;
    if (!x->report.problem.len) {
        exchange_problem(x, code, message);
    }
}

void exchange_fail(lg_exchange *x, uint16_t status, const char *code, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    lg_str message = lg_str_vprint(text, sizeof(text), format, args);
    va_end(args);
    exchange_add(x, COUNT_failures, exchange_is_shadow(x)); // nobody judges what comes of it
    fail_with(x, status, code, message);
}

void exchange_fail_oom(lg_exchange *x)
{
    exchange_add(x, COUNT_failures, 1);
    fail_with(x, 503, "ledgergate_memory",
              LG_STR("LedgerGate is out of memory, so nothing of the reply can be let through; "
                     "try again later"));
}

void exchange_note(lg_exchange *x, proxy_number number, note what)
{
    exchange_add(x, number, 1);
    x->notes_seen++;
    x->report.results_refused += number == COUNT_results_refused;
    x->report.results_unjudged += number == COUNT_results_unjudged;
    if (x->note_count < EXCHANGE_NOTES_MAX) {
        what.tool = lg_arena_str(&x->arena, what.tool);
        what.id = lg_arena_str(&x->arena, what.id);
        what.message = lg_arena_str(&x->arena, what.message);
        if (what.tool.ptr && what.id.ptr && what.message.ptr) {
            x->notes[x->note_count++] = what;
            bool first = !x->report.finding_tool.len ||
                         (number == COUNT_results_refused && x->report.results_refused == 1);
            x->report.finding_tool = first ? what.tool : x->report.finding_tool;
        }
    }
}

// --- Lifetime -----------------------------------------------------------------------------------

lg_status lg_exchange_new(const lg_exchange_options *options, lg_exchange **ret_exchange)
{
    lg_exchange *x = lg_zalloc(sizeof(*x));
    if (!x) {
        return LG_ERR_OOM;
    }
    x->o = *options;
    x->o.slice = options->slice ? options->slice : SLICE_EVENTS;
    x->o.at_once = options->at_once ? options->at_once : AT_ONCE_BYTES;
    x->proxy = options->proxy;
    x->home = options->route;
    x->route = options->route;
    route_ref(x->home);
    route_ref(x->route);
    lg_arena_init(&x->arena, x->proxy->limits.document_bytes);
    x->o.principal = lg_arena_str(&x->arena, options->principal);
    lg_buf *bufs[] = {&x->body,  &x->tail.json, &x->rounds,  &x->collected,
                      &x->heard, &x->out,       &x->sending, &x->record};
    for (size_t i = 0; i < LG_COUNT(bufs); i++) {
        bool to_client = bufs[i] == &x->out || bufs[i] == &x->sending; // they change places
        lg_buf_init(bufs[i], to_client ? x->proxy->out_bytes : 0);
    }
    if (!x->o.principal.ptr) {
        lg_exchange_free(x);
        return LG_ERR_OOM;
    }
    x->report.shadow = exchange_is_shadow(x);
    exchange_add(x, COUNT_exchanges, 1);
    if (!x->route->options.pack) {
        exchange_add(x, COUNT_passed, 1);
        x->state = EXCHANGE_ASKING;
    }
    *ret_exchange = x;
    return LG_OK;
}

// The talk waits for the next turn.
static void put_back(lg_exchange *x)
{
    talk *t = x->talk;
    x->talk = NULL;
    if (!t) {
        return;
    }
    bool whole = x->folded && !x->lost && x->request->message_count > 0;
    if (!whole) {
        talk_free(t);
        return;
    }
    t->item.key = key_session(x->proxy, &x->base, &x->last);
    t->item.bytes = talk_bytes(t);
    shelf_put(&x->route->sessions, &t->item);
}

void lg_exchange_free(lg_exchange *x)
{
    if (!x) {
        return;
    }
    lg_exchange_delivered(x, false);
    put_back(x);
    lg_chat_stream_free(x->stream);
    lg_buf *bufs[] = {&x->body,  &x->tail.json, &x->rounds,  &x->collected,
                      &x->heard, &x->out,       &x->sending, &x->record};
    for (size_t i = 0; i < LG_COUNT(bufs); i++) {
        lg_buf_done(bufs[i]);
    }
    hold_done(x);
    lg_arena_done(&x->arena);
    route_unref(x->route);
    route_unref(x->home);
    lg_free(x);
}

void lg_exchange_delivered(lg_exchange *x, bool delivered)
{
    if (!x->settled) {
        x->settled = true;
        judge_outcomes(x, delivered && x->end_sent);
    }
}

void lg_exchange_tell(const lg_exchange *x, lg_exchange_report *ret)
{
    *ret = x->report;
    ret->decision_id = lg_str_c(x->decision_id);
    ret->conversation = lg_str_c(x->conversation);
    ret->model = x->request ? x->request->model : LG_STR("");
    ret->revisions = x->round;
}

// --- What the host is to do ---------------------------------------------------------------------

static void recall(lg_exchange *x);
static void go_on(lg_exchange *x);
static void settle(lg_exchange *x);

// Has all that waits for the client found its place?
lg_status exchange_check_out(const lg_exchange *x, lg_error *reterr)
{
    lg_status status = lg_buf_status(&x->out);
    if (status == LG_ERR_LIMIT) {
        return lg_fail(reterr, status, "it would be more than %zu bytes", x->out.limit_bytes);
    }
    return status == LG_OK ? LG_OK : lg_fail_oom(reterr);
}

static bool has_output(const lg_exchange *x)
{
    return x->out.len > 0 || x->head_due || (x->end_due && !x->end_sent);
}

static lg_exchange_action send_output(lg_exchange *x)
{
    static const lg_http_field own[] = {
        {{"content-type", sizeof("content-type") - 1}, {EXCHANGE_JSON, sizeof(EXCHANGE_JSON) - 1}},
        {{"retry-after", sizeof("retry-after") - 1}, {"1", 1}}};
    LG_ASSERT(!x->end_sent);                         // nothing comes behind the end
    size_t own_count = x->out_status == 503 ? 2 : 1; // the last is for who is to come again
    lg_buf shown = x->sending;
    x->sending = x->out;
    x->out = shown;
    if (x->out.lent) { // the room for an error is in use
        lg_buf_init(&x->out, x->proxy->out_bytes);
    }
    lg_buf_clear(&x->out);
    lg_exchange_action action = {.kind = LG_EXCHANGE_SEND,
                                 .body = lg_buf_str(&x->sending),
                                 .head = x->head_due,
                                 .status = x->out_status,
                                 .fields = x->own_answer ? own : x->fields,
                                 .field_count = x->own_answer ? own_count : x->field_count,
                                 .end = x->end_due,
                                 .broken = x->broken};
    x->head_sent = x->head_sent || x->head_due;
    x->head_due = false;
    x->end_sent = x->end_due;
    return action;
}

static lg_exchange_action ask(lg_exchange *x)
{
    bool gated = x->request != NULL;
    x->state = EXCHANGE_AWAITING;
    return (lg_exchange_action){.kind = LG_EXCHANGE_UPSTREAM,
                                .body = gated ? lg_buf_str(&x->body) : x->o.body,
                                .stream = gated && x->request->stream,
                                .gated = gated,
                                .round = x->round};
}

static bool is_long(const lg_exchange *x)
{
    size_t put_in = x->talk ? x->talk->insert_bytes + x->rounds.len : 0;
    return x->o.body.len + put_in > x->o.at_once;
}

// Reading a body, writing it, judging what stands in it: does the next step go over many bytes? To hand decisions to the
// journal does not, and comes on the loop, where its word is heard.
static bool is_long_step(const lg_exchange *x)
{
    bool of_request = x->state == EXCHANGE_READING || x->state == EXCHANGE_FOLDING ||
                      x->state == EXCHANGE_COMPOSING || x->state == EXCHANGE_RECALLING;
    bool of_reply = x->state == EXCHANGE_REPLIED || x->state == EXCHANGE_RECALLED ||
                    x->state == EXCHANGE_SETTLING;
    return x->state == EXCHANGE_HEARING || (of_request && is_long(x)) ||
           (of_reply && x->reply_bytes > x->o.at_once);
}

// What comes of each step is seen in the state.
static void read_request(lg_exchange *x)
{
    x->report.worked += x->o.body.len;
    if (fold_begin(x) && x->state == EXCHANGE_READING) {
        x->state = EXCHANGE_FOLDING;
    }
}

static void fold(lg_exchange *x)
{
    if (fold_some(x) && x->folded) {
        x->state = EXCHANGE_COMPOSING;
    }
}

static void compose(lg_exchange *x)
{
    if (fold_compose(x)) {
        x->state = EXCHANGE_ASKING;
    }
    x->report.worked += x->body.len;
}

// Does one step of what needs nobody else. False: there is none.
static bool step(lg_exchange *x)
{
    switch (x->state) {
    case EXCHANGE_READING:
        read_request(x);
        return true;
    case EXCHANGE_FOLDING:
        fold(x);
        return true;
    case EXCHANGE_COMPOSING:
        compose(x);
        return true;
    case EXCHANGE_HEARING:
        upstream_hear(x);
        return true;
    case EXCHANGE_REPLIED:
        upstream_read_reply(x);
        return true;
    case EXCHANGE_RECALLING:
        recall(x);
        return true;
    case EXCHANGE_RECALLED:
        go_on(x);
        return true;
    case EXCHANGE_JUDGED:
        x->state = EXCHANGE_SETTLING;
        judge_keep(x);
        return true;
    case EXCHANGE_SETTLING:
        settle(x);
        return true;
    case EXCHANGE_ASKING:
    case EXCHANGE_AWAITING:
    case EXCHANGE_RELAYING:
    case EXCHANGE_PROBLEM:
    case EXCHANGE_COLLECTING:
    case EXCHANGE_STREAMING:
    case EXCHANGE_KEEPING:
    case EXCHANGE_OVER:
        break;
    }
    return false;
}

// One turn of the loop: what is short is done at once. Of what is long the host hears before, once, and it may have been on
// another thread, so that what is short comes in a turn of its own behind it. True: there is more for another turn.
static bool prepare(lg_exchange *x)
{
    bool folded = false, worked = false;
    while (!has_output(x)) {
        bool folds = x->state == EXCHANGE_FOLDING;
        bool longs = is_long_step(x);
        if ((folds && folded) || (longs && !x->told_aside)) {
            x->told_aside = longs;
            return true;
        }
        if (worked && !longs && x->state == EXCHANGE_JUDGED) {
            return true;
        }
        x->told_aside = false;
        if (!step(x)) {
            break;
        }
        folded = folded || folds;
        worked = worked || longs;
    }
    return false;
}

// Of what does not fit, nothing goes: neither is it cut where a client would not see it.
static void fail_out(lg_exchange *x)
{
    lg_error why = {0};
    if (x->end_due) {
        lg_buf_clear(&x->out);
        x->broken = true;
    } else if (exchange_check_out(x, &why) == LG_ERR_OOM) {
        exchange_fail_oom(x);
    } else {
        exchange_fail(x, 502, "ledgergate_reply", "the upstream's reply cannot be passed on: %s",
                      why.msg);
    }
}

lg_exchange_action lg_exchange_next(lg_exchange *x)
{
    if (prepare(x)) {
        return (lg_exchange_action){.kind = LG_EXCHANGE_MORE, .aside = x->told_aside};
    }
    if (lg_buf_status(&x->out) != LG_OK) {
        fail_out(x);
    }
    if (has_output(x)) {
        return send_output(x);
    }
    switch (x->state) {
    case EXCHANGE_READING:
    case EXCHANGE_FOLDING:
    case EXCHANGE_COMPOSING:
    case EXCHANGE_HEARING:
    case EXCHANGE_REPLIED:
    case EXCHANGE_RECALLING:
    case EXCHANGE_RECALLED:
    case EXCHANGE_JUDGED:
    case EXCHANGE_SETTLING:
        return (lg_exchange_action){.kind = LG_EXCHANGE_MORE};
    case EXCHANGE_ASKING:
        return ask(x);
    case EXCHANGE_AWAITING:
    case EXCHANGE_RELAYING:
    case EXCHANGE_PROBLEM:
    case EXCHANGE_COLLECTING:
    case EXCHANGE_STREAMING:
        return (lg_exchange_action){.kind = LG_EXCHANGE_WAIT};
    case EXCHANGE_KEEPING:
        return (lg_exchange_action){.kind = LG_EXCHANGE_WAIT_DURABLE, .token = x->token};
    case EXCHANGE_OVER:
        break;
    }
    return (lg_exchange_action){.kind = LG_EXCHANGE_DONE};
}

// --- What a judged reply leads to ---------------------------------------------------------------

static bool may_ask(const lg_exchange *x)
{
    const lg_proxy_route_options *o = &x->route->options;
    return !x->o.canary && o->mode == LG_PROXY_ENFORCE && o->on_refusal == LG_PROXY_ASK &&
           !x->kept_failed && !x->ruled_out && x->round < o->max_revisions &&
           x->judged_count < EXCHANGE_ROUNDS_MAX;
}

static bool has_block(const round_of *r)
{
    for (size_t i = 0; i < r->reply->call_count; i++) {
        if (!r->calls[i].passes && r->calls[i].verdict == LG_BLOCK) {
            return true;
        }
    }
    for (size_t i = 0; i < r->reply->choice_count; i++) {
        if (!r->texts[i].passes && r->texts[i].verdict == LG_BLOCK) {
            return true;
        }
    }
    return false;
}

static void keep_passed(lg_exchange *x, const lg_chat_reply *reply)
{
    if (!x->stream || lg_proxy_holds_text(x->route)) {
        return;
    }
    lg_str *passed = LG_NEW_ARRAY(&x->arena, lg_str, reply->choice_count);
    for (size_t i = 0; passed && i < reply->choice_count; i++) {
        lg_str before = i < x->passed_count ? x->passed[i] : LG_STR("");
        passed[i] = answer_join(x, before, reply->choices[i].text);
    }
    x->passed = passed;
    x->passed_count = passed ? reply->choice_count : 0;
}

static void ask_again(lg_exchange *x, const round_of *r)
{
    lg_error why;
    x->ruled_out = has_block(r);
    x->removed_before = x->removed;
    x->removed = x->outcome_count;
    keep_passed(x, r->reply);
    if (answer_ask(x, r, &why) != LG_OK) {
        exchange_fail_oom(x);
        return;
    }
    x->round++;
    exchange_add(x, COUNT_revisions, 1);
    x->state = EXCHANGE_COMPOSING;
}

static lg_str first_id(const ruling *rulings, size_t count)
{
    lg_str id = LG_STR("");
    for (size_t i = 0; i < count && !id.len; i++) {
        id = rulings[i].id;
    }
    return id;
}

// The first decision on what is delivered, or on what it came instead of.
static void name_decision(lg_exchange *x)
{
    lg_str id = LG_STR("");
    for (size_t i = x->judged_count; i > 0 && !id.len; i--) {
        const round_of *r = &x->judged[i - 1];
        id = first_id(r->calls, r->reply->call_count);
        id = id.len ? id : first_id(r->texts, r->reply->choice_count);
    }
    snprintf(x->decision_id, sizeof(x->decision_id), "%.*s", LG_FMT(id));
}

// The next turn may come as soon as the client has this one, so the conversation is put back before.
void exchange_end(lg_exchange *x, bool broken)
{
    put_back(x);
    hold_put_back(x);
    hold_rest(x);
    if (!x->head_sent) {
        x->head_due = true;
        x->out_status = x->status;
    }
    x->broken = broken;
    x->end_due = true;
    x->state = EXCHANGE_OVER;
}

// In shadow nothing is kept from the client.
void exchange_pass_as_it_came(lg_exchange *x, bool broken)
{
    if (!x->is_sse) { // a stream has gone on already
        lg_buf_clear(&x->out);
        lg_buf_add(&x->out, lg_buf_str(&x->collected));
    }
    exchange_end(x, broken);
}

static void deliver(lg_exchange *x, const round_of *r)
{
    lg_error why = {0};
    size_t before = x->out.len;
    bool shadow = exchange_is_shadow(x);
    name_decision(x);
    answer_remember(x, r);
    if (shadow) {
        x->answered = true;
        exchange_pass_as_it_came(x, false);
        return;
    }
    lg_status status = answer_write(x, r, &why);
    if (lg_buf_status(&x->out) != LG_OK) {
        status = exchange_check_out(x, &why);
    }
    if (status == LG_OK) {
        x->answered = true;
        exchange_end(x, false);
        return;
    }
    exchange_add(x, COUNT_failures, 1);
    x->out.len = lg_buf_status(&x->out) == LG_OK ? before : x->out.len;
    if (status == LG_ERR_OOM) {
        exchange_fail_oom(x);
    } else {
        exchange_fail(x, 502, "ledgergate_reply", "the upstream's reply cannot be passed on: %s",
                      why.msg);
    }
}

// The round that was judged is settled: asks again, or delivers.
static void settle(lg_exchange *x)
{
    LG_ASSERT(x->judged_count > 0);
    const round_of *r = &x->judged[x->judged_count - 1];
    x->report.worked += x->reply_bytes;
    x->state = EXCHANGE_OVER;
    name_decision(x);
    if (answer_wants_again(r) && may_ask(x)) {
        ask_again(x, r);
        return;
    }
    deliver(x, r);
}

void lg_exchange_durable(lg_exchange *x, uint64_t token, lg_status status)
{
    if (x->state != EXCHANGE_KEEPING || token != x->token) {
        return;
    }
    if (status == LG_OK) {
        talk_logged(x->talk, &x->logged_at);
    } else {
        judge_unkept(x, &x->judged[x->judged_count - 1], lg_str_c(lg_status_text(status)));
    }
    x->state = EXCHANGE_SETTLING;
}

// --- What needs the request again ---------------------------------------------------------------

void exchange_fail_reply(lg_exchange *x, lg_status status, const lg_error *why)
{
    exchange_add(x, COUNT_upstream_cut, status != LG_ERR_OOM);
    if (exchange_is_shadow(x)) {
        exchange_add(x, COUNT_failures, 1);
        exchange_pass_as_it_came(x, false);
    } else if (status == LG_ERR_OOM) {
        exchange_fail_oom(x);
    } else if (x->stream && lg_chat_stream_told_error(x->stream)) { // the client has it
        exchange_end(x, false);
    } else {
        exchange_fail(x, 502, "ledgergate_reply",
                      "the upstream's reply cannot be judged, so no call of it is let through: %s",
                      why->msg);
    }
}

// Reads the request again.
static void recall(lg_exchange *x)
{
    x->report.worked += x->request == &x->resting ? x->o.body.len : 0;
    if (hold_recall(x)) {
        x->state = EXCHANGE_RECALLED;
    } else if (x->awaits) {
        exchange_fail_reply(x, LG_ERR_OOM, NULL);
    } else {
        exchange_fail_oom(x);
    }
}

// What the request was needed for.
static void go_on(lg_exchange *x)
{
    LG_ASSERT(x->state == EXCHANGE_RECALLED && (x->awaits || x->judged_count > 0));
    LG_DEBUG_ASSERT(x->request != &x->resting);
    if (!x->awaits) {
        x->state = EXCHANGE_OVER;
        deliver(x, &x->judged[x->judged_count - 1]);
        return;
    }
    x->report.worked += x->reply_bytes;
    x->state = EXCHANGE_JUDGED;
    if (!judge_reply(x, x->awaits)) {
        exchange_fail_reply(x, LG_ERR_OOM, NULL);
    }
}

void exchange_go_on_with(lg_exchange *x, const lg_chat_reply *reply)
{
    LG_DEBUG_ASSERT(x->request && !x->end_due);
    x->awaits = reply;
    x->state = x->request == &x->resting ? EXCHANGE_RECALLING : EXCHANGE_RECALLED;
}
