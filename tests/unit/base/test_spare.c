// Freed blocks, kept for what is asked for next: which, how many, and until when.
#include "base/spare.h"

#include "lg_test.h"

#include <pthread.h>
#include <stdlib.h>

// Blocks as malloc() gives them.
static void *block_of(size_t size_bytes)
{
    void *block = malloc(size_bytes);
    LG_ASSERT(block != NULL);
    return block;
}

static void what_is_asked_for_is_there_and_not_much_more(void)
{
    for (size_t size = 1; size < 2 * LG_SPARE_LARGEST_BYTES; size += size < 2000 ? 1 : 13) {
        size_t given = lg_spare_size(size);
        bool is_kept = size > 1024 && size <= LG_SPARE_LARGEST_BYTES;
        if (!CHECK(is_kept ? given >= size && given - size <= 64 + size / 4 : given == size) ||
            !CHECK(lg_spare_size(given) == given)) {
            printf("  of %zu bytes\n", size);
        }
    }
    CHECK(lg_spare_size(4096 + 32) == 4096 + 64); // an arena's chunk, with its header
    CHECK(lg_spare_size(LG_SPARE_LARGEST_BYTES) == LG_SPARE_LARGEST_BYTES);
}

static void the_last_one_kept_is_the_first_one_taken(void)
{
    size_t size = lg_spare_size(5000);
    void *first = block_of(size), *second = block_of(size);
    CHECK(lg_spare_take(5000) == NULL);
    CHECK(lg_spare_keep(first, size) && lg_spare_keep(second, size + 15));
    CHECK(lg_spare_take(size + 1) == NULL && lg_spare_take(size / 2) == NULL);
    CHECK(lg_spare_take(5000) == second && lg_spare_take(size) == first);
    CHECK(lg_spare_take(5000) == NULL);
    free(first);
    free(second);
}

// Of any size: what is taken for a size has at least as many bytes as were said when it was kept.
static void nothing_smaller_is_given(void)
{
    for (size_t size = 1000; size < LG_SPARE_LARGEST_BYTES + 100; size += 7) {
        void *block = block_of(size);
        if (!lg_spare_keep(block, size)) {
            CHECK(size < 1088 || size > LG_SPARE_LARGEST_BYTES);
            free(block);
            continue;
        }
        CHECK(lg_spare_take(size + 1) == NULL);
        void *taken = lg_spare_take(size);
        for (size_t less = size; !taken && less > 1024; less--) {
            taken = lg_spare_take(less);
        }
        CHECK(taken == block);
        free(block);
    }
}

static void no_more_is_kept_than_may_be(void)
{
    size_t largest = LG_SPARE_LARGEST_BYTES;
    void *blocks[LG_SPARE_COUNT + 1];
    for (unsigned i = 0; i < LG_SPARE_COUNT; i++) {
        blocks[i] = block_of(largest);
        CHECK(lg_spare_keep(blocks[i], largest));
    }
    blocks[LG_SPARE_COUNT] = block_of(largest);
    CHECK(!lg_spare_keep(blocks[LG_SPARE_COUNT], largest));
    free(blocks[LG_SPARE_COUNT]);
    size_t kept_bytes = LG_SPARE_COUNT * largest;
    for (size_t size = lg_spare_size(20000); size < largest; size = lg_spare_size(size + 1)) {
        for (unsigned i = 0; i <= LG_SPARE_COUNT; i++) {
            void *block = block_of(size);
            if (lg_spare_keep(block, size)) {
                kept_bytes += size;
            } else {
                free(block);
            }
        }
    }
    CHECK(kept_bytes <= LG_SPARE_BYTES && kept_bytes > LG_SPARE_BYTES - largest);
    lg_spare_free();
    CHECK(lg_spare_take(largest) == NULL && lg_spare_take(20000) == NULL);
}

static void *keep_one(void *data)
{
    bool *ret_kept = data;
    void *block = block_of(lg_spare_size(4096));
    *ret_kept = lg_spare_keep(block, lg_spare_size(4096));
    return NULL; // the sanitizer's leak check sees if the block is not freed
}

static void a_thread_keeps_for_itself_and_takes_nothing_with_it(void)
{
    pthread_t thread;
    bool kept = false;
    CHECK(pthread_create(&thread, NULL, keep_one, &kept) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(kept);
    CHECK(lg_spare_take(4096) == NULL);
}

int main(void)
{
    RUN(what_is_asked_for_is_there_and_not_much_more);
    RUN(the_last_one_kept_is_the_first_one_taken);
    RUN(nothing_smaller_is_given);
    RUN(no_more_is_kept_than_may_be);
    RUN(a_thread_keeps_for_itself_and_takes_nothing_with_it);
    return lg_test_done();
}
