// inputs.c: packs, documents, states and recordings into one simulator.
#include "cli/simulate/simulate.h"

#include "pack/yaml.h"

#define ERRORS_MAX 50u

static void say_errors(const lg_errors *errors, lg_str source)
{
    for (size_t i = 0; i < errors->count; i++) {
        cli_say_error(&errors->items[i], source);
    }
    if (errors->dropped) {
        cli_say("... and %zu more", errors->dropped);
    }
}

static int say_error(const lg_error *error, lg_str source)
{
    cli_say_error(error, source);
    return cli_exit_code(error->status);
}

// --- The document -------------------------------------------------------------------------------

// What the specification forbids and is served all the same, as well as it is meant.
static void warn(simulation *s)
{
    const lg_catalogue *c = s->catalogue;
    for (size_t i = 0; i < c->finding_count; i++) {
        const lg_catalogue_finding *f = &c->findings[i];
        if (!lg_catalogue_kind_is_error(f->kind)) {
            continue; // a matter of style: `ledgergate tools` tells
        }
        lg_position at = cli_values_position(&s->document, f->offset);
        cli_say("%s:%u:%u: warning: %.*s%s%.*s (%.*s)", at.file, at.line, at.column,
                LG_FMT(f->tool), f->tool.len ? ": " : "", LG_FMT(f->msg), LG_FMT(f->pointer));
    }
    if (c->findings_dropped) {
        cli_say("... and %zu more", c->findings_dropped);
    }
}

static lg_status read_document(simulation *s, lg_error *reterr)
{
    const lg_catalogue_options options = {.limits = cli_limits()};
    const char *path = s->words.document;
    lg_status status = cli_values_read_text(path, &s->document, reterr);
    if (status != LG_OK) {
        return status;
    }
    s->has_document = true;
    lg_str text = s->document.file.text;
    const lg_json *root = NULL;
    if (!cli_has_ending(path, ".yaml") && !cli_has_ending(path, ".yml")) {
        return lg_catalogue_read(&s->arena, text, &options, &s->catalogue, reterr);
    }
    status = lg_yaml_parse(&s->arena, text, path, cli_limits(), &root, reterr);
    return status == LG_OK ? lg_catalogue_of(&s->arena, text, root, &options, &s->catalogue, reterr)
                           : status;
}

static int open_document(simulation *s)
{
    lg_error err = {0};
    if (read_document(s, &err) != LG_OK) {
        if (!err.file) {
            err.file = s->words.document;
        }
        return say_error(&err, s->document.file.text);
    }
    warn(s);
    if (!s->catalogue->tool_count) {
        cli_say("%s: warning: there is no tool in it that could be called", s->words.document);
    }
    return EXIT_FINE;
}

// --- States -------------------------------------------------------------------------------------

// Whose state it is; empty: of every task that has none of its own.
static bool read_task(simulation *s, const lg_json *state, lg_str *ret)
{
    const lg_json *id = lg_json_get(state, LG_STR("task_id"));
    *ret = lg_json_str(id);
    if (lg_json_is(id, LG_JSON_INT)) {
        *ret = lg_arena_printf(&s->arena, "%lld", (long long)id->as.i64);
    }
    return ret->ptr != NULL;
}

static int add_state(simulation *s, const cli_values *file, const lg_json *state)
{
    lg_errors errors;
    lg_str task;
    lg_world_file of = {.value = state, .text = file->file.text, .name = file->path};
    lg_errors_init(&errors, &s->arena, ERRORS_MAX);
    if (!read_task(s, state, &task)) {
        cli_say("ledgergate: out of memory");
        return EXIT_INTERNAL;
    }
    lg_status status = lg_sim_add_state(s->sim, &of, task, &errors);
    say_errors(&errors, LG_STR(""));
    return status == LG_OK ? EXIT_FINE : cli_exit_code(status);
}

static int add_states(simulation *s)
{
    int code = EXIT_FINE;
    for (size_t i = 0; i < s->words.states.count && code == EXIT_FINE; i++) {
        cli_values *file = &s->states[s->state_count++];
        if (!cli_values_open(s->words.states.items[i], file, &code)) {
            return code;
        }
        for (size_t j = 0; j < file->count && code == EXIT_FINE; j++) {
            code = add_state(s, file, file->items[j]);
        }
    }
    return code;
}

// --- The whole ----------------------------------------------------------------------------------

static int make(simulation *s, lg_sim_options *options)
{
    lg_errors errors;
    lg_errors_init(&errors, &s->arena, ERRORS_MAX);
    options->pack = s->pack;
    options->catalogue = s->catalogue;
    options->limits = cli_limits();
    options->now_seconds = cli_now().seconds;
    lg_status status = lg_sim_new(options, &s->sim, &errors);
    say_errors(&errors, s->document.file.text);
    if (status == LG_ERR_OOM && !lg_errors_any(&errors)) {
        cli_say("ledgergate: out of memory");
    }
    return status == LG_OK ? EXIT_FINE : cli_exit_code(status);
}

// A tape alone is served, too: its calls say which tools there are.
static int make_of_tape(simulation *s, const lg_json *calls)
{
    lg_error err = {0};
    if (s->pack || s->catalogue) {
        return EXIT_FINE;
    }
    lg_status status = simulate_tools_of_tape(&s->arena, calls, &s->catalogue, &err);
    return status == LG_OK ? EXIT_FINE : say_error(&err, LG_STR(""));
}

int simulate_load(simulation *s, lg_sim_options *options)
{
    int code = EXIT_FINE;
    lg_error err = {0};
    const lg_json *calls = NULL;
    if (s->words.pack) {
        s->pack = cli_load_pack(s->words.pack, &code);
    }
    if (code == EXIT_FINE && s->words.document) {
        code = open_document(s);
    }
    if (code == EXIT_FINE && s->words.recorded) {
        code = simulate_read_tape(s, &calls);
        code = code == EXIT_FINE ? make_of_tape(s, calls) : code;
    }
    code = code == EXIT_FINE ? simulate_open_real(s) : code;
    if (code == EXIT_FINE && s->executor && !s->pack && !s->catalogue) {
        code = simulate_list_real(s);
    }
    code = code == EXIT_FINE ? make(s, options) : code;
    code = code == EXIT_FINE ? add_states(s) : code;
    if (code == EXIT_FINE && calls && lg_sim_add_recorded(s->sim, calls, &err) != LG_OK) {
        code = say_error(&err, LG_STR(""));
    }
    return code;
}
