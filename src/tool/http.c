// http.c: an MCP server over Streamable HTTP.
//
// What a status says of a call: below 300 the answer is in the body; from 400 to 499 it was not carried out; and of anything
// else, a redirection that may follow what was done among it, nobody knows. A server that asks something within a stream is answered beside it.
#include "tool/tool_internal.h"

#define SESSION_BYTES 1024u // of its name

typedef struct http_peer {
    lg_peer peer;
    lg_wire wire;
    lg_str url;
    char session[SESSION_BYTES];
    size_t session_len;
    // Of the exchange under way.
    lg_arena *arena;
    const lg_peer_message *message;
    lg_peer_answer *answer;
    lg_http_headers headers;
} http_peer;

static lg_str session_of(const http_peer *p)
{
    return (lg_str){p->session, p->session_len};
}

static lg_status make_headers(http_peer *p, const lg_peer_message *message, lg_arena *arena)
{
    lg_mcp_header own[LG_MCP_HEADERS_MAX];
    const lg_executor_options *o = &p->peer.base.options;
    size_t count = lg_mcp_headers(&p->peer.client, p->peer.is_agreed, message->method,
                                  message->tool, session_of(p), arena, own);
    lg_http_header *all = LG_NEW_ARRAY(arena, lg_http_header, count + o->header_count);
    if (!count || !all) {
        return LG_ERR_OOM;
    }
    for (size_t i = 0; i < count; i++) {
        all[i] = (lg_http_header){own[i].name, own[i].value};
    }
    lg_copy_bytes(all + count, o->headers, o->header_count * sizeof(*all));
    p->headers = (lg_http_headers){all, count + o->header_count};
    return LG_OK;
}

static lg_client_request make_request(const http_peer *p, lg_str body, uint32_t ms)
{
    return (lg_client_request){.method = LG_STR("POST"),
                               .url = p->url,
                               .headers = p->headers,
                               .body = body,
                               .connect_ms = p->peer.base.options.connect_ms,
                               .first_byte_ms = ms,
                               .idle_ms = ms,
                               .total_ms = ms};
}

static void answer_server(http_peer *p, const lg_mcp_message *asked)
{
    lg_buf out;
    lg_buf_init(&out, 0);
    lg_mcp_answer_server(&out, asked);
    lg_str body = lg_arena_str(p->arena, lg_buf_str(&out));
    if (lg_buf_status(&out) == LG_OK && body.ptr) {
        lg_client_request request = make_request(p, body, 5000);
        lg_wire_add(&p->wire, &request);
    }
    lg_buf_done(&out);
}

static bool on_event(void *data, lg_str event)
{
    http_peer *p = data;
    lg_mcp_message got;
    if (!lg_peer_read(&p->peer, event, p->arena, &got)) {
        return false;
    }
    if (got.kind == LG_MCP_REQUEST && p->peer.questions < LG_PEER_QUESTIONS_MAX) {
        p->peer.questions++;
        answer_server(p, &got);
    }
    if (p->message->id && lg_mcp_answers(&got, p->message->id)) {
        p->answer->message = got;
        return true;
    }
    return false;
}

// --- what came ---

LG_PRINTF(3, 4) static lg_status end(http_peer *p, lg_peer_end how, const char *format, ...)
{
    char room[300];
    va_list args;
    va_start(args, format);
    p->answer->end = how;
    p->answer->why = lg_arena_str(p->arena, lg_str_vprint(room, sizeof(room), format, args));
    va_end(args);
    return p->answer->why.ptr ? LG_OK : LG_ERR_OOM;
}

// The answer in a body; one in whose request no id could be read has none.
static bool find_answer(http_peer *p, lg_str body)
{
    lg_mcp_message got;
    if (!p->message->id || !lg_peer_read(&p->peer, body, p->arena, &got) ||
        !(lg_mcp_answers(&got, p->message->id) || (got.kind == LG_MCP_ERROR && !got.id))) {
        return false;
    }
    p->answer->message = got;
    return true;
}

