// dialogue.h: what agent and user mean to each other, as far as words tell: asking, agreeing, handing over, ending.
//
// All of these are guesses from words, each made so that what builds on it stays right: `agrees` is strict, `may agree`
// is generous.
#ifndef LG_AUDIT_DIALOGUE_H
#define LG_AUDIT_DIALOGUE_H

#include "audit/audit_internal.h"

bool audit_is_call(const audit_case *c, size_t index); // of the agent's
// The event that answers the call; NULL: nothing does.
const lg_trace_event *audit_answer(const audit_case *c, size_t call);
// A read of the agent's, as the pack says; without a pack by its name ("get_...", "find_...").
bool audit_is_read(const audit_case *c, size_t index);
// Does the name of a tool begin with any of a list that NULL ends?
bool audit_begins_with(lg_str tool, const char *const *words);
// Does a tool hand the user over to people, by its name? And is it a call of one?
bool audit_hands_over(lg_str tool);
bool audit_is_transfer(const audit_case *c, size_t index);

// What a call is about: the value of its first argument that is an id of something other than the user or a payment
// ("order_id", not "user_id"); empty if it has none.
lg_str audit_subject(const audit_case *c, size_t call);

// Is it a message of this role with any of the phrases (words.h)?
bool audit_says_any(audit_case *c, size_t index, lg_role role, const char *const *phrases);

// Of a message of the agent: does it ask the user to agree to something?
bool audit_asks(audit_case *c, size_t index);
// Of a message of the user: a plain yes, with no wish and no question beside it.
bool audit_agrees(audit_case *c, size_t index);
// Of a message of the user: any word of agreement; if they were `asked`, also an order to do it.
bool audit_may_agree(audit_case *c, size_t index, bool asked);

// What comes at an event or after it.
typedef struct audit_aftermath {
    bool excuse;   // the agent says that something cannot be done
    bool transfer; // or hands the user over
    bool write;    // or tries to change something, as the pack knows
    bool call;     // or calls anything
    bool reply;    // or says anything
} audit_aftermath;

// One an event, and one behind the last; NULL after a failure.
const audit_aftermath *audit_after(audit_case *c);

// Words with which an agent says that something cannot be done; NULL ends them.
extern const char *const audit_excuses[];

// Does the user ever answer the agent? Else nobody can be asked.
bool audit_is_dialogue(const audit_case *c);

#endif
