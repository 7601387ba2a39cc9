// mcp.h: the Model Context Protocol, in what servers and clients of every revision have in common.
//
// A message is JSON-RPC 2.0, and these are functions over messages: nothing here has a socket, a thread or a clock. Who serves
// reads server.h, who calls reads client.h.
//
// There are two kinds of protocol. Up to 2025-11-25 a client says `initialize` first, and what was agreed holds for the
// session. From 2026-07-28 each request says for itself which revision it speaks, in `_meta`, and over HTTP in headers too.
//
// JSON-RPC is read strictly: an `id` is a string or an integer and is given back as it was written ("7" is not 7); null is
// none. A list of messages is one only where the revision has batches.
#ifndef LG_MCP_MCP_H
#define LG_MCP_MCP_H

#include "json/writer.h"

// clang-format off
#define LG_MCP_REVISION_MAP(X)   \
    X(2024_11_05, "2024-11-05")  \
    X(2025_03_26, "2025-03-26")  \
    X(2025_06_18, "2025-06-18")  \
    X(2025_11_25, "2025-11-25")  \
    X(2026_07_28, "2026-07-28")
// clang-format on

typedef enum lg_mcp_revision { // in the order of time
#define X(name, text) LG_MCP_##name,
    LG_MCP_REVISION_MAP(X)
#undef X
} lg_mcp_revision;

#define LG_MCP_REVISIONS 5u

const char *lg_mcp_revision_name(lg_mcp_revision revision); // "2025-11-25"
bool lg_mcp_revision_named(lg_str name, lg_mcp_revision *ret);

// Does each request speak for itself?
static inline bool lg_mcp_is_stateless(lg_mcp_revision revision)
{
    return revision >= LG_MCP_2026_07_28;
}

// --- Errors -------------------------------------------------------------------------------------

enum {
    LG_MCP_PARSE_ERROR = -32700,
    LG_MCP_INVALID_REQUEST = -32600,
    LG_MCP_METHOD_NOT_FOUND = -32601,
    LG_MCP_INVALID_PARAMS = -32602,
    LG_MCP_INTERNAL_ERROR = -32603,
    LG_MCP_HEADER_MISMATCH = -32020,     // headers do not say what the body says
    LG_MCP_UNSUPPORTED_VERSION = -32022, // its `data` lists what is supported
};

// --- Messages -----------------------------------------------------------------------------------

typedef enum lg_mcp_kind {
    LG_MCP_REQUEST,
    LG_MCP_NOTIFICATION,
    LG_MCP_RESULT, // an answer
    LG_MCP_ERROR,  // an answer, too
    LG_MCP_BROKEN, // none of them: `code` and `words` say why
} lg_mcp_kind;

typedef struct lg_mcp_message {
    lg_mcp_kind kind;
    const lg_json *id; // a string or an integer; NULL: none
    lg_str method;
    const lg_json *params; // an object, or NULL
    const lg_json *result; // an object
    int64_t code;          // of an error
    lg_str words;
} lg_mcp_message;

// Reads one message. What it points to is `value`'s.
lg_mcp_message lg_mcp_message_read(const lg_json *value);

// `_meta` of a request, and what it says of the revision; empty if it says nothing.
const lg_json *lg_mcp_meta(const lg_json *params);
lg_str lg_mcp_meta_revision(const lg_json *params);

// --- Tools --------------------------------------------------------------------------------------

// As a server lists it.
typedef struct lg_mcp_tool {
    lg_str name;
    lg_str title;               // for people; may be empty
    lg_str description;         // may be empty
    const lg_json *input;       // JSON Schema of the arguments; NULL: any object
    const lg_json *output;      // of the result; or NULL
    const lg_json *annotations; // hints: readOnlyHint, ...; or NULL
} lg_mcp_tool;

// Who speaks: a server or a client.
typedef struct lg_mcp_party {
    lg_str name;
    lg_str title; // may be empty
    lg_str version;
} lg_mcp_party;

void lg_mcp_write_party(lg_json_writer *w, const lg_mcp_party *party, lg_mcp_revision revision);

// A name as the header Mcp-Name has it: as it is where it can be (RFC 9110 values of visible ASCII), else
// `=?base64?...?=`. And back: ptr is NULL for what is broken. Empty and NULL when out of memory.
lg_str lg_mcp_header_value(lg_arena *arena, lg_str name);
lg_str lg_mcp_header_name(lg_arena *arena, lg_str value);

#endif
