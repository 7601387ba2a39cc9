// exchange.c: the state machine: what the host is to do next, and what it has been told.
#include "proxy/exchange_internal.h"

#include "base/alloc.h"
#include "base/str.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

#define SLICE_EVENTS 16u
#define AT_ONCE_BYTES ((size_t)256 << 10)
#define FIELDS_MAX 64u
#define PROBLEM_BYTES ((size_t)256 << 10)
#define QUOTED_BYTES 300u
#define FIELD_BYTES_MAX 8192u

// Of what is judged. A client that minds a charset has to read what was read here: the upstream's own word, which may
// name any other, does not go on.
#define TYPE_JSON "application/json; charset=utf-8"
#define TYPE_EVENTS "text/event-stream; charset=utf-8"

static bool is_shadow(const lg_exchange *x)
{
    return x->route->options.mode == LG_PROXY_SHADOW;
}

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
    if (!is_shadow(x) || !asks) {
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
    int len = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    size_t shown = len < 0 ? 0 : (size_t)len < sizeof(text) ? (size_t)len : sizeof(text) - 1;
    exchange_add(x, COUNT_failures, is_shadow(x)); // nobody judges what comes of it
    fail_with(x, status, code, (lg_str){text, shown});
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

// Are there calls that do not pass? Else what the upstream says goes on as it is.
static bool is_gated(const lg_exchange *x)
{
    return x->route->options.pack && !is_shadow(x);
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
    lg_buf *bufs[] = {&x->body, &x->tail,    &x->rounds, &x->collected,
                      &x->out,  &x->sending, &x->record};
    for (size_t i = 0; i < LG_COUNT(bufs); i++) {
        bool to_client = bufs[i] == &x->out || bufs[i] == &x->sending; // they change places
        lg_buf_init(bufs[i], to_client ? x->proxy->out_bytes : 0);
    }
    if (!x->o.principal.ptr) {
        lg_exchange_free(x);
        return LG_ERR_OOM;
    }
    x->report.shadow = is_shadow(x);
    exchange_add(x, COUNT_exchanges, 1);
    if (!x->route->options.pack) {
        exchange_add(x, COUNT_passed, 1);
        x->state = EXCHANGE_ASKING;
    }
    *ret_exchange = x;
    return LG_OK;
}

void exchange_put_back(lg_exchange *x)
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
    exchange_put_back(x);
    lg_chat_stream_free(x->stream);
    lg_buf *bufs[] = {&x->body, &x->tail,    &x->rounds, &x->collected,
                      &x->out,  &x->sending, &x->record};
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

// Has all that waits for the client found its place?
static lg_status check_out(const lg_exchange *x, lg_error *reterr)
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
        {{"content-type", sizeof("content-type") - 1}, {TYPE_JSON, sizeof(TYPE_JSON) - 1}},
        {{"retry-after", sizeof("retry-after") - 1}, {"1", 1}}};
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

