// test_power.c: the power fails at any moment, and nothing is lost that was acknowledged.
//
// One run appends records and takes an image of the disk before some of its writes and syncs. The acknowledgements that
// were given up to then are known, because they are given on the thread that writes. Each image is opened, as after a power
// loss, and has to hold them all, in a whole chain. Three ways to write that are wrong have to lose some: they show that the
// images can tell.
#include "store/store.h"

#include "fault_disk.h"
#include "temp_folder.h"

#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>

#define IMAGES_MAX 100
#define RECORDS 400
#define PAUSE_EVERY                                                                                \
    100 // so many records: the writer moves its write-ahead log to the database when nobody comes
#define PAUSE_NS 120000000

typedef struct image {
    char folder[192];
    uint64_t acknowledged;
} image;

typedef struct run {
    char folder[128];
    char path[256];
    lg_store *store;
    lg_error err;
    image images[IMAGES_MAX];
    size_t count;
    _Atomic uint64_t appended; // by whoever appends: the writer, or this thread after a pause
    uint64_t acknowledged;
    bool early; // an append counts as acknowledged at once
    bool watching;
    atomic_bool pausing;
} run;

static void take_image(void *of)
{
    run *r = of;
    if (!r->watching || r->count == IMAGES_MAX || fault_random() % 32) {
        return;
    }
    image *i = &r->images[r->count++];
    char folder[192];
    snprintf(folder, sizeof(folder), "%s/image%zu", r->folder, r->count);
    memcpy(i->folder, folder, sizeof(folder));
    i->acknowledged = r->early ? r->appended : r->acknowledged;
    if (mkdir(i->folder, 0700) != 0) {
        abort();
    }
    fault_disk_crash(i->folder);
}

static void acknowledge(void *of, const lg_store_receipt *receipt);

// The next one is appended on the writer's thread, so that all is in one order, or while it rests. Some go two at a time.
static void append(run *r)
{
    char body[600];
    size_t count = r->appended % 7 == 6 ? 2 : 1;
    lg_store_item items[2];
    memset(body, 'x', sizeof(body));
    snprintf(body, 32, "record %llu", (unsigned long long)r->appended);
    for (size_t i = 0; i < 2; i++) {
        items[i] = (lg_store_item){.kind = LG_STR("event"),
                                   .time = {1700000000, 0},
                                   .body = {body, 20 + r->appended % 580}};
    }
    if (r->appended < RECORDS) {
        r->appended += count; // before the writer may go on
        if (lg_store_append(r->store, items, count, acknowledge, r, NULL, NULL) != LG_OK) {
            abort();
        }
    }
}

static void acknowledge(void *of, const lg_store_receipt *receipt)
{
    run *r = of;
    if (receipt->status == LG_OK) {
        uint64_t before = r->acknowledged;
        r->acknowledged = receipt->last;
        if (before / PAUSE_EVERY != r->acknowledged / PAUSE_EVERY) {
            atomic_store(&r->pausing, true);
        } else {
            append(r);
        }
    }
}

static void fill(run *r, uint64_t seed, const char *synchronous, bool early)
{
    *r = (run){.early = early};
    lg_temp_folder(r->folder);
    lg_temp_path(r->path, sizeof(r->path), r->folder, "log.db");
    fault_disk *disk = fault_disk_begin(seed);
    disk->synchronous = synchronous;
    disk->before = take_image;
    disk->context = r;
    if (!CHECK(lg_store_open(&(lg_store_options){.path = r->path, .io = "fault"}, &r->store,
                             &r->err) == LG_OK)) {
        printf("    %s\n", r->err.msg);
        return;
    }
    r->watching = true;
    append(r);
    uint64_t done = 0;
    while (done < RECORDS) { // tickets are fewer than records
        (void)nanosleep(&(struct timespec){0, 1000000}, NULL);
        done = lg_store_counts_of(r->store).records;
        if (atomic_exchange(&r->pausing, false)) {
            (void)nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
            append(r);
        }
    }
    struct stat info; // of the database: it has grown by what was moved to it while records came
    CHECK(stat(r->path, &info) == 0 && info.st_size > 64 * 1024);
    lg_store_close(r->store);
    disk->before = NULL;
}

static void count_fault(void *context, const lg_log_fault *fault)
{
    (void)context;
    printf("    record %llu: %s\n", (unsigned long long)fault->sequence, fault->message);
}

// How many acknowledged records are not in the image; UINT64_MAX if it is no whole log.
static uint64_t lost_in(const run *r, const image *i)
{
    char path[300];
    char key[300];
    lg_store *store = NULL;
    lg_log *log = NULL;
    lg_error err = {0};
    lg_log_verdict verdict = {0};
    snprintf(path, sizeof(path), "%s/log.db", i->folder);
    snprintf(key, sizeof(key), "%s.key", r->path);
    (void)fault_disk_begin(1); // which syncs nothing really: that would be most of the time
    if (lg_store_open(&(lg_store_options){.path = path, .key_path = key, .io = "fault"}, &store,
                      &err) != LG_OK) {
        return UINT64_MAX;
    }
    lg_store_close(store);
    if (lg_log_open(path, NULL, &log, &err) != LG_OK) {
        return UINT64_MAX;
    }
    lg_status status = lg_log_verify(log, &(lg_log_trust){0}, count_fault, NULL, &verdict, &err);
    lg_log_close(log);
    if (status != LG_OK || verdict.fault_count) {
        return UINT64_MAX;
    }
    return verdict.records < i->acknowledged ? i->acknowledged - verdict.records : 0;
}

static size_t count_losing(run *r)
{
    size_t losing = 0;
    for (size_t i = 0; i < r->count; i++) {
        losing += lost_in(r, &r->images[i]) != 0;
        lg_temp_remove(r->images[i].folder);
    }
    lg_temp_remove(r->folder);
    return losing;
}

static uint64_t seeds = 2;

static void nothing_acknowledged_is_lost(void)
{
    static run r;
    size_t images = 0;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        fill(&r, seed, NULL, false);
        images += r.count;
        CHECK(count_losing(&r) == 0);
    }
    CHECK(images > 50 * seeds);
    printf("%zu power losses\n", images);
}

// Each of these must be caught.
static void control(const char *name, const char *synchronous, bool early)
{
    static run r;
    fill(&r, 1, synchronous, early);
    size_t losing = count_losing(&r);
    printf("%s: %zu of %zu power losses lose something\n", name, losing, r.count);
    CHECK_MSG(losing > 0, name);
}

static void what_does_not_sync_loses(void)
{
    control("synchronous=OFF", "0", false);
    control("synchronous=NORMAL", "1", false);
}

static void what_acknowledges_early_loses(void)
{
    control("acknowledged before the commit", NULL, true);
}

int main(int argc, char **argv)
{
    seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : seeds;
    RUN(nothing_acknowledged_is_lost);
    RUN(what_does_not_sync_loses);
    RUN(what_acknowledges_early_loses);
    return lg_test_done();
}
