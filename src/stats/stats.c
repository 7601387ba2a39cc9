// stats.c: see stats.h.
#include "stats/stats_internal.h"

#include "base/alloc.h"

static const char *const score_names[LG_SCORES] = {
    [LG_SCORE_OUTCOME] = "outcome",
    [LG_SCORE_AGGREGATE] = "aggregate",
    [LG_SCORE_AGGREGATE_ONCE] = "aggregate_once",
    [LG_SCORE_PROCESS] = "process",
};

lg_status lg_stats_new(lg_stats **ret_stats, lg_error *reterr)
{
    lg_stats *stats = lg_zalloc(sizeof(*stats));
    if (!stats) {
        return lg_fail_oom(reterr);
    }
    lg_arena_init(&stats->arena, 0);
    lg_arena_init(&stats->scratch, 0);
    for (size_t i = 0; i < LG_SCORES; i++) {
        if (lg_names_put(&stats->arena, &stats->columns, lg_str_c(score_names[i])) == LG_NO_NAME) {
            lg_stats_free(stats);
            return lg_fail_oom(reterr);
        }
    }
    *ret_stats = stats;
    return LG_OK;
}

void lg_stats_free(lg_stats *stats)
{
    if (stats) {
        lg_arena_done(&stats->arena);
        lg_arena_done(&stats->scratch);
        lg_free(stats);
    }
}

size_t lg_stats_count(const lg_stats *stats)
{
    return stats->count;
}

lg_status lg_stats_add(lg_stats *stats, lg_str line, lg_stats_added *ret_added, lg_error *reterr)
{
    lg_stats_row *row = NULL;
    lg_stats_row **rows = lg_arena_grow(&stats->arena, stats->rows, stats->count, &stats->capacity,
                                        sizeof(lg_stats_row *));
    if (!rows) {
        return lg_fail_oom(reterr);
    }
    stats->rows = rows;
    *ret_added = (lg_stats_added){LG_STATS_OTHER, {"", 0}};
    lg_status status = lg_stats_read(stats, line, &row, ret_added, reterr);
    lg_arena_reset(&stats->scratch);
    if (status == LG_OK && row) {
        rows[stats->count++] = row;
        ret_added->kind = LG_STATS_RESULT;
    }
    stats->duplicates += status == LG_OK && ret_added->kind == LG_STATS_DUPLICATE;
    return status;
}
