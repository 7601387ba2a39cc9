// server.c: the methods that a server of tools has, and how they are answered.
#include "mcp/server_internal.h"

#define LAST_SESSION_REVISION LG_MCP_2025_11_25
#define KEPT_FOR_MS 60000 // of what a client may remember

lg_str lg_mcp_print(char *room, size_t room_bytes, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    lg_str text = lg_str_vprint(room, room_bytes, format, args);
    va_end(args);
    return text;
}

// --- replies ---

static void begin_reply(lg_json_writer *w, const lg_mcp_turn *turn, const lg_json *id)
{
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "jsonrpc", "2.0");
    if (id) {
        lg_jw_member_json(w, "id", id);
    } else if (turn->revision < LG_MCP_2025_11_25) {
        // JSON-RPC has null for an id that could not be read. Later revisions leave it out.
        lg_jw_key(w, "id");
        lg_jw_null(w);
    }
}

static lg_status end_reply(lg_json_writer *w, lg_mcp_turn *turn, lg_mcp_item *item,
                           lg_error *reterr)
{
    lg_jw_end_object(w);
    lg_status status = lg_buf_status(w->out);
    if (status == LG_ERR_LIMIT) {
        return lg_fail(reterr, status, "what the tool returned is nested too deep");
    }
    item->reply = status == LG_OK ? lg_arena_str(turn->arena, lg_buf_str(w->out)) : item->reply;
    item->is_answered = true;
    return status == LG_OK && item->reply.ptr ? LG_OK : lg_fail_oom(reterr);
}

lg_status lg_mcp_refuse(lg_mcp_turn *turn, lg_mcp_item *item, int64_t code, lg_str words,
                        lg_str data, lg_error *reterr)
{
    lg_buf out;
    lg_json_writer w = {.out = &out};
    lg_buf_init(&out, 0);
    item->is_call = false;
    begin_reply(&w, turn, item->id);
    lg_jw_key(&w, "error");
    lg_jw_begin_object(&w);
    lg_jw_member_int(&w, "code", code);
    lg_jw_member_str(&w, "message", words);
    if (data.len) {
        lg_jw_member_raw(&w, "data", data);
    }
    lg_jw_end_object(&w);
    lg_status status = end_reply(&w, turn, item, reterr);
    lg_buf_done(&out);
    return status;
}

lg_status lg_mcp_refuse_all(lg_mcp_turn *turn, const lg_json *id, unsigned status, int64_t code,
                            const char *words, lg_error *reterr)
{
    turn->status = status;
    turn->is_batch = false;
    turn->items = LG_NEW(turn->arena, lg_mcp_item);
    if (!turn->items) {
        return lg_fail_oom(reterr);
    }
    turn->item_count = 1;
    turn->items[0].id = id;
    return lg_mcp_refuse(turn, &turn->items[0], code, lg_str_c(words), LG_STR(""), reterr);
}

static void write_revisions(lg_json_writer *w)
{
    lg_jw_begin_array(w);
    for (unsigned i = LG_MCP_REVISIONS; i-- > 0;) {
        lg_jw_c(w, lg_mcp_revision_name((lg_mcp_revision)i));
    }
    lg_jw_end_array(w);
}

lg_status lg_mcp_refuse_revision(lg_mcp_turn *turn, const lg_json *id, lg_str asked,
                                 lg_error *reterr)
{
    lg_buf data;
    lg_json_writer w = {.out = &data};
    lg_buf_init(&data, 0);
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "supported");
    write_revisions(&w);
    lg_jw_member_str(&w, "requested", lg_str_cut(asked, 100));
    lg_jw_end_object(&w);
    lg_status status = lg_mcp_refuse_all(turn, id, 400, LG_MCP_UNSUPPORTED_VERSION, "", reterr);
    if (status == LG_OK && lg_buf_status(&data) != LG_OK) {
        status = lg_fail_oom(reterr);
    }
    if (status == LG_OK) {
        status = lg_mcp_refuse(turn, &turn->items[0], LG_MCP_UNSUPPORTED_VERSION,
                               LG_STR("this revision of the protocol is not spoken here"),
                               lg_buf_str(&data), reterr);
    }
    lg_buf_done(&data);
    return status;
}

void lg_mcp_write_complete(lg_json_writer *w, const lg_mcp_turn *turn, bool lasts)
{
    if (!lg_mcp_is_stateless(turn->revision)) {
        return;
    }
    lg_jw_member_c(w, "resultType", "complete");
    if (lasts) {
        lg_jw_member_int(w, "ttlMs", KEPT_FOR_MS);
        lg_jw_member_c(w, "cacheScope", "private");
    }
}

// --- methods ---

typedef struct question {
    lg_mcp_turn *turn;
    lg_mcp_item *item;
    const lg_mcp_message *message;
} question;

