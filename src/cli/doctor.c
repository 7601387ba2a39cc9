// doctor.c: `ledgergate doctor`: is all there that serving needs, and is the gate in the path?
#include "cli/cli.h"

#include "serve/doctor.h"

#include <stdlib.h>
#include <time.h>

static const char help[] =
    "usage: ledgergate doctor --config FILE [--probe [--route PATH] [--url URL] [--admin URL]]\n"
    "\n"
    "Looks at a configuration and all that it names: packs, the log, certificates, upstreams. "
    "With\n"
    "--probe it also sends a canary to the gateway that runs, once for each route, protocol and "
    "way\n"
    "of streaming: a request to which the gateway itself makes up a reply with a call that must "
    "be\n"
    "refused. Only an answer that says so, and does not hold the call, shows that the gate is in "
    "the\n"
    "path; no upstream is asked for it.\n"
    "\n"
    "  --config FILE  the configuration that `serve` has\n"
    "  --probe        ask the gateway whether it is ready, and send canaries\n"
    "  --route PATH   to this route alone; without it to all, and one without a pack is wrong\n"
    "  --url URL      where clients reach the gateway [where the configuration listens]\n"
    "  --admin URL    where its /readyz is [as the configuration has it]\n"
    "  --json         one JSON object a finding\n"
    "\n"
    "Where the gateway wants tokens, LEDGERGATE_TOKEN of the environment is the one to send.\n"
    "\n"
    "Exit codes: 0 all is fine, 1 something is wrong, 2 bad configuration, 3 internal or\n"
    "environment.\n";

static const char *state_name(lg_doctor_state state)
{
    switch (state) {
    case LG_DOCTOR_FINE:
        return "fine";
    case LG_DOCTOR_NOTE:
        return "note";
    case LG_DOCTOR_WRONG:
        return "wrong";
    }
    return "";
}

static void tell(void *context, const lg_doctor_finding *f)
{
    cli_out *out = context;
    if (out->is_data) {
        lg_json_writer w = {.out = &out->buf};
        lg_jw_begin_object(&w);
        lg_jw_member_c(&w, "state", state_name(f->state));
        lg_jw_member_str(&w, "what", f->what);
        lg_jw_member_str(&w, "text", f->text);
        lg_jw_end_object(&w);
        lg_buf_add_c(&out->buf, "\n");
    } else {
        cli_pad(out, lg_str_c(state_name(f->state)), 7);
        cli_add_text(out, f->what);
        lg_buf_add_c(&out->buf, ": ");
        cli_add_text(out, f->text);
        lg_buf_add_c(&out->buf, "\n");
    }
    cli_out_flush(out);
}

static void say_problems(const lg_serve_problems *problems)
{
    for (size_t i = 0; i < problems->count; i++) {
        cli_say_error(&problems->items[i].error, problems->items[i].source);
    }
}

// The configuration, looked at with its packs; twice read, because looking at it uses it up. NULL: `*ret_code`.
static lg_serve_config *open_config(const char *path, const lg_serve_host *host, int *ret_code)
{
    lg_serve_problems problems;
    lg_serve_config *config = NULL;
    lg_serve_problems_init(&problems);
    lg_status status = lg_serve_config_open(path, host, &config, &problems);
    status = status == LG_OK ? lg_serve_check(config, host, &problems) : status;
    config = NULL;
    status = status == LG_OK ? lg_serve_config_open(path, host, &config, &problems) : status;
    say_problems(&problems);
    lg_serve_problems_done(&problems);
    *ret_code = cli_exit_code(status);
    return config;
}

// NULL is one: it is not given.
static bool is_address(const char *url)
{
    lg_str text = lg_str_c(url ? url : "http://");
    return lg_str_starts(text, LG_STR("http://")) || lg_str_starts(text, LG_STR("https://"));
}

static bool has_route(const lg_serve_config *c, lg_str path)
{
    bool has = false;
    for (size_t i = 0; i < c->route_count && !has; i++) {
        has = lg_str_eq(c->routes[i].path, path);
    }
    return has;
}

static int examine(lg_doctor_options *options, bool json)
{
    cli_out out;
    lg_error err;
    size_t wrong = 0;
    cli_out_init(&out, json);
    options->tell = tell;
    options->context = &out;
    options->token = lg_str_c(getenv("LEDGERGATE_TOKEN"));
    lg_status status = lg_doctor(options, &wrong, &err);
    if (status != LG_OK) {
        cli_say_error(&err, LG_STR(""));
        return cli_out_done(&out, EXIT_INTERNAL);
    }
    return cli_out_done(&out, wrong ? EXIT_FINDINGS : EXIT_FINE);
}

int cli_doctor(int argc, char **argv)
{
    const char *path = NULL, *url = NULL, *admin = NULL, *route = NULL;
    bool probe = false, json = false;
    const cli_option options[] = {{"--config", &path, NULL}, {"--url", &url, NULL},
                                  {"--admin", &admin, NULL}, {"--route", &route, NULL},
                                  {"--probe", NULL, &probe}, {"--json", NULL, &json}};
    size_t operands = 0;
    if (cli_wants_help(argc, argv)) {
        return cli_print_help(help);
    }
    int code = cli_parse("doctor", argc, argv, options, LG_COUNT(options), &operands);
    if (code != EXIT_FINE) {
        return code;
    }
    if (operands || !path) {
        return cli_usage("doctor", "name the configuration: --config FILE");
    }
    if ((url || admin || route) && !probe) {
        return cli_usage("doctor", "%s is for --probe",
                         url     ? "--url"
                         : admin ? "--admin"
                                 : "--route");
    }
    if (!is_address(url) || !is_address(admin)) {
        return cli_usage("doctor", "%s is an address that begins with http:// or https://",
                         is_address(url) ? "--admin" : "--url");
    }
    lg_serve_host host = {.now = cli_now, .environment = cli_environment, .limits = cli_limits()};
    lg_serve_config *config = open_config(path, &host, &code);
    if (config && route && !has_route(config, lg_str_c(route))) {
        code = cli_usage("doctor", "the configuration has no route `%s`", route);
    } else if (config) {
        lg_doctor_options how = {.config = config,
                                 .host = &host,
                                 .probe = probe,
                                 .url = lg_str_c(url),
                                 .admin = lg_str_c(admin),
                                 .route = lg_str_c(route),
                                 .one_route = route != NULL};
        code = examine(&how, json);
    }
    lg_serve_config_free(config);
    return code;
}
