// file.h: whole files, read into memory.
//
// A file is never mapped: whoever cuts a mapped file short takes its reader with it (SIGBUS), and
// recordings, states and packs are written by others while we look at them.
#ifndef LG_BASE_FILE_H
#define LG_BASE_FILE_H

#include "base/types.h"

typedef struct lg_file {
    lg_str text;  // the whole contents
    void *memory; // private
} lg_file;

// Reads a regular file, a pipe or a device to its end; "-" is standard input. On success
// `ret_file->text` holds its bytes until lg_file_close(), whatever becomes of the file.
//
// A file may have up to `limits->json_bytes`; what does not say its size beforehand (a pipe, a device,
// standard input, a file of /proc) up to `limits->stream_bytes`, because it may have no end, and is
// held in memory until that is known. NULL: the defaults.
//
// Fails with LG_ERR_IO (missing, a folder, unreadable, or changed by somebody while it was read),
// LG_ERR_LIMIT or LG_ERR_OOM, and names the file and the reason. A file that only grew meanwhile is
// fine: that is how recordings are written.
LG_NODISCARD lg_status lg_file_read(const char *path, const lg_limits *limits, lg_file *ret_file,
                                    lg_error *reterr);

// The same with `limit_bytes` as the limit of all of them.
LG_NODISCARD lg_status lg_file_open(const char *path, size_t limit_bytes, lg_file *ret_file,
                                    lg_error *reterr);
void lg_file_close(lg_file *file); // a zeroed one is allowed

#endif
