// kinds.c: what can be found, in words.
#include "audit/audit_internal.h"

const lg_audit_kind audit_kinds[KIND_COUNT] = {
    [KIND_TEXT_WITH_CALL] = {"text_with_call", LG_EVAL_TRANSITION, LG_SEVERITY_MINOR, true,
                             LG_FAILURE_NONE,
                             "The agent spoke to the user and called a tool in one message.",
                             "Prompt: say that a message holds either text or one call."},
    [KIND_SEVERAL_CALLS] =
        {"several_calls", LG_EVAL_TRANSITION, LG_SEVERITY_MINOR, true, LG_FAILURE_NONE,
         "The agent made several calls in one message.",
         "Prompt: say that one call is made at a time; or disable parallel calls in the request."},
    [KIND_UNCONFIRMED_WRITE] =
        {"unconfirmed_write", LG_EVAL_OUTPUT, LG_SEVERITY_MODERATE, true, LG_FAILURE_NONE,
         "Something was changed that the user had not confirmed.",
         "Pack: a conversation rule that wants the user's confirmation before the write."},
    [KIND_UNAUTHENTICATED] = {"unauthenticated_write", LG_EVAL_TRANSITION, LG_SEVERITY_SEVERE, true,
                              LG_FAILURE_AUTHENTICATION,
                              "Something was changed before the user was identified.",
                              "Pack: a rule of the write that needs the user's record."},
    [KIND_BLIND_TRANSFER] = {"blind_transfer", LG_EVAL_TRANSITION, LG_SEVERITY_MINOR, true,
                             LG_FAILURE_NONE,
                             "The user was handed over before any record was read.",
                             "Prompt: say what is to be looked up before a transfer."},
    [KIND_REFUSED_WRITE] =
        {"refused_write", LG_EVAL_TRANSITION, LG_SEVERITY_SEVERE, false,
         LG_FAILURE_POLICY_VIOLATION, "A call that a rule of the pack refuses.",
         "Put the gate in front of the tools: it refuses this call and says why."},
    [KIND_ORDER] = {"order_violated", LG_EVAL_TRANSITION, LG_SEVERITY_MODERATE, true,
                    LG_FAILURE_POLICY_VIOLATION,
                    "Something happened that a rule about the conversation does not let be.",
                    "Prompt: state the order; the pack's rule holds it."},
    [KIND_OWED] = {"obligation_unmet", LG_EVAL_TRANSITION, LG_SEVERITY_MODERATE, true,
                   LG_FAILURE_MISSED_ACTION, "Something that was owed was not done.",
                   "Prompt: state the duty; the gate's block shows what is owed."},
    [KIND_FORBIDDEN_EDGE] = {"forbidden_edge", LG_EVAL_FORBIDDEN_EDGES, LG_SEVERITY_SEVERE, true,
                             LG_FAILURE_POLICY_VIOLATION,
                             "A call followed another one that it must not follow.",
                             "Pack: a conversation rule that forbids the one after the other."},
    [KIND_SCHEMA_VIOLATION] =
        {"schema_violation", LG_EVAL_ARGUMENT, LG_SEVERITY_SEVERE, false, LG_FAILURE_WRONG_ARGUMENT,
         "The arguments do not fit the tool's schema.",
         "Put the gate in front of the tools, or ask the model's API for strict arguments."},
    [KIND_UNKNOWN_TOOL] = {"unknown_tool", LG_EVAL_ARGUMENT, LG_SEVERITY_SEVERE, false,
                           LG_FAILURE_WRONG_ARGUMENT, "A tool was called that nobody has offered.",
                           "Check the list of tools that the request carries."},
    [KIND_UNGROUNDED_ARGUMENT] =
        {"ungrounded_argument", LG_EVAL_GROUNDEDNESS, LG_SEVERITY_SEVERE, false,
         LG_FAILURE_WRONG_ARGUMENT,
         "An argument has a value that nobody has said and no tool returned.",
         "Pack: a rule of the call that finds the value in the ledger."},
    [KIND_TOOL_BYPASSED] = {"tool_bypassed", LG_EVAL_OUTPUT, LG_SEVERITY_MODERATE, true,
                            LG_FAILURE_COMMUNICATION, "A tool that has to be used was not used.",
                            "Prompt: say for what the tool must be called."},
    [KIND_CONTRADICTED_CLAIM] =
        {"contradicted_claim", LG_EVAL_OUTPUT, LG_SEVERITY_SEVERE, false, LG_FAILURE_COMMUNICATION,
         "The agent said what a tool's result contradicts.",
         "Show the ledger in the prompt: it holds what was really returned."},
    [KIND_PRINTED_CALL] = {"printed_call", LG_EVAL_OUTPUT, LG_SEVERITY_SEVERE, false,
                           LG_FAILURE_COMMUNICATION, "A call was printed as text, and not made.",
                           "Check the model's tool format."},
    [KIND_PROMISE_NOT_KEPT] =
        {"promise_not_kept", LG_EVAL_OUTPUT, LG_SEVERITY_MODERATE, false, LG_FAILURE_MISSED_ACTION,
         "The agent said that it would do something, or had done it, and did not.",
         "Pack: an obligation that arises from the promise."},
    [KIND_SKIPPED_VERIFICATION] = {"skipped_verification", LG_EVAL_PLAN, LG_SEVERITY_MINOR, true,
                                   LG_FAILURE_NONE, "What a write changed was not read again.",
                                   "Prompt: ask for a read after each write."},
    [KIND_REPEATED_FAILURE] = {"repeated_failure", LG_EVAL_PLAN, LG_SEVERITY_MODERATE, true,
                               LG_FAILURE_LOOP,
                               "The same call failed again, and nothing had changed in between.",
                               "Let the tool's error say what would work."},
    [KIND_LOOP] = {"loop", LG_EVAL_PLAN, LG_SEVERITY_MODERATE, true, LG_FAILURE_LOOP,
                   "The same call was made again and again, with the same result.",
                   "Show the ledger in the prompt, so that what was read is not read again."},
    [KIND_UNASKED_WRITE] = {"unasked_write", LG_EVAL_PLAN, LG_SEVERITY_MODERATE, false,
                            LG_FAILURE_EXTRA_ACTION,
                            "Something was changed or bought that the user never spoke of.",
                            "Pack: a conversation rule that wants the user's word for it."},
    [KIND_YES_WITHOUT_WRITE] = {"yes_without_write", LG_EVAL_PLAN, LG_SEVERITY_HINT, false,
                                LG_FAILURE_MISSED_ACTION,
                                "The user agreed to what the agent proposed, and it was not done.",
                                "Pack: an obligation that arises from the user's confirmation."},
    [KIND_ASKED_NOT_DONE] =
        {"asked_not_done", LG_EVAL_FINAL_STATE, LG_SEVERITY_SEVERE, false, LG_FAILURE_MISSED_ACTION,
         "The user asked for what the rules permit, and it was not done.",
         "Prompt: name the case as permitted; pack: `requests` shows what is asked for."},
    [KIND_FAILED_WRITE_LEFT] = {"failed_write_left", LG_EVAL_FINAL_STATE, LG_SEVERITY_MODERATE,
                                false, LG_FAILURE_MISSED_ACTION,
                                "A change failed and was not made good.",
                                "Let the tool's error say what would work."},
    [KIND_NO_REGULAR_END] =
        {"no_regular_end", LG_EVAL_FINAL_STATE, LG_SEVERITY_MODERATE, false, LG_FAILURE_LOOP,
         "The conversation broke off: a limit, an error, a model without a word.",
         "Look at the recording's end; raise the limit that it ran into."},
    [KIND_JUDGED_OUTPUT] =
        {"judged_output", LG_EVAL_OUTPUT, LG_SEVERITY_MODERATE, false, LG_FAILURE_COMMUNICATION,
         "A model found that what the agent said breaks a rule about its output.",
         "Read the conversation there: this was judged, not decided."},
    [KIND_JUDGED_TRANSITION] = {"judged_transition", LG_EVAL_TRANSITION, LG_SEVERITY_MODERATE,
                                false, LG_FAILURE_POLICY_VIOLATION,
                                "A model found that a rule about the order of actions was broken.",
                                "Read the conversation there: this was judged, not decided."},
    [KIND_JUDGED_GROUNDEDNESS] =
        {"judged_groundedness", LG_EVAL_GROUNDEDNESS, LG_SEVERITY_MODERATE, false,
         LG_FAILURE_WRONG_ARGUMENT,
         "A model found an argument that nothing in the conversation supports.",
         "Read the conversation there: this was judged, not decided."},
    [KIND_JUDGED_ARGUMENT] =
        {"judged_argument", LG_EVAL_ARGUMENT, LG_SEVERITY_MODERATE, false,
         LG_FAILURE_WRONG_ARGUMENT,
         "A model found an argument that does not fit what the tool's description asks for.",
         "Read the conversation there: this was judged, not decided."},
    [KIND_JUDGED_PLAN] = {"judged_plan", LG_EVAL_PLAN, LG_SEVERITY_MODERATE, false,
                          LG_FAILURE_MISSED_ACTION,
                          "A model found a step of the predicted plan that was not taken.",
                          "Read the conversation there: this was judged, not decided."},
    [KIND_JUDGED_FINAL_STATE] = {"judged_final_state", LG_EVAL_FINAL_STATE, LG_SEVERITY_MODERATE,
                                 false, LG_FAILURE_MISSED_ACTION,
                                 "A model found that the outcome is not the predicted one.",
                                 "Read the conversation there: this was judged, not decided."},
};

