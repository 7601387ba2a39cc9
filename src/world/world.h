// world.h: carrying out calls on a state, as a pack says what its tools do.
//
// The state is one immutable JSON value. A call makes a new one that shares whatever did not change,
// so a snapshot is a pointer, and going back is assigning it. A call that fails leaves the state as
// it was. The same state and the same calls give the same bytes: nothing here reads a clock.
//
//     lg_world world;
//     lg_world_init(&world, pack, NULL);
//     lg_world_file file = {.value = document, .text = text, .name = "db.json"};
//     if (lg_world_load(&world, &file, &errors) != LG_OK) ...
//     const lg_json *before = world.root; // snapshot
//     lg_world_outcome outcome;
//     if (lg_world_call_tool(&world, &call, &outcome, &err) != LG_OK) ...
//     world.root = before; // as if it had never happened
//
// A call copies O(log n) of a map, but all of a list. Memory that no state needs any more is given back by
// lg_world_tidy(); who keeps snapshots calls it when they like.
//
// A world is not the gate: it carries out whatever the tools themselves would, allowed or not. What
// must hold afterwards (postconditions, invariants of the state) is checked and told, and the new
// state stands all the same, so that one can look at it.
#ifndef LG_WORLD_H
#define LG_WORLD_H

#include "pack/pack.h"

// One call carries out at most so many steps, each item of an `each` counted.
#define LG_WORLD_STEPS_MAX 10000u

typedef struct lg_world {
    const lg_pack *pack;
    lg_limits limits;
    lg_arena base;  // of what the load made
    lg_arena arena; // of the states since then, or since they were tidied
    lg_arena work;  // of the latest call, and what its outcome points to
    const lg_json
        *view; // the file, its lists of records as maps; what no place covers is kept here
    const lg_json *root;  // what expressions see as `state`; a snapshot is this pointer
    const lg_json *start; // the root that the load made
    // Private: the start, and the latest root, if all invariants hold there; what the arena held when
    // it was tidied.
    const lg_json *sound[2];
    size_t tidy_bytes;
} lg_world;

// An empty world of `pack`, which must outlive it. Allocates nothing yet.
void lg_world_init(lg_world *world, const lg_pack *pack, const lg_limits *limits);
void lg_world_done(lg_world *world);

// Makes the state that `base` has loaded the start of `world`, which was just made for the same pack. It is borrowed
// and never changed: `base` outlives the world, and any number of worlds, also in other threads, may borrow from it.
void lg_world_borrow(lg_world *world, const lg_world *base);

// Goes to a state that the world has had. `sound`: lg_world_is_sound() said so of it there; else the next call looks
// at all invariants anew.
void lg_world_enter(lg_world *world, const lg_json *root, bool sound);
bool lg_world_is_sound(
    const lg_world *world); // all invariants are known to hold in the state as it is

// Gives back what neither the state nor one of the snapshots needs, once that is as much as they need.
// The start is always kept. The pointers at `snapshots` become those of the same states; all others
// but the start, and the latest outcome, must not be used afterwards. Without the memory for it all is
// as it was.
void lg_world_tidy(lg_world *world, const lg_json **snapshots, size_t count);

// --- State files --------------------------------------------------------------------------------
//
// A state file is a JSON object. Each place of the pack's state stands at the names that its `at`
// says, or at its own. Where a place has `key`, a list of records stands there, and becomes a map by
// that field. Members that belong to no place are kept and printed again.

typedef struct lg_world_file {
    const lg_json *value; // must outlive the states of the world
    lg_str text;          // that the offsets in `value` count in, for positions; or empty
    const char *name;     // for messages; or NULL
} lg_world_file;

// Makes `file` the state and forgets all states before. Adds an error with its JSON pointer for
// every place that is absent, every record that does not fit its schema, and every record without a
// key of its own. Fails with the status of the first, or LG_ERR_OOM; then the world has no state.
LG_NODISCARD lg_status lg_world_load(lg_world *world, const lg_world_file *file, lg_errors *errors);

// The state as a file: lists are lists again, in their order, with new records at the end. The value
// lives in `arena` and points into the world.
LG_NODISCARD lg_status lg_world_print(const lg_world *world, lg_arena *arena, lg_json *ret);

// The same with maps in place of lists of records: what two states are compared by.
LG_NODISCARD lg_status lg_world_view(const lg_world *world, lg_arena *arena, lg_json *ret);

// --- Calls --------------------------------------------------------------------------------------

