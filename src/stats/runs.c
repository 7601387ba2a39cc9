// runs.c: several runs of one task, compared with one another.
//
// How hard a task is shows in how its other runs were judged: no reward is looked at. Of each result of a task (of a
// domain, whichever model ran it) that has others, with a score: `others` is the mean of their scores, `blend` the mean
// of that and its own, `difference` its own less that. `within_tasks` is the area of its own score among the runs of its
// task alone, the mean over tasks that have both classes.
//
// `agreement` looks at no score: it is the share of the task's other runs that carried out exactly what this one did (the
// digest `did`), and its `blend` the mean of that and the outcome score. What most runs do is more often right than what one
// does alone.
#include "stats/auc.h"
#include "stats/scope.h"

#define SEVERAL 2u
#define ROUND_TO 1e9

typedef struct running {
    lg_stats_view *view;
    lg_json_writer *w;
    double *own, *others, *values; // of each item
    double *sums;                  // of each task
    uint32_t *counts;
} running;

// --- How many there are -----------------------------------------------------------------------------

static void write_counts(const running *r)
{
    const lg_stats_view *v = r->view;
    uint64_t several = 0;
    uint64_t results = 0;
    uint32_t most = 0;
    memset(r->counts, 0, v->run_count * sizeof(*r->counts));
    for (size_t i = 0; i < v->count; i++) {
        if (v->items[i].run != LG_NO_NAME) {
            r->counts[v->items[i].run]++;
        }
    }
    for (uint32_t i = 0; i < v->run_count; i++) {
        several += r->counts[i] >= SEVERAL;
        results += r->counts[i] >= SEVERAL ? r->counts[i] : 0;
        most = r->counts[i] > most ? r->counts[i] : most;
    }
    lg_jw_key(r->w, "runs");
    lg_jw_begin_object(r->w);
    lg_jw_member_uint(r->w, "tasks", v->run_count);
    lg_jw_member_uint(r->w, "tasks_with_several", several);
    lg_jw_member_uint(r->w, "results_with_others", results);
    lg_jw_member_uint(r->w, "most", most);
    lg_jw_end_object(r->w);
}

// --- Values -----------------------------------------------------------------------------------------

// `own` of what has a task, and the mean of the others there; NAN where there are none.
static bool find_others(running *r, uint32_t column)
{
    lg_stats_view *v = r->view;
    memset(r->counts, 0, v->run_count * sizeof(*r->counts));
    memset(r->sums, 0, v->run_count * sizeof(*r->sums));
    bool any = lg_stats_column_values(v, column, r->own);
    for (size_t i = 0; i < v->count; i++) {
        uint32_t run = v->items[i].run;
        if (run != LG_NO_NAME && !isnan(r->own[i])) {
            r->sums[run] += r->own[i];
            r->counts[run]++;
        }
    }
    for (size_t i = 0; i < v->count; i++) {
        uint32_t run = v->items[i].run;
        bool has = run != LG_NO_NAME && !isnan(r->own[i]) && r->counts[run] >= SEVERAL;
        r->others[i] = has ? (r->sums[run] - r->own[i]) / (r->counts[run] - 1) : LG_UNKNOWN;
        r->own[i] = has ? r->own[i] : LG_UNKNOWN;
    }
    return any;
}

static bool write_values(running *r, const char *key, double own, double others)
{
    for (size_t i = 0; i < r->view->count; i++) {
        // Rounded, so that what would be the same but for the order of adding is a tie.
        r->values[i] = round((own * r->own[i] + others * r->others[i]) * ROUND_TO) / ROUND_TO;
    }
    lg_jw_key(r->w, key);
    return lg_stats_write_score(r->view, r->w, r->values);
}

static bool write_within_tasks(running *r)
{
    lg_stats_view *v = r->view;
    size_t count = 0;
    lg_auc auc;
    lg_arena_mark mark = lg_arena_mark_here(&v->scratch);
    lg_auc_case *cases = LG_NEW_ARRAY(&v->scratch, lg_auc_case, v->count + 1);
    uint32_t *numbers = LG_NEW_ARRAY(&v->scratch, uint32_t, (size_t)v->cluster_count + 1);
    for (size_t i = 0; cases && i < v->count; i++) {
        const lg_stats_item *item = &v->items[i];
        if (!isnan(r->own[i]) && !isnan(item->row->reward)) {
            cases[count++] =
                (lg_auc_case){r->own[i], item->cluster, item->run, lg_stats_passed(item->row)};
        }
    }
    bool ok = cases && numbers && lg_auc_of(&v->scratch, cases, count, numbers, v->resamples, &auc);
    if (ok) {
        lg_jw_key(r->w, "within_tasks");
        lg_stats_write_auc(r->w, &auc);
        lg_jw_member_uint(r->w, "tasks", auc.segments);
        lg_jw_end_object(r->w);
    }
    lg_arena_rewind(&v->scratch, mark);
    return ok;
}

