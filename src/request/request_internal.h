// request_internal.h: what the files of this room share.
#ifndef LG_REQUEST_INTERNAL_H
#define LG_REQUEST_INTERNAL_H

#include "request/request.h"

// Words that were said (words.c): runs of letters, digits, `-` and `_`, in lower case.
typedef struct word_set {
    lg_str *words;
    size_t count, capacity;
} word_set;

// What is looked through.
typedef struct seeker {
    lg_session *session;
    const lg_pack *pack;
    const lg_trace *trace;
    lg_arena *arena;  // of the result
    lg_arena words;   // of what was said, and which records there are
    lg_arena scratch; // of one evaluation
    lg_budget budget;
    lg_cel_value values[LG_REQUEST_SLOT_COUNT];
    word_set user, agent; // all that each of them has said, once a key is looked for there
    bool has_user, has_agent;
    lg_asked *items;
    size_t count;
    bool cut;
} seeker;

// Evaluates one expression with the values that are bound. An error, also one for want of steps, is a value.
lg_cel_value seeker_evaluate(seeker *s, const lg_cel_program *program);

// --- words.c ------------------------------------------------------------------------------------

// Adds the words of a text; LG_ERR_LIMIT when the budget ends. words_sort() before words_hold().
LG_NODISCARD lg_status words_add(lg_arena *arena, word_set *set, lg_str text, lg_budget *budget);
void words_sort(word_set *set);

// Does the key stand there as a word? What is before its first letter or digit makes no difference.
bool words_hold(const word_set *set, lg_str key);

// --- call.c -------------------------------------------------------------------------------------

// The call that would fulfil the request for the bound record: `args` and `complete`. Fails with LG_ERR_OOM.
LG_NODISCARD lg_status asked_build(seeker *s, lg_asked *asked);

// Does the policy demand more than the gate can judge, by the pack? Sets `verdict`, and why.
void asked_entitle(seeker *s, lg_asked *asked);

// Was it carried out, or tried? Sets `done` and `tried`.
void asked_find_call(const seeker *s, lg_asked *asked);

// Asks the gate: `verdict` and why. Fails with LG_ERR_OOM.
LG_NODISCARD lg_status asked_judge(seeker *s, lg_asked *asked, lg_error *reterr);

#endif
