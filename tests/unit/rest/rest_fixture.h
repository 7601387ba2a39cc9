// rest_fixture.h: a small document, requests as text, and what becomes of them.
//
// A request is "METHOD target", then header lines, then an empty line and the body.
#ifndef LG_REST_FIXTURE_H
#define LG_REST_FIXTURE_H

#include "lg_test.h"

#include "base/str.h"
#include "rest/rest.h"

typedef struct fixture {
    lg_arena arena;
    const lg_catalogue *catalogue;
    const lg_rest *rest;
} fixture;

// A text of JSON in which ' stands for ": documents are easier to read so.
static inline lg_str fixture_json(lg_arena *arena, const char *text)
{
    size_t len = strlen(text);
    char *out = lg_arena_alloc(arena, len + 1, 1);
    for (size_t i = 0; out && i < len; i++) {
        out[i] = text[i];
        if (text[i] == '\'') {
            out[i] = '"';
        }
    }
    return lg_str_of(out ? out : "", out ? len : 0);
}

// `paths` is the text of the document's `paths`, `more` of other members, with their commas behind.
static inline bool fixture_open(fixture *f, const char *more, const char *paths,
                                const lg_rest_options *options)
{
    lg_error err = {0};
    lg_arena_init(&f->arena, 0);
    lg_str text = fixture_json(
        &f->arena, lg_arena_printf(&f->arena, "{'openapi':'3.1.0',%s'paths':%s}", more, paths).ptr);
    bool ok = lg_catalogue_read(&f->arena, text, NULL, &f->catalogue, &err) == LG_OK &&
              lg_rest_new(&f->arena, f->catalogue, options, &f->rest, &err) == LG_OK;
    if (!CHECK_MSG(ok, err.msg)) {
        lg_arena_done(&f->arena);
    }
    return ok;
}

static inline void fixture_request(const char *text, lg_rest_request *ret, lg_rest_field *fields,
                                   size_t room)
{
    lg_str rest = lg_str_c(text);
    size_t blank = lg_str_find(rest, LG_STR(" "));
    size_t end = lg_str_line_end(rest, 0);
    lg_str target = lg_str_slice(rest, blank + 1, end);
    size_t mark = lg_str_find(target, LG_STR("?"));
    *ret = (lg_rest_request){
        .method = lg_str_slice(rest, 0, blank),
        .path = lg_str_slice(target, 0, mark),
        .query = lg_str_slice(target, mark == SIZE_MAX ? target.len : mark + 1, target.len),
        .headers = fields,
        .body = LG_STR("")};
    for (size_t at = end + 1; at < rest.len;) {
        end = lg_str_line_end(rest, at);
        lg_str line = lg_str_slice(rest, at, end);
        size_t colon = lg_str_find(line, LG_STR(": "));
        at = end + 1;
        if (line.len == 0) {
            ret->body = lg_str_slice(rest, at, rest.len);
            return;
        }
        if (ret->header_count < room) {
            fields[ret->header_count++] = (lg_rest_field){lg_str_slice(line, 0, colon),
                                                          lg_str_slice(line, colon + 2, line.len)};
        }
    }
}

static inline void fixture_read(fixture *f, const char *text, lg_rest_call *call,
                                lg_rest_problem *problem)
{
    lg_rest_field *fields = LG_NEW_ARRAY(&f->arena, lg_rest_field, 16);
    lg_rest_request request;
    fixture_request(text, &request, fields, 16);
    CHECK(lg_rest_read(f->rest, &f->arena, &request, call, problem) == LG_OK);
}

// "tool {arguments}", or the status and the sentence of a problem.
static inline lg_str fixture_told(fixture *f, const char *text)
{
    lg_rest_call call;
    lg_rest_problem problem;
    fixture_read(f, text, &call, &problem);
    if (problem.status) {
        return lg_arena_printf(&f->arena, "%u %.*s", problem.status, LG_FMT(problem.detail));
    }
    lg_buf out;
    lg_buf_init(&out, 0);
    lg_json_print(&out, call.args);
    lg_str told =
        lg_arena_printf(&f->arena, "%.*s %.*s", LG_FMT(call.tool->name), LG_FMT(lg_buf_str(&out)));
    lg_buf_done(&out);
    return told;
}

static inline lg_str fixture_header(const lg_rest_response *response, const char *name)
{
    for (size_t i = 0; i < response->header_count; i++) {
        if (lg_str_eq(response->headers[i].name, lg_str_c(name))) {
            return response->headers[i].value;
        }
    }
    return LG_STR("");
}

#endif
