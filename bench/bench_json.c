// bench_json.c: what it costs to read a JSON text, with all checks.
//
//     bench_json INPUTS/json.json      each text of the file, round after round
//     bench_json --once FILE           one file, once: for timing the whole process
//
// The texts are read as the gateway reads them, in an arena that is used again, and as a document
// that owns its copy. One JSON line a measure; see bench/schema_side_by_side.py.
#include "sampling.h"

#include "base/file.h"
#include "json/json.h"

typedef struct work {
    lg_str text;
    lg_arena arena;
} work;

static void stop(const char *what)
{
    fprintf(stderr, "bench_json: %s\n", what);
    exit(1);
}

static void parse_in_arena(void *context)
{
    work *w = context;
    const lg_json *value = NULL;
    if (lg_json_parse_in(&w->arena, w->text, 0, w->text.len, NULL, &value, NULL) != LG_OK) {
        stop("a text was refused");
    }
    lg_arena_reset(&w->arena);
}

static void parse_document(void *context)
{
    const work *w = context;
    lg_json_doc *doc = NULL;
    if (lg_json_parse(w->text, NULL, &doc, NULL) != LG_OK) {
        stop("a text was refused");
    }
    lg_json_doc_free(doc);
}

static int parse_once(const char *path)
{
    lg_file file = {0};
    lg_error error;
    const lg_json *value = NULL;
    lg_arena arena;
    lg_arena_init(&arena, 0);
    if (lg_file_open(path, SIZE_MAX, &file, &error) != LG_OK ||
        lg_json_parse_in(&arena, file.text, 0, file.text.len, NULL, &value, &error) != LG_OK) {
        stop(error.msg);
    }
    printf("%zu\n", lg_json_len(value));
    return 0; // as any program that reads one file, it leaves the memory to the system
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--once") == 0) {
        return parse_once(argv[2]);
    }
    lg_file file = {0};
    lg_error error;
    lg_json_doc *doc = NULL;
    if (argc != 2) {
        stop("give one file");
    }
    if (lg_file_open(argv[1], SIZE_MAX, &file, &error) != LG_OK ||
        lg_json_parse(file.text, NULL, &doc, &error) != LG_OK) {
        stop(error.msg);
    }
    const lg_json *texts = lg_json_root(doc);
    for (size_t i = 0; i < lg_json_len(texts); i++) {
        const lg_json *entry = lg_json_item(texts, i);
        char name[64];
        snprintf(name, sizeof(name), "%.*s",
                 LG_FMT(lg_json_str(lg_json_get(entry, LG_STR("name")))));
        work w = {.text = lg_json_str(lg_json_get(entry, LG_STR("text")))};
        lg_arena_init(&w.arena, 0);
        sampling_report("ledgergate", "parse", name, parse_in_arena, &w, 1);
        sampling_report("ledgergate, with its own copy", "parse", name, parse_document, &w, 1);
        lg_arena_done(&w.arena);
    }
    lg_json_doc_free(doc);
    lg_file_close(&file);
    return 0;
}
