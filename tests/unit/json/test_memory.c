// Every allocation fails once: the right status, nothing leaked, nothing half done.
#include "lg_test.h"

#include "base/alloc.h"
#include "json/json.h"

// Escapes, nesting, more slots than the parser keeps on its own stack, and an indexed object.
static lg_str make_text(lg_arena *arena)
{
    lg_buf out;
    lg_buf_init(&out, 0);
    lg_buf_add_c(&out, "{\"list\":[");
    for (int i = 0; i < 3000; i++) {
        lg_buf_addf(&out, "%s%d", i ? "," : "", i);
    }
    lg_buf_add_c(&out, "],\"text\":\"esc\\naped\",\"deep\":[[[{\"x\":[]}]]],\"many\":{");
    for (int i = 0; i < 500; i++) {
        lg_buf_addf(&out, "%s\"key %d\":\"value\\t%d\"", i ? "," : "", i * 7 % 501, i);
    }
    lg_buf_add_c(&out, "}}");
    lg_str text = lg_arena_str(arena, lg_buf_str(&out));
    lg_buf_done(&out);
    return text;
}

static bool names(const lg_error *error, const char *limit)
{
    return error->status == LG_ERR_LIMIT && strstr(error->msg, limit) != NULL;
}

// A document has its own ceiling, and may be parsed in the memory of a session, which has another.
static void the_limit_that_was_reached_is_named(void)
{
    lg_arena arena;
    lg_arena session;
    lg_error error = {0};
    lg_json_doc *doc = NULL;
    const lg_json *value = NULL;
    lg_limits small = {.document_bytes = 20000};
    lg_arena_init(&arena, 0);
    lg_arena_init(&session, 20000);
    lg_str text = make_text(&arena);
    CHECK(lg_json_parse(text, &small, &doc, &error) != LG_OK && names(&error, "(document_bytes)"));
    CHECK(lg_json_parse_in(&arena, text, 0, text.len, &small, &value, &error) != LG_OK &&
          names(&error, "(document_bytes)"));
    CHECK(lg_json_parse_in(&session, text, 0, text.len, NULL, &value, &error) != LG_OK &&
          names(&error, "limit of 20000 bytes (memory_bytes)"));
    small.document_bytes = 10000;
    CHECK(lg_json_parse_in(&session, text, 0, text.len, &small, &value, &error) != LG_OK &&
          names(&error, "limit of 10000 bytes (document_bytes)"));
    lg_arena_done(&session);
    lg_arena_done(&arena);
}

static void parsing_survives_every_failure(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    lg_str text = make_text(&arena);
    bool done = false;
    uint64_t n = 1;
    for (; !done && n < 1000; n++) {
        lg_json_doc *doc = NULL;
        lg_error err = {0};
        lg_alloc_fail_at(n);
        lg_status status = lg_json_parse(text, NULL, &doc, &err);
        lg_alloc_fail_at(0);
        done = status == LG_OK;
        CHECK(done || (status == LG_ERR_OOM && err.status == LG_ERR_OOM && doc == NULL));
        lg_json_doc_free(doc);
    }
    CHECK_MSG(done && n > 4, "the parse succeeds after some failures");

    done = false;
    for (n = 1; !done && n < 1000; n++) {
        const lg_json *value = NULL;
        lg_arena own;
        lg_arena_init(&own, 0);
        lg_alloc_fail_at(n);
        lg_status status = lg_json_parse_in(&own, text, 0, text.len, NULL, &value, NULL);
        lg_alloc_fail_at(0);
        done = status == LG_OK;
        CHECK(done || (status == LG_ERR_OOM && value == NULL && own.held_bytes == 0));
        lg_arena_done(&own);
    }
    CHECK(done && n > 3);
    lg_arena_done(&arena);
}

static void using_values_survives_every_failure(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    lg_str text = make_text(&arena);
    lg_json_doc *doc = NULL;
    CHECK(lg_json_parse(text, NULL, &doc, NULL) == LG_OK);
    const lg_json *root = lg_json_root(doc);
    bool printed = false;
    bool hashed = false;
    bool copied = false;
    for (uint64_t n = 1; n < 1000 && !(printed && hashed && copied); n++) {
        lg_arena own;
        lg_arena_init(&own, 0);
        lg_buf out;
        lg_buf_init(&out, 0);
        char hash[65];

        lg_alloc_fail_at(n);
        lg_json_print_canonical(&out, root);
        lg_alloc_fail_at(n);
        lg_status hash_status = lg_json_hash(root, hash);
        lg_alloc_fail_at(n);
        const lg_json *copy = lg_json_copy(&own, root);
        lg_alloc_fail_at(0);

        printed = lg_buf_status(&out) == LG_OK;
        hashed = hash_status == LG_OK;
        copied = copy != NULL;
        CHECK(printed || lg_buf_status(&out) == LG_ERR_OOM);
        CHECK(hashed || hash_status == LG_ERR_OOM);
        CHECK(copied ? lg_json_equal(copy, root) : own.held_bytes == 0);
        CHECK_MSG(n > 1 || !(printed || hashed || copied), "the first failure is seen");
        lg_buf_done(&out);
        lg_arena_done(&own);
    }
    CHECK(printed && hashed && copied);
    lg_json_doc_free(doc);
    lg_arena_done(&arena);
}

static void members_that_do_not_fit_are_null(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 10000);
    CHECK(lg_json_alloc_members(&arena, 10) != NULL);
    CHECK(lg_json_alloc_members(&arena, 1000) == NULL);
    CHECK(lg_json_alloc_members(&arena, SIZE_MAX) == NULL);
    CHECK(lg_json_alloc_members(&arena, SIZE_MAX / 32) == NULL);
    lg_arena_done(&arena);
}

// A second parse in an arena that was reset needs no memory from the system.
static void the_steady_state_allocates_nothing(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    lg_str text = LG_STR("{\"a\":[1,2,{\"b\":\"\\u0041\"}]}");
    uint64_t before = 0;
    for (int i = 0; i < 3; i++) {
        const lg_json *value = NULL;
        before = lg_alloc_count();
        CHECK(lg_json_parse_in(&arena, text, 0, text.len, NULL, &value, NULL) == LG_OK);
        lg_arena_reset(&arena);
    }
    CHECK(lg_alloc_count() == before);
    lg_arena_done(&arena);
}

int main(void)
{
    RUN(the_limit_that_was_reached_is_named);
    RUN(parsing_survives_every_failure);
    RUN(using_values_survives_every_failure);
    RUN(members_that_do_not_fit_are_null);
    RUN(the_steady_state_allocates_nothing);
    return lg_test_done();
}
