// z3_api.h: the functions of Z3 that are called, found in its library when they are first needed.
//
// The program is not linked with Z3: whatever does not prove runs without it, and never loads its
// 27 MB. Z3's own header is needed to build, and gives each function its type, so that a call
// through this table is checked like any other. `z3.mk_eq(...)` is Z3_mk_eq(...).
//
// To call another function: its name in the list.
#ifndef LG_SYMBOLIC_Z3_API_H
#define LG_SYMBOLIC_Z3_API_H

#include "base/types.h"

#include <z3.h>

// clang-format off
#define Z3_FUNCTIONS(X)                                                                     \
    X(add_const_interp) X(add_func_interp) X(ast_to_string) X(ast_vector_dec_ref)           \
    X(ast_vector_inc_ref) X(ast_vector_push) X(del_config) X(del_context)                   \
    X(func_interp_add_entry) X(func_interp_dec_ref) X(func_interp_inc_ref) X(get_app_arg)   \
    X(get_app_decl) X(get_app_num_args) X(get_ast_id) X(get_ast_kind) X(get_decl_kind)      \
    X(get_error_code) X(get_full_version) X(get_numeral_int64) X(get_numeral_string)        \
    X(get_quantifier_body) X(get_sort) X(global_param_set) X(is_numeral_ast) X(mk_add)      \
    X(mk_and) X(mk_app) X(mk_ast_vector) X(mk_bool_sort) X(mk_config) X(mk_const)           \
    X(mk_context) X(mk_div) X(mk_eq) X(mk_exists_const) X(mk_false) X(mk_func_decl)         \
    X(mk_int2real) X(mk_int64) X(mk_int_sort) X(mk_is_int) X(mk_ite) X(mk_lt) X(mk_mod)     \
    X(mk_model) X(mk_mul) X(mk_not) X(mk_numeral) X(mk_or) X(mk_params) X(mk_real2int)      \
    X(mk_real_sort) X(mk_simple_solver) X(mk_string_symbol) X(mk_sub) X(mk_true)            \
    X(mk_unsigned_int64) X(get_estimated_alloc_size) X(solver_get_reason_unknown)           \
    X(model_dec_ref) X(model_eval) X(model_inc_ref) X(params_dec_ref) X(params_inc_ref)     \
    X(params_set_bool) X(params_set_uint) X(set_error_handler) X(simplify) X(solver_assert) \
    X(solver_check) X(solver_dec_ref) X(solver_get_model) X(solver_inc_ref) X(solver_pop)   \
    X(solver_push) X(solver_set_params) X(to_app) X(update_term)
// clang-format on

typedef struct z3_functions {
#define X(name) __typeof__(&Z3_##name) name;
    Z3_FUNCTIONS(X)
#undef X
} z3_functions;

extern z3_functions z3; // filled by z3_load(), and then never changed

// Loads Z3 once for the process: from `path`, or if that is NULL from where the system keeps its
// libraries. Later calls answer as the first did that succeeded; a failure may be tried again. Fails
// with LG_ERR_ENVIRONMENT, and says what to install. May be called by several threads.
LG_NODISCARD lg_status z3_load(const char *path, lg_error *reterr);

#endif
