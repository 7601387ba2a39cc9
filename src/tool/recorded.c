// recorded.c: a recording as an executor: what was answered once is answered again.
//
// A call that was made several times is answered as it was each time; after the last, as the last time. Calls are the same if
// name and arguments are, whatever the order of the members.
#include "tool/tool_internal.h"

#include "base/file.h"
#include "base/map.h"

typedef struct record {
    lg_str name;
    char args[65]; // a hash of them
    const lg_json *result;
    const lg_json *structured;
    bool is_error;
    unsigned status; // of HTTP; or 0
    bool is_used;
} record;

typedef struct recording {
    lg_executor base;
    lg_file file;
    record *records;
    size_t count, capacity;
} recording;

static lg_status hash_args(const lg_json *args, char ret[65])
{
    return lg_json_hash(lg_json_is(args, LG_JSON_OBJECT) ? args : &lg_json_no_members, ret);
}

// "error" is true, or a text in place of a result.
static lg_status add(recording *r, const lg_json *line, lg_error *reterr)
{
    const lg_json *error = lg_json_get(line, LG_STR("error"));
    bool is_text = lg_json_is(error, LG_JSON_STRING);
    record made = {.name = lg_json_str(lg_json_get(line, LG_STR("name"))),
                   .result = lg_json_get(line, LG_STR("result")),
                   .structured = lg_json_get(line, LG_STR("structuredContent")),
                   .is_error = is_text || lg_json_is_true(error)};
    made.result = is_text && !made.result ? error : made.result;
    int64_t status_code = 0;
    if (lg_json_int(lg_json_get(line, LG_STR("status")), &status_code) && status_code >= 200 &&
        status_code < 600) {
        made.status = (unsigned)status_code;
    }
    if (made.name.len == 0 || !made.result) {
        return lg_fail(
            reterr, LG_ERR_FORMAT,
            "a line of a recording has a `name`, `arguments`, and a `result` or `error`");
    }
    record *records =
        lg_arena_grow(&r->base.arena, r->records, r->count, &r->capacity, sizeof(*r->records));
    lg_status status = hash_args(lg_json_get(line, LG_STR("arguments")), made.args);
    if (!records || status != LG_OK) {
        return records ? lg_fail(reterr, status, "arguments that are nested too deep")
                       : lg_fail_oom(reterr);
    }
    r->records = records;
    r->records[r->count++] = made;
    return LG_OK;
}

// What a crash has left of the last line was never answered to anybody; all before it was.
static bool leave_out(recording *r, const char *path, uint32_t number)
{
    r->base.warning = lg_arena_printf(
        &r->base.arena, "%s, line %u: the last line is broken, and left out", path, number);
    return r->base.warning.ptr != NULL;
}

static lg_status load(recording *r, const char *path, lg_error *reterr)
{
    const lg_limits *limits = r->base.options.limits;
    lg_error error = {0};
    lg_status status = lg_file_read(path, limits, &r->file, reterr);
    lg_str text = r->file.text;
    uint32_t number = 0;
    for (size_t at = 0; status == LG_OK && at < text.len; at++) {
        const lg_json *line = NULL;
        size_t end = lg_str_line_end(text, at);
        number++;
        if (lg_str_trim(lg_str_slice(text, at, end)).len) {
            status = lg_json_parse_in(&r->base.arena, text, at, end, limits, &line, &error);
            status = status == LG_OK ? add(r, line, &error) : status;
        }
        if (status != LG_OK && status != LG_ERR_OOM && end == text.len && r->count &&
            leave_out(r, path, number)) {
            return LG_OK;
        }
        at = end;
    }
    if (status != LG_OK && error.msg[0]) {
        lg_fail(reterr, status, "%s, line %u: %s", path, number, error.msg);
    }
    return status;
}

static lg_status list(lg_executor *executor, lg_arena *arena, lg_mcp_tools *tools, lg_error *reterr)
{
    const recording *r = (recording *)executor;
    lg_map seen = {0};
    lg_status status = LG_OK;
    for (size_t i = 0; i < r->count && status == LG_OK; i++) {
        lg_mcp_tool tool = {.name = r->records[i].name};
        if (lg_map_get(&seen, tool.name)) {
            continue;
        }
        status = lg_map_put(arena, &seen, tool.name, &r->records[i], 1)
                     ? lg_executor_add_tool(arena, &tool, tools, reterr)
                     : lg_fail_oom(reterr);
    }
    return status;
}

static record *find(const recording *r, lg_str name, const char args[65])
{
    record *last = NULL;
    for (size_t i = 0; i < r->count; i++) {
        record *at = &r->records[i];
        if (memcmp(at->args, args, 64) == 0 && lg_str_eq(at->name, name)) {
            last = at;
            if (!at->is_used) {
                return at;
            }
        }
    }
    return last;
}

static lg_status run(lg_executor *executor, const lg_executor_call *call, lg_arena *arena,
                     lg_executor_answer *ret, lg_error *reterr)
{
    const recording *r = (recording *)executor;
    char args[65];
    lg_status status = hash_args(call->args, args);
    record *found = status == LG_OK ? find(r, call->tool, args) : NULL;
    if (status == LG_ERR_OOM) {
        return lg_fail_oom(reterr);
    }
    if (!found) {
        return lg_executor_end(arena, LG_EXECUTOR_FAILED, ret,
                               "the recording has no answer to this call");
    }
    found->is_used = true;
    *ret = (lg_executor_answer){.outcome = LG_EXECUTOR_DONE,
                                .is_error = found->is_error,
                                .status = found->status,
                                .value = lg_json_copy(arena, found->result),
                                .why = LG_STR("")};
    ret->structured = found->structured ? lg_json_copy(arena, found->structured) : NULL;
    lg_buf text;
    lg_buf_init(&text, 0);
    if (lg_json_is(found->result, LG_JSON_STRING)) {
        lg_buf_add(&text, lg_json_str(found->result));
    } else {
        lg_json_print(&text, found->result);
    }
    ret->text = lg_buf_keep(&text, arena);
    bool fine = ret->value && ret->text.ptr && (ret->structured || !found->structured);
    return fine ? LG_OK : lg_fail_oom(reterr);
}

static void free_recording(lg_executor *executor)
{
    lg_file_close(&((recording *)executor)->file);
}

lg_status lg_executor_recorded(lg_str path, const lg_executor_options *options, lg_executor **ret,
                               lg_error *reterr)
{
    static const lg_executor_kind kind = {list, run, free_recording, NULL};
    recording *r = lg_executor_make(&kind, sizeof(*r), options);
    lg_str kept = r ? lg_arena_str(&r->base.arena, path) : (lg_str){NULL, 0};
    lg_status status = kept.ptr ? load(r, kept.ptr, reterr) : lg_fail_oom(reterr);
    if (status != LG_OK) {
        if (reterr && r && reterr->file == kept.ptr) {
            reterr->file = NULL; // ours is about to be freed
        }
        lg_executor_free(r ? &r->base : NULL);
        return status;
    }
    *ret = &r->base;
    return LG_OK;
}
