// simulate.c: `ledgergate simulate`: tools that can be tried without touching the real world, over HTTP.
#include "cli/simulate/simulation.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define LISTEN "127.0.0.1:8090"

static const char help[] =
    "usage: ledgergate simulate --pack PACK [--state FILE ...] [OPTIONS]\n"
    "       ledgergate simulate DOCUMENT [OPTIONS]\n"
    "       ledgergate simulate --recorded FILE [OPTIONS]\n"
    "       ledgergate simulate ... --stdio [OPTIONS]\n"
    "       ledgergate simulate ... --verify DATA.jsonl [OPTIONS]\n"
    "\n"
    "Serves tools that are only simulated, until SIGTERM. Of a pack they do exactly what it says, "
    "on\n"
    "states of their own; of a DOCUMENT (OpenAPI 3.0, 3.1, Swagger 2.0, an MCP tools list, OpenAI "
    "or\n"
    "BFCL functions, as JSON or YAML) answers are recorded ones, a model's, or made of the "
    "schemas.\n"
    "\n"
    "  POST /sessions, /sessions/ID/calls ...   sessions, calls, states, snapshots, forks, "
    "history\n"
    "  POST /tools/NAME                         one tool: arguments in, its result out\n"
    "  the paths of an OpenAPI document         as it says; /_sim/... reaches the others all the "
    "same\n"
    "  /mcp, /mcp/user                          MCP: the agent's tools, and the customer's own\n"
    "  POST /v1/chat/completions                refined calls, with a planner\n"
    "  GET /tools, /openapi.json, /healthz, /ui/   what there is; a page\n"
    "\n"
    "The header x-ledgergate-session names the session on every face [default]. See\n"
    "docs/simulate.md.\n"
    "\n"
    "  --state FILE         first states: a JSON object, or one a line with its task_id; "
    "repeatable\n"
    "  --recorded FILE      recorded calls, or conversations: the same call gets the same answer\n"
    "  --verify FILE        serve nothing: make the calls of each line of FILE, judge the end, "
    "print "
    "one\n"
    "                       JSON line each and what they come to (docs/judging.md)\n"
    "  --real TOOLS         reads go to these, and what was written here lies over their answers:\n"
    "                       http://HOST/mcp, \"stdio:COMMAND ARGUMENTS\", openapi:http://HOST/v1 "
    "(with\n"
    "                       the DOCUMENT)\n"
    "  --record FILE --to TOOLS   all calls go to these, and what they return is written down, to "
    "be\n"
    "                       served by --recorded\n"
    "  --stdio              serve MCP over standard input and output, and nothing else: for "
    "clients that\n"
    "                       start their servers; --user-tools: the customer's own tools\n"
    "  --listen ADDRESS     [127.0.0.1:8090]; port 0 is any\n"
    "  --allow-remote       listen to others than this machine, too\n"
    "  --token HASH         requests show the token of this hash (`ledgergate serve --new-token`)\n"
    "  --seed N             of what is synthesised [0]\n"
    "  --credential TEXT    what an OpenAPI document's credentials must be; any will do without\n"
    "  --no-security        do not ask for the credentials that a document demands\n"
    "  --dynamic            what `Prefer` asks for is synthesised; else examples go first\n"
    "\n";

// Apart, for a compiler need not take longer texts.
static const char more_help[] =
    "Limits:\n"
    "\n"
    "  --sessions N         at a time [10000]\n"
    "  --memory SIZE        of all sessions together [2G]\n"
    "  --session-memory SIZE  of one with its forks [256M]\n"
    "  --history N          calls kept of a session; older ones are dropped, and counted [10000]\n"
    "  --snapshots N        of a session [1000]\n"
    "  --idle SECONDS       after which an unused session is gone [3600]\n"
    "  --body SIZE          of a request [16M]\n"
    "  --workers N          that ask models [4]\n"
    "\n"
    "Faults, drawn for each call and never for what administers sessions:\n"
    "\n"
    "  --latency MS         20, or 20..80 [0]\n"
    "  --fault-rate SHARE   of calls, 0 to 1 [0]\n"
    "  --fault-status LIST  500,429,timeout,reset,lost [500]\n"
    "  --fault-seed N       the same requests in the same order meet the same faults [0]\n"
    "\n"
    "Models, each of which may have its own: --validator-model, --responder-model,\n"
    "--estimator-model, --judge-model NAME; and --planner-model, for refined calls.\n"
    "\n" CLI_MODEL_HELP "  --retries N            of refined calls, after the first attempt [3]\n"
    "\n"
    "  --json               what it says on standard error is JSON\n"
    "\n"
    "    ledgergate simulate --pack packs/retail --state db.json\n"
    "\n"
    "Exit codes: 0 ended as asked, 1 --verify found a task that is not done, 2 bad input,\n"
    "3 internal or environment.\n";

