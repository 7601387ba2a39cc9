// model.c: texts, numbers, lists and maps of a model as JSON.
//
// A model of Z3's is turned back into what it stands for, along the same variants that input.c has made.
// Numbers are exact. Texts are not: Z3 knows them as numbers, and functions of texts as tables. So for each
// text one is looked for that the real functions send to the values in the tables: a literal, a text that
// they compute from others, one made from the pattern or time that is asked for. There may be none, and then
// any text is taken: the caller executes the case and sees that it is none (`reply` in prove/task.h).
#include "symbolic/model.h"
#include "base/time.h"
#include "schema/synthesise.h"
#include "symbolic/funs.h"
#include "symbolic/number.h"
#include "json/tree.h"

#include <math.h>

#define DEPTH_MAX 16u
#define TRIALS 6u
#define NESTED_MAX 4u

model model_of(problem *p, lg_arena *arena)
{
    return (model){.p = p, .arena = arena, .literals = terms_literal_count(p->t)};
}

static const lg_json *keep(model *m, lg_json value)
{
    lg_json *kept = LG_NEW(m->arena, lg_json);
    if (!kept) {
        m->oom = true;
        return NULL;
    }
    *kept = value;
    return kept;
}

// --- What is asked of a text --------------------------------------------------------------------

typedef struct demand {
    const fun *f;
    bool fails;
    term gives; // a literal
} demand;

#define DEMANDS_MAX 16u

typedef struct demands {
    demand items[DEMANDS_MAX];
    uint32_t count;
} demands;

// Of functions of several texts none is looked at for a text: computed_text() looks at what they give.
static bool is_text_function(const fun *f)
{
    return f->count == 1 && f->from[0] == ALT_TEXT;
}

// What the model says that functions give of this text. A text that does all that is an instance of it.
static demands demands_of(const model *m, int64_t id)
{
    demands all = {.count = 0};
    terms *t = m->p->t;
    for (size_t i = 0; i < m->p->fun_count; i++) {
        const fun *f = &m->p->funs[i];
        if (!is_text_function(f)) {
            continue;
        }
        for (size_t k = 0; k < f->use_count && all.count < DEMANDS_MAX; k++) {
            int64_t of;
            if (term_int_of(t, terms_value(t, f->uses[k].args[0]), &of) && of == id) {
                term arg = f->uses[k].args[0];
                all.items[all.count++] =
                    (demand){f, terms_holds(t, term_apply(t, f->fails, &arg, 1)),
                             terms_value(t, term_apply(t, f->gives, &arg, 1))};
                break;
            }
        }
    }
    return all;
}

static bool meets(model *m, const demand *d, lg_str text)
{
    lg_cel_value arg = lg_cel_make_str(text);
    lg_cel_value wanted;
    lg_cel_activation activation = {.values = &arg, .scratch = m->arena};
    if (!d->f->program) {
        return false;
    }
    lg_cel_value given = lg_cel_eval(d->f->program, &activation);
    if (given.kind == LG_CEL_ERROR || d->fails) {
        return (given.kind == LG_CEL_ERROR) == d->fails;
    }
    bool comparable = d->f->to != ALT_TEXT && cel_of_literal(m->p, d->f->to, d->gives, &wanted);
    return !comparable || lg_cel_equal(given, wanted);
}

static bool meets_all(model *m, const demands *all, lg_str text)
{
    for (uint32_t i = 0; i < all->count; i++) {
        if (!meets(m, &all->items[i], text)) {
            return false;
        }
    }
    return true;
}

// --- Candidates ---------------------------------------------------------------------------------

static const lg_json *synthesised_value(model *m, const lg_json *schema, uint64_t seed)
{
    const lg_json *made;
    lg_error ignored;
    lg_synthesis_options how = {.seed = seed, .made_up = true};
    lg_schema_options options = {.document = m->p->document};
    bool ok = lg_schema_synthesise(m->arena, schema, &options, &how, &made, &ignored) == LG_OK;
    return ok ? made : NULL;
}

