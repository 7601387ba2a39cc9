// violations.c: what was found, by kind: in how many conversations, how often, how severe, and of which models.
#include "stats/scope.h"

#include <stdlib.h>

static const char *const severities[LG_SEVERITIES] = {"hint", "minor", "moderate", "severe"};

// What was found of one kind and severity in one conversation.
typedef struct hit {
    uint32_t kind;  // its rank
    uint32_t place; // in the scope that is being written
    uint32_t item;
    uint32_t severity, count;
} hit;

static int by_place(const void *a, const void *b)
{
    const hit *x = a;
    const hit *y = b;
    int order = (x->place > y->place) - (x->place < y->place);
    return order ? order : (x->item > y->item) - (x->item < y->item);
}

static int by_kind(const void *a, const void *b)
{
    const hit *x = a;
    const hit *y = b;
    int order = (x->kind > y->kind) - (x->kind < y->kind);
    return order ? order : (x->item > y->item) - (x->item < y->item);
}

typedef struct kind_sum {
    uint32_t kind;
    uint32_t worst;  // severity
    size_t from, to; // of its hits
    uint64_t conversations, passed, findings;
    uint64_t by_severity[LG_SEVERITIES];
} kind_sum;

// The most severe first, then in how many conversations, then by name.
static int by_weight(const void *a, const void *b)
{
    const kind_sum *x = a;
    const kind_sum *y = b;
    int order = (x->worst < y->worst) - (x->worst > y->worst);
    order = order ? order
                  : (x->conversations < y->conversations) - (x->conversations > y->conversations);
    return order ? order : (x->kind > y->kind) - (x->kind < y->kind);
}

typedef struct violations {
    lg_stats_view *view;
    lg_json_writer *w;
    hit *hits;
    size_t count;
    kind_sum *kinds;
    size_t kind_count;
    uint64_t *sizes[LG_BY_GROUP + 1]; // conversations of each place of a scope
    uint64_t passed;                  // conversations
} violations;

// --- Gathering --------------------------------------------------------------------------------------

static bool gather(violations *x)
{
    lg_stats_view *v = x->view;
    size_t count = 0;
    for (size_t i = 0; i < v->count; i++) {
        count += v->items[i].row->found_count;
        x->passed += lg_stats_passed(v->items[i].row);
    }
    x->hits = LG_NEW_ARRAY(&v->scratch, hit, count + 1);
    x->kinds = LG_NEW_ARRAY(&v->scratch, kind_sum, v->stats->kinds.count + 1);
    for (size_t i = 0; x->hits && i < v->count; i++) {
        const lg_stats_row *row = v->items[i].row;
        for (uint32_t k = 0; k < row->found_count; k++) {
            x->hits[x->count++] = (hit){v->kind_ranks[row->found[k].kind], 0, (uint32_t)i,
                                        row->found[k].severity, row->found[k].count};
        }
    }
    return x->hits && x->kinds;
}

static void sum_kinds(violations *x)
{
    qsort(x->hits, x->count, sizeof(*x->hits), by_kind);
    for (size_t i = 0; i < x->count; i++) {
        const hit *h = &x->hits[i];
        const hit *before = i ? &x->hits[i - 1] : NULL;
        bool fresh = !before || before->kind != h->kind;
        if (fresh) {
            x->kinds[x->kind_count++] = (kind_sum){.kind = h->kind, .from = i};
        }
        kind_sum *sum = &x->kinds[x->kind_count - 1];
        if (fresh || before->item != h->item) {
            sum->conversations++;
            sum->passed += lg_stats_passed(x->view->items[h->item].row);
        }
        sum->to = i + 1;
        sum->findings += h->count;
        sum->by_severity[h->severity] += h->count;
        sum->worst = h->severity > sum->worst ? h->severity : sum->worst;
    }
    qsort(x->kinds, x->kind_count, sizeof(*x->kinds), by_weight);
}

static bool count_places(violations *x, lg_scope scope)
{
    lg_stats_view *v = x->view;
    x->sizes[scope] = LG_NEW_ARRAY(&v->scratch, uint64_t, lg_scope_places(v, scope) + 1);
    for (size_t i = 0; x->sizes[scope] && i < v->count; i++) {
        x->sizes[scope][lg_scope_place(&v->items[i], scope)]++;
    }
    return x->sizes[scope] != NULL;
}

// --- Writing ----------------------------------------------------------------------------------------

static void write_counts(const violations *x, const hit *hits, size_t count, uint64_t of)
{
    uint64_t conversations = 0;
    uint64_t findings = 0;
    for (size_t i = 0; i < count; i++) {
        conversations += i == 0 || hits[i].item != hits[i - 1].item;
        findings += hits[i].count;
    }
    lg_jw_member_uint(x->w, "conversations", conversations);
    lg_jw_member_uint(x->w, "findings", findings);
    lg_stats_write_number(x->w, "share", lg_share((double)conversations, (double)of));
}

static void write_place(const violations *x, lg_scope scope, const hit *hits, size_t count)
{
    const lg_stats_view *v = x->view;
    uint32_t place = hits->place;
    if (scope == LG_BY_GROUP) {
        lg_jw_begin_object(x->w);
        lg_stats_write_group(v, place, x->w);
        lg_jw_member_uint(x->w, "n", x->sizes[scope][place]);
    } else {
        lg_jw_key_str(x->w, scope == LG_BY_DOMAIN ? v->domains[place] : v->models[place]);
        lg_jw_begin_object(x->w);
    }
    write_counts(x, hits, count, x->sizes[scope][place]);
    lg_jw_end_object(x->w);
}

