// Unification with a trail, in the manner of every Hindley-Milner checker, with two additions that
// CEL asks for: dyn fits everything, and a variable bound to a type gives way to a more general one
// (`[optional.of(1), optional.of(dyn(1))]` is a list of optional dyn).
#include "cel/infer.h"

#define STEPS_MAX 200000u

void lg_cel_infer_init(lg_cel_infer *infer, lg_arena *arena)
{
    *infer = (lg_cel_infer){.arena = arena, .steps = STEPS_MAX};
}

static bool is_variable(const lg_cel_type *type)
{
    return type->kind == LG_CEL_PARAM && type->name.len == 0;
}

const lg_cel_type *lg_cel_infer_variable(lg_cel_infer *infer)
{
    lg_cel_binding *variables = lg_arena_grow(infer->arena, infer->variables, infer->count,
                                              &infer->capacity, sizeof(*variables));
    lg_cel_type *type = LG_NEW(infer->arena, lg_cel_type);
    if (!variables || !type) {
        infer->failed = true;
        return &lg_cel_t_error;
    }
    infer->variables = variables;
    infer->variables[infer->count].type = NULL;
    type->kind = LG_CEL_PARAM;
    type->field_count = infer->count++; // its number: a variable has no fields
    return type;
}

const lg_cel_type *lg_cel_infer_resolve(const lg_cel_infer *infer, const lg_cel_type *type)
{
    while (is_variable(type) && infer->variables[type->field_count].type) {
        type = infer->variables[type->field_count].type;
    }
    return type;
}

static bool step(lg_cel_infer *infer)
{
    if (infer->steps == 0) {
        infer->failed = true;
        return false;
    }
    infer->steps--;
    return true;
}

static bool occurs(lg_cel_infer *infer, size_t variable, const lg_cel_type *type)
{
    if (!step(infer)) {
        return true;
    }
    type = lg_cel_infer_resolve(infer, type);
    if (is_variable(type)) {
        return type->field_count == variable;
    }
    for (size_t i = 0; i < type->param_count; i++) {
        if (occurs(infer, variable, type->params[i])) {
            return true;
        }
    }
    return (type->key && occurs(infer, variable, type->key)) ||
           (type->element && occurs(infer, variable, type->element));
}

static bool bind(lg_cel_infer *infer, size_t variable, const lg_cel_type *type)
{
    if (occurs(infer, variable, type)) {
        return false;
    }
    lg_cel_undo *trail = lg_arena_grow(infer->arena, infer->trail, infer->trail_count,
                                       &infer->trail_capacity, sizeof(*trail));
    if (!trail) {
        infer->failed = true;
        return false;
    }
    infer->trail = trail;
    infer->trail[infer->trail_count++] = (lg_cel_undo){variable, infer->variables[variable].type};
    infer->variables[variable].type = type;
    return true;
}

static void undo(lg_cel_infer *infer, size_t mark)
{
    while (infer->trail_count > mark) {
        lg_cel_undo last = infer->trail[--infer->trail_count];
        infer->variables[last.variable].type = last.before;
    }
}

// Whether `a` says at most as much as `b`.
static bool at_least_as_general(lg_cel_infer *infer, const lg_cel_type *a, const lg_cel_type *b)
{
    a = lg_cel_infer_resolve(infer, a);
    b = lg_cel_infer_resolve(infer, b);
    if (a == b || a->kind == LG_CEL_DYN || is_variable(a)) {
        return true;
    }
    if (!step(infer) || a->kind != b->kind || is_variable(b) || a->param_count != b->param_count ||
        (b->nullable && !a->nullable)) {
        return false;
    }
    for (size_t i = 0; i < a->param_count; i++) {
        if (!at_least_as_general(infer, a->params[i], b->params[i])) {
            return false;
        }
    }
    return (!a->key || at_least_as_general(infer, a->key, b->key)) &&
           (!a->element || at_least_as_general(infer, a->element, b->element));
}

// `from` meets a variable that is bound already: they must agree, and the more general one stays.
static bool meet_bound(lg_cel_infer *infer, const lg_cel_type *variable, const lg_cel_type *other)
{
    const lg_cel_type *bound = lg_cel_infer_resolve(infer, variable);
    if (!lg_cel_infer_assignable(infer, other, bound)) {
        return false;
    }
    other = lg_cel_infer_resolve(infer, other);
    if (other != bound && !is_variable(other) && at_least_as_general(infer, other, bound)) {
        while (infer->variables[variable->field_count].type &&
               is_variable(infer->variables[variable->field_count].type)) {
            variable = infer->variables[variable->field_count].type;
        }
        return bind(infer, variable->field_count, other);
    }
    return true;
}

