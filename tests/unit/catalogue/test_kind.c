// test_kind.c: what the words of a name say.
#include "lg_test.h"

#include "catalogue/kind.h"

static lg_words kind(const char *name, const char *description)
{
    return lg_words_kind(lg_str_c(name), lg_str_c(description));
}

static void verbs(void)
{
    CHECK(kind("get_order_details", "Cancels everything.") == LG_WORDS_READ);
    CHECK(kind("cancelPendingOrder", "") == LG_WORDS_WRITE);
    CHECK(kind("math.factorial", "") == LG_WORDS_GENERIC);
    CHECK(kind("weather", "Fetches the weather of a city.") == LG_WORDS_READ);
    CHECK(kind("weather", "Searches for it.") == LG_WORDS_READ);
    CHECK(kind("weather", "") == LG_WORDS_UNKNOWN);
    CHECK(kind("", "") == LG_WORDS_UNKNOWN);
    CHECK(strcmp(lg_words_name(LG_WORDS_WRITE), "write") == 0);
}

static void words(void)
{
    static const char *const want[] = {"get", "User", "ID", "of", "shop2", ""};
    lg_str name = LG_STR("getUserID_of--shop2.");
    size_t at = 0;
    for (size_t i = 0; i < LG_COUNT(want); i++) {
        CHECK_STR(lg_words_next(name, &at), want[i]);
    }
}

int main(void)
{
    RUN(verbs);
    RUN(words);
    return lg_test_done();
}
