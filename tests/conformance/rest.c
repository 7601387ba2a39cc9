// rest.c: what a client sends, a server reads: the same tool and equal arguments, for every operation of real documents.
//
// For each operation and seed, arguments are synthesised, written as a request, and read back. What HTTP cannot say is left out
// of the comparison first (README of the room: empty lists, empty objects, null), and what the writer refuses is counted by its
// reason. What a text cannot say is counted: a value whose type several types of its schema share the text of.
//
// Then each operation answers: the response of a synthesised result is what the document says, and so is a refusal. A sample under a sanitizer, all
// otherwise.
#include "lg_test.h"

#include "data_files.h"
#include "pack/yaml.h"
#include "rest/rest.h"
#include "schema/synthesise.h"

#ifdef __SANITIZE_ADDRESS__
#define EVERY 23u // an odd number, so that seeds and operations mix
#else
#define EVERY 1u
#endif

typedef struct tally {
    size_t documents, operations;
    size_t unmade;    // no arguments could be made
    size_t refused;   // the writer said why
    size_t equal;     // as they were
    size_t less;      // equal once what cannot be said is left out
    size_t ambiguous; // equal but for texts that are numbers, or lists of one
    size_t twins;     // read as another operation of the same path but for the names in its braces
    size_t differ;    // must be none
    size_t skipped;   // of the sample
    size_t answers;   // responses looked at
    size_t wrong;     // must be none
} tally;

// --- What can be said ---------------------------------------------------------------------------

static bool is_said(const lg_json *value)
{
    return value->type != LG_JSON_NULL && (value->type < LG_JSON_ARRAY || lg_json_len(value) > 0);
}

// The value without null and without what is empty, all the way down.
static lg_json said(lg_arena *arena, const lg_json *value)
{
    size_t count = 0;
    if (lg_json_is(value, LG_JSON_ARRAY)) {
        lg_json *items = LG_NEW_ARRAY(arena, lg_json, lg_json_len(value) + 1);
        for (size_t i = 0; i < lg_json_len(value); i++) {
            lg_json item = said(arena, &value->as.items[i]);
            if (is_said(&item)) {
                items[count++] = item;
            }
        }
        return lg_json_make_array(items, count);
    }
    if (!lg_json_is(value, LG_JSON_OBJECT)) {
        return *value;
    }
    lg_json_member *members = lg_json_alloc_members(arena, lg_json_len(value));
    for (size_t i = 0; i < lg_json_len(value); i++) {
        const lg_json_member *member = lg_json_member_at(value, i);
        lg_json inner = said(arena, &member->value);
        if (is_said(&inner)) {
            members[count++] = lg_json_make_member(lg_json_key(member), inner);
        }
    }
    lg_json_member *own = lg_json_alloc_members(arena, count);
    lg_copy_bytes(own, members, count * sizeof(*own));
    return lg_json_make_object(own, count);
}

static bool same_text(const lg_json *a, const lg_json *b)
{
    lg_buf one;
    lg_buf other;
    lg_buf_init(&one, 0);
    lg_buf_init(&other, 0);
    lg_json_print(&one, a);
    lg_json_print(&other, b);
    lg_str plain = lg_json_is(a, LG_JSON_STRING) ? lg_json_str(a) : lg_buf_str(&one);
    lg_str twin = lg_json_is(b, LG_JSON_STRING) ? lg_json_str(b) : lg_buf_str(&other);
    bool same = lg_str_eq(plain, twin);
    lg_buf_done(&one);
    lg_buf_done(&other);
    return same;
}

// Equal but for the type of scalars of the same text, and a list of one beside its element.
static bool alike(const lg_json *a, const lg_json *b)
{
    if (lg_json_equal(a, b)) {
        return true;
    }
    if (a->type < LG_JSON_ARRAY && b->type < LG_JSON_ARRAY) {
        return same_text(a, b);
    }
    if (lg_json_is(a, LG_JSON_ARRAY) && lg_json_len(a) == 1 && b->type < LG_JSON_ARRAY) {
        return alike(&a->as.items[0], b);
    }
    if (a->type != b->type || lg_json_len(a) != lg_json_len(b)) {
        return false;
    }
    bool ok = true;
    for (size_t i = 0; ok && i < lg_json_len(a); i++) {
        const lg_json *twin = lg_json_is(a, LG_JSON_ARRAY)
                                  ? lg_json_item(b, i)
                                  : lg_json_get(b, lg_json_key(lg_json_member_at(a, i)));
        ok = twin &&
             alike(lg_json_is(a, LG_JSON_ARRAY) ? &a->as.items[i] : &lg_json_member_at(a, i)->value,
                   twin);
    }
    return ok;
}

