// http.c: what Streamable HTTP says of a message beside its body, and the rules of lines and batches.
//
// The order is that of the protocol's statuses: 405 and 415 and 406 of the request, 400 for a body that is no message, then
// the revision, then the session, and only then what is asked.
#include "mcp/server_internal.h"

typedef struct taking {
    const lg_mcp_request *request;
    lg_mcp_turn *turn;
    const lg_json *root;
    lg_mcp_message first; // of a body that is one message
    lg_error *reterr;
} taking;

static lg_status refuse(const taking *t, unsigned status, int code, const char *words)
{
    return lg_mcp_refuse_all(t->turn, t->first.id, status, code, words, t->reterr);
}

const char *lg_mcp_allow(const lg_mcp_host *host)
{
    return host->has_sessions ? "POST, DELETE" : "POST";
}

// --- the request ---

// Does one of the media ranges include JSON? Without the header all do.
static bool accepts_json(lg_str accept)
{
    size_t at = 0;
    while (accept.ptr && at <= accept.len) {
        size_t comma = lg_str_find(lg_str_slice(accept, at, SIZE_MAX), LG_STR(","));
        size_t end = comma == SIZE_MAX ? accept.len : at + comma;
        lg_str range = lg_str_slice(accept, at, end);
        if (lg_is_media_type(range, LG_STR("application/json")) ||
            lg_is_media_type(range, LG_STR("application/*")) ||
            lg_is_media_type(range, LG_STR("*/*"))) {
            return true;
        }
        at = end + 1;
    }
    return !accept.ptr;
}

// Is the request decided already?
static lg_status take_envelope(const taking *t, bool *ret_over)
{
    const lg_mcp_request *request = t->request;
    const lg_mcp_host *host = t->turn->host;
    *ret_over = true;
    if (lg_str_eq(request->method, LG_STR("DELETE")) && host->has_sessions) {
        if (!request->session.ptr) {
            return refuse(t, 400, LG_MCP_INVALID_REQUEST, "the header Mcp-Session-Id is missing");
        }
        if (!request->session_known) {
            return refuse(t, 404, LG_MCP_INVALID_REQUEST, "there is no such session");
        }
        t->turn->ends = true;
        t->turn->status = 204;
        return LG_OK;
    }
    if (!lg_str_eq(request->method, LG_STR("POST"))) {
        return refuse(t, 405, LG_MCP_INVALID_REQUEST, "messages are sent with POST");
    }
    if (!lg_is_media_type(request->content_type, LG_STR("application/json"))) {
        return refuse(t, 415, LG_MCP_INVALID_REQUEST, "a message is of type application/json");
    }
    if (!accepts_json(request->accept)) {
        return refuse(t, 406, LG_MCP_INVALID_REQUEST, "answers are of type application/json");
    }
    *ret_over = false;
    return LG_OK;
}

// --- the revision ---

// `_meta` and headers say the same, and all of it (2026-07-28).
static lg_status check_stateless(const taking *t, bool *ret_over)
{
    const lg_mcp_request *request = t->request;
    const lg_mcp_message *message = &t->first;
    lg_str asked = lg_mcp_meta_revision(message->params);
    *ret_over = true;
    if (!request->is_line && message->kind == LG_MCP_REQUEST &&
        !lg_str_eq(asked, request->version)) {
        return refuse(t, 400, LG_MCP_HEADER_MISMATCH,
                      "the header MCP-Protocol-Version and `_meta` do not say the same revision");
    }
    asked = asked.len ? asked : request->version;
    lg_mcp_revision revision;
    if (!lg_mcp_revision_named(asked, &revision) || !lg_mcp_is_stateless(revision)) {
        return lg_mcp_refuse_revision(t->turn, message->id, asked, t->reterr);
    }
    t->turn->revision = revision;
    if (!request->is_line && !lg_str_eq(request->mcp_method, message->method) &&
        message->kind == LG_MCP_REQUEST) {
        return refuse(t, 400, LG_MCP_HEADER_MISMATCH,
                      "the header Mcp-Method and the message do not say the same method");
    }
    const lg_json *able = lg_json_get(lg_mcp_meta(message->params),
                                      LG_STR("io.modelcontextprotocol/clientCapabilities"));
    if (message->kind == LG_MCP_REQUEST && !lg_json_is(able, LG_JSON_OBJECT)) {
        return refuse(t, 400, LG_MCP_INVALID_PARAMS,
                      "`io.modelcontextprotocol/clientCapabilities` of `_meta` is an object");
    }
    *ret_over = false;
    return LG_OK;
}

static lg_status check_name(const taking *t, bool *ret_over)
{
    const lg_mcp_request *request = t->request;
    *ret_over = false;
    if (request->is_line || t->first.kind != LG_MCP_REQUEST ||
        !lg_str_eq(t->first.method, LG_STR("tools/call"))) {
        return LG_OK;
    }
    lg_str name = lg_mcp_header_name(t->turn->arena, request->mcp_name);
    if (!request->mcp_name.ptr || !name.ptr ||
        !lg_str_eq(name, lg_json_str(lg_json_get(t->first.params, LG_STR("name"))))) {
        *ret_over = true;
        return refuse(t, 400, LG_MCP_HEADER_MISMATCH,
                      "the header Mcp-Name and the message do not say the same tool");
    }
    return LG_OK;
}

static bool is_initialize(const taking *t)
{
    return t->first.kind == LG_MCP_REQUEST && lg_str_eq(t->first.method, LG_STR("initialize"));
}

