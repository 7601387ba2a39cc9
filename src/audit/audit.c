// audit.c: from a recording to its result.
#include "audit/dialogue.h"
#include "audit/outcome.h"
#include "audit/stated.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "request/request.h"
#include "session/fitting.h"

#include <stdlib.h>

#define LG_AUDIT_MEMORY_BYTES                                                                      \
    ((size_t)512 << 20) // of a conversation's session: all of its states are kept

struct lg_audit {
    const lg_pack *const *packs;
    lg_session **sessions; // one a pack
    size_t pack_count;
    lg_limits limits;
    bool keep_changes;
    const lg_audit_edge *edges;
    size_t edge_count;
    lg_arena arena; // of the conversation at hand
    audit_laws laws;
    audit_case at_hand;
    lg_audit_result result;
};

lg_status lg_audit_new(const lg_audit_options *options, lg_audit **ret_audit, lg_error *reterr)
{
    lg_audit *audit = lg_zalloc(sizeof(*audit));
    if (!audit) {
        return lg_fail_oom(reterr);
    }
    audit->packs = options->packs;
    audit->keep_changes = options->keep_changes;
    audit->limits = lg_limits_resolve(options->limits);
    if (!options->limits || options->limits->memory_bytes == 0) {
        audit->limits.memory_bytes = LG_AUDIT_MEMORY_BYTES;
    }
    lg_arena_init(&audit->arena, audit->limits.memory_bytes);
    lg_arena_init(&audit->laws.arena, audit->limits.memory_bytes);
    audit->sessions = lg_zalloc((options->pack_count + 1) * sizeof(lg_session *));
    lg_status status = audit->sessions ? LG_OK : lg_fail_oom(reterr);
    for (size_t i = 0; i < options->pack_count && status == LG_OK; i++) {
        status = lg_session_new(options->packs[i], &audit->limits, &audit->sessions[i]);
        if (status == LG_OK) {
            audit->pack_count++;
            lg_session_set_recorded(audit->sessions[i], true);
            lg_session_set_explain(audit->sessions[i], LG_EXPLAIN_EVIDENCE);
        }
    }
    if (status != LG_OK) {
        lg_audit_free(audit);
        return lg_fail_oom(reterr);
    }
    *ret_audit = audit;
    return LG_OK;
}

void lg_audit_free(lg_audit *audit)
{
    if (!audit) {
        return;
    }
    for (size_t i = 0; i < audit->pack_count; i++) {
        lg_session_free(audit->sessions[i]);
    }
    lg_free(audit->sessions);
    audit_laws_done(&audit->laws);
    lg_arena_done(&audit->arena);
    lg_free(audit);
}

void lg_audit_set_edges(lg_audit *audit, const lg_audit_edge *edges, size_t count)
{
    audit->edges = edges;
    audit->edge_count = count;
}

// --- About the conversation -------------------------------------------------------------------------------

// Of what was said and done, in its order, and of which run it is: two runs of one agent may be equal to the byte. Not of
// where it was recorded, nor of what else is said about it.
static lg_status identify(const lg_trace *trace, char ret_id[17])
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_buf_addf(&text, "%zu %.*s %u %zu %.*s ", trace->task.len, LG_FMT(trace->task), trace->trial,
                trace->model.len, LG_FMT(trace->model));
    for (size_t i = 0; i < trace->count; i++) {
        const lg_trace_event *event = &trace->events[i];
        // Some formats hold arguments as text, others as an object: what they say counts, not how.
        bool has_args = event->kind == LG_EVENT_CALL && event->args;
        lg_str said = has_args ? LG_STR("") : event->text;
        lg_buf_addf(&text, "%d %d %u %zu %.*s %zu ", (int)event->kind, (int)event->role,
                    event->turn, event->tool.len, LG_FMT(event->tool), said.len);
        lg_buf_add(&text, said);
        if (has_args) {
            lg_json_print_canonical(&text, event->args);
        }
    }
    char hex[65];
    lg_sha256_hex(lg_buf_str(&text), hex);
    memcpy(ret_id, hex, 16);
    ret_id[16] = '\0';
    lg_status status = lg_buf_status(&text);
    lg_buf_done(&text);
    return status;
}

static lg_audit_counts count_events(const audit_case *c)
{
    lg_audit_counts counts = {.delegated = (uint32_t)c->trace->delegated};
    for (size_t i = 0; i < c->count; i++) {
        const audit_step *step = &c->steps[i];
        bool is_call = audit_is_call(c, i);
        counts.turns = step->event->turn + 1 > counts.turns ? step->event->turn + 1 : counts.turns;
        counts.messages += step->event->kind == LG_EVENT_MESSAGE;
        counts.calls += is_call;
        counts.reads += is_call && step->tool && step->tool->kind == LG_TOOL_READ;
        counts.writes += audit_is_write(c, i);
        counts.carried_out += audit_is_carried_out(c, i);
    }
    return counts;
}

static int by_text(const void *a, const void *b)
{
    return lg_str_cmp(*(const lg_str *)a, *(const lg_str *)b);
}

// The tool and a hash of the arguments, as RFC 8785 writes them; of those that nobody can read as they stand.
static lg_str describe_change(audit_case *c, size_t index)
{
    char hash[65];
    const lg_trace_event *call = c->steps[index].event;
    if (!call->args) {
        lg_sha256_hex(call->text, hash);
    } else if (lg_json_hash(call->args, hash) != LG_OK) {
        return call->tool;
    }
    lg_str text = lg_arena_printf(c->arena, "%.*s %s", LG_FMT(call->tool), hash);
    c->oom = c->oom || !text.ptr;
    return text.ptr ? text : call->tool;
}

