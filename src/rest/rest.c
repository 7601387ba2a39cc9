// rest.c: all operations of a document, made ready once.
#include "rest/rest_internal.h"

// --- The paths of servers -----------------------------------------------------------------------

// The value of {name} in a server's URL: its default.
static lg_str variable(const lg_json *server, lg_str name)
{
    const lg_json *variables = lg_json_get(server, LG_STR("variables"));
    return rest_member_str(lg_json_get(variables, name), "default");
}

static bool add_url(lg_arena *arena, const lg_json *server, lg_str *ret)
{
    lg_str url = rest_member_str(server, "url");
    lg_buf out;
    lg_buf_init(&out, 0);
    for (size_t at = 0; at < url.len;) {
        lg_str rest = lg_str_slice(url, at, url.len);
        size_t open = lg_str_find(rest, LG_STR("{"));
        size_t close = lg_str_find(rest, LG_STR("}"));
        bool braces = close != SIZE_MAX && open < close;
        lg_buf_add(&out, lg_str_slice(rest, 0, braces ? open : rest.len));
        if (braces) {
            lg_buf_add(&out, variable(server, lg_str_slice(rest, open + 1, close)));
        }
        at = braces ? at + close + 1 : url.len;
    }
    return lg_rest_take(arena, &out, ret);
}

// "/v1" of "https://host/v1/"; empty where there is none.
static lg_str path_of_url(lg_str url)
{
    size_t scheme = lg_str_find(url, LG_STR("://"));
    size_t from = scheme == SIZE_MAX ? 0 : scheme + 3;
    if (lg_str_starts(url, LG_STR("//"))) {
        from = 2;
    }
    lg_str rest = lg_str_slice(url, from, url.len);
    size_t slash =
        from == 0 && lg_str_starts(url, LG_STR("/")) ? 0 : lg_str_find(rest, LG_STR("/"));
    lg_str path = slash == SIZE_MAX ? LG_STR("") : lg_str_slice(rest, slash, rest.len);
    return lg_str_ends(path, LG_STR("/")) ? lg_str_slice(path, 0, path.len - 1) : path;
}

static bool read_prefixes(lg_arena *arena, lg_rest *rest)
{
    const lg_json *servers = lg_json_get(rest->document, LG_STR("servers"));
    lg_str base = rest_member_str(rest->document, "basePath");
    size_t count = lg_json_is(servers, LG_JSON_ARRAY) ? lg_json_len(servers) : 0;
    for (size_t i = 0; i < count && rest->prefix_count < REST_PREFIXES_MAX; i++) {
        lg_str url;
        if (!add_url(arena, &servers->as.items[i], &url)) {
            return false;
        }
        lg_str path = path_of_url(url);
        if (path.len) {
            rest->prefixes[rest->prefix_count++] = path;
        }
    }
    if (rest->is_swagger && base.len > 1) {
        rest->prefixes[rest->prefix_count++] = path_of_url(base);
    }
    return true;
}

// --- Making -------------------------------------------------------------------------------------

static bool is_operation(const lg_catalogue_tool *tool)
{
    return tool->format == LG_CATALOGUE_OPENAPI && tool->path.len && tool->document;
}

static bool read_operations(lg_arena *arena, lg_rest *rest, const lg_catalogue *catalogue)
{
    rest->operations = LG_NEW_ARRAY(arena, lg_rest_operation, catalogue->tool_count + 1);
    for (size_t i = 0; rest->operations && i < catalogue->tool_count; i++) {
        const lg_catalogue_tool *tool = &catalogue->tools[i];
        if (!is_operation(tool) || (rest->document && rest->document != tool->document)) {
            continue;
        }
        if (!rest->document) {
            rest->document = tool->document;
            rest->is_swagger = lg_json_get(rest->document, LG_STR("swagger")) != NULL;
        }
        lg_rest_operation *operation = &rest->operations[rest->count++];
        if (!lg_rest_read_operation(arena, rest, tool, operation) ||
            !lg_rest_compile_replies(arena, rest, operation)) {
            return false;
        }
    }
    return rest->operations != NULL;
}

lg_status lg_rest_new(lg_arena *arena, const lg_catalogue *catalogue,
                      const lg_rest_options *options, const lg_rest **ret_rest, lg_error *reterr)
{
    lg_rest *rest = LG_NEW(arena, lg_rest);
    lg_rest_options *own = LG_NEW(arena, lg_rest_options);
    if (!rest || !own) {
        return lg_fail_oom(reterr);
    }
    *own = options ? *options : (lg_rest_options){0};
    rest->options = own;
    own->credential = own->credential.len ? lg_arena_str(arena, own->credential) : (lg_str){0};
    bool lost = options && options->credential.len && !own->credential.ptr;
    if (lost || !read_operations(arena, rest, catalogue) || !read_prefixes(arena, rest) ||
        !lg_rest_build_router(arena, rest)) {
        return lg_fail_oom(reterr);
    }
    *ret_rest = rest;
    return LG_OK;
}

size_t lg_rest_count(const lg_rest *rest)
{
    return rest->count;
}

const lg_rest_operation *lg_rest_at(const lg_rest *rest, size_t index)
{
    return &rest->operations[index];
}

const lg_rest_operation *lg_rest_named(const lg_rest *rest, lg_str tool)
{
    for (size_t i = 0; i < rest->count; i++) {
        if (lg_str_eq(rest->operations[i].tool->name, tool)) {
            return &rest->operations[i];
        }
    }
    return NULL;
}

const lg_catalogue_tool *lg_rest_tool(const lg_rest_operation *operation)
{
    return operation->tool;
}

lg_str lg_rest_server(const lg_rest *rest, lg_arena *arena)
{
    const lg_json *server = lg_json_item(lg_json_get(rest->document, LG_STR("servers")), 0);
    lg_str host = rest_member_str(rest->document, "host");
    lg_str base = rest_member_str(rest->document, "basePath");
    lg_str url = LG_STR("");
    if (rest->is_swagger && host.len) {
        const lg_json *schemes = lg_json_get(rest->document, LG_STR("schemes"));
        lg_str scheme = lg_json_str(lg_json_item(schemes, 0));
        url =
            lg_arena_printf(arena, "%.*s://%.*s%.*s", LG_FMT(scheme.len ? scheme : LG_STR("https")),
                            LG_FMT(host), LG_FMT(base));
    } else if (server && !add_url(arena, server, &url)) {
        return (lg_str){0};
    }
    return lg_str_ends(url, LG_STR("/")) ? lg_str_slice(url, 0, url.len - 1) : url;
}
