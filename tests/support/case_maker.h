// case_maker.h: ledgers and calls that matter to the rules of a pack, by seed.
//
// States made of nothing lack whatever a rule asks for. So there are cases to start from: recorded
// conversations up to each write, and instances of the pack's own schemas. They are changed a little:
// a field gets another value that was seen in a field of that name, a number is off by one, a record
// is gone. What no longer fits the pack's types is made again.
#ifndef LG_CASE_MAKER_H
#define LG_CASE_MAKER_H

#include "gate/gate.h"
#include "schema/synthesise.h"
#include "world/world.h"
#include "json/tree.h"

#include "json_fixture.h"

#define CASES_MAX 4096u
#define POOL_MAX 65536u
#define CHANGES_MAX 5u
#define ATTEMPTS 8u

typedef struct made_case {
    const lg_tool *tool;
    const lg_json *ledger;
    const lg_json *args;
} made_case;

typedef struct pooled { // A value that was seen in a field of this name.
    lg_str name;
    const lg_json *value;
} pooled;

typedef struct case_maker {
    const lg_pack *pack;
    lg_arena data; // of the cases to start from
    lg_arena work; // of the case at hand
    made_case *starts;
    size_t start_count, start_max;
    pooled *pool; // in order of the names
    size_t pool_count, pool_max;
    uint64_t random;
    size_t made_again;
    size_t broken_invariants;
} case_maker;

static inline uint64_t maker_random(case_maker *m, uint64_t below)
{
    m->random = m->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t x = m->random;
    x = (x ^ (x >> 31)) * UINT64_C(0x9E3779B97F4A7C15);
    return below ? (x >> 17) % below : 0;
}

static inline void *maker_need(void *given)
{
    if (!given) {
        printf("out of memory\n");
        exit(1);
    }
    return given;
}

static inline void maker_init_of(case_maker *m, const lg_pack *pack, uint64_t seed, size_t cases,
                                 size_t pool)
{
    *m = (case_maker){.pack = pack, .random = seed, .start_max = cases, .pool_max = pool};
    lg_arena_init(&m->data, 0);
    lg_arena_init(&m->work, 0);
    m->starts = maker_need(LG_NEW_ARRAY(&m->data, made_case, cases));
    m->pool = maker_need(LG_NEW_ARRAY(&m->data, pooled, pool));
}

static inline void maker_init(case_maker *m, const lg_pack *pack, uint64_t seed)
{
    maker_init_of(m, pack, seed, CASES_MAX, POOL_MAX);
}

static inline void maker_done(case_maker *m)
{
    lg_arena_done(&m->data);
    lg_arena_done(&m->work);
}

// --- What fits ------------------------------------------------------------------------------------

static inline bool record_fits(const lg_place *place, const lg_json *node, uint32_t depth)
{
    if (depth == place->segment_count) {
        return !node || !place->shape || lg_schema_validate(place->shape, node, NULL);
    }
    if (!lg_str_eq(place->segments[depth], LG_STR("*"))) {
        const lg_json *below = lg_json_get(node, place->segments[depth]);
        bool group = depth + 1 < place->segment_count;
        return (below ? !group || lg_json_is(below, LG_JSON_OBJECT) : !group) &&
               (!below || record_fits(place, below, depth + 1));
    }
    bool nested = depth + 1 < place->segment_count;
    for (size_t i = 0; i < lg_json_len(node); i++) {
        const lg_json *below = &lg_json_member_at(node, i)->value;
        // A level of keys is there only because some record lies below.
        bool empty = !lg_json_is(below, LG_JSON_OBJECT) || lg_json_len(below) == 0;
        if ((nested && empty) || !record_fits(place, below, depth + 1)) {
            return false;
        }
    }
    return lg_json_is(node, LG_JSON_OBJECT);
}

