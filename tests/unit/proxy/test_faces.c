// test_faces.c: what Messages and Responses have beside what all three APIs have: signed reasoning, state that the
// upstream keeps, tools that it runs by itself.
#include "proxy_host.h"
#include "proxy_texts.h"

// --- Messages -----------------------------------------------------------------------------------

#define THINKS "{'type':'thinking','thinking':'hm','signature':'c2ln'}"
#define USE(id, tool, input) "{'type':'tool_use','id':'" id "','name':'" tool "','input':" input "}"
#define M_REPLY(content, stop)                                                                     \
    "{'id':'m1','type':'message','role':'assistant','model':'m','content':[" content               \
    "],'stop_reason':'" stop "','stop_sequence':null,"                                             \
    "'usage':{'input_tokens':10,'output_tokens':5}}"
#define M_ASK(messages) "{'model':'m','max_tokens':9,'messages':[" messages "]}"
#define M_AGENT(content) "{'role':'assistant','content':[" content "]}"
#define M_RESULT(id, text)                                                                         \
    "{'role':'user','content':[{'type':'tool_result','tool_use_id':'" id "','content':'" text "'}" \
    "]}"
#define M_READ                                                                                     \
    USER("act")                                                                                    \
    "," M_AGENT(USE("r1", "get_order", "{'id':'A'}")) "," M_RESULT(                                \
        "r1", "{\\'id\\':\\'A\\',\\'status\\':\\'open\\'}")

// What stood before signed reasoning stands there again: the hidden round, byte for byte.
static void hidden_rounds_come_back(void)
{
    host h;
    host_open(&h, &(host_options){.rules = RULES, .api = LG_CHAT_MESSAGES});
    host_reply(&h, M_REPLY(THINKS "," USE("w1", "act", "{'id':'B'}"), "tool_use"));
    host_reply(&h, M_REPLY(THINKS "," USE("w2", "act", "{'id':'A'}"), "tool_use"));
    host_run(&h, M_ASK(M_READ));
    CHECK(h.asked_count == 2);
    CHECK(host_says(&h, THINKS "," USE("w2", "act", "{'id':'A'}")));
    CHECK(!host_says(&h, "'id':'w1','name'"));
    CHECK(host_says(&h, "'output_tokens':10"));
    host_reply(&h, M_REPLY("{'type':'text','text':'Done.'}", "end_turn"));
    host_run(&h, M_ASK(M_READ "," M_AGENT(
                     THINKS "," USE("w2", "act", "{ 'id': 'A' }")) "," M_RESULT("w2", "done")));
    CHECK(host_asked(&h, 0, USE("w1", "act", "{'id':'B'}")));
    CHECK(host_asked(&h, 0, "'tool_use_id':'w1'"));
    CHECK(host_counts(&h).hidden_rounds == 1);
    // In the same conversation it stays, also when its session is warm.
    host_reply(&h, M_REPLY("{'type':'text','text':'Bye.'}", "end_turn"));
    host_run(&h,
             M_ASK(M_READ "," M_AGENT(THINKS "," USE("w2", "act", "{ 'id': 'A' }")) "," M_RESULT(
                 "w2", "done") "," M_AGENT("{'type':'text','text':'Done.'}") "," USER("thanks")));
    CHECK(host_asked(&h, 0, USE("w1", "act", "{'id':'B'}")));
    CHECK(host_counts(&h).folds_warm == 2);
    host_close(&h);
}

static void without_reasoning_nothing_is_put_back(void)
{
    host h;
    host_open(&h, &(host_options){.rules = RULES, .api = LG_CHAT_MESSAGES});
    host_reply(&h, M_REPLY(USE("w1", "act", "{'id':'B'}"), "tool_use"));
    host_reply(&h, M_REPLY(USE("w2", "act", "{'id':'A'}"), "tool_use"));
    host_run(&h, M_ASK(M_READ));
    host_reply(&h, M_REPLY("{'type':'text','text':'Done.'}", "end_turn"));
    host_run(&h,
             M_ASK(M_READ "," M_AGENT(USE("w2", "act", "{'id':'A'}")) "," M_RESULT("w2", "done")));
    CHECK(!host_asked(&h, 0, "'id':'w1'"));
    host_close(&h);
}