// Another seed gives another text, where the schema leaves a choice.
static lg_str synthesised(model *m, const lg_json *schema, uint64_t seed)
{
    const lg_json *made = synthesised_value(m, schema, seed);
    return lg_json_is(made, LG_JSON_STRING) ? lg_json_str(made) : (lg_str){NULL, 0};
}

// The quoted text that follows `before` in the source of a function, as the text that it means.
static bool quoted_after(model *m, lg_str source, lg_str before, lg_str *ret)
{
    size_t at = lg_str_find(source, before);
    if (at == SIZE_MAX) {
        return false;
    }
    size_t from = at + before.len;
    size_t to = from + 1;
    while (to < source.len && source.ptr[to] != '"') {
        to += source.ptr[to] == '\\' ? 2 : 1;
    }
    const lg_json *text;
    lg_error ignored;
    if (to >= source.len ||
        lg_json_parse_in(m->arena, source, from, to + 1, NULL, &text, &ignored)) {
        return false;
    }
    *ret = lg_json_str(text);
    return true;
}

// Patterns are solved by the schema room, which makes texts for them.
static lg_str of_pattern(model *m, lg_str pattern, uint64_t seed)
{
    lg_json_member *members = lg_json_alloc_members(m->arena, 2);
    lg_json *schema = LG_NEW(m->arena, lg_json);
    if (!members || !schema) {
        return (lg_str){NULL, 0};
    }
    members[0] = lg_json_make_member(LG_STR("type"), lg_json_make_str(LG_STR("string")));
    members[1] = lg_json_make_member(LG_STR("pattern"), lg_json_make_str(pattern));
    *schema = lg_json_make_object(members, 2);
    return synthesised(m, schema, seed);
}

// `timestamp(x + 'Z')` is this time: its text, without what is added.
// A time outside of the years 1 to 9999 has no text; then the case cannot be written down.
static lg_str of_time(model *m, const demand *d)
{
    lg_time time;
    char text[LG_TIME_TEXT_MAX];
    lg_str added;
    if (!term_time_of(m->p->t, d->gives, &time.seconds, &time.nanos) ||
        time.seconds < LG_TIME_MIN_SECONDS || time.seconds > LG_TIME_MAX_SECONDS) {
        return (lg_str){NULL, 0};
    }
    lg_str printed = {text, lg_time_print(text, time)};
    if (quoted_after(m, d->f->source, LG_STR("x0 + "), &added)) {
        if (!lg_str_ends(printed, added)) {
            return (lg_str){NULL, 0};
        }
        printed.len -= added.len;
    }
    return lg_arena_str(m->arena, printed);
}

// A guess that usually meets the demand; meets_all() decides.
static lg_str from_demand(model *m, const demand *d, uint64_t seed)
{
    lg_str word;
    if (d->fails) {
        return (lg_str){NULL, 0};
    }
    if (d->f->to == ALT_TIME) {
        return of_time(m, d);
    }
    if (d->f->to == ALT_BOOL && !term_is_true(m->p->t, d->gives)) {
        return lg_arena_printf(m->arena, "? %llu", (unsigned long long)seed); // few patterns fit
    }
    if (d->f->to != ALT_BOOL) {
        return (lg_str){NULL, 0};
    }
    if (quoted_after(m, d->f->source, LG_STR(".matches("), &word)) {
        return of_pattern(m, word, seed);
    }
    if (quoted_after(m, d->f->source, LG_STR(".startsWith("), &word)) {
        return lg_arena_printf(m->arena, "%.*s%llu", LG_FMT(word), (unsigned long long)seed);
    }
    if (quoted_after(m, d->f->source, LG_STR(".endsWith("), &word)) {
        return lg_arena_printf(m->arena, "%llu%.*s", (unsigned long long)seed, LG_FMT(word));
    }
    return (lg_str){NULL, 0};
}

