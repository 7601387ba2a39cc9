// test_score.c: the rubric and the aggregate, on the paper's own example and beside it.
#include "audit/audit_internal.h"
#include "audit_fixture.h"

static lg_audit_score ran(double score, double weight, bool is_critical)
{
    return (lg_audit_score){
        .ran = true, .score = score, .weight = weight, .is_critical = is_critical};
}

// Section 3.4: output 85, a plan that is flagged and no lower; transition does not matter.
static void aggregates_as_the_paper(void)
{
    lg_audit_score scores[LG_EVAL_COUNT] = {0};
    double got;
    CHECK(!lg_audit_aggregate(scores, &got)); // nothing ran
    scores[LG_EVAL_OUTPUT] = ran(85, 3, true);
    scores[LG_EVAL_PLAN] = ran(90, 3, true);
    scores[LG_EVAL_TRANSITION] = ran(100, 2, false);
    scores[LG_EVAL_ARGUMENT] = ran(100, 2, false);
    CHECK(lg_audit_aggregate(scores, &got) && got == 85);
    scores[LG_EVAL_TRANSITION].score = 0; // the mean is lower than the lowest critical one
    CHECK(lg_audit_aggregate(scores, &got) && got == (85 * 3 + 90 * 3 + 0 * 2 + 100 * 2) / 10.0);
    scores[LG_EVAL_FINAL_STATE] = ran(25, 1, false);
    CHECK(lg_audit_aggregate(scores, &got) && got > 25);
    scores[LG_EVAL_FINAL_STATE] = ran(25, 3, true); // promoted
    CHECK(lg_audit_aggregate(scores, &got) && got == 25);
    scores[LG_EVAL_FINAL_STATE].ran = false; // what cannot run is in no sum
    CHECK(lg_audit_aggregate(scores, &got) && got > 25);
}

// The same through the findings: four minor ones of output, one of the plan.
static void scores_findings(void)
{
    lg_audit_finding findings[5];
    for (size_t i = 0; i < LG_COUNT(findings); i++) {
        audit_kind kind = i < 4 ? KIND_UNCONFIRMED_WRITE : KIND_SKIPPED_VERIFICATION;
        findings[i] = (lg_audit_finding){.kind = &audit_kinds[kind],
                                         .severity = LG_SEVERITY_MINOR,
                                         .event = LG_NO_EVENT,
                                         .root = (uint32_t)i};
    }
    audit_case c = {.findings = findings, .finding_count = LG_COUNT(findings)};
    for (size_t i = 0; i < LG_EVAL_COUNT; i++) {
        c.checked[i] = i == LG_EVAL_FORBIDDEN_EDGES ? 0 : 20;
    }
    lg_audit_result result = {0};
    audit_score(&c, &result);
    CHECK(result.scores[LG_EVAL_OUTPUT].score == 85);
    CHECK(result.scores[LG_EVAL_PLAN].score >= 85);
    CHECK(!result.scores[LG_EVAL_FORBIDDEN_EDGES].ran);
    CHECK(result.has_aggregate && result.aggregate == 85);
    for (uint32_t i = 1; i < 4; i++) {
        findings[i].root = 0; // one deviation, counted once
    }
    audit_score(&c, &result);
    CHECK(result.aggregate == 85 && result.aggregate_once == 90);
    findings[0].severity = LG_SEVERITY_HINT; // in no score
    findings[1].severity = findings[2].severity = findings[3].severity = LG_SEVERITY_HINT;
    audit_score(&c, &result);
    CHECK(result.scores[LG_EVAL_OUTPUT].score == 100);
}

static void forbids_edges(void)
{
    lg_audit_finding found = {.kind = &audit_kinds[KIND_FORBIDDEN_EDGE],
                              .severity = LG_SEVERITY_SEVERE,
                              .event = LG_NO_EVENT};
    audit_case c = {.findings = &found, .finding_count = 1};
    c.checked[LG_EVAL_FORBIDDEN_EDGES] = 9;
    lg_audit_result result = {0};
    audit_score(&c, &result);
    CHECK(result.scores[LG_EVAL_FORBIDDEN_EDGES].score == 0);
    c.finding_count = 0;
    audit_score(&c, &result);
    CHECK(result.scores[LG_EVAL_FORBIDDEN_EDGES].score == 100);
}

int main(void)
{
    RUN(aggregates_as_the_paper);
    RUN(scores_findings);
    RUN(forbids_edges);
    return lg_test_done();
}
