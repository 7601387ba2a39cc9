// models.c: two models on the same tasks.
//
// Of each task that both have run the difference of the means of their runs, and the mean of these over tasks: so a model
// that ran the easy ones is not the better one. What might be chance is told by clustered.h, and since many pairs are
// compared, by Holm within each measure (and domain).
#include "stats/measures.h"
#include "stats/scope.h"

#include <stdlib.h>

#define MODELS_MOST 10u // 45 pairs; with more of them those with the fewest results are left out

typedef struct sized {
    uint32_t model;
    size_t results;
} sized;

typedef struct compared {
    uint32_t a, b; // models
    lg_difference d;
} compared;

typedef struct comparing {
    lg_stats_view *view;
    lg_json_writer *w;
    uint32_t *models;
    uint32_t model_count;
    double *values;     // of each cell: the mean of its runs in the measure, or NAN
    uint32_t *group_at; // number of (domain, model) and one, or 0; by model and domain
    compared *pairs;
    uint32_t pair_count;
    lg_parts parts;
} comparing;

// --- Who is compared --------------------------------------------------------------------------------

static int by_results(const void *a, const void *b)
{
    const sized *x = a;
    const sized *y = b;
    int order = (x->results < y->results) - (x->results > y->results);
    return order ? order : (x->model > y->model) - (x->model < y->model);
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// The models with the most results, then by name. Results without a model are of nobody.
static bool choose_models(comparing *c)
{
    lg_stats_view *v = c->view;
    size_t count = v->stats->models.count;
    sized *all = LG_NEW_ARRAY(&v->scratch, sized, count + 1);
    c->models = LG_NEW_ARRAY(&v->scratch, uint32_t, count + 1);
    if (!all || !c->models) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        all[i].model = (uint32_t)i;
    }
    for (size_t i = 0; i < v->group_count; i++) {
        const lg_stats_group *group = &v->groups[i];
        all[group->model].results += v->models[group->model].len ? group->to - group->from : 0;
    }
    qsort(all, count, sizeof(*all), by_results);
    for (size_t i = 0; i < count && all[i].results; i++) {
        c->models[c->model_count++] = all[i].model;
    }
    return true;
}

static bool make_room(comparing *c)
{
    lg_stats_view *v = c->view;
    size_t domains = v->stats->domains.count;
    c->values = LG_NEW_ARRAY(&v->scratch, double, v->cell_count + 1);
    c->group_at = LG_NEW_ARRAY(&v->scratch, uint32_t, (domains + 1) * MODELS_MOST);
    c->pairs = LG_NEW_ARRAY(&v->scratch, compared, MODELS_MOST * MODELS_MOST);
    if (!c->values || !c->group_at || !c->pairs ||
        !lg_parts_init(&v->scratch, &c->parts, v->cluster_count)) {
        return false;
    }
    for (size_t i = 0; i < v->group_count; i++) {
        for (uint32_t k = 0; k < c->model_count; k++) {
            if (c->models[k] == v->groups[i].model) {
                c->group_at[v->groups[i].domain * MODELS_MOST + k] = (uint32_t)i + 1;
            }
        }
    }
    return true;
}

// --- One pair ---------------------------------------------------------------------------------------

static double mean_of_cell(const comparing *c, const lg_stats_cell *cell, uint32_t measure)
{
    double sum = 0;
    double n = 0;
    for (size_t i = cell->from; i < cell->to; i++) {
        double value = lg_measure_of(c->view, c->view->items[i].row, measure);
        if (!isnan(value)) {
            sum += value;
            n++;
        }
    }
    return lg_share(sum, n);
}

// The tasks that both have run in a domain: the cells of a group are sorted by task.
static void add_domain(comparing *c, compared *pair, uint32_t domain, uint32_t a, uint32_t b)
{
    const lg_stats_view *v = c->view;
    uint32_t first = c->group_at[domain * MODELS_MOST + a];
    uint32_t second = c->group_at[domain * MODELS_MOST + b];
    if (!first || !second) {
        return;
    }
    size_t i = v->groups[first - 1].cell_from;
    size_t k = v->groups[second - 1].cell_from;
    while (i < v->groups[first - 1].cell_to && k < v->groups[second - 1].cell_to) {
        const lg_stats_cell *x = &v->cells[i];
        const lg_stats_cell *y = &v->cells[k];
        if (x->task == y->task && !isnan(c->values[i]) && !isnan(c->values[k])) {
            lg_parts_add(&c->parts, x->cluster, c->values[i] - c->values[k]);
            pair->d.first_sum += c->values[i];
            pair->d.second_sum += c->values[k];
        }
        i += x->task <= y->task;
        k += y->task <= x->task;
    }
}

