// What recordings get wrong, case by case: the messages, and what becomes of them.
//
// The expectation is short: an event is `system|user|agent "text"`, `tool(id){args}->result`,
// `=tool(id) "text"<-call`, `!tool(id) "text"<-call` for an error; a user's own call or result
// begins with `u:`. Issues follow, each behind a `#`.
#include "lg_test.h"
#include "trace_dump.h"

typedef struct defect {
    const char *sentence;
    const char *messages;
    const char *want;
} defect;

static void brief_event(lg_buf *out, const lg_trace_event *event)
{
    if (event->kind == LG_EVENT_MESSAGE) {
        lg_buf_addf(out, "%s ", trace_role(event->role));
        lg_json_print_str(out, event->text);
        return;
    }
    const char *mark = event->kind == LG_EVENT_CALL    ? ""
                       : event->kind == LG_EVENT_ERROR ? "!"
                                                       : "=";
    lg_buf_addf(out, "%s%s%.*s(%.*s)", event->role == LG_ROLE_USER ? "u:" : "", mark,
                LG_FMT(event->tool), LG_FMT(event->id));
    if (event->args) {
        lg_json_print(out, event->args);
    } else {
        lg_buf_add_byte(out, ' ');
        lg_json_print_str(out, event->text);
    }
    if (event->other != LG_NO_EVENT) {
        lg_buf_addf(out, event->kind == LG_EVENT_CALL ? "->%u" : "<-%u", event->other);
    }
}

static void brief(lg_buf *out, const lg_trace_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        for (size_t k = 0; k < set->traces[i].count; k++) {
            lg_buf_add_c(out, k ? "; " : "");
            brief_event(out, &set->traces[i].events[k]);
        }
    }
    for (size_t i = 0; i < set->issue_count; i++) {
        lg_buf_addf(out, " #%s%.*s: %.*s", set->issues[i].fatal ? "!" : "",
                    LG_FMT(set->issues[i].pointer), LG_FMT(set->issues[i].message));
    }
}

static void check_defect(const defect *c)
{
    lg_trace_set *set = NULL;
    lg_error err = {0};
    lg_buf out;
    lg_buf_init(&out, 0);
    if (CHECK_MSG(lg_trace_import(lg_str_c(c->messages), "case", NULL, &set, &err) == LG_OK,
                  c->sentence)) {
        brief(&out, set);
        const char *broken = trace_broken_law(set);
        CHECK_MSG(!broken, broken ? broken : "");
        if (!CHECK_MSG(lg_str_eq(lg_buf_str(&out), lg_str_c(c->want)), c->sentence)) {
            printf("    got:  %.*s\n    want: %s\n", LG_FMT(lg_buf_str(&out)), c->want);
        }
    } else {
        printf("    %s\n", err.msg);
    }
    lg_buf_done(&out);
    lg_trace_close(set);
}

// --- Pairing ------------------------------------------------------------------------------------

#define CALL(id, name) "{\"id\":" id ",\"name\":\"" name "\",\"arguments\":{}}"
#define AGENT(calls) "{\"role\":\"assistant\",\"tool_calls\":[" calls "]}"
#define RESULT(id, text) "{\"role\":\"tool\",\"tool_call_id\":" id ",\"content\":\"" text "\"}"
#define NAMED(id, name, text)                                                                      \
    "{\"role\":\"tool\",\"tool_call_id\":" id ",\"name\":\"" name "\",\"content\":\"" text "\"}"

