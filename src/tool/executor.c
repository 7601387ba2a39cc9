// executor.c: what a spec names, and what all executors have in common.
#include "tool/tool_internal.h"

#include "base/alloc.h"

const char *lg_executor_outcome_name(lg_executor_outcome outcome)
{
    static const char *const names[] = {"done", "failed", "unknown"};
    return names[outcome];
}

// --- making one ---

static bool copy_headers(lg_arena *arena, lg_executor_options *o)
{
    lg_http_header *copy = LG_NEW_ARRAY(arena, lg_http_header, o->header_count);
    for (size_t i = 0; copy && i < o->header_count; i++) {
        copy[i].name = lg_arena_str(arena, o->headers[i].name);
        copy[i].value = lg_arena_str(arena, o->headers[i].value);
        if (!copy[i].name.ptr || !copy[i].value.ptr) {
            return false;
        }
    }
    o->headers = copy;
    return copy || o->header_count == 0;
}

static bool copy_options(lg_arena *arena, const lg_executor_options *options,
                         lg_executor_options *o)
{
    lg_mcp_party us = {LG_STR("ledgergate"), LG_STR(""), LG_STR(LG_VERSION)};
    *o = options ? *options : (lg_executor_options){0};
    o->party = o->party.name.len ? o->party : us;
    o->connect_ms = o->connect_ms ? o->connect_ms : 30 * 1000;
    o->call_ms = o->call_ms ? o->call_ms : 60 * 1000;
    o->reply_bytes = o->reply_bytes ? o->reply_bytes : (size_t)16 << 20;
    o->environment = NULL; // is needed while a process is started, and not kept
    lg_limits *limits = LG_NEW(arena, lg_limits);
    if (limits) {
        *limits = lg_limits_resolve(o->limits);
        o->limits = limits;
    }
    lg_str ca_file = o->ca_file ? lg_arena_str(arena, lg_str_c(o->ca_file)) : LG_STR("");
    o->ca_file = o->ca_file ? ca_file.ptr : NULL;
    o->party.name = lg_arena_str(arena, o->party.name);
    o->party.title = lg_arena_str(arena, o->party.title);
    o->party.version = lg_arena_str(arena, o->party.version);
    return limits && ca_file.ptr && o->party.name.ptr && o->party.title.ptr &&
           o->party.version.ptr && copy_headers(arena, o);
}

void *lg_executor_make(const lg_executor_kind *kind, size_t size_bytes,
                       const lg_executor_options *options)
{
    lg_executor *executor = lg_zalloc(size_bytes);
    if (!executor) {
        return NULL;
    }
    executor->kind = kind;
    lg_arena_init(&executor->arena, 0);
    if (pthread_mutex_init(&executor->lock, NULL) != 0) {
        lg_free(executor);
        return NULL;
    }
    if (pthread_mutex_init(&executor->stop.lock, NULL) != 0) {
        pthread_mutex_destroy(&executor->lock);
        lg_free(executor);
        return NULL;
    }
    executor->warning = LG_STR("");
    if (!copy_options(&executor->arena, options, &executor->options)) {
        pthread_mutex_destroy(&executor->stop.lock);
        pthread_mutex_destroy(&executor->lock);
        lg_arena_done(&executor->arena);
        lg_free(executor);
        return NULL;
    }
    return executor;
}

void lg_executor_free(lg_executor *executor)
{
    if (executor) {
        executor->kind->free(executor);
        pthread_mutex_destroy(&executor->stop.lock);
        pthread_mutex_destroy(&executor->lock);
        lg_arena_done(&executor->arena);
        lg_free(executor);
    }
}

lg_status lg_executor_open(lg_str spec, const lg_executor_options *options, lg_executor **ret,
                           lg_error *reterr)
{
    static const struct {
        const char *prefix;
        bool is_kept; // the prefix belongs to the address
        lg_status (*open)(lg_str rest, const lg_executor_options *options, lg_executor **ret,
                          lg_error *reterr);
    } kinds[] = {
        {"http://", true, lg_executor_http},        {"https://", true, lg_executor_http},
        {"stdio:", false, lg_executor_stdio},       {"openapi:", false, lg_executor_service},
        {"recorded:", false, lg_executor_recorded},
    };
    spec = lg_str_trim(spec);
    for (size_t i = 0; i < LG_COUNT(kinds); i++) {
        lg_str prefix = lg_str_c(kinds[i].prefix);
        if (lg_str_starts(spec, prefix)) {
            lg_str rest = lg_str_slice(spec, kinds[i].is_kept ? 0 : prefix.len, spec.len);
            return kinds[i].open(lg_str_trim(rest), options, ret, reterr);
        }
    }
    return lg_fail(reterr, LG_ERR_USAGE,
                   "`%.*s` names no tools: http://HOST/PATH or stdio:COMMAND of an MCP server, "
                   "openapi:URL, recorded:FILE",
                   LG_FMT(lg_str_cut(spec, 100)));
}

