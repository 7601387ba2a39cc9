// stats_internal.h: a result as it is kept, and the results as they are counted.
#ifndef LG_STATS_STATS_INTERNAL_H
#define LG_STATS_STATS_INTERNAL_H

#include "stats/names.h"
#include "stats/stats.h"

#include <math.h>

// What is not known is NAN in a double, LG_NO_NAME in a number of a name.
#define LG_UNKNOWN ((double)NAN)

// --- A result (read.c) ----------------------------------------------------------------------------

// The columns of a result's scores: these, and behind them the evaluators in the order in which they were met.
enum { LG_SCORE_OUTCOME, LG_SCORE_AGGREGATE, LG_SCORE_AGGREGATE_ONCE, LG_SCORE_PROCESS, LG_SCORES };
#define LG_COLUMNS_MAX 32u // evaluators beyond are refused: every column costs every result

enum { LG_HINT, LG_MINOR, LG_MODERATE, LG_SEVERE, LG_SEVERITIES };

typedef struct lg_stats_found {
    uint32_t kind; // number of its name
    uint32_t severity;
    uint32_t count;
} lg_stats_found;

typedef struct lg_stats_check {
    uint32_t name;
    double value;
} lg_stats_check;

typedef struct lg_stats_row {
    lg_str id;
    uint32_t domain, model;           // "" if not recorded
    uint32_t task, customer, failure; // or LG_NO_NAME
    uint32_t did;                     // digest of what was carried out, or LG_NO_NAME
    int64_t trial;                    // or -1
    double reward;
    uint64_t carried_out; // writes
    const double *scores; // of the columns that were known then
    uint32_t score_count;
    uint32_t found_count, check_count;
    const lg_stats_found *found; // one of each kind and severity
    const lg_stats_check *checks;
} lg_stats_row;

struct lg_stats {
    lg_arena arena;   // what is kept
    lg_arena scratch; // of one line
    lg_names ids, domains, models, tasks, customers, failures, kinds, checks, dids;
    lg_names columns; // of scores
    lg_stats_row **rows;
    size_t count, capacity;
    size_t duplicates;
};

// Makes the row of a result in the arena. LG_OK with `*ret` NULL: the line is no result, or `ret_added` says that it is
// a duplicate.
LG_NODISCARD lg_status lg_stats_read(lg_stats *stats, lg_str line, lg_stats_row **ret,
                                     lg_stats_added *ret_added, lg_error *reterr);

static inline double lg_stats_score(const lg_stats_row *row, uint32_t column)
{
    return column < row->score_count ? row->scores[column] : LG_UNKNOWN;
}

// A reward is 1, or less; sums of parts are not exact.
static inline bool lg_stats_passed(const lg_stats_row *row)
{
    return row->reward >= 1 - 1e-6;
}

// --- All results (view.c) -------------------------------------------------------------------------

// One result among the others. Numbers are ranks: nothing depends on the order in which results were added.
typedef struct lg_stats_item {
    const lg_stats_row *row;
    uint32_t domain, model;
    uint32_t group;       // of (domain, model)
    uint32_t task;        // of (domain, task), or LG_NO_NAME
    uint32_t run;         // of (domain, task, customer): what several runs are of; or LG_NO_NAME
    uint32_t run_and_did; // likewise, and what was carried out
    uint32_t cluster;     // what is drawn together: a customer, else a task, else the result alone
    uint32_t task_name, customer;
} lg_stats_item;

// The runs of one task by one model.
typedef struct lg_stats_cell {
    uint32_t group, task, cluster;
    size_t from, to; // of the items
} lg_stats_cell;

typedef struct lg_stats_group {
    uint32_t domain, model;
    size_t from, to;           // of the items
    size_t cell_from, cell_to; // of the cells
} lg_stats_group;

typedef struct lg_stats_view {
    const lg_stats *stats;
    lg_arena arena;       // all that a view is made of
    lg_arena scratch;     // of one figure
    lg_stats_item *items; // by domain, model, task, trial, id
    size_t count;
    lg_str *domains, *models, *kinds, *failures, *checks; // sorted
    uint32_t *kind_ranks, *failure_ranks, *check_ranks;
    uint32_t *
        column_order; // columns as they are shown: the scores, the paper's evaluators, others by name
    lg_stats_group *groups; // by domain, model
    size_t group_count;
    lg_stats_cell *cells; // likewise, then by task
    size_t cell_count;
    uint32_t task_count, cluster_count, run_count, run_and_did_count;
    uint32_t resamples; // for each interval
} lg_stats_view;

LG_NODISCARD lg_status lg_stats_view_make(const lg_stats *stats, lg_stats_view *ret,
                                          lg_error *reterr);
void lg_stats_view_done(lg_stats_view *view);

static inline uint32_t lg_stats_columns(const lg_stats_view *view)
{
    return view->stats->columns.count;
}

// Name of a column.
static inline lg_str lg_stats_column(const lg_stats_view *view, uint32_t column)
{
    return view->stats->columns.texts[column];
}

// Each part writes its members (docs/stats.md); false when out of memory.
bool lg_stats_write_means(lg_stats_view *view, lg_json_writer *w);
bool lg_stats_write_composite(lg_stats_view *view, lg_json_writer *w);
bool lg_stats_write_failures(lg_stats_view *view, lg_json_writer *w);
bool lg_stats_write_roc(lg_stats_view *view, lg_json_writer *w);
bool lg_stats_write_curves(lg_stats_view *view, lg_json_writer *w);
bool lg_stats_write_models(lg_stats_view *view, lg_json_writer *w);
bool lg_stats_write_violations(lg_stats_view *view, lg_json_writer *w);
bool lg_stats_write_pass(lg_stats_view *view, bool writes_only, lg_json_writer *w);
bool lg_stats_write_runs(lg_stats_view *view, bool areas, lg_json_writer *w);
bool lg_stats_write_trend(lg_stats_view *before, lg_stats_view *after, lg_json_writer *w);

// --- What the parts share (roc.c) -------------------------------------------------------------------

struct lg_auc;

// An area as an object that is left open.
void lg_stats_write_auc(lg_json_writer *w, const struct lg_auc *auc);

// The areas of a score, given for each item (NAN: not known), as one object. False when out of memory.
bool lg_stats_write_score(lg_stats_view *view, lg_json_writer *w, const double *values);

// The scores of a column, for each item; false: there are none.
bool lg_stats_column_values(const lg_stats_view *view, uint32_t column, double *values);

#endif
