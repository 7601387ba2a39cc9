// words.c: calls and attempts in words, for whoever plans next.
#include "refine/refine_internal.h"

#define CALL_BYTES 1000u   // of a call's arguments
#define ANSWER_BYTES 1500u // of its answer
#define REMINDER_BYTES (32u << 10)
#define RULES_SHOWN 4u

static void add_cut(lg_buf *out, lg_str text, size_t most)
{
    lg_str cut = lg_str_cut(text, most);
    lg_buf_add(out, cut);
    if (cut.len < text.len) {
        lg_buf_addf(out, " ... (%zu bytes more)", text.len - cut.len);
    }
}

static void add_call(lg_buf *out, const lg_refined_call *call, size_t number)
{
    lg_buf_addf(out, "  %zu. %.*s ", number, LG_FMT(call->name));
    add_cut(out, call->args_text, CALL_BYTES);
    lg_buf_add_c(out, call->is_valid ? "\n     returned: " : "\n     not carried out: ");
    add_cut(out, call->text, ANSWER_BYTES);
    lg_buf_add_byte(out, '\n');
    if (!call->is_valid) {
        return; // its answer says what is wrong
    }
    for (size_t i = 0; i < call->violation_count && i < RULES_SHOWN; i++) {
        const lg_sim_violation *v = &call->violations[i];
        lg_buf_add_c(out, "     but a rule speaks against it: ");
        add_cut(out, v->message, ANSWER_BYTES);
        lg_buf_add_byte(out, '\n');
    }
}

void lg_refine_add_attempt(lg_buf *out, const lg_refine_attempt *attempt)
{
    size_t number = 0;
    for (size_t i = 0; i < attempt->call_count; i++) {
        if (attempt->calls[i].is_valid) {
            add_call(out, &attempt->calls[i], ++number);
        }
    }
    if (number == 0) {
        lg_buf_add_c(out, "  (no call was carried out)\n");
    }
    if (attempt->response.len) {
        lg_buf_add_c(out, "It ended with: ");
        add_cut(out, attempt->response, ANSWER_BYTES);
        lg_buf_add_byte(out, '\n');
    } else if (attempt->end == LG_REFINE_END_LIMIT) {
        lg_buf_add_c(out, "It was ended: it had made as many calls as an attempt may make.\n");
    }
    if (attempt->is_judged) {
        bool success = attempt->judgement.status == LG_CHECK_SUCCESS;
        lg_buf_addf(out, "Judged: %s\n", lg_check_status_name(attempt->judgement.status));
        if (!success) {
            lg_buf_add(out, attempt->feedback);
            lg_buf_add_byte(out, '\n');
        }
    }
}

static const char rehearsed[] = "What you call is rehearsed: every call is checked, and answered "
                                "as the real tool would answer it, and nothing "
                                "outside of the rehearsal changes. ";

static const char in_earnest[] = "What you call is carried out, and cannot be taken back. ";

lg_str lg_refine_system_text(lg_arena *arena, const lg_refine_options *options, bool is_real)
{
    lg_buf out;
    lg_buf_init(&out, 0);
    lg_buf_add_c(&out, "You carry out a user's task with the tools that you are given.\n");
    lg_buf_add_c(&out, is_real ? in_earnest : rehearsed);
    lg_buf_add_c(&out, "Calls of one reply are carried out in their order.\n"
                       "Look up what you do not know; never make up an identifier or a value. A "
                       "call that is answered with what "
                       "is wrong with it was not carried out: make it again, correctly. Do what "
                       "the task asks for, and nothing "
                       "beside it.\n"
                       "When the task is done, or cannot be done, reply without any call: say to "
                       "the user what was done, or why "
                       "it cannot be.");
    if (options->rules.len) {
        lg_buf_add_c(&out, "\n\nYou have to keep to these rules:\n");
        lg_buf_add(&out, options->rules);
    }
    if (options->before_count && options->history_count == 0) {
        lg_buf_add_c(&out, "\n\nThese tasks came before, and are done:");
        for (size_t i = 0; i < options->before_count; i++) {
            lg_buf_add_c(&out, "\n- ");
            add_cut(&out, options->tasks_before[i], ANSWER_BYTES);
        }
    }
    return lg_buf_keep(&out, arena);
}

lg_str lg_refine_reminder_text(lg_arena *arena, const lg_refine_attempt *last, size_t number)
{
    lg_buf out, calls;
    lg_buf_init(&out, 0);
    lg_buf_init(&calls, 0);
    lg_refine_add_attempt(&calls, last);
    lg_buf_addf(&out,
                "Attempt %zu at this task did not succeed. All that it did was undone: everything "
                "is as it was before. "
                "These were its calls:\n",
                number);
    // What was said of it stands at the end, and is what a long list of calls must not push out.
    lg_str text = lg_buf_str(&calls);
    if (text.len > REMINDER_BYTES) {
        add_cut(&out, text, REMINDER_BYTES);
        lg_buf_addf(&out, "\nJudged: %s\n", lg_check_status_name(last->judgement.status));
        add_cut(&out, last->feedback, REMINDER_BYTES);
    } else {
        lg_buf_add(&out, text);
    }
    lg_buf_add_c(&out,
                 "Carry the task out again, from the beginning, with all the calls that it takes.");
    if (lg_buf_status(&calls) != LG_OK) {
        lg_buf_done(&calls);
        lg_buf_done(&out);
        return (lg_str){0};
    }
    lg_buf_done(&calls);
    return lg_buf_keep(&out, arena);
}
