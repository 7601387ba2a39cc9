// within.h: of two schemas, does one let through all that the other does?
#ifndef LG_PROVE_WITHIN_H
#define LG_PROVE_WITHIN_H

#include "symbolic/input.h"

// Do the arguments of `inner` all fit `outer`? Both are those of tools, where names that the schema
// does not list are refused. True only if that is certain: what is not followed must be the same.
bool arguments_within(const lg_json *inner, const lg_json *outer);

// When the value does not fit the schema, as far as that is easily said: to look for such a value,
// never to conclude anything from there being none.
term value_misfits(problem *p, val v, const lg_json *schema);

#endif
