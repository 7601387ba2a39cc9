#include "chat/stream.h"
const lg_chat_face lg_chat_responses = {.name = "responses", .format = LG_TRACE_RESPONSES};
uint64_t lg_responses_next_sequence(const lg_chat_stream *stream)
{
    (void)stream;
    return 0;
}
