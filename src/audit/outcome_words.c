// outcome_words.c: signals of what agent and user have said. Each is a guess, and counts as one.
#include "audit/dialogue.h"
#include "audit/outcome.h"
#include "audit/words.h"

#define DENIED_WITHIN 80u // bytes from "cannot" to what cannot be done

// --- The agent's ------------------------------------------------------------------------------------------

// A go-ahead is asked for, in so many words.
static bool offers(audit_case *c, size_t index)
{
    static const char *const words[] = {"please confirm",
                                        "do you confirm",
                                        "confirm to proceed",
                                        "confirm that you",
                                        "confirm you",
                                        "confirm the",
                                        "confirm this",
                                        "confirm if",
                                        "(yes",
                                        "reply yes",
                                        "reply \"yes",
                                        "say yes",
                                        "say \"yes",
                                        "respond with yes",
                                        "respond \"yes",
                                        "answer yes",
                                        "with \"yes",
                                        "explicit confirmation",
                                        "explicitly confirm",
                                        "would you like to proceed",
                                        "would you like me to proceed",
                                        "would you like to go ahead",
                                        "would you like me to go ahead",
                                        "like to proceed",
                                        "shall i proceed",
                                        "shall i go ahead",
                                        "should i proceed",
                                        "should i go ahead",
                                        "do you want me to proceed",
                                        "do you want to proceed",
                                        "do you want to go ahead",
                                        "ready to proceed",
                                        "ready to process",
                                        "ready to book",
                                        "ready to cancel",
                                        "ready to submit",
                                        NULL};
    return audit_says_any(c, index, LG_ROLE_AGENT, words);
}

// Something that was wanted is said not to be possible.
static bool denies(audit_case *c, size_t index)
{
    static const char *const cannot[] = {"can't",        "cannot",        "can not",
                                         "unable to",    "not able to",   "not eligible",
                                         "not possible", "not allowed",   "not permitted",
                                         "ineligible",   "won't be able", NULL};
    static const char *const deeds[] = {"cancel*", "refund*", "modif*",   "chang*",     "updat*",
                                        "add*",    "remov*",  "exchang*", "return*",    "process*",
                                        "issu*",   "offer*",  "provid*",  "compensat*", "waiv*",
                                        "upgrad*", "book*",   "proceed*", NULL};
    if (!audit_says(c, index, LG_ROLE_AGENT)) {
        return false;
    }
    lg_str plain = audit_plain_at(c, index);
    for (size_t i = 0; cannot[i]; i++) {
        for (size_t at = audit_find(plain, cannot[i], 0); at < plain.len;
             at = audit_find(plain, cannot[i], at + 1)) {
            lg_str near = lg_str_cut(lg_str_slice(plain, at, plain.len), DENIED_WITHIN), sentence;
            size_t from = 0;
            if (audit_next_sentence(near, &from, &sentence) && audit_has_any(sentence, deeds)) {
                return true;
            }
        }
    }
    return false;
}

// --- The user's -------------------------------------------------------------------------------------------

static bool declines(audit_case *c, size_t index)
{
    static const char *const words[] = {
        "no",          "don't want",   "do not want",     "don't proceed",
        "never mind",  "nevermind",    "hold off",        "leave it",
        "not proceed", "not go ahead", "stick with",      "i'll keep",
        "i will keep", "i'll pass",    "too expensive",   "too much",
        "too high",    "instead",      "forget it",       "that's all",
        "that's it",   "keep it",      "changed my mind", NULL};
    return audit_says_any(c, index, LG_ROLE_USER, words);
}

static bool begins_yes(audit_case *c, size_t index)
{
    static const char *const words[] = {"yes",         "yeah",
                                        "yep",         "yup",
                                        "sure",        "ok",
                                        "okay",        "confirm",
                                        "correct",     "please proceed",
                                        "go ahead",    "proceed",
                                        "perfect",     "absolutely",
                                        "i confirm",   "confirmed",
                                        "sounds good", "that's correct",
                                        NULL};
    lg_str plain = audit_plain_at(c, index);
    for (size_t i = 0; audit_says(c, index, LG_ROLE_USER) && words[i]; i++) {
        if (audit_begins(plain, words[i])) {
            return true;
        }
    }
    return false;
}

