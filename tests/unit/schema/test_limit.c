// test_limit.c: every ceiling from both sides: just below it passes, just above the limit is named.
#include "schema_test.h"

#include "base/alloc.h"
#include "schema/schema_internal.h"

#include <time.h>

typedef struct text {
    char *ptr;
    size_t len;
    size_t cap;
} text;

static void add(text *t, const char *part, size_t times)
{
    size_t len = strlen(part);
    while (t->len + len * times + 1 > t->cap) {
        t->cap = t->cap ? t->cap * 2 : 1024;
        t->ptr = realloc(t->ptr, t->cap);
    }
    for (size_t i = 0; i < times; i++) {
        memcpy(t->ptr + t->len, part, len + 1);
        t->len += len;
    }
}

// Compiles and expects success, or the error `want`.
static void check_compile(const char *schema, const lg_schema_options *options, const char *want)
{
    compiled c;
    compile_quoted(&c, schema, options);
    CHECK((c.schema != NULL) == (want == NULL));
    if (want) {
        CHECK_STR(lg_str_c(c.errors.count ? c.errors.items[0].msg : ""), want);
    }
    compiled_done(&c);
}

// Validates and expects validity, or only LG_FAULT_LIMIT with the message `want`.
static void check_limit(const lg_schema *schema, const lg_json *instance, const char *want)
{
    lg_schema_violation items[3];
    lg_schema_report report = {.items = items, .capacity = 3};
    bool quiet = lg_schema_validate(schema, instance, NULL);
    bool told = lg_schema_validate(schema, instance, &report);
    CHECK(quiet == told && told == (want == NULL));
    if (!want) {
        return;
    }
    if (CHECK(report.count > 0)) {
        CHECK(items[report.count - 1].fault == LG_FAULT_LIMIT);
        CHECK_STR(lg_str_c(items[report.count - 1].msg), want);
    }
}

static void check_text_limit(const char *schema, const char *instance,
                             const lg_schema_options *options, const char *want)
{
    compiled c;
    compile_quoted(&c, schema, options);
    lg_json_doc *doc = parse_quoted(instance);
    if (CHECK(c.schema && doc)) {
        check_limit(c.schema, lg_json_root(doc), want);
    }
    lg_json_doc_free(doc);
    compiled_done(&c);
}

static void subschemas_nest_so_deep(void)
{
    for (size_t extra = 0; extra <= 1; extra++) {
        text t = {0};
        add(&t, "{'not':", LG_SCHEMA_DEPTH_MAX - 1 + extra);
        add(&t, "{}", 1);
        add(&t, "}", LG_SCHEMA_DEPTH_MAX - 1 + extra);
        compiled c;
        compile_quoted(&c, t.ptr, NULL);
        CHECK((c.schema != NULL) == (extra == 0));
        CHECK(extra == 0 || strstr(c.errors.items[0].msg,
                                   "subschemas are nested deeper than 512 levels") != NULL);
        compiled_done(&c);
        free(t.ptr);
    }
}

static void evaluations_nest_so_deep(void)
{
    // One evaluation for the root, then two a level: 640 levels are 1279 + 1.
    for (size_t extra = 0; extra <= 1; extra++) {
        text t = {0};
        size_t levels = LG_SCHEMA_EVAL_DEPTH_MAX / 2 + extra;
        add(&t, "[", levels);
        add(&t, "]", levels);
        compiled c;
        compile_quoted(&c, "{'type': 'array', 'items': {'$ref': '#'}}", NULL);
        lg_json_doc *doc = parse_quoted(t.ptr);
        lg_schema_violation item;
        lg_schema_report report = {.items = &item, .capacity = 1};
        if (CHECK(c.schema && doc)) {
            CHECK(lg_schema_validate(c.schema, lg_json_root(doc), &report) == (extra == 0));
            CHECK(extra == 0 || (item.fault == LG_FAULT_LIMIT &&
                                 strstr(item.msg, "is nested too deep for this schema")));
        }
        lg_json_doc_free(doc);
        compiled_done(&c);
        free(t.ptr);
    }
}

