// ledger.h: the typed record of what tools really returned, as a fold over events.
//
// Only what a successful read returned enters the ledger, under the paths that the pack declares,
// each record with its type. A result that is not of the declared form, that breaks a postcondition
// or with which an invariant would not hold is discarded, and the ledger stays as it was (ToolGate
// sections 3.2 and 3.4). A successful write is appended to `history`.
//
// A record is stale once a call was carried out that may have changed what its read has shown: a
// write, a tool of the customer's own, a tool that the pack does not declare. So it is after a call that
// failed with an error which the pack does not know, since that may have happened; and after its own
// read has failed. It stays usable, and is shown as stale, until it is read again (LedgerAgent section
// 3.1, observe and do not assume).
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
#include "base/time.h"
#include "pack/pack.h"

// A part of a record that a later call may have changed: the steps down from the record. A step
// without a text is any.
typedef struct lg_stale_part {
    lg_str steps[LG_REACH_STEPS_MAX];
    uint32_t count; // 0: all of it
    lg_str tool;    // that call
    uint32_t turn;
} lg_stale_part;

// A record is put together from what reads have stored there: this is one store of one read. What a
// later one puts at the same place, or above, takes its place; so a mark lasts until every part
// that it concerns has been observed again.
typedef struct lg_ledger_source {
    const lg_tool_store
        *store;  // its target says which part of the record; NULL: nobody knows, so all of it
    lg_str tool; // the read that returned it
    const lg_tool *read; // the same
    const lg_json *args; // of that read
    uint32_t turn;       // likewise
    uint64_t observed;   // number of that observation
    bool stale;          // a later call may have changed what it has put there, or would put there
    bool doubted;        // that call is a read which failed
    lg_str stale_tool;   // the first such call
    uint32_t stale_turn;
    const lg_stale_part *parts; // of the record that may have changed, if not all of it
    uint32_t part_count;        // 0: all
    const struct lg_ledger_source *older;
} lg_ledger_source;

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
    uint64_t changed;  // of the latest that has changed it or its marks; 0: that has yet to happen
    bool mirrors;      // it is as a whole what the state had at the same place
    bool stale;        // a later call may have changed it
    bool doubted;      // that call is a read which failed
    lg_str stale_tool; // the first that may
    uint32_t stale_turn;
    const lg_stale_part *parts;      // of it that may have changed, if not all
    uint32_t part_count;             // 0: all
    const lg_ledger_source *sources; // what it was put together from, the latest first
    // What a call of the message that is judged may change: this record with the marks of such calls alone.
    // Only in what lg_ledger_assume() makes.
    const struct lg_ledger_entry *pending;
} lg_ledger_entry;

// A call that was carried out. Nothing that it points to is kept.
typedef struct lg_ledger_call {
    lg_str id; // by which its answer finds it; may be empty
    lg_str tool;
    const lg_json *args; // an object
    lg_str result;
    bool failed;
    bool by_user;
    bool has_turn; // false: it belongs to no message that is known
    uint32_t turn;
    lg_time now;    // for packs without a fixed clock
    uint64_t begun; // private: number of the latest observation when it was made
} lg_ledger_call;

// A call that was made: one without an answer, or one that has changed something beside one without, or beside
// others of the latest message.
typedef struct lg_open_call {
    const struct lg_open_call *earlier; // the one that was made before it
    lg_ledger_call call;
    uint64_t answered; // number of the observation of its answer; 0: it has none
} lg_open_call;

