// computed.c: the final state by the pack: the plan's calls carried out on the initial state.
#include "cli/extract/extract.h"

#include "world/world.h"

#define DIFFERENCES_MAX 200u

static bool run_step(lg_world *world, const lg_plan_step *step, lg_arena *arena,
                     extract_computed *ret)
{
    lg_error why;
    lg_world_outcome outcome;
    const lg_json *args = NULL;
    if (step->args.len > 0 && lg_json_parse_in(arena, step->args, 0, step->args.len, cli_limits(),
                                               &args, &why) != LG_OK) {
        args = NULL;
    }
    lg_time now = cli_now();
    lg_world_call call = {.tool = step->tool,
                          .args = args,
                          .args_text = step->args,
                          .now_seconds = now.seconds,
                          .now_nanos = now.nanos};
    if (lg_world_call_tool(world, &call, &outcome, &why) != LG_OK) {
        return false;
    }
    ret->failed += outcome.end != LG_WORLD_DONE;
    ret->unknown += outcome.end == LG_WORLD_DONE && outcome.effects_unknown;
    return true;
}

// What the fields of the model's prediction say that nothing which changed shows.
static bool mark_fields(const lg_task_plan *plan, lg_arena *arena, extract_computed *ret)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    for (size_t i = 0; i < ret->count; i++) {
        lg_buf_add(&text, ret->items[i].path);
        lg_buf_add_c(&text, " ");
        if (ret->items[i].after) {
            lg_json_print(&text, ret->items[i].after);
        }
        lg_buf_add_c(&text, "\n");
    }
    ret->shown = LG_NEW_ARRAY(arena, bool, plan->field_count + 1);
    for (size_t i = 0; ret->shown && i < plan->field_count; i++) {
        ret->shown[i] = !plan->fields[i].exact ||
                        lg_str_find(lg_buf_str(&text), plan->fields[i].value) != SIZE_MAX;
    }
    bool fine = ret->shown && lg_buf_status(&text) == LG_OK;
    lg_buf_done(&text);
    return fine;
}

// The differences point into the world, which goes: they are copied.
static bool keep(const lg_world_differences *found, lg_arena *arena, extract_computed *ret)
{
    ret->items = LG_NEW_ARRAY(arena, extract_change, found->count + 1);
    for (size_t i = 0; ret->items && i < found->count; i++) {
        const lg_world_difference *from = &found->items[i];
        extract_change *to = &ret->items[ret->count++];
        to->path = lg_arena_str(arena, from->path);
        to->before = from->before ? lg_json_copy(arena, from->before) : NULL;
        to->after = from->after ? lg_json_copy(arena, from->after) : NULL;
        if (!to->path.ptr || (from->before && !to->before) || (from->after && !to->after)) {
            return false;
        }
    }
    ret->total = found->total;
    return ret->items != NULL;
}

static bool carry_out(lg_world *world, const lg_task_plan *plan, lg_arena *arena,
                      extract_computed *ret)
{
    bool fine = true;
    for (size_t i = 0; i < plan->step_count && fine; i++) {
        fine = run_step(world, &plan->steps[i], arena, ret);
    }
    lg_world_differences found = {.arena = arena, .limit = DIFFERENCES_MAX};
    if (fine) {
        lg_world_compare(world->start, world->root, &found);
    }
    return fine && !found.oom && keep(&found, arena, ret) && mark_fields(plan, arena, ret);
}

bool extract_compute(const lg_pack *pack, const lg_trace *trace, const lg_task_plan *plan,
                     lg_arena *arena, extract_computed *ret)
{
    *ret = (extract_computed){.count = 0};
    if (!pack || pack->state.count == 0 || !trace->initial || !plan) {
        return true;
    }
    lg_world world;
    lg_errors errors;
    lg_errors_init(&errors, arena, 1);
    lg_world_init(&world, pack, cli_limits());
    lg_world_file file = {.value = trace->initial, .text = LG_STR("")};
    lg_status status = lg_world_load(&world, &file, &errors);
    bool fine = status != LG_ERR_OOM;
    ret->loaded = status == LG_OK;
    if (ret->loaded) {
        fine = carry_out(&world, plan, arena, ret);
    }
    lg_world_done(&world);
    return fine;
}

// --- Printing ---------------------------------------------------------------------------------------------

void extract_show_computed(const extract_computed *c, const lg_task_plan *plan, cli_out *out)
{
    if (!c->loaded) {
        return;
    }
    lg_buf_addf(&out->buf, "  by the pack: %zu change%s", c->total, lg_plural(c->total));
    if (c->failed) {
        lg_buf_addf(&out->buf, ", %zu call%s not carried out", c->failed, lg_plural(c->failed));
    }
    lg_buf_add_c(&out->buf, "\n");
    for (size_t i = 0; i < c->count; i++) {
        lg_buf_add_c(&out->buf, "    ");
        cli_add_text(out, c->items[i].path);
        lg_buf_add_c(&out->buf, ": ");
        cli_add_json(out, c->items[i].before, 200);
        lg_buf_add_c(&out->buf, " -> ");
        cli_add_json(out, c->items[i].after, 200);
        lg_buf_add_c(&out->buf, "\n");
    }
    for (size_t i = 0; plan->has_final && i < plan->field_count; i++) {
        if (!c->shown[i]) {
            lg_buf_add_c(&out->buf, "    not shown by it: ");
            cli_add_text(out, plan->fields[i].name);
            lg_buf_add_c(&out->buf, " = ");
            cli_add_cut(out, plan->fields[i].value, 300);
            lg_buf_add_c(&out->buf, "\n");
        }
    }
}

void extract_write_computed(const extract_computed *c, const lg_task_plan *plan, lg_json_writer *w)
{
    if (!c->loaded) {
        return;
    }
    lg_jw_key(w, "computed");
    lg_jw_begin_object(w);
    lg_jw_key(w, "changes");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < c->count; i++) {
        lg_jw_begin_object(w);
        lg_jw_member_str(w, "path", c->items[i].path);
        lg_jw_member_json(w, "before", c->items[i].before);
        lg_jw_member_json(w, "after", c->items[i].after);
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
    lg_jw_member_uint(w, "total", c->total);
    lg_jw_member_uint(w, "not_carried_out", c->failed);
    lg_jw_member_uint(w, "effects_unknown", c->unknown);
    lg_jw_key(w, "not_shown");
    lg_jw_begin_array(w);
    for (size_t i = 0; plan->has_final && i < plan->field_count; i++) {
        if (!c->shown[i]) {
            lg_jw_str(w, plan->fields[i].name);
        }
    }
    lg_jw_end_array(w);
    lg_jw_end_object(w);
}
