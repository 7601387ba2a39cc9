// report.c: violations in words that a person or a model can act on.
//
// A message names the value by its path as one would write it in code, says what is wanted, and
// shows what was found; where the wanted thing is a choice it names the choice, and the closest
// one. Nothing is formatted unless there is a report to put it in.
#include "schema/schema_internal.h"

// --- Where ----------------------------------------------------------------------------------------

enum { SHOWN_LEVELS = 48 };

static bool is_plain_name(lg_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        bool letter = lg_is_letter(c) || c == '_' || c == '-' || c == '$' || (c & 0x80);
        if (!letter && (i == 0 || c < '0' || c > '9')) {
            return false;
        }
    }
    return s.len > 0;
}

static void add_step(fixed_text *out, const char *dot, lg_str name)
{
    if (is_plain_name(name)) {
        lg_text_addc(out, dot);
        lg_text_add_cut(out, name, 60);
    } else {
        lg_text_addc(out, "[");
        lg_text_add_quoted(out, name, 40);
        lg_text_addc(out, "]");
    }
}

// "`flights[0].date`", or "the value" for the whole instance. `member` is one more step if its ptr
// is not NULL.
static void add_subject(fixed_text *out, const spot *at, lg_str member)
{
    const spot *steps[SHOWN_LEVELS];
    size_t count = 0;
    for (; at->parent && count < SHOWN_LEVELS; at = at->parent) {
        steps[count++] = at;
    }
    if (count == 0 && !member.ptr) {
        lg_text_addc(out, "the value");
        return;
    }
    lg_text_addc(out, at->parent ? "`..." : "`");
    size_t start = out->len;
    while (count > 0) {
        const spot *step = steps[--count];
        if (step->index < SPOT_NAME) {
            lg_text_addf(out, "[%zu]", step->index);
        } else {
            add_step(out, out->len > start ? "." : "", step->key);
        }
    }
    if (member.ptr) {
        add_step(out, out->len > start ? "." : "", member);
    }
    lg_text_addc(out, "`");
}

static void add_pointer(fixed_text *out, const spot *at)
{
    const spot *steps[SHOWN_LEVELS];
    size_t count = 0;
    size_t depth = 0;
    for (; at->parent; at = at->parent) {
        steps[depth++ % SHOWN_LEVELS] = at;
    }
    count = depth < SHOWN_LEVELS ? depth : SHOWN_LEVELS;
    for (size_t i = 0; i < count; i++) {
        const spot *step = steps[(depth - 1 - i) % SHOWN_LEVELS];
        if (step->index < SPOT_NAME) {
            lg_text_addf(out, "/%zu", step->index);
        } else {
            lg_text_add_pointer_token(out, step->key);
        }
    }
    lg_text_addc(out, depth > SHOWN_LEVELS ? "/..." : "");
    lg_text_end(out);
}

// --- One violation --------------------------------------------------------------------------------

typedef struct fault_at {
    lg_schema_fault fault;
    const char *keyword;
    lg_str member;
} fault_at;

// Fills all of `item` but the message. `append` says whether the keyword is a step of the schema's
// pointer; the schema `false` has none.
static void locate(lg_schema_violation *item, const node *n, const spot *at, fault_at what,
                   bool append)
{
    while (at->index == SPOT_NAME) {
        at = at->parent;
    }
    item->fault = what.fault;
    item->keyword = what.keyword;
    item->instance = at->value;
    item->schema = n->source;
    item->member = what.member;
    fixed_text pointer = lg_text_in(item->instance_pointer, sizeof(item->instance_pointer));
    add_pointer(&pointer, at);
    pointer = lg_text_in(item->schema_pointer, sizeof(item->schema_pointer));
    lg_place_print(&pointer, n->where);
    if (append && !pointer.cut) {
        lg_text_add_pointer_token(&pointer, lg_str_c(what.keyword));
        lg_text_end(&pointer);
    }
}

// The next free violation, or NULL if none is wanted or there is no room.
static lg_schema_violation *next_item(validation *v)
{
    lg_schema_report *report = v->report;
    if (!report) {
        return NULL;
    }
    if (report->count == report->capacity) {
        report->dropped++;
        return NULL;
    }
    return &report->items[report->count++];
}

