// classify.c: which finding caused which, what class of failure it was (LedgerAgent section 6), and where it went wrong.
#include "audit/dialogue.h"
#include "audit/outcome.h"

// --- Roots ----------------------------------------------------------------------------------------------

// How messages are made: each is a deviation of its own.
static bool is_style(const lg_audit_finding *found)
{
    return found->kind == &audit_kinds[KIND_TEXT_WITH_CALL] ||
           found->kind == &audit_kinds[KIND_SEVERAL_CALLS] ||
           found->kind == &audit_kinds[KIND_SKIPPED_VERIFICATION];
}

static bool is_any(const lg_audit_finding *found, const audit_kind *kinds, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (found->kind == &audit_kinds[kinds[i]]) {
            return true;
        }
    }
    return false;
}

// A wrong value, or a call that a rule refuses: what comes of it is its symptom.
static bool is_wrong_call(const lg_audit_finding *found)
{
    static const audit_kind kinds[] = {KIND_UNGROUNDED_ARGUMENT, KIND_SCHEMA_VIOLATION,
                                       KIND_UNKNOWN_TOOL, KIND_REFUSED_WRITE};
    return is_any(found, kinds, LG_COUNT(kinds));
}

static bool is_of_failure(const lg_audit_finding *found)
{
    static const audit_kind kinds[] = {KIND_REPEATED_FAILURE, KIND_FAILED_WRITE_LEFT, KIND_LOOP};
    return is_any(found, kinds, LG_COUNT(kinds));
}

// Something that was due and did not come.
static bool is_missed(const lg_audit_finding *found)
{
    static const audit_kind kinds[] = {KIND_ASKED_NOT_DONE, KIND_YES_WITHOUT_WRITE,
                                       KIND_PROMISE_NOT_KEPT, KIND_FAILED_WRITE_LEFT};
    return is_any(found, kinds, LG_COUNT(kinds));
}

typedef struct rooting {
    const audit_case *c;
    const uint32_t *spoken; // messages of the user before each event
} rooting;

static bool same_subject(const audit_case *c, uint32_t a, uint32_t b)
{
    const audit_step *left = &c->steps[a], *right = &c->steps[b];
    return left->event->kind == LG_EVENT_CALL && right->event->kind == LG_EVENT_CALL &&
           lg_str_eq(left->event->tool, right->event->tool) &&
           lg_str_eq(audit_subject(c, a), audit_subject(c, b));
}

// One call, several checks: of one argument, and both of what is done or both of how.
static bool same_call(const lg_audit_finding *cause, const lg_audit_finding *found)
{
    bool same_argument =
        cause->key.len == 0 || found->key.len == 0 || lg_str_eq(cause->key, found->key);
    return cause->event == found->event && same_argument &&
           cause->kind->of_process == found->kind->of_process;
}

// Again what went wrong before: the same call after its refusal, the same words, writes of one message unasked.
static bool is_again(const rooting *r, const lg_audit_finding *cause, const lg_audit_finding *found)
{
    if (cause->event >= found->event) {
        return false;
    }
    bool same = same_subject(r->c, cause->event, found->event);
    if (cause->kind == found->kind) {
        bool unasked = cause->kind == &audit_kinds[KIND_UNCONFIRMED_WRITE] ||
                       cause->kind == &audit_kinds[KIND_UNAUTHENTICATED];
        bool alike =
            lg_str_eq(cause->message, found->message) ||
            (same && lg_str_eq(cause->rule, found->rule) && lg_str_eq(cause->key, found->key));
        return unasked ? r->spoken[cause->event] == r->spoken[found->event] : alike;
    }
    return same && is_wrong_call(cause) && (is_of_failure(found) || is_wrong_call(found)) &&
           !audit_succeeded(r->c, cause->event);
}

static bool is_cause_of(const rooting *r, const lg_audit_finding *cause,
                        const lg_audit_finding *found)
{
    if (is_style(cause) || is_style(found) || cause->severity == LG_SEVERITY_HINT ||
        found->severity == LG_SEVERITY_HINT) {
        return false;
    }
    bool heavier =
        cause->severity > found->severity || (cause->severity == found->severity && cause < found);
    if (is_missed(cause) && is_missed(found)) {
        return heavier;
    }
    if (cause->event == LG_NO_EVENT || found->event == LG_NO_EVENT) {
        return false;
    }
    return (heavier && same_call(cause, found)) || is_again(r, cause, found);
}

// The first that is a cause and no symptom itself. At most LG_AUDIT_FINDINGS_MAX findings are compared.
static void find_root(const rooting *r, lg_audit_finding *all, size_t count, uint32_t index)
{
    for (uint32_t cause = 0; cause < count; cause++) {
        if (cause != index && all[cause].root == cause &&
            is_cause_of(r, &all[cause], &all[index])) {
            all[index].root = cause;
            return;
        }
    }
}

