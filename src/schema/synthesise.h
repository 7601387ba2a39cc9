// synthesise.h: a valid instance of a JSON Schema, made from the schema alone.
//
// The same schema, options and seed give the same bytes on every machine and at every time; there
// is no clock and no other source of chance. What is returned has been validated against the very
// schema it was made from; where none is found within the bounds, an error names the place in the
// schema that could not be met. Satisfiability of JSON Schema is undecidable in all but name, so
// "none found" (LG_ERR_LIMIT) and "there is none" (LG_ERR_USAGE: `false`, contradictory bounds) are
// different answers.
//
// Members that are required are always there, others by seed; `examples`, `example` and `default`
// are taken where they are valid; texts follow `format`, `pattern` and the name of their member.
//
//     const lg_json *reply;
//     lg_synthesis_options how = {.seed = 7};
//     if (lg_schema_synthesise(&request, output_schema, NULL, &how, &reply, &err) != LG_OK) ...
#ifndef LG_SCHEMA_SYNTHESISE_H
#define LG_SCHEMA_SYNTHESISE_H

#include "schema/schema.h"

typedef enum lg_synthesis_members {
    LG_MEMBERS_SEEDED,   // some of the optional members, as the seed says
    LG_MEMBERS_REQUIRED, // as few as can be
    LG_MEMBERS_ALL,      // all, as long as the instance stays of a sensible size
} lg_synthesis_members;

// Zero in any field means its default, which is in brackets. What is larger than a ceiling counts
// as the ceiling.
typedef struct lg_synthesis_options {
    uint64_t seed;
    lg_synthesis_members members;
    bool made_up;        // leave examples and defaults alone
    uint32_t depth;      // levels of nesting of the instance [32], at most 128
    uint32_t values;     // values in it [10,000], at most 1,000,000
    uint32_t text_bytes; // of all its strings and names together [1 MiB], at most 64 MiB
    uint32_t attempts;   // whole instances that are tried [24], at most 1,000
    uint64_t steps;      // work of all attempts, some 20 ns each [4,000,000]
} lg_synthesis_options;

// Makes an instance of `schema` in `arena`; it points at nothing outside of it. `options` are those
// of lg_schema_compile(), so what they allow or refuse holds here too. On failure `*ret` is left as
// it was: LG_ERR_USAGE if there is no instance, LG_ERR_LIMIT if none was found within the bounds,
// LG_ERR_OOM, or the status of the first complaint of lg_schema_compile() about the schema. `options`,
// `how` and `reterr` may be NULL.
LG_NODISCARD lg_status lg_schema_synthesise(lg_arena *arena, const lg_json *schema,
                                            const lg_schema_options *options,
                                            const lg_synthesis_options *how, const lg_json **ret,
                                            lg_error *reterr);

// The same from a compiled schema, for who makes many instances of one.
LG_NODISCARD lg_status lg_schema_synthesise_compiled(lg_arena *arena, const lg_schema *schema,
                                                     const lg_synthesis_options *how,
                                                     const lg_json **ret, lg_error *reterr);

#endif
