// conversation_internal.h: what the files of this room share about one event.
#ifndef LG_CONVERSATION_INTERNAL_H
#define LG_CONVERSATION_INTERNAL_H

#include "conversation/conversation.h"

typedef enum answer { ANSWER_NO, ANSWER_YES, ANSWER_UNKNOWN } answer;

// When something was last so, and when it last may have been so. Positions count in the unit of the
// window.
typedef struct mark {
    bool is, maybe;
    int64_t at, maybe_at;
} mark;

typedef struct signal_state {
    mark last;          // once: a match; since: the latest `from` that still holds; count: `maybe`
    uint32_t total;     // count: matches, at most UINT32_MAX
    int64_t *positions; // count with a window: of the latest matches, in a ring
    lg_cel_value value; // at the latest event
    lg_cel_failure why; // it is undecided
} signal_state;

// What a signal will be once the event was observed.
typedef struct signal_next {
    mark last;
    bool counted;
    lg_cel_failure why;
} signal_next;

typedef enum entry_state {
    ENTRY_OPEN,
    ENTRY_LATE, // of an obligation: met, but after its window
} entry_state;

// What a rule remembers of one key: where it was opened. Rules without keys have one, the empty.
typedef struct entry {
    char key[LG_CONVERSATION_KEY_BYTES];
    uint32_t key_len;
    entry_state state;
    int64_t at;
    lg_conversation_ref ref;
} entry;

typedef struct rule_state {
    entry *entries;
    size_t count;
    size_t capacity;
    uint64_t dropped; // keys that found no place
    bool blind;       // something it depends on is undecided for good
    lg_conversation_tally tally;
} rule_state;

// A key as text.
typedef struct course_key_text {
    char bytes[LG_CONVERSATION_KEY_BYTES];
    uint32_t len;
    bool is;
} course_key_text;

// What an event is to one pattern.
typedef struct match {
    answer is;
    course_key_text key;
    const lg_cel_failure *failure; // unknown, or no match because of a defect
    const lg_cel_program *program; // that failed
} match;

// What an event is to one rule.
typedef struct rule_match {
    match judged, closes, opens;
} rule_match;

// One event on its way through.
typedef struct passage {
    lg_conversation *c;
    const lg_course *course;
    const lg_conversation_event *event;
    lg_arena *scratch;
    bool oom;      // something was not found out for want of memory: no answer counts
    uint32_t on;   // the event's bit
    uint32_t tool; // index, or LG_NO_EVENT
    int64_t at[LG_WINDOW_UNITS];
    bool timed; // all events have a time, this one included
    lg_cel_value *values;
    bool has_result; // values hold it
    signal_next *signals;
    rule_match *rules;
    match ends;
    lg_finding *findings;
    size_t finding_count;
    size_t judged, binding, undecided;
    uint64_t absent; // conditions that spoke of something absent, since this was last zeroed
    bool commits;    // tallies count
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

// --- match.c ------------------------------------------------------------------------------------

extern const lg_cel_failure course_no_times; // why something is undecidable

// Fills the slots of the event itself. False when out of memory.
bool passage_init(passage *p);
lg_cel_value passage_eval(passage *p, const lg_cel_program *program);
match passage_match(passage *p, const lg_pattern *pattern);
lg_conversation_ref passage_ref(const passage *p);

// Is a position at most the window's size back?
answer passage_within(const passage *p, const lg_window *window, int64_t at);

// --- signals.c ----------------------------------------------------------------------------------

lg_status signals_init(lg_conversation *c);
void signals_forget(lg_conversation *c);
void signals_pass(passage *p); // their values at this event
void signals_commit(passage *p);

// --- rules.c ------------------------------------------------------------------------------------

// Matches and judges; LG_ERR_OOM.
lg_status rules_pass(passage *p);
lg_status rules_commit(passage *p);

// --- words.c ------------------------------------------------------------------------------------

typedef struct refs {
    lg_conversation_ref items[LG_CONVERSATION_REFS_MAX];
    size_t count;
    size_t more; // that did not fit
} refs;

// Adds a finding of a rule that is violated, with the events that decided.
lg_status words_violated(passage *p, const lg_course_rule *rule, const match *m, const refs *seen);
lg_status words_defect(passage *p, const lg_course_rule *rule, const lg_cel_program *program,
                       const lg_cel_failure *failure);

#endif
