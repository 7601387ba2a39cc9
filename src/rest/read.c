// read.c: a request as the call of a tool.
//
// In the order in which a server would refuse it: the path, the method, the credentials, what is preferred and accepted, the
// parameters, the body. Whether the arguments fit their schema is not asked here.
#include "base/utf8.h"
#include "rest/rest_internal.h"

#include <stdarg.h>

// --- Problems -----------------------------------------------------------------------------------

LG_PRINTF(3, 0)
static bool note(rest_reading *r, uint32_t status, const char *format, va_list args)
{
    char room[600];
    if (r->problem->status) {
        return false;
    }
    lg_str said = lg_str_vprint(room, sizeof(room), format, args);
    // Methods and media types are quoted as they came.
    for (size_t at; (at = lg_utf8_valid_prefix(said)) < said.len;) {
        room[at] = '?';
    }
    lg_str text = lg_arena_str(r->arena, said);
    r->oom = r->oom || !text.ptr;
    r->problem->status = status;
    r->problem->detail = text.ptr ? text : LG_STR("");
    return false;
}

bool lg_rest_trouble(rest_reading *r, uint32_t status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    note(r, status, format, args);
    va_end(args);
    return false;
}

bool lg_rest_invalid(rest_reading *r, lg_str pointer, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    note(r, 422, format, args);
    va_end(args);
    lg_rest_violation *violation = LG_NEW(r->arena, lg_rest_violation);
    r->oom = r->oom || !violation;
    if (violation) {
        *violation = (lg_rest_violation){.pointer = pointer, .message = r->problem->detail};
        r->problem->violations = violation;
        r->problem->violation_count = 1;
    }
    return false;
}

// --- Texts --------------------------------------------------------------------------------------

lg_str lg_rest_header(const lg_rest_request *request, lg_str name)
{
    for (size_t i = 0; i < request->header_count; i++) {
        if (lg_str_eq_any_case(request->headers[i].name, name)) {
            return request->headers[i].value;
        }
    }
    return (lg_str){0};
}

// All headers of a name, joined by ", ".
static lg_str joined_headers(lg_arena *arena, const lg_rest_request *request, lg_str name,
                             bool *oom)
{
    lg_str all = {0};
    for (size_t i = 0; i < request->header_count; i++) {
        const lg_rest_field *header = &request->headers[i];
        if (lg_str_eq_any_case(header->name, name)) {
            all = all.ptr ? lg_arena_printf(arena, "%.*s, %.*s", LG_FMT(all), LG_FMT(header->value))
                          : header->value;
            *oom = *oom || (all.len == 0 && !all.ptr);
        }
    }
    return all;
}

bool lg_rest_read_text(rest_reading *r, lg_str raw, rest_decoding how, lg_str *ret)
{
    if (lg_rest_decode(r->arena, raw, how, ret, &r->oom)) {
        return true;
    }
    return lg_rest_trouble(
        r, 400, "`%.*s` is not well escaped, or no UTF-8",
        LG_FMT(lg_str_cut(lg_utf8_valid_prefix(raw) == raw.len ? raw : LG_STR("..."), 80)));
}

static size_t count_pairs(lg_str text, char separator)
{
    size_t count = 1;
    for (size_t i = 0; i < text.len; i++) {
        count += text.ptr[i] == separator;
    }
    return count;
}

bool lg_rest_read_pairs(rest_reading *r, lg_str text, char separator, rest_decoding how,
                        rest_pair **ret, size_t *ret_count)
{
    size_t room = text.len ? count_pairs(text, separator) : 0;
    if (room > LG_REST_FIELDS_MAX) {
        return lg_rest_trouble(r, 400, "there are more than %u pairs", LG_REST_FIELDS_MAX);
    }
    rest_pair *pairs = room ? LG_NEW_ARRAY(r->arena, rest_pair, room) : NULL;
    size_t count = 0;
    for (size_t at = 0; pairs && at < text.len;) {
        const char *found = memchr(text.ptr + at, separator, text.len - at);
        size_t end = found ? (size_t)(found - text.ptr) : text.len;
        lg_str pair = lg_str_slice(text, at, end);
        pair = separator == ';' ? lg_str_trim(pair) : pair;
        size_t equals = lg_str_find(pair, LG_STR("="));
        lg_str name = lg_str_slice(pair, 0, equals);
        at = end + 1;
        if (pair.len == 0) {
            continue;
        }
        pairs[count].raw =
            equals == SIZE_MAX ? LG_STR("") : lg_str_slice(pair, equals + 1, pair.len);
        if (!lg_rest_read_text(r, name, how, &pairs[count].name)) {
            return false;
        }
        count++;
    }
    r->oom = r->oom || (room && !pairs);
    *ret = pairs;
    *ret_count = count;
    return !r->oom;
}

