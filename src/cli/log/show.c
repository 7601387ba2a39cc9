// show.c: `log show`, `log explain`, `log export`: what the log holds.
#include "cli/log/log.h"

// --- Lines --------------------------------------------------------------------------------------

lg_status log_read_outcomes(log_task *t, uint64_t from, lg_error *reterr)
{
    lg_log_record record;
    lg_status status = LG_OK;
    t->outcomes = (lg_map){0};
    for (; status == LG_OK; from = record.sequence + 1) {
        status = lg_log_next(t->log, from, LG_STR("outcome"), &record, reterr);
        const lg_json *payload =
            status == LG_OK && record.has_payload ? log_payload(t, record.body) : NULL;
        lg_str id = lg_json_str(lg_json_get(payload, LG_STR("decision")));
        if (id.len) {
            lg_str key = lg_arena_str(&t->kept, id);
            lg_str name =
                lg_arena_str(&t->kept, lg_json_str(lg_json_get(payload, LG_STR("outcome"))));
            lg_str *kept = LG_NEW(&t->kept, lg_str);
            if (!key.ptr || !name.ptr || !kept) {
                return lg_fail_oom(reterr);
            }
            *kept = name;
            if (!lg_map_put(&t->kept, &t->outcomes, key, kept, 1)) {
                return lg_fail_oom(reterr);
            }
        }
        lg_arena_reset(&t->arena);
    }
    return status == LG_ERR_MISSING ? LG_OK : status;
}

static void add_column(log_task *t, lg_str text, size_t width)
{
    cli_pad(&t->out, text, width);
    lg_buf_add_c(&t->out.buf, "  ");
}

static lg_str about(const lg_json *payload, const char *name)
{
    return lg_json_str(lg_json_get(lg_json_get(payload, LG_STR("about")), lg_str_c(name)));
}

static void add_decision(log_task *t, const lg_log_record *record, const lg_json *payload)
{
    lg_buf text;
    char id[2 * LG_STORE_KEY_BYTES_MAX + 1];
    lg_hex(record->key.ptr, record->key.len, id);
    const lg_str *outcome = lg_map_get(&t->outcomes, lg_str_c(id));
    lg_buf_init(&text, 0);
    add_column(t, lg_str_c(id), 2 * LG_JOURNAL_ID_BYTES);
    log_add_verdicts(&text, payload);
    add_column(t, lg_buf_str(&text), 8);
    add_column(t, outcome ? *outcome : LG_STR("-"), 11);
    lg_buf_clear(&text);
    lg_buf_addf(&text, "%.*s %.*s", LG_FMT(about(payload, "route")),
                LG_FMT(about(payload, "mode")));
    add_column(t, lg_str_trim(lg_buf_str(&text)), 12);
    lg_buf_clear(&text);
    log_add_tools(&text, payload);
    add_column(t, lg_buf_str(&text), 24);
    cli_add_cut(&t->out, lg_json_str(lg_json_get(payload, LG_STR("conversation"))), 80);
    lg_buf_done(&text);
}

static void add_summary(log_task *t, const lg_log_record *record)
{
    static const char *const members[] = {"pack", "outcome", "why", "kind", "tool", "note"};
    const lg_json *payload = record->has_payload ? log_payload(t, record->body) : NULL;
    if (record->has_payload && lg_str_eq(record->kind, LG_STR("decision"))) {
        add_decision(t, record, payload);
        return;
    }
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_buf_add_c(&text, record->has_payload ? "" : "(redacted)");
    for (size_t i = 0; i < LG_COUNT(members); i++) {
        lg_str value = lg_json_str(lg_json_get(payload, lg_str_c(members[i])));
        lg_buf_addf(&text, "%s%.*s", text.len && value.len ? " " : "", LG_FMT(value));
    }
    cli_add_cut(&t->out, lg_buf_str(&text), 80);
    lg_buf_done(&text);
}

void log_show_record(log_task *t, const lg_log_record *record)
{
    char time[LG_TIME_TEXT_MAX];
    lg_buf *buf = &t->out.buf;
    lg_buf_addf(buf, "%8llu  ", (unsigned long long)record->sequence);
    cli_pad(&t->out, log_time(record->time, time), 20);
    lg_buf_add_c(buf, "  ");
    if (t->all) {
        cli_pad(&t->out, record->kind, 10);
        lg_buf_add_c(buf, "  ");
    }
    add_summary(t, record);
    lg_buf_add_c(buf, "\n");
    cli_out_flush_some(&t->out);
}

