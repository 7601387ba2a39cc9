// write.c: all parts, in the order of docs/stats.md.
#include "stats/chance.h"
#include "stats/stats_internal.h"

static bool (*const parts[])(lg_stats_view *view, lg_json_writer *w) = {
    lg_stats_write_roc,
};

static void write_counts(const lg_stats *stats, lg_json_writer *w)
{
    lg_jw_member_uint(w, "version", 1);
    lg_jw_member_uint(w, "results", stats->count);
    lg_jw_member_uint(w, "duplicates", stats->duplicates);
}

lg_status lg_stats_write(const lg_stats *stats, const lg_stats_options *options, lg_json_writer *w,
                         lg_error *reterr)
{
    lg_stats_view view;
    lg_status status = lg_stats_view_make(stats, &view, reterr);
    if (status != LG_OK) {
        return status;
    }
    (void)options;
    bool ok = true;
    write_counts(stats, w);
    lg_jw_member_uint(w, "resamples", view.resamples);
    for (size_t i = 0; i < LG_COUNT(parts) && ok; i++) {
        ok = parts[i](&view, w);
    }
    lg_stats_view_done(&view);
    ok = ok && lg_buf_status(w->out) == LG_OK;
    return ok ? LG_OK : lg_fail_oom(reterr);
}
