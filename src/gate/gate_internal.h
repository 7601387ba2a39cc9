// gate_internal.h: what the files of this room share about one decision.
#ifndef LG_GATE_INTERNAL_H
#define LG_GATE_INTERNAL_H

#include "gate/gate.h"

// The log begins on the stack, which is enough for most decisions, and grows up to its ceiling.
#define READ_LOG_ENTRIES 2048u
#define READ_LOG_FIRST 256u
#define READ_INDEX_KEPT 96u

typedef enum outcome_kind {
    OUTCOME_HOLDS,
    OUTCOME_NOT_APPLICABLE, // `when` is false
    OUTCOME_ABSTAINS,       // evidence is missing that the rule does not insist on
    OUTCOME_VIOLATED,
    OUTCOME_MISSING,
    OUTCOME_LACKING, // the call does not give an argument that the rule needs
    OUTCOME_DEFECT,
    OUTCOME_UNCERTAIN, // more writes than can be tried may or may not have happened
    OUTCOME_STALE,     // whatever it was, it was found with a record that must be read again
    OUTCOME_PENDING, // whatever it was, a call that has not answered may change what it was found with
} outcome_kind;

typedef struct outcome {
    outcome_kind kind;
    const lg_cel_failure *failure; // of MISSING, LACKING, ABSTAINS and DEFECT
    const lg_cel_program *program; // the step that failed
    uint32_t log_from, log_to;     // what this rule read
    bool uncertain; // it would be another, had a write that is uncertain happened, or not
    const struct stale_read
        *stale; // of STALE: what has to be read again; of PENDING: what may change
    uint32_t stale_count;
} outcome;

// What is known of one log entry, once the log is indexed.
typedef struct read_note {
    uint32_t above; // the entry that led to its parent; NO_ENTRY at a root, and where it is lost
    uint32_t first; // the first entry with the same child; itself for an absent child
    uint32_t used;  // the range in which another entry has gone through its child
    uint32_t seen;  // the range in which it was listed already
    bool rooted;    // `above` leads to `ledger` or `args`
    bool in_args;
    uint8_t depth;
    const lg_ledger_entry *entry; // the record that it lies in
    lg_str path;                  // its text, once it was asked for
} read_note;

#define NO_ENTRY UINT32_MAX

// A stale record, or the first part of it that a rule has read.
typedef struct stale_read {
    const lg_ledger_entry *entry;
    const lg_stale_part *part; // NULL: all of it
} stale_read;

// A stale record, and the node of the ledger that it is.
typedef struct stale_node {
    const lg_json *node;
    const lg_ledger_entry *entry;
    uint32_t read; // the stamp of the rule that has last gone through it
} stale_node;

// What an evaluation has come to, by the addresses of nodes.
typedef struct came_to {
    uint32_t stamp; // of that evaluation; else nothing is known of it yet
    bool cut;       // the log has not all of it
    uintptr_t *marks;
    uint32_t mask;
} came_to;

#define PAST_UNCERTAIN_MAX 4u // so many are tried in all their subsets
#define PAST_SUBSETS (1u << PAST_UNCERTAIN_MAX)

// Writes of the history that may or may not have happened.
typedef struct past {
    bool looked;
    bool other_bound; // what the slots hold is one of the others
    uint32_t count;
    uint32_t *items;                    // which they are
    const lg_json *roots[PAST_SUBSETS]; // ledgers without some of them, as they are asked for
} past;

// A read that was named, by the address of its text, and its arguments.
typedef struct asked_read {
    const char *text;
    const lg_json *args;
} asked_read;

typedef struct judgement {
    const lg_pack *pack;
    const lg_ledger_state *state;
    const lg_gate_call *call;
    const lg_tool *tool;
    lg_arena *scratch;
    uint64_t cel_cost;
    lg_gate_budget *budget;
    lg_budget *work;      // the part of it that evaluating rules draws from
    lg_cel_value *values; // slots of the rules
    lg_cel_read_log log;  // of all rules, one after the other
    lg_arena log_arena;   // of it and of whatever outlives a try: the scratch is rewound after each
    read_note *notes;     // by log entry; NULL until the log is indexed
    uint32_t ranges;      // listed so far: the stamp of the next
    stale_node *stale;    // of rules that want stale records read again; NULL until it is asked
    uint32_t stale_count;
    uint32_t *stale_table; // by node: where in `stale` it stands, from 1
    uint32_t stale_mask;
    uint32_t stale_stamp; // of the rule that asked last
    came_to came_to;
    past past;
    asked_read *asked;
    size_t asked_count, asked_capacity;
    bool bad_arguments; // they do not fit the schema
} judgement;

// --- gate.c -------------------------------------------------------------------------------------

// For assertions: no finding allows, and the severest has won.
bool decision_is_severest(const lg_decision *decision);

// --- evaluate.c ---------------------------------------------------------------------------------

// Makes room for slots, and begins the log in `first`; false when out of memory.
bool judgement_init(judgement *j, lg_cel_read first[READ_LOG_FIRST]);

// Binds ledger, args, now and tool for arguments `args`.
void judgement_bind(judgement *j, const lg_json *args);

// Evaluates one rule (docs/pack-format.md, evaluation of a rule), whatever may have happened. With
// `log` false the log is as before. The only failure is being out of memory.
LG_NODISCARD lg_status evaluate_rule(judgement *j, const lg_rule *rule, bool log, outcome *ret);

// The same on the ledger that is bound.
LG_NODISCARD lg_status evaluate_once(judgement *j, const lg_rule *rule, bool log, outcome *ret);

