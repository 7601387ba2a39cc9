// catalogues.c: every real catalogue of the shared data is read, and its schemas compile.
//
// The tools of 65 MCP servers, the operations of 25 OpenAPI documents (three of them YAML), and the
// 15,209 tools of a retrieval collection. Prints the counts of each folder. A schema that does not
// compile fails the run, unless it is listed below as a defect of the document itself; an entry of
// the list that nothing meets, as an error or a warning, fails the run too. Defects of OpenAPI documents
// whose meaning is clear are warnings, and their schemas compile all the same.
#include "lg_test.h"

#include "catalogue/catalogue.h"
#include "data_files.h"
#include "pack/yaml.h"

typedef struct known_defect {
    const char *file;
    const char *pointer; // of the finding in its document
    const char *reason;
    bool met;
} known_defect;

#define BOUND "a boolean exclusiveMinimum, as draft 4 had it, in a 3.1 document"
#define FINE_TUNING "/components/schemas/FineTune"

static known_defect defects[] = {
    {"notion.json", "/paths/~1v1~1pages~1{id}/get/parameters/1", "a parameter without a name",
     false},
    {"openai.json", "/components/schemas/ContainerResource/required/5", "names `id` twice", false},
    {"openai.json",
     FINE_TUNING
     "ReinforcementHyperparameters/properties/compute_multiplier/oneOf/1/exclusiveMinimum",
     BOUND, false},
    {"openai.json",
     FINE_TUNING
     "ReinforcementHyperparameters/properties/learning_rate_multiplier/oneOf/1/exclusiveMinimum",
     BOUND, false},
    {"openai.json",
     FINE_TUNING "DPOHyperparameters/properties/learning_rate_multiplier/oneOf/1/exclusiveMinimum",
     BOUND, false},
    {"openai.json", FINE_TUNING "DPOHyperparameters/properties/beta/oneOf/1/exclusiveMinimum",
     BOUND, false},
    {"openai.json",
     FINE_TUNING
     "SupervisedHyperparameters/properties/learning_rate_multiplier/oneOf/1/exclusiveMinimum",
     BOUND, false},
    {"openai.json",
     "/components/schemas/FineTuningJob/properties/hyperparameters/properties/"
     "learning_rate_multiplier/oneOf/1/exclusiveMinimum",
     BOUND, false},
    {"openai.json",
     "/components/schemas/CreateFineTuningJobRequest/properties/hyperparameters/properties/"
     "learning_rate_multiplier/oneOf/1/exclusiveMinimum",
     BOUND, false},
    {"tools.jsonl",
     "/parameters/properties/sources/items/properties/pages/anyOf/0/items/exclusiveMinimum",
     "the same in a tool", false},
};

typedef struct tally {
    size_t files;
    size_t tools;
    size_t arguments;
    size_t without_schema;
    size_t results;
    size_t broken; // tools one of whose schemas does not compile
    size_t known;
    size_t warnings;
} tally;

static bool is_known(const char *name, const lg_catalogue_finding *f)
{
    for (size_t i = 0; i < LG_COUNT(defects); i++) {
        known_defect *d = &defects[i];
        if (strcmp(d->file, name) == 0 && lg_str_eq(lg_str_c(d->pointer), f->pointer)) {
            d->met = true;
            return true;
        }
    }
    return false;
}

static void count_tools(tally *t, const lg_catalogue *c)
{
    for (size_t i = 0; i < c->tool_count; i++) {
        const lg_catalogue_tool *tool = &c->tools[i];
        t->tools++;
        t->arguments += tool->list_count;
        t->without_schema += tool->parameters == NULL;
        t->results += tool->results != NULL;
        t->broken += (tool->parameters && !tool->arguments) || (tool->result && !tool->results);
    }
}

static void count_findings(tally *t, const char *name, const lg_catalogue *c)
{
    for (size_t i = 0; i < c->finding_count; i++) {
        const lg_catalogue_finding *f = &c->findings[i];
        bool error = lg_catalogue_kind_is_error(f->kind);
        t->warnings += !error;
        bool known = is_known(name, f);
        if (error && known) {
            t->known++;
        } else if (error && !CHECK_MSG(false, "a finding that is not listed as a known defect")) {
            printf("    %s: %.*s: %s: %.*s: %.*s\n", name, LG_FMT(f->tool),
                   lg_catalogue_kind_name(f->kind), LG_FMT(f->pointer), LG_FMT(f->msg));
        }
    }
    CHECK(c->findings_dropped == 0);
}

static void read_one(void *context, const char *path, lg_str text)
{
    tally *t = context;
    lg_arena arena;
    lg_arena_init(&arena, (size_t)4 << 30);
    const lg_catalogue *c = NULL;
    const lg_json *root = NULL;
    lg_error error;
    lg_status status;
    if (lg_data_ends(path, ".yaml")) {
        status = lg_yaml_parse(&arena, text, path, NULL, &root, &error);
        status = status == LG_OK ? lg_catalogue_of(&arena, text, root, NULL, &c, &error) : status;
    } else {
        status = lg_catalogue_read(&arena, text, NULL, &c, &error);
    }
    if (!CHECK_MSG(status == LG_OK, lg_data_name(path))) {
        printf("    %u:%u: %s\n", error.line, error.column, error.msg);
    } else {
        t->files++;
        count_tools(t, c);
        count_findings(t, lg_data_name(path), c);
    }
    lg_arena_done(&arena);
}

static tally read_folder(const char *data, const char *folder, const char *ending)
{
    tally t = {0};
    char path[4096];
    snprintf(path, sizeof(path), "%s/data/%s", data, folder);
    CHECK_MSG(lg_data_each(path, ending, 0, read_one, &t) > 0, path);
    printf(
        "%-24s %4zu files, %5zu tools, %6zu arguments, %4zu result schemas, %3zu without schema, "
        "%zu not compiled (%zu known defects), %zu warnings\n",
        folder, t.files, t.tools, t.arguments, t.results, t.without_schema, t.broken, t.known,
        t.warnings);
    return t;
}

int main(void)
{
    const char *data = lg_test_data_dir();
    if (!data) {
        printf("skipped: conformance.catalogues (no shared data)\n");
        return 77;
    }
    lg_test_name = "catalogues";
    tally mcp = read_folder(data, "mcp/tools-list", ".json");
    CHECK(mcp.files == 65 && mcp.tools == 1404 && mcp.broken == 0);
    tally openapi = read_folder(data, "openapi", ".json");
    tally yaml = read_folder(data, "openapi", ".yaml");
    CHECK(openapi.files + yaml.files == 25 && openapi.tools + yaml.tools == 4405);
    CHECK(openapi.broken + yaml.broken == 0);
    tally retrieval = read_folder(data, "tool-retrieval", "tools.jsonl");
    CHECK(retrieval.tools == 15209 && retrieval.broken == 1);
    for (size_t i = 0; i < LG_COUNT(defects); i++) {
        CHECK_MSG(defects[i].met, defects[i].reason);
    }
    return lg_test_done();
}
