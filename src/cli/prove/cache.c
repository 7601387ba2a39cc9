// cache.c: one file an entry: a line with its key and the hash of what follows, then the text.
#define _GNU_SOURCE // dl_iterate_phdr
#include "cli/prove/cache.h"
#include "cli/cli.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/write_file.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ledgergate/ledgergate.h>

#define FORMAT "ledgergate cache 1 "
#define KEY_DIGITS 64u
#define ENDING ".ledgergate"
#define NAME_BYTES (KEY_DIGITS + sizeof(ENDING)) // with its NUL

// The file of an entry. The ending is no one else's, so that only entries are ever thrown away.
static bool entry_path(char out[CLI_CACHE_PATH_MAX], const char *folder, const char *key)
{
    int length = snprintf(out, CLI_CACHE_PATH_MAX, "%s/%s" ENDING, folder, key);
    return length > 0 && (size_t)length < CLI_CACHE_PATH_MAX;
}

static bool join(char out[CLI_CACHE_PATH_MAX], const char *folder, const char *rest)
{
    int length = snprintf(out, CLI_CACHE_PATH_MAX, "%s/%s", folder, rest);
    return length > 0 && (size_t)length < CLI_CACHE_PATH_MAX;
}

void cli_cache_open(cli_cache *cache, const char *folder, const char *name)
{
    char base[CLI_CACHE_PATH_MAX];
    char inner[CLI_CACHE_PATH_MAX];
    const char *shared = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    bool ok = true;
    cache->folder[0] = '\0';
    if (folder) {
        ok = snprintf(base, sizeof(base), "%s", folder) < (int)sizeof(base);
    } else if (shared && shared[0] == '/') { // a relative one is to be ignored
        ok = join(inner, shared, "ledgergate") && join(base, inner, name);
    } else {
        ok = home && home[0] == '/' && join(inner, home, ".cache/ledgergate") &&
             join(base, inner, name);
    }
    if (ok) {
        memcpy(cache->folder, base, sizeof(base));
    }
}

// --- Reading ------------------------------------------------------------------------------------

// No link, no pipe that would be waited for, nothing that another user can have put there.
static int open_entry(const char *path, size_t *ret_size)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return -1;
    }
    bool ours = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
                (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
    if (!ours || info.st_size <= 0 || (uint64_t)info.st_size > CLI_CACHE_ENTRY_BYTES_MAX) {
        close(fd);
        return -1;
    }
    *ret_size = (size_t)info.st_size;
    return fd;
}

static bool read_entry(int fd, size_t size, lg_buf *out)
{
    char *room = lg_buf_room(out, size);
    size_t got = 0;
    while (room && got < size) {
        ssize_t part = read(fd, room + got, size - got);
        if (part == 0 || (part < 0 && errno != EINTR)) {
            return false;
        }
        got += part > 0 ? (size_t)part : 0;
    }
    out->len += got;
    return room != NULL;
}

static void add_head(lg_buf *out, const char *key, lg_str text)
{
    char hash[65];
    lg_sha256_hex(text, hash);
    lg_buf_addf(out, FORMAT "%s %s\n", key, hash);
}

// Takes the head off if it is the one that belongs to the text.
static bool open_text(const char *key, lg_str entry, lg_str *ret_text)
{
    size_t end = lg_str_find(lg_str_slice(entry, 0, 256), LG_STR("\n"));
    if (end == SIZE_MAX) {
        return false;
    }
    lg_buf head;
    lg_buf_init(&head, 0);
    *ret_text = lg_str_slice(entry, end + 1, entry.len);
    add_head(&head, key, *ret_text);
    bool same = lg_buf_status(&head) == LG_OK &&
                lg_str_eq(lg_buf_str(&head), lg_str_slice(entry, 0, end + 1));
    lg_buf_done(&head);
    return same;
}

bool cli_cache_get(const cli_cache *cache, const char *key, lg_buf *ret_text)
{
    char path[CLI_CACHE_PATH_MAX];
    size_t size;
    int fd =
        cache->folder[0] && entry_path(path, cache->folder, key) ? open_entry(path, &size) : -1;
    if (fd < 0) {
        return false;
    }
    lg_buf entry;
    lg_str text;
    lg_buf_init(&entry, 0);
    bool ok = read_entry(fd, size, &entry) && open_text(key, lg_buf_str(&entry), &text);
    if (ok) {
        lg_buf_add(ret_text, text);
        ok = lg_buf_status(ret_text) == LG_OK;
    }
    close(fd);
    lg_buf_done(&entry);
    return ok;
}

// --- Writing ------------------------------------------------------------------------------------

