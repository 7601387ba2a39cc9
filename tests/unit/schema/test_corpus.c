// test_corpus.c: the tools of real domains and servers. Every recorded call is valid, every spoiled
// one is not, and the violation names what was spoiled.
#include "schema_test.h"

#include "base/file.h"

#include <dirent.h>

enum { TOOLS_MAX = 200, MEMBERS_MAX = 64 };

typedef struct tool {
    lg_str name;
    const lg_json *parameters;
    const lg_schema *schema;
} tool;

typedef struct corpus {
    lg_arena arena;
    lg_json_doc *doc;
    tool tools[TOOLS_MAX];
    size_t count;
} corpus;

static const lg_schema *compile_tool(lg_arena *arena, const lg_json *parameters)
{
    lg_errors errors;
    lg_errors_init(&errors, arena, 5);
    lg_schema_options options = {.closed_arguments = true};
    const lg_schema *schema = lg_schema_compile(arena, parameters, &options, &errors);
    CHECK_MSG(schema != NULL, errors.count ? errors.items[0].msg : "a tool does not compile");
    return schema;
}

static bool load_domain(corpus *c, const char *data, const char *domain)
{
    char path[1024];
    lg_file file = {0};
    lg_error error;
    lg_arena_init(&c->arena, 0);
    c->count = 0;
    snprintf(path, sizeof(path), "%.800s/data/tau2/%.50s/tools.json", data, domain);
    bool ok = lg_file_open(path, 1u << 26, &file, &error) == LG_OK &&
              lg_json_parse(file.text, NULL, &c->doc, &error) == LG_OK;
    lg_file_close(&file);
    if (!CHECK_MSG(ok, path)) {
        return false;
    }
    const lg_json *list = lg_json_root(c->doc);
    for (size_t i = 0; i < lg_json_len(list) && c->count < TOOLS_MAX; i++) {
        const lg_json *function = lg_json_get(lg_json_item(list, i), LG_STR("function"));
        tool *t = &c->tools[c->count++];
        t->name = lg_json_str(lg_json_get(function, LG_STR("name")));
        t->parameters = lg_json_get(function, LG_STR("parameters"));
        t->schema = compile_tool(&c->arena, t->parameters);
    }
    return true;
}

static const tool *find_tool(const corpus *c, lg_str name)
{
    for (size_t i = 0; i < c->count; i++) {
        if (lg_str_eq(c->tools[i].name, name)) {
            return &c->tools[i];
        }
    }
    return NULL;
}

// The first violation of an object of `members`.
static bool validate_members(const tool *t, lg_json_member *members, size_t count,
                             lg_schema_violation *ret)
{
    lg_json object = lg_json_make_object(members, count);
    lg_schema_report report = {.items = ret, .capacity = 1};
    bool valid = lg_schema_validate(t->schema, &object, &report);
    CHECK(valid == (report.count == 0));
    CHECK(valid == lg_schema_validate(t->schema, &object, NULL));
    return valid;
}

static bool is_required(const tool *t, lg_str name)
{
    const lg_json *required = lg_json_get(t->parameters, LG_STR("required"));
    for (size_t i = 0; i < lg_json_len(required); i++) {
        if (lg_str_eq(lg_json_str(lg_json_item(required, i)), name)) {
            return true;
        }
    }
    return false;
}

// Leaves out, adds and retypes arguments, one at a time.
static void spoil(const tool *t, const lg_json *arguments)
{
    size_t count = lg_json_len(arguments);
    lg_json_member members[MEMBERS_MAX];
    lg_schema_violation item;
    if (!CHECK(count + 1 < LG_JSON_INDEX_MIN)) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        lg_str name = lg_json_key(lg_json_member_at(arguments, i));
        memcpy(members, arguments->as.members, count * sizeof(members[0]));
        members[i] = members[count - 1];
        bool valid = validate_members(t, members, count - 1, &item);
        CHECK(valid == !is_required(t, name));
        CHECK(valid || (item.fault == LG_FAULT_REQUIRED && lg_str_eq(item.member, name)));
        memcpy(members, arguments->as.members, count * sizeof(members[0]));
        lg_json_member spare = lg_json_make_member(name, lg_json_make_array(NULL, 0));
        bool was_array = lg_json_is(&members[i].value, LG_JSON_ARRAY);
        members[i] = was_array ? lg_json_make_member(name, lg_json_make_bool(true)) : spare;
        CHECK(!validate_members(t, members, count, &item));
        CHECK(item.fault == LG_FAULT_TYPE || item.fault == LG_FAULT_ENUM);
    }
    memcpy(members, arguments->as.members, count * sizeof(members[0]));
    members[count] = lg_json_make_member(LG_STR("no such argument"), lg_json_make_null());
    CHECK(!validate_members(t, members, count + 1, &item));
    CHECK(item.fault == LG_FAULT_UNKNOWN);
    CHECK_STR(item.member, "no such argument");
}

