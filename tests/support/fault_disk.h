// fault_disk.h: a disk that loses power, is full, or cannot sync: a layer below SQLite, above the system's own files.
//
// It keeps, of each file, what was synced, and every write after that. A power loss at any moment leaves what was synced and
// any of the later writes, whole, in part (by sectors) or not at all, in no order: fault_disk_crash() puts that into another
// folder. A counter makes the n-th write or sync fail.
//
// Everything runs on the thread that writes, or before it begins and after it has ended.
#ifndef LG_FAULT_DISK_H
#define LG_FAULT_DISK_H

#include "lg_test.h"

#include <sqlite3.h>

#define FAULT_DISK_FILES 8
#define FAULT_DISK_SECTOR 512

typedef struct fault_write {
    struct fault_write *next;
    sqlite3_int64 offset;
    size_t len; // 0: the file is cut at `offset`
    char bytes[];
} fault_write;

typedef struct fault_image { // of one file
    char name[64];
    char *synced;
    size_t len, cap;
    fault_write *writes, **end;
} fault_image;

typedef struct fault_file {
    sqlite3_file base;
    fault_image *image; // NULL: not kept (a temporary file)
    sqlite3_file *real;
} fault_file;

typedef struct fault_disk {
    sqlite3_vfs vfs;
    sqlite3_vfs *real;
    fault_image images[FAULT_DISK_FILES];
    size_t count;
    uint64_t operations; // writes and syncs
    uint64_t fail_write; // the n-th from now on fails, and all after it; 0: none
    uint64_t fail_sync;
    int write_error;         // SQLITE_FULL, ...
    const char *full;        // the file of this name takes nothing; NULL: each does
    const char *synchronous; // in place of what the program asks for; NULL: that
    // Called before each write and sync.
    void (*before)(void *context);
    void *context;
    uint64_t seed;
} fault_disk;

static fault_disk fault_disk_one;

static inline uint64_t fault_random(void)
{
    uint64_t x = fault_disk_one.seed += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

// --- Images -------------------------------------------------------------------------------------

static inline fault_image *fault_image_of(const char *path)
{
    fault_disk *d = &fault_disk_one;
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < d->count; i++) {
        if (strcmp(d->images[i].name, name) == 0) {
            return &d->images[i];
        }
    }
    fault_image *image = &d->images[d->count++];
    snprintf(image->name, sizeof(image->name), "%s", name);
    image->end = &image->writes;
    return image;
}

static inline void fault_grow(char **bytes, size_t *cap, size_t need)
{
    if (need > *cap) {
        size_t more = need * 2;
        char *grown = realloc(*bytes, more);
        if (!grown) {
            abort();
        }
        memset(grown + *cap, 0, more - *cap);
        *bytes = grown;
        *cap = more;
    }
}

static inline void fault_apply(char **bytes, size_t *len, size_t *cap, const fault_write *w,
                               size_t from, size_t to)
{
    size_t at = (size_t)w->offset;
    if (w->len == 0) {
        if (at < *len) {
            memset(*bytes + at, 0, *len - at);
            *len = at;
        }
        return;
    }
    fault_grow(bytes, cap, at + to);
    memcpy(*bytes + at + from, w->bytes + from, to - from);
    *len = at + to > *len ? at + to : *len;
}

static inline void fault_note(fault_image *image, const void *bytes, size_t len,
                              sqlite3_int64 offset)
{
    if (!image) {
        return;
    }
    fault_write *w = malloc(sizeof(*w) + len);
    if (!w) {
        abort();
    }
    *w = (fault_write){.offset = offset, .len = len};
    memcpy(w->bytes, bytes, len);
    *image->end = w;
    image->end = &w->next;
}

static inline void fault_synced(fault_image *image)
{
    while (image && image->writes) {
        fault_write *w = image->writes;
        image->writes = w->next;
        fault_apply(&image->synced, &image->len, &image->cap, w, 0, w->len);
        free(w);
    }
    if (image) {
        image->end = &image->writes;
    }
}