static void chains_of_references_are_so_long(void)
{
    for (size_t extra = 0; extra <= 1; extra++) {
        text t = {0};
        size_t links = LG_SCHEMA_EVAL_DEPTH_MAX - 2 + extra;
        add(&t, "{'$ref': '#/$defs/0', '$defs': {", 1);
        for (size_t i = 0; i < links; i++) {
            char link[80];
            snprintf(link, sizeof(link), "'%zu': {'$ref': '#/$defs/%zu'}, ", i, i + 1);
            add(&t, link, 1);
        }
        char last[40];
        snprintf(last, sizeof(last), "'%zu': {'type': 'null'}}}", links);
        add(&t, last, 1);
        compiled c;
        compile_quoted(&c, t.ptr, NULL);
        lg_json null = lg_json_make_null();
        // Where the loop search starts decides whether it meets the whole chain; if not, the
        // validator does.
        CHECK(extra > 0 || c.schema);
        if (c.schema) {
            CHECK(lg_schema_validate(c.schema, &null, NULL) == (extra == 0));
        }
        compiled_done(&c);
        free(t.ptr);
    }
}

static void patterns_are_so_long(void)
{
    for (size_t extra = 0; extra <= 1; extra++) {
        text t = {0};
        add(&t, "{'pattern': '", 1);
        add(&t, "a", LG_SCHEMA_PATTERN_BYTES_MAX + extra);
        add(&t, "'}", 1);
        check_compile(t.ptr, NULL, extra ? "/pattern: is a pattern of more than 4096 bytes" : NULL);
        free(t.ptr);
    }
}

static void uris_are_so_long(void)
{
    for (size_t extra = 0; extra <= 1; extra++) {
        text t = {0};
        add(&t, "{'$id': 'u:", 1);
        add(&t, "a", LG_SCHEMA_URI_BYTES_MAX - 2 + extra);
        add(&t, "'}", 1);
        check_compile(t.ptr, NULL, extra ? "/$id: is longer than 4096 bytes once resolved" : NULL);
        free(t.ptr);
    }
    text t = {0};
    add(&t, "{'$ref': '", 1);
    add(&t, "a", LG_SCHEMA_URI_BYTES_MAX + 1);
    add(&t, "'}", 1);
    check_compile(t.ptr, NULL, "/$ref: is longer than 4096 bytes once resolved");
    free(t.ptr);
}

static void steps_are_counted(void)
{
    // One step for the array and one for each of its five elements.
    for (uint64_t extra = 0; extra <= 1; extra++) {
        lg_schema_options options = {.steps = 6 - extra};
        check_text_limit("{'items': {'type': 'integer'}}", "[1, 2, 3, 4, 5]", &options,
                         extra ? "`[4]` takes more steps to check than the limit allows; it counts "
                                 "as invalid"
                               : NULL);
    }
    // Nothing turns a stopped run into a valid one.
    lg_schema_options options = {.steps = 4};
    const char *want =
        "`[2]` takes more steps to check than the limit allows; it counts as invalid";
    check_text_limit("{'not': {'items': {'type': 'string'}, 'contains': {'type': 'null'}}}", "[1]",
                     &options, NULL);
    check_text_limit("{'not': {'items': {'type': 'integer'}}}", "[1, 2, 3]", &options, want);
    check_text_limit("{'anyOf': [{'items': {'type': 'integer'}}, true]}", "[1, 2, 3]", &options,
                     want);
    check_text_limit("{'oneOf': [{'items': {'type': 'integer'}}, true]}", "[1, 2, 3]", &options,
                     want);
    check_text_limit("{'if': {'items': {'type': 'integer'}}}", "[1, 2, 3]", &options, want);
}

// 2^25 evaluations without the budget.
static void exponential_schemas_stop(void)
{
    text t = {0};
    add(&t, "{'$ref': '#/$defs/a0', '$defs': {", 1);
    for (int i = 0; i < 25; i++) {
        char link[120];
        snprintf(link, sizeof(link),
                 "'a%d': {'allOf': [{'$ref': '#/$defs/a%d'}, {'$ref': '#/$defs/a%d'}]}, ", i, i + 1,
                 i + 1);
        add(&t, link, 1);
    }
    add(&t, "'a25': {'type': 'integer'}}}", 1);
    check_text_limit(t.ptr, "1", NULL,
                     "the value takes more steps to check than the limit allows; it counts as "
                     "invalid");
    lg_schema_options closed = {.closed_arguments = true};
    check_compile(t.ptr, &closed, NULL);
    free(t.ptr);
}

