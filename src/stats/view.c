// view.c: all results in one order, with groups, tasks and clusters as dense numbers.
#include "stats/chance.h"
#include "stats/stats_internal.h"

#include <stdlib.h>

// --- Order ----------------------------------------------------------------------------------------

static int cmp_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_place(const void *a, const void *b)
{
    const lg_stats_item *x = a;
    const lg_stats_item *y = b;
    int order = cmp_u64(x->domain, y->domain);
    order = order ? order : cmp_u64(x->model, y->model);
    order = order ? order : cmp_u64(x->task_name, y->task_name);
    order = order ? order : (x->row->trial > y->row->trial) - (x->row->trial < y->row->trial);
    return order ? order : lg_str_cmp(x->row->id, y->row->id);
}

static uint32_t ranked(const uint32_t *ranks, uint32_t name)
{
    return name == LG_NO_NAME ? LG_NO_NAME : ranks[name];
}

static bool order_items(lg_stats_view *v)
{
    const lg_stats *s = v->stats;
    lg_str *unused;
    uint32_t *domains = lg_names_rank(&v->arena, &s->domains, &v->domains);
    uint32_t *models = lg_names_rank(&v->arena, &s->models, &v->models);
    uint32_t *tasks = lg_names_rank(&v->arena, &s->tasks, &unused);
    uint32_t *customers = lg_names_rank(&v->arena, &s->customers, &unused);
    v->items = LG_NEW_ARRAY(&v->arena, lg_stats_item, s->count + 1);
    if (!domains || !models || !tasks || !customers || !v->items) {
        return false;
    }
    v->count = s->count;
    for (size_t i = 0; i < s->count; i++) {
        const lg_stats_row *row = s->rows[i];
        v->items[i] = (lg_stats_item){.row = row,
                                      .domain = domains[row->domain],
                                      .model = models[row->model],
                                      .task_name = ranked(tasks, row->task),
                                      .customer = ranked(customers, row->customer)};
    }
    qsort(v->items, v->count, sizeof(*v->items), by_place);
    return true;
}

static bool find_groups(lg_stats_view *v)
{
    v->groups = LG_NEW_ARRAY(&v->arena, lg_stats_group, v->count + 1);
    if (!v->groups) {
        return false;
    }
    for (size_t i = 0; i < v->count; i++) {
        lg_stats_item *item = &v->items[i];
        const lg_stats_item *before = i ? &v->items[i - 1] : NULL;
        if (!before || before->domain != item->domain || before->model != item->model) {
            v->groups[v->group_count++] =
                (lg_stats_group){.domain = item->domain, .model = item->model, .from = i, .to = i};
        }
        v->groups[v->group_count - 1].to = i + 1;
        item->group = (uint32_t)v->group_count - 1;
    }
    return true;
}

// --- Tasks and clusters ---------------------------------------------------------------------------

typedef struct key {
    uint32_t kind, domain, name, at;
} key;

static int by_key(const void *a, const void *b)
{
    const key *x = a;
    const key *y = b;
    int order = cmp_u64(x->kind, y->kind);
    order = order ? order : cmp_u64(x->domain, y->domain);
    order = order ? order : cmp_u64(x->name, y->name);
    return order ? order : cmp_u64(x->at, y->at);
}

static bool same_key(const key *a, const key *b)
{
    return a->kind == b->kind && a->domain == b->domain && a->name == b->name;
}

// Sorts the keys and numbers them densely: `numbers[key.at]`. Returns how many differ.
static uint32_t number_keys(key *keys, size_t count, uint32_t *numbers)
{
    uint32_t next = 0;
    qsort(keys, count, sizeof(*keys), by_key);
    for (size_t i = 0; i < count; i++) {
        next += i == 0 || !same_key(&keys[i], &keys[i - 1]);
        numbers[keys[i].at] = next - 1;
    }
    return next;
}

static bool number_tasks(lg_stats_view *v, key *keys, uint32_t *numbers)
{
    size_t count = 0;
    for (size_t i = 0; i < v->count; i++) {
        v->items[i].task = LG_NO_NAME;
        if (v->items[i].task_name != LG_NO_NAME) {
            keys[count++] = (key){0, v->items[i].domain, v->items[i].task_name, (uint32_t)i};
        }
    }
    v->task_count = number_keys(keys, count, numbers);
    for (size_t i = 0; i < v->count; i++) {
        if (v->items[i].task_name != LG_NO_NAME) {
            v->items[i].task = numbers[i];
        }
    }
    return true;
}

