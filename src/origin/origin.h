// origin.h: where a value of a call's arguments was first seen.
//
// An origin takes in the texts of a conversation in their order, each with who said it, and then says of
// a value where it comes from: the byte range in which it was first seen, what it was computed from, or
// that it comes from nowhere. It is what AgentPex (section 3.3, argument groundedness) has a model judge.
//
//     lg_origin *origin;
//     if (lg_origin_new(NULL, &origin) != LG_OK) ...
//     lg_origin_take(origin, (lg_origin_source){.kind = LG_ORIGIN_USER, .event = 3, .turn = 2}, text);
//     lg_origin_answers answers;
//     if (lg_origin_ask(origin, &arena, args, NULL, &answers, &err) != LG_OK) ...
//     for (size_t i = 0; i < answers.count; i++) report(&answers.items[i]);
//     lg_origin_take(origin, (lg_origin_source){.kind = LG_ORIGIN_CALL, .event = 4, .turn = 3}, args_text);
//     lg_origin_free(origin);
//
// Taking a text in costs O(its bytes), an answer O(bytes of the value) expected; only what was not seen
// is searched for further (sums, dates), within a bound of steps. Texts are compared by words: runs of
// letters and digits, ASCII letters in any case, whatever stands between them; a character from U+2E80 on is a word by
// itself, since these scripts write no blanks. Full-width ASCII is ASCII, and the letters of Latin-1 are
// compared without case and accent; all other characters as they are: nothing is normalised to NFC.
//
// What the agent said grounds nothing, else an invention would ground itself; what it said and the user
// then agreed to is LG_ORIGIN_CONFIRMED. An error that repeats what the call had said grounds nothing.
//
// One thread at a time uses an origin and its forks. The same texts and the same value give the same answer.
#ifndef LG_ORIGIN_H
#define LG_ORIGIN_H

#include "json/json.h"

typedef enum lg_origin_kind {
    LG_ORIGIN_USER,
    LG_ORIGIN_PROMPT,  // system prompt or policy
    LG_ORIGIN_REQUEST, // the task or ticket
    LG_ORIGIN_SCHEMA, // a tool's description, defaults, examples; told only if nothing else has the value
    LG_ORIGIN_FIELD,     // a tool's result that is JSON; what is not is taken as LG_ORIGIN_TEXT
    LG_ORIGIN_TEXT,      // a tool's result that is free text
    LG_ORIGIN_ERROR,     // a tool's failure
    LG_ORIGIN_AGENT,     // what the agent said to the user
    LG_ORIGIN_CALL,      // arguments of the agent's earlier calls
    LG_ORIGIN_CONFIRMED, // of answers alone: the agent said it and the user's next words were a yes
    LG_ORIGIN_KIND_COUNT
} lg_origin_kind;

typedef enum lg_origin_verdict {
    LG_ORIGIN_SEEN,     // `place` says where first
    LG_ORIGIN_COMPUTED, // `operation` of `operands`
    LG_ORIGIN_CHOSEN, // the agent's to choose: what the schema lists, a limit or page, the label of a kind
    LG_ORIGIN_CODE, // two or three capitals, not seen: "JFK" may be invented, or what everybody knows
    LG_ORIGIN_TRIVIAL, // null, booleans, yes, no, 0, 1, an empty text or container
    LG_ORIGIN_PROSE, // more than a few words: `missing` are those entities in it that were not seen
    LG_ORIGIN_UNGROUNDED, // all was searched and it is nowhere; `missing` are its parts that are not
    LG_ORIGIN_UNKNOWN,    // a bound was reached before it was found
    LG_ORIGIN_VERDICT_COUNT
} lg_origin_verdict;

typedef enum lg_origin_operation {
    LG_ORIGIN_NONE,
    LG_ORIGIN_SUM,        // of two or three numbers
    LG_ORIGIN_DIFFERENCE, // of two, either way round
    LG_ORIGIN_PRODUCT,    // of one by a small count
    LG_ORIGIN_PERCENTAGE, // of one, or of the other: 15 % of 200, and 0.15 for 15 %
    LG_ORIGIN_COUNT,      // of items of a list in the same arguments
    LG_ORIGIN_DATE,       // a date by reckoning, or put together from a month here and a day there
    LG_ORIGIN_JOINED,     // texts one after the other: "John" and "Smith"; never an id
    LG_ORIGIN_INFLECTED,  // another form of a word: "India" of "Indian"
    LG_ORIGIN_PART, // a name out of a longer word ("daikisanchez12"), an id whose number was given without its letter
    LG_ORIGIN_EXPRESSION, // arithmetic to be carried out: its numbers are the operands
    LG_ORIGIN_OPERATION_COUNT
} lg_origin_operation;

