// read.c: payloads, as anybody may have written them: a log is somebody's file.
//
// What a member should be and is not makes the payload unreadable; what is missing is zero, as writing leaves it out.
#include "journal/journal_internal.h"

#include "base/utf8.h"

typedef struct reader {
    lg_arena *arena;
    const lg_json *object;
    lg_str body;
    lg_error *reterr;
    lg_status status;
} reader;

static void fail_member(reader *r, const char *key)
{
    if (r->status == LG_OK) {
        r->status = lg_fail(r->reterr, LG_ERR_FORMAT, "its `%s` is not as it should be", key);
    }
}

static void fail_memory(reader *r)
{
    if (r->status == LG_OK) {
        r->status = lg_fail_oom(r->reterr);
    }
}

static const lg_json *member(const reader *r, const char *key)
{
    return lg_json_get(r->object, lg_str_c(key));
}

static reader begin(lg_arena *arena, lg_str body, lg_error *reterr)
{
    reader r = {.arena = arena, .body = body, .reterr = reterr};
    lg_error why;
    r.status = lg_json_parse_in(arena, body, 0, body.len, NULL, &r.object, &why);
    if (r.status == LG_ERR_OOM) {
        (void)lg_fail_oom(reterr);
    } else if (r.status != LG_OK || !lg_json_is(r.object, LG_JSON_OBJECT)) {
        r.status = lg_fail(reterr, LG_ERR_FORMAT, "it is no JSON object");
    }
    return r;
}

// --- Members ------------------------------------------------------------------------------------

static lg_str read_hex(reader *r, const char *key, lg_str hex)
{
    char *bytes = lg_arena_alloc(r->arena, hex.len / 2 + 1, 1);
    if (!bytes) {
        fail_memory(r);
    } else if (!lg_unhex(hex, bytes, hex.len / 2)) {
        fail_member(r, key);
    }
    return (lg_str){bytes, bytes ? hex.len / 2 : 0};
}

static lg_str read_text(reader *r, const char *key)
{
    lg_str name = lg_arena_printf(r->arena, "%s_hex", key);
    if (!name.ptr) {
        fail_memory(r);
        return LG_STR("");
    }
    const lg_json *text = member(r, key);
    const lg_json *hex = lg_json_get(r->object, name);
    if ((text && !lg_json_is(text, LG_JSON_STRING)) ||
        (hex && (text || !lg_json_is(hex, LG_JSON_STRING)))) {
        fail_member(r, key);
        return LG_STR("");
    }
    return hex ? read_hex(r, name.ptr, lg_json_str(hex)) : lg_json_str(text);
}

static uint64_t read_number(reader *r, const char *key, uint64_t most)
{
    int64_t number = 0;
    const lg_json *value = member(r, key);
    if (value && (!lg_json_int(value, &number) || number < 0 || (uint64_t)number > most)) {
        fail_member(r, key);
        return 0;
    }
    return (uint64_t)number;
}

static bool read_bool(reader *r, const char *key)
{
    const lg_json *value = member(r, key);
    if (value && !lg_json_is(value, LG_JSON_BOOL)) {
        fail_member(r, key);
    }
    return lg_json_is_true(value);
}

static bool read_time(reader *r, const char *key, lg_time *ret)
{
    const lg_json *value = member(r, key);
    int64_t nanos = 0;
    *ret = (lg_time){0};
    if (!value) {
        return false;
    }
    bool fine = lg_json_is(value, LG_JSON_ARRAY) && lg_json_len(value) == 2 &&
                lg_json_int(lg_json_item(value, 0), &ret->seconds) &&
                lg_json_int(lg_json_item(value, 1), &nanos) && nanos >= 0 && nanos <= UINT32_MAX;
    ret->nanos = (uint32_t)nanos;
    if (!fine) {
        fail_member(r, key);
    }
    return fine;
}

static lg_journal_id read_id(reader *r, const char *key)
{
    lg_journal_id id = {0};
    if (!lg_unhex(lg_json_str(member(r, key)), id.bytes, sizeof(id.bytes))) {
        fail_member(r, key);
    }
    return id;
}

