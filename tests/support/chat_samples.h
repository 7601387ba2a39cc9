// chat_samples.h: replies as the three APIs write them, streamed and not.
//
// The shapes are those of the vendors' own streams; what they say is made up.
#ifndef LG_CHAT_SAMPLES_H
#define LG_CHAT_SAMPLES_H

#include "chat_laws.h"

#define CC(rest)                                                                                   \
    "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1760000000,"    \
    "\"model\":\"gpt-x\",\"system_fingerprint\":\"fp\"," rest "}\n\n"
#define CD(index, delta, finish)                                                                   \
    CC("\"choices\":[{\"index\":" #index ",\"delta\":" delta ",\"logprobs\":null,"                 \
       "\"finish_reason\":" finish "}]")
#define CW(rest)                                                                                   \
    "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion\",\"created\":1760000000,"                \
    "\"model\":\"gpt-x\",\"system_fingerprint\":\"fp\"," rest "}"
#define CM(index, message, finish)                                                                 \
    "{\"index\":" #index ",\"message\":" message ",\"finish_reason\":" finish "}"

#define ME(name, rest) "event: " name "\ndata: {\"type\":\"" name "\"" rest "}\n\n"
#define MSTART                                                                                     \
    ME("message_start",                                                                            \
       ",\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\","               \
       "\"model\":\"claude-x\",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,"        \
       "\"usage\":"                                                                                \
       "{\"input_tokens\":25,\"output_tokens\":1}}")
#define MBS(i, block) ME("content_block_start", ",\"index\":" #i ",\"content_block\":" block)
#define MBD(i, delta) ME("content_block_delta", ",\"index\":" #i ",\"delta\":" delta)
#define MBE(i) ME("content_block_stop", ",\"index\":" #i)
#define MEND(reason)                                                                               \
    ME("message_delta",                                                                            \
       ",\"delta\":{\"stop_reason\":\"" reason "\",\"stop_sequence\":null},\"usage\":"             \
       "{\"output_tokens\":15}")                                                                   \
    ME("message_stop", "")
#define MW(content, reason)                                                                        \
    "{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude-x\","        \
    "\"content\":[" content "],\"stop_reason\":\"" reason                                          \
    "\",\"stop_sequence\":null,\"usage\":{\"input_tokens\":25,"                                    \
    "\"output_tokens\":15}}"

