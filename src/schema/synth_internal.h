// synth_internal.h: what the files of the synthesis share.
//
// A *demand* is the list of all compiled schemas that one value must satisfy at once. It begins with
// those that were asked for and grows: `$ref` and `allOf` add what they point to, `anyOf`, `oneOf`
// and `if` add one choice. So a merge of schemas never builds a schema: the makers below read the
// bounds of all nodes in the list, and the demand for a member is the list of what each node says
// of that member.
//
//   ask(root) --> demand --expand--> types, offers --> maker of the type --> check --> value
//                   ^                                   |
//                   '------ demand of each member ------'
//
// Not everything can be merged (`not`, the other branches of `oneOf`, a second pattern): such a
// value is checked against what was asked for, and made anew with other choices a bounded number of
// times. A branch that failed is troubled and is chosen later than its siblings.
#ifndef LG_SCHEMA_SYNTH_INTERNAL_H
#define LG_SCHEMA_SYNTH_INTERNAL_H

#include "schema/schema_internal.h"
#include "schema/synthesise.h"

#define LG_SYNTH_DEPTH_MAX 128u
#define LG_SYNTH_DEMAND_MAX 2048u     // schemas that one value must satisfy
#define LG_SYNTH_HEIGHT_NONE 1000000u // no finite instance is known
#define LG_SYNTH_EASY_DEPTH 6u        // deeper than this, the shortest way out is taken
#define LG_SYNTH_EASY_VALUES 400u     // likewise when the instance has so many values

typedef enum outcome {
    MADE,
    FAILED,     // not with these choices
    IMPOSSIBLE, // not with any
    STOPPED,    // a bound was hit: this attempt is over
} outcome;

// What is known of a node before anything is made.
typedef struct node_info {
    const node *n;
    uint32_t height; // levels of the lowest instance, roughly
    uint32_t trouble;
    uint32_t types; // those that an instance may have
} node_info;

// A schema that the value had better not satisfy: of `not`, of the other branches of a `oneOf`, of a
// condition whose `else` was chosen. The makers look for a way to break it.
typedef struct shunned {
    const node *n;
    const scope *outer;
} shunned;

typedef struct demand {
    const node **nodes;
    const scope **outer; // beside each node: from where it was entered
    const scope **here;  // and what its own children see
    size_t count;
    size_t capacity;
    size_t asked;        // the first so many were asked for
    size_t expanded;     // of so many, all that surely follows has been added
    size_t decided;      // and of so many, the branches were chosen
    uint32_t only;       // types that the caller allows; 0: any
    uint32_t types;      // allowed by all of them
    size_t choices;      // alternatives that were passed over
    uint32_t sure_types; // the types, and the nodes, before the first of them
    size_t sure_count;
    shunned *shun;
    size_t shun_count;
    size_t shun_capacity;
    size_t shun_asked; // the first so many must not hold
    node_info **chosen;
    size_t chosen_count;
    size_t chosen_capacity;
    bool risky; // the parts being right does not make the whole right
} demand;

typedef struct synth {
    const lg_schema *schema;
    lg_synthesis_options how;
    lg_arena arena;   // scratch of everything; rewound when a round has failed
    lg_arena lasting; // of the whole synthesis
    map infos;
    map expressions; // patterns, parsed for writing
    node_info **list;
    size_t list_count;
    size_t list_capacity;
    uint64_t random;
    uint32_t attempt;
    uint32_t depth;
    uint32_t values;
    size_t text_bytes;
    uint32_t fresh;    // above 0: no examples, since they repeat themselves
    lg_str hint;       // the name of the member that is being made
    uint64_t steps;    // left
    bool stopped;      // no more steps or memory: all attempts are over
    bool too_large;    // this attempt is over
    bool unsure;       // something was given up because of a bound: nothing is proved any more
    lg_status status;  // why it was stopped
    char failure[360]; // in words, of the last failure
    validation v;
} synth;

// --- Chance (synth_core.c) ----------------------------------------------------------------------

