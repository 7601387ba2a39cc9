// client.h: what a client says to a server, and what it reads of the answers.
//
// To begin, a client says lg_mcp_ask_discover(). A server of 2026-07-28 answers with what it speaks; any other with some error,
// or over HTTP with a status of 4xx, and is then spoken to with lg_mcp_ask_initialize() and lg_mcp_tell_initialized().
// So whatever is no result of it means that the server is to be asked in the old way.
//
// Every function that asks appends one message, without a line feed, to a buffer; lg_mcp_headers() gives what HTTP has to say
// of it beside the body.
#ifndef LG_MCP_CLIENT_H
#define LG_MCP_CLIENT_H

#include "mcp/mcp.h"

typedef struct lg_mcp_client {
    lg_mcp_party party;
    lg_mcp_revision revision; // as agreed
} lg_mcp_client;

void lg_mcp_ask_discover(lg_buf *out, const lg_mcp_client *client, int64_t id);
void lg_mcp_ask_initialize(lg_buf *out, const lg_mcp_client *client, int64_t id);
void lg_mcp_tell_initialized(lg_buf *out);
void lg_mcp_ask_tools(lg_buf *out, const lg_mcp_client *client, int64_t id, lg_str cursor);
void lg_mcp_ask_call(lg_buf *out, const lg_mcp_client *client, int64_t id, lg_str name,
                     const lg_json *args);
void lg_mcp_tell_cancelled(lg_buf *out, int64_t id, lg_str reason);

// What a client without features of its own answers to a server's request: `ping`, or that there is no such method.
void lg_mcp_answer_server(lg_buf *out, const lg_mcp_message *request);

typedef struct lg_mcp_header {
    lg_str name, value;
} lg_mcp_header;

#define LG_MCP_HEADERS_MAX 6u

// The headers of a POST: of its type, what is accepted, the revision (none before it is agreed), the session (may be empty), and of 2026-07-28
// the method and the tool's name (may be empty). Returns how many, 0 when out of memory.
size_t lg_mcp_headers(const lg_mcp_client *client, bool is_agreed, lg_str method, lg_str tool,
                      lg_str session, lg_arena *arena, lg_mcp_header out[LG_MCP_HEADERS_MAX]);

// Is this the answer to request `id`?
bool lg_mcp_answers(const lg_mcp_message *message, int64_t id);

// The newest revision that both speak. Fails with LG_ERR_FORMAT and names what the server speaks.
LG_NODISCARD lg_status lg_mcp_read_discover(const lg_json *result, lg_mcp_revision *ret,
                                            lg_error *reterr);
LG_NODISCARD lg_status lg_mcp_read_initialize(const lg_json *result, lg_mcp_revision *ret,
                                              lg_error *reterr);

// A page of tools: reads them behind `*count` in a list that grows in `arena`. `*ret_cursor` is empty after the last page.
// What is no tool is left out. Fails with LG_ERR_FORMAT, LG_ERR_LIMIT (LG_MCP_TOOLS_MAX), LG_ERR_OOM.
#define LG_MCP_TOOLS_MAX 100000u
typedef struct lg_mcp_tools {
    lg_mcp_tool *items;
    size_t count, capacity;
} lg_mcp_tools;
LG_NODISCARD lg_status lg_mcp_read_tools(const lg_json *result, lg_arena *arena,
                                         lg_mcp_tools *tools, lg_str *ret_cursor, lg_error *reterr);

// What a tool returned. Blocks that are no text stand as `[image image/png]` in it.
typedef struct lg_mcp_returned {
    bool is_error;
    bool needs_input;          // the server asks back (2026-07-28), which is not done here
    lg_str text;               // of all blocks, a line each
    const lg_json *structured; // or NULL
    const lg_json *value;      // `structured`, or the text read as JSON, or the text
    const lg_json *content;    // the blocks as they came, or NULL
} lg_mcp_returned;

// Of a result, or of an error of the protocol, which is an error of the tool then ("-32602: unknown tool"). Fails with
// LG_ERR_FORMAT for what is no result of a tool, LG_ERR_OOM.
LG_NODISCARD lg_status lg_mcp_read_returned(const lg_mcp_message *answer, lg_arena *arena,
                                            const lg_limits *limits, lg_mcp_returned *ret,
                                            lg_error *reterr);

#endif
