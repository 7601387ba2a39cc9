// The arena: ceilings, marks, resets, growing arrays, and what AddressSanitizer is told.
#include "base/alloc.h"
#include "base/arena.h"
#include "base/str.h"

#include "lg_test.h"

#if LG_ARENA_POISONS
#include <sanitizer/asan_interface.h>
#endif

static bool is_zero(const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i]) {
            return false;
        }
    }
    return true;
}

static void an_arena_holds_nothing_until_it_is_asked(void)
{
    lg_arena arena;
    uint64_t before = lg_alloc_count();
    lg_arena_init(&arena, 0);
    CHECK(lg_alloc_count() == before);
    CHECK(arena.held_bytes == 0);
    lg_arena_reset(&arena);
    lg_arena_done(&arena);
    CHECK(lg_alloc_count() == before);
}

static void allocations_are_aligned_and_apart(void)
{
    static const size_t aligns[] = {1, 2, 4, 8, 16};
    lg_arena arena;
    lg_arena_init(&arena, 0);
    for (size_t i = 0; i < 2000; i++) {
        size_t align = aligns[i % 5];
        size_t size = i % 37;
        char *at = lg_arena_alloc(&arena, size, align);
        if (!CHECK(at != NULL)) {
            break;
        }
        CHECK((uintptr_t)at % align == 0);
        memset(at, (int)(i & 0xff), size);
    }
    lg_arena_done(&arena);
    CHECK(arena.held_bytes == 0);
}

static void earlier_bytes_survive_later_chunks(void)
{
    enum { COUNT = 500 };
    lg_arena arena;
    lg_arena_init(&arena, 0);
    lg_str texts[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        texts[i] = lg_arena_printf(&arena, "text %zu %*s", i, (int)(i * 3), "");
    }
    bool same = true;
    for (size_t i = 0; i < COUNT; i++) {
        char want[32];
        snprintf(want, sizeof(want), "text %zu ", i);
        same = same && texts[i].ptr && lg_str_starts(texts[i], lg_str_c(want)) &&
               texts[i].ptr[texts[i].len] == '\0';
    }
    CHECK_MSG(same, "a text was overwritten by a later one");
    lg_arena_done(&arena);
}

static void a_ceiling_is_inclusive_and_stays(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 10000);
    CHECK(lg_arena_alloc(&arena, 10001, 1) == NULL);
    CHECK(arena.held_bytes == 0);
    CHECK(lg_arena_alloc(&arena, 10000, 1) != NULL);
    CHECK(arena.held_bytes == 10000);
    CHECK(lg_arena_alloc(&arena, 1, 1) == NULL);
    CHECK(lg_arena_alloc(&arena, 1, 1) == NULL);
    lg_arena_reset(&arena);
    CHECK_MSG(lg_arena_alloc(&arena, 10000, 1) != NULL, "a reset gives the budget back");
    lg_arena_done(&arena);
    CHECK_MSG(lg_arena_alloc(&arena, 10000, 1) != NULL, "an arena that is done can be used again");
    CHECK_MSG(lg_arena_alloc(&arena, 10000, 1) == NULL, "and keeps its ceiling");
    lg_arena_done(&arena);
}

static void small_allocations_reach_the_ceiling_and_no_further(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 100000);
    size_t given = 0;
    while (lg_arena_alloc(&arena, 100, 1)) {
        given += 100;
        CHECK(arena.held_bytes <= 100000);
    }
    CHECK_MSG(given > 99000, "nearly all of the budget can be used");
    lg_arena_done(&arena);
}

static void absurd_sizes_are_refused(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    CHECK(lg_arena_alloc(&arena, SIZE_MAX, 16) == NULL);
    CHECK(lg_arena_alloc(&arena, SIZE_MAX / 2 + 1, 1) == NULL);
    CHECK(lg_arena_zalloc(&arena, SIZE_MAX / 8, 16, 8) == NULL);
    CHECK(lg_arena_str(&arena, lg_str_of("", SIZE_MAX)).ptr == NULL);
    CHECK(lg_arena_alloc(&arena, 8, 8) != NULL);
    CHECK(lg_arena_alloc(&arena, SIZE_MAX - 8, 1) == NULL);
    lg_arena_done(&arena);
}

