// chat_face.c: POST /v1/chat/completions: any client of OpenAI's protocol gets refined calls (refine/chat.h).
//
// A planner and the simulator's models are asked meanwhile, so a worker does it. A session that the request names is
// only forked.
#include "base/clock.h"
#include "base/str.h"
#include "mock/mock_internal.h"
#include "refine/chat.h"

static int64_t now_ns(void *data)
{
    (void)data;
    return lg_monotonic_ns();
}

static void do_chat(mock_exchange *x, mock_worker *worker)
{
    const lg_mock_options *o = &x->mock->options;
    lg_refine_planner planner = lg_refine_planner_of(worker->planner);
    lg_sim_begin begin = {.seed = o->seed};
    lg_refine_chat_options options = {
        .sim = o->sim,
        .session = x->session ? x->session->sim : NULL,
        .begin = &begin,
        .allows_other_tools = true,
        .created = o->now_seconds ? o->now_seconds() : 0,
        .refine = {.planner = &planner,
                   .models = &worker->models,
                   .retries = o->retries,
                   .now_ns = now_ns},
    };
    lg_refine_chat_reply reply;
    lg_error err = {0};
    (void)mock_begin(x, 200);
    if (lg_refine_chat(&options, x->request.body, x->out, &reply, &err) != LG_OK) {
        mock_fail_with(x, &err);
        return;
    }
    x->status = reply.status;
    x->header_count = 0;
    mock_header(x, LG_STR("content-type"), lg_str_c(reply.type));
}

static bool is_path(const mock_exchange *x, const char *second, const char *third)
{
    return x->segment_count == (third ? 3u : 2u) && lg_str_eq(x->segments[1], lg_str_c(second)) &&
           (!third || lg_str_eq(x->segments[2], lg_str_c(third)));
}

static void list_models(mock_exchange *x)
{
    const lg_llm_options *planner = x->mock->options.models.planner;
    if (!mock_takes(x, "GET, HEAD")) {
        return;
    }
    lg_json_writer w = mock_begin(x, 200);
    lg_jw_begin_object(&w);
    lg_jw_member_c(&w, "object", "list");
    lg_jw_key(&w, "data");
    lg_jw_begin_array(&w);
    if (planner) {
        lg_jw_begin_object(&w);
        lg_jw_member_str(&w, "id", planner->model);
        lg_jw_member_c(&w, "object", "model");
        lg_jw_member_c(&w, "owned_by", "ledgergate");
        lg_jw_end_object(&w);
    }
    lg_jw_end_array(&w);
    lg_jw_end_object(&w);
}

void mock_chat(mock_exchange *x)
{
    if (is_path(x, "models", NULL)) {
        list_models(x);
        return;
    }
    if (!is_path(x, "chat", "completions")) {
        mock_fail(x, 404, "unknown_path", "here are /v1/chat/completions and /v1/models");
        return;
    }
    if (!mock_takes(x, "POST")) {
        return;
    }
    if (!x->mock->options.models.planner) {
        mock_fail(x, 501, "no_planner", "refined calls need a planner: start with --planner-model");
        return;
    }
    bool named = lg_http_header_count(x->request.headers, LG_STR("x-ledgergate-session")) > 0;
    mock_session *s = named ? mock_sessions_of(x) : NULL;
    if ((!named || s) && !mock_fault_strikes(x)) {
        x->session = s;
        x->work = do_chat;
    }
}
