// stated.h: what the agent was told: a built-in check counts only where prompt or pack state its rule.
//
// A recorded prompt is the law of its conversation: what it does not say, no check holds against the agent, and a
// rule of the pack that quotes a policy which this prompt does not hold is undecided. Where no prompt was recorded,
// the pack's word is taken.
#ifndef LG_AUDIT_STATED_H
#define LG_AUDIT_STATED_H

#include "audit/audit_internal.h"

// What a sentence of a policy can ask of an agent, as far as built-in checks know it.
typedef enum audit_topic {
    TOPIC_ONE_CALL,     // one tool call at a time
    TOPIC_TEXT_OR_CALL, // no text for the user beside a call
    TOPIC_CONFIRM,      // changes are confirmed by the user first
    TOPIC_AUTHENTICATE, // the user is identified first
    TOPIC_CALCULATE,    // a tool does the arithmetic
    TOPIC_VERIFY,       // what was changed is read again
    TOPIC_TRY_FIRST,    // something is tried before the user is handed over
    TOPIC_COUNT
} audit_topic;

typedef struct audit_stated {
    bool is_stated;
    lg_str rule;    // of the pack, if that states it; or empty
    lg_str because; // the sentence, as it stands there
} audit_stated;

typedef struct audit_law audit_law; // private: found out once a prompt and pack

// What is found out, kept from one conversation to the next, since those of one run share their prompts: within bounds
// in number and bytes. Begins with `arena` initialised, and nothing else.
typedef struct audit_laws {
    lg_arena arena;
    audit_law *first;
    size_t count;
} audit_laws;

// Forgets all of them if they are too many; what a case holds of them is gone then.
void audit_laws_trim(audit_laws *laws);
void audit_laws_done(audit_laws *laws);

// Never NULL.
const audit_stated *audit_states(audit_case *c, audit_topic topic);

// Is this sentence about the topic? It is made plain (words.h).
bool audit_is_about(lg_str plain_sentence, audit_topic topic);

// Is a rule of the pack with this `because` law here? Not if it quotes a policy, and the recorded prompt holds neither
// the quoted words nor a sentence that asks the same. `is_course`: it is a rule about the conversation.
bool audit_is_law(audit_case *c, lg_str because, bool is_course);

// A finding of a built-in check, with what states its rule; a hint where nothing does. Returns it.
lg_audit_finding *audit_by_law(audit_case *c, lg_audit_finding *found, audit_topic topic);

#endif
