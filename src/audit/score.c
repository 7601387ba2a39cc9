// score.c: what the findings of each evaluator come to (AgentPex appendix A), and the aggregate (section 3.4).
#include "audit/audit_internal.h"

#define OUTCOME_CAP 25.0 // appendix A.6
#define CRITICAL_WEIGHT 3.0

typedef struct tally {
    uint32_t by_severity[LG_SEVERITY_SEVERE + 1];
} tally;

// The rubric: one minor violation 80 to 90, one major or a few moderate ones 50 to 70, two or three 30 to 60 by how
// severe they are, and below 30 once most of what was looked at is violated. Four minor ones are 85 in the paper's example.
static double rubric(const tally *t, uint32_t checked)
{
    uint32_t minor = t->by_severity[LG_SEVERITY_MINOR];
    uint32_t moderate = t->by_severity[LG_SEVERITY_MODERATE];
    uint32_t severe = t->by_severity[LG_SEVERITY_SEVERE];
    uint32_t all = minor + moderate + severe;
    if (all == 0) {
        return 100;
    }
    double score = minor == 1 ? 90 : minor <= 4 ? 85 : 80;
    if (severe + moderate > 0) {
        static const double moderates[] = {90, 70, 60, 50};
        static const double severes[] = {90, 55, 40, 30};
        double by_moderate = moderates[moderate < 3 ? moderate : 3];
        double by_severe = severes[severe < 3 ? severe : 3];
        score = by_moderate < by_severe ? by_moderate : by_severe;
        score -= severe > 0 && moderate > 0 ? 5 : 0;
    }
    bool most = checked > 2 && (severe + moderate) * 2 > checked;
    double low = checked ? 30.0 * (1 - (double)(severe + moderate) / checked) : 0;
    return most && low < score ? (low > 0 ? low : 0) : score;
}

static tally count(const audit_case *c, lg_evaluator evaluator, bool by_model, bool once)
{
    tally t = {{0}};
    for (size_t i = 0; i < c->finding_count; i++) {
        const lg_audit_finding *found = &c->findings[i];
        t.by_severity[found->severity] += found->kind->evaluator == evaluator &&
                                          found->by_model == by_model &&
                                          (!once || found->root == i);
    }
    return t;
}

static double weight_of(lg_evaluator evaluator)
{
    static const double weights[LG_EVAL_COUNT] = {
        [LG_EVAL_OUTPUT] = 3,       [LG_EVAL_TRANSITION] = 2, [LG_EVAL_FORBIDDEN_EDGES] = 1,
        [LG_EVAL_GROUNDEDNESS] = 1, [LG_EVAL_ARGUMENT] = 2,   [LG_EVAL_PLAN] = 3,
        [LG_EVAL_FINAL_STATE] = 1,
    };
    return weights[evaluator];
}

// Of the rules' findings, or of the model's.
static double part_score(const audit_case *c, lg_evaluator evaluator, bool by_model, bool once)
{
    tally t = count(c, evaluator, by_model, once);
    double score = rubric(&t, by_model ? c->judged[evaluator].checked : c->checked[evaluator]);
    if (evaluator == LG_EVAL_FORBIDDEN_EDGES) { // appendix A.3.2
        return score < 100 ? 0 : 100;
    }
    bool capped = evaluator == LG_EVAL_FINAL_STATE && c->outcome_failed && score > OUTCOME_CAP;
    return capped ? OUTCOME_CAP : score;
}

static void score_one(const audit_case *c, lg_evaluator evaluator, bool once, lg_audit_score *s)
{
    tally t = count(c, evaluator, false, once);
    const audit_judged *judged = &c->judged[evaluator];
    bool promoted = evaluator == LG_EVAL_FINAL_STATE && c->outcome_failed;
    *s = (lg_audit_score){
        .weight = promoted ? CRITICAL_WEIGHT : weight_of(evaluator),
        .is_critical = evaluator == LG_EVAL_OUTPUT || evaluator == LG_EVAL_PLAN || promoted,
        .checked = c->checked[evaluator],
        .violated = t.by_severity[LG_SEVERITY_MINOR] + t.by_severity[LG_SEVERITY_MODERATE] +
                    t.by_severity[LG_SEVERITY_SEVERE],
        .has_judged = judged->answered,
        .reasoning = judged->reasoning};
    s->has_decided = s->checked > 0 || s->violated > 0;
    s->ran = s->has_decided || s->has_judged;
    double decided = s->has_decided ? part_score(c, evaluator, false, once) : 100;
    s->judged = s->has_judged ? part_score(c, evaluator, true, once) : 100;
    s->score = s->judged < decided ? s->judged : decided; // the stricter of the two
    s->why =
        s->ran
            ? LG_STR("")
            : LG_STR(
                  "the recording has nothing for it that rules decide, and no model has judged it");
}

bool lg_audit_aggregate(const lg_audit_score scores[LG_EVAL_COUNT], double *ret)
{
    double sum = 0, weights = 0, lowest = 100;
    for (size_t i = 0; i < LG_EVAL_COUNT; i++) {
        const lg_audit_score *s = &scores[i];
        if (s->ran) {
            sum += s->weight * s->score;
            weights += s->weight;
            lowest = s->is_critical && s->score < lowest ? s->score : lowest;
        }
    }
    if (weights <= 0) {
        return false;
    }
    double mean = sum / weights;
    *ret = lowest < mean ? lowest : mean;
    return true;
}

static double process_score(const audit_case *c)
{
    tally t = {{0}};
    uint32_t checked = 0;
    for (size_t i = 0; i < c->finding_count; i++) {
        t.by_severity[c->findings[i].severity] +=
            c->findings[i].kind->of_process && c->findings[i].root == i;
    }
    for (size_t i = 0; i < LG_EVAL_COUNT; i++) {
        checked += c->checked[i];
    }
    return rubric(&t, checked);
}

void audit_score(const audit_case *c, lg_audit_result *result)
{
    lg_audit_score once[LG_EVAL_COUNT];
    for (lg_evaluator e = 0; e < LG_EVAL_COUNT; e++) {
        score_one(c, e, false, &result->scores[e]);
        score_one(c, e, true, &once[e]);
    }
    result->has_aggregate = lg_audit_aggregate(result->scores, &result->aggregate);
    (void)lg_audit_aggregate(once, &result->aggregate_once);
    result->process = process_score(c);
}
