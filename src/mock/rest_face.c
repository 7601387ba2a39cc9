// rest_face.c: the operations of an OpenAPI document by their own paths, methods and statuses.
//
// How requests become calls and answers become responses is room `rest`; what is answered, room `simulate`.
#include "base/str.h"
#include "catalogue/arguments.h"
#include "mock/mock_internal.h"

typedef struct rest_task {
    lg_rest_call call;
    lg_rest_problem problem;
} rest_task;

lg_status mock_rest_open(lg_mock *mock, lg_error *reterr)
{
    const lg_catalogue *c = mock->options.catalogue;
    bool any = false;
    for (size_t i = 0; c && i < c->tool_count && !any; i++) {
        any = c->tools[i].method.len > 0;
    }
    return any ? lg_rest_new(&mock->arena, c, &mock->options.rest, &mock->rest, reterr) : LG_OK;
}

static size_t slashes(lg_str path)
{
    size_t count = 0;
    for (size_t i = 0; i < path.len; i++) {
        count += path.ptr[i] == '/';
    }
    return count;
}

// The path of the document that is most like this one: that has most in common with it at its ends. Empty: there is none.
lg_str mock_rest_nearest(const lg_mock *mock, lg_str path)
{
    const lg_catalogue *c = mock->options.catalogue;
    lg_str nearest = LG_STR("");
    size_t best = 4; // a slash is no likeness
    for (size_t i = 0; c && mock->rest && i < c->tool_count; i++) {
        lg_str known = c->tools[i].path;
        size_t most = known.len < path.len ? known.len : path.len;
        size_t from = 0, back = 0;
        while (from < most && lg_lower(known.ptr[from]) == lg_lower(path.ptr[from])) {
            from++;
        }
        while (back < most - from && lg_lower(known.ptr[known.len - 1 - back]) ==
                                         lg_lower(path.ptr[path.len - 1 - back])) {
            back++;
        }
        size_t likeness = from + back + (slashes(known) == slashes(path) ? 2u : 0u);
        if (likeness > best) {
            best = likeness;
            nearest = known;
        }
    }
    return nearest;
}

// --- Responses ----------------------------------------------------------------------------------

static void put(mock_exchange *x, const lg_rest_response *response)
{
    (void)mock_begin(x, response->status);
    x->header_count = 0;
    for (size_t i = 0; i < response->header_count; i++) {
        mock_header(x, response->headers[i].name, response->headers[i].value);
    }
    lg_buf_add(x->out, response->body);
}

static lg_rest_kind kind_of(lg_sim_end end)
{
    switch (end) {
    case LG_SIM_DONE:
        return LG_REST_DONE;
    case LG_SIM_ABSENT:
    case LG_SIM_UNKNOWN_TOOL:
        return LG_REST_ABSENT;
    case LG_SIM_FAILED:
        return LG_REST_REFUSED;
    case LG_SIM_CONFLICT:
        return LG_REST_CONFLICT;
    case LG_SIM_BAD_ARGUMENTS:
        return LG_REST_INVALID;
    case LG_SIM_FAULT:
        break;
    }
    return LG_REST_FAILED;
}

static bool add_violations(mock_exchange *x, const lg_sim_answer *from, lg_rest_answer *to)
{
    lg_rest_violation *items = LG_NEW_ARRAY(x->arena, lg_rest_violation, from->violation_count + 1);
    for (size_t i = 0; items && i < from->violation_count; i++) {
        items[i] = (lg_rest_violation){from->violations[i].path, from->violations[i].message};
    }
    to->violations = items;
    to->violation_count = from->violation_count;
    return items != NULL;
}

static void do_rest(mock_exchange *x, mock_worker *worker)
{
    const rest_task *t = x->task;
    lg_rest_response response;
    lg_sim_answer answer;
    lg_sim_call call = {.tool = t->call.tool->name, .args = t->call.args};
    if (!mock_call(x, worker, &call, &answer)) {
        return;
    }
    bool printed = answer.result && answer.source != LG_SIM_SOURCE_REAL &&
                   !lg_sim_is_error(&answer) &&
                   !lg_json_is(answer.result, LG_JSON_STRING); // else the text is not the JSON
    lg_rest_answer said = {.kind = kind_of(answer.end),
                           .printed = printed ? answer.text : LG_STR(""),
                           .value = answer.result,
                           .status = answer.status,
                           .message = answer.error,
                           .seed = lg_sim_seed(x->session->sim)};
    if ((lg_sim_is_error(&answer) && !add_violations(x, &answer, &said)) ||
        lg_rest_respond(x->mock->rest, x->arena, &t->call, &said, &response) != LG_OK) {
        mock_fail_oom(x);
        return;
    }
    put(x, &response);
    mock_tell(x, &answer);
}

