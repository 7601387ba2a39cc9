// write.c: all parts, in the order of docs/stats.md.
#include "stats/stats_internal.h"

#define VERSION 1u

static void write_head(const lg_stats_view *view, lg_json_writer *w)
{
    lg_jw_member_uint(w, "version", VERSION);
    lg_jw_member_uint(w, "results", view->count);
    lg_jw_member_uint(w, "duplicates", view->stats->duplicates);
    lg_jw_member_uint(w, "clusters", view->cluster_count);
    lg_jw_member_uint(w, "resamples", view->resamples);
}

static bool write_trend(lg_stats_view *view, const lg_stats *baseline, lg_json_writer *w,
                        lg_error *reterr)
{
    lg_stats_view before;
    if (!baseline) {
        return true;
    }
    if (lg_stats_view_make(baseline, &before, reterr) != LG_OK) {
        return false;
    }
    bool ok = lg_stats_write_trend(&before, view, w);
    lg_stats_view_done(&before);
    return ok;
}

lg_status lg_stats_write(const lg_stats *stats, const lg_stats_options *options, lg_json_writer *w,
                         lg_error *reterr)
{
    lg_stats_view view;
    lg_status status = lg_stats_view_make(stats, &view, reterr);
    if (status != LG_OK) {
        return status;
    }
    write_head(&view, w);
    bool ok = lg_stats_write_means(&view, w) &&
              lg_stats_write_pass(&view, options->writes_only, w) &&
              lg_stats_write_failures(&view, w) && lg_stats_write_composite(&view, w) &&
              lg_stats_write_roc(&view, w) && lg_stats_write_curves(&view, w) &&
              lg_stats_write_models(&view, w) && lg_stats_write_violations(&view, w) &&
              lg_stats_write_runs(&view, options->runs, w) &&
              write_trend(&view, options->baseline, w, reterr);
    lg_stats_view_done(&view);
    ok = ok && lg_buf_status(w->out) == LG_OK;
    return ok ? LG_OK : lg_fail_oom(reterr);
}