// --- Events -------------------------------------------------------------------------------------

static lg_event_kind read_kind(reader *r)
{
    lg_str name = lg_json_str(member(r, "kind"));
    const lg_event_kind kinds[] = {LG_EVENT_MESSAGE, LG_EVENT_CALL, LG_EVENT_RESULT,
                                   LG_EVENT_ERROR};
    for (size_t i = 0; i < LG_COUNT(kinds); i++) {
        if (lg_str_eq(name, lg_str_c(lg_event_kind_name(kinds[i])))) {
            return kinds[i];
        }
    }
    fail_member(r, "kind");
    return LG_EVENT_MESSAGE;
}

static lg_role read_role(reader *r)
{
    lg_str name = lg_json_str(member(r, "role"));
    if (lg_str_eq(name, LG_STR("agent"))) {
        return LG_ROLE_AGENT;
    }
    if (!lg_str_eq(name, LG_STR("user")) && !lg_str_eq(name, LG_STR("system"))) {
        fail_member(r, "role");
    }
    return lg_str_eq(name, LG_STR("user")) ? LG_ROLE_USER : LG_ROLE_SYSTEM;
}

static const lg_json *read_args_value(reader *r, lg_str args)
{
    const lg_json *value = member(r, "value");
    if (!read_bool(r, "parsed")) {
        return value;
    }
    lg_str text = lg_arena_str(r->arena, args);
    lg_status status =
        text.ptr ? lg_json_parse_in(r->arena, text, 0, text.len, NULL, &value, NULL) : LG_ERR_OOM;
    if (status == LG_ERR_OOM) {
        fail_memory(r);
    } else if (status != LG_OK) {
        fail_member(r, "args");
    }
    return status == LG_OK ? value : NULL;
}

static lg_event read_told(reader *r)
{
    lg_event event = {.kind = read_kind(r), .role = read_role(r)};
    event.has_turn = member(r, "turn") != NULL;
    event.turn = (uint32_t)read_number(r, "turn", UINT32_MAX);
    event.has_time = read_time(r, "time", &event.time);
    event.id = read_text(r, "id");
    event.tool = read_text(r, "tool");
    event.args = read_text(r, "args");
    event.json = read_args_value(r, event.args);
    event.text = read_text(r, "text");
    return event;
}

lg_status read_event_body(lg_arena *arena, lg_str body, read_event *ret, lg_error *reterr)
{
    reader r = begin(arena, body, reterr);
    if (r.status == LG_OK) {
        ret->previous = read_id(&r, "previous");
        ret->told.has_host_time = read_time(&r, "host_time", &ret->told.host_time);
        ret->told.event = read_told(&r);
        ret->has_said = member(&r, "said") != NULL;
        ret->said = ret->has_said ? read_id(&r, "said") : (lg_journal_id){0};
    }
    return r.status;
}

// --- Laws ---------------------------------------------------------------------------------------