// Begins a violation and its message with the subject. Returns false if there is none to write.
static bool begin(validation *v, const node *n, const spot *at, fault_at what,
                  fixed_text *ret_message)
{
    lg_schema_violation *item = next_item(v);
    if (!item) {
        return false;
    }
    bool is_keyword = what.keyword != NULL;
    what.keyword = is_keyword ? what.keyword : "false";
    locate(item, n, at, what, is_keyword);
    *ret_message = lg_text_in(item->msg, sizeof(item->msg));
    return true;
}

static const fault_at no_member = {.member = {"", 0}};

static fault_at fault(lg_schema_fault kind, const char *keyword)
{
    fault_at what = no_member;
    what.fault = kind;
    what.keyword = keyword;
    return what;
}

// Ends the message with what was found.
static void add_got(fixed_text *out, const spot *at)
{
    lg_text_addc(out, "; got ");
    lg_text_add_literal(out, at->value);
    lg_text_end(out);
}

static const lg_str nothing = {NULL, 0};

bool lg_stop(validation *v, const node *n, const spot *at, const char *why)
{
    bool first = !v->stopped;
    v->stopped = true;
    lg_schema_report *report = v->main_report;
    if (!first || !report) {
        return false;
    }
    // The limit explains why other violations may be missing, so it takes the last place if need be.
    if (report->count == report->capacity && report->capacity) {
        report->count--;
        report->dropped++;
    }
    lg_schema_report *saved = v->report;
    v->report = report;
    fixed_text out;
    if (begin(v, n, at, fault(LG_FAULT_LIMIT, "limit"), &out)) {
        add_subject(&out, at, nothing);
        lg_text_addf(&out, " %s; it counts as invalid", why);
        lg_text_end(&out);
    }
    v->report = saved;
    return false;
}

// --- Types and values -----------------------------------------------------------------------------

static bool report_type_by(validation *v, const node *n, const spot *at, uint32_t types,
                           const char *keyword)
{
    fixed_text out;
    if (begin(v, n, at, fault(LG_FAULT_TYPE, keyword), &out)) {
        add_subject(&out, at, nothing);
        lg_text_addc(&out, " must be ");
        lg_text_add_types(&out, types);
        lg_text_addc(&out, "; got ");
        lg_text_add_value(&out, at->value);
        lg_text_end(&out);
    }
    return false;
}

bool lg_report_type(validation *v, const node *n, const spot *at, uint32_t types)
{
    return report_type_by(v, n, at, types, "type");
}

// Whether `a` is so near to `b` that it may be a slip: at most a third of the longer one differs.
static bool is_close(lg_str a, lg_str b, uint32_t *best)
{
    size_t longer = a.len > b.len ? a.len : b.len;
    uint32_t most = (uint32_t)(longer / 3);
    uint32_t distance = lg_str_distance(a, b);
    if (distance > most || distance >= *best) {
        return false;
    }
    *best = distance;
    return true;
}

enum {
    COMPARED_MAX = 256, // names that are looked at for the closest one
    MISNAMED_MAX = 32,  // members that are looked at for one that was given another name
};

static void add_closest_value(fixed_text *out, const lg_json *allowed, const lg_json *got)
{
    uint32_t best = UINT32_MAX;
    const lg_json *closest = NULL;
    for (size_t i = 0; i < allowed->len && i < COMPARED_MAX; i++) {
        const lg_json *item = &allowed->as.items[i];
        if (!lg_json_is(item, LG_JSON_STRING) || !lg_json_is(got, LG_JSON_STRING)) {
            continue;
        }
        if (lg_str_eq_any_case(lg_json_str(item), lg_json_str(got))) {
            closest = item;
            best = 0;
        } else if (is_close(lg_json_str(got), lg_json_str(item), &best)) {
            closest = item;
        }
    }
    if (closest) {
        lg_text_addc(out, "; did you mean ");
        lg_text_add_literal(out, closest);
        lg_text_addc(out, "?");
    }
}

