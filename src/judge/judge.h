// judge.h: what only a model can say: which rules a prompt states, what a task asks for, and whether a conversation kept
// and did it (AgentPex sections 3.2 and 3.3).
//
// Rules are explicit only: each carries the words of the prompt that it was read from, and one whose words are not
// there is dropped and counted. A model names violations with their events and how severe they are; the score is made of
// them by the audit's rubric, so that the same reply gives the same score. Whatever could not be had (a model that does not
// answer, a budget that is spent) leaves its evaluator unjudged, with the reason, and the others as they are.
//
//     lg_judge_options options = {.llm = llm};
//     if (lg_judge_new(&options, &judge, &err) != LG_OK) ...
//     lg_audit_judgement judgements[LG_EVAL_COUNT];
//     size_t count;
//     if (lg_judge_conversation(judge, result->trace, judgements, &count, &err) != LG_OK) ...
//     if (lg_audit_judge(audit, judgements, count, &result, &err) != LG_OK) ...
//
// A judge belongs to one thread. What it returns lives until its next conversation.
#ifndef LG_JUDGE_JUDGE_H
#define LG_JUDGE_JUDGE_H

#include "audit/audit.h"
#include "llm/llm.h"

// --- Rules of a prompt ------------------------------------------------------------------------------

typedef enum lg_rule_family {
    LG_FAMILY_OUTPUT,
    LG_FAMILY_TRANSITION,
    LG_FAMILY_FORBIDDEN_EDGE,
    LG_FAMILY_COUNT
} lg_rule_family;

const char *lg_rule_family_name(lg_rule_family family); // "output", "transition", "forbidden_edge"

typedef struct lg_prompt_rule {
    lg_rule_family family;
    bool must;           // else it is what should be
    lg_str text;         // in one sentence
    lg_str quote;        // the words that it was read from, as they stand in the source
    bool in_tools;       // the source is the list of tools, else the prompt
    uint32_t begin, end; // bytes of the source's text
    lg_str from, to;     // of a forbidden edge: tools
    lg_str prompt;       // lg_prompt_id() of the one that it is of; empty: of every one
} lg_prompt_rule;

typedef struct lg_prompt_rules {
    const lg_prompt_rule *items;
    size_t count;
    size_t unquoted; // that a model named, and whose words are not in the source: left out
    size_t repeated; // that said what another one says: left out
} lg_prompt_rules;

// Names prompt and tools by their content: SHA-256 in hexadecimal. Fails with LG_ERR_OOM.
LG_NODISCARD lg_status lg_prompt_id(lg_str prompt, const lg_json *tools, char ret[65],
                                    lg_error *reterr);

// Those of the rules that are of this prompt, or of every one. They live in `arena`, or are `rules`. Fails with LG_ERR_OOM.
LG_NODISCARD lg_status lg_prompt_rules_of(lg_arena *arena, const lg_prompt_rules *rules,
                                          lg_str prompt, const lg_json *tools, lg_prompt_rules *ret,
                                          lg_error *reterr);

// One JSON object {"rules": [...], "unquoted": n, "repeated": n} (docs/audit.md).
void lg_prompt_rules_write(lg_json_writer *w, const lg_prompt_rules *rules);

// The same back. Fails with LG_ERR_TYPE, with the JSON pointer of what is wrong, or LG_ERR_OOM.
LG_NODISCARD lg_status lg_prompt_rules_read(lg_arena *arena, const lg_json *value,
                                            lg_prompt_rules *ret, lg_error *reterr);

// --- What a task asks for -----------------------------------------------------------------------------

typedef struct lg_plan_step {
    lg_str tool;
    lg_str args;    // JSON, or empty
    lg_str expects; // of its result
} lg_plan_step;

typedef struct lg_final_field {
    lg_str name, value;
    bool exact; // an id, a number, a date: compared character by character
} lg_final_field;

typedef struct lg_task_plan {
    const lg_plan_step *steps;
    size_t step_count;
    bool has_final; // an initial state was given:
    bool refuses;   // then: the request is to be refused, and the state is unchanged
    const lg_final_field *
        fields; // literals alone: values that stand in the initial state, the request or the conversation
    size_t field_count, fields_left_out;
} lg_task_plan;

// --- Judging --------------------------------------------------------------------------------------------

typedef struct lg_judge lg_judge;

typedef struct lg_judge_options {
    lg_llm *llm;                  // judges; outlives the judge
    lg_llm *extractor;            // reads rules and plans; NULL: the same
    const lg_prompt_rules *rules; // of every prompt; NULL: they are extracted, once a prompt
    size_t text_bytes;   // of one text in a prompt; 0: 4,000. What is longer is cut, and says so
    size_t prompt_bytes; // of a conversation in a prompt; 0: 400,000
} lg_judge_options;

LG_NODISCARD lg_status lg_judge_new(const lg_judge_options *options, lg_judge **ret_judge,
                                    lg_error *reterr);
void lg_judge_free(lg_judge *judge); // NULL is allowed

// The rules that prompt and tools state. They live as long as the judge. `*ret_why`: empty, or why a family is missing.
// Fails with LG_ERR_OOM, LG_ERR_IO (the recording).
LG_NODISCARD lg_status lg_judge_rules(lg_judge *judge, lg_str prompt, const lg_json *tools,
                                      const lg_prompt_rules **ret_rules, lg_str *ret_why,
                                      lg_error *reterr);

// What the task asks for: from the recorded request, else from what the user says. They live until the next conversation.
LG_NODISCARD lg_status lg_judge_plan(lg_judge *judge, const lg_trace *trace,
                                     const lg_task_plan **ret_plan, lg_str *ret_why,
                                     lg_error *reterr);

// One judgement an evaluator that a model judges; `ret` has room for LG_EVAL_COUNT. Fails with LG_ERR_OOM or LG_ERR_IO.
LG_NODISCARD lg_status lg_judge_conversation(lg_judge *judge, const lg_trace *trace,
                                             lg_audit_judgement *ret, size_t *ret_count,
                                             lg_error *reterr);

#endif
