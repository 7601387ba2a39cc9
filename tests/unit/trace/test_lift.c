// What is said about a conversation where the file does not say it plainly: domains and tool names.
#include "lg_test.h"
#include "trace_dump.h"

#define POLICY(text) "[{\"role\":\"system\",\"content\":\"" text "\"}]"
#define USES(tool)                                                                                 \
    "[{\"role\":\"assistant\",\"tool_calls\":[{\"id\":1,\"name\":\"" tool "\",\"arguments\":{}}]}" \
    "]"
#define RUN_OF(messages) "{\"task_id\":1,\"traj\":" messages "}"

static const struct domain_case {
    const char *sentence;
    const char *text;
    const char *domain; // of the last conversation
} domain_cases[] = {
    {"the heading of a policy", POLICY("# Retail agent policy\\n\\nAs an agent"), "retail"},
    {"in capitals", POLICY("# AIRLINE AGENT POLICY"), "airline"},
    {"with blanks around it", POLICY("\\n # Telecom Agent Policy \\r\\nMore"), "telecom"},
    {"a heading of two words is no domain", POLICY("# Big Retail agent policy"), ""},
    {"a heading of no word is no domain", POLICY("# agent policy"), ""},
    {"a heading without its mark is none", POLICY("Retail agent policy"), ""},
    {"a long word is no domain", POLICY("# abcdefghijklmnopqrstuvwxyzabcdefg agent policy"), ""},
    {"another heading", POLICY("# Rules"), ""},
    {"a tool that one benchmark has", USES("get_reservation_details"), "airline"},
    {"a tool that nobody knows", USES("renew_loan"), ""},
    {"what is recorded goes first", "{\"domain\":\"x\",\"messages\":" USES("get_order_details") "}",
     "x"},
    {"a run that never began has the domain of the one before",
     "[" RUN_OF(POLICY("# Library agent policy")) "," RUN_OF("[]") "]", "library"},
    {"a run that never began, before all others, has none", "[" RUN_OF("[]") "]", ""},
};

static void domains_are_guessed_from_policies_and_tools(void)
{
    for (size_t i = 0; i < LG_COUNT(domain_cases); i++) {
        const struct domain_case *c = &domain_cases[i];
        lg_trace_set *set = NULL;
        lg_error err;
        if (CHECK_MSG(lg_trace_import(lg_str_c(c->text), NULL, NULL, &set, &err) == LG_OK,
                      c->sentence)) {
            lg_str got = set->traces[set->count - 1].domain;
            CHECK_MSG(lg_str_eq(got, lg_str_c(c->domain)), c->sentence);
        }
        lg_trace_close(set);
    }
}

static const struct {
    const char *recorded;
    const char *want;
} tool_names[] = {
    {"mcp__retail-tools__get_order", "get_order"},
    {"mcp__a__b__c", "b__c"},
    {"mcp__a", "mcp__a"},
    {"get_order", "get_order"},
    {"other__a__b", "other__a__b"},
};

static void the_server_is_taken_off_a_tool_name(void)
{
    for (size_t i = 0; i < LG_COUNT(tool_names); i++) {
        char text[512];
        lg_trace_set *set = NULL;
        lg_error err;
        snprintf(
            text, sizeof(text),
            "{\"type\":\"assistant\",\"sessionId\":\"s\",\"message\":{\"role\":\"assistant\","
            "\"content\":[{\"type\":\"tool_use\",\"id\":\"x\",\"name\":\"%s\",\"input\":{}}]}}",
            tool_names[i].recorded);
        if (CHECK(lg_trace_import(lg_str_c(text), NULL, NULL, &set, &err) == LG_OK)) {
            CHECK_STR(set->traces[0].events[0].tool, tool_names[i].want);
        }
        lg_trace_close(set);
    }
}