bool lg_report_enum(validation *v, const node *n, const spot *at)
{
    fixed_text out;
    if (!begin(v, n, at, fault(LG_FAULT_ENUM, "enum"), &out)) {
        return false;
    }
    const lg_json *allowed = n->value->allowed;
    add_subject(&out, at, nothing);
    lg_text_addc(&out, allowed->len == 1 ? " must be " : " must be one of ");
    lg_text_addc(&out, allowed->len == 0 ? "no values" : "");
    for (size_t i = 0; i < allowed->len; i++) {
        if (i > 0 && out.len > 150) {
            lg_text_addf(&out, ", ... (%u in all)", (unsigned)allowed->len);
            break;
        }
        lg_text_addc(&out, i ? ", " : "");
        lg_text_add_literal(&out, &allowed->as.items[i]);
    }
    lg_text_addc(&out, "; got ");
    lg_text_add_literal(&out, at->value);
    add_closest_value(&out, allowed, at->value);
    lg_text_end(&out);
    return false;
}

bool lg_report_const(validation *v, const node *n, const spot *at)
{
    fixed_text out;
    if (begin(v, n, at, fault(LG_FAULT_ENUM, "const"), &out)) {
        add_subject(&out, at, nothing);
        lg_text_addc(&out, " must be ");
        lg_text_add_literal(&out, n->value->constant);
        add_got(&out, at);
    }
    return false;
}

bool lg_report_bound(validation *v, const node *n, const spot *at, const lg_json *bound,
                     const char *keyword, const char *words)
{
    fixed_text out;
    if (begin(v, n, at, fault(LG_FAULT_RANGE, keyword), &out)) {
        add_subject(&out, at, nothing);
        lg_text_addf(&out, " must be %s ", words);
        lg_text_add_literal(&out, bound);
        add_got(&out, at);
    }
    return false;
}

bool lg_report_size(validation *v, const node *n, const spot *at, size_range range, uint64_t size,
                    const size_words *words)
{
    bool short_of = size < range.min;
    uint64_t bound = short_of ? range.min : range.max;
    const char *keyword = short_of ? words->min_keyword : words->max_keyword;
    fixed_text out;
    if (begin(v, n, at, fault(LG_FAULT_LENGTH, keyword), &out)) {
        add_subject(&out, at, nothing);
        lg_text_addf(&out, " must have at %s %llu %s; it has %llu", short_of ? "least" : "most",
                     (unsigned long long)bound, bound == 1 ? words->one : words->many,
                     (unsigned long long)size);
        lg_text_end(&out);
    }
    return false;
}

bool lg_report_pattern(validation *v, const node *n, const spot *at, const lg_pattern *pattern)
{
    fixed_text out;
    if (begin(v, n, at, fault(LG_FAULT_PATTERN, "pattern"), &out)) {
        add_subject(&out, at, nothing);
        lg_text_addc(&out, " must match the pattern ");
        lg_text_add_cut(&out, lg_pattern_text(pattern), 100);
        add_got(&out, at);
    }
    return false;
}

bool lg_report_format(validation *v, const node *n, const spot *at, const format_rule *wanted)
{
    fixed_text out;
    if (begin(v, n, at, fault(LG_FAULT_FORMAT, "format"), &out)) {
        add_subject(&out, at, nothing);
        lg_text_addf(&out, " must be %s", wanted->example);
        add_got(&out, at);
    }
    return false;
}

// --- Members --------------------------------------------------------------------------------------

static bool is_listed(const object_rules *r, lg_str name)
{
    for (size_t i = 0; i < r->property_count; i++) {
        if (lg_str_eq(r->properties[i].name, name)) {
            return true;
        }
    }
    return false;
}

// `id` of `payment_id`.
static bool is_last_word(lg_str word, lg_str name)
{
    return name.len > word.len + 1 && lg_str_ends(name, word) &&
           name.ptr[name.len - word.len - 1] == '_';
}

// `dob` of `date_of_birth`.
static bool is_initials(lg_str initials, lg_str name)
{
    size_t count = 0;
    for (size_t i = 0; i < name.len; i++) {
        bool first = name.ptr[i] != '_' && (i == 0 || name.ptr[i - 1] == '_');
        if (first && (count == initials.len || initials.ptr[count++] != name.ptr[i])) {
            return false;
        }
    }
    return count > 1 && count == initials.len;
}