static void read_limits(reader *r, lg_limits *ret)
{
    reader of = *r;
    of.object = member(r, "limits");
    *ret = (lg_limits){0};
    if (!lg_json_is(of.object, LG_JSON_OBJECT)) {
        fail_member(r, "limits");
        return;
    }
    // Each is as wide as its field, and no file may ask for a thousand times the work that is usual.
#define X(name)                                                                                    \
    {                                                                                              \
        uint64_t most = (uint64_t)lg_limits_default.name * 1000;                                   \
        uint64_t widest = sizeof(ret->name) == 4 ? UINT32_MAX : UINT64_MAX;                        \
        uint64_t value = read_number(&of, #name, most < widest ? most : widest);                   \
        uint32_t narrow = (uint32_t)value;                                                         \
        bool is_narrow = sizeof(ret->name) == sizeof(narrow);                                      \
        memcpy(&ret->name, is_narrow ? (const void *)&narrow : &value, sizeof(ret->name));         \
    }
    LIMITS_MAP(X)
#undef X
    r->status = of.status;
}

lg_status read_law_body(lg_arena *arena, lg_str body, read_law *ret, lg_error *reterr)
{
    reader r = begin(arena, body, reterr);
    if (r.status == LG_OK) {
        ret->text = read_text(&r, "text");
        ret->file = read_text(&r, "file");
        ret->program = read_text(&r, "program");
        ret->explain = (lg_explain)read_number(&r, "explain", LG_EXPLAIN_ALL);
        ret->recorded = read_bool(&r, "recorded");
        read_limits(&r, &ret->limits);
    }
    return r.status;
}

// --- Decisions and outcomes ---------------------------------------------------------------------

static void read_proposed(reader *r, read_decision *ret)
{
    const lg_json *list = member(r, "proposed");
    reader of = *r;
    if (!lg_json_is(list, LG_JSON_ARRAY)) {
        fail_member(r, "proposed");
        return;
    }
    ret->count = lg_json_len(list);
    ret->proposed = LG_NEW_ARRAY(r->arena, lg_event, ret->count);
    if (!ret->proposed) {
        fail_memory(r);
        return;
    }
    for (size_t i = 0; i < ret->count && of.status == LG_OK; i++) {
        of.object = lg_json_item(list, i);
        if (!lg_json_is(of.object, LG_JSON_OBJECT)) {
            fail_member(&of, "proposed");
        }
        ret->proposed[i] = read_told(&of);
    }
    r->status = of.status;
}

// Deciding again needs none of it, but people are shown it.
static void check_overrides(reader *r, const read_decision *decision)
{
    const lg_json *list = member(r, "host");
    reader of = *r;
    if (list && !lg_json_is(list, LG_JSON_ARRAY)) {
        fail_member(r, "host");
        return;
    }
    for (size_t i = 0; i < lg_json_len(list) && of.status == LG_OK; i++) {
        of.object = lg_json_item(list, i);
        uint64_t proposed = lg_json_is(of.object, LG_JSON_OBJECT)
                                ? read_number(&of, "proposed", UINT32_MAX)
                                : decision->count;
        if (proposed >= decision->count || !lg_json_is(member(&of, "rules"), LG_JSON_ARRAY)) {
            fail_member(&of, "host");
        } else {
            (void)read_bool(&of, "passes");
            (void)read_text(&of, "message");
        }
    }
    r->status = of.status;
}

static void read_reports(reader *r, read_decision *ret)
{
    const lg_json *list = member(r, "decisions");
    const lg_json *error = member(r, "error");
    if (list && (!lg_json_is(list, LG_JSON_ARRAY) || lg_json_len(list) != ret->count || error)) {
        fail_member(r, "decisions");
    } else if (list) {
        ret->decisions = list;
        ret->reports = lg_str_slice(r->body, list->offset, r->body.len);
    } else if (!lg_json_is(error, LG_JSON_OBJECT)) {
        fail_member(r, "error");
    } else {
        ret->status = lg_json_str(lg_json_get(error, LG_STR("status")));
        ret->error = lg_json_str(lg_json_get(error, LG_STR("message")));
    }
}

lg_status read_decision_body(lg_arena *arena, lg_str body, read_decision *ret, lg_error *reterr)
{
    reader r = begin(arena, body, reterr);
    *ret = (read_decision){0};
    if (r.status == LG_OK) {
        ret->conversation = read_text(&r, "conversation");
        ret->law = read_id(&r, "law");
        ret->last = read_id(&r, "last");
        ret->has_host_time = read_time(&r, "host_time", &ret->host_time);
        ret->ledger = lg_json_str(member(&r, "ledger"));
        read_proposed(&r, ret);
    }
    if (r.status == LG_OK) {
        check_overrides(&r, ret);
    }
    if (r.status == LG_OK) {
        read_reports(&r, ret);
    }
    return r.status;
}

lg_status read_outcome_body(lg_arena *arena, lg_str body, lg_journal_id *ret, lg_error *reterr)
{
    reader r = begin(arena, body, reterr);
    if (r.status == LG_OK) {
        *ret = read_id(&r, "decision");
    }
    return r.status;
}
