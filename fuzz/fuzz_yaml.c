// fuzz_yaml.c: any text as YAML. It is refused with a place inside of the text, or it gives values:
// these are the same when printed as JSON and read again, and every byte of every text among them
// is found inside of the source.
#include "pack/yaml.h"

#include "base/utf8.h"

static void require(bool holds)
{
    if (!holds) {
        __builtin_trap();
    }
}

// As deep as the limit on nesting.
static void locate_all(lg_str text, const lg_json *value)
{
    if (lg_json_is(value, LG_JSON_STRING)) {
        require(lg_utf8_valid_prefix(lg_json_str(value)) == value->len);
        for (size_t i = 0; i <= value->len && i < 64; i++) {
            require(lg_yaml_locate(text, value, i) <= text.len);
        }
    }
    require(value->offset <= text.len);
    for (size_t i = 0; lg_json_is(value, LG_JSON_ARRAY) && i < value->len; i++) {
        locate_all(text, lg_json_item(value, i));
    }
    for (size_t i = 0; lg_json_is(value, LG_JSON_OBJECT) && i < value->len; i++) {
        locate_all(text, &lg_json_member_at(value, i)->value);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lg_str text = {(const char *)data, size};
    lg_limits limits = {.json_depth = 32, .document_bytes = (size_t)32 << 20};
    lg_arena arena;
    lg_arena_init(&arena, limits.document_bytes);
    const lg_json *value = NULL;
    lg_error error = {0};
    lg_status status = lg_yaml_parse(&arena, text, "fuzz", &limits, &value, &error);
    require((status == LG_OK) == (value != NULL));
    require(status == LG_OK || (error.status == status && error.msg[0]));
    require(status != LG_ERR_PARSE || (error.line > 0 && error.column > 0));
    if (value) {
        locate_all(text, value);
        lg_buf printed;
        lg_buf_init(&printed, 0);
        lg_json_print(&printed, value);
        lg_json_doc *doc = NULL;
        require(lg_buf_status(&printed) == LG_OK);
        require(lg_json_parse(lg_buf_str(&printed), NULL, &doc, NULL) == LG_OK);
        require(lg_json_equal(lg_json_root(doc), value));
        lg_json_doc_free(doc);
        lg_buf_done(&printed);
    }
    lg_arena_done(&arena);
    return 0;
}