static void zeroed_memory_is_zero_after_a_reset_too(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    memset(lg_arena_alloc(&arena, 4000, 1), 0xff, 4000);
    lg_arena_reset(&arena);
    uint64_t *numbers = LG_NEW_ARRAY(&arena, uint64_t, 400);
    CHECK(numbers && is_zero((const char *)numbers, 400 * sizeof(*numbers)));
    CHECK_MSG(LG_NEW_ARRAY(&arena, uint64_t, 0) != NULL, "no element is not out of memory");
    lg_arena_done(&arena);
}

static void a_reset_keeps_the_largest_chunk(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    for (int i = 0; i < 100; i++) {
        CHECK(lg_arena_alloc(&arena, 10000, 1) != NULL);
    }
    lg_arena_reset(&arena);
    size_t held = arena.held_bytes;
    uint64_t before = lg_alloc_count();
    CHECK(held >= 10000 && held < 1000000);
    CHECK(lg_arena_alloc(&arena, held, 1) != NULL);
    CHECK_MSG(lg_alloc_count() == before, "what fits the kept chunk asks the system for nothing");
    lg_arena_done(&arena);
}

static void a_rewind_forgets_what_came_after_the_mark(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    lg_arena_mark empty = lg_arena_mark_here(&arena);
    lg_str kept = lg_arena_str(&arena, LG_STR("kept"));
    lg_arena_mark mark = lg_arena_mark_here(&arena);
    size_t held = arena.held_bytes;
    char *first = lg_arena_alloc(&arena, 8, 8);
    for (int i = 0; i < 50; i++) {
        CHECK(lg_arena_alloc(&arena, 5000, 1) != NULL);
    }
    lg_arena_rewind(&arena, mark);
    CHECK(arena.held_bytes == held);
    CHECK_STR(kept, "kept");
    CHECK_MSG(lg_arena_alloc(&arena, 8, 8) == first, "the same place is given out again");
    lg_arena_rewind(&arena, empty);
    CHECK(arena.held_bytes == 0);
    CHECK(lg_arena_alloc(&arena, 8, 8) != NULL);
    lg_arena_done(&arena);
}

static void a_growing_array_keeps_its_elements(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    uint32_t *items = NULL;
    size_t capacity = 0;
    size_t moves = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t *room = lg_arena_grow(&arena, items, i, &capacity, sizeof(*items));
        if (!CHECK(room != NULL)) {
            break;
        }
        moves += room != items;
        items = room;
        items[i] = i;
    }
    bool same = true;
    for (uint32_t i = 0; i < 1000; i++) {
        same = same && items[i] == i;
    }
    CHECK(same);
    CHECK(moves == 8 && capacity == 1024); // 8, 16, ... 1024
    lg_arena_done(&arena);
}

static void a_growth_that_fails_leaves_the_array(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 4096);
    size_t capacity = 0;
    char(*items)[128] = NULL;
    size_t count = 0;
    for (;;) {
        char(*room)[128] = lg_arena_grow(&arena, items, count, &capacity, sizeof(*items));
        if (!room) {
            break;
        }
        items = room;
        memset(items[count++], 'x', sizeof(*items));
    }
    CHECK(count == 16 && capacity == 16);
    CHECK(items && items[count - 1][127] == 'x');
    lg_arena_done(&arena);
}

