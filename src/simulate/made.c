// made.c: a table in which a newer value takes the place of an older one.
#include "simulate/made.h"

#define SLOTS 256u // a power of two
#define MADE_BYTES ((size_t)256 << 10)

void sim_made_init(sim_made *made)
{
    *made = (sim_made){.slots = NULL};
    lg_arena_init(&made->arena, MADE_BYTES);
}

void sim_made_done(sim_made *made)
{
    lg_arena_done(&made->arena);
    made->slots = NULL;
}

// Of one seed the tools' schemas are few, so that they may stand beside each other.
static sim_made_slot *slot_of(const sim_made *made, const lg_schema *schema, uint64_t seed)
{
    uint64_t mixed = (seed ^ ((uint64_t)(uintptr_t)schema >> 4)) * 0x9E3779B97F4A7C15u;
    return &made->slots[(mixed >> 32) % SLOTS];
}

const lg_json *sim_made_find(const sim_made *made, lg_arena *arena, const lg_schema *schema,
                             uint64_t seed)
{
    const sim_made_slot *slot = made->slots ? slot_of(made, schema, seed) : NULL;
    bool here = slot && slot->schema == schema && slot->seed == seed;
    return here ? lg_json_copy(arena, slot->value) : NULL;
}

void sim_made_add(sim_made *made, const lg_schema *schema, uint64_t seed, const lg_json *value)
{
    made->slots = made->slots ? made->slots : LG_NEW_ARRAY(&made->arena, sim_made_slot, SLOTS);
    const lg_json *copy = made->slots ? lg_json_copy(&made->arena, value) : NULL;
    if (!copy) {
        sim_made_done(made);
        return;
    }
    *slot_of(made, schema, seed) = (sim_made_slot){schema, seed, copy};
}
