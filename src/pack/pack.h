// pack.h: a pack, compiled: tools, ledger paths, path map, rules.
//
// A pack is read once from YAML or JSON, checked as a whole, and never changed. Everything an
// author can get wrong is found here, at load, with file, line and column, as many errors at once
// as the limit allows: unknown keys, unknown tools, ill-typed expressions, stores that do not fit
// their path. After loading, `that` is known to be a bool and every store to be well typed.
//
// docs/pack-format.md describes the language; lg_pack_load() is in <ledgergate/ledgergate.h>.
#ifndef LG_PACK_H
#define LG_PACK_H

#include "cel/cel.h"
#include "pack/reach.h"
#include "schema/schema.h"

#include <ledgergate/ledgergate.h>

typedef enum lg_tool_kind {
    LG_TOOL_READ,    // its result enters the ledger
    LG_TOOL_WRITE,   // changes something: gated
    LG_TOOL_GENERIC, // neither: never gated, never stored
} lg_tool_kind;

#define LG_PATH_SEGMENTS_MAX 8u

// A declared place of the ledger or of the state: `orders.*`, one segment a name, `*` for one opaque
// key.
typedef struct lg_place {
    lg_str text;
    lg_str segments[LG_PATH_SEGMENTS_MAX];
    uint32_t segment_count;
    const lg_cel_type *type;
    const lg_json *schema;  // what the pack declares: a schema, or the name of a type
    const lg_schema *shape; // the same, compiled
    uint32_t offset;        // in the pack's text
    // For places of the state only: where it is in a state file, if not under its own name
    // ("db", "lines"), and the field by which a list of records there becomes a map.
    lg_str at[LG_PATH_SEGMENTS_MAX];
    uint32_t at_count;
    lg_str record_key;
} lg_place;

// All places of the ledger, or of the state.
typedef struct lg_places {
    const lg_place *items;
    size_t count;
    const lg_cel_type *type; // an object of all of them
    const lg_json *root;     // before anything is there: empty groups and collections
} lg_places;

// One segment of a target: a fixed name, or a key computed from the call. In a list the key is an
// index.
typedef struct lg_target_segment {
    lg_str name;               // fixed; or empty
    const lg_cel_program *key; // computed; or NULL
    lg_str argument; // name if the key is exactly `args.<name>`: then a read can be suggested
} lg_target_segment;

// Where something is put: a place, a collection, or what lies below a place.
typedef struct lg_target {
    lg_str text;
    lg_target_segment segments[LG_PATH_SEGMENTS_MAX];
    uint32_t segment_count;
    const lg_place *place;   // the longest declared one that the segments begin with
    const lg_cel_type *type; // of what stands there
} lg_target;

#define LG_EACH_MAX 3u

// Where one part of a result goes. `segments` may reach below the declared path: then one field of
// the record that stands there is replaced.
typedef struct lg_tool_store {
    const lg_cel_program *when; // or NULL
    const lg_cel_program *each[LG_EACH_MAX];
    uint32_t each_count;
    lg_target to;
    const lg_cel_program *value;
    bool copies;  // it puts there as a whole what the state has where the tool's `copied` leads
    bool mirrors; // and that is at the same place
    const lg_reach
        *copied;        // what it puts there stands, as a whole, at this path of the state; or NULL
    lg_reach_set shows; // what else of the state decides what it puts there, where, and whether
} lg_tool_store;

typedef struct lg_binding { // One `let`.
    lg_str name;
    const lg_cel_program *program;
} lg_binding;

// A text with `{expression}` placeholders: a literal, then perhaps a value, part by part.
typedef struct lg_template_part {
    lg_str literal;
    const lg_cel_program *program; // NULL: literal only
    lg_str source;                 // of the expression
} lg_template_part;

typedef struct lg_template {
    const lg_template_part *parts;
    size_t count;
} lg_template;

#define LG_SENTENCES_MAX 8u
#define LG_SHOWS_MAX 16u

// What is told of a call that violates a rule. The first sentence is always said; each other one only if
// all that it shows has a value. `shows` are evaluated for the words alone, after the verdict, in the slots
// behind those of `let`.
typedef struct lg_say {
    const lg_template *sentences;
    size_t count;
    const lg_binding *shows;
    size_t show_count;
} lg_say;

// An argument for which other values may be offered: `args.payments[].payment_id`.
typedef struct lg_offer {
    lg_str steps[LG_PATH_SEGMENTS_MAX]; // ptr NULL: any item of a list
    uint32_t count;
} lg_offer;

// --- What tools do ------------------------------------------------------------------------------
//
// The state is what tools work on, and the ledger what was seen of it. Effects say how a call changes
// the state: steps, done in their order, each seeing what those before it did. A step that fails
// ends the call and leaves the state as it was, or as the steps before it have made it (`undo: false`).

