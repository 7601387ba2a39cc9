// cache.h: answers that were found once, kept in a folder under the hash of the question.
//
// What is in the folder is never trusted: an entry names its key and the hash of its text, must be a
// regular file of this user that nobody else can write, and is of bounded size. Anything else is
// as if it were not there. Nothing here fails a verb: what cannot be kept is found again.
#ifndef LG_CLI_PROVE_CACHE_H
#define LG_CLI_PROVE_CACHE_H

#include "base/buf.h"
#include "base/str.h"

#define CLI_CACHE_PATH_MAX 4096u
#define CLI_CACHE_ENTRY_BYTES_MAX ((size_t)64 << 20)
#define CLI_CACHE_ENTRIES_MAX 500u // more than this, and the oldest are thrown away

typedef struct cli_cache {
    char folder[CLI_CACHE_PATH_MAX]; // empty: there is none
} cli_cache;

// The folder `folder`, or if it is NULL `$XDG_CACHE_HOME/ledgergate/NAME`, or
// `~/.cache/ledgergate/NAME`; none if there is no home.
void cli_cache_open(cli_cache *cache, const char *folder, const char *name);

// The text that was kept under `key` (64 hexadecimal digits). False if there is none to be believed.
bool cli_cache_get(const cli_cache *cache, const char *key, lg_buf *ret_text);

// Keeps it: a reader sees all of it or nothing. Says on standard error if it cannot. Throws away old
// entries where there are too many, and nothing that is not an entry.
void cli_cache_put(const cli_cache *cache, const char *key, lg_str text);

// Appends what tells this build of the program from any other: its version and, where the linker
// wrote one, its build id.
void cli_add_program(lg_buf *out);

#endif
