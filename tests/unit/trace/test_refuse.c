// What is refused as a whole: with one error that says where and what. And the ceilings.
#include "lg_test.h"
#include "trace_dump.h"

typedef struct refusal {
    const char *sentence;
    lg_str text;
    lg_status status;
    uint32_t line;
    uint32_t column;
    const char *want; // the message
} refusal;

#define TEXT(literal)                                                                              \
    {                                                                                              \
        "" literal, sizeof(literal) - 1                                                            \
    }

static const refusal refusals[] = {
    {"an empty file", TEXT(""), LG_ERR_PARSE, 1, 1, "the file is empty"},
    {"a blank file", TEXT(" \n\t\n"), LG_ERR_PARSE, 1, 1, "the file is empty"},
    {"a mark of the byte order alone", TEXT("\xEF\xBB\xBF"), LG_ERR_PARSE, 1, 1,
     "the file is empty"},
    {"an ELF file",
     TEXT("\x7F"
          "ELF\x02\x01\x01\0\0"),
     LG_ERR_PARSE, 1, 1, "expected a value, found the byte 0x7F"},
    {"a line that is cut",
     TEXT("{\"messages\":[{\"role\":\"user\"}]}\n{\"messages\":[{\"role\":\"us"), LG_ERR_PARSE, 2,
     0, NULL},
    {"something behind the document", TEXT("[{\"role\":\"user\"}]\nover"), LG_ERR_PARSE, 2, 1,
     NULL},
    {"a document over lines that is cut", TEXT("[\n {\"role\":\"user\"},\n"), LG_ERR_PARSE, 3, 1,
     NULL},
    {"an empty list", TEXT("[]"), LG_ERR_FORMAT, 1, 1, "an empty list is no recording"},
    {"an empty object", TEXT("\n {}"), LG_ERR_FORMAT, 2, 2,
     "not a recording of any known format: an object"},
    {"a number", TEXT("5"), LG_ERR_FORMAT, 1, 1, "not a recording of any known format: a number"},
    {"a list of numbers", TEXT("[5]"), LG_ERR_FORMAT, 1, 1,
     "not a recording of any known format: a list that begins with a number"},
    {"an object that nobody knows", TEXT("{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5}"),
     LG_ERR_FORMAT, 1, 1,
     "not a recording of any known format: an object with the keys `a`, `b`, `c`, `d`"},
    {"an object with messages that are no list", TEXT("{\"messages\":{}}"), LG_ERR_FORMAT, 1, 1,
     "not a recording of any known format: an object with the keys `messages`"},
    {"annotations", TEXT("[{\"trajectory_id\":2,\"failures\":[]}]"), LG_ERR_FORMAT, 1, 1,
     "not a recording: it looks like annotations of failures"},
    {"an evaluation", TEXT("[{\"task_id\":\"2\",\"db_match\":true}]"), LG_ERR_FORMAT, 1, 1,
     "not a recording: it looks like results of an evaluation"},
    {"tools as functions",
     TEXT("[{\"type\":\"function\",\"function\":{\"name\":\"a\",\"parameters\":{}}}]"),
     LG_ERR_FORMAT, 1, 1, "not a recording: it looks like tool schemas"},
    {"tools of MCP", TEXT("{\"tools\":[{\"name\":\"a\",\"inputSchema\":{}}]}"), LG_ERR_FORMAT, 1, 1,
     "not a recording: it looks like tool schemas"},
    {"tasks", TEXT("[{\"id\":\"1\",\"user_scenario\":{}}]"), LG_ERR_FORMAT, 1, 1,
     "not a recording: it looks like tasks that nobody has run"},
    {"a key twice", TEXT("[{\"role\":\"user\",\"role\":\"tool\"}]"), LG_ERR_PARSE, 1, 17, NULL},
};

static void check_refusal(const refusal *c, const lg_trace_options *options)
{
    lg_trace_set *set = NULL;
    lg_error err = {0};
    lg_status status = lg_trace_import(c->text, "case.json", options, &set, &err);
    CHECK_MSG(status == c->status && err.status == c->status, c->sentence);
    CHECK_MSG(!set, c->sentence);
    CHECK_STR(lg_str_c(err.file), "case.json");
    CHECK_MSG(err.line == c->line && (err.column == c->column || c->column == 0), c->sentence);
    if (c->want) {
        CHECK_STR(lg_str_c(err.msg), c->want);
    }
    if (err.line != c->line || (err.column != c->column && c->column)) {
        printf("    at %u:%u: %s\n", err.line, err.column, err.msg);
    }
    lg_trace_close(set);
}

static void what_is_no_recording_is_refused(void)
{
    for (size_t i = 0; i < LG_COUNT(refusals); i++) {
        check_refusal(&refusals[i], NULL);
    }
}

static void a_named_format_is_in_the_message(void)
{
    lg_trace_options options = {.format = LG_TRACE_TAU_BENCH};
    refusal cases[] = {
        {"an empty list", TEXT("[]"), LG_ERR_FORMAT, 1, 1,
         "an empty list is no recording (tau-bench was asked for)"},
        {"a stranger", TEXT("[{\"a\":1}]"), LG_ERR_FORMAT, 1, 1,
         "not a recording of any known format (tau-bench was asked for): a list that begins with "
         "an "
         "object with the keys `a`"},
        {"tasks", TEXT("[{\"user_scenario\":1}]"), LG_ERR_FORMAT, 1, 1,
         "not a recording (tau-bench was asked for): it looks like tasks that nobody has run"},
        {"another format", TEXT("\n[{\"role\":\"user\"}]"), LG_ERR_FORMAT, 2, 1,
         "this looks like OpenAI messages, but tau-bench was asked for"},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        check_refusal(&cases[i], &options);
    }
}

