// simulate_answers.c: every operation of every real catalogue is simulated, and each answer is valid.
//
// The tools of 65 MCP servers and the operations of 25 OpenAPI documents, with arguments made of their schemas, three
// seeds each: every answer fits the tool's result schema, and the same seed and calls give the same bytes in another
// session. What cannot be asked or answered is told by name, and fails the run unless it is listed below; so does an
// entry of the list that nothing meets. With a sanitizer large documents are sampled.
#include "lg_test.h"

#include "data_files.h"
#include "pack/yaml.h"
#include "schema/synthesise.h"
#include "simulate/simulate.h"

#define SEEDS 3u

typedef struct exception {
    const char *where; // a part of "file: tool"
    const char *error; // of the message
    const char *reason;
    size_t used;
} exception;

static exception exceptions[] = {
    {"vercel.json: ", "allows no type", "`type: null` beside a `oneOf` without null", 0},
    {"netlify__mcp.json", "allows no value", "an empty `enum` of a required member", 0},
};

typedef struct tally {
    size_t files, tools, without_result, not_compiled;
    size_t calls, answers; // all, and those that were checked by a schema
    size_t unasked, unanswered;
    size_t ends[LG_SIM_FAULT + 1];
} tally;

static bool is_listed(const char *name, const char *error)
{
    for (size_t i = 0; i < LG_COUNT(exceptions); i++) {
        if (strstr(name, exceptions[i].where) && strstr(error, exceptions[i].error)) {
            exceptions[i].used++;
            return true;
        }
    }
    return false;
}

static void tell(const char *name, const char *what, const char *error, size_t *count)
{
    (*count)++;
    printf("  %s: %s: %s\n", name, what, error);
    CHECK_MSG(is_listed(name, error), "a tool that cannot be simulated and is not listed");
}

// --- One tool -----------------------------------------------------------------------------------

typedef struct pair {
    lg_sim_session *one, *other; // of the same seed
    uint64_t seed;
} pair;

static const lg_json *make_arguments(lg_arena *arena, tally *t, const char *name,
                                     const lg_sim_tool *tool, uint64_t seed)
{
    static const lg_json none = {.type = LG_JSON_OBJECT, .offset = LG_JSON_NO_OFFSET};
    const lg_json *args = &none;
    lg_error error = {.msg = ""};
    lg_synthesis_options how = {.seed = seed, .made_up = seed % 2 == 0};
    if (tool->arguments &&
        lg_schema_synthesise_compiled(arena, tool->arguments, &how, &args, &error) != LG_OK) {
        if (seed == 1) {
            tell(name, "no arguments", error.msg, &t->unasked);
        }
        return NULL;
    }
    return args;
}

static void check_answer(tally *t, const char *name, const lg_sim_answer *answer)
{
    t->ends[answer->end]++;
    if (answer->end == LG_SIM_FAULT) {
        char why[400];
        snprintf(why, sizeof(why), "%.*s", LG_FMT(lg_str_cut(answer->error, 380)));
        tell(name, "no answer", why, &t->unanswered);
        return;
    }
    bool told = answer->end == LG_SIM_ABSENT || answer->end == LG_SIM_CONFLICT;
    if (!CHECK_MSG(answer->end == LG_SIM_DONE || told, "a valid call is refused")) {
        printf("  %s: %s: %.*s\n", name, lg_sim_end_name(answer->end), LG_FMT(answer->error));
    }
    if (answer->end == LG_SIM_DONE && answer->tool->results) {
        lg_schema_violation item;
        lg_schema_report report = {.items = &item, .capacity = 1};
        t->answers++;
        if (!CHECK_MSG(lg_schema_validate(answer->tool->results, answer->result, &report),
                       "an answer that is not valid")) {
            printf("  %s: %s: %s\n", name, item.instance_pointer, item.msg);
        }
    }
}

// What an earlier call has deleted, or made, is asked for where nothing was.
static void call_alone(tally *t, const char *name, const lg_sim_session *session,
                       const lg_sim_call *call)
{
    lg_sim_session *alone = NULL;
    lg_sim_answer answer;
    lg_sim_begin begin = {.task = LG_STR(""), .seed = lg_sim_seed(session)};
    if (CHECK(lg_sim_session_new(lg_sim_of(session), &begin, &alone, NULL) == LG_OK) &&
        CHECK(lg_sim_call_tool(alone, call, NULL, &answer, NULL) == LG_OK)) {
        CHECK_MSG(answer.end == LG_SIM_DONE || answer.end == LG_SIM_FAULT,
                  "in a new session nothing is absent");
        check_answer(t, name, &answer);
    }
    lg_sim_session_free(alone);
}

static void call_tool(tally *t, const char *file, const pair *p, const lg_sim_tool *tool)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    char name[300];
    snprintf(name, sizeof(name), "%.100s: %.*s", file, LG_FMT(lg_str_cut(tool->name, 150)));
    const lg_json *args = make_arguments(&arena, t, name, tool, p->seed);
    lg_sim_call call = {.tool = tool->name, .args = args, .args_text = LG_STR("")};
    lg_sim_answer answer;
    lg_sim_answer again;
    lg_error error = {.msg = ""};
    if (args) {
        t->calls++;
        bool fine = lg_sim_call_tool(p->one, &call, NULL, &answer, &error) == LG_OK;
        if (CHECK_MSG(fine, error.msg)) {
            check_answer(t, name, &answer);
            fine = lg_sim_call_tool(p->other, &call, NULL, &again, &error) == LG_OK;
            CHECK_MSG(fine && again.end == answer.end && lg_str_eq(again.text, answer.text) &&
                          lg_str_eq(again.error, answer.error),
                      "the same seed and calls give other bytes");
            if (again.end == LG_SIM_ABSENT || again.end == LG_SIM_CONFLICT) {
                call_alone(t, name, p->one, &call);
            }
        }
    }
    lg_arena_done(&arena);
}

