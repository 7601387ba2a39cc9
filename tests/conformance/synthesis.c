// synthesis.c: every schema of the shared data has an instance, and what is made is one.
//
// For each schema of real tools and real HTTP descriptions, and for each of several seeds and ways,
// an instance is made, printed, parsed again and validated; formats are asserted. An instance that is
// not valid fails the run, and so does an error about a schema that is not in the list below, or an
// entry of the list that has become unnecessary. The same is done for those schemas of the official
// test suite that have a valid instance among their tests. All is counted and printed.
#include "lg_test.h"

#include "data_files.h"
#include "pack/yaml.h"
#include "schema/synthesise.h"

#include <time.h>

// What cannot be made, or not be compiled, and why. `where` is a part of the name, `error` of the
// message.
typedef struct exception {
    const char *where;
    const char *error;
    const char *reason;
    size_t used;
} exception;

static exception exceptions[] = {
    {"netlify-coding-rules", "/properties/creationType/enum: allows no value",
     "an empty `enum` of a required member", 0},
    {"bfcl/extract_parameters_v1#", "/properties/metrics/enum: allows no value",
     "a required array whose `enum` lists strings", 0},
    {"vercel.json: get /v1/edge-config/{edgeConfigId}/item/",
     "/components/schemas/EdgeConfigItem/properties/value: allows no type",
     "`type: null` beside a `oneOf` without null", 0},
    {"vercel.json: get /v1/integrations/search-repo",
     "/properties/gitAccount/properties/namespaceId: allows no type",
     "`type: null` beside a `oneOf` without null", 0},
    {"livemcp/pdf-reader-mcp/read_pdf", "exclusiveMinimum: must be a number",
     "not compiled: the boolean exclusiveMinimum of draft 4 in a schema of draft 2020-12", 0},
    {"openai.json", "exclusiveMinimum: must be a number",
     "not compiled: the boolean exclusiveMinimum of OpenAPI 3.0 in a description of 3.1", 0},
    {"openai.json", "/components/schemas/ContainerResource/required: names `id` twice",
     "not compiled: `required` must be unique", 0},
    {"optional/format/idn-hostname.json", "`idn-hostname` cannot be asserted",
     "not compiled: the tables of IDNA 2008 are not here", 0},
};

typedef struct tally {
    size_t schemas;
    size_t instances;
    size_t unmade;   // an error instead of an instance, listed
    size_t refused;  // not compiled, listed
    size_t invalid;  // what must not be
    size_t unlisted; // errors that nobody expected
    size_t bytes;
    double slowest_ms;
    char slowest[200];
} tally;

static const lg_synthesis_options ways[] = {
    {.seed = 1},
    {.seed = 2, .made_up = true},
    {.seed = 3, .made_up = true, .members = LG_MEMBERS_REQUIRED},
    {.seed = 4, .made_up = true, .members = LG_MEMBERS_ALL},
    {.seed = 5},
};

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

// --- One schema -----------------------------------------------------------------------------------

static bool is_expected(const char *name, const char *error)
{
    for (size_t i = 0; i < LG_COUNT(exceptions); i++) {
        exception *e = &exceptions[i];
        if (e->where && strstr(name, e->where) && strstr(error, e->error)) {
            e->used++;
            return true;
        }
    }
    return false;
}

static void note_error(tally *t, const char *name, const char *error, size_t *count)
{
    if (is_expected(name, error)) {
        (*count)++;
        if (getenv("LG_VERBOSE")) {
            printf("%s: listed: %s\n", name, error);
        }
    } else {
        t->unlisted++;
        printf("%s: %s\n", name, error);
    }
}

