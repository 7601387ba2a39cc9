// prove.h: proofs about packs: what holds in every state, before anyone relies on it.
//
// Each tool is a Hoare triple {P} tool {Q} (ToolGate sections 3.2 to 3.4): P is that all its rules
// pass, Q its postconditions and the invariants. An obligation is one statement about a pack, such
// as "some call of this tool is allowed" or "whatever call is allowed, the invariant holds after
// it". It is translated to formulas over ledgers, arguments and states of any size, and Z3 looks for
// a state that speaks for or against it.
//
// Nothing is taken on trust. What Z3 finds is written out as JSON and executed by the gate, and only
// what happens there is reported; what cannot be translated is left open in the formulas, so that
// "proved" means proved; and what holds only as far as lists were unrolled, or only with exact
// arithmetic, is `assumed`, with the reason.
//
//     lg_prove_options options = {.now_us = clock};
//     lg_proof proof;
//     if (lg_prove(pack, &options, arena, &proof, &err) != LG_OK) ...
//     for (size_t i = 0; i < proof.count; i++) // proof.items[i].outcome
//
// The run-time gate does not know this room, and nothing else loads Z3.
#ifndef LG_PROVE_H
#define LG_PROVE_H

#include "pack/pack.h"

// Changes when the same pack may get another answer: cached answers carry it.
#define LG_PROVE_VERSION 4

// Loads Z3: the library at `path`, or if that is NULL the one that the system has. Whatever proves does
// it by itself with NULL; only the first call that succeeds does anything. Fails with
// LG_ERR_ENVIRONMENT, and says what to install.
LG_NODISCARD lg_status lg_prove_load_solver(const char *path, lg_error *reterr);

// The version of Z3: another one may find other examples. "none" if it cannot be loaded.
const char *lg_prove_solver(void);

typedef enum lg_proof_outcome {
    LG_PROVED,
    LG_REFUTED,   // a finding: with an example that was executed, or because there is none
    LG_ASSUMED,   // nothing speaks against it, but a part of the argument is not a proof
    LG_UNDECIDED, // not within the time
} lg_proof_outcome;

const char *lg_proof_outcome_name(lg_proof_outcome outcome); // "proved", "refuted", ...

// clang-format off
// name, word, what is claimed
#define LG_OBLIGATION_MAP(X)                                                                       \
    X(ALLOWED,    "allowed",    "some call passes all rules")                                      \
    X(APPLIES,    "applies",    "the condition of the rule can be met")                            \
    X(VIOLABLE,   "violable",   "the rule can refuse a call")                                      \
    X(NEEDED,     "needed",     "the rule is not implied by the others")                           \
    X(COMPATIBLE, "compatible", "both rules can be met at once")                                   \
    X(HINTS,      "hints",      "with what the gate hints at, the call passes")                    \
    X(REACHABLE,  "reachable",  "reads lead from the empty ledger to an allowed call")             \
    X(PRESERVES,  "preserves",  "an allowed call keeps the invariant")                             \
    X(ENSURES,    "ensures",    "what a call gives has the postcondition")                        \
    X(SEQUENCE,   "sequence",   "no sequence of allowed calls breaks the invariant")               \
    X(SATISFIABLE, "satisfiable", "some state has all invariants")                                 \
    X(EFFECTIVE,  "effective",  "some allowed call is carried out")
// clang-format on
typedef enum lg_claim_kind {
#define X(name, word, claim) LG_OBLIGE_##name,
    LG_OBLIGATION_MAP(X)
#undef X
        LG_OBLIGATION_KINDS
} lg_claim_kind;

_Static_assert(LG_OBLIGATION_KINDS <= 32, "a set of kinds is 32 bits");

const char *lg_claim_word(lg_claim_kind kind);
const char *lg_claim_text(lg_claim_kind kind);

