// show.h: what the files of the verb `show` share.
#ifndef LG_CLI_SHOW_SHOW_H
#define LG_CLI_SHOW_SHOW_H

#include "cli/cli.h"

// What a pack says, section by section. Returns the exit code.
int show_pack_file(const char *path, bool json);

#endif
