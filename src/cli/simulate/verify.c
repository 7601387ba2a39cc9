// verify.c: `ledgergate simulate --verify DATA`: is what a data set of calls does what its tasks ask for?
//
// One entry a line, each in a session of its own; one result a line, and what they come to at the end. An entry that is none
// is said with its place, counted, and ends nothing.
#include "cli/simulate/simulation.h"

#include "cli/lines.h"
#include "simulate/verify.h"

#define ERRORS_MAX 10u
#define MODELS 4u

typedef struct verify_run {
    simulation *s;
    lg_llm *clients[MODELS];   // by component; components of one model share a client
    const char *names[MODELS]; // of their models
    lg_sim_models models;
    lg_arena arena; // of one entry
    cli_out out;
    uint64_t by_status[3];
    uint64_t entries, bad, tried_again, calls, invalid, failed;
    int code;
} verify_run;

static const char *const component_names[MODELS] = {"validator", "responder", "estimator", "judge"};

// --- Models -------------------------------------------------------------------------------------

static bool is_first_of(const verify_run *r, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (r->clients[i] == r->clients[index]) {
            return false;
        }
    }
    return r->clients[index] != NULL;
}

static int open_models(verify_run *r)
{
    const lg_mock_models *of = &r->s->models.of;
    const lg_llm_options *options[MODELS] = {of->validator, of->responder, of->estimator,
                                             of->judge};
    for (size_t i = 0; i < MODELS; i++) {
        lg_error error = {0};
        r->names[i] = options[i] ? options[i]->model.ptr : "";
        for (size_t j = 0; j < i; j++) {
            r->clients[i] = options[j] == options[i] ? r->clients[j] : r->clients[i];
        }
        if (options[i] && !r->clients[i] &&
            lg_llm_new(options[i], &r->clients[i], &error) != LG_OK) {
            cli_say("ledgergate simulate: %s", error.msg);
            return cli_exit_code(error.status);
        }
    }
    r->models = (lg_sim_models){r->clients[0], r->clients[1], r->clients[2], r->clients[3]};
    return EXIT_FINE;
}

static void close_models(verify_run *r)
{
    for (size_t i = 0; i < MODELS; i++) {
        if (is_first_of(r, i)) {
            lg_llm_free(r->clients[i]);
        }
    }
}

// --- Entries --------------------------------------------------------------------------------------

static void worse(verify_run *r, int code)
{
    r->code = code > r->code ? code : r->code;
}

static void say_bad(verify_run *r, const cli_lines *lines, const lg_error *error)
{
    lg_error placed = *error;
    placed.file = lines->name;
    placed.line = lines->number;
    placed.column = error->column;
    worse(r, cli_exit_code(error->status));
    cli_say_error(&placed, LG_STR(""));
}

static void count(verify_run *r, const lg_sim_verified *v)
{
    r->by_status[v->judgement.status]++;
    r->tried_again += v->tried_again;
    r->calls += v->calls;
    r->invalid += v->invalid;
    r->failed += v->failed;
    worse(r, v->judgement.status == LG_CHECK_SUCCESS ? EXIT_FINE : EXIT_FINDINGS);
}

static void verify_line(verify_run *r, const cli_lines *lines, lg_str line)
{
    lg_error error = {0};
    lg_errors errors;
    const lg_json *entry = NULL;
    lg_sim_verified verified;
    if (lg_str_trim(line).len == 0) {
        return;
    }
    r->entries++;
    lg_arena_reset(&r->arena);
    lg_errors_init(&errors, &r->arena, ERRORS_MAX);
    if (lg_json_parse_in(&r->arena, line, 0, line.len, cli_limits(), &entry, &error) != LG_OK) {
        r->bad++;
        say_bad(r, lines, &error);
        return;
    }
    lg_status status = lg_sim_verify_entry(r->s->tried.sim, entry, r->s->options.seed, &r->models,
                                           &r->arena, &verified, &errors);
    if (status != LG_OK) {
        r->bad++;
        for (size_t i = 0; i < errors.count; i++) {
            say_bad(r, lines, &errors.items[i]);
        }
        worse(r, cli_exit_code(status));
        return;
    }
    count(r, &verified);
    lg_json_writer w = {.out = &r->out.buf};
    lg_sim_verified_write(&w, &verified);
    lg_buf_add_c(&r->out.buf, "\n");
    cli_out_flush_some(&r->out);
}

static lg_status verify_lines(verify_run *r, cli_lines *lines, lg_error *reterr)
{
    for (;;) {
        lg_str line;
        bool more = false;
        lg_status status = cli_lines_next(lines, &line, &more, reterr);
        if (status == LG_ERR_LIMIT) {
            r->entries++;
            r->bad++;
            say_bad(r, lines, reterr);
        } else if (status != LG_OK || !more) {
            return status;
        } else {
            verify_line(r, lines, line);
        }
    }
}

// --- The summary ------------------------------------------------------------------------------------

static void write_summary(verify_run *r)
{
    lg_json_writer w = {.out = &r->out.buf};
    uint64_t judged = r->entries - r->bad;
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "summary");
    lg_jw_begin_object(&w);
    lg_jw_member_uint(&w, "entries", r->entries);
    lg_jw_member_uint(&w, "bad", r->bad);
    for (lg_check_status s = LG_CHECK_SUCCESS; s <= LG_CHECK_UNKNOWN; s++) {
        lg_jw_member_uint(&w, lg_check_status_name(s), r->by_status[s]);
    }
    lg_jw_member_double_or_null(&w, "success_rate", judged > 0,
                                judged ? (double)r->by_status[LG_CHECK_SUCCESS] / (double)judged
                                       : 0);
    lg_jw_member_uint(&w, "tried_again", r->tried_again);
    lg_jw_member_uint(&w, "calls", r->calls);
    lg_jw_member_uint(&w, "invalid", r->invalid);
    lg_jw_member_uint(&w, "failed_calls", r->failed);
    lg_jw_key(&w, "models");
    lg_jw_begin_object(&w);
    for (size_t i = 0; i < MODELS; i++) {
        if (is_first_of(r, i)) {
            lg_jw_key(&w, component_names[i]);
            cli_model_write(r->names[i], r->clients[i], &w);
        }
    }
    lg_jw_end_object(&w);
    lg_jw_end_object(&w);
    lg_jw_end_object(&w);
    lg_buf_add_c(&r->out.buf, "\n");
}

int simulate_verify(simulation *s, const char *path)
{
    verify_run r = {.s = s};
    cli_lines lines;
    lg_error error = {0};
    r.code = open_models(&r);
    if (r.code != EXIT_FINE) {
        close_models(&r);
        return r.code;
    }
    lg_arena_init(&r.arena, cli_limits()->document_bytes);
    cli_out_init(&r.out, true);
    lg_status status = cli_lines_open(&lines, path, &error);
    if (status == LG_OK) {
        status = verify_lines(&r, &lines, &error);
    }
    cli_lines_close(&lines);
    if (status != LG_OK) {
        cli_say("ledgergate simulate: %s", error.msg);
        worse(&r, cli_exit_code(status));
    } else if (r.entries == 0) {
        worse(&r, cli_usage("simulate", "%s holds no entry to verify", path));
    } else if (r.entries > r.bad) {
        write_summary(&r);
    }
    close_models(&r);
    lg_arena_done(&r.arena);
    return cli_out_done(&r.out, r.code);
}