// A part of each sector's worth of what was not synced.
static inline void fault_tear(const fault_image *image, FILE *out)
{
    size_t len = image->len;
    size_t cap = 0;
    char *bytes = NULL;
    fault_grow(&bytes, &cap, len + 1);
    memcpy(bytes, image->synced ? image->synced : "", image->synced ? len : 0);
    uint64_t mood = fault_random() % 4; // nothing, all, some writes, some sectors
    for (const fault_write *w = image->writes; w; w = w->next) {
        if (mood == 0 || (mood == 2 && fault_random() % 2)) {
            continue;
        }
        if (mood != 3 || w->len == 0) {
            fault_apply(&bytes, &len, &cap, w, 0, w->len);
            continue;
        }
        for (size_t from = 0; from < w->len; from += FAULT_DISK_SECTOR) {
            size_t to = from + FAULT_DISK_SECTOR < w->len ? from + FAULT_DISK_SECTOR : w->len;
            if (fault_random() % 2) {
                fault_apply(&bytes, &len, &cap, w, from, to);
            }
        }
    }
    fwrite(bytes, 1, len, out);
    free(bytes);
}

// What the disk would hold if the power failed now, into `folder`.
static inline void fault_disk_crash(const char *folder)
{
    fault_disk *d = &fault_disk_one;
    for (size_t i = 0; i < d->count; i++) {
        char path[512];
        snprintf(path, sizeof(path), "%s/%s", folder, d->images[i].name);
        FILE *out = fopen(path, "wb");
        if (!out) {
            abort();
        }
        fault_tear(&d->images[i], out);
        fclose(out);
    }
}

// --- Files --------------------------------------------------------------------------------------

static inline sqlite3_file *fault_real(sqlite3_file *file)
{
    return ((fault_file *)(void *)file)->real;
}

static inline void fault_count(void)
{
    fault_disk *d = &fault_disk_one;
    if (d->before) {
        d->before(d->context);
    }
    d->operations++;
}

// Is it this one's turn?
static inline bool fault_turn(uint64_t *counter)
{
    if (*counter > 1) {
        --*counter;
        return false;
    }
    return *counter == 1;
}

static inline int fault_close(sqlite3_file *file)
{
    sqlite3_file *real = fault_real(file);
    int code = real->pMethods ? real->pMethods->xClose(real) : SQLITE_OK;
    sqlite3_free(real);
    return code;
}

static inline int fault_read(sqlite3_file *file, void *to, int len, sqlite3_int64 at)
{
    return fault_real(file)->pMethods->xRead(fault_real(file), to, len, at);
}

static inline int fault_write_to(sqlite3_file *file, const void *from, int len, sqlite3_int64 at)
{
    fault_image *image = ((fault_file *)(void *)file)->image;
    if (image) {
        fault_count();
        const char *full = fault_disk_one.full;
        if (fault_turn(&fault_disk_one.fail_write) || (full && strcmp(image->name, full) == 0)) {
            return fault_disk_one.write_error;
        }
    }
    int code = fault_real(file)->pMethods->xWrite(fault_real(file), from, len, at);
    if (code == SQLITE_OK) {
        fault_note(image, from, (size_t)len, at);
    }
    return code;
}

static inline int fault_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    int code = fault_real(file)->pMethods->xTruncate(fault_real(file), size);
    if (code == SQLITE_OK) {
        fault_note(((fault_file *)(void *)file)->image, "", 0, size);
    }
    return code;
}

static inline int fault_sync(sqlite3_file *file, int flags)
{
    (void)flags; // the system's own files may forget: what counts is the image
    fault_count();
    if (fault_turn(&fault_disk_one.fail_sync)) {
        return SQLITE_IOERR_FSYNC;
    }
    fault_synced(((fault_file *)(void *)file)->image);
    return SQLITE_OK;
}

static inline int fault_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return fault_real(file)->pMethods->xFileSize(fault_real(file), size);
}

static inline int fault_lock(sqlite3_file *file, int level)
{
    return fault_real(file)->pMethods->xLock(fault_real(file), level);
}

static inline int fault_unlock(sqlite3_file *file, int level)
{
    return fault_real(file)->pMethods->xUnlock(fault_real(file), level);
}

static inline int fault_reserved(sqlite3_file *file, int *ret)
{
    return fault_real(file)->pMethods->xCheckReservedLock(fault_real(file), ret);
}

