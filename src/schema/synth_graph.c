// synth_graph.c: what can be said of every schema before anything is made.
//
// Two fixed points over the graph of nodes. Types: which ones an instance may have, narrowed until
// nothing changes. Height: how many levels the lowest instance has; a schema that only leads back to
// itself never gets one. The heights end the recursion of the makers: where an instance has grown
// deep, the branch with the lowest height is the way out.
//
// Both are estimates that steer choices (a value is checked in any case), so they look at single
// nodes and not at their combinations.
#include "schema/synth_internal.h"

static lg_str key_of(const node *const *n)
{
    return lg_str_of((const char *)n, sizeof(*n));
}

node_info *lg_synth_info(const synth *s, const node *n)
{
    return lg_table_get(&s->infos, key_of(&n));
}

// --- All nodes ------------------------------------------------------------------------------------

static bool add(synth *s, const node *n)
{
    if (!n || lg_synth_info(s, n)) {
        return true;
    }
    node_info *info = LG_NEW(&s->arena, node_info);
    node_info **list =
        lg_arena_grow(&s->arena, s->list, s->list_count, &s->list_capacity, sizeof(*list));
    if (!info || !list) {
        return false;
    }
    *info = (node_info){.n = n, .height = LG_SYNTH_HEIGHT_NONE, .types = TYPE_ANY};
    s->list = list;
    s->list[s->list_count++] = info;
    // The map keeps its keys by reference: the pointer inside the info is one that stays.
    return lg_table_put(&s->arena, &s->infos, key_of(&info->n), info);
}

static bool add_list(synth *s, node_list list)
{
    bool ok = true;
    for (size_t i = 0; i < list.count && ok; i++) {
        ok = add(s, list.items[i]);
    }
    return ok;
}

static bool add_logic(synth *s, const logic_rules *l)
{
    return add(s, l->ref) && add(s, l->dynamic_ref) && add_list(s, l->all) && add_list(s, l->any) &&
           add_list(s, l->one) && add(s, l->negated) && add(s, l->condition) &&
           add(s, l->then_branch) && add(s, l->else_branch);
}

static bool add_array(synth *s, const array_rules *a)
{
    return add_list(s, (node_list){a->prefix, a->prefix_count}) && add(s, a->rest) &&
           add(s, a->contains) && add(s, a->unevaluated);
}

static bool add_object(synth *s, const object_rules *o)
{
    bool ok = add(s, o->additional) && add(s, o->names) && add(s, o->unevaluated);
    for (size_t i = 0; i < o->property_count && ok; i++) {
        ok = add(s, o->properties[i].schema);
    }
    for (size_t i = 0; i < o->pattern_count && ok; i++) {
        ok = add(s, o->patterns[i].schema);
    }
    for (size_t i = 0; i < o->dependency_count && ok; i++) {
        ok = add(s, o->dependencies[i].schema);
    }
    return ok;
}

static bool collect(synth *s)
{
    bool ok = add(s, s->schema->root);
    for (size_t i = 0; i < s->list_count && ok; i++) {
        const node *n = s->list[i]->n;
        ok = (!n->logic || add_logic(s, n->logic)) && (!n->array || add_array(s, n->array)) &&
             (!n->object || add_object(s, n->object));
    }
    return ok;
}

// --- Types ----------------------------------------------------------------------------------------

static uint32_t own_types(const node *n)
{
    uint32_t types = n->refuses ? 0 : n->types ? n->types : (uint32_t)TYPE_ANY;
    types |= types & TYPE_NUMBER ? (uint32_t)TYPE_INTEGER : 0;
    if (n->value && n->value->constant) {
        types &= lg_type_of_value(n->value->constant);
    }
    if (n->value && n->value->allowed) {
        uint32_t found = 0;
        for (size_t i = 0; i < n->value->allowed->len; i++) {
            found |= lg_type_of_value(&n->value->allowed->as.items[i]);
        }
        types &= found;
    }
    return types;
}

static uint32_t types_of(const synth *s, const node *n)
{
    const node_info *info = n ? lg_synth_info(s, n) : NULL;
    return info ? info->types : (uint32_t)TYPE_ANY;
}

