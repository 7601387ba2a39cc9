// check_requests.c: what the user asked for, the rules permit, and nobody has done.
//
// That something was asked for is never proof: patterns of words tell it. So these are hints, given only where the words
// themselves say which record is meant, and where nothing took the wish back.
#include "audit/outcome.h"
#include "audit/requests.h"

static bool is_missed(const lg_asked *asked)
{
    return asked->verdict == LG_ASKED_PERMITTED && asked->how <= LG_ASKED_ONLY &&
           asked->withdrawn == LG_NO_EVENT && asked->done == LG_NO_EVENT &&
           asked->event != LG_NO_EVENT;
}

void audit_check_requests(audit_case *c, const lg_requests *found)
{
    for (size_t i = 0; i < found->count; i++) {
        const lg_asked *asked = &found->items[i];
        if (!is_missed(asked)) {
            continue;
        }
        lg_audit_finding *hint = audit_found(
            c, KIND_ASKED_NOT_DONE, asked->event,
            "%.*s%s%.*s seems asked for, no rule is against it, and it was not done",
            LG_FMT(asked->request->id), asked->key.len ? " of " : "", LG_FMT(asked->key));
        hint->severity = LG_SEVERITY_HINT;
        hint->rule = asked->request->id;
        hint->because = asked->because;
    }
}