static size_t check_trace(const corpus *c, const lg_json *trace, size_t *invalid)
{
    const lg_json *calls = lg_json_get(trace, LG_STR("calls"));
    size_t checked = 0;
    for (size_t i = 0; i < lg_json_len(calls); i++) {
        const lg_json *call = lg_json_item(calls, i);
        const lg_json *arguments = lg_json_get(call, LG_STR("arguments"));
        const tool *t = find_tool(c, lg_json_str(lg_json_get(call, LG_STR("name"))));
        if (!t || !t->schema ||
            !lg_str_eq(lg_json_str(lg_json_get(call, LG_STR("requestor"))), LG_STR("assistant"))) {
            continue;
        }
        checked++;
        if (lg_schema_validate(t->schema, arguments, NULL)) {
            spoil(t, arguments);
        } else {
            ++*invalid;
        }
    }
    return checked;
}

// Every call of the gold conversations fits its tool, but for four of telehealth, which give null
// for an argument that may be left out and whose schema does not allow it.
static void gold_calls_are_valid(void)
{
    static const struct {
        const char *domain;
        size_t invalid;
    } domains[] = {{"airline", 0}, {"retail", 0}, {"telecom", 0}, {"telehealth", 4}};
    const char *data = lg_test_data_dir();
    for (size_t i = 0; data && i < LG_COUNT(domains); i++) {
        static corpus c;
        char path[1024];
        lg_file file = {0};
        lg_error error;
        size_t calls = 0;
        size_t invalid = 0;
        if (!load_domain(&c, data, domains[i].domain)) {
            continue;
        }
        snprintf(path, sizeof(path), "%.800s/data/tau2/%s/gold_traces.jsonl", data,
                 domains[i].domain);
        CHECK_MSG(lg_file_open(path, 1u << 28, &file, &error) == LG_OK, path);
        for (size_t at = 0; at < file.text.len;) {
            lg_str rest = lg_str_slice(file.text, at, file.text.len);
            size_t line = lg_str_find(rest, LG_STR("\n"));
            size_t end = line == SIZE_MAX ? file.text.len : at + line;
            const lg_json *trace = NULL;
            CHECK(lg_json_parse_in(&c.arena, file.text, at, end, NULL, &trace, &error) == LG_OK);
            calls += check_trace(&c, trace, &invalid);
            at = end + 1;
        }
        CHECK_MSG(calls > 50 && invalid == domains[i].invalid, domains[i].domain);
        printf("%s: %zu tools, %zu calls, %zu invalid\n", domains[i].domain, c.count, calls,
               invalid);
        lg_file_close(&file);
        lg_json_doc_free(c.doc);
        lg_arena_done(&c.arena);
    }
}

static size_t compile_server(const char *path)
{
    lg_file file = {0};
    lg_error error;
    lg_json_doc *doc = NULL;
    lg_arena arena;
    lg_arena_init(&arena, 0);
    bool ok = lg_file_open(path, 1u << 26, &file, &error) == LG_OK &&
              lg_json_parse(file.text, NULL, &doc, &error) == LG_OK;
    CHECK_MSG(ok, path);
    const lg_json *tools = ok ? lg_json_get(lg_json_root(doc), LG_STR("tools")) : NULL;
    for (size_t i = 0; i < lg_json_len(tools); i++) {
        const lg_json *item = lg_json_item(tools, i);
        const lg_json *output = lg_json_get(item, LG_STR("outputSchema"));
        compile_tool(&arena, lg_json_get(item, LG_STR("inputSchema")));
        if (output) {
            compile_tool(&arena, output);
        }
    }
    size_t count = lg_json_len(tools);
    lg_file_close(&file);
    lg_json_doc_free(doc);
    lg_arena_done(&arena);
    return count;
}

static void the_tools_of_public_servers_compile(void)
{
    const char *data = lg_test_data_dir();
    if (!data) {
        return;
    }
    char path[1024];
    size_t count = 0;
    snprintf(path, sizeof(path), "%.800s/data/mcp/tools-list", data);
    DIR *folder = opendir(path);
    CHECK_MSG(folder != NULL, path);
    for (struct dirent *e = folder ? readdir(folder) : NULL; e; e = readdir(folder)) {
        if (e->d_name[0] != '.') {
            snprintf(path, sizeof(path), "%.600s/data/mcp/tools-list/%.255s", data, e->d_name);
            count += compile_server(path);
        }
    }
    if (folder) {
        closedir(folder);
    }
    CHECK(count > 1000);
    printf("mcp: %zu tools compile\n", count);
}

// A sample of our own, which is always here.
static void a_sample_is_spoiled(void)
{
    compiled c;
    compile_quoted(&c,
                   "{'type': 'object', 'properties': {'order_id': {'type': 'string'}, 'items': "
                   "{'type': 'array', 'items': {'type': 'string'}}, 'fast': {'type': 'boolean'}}, "
                   "'required': ['order_id', 'items']}",
                   &(lg_schema_options){.closed_arguments = true});
    lg_json_doc *doc = parse_quoted("{'order_id': '#W1', 'items': ['a'], 'fast': true}");
    tool t = {LG_STR("sample"), lg_json_root(c.doc), c.schema};
    CHECK(lg_schema_validate(t.schema, lg_json_root(doc), NULL));
    spoil(&t, lg_json_root(doc));
    lg_json_doc_free(doc);
    compiled_done(&c);
}

int main(void)
{
    if (!lg_test_data_dir()) {
        printf("skipped: recorded calls and public servers (no shared data)\n");
    }
    RUN(a_sample_is_spoiled);
    RUN(gold_calls_are_valid);
    RUN(the_tools_of_public_servers_compile);
    return lg_test_done();
}
