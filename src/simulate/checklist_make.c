// checklist_make.c: a checklist that a model makes of a task's words (Gecko, appendix A.6).
#include "simulate/ask_internal.h"
#include "simulate/checklist_internal.h"

#define MOST_ITEMS 50u
#define MOST_BEFORE 20u

static lg_status write_material(lg_arena *arena, const lg_sim *sim, lg_str task,
                                const lg_str *before, size_t count, lg_str *ret, lg_error *reterr)
{
    lg_buf text, earlier;
    size_t from = count > MOST_BEFORE ? count - MOST_BEFORE : 0;
    lg_buf_init(&text, 0);
    lg_buf_init(&earlier, 0);
    if (from > 0) {
        lg_buf_addf(&earlier, "[cut: %zu earlier tasks]\n", from);
    }
    for (size_t i = from; i < count; i++) {
        lg_buf_addf(&earlier, "%zu. ", i + 1);
        lg_llm_add_cut(&earlier, before[i], ASK_TEXT_BYTES);
        lg_buf_add_c(&earlier, "\n");
    }
    if (count > 0) {
        lg_llm_add_section(&text, "tasks_before", lg_buf_str(&earlier), ASK_STATE_BYTES * 2);
    }
    lg_status status = lg_buf_status(&earlier);
    lg_buf_done(&earlier);
    ask_add_tools(&text, sim);
    lg_llm_add_section(&text, "task", task, ASK_STATE_BYTES);
    if (status != LG_OK) {
        lg_buf_done(&text);
        return lg_fail_oom(reterr);
    }
    return ask_take(arena, &text, ret, reterr);
}

// False when out of memory. An item without words is passed over.
static bool take_item(lg_arena *arena, const lg_cel_env *env, const lg_json *item,
                      lg_checklist_item *items, size_t *count)
{
    lg_errors errors;
    lg_str description = lg_str_trim(lg_json_str(lg_json_get(item, LG_STR("description"))));
    lg_str that = lg_str_trim(lg_json_str(lg_json_get(item, LG_STR("that"))));
    if (description.len == 0) {
        return true;
    }
    lg_checklist_item ret = {.kind = LG_CHECK_IN_WORDS};
    ret.description = lg_arena_str(arena, lg_str_cut(description, LG_CHECKLIST_TEXT_BYTES));
    lg_errors_init(&errors, arena, 1);
    if (that.len > 0 && that.len <= LG_CHECKLIST_TEXT_BYTES) {
        ret.that = lg_arena_str(arena, that);
        ret.program = ret.that.ptr ? checklist_compile(arena, env, ret.that, &errors) : NULL;
        if (!ret.program && !lg_errors_any(&errors)) {
            return false;
        }
        ret.kind = ret.program ? LG_CHECK_THAT : LG_CHECK_IN_WORDS;
    }
    if (!ret.program) {
        ret.that = LG_STR("");
    }
    items[(*count)++] = ret;
    return ret.description.ptr != NULL;
}

lg_status lg_checklist_make(lg_arena *arena, const lg_sim *sim, lg_str task,
                            const lg_str *tasks_before, size_t before_count, lg_llm *model,
                            lg_checklist *ret, lg_str *ret_why, lg_error *reterr)
{
    const lg_json *value;
    ask_question question = {.task = ask_task_checklist};
    *ret = (lg_checklist){.by_model = true};
    *ret_why = LG_STR("");
    lg_status status = ask_schema(arena, ask_schema_checklist, &question.schema, reterr);
    if (status == LG_OK) {
        status = write_material(arena, sim, task, tasks_before, before_count, &question.material,
                                reterr);
    }
    if (status == LG_OK) {
        status = ask_model(arena, model, &question, &value, ret_why, reterr);
    }
    if (status != LG_OK || !value) {
        return status;
    }
    const lg_json *list = lg_json_get(value, LG_STR("items"));
    const lg_cel_env *env = checklist_env(arena);
    lg_checklist_item *items = LG_NEW_ARRAY(arena, lg_checklist_item, MOST_ITEMS);
    size_t count = 0;
    if (!env || !items) {
        return lg_fail_oom(reterr);
    }
    for (size_t i = 0; i < lg_json_len(list) && count < MOST_ITEMS; i++) {
        if (!take_item(arena, env, lg_json_item(list, i), items, &count)) {
            return lg_fail_oom(reterr);
        }
    }
    ret->items = items;
    ret->count = count;
    *ret_why = count ? LG_STR("") : LG_STR("the model named no item");
    return LG_OK;
}
