// turn.c: whose turn it is among processes that write to one log.
//
// SQLite lets one connection move the write-ahead log to the database while another one commits, and before 3.51.3 that can
// corrupt the database. So whoever writes or moves takes a turn first, and only one has it. Locks of bytes in a file
// beside the database: they end with the process that has them, however it ends.
//
// A turn that is given back would be taken again by the same process before one that waits has looked: so whoever wants it
// takes the place behind it first, and keeps that while it waits.
#define _GNU_SOURCE // locks of an open file
#include "base/clock.h"
#include "store/store_internal.h"

#include <fcntl.h>
#include <time.h>

#define LOOK_NS 500000 // how often somebody who waits looks

typedef enum lock_byte { BYTE_WRITER, BYTE_NEXT, BYTE_TURN } lock_byte;

static bool lock(const lg_store *store, lock_byte byte)
{
    struct flock one = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)byte, .l_len = 1};
    return fcntl(store->lock, F_OFD_SETLK, &one) == 0;
}

static void unlock(const lg_store *store, lock_byte byte)
{
    struct flock one = {
        .l_type = F_UNLCK, .l_whence = SEEK_SET, .l_start = (off_t)byte, .l_len = 1};
    (void)fcntl(store->lock, F_OFD_SETLK, &one);
}

static bool wait_for(const lg_store *store, lock_byte byte, int64_t until_ns)
{
    while (!lock(store, byte)) {
        struct timespec pause = {0, LOOK_NS};
        if (lg_monotonic_ns() >= until_ns) {
            return false;
        }
        (void)nanosleep(&pause, NULL);
    }
    return true;
}

bool turn_be_writer(const lg_store *store)
{
    return lock(store, BYTE_WRITER);
}

bool turn_take(lg_store *store, uint32_t within_ms)
{
    int64_t until_ns = lg_monotonic_ns() + (int64_t)within_ms * 1000000;
    if (!wait_for(store, BYTE_NEXT, until_ns)) {
        return false;
    }
    store->has_turn = wait_for(store, BYTE_TURN, until_ns);
    unlock(store, BYTE_NEXT);
    return store->has_turn;
}

void turn_give(lg_store *store)
{
    if (store->has_turn) {
        store->has_turn = false;
        unlock(store, BYTE_TURN);
    }
}
