// rules.h: what the gate says of a call, as formulas.
//
// A case is a ledger and arguments of one tool, of which only the schemas are known. Each rule of
// the tool comes to one of seven outcomes, and the worst of them is the verdict: the same steps as in
// src/gate, with formulas in place of values.
#ifndef LG_SYMBOLIC_RULES_H
#define LG_SYMBOLIC_RULES_H

#include "symbolic/input.h"

// When each outcome is. They exclude each other and leave nothing out.
typedef struct rule_outcome {
    term holds;    // `that` is true
    term idle;     // `when` is false
    term abstains; // something is missing, and the rule has no `needs`
    term violated;
    term missing;
    term lacking; // the call lacks an argument that the rule needs
    term defect;
} rule_outcome;

// A ledger, arguments and a time.
typedef struct scene {
    problem *p;
    const lg_pack *pack;
    const lg_tool *tool;
    input *ledger;
    input *history;
    input *args;
    term now; // a literal, or a constant
    val slots[LG_SLOT_COUNT];
} scene;

// A scene of a tool: everything about it is unknown but the schemas.
bool scene_init(scene *s, problem *p, const lg_pack *pack, const lg_tool *tool);

rule_outcome rule_outcome_of(const scene *s, const lg_rule *rule);

// When an invariant of the state is true of `state`. What is open while this is translated may be looked
// at later, so the values of its variables live in the arena. Out of memory `bounded` is set.
term invariant_holds(problem *p, const lg_condition *invariant, val state);

// No finding comes of it.
term rule_passes(problem *p, const rule_outcome *o);
term rule_finds(problem *p, const rule_outcome *o);
// The verdict is at least `revise`, or it is `block`.
term verdict_refuses(const scene *s, const rule_outcome *outcomes);
term verdict_blocks(const scene *s, const rule_outcome *outcomes);

// The outcomes of all rules of the tool, in its order; NULL when out of memory.
rule_outcome *scene_outcomes(const scene *s);

#endif
