// packs.c: loading packs and folders of packs, and what a conversation shows of its own.
#include "cli/packs.h"

#include "cli/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define PATH_MAX_BYTES 4096u

// --- Loading ------------------------------------------------------------------------------------

// Two that are the same to the byte of their meaning are one: a folder, and a pack of it by itself.
static bool is_there(const cli_packs *packs, const lg_pack *pack)
{
    for (size_t i = 0; i < packs->count; i++) {
        if (strcmp(packs->items[i]->hash, pack->hash) == 0) {
            return true;
        }
    }
    return false;
}

// The worst code so far; a broken pack does not hide what is wrong with the next.
static void add_pack(cli_packs *packs, const char *path, int *code)
{
    if (packs->count == LG_CHOICE_MAX) {
        cli_say("ledgergate: %s is one pack too many; %u can be chosen from", path, LG_CHOICE_MAX);
        *code = *code > EXIT_USAGE ? *code : EXIT_USAGE;
        return;
    }
    int failed = EXIT_FINE;
    lg_pack *pack = cli_load_pack(path, &failed);
    if (!pack) {
        *code = *code > failed ? *code : failed;
    } else if (is_there(packs, pack)) {
        lg_pack_free(pack);
    } else {
        packs->items[packs->count++] = pack;
    }
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool has_pack(const char *folder)
{
    char inside[PATH_MAX_BYTES];
    struct stat info;
    int length = snprintf(inside, sizeof(inside), "%s/pack.yaml", folder);
    return length > 0 && (size_t)length < sizeof(inside) && stat(inside, &info) == 0;
}

// The packs of the folders right below `folder`; none if there are none. False when out of memory.
static bool list_packs(lg_arena *arena, const char *folder, cli_listing *ret)
{
    lg_str path = lg_str_c(folder);
    while (path.len > 1 && lg_str_ends(path, LG_STR("/"))) {
        path.len--;
    }
    if (!cli_list_folder(arena, path, ret)) {
        return false;
    }
    size_t kept = 0;
    for (size_t i = 0; i < ret->count; i++) {
        if (has_pack(ret->paths[i])) {
            ret->paths[kept++] = ret->paths[i];
        }
    }
    ret->count = kept;
    return true;
}

// A folder with packs in it, or a pack.
static int add_path(cli_packs *packs, lg_arena *arena, const char *path)
{
    int code = EXIT_FINE;
    cli_listing inside = {0};
    bool folder = is_folder(path) && !has_pack(path);
    if (folder && !list_packs(arena, path, &inside)) {
        cli_out_of_memory(&code);
        return code;
    }
    packs->chosen = packs->chosen || inside.count > 0;
    for (size_t i = 0; i < inside.count; i++) {
        add_pack(packs, inside.paths[i], &code);
    }
    if (inside.count == 0) { // a pack, or nothing, which loading it says
        add_pack(packs, path, &code);
    }
    return code;
}

int cli_load_packs(const cli_list *list, cli_packs *ret)
{
    *ret = (cli_packs){.chosen = list->count > 1};
    lg_arena_init(&ret->scratch, 0);
    int code = EXIT_FINE;
    for (size_t i = 0; i < list->count; i++) {
        int one = add_path(ret, &ret->scratch, list->items[i]);
        code = one > code ? one : code;
    }
    return code;
}

void cli_free_packs(cli_packs *packs)
{
    for (size_t i = 0; i < packs->count; i++) {
        lg_pack_free(packs->items[i]);
    }
    lg_arena_done(&packs->scratch);
    packs->count = 0;
}

// --- Choosing -----------------------------------------------------------------------------------

static int by_bytes(const void *a, const void *b)
{
    const lg_str *x = a;
    const lg_str *y = b;
    return lg_str_cmp(*x, *y);
}

static size_t each_once(lg_str *names, size_t count)
{
    size_t kept = 0;
    if (count > 1) {
        qsort(names, count, sizeof(*names), by_bytes);
    }
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || !lg_str_eq(names[kept - 1], names[i])) {
            names[kept++] = names[i];
        }
    }
    return kept;
}

bool cli_called_tools(lg_arena *arena, const lg_trace *trace, const lg_str **ret_names,
                      size_t *ret_count)
{
    size_t count = 0;
    for (size_t i = 0; i < trace->count; i++) {
        const lg_trace_event *event = &trace->events[i];
        count += event->kind == LG_EVENT_CALL && event->role == LG_ROLE_AGENT;
    }
    lg_str *names = LG_NEW_ARRAY(arena, lg_str, count + 1);
    if (!names) {
        return false;
    }
    count = 0;
    for (size_t i = 0; i < trace->count; i++) {
        const lg_trace_event *event = &trace->events[i];
        if (event->kind == LG_EVENT_CALL && event->role == LG_ROLE_AGENT) {
            names[count++] = event->tool;
        }
    }
    *ret_count = each_once(names, count);
    *ret_names = names;
    return true;
}

// Names of what the agent could call, likewise: {name, ...}, or {function: {name, ...}}.
static bool offered_tools(lg_arena *arena, const lg_json *tools, const lg_str **ret_names,
                          size_t *ret_count)
{
    size_t count = 0;
    lg_str *names = LG_NEW_ARRAY(arena, lg_str, lg_json_len(tools) + 1);
    if (!names) {
        return false;
    }
    for (size_t i = 0; lg_json_is(tools, LG_JSON_ARRAY) && i < lg_json_len(tools); i++) {
        const lg_json *tool = lg_json_item(tools, i);
        const lg_json *function = lg_json_get(tool, LG_STR("function"));
        lg_str name = lg_json_str(lg_json_get(function ? function : tool, LG_STR("name")));
        if (name.len) {
            names[count++] = name;
        }
    }
    *ret_count = each_once(names, count);
    *ret_names = names;
    return true;
}

bool cli_choose_pack(cli_packs *packs, const lg_trace *trace, size_t *ret_index)
{
    *ret_index = 0;
    if (!packs->chosen) {
        return true;
    }
    lg_arena_reset(&packs->scratch);
    lg_tool_use use = {.domain = trace->domain};
    if (!cli_called_tools(&packs->scratch, trace, &use.called, &use.called_count) ||
        !offered_tools(&packs->scratch, trace->tools, &use.offered, &use.offered_count)) {
        return false;
    }
    const lg_pack *items[LG_CHOICE_MAX];
    for (size_t i = 0; i < packs->count; i++) {
        items[i] = packs->items[i];
    }
    const lg_pack *best = lg_pack_choose(items, packs->count, &use);
    size_t index = 0;
    while (best && packs->items[index] != best) {
        index++;
    }
    *ret_index = best ? index : SIZE_MAX;
    return true;
}
