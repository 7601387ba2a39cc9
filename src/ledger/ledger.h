// ledger.h: the typed record of what tools really returned, as a fold over events.
//
// Only what a successful read returned enters the ledger, under the paths that the pack declares,
// each record with its type. A result that is not of the declared form, that breaks a postcondition
// or with which an invariant would not hold is discarded, and the ledger stays as it was (ToolGate
// sections 3.2 and 3.4). A successful write is appended to `history`.
//
// A record is stale once a call was carried out that may have changed what its read has shown: a
// write, or a tool of the customer's own. It stays usable, and is shown as stale, until it is read
// again (LedgerAgent section 3.1, observe and do not assume).
//
// The state is persistent: an observation builds a new root that shares what did not change. A
// snapshot is a copy of one small struct; going back is assigning it.
//
//     lg_ledger_state before = ledger->state;      // snapshot
//     lg_ledger_observe(ledger, &call, &observed, &err);
//     ledger->state = before;                      // as if it had never happened
//
// Memory that no state needs any more is given back by lg_ledger_tidy(); who keeps snapshots calls it
// when they like. n observations cost O(n log n) in time and, tidied, O(records) in memory.
#ifndef LG_LEDGER_H
#define LG_LEDGER_H

#include "base/map.h"
#include "pack/pack.h"

// A part of a record that a later call may have changed: the steps down from the record. A step
// without a text is any.
typedef struct lg_stale_part {
    lg_str steps[LG_REACH_STEPS_MAX];
    uint32_t count;
    lg_str tool; // that call
    uint32_t turn;
} lg_stale_part;

// One record: what stands at one declared path, of which type, and where it came from.
typedef struct lg_ledger_entry {
    const lg_place *declared; // its type is that of the value, always
    const lg_str *segments;   // as many as the declared path has; keys are opaque
    lg_str key;               // all of them, by which it is found; it stands behind them
    const lg_json *value;
    lg_str tool;         // the read that returned it
    const lg_tool *read; // the same
    const lg_json *args; // of that read
    uint32_t turn;       // likewise
    uint64_t observed;   // number of that observation
    bool copies;         // it is as a whole what the state had where the read looked
    bool mirrors;        // and that is at the same place
    bool stale;          // a later call may have changed it
    lg_str stale_tool;   // the first that may
    uint32_t stale_turn;
    const lg_stale_part *parts;         // of it that may have changed, if not all
    uint32_t part_count;                // 0: all
    const struct lg_ledger_entry *rest; // if only a part of it was replaced: what had stood there
    uint32_t rest_count;                // how many of them there are, or more than anybody looks at
} lg_ledger_entry;

// A snapshot. Valid until the ledger is reset, freed, or tidied without it.
typedef struct lg_ledger_state {
    const lg_json *root; // what expressions see as `ledger`
    lg_map entries;      // by key, in the order of their first observation
    uint32_t stale;      // entries that are
} lg_ledger_state;

static inline const lg_ledger_entry *lg_ledger_entry_at(const lg_ledger_state *state,
                                                        uint32_t index)
{
    return lg_map_at(&state->entries, index);
}

typedef struct lg_ledger {
    const lg_pack *pack;
    lg_limits limits;
    lg_ledger_state state;
    lg_rejection rejection; // why the latest result was not accepted; else its category is NONE
    lg_error why;           // holds its message
    lg_arena arena;         // of all states since it was tidied
    // Private.
    lg_arena work;        // of the latest observation
    size_t tidy_bytes;    // that the arena held when it was tidied
    uint64_t observed;    // observations so far
    lg_json *history;     // the array in which the latest history grows: a state sees of it what it
    size_t history_count; // knew;
    size_t history_capacity; // how much of it is taken, and how large it is
} lg_ledger;

// A call that was carried out. Nothing that it points to is kept.
typedef struct lg_ledger_call {
    lg_str tool;
    const lg_json *args; // an object
    lg_str result;
    bool failed;
    bool by_user;
    uint32_t turn;
    int64_t now_seconds; // for packs without a fixed clock
    uint32_t now_nanos;
} lg_ledger_call;

// An empty ledger of `pack`, which must outlive it. Allocates nothing yet.
void lg_ledger_init(lg_ledger *ledger, const lg_pack *pack, const lg_limits *limits);
void lg_ledger_share(lg_ledger *ledger, lg_quota *quota); // its memory counts there as well
void lg_ledger_reset(lg_ledger *ledger);                  // forgets everything, keeps the memory
void lg_ledger_done(lg_ledger *ledger);

// Gives back what neither the state nor one of the `snapshots` needs, once there is as much of it as they
// need, or more. What else pointed into the ledger must not be used afterwards. It takes time in proportion to
// what they need, so that observations cost little more with it. Without the memory for it all is as
// it was.
void lg_ledger_tidy(lg_ledger *ledger, lg_ledger_state *const *snapshots, size_t count);

// The same, however little it is: for when memory has run out. False if there was nothing to give.
bool lg_ledger_tidy_now(lg_ledger *ledger, lg_ledger_state *const *snapshots, size_t count);

// Folds one call. On any error, and for LG_OBSERVED_UNREADABLE and LG_OBSERVED_REJECTED, the state is
// as it was. For these two and LG_OBSERVED_UNVERIFIED `reterr` and `ledger->rejection` say why. Fails
// with LG_ERR_LIMIT or LG_ERR_OOM.
LG_NODISCARD lg_status lg_ledger_observe(lg_ledger *ledger, const lg_ledger_call *call,
                                         lg_observed *ret_observed, lg_error *reterr);

// The record at exactly the path of `count` segments, or NULL.
const lg_ledger_entry *lg_ledger_at(const lg_ledger_state *state, const lg_str *segments,
                                    size_t count);

// The record at or above the path of `count` segments, or NULL.
const lg_ledger_entry *lg_ledger_find(const lg_ledger_state *state, const lg_str *segments,
                                      size_t count);

// Adds a record to a state that no observation has made: its `declared`, `segments` and `value` are
// given, and must live as long as the arena. False when out of memory.
LG_NODISCARD bool lg_ledger_state_add(lg_arena *arena, lg_ledger_state *state,
                                      const lg_ledger_entry *entry);

// May a later call have changed what `count` steps down from the record lead to, or anything below
// it? A step without a text is any. `ret_tool` and `ret_turn`: which call. They may be NULL.
bool lg_ledger_is_stale(const lg_ledger_entry *entry, const lg_str *steps, size_t count,
                        lg_str *ret_tool, uint32_t *ret_turn);

// Appends one segment as CEL writes it: `.orders`, `["#W1"]`.
void lg_ledger_print_segment(lg_buf *out, lg_str segment);

// Appends the ledger block for a prompt (LedgerAgent section 3.2).
void lg_ledger_render(const lg_ledger *ledger, const lg_render_options *options, lg_buf *out);

#endif
