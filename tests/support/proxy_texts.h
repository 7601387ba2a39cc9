// proxy_texts.h: what tests of the proxy say: rules, requests and replies of chat completions. ' stands for ".
#ifndef LG_PROXY_TEXTS_H
#define LG_PROXY_TEXTS_H

// An order may be acted on while it is open, pinged with less than 3, and never with 9.
#define RULES                                                                                      \
    "rules:\n"                                                                                     \
    "  open_only:\n"                                                                               \
    "    tools: [act]\n"                                                                           \
    "    let: {o: 'ledger.orders[args.id]'}\n"                                                     \
    "    that: o.status == 'open'\n"                                                               \
    "    needs: ['ledger.orders[args.id]']\n"                                                      \
    "    say: 'Order {args.id} is {o.status}.'\n"                                                  \
    "  never_nine:\n"                                                                              \
    "    tools: [ping]\n"                                                                          \
    "    that: args.n != 9.0\n"                                                                    \
    "    otherwise: block\n"                                                                       \
    "    say: Nine is ruled out.\n"                                                                \
    "  small:\n"                                                                                   \
    "    tools: [ping]\n"                                                                          \
    "    that: args.n < 3.0 || args.n == 9.0\n"                                                    \
    "    say: 'Too large: {args.n}.'\n"

#define ASK(messages) "{'model':'m','messages':[" messages "]}"
#define ASK_STREAM(messages) "{'model':'m','stream':true,'messages':[" messages "]}"
#define USER(text) "{'role':'user','content':'" text "'}"
#define AGENT(text) "{'role':'assistant','content':'" text "'}"
#define CALL(id, tool, args)                                                                       \
    "{'id':'" id "','type':'function','function':{'name':'" tool "','arguments':'" args "'}}"
#define CALLS(calls) "{'role':'assistant','content':null,'tool_calls':[" calls "]}"
#define SAYS_AND_CALLS(text, calls)                                                                \
    "{'role':'assistant','content':'" text "','tool_calls':[" calls "]}"
#define RESULT(id, text) "{'role':'tool','tool_call_id':'" id "','content':'" text "'}"

#define ARGS_A "{\\'id\\':\\'A\\'}"
#define ARGS_B "{\\'id\\':\\'B\\'}"
#define ARGS_N(n) "{\\'n\\':" n "}"
// A conversation in which order A was read, and is open.
#define READ_A                                                                                     \
    USER("act on A")                                                                               \
    "," CALLS(CALL("r1", "get_order", ARGS_A)) "," RESULT(                                         \
        "r1", "{\\'id\\':\\'A\\',\\'status\\':\\'open\\'}")

#define CHOICE(index, message, finish)                                                             \
    "{'index':" index ",'message':" message ",'logprobs':null,'finish_reason':'" finish "'}"
#define USAGE(in, out, sum)                                                                        \
    "'usage':{'prompt_tokens':" in ",'completion_tokens':" out ",'total_tokens':" sum "}"
#define REPLY(message, finish)                                                                     \
    "{'id':'c1','object':'chat.completion','created':1,'model':'m','choices':[" CHOICE(            \
        "0", message, finish) "]," USAGE("10", "5", "15") ",'x_unknown':[1, 2.50]}"

// The same as a stream.
#define CHUNK(rest)                                                                                \
    "data: {'id':'c1','object':'chat.completion.chunk','created':1,'model':'m','choices':[" rest   \
    "]}\n\n"
#define DELTA(delta, finish) CHUNK("{'index':0,'delta':" delta ",'finish_reason':" finish "}")
#define STREAM_TEXT(text) DELTA("{'content':'" text "'}", "null")
#define STREAM_BEGIN DELTA("{'role':'assistant','content':''}", "null")
#define STREAM_CALL(index, id, tool, args)                                                         \
    DELTA("{'tool_calls':[{'index':" index ",'id':'" id                                            \
          "','type':'function','function':{'name':'" tool "','arguments':''}}]}",                  \
          "null")                                                                                  \
    DELTA("{'tool_calls':[{'index':" index ",'function':{'arguments':'" args "'}}]}", "null")
#define STREAM_END(finish) DELTA("{}", "'" finish "'") "data: [DONE]\n\n"

#endif
