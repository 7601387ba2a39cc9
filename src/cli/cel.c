// cel.c: `ledgergate cel`: what does this expression give?
#include "cli/values.h"

#include "cel/cel.h"

#include <stdio.h>

static const char help[] =
    "usage: ledgergate cel EXPRESSION [--bind FILE] [--json]\n"
    "\n"
    "Evaluates an expression of the Common Expression Language and prints its value. The members\n"
    "of the object in FILE (JSON or YAML; - is standard input) are its variables. An expression\n"
    "that begins with a minus goes behind --.\n"
    "\n"
    "  --bind FILE  an object whose members are the variables\n"
    "  --json       {\"value\": ..., \"type\": ...} or {\"error\": ..., \"line\": ..., \"column\": "
    "...}\n"
    "\n"
    "    ledgergate cel 'items.all(i, i.quantity > 0)' --bind order.json\n"
    "\n"
    "Exit codes: 0 a value, 1 the evaluation failed, 2 it does not compile or bad input, 3 "
    "internal\n"
    "or environment.\n";

#define COMPILE_ERRORS_MAX 50u
#define SOURCE_NAME "expression"

typedef struct evaluation {
    lg_arena arena;
    cli_out out;
    bool json;
    lg_str source;
    const lg_json *bindings; // NULL: no variables
    lg_cel_value *values;    // by slot
} evaluation;

// --- Output -------------------------------------------------------------------------------------

static void write_problem(lg_json_writer *w, const lg_error *error)
{
    lg_jw_member_c(w, "error", error->msg);
    lg_jw_member_uint(w, "line", error->line);
    lg_jw_member_uint(w, "column", error->column);
}

// The first problem is the error; all of them are listed where there are more.
static void say_problems(evaluation *e, const lg_error *errors, size_t count)
{
    if (!e->json) {
        for (size_t i = 0; i < count; i++) {
            cli_say_error(&errors[i], e->source);
        }
        return;
    }
    lg_json_writer w = {.out = &e->out.buf};
    lg_jw_begin_object(&w);
    write_problem(&w, &errors[0]);
    if (count > 1) {
        lg_jw_key(&w, "errors");
        lg_jw_begin_array(&w);
        for (size_t i = 0; i < count; i++) {
            lg_jw_begin_object(&w);
            write_problem(&w, &errors[i]);
            lg_jw_end_object(&w);
        }
        lg_jw_end_array(&w);
    }
    lg_jw_end_object(&w);
    lg_buf_add_c(&e->out.buf, "\n");
}

static void add_type(lg_json_writer *w, lg_cel_value value)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_cel_type_print(&text, lg_cel_type_of(value));
    lg_jw_str(w, lg_buf_str(&text));
    lg_buf_done(&text);
}

// As JSON where JSON can hold it, else as its text.
static void print_value(evaluation *e, lg_cel_value value)
{
    if (!e->json) {
        lg_buf text;
        lg_buf_init(&text, 0);
        lg_cel_print(&text, value);
        cli_add_text(&e->out, lg_buf_str(&text));
        lg_buf_add_c(&e->out.buf, "\n");
        e->out.failed = e->out.failed || lg_buf_status(&text) != LG_OK;
        lg_buf_done(&text);
        return;
    }
    lg_json_writer w = {.out = &e->out.buf};
    const lg_json *json = lg_cel_to_json(&e->arena, value);
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "value");
    if (json) {
        lg_jw_json(&w, json);
    } else {
        lg_buf text;
        lg_buf_init(&text, 0);
        lg_cel_print(&text, value);
        lg_jw_str(&w, lg_buf_str(&text));
        lg_buf_done(&text);
    }
    lg_jw_key(&w, "type");
    add_type(&w, value);
    lg_jw_end_object(&w);
    lg_buf_add_c(&e->out.buf, "\n");
}