typedef struct lg_claim {
    lg_claim_kind kind;
    lg_str tool;     // or empty
    lg_str rule;     // of a rule, invariant or postcondition; or empty
    lg_str other;    // of two rules the second
    uint32_t offset; // in the pack's text
    lg_proof_outcome outcome;
    bool finding; // refuted, and more than a remark
    uint32_t micros;
    bool cut;               // neither proved nor refuted, and with more time or memory it may be
    lg_str why;             // one sentence for people; or empty
    const lg_json *example; // a state and calls, as they were executed; or NULL
} lg_claim;

typedef struct lg_proof {
    const lg_claim *items;
    size_t count;
    size_t outcomes[4]; // how many of each
    size_t findings;
    uint64_t micros;
} lg_proof;

// Zero in any field means its default, which is in brackets.
typedef struct lg_prove_options {
    uint32_t timeout_ms;      // of one question to Z3 [1,000]
    uint32_t steps;           // Z3's own limit of one question, the same on every machine [none]
    uint32_t seconds;         // of the whole run, if there is a clock [120]
    uint32_t megabytes;       // of memory for formulas and Z3 [2,048]
    uint32_t width;           // elements of a list or map that are looked at one by one [2]
    uint64_t (*now_us)(void); // a clock, for the times in the answer; or NULL
    // A clock by which `seconds` count: the processor's time, so that a busy machine proves as much as an idle one;
    // NULL: `now_us`.
    uint64_t (*work_us)(void);
    lg_str only;    // one tool; or empty
    uint32_t depth; // calls of the sequences that are tried against invariants [3]
    uint32_t kinds; // of claims, a bit `1u << kind` each [all]
    // Told before each tool, and once at the end with `done` of `count`; or NULL.
    void (*progress)(void *context, lg_str tool, size_t done, size_t count);
    void *progress_context;
} lg_prove_options;

// Discharges all obligations of a pack. The proof lives in `arena` and points into the pack. Fails
// with LG_ERR_OOM or, without Z3 LG_ERR_ENVIRONMENT, if it cannot be started LG_ERR_INTERNAL.
LG_NODISCARD lg_status lg_prove(const lg_pack *pack, const lg_prove_options *options,
                                lg_arena *arena, lg_proof *ret_proof, lg_error *reterr);

// --- Two packs ----------------------------------------------------------------------------------

typedef enum lg_relation {
    LG_RELATION_EQUAL,        // no call is judged differently
    LG_RELATION_STRICTER,     // some call is judged more severely, none less
    LG_RELATION_LOOSER,       // the reverse
    LG_RELATION_INCOMPARABLE, // both
    LG_RELATION_UNKNOWN,
} lg_relation;

const char *lg_relation_name(lg_relation relation);

typedef struct lg_tool_difference {
    lg_str tool;
    lg_relation relation;
    bool proved;    // else it holds as far as it was looked: `why` says how far
    bool undecided; // a direction was not decided within the time
    bool cut;       // with more time or memory the answer may be another
    lg_str why;
    const lg_json *stricter; // a ledger and a call that the new pack judges more severely; or NULL
    const lg_json *looser;
    uint32_t micros;
    uint32_t offset; // in the text of the new pack; or of the old one, if only that has it:
    bool in_old;
} lg_tool_difference;

// A part of the packs that differs, and on which no verdict on a ledger and a call depends.
typedef struct lg_uncompared {
    lg_str what; // "conversation", "stores of get_order", "stale of some_rule"
    uint32_t offset;
    bool in_old; // the new pack has nothing of it
} lg_uncompared;

typedef struct lg_difference {
    const lg_tool_difference *tools;
    size_t count;
    lg_relation relation; // of the packs as wholes
    bool proved;
    const lg_uncompared *uncompared;
    size_t uncompared_count;
    uint64_t micros;
} lg_difference;

LG_NODISCARD lg_status lg_prove_difference(const lg_pack *before, const lg_pack *after,
                                           const lg_prove_options *options, lg_arena *arena,
                                           lg_difference *ret, lg_error *reterr);

#endif