typedef enum lg_step_kind {
    LG_STEP_SET,    // `set: TARGET`, `to: EXPR`
    LG_STEP_APPEND, // `append: TARGET`, `value: EXPR`: at the end of a list
    LG_STEP_REMOVE, // `remove: TARGET`: a field, a record, or an item of a list
    LG_STEP_FAIL,   // `fail: TEXT`: the tool answers with this error
    LG_STEP_DO,     // `do: [steps]`
    LG_STEP_RUN,    // `run: PROCEDURE`: its steps, which see `state` and `now` and no other names
} lg_step_kind;

// `each` of a step is evaluated first; then for each item its `let`s, its `when`, and what it does.
typedef struct lg_step {
    lg_step_kind kind;
    const lg_cel_program *each; // a list or NULL: once
    uint32_t item_slot;         // of the item, if there is an `each`
    const lg_binding *lets;
    size_t let_count;
    uint32_t let_slot;          // of the first
    const lg_cel_program *when; // or NULL
    lg_target target;           // set, append, remove
    const lg_cel_program *value;
    lg_template text;            // fail
    bool keeps;                  // fail: what was done before it stays done
    const struct lg_step *steps; // do
    size_t step_count;
    const struct lg_procedure *run;
    uint32_t offset;
} lg_step;

// Slots of the activation of steps, of `gives` and of `answers`. The `let`s of the tool follow, then
// those of steps and the items, each where its step says. A `let` that fails is an error only where
// it is used. Procedures and `settle` have no `args` (the slot is there, and empty), and values of their
// own: nothing of the steps that run them is seen.
enum { LG_STEP_SLOT_STATE, LG_STEP_SLOT_NOW, LG_STEP_SLOT_ARGS, LG_STEP_SLOT_COUNT };

typedef struct lg_procedure {
    lg_str name;
    const lg_step *steps;
    size_t step_count;
    uint32_t offset;
} lg_procedure;

// Something that must hold: a postcondition of a tool, or an invariant.
typedef struct lg_condition {
    lg_str id;
    const lg_cel_program *that;
    lg_category category; // of what breaks it
    lg_str because;
    uint32_t offset;
} lg_condition;

// Slots of a postcondition: the ledger before the call, and what the call gave.
enum {
    LG_ENSURE_SLOT_LEDGER,
    LG_ENSURE_SLOT_ARGS,
    LG_ENSURE_SLOT_NOW,
    LG_ENSURE_SLOT_RESULT,
    LG_ENSURE_SLOT_COUNT
};

// What an invariant of the state reads. `each`: it says something of each record of this collection by itself, whatever
// the others are, so that as long as all else that it reads stays, only records that change need be looked at; or empty.
typedef struct lg_invariant_reach {
    lg_reach_set reads;
    lg_str each;
} lg_invariant_reach;

// Slots of an invariant. It speaks of one of the two, and is listed there.
enum { LG_INVARIANT_SLOT_LEDGER, LG_INVARIANT_SLOT_STATE, LG_INVARIANT_SLOT_COUNT };

// What is done about records that a call may have changed since they were read.
typedef enum lg_stale_policy {
    LG_STALE_USE,    // they count, and the evidence says that they are stale
    LG_STALE_REREAD, // they count as missing: read again
} lg_stale_policy;

// What the calls of one message are to each other.
typedef enum lg_parallel_policy {
    LG_PARALLEL_WAIT, // what one may change, no other counts on before it has answered
    LG_PARALLEL_JUDGE, // each is judged by what was observed before the message (LedgerAgent section 3.3)
} lg_parallel_policy;

typedef struct lg_tool {
    lg_str name;
    lg_str description;
    lg_tool_kind kind;
    const lg_json *parameters;  // JSON Schema
    const lg_schema *arguments; // the same, compiled
    const lg_cel_type *args_type;
    const lg_cel_type *result_type;
    const lg_schema *result; // what `returns` declares, compiled; NULL: anything, or text
    bool returns_text;       // the result is bare text, not JSON
    const lg_tool_store *stores;
    size_t store_count;
    const uint32_t *rules; // indices of the rules that apply to it, in the pack's order
    size_t rule_count;
    bool by_user; // `requestor: user`: a tool of the customer's own; neither gated nor stored
    const lg_binding *lets; // for the effects and the answer; of the state before the call
    size_t let_count;
    bool has_effects; // false for a write without `effects`: what it does is not known
    const lg_step *steps;
    size_t step_count;
    const lg_cel_program *gives; // the result, of the state after the call; or NULL
    bool has_answer;             // the result is a text instead:
    lg_template answer;
    const lg_condition *ensures;
    size_t ensure_count;
    const lg_template *errors;  // of a write: beside what its effects fail with, errors after which
    size_t error_count;         // nothing has changed
    const lg_binding *found_in; // of a read: by argument, where in the ledger it may be found; slot
    size_t found_count;         // LG_SLOT_LEDGER alone
    lg_reach_set shows;         // of a read: what its result tells of the state
    const lg_reach *copied;     // where the result as a whole stands in the state; or NULL
    lg_reach_set alters;        // what a call may change, `settle` included
    uint32_t offset;
} lg_tool;

