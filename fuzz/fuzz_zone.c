// fuzz_zone.c: any bytes as a time zone file.
//
// Properties: what is read gives an offset of less than two days at any time, and the same one again;
// what is refused has a reason.
#include "base/error.h"
#include "base/zone.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int64_t times[] = {INT64_C(-62135596800), -1, 0, 1715785200, 1729990800,
                                    INT64_C(253402300799)};
    lg_arena arena;
    lg_error error = {.status = LG_OK};
    const lg_zone *zone = NULL;
    char *exact = malloc(size + 1);
    REQUIRE(exact);
    memcpy(exact, data, size);
    lg_arena_init(&arena, 16u << 20);
    if (lg_zone_parse(&arena, (lg_str){exact, size}, &zone, &error) == LG_OK) {
        for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
            int32_t offset = lg_zone_offset(zone, times[i]);
            REQUIRE(offset > -172800 && offset < 172800);
            REQUIRE(offset == lg_zone_offset(zone, times[i]));
        }
    } else {
        REQUIRE(error.status != LG_OK && error.msg[0]);
    }
    lg_arena_done(&arena);
    free(exact);
    return 0;
}