uint64_t lg_synth_next(synth *s);
uint64_t lg_synth_below(synth *s, uint64_t count); // 0 to count - 1; 0 for 0
static inline bool lg_synth_one_in(synth *s, uint64_t count)
{
    return lg_synth_below(s, count) == 0;
}

// --- Failure and bounds (synth_core.c) ----------------------------------------------------------

// Notes what failed at `keyword` (NULL: the whole) of `n` and returns `how`.
LG_PRINTF(5, 6)
outcome lg_synth_fail(synth *s, outcome how, const node *n, const char *keyword, const char *format,
                      ...);
outcome lg_synth_no_memory(synth *s);
// Takes `steps` of work. False: the synthesis is stopped.
bool lg_synth_spend(synth *s, uint64_t steps);
// Counts a value, or text. False: this attempt is too large.
bool lg_synth_count_value(synth *s, const node *n);
bool lg_synth_count_text(synth *s, const node *n, size_t size_bytes);
// Whether the instance is still small enough to add what is not required.
bool lg_synth_is_easy(const synth *s);

// Whether `value` satisfies `n`, or all that `d` was asked for.
bool lg_synth_holds_node(synth *s, const node *n, const scope *outer, const lg_json *value);
bool lg_synth_holds(synth *s, const demand *d, const lg_json *value);
// Notes in words why `value` does not. Returns FAILED.
outcome lg_synth_explain(synth *s, const demand *d, const lg_json *value);

// --- The graph before the work (synth_graph.c) --------------------------------------------------

LG_NODISCARD bool lg_synth_survey(synth *s); // false: no memory
node_info *lg_synth_info(const synth *s, const node *n);

// --- Demands (synth_demand.c) -------------------------------------------------------------------

// Asks for `n` too. False: no memory, or too many.
LG_NODISCARD bool lg_synth_ask(synth *s, demand *d, const node *n, const scope *outer);
// Asks that `n` does not hold.
LG_NODISCARD bool lg_synth_shun(synth *s, demand *d, const node *n, const scope *outer);
// Some schema that had better be broken, reached over references; NULL in the first round, and now
// and then, or if there is none. `ret_here` is the scope of its children.
const node *lg_synth_to_break(synth *s, const demand *d, uint32_t round, const scope **ret_here);
// Follows references and chooses branches until nothing is left to look into.
LG_NODISCARD bool lg_synth_expand(synth *s, demand *d);
// A branch of the demand has failed: choose others first from now on.
void lg_synth_blame(const demand *d);

// --- Values -------------------------------------------------------------------------------------

// Makes a value that satisfies what `asked` asks for (asked->asked nodes; it is not changed).
outcome lg_synth_value(synth *s, const demand *asked, lg_json *ret);

// How many members and elements this round is for. Later rounds make few, then many: whatever `not`
// or the other branches of a `oneOf` are about, it is mostly a part too many or too few.
lg_synthesis_members lg_synth_members(const synth *s, uint32_t round);

// The makers. `round` counts the tries for this value from 0: later ones choose more oddly.
outcome lg_synth_number(synth *s, const demand *d, bool integer, uint32_t round, lg_json *ret);
outcome lg_synth_string(synth *s, const demand *d, uint32_t round, lg_json *ret);
outcome lg_synth_array(synth *s, demand *d, uint32_t round, lg_json *ret);
outcome lg_synth_object(synth *s, demand *d, uint32_t round, lg_json *ret);

// Whether `word` (in lower case) is one of the words of `name`, or its plural: "id" of petId and pet_ids, but not of width.
bool lg_synth_name_says(lg_str name, const char *word);
lg_str lg_synth_words(synth *s, lg_str hint, uint64_t min, uint64_t max);

// A text that matches `pattern`, of `min` to `max` characters if that can be had. ptr is NULL where
// the expression uses what the generator does not know.
lg_str lg_synth_match(synth *s, lg_str pattern, uint64_t min, uint64_t max, uint32_t round);

#endif