// The member that was given under another name, one that the schema does not list, or NULL.
static const lg_json_member *find_misnamed(const object_rules *r, const lg_json *object,
                                           lg_str wanted)
{
    const lg_json_member *closest = NULL;
    uint32_t best = UINT32_MAX;
    for (size_t i = 0; i < lg_json_len(object) && i < MISNAMED_MAX; i++) {
        const lg_json_member *member = lg_json_member_at(object, i);
        lg_str name = lg_json_key(member);
        if (r->property_count > COMPARED_MAX || is_listed(r, name)) {
            continue;
        }
        if (is_last_word(name, wanted) || is_last_word(wanted, name) || is_initials(wanted, name) ||
            is_initials(name, wanted)) {
            return member;
        }
        closest = is_close(name, wanted, &best) ? member : closest;
    }
    return closest;
}

bool lg_report_missing(validation *v, const node *n, const spot *at, lg_str member)
{
    fixed_text out;
    if (begin(v, n, at, (fault_at){LG_FAULT_REQUIRED, "required", member}, &out)) {
        add_subject(&out, at, member);
        lg_text_addc(&out, " is required, but missing");
        const lg_json_member *misnamed = find_misnamed(n->object, at->value, member);
        if (misnamed) {
            lg_text_addc(&out, "; there is `");
            lg_text_add_cut(&out, lg_json_key(misnamed), 64);
            lg_text_addc(&out, "`, ");
            lg_text_add_literal(&out, &misnamed->value);
            lg_text_addc(&out, ": did you mean `");
            lg_text_add_cut(&out, member, 64);
            lg_text_addc(&out, "`?");
        }
        lg_text_end(&out);
    }
    return false;
}

bool lg_report_dependent(validation *v, const node *n, const spot *at, const dependency *d,
                         lg_str member)
{
    fixed_text out;
    if (begin(v, n, at, (fault_at){LG_FAULT_REQUIRED, d->keyword, member}, &out)) {
        add_subject(&out, at, member);
        lg_text_addc(&out, " is required when ");
        add_subject(&out, at, d->name);
        lg_text_addc(&out, " is given, but missing");
        lg_text_end(&out);
    }
    return false;
}

static void add_known_names(fixed_text *out, const object_rules *r, lg_str got)
{
    uint32_t best = UINT32_MAX;
    const property *closest = NULL;
    size_t named = 0;
    for (size_t i = 0; i < r->property_count && i < COMPARED_MAX; i++) {
        const property *p = &r->properties[i];
        named += p->schema ? 1 : 0;
        if (p->schema && (lg_str_eq_any_case(got, p->name) || is_close(got, p->name, &best))) {
            closest = p;
        }
    }
    if (closest) {
        lg_text_addc(out, "; did you mean `");
        lg_text_add_cut(out, closest->name, 64);
        lg_text_addc(out, "`?");
        return;
    }
    const char *before = "; allowed: `";
    for (size_t i = 0; named <= 12 && i < r->property_count; i++) {
        if (r->properties[i].schema && out->len < 190) {
            lg_text_addc(out, before);
            lg_text_add_cut(out, r->properties[i].name, 40);
            lg_text_addc(out, "`");
            before = ", `";
        }
    }
}

bool lg_report_unknown(validation *v, const node *n, const spot *member, const char *keyword)
{
    fixed_text out;
    if (begin(v, n, member, (fault_at){LG_FAULT_UNKNOWN, keyword, member->key}, &out)) {
        add_subject(&out, member, nothing);
        lg_text_addc(&out, " is not allowed here");
        add_known_names(&out, n->object, member->key);
        lg_text_end(&out);
    }
    return false;
}

// Why `n` refuses what stands at `at`, in one message; empty if it cannot be told.
static void explain(validation *v, const node *n, const spot *at, const scope *outer,
                    char room[256])
{
    lg_schema_violation item;
    lg_schema_report one = {.items = &item, .capacity = 1};
    lg_schema_report *saved = v->report;
    bool explaining = v->explaining;
    v->report = &one;
    v->explaining = true;
    (void)lg_eval(v, n, at, outer, NULL);
    v->report = saved;
    v->explaining = explaining;
    room[0] = '\0';
    if (one.count) {
        memcpy(room, item.msg, sizeof(item.msg));
    }
}

