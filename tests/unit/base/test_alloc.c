// The door to the system's allocator, and the fault that tests plant in it.
#include "base/alloc.h"
#include "base/types.h"

#include "lg_test.h"

static void memory_is_given_even_for_nothing(void)
{
    void *nothing = lg_alloc(0);
    char *zeroed = lg_zalloc(16);
    CHECK(nothing != NULL && zeroed != NULL);
    CHECK(zeroed && memcmp(zeroed, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16) == 0);
    char *aligned = lg_alloc_aligned(8192, 4096);
    CHECK(aligned && (uintptr_t)aligned % 4096 == 0);
    lg_free(aligned);
    lg_free(nothing);
    lg_free(zeroed);
    lg_free(NULL);
}

static void a_failed_growth_leaves_the_old_block(void)
{
    char *old = lg_alloc(4);
    if (!CHECK(old != NULL)) {
        return;
    }
    memcpy(old, "old", 4);
    lg_alloc_fail_at(1);
    CHECK(lg_realloc(old, 1000) == NULL);
    lg_alloc_fail_at(0);
    CHECK(memcmp(old, "old", 4) == 0);
    char *grown = lg_realloc(old, 1000);
    CHECK(grown && memcmp(grown, "old", 4) == 0);
    lg_free(grown ? grown : old);
}

// Allocates `count` times and says, as bits, which succeeded.
static unsigned try_some(unsigned count)
{
    unsigned succeeded = 0;
    for (unsigned i = 0; i < count; i++) {
        void *memory = i % 3 == 0   ? lg_alloc(8)
                       : i % 3 == 1 ? lg_zalloc(8)
                                    : lg_alloc_aligned(64, 64);
        succeeded |= (memory != NULL ? 1u : 0u) << i;
        lg_free(memory);
    }
    return succeeded;
}

static void the_fault_strikes_the_nth_and_all_later_ones(void)
{
    static const struct {
        uint64_t at;
        unsigned succeeded;
    } cases[] = {{1, 0}, {2, 1}, {3, 3}, {5, 15}, {9, 255}, {0, 255}};
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        lg_alloc_fail_at(cases[i].at);
        CHECK(try_some(8) == cases[i].succeeded);
    }
    lg_alloc_fail_at(0);
    CHECK(try_some(8) == 255);
}

static void every_request_is_counted_also_those_that_fail(void)
{
    uint64_t before = lg_alloc_count();
    lg_alloc_fail_at(2);
    CHECK(try_some(4) == 1);
    lg_alloc_fail_at(0);
    CHECK(lg_alloc_count() == before + 4);
}

int main(void)
{
    RUN(memory_is_given_even_for_nothing);
    RUN(a_failed_growth_leaves_the_old_block);
    RUN(the_fault_strikes_the_nth_and_all_later_ones);
    RUN(every_request_is_counted_also_those_that_fail);
    return lg_test_done();
}
