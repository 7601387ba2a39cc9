// Bytes as text and back (RFC 4648, section 10), and what is no such text.
#include "lg_test.h"

#include "base/base64.h"
#include "base/str.h"

static void there_and_back(void)
{
    static const char *const cases[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"},
                                           {"\xFB\xEF\xBE\xFF", "++++/w=="}};
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        char text[32], bytes[32];
        size_t len = 99;
        CHECK_STR(((lg_str){text, lg_base64(text, lg_str_c(cases[i][0]))}), cases[i][1]);
        CHECK(lg_unbase64(lg_str_c(cases[i][1]), bytes, &len));
        CHECK_STR(((lg_str){bytes, len}), cases[i][0]);
    }
}

static void what_is_none(void)
{
    static const char *const cases[] = {"Z",    "Zg",   "Zg=",      "Zh==",  "Zm9=",
                                        "Z===", "====", "Zg==Zg==", "Zm 9v", "Zm9v\n",
                                        "Zm9-", "Zm9_", "=m9v",     "Z=9v",  "Zm=v"};
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        char bytes[32];
        size_t len;
        CHECK_MSG(!lg_unbase64(lg_str_c(cases[i]), bytes, &len), cases[i]);
    }
}

int main(void)
{
    RUN(there_and_back);
    RUN(what_is_none);
    return lg_test_done();
}
