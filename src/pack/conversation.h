// conversation.h: rules about the course of a conversation, as the pack says them, compiled.
//
// Rules of tools ask what the ledger holds; these ask what came before, and what is still owed. They
// speak of events through patterns: a kind of event, the tools, a condition. From patterns come
// *signals*, past-time formulas under a name (once, since, count, each perhaps within a window), and
// rules of four shapes. Everything is found at load: unknown tools and names, ill-typed conditions,
// impossible windows. docs/pack-format.md, "Conversation rules", describes the language;
// conversation/conversation.h runs it.
#ifndef LG_PACK_CONVERSATION_H
#define LG_PACK_CONVERSATION_H

#include "pack/pack.h"

// Which events a pattern is about: any of these bits.
enum {
    LG_ON_CALL = 1,   // a call, proposed or recorded
    LG_ON_RESULT = 2, // what a tool returned
    LG_ON_ERROR = 4,  // its failure
    LG_ON_USER = 8,   // a message of the user
    LG_ON_AGENT = 16, // a message of the agent
    LG_ON_ANYTHING = LG_ON_CALL | LG_ON_RESULT | LG_ON_ERROR | LG_ON_USER | LG_ON_AGENT,
};

// One of the alternatives of a pattern.
typedef struct lg_pattern_part {
    uint32_t on;                // the bits above
    const bool *tools;          // by index in the pack; NULL: any, also one that it does not know
    const lg_cel_program *when; // or NULL
    const lg_cel_program *key;  // or NULL: what the event is about, for rules that are kept by key
    lg_str text;                // "result of cancel_order", for messages
    uint32_t offset;
} lg_pattern_part;

// Matches an event that one of its parts matches; the first of them gives the key.
typedef struct lg_pattern {
    const lg_pattern_part *parts;
    size_t count;
} lg_pattern;

// A distance back in time, both ends included: `within: {events: 20}` is at most 20 events ago.
typedef enum lg_window_unit {
    LG_WINDOW_NONE,    // the whole conversation
    LG_WINDOW_EVENTS,  // messages, calls, results and errors
    LG_WINDOW_TURNS,   // recorded messages
    LG_WINDOW_CALLS,   // calls of the agent
    LG_WINDOW_SECONDS, // decidable only where every event has a time
} lg_window_unit;
#define LG_WINDOW_UNITS 5

typedef struct lg_window {
    lg_window_unit unit;
    int64_t size; // in the unit; of seconds, in milliseconds
} lg_window;

#define LG_WINDOW_SIZE_MAX INT64_C(1000000000)

// A past-time formula with a name. At each event its value follows from the value before and from
// what this event matches, in constant time.
typedef enum lg_signal_kind {
    LG_SIGNAL_ONCE,  // bool: an event matched, this one included
    LG_SIGNAL_SINCE, // bool: `from` matched, and since then `until` has not, and `hold` was true
    LG_SIGNAL_COUNT, // int: how many matched
} lg_signal_kind;

typedef struct lg_signal {
    lg_str name;
    lg_signal_kind kind;
    lg_pattern of;              // once, count; since: `from`
    lg_pattern until;           // since: none, or what ends it
    const lg_cel_program *hold; // since: `while`, or NULL
    lg_window within;
    uint32_t offset;
} lg_signal;

typedef enum lg_course_kind {
    LG_COURSE_NEVER,  // `from`, then never `to`, unless `unless` came in between
    LG_COURSE_BEFORE, // before `then`, `first`
    LG_COURSE_AFTER,  // after `after`, `must`, within the window, at the latest before the end
    LG_COURSE_THAT,   // at `at`, `that` is true
    // What the message that a call belongs to may hold.
    LG_COURSE_SINGLE_CALL, // no other call
    LG_COURSE_NO_TEXT,     // no text
} lg_course_kind;

typedef struct lg_course_rule {
    lg_str id;
    lg_course_kind kind;
    lg_pattern opens;  // never: `from`; before: `first`; after: `after`
    lg_pattern judged; // never: `to`; before: `then`; that: `at`. The event that is refused
    lg_pattern closes; // never: `unless`; after: `must`
    bool keyed;        // kept apart by key: its patterns have one
    const lg_cel_program *that;
    lg_window within;
    lg_verdict otherwise; // LG_ALLOW: `report`, a finding that refuses nothing
    bool has_say;
    lg_template say; // of `after`: slots LG_OWED_SLOT_...; else those of events
    lg_str because;
    uint32_t offset;
} lg_course_rule;

// Slots of conditions, keys and messages: an event and what the ledger held before it. What an event
// does not have is null, of a message `args` and `result`. The signals follow in their order; the
// condition of a signal sees those before it.
enum {
    LG_COURSE_SLOT_LEDGER,
    LG_COURSE_SLOT_ARGS,
    LG_COURSE_SLOT_RESULT,
    LG_COURSE_SLOT_MESSAGE,
    LG_COURSE_SLOT_TOOL,
    LG_COURSE_SLOT_KIND, // "call", "result", "error", "user", "agent"
    LG_COURSE_SLOT_COUNT
};

// Slots for the message of an obligation: the values when it arose.
enum { LG_OWED_SLOT_KEY, LG_OWED_SLOT_TOOL, LG_OWED_SLOT_TURN, LG_OWED_SLOT_COUNT };

#define LG_COURSE_SIGNALS_MAX 64u // of a pack
#define LG_COURSE_RULES_MAX 128u
#define LG_PATTERN_PARTS_MAX 16u // of a pattern

// Rules about the course of the conversation.
typedef struct lg_course {
    const lg_signal *signals;
    size_t signal_count;
    const lg_course_rule *rules;
    size_t rule_count;
    bool has_ends;
    lg_pattern ends; // an event that ends the conversation: nothing may be owed then
} lg_course;

#endif
