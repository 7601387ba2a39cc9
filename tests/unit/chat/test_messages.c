// Anthropic's Messages: replies read and rewritten, and their streams.
#include "chat_samples.h"
#include "lg_test.h"

static void samples_keep_the_laws(void)
{
    for (size_t i = 0; i < LG_COUNT(chat_samples); i++) {
        if (chat_samples[i].api == LG_CHAT_MESSAGES) {
            lg_test_name = chat_samples[i].name;
            const char *broken = chat_broken_law(&chat_samples[i]);
            CHECK_MSG(!broken, broken ? broken : "");
        }
    }
}

int main(void)
{
    RUN(samples_keep_the_laws);
    return lg_test_done();
}