static void say_failure(evaluation *e, const lg_cel_failure *failure)
{
    lg_error error;
    lg_position at = lg_text_position(e->source, failure->offset);
    at.file = SOURCE_NAME;
    if (failure->kind == LG_CEL_FAIL_MISSING) {
        lg_buf key;
        lg_buf_init(&key, 0);
        lg_cel_print(&key, failure->key);
        (void)lg_fail_at(&error, LG_ERR_MISSING, at, "%s: %.*s", failure->what,
                         LG_FMT(lg_buf_str(&key)));
        lg_buf_done(&key);
    } else {
        (void)lg_fail_at(&error, LG_ERR_TYPE, at, "%s", failure->what);
    }
    say_problems(e, &error, 1);
}

// --- Evaluation ---------------------------------------------------------------------------------

static lg_cel_env *declare(evaluation *e)
{
    lg_cel_env *env = lg_cel_env_new(&e->arena, NULL, NULL);
    size_t count = lg_json_len(e->bindings);
    e->values = LG_NEW_ARRAY(&e->arena, lg_cel_value, count + 1);
    if (!env || !e->values) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        const lg_json_member *member = lg_json_member_at(e->bindings, i);
        uint32_t slot =
            lg_cel_env_declare(env, lg_json_key(member), lg_cel_type_of_kind(LG_CEL_DYN));
        // A key that can be no name is no variable; an expression that wants it does not compile.
        if (slot <= count) {
            e->values[slot] = lg_cel_from_json(&member->value);
        }
    }
    return env;
}

static int evaluate(evaluation *e)
{
    lg_cel_env *env = declare(e);
    if (!env) {
        cli_say("ledgergate: out of memory");
        return EXIT_INTERNAL;
    }
    lg_errors errors;
    lg_errors_init(&errors, &e->arena, COMPILE_ERRORS_MAX);
    lg_position at = {SOURCE_NAME, 1, 1};
    const lg_cel_program *program = lg_cel_compile(&e->arena, env, e->source, at, &errors);
    if (!program && errors.count) {
        say_problems(e, errors.items, errors.count);
        return cli_exit_code(errors.items[0].status);
    }
    if (!program) {
        cli_say("ledgergate: out of memory");
        return EXIT_INTERNAL;
    }
    lg_cel_value value =
        lg_cel_eval(program, &(lg_cel_activation){.values = e->values, .scratch = &e->arena});
    if (value.kind == LG_CEL_ERROR) {
        say_failure(e, value.as.failure);
        return EXIT_FINDINGS;
    }
    print_value(e, value);
    return EXIT_FINE;
}

int cli_cel(int argc, char **argv)
{
    if (cli_wants_help(argc, argv)) {
        return cli_print_help(help);
    }
    const char *bind = NULL;
    evaluation e = {.json = false};
    const cli_option options[] = {{"--bind", &bind, NULL}, {"--json", NULL, &e.json}};
    size_t operands;
    int code = cli_parse("cel", argc, argv, options, LG_COUNT(options), &operands);
    if (code != EXIT_FINE) {
        return code;
    }
    if (operands != 1) {
        return cli_usage("cel", "give one expression; quote it, so that the shell leaves it alone");
    }
    cli_values file = {.path = NULL};
    if (bind && !cli_values_open_one(bind, &file, &code)) {
        cli_values_close(&file);
        return code;
    }
    e.source = lg_str_c(argv[0]);
    e.bindings = bind ? file.items[0] : NULL;
    if (bind && !lg_json_is(e.bindings, LG_JSON_OBJECT)) {
        cli_values_close(&file);
        return cli_usage("cel", "%s must hold an object, whose members are the variables", bind);
    }
    lg_arena_init(&e.arena, lg_limits_resolve(NULL).document_bytes);
    cli_out_init(&e.out, e.json);
    code = evaluate(&e);
    lg_arena_done(&e.arena);
    cli_values_close(&file);
    return cli_out_done(&e.out, code);
}
