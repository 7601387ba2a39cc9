// input_internal.h: what the files that make inputs share.
#ifndef LG_SYMBOLIC_INPUT_INTERNAL_H
#define LG_SYMBOLIC_INPUT_INTERNAL_H

#include "symbolic/input.h"

// Of the schema of `like` (NULL: of none), and with its key field, if it has one, as `key`.
input *input_like(problem *p, lg_str name, const input *like, term key);

// Which of `count` things the input is: NULL if there is but one. And guard number i of that choice.
term input_choice(problem *p, const input *in, uint32_t count);
term input_chosen(problem *p, term which, uint32_t i, uint32_t count);

// If one element is present, so are those before it; if any is in the summary, all explicit ones are.
void elements_in_order(problem *p, const seq *list);

// Do the first `depth` segments of both places read alike? And does a place before number `index` begin
// with the same `depth` + 1? Then what stands there was made with that one.
bool places_share(const lg_place *a, const lg_place *b, uint32_t depth);
bool place_was_seen(const lg_places *places, size_t index, uint32_t depth);

// Is what the schema of arguments names all there is? Where several schemas name them together that is
// not followed.
bool arguments_are_closed(const lg_json *parameters);

#endif