static inline bool is_outcome(lg_str became)
{
    static const char *const names[] = {"done", "unverified", "unknown", "pending"};
    bool is = false;
    for (size_t i = 0; i < LG_COUNT(names); i++) {
        is = is || lg_str_eq(became, lg_str_c(names[i]));
    }
    return is;
}

static inline bool history_fits(const lg_pack *pack, const lg_json *history)
{
    for (size_t i = 0; i < lg_json_len(history); i++) {
        const lg_json *past = lg_json_item(history, i);
        const lg_tool *tool = lg_pack_tool(pack, lg_json_str(lg_json_get(past, LG_STR("name"))));
        const lg_json *args = lg_json_get(past, LG_STR("args"));
        lg_str became = lg_json_str(lg_json_get(past, LG_STR("outcome")));
        if (lg_json_len(past) != 3 || !is_outcome(became) || !tool || tool->kind != LG_TOOL_WRITE ||
            tool->by_user || !args || !lg_schema_validate(tool->arguments, args, NULL)) {
            return false;
        }
    }
    return lg_json_is(history, LG_JSON_ARRAY);
}

static inline bool invariants_hold(case_maker *m, const lg_json *ledger)
{
    lg_cel_value values[LG_INVARIANT_SLOT_COUNT] = {lg_cel_from_json(ledger), lg_cel_make_null()};
    lg_cel_activation activation = {.values = values, .scratch = &m->work};
    for (size_t i = 0; i < m->pack->ledger_invariant_count; i++) {
        lg_cel_value v = lg_cel_eval(m->pack->ledger_invariants[i].that, &activation);
        if (v.kind != LG_CEL_BOOL || !v.as.boolean) {
            m->broken_invariants++;
            return false;
        }
    }
    return true;
}

// Could the ledger be one, and the arguments those of the tool?
static inline bool case_fits(case_maker *m, const made_case *c)
{
    const lg_pack *pack = m->pack;
    for (size_t i = 0; i < pack->ledger.count; i++) {
        if (!record_fits(&pack->ledger.items[i], c->ledger, 0)) {
            return false;
        }
    }
    return lg_schema_validate(c->tool->arguments, c->args, NULL) &&
           history_fits(pack, lg_json_get(c->ledger, LG_STR("history"))) &&
           invariants_hold(m, c->ledger);
}

// --- Pools ----------------------------------------------------------------------------------------

static inline void pool_values(case_maker *m, lg_str name, const lg_json *node)
{
    size_t count = lg_json_len(node);
    bool object = lg_json_is(node, LG_JSON_OBJECT);
    for (size_t i = 0; i < count; i++) {
        pool_values(m, object ? lg_json_key(lg_json_member_at(node, i)) : name,
                    object ? &lg_json_member_at(node, i)->value : lg_json_item(node, i));
    }
    if (m->pool_count < m->pool_max && node) {
        m->pool[m->pool_count++] = (pooled){name, node};
    }
}

static inline int pooled_order(const void *a, const void *b)
{
    const pooled *x = a;
    const pooled *y = b;
    size_t least = x->name.len < y->name.len ? x->name.len : y->name.len;
    int order = least ? memcmp(x->name.ptr, y->name.ptr, least) : 0;
    return order                        ? order
           : x->name.len != y->name.len ? (x->name.len < y->name.len ? -1 : 1)
           : x->value < y->value        ? -1
                                        : x->value > y->value;
}

static inline void add_start(case_maker *m, const lg_tool *tool, const lg_json *ledger,
                             const lg_json *args)
{
    made_case c = {tool, ledger, args};
    if (m->start_count < m->start_max && case_fits(m, &c)) {
        c.ledger = maker_need((void *)(uintptr_t)lg_json_copy(&m->data, ledger));
        c.args = maker_need((void *)(uintptr_t)lg_json_copy(&m->data, args));
        m->starts[m->start_count++] = c;
    }
    lg_arena_reset(&m->work);
}

