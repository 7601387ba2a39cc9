// arguments.h: does a call fit its tool?
//
// The one place that judges the arguments of a call by the schema of its tool, and words what is
// wrong so that a model can mend all of it at once. The gate, the simulator and the command use it.
#ifndef LG_CATALOGUE_ARGUMENTS_H
#define LG_CATALOGUE_ARGUMENTS_H

#include "schema/schema.h"

#define LG_ARGUMENT_ERRORS_MAX 16u // of one call; more are counted

typedef struct lg_argument_check {
    bool valid;
    const lg_schema_violation *errors; // `instance` is NULL where the arguments are no JSON at all
    size_t count;
    size_t dropped; // errors past LG_ARGUMENT_ERRORS_MAX
    lg_str message; // all errors in one line; empty if valid
} lg_argument_check;

// Checks the arguments of a call. `schema` is compiled with `closed_arguments`; NULL accepts every
// object. `args` is NULL if `args_text`, as the model wrote it, is no JSON; the text is for messages
// only. Takes nothing from `arena` while the call is valid. Fails with LG_ERR_OOM alone.
LG_NODISCARD lg_status lg_tool_check_arguments(lg_arena *arena, const lg_schema *schema,
                                               const lg_json *args, lg_str args_text,
                                               lg_argument_check *ret_check);

// The same within budgets, each of which may be NULL: one for the answer (if it is spent, nothing is
// known, and `*ret_check` is of no use) and one for the words.
LG_NODISCARD lg_status lg_tool_check_arguments_within(lg_arena *arena, const lg_schema *schema,
                                                      const lg_json *args, lg_str args_text,
                                                      lg_argument_check *ret_check,
                                                      lg_budget *budget, lg_budget *words);

#endif