static void write_capabilities(lg_json_writer *w)
{
    lg_jw_key(w, "capabilities");
    lg_jw_begin_object(w);
    lg_jw_key(w, "tools");
    lg_jw_begin_object(w);
    lg_jw_end_object(w);
    lg_jw_end_object(w);
}

static bool write_ping(lg_json_writer *w, const question *q)
{
    (void)q;
    lg_jw_begin_object(w);
    lg_jw_end_object(w);
    return true;
}

// What a client asks for is spoken if it is known here, else the newest that has sessions, and the client decides.
static bool write_initialize(lg_json_writer *w, const question *q)
{
    const lg_mcp_host *host = q->turn->host;
    const lg_json *asked = lg_json_get(q->message->params, LG_STR("protocolVersion"));
    lg_mcp_revision revision = LAST_SESSION_REVISION;
    if (!lg_json_is(asked, LG_JSON_STRING)) {
        return false;
    }
    if (!lg_mcp_revision_named(lg_json_str(asked), &revision) || lg_mcp_is_stateless(revision)) {
        revision = LAST_SESSION_REVISION;
    }
    q->turn->revision = revision;
    q->turn->opens = true;
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "protocolVersion", lg_mcp_revision_name(revision));
    write_capabilities(w);
    lg_jw_key(w, "serverInfo");
    lg_mcp_write_party(w, &host->party, revision);
    lg_jw_member_str_if(w, "instructions", host->instructions);
    lg_jw_end_object(w);
    return true;
}

static bool write_discover(lg_json_writer *w, const question *q)
{
    const lg_mcp_host *host = q->turn->host;
    lg_jw_begin_object(w);
    lg_mcp_write_complete(w, q->turn, true);
    lg_jw_key(w, "supportedVersions");
    write_revisions(w);
    write_capabilities(w);
    lg_jw_member_str_if(w, "instructions", host->instructions);
    lg_jw_key(w, "_meta");
    lg_jw_begin_object(w);
    lg_jw_key(w, "io.modelcontextprotocol/serverInfo");
    lg_mcp_write_party(w, &host->party, q->turn->revision);
    lg_jw_end_object(w);
    lg_jw_end_object(w);
    return true;
}

static bool write_list(lg_json_writer *w, const question *q)
{
    return lg_mcp_write_tools(w, q->turn, q->message->params);
}

typedef struct method {
    const char *name;
    bool of_sessions, of_stateless;
    bool (*write)(lg_json_writer *w, const question *q); // false: the parameters do not fit
    const char *wrong;
} method;

static const method methods[] = {
    {"initialize", true, false, write_initialize, "`protocolVersion` is a text"},
    {"ping", true, false, write_ping, ""},
    {"server/discover", false, true, write_discover, ""},
    {"tools/list", true, true, write_list, "this cursor is none of this server's"},
};

static lg_status answer_method(const question *q, const method *asked, lg_error *reterr)
{
    lg_buf out, whole;
    lg_json_writer result = {.out = &out};
    lg_json_writer w = {.out = &whole};
    lg_status status;
    lg_buf_init(&out, 0);
    lg_buf_init(&whole, 0);
    if (asked->write(&result, q)) {
        begin_reply(&w, q->turn, q->item->id);
        lg_jw_member_raw(&w, "result", lg_buf_str(&out));
        status = lg_buf_status(&out);
        status = status == LG_OK ? end_reply(&w, q->turn, q->item, reterr) : lg_fail_oom(reterr);
    } else {
        status = lg_mcp_refuse(q->turn, q->item, LG_MCP_INVALID_PARAMS, lg_str_c(asked->wrong),
                               LG_STR(""), reterr);
    }
    lg_buf_done(&out);
    lg_buf_done(&whole);
    return status;
}

static const lg_mcp_tool *find_tool(const lg_mcp_host *host, lg_str name)
{
    if (host->find) {
        return host->find(host->data, name);
    }
    for (size_t i = 0; i < host->tool_count; i++) {
        if (lg_str_eq(host->tools[i].name, name)) {
            return &host->tools[i];
        }
    }
    return NULL;
}

