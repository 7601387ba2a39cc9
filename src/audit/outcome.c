// outcome.c: how much each signal weighs, and what all of them come to.
#include "audit/outcome.h"

#include <math.h>

#define SIGNAL_MAX 3u

void audit_signal_count(audit_case *c, const char *name, size_t count)
{
    audit_signal(c, name, count < SIGNAL_MAX ? (double)count : SIGNAL_MAX);
}

void audit_signals(audit_case *c)
{
    audit_signals_of_calls(c);
    audit_signals_of_values(c);
    audit_signals_of_words(c);
    audit_signals_of_requests(c);
}

// Whether what is seen may only worsen the score, or only better it.
typedef enum direction { AGAINST = -1, FOR = 1 } direction;

typedef struct signal_weight {
    const char *name;
    direction direction;
    double weight; // log odds for each time that it was seen; 0: it was not found to tell anything
} signal_weight;

// Weights and intercept are written by `scripts/audit_study.py --write`, from the recordings of all customers;
// docs/audit.md says what they come to on customers that they were not learnt from.
// clang-format off
static const double intercept = 1.44;
static const signal_weight weights[] = {
    {"no_regular_end", AGAINST, -1.83},
    {"printed_call", AGAINST, -0.83},
    {"loop", AGAINST, -0.28},
    {"promise_not_kept", AGAINST, -0.60},
    {"ungrounded_change", AGAINST, 0.00},
    {"nothing_changed", AGAINST, -0.78},
    {"refused_and_done", AGAINST, -0.43},
    {"failed_and_left", AGAINST, -0.22},
    {"transfer_after_change", AGAINST, -1.07},
    {"transfer_unread", AGAINST, -0.50},
    {"unseen_value", AGAINST, -1.01},
    {"made_up_value", AGAINST, 0.00},
    {"offer_left_open", AGAINST, -0.57},
    {"yes_and_nothing", AGAINST, -0.18},
    {"changes_beyond_yes", AGAINST, -0.14},
    {"denied_and_changed", AGAINST, -0.49},
    {"payment_and_nothing", AGAINST, -0.17},
    {"choice_left", AGAINST, -0.36},
    {"asked", AGAINST, -0.17},
    {"asked_and_partly_done", AGAINST, -0.11},
    {"asked_and_permitted", AGAINST, -0.06},
    {"asked_and_perhaps_permitted", AGAINST, -0.13},
    {"asked_and_forfeited", AGAINST, -0.35},
    {"asked_and_undecided", AGAINST, -0.01},
    {"asked_for_new", AGAINST, -0.69},
    {"exception_made", AGAINST, -1.14},
    {"permitted_and_nothing", AGAINST, -0.36},
    {"perhaps_permitted_and_nothing", AGAINST, 0.00},
    {"undecided_and_nothing", AGAINST, -0.29},
    {"asked_and_done", FOR, 0.16},
    {"refused_and_nothing", FOR, 0.84},
    {"only_refused", FOR, 0.70},
    {"only_refused_or_exceptions", FOR, 0.94},
    {"denied_and_nothing", FOR, 0.15},
    {"claimed_and_nothing", FOR, 0.31},
    {"thanked", FOR, 0.08},
};
// clang-format on

void audit_outcome(const audit_case *c, lg_audit_result *result)
{
    double odds = intercept;
    for (size_t i = 0; i < c->signal_count; i++) {
        for (size_t k = 0; k < LG_COUNT(weights); k++) {
            bool same = strcmp(c->signals[i].name, weights[k].name) == 0;
            odds += same ? weights[k].weight * c->signals[i].value : 0;
        }
    }
    // Four digits: what two C libraries make of exp() may differ in the last bit.
    result->outcome = round(1e4 / (1 + exp(-odds))) / 1e4;
    result->has_outcome = c->count > 0;
}