static void marks_fill_the_scratch(void)
{
    for (size_t extra = 0; extra <= 1; extra++) {
        text t = {0};
        add(&t, "[1", 1);
        add(&t, ",1", LG_SCHEMA_MARK_WORDS * 64 - 1 + extra);
        add(&t, "]", 1);
        check_text_limit("{'unevaluatedItems': {'type': 'integer'}}", t.ptr, NULL,
                         extra ? "the value has too many parts to keep track of under "
                                 "`unevaluated...`; it counts as invalid"
                               : NULL);
        free(t.ptr);
    }
}

static void an_array(text *t, size_t count, const char *extra)
{
    add(t, "[", 1);
    for (size_t i = 0; i < count; i++) {
        char item[40];
        snprintf(item, sizeof(item), "%s%zu", i ? "," : "", i);
        add(t, item, 1);
    }
    add(t, extra, 1);
    add(t, "]", 1);
}

static void unique_items_take_no_quadratic_time(void)
{
    static const size_t sizes[] = {15, 16, 17, 2047, 2048, 2049, 20000};
    clock_t start = clock();
    for (size_t i = 0; i < LG_COUNT(sizes); i++) {
        text unique = {0};
        text twice = {0};
        an_array(&unique, sizes[i], "");
        an_array(&twice, sizes[i], ", 7.0");
        compiled c;
        compile_quoted(&c, "{'uniqueItems': true}", NULL);
        lg_json_doc *good = parse_quoted(unique.ptr);
        lg_json_doc *bad = parse_quoted(twice.ptr);
        if (CHECK(c.schema && good && bad)) {
            char want[120];
            snprintf(want, sizeof(want),
                     "length : the value must have no equal items, but those at 7 and %zu are both "
                     "7.0",
                     sizes[i]);
            check_instance(c.schema, lg_json_root(good), NULL, "unique");
            check_instance(c.schema, lg_json_root(bad), want, "twice");
        }
        lg_json_doc_free(good);
        lg_json_doc_free(bad);
        compiled_done(&c);
        free(unique.ptr);
        free(twice.ptr);
    }
    CHECK(clock() - start < 20 * CLOCKS_PER_SEC);
    text many = {0};
    an_array(&many, 200000, "");
    check_text_limit("{'uniqueItems': true}", many.ptr, NULL,
                     "the value takes more steps to check than the limit allows; it counts as "
                     "invalid");
    free(many.ptr);
}

static void a_limit_is_told_in_a_full_report(void)
{
    compiled c;
    lg_schema_options options = {.steps = 4};
    compile_quoted(&c, "{'items': {'type': 'null'}}", &options);
    lg_json_doc *doc = parse_quoted("[1, 2, 3, 4]");
    lg_schema_violation items[2];
    lg_schema_report report = {.items = items, .capacity = 2};
    if (CHECK(c.schema != NULL)) {
        CHECK(!lg_schema_validate(c.schema, lg_json_root(doc), &report));
        CHECK(report.count == 2 && report.dropped == 2);
        CHECK(items[0].fault == LG_FAULT_TYPE && items[1].fault == LG_FAULT_LIMIT);
    }
    lg_json_doc_free(doc);
    compiled_done(&c);
}

static void validation_asks_the_system_for_nothing(void)
{
    compiled c;
    compile_quoted(
        &c,
        "{'properties': {'a': {'pattern': '^[a-z]+$', 'format': 'date'}, 'b': "
        "{'uniqueItems': true}}, 'allOf': [{'required': ['z']}], 'anyOf': [{'const': 1}, "
        "{'minProperties': 9}], 'unevaluatedProperties': false}",
        NULL);
    lg_json_doc *doc = parse_quoted("{'a': 'X', 'b': [1, 2, [3], [3.0]], 'c': 0.1}");
    lg_schema_violation items[8];
    lg_schema_report report = {.items = items, .capacity = 8};
    uint64_t before = lg_alloc_count();
    CHECK(!lg_schema_validate(c.schema, lg_json_root(doc), &report));
    CHECK(report.count == 5);
    CHECK(lg_alloc_count() == before);
    lg_json_doc_free(doc);
    compiled_done(&c);
}

int main(void)
{
    RUN(subschemas_nest_so_deep);
    RUN(evaluations_nest_so_deep);
    RUN(chains_of_references_are_so_long);
    RUN(patterns_are_so_long);
    RUN(uris_are_so_long);
    RUN(steps_are_counted);
    RUN(exponential_schemas_stop);
    RUN(marks_fill_the_scratch);
    RUN(unique_items_take_no_quadratic_time);
    RUN(a_limit_is_told_in_a_full_report);
    RUN(validation_asks_the_system_for_nothing);
    return lg_test_done();
}
