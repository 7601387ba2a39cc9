// infer.h: type inference: what may be used where, and which type a call has.
//
// Types that are not known yet, such as the element of `[]`, are variables. Using a variable as
// some type binds it; a failed attempt is undone. Only files of this room include it.
#ifndef LG_CEL_INFER_H
#define LG_CEL_INFER_H

#include "cel/cel_internal.h"

typedef struct lg_cel_binding {
    const lg_cel_type *type; // NULL: not bound
} lg_cel_binding;

typedef struct lg_cel_undo {
    size_t variable;
    const lg_cel_type *before;
} lg_cel_undo;

typedef struct lg_cel_infer {
    lg_arena *arena;
    lg_cel_binding *variables;
    size_t count;
    size_t capacity;
    lg_cel_undo *trail;
    size_t trail_count;
    size_t trail_capacity;
    uint32_t steps; // left before it gives up: types can be made exponentially large
    bool failed;    // out of memory or steps: no answer counts any more
} lg_cel_infer;

void lg_cel_infer_init(lg_cel_infer *infer, lg_arena *arena);
// A fresh variable; the error type when out of memory.
const lg_cel_type *lg_cel_infer_variable(lg_cel_infer *infer);
// The type itself, or what the variable is bound to; an unbound variable itself.
const lg_cel_type *lg_cel_infer_resolve(const lg_cel_infer *infer, const lg_cel_type *type);
// Without any variable; unbound ones become dyn.
const lg_cel_type *lg_cel_infer_final(lg_cel_infer *infer, const lg_cel_type *type);
// Whether a value of type `from` may stand where `to` is wanted; binds variables if so.
bool lg_cel_infer_assignable(lg_cel_infer *infer, const lg_cel_type *from, const lg_cel_type *to);
// The type of a list that holds both; dyn if they have nothing in common.
const lg_cel_type *lg_cel_infer_join(lg_cel_infer *infer, const lg_cel_type *a,
                                     const lg_cel_type *b);

// A call whose overload is looked for. While several are possible, none of them says anything about
// the arguments: only that which remains alone binds variables.
typedef struct lg_cel_candidates {
    const lg_cel_type *const *args;
    size_t arg_count;
    bool member;
    size_t fitting;              // how many fit
    const lg_cel_overload *last; // of them
    const lg_cel_type *result;   // of all that fit; dyn if they differ, NULL if none fits
} lg_cel_candidates;

// Sees which of the overloads fit.
void lg_cel_infer_try(lg_cel_infer *infer, lg_cel_candidates *call,
                      const lg_cel_overload *overloads, size_t count);
// The result type after all were tried, or NULL if none fits.
const lg_cel_type *lg_cel_infer_chosen(lg_cel_infer *infer, const lg_cel_candidates *call);

#endif
