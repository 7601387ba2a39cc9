// scope.c: see scope.h.
#include "stats/scope.h"

uint32_t lg_scope_place(const lg_stats_item *item, lg_scope scope)
{
    switch (scope) {
    case LG_OVERALL:
        return 0;
    case LG_BY_DOMAIN:
        return item->domain;
    case LG_BY_MODEL:
        return item->model;
    case LG_BY_GROUP:
        return item->group;
    }
    return 0;
}

size_t lg_scope_places(const lg_stats_view *view, lg_scope scope)
{
    switch (scope) {
    case LG_OVERALL:
        return 1;
    case LG_BY_DOMAIN:
        return view->stats->domains.count;
    case LG_BY_MODEL:
        return view->stats->models.count;
    case LG_BY_GROUP:
        return view->group_count;
    }
    return 0;
}

// Counted first, then put in place: two starts ahead, so that the starts are right when all are in place.
bool lg_places_of(lg_arena *arena, const lg_stats_view *view, lg_scope scope,
                  const uint32_t *chosen, size_t count, lg_places *ret)
{
    size_t places = lg_scope_places(view, scope);
    size_t *starts = LG_NEW_ARRAY(arena, size_t, places + 2);
    uint32_t *items = LG_NEW_ARRAY(arena, uint32_t, count + 1);
    if (!starts || !items) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        starts[lg_scope_place(&view->items[chosen ? chosen[i] : i], scope) + 2]++;
    }
    for (size_t i = 2; i < places + 2; i++) {
        starts[i] += starts[i - 1];
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t item = chosen ? chosen[i] : (uint32_t)i;
        items[starts[lg_scope_place(&view->items[item], scope) + 1]++] = item;
    }
    *ret = (lg_places){items, starts, places};
    return true;
}

void lg_stats_write_group(const lg_stats_view *view, uint32_t group, lg_json_writer *w)
{
    lg_jw_member_str(w, "domain", view->domains[view->groups[group].domain]);
    lg_jw_member_str(w, "model", view->models[view->groups[group].model]);
}

void lg_stats_write_number(lg_json_writer *w, const char *key, double value)
{
    lg_jw_member_double_or_null(w, key, isfinite(value), value);
}
