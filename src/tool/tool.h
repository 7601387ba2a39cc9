// tool.h: whoever carries out calls of tools, behind one face.
//
//     lg_executor_options options = {0};
//     if (lg_executor_open(LG_STR("stdio:npx server-memory"), &options, &executor, &err) != LG_OK) ...
//     lg_executor_call call = {.tool = LG_STR("read_graph"), .args = args};
//     if (lg_executor_run(executor, &call, &arena, &answer, &err) != LG_OK) ...
//     answer.outcome, answer.is_error, answer.value
//
// An executor is one of
//
//     an MCP server   over HTTP ("http://host/mcp", "https://..."), or a process of its own over its standard input and
//                     output ("stdio:command argument", "stdio:[\"command\",\"argument\"]"); no shell sees the command
//     a service       that an OpenAPI document describes ("openapi:http://host/v1"; the document is in the options)
//     a recording     ("recorded:FILE"), of lines {"name", "arguments", "result" or "error"}
//     a simulator     a session of room `simulate`
//     a tape          around any of these: calls pass through, and are written down as such lines
//
// **What a failure means.** A tool that says no is an answer: the outcome is `done` and `is_error` is set. A call of which it is
// known that it was not carried out has `failed`: nothing was sent, or the other side says that it did not understand. Of
// everything else nobody knows whether it happened: `unknown`. No call is ever made twice.
//
// **Threads.** Any number of threads may use an executor: one call at a time is made, and the others wait for it. (One of a
// session of the simulator is used by whoever may use the session.) The process of one over standard input ends with the thread
// that opened it, if that ends before it is closed.
#ifndef LG_TOOL_TOOL_H
#define LG_TOOL_TOOL_H

#include "mcp/client.h"
#include "net/http.h"
#include "simulate/simulate.h"

typedef struct lg_executor lg_executor;

typedef enum lg_executor_outcome {
    LG_EXECUTOR_DONE,
    LG_EXECUTOR_FAILED,
    LG_EXECUTOR_UNKNOWN,
} lg_executor_outcome;

const char *lg_executor_outcome_name(lg_executor_outcome outcome); // "done", "failed", "unknown"

typedef struct lg_executor_call {
    lg_str tool;
    const lg_json *args; // an object; NULL: an empty one
    bool by_user;        // of a customer's own tool
} lg_executor_call;

typedef struct lg_executor_answer {
    lg_executor_outcome outcome;
    bool is_error;             // the tool's own
    unsigned status;           // of HTTP, of a service; 0: it has none
    const lg_json *value;      // what it returned; NULL unless `done`
    lg_str text;               // the same as a model reads it
    const lg_json *structured; // MCP's structuredContent; or NULL
    lg_str why;                // unless `done`: in words
} lg_executor_answer;

// Zero means the default, in brackets.
typedef struct lg_executor_options {
    lg_mcp_party party;      // who calls, for MCP servers ["ledgergate"]
    uint32_t connect_ms;     // a connection, or a process that answers its first message [30 s]
    uint32_t call_ms;        // one call [60 s]
    size_t reply_bytes;      // of one message or body [16 MiB]
    const lg_limits *limits; // of JSON
    const lg_http_header *headers; // added to each HTTP request: credentials
    size_t header_count;
    const char *ca_file; // as in net/client.h
    const char *const *
        environment; // of a process: "NAME=value", ended by NULL [PATH and HOME as given, nothing else]
    const lg_catalogue *catalogue; // the document of "openapi:"; outlives the executor
} lg_executor_options;

// Opens what `spec` names. A process is started and greeted now, a server at the first call. Fails with LG_ERR_USAGE (a spec that is none),
// LG_ERR_ENVIRONMENT (a process that cannot be started), LG_ERR_IO (a recording that cannot be read), LG_ERR_OOM.
LG_NODISCARD lg_status lg_executor_open(lg_str spec, const lg_executor_options *options,
                                        lg_executor **ret, lg_error *reterr);

// Calls go to this session, which outlives the executor. `models` may be NULL.
LG_NODISCARD lg_status lg_executor_of_session(lg_sim_session *session, const lg_sim_models *models,
                                              lg_executor **ret, lg_error *reterr);

// What `inner` does is appended to the file as whole lines; owns `inner`, also after a failure. LG_ERR_IO.
LG_NODISCARD lg_status lg_executor_record(lg_executor *inner, const char *path, lg_executor **ret,
                                          lg_error *reterr);

void lg_executor_free(lg_executor *executor); // NULL is allowed

// What to tell whoever opened it: a recording that ends within a line. Empty: nothing. Lives as long as the executor.
lg_str lg_executor_warning(const lg_executor *executor);

// Who waits for a call waits no more, and calls to come are not made. Of any thread; the executor is freed later.
void lg_executor_stop(lg_executor *executor);

// Appends the tools to the list, in `arena`. Fails with LG_ERR_MISSING if nobody answers, LG_ERR_FORMAT, LG_ERR_OOM.
LG_NODISCARD lg_status lg_executor_list(lg_executor *executor, lg_arena *arena, lg_mcp_tools *tools,
                                        lg_error *reterr);

// Makes a call, and waits for what comes of it. Whatever goes wrong with it is an outcome; fails with LG_ERR_OOM, and LG_ERR_IO (a tape that
// cannot be written: the call was made). What the answer points to lives in `arena`.
LG_NODISCARD lg_status lg_executor_run(lg_executor *executor, const lg_executor_call *call,
                                       lg_arena *arena, lg_executor_answer *ret, lg_error *reterr);

// For hybrid sessions (simulate.h): `data` is an lg_executor. Only a tool that the simulator's pack or catalogue says to be a
// read is ever called; one whose kind was guessed of the words of its name is not.
bool lg_executor_read_real(void *data, const lg_sim_tool *tool, const lg_json *args,
                           lg_arena *arena, const lg_json **ret_result, bool *ret_is_error,
                           unsigned *ret_status, lg_error *reterr);
// Is it one of those that lg_executor_read_real() calls?
bool lg_executor_may_read(const lg_sim_tool *tool);

#endif
