// open_world.h: what tools answer of which only the schema is known: reads of an open world, and writes that last in it.
//
// The world is one immutable value. What one call has named, another finds: entities are known by collection and id, and what
// was ever shown or written of one is never contradicted. What a seed, a tool and arguments make is always the same, so that a
// read need not be remembered to be repeated.
#ifndef LG_SIMULATE_OPEN_WORLD_H
#define LG_SIMULATE_OPEN_WORLD_H

#include "simulate/made.h"
#include "simulate/simulate.h"

typedef struct lg_open_world_call {
    const lg_sim *sim;
    const lg_sim_tool *tool;
    const lg_json *args; // valid
    const lg_json *
        state; // an object; that of a session which has seen nothing may be a user's own first state
    uint64_t seed;   // of the session
    size_t entities; // that the state may keep
    sim_made *made;  // what was made before; NULL: all is made anew
    // An answer of somebody else's (a model's, a recording's, the real tool's), which is overlaid with what was written here and
    // enters the state as if it had been made here; NULL: one is made.
    const lg_json *given;
    // Elsewhere it does not exist: what a call reads, changes or deletes is there only if it was written here.
    bool is_lacking;
    bool
        given_is_real; // the real tool's: what was only shown before does not lie over it, what was written does
} lg_open_world_call;

typedef struct lg_open_world_answer {
    lg_sim_end
        end; // LG_SIM_DONE, _ABSENT, _CONFLICT or _FAULT (no valid answer exists or was found: `error` says why)
    const lg_json *result; // valid by the tool's result schema, if it has one
    lg_str error;          // in words, unless done
    const lg_json *state;  // after the call; the very pointer of before if nothing changed
    lg_str note;           // something had to be left out, as the state is full; or empty
} lg_open_world_answer;

// Answers a call. All of it is made in `arena` and points into it, the arguments and the state. Fails with LG_ERR_OOM.
LG_NODISCARD lg_status lg_open_world_reply(lg_arena *arena, const lg_open_world_call *call,
                                           lg_open_world_answer *ret, lg_error *reterr);

// A state as it is compared with another one: what was written and what was shown stand in one `collections`, so that a change of
// what was only shown is one of its members; every collection that either has is there. False when out of memory.
LG_NODISCARD bool lg_open_world_view(lg_arena *arena, const lg_json *state, const lg_json *other,
                                     lg_json *ret);

// Is a tool a read, a write or neither? From its HTTP method, MCP annotations, or the words of its name and description; sets
// whether those words decided.
lg_tool_kind lg_guess_kind(const lg_catalogue_tool *tool, bool *ret_of_words);

#endif