static const chat_sample chat_samples[] = {
    {"messages: text", LG_CHAT_MESSAGES,
     MSTART MBS(0, "{\"type\":\"text\",\"text\":\"\"}") ME("ping", "")
         MBD(0, "{\"type\":\"text_delta\",\"text\":\"Hel\"}")
             MBD(0, "{\"type\":\"text_delta\",\"text\":\"lo\"}") MBE(0) MEND("end_turn"),
     MW("{\"type\":\"text\",\"text\":\"Hello\"}", "end_turn")},
    {"messages: thinking, text, two tools, text between", LG_CHAT_MESSAGES,
     MSTART MBS(0, "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}")
         MBD(0, "{\"type\":\"thinking_delta\",\"thinking\":\"Let me\"}")
             MBD(0, "{\"type\":\"signature_delta\",\"signature\":\"Eq==\"}") MBE(0) MBS(
                 1, "{\"type\":\"text\",\"text\":\"\"}")
                 MBD(1, "{\"type\":\"text_delta\",\"text\":\"I look.\"}") MBE(1) MBS(
                     2, "{\"type\":\"tool_use\",\"id\":\"toolu_a\",\"name\":\"look\",\"input\":{}}")
                     MBD(2, "{\"type\":\"input_json_delta\",\"partial_json\":\"\"}")
                         MBD(2, "{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\":\"}")
                             MBD(2, "{\"type\":\"input_json_delta\",\"partial_json\":\"1}\"}")
                                 MBE(2) MBS(3, "{\"type\":\"text\",\"text\":\"\"}") MBD(
                                     3, "{\"type\":\"text_delta\",\"text\":\"And.\"}") MBE(3)
                                     MBS(4, "{\"type\":\"tool_use\",\"id\":\"toolu_b\",\"name\":"
                                            "\"pay\",\"input\":{}}") MBE(4) MEND("tool_use"),
     MW("{\"type\":\"thinking\",\"thinking\":\"Let me\",\"signature\":\"Eq==\"},"
        "{\"type\":\"text\",\"text\":\"I look.\"},"
        "{\"type\":\"tool_use\",\"id\":\"toolu_a\",\"name\":\"look\",\"input\":{\"a\":1}},"
        "{\"type\":\"text\",\"text\":\"And.\"},"
        "{\"type\":\"tool_use\",\"id\":\"toolu_b\",\"name\":\"pay\",\"input\":{}}",
        "tool_use")},
    {"messages: a signed thought without words, and a call", LG_CHAT_MESSAGES,
     MSTART MBS(0, "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}")
         MBD(0, "{\"type\":\"signature_delta\",\"signature\":\"Eq==\"}") MBE(0) MBS(
             1, "{\"type\":\"tool_use\",\"id\":\"toolu_a\",\"name\":\"look\",\"input\":{\"x\":[]}}")
             MBE(1) MEND("tool_use"),
     MW("{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"Eq==\"},"
        "{\"type\":\"tool_use\",\"id\":\"toolu_a\",\"name\":\"look\",\"input\":{\"x\":[]}}",
        "tool_use")},
    {"messages: a search of the upstream's, cited, and a block to come", LG_CHAT_MESSAGES,
     MSTART MBS(
         0, "{\"type\":\"server_tool_use\",\"id\":\"srv_1\",\"name\":\"web_search\",\"input\":{}}")
         MBD(0, "{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"query\\\":\\\"x\\\"}\"}")
             MBE(0) MBS(
                 1,
                 "{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"srv_1\",\"content\":[]}")
                 MBE(1) MBS(2, "{\"type\":\"text\",\"text\":\"\",\"citations\":[]}")
                     MBD(2, "{\"type\":\"citations_delta\",\"citation\":{\"url\":\"u\"}}")
                         MBD(2, "{\"type\":\"text_delta\",\"text\":\"So.\"}") MBE(2)
                             MBS(3, "{\"type\":\"levitate\",\"height\":2}") MBE(3) MEND("end_turn"),
     MW("{\"type\":\"server_tool_use\",\"id\":\"srv_1\",\"name\":\"web_search\",\"input\":{"
        "\"query\":\"x\"}},"
        "{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"srv_1\",\"content\":[]},"
        "{\"type\":\"text\",\"text\":\"So.\",\"citations\":[{\"url\":\"u\"}]},"
        "{\"type\":\"levitate\",\"height\":2}",
        "end_turn")},
    {"completions: text", LG_CHAT_COMPLETIONS,
     CD(0, "{\"role\":\"assistant\",\"content\":\"\",\"refusal\":null}", "null")
         CD(0, "{\"content\":\"Hel\"}", "null") CD(0, "{\"content\":\"lo \xC3\xA9\"}", "null")
             CD(0, "{}", "\"stop\"") "data: [DONE]\n\n",
     CW("\"choices\":[" CM(
         0, "{\"role\":\"assistant\",\"content\":\"Hello \xC3\xA9\",\"refusal\":null}",
         "\"stop\"") "]")},
    {"completions: text and two calls with usage", LG_CHAT_COMPLETIONS,
     CD(0, "{\"role\":\"assistant\",\"content\":\"I see.\"}", "null") CD(
         0,
         "{\"tool_calls\":[{\"index\":0,\"id\":\"call_a\",\"type\":\"function\",\"function\":"
         "{\"name\":\"get_order\",\"arguments\":\"\"}}]}",
         "null")
         CD(0, "{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"id\\\":\"}}]}",
            "null")
             CD(0, "{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\\"#W1\\\"}\"}}]}",
                "null") CD(0,
                           "{\"tool_calls\":[{\"index\":1,\"id\":\"call_b\",\"type\":\"function\","
                           "\"function\":"
                           "{\"name\":\"pay\",\"arguments\":\"{\\\"n\\\":1}\"}}]}",
                           "null") CD(0, "{}", "\"tool_calls\"")
                 CC("\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":4,"
                    "\"total_tokens\":13}") "data: [DONE]\n\n",
     CW("\"choices\":[" CM(
         0,
         "{\"role\":\"assistant\",\"content\":\"I see.\",\"tool_calls\":["
         "{\"id\":\"call_a\",\"type\":\"function\",\"function\":{\"name\":\"get_order\","
         "\"arguments\":\"{\\\"id\\\":\\\"#W1\\\"}\"}},{\"id\":\"call_b\",\"type\":\"function\","
         "\"function\":{\"name\":\"pay\",\"arguments\":\"{\\\"n\\\":1}\"}}]}",
         "\"tool_calls\"") "],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":4,"
                           "\"total_tokens\":13}")},
    {"completions: two choices, one cut", LG_CHAT_COMPLETIONS,
     CD(1,
        "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"index\":0,\"id\":\"k1\","
        "\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}",
        "null")
         CD(0,
            "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"index\":0,\"id\":\"k0\","
            "\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\"}}]}",
            "null") CD(1, "{}", "\"tool_calls\"") CD(0, "{}", "\"length\"") "data: [DONE]\n\n",
     CW("\"choices\":[" CM(
         0,
         "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"k0\",\"type\":"
         "\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\"}}]}",
         "\"length\"") "," CM(1,
                              "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":"
                              "\"k1\",\"type\":\"function\",\"function\":{\"name\":\"f\","
                              "\"arguments\":\"{}\"}}]}",
                              "\"tool_calls\"") "]")},
    {"completions: a refusal", LG_CHAT_COMPLETIONS,
     CD(0, "{\"role\":\"assistant\",\"refusal\":\"I can\"}", "null")
         CD(0, "{\"refusal\":\"not.\"}", "null") CD(0, "{}", "\"stop\"") "data: [DONE]\r\n\r\n",
     CW("\"choices\":[" CM(0, "{\"role\":\"assistant\",\"content\":null,\"refusal\":\"I cannot.\"}",
                           "\"stop\"") "]")},
    {"completions: reasoning, line ends of Windows, comments, a legacy call", LG_CHAT_COMPLETIONS,
     ": ping\r\n\r\ndata: "
     "{\"id\":\"1\",\"choices\":[{\"delta\":{\"role\":\"assistant\",\"reasoning_content\":\"hm\"}}]"
     "}\r\n\r\n"
     "data: "
     "{\"id\":\"1\",\"choices\":[{\"delta\":{\"reasoning_content\":\"m\",\"function_call\":{"
     "\"name\":\"f\",\"arguments\":\"\"}}}]}\r\r"
     "data: {\"id\":\"1\",\"choices\":[{\"delta\":{\"function_call\":{\"arguments\":\"{}\"}}}]}\n\n"
     "data: {\"id\":\"1\",\"choices\":[{\"delta\":{},\"finish_reason\":\"function_call\"}],\ndata: "
     "\"usage\":{\"total_tokens\":1}}\n\ndata: [DONE]\n\n",
     "{\"id\":\"1\",\"choices\":[{\"message\":{\"role\":\"assistant\",\"reasoning_content\":"
     "\"hmm\",\"function_call\":{\"name\":\"f\",\"arguments\":\"{}\"}},\"finish_reason\":"
     "\"function_call\"}],\"usage\":{\"total_tokens\":1}}"},
};

#endif
