// Which tools a hybrid session may call really, an executor of a session, and what is no executor.
#include "lg_test.h"

#include "base/file.h"
#include "tool/tool.h"

#include <unistd.h>

static const char document[] =
    "{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"t\",\"version\":\"1\"},\"paths\":{\"/pets\":{"
    "\"get\":{\"operationId\":\"listPets\",\"responses\":{\"200\":{\"description\":\"d\"}}},"
    "\"post\":{\"operationId\":\"getPetMade\",\"responses\":{\"200\":{\"description\":\"d\"}}}}}}";

static const char tools[] =
    "{\"tools\":[{\"name\":\"get_plain\",\"inputSchema\":{\"type\":\"object\"}},"
    "{\"name\":\"get_hinted\",\"inputSchema\":{\"type\":\"object\"},"
    "\"annotations\":{\"readOnlyHint\":true}},"
    "{\"name\":\"get_denied\",\"inputSchema\":{\"type\":\"object\"},"
    "\"annotations\":{\"readOnlyHint\":false}}]}";

static const char recording[] = "{\"name\":\"listPets\",\"arguments\":{},\"result\":[1]}\n"
                                "{\"name\":\"getPetMade\",\"arguments\":{},\"result\":[2]}\n"
                                "{\"name\":\"get_plain\",\"arguments\":{},\"result\":[3]}\n"
                                "{\"name\":\"get_hinted\",\"arguments\":{},\"error\":\"no\"}\n"
                                "{\"name\":\"get_denied\",\"arguments\":{},\"result\":[5]}\n";

typedef struct desk {
    lg_arena arena;
    lg_executor *executor;
    lg_sim *sim;
} desk;

static void open_desk(desk *d, const char *text)
{
    char path[] = "/tmp/lg-tape-XXXXXX", spec[64];
    const lg_catalogue *catalogue = NULL;
    lg_errors errors;
    int fd = mkstemp(path);
    *d = (desk){.sim = NULL};
    lg_arena_init(&d->arena, 0);
    lg_errors_init(&errors, &d->arena, 5);
    CHECK(fd >= 0 && write(fd, recording, sizeof(recording) - 1) == (ssize_t)sizeof(recording) - 1);
    close(fd);
    snprintf(spec, sizeof(spec), " recorded: %s ", path);
    CHECK(lg_executor_open(lg_str_c(spec), NULL, &d->executor, NULL) == LG_OK);
    unlink(path);
    CHECK(lg_catalogue_read(&d->arena, lg_str_c(text), NULL, &catalogue, NULL) == LG_OK);
    lg_sim_options options = {.catalogue = catalogue};
    CHECK(lg_sim_new(&options, &d->sim, &errors) == LG_OK);
}

static void close_desk(desk *d)
{
    lg_sim_free(d->sim);
    lg_executor_free(d->executor);
    lg_arena_done(&d->arena);
}

static bool may_run(desk *d, const char *name, bool *ret_is_error)
{
    const lg_json *result = NULL;
    unsigned http = 7;
    lg_error error = {0};
    lg_str text = LG_STR("{}");
    const lg_json *args = NULL;
    const lg_sim_tool *tool = lg_sim_tool_named(d->sim, lg_str_c(name), false);
    CHECK(lg_json_parse_in(&d->arena, text, 0, text.len, NULL, &args, NULL) == LG_OK);
    CHECK_MSG(tool != NULL, name);
    bool may = lg_executor_read_real(d->executor, tool, args, &d->arena, &result, ret_is_error,
                                     &http, &error);
    CHECK_MSG(may == (result != NULL) && may == (error.msg[0] == '\0'), name);
    return may;
}

static void only_what_is_said_to_read_is_called(void)
{
    desk d;
    bool is_error = true;
    open_desk(&d, document);
    CHECK(may_run(&d, "listPets", &is_error) && !is_error);
    CHECK(!may_run(&d, "getPetMade", &is_error)); // whatever its name says
    close_desk(&d);
    open_desk(&d, tools);
    CHECK(!may_run(&d, "get_plain", &is_error));
    CHECK(may_run(&d, "get_hinted", &is_error) && is_error);
    CHECK(!may_run(&d, "get_denied", &is_error));
    const lg_json *result = NULL;
    unsigned http = 0;
    CHECK(
        !lg_executor_read_real(d.executor, NULL, NULL, &d.arena, &result, &is_error, &http, NULL));
    close_desk(&d);
}

static void a_session_is_an_executor(void)
{
    desk d;
    lg_sim_session *session = NULL;
    lg_executor *executor = NULL;
    lg_executor_answer first, second;
    lg_mcp_tools list = {0};
    lg_executor_call call = {.tool = LG_STR("listPets")};
    open_desk(&d, document);
    CHECK(lg_sim_session_new(d.sim, NULL, &session, NULL) == LG_OK);
    CHECK(lg_executor_of_session(session, NULL, &executor, NULL) == LG_OK);
    CHECK(lg_executor_list(executor, &d.arena, &list, NULL) == LG_OK && list.count == 2);
    CHECK(lg_executor_run(executor, &call, &d.arena, &first, NULL) == LG_OK);
    CHECK(lg_executor_run(executor, &call, &d.arena, &second, NULL) == LG_OK);
    CHECK(first.outcome == LG_EXECUTOR_DONE && !first.is_error && first.value);
    CHECK(lg_json_equal(first.value, second.value)); // the first lives on
    call.tool = LG_STR("nothing");
    CHECK(lg_executor_run(executor, &call, &d.arena, &first, NULL) == LG_OK);
    CHECK(first.outcome == LG_EXECUTOR_DONE && first.is_error && first.text.len > 0);
    CHECK(lg_sim_history_count(session) == 3);
    lg_executor_free(executor);
    lg_sim_session_free(session);
    close_desk(&d);
}

static void what_is_no_executor(void)
{
    static const char *const specs[] = {"",         "x",         "http:/",
                                        "stdio:",   "stdio:''",  "stdio:[\"a\\u0000b\"]",
                                        "stdio:{}", "recorded:", "openapi:http://h"};
    for (size_t i = 0; i < LG_COUNT(specs); i++) {
        lg_executor *executor = NULL;
        lg_error error = {0};
        CHECK_MSG(lg_executor_open(lg_str_c(specs[i]), NULL, &executor, &error) != LG_OK &&
                      executor == NULL && error.msg[0],
                  specs[i]);
    }
    lg_executor *tape = NULL;
    desk d;
    open_desk(&d, document);
    CHECK(lg_executor_record(d.executor, "/nowhere/tape", &tape, NULL) == LG_ERR_IO && !tape);
    d.executor = NULL; // owned, also after a failure
    close_desk(&d);
}

int main(void)
{
    RUN(only_what_is_said_to_read_is_called);
    RUN(a_session_is_an_executor);
    RUN(what_is_no_executor);
    return lg_test_done();
}