#define M_EVENT(type, rest) "event: " type "\ndata: {'type':'" type "'" rest "}\n\n"
#define M_STREAM(text, input)                                                                      \
    M_EVENT("message_start", ",'message':{'id':'m1','type':'message','role':'assistant','model':"  \
                             "'m','content':[],'stop_reason':null,'usage':{'input_tokens':1,"      \
                             "'output_tokens':1}}")                                                \
    M_EVENT("content_block_start", ",'index':0,'content_block':{'type':'text','text':''}")         \
    M_EVENT("content_block_delta", ",'index':0,'delta':{'type':'text_delta','text':'" text "'}")   \
    M_EVENT("content_block_stop", ",'index':0")                                                    \
    M_EVENT("content_block_start", ",'index':1,'content_block':{'type':'tool_use','id':'p1',"      \
                                   "'name':'ping','input':{}}")                                    \
    M_EVENT("content_block_delta",                                                                 \
            ",'index':1,'delta':{'type':'input_json_delta','partial_json':'" input "'}")           \
    M_EVENT("content_block_stop", ",'index':1")                                                    \
    M_EVENT("message_delta", ",'delta':{'stop_reason':'tool_use','stop_sequence':null},"           \
                             "'usage':{'output_tokens':3}")                                        \
    M_EVENT("message_stop", "")

// Text goes on at once, in all rounds; what was refused is said behind it, and the blocks are counted on.
static void a_stream_ends_with_the_refusal_behind_its_text(void)
{
    host h;
    host_open(&h, &(host_options){.rules = RULES, .api = LG_CHAT_MESSAGES});
    for (int i = 0; i < 3; i++) {
        host_stream(&h, M_STREAM("Doing it.", ARGS_N("5")));
    }
    host_run(&h, "{'model':'m','max_tokens':9,'stream':true,'messages':[" USER("five") "]}");
    lg_str got = lg_buf_str(&h.got);
    size_t refusal = lg_str_find(got, LG_STR("This was not done, because it was refused."));
    CHECK(h.asked_count == 3);
    CHECK(refusal != SIZE_MAX && refusal > lg_str_find(got, LG_STR("Doing it.")));
    CHECK(!host_says(&h, "'id':'p1','name'"));
    CHECK(host_says(&h, "'stop_reason':'end_turn'"));
    CHECK(host_says(&h, "'index':3")); // three texts, and the refusal
    CHECK(!host_says(&h, "'index':4"));
    CHECK(host_says(&h, "'ledgergate':{"));
    host_close(&h);
}

// --- Responses ----------------------------------------------------------------------------------

#define FC(id, tool, args)                                                                         \
    "{'type':'function_call','id':'fc_" id "','call_id':'" id "','name':'" tool                    \
    "','arguments':'" args "','status':'completed'}"
#define SAID(text)                                                                                 \
    "{'type':'message','id':'msg_1','role':'assistant','status':'completed','content':[{'type':"   \
    "'output_text','text':'" text "','annotations':[]}]}"
#define R_REPLY(id, output)                                                                        \
    "{'id':'" id "','object':'response','status':'completed','model':'m','output':[" output        \
    "],'usage':{'input_tokens':10,'output_tokens':5,'total_tokens':15}}"
#define R_ASK(rest) "{'model':'m'," rest "}"
#define OUTPUT(id, text) "{'type':'function_call_output','call_id':'" id "','output':'" text "'}"
#define READ_RESULT OUTPUT("r1", "{\\'id\\':\\'A\\',\\'status\\':\\'open\\'}")

static void begin_continued(host *h, const host_options *options)
{
    host_open(h, options);
    host_reply(h, R_REPLY("resp_1", FC("r1", "get_order", ARGS_A)));
    host_run(h, R_ASK("'input':'act on A'"));
    CHECK(host_says(h, FC("r1", "get_order", ARGS_A)));
    host_reply(h, R_REPLY("resp_2", SAID("It is open.")));
    host_run(h, R_ASK("'previous_response_id':'resp_1','input':[" READ_RESULT "]"));
    CHECK(host_asked(h, 0, "ledger.orders.A"));
}

static void go_on(host *h, const char *from, bool allowed)
{
    char body[512];
    snprintf(body, sizeof(body), R_ASK("'previous_response_id':'%s','input':'do it'"), from);
    host_reply(h, R_REPLY("resp_3", FC("w1", "act", ARGS_A)));
    host_reply(h, R_REPLY("resp_4", SAID("No.")));
    host_run(h, body);
    CHECK(host_says(h, "'call_id':'w1','name'") == allowed);
    CHECK(h->asked_count == (allowed ? 1 : 2));
    // The turns are those of the whole conversation: user, agent, result, agent, user, agent.
    CHECK(!allowed || host_says(h, "'tool':'get_order','turn':1"));
}