static const defect pairing[] = {
    {"an id that is repeated in one message pairs in order",
     "[" AGENT(CALL("\"x\"", "a") "," CALL("\"x\"", "b")) "," RESULT("\"x\"", "1") "," RESULT(
         "\"x\"", "2") "]",
     "a(x){}->2; b(x){}->3; =a(x) \"1\"<-0; =b(x) \"2\"<-1"},
    {"an id that is repeated later belongs to the later call",
     "[" AGENT(CALL("\"x\"", "a")) "," AGENT(CALL("\"x\"", "b")) "," RESULT("\"x\"", "1") "]",
     "a(x){}; b(x){}->2; =b(x) \"1\"<-1"},
    {"a second answer to a repeated id goes to the earlier call",
     "[" AGENT(CALL("\"x\"", "a")) "," AGENT(CALL("\"x\"", "b")) "," RESULT(
         "\"x\"", "1") "," RESULT("\"x\"", "2") "]",
     "a(x){}->3; b(x){}->2; =b(x) \"1\"<-1; =a(x) \"2\"<-0"},
    {"a result without an id takes the first open call",
     "[" AGENT(CALL("\"x\"", "a") "," CALL("\"y\"", "b")) "," RESULT("null", "1") "," RESULT(
         "null", "2") "]",
     "a(x){}->2; b(y){}->3; =a() \"1\"<-0; =b() \"2\"<-1"},
    {"ids go before positions",
     "[" AGENT(CALL("\"x\"", "a") "," CALL("\"y\"", "b")) "," RESULT("null", "1") "," RESULT(
         "\"x\"", "2") "]",
     "a(x){}->3; b(y){}->2; =b() \"1\"<-1; =a(x) \"2\"<-0"},
    {"empty ids pair by position",
     "[" AGENT(CALL("\"\"", "a") "," CALL("\"\"", "b")) "," RESULT("\"\"", "1") "," RESULT("\"\"",
                                                                                           "2") "]",
     "a(){}->2; b(){}->3; =a() \"1\"<-0; =b() \"2\"<-1"},
    {"a result that names its tool finds it among calls without ids",
     "[" AGENT(CALL("null", "a") "," CALL("null", "b")) "," NAMED("null", "b", "1") "," NAMED(
         "null", "a", "2") "]",
     "a(){}->3; b(){}->2; =b() \"1\"<-1; =a() \"2\"<-0"},
    {"an id answers a call that has none",
     "[" AGENT(CALL("null", "a")) "," RESULT("\"x\"", "1") "]", "a(){}->1; =a(x) \"1\"<-0"},
    {"a position never reaches back over a later message with calls",
     "[" AGENT(CALL("null", "a")) "," AGENT(CALL("null", "b")) "," RESULT("null", "1") "," RESULT(
         "null", "2") "]",
     "a(){}; b(){}->2; =b() \"1\"<-1; =() \"2\" #/3: a result without a call"},
    {"an id that no call has is not guessed",
     "[" AGENT(CALL("\"x\"", "a")) "," RESULT("\"z\"", "1") "]",
     "a(x){}; =(z) \"1\" #/1: a result for the call id `z`, which no open call has"},
    {"a call is answered once",
     "[" AGENT(CALL("\"x\"", "a")) "," RESULT("\"x\"", "1") "," RESULT("\"x\"", "2") "]",
     "a(x){}->1; =a(x) \"1\"<-0; =(x) \"2\" #/2: a result for the call id `x`, which no open call "
     "has"},
    {"a result before its call is none of it",
     "[" RESULT("\"x\"", "1") "," AGENT(CALL("\"x\"", "a")) "]",
     "=(x) \"1\"; a(x){} #/0: a result for the call id `x`, which no open call has"},
    {"a result of another tool is paired by its id and listed",
     "[" AGENT(CALL("\"x\"", "a")) "," NAMED("\"x\"", "b", "1") "]",
     "a(x){}->1; =a(x) \"1\"<-0 #/1: a result of `b`, but its call is to `a`"},
    {"a number is an id", "[" AGENT(CALL("5", "a")) "," RESULT("5", "1") "]",
     "a(5){}->1; =a(5) \"1\"<-0"},
    {"the user and the agent may use the same id",
     "[{\"role\":\"user\",\"tool_calls\":[{\"id\":\"x\",\"name\":\"a\",\"arguments\":{},"
     "\"requestor\":\"user\"}]}," AGENT(CALL(
         "\"x\"",
         "b")) ","
               "{\"role\":\"tool\",\"id\":\"x\",\"content\":\"1\",\"requestor\":\"user\"},"
               "{\"role\":\"tool\",\"id\":\"x\",\"content\":\"2\",\"requestor\":\"assistant\"}]",
     "u:a(x){}->2; b(x){}->3; u:=a(x) \"1\"<-0; =b(x) \"2\"<-1"},
    {"a result that names no requestor answers the last caller",
     "[{\"role\":\"user\",\"tool_calls\":[" CALL("\"x\"", "a") "]}," RESULT("\"x\"", "1") "]",
     "u:a(x){}->1; u:=a(x) \"1\"<-0"},
    {"a requestor of a third kind is listed",
     "[{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"x\",\"name\":\"a\",\"arguments\":{},"
     "\"requestor\":\"cat\"}]}]",
     "a(x){} #/0/tool_calls/0/requestor: a requestor that is neither `assistant` nor `user`"},
};

