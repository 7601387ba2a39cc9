// machine.h: what the files that carry out steps share.
#ifndef LG_SYMBOLIC_MACHINE_H
#define LG_SYMBOLIC_MACHINE_H

#include "symbolic/forall.h"
#include "symbolic/input.h"
#include "symbolic/steps.h"

#define NESTED_MAX 16u

typedef struct machine {
    problem *p;
    const lg_pack *pack;
    const lg_tool *tool;
    uint32_t loop_depth; // loops that it is in
    val state;
    val *slots;
    size_t slot_count;
    term ended; // no further step is done
    term failed;
    term stopped; // by a `fail` that keeps what was done
    term fault;
} machine;

typedef enum change_kind { CHANGE_SET, CHANGE_APPEND, CHANGE_REMOVE } change_kind;

typedef struct change {
    machine *m;
    change_kind kind;
    const val *keys; // without alternatives: any key
    uint32_t count;
    val value;
    bool unknown; // in place of the value: what stands in `leaf`, if it was done at all
    input *leaf;
} change;

val unknown_part(const change *c);
// The change may have been made under any key of a list or map.
val changed_anywhere(const change *c, const alt *a, uint32_t depth, term when);

void machine_fault(machine *m, term when);
term machine_live(machine *m, term when); // it is reached, and nothing has ended the call before

// The value with what the change does to it where `when` holds; `depth` keys lie behind.
val changed(const change *c, val v, uint32_t depth, term when);

// One step, without its `each`.
void do_once(machine *m, const lg_step *step, term when, uint32_t depth);

// The iterations of an `each` over all elements of a summary at once (loops.c).
void do_all_elements(machine *m, const lg_step *step, const summary *r, term when, uint32_t depth);

#endif