// When all starts are there: from now on cases can be made.
static inline void maker_ready(case_maker *m)
{
    for (size_t i = 0; i < m->start_count; i++) {
        pool_values(m, LG_STR(""), m->starts[i].args);
    }
    // Of the ledgers as many as there is room for, spread over all.
    size_t step = m->start_count / 64 + 1;
    for (size_t from = 0; from < step; from++) {
        for (size_t i = from; i < m->start_count; i += step) {
            pool_values(m, LG_STR(""), m->starts[i].ledger);
        }
    }
    qsort(m->pool, m->pool_count, sizeof(*m->pool), pooled_order);
}

static inline const lg_json *pick_named(case_maker *m, lg_str name)
{
    const pooled wanted = {name, NULL};
    size_t low = 0;
    size_t high = m->pool_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (pooled_order(&m->pool[middle], &wanted) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    size_t end = low;
    while (end < m->pool_count && lg_str_eq(m->pool[end].name, name)) {
        end++;
    }
    return end > low ? m->pool[low + maker_random(m, end - low)].value : NULL;
}

// --- Changes --------------------------------------------------------------------------------------

static inline lg_json changed_text(case_maker *m, const lg_json *node, lg_str name)
{
    const lg_json *other = pick_named(m, name);
    lg_str text = lg_json_str(node);
    uint64_t way = maker_random(m, 8);
    if (way < 5 && other) {
        return *other;
    }
    if (way < 6 && m->pool_count) {
        const lg_json *any = m->pool[maker_random(m, m->pool_count)].value;
        return lg_json_is(any, LG_JSON_STRING) ? *any : *node;
    }
    if (way < 7 && text.len) { // a date on another day, an id that nobody has
        char *copy = maker_need(lg_arena_alloc(&m->work, text.len, 1));
        memcpy(copy, text.ptr, text.len);
        size_t at = maker_random(m, text.len);
        if (copy[at] >= '0' && copy[at] <= '9') {
            copy[at] = (char)('0' + maker_random(m, 10));
        }
        return lg_json_make_str((lg_str){copy, text.len});
    }
    return maker_random(m, 2) ? lg_json_make_str(LG_STR("")) : lg_json_make_null();
}

static inline lg_json changed_number(case_maker *m, const lg_json *node, lg_str name)
{
    double number = 0;
    const lg_json *other = pick_named(m, name);
    lg_json_double(node, &number);
    switch (maker_random(m, 8)) {
    case 0:
    case 1:
        return other ? *other : lg_json_make_int(1);
    case 2:
        return lg_json_make_double(number + 1);
    case 3:
        return lg_json_make_double(number - 1);
    case 4:
        return lg_json_make_double(number + 0.01);
    case 5:
        return lg_json_make_int(0);
    case 6:
        return lg_json_make_double(number * 64);
    default:
        return lg_json_make_double(-number);
    }
}

static inline lg_json changed_list(case_maker *m, const lg_json *node, lg_str name)
{
    size_t count = lg_json_len(node);
    lg_json *items = maker_need(LG_NEW_ARRAY(&m->work, lg_json, count + 2));
    size_t at = maker_random(m, count);
    uint64_t way = maker_random(m, 4);
    const lg_json *more = pick_named(m, name); // an item, or a whole list of this name
    size_t made = 0;
    for (size_t i = 0; i < count; i++) {
        if (way == 0 && i == at) {
            continue;
        }
        items[made++] = *lg_json_item(node, way == 1 ? count - 1 - i : i);
    }
    if (way == 2 && count) {
        items[made++] = *lg_json_item(node, at);
    } else if (way == 3 && more) {
        items[made++] = *more;
    }
    return lg_json_make_array(items, made);
}

static inline lg_json changed_object(case_maker *m, const lg_json *node)
{
    size_t count = lg_json_len(node);
    lg_json_member *members = maker_need(lg_json_alloc_members(&m->work, count + 1));
    size_t at = maker_random(m, count);
    size_t other = maker_random(m, count);
    uint64_t way = maker_random(m, 4);
    size_t made = 0;
    for (size_t i = 0; i < count; i++) {
        const lg_json_member *member = lg_json_member_at(node, i);
        if (way == 0 && i == at) {
            continue; // a record or an optional field is gone
        }
        bool swap = way == 1 && (i == at || i == other);
        const lg_json *value =
            swap ? &lg_json_member_at(node, i == at ? other : at)->value : &member->value;
        members[made++] = lg_json_make_member(lg_json_key(member), *value);
    }
    const lg_json *key = m->pool_count ? m->pool[maker_random(m, m->pool_count)].value : NULL;
    if (way == 2 && count && lg_json_is(key, LG_JSON_STRING) &&
        !lg_json_get(node, lg_json_str(key))) {
        members[made++] = lg_json_make_member(lg_json_str(key), lg_json_member_at(node, at)->value);
    } else if (way == 3 && count) { // all of one record as it was elsewhere
        lg_str name = lg_json_key(lg_json_member_at(node, at));
        const lg_json *value = pick_named(m, name);
        members[at] =
            lg_json_make_member(name, value ? *value : lg_json_member_at(node, at)->value);
    }
    return lg_json_make_object(members, made);
}

static inline lg_json changed(case_maker *m, const lg_json *node, lg_str name)
{
    if (lg_json_is(node, LG_JSON_OBJECT)) {
        return changed_object(m, node);
    }
    if (lg_json_is(node, LG_JSON_ARRAY)) {
        return changed_list(m, node, name);
    }
    if (lg_json_is(node, LG_JSON_BOOL)) {
        return lg_json_make_bool(!node->as.boolean);
    }
    if (lg_json_is_number(node)) {
        return changed_number(m, node, name);
    }
    const lg_json *other = pick_named(m, name);
    return lg_json_is(node, LG_JSON_STRING) ? changed_text(m, node, name) : other ? *other : *node;
}

static inline size_t count_nodes(const lg_json *node)
{
    size_t count = 1;
    for (size_t i = 0; i < lg_json_len(node); i++) {
        count += count_nodes(lg_json_is(node, LG_JSON_OBJECT) ? &lg_json_member_at(node, i)->value
                                                              : lg_json_item(node, i));
    }
    return count;
}

// A copy in which node number `target`, counted from the root down, is changed.
static inline lg_json with_change(case_maker *m, const lg_json *node, lg_str name, size_t target)
{
    size_t count = lg_json_len(node);
    bool object = lg_json_is(node, LG_JSON_OBJECT);
    if (target == 0 || count == 0) {
        return changed(m, node, name);
    }
    lg_json_member *members = object ? maker_need(lg_json_alloc_members(&m->work, count)) : NULL;
    lg_json *items = object ? NULL : maker_need(LG_NEW_ARRAY(&m->work, lg_json, count));
    size_t left = target - 1;
    bool done = false;
    for (size_t i = 0; i < count; i++) {
        const lg_json *child = object ? &lg_json_member_at(node, i)->value : lg_json_item(node, i);
        lg_str key = object ? lg_json_key(lg_json_member_at(node, i)) : name;
        size_t size = done ? 0 : count_nodes(child);
        bool here = !done && left < size;
        lg_json value = here || !child ? with_change(m, child, key, left) : *child;
        left -= done || here ? 0 : size;
        done = done || here;
        if (object) {
            members[i] = lg_json_make_member(key, value);
        } else {
            items[i] = value;
        }
    }
    return object ? lg_json_make_object(members, count) : lg_json_make_array(items, count);
}

// What one rule of the tool reads of the case: a node of its ledger or of its arguments, or NULL.
static inline const lg_json *pick_read(case_maker *m, const made_case *c)
{
    lg_cel_read reads[64];
    lg_cel_read_log log = {.items = reads, .capacity = LG_COUNT(reads)};
    size_t slots = LG_SLOT_COUNT + m->pack->let_max;
    lg_cel_value *values = maker_need(LG_NEW_ARRAY(&m->work, lg_cel_value, slots));
    lg_cel_activation activation = {.values = values, .scratch = &m->work, .log = &log};
    const lg_rule *rule = &m->pack->rules[c->tool->rules[maker_random(m, c->tool->rule_count)]];
    values[LG_SLOT_LEDGER] = lg_cel_from_json(c->ledger);
    values[LG_SLOT_ARGS] = lg_cel_from_json(c->args);
    values[LG_SLOT_NOW] = lg_cel_make_timestamp(0, 0);
    values[LG_SLOT_TOOL] = lg_cel_make_str(c->tool->name);
    for (size_t i = 0; i < rule->let_count; i++) {
        values[LG_SLOT_COUNT + i] = lg_cel_eval(rule->lets[i].program, &activation);
        if (values[LG_SLOT_COUNT + i].kind == LG_CEL_ERROR) {
            values[LG_SLOT_COUNT + i] = lg_cel_make_null();
        }
    }
    if (rule->when) {
        lg_cel_eval(rule->when, &activation);
    }
    lg_cel_eval(rule->that, &activation);
    const lg_cel_read *read = log.count ? &reads[maker_random(m, log.count)] : NULL;
    return read ? (read->child ? read->child : read->parent) : NULL;
}

// The number of `wanted` below `node`, counted from the root down. False if it is not there.
static inline bool number_of_node(const lg_json *node, const lg_json *wanted, size_t *number)
{
    if (node == wanted) {
        return true;
    }
    ++*number;
    for (size_t i = 0; i < lg_json_len(node); i++) {
        if (number_of_node(lg_json_is(node, LG_JSON_OBJECT) ? &lg_json_member_at(node, i)->value
                                                            : lg_json_item(node, i),
                           wanted, number)) {
            return true;
        }
    }
    return false;
}

static inline const lg_json *change_at(case_maker *m, const lg_json *root, size_t number)
{
    lg_json *kept = maker_need(LG_NEW(&m->work, lg_json));
    *kept = with_change(m, root, LG_STR(""), number);
    return kept;
}

// Most changes are of something that a rule reads.
static inline void change(case_maker *m, made_case *c)
{
    const lg_json *read = maker_random(m, 4) ? pick_read(m, c) : NULL;
    size_t number = 0;
    if (read && number_of_node(c->args, read, &number)) {
        c->args = change_at(m, c->args, number);
        return;
    }
    number = 0;
    if (read && number_of_node(c->ledger, read, &number)) {
        c->ledger = change_at(m, c->ledger, number);
    } else if (maker_random(m, 3) == 0) {
        c->args = change_at(m, c->args, maker_random(m, count_nodes(c->args)));
    } else {
        c->ledger = change_at(m, c->ledger, maker_random(m, count_nodes(c->ledger)));
    }
}

// The same call was carried out before.
static inline void repeat(case_maker *m, made_case *c)
{
    lg_json *root = maker_need(LG_NEW(&m->work, lg_json));
    lg_json_member *members = maker_need(lg_json_alloc_members(&m->work, 2));
    lg_json history;
    members[0] = lg_json_make_member(LG_STR("name"), lg_json_make_str(c->tool->name));
    members[1] = lg_json_make_member(LG_STR("args"), *c->args);
    const lg_json *before = lg_json_get(c->ledger, LG_STR("history"));
    if (lg_tree_with_item(&m->work, before, lg_json_make_object(members, 2), &history) == LG_OK &&
        lg_tree_with_member(&m->work, c->ledger, LG_STR("history"), history, root) == LG_OK) {
        c->ledger = root;
    }
}

// One of the collections and records at the top was never read.
static inline void forget(case_maker *m, made_case *c)
{
    lg_json *root = maker_need(LG_NEW(&m->work, lg_json));
    size_t count = lg_json_len(c->ledger);
    lg_str name =
        count ? lg_json_key(lg_json_member_at(c->ledger, maker_random(m, count))) : LG_STR("");
    if (!lg_str_eq(name, LG_STR("history")) &&
        lg_tree_without_member(&m->work, c->ledger, name, root) == LG_OK) {
        c->ledger = root;
    }
}

// The next case, of any tool with rules; it lives in `work` until the one after it is made.
static inline made_case next_case(case_maker *m)
{
    lg_arena_reset(&m->work);
    const made_case *start = &m->starts[maker_random(m, m->start_count)];
    for (uint32_t i = 0; i < ATTEMPTS; i++) {
        made_case c = *start;
        if (maker_random(m, 8) == 0) {
            repeat(m, &c);
        }
        if (maker_random(m, 4) == 0) {
            forget(m, &c);
        }
        size_t changes = maker_random(m, CHANGES_MAX);
        for (size_t k = 0; k < changes; k++) {
            change(m, &c);
        }
        if (case_fits(m, &c)) {
            return c;
        }
        m->made_again++;
    }
    return *start;
}

// --- Cases to start from --------------------------------------------------------------------------

static inline bool has_rules(const lg_tool *tool)
{
    return tool && tool->kind == LG_TOOL_WRITE && !tool->by_user && tool->rule_count > 0;
}

static inline const lg_json *synthesised_or_null(case_maker *m, const lg_schema *schema,
                                                 uint64_t seed)
{
    const lg_json *made = NULL;
    lg_synthesis_options how = {.seed = seed, .made_up = true, .values = 400};
    return schema && lg_schema_synthesise_compiled(&m->work, schema, &how, &made, NULL) == LG_OK
               ? made
               : NULL;
}

// A key that a call may name: a text of the arguments, or one of a few others.
static inline lg_str synthesised_key(case_maker *m, const lg_json *args)
{
    size_t count = lg_json_len(args);
    const lg_json *value = count ? &lg_json_member_at(args, maker_random(m, count))->value : NULL;
    if (lg_json_is(value, LG_JSON_ARRAY)) {
        value = lg_json_item(value, 0);
    }
    if (lg_json_is(value, LG_JSON_STRING) && maker_random(m, 4)) {
        return lg_json_str(value);
    }
    return lg_arena_printf(&m->work, "k%u", (unsigned)maker_random(m, 4));
}

// Puts a record at its place, if the invariants then hold; if need be with its key in one of its
// fields, because most invariants say that a record knows its own key.
static inline void put_record(case_maker *m, lg_json *root, const lg_str *path, uint32_t count,
                              const lg_json *record)
{
    size_t fields = lg_json_is(record, LG_JSON_OBJECT) ? lg_json_len(record) : 0;
    for (size_t i = 0; i <= fields; i++) {
        lg_json made = *root;
        lg_json with_key = *record;
        lg_json key = lg_json_make_str(path[count - 1]);
        lg_status status = LG_OK;
        if (i > 0) {
            lg_str field = lg_json_key(lg_json_member_at(record, i - 1));
            status = lg_tree_with_member(&m->work, record, field, key, &with_key);
        }
        if (status == LG_OK &&
            lg_tree_with(&m->work, root, path, count, with_key, &made) == LG_OK &&
            invariants_hold(m, &made)) {
            *root = made;
            return;
        }
    }
}

// A ledger of made-up records, some of them under keys that the call names.
static inline const lg_json *synthesised_ledger(case_maker *m, const lg_json *args, uint64_t seed)
{
    lg_json *root = maker_need(LG_NEW(&m->work, lg_json));
    *root = *m->pack->ledger.root;
    for (size_t i = 0; i < m->pack->ledger.count; i++) {
        const lg_place *place = &m->pack->ledger.items[i];
        uint64_t records = maker_random(m, 4);
        for (uint64_t k = 0; k < records; k++) {
            lg_str path[LG_PATH_SEGMENTS_MAX];
            const lg_json *record = synthesised_or_null(m, place->shape, seed * 31 + k);
            for (uint32_t s = 0; s < place->segment_count; s++) {
                bool open = lg_str_eq(place->segments[s], LG_STR("*"));
                path[s] = open ? synthesised_key(m, args) : place->segments[s];
            }
            if (record) {
                put_record(m, root, path, place->segment_count, record);
            }
        }
    }
    return root;
}

static inline void start_from_schemas(case_maker *m, size_t a_tool)
{
    for (size_t i = 0; i < m->pack->tool_count; i++) {
        const lg_tool *tool = &m->pack->tools[i];
        for (size_t k = 0; k < a_tool && has_rules(tool); k++) {
            const lg_json *args = synthesised_or_null(m, tool->arguments, k + 1);
            if (args) {
                add_start(m, tool, synthesised_ledger(m, args, k + 1), args);
            }
        }
    }
}

// A call and its result, as it was recorded.
static inline void observe_recorded(lg_ledger *ledger, const lg_json *call, uint32_t turn)
{
    lg_error error;
    lg_observed observed;
    lg_ledger_call of = {
        .tool = lg_json_str(lg_json_get(call, LG_STR("name"))),
        .args = lg_json_get(call, LG_STR("arguments")),
        .result = lg_json_str(lg_json_get(call, LG_STR("result"))),
        .failed = lg_json_is_true(lg_json_get(call, LG_STR("error"))),
        .by_user = lg_str_eq(lg_json_str(lg_json_get(call, LG_STR("requestor"))), LG_STR("user")),
        .turn = turn};
    if (lg_ledger_observe(ledger, &of, &observed, &error) != LG_OK) {
        printf("%s\n", error.msg);
        exit(1);
    }
}

static inline void start_before(case_maker *m, const lg_ledger *ledger, const lg_json *call)
{
    const lg_tool *tool = lg_pack_tool(m->pack, lg_json_str(lg_json_get(call, LG_STR("name"))));
    if (has_rules(tool)) {
        add_start(m, tool, ledger->state.root, lg_json_get(call, LG_STR("arguments")));
    }
}

// Each write of a recorded conversation, and the ledger before it.
static inline void start_from_conversation(case_maker *m, lg_ledger *ledger, const lg_json *calls)
{
    lg_ledger_reset(ledger);
    for (size_t i = 0; i < lg_json_len(calls); i++) {
        start_before(m, ledger, lg_json_item(calls, i));
        observe_recorded(ledger, lg_json_item(calls, i), (uint32_t)i);
    }
}

static inline bool listed(const lg_json *numbers, int64_t number)
{
    for (size_t i = 0; i < lg_json_len(numbers); i++) {
        int64_t one;
        if (lg_json_int(lg_json_item(numbers, i), &one) && one == number) {
            return true;
        }
    }
    return false;
}

// A call that breaks a clause of the policy, at its place in the conversation `calls`.
static inline void start_from_violation(case_maker *m, lg_ledger *ledger, const lg_json *calls,
                                        const lg_json *violation)
{
    int64_t position = 0;
    const lg_json *extra = lg_json_get(violation, LG_STR("extra_calls"));
    const lg_json *omitted = lg_json_get(violation, LG_STR("omit"));
    lg_json_int(lg_json_get(violation, LG_STR("position")), &position);
    lg_ledger_reset(ledger);
    for (int64_t i = 0; i < position; i++) {
        if (!listed(omitted, i) && lg_json_item(calls, (size_t)i)) {
            observe_recorded(ledger, lg_json_item(calls, (size_t)i), (uint32_t)i);
        }
    }
    for (size_t i = 0; i < lg_json_len(extra); i++) {
        observe_recorded(ledger, lg_json_item(extra, i), (uint32_t)((size_t)position + i));
    }
    start_before(m, ledger, lg_json_get(violation, LG_STR("call")));
}

#endif