// Makes the folder and those above it.
static bool make_folders(const char *folder)
{
    char path[CLI_CACHE_PATH_MAX];
    struct stat info;
    if (!*folder || snprintf(path, sizeof(path), "%s", folder) >= (int)sizeof(path)) {
        return false;
    }
    for (char *at = path + 1; *at; at++) {
        if (*at == '/') {
            *at = '\0';
            (void)mkdir(path, 0777); // what cannot be made is noticed below
            *at = '/';
        }
    }
    return mkdir(path, 0700) == 0 || (stat(path, &info) == 0 && S_ISDIR(info.st_mode));
}

// --- Throwing away ------------------------------------------------------------------------------

typedef struct old_entry {
    char name[NAME_BYTES];
    struct timespec changed;
} old_entry;

// Files of other names are somebody else's.
static bool is_entry_name(const char *name)
{
    return strlen(name) == NAME_BYTES - 1 && strspn(name, "0123456789abcdef") == KEY_DIGITS &&
           strcmp(name + KEY_DIGITS, ENDING) == 0;
}

static int by_age(const void *a, const void *b)
{
    const struct timespec *one = &((const old_entry *)a)->changed;
    const struct timespec *two = &((const old_entry *)b)->changed;
    if (one->tv_sec != two->tv_sec) {
        return one->tv_sec < two->tv_sec ? -1 : 1;
    }
    return one->tv_nsec < two->tv_nsec ? -1 : one->tv_nsec > two->tv_nsec;
}

// Up to `most` entries of the folder.
static size_t list_entries(DIR *dir, old_entry *ret, size_t most)
{
    size_t count = 0;
    for (struct dirent *found; count < most && (found = readdir(dir));) {
        struct stat info;
        if (is_entry_name(found->d_name) &&
            fstatat(dirfd(dir), found->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(info.st_mode)) {
            memcpy(ret[count].name, found->d_name, sizeof(ret[count].name));
            ret[count++].changed = info.st_mtim;
        }
    }
    return count;
}

// Down to half of what may be there, so that it is seldom done.
static void throw_away(const char *folder)
{
    size_t most = 2u * CLI_CACHE_ENTRIES_MAX;
    lg_arena arena;
    lg_arena_init(&arena, 0);
    old_entry *entries = LG_NEW_ARRAY(&arena, old_entry, most);
    DIR *dir = entries ? opendir(folder) : NULL;
    if (dir) {
        size_t count = list_entries(dir, entries, most);
        if (count > CLI_CACHE_ENTRIES_MAX) {
            qsort(entries, count, sizeof(*entries), by_age);
            for (size_t i = 0; i < count - CLI_CACHE_ENTRIES_MAX / 2; i++) {
                (void)unlinkat(dirfd(dir), entries[i].name, 0);
            }
        }
        closedir(dir);
    }
    lg_arena_done(&arena);
}

void cli_cache_put(const cli_cache *cache, const char *key, lg_str text)
{
    char path[CLI_CACHE_PATH_MAX];
    if (!cache->folder[0] || text.len > CLI_CACHE_ENTRY_BYTES_MAX / 2) {
        return;
    }
    lg_buf entry;
    lg_buf_init(&entry, 0);
    add_head(&entry, key, text);
    lg_buf_add(&entry, text);
    errno = ENAMETOOLONG;
    bool ok = lg_buf_status(&entry) == LG_OK && entry_path(path, cache->folder, key) &&
              make_folders(cache->folder) && lg_write_private_file(path, lg_buf_str(&entry));
    if (!ok) {
        cli_say("ledgergate: the answer could not be cached in %s: %s", cache->folder,
                strerror(errno));
    } else {
        throw_away(cache->folder);
    }
    lg_buf_done(&entry);
}

// --- The program --------------------------------------------------------------------------------

static void add_build_id(lg_buf *out, const char *notes, size_t size)
{
    for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
        ElfW(Nhdr) note;
        memcpy(&note, notes + at, sizeof(note));
        size_t name = at + sizeof(note);
        size_t value = name + (((size_t)note.n_namesz + 3) & ~(size_t)3);
        size_t next = value + (((size_t)note.n_descsz + 3) & ~(size_t)3);
        if (next > size || next <= at) {
            return;
        }
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            memcmp(notes + name, "GNU", 4) == 0) {
            for (size_t i = 0; i < note.n_descsz; i++) {
                lg_buf_addf(out, "%02x", (unsigned)(unsigned char)notes[value + i]);
            }
        }
        at = next;
    }
}

// The program itself is the first that is shown.
static int look_at_program(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_NOTE) {
            const void *notes = (const void *)(info->dlpi_addr + part->p_vaddr);
            add_build_id(context, notes, part->p_memsz);
        }
    }
    return 1;
}

void cli_add_program(lg_buf *out)
{
    lg_buf_addf(out, "%s ", lg_version());
    dl_iterate_phdr(look_at_program, out);
}
