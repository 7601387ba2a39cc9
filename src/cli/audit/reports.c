// reports.c: see reports.h.
#include "cli/audit/reports.h"
#include "cli/audit/part.h"
#include "cli/lines.h"
#include "report/junit.h"
#include "report/sarif.h"

#include "base/alloc.h"

#include <errno.h>
#include <unistd.h>

#define FLUSH_BYTES ((size_t)256 << 10)

// --- Reading results ------------------------------------------------------------------------------------

static lg_str text_of(const lg_json *object, const char *key)
{
    return lg_json_str(lg_json_get(object, lg_str_c(key)));
}

typedef void on_result(void *context, const lg_json *result);

// Calls `take` for each result of the file; what they said goes on to the part in between.
static bool each_result(const char *results, on_result *take, void *context, lg_buf *out,
                        audit_part *to, lg_error *reterr)
{
    cli_lines lines;
    lg_arena arena;
    lg_str line;
    bool more = true;
    lg_arena_init(&arena, 0);
    lg_status status = cli_lines_open(&lines, results, reterr);
    while (status == LG_OK && (status = cli_lines_next(&lines, &line, &more, reterr)) == LG_OK &&
           more) {
        const lg_json *result;
        lg_arena_reset(&arena);
        status = lg_json_parse_in(&arena, line, 0, line.len, NULL, &result, reterr);
        if (status == LG_OK) {
            take(context, result);
        }
        if (out->len > FLUSH_BYTES) {
            audit_part_put(to, lg_buf_str(out));
            lg_buf_clear(out);
        }
    }
    cli_lines_close(&lines);
    lg_arena_done(&arena);
    return status == LG_OK;
}

static bool end_report(audit_part *part, lg_buf *out, bool fine, const char *path, lg_error *reterr)
{
    fine = fine && lg_buf_status(out) == LG_OK;
    if (fine) {
        audit_part_put(part, lg_buf_str(out));
    }
    lg_buf_done(out);
    if (!audit_part_close(part, fine) && fine) {
        (void)lg_fail(reterr, LG_ERR_IO, "%s: %s", path, strerror(errno));
        return false;
    }
    return fine;
}

static bool begin_report(audit_part *part, const char *path, lg_error *reterr)
{
    if (!audit_part_open(part, path)) {
        (void)lg_fail(reterr, LG_ERR_IO, "%s: %s", path, strerror(errno));
        return false;
    }
    return true;
}

static bool is_hint(const lg_json *finding)
{
    return lg_str_eq(text_of(finding, "severity"), LG_STR("hint"));
}

// --- JUnit ------------------------------------------------------------------------------------------------

typedef struct junit_report {
    lg_junit junit;
    lg_buf text; // of one name or failure
} junit_report;

static void add_failure(junit_report *report, const lg_json *finding)
{
    const lg_json *turn = lg_json_get(finding, LG_STR("turn"));
    double number;
    lg_buf_clear(&report->text);
    if (turn && lg_json_double(turn, &number)) {
        lg_buf_addf(&report->text, "turn %.0f: ", number);
    }
    lg_buf_add(&report->text, text_of(finding, "message"));
    lg_junit_failure(&report->junit, text_of(finding, "severity"), text_of(finding, "kind"),
                     lg_buf_str(&report->text));
}

// A name is unique in its file alone, and build servers tell tests apart by group and name.
static void add_case(void *context, const lg_json *result)
{
    junit_report *report = context;
    const lg_json *findings = lg_json_get(result, LG_STR("findings"));
    lg_str domain = text_of(result, "domain"), file = text_of(result, "file");
    lg_buf_clear(&report->text);
    lg_buf_addf(&report->text, "%.*s: %.*s", LG_FMT(file), LG_FMT(text_of(result, "conversation")));
    lg_junit_case_begin(&report->junit, domain.len ? domain : LG_STR("audit"),
                        lg_buf_str(&report->text), file);
    for (size_t i = 0; i < lg_json_len(findings); i++) {
        const lg_json *finding = lg_json_item(findings, i);
        if (!is_hint(finding)) {
            add_failure(report, finding);
        }
    }
    lg_junit_case_end(&report->junit);
}

