// checklist_internal.h: what reading, making and judging checklists share.
#ifndef LG_SIMULATE_CHECKLIST_INTERNAL_H
#define LG_SIMULATE_CHECKLIST_INTERNAL_H

#include "simulate/checklist.h"

// The variables of expressions, by slot.
enum { CHECK_STATE, CHECK_START, CHECK_CALLS, CHECK_RESPONSE, CHECK_SLOTS };

// The environment of expressions, in `arena`; NULL when out of memory.
lg_cel_env *checklist_env(lg_arena *arena);

// --- Actions (action.c) -------------------------------------------------------------------------

// An action as it is compared with calls and with other actions, whichever way it was spelt.
typedef struct check_action {
    lg_str name;
    bool by_user;         // no `requestor` is the assistant
    const lg_json *args;  // an object; without members where there were none
    const lg_json *names; // the arguments that are compared; NULL: all of both
} check_action;

check_action checklist_action(const lg_json *action); // one that was read

// How many of the compared arguments of a call (an object, or NULL) are others than the action's, one absent or too many
// among them. The names of the first `room` go to `ret_names`. Too many of a budget that is spent.
size_t checklist_wrong(const check_action *action, const lg_json *args, lg_budget *budget,
                       lg_str *ret_names, size_t room);

bool checklist_same_action(const check_action *a, const check_action *b);

// --- What is said (said.c) ----------------------------------------------------------------------

// As texts are searched: without commas, letters small. In `arena`; no pointer when out of memory.
lg_str checklist_plain(lg_arena *arena, lg_str text);

// Both as checklist_plain() gives them.
bool checklist_says(lg_str text, lg_str what);

// --- Expressions (checklist.c) ------------------------------------------------------------------

// Compiles an item's expression. NULL after adding errors without a pointer, or when out of memory.
const lg_cel_program *checklist_compile(lg_arena *arena, const lg_cel_env *env, lg_str that,
                                        lg_errors *errors);

#endif
