// pass.c: pass^k, the chance that k runs of a task all come right (tau-bench, Yao et al. 2024).
//
// Of a task with n runs of which c came right it is estimated without bias by C(c,k)/C(n,k), and of a model in a domain by
// the mean over its tasks. k goes up to the least number of runs that a task has: beyond, the mean would be of other tasks.
#include "stats/clustered.h"
#include "stats/scope.h"

#define K_MOST 64u

// --- Which tasks must change something --------------------------------------------------------------

// Known of a task (of a domain, whoever ran it) by its runs: of those with the full reward, whether they carried out a
// write; where there are none, a run that carried out no write and whose final state was wrong says that one was due.
typedef enum need { NEED_UNKNOWN, NEED_NOTHING, NEED_WRITE } need;

typedef struct evidence {
    uint32_t passed, passed_with_write, wrong_without_write;
} evidence;

static double check_named(const lg_stats_view *v, const lg_stats_row *row, lg_str name)
{
    for (uint32_t i = 0; i < row->check_count; i++) {
        if (lg_str_eq_any_case(v->stats->checks.texts[row->checks[i].name], name)) {
            return row->checks[i].value;
        }
    }
    return LG_UNKNOWN;
}

static void look_at(const lg_stats_view *v, const lg_stats_row *row, evidence *e)
{
    bool wrote = row->carried_out > 0;
    if (lg_stats_passed(row)) {
        e->passed++;
        e->passed_with_write += wrote;
    }
    e->wrong_without_write += !wrote && check_named(v, row, LG_STR("db")) < 1;
}

static need need_of(const evidence *e)
{
    if (e->passed) {
        return e->passed_with_write ? NEED_WRITE : NEED_NOTHING;
    }
    return e->wrong_without_write ? NEED_WRITE : NEED_UNKNOWN;
}

static evidence *gather(lg_stats_view *v)
{
    evidence *tasks = LG_NEW_ARRAY(&v->scratch, evidence, (size_t)v->task_count + 1);
    for (size_t i = 0; tasks && i < v->count; i++) {
        if (v->items[i].task != LG_NO_NAME) {
            look_at(v, v->items[i].row, &tasks[v->items[i].task]);
        }
    }
    return tasks;
}

static void write_needs(const lg_stats_view *v, const evidence *tasks, lg_json_writer *w)
{
    uint64_t counts[3] = {0, 0, 0};
    for (uint32_t i = 0; i < v->task_count; i++) {
        counts[need_of(&tasks[i])]++;
    }
    lg_jw_key(w, "writes_only");
    lg_jw_begin_object(w);
    lg_jw_member_uint(w, "tasks", counts[NEED_WRITE]);
    lg_jw_member_uint(w, "tasks_without_writes", counts[NEED_NOTHING]);
    lg_jw_member_uint(w, "tasks_unknown", counts[NEED_UNKNOWN]);
    lg_jw_end_object(w);
}

// --- pass^k -----------------------------------------------------------------------------------------

typedef struct tally {
    uint32_t n, c;
} tally;

typedef struct passing {
    lg_stats_view *view;
    lg_json_writer *w;
    const evidence *tasks; // or NULL: all count
    tally *cells;
    lg_parts parts;
} passing;

static tally count_runs(const passing *p, const lg_stats_cell *cell)
{
    tally t = {0, 0};
    if (p->tasks && need_of(&p->tasks[cell->task]) != NEED_WRITE) {
        return t;
    }
    for (size_t i = cell->from; i < cell->to; i++) {
        const lg_stats_row *row = p->view->items[i].row;
        t.n += isnan(row->reward) ? 0 : 1;
        t.c += lg_stats_passed(row);
    }
    return t;
}

// C(c,k)/C(n,k), for k of at most n.
static double chance_of(tally t, uint32_t k)
{
    double chance = 1;
    for (uint32_t i = 0; i < k; i++) {
        chance *= t.c > i ? (double)(t.c - i) / (double)(t.n - i) : 0;
    }
    return chance;
}

