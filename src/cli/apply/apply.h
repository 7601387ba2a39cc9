// apply.h: what the files of the verb `apply` share.
#ifndef LG_CLI_APPLY_APPLY_H
#define LG_CLI_APPLY_APPLY_H

#include "cli/carry.h"

typedef struct apply {
    cli_carry carry;
    cli_out out;
    bool json;
} apply;

// --- check.c ------------------------------------------------------------------------------------

// Carries out recorded calls and compares the states and the results with the recorded ones.
int apply_check(apply *a, const char *path);

#endif