static void write_scope(const violations *x, const kind_sum *sum, lg_scope scope, const char *key)
{
    size_t count = sum->to - sum->from;
    hit *hits = x->hits + sum->from;
    for (size_t i = 0; i < count; i++) {
        hits[i].place = lg_scope_place(&x->view->items[hits[i].item], scope);
    }
    qsort(hits, count, sizeof(*hits), by_place);
    lg_jw_key(x->w, key);
    if (scope == LG_BY_GROUP) {
        lg_jw_begin_array(x->w);
    } else {
        lg_jw_begin_object(x->w);
    }
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i; next < count && hits[next].place == hits[i].place; next++) {
        }
        write_place(x, scope, hits + i, next - i);
    }
    if (scope == LG_BY_GROUP) {
        lg_jw_end_array(x->w);
    } else {
        lg_jw_end_object(x->w);
    }
}

static void write_kind(const violations *x, const kind_sum *sum)
{
    lg_json_writer *w = x->w;
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "kind", x->view->kinds[sum->kind]);
    lg_jw_member_c(w, "severity", severities[sum->worst]);
    lg_jw_member_uint(w, "conversations", sum->conversations);
    lg_jw_member_uint(w, "findings", sum->findings);
    lg_stats_write_number(w, "share", lg_share((double)sum->conversations, (double)x->view->count));
    lg_jw_member_uint(w, "passed", sum->passed);
    lg_stats_write_number(w, "passed_share", lg_share((double)sum->passed, (double)x->passed));
    lg_jw_key(w, "by_severity");
    lg_jw_begin_object(w);
    for (uint32_t i = LG_SEVERITIES; i-- > 0;) {
        lg_jw_member_uint(w, severities[i], sum->by_severity[i]);
    }
    lg_jw_end_object(w);
    write_scope(x, sum, LG_BY_MODEL, "by_model");
    write_scope(x, sum, LG_BY_DOMAIN, "by_domain");
    write_scope(x, sum, LG_BY_GROUP, "by_group");
    lg_jw_end_object(w);
}

static bool has_finding(const lg_stats_row *row)
{
    for (uint32_t i = 0; i < row->found_count; i++) {
        if (row->found[i].severity != LG_HINT) {
            return true;
        }
    }
    return false;
}

// Of the conversations that passed, how many have a finding that is no hint: what a reward does not see.
static void write_passed(const violations *x, const lg_places *places, size_t place)
{
    uint64_t passed = 0;
    uint64_t found = 0;
    for (size_t i = places->starts[place]; i < places->starts[place + 1]; i++) {
        const lg_stats_row *row = x->view->items[places->items[i]].row;
        passed += lg_stats_passed(row);
        found += lg_stats_passed(row) && has_finding(row);
    }
    lg_jw_member_uint(x->w, "passed", passed);
    lg_jw_member_uint(x->w, "with_finding", found);
    lg_stats_write_number(x->w, "share", lg_share((double)found, (double)passed));
}

static bool write_passed_by(const violations *x, lg_scope scope, const char *key,
                            const lg_str *names)
{
    lg_places places;
    lg_stats_view *v = x->view;
    if (!lg_places_of(&v->scratch, v, scope, NULL, v->count, &places)) {
        return false;
    }
    if (scope == LG_OVERALL) {
        write_passed(x, &places, 0);
        return true;
    }
    lg_jw_key(x->w, key);
    lg_jw_begin_object(x->w);
    for (size_t i = 0; i < places.count; i++) {
        if (places.starts[i + 1] > places.starts[i]) {
            lg_jw_key_str(x->w, names[i]);
            lg_jw_begin_object(x->w);
            write_passed(x, &places, i);
            lg_jw_end_object(x->w);
        }
    }
    lg_jw_end_object(x->w);
    return true;
}

static bool write_all(violations *x)
{
    lg_stats_view *v = x->view;
    if (!gather(x) || !count_places(x, LG_BY_DOMAIN) || !count_places(x, LG_BY_MODEL) ||
        !count_places(x, LG_BY_GROUP)) {
        return false;
    }
    sum_kinds(x);
    lg_jw_key(x->w, "kinds");
    lg_jw_begin_array(x->w);
    for (size_t i = 0; i < x->kind_count; i++) {
        write_kind(x, &x->kinds[i]);
    }
    lg_jw_end_array(x->w);
    lg_jw_key(x->w, "passed_with_finding");
    lg_jw_begin_object(x->w);
    bool ok = write_passed_by(x, LG_OVERALL, "", NULL) &&
              write_passed_by(x, LG_BY_MODEL, "by_model", v->models) &&
              write_passed_by(x, LG_BY_DOMAIN, "by_domain", v->domains);
    if (ok) {
        lg_jw_end_object(x->w);
    }
    return ok;
}

bool lg_stats_write_violations(lg_stats_view *view, lg_json_writer *w)
{
    violations x = {.view = view, .w = w};
    lg_arena_mark mark = lg_arena_mark_here(&view->scratch);
    lg_jw_key(w, "violations");
    lg_jw_begin_object(w);
    bool ok = write_all(&x);
    if (ok) {
        lg_jw_end_object(w);
    }
    lg_arena_rewind(&view->scratch, mark);
    return ok;
}
