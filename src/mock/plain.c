// plain.c: the plain face: sessions, calls, states, snapshots, forks. For every kind of input the same.
//
//     POST   /sessions                    {"state" | "task_id", "seed", "hybrid"}  201 {"session"}
//     GET    /sessions                                                       {"sessions": [...], "total"}
//     GET    /sessions/ID                                                    what is known of it
//     DELETE /sessions/ID                                                    204
//     POST   /sessions/ID/calls           {"name", "arguments", "requestor"} {"result", "error", "source", ...}
//     GET    /sessions/ID/state           ?as=file|view|hash
//     POST   /sessions/ID/snapshots                                          201 {"snapshot"}
//     POST   /sessions/ID/restore         {"snapshot"}                       0: the beginning
//     POST   /sessions/ID/fork                                               201 {"session"}
//     POST   /sessions/ID/reset
//     GET    /sessions/ID/history         ?from=NUMBER                       {"dropped", "calls", "next"}
//     GET    /sessions/ID/diff            ?from=SNAPSHOT[&to=SNAPSHOT] | ?call=NUMBER {"differences", "total"}
//     POST   /sessions/ID/judge           judge.c
#include "base/str.h"
#include "mock/mock_internal.h"

#define DIFFERENCES_MAX 1000u

// --- Beginning ----------------------------------------------------------------------------------

static bool read_task(mock_exchange *x, const lg_json *body, lg_str *ret)
{
    const lg_json *task = lg_json_get(body, LG_STR("task_id"));
    *ret = lg_json_str(task);
    if (lg_json_is(task, LG_JSON_INT)) { // files of tasks number them
        *ret = lg_arena_printf(x->arena, "%lld", (long long)task->as.i64);
        if (!ret->ptr) {
            mock_fail_oom(x);
        }
        return ret->ptr != NULL;
    }
    if (task && !lg_json_is(task, LG_JSON_STRING) && !lg_json_is(task, LG_JSON_NULL)) {
        mock_fail(x, 400, "bad_request", "`task_id` is a text or an integer");
        return false;
    }
    if (ret->len && !lg_sim_has_state(x->mock->options.sim, *ret) &&
        !lg_json_get(body, LG_STR("state")) &&
        !lg_sim_has_state(x->mock->options.sim, LG_STR(""))) {
        lg_str id = lg_str_cut(*ret, 80);
        mock_fail(x, 404, "unknown_task", "there is no first state of task `%.*s`", LG_FMT(id));
        return false;
    }
    return true;
}

static bool read_seed(mock_exchange *x, const lg_json *body, uint64_t *ret)
{
    const lg_json *seed = lg_json_get(body, LG_STR("seed"));
    int64_t number = 0;
    if (!seed || lg_json_is(seed, LG_JSON_NULL)) {
        *ret = x->mock->options.seed;
    } else if (lg_json_int(seed, &number) && number >= 0) {
        *ret = (uint64_t)number;
    } else {
        mock_fail(x, 400, "bad_request", "`seed` is an integer from 0 on");
        return false;
    }
    return true;
}

static bool read_hybrid(mock_exchange *x, const lg_json *body, lg_sim_begin *begin)
{
    const lg_json *hybrid = lg_json_get(body, LG_STR("hybrid"));
    if (hybrid && !lg_json_is(hybrid, LG_JSON_BOOL)) {
        mock_fail(x, 400, "bad_request", "`hybrid` is true or false");
        return false;
    }
    if (lg_json_is_true(hybrid) && !begin->read_real) {
        mock_fail(x, 400, "bad_request", "there are no real tools to ask: start with --real");
        return false;
    }
    begin->read_real = hybrid && !lg_json_is_true(hybrid) ? NULL : begin->read_real;
    return true;
}

static void write_session(mock_exchange *x, const mock_session *s)
{
    lg_json_writer w = mock_begin(x, 201);
    lg_jw_begin_object(&w);
    lg_jw_member_c(&w, "session", s->id);
    lg_jw_end_object(&w);
}

static void begin_session(mock_exchange *x)
{
    static const char *const members[] = {"state", "task_id", "seed", "hybrid", NULL};
    lg_sim_begin begin = mock_sessions_as_usual(x->mock);
    const lg_json *body = mock_object(x, members);
    if (!body || !read_task(x, body, &begin.task) || !read_seed(x, body, &begin.seed) ||
        !read_hybrid(x, body, &begin)) {
        return;
    }
    const lg_json *state = lg_json_get(body, LG_STR("state"));
    lg_world_file file = {.value = state, .text = x->request.body, .name = "state"};
    begin.state = state && !lg_json_is(state, LG_JSON_NULL) ? &file : NULL;
    const mock_session *s = mock_sessions_begin(x, &begin);
    if (s) {
        write_session(x, s);
    }
}

