// conversation.h: rules about the course of a conversation, run over its events.
//
// Each event costs constant time, however long the conversation is: a signal's value follows from
// its value before and from this event, and a rule keeps a bounded table of what is open. The same
// steps serve live and recorded events. Judging an event changes nothing; observing it does.
//
//     lg_conversation c;
//     lg_conversation_init(&c, pack, &limits);
//     lg_conversation_judge(&c, &call, &bounds, &scratch, &findings, &err);  // as if it came next
//     lg_conversation_state before = c.state;                       // a snapshot, in O(1)
//     lg_conversation_observe(&c, &call, &scratch, NULL, &err);     // it came
//     lg_conversation_owed(&c, &scratch, &owed, &count, &err);      // now, or at the end
//     c.state = before;                                             // as if it had never come
//
// What no state needs any more is given back by lg_conversation_tidy(). Who keeps snapshots calls it, and
// chooses when.
//
// Order: events are observed as they happen, the calls of one message before what they returned.
//
// Three answers. Where a time is missing, a window in seconds is not decidable, nor is what depends
// on it. What is certain is kept apart from what is possible, so that the one never hides the other;
// what is only possible is counted as undecided, never as kept.
#ifndef LG_CONVERSATION_H
#define LG_CONVERSATION_H

#include "pack/conversation.h"
#include "trace/trace.h"

// Matches that a count with a window remembers: it stands for that many, or more.
#define LG_CONVERSATION_COUNT_MAX 1024u
// Keys that a rule keeps apart at one time. What is beyond is counted as undecided.
#define LG_CONVERSATION_KEYS_MAX 256u
#define LG_CONVERSATION_KEY_BYTES 64u // a longer key stands as its hash
// Values of undecided signals with which a condition is tried: if all give one answer, it is certain.
#define LG_CONVERSATION_TRIALS_MAX 64u
#define LG_CONVERSATION_REFS_MAX 4u // events that a finding names

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
    lg_time time; // from 1970 to 9999; any other is none
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

// All that is known of a conversation: a snapshot. Valid until the conversation is reset, freed, or
// tidied without it.
typedef struct lg_conversation_state {
    const struct signal_state *const *signals; // NULL, and NULL in it: as at the beginning
    const struct rule_state *const *rules;     // likewise
    uint32_t events;                           // observed so far
    int64_t at[LG_WINDOW_UNITS];               // positions of the latest event; of seconds, of the
                                               // latest that has a time, in milliseconds
    bool in_turn;                              // a message is known:
    uint32_t turn;                             // the latest
    bool turn_timed;                           // its time is known:
    int64_t turn_at;                           // then this; else nothing of it is earlier
    uint32_t calls_in_turn, texts_in_turn;     // of the agent
    uint32_t stray_calls, stray_texts;         // since it began, of no known message
    lg_conversation_ref call_in_turn, text_in_turn; // the first of them
    bool lost; // an event could not be followed within its steps: nothing can be said any more
} lg_conversation_state;

typedef struct lg_conversation {
    const lg_pack *pack;
    lg_limits limits;
    lg_conversation_state state;
    lg_arena arena; // of all states since it was tidied
    uint64_t work;  // steps of the automata, for tests: patterns, signals and keys looked at
    // Private.
    size_t tidy_bytes; // that the arena held when it was tidied
} lg_conversation;

// `pack` must outlive it. Allocates nothing yet, and without conversation rules never.
void lg_conversation_init(lg_conversation *c, const lg_pack *pack, const lg_limits *limits);
void lg_conversation_share(lg_conversation *c, lg_quota *quota); // its memory counts there as well
void lg_conversation_reset(lg_conversation *c);                  // forgets, keeps the memory
void lg_conversation_done(lg_conversation *c);

// Gives back what neither the state nor one of the `snapshots` needs, once there is as much of it as
// they need, or more. Without the memory for it all is as it was.
void lg_conversation_tidy(lg_conversation *c, lg_conversation_state *const *snapshots,
                          size_t count);
bool lg_conversation_is_untidy(const lg_conversation *c); // is there as much?

// The same, however little it is: for when memory has run out. False if there was nothing to give.
bool lg_conversation_tidy_now(lg_conversation *c, lg_conversation_state *const *snapshots,
                              size_t count);

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

// Judges `event` as if it came next. Fails with LG_ERR_OOM.
LG_NODISCARD lg_status lg_conversation_judge(const lg_conversation *c,
                                             const lg_conversation_event *event,
                                             const lg_conversation_bounds *bounds,
                                             lg_arena *scratch, lg_conversation_findings *ret,
                                             lg_error *reterr);

// The event came. `ret` may be NULL, if it was judged before. System messages are no events here. Fails
// with LG_ERR_OOM; then the state is as it was, and whoever cannot try again must not go on, since the
// event has come. Fails with LG_ERR_LIMIT if what the event is to the rules cannot be found out within
// observe_steps: what it opened or closed is unknown. Then the state is `lost`, and nothing else of it
// has changed: whatever is judged by it is refused.
LG_NODISCARD lg_status lg_conversation_observe(lg_conversation *c,
                                               const lg_conversation_event *event,
                                               lg_arena *scratch, lg_conversation_findings *ret,
                                               lg_error *reterr);

// What is owed, in the order of the rules and in which it arose, with what came too late.
LG_NODISCARD lg_status lg_conversation_owed(const lg_conversation *c, lg_arena *scratch,
                                            const lg_obligation **ret, size_t *ret_count,
                                            lg_error *reterr);

// Of rule `index` of the pack's course. Obligations that may be open, and may not, are undecided.
lg_conversation_tally lg_conversation_tally_of(const lg_conversation *c, size_t index);

// Obligations of all rules that were too many to follow.
uint64_t lg_conversation_dropped(const lg_conversation *c);

#endif