// Reading a body, and writing it, go over all of it. The host hears of it before, once, if it is long.
static bool goes_aside(lg_exchange *x)
{
    x->told_aside = !x->told_aside && is_long(x);
    return x->told_aside;
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

// One turn of the loop: what is short is done at once. True: there is more for another turn.
static bool prepare(lg_exchange *x)
{
    bool sliced = false;
    while (!has_output(x)) {
        bool writes = x->state == EXCHANGE_COMPOSING;
        if (x->state == EXCHANGE_FOLDING) {
            if (sliced) {
                return true;
            }
            sliced = true;
            fold(x);
        } else if (x->state == EXCHANGE_RECALLED) {
            go_on(x);
        } else if (!writes && x->state != EXCHANGE_READING && x->state != EXCHANGE_RECALLING) {
            break;
        } else if (goes_aside(x)) {
            return true;
        } else if (writes) {
            compose(x);
        } else if (x->state == EXCHANGE_RECALLING) {
            recall(x);
            return true;
        } else {
            read_request(x);
            sliced = is_long(x); // that was enough for a turn
        }
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
    } else if (check_out(x, &why) == LG_ERR_OOM) {
        exchange_fail_oom(x);
    } else {
        exchange_fail(x, 502, "ledgergate_reply", "the upstream's reply cannot be passed on: %s",
                      why.msg);
    }
}

lg_exchange_action lg_exchange_next(lg_exchange *x)
{
    if (prepare(x)) {
        bool aside = is_long(x) && x->state != EXCHANGE_RECALLED; // which goes on on the loop
        return (lg_exchange_action){.kind = LG_EXCHANGE_MORE, .aside = aside};
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
    case EXCHANGE_RECALLING:
    case EXCHANGE_RECALLED:
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
static void end_out(lg_exchange *x, bool broken)
{
    exchange_put_back(x);
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
static void pass_as_it_came(lg_exchange *x, bool broken)
{
    if (!x->is_sse) { // a stream has gone on already
        lg_buf_clear(&x->out);
        lg_buf_add(&x->out, lg_buf_str(&x->collected));
    }
    end_out(x, broken);
}

static void deliver(lg_exchange *x, const round_of *r)
{
    lg_error why = {0};
    size_t before = x->out.len;
    bool shadow = is_shadow(x);
    name_decision(x);
    answer_remember(x, r);
    if (shadow) {
        x->answered = true;
        pass_as_it_came(x, false);
        return;
    }
    lg_status status = answer_write(x, r, &why);
    if (lg_buf_status(&x->out) != LG_OK) {
        status = check_out(x, &why);
    }
    if (status == LG_OK) {
        x->answered = true;
        end_out(x, false);
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

void exchange_settle(lg_exchange *x)
{
    const round_of *r = &x->judged[x->judged_count - 1];
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
    exchange_settle(x);
}

// --- What comes from the upstream ---------------------------------------------------------------

static bool is_field(lg_str name, const char *wanted)
{
    size_t len = strlen(wanted);
    bool same = name.len == len;
    for (size_t i = 0; i < len && same; i++) {
        char c = name.ptr[i];
        same = (c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c) == wanted[i];
    }
    return same;
}

static bool is_one_of(lg_str name, const char *const *names, size_t count)
{
    bool is = false;
    for (size_t i = 0; i < count && !is; i++) {
        is = is_field(name, names[i]);
    }
    return is;
}

// Of the connection alone.
static bool stays_here(lg_str name)
{
    static const char *const names[] = {"connection",
                                        "keep-alive",
                                        "proxy-authenticate",
                                        "proxy-connection",
                                        "te",
                                        "trailer",
                                        "upgrade",
                                        "transfer-encoding",
                                        "content-length",
                                        "proxy-authorization"};
    return is_one_of(name, names, LG_COUNT(names));
}

// Of bytes, which are others behind us where they were judged.
static bool is_of_bytes(lg_str name)
{
    static const char *const names[] = {"content-encoding", "content-md5", "etag",
                                        "accept-ranges",    "digest",      "content-digest",
                                        "repr-digest",      "signature",   "signature-input"};
    return is_one_of(name, names, LG_COUNT(names));
}

// What we say by them is ours alone to say.
static bool is_ours(lg_str name)
{
    static const lg_str prefix = {"x-ledgergate-", sizeof("x-ledgergate-") - 1};
    return is_field(lg_str_slice(name, 0, prefix.len), prefix.ptr);
}

// Where a client would go on by itself, past the gate.
static bool leads_away(lg_str name)
{
    return is_field(name, "location") || is_field(name, "refresh") || is_field(name, "alt-svc");
}

static lg_str find_field(const lg_http_field *fields, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (is_field(fields[i].name, name)) {
            return lg_str_trim(fields[i].value);
        }
    }
    return LG_STR("");
}

// How the body is coded, if it is; empty: it can be read.
static lg_str find_coding(const lg_http_field *fields, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        lg_str value = lg_str_trim(fields[i].value);
        if (is_field(fields[i].name, "content-encoding") && value.len &&
            !is_field(value, "identity")) {
            return value;
        }
    }
    return LG_STR("");
}

// False: out of memory. Where bytes go on as they are, so does what is said of them.
static bool copy_fields(lg_exchange *x, const lg_http_field *fields, size_t count, bool as_it_is)
{
    x->field_count = 0;
    x->fields = LG_NEW_ARRAY(&x->arena, lg_http_field, FIELDS_MAX + 1); // and the type
    for (size_t i = 0; x->fields && i < count && x->field_count < FIELDS_MAX; i++) {
        bool other = !as_it_is && is_of_bytes(fields[i].name);
        bool is_type = is_field(fields[i].name, "content-type");
        if (stays_here(fields[i].name) || other || is_ours(fields[i].name) ||
            (is_gated(x) && (is_type || leads_away(fields[i].name))) ||
            fields[i].name.len + fields[i].value.len > FIELD_BYTES_MAX) {
            continue;
        }
        lg_http_field *kept = &x->fields[x->field_count++];
        kept->name = lg_arena_str(&x->arena, fields[i].name);
        kept->value = lg_arena_str(&x->arena, fields[i].value);
        if (!kept->name.ptr || !kept->value.ptr) {
            return false;
        }
    }
    return x->fields != NULL;
}

// Clients follow a redirect by themselves: the next reply would come from there, and nobody would judge it. What a client
// makes of a status that is none, nobody knows.
static bool refuse_status(lg_exchange *x, uint16_t status)
{
    bool redirects = status >= 300 && status < 400;
    if (!is_gated(x) || (status >= 200 && status < 600 && !redirects)) {
        return false;
    }
    exchange_add(x, COUNT_upstream_errors, redirects); // the others are counted
    if (redirects) {
        exchange_fail(x, 502, "ledgergate_redirect",
                      "the upstream answers with a redirect (%u), which would lead past "
                      "LedgerGate, so it is not passed on: set the upstream's `url` to where it "
                      "leads",
                      status);
    } else {
        exchange_fail(x, 502, "ledgergate_reply",
                      "the upstream answers with the status %u, which is none, so it is not passed "
                      "on",
                      status);
    }
    return true;
}

// Says what the body is, which was judged or is written anew.
static void add_type(lg_exchange *x, lg_str type)
{
    x->fields[x->field_count++] = (lg_http_field){LG_STR("content-type"), type};
}

// What stands there instead of an error in the API's own form: a page of a proxy, a line. JSON is not quoted: it is what
// clients look through.
static void describe_problem(const lg_exchange *x, lg_str body, lg_buf *text)
{
    lg_str begin = lg_str_trim(lg_str_cut(body, QUOTED_BYTES));
    bool json = lg_str_starts(begin, LG_STR("{")) || lg_str_starts(begin, LG_STR("["));
    lg_buf_addf(text, "the upstream answered with status %u", x->status);
    if (x->coding.len) {
        lg_buf_addf(text, ", coded as %.*s", LG_FMT(lg_str_cut(x->coding, 40)));
    } else if (json) {
        lg_buf_add_c(text, ", and with JSON that tells of no error");
    } else {
        lg_buf_add_c(text, ": ");
        lg_utf8_add_printable(text, begin);
        lg_buf_add_c(text, body.len > QUOTED_BYTES ? "..." : "");
    }
}

// What an upstream says that is no success goes on in its words alone: there are clients that act on what stands beside
// them.
static void end_problem(lg_exchange *x)
{
    lg_str body = lg_buf_str(&x->collected);
    lg_buf text;
    lg_buf_init(&text, 0);
    bool told =
        body.len == 0 ||
        (!x->coding.len && lg_chat_error_again(x->o.api, body, &x->proxy->chat_limits, &x->out));
    if (!told) {
        describe_problem(x, body, &text);
        lg_chat_error(x->o.api, x->status, LG_STR("upstream_error"), lg_buf_str(&text), &x->out);
    }
    bool made = lg_buf_status(&text) == LG_OK && lg_buf_status(&x->collected) == LG_OK &&
                lg_buf_status(&x->out) == LG_OK;
    lg_buf_done(&text);
    if (made) {
        end_out(x, false);
    } else {
        exchange_fail_oom(x);
    }
}

static void relay(lg_exchange *x)
{
    x->head_due = true;
    x->out_status = x->status;
    x->state = EXCHANGE_RELAYING;
}

// Of a stream: the first one is begun, a later one goes on in it.
static bool begin_stream(lg_exchange *x)
{
    if (x->stream) {
        lg_chat_stream_again(x->stream);
        return true;
    }
    lg_chat_options options = {.limits = x->proxy->chat_limits,
                               .pass_unknown = x->route->options.allow_unseen,
                               .hold_text = lg_proxy_holds_text(x->route)};
    return lg_chat_stream_new(&x->arena, x->o.api, &options, &x->stream, NULL) == LG_OK;
}

static void go_on_with_request(lg_exchange *x, const lg_chat_reply *reply);

// The answer to a revision is no reply. What the client has of a stream already ends with the reply that there is,
// without its calls, and says why it was not asked for a better one: `status`, or 0: nothing that could be read.
static void end_without_revision(lg_exchange *x, uint16_t status)
{
    x->unrevised = LG_STR("The model was asked again, and the upstream did not answer.");
    if (status) {
        x->unrevised = lg_arena_printf(
            &x->arena, "The model was asked again, and the upstream answered with status %u.",
            status);
    }
    x->report.problem = LG_STR("ledgergate_upstream");
    x->removed = x->removed_before;
    go_on_with_request(x, NULL);
}

// The upstream's word on its reply, as far as it goes on. False: out of memory.
static bool take_head(lg_exchange *x, uint16_t status, const lg_http_field *fields, size_t count,
                      bool sse)
{
    x->status = status;
    if (!copy_fields(x, fields, count, !x->request || !is_gated(x))) {
        return false;
    }
    if (x->request && is_gated(x)) {
        add_type(x, sse ? LG_STR(TYPE_EVENTS) : LG_STR(TYPE_JSON));
    }
    return true;
}

// What nobody could read, because it is coded: in shadow it goes on unread.
static void refuse_coding(lg_exchange *x, lg_str coding)
{
    exchange_add(x, COUNT_upstream_cut, 1);
    if (is_shadow(x)) {
        exchange_add(x, COUNT_failures, 1);
        relay(x);
        return;
    }
    exchange_fail(x, 502, "ledgergate_reply",
                  "the upstream's reply is coded as %.*s, although nobody asked for it, and "
                  "cannot be judged",
                  LG_FMT(lg_str_cut(coding, 40)));
}

static void begin_reply(lg_exchange *x, bool sse)
{
    x->is_sse = sse;
    lg_buf_clear(&x->collected);
    if (!sse || begin_stream(x)) {
        x->state = sse ? EXCHANGE_STREAMING : EXCHANGE_COLLECTING;
    } else if (is_shadow(x)) {
        exchange_add(x, COUNT_failures, 1);
        relay(x);
    } else {
        exchange_fail_oom(x);
    }
}

void lg_exchange_upstream_head(lg_exchange *x, uint16_t status, const lg_http_field *fields,
                               size_t field_count)
{
    static const lg_str events = {"text/event-stream", 17};
    if (x->state != EXCHANGE_AWAITING) {
        return;
    }
    bool begun = x->head_sent || x->head_due;
    bool fine = status >= 200 && status < 300;
    lg_str type = find_field(fields, field_count, "content-type");
    bool sse = fine && is_field(lg_str_slice(type, 0, events.len), events.ptr);
    lg_str coding = find_coding(fields, field_count);
    exchange_add(x, COUNT_upstream_errors, status >= 400);
    if (begun && (!fine || (!sse && !coding.len))) {
        end_without_revision(x, fine ? 0 : status);
    } else if (refuse_status(x, status)) {
        return;
    } else if (!begun && !take_head(x, status, fields, field_count, sse)) {
        exchange_fail_oom(x);
    } else if (!x->request || (!fine && !is_gated(x))) {
        relay(x);
    } else if (!fine) {
        x->coding = lg_arena_str(&x->arena, coding);
        lg_buf_clear(&x->collected);
        x->state = EXCHANGE_PROBLEM;
    } else if (coding.len) {
        refuse_coding(x, coding);
    } else {
        begin_reply(x, sse);
    }
}

static void fail_reply(lg_exchange *x, lg_status status, const lg_error *why)
{
    exchange_add(x, COUNT_upstream_cut, status != LG_ERR_OOM);
    if (is_shadow(x)) {
        exchange_add(x, COUNT_failures, 1);
        pass_as_it_came(x, false);
    } else if (status == LG_ERR_OOM) {
        exchange_fail_oom(x);
    } else if (x->stream && lg_chat_stream_told_error(x->stream)) { // the client has it
        end_out(x, false);
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
        fail_reply(x, LG_ERR_OOM, NULL);
    } else {
        exchange_fail_oom(x);
    }
}

// What the request was needed for. On the loop: what is decided here, the log tells of there.
static void go_on(lg_exchange *x)
{
    if (!x->awaits) {
        x->state = EXCHANGE_OVER;
        deliver(x, &x->judged[x->judged_count - 1]);
    } else if (!judge_reply(x, x->awaits)) {
        fail_reply(x, LG_ERR_OOM, NULL);
    } else if (x->state != EXCHANGE_KEEPING) {
        exchange_settle(x);
    }
}

// What needs the request as it was read. A long one is not read again here, where the host waits for it.
static void go_on_with_request(lg_exchange *x, const lg_chat_reply *reply)
{
    bool waits = x->request == &x->resting && is_long(x);
    x->awaits = reply;
    x->state = EXCHANGE_RECALLING;
    if (!waits) {
        recall(x);
    }
    if (x->state == EXCHANGE_RECALLED) {
        go_on(x);
    }
}

// Tools that the upstream has run by itself: nobody has judged that. True: the reply is refused.
static bool refuse_acted(lg_exchange *x, const lg_chat_reply *reply)
{
    const lg_chat_seen *acted = NULL;
    for (size_t i = 0; i < reply->seen_count && !acted; i++) {
        acted = reply->seen[i].kind == LG_CHAT_ACTED ? &reply->seen[i] : NULL;
    }
    exchange_add(x, COUNT_unseen_tools, acted != NULL);
    if (!acted || !is_gated(x) || x->route->options.allow_unseen) {
        return false;
    }
    exchange_fail(x, 502, "ledgergate_unseen",
                  "the upstream has run a tool by itself (%.*s), without showing a call before, so "
                  "the reply is refused. The route can allow it (`allow_unseen: true`)",
                  LG_FMT(lg_str_cut(acted->type, 80)));
    return true;
}

static void judge(lg_exchange *x, const lg_chat_reply *reply)
{
    if (refuse_acted(x, reply)) {
        return;
    }
    go_on_with_request(x, reply);
}

// In shadow the bytes go on as they came, and what would have become of them goes nowhere.
static lg_buf *stream_out(lg_exchange *x)
{
    if (!is_shadow(x)) {
        return &x->out;
    }
    lg_buf_clear(&x->collected);
    return &x->collected;
}

static void end_stream(lg_exchange *x)
{
    const lg_chat_reply *reply;
    lg_error why = {0};
    lg_status status = lg_chat_stream_end(x->stream, stream_out(x), &reply, &why);
    if (status != LG_OK) {
        fail_reply(x, status, &why);
        return;
    }
    judge(x, reply);
}

static void take_events(lg_exchange *x, lg_str bytes)
{
    lg_error why = {0};
    size_t before = x->out.len;
    if (is_shadow(x)) {
        lg_buf_add(&x->out, bytes);
    }
    lg_status status = lg_chat_stream_feed(x->stream, bytes, stream_out(x), &why);
    if (x->out.len > before && !x->head_sent) {
        x->head_due = true;
        x->out_status = x->status;
    }
    if (lg_buf_status(&x->out) != LG_OK) {
        status = check_out(x, &why);
    }
    if (status != LG_OK && is_shadow(x)) { // nobody judges it any more, and it goes on
        exchange_add(x, COUNT_failures, 1);
        x->state = EXCHANGE_RELAYING;
        return;
    }
    if (status != LG_OK) {
        fail_reply(x, status, &why);
        return;
    }
    if (lg_chat_stream_is_complete(x->stream)) {
        end_stream(x);
    }
}

static void collect(lg_exchange *x, lg_str bytes)
{
    size_t most = x->proxy->chat_limits.reply_bytes;
    most = most ? most : (size_t)16 << 20;
    if (bytes.len <= most - x->collected.len) {
        lg_buf_add(&x->collected, bytes);
        return;
    }
    exchange_add(x, COUNT_upstream_cut, 1);
    if (is_shadow(x)) {
        exchange_add(x, COUNT_failures, 1);
        lg_buf_add(&x->out, lg_buf_str(&x->collected));
        lg_buf_add(&x->out, bytes);
        relay(x);
        return;
    }
    exchange_fail(x, 502, "ledgergate_reply",
                  "the upstream's reply is larger than %zu bytes and cannot be judged", most);
}

void lg_exchange_upstream_bytes(lg_exchange *x, lg_str bytes)
{
    switch (x->state) {
    case EXCHANGE_RELAYING:
        lg_buf_add(&x->out, bytes);
        break;
    case EXCHANGE_PROBLEM: // of what is longer the beginning is told
        lg_buf_add(&x->collected, lg_str_cut(bytes, PROBLEM_BYTES - x->collected.len));
        break;
    case EXCHANGE_COLLECTING:
        collect(x, bytes);
        break;
    case EXCHANGE_STREAMING:
        take_events(x, bytes);
        break;
    case EXCHANGE_READING:
    case EXCHANGE_FOLDING:
    case EXCHANGE_COMPOSING:
    case EXCHANGE_ASKING:
    case EXCHANGE_AWAITING:
    case EXCHANGE_RECALLING:
    case EXCHANGE_RECALLED:
    case EXCHANGE_KEEPING:
    case EXCHANGE_OVER:
        break; // late bytes of something that is settled
    }
}

static void end_collected(lg_exchange *x)
{
    const lg_chat_reply *reply;
    lg_error why = {0};
    lg_chat_options options = {.limits = x->proxy->chat_limits,
                               .pass_unknown = x->route->options.allow_unseen};
    if (lg_buf_status(&x->collected) != LG_OK) {
        exchange_fail_oom(x);
        return;
    }
    lg_str body =
        lg_arena_str(&x->arena, lg_buf_str(&x->collected)); // the round outlives the buffer
    lg_status status = body.ptr
                           ? lg_chat_reply_parse(&x->arena, x->o.api, body, &options, &reply, &why)
                           : LG_ERR_OOM;
    if (status != LG_OK) {
        fail_reply(x, status, &why);
        return;
    }
    judge(x, reply);
}

static void end_cut(lg_exchange *x, const lg_upstream_end *end)
{
    uint16_t status = end->status ? end->status : 502;
    exchange_add(x, COUNT_upstream_cut, 1);
    bool begun = x->head_sent || x->head_due;
    if (begun && x->state == EXCHANGE_AWAITING) {
        end_without_revision(x, 0);
        return;
    }
    if (is_shadow(x) && x->state != EXCHANGE_AWAITING) {
        pass_as_it_came(x, true);
        return;
    }
    exchange_fail(x, status, "ledgergate_upstream", "the upstream did not answer in full: %.*s",
                  (int)(end->why.len < 300 ? end->why.len : 300), end->why.ptr ? end->why.ptr : "");
}

void lg_exchange_upstream_end(lg_exchange *x, const lg_upstream_end *end)
{
    switch (x->state) {
    case EXCHANGE_RELAYING:
        exchange_add(x, COUNT_upstream_cut, !end->whole);
        end_out(x, !end->whole);
        break;
    case EXCHANGE_PROBLEM:
        if (end->whole) {
            end_problem(x);
        } else {
            end_cut(x, end);
        }
        break;
    case EXCHANGE_COLLECTING:
        if (end->whole) {
            end_collected(x);
        } else {
            end_cut(x, end);
        }
        break;
    case EXCHANGE_STREAMING:
        if (end->whole) {
            end_stream(x);
        } else {
            end_cut(x, end);
        }
        break;
    case EXCHANGE_AWAITING:
        end_cut(x, end);
        break;
    case EXCHANGE_READING:
    case EXCHANGE_FOLDING:
    case EXCHANGE_COMPOSING:
    case EXCHANGE_ASKING:
    case EXCHANGE_RECALLING:
    case EXCHANGE_RECALLED:
    case EXCHANGE_KEEPING:
    case EXCHANGE_OVER:
        break;
    }
}
