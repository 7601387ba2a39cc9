// synthesise.c: one value after another, and attempts until one instance is valid.
//
// A value is made in rounds. Each expands the demand anew, so that branches which failed give way to
// their siblings, and the makers choose the more oddly the later the round is. A round that proves
// that there is nothing to find ends the search at once; if no choice led there, so does the search
// of whoever asked. All attempts draw on one budget of steps.
#include "schema/synth_internal.h"

// --- Offers: examples, defaults, enumerations -----------------------------------------------------

// Whether `value` keeps to the bounds; counts its parts.
static bool measure(const lg_json *value, uint32_t levels, uint64_t *values, uint64_t *text)
{
    *values += 1;
    if (lg_json_is(value, LG_JSON_STRING) || lg_json_is(value, LG_JSON_BIGNUM)) {
        *text += value->len;
        return true;
    }
    bool is_object = lg_json_is(value, LG_JSON_OBJECT);
    bool ok = lg_json_len(value) == 0 || levels > 0;
    for (size_t i = 0; i < lg_json_len(value) && ok; i++) {
        *text += is_object ? lg_json_member_at(value, i)->key_len : 0;
        ok = measure(is_object ? &lg_json_member_at(value, i)->value : &value->as.items[i],
                     levels - 1, values, text);
    }
    return ok;
}

// Takes a value that stands in the schema, if it is of a fitting size and valid.
static bool take(synth *s, const demand *d, const lg_json *value, lg_json *ret)
{
    uint64_t values = 0;
    uint64_t text = 0;
    if (!measure(value, s->how.depth - s->depth, &values, &text) ||
        values > s->how.values - s->values || text > s->how.text_bytes - s->text_bytes) {
        s->unsure = true;
        return false;
    }
    if (!lg_synth_spend(s, values) || !lg_synth_holds(s, d, value)) {
        return false;
    }
    s->values += (uint32_t)values - 1; // it counts as one already
    s->text_bytes += text;
    *ret = *value;
    return true;
}

// The `index`-th example or default of all schemas of the demand; NULL behind the last one.
static const lg_json *offer_at(const demand *d, size_t index)
{
    for (size_t i = 0; i < d->count; i++) {
        const lg_json *source = d->nodes[i]->source;
        const lg_json *list = lg_json_get(source, LG_STR("examples"));
        size_t count = lg_json_is(list, LG_JSON_ARRAY) ? list->len : 0;
        if (index < count) {
            return &list->as.items[index];
        }
        index -= count;
        const lg_json *single[] = {lg_json_get(source, LG_STR("example")),
                                   lg_json_get(source, LG_STR("default"))};
        for (size_t j = 0; j < LG_COUNT(single); j++) {
            if (single[j] && index-- == 0) {
                return single[j];
            }
        }
    }
    return NULL;
}

static bool take_offer(synth *s, const demand *d, uint32_t round, lg_json *ret)
{
    if (s->how.made_up || s->fresh || (round > 0 && lg_synth_one_in(s, 2))) {
        return false;
    }
    size_t count = 0;
    while (count < 64 && offer_at(d, count)) {
        count++;
    }
    size_t start = (size_t)lg_synth_below(s, count);
    for (size_t i = 0; i < count; i++) {
        const lg_json *offer = offer_at(d, (start + i) % count);
        // An example of an object has the members that its author chose, not those of `how`.
        bool wanted = offer && (s->how.members == LG_MEMBERS_SEEDED || offer->type < LG_JSON_ARRAY);
        if (wanted && take(s, d, offer, ret)) {
            return true;
        }
    }
    return false;
}

static const node *node_with_values(const demand *d)
{
    for (size_t i = 0; i < d->count; i++) {
        if (d->nodes[i]->value) {
            return d->nodes[i];
        }
    }
    return NULL;
}