static void responses_are_continued(void)
{
    // Where sessions stay, and where each is folded from the beginning.
    for (size_t bytes = 0; bytes < 2; bytes++) {
        host h;
        begin_continued(&h, &(host_options){.rules = RULES,
                                            .api = LG_CHAT_RESPONSES,
                                            .proxy = {.session_bytes = bytes}});
        go_on(&h, "resp_2", true);
        CHECK(host_counts(&h).folds_warm == (bytes ? 0 : 2));
        go_on(&h, "resp_2", true);  // a second time, as another branch
        go_on(&h, "resp_1", false); // there it was not read yet
        CHECK(host_counts(&h).unknown_responses == 0);
        go_on(&h, "resp_x", false);
        CHECK(host_counts(&h).unknown_responses == 1);
        h.principal = LG_STR("bob"); // it is not his
        go_on(&h, "resp_2", false);
        CHECK(host_counts(&h).unknown_responses == 2);
        host_close(&h);
    }
}

#define R_EVENT(type, rest) "event: " type "\ndata: {'type':'" type "'," rest "}\n\n"
#define R_STREAM(id, item, output)                                                                 \
    R_EVENT("response.created", "'response':{'id':'" id "','status':'in_progress','output':[]}")   \
    R_EVENT("response.output_item.added", "'output_index':0,'item':" item)                         \
    R_EVENT("response.output_item.done", "'output_index':0,'item':" item)                          \
    R_EVENT("response.completed", "'response':" output)

// A stream that was asked again goes by its first id: the client continues that one, the upstream its own last one.
static void a_stream_that_was_asked_again_is_continued(void)
{
    host h;
    host_open(&h, &(host_options){.rules = RULES, .api = LG_CHAT_RESPONSES});
    host_stream(&h, R_STREAM("resp_1", FC("w1", "act", ARGS_B),
                             R_REPLY("resp_1", FC("w1", "act", ARGS_B))));
    host_stream(&h, R_STREAM("resp_2", SAID("No."), R_REPLY("resp_2", SAID("No."))));
    host_run(&h, R_ASK("'stream':true,'input':'act on B'"));
    CHECK(h.asked_count == 2);
    CHECK(host_says(&h, "'id':'resp_1'") && !host_says(&h, "resp_2"));
    host_reply(&h, R_REPLY("resp_3", SAID("Well.")));
    host_run(&h, R_ASK("'previous_response_id':'resp_1','input':'and?'"));
    CHECK(host_asked(&h, 0, "'previous_response_id':'resp_2'"));
    CHECK(host_counts(&h).unknown_responses == 0);
    host_reply(&h, R_REPLY("resp_4", SAID("Bye.")));
    host_run(&h, R_ASK("'previous_response_id':'resp_3','input':'bye'"));
    CHECK(host_asked(&h, 0, "'previous_response_id':'resp_3'"));
    host_close(&h);
}

// A call that was refused stands in the reply that the upstream has kept, and has to be answered there.
static void refused_calls_are_answered_where_they_are_kept(void)
{
    host h;
    host_open(&h, &(host_options){.rules = RULES,
                                  .api = LG_CHAT_RESPONSES,
                                  .route = {.on_refusal = LG_PROXY_RETURN}});
    host_reply(&h, R_REPLY("resp_1", FC("w1", "act", ARGS_B)));
    host_run(&h, R_ASK("'input':'act on B'"));
    CHECK(!host_says(&h, "'call_id':'w1','name'"));
    host_reply(&h, R_REPLY("resp_2", SAID("Well.")));
    host_run(&h, R_ASK("'previous_response_id':'resp_1','input':'and?'"));
    CHECK(host_asked(&h, 0,
                     "{'type':'function_call_output','call_id':'w1','output':'LedgerGate has "
                     "refused this call"));
    host_close(&h);
}

// What a decision stands on is in the log, also what came in requests before, and where it has to be loaded for that.
static void continued_decisions_are_decided_again(void)
{
    for (size_t bytes = 0; bytes < 2; bytes++) {
        host h;
        begin_continued(&h, &(host_options){.rules = RULES,
                                            .api = LG_CHAT_RESPONSES,
                                            .proxy = {.session_bytes = bytes}});
        go_on(&h, "resp_2", true);
        host_reply(&h, R_REPLY("resp_5", SAID("Done.")));
        host_run(&h, R_ASK("'previous_response_id':'resp_3','input':[" OUTPUT("w1", "done") "]"));
        CHECK(host_counts(&h).results_unjudged == 0);
        go_on(&h, "resp_5", true);
        host_verify(&h, 2);
        host_close(&h);
    }
}

