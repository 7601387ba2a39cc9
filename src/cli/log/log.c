// log.c: `ledgergate log`: the log of decisions: which action, on which log.
#include "cli/log/log.h"

#include <errno.h>
#include <sys/stat.h>

static const char help[] =
    "usage: ledgergate log ACTION [OPTIONS]\n"
    "\n"
    "The log of decisions that `serve` writes: what was decided, by which pack, on which ledger.\n"
    "\n"
    "  show            the decisions, a line each: record, time, id, verdict, outcome, route and\n"
    "                  mode, what was proposed, the conversation; with --all every record\n"
    "  explain ID      one decision with its evidence, and what became of it\n"
    "  export          every record as one JSON object a line, payloads included\n"
    "  verify          is the log whole, unchanged and signed? With --re-execute, is every "
    "decision\n"
    "                  what its pack decides now on the same events?\n"
    "  redact ID       delete what a decision says, for good; or, with --conversation, all that a\n"
    "                  conversation's decisions say and stand on. The log still verifies\n"
    "  prune           the same for all that was written before a time (--before)\n"
    "  backup FILE     a copy of the log as it is now, while `serve` writes or not\n"
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
    "  --conversation ID    redact: all of the conversation that this decision is of; or, by its\n"
    "                       NAME, if all decisions of that name are of one conversation\n"
    "  --all-alike          redact: also if these are several conversations, which begin alike\n"
    "  --before TIME        prune: 2026-01-31T00:00:00Z\n"
    "  --force              prune: also if that is in the future\n"
    "  --dry-run            redact, prune: only show what would go\n"
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
    lg_jw_member_uint(&w, "sequence", record->sequence);
    lg_jw_member_str(&w, "kind", record->kind);
    lg_jw_member_str(&w, "time", (lg_str){time, lg_time_print(time, record->time)});
    lg_hex(record->chain.bytes, LG_DIGEST_BYTES, hex);
    lg_jw_member_c(&w, "chain", hex);
    if (record->key.len) {
        lg_hex(record->key.ptr, record->key.len, hex);
        lg_jw_member_c(&w, "id", hex);
    }
    if (record->has_payload) {
        lg_jw_member_json(&w, "payload", log_payload(t, record->body));
    } else {
        lg_jw_member_bool(&w, "redacted", true);
    }
    lg_jw_end_object(&w);
    lg_buf_add_c(&t->out.buf, "\n");
    cli_out_flush_some(&t->out);
}

// --- The verb -----------------------------------------------------------------------------------

enum { SHOW = 1, EXPLAIN = 2, EXPORT = 4, VERIFY = 8, REDACT = 16, PRUNE = 32, BACKUP = 64 };
#define ANY 127u

typedef struct action {
    const char *name;
    unsigned bit;
    int (*run)(log_task *t, char **operands, size_t count);
    size_t least, most; // operands
    const char *operand;
} action;

