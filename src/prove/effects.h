// effects.h: one call of a tool, carried out on every state in which it may be made.
#ifndef LG_PROVE_EFFECTS_H
#define LG_PROVE_EFFECTS_H

#include "prove/task.h"
#include "symbolic/translate.h"

typedef struct transition {
    bench *b;
    input *state;
    val ledger, before, after, result;
    term completes; // no step fails and undoes what was done
    term stopped;   // one has failed half-way: there is no result
    term done;      // the gate allows it, and it completes
} transition;

// Looks for a case that breaks `condition`, of whose truth `holds` speaks, and carries it out.
reply transition_breach(transition *d, const lg_condition *condition, term holds, trial *ret);
// Looks for a case in which the call is carried out, and does so.
reply transition_success(transition *d, trial *ret);

// The state with a text of its own in each field that may be absent, so that reads can look for it;
// NULL when out of memory.
const lg_json *filled_state(bench *b, const lg_json *state);
// The ledger that reads of `state` make where `wanted` has records; NULL when out of memory.
const lg_json *reread_ledger(task *t, const lg_json *state, const lg_json *wanted);

#endif
