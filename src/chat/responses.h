// responses.h: what the reply and the stream of the Responses API know in common.
#ifndef LG_CHAT_RESPONSES_H
#define LG_CHAT_RESPONSES_H

#include "chat/stream.h"

typedef enum lg_item_kind {
    LG_ITEM_SAID, // a message, or a list of tools
    LG_ITEM_REASONING,
    LG_ITEM_CALL, // the client acts on it
    LG_ITEM_ACTED,
    LG_ITEM_UNKNOWN,
} lg_item_kind;

lg_item_kind lg_item_kind_of(const lg_json *item);

// Is there, in a response or an item of it, what might be a call and is read as none?
bool lg_response_has_stray(const lg_json *response);
bool lg_item_has_stray(const lg_json *item);

// The key of a call's arguments.
const char *lg_item_args_key(const lg_json *item);

// --- responses_said.c: what the events of one item say ---------------------------------------------

typedef struct lg_said {
    struct lg_told *items;
    size_t count;
    size_t capacity;
} lg_said;

// Takes what an event says. What is no message says nothing.
void lg_said_take(lg_chat_stream *stream, lg_said *said, bool is_message, const lg_json *value);

// Is all that was said what the item says at its end? Do two tellings of an item say the same?
bool lg_said_is(lg_chat_stream *stream, const lg_said *said, const lg_json *item);
bool lg_said_same(const lg_json *a, const lg_json *b);

// Which items of the reply go. `gone` has room for all of them. Returns whether something is said or called by what is left.
bool lg_items_plan(const lg_chat_reply *reply, const lg_chat_ruling *ruling, bool drop_text,
                   bool *gone);

// The id of a message of our own: no two of a conversation may have the same. The item that says `text`. Empty with a
// NULL pointer when out of memory.
lg_str lg_item_said_id(lg_arena *arena, lg_str response_id);
lg_str lg_item_said(lg_arena *arena, lg_str id, lg_str text);

// Edits a `response`: its output without what is gone, behind `before` (items with a comma behind each) and in front of
// `behind`; usage, the field.
void lg_response_edit(lg_edits *edits, const lg_json *response, const lg_chat_ruling *ruling,
                      const bool *gone, lg_str before, lg_str behind);

#endif
