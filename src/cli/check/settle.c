// settle.c: does `settle` come to rest?
//
// What a read shows is taken for fresh until a call changes it, and `settle` runs after every call. So it
// must find nothing to do twice. The steps alone tell which may (pack/settle.c); a state tells more:
// there they are done twice, and it may stay as it is neither time.
#include "cli/check/check.h"

static lg_str difference(check_start *start, const lg_json *before, const lg_json *after)
{
    lg_world_differences all = {.arena = &start->arena, .limit = 1};
    lg_world_compare(before, after, &all);
    if (all.oom || all.total == 0) {
        return (lg_str){all.oom ? NULL : "", 0};
    }
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_buf_addf(&text, "%.*s: ", LG_FMT(all.items[0].path));
    const lg_json *sides[] = {all.items[0].before, all.items[0].after};
    for (size_t i = 0; i < LG_COUNT(sides); i++) {
        lg_buf_add_c(&text, i ? ", then " : "");
        if (sides[i]) {
            lg_json_print(&text, sides[i]);
        } else {
            lg_buf_add_c(&text, "absent");
        }
    }
    if (all.total > 1) {
        lg_buf_addf(&text, ", and %zu more", all.total - 1);
    }
    lg_str copy = lg_arena_str(&start->arena, lg_buf_str(&text));
    lg_buf_done(&text);
    return copy;
}

static bool note(check_start *start, lg_str task, bool again, lg_str what)
{
    check_unrest *items = lg_arena_grow(&start->arena, start->unrest, start->unrest_count,
                                        &start->unrest_capacity, sizeof(*items));
    if (!items) {
        return false;
    }
    start->unrest = items;
    items[start->unrest_count++] = (check_unrest){task, again, what};
    return true;
}

// One time. `ret_what` is what it has changed, empty if nothing, or why it fails.
static bool settle_once(check_start *start, lg_str *ret_what)
{
    const lg_json *before = start->world.root;
    lg_world_outcome outcome;
    lg_error error;
    if (lg_world_settle(&start->world, &outcome, &error) != LG_OK) {
        return false;
    }
    if (outcome.end == LG_WORLD_DONE) {
        *ret_what = difference(start, before, start->world.root);
    } else {
        lg_str why = outcome.result ? lg_json_str(outcome.result) : lg_str_c(outcome.fault.msg);
        *ret_what = lg_arena_str(&start->arena, why);
    }
    return ret_what->ptr != NULL;
}

bool check_settle_state(check_start *start, lg_str task)
{
    lg_str first;
    lg_str second;
    if (!settle_once(start, &first) || !settle_once(start, &second)) {
        return false;
    }
    bool again = second.len > 0;
    return (first.len == 0 && !again) || note(start, task, again, again ? second : first);
}

void check_settle_write(const lg_pack *pack, const check_start *start, lg_json_writer *w)
{
    lg_jw_key(w, "restless");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < pack->restless_count; i++) {
        lg_position at = lg_pack_position(pack, pack->restless[i]);
        lg_jw_begin_object(w);
        lg_jw_member_uint(w, "line", at.line);
        lg_jw_member_uint(w, "column", at.column);
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
    if (!start) {
        return;
    }
    lg_jw_key(w, "unsettled");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < start->unrest_count; i++) {
        const check_unrest *one = &start->unrest[i];
        lg_jw_begin_object(w);
        if (one->task.len) {
            lg_jw_member_str(w, "task_id", one->task);
        }
        lg_jw_member_bool(w, "again", one->again);
        lg_jw_member_str(w, "what", one->what);
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}

void check_settle_show(const lg_pack *pack, const check_start *start, cli_out *out)
{
    for (size_t i = 0; i < pack->restless_count; i++) {
        lg_position at = lg_pack_position(pack, pack->restless[i]);
        lg_buf_add_c(&out->buf, "  `settle` may not come to rest: ");
        cli_add_text(out, lg_str_c(at.file));
        lg_buf_addf(
            &out->buf,
            ":%u:%u: this step, or one behind it, changes what it reads; what it sets is stale "
            "after every call\n",
            at.line, at.column);
    }
    for (size_t i = 0; start && i < start->unrest_count; i++) {
        const check_unrest *one = &start->unrest[i];
        lg_buf_add_c(&out->buf, one->again
                                    ? "  `settle` does not come to rest in "
                                    : "  `settle` has something to do before the first call in ");
        cli_add_text(out, lg_str_c(start->file.path));
        if (one->task.len) {
            lg_buf_add_c(&out->buf, ", task ");
            cli_add_text(out, one->task);
        }
        lg_buf_add_c(&out->buf, ": ");
        cli_add_text(out, one->what);
        lg_buf_add_c(&out->buf, "\n");
    }
}
