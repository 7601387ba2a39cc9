// roc.c: the area under the curve of each score against the reward: overall, by domain, by model, within groups.
//
// Within groups: of each (domain, model) the area among its own conversations, and the mean of these. It asks whether a
// score sees more than which domain is hard and which model is good; what (domain, model) alone tells is beside it.
#include "stats/auc.h"
#include "stats/scope.h"

#include <stdlib.h>

// A group is in the mean within groups if it has as many of each class: the area of fewer is mostly chance.
#define GROUP_CLASS_LEAST 5u

typedef struct roc {
    lg_stats_view *view;
    lg_json_writer *w;
    const double *values; // of each item, or NAN
    uint32_t *chosen;     // the items that have value and reward, from low to high
    size_t count;
    lg_places places;  // the same by scope
    uint32_t *numbers; // for lg_auc_of
    lg_auc_case *cases;
    const char *why_not_within; // what the area within groups would not say, or NULL
} roc;

// --- Writing --------------------------------------------------------------------------------------

void lg_stats_write_auc(lg_json_writer *w, const lg_auc *auc)
{
    bool has_interval = !auc->why && !auc->why_no_interval;
    lg_jw_begin_object(w);
    lg_stats_write_number(w, "auc", auc->why ? LG_UNKNOWN : auc->auc);
    lg_stats_write_number(w, "low", has_interval ? auc->low : LG_UNKNOWN);
    lg_stats_write_number(w, "high", has_interval ? auc->high : LG_UNKNOWN);
    lg_jw_member_uint(w, "n", auc->n);
    lg_jw_member_uint(w, "positives", auc->positives);
    if (auc->why || auc->why_no_interval) {
        lg_jw_member_c(w, auc->why ? "why" : "why_no_interval",
                       auc->why ? auc->why : auc->why_no_interval);
    }
}

// --- Scopes ---------------------------------------------------------------------------------------

static lg_auc_case case_of(const roc *r, uint32_t i, uint32_t segment)
{
    const lg_stats_item *item = &r->view->items[i];
    return (lg_auc_case){r->values[i], item->cluster, segment, lg_stats_passed(item->row)};
}

// Adds the cases of a place; returns how many of them are positive.
static size_t add_cases(roc *r, size_t at, size_t place, uint32_t segment)
{
    size_t positives = 0;
    for (size_t i = r->places.starts[place]; i < r->places.starts[place + 1]; i++) {
        r->cases[at] = case_of(r, r->places.items[i], segment);
        positives += r->cases[at++].positive;
    }
    return positives;
}

static bool write_place(roc *r, size_t place)
{
    lg_auc auc;
    size_t count = r->places.starts[place + 1] - r->places.starts[place];
    (void)add_cases(r, 0, place, 0);
    if (!lg_auc_of(&r->view->scratch, r->cases, count, r->numbers, r->view->resamples, &auc)) {
        return false;
    }
    lg_stats_write_auc(r->w, &auc);
    lg_jw_end_object(r->w);
    return true;
}

static bool place(roc *r, lg_scope scope)
{
    return lg_places_of(&r->view->scratch, r->view, scope, r->chosen, r->count, &r->places);
}

static bool write_overall(roc *r)
{
    lg_jw_key(r->w, "overall");
    return place(r, LG_OVERALL) && write_place(r, 0);
}

static bool write_scope(roc *r, lg_scope scope, const char *key, const lg_str *names)
{
    lg_jw_key(r->w, key);
    lg_jw_begin_object(r->w);
    if (!place(r, scope)) {
        return false;
    }
    for (size_t i = 0; i < r->places.count; i++) {
        if (r->places.starts[i + 1] > r->places.starts[i]) {
            lg_jw_key_str(r->w, names[i]);
            if (!write_place(r, i)) {
                return false;
            }
        }
    }
    lg_jw_end_object(r->w);
    return true;
}

static bool write_within(roc *r)
{
    size_t count = 0;
    size_t left_out = 0;
    lg_auc auc;
    if (!place(r, LG_BY_GROUP)) {
        return false;
    }
    for (size_t i = 0; i < r->view->group_count; i++) {
        size_t own = r->places.starts[i + 1] - r->places.starts[i];
        size_t positives = add_cases(r, count, i, (uint32_t)i);
        bool enough = positives >= GROUP_CLASS_LEAST && own - positives >= GROUP_CLASS_LEAST;
        count += enough ? own : 0;
        left_out += !enough && own > 0;
    }
    if (!lg_auc_of(&r->view->scratch, r->cases, count, r->numbers, r->view->resamples, &auc)) {
        return false;
    }
    auc.why = count ? auc.why : "no group has five of each class";
    auc.why = r->why_not_within ? r->why_not_within : auc.why;
    lg_jw_key(r->w, "within_groups");
    lg_stats_write_auc(r->w, &auc);
    lg_jw_member_uint(r->w, "groups", auc.segments);
    lg_jw_member_uint(r->w, "groups_left_out", left_out);
    lg_jw_end_object(r->w);
    return true;
}

// --- A score --------------------------------------------------------------------------------------

typedef struct valued {
    double score;
    uint32_t item;
} valued;

static int by_value(const void *a, const void *b)
{
    const valued *x = a;
    const valued *y = b;
    int order = (x->score > y->score) - (x->score < y->score);
    return order ? order : (x->item > y->item) - (x->item < y->item);
}

