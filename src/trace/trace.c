// trace.c: opening: bytes to JSON values, values to a format, each value to its importer.
//
// One value or JSON Lines? If the first line is a whole value and something follows it, the file is
// JSON Lines; a document spread over lines fails to parse at its first. Nothing is parsed twice but
// that first line.
#include "base/alloc.h"
#include "base/utf8.h"
#include "trace/trace_internal.h"

#include <stdio.h>

typedef void import_function(lg_importer *imp, const lg_json *value);

static const struct format {
    const char *name;
    const char *looks_like;
    import_function *import;
    void (*end)(lg_importer *imp); // of the file: what was gathered makes conversations; or NULL
} formats[] = {
    [LG_TRACE_AUTO] = {"auto", NULL, NULL, NULL},
    [LG_TRACE_GOLD] = {"gold", "gold traces", lg_import_gold, NULL},
    [LG_TRACE_TAU2_RESULTS] = {"tau2-results", "results of tau2", lg_import_tau2_results, NULL},
    [LG_TRACE_TAU2_SIMULATION] = {"tau2-simulation", "a simulation of tau2",
                                  lg_import_tau2_simulation, NULL},
    [LG_TRACE_TAU_BENCH] = {"tau-bench", "runs of tau-bench", lg_import_tau_bench, NULL},
    [LG_TRACE_OPENAI] = {"openai", "OpenAI messages", lg_import_openai, NULL},
    [LG_TRACE_AGENTDOJO] = {"agentdojo", "runs of AgentDojo", lg_import_agentdojo, NULL},
    [LG_TRACE_CLAUDE_CODE] = {"claude-code", "a session of Claude Code", lg_import_claude_code,
                              NULL},
    [LG_TRACE_RESPONSES] = {"responses", "requests of the Responses API", lg_import_responses,
                            NULL},
    [LG_TRACE_MESSAGES] = {"messages", "requests of the Messages API", lg_import_messages, NULL},
    [LG_TRACE_OTEL] = {"otel", "traces of OpenTelemetry", lg_import_otel, lg_import_otel_end},
    [LG_TRACE_MCP] = {"mcp", "a transcript of MCP", lg_import_mcp, lg_import_mcp_end},
    [LG_TRACE_LEDGERGATE] = {"ledgergate", "a log of LedgerGate", lg_import_ledgergate,
                             lg_import_ledgergate_end},
    [LG_TRACE_ARTIFACT] = {"ledgergate-artifact", "artefacts of LedgerGate", lg_import_artifact,
                           NULL},
    [LG_TRACE_VSCODE] = {"vscode", "a chat export of VS Code", lg_import_vscode, NULL},
};

const char *lg_trace_format_name(lg_trace_format format)
{
    LG_DEBUG_ASSERT((size_t)format < LG_COUNT(formats));
    return formats[format].name;
}

bool lg_trace_format_parse(lg_str name, lg_trace_format *ret_format)
{
    for (size_t i = 0; i < LG_COUNT(formats); i++) {
        if (lg_str_eq(name, lg_str_c(formats[i].name))) {
            *ret_format = (lg_trace_format)i;
            return true;
        }
    }
    return false;
}

// --- Lines --------------------------------------------------------------------------------------

static bool is_blank(lg_str text)
{
    return lg_str_trim(text).len == 0;
}

static size_t end_of_line(lg_str text, size_t from)
{
    const char *end = from < text.len ? memchr(text.ptr + from, '\n', text.len - from) : NULL;
    return end ? (size_t)(end - text.ptr) : text.len;
}

static void add_line(lg_importer *imp, uint32_t number, size_t offset, const lg_json *value)
{
    lg_trace_line *lines =
        lg_arena_grow(imp->arena, imp->lines, imp->line_count, &imp->line_capacity, sizeof(*lines));
    if (!lines) {
        lg_importer_fail_oom(imp);
        return;
    }
    imp->lines = lines;
    lines[imp->line_count++] = (lg_trace_line){number, (uint32_t)offset, value};
}

static lg_status parse_range(lg_importer *imp, size_t from, size_t to, const lg_json **ret_value,
                             lg_error *reterr)
{
    return lg_json_parse_in(imp->arena, imp->set->text, from, to, &imp->limits, ret_value, reterr);
}