// Prints, parses, validates.
static void check_instance(tally *t, const char *name, const lg_schema *schema,
                           const lg_json *instance)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_json_print(&text, instance);
    lg_json_doc *doc = NULL;
    lg_schema_violation item = {.msg = "does not parse"};
    lg_schema_report report = {.items = &item, .capacity = 1};
    if (lg_json_parse(lg_buf_str(&text), NULL, &doc, NULL) != LG_OK ||
        !lg_schema_validate(schema, lg_json_root(doc), &report)) {
        t->invalid++;
        printf("%s: invalid: %s: %.300s\n", name, item.msg, lg_buf_str(&text).ptr);
    }
    if (getenv("LG_SHOW")) {
        printf("%s: %.*s\n", name, LG_FMT(lg_buf_str(&text)));
    }
    t->instances++;
    t->bytes += text.len;
    lg_json_doc_free(doc);
    lg_buf_done(&text);
}

static void make_all_ways(tally *t, const char *name, const lg_schema *schema, lg_arena *arena)
{
    for (size_t i = 0; i < LG_COUNT(ways); i++) {
        const lg_json *instance = NULL;
        lg_error error;
        double start = now_ms();
        lg_status status =
            lg_schema_synthesise_compiled(arena, schema, &ways[i], &instance, &error);
        double took = now_ms() - start;
        if (took > t->slowest_ms) {
            t->slowest_ms = took;
            snprintf(t->slowest, sizeof(t->slowest), "%s", name);
        }
        if (status != LG_OK) {
            note_error(t, name, error.msg, &t->unmade);
            break; // the other ways fail alike
        }
        check_instance(t, name, schema, instance);
    }
}

static void run_schema(tally *t, const char *name, const lg_json *source,
                       const lg_schema_options *options)
{
    lg_arena arena;
    lg_errors errors;
    lg_arena_init(&arena, 0);
    lg_errors_init(&errors, &arena, 1);
    t->schemas++;
    const lg_schema *schema = lg_schema_compile(&arena, source, options, &errors);
    if (schema) {
        make_all_ways(t, name, schema, &arena);
    } else {
        note_error(t, name, errors.count ? errors.items[0].msg : "no memory", &t->refused);
    }
    lg_arena_done(&arena);
}

static void print_tally(const char *what, const tally *t)
{
    printf("== %s: %zu schemas, %zu instances (%zu bytes), %zu unsatisfied, %zu not compiled, "
           "%zu invalid, %zu unexpected errors; slowest %.1f ms (%s)\n",
           what, t->schemas, t->instances, t->bytes, t->unmade, t->refused, t->invalid, t->unlisted,
           t->slowest_ms, t->slowest);
    CHECK_MSG(t->schemas > 0, what);
    CHECK_MSG(t->invalid == 0, what);
    CHECK_MSG(t->unlisted == 0, what);
}

// --- Tools ----------------------------------------------------------------------------------------

static void run_tool_file(void *context, const char *path, lg_str text)
{
    lg_json_doc *doc = NULL;
    if (!CHECK_MSG(lg_json_parse(text, NULL, &doc, NULL) == LG_OK, path)) {
        return;
    }
    const lg_json *tools = lg_json_get(lg_json_root(doc), LG_STR("tools"));
    const lg_str kinds[] = {LG_STR("inputSchema"), LG_STR("outputSchema")};
    for (size_t i = 0; i < lg_json_len(tools) * 2; i++) {
        const lg_json *tool = lg_json_item(tools, i / 2);
        const lg_json *schema = lg_json_get(tool, kinds[i % 2]);
        char name[300];
        snprintf(name, sizeof(name), "%.100s: %.*s: %.*s", lg_data_name(path),
                 LG_FMT(lg_str_slice(lg_json_str(lg_json_get(tool, LG_STR("name"))), 0, 100)),
                 LG_FMT(kinds[i % 2]));
        if (schema) {
            lg_schema_options options = {.assert_formats = true, .closed_arguments = i % 2 == 0};
            run_schema(context, name, schema, &options);
        }
    }
    lg_json_doc_free(doc);
}

static void real_tools(void)
{
    tally t = {0};
    char path[1024];
    snprintf(path, sizeof(path), "%.900s/data/mcp/tools-list", lg_test_data_dir());
    CHECK(lg_data_each(path, ".json", 0, run_tool_file, &t) > 0);
    print_tally("mcp/tools-list", &t);
}

