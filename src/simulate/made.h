// made.h: values that were made of schemas, kept beside a session so that the same one is not made again.
//
// What a schema and a seed make is always the same: whether it is still here changes no answer, only how long it takes. Bounded:
// what does not fit makes all of it begin anew. Not thread-safe; a family's sessions share one.
#ifndef LG_SIMULATE_MADE_H
#define LG_SIMULATE_MADE_H

#include "base/arena.h"
#include "schema/schema.h"
#include "json/json.h"

typedef struct sim_made_slot {
    const lg_schema *schema; // NULL: free
    uint64_t seed;
    const lg_json *value;
} sim_made_slot;

typedef struct sim_made {
    lg_arena arena;
    sim_made_slot *slots; // in the arena; NULL: none yet
} sim_made;

void sim_made_init(sim_made *made);
void sim_made_done(sim_made *made);

// A copy in `arena`, or NULL: it is not here, or there is no memory.
const lg_json *sim_made_find(const sim_made *made, lg_arena *arena, const lg_schema *schema,
                             uint64_t seed);
void sim_made_add(sim_made *made, const lg_schema *schema, uint64_t seed, const lg_json *value);

#endif
