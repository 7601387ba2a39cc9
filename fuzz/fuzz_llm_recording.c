// fuzz_llm_recording.c: any bytes as a recording of what models were asked.
//
// Properties: what is refused has a reason; of what is accepted a question is found, or not, or the line that should hold it is
// said to have been changed; what is found well has an answer, and nothing else has.
#define _GNU_SOURCE // memfd_create
#include "llm/llm_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static void look_for(lg_llm_recording *recording, lg_arena *arena)
{
    const lg_llm_message hello = {.role = LG_STR("user"), .text = LG_STR("Hello")};
    const lg_llm_options options = {.model = LG_STR("m")};
    const lg_llm_request request = {.messages = &hello, .message_count = 1};
    const lg_llm_again again = {0};
    lg_llm_question question;
    lg_llm_exchange exchange;
    lg_error error = {0};
    REQUIRE(lg_llm_question_make(arena, &options, &request, &again, &question, &error) == LG_OK);
    lg_llm_found found = lg_llm_recording_find(recording, arena, &question, &exchange, &error);
    if (found == LG_LLM_FOUND) {
        REQUIRE((exchange.end == LG_LLM_OK) == (exchange.error.status == LG_OK));
        REQUIRE(exchange.end != LG_LLM_OK || lg_json_is(exchange.body, LG_JSON_OBJECT));
        found = lg_llm_recording_find(recording, arena, &question, &exchange, &error);
        REQUIRE(found == LG_LLM_FOUND_FRESH);
    }
    REQUIRE(found != LG_LLM_FOUND_BROKEN || error.msg[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    lg_llm_recording *recording = NULL;
    lg_error error = {0};
    lg_arena arena;
    int fd = memfd_create("recording", MFD_CLOEXEC);
    REQUIRE(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    lg_arena_init(&arena, 0);
    if (lg_llm_recording_open(path, LG_LLM_REPLAY, &recording, &error) == LG_OK) {
        look_for(recording, &arena);
    } else {
        REQUIRE(error.msg[0]);
    }
    lg_llm_recording_close(recording);
    lg_arena_done(&arena);
    close(fd);
    return 0;
}
