// outcome.h: the outcome score: how likely a conversation did what was to be done, told from signals.
//
// A signal is a number that the facts or the words of a conversation give, from 0 to 3: how often something was seen
// that tends to go with the wrong end, or with the right one. Its direction is part of its definition and not learnt: a
// check against the agent can never make the score better. Only how much it weighs is learnt (scripts/audit_study.py),
// by logistic regression on recorded conversations, of other customers than those it is measured on. Nothing is known
// here of models, domains, the length of a conversation, or of how it was rewarded.
#ifndef LG_AUDIT_OUTCOME_H
#define LG_AUDIT_OUTCOME_H

#include "audit/audit_internal.h"

// Adds all signals of the conversation; called after the checks, whose findings some signals count.
void audit_signals(audit_case *c);

// From the signals to the score.
void audit_outcome(const audit_case *c, lg_audit_result *result);

// Whether a call changes something: as the pack says; without one it is what is called neither a read nor a tool for
// thinking or handing over.
bool audit_changes(const audit_case *c, size_t index);
// How many changes were carried out.
size_t audit_changes_done(const audit_case *c);

// Adds a signal, at most 3.
void audit_signal_count(audit_case *c, const char *name, size_t count);

// Was it added, and not 0? Signals of calls, values and words are there when those of requests are looked for.
bool audit_signal_seen(const audit_case *c, const char *name);

// By subject; each file adds its own.
void audit_signals_of_calls(audit_case *c); // outcome_calls.c: what was called, and what came of it
void audit_signals_of_words(audit_case *c); // outcome_words.c: what both have said
void audit_signals_of_values(audit_case *c); // outcome_values.c: what changes were called with
void audit_signals_of_requests(
    audit_case *c); // outcome_requests.c: what was asked for, and whether the law gives it

#endif
