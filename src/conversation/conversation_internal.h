// conversation_internal.h: what the files of this room share about one event.
//
// What states point to never changes: an event makes new signal states and rule states for those
// that it changes, and a table of pointers to all of them.
#ifndef LG_CONVERSATION_INTERNAL_H
#define LG_CONVERSATION_INTERNAL_H

#include "conversation/conversation.h"

#include "base/map.h"

typedef enum answer { ANSWER_NO, ANSWER_YES, ANSWER_UNKNOWN } answer;

static inline answer answer_both(answer a, answer b)
{
    return a == ANSWER_NO || b == ANSWER_NO     ? ANSWER_NO
           : a == ANSWER_YES && b == ANSWER_YES ? ANSWER_YES
                                                : ANSWER_UNKNOWN;
}

static inline answer answer_not(answer a)
{
    return a == ANSWER_NO ? ANSWER_YES : a == ANSWER_YES ? ANSWER_NO : ANSWER_UNKNOWN;
}

// --- What is remembered -------------------------------------------------------------------------

// When events happened, of which one is asked whether it lies within a window. Of those with a time
// the latest answers for all. Positions count in the unit of the window; seconds alone may lack one.
typedef struct moments {
    bool is;      // there is one
    bool timed;   // with a time:
    int64_t at;   // the latest such
    bool untimed; // without
} moments;

// What is certainly so, and what may be: the latter holds the former.
typedef struct mark {
    moments sure, maybe;
} mark;

static inline bool mark_is_sound(const mark *m) // for assertions
{
    return !m->sure.is || m->maybe.is;
}

#define CHUNK_POSITIONS 128u
#define RING_CHUNKS (LG_CONVERSATION_COUNT_MAX / CHUNK_POSITIONS + 1)

// Sorted positions. States share a chunk, and each looks at as many positions as its ring counts. So one more
// is written in place, where no other state looks. Only if that place is taken, by another future of the same
// past, or if a position belongs between others, is the chunk copied.
typedef struct chunk {
    uint32_t used;
    int64_t at[CHUNK_POSITIONS];
} chunk;

// The positions of the latest matches.
typedef struct ring {
    uint64_t total; // of all matches
    chunk *chunks[RING_CHUNKS];
} ring;

typedef struct signal_state {
    mark last; // once: matches; since: beginnings that still hold
    // Of a count: certain matches, and those that may be some or lack a time for the window.
    uint64_t total, doubtful;
    uint64_t untimed;      // of the doubtful, those without a time: they may lie within any window
    const ring *positions; // of those with a place in the window; NULL: none, or no window
    const ring *doubtful_positions;
    lg_cel_failure why; // it is undecided, where it is
} signal_state;

// What a rule remembers of one key: when it was opened and not closed since. An obligation keeps the
// first moment, which is the strictest.
typedef struct entry {
    mark open;
    lg_conversation_ref sure, maybe; // the events that decide
    uint32_t key_len;                // with its tag
    char key[];
} entry;

// An obligation that was not met in its time.
typedef struct breach {
    const struct breach *older;
    const entry *entry;
    bool met; // but late; else it may never have been
} breach;

typedef struct rule_state {
    lg_map entries;   // by key, of a rule that is kept by key
    const entry *all; // of a rule without keys; of one with keys: what may be open for any
    const breach *breaches;
    uint32_t breach_count;
    uint64_t dropped; // keys that found no place
    lg_conversation_tally tally;
} rule_state;

extern const signal_state course_no_signal; // as they are at the beginning
extern const rule_state course_no_rule;

static inline const signal_state *signal_of(const lg_conversation_state *state, size_t index)
{
    return state->signals && state->signals[index] ? state->signals[index] : &course_no_signal;
}

static inline const rule_state *rule_of(const lg_conversation_state *state, size_t index)
{
    return state->rules && state->rules[index] ? state->rules[index] : &course_no_rule;
}

// --- One event ----------------------------------------------------------------------------------

// A key as text, behind a tag: texts are no numbers, and no hashes.
typedef struct course_key_text {
    char bytes[1 + LG_CONVERSATION_KEY_BYTES];
    uint32_t len; // 0: none
} course_key_text;

static inline lg_str key_str(const course_key_text *key)
{
    return lg_str_of(key->bytes, key->len);
}

// Without its tag.
static inline lg_str key_shown(const char *key, uint32_t len)
{
    return len ? lg_str_of(key + 1, len - 1) : LG_STR("");
}

