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

static const chat_sample chat_samples[] = {
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
