// upstream.c: what the upstream says, until there is a reply to be judged, or none.
#include "proxy/exchange_internal.h"

#include "base/str.h"
#include "base/utf8.h"

#define PROBLEM_BYTES ((size_t)256 << 10)
#define QUOTED_BYTES 300u

// --- The end without a reply --------------------------------------------------------------------

// Clients follow a redirect by themselves: the next reply would come from there, and nobody would judge it. What a client
// makes of a status that is none, nobody knows.
static bool refuse_status(lg_exchange *x, uint16_t status)
{
    bool redirects = status >= 300 && status < 400;
    if (!exchange_is_gated(x) || (status >= 200 && status < 600 && !redirects)) {
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
        exchange_end(x, false);
    } else {
        exchange_fail_oom(x);
    }
}

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
    exchange_go_on_with(x, NULL);
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
    if (exchange_is_shadow(x) && x->state != EXCHANGE_AWAITING) {
        exchange_pass_as_it_came(x, true);
        return;
    }
    exchange_fail(x, status, "ledgergate_upstream", "the upstream did not answer in full: %.*s",
                  (int)(end->why.len < 300 ? end->why.len : 300), end->why.ptr ? end->why.ptr : "");
}

// --- Its head -----------------------------------------------------------------------------------

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

// What nobody could read, because it is coded: in shadow it goes on unread.
static void refuse_coding(lg_exchange *x, lg_str coding)
{
    exchange_add(x, COUNT_upstream_cut, 1);
    if (exchange_is_shadow(x)) {
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
    x->reply_bytes = 0;
    lg_buf_clear(&x->collected);
    if (!sse || begin_stream(x)) {
        x->state = sse ? EXCHANGE_STREAMING : EXCHANGE_COLLECTING;
    } else if (exchange_is_shadow(x)) {
        exchange_add(x, COUNT_failures, 1);
        relay(x);
    } else {
        exchange_fail_oom(x);
    }
}

void lg_exchange_upstream_head(lg_exchange *x, uint16_t status, const lg_http_field *fields,
                               size_t field_count)
{
    if (x->state != EXCHANGE_AWAITING) {
        return;
    }
    bool begun = x->head_sent || x->head_due;
    bool fine = status >= 200 && status < 300;
    bool sse = fine && head_is_events(fields, field_count);
    lg_str coding = head_coding(fields, field_count);
    exchange_add(x, COUNT_upstream_errors, status >= 400);
    if (begun && (!fine || (!sse && !coding.len))) {
        end_without_revision(x, fine ? 0 : status);
    } else if (refuse_status(x, status)) {
        return;
    } else if (!begun && !head_take(x, status, fields, field_count, sse)) {
        exchange_fail_oom(x);
    } else if (!x->request || (!fine && !exchange_is_gated(x))) {
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

// --- Its body -----------------------------------------------------------------------------------

// Tools that the upstream has run by itself: nobody has judged that. True: the reply is refused.
static bool refuse_acted(lg_exchange *x, const lg_chat_reply *reply)
{
    const lg_chat_seen *acted = NULL;
    for (size_t i = 0; i < reply->seen_count && !acted; i++) {
        acted = reply->seen[i].kind == LG_CHAT_ACTED ? &reply->seen[i] : NULL;
    }
    exchange_add(x, COUNT_unseen_tools, acted != NULL);
    if (!acted || !exchange_is_gated(x) || x->route->options.allow_unseen) {
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
    exchange_go_on_with(x, reply);
}

// In shadow the bytes go on as they came, and what would have become of them goes nowhere.
static lg_buf *stream_out(lg_exchange *x)
{
    if (!exchange_is_shadow(x)) {
        return &x->out;
    }
    lg_buf_clear(&x->collected);
    return &x->collected;
}

static void read_stream(lg_exchange *x)
{
    const lg_chat_reply *reply;
    lg_error why = {0};
    lg_status status = lg_chat_stream_end(x->stream, stream_out(x), &reply, &why);
    if (status != LG_OK) {
        exchange_fail_reply(x, status, &why);
        return;
    }
    judge(x, reply);
}

// Bytes of a stream. What goes on of them waits in `out`.
static void take_events(lg_exchange *x, lg_str bytes)
{
    lg_error why = {0};
    size_t before = x->out.len;
    if (exchange_is_shadow(x)) {
        lg_buf_add(&x->out, bytes);
    }
    lg_status status = lg_chat_stream_feed(x->stream, bytes, stream_out(x), &why);
    if (x->out.len > before && !x->head_sent) {
        x->head_due = true;
        x->out_status = x->status;
    }
    if (lg_buf_status(&x->out) != LG_OK) {
        status = exchange_check_out(x, &why);
    }
    if (status != LG_OK && exchange_is_shadow(x)) { // nobody judges it any more, and it goes on
        exchange_add(x, COUNT_failures, 1);
        x->state = EXCHANGE_RELAYING;
    } else if (status != LG_OK) {
        exchange_fail_reply(x, status, &why);
    } else if (lg_chat_stream_is_complete(x->stream)) {
        x->state = EXCHANGE_REPLIED;
    }
}

// An event is read once it is whole. A long one is not read here, where the host waits for it: what ends it is put by.
static void hear(lg_exchange *x, lg_str bytes)
{
    bool was_put_by = x->state == EXCHANGE_HEARING && bytes.len == 0;
    size_t pending_bytes = lg_chat_stream_pending_bytes(x->stream) + x->heard.len + bytes.len;
    bool ends =
        bytes.len && (memchr(bytes.ptr, '\n', bytes.len) || memchr(bytes.ptr, '\r', bytes.len));
    x->reply_bytes += bytes.len;
    if (was_put_by) {
        x->state = EXCHANGE_STREAMING;
        x->report.worked += pending_bytes;
        if (lg_buf_status(&x->heard) == LG_OK) {
            take_events(x, lg_buf_str(&x->heard));
        } else {
            exchange_fail_reply(x, LG_ERR_OOM, NULL);
        }
        lg_buf_done(&x->heard);
        lg_buf_init(&x->heard, 0);
    } else if (x->state == EXCHANGE_HEARING || (pending_bytes > x->o.at_once && ends)) {
        lg_buf_add(&x->heard, bytes);
        x->state = EXCHANGE_HEARING;
    } else {
        take_events(x, bytes);
    }
}

void upstream_hear(lg_exchange *x)
{
    hear(x, LG_STR(""));
}

static void collect(lg_exchange *x, lg_str bytes)
{
    size_t most = x->proxy->chat_limits.reply_bytes;
    most = most ? most : (size_t)16 << 20;
    if (bytes.len <= most - x->collected.len) {
        lg_buf_add(&x->collected, bytes);
        x->reply_bytes += bytes.len;
        return;
    }
    exchange_add(x, COUNT_upstream_cut, 1);
    if (exchange_is_shadow(x)) {
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
    case EXCHANGE_HEARING:
        hear(x, bytes);
        break;
    case EXCHANGE_READING:
    case EXCHANGE_FOLDING:
    case EXCHANGE_COMPOSING:
    case EXCHANGE_ASKING:
    case EXCHANGE_AWAITING:
    case EXCHANGE_REPLIED:
    case EXCHANGE_RECALLING:
    case EXCHANGE_RECALLED:
    case EXCHANGE_JUDGED:
    case EXCHANGE_KEEPING:
    case EXCHANGE_SETTLING:
    case EXCHANGE_OVER:
        break; // late bytes of something that is settled
    }
}

static void read_collected(lg_exchange *x)
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
        exchange_fail_reply(x, status, &why);
        return;
    }
    judge(x, reply);
}

void upstream_read_reply(lg_exchange *x)
{
    x->report.worked += x->reply_bytes;
    if (x->is_sse) {
        read_stream(x);
    } else {
        read_collected(x);
    }
}

void lg_exchange_upstream_end(lg_exchange *x, const lg_upstream_end *end)
{
    if (x->state == EXCHANGE_HEARING) { // of a host that did not ask what is next
        hear(x, LG_STR(""));
    }
    switch (x->state) {
    case EXCHANGE_RELAYING:
        exchange_add(x, COUNT_upstream_cut, !end->whole);
        exchange_end(x, !end->whole);
        break;
    case EXCHANGE_PROBLEM:
        if (end->whole) {
            end_problem(x);
        } else {
            end_cut(x, end);
        }
        break;
    case EXCHANGE_COLLECTING:
    case EXCHANGE_STREAMING:
        if (end->whole) {
            x->state = EXCHANGE_REPLIED;
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
    case EXCHANGE_HEARING:
    case EXCHANGE_REPLIED:
    case EXCHANGE_RECALLING:
    case EXCHANGE_RECALLED:
    case EXCHANGE_JUDGED:
    case EXCHANGE_KEEPING:
    case EXCHANGE_SETTLING:
    case EXCHANGE_OVER:
        break;
    }
}
