// schema_test.h: parsing, compiling and validating in one line of a table.
#ifndef LG_SCHEMA_TEST_H
#define LG_SCHEMA_TEST_H

#include "lg_test.h"

#include "schema/schema.h"

// Tables are written with single quotes for the strings of JSON: "{'type': 'string'}". A quote
// inside of a string is `'` and cannot be had; no table needs one.
static inline lg_json_doc *parse_quoted(const char *text)
{
    char *copy = strdup(text);
    lg_json_doc *doc = NULL;
    lg_error error;
    lg_limits limits = {.json_depth = 3000};
    for (char *c = copy; c && *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    lg_str slice = {copy, copy ? strlen(copy) : 0};
    if (!copy || lg_json_parse(slice, &limits, &doc, &error) != LG_OK) {
        CHECK_MSG(false, text);
        printf("    %s\n", copy ? error.msg : "no memory");
        doc = NULL;
    }
    free(copy);
    return doc;
}

typedef struct compiled {
    lg_arena arena;
    lg_errors errors;
    lg_json_doc *doc;
    const lg_schema *schema;
} compiled;

static inline void compile_quoted(compiled *c, const char *text, const lg_schema_options *options)
{
    lg_arena_init(&c->arena, 0);
    lg_errors_init(&c->errors, &c->arena, 10);
    c->doc = parse_quoted(text);
    c->schema =
        c->doc ? lg_schema_compile(&c->arena, lg_json_root(c->doc), options, &c->errors) : NULL;
}

static inline void compiled_done(compiled *c)
{
    lg_json_doc_free(c->doc);
    lg_arena_done(&c->arena);
}

// Writes each violation as "fault pointer: message", a line each.
static inline void print_report(const lg_schema_report *report, char *out, size_t size_bytes)
{
    size_t len = 0;
    out[0] = '\0';
    for (size_t i = 0; i < report->count && len < size_bytes; i++) {
        const lg_schema_violation *item = &report->items[i];
        int wrote = snprintf(out + len, size_bytes - len, "%s%s %s: %s", i ? "\n" : "",
                             lg_schema_fault_name(item->fault), item->instance_pointer, item->msg);
        len += wrote > 0 ? (size_t)wrote : 0;
    }
}

// Validates with and without a report, which must agree, and compares the report's text with
// `want`; NULL means valid.
static inline void check_instance(const lg_schema *schema, const lg_json *instance,
                                  const char *want, const char *name)
{
    lg_schema_violation items[10];
    lg_schema_report report = {.items = items, .capacity = sizeof(items) / sizeof(items[0])};
    char got[4096];
    bool quiet = lg_schema_validate(schema, instance, NULL);
    bool told = lg_schema_validate(schema, instance, &report);
    CHECK_MSG(quiet == told, name);
    CHECK_MSG(told == (report.count == 0), name);
    print_report(&report, got, sizeof(got));
    if (!CHECK_MSG(strcmp(got, want ? want : "") == 0, name)) {
        printf("    got:  %s\n    want: %s\n", got, want ? want : "(valid)");
    }
}

typedef struct schema_case {
    const char *schema;
    const char *instance;
    const char *want; // the report; NULL: valid
} schema_case;

static inline void check_cases(const schema_case *cases, size_t count,
                               const lg_schema_options *options)
{
    for (size_t i = 0; i < count; i++) {
        compiled c;
        compile_quoted(&c, cases[i].schema, options);
        lg_json_doc *instance = parse_quoted(cases[i].instance);
        if (CHECK_MSG(c.schema != NULL, cases[i].schema) && instance) {
            check_instance(c.schema, lg_json_root(instance), cases[i].want, cases[i].schema);
        } else if (c.errors.count) {
            printf("    %s\n", c.errors.items[0].msg);
        }
        lg_json_doc_free(instance);
        compiled_done(&c);
    }
}

#endif
