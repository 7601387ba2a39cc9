// describe.c: all function documents of BFCL and all MCP lists become OpenAPI, and read back as the same tools.
//
// Same: as many, by the same names, with the same arguments of which the same are required; and every gold call of BFCL
// gets the same verdict from both. A list whose tools have one name twice is compared one by one by its order.
#include "lg_test.h"

#include "catalogue/arguments.h"
#include "data_files.h"
#include "describe/describe.h"

typedef struct tally {
    size_t texts, tools, whole, calls, valid;
} tally;

static bool requires(const lg_catalogue_tool *tool, lg_str name)
{
    for (size_t i = 0; i < tool->list_count; i++) {
        if (lg_str_eq(tool->list[i].name, name)) {
            return tool->list[i].required;
        }
    }
    return false;
}

static bool has_argument(const lg_catalogue_tool *tool, lg_str name)
{
    for (size_t i = 0; i < tool->list_count; i++) {
        if (lg_str_eq(tool->list[i].name, name)) {
            return true;
        }
    }
    return false;
}

// False where the arguments are no plain list: then they are one body, and their schema is compared by calls alone.
static bool same_arguments(const lg_catalogue_tool *a, const lg_catalogue_tool *b)
{
    bool same = a->list_count == b->list_count;
    for (size_t i = 0; same && i < a->list_count; i++) {
        lg_str name = a->list[i].name;
        same = has_argument(b, name) && requires(b, name) == a->list[i].required;
    }
    return same;
}

static const lg_catalogue_tool *by_id(const lg_catalogue *c, lg_str id)
{
    for (size_t i = 0; i < c->tool_count; i++) {
        if (lg_str_eq(c->tools[i].id, id)) {
            return &c->tools[i];
        }
    }
    return NULL;
}

// Converts `text`, and reads it back into `arena`. NULL: something failed, and was said.
static const lg_catalogue *convert(lg_arena *arena, lg_str text, const char *name,
                                   lg_description **ret)
{
    lg_error error = {0};
    const lg_catalogue *back = NULL;
    const lg_json *root = NULL;
    lg_buf out;
    lg_buf_init(&out, 0);
    bool fine = lg_describe_read(arena, text, NULL, ret, &error) == LG_OK;
    if (fine) {
        lg_describe_print(&out, *ret, LG_STR("T"));
        lg_str made = lg_arena_str(arena, lg_buf_str(&out));
        fine = lg_json_parse_in(arena, made, 0, made.len, NULL, &root, &error) == LG_OK &&
               lg_catalogue_of(arena, made, root, NULL, &back, &error) == LG_OK;
        CHECK_MSG(lg_str_find(made, LG_STR("\"$ref\":\"")) == SIZE_MAX, name);
    }
    lg_buf_done(&out);
    if (!CHECK_MSG(fine, name)) {
        printf("    %s\n", error.msg);
    }
    return back;
}

static void compare(tally *t, const lg_catalogue *before, const lg_description *made,
                    const lg_catalogue *after, const char *name)
{
    t->texts++;
    CHECK_MSG(after->error_count == 0, name);
    CHECK_MSG(after->tool_count == made->tool_count, name);
    CHECK_MSG(before->tool_count == made->tool_count + made->repeated, name);
    for (size_t i = 0, k = 0; i < before->tool_count && made->repeated == 0; i++, k++) {
        const lg_catalogue_tool *a = &before->tools[i];
        const lg_catalogue_tool *b = &after->tools[k];
        t->tools++;
        CHECK_MSG(lg_str_eq(a->name, b->id), name);
        CHECK_MSG(b->arguments && b->results, name);
        if (b->list_count == 1 && b->list[0].place == LG_PLACE_BODY) {
            t->whole++;
        } else {
            CHECK_MSG(same_arguments(a, b), name);
        }
    }
}

// --- MCP ----------------------------------------------------------------------------------------

static void try_mcp(void *context, const char *path, lg_str text)
{
    lg_arena arena;
    const lg_catalogue *before = NULL;
    lg_description *made = NULL;
    lg_arena_init(&arena, 0);
    CHECK(lg_catalogue_read(&arena, text, NULL, &before, NULL) == LG_OK);
    const lg_catalogue *after = before ? convert(&arena, text, path, &made) : NULL;
    if (after) {
        compare(context, before, made, after, path);
    }
    lg_arena_done(&arena);
}

// --- BFCL ---------------------------------------------------------------------------------------

// The first accepted value of each argument; "" means that it is left out.
static lg_json gold_call(lg_arena *arena, const lg_json *answer)
{
    lg_json_member *members = lg_json_alloc_members(arena, lg_json_len(answer) + 1);
    size_t count = 0;
    for (size_t i = 0; members && i < lg_json_len(answer); i++) {
        const lg_json_member *member = lg_json_member_at(answer, i);
        const lg_json *value = lg_json_item(&member->value, 0);
        bool absent = !value || (lg_json_is(value, LG_JSON_STRING) && lg_json_str(value).len == 0);
        if (!absent) {
            members[count++] = lg_json_make_member(lg_json_key(member), *value);
        }
    }
    return lg_json_make_object(members, count);
}