static void files_that_cannot_be_read_are_refused(void)
{
    static const struct {
        const char *path;
        const char *want;
    } cases[] = {
        {LG_SOURCE_DIR "/tests/golden/trace/none.json", "No such file or directory"},
        {LG_SOURCE_DIR "/tests/golden/trace", "is a folder; give the files in it"},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        lg_trace_set *set = NULL;
        lg_error err = {0};
        CHECK(lg_trace_open(cases[i].path, NULL, &set, &err) == LG_ERR_IO);
        CHECK_MSG(strstr(err.msg, cases[i].want), err.msg);
        CHECK(!set);
    }
}

// --- Ceilings -----------------------------------------------------------------------------------

static const char three[] = "[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"x\"},"
                            "{\"role\":\"y\"},{\"role\":\"user\",\"content\":\"b\"},"
                            "{\"role\":\"z\"},{\"role\":\"user\",\"content\":\"c\"}]";

static lg_status import_with(lg_limits limits, lg_trace_set **ret_set, lg_error *reterr)
{
    lg_trace_options options = {.limits = &limits};
    *ret_set = NULL;
    return lg_trace_import(lg_str_c(three), "case.json", &options, ret_set, reterr);
}

static void each_ceiling_is_kept(void)
{
    static const struct {
        const char *sentence;
        lg_limits passes;
        lg_limits fails;
        const char *want;
    } cases[] = {
        {"trace_events",
         {.trace_events = 3},
         {.trace_events = 2},
         "a conversation has more than 2 events (trace_events)"},
        {"json_bytes",
         {.json_bytes = sizeof(three) - 1},
         {.json_bytes = sizeof(three) - 2},
         "larger than the limit of 129 bytes (json_bytes)"},
        {"json_depth", {.json_depth = 2}, {.json_depth = 1}, NULL},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        lg_trace_set *set;
        lg_error err = {0};
        CHECK_MSG(import_with(cases[i].passes, &set, &err) == LG_OK, cases[i].sentence);
        lg_trace_close(set);
        CHECK_MSG(import_with(cases[i].fails, &set, &err) == LG_ERR_LIMIT, cases[i].sentence);
        if (cases[i].want) {
            CHECK_STR(lg_str_c(err.msg), cases[i].want);
        }
        lg_trace_close(set);
    }
}

static void issues_beyond_the_limit_are_counted(void)
{
    for (uint32_t limit = 1; limit <= 4; limit++) {
        lg_trace_set *set;
        lg_error err;
        if (CHECK(import_with((lg_limits){.error_count = limit}, &set, &err) == LG_OK)) {
            CHECK(set->issue_count == (limit < 3 ? limit : 3));
            CHECK(set->issue_count + set->issues_dropped == 3);
        }
        lg_trace_close(set);
    }
}

// --- Names --------------------------------------------------------------------------------------

static void formats_have_names(void)
{
    for (int i = LG_TRACE_AUTO; i < LG_TRACE_FORMAT_COUNT; i++) {
        lg_trace_format back;
        const char *name = lg_trace_format_name((lg_trace_format)i);
        CHECK(lg_trace_format_parse(lg_str_c(name), &back) && (int)back == i);
    }
    lg_trace_format unchanged = LG_TRACE_GOLD;
    CHECK(!lg_trace_format_parse(LG_STR("golden"), &unchanged) && unchanged == LG_TRACE_GOLD);
    CHECK(!lg_trace_format_parse(LG_STR(""), &unchanged));
}

static void conversations_of_one_name_get_others(void)
{
    static const char text[] = "[{\"id\":\"a\",\"messages\":[]},{\"id\":\"a#2\",\"messages\":[]},"
                               "{\"id\":\"a\",\"messages\":[]},{\"id\":\"a\",\"messages\":[]}]";
    lg_trace_set *set = NULL;
    lg_error err;
    if (!CHECK(lg_trace_import(lg_str_c(text), NULL, NULL, &set, &err) == LG_OK)) {
        return;
    }
    for (size_t i = 0; i < set->count; i++) {
        for (size_t k = 0; k < i; k++) {
            CHECK(!lg_str_eq(set->traces[i].name, set->traces[k].name));
        }
    }
    lg_trace_close(set);
}

static void nothing_is_closed_well(void)
{
    lg_trace_close(NULL);
    lg_trace_set *set = NULL;
    CHECK(lg_trace_import(LG_STR("5"), NULL, NULL, &set, NULL) == LG_ERR_FORMAT);
    CHECK(!set);
}

int main(void)
{
    RUN(what_is_no_recording_is_refused);
    RUN(a_named_format_is_in_the_message);
    RUN(files_that_cannot_be_read_are_refused);
    RUN(each_ceiling_is_kept);
    RUN(issues_beyond_the_limit_are_counted);
    RUN(formats_have_names);
    RUN(conversations_of_one_name_get_others);
    RUN(nothing_is_closed_well);
    return lg_test_done();
}
