// evaluate.c: one rule on one call.
//
// The steps are those of the domain specification: all bindings in order, then `when`, then `that`;
// the first that ends in an error decides. An absent key or index is missing evidence, any other
// error a defect; but what the call's own arguments lack is no evidence that might still come: were that
// let pass, leaving an argument out would switch a rule off. So the arguments are marked, and what is
// missing in them is told from what is missing in the ledger (cel/cel.h). CEL's own logic decides
// whether an error reaches the result of its step at all.
#include "gate/gate_internal.h"

bool judgement_init(judgement *j, lg_cel_read first[READ_LOG_FIRST])
{
    j->values = LG_NEW_ARRAY(j->scratch, lg_cel_value, LG_SLOT_COUNT + j->pack->let_max);
    lg_arena_init(&j->log_arena, 0);
    lg_arena_share(&j->log_arena, j->scratch->quota);
    j->log = (lg_cel_read_log){.items = first,
                               .capacity = READ_LOG_FIRST,
                               .most = READ_LOG_ENTRIES,
                               .arena = &j->log_arena};
    return j->values != NULL;
}

static void bind_ledger(judgement *j)
{
    j->values[LG_SLOT_LEDGER] = lg_cel_from_json(j->state->root);
    j->past.other_bound = false;
}

void judgement_bind(judgement *j, const lg_json *args)
{
    const lg_pack *pack = j->pack;
    LG_DEBUG_ASSERT(lg_json_is(args, LG_JSON_OBJECT)); // else no rule is evaluated
    bind_ledger(j);
    j->values[LG_SLOT_ARGS] = lg_cel_from_json(args);
    j->values[LG_SLOT_ARGS].marked = true;
    j->values[LG_SLOT_NOW] = pack->fixed_clock
                                 ? lg_cel_make_timestamp(pack->clock_seconds, pack->clock_nanos)
                                 : lg_cel_make_timestamp(j->call->now_seconds, j->call->now_nanos);
    j->values[LG_SLOT_TOOL] = lg_cel_make_str(j->call->tool);
}

static lg_cel_value evaluate_step(judgement *j, const lg_cel_program *program, bool log)
{
    lg_cel_activation activation = {.values = j->values,
                                    .scratch = j->scratch,
                                    .log = log ? &j->log : NULL,
                                    .cost_limit = j->cel_cost,
                                    .budget = j->work};
    return lg_cel_eval(program, &activation);
}

static outcome failed(const lg_rule *rule, const lg_cel_program *program, lg_cel_value value)
{
    outcome o = {.kind = OUTCOME_DEFECT, .program = program};
    if (value.kind == LG_CEL_ERROR) {
        o.failure = value.as.failure;
        if (o.failure->kind == LG_CEL_FAIL_MISSING) {
            o.kind = o.failure->marked  ? OUTCOME_LACKING
                     : rule->need_count ? OUTCOME_MISSING
                                        : OUTCOME_ABSTAINS;
        }
    }
    return o;
}

static outcome run_steps(judgement *j, const lg_rule *rule, bool log)
{
    for (size_t i = 0; i < rule->let_count; i++) {
        lg_cel_value value = evaluate_step(j, rule->lets[i].program, log);
        if (value.kind == LG_CEL_ERROR) {
            return failed(rule, rule->lets[i].program, value);
        }
        j->values[LG_SLOT_COUNT + i] = value;
    }
    if (rule->when) {
        lg_cel_value when = evaluate_step(j, rule->when, log);
        if (when.kind != LG_CEL_BOOL) {
            return failed(rule, rule->when, when);
        }
        if (!when.as.boolean) {
            return (outcome){.kind = OUTCOME_NOT_APPLICABLE};
        }
    }
    lg_cel_value that = evaluate_step(j, rule->that, log);
    if (that.kind != LG_CEL_BOOL) {
        return failed(rule, rule->that, that);
    }
    return (outcome){.kind = that.as.boolean ? OUTCOME_HOLDS : OUTCOME_VIOLATED};
}

// Only a rule that wants stale records read again has to know what it has read, and only if there
// are any; or every rule, if calls that have not answered may change something.
static bool minds_stale(judgement *j, const lg_rule *rule)
{
    return (rule->stale == LG_STALE_REREAD && j->state->stale > 0) || j->state->pending > 0;
}

lg_verdict outcome_verdict(const lg_rule *rule, const outcome *o)
{
    switch (o->kind) {
    case OUTCOME_VIOLATED:
    case OUTCOME_LACKING:
    case OUTCOME_UNCERTAIN:
        return rule->otherwise;
    case OUTCOME_MISSING:
    case OUTCOME_DEFECT:
    case OUTCOME_STALE:
    case OUTCOME_PENDING:
        return LG_REVISE;
    case OUTCOME_HOLDS:
    case OUTCOME_NOT_APPLICABLE:
    case OUTCOME_ABSTAINS:
        break;
    }
    return LG_ALLOW;
}

lg_status evaluate_once(judgement *j, const lg_rule *rule, bool log, outcome *ret)
{
    uint32_t count = j->log.count;
    uint32_t dropped = j->log.dropped;
    bool minds = minds_stale(j, rule);
    j->log.most = count + READ_LOG_ENTRIES; // whatever other rules have read
    LG_DEBUG_ASSERT(rule->let_count + rule->say.show_count <= j->pack->let_max);
    // Names that a failed step leaves unbound must not show an earlier rule's value in a message.
    for (size_t i = 0; i < rule->let_count; i++) {
        j->values[LG_SLOT_COUNT + i] = (lg_cel_value){.kind = LG_CEL_NULL};
    }
    *ret = run_steps(j, rule, log || minds);
    ret->log_from = count;
    ret->log_to = j->log.count;
    LG_DEBUG_ASSERT(ret->log_from <= ret->log_to && ret->log_to <= j->log.most);
    lg_status status = minds ? find_stale_reads(j, rule, j->log.dropped > dropped, ret) : LG_OK;
    if (!log) {
        j->log.count = count;
        j->log.dropped = dropped;
    }
    return status;
}

lg_status evaluate_rule(judgement *j, const lg_rule *rule, bool log, outcome *ret)
{
    if (j->past.other_bound) {
        bind_ledger(j);
    }
    lg_status status = evaluate_once(j, rule, log, ret);
    if (status == LG_OK && rule->reads_history && !j->work->spent) {
        status = judge_other_pasts(j, rule, log, ret);
    }
    return status;
}

lg_cel_value evaluate_words(judgement *j, const lg_cel_program *program, const lg_cel_value *values,
                            lg_cel_read_log *log, lg_budget *steps)
{
    return lg_cel_eval(program, &(lg_cel_activation){.values = values,
                                                     .scratch = j->scratch,
                                                     .log = log,
                                                     .cost_limit = j->cel_cost,
                                                     .budget = steps});
}