bool lg_report_name(validation *v, const node *n, const spot *at, const spot *name,
                    const scope *outer)
{
    if (!v->report) {
        return false;
    }
    char reason[256] = "";
    if (!v->explaining) {
        explain(v, n->object->names, name, outer, reason);
    }
    fixed_text out;
    if (begin(v, n, at, (fault_at){LG_FAULT_PATTERN, "propertyNames", name->key}, &out)) {
        lg_text_addc(&out, "the name ");
        lg_text_add_quoted(&out, name->key, 40);
        lg_text_addc(&out, " is not allowed in ");
        add_subject(&out, at, nothing);
        lg_text_addc(&out, reason[0] ? ": " : "");
        lg_text_addc(&out, reason);
        lg_text_end(&out);
    }
    return false;
}

// --- Items ----------------------------------------------------------------------------------------

bool lg_report_surplus(validation *v, const node *n, const spot *at, size_t index,
                       const char *keyword)
{
    fixed_text out;
    if (begin(v, n, at, fault(LG_FAULT_LENGTH, keyword), &out)) {
        add_subject(&out, at, nothing);
        if (strcmp(keyword, "unevaluatedItems") == 0) {
            lg_text_addf(&out, " must not have the item at index %zu", index);
        } else {
            lg_text_addf(&out, " must have at most %zu item%s; it has %u", index, lg_plural(index),
                         (unsigned)at->value->len);
        }
        lg_text_end(&out);
    }
    return false;
}

bool lg_report_repeat(validation *v, const node *n, const spot *at, size_t first, size_t second)
{
    fixed_text out;
    if (begin(v, n, at, fault(LG_FAULT_LENGTH, "uniqueItems"), &out)) {
        add_subject(&out, at, nothing);
        lg_text_addf(&out, " must have no equal items, but those at %zu and %zu are both ", first,
                     second);
        lg_text_add_literal(&out, &at->value->as.items[second]);
        lg_text_end(&out);
    }
    return false;
}

bool lg_report_contains(validation *v, const node *n, const spot *at, uint64_t found)
{
    const array_rules *r = n->array;
    bool few = found < r->contains_min;
    uint64_t bound = few ? r->contains_min : r->contains_max;
    const char *keyword = !few ? "maxContains" : r->contains_min == 1 ? "contains" : "minContains";
    fixed_text out;
    if (begin(v, n, at, fault(LG_FAULT_COMBINATION, keyword), &out)) {
        add_subject(&out, at, nothing);
        lg_text_addf(&out, " must have at %s %llu item%s of the kind under `contains`; it has %llu",
                     few ? "least" : "most", (unsigned long long)bound, lg_plural(bound),
                     (unsigned long long)found);
        lg_text_end(&out);
    }
    return false;
}

// --- Combinations ---------------------------------------------------------------------------------

enum { PEEK_DEPTH = 8 }; // references followed to guess what an alternative is about

// The types that `n` can accept at all, as far as it says so.
static uint32_t accepted_types(const node *n, int depth)
{
    uint32_t types = n->refuses ? 0 : n->types ? n->types : (uint32_t)TYPE_ANY;
    if (n->value && n->value->constant) {
        types &= lg_type_of_value(n->value->constant);
    }
    if (n->value && n->value->allowed && depth < PEEK_DEPTH) {
        uint32_t some = 0;
        for (size_t i = 0; i < n->value->allowed->len && i < COMPARED_MAX; i++) {
            some |= lg_type_of_value(&n->value->allowed->as.items[i]);
        }
        types &= n->value->allowed->len > COMPARED_MAX ? (uint32_t)TYPE_ANY : some;
    }
    if (n->logic && n->logic->ref && depth < PEEK_DEPTH) {
        types &= accepted_types(n->logic->ref, depth + 1);
    }
    return types;
}

// Whether a member that names the alternative (`"kind": {"const": "cat"}`) names another one.
static bool tag_differs(const node *n, const lg_json *value, int depth)
{
    for (size_t i = 0; n->object && i < n->object->property_count && i < COMPARED_MAX; i++) {
        const property *p = &n->object->properties[i];
        const lg_json *wanted = p->schema && p->schema->value ? p->schema->value->constant : NULL;
        const lg_json *got = wanted ? lg_json_get(value, p->name) : NULL;
        if (got && !lg_json_equal(wanted, got)) {
            return true;
        }
    }
    return n->logic && n->logic->ref && depth < PEEK_DEPTH &&
           tag_differs(n->logic->ref, value, depth + 1);
}

