// uncompared.c: in what two packs differ, beside what is compared.
//
// The comparison is of verdicts: one ledger, one call. A pack also says how the ledger fills, what
// tools do, what an outdated record counts as, and how a conversation may run; a change there can
// make a gate stricter or looser without changing any such verdict. So whoever reads "equal" is told.
#include "prove/task.h"

typedef struct listing {
    task *t;
    lg_uncompared *items;
    size_t count, capacity;
} listing;

static void add(listing *l, lg_str what, const lg_json *newer, const lg_json *older)
{
    LG_DEBUG_ASSERT(newer || older);
    lg_uncompared *items =
        lg_arena_grow(l->t->arena, l->items, l->count, &l->capacity, sizeof(*items));
    if (!items || !what.ptr) {
        l->t->oom = true;
        return;
    }
    l->items = items;
    items[l->count++] = (lg_uncompared){
        .what = what, .offset = newer ? newer->offset : older->offset, .in_old = !newer};
}

static bool differs(const lg_json *a, const lg_json *b)
{
    return a && b ? !lg_json_equal(a, b) : a != b;
}

static void list_sections(listing *l, const lg_json *older, const lg_json *newer)
{
    static const char *const sections[] = {"conversation", "invariants", "state",
                                           "procedures",   "settle",     "define"};
    for (size_t i = 0; i < LG_COUNT(sections); i++) {
        const lg_json *a = lg_json_get(older, lg_str_c(sections[i]));
        const lg_json *b = lg_json_get(newer, lg_str_c(sections[i]));
        if (differs(a, b)) {
            add(l, lg_str_c(sections[i]), b, a);
        }
    }
}

// The tools of both packs; of one that only one pack has, everything has been said.
static void list_tools(listing *l, const lg_json *older, const lg_json *newer)
{
    static const char *const members[] = {"stores", "let",     "effects", "gives",
                                          "answer", "returns", "ensures"};
    for (size_t i = 0; i < lg_json_len(newer); i++) {
        lg_str name = lg_json_key(lg_json_member_at(newer, i));
        const lg_json *tool = &lg_json_member_at(newer, i)->value;
        const lg_json *old = lg_json_get(older, name);
        lg_str only = l->t->options.only;
        for (size_t k = 0; old && k < LG_COUNT(members); k++) {
            const lg_json *a = lg_json_get(old, lg_str_c(members[k]));
            const lg_json *b = lg_json_get(tool, lg_str_c(members[k]));
            if (differs(a, b) && (only.len == 0 || lg_str_eq(only, name))) {
                lg_str what = lg_arena_printf(l->t->arena, "%s of %.*s", members[k], LG_FMT(name));
                add(l, what, b, a);
            }
        }
    }
}

static const lg_rule *rule_called(const lg_pack *pack, lg_str id)
{
    for (size_t i = 0; i < pack->rule_count; i++) {
        if (lg_str_eq(pack->rules[i].id, id)) {
            return &pack->rules[i];
        }
    }
    return NULL;
}

// A rule may say what outdated records count as, or leave it to the pack.
static void list_stale(listing *l, const lg_pack *before, const lg_pack *after)
{
    const lg_json *rules = lg_json_get(after->document, LG_STR("rules"));
    for (size_t i = 0; i < after->rule_count; i++) {
        const lg_rule *rule = &after->rules[i];
        const lg_rule *old = rule_called(before, rule->id);
        if (old && old->stale != rule->stale) {
            lg_str what = lg_arena_printf(l->t->arena, "stale of %.*s", LG_FMT(rule->id));
            add(l, what, lg_json_get(rules, rule->id), NULL);
        }
    }
}

void list_uncompared(task *t, const lg_pack *before, const lg_pack *after, lg_difference *ret)
{
    listing l = {.t = t};
    list_sections(&l, before->document, after->document);
    list_tools(&l, lg_json_get(before->document, LG_STR("tools")),
               lg_json_get(after->document, LG_STR("tools")));
    list_stale(&l, before, after);
    ret->uncompared = l.items;
    ret->uncompared_count = l.count;
}