const lg_audit_kind *lg_audit_kinds(size_t *ret_count)
{
    *ret_count = KIND_COUNT;
    return audit_kinds;
}

const char *lg_evaluator_name(lg_evaluator evaluator)
{
    static const char *const names[LG_EVAL_COUNT] = {
        [LG_EVAL_OUTPUT] = "output",
        [LG_EVAL_TRANSITION] = "transition",
        [LG_EVAL_FORBIDDEN_EDGES] = "forbidden_edges",
        [LG_EVAL_GROUNDEDNESS] = "argument_groundedness",
        [LG_EVAL_ARGUMENT] = "argument",
        [LG_EVAL_PLAN] = "predicted_plan",
        [LG_EVAL_FINAL_STATE] = "predicted_final_state",
    };
    return names[evaluator];
}

const char *lg_severity_name(lg_severity severity)
{
    static const char *const names[] = {"hint", "minor", "moderate", "severe"};
    return names[severity];
}

const char *lg_failure_class_name(lg_failure_class which)
{
    static const char *const names[] = {
        [LG_FAILURE_NONE] = "",
        [LG_FAILURE_MISSED_ACTION] = "missed_action",
        [LG_FAILURE_WRONG_ARGUMENT] = "wrong_argument",
        [LG_FAILURE_EXTRA_ACTION] = "extra_action",
        [LG_FAILURE_LOOP] = "loop",
        [LG_FAILURE_POLICY_VIOLATION] = "policy_violation",
        [LG_FAILURE_COMMUNICATION] = "communication",
        [LG_FAILURE_AUTHENTICATION] = "authentication",
    };
    return names[which];
}
