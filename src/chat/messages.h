// messages.h: what the reply and the stream of the Messages API know in common.
#ifndef LG_CHAT_MESSAGES_H
#define LG_CHAT_MESSAGES_H

#include "chat/stream.h"

typedef enum lg_block_kind {
    LG_BLOCK_SAID, // text, thinking, and what the upstream's own tools returned
    LG_BLOCK_CALL, // the client acts on it
    LG_BLOCK_ACTED,
    LG_BLOCK_UNKNOWN,
} lg_block_kind;

lg_block_kind lg_block_kind_of(const lg_json *block);

// Is there, in a message or a block of it, what might be a call and is read as none?
bool lg_message_has_stray(const lg_json *message);
bool lg_block_has_stray(const lg_json *block);

// Does the block go, whatever is ruled about calls?
bool lg_block_goes(const lg_json *block, bool pass_unknown, bool drop_text);

// "tool_use" where there is no call any more.
bool lg_is_end_for_tools(const lg_chat_reply *reply, const lg_chat_ruling *ruling,
                         const lg_json *stop_reason);

#endif
