// model.h: from a model back to JSON: the state that a counterexample is about.
//
// A model says which texts are equal and what is found out about them; a text that has all that is
// then looked for: a literal, a time that prints so, a text made for the pattern. What no expression
// has looked at is filled in from its schema. Nothing is believed: who asked executes the result.
#ifndef LG_SYMBOLIC_MODEL_H
#define LG_SYMBOLIC_MODEL_H

#include "symbolic/input.h"

typedef struct chosen_text {
    int64_t id; // which text it is in the model
    lg_str text;
} chosen_text;

typedef struct model {
    problem *p;
    lg_arena *arena; // where the JSON goes
    size_t literals; // of the solver when the model was made: larger numbers are other texts
    chosen_text *texts;
    size_t count, capacity;
    bool beyond; // some list or map has elements beyond the explicit ones
    bool oom;
    uint32_t nested; // functions of texts that are being computed
} model;

// Reads the model of the last check; it must still be there.
model model_of(problem *p, lg_arena *arena);

// The value of an input. NULL when out of memory.
const lg_json *model_json(model *m, input *in);

// A small value of the schema, whatever the model. As deep as the schema, within a bound.
const lg_json *model_default(model *m, const lg_json *schema, uint32_t depth);

#endif
