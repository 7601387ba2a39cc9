// schema_conformance.c: runs the JSON Schema test suite for drafts 2020-12 and 7.
//
//     schema_conformance [--json FILE]
//
// Prints passed, failed and skipped tests of each file and the sums of each draft; with --json the
// sums and the names of what failed or was skipped go to a file too. A failure in any
// file fails the run; what is skipped is listed below by file and group with its reason, and an
// entry of that list which skips nothing fails the run too, so that the list cannot grow stale.
// Every document of `remotes/` is registered under the URI the suite gives it, and the two
// meta-schemas come from the folder beside this file: nothing is ever fetched.
#include "lg_test.h"

#include "base/file.h"
#include "schema/schema_internal.h"

#include <dirent.h>
#include <sys/stat.h>

enum { FILES_MAX = 128, REMOTES_MAX = 128 };

typedef struct skip_entry {
    const char *file;  // the end of its path
    const char *group; // NULL: all
    const char *reason;
    bool used;
} skip_entry;

static skip_entry skips[] = {
    {"optional/format/idn-hostname.json", NULL,
     "needs the Unicode tables of IDNA 2008; asserting it is a compile error", false},
    {"optional/format/hostname.json", "validation of A-label (punycode) host names",
     "an xn-- label is checked as ASCII; its meaning needs the tables of IDNA 2008", false},
    {"draft7/optional/content.json", NULL,
     "contentMediaType and contentEncoding are annotations, as in every later draft", false},
};

// Where --json writes; NULL without it. What failed and what was skipped is collected apart.
typedef struct record {
    FILE *file;
    lg_buf failures;
    lg_buf skips;
} record;

static record rec;

// Appends the name of a test, as `file: group: test`.
static void add_name(lg_buf *out, const char *file, lg_str group, lg_str test)
{
    lg_buf name;
    lg_buf_init(&name, 0);
    lg_buf_addf(&name, "%s: %.*s: %.*s", file, LG_FMT(group), LG_FMT(test));
    lg_buf_add_c(out, out->len ? "," : "");
    lg_json_print_str(out, lg_buf_str(&name));
    lg_buf_done(&name);
}

typedef struct tally {
    int passed;
    int failed;
    int skipped;
} tally;

typedef struct suite {
    lg_schema_dialect dialect;
    bool assert_formats;
    lg_schema_resource remotes[REMOTES_MAX];
    lg_json_doc *docs[REMOTES_MAX];
    size_t remote_count;
    bool verbose;
    const char *shown; // the folder that runs
} suite;

// --- Files ----------------------------------------------------------------------------------------

