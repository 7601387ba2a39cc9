// open_world_internal.h: what the files of the open world share and nobody else sees.
#ifndef LG_SIMULATE_OPEN_WORLD_INTERNAL_H
#define LG_SIMULATE_OPEN_WORLD_INTERNAL_H

#include "simulate/open_world.h"

// --- What a tool is about (guess.c) -------------------------------------------------------------

// Is a tool known by its name alone? All are but the operations of a real REST interface.
bool ow_is_rpc(const lg_catalogue_tool *tool);

#endif
