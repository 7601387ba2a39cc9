// lg_test.h: the test harness. A test file is a list of named functions and a main that runs them.
//
//     static void adds(void) { CHECK(1 + 1 == 2); CHECK_STR(text, "two"); }
//     int main(void) { RUN(adds); return lg_test_done(); }
//
// A failed check prints where and what, and the test goes on: one run shows all of them.
#ifndef LG_TEST_H
#define LG_TEST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ledgergate/types.h>

static int lg_test_checks;
static int lg_test_failures;
static const char *lg_test_name = "";

static inline bool lg_test_check(bool ok, const char *file, int line, const char *what)
{
    lg_test_checks++;
    if (!ok) {
        lg_test_failures++;
        printf("%s:%d: %s: %s\n", file, line, lg_test_name, what);
    }
    return ok;
}

static inline bool lg_test_check_str(lg_str got, const char *want, const char *file, int line,
                                     const char *what)
{
    bool ok = want && got.len == strlen(want) && (got.len == 0 || !memcmp(got.ptr, want, got.len));
    if (!lg_test_check(ok, file, line, what)) {
        printf("    got:  %.*s\n    want: %s\n", LG_FMT(got), want ? want : "(null)");
    }
    return ok;
}

// The folder of real data ($LEDGERGATE_DATA, else ../shared beside the source), or NULL.
static inline const char *lg_test_data_dir(void)
{
    const char *given = getenv("LEDGERGATE_DATA");
    const char *dir = given ? given : LG_SOURCE_DIR "/../shared";
    char probe[4096];
    snprintf(probe, sizeof(probe), "%s/data/tau2/README.md", dir);
    FILE *file = fopen(probe, "rb");
    if (!file) {
        return NULL;
    }
    fclose(file);
    return dir;
}

static inline int lg_test_done(void)
{
    printf("%d checks, %d failed\n", lg_test_checks, lg_test_failures);
    return lg_test_failures == 0 && lg_test_checks > 0 ? 0 : 1;
}

#define CHECK(condition) lg_test_check((condition), __FILE__, __LINE__, #condition)
#define CHECK_MSG(condition, message) lg_test_check((condition), __FILE__, __LINE__, (message))
#define CHECK_STR(got, want) lg_test_check_str((got), (want), __FILE__, __LINE__, #got)
#define RUN(test)                                                                                  \
    do {                                                                                           \
        lg_test_name = #test;                                                                      \
        test();                                                                                    \
    } while (0)

#endif
