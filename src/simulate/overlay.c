// overlay.c: one value over another, as far as the schema lets it.
//
// All at once is tried first, and is nearly always valid. Else the members are tried one by one, those of inner objects
// where an outer one as a whole is not valid, and the elements of lists each by itself.
#include "simulate/open_world_internal.h"

#define GRAFT_DEPTH_MAX 8u

// --- Objects ------------------------------------------------------------------------------------

static lg_json copy_members(lg_arena *arena, const lg_json *object, lg_str without,
                            const lg_json_member *more, bool *oom)
{
    size_t count = lg_json_is(object, LG_JSON_OBJECT) ? lg_json_len(object) : 0;
    lg_json_member *members = lg_json_alloc_members(arena, count + 1);
    size_t used = 0;
    bool placed = more == NULL;
    if (!members) {
        *oom = true;
        return lg_json_make_null();
    }
    for (size_t i = 0; i < count; i++) {
        lg_json_member member = *lg_json_member_at(object, i);
        if (!lg_str_eq(lg_json_key(&member), without)) {
            members[used++] = member;
        } else if (more) {
            members[used++] = *more;
            placed = true;
        }
    }
    if (!placed) {
        members[used++] = *more;
    }
    return lg_json_make_object(members, used);
}

lg_json ow_with(lg_arena *arena, const lg_json *object, lg_str key, lg_json value, bool *oom)
{
    lg_json_member member = lg_json_make_member(key, value);
    return copy_members(arena, object, key, &member, oom);
}

lg_json ow_without(lg_arena *arena, const lg_json *object, lg_str key, bool *oom)
{
    return lg_json_get(object, key) ? copy_members(arena, object, key, NULL, oom) : *object;
}

lg_json ow_put_at(lg_arena *arena, const lg_json *root, const ow_path *path, lg_json value,
                  bool *oom)
{
    if (path->count == 0) {
        return value;
    }
    if (path->count == 2) {
        const lg_json *inner = lg_json_get(root, path->names[0]);
        value = ow_with(arena, inner, path->names[1], value, oom);
    }
    return ow_with(arena, root, path->names[0], value, oom);
}

const lg_json *ow_get_near(const lg_json *object, lg_str name, size_t index)
{
    if (lg_json_is(object, LG_JSON_OBJECT) && index < lg_json_len(object) &&
        object->offset != LG_JSON_MAPPED) {
        const lg_json_member *member = lg_json_member_at(object, index);
        if (lg_str_eq(lg_json_key(member), name)) {
            return &member->value;
        }
    }
    return lg_json_get(object, name);
}

static lg_json lay_over(lg_arena *arena, const lg_json *under, const lg_json *over, bool add,
                        bool *oom)
{
    size_t count = lg_json_is(under, LG_JSON_OBJECT) ? lg_json_len(under) : 0;
    size_t more = lg_json_is(over, LG_JSON_OBJECT) ? lg_json_len(over) : 0;
    lg_json_member *members = lg_json_alloc_members(arena, count + more);
    if (!members) {
        *oom = true;
        return lg_json_make_null();
    }
    for (size_t i = 0; i < count; i++) {
        members[i] = *lg_json_member_at(under, i);
        const lg_json *value = more ? ow_get_near(over, lg_json_key(&members[i]), i) : NULL;
        members[i].value = value ? *value : members[i].value;
    }
    for (size_t i = 0; i < more && add; i++) {
        const lg_json_member *member = lg_json_member_at(over, i);
        if (!ow_get_near(under, lg_json_key(member), i)) {
            members[count++] = *member;
        }
    }
    return lg_json_make_object(members, count);
}

lg_json ow_merge(lg_arena *arena, const lg_json *under, const lg_json *over, bool *oom)
{
    return lay_over(arena, under, over, true, oom);
}

lg_json ow_replace(lg_arena *arena, const lg_json *under, const lg_json *over, bool *oom)
{
    return lay_over(arena, under, over, false, oom);
}

// --- Grafting -----------------------------------------------------------------------------------

typedef struct graft {
    lg_arena *arena;
    const lg_schema *schema;
    lg_budget *budget;
    lg_json root;                  // valid
    lg_str steps[GRAFT_DEPTH_MAX]; // the members that lead to what is tried
    size_t depth;
    uint32_t tries;
    bool oom;
} graft;

