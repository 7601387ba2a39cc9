// choose.c: which of several packs a conversation is of, told by the tools that it called.
//
// Tools of kind `generic` (transfer_to_human_agents, calculate) stand in many packs and tell nothing of a
// domain; a read or a write tells the more, the fewer of the packs declare it. Everything is counted in
// whole numbers, so that the same conversation has the same pack on every machine.
#include "pack/pack.h"

// What one tool that only one of the packs declares weighs; divided by the number of packs that declare it.
// Divisible by all numbers up to 16, so that shares of it add up to it again.
#define WHOLE_WEIGHT 720720u

typedef struct candidate {
    size_t known;        // of the tools that were called, those that it declares
    uint64_t distinct;   // how much they weigh together
    size_t own;          // tools of the agent that it declares
    size_t offered;      // of these, those that the agent could call
    bool is_called_like; // the recorded domain is its name
} candidate;

static bool is_offered(const lg_tool_use *use, lg_str name)
{
    size_t low = 0;
    size_t high = use->offered_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = lg_str_cmp(use->offered[middle], name);
        if (order == 0) {
            return true;
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return false;
}

// The tool, if it is one of the agent's.
static const lg_tool *agents_tool(const lg_pack *pack, lg_str name)
{
    const lg_tool *tool = lg_pack_tool(pack, name);
    return tool && !tool->by_user ? tool : NULL;
}

static void weigh_called(const lg_pack *const *packs, size_t count, lg_str name, candidate *of)
{
    bool tells[LG_CHOICE_MAX];
    uint64_t declaring = 0;
    for (size_t p = 0; p < count; p++) {
        const lg_tool *tool = agents_tool(packs[p], name);
        tells[p] = tool && tool->kind != LG_TOOL_GENERIC;
        declaring += tells[p];
        of[p].known += tool != NULL;
    }
    for (size_t p = 0; p < count; p++) {
        of[p].distinct += tells[p] ? WHOLE_WEIGHT / declaring : 0;
    }
}

static void weigh_offered(const lg_pack *pack, const lg_tool_use *use, candidate *c)
{
    for (size_t t = 0; t < pack->tool_count; t++) {
        c->own += !pack->tools[t].by_user;
        c->offered += !pack->tools[t].by_user && is_offered(use, pack->tools[t].name);
    }
}

// Nearly all of what was called is its own; a weak model calls tools that nobody has, and then the recorded
// domain vouches for the pack. Of what could be called at least half of its tools are there.
static bool fits(const candidate *c, const lg_tool_use *use, size_t called)
{
    size_t unknown = called - c->known;
    bool nearly_all = unknown * (c->is_called_like ? 2 : 4) <= called;
    bool could_be = use->offered_count == 0 || c->offered * 2 >= c->own;
    return nearly_all && could_be && (c->distinct || c->offered || c->is_called_like);
}

// Below 0: `a` is the better. What was called goes before what could be called, and that before a name.
static int compare(const candidate *a, const candidate *b)
{
    return a->distinct != b->distinct               ? (a->distinct > b->distinct ? -1 : 1)
           : a->offered != b->offered               ? (a->offered > b->offered ? -1 : 1)
           : a->is_called_like != b->is_called_like ? (a->is_called_like ? -1 : 1)
                                                    : 0;
}

// Of several that fit equally well: the first, if they are one domain's, else none.
static const lg_pack *best_of(const lg_pack *const *packs, size_t count, const candidate *of,
                              const lg_tool_use *use, size_t called)
{
    const candidate *best = NULL;
    bool ambiguous = false;
    for (size_t p = 0; p < count; p++) {
        if (!fits(&of[p], use, called)) {
            continue;
        }
        int order = best ? compare(&of[p], best) : -1;
        if (order == 0) {
            ambiguous = ambiguous || !lg_str_eq(packs[p]->name, packs[best - of]->name);
        } else if (order < 0) {
            best = &of[p];
            ambiguous = false;
        }
    }
    return best && !ambiguous ? packs[best - of] : NULL;
}

const lg_pack *lg_pack_choose(const lg_pack *const *packs, size_t count, const lg_tool_use *use)
{
    candidate of[LG_CHOICE_MAX] = {0};
    count = count < LG_CHOICE_MAX ? count : LG_CHOICE_MAX;
    size_t called = 0;
    for (size_t i = 0; i < use->called_count; i++) {
        if (use->offered_count == 0 || is_offered(use, use->called[i])) {
            weigh_called(packs, count, use->called[i], of);
            called++;
        } // else it was the agent's mistake, and says nothing of where it was
    }
    for (size_t p = 0; p < count; p++) {
        weigh_offered(packs[p], use, &of[p]);
        of[p].is_called_like = use->domain.len && lg_str_eq_any_case(use->domain, packs[p]->name);
    }
    return best_of(packs, count, of, use, called);
}