// What an event is to one pattern. If it may match, and has no key in a rule with keys, it may match
// for any key.
typedef struct match {
    answer is;
    course_key_text key;
    const lg_cel_failure *defect;  // a condition could not be evaluated: then it may match
    const lg_cel_program *program; // that one
} match;

// What an event is to one rule.
typedef struct rule_match {
    match judged, closes, opens;
    lg_conversation_tally tally; // what it adds
} rule_match;

// What a signal is at an event.
typedef struct signal_now {
    signal_state next; // once the event was observed
    bool changed;
    answer of;         // does the event match
    int64_t low, high; // the values that it may have; of a bool 0 and 1
} signal_now;

// One event on its way through.
typedef struct passage {
    const lg_conversation *c;
    const lg_course *course;
    const lg_conversation_event *event;
    lg_arena *scratch;
    lg_conversation_state next; // once the event was observed
    bool same_turn;             // it belongs to the message of the events before it
    bool oom;                   // something was not found out for want of memory: no answer counts
    uint32_t on;                // the event's bit
    uint32_t tool;              // index, or LG_NO_EVENT
    int64_t at[LG_WINDOW_UNITS];
    bool timed; // the event has a time
    lg_cel_value *values;
    bool has_result; // values hold it
    signal_now *signals;
    rule_match *rules;
    match ends;
    lg_finding *findings;
    size_t finding_count;
    size_t judged, binding, undecided;
    uint64_t absent; // conditions that spoke of something absent, since this was last zeroed
    uint64_t work;
    lg_conversation_bounds bounds;
    lg_str unfinished; // the rule at which the steps ended
    bool over_limit; // a condition has met a limit of its own: what the event is was not found out
} passage;

// Takes steps of the verdict; false when it has none left.
static inline bool passage_pay(const passage *p, uint64_t steps)
{
    return lg_budget_take(p->bounds.verdict, steps);
}

static inline bool passage_is_spent(const passage *p)
{
    return lg_budget_is_spent(p->bounds.verdict);
}

// --- moments.c ----------------------------------------------------------------------------------

// Adds the event to the moments.
void moments_add(const passage *p, lg_window_unit unit, moments *m);

// Is one of them at most the window's size back?
answer moments_within(const passage *p, const lg_window *window, const moments *m);

void mark_add(const passage *p, lg_window_unit unit, answer is, mark *m);
void mark_go_on(mark *m, answer goes_on); // what began goes on, ends, or may have ended
answer mark_within(const passage *p, const lg_window *window, const mark *m);

// How many of the ring's latest positions are within the window.
uint64_t ring_within(passage *p, const lg_window *window, const ring *r);

// With one more. NULL when out of memory.
const ring *ring_with(lg_arena *arena, const ring *r, int64_t at);

// --- match.c ------------------------------------------------------------------------------------

extern const lg_cel_failure course_no_times; // why something is undecidable

// What a condition is at the event.
typedef struct truth {
    answer is;
    bool absent;                  // it spoke of something that is not there
    bool of_args;                 // and that is an argument
    const lg_cel_failure *defect; // it cannot be evaluated
} truth;

// Fills the slots of the event itself. False when out of memory.
bool passage_init(passage *p);
truth passage_ask(passage *p, const lg_cel_program *program);
match passage_match(passage *p, const lg_pattern *pattern);
lg_conversation_ref passage_ref(const passage *p);

// --- signals.c ----------------------------------------------------------------------------------

void signals_pass(passage *p); // their values at this event
LG_NODISCARD lg_status signals_commit(passage *p, lg_arena *arena);

// --- rules.c ------------------------------------------------------------------------------------

// Matches and judges; LG_ERR_OOM.
LG_NODISCARD lg_status rules_pass(passage *p);

// --- table.c ------------------------------------------------------------------------------------

// Is anything open for the match's key, within the rule's window? The entry, or NULL.
answer table_open(passage *p, const lg_course_rule *rule, const rule_state *state, const match *m,
                  const entry **ret);
LG_NODISCARD lg_status table_commit(passage *p, lg_arena *arena);

// --- words.c ------------------------------------------------------------------------------------

typedef struct refs {
    lg_conversation_ref items[LG_CONVERSATION_REFS_MAX];
    size_t count;
    size_t more; // that did not fit
} refs;

// Adds a finding of a rule that is violated, with the events that decided. `owed`: the first entry
// that is, of an obligation.
LG_NODISCARD lg_status words_violated(passage *p, const lg_course_rule *rule, const match *m,
                                      const refs *seen, const entry *owed);
LG_NODISCARD lg_status words_defect(passage *p, const lg_course_rule *rule,
                                    const lg_cel_program *program, const lg_cel_failure *failure);

#endif
