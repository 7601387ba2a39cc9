// state.c: `ledgergate check PACK --state FILE`: do the invariants hold before the first call?
//
// Of the ledger every session begins with the empty one, so loading the pack decides it. Where the
// state begins only a file can tell: each document of it is read against the pack's places, and each
// invariant of the state is evaluated there.
#include "cli/check/check.h"

#include <stdio.h>

#define STATE_ERRORS_MAX 50u

static lg_str task_of(lg_arena *arena, const lg_json *document)
{
    const lg_json *id = lg_json_get(document, LG_STR("task_id"));
    if (!id || lg_json_is(id, LG_JSON_STRING)) {
        return lg_json_str(id);
    }
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_json_print(&text, id);
    lg_str task = lg_arena_str(arena, lg_buf_str(&text));
    lg_buf_done(&text);
    return task;
}

// What does not fit is told of each document; then the file is bad input.
static bool load(check_start *start, const lg_json *document)
{
    lg_errors errors;
    lg_errors_init(&errors, &start->arena, STATE_ERRORS_MAX);
    lg_world_file file = {
        .value = document, .text = start->file.file.text, .name = start->file.path};
    lg_status status = lg_world_load(&start->world, &file, &errors);
    for (size_t i = 0; i < errors.count; i++) {
        cli_say_error(&errors.items[i], LG_STR(""));
    }
    if (errors.dropped) {
        cli_say("... and %zu more", errors.dropped);
    }
    start->code = status == LG_OK ? start->code : cli_exit_code(status);
    return status == LG_OK;
}

static bool note(check_start *start, const lg_pack *pack, lg_str task,
                 const lg_world_breach *breaches, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        check_breach *items = lg_arena_grow(&start->arena, start->broken, start->broken_count,
                                            &start->capacity, sizeof(*items));
        lg_str why = lg_arena_str(&start->arena, breaches[i].why);
        if (!items || !why.ptr) {
            return false;
        }
        start->broken = items;
        items[start->broken_count++] =
            (check_breach){.condition = breaches[i].condition,
                           .at = lg_pack_position(pack, breaches[i].condition->offset),
                           .task = task,
                           .why = why};
    }
    return true;
}

static bool check_document(check_start *start, const lg_pack *pack, const lg_json *document,
                           lg_str task)
{
    const lg_world_breach *breaches;
    size_t count;
    if (!load(start, document)) {
        return start->code == EXIT_USAGE; // the others are looked at all the same
    }
    start->states++;
    return lg_world_check(&start->world, &start->arena, &breaches, &count) == LG_OK &&
           note(start, pack, task, breaches, count) && check_settle_state(start, task);
}

bool check_start_open(check_start *start, const lg_pack *pack, const char *path, const char *task,
                      int *ret_code)
{
    lg_limits limits = lg_limits_resolve(NULL);
    *start = (check_start){.code = EXIT_FINE};
    lg_world_init(&start->world, pack, &limits);
    lg_arena_init(&start->arena, limits.document_bytes);
    if (!cli_values_open(path, &start->file, ret_code)) {
        return false;
    }
    bool found = task == NULL;
    bool fine = true;
    for (size_t i = 0; i < start->file.count && fine; i++) {
        lg_str own = task_of(&start->arena, start->file.items[i]);
        if (task && !lg_str_eq(own, lg_str_c(task))) {
            continue;
        }
        found = true;
        fine = check_document(start, pack, start->file.items[i], own);
    }
    if (!fine) {
        cli_say("ledgergate check: out of memory");
        start->code = EXIT_INTERNAL;
    } else if (!found) {
        lg_error error;
        lg_fail(&error, LG_ERR_MISSING, "%s has no state for task `%s`", path, task);
        cli_say_error(&error, LG_STR(""));
        start->code = EXIT_USAGE;
    }
    *ret_code = start->code;
    return start->code == EXIT_FINE;
}

void check_start_close(check_start *start)
{
    lg_world_done(&start->world);
    lg_arena_done(&start->arena);
    cli_values_close(&start->file);
}

void check_start_write(const check_start *start, lg_json_writer *w)
{
    lg_jw_member_uint(w, "states", start->states);
    lg_jw_key(w, "broken_at_start");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < start->broken_count; i++) {
        const check_breach *breach = &start->broken[i];
        lg_jw_begin_object(w);
        lg_jw_member_str(w, "id", breach->condition->id);
        if (breach->task.len) {
            lg_jw_member_str(w, "task_id", breach->task);
        }
        lg_jw_member_c(w, "file", breach->at.file);
        lg_jw_member_uint(w, "line", breach->at.line);
        lg_jw_member_uint(w, "column", breach->at.column);
        lg_jw_member_str(w, "why", breach->why.len ? breach->why : LG_STR("it is false"));
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}

void check_start_show(const check_start *start, cli_out *out)
{
    lg_buf_addf(&out->buf, "  %zu state%s at the start: ", start->states, lg_plural(start->states));
    if (start->broken_count == 0) {
        lg_buf_add_c(&out->buf, "every invariant of the state holds\n");
        return;
    }
    lg_buf_addf(&out->buf, "%zu invariant%s broken\n", start->broken_count,
                start->broken_count == 1 ? " is" : "s are");
    for (size_t i = 0; i < start->broken_count; i++) {
        const check_breach *breach = &start->broken[i];
        lg_buf_add_c(&out->buf, "    ");
        cli_add_text(out, lg_str_c(breach->at.file));
        lg_buf_addf(&out->buf, ":%u:%u: `%.*s` does not hold of ", breach->at.line,
                    breach->at.column, LG_FMT(breach->condition->id));
        cli_add_text(out, lg_str_c(start->file.path));
        if (breach->task.len) {
            lg_buf_add_c(&out->buf, ", task ");
            cli_add_text(out, breach->task);
        }
        lg_buf_add_c(&out->buf, breach->why.len ? ": " : "");
        cli_add_text(out, breach->why);
        lg_buf_add_c(&out->buf, "\n");
    }
}
