// Anthropic's Messages: replies read and rewritten, and their streams.
#include "chat_samples.h"
#include "lg_test.h"

static void samples_keep_the_laws(void)
{
    chat_check_samples(LG_CHAT_MESSAGES);
}

int main(void)
{
    RUN(samples_keep_the_laws);
    return lg_test_done();
}