static void results_find_their_calls(void)
{
    for (size_t i = 0; i < LG_COUNT(pairing); i++) {
        check_defect(&pairing[i]);
    }
}

// --- Calls --------------------------------------------------------------------------------------

#define ARGS(args)                                                                                 \
    "[{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"x\",\"name\":\"a\",\"arguments\":" args    \
    "}]}]"

static const defect calls[] = {
    {"arguments as an object", ARGS("{\"n\":1}"), "a(x){\"n\":1}"},
    {"arguments as text", ARGS("\" {\\\"n\\\": \\\"\\\\u00e9\\\"} \""), "a(x){\"n\":\"\xC3\xA9\"}"},
    {"no text is no arguments", ARGS("\"\""), "a(x){}"},
    {"null is no arguments", ARGS("null"), "a(x){}"},
    {"arguments that are Python", ARGS("\"{'n': 1}\""),
     "a(x) \"{'n': 1}\" #/0/tool_calls/0: the arguments of `a` are no JSON: expected a "
     "key "
     "in double quotes or `}`, found `'`: strings need double quotes"},
    {"arguments that are a list", ARGS("[1,2]"),
     "a(x) \"[1,2]\" #/0/tool_calls/0: the arguments of `a` are no object: a list"},
    {"arguments that are text of a list", ARGS("\"[1]\""),
     "a(x) \"[1]\" #/0/tool_calls/0: the arguments of `a` are no object: a list"},
    {"arguments that are missing",
     "[{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"x\",\"name\":\"a\"}]}]",
     "a(x) \"\" #/0/tool_calls/0: a call of `a` without arguments"},
    {"a call without a name",
     "[{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"x\",\"function\":{\"arguments\":\"{}\"}}]}"
     ","
     "{\"role\":\"tool\",\"tool_call_id\":\"x\",\"content\":\"1\"}]",
     "(x){}->1; =(x) \"1\"<-0 #/0/tool_calls/0: a call without the name of a tool"},
    {"a call that is no object", "[{\"role\":\"assistant\",\"tool_calls\":[7]}]",
     " #!/0/tool_calls/0: a call that is a number #: the conversation is empty"},
    {"calls that are no list", "[{\"role\":\"assistant\",\"tool_calls\":{\"id\":1}}]",
     "agent \"\" #!/0/tool_calls: `tool_calls` is an object, not a list"},
};

static void calls_are_kept_as_far_as_they_can_be_read(void)
{
    for (size_t i = 0; i < LG_COUNT(calls); i++) {
        check_defect(&calls[i]);
    }
}

// Too deep is an issue of that text: one strange call must not cost the other conversations.
static void arguments_that_nest_too_deep_are_listed(void)
{
    char text[2048] = "[{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"x\",\"name\":\"a\","
                      "\"arguments\":\"";
    size_t len = strlen(text);
    memset(text + len, '[', 300);
    memcpy(text + len + 300, "\"}]}]", 6);
    lg_trace_set *set = NULL;
    lg_error err;
    if (CHECK(lg_trace_import(lg_str_c(text), NULL, NULL, &set, &err) == LG_OK)) {
        CHECK(set->issue_count == 1);
        CHECK(set->traces[0].events[0].args == NULL);
        CHECK(set->traces[0].events[0].text.len == 300);
    }
    lg_trace_close(set);
}

// --- Messages and results -----------------------------------------------------------------------

#define TOOL(rest)                                                                                 \
    "[" AGENT(CALL("\"x\"", "a")) ",{\"role\":\"tool\",\"tool_call_id\":\"x\"," rest "}]"

