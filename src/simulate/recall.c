// recall.c: a hash table of the calls that differ; each has a list of its answers.
//
// The key of a call is the canonical text of its arguments, in which equal values are written alike, with its tool
// before it. A hash that is met by chance, or on purpose, costs a comparison more and finds nothing wrong.
#include "simulate/recall.h"

#include "base/hash.h"

typedef struct group {
    lg_str tool;
    const lg_json *args;
    uint64_t hash;
    const lg_json **entries;
    size_t count, capacity;
} group;

struct lg_recall {
    lg_arena *arena;
    group *groups;
    size_t group_count, group_capacity;
    uint32_t *slots; // of a group, from 1; 0: free
    size_t slot_count;
};

static const lg_json no_arguments = {.type = LG_JSON_OBJECT, .offset = LG_JSON_NO_OFFSET};
static const lg_json no_result = {.type = LG_JSON_NULL, .offset = LG_JSON_NO_OFFSET};

lg_recall *lg_recall_new(lg_arena *arena)
{
    lg_recall *recall = LG_NEW(arena, lg_recall);
    if (recall) {
        recall->arena = arena;
    }
    return recall;
}

// --- The table ----------------------------------------------------------------------------------

// 0 and false where the arguments cannot be printed: out of memory, or nested too deep.
static bool hash_call(lg_str tool, const lg_json *args, uint64_t *ret)
{
    char room[1024];
    lg_buf text;
    lg_buf_init_in(&text, room, sizeof(room), 0);
    lg_buf_add(&text, tool);
    lg_buf_add_byte(&text, '\n');
    lg_json_print_canonical(&text, args);
    bool fine = lg_buf_status(&text) == LG_OK;
    *ret = fine ? lg_hash(lg_buf_str(&text)) : 0;
    lg_buf_done(&text);
    return fine;
}

// The slot of the call, or the free one where it would be. There is always a free one.
static size_t find_slot(const lg_recall *recall, uint64_t hash, lg_str tool, const lg_json *args)
{
    size_t at = hash & (recall->slot_count - 1);
    while (recall->slots[at]) {
        const group *g = &recall->groups[recall->slots[at] - 1];
        if (g->hash == hash && lg_str_eq(g->tool, tool) && lg_json_equal(g->args, args)) {
            break;
        }
        at = (at + 1) & (recall->slot_count - 1);
    }
    return at;
}

static bool make_room(lg_recall *recall)
{
    if (recall->slot_count > recall->group_count * 2 + 1) {
        return true;
    }
    size_t count = recall->slot_count ? recall->slot_count * 4 : 64;
    uint32_t *slots = LG_NEW_ARRAY(recall->arena, uint32_t, count);
    for (size_t i = 0; slots && i < recall->group_count; i++) {
        size_t at = recall->groups[i].hash & (count - 1);
        while (slots[at]) {
            at = (at + 1) & (count - 1);
        }
        slots[at] = (uint32_t)i + 1;
    }
    if (slots) {
        recall->slots = slots;
        recall->slot_count = count;
    }
    return slots != NULL;
}

static group *group_of(lg_recall *recall, uint64_t hash, lg_str tool, const lg_json *args)
{
    if (!make_room(recall)) {
        return NULL;
    }
    size_t slot = find_slot(recall, hash, tool, args);
    if (recall->slots[slot]) {
        return &recall->groups[recall->slots[slot] - 1];
    }
    group *groups = lg_arena_grow(recall->arena, recall->groups, recall->group_count,
                                  &recall->group_capacity, sizeof(group));
    if (!groups || recall->group_count >= UINT32_MAX - 1) {
        return NULL;
    }
    recall->groups = groups;
    group *g = &groups[recall->group_count++];
    *g = (group){.tool = tool, .args = args, .hash = hash};
    recall->slots[slot] = (uint32_t)recall->group_count;
    return g;
}

// --- Adding and finding -------------------------------------------------------------------------

static const lg_json *arguments_of(const lg_json *entry)
{
    const lg_json *args = lg_json_get(entry, LG_STR("arguments"));
    return !args || lg_json_is(args, LG_JSON_NULL) ? &no_arguments : args;
}

static lg_status check_entry(const lg_json *entry, size_t index, lg_error *reterr)
{
    const lg_json *error = lg_json_get(entry, LG_STR("error"));
    if (!lg_json_is(entry, LG_JSON_OBJECT) ||
        lg_json_str(lg_json_get(entry, LG_STR("name"))).len == 0) {
        return lg_fail(reterr, LG_ERR_FORMAT,
                       "recorded call %zu is no object with the `name` of a tool", index);
    }
    if (!lg_json_is(arguments_of(entry), LG_JSON_OBJECT)) {
        return lg_fail(reterr, LG_ERR_FORMAT, "the `arguments` of recorded call %zu are no object",
                       index);
    }
    if (error && !lg_json_is(error, LG_JSON_BOOL) && !lg_json_is(error, LG_JSON_NULL)) {
        return lg_fail(reterr, LG_ERR_FORMAT,
                       "the `error` of recorded call %zu is neither true nor false; its text "
                       "belongs into `result`",
                       index);
    }
    return LG_OK;
}

lg_status lg_recall_add(lg_recall *recall, const lg_json *calls, lg_error *reterr)
{
    if (!lg_json_is(calls, LG_JSON_ARRAY)) {
        return lg_fail(reterr, LG_ERR_FORMAT, "recorded calls are an array");
    }
    for (size_t i = 0; i < lg_json_len(calls); i++) {
        const lg_json *entry = &calls->as.items[i];
        uint64_t hash;
        lg_status status = check_entry(entry, i, reterr);
        if (status != LG_OK) {
            return status;
        }
        lg_str tool = lg_json_str(lg_json_get(entry, LG_STR("name")));
        bool fine = hash_call(tool, arguments_of(entry), &hash);
        group *g = fine ? group_of(recall, hash, tool, arguments_of(entry)) : NULL;
        const lg_json **entries =
            g ? lg_arena_grow(recall->arena, g->entries, g->count, &g->capacity, sizeof(*entries))
              : NULL;
        if (!entries) {
            return lg_fail_oom(reterr);
        }
        g->entries = entries;
        g->entries[g->count++] = entry;
    }
    return LG_OK;
}

bool lg_recall_find(const lg_recall *recall, lg_str tool, const lg_json *args, size_t nth,
                    lg_recalled *ret)
{
    uint64_t hash;
    args = args ? args : &no_arguments;
    if (recall->group_count == 0 || !hash_call(tool, args, &hash)) {
        return false;
    }
    uint32_t slot = recall->slots[find_slot(recall, hash, tool, args)];
    if (!slot) {
        return false;
    }
    const group *g = &recall->groups[slot - 1];
    const lg_json *entry = g->entries[nth < g->count ? nth : g->count - 1];
    const lg_json *result = lg_json_get(entry, LG_STR("result"));
    int64_t status = 0;
    bool has_status =
        lg_json_int(lg_json_get(entry, LG_STR("status")), &status) && status >= 200 && status < 600;
    *ret = (lg_recalled){.result = result ? result : &no_result,
                         .is_error = lg_json_is_true(lg_json_get(entry, LG_STR("error"))),
                         .status = has_status ? (unsigned)status : 0,
                         .entry = entry,
                         .group = slot - 1,
                         .count = g->count};
    return true;
}
