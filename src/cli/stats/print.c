// print.c: the statistics for people.
#include "cli/stats/stats.h"

void cli_stats_print(cli_out *out, const lg_json *stats)
{
    cli_add_json(out, stats, 100000);
}
