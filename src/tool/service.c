// service.c: the operations of an OpenAPI document as an executor: real requests to a real server.
#include "tool/tool_internal.h"

#include "rest/rest.h"

typedef struct service {
    lg_executor base;
    const lg_rest *rest;
    lg_str url;
} service;

static lg_status list(lg_executor *executor, lg_arena *arena, lg_mcp_tools *tools, lg_error *reterr)
{
    const service *s = (service *)executor;
    lg_status status = LG_OK;
    for (size_t i = 0; i < lg_rest_count(s->rest) && status == LG_OK; i++) {
        const lg_catalogue_tool *from = lg_rest_tool(lg_rest_at(s->rest, i));
        lg_mcp_tool tool = {.name = from->name,
                            .description = from->description,
                            .input = from->parameters,
                            .output = from->result};
        status = lg_executor_add_tool(arena, &tool, tools, reterr);
    }
    return status;
}

static lg_status make_headers(const service *s, const lg_rest_sending *sending, lg_arena *arena,
                              lg_http_headers *ret)
{
    const lg_executor_options *o = &s->base.options;
    lg_http_header *all =
        LG_NEW_ARRAY(arena, lg_http_header, sending->header_count + o->header_count + 1);
    size_t count = 0;
    if (!all) {
        return LG_ERR_OOM;
    }
    for (size_t i = 0; i < sending->header_count; i++) {
        all[count++] = (lg_http_header){sending->headers[i].name, sending->headers[i].value};
    }
    for (size_t i = 0; i < o->header_count; i++) {
        all[count++] = o->headers[i];
    }
    if (!lg_http_header_value((lg_http_headers){all, count}, LG_STR("accept")).ptr) {
        all[count++] = (lg_http_header){LG_STR("Accept"), LG_STR("application/json, */*;q=0.5")};
    }
    *ret = (lg_http_headers){all, count};
    return LG_OK;
}

// A body that says that it is JSON and is not is a text all the same: the call was carried out.
static lg_status take_body(const lg_rest_operation *operation, const lg_wire_answer *wire,
                           lg_arena *arena, lg_executor_answer *ret)
{
    lg_rest_field *fields = LG_NEW_ARRAY(arena, lg_rest_field, wire->headers.count);
    lg_json *text = LG_NEW(arena, lg_json);
    if ((!fields && wire->headers.count) || !text) {
        return LG_ERR_OOM;
    }
    for (size_t i = 0; i < wire->headers.count; i++) {
        lg_http_header header = wire->headers.items[i];
        fields[i] = (lg_rest_field){header.name, header.value};
    }
    *ret = (lg_executor_answer){.outcome = LG_EXECUTOR_DONE,
                                .is_error = wire->status >= 300,
                                .status = wire->status,
                                .text = wire->body,
                                .why = LG_STR("")};
    bool is_error = false;
    lg_status status = lg_rest_result(operation, arena, wire->status, fields, wire->headers.count,
                                      wire->body, &ret->value, &is_error, NULL);
    ret->is_error = ret->is_error || is_error;
    if (status != LG_OK && status != LG_ERR_OOM) {
        *text = lg_json_make_str(wire->body);
        ret->value = text;
        status = LG_OK;
    }
    return status;
}

static lg_status take_answer(const lg_rest_operation *operation, const lg_wire_answer *wire,
                             lg_arena *arena, lg_executor_answer *ret)
{
    if (wire->kind == LG_END_OK && wire->status / 100 == 3 && wire->status != 304) {
        return lg_executor_end(arena, LG_EXECUTOR_UNKNOWN, ret,
                               "the service answered %u, which leads elsewhere; it is not followed",
                               wire->status);
    }
    if (wire->kind == LG_END_OK) {
        return take_body(operation, wire, arena, ret);
    }
    lg_str why = lg_str_cut(wire->why, 200);
    return lg_executor_end(arena, wire->sent ? LG_EXECUTOR_UNKNOWN : LG_EXECUTOR_FAILED, ret,
                           "%.*s", LG_FMT(why));
}

static lg_status run(lg_executor *executor, const lg_executor_call *call, lg_arena *arena,
                     lg_executor_answer *ret, lg_error *reterr)
{
    const service *s = (service *)executor;
    const lg_rest_operation *operation = lg_rest_named(s->rest, call->tool);
    lg_rest_sending sending;
    lg_wire_answer wire;
    lg_wire on = {0};
    lg_error error = {0};
    lg_wire_request request = {0};
    if (!operation) {
        return lg_executor_end(arena, LG_EXECUTOR_FAILED, ret,
                               "the document has no such operation");
    }
    lg_status status = lg_rest_write(
        operation, arena, s->url, call->args ? call->args : &lg_json_no_members, &sending, &error);
    if (status == LG_OK) {
        status = make_headers(s, &sending, arena, &request.request.headers);
    }
    if (status == LG_OK) {
        request.request.method = sending.method;
        request.request.url = sending.url;
        request.request.body = sending.body;
        request.request.connect_ms = executor->options.connect_ms;
        request.request.first_byte_ms = executor->options.call_ms;
        request.request.idle_ms = executor->options.call_ms;
        request.request.total_ms = executor->options.call_ms;
        status = lg_wire_send(&on, executor, &request, arena, &wire, &error);
    }
    if (status == LG_OK) {
        status = take_answer(operation, &wire, arena, ret);
    } else if (status != LG_ERR_OOM) {
        status = lg_executor_end(arena, LG_EXECUTOR_FAILED, ret, "%s", error.msg);
    }
    return status == LG_OK ? status : lg_fail_oom(reterr);
}

static void free_service(lg_executor *executor)
{
    (void)executor;
}

lg_status lg_executor_service(lg_str base, const lg_executor_options *options, lg_executor **ret,
                              lg_error *reterr)
{
    static const lg_executor_kind kind = {list, run, free_service, NULL};
    if (!options || !options->catalogue) {
        return lg_fail(reterr, LG_ERR_USAGE, "openapi:URL needs an OpenAPI document");
    }
    service *s = lg_executor_make(&kind, sizeof(*s), options);
    if (!s) {
        return lg_fail_oom(reterr);
    }
    s->url = lg_arena_str(&s->base.arena, base);
    lg_status status = s->url.ptr ? LG_OK : lg_fail_oom(reterr);
    if (status == LG_OK) {
        status = lg_rest_new(&s->base.arena, options->catalogue, NULL, &s->rest, reterr);
    }
    if (status == LG_OK && lg_rest_count(s->rest) == 0) {
        status = lg_fail(reterr, LG_ERR_USAGE, "openapi:URL needs a document that has operations");
    }
    if (status != LG_OK) {
        lg_executor_free(&s->base);
        return status;
    }
    *ret = &s->base;
    return LG_OK;
}
