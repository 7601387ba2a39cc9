// curves.c: the curves themselves, of each score over all results, thinned so that a page can draw them.
#include "stats/auc.h"
#include "stats/scope.h"

#include <stdlib.h>

#define POINTS_MOST 60u // and the first and the last

// One threshold: all with this score or a higher one are said to pass.
typedef struct threshold {
    uint64_t positives, negatives; // said to pass
} threshold;

typedef struct curve {
    lg_stats_view *view;
    lg_json_writer *w;
    lg_auc_case *cases; // from low to high
    size_t count;
    threshold *points; // from the highest threshold down
    size_t point_count;
    uint64_t positives, negatives;
} curve;

static void choose(curve *c, const double *values)
{
    c->count = 0;
    for (size_t i = 0; i < c->view->count; i++) {
        const lg_stats_row *row = c->view->items[i].row;
        if (!isnan(values[i]) && !isnan(row->reward)) {
            c->cases[c->count++] = (lg_auc_case){values[i], 0, 0, lg_stats_passed(row)};
        }
    }
    qsort(c->cases, c->count, sizeof(*c->cases), lg_auc_by_score);
}

static void find_points(curve *c)
{
    threshold so_far = {0, 0};
    c->point_count = 0;
    for (size_t i = c->count; i-- > 0;) {
        so_far.positives += c->cases[i].positive;
        so_far.negatives += !c->cases[i].positive;
        if (i == 0 || c->cases[i - 1].score < c->cases[i].score) {
            c->points[c->point_count++] = so_far;
        }
    }
    c->positives = so_far.positives;
    c->negatives = so_far.negatives;
}

// The mean of the precision over the recall, as steps: sum of (R_n - R_(n-1)) P_n.
static double average_precision(const curve *c)
{
    double sum = 0;
    uint64_t before = 0;
    for (size_t i = 0; i < c->point_count; i++) {
        const threshold *t = &c->points[i];
        double precision = (double)t->positives / (double)(t->positives + t->negatives);
        sum += (double)(t->positives - before) * precision;
        before = t->positives;
    }
    return lg_share(sum, (double)c->positives);
}

static void write_point(const curve *c, const threshold *t, bool roc)
{
    double recall = (double)t->positives / (double)c->positives;
    lg_jw_begin_array(c->w);
    lg_jw_double(c->w, roc ? (double)t->negatives / (double)c->negatives : recall);
    lg_jw_double(c->w, roc ? recall : (double)t->positives / (double)(t->positives + t->negatives));
    lg_jw_end_array(c->w);
}

// At most so many, as far apart in number of conversations as they can be; the last is always there.
static void write_points(const curve *c, const char *key, bool roc)
{
    size_t step = c->count / POINTS_MOST + 1;
    size_t next = 0;
    lg_jw_key(c->w, key);
    lg_jw_begin_array(c->w);
    if (roc) {
        write_point(c, &(threshold){0, 0}, true);
    }
    for (size_t i = 0; i < c->point_count; i++) {
        size_t at = c->points[i].positives + c->points[i].negatives;
        if (at >= next || i + 1 == c->point_count) {
            write_point(c, &c->points[i], roc);
            next = at + step;
        }
    }
    lg_jw_end_array(c->w);
}

static void write_curve(curve *c, const double *values)
{
    choose(c, values);
    find_points(c);
    lg_jw_begin_object(c->w);
    lg_jw_member_uint(c->w, "n", c->count);
    lg_jw_member_uint(c->w, "positives", c->positives);
    bool both = c->positives && c->negatives;
    lg_stats_write_number(c->w, "average_precision", both ? average_precision(c) : LG_UNKNOWN);
    if (both) {
        write_points(c, "roc", true);
        write_points(c, "precision_recall", false);
    }
    lg_jw_end_object(c->w);
}

bool lg_stats_write_curves(lg_stats_view *view, lg_json_writer *w)
{
    lg_arena_mark mark = lg_arena_mark_here(&view->scratch);
    curve c = {.view = view, .w = w};
    double *values = LG_NEW_ARRAY(&view->scratch, double, view->count + 1);
    c.cases = LG_NEW_ARRAY(&view->scratch, lg_auc_case, view->count + 1);
    c.points = LG_NEW_ARRAY(&view->scratch, threshold, view->count + 1);
    bool ok = values && c.cases && c.points;
    if (ok) {
        lg_jw_key(w, "curves");
        lg_jw_begin_object(w);
        for (uint32_t i = 0; i < lg_stats_columns(view); i++) {
            uint32_t column = view->column_order[i];
            if (lg_stats_column_values(view, column, values)) {
                lg_jw_key_str(w, lg_stats_column(view, column));
                write_curve(&c, values);
            }
        }
        lg_jw_end_object(w);
    }
    lg_arena_rewind(&view->scratch, mark);
    return ok;
}
