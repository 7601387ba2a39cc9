// symbolic_terms.c: what Z3 can tell of a formula, and a model that is made by hand.
#include "symbolic_terms.h"

// --- Looking inside -----------------------------------------------------------------------------

const char *term_print(terms *t, term a)
{
    return z3.ast_to_string(t->context, ast(a));
}

const char *term_digits(terms *t, term numeral)
{
    return z3.get_numeral_string(t->context, ast(numeral));
}

term term_arg(terms *t, term a, uint32_t index)
{
    LG_ASSERT(index < term_arg_count(t, a));
    return (term)(void *)terms_child(t, ast(a), index);
}

bool term_is_call_of(terms *t, term a, const term_func *func)
{
    return func && term_op_of(t, a) == TERM_CALL &&
           z3.get_app_decl(t->context, z3.to_app(t->context, ast(a))) == func->decl;
}

const term_func *number_function(const problem *p, term call, term_arith *ret_op, bool *ret_finite)
{
    const number_funs *funs = p->number_funs;
    for (uint32_t i = 0; funs && i < NUMBER_OPERATIONS; i++) {
        const term_func *of[] = {funs->finite[i], funs->doubles[i], funs->wholes[i]};
        for (uint32_t k = 0; k < LG_COUNT(of); k++) {
            if (term_is_call_of(p->t, call, of[k])) {
                *ret_op = (term_arith)i;
                *ret_finite = k == 0;
                return of[k];
            }
        }
    }
    return NULL;
}

// --- A model of one's own -----------------------------------------------------------------------

own_model begin_model(terms *t)
{
    if (t->model) {
        z3.model_dec_ref(t->context, t->model);
    }
    t->model = z3.mk_model(t->context);
    if (t->model) {
        z3.model_inc_ref(t->context, t->model);
    }
    return (own_model){.t = t};
}

void model_constant(own_model *m, term constant, term value)
{
    terms *t = m->t;
    LG_ASSERT(t->failed || term_sort_of(t, constant) == term_sort_of(t, value));
    if (t->model && !term_is_literal(t, constant)) {
        z3.add_const_interp(t->context, t->model,
                            z3.get_app_decl(t->context, z3.to_app(t->context, ast(constant))),
                            ast(value));
    }
}

static bool grow(own_model *m)
{
    if (m->count < m->capacity) {
        return true;
    }
    size_t capacity = m->capacity ? m->capacity * 2 : 32;
    const term_func **funcs = LG_NEW_ARRAY(m->t->arena, const term_func *, capacity);
    Z3_func_interp *interps = LG_NEW_ARRAY(m->t->arena, Z3_func_interp, capacity);
    if (!funcs || !interps) {
        return false;
    }
    for (size_t i = 0; i < m->count; i++) {
        funcs[i] = m->funcs[i];
        interps[i] = m->interps[i];
    }
    m->funcs = funcs;
    m->interps = interps;
    m->capacity = capacity;
    return true;
}

// The first value that is given is what the function gives elsewhere, too.
static Z3_func_interp interp_of(own_model *m, const term_func *func, term otherwise)
{
    for (size_t i = 0; i < m->count; i++) {
        if (m->funcs[i] == func) {
            return m->interps[i];
        }
    }
    terms *t = m->t;
    Z3_func_interp made =
        grow(m) ? z3.add_func_interp(t->context, t->model, func->decl, ast(otherwise)) : NULL;
    if (made) {
        z3.func_interp_inc_ref(t->context, made);
        m->funcs[m->count] = func;
        m->interps[m->count++] = made;
    }
    return made;
}

void model_call(own_model *m, const term_func *func, const term *args, uint32_t count, term value)
{
    terms *t = m->t;
    LG_ASSERT(count == func->count);
    Z3_func_interp interp = t->model ? interp_of(m, func, value) : NULL;
    if (!interp) {
        return;
    }
    Z3_ast_vector vector = z3.mk_ast_vector(t->context);
    z3.ast_vector_inc_ref(t->context, vector);
    for (uint32_t i = 0; i < count; i++) {
        z3.ast_vector_push(t->context, vector, ast(args[i]));
    }
    z3.func_interp_add_entry(t->context, interp, vector, ast(value));
    z3.ast_vector_dec_ref(t->context, vector);
}

// The model keeps its functions; a count of their own goes beside.
void end_model(own_model *m)
{
    for (size_t i = 0; i < m->count; i++) {
        z3.func_interp_dec_ref(m->t->context, m->interps[i]);
    }
    m->count = 0;
}
