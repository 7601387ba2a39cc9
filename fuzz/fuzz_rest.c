// fuzz_rest.c: any bytes as requests to a small document.
//
// The first line is "METHOD target", header lines follow, then an empty line and the body. Properties: a request is a call or a
// problem with words; of a call, the answer, the preferred response and the refusal have a final status and, where they say so, JSON;
// what was read and can be written is read back equal.
#include "base/utf8.h"
#include "rest/rest.h"

#include <stdlib.h>

#define FIELDS 32u

static void expect(bool condition)
{
    if (!condition) {
        abort();
    }
}

static const char document[] =
    "{\"openapi\":\"3.1.0\",\"servers\":[{\"url\":\"/v1\"}],\"paths\":{"
    "\"/a/"
    "{x}.{y}\":{\"get\":{\"parameters\":[{\"name\":\"x\",\"in\":\"path\",\"schema\":{}},{\"name\":"
    "\"y\","
    "\"in\":\"path\",\"schema\":{\"type\":\"integer\"}}]}},"
    "\"/s/"
    "{v}\":{\"get\":{\"parameters\":[{\"name\":\"v\",\"in\":\"path\",\"style\":\"matrix\","
    "\"explode\":true,"
    "\"schema\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}]}},"
    "\"/"
    "q\":{\"get\":{\"parameters\":[{\"name\":\"d\",\"in\":\"query\",\"style\":\"deepObject\","
    "\"schema\":{\"type\":"
    "\"object\"}},{\"name\":\"p\",\"in\":\"query\",\"style\":\"pipeDelimited\",\"schema\":{"
    "\"type\":\"array\",\"items\":{"
    "\"type\":\"number\"}}},{\"name\":\"h\",\"in\":\"header\",\"schema\":{\"type\":\"boolean\"}},{"
    "\"name\":\"c\",\"in\":"
    "\"cookie\",\"schema\":{\"type\":\"string\"}}],\"responses\":{\"200\":{\"description\":\"\","
    "\"content\":{"
    "\"application/json\":{\"examples\":{\"one\":{\"value\":1}}}}}}}},"
    "\"/j\":{\"post\":{\"requestBody\":{\"content\":{\"application/"
    "json\":{\"schema\":{\"type\":\"object\",\"properties\":"
    "{\"a\":{\"type\":\"integer\"}},\"additionalProperties\":false}},\"multipart/form-data\":{},"
    "\"application/"
    "x-www-form-urlencoded\":{}}},\"responses\":{\"422\":{\"description\":\"\",\"content\":{"
    "\"application/"
    "json\":{\"schema\":{\"type\":\"object\",\"required\":[\"message\"],\"properties\":{"
    "\"message\":{"
    "\"type\":\"string\"}}}}}}}}}}}";

static lg_str line_of(lg_str *rest)
{
    size_t end = lg_str_line_end(*rest, 0);
    lg_str line = lg_str_slice(*rest, 0, end);
    *rest = lg_str_slice(*rest, end + 1, rest->len);
    return line;
}

static void read_text(lg_str text, lg_rest_request *ret, lg_rest_field *fields)
{
    lg_str line = line_of(&text);
    size_t blank = lg_str_find(line, LG_STR(" "));
    lg_str target = lg_str_slice(line, blank == SIZE_MAX ? line.len : blank + 1, line.len);
    size_t mark = lg_str_find(target, LG_STR("?"));
    *ret = (lg_rest_request){
        .method = lg_str_slice(line, 0, blank),
        .path = lg_str_slice(target, 0, mark),
        .query = lg_str_slice(target, mark == SIZE_MAX ? target.len : mark + 1, target.len),
        .headers = fields};
    while (text.len && ret->header_count < FIELDS) {
        line = line_of(&text);
        size_t colon = lg_str_find(line, LG_STR(":"));
        if (line.len == 0) {
            break;
        }
        fields[ret->header_count++] = (lg_rest_field){
            lg_str_slice(line, 0, colon),
            lg_str_trim(lg_str_slice(line, colon == SIZE_MAX ? line.len : colon + 1, line.len))};
    }
    ret->body = text;
}

static void check_response(const lg_rest_response *response)
{
    expect(response->status >= 200 && response->status <= 599);
    for (size_t i = 0; i < response->header_count; i++) {
        lg_str value = response->headers[i].value;
        expect(!value.len ||
               (!memchr(value.ptr, '\r', value.len) && !memchr(value.ptr, '\n', value.len)));
    }
}

static void check_back(const lg_rest *rest, lg_arena *arena, const lg_rest_call *call)
{
    lg_rest_sending sending;
    lg_rest_call again;
    lg_rest_problem problem;
    lg_error err = {0};
    if (lg_rest_write(call->operation, arena, LG_STR("http://h"), call->args, &sending, &err) !=
        LG_OK) {
        expect(err.msg[0] != '\0');
        return;
    }
    lg_str target = lg_str_slice(sending.url, 8, sending.url.len);
    size_t mark = lg_str_find(target, LG_STR("?"));
    lg_rest_request request = {
        .method = sending.method,
        .path = lg_str_slice(target, 0, mark),
        .query = lg_str_slice(target, mark == SIZE_MAX ? target.len : mark + 1, target.len),
        .headers = sending.headers,
        .header_count = sending.header_count,
        .body = sending.body};
    expect(lg_rest_read(rest, arena, &request, &again, &problem) == LG_OK);
    expect(problem.status == 0 ? again.operation == call->operation : problem.detail.len > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    const lg_catalogue *catalogue = NULL;
    const lg_rest *rest = NULL;
    lg_str text = {document, sizeof(document) - 1};
    expect(lg_catalogue_read(&arena, text, NULL, &catalogue, NULL) == LG_OK);
    expect(lg_rest_new(&arena, catalogue, NULL, &rest, NULL) == LG_OK);
    lg_rest_field fields[FIELDS];
    lg_rest_request request;
    lg_rest_call call;
    lg_rest_problem problem;
    lg_rest_response response;
    read_text(lg_str_of((const char *)data, size), &request, fields);
    expect(lg_rest_read(rest, &arena, &request, &call, &problem) == LG_OK);
    expect(!problem.status == (call.args != NULL) && (!problem.status || problem.detail.len));
    expect(lg_utf8_valid_prefix(problem.detail) == problem.detail.len);
    if (problem.status) {
        expect(lg_rest_refuse(rest, &arena, &call, &problem, &response) == LG_OK);
        check_response(&response);
    } else {
        lg_rest_answer done = {.kind = LG_REST_DONE, .value = call.args};
        expect(lg_rest_respond(rest, &arena, &call, &done, &response) == LG_OK);
        check_response(&response);
        expect(lg_rest_prefer(rest, &arena, &call, 1, &response) == LG_OK);
        check_response(&response);
        check_back(rest, &arena, &call);
    }
    lg_arena_done(&arena);
    return 0;
}
