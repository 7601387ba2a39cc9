// checklist_internal.h: what reading, making and judging checklists share.
#ifndef LG_SIMULATE_CHECKLIST_INTERNAL_H
#define LG_SIMULATE_CHECKLIST_INTERNAL_H

#include "simulate/checklist.h"

// The variables of expressions, by slot.
enum { CHECK_STATE, CHECK_START, CHECK_CALLS, CHECK_RESPONSE, CHECK_SLOTS };

// The environment of expressions, in `arena`; NULL when out of memory.
lg_cel_env *checklist_env(lg_arena *arena);

// Compiles an item's expression. NULL after adding errors without a pointer, or when out of memory.
const lg_cel_program *checklist_compile(lg_arena *arena, const lg_cel_env *env, lg_str that,
                                        lg_errors *errors);

#endif