// --- Knowing ------------------------------------------------------------------------------------

static void write_known(lg_json_writer *w, const mock_session *s)
{
    size_t kept = lg_sim_history_count(s->sim);
    uint64_t dropped = lg_sim_history_dropped(s->sim);
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "session", s->id);
    lg_jw_member_uint(w, "seed", lg_sim_seed(s->sim));
    lg_jw_member_uint(w, "calls", kept + dropped);
    lg_jw_member_uint(w, "dropped", dropped);
    lg_jw_member_uint(w, "snapshots", lg_sim_snapshot_count(s->sim));
    lg_jw_member_uint(w, "held_bytes", s->family->held_bytes);
    lg_jw_end_object(w);
}

// The latest used first; of those that a worker has nothing but the id is read.
static void list_sessions(mock_exchange *x)
{
    lg_json_writer w = mock_begin(x, 200);
    lg_jw_begin_object(&w);
    lg_jw_member_uint(&w, "total", x->mock->sessions.count);
    lg_jw_key(&w, "sessions");
    lg_jw_begin_array(&w);
    for (const mock_session *s = x->mock->sessions.newest; s; s = s->older) {
        if (s->family->busy) {
            lg_jw_begin_object(&w);
            lg_jw_member_c(&w, "session", s->id);
            lg_jw_member_bool(&w, "busy", true);
            lg_jw_end_object(&w);
        } else {
            write_known(&w, s);
        }
    }
    lg_jw_end_array(&w);
    lg_jw_end_object(&w);
}

static void one_session(mock_exchange *x)
{
    if (!mock_takes(x, "GET, HEAD, DELETE")) {
        return;
    }
    mock_session *s = mock_sessions_take(x, x->segments[1]);
    if (!s) {
        return;
    }
    if (mock_is(x, "DELETE")) {
        mock_sessions_remove(x->mock, s);
        (void)mock_begin(x, 204);
        x->header_count = 0;
        return;
    }
    lg_json_writer w = mock_begin(x, 200);
    write_known(&w, s);
}

// --- Calls --------------------------------------------------------------------------------------

static void do_call(mock_exchange *x, mock_worker *worker)
{
    lg_sim_answer answer;
    if (mock_call(x, worker, x->task, &answer)) {
        lg_json_writer w = mock_begin(x, 200);
        mock_write_call(&w, &answer);
        mock_tell(x, &answer);
    }
}

static bool read_requestor(mock_exchange *x, const lg_json *body, bool *ret_by_user)
{
    const lg_json *requestor = lg_json_get(body, LG_STR("requestor"));
    lg_str who = lg_json_str(requestor);
    *ret_by_user = lg_str_eq(who, LG_STR("user"));
    if (requestor && !*ret_by_user && !lg_str_eq(who, LG_STR("assistant"))) {
        mock_fail(x, 400, "bad_request", "`requestor` is \"assistant\" or \"user\"");
        return false;
    }
    return true;
}

static void call(mock_exchange *x, mock_session *s)
{
    static const char *const members[] = {"name", "arguments", "requestor", NULL};
    static const lg_json nothing = {.type = LG_JSON_OBJECT, .offset = LG_JSON_NO_OFFSET};
    const lg_json *body = mock_object(x, members);
    const lg_json *name = lg_json_get(body, LG_STR("name"));
    lg_sim_call *wanted = LG_NEW(x->arena, lg_sim_call);
    if (!body) {
        return;
    }
    if (!wanted) {
        mock_fail_oom(x);
        return;
    }
    if (!lg_json_is(name, LG_JSON_STRING)) {
        mock_fail(x, 400, "bad_request", "say which tool to call: `name` is its name");
        return;
    }
    wanted->tool = lg_json_str(name);
    wanted->args = lg_json_get(body, LG_STR("arguments"));
    wanted->args = wanted->args ? wanted->args : &nothing;
    if (read_requestor(x, body, &wanted->by_user) && mock_sessions_has_room(x, false) &&
        !mock_fault_strikes(x)) {
        x->session = s;
        x->task = wanted;
        x->at_once = mock_is_quick(x, s, wanted);
        x->work = do_call;
    }
}

// --- Looking ------------------------------------------------------------------------------------

