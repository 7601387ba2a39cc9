// log.c: `ledgergate log`: the log of decisions: which action, on which log.
#include "cli/log/log.h"

#include <stdio.h>
#include <unistd.h>

static const char help[] =
    "usage: ledgergate log ACTION [OPTIONS]\n"
    "\n"
    "The log of decisions that `serve` writes: what was decided, by which pack, on which ledger.\n"
    "\n"
    "  show            the decisions, a line each; with --all every record\n"
    "  explain ID      one decision with its evidence, and what became of it\n"
    "  export          every record as one JSON object a line, payloads included\n"
    "  verify          is the log whole, unchanged and signed? With --re-execute, is every "
    "decision\n"
    "                  what its pack decides now on the same events?\n"
    "  redact ID       delete what a decision says, for good; or, with --conversation NAME, all "
    "that\n"
    "                  a conversation's decisions say and stand on. The log still verifies\n"
    "  prune           the same for all that was written before a time (--before)\n"
    "\n"
    "ID is a decision's id (x-ledgergate-decision-id) or the number of its record.\n"
    "\n"
    "  --store FILE         the log [ledgergate.db]\n"
    "  --key FILE           its key file [FILE.key]; to read a log it is not needed\n"
    "  --all                show: every record, not decisions alone\n"
    "  --from N             show, export: from record N on\n"
    "  --re-execute         verify: decide everything again\n"
    "  --head N:DIGEST      verify: a head that was seen before, so that a log that was cut shows\n"
    "  --public-key HEX     verify: of whom the signature has to be [as the key file says]\n"
    "  --conversation NAME  redact: all of a conversation\n"
    "  --before TIME        prune: 2026-01-31T00:00:00Z\n"
    "  --why TEXT           redact, prune: the reason, which the log keeps\n"
    "  --json               one JSON object a line\n"
    "\n"
    "All of it works while `serve` writes to the log.\n"
    "Exit codes: 0 fine, 1 something is wrong with the log, 2 usage or bad input, 3 internal or\n"
    "environment.\n";

// --- What the actions share ---------------------------------------------------------------------

int log_fail(const lg_error *error)
{
    cli_say("ledgergate log: %s", error->msg);
    return cli_exit_code(error->status);
}

const lg_json *log_payload(log_task *t, lg_str body)
{
    const lg_json *payload = NULL;
    lg_str text = lg_arena_str(&t->arena, body);
    return text.ptr &&
                   lg_json_parse_in(&t->arena, text, 0, text.len, NULL, &payload, NULL) == LG_OK &&
                   lg_json_is(payload, LG_JSON_OBJECT)
               ? payload
               : NULL;
}

lg_str log_time(lg_time time, char room[LG_TIME_TEXT_MAX])
{
    time.nanos = 0;
    return (lg_str){room, lg_time_print(room, time)};
}

void log_add_tools(lg_buf *out, const lg_json *payload)
{
    const lg_json *proposed = lg_json_get(payload, LG_STR("proposed"));
    for (size_t i = 0; i < lg_json_len(proposed); i++) {
        lg_str tool = lg_json_str(lg_json_get(lg_json_item(proposed, i), LG_STR("tool")));
        lg_buf_addf(out, "%s%.*s", i ? ", " : "", LG_FMT(tool.len ? tool : LG_STR("(text)")));
    }
}

const lg_json *log_override_of(const lg_json *payload, size_t proposed)
{
    const lg_json *all = lg_json_get(payload, LG_STR("host"));
    for (size_t i = 0; i < lg_json_len(all); i++) {
        const lg_json *one = lg_json_item(all, i);
        const lg_json *of = lg_json_get(one, LG_STR("proposed"));
        int64_t index = -1;
        if (of && lg_json_int(of, &index) && index >= 0 && (uint64_t)index == proposed) {
            return one;
        }
    }
    return NULL;
}

void log_add_verdicts(lg_buf *out, const lg_json *payload)
{
    const lg_json *decisions = lg_json_get(payload, LG_STR("decisions"));
    if (!decisions) {
        lg_buf_add_c(out, "no verdict");
    }
    for (size_t i = 0; i < lg_json_len(decisions); i++) {
        lg_str verdict = lg_json_str(lg_json_get(lg_json_item(decisions, i), LG_STR("verdict")));
        const lg_json *host = log_override_of(payload, i);
        bool passes = lg_json_is_true(lg_json_get(host, LG_STR("passes")));
        if (host && !passes) {
            verdict = LG_STR("refused");
        }
        lg_buf_addf(out, "%s%.*s%s", i ? ", " : "", LG_FMT(verdict), passes ? " (passed)" : "");
    }
}