static const defect messages[] = {
    {"a call of the system is judged like one of the agent",
     "[{\"role\":\"system\",\"tool_calls\":[{\"id\":\"x\",\"name\":\"a\",\"arguments\":{}}]},{"
     "\"role\":\"tool\",\"tool_call_id\":\"x\",\"content\":\"1\"}]",
     "a(x){}->1; =a(x) \"1\"<-0 #/0/tool_calls/0: a call in a message of the system: taken for the "
     "agent's"},
    {"calls of a tool", "[{\"role\":\"tool\",\"content\":\"r\",\"tool_calls\":[{\"id\":\"x\"}]}]",
     "=() \"r\" #!/0/tool_calls: `tool_calls` in a message of a tool #/0: a result without a call"},
    {"an empty list of calls of a tool is none",
     "[{\"role\":\"tool\",\"content\":\"r\",\"tool_calls\":[]}]",
     "=() \"r\" #/0: a result without a call"},
    {"calls under another key",
     "[{\"role\":\"assistant\",\"content\":\"a\",\"toolCalls\":[{\"name\":\"a\"}]},{\"role\":"
     "\"assistant\",\"function_calls\":{\"name\":\"b\"}}]",
     "agent \"a\"; agent \"\" #!/0/toolCalls: calls under the key `toolCalls` cannot be read here "
     "#!/1/function_calls: calls under the key `function_calls` cannot be read here"},
    {"results that are no list",
     "[{\"role\":\"tool\",\"tool_messages\":{\"id\":\"x\"},\"content\":\"r\"}]",
     "=() \"r\" #!/0/tool_messages: `tool_messages` is an object, not a list #/0: a result without "
     "a call"},
    {"a result that is no object",
     "[{\"role\":\"tool\",\"tool_messages\":[\"r\"]},{\"role\":\"user\",\"content\":\"a\"}]",
     "user \"a\" #!/0/tool_messages/0: a result that is a string"},
    {"a refusal that is an object",
     "[{\"role\":\"assistant\",\"content\":\"a\",\"refusal\":{\"why\":\"b\"}}]",
     "agent \"a\" #!/0/refusal: the refusal of a message is an object"},
    {"null content is a turn without words", "[{\"role\":\"user\",\"content\":null}]", "user \"\""},
    {"missing content is a turn without words", "[{\"role\":\"user\"}]", "user \"\""},
    {"empty content beside calls is nothing",
     "[{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[" CALL("1", "a") "]}]", "a(1){}"},
    {"an empty list of calls is none",
     "[{\"role\":\"assistant\",\"content\":\"Hi\",\"tool_calls\":[]}]", "agent \"Hi\""},
    {"content that is a number", "[{\"role\":\"user\",\"content\":5}]",
     " #!/0/content: the content of a message is a number #: the conversation is empty"},
    {"a role that nobody knows", "[{\"role\":\"narrator\",\"content\":\"x\"}]",
     " #!/0: a message of the role `narrator` #: the conversation is empty"},
    {"a message without a role", "[{\"role\":\"user\",\"content\":\"x\"},{\"content\":\"y\"}]",
     "user \"x\" #!/1: a message of the role ``"},
    {"a message that is no object", "[{\"role\":\"user\",\"content\":\"x\"},\"y\"]",
     "user \"x\" #!/1: a message that is a string"},
    {"parts in order, text joined between calls",
     "[{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},\"b\","
     "{\"type\":\"tool_use\",\"id\":\"x\",\"name\":\"t\",\"input\":{}},"
     "{\"type\":\"text\",\"text\":\"c\"}]},"
     "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"x\","
     "\"content\":\"1\"},{\"type\":\"text\",\"text\":\"d\"}]}]",
     "agent \"a\\nb\"; t(x){}->3; agent \"c\"; =t(x) \"1\"<-1; user \"d\""},
    {"reasoning is said to nobody",
     "[{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"hm\"},"
     "{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"redacted_thinking\",\"data\":\"\"}]}]",
     "agent \"a\""},
    {"a part of an unknown kind",
     "[{\"role\":\"user\",\"content\":[{\"type\":\"smell\"},{\"type\":\"text\",\"text\":\"a\"}]}]",
     "user \"a\" #!/0/content/0: a part of the kind `smell` cannot be read here"},
    {"a part without a kind", "[{\"role\":\"user\",\"content\":[7]}]",
     " #!/0/content/0: a part without a kind: a number #: the conversation is empty"},
    {"a text part whose text is a number",
     "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":7}]}]",
     " #!/0/content/0: a part of the kind `text` cannot be read here #: the conversation is "
     "empty"},
    {"an image in a result",
     TOOL("\"content\":[{\"type\":\"text\",\"text\":\"1\"},{\"type\":\"image\"},"
          "{\"type\":\"text\",\"text\":\"2\"}]"),
     "a(x){}->1; =a(x) \"1\\n2\"<-0 #/1/content/1: a part of kind `image` is left out: no text"},
    {"a result that is JSON", TOOL("\"content\":{\"n\":[1,null]}"),
     "a(x){}->1; =a(x) \"{\\\"n\\\":[1,null]}\"<-0"},
    {"a result that is a list of things", TOOL("\"content\":[{\"n\":1}]"),
     "a(x){}->1; =a(x) \"[{\\\"n\\\":1}]\"<-0"},
    {"a result that is null", TOOL("\"content\":null"), "a(x){}->1; =a(x) \"\"<-0"},
    {"a text that begins Error", TOOL("\"content\":\"Error: no\""),
     "a(x){}->1; !a(x) \"Error: no\"<-0"},
    {"a tool that the environment does not have", TOOL("\"content\":\"Unknown action a\""),
     "a(x){}->1; !a(x) \"Unknown action a\"<-0"},
    {"a tool that the environment does not have", TOOL("\"content\":\"Unknown action a\""),
     "a(x){}->1; !a(x) \"Unknown action a\"<-0"},
    {"a text that begins otherwise", TOOL("\"content\":\"An Error: no\""),
     "a(x){}->1; =a(x) \"An Error: no\"<-0"},
    {"a flag goes before the text", TOOL("\"content\":\"Error: none found\",\"error\":false"),
     "a(x){}->1; =a(x) \"Error: none found\"<-0"},
    {"a flag that says error", TOOL("\"content\":\"no\",\"error\":true"),
     "a(x){}->1; !a(x) \"no\"<-0"},
    {"a null flag leaves it to the text", TOOL("\"content\":\"Error: no\",\"error\":null"),
     "a(x){}->1; !a(x) \"Error: no\"<-0"},
    {"results that are kept together",
     "[" AGENT(CALL("\"x\"", "a") "," CALL(
         "\"y\"", "b")) ",{\"role\":\"tool\",\"tool_messages\":[" RESULT("\"x\"",
                                                                         "1") "," RESULT("\"y\"",
                                                                                         "2") "]}]",
     "a(x){}->2; b(y){}->3; =a(x) \"1\"<-0; =b(y) \"2\"<-1"},
    {"an error beside a text", TOOL("\"content\":\"half\",\"error\":\"broke\""),
     "a(x){}->1; !a(x) \"broke\\nhalf\"<-0"},
};