static bool read_from(const log_task *t, uint64_t *ret)
{
    uint64_t number = 0;
    for (const char *c = t->from ? t->from : "1"; *c; c++) {
        if (*c < '0' || *c > '9' || number > UINT64_MAX / 100) {
            return false;
        }
        number = number * 10 + (uint64_t)(*c - '0');
    }
    *ret = number;
    return !t->from || t->from[0];
}

static int each_record(log_task *t, lg_str kind,
                       void (*use)(log_task *t, const lg_log_record *record))
{
    uint64_t from;
    lg_error err;
    lg_log_record record;
    lg_status status = LG_OK;
    if (!read_from(t, &from)) {
        return cli_usage("log", "--from is the number of a record");
    }
    if (!t->json && !t->out.is_data) {
        status = log_read_outcomes(t, from, &err);
    }
    for (; status == LG_OK; from = record.sequence + 1) {
        status = lg_log_next(t->log, from, kind, &record, &err);
        if (status != LG_OK) {
            break;
        }
        use(t, &record);
        lg_arena_reset(&t->arena);
    }
    return status == LG_ERR_MISSING ? EXIT_FINE : log_fail(&err);
}

int log_show(log_task *t, char **operands, size_t count)
{
    (void)operands;
    (void)count;
    return each_record(t, t->all ? LG_STR("") : LG_STR("decision"),
                       t->json ? log_write_record : log_show_record);
}

int log_export(log_task *t, char **operands, size_t count)
{
    (void)operands;
    (void)count;
    t->out.is_data = true;
    return each_record(t, LG_STR(""), log_write_record);
}

// --- One decision -------------------------------------------------------------------------------

static void add_line(log_task *t, const char *name, lg_str value)
{
    if (value.len) {
        cli_pad(&t->out, lg_str_c(name), 14);
        cli_add_text(&t->out, value);
        lg_buf_add_c(&t->out.buf, "\n");
    }
}

// The rule, and below it why it is there, and what the model was told to do.
static void add_finding(log_task *t, const lg_json *finding)
{
    lg_str because = lg_json_str(lg_json_get(finding, LG_STR("because")));
    lg_buf_add_c(&t->out.buf, "  ");
    add_column(t, lg_json_str(lg_json_get(finding, LG_STR("rule"))), 28);
    add_column(t, lg_json_str(lg_json_get(finding, LG_STR("cause"))), 10);
    cli_add_text(&t->out, lg_json_str(lg_json_get(finding, LG_STR("message"))));
    lg_buf_add_c(&t->out.buf, "\n");
    if (because.len) {
        lg_buf_add_c(&t->out.buf, "    because ");
        cli_add_text(&t->out, because);
        lg_buf_add_c(&t->out.buf, "\n");
    }
}

static void add_hints(log_task *t, const lg_json *hints)
{
    for (size_t i = 0; i < lg_json_len(hints); i++) {
        const lg_json *hint = lg_json_item(hints, i);
        lg_buf_add_c(&t->out.buf, "  would pass with ");
        cli_add_text(&t->out, lg_json_str(lg_json_get(hint, LG_STR("path"))));
        lg_buf_add_c(&t->out.buf, " = ");
        cli_add_cut(&t->out, lg_json_str(lg_json_get(hint, LG_STR("value"))), 200);
        lg_buf_add_c(&t->out.buf, "\n");
    }
}

// "[get_order, turn 3]": what a value was read by.
static void add_source(log_task *t, const lg_json *item)
{
    lg_str tool = lg_json_str(lg_json_get(item, LG_STR("tool")));
    int64_t turn = 0;
    if (tool.len) {
        lg_buf_add_c(&t->out.buf, "  [");
        cli_add_text(&t->out, tool);
        if (lg_json_int(lg_json_get(item, LG_STR("turn")), &turn)) {
            lg_buf_addf(&t->out.buf, ", turn %lld", (long long)turn);
        }
        lg_buf_add_c(&t->out.buf, "]");
    }
}