static lg_json_doc *read_json(const char *path)
{
    lg_file file = {0};
    lg_error error;
    lg_json_doc *doc = NULL;
    if (lg_file_open(path, 1u << 24, &file, &error) != LG_OK ||
        lg_json_parse(file.text, NULL, &doc, &error) != LG_OK) {
        printf("%s: %s\n", path, error.msg);
        doc = NULL;
    }
    lg_file_close(&file);
    return doc;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

typedef char file_name[256];

// The names in a folder, sorted; none if there is no such folder.
static size_t list_folder(const char *path, file_name names[FILES_MAX])
{
    size_t count = 0;
    DIR *folder = opendir(path);
    for (struct dirent *entry = folder ? readdir(folder) : NULL; entry && count < FILES_MAX;
         entry = readdir(folder)) {
        if (entry->d_name[0] != '.') {
            snprintf(names[count++], sizeof(file_name), "%s", entry->d_name);
        }
    }
    if (folder) {
        closedir(folder);
    }
    qsort(names, count, sizeof(file_name), by_text);
    return count;
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

// --- Remotes --------------------------------------------------------------------------------------

static void add_remote(suite *s, const char *path, const char *uri)
{
    lg_json_doc *doc = s->remote_count < REMOTES_MAX ? read_json(path) : NULL;
    char *kept = doc ? strdup(uri) : NULL;
    if (!CHECK_MSG(kept != NULL, path)) {
        return;
    }
    s->docs[s->remote_count] = doc;
    s->remotes[s->remote_count++] =
        (lg_schema_resource){lg_str_of(kept, strlen(kept)), lg_json_root(doc)};
}

static void add_remotes(suite *s, const char *path, const char *uri, int depth)
{
    static file_name names[4][FILES_MAX];
    size_t count = depth < 4 ? list_folder(path, names[depth]) : 0;
    for (size_t i = 0; i < count; i++) {
        char child[1024];
        char child_uri[1024];
        snprintf(child, sizeof(child), "%.500s/%.250s", path, names[depth][i]);
        snprintf(child_uri, sizeof(child_uri), "%.500s/%.250s", uri, names[depth][i]);
        if (is_folder(child)) {
            add_remotes(s, child, child_uri, depth + 1);
        } else {
            add_remote(s, child, child_uri);
        }
    }
}

static void free_remotes(suite *s)
{
    for (size_t i = 0; i < s->remote_count; i++) {
        union { // the copy made by add_remote, which the slice shows as const
            const char *shown;
            char *own;
        } uri = {.shown = s->remotes[i].uri.ptr};
        free(uri.own);
        lg_json_doc_free(s->docs[i]);
    }
}

// --- Groups ---------------------------------------------------------------------------------------

static skip_entry *find_skip(const char *path, lg_str group)
{
    for (size_t i = 0; i < LG_COUNT(skips); i++) {
        skip_entry *s = &skips[i];
        if (s->file && lg_str_ends(lg_str_c(path), lg_str_c(s->file)) &&
            (!s->group || lg_str_eq(lg_str_c(s->group), group))) {
            return s;
        }
    }
    return NULL;
}

// With and without a report, by the quick walk and the full one, the answer must be the same; and a
// failure must be explained.
static bool run_case(const lg_schema *schema, const lg_json *test, lg_schema_report *report)
{
    const lg_json *data = lg_json_get(test, LG_STR("data"));
    bool want = lg_json_is_true(lg_json_get(test, LG_STR("valid")));
    lg_schema full = *schema;
    full.quick = false;
    bool slow = lg_schema_validate(&full, data, NULL);
    bool quiet = lg_schema_validate(schema, data, NULL);
    bool told = lg_schema_validate(schema, data, report);
    return slow == want && quiet == want && told == want && (report->count > 0) == !want;
}

static void run_group(const suite *s, const char *path, const lg_json *group, tally *t)
{
    lg_str name = lg_json_str(lg_json_get(group, LG_STR("description")));
    const lg_json *tests = lg_json_get(group, LG_STR("tests"));
    skip_entry *skip = find_skip(path, name);
    char file[128]; // below `tests/`
    snprintf(file, sizeof(file), "%.60s%.60s", s->shown, strrchr(path, '/'));
    if (skip) {
        skip->used = true;
        t->skipped += (int)lg_json_len(tests);
        for (size_t i = 0; i < lg_json_len(tests); i++) {
            add_name(&rec.skips, file, name,
                     lg_json_str(lg_json_get(lg_json_item(tests, i), LG_STR("description"))));
        }
        return;
    }
    lg_arena arena;
    lg_errors errors;
    lg_arena_init(&arena, 0);
    lg_errors_init(&errors, &arena, 5);
    lg_schema_options options = {.dialect = s->dialect,
                                 .assert_formats = s->assert_formats,
                                 .registry = s->remotes,
                                 .registry_count = s->remote_count};
    const lg_schema *schema =
        lg_schema_compile(&arena, lg_json_get(group, LG_STR("schema")), &options, &errors);
    for (size_t i = 0; i < errors.count; i++) {
        printf("%s: %.*s: %s\n", path, LG_FMT(name), errors.items[i].msg);
    }
    lg_schema_violation items[4];
    for (size_t i = 0; i < lg_json_len(tests); i++) {
        lg_schema_report report = {.items = items, .capacity = LG_COUNT(items)};
        const lg_json *test = lg_json_item(tests, i);
        bool ok = schema && run_case(schema, test, &report);
        t->passed += ok ? 1 : 0;
        t->failed += ok ? 0 : 1;
        if (!ok) {
            add_name(&rec.failures, file, name,
                     lg_json_str(lg_json_get(test, LG_STR("description"))));
            printf("%s: %.*s: %.*s%s%s\n", path, LG_FMT(name),
                   LG_FMT(lg_json_str(lg_json_get(test, LG_STR("description")))),
                   report.count ? ": " : "", report.count ? items[0].msg : "");
        } else if (s->verbose && report.count) {
            printf("    %s\n", items[0].msg);
        }
    }
    lg_arena_done(&arena);
}

static void run_folder(suite *s, const char *folder, const char *shown, tally *sum)
{
    static file_name names[FILES_MAX];
    size_t count = list_folder(folder, names);
    for (size_t i = 0; i < count; i++) {
        char path[1024];
        snprintf(path, sizeof(path), "%.700s/%.250s", folder, names[i]);
        if (is_folder(path)) {
            continue;
        }
        tally t = {0};
        lg_json_doc *doc = read_json(path);
        const lg_json *groups = doc ? lg_json_root(doc) : NULL;
        CHECK_MSG(lg_json_len(groups) > 0, path);
        for (size_t g = 0; g < lg_json_len(groups); g++) {
            run_group(s, path, lg_json_item(groups, g), &t);
        }
        lg_json_doc_free(doc);
        printf("%s/%s: %d passed, %d failed, %d skipped\n", shown, names[i], t.passed, t.failed,
               t.skipped);
        sum->passed += t.passed;
        sum->failed += t.failed;
        sum->skipped += t.skipped;
    }
}

static void write_record(const char *key, const tally *sum, const char *before)
{
    if (rec.file) {
        fprintf(rec.file,
                "%s\"%s\":{\"passed\":%d,\"failed\":%d,\"skipped\":%d,\"failures\":[%.*s],"
                "\"skips\":[%.*s]}",
                before, key, sum->passed, sum->failed, sum->skipped,
                LG_FMT(lg_buf_str(&rec.failures)), LG_FMT(lg_buf_str(&rec.skips)));
    }
    lg_buf_clear(&rec.failures);
    lg_buf_clear(&rec.skips);
}

static tally run_draft(const char *data, const char *draft, lg_schema_dialect draft_dialect)
{
    static const struct {
        const char *folder;
        bool formats;
    } parts[] = {{"", false}, {"/optional", false}, {"/optional/format", true}};
    tally all = {0};
    suite s = {.dialect = draft_dialect, .verbose = getenv("LG_VERBOSE") != NULL};
    char path[1024];
    snprintf(path, sizeof(path), "%.700s/data/json-schema-test-suite/remotes", data);
    add_remotes(&s, path, "http://localhost:1234", 0);
    add_remote(&s, LG_SOURCE_DIR "/tests/conformance/schema/draft2020-12.json",
               "https://json-schema.org/draft/2020-12/schema");
    add_remote(&s, LG_SOURCE_DIR "/tests/conformance/schema/draft7.json",
               "http://json-schema.org/draft-07/schema");
    for (size_t i = 0; i < LG_COUNT(parts); i++) {
        tally sum = {0};
        char shown[64];
        snprintf(shown, sizeof(shown), "%s%s", draft, parts[i].folder);
        snprintf(path, sizeof(path), "%.700s/data/json-schema-test-suite/tests/%s", data, shown);
        s.assert_formats = parts[i].formats;
        s.shown = shown;
        run_folder(&s, path, shown, &sum);
        all = (tally){all.passed + sum.passed, all.failed + sum.failed, all.skipped + sum.skipped};
        printf("== %s: %d passed, %d failed, %d skipped\n", shown, sum.passed, sum.failed,
               sum.skipped);
        CHECK_MSG(sum.passed > 0 && sum.failed == 0, shown);
    }
    free_remotes(&s);
    return all;
}

static void both_drafts(void)
{
    const char *data = lg_test_data_dir();
    if (!data) {
        printf("skipped: json-schema-test-suite (no shared data)\n");
        CHECK_MSG(true, "the unit tests hold samples of our own");
        return;
    }
    tally t = run_draft(data, "draft2020-12", LG_SCHEMA_2020_12);
    write_record("json-schema-2020-12", &t, "{");
    t = run_draft(data, "draft7", LG_SCHEMA_7);
    write_record("json-schema-7", &t, ",");
    for (size_t i = 0; i < LG_COUNT(skips); i++) {
        if (skips[i].file) {
            printf("not supported: %s: %s: %s\n", skips[i].file,
                   skips[i].group ? skips[i].group : "all groups", skips[i].reason);
            CHECK_MSG(skips[i].used, "an entry of the list of skips skips nothing");
        }
    }
}

int main(int argc, char **argv)
{
    rec.file = argc == 3 && strcmp(argv[1], "--json") == 0 ? fopen(argv[2], "w") : NULL;
    CHECK_MSG(argc == 1 || rec.file, "usage: schema_conformance [--json FILE]");
    lg_buf_init(&rec.failures, 0);
    lg_buf_init(&rec.skips, 0);
    RUN(both_drafts);
    lg_buf_done(&rec.failures);
    lg_buf_done(&rec.skips);
    if (rec.file) {
        fputs("}\n", rec.file);
        CHECK(fclose(rec.file) == 0);
    }
    return lg_test_done();
}