// --- Words ----------------------------------------------------------------------------------------

static int check_words(const simulate_words *w)
{
    if (w->listen && !strchr(w->listen, ':')) {
        return cli_usage("simulate", "--listen is ADDRESS:PORT, as in 127.0.0.1:%s", w->listen);
    }
    if (w->token && !*w->token) {
        return cli_usage("simulate", "--token is the hash of one, not nothing");
    }
    if (w->stdio && (w->listen || w->latency || w->fault_rate || w->verify)) {
        return cli_usage("simulate", "--stdio listens to nobody: leave %s out",
                         w->listen    ? "--listen"
                         : w->latency ? "--latency"
                         : w->verify  ? "--verify"
                                      : "--fault-rate");
    }
    if (w->user_tools && !w->stdio) {
        return cli_usage("simulate",
                         "--user-tools goes with --stdio; over HTTP they are at /mcp/user");
    }
    if (!w->record != !w->to) {
        return cli_usage("simulate", "--record FILE and --to TOOLS go together");
    }
    if (w->to && (w->real || w->recorded)) {
        return cli_usage("simulate", "what --to names answers all calls: leave %s out",
                         w->real ? "--real" : "--recorded");
    }
    if (!w->pack && !w->document && !w->recorded && !w->to && !w->real) {
        return cli_usage("simulate",
                         "say what to simulate: --pack PACK, a document, or --recorded FILE");
    }
    return EXIT_FINE;
}

static int parse(int argc, char **argv, simulate_words *w)
{
    const cli_option options[] = {
        {"--pack", &w->pack, NULL},
        {"--recorded", &w->recorded, NULL},
        {"--verify", &w->verify, NULL},
        {"--listen", &w->listen, NULL},
        {"--allow-remote", NULL, &w->allow_remote},
        {"--token", &w->token, NULL},
        {"--credential", &w->credential, NULL},
        {"--no-security", NULL, &w->no_security},
        {"--dynamic", NULL, &w->dynamic},
        {"--stdio", NULL, &w->stdio},
        {"--user-tools", NULL, &w->user_tools},
        {"--seed", &w->seed, NULL},
        {"--sessions", &w->sessions, NULL},
        {"--memory", &w->memory, NULL},
        {"--session-memory", &w->session_memory, NULL},
        {"--history", &w->history, NULL},
        {"--snapshots", &w->snapshots, NULL},
        {"--idle", &w->idle, NULL},
        {"--body", &w->body, NULL},
        {"--workers", &w->workers, NULL},
        {"--latency", &w->latency, NULL},
        {"--fault-rate", &w->fault_rate, NULL},
        {"--fault-status", &w->fault_status, NULL},
        {"--fault-seed", &w->fault_seed, NULL},
        {"--validator-model", &w->validator, NULL},
        {"--responder-model", &w->responder, NULL},
        {"--estimator-model", &w->estimator, NULL},
        {"--judge-model", &w->judge, NULL},
        {"--planner-model", &w->planner, NULL},
        {"--retries", &w->retries, NULL},
        {"--real", &w->real, NULL},
        {"--record", &w->record, NULL},
        {"--to", &w->to, NULL},
        {"--json", NULL, &w->json},
        CLI_MODEL_OPTIONS(w->model),
    };
    size_t operands = 0;
    w->states.name = "--state";
    int code =
        cli_parse_list("simulate", argc, argv, options, LG_COUNT(options), &w->states, &operands);
    if (code == EXIT_FINE && operands > 1) {
        return cli_usage("simulate", "give one document");
    }
    w->document = operands ? argv[0] : NULL;
    return code == EXIT_FINE ? check_words(w) : code;
}

// --- Serving --------------------------------------------------------------------------------------

// Before there are threads, which inherit it.
static void hold_signals(sigset_t *ret)
{
    sigemptyset(ret);
    sigaddset(ret, SIGTERM);
    sigaddset(ret, SIGINT);
    pthread_sigmask(SIG_BLOCK, ret, NULL);
}