static void add_evidence(log_task *t, const lg_json *evidence)
{
    for (size_t i = 0; i < lg_json_len(evidence); i++) {
        const lg_json *item = lg_json_item(evidence, i);
        cli_colour(&t->out, "2");
        lg_buf_add_c(&t->out.buf, "  ");
        cli_add_text(&t->out, lg_json_str(lg_json_get(item, LG_STR("path"))));
        lg_buf_add_c(&t->out.buf, " = ");
        cli_add_cut(&t->out, lg_json_str(lg_json_get(item, LG_STR("value"))), 100);
        if (lg_json_is_true(lg_json_get(item, LG_STR("stale")))) {
            lg_buf_add_c(&t->out.buf, " (stale)");
        }
        add_source(t, item);
        cli_colour(&t->out, "0");
        lg_buf_add_c(&t->out.buf, "\n");
    }
}

// What LedgerGate did in place of what the verdict says.
static void add_override(log_task *t, const lg_json *host)
{
    bool passes = lg_json_is_true(lg_json_get(host, LG_STR("passes")));
    lg_buf_add_c(&t->out.buf, passes ? "  let pass, because it is only watched: "
                                     : "  refused without a rule: ");
    cli_add_json(&t->out, lg_json_get(host, LG_STR("rules")), 100);
    lg_buf_add_c(&t->out.buf, " ");
    cli_add_text(&t->out, lg_json_str(lg_json_get(host, LG_STR("message"))));
    lg_buf_add_c(&t->out.buf, "\n");
}

// What was proposed; `verdict` is what was decided of it.
static void add_call(log_task *t, const lg_json *call, lg_str verdict, lg_str own_id)
{
    lg_str tool = lg_json_str(lg_json_get(call, LG_STR("tool")));
    lg_str args = lg_json_str(lg_json_get(call, LG_STR("args")));
    lg_str text = lg_json_str(lg_json_get(call, LG_STR("text")));
    lg_buf_add_c(&t->out.buf, "\n");
    cli_colour(&t->out, "1");
    cli_add_text(&t->out, verdict);
    cli_colour(&t->out, "0");
    lg_buf_add_c(&t->out.buf, "  ");
    cli_add_text(&t->out, tool.len ? tool : LG_STR("(text)"));
    lg_buf_add_c(&t->out.buf, " ");
    if (args.len) {
        cli_add_cut(&t->out, args, 400);
    } else if (lg_json_get(call, LG_STR("value"))) {
        cli_add_json(&t->out, lg_json_get(call, LG_STR("value")), 400);
    } else if (!tool.len) {
        cli_add_cut(&t->out, text, 400);
    }
    if (own_id.len) {
        lg_buf_add_c(&t->out.buf, "  [");
        cli_add_text(&t->out, own_id);
        lg_buf_add_c(&t->out.buf, "]");
    }
    lg_buf_add_c(&t->out.buf, "\n");
}

// `decision` may be NULL: no verdict was reached.
static void explain_call(log_task *t, const lg_json *payload, size_t index, const lg_json *decision)
{
    const lg_json *host = log_override_of(payload, index);
    const lg_json *ids = lg_json_at(payload, LG_STR("/about/calls"));
    const lg_json *findings = lg_json_get(decision, LG_STR("findings"));
    add_call(t, lg_json_item(lg_json_get(payload, LG_STR("proposed")), index),
             decision ? lg_json_str(lg_json_get(decision, LG_STR("verdict")))
                      : LG_STR("no verdict"),
             lg_json_str(lg_json_item(ids, index)));
    if (host) {
        add_override(t, host);
    }
    for (size_t i = 0; i < lg_json_len(findings); i++) {
        add_finding(t, lg_json_item(findings, i));
    }
    add_evidence(t, lg_json_get(decision, LG_STR("evidence")));
    add_hints(t, lg_json_get(decision, LG_STR("hints")));
}