static void show(const char *name, const lg_catalogue_tool *tool, const char *what,
                 const lg_json *args, const lg_json *got, lg_str url)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_json_print(&text, args);
    lg_buf_add_c(&text, "\n    ");
    if (got) {
        lg_json_print(&text, got);
    }
    printf("%s: %.*s: %s\n    %.300s\n    %.*s\n", name, LG_FMT(tool->name), what,
           lg_buf_str(&text).ptr, LG_FMT(lg_str_cut(url, 300)));
    lg_buf_done(&text);
}

// --- There and back -----------------------------------------------------------------------------

static lg_rest_request request_of(const lg_rest_sending *sending)
{
    lg_str target = lg_str_slice(sending->url, strlen("http://h"), sending->url.len);
    size_t mark = lg_str_find(target, LG_STR("?"));
    lg_str query = mark == SIZE_MAX ? LG_STR("") : lg_str_slice(target, mark + 1, target.len);
    return (lg_rest_request){.method = sending->method,
                             .path = lg_str_slice(target, 0, mark),
                             .query = query,
                             .headers = sending->headers,
                             .header_count = sending->header_count,
                             .body = sending->body};
}

// Do both have one method, and one path but for the names in its braces?
static bool are_twins(const lg_catalogue_tool *a, const lg_catalogue_tool *b)
{
    size_t i = 0;
    size_t j = 0;
    while (i < a->path.len && j < b->path.len && a->path.ptr[i] == b->path.ptr[j]) {
        if (a->path.ptr[i] == '{') {
            i += lg_str_find(lg_str_slice(a->path, i, a->path.len), LG_STR("}"));
            j += lg_str_find(lg_str_slice(b->path, j, b->path.len), LG_STR("}"));
        }
        i++;
        j++;
    }
    return i == a->path.len && j == b->path.len && lg_str_eq(a->method, b->method);
}

static void compare(tally *t, lg_arena *arena, const char *name, const lg_rest_operation *operation,
                    const lg_json *args, const lg_rest_call *call, const lg_rest_problem *problem,
                    lg_str url)
{
    const lg_catalogue_tool *tool = lg_rest_tool(operation);
    if (!problem->status && call->operation != operation && are_twins(tool, call->tool)) {
        t->twins++;
        return;
    }
    if (problem->status || call->operation != operation) {
        char why[400];
        snprintf(why, sizeof(why), "not read: %u %.*s", problem->status, LG_FMT(problem->detail));
        show(name, tool, problem->status ? why : "another operation", args, NULL, url);
        t->differ++;
        return;
    }
    lg_json wanted = said(arena, args);
    lg_json got = said(arena, call->args);
    if (lg_json_equal(args, call->args)) {
        t->equal++;
    } else if (lg_json_equal(&wanted, &got)) {
        t->less++;
    } else if (alike(&wanted, &got)) {
        t->ambiguous++;
    } else {
        t->differ++;
        show(name, tool, "differs", args, call->args, url);
    }
}

static void there_and_back(tally *t, lg_arena *arena, const char *name, const lg_rest *rest,
                           const lg_rest_operation *operation, uint64_t seed)
{
    const lg_catalogue_tool *tool = lg_rest_tool(operation);
    const lg_json *args = NULL;
    lg_synthesis_options how = {.seed = seed, .made_up = seed != 1};
    if (!tool->arguments ||
        lg_schema_synthesise_compiled(arena, tool->arguments, &how, &args, NULL) != LG_OK) {
        t->unmade++;
        return;
    }
    lg_rest_sending sending;
    lg_error err = {0};
    lg_status status = lg_rest_write(operation, arena, LG_STR("http://h"), args, &sending, &err);
    if (status != LG_OK) {
        t->refused++;
        CHECK(status == LG_ERR_USAGE && err.msg[0]);
        if (getenv("LG_VERBOSE")) {
            printf("%s: %.*s: refused: %s\n", name, LG_FMT(tool->name), err.msg);
        }
        return;
    }
    lg_rest_request request = request_of(&sending);
    lg_rest_call call;
    lg_rest_problem problem;
    if (CHECK(lg_rest_read(rest, arena, &request, &call, &problem) == LG_OK)) {
        compare(t, arena, name, operation, args, &call, &problem, sending.url);
    }
}

// --- Answers ------------------------------------------------------------------------------------

static bool is_json(const lg_rest_response *response)
{
    for (size_t i = 0; i < response->header_count; i++) {
        lg_str value = response->headers[i].value;
        if (lg_str_eq(response->headers[i].name, LG_STR("content-type"))) {
            return lg_str_find(value, LG_STR("json")) != SIZE_MAX;
        }
    }
    return false;
}