// A name for people: the last word of where it stands, and a number.
static lg_str plain_text(model *m, const input *in, uint64_t seed)
{
    lg_str name = in ? in->name : LG_STR("text");
    size_t from = name.len;
    while (from > 0 && name.ptr[from - 1] != '.') {
        from--;
    }
    lg_str word = lg_str_slice(name, from, name.len);
    size_t to = 0;
    while (to < word.len && word.ptr[to] != '[' && word.ptr[to] != '|' && word.ptr[to] != ':') {
        to++;
    }
    word = to ? lg_str_slice(word, 0, to) : LG_STR("text");
    return lg_arena_printf(m->arena, "%.*s-%llu", LG_FMT(word), (unsigned long long)seed);
}

// Texts that are different in the model must be different.
static bool is_taken(const model *m, lg_str text)
{
    for (size_t i = 0; i < m->count; i++) {
        if (lg_str_eq(m->texts[i].text, text)) {
            return true;
        }
    }
    for (size_t i = 0; i < m->literals; i++) {
        if (lg_str_eq(terms_literal(m->p->t, i), text)) {
            return true;
        }
    }
    return false;
}

static lg_str model_text(model *m, term text, const input *in);

// A text that is taken stands for another number of the model, and would be equal to it.
static bool usable(model *m, const demands *all, lg_str text)
{
    return text.ptr && !is_taken(m, text) && meets_all(m, all, text);
}

// What a function of other texts gives, if the model says that this is it: `'/' + name`. As deep as
// such functions are nested, within a bound.
static lg_str computed_text(model *m, int64_t id)
{
    terms *t = m->p->t;
    lg_str none = {NULL, 0};
    if (m->nested >= NESTED_MAX) {
        return none;
    }
    for (size_t i = 0; i < m->p->fun_count; i++) {
        const fun *f = &m->p->funs[i];
        for (size_t k = 0; f->to == ALT_TEXT && f->program && k < f->use_count; k++) {
            const term *args = f->uses[k].args;
            int64_t of;
            if (!term_int_of(t, terms_value(t, term_apply(t, f->gives, args, f->count)), &of) ||
                of != id || !terms_holds(t, term_not(t, term_apply(t, f->fails, args, f->count)))) {
                continue;
            }
            lg_cel_value values[FUN_ARGS_MAX];
            bool known = true;
            m->nested++;
            for (uint32_t a = 0; a < f->count; a++) {
                if (f->from[a] == ALT_TEXT) {
                    values[a] = lg_cel_make_str(model_text(m, args[a], NULL));
                } else {
                    known = known &&
                            cel_of_literal(m->p, f->from[a], terms_value(t, args[a]), &values[a]);
                }
            }
            m->nested--;
            lg_cel_activation activation = {.values = values, .scratch = m->arena};
            lg_cel_value given = known ? lg_cel_eval(f->program, &activation) : lg_cel_make_null();
            if (given.kind == LG_CEL_STRING) {
                return lg_cel_str(given);
            }
        }
    }
    return none;
}

static bool is_special(const lg_json *schema)
{
    return lg_json_get(schema, LG_STR("pattern")) || lg_json_get(schema, LG_STR("format"));
}

// Is the input this text in the model?
static bool is_that_text(const model *m, const input *in, int64_t id)
{
    for (uint32_t i = 0; in && i < in->variant_count; i++) {
        const variant *v = &in->variants[i];
        int64_t is;
        if (v->kind == ALT_TEXT && v->t && !v->sub && !v->json &&
            term_int_of(m->p->t, terms_value(m->p->t, v->t), &is) && is == id) {
            return true;
        }
    }
    return false;
}