static void find_roots(audit_case *c)
{
    uint32_t *spoken = LG_NEW_ARRAY(c->arena, uint32_t, c->count + 1);
    if (!spoken) {
        c->oom = true;
        return;
    }
    for (size_t i = 0; i < c->count; i++) {
        spoken[i + 1] = spoken[i] + audit_says(c, i, LG_ROLE_USER);
    }
    rooting r = {.c = c, .spoken = spoken};
    for (uint32_t i = 0; i < c->finding_count; i++) {
        find_root(&r, c->findings, c->finding_count, i);
    }
    for (uint32_t i = 0; i < c->finding_count; i++) { // a root may have become a symptom since
        for (uint32_t hops = 0; c->findings[c->findings[i].root].root != c->findings[i].root &&
                                hops < c->finding_count;
             hops++) {
            c->findings[i].root = c->findings[c->findings[i].root].root;
        }
    }
}

// --- Classes ----------------------------------------------------------------------------------------------

// Was what went wrong at the event done right later: the same tool, for the same thing, with no such finding?
static bool is_repaired(const audit_case *c, const lg_audit_finding *found)
{
    if (found->event == LG_NO_EVENT || c->steps[found->event].event->kind != LG_EVENT_CALL) {
        return false;
    }
    for (size_t i = found->event + 1; i < c->count; i++) {
        bool same = audit_is_call(c, i) &&
                    lg_str_eq(c->steps[i].event->tool, c->steps[found->event].event->tool) &&
                    audit_succeeded(c, i);
        lg_str subject = audit_subject(c, found->event);
        bool about_it =
            subject.len == 0 || is_wrong_call(found) || lg_str_eq(audit_subject(c, i), subject);
        if (same && about_it && !audit_succeeded(c, found->event)) {
            return true;
        }
    }
    return false;
}

// Of a refused call the rule tells more than the kind: a value that is wrong is no breach of a policy.
static lg_failure_class class_of(const audit_case *c, const lg_audit_finding *found)
{
    if (found->kind == &audit_kinds[KIND_NO_REGULAR_END]) { // a limit is what loops run into
        bool at_limit = lg_str_find(c->trace->ended, LG_STR("max")) != SIZE_MAX;
        return at_limit ? found->kind->failure : LG_FAILURE_NONE;
    }
    if (found->kind != &audit_kinds[KIND_REFUSED_WRITE] || found->event == LG_NO_EVENT) {
        return found->kind->failure;
    }
    const audit_step *step = &c->steps[found->event];
    for (size_t i = 0; i < step->finding_count; i++) {
        lg_category category = step->findings[i].category;
        if (lg_str_eq(step->findings[i].rule, found->rule) &&
            (category == LG_CATEGORY_ENTITY || category == LG_CATEGORY_FORMAT)) {
            return LG_FAILURE_WRONG_ARGUMENT;
        }
    }
    return found->kind->failure;
}

#define UNREPAIRED_MAX 64u // findings of which it is found out whether they were made good

// A call that was refused and came to nothing has broken no policy; a wrong value in it is a failure until it is mended.
static bool is_caught(const audit_case *c, const lg_audit_finding *found)
{
    return found->severity == LG_SEVERITY_MINOR && is_wrong_call(found) &&
           class_of(c, found) == LG_FAILURE_WRONG_ARGUMENT;
}

// The worst that was not made good; of several the first. What was caught and never made good comes last.
static const lg_audit_finding *worst(const audit_case *c)
{
    const lg_audit_finding *ret = NULL;
    size_t asked = 0;
    for (size_t i = 0; i < c->finding_count; i++) {
        const lg_audit_finding *found = &c->findings[i];
        bool counts = found->root == i && class_of(c, found) != LG_FAILURE_NONE &&
                      (found->severity >= LG_SEVERITY_MODERATE || is_caught(c, found));
        if (counts && (!ret || found->severity > ret->severity) && asked++ < UNREPAIRED_MAX &&
            !is_repaired(c, found)) {
            ret = found;
        }
    }
    return ret;
}

// Where no finding tells what went wrong, and the outcome is more likely wrong than right: nothing was changed although
// something was asked for. LedgerAgent section 6 finds seven of ten failures to be of this class.
static bool is_nothing_done(const audit_case *c, const lg_audit_result *result)
{
    return result->has_outcome && result->outcome < 0.5 && c->pack && audit_changes_done(c) == 0 &&
           audit_signal_seen(c, "asked");
}

// What seems asked for and permitted, where the outcome agrees; the first hint of it.
static const lg_audit_finding *missed_request(const audit_case *c, const lg_audit_result *result)
{
    for (size_t i = 0; i < c->finding_count && result->has_outcome && result->outcome < 0.5; i++) {
        if (c->findings[i].kind == &audit_kinds[KIND_ASKED_NOT_DONE]) {
            return &c->findings[i];
        }
    }
    return NULL;
}

static void classify_missed(const audit_case *c, lg_audit_result *result)
{
    const lg_audit_finding *missed = missed_request(c, result);
    if (missed || is_nothing_done(c, result)) {
        result->failure = LG_FAILURE_MISSED_ACTION;
        result->first_unrecoverable = missed ? missed->event : LG_NO_EVENT;
    }
}

void audit_classify(audit_case *c, lg_audit_result *result)
{
    find_roots(c);
    const lg_audit_finding *found = worst(c);
    result->failure = found ? class_of(c, found) : LG_FAILURE_NONE;
    result->first_unrecoverable = found ? found->event : LG_NO_EVENT;
    if (!found) {
        classify_missed(c, result);
    }
}
