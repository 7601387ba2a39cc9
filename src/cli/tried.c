// tried.c: packs, documents and states into a simulator.
#include "cli/tried.h"

#define TRIED_ERRORS_MAX 50u

static int say_errors(const lg_errors *errors, lg_status status)
{
    for (size_t i = 0; i < errors->count; i++) {
        cli_say_error(&errors->items[i], LG_STR(""));
    }
    if (errors->dropped) {
        cli_say("... and %zu more", errors->dropped);
    }
    if (!lg_errors_any(errors)) {
        int code = EXIT_INTERNAL;
        (void)cli_out_of_memory(&code);
        return code;
    }
    return cli_exit_code(status);
}

static int read_document(cli_tried *t, const char *path)
{
    lg_error error;
    lg_catalogue_options options = {.limits = cli_limits()};
    lg_status status;
    if (cli_has_ending(path, ".yaml") || cli_has_ending(path, ".yml")) {
        int code = EXIT_USAGE;
        if (!cli_values_open_one(path, &t->document, &code)) {
            return code;
        }
        status = lg_catalogue_of(&t->arena, t->document.file.text, t->document.items[0], &options,
                                 &t->catalogue, &error);
    } else {
        status = cli_values_read_text(path, &t->document, &error);
        if (status == LG_OK) {
            status = lg_catalogue_read(&t->arena, t->document.file.text, &options, &t->catalogue,
                                       &error);
        }
    }
    if (status != LG_OK) {
        error.file = path;
        cli_say_error(&error, t->document.file.text);
    }
    return status == LG_OK ? EXIT_FINE : cli_exit_code(status);
}

static int make_sim(cli_tried *t, const cli_tried_options *options)
{
    lg_errors errors;
    lg_sim_options sim = {
        .pack = t->pack,
        .catalogue = t->catalogue,
        .limits = cli_limits(),
        .history_calls = options->history_calls,
        .now_seconds = cli_now().seconds,
        .without_validator = options->without_validator,
        .without_state = options->without_state,
    };
    lg_errors_init(&errors, &t->arena, TRIED_ERRORS_MAX);
    lg_status status = lg_sim_new(&sim, &t->sim, &errors);
    return status == LG_OK ? EXIT_FINE : say_errors(&errors, status);
}

// A task's name; of a number its digits. ptr is NULL when out of memory.
static lg_str task_of(cli_tried *t, const lg_json *state)
{
    const lg_json *id = lg_json_get(state, LG_STR("task_id"));
    lg_buf text;
    if (!lg_json_is_number(id)) {
        return lg_json_str(id);
    }
    lg_buf_init(&text, 0);
    lg_json_print(&text, id);
    bool is_whole = lg_buf_status(&text) == LG_OK;
    lg_str task = is_whole ? lg_arena_str(&t->arena, lg_buf_str(&text)) : (lg_str){0};
    lg_buf_done(&text);
    return task;
}

static int add_states(cli_tried *t, const char *path)
{
    int code = EXIT_USAGE;
    lg_errors errors;
    lg_status status = LG_OK;
    if (!cli_values_open(path, &t->state, &code)) {
        return code;
    }
    lg_errors_init(&errors, &t->arena, TRIED_ERRORS_MAX);
    for (size_t i = 0; status == LG_OK && i < t->state.count; i++) {
        lg_world_file file = {.value = t->state.items[i], .text = t->state.file.text, .name = path};
        lg_str task = task_of(t, t->state.items[i]);
        status = task.ptr ? lg_sim_add_state(t->sim, &file, task, &errors) : LG_ERR_OOM;
    }
    return status == LG_OK ? EXIT_FINE : say_errors(&errors, status);
}

static int add_recorded(cli_tried *t, const char *path)
{
    int code = EXIT_USAGE;
    lg_error error;
    if (!cli_values_open(path, &t->recorded, &code)) {
        return code;
    }
    bool is_list = t->recorded.count == 1 && lg_json_is(t->recorded.items[0], LG_JSON_ARRAY);
    const lg_json *list = is_list ? t->recorded.items[0] : &t->answers;
    if (!is_list) {
        lg_json *items = LG_NEW_ARRAY(&t->arena, lg_json, t->recorded.count + 1);
        for (size_t i = 0; items && i < t->recorded.count; i++) {
            items[i] = *t->recorded.items[i];
        }
        if (!items) {
            (void)cli_out_of_memory(&code);
            return code;
        }
        t->answers = lg_json_make_array(items, t->recorded.count);
    }
    lg_status status = lg_sim_add_recorded(t->sim, list, &error);
    if (status != LG_OK) {
        error.file = path;
        cli_say_error(&error, LG_STR(""));
    }
    return status == LG_OK ? EXIT_FINE : cli_exit_code(status);
}

int cli_tried_open(const char *verb, const cli_tried_options *options, cli_tried *ret)
{
    int code = EXIT_FINE;
    *ret = (cli_tried){0};
    lg_arena_init(&ret->arena, 0);
    if (!options->pack == !options->document) {
        return cli_usage(verb, "give --pack PACK, or one DOCUMENT of tools");
    }
    if (options->pack) {
        ret->pack = cli_load_pack(options->pack, &code);
        code = ret->pack ? EXIT_FINE : code;
    } else {
        code = read_document(ret, options->document);
    }
    if (code == EXIT_FINE) {
        code = make_sim(ret, options);
    }
    if (code == EXIT_FINE && options->state) {
        code = add_states(ret, options->state);
    }
    if (code == EXIT_FINE && options->recorded) {
        code = add_recorded(ret, options->recorded);
    }
    return code;
}

// In the order in which they point at each other.
void cli_tried_close(cli_tried *tried)
{
    lg_sim_free(tried->sim);
    lg_pack_free(tried->pack);
    cli_values_close(&tried->recorded);
    cli_values_close(&tried->state);
    cli_values_close(&tried->document);
    lg_arena_done(&tried->arena);
}