static void run_catalogue(void *context, const char *path, lg_str text)
{
    size_t from = 0;
    while (from < text.len) {
        lg_str rest = lg_str_slice(text, from, text.len);
        size_t line = lg_str_find(rest, LG_STR("\n"));
        size_t to = line == SIZE_MAX ? text.len : from + line;
        lg_arena arena;
        lg_arena_init(&arena, 0);
        const lg_json *tool = NULL;
        if (CHECK_MSG(lg_json_parse_in(&arena, text, from, to, NULL, &tool, NULL) == LG_OK, path)) {
            char name[200];
            lg_str id = lg_json_str(lg_json_get(tool, LG_STR("id")));
            snprintf(name, sizeof(name), "%.*s", LG_FMT(lg_str_cut(id, 180)));
            lg_schema_options options = {.assert_formats = true};
            const lg_json *schema = lg_json_get(tool, LG_STR("parameters"));
            if (schema) {
                run_schema(context, name, schema, &options);
            }
        }
        lg_arena_done(&arena);
        from = to + 1;
    }
}

static void catalogue_of_tools(void)
{
    tally t = {0};
    char path[1024];
    snprintf(path, sizeof(path), "%.900s/data/tool-retrieval", lg_test_data_dir());
    CHECK(lg_data_each(path, "tools.jsonl", 0, run_catalogue, &t) > 0);
    print_tally("tool-retrieval", &t);
}

// --- HTTP descriptions ----------------------------------------------------------------------------

typedef struct description {
    tally *t;
    const char *file;
    const lg_json *root;
    lg_schema_options options;
    const lg_json **seen; // schemas that were run, each once
    size_t seen_count;
    size_t seen_capacity;
} description;

// What `{"$ref": "#/..."}` points to, as often as it does; anything else is itself.
static const lg_json *follow(const description *d, const lg_json *value)
{
    for (int i = 0; i < 16 && value; i++) {
        lg_str ref = lg_json_str(lg_json_get(value, LG_STR("$ref")));
        if (!ref.len || ref.ptr[0] != '#') {
            break;
        }
        value = lg_json_at(d->root, lg_str_slice(ref, 1, ref.len));
    }
    return value;
}

static bool is_new(description *d, const lg_json *schema)
{
    for (size_t i = 0; i < d->seen_count; i++) {
        if (d->seen[i] == schema) {
            return false;
        }
    }
    if (d->seen_count == d->seen_capacity) {
        d->seen_capacity = d->seen_capacity ? d->seen_capacity * 2 : 256;
        d->seen = realloc(d->seen, d->seen_capacity * sizeof(*d->seen));
        if (!d->seen) {
            abort();
        }
    }
    d->seen[d->seen_count++] = schema;
    return true;
}

static void run_described(description *d, const char *name, const lg_json *schema)
{
    const lg_json *target = schema ? follow(d, schema) : NULL;
    if (target && is_new(d, target)) {
        run_schema(d->t, name, schema, &d->options);
    }
}

static void run_content(description *d, const char *name, const lg_json *content)
{
    for (size_t i = 0; i < lg_json_len(content); i++) {
        const lg_json_member *media = lg_json_member_at(content, i);
        run_described(d, name, lg_json_get(&media->value, LG_STR("schema")));
    }
}

static void run_parameters(description *d, const char *name, const lg_json *parameters)
{
    for (size_t i = 0; i < lg_json_len(parameters); i++) {
        const lg_json *parameter = follow(d, lg_json_item(parameters, i));
        char place[400];
        snprintf(place, sizeof(place), "%.300s parameter %.*s", name,
                 LG_FMT(lg_str_slice(lg_json_str(lg_json_get(parameter, LG_STR("name"))), 0, 60)));
        run_described(d, place, lg_json_get(parameter, LG_STR("schema")));
        run_content(d, place, lg_json_get(parameter, LG_STR("content")));
    }
}