static const lg_catalogue_tool *by_name(const lg_catalogue *c, lg_str name)
{
    for (size_t i = 0; i < c->tool_count; i++) {
        if (lg_str_eq(c->tools[i].name, name)) {
            return &c->tools[i];
        }
    }
    return NULL;
}

static void try_gold(tally *t, lg_arena *arena, const lg_catalogue *before,
                     const lg_catalogue *after, const lg_json *answers)
{
    const lg_json *list = lg_json_get(answers, LG_STR("ground_truth"));
    for (size_t i = 0; i < lg_json_len(list); i++) {
        const lg_json_member *call = lg_json_member_at(&list->as.items[i], 0);
        const lg_catalogue_tool *a = by_name(before, lg_json_key(call));
        const lg_catalogue_tool *b = a ? by_id(after, a->name) : NULL;
        if (!CHECK(a && b && a->arguments && b->arguments)) {
            continue;
        }
        lg_json args = gold_call(arena, &call->value);
        bool valid = lg_schema_validate(a->arguments, &args, NULL);
        CHECK(lg_schema_validate(b->arguments, &args, NULL) == valid);
        t->calls++;
        t->valid += valid;
    }
}

// The next line of a text, or an empty slice.
static lg_str next_line(lg_str text, size_t *at)
{
    size_t end = lg_str_line_end(text, *at);
    lg_str line = lg_str_slice(text, *at, end);
    *at = end + 1;
    return line;
}

static void try_question(tally *t, lg_str question, lg_str answer, const char *name)
{
    lg_arena arena;
    const lg_catalogue *before = NULL;
    const lg_json *answers = NULL;
    lg_description *made = NULL;
    lg_arena_init(&arena, 0);
    CHECK(lg_catalogue_read(&arena, question, NULL, &before, NULL) == LG_OK);
    // A question may come without any tool.
    bool any = before && before->tool_count > 0;
    const lg_catalogue *after = any ? convert(&arena, question, name, &made) : NULL;
    if (after) {
        compare(t, before, made, after, name);
    }
    if (after && answer.len) {
        CHECK(lg_json_parse_in(&arena, answer, 0, answer.len, NULL, &answers, NULL) == LG_OK);
        try_gold(t, &arena, before, after, answers);
    }
    lg_arena_done(&arena);
}

static void try_category(const char *data, const char *category, tally *t)
{
    char path[2048];
    lg_file questions = {0}, answers = {0};
    snprintf(path, sizeof(path), "%s/data/bfcl/BFCL_v4_%s.json", data, category);
    CHECK_MSG(lg_file_open(path, 1u << 28, &questions, NULL) == LG_OK, path);
    snprintf(path, sizeof(path), "%s/data/bfcl/possible_answer/BFCL_v4_%s.json", data, category);
    bool answered = lg_file_open(path, 1u << 28, &answers, NULL) == LG_OK;
    for (size_t at = 0, also = 0; at < questions.text.len;) {
        lg_str question = next_line(questions.text, &at);
        lg_str answer = answered ? next_line(answers.text, &also) : LG_STR("");
        if (question.len) {
            try_question(t, question, answer, category);
        }
    }
    lg_file_close(&questions);
    if (answered) {
        lg_file_close(&answers);
    }
}

static void print(const char *name, const tally *t)
{
    printf(
        "%-20s %5zu texts, %5zu tools (%zu of one body), %5zu gold calls judged alike, %zu valid\n",
        name, t->texts, t->tools, t->whole, t->calls, t->valid);
}

int main(void)
{
    static const char *const categories[] = {
        "simple_python",     "multiple",      "parallel",
        "parallel_multiple", "irrelevance",   "live_simple",
        "live_multiple",     "live_parallel", "live_parallel_multiple",
        "live_irrelevance",  "live_relevance"};
    const char *data = lg_test_data_dir();
    if (!data) {
        printf("skipped: conformance.describe (no shared data)\n");
        return 77;
    }
    lg_test_name = "describe";
    char path[2048];
    tally mcp = {0}, docs = {0}, bfcl = {0};
    snprintf(path, sizeof(path), "%s/data/mcp/tools-list", data);
    CHECK(lg_data_each(path, ".json", 0, try_mcp, &mcp) == 65);
    print("mcp/tools-list", &mcp);
    snprintf(path, sizeof(path), "%s/data/bfcl/multi_turn_func_doc", data);
    CHECK(lg_data_each(path, ".json", 0, try_mcp, &docs) == 12);
    print("multi_turn_func_doc", &docs);
    for (size_t i = 0; i < LG_COUNT(categories); i++) {
        try_category(data, categories[i], &bfcl);
    }
    print("bfcl", &bfcl);
    CHECK(mcp.tools > 1300 && mcp.texts == 65 && docs.texts == 12 && bfcl.texts > 2300);
    CHECK(bfcl.calls > 1700 && bfcl.valid * 20 > bfcl.calls * 19);
    return lg_test_done();
}
