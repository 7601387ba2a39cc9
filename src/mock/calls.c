// calls.c: the one place where calls are made, whichever face they came by, and how they are told.
#include "base/str.h"
#include "mock/mock_internal.h"

// No more reaches the real tools than would reach simulated ones: a tool of the agent's that is known, with arguments that
// its schema allows. True: the call is refused, in the answer or in `x`.
static bool is_refused(mock_exchange *x, const lg_sim_call *call, lg_sim_answer *ret,
                       bool *ret_fine)
{
    lg_error err = {0};
    *ret_fine = false;
    if (call->by_user && lg_sim_tool_named(x->mock->options.sim, call->tool, true)) {
        mock_fail(x, 400, "bad_request",
                  "a customer's own tools are never passed on: the real tools are the agent's");
        return true;
    }
    if (lg_sim_validate(x->session->sim, call, NULL, ret, &err) != LG_OK) {
        mock_fail_with(x, &err);
        return true;
    }
    *ret_fine = ret->end != LG_SIM_DONE;
    return *ret_fine;
}

// Of what the real tools did not do, or of which nobody knows, there is no answer: the client hears why.
static bool call_real(mock_exchange *x, const lg_sim_call *call, lg_sim_answer *ret)
{
    lg_error err = {0};
    lg_executor_answer said;
    lg_executor_call wanted = {.tool = call->tool, .args = call->args, .by_user = call->by_user};
    bool answered;
    if (is_refused(x, call, ret, &answered)) {
        return answered;
    }
    lg_status status = lg_executor_run(x->mock->options.real, &wanted, x->arena, &said, &err);
    if (status == LG_ERR_IO) {
        mock_fail(x, 502, "not_recorded", "%s", err.msg);
        return false;
    }
    if (status != LG_OK) {
        mock_fail_with(x, &err);
        return false;
    }
    if (said.outcome != LG_EXECUTOR_DONE) {
        bool unknown = said.outcome == LG_EXECUTOR_UNKNOWN;
        mock_fail(x, 502, unknown ? "real_unknown" : "real_failed", "%s: %.*s",
                  unknown ? "nobody knows whether the real tool was called"
                          : "the real tool was not called",
                  LG_FMT(said.why));
        return false;
    }
    *ret =
        (lg_sim_answer){.end = said.is_error ? LG_SIM_FAILED : LG_SIM_DONE,
                        .source = LG_SIM_SOURCE_REAL,
                        .tool = lg_sim_tool_named(x->mock->options.sim, call->tool, call->by_user),
                        .result = said.value,
                        .text = said.text,
                        .status = said.status,
                        .error = said.is_error ? said.text : LG_STR("")};
    // The call was made: whoever made it hears the answer, whatever becomes of the history.
    if (lg_sim_take_call(x->session->sim, call, ret, &err) != LG_OK) {
        ret->note = lg_arena_printf(x->arena, "the history has not taken it in: %s", err.msg);
    }
    return true;
}

bool mock_is_quick(const mock_exchange *x, const mock_session *session, const lg_sim_call *call)
{
    const mock_worker *any = &x->mock->workers[0]; // all have the same models
    return !x->mock->may_wait ||
           (!x->mock->options.passes_on && !lg_sim_may_wait(session->sim, call, &any->models));
}

bool mock_call(mock_exchange *x, mock_worker *worker, const lg_sim_call *call,
               lg_sim_answer *ret_answer)
{
    lg_error err = {0};
    if (x->mock->options.passes_on) {
        return call_real(x, call, ret_answer);
    }
    const lg_sim_models *models = x->at_once ? NULL : &worker->models;
    if (lg_sim_call_tool(x->session->sim, call, models, ret_answer, &err) != LG_OK) {
        mock_fail_with(x, &err);
        return false;
    }
    return true;
}

#define NOTE_BYTES 300u
#define RULES_BYTES 300u

// Visible ASCII, as a header takes it.
static void add_plain(lg_buf *out, lg_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        lg_buf_add_byte(out, c >= ' ' && c <= '~' ? c : '?');
    }
}

// "2 rule,other": how many speak against it, and which, as many as there is room for.
static void add_violations(lg_buf *out, const lg_sim_answer *answer)
{
    lg_buf_addf(out, "%zu", answer->violation_count);
    for (size_t i = 0; i < answer->violation_count; i++) {
        lg_str rule = lg_str_cut(answer->violations[i].rule, 100);
        if (out->len + rule.len + 4 > RULES_BYTES) {
            lg_buf_add_c(out, ",...");
            break;
        }
        lg_buf_add_byte(out, i ? ',' : ' ');
        add_plain(out, rule);
    }
}

static void add_header(mock_exchange *x, lg_str name, const lg_buf *value)
{
    lg_str kept = lg_arena_str(x->arena, lg_buf_str(value));
    if (kept.ptr && kept.len) {
        mock_header(x, name, kept);
    }
}

void mock_tell(mock_exchange *x, const lg_sim_answer *answer)
{
    char room[NOTE_BYTES + RULES_BYTES];
    lg_buf text;
    mock_header(x, LG_STR("x-ledgergate-source"), lg_str_c(lg_sim_source_name(answer->source)));
    lg_buf_init_in(&text, room, sizeof(room), 0);
    add_plain(&text, lg_str_cut(answer->note, NOTE_BYTES));
    add_header(x, LG_STR("x-ledgergate-note"), &text);
    if (answer->violation_count) {
        lg_buf_clear(&text);
        add_violations(&text, answer);
        add_header(x, LG_STR("x-ledgergate-violations"), &text);
    }
    lg_buf_done(&text);
}

void mock_list_violations(lg_json_writer *w, const lg_sim_violation *violations, size_t count)
{
    lg_jw_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        const lg_sim_violation *v = &violations[i];
        lg_jw_begin_object(w);
        lg_jw_member_str(w, "rule", v->rule);
        lg_jw_member_str(w, "kind", v->kind);
        lg_jw_member_str(w, "path", v->path);
        lg_jw_member_str(w, "message", v->message);
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}

void mock_write_violations(lg_json_writer *w, const lg_sim_violation *violations, size_t count)
{
    lg_jw_key(w, "violations");
    mock_list_violations(w, violations, count);
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
    mock_write_violations(w, answer->violations, answer->violation_count);
    lg_jw_member_uint(w, "number", answer->number);
    lg_jw_member_c(w, "end", lg_sim_end_name(answer->end));
    lg_jw_member_str_or_null(w, "note", answer->note);
    lg_jw_end_object(w);
}
