// packs.c: loading packs and folders of packs, and what a conversation shows of its own.
#include "cli/packs.h"

#include "cli/files.h"
#include "session/fitting.h"

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

bool cli_choose_pack(cli_packs *packs, const lg_trace *trace, size_t *ret_index)
{
    *ret_index = 0;
    if (!packs->chosen) {
        return true;
    }
    lg_arena_reset(&packs->scratch);
    const lg_pack *items[LG_CHOICE_MAX];
    const lg_pack *best;
    for (size_t i = 0; i < packs->count; i++) {
        items[i] = packs->items[i];
    }
    if (!lg_fitting_pack(&packs->scratch, items, packs->count, trace, &best)) {
        return false;
    }
    size_t index = 0;
    while (best && packs->items[index] != best) {
        index++;
    }
    *ret_index = best ? index : SIZE_MAX;
    return true;
}
