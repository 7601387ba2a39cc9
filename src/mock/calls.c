// calls.c: the one place where calls are made, whichever face they came by, and how they are told.
#include "base/str.h"
#include "mock/mock_internal.h"

bool mock_call(mock_exchange *x, mock_worker *worker, const lg_sim_call *call,
               lg_sim_answer *ret_answer)
{
    lg_error err = {0};
    const lg_sim_models *models = x->mock->may_wait ? &worker->models : NULL;
    if (lg_sim_call_tool(x->session->sim, call, models, ret_answer, &err) != LG_OK) {
        mock_fail_with(x, &err);
        return false;
    }
    return true;
}

void mock_write_violations(lg_json_writer *w, const lg_sim_answer *answer)
{
    lg_jw_key(w, "violations");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < answer->violation_count; i++) {
        const lg_sim_violation *v = &answer->violations[i];
        lg_jw_begin_object(w);
        lg_jw_member_str(w, "rule", v->rule);
        lg_jw_member_str(w, "kind", v->kind);
        lg_jw_member_str(w, "path", v->path);
        lg_jw_member_str(w, "message", v->message);
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}

void mock_write_call(lg_json_writer *w, const lg_sim_answer *answer)
{
    lg_jw_begin_object(w);
    lg_jw_member_json(w, "result", answer->result);
    if (lg_sim_is_error(answer)) {
        lg_jw_member_str(w, "error", answer->error);
    } else {
        lg_jw_key(w, "error");
        lg_jw_null(w);
    }
    lg_jw_member_c(w, "source", lg_sim_source_name(answer->source));
    mock_write_violations(w, answer);
    lg_jw_member_uint(w, "number", answer->number);
    lg_jw_member_c(w, "end", lg_sim_end_name(answer->end));
    lg_jw_member_str_or_null(w, "note", answer->note);
    lg_jw_end_object(w);
}
