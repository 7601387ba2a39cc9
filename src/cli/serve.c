// serve.c: `ledgergate serve`: the gate between agents and a model's API.
#include "cli/cli.h"

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
    "is in flight, SIGHUP reads the configuration again. It says what it does as lines of JSON on\n"
    "standard error.\n"
    "\n"
    "  --config FILE      the configuration (docs/serve.md)\n"
    "  --check            look at the configuration and its packs, and serve nothing\n"
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

static lg_time now(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_REALTIME, &t);
    return (lg_time){t.tv_sec, (uint32_t)t.tv_nsec};
}

static const char *environment(const char *name)
{
    return getenv(name);
}

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
    bool check;
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

// A configuration of one route.
static lg_serve_config *config_of(const arguments *a)
{
    lg_serve_config *c = lg_serve_config_new();
    lg_serve_route *route = c ? LG_NEW(&c->arena, lg_serve_route) : NULL;
    if (!route) {
        lg_serve_config_free(c);
        return NULL;
    }
    route->path = lg_str_c(a->path ? a->path : "/v1");
    route->upstream.url = lg_str_c(a->upstream);
    while (lg_str_ends(route->upstream.url, LG_STR("/"))) {
        route->upstream.url.len--;
    }
    route->pack = lg_str_c(a->pack);
    c->listen = a->listen ? lg_str_c(a->listen) : c->listen;
    c->store = lg_str_c(a->store);
    c->routes = route;
    c->route_count = 1;
    return c;
}

static int serve_until_told(lg_serve *gateway, const sigset_t *signals)
{
    for (;;) {
        int got = 0;
        if (sigwait(signals, &got) == 0 && got != SIGHUP) {
            lg_error err = {0};
            lg_status status = lg_serve_stop(gateway, &err);
            if (status != LG_OK) {
                cli_say_error(&err, LG_STR(""));
            }
            return cli_exit_code(status);
        }
    }
}

int cli_serve(int argc, char **argv)
{
    arguments a = {0};
    const cli_option options[] = {
        {"--config", &a.config, NULL}, {"--upstream", &a.upstream, NULL},
        {"--pack", &a.pack, NULL},     {"--listen", &a.listen, NULL},
        {"--path", &a.path, NULL},     {"--store", &a.store, NULL},
        {"--check", NULL, &a.check},
    };
    size_t operands = 0;
    if (cli_wants_help(argc, argv)) {
        return cli_print_help(help);
    }
    int code = cli_parse("serve", argc, argv, options, LG_COUNT(options), &operands);
    code = code == EXIT_FINE ? usage_of(&a, operands) : code;
    if (code != EXIT_FINE) {
        return code;
    }
    sigset_t signals; // before there are threads, which inherit it
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    lg_serve_host host = {
        .now = now, .environment = environment, .log_fd = STDERR_FILENO, .limits = cli_limits()};
    lg_serve_problems problems;
    lg_serve_problems_init(&problems);
    lg_serve_config *config = config_of(&a);
    lg_serve *gateway = NULL;
    if (!config) {
        (void)cli_out_of_memory(&code);
    } else {
        lg_status status = lg_serve_start(config, &host, &gateway, &problems);
        say_problems(&problems);
        code = status == LG_OK ? serve_until_told(gateway, &signals) : cli_exit_code(status);
    }
    lg_serve_problems_done(&problems);
    return code;
}
