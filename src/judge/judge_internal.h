// judge_internal.h: what the files of the room share.
#ifndef LG_JUDGE_INTERNAL_H
#define LG_JUDGE_INTERNAL_H

#include "judge/judge.h"

// Rules that were extracted before, by the hash of prompt and tools.
typedef struct judge_known {
    char hash[65];
    lg_prompt_rules rules;
    lg_str why;
    struct judge_known *next;
} judge_known;

struct lg_judge {
    lg_judge_options options;
    lg_arena lasting; // of all rules
    lg_arena arena;   // of the conversation at hand
    judge_known *known;
};

// A question: its system message says what to do, its user message holds the material.
typedef struct judge_question {
    lg_str task;
    lg_str material;
    const char *schema; // of the reply, as JSON
} judge_question;

// Asks them all. `replies` are in the order of the questions and live in `arena`.
lg_status judge_ask(lg_llm *llm, const judge_question *questions, size_t count, lg_arena *arena,
                    lg_llm_reply *replies, lg_error *reterr);

// --- plan.c -------------------------------------------------------------------------------------------

// lg_judge_plan() for the conversation at hand: it keeps what the arena holds.
lg_status judge_plan(lg_judge *judge, const lg_trace *trace, const lg_task_plan **ret_plan,
                     lg_str *ret_why, lg_error *reterr);

// --- prompts.c --------------------------------------------------------------------------------------

extern const char judge_task_rules[LG_FAMILY_COUNT][2048];
extern const char judge_schema_rules[];
extern const char judge_schema_edges[];
extern const char judge_task_plan[];
extern const char judge_schema_plan[];
extern const char judge_task_final[];
extern const char judge_schema_final[];
extern const char judge_task_output[];
extern const char judge_task_transition[];
extern const char judge_task_groundedness[];
extern const char judge_task_argument[];
extern const char judge_schema_violations[];
extern const char judge_task_plan_kept[];
extern const char judge_schema_plan_kept[];
extern const char judge_task_outcome[];
extern const char judge_schema_outcome[];

// --- material.c: what a model is shown ------------------------------------------------------------------

void judge_add_tools(lg_buf *out, const lg_json *tools);
// The events with their numbers, each cut to options->text_bytes, all together to options->prompt_bytes.
void judge_add_conversation(const lg_judge *judge, lg_buf *out, const lg_trace *trace);

// --- find.c ---------------------------------------------------------------------------------------------

// Where the quote stands in the text, blanks of any kind and number being one, in any case of ASCII. False: nowhere.
bool judge_find_quote(lg_str text, lg_str quote, uint32_t *ret_begin, uint32_t *ret_end);

#endif