// A right to it is claimed that lies in no record: what somebody said, a status, an exception.
static bool claims(audit_case *c, size_t index)
{
    static const char *const words[] = {"was told",
                                        "were told",
                                        "been told",
                                        "told me",
                                        "was promised",
                                        "been promised",
                                        "was approved",
                                        "been approved",
                                        "was assured",
                                        "representative",
                                        "rep",
                                        "another agent",
                                        "previous agent",
                                        "service agent",
                                        "silver member",
                                        "gold member",
                                        "silver status",
                                        "gold status",
                                        "loyal",
                                        "loyalty",
                                        "entitled",
                                        "exception",
                                        "policy should",
                                        "customer support",
                                        NULL};
    return audit_says_any(c, index, LG_ROLE_USER, words);
}

// A choice is left to the agent: the cheapest, the largest.
static bool leaves_choice(audit_case *c, size_t index)
{
    static const char *const words[] = {"cheapest",       "lowest",  "least expensive",
                                        "most expensive", "highest", "largest",
                                        "smallest",       "best",    "fastest",
                                        "shortest",       "longest", "earliest",
                                        "latest",         "second",  NULL};
    return audit_says_any(c, index, LG_ROLE_USER, words);
}

static bool thanks(audit_case *c, size_t index)
{
    static const char *const words[] = {"thank*", NULL};
    return audit_says_any(c, index, LG_ROLE_USER, words);
}

// With what it is to be paid.
static bool speaks_of_payment(audit_case *c, size_t index)
{
    static const char *const words[] = {
        "gift card", "credit card", "payment method", "visa", "mastercard", "paypal", NULL};
    return audit_says_any(c, index, LG_ROLE_USER, words);
}

// --- Counting ---------------------------------------------------------------------------------------------

static size_t how_many(audit_case *c, bool (*is)(audit_case *, size_t))
{
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++) {
        count += is(c, i);
    }
    return count;
}

// The agent asked for a go-ahead, never tried, and the user said nothing against it.
static bool leaves_offer(audit_case *c)
{
    bool open = false;
    for (size_t i = 0; i < c->count; i++) {
        open = (open && !audit_changes(c, i) && !declines(c, i)) || offers(c, i);
    }
    return open;
}

// Yes was said, and nothing was tried before the user spoke again; and how often yes was said to an offer.
typedef struct consents {
    size_t idle, given;
} consents;

static consents count_consents(audit_case *c)
{
    consents count = {0};
    bool asked = false, offered = false, waiting = false;
    for (size_t i = 0; i < c->count; i++) {
        if (audit_says(c, i, LG_ROLE_AGENT)) {
            asked = audit_asks(c, i);
            offered = offers(c, i);
        } else if (audit_says(c, i, LG_ROLE_USER)) {
            count.idle += waiting;
            bool yes = begins_yes(c, i);
            waiting = asked && yes;
            count.given += offered && yes;
        }
        waiting = waiting && !audit_changes(c, i);
    }
    count.idle += waiting;
    return count;
}

void audit_signals_of_words(audit_case *c)
{
    bool idle = audit_changes_done(c) == 0;
    size_t denied = how_many(c, denies), claimed = how_many(c, claims), tried = 0;
    for (size_t i = 0; i < c->count; i++) {
        tried += audit_changes(c, i);
    }
    consents yes = count_consents(c);
    audit_signal_count(c, "offer_left_open", leaves_offer(c));
    audit_signal_count(c, "yes_and_nothing", yes.idle);
    audit_signal_count(c, "changes_beyond_yes", tried > yes.given ? tried - yes.given : 0);
    audit_signal_count(c, "denied_and_changed", denied > 0 && !idle);
    audit_signal_count(c, "denied_and_nothing", denied > 0 && idle);
    audit_signal_count(c, "claimed_and_nothing", claimed > 0 && idle);
    audit_signal_count(c, "choice_left", how_many(c, leaves_choice) > 0);
    audit_signal_count(c, "payment_and_nothing", idle && how_many(c, speaks_of_payment) > 0);
    audit_signal_count(c, "thanked", how_many(c, thanks) > 0);
}