// MCP wraps a return that is no object; what the tool returned is inside.
static const struct {
    const char *sentence;
    const char *meta;
    const char *content;
    const char *want;
} wrapped[] = {
    {"a text", "{\"result\":\"m1\"}", "{\\\"result\\\":\\\"m1\\\"}", "m1"},
    {"a list", "{\"result\":[1,2]}", "{\\\"result\\\":[1,2]}", "[1,2]"},
    {"an object of the tool's own", "{\"result\":1,\"more\":2}",
     "{\\\"result\\\":1,\\\"more\\\":2}", "{\"result\":1,\"more\":2}"},
    {"a text without a wrapper", "{\"result\":\"m1\"}", "m1", "m1"},
};

static void a_wrapper_of_mcp_is_taken_off(void)
{
    for (size_t i = 0; i < LG_COUNT(wrapped); i++) {
        char text[1024];
        lg_trace_set *set = NULL;
        lg_error err;
        snprintf(text, sizeof(text),
                 "{\"type\":\"user\",\"sessionId\":\"s\",\"mcpMeta\":{\"structuredContent\":%s},"
                 "\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
                 "\"tool_use_id\":\"x\",\"content\":\"%s\"}]}}",
                 wrapped[i].meta, wrapped[i].content);
        if (CHECK_MSG(lg_trace_import(lg_str_c(text), NULL, NULL, &set, &err) == LG_OK,
                      wrapped[i].sentence)) {
            CHECK_STR(set->traces[0].events[0].text, wrapped[i].want);
        }
        lg_trace_close(set);
    }
}

// --- Work that is handed on ---------------------------------------------------------------------

#define DOES(tool, args, behind)                                                                   \
    "[{\"role\":\"assistant\",\"tool_calls\":[{\"id\":1,\"name\":\"" tool                          \
    "\",\"arguments\":{" args                                                                      \
    "}}]},{\"role\":\"tool\",\"tool_call_id\":1,\"content\":\"ok\"}" behind "]"

static const struct delegation_case {
    const char *sentence;
    const char *text;
    size_t delegated;
} delegation_cases[] = {
    {"a sub-agent, by its argument", DOES("task", "\"subagent_type\":\"x\"", ""), 1},
    {"a tool of that name without it", DOES("task", "", ""), 0},
    {"VS Code's", DOES("runSubagent", "", ""), 1},
    {"by its name", DOES("delegate_to_billing", "", ""), 1},
    {"a handoff behind which nobody speaks", DOES("transfer_to_billing_agent", "", ""), 1},
    {"a handoff behind which the other agent speaks",
     DOES("transfer_to_billing_agent", "", ",{\"role\":\"assistant\",\"content\":\"Hi\"}"), 0},
    {"a transfer to a human", DOES("transfer_to_human_agents", "", ""), 0},
    {"what another program counted",
     "{\"ledgergate_artifact\":1,\"delegated\":3,\"events\":[{\"kind\":\"call\",\"role\":\"agent\","
     "\"tool\":\"runSubagent\",\"value\":{}}]}",
     3},
};

static void what_is_handed_on_is_counted(void)
{
    for (size_t i = 0; i < LG_COUNT(delegation_cases); i++) {
        const struct delegation_case *c = &delegation_cases[i];
        lg_trace_set *set = NULL;
        lg_error err;
        if (CHECK_MSG(lg_trace_import(lg_str_c(c->text), NULL, NULL, &set, &err) == LG_OK,
                      c->sentence)) {
            CHECK_MSG(set->traces[0].delegated == c->delegated, c->sentence);
            CHECK_MSG(set->traces[0].events[0].is_delegation == (c->delegated > 0), c->sentence);
        }
        lg_trace_close(set);
    }
}

int main(void)
{
    RUN(what_is_handed_on_is_counted);
    RUN(domains_are_guessed_from_policies_and_tools);
    RUN(the_server_is_taken_off_a_tool_name);
    RUN(a_wrapper_of_mcp_is_taken_off);
    return lg_test_done();
}