typedef struct lg_world_call {
    lg_str tool;
    const lg_json *args;   // NULL if they are no JSON
    lg_str args_text;      // as written, for messages; may be empty
    bool by_user;          // the customer calls one of their own tools
    const lg_json *ledger; // before the call, for postconditions; NULL: they are not checked
    int64_t now_seconds;   // for packs without a clock of their own
    uint32_t now_nanos;
} lg_world_call;

typedef enum lg_world_end {
    LG_WORLD_DONE,          // carried out
    LG_WORLD_FAILED,        // a step `fail`ed: the tool's own error
    LG_WORLD_BAD_ARGUMENTS, // they do not fit the tool's schema
    LG_WORLD_UNKNOWN_TOOL,
    LG_WORLD_FAULT, // the pack's mistake: its steps cannot be carried out
} lg_world_end;

// "done", "failed", "bad_arguments", "unknown_tool", "fault"
const char *lg_world_end_name(lg_world_end end);

// Something that must hold and does not.
typedef struct lg_world_breach {
    const lg_condition *condition;
    bool is_invariant; // else a postcondition of the tool
    lg_str why;        // it could not be evaluated; or empty: it is false
} lg_world_breach;

typedef struct lg_world_outcome {
    lg_world_end end;
    const lg_tool *tool;   // NULL: no tool has this name
    const lg_json *result; // what the caller of the tool gets: a value, or a text as a string. NULL
                           // if the pack does not say what the tool returns, and after a fault
    const lg_step *failed; // the `fail` that ended the call, or NULL
    bool effects_unknown;  // a write of which the pack does not say what it does
    lg_error fault;        // of LG_WORLD_FAULT: what and where in the pack
    const lg_world_breach *breaches;
    size_t breach_count;
} lg_world_outcome;

// Is the result a tool's error?
static inline bool lg_world_is_error(const lg_world_outcome *outcome)
{
    return outcome->end == LG_WORLD_FAILED || outcome->end == LG_WORLD_BAD_ARGUMENTS ||
           outcome->end == LG_WORLD_UNKNOWN_TOOL;
}

// Has a `fail` ended the call that keeps what was done before it?
static inline bool lg_world_is_half_done(const lg_world_outcome *outcome)
{
    return outcome->end == LG_WORLD_FAILED && outcome->failed && outcome->failed->keeps;
}

// Carries out one call: checks the arguments, does the tool's steps, computes its result of the
// state that they leave, then does the steps that `settle` the state; then the conditions are
// checked. `world->root` changes only if it ends in LG_WORLD_DONE or half done. The outcome is valid until the
// next call. A fault of the pack is an outcome; an error is LG_ERR_OOM alone, and then the state is
// as it was.
LG_NODISCARD lg_status lg_world_call_tool(lg_world *world, const lg_world_call *call,
                                          lg_world_outcome *ret, lg_error *reterr);

// Does the steps that `settle` the state, and nothing else, as after any call; `outcome->result` is that of a
// failed step. A state that is settled stays as it is. Fails as lg_world_call_tool() does.
LG_NODISCARD lg_status lg_world_settle(lg_world *world, lg_world_outcome *ret, lg_error *reterr);

// The invariants of the state that do not hold now, in `arena`. Fails with LG_ERR_OOM.
LG_NODISCARD lg_status lg_world_check(lg_world *world, lg_arena *arena,
                                      const lg_world_breach **ret_items, size_t *ret_count);

// Appends the result as a model would read it: as JSON, but a text bare if it is an `answer`, of a tool that
// returns text, or of one that does not say what it returns. `tool`: whose result it is; NULL: of none, such as
// an error.
void lg_world_print_result(lg_buf *out, const lg_tool *tool, const lg_json *result);
// The same of what came of a call.
void lg_world_print_outcome(lg_buf *out, const lg_world_outcome *outcome);

// --- Comparing ----------------------------------------------------------------------------------

typedef struct lg_world_difference {
    lg_str path;           // orders["#W1"].items[0].price
    const lg_json *before; // NULL: absent
    const lg_json *after;
} lg_world_difference;

typedef struct lg_world_differences {
    lg_arena *arena; // for items and paths; not used if `limit` is 0
    size_t limit;    // items to keep
    lg_world_difference *items;
    size_t count; // kept
    size_t total;
    bool oom;
} lg_world_differences;

// Lists where two values differ. Numbers are compared by value, and absent is as good as null. Lists
// of different lengths differ as a whole. What both share in memory is not looked at.
void lg_world_compare(const lg_json *before, const lg_json *after, lg_world_differences *ret);

#endif
