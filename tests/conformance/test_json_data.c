// The law of a parser and its printer: what was printed parses to the same values of the same types.
// Checked on every JSON file and every line of every JSON Lines file of the shared data.
#include "lg_test.h"

#include "data_files.h"
#include "json/json.h"

typedef struct counts {
    int texts;
    int refused;
    size_t bytes;
} counts;

// Equal, and of the same types everywhere, in the same order. (lg_json_equal takes 1 for 1.0.)
static bool identical(const lg_json *a, const lg_json *b)
{
    bool same = a->type == b->type && a->len == b->len;
    for (size_t i = 0; same && i < lg_json_len(a); i++) {
        if (a->type == LG_JSON_ARRAY) {
            same = identical(&a->as.items[i], &b->as.items[i]);
        } else {
            const lg_json_member *m = lg_json_member_at(a, i);
            const lg_json_member *n = lg_json_member_at(b, i);
            same = lg_str_eq(lg_json_key(m), lg_json_key(n)) && identical(&m->value, &n->value);
        }
    }
    if (same && a->type == LG_JSON_DOUBLE) {
        return memcmp(&a->as.f64, &b->as.f64, sizeof(a->as.f64)) == 0; // -0.0 is not 0.0
    }
    return same && (lg_json_len(a) > 0 || lg_json_equal(a, b));
}

typedef void (*printer)(lg_buf *out, const lg_json *value);

// Prints `value`, parses that, prints it again: the same values if `exact`, and the same text.
static void check_printer(const lg_json *value, printer print, bool exact, const char *path)
{
    lg_buf first;
    lg_buf second;
    lg_buf_init(&first, 0);
    lg_buf_init(&second, 0);
    print(&first, value);
    lg_json_doc *again = NULL;
    lg_error err;
    lg_status status = lg_json_parse(lg_buf_str(&first), NULL, &again, &err);
    if (CHECK_MSG(status == LG_OK, path)) {
        CHECK_MSG(!exact || identical(value, lg_json_root(again)), path);
        print(&second, lg_json_root(again));
        CHECK_MSG(lg_str_eq(lg_buf_str(&first), lg_buf_str(&second)), path);
    } else {
        printf("    %u:%u: %s\n", err.line, err.column, err.msg);
    }
    lg_json_doc_free(again);
    lg_buf_done(&second);
    lg_buf_done(&first);
}

// Only the suite of invalid texts may hold what is refused; test_json_suite.c says what and why.
static bool may_be_refused(const char *path)
{
    const char *name = lg_data_name(path);
    if (strstr(path, "/json-parsing/test_transform/")) {
        return true;
    }
    return strstr(path, "/json-parsing/test_parsing/") &&
           (name[0] != 'y' || strstr(name, "y_object_duplicated_key") == name);
}

static void check_text(counts *seen, const char *path, lg_str text, size_t from, size_t to)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    const lg_json *value = NULL;
    lg_error err;
    lg_status status = lg_json_parse_in(&arena, text, from, to, NULL, &value, &err);
    seen->texts++;
    seen->bytes += to - from;
    if (status == LG_OK) {
        check_printer(value, lg_json_print, true, path);
        check_printer(value, lg_json_print_pretty, true, path);
        check_printer(value, lg_json_print_canonical, false, path);
        const lg_json *copy = lg_json_copy(&arena, value);
        CHECK_MSG(copy && identical(value, copy) && lg_json_equal(value, copy), path);
    } else {
        seen->refused++;
        if (!CHECK_MSG(may_be_refused(path), path)) {
            printf("    %u:%u: %s\n", err.line, err.column, err.msg);
        }
    }
    lg_arena_done(&arena);
}

static void check_lines(void *context, const char *path, lg_str text)
{
    size_t from = 0;
    while (from < text.len) {
        const char *end = memchr(text.ptr + from, '\n', text.len - from);
        size_t to = end ? (size_t)(end - text.ptr) : text.len;
        if (lg_str_trim(lg_str_slice(text, from, to)).len > 0) {
            check_text(context, path, text, from, to);
        }
        from = to + 1;
    }
}

// The files of the function-calling leaderboard are named .json, but hold a text a line.
static void check_file(void *context, const char *path, lg_str text)
{
    if (strstr(path, "/data/bfcl/")) {
        check_lines(context, path, text);
    } else {
        check_text(context, path, text, 0, text.len);
    }
}

static void our_own_samples(void)
{
    counts seen = {0};
    lg_str lines =
        LG_STR("{\"a\":[1,1.0,-0,1e400,18446744073709551615,\"\\u0000\\ud83d\\ude00\"]}\n"
               "\n[null,true,false,{},[],\"\",0.1,5e-324,123456789012345678901]\r\n");
    check_lines(&seen, "our own samples", lines);
    CHECK(seen.texts == 2 && seen.refused == 0);
}

static void every_file_of_the_data(void)
{
    const char *data = lg_test_data_dir();
    if (!data) {
        printf("skipped: print-then-parse of the data (no shared data)\n");
        return;
    }
    counts seen = {0};
    char folder[4096];
    snprintf(folder, sizeof(folder), "%s/data", data);
    int files = lg_data_each(folder, ".json", 0, check_file, &seen);
    CHECK(files > 1000);
    // 188 n_, 26 of the i_, 2 of the y_ and 9 of test_transform.
    CHECK_MSG(seen.refused == 225, "the texts of JSONTestSuite that are refused, and no other");
    int line_files = lg_data_each(folder, ".jsonl", 0, check_lines, &seen);
    CHECK(line_files > 50);
    printf("%d files, %d files of lines: %d texts of %zu bytes, %d refused (JSONTestSuite)\n",
           files, line_files, seen.texts, seen.bytes, seen.refused);
}

int main(void)
{
    RUN(our_own_samples);
    RUN(every_file_of_the_data);
    return lg_test_done();
}