typedef struct choice_guess {
    uint32_t types;    // that any alternative accepts
    size_t fitting;    // alternatives of the right type and tag
    const node *first; // of them
    const node *typed; // first of the right type
} choice_guess;

static choice_guess guess_choice(const node_list *choices, const lg_json *value)
{
    choice_guess g = {0};
    for (size_t i = 0; i < choices->count && i < COMPARED_MAX; i++) {
        const node *n = choices->items[i];
        uint32_t types = accepted_types(n, 0);
        g.types |= types;
        if (!(types & lg_type_of_value(value))) {
            continue;
        }
        g.typed = g.typed ? g.typed : n;
        if (!tag_differs(n, value, 0)) {
            g.first = g.first ? g.first : n;
            g.fitting++;
        }
    }
    return g;
}

// None of the alternatives holds. If the type rules all of them out, that is what to say; if only
// one is meant, its own violations say it best; else the first one's reason stands for all.
bool lg_report_choice(validation *v, const node *n, const spot *at, const scope *outer,
                      const node_list *choices, const char *keyword)
{
    if (!v->report || v->report->count == v->report->capacity) {
        return !next_item(v) && false; // counted, but not explained
    }
    choice_guess g = guess_choice(choices, at->value);
    if (!g.typed && choices->count <= COMPARED_MAX && g.types) {
        return report_type_by(v, n, at, g.types, keyword);
    }
    size_t before = v->report->count + v->report->dropped;
    if (g.fitting == 1) {
        (void)lg_eval(v, g.first, at, outer, NULL);
        if (v->report->count + v->report->dropped > before) {
            return false;
        }
    }
    char reason[256] = "";
    const node *shown = g.first ? g.first : g.typed;
    if (shown && !v->explaining) {
        explain(v, shown, at, outer, reason);
    }
    fixed_text out;
    if (begin(v, n, at, fault(LG_FAULT_COMBINATION, keyword), &out)) {
        add_subject(&out, at, nothing);
        lg_text_addf(&out, " matches none of the %zu alternative%s of `%s`", choices->count,
                     lg_plural(choices->count), keyword);
        lg_text_addc(&out, reason[0] ? "; one of them says: " : "");
        lg_text_addc(&out, reason);
        lg_text_end(&out);
    }
    return false;
}

bool lg_report_both(validation *v, const node *n, const spot *at, size_t first, size_t second)
{
    fixed_text out;
    if (begin(v, n, at, fault(LG_FAULT_COMBINATION, "oneOf"), &out)) {
        add_subject(&out, at, nothing);
        lg_text_addf(&out,
                     " matches alternatives %zu and %zu of `oneOf`, but must match exactly one",
                     first + 1, second + 1);
        lg_text_end(&out);
    }
    return false;
}

bool lg_report_not(validation *v, const node *n, const spot *at)
{
    fixed_text out;
    if (begin(v, n, at, fault(LG_FAULT_COMBINATION, "not"), &out)) {
        add_subject(&out, at, nothing);
        lg_text_addc(&out, " must not match the schema under `not`");
        add_got(&out, at);
    }
    return false;
}

bool lg_report_false(validation *v, const node *n, const spot *at)
{
    fixed_text out;
    if (begin(v, n, at, fault(LG_FAULT_COMBINATION, NULL), &out)) {
        add_subject(&out, at, nothing);
        lg_text_addc(&out, " is never allowed");
        lg_text_end(&out);
    }
    return false;
}

const char *lg_schema_fault_name(lg_schema_fault kind)
{
    switch (kind) {
    case LG_FAULT_REQUIRED:
        return "required";
    case LG_FAULT_UNKNOWN:
        return "unknown_argument";
    case LG_FAULT_TYPE:
        return "type";
    case LG_FAULT_ENUM:
        return "enum";
    case LG_FAULT_RANGE:
        return "range";
    case LG_FAULT_LENGTH:
        return "length";
    case LG_FAULT_PATTERN:
        return "pattern";
    case LG_FAULT_FORMAT:
        return "format";
    case LG_FAULT_COMBINATION:
        return "combination";
    case LG_FAULT_LIMIT:
        return "limit";
    }
    return "unknown";
}
