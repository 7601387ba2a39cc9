// tried.c: packs, documents, states and recordings into one simulator.
#include "cli/tried.h"

#include "pack/yaml.h"

#define TRIED_ERRORS_MAX 50u

static int say_errors(const lg_errors *errors, lg_str source, lg_status status)
{
    for (size_t i = 0; i < errors->count; i++) {
        cli_say_error(&errors->items[i], source);
    }
    if (errors->dropped) {
        cli_say("... and %zu more", errors->dropped);
    }
    if (status == LG_ERR_OOM && !lg_errors_any(errors)) {
        int code = EXIT_INTERNAL;
        (void)cli_out_of_memory(&code);
        return code;
    }
    return status == LG_OK ? EXIT_FINE : cli_exit_code(status);
}

static int say_error(lg_error *error, const char *path, lg_str source)
{
    error->file = error->file ? error->file : path;
    cli_say_error(error, source);
    return cli_exit_code(error->status);
}

// --- The document -------------------------------------------------------------------------------

// What the specification forbids and is taken all the same, as well as it is meant.
static void warn(cli_tried *t, const char *path)
{
    const lg_catalogue *c = t->catalogue;
    for (size_t i = 0; i < c->finding_count; i++) {
        const lg_catalogue_finding *f = &c->findings[i];
        if (!lg_catalogue_kind_is_error(f->kind)) {
            continue; // a matter of style: `ledgergate tools` tells
        }
        lg_position at = cli_values_position(&t->document, f->offset);
        cli_say("%s:%u:%u: warning: %.*s%s%.*s (%.*s)", at.file, at.line, at.column,
                LG_FMT(f->tool), f->tool.len ? ": " : "", LG_FMT(f->msg), LG_FMT(f->pointer));
    }
    if (c->findings_dropped) {
        cli_say("... and %zu more", c->findings_dropped);
    }
    if (!c->tool_count) {
        cli_say("%s: warning: there is no tool in it that could be called", path);
    }
}

static lg_status read_document(cli_tried *t, const char *path, lg_error *reterr)
{
    const lg_catalogue_options options = {.limits = cli_limits()};
    if (cli_has_ending(path, ".py") || cli_has_ending(path, ".md") ||
        cli_has_ending(path, ".txt")) {
        return lg_fail(
            reterr, LG_ERR_USAGE,
            "%s is not served as it is: `ledgergate convert --to openapi %s > tools.json`",
            cli_has_ending(path, ".py") ? "Python" : "text", path);
    }
    lg_status status = cli_values_read_text(path, &t->document, reterr);
    if (status != LG_OK) {
        return status;
    }
    lg_str text = t->document.file.text;
    const lg_json *root = NULL;
    if (!cli_has_ending(path, ".yaml") && !cli_has_ending(path, ".yml")) {
        return lg_catalogue_read(&t->arena, text, &options, &t->catalogue, reterr);
    }
    status = lg_yaml_parse(&t->arena, text, path, cli_limits(), &root, reterr);
    return status == LG_OK ? lg_catalogue_of(&t->arena, text, root, &options, &t->catalogue, reterr)
                           : status;
}

static int open_document(cli_tried *t, const char *path)
{
    lg_error error = {0};
    if (read_document(t, path, &error) != LG_OK) {
        return say_error(&error, path, t->document.file.text);
    }
    warn(t, path);
    return EXIT_FINE;
}

// --- The tape -----------------------------------------------------------------------------------

static int open_tape(cli_tried *t, const char *verb, const char *path)
{
    lg_error error = {0};
    int code = cli_tape_open(verb, path, &t->arena, &t->tape, &t->calls);
    if (code != EXIT_FINE || t->pack || t->catalogue) {
        return code;
    }
    lg_status status = cli_tape_tools(&t->arena, t->calls, &t->catalogue, &error);
    return status == LG_OK ? EXIT_FINE : say_error(&error, path, LG_STR(""));
}

int cli_tried_read(const char *verb, const cli_tried_options *options, cli_tried *ret)
{
    int code = EXIT_FINE;
    *ret = (cli_tried){.sim = NULL};
    lg_arena_init(&ret->arena, cli_limits()->document_bytes);
    if (options->pack && options->document) {
        return cli_usage(verb, "give a pack or a document, and not both");
    }
    if (options->pack) {
        ret->pack = cli_load_pack(options->pack, &code);
    } else if (options->document) {
        code = open_document(ret, options->document);
    }
    return code == EXIT_FINE && options->recorded ? open_tape(ret, verb, options->recorded) : code;
}

// --- The simulator ------------------------------------------------------------------------------

static int make_sim(cli_tried *t, const cli_tried_options *given)
{
    lg_errors errors;
    lg_sim_options options = given->sim;
    lg_errors_init(&errors, &t->arena, TRIED_ERRORS_MAX);
    options.pack = t->pack;
    options.catalogue = t->catalogue;
    options.limits = cli_limits();
    options.now_seconds = cli_now().seconds;
    lg_status status = lg_sim_new(&options, &t->sim, &errors);
    return say_errors(&errors, t->document.file.text, status);
}

// Whose state it is; empty: of every task that has none of its own. ptr is NULL when out of memory.
static lg_str task_of(cli_tried *t, const lg_json *state)
{
    const lg_json *id = lg_json_get(state, LG_STR("task_id"));
    if (lg_json_is(id, LG_JSON_INT)) { // files of tasks number them
        return lg_arena_printf(&t->arena, "%lld", (long long)id->as.i64);
    }
    return lg_json_str(id);
}

static int add_states(cli_tried *t, const char *path)
{
    int code = EXIT_USAGE;
    lg_errors errors;
    lg_status status = LG_OK;
    cli_values *file = &t->states[t->state_count++];
    if (!cli_values_open(path, file, &code)) {
        return code;
    }
    lg_errors_init(&errors, &t->arena, TRIED_ERRORS_MAX);
    for (size_t i = 0; status == LG_OK && i < file->count; i++) {
        lg_world_file of = {.value = file->items[i], .text = file->file.text, .name = path};
        lg_str task = task_of(t, file->items[i]);
        status = task.ptr ? lg_sim_add_state(t->sim, &of, task, &errors) : LG_ERR_OOM;
    }
    return say_errors(&errors, LG_STR(""), status);
}

int cli_tried_make(const cli_tried_options *options, cli_tried *tried)
{
    lg_error error = {0};
    int code = make_sim(tried, options);
    size_t states = options->states ? options->states->count : 0;
    for (size_t i = 0; i < states && code == EXIT_FINE; i++) {
        code = add_states(tried, options->states->items[i]);
    }
    if (code == EXIT_FINE && tried->calls &&
        lg_sim_add_recorded(tried->sim, tried->calls, &error) != LG_OK) {
        code = say_error(&error, options->recorded, LG_STR(""));
    }
    return code;
}

// In the order in which they point at each other.
void cli_tried_close(cli_tried *tried)
{
    lg_sim_free(tried->sim);
    lg_pack_free(tried->pack);
    cli_tape_close(&tried->tape);
    for (size_t i = 0; i < tried->state_count; i++) {
        cli_values_close(&tried->states[i]);
    }
    cli_values_close(&tried->document);
    lg_arena_done(&tried->arena);
}