static lg_status take_call(const question *q, lg_error *reterr)
{
    static const lg_json nothing = {.type = LG_JSON_OBJECT, .offset = LG_JSON_NO_OFFSET};
    const lg_json *name = lg_json_get(q->message->params, LG_STR("name"));
    const lg_json *args = lg_json_get(q->message->params, LG_STR("arguments"));
    lg_mcp_item *item = q->item;
    char room[300];
    lg_str wrong = {NULL, 0};
    item->name = lg_json_str(name);
    item->tool = find_tool(q->turn->host, item->name);
    if (!lg_json_is(name, LG_JSON_STRING)) {
        wrong = LG_STR("`name` of a call is a text");
    } else if (!item->tool) {
        lg_str shown = lg_str_cut(item->name, 128);
        wrong = lg_mcp_print(room, sizeof(room), "unknown tool: %.*s", LG_FMT(shown));
    } else if (args && !lg_json_is(args, LG_JSON_OBJECT)) {
        wrong = LG_STR("`arguments` of a call is an object");
    }
    if (wrong.ptr) {
        return lg_mcp_refuse(q->turn, item, LG_MCP_INVALID_PARAMS, wrong, LG_STR(""), reterr);
    }
    item->is_call = true;
    item->args = args ? args : &nothing;
    item->meta = lg_mcp_meta(q->message->params);
    return LG_OK;
}

static lg_status take_request(const question *q, lg_error *reterr)
{
    bool is_stateless = lg_mcp_is_stateless(q->turn->revision);
    char room[300];
    if (lg_str_eq(q->message->method, LG_STR("tools/call"))) {
        return take_call(q, reterr);
    }
    for (size_t i = 0; i < LG_COUNT(methods); i++) {
        const method *m = &methods[i];
        if ((is_stateless ? m->of_stateless : m->of_sessions) &&
            lg_str_eq(q->message->method, lg_str_c(m->name))) {
            return answer_method(q, m, reterr);
        }
    }
    if (is_stateless && !q->turn->is_line) {
        q->turn->status = 404;
    }
    lg_str shown = lg_str_cut(q->message->method, 128);
    lg_str words = lg_mcp_print(room, sizeof(room), "no such method: %.*s", LG_FMT(shown));
    return lg_mcp_refuse(q->turn, q->item, LG_MCP_METHOD_NOT_FOUND, words, LG_STR(""), reterr);
}

static void take_notification(lg_mcp_turn *turn, const lg_mcp_message *message)
{
    const lg_json *id = lg_json_get(message->params, LG_STR("requestId"));
    if (id && lg_str_eq(message->method, LG_STR("notifications/cancelled")) &&
        (lg_json_is(id, LG_JSON_STRING) || lg_json_is_number(id))) {
        turn->cancelled[turn->cancelled_count++] = id;
    }
}

lg_status lg_mcp_dispatch(lg_mcp_turn *turn, lg_mcp_item *item, const lg_mcp_message *message,
                          lg_error *reterr)
{
    question q = {turn, item, message};
    item->id = message->id;
    switch (message->kind) {
    case LG_MCP_REQUEST:
        return take_request(&q, reterr);
    case LG_MCP_NOTIFICATION:
        take_notification(turn, message);
        return LG_OK;
    case LG_MCP_RESULT:
    case LG_MCP_ERROR:
        return LG_OK; // to a question that nobody here has asked
    case LG_MCP_BROKEN:
        turn->status = turn->is_batch ? turn->status : 400;
        return lg_mcp_refuse(turn, item, message->code, message->words, LG_STR(""), reterr);
    }
    return LG_OK;
}

// --- calls ---

lg_status lg_mcp_answer(lg_mcp_turn *turn, size_t index, const lg_mcp_result *result,
                        lg_error *reterr)
{
    lg_mcp_item *item = &turn->items[index];
    lg_buf out;
    lg_json_writer w = {.out = &out};
    LG_ASSERT(item->is_call && !item->is_answered);
    lg_buf_init(&out, 0);
    begin_reply(&w, turn, item->id);
    lg_jw_key(&w, "result");
    lg_mcp_write_result(&w, turn, item->tool, result);
    lg_status status = end_reply(&w, turn, item, reterr);
    item->is_answered = status == LG_OK;
    lg_buf_done(&out);
    return status;
}

lg_status lg_mcp_answer_error(lg_mcp_turn *turn, size_t index, int code, lg_str words,
                              lg_error *reterr)
{
    lg_mcp_item *item = &turn->items[index];
    LG_ASSERT(item->is_call && !item->is_answered);
    return lg_mcp_refuse(turn, item, code, words, LG_STR(""), reterr);
}

unsigned lg_mcp_reply(const lg_mcp_turn *turn, lg_buf *out)
{
    size_t said = 0;
    for (size_t i = 0; i < turn->item_count; i++) {
        lg_str reply = turn->items[i].reply;
        LG_ASSERT(!turn->items[i].is_call || turn->items[i].is_answered);
        if (reply.len) {
            lg_buf_add_c(out, !turn->is_batch ? "" : said == 0 ? "[" : ",");
            lg_buf_add(out, reply);
            said++;
        }
    }
    if (turn->is_batch && said) {
        lg_buf_add_byte(out, ']');
    }
    return said == 0 && turn->status == 200 && !turn->ends ? 202 : turn->status;
}