// "user", "prompt", ..., "seen", ..., "none", "sum", ...
const char *lg_origin_kind_name(lg_origin_kind kind);
const char *lg_origin_verdict_name(lg_origin_verdict verdict);
const char *lg_origin_operation_name(lg_origin_operation operation);

// 0 stands for the default behind each.
typedef struct lg_origin_limits {
    size_t text_bytes;   // of all texts of a fork and what it was forked from: 64 MiB
    size_t memory_bytes; // of the index of each fork: 256 MiB
    uint32_t entries;    // words of a fork and what it was forked from: 16 Mi
    uint64_t steps;      // of one question about a whole tree of arguments: 4 Mi
} lg_origin_limits;

typedef struct lg_origin_source {
    lg_origin_kind kind;
    uint32_t event; // index of the event
    uint32_t turn;
} lg_origin_source;

// Bytes [begin, end) of the text that was taken in from `source`.
typedef struct lg_origin_place {
    lg_origin_source source;
    uint32_t begin, end;
    uint32_t text; // private: which text; for lg_origin_pointer()
} lg_origin_place;

#define LG_ORIGIN_OPERANDS_MAX 4u
#define LG_ORIGIN_MISSING_MAX 8u

typedef struct lg_origin_answer {
    lg_str pointer; // JSON pointer of the leaf in the arguments, in the arena
    const lg_json *value;
    lg_origin_verdict verdict;
    lg_origin_operation operation;
    lg_origin_place place; // of LG_ORIGIN_SEEN
    lg_origin_place operands[LG_ORIGIN_OPERANDS_MAX];
    uint32_t operand_count;                // kept
    lg_str missing[LG_ORIGIN_MISSING_MAX]; // in the value, or in the arena
    uint32_t missing_count;                // kept
    bool said;                             // the agent itself has said it before ...
    lg_origin_place said_at;               // ... here
} lg_origin_answer;

typedef struct lg_origin_answers {
    lg_origin_answer *items; // one a leaf, in their order
    size_t count;
    uint64_t steps; // that it took, for whoever bounds many questions together
} lg_origin_answers;

typedef struct lg_origin lg_origin;

// `limits` may be NULL. Fails with LG_ERR_OOM.
LG_NODISCARD lg_status lg_origin_new(const lg_origin_limits *limits, lg_origin **ret_origin);
void lg_origin_free(lg_origin *origin); // NULL is allowed; forks stay what they are

// A second origin that has taken in what this one has, and goes on by itself. O(1). Fails with LG_ERR_OOM, or
// LG_ERR_LIMIT behind 64 generations that have each taken in something of their own.
LG_NODISCARD lg_status lg_origin_fork(lg_origin *origin, lg_origin **ret_fork);

// The text, which is borrowed: it must outlive the origin and its forks. Where a bound is reached, or there is no
// memory, it is left out: from then on nothing that is not found is called ungrounded, but unknown.
void lg_origin_take(lg_origin *origin, lg_origin_source source, lg_str text);

// Was every text taken in whole?
bool lg_origin_is_whole(const lg_origin *origin);

// Where each leaf of `args` (any JSON value) comes from. `parameters` is the JSON Schema of the tool's arguments, or
// NULL. Answers live in `arena`. Fails with LG_ERR_OOM; a tree deeper than LG_JSON_DEPTH_MAX is LG_ERR_LIMIT.
LG_NODISCARD lg_status lg_origin_ask(lg_origin *origin, lg_arena *arena, const lg_json *args,
                                     const lg_json *parameters, lg_origin_answers *ret,
                                     lg_error *reterr);

// Appends the JSON pointer of the field in which a place of LG_ORIGIN_FIELD lies; nothing for any other, and
// for a text that only looks like JSON. Parses that text. False when out of memory.
LG_NODISCARD bool lg_origin_pointer(const lg_origin *origin, const lg_origin_place *place,
                                    lg_buf *out);

#endif