void log_write_record(log_task *t, const lg_log_record *record)
{
    char time[LG_TIME_TEXT_MAX];
    char hex[2 * LG_STORE_KEY_BYTES_MAX + 1];
    lg_json_writer w = {.out = &t->out.buf};
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "sequence");
    lg_jw_uint(&w, record->sequence);
    lg_jw_key(&w, "kind");
    lg_jw_str(&w, record->kind);
    lg_jw_key(&w, "time");
    lg_jw_str(&w, (lg_str){time, lg_time_print(time, record->time)});
    lg_hex(record->chain.bytes, LG_DIGEST_BYTES, hex);
    lg_jw_key(&w, "chain");
    lg_jw_c(&w, hex);
    if (record->key.len) {
        lg_hex(record->key.ptr, record->key.len, hex);
        lg_jw_key(&w, "id");
        lg_jw_c(&w, hex);
    }
    if (record->has_payload) {
        lg_jw_key(&w, "payload");
        lg_jw_json(&w, log_payload(t, record->body));
    } else {
        lg_jw_key(&w, "redacted");
        lg_jw_bool(&w, true);
    }
    lg_jw_end_object(&w);
    lg_buf_add_c(&t->out.buf, "\n");
    cli_out_flush_some(&t->out);
}

// --- The verb -----------------------------------------------------------------------------------

typedef struct action {
    const char *name;
    int (*run)(log_task *t, char **operands, size_t count);
    size_t least, most; // operands
} action;

static const action actions[] = {
    {"show", log_show, 0, 0},     {"explain", log_explain, 1, 1}, {"export", log_export, 0, 0},
    {"verify", log_verify, 0, 0}, {"redact", log_redact, 0, 1},   {"prune", log_prune, 0, 0},
};

static const action *find_action(const char *name)
{
    for (size_t i = 0; i < LG_COUNT(actions); i++) {
        if (lg_str_eq(lg_str_c(actions[i].name), lg_str_c(name))) {
            return &actions[i];
        }
    }
    return NULL;
}

// Without the key file, all can be read and verified, but for what only it can tell.
static int open_keys(log_task *t, bool asked)
{
    lg_error err;
    if (!asked) {
        lg_str beside = lg_arena_printf(&t->arena, "%s.key", t->path);
        t->key_path = beside.ptr;
    }
    if (!t->key_path) {
        return EXIT_INTERNAL;
    }
    lg_status status = lg_store_read_keys(t->key_path, &t->keys, &err);
    t->has_keys = status == LG_OK;
    return status == LG_OK || !asked ? EXIT_FINE : log_fail(&err);
}

static int run_action(log_task *t, const action *chosen, char **operands, size_t count)
{
    lg_error err;
    lg_arena_init(&t->arena, 0);
    int code = open_keys(t, t->key_path != NULL);
    if (code == EXIT_FINE) {
        lg_status status = lg_log_open(t->path, NULL, &t->log, &err);
        code = status == LG_OK ? EXIT_FINE : log_fail(&err);
    }
    if (code == EXIT_FINE) {
        cli_out_init(&t->out, t->json);
        code = cli_out_done(&t->out, chosen->run(t, operands, count));
    }
    lg_log_close(t->log);
    lg_arena_done(&t->arena);
    lg_forget(&t->keys, sizeof(t->keys));
    return code;
}

int cli_log(int argc, char **argv)
{
    if (cli_wants_help(argc, argv)) {
        return cli_print_help(help);
    }
    log_task t = {.path = "ledgergate.db"};
    const cli_option options[] = {
        {"--store", &t.path, NULL},    {"--key", &t.key_path, NULL},
        {"--all", NULL, &t.all},       {"--re-execute", NULL, &t.execute},
        {"--head", &t.head, NULL},     {"--public-key", &t.public_key, NULL},
        {"--before", &t.before, NULL}, {"--conversation", &t.conversation, NULL},
        {"--why", &t.why, NULL},       {"--from", &t.from, NULL},
        {"--json", NULL, &t.json},
    };
    size_t operands;
    int code = cli_parse("log", argc, argv, options, LG_COUNT(options), &operands);
    if (code != EXIT_FINE) {
        return code;
    }
    const action *chosen = operands ? find_action(argv[0]) : NULL;
    if (!chosen) {
        return cli_usage("log", "say what to do: show, explain, export, verify, redact or prune");
    }
    if (operands - 1 < chosen->least || operands - 1 > chosen->most) {
        return cli_usage("log",
                         chosen->most ? "%s takes the id of one decision" : "%s takes no operand",
                         chosen->name);
    }
    return run_action(&t, chosen, argv + 1, operands - 1);
}
