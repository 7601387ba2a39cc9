// conversation.h: rules about the course of a conversation, run over its events.
//
// Each event costs constant time, however long the conversation is: a signal's value follows from
// its value before and from this event, and a rule keeps a bounded table of what is open. The same
// steps serve live and recorded events. Judging an event changes nothing; observing it does.
//
//     lg_conversation c;
//     if (lg_conversation_init(&c, pack, &limits) != LG_OK) ...
//     lg_conversation_judge(&c, &call, &scratch, &findings, &err);  // as if it came next
//     lg_conversation_observe(&c, &call, &scratch, NULL, &err);     // it came
//     lg_conversation_owed(&c, &scratch, &owed, &count, &err);      // now, or at the end
//
// Order: a call and its result are observed one right after the other, as a live session sees them,
// also where a recording keeps the results of several calls together.
//
// Three answers. A window in seconds needs a time at every event. Where one is missing it is not
// decidable, nor is what depends on it: such a rule is counted as undecided, never as kept.
#ifndef LG_CONVERSATION_H
#define LG_CONVERSATION_H

#include "pack/conversation.h"
#include "trace/trace.h"

// Matches that a count with a window remembers: it stands for that many, or more.
#define LG_CONVERSATION_COUNT_MAX 1024u
// Keys that a rule keeps apart at one time. What is beyond is counted as undecided.
#define LG_CONVERSATION_KEYS_MAX 256u
#define LG_CONVERSATION_KEY_BYTES 64u // a longer key stands as its hash
#define LG_CONVERSATION_REFS_MAX 4u   // events that a finding names

typedef struct lg_conversation_event {
    lg_event_kind kind;
    lg_role role;  // of a message: who speaks; else who requested the call
    bool has_turn; // false: it belongs to no message that is known here
    uint32_t turn;
    lg_str tool;
    const lg_json *args;   // of a call, result or error; NULL if they could not be read
    lg_str text;           // of a message, a result or an error
    const lg_json *ledger; // what it held before the event
    bool has_time;
    lg_time time;
} lg_conversation_event;

// An event that is remembered, to be named.
typedef struct lg_conversation_ref {
    uint32_t event; // from 0
    uint32_t turn;
    uint32_t on;   // its bit of lg_pattern_part
    uint32_t tool; // index in the pack, or LG_NO_EVENT
} lg_conversation_ref;

// What happened to a rule so far.
typedef struct lg_conversation_tally {
    uint64_t judged;    // events that it spoke about
    uint64_t violated;  // of these, those that it refuses or reports
    uint64_t undecided; // of these, those that it could not decide
    uint64_t absent;    // conditions of it that spoke of something that was not there
} lg_conversation_tally;

typedef struct lg_conversation {
    const lg_pack *pack;
    lg_limits limits;
    lg_arena arena;
    lg_status broken; // an observation failed half-way: nothing can be said any more
    struct signal_state *signals;
    struct rule_state *rules;
    uint32_t events;             // observed so far
    int64_t at[LG_WINDOW_UNITS]; // positions of the latest event
    bool times_lost;             // an event without a time was observed
    bool in_turn;                // the latest event has a turn:
    uint32_t turn;
    uint32_t calls_in_turn, texts_in_turn;          // of the agent
    lg_conversation_ref call_in_turn, text_in_turn; // the first of them
    uint64_t work; // steps of the automata, for tests: patterns, signals and keys looked at
} lg_conversation;

// `pack` must outlive it. Without conversation rules it costs nothing. Fails with LG_ERR_OOM; then
// lg_conversation_done() is still allowed.
LG_NODISCARD lg_status lg_conversation_init(lg_conversation *c, const lg_pack *pack,
                                            const lg_limits *limits);
void lg_conversation_share(lg_conversation *c, lg_quota *quota);  // its memory counts there
LG_NODISCARD lg_status lg_conversation_reset(lg_conversation *c); // forgets, keeps the memory
void lg_conversation_done(lg_conversation *c);

// The rules that an event does not meet, with their verdicts; LG_ALLOW is that of a rule that only
// reports. Everything lives in the scratch arena, or in pack and event.
typedef struct lg_conversation_findings {
    const lg_finding *items;
    size_t count;
    size_t judged;     // rules that spoke about the event
    size_t binding;    // of these, those that can refuse it
    size_t undecided;  // of these, those that could not decide
    lg_str unfinished; // the rule at which the steps ended: it and those after it are not known
    bool lost;         // these are all of them, since an earlier event could not be followed
} lg_conversation_findings;

// What judging may take: for the verdict, and for its words. Either may be NULL.
typedef struct lg_conversation_bounds {
    lg_budget *verdict;
    lg_budget *words;
} lg_conversation_bounds;

LG_NODISCARD lg_status lg_conversation_judge_within(
    lg_conversation *c, const lg_conversation_event *event, const lg_conversation_bounds *bounds,
    lg_arena *scratch, lg_conversation_findings *ret, lg_error *reterr);

// Judges `event` as if it came next, within decision_steps. Fails with LG_ERR_OOM.
LG_NODISCARD lg_status lg_conversation_judge(lg_conversation *c, const lg_conversation_event *event,
                                             lg_arena *scratch, lg_conversation_findings *ret,
                                             lg_error *reterr);

// The event came. `ret` may be NULL, if it was judged before. System messages are no events here. Fails
// with LG_ERR_OOM, and with LG_ERR_LIMIT if what the event is to the rules cannot be found out within
// observe_steps: what it opened or closed is unknown, so that nothing can be judged any more.
LG_NODISCARD lg_status lg_conversation_observe(lg_conversation *c,
                                               const lg_conversation_event *event,
                                               lg_arena *scratch, lg_conversation_findings *ret,
                                               lg_error *reterr);

// What is owed, in the order of the rules and in which it arose, with what came too late.
LG_NODISCARD lg_status lg_conversation_owed(const lg_conversation *c, lg_arena *scratch,
                                            const lg_obligation **ret, size_t *ret_count,
                                            lg_error *reterr);

// Of rule `index` of the pack's course.
lg_conversation_tally lg_conversation_tally_of(const lg_conversation *c, size_t index);

// Obligations of all rules that were too many to follow.
uint64_t lg_conversation_dropped(const lg_conversation *c);

// The value of signal `index` at the latest event: a bool or an int; an error if it is undecided.
lg_cel_value lg_conversation_signal(const lg_conversation *c, size_t index);

#endif
