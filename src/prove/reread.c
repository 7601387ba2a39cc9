// reread.c: a ledger that shows a state as it is, because reads of that state have made it.
//
// A case that was found has a ledger and a state. For each record of the ledger a read is looked for
// which gives one at its place: with the record's keys as arguments, or with what else occurs in the
// record and the state. What the reads return is what the ledger then holds.
#include "prove/effects.h"
#include "prove/reads.h"
#include "json/tree.h"

#define TRIES_MAX 64u
#define TEXTS_MAX 64u
#define FILL_DEPTH_MAX 4u

typedef struct texts {
    lg_str items[TEXTS_MAX];
    size_t count;
} texts;

static void add_members(texts *all, const lg_json *value);

static void add_text(texts *all, lg_str text)
{
    for (size_t i = 0; i < all->count; i++) {
        if (lg_str_eq(all->items[i], text)) {
            return;
        }
    }
    if (all->count < TEXTS_MAX) {
        all->items[all->count++] = text;
    }
}

static void add_members(texts *all, const lg_json *value)
{
    for (size_t i = 0; lg_json_is(value, LG_JSON_OBJECT) && i < lg_json_len(value); i++) {
        const lg_json *member = &lg_json_member_at(value, i)->value;
        if (lg_json_is(member, LG_JSON_STRING)) {
            add_text(all, lg_json_str(member));
        }
    }
}

// Texts that an argument of the read may be: what stands in the record, and keys of the state.
static texts texts_of(const record *wanted, const lg_json *state)
{
    texts all = {.count = 0};
    for (uint32_t i = 0; i < wanted->place->segment_count; i++) {
        if (lg_str_eq(wanted->place->segments[i], LG_STR("*"))) {
            add_text(&all, wanted->path[i]);
        }
    }
    const lg_json *value = wanted->value;
    if (lg_json_is(value, LG_JSON_STRING)) {
        add_text(&all, lg_json_str(value));
    }
    add_members(&all, value);
    for (size_t i = 0; lg_json_is(state, LG_JSON_OBJECT) && i < lg_json_len(state); i++) {
        const lg_json *group = &lg_json_member_at(state, i)->value;
        for (size_t k = 0; lg_json_is(group, LG_JSON_OBJECT) && k < lg_json_len(group); k++) {
            add_text(&all, lg_json_key(lg_json_member_at(group, k)));
            add_members(&all, &lg_json_member_at(group, k)->value);
        }
    }
    return all;
}

// The key of the record that the store takes from this argument, or an empty text.
static lg_str key_of_argument(const lg_tool_store *store, const record *wanted, lg_str name)
{
    LG_DEBUG_ASSERT(store->to.place == wanted->place);
    for (uint32_t i = 0; i < store->to.segment_count && i < wanted->place->segment_count; i++) {
        if (lg_str_eq(store->to.segments[i].argument, name)) {
            return wanted->path[i];
        }
    }
    return LG_STR("");
}

// Attempt number `number` at the arguments: each that is no key runs through all texts. NULL: there
// are no more.
// The attempt's number is read as digits to the base of the number of texts, one digit an argument.
static const lg_json *arguments_of(lg_arena *arena, const lg_tool *tool, const lg_tool_store *store,
                                   const record *wanted, const texts *all, size_t number)
{
    const lg_json *required = lg_json_get(tool->parameters, LG_STR("required"));
    size_t count = lg_json_len(required);
    lg_json_member *members = lg_json_alloc_members(arena, count);
    lg_json *args = LG_NEW(arena, lg_json);
    if (!members || !args) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        lg_str name = lg_json_str(lg_json_item(required, i));
        lg_str text = key_of_argument(store, wanted, name);
        if (text.len == 0 && all->count) {
            text = all->items[number % all->count];
            number /= all->count;
        }
        members[i] = lg_json_make_member(name, lg_json_make_str(text));
    }
    *args = lg_json_make_object(members, count);
    return number ? NULL : args;
}

static bool is_of_type(const lg_json *schema, lg_str name)
{
    const lg_json *type = lg_json_get(schema, LG_STR("type"));
    return lg_json_is(type, LG_JSON_STRING) && lg_str_eq(lg_json_str(type), name) &&
           !lg_json_get(schema, LG_STR("enum")) && !lg_json_get(schema, LG_STR("pattern"));
}

static bool with_fields(bench *b, const lg_json *schema, size_t number, uint32_t depth,
                        lg_json *to);