static const action actions[] = {
    {"show", SHOW, log_show, 0, 0, ""},
    {"explain", EXPLAIN, log_explain, 1, 1, "the id of one decision"},
    {"export", EXPORT, log_export, 0, 0, ""},
    {"verify", VERIFY, log_verify, 0, 0, ""},
    {"redact", REDACT, log_redact, 0, 1, "the id of one decision"},
    {"prune", PRUNE, log_prune, 0, 0, ""},
    {"backup", BACKUP, log_backup, 1, 1, "the name of one file"},
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

// Only verifying is another thing with the key file: without it, all else can be read. One that is there and cannot be used is
// no reason to believe the log's own word for whose it is, unless somebody else has given the key.
static int open_keys(log_task *t, const action *chosen)
{
    lg_error err;
    struct stat info;
    bool asked = t->key_path != NULL;
    if (!asked) {
        lg_str beside = lg_arena_printf(&t->arena, "%s.key", t->path);
        t->key_path = beside.ptr;
    }
    if (!t->key_path) {
        return EXIT_INTERNAL;
    }
    if (!asked && (chosen->bit != VERIFY || (stat(t->key_path, &info) != 0 && errno == ENOENT))) {
        return EXIT_FINE;
    }
    lg_status status = lg_store_read_keys(t->key_path, &t->keys, &err);
    t->has_keys = status == LG_OK;
    if (status == LG_OK || (!asked && t->public_key)) {
        return EXIT_FINE;
    }
    int code = log_fail(&err);
    if (!asked) {
        cli_say("Whose log it is cannot be told without it: name a key file with --key, or give "
                "--public-key.");
    }
    return code;
}

static int open_log(log_task *t)
{
    lg_error err;
    struct stat info;
    if (t->path[0] && stat(t->path, &info) != 0 && errno == ENOENT) {
        cli_say("ledgergate log: %s: there is no such file; --store names the log", t->path);
        return EXIT_USAGE;
    }
    lg_status status = lg_log_open(t->path, NULL, &t->log, &err);
    return status == LG_OK ? EXIT_FINE : log_fail(&err);
}

static int run_action(log_task *t, const action *chosen, char **operands, size_t count)
{
    lg_arena_init(&t->arena, 0);
    lg_arena_init(&t->kept, 0);
    int code = open_keys(t, chosen);
    if (code == EXIT_FINE) {
        code = open_log(t);
    }
    if (code == EXIT_FINE) {
        cli_out_init(&t->out, t->json);
        code = cli_out_done(&t->out, chosen->run(t, operands, count));
    }
    lg_log_close(t->log);
    lg_arena_done(&t->kept);
    lg_arena_done(&t->arena);
    lg_forget(&t->keys, sizeof(t->keys));
    return code;
}

// What an action does not know, it does not pass over: who limits it by that would be told a lie.
static int check_option(const cli_option *option, unsigned takers, const action *chosen)
{
    bool given = option->value ? *option->value != NULL : *option->flag;
    if (!given || (takers & chosen->bit)) {
        return EXIT_FINE;
    }
    lg_buf names;
    lg_buf_init(&names, 0);
    for (size_t i = 0; i < LG_COUNT(actions); i++) {
        if (takers & actions[i].bit) {
            lg_buf_addf(&names, "%s%s", names.len ? ", " : "", actions[i].name);
        }
    }
    int code = cli_usage("log", "%s takes no %s, which is for %.*s", chosen->name, option->name,
                         LG_FMT(lg_buf_str(&names)));
    lg_buf_done(&names);
    return code;
}

static int choose_action(log_task *t, const action *chosen, char **operands, size_t count)
{
    if (!chosen) {
        return cli_usage("log",
                         "say what to do: show, explain, export, verify, redact, prune or backup");
    }
    if (count < chosen->least || count > chosen->most) {
        return cli_usage("log", chosen->most ? "%s takes %s" : "%s takes no operand", chosen->name,
                         chosen->operand);
    }
    return run_action(t, chosen, operands, count);
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
        {"--json", NULL, &t.json},     {"--all-alike", NULL, &t.all_alike},
        {"--force", NULL, &t.force},   {"--dry-run", NULL, &t.dry_run},
    };
    // Which actions take each.
    const unsigned takers[LG_COUNT(options)] = {
        ANY,           ANY, SHOW,   VERIFY, VERIFY,         VERIFY, PRUNE, REDACT, REDACT | PRUNE,
        SHOW | EXPORT, ANY, REDACT, PRUNE,  REDACT | PRUNE,
    };
    size_t operands;
    int code = cli_parse("log", argc, argv, options, LG_COUNT(options), &operands);
    const action *chosen = code == EXIT_FINE && operands ? find_action(argv[0]) : NULL;
    for (size_t i = 0; code == EXIT_FINE && chosen && i < LG_COUNT(options); i++) {
        code = check_option(&options[i], takers[i], chosen);
    }
    return code == EXIT_FINE ? choose_action(&t, chosen, argv + 1, operands ? operands - 1 : 0)
                             : code;
}
