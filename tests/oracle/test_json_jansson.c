// The same texts through jansson: the same values, and the same texts refused.
//
// What differs on purpose: jansson has no integers beyond 64 bits signed, no numbers beyond the
// doubles and no NUL in a key. It says so with error codes of its own, so a difference is only
// taken for one of these if jansson names it. And jansson takes a NUL behind the value for the end
// of the text.
#include "lg_test.h"

#include <jansson.h>

#include "data_files.h"
#include "json/json.h"

typedef struct counts {
    int both;    // accepted by both, values compared
    int neither; // refused by both
    int ours;    // accepted by us alone, for a reason that jansson names
} counts;

static bool same_value(const lg_json *ours, const json_t *theirs);

static bool same_object(const lg_json *ours, const json_t *theirs)
{
    bool same = lg_json_len(ours) == json_object_size(theirs);
    for (size_t i = 0; same && i < lg_json_len(ours); i++) {
        const lg_json_member *m = lg_json_member_at(ours, i);
        const json_t *other = json_object_getn(theirs, m->key, m->key_len);
        same = other && same_value(&m->value, other);
    }
    return same;
}

static bool same_array(const lg_json *ours, const json_t *theirs)
{
    bool same = lg_json_len(ours) == json_array_size(theirs);
    for (size_t i = 0; same && i < lg_json_len(ours); i++) {
        same = same_value(&ours->as.items[i], json_array_get(theirs, i));
    }
    return same;
}

static bool same_real(const lg_json *ours, const json_t *theirs)
{
    double d = json_real_value(theirs);
    return json_is_real(theirs) && memcmp(&ours->as.f64, &d, sizeof(d)) == 0;
}

// Depth is bounded by the parser's limit.
static bool same_value(const lg_json *ours, const json_t *theirs)
{
    switch (lg_json_type_of(ours)) {
    case LG_JSON_NULL:
        return json_is_null(theirs);
    case LG_JSON_BOOL:
        return json_is_boolean(theirs) && json_is_true(theirs) == ours->as.boolean;
    case LG_JSON_INT:
        return json_is_integer(theirs) && json_integer_value(theirs) == ours->as.i64;
    case LG_JSON_DOUBLE:
        // jansson reads `-0` as the integer 0.
        return same_real(ours, theirs) ||
               (json_is_integer(theirs) && json_integer_value(theirs) == 0 &&
                ours->as.u64 == (uint64_t)1 << 63);
    case LG_JSON_STRING:
        return json_is_string(theirs) && json_string_length(theirs) == ours->len &&
               memcmp(json_string_value(theirs), ours->as.text, ours->len) == 0;
    case LG_JSON_ARRAY:
        return json_is_array(theirs) && same_array(ours, theirs);
    case LG_JSON_OBJECT:
        return json_is_object(theirs) && same_object(ours, theirs);
    case LG_JSON_UINT:
    case LG_JSON_BIGNUM:
        break;
    }
    return false;
}

static bool is_named_difference(const json_error_t *error)
{
    enum json_error_code code = json_error_code(error);
    return code == json_error_numeric_overflow || code == json_error_null_byte_in_key;
}

static void compare(counts *seen, const char *path, lg_str text)
{
    // As deep as jansson goes.
    static const lg_limits limits = {.json_depth = LG_JSON_DEPTH_MAX / 2};
    lg_json_doc *ours = NULL;
    lg_status status = lg_json_parse(text, &limits, &ours, NULL);
    json_error_t error;
    json_t *theirs = json_loadb(text.ptr, text.len,
                                JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    if (status == LG_OK && theirs) {
        CHECK_MSG(same_value(lg_json_root(ours), theirs), path);
        seen->both++;
    } else if (status == LG_OK) {
        if (!CHECK_MSG(is_named_difference(&error), path)) {
            printf("    jansson: %s\n", error.text);
        }
        seen->ours++;
    } else {
        bool nul = text.len > 0 && memchr(text.ptr, '\0', text.len);
        CHECK_MSG(theirs == NULL || nul, path);
        seen->neither++;
    }
    json_decref(theirs);
    lg_json_doc_free(ours);
}

static void compare_lines(void *context, const char *path, lg_str text)
{
    size_t from = 0;
    while (from < text.len) {
        const char *end = memchr(text.ptr + from, '\n', text.len - from);
        size_t to = end ? (size_t)(end - text.ptr) : text.len;
        compare(context, path, lg_str_slice(text, from, to));
        from = to + 1;
    }
}

static void compare_file(void *context, const char *path, lg_str text)
{
    if (strstr(path, "/data/bfcl/")) { // a text a line, whatever the name says
        compare_lines(context, path, text);
    } else {
        compare(context, path, text);
    }
}

static void our_own_samples(void)
{
    static const char *const texts[] = {
        "{\"a\":[1,-2,3.5,1e10,-0,-0.0,0.1,5e-324,1e-400],\"b\":{\"c\":null,\"d\":true}}",
        "\"\\u0000\\ud83d\\ude00\\u20ac\\n\"",
        "9223372036854775807",
        "9223372036854775808",
        "1e309",
        "{\"\\u0000\":1}",
        "{\"a\":1,\"a\":1}",
        "[1,]",
        "[01]",
        "\"\\ud800\"",
        "\"\xED\xA0\x80\"",
        "\xEF\xBB\xBF{}",
        "",
        "[1] [2]",
    };
    counts seen = {0};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        compare(&seen, texts[i], lg_str_c(texts[i]));
    }
    CHECK(seen.both == 3 && seen.ours == 3 && seen.neither == 8);
}

static void every_file_of_the_data(void)
{
    const char *data = lg_test_data_dir();
    if (!data) {
        printf("skipped: jansson on the data (no shared data)\n");
        return;
    }
    counts seen = {0};
    char folder[4096];
    snprintf(folder, sizeof(folder), "%s/data", data);
    CHECK(lg_data_each(folder, ".json", 0, compare_file, &seen) > 1000);
    CHECK(lg_data_each(folder, ".jsonl", 0, compare_lines, &seen) > 50);
    printf(
        "%d texts with the same values, %d refused by both, %d beyond jansson's numbers or keys\n",
        seen.both, seen.neither, seen.ours);
}

int main(void)
{
    RUN(our_own_samples);
    RUN(every_file_of_the_data);
    return lg_test_done();
}
