// fitting.h: which pack a recorded conversation is of.
#ifndef LG_SESSION_FITTING_H
#define LG_SESSION_FITTING_H

#include "pack/pack.h"
#include "trace/trace.h"

// Names of the tools that the agent called, in the order of their bytes and each once; in the arena. False when out of
// memory.
bool lg_called_tools(lg_arena *arena, const lg_trace *trace, const lg_str **ret_names,
                     size_t *ret_count);

// The pack that its tools fit (lg_pack_choose), or NULL. Takes memory from `scratch`. False when out of memory.
bool lg_fitting_pack(lg_arena *scratch, const lg_pack *const *packs, size_t count,
                     const lg_trace *trace, const lg_pack **ret_pack);

#endif