static void run_operation(description *d, const char *name, const lg_json *operation)
{
    char place[400];
    run_parameters(d, name, lg_json_get(operation, LG_STR("parameters")));
    const lg_json *body = follow(d, lg_json_get(operation, LG_STR("requestBody")));
    snprintf(place, sizeof(place), "%.300s request", name);
    run_content(d, place, lg_json_get(body, LG_STR("content")));
    const lg_json *responses = lg_json_get(operation, LG_STR("responses"));
    for (size_t i = 0; i < lg_json_len(responses); i++) {
        const lg_json *response = follow(d, &lg_json_member_at(responses, i)->value);
        snprintf(place, sizeof(place), "%.300s response %.*s", name,
                 LG_FMT(lg_json_key(lg_json_member_at(responses, i))));
        run_content(d, place, lg_json_get(response, LG_STR("content")));
        const lg_json *headers = lg_json_get(response, LG_STR("headers"));
        for (size_t j = 0; j < lg_json_len(headers); j++) {
            const lg_json *header = follow(d, &lg_json_member_at(headers, j)->value);
            run_described(d, place, lg_json_get(header, LG_STR("schema")));
        }
    }
}

static void run_paths(description *d, const lg_json *paths)
{
    static const char *const methods[] = {"get",  "put",   "post",    "delete",
                                          "head", "patch", "options", "trace"};
    for (size_t i = 0; i < lg_json_len(paths); i++) {
        const lg_json *item = follow(d, &lg_json_member_at(paths, i)->value);
        char name[300];
        snprintf(name, sizeof(name), "%.60s: %.*s", d->file,
                 LG_FMT(lg_str_slice(lg_json_key(lg_json_member_at(paths, i)), 0, 200)));
        run_parameters(d, name, lg_json_get(item, LG_STR("parameters")));
        for (size_t m = 0; m < LG_COUNT(methods); m++) {
            const lg_json *operation = lg_json_get(item, lg_str_c(methods[m]));
            if (operation) {
                snprintf(name, sizeof(name), "%.60s: %s %.*s", d->file, methods[m],
                         LG_FMT(lg_str_slice(lg_json_key(lg_json_member_at(paths, i)), 0, 200)));
                run_operation(d, name, operation);
            }
        }
    }
}

static void run_description(void *context, const char *path, lg_str text)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    lg_error error = {.msg = ""};
    description d = {.t = context, .file = lg_data_name(path)};
    if (CHECK_MSG(lg_yaml_parse(&arena, text, path, NULL, &d.root, &error) == LG_OK, path)) {
        lg_str version = lg_json_str(lg_json_get(d.root, LG_STR("openapi")));
        bool old = lg_str_starts(version, LG_STR("3.0"));
        d.options = (lg_schema_options){.assert_formats = true,
                                        .document = d.root,
                                        .dialect = old ? LG_SCHEMA_OPENAPI_3_0 : LG_SCHEMA_DETECT};
        size_t before = d.t->schemas;
        double start = now_ms();
        run_paths(&d, lg_json_get(d.root, LG_STR("paths")));
        run_paths(&d, lg_json_get(d.root, LG_STR("webhooks")));
        printf("%s: %zu schemas, %.0f ms\n", d.file, d.t->schemas - before, now_ms() - start);
    } else {
        printf("%s: %s\n", path, error.msg);
    }
    free(d.seen);
    lg_arena_done(&arena);
}

static void http_descriptions(void)
{
    tally t = {0};
    char path[1024];
    snprintf(path, sizeof(path), "%.900s/data/openapi", lg_test_data_dir());
    CHECK(lg_data_each(path, ".json", 0, run_description, &t) > 0);
    CHECK(lg_data_each(path, ".yaml", 0, run_description, &t) > 0);
    print_tally("openapi", &t);
}

// --- The official test suite ----------------------------------------------------------------------

enum { REMOTES_MAX = 128 };

typedef struct suite {
    tally made; // groups with a valid test
    size_t without;
    bool formats;
    size_t folder_len;
    lg_arena *arena;
    lg_schema_resource remotes[REMOTES_MAX];
    size_t remote_count;
} suite;

