// message.c: JSON-RPC as MCP has it, revisions, and names in headers.
#include "mcp/mcp.h"

#include "base/base64.h"

const char *lg_mcp_revision_name(lg_mcp_revision revision)
{
    static const char *const names[] = {
#define X(name, text) text,
        LG_MCP_REVISION_MAP(X)
#undef X
    };
    return names[revision];
}

bool lg_mcp_revision_named(lg_str name, lg_mcp_revision *ret)
{
    for (unsigned i = 0; i < LG_MCP_REVISIONS; i++) {
        if (lg_str_eq(name, lg_str_c(lg_mcp_revision_name((lg_mcp_revision)i)))) {
            *ret = (lg_mcp_revision)i;
            return true;
        }
    }
    return false;
}

// --- messages ---

// An integer of any size keeps its digits; what has a fraction or an exponent is no id.
static bool is_id(const lg_json *id)
{
    switch (lg_json_type_of(id)) {
    case LG_JSON_INT:
    case LG_JSON_UINT:
    case LG_JSON_STRING:
        return true;
    case LG_JSON_BIGNUM: {
        lg_str digits = {id->as.text, id->len};
        return lg_str_find(digits, LG_STR(".")) == SIZE_MAX &&
               lg_str_find(digits, LG_STR("e")) == SIZE_MAX &&
               lg_str_find(digits, LG_STR("E")) == SIZE_MAX;
    }
    case LG_JSON_NULL:
    case LG_JSON_BOOL:
    case LG_JSON_DOUBLE:
    case LG_JSON_ARRAY:
    case LG_JSON_OBJECT:
        return false;
    }
    return false;
}

static lg_mcp_message broken(lg_mcp_message message, const char *words)
{
    message.kind = LG_MCP_BROKEN;
    message.code = LG_MCP_INVALID_REQUEST;
    message.words = lg_str_c(words);
    return message;
}

static lg_mcp_message read_asking(lg_mcp_message message, const lg_json *value)
{
    const lg_json *method = lg_json_get(value, LG_STR("method"));
    const lg_json *params = lg_json_get(value, LG_STR("params"));
    if (!lg_json_is(method, LG_JSON_STRING) || method->len == 0) {
        return broken(message, "`method` is a text");
    }
    message.method = lg_json_str(method);
    if (params && !lg_json_is(params, LG_JSON_OBJECT)) {
        return broken(message, "`params` is an object");
    }
    message.params = params;
    message.kind = message.id ? LG_MCP_REQUEST : LG_MCP_NOTIFICATION;
    return message;
}

static lg_mcp_message read_error(lg_mcp_message message, const lg_json *error)
{
    if (!lg_json_int(lg_json_get(error, LG_STR("code")), &message.code)) {
        return broken(message, "the `code` of an error is an integer");
    }
    message.kind = LG_MCP_ERROR;
    message.words = lg_json_str(lg_json_get(error, LG_STR("message")));
    return message;
}

lg_mcp_message lg_mcp_message_read(const lg_json *value)
{
    lg_mcp_message message = {0};
    const lg_json *id = lg_json_get(value, LG_STR("id"));
    const lg_json *result = lg_json_get(value, LG_STR("result"));
    const lg_json *error = lg_json_get(value, LG_STR("error"));
    const lg_json *method = lg_json_get(value, LG_STR("method"));
    if (!lg_json_is(value, LG_JSON_OBJECT)) {
        return broken(message, "a message is a JSON object");
    }
    message.id = id && is_id(id) ? id : NULL;
    if (!lg_str_eq(lg_json_str(lg_json_get(value, LG_STR("jsonrpc"))), LG_STR("2.0"))) {
        return broken(message, "`jsonrpc` is \"2.0\"");
    }
    // Who could not read a request answers it without an id, or with null.
    if (id && !message.id && !(error && lg_json_is(id, LG_JSON_NULL))) {
        return broken(message, "an `id` is a text or an integer");
    }
    if ((method != NULL) + (result != NULL) + (error != NULL) != 1) {
        return broken(message, "a message has one of `method`, `result` and `error`");
    }
    if (method) {
        return read_asking(message, value);
    }
    if (error) {
        return read_error(message, error);
    }
    if (!message.id || !lg_json_is(result, LG_JSON_OBJECT)) {
        return broken(message, "a `result` is an object, and has an `id`");
    }
    message.kind = LG_MCP_RESULT;
    message.result = result;
    return message;
}

const lg_json *lg_mcp_meta(const lg_json *params)
{
    const lg_json *meta = lg_json_get(params, LG_STR("_meta"));
    return lg_json_is(meta, LG_JSON_OBJECT) ? meta : NULL;
}

lg_str lg_mcp_meta_revision(const lg_json *params)
{
    return lg_json_str(
        lg_json_get(lg_mcp_meta(params), LG_STR("io.modelcontextprotocol/protocolVersion")));
}

void lg_mcp_write_party(lg_json_writer *w, const lg_mcp_party *party, lg_mcp_revision revision)
{
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "name", party->name);
    if (revision >= LG_MCP_2025_06_18) {
        lg_jw_member_str_if(w, "title", party->title);
    }
    lg_jw_member_str(w, "version", party->version);
    lg_jw_end_object(w);
}

// --- names in headers ---

#define ENCODED_BEGIN LG_STR("=?base64?")
#define ENCODED_END LG_STR("?=")

static bool is_plain(lg_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.ptr[i];
        bool at_edge = i == 0 || i + 1 == name.len;
        if (c < 0x20 || c > 0x7E || (c == ' ' && at_edge)) {
            return false;
        }
    }
    return !lg_str_starts(name, ENCODED_BEGIN);
}

lg_str lg_mcp_header_value(lg_arena *arena, lg_str name)
{
    if (is_plain(name)) {
        return name;
    }
    size_t len = ENCODED_BEGIN.len + (name.len + 2) / 3 * 4 + ENCODED_END.len;
    char *out = lg_arena_alloc(arena, len, 1);
    if (!out) {
        return (lg_str){NULL, 0};
    }
    memcpy(out, ENCODED_BEGIN.ptr, ENCODED_BEGIN.len);
    size_t at = ENCODED_BEGIN.len;
    at += lg_base64(out + at, name);
    memcpy(out + at, ENCODED_END.ptr, ENCODED_END.len);
    return (lg_str){out, at + ENCODED_END.len};
}

lg_str lg_mcp_header_name(lg_arena *arena, lg_str value)
{
    if (!lg_str_starts(value, ENCODED_BEGIN) || !lg_str_ends(value, ENCODED_END) ||
        value.len < ENCODED_BEGIN.len + ENCODED_END.len) {
        return value;
    }
    lg_str inner = lg_str_slice(value, ENCODED_BEGIN.len, value.len - ENCODED_END.len);
    char *out = lg_arena_alloc(arena, inner.len / 4 * 3 + 1, 1);
    size_t len = 0;
    if (!out || !lg_unbase64(inner, out, &len)) {
        return (lg_str){NULL, 0};
    }
    return (lg_str){out, len};
}
