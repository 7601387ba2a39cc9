// serve.c: `ledgergate serve`: the gate between agents and a model's API.
#include "cli/cli.h"

#include "base/file.h"
#include "base/sign.h"
#include "serve/serve.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
    "usage: ledgergate serve --config FILE [OPTIONS]\n"
    "       ledgergate serve --upstream URL [--pack PACK] [OPTIONS]\n"
    "\n"
    "Stands between agents and a model's API: requests go on to the upstream with what the ledger\n"
    "knows, and of the replies only calls that the pack allows reach the agent. Below a route it\n"
    "serves POST /chat/completions, /responses and /messages, streamed or not. SIGTERM finishes "
    "what\n"
    "is in flight, SIGHUP reads the configuration and its packs again. It says what it does as "
    "lines\n"
    "of JSON on standard error.\n"
    "\n"
    "  --config FILE      the configuration (docs/serve.md)\n"
    "  --check            look at the configuration, its packs and its files, and serve nothing;\n"
    "                     with --json a line of JSON\n"
    "  --schema           print the JSON Schema of a configuration\n"
    "  --new-token        make a token for a client, and print it with its hash\n"
    "  --hash-token       print the hash of the token that stands on standard input\n"
    "\n"
    "Without a configuration:\n"
    "\n"
    "  --upstream URL     where the model's API is: http://127.0.0.1:9000/v1\n"
    "  --pack PACK        the pack that judges; without it everything passes\n"
    "  --listen ADDRESS   [127.0.0.1:8080]; port 0 is any\n"
    "  --path PATH        of the route [/v1]\n"
    "  --store FILE       the log of decisions; without it nothing is kept\n"
    "\n"
    "Exit codes: 0 ended as asked, 2 bad configuration, 3 internal or environment.\n";

static void say_problems(const lg_serve_problems *problems)
{
    for (size_t i = 0; i < problems->count; i++) {
        cli_say_error(&problems->items[i].error, problems->items[i].source);
    }
    if (problems->dropped) {
        cli_say("... and %zu more", problems->dropped);
    }
}

typedef struct arguments {
    const char *config, *upstream, *pack, *listen, *path, *store;
    bool check, schema, new_token, hash_token, json;
} arguments;

static int usage_of(const arguments *a, size_t operands)
{
    if (operands) {
        return cli_usage("serve", "takes no files: name them with --config or --pack");
    }
    if (!a->config && !a->upstream) {
        return cli_usage("serve", "say what to guard: --config FILE, or --upstream URL");
    }
    if (a->config && (a->upstream || a->pack || a->listen || a->path || a->store)) {
        return cli_usage("serve", "--config says all of it: leave the other options out");
    }
    return EXIT_FINE;
}

static void add_option(lg_json_writer *w, const char *key, const char *value)
{
    if (value) {
        lg_jw_member_c(w, key, value);
    }
}

// A configuration of one route, as a file would have it.
static lg_status config_of(const arguments *a, const lg_serve_host *host, lg_serve_config **ret,
                           lg_serve_problems *problems)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_json_writer w = {.out = &text};
    lg_jw_begin_object(&w);
    add_option(&w, "listen", a->listen);
    add_option(&w, "store", a->store);
    lg_jw_key(&w, "routes");
    lg_jw_begin_array(&w);
    lg_jw_begin_object(&w);
    add_option(&w, "path", a->path ? a->path : "/v1");
    add_option(&w, "pack", a->pack);
    lg_jw_key(&w, "upstream");
    lg_jw_begin_object(&w);
    add_option(&w, "url", a->upstream);
    lg_jw_end_object(&w);
    lg_jw_end_object(&w);
    lg_jw_end_array(&w);
    lg_jw_end_object(&w);
    lg_error err;
    lg_status status = lg_buf_status(&text);
    status = status == LG_OK
                 ? lg_serve_config_read(lg_buf_str(&text), "(options)", host, ret, problems)
                 : lg_serve_problem_add(problems, (lg_fail_oom(&err), &err), LG_STR(""));
    lg_buf_done(&text);
    return status;
}

static lg_status read_config(const arguments *a, const lg_serve_host *host, lg_serve_config **ret,
                             lg_serve_problems *problems)
{
    return a->config ? lg_serve_config_open(a->config, host, ret, problems)
                     : config_of(a, host, ret, problems);
}

// The file once more, or the options with their pack. What came of it stands in the log.
static void reload(lg_serve *gateway, const arguments *a, const lg_serve_host *host)
{
    lg_serve_problems problems;
    lg_serve_config *config = NULL;
    lg_serve_problems_init(&problems);
    lg_status status = read_config(a, host, &config, &problems);
    status = lg_serve_reload(gateway, status == LG_OK ? config : NULL, &problems);
    (void)status;
    lg_serve_problems_done(&problems);
}

static int serve_until_told(lg_serve *gateway, const arguments *a, const lg_serve_host *host,
                            const sigset_t *signals)
{
    for (;;) {
        int got = 0;
        if (sigwait(signals, &got) != 0) {
            continue;
        }
        if (got == SIGHUP) {
            reload(gateway, a, host);
            continue;
        }
        lg_error err = {0};
        lg_status status = lg_serve_stop(gateway, &err);
        if (status != LG_OK) {
            cli_say_error(&err, LG_STR(""));
        }
        return status == LG_OK ? EXIT_FINE : EXIT_INTERNAL;
    }
}

// Before there are threads, which inherit it.
static void hold_signals(sigset_t *ret)
{
    sigemptyset(ret);
    sigaddset(ret, SIGTERM);
    sigaddset(ret, SIGINT);
    sigaddset(ret, SIGHUP);
    pthread_sigmask(SIG_BLOCK, ret, NULL);
}

