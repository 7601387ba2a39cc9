// trend.c: what has changed since an earlier audit.
//
// The same recordings judged by two programs or packs are paired by conversation (`id` is of the content); else two sets of
// recordings by model and task, and if no model is in both, by task alone. Of each pair the difference of the means, and
// the mean of these over pairs; what might be chance is told by clustered.h. Kinds of findings are compared unpaired:
// the share of conversations that have one.
#include "stats/measures.h"
#include "stats/scope.h"

#include <stdlib.h>

// How results of two audits are paired, the closest first.
typedef enum pairing { BY_CONVERSATION, BY_MODEL_AND_TASK, BY_TASK, PAIRINGS } pairing;

static const char *const pairing_names[PAIRINGS] = {"conversation", "model_and_task", "task"};

typedef struct side {
    lg_stats_view *view;
    uint32_t *units; // of each item, or LG_NO_NAME
    double *sums;    // of each unit in the measure
    double *counts;
} side;

typedef struct trend {
    side before, after;
    lg_arena *scratch;
    lg_json_writer *w;
    pairing how;
    lg_names keys;
    uint32_t *clusters; // of each unit, of the later audit, or LG_NO_NAME
    size_t units;       // that both have
    lg_parts parts;
} trend;

// --- Pairing ----------------------------------------------------------------------------------------

static void add_part(lg_buf *key, lg_str part)
{
    lg_buf_addf(key, "%zu:", part.len); // so that two parts never read like two others
    lg_buf_add(key, part);
}

// What is the same of both of a pair; false: it can have no partner.
static bool add_key(lg_buf *key, const lg_stats_view *v, const lg_stats_item *item, pairing how)
{
    const lg_stats *s = v->stats;
    const lg_stats_row *row = item->row;
    lg_buf_clear(key);
    if (how == BY_CONVERSATION) {
        lg_buf_add(key, row->id);
        return true;
    }
    if (row->task == LG_NO_NAME) {
        return false;
    }
    add_part(key, s->domains.texts[row->domain]);
    add_part(key, s->tasks.texts[row->task]);
    if (how == BY_MODEL_AND_TASK) {
        add_part(key, s->models.texts[row->model]);
    }
    return true;
}

// Keys of the earlier audit are made, those of the later found.
static bool find_units(trend *t, side *s, bool make)
{
    lg_buf key;
    bool ok = true;
    lg_buf_init(&key, 0);
    for (size_t i = 0; i < s->view->count && ok; i++) {
        s->units[i] = LG_NO_NAME;
        if (add_key(&key, s->view, &s->view->items[i], t->how)) {
            ok = lg_buf_status(&key) == LG_OK;
            s->units[i] = make ? lg_names_put(t->scratch, &t->keys, lg_buf_str(&key))
                               : lg_names_find(&t->keys, lg_buf_str(&key));
            ok = ok && (!make || s->units[i] != LG_NO_NAME);
        }
    }
    lg_buf_done(&key);
    return ok;
}

static bool pair(trend *t)
{
    t->keys = (lg_names){0};
    t->units = 0;
    if (!find_units(t, &t->before, true) || !find_units(t, &t->after, false)) {
        return false;
    }
    t->clusters = LG_NEW_ARRAY(t->scratch, uint32_t, (size_t)t->keys.count + 1);
    if (!t->clusters) {
        return false;
    }
    for (uint32_t i = 0; i < t->keys.count; i++) {
        t->clusters[i] = LG_NO_NAME;
    }
    for (size_t i = 0; i < t->after.view->count; i++) {
        uint32_t unit = t->after.units[i];
        if (unit != LG_NO_NAME) {
            t->units += t->clusters[unit] == LG_NO_NAME;
            t->clusters[unit] = t->after.view->items[i].cluster;
        }
    }
    return true;
}

// The closest pairing in which at least half of the smaller audit has a partner, else the last that has any.
static bool find_pairing(trend *t)
{
    size_t smaller =
        t->before.view->count < t->after.view->count ? t->before.view->count : t->after.view->count;
    for (t->how = BY_CONVERSATION; pair(t); t->how++) {
        if (t->how == BY_TASK ||
            (t->how == BY_CONVERSATION ? t->units * 2 >= smaller && t->units : t->units > 0)) {
            return true;
        }
    }
    return false;
}

// --- Differences ------------------------------------------------------------------------------------

// The measure of the same name on the other side, or LG_NO_NAME.
static uint32_t measure_named(const lg_stats_view *v, lg_str name)
{
    for (uint32_t i = 0; i < lg_measures(v); i++) {
        if (lg_str_eq(lg_measure_name(v, i), name)) {
            return i;
        }
    }
    return LG_NO_NAME;
}

static void sum_units(const trend *t, side *s, uint32_t measure)
{
    memset(s->sums, 0, t->keys.count * sizeof(*s->sums));
    memset(s->counts, 0, t->keys.count * sizeof(*s->counts));
    for (size_t i = 0; i < s->view->count; i++) {
        double value = lg_measure_of(s->view, s->view->items[i].row, measure);
        if (s->units[i] != LG_NO_NAME && !isnan(value)) {
            s->sums[s->units[i]] += value;
            s->counts[s->units[i]] += 1;
        }
    }
}

