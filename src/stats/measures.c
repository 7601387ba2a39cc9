// measures.c: see measures.h.
#include "stats/measures.h"
#include "stats/scope.h"

lg_str lg_measure_name(const lg_stats_view *view, uint32_t measure)
{
    return measure == LG_MEASURE_PASSED ? LG_STR("pass_rate")
                                        : lg_stats_column(view, view->column_order[measure - 1]);
}

double lg_measure_of(const lg_stats_view *view, const lg_stats_row *row, uint32_t measure)
{
    if (measure == LG_MEASURE_PASSED) {
        return isnan(row->reward) ? LG_UNKNOWN : lg_stats_passed(row);
    }
    return lg_stats_score(row, view->column_order[measure - 1]);
}

void lg_difference_write(lg_json_writer *w, const lg_difference *d)
{
    lg_stats_write_number(w, d->first, lg_share(d->first_sum, d->of.n));
    lg_stats_write_number(w, d->second, lg_share(d->second_sum, d->of.n));
    lg_stats_write_number(w, "difference", d->of.mean);
    lg_stats_write_number(w, "low", d->of.low);
    lg_stats_write_number(w, "high", d->of.high);
    lg_stats_write_number(w, "p", d->of.p);
}