// What a text is to fit. One that is asked for a record is its key: if a field repeats it, that has to fit.
static const lg_json *schema_of_text(const model *m, const input *in, int64_t id)
{
    const lg_json *fields = in ? lg_json_get(in->schema, LG_STR("properties")) : NULL;
    if (in && in->key_field.len) {
        return schema_resolve(m->p, lg_json_get(fields, in->key_field));
    }
    for (uint32_t i = 0; in && i < in->variant_count; i++) {
        const dict *map = in->variants[i].map;
        for (uint32_t k = 0; map && k < map->count; k++) {
            const thunk *field = map->items[k].value;
            if (field && field->in && is_special(field->in->schema) &&
                is_that_text(m, field->in, id)) {
                return field->in->schema;
            }
        }
    }
    return in ? in->schema : NULL;
}

static lg_str find_text(model *m, int64_t id, const input *in)
{
    lg_str computed = computed_text(m, id);
    if (computed.ptr) {
        return computed;
    }
    demands all = demands_of(m, id);
    const lg_json *schema = schema_of_text(m, in, id);
    bool special = is_special(schema);
    for (uint32_t i = 0; i < TRIALS; i++) {
        uint64_t seed = m->count + 1 + i * 100;
        lg_str text = special ? synthesised(m, schema, seed) : (lg_str){NULL, 0};
        if (usable(m, &all, text)) {
            return text;
        }
        for (uint32_t k = 0; k < all.count; k++) {
            text = from_demand(m, &all.items[k], seed);
            if (usable(m, &all, text)) {
                return text;
            }
        }
        text = plain_text(m, in, seed);
        if (!special && usable(m, &all, text)) {
            return text;
        }
    }
    return plain_text(m, in, m->count + 1); // it does not fit: executing it will tell
}

// A number of the model is a literal's, or one that was given a text before, or gets one now: so equal
// numbers are equal texts, and others are not.
static lg_str model_text(model *m, term text, const input *in)
{
    LG_DEBUG_ASSERT(term_has_sort(m->p->t, text, SORT_TEXT));
    int64_t id;
    if (!term_int_of(m->p->t, terms_value(m->p->t, text), &id)) {
        return LG_STR("?");
    }
    if (id >= 1 && (uint64_t)id <= m->literals) {
        return terms_literal(m->p->t, (size_t)id - 1);
    }
    for (size_t i = 0; i < m->count; i++) {
        if (m->texts[i].id == id) {
            return m->texts[i].text;
        }
    }
    lg_str found = find_text(m, id, in);
    chosen_text *texts = lg_arena_grow(m->arena, m->texts, m->count, &m->capacity, sizeof(*texts));
    if (!texts || !found.ptr) {
        m->oom = true;
        return LG_STR("?");
    }
    m->texts = texts;
    texts[m->count++] = (chosen_text){id, found};
    return found;
}

// --- What nothing has looked at -----------------------------------------------------------------

// Only what is required: the smaller the example, the easier it is read.
static const lg_json *default_object(model *m, const lg_json *schema, uint32_t depth)
{
    const lg_json *properties = lg_json_get(schema, LG_STR("properties"));
    const lg_json *required = lg_json_get(schema, LG_STR("required"));
    size_t count = lg_json_len(required);
    lg_json_member *members = lg_json_alloc_members(m->arena, count);
    size_t made = 0;
    for (size_t i = 0; members && i < count; i++) {
        lg_str name = lg_json_str(lg_json_item(required, i));
        const lg_json *value = model_default(m, lg_json_get(properties, name), depth + 1);
        if (value) {
            members[made++] = lg_json_make_member(name, *value);
        }
    }
    m->oom = m->oom || !members;
    return members ? keep(m, lg_json_make_object(members, made)) : NULL;
}

// Zero if nothing speaks against it, else the least, else what the synthesiser finds within the bounds.
static const lg_json *default_number(model *m, const lg_json *schema)
{
    static const char *const bounds[] = {"exclusiveMinimum", "maximum", "exclusiveMaximum",
                                         "multipleOf"};
    const lg_json *least = lg_json_get(schema, LG_STR("minimum"));
    bool bounded = false;
    for (size_t i = 0; i < LG_COUNT(bounds); i++) {
        bounded = bounded || lg_json_get(schema, lg_str_c(bounds[i]));
    }
    const lg_json *made = bounded ? synthesised_value(m, schema, 1) : NULL;
    return lg_json_is_number(made)    ? made
           : lg_json_is_number(least) ? least
                                      : keep(m, lg_json_make_int(0));
}

