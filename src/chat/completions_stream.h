// completions_stream.h: a stream of chat completions as it was read, for those who read it and those who write what comes of it.
#ifndef LG_CHAT_COMPLETIONS_STREAM_H
#define LG_CHAT_COMPLETIONS_STREAM_H

#include "chat/stream.h"

typedef struct slot {
    bool has_index;
    int64_t index;
    lg_str id;
    lg_str type;
    lg_str name;
    bool custom;
    lg_pieces args;
    lg_grown_list others;
    const char *broken;
} slot;

typedef struct choice {
    int64_t index;
    lg_str role;
    bool told_role;
    bool passed_role; // it has gone on in this round
    bool had_role; // or in one before it: clients put texts of deltas together, so it goes on once
    bool passed_text; // some has gone on in this round
    bool had_text;    // or in one before it: a blank line stands between
    bool has_content;
    lg_pieces content;
    lg_pieces parts; // of a content that is a list: its elements
    lg_pieces refusal;
    lg_grown_list others;
    slot **slots;
    size_t slot_count;
    size_t slot_capacity;
    slot *legacy; // `function_call`
    lg_str finish;
} choice;

typedef struct state {
    choice **choices; // sorted by index once the stream has ended
    size_t count;
    size_t capacity;
    size_t call_count;
    lg_str base;   // the first chunk
    lg_str shared; // what our own chunks say of it; empty: not written yet
    lg_str usage;
    // lg_completions_signs() of all chunks: of a member that comes again, the body has the last.
    uint32_t signs;
} state;

// Texts of several replies are one to the client.
#define BLANK_LINE "\\n\\n" // within a string of JSON

// What there is in a chunk.
typedef struct looks {
    bool calls;
    bool says; // anything but calls
    bool last; // it ends a choice, or has the usage
} looks;

// Which choice a member of `choices` tells of: known, or a new one; NULL if there is none, or no memory.
choice *lg_completions_choice_of(lg_chat_stream *stream, const lg_json *recorded);
// What a chunk is without calls, and without texts of choices that lose theirs.
void lg_completions_edit_choice(lg_edits *edits, const lg_json *recorded, choice *c,
                                bool drop_text);
// Notes also what has been told of the choices.
looks lg_completions_look_at(lg_chat_stream *stream, const lg_json *chunk);

#endif