static uint32_t any_types(const synth *s, node_list list)
{
    uint32_t types = list.count ? 0 : (uint32_t)TYPE_ANY;
    for (size_t i = 0; i < list.count; i++) {
        types |= types_of(s, list.items[i]);
    }
    return types;
}

// A reference that the dynamic scope decides may lead anywhere.
static const node *dynamic_target(const logic_rules *l)
{
    return l->dynamic_name.len ? NULL : l->dynamic_ref;
}

static bool narrow_types(const synth *s, node_info *info)
{
    uint32_t types = info->types & own_types(info->n);
    const logic_rules *l = info->n->logic;
    if (l) {
        types &= types_of(s, l->ref) & types_of(s, dynamic_target(l));
        for (size_t i = 0; i < l->all.count; i++) {
            types &= types_of(s, l->all.items[i]);
        }
        types &= any_types(s, l->any) & any_types(s, l->one);
    }
    bool changed = types != info->types;
    info->types = types;
    return changed;
}

// --- Heights --------------------------------------------------------------------------------------

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t height_of(const synth *s, const node *n)
{
    const node_info *info = n ? lg_synth_info(s, n) : NULL;
    return info ? info->height : 0;
}

static uint32_t lowest(const synth *s, node_list list)
{
    uint32_t height = list.count ? LG_SYNTH_HEIGHT_NONE : 0;
    for (size_t i = 0; i < list.count; i++) {
        height = smaller(height, height_of(s, list.items[i]));
    }
    return height;
}

static uint32_t object_height(const synth *s, const node *n)
{
    uint32_t height = 0;
    for (size_t i = 0; n->object && i < n->object->property_count; i++) {
        const property *p = &n->object->properties[i];
        height = p->required ? larger(height, height_of(s, p->schema)) : height;
    }
    return height + 1;
}

static uint32_t array_height(const synth *s, const node *n)
{
    const array_rules *a = n->array;
    uint32_t height = 0;
    for (size_t i = 0; a && i < a->prefix_count && i < a->items_min; i++) {
        height = larger(height, height_of(s, a->prefix[i]));
    }
    if (a && a->items_min > a->prefix_count) {
        height = larger(height, height_of(s, a->rest));
    }
    if (a && a->contains && a->contains_min > 0) {
        height = larger(height, height_of(s, a->contains));
    }
    return height + 1;
}

static uint32_t own_height(const synth *s, const node_info *info)
{
    const node *n = info->n;
    bool scalar = info->types & (uint32_t)(TYPE_ANY & ~(TYPE_OBJECT | TYPE_ARRAY));
    if (scalar || n->value) {
        return 0;
    }
    uint32_t height = LG_SYNTH_HEIGHT_NONE;
    if (info->types & TYPE_OBJECT) {
        height = object_height(s, n);
    }
    if (info->types & TYPE_ARRAY) {
        height = smaller(height, array_height(s, n));
    }
    return height;
}

static bool lower_height(const synth *s, node_info *info)
{
    // What has no type counts as low: it is found out where it stands, and named better there.
    uint32_t height = info->types ? own_height(s, info) : 0;
    const logic_rules *l = info->n->logic;
    if (l) {
        height = larger(height, larger(height_of(s, l->ref), height_of(s, dynamic_target(l))));
        for (size_t i = 0; i < l->all.count; i++) {
            height = larger(height, height_of(s, l->all.items[i]));
        }
        height = larger(height, larger(lowest(s, l->any), lowest(s, l->one)));
    }
    bool changed = height < info->height;
    info->height = smaller(height, info->height);
    return changed;
}

// --- The survey -----------------------------------------------------------------------------------

bool lg_synth_survey(synth *s)
{
    if (!collect(s)) {
        (void)lg_synth_no_memory(s);
        return false;
    }
    bool (*const passes[])(const synth *, node_info *) = {narrow_types, lower_height};
    for (size_t pass = 0; pass < LG_COUNT(passes); pass++) {
        // Backwards: what was found later is, more often than not, what the earlier ones wait for.
        for (bool changed = true; changed;) {
            changed = false;
            if (!lg_synth_spend(s, s->list_count)) {
                return false;
            }
            for (size_t i = s->list_count; i > 0; i--) {
                changed = passes[pass](s, s->list[i - 1]) || changed;
            }
        }
    }
    return true;
}