// All values that are allowed are tried, so there is none if none of them is valid.
static outcome take_listed(synth *s, const demand *d, const node *n, lg_json *ret)
{
    const value_rules *rules = n->value;
    if (rules->constant) {
        return take(s, d, rules->constant, ret)
                   ? MADE
                   : lg_synth_fail(s, IMPOSSIBLE, n, "const", "the one allowed value is not valid");
    }
    size_t count = rules->allowed ? rules->allowed->len : 0;
    size_t start = (size_t)lg_synth_below(s, count);
    for (size_t i = 0; i < count; i++) {
        if (take(s, d, &rules->allowed->as.items[(start + i) % count], ret)) {
            return MADE;
        }
    }
    return lg_synth_fail(s, IMPOSSIBLE, n, "enum", "none of the allowed values is valid");
}

// What odd schemas ask for: the simplest value of each kind.
static bool take_simple(synth *s, const demand *d, lg_json *ret)
{
    const lg_json simple[] = {
        lg_json_make_int(0),           lg_json_make_int(1),          lg_json_make_int(-1),
        lg_json_make_double(0.5),      lg_json_make_str(LG_STR("")), lg_json_make_str(LG_STR("a")),
        lg_json_make_bool(true),       lg_json_make_bool(false),     lg_json_make_array(NULL, 0),
        lg_json_make_object(NULL, 0),  lg_json_make_int(1000),       lg_json_make_null(),
        lg_json_make_str(LG_STR("1")),
    };
    size_t start = (size_t)lg_synth_below(s, LG_COUNT(simple));
    for (size_t i = 0; i < LG_COUNT(simple); i++) {
        if (take(s, d, &simple[(start + i) % LG_COUNT(simple)], ret)) {
            return true;
        }
    }
    return false;
}

// --- Types ----------------------------------------------------------------------------------------

// The types that the rules of `n` speak of.
static uint32_t types_spoken_of(const node *n)
{
    bool format = lg_json_is(lg_json_get(n->source, LG_STR("format")), LG_JSON_STRING);
    uint32_t types = n->object ? (uint32_t)TYPE_OBJECT : 0;
    types |= n->array ? (uint32_t)TYPE_ARRAY : 0;
    types |= n->number ? (uint32_t)(TYPE_NUMBER | TYPE_INTEGER) : 0;
    return types | (n->string || format ? (uint32_t)TYPE_STRING : 0);
}

static uint32_t types_hinted_at(const demand *d)
{
    uint32_t types = 0;
    for (size_t i = 0; i < d->count; i++) {
        types |= types_spoken_of(d->nodes[i]);
    }
    return types;
}

static uint32_t one_of(synth *s, uint32_t types)
{
    uint32_t found[8];
    size_t count = 0;
    for (uint32_t bit = 1; bit < TYPE_ANY; bit <<= 1) {
        if (types & bit) {
            found[count++] = bit;
        }
    }
    return count ? found[lg_synth_below(s, count)] : 0;
}

static uint32_t pick_type(synth *s, const demand *d, uint32_t round)
{
    uint32_t types = d->types;
    types &= types & TYPE_NUMBER ? ~(uint32_t)TYPE_INTEGER : (uint32_t)TYPE_ANY;
    const scope *here = NULL;
    const node *broken = lg_synth_to_break(s, d, round, &here);
    const node_info *info = broken ? lg_synth_info(s, broken) : NULL;
    // A value of another type breaks it, or else only one that its rules speak of.
    uint32_t left = info ? types & ~info->types : 0;
    left = info && !left ? types & types_spoken_of(broken) : left;
    if (left) {
        return one_of(s, left);
    }
    if (round > 0 && lg_synth_one_in(s, 3)) {
        return one_of(s, types);
    }
    uint32_t containers = TYPE_OBJECT | TYPE_ARRAY;
    if (!lg_synth_is_easy(s) && (types & ~containers)) {
        types &= ~containers;
    }
    uint32_t hinted = types & types_hinted_at(d);
    uint32_t usual = hinted ? hinted : types & ~(uint32_t)TYPE_NULL;
    if (!hinted && types == (TYPE_ANY & ~(uint32_t)TYPE_INTEGER)) {
        return TYPE_STRING;
    }
    bool null = (types & TYPE_NULL) && (usual == 0 || lg_synth_one_in(s, 6));
    return null ? (uint32_t)TYPE_NULL : one_of(s, usual);
}

