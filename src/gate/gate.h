// gate.h: allow, revise or block a proposed call. Pure: nothing is read but pack, ledger and call.
//
// All rules of the tool are evaluated, in the pack's order, and the most severe verdict wins
// (LedgerAgent section 3.3). The gate fails closed: arguments that do not fit, a tool that nobody
// declared, a rule that cannot be evaluated are findings, and no finding is ever `allow`.
#ifndef LG_GATE_H
#define LG_GATE_H

#include "conversation/conversation.h"
#include "ledger/ledger.h"

typedef struct lg_gate_call {
    lg_str tool;
    const lg_json *args; // NULL, or no object: then that is a finding
    lg_str args_text;    // what could not be read, for the message
    uint64_t read_steps; // that reading the arguments took, of those of the decision
    int64_t now_seconds; // for packs without a fixed clock
    uint32_t now_nanos;
} lg_gate_call;

// The work of one decision. The verdict, its words, what they show and its explanation each have a part of their
// own (half of the steps, an eighth, an eighth, and what remains), so that no hint changes a verdict, and nothing
// that is shown takes away what has to be said: what is missing, and a rule's first sentence.
typedef struct lg_gate_budget {
    uint64_t steps;    // in all
    lg_budget verdict; // when it is spent, the call is refused
    lg_budget words;   // when it is spent, messages leave out what they would say of values
    lg_budget shows;   // when it is spent, what `show` names is not known
    lg_budget explain; // when it is spent, hints end, and evidence is cut
} lg_gate_budget;

// `decision_steps` as in lg_limits; 0: its default.
lg_gate_budget lg_gate_budget_of(uint64_t decision_steps);

uint64_t lg_gate_steps_used(const lg_gate_budget *budget);

typedef struct lg_gate_options {
    lg_explain explain; // beside the findings; what is left out costs nothing
    uint64_t cel_cost;  // as in lg_limits; 0: its default
    lg_gate_budget
        *budget; // what is left of it afterwards is for lg_gate_join(); NULL: the default
} lg_gate_options;

// Judges `call` against `state` of a ledger of `pack`. Everything in `*ret_decision` lives in
// `scratch` (or in pack, state and call). `options` NULL: all is explained. The only failure is LG_ERR_OOM:
// then there is no verdict, and the caller must refuse.
LG_NODISCARD lg_status lg_gate_decide(const lg_pack *pack, const lg_ledger_state *state,
                                      const lg_gate_call *call, const lg_gate_options *options,
                                      lg_arena *scratch, lg_decision *ret_decision,
                                      lg_error *reterr);

// Judges the proposed event by the rules about the conversation as well, and adds what they find to
// `decision`, which is that of lg_gate_decide() for a call, and one without findings for a message.
// Fails with LG_ERR_OOM: then there is no verdict. `budget` is that of lg_gate_decide(); NULL: the default.
LG_NODISCARD lg_status lg_gate_join(const lg_conversation *conversation,
                                    const lg_conversation_event *event, lg_gate_budget *budget,
                                    lg_arena *scratch, lg_decision *decision, lg_error *reterr);

#endif