static void look_at(tally *t, const char *name, const lg_catalogue_tool *tool,
                    const lg_rest_response *response, uint32_t from, uint32_t to)
{
    lg_json_doc *doc = NULL;
    t->answers++;
    bool ok = response->status >= from && response->status <= to;
    if (ok && is_json(response) && response->body.len) {
        ok = lg_json_parse(response->body, NULL, &doc, NULL) == LG_OK;
    }
    lg_json_doc_free(doc);
    if (!ok) {
        t->wrong++;
        printf("%s: %.*s: answers %u, %.*s\n", name, LG_FMT(tool->name), response->status,
               LG_FMT(lg_str_cut(response->body, 200)));
    }
}

static void answer(tally *t, lg_arena *arena, const char *name, const lg_rest *rest,
                   const lg_rest_operation *operation, uint64_t seed)
{
    const lg_catalogue_tool *tool = lg_rest_tool(operation);
    lg_rest_call call = {.operation = operation, .tool = tool};
    lg_rest_response response;
    const lg_json *value = NULL;
    lg_synthesis_options how = {.seed = seed};
    if (tool->results) {
        lg_status status = lg_schema_synthesise_compiled(arena, tool->results, &how, &value, NULL);
        CHECK(status == LG_OK || !value);
    }
    lg_rest_answer done = {.kind = LG_REST_DONE, .value = value, .seed = seed};
    CHECK(lg_rest_respond(rest, arena, &call, &done, &response) == LG_OK);
    look_at(t, name, tool, &response, 200, 501);
    lg_rest_answer invalid = {.kind = LG_REST_INVALID, .message = LG_STR("no"), .seed = seed};
    CHECK(lg_rest_respond(rest, arena, &call, &invalid, &response) == LG_OK);
    look_at(t, name, tool, &response, 400, 499);
    lg_rest_answer absent = {.kind = LG_REST_ABSENT, .message = LG_STR("gone"), .seed = seed};
    CHECK(lg_rest_respond(rest, arena, &call, &absent, &response) == LG_OK);
    // 410 where the document names that and no 404.
    look_at(t, name, tool, &response, 404, response.status == 410 ? 410 : 404);
}

// --- Documents ----------------------------------------------------------------------------------

static void run_document(void *context, const char *path, lg_str text)
{
    tally *t = context;
    lg_arena arena;
    lg_arena_init(&arena, 0);
    lg_error err = {0};
    const lg_json *root = NULL;
    const lg_catalogue *catalogue = NULL;
    const lg_rest *rest = NULL;
    lg_rest_options options = {.without_security = true};
    lg_status status = lg_data_ends(path, ".yaml")
                           ? lg_yaml_parse(&arena, text, path, NULL, &root, &err)
                           : lg_json_parse_in(&arena, text, 0, text.len, NULL, &root, &err);
    bool ok = status == LG_OK &&
              lg_catalogue_of(&arena, text, root, NULL, &catalogue, &err) == LG_OK &&
              lg_rest_new(&arena, catalogue, &options, &rest, &err) == LG_OK;
    if (!CHECK_MSG(ok, path)) {
        lg_arena_done(&arena);
        return;
    }
    t->documents++;
    t->operations += lg_rest_count(rest);
    const char *name = lg_data_name(path);
    lg_arena scratch;
    lg_arena_init(&scratch, 0);
    for (size_t i = 0; i < lg_rest_count(rest) * 3; i++) {
        if ((t->operations + i) % EVERY != 0) {
            t->skipped++;
            continue;
        }
        there_and_back(t, &scratch, name, rest, lg_rest_at(rest, i / 3), i % 3 + 1);
        if (i % 3 == 0) {
            answer(t, &scratch, name, rest, lg_rest_at(rest, i / 3), i);
        }
        lg_arena_reset(&scratch);
    }
    lg_arena_done(&scratch);
    lg_arena_done(&arena);
}

static void documents(void)
{
    const char *data = lg_test_data_dir();
    if (!data) {
        printf("skipped: rest (no data beside the checkout)\n");
        CHECK(true);
        return;
    }
    char folder[4096];
    snprintf(folder, sizeof(folder), "%s/data/openapi", data);
    tally t = {0};
    CHECK(lg_data_each(folder, ".json", 0, run_document, &t) > 0);
    CHECK(lg_data_each(folder, ".yaml", 0, run_document, &t) > 0);
    CHECK(t.documents == 25 && t.operations == 4405);
    CHECK(t.differ == 0 && t.wrong == 0);
    printf("%zu documents, %zu operations, three seeds: %zu requests come back equal, %zu but for "
           "what is empty or null, "
           "%zu but for types that a text cannot tell; %zu as a twin, %zu refused, %zu without "
           "arguments, %zu "
           "differ, %zu not in the "
           "sample\n",
           t.documents, t.operations, t.equal, t.less, t.ambiguous, t.twins, t.refused, t.unmade,
           t.differ, t.skipped);
    printf("%zu answers, %zu wrong\n", t.answers, t.wrong);
}

int main(void)
{
    RUN(documents);
    return lg_test_done();
}