// Parses one value per line, beginning at line `number` at byte `from`.
static void parse_lines(lg_importer *imp, uint32_t number, size_t from)
{
    lg_str text = imp->set->text;
    while (from < text.len && lg_importer_ok(imp)) {
        size_t to = end_of_line(text, from);
        const lg_json *value = NULL;
        if (!is_blank(lg_str_slice(text, from, to))) {
            imp->status = parse_range(imp, from, to, &value, imp->reterr);
            if (imp->status == LG_OK) {
                add_line(imp, number, from, value);
            }
        }
        from = to + 1;
        number++;
    }
}

static void parse_file(lg_importer *imp)
{
    lg_str text = imp->set->text;
    size_t from = lg_str_starts(text, LG_STR("\xEF\xBB\xBF")) ? 3 : 0; // an editor's mark
    uint32_t number = 0;
    while (from < text.len && is_blank(lg_str_slice(text, from, end_of_line(text, from)))) {
        from = end_of_line(text, from) + 1;
        number++;
    }
    if (from >= text.len) {
        imp->status =
            lg_fail_at(imp->reterr, LG_ERR_PARSE, (lg_position){NULL, 1, 1}, "the file is empty");
        return;
    }
    size_t to = end_of_line(text, from);
    size_t rest = to + 1;
    const lg_json *value = NULL;
    bool more = rest < text.len && !is_blank(lg_str_slice(text, rest, text.len));
    lg_error ignored; // a first line that is no value is part of one
    imp->is_lines = more && parse_range(imp, from, to, &value, &ignored) == LG_OK;
    if (!imp->is_lines) {
        imp->status = parse_range(imp, from, text.len, &value, imp->reterr);
    }
    if (lg_importer_ok(imp)) {
        add_line(imp, number, from, value);
    }
    if (imp->is_lines) {
        parse_lines(imp, number + 1, rest);
    }
}

// --- Format -------------------------------------------------------------------------------------

// A line of another kind may stand first; this many are asked.
enum { LINES_ASKED = 16 };

static lg_trace_format recognise(const lg_importer *imp, const char **ret_looks_like)
{
    const char *ignored;
    lg_trace_format format = LG_TRACE_AUTO;
    *ret_looks_like = NULL;
    for (size_t i = 0; i < imp->line_count && i < LINES_ASKED && format == LG_TRACE_AUTO; i++) {
        format = lg_trace_recognise(imp->lines[i].value, i ? &ignored : ret_looks_like);
    }
    return format;
}

// " with the keys `a`, `b`": how an unknown value looks.
static void describe_keys(char *out, size_t size, const lg_json *value)
{
    int used = 0;
    const char *before = " with the keys ";
    out[0] = '\0';
    for (size_t i = 0; i < lg_json_len(value) && i < 4 && lg_json_is(value, LG_JSON_OBJECT); i++) {
        lg_str key = lg_str_slice(lg_json_key(lg_json_member_at(value, i)), 0, 24);
        if (used >= 0 && (size_t)used < size) {
            used += snprintf(out + used, size - (size_t)used, "%s`%.*s`", before, LG_FMT(key));
        }
        before = ", ";
    }
}

static lg_status fail_unknown(lg_importer *imp, lg_position at, const char *suffix)
{
    char keys[160];
    const lg_json *value = imp->lines[0].value;
    const lg_json *first = lg_json_item(value, 0);
    if (lg_json_is(value, LG_JSON_ARRAY) && !first) {
        return lg_fail_at(imp->reterr, LG_ERR_FORMAT, at, "an empty list is no recording%s",
                          suffix);
    }
    describe_keys(keys, sizeof(keys), first ? first : value);
    return lg_fail_at(
        imp->reterr, LG_ERR_FORMAT, at, "not a recording of any known format%s: %s%s%s", suffix,
        first ? "a list that begins with " : "", lg_kind(first ? first : value), keys);
}

static lg_status fail_format(lg_importer *imp, const char *looks_like, lg_trace_format asked)
{
    char suffix[64] = "";
    lg_position at = lg_text_position(imp->set->text, imp->lines[0].value->offset);
    if (asked != LG_TRACE_AUTO) {
        snprintf(suffix, sizeof(suffix), " (%s was asked for)", formats[asked].name);
    }
    if (looks_like) {
        return lg_fail_at(imp->reterr, LG_ERR_FORMAT, at, "not a recording%s: it looks like %s",
                          suffix, looks_like);
    }
    return fail_unknown(imp, at, suffix);
}