bool audit_write_junit(const char *results, const audit_sum *sum, const char *path,
                       lg_error *reterr)
{
    audit_part part;
    junit_report report;
    lg_buf out;
    if (!begin_report(&part, path, reterr)) {
        return false;
    }
    lg_buf_init(&out, 0);
    lg_buf_init(&report.text, 0);
    lg_junit_begin(&report.junit, &out, LG_STR("audit"),
                   (lg_junit_counts){.cases = sum->conversations, .failed = sum->violated});
    bool fine = each_result(results, add_case, &report, &out, &part, reterr);
    lg_junit_end(&report.junit);
    fine = fine && lg_buf_status(&report.text) == LG_OK;
    lg_buf_done(&report.text);
    return end_report(&part, &out, fine, path, reterr);
}

// --- SARIF ------------------------------------------------------------------------------------------------

typedef struct sarif_report {
    lg_sarif sarif;
    lg_arena arena;
} sarif_report;

static size_t kind_index(lg_str name)
{
    size_t count;
    const lg_audit_kind *kinds = lg_audit_kinds(&count);
    for (size_t i = 0; i < count; i++) {
        if (lg_str_eq(lg_str_c(kinds[i].name), name)) {
            return i;
        }
    }
    return 0;
}

static lg_sarif_kind sarif_kind(lg_str severity)
{
    return lg_str_eq(severity, LG_STR("severe"))     ? LG_SARIF_ERROR
           : lg_str_eq(severity, LG_STR("moderate")) ? LG_SARIF_WARNING
           : lg_str_eq(severity, LG_STR("minor"))    ? LG_SARIF_NOTE
                                                     : LG_SARIF_REVIEW;
}

static void add_finding(sarif_report *report, const lg_json *result, const lg_json *finding)
{
    int64_t line = 0, event = -1;
    (void)lg_json_int(lg_json_get(result, LG_STR("line")), &line);
    (void)lg_json_int(lg_json_get(finding, LG_STR("event")), &event);
    lg_arena_reset(&report->arena);
    lg_str kind = text_of(finding, "kind");
    lg_str path = lg_arena_str(&report->arena, text_of(result, "file"));
    lg_str identity =
        lg_arena_printf(&report->arena, "%.*s/%.*s/%lld/%.*s", LG_FMT(text_of(result, "id")),
                        LG_FMT(kind), (long long)event, LG_FMT(text_of(finding, "key")));
    lg_sarif_result row = {.rule = kind_index(kind),
                           .kind = sarif_kind(text_of(finding, "severity")),
                           .message = text_of(finding, "message"),
                           .path = path.ptr ? path.ptr : "",
                           .line = line,
                           .subject = text_of(result, "conversation"),
                           .identity = identity.ptr ? identity : LG_STR("")};
    lg_sarif_result_begin(&report->sarif, &row);
    lg_jw_member_json(&report->sarif.w, "event", lg_json_get(finding, LG_STR("event")));
    lg_jw_member_str(&report->sarif.w, "by", text_of(finding, "by"));
    lg_sarif_result_end(&report->sarif);
}

static void add_findings(void *context, const lg_json *result)
{
    const lg_json *findings = lg_json_get(result, LG_STR("findings"));
    for (size_t i = 0; i < lg_json_len(findings); i++) {
        add_finding(context, result, lg_json_item(findings, i));
    }
}

static bool list_rules(lg_arena *arena, const lg_sarif_rule **ret, size_t *ret_count)
{
    const lg_audit_kind *kinds = lg_audit_kinds(ret_count);
    lg_sarif_rule *rules = LG_NEW_ARRAY(arena, lg_sarif_rule, *ret_count);
    for (size_t i = 0; rules && i < *ret_count; i++) {
        rules[i] = (lg_sarif_rule){kinds[i].name, kinds[i].what, kinds[i].suggest};
    }
    *ret = rules;
    return rules != NULL;
}

bool audit_write_sarif(const char *results, const char *path, lg_error *reterr)
{
    audit_part part;
    sarif_report report;
    lg_arena lasting;
    lg_buf out;
    char here[4096];
    const lg_sarif_rule *rules;
    size_t count;
    if (!begin_report(&part, path, reterr)) {
        return false;
    }
    lg_buf_init(&out, 0);
    lg_arena_init(&lasting, 0);
    lg_arena_init(&report.arena, 0);
    bool fine = list_rules(&lasting, &rules, &count) || lg_fail_oom(reterr) == LG_OK;
    if (fine) {
        lg_str folder = getcwd(here, sizeof(here)) ? lg_str_c(here) : LG_STR("");
        lg_sarif_begin(&report.sarif, &out, folder, rules, count);
        fine = each_result(results, add_findings, &report, &out, &part, reterr);
        lg_sarif_end(&report.sarif);
    }
    lg_arena_done(&lasting);
    lg_arena_done(&report.arena);
    return end_report(&part, &out, fine, path, reterr);
}
