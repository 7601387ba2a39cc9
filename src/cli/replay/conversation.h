// conversation.h: conversation rules over recorded conversations: events, findings, debts.
//
// Beside the decisions about calls: what rules find of events that nobody proposes (messages,
// results, calls of the user), what they only report, and what is owed at the end.
#ifndef LG_CLI_REPLAY_CONVERSATION_H
#define LG_CLI_REPLAY_CONVERSATION_H

#include "cli/traces.h"

struct replay;
struct replay_site;

typedef struct replay_talk {
    size_t occurred; // findings about events that nobody proposed, of rules that can refuse
    size_t unmet;    // obligations at the end, of such rules
    size_t dropped;  // obligations that were too many to follow
    struct talk_rule_counts {
        lg_conversation_tally tally;
        size_t unmet;
    } * by_rule; // one a conversation rule
} replay_talk;

// False when out of memory; then replay_talk_done() is still allowed. `course` may be NULL.
bool replay_talk_init(replay_talk *talk, const struct lg_course *course);
void replay_talk_done(replay_talk *talk);

// Prints what the rules have found of the event of `site`, which was observed just now. `refused`: a result
// that the ledger did not accept, which is an error to them.
void replay_talk_found(struct replay *r, const struct replay_site *site, bool refused);

// What a decision reports without refusing.
void replay_talk_reports(struct replay *r, const struct replay_site *site,
                         const lg_decision *decision);

// The conversation ends: what is owed is printed and counted.
bool replay_talk_end(struct replay *r, const struct replay_site *site);

// Anything that makes the exit code 1?
bool replay_talk_broken(const replay_talk *talk);

// Of the summary: the member `conversation`, or rows. Nothing for a pack without such rules.
void replay_talk_write_summary(struct replay *r, lg_json_writer *w);
void replay_talk_show_summary(struct replay *r);

#endif