static void state(mock_exchange *x, mock_session *s)
{
    const lg_json *value = NULL;
    lg_error err = {0};
    char hash[65];
    lg_str as = mock_query(x, "as");
    bool view = lg_str_eq(as, LG_STR("view"));
    if (lg_str_eq(as, LG_STR("hash"))) {
        if (lg_sim_state_hash(s->sim, hash, &err) != LG_OK) {
            mock_fail_with(x, &err);
            return;
        }
        lg_json_writer w = mock_begin(x, 200);
        lg_jw_begin_object(&w);
        lg_jw_member_c(&w, "hash", hash);
        lg_jw_end_object(&w);
        return;
    }
    if (as.ptr && !view && !lg_str_eq(as, LG_STR("file"))) {
        mock_fail(x, 400, "bad_request", "`as` is file, view or hash");
        return;
    }
    if (lg_sim_state(s->sim, x->arena, view, &value, &err) != LG_OK) {
        mock_fail_with(x, &err);
        return;
    }
    lg_json_writer w = mock_begin(x, 200);
    lg_jw_json(&w, value);
}

static void write_past(lg_json_writer *w, const lg_sim_past *past)
{
    lg_jw_begin_object(w);
    lg_jw_member_uint(w, "number", past->number);
    lg_jw_member_str(w, "name", past->tool);
    lg_jw_member_json(w, "arguments", past->args);
    lg_jw_member_c(w, "requestor", past->by_user ? "user" : "assistant");
    lg_jw_member_json(w, "result", past->result);
    lg_jw_member_str_or_null(w, "error", past->error);
    lg_jw_member_c(w, "source", lg_sim_source_name(past->source));
    lg_jw_member_c(w, "end", lg_sim_end_name(past->end));
    mock_write_violations(w, past->violations, past->violation_count);
    lg_jw_member_str_or_null(w, "note", past->note);
    lg_jw_end_object(w);
}

// From a number on, and no more at a time than an answer may have: `next` says where to go on.
static void history(mock_exchange *x, mock_session *s)
{
    uint64_t from = 0;
    lg_str text = mock_query(x, "from");
    if (text.ptr && !mock_read_number(text, &from)) {
        mock_fail(x, 400, "bad_request", "`from` is the number of a call");
        return;
    }
    size_t count = lg_sim_history_count(s->sim);
    uint64_t dropped = lg_sim_history_dropped(s->sim);
    size_t i = from > dropped + 1 ? (size_t)(from - dropped - 1) : 0;
    lg_json_writer w = mock_begin(x, 200);
    lg_jw_begin_object(&w);
    lg_jw_member_uint(&w, "dropped", dropped);
    lg_jw_key(&w, "calls");
    lg_jw_begin_array(&w);
    for (; i < count && x->out->len < x->mock->limits.answer_bytes; i++) {
        lg_sim_past past = lg_sim_history_at(s->sim, i);
        write_past(&w, &past);
    }
    lg_jw_end_array(&w);
    lg_jw_key(&w, "next");
    if (i < count) {
        lg_jw_uint(&w, dropped + i + 1);
    } else {
        lg_jw_null(&w);
    }
    lg_jw_end_object(&w);
}

static bool compare(mock_exchange *x, mock_session *s, lg_world_differences *found)
{
    uint64_t number = 0, end = 0;
    lg_error err = {0};
    lg_str of = mock_query(x, "call");
    lg_str from = mock_query(x, "from");
    lg_str to = mock_query(x, "to");
    if (of.ptr && (from.ptr || to.ptr)) {
        mock_fail(x, 400, "bad_request", "give `call`, or `from` and `to`");
        return false;
    }
    lg_str text = of.ptr ? of : from;
    if ((text.ptr && !mock_read_number(text, &number)) || (to.ptr && !mock_read_number(to, &end))) {
        mock_fail(x, 400, "bad_request",
                  "`from` and `to` are numbers of snapshots, `call` is that of a call");
        return false;
    }
    lg_status status = of.ptr   ? lg_sim_diff_of_call(s->sim, number, found, &err)
                       : to.ptr ? lg_sim_diff_of_snapshots(s->sim, number, end, found, &err)
                                : lg_sim_diff(s->sim, number, found, &err);
    if (status == LG_ERR_USAGE) {
        mock_fail(x, 404, of.ptr ? "unknown_call" : "unknown_snapshot", "%s", err.msg);
    } else if (status != LG_OK) {
        mock_fail_with(x, &err);
    } else if (found->oom) {
        mock_fail_oom(x);
        return false;
    }
    return status == LG_OK;
}

static void diff(mock_exchange *x, mock_session *s)
{
    lg_world_differences found = {.arena = x->arena, .limit = DIFFERENCES_MAX};
    if (!compare(x, s, &found)) {
        return;
    }
    lg_json_writer w = mock_begin(x, 200);
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "differences");
    lg_jw_begin_array(&w);
    for (size_t i = 0; i < found.count; i++) {
        lg_jw_begin_object(&w);
        lg_jw_member_str(&w, "path", found.items[i].path);
        lg_jw_member_json(&w, "before", found.items[i].before);
        lg_jw_member_json(&w, "after", found.items[i].after);
        lg_jw_end_object(&w);
    }
    lg_jw_end_array(&w);
    lg_jw_member_uint(&w, "total", found.total);
    lg_jw_end_object(&w);
}