// --- What is not seen ---------------------------------------------------------------------------

// The upstream, which is asked with one key for all, would let each continue what another one has said.
static void nobody_continues_what_another_has_said(void)
{
    for (int shadow = 0; shadow < 2; shadow++) {
        host h;
        begin_continued(
            &h, &(host_options){.rules = RULES,
                                .api = LG_CHAT_RESPONSES,
                                .route = {.shares_upstream = true,
                                          .mode = shadow ? LG_PROXY_SHADOW : LG_PROXY_ENFORCE}});
        h.principal = LG_STR("bob");
        host_reply(&h, R_REPLY("resp_3", SAID("It was A.")));
        host_run(&h, R_ASK("'previous_response_id':'resp_2','input':'what did I say?'"));
        CHECK(h.status == (shadow ? 200 : 400) && h.asked_count == (size_t)shadow);
        CHECK(shadow || host_says(&h, "previous_response_not_found"));
        CHECK(shadow || host_says(&h, "send the whole conversation"));
        CHECK(host_counts(&h).unknown_responses == 1); // what only watches counts it
        h.principal = LG_STR("alice");
        host_reply(&h, R_REPLY("resp_3", SAID("It was A.")));
        host_run(&h, R_ASK("'previous_response_id':'resp_2','input':'what did I say?'"));
        CHECK(h.status == 200 && h.asked_count == 1);
        host_close(&h);
    }
}

static void what_is_not_seen_is_refused_or_counted(void)
{
    static const struct {
        const char *body;
        bool can_be_allowed;
        bool tools;
    } cases[] = {
        {R_ASK("'input':'x','tools':[{'type':'code_interpreter'}]"), true, true},
        {R_ASK("'input':'x','conversation':'conv_1'"), true, false},
        {R_ASK("'input':[{'type':'item_reference','id':'i'}]"), true, false},
        {R_ASK("'input':'x','background':true"), false, false},
    };
    for (size_t i = 0; i < 2 * LG_COUNT(cases); i++) {
        bool allow = i % 2;
        host h;
        host_open(&h, &(host_options){.rules = RULES,
                                      .api = LG_CHAT_RESPONSES,
                                      .route = {.allow_unseen = allow}});
        host_reply(&h, R_REPLY("resp_1", SAID("ok")));
        host_run(&h, cases[i / 2].body);
        bool passes = allow && cases[i / 2].can_be_allowed;
        CHECK(h.status == (passes ? 200 : 400));
        CHECK(passes || host_says(&h, "'code':'ledgergate_unseen'"));
        lg_proxy_counts counts = host_counts(&h);
        bool counted = cases[i / 2].tools ? counts.unseen_tools : counts.unseen_history;
        CHECK(counted == cases[i / 2].can_be_allowed);
        host_close(&h);
    }
}

// What makes an upstream run tools by itself stands beside `tools` in completions, each with its own name.
static void completions_that_act_unseen_are_refused_or_counted(void)
{
    static const char *const fields[] = {
        "'web_search_options':{}",
        "'web_search_options':{'search_context_size':'low'}",
        "'search_parameters':{'mode':'on'}",
        "'search_parameters':{}",
        "'plugins':[{'id':'web'}]",
        "'mcp_servers':[{'url':'https://a.example'}]",
        "'data_sources':[{'type':'azure_search'}]",
        "'enable_search':true",
        "'plugins':[]", // from here on: nothing is asked for
        "'web_search_options':null",
    };
    for (size_t i = 0; i < 2 * LG_COUNT(fields); i++) {
        bool allow = i % 2;
        bool acts = i / 2 < LG_COUNT(fields) - 2;
        char body[256];
        host h;
        snprintf(body, sizeof(body), "{'model':'m','messages':[" USER("x") "],%s}", fields[i / 2]);
        host_open(&h, &(host_options){.rules = RULES, .route = {.allow_unseen = allow}});
        host_reply(&h, REPLY(AGENT("ok"), "stop"));
        host_run(&h, body);
        bool passes = allow || !acts;
        CHECK_MSG(h.status == (passes ? 200 : 400) && h.asked_count == passes, body);
        CHECK(passes ||
              (host_says(&h, "ledgergate_unseen") && host_says(&h, "allow_unseen: true")));
        CHECK_MSG(host_counts(&h).unseen_tools == acts, body);
        host_close(&h);
    }
}

