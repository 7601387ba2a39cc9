// failures.c: why conversations failed: one class each, so that they sum to 100 %. What the audit could not class is
// counted as such. Who is known to have failed by the reward is apart from who is only thought to have.
#include "stats/scope.h"

#include <stdlib.h>

#define OUTCOME_FAILS_BELOW 0.5 // where no reward was recorded

typedef enum failing { NOT_FAILED, FAILED_BY_REWARD, FAILED_BY_OUTCOME } failing;

static failing failing_of(const lg_stats_row *row)
{
    if (!isnan(row->reward)) {
        return lg_stats_passed(row) ? NOT_FAILED : FAILED_BY_REWARD;
    }
    return lg_stats_score(row, LG_SCORE_OUTCOME) < OUTCOME_FAILS_BELOW ? FAILED_BY_OUTCOME
                                                                       : NOT_FAILED;
}

typedef struct class_count {
    uint32_t rank; // of its name; LG_NO_NAME: unclassified
    uint64_t n;
} class_count;

typedef struct failures {
    lg_stats_view *view;
    lg_json_writer *w;
    uint32_t *ranks; // of the classes of those that failed
} failures;

static int by_rank(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// The most frequent first, then by name, the unclassified last.
static int by_count(const void *a, const void *b)
{
    const class_count *x = a;
    const class_count *y = b;
    if ((x->rank == LG_NO_NAME) != (y->rank == LG_NO_NAME)) {
        return x->rank == LG_NO_NAME ? 1 : -1;
    }
    int order = (x->n < y->n) - (x->n > y->n);
    return order ? order : by_rank(&x->rank, &y->rank);
}

static void write_class(const failures *f, const class_count *c, size_t of)
{
    bool known = c->rank != LG_NO_NAME;
    lg_jw_begin_object(f->w);
    lg_jw_member_str(f->w, "class", known ? f->view->failures[c->rank] : LG_STR("unclassified"));
    lg_jw_member_uint(f->w, "n", c->n);
    lg_stats_write_number(f->w, "percent", 100 * lg_share((double)c->n, (double)of));
    lg_jw_end_object(f->w);
}

static size_t count_classes(uint32_t *ranks, size_t count, class_count *classes)
{
    size_t differ = 0;
    qsort(ranks, count, sizeof(*ranks), by_rank);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || ranks[i] != ranks[i - 1]) {
            classes[differ++] = (class_count){ranks[i], 0};
        }
        classes[differ - 1].n++;
    }
    qsort(classes, differ, sizeof(*classes), by_count);
    return differ;
}

// The members `n` and `classes` of the items that failed so.
static bool write_classes(failures *f, size_t from, size_t to, failing which)
{
    lg_stats_view *v = f->view;
    size_t count = 0;
    lg_arena_mark mark = lg_arena_mark_here(&v->scratch);
    for (size_t i = from; i < to; i++) {
        const lg_stats_row *row = v->items[i].row;
        if (failing_of(row) == which) {
            f->ranks[count++] =
                row->failure == LG_NO_NAME ? LG_NO_NAME : v->failure_ranks[row->failure];
        }
    }
    class_count *classes = LG_NEW_ARRAY(&v->scratch, class_count, count + 1);
    if (!classes) {
        return false;
    }
    size_t differ = count_classes(f->ranks, count, classes);
    lg_jw_member_uint(f->w, "n", count);
    lg_jw_key(f->w, "classes");
    lg_jw_begin_array(f->w);
    for (size_t i = 0; i < differ; i++) {
        write_class(f, &classes[i], count);
    }
    lg_jw_end_array(f->w);
    lg_arena_rewind(&v->scratch, mark);
    return true;
}

static bool write_kind(failures *f, const char *key, failing which)
{
    const lg_stats_view *v = f->view;
    lg_jw_key(f->w, key);
    lg_jw_begin_object(f->w);
    bool ok = write_classes(f, 0, v->count, which);
    if (!ok) {
        return false;
    }
    lg_jw_key(f->w, "by_group");
    lg_jw_begin_array(f->w);
    for (uint32_t i = 0; i < v->group_count && ok; i++) {
        lg_jw_begin_object(f->w);
        lg_stats_write_group(v, i, f->w);
        ok = write_classes(f, v->groups[i].from, v->groups[i].to, which);
        if (ok) {
            lg_jw_end_object(f->w);
        }
    }
    if (ok) {
        lg_jw_end_array(f->w);
        lg_jw_end_object(f->w);
    }
    return ok;
}

bool lg_stats_write_failures(lg_stats_view *view, lg_json_writer *w)
{
    failures f = {.view = view, .w = w};
    lg_arena_mark mark = lg_arena_mark_here(&view->scratch);
    f.ranks = LG_NEW_ARRAY(&view->scratch, uint32_t, view->count + 1);
    bool ok = f.ranks != NULL;
    lg_jw_key(w, "failures");
    lg_jw_begin_object(w);
    ok = ok && write_kind(&f, "by_reward", FAILED_BY_REWARD) &&
         write_kind(&f, "by_outcome", FAILED_BY_OUTCOME);
    if (ok) {
        lg_jw_end_object(w);
    }
    lg_arena_rewind(&view->scratch, mark);
    return ok;
}