static void messages_are_kept_as_far_as_they_can_be_read(void)
{
    for (size_t i = 0; i < LG_COUNT(messages); i++) {
        check_defect(&messages[i]);
    }
}

// --- Whole conversations ------------------------------------------------------------------------

static const defect wholes[] = {
    {"a run without its messages", "[{\"task_id\":1,\"traj\":null}]",
     " #!/0/traj: the messages are null, not a list #/0: the conversation is empty"},
    {"a run that is no object", "[{\"task_id\":1,\"traj\":[{\"role\":\"user\"}]},3]",
     "user \"\" #!/1: a run that is a number"},
    {"a simulation that is no object", "{\"simulations\":[null]}",
     " #!/simulations/0: a simulation that is null #: no conversation is in this file"},
    {"results without simulations", "{\"simulations\":[]}", " #: no conversation is in this file"},
    {"a reward that is text", "[{\"traj\":[{\"role\":\"user\"}],\"reward\":\"1\"}]",
     "user \"\" #/0/reward: a reward that is no number"},
    {"a trial that is negative", "[{\"traj\":[{\"role\":\"user\"}],\"trial\":-1}]",
     "user \"\" #/0/trial: a trial that is no small whole number"},
    {"an expected action without a name",
     "[{\"traj\":[{\"role\":\"user\"}],\"info\":{\"task\":{\"actions\":[{\"kwargs\":{}}]}}}]",
     "user \"\" #!/0/info/task/actions/0: an expected action without a name or arguments"},
    {"a gold call that is no object", "{\"task_id\":1,\"calls\":[5]}",
     " #!/calls/0: a call that is a number #!/calls/0: an expected action without a name or "
     "arguments"},
    {"a gold call that was never answered",
     "{\"task_id\":1,\"calls\":[{\"name\":\"a\",\"arguments\":{}}]}", "a(){}"},
    {"lines of two formats",
     "{\"task_id\":1,\"calls\":[]}\n{\"requests\":[]}\n[]\n{\"task_id\":\"1\",\"db_match\":true}",
     " #!/1: not one of the gold traces around it: it looks like a chat export of VS Code"
     " #!/2: not one of the gold traces around it"
     " #!/3: not one of the gold traces around it: it looks like results of an evaluation"},
    {"a session line of an unknown type",
     "{\"type\":\"user\",\"sessionId\":\"s\",\"message\":{\"role\":\"user\",\"content\":\"a\"}}\n"
     "{\"type\":\"weather\",\"sessionId\":\"s\"}\n"
     "{\"type\":\"assistant\",\"sessionId\":\"s\"}\n"
     "{\"type\":\"assistant\",\"sessionId\":\"s\",\"message\":{\"content\":\"a\"}}",
     "user \"a\" #!/1: a line of the type `weather` #!/2: a line without a message"
     " #!/3/message: a message without a role"},
    {"a mark of the byte order is no part of the text",
     "\xEF\xBB\xBF[{\"role\":\"user\",\"content\":\"a\"}]", "user \"a\""},
    {"blank lines are counted and skipped",
     "\n\r\n{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}\r\n \n{\"messages\":[5]}\n",
     "user \"a\" #!/4/messages/0: a message that is a number #/4: the conversation is empty"},
    {"an action without a name is speech",
     "[{\"traj\":[{\"role\":\"assistant\",\"content\":\"Action: {\\\"arguments\\\":{}}\"}]}]",
     "agent \"Action: {\\\"arguments\\\":{}}\" #/0/traj/0: no readable action, so it was said to "
     "the "
     "user: it has no name"},
    {"an action with odd arguments is a call",
     "[{\"traj\":[{\"role\":\"assistant\",\"content\":\"Action: {\\\"name\\\":\\\"a\\\","
     "\\\"arguments\\\":[]}\"}]}]",
     "a() \"[]\" #/0/traj/0: the arguments of `a` are no object: a list"},
    {"an answer beside its request",
     "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}],\"choices\":[{\"message\":{\"tool_"
     "calls\":[]}}]}",
     "user \"a\" #!/choices: an answer in `choices` cannot be read here"},
    {"a run whose calls are an object",
     "[{\"traj\":[{\"role\":\"assistant\",\"content\":\"Action: "
     "{}\",\"tool_calls\":{\"id\":\"x\"}}]}]",
     "agent \"Action: {}\" #!/0/traj/0/tool_calls: `tool_calls` is an object, not a list"},
    {"an action in a list of parts",
     "[{\"traj\":[{\"role\":\"assistant\",\"content\":\"Action: "
     "{\\\"name\\\":\\\"a\\\",\\\"arguments\\\":{}}\"},{\"role\":\"assistant\",\"content\":[{"
     "\"type\":\"text\",\"text\":\"Action: {\\\"name\\\":\\\"b\\\"}\"}]}]}]",
     "a(){}; agent \"Action: {\\\"name\\\":\\\"b\\\"}\" #!/0/traj/1/content: the content of a "
     "message is a list: an action in it cannot be read"},
    {"a gold call whose error is a text",
     "{\"task_id\":1,\"calls\":[{\"name\":\"a\",\"arguments\":{},\"result\":\"r\",\"error\":\"e\"}]"
     "}",
     "a(){}->1; !a() \"r\"<-0 #/calls/0/error: an `error` that is a string: taken for a failure"},
    {"a line of progress that holds a message",
     "{\"type\":\"user\",\"sessionId\":\"s\",\"message\":{\"role\":\"user\",\"content\":\"a\"}}\n{"
     "\"type\":\"progress\",\"sessionId\":\"s\",\"data\":{\"message\":{\"role\":\"assistant\"}}}\n{"
     "\"type\":\"progress\",\"sessionId\":\"s\",\"data\":{\"n\":1}}",
     "user \"a\" #!/1: a line of the type `progress` that holds a message"},
    {"a return of VS Code that is no text",
     "{\"requests\":[{\"message\":\"go\",\"result\":{\"metadata\":{\"toolCallRounds\":[{"
     "\"toolCalls\":"
     "[{\"id\":\"x\",\"name\":\"a\",\"arguments\":\"{}\"}]}],\"toolCallResults\":{\"x\":{"
     "\"content\":"
     "[{\"value\":\"1\"},{\"value\":5}]}}}}}]}",
     "user \"go\"; a(x){}->2; =a(x) \"1\"<-1"
     " #!/requests/0/result/metadata/toolCallResults/x/content/1: a part of a return that is no "
     "text"},
};

