// peer.c: an MCP server as an executor, however its messages travel.
#include "tool/tool_internal.h"

// A server of before 2026-07-28 that does not answer what it does not know is not waited for longer, over HTTP. A process may
// only just begin, and what it is asked twice it may take for two clients: it has half of the time to connect.
#define PROBE_MS 5000u
#define PAGES_MAX 1000u

void lg_peer_init(lg_peer *peer)
{
    peer->client.party = peer->base.options.party;
    peer->client.revision = LG_MCP_2026_07_28;
}

bool lg_peer_read(const lg_peer *peer, lg_str text, lg_arena *arena, lg_mcp_message *ret)
{
    const lg_json *value = NULL;
    lg_arena_mark mark = lg_arena_mark_here(arena);
    lg_str kept = lg_arena_str(arena, text);
    if (kept.ptr && lg_json_parse_in(arena, kept, 0, kept.len, peer->base.options.limits, &value,
                                     NULL) == LG_OK) {
        *ret = lg_mcp_message_read(value);
        if (ret->kind != LG_MCP_BROKEN) {
            return true;
        }
    }
    lg_arena_rewind(arena, mark);
    return false;
}

// One message that was written into `text`.
static lg_status send(lg_peer *peer, lg_buf *text, lg_peer_message message, lg_arena *arena,
                      lg_peer_answer *ret, lg_error *reterr)
{
    lg_status status = lg_buf_status(text);
    message.text = lg_buf_str(text);
    if (status == LG_OK) {
        status = peer->exchange(peer, &message, arena, ret, reterr);
    } else {
        status = lg_fail(reterr, status, "the arguments of a call are too large");
    }
    lg_buf_done(text);
    return status;
}

// --- the beginning ---

static lg_status probe(lg_peer *peer, lg_arena *arena, bool *ret_is_modern, lg_error *reterr)
{
    lg_peer_answer answer;
    lg_buf text;
    uint32_t connect_ms = peer->base.options.connect_ms;
    uint32_t most_ms = peer->is_process ? connect_ms / 2 + 1 : connect_ms;
    most_ms = !peer->is_process && most_ms > PROBE_MS ? PROBE_MS : most_ms;
    lg_peer_message message = {
        .id = ++peer->last_id, .method = LG_STR("server/discover"), .ms = most_ms};
    peer->client.revision = LG_MCP_2026_07_28;
    lg_buf_init(&text, 0);
    lg_mcp_ask_discover(&text, &peer->client, message.id);
    lg_status status = send(peer, &text, message, arena, &answer, reterr);
    *ret_is_modern = false;
    lg_mcp_revision revision;
    if (status == LG_OK && answer.end == LG_PEER_ANSWERED && answer.message.kind == LG_MCP_RESULT &&
        lg_mcp_read_discover(answer.message.result, &revision, NULL) == LG_OK) {
        peer->client.revision = revision;
        *ret_is_modern = lg_mcp_is_stateless(revision);
    } else {
        peer->client.revision = LG_MCP_2025_11_25;
    }
    return status;
}

static lg_status initialize(lg_peer *peer, lg_arena *arena, lg_error *reterr)
{
    lg_peer_answer answer;
    lg_buf text;
    lg_peer_message message = {
        .id = ++peer->last_id, .method = LG_STR("initialize"), .ms = peer->base.options.connect_ms};
    lg_buf_init(&text, 0);
    lg_mcp_ask_initialize(&text, &peer->client, message.id);
    lg_status status = send(peer, &text, message, arena, &answer, reterr);
    if (status != LG_OK) {
        return status;
    }
    if (answer.end != LG_PEER_ANSWERED) {
        return lg_fail(reterr, LG_ERR_MISSING, "the MCP server: %.*s", LG_FMT(answer.why));
    }
    if (answer.message.kind == LG_MCP_ERROR) {
        return lg_fail(reterr, LG_ERR_MISSING, "the MCP server refused to begin: %.*s",
                       LG_FMT(lg_str_cut(answer.message.words, 200)));
    }
    status = lg_mcp_read_initialize(answer.message.result, &peer->client.revision, reterr);
    if (status == LG_OK) {
        peer->is_agreed = true;
        message = (lg_peer_message){.method = LG_STR("notifications/initialized"),
                                    .ms = peer->base.options.connect_ms};
        lg_buf_init(&text, 0);
        lg_mcp_tell_initialized(&text);
        status = send(peer, &text, message, arena, &answer, reterr);
    }
    return status;
}

lg_status lg_peer_begin(lg_peer *peer, lg_error *reterr)
{
    lg_arena arena;
    bool is_modern;
    if (peer->is_agreed) {
        return LG_OK;
    }
    lg_arena_init(&arena, 0);
    lg_status status = probe(peer, &arena, &is_modern, reterr);
    if (status == LG_OK && is_modern) {
        peer->is_agreed = true;
    } else if (status == LG_OK) {
        status = initialize(peer, &arena, reterr);
        peer->is_agreed = status == LG_OK;
    }
    lg_arena_done(&arena);
    return status;
}

