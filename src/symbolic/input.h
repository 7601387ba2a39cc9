// input.h: what a proof speaks for every value of: ledgers, arguments, states, results.
//
// An input is a JSON value of which only a schema is known. It becomes constants where an expression
// looks at it, and can be read back from a model as JSON, or be given the constants of a JSON value.
#ifndef LG_SYMBOLIC_INPUT_H
#define LG_SYMBOLIC_INPUT_H

#include "pack/pack.h"
#include "symbolic/value.h"

// One thing that an input may be.
typedef struct variant {
    alt_kind kind;
    term guard;
    term t;       // of a scalar
    term whole;   // the integer behind the number, or NULL
    term large;   // whether the number is an integer beyond 2^53, which is no double; or NULL
    term integer; // and which
    const seq *list;
    const dict *map;
    input *sub;          // or: what another input is
    const lg_json *json; // or: this value
} variant;

struct input {
    lg_str name;
    const lg_json *schema;      // NULL: anything
    const lg_json *also_schema; // of which the type holds as well; or NULL
    bool of_call;               // it lies in the arguments of the call that is judged
    bool named_only;            // members that `schema` does not name are refused, whatever it says
    term same_as;               // a text that is this one
    lg_str sample;              // a text that it may be
    term which;                 // of the variants it is, by number; NULL: their guards say
    lg_str key_field;           // a record whose field of this name is `key`
    term key;
    uint32_t depth;
    bool composed;  // of parts, not of its schema
    uint32_t path;  // with `forall`: which place it is, the same for all its records,
    const term *at; // and which record: the keys on the way
    uint32_t at_count;
    bool expanded; // `variants` are known
    thunk thunk;   // its value
    variant *variants;
    uint32_t variant_count;
};

input *input_new(problem *p, lg_str name, const lg_json *schema, uint32_t depth);
// The arguments of a tool: members that its schema does not name are refused.
input *input_of_args(problem *p, lg_str name, const lg_json *parameters);
// One of which nothing is known, and which may differ with the open variables.
input *input_unknown(problem *p, lg_str name, const lg_json *schema, uint32_t depth);
input *input_of_map(problem *p, lg_str name, const dict *map);
// Of the same schema, and nothing else in common; under another key, if it has one. NULL if it is not
// of a schema.
input *input_another(problem *p, const input *like, term key);
// Makes it, if it was not made yet; input_thunk()->forced is then true.
val input_value(problem *p, input *in);
thunk *input_thunk(input *in);

// The ledger or the state of a pack.
input *input_of_places(problem *p, const lg_pack *pack, bool of_state, input *history);
// May a place of the state that is a single record be empty? A file may leave out what may be null.
bool may_be_absent(const problem *p, const lg_place *place);
// The same with `forall` (places.c). Wherever the pack says that every read which stores at a place
// of the ledger copies what the state has, the record of the ledger is that of the state.
input *input_of_all_places(problem *p, const lg_pack *pack, bool of_state, input *history);
// A list of writes that were carried out. The ledger observes what has happened: their arguments need
// not be such as the gate lets through, and what they returned may not have been what it should be.
input *input_of_history(problem *p, const lg_pack *pack);

// The schema itself: `$ref` and names of types are followed. NULL: anything goes.
const lg_json *schema_resolve(const problem *p, const lg_json *schema);

// The kind of the values of a JSON Schema type ("null" ... "object"), and whether they are integers. False
// if there is no such type.
bool kind_of_json_type(lg_str name, alt_kind *ret, bool *ret_integer);

// --- For all records at once --------------------------------------------------------------------

// What stands in `parent` under `label`, or for each key under `key`; `key` may be NULL. The same
// place and the same keys give the same input.
input *input_child(problem *p, const input *parent, lg_str label, lg_str name,
                   const lg_json *schema, term key);
// A constant, or with `forall` a function of the keys: one for one `what` of one place.
term input_term(problem *p, const input *in, term_sort sort, const char *what);
variant *add_variant(problem *p, input *in, variant v);

// A list or map of which a schema is known, with `forall`. `schema` is that of the elements.
typedef struct input_members {
    const input *of;
    lg_str label;
    const lg_json *schema;
    lg_str key_field;
    term count;
    bool of_map;
    const dict *named; // what is no member of the summary; or NULL
} input_members;

// What stands in the summary under `key`, and whether anything does: always the same for one key.
val summary_lookup(problem *p, const summary *r, term key, term *ret_present);

#endif
