// part.h: a file that is written bit by bit, and has its name once it is whole.
#ifndef LG_CLI_AUDIT_PART_H
#define LG_CLI_AUDIT_PART_H

#include "base/str.h"

#include <stdio.h>

typedef struct audit_part {
    FILE *file; // NULL: none is open
    char *path, *part;
    bool failed;
} audit_part;

// False with errno set.
bool audit_part_open(audit_part *part, const char *path);
void audit_part_put(audit_part *part, lg_str text); // a failure shows when it is closed
// Gives it its name if it is whole, else leaves nothing behind. False with errno set. Nothing happens where none is open.
bool audit_part_close(audit_part *part, bool whole);

#endif