// --- Parts of a request -------------------------------------------------------------------------

static bool read_route(rest_reading *r, lg_str method, lg_str path, lg_str query, rest_route *route)
{
    const lg_rest *rest = r->rest;
    lg_arena *arena = r->arena;
    lg_str plain;
    if (path.len == 0 || path.ptr[0] != '/' ||
        !lg_rest_decode(arena, path, REST_ESCAPED, &plain, &r->oom)) {
        return lg_rest_trouble(r, 400, "the path is not well escaped, or no UTF-8");
    }
    lg_rest_route(rest, arena, method, path, query, route);
    r->call->is_head = lg_str_eq(method, LG_STR("HEAD"));
    if (!route->operation && route->allow.ptr) {
        r->problem->allow = route->allow;
        return lg_rest_trouble(r, 405, "the path is there, but not with the method %.*s",
                               LG_FMT(lg_str_cut(method, 40)));
    }
    if (!route->operation) {
        return lg_rest_trouble(r, 404, "the document has no path like `%.*s`",
                               LG_FMT(lg_str_cut(path, 200)));
    }
    r->operation = route->operation;
    r->call->operation = route->operation;
    r->call->tool = route->operation->tool;
    return true;
}

static bool read_path(rest_reading *r, const rest_route *route)
{
    bool ok = true;
    for (size_t i = 0; ok && i < r->operation->brace_count; i++) {
        size_t at = r->operation->braces[i];
        if (at != SIZE_MAX) {
            ok = lg_rest_read_raw(r, &r->operation->parameters[at], route->values[i], REST_ESCAPED,
                                  &r->values[at], &r->has[at]);
        }
    }
    for (size_t i = 0; ok && i < r->operation->fixed_count; i++) {
        size_t at = r->operation->fixed[i].argument;
        for (size_t j = 0; ok && at != SIZE_MAX && !r->has[at] && j < r->query_count; j++) {
            if (lg_str_eq(r->query[j].name, r->operation->fixed[i].key)) {
                ok = lg_rest_read_raw(r, &r->operation->parameters[at], r->query[j].raw, REST_FORM,
                                      &r->values[at], &r->has[at]);
            }
        }
    }
    return ok;
}

static bool read_header(rest_reading *r, const rest_parameter *p, lg_json *ret, bool *ret_has)
{
    lg_str raw = joined_headers(r->arena, r->request, p->argument->key, &r->oom);
    return !raw.ptr || lg_rest_read_raw(r, p, lg_str_trim(raw), REST_PLAIN, ret, ret_has);
}

static bool read_parameters(rest_reading *r)
{
    const lg_rest_operation *o = r->operation;
    bool ok = true;
    for (size_t i = 0; ok && i < o->tool->list_count; i++) {
        const rest_parameter *p = &o->parameters[i];
        switch (p->argument->place) {
        case LG_PLACE_QUERY:
            ok = lg_rest_read_named(r, p, r->query, r->query_count, REST_FORM, &r->values[i],
                                    &r->has[i]);
            break;
        case LG_PLACE_COOKIE:
            ok = lg_rest_read_named(r, p, r->cookies, r->cookie_count, REST_LENIENT, &r->values[i],
                                    &r->has[i]);
            break;
        case LG_PLACE_HEADER:
            ok = read_header(r, p, &r->values[i], &r->has[i]);
            break;
        case LG_PLACE_NONE:
        case LG_PLACE_PATH:
        case LG_PLACE_MEMBER:
        case LG_PLACE_BODY:
            break;
        }
    }
    return ok;
}

