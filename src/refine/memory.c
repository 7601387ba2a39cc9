// memory.c: the messages that a planner is asked with, built anew for every question out of what an attempt remembers.
#include "refine/refine_internal.h"

void lg_refine_forget_before(lg_refine_memory *memory, size_t turn)
{
    for (size_t t = memory->remembered_from; t < turn; t++) {
        lg_refine_turn *old = &memory->turns[t];
        old->wrong = LG_STR("");
        for (size_t i = old->from; i < old->from + old->count; i++) {
            memory->is_forgotten[i] = !memory->calls[i].is_valid;
        }
    }
    memory->remembered_from = turn;
}

static bool call_json(lg_arena *arena, const lg_refined_call *call, lg_json *ret)
{
    lg_json_member *function = lg_json_alloc_members(arena, 2);
    lg_json_member *whole = lg_json_alloc_members(arena, 3);
    if (!function || !whole) {
        return false;
    }
    function[0] = lg_json_make_member(LG_STR("name"), lg_json_make_str(call->name));
    function[1] = lg_json_make_member(LG_STR("arguments"), lg_json_make_str(call->args_text));
    whole[0] = lg_json_make_member(LG_STR("id"), lg_json_make_str(call->id));
    whole[1] = lg_json_make_member(LG_STR("type"), lg_json_make_str(LG_STR("function")));
    whole[2] = lg_json_make_member(LG_STR("function"), lg_json_make_object(function, 2));
    *ret = lg_json_make_object(whole, 3);
    return true;
}

const lg_json *lg_refine_calls_json(lg_arena *arena, const lg_refined_call *calls, const bool *skip,
                                    size_t count, size_t *ret_count)
{
    size_t kept = 0;
    lg_json *items = LG_NEW_ARRAY(arena, lg_json, count + 1);
    lg_json *list = LG_NEW(arena, lg_json);
    if (!items || !list) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        if (skip && skip[i]) {
            continue;
        }
        if (!call_json(arena, &calls[i], &items[kept++])) {
            return NULL;
        }
    }
    *list = lg_json_make_array(items, kept);
    *ret_count = kept;
    return list;
}

// A list of messages whose room was made beforehand.
typedef struct list {
    lg_llm_message *items;
    size_t count;
} list;

static void add(list *l, const char *role, lg_str text)
{
    l->items[l->count++] = (lg_llm_message){.role = lg_str_c(role), .text = text};
}

static bool add_turn(list *l, lg_arena *arena, const lg_refine_memory *memory,
                     const lg_refine_turn *turn)
{
    size_t count = 0;
    if (turn->count == 0) { // there may be no calls at all
        if (turn->wrong.len) {
            add(l, "user", turn->wrong);
        }
        return true;
    }
    const lg_refined_call *calls = memory->calls + turn->from;
    const bool *skip = memory->is_forgotten + turn->from;
    const lg_json *made = lg_refine_calls_json(arena, calls, skip, turn->count, &count);
    if (!made || count == 0) {
        return made != NULL;
    }
    add(l, "assistant", turn->text);
    l->items[l->count - 1].calls = made;
    for (size_t i = 0; i < turn->count; i++) {
        if (!skip[i]) {
            add(l, "tool", calls[i].text);
            l->items[l->count - 1].call_id = calls[i].id;
        }
    }
    return true;
}

// The task, what was done of it, and what is to be remembered of the last attempt. Where nothing was done the latter is a
// part of the task's message: some models insist on turns.
static bool add_task(list *l, lg_arena *arena, const lg_refine_memory *memory)
{
    const lg_refine_options *options = memory->options;
    lg_str task = options->task, reminder = memory->reminder;
    bool is_one = reminder.len && options->begun_count == 0;
    if (is_one) {
        task = lg_arena_printf(arena, "%.*s\n\n%.*s", LG_FMT(task), LG_FMT(reminder));
        if (!task.ptr) {
            return false;
        }
    }
    add(l, "user", task);
    for (size_t i = 0; i < options->begun_count; i++) {
        l->items[l->count++] = options->begun[i];
    }
    if (reminder.len && !is_one) {
        add(l, "user", reminder);
    }
    return true;
}

lg_status lg_refine_messages(const lg_refine_memory *memory, lg_arena *arena,
                             const lg_llm_message **ret, size_t *ret_count, lg_error *reterr)
{
    const lg_refine_options *options = memory->options;
    size_t most =
        3 + options->history_count + options->begun_count + memory->turn_count + memory->call_count;
    list l = {.items = LG_NEW_ARRAY(arena, lg_llm_message, most)};
    if (!l.items) {
        return lg_fail_oom(reterr);
    }
    add(&l, "system", memory->system);
    for (size_t i = 0; i < options->history_count; i++) {
        l.items[l.count++] = options->history[i];
    }
    bool is_whole = add_task(&l, arena, memory);
    for (size_t t = 0; is_whole && t < memory->turn_count; t++) {
        is_whole = add_turn(&l, arena, memory, &memory->turns[t]);
    }
    if (!is_whole) {
        return lg_fail_oom(reterr);
    }
    *ret = l.items;
    *ret_count = l.count;
    return LG_OK;
}
