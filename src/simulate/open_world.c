// open_world.c: one call, from its arguments to its answer and the state after it.
#include "simulate/open_world.h"

#include "base/hash.h"
#include "schema/synthesise.h"
#include "simulate/open_world_internal.h"

static const lg_json nothing = {.type = LG_JSON_NULL, .offset = LG_JSON_NO_OFFSET};

lg_status lg_open_world_reply(lg_arena *arena, const lg_open_world_call *call,
                              lg_open_world_answer *ret, lg_error *reterr)
{
    *ret = (lg_open_world_answer){.end = LG_SIM_DONE,
                                  .result = &nothing,
                                  .error = LG_STR(""),
                                  .state = call->state,
                                  .note = LG_STR("")};
    char room[1024];
    lg_buf text;
    lg_buf_init_in(&text, room, sizeof(room), 0);
    lg_buf_add(&text, call->tool->name);
    lg_json_print_canonical(&text, call->args);
    lg_synthesis_options how = {.seed = lg_hash(lg_buf_str(&text)) ^ call->seed, .made_up = true};
    lg_buf_done(&text);
    if (call->given) {
        ret->result = call->given;
        return LG_OK;
    }
    if (call->tool->results) {
        lg_error error;
        lg_status status =
            lg_schema_synthesise_compiled(arena, call->tool->results, &how, &ret->result, &error);
        if (status == LG_ERR_OOM) {
            return lg_fail_oom(reterr);
        }
        if (status != LG_OK) {
            ret->end = LG_SIM_FAULT;
            ret->error = lg_arena_printf(arena, "no valid answer: %s", error.msg);
        }
    }
    return LG_OK;
}
