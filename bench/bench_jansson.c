// bench_jansson.c: the texts of bench_json.c, read by jansson.
//
//     bench_jansson INPUTS/json.json   |   --once FILE   |   --check FILE...
//
// Duplicate keys are refused, as we refuse them: then both do the same checks. --check prints a line
// for each file, `1 FILE` if jansson reads it by its own defaults and `0 FILE` if not.
#include "sampling.h"

#include <jansson.h>

#include <string.h>

static void stop(const char *what)
{
    fprintf(stderr, "bench_jansson: %s\n", what);
    exit(1);
}

static void parse(void *context)
{
    const json_t *text = context;
    json_t *value = json_loadb(json_string_value(text), json_string_length(text),
                               JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
    if (!value) {
        stop("a text was refused");
    }
    json_decref(value);
}

static int check_files(char **paths)
{
    for (; *paths; paths++) {
        json_t *value = json_load_file(*paths, JSON_DECODE_ANY, NULL);
        printf("%d %s\n", value != NULL, *paths);
        json_decref(value);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "--check") == 0) {
        return check_files(argv + 2);
    }
    if (argc == 3 && strcmp(argv[1], "--once") == 0) {
        json_t *whole = json_load_file(argv[2], JSON_REJECT_DUPLICATES, NULL);
        printf("%zu\n", json_array_size(whole));
        return whole ? 0 : 1;
    }
    json_t *texts = argc == 2 ? json_load_file(argv[1], 0, NULL) : NULL;
    if (!texts) {
        stop("give one file");
    }
    for (size_t i = 0; i < json_array_size(texts); i++) {
        const json_t *entry = json_array_get(texts, i);
        sampling_report("jansson", "parse", json_string_value(json_object_get(entry, "name")),
                        parse, json_object_get(entry, "text"), 1);
    }
    json_decref(texts);
    return 0;
}