static lg_status take_status(http_peer *p, const lg_wire_answer *wire)
{
    if (wire->status == 404 && p->session_len && p->peer.is_agreed) {
        p->session_len = 0;
        p->peer.is_agreed = false; // the next call begins a new one
        return end(p, LG_PEER_REFUSED, "the server answered %u: its session has ended",
                   wire->status);
    }
    bool is_answer = find_answer(p, wire->body);
    if (is_answer && p->answer->message.kind == LG_MCP_ERROR) {
        p->answer->end = LG_PEER_ANSWERED;
        return LG_OK;
    }
    lg_peer_end how = wire->status >= 400 && wire->status < 500 ? LG_PEER_REFUSED : LG_PEER_LOST;
    return end(p, how, "the server answered %u", wire->status);
}

static lg_status take_answer(http_peer *p, const lg_wire_answer *wire)
{
    if (wire->kind == LG_END_OK && wire->status / 100 != 2) {
        return take_status(p, wire);
    }
    if (p->message->id == 0 && wire->kind == LG_END_OK) {
        p->answer->end = LG_PEER_ANSWERED;
        return LG_OK;
    }
    if (wire->is_found ||
        (wire->kind == LG_END_OK && !wire->is_events && find_answer(p, wire->body))) {
        p->answer->end = LG_PEER_ANSWERED;
        return LG_OK;
    }
    if (wire->kind == LG_END_OK) {
        return end(p, LG_PEER_LOST, "the server answered %u without an answer to the call",
                   wire->status);
    }
    return end(p, wire->sent ? LG_PEER_LOST : LG_PEER_REFUSED, "%.*s",
               LG_FMT(lg_str_cut(wire->why, 200)));
}

static void keep_session(http_peer *p, const lg_wire_answer *wire)
{
    lg_str session = lg_http_header_value(wire->headers, LG_STR("mcp-session-id"));
    if (lg_str_eq(p->message->method, LG_STR("initialize")) && wire->status / 100 == 2 &&
        session.len <= SESSION_BYTES) {
        lg_copy_bytes(p->session, session.ptr, session.len);
        p->session_len = session.len;
    }
}

static lg_status exchange(lg_peer *peer, const lg_peer_message *message, lg_arena *arena,
                          lg_peer_answer *ret, lg_error *reterr)
{
    http_peer *p = (http_peer *)peer;
    lg_wire_answer wire;
    *ret = (lg_peer_answer){.end = LG_PEER_REFUSED};
    peer->questions = 0;
    p->arena = arena;
    p->message = message;
    p->answer = ret;
    if (make_headers(p, message, arena) != LG_OK) {
        return lg_fail_oom(reterr);
    }
    lg_wire_request request = {make_request(p, message->text, message->ms), on_event, p};
    lg_status status = lg_wire_send(&p->wire, &peer->base, &request, arena, &wire, reterr);
    if (status != LG_OK) {
        return status;
    }
    keep_session(p, &wire);
    return take_answer(p, &wire) == LG_OK ? LG_OK : lg_fail_oom(reterr);
}

// --- the executor ---

// A session that is not ended stays the server's until that forgets it: it is told, and not waited for long.
static void free_http(lg_executor *executor)
{
    http_peer *p = (http_peer *)executor;
    lg_arena arena;
    lg_wire_answer wire;
    lg_peer_message message = {.method = LG_STR("DELETE")};
    lg_arena_init(&arena, 0);
    atomic_store(&executor->stop.is_told, false); // this alone is still said
    if (p->session_len && make_headers(p, &message, &arena) == LG_OK) {
        lg_wire_request request = {make_request(p, LG_STR(""), 1000), NULL, NULL};
        request.request.method = LG_STR("DELETE");
        lg_status status = lg_wire_send(&p->wire, executor, &request, &arena, &wire, NULL);
        (void)status;
    }
    lg_arena_done(&arena);
}

lg_status lg_executor_http(lg_str url, const lg_executor_options *options, lg_executor **ret,
                           lg_error *reterr)
{
    static const lg_executor_kind kind = {lg_peer_list, lg_peer_run, free_http, NULL};
    http_peer *p = lg_executor_make(&kind, sizeof(*p), options);
    if (!p) {
        return lg_fail_oom(reterr);
    }
    p->peer.exchange = exchange;
    lg_peer_init(&p->peer);
    p->url = lg_arena_str(&p->peer.base.arena, url);
    if (!p->url.ptr) {
        lg_executor_free(&p->peer.base);
        return lg_fail_oom(reterr);
    }
    *ret = &p->peer.base;
    return LG_OK;
}