static bool takes_null(const lg_cel_type *type)
{
    return type->nullable || type->kind == LG_CEL_NULL || type->kind == LG_CEL_OBJECT ||
           type->kind == LG_CEL_TIMESTAMP || type->kind == LG_CEL_DURATION ||
           type->kind == LG_CEL_OPAQUE || type->kind == LG_CEL_OPTIONAL;
}

static bool is_map_like(const lg_cel_type *type)
{
    return type->kind == LG_CEL_MAP || type->kind == LG_CEL_OBJECT;
}

// An object is a map from strings to anything.
static bool assignable_maps(lg_cel_infer *infer, const lg_cel_type *from, const lg_cel_type *to)
{
    if (from->kind == LG_CEL_OBJECT && to->kind == LG_CEL_OBJECT) {
        return lg_str_eq(from->name, to->name);
    }
    const lg_cel_type *from_key = from->kind == LG_CEL_MAP ? from->key : &lg_cel_t_string;
    const lg_cel_type *to_key = to->kind == LG_CEL_MAP ? to->key : &lg_cel_t_string;
    const lg_cel_type *from_value = from->kind == LG_CEL_MAP ? from->element : &lg_cel_t_dyn;
    const lg_cel_type *to_value = to->kind == LG_CEL_MAP ? to->element : &lg_cel_t_dyn;
    return lg_cel_infer_assignable(infer, from_key, to_key) &&
           lg_cel_infer_assignable(infer, from_value, to_value);
}

static bool assignable_known(lg_cel_infer *infer, const lg_cel_type *from, const lg_cel_type *to)
{
    if (from->kind == LG_CEL_NULL || to->kind == LG_CEL_NULL) {
        return takes_null(from->kind == LG_CEL_NULL ? to : from);
    }
    if (is_map_like(from) && is_map_like(to)) {
        return assignable_maps(infer, from, to);
    }
    if (from->kind != to->kind || from->param_count != to->param_count ||
        (from->kind == LG_CEL_OPAQUE && !lg_str_eq(from->name, to->name))) {
        return false;
    }
    for (size_t i = 0; i < from->param_count; i++) {
        if (!lg_cel_infer_assignable(infer, from->params[i], to->params[i])) {
            return false;
        }
    }
    bool has_element = from->kind == LG_CEL_LIST || from->kind == LG_CEL_OPTIONAL;
    return !has_element || lg_cel_infer_assignable(infer, from->element, to->element);
}

bool lg_cel_infer_assignable(lg_cel_infer *infer, const lg_cel_type *from, const lg_cel_type *to)
{
    if (!step(infer)) {
        return false;
    }
    const lg_cel_type *from_known = lg_cel_infer_resolve(infer, from);
    const lg_cel_type *to_known = lg_cel_infer_resolve(infer, to);
    if (from_known == to_known) {
        return true;
    }
    if (is_variable(to_known)) {
        return bind(infer, to_known->field_count, from_known);
    }
    if (is_variable(from_known)) {
        return bind(infer, from_known->field_count, to_known);
    }
    if (is_variable(to)) {
        return meet_bound(infer, to, from_known);
    }
    if (is_variable(from)) {
        return meet_bound(infer, from, to_known);
    }
    if (from_known->kind <= LG_CEL_DYN || to_known->kind <= LG_CEL_DYN) {
        return true; // dyn, or an error that was reported where it arose
    }
    return assignable_known(infer, from_known, to_known);
}

const lg_cel_type *lg_cel_infer_join(lg_cel_infer *infer, const lg_cel_type *a,
                                     const lg_cel_type *b)
{
    size_t mark = infer->trail_count;
    if (!lg_cel_infer_assignable(infer, b, a)) {
        undo(infer, mark);
        return &lg_cel_t_dyn;
    }
    const lg_cel_type *known = lg_cel_infer_resolve(infer, b);
    bool b_wider = known->kind != LG_CEL_NULL && at_least_as_general(infer, b, a) &&
                   !at_least_as_general(infer, a, b);
    return b_wider || lg_cel_infer_resolve(infer, a)->kind == LG_CEL_NULL ? b : a;
}