#define SEVERAL_CUSTOMERS (LG_NO_NAME - 1)

// Of each task the one customer that its results name: LG_NO_NAME if none does, SEVERAL_CUSTOMERS. NULL without memory.
static uint32_t *find_task_customers(lg_stats_view *v)
{
    uint32_t *only = LG_NEW_ARRAY(&v->scratch, uint32_t, (size_t)v->task_count + 1);
    for (uint32_t i = 0; only && i < v->task_count; i++) {
        only[i] = LG_NO_NAME;
    }
    for (size_t i = 0; only && i < v->count; i++) {
        const lg_stats_item *item = &v->items[i];
        if (item->task != LG_NO_NAME && item->customer != LG_NO_NAME) {
            uint32_t *known = &only[item->task];
            *known = *known == LG_NO_NAME || *known == item->customer ? item->customer
                                                                      : SEVERAL_CUSTOMERS;
        }
    }
    return only;
}

// Benchmarks use the same numbers for different tasks: runs of one task are of one customer, too. A run that does not
// show its customer has that of the task, if the others show but one.
static bool number_runs(lg_stats_view *v, key *keys, uint32_t *numbers)
{
    const uint32_t *only = find_task_customers(v);
    size_t count = 0;
    if (!only) {
        return false;
    }
    for (size_t i = 0; i < v->count; i++) {
        lg_stats_item *item = &v->items[i];
        item->run = item->run_and_did = LG_NO_NAME;
        if (item->task != LG_NO_NAME) {
            bool shown = item->customer != LG_NO_NAME || only[item->task] == SEVERAL_CUSTOMERS;
            keys[count++] =
                (key){0, item->task, shown ? item->customer : only[item->task], (uint32_t)i};
        }
    }
    v->run_count = number_keys(keys, count, numbers);
    for (size_t i = 0; i < count; i++) {
        v->items[keys[i].at].run = numbers[keys[i].at];
    }
    count = 0;
    for (size_t i = 0; i < v->count; i++) {
        if (v->items[i].run != LG_NO_NAME && v->items[i].row->did != LG_NO_NAME) {
            keys[count++] = (key){0, v->items[i].run, v->items[i].row->did, (uint32_t)i};
        }
    }
    v->run_and_did_count = number_keys(keys, count, numbers);
    for (size_t i = 0; i < count; i++) {
        v->items[keys[i].at].run_and_did = numbers[keys[i].at];
    }
    return true;
}

// Does a domain have two customers? Where all are one and the same, as in telecom, customers tell nothing apart.
static bool *find_customers(lg_stats_view *v)
{
    size_t domains = v->stats->domains.count;
    uint32_t *first = LG_NEW_ARRAY(&v->arena, uint32_t, domains + 1);
    bool *several = LG_NEW_ARRAY(&v->arena, bool, domains + 1);
    if (!first || !several) {
        return NULL;
    }
    for (size_t i = 0; i < domains; i++) {
        first[i] = LG_NO_NAME;
    }
    for (size_t i = 0; i < v->count; i++) {
        const lg_stats_item *item = &v->items[i];
        if (item->customer == LG_NO_NAME) {
            continue;
        }
        several[item->domain] |=
            first[item->domain] != LG_NO_NAME && first[item->domain] != item->customer;
        first[item->domain] = item->customer;
    }
    return several;
}

enum { OF_CUSTOMER, OF_TASK, OF_NOBODY };

static bool number_clusters(lg_stats_view *v, key *keys, uint32_t *numbers)
{
    const bool *several = find_customers(v);
    if (!several) {
        return false;
    }
    for (size_t i = 0; i < v->count; i++) {
        const lg_stats_item *item = &v->items[i];
        bool by_customer = item->customer != LG_NO_NAME && several[item->domain];
        keys[i] = by_customer ? (key){OF_CUSTOMER, item->domain, item->customer, (uint32_t)i}
                  : item->task_name != LG_NO_NAME
                      ? (key){OF_TASK, item->domain, item->task_name, (uint32_t)i}
                      : (key){OF_NOBODY, 0, (uint32_t)i, (uint32_t)i};
    }
    v->cluster_count = number_keys(keys, v->count, numbers);
    for (size_t i = 0; i < v->count; i++) {
        v->items[i].cluster = numbers[i];
    }
    return true;
}

