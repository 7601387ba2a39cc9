// search.h: what the files share that look for sequences of allowed calls that break an invariant.
#ifndef LG_PROVE_SEARCH_H
#define LG_PROVE_SEARCH_H

#include "prove/symbolic_call.h"

// What a search may cost; some 1 or 2 seconds. Counts, not times, so that a slow machine finds as much.
#define SEARCH_WORK_MAX 250000u       // alternatives that are added up
#define SEARCH_CHAINS_MAX 24u         // unknown states
#define SEARCH_QUESTIONS_MAX 200u     // in all
#define SEARCH_UNDECIDED_MAX 12u      // of these: each takes as long as one may
#define SEARCH_QUESTION_WORK 30000u   // alternatives of one question
#define SEARCH_QUESTION_STEPS 200000u // of Z3's own; some 50 ms
#define SEARCH_START_STEPS 500000u    // for a state to begin from
#define SEARCH_NODES_MAX 64u

// Where calls have led to.
typedef struct node {
    stand at;
    const lg_json *start; // the state at the beginning
    uint32_t writes;
} node;

typedef struct search {
    task *task;
    rehearsal r;
    lg_arena arena; // of what is rehearsed
    term now;       // of the question at hand
    size_t invariants;
    bool *kept;   // by tool, then invariant: it changes nothing that it speaks of
    bool *single; // by tool, then invariant: proved, with a ledger that shows the state as it is
    bool *hard;   // by tool: what it breaks was not decided in an unknown state
    bool *begun;  // by tool: in some state it can be called
    bool *found;  // by invariant: a sequence breaks it
    lg_claim *claims; // by invariant
    node nodes[SEARCH_NODES_MAX];
    uint32_t node_count;
    uint32_t starts;    // states that it began from
    uint32_t chains;    // unknown states that were asked for
    uint32_t questions; // that were asked
    uint32_t left_out;  // that were not
    uint32_t undecided;
    uint64_t work;
} search;

bool is_gated_write(const lg_tool *tool);
// May a call of the tool break something that is still looked for? `outdated`: the ledger may not
// show the state as it is. `ret` (or NULL): what, by invariant.
bool may_break(const search *h, const lg_tool *tool, bool outdated, bool *ret);
bool search_is_over(const search *h);

// A solver for one question, within the bounds of the search. False: not asked.
bool search_open(search *h, problem *p, lg_arena *work, uint32_t steps);
void search_close(search *h, problem *p, lg_arena *work);
answer search_ask(search *h, problem *p, const term *goals, size_t count);

// Makes the write; a breach becomes a finding of its invariant. False if it could not be made.
bool search_write(search *h, node *n, const lg_tool *tool, const lg_json *args);
// Goes on from there later. Nothing happens when there are too many.
void search_note(search *h, const node *n);

// States from which each tool can be called (chain.c).
void search_starts(search *h);
// Calls of which one outdates what the next is judged by, from any small state.
void search_chains(search *h);

#endif
