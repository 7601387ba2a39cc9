// classify.c: which finding caused which, what class of failure it was (LedgerAgent section 6), and where it went wrong.
#include "audit/audit_internal.h"

// --- Roots ----------------------------------------------------------------------------------------------

// One deviation can trip several checks: those at one event, of one argument or rule, have the most severe of
// them as their root.
static bool is_cause_of(const lg_audit_finding *cause, const lg_audit_finding *found)
{
    bool same_argument =
        cause->key.len == 0 || found->key.len == 0 || lg_str_eq(cause->key, found->key);
    return cause->event != LG_NO_EVENT && cause->event == found->event && same_argument &&
           cause->kind->of_process == found->kind->of_process &&
           cause->severity >= found->severity && found->severity != LG_SEVERITY_HINT;
}

static void find_roots(audit_case *c)
{
    for (uint32_t i = 0; i < c->finding_count; i++) {
        for (uint32_t root = 0; root < c->finding_count; root++) {
            lg_audit_finding *cause = &c->findings[root], *found = &c->findings[i];
            bool before = cause->severity > found->severity || root < i;
            if (root != i && before && cause->root == root && is_cause_of(cause, found)) {
                found->root = root;
                break;
            }
        }
    }
}

// --- Classes ----------------------------------------------------------------------------------------------

// The most severe finding of which a class is known; of several the first.
static const lg_audit_finding *worst(const audit_case *c)
{
    const lg_audit_finding *ret = NULL;
    for (size_t i = 0; i < c->finding_count; i++) {
        const lg_audit_finding *found = &c->findings[i];
        bool counts = found->root == i && found->severity >= LG_SEVERITY_MODERATE &&
                      found->kind->failure != LG_FAILURE_NONE;
        ret = counts && (!ret || found->severity > ret->severity) ? found : ret;
    }
    return ret;
}

void audit_classify(audit_case *c, lg_audit_result *result)
{
    find_roots(c);
    const lg_audit_finding *found = worst(c);
    result->failure = found ? found->kind->failure : LG_FAILURE_NONE;
    result->first_unrecoverable = found ? found->event : LG_NO_EVENT;
}
