// keys.c: the key file: one line of text, "ledgergate-key-1 " and two secrets of 32 bytes in hexadecimal.
//
// The first is the seed of the signing key, the second the key of keyed digests. The file is made once, for its owner
// alone, and is on the disk before anything is signed with it: a log whose key is lost cannot be continued.
#include "store/store_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORD "ledgergate-key-1 "
#define SECRETS_BYTES 64u
#define FILE_BYTES (sizeof(WORD) - 1 + 2 * SECRETS_BYTES + 1) // with the line end

static lg_status fail_on(const char *path, const char *what, lg_error *reterr)
{
    return lg_fail(reterr, LG_ERR_IO, "%s: %s: %s", path, what, strerror(errno));
}

// Also where the folder's entry stands.
bool store_sync_folder(const char *path)
{
    char folder[4096];
    const char *slash = strrchr(path, '/');
    int length = snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path + 1) : 1,
                          slash ? path : ".");
    int fd = length > 0 && (size_t)length < sizeof(folder)
                 ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                 : -1;
    bool fine = fd >= 0 && fsync(fd) == 0;
    if (fd >= 0) {
        (void)close(fd);
    }
    return fine;
}

static lg_status make_file(const char *path, lg_error *reterr)
{
    unsigned char secrets[SECRETS_BYTES];
    char text[FILE_BYTES + 1] = WORD;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return fail_on(path, "the key file cannot be made", reterr);
    }
    lg_random(secrets, sizeof(secrets));
    lg_hex(secrets, sizeof(secrets), text + sizeof(WORD) - 1);
    text[FILE_BYTES - 1] = '\n';
    ssize_t put = write(fd, text, FILE_BYTES);
    bool fine = put == (ssize_t)FILE_BYTES && fsync(fd) == 0 && store_sync_folder(path);
    int why = put >= 0 && put < (ssize_t)FILE_BYTES ? ENOSPC : errno;
    (void)close(fd);
    lg_forget(secrets, sizeof(secrets));
    lg_forget(text, sizeof(text));
    if (!fine) {
        (void)unlink(path);
        errno = why;
        return fail_on(path, "the key file cannot be written", reterr);
    }
    return LG_OK;
}

// Whoever else can read it could sign as we do.
static lg_status check_mode(const char *path, int fd, lg_error *reterr)
{
    struct stat info;
    if (fstat(fd, &info) != 0) {
        return fail_on(path, "the key file cannot be read", reterr);
    }
    if (!S_ISREG(info.st_mode)) {
        return lg_fail(reterr, LG_ERR_IO, "%s: the key file is no file", path);
    }
    if (info.st_mode & 077) {
        return lg_fail(reterr, LG_ERR_IO,
                       "%s: others may read or write the key file; if nobody has, `chmod 600` it",
                       path);
    }
    return LG_OK;
}

static lg_status read_file(const char *path, int fd, store_secrets *ret, lg_error *reterr)
{
    char text[FILE_BYTES + 1];
    unsigned char secrets[SECRETS_BYTES];
    ssize_t got = read(fd, text, sizeof(text));
    if (got < 0) {
        return fail_on(path, "the key file cannot be read", reterr);
    }
    lg_str line = lg_str_trim((lg_str){text, (size_t)got});
    bool fine = (size_t)got <= FILE_BYTES && lg_str_starts(line, LG_STR(WORD)) &&
                lg_unhex(lg_str_slice(line, sizeof(WORD) - 1, line.len), secrets, sizeof(secrets));
    if (fine) {
        lg_sign_key_of(secrets, &ret->sign);
        memcpy(ret->secret, secrets + LG_SIGN_KEY_BYTES, sizeof(ret->secret));
    }
    lg_forget(text, sizeof(text));
    lg_forget(secrets, sizeof(secrets));
    return fine ? LG_OK : lg_fail(reterr, LG_ERR_FORMAT, "%s: this is no key file of a log", path);
}

lg_status store_load_secrets(const char *path, bool make, store_secrets *ret, lg_error *reterr)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT && make) {
        lg_status made = make_file(path, reterr);
        if (made != LG_OK) {
            return made;
        }
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    }
    if (fd < 0) {
        return fail_on(path, "the log's key file cannot be opened", reterr);
    }
    lg_status status = check_mode(path, fd, reterr);
    if (status == LG_OK) {
        status = read_file(path, fd, ret, reterr);
    }
    (void)close(fd);
    return status;
}

lg_status lg_store_read_keys(const char *key_path, lg_store_keys *ret, lg_error *reterr)
{
    store_secrets secrets;
    if (!lg_sign_begin()) {
        return lg_fail(reterr, LG_ERR_ENVIRONMENT, "the system gives no random bytes");
    }
    lg_status status = store_load_secrets(key_path, false, &secrets, reterr);
    if (status == LG_OK) {
        memcpy(ret->public_key, lg_sign_public(&secrets.sign), LG_SIGN_KEY_BYTES);
        memcpy(ret->secret, secrets.secret, sizeof(ret->secret));
        lg_forget(&secrets, sizeof(secrets));
    }
    return status;
}