// --- Rebuilding types ---------------------------------------------------------------------------

typedef struct substitution {
    lg_cel_infer *infer;
    bool final;      // variables become what they are bound to, else parameters become variables
    lg_str names[8]; // of parameters
    const lg_cel_type *variables[8];
    size_t count;
} substitution;

static const lg_cel_type *substitute(substitution *s, const lg_cel_type *type);

static const lg_cel_type *instance_of(substitution *s, const lg_cel_type *param)
{
    for (size_t i = 0; i < s->count; i++) {
        if (lg_str_eq(s->names[i], param->name)) {
            return s->variables[i];
        }
    }
    if (s->count == LG_COUNT(s->names)) {
        return &lg_cel_t_dyn;
    }
    s->names[s->count] = param->name;
    s->variables[s->count] = lg_cel_infer_variable(s->infer);
    return s->variables[s->count++];
}

static const lg_cel_type *rebuild(substitution *s, const lg_cel_type *type)
{
    lg_cel_type *copy = LG_NEW(s->infer->arena, lg_cel_type);
    const lg_cel_type **params =
        LG_NEW_ARRAY(s->infer->arena, const lg_cel_type *, type->param_count + 1);
    if (!copy || !params) {
        s->infer->failed = true;
        return &lg_cel_t_error;
    }
    *copy = *type;
    bool changed = false;
    if (type->key) {
        copy->key = substitute(s, type->key);
    }
    if (type->element) {
        copy->element = substitute(s, type->element);
    }
    for (size_t i = 0; i < type->param_count; i++) {
        params[i] = substitute(s, type->params[i]);
        changed |= params[i] != type->params[i];
    }
    copy->params = params;
    return changed || copy->key != type->key || copy->element != type->element ? copy : type;
}

static const lg_cel_type *substitute(substitution *s, const lg_cel_type *type)
{
    if (!step(s->infer)) {
        return &lg_cel_t_error;
    }
    if (s->final) {
        type = lg_cel_infer_resolve(s->infer, type);
    }
    if (type->kind == LG_CEL_PARAM) {
        return !s->final ? is_variable(type) ? type : instance_of(s, type) : &lg_cel_t_dyn;
    }
    return type->key || type->element || type->param_count ? rebuild(s, type) : type;
}

const lg_cel_type *lg_cel_infer_final(lg_cel_infer *infer, const lg_cel_type *type)
{
    substitution s = {.infer = infer, .final = true};
    return substitute(&s, type);
}

// --- Calls --------------------------------------------------------------------------------------

static bool fits(lg_cel_infer *infer, substitution *s, const lg_cel_overload *overload,
                 const lg_cel_type *const *args, size_t arg_count)
{
    for (size_t i = 0; i < arg_count; i++) {
        size_t last = overload->arg_count - 1u;
        const lg_cel_type *param = overload->args[i < overload->arg_count ? i : last];
        if (!lg_cel_infer_assignable(infer, args[i], substitute(s, param))) {
            return false;
        }
    }
    return true;
}

void lg_cel_infer_try(lg_cel_infer *infer, lg_cel_candidates *call,
                      const lg_cel_overload *overloads, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const lg_cel_overload *overload = &overloads[i];
        bool count_fits = overload->variadic ? call->arg_count >= overload->arg_count
                                             : call->arg_count == overload->arg_count;
        if (overload->member != call->member || !count_fits) {
            continue;
        }
        substitution s = {.infer = infer};
        size_t mark = infer->trail_count;
        if (fits(infer, &s, overload, call->args, call->arg_count)) {
            const lg_cel_type *result = lg_cel_infer_final(infer, substitute(&s, overload->result));
            call->result =
                !call->result || lg_cel_type_equal(call->result, result) ? result : &lg_cel_t_dyn;
            call->last = overload;
            call->fitting++;
        }
        undo(infer, mark);
    }
}

const lg_cel_type *lg_cel_infer_chosen(lg_cel_infer *infer, const lg_cel_candidates *call)
{
    substitution s = {.infer = infer};
    if (call->fitting != 1 || !fits(infer, &s, call->last, call->args, call->arg_count)) {
        return call->result;
    }
    return substitute(&s, call->last->result);
}
