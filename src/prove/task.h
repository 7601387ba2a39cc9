// task.h: what the files that discharge obligations share.
#ifndef LG_PROVE_TASK_H
#define LG_PROVE_TASK_H

#include "gate/gate.h"
#include "prove/prove.h"
#include "symbolic/model.h"
#include "symbolic/rules.h"

// Every zero replaced by its default.
lg_prove_options prove_resolved(const lg_prove_options *options);

// Is the claim asked for?
bool is_asked(const lg_prove_options *options, lg_claim_kind kind);

// One pack and what was found out about it.
typedef struct task {
    const lg_pack *pack;
    lg_prove_options options;
    lg_arena *arena; // of the answer
    lg_claim *items;
    size_t count, capacity;
    struct rule_note *rules;  // by rule, over all its tools
    struct reach_note *reach; // by tool
    lg_str tool;              // of the bench that is open
    terms_budget *budget;     // of the whole run
    bool has_state;           // a state is known in which all invariants hold
    bool oom;
} task;

// Begins the run's budget, as the options say.
terms_budget task_budget(const lg_prove_options *options);
// Is the time of the run used up?
bool is_late(const task *t);
// Whether time or memory has cut something off since this was asked last.
bool was_cut_off(task *t);
// Until share_end() no question is asked once one of `parts` of the time that is left is used up, so that
// what is hard leaves time to what comes after it. Shares nest: what is given back is for share_end().
uint64_t share_begin(task *t, uint32_t parts);
void share_end(task *t, uint64_t outer);
// Where steps end a question, time only does so if they take this many times as long as they should:
// what is proved is to be the same on a busy machine.
#define STEPS_LATE 10u
// What Z3 does in a second, more or less.
#define STEPS_A_SECOND 2000000u
// Questions are limited by so many of Z3's steps, if a question has a second; else in proportion.
void limit_steps(const task *t, terms *of, uint32_t steps);

// Tells the caller which tool is next.
void tell_progress(const task *t, lg_str tool, size_t done, size_t count);

// What is known of a rule so far, over all its tools: the best that was seen for each kind.
typedef struct rule_note {
    lg_claim best[LG_OBLIGATION_KINDS];
    bool seen[LG_OBLIGATION_KINDS];
} rule_note;

// One tool at work: its formulas and a solver.
//
// The formulas of a bench speak of small cases: lists and maps have their explicit elements, and no others. That
// is all that can be written down and executed, and a tenth of what it takes to speak of all cases. Those are
// formulas of their own, made when a question first comes to them.
typedef struct bench {
    task *task;
    lg_arena work;
    problem p;
    scene s;
    rule_outcome *outcomes; // of the rules of the tool
    uint64_t since;         // when the obligation at hand was begun
    struct bench *whole;    // of all cases; or NULL: not made yet, or it is one
} bench;

lg_status bench_open(bench *b, task *t, const lg_tool *tool, lg_error *reterr);
// With nothing unrolled: for proofs only (forall.h).
lg_status bench_open_all(bench *b, task *t, const lg_tool *tool, lg_error *reterr);
void bench_close(bench *b);
void bench_start(bench *b); // the clock of the next obligation

// --- Asking -------------------------------------------------------------------------------------

// A state in which it is so, or the reason why there is none.
typedef enum reply {
    REPLY_EXAMPLE,     // one, executed
    REPLY_NONE,        // there is none
    REPLY_NONE_SMALL,  // none as far as lists were unrolled
    REPLY_NONE_EXACT,  // none if no number is rounded
    REPLY_UNCONFIRMED, // Z3 has one, but executed it does otherwise
    REPLY_UNDECIDED,
} reply;

// What was executed.
typedef struct trial {
    const lg_json *ledger;
    const lg_json *args;
    lg_decision decision;
    const lg_json *example; // all of it, for the answer
} trial;

// Reads the case at hand out of the model, executes it, and says whether it is what was asked for.
typedef bool confirm_of(bench *b, model *m, const void *wanted, trial *ret);

// What is asked, in the formulas of the bench: first of small cases, then perhaps of all.
#define GOALS_MAX 8u
typedef struct goal_list {
    term items[GOALS_MAX];
    size_t count;
} goal_list;
typedef goal_list goals_of(bench *b, void *about);

typedef struct question {
    goals_of *goals;
    void *about;
    confirm_of *confirm;
    const void *wanted;
    bool executable_only; // of a case that cannot be written down nothing is asked
} question;

reply ask(bench *b, const question *q, trial *ret);
const char *reply_reason(const bench *b, reply r); // why it is not a proof
const char *undecided_reason(const bench *b);
// What took too much to be followed, of small cases or of all.
bool bench_failed(const bench *b);
// That no list or map has more than its explicit elements, and all else is ideal: only such a model is a
// case that can be written down.
term only_explicit(problem *p);
// Of items that contradict `given` together, marks as few as do: each is dropped if the others still do.
// What is not decided stays.
void mark_conflict(terms *t, term given, const term *items, size_t count, bool *ret_kept);

// Runs the gate on a ledger and arguments. False when out of memory.
bool judge(bench *b, const lg_json *ledger, const lg_json *args, bool hints, lg_decision *ret);
bool has_finding(const lg_decision *decision, lg_str rule);
// Does every record of the ledger have the shape that its place declares?
bool records_fit(const lg_pack *pack, const lg_places *places, const lg_json *root);

// The members of an example.
const lg_json *example_of(task *t, const lg_json *ledger, const lg_json *args,
                          const lg_decision *decision, const char *what);

const lg_json *example_of_state(task *t, const lg_json *state);

// --- Noting -------------------------------------------------------------------------------------

// Does the gate judge calls of it? Only writes of the agent have rules.
bool is_gated(const lg_tool *tool);
// One of those, and not left out by `only`.
bool is_wanted_tool(const task *t, const lg_tool *tool);
lg_claim *add_obligation(task *t, const lg_claim *o);
lg_claim obligation_of(bench *b, lg_claim_kind kind, const lg_rule *rule);
void take_time(bench *b, lg_claim *o);
// One more tool has been looked at for a rule.
void note_rule(task *t, size_t rule, const lg_claim *o);

// --- The obligations ----------------------------------------------------------------------------

// Is it known that no call of the tool is allowed?
bool is_dead(const task *t, const lg_tool *tool);
// Of the rules alone: allowed, applies, violable, needed, compatible, hints.
lg_status oblige_rules(bench *b);
// Of one rule, at a call that it refuses: what the gate hints at passes.
void oblige_hints(bench *b, size_t rule, const trial *refused);
// Whether calls lead to an allowed one: reachable. First what reads alone lead to; then, when all
// tools were asked, what takes earlier writes.
bool reach_begin(task *t);
lg_status oblige_reachable(bench *b);
lg_status oblige_reached(task *t, lg_error *reterr);
// Of the invariants of the state: satisfiable.
lg_status oblige_satisfiable(task *t, lg_error *reterr);
// Of effects: effective, preserves, ensures. `rules` is the bench of the tool, or NULL: it has no rules.
lg_status oblige_effects(task *t, const lg_tool *tool, bench *rules, lg_error *reterr);
// Of two packs: the parts that differ and are not compared.
void list_uncompared(task *t, const lg_pack *before, const lg_pack *after, lg_difference *ret);
// Of sequences of calls, when all tools are done: sequence.
lg_status oblige_sequences(task *t, lg_error *reterr);
// The notes of all rules become obligations.
void oblige_noted(task *t);

#endif