static bool write_measure(trend *t, uint32_t measure, uint32_t other)
{
    lg_difference d = {.first = "before", .second = "after"};
    sum_units(t, &t->before, other);
    sum_units(t, &t->after, measure);
    lg_parts_clear(&t->parts);
    for (uint32_t i = 0; i < t->keys.count; i++) {
        if (t->before.counts[i] > 0 && t->after.counts[i] > 0) {
            double before = t->before.sums[i] / t->before.counts[i];
            double after = t->after.sums[i] / t->after.counts[i];
            d.first_sum += before;
            d.second_sum += after;
            lg_parts_add(&t->parts, t->clusters[i], after - before);
        }
    }
    if (!lg_clustered_of(t->scratch, t->parts.parts, t->parts.count, t->after.view->resamples, true,
                         &d.of)) {
        return false;
    }
    lg_jw_key_str(t->w, lg_measure_name(t->after.view, measure));
    lg_jw_begin_object(t->w);
    lg_jw_member_uint(t->w, "pairs", (uint64_t)d.of.n);
    lg_difference_write(t->w, &d);
    lg_jw_end_object(t->w);
    return true;
}

static bool write_measures(trend *t)
{
    const lg_stats_view *after = t->after.view;
    lg_jw_key(t->w, "measures");
    lg_jw_begin_object(t->w);
    for (uint32_t i = 0; i < lg_measures(after); i++) {
        uint32_t other = measure_named(t->before.view, lg_measure_name(after, i));
        if (other != LG_NO_NAME && !write_measure(t, i, other)) {
            return false;
        }
    }
    lg_jw_end_object(t->w);
    return true;
}

// --- Kinds ------------------------------------------------------------------------------------------

typedef struct kind_count {
    uint64_t conversations, findings;
} kind_count;

// Of each rank of a kind's name. A row has one entry a kind and severity, in the order of kinds.
static kind_count *count_kinds(lg_stats_view *v, lg_arena *arena)
{
    kind_count *counts = LG_NEW_ARRAY(arena, kind_count, (size_t)v->stats->kinds.count + 1);
    for (size_t i = 0; counts && i < v->count; i++) {
        const lg_stats_row *row = v->items[i].row;
        for (uint32_t k = 0; k < row->found_count; k++) {
            kind_count *c = &counts[v->kind_ranks[row->found[k].kind]];
            c->conversations += k == 0 || row->found[k - 1].kind != row->found[k].kind;
            c->findings += row->found[k].count;
        }
    }
    return counts;
}

static void write_side(const trend *t, const char *key, kind_count c, size_t of)
{
    lg_jw_key(t->w, key);
    lg_jw_begin_object(t->w);
    lg_jw_member_uint(t->w, "conversations", c.conversations);
    lg_jw_member_uint(t->w, "findings", c.findings);
    lg_stats_write_number(t->w, "share", lg_share((double)c.conversations, (double)of));
    lg_jw_end_object(t->w);
}

static void write_kind(const trend *t, lg_str name, kind_count before, kind_count after)
{
    size_t n = t->before.view->count;
    size_t m = t->after.view->count;
    lg_jw_begin_object(t->w);
    lg_jw_member_str(t->w, "kind", name);
    write_side(t, "before", before, n);
    write_side(t, "after", after, m);
    lg_stats_write_number(t->w, "difference",
                          lg_share((double)after.conversations, (double)m) -
                              lg_share((double)before.conversations, (double)n));
    lg_jw_end_object(t->w);
}

// Both lists are sorted by name: one walk over the two.
static bool write_kinds(trend *t)
{
    const lg_stats_view *v = t->before.view;
    const lg_stats_view *u = t->after.view;
    const kind_count *before = count_kinds(t->before.view, t->scratch);
    const kind_count *after = count_kinds(t->after.view, t->scratch);
    if (!before || !after) {
        return false;
    }
    lg_jw_key(t->w, "kinds");
    lg_jw_begin_array(t->w);
    for (uint32_t i = 0, k = 0; i < v->stats->kinds.count || k < u->stats->kinds.count;) {
        int order = i == v->stats->kinds.count   ? 1
                    : k == u->stats->kinds.count ? -1
                                                 : lg_str_cmp(v->kinds[i], u->kinds[k]);
        kind_count none = {0, 0};
        write_kind(t, order <= 0 ? v->kinds[i] : u->kinds[k], order <= 0 ? before[i] : none,
                   order >= 0 ? after[k] : none);
        i += order <= 0;
        k += order >= 0;
    }
    lg_jw_end_array(t->w);
    return true;
}

// --- The whole --------------------------------------------------------------------------------------

static bool begin_side(side *s, lg_stats_view *view, lg_arena *arena, size_t most)
{
    *s = (side){view, LG_NEW_ARRAY(arena, uint32_t, view->count + 1),
                LG_NEW_ARRAY(arena, double, most + 1), LG_NEW_ARRAY(arena, double, most + 1)};
    return s->units && s->sums && s->counts;
}

static bool write_all(trend *t, lg_stats_view *before, lg_stats_view *after)
{
    size_t most = before->count; // units
    if (!begin_side(&t->before, before, t->scratch, most) ||
        !begin_side(&t->after, after, t->scratch, most) || !find_pairing(t) ||
        !lg_parts_init(t->scratch, &t->parts, after->cluster_count)) {
        return false;
    }
    lg_jw_key(t->w, "trend");
    lg_jw_begin_object(t->w);
    lg_jw_member_c(t->w, "paired_by", pairing_names[t->how]);
    lg_jw_member_uint(t->w, "before", before->count);
    lg_jw_member_uint(t->w, "after", after->count);
    lg_jw_member_uint(t->w, "paired", t->units);
    bool ok = write_measures(t) && write_kinds(t);
    if (ok) {
        lg_jw_end_object(t->w);
    }
    return ok;
}

bool lg_stats_write_trend(lg_stats_view *before, lg_stats_view *after, lg_json_writer *w)
{
    trend t = {.scratch = &after->scratch, .w = w};
    lg_arena_mark mark = lg_arena_mark_here(t.scratch);
    bool ok = write_all(&t, before, after);
    lg_arena_rewind(t.scratch, mark);
    return ok;
}