// --- Requests -----------------------------------------------------------------------------------

static bool read_request(mock_exchange *x, rest_task *t)
{
    const lg_mock_request *r = &x->request;
    lg_rest_field *fields = LG_NEW_ARRAY(x->arena, lg_rest_field, r->headers.count + 1);
    for (size_t i = 0; fields && i < r->headers.count; i++) {
        fields[i] = (lg_rest_field){r->headers.items[i].name, r->headers.items[i].value};
    }
    lg_rest_request request = {.method = r->method,
                               .path = r->path,
                               .query = r->query.ptr ? r->query : LG_STR(""),
                               .headers = fields,
                               .header_count = r->headers.count,
                               .body = r->body};
    return fields &&
           lg_rest_read(x->mock->rest, x->arena, &request, &t->call, &t->problem) == LG_OK;
}

// What the client would rather see is no call: nothing is carried out, but the arguments must fit.
static lg_status prefer(mock_exchange *x, const rest_task *t, lg_rest_response *ret)
{
    const lg_rest *rest = x->mock->rest;
    lg_argument_check check;
    lg_status status = lg_tool_check_arguments(x->arena, t->call.tool->arguments, t->call.args,
                                               LG_STR(""), &check);
    if (status != LG_OK || check.valid) {
        return status == LG_OK
                   ? lg_rest_prefer(rest, x->arena, &t->call, x->mock->options.seed, ret)
                   : status;
    }
    lg_rest_violation *items = LG_NEW_ARRAY(x->arena, lg_rest_violation, check.count + 1);
    for (size_t i = 0; items && i < check.count; i++) {
        items[i] = (lg_rest_violation){lg_str_c(check.errors[i].instance_pointer),
                                       lg_str_c(check.errors[i].msg)};
    }
    lg_rest_answer invalid = {.kind = LG_REST_INVALID,
                              .message = check.message,
                              .violations = items,
                              .violation_count = items ? check.count : 0};
    return lg_rest_respond(rest, x->arena, &t->call, &invalid, ret);
}

// What needs no session: a problem, or what the client would rather see.
static void answer_at_once(mock_exchange *x, const rest_task *t)
{
    lg_rest_response response;
    lg_status status = t->problem.status ? lg_rest_refuse(x->mock->rest, x->arena, &t->call,
                                                          &t->problem, &response)
                                         : prefer(x, t, &response);
    if (status == LG_OK) {
        put(x, &response);
    } else {
        mock_fail_oom(x);
    }
}

bool mock_rest(mock_exchange *x)
{
    rest_task *t = LG_NEW(x->arena, rest_task);
    if (!t || !read_request(x, t)) {
        mock_fail_oom(x);
        return true;
    }
    if (!t->call.operation && t->problem.status == 404) {
        return false;
    }
    const lg_rest_preference *wish = &t->call.prefer;
    bool wished = wish->code || wish->example.len || wish->has_dynamic;
    x->has_own_codes = true;
    bool at_once = t->problem.status || wished;
    mock_session *s = at_once ? NULL : mock_sessions_of(x);
    if ((!at_once && (!s || !mock_sessions_has_room(x, false))) || mock_fault_strikes(x)) {
        return true;
    }
    if (at_once) {
        answer_at_once(x, t);
        return true;
    }
    x->session = s;
    x->task = t;
    x->at_once = mock_is_quick(x, s, &(lg_sim_call){.tool = t->call.tool->name});
    x->work = do_rest;
    return true;
}

bool mock_rest_describe(mock_exchange *x)
{
    if (!x->mock->rest) {
        return false;
    }
    (void)mock_begin(x, 200);
    if (!lg_rest_document(x->mock->rest, x->out)) {
        mock_fail(x, 404, "unknown_path", "there is no document of all tools");
    }
    return true;
}
