// explain.h: what files of `ledgergate prove --explain` share.
//
// A tool is a Hoare triple (ToolGate section 3.2 and appendix G): P is its rules, Q what `returns` and
// `ensures` say of its result, U what it does: `stores` to the ledger, `effects` to the state. First
// the triple is shown with its rule and what was proved of it, then, if there is a state and calls,
// the derivation of each call at that state. The derivation is computed: every line of it is the
// gate's, the world's or the ledger's own answer, never the prover's.
#ifndef LG_CLI_PROVE_EXPLAIN_H
#define LG_CLI_PROVE_EXPLAIN_H

#include "cli/carry.h"

// What was found out about one condition and one tool.
typedef struct explain_obligation {
    lg_str tool;
    lg_str condition; // a postcondition of the tool, or an invariant; empty: all other invariants
    bool is_invariant;
    const char *outcome; // "proved", "assumed", "refuted", "unknown"
    lg_str why;          // of all but "proved"; may be empty
} explain_obligation;

typedef struct explain_request {
    const lg_pack *pack;
    lg_str only;       // a tool; empty: all of them
    const char *state; // a state file, or NULL: no derivation
    const char *calls; // of the same
    bool json;         // a line a tool, then a line a call
    const explain_obligation *obligations;
    size_t obligation_count;
} explain_request;

// Prints all that was asked for. Returns EXIT_FINE, or EXIT_FINDINGS if a step of the derivation was
// not safe, or what is wrong with the input.
int explain(const explain_request *request);

// --- explain_json.c -----------------------------------------------------------------------------

void explain_write_invariants(cli_out *out, const lg_pack *pack);
void explain_write_tool(cli_out *out, const explain_request *request, const lg_tool *tool);

// --- derive.c -----------------------------------------------------------------------------------

// Carries out the calls of the request on its state and shows each step. False after saying what is
// wrong; `*ret_unsafe` is the number of steps that were not safe.
bool explain_derive(cli_out *out, const explain_request *request, size_t *ret_unsafe,
                    int *ret_code);

#endif
