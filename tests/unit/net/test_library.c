// test_library.c: what is said where a library is missing, and that it is not held against those that are there.
#include "net/library.h"
#include "net/loop.h"

#include "lg_test.h"

static void a_library_that_is_missing_is_named(void)
{
    lg_error error;
    CHECK(library_load("/nonexistent/libcurl.so", NULL, &error) == LG_ERR_ENVIRONMENT);
    CHECK(strstr(error.msg, "to serve, libcurl is needed") &&
          strstr(error.msg, "apt install libcurl4"));
    CHECK(library_load(NULL, "/nonexistent/libmicrohttpd.so", &error) == LG_ERR_ENVIRONMENT);
    CHECK(strstr(error.msg, "libmicrohttpd is needed") &&
          strstr(error.msg, "apt install libmicrohttpd12"));
    CHECK(library_load("libm.so.6", NULL, &error) == LG_ERR_ENVIRONMENT); // another library
    CHECK(strstr(error.msg, "it has no function curl_"));
}

static void what_failed_can_be_tried_again(void)
{
    lg_error error;
    CHECK(lg_net_load(&error) == LG_OK);
    CHECK(lg_net_load(&error) == LG_OK);
    CHECK(library_load("/nonexistent/libcurl.so", NULL, &error) == LG_OK); // it is loaded already
}

int main(void)
{
    RUN(a_library_that_is_missing_is_named);
    RUN(what_failed_can_be_tried_again);
    return lg_test_done();
}