// Fields that no expression has looked at all hold "any": a reader sees that they do not matter.
static const lg_json *default_text(model *m, const lg_json *schema)
{
    bool special =
        lg_json_get(schema, LG_STR("pattern")) || lg_json_get(schema, LG_STR("format")) ||
        lg_json_get(schema, LG_STR("minLength")) || lg_json_get(schema, LG_STR("maxLength"));
    lg_str text = special ? synthesised(m, schema, 1) : LG_STR("any");
    return keep(m, lg_json_make_str(text.ptr ? text : LG_STR("any")));
}

static const lg_json *default_list(model *m, const lg_json *schema, uint32_t depth)
{
    int64_t least = 0;
    const lg_json *given = lg_json_get(schema, LG_STR("minItems"));
    if (!given || !lg_json_int(given, &least) || least < 0 || least > 16) {
        least = 0;
    }
    lg_json *items = LG_NEW_ARRAY(m->arena, lg_json, (size_t)least + 1);
    for (int64_t i = 0; items && i < least; i++) {
        const lg_json *item = model_default(m, lg_json_get(schema, LG_STR("items")), depth + 1);
        items[i] = item ? *item : lg_json_make_null();
    }
    return items ? keep(m, lg_json_make_array(items, (size_t)least)) : NULL;
}

const lg_json *model_default(model *m, const lg_json *schema, uint32_t depth)
{
    schema = schema_resolve(m->p, schema);
    const lg_json *any = lg_json_get(schema, LG_STR("anyOf"));
    any = any ? any : lg_json_get(schema, LG_STR("oneOf"));
    const lg_json *listed = lg_json_get(schema, LG_STR("enum"));
    const lg_json *constant = lg_json_get(schema, LG_STR("const"));
    if (!schema || depth > DEPTH_MAX) {
        return keep(m, lg_json_make_null());
    }
    if (lg_json_len(any) > 0) {
        return model_default(m, lg_json_item(any, 0), depth + 1);
    }
    if (constant || lg_json_len(listed) > 0) {
        return constant ? constant : lg_json_item(listed, 0);
    }
    const lg_json *type = lg_json_get(schema, LG_STR("type"));
    lg_str name = lg_json_str(lg_json_len(type) ? lg_json_item(type, 0) : type);
    if (lg_str_eq(name, LG_STR("object")) || lg_json_get(schema, LG_STR("properties"))) {
        return default_object(m, schema, depth);
    }
    if (lg_str_eq(name, LG_STR("array"))) {
        return default_list(m, schema, depth);
    }
    if (lg_str_eq(name, LG_STR("string"))) {
        return default_text(m, schema);
    }
    if (lg_str_eq(name, LG_STR("number")) || lg_str_eq(name, LG_STR("integer"))) {
        return default_number(m, schema);
    }
    return keep(m, lg_str_eq(name, LG_STR("boolean")) ? lg_json_make_bool(false)
                                                      : lg_json_make_null());
}

// --- What the model says ------------------------------------------------------------------------

static const lg_json *number_json(model *m, const variant *v)
{
    double number;
    int64_t whole;
    if (v->large && terms_holds(m->p->t, v->large) &&
        term_int_of(m->p->t, terms_value(m->p->t, v->integer), &whole)) {
        return keep(m, lg_json_make_int(whole));
    }
    if (v->whole && term_int_of(m->p->t, terms_value(m->p->t, v->whole), &whole)) {
        return keep(m, lg_json_make_int(whole));
    }
    if (!term_double_of(m->p->t, terms_value(m->p->t, v->t), &number)) {
        return keep(m, lg_json_make_int(0));
    }
    bool integral = fabs(number) < (double)EXACT_MAX && number == floor(number);
    return keep(m, integral ? lg_json_make_int((int64_t)number) : lg_json_make_double(number));
}