static const defect vscode[] = {
    {"rounds that are null",
     "{\"requests\":[{\"message\":\"go\",\"response\":[{\"value\":\"said\"}],\"result\":{"
     "\"metadata\":{\"toolCallRounds\":null}}}]}",
     "user \"go\"; agent \"said\""},
    {"no rounds, but something on display",
     "{\"requests\":[{\"message\":\"go\",\"response\":[{\"kind\":\"toolInvocationSerialized\","
     "\"toolId\":\"a\",\"toolCallId\":\"x\"}],\"result\":{\"metadata\":{\"toolCallRounds\":[]}}}]}",
     "user \"go\"; a(x) \"\" #/requests/0/response/0: a call of `a` of which only the display was "
     "kept: no arguments, no result"},
    {"a response that is no list", "{\"requests\":[{\"message\":\"go\",\"response\":\"said\"}]}",
     "user \"go\" #!/requests/0/response: the response of a request is a string"},
    {"rounds that are none",
     "{\"requests\":[{\"message\":\"go\",\"result\":{\"metadata\":{\"toolCallRounds\":[7,{"
     "\"toolCalls\":{\"id\":\"x\"},\"response\":5}]}}}]}",
     "user \"go\" #!/requests/0/result/metadata/toolCallRounds/0: a round that is a number "
     "#!/requests/0/result/metadata/toolCallRounds/1/toolCalls: the calls of a round are an object "
     "#!/requests/0/result/metadata/toolCallRounds/1/response: the words of a round are a number"},
    {"a request without words still did something",
     "{\"requests\":[{\"result\":{\"metadata\":{\"toolCallRounds\":[{\"toolCalls\":[{\"id\":\"x\","
     "\"name\":\"a\",\"arguments\":\"{}\"}]}]}}}]}",
     "a(x){} #!/requests/0: a request without the user's words"},
    {"calls that were carried out and are in no round",
     "{\"requests\":[{\"message\":\"go\",\"response\":[{\"kind\":\"toolInvocationSerialized\","
     "\"isConfirmed\":{\"type\":1}},{\"kind\":\"toolInvocationSerialized\",\"isConfirmed\":true},{"
     "\"kind\":\"toolInvocationSerialized\",\"isConfirmed\":{\"type\":0}},{\"kind\":"
     "\"toolInvocationSerialized\"}],\"result\":{\"metadata\":{\"toolCallRounds\":[{\"toolCalls\":["
     "{\"id\":\"x\",\"name\":\"a\",\"arguments\":\"{}\"}]}]}}}]}",
     "user \"go\"; a(x){} #!/requests/0/response: 2 calls are shown as carried out, of 1 is known "
     "what they were"},
    {"a result of no call",
     "{\"requests\":[{\"message\":\"go\",\"result\":{\"metadata\":{\"toolCallRounds\":[],"
     "\"toolCallResults\":{\"x\":{\"content\":[]}}}}}]}",
     "user \"go\" #!/requests/0/result/metadata/toolCallResults: 1 result of calls that are in no "
     "round"},
    {"a call that was never answered",
     "{\"requests\":[{\"message\":\"go\",\"result\":{\"metadata\":{\"toolCallRounds\":[{"
     "\"toolCalls\":"
     "[{\"id\":\"x\",\"name\":\"a\",\"arguments\":\"{}\"}]}]}}}]}",
     "user \"go\"; a(x){}"},
    {"a request whose rounds are no list",
     "{\"requests\":[{\"message\":\"go\",\"result\":{\"metadata\":{\"toolCallRounds\":5}}},7]}",
     "user \"go\" #!/requests/0/result/metadata/toolCallRounds: the rounds of a request are a "
     "number "
     "#!/requests/1: a request without the user's words"},
};