static bool choose(roc *r)
{
    lg_stats_view *v = r->view;
    valued *list = LG_NEW_ARRAY(&v->scratch, valued, v->count + 1);
    if (!list) {
        return false;
    }
    for (size_t i = 0; i < v->count; i++) {
        if (!isnan(r->values[i]) && !isnan(v->items[i].row->reward)) {
            list[r->count++] = (valued){r->values[i], (uint32_t)i};
        }
    }
    qsort(list, r->count, sizeof(*list), by_value);
    for (size_t i = 0; i < r->count; i++) {
        r->chosen[i] = list[i].item;
    }
    return true;
}

static bool make_room(roc *r)
{
    lg_stats_view *v = r->view;
    lg_arena *arena = &v->scratch;
    r->chosen = LG_NEW_ARRAY(arena, uint32_t, v->count + 1);
    r->numbers = LG_NEW_ARRAY(arena, uint32_t, (size_t)v->cluster_count + 1);
    r->cases = LG_NEW_ARRAY(arena, lg_auc_case, v->count + 1);
    return r->chosen && r->numbers && r->cases;
}

static bool write_all(roc *r)
{
    return make_room(r) && choose(r) && write_overall(r) &&
           write_scope(r, LG_BY_DOMAIN, "by_domain", r->view->domains) &&
           write_scope(r, LG_BY_MODEL, "by_model", r->view->models) && write_within(r);
}

static bool write_values(lg_stats_view *view, lg_json_writer *w, const double *values,
                         const char *why_not_within)
{
    roc r = {.view = view, .w = w, .values = values, .why_not_within = why_not_within};
    lg_arena_mark mark = lg_arena_mark_here(&view->scratch);
    lg_jw_begin_object(w);
    bool ok = write_all(&r);
    if (ok) {
        lg_jw_end_object(w);
    }
    lg_arena_rewind(&view->scratch, mark);
    return ok;
}

bool lg_stats_write_score(lg_stats_view *view, lg_json_writer *w, const double *values)
{
    return write_values(view, w, values, NULL);
}

// --- What domain and model alone tell -------------------------------------------------------------

typedef struct tally {
    double passed, n;
} tally;

static void add_to(tally *t, const lg_stats_row *row)
{
    t->passed += lg_stats_passed(row);
    t->n += 1;
}

// The pass rate of each item's group, without its own cluster if `held_out`.
static void rate_group(const lg_stats_view *v, const lg_stats_group *group, tally *clusters,
                       bool held_out, double *values)
{
    tally all = {0, 0};
    for (size_t i = group->from; i < group->to; i++) {
        clusters[v->items[i].cluster] = (tally){0, 0};
    }
    for (size_t i = group->from; i < group->to; i++) {
        if (!isnan(v->items[i].row->reward)) {
            add_to(&all, v->items[i].row);
            add_to(&clusters[v->items[i].cluster], v->items[i].row);
        }
    }
    for (size_t i = group->from; i < group->to; i++) {
        tally own = held_out ? clusters[v->items[i].cluster] : (tally){0, 0};
        values[i] = all.n > own.n ? (all.passed - own.passed) / (all.n - own.n) : LG_UNKNOWN;
    }
}

static bool write_base_rate(lg_stats_view *v, lg_json_writer *w, double *values, bool held_out)
{
    tally *clusters = LG_NEW_ARRAY(&v->scratch, tally, (size_t)v->cluster_count + 1);
    if (!clusters) {
        return false;
    }
    for (size_t i = 0; i < v->group_count; i++) {
        rate_group(v, &v->groups[i], clusters, held_out, values);
    }
    lg_jw_key(w, held_out ? "base_rate_held_out" : "base_rate");
    return write_values(
        v, w, values, held_out ? "leaving out a customer who passed lowers their own rate" : NULL);
}

// --- All of them ----------------------------------------------------------------------------------

bool lg_stats_column_values(const lg_stats_view *view, uint32_t column, double *values)
{
    bool any = false;
    for (size_t i = 0; i < view->count; i++) {
        values[i] = lg_stats_score(view->items[i].row, column);
        any = any || !isnan(values[i]);
    }
    return any;
}

static bool write_scores(lg_stats_view *v, lg_json_writer *w, double *values)
{
    bool ok = true;
    lg_jw_key(w, "scores");
    lg_jw_begin_object(w);
    for (uint32_t i = 0; i < lg_stats_columns(v) && ok; i++) {
        uint32_t column = v->column_order[i];
        bool any = lg_stats_column_values(v, column, values);
        if (column != LG_SCORE_OUTCOME && (any || column < LG_SCORES)) {
            lg_jw_key_str(w, lg_stats_column(v, column));
            ok = lg_stats_write_score(v, w, values);
        }
    }
    ok = ok && write_base_rate(v, w, values, false) && write_base_rate(v, w, values, true);
    if (ok) {
        lg_jw_end_object(w);
    }
    return ok;
}

bool lg_stats_write_roc(lg_stats_view *view, lg_json_writer *w)
{
    lg_arena_mark mark = lg_arena_mark_here(&view->scratch);
    double *values = LG_NEW_ARRAY(&view->scratch, double, view->count + 1);
    if (!values) {
        return false;
    }
    (void)lg_stats_column_values(view, LG_SCORE_OUTCOME, values);
    lg_jw_key(w, "roc_auc");
    bool ok = lg_stats_write_score(view, w, values) && write_scores(view, w, values);
    lg_arena_rewind(&view->scratch, mark);
    return ok;
}
