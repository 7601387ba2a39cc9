// write_file.c: a file beside the old one first, which then takes its name.
#include "base/write_file.h"
#include "base/error.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 4096u
#define LINKS_MAX 40u         // as the system itself follows
#define TEMPORARY_NAMES 100u  // that are tried
#define DESCRIPTORS_ASKED 256 // whether the file is open for writing already

static bool write_all(int fd, lg_str text)
{
    while (text.len > 0) {
        ssize_t put = write(fd, text.ptr, text.len);
        if (put < 0 && errno != EINTR) {
            return false;
        }
        text = put > 0 ? lg_str_slice(text, (size_t)put, text.len) : text;
    }
    return true;
}

// Closes in any case; `fine` and errno tell the first thing that went wrong.
static bool close_after(int fd, bool fine)
{
    int why = errno;
    bool closed = close(fd) == 0 || errno == EINTR; // it is closed then, too
    if (!fine) {
        errno = why;
    }
    return fine && closed;
}

// --- Names --------------------------------------------------------------------------------------

// Bytes of `path` before its last part, the slash included.
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

static bool fits(int length)
{
    errno = length < 0 || (size_t)length >= PATH_BYTES ? ENAMETOOLONG : errno;
    return length >= 0 && (size_t)length < PATH_BYTES;
}

// Where `path` leads in the end, if it is a link. `out` is a path that is no link, or does not exist yet.
static bool follow_links(const char *path, char out[PATH_BYTES])
{
    if (!fits(snprintf(out, PATH_BYTES, "%s", path))) {
        return false;
    }
    for (size_t links = 0; links <= LINKS_MAX; links++) {
        char target[PATH_BYTES];
        char next[PATH_BYTES];
        ssize_t length = readlink(out, target, sizeof(target) - 1);
        if (length < 0) {
            return errno == EINVAL || errno == ENOENT; // no link
        }
        target[length] = '\0';
        int folder = target[0] == '/' ? 0 : (int)folder_length(out);
        if (!fits(snprintf(next, sizeof(next), "%.*s%s", folder, out, target))) {
            return false;
        }
        memcpy(out, next, sizeof(next));
    }
    errno = ELOOP;
    return false;
}

// --- Replacing ----------------------------------------------------------------------------------

// A new file in the folder of `path`. The name is short: that of the file may be as long as can be.
static int open_temporary(const char *path, mode_t mode, char out[PATH_BYTES])
{
    int folder = (int)folder_length(path);
    for (unsigned i = 0; i < TEMPORARY_NAMES; i++) {
        if (!fits(snprintf(out, PATH_BYTES, "%.*s.ledgergate-%ld-%u.tmp", folder, path,
                           (long)getpid(), i))) {
            return -1;
        }
        int fd = open(out, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd >= 0 || errno != EEXIST) {
            return fd;
        }
    }
    return -1;
}

// Gives the new file the owner, the group and the mode of the old one. Where the owner or the group
// cannot be given, the mode gives no one a right that they did not have before.
static bool take_over(int fd, const struct stat *old)
{
    mode_t mode = old->st_mode & 07777;
    struct stat now;
    if (fchown(fd, old->st_uid, old->st_gid) != 0) {
        (void)!fchown(fd, (uid_t)-1, old->st_gid);
    }
    if (fstat(fd, &now) != 0) {
        return false;
    }
    if (now.st_uid != old->st_uid || now.st_gid != old->st_gid) {
        mode &= 0777;
    }
    if (now.st_gid != old->st_gid) {
        mode = (mode & ~(mode_t)070) | (mode & 007) << 3; // to the group what everybody has
    }
    return fchmod(fd, mode) == 0;
}

// So that the new name is on the disk, too. Not every file system can.
static void sync_folder(const char *path)
{
    char folder[PATH_BYTES];
    size_t length = folder_length(path);
    (void)snprintf(folder, sizeof(folder), "%.*s", length ? (int)length : 1, length ? path : ".");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        (void)close(fd);
    }
}

// `old` NULL: there is no old file.
static bool replace(const char *path, const struct stat *old, mode_t mode, bool lasting,
                    lg_str text)
{
    char temporary[PATH_BYTES];
    int fd = open_temporary(path, mode, temporary);
    if (fd < 0) {
        return false;
    }
    bool fine = write_all(fd, text) && (!old || take_over(fd, old)) && (!lasting || fsync(fd) == 0);
    fine = close_after(fd, fine) && rename(temporary, path) == 0;
    if (!fine) {
        int why = errno;
        (void)unlink(temporary);
        errno = why;
    } else if (lasting) {
        sync_folder(path);
    }
    return fine;
}

bool lg_write_private_file(const char *path, lg_str text)
{
    return replace(path, NULL, 0600, false, text);
}

// --- Writing to ---------------------------------------------------------------------------------

// The descriptor by which this process writes to the file already, or -1. Opened once more it would be
// written from its beginning, over what is there.
static int already_open(const struct stat *file)
{
    for (int fd = STDOUT_FILENO; fd < DESCRIPTORS_ASKED; fd++) {
        struct stat info;
        if (fstat(fd, &info) == 0 && info.st_dev == file->st_dev && info.st_ino == file->st_ino &&
            (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY) {
            return fd;
        }
    }
    return -1;
}

static bool write_to(const char *path, lg_str text)
{
    int fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    return fd >= 0 && close_after(fd, write_all(fd, text));
}

static bool write_path(const char *path, lg_str text)
{
    struct stat info;
    char target[PATH_BYTES];
    bool exists = stat(path, &info) == 0;
    if (!exists && errno != ENOENT) {
        return false;
    }
    if (exists && S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        return false;
    }
    int fd = exists ? already_open(&info) : -1;
    if (fd >= 0) {
        return write_all(fd, text);
    }
    if (exists && !S_ISREG(info.st_mode)) {
        return write_to(path, text);
    }
    if (exists && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0) {
        return false;
    }
    return follow_links(path, target) &&
           replace(target, exists ? &info : NULL, exists ? 0600 : 0666, true, text);
}

lg_status lg_write_file(const char *path, lg_str text, lg_error *reterr)
{
    if (write_path(path, text)) {
        return LG_OK;
    }
    return lg_fail(reterr, LG_ERR_IO, "cannot write %s: %s", path, strerror(errno));
}