// --- tools ---

static lg_status list_page(lg_peer *peer, lg_arena *arena, lg_mcp_tools *tools, lg_str *cursor,
                           lg_error *reterr)
{
    lg_peer_answer answer;
    lg_buf text;
    lg_peer_message message = {
        .id = ++peer->last_id, .method = LG_STR("tools/list"), .ms = peer->base.options.call_ms};
    lg_buf_init(&text, 0);
    lg_mcp_ask_tools(&text, &peer->client, message.id, *cursor);
    lg_status status = send(peer, &text, message, arena, &answer, reterr);
    if (status != LG_OK) {
        return status;
    }
    if (answer.end != LG_PEER_ANSWERED || answer.message.kind != LG_MCP_RESULT) {
        lg_str why = answer.end == LG_PEER_ANSWERED ? answer.message.words : answer.why;
        return lg_fail(reterr, LG_ERR_MISSING, "the MCP server does not list its tools: %.*s",
                       LG_FMT(lg_str_cut(why, 200)));
    }
    return lg_mcp_read_tools(answer.message.result, arena, tools, cursor, reterr);
}

lg_status lg_peer_list(lg_executor *executor, lg_arena *arena, lg_mcp_tools *tools,
                       lg_error *reterr)
{
    lg_peer *peer = (lg_peer *)executor;
    lg_str cursor = LG_STR("");
    lg_status status = lg_peer_begin(peer, reterr);
    for (size_t page = 0; status == LG_OK && (page == 0 || cursor.len); page++) {
        if (page == PAGES_MAX) {
            return lg_fail(reterr, LG_ERR_LIMIT, "the MCP server's list has more than %u pages",
                           PAGES_MAX);
        }
        status = list_page(peer, arena, tools, &cursor, reterr);
    }
    return status;
}

// --- calls ---

static lg_status take_answer(const lg_peer *peer, const lg_mcp_message *message, lg_arena *arena,
                             lg_executor_answer *ret, lg_error *reterr)
{
    lg_mcp_returned returned;
    lg_error error = {0};
    lg_status status =
        lg_mcp_read_returned(message, arena, peer->base.options.limits, &returned, &error);
    if (status == LG_ERR_OOM) {
        return lg_fail_oom(reterr);
    }
    if (status != LG_OK) {
        return lg_executor_end(arena, LG_EXECUTOR_UNKNOWN, ret, "%s", error.msg);
    }
    if (returned.needs_input) {
        return lg_executor_end(arena, LG_EXECUTOR_FAILED, ret, "%.*s", LG_FMT(returned.text));
    }
    *ret = (lg_executor_answer){.outcome = LG_EXECUTOR_DONE,
                                .is_error = returned.is_error,
                                .value = returned.value,
                                .text = returned.text,
                                .structured = returned.structured,
                                .why = LG_STR("")};
    return LG_OK;
}

lg_status lg_peer_run(lg_executor *executor, const lg_executor_call *call, lg_arena *arena,
                      lg_executor_answer *ret, lg_error *reterr)
{
    lg_peer *peer = (lg_peer *)executor;
    lg_error error = {0};
    lg_peer_answer answer;
    lg_buf text;
    lg_status status = lg_peer_begin(peer, &error);
    if (status != LG_OK) {
        return status == LG_ERR_OOM
                   ? lg_fail_oom(reterr)
                   : lg_executor_end(arena, LG_EXECUTOR_FAILED, ret, "%s", error.msg);
    }
    lg_peer_message message = {.id = ++peer->last_id,
                               .method = LG_STR("tools/call"),
                               .tool = call->tool,
                               .ms = executor->options.call_ms};
    lg_buf_init(&text, 0);
    lg_mcp_ask_call(&text, &peer->client, message.id, call->tool, call->args);
    status = send(peer, &text, message, arena, &answer, &error);
    if (status != LG_OK) {
        return status == LG_ERR_OOM
                   ? lg_fail_oom(reterr)
                   : lg_executor_end(arena, LG_EXECUTOR_FAILED, ret, "%s", error.msg);
    }
    switch (answer.end) {
    case LG_PEER_ANSWERED:
        return take_answer(peer, &answer.message, arena, ret, reterr);
    case LG_PEER_REFUSED:
        return lg_executor_end(arena, LG_EXECUTOR_FAILED, ret, "%.*s", LG_FMT(answer.why));
    case LG_PEER_LOST:
        return lg_executor_end(arena, LG_EXECUTOR_UNKNOWN, ret, "%.*s", LG_FMT(answer.why));
    }
    return LG_OK;
}