#define ACTED(type, rest) "{'type':'" type "','id':'a1','status':'completed'" rest "}"
#define MCP ",'server_label':'s','name':'pay','arguments':'{}','output':'Done.'"
#define M_ACTED(type) "{'type':'" type "','id':'a1','name':'web_search','input':{}}"
#define M_TEXT "{'type':'text','text':'Done.'}"

typedef struct acted_case {
    lg_chat_api api;
    bool acts;
    bool streams;
    const char *reply;
} acted_case;

static void check_acted(const acted_case *a, lg_proxy_mode mode, bool allow)
{
    host h;
    host_open(&h, &(host_options){.rules = RULES,
                                  .api = a->api,
                                  .route = {.allow_unseen = allow, .mode = mode}});
    if (a->streams) {
        host_stream(&h, a->reply);
        host_run(&h, a->api == LG_CHAT_RESPONSES
                         ? R_ASK("'stream':true,'input':'x'")
                         : "{'model':'m','max_tokens':9,'stream':true,'messages':[" USER("x") "]}");
    } else {
        host_reply(&h, a->reply);
        host_run(&h, a->api == LG_CHAT_RESPONSES ? R_ASK("'input':'x'") : M_ASK(USER("x")));
    }
    bool passes = !a->acts || allow || mode == LG_PROXY_SHADOW;
    CHECK_MSG(host_says(&h, "ledgergate_unseen") == !passes, a->reply);
    CHECK_MSG(passes || a->streams ? h.status == 200 : h.status == 502, a->reply);
    CHECK_MSG(host_says(&h, "Done.") || !passes, a->reply);
    CHECK_MSG(host_counts(&h).unseen_tools == a->acts, a->reply);
    CHECK(h.ended);
    host_close(&h);
}

// Nobody asked for it, and the upstream has done it: the reply that shows it does not pass.
static void replies_that_acted_unseen_are_refused_or_counted(void)
{
    static const acted_case cases[] = {
        {LG_CHAT_RESPONSES, true, false,
         R_REPLY("resp_1", ACTED("mcp_call", MCP) "," SAID("Done."))},
        {LG_CHAT_RESPONSES, true, false,
         R_REPLY("resp_1", ACTED("web_search_call", "") "," SAID("Done."))},
        {LG_CHAT_RESPONSES, false, false, // the client has approved, and the call was judged
         R_REPLY("resp_1", ACTED("mcp_call", MCP ",'approval_request_id':'q1'") "," SAID("Done."))},
        {LG_CHAT_RESPONSES, false, false, R_REPLY("resp_1", SAID("Done."))},
        {LG_CHAT_RESPONSES, true, true,
         R_STREAM("resp_1", ACTED("mcp_call", MCP), R_REPLY("resp_1", ACTED("mcp_call", MCP)))},
        {LG_CHAT_MESSAGES, true, false, M_REPLY(M_ACTED("server_tool_use") "," M_TEXT, "end_turn")},
        {LG_CHAT_MESSAGES, true, false, M_REPLY(M_ACTED("mcp_tool_use") "," M_TEXT, "end_turn")},
        {LG_CHAT_MESSAGES, false, false, M_REPLY(M_TEXT, "end_turn")},
        {LG_CHAT_MESSAGES, true, true,
         M_EVENT("message_start", ",'message':" M_REPLY("", "end_turn")) M_EVENT(
             "content_block_start", ",'index':0,'content_block':" M_ACTED("server_tool_use"))
             M_EVENT("content_block_stop", ",'index':0")
                 M_EVENT("content_block_start", ",'index':1,'content_block':" M_TEXT)
                     M_EVENT("content_block_stop", ",'index':1")
                         M_EVENT("message_delta", ",'delta':{'stop_reason':'end_turn'},'usage':{}")
                             M_EVENT("message_stop", "")},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        check_acted(&cases[i], LG_PROXY_ENFORCE, false);
        check_acted(&cases[i], LG_PROXY_ENFORCE, true);
        check_acted(&cases[i], LG_PROXY_SHADOW, false);
    }
}

