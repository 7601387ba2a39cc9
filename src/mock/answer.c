// answer.c: what faces share: bodies that are read strictly, answers and errors.
#include "base/str.h"
#include "mock/mock_internal.h"

#include <stdio.h>

// --- Answers ------------------------------------------------------------------------------------

void mock_header(mock_exchange *x, lg_str name, lg_str value)
{
    if (x->header_count < LG_MOCK_HEADERS_MAX) {
        x->headers[x->header_count++] = (lg_http_header){name, value};
    }
}

lg_json_writer mock_begin(mock_exchange *x, unsigned status)
{
    x->status = status;
    x->header_count = 0;
    lg_buf_clear(x->out);
    mock_header(x, LG_STR("content-type"), LG_STR("application/json"));
    return (lg_json_writer){.out = x->out};
}

static void write_error(mock_exchange *x, unsigned status, const char *code, lg_str message)
{
    lg_json_writer w = mock_begin(x, status);
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "error");
    lg_jw_begin_object(&w);
    lg_jw_member_c(&w, "code", code);
    lg_jw_member_str(&w, "message", message);
    lg_jw_end_object(&w);
    lg_jw_end_object(&w);
}

void mock_fail(mock_exchange *x, unsigned status, const char *code, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    lg_str message = lg_str_vprint(text, sizeof(text), format, args);
    va_end(args);
    write_error(x, status, code, message);
}

void mock_fail_oom(mock_exchange *x)
{
    mock_fail(x, 503, "memory", "the simulator is out of memory; delete sessions, or try later");
}

static const char *code_of(lg_status status, unsigned *ret_status)
{
    switch (status) {
    case LG_ERR_OOM:
        *ret_status = 503;
        return "memory";
    case LG_ERR_LIMIT:
        *ret_status = 429;
        return "limit";
    case LG_ERR_MISSING:
    case LG_ERR_NAME:
        *ret_status = 404;
        return "unknown";
    case LG_OK:
    case LG_ERR_PARSE:
    case LG_ERR_TYPE:
    case LG_ERR_FORMAT:
    case LG_ERR_USAGE:
        *ret_status = 400;
        return "bad_request";
    case LG_ERR_BUSY:
        *ret_status = 409;
        return "busy";
    case LG_ERR_IO:
    case LG_ERR_ENVIRONMENT:
    case LG_ERR_INTERNAL:
        break;
    }
    *ret_status = 500;
    return "internal";
}

void mock_fail_with(mock_exchange *x, const lg_error *error)
{
    unsigned status = 500;
    const char *code = code_of(error->status, &status);
    write_error(x, status, code, lg_str_c(error->msg));
}

// --- Methods ------------------------------------------------------------------------------------

bool mock_is(const mock_exchange *x, const char *method)
{
    return lg_str_eq(x->request.method, lg_str_c(method));
}

static bool is_listed(lg_str methods, lg_str method)
{
    while (methods.len) {
        size_t comma = lg_str_find(methods, LG_STR(", "));
        if (lg_str_eq(lg_str_slice(methods, 0, comma), method)) {
            return true;
        }
        methods = comma == SIZE_MAX ? LG_STR("") : lg_str_slice(methods, comma + 2, methods.len);
    }
    return false;
}

bool mock_takes(mock_exchange *x, const char *methods)
{
    lg_str method = lg_str_cut(x->request.method, 20);
    if (is_listed(lg_str_c(methods), method)) {
        return true;
    }
    if (lg_str_eq(method, LG_STR("OPTIONS"))) {
        (void)mock_begin(x, 204);
        x->header_count = 0; // there is no body
    } else {
        mock_fail(x, 405, "method", "this path takes %s, and not %.*s", methods, LG_FMT(method));
    }
    mock_header(x, LG_STR("allow"), lg_str_c(methods));
    return false;
}

// --- Queries ------------------------------------------------------------------------------------

static unsigned hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? (unsigned)(c - '0')
           : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
           : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                  : 16;
}

