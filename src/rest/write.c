// write.c: a tool and its arguments as a request, and what came back as a result.
//
// A value never leaves its segment of the path: all that is reserved is escaped, and a segment that would be "." or ".." is refused.
#include "rest/rest_internal.h"

#include <stdarg.h>

bool lg_rest_cannot(rest_sender *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (s->status == LG_OK) {
        s->status = lg_vfail_at(s->reterr, LG_ERR_USAGE, (lg_position){0}, format, args);
    }
    va_end(args);
    return false;
}

bool lg_rest_add_sent(rest_sender *s, lg_str name, lg_str value)
{
    lg_rest_field *headers =
        lg_arena_grow(s->arena, s->headers, s->header_count, &s->header_capacity, sizeof(*headers));
    if (!headers) {
        s->status = LG_ERR_OOM;
        return false;
    }
    s->headers = headers;
    s->headers[s->header_count++] = (lg_rest_field){.name = name, .value = value};
    return true;
}

// --- The path -----------------------------------------------------------------------------------

// The letters between the braces of the segment around `at`: a value that had them bare would end there.
static lg_str letters_between(rest_sender *s, lg_str path, size_t at)
{
    size_t from = at;
    while (from > 0 && path.ptr[from - 1] != '/') {
        from--;
    }
    size_t slash = lg_str_find(lg_str_slice(path, at, path.len), LG_STR("/"));
    size_t to = slash == SIZE_MAX ? path.len : at + slash;
    char *out = lg_arena_alloc(s->arena, to - from + 1, 1);
    size_t len = 0;
    size_t braces = 0;
    bool inside = false;
    for (size_t i = from; out && i < to; i++) {
        braces += path.ptr[i] == '{';
        inside = (inside || path.ptr[i] == '{') && path.ptr[i] != '}';
        if (!inside && path.ptr[i] != '}') {
            out[len++] = path.ptr[i];
        }
    }
    return lg_str_of(out ? out : "", out && braces > 1 ? len : 0);
}

// The argument of the nth pair of braces behind the `?` of a path.
static size_t fixed_argument(const lg_rest_operation *o, size_t nth)
{
    for (size_t i = 0; i < o->fixed_count; i++) {
        if (lg_str_starts(o->fixed[i].literal, LG_STR("{")) && nth-- == 0) {
            return o->fixed[i].argument;
        }
    }
    return SIZE_MAX;
}

static bool send_value(rest_sender *s, size_t brace, const lg_json *args, lg_str also,
                       bool in_query)
{
    const lg_rest_operation *o = s->operation;
    size_t at = brace < o->brace_count ? o->braces[brace] : SIZE_MAX;
    if (in_query) {
        at = fixed_argument(o, brace - o->brace_count);
    }
    if (at == SIZE_MAX) {
        return lg_rest_cannot(s, "no argument says what stands in the braces of `%.*s`",
                              LG_FMT(lg_str_cut(o->tool->path, 160)));
    }
    const lg_catalogue_argument *a = &o->tool->list[at];
    const lg_json *value = lg_json_get(args, a->name);
    size_t before = s->path.len;
    if (!value) {
        return lg_rest_cannot(s, "`%.*s` is part of the path, and is missing",
                              LG_FMT(lg_str_cut(a->name, 80)));
    }
    if (!lg_rest_send_simple(s, &o->parameters[at], value, also)) {
        return false;
    }
    return s->path.len > before || lg_rest_cannot(s, "`%.*s` is part of the path, and is empty",
                                                  LG_FMT(lg_str_cut(a->name, 80)));
}