static bool check_demanded(rest_reading *r)
{
    for (size_t i = 0; i < r->operation->demanded_count; i++) {
        lg_str name = r->operation->demanded[i];
        if (!lg_rest_header(r->request, name).ptr) {
            lg_str pointer = lg_arena_printf(r->arena, "/%.*s", LG_FMT(name));
            r->oom = r->oom || !pointer.ptr;
            if (lg_str_eq_any_case(name, LG_STR("authorization"))) {
                return lg_rest_trouble(r, 401, "the header `Authorization` is missing");
            }
            return lg_rest_invalid(r, pointer.ptr ? pointer : LG_STR(""),
                                   "the header `%.*s` is required, but missing",
                                   LG_FMT(lg_str_cut(name, 80)));
        }
    }
    return true;
}

static bool check_accept(rest_reading *r)
{
    const lg_rest_operation *o = r->operation;
    r->call->accept = joined_headers(r->arena, r->request, LG_STR("accept"), &r->oom);
    if (o->success == SIZE_MAX || r->call->accept.len == 0) {
        return !r->oom;
    }
    bool none = false;
    if (lg_rest_choose_media(&o->replies[o->success], r->call->accept, &none) || none) {
        return true;
    }
    return lg_rest_trouble(r, 406,
                           "what is answered here is %.*s, which the request does not accept",
                           LG_FMT(o->replies[o->success].media[0].name));
}

static bool assemble(rest_reading *r)
{
    size_t count = 0;
    const lg_catalogue_tool *tool = r->operation->tool;
    for (size_t i = 0; i < tool->list_count; i++) {
        count += r->has[i];
    }
    lg_json_member *members = lg_json_alloc_members(r->arena, count);
    lg_json *args = LG_NEW(r->arena, lg_json);
    if (!members || !args) {
        r->oom = true;
        return false;
    }
    size_t next = 0;
    for (size_t i = 0; i < tool->list_count; i++) {
        if (r->has[i]) {
            members[next++] = lg_json_make_member(tool->list[i].name, r->values[i]);
        }
    }
    *args = lg_json_make_object(members, count);
    r->call->args = args;
    return true;
}

static bool read_request(rest_reading *r)
{
    rest_route route;
    if (!read_route(r, r->request->method, r->request->path, r->request->query, &route)) {
        return false;
    }
    size_t count = r->operation->tool->list_count;
    r->values = LG_NEW_ARRAY(r->arena, lg_json, count + 1);
    r->has = LG_NEW_ARRAY(r->arena, bool, count + 1);
    r->oom = r->oom || !r->values || !r->has;
    lg_str cookies = lg_rest_header(r->request, LG_STR("cookie"));
    if (r->request->body.len > LG_JSON_LEN_MAX) {
        return lg_rest_trouble(r, 413, "the body has more than %u bytes", LG_JSON_LEN_MAX);
    }
    return !r->oom &&
           lg_rest_read_pairs(r, r->request->query, '&', REST_FORM, &r->query, &r->query_count) &&
           lg_rest_read_pairs(r, cookies, ';', REST_LENIENT, &r->cookies, &r->cookie_count) &&
           lg_rest_check_security(r) && lg_rest_read_prefer(r) && check_demanded(r) &&
           check_accept(r) && read_path(r, &route) && read_parameters(r) && lg_rest_read_body(r) &&
           assemble(r);
}

lg_status lg_rest_read(const lg_rest *rest, lg_arena *arena, const lg_rest_request *request,
                       lg_rest_call *ret_call, lg_rest_problem *ret_problem)
{
    *ret_call = (lg_rest_call){0};
    *ret_problem = (lg_rest_problem){0};
    rest_reading r = {
        .arena = arena, .rest = rest, .request = request, .call = ret_call, .problem = ret_problem};
    read_request(&r);
    return r.oom ? LG_ERR_OOM : LG_OK;
}