// In all domains if `domain` is LG_NO_NAME. False when out of memory.
static bool compare(comparing *c, uint32_t a, uint32_t b, uint32_t domain)
{
    uint32_t domains = (uint32_t)c->view->stats->domains.count;
    compared *pair = &c->pairs[c->pair_count];
    *pair = (compared){c->models[a], c->models[b], {.first = "mean_a", .second = "mean_b"}};
    lg_parts_clear(&c->parts);
    uint32_t from = domain == LG_NO_NAME ? 0 : domain;
    uint32_t to = domain == LG_NO_NAME ? domains : domain + 1;
    for (uint32_t i = from; i < to; i++) {
        add_domain(c, pair, i, a, b);
    }
    bool ok = lg_clustered_of(&c->view->scratch, c->parts.parts, c->parts.count, c->view->resamples,
                              true, &pair->d.of);
    c->pair_count += ok && pair->d.of.n > 0;
    return ok;
}

// --- A family ---------------------------------------------------------------------------------------

static void write_pair(const comparing *c, const compared *pair, uint32_t measure, uint32_t domain,
                       double holm)
{
    const lg_stats_view *v = c->view;
    lg_jw_begin_object(c->w);
    lg_jw_member_str(c->w, "a", v->models[pair->a]);
    lg_jw_member_str(c->w, "b", v->models[pair->b]);
    lg_jw_key(c->w, "domain");
    if (domain == LG_NO_NAME) {
        lg_jw_null(c->w);
    } else {
        lg_jw_str(c->w, v->domains[domain]);
    }
    lg_jw_member_str(c->w, "measure", lg_measure_name(v, measure));
    lg_jw_member_uint(c->w, "tasks", (uint64_t)pair->d.of.n);
    lg_difference_write(c->w, &pair->d);
    lg_stats_write_number(c->w, "p_holm", holm);
    if (isnan(pair->d.of.p)) {
        lg_jw_member_c(c->w, "why", "all tasks are of one cluster");
    }
    lg_jw_end_object(c->w);
}

static bool write_family(comparing *c, uint32_t measure, uint32_t domain)
{
    double p[MODELS_MOST * MODELS_MOST];
    uint32_t order[MODELS_MOST * MODELS_MOST];
    c->pair_count = 0;
    for (uint32_t a = 0; a < c->model_count; a++) {
        for (uint32_t b = a + 1; b < c->model_count; b++) {
            if (!compare(c, a, b, domain)) {
                return false;
            }
        }
    }
    for (uint32_t i = 0; i < c->pair_count; i++) {
        p[i] = c->pairs[i].d.of.p;
    }
    lg_holm(p, order, c->pair_count);
    for (uint32_t i = 0; i < c->pair_count; i++) {
        write_pair(c, &c->pairs[i], measure, domain, p[i]);
    }
    return true;
}

static bool write_measure(comparing *c, uint32_t measure)
{
    lg_stats_view *v = c->view;
    for (size_t i = 0; i < v->cell_count; i++) {
        c->values[i] = mean_of_cell(c, &v->cells[i], measure);
    }
    if (!write_family(c, measure, LG_NO_NAME)) {
        return false;
    }
    uint32_t domains = (uint32_t)v->stats->domains.count;
    for (uint32_t i = 0; measure == LG_MEASURE_PASSED && domains > 1 && i < domains; i++) {
        if (!write_family(c, measure, i)) {
            return false;
        }
    }
    return true;
}

static bool write_all(comparing *c)
{
    if (!choose_models(c)) {
        return false;
    }
    uint32_t left_out = c->model_count > MODELS_MOST ? c->model_count - MODELS_MOST : 0;
    c->model_count -= left_out;
    qsort(c->models, c->model_count, sizeof(*c->models), by_number);
    lg_jw_member_uint(c->w, "models_left_out", left_out);
    lg_jw_key(c->w, "comparisons");
    lg_jw_begin_array(c->w);
    bool ok = make_room(c);
    for (uint32_t i = 0; i < lg_measures(c->view) && ok; i++) {
        ok = write_measure(c, i);
    }
    if (ok) {
        lg_jw_end_array(c->w);
    }
    return ok;
}

bool lg_stats_write_models(lg_stats_view *view, lg_json_writer *w)
{
    comparing c = {.view = view, .w = w};
    lg_arena_mark mark = lg_arena_mark_here(&view->scratch);
    bool ok = write_all(&c);
    lg_arena_rewind(&view->scratch, mark);
    return ok;
}