static void add_remote(void *context, const char *path, lg_str text)
{
    suite *s = context;
    lg_str copy = lg_arena_str(s->arena, text);
    lg_str uri = lg_arena_printf(s->arena, "http://localhost:1234%s", path + s->folder_len);
    const lg_json *root = NULL;
    if (CHECK_MSG(copy.ptr && uri.ptr && s->remote_count < REMOTES_MAX &&
                      lg_json_parse_in(s->arena, copy, 0, copy.len, NULL, &root, NULL) == LG_OK,
                  path)) {
        if (strstr(path, "tests/conformance/schema")) {
            uri = lg_json_str(lg_json_get(root, LG_STR("$id")));
        }
        s->remotes[s->remote_count++] = (lg_schema_resource){uri, root};
    }
}

static bool has_valid_test(const lg_json *tests)
{
    for (size_t i = 0; i < lg_json_len(tests); i++) {
        if (lg_json_is_true(lg_json_get(lg_json_item(tests, i), LG_STR("valid")))) {
            return true;
        }
    }
    return false;
}

static void run_groups(void *context, const char *path, lg_str text)
{
    suite *s = context;
    lg_json_doc *doc = NULL;
    if (s->formats != (strstr(path, "/format/") != NULL)) {
        return;
    }
    if (!CHECK_MSG(lg_json_parse(text, NULL, &doc, NULL) == LG_OK, path)) {
        return;
    }
    lg_schema_options options = {
        .assert_formats = s->formats, .registry = s->remotes, .registry_count = s->remote_count};
    for (size_t i = 0; i < lg_json_len(lg_json_root(doc)); i++) {
        const lg_json *group = lg_json_item(lg_json_root(doc), i);
        char name[400];
        snprintf(name, sizeof(name), "%.200s: %.*s", path + s->folder_len + 1,
                 LG_FMT(lg_json_str(lg_json_get(group, LG_STR("description")))));
        if (has_valid_test(lg_json_get(group, LG_STR("tests")))) {
            run_schema(&s->made, name, lg_json_get(group, LG_STR("schema")), &options);
        } else {
            s->without++;
        }
    }
    lg_json_doc_free(doc);
}

static void official_suite(void)
{
    suite s = {.formats = false};
    lg_arena arena;
    lg_arena_init(&arena, 0);
    s.arena = &arena;
    char path[1024];
    snprintf(path, sizeof(path), "%.700s/data/json-schema-test-suite/remotes", lg_test_data_dir());
    s.folder_len = strlen(path);
    CHECK(lg_data_each(path, ".json", 0, add_remote, &s) > 0);
    CHECK(lg_data_each(LG_SOURCE_DIR "/tests/conformance/schema", ".json", 0, add_remote, &s) > 0);
    snprintf(path, sizeof(path), "%.700s/data/json-schema-test-suite/tests/draft2020-12",
             lg_test_data_dir());
    s.folder_len = strlen(path);
    CHECK(lg_data_each(path, ".json", 0, run_groups, &s) > 0);
    s.formats = true;
    CHECK(lg_data_each(path, ".json", 0, run_groups, &s) > 0);
    printf("without a valid test, and left out: %zu schemas\n", s.without);
    print_tally("json-schema-test-suite, draft 2020-12, with a valid test", &s.made);
    lg_arena_done(&arena);
}

int main(int argc, char **argv)
{
    if (!lg_test_data_dir()) {
        printf("skipped: synthesis (no shared data)\n");
        return 77;
    }
    const char *only = argc > 1 ? argv[1] : ""; // for work on one of them
    if (!*only || strcmp(only, "mcp") == 0) {
        RUN(real_tools);
    }
    if (!*only || strcmp(only, "tools") == 0) {
        RUN(catalogue_of_tools);
    }
    if (!*only || strcmp(only, "openapi") == 0) {
        RUN(http_descriptions);
    }
    if (!*only || strcmp(only, "suite") == 0) {
        RUN(official_suite);
    }
    for (size_t i = 0; i < LG_COUNT(exceptions) && !*only; i++) {
        exception *e = &exceptions[i];
        if (e->where) {
            printf("listed: %s: %s (%zu times)\n", e->where, e->reason, e->used);
            CHECK_MSG(e->used > 0, "an entry of the list of exceptions is unnecessary");
        }
    }
    return lg_test_done();
}