// --- using one ---

lg_status lg_executor_end(lg_arena *arena, lg_executor_outcome outcome, lg_executor_answer *ret,
                          const char *format, ...)
{
    char room[LG_ERROR_TEXT_BYTES];
    va_list args;
    va_start(args, format);
    lg_str why = lg_str_vprint(room, sizeof(room), format, args);
    va_end(args);
    *ret = (lg_executor_answer){.outcome = outcome, .text = LG_STR("")};
    ret->why = lg_arena_str(arena, why);
    return ret->why.ptr ? LG_OK : LG_ERR_OOM;
}

lg_status lg_executor_add_tool(lg_arena *arena, const lg_mcp_tool *tool, lg_mcp_tools *tools,
                               lg_error *reterr)
{
    lg_mcp_tool *items =
        lg_arena_grow(arena, tools->items, tools->count, &tools->capacity, sizeof(*tools->items));
    if (!items) {
        return lg_fail_oom(reterr);
    }
    tools->items = items;
    tools->items[tools->count++] = *tool;
    return LG_OK;
}

lg_status lg_executor_list(lg_executor *executor, lg_arena *arena, lg_mcp_tools *tools,
                           lg_error *reterr)
{
    pthread_mutex_lock(&executor->lock);
    lg_status status = executor->kind->list(executor, arena, tools, reterr);
    pthread_mutex_unlock(&executor->lock);
    return status;
}

lg_str lg_executor_warning(const lg_executor *executor)
{
    return executor->warning;
}

void lg_executor_stop(lg_executor *executor)
{
    lg_stopping *stop = &executor->stop;
    pthread_mutex_lock(&stop->lock);
    atomic_store(&stop->is_told, true);
    if (stop->loop) {
        lg_loop_stop(stop->loop);
    }
    pthread_mutex_unlock(&stop->lock);
    if (executor->kind->stop) {
        executor->kind->stop(executor);
    }
}

lg_status lg_executor_run(lg_executor *executor, const lg_executor_call *call, lg_arena *arena,
                          lg_executor_answer *ret, lg_error *reterr)
{
    *ret = (lg_executor_answer){.outcome = LG_EXECUTOR_FAILED};
    pthread_mutex_lock(&executor->lock);
    lg_status status = executor->kind->run(executor, call, arena, ret, reterr);
    pthread_mutex_unlock(&executor->lock);
    return status == LG_ERR_OOM ? lg_fail_oom(reterr) : status;
}

// --- hybrid ---

// A kind that was guessed of the words of a name is not enough to let a real tool run: what its own document says is.
bool lg_executor_may_read(const lg_sim_tool *tool)
{
    const lg_catalogue_tool *listed = tool->of_catalogue;
    if (tool->kind != LG_TOOL_READ) {
        return false;
    }
    if (tool->of_pack || !tool->is_guessed) {
        return tool->of_pack || listed;
    }
    const lg_json *hints = listed ? lg_json_get(listed->source, LG_STR("annotations")) : NULL;
    return listed && (lg_str_eq_any_case(listed->method, LG_STR("GET")) ||
                      lg_str_eq_any_case(listed->method, LG_STR("HEAD")) ||
                      lg_json_is_true(lg_json_get(hints, LG_STR("readOnlyHint"))));
}

bool lg_executor_read_real(void *data, const lg_sim_tool *tool, const lg_json *args,
                           lg_arena *arena, const lg_json **ret_result, bool *ret_is_error,
                           unsigned *ret_status, lg_error *reterr)
{
    lg_executor_answer answer;
    if (!tool || !lg_executor_may_read(tool)) {
        lg_fail(reterr, LG_ERR_USAGE, "only a tool that is said to read is called really");
        return false;
    }
    lg_executor_call call = {.tool = tool->name, .args = args, .by_user = tool->by_user};
    if (lg_executor_run(data, &call, arena, &answer, reterr) != LG_OK) {
        return false;
    }
    if (answer.outcome != LG_EXECUTOR_DONE) {
        lg_fail(reterr, LG_ERR_MISSING, "the real tool: %.*s", LG_FMT(answer.why));
        return false;
    }
    *ret_result = answer.value;
    *ret_is_error = answer.is_error;
    *ret_status = answer.status;
    return true;
}