static void every_failed_allocation_is_seen(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    lg_alloc_fail_at(1);
    size_t capacity = 0;
    CHECK(lg_arena_alloc(&arena, 1, 1) == NULL);
    CHECK(LG_NEW(&arena, uint64_t) == NULL);
    CHECK(lg_arena_grow(&arena, NULL, 0, &capacity, 8) == NULL && capacity == 0);
    CHECK(lg_arena_str(&arena, LG_STR("x")).ptr == NULL);
    lg_str text = lg_arena_printf(&arena, "%d", 1);
    CHECK(text.ptr == NULL && text.len == 0);
    CHECK(arena.held_bytes == 0);
    lg_alloc_fail_at(0);
    CHECK_STR(lg_arena_printf(&arena, "%d", 1), "1");
    lg_arena_done(&arena);
}

static void texts_may_be_empty_or_hold_nul(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    lg_str empty = lg_arena_str(&arena, (lg_str){NULL, 0});
    CHECK(empty.ptr && empty.len == 0 && empty.ptr[0] == '\0');
    lg_str copy = lg_arena_str(&arena, lg_str_of("a\0b", 3));
    CHECK(copy.len == 3 && memcmp(copy.ptr, "a\0b", 4) == 0);
    lg_arena_done(&arena);
}

// What AddressSanitizer would report, asked without being stopped by it.
static void free_bytes_are_poisoned(void)
{
#if LG_ARENA_POISONS
    lg_arena arena;
    lg_arena_init(&arena, 0);
    char *a = lg_arena_alloc(&arena, 13, 1);
    CHECK(!__asan_region_is_poisoned(a, 13));
    CHECK(__asan_address_is_poisoned(a + 13));
    lg_arena_mark mark = lg_arena_mark_here(&arena);
    char *b = lg_arena_alloc(&arena, 8, 8);
    CHECK(!__asan_region_is_poisoned(b, 8));
    lg_arena_rewind(&arena, mark);
    CHECK_MSG(__asan_address_is_poisoned(b), "what a rewind gave back");
    CHECK(!__asan_region_is_poisoned(a, 13));
    lg_arena_reset(&arena);
    CHECK_MSG(__asan_address_is_poisoned(a), "what a reset gave back");
    lg_arena_done(&arena);
#else
    CHECK(!LG_ARENA_POISONS);
#endif
}

// Whatever is asked for, and however little the budget leaves beside it.
static void large_chunks_stay_within_the_budget(void)
{
    const size_t mega = (size_t)1 << 20;
    for (size_t size = 3 * mega; size < 11 * mega; size += mega / 2 + 13) {
        for (size_t spare = 0; spare < 5 * mega; spare += 2 * mega) {
            lg_arena arena;
            lg_arena_init(&arena, size + spare);
            char *first = lg_arena_alloc(&arena, size, 16);
            CHECK(first && (uintptr_t)first % 16 == 0);
            CHECK(arena.held_bytes >= size && arena.held_bytes <= size + spare);
            size_t room = lg_arena_room(&arena);
            CHECK(lg_arena_alloc(&arena, room, 1) == first + size);
            CHECK(lg_arena_room(&arena) == 0);
            first[0] = first[size + room - 1] = 1;
            lg_arena_done(&arena);
        }
    }
}

int main(void)
{
    RUN(an_arena_holds_nothing_until_it_is_asked);
    RUN(allocations_are_aligned_and_apart);
    RUN(earlier_bytes_survive_later_chunks);
    RUN(a_ceiling_is_inclusive_and_stays);
    RUN(small_allocations_reach_the_ceiling_and_no_further);
    RUN(absurd_sizes_are_refused);
    RUN(zeroed_memory_is_zero_after_a_reset_too);
    RUN(a_reset_keeps_the_largest_chunk);
    RUN(a_rewind_forgets_what_came_after_the_mark);
    RUN(a_growing_array_keeps_its_elements);
    RUN(a_growth_that_fails_leaves_the_array);
    RUN(every_failed_allocation_is_seen);
    RUN(texts_may_be_empty_or_hold_nul);
    RUN(free_bytes_are_poisoned);
    RUN(large_chunks_stay_within_the_budget);
    return lg_test_done();
}