// What was carried out, in whatever order: two runs that did the same have the same digest.
static void digest_changes(audit_case *c, lg_audit_result *result)
{
    lg_str *changes = LG_NEW_ARRAY(c->arena, lg_str, c->count + 1);
    size_t count = 0;
    char hex[65];
    lg_buf text;
    if (!changes || !c->pack) {
        c->oom = c->oom || !changes;
        return;
    }
    for (size_t i = 0; i < c->count; i++) {
        if (audit_is_carried_out(c, i)) {
            changes[count++] = describe_change(c, i);
        }
    }
    if (count > 1) {
        qsort(changes, count, sizeof(*changes), by_text);
    }
    lg_buf_init(&text, 0);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || !lg_str_eq(changes[i], changes[i - 1])) {
            lg_buf_addf(&text, "%.*s\n", LG_FMT(changes[i]));
        }
    }
    lg_sha256_hex(lg_buf_str(&text), hex);
    memcpy(result->did, hex, sizeof(result->did) - 1);
    c->oom = c->oom || lg_buf_status(&text) != LG_OK;
    lg_buf_done(&text);
}

static void name_customer(audit_case *c, lg_audit_result *result)
{
    lg_error why;
    if (c->session && lg_customer_of(c->session, c->arena, &result->customer, &why) != LG_OK) {
        c->oom = true;
    }
}

// --- Auditing -----------------------------------------------------------------------------------------------

static lg_session *session_of(const lg_audit *audit, const lg_pack *pack)
{
    for (size_t i = 0; i < audit->pack_count; i++) {
        if (audit->packs[i] == pack) {
            return audit->sessions[i];
        }
    }
    return NULL;
}

static void run_checks(audit_case *c)
{
    static void (*const checks[])(audit_case *) = {
        audit_check_verdicts, // first: others leave out what it says
        audit_check_edges,     audit_check_style,    audit_check_consent, audit_check_claims,
        audit_check_arguments, audit_check_grounded, audit_check_asked,   audit_check_course,
    };
    audit_read_offered(c);
    for (size_t i = 0; i < LG_COUNT(checks) && !c->oom; i++) {
        checks[i](c);
    }
    if (!c->oom) {
        audit_signals(c);
    }
}

lg_status lg_audit_conversation(lg_audit *audit, const lg_trace_set *set, const lg_trace *trace,
                                const lg_audit_result **ret_result, lg_error *reterr)
{
    lg_arena_reset(&audit->arena);
    audit_laws_trim(&audit->laws);
    const lg_pack *pack;
    if (!lg_fitting_pack(&audit->arena, audit->packs, audit->pack_count, trace, &pack)) {
        return lg_fail_oom(reterr);
    }
    audit_case *c = &audit->at_hand;
    *c = (audit_case){.arena = &audit->arena,
                      .limits = &audit->limits,
                      .set = set,
                      .trace = trace,
                      .pack = pack,
                      .session = session_of(audit, pack),
                      .laws = &audit->laws,
                      .keep_changes = audit->keep_changes,
                      .edges = audit->edges,
                      .edge_count = audit->edge_count};
    audit->result = (lg_audit_result){.set = set, .trace = trace, .pack = pack};
    c->oom = identify(trace, audit->result.id) != LG_OK;
    audit_gather(c);
    if (!c->oom) {
        run_checks(c);
        audit->result.counts = count_events(c);
        name_customer(c, &audit->result);
        digest_changes(c, &audit->result);
        audit_conclude(c, &audit->result);
    }
    if (c->oom) {
        return lg_fail_oom(reterr);
    }
    *ret_result = &audit->result;
    return LG_OK;
}

static void take_judgement(audit_case *c, const lg_audit_judgement *judgement)
{
    static const audit_kind kinds[LG_EVAL_COUNT] = {
        [LG_EVAL_OUTPUT] = KIND_JUDGED_OUTPUT,
        [LG_EVAL_TRANSITION] = KIND_JUDGED_TRANSITION,
        [LG_EVAL_FORBIDDEN_EDGES] = KIND_FORBIDDEN_EDGE,
        [LG_EVAL_GROUNDEDNESS] = KIND_JUDGED_GROUNDEDNESS,
        [LG_EVAL_ARGUMENT] = KIND_JUDGED_ARGUMENT,
        [LG_EVAL_PLAN] = KIND_JUDGED_PLAN,
        [LG_EVAL_FINAL_STATE] = KIND_JUDGED_FINAL_STATE,
    };
    c->judged[judgement->evaluator] =
        (audit_judged){.answered = judgement->answered,
                       .checked = judgement->checked,
                       .reasoning = audit_keep(c, judgement->reasoning),
                       .why = audit_keep(c, judgement->why)};
    for (size_t i = 0; judgement->answered && i < judgement->violation_count; i++) {
        const lg_audit_violation *violation = &judgement->violations[i];
        lg_audit_finding *found = audit_found(c, kinds[judgement->evaluator], violation->event,
                                              "%.*s", LG_FMT(violation->message));
        found->by_model = true;
        found->severity = violation->severity;
        found->rule = audit_keep(c, violation->rule);
    }
    c->outcome_failed = c->outcome_failed || (judgement->answered && judgement->outcome_failed);
}

lg_status lg_audit_judge(lg_audit *audit, const lg_audit_judgement *judgements, size_t count,
                         const lg_audit_result **ret_result, lg_error *reterr)
{
    audit_case *c = &audit->at_hand;
    for (size_t i = 0; i < count; i++) {
        take_judgement(c, &judgements[i]);
    }
    audit_conclude(c, &audit->result);
    if (c->oom) {
        return lg_fail_oom(reterr);
    }
    *ret_result = &audit->result;
    return LG_OK;
}