// --- Going back ---------------------------------------------------------------------------------

static const char *const no_members[] = {NULL};

// False after answering: what was done for real cannot be undone, and a session that says so would lie.
static bool may_go_back(mock_exchange *x)
{
    if (x->mock->options.passes_on) {
        mock_fail(x, 409, "real", "the real tools cannot be put back");
    }
    return !x->mock->options.passes_on;
}

static void snapshot(mock_exchange *x, mock_session *s)
{
    uint64_t number = 0;
    lg_error err = {0};
    if (!may_go_back(x) || !mock_object(x, no_members)) {
        return;
    }
    if (lg_sim_snapshot(s->sim, &number, &err) != LG_OK) {
        mock_fail_with(x, &err);
        return;
    }
    mock_sessions_weigh(x->mock, s);
    lg_json_writer w = mock_begin(x, 201);
    lg_jw_begin_object(&w);
    lg_jw_member_uint(&w, "snapshot", number);
    lg_jw_end_object(&w);
}

static void answer_where(mock_exchange *x, mock_session *s)
{
    mock_sessions_weigh(x->mock, s);
    lg_json_writer w = mock_begin(x, 200);
    write_known(&w, s);
}

static void restore(mock_exchange *x, mock_session *s)
{
    static const char *const members[] = {"snapshot", NULL};
    int64_t number = -1;
    lg_error err = {0};
    const lg_json *body = may_go_back(x) ? mock_object(x, members) : NULL;
    if (!body) {
        return;
    }
    if (!lg_json_int(lg_json_get(body, LG_STR("snapshot")), &number) || number < 0) {
        mock_fail(x, 400, "bad_request", "`snapshot` is the number of one, or 0 for the beginning");
        return;
    }
    lg_status status = lg_sim_restore(s->sim, (uint64_t)number, &err);
    if (status == LG_ERR_USAGE) {
        mock_fail(x, 404, "unknown_snapshot", "%s", err.msg);
    } else if (status != LG_OK) {
        mock_fail_with(x, &err);
    } else {
        answer_where(x, s);
    }
}

static void fork_session(mock_exchange *x, mock_session *s)
{
    lg_sim_session *sim = NULL;
    lg_error err = {0};
    if (!may_go_back(x) || !mock_object(x, no_members) || !mock_sessions_has_room(x, true)) {
        return;
    }
    if (lg_sim_fork(s->sim, &sim, &err) != LG_OK) {
        mock_fail_with(x, &err);
        return;
    }
    const mock_session *forked = mock_sessions_add(x, sim, s->family);
    if (forked) {
        write_session(x, forked);
    }
}

static void reset(mock_exchange *x, mock_session *s)
{
    lg_error err = {0};
    if (!may_go_back(x) || !mock_object(x, no_members)) {
        return;
    }
    if (lg_sim_reset(s->sim, &err) != LG_OK) {
        mock_fail_with(x, &err);
    } else {
        answer_where(x, s);
    }
}

// --- Which ----------------------------------------------------------------------------------------

typedef struct action {
    const char *name, *methods;
    void (*act)(mock_exchange *x, mock_session *s);
} action;

static const action actions[] = {
    {"calls", "POST", call},           {"state", "GET, HEAD", state},
    {"snapshots", "POST", snapshot},   {"restore", "POST", restore},
    {"fork", "POST", fork_session},    {"reset", "POST", reset},
    {"history", "GET, HEAD", history}, {"diff", "GET, HEAD", diff},
    {"judge", "POST", mock_judge},
};

static void all_sessions(mock_exchange *x)
{
    if (!mock_takes(x, "GET, HEAD, POST")) {
        return;
    }
    if (mock_is(x, "POST")) {
        begin_session(x);
    } else {
        list_sessions(x);
    }
}

void mock_plain(mock_exchange *x)
{
    if (x->segment_count == 1) {
        all_sessions(x);
        return;
    }
    if (x->segment_count == 2) {
        one_session(x);
        return;
    }
    for (size_t i = 0; x->segment_count == 3 && i < LG_COUNT(actions); i++) {
        if (lg_str_eq(x->segments[2], lg_str_c(actions[i].name))) {
            mock_session *s =
                mock_takes(x, actions[i].methods) ? mock_sessions_take(x, x->segments[1]) : NULL;
            if (s) {
                actions[i].act(x, s);
            }
            return;
        }
    }
    mock_fail(
        x, 404, "unknown_path",
        "a session has calls, state, snapshots, restore, fork, reset, history, diff and judge");
}