// A snapshot. Valid until the ledger is reset, freed, or tidied without it.
typedef struct lg_ledger_state {
    const lg_json *root; // what expressions see as `ledger`
    lg_map entries;      // by key, in the order of their first observation
    uint32_t
        certain; // of the history's writes the first so many are known to have happened; 0: nobody has looked
    uint32_t stale;          // entries that are
    uint32_t pending;        // entries with a pending change
    uint64_t latest;         // number of the latest observation that has changed it
    uint32_t open_count;     // calls that have no answer
    uint32_t answered_count; // others in the list
    uint64_t
        forgotten; // number of the latest answer to a call that is listed no more but should be
    const lg_open_call *open; // the latest first
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
bool lg_ledger_is_untidy(const lg_ledger *ledger); // is there as much?

// The same, however little it is: for when memory has run out. False if there was nothing to give.
bool lg_ledger_tidy_now(lg_ledger *ledger, lg_ledger_state *const *snapshots, size_t count);

// The call was made, and may or may not have done yet what it does: adds it to `state`, in `arena`, which is
// the ledger's own or lives as long as the state. Fails with LG_ERR_LIMIT (open_calls) or LG_ERR_OOM;
// then the state is as it was.
LG_NODISCARD lg_status lg_ledger_begin(const lg_ledger *ledger, lg_ledger_state *state,
                                       lg_arena *arena, const lg_ledger_call *call,
                                       lg_error *reterr);

// The open call that an answer with this id belongs to; of several, the first one of the latest message that has
// it. If none has it, or either has no id: the oldest call of that tool (or of any, if that is empty), with
// these arguments if they are not NULL. NULL if there is none.
const lg_open_call *lg_ledger_awaits(const lg_ledger_state *state, lg_str id, lg_str tool,
                                     const lg_json *args);

// Folds the answer of an open call: `result`, `failed` and `now` are given, the rest is that of the call.
// As lg_ledger_observe; the call is open no more.
LG_NODISCARD lg_status lg_ledger_answer(lg_ledger *ledger, const lg_open_call *open,
                                        const lg_ledger_call *answer, lg_observed *ret_observed,
                                        lg_error *reterr);

// The state in which every open call may have been carried out: the history has it as `unknown`, or as
// `pending` if it belongs to the message of `turn` (or either to none), and what it may have changed is
// stale, or has it in `pending` too. What is made lives in `arena`; the ledger is as it was. Without
// steps everything may have changed. Fails with LG_ERR_OOM.
LG_NODISCARD lg_status lg_ledger_assume(const lg_ledger *ledger, const lg_ledger_state *state,
                                        bool has_turn, uint32_t turn, lg_budget *steps,
                                        lg_arena *arena, lg_ledger_state *ret, lg_error *reterr);

// Is it not known of this entry of the history whether it has happened?
bool lg_ledger_is_uncertain(const lg_json *write);

// The ledger without the writes of which it is not known whether they have happened: the state's own root if there
// are none. It costs what the state does not know to be certain. NULL when out of memory.
const lg_json *lg_ledger_certain(lg_arena *arena, const lg_ledger_state *state);

// Folds one call and its answer at once. On any error the state is as it was; for LG_OBSERVED_UNREADABLE and
// LG_OBSERVED_REJECTED too, but that what should have been shown is stale. For these two and
// LG_OBSERVED_UNVERIFIED `reterr` and `ledger->rejection` say why. Fails with LG_ERR_LIMIT or LG_ERR_OOM.
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

// Which read has to be made again for what is stale of the record: a part of it, or NULL for the
// first.
typedef struct lg_ledger_read {
    lg_str tool;
    const lg_json *args;
} lg_ledger_read;
lg_ledger_read lg_ledger_read_again(const lg_ledger_entry *entry, const lg_stale_part *part);

// Appends one segment as CEL writes it: `.orders`, `["#W1"]`.
void lg_ledger_print_segment(lg_buf *out, lg_str segment);

// Appends the ledger block for a prompt (LedgerAgent section 3.2). `state` is one of that ledger.
void lg_ledger_render(const lg_ledger *ledger, const lg_ledger_state *state,
                      const lg_render_options *options, lg_buf *out);

// The records' lines as they were shown last, inside a JSON string: who shows a ledger again and again makes each once.
// All zero: none yet. It belongs to one ledger and its snapshots, and to one set of options.
typedef struct lg_ledger_line lg_ledger_line;
typedef struct lg_ledger_shown {
    char *text; // all lines, as they stood
    size_t text_bytes;
    lg_ledger_line *lines; // by the number of the record
    uint32_t count;
} lg_ledger_shown;

void lg_ledger_shown_done(lg_ledger_shown *shown);
size_t lg_ledger_shown_bytes(const lg_ledger_shown *shown);

// As lg_ledger_render() without a budget, but as it stands inside a JSON string; returns how many bytes it has outside of
// one. Without the memory for it, nothing is remembered.
size_t lg_ledger_render_again(const lg_ledger *ledger, const lg_ledger_state *state,
                              const lg_render_options *options, lg_ledger_shown *shown,
                              lg_buf *out);

// Appends what is different in `after`: the lines of records and writes that `before` does not have as they are, then
// "No longer known: " and the path of what it had and `after` has not. `after` was made of `before`: it costs what
// differs, however large they are; lines that nothing has touched are not printed.
// `options` without a budget. False: out of memory.
LG_NODISCARD bool lg_ledger_render_changes(const lg_ledger *ledger, const lg_ledger_state *before,
                                           const lg_ledger_state *after,
                                           const lg_render_options *options, lg_buf *out);

#endif