static bool write_column(running *r, uint32_t column)
{
    bool any = find_others(r, column);
    if (!any && column >= LG_SCORES) {
        return true;
    }
    lg_jw_key_str(r->w, lg_stats_column(r->view, column));
    lg_jw_begin_object(r->w);
    bool ok = write_values(r, "own", 1, 0) && write_values(r, "others", 0, 1) &&
              write_values(r, "blend", 0.5, 0.5) && write_values(r, "difference", 1, -1) &&
              write_within_tasks(r);
    if (ok) {
        lg_jw_end_object(r->w);
    }
    return ok;
}

// Of each item, in `values`.
static bool find_agreement(running *r)
{
    lg_stats_view *v = r->view;
    lg_arena_mark mark = lg_arena_mark_here(&v->scratch);
    uint32_t *same = LG_NEW_ARRAY(&v->scratch, uint32_t, (size_t)v->run_and_did_count + 1);
    memset(r->counts, 0, v->run_count * sizeof(*r->counts));
    for (size_t i = 0; same && i < v->count; i++) {
        if (v->items[i].run_and_did != LG_NO_NAME) {
            r->counts[v->items[i].run]++;
            same[v->items[i].run_and_did]++;
        }
    }
    for (size_t i = 0; same && i < v->count; i++) {
        const lg_stats_item *item = &v->items[i];
        bool has = item->run_and_did != LG_NO_NAME && r->counts[item->run] >= SEVERAL;
        r->values[i] =
            has ? (double)(same[item->run_and_did] - 1) / (r->counts[item->run] - 1) : LG_UNKNOWN;
    }
    lg_arena_rewind(&v->scratch, mark);
    return same != NULL;
}

static bool any_known(const running *r)
{
    for (size_t i = 0; i < r->view->count; i++) {
        if (!isnan(r->values[i])) {
            return true;
        }
    }
    return false;
}

static bool write_agreement(running *r)
{
    if (!find_agreement(r)) {
        return false;
    }
    if (!any_known(r)) {
        return true; // as a score that nothing has
    }
    lg_jw_key(r->w, "agreement");
    lg_jw_begin_object(r->w);
    lg_jw_key(r->w, "own");
    bool ok = lg_stats_write_score(r->view, r->w, r->values);
    if (ok && lg_stats_column_values(r->view, LG_SCORE_OUTCOME, r->own)) {
        for (size_t i = 0; i < r->view->count; i++) {
            r->values[i] = round((r->values[i] + r->own[i]) / 2 * ROUND_TO) / ROUND_TO;
        }
        lg_jw_key(r->w, "blend");
        ok = lg_stats_write_score(r->view, r->w, r->values);
    }
    if (ok) {
        lg_jw_end_object(r->w);
    }
    return ok;
}

static bool make_room(running *r)
{
    lg_stats_view *v = r->view;
    r->own = LG_NEW_ARRAY(&v->scratch, double, v->count + 1);
    r->others = LG_NEW_ARRAY(&v->scratch, double, v->count + 1);
    r->values = LG_NEW_ARRAY(&v->scratch, double, v->count + 1);
    r->sums = LG_NEW_ARRAY(&v->scratch, double, (size_t)v->run_count + 1);
    r->counts = LG_NEW_ARRAY(&v->scratch, uint32_t, (size_t)v->run_count + 1);
    return r->own && r->others && r->values && r->sums && r->counts;
}

bool lg_stats_write_runs(lg_stats_view *view, bool areas, lg_json_writer *w)
{
    running r = {.view = view, .w = w};
    lg_arena_mark mark = lg_arena_mark_here(&view->scratch);
    bool ok = make_room(&r);
    if (ok) {
        write_counts(&r);
    }
    if (ok && areas) {
        lg_jw_key(w, "roc_auc_runs");
        lg_jw_begin_object(w);
        for (uint32_t i = 0; i < lg_stats_columns(view) && ok; i++) {
            ok = write_column(&r, view->column_order[i]);
        }
        ok = ok && write_agreement(&r);
        if (ok) {
            lg_jw_end_object(w);
        }
    }
    lg_arena_rewind(&view->scratch, mark);
    return ok;
}
