// fuzz_synthesise.c: one byte of choices, then a schema.
//
// Properties: what is made is valid, also after it was printed and read again; the same seed makes
// the same bytes; where one seed proves that there is no instance, no other seed finds one; nothing
// takes more than its bounds.
#include "schema/synthesise.h"

#include <stdlib.h>

static void expect(bool condition)
{
    if (!condition) {
        abort();
    }
}

// Prints what is made into `out`. False: nothing is.
static bool make(const lg_schema *schema, const lg_synthesis_options *how, lg_buf *out,
                 lg_status *ret_status)
{
    lg_arena arena;
    lg_error error = {.msg = ""};
    const lg_json *made = NULL;
    lg_arena_init(&arena, (size_t)1 << 26);
    *ret_status = lg_schema_synthesise_compiled(&arena, schema, how, &made, &error);
    expect((*ret_status == LG_OK) == (made != NULL));
    expect(made || *ret_status == LG_ERR_USAGE || *ret_status == LG_ERR_LIMIT);
    expect(made || error.msg[0]);
    lg_buf_clear(out);
    if (made) {
        expect(lg_schema_validate(schema, made, NULL));
        lg_json_print(out, made);
        expect(lg_buf_status(out) == LG_OK);
    }
    lg_arena_done(&arena);
    return made != NULL;
}

static void check_text(const lg_schema *schema, lg_str text)
{
    lg_json_doc *doc = NULL;
    expect(lg_json_parse(text, NULL, &doc, NULL) == LG_OK);
    expect(lg_schema_validate(schema, lg_json_root(doc), NULL));
    lg_json_doc_free(doc);
}

static void check_schema(const lg_schema *schema, uint8_t choices)
{
    lg_synthesis_options how = {.seed = choices,
                                .members = (lg_synthesis_members)(choices % 3),
                                .made_up = choices & 4,
                                .values = 500,
                                .text_bytes = 20000,
                                .attempts = 6,
                                .steps = 40000};
    lg_buf first;
    lg_buf second;
    lg_buf_init(&first, 0);
    lg_buf_init(&second, 0);
    lg_status status = LG_OK;
    lg_status again = LG_OK;
    bool made = make(schema, &how, &first, &status);
    expect(make(schema, &how, &second, &again) == made && again == status);
    expect(lg_str_eq(lg_buf_str(&first), lg_buf_str(&second)));
    if (made) {
        check_text(schema, lg_buf_str(&first));
    }
    how.seed = choices + 1000u;
    how.members = (lg_synthesis_members)((choices + 1) % 3);
    made = make(schema, &how, &second, &again);
    expect(!(status == LG_ERR_USAGE && made) && !(again == LG_ERR_USAGE && status == LG_OK));
    lg_buf_done(&first);
    lg_buf_done(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    lg_str text = {(const char *)data, size};
    lg_arena arena;
    lg_errors errors;
    lg_arena_init(&arena, (size_t)1 << 26);
    lg_errors_init(&errors, &arena, 1);
    const lg_json *source = NULL;
    if (lg_json_parse_in(&arena, text, 1, size, NULL, &source, NULL) == LG_OK) {
        lg_schema_options options = {
            .assert_formats = true, .steps = 20000, .limits = &(lg_limits){.regex_steps = 2000}};
        const lg_schema *schema = lg_schema_compile(&arena, source, &options, &errors);
        if (schema) {
            check_schema(schema, data[0]);
        }
    }
    lg_arena_done(&arena);
    return 0;
}
