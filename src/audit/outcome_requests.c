// outcome_requests.c: signals of what was asked for, as the pack's `requests` tell it, and whether the law gives it.
#include "audit/outcome.h"
#include "audit/requests.h"

// Of one request, whatever records it may be about.
typedef struct request_tally {
    size_t done, permitted, guessed, refused, forfeited, undecided; // records
} request_tally;

// Of the conversation: requests.
typedef struct asked_tally {
    size_t kinds, done, partly, permitted, guessed, refused, forfeited, undecided;
    size_t of_no_record;    // something new is asked for
    size_t exceptions;      // given only for what the customer has to say: neither done nor refused
    size_t exceptions_made; // done
} asked_tally;

static void take_record(request_tally *t, const lg_asked *asked)
{
    switch (asked->verdict) {
    case LG_ASKED_DONE:
        t->done++;
        break;
    case LG_ASKED_PERMITTED:
        *(asked->how <= LG_ASKED_ONLY ? &t->permitted : &t->guessed) += 1;
        break;
    case LG_ASKED_REFUSED:
        t->refused++;
        break;
    case LG_ASKED_FORFEITED:
        t->forfeited++;
        break;
    case LG_ASKED_UNDECIDED:
    case LG_ASKED_VERDICT_COUNT:
        t->undecided++;
        break;
    }
}

// What one request comes to: what was done goes before all, and what was permitted before what was refused.
static void take_request(asked_tally *all, const lg_request *request, const request_tally *t)
{
    bool is_exception = request->given != NULL;
    all->kinds++;
    all->of_no_record += request->about == NULL && request->when == NULL;
    all->exceptions_made += is_exception && t->done > 0;
    if (t->done > 0) {
        all->done++;
        all->partly += t->permitted > 0;
    } else if (t->permitted > 0) {
        all->permitted++;
    } else if (t->guessed > 0) {
        all->guessed++;
    } else if (t->forfeited > 0) {
        all->forfeited++;
    } else if (t->undecided > 0) {
        *(is_exception ? &all->exceptions : &all->undecided) += 1;
    } else {
        all->refused++;
    }
}

static asked_tally tally_all(const lg_requests *found)
{
    asked_tally all = {0};
    for (size_t i = 0; i < found->count;) {
        request_tally one = {0};
        const lg_request *request = found->items[i].request;
        for (; i < found->count && found->items[i].request == request; i++) {
            take_record(&one, &found->items[i]);
        }
        take_request(&all, request, &one);
    }
    return all;
}

void audit_signals_of_requests(audit_case *c)
{
    lg_requests found = {0};
    lg_error why;
    if (c->session && lg_requests_find(c->session, c->trace, c->arena, &found, &why) != LG_OK) {
        c->oom = true;
        return;
    }
    audit_check_requests(c, &found);
    asked_tally all = tally_all(&found);
    bool idle = audit_changes_done(c) == 0;
    bool denied =
        audit_signal_seen(c, "denied_and_nothing") || audit_signal_seen(c, "denied_and_changed");
    bool only_refused = all.kinds > 0 && all.refused == all.kinds;
    bool only_unlikely = all.kinds > 0 && all.refused + all.exceptions == all.kinds;
    audit_signal_count(c, "asked", all.kinds);
    audit_signal_count(c, "asked_and_done", all.done);
    audit_signal_count(c, "asked_and_partly_done", all.partly);
    audit_signal_count(c, "asked_and_permitted", all.permitted);
    audit_signal_count(c, "asked_and_perhaps_permitted", all.guessed);
    audit_signal_count(c, "asked_and_forfeited", all.forfeited);
    audit_signal_count(c, "asked_and_undecided", all.undecided);
    audit_signal_count(c, "permitted_and_nothing", all.permitted > 0 && idle);
    audit_signal_count(c, "undecided_and_nothing", all.undecided > 0 && idle);
    audit_signal_count(c, "refused_and_nothing", all.refused > 0 && idle);
    audit_signal_count(c, "only_refused", only_refused && idle);
    audit_signal_count(c, "only_refused_or_exceptions", only_unlikely && idle);
    audit_signal_count(c, "denied_though_permitted", denied && all.permitted + all.guessed > 0);
    audit_signal_count(c, "exception_made", all.exceptions_made);
    audit_signal_count(c, "asked_for_new", all.of_no_record);
}
