// cel_fixture.h: compiling and evaluating an expression over JSON variables, for tests of the room.
#ifndef LG_TEST_CEL_FIXTURE_H
#define LG_TEST_CEL_FIXTURE_H

#include "cel/cel.h"

#include "lg_test.h"

typedef struct cel_fixture {
    lg_arena arena;   // environment, programs, variables
    lg_arena scratch; // of one evaluation
    lg_cel_env *env;
    lg_errors errors;
    lg_cel_value values[64];
    lg_cel_read reads[256];
    lg_cel_read_log log;
    lg_buf text; // what show_value and show_error printed last
} cel_fixture;

static inline void fixture_init(cel_fixture *f)
{
    *f = (cel_fixture){0};
    lg_arena_init(&f->arena, 0);
    lg_arena_init(&f->scratch, 0);
    lg_buf_init(&f->text, 0);
    f->env = lg_cel_env_new(&f->arena, NULL, NULL);
    f->log = (lg_cel_read_log){.items = f->reads, .capacity = 256};
}

static inline void fixture_done(cel_fixture *f)
{
    lg_buf_done(&f->text);
    lg_arena_done(&f->scratch);
    lg_arena_done(&f->arena);
}

static inline void fixture_declare(cel_fixture *f, const char *name, const lg_cel_type *type,
                                   lg_cel_value value)
{
    uint32_t slot = lg_cel_env_declare(f->env, lg_str_c(name), type);
    CHECK_MSG(slot < 64, name);
    f->values[slot < 64 ? slot : 0] = value;
}

static inline lg_cel_value fixture_json(cel_fixture *f, const char *text)
{
    const lg_json *json = NULL;
    lg_error error;
    lg_str copy = lg_arena_str(&f->arena, lg_str_c(text));
    lg_status status = lg_json_parse_in(&f->arena, copy, 0, copy.len, NULL, &json, &error);
    CHECK_MSG(status == LG_OK, text);
    return status == LG_OK ? lg_cel_from_json(json) : lg_cel_make_null();
}

// NULL if there was an error; the first one is then in f->text as "line:column: message".
static inline const lg_cel_program *fixture_compile(cel_fixture *f, lg_str source)
{
    lg_errors_init(&f->errors, &f->arena, 20);
    const lg_cel_program *program =
        lg_cel_compile(&f->arena, f->env, source, (lg_position){"test", 1, 1}, &f->errors);
    lg_buf_clear(&f->text);
    if (!program && f->errors.count > 0) {
        const lg_error *error = &f->errors.items[0];
        lg_buf_addf(&f->text, "%u:%u: %s", error->line, error->column, error->msg);
    }
    CHECK_MSG((program == NULL) == lg_errors_any(&f->errors), "an error is reported, or none");
    return program;
}

static inline lg_cel_value fixture_eval(cel_fixture *f, const lg_cel_program *program)
{
    f->log.count = 0;
    f->log.dropped = 0;
    return lg_cel_eval(
        program, &(lg_cel_activation){.values = f->values, .scratch = &f->scratch, .log = &f->log});
}

static inline const char *failure_name(lg_cel_failure_kind kind)
{
    switch (kind) {
    case LG_CEL_FAIL_MISSING:
        return "missing";
    case LG_CEL_FAIL_TYPE:
        return "type";
    case LG_CEL_FAIL_RANGE:
        return "range";
    case LG_CEL_FAIL_LIMIT:
        return "limit";
    }
    return "?";
}

// "int 42", "missing: no such key `a`", "type: no such overload".
static inline lg_str fixture_show(cel_fixture *f, lg_cel_value value)
{
    lg_buf_clear(&f->text);
    if (value.kind == LG_CEL_ERROR) {
        const lg_cel_failure *failure = value.as.failure;
        lg_buf_addf(&f->text, "%s: %s", failure_name(failure->kind), failure->what);
        if (failure->kind == LG_CEL_FAIL_MISSING) {
            lg_buf_add_c(&f->text, " `");
            lg_cel_print(&f->text, failure->key);
            lg_buf_add_c(&f->text, "`");
        }
    } else {
        lg_cel_type_print(&f->text, lg_cel_type_of(value));
        size_t bracket = lg_str_find(lg_buf_str(&f->text), LG_STR("("));
        f->text.len = bracket == SIZE_MAX ? f->text.len : bracket;
        lg_buf_add_byte(&f->text, ' ');
        lg_cel_print(&f->text, value);
    }
    return lg_buf_str(&f->text);
}

// Compiles and evaluates; what comes out, or the first error of the compilation, as text.
static inline lg_str fixture_run(cel_fixture *f, const char *source)
{
    const lg_cel_program *program = fixture_compile(f, lg_str_c(source));
    lg_arena_reset(&f->scratch);
    return program ? fixture_show(f, fixture_eval(f, program)) : lg_buf_str(&f->text);
}

#endif