static lg_status choose_format(lg_importer *imp, lg_trace_format asked)
{
    const char *looks_like;
    lg_trace_format found = recognise(imp, &looks_like);
    if (found != LG_TRACE_AUTO && asked != LG_TRACE_AUTO && found != asked) {
        lg_position at = lg_text_position(imp->set->text, imp->lines[0].value->offset);
        return lg_fail_at(imp->reterr, LG_ERR_FORMAT, at,
                          "this looks like %s, but %s was asked for", formats[found].looks_like,
                          formats[asked].name);
    }
    if (found == LG_TRACE_AUTO) {
        return fail_format(imp, looks_like, asked);
    }
    imp->set->format = found;
    return LG_OK;
}

// --- Import -------------------------------------------------------------------------------------

static void import_line(lg_importer *imp, const lg_trace_line *line)
{
    const char *looks_like;
    lg_trace_format wanted = imp->set->format;
    lg_trace_format found = lg_trace_recognise(line->value, &looks_like);
    // Lines of a session are of many types; its importer knows them.
    if (found == wanted || (wanted == LG_TRACE_CLAUDE_CODE && found == LG_TRACE_AUTO)) {
        formats[wanted].import(imp, line->value);
        return;
    }
    looks_like = found == LG_TRACE_AUTO ? looks_like : formats[found].looks_like;
    lg_importer_issue(imp, line->value->offset, true, "not one of the %s around it%s%s",
                      formats[wanted].looks_like, looks_like ? ": it looks like " : "",
                      looks_like ? looks_like : "");
}

static void import_lines(lg_importer *imp)
{
    for (size_t i = 0; i < imp->line_count && lg_importer_ok(imp); i++) {
        import_line(imp, &imp->lines[i]);
    }
    if (lg_importer_ok(imp) && formats[imp->set->format].end) {
        formats[imp->set->format].end(imp);
    }
    lg_importer_end(imp); // of a format that is one conversation of all its lines
    if (lg_importer_ok(imp) && imp->set->count == 0) {
        lg_importer_issue(imp, imp->lines[0].value->offset, false,
                          "no conversation is in this file");
    }
    lg_importer_unique_names(imp);
}

static lg_status import_text(lg_importer *imp, lg_trace_format asked)
{
    size_t most = imp->limits.json_bytes < UINT32_MAX ? imp->limits.json_bytes : UINT32_MAX - 1;
    if (imp->set->text.len > most) { // offsets have 32 bits
        return lg_fail(imp->reterr, LG_ERR_LIMIT, "larger than the limit of %zu bytes (json_bytes)",
                       most);
    }
    parse_file(imp);
    if (lg_importer_ok(imp)) {
        imp->status = choose_format(imp, asked);
    }
    if (lg_importer_ok(imp)) {
        import_lines(imp);
    }
    return imp->status;
}

// --- Sets ---------------------------------------------------------------------------------------

// The one allocation outside of the arena.
typedef struct owner {
    lg_trace_set set;
    lg_arena arena;
    lg_file file;
} owner;

static owner *new_owner(const lg_limits *limits)
{
    owner *own = lg_zalloc(sizeof(*own));
    if (own) {
        lg_arena_init(&own->arena, limits->document_bytes);
        own->set.owned = own;
    }
    return own;
}

// Imports what `own` holds; `beside`: also what stands beside the file.
static lg_status fill(owner *own, lg_str text, const char *path, const lg_trace_options *options,
                      const lg_limits *limits, bool beside, lg_error *reterr)
{
    lg_trace_set *set = &own->set;
    lg_importer imp = {.set = set, .arena = &own->arena, .limits = *limits, .reterr = reterr};
    lg_buf_init(&imp.scratch, 0);
    lg_buf_init(&imp.joined, 0);
    set->text = text;
    set->path = lg_importer_copy(&imp, lg_str_c(path));
    if (lg_importer_ok(&imp)) {
        imp.status = import_text(&imp, options ? options->format : LG_TRACE_AUTO);
    }
    if (lg_importer_ok(&imp) && beside && set->format == LG_TRACE_CLAUDE_CODE) {
        lg_import_claude_code_verdict(&imp, path);
    }
    lg_buf_done(&imp.scratch);
    lg_buf_done(&imp.joined);
    if (imp.status != LG_OK && reterr) {
        reterr->file = path;
    }
    return imp.status;
}

static lg_status finish(owner *own, lg_status status, lg_trace_set **ret_set)
{
    if (status == LG_OK) {
        *ret_set = &own->set;
    } else {
        lg_trace_close(&own->set);
    }
    return status;
}

