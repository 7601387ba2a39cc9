// reading.h: what has been read of a list of messages, so that a longer one that begins with the same bytes is read on.
//
// A client sends all of its conversation with each request. Equal bytes at the same place of a body are the same JSON, the
// same events and the same hashes, so what was made of them is taken as it is. The bytes decide, all of them; whoever
// looks for a reading may guess by any means.
#ifndef LG_CHAT_READING_H
#define LG_CHAT_READING_H

#include "chat/chat_internal.h"

// Bytes of the body, one piece a request, one behind the other from the list's bracket on.
typedef struct lg_reading_piece {
    const char *ptr;
    size_t len;
} lg_reading_piece;

struct lg_chat_reading {
    lg_arena arena;   // of all that follows
    uint32_t list_at; // the bracket
    uint32_t to;      // behind the last element
    lg_reading_piece *pieces;
    size_t piece_count, piece_capacity;
    lg_json *items;
    size_t item_count, item_capacity;
    lg_trace_known events;
    lg_chat_message *messages; // one an item
    size_t message_count, message_capacity;
    lg_hash_state state; // behind them
};

// Reads the elements of `body` that are new. Fails with LG_ERR_MISSING where it must be read as a whole.
LG_NODISCARD lg_status lg_chat_reading_extend(lg_chat_reading *reading, lg_str body,
                                              const lg_chat_limits *limits);

#endif