// The controls: the program asks for FULL, and gets something else.
static inline int fault_control(sqlite3_file *file, int operation, void *argument)
{
    if (operation == SQLITE_FCNTL_PRAGMA && fault_disk_one.synchronous) {
        char **words = argument;
        if (words[2] && strcmp(words[1], "synchronous") == 0) {
            memcpy(words[2], fault_disk_one.synchronous, strlen(fault_disk_one.synchronous) + 1);
        }
    }
    return fault_real(file)->pMethods->xFileControl(fault_real(file), operation, argument);
}

static inline int fault_sector(sqlite3_file *file)
{
    (void)file;
    return FAULT_DISK_SECTOR;
}

static inline int fault_device(sqlite3_file *file)
{
    (void)file;
    return 0; // it promises nothing
}

static inline int fault_shm_map(sqlite3_file *file, int page, int size, int extend,
                                void volatile **ret)
{
    return fault_real(file)->pMethods->xShmMap(fault_real(file), page, size, extend, ret);
}

static inline int fault_shm_lock(sqlite3_file *file, int offset, int count, int flags)
{
    return fault_real(file)->pMethods->xShmLock(fault_real(file), offset, count, flags);
}

static inline void fault_shm_barrier(sqlite3_file *file)
{
    fault_real(file)->pMethods->xShmBarrier(fault_real(file));
}

static inline int fault_shm_unmap(sqlite3_file *file, int drop)
{
    return fault_real(file)->pMethods->xShmUnmap(fault_real(file), drop);
}

static inline int fault_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags,
                             int *ret_flags)
{
    static const sqlite3_io_methods methods = {
        .iVersion = 2,
        .xClose = fault_close,
        .xRead = fault_read,
        .xWrite = fault_write_to,
        .xTruncate = fault_truncate,
        .xSync = fault_sync,
        .xFileSize = fault_size,
        .xLock = fault_lock,
        .xUnlock = fault_unlock,
        .xCheckReservedLock = fault_reserved,
        .xFileControl = fault_control,
        .xSectorSize = fault_sector,
        .xDeviceCharacteristics = fault_device,
        .xShmMap = fault_shm_map,
        .xShmLock = fault_shm_lock,
        .xShmBarrier = fault_shm_barrier,
        .xShmUnmap = fault_shm_unmap,
    };
    fault_file *f = (fault_file *)(void *)file;
    fault_disk *d = &fault_disk_one;
    (void)vfs;
    *f = (fault_file){.real = sqlite3_malloc(d->real->szOsFile)};
    memset(f->real, 0, (size_t)d->real->szOsFile);
    int code = d->real->xOpen(d->real, name, f->real, flags, ret_flags);
    if (code != SQLITE_OK) {
        sqlite3_free(f->real);
        return code;
    }
    f->base.pMethods = &methods;
    f->image = name ? fault_image_of(name) : NULL;
    return SQLITE_OK;
}

// A file that is gone is empty, and that is on the disk at once.
static inline int fault_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    fault_image *image = fault_image_of(name);
    (void)vfs;
    fault_note(image, "", 0, 0);
    fault_synced(image);
    return fault_disk_one.real->xDelete(fault_disk_one.real, name, sync);
}

// --- The disk -----------------------------------------------------------------------------------

// Its name for SQLite is "fault". Forgets what it has kept before.
static inline fault_disk *fault_disk_begin(uint64_t seed)
{
    fault_disk *d = &fault_disk_one;
    for (size_t i = 0; i < d->count; i++) {
        fault_synced(&d->images[i]);
        free(d->images[i].synced);
    }
    if (d->real) {
        sqlite3_vfs_unregister(&d->vfs);
    }
    *d = (fault_disk){.real = sqlite3_vfs_find(NULL), .seed = seed, .write_error = SQLITE_FULL};
    d->vfs = *d->real;
    d->vfs.szOsFile = (int)sizeof(fault_file);
    d->vfs.pNext = NULL;
    d->vfs.zName = "fault";
    d->vfs.xOpen = fault_open;
    d->vfs.xDelete = fault_delete;
    sqlite3_vfs_register(&d->vfs, 0);
    return d;
}

#endif