typedef struct lg_rule {
    lg_str id;
    const lg_binding *lets; // slots LG_SLOT_COUNT and up, in order
    size_t let_count;
    const lg_cel_program *when; // or NULL
    const lg_cel_program *that;
    const lg_binding *needs; // paths whose absence is a finding; none: the rule abstains
    size_t need_count;
    lg_verdict otherwise;
    lg_category category; // of a call that violates it
    lg_say say;
    bool alone;             // where it does not hold, the model is told of no other record
    bool of_call;           // what it asks and says the ledger has no part in
    const lg_offer *offers; // arguments that hints may be about
    size_t offer_count;
    lg_str because;
    const uint32_t *tools; // indices
    size_t tool_count;
    lg_stale_policy stale;
    lg_reach_set reads; // of the ledger
    bool reads_history; // `ledger.history`, that is
    uint32_t offset;
} lg_rule;

// Slots of the activation that rules are evaluated with.
enum { LG_SLOT_LEDGER, LG_SLOT_ARGS, LG_SLOT_NOW, LG_SLOT_TOOL, LG_SLOT_COUNT };
// Slots for `stores`.
enum { LG_STORE_SLOT_ARGS, LG_STORE_SLOT_RESULT, LG_STORE_SLOT_ITEM, LG_STORE_SLOT_COUNT };

// What is no error, and what the author may not have meant.
typedef struct lg_remark {
    uint32_t offset; // in the pack's text
    lg_str text;
} lg_remark;

struct lg_pack {
    lg_arena arena; // owns everything below
    const char *file;
    lg_str text;
    lg_str name;
    lg_str version;
    lg_str description;
    bool fixed_clock;
    int64_t clock_seconds;
    uint32_t clock_nanos;
    bool allow_unknown_tools;
    const lg_json *document; // the whole pack as values
    lg_places ledger;
    lg_places state; // no items: the pack does not say what its tools do
    const lg_tool *tools;
    size_t tool_count;
    const lg_rule *rules;
    size_t rule_count;
    uint32_t let_max;               // most `let`s and `show`s of any rule
    const struct lg_course *course; // rules about the conversation (pack/conversation.h), or NULL
    const struct lg_request *requests; // what customers ask for (pack/requests.h)
    size_t request_count;
    const lg_cel_program *customer; // whom a conversation is about, of the ledger alone; or NULL
    const lg_procedure *procedures;
    size_t procedure_count;
    const lg_step *settle; // after every call
    size_t settle_count;
    const uint32_t *restless; // the steps of it, by their place in the text, that every call may
    size_t restless_count;    // find something to do for
    uint32_t step_slots;      // most slots that any step, answer or `gives` sees
    const lg_condition *ledger_invariants; // hold after each commit
    size_t ledger_invariant_count;
    const lg_reach_set *ledger_invariant_reads; // what each of them reads of the ledger
    const lg_condition *state_invariants;       // hold after each call
    size_t state_invariant_count;
    const lg_invariant_reach *state_invariant_reaches; // of each of them
    lg_stale_policy stale; // what rules without a `stale` of their own do
    lg_parallel_policy parallel;
    const lg_remark *remarks;
    size_t remark_count;
    char hash[65]; // SHA-256 of the document's canonical form
};

// The tool called `name`, or NULL.
const lg_tool *lg_pack_tool(const lg_pack *pack, lg_str name);

// The declared tool whose name is closest to `name`, or NULL if none is close.
const lg_tool *lg_pack_closest_tool(const lg_pack *pack, lg_str name);

#define LG_CHOICE_MAX 64u // packs to choose from

// What a conversation shows of where it was held: names of tools, in the order of their bytes and each once.
typedef struct lg_tool_use {
    const lg_str *called; // by the agent
    size_t called_count;
    const lg_str *offered; // that it could call
    size_t offered_count;  // 0: not recorded
    lg_str domain;         // as recorded; may be empty
} lg_tool_use;

// The pack that a conversation is of, or NULL if none fits; only the first LG_CHOICE_MAX are looked at (choose.c).
//
// A pack fits if it declares at least three of four tools that were called (a half where it has the name of the
// recorded domain), and at least half of its tools could be called, as far as that was recorded; called names
// that could not be are left out. Of those that fit the best is that with the most distinctive tools among those
// called (a read or write counts one, divided by the packs that declare it; generic tools count nothing), then
// that of which more tools could be called, then that with the domain's name, then the first. Alike but for
// their order are only packs of one name: where others are, or where nothing but generic tools were called and
// no domain or list of tools says more, none fits.
const lg_pack *lg_pack_choose(const lg_pack *const *packs, size_t count, const lg_tool_use *use);

// Line and column of byte `offset` of the pack's text.
lg_position lg_pack_position(const lg_pack *pack, uint32_t offset);

const char *lg_tool_kind_name(lg_tool_kind kind); // "read", "write", "generic"

#endif
