// file.h: whole files, mapped or read.
#ifndef LG_BASE_FILE_H
#define LG_BASE_FILE_H

#include "base/types.h"

typedef struct lg_file {
    lg_str text;          // the whole contents
    void *mapping;        // private
    size_t mapping_bytes; // private
} lg_file;

// Opens a regular file (from 16 MiB on it is mapped and must not be cut short), a pipe, or standard input for "-". On success `ret_file->text` holds its
// bytes until lg_file_close(). Fails with LG_ERR_IO (missing, a folder, unreadable) or LG_ERR_LIMIT
// (more than `limit_bytes`), and names the file and the reason.
LG_NODISCARD lg_status lg_file_open(const char *path, size_t limit_bytes, lg_file *ret_file,
                                    lg_error *reterr);
void lg_file_close(lg_file *file); // a zeroed one is allowed

#endif
