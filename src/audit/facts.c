// facts.c: what came of each event of a conversation, kept for the checks.
#include "audit/audit_internal.h"
#include "catalogue/catalogue.h"
#include "session/recorded.h"

// --- Keeping what a session says ------------------------------------------------------------------------

static const lg_evidence *keep_evidence(audit_case *c, const lg_finding *finding)
{
    lg_evidence *kept = LG_NEW_ARRAY(c->arena, lg_evidence, finding->evidence_count + 1);
    if (!kept) {
        c->oom = true;
        return NULL;
    }
    for (size_t i = 0; i < finding->evidence_count; i++) {
        kept[i] = finding->evidence[i];
        kept[i].path = audit_keep(c, kept[i].path);
        kept[i].value = audit_keep(c, kept[i].value);
        kept[i].tool = audit_keep(c, kept[i].tool);
        kept[i].stale_tool = audit_keep(c, kept[i].stale_tool);
    }
    return kept;
}

static lg_finding keep_finding(audit_case *c, const lg_finding *finding)
{
    lg_finding kept = *finding;
    kept.rule = audit_keep(c, finding->rule);
    kept.message = audit_keep(c, finding->message);
    kept.because = audit_keep(c, finding->because);
    kept.missing = NULL; // its message names them
    kept.missing_count = 0;
    kept.evidence = keep_evidence(c, finding);
    kept.evidence_count = kept.evidence ? finding->evidence_count : 0;
    return kept;
}

// Adds `count` findings to those of the step.
static void keep_findings(audit_case *c, audit_step *step, const lg_finding *findings, size_t count)
{
    if (count == 0) {
        return;
    }
    lg_finding *all = LG_NEW_ARRAY(c->arena, lg_finding, step->finding_count + count);
    if (!all) {
        c->oom = true;
        return;
    }
    for (size_t i = 0; i < step->finding_count; i++) {
        all[i] = step->findings[i];
    }
    for (size_t i = 0; i < count; i++) {
        all[step->finding_count + i] = keep_finding(c, &findings[i]);
    }
    step->findings = all;
    step->finding_count += count;
}

// --- Listening --------------------------------------------------------------------------------------------

static bool judged(void *context, size_t index, const lg_decision *decision)
{
    audit_case *c = context;
    audit_step *step = &c->steps[index];
    step->judged = true;
    step->verdict = decision->verdict;
    keep_findings(c, step, decision->findings, decision->finding_count);
    keep_findings(c, step, decision->reports, decision->report_count);
    return !c->oom;
}

static const lg_json *ledger_now(audit_case *c)
{
    return lg_session_ledger(c->session)->state.root;
}

static bool observed(void *context, size_t index, lg_observed what)
{
    audit_case *c = context;
    audit_step *step = &c->steps[index];
    step->followed = true;
    step->observed = what;
    step->refused_result = lg_rejected(c->session) != NULL;
    c->followed = index + 1;
    size_t count;
    const lg_finding *found = lg_found(c->session, &count);
    keep_findings(c, step, found, count);
    if (c->keep_changes) {
        audit_keep_changes(c, index);
    }
    if (index + 1 < c->count) {
        c->steps[index + 1].before = ledger_now(c);
    }
    return !c->oom;
}

// --- The end ------------------------------------------------------------------------------------------------

// Sessions count events without what the system says: index of the one that has this number there.
static uint32_t event_numbered(const audit_case *c, uint32_t number)
{
    uint32_t seen = 0;
    for (size_t i = 0; i < c->count; i++) {
        if (!c->steps[i].followed || (c->steps[i].event->kind == LG_EVENT_MESSAGE &&
                                      c->steps[i].event->role == LG_ROLE_SYSTEM)) {
            continue;
        }
        if (seen++ == number) {
            return (uint32_t)i;
        }
    }
    return LG_NO_EVENT;
}

