// bench_schema.c: what it costs to compile the schemas of real tools and to check real calls.
//
//     bench_schema INPUTS/schema.json [ROUNDS]
//
// For each set of the file: nanoseconds to compile one schema, to validate one parsed instance with
// and without a report, and to parse and validate one text. With ROUNDS the instances are validated
// that many times and nothing is measured: for a profiler. One JSON line a measure; see
// bench/schema_side_by_side.py.
#include "sampling.h"

#include "base/alloc.h"
#include "base/file.h"
#include "schema/schema.h"

enum { SCHEMAS_MAX = 4096, INSTANCES_MAX = 8192, VIOLATIONS = 4 };

typedef struct instance {
    const lg_schema *schema;
    lg_str text;
    const lg_json *value;
} instance;

typedef struct set {
    const lg_json *sources; // the schemas
    const lg_schema *schemas[SCHEMAS_MAX];
    instance instances[INSTANCES_MAX];
    size_t count;
    lg_arena lasting;
    lg_arena scratch;
} set;

static void stop(const char *what)
{
    fprintf(stderr, "bench_schema: %s\n", what);
    exit(1);
}

static const lg_schema *compile(lg_arena *arena, const lg_json *source)
{
    lg_errors errors;
    lg_errors_init(&errors, arena, 5);
    const lg_schema *schema = lg_schema_compile(arena, source, NULL, &errors);
    if (!schema) {
        stop(errors.count ? errors.items[0].msg : "a schema was refused");
    }
    return schema;
}

static void compile_all(void *context)
{
    set *s = context;
    for (size_t i = 0; i < lg_json_len(s->sources); i++) {
        (void)compile(&s->scratch, lg_json_item(s->sources, i));
        lg_arena_reset(&s->scratch);
    }
}

static void validate_all(void *context)
{
    const set *s = context;
    for (size_t i = 0; i < s->count; i++) {
        if (!lg_schema_validate(s->instances[i].schema, s->instances[i].value, NULL)) {
            stop("an instance is not valid");
        }
    }
}

static void validate_with_report(void *context)
{
    const set *s = context;
    lg_schema_violation items[VIOLATIONS];
    for (size_t i = 0; i < s->count; i++) {
        lg_schema_report report = {.items = items, .capacity = VIOLATIONS};
        if (!lg_schema_validate(s->instances[i].schema, s->instances[i].value, &report)) {
            stop(items[0].msg);
        }
    }
}

static const lg_json *parse(lg_arena *arena, lg_str text)
{
    const lg_json *value = NULL;
    if (lg_json_parse_in(arena, text, 0, text.len, NULL, &value, NULL) != LG_OK) {
        stop("a text was refused");
    }
    return value;
}

static void parse_and_validate(void *context)
{
    set *s = context;
    for (size_t i = 0; i < s->count; i++) {
        const lg_json *value = parse(&s->scratch, s->instances[i].text);
        if (!lg_schema_validate(s->instances[i].schema, value, NULL)) {
            stop("an instance is not valid");
        }
        lg_arena_reset(&s->scratch);
    }
}

static void load(set *s, const lg_json *source)
{
    s->sources = lg_json_get(source, LG_STR("schemas"));
    const lg_json *instances = lg_json_get(source, LG_STR("instances"));
    s->count = lg_json_len(instances);
    if (lg_json_len(s->sources) > SCHEMAS_MAX || s->count > INSTANCES_MAX) {
        stop("too many schemas or instances");
    }
    for (size_t i = 0; i < lg_json_len(s->sources); i++) {
        s->schemas[i] = compile(&s->lasting, lg_json_item(s->sources, i));
    }
    for (size_t i = 0; i < s->count; i++) {
        const lg_json *item = lg_json_item(instances, i);
        int64_t at = 0;
        (void)lg_json_int(lg_json_get(item, LG_STR("schema")), &at);
        lg_str text = lg_json_str(lg_json_get(item, LG_STR("text")));
        s->instances[i] = (instance){s->schemas[at], text, parse(&s->lasting, text)};
    }
}

static void measure(set *s, const char *name)
{
    uint64_t allocations = lg_alloc_count();
    sampling_report("ledgergate", "compile", name, compile_all, s, lg_json_len(s->sources));
    if (s->count) {
        allocations = lg_alloc_count();
        sampling_report("ledgergate", "validate", name, validate_all, s, s->count);
        sampling_report("ledgergate, with a report", "validate", name, validate_with_report, s,
                        s->count);
        if (lg_alloc_count() != allocations) {
            stop("a validation asked for memory");
        }
        sampling_report("ledgergate", "parse and validate", name, parse_and_validate, s, s->count);
    }
}

int main(int argc, char **argv)
{
    static set s;
    lg_file file = {0};
    lg_error error;
    lg_json_doc *doc = NULL;
    if (argc < 2 || lg_file_open(argv[1], SIZE_MAX, &file, &error) != LG_OK ||
        lg_json_parse(file.text, NULL, &doc, &error) != LG_OK) {
        stop(argc < 2 ? "give a file" : error.msg);
    }
    for (size_t i = 0; i < lg_json_len(lg_json_root(doc)); i++) {
        const lg_json *source = lg_json_item(lg_json_root(doc), i);
        char name[64];
        snprintf(name, sizeof(name), "%.*s",
                 LG_FMT(lg_json_str(lg_json_get(source, LG_STR("name")))));
        lg_arena_init(&s.lasting, 0);
        lg_arena_init(&s.scratch, 0);
        load(&s, source);
        for (long round = argc > 2 ? strtol(argv[2], NULL, 10) : 0; round > 0; round--) {
            validate_all(&s);
        }
        if (argc == 2) {
            measure(&s, name);
        }
        lg_arena_done(&s.scratch);
        lg_arena_done(&s.lasting);
    }
    lg_json_doc_free(doc);
    lg_file_close(&file);
    return 0;
}