// What a session is spoken in was agreed when it began; without one the header says it, or its absence.
static lg_status check_session(const taking *t, bool *ret_over)
{
    const lg_mcp_request *request = t->request;
    lg_mcp_revision revision = LG_MCP_2025_03_26;
    bool is_known = request->session_known;
    *ret_over = true;
    if (request->version.ptr && !lg_mcp_revision_named(request->version, &revision)) {
        return lg_mcp_refuse_revision(t->turn, t->first.id, request->version, t->reterr);
    }
    if (t->turn->host->has_sessions && !request->is_line && !is_initialize(t)) {
        if (!request->session.ptr) {
            return refuse(t, 400, LG_MCP_INVALID_REQUEST, "the header Mcp-Session-Id is missing");
        }
        if (!is_known) {
            return refuse(t, 404, LG_MCP_INVALID_REQUEST,
                          "there is no such session: begin one with initialize");
        }
        if (request->version.ptr && revision != request->session_revision) {
            return refuse(t, 400, LG_MCP_INVALID_REQUEST,
                          "the header MCP-Protocol-Version is not what the session agreed on");
        }
    }
    if (request->is_line) {
        revision = LG_MCP_2025_11_25;
    }
    t->turn->revision = is_known ? request->session_revision : revision;
    *ret_over = false;
    return LG_OK;
}

static lg_status check_revision(const taking *t, bool *ret_over)
{
    lg_mcp_revision header = t->turn->revision;
    bool is_stateless =
        lg_mcp_meta_revision(t->first.params).len > 0 ||
        (lg_mcp_revision_named(t->request->version, &header) && lg_mcp_is_stateless(header));
    if (!is_stateless) {
        return check_session(t, ret_over);
    }
    if (lg_json_is(t->root, LG_JSON_ARRAY)) { // is refused as such
        t->turn->revision = header;
        *ret_over = false;
        return LG_OK;
    }
    lg_status status = check_stateless(t, ret_over);
    return status == LG_OK && !*ret_over ? check_name(t, ret_over) : status;
}

// --- the body ---

static lg_status take_one(const taking *t)
{
    lg_mcp_turn *turn = t->turn;
    if (t->first.kind == LG_MCP_BROKEN) {
        return refuse(t, 400, (int)t->first.code, t->first.words.ptr);
    }
    return lg_mcp_dispatch(turn, &turn->items[0], &t->first, t->reterr);
}

static bool may_stand_in_batch(const lg_mcp_message *message, size_t *lists)
{
    *lists += lg_str_eq(message->method, LG_STR("tools/list"));
    return !lg_str_eq(message->method, LG_STR("initialize")) && *lists <= LG_MCP_BATCH_LISTS_MAX;
}

static lg_status take_batch(const taking *t)
{
    lg_mcp_turn *turn = t->turn;
    lg_status status = LG_OK;
    size_t lists = 0;
    if (turn->revision != LG_MCP_2025_03_26) {
        return refuse(t, 400, LG_MCP_INVALID_REQUEST, "this revision has no batches");
    }
    turn->is_batch = true;
    for (size_t i = 0; i < turn->item_count && status == LG_OK; i++) {
        lg_mcp_message message = lg_mcp_message_read(lg_json_item(t->root, i));
        lg_mcp_item *item = &turn->items[i];
        if (message.kind == LG_MCP_REQUEST && !may_stand_in_batch(&message, &lists)) {
            item->id = message.id;
            status = lg_mcp_refuse(turn, item, LG_MCP_INVALID_REQUEST,
                                   LG_STR("this does not stand in a batch, or not that often"),
                                   LG_STR(""), t->reterr);
        } else {
            status = lg_mcp_dispatch(turn, item, &message, t->reterr);
        }
    }
    return status;
}

static lg_status take_body(taking *t)
{
    lg_mcp_turn *turn = t->turn;
    bool is_list = lg_json_is(t->root, LG_JSON_ARRAY);
    size_t count = is_list ? lg_json_len(t->root) : 1;
    bool over;
    if (!is_list) {
        t->first = lg_mcp_message_read(t->root);
    } else if (count == 0 || count > LG_MCP_BATCH_MAX) {
        return refuse(t, 400, LG_MCP_INVALID_REQUEST, "a batch has 1 to 100 messages");
    }
    lg_status status = check_revision(t, &over);
    if (status != LG_OK || over) {
        return status;
    }
    turn->items = LG_NEW_ARRAY(turn->arena, lg_mcp_item, count);
    turn->cancelled = LG_NEW_ARRAY(turn->arena, const lg_json *, count);
    if (!turn->items || !turn->cancelled) {
        return lg_fail_oom(t->reterr);
    }
    turn->item_count = count;
    return is_list ? take_batch(t) : take_one(t);
}

lg_status lg_mcp_take(const lg_mcp_host *host, const lg_mcp_request *request, lg_arena *arena,
                      lg_mcp_turn *ret, lg_error *reterr)
{
    lg_error error = {0};
    bool over = false;
    taking t = {.request = request, .turn = ret, .reterr = reterr};
    *ret = (lg_mcp_turn){.arena = arena, .status = 200, .host = host, .is_line = request->is_line};
    ret->revision = request->session_known ? request->session_revision : LG_MCP_2025_03_26;
    (void)lg_mcp_revision_named(request->version, &ret->revision);
    if (!request->is_line) {
        lg_status status = take_envelope(&t, &over);
        if (status != LG_OK || over) {
            return status;
        }
    }
    lg_status status = lg_json_parse_in(arena, request->body, 0, request->body.len, request->limits,
                                        &t.root, &error);
    if (status == LG_ERR_OOM) {
        return lg_fail_oom(reterr);
    }
    if (status != LG_OK) {
        return refuse(&t, 400, LG_MCP_PARSE_ERROR, error.msg);
    }
    return take_body(&t);
}
