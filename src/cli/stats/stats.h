// stats.h: what the parts of `ledgergate stats` share.
#ifndef LG_CLI_STATS_STATS_H
#define LG_CLI_STATS_STATS_H

#include "cli/cli.h"

// Prints the statistics (docs/stats.md) as tables.
void cli_stats_print(cli_out *out, const lg_json *stats);

#endif