// `node` with `value` (NULL: nothing) where the steps from `at` on lead.
static lg_json rebuild(graft *g, const lg_json *node, size_t at, const lg_json *value)
{
    if (at == g->depth) {
        return *value;
    }
    lg_str key = g->steps[at];
    if (at + 1 == g->depth && !value) {
        return ow_without(g->arena, node, key, &g->oom);
    }
    const lg_json *inner = lg_json_get(node, key);
    static const lg_json nothing = {.type = LG_JSON_NULL, .offset = LG_JSON_NO_OFFSET};
    lg_json made = rebuild(g, inner ? inner : &nothing, at + 1, value);
    return ow_with(g->arena, node, key, made, &g->oom);
}

// Does it stay valid with `value` there? Then it is.
static bool try_value(graft *g, const lg_json *value)
{
    if (g->tries >= OW_TRIES_MAX || lg_budget_is_spent(g->budget) || g->oom) {
        return false;
    }
    g->tries++;
    lg_json root = rebuild(g, &g->root, 0, value);
    if (g->oom || !lg_schema_validate_within(g->schema, &root, NULL, g->budget)) {
        return false;
    }
    g->root = root;
    return true;
}

static void graft_list(graft *g, const lg_json *base, const lg_json *target)
{
    size_t count = lg_json_len(target);
    size_t least = lg_json_len(base);
    lg_json *items = LG_NEW_ARRAY(g->arena, lg_json, count + least + 1);
    if (!items) {
        g->oom = true;
        return;
    }
    lg_copy_bytes(items, target->as.items, count * sizeof(*items));
    lg_json shorter = lg_json_make_array(items, count < least ? count : least);
    if (try_value(g, &shorter)) {
        return;
    }
    size_t used = 0; // those that can stand there, alone or with what was
    lg_json before = g->root;
    for (size_t i = 0; i < count && g->tries < OW_TRIES_MAX; i++) {
        lg_copy_bytes(items + used + 1, base->as.items + (least ? 1 : 0),
                      (least ? least - 1 : 0) * sizeof(*items));
        items[used] = target->as.items[i];
        lg_json probe = lg_json_make_array(items + used, least ? least : 1);
        used += try_value(g, &probe) ? 1 : 0;
        g->root = before;
    }
    lg_json all = lg_json_make_array(items, used);
    lg_json some = lg_json_make_array(items, used < least ? used : least);
    if (!try_value(g, &all) && !try_value(g, &some) && used < least) {
        lg_copy_bytes(items + used, base->as.items + used, (least - used) * sizeof(*items));
        lg_json padded = lg_json_make_array(items, least);
        (void)try_value(g, &padded);
    }
}

static void graft_object(graft *g, const lg_json *base, const lg_json *target)
{
    size_t depth = g->depth++;
    for (size_t i = 0; i < lg_json_len(target); i++) {
        const lg_json_member *member = lg_json_member_at(target, i);
        const lg_json *old = lg_json_get(base, lg_json_key(member));
        g->steps[depth] = lg_json_key(member);
        if ((old && lg_json_equal(old, &member->value)) || try_value(g, &member->value) || !old ||
            g->depth >= GRAFT_DEPTH_MAX) {
            continue;
        }
        if (lg_json_is(&member->value, LG_JSON_NULL)) {
            (void)try_value(g, NULL); // what may not be null is absent
            continue;
        }
        if (lg_json_is(old, LG_JSON_OBJECT) && lg_json_is(&member->value, LG_JSON_OBJECT)) {
            graft_object(g, old, &member->value);
        } else if (lg_json_is(old, LG_JSON_ARRAY) && lg_json_is(&member->value, LG_JSON_ARRAY)) {
            graft_list(g, old, &member->value);
        }
    }
    for (size_t i = 0; i < lg_json_len(base); i++) {
        g->steps[depth] = lg_json_key(lg_json_member_at(base, i));
        if (!lg_json_get(target, g->steps[depth])) {
            (void)try_value(g, NULL);
        }
    }
    g->depth = depth;
}

lg_json ow_graft(lg_arena *arena, const lg_schema *schema, lg_budget *budget, const lg_json *base,
                 const lg_json *target, bool *oom)
{
    if (!schema || lg_schema_validate_within(schema, target, NULL, budget)) {
        return *target;
    }
    graft g = {.arena = arena, .schema = schema, .budget = budget, .root = *base};
    if (lg_json_is(base, LG_JSON_OBJECT) && lg_json_is(target, LG_JSON_OBJECT)) {
        graft_object(&g, base, target);
    } else if (lg_json_is(base, LG_JSON_ARRAY) && lg_json_is(target, LG_JSON_ARRAY)) {
        graft_list(&g, base, target);
    }
    *oom = *oom || g.oom;
    return g.root;
}
