// outcome.c: how much each signal weighs, and what all of them come to.
#include "audit/outcome.h"

#include <math.h>

#define SIGNAL_MAX 3u

void audit_signal_count(audit_case *c, const char *name, size_t count)
{
    audit_signal(c, name, count < SIGNAL_MAX ? (double)count : SIGNAL_MAX);
}

bool audit_signal_seen(const audit_case *c, const char *name)
{
    for (size_t i = 0; i < c->signal_count; i++) {
        if (strcmp(c->signals[i].name, name) == 0) {
            return c->signals[i].value > 0;
        }
    }
    return false;
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
static const double intercept = 1.55;
static const signal_weight weights[] = {
    {"no_regular_end", AGAINST, -1.56},
    {"printed_call", AGAINST, -0.70},
    {"loop", AGAINST, -0.25},
    {"promise_not_kept", AGAINST, 0.00},
    {"nothing_changed", AGAINST, -0.92},
    {"refused_and_done", AGAINST, -0.46},
    {"failed_and_left", AGAINST, -0.24},
    {"transfer_after_change", AGAINST, -0.98},
    {"transfer_unread", AGAINST, -0.42},
    {"unseen_value", AGAINST, -0.83},
    {"offer_left_open", AGAINST, -0.58},
    {"yes_and_nothing", AGAINST, -0.18},
    {"changes_beyond_yes", AGAINST, -0.14},
    {"denied_and_changed", AGAINST, -0.39},
    {"payment_and_nothing", AGAINST, -0.14},
    {"choice_left", AGAINST, -0.37},
    {"asked", AGAINST, -0.26},
    {"asked_and_partly_done", AGAINST, -0.54},
    {"asked_and_permitted", AGAINST, 0.00},
    {"asked_and_perhaps_permitted", AGAINST, 0.00},
    {"asked_and_forfeited", AGAINST, -0.32},
    {"asked_and_undecided", AGAINST, -0.02},
    {"asked_for_new", AGAINST, -0.72},
    {"exception_made", AGAINST, -1.02},
    {"permitted_and_nothing", AGAINST, -0.11},
    {"undecided_and_nothing", AGAINST, -0.20},
    {"denied_though_permitted", AGAINST, -0.49},
    {"asked_and_done", FOR, 0.12},
    {"refused_and_nothing", FOR, 0.87},
    {"only_refused", FOR, 0.50},
    {"only_refused_or_exceptions", FOR, 0.90},
    {"denied_and_nothing", FOR, 0.35},
    {"claimed_and_nothing", FOR, 0.33},
    {"thanked", FOR, 0.06},
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