lg_status lg_trace_open(const char *path, const lg_trace_options *options, lg_trace_set **ret_set,
                        lg_error *reterr)
{
    lg_limits limits = lg_limits_resolve(options ? options->limits : NULL);
    owner *own = new_owner(&limits);
    if (!own) {
        return lg_fail_oom(reterr);
    }
    lg_status status = lg_file_read(path, &limits, &own->file, reterr);
    if (status == LG_OK) {
        bool is_file = !lg_str_eq(lg_str_c(path), LG_STR("-"));
        status = fill(own, own->file.text, path, options, &limits, is_file, reterr);
    }
    return finish(own, status, ret_set);
}

lg_status lg_trace_import(lg_str text, const char *path, const lg_trace_options *options,
                          lg_trace_set **ret_set, lg_error *reterr)
{
    lg_limits limits = lg_limits_resolve(options ? options->limits : NULL);
    owner *own = new_owner(&limits);
    if (!own) {
        return lg_fail_oom(reterr);
    }
    return finish(own, fill(own, text, path, options, &limits, false, reterr), ret_set);
}

lg_status lg_trace_read(lg_arena *arena, lg_str text, const lg_json *value,
                        const lg_trace_options *options, const lg_trace_set **ret_set,
                        lg_error *reterr)
{
    lg_trace_set *set = LG_NEW(arena, lg_trace_set);
    lg_importer imp = {.set = set,
                       .arena = arena,
                       .limits = lg_limits_resolve(options->limits),
                       .reterr = reterr,
                       .is_live = true};
    if (!set) {
        return lg_fail_oom(reterr);
    }
    LG_DEBUG_ASSERT(formats[options->format].import);
    lg_buf_init(&imp.scratch, 0);
    lg_buf_init(&imp.joined, 0);
    set->text = text;
    set->path = LG_STR("");
    set->format = options->format;
    add_line(&imp, 0, 0, value);
    if (lg_importer_ok(&imp)) {
        formats[set->format].import(&imp, value);
        lg_importer_end(&imp);
    }
    lg_buf_done(&imp.scratch);
    lg_buf_done(&imp.joined);
    if (imp.status == LG_OK) {
        *ret_set = set;
    }
    return imp.status;
}

// What the set itself is made of; nothing of it is known later.
static bool make_set(lg_importer *imp, lg_arena *arena, lg_str text, const lg_json *value,
                     lg_trace_format format)
{
    imp->set = LG_NEW(arena, lg_trace_set);
    imp->lines = LG_NEW(arena, lg_trace_line);
    lg_trace *room = LG_NEW(arena, lg_trace);
    if (!imp->set || !imp->lines || !room) {
        return false;
    }
    *imp->set = (lg_trace_set){.text = text, .path = LG_STR(""), .format = format, .traces = room};
    imp->trace_capacity = 1;
    imp->lines[0] = (lg_trace_line){0, 0, value};
    imp->line_count = imp->line_capacity = 1;
    return true;
}

lg_status lg_trace_read_on(lg_arena *arena, lg_trace_known *known, lg_str text,
                           const lg_json *value, const lg_trace_options *options,
                           const lg_trace_set **ret_set, bool *ret_more, lg_error *reterr)
{
    lg_importer imp = {.arena = known->arena,
                       .limits = lg_limits_resolve(options->limits),
                       .reterr = reterr,
                       .is_live = true,
                       .known = known,
                       .events = known->events,
                       .event_capacity = known->capacity};
    LG_DEBUG_ASSERT(options->format == LG_TRACE_OPENAI);
    if (!make_set(&imp, arena, text, value, options->format)) {
        return lg_fail_oom(reterr);
    }
    lg_buf_init(&imp.scratch, 0);
    lg_buf_init(&imp.joined, 0);
    formats[options->format].import(&imp, value);
    lg_buf_done(&imp.scratch);
    lg_buf_done(&imp.joined);
    if (imp.status != LG_OK) {
        return imp.status;
    }
    LG_DEBUG_ASSERT(!imp.open && imp.set->count == 1);
    *ret_more = !imp.set->issue_count && !imp.set->issues_dropped && !imp.set->left_out &&
                lg_importer_is_settled(&imp);
    known->events = imp.events;
    known->count = imp.event_count;
    known->capacity = imp.event_capacity;
    known->messages = lg_json_len(lg_json_get(value, LG_STR("messages")));
    *ret_set = imp.set;
    return LG_OK;
}

void lg_trace_close(lg_trace_set *set)
{
    if (!set) {
        return;
    }
    owner *own = set->owned;
    lg_arena_done(&own->arena);
    lg_file_close(&own->file);
    lg_free(own);
}
