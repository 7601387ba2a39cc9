// means.c: how many there are, how many passed, and the mean of each score: of all, by domain, by model, by both.
#include "stats/scope.h"

static void write_mean(lg_json_writer *w, lg_str key, double sum, uint64_t n)
{
    lg_jw_key_str(w, key);
    lg_jw_begin_object(w);
    lg_jw_member_uint(w, "n", n);
    lg_stats_write_number(w, "mean", lg_share(sum, (double)n));
    lg_jw_end_object(w);
}

typedef struct sums {
    uint64_t rewarded, passed, with_finding, found;
    double reward;
    double scores[LG_COLUMNS_MAX];
    uint64_t score_n[LG_COLUMNS_MAX];
} sums;

static uint64_t findings_of(const lg_stats_row *row)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < row->found_count; i++) {
        count += row->found[i].severity == LG_HINT ? 0 : row->found[i].count;
    }
    return count;
}

static void add(const lg_stats_view *v, const lg_stats_row *row, sums *s)
{
    uint64_t found = findings_of(row);
    s->found += found;
    s->with_finding += found > 0;
    if (!isnan(row->reward)) {
        s->rewarded++;
        s->reward += row->reward;
        s->passed += lg_stats_passed(row);
    }
    for (uint32_t i = 0; i < lg_stats_columns(v); i++) {
        double score = lg_stats_score(row, i);
        if (!isnan(score)) {
            s->scores[i] += score;
            s->score_n[i]++;
        }
    }
}

// The members of one place.
static void write_place(const lg_stats_view *v, const lg_places *places, size_t place,
                        lg_json_writer *w)
{
    sums s = {0};
    size_t n = places->starts[place + 1] - places->starts[place];
    for (size_t i = places->starts[place]; i < places->starts[place + 1]; i++) {
        add(v, v->items[places->items[i]].row, &s);
    }
    lg_jw_member_uint(w, "n", n);
    lg_jw_member_uint(w, "rewarded", s.rewarded);
    lg_jw_member_uint(w, "passed", s.passed);
    lg_stats_write_number(w, "pass_rate", lg_share((double)s.passed, (double)s.rewarded));
    write_mean(w, LG_STR("reward"), s.reward, s.rewarded);
    lg_jw_member_uint(w, "findings", s.found);
    lg_jw_member_uint(w, "with_finding", s.with_finding);
    lg_jw_key(w, "scores");
    lg_jw_begin_object(w);
    for (uint32_t i = 0; i < lg_stats_columns(v); i++) {
        uint32_t column = v->column_order[i];
        write_mean(w, lg_stats_column(v, column), s.scores[column], s.score_n[column]);
    }
    lg_jw_end_object(w);
}

static bool write_named(lg_stats_view *v, lg_json_writer *w, lg_scope scope, const char *key,
                        const lg_str *names)
{
    lg_places places;
    if (!lg_places_of(&v->scratch, v, scope, NULL, v->count, &places)) {
        return false;
    }
    lg_jw_key(w, key);
    lg_jw_begin_object(w);
    for (size_t i = 0; i < places.count; i++) {
        if (places.starts[i + 1] > places.starts[i]) {
            lg_jw_key_str(w, names[i]);
            lg_jw_begin_object(w);
            write_place(v, &places, i, w);
            lg_jw_end_object(w);
        }
    }
    lg_jw_end_object(w);
    return true;
}

static bool write_groups(lg_stats_view *v, lg_json_writer *w)
{
    lg_places places;
    if (!lg_places_of(&v->scratch, v, LG_BY_GROUP, NULL, v->count, &places)) {
        return false;
    }
    lg_jw_key(w, "by_group");
    lg_jw_begin_array(w);
    for (uint32_t i = 0; i < v->group_count; i++) {
        lg_jw_begin_object(w);
        lg_stats_write_group(v, i, w);
        lg_jw_member_uint(w, "tasks", v->groups[i].cell_to - v->groups[i].cell_from);
        write_place(v, &places, i, w);
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
    return true;
}

static bool write_overall(lg_stats_view *v, lg_json_writer *w)
{
    lg_places places;
    if (!lg_places_of(&v->scratch, v, LG_OVERALL, NULL, v->count, &places)) {
        return false;
    }
    lg_jw_key(w, "overall");
    lg_jw_begin_object(w);
    write_place(v, &places, 0, w);
    lg_jw_end_object(w);
    return true;
}

bool lg_stats_write_means(lg_stats_view *view, lg_json_writer *w)
{
    lg_arena_mark mark = lg_arena_mark_here(&view->scratch);
    bool ok = write_overall(view, w) &&
              write_named(view, w, LG_BY_DOMAIN, "by_domain", view->domains) &&
              write_named(view, w, LG_BY_MODEL, "by_model", view->models) && write_groups(view, w);
    lg_arena_rewind(&view->scratch, mark);
    return ok;
}
