// Laws of the JSON room on any bytes: what is accepted prints and parses to the same again, in all
// three forms; jansson, where it can be compared, accepts and refuses the same texts; and escapes are
// decoded alike with and without wide instructions.
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "json/unescape.h"

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

typedef void (*printer)(lg_buf *out, const lg_json *value);

static void print_and_parse(const lg_json *value, printer print, bool exact)
{
    lg_buf first;
    lg_buf second;
    lg_buf_init(&first, 0);
    lg_buf_init(&second, 0);
    print(&first, value);
    lg_json_doc *again = NULL;
    REQUIRE(lg_json_parse(lg_buf_str(&first), NULL, &again, NULL) == LG_OK);
    REQUIRE(!exact || lg_json_equal(value, lg_json_root(again)));
    print(&second, lg_json_root(again));
    REQUIRE(lg_str_eq(lg_buf_str(&first), lg_buf_str(&second)));
    lg_json_doc_free(again);
    lg_buf_done(&second);
    lg_buf_done(&first);
}

// Each value is found by the pointer of its own place.
static void check_pointers(const lg_json *root, const lg_json *value)
{
    lg_buf pointer;
    lg_buf_init(&pointer, 0);
    lg_json_pointer_of(&pointer, root, value->offset);
    REQUIRE(lg_json_at(root, lg_buf_str(&pointer)) == value);
    lg_buf_done(&pointer);
    for (size_t i = 0; i < lg_json_len(value) && i < 20; i++) {
        bool object = value->type == LG_JSON_OBJECT;
        check_pointers(root, object ? &lg_json_member_at(value, i)->value : &value->as.items[i]);
    }
}

// jansson has no large numbers, no NUL in keys, and takes a NUL behind the value for the end.
static void compare_with_jansson(lg_str text, bool accepted)
{
    json_error_t error;
    json_t *theirs = json_loadb(text.ptr, text.len,
                                JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    if (accepted && !theirs) {
        enum json_error_code code = json_error_code(&error);
        REQUIRE(code == json_error_numeric_overflow || code == json_error_null_byte_in_key);
    }
    if (!accepted && theirs) {
        REQUIRE(memchr(text.ptr, '\0', text.len));
    }
    json_decref(theirs);
}

// The text as the inside of a string, up to where it closes. Plain bytes behind it bring the portable
// way to its end, which it stops short of.
static void compare_unescapers(const char *data, size_t size)
{
    enum { PLAIN = 144, TEXT_MAX = 1024 };
    char text[TEXT_MAX + PLAIN];
    char room[2][TEXT_MAX + PLAIN];
    const lg_unescaper *ways[] = {&lg_unescaper_portable, lg_unescaper_best()};
    const char *end = data + (size < TEXT_MAX ? size : TEXT_MAX);
    const char *close = ways[0]->find_close(data, end);
    REQUIRE(ways[1]->find_close(data, end) == close);
    size_t len = (size_t)(close - data);
    memcpy(text, data, len);
    memset(text + len, 'x', PLAIN);
    const char *stops[2];
    size_t lens[2];
    for (int i = 0; i < 2; i++) {
        char *out = room[i];
        stops[i] = ways[i]->decode(text, text + len + PLAIN, &out);
        lens[i] = (size_t)(out - room[i]);
    }
    bool whole = stops[0] >= text + len && stops[1] == text + len + PLAIN;
    REQUIRE(whole || stops[0] == stops[1]);
    REQUIRE(lens[0] <= lens[1] && memcmp(room[0], room[1], lens[0]) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lg_str text = {(const char *)data, size};
    compare_unescapers(text.ptr, size);
    lg_arena arena;
    lg_arena_init(&arena, 0);
    const lg_json *value = NULL;
    lg_error err = {0};
    lg_status status = lg_json_parse_in(&arena, text, 0, size, NULL, &value, &err);
    if (status == LG_OK) {
        print_and_parse(value, lg_json_print, true);
        print_and_parse(value, lg_json_print_pretty, true);
        print_and_parse(value, lg_json_print_canonical, false);
        const lg_json *copy = lg_json_copy(&arena, value);
        REQUIRE(copy && lg_json_equal(value, copy));
        check_pointers(value, value);
    } else {
        REQUIRE(status == LG_ERR_PARSE || status == LG_ERR_LIMIT);
        REQUIRE(value == NULL && err.line > 0 && err.column > 0 && err.msg[0]);
    }
    if (status != LG_ERR_LIMIT) {
        compare_with_jansson(text, status == LG_OK);
    }
    lg_arena_done(&arena);
    return 0;
}
