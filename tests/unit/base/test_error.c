// Errors: hostile bytes in messages, cuts, bounded lists, the texts of statuses.
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "base/utf8.h"

#include "lg_test.h"

static void a_message_is_filled_in_and_its_status_returned(void)
{
    lg_error error;
    CHECK(lg_fail(&error, LG_ERR_TYPE, "%s of %d", "two", 3) == LG_ERR_TYPE);
    CHECK(error.status == LG_ERR_TYPE && !error.file && error.line == 0 && error.column == 0);
    CHECK_STR(lg_str_c(error.msg), "two of 3");
    lg_position at = {"pack.yaml", 7, 9};
    CHECK(lg_fail_at(&error, LG_ERR_NAME, at, "no") == LG_ERR_NAME);
    CHECK(error.file == at.file && error.line == 7 && error.column == 9);
    CHECK(lg_fail_oom(&error) == LG_ERR_OOM && error.status == LG_ERR_OOM);
    CHECK(lg_str_find(lg_str_c(error.msg), LG_STR("memory_bytes")) != SIZE_MAX);
    CHECK(lg_fail(NULL, LG_ERR_IO, "x") == LG_ERR_IO);
    CHECK(lg_fail_at(NULL, LG_ERR_IO, at, "x") == LG_ERR_IO);
    CHECK(lg_fail_oom(NULL) == LG_ERR_OOM);
}

static const struct tidy_case {
    const char *input, *message;
} tidy_cases[] = {
    {"plain", "plain"},
    {"a\nb\tc\x1b[31m", "a?b?c?[31m"},
    {"del\x7f", "del?"},
    {"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"},
    {"\xff\xfe", "??"},
    {"a\xe2\x82", "a??"},    // ends within a character
    {"\xc0\xafz", "??z"},    // overlong
    {"\xed\xa0\x80", "???"}, // a surrogate
    {"\xc2\x9b"
     "31m",
     "??31m"}, // CSI in one code point
    {"\xc2\x80\xc2\x9f\xc2\xa0", "????\xc2\xa0"},
};

static void unprintable_bytes_become_question_marks(void)
{
    for (size_t i = 0; i < LG_COUNT(tidy_cases); i++) {
        lg_error error;
        CHECK(lg_fail(&error, LG_ERR_PARSE, "%s", tidy_cases[i].input) == LG_ERR_PARSE);
        CHECK_STR(lg_str_c(error.msg), tidy_cases[i].message);
    }
}

// Whatever is cut, the message is valid UTF-8, ends in "..." and fits.
static void long_messages_are_cut_between_characters(void)
{
    static const char *const units[] = {"x", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
                                        "\xff"};
    for (size_t u = 0; u < LG_COUNT(units); u++) {
        for (size_t shift = 0; shift < 4; shift++) {
            char text[1024] = "1234";
            text[shift] = '\0';
            while (strlen(text) + 5 < sizeof(text)) {
                memcpy(text + strlen(text), units[u], strlen(units[u]) + 1);
            }
            lg_error error;
            CHECK(lg_fail(&error, LG_ERR_PARSE, "%s", text) == LG_ERR_PARSE);
            lg_str got = lg_str_c(error.msg);
            CHECK(got.len < sizeof(error.msg) && got.len > sizeof(error.msg) - 8);
            CHECK(lg_str_ends(got, LG_STR("...")));
            CHECK(lg_utf8_valid_prefix(got) == got.len);
            CHECK_MSG(units[u][0] == '\xff' || lg_str_find(got, LG_STR("?")) == SIZE_MAX,
                      "no character was cut in two");
        }
    }
}

static void the_longest_message_is_not_cut(void)
{
    lg_error error;
    int longest = (int)sizeof(error.msg) - 1;
    CHECK(lg_fail(&error, LG_ERR_PARSE, "%0*d", longest, 7) == LG_ERR_PARSE);
    CHECK(strlen(error.msg) == (size_t)longest && error.msg[longest - 1] == '7');
    CHECK(lg_fail(&error, LG_ERR_PARSE, "%0*d", longest + 1, 7) == LG_ERR_PARSE);
    CHECK(lg_str_ends(lg_str_c(error.msg), LG_STR("0...")));
}

static void a_list_keeps_the_first_and_counts_the_rest(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    lg_errors errors;
    lg_errors_init(&errors, &arena, 3);
    CHECK(!lg_errors_any(&errors));
    for (int i = 0; i < 5; i++) {
        lg_errors_addf(&errors, LG_ERR_NAME, (lg_position){"f", 1, 2}, "error %d", i);
    }
    CHECK(lg_errors_any(&errors));
    CHECK(errors.count == 3 && errors.dropped == 2);
    CHECK_STR(lg_str_c(errors.items[2].msg), "error 2");
    CHECK(errors.items[2].line == 1 && errors.items[2].column == 2);
    lg_arena_done(&arena);
}

static void a_list_without_memory_still_knows_of_errors(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    lg_errors errors;
    lg_errors_init(&errors, &arena, 3);
    lg_alloc_fail_at(1);
    lg_errors_addf(&errors, LG_ERR_NAME, (lg_position){0}, "lost");
    lg_alloc_fail_at(0);
    CHECK(errors.count == 0 && errors.dropped == 1);
    CHECK_MSG(lg_errors_any(&errors), "an error that could not be kept is an error");
    lg_arena_done(&arena);
}

static void every_status_has_a_text_of_its_own(void)
{
    const char *texts[] = {lg_status_text(LG_OK),
#define X(name, text) lg_status_text(LG_ERR_##name),
                           LG_STATUS_MAP(X)
#undef X
    };
    for (size_t i = 0; i < LG_COUNT(texts); i++) {
        CHECK(texts[i] && texts[i][0]);
        for (size_t j = 0; j < i; j++) {
            CHECK_MSG(strcmp(texts[i], texts[j]) != 0, texts[i]);
        }
    }
    CHECK_STR(lg_str_c(lg_status_text(LG_ERR_PARSE)), "not well formed");
    CHECK_STR(lg_str_c(lg_status_text((lg_status)1000)), "unknown status");
}

int main(void)
{
    RUN(a_message_is_filled_in_and_its_status_returned);
    RUN(unprintable_bytes_become_question_marks);
    RUN(long_messages_are_cut_between_characters);
    RUN(the_longest_message_is_not_cut);
    RUN(a_list_keeps_the_first_and_counts_the_rest);
    RUN(a_list_without_memory_still_knows_of_errors);
    RUN(every_status_has_a_text_of_its_own);
    return lg_test_done();
}
