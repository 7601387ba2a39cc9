// session.c: the public session: one ledger, one scratch arena, and the system's clock.
#include "base/alloc.h"
#include "gate/gate.h"

#include <time.h>

struct lg_session {
    lg_ledger ledger;
    lg_arena scratch; // of the latest decision
    lg_buf text;      // of the latest rendering
    lg_decision decision;
    bool time_is_set;
    int64_t unix_seconds;
};

lg_status lg_session_new(const lg_pack *pack, const lg_limits *limits, lg_session **ret_session)
{
    lg_session *session = lg_zalloc(sizeof(*session));
    if (!session) {
        return LG_ERR_OOM;
    }
    lg_limits resolved = lg_limits_resolve(limits);
    lg_ledger_init(&session->ledger, pack, &resolved);
    lg_arena_init(&session->scratch, resolved.memory_bytes);
    lg_buf_init(&session->text, resolved.memory_bytes);
    *ret_session = session;
    return LG_OK;
}

void lg_session_free(lg_session *session)
{
    if (session) {
        lg_ledger_done(&session->ledger);
        lg_arena_done(&session->scratch);
        lg_buf_done(&session->text);
        lg_free(session);
    }
}

void lg_session_reset(lg_session *session)
{
    lg_ledger_reset(&session->ledger);
}

void lg_session_set_time(lg_session *session, int64_t unix_seconds)
{
    session->time_is_set = true;
    session->unix_seconds = unix_seconds;
}

// Copies text that the caller may free into the ledger's arena, and parses it there.
static lg_status keep_args(lg_session *session, lg_str args, const lg_json **ret, lg_error *reterr)
{
    lg_arena *arena = &session->ledger.arena;
    lg_str kept = lg_arena_str(arena, args.len ? args : LG_STR("{}"));
    if (!kept.ptr) {
        return lg_fail_oom(reterr);
    }
    lg_status status =
        lg_json_parse_in(arena, kept, 0, kept.len, &session->ledger.limits, ret, reterr);
    if (status == LG_OK && !lg_json_is(*ret, LG_JSON_OBJECT)) {
        return lg_fail(reterr, LG_ERR_PARSE, "the arguments of a call must be a JSON object");
    }
    return status;
}

// True if the ledger now points to the call's arguments, result or name.
static bool is_kept(lg_status status, lg_observed observed)
{
    return status == LG_OK && observed != LG_OBSERVED_NOTHING &&
           observed != LG_OBSERVED_UNREADABLE && observed != LG_OBSERVED_REJECTED;
}

// The time that `now` stands for, where the pack does not say it.
static void set_now(const lg_session *session, int64_t *seconds, uint32_t *nanos)
{
    if (session->time_is_set) {
        *seconds = session->unix_seconds;
    } else if (!session->ledger.pack->fixed_clock) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        *seconds = now.tv_sec;
        *nanos = (uint32_t)now.tv_nsec;
    }
}

lg_status lg_observe(lg_session *session, const lg_observation *o, lg_observed *ret_observed,
                     lg_error *reterr)
{
    lg_observed observed = LG_OBSERVED_NOTHING;
    lg_arena *arena = &session->ledger.arena;
    lg_arena_mark mark = lg_arena_mark_here(arena);
    const lg_json *args;
    lg_status status = keep_args(session, o->args, &args, reterr);
    lg_str result = {0};
    lg_str tool = {0};
    if (status == LG_OK) {
        result = lg_arena_str(arena, o->result);
        tool = lg_arena_str(arena, o->tool);
        status = result.ptr && tool.ptr ? LG_OK : lg_fail_oom(reterr);
    }
    if (status == LG_OK) {
        lg_ledger_call call = {.tool = tool,
                               .args = args,
                               .result = result,
                               .failed = o->failed,
                               .by_user = o->by_user,
                               .turn = o->turn};
        set_now(session, &call.now_seconds, &call.now_nanos);
        status = lg_ledger_observe(&session->ledger, &call, &observed, reterr);
    }
    if (!is_kept(status, observed)) {
        lg_arena_rewind(arena, mark);
    }
    if (status == LG_OK && ret_observed) {
        *ret_observed = observed;
    }
    return status;
}

const lg_rejection *lg_rejected(const lg_session *session)
{
    const lg_rejection *rejection = &session->ledger.rejection;
    return rejection->category == LG_CATEGORY_NONE ? NULL : rejection;
}

lg_status lg_decide(lg_session *session, lg_str tool, lg_str args, const lg_decision **ret_decision,
                    lg_error *reterr)
{
    lg_arena *scratch = &session->scratch;
    lg_arena_reset(scratch);
    lg_gate_call call = {.tool = lg_arena_str(scratch, tool),
                         .args_text = lg_arena_str(scratch, args.len ? args : LG_STR("{}"))};
    if (!call.tool.ptr || !call.args_text.ptr) {
        return lg_fail_oom(reterr);
    }
    lg_status status = lg_json_parse_in(scratch, call.args_text, 0, call.args_text.len,
                                        &session->ledger.limits, &call.args, NULL);
    if (status == LG_ERR_OOM) {
        return lg_fail_oom(reterr);
    }
    if (status != LG_OK) {
        call.args = NULL; // a finding, not an error
    }
    set_now(session, &call.now_seconds, &call.now_nanos);
    lg_gate_options options = {.cel_cost = session->ledger.limits.cel_cost};
    status = lg_gate_decide(session->ledger.pack, &session->ledger.state, &call, &options, scratch,
                            &session->decision, reterr);
    if (status == LG_OK) {
        *ret_decision = &session->decision;
    }
    return status;
}

lg_status lg_render(lg_session *session, const lg_render_options *options, lg_str *ret_text,
                    lg_error *reterr)
{
    lg_buf_clear(&session->text);
    lg_ledger_render(&session->ledger, options, &session->text);
    if (lg_buf_status(&session->text) != LG_OK) {
        return lg_fail_oom(reterr);
    }
    *ret_text = lg_buf_str(&session->text);
    return LG_OK;
}

const char *lg_version(void)
{
    return LG_VERSION;
}