// What became of it stands behind it.
static lg_status explain_outcomes(log_task *t, const lg_log_record *of, lg_error *reterr)
{
    char id[2 * LG_STORE_KEY_BYTES_MAX + 1];
    lg_log_record record = *of;
    lg_status status = LG_OK;
    lg_hex(of->key.ptr, of->key.len, id);
    lg_str wanted = lg_arena_str(&t->arena, lg_str_c(id));
    for (uint64_t from = of->sequence; status == LG_OK; from = record.sequence + 1) {
        char time[LG_TIME_TEXT_MAX];
        status = lg_log_next(t->log, from, LG_STR("outcome"), &record, reterr);
        const lg_json *payload =
            status == LG_OK && record.has_payload ? log_payload(t, record.body) : NULL;
        if (!payload || !wanted.len ||
            !lg_str_eq(lg_json_str(lg_json_get(payload, LG_STR("decision"))), wanted)) {
            continue;
        }
        if (t->json) {
            log_write_record(t, &record);
            continue;
        }
        lg_buf_add_c(&t->out.buf, "\n");
        add_line(t, "outcome", lg_json_str(lg_json_get(payload, LG_STR("outcome"))));
        add_line(t, "at", log_time(record.time, time));
        add_line(t, "note", lg_json_str(lg_json_get(payload, LG_STR("note"))));
    }
    return status == LG_ERR_MISSING ? LG_OK : status;
}

// By which pack, and what its record is called.
static void add_law(log_task *t, lg_str id)
{
    lg_log_record record;
    char key[LG_JOURNAL_ID_BYTES];
    const lg_json *law = NULL;
    if (lg_unhex(id, key, sizeof(key)) &&
        lg_log_find(t->log, (lg_str){key, sizeof(key)}, &record, NULL) == LG_OK) {
        law = log_payload(t, record.body);
    }
    lg_str pack = lg_json_str(lg_json_get(law, LG_STR("pack")));
    lg_str version = lg_json_str(lg_json_get(law, LG_STR("version")));
    cli_pad(&t->out, LG_STR("law"), 14);
    if (pack.len) {
        cli_add_text(&t->out, pack);
        lg_buf_add_c(&t->out.buf, " ");
        cli_add_text(&t->out, version);
        lg_buf_add_c(&t->out.buf, "  ");
    }
    cli_add_text(&t->out, id);
    lg_buf_add_c(&t->out.buf, "\n");
}

static void explain_decision(log_task *t, const lg_log_record *record)
{
    char time[LG_TIME_TEXT_MAX];
    char id[2 * LG_STORE_KEY_BYTES_MAX + 1];
    const lg_json *payload = record->has_payload ? log_payload(t, record->body) : NULL;
    lg_hex(record->key.ptr, record->key.len, id);
    lg_buf_addf(&t->out.buf, "decision      %s\nrecord        %llu\n", id,
                (unsigned long long)record->sequence);
    add_line(t, "time", log_time(record->time, time));
    if (!record->has_payload) {
        lg_buf_add_c(&t->out.buf, "What it said was redacted.\n");
        return;
    }
    add_line(t, "conversation", lg_json_str(lg_json_get(payload, LG_STR("conversation"))));
    if (lg_json_get(payload, LG_STR("about"))) {
        cli_pad(&t->out, LG_STR("about"), 14);
        cli_add_json(&t->out, lg_json_get(payload, LG_STR("about")), 400);
        lg_buf_add_c(&t->out.buf, "\n");
    }
    add_law(t, lg_json_str(lg_json_get(payload, LG_STR("law"))));
    add_line(t, "ledger", lg_json_str(lg_json_get(payload, LG_STR("ledger"))));
    add_line(t, "after event", lg_json_str(lg_json_get(payload, LG_STR("last"))));
    add_line(t, "no verdict", lg_json_str(lg_json_at(payload, LG_STR("/error/message"))));
    const lg_json *proposed = lg_json_get(payload, LG_STR("proposed"));
    const lg_json *decisions = lg_json_get(payload, LG_STR("decisions"));
    for (size_t i = 0; i < lg_json_len(proposed); i++) {
        explain_call(t, payload, i, lg_json_item(decisions, i));
    }
}

int log_explain(log_task *t, char **operands, size_t count)
{
    lg_error err;
    lg_log_record record;
    (void)count;
    lg_status status = lg_journal_find(t->log, lg_str_c(operands[0]), &record, &err);
    if (status == LG_OK) {
        // The next call on the log takes the record's texts away.
        record.kind = lg_arena_str(&t->arena, record.kind);
        record.key = lg_arena_str(&t->arena, record.key);
        record.body = lg_arena_str(&t->arena, record.body);
        (t->json ? log_write_record : explain_decision)(t, &record);
        status = explain_outcomes(t, &record, &err);
    }
    return status == LG_OK ? EXIT_FINE : log_fail(&err);
}
