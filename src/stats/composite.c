// composite.c: the recorded checks together: of a conversation their mean, each weighing the same, 0 to 100 (AgentPex,
// section 4.1.1). It is recorded, like the reward: no score of the audit knows of it.
#include "stats/scope.h"

typedef struct mean {
    double sum;
    uint64_t n;
} mean;

static double composite_of(const lg_stats_row *row)
{
    double sum = 0;
    for (uint32_t i = 0; i < row->check_count; i++) {
        sum += row->checks[i].value;
    }
    return 100 * lg_share(sum, row->check_count);
}

static void write_mean(lg_json_writer *w, mean m)
{
    lg_jw_member_uint(w, "n", m.n);
    lg_stats_write_number(w, "mean", lg_share(m.sum, (double)m.n));
}

static mean group_mean(const lg_stats_view *v, size_t from, size_t to)
{
    mean m = {0, 0};
    for (size_t i = from; i < to; i++) {
        double composite = composite_of(v->items[i].row);
        if (!isnan(composite)) {
            m.sum += composite;
            m.n++;
        }
    }
    return m;
}

static bool write_checks(lg_stats_view *v, lg_json_writer *w)
{
    size_t count = v->stats->checks.count;
    mean *means = LG_NEW_ARRAY(&v->scratch, mean, count + 1);
    if (!means) {
        return false;
    }
    for (size_t i = 0; i < v->count; i++) {
        const lg_stats_row *row = v->items[i].row;
        for (uint32_t k = 0; k < row->check_count; k++) {
            mean *m = &means[v->check_ranks[row->checks[k].name]];
            m->sum += row->checks[k].value;
            m->n++;
        }
    }
    lg_jw_key(w, "checks");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        if (means[i].n) {
            lg_jw_begin_object(w);
            lg_jw_member_str(w, "check", v->checks[i]);
            write_mean(w, means[i]);
            lg_jw_end_object(w);
        }
    }
    lg_jw_end_array(w);
    return true;
}

bool lg_stats_write_composite(lg_stats_view *view, lg_json_writer *w)
{
    lg_arena_mark mark = lg_arena_mark_here(&view->scratch);
    lg_jw_key(w, "composite");
    lg_jw_begin_object(w);
    write_mean(w, group_mean(view, 0, view->count));
    lg_jw_key(w, "by_group");
    lg_jw_begin_array(w);
    for (uint32_t i = 0; i < view->group_count; i++) {
        mean m = group_mean(view, view->groups[i].from, view->groups[i].to);
        if (m.n) {
            lg_jw_begin_object(w);
            lg_stats_write_group(view, i, w);
            write_mean(w, m);
            lg_jw_end_object(w);
        }
    }
    lg_jw_end_array(w);
    bool ok = write_checks(view, w);
    if (ok) {
        lg_jw_end_object(w);
    }
    lg_arena_rewind(&view->scratch, mark);
    return ok;
}
