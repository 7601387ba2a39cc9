// write_file.h: the one way in which files are written.
//
// Who reads a file while it is written sees the old one or the new one, never a part, and after a
// failure the old one is what it was. What is no regular file (a device, a pipe, standard output) holds
// nothing that could be replaced, and is written to.
#ifndef LG_BASE_WRITE_FILE_H
#define LG_BASE_WRITE_FILE_H

#include "base/types.h"

// Makes `text` what `path` holds.
//
// A regular file is replaced as a whole, on the disk before this returns; it keeps its mode, and its
// owner and group where this process may give them. A symbolic link stays, and what it points to is
// replaced, or made if there is nothing. What is open for writing already (/dev/stdout, also where that
// is a file) is written to where it stands, and so is a device or a FIFO: never replaced, nor cut. A
// file that the user may not write to is not replaced, although the folder would allow it.
//
// Fails with LG_ERR_IO and names the file and the reason. Then a regular file is what it was, and
// nothing is left beside it.
LG_NODISCARD lg_status lg_write_file(const char *path, lg_str text, lg_error *reterr);

// Puts a file of mode 0600 that holds `text` in the place of whatever has the name `path`; a link there
// is replaced and not followed. It may be lost if the machine stops now: for what can be made again.
// False with errno set; then nothing has changed.
LG_NODISCARD bool lg_write_private_file(const char *path, lg_str text);

#endif