// A segment of one or two points leads elsewhere, also with its points escaped: servers take those for points (WHATWG URL).
static bool stays(rest_sender *s, size_t from)
{
    lg_str segment = lg_str_slice(lg_buf_str(&s->path), from, s->path.len);
    lg_str rest = segment;
    size_t points = 0;
    while (lg_str_starts(rest, LG_STR(".")) || lg_str_starts(rest, LG_STR("%2E"))) {
        rest = lg_str_slice(rest, rest.ptr[0] == '.' ? 1 : 3, rest.len);
        points++;
    }
    bool leads = !rest.len && (points == 1 || points == 2);
    return !leads ||
           lg_rest_cannot(s, "a segment of the path would be `%.*s`, which leads elsewhere",
                          LG_FMT(segment));
}

static bool send_path(rest_sender *s, const lg_json *args)
{
    lg_str path = s->operation->tool->path;
    size_t brace = 0;
    size_t segment = 0;
    size_t mark = lg_str_find(path, LG_STR("?"));
    for (size_t i = 0; i < path.len; i++) {
        size_t close = path.ptr[i] == '{'
                           ? lg_str_find(lg_str_slice(path, i, path.len), LG_STR("}"))
                           : SIZE_MAX;
        if (close != SIZE_MAX) {
            if (!send_value(s, brace++, args, i < mark ? letters_between(s, path, i) : LG_STR(""),
                            i > mark && mark != SIZE_MAX)) {
                return false;
            }
            i += close;
            continue;
        }
        if (path.ptr[i] == '/') {
            if (!stays(s, segment)) {
                return false;
            }
            segment = s->path.len + 1;
        }
        lg_buf_add_byte(&s->path, path.ptr[i]);
    }
    return stays(s, segment);
}

// --- The rest -----------------------------------------------------------------------------------

static bool send_argument(rest_sender *s, const rest_parameter *p, const lg_json *value)
{
    switch (p->argument->place) {
    case LG_PLACE_QUERY:
        return lg_rest_send_pairs(s, p, value, "&", false, &s->query);
    case LG_PLACE_COOKIE:
        return lg_rest_send_pairs(s, p, value, "; ", false, &s->cookies);
    case LG_PLACE_HEADER:
        return lg_rest_send_header(s, p, value);
    case LG_PLACE_NONE:
    case LG_PLACE_PATH:
    case LG_PLACE_MEMBER:
    case LG_PLACE_BODY:
        break;
    }
    return true;
}

static bool knows(const lg_catalogue_tool *tool, lg_str name)
{
    for (size_t i = 0; i < tool->list_count; i++) {
        if (lg_str_eq(tool->list[i].name, name)) {
            return true;
        }
    }
    return false;
}

static bool send_arguments(rest_sender *s, const lg_json *args)
{
    const lg_catalogue_tool *tool = s->operation->tool;
    for (size_t i = 0; i < lg_json_len(args); i++) {
        lg_str name = lg_json_key(lg_json_member_at(args, i));
        if (!knows(tool, name)) {
            return lg_rest_cannot(s, "`%.*s` has no argument `%.*s`",
                                  LG_FMT(lg_str_cut(tool->name, 80)), LG_FMT(lg_str_cut(name, 80)));
        }
    }
    bool ok = true;
    for (size_t i = 0; ok && i < tool->list_count; i++) {
        const lg_json *value = lg_json_get(args, tool->list[i].name);
        ok = !value || send_argument(s, &s->operation->parameters[i], value);
    }
    return ok;
}

static bool send_accept(rest_sender *s)
{
    const lg_rest_operation *o = s->operation;
    bool none = true;
    const rest_media *media =
        o->success == SIZE_MAX ? NULL
                               : lg_rest_choose_media(&o->replies[o->success], LG_STR(""), &none);
    return !media || lg_rest_add_sent(s, LG_STR("accept"), media->name);
}

