// json.c: what was decided, found, rejected and owed, as JSON for the public functions.
#include "session/session_internal.h"

#include "report/report.h"

// Behind what the latest call has left, which may be the decision itself.
static lg_status keep_json(lg_session *session, const lg_json_writer *w, lg_str *ret_json,
                           lg_error *reterr)
{
    LG_DEBUG_ASSERT(w->depth == 0);
    lg_buf *text = w->out;
    lg_str kept = {NULL, 0};
    lg_buf safe;
    lg_buf_init(&safe, 0);
    lg_json_add_safe(&safe, lg_buf_str(text));
    if (lg_buf_status(text) == LG_OK && lg_buf_status(&safe) == LG_OK) {
        kept = lg_arena_str(&session->scratch, lg_buf_str(&safe));
    }
    lg_buf_done(&safe);
    lg_buf_done(text);
    if (!kept.ptr) {
        return lg_fail_oom(reterr);
    }
    *ret_json = kept;
    return LG_OK;
}

static lg_json_writer begin(lg_buf *text)
{
    lg_buf_init(text, 0);
    return (lg_json_writer){.out = text};
}

lg_status lg_decision_json(lg_session *session, const lg_decision *decision, lg_str *ret_json,
                           lg_error *reterr)
{
    lg_buf text;
    lg_json_writer w = begin(&text);
    lg_report_decision(&w, decision);
    return keep_json(session, &w, ret_json, reterr);
}

lg_status lg_finding_json(lg_session *session, const lg_finding *finding, lg_str *ret_json,
                          lg_error *reterr)
{
    lg_buf text;
    lg_json_writer w = begin(&text);
    lg_report_finding(&w, finding);
    return keep_json(session, &w, ret_json, reterr);
}

lg_status lg_rejection_json(lg_session *session, const lg_rejection *rejection, lg_str *ret_json,
                            lg_error *reterr)
{
    lg_buf text;
    lg_json_writer w = begin(&text);
    lg_jw_begin_object(&w);
    lg_report_rejection_members(&w, rejection);
    lg_jw_end_object(&w);
    return keep_json(session, &w, ret_json, reterr);
}

lg_status lg_obligation_json(lg_session *session, const lg_obligation *owed, bool ended,
                             lg_str *ret_json, lg_error *reterr)
{
    lg_buf text;
    lg_json_writer w = begin(&text);
    lg_jw_begin_object(&w);
    lg_report_obligation_members(&w, owed, ended);
    lg_jw_end_object(&w);
    return keep_json(session, &w, ret_json, reterr);
}