#define C_SAID(rest) "{'role':'assistant','content':'Done.'" rest "}"
#define C_REPLY(rest)                                                                              \
    "{'id':'c1','object':'chat.completion','created':1,'model':'m','choices':[" CHOICE(            \
        "0", C_SAID(""), "stop") "]," rest "}"
#define CITATION "{'type':'url_citation','url_citation':{'url':'https://a.example','title':'A'}}"
#define C_STREAM(rest) STREAM_BEGIN STREAM_TEXT("Done.") rest
#define C_LAST(rest)                                                                               \
    "data: {'id':'c1','object':'chat.completion.chunk','created':1,'model':'m','choices':[]," rest \
    "}\n\n"

// Completions have no word for what the upstream has done: each shows it in its own way.
static void completions_that_show_what_ran_are_refused_or_counted(void)
{
    static const struct {
        bool acts;
        bool streams;
        const char *reply;
    } cases[] = {
        {true, false, REPLY(C_SAID(",'annotations':[" CITATION "]"), "stop")},
        {true, false, REPLY(C_SAID(",'annotations':[{'type':'other','x':1}]"), "stop")},
        {true, false, REPLY(C_SAID(",'executed_tools':[{'type':'search','output':'x'}]"), "stop")},
        {true, false, REPLY(C_SAID(",'context':{'citations':[{'title':'A'}]}"), "stop")},
        {true, false, C_REPLY("'citations':['https://a.example']")},
        {true, false, C_REPLY("'search_results':[{'title':'A'}]")},
        {true, false, C_REPLY("'web_search':[{'link':'https://a.example'}]")},
        {true, false, C_REPLY("'usage':{'num_sources_used':2}")},
        {true, false, C_REPLY("'usage':{'server_tool_use':{'web_search_requests':1}}")},
        {false, false, REPLY(C_SAID(""), "stop")},
        {false, false, REPLY(C_SAID(",'annotations':[]"), "stop")},
        {false, false, REPLY(C_SAID(",'annotations':[{'type':'file','file':{}}]"), "stop")},
        {false, false, C_REPLY("'citations':null,'search_results':[]")},
        {false, false, C_REPLY("'usage':{'server_tool_use':{'web_search_requests':0}}")},
        {true, true, C_STREAM(DELTA("{'annotations':[" CITATION "]}", "null") STREAM_END("stop"))},
        // of what comes again the later one does not hide the first
        {true, true,
         C_STREAM(DELTA("{'annotations':[" CITATION "]}", "null")
                      DELTA("{'annotations':[]}", "null") STREAM_END("stop"))},
        {true, true, C_STREAM(C_LAST("'citations':['https://a.example']") STREAM_END("stop"))},
        {true, true, C_STREAM(C_LAST("'usage':{'num_search_queries':1}") STREAM_END("stop"))},
        {false, true, C_STREAM(C_LAST("'usage':{'num_search_queries':0}") STREAM_END("stop"))},
        {false, true, C_STREAM(DELTA("{'annotations':[]}", "null") STREAM_END("stop"))},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        acted_case a = {LG_CHAT_COMPLETIONS, cases[i].acts, cases[i].streams, cases[i].reply};
        check_acted(&a, LG_PROXY_ENFORCE, false);
        check_acted(&a, LG_PROXY_ENFORCE, true);
        check_acted(&a, LG_PROXY_SHADOW, false);
    }
    acted_case call = {LG_CHAT_COMPLETIONS, true, false,
                       REPLY(C_SAID(",'tool_calls':[{'id':'t','type':'mcp','mcp':{}}]"), "stop")};
    check_acted(&call, LG_PROXY_ENFORCE, false); // allowed, it is a call without a name
    check_acted(&call, LG_PROXY_SHADOW, false);
}

int main(void)
{
    RUN(hidden_rounds_come_back);
    RUN(without_reasoning_nothing_is_put_back);
    RUN(a_stream_ends_with_the_refusal_behind_its_text);
    RUN(responses_are_continued);
    RUN(a_stream_that_was_asked_again_is_continued);
    RUN(refused_calls_are_answered_where_they_are_kept);
    RUN(continued_decisions_are_decided_again);
    RUN(nobody_continues_what_another_has_said);
    RUN(what_is_not_seen_is_refused_or_counted);
    RUN(completions_that_act_unseen_are_refused_or_counted);
    RUN(replies_that_acted_unseen_are_refused_or_counted);
    RUN(completions_that_show_what_ran_are_refused_or_counted);
    return lg_test_done();
}
