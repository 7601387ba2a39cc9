// server.h: what a server answers, over Streamable HTTP and over standard input and output.
//
//     lg_mcp_request request = {.method = ..., .body = ..., .version = ...}; // and the other headers
//     lg_mcp_take(&host, &request, arena, &turn);
//     for (size_t i = 0; i < turn.item_count; i++)
//         if (turn.items[i].is_call) {
//             ... call turn.items[i].tool with turn.items[i].args, now or later ...
//             lg_mcp_answer(&turn, i, &result);
//         }
//     unsigned status = lg_mcp_reply(&turn, &body);
//
// All but calls of tools is answered in lg_mcp_take(). A call may be answered at any time after: the turn, its arena, the
// request's bytes and the host's tools have to live until then. Who has closed the connection of a 2026-07-28 call has
// cancelled it; before, `cancelled` of some later turn names it.
//
// **Sessions.** From `initialize` to 2025-11-25 a host may have them. A turn that `opens` one is answered with a header
// Mcp-Session-Id of the host's making, which clients send from then on; one that `ends` one was a DELETE. What a host knows of a
// session that a request names it says in the request. A host without sessions leaves all of it zero: then each request is
// of the revision that its header says.
//
// **Answers** are JSON, never events: there is nothing that a server of tools would have to say in between. So GET is 405.
#ifndef LG_MCP_SERVER_H
#define LG_MCP_SERVER_H

#include "mcp/mcp.h"

#define LG_MCP_BATCH_MAX 100u     // messages of one batch; more are refused
#define LG_MCP_BATCH_LISTS_MAX 4u // of them tools/list: a small question with a long answer
#define LG_MCP_PAGE_TOOLS 1000u   // of one tools/list, unless the host says otherwise

typedef struct lg_mcp_host {
    lg_mcp_party party;
    lg_str instructions; // for models; may be empty
    const lg_mcp_tool *tools;
    size_t tool_count;
    size_t page_tools; // 0: LG_MCP_PAGE_TOOLS
    // The tool of this name, or NULL. Without it the list is gone through.
    const lg_mcp_tool *(*find)(void *data, lg_str name);
    void *data;
    bool has_sessions; // then a request needs one, but `initialize` and what is of 2026-07-28
} lg_mcp_host;

typedef struct lg_mcp_request {
    bool is_line;  // standard input: no method and no headers, a body is one line
    lg_str method; // "POST"
    lg_str body;
    // Headers, ptr NULL where there is none.
    lg_str content_type, accept;
    lg_str version;    // MCP-Protocol-Version
    lg_str mcp_method; // Mcp-Method
    lg_str mcp_name;   // Mcp-Name
    lg_str session;    // Mcp-Session-Id
    // What the host knows of that session, or of a line's connection once it is initialised.
    bool session_known;
    lg_mcp_revision session_revision;
    const lg_limits *limits; // of JSON; may be NULL
} lg_mcp_request;

// One message of a turn.
typedef struct lg_mcp_item {
    bool is_call;     // of a tool, which the host answers
    bool is_answered; // `reply` stands
    const lg_json *id;
    lg_str name;
    const lg_mcp_tool *tool;
    const lg_json *args; // an object, never NULL
    const lg_json *meta; // or NULL
    lg_str reply;        // a JSON-RPC message; empty for what is not answered
} lg_mcp_item;

typedef struct lg_mcp_turn {
    lg_mcp_revision revision;
    lg_mcp_item *items;
    size_t item_count;
    bool opens;                // a session, of `revision`: the client said `initialize`
    bool ends;                 // the session that the request named
    const lg_json **cancelled; // ids of requests whose answers nobody waits for any more
    size_t cancelled_count;
    // Private.
    lg_arena *arena;
    unsigned status;
    bool is_batch;
    bool is_line;
    const lg_mcp_host *host;
} lg_mcp_turn;

// Reads what a client has sent. Everything that can be wrong with it is an answer. Fails with LG_ERR_OOM only.
LG_NODISCARD lg_status lg_mcp_take(const lg_mcp_host *host, const lg_mcp_request *request,
                                   lg_arena *arena, lg_mcp_turn *ret, lg_error *reterr);

// What a tool returned.
typedef struct lg_mcp_result {
    bool is_error;
    lg_str text; // for the model
    // A value that fits the tool's output schema, for `structuredContent`, or NULL. It is left out where the revision
    // or the tool has none, and of errors: clients compare those with the schema, too.
    const lg_json *value;
    const lg_json *content; // blocks of content in place of the text, or NULL
    const lg_json *meta;    // `_meta`, or NULL
} lg_mcp_result;

// Answers the call that item `index` is. Once. Fails with LG_ERR_OOM, or LG_ERR_LIMIT for a value nested too deep.
LG_NODISCARD lg_status lg_mcp_answer(lg_mcp_turn *turn, size_t index, const lg_mcp_result *result,
                                     lg_error *reterr);
// The same with an error of the protocol (LG_MCP_INTERNAL_ERROR): nobody knows what the tool did.
LG_NODISCARD lg_status lg_mcp_answer_error(lg_mcp_turn *turn, size_t index, int code, lg_str words,
                                           lg_error *reterr);

// The whole reply: appends its body (of a line without the newline; empty where nothing is to be said) and returns the HTTP
// status. The type of a body that is not empty is application/json. Every call has been answered.
unsigned lg_mcp_reply(const lg_mcp_turn *turn, lg_buf *out);

// The value of the header Allow, for a status of 405.
const char *lg_mcp_allow(const lg_mcp_host *host);

#endif
