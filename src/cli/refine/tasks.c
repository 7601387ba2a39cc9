// tasks.c: tasks and their checklists.
#include "cli/refine/refine.h"

#define TASK_ERRORS_MAX 20u

static int bad_task(refine_tasks *tasks, const lg_json *at, const char *what)
{
    lg_error error;
    lg_position place = cli_values_position(&tasks->file, at->offset);
    (void)lg_fail_at(&error, LG_ERR_FORMAT, place, "%s", what);
    cli_say_error(&error, tasks->file.file.text);
    return EXIT_USAGE;
}

static int read_checklist(refine_tasks *tasks, cli_values *file, const lg_json *from,
                          lg_checklist *ret)
{
    lg_errors errors;
    lg_errors_init(&errors, &tasks->arena, TASK_ERRORS_MAX);
    lg_status status = lg_checklist_read(&tasks->arena, from, ret, &errors);
    for (size_t i = 0; i < errors.count; i++) {
        lg_error error = errors.items[i];
        lg_position place = cli_values_position(file, from->offset);
        error.file = place.file;
        error.line = place.line;
        error.column = place.column;
        cli_say_error(&error, file->file.text);
    }
    if (status != LG_OK && !lg_errors_any(&errors)) {
        int code = EXIT_INTERNAL;
        (void)cli_out_of_memory(&code);
        return code;
    }
    return status == LG_OK ? EXIT_FINE : cli_exit_code(status);
}

static bool has_checklist(const lg_json *task)
{
    return lg_json_get(task, LG_STR("checklist")) || lg_json_get(task, LG_STR("actions")) ||
           lg_json_get(task, LG_STR("communicate_info")) || lg_json_get(task, LG_STR("state"));
}

// An id that is a number is known by its digits.
static int read_id(refine_tasks *tasks, const lg_json *id, refine_task *ret)
{
    lg_buf text;
    int code = EXIT_FINE;
    ret->id = lg_json_str(id);
    if (!lg_json_is_number(id)) {
        return EXIT_FINE;
    }
    lg_buf_init(&text, 0);
    lg_json_print(&text, id);
    ret->id = lg_buf_keep(&text, &tasks->arena);
    if (!ret->id.ptr) {
        (void)cli_out_of_memory(&code);
    }
    return code;
}

static int read_task(refine_tasks *tasks, const lg_json *from, refine_task *ret)
{
    int64_t seed = 0;
    const lg_json *number = lg_json_get(from, LG_STR("seed"));
    ret->text = lg_json_str(lg_json_get(from, LG_STR("task")));
    if (!lg_json_is(from, LG_JSON_OBJECT) || lg_str_trim(ret->text).len == 0) {
        return bad_task(tasks, from,
                        "a task is an object with what is to be done as `task`, a text");
    }
    if (number && (!lg_json_int(number, &seed) || seed < 0)) {
        return bad_task(tasks, number, "a `seed` is a whole number, not below 0");
    }
    ret->seed = (uint64_t)seed;
    int code = read_id(tasks, lg_json_get(from, LG_STR("task_id")), ret);
    ret->has_checklist = has_checklist(from);
    return code == EXIT_FINE && ret->has_checklist
               ? read_checklist(tasks, &tasks->file, from, &ret->checklist)
               : code;
}

static int read_tasks(refine_tasks *tasks, const char *path)
{
    int code = EXIT_FINE;
    if (!cli_values_open(path, &tasks->file, &code)) {
        return code;
    }
    const lg_json *first = tasks->file.count ? tasks->file.items[0] : NULL;
    bool is_list = tasks->file.count == 1 && lg_json_is(first, LG_JSON_ARRAY);
    size_t count = is_list ? lg_json_len(first) : tasks->file.count;
    tasks->items = LG_NEW_ARRAY(&tasks->arena, refine_task, count + 1);
    if (!tasks->items) {
        (void)cli_out_of_memory(&code);
        return code;
    }
    for (size_t i = 0; i < count && code == EXIT_FINE; i++) {
        const lg_json *from = is_list ? lg_json_item(first, i) : tasks->file.items[i];
        code = read_task(tasks, from, &tasks->items[i]);
    }
    tasks->count = count;
    if (code == EXIT_FINE && count == 0) {
        return cli_usage("refine", "there is no task in %s", path);
    }
    return code;
}

static int one_task(refine_tasks *tasks, const char *text)
{
    int code = EXIT_FINE;
    tasks->items = LG_NEW(&tasks->arena, refine_task);
    if (!tasks->items) {
        (void)cli_out_of_memory(&code);
        return code;
    }
    tasks->items[0].text = lg_str_c(text);
    tasks->items[0].id = LG_STR("");
    tasks->count = 1;
    return EXIT_FINE;
}

static int share_checklist(refine_tasks *tasks, const char *path)
{
    int code = EXIT_FINE;
    lg_checklist shared = {0};
    if (!cli_values_open_one(path, &tasks->checklist, &code)) {
        return code;
    }
    code = read_checklist(tasks, &tasks->checklist, tasks->checklist.items[0], &shared);
    for (size_t i = 0; i < tasks->count && code == EXIT_FINE; i++) {
        if (!tasks->items[i].has_checklist) {
            tasks->items[i].checklist = shared;
            tasks->items[i].has_checklist = true;
        }
    }
    return code;
}

int refine_tasks_open(refine_tasks *tasks, const char *text, const char *path,
                      const char *checklist)
{
    *tasks = (refine_tasks){0};
    lg_arena_init(&tasks->arena, 0);
    if (!text == !path) {
        return cli_usage("refine", "give --task TEXT or --tasks FILE");
    }
    int code = text ? one_task(tasks, text) : read_tasks(tasks, path);
    return code == EXIT_FINE && checklist ? share_checklist(tasks, checklist) : code;
}

void refine_tasks_close(refine_tasks *tasks)
{
    cli_values_close(&tasks->checklist);
    cli_values_close(&tasks->file);
    lg_arena_done(&tasks->arena);
}