// A value with all its members: a text with a number, else a default. As deep as the schema, within
// a bound. False when out of memory.
static bool full_value(bench *b, const lg_json *schema, lg_str name, size_t number, uint32_t depth,
                       lg_json *ret)
{
    model m = model_of(&b->p, b->task->arena);
    const lg_json *resolved = schema_resolve(&b->p, schema);
    if (is_of_type(resolved, LG_STR("string"))) {
        *ret =
            lg_json_make_str(lg_arena_printf(b->task->arena, "%.*s-of-%zu", LG_FMT(name), number));
        return true;
    }
    const lg_json *made = model_default(&m, schema, depth);
    *ret = made ? *made : lg_json_make_null();
    bool object = made && lg_json_is(made, LG_JSON_OBJECT) && depth < FILL_DEPTH_MAX;
    return made && (!object || with_fields(b, resolved, number, depth + 1, ret));
}

// Adds the fields of the schema that the record leaves out.
static bool with_fields(bench *b, const lg_json *schema, size_t number, uint32_t depth, lg_json *to)
{
    lg_arena *arena = b->task->arena;
    const lg_json *properties = lg_json_get(schema, LG_STR("properties"));
    for (size_t i = 0; i < lg_json_len(properties); i++) {
        const lg_json_member *field = lg_json_member_at(properties, i);
        lg_json *base = LG_NEW(arena, lg_json);
        lg_json value;
        if (!base) {
            return false;
        }
        *base = *to;
        if (lg_json_get(base, lg_json_key(field))) {
            continue;
        }
        if (!full_value(b, &field->value, lg_json_key(field), number, depth, &value) ||
            lg_tree_with_member(arena, base, lg_json_key(field), value, to) != LG_OK) {
            return false;
        }
    }
    return true;
}

static bool fill_record(bench *b, const record *r, size_t number, lg_json *root)
{
    lg_arena *arena = b->task->arena;
    lg_json made = *r->value;
    if (lg_json_is(&made, LG_JSON_OBJECT) &&
        !with_fields(b, schema_resolve(&b->p, r->place->schema), number, 0, &made)) {
        return false;
    }
    return lg_tree_with(arena, root, r->path, r->place->segment_count, made, root) == LG_OK;
}

const lg_json *filled_state(bench *b, const lg_json *state)
{
    records all;
    lg_json root = *state;
    bool fine = records_of(b->task->arena, &b->task->pack->state, state, &all);
    for (size_t i = 0; fine && i < all.count; i++) {
        fine = fill_record(b, &all.items[i], i + 1, &root);
    }
    b->task->oom = b->task->oom || !fine;
    return fine ? lg_json_copy(b->task->arena, &root) : NULL;
}

// Reads until the record is there; first one that is what was wanted, then any.
static void read_record(rehearsal *r, stand *at, const record *wanted, bool equal)
{
    LG_DEBUG_ASSERT(at->state);
    const lg_pack *pack = r->task->pack;
    texts all = texts_of(wanted, at->state);
    for (size_t i = 0; i < pack->tool_count; i++) {
        const lg_tool *tool = &pack->tools[i];
        if (tool->kind != LG_TOOL_READ || tool->by_user || !stores_at(tool, wanted->place)) {
            continue;
        }
        const lg_tool_store *store = tool->stores;
        while (store->to.place != wanted->place) {
            store++;
        }
        for (size_t k = 0; k < TRIES_MAX; k++) {
            const lg_json *args = arguments_of(r->arena, tool, store, wanted, &all, k);
            stand tried = *at;
            if (!args) {
                break;
            }
            if (!rehearse_read(r, &tried, tool, args, NULL)) {
                continue;
            }
            const lg_json *there = record_in(tried.session.ledger.root, wanted);
            if (there && (!equal || lg_json_equal(there, wanted->value))) {
                *at = tried;
                return;
            }
        }
    }
}

const lg_json *reread_ledger(task *t, const lg_json *state, const lg_json *wanted)
{
    rehearsal r;
    records all;
    const lg_json *made = NULL;
    stand at = rehearsal_begin(&r, t, t->arena, state);
    if (records_of(t->arena, &t->pack->ledger, wanted, &all)) {
        for (size_t i = 0; i < all.count; i++) {
            read_record(&r, &at, &all.items[i], true);
            if (!record_in(at.session.ledger.root, &all.items[i])) {
                read_record(&r, &at, &all.items[i], false);
            }
        }
        made = lg_json_copy(t->arena, at.session.ledger.root);
    }
    t->oom = t->oom || !made;
    rehearsal_end(&r);
    return made;
}