static outcome make_scalar(synth *s, const demand *d, uint32_t type, uint32_t round, lg_json *ret)
{
    if (type == TYPE_NULL || type == TYPE_BOOLEAN) {
        *ret = type == TYPE_NULL ? lg_json_make_null() : lg_json_make_bool(lg_synth_one_in(s, 2));
        return MADE;
    }
    if (type == TYPE_STRING) {
        return lg_synth_string(s, d, round, ret);
    }
    return lg_synth_number(s, d, type == TYPE_INTEGER, round, ret);
}

static outcome make_typed(synth *s, demand *d, uint32_t round, lg_json *ret)
{
    uint32_t type = pick_type(s, d, round);
    bool container = type == TYPE_OBJECT || type == TYPE_ARRAY;
    // With another type to turn to, nothing is proved by what becomes of this one.
    uint32_t others = d->types & ~type & ~(type == TYPE_NUMBER ? (uint32_t)TYPE_INTEGER : 0);
    d->choices += others ? 1 : 0;
    if (container && s->depth >= s->how.depth) {
        return lg_synth_fail(s, FAILED, d->count ? d->nodes[0] : NULL, NULL,
                             "needs an instance of more than %u levels", s->how.depth);
    }
    s->depth += container ? 1 : 0;
    outcome made = type == TYPE_OBJECT  ? lg_synth_object(s, d, round, ret)
                   : type == TYPE_ARRAY ? lg_synth_array(s, d, round, ret)
                                        : make_scalar(s, d, type, round, ret);
    s->depth -= container ? 1 : 0;
    if (made == MADE && (!container || d->risky) && !lg_synth_holds(s, d, ret)) {
        return s->stopped ? STOPPED : lg_synth_explain(s, d, ret);
    }
    return made;
}

// --- One value ------------------------------------------------------------------------------------

static outcome fail_typeless(synth *s, const demand *d)
{
    for (size_t i = 0; i < d->count; i++) {
        const node_info *info = lg_synth_info(s, d->nodes[i]);
        if (d->nodes[i]->refuses) {
            return lg_synth_fail(s, IMPOSSIBLE, d->nodes[i], NULL, "is `false` and allows nothing");
        }
        if (info && !info->types) {
            const value_rules *v = d->nodes[i]->value;
            return lg_synth_fail(s, IMPOSSIBLE, d->nodes[i],
                                 !v           ? NULL
                                 : v->allowed ? "enum"
                                              : "const",
                                 v ? "allows no value of the types that are allowed"
                                   : "allows no type, taken together");
        }
    }
    return lg_synth_fail(s, IMPOSSIBLE, d->count ? d->nodes[0] : NULL, NULL,
                         "no type is allowed by all schemas that apply here");
}

// A schema without a finite instance, such as a list that must always go on. NULL: there is none.
static const node *find_endless(const synth *s, const demand *d, bool *ret_sure)
{
    for (size_t i = 0; i < d->count; i++) {
        const node_info *info = lg_synth_info(s, d->nodes[i]);
        if (info && info->height >= LG_SYNTH_HEIGHT_NONE) {
            *ret_sure = i < d->sure_count;
            return d->nodes[i];
        }
    }
    return NULL;
}

