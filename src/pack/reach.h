// reach.h: which parts of the state a tool shows, and which it changes.
//
// Worked out once, when a pack is loaded, from the trees of its expressions: `gives` shows every path
// of the state that it reads, steps change every path that they aim at. A ledger record is stale
// after a call that changes a path which the record's read has shown; that comparison is all that is
// left to do for an event, with the keys that the two calls bring.
//
// Everything here is rather too much than too little: a key that cannot be told is any key, and an
// expression that cannot be followed reads all of the state.
#ifndef LG_PACK_REACH_H
#define LG_PACK_REACH_H

#include "json/json.h"

#define LG_REACH_STEPS_MAX 8u

typedef enum lg_reach_key {
    LG_REACH_NAME,  // a field, or a key that the pack says
    LG_REACH_VALUE, // a key that is known once the call is
    LG_REACH_ANY,
} lg_reach_key;

typedef struct lg_reach_step {
    lg_reach_key key;
    lg_str name;
    const struct lg_reach_value *value;
} lg_reach_step;

// A path of the state, and all that lies above and below it. A longer path is cut: then it reaches
// further than it was written.
typedef struct lg_reach {
    lg_reach_step steps[LG_REACH_STEPS_MAX];
    uint32_t count; // 0: all of the state
    bool presence;  // only whether something stands there, not what
    const struct lg_reach_only
        *only; // of a change: it is made only where all of these hold; or NULL
} lg_reach;

// A condition of a change: this text stands there in the state before the call.
typedef struct lg_reach_only {
    const struct lg_reach_only *next;
    lg_reach path;
    lg_str text;
} lg_reach_only;

// A key that a call brings: `args.order_id`, or `state.orders[args.order_id].user_id`, where the
// ledger may stand in for the state. It may be one of several: of all items of a list, where the path has a step
// that is any (`each: args.flights`), or of some texts that the pack says.
typedef struct lg_reach_value {
    const lg_str *texts; // one of these, if there are any
    uint32_t text_count;
    bool of_state;   // else of the arguments
    bool late;       // of the state as earlier steps of the same call have left it
    uint32_t record; // of_state: how many steps lead to the record; the rest lies within it
    lg_reach path;
} lg_reach_value;

typedef struct lg_reach_set {
    const lg_reach *items;
    size_t count;
    bool anything; // all of the state, or an unknown part of it
} lg_reach_set;

// May a change of `changed` be seen in `shown`? Keys that a call brings may be equal.
bool lg_reach_meets(const lg_reach *changed, const lg_reach *shown);

#endif