static void exports_of_vscode_are_kept_as_far_as_they_can_be_read(void)
{
    for (size_t i = 0; i < LG_COUNT(vscode); i++) {
        check_defect(&vscode[i]);
    }
}

static void conversations_are_kept_as_far_as_they_can_be_read(void)
{
    for (size_t i = 0; i < LG_COUNT(wholes); i++) {
        check_defect(&wholes[i]);
    }
}

static const defect live[] = {
    {"an input that is none", "{\"model\":\"m\",\"instructions\":\"S\",\"input\":[7]}",
     "system \"S\" #!/input/0: an item of the kind `` cannot be read here"},
    {"a reply with its request",
     "{\"request\":{\"model\":\"m\",\"input\":\"hi\"},\"response\":{\"output\":[{\"type\":"
     "\"function_call\",\"call_id\":\"x\",\"name\":\"a\",\"arguments\":\"{\"}]}}",
     "user \"hi\"; a(x) \"{\" #/response/output/0: the arguments of `a` are no JSON: expected a "
     "key in double quotes or `}`, found the end of the text"},
    {"what the upstream's own tool returned",
     "{\"system\":\"S\",\"messages\":[{\"role\":\"assistant\",\"content\":[{\"type\":"
     "\"server_tool_use\",\"id\":\"s\",\"name\":\"web_search\",\"input\":{}},{\"type\":"
     "\"web_search_tool_result\",\"tool_use_id\":\"s\",\"content\":[{\"type\":\"page\"}]}]}]}",
     "system \"S\"; web_search(s){}->2; =web_search(s) \"[{\\\"type\\\":\\\"page\\\"}]\"<-1"},
    {"messages that are none", "{\"system\":\"S\",\"messages\":[7]}",
     "system \"S\" #!/messages/0: a message that is a number"},
};