static bool write_k(passing *p, const lg_stats_group *group, uint32_t k)
{
    lg_clustered mean;
    lg_parts_clear(&p->parts);
    for (size_t i = group->cell_from; i < group->cell_to; i++) {
        if (p->cells[i].n) {
            lg_parts_add(&p->parts, p->view->cells[i].cluster, chance_of(p->cells[i], k));
        }
    }
    if (!lg_clustered_of(&p->view->scratch, p->parts.parts, p->parts.count, p->view->resamples,
                         false, &mean)) {
        return false;
    }
    lg_jw_begin_object(p->w);
    lg_jw_member_uint(p->w, "k", k);
    lg_stats_write_number(p->w, "value", mean.mean);
    lg_stats_write_number(p->w, "low", mean.low);
    lg_stats_write_number(p->w, "high", mean.high);
    lg_jw_end_object(p->w);
    return true;
}

typedef struct range {
    uint64_t tasks, runs;
    uint32_t least, most;
} range;

static range range_of(passing *p, const lg_stats_group *group)
{
    range r = {0, 0, UINT32_MAX, 0};
    for (size_t i = group->cell_from; i < group->cell_to; i++) {
        tally t = p->cells[i] = count_runs(p, &p->view->cells[i]);
        if (t.n) {
            r.tasks++;
            r.runs += t.n;
            r.least = t.n < r.least ? t.n : r.least;
            r.most = t.n > r.most ? t.n : r.most;
        }
    }
    return r;
}

static double matching_actions(const passing *p, const lg_stats_group *group, uint64_t *ret_n)
{
    double sum = 0;
    *ret_n = 0;
    for (size_t i = group->from; i < group->to; i++) {
        const lg_stats_item *item = &p->view->items[i];
        double rate = check_named(p->view, item->row, LG_STR("action"));
        bool counts =
            !p->tasks || (item->task != LG_NO_NAME && need_of(&p->tasks[item->task]) == NEED_WRITE);
        if (counts && !isnan(rate)) {
            sum += rate;
            ++*ret_n;
        }
    }
    return lg_share(sum, (double)*ret_n);
}

static void write_actions(const passing *p, const lg_stats_group *group)
{
    uint64_t n;
    double rate = matching_actions(p, group, &n);
    lg_jw_key(p->w, "matching_actions");
    lg_jw_begin_object(p->w);
    lg_jw_member_uint(p->w, "n", n);
    lg_stats_write_number(p->w, "mean", rate);
    lg_jw_end_object(p->w);
}

static bool write_group(passing *p, uint32_t g)
{
    const lg_stats_group *group = &p->view->groups[g];
    range r = range_of(p, group);
    bool ok = true;
    if (r.tasks == 0) {
        return true;
    }
    lg_jw_begin_object(p->w);
    lg_stats_write_group(p->view, g, p->w);
    lg_jw_member_uint(p->w, "tasks", r.tasks);
    lg_jw_member_uint(p->w, "runs", r.runs);
    lg_jw_member_uint(p->w, "least_runs", r.least);
    lg_jw_member_uint(p->w, "most_runs", r.most);
    lg_jw_key(p->w, "pass");
    lg_jw_begin_array(p->w);
    for (uint32_t k = 1; k <= r.least && k <= K_MOST && ok; k++) {
        ok = write_k(p, group, k);
    }
    if (ok) {
        lg_jw_end_array(p->w);
        write_actions(p, group);
        lg_jw_end_object(p->w);
    }
    return ok;
}

static bool write_all(passing *p)
{
    lg_stats_view *v = p->view;
    bool ok = lg_parts_init(&v->scratch, &p->parts, v->cluster_count);
    p->cells = LG_NEW_ARRAY(&v->scratch, tally, v->cell_count + 1);
    ok = ok && p->cells;
    lg_jw_key(p->w, "pass_k");
    lg_jw_begin_array(p->w);
    for (uint32_t i = 0; i < v->group_count && ok; i++) {
        ok = write_group(p, i);
    }
    if (ok) {
        lg_jw_end_array(p->w);
    }
    return ok;
}

bool lg_stats_write_pass(lg_stats_view *view, bool writes_only, lg_json_writer *w)
{
    passing p = {.view = view, .w = w};
    lg_arena_mark mark = lg_arena_mark_here(&view->scratch);
    bool ok = true;
    if (writes_only) {
        p.tasks = gather(view);
        ok = p.tasks != NULL;
    }
    ok = ok && write_all(&p);
    if (ok && writes_only) {
        write_needs(view, p.tasks, w);
    }
    lg_arena_rewind(&view->scratch, mark);
    return ok;
}