static bool number_items(lg_stats_view *v)
{
    key *keys = LG_NEW_ARRAY(&v->scratch, key, v->count + 1);
    uint32_t *numbers = LG_NEW_ARRAY(&v->scratch, uint32_t, v->count + 1);
    bool ok =
        keys && numbers && number_tasks(v, keys, numbers) && number_clusters(v, keys, numbers);
    ok = ok && number_runs(v, keys, numbers);
    lg_arena_reset(&v->scratch);
    return ok;
}

// The items of a group are sorted by task; those without one come last.
static bool find_cells(lg_stats_view *v)
{
    v->cells = LG_NEW_ARRAY(&v->arena, lg_stats_cell, v->count + 1);
    if (!v->cells) {
        return false;
    }
    for (size_t g = 0; g < v->group_count; g++) {
        lg_stats_group *group = &v->groups[g];
        group->cell_from = v->cell_count;
        for (size_t i = group->from; i < group->to && v->items[i].task != LG_NO_NAME; i++) {
            const lg_stats_item *item = &v->items[i];
            if (i == group->from || v->items[i - 1].task != item->task) {
                v->cells[v->cell_count++] =
                    (lg_stats_cell){(uint32_t)g, item->task, item->cluster, i, i};
            }
            v->cells[v->cell_count - 1].to = i + 1;
        }
        group->cell_to = v->cell_count;
    }
    return true;
}

// --- Names ----------------------------------------------------------------------------------------

// The paper's evaluators in its order, others behind them by name.
static const char *const paper[] = {
    "output",   "transition",     "forbidden_edges",      "argument_groundedness",
    "argument", "predicted_plan", "predicted_final_state"};

static bool order_columns(lg_stats_view *v)
{
    const lg_names *columns = &v->stats->columns;
    lg_str *sorted;
    const uint32_t *ranks = lg_names_rank(&v->arena, columns, &sorted);
    uint32_t *order = LG_NEW_ARRAY(&v->arena, uint32_t, columns->count + 1);
    bool taken[LG_COLUMNS_MAX] = {false};
    uint32_t next = 0;
    if (!ranks || !order) {
        return false;
    }
    for (uint32_t i = 0; i < LG_SCORES; i++) {
        taken[i] = true;
        order[next++] = i;
    }
    for (size_t i = 0; i < LG_COUNT(paper); i++) {
        uint32_t column = lg_names_find(columns, lg_str_c(paper[i]));
        if (column != LG_NO_NAME) {
            taken[column] = true;
            order[next++] = column;
        }
    }
    for (uint32_t i = 0; i < columns->count; i++) {
        uint32_t column = lg_names_find(columns, sorted[i]);
        if (!taken[column]) {
            order[next++] = column;
        }
    }
    v->column_order = order;
    return true;
}

static bool make(lg_stats_view *v)
{
    const lg_stats *s = v->stats;
    v->kind_ranks = lg_names_rank(&v->arena, &s->kinds, &v->kinds);
    v->failure_ranks = lg_names_rank(&v->arena, &s->failures, &v->failures);
    v->check_ranks = lg_names_rank(&v->arena, &s->checks, &v->checks);
    return v->kind_ranks && v->failure_ranks && v->check_ranks && order_items(v) &&
           find_groups(v) && number_items(v) && find_cells(v) && order_columns(v);
}

lg_status lg_stats_view_make(const lg_stats *stats, lg_stats_view *ret, lg_error *reterr)
{
    *ret = (lg_stats_view){.stats = stats, .resamples = lg_chance_resamples(stats->count)};
    lg_arena_init(&ret->arena, 0);
    lg_arena_init(&ret->scratch, 0);
    if (!make(ret)) {
        lg_stats_view_done(ret);
        return lg_fail_oom(reterr);
    }
    return LG_OK;
}

void lg_stats_view_done(lg_stats_view *view)
{
    lg_arena_done(&view->arena);
    lg_arena_done(&view->scratch);
}
