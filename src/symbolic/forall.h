// forall.h: lists and maps of any size, as functions of where their elements are.
//
// With `forall` in the problem, nothing is unrolled. A field of a record is a function of the keys on
// the way to it (`status(order_id)`), so that what is looked up by equal keys is equal; what is said
// of all elements is said with a quantifier over one variable. Which constant stands for it follows
// from how deep quantifiers are nested: the same expression becomes the same term wherever it is
// translated, and that an untouched part keeps what it had needs no proof.
//
// Anything that is not followed is a new function of all open variables. That leaves more states open
// than there are, so a refutation stays one.
#ifndef LG_SYMBOLIC_FORALL_H
#define LG_SYMBOLIC_FORALL_H

#include "symbolic/translate.h"

// A variable for positions, open until it is closed: quantify over it with term_exists().
term variable_open(problem *p);
void variable_close(problem *p);

// Something unknown that may depend on the open variables.
term unknown_term(problem *p, term_sort sort, lg_str name);

// What is a function of `bodies`, which speak of every value of `variable`: a sum, a number of
// elements. Bodies of one form give one function, of what they speak of beside the variable, and of
// `extra`, which may be NULL.
term form_function(problem *p, term_sort sort, const char *what, const term *bodies, uint32_t count,
                   term variable, term extra);

// A list or map whose elements are these. `count` may be NULL: then it is worked out.
const summary *summary_of(problem *p, term count, const elements *all);
const elements *elements_new(problem *p, elements like);

// --- Lists --------------------------------------------------------------------------------------

// The element of the summary at an index, MISSING where there is none.
val summary_at(problem *p, const summary *r, term index, term *ret_present);
// Some element of the summary, where there is one: nobody knows which. The same for the same name.
val summary_some_element(problem *p, const summary *r, term there, lg_str name);
const seq *joined_lists(problem *p, const seq *a, const seq *b);
// The list with another value at one index.
const seq *list_with(problem *p, const seq *list, term index, thunk *value);

// --- Maps ---------------------------------------------------------------------------------------

// What stands under the key if anything does, and whether it does.
val map_at(problem *p, const dict *map, term key, term *ret_present);
// When element `index` of `items` counts: it is here, and none before it hides it.
term entry_shows(problem *p, const dict *map, uint32_t index);
// When the summary has this key, and no entry hides it.
term summary_shows(problem *p, const dict *map, term key);
term map_size(problem *p, const dict *map);

term same_sequence(problem *p, const seq *a, const seq *b, uint32_t depth);
term same_entries(problem *p, const dict *a, const dict *b, uint32_t depth);

#endif