static outcome make_once(synth *s, demand *d, uint32_t round, lg_json *ret)
{
    if (!d->types) {
        d->choices = d->sure_types ? d->choices : 0; // no other choice would help
        return fail_typeless(s, d);
    }
    bool sure = false;
    const node *endless = find_endless(s, d, &sure);
    if (endless) {
        d->choices = sure ? 0 : d->choices;
        return lg_synth_fail(s, IMPOSSIBLE, endless, NULL,
                             "has no finite instance, since it always leads back to itself");
    }
    if (take_offer(s, d, round, ret)) {
        return MADE;
    }
    const node *listed = node_with_values(d);
    if (listed) {
        return take_listed(s, d, listed, ret);
    }
    if (round >= 2 && lg_synth_one_in(s, 3) && take_simple(s, d, ret)) {
        return MADE;
    }
    return make_typed(s, d, round, ret);
}

static uint32_t rounds_for(const synth *s, const demand *d)
{
    size_t choices = d->choices < 24 ? d->choices : 24;
    bool scalar = !(d->types & (TYPE_OBJECT | TYPE_ARRAY));
    uint32_t rounds = (scalar ? 12 : d->risky ? 8 : 3) + (uint32_t)choices * 2;
    return s->depth > 8 ? rounds / 2 + 1 : rounds;
}

static bool begin_round(synth *s, const demand *asked, demand *d)
{
    *d = (demand){.only = asked->only};
    bool ok = lg_synth_spend(s, 1 + asked->asked);
    for (size_t i = 0; i < asked->asked && ok; i++) {
        ok = lg_synth_ask(s, d, asked->nodes[i], asked->outer[i]);
    }
    for (size_t i = 0; i < asked->shun_asked && ok; i++) {
        ok = lg_synth_shun(s, d, asked->shun[i].n, asked->shun[i].outer);
    }
    d->risky = d->shun_count > 0;
    d->choices = d->shun_count; // who shuns can do without
    return ok && lg_synth_expand(s, d);
}

outcome lg_synth_value(synth *s, const demand *asked, lg_json *ret)
{
    if (!lg_synth_count_value(s, asked->asked ? asked->nodes[0] : NULL)) {
        return STOPPED;
    }
    lg_arena_mark mark = lg_arena_mark_here(&s->arena);
    uint32_t values = s->values;
    size_t text_bytes = s->text_bytes;
    lg_str hint = s->hint;
    uint32_t rounds = 1;
    for (uint32_t round = 0; round < rounds; round++) {
        demand d;
        outcome made = begin_round(s, asked, &d) ? make_once(s, &d, round, ret) : STOPPED;
        if (made == MADE || s->stopped || s->too_large) {
            return made == MADE && !s->stopped && !s->too_large ? MADE : STOPPED;
        }
        if (made == IMPOSSIBLE && !d.choices) {
            return IMPOSSIBLE;
        }
        rounds = rounds_for(s, &d);
        lg_synth_blame(&d);
        lg_arena_rewind(&s->arena, mark);
        s->values = values;
        s->text_bytes = text_bytes;
        s->hint = hint;
    }
    return FAILED;
}

// --- Attempts -------------------------------------------------------------------------------------

static uint64_t within(uint64_t given, uint64_t usual, uint64_t ceiling)
{
    uint64_t wanted = given ? given : usual;
    return wanted < ceiling ? wanted : ceiling;
}

static lg_synthesis_options resolve(const lg_synthesis_options *how)
{
    lg_synthesis_options r = how ? *how : (lg_synthesis_options){0};
    r.depth = (uint32_t)within(r.depth, 32, LG_SYNTH_DEPTH_MAX);
    r.values = (uint32_t)within(r.values, 10000, 1000000);
    r.text_bytes = (uint32_t)within(r.text_bytes, 1u << 20, 1u << 26);
    r.attempts = (uint32_t)within(r.attempts, 24, 1000);
    r.steps = within(r.steps, 4000000, UINT64_MAX);
    return r;
}

// Every attempt starts from a state of its own, so that one more never changes those before it.
static void begin_attempt(synth *s, uint32_t attempt, const lg_synthesis_options *how)
{
    s->attempt = attempt;
    s->random = how->seed + attempt * UINT64_C(0xD1342543DE82EF95);
    (void)lg_synth_next(s);
    s->depth = 0;
    s->values = 0;
    s->text_bytes = 0;
    s->fresh = 0;
    s->hint = LG_STR("");
    // What was too large once is tried with fewer members.
    s->how.members = s->too_large || attempt % 4 == 3 ? LG_MEMBERS_REQUIRED : how->members;
    s->too_large = false;
}