// --- One file -----------------------------------------------------------------------------------

static void call_all(tally *t, const char *file, const lg_sim *sim, uint64_t seed)
{
    pair p = {.seed = seed};
    lg_sim_begin begin = {.task = LG_STR(""), .seed = seed};
    size_t count = lg_sim_tool_count(sim);
    size_t step = LG_ARENA_POISONS && count > 40 ? 1 + count / 40 : 1;
    if (!CHECK(lg_sim_session_new(sim, &begin, &p.one, NULL) == LG_OK) ||
        !CHECK(lg_sim_session_new(sim, &begin, &p.other, NULL) == LG_OK)) {
        return;
    }
    for (size_t i = seed % step; i < count; i += step) {
        call_tool(t, file, &p, lg_sim_tool_at(sim, i));
    }
    char one[65];
    char other[65];
    CHECK(lg_sim_state_hash(p.one, one, NULL) == LG_OK &&
          lg_sim_state_hash(p.other, other, NULL) == LG_OK && strcmp(one, other) == 0);
    lg_sim_session_free(p.one);
    lg_sim_session_free(p.other);
}

static void run_file(void *context, const char *path, lg_str text)
{
    tally *t = context;
    lg_arena arena;
    lg_errors errors;
    lg_arena_init(&arena, 0);
    lg_errors_init(&errors, &arena, 4);
    const lg_catalogue *catalogue = NULL;
    const lg_json *root = NULL;
    lg_sim *sim = NULL;
    lg_error error = {.msg = ""};
    lg_status status = LG_OK;
    if (lg_data_ends(path, ".yaml")) {
        status = lg_yaml_parse(&arena, text, path, NULL, &root, &error);
        status = status == LG_OK ? lg_catalogue_of(&arena, text, root, NULL, &catalogue, &error)
                                 : status;
    } else {
        status = lg_catalogue_read(&arena, text, NULL, &catalogue, &error);
    }
    if (CHECK_MSG(status == LG_OK, error.msg) && catalogue->tool_count > 0 &&
        CHECK(lg_sim_new(&(lg_sim_options){.catalogue = catalogue}, &sim, &errors) == LG_OK)) {
        t->files++;
        t->tools += lg_sim_tool_count(sim);
        for (size_t i = 0; i < lg_sim_tool_count(sim); i++) {
            const lg_sim_tool *tool = lg_sim_tool_at(sim, i);
            t->without_result += !tool->result;
            t->not_compiled += tool->result && !tool->results;
            CHECK_MSG(!tool->result || tool->results, "a result schema that does not compile");
            if (tool->result && !tool->results) {
                printf("  %s: %.*s: its result schema does not compile\n", lg_data_name(path),
                       LG_FMT(tool->name));
            }
        }
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            call_all(t, lg_data_name(path), sim, seed);
        }
    } else if (status == LG_OK) {
        t->files++;
        printf("  %s: no tools\n", lg_data_name(path));
    }
    lg_sim_free(sim);
    lg_arena_done(&arena);
}

static tally run_folder(const char *folder, const char *ending)
{
    tally t = {0};
    char path[4096];
    snprintf(path, sizeof(path), "%s/data/%s", lg_test_data_dir(), folder);
    CHECK_MSG(lg_data_each(path, ending, 0, run_file, &t) > 0, path);
    printf("%s *%s: %zu files, %zu tools (%zu without a result schema, %zu whose does not "
           "compile), %zu calls, "
           "%zu answers checked, %zu tools not asked, %zu calls not answered; ends:",
           folder, ending, t.files, t.tools, t.without_result, t.not_compiled, t.calls, t.answers,
           t.unasked, t.unanswered);
    for (size_t i = 0; i <= LG_SIM_FAULT; i++) {
        printf(" %s %zu", lg_sim_end_name((lg_sim_end)i), t.ends[i]);
    }
    printf("\n");
    return t;
}

int main(void)
{
    if (!lg_test_data_dir()) {
        printf("skipped: conformance.simulate_answers (no shared data)\n");
        return 77;
    }
    lg_test_name = "simulate_answers";
    tally mcp = run_folder("mcp/tools-list", ".json");
    tally json = run_folder("openapi", ".json");
    tally yaml = run_folder("openapi", ".yaml");
    CHECK(mcp.files == 65 && mcp.tools == 1404);
    CHECK(json.files + yaml.files == 25 && json.tools + yaml.tools == 4405);
    for (size_t i = 0; i < LG_COUNT(exceptions); i++) {
        printf("listed: %s: %s (%zu times)\n", exceptions[i].where, exceptions[i].reason,
               exceptions[i].used);
        CHECK_MSG(LG_ARENA_POISONS || exceptions[i].used > 0,
                  "an entry of the list of exceptions is unnecessary");
    }
    return lg_test_done();
}