static void say_listening(const simulation *s, const lg_mock *mock)
{
    unsigned port = lg_mock_port(mock);
    lg_str host = s->options.listen;
    while (host.len && host.ptr[host.len - 1] != ':') {
        host.len--;
    }
    cli_say("{\"event\":\"listening\",\"address\":\"%.*s%u\",\"port\":%u,\"tools\":%zu}",
            LG_FMT(host), port, port, lg_sim_tool_count(s->tried.sim));
    if (s->words.json || !isatty(STDERR_FILENO)) {
        return;
    }
    cli_say("%zu tools; faces: /sessions, /tools/NAME, /mcp, /v1/chat/completions, /ui/",
            lg_sim_tool_count(s->tried.sim));
    cli_say("    curl -d '{}' http://%.*s%u/sessions", LG_FMT(host), port);
}

static int64_t now_seconds(void)
{
    return cli_now().seconds;
}

// What is allowed and most likely not meant.
static void warn(const simulation *s)
{
    const simulate_words *w = &s->words;
    lg_sim_session *session = NULL;
    lg_error err = {0};
    if (s->tried.pack && !w->states.count &&
        lg_sim_session_new(s->tried.sim, NULL, &session, &err) == LG_ERR_USAGE) {
        cli_say("ledgergate simulate: warning: %s: give --state FILE, or `state` in POST /sessions",
                err.msg);
    }
    lg_sim_session_free(session);
    if (w->real) {
        simulate_warn_real(s);
    }
}

static int serve(simulation *s)
{
    s->options.now_seconds = now_seconds;
    warn(s);
    sigset_t signals;
    int got = 0;
    lg_mock *mock = NULL;
    lg_error err = {0};
    hold_signals(&signals);
    lg_status status = lg_mock_new(&s->options, &mock, &err);
    if (status == LG_OK) {
        status = lg_mock_listen(mock, &err);
    }
    if (status != LG_OK) {
        cli_say("ledgergate simulate: %s", err.msg);
        lg_mock_free(mock);
        return cli_exit_code(status);
    }
    say_listening(s, mock);
    while (sigwait(&signals, &got) != 0) {
    }
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL); // who asks twice does not wait
    lg_mock_free(mock);
    return EXIT_FINE;
}

// --- The whole ------------------------------------------------------------------------------------

static void let_go(simulation *s)
{
    lg_executor_free(s->executor); // which may know the document
    cli_tried_close(&s->tried);
}

// The real tools may need the document, and without one they say which tools there are.
static int load(simulation *s, const lg_sim_options *limits)
{
    const simulate_words *w = &s->words;
    const cli_tried_options options = {.pack = w->pack,
                                       .document = w->document,
                                       .states = &w->states,
                                       .recorded = w->recorded,
                                       .sim = *limits};
    int code = cli_tried_read("simulate", &options, &s->tried);
    code = code == EXIT_FINE ? simulate_open_real(s) : code;
    if (code == EXIT_FINE && s->executor && !s->tried.pack && !s->tried.catalogue) {
        code = simulate_list_real(s);
    }
    return code == EXIT_FINE ? cli_tried_make(&options, &s->tried) : code;
}

static int run(simulation *s)
{
    lg_sim_options sim = {0};
    const simulate_words *w = &s->words;
    int code = simulate_read_limits(w, &sim, &s->options);
    code = code == EXIT_FINE ? simulate_read_faults(w, &s->options.faults) : code;
    code = code == EXIT_FINE ? simulate_read_models(w, &s->models) : code;
    code = code == EXIT_FINE ? load(s, &sim) : code;
    if (code != EXIT_FINE) {
        return code;
    }
    s->options.sim = s->tried.sim;
    s->options.pack = s->tried.pack;
    s->options.catalogue = s->tried.catalogue;
    s->options.listen = lg_str_c(w->listen ? w->listen : LISTEN);
    s->options.allow_remote = w->allow_remote;
    s->options.token_hash = lg_str_c(w->token);
    s->options.rest = (lg_rest_options){.credential = lg_str_c(w->credential),
                                        .without_security = w->no_security,
                                        .dynamic = w->dynamic};
    s->options.models = s->models.of;
    s->options.real = s->executor;
    s->options.passes_on = w->to != NULL;
    if (w->verify) {
        return simulate_verify(s, w->verify);
    }
    if (w->stdio) {
        return simulate_stdio(s);
    }
    return serve(s);
}

static int print_help(void)
{
    cli_out out;
    cli_out_init(&out, false);
    lg_buf_add_c(&out.buf, help);
    lg_buf_add_c(&out.buf, more_help);
    return cli_out_done(&out, EXIT_FINE);
}

int cli_simulate(int argc, char **argv)
{
    static simulation s; // large: what one command has once
    if (cli_wants_help(argc, argv)) {
        return print_help();
    }
    s = (simulation){.executor = NULL};
    int code = parse(argc, argv, &s.words);
    code = code == EXIT_FINE ? run(&s) : code;
    let_go(&s);
    return code;
}