lg_str mock_decode(lg_arena *arena, lg_str text)
{
    if (lg_str_find(text, LG_STR("%")) == SIZE_MAX) {
        return text;
    }
    char *to = lg_arena_alloc(arena, text.len, 1);
    size_t len = 0;
    for (size_t i = 0; to && i < text.len; i++) {
        unsigned high = text.len - i > 2 ? hex_digit(text.ptr[i + 1]) : 16;
        unsigned low = text.len - i > 2 ? hex_digit(text.ptr[i + 2]) : 16;
        bool coded = text.ptr[i] == '%' && high < 16 && low < 16;
        to[len++] = coded ? (char)(unsigned char)(16 * high + low) : text.ptr[i];
        i += coded ? 2 : 0;
    }
    return lg_str_of(to, len);
}

lg_str mock_query(const mock_exchange *x, const char *name)
{
    lg_str rest = x->request.query;
    while (rest.ptr && rest.len) {
        size_t end = lg_str_find(rest, LG_STR("&"));
        lg_str pair = lg_str_slice(rest, 0, end);
        size_t equals = lg_str_find(pair, LG_STR("="));
        if (lg_str_eq(lg_str_slice(pair, 0, equals), lg_str_c(name))) {
            lg_str value =
                equals == SIZE_MAX ? LG_STR("") : lg_str_slice(pair, equals + 1, pair.len);
            lg_str decoded = mock_decode(x->arena, value);
            return decoded.ptr ? decoded : value;
        }
        rest = end == SIZE_MAX ? LG_STR("") : lg_str_slice(rest, end + 1, rest.len);
    }
    return (lg_str){0};
}

bool mock_read_number(lg_str text, uint64_t *ret)
{
    uint64_t n = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (!lg_is_digit(text.ptr[i]) || i == 18) {
            return false;
        }
        n = 10 * n + (uint64_t)(text.ptr[i] - '0');
    }
    *ret = n;
    return text.len > 0;
}

// --- Bodies -------------------------------------------------------------------------------------

const lg_json *mock_any_object(mock_exchange *x)
{
    const lg_json *value = NULL;
    lg_error err = {0};
    lg_str body = x->request.body;
    if (!lg_str_trim(body).len) {
        static const lg_json nothing = {.type = LG_JSON_OBJECT, .offset = LG_JSON_NO_OFFSET};
        return &nothing;
    }
    lg_status status = lg_json_parse_in(x->arena, body, 0, body.len, NULL, &value, &err);
    if (status == LG_ERR_OOM) {
        mock_fail_oom(x);
        return NULL;
    }
    if (status != LG_OK) {
        mock_fail(x, 400, "bad_request", "the body is no JSON: line %u, column %u: %s", err.line,
                  err.column, err.msg);
        return NULL;
    }
    if (!lg_json_is(value, LG_JSON_OBJECT)) {
        mock_fail(x, 400, "bad_request", "the body has to be a JSON object");
        return NULL;
    }
    return value;
}

static bool is_member(lg_str key, const char *const *members)
{
    for (size_t i = 0; members[i]; i++) {
        if (lg_str_eq(key, lg_str_c(members[i]))) {
            return true;
        }
    }
    return false;
}

// "`a`, `b` and `c`"
static lg_str list_of(mock_exchange *x, const char *const *members)
{
    lg_str all = LG_STR("");
    for (size_t i = 0; members[i] && all.ptr; i++) {
        const char *between = i == 0 ? "" : members[i + 1] ? ", " : " and ";
        all = lg_arena_printf(x->arena, "%.*s%s`%s`", LG_FMT(all), between, members[i]);
    }
    return all.ptr ? all : LG_STR("");
}

const lg_json *mock_object(mock_exchange *x, const char *const *members)
{
    const lg_json *object = mock_any_object(x);
    for (size_t i = 0; i < lg_json_len(object); i++) {
        lg_str key = lg_json_key(lg_json_member_at(object, i));
        if (!is_member(key, members)) {
            key = lg_str_cut(key, 80);
            lg_str known = list_of(x, members);
            mock_fail(x, 400, "bad_request", "the body has a member `%.*s`; %s%.*s%s", LG_FMT(key),
                      known.len ? "known here: " : "none is known here", LG_FMT(known), "");
            return NULL;
        }
    }
    return object;
}
