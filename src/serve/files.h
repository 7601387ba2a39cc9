// files.h: what a configuration names: packs, the log, certificates; whatever is wrong with them is told at once.
#ifndef LG_SERVE_FILES_H
#define LG_SERVE_FILES_H

#include "serve/serve.h"

// All but packs.
void files_check(const lg_serve_config *config, const lg_serve_host *host,
                 lg_serve_problems *problems);

// Loads the packs, and lets go of them (routing.c).
void files_check_packs(const lg_serve_config *config, const lg_limits *limits,
                       lg_serve_problems *problems);

// Where a key of the configuration itself stands; its beginning, if it does not.
lg_position files_place(const lg_serve_config *config, const lg_serve_host *host, const char *key);

#endif