// Evaluates what is for words alone, out of `steps` and not of those for the verdict. `log` may be NULL.
lg_cel_value evaluate_words(judgement *j, const lg_cel_program *program, const lg_cel_value *values,
                            lg_cel_read_log *log, lg_budget *steps);

// What the outcome comes to; LG_ALLOW is no finding.
lg_verdict outcome_verdict(const lg_rule *rule, const outcome *o);

// --- past.c -------------------------------------------------------------------------------------

// `o` is what the rule comes to if all of the history has happened. Makes it the severest of what it
// comes to without those of its writes that are uncertain; the bindings are those of that one.
LG_NODISCARD lg_status judge_other_pasts(judgement *j, const lg_rule *rule, bool log, outcome *o);

// Is it a ledger without some of them?
bool is_other_past(const judgement *j, const lg_json *node);

// The node of the ledger's state that `node`, a member of the root of another past, is a copy of; else the
// same.
const lg_json *as_of_state(const judgement *j, const lg_json *node);

// "It is not known whether transfer was carried out"
void print_uncertain(judgement *j, lg_buf *out);

// --- stale.c ------------------------------------------------------------------------------------

// Has this evaluation, whose reads stand in the log from `o->log_from` on, read records that are
// stale? Then it is a STALE outcome. `dropped`: the log has not all of its reads.
LG_NODISCARD lg_status find_stale_reads(judgement *j, const lg_rule *rule, bool dropped,
                                        outcome *o);

// What has to be read again, for a STALE outcome, with the calls that read it the last time.
LG_NODISCARD lg_status list_stale(judgement *j, const outcome *o, lg_finding *finding);

// What is to be waited for, for a PENDING outcome.
void print_pending(judgement *j, lg_buf *out, const outcome *o);

// --- evidence.c ---------------------------------------------------------------------------------

#define READ_PATH_MAX 16u

// A step from `ledger` or `args` down to what was read.
typedef struct read_step {
    lg_str key;
    uint32_t index;
    bool is_index;
} read_step;

typedef struct read_path {
    bool in_args; // else in the ledger
    uint32_t count;
    read_step steps[READ_PATH_MAX];
} read_path;

// May what the path leads to have changed since it was read? It lies in `entry`.
bool read_path_is_stale(const read_path *path, const lg_ledger_entry *entry, lg_str *ret_tool);

// Finds for every log entry the step before it. Without it read_path_of searches. There is no index
// if there are not the steps for it.
LG_NODISCARD lg_status index_reads(judgement *j);

// The path of log entry `index`; false if its root is neither ledger nor args.
bool read_path_of(const judgement *j, uint32_t index, read_path *ret);

// The steps of a search for the path of an entry without an index, and for the record it lies in.
uint64_t find_cost(const judgement *j);

// "ledger.orders["#W1"].status" in scratch, or "..." without the steps for it; ptr NULL when out of
// memory.
lg_str read_path_text(judgement *j, const read_path *path, lg_budget *budget);

// The record that the path lies in, or NULL.
const lg_ledger_entry *read_path_entry(const judgement *j, const read_path *path);

// Lists the values that log entries `from` to `to` read, without those that were only passed
// through, and how many did not fit, at least.
LG_NODISCARD lg_status list_evidence(judgement *j, uint32_t from, uint32_t to,
                                     const lg_evidence **ret_items, size_t *ret_count,
                                     size_t *ret_left_out);

// --- missing.c ----------------------------------------------------------------------------------

// What is missing, for a MISSING or LACKING outcome of `rule`, and the reads that would supply it.
LG_NODISCARD lg_status list_missing(judgement *j, const lg_rule *rule, const outcome *o,
                                    lg_finding *finding);

// Appends get_order_details(order_id: "#W1"), with `...` for an argument that is required and not known.
void print_call(judgement *j, lg_buf *out, const lg_tool *tool, const lg_json *args);

// Of a text that a rule has refused for its form no read is asked for: takes such reads away from the
// findings. `outcomes` are those of the tool's rules.
LG_NODISCARD lg_status withdraw_reads(judgement *j, const outcome *outcomes, lg_finding *findings,
                                      size_t count);

// Is all that it misses what these reads would have given?
bool is_withdrawn(const lg_finding *finding);

// --- hints.c ------------------------------------------------------------------------------------

// Values for one argument that a violated rule offers, known to the ledger, with which the call passes
// all rules. `outcomes` are those of the tool's rules, in order.
LG_NODISCARD lg_status list_hints(judgement *j, const outcome *outcomes, lg_decision *decision);

// --- message.c ----------------------------------------------------------------------------------

// Appends what a stranger wrote: cut if it is long, with `?` for what is no printable UTF-8.
void add_shown(lg_buf *out, lg_str text);

// The same of a path, a read or a value, which may be longer.
void add_place(lg_buf *out, lg_str text);

// A finding that the steps of the decision ended before `what`, a rule or a check, was judged.
LG_NODISCARD lg_status write_out_of_steps(judgement *j, lg_str what, lg_finding *finding);

// Copies the text to scratch and releases the buffer.
LG_NODISCARD lg_status take_text(judgement *j, lg_buf *text, lg_str *ret);

// The finding's text for a rule that is violated, lacks evidence, or cannot be evaluated. The
// bindings of the last evaluation of this rule must still be in the slots.
LG_NODISCARD lg_status write_finding(judgement *j, const lg_rule *rule, const outcome *o,
                                     lg_finding *finding);

// Does a rule not hold beside which nothing else is told?
bool has_alone(const judgement *j, const lg_decision *decision);

// The whole decision in words.
LG_NODISCARD lg_status write_message(judgement *j, lg_decision *decision);

#endif