static void requests_are_kept_as_far_as_they_can_be_read(void)
{
    for (size_t i = 0; i < LG_COUNT(live); i++) {
        check_defect(&live[i]);
    }
}

// --- Spans and messages on a wire ---------------------------------------------------------------

#define SPANS(spans) "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[" spans "]}]}]}"
#define SPAN(attributes) "{\"traceId\":\"1\",\"attributes\":[" attributes "]}"
#define ATTRIBUTE(key, value) "{\"key\":\"" key "\",\"value\":" value "}"

static const defect wire_defects[] = {
    {"a span that is no object",
     SPANS("1," SPAN(ATTRIBUTE("gen_ai.output.messages", "{\"stringValue\":\"[]\"}"))),
     " #!/resourceSpans/0/scopeSpans/0/spans/0: a span that is a number "
     "#/resourceSpans/0/scopeSpans/0/spans/1: the conversation is empty"},
    {"a value of no known kind", SPANS(SPAN(ATTRIBUTE("gen_ai.output.messages", "{\"x\":1}"))),
     " #!/resourceSpans/0/scopeSpans/0/spans/0/attributes/0/value: an attribute's value that is an "
     "object of no known kind #!/resourceSpans/0/scopeSpans/0/spans/0: 1 call of a model without a "
     "word of what was said #/resourceSpans/0/scopeSpans/0/spans/0: the conversation is empty"},
    {"messages that are a text",
     SPANS(SPAN(ATTRIBUTE("gen_ai.output.messages", "{\"stringValue\":\"hi\"}"))),
     " #!/resourceSpans/0/scopeSpans/0/spans/0: the messages of a span are a string, not a list "
     "#!/resourceSpans/0/scopeSpans/0/spans/0: 1 call of a model without a word of what was said "
     "#/resourceSpans/0/scopeSpans/0/spans/0: the conversation is empty"},
    {"a tool that ran, and nothing is told of it",
     SPANS(SPAN(ATTRIBUTE("gen_ai.tool.name", "{\"stringValue\":\"f\"}"))),
     "f(span 0) \"\" #/resourceSpans/0/scopeSpans/0/spans/0: a call of `f` without arguments "
     "#/resourceSpans/0/scopeSpans/0/spans/0: the result of `f` was not recorded"},
    {"an entry without spans", "{\"resourceSpans\":[{}]}",
     " #!/resourceSpans/0: an entry without `scopeSpans` #: no conversation is in this file"},
    {"an answer that nobody asked for",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}",
     " #!: an answer to a call that is not recorded #: the conversation is empty"},
    {"a call without an id",
     "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"f\"}}",
     "f(){} #: a call without an id has no answer"},
};

static void what_spans_and_wires_get_wrong(void)
{
    for (size_t i = 0; i < LG_COUNT(wire_defects); i++) {
        check_defect(&wire_defects[i]);
    }
}

int main(void)
{
    RUN(what_spans_and_wires_get_wrong);
    RUN(results_find_their_calls);
    RUN(calls_are_kept_as_far_as_they_can_be_read);
    RUN(arguments_that_nest_too_deep_are_listed);
    RUN(messages_are_kept_as_far_as_they_can_be_read);
    RUN(conversations_are_kept_as_far_as_they_can_be_read);
    RUN(exports_of_vscode_are_kept_as_far_as_they_can_be_read);
    RUN(requests_are_kept_as_far_as_they_can_be_read);
    return lg_test_done();
}