static outcome attempt_all(synth *s, lg_json *ret)
{
    const lg_synthesis_options how = s->how;
    demand root = {0};
    if (!lg_synth_survey(s) || !lg_synth_ask(s, &root, s->schema->root, NULL)) {
        return STOPPED;
    }
    outcome made = FAILED;
    lg_arena_mark mark = lg_arena_mark_here(&s->arena);
    for (uint32_t i = 0; i < how.attempts && !s->stopped && made != IMPOSSIBLE; i++) {
        lg_arena_rewind(&s->arena, mark);
        begin_attempt(s, i, &how);
        made = lg_synth_value(s, &root, ret);
        if (made == MADE && lg_schema_validate(s->schema, ret, NULL)) {
            return MADE;
        }
    }
    return s->stopped ? STOPPED : made == IMPOSSIBLE && !s->unsure ? IMPOSSIBLE : FAILED;
}

static lg_status explain_failure(const synth *s, outcome made, lg_error *reterr)
{
    const char *last = s->failure[0] ? s->failure : "nothing was tried";
    if (made == IMPOSSIBLE) {
        return lg_fail(reterr, LG_ERR_USAGE, "no instance is valid: %s", last);
    }
    if (s->stopped && s->status == LG_ERR_OOM) {
        return lg_fail_oom(reterr);
    }
    return lg_fail(reterr, LG_ERR_LIMIT, "no valid instance found %s: %s",
                   s->stopped ? "within the limit of steps" : "in all attempts", last);
}

lg_status lg_schema_synthesise_compiled(lg_arena *arena, const lg_schema *schema,
                                        const lg_synthesis_options *how, const lg_json **ret,
                                        lg_error *reterr)
{
    synth s; // not zeroed as a whole: the scratch of the checks is 40 KiB
    memset(&s, 0, offsetof(synth, v));
    s.schema = schema;
    s.how = resolve(how);
    s.steps = s.how.steps;
    lg_arena_init(&s.arena, (size_t)1 << 28);
    lg_arena_init(&s.lasting, (size_t)1 << 28);
    s.v.schema = schema;
    lg_pattern_run_init(&s.v.patterns, schema->regex_steps);
    lg_json made;
    outcome result = attempt_all(&s, &made);
    const lg_json *copy = result == MADE ? lg_json_copy(arena, &made) : NULL;
    lg_status status = result != MADE ? explain_failure(&s, result, reterr)
                       : copy         ? LG_OK
                                      : lg_fail_oom(reterr);
    lg_pattern_run_done(&s.v.patterns);
    lg_arena_done(&s.lasting);
    lg_arena_done(&s.arena);
    if (status == LG_OK) {
        *ret = copy;
    }
    return status;
}

lg_status lg_schema_synthesise(lg_arena *arena, const lg_json *schema,
                               const lg_schema_options *options, const lg_synthesis_options *how,
                               const lg_json **ret, lg_error *reterr)
{
    lg_arena scratch;
    lg_errors errors;
    lg_arena_init(&scratch, lg_limits_resolve(options ? options->limits : NULL).document_bytes);
    lg_errors_init(&errors, &scratch, 1);
    const lg_schema *compiled = lg_schema_compile(&scratch, schema, options, &errors);
    lg_status status = LG_ERR_OOM;
    if (compiled) {
        status = lg_schema_synthesise_compiled(arena, compiled, how, ret, reterr);
    } else if (errors.count) {
        status = lg_fail(reterr, errors.items[0].status, "%s", errors.items[0].msg);
    } else {
        (void)lg_fail_oom(reterr);
    }
    lg_arena_done(&scratch);
    return status;
}
