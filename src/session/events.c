// events.c: an event as the ledger, the gate and the rules about the conversation each see it.
#include "session/session_internal.h"

#include <time.h>

static lg_time host_time(const lg_session *session)
{
    struct timespec now = {0};
    if (session->time_is_set) {
        return session->time;
    }
    clock_gettime(CLOCK_REALTIME, &now);
    return (lg_time){now.tv_sec, (uint32_t)now.tv_nsec};
}

lg_status session_check_event(const lg_event *event, lg_error *reterr)
{
    bool in_range = event->time.seconds >= LG_TIME_MIN_SECONDS &&
                    event->time.seconds <= LG_TIME_MAX_SECONDS && event->time.nanos < LG_TIME_NANOS;
    return !event->has_time || in_range
               ? LG_OK
               : lg_fail(reterr, LG_ERR_USAGE,
                         "the time of the event is not within the years 1 to 9999");
}

lg_clock session_now(const lg_session *session, const lg_event *event, lg_time *ret_now)
{
    const lg_pack *pack = session->memory->ledger.pack;
    if (pack->fixed_clock) {
        *ret_now = (lg_time){pack->clock_seconds, pack->clock_nanos};
        return LG_CLOCK_PACK;
    }
    *ret_now = event->has_time ? event->time : host_time(session);
    return event->has_time ? LG_CLOCK_EVENT : LG_CLOCK_HOST;
}

lg_status session_read_args(lg_session *session, const lg_event *event, uint64_t steps,
                            session_args *ret, lg_error *reterr)
{
    lg_str text = event->args.len ? event->args : LG_STR("{}");
    *ret = (session_args){.json = event->json, .text = event->args};
    if (event->json) {
        ret->read_steps = lg_json_read_steps(event->args); // as if they were read here
        return LG_OK;
    }
    ret->text = text;
    ret->read_steps = lg_json_read_steps(text);
    if (ret->read_steps > steps) {
        return LG_OK;
    }
    ret->text = lg_arena_str(&session->scratch, text); // it is parsed in place
    lg_status status = ret->text.ptr
                           ? lg_json_parse_in(&session->scratch, ret->text, 0, ret->text.len,
                                              &session->memory->ledger.limits, &ret->json, NULL)
                           : LG_ERR_OOM;
    ret->json = status == LG_OK ? ret->json : NULL;
    return status == LG_ERR_OOM ? lg_fail_oom(reterr) : LG_OK;
}

const lg_json *session_args_made(const lg_json *args)
{
    static const lg_json none = {.type = LG_JSON_OBJECT};
    return lg_json_is(args, LG_JSON_OBJECT) ? args : &none;
}

lg_conversation_event session_conversation_event(const lg_session *session, const lg_event *event,
                                                 const lg_json *args)
{
    bool of_host = !event->has_time && !session->recorded && session->memory->ledger.pack->course;
    return (lg_conversation_event){.kind = event->kind,
                                   .role = event->role,
                                   .has_turn = event->has_turn,
                                   .turn = event->turn,
                                   .tool = event->tool,
                                   .args = args,
                                   .text = event->text,
                                   .ledger = session->state.ledger.root,
                                   .has_time = event->has_time || of_host,
                                   .time = of_host ? host_time(session) : event->time};
}