static int serve(lg_serve_config *config, const arguments *a, const lg_serve_host *host,
                 lg_serve_problems *problems)
{
    sigset_t signals;
    lg_serve *gateway = NULL;
    hold_signals(&signals);
    lg_status status = lg_serve_start(config, host, &gateway, problems);
    say_problems(problems);
    return status == LG_OK ? serve_until_told(gateway, a, host, &signals) : cli_exit_code(status);
}

// One line each, for later: looking at a configuration uses it up.
static void note_advice(void *context, lg_str what, lg_str text)
{
    lg_buf_addf(context, "note: `%.*s`: %.*s\n", LG_FMT(what), LG_FMT(text));
}

static void say_notes(lg_str notes)
{
    while (notes.len) {
        size_t end = lg_str_find(notes, LG_STR("\n"));
        cli_say("%.*s", (int)end, notes.ptr);
        notes = lg_str_slice(notes, end + 1, notes.len);
    }
}

static int check(lg_serve_config *config, const lg_serve_host *host, lg_serve_problems *problems,
                 bool json)
{
    cli_out out;
    size_t routes = config->route_count;
    lg_buf notes;
    lg_buf_init(&notes, 0);
    lg_serve_advise(config, host, note_advice, &notes);
    lg_status status = lg_serve_check(config, host, problems);
    say_problems(problems);
    say_notes(lg_buf_status(&notes) == LG_OK ? lg_buf_str(&notes) : LG_STR(""));
    lg_buf_done(&notes);
    if (status != LG_OK) {
        return cli_exit_code(status);
    }
    cli_out_init(&out, json);
    if (json) {
        lg_buf_addf(&out.buf, "{\"routes\":%zu}\n", routes);
    } else {
        lg_buf_addf(&out.buf, "fine: %zu route%s\n", routes, lg_plural(routes));
    }
    return cli_out_done(&out, EXIT_FINE);
}

static int print_schema(void)
{
    cli_out out;
    int code = EXIT_FINE;
    cli_out_init(&out, true);
    if (lg_serve_schema(&out.buf) != LG_OK) {
        (void)cli_out_of_memory(&code);
    }
    return cli_out_done(&out, code);
}

#define TOKEN_BYTES_LEAST 24u

static int print_hash(void)
{
    lg_file file;
    lg_error err;
    cli_out out;
    char hash[LG_SERVE_HASH_BYTES];
    if (lg_file_open("-", 4096, &file, &err) != LG_OK) {
        cli_say_error(&err, LG_STR(""));
        return EXIT_USAGE;
    }
    lg_str token = lg_str_trim(file.text);
    bool fine = token.len >= TOKEN_BYTES_LEAST;
    lg_serve_hash_token(token, hash);
    lg_file_close(&file);
    if (!fine) {
        return cli_usage("serve",
                         "a token that can be guessed is none: %u characters at least, or "
                         "--new-token",
                         TOKEN_BYTES_LEAST);
    }
    cli_out_init(&out, false);
    lg_buf_addf(&out.buf, "%s\n", hash);
    return cli_out_done(&out, EXIT_FINE);
}

static int print_token(void)
{
    cli_out out;
    char token[LG_SERVE_TOKEN_BYTES];
    char hash[LG_SERVE_HASH_BYTES];
    if (!lg_sign_begin()) {
        cli_say("ledgergate: the system gives no random bytes");
        return EXIT_INTERNAL;
    }
    lg_serve_make_token(token);
    lg_serve_hash_token(lg_str_c(token), hash);
    cli_out_init(&out, false);
    lg_buf_addf(&out.buf, "token: %s\nhash: %s\n", token, hash);
    return cli_out_done(&out, EXIT_FINE);
}

static int run(const arguments *a)
{
    int code = EXIT_FINE;
    lg_serve_host host = {.now = cli_now,
                          .environment = cli_environment,
                          .log_fd = STDERR_FILENO,
                          .limits = cli_limits()};
    lg_serve_problems problems;
    lg_serve_config *config = NULL;
    lg_serve_problems_init(&problems);
    lg_status status = read_config(a, &host, &config, &problems);
    if (status != LG_OK) {
        code = cli_exit_code(status);
        say_problems(&problems);
    } else if (a->check) {
        code = check(config, &host, &problems, a->json);
    } else {
        code = serve(config, a, &host, &problems);
    }
    lg_serve_problems_done(&problems);
    return code;
}

int cli_serve(int argc, char **argv)
{
    arguments a = {0};
    const cli_option options[] = {
        {"--config", &a.config, NULL},       {"--upstream", &a.upstream, NULL},
        {"--pack", &a.pack, NULL},           {"--listen", &a.listen, NULL},
        {"--path", &a.path, NULL},           {"--store", &a.store, NULL},
        {"--check", NULL, &a.check},         {"--schema", NULL, &a.schema},
        {"--new-token", NULL, &a.new_token}, {"--hash-token", NULL, &a.hash_token},
        {"--json", NULL, &a.json},
    };
    size_t operands = 0;
    if (cli_wants_help(argc, argv)) {
        return cli_print_help(help);
    }
    int code = cli_parse("serve", argc, argv, options, LG_COUNT(options), &operands);
    if (code == EXIT_FINE && !operands && a.schema) {
        return print_schema();
    }
    if (code == EXIT_FINE && !operands && a.new_token) {
        return print_token();
    }
    if (code == EXIT_FINE && !operands && a.hash_token) {
        return print_hash();
    }
    code = code == EXIT_FINE ? usage_of(&a, operands) : code;
    return code == EXIT_FINE ? run(&a) : code;
}
