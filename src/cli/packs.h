// packs.h: the packs that a verb was given, and which of them a conversation is of.
//
// One pack judges every conversation. Of several, or of a folder of packs (one without pack.yaml whose folders have
// one), each conversation is judged by the pack that its tools fit (lg_pack_choose), or by none.
#ifndef LG_CLI_PACKS_H
#define LG_CLI_PACKS_H

#include "cli/cli.h"

typedef struct cli_packs {
    lg_pack
        *items[LG_CHOICE_MAX]; // as they were given, those of a folder by their names; each once
    size_t count;
    bool chosen;      // a pack is chosen for each conversation
    lg_arena scratch; // of one choice
} cli_packs;

// Loads the packs at the paths of `list`. Returns EXIT_FINE; or what is wrong, after saying it of each pack that could
// not be loaded. cli_free_packs() in either case.
int cli_load_packs(const cli_list *list, cli_packs *ret);
void cli_free_packs(cli_packs *packs);

// The index of the pack to judge the conversation by, or SIZE_MAX: none fits. False when out of memory.
bool cli_choose_pack(cli_packs *packs, const lg_trace *trace, size_t *ret_index);

#endif
