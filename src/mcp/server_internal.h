// server_internal.h: what the files of the server's side share.
//
// http.c is what a transport says, before anybody looks at what was meant; server.c the methods; tools.c how tools and their
// results are written.
#ifndef LG_MCP_SERVER_INTERNAL_H
#define LG_MCP_SERVER_INTERNAL_H

#include "mcp/server.h"

// --- server.c -----------------------------------------------------------------------------------

// An error as the answer to item `index`; `data` is JSON, or empty. Fails with LG_ERR_OOM.
LG_NODISCARD lg_status lg_mcp_refuse(lg_mcp_turn *turn, lg_mcp_item *item, int64_t code,
                                     lg_str words, lg_str data, lg_error *reterr);

// The one answer to a body that is not looked into any further: an error, with this status.
LG_NODISCARD lg_status lg_mcp_refuse_all(lg_mcp_turn *turn, const lg_json *id, unsigned status,
                                         int64_t code, const char *words, lg_error *reterr);

// The same, that the revision `asked` is not spoken here, and which are.
LG_NODISCARD lg_status lg_mcp_refuse_revision(lg_mcp_turn *turn, const lg_json *id, lg_str asked,
                                              lg_error *reterr);

// Answers what one message asks, or makes it a call.
LG_NODISCARD lg_status lg_mcp_dispatch(lg_mcp_turn *turn, lg_mcp_item *item,
                                       const lg_mcp_message *message, lg_error *reterr);

// What results of 2026-07-28 have in common; those that `last` may be kept for a while.
void lg_mcp_write_complete(lg_json_writer *w, const lg_mcp_turn *turn, bool lasts);

LG_PRINTF(3, 4) lg_str lg_mcp_print(char *room, size_t room_bytes, const char *format, ...);

// --- tools.c ------------------------------------------------------------------------------------

// The result of tools/list. False, having written nothing, for a cursor that is none.
bool lg_mcp_write_tools(lg_json_writer *w, const lg_mcp_turn *turn, const lg_json *params);

// The result of tools/call.
void lg_mcp_write_result(lg_json_writer *w, const lg_mcp_turn *turn, const lg_mcp_tool *tool,
                         const lg_mcp_result *result);

#endif