static void keep_owed(audit_case *c)
{
    const lg_obligation *owed;
    size_t count;
    lg_error why;
    if (lg_owed(c->session, &owed, &count, &why) != LG_OK) {
        c->oom = true;
        return;
    }
    lg_obligation *kept = LG_NEW_ARRAY(c->arena, lg_obligation, count + 1);
    c->oom = c->oom || !kept;
    for (size_t i = 0; kept && i < count; i++) {
        kept[i] = owed[i];
        kept[i].key = audit_keep(c, owed[i].key);
        kept[i].message = audit_keep(c, owed[i].message);
        kept[i].because = audit_keep(c, owed[i].because);
        kept[i].tool = audit_keep(c, owed[i].tool);
        kept[i].event = event_numbered(c, owed[i].event);
    }
    c->owed = kept;
    c->owed_count = kept ? count : 0;
}

static void tell(audit_case *c)
{
    lg_recorded_listener listener = {.context = c, .judged = judged, .observed = observed};
    lg_arena scratch;
    lg_error why;
    size_t index;
    bool ended;
    lg_arena_init(&scratch, c->limits->memory_bytes);
    lg_session_reset(c->session);
    lg_session_keep_all(c->session); // facts point into the ledger as it was
    c->steps[0].before = ledger_now(c);
    lg_status status =
        lg_session_tell(c->session, c->trace, &listener, &scratch, &index, &ended, &why);
    lg_arena_done(&scratch);
    if (status != LG_OK) {
        audit_undecided(c, KIND_REFUSED_WRITE, index < c->count ? index : LG_NO_EVENT, LG_STR(""),
                        why.msg);
    }
    keep_owed(c);
}

void audit_gather(audit_case *c)
{
    c->count = c->trace->count;
    c->steps = LG_NEW_ARRAY(c->arena, audit_step, c->count + 1);
    if (!c->steps) {
        c->oom = true;
        c->count = 0;
        return;
    }
    for (size_t i = 0; i < c->count; i++) {
        const lg_trace_event *event = &c->trace->events[i];
        c->steps[i].event = event;
        c->steps[i].tool =
            c->pack && event->kind != LG_EVENT_MESSAGE ? lg_pack_tool(c->pack, event->tool) : NULL;
        c->has_user =
            c->has_user || (event->kind == LG_EVENT_MESSAGE && event->role == LG_ROLE_USER);
    }
    if (c->pack) { // an empty one, too: the session holds the one before
        tell(c);
    }
}

// --- Questions --------------------------------------------------------------------------------------------------

bool audit_succeeded(const audit_case *c, size_t index)
{
    const lg_trace_event *event = c->steps[index].event;
    return event->kind == LG_EVENT_CALL && event->other != LG_NO_EVENT &&
           c->trace->events[event->other].kind == LG_EVENT_RESULT;
}

bool audit_is_write(const audit_case *c, size_t index)
{
    const audit_step *step = &c->steps[index];
    return step->event->kind == LG_EVENT_CALL && step->event->role == LG_ROLE_AGENT && step->tool &&
           step->tool->kind == LG_TOOL_WRITE;
}

bool audit_is_carried_out(const audit_case *c, size_t index)
{
    return audit_is_write(c, index) && audit_succeeded(c, index);
}

bool audit_says(const audit_case *c, size_t index, lg_role role)
{
    const lg_trace_event *event = c->steps[index].event;
    return event->kind == LG_EVENT_MESSAGE && event->role == role &&
           lg_str_trim(event->text).len > 0;
}

void audit_read_offered(audit_case *c)
{
    lg_catalogue_options options = {.without_results = true, .limits = c->limits};
    const lg_catalogue *tools = NULL;
    lg_error why;
    c->offered = NULL;
    if (!lg_json_is(c->trace->tools, LG_JSON_ARRAY)) {
        return;
    }
    lg_status status =
        lg_catalogue_of(c->arena, c->set->text, c->trace->tools, &options, &tools, &why);
    c->oom = c->oom || status == LG_ERR_OOM;
    c->offered = status == LG_OK && tools->tool_count > 0 ? tools : NULL;
}