static bool finish(rest_sender *s, lg_str base, lg_rest_sending *ret)
{
    lg_str path;
    lg_str query;
    lg_str cookies;
    lg_str server = base.len ? base : lg_rest_server(s->operation->rest, s->arena);
    bool has_query = s->query.len > 0;
    bool has_mark = lg_str_find(s->operation->tool->path, LG_STR("?")) != SIZE_MAX;
    // Each of them, since taking ends its buffer.
    bool ok = lg_rest_take(s->arena, &s->path, &path);
    ok = lg_rest_take(s->arena, &s->query, &query) && ok;
    ok = lg_rest_take(s->arena, &s->cookies, &cookies) && ok;
    ok = lg_rest_take(s->arena, &s->body, &ret->body) && ok;
    ok = ok && (cookies.len == 0 || lg_rest_add_sent(s, LG_STR("cookie"), cookies));
    server = lg_str_ends(server, LG_STR("/")) ? lg_str_slice(server, 0, server.len - 1) : server;
    ret->url = ok ? lg_arena_printf(s->arena, "%.*s%.*s%s%.*s", LG_FMT(server), LG_FMT(path),
                                    !has_query ? ""
                                    : has_mark ? "&"
                                               : "?",
                                    LG_FMT(query))
                  : (lg_str){0};
    ret->method = s->operation->tool->method;
    ret->headers = s->headers;
    ret->header_count = s->header_count;
    s->status = ret->url.ptr ? s->status : LG_ERR_OOM;
    return s->status == LG_OK;
}

lg_status lg_rest_write(const lg_rest_operation *operation, lg_arena *arena, lg_str base,
                        const lg_json *args, lg_rest_sending *ret_sending, lg_error *reterr)
{
    rest_sender s = {.arena = arena, .operation = operation, .reterr = reterr};
    lg_buf *bufs[] = {&s.path, &s.query, &s.cookies, &s.body};
    for (size_t i = 0; i < LG_COUNT(bufs); i++) {
        lg_buf_init(bufs[i], 0);
    }
    lg_rest_sending sending = {0};
    bool ok =
        lg_json_is(args, LG_JSON_OBJECT) || lg_rest_cannot(&s, "the arguments must be an object");
    ok = ok && send_path(&s, args) && send_arguments(&s, args) && send_accept(&s) &&
         lg_rest_send_body(&s, args) && finish(&s, base, &sending);
    for (size_t i = 0; i < LG_COUNT(bufs); i++) {
        lg_buf_done(bufs[i]);
    }
    if (ok) {
        *ret_sending = sending;
        return LG_OK;
    }
    return s.status == LG_ERR_OOM || s.status == LG_OK ? lg_fail_oom(reterr) : s.status;
}

// --- What came back -----------------------------------------------------------------------------

lg_status lg_rest_result(const lg_rest_operation *operation, lg_arena *arena, uint32_t status,
                         const lg_rest_field *headers, size_t header_count, lg_str body,
                         const lg_json **ret_value, bool *ret_is_error, lg_error *reterr)
{
    lg_rest_request response = {.headers = headers, .header_count = header_count};
    lg_str type = lg_rest_header(&response, LG_STR("content-type"));
    lg_json *value = LG_NEW(arena, lg_json);
    if (!value) {
        return lg_fail_oom(reterr);
    }
    *value = lg_json_make_null();
    *ret_is_error = status >= 400;
    *ret_value = value;
    if (body.len > LG_JSON_LEN_MAX) {
        return lg_fail(reterr, LG_ERR_LIMIT, "the response of `%.*s` has more than %u bytes",
                       LG_FMT(lg_str_cut(operation->tool->name, 80)), LG_JSON_LEN_MAX);
    }
    lg_str trimmed = lg_str_trim(body);
    if (trimmed.len == 0) {
        return LG_OK;
    }
    bool is_json = type.len && lg_rest_media_kind(type) == REST_MEDIA_JSON &&
                   lg_str_find(type, LG_STR("yaml")) == SIZE_MAX;
    if (is_json) {
        return lg_json_parse_in(arena, body, 0, body.len, NULL, ret_value, reterr);
    }
    lg_str text = lg_rest_text_of(arena, body);
    if (!text.ptr) {
        return lg_fail_oom(reterr);
    }
    *value = lg_json_make_str(text);
    return LG_OK;
}