// Elements of a summary cannot be written down: the model is no case then.
static void note_summary(model *m, const summary *r)
{
    int64_t count;
    if (r && term_int_of(m->p->t, terms_value(m->p->t, r->count), &count) && count > 0) {
        m->beyond = true;
    }
}

// Absent elements are left out, so those behind them move up: what the formulas call the index is the number
// of present elements before.
static const lg_json *list_json(model *m, const seq *list)
{
    lg_json *items = LG_NEW_ARRAY(m->arena, lg_json, list->count + 1);
    size_t count = 0;
    note_summary(m, list->summary);
    for (uint32_t i = 0; items && i < list->count; i++) {
        if (terms_holds(m->p->t, list->items[i].present) && list->items[i].value) {
            const lg_json *item = model_json(m, list->items[i].value->in);
            items[count++] = item ? *item : lg_json_make_null();
        }
    }
    return items ? keep(m, lg_json_make_array(items, count)) : NULL;
}

// Entries of one family have different keys in the model, and so different texts.
static const lg_json *map_json(model *m, const dict *map)
{
    lg_json_member *members = lg_json_alloc_members(m->arena, map->count);
    size_t count = 0;
    note_summary(m, map->summary);
    for (uint32_t i = 0; members && i < map->count; i++) {
        const entry *e = &map->items[i];
        if (terms_holds(m->p->t, e->present) && e->value) {
            lg_str key = model_text(m, e->key, e->value->in);
            const lg_json *value = model_json(m, e->value->in);
            members[count++] = lg_json_make_member(key, value ? *value : lg_json_make_null());
        }
    }
    return members ? keep(m, lg_json_make_object(members, count)) : NULL;
}

static const lg_json *variant_json(model *m, input *in, const variant *v)
{
    if (v->json || v->sub) {
        return v->json ? v->json : model_json(m, v->sub);
    }
    if (v->kind == ALT_BOOL) {
        return keep(m, lg_json_make_bool(terms_holds(m->p->t, v->t)));
    }
    if (v->kind == ALT_DOUBLE) {
        return number_json(m, v);
    }
    if (v->kind == ALT_TEXT) {
        return keep(m, lg_json_make_str(model_text(m, v->t, in)));
    }
    if (v->kind == ALT_LIST) {
        return list_json(m, v->list);
    }
    LG_DEBUG_ASSERT(v->kind == ALT_MAP || v->kind == ALT_NULL);
    return v->kind == ALT_MAP ? map_json(m, v->map) : keep(m, lg_json_make_null());
}

// A key that its record repeats is known even where nothing has looked at the record.
static const lg_json *untouched(model *m, input *in)
{
    if (in->same_as) {
        return keep(m, lg_json_make_str(model_text(m, in->same_as, in)));
    }
    const lg_json *value = model_default(m, in->schema, 0);
    if (!in->key || !lg_json_is(value, LG_JSON_OBJECT)) {
        return value;
    }
    lg_json made;
    lg_json key = lg_json_make_str(model_text(m, in->key, in));
    if (lg_tree_with_member(m->arena, value, in->key_field, key, &made) != LG_OK) {
        return value;
    }
    return keep(m, made);
}

// As deep as inputs were expanded, which is bounded.
const lg_json *model_json(model *m, input *in)
{
    if (!in) {
        // Guards leave no case out, so one of them holds unless the terms have failed.
        return keep(m, lg_json_make_null());
    }
    if (!in->expanded) {
        return untouched(m, in);
    }
    for (uint32_t i = 0; i < in->variant_count; i++) {
        if (terms_holds(m->p->t, in->variants[i].guard)) {
            return variant_json(m, in, &in->variants[i]);
        }
    }
    return keep(m, lg_json_make_null());
}
