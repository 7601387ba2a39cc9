// steps.h: effects, carried out on every state at once.
//
// Steps are done one after the other, each under the condition that it is reached; there is one
// state, and what a step changes becomes a choice inside it. A `fail` ends the call, so everything
// after it is about the calls that did not fail.
#ifndef LG_SYMBOLIC_STEPS_H
#define LG_SYMBOLIC_STEPS_H

#include "pack/pack.h"
#include "symbolic/value.h"

typedef struct carried_out {
    val state;    // after the call
    val result;   // what it gives; unknown if the pack does not say
    term failed;  // a `fail` was reached: the state is as it was
    term stopped; // one that keeps what was done: of the result nothing is known
    term fault;   // a step could not be done
} carried_out;

carried_out steps_of_tool(problem *p, const lg_pack *pack, const lg_tool *tool, val state, val args,
                          term now);

#endif
