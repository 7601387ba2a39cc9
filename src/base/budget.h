// budget.h: the work that may still be done, in steps.
//
// A step is a piece of work of bounded size, some nanoseconds: an instruction, a node of JSON, a few
// bytes of text. Whoever does work takes its steps first. Counting them instead of reading a clock
// makes every outcome a function of its inputs: a replay ends where the live session ended.
#ifndef LG_BASE_BUDGET_H
#define LG_BASE_BUDGET_H

#include "base/types.h"

// What is said of work that a budget did not reach, with the limit that gave the budget.
#define LG_NO_STEPS_LEFT(limit) "there are no steps left for it (" limit ")"

typedef struct lg_budget {
    uint64_t left;
    bool spent;       // more was asked for than was left: nothing found since is the whole truth
    const char *what; // for messages: LG_NO_STEPS_LEFT("decision_steps")
} lg_budget;

// False if so many are not left; then none are. A NULL budget has no end.
static inline bool lg_budget_take(lg_budget *budget, uint64_t steps)
{
    if (!budget) {
        return true;
    }
    if (steps > budget->left) {
        budget->left = 0;
        budget->spent = true;
        return false;
    }
    budget->left -= steps;
    return true;
}

static inline bool lg_budget_is_spent(const lg_budget *budget)
{
    return budget && budget->spent;
}

#endif
