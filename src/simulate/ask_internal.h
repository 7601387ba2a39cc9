// ask_internal.h: questions to models: how they are put, and what they say. For ask.c, checklist_make.c and judge.c.
//
// A question is a task (the system message, a text of ours) and material (the user message) between tags. All material is
// bounded: a text that is longer is cut, with a mark that says so, and of the calls of a session the latest are shown. A
// prompt has some 250 KB at most, whatever the session holds.
#ifndef LG_SIMULATE_ASK_INTERNAL_H
#define LG_SIMULATE_ASK_INTERNAL_H

#include "simulate/ask.h"

#define ASK_TEXT_BYTES 4000u    // of a description, a call's arguments or its result
#define ASK_SCHEMA_BYTES 40000u // of one schema
#define ASK_STATE_BYTES 60000u  // of a state
#define ASK_CALLS 20u           // of the session's latest
#define ASK_ROUNDS 3u           // a question is put so often: two repairs
#define ASK_TOOLS 200u          // of a list
#define ASK_VALUE_BYTES 262144u // of what a model answers

typedef struct ask_question {
    const char *task;
    lg_str material;
    const lg_json *schema;    // of the reply, sent with the question; or NULL
    const lg_schema *checked; // what the reply must fit; or NULL
    bool of_object;           // it must be an object
} ask_question;

// Puts the question, and again with what was wrong, ASK_ROUNDS times in all. A server that refuses the schema is asked
// without it. `*ret_value` is NULL if nothing usable came, and then `*ret_why` says why. Fails with LG_ERR_OOM, LG_ERR_IO.
LG_NODISCARD lg_status ask_model(lg_arena *arena, lg_llm *model, const ask_question *question,
                                 const lg_json **ret_value, lg_str *ret_why, lg_error *reterr);

// The schema of a text of ours.
LG_NODISCARD lg_status ask_schema(lg_arena *arena, const char *text, const lg_json **ret,
                                  lg_error *reterr);

// --- ask_material.c -----------------------------------------------------------------------------

// A section (lg_llm_add_section) of a value; nothing for NULL.
void ask_add_json(lg_buf *out, const char *name, const lg_json *value, size_t most);
void ask_add_cut_json(lg_buf *out, const lg_json *value, size_t most);
void ask_add_calls(lg_buf *out, const lg_sim_past *calls, size_t count, uint64_t not_shown);
void ask_add_tools(lg_buf *out, const lg_sim *sim); // names, descriptions and names of arguments
// What was written, in the arena; the buffer is done with. Fails with LG_ERR_OOM.
LG_NODISCARD lg_status ask_take(lg_arena *arena, lg_buf *text, lg_str *ret, lg_error *reterr);

// --- ask_reasons.c ------------------------------------------------------------------------------

// Would `reason` give a value away that the call does not have itself?
bool ask_gives_away(const lg_ask *ask, lg_str argument, lg_str reason);

// --- ask_prompts.c ------------------------------------------------------------------------------

extern const char ask_task_validity[];
extern const char ask_schema_validity[];
extern const char ask_task_response[];
extern const char ask_task_state[];
extern const char ask_task_first_state[];
extern const char ask_task_checklist[];
extern const char ask_schema_checklist[];
extern const char ask_task_judge[];
extern const char ask_schema_judge[];

#endif
