// files.h: the files that a verb was given, those in folders included, and those it could not read.
//
// One file that is broken does not end a run: it is named and counted, everything else is looked at, and
// the exit code is 2 at the end. What a folder holds beside is left out with a word, and that is no
// mistake of anybody: other files, pipes and devices, links to folders.
#ifndef LG_CLI_FILES_H
#define LG_CLI_FILES_H

#include "cli/cli.h"

typedef struct cli_unread {
    const char *path;
    lg_error error;
    bool broken; // else it was left out
} cli_unread;

typedef struct cli_files {
    lg_arena arena;
    const char **paths;
    bool *found; // in a folder, not named
    size_t count;
    size_t capacity, found_capacity;
    cli_unread *unread; // in the order in which they were met
    size_t unread_count, unread_capacity;
    size_t broken;
    size_t skipped; // found in a folder, and none that the verb reads
    bool oom;
    int code; // EXIT_FINE; EXIT_USAGE once a file is broken; EXIT_INTERNAL if for want of memory
} cli_files;

// Does the name end so, in capital letters or not?
bool cli_has_ending(const char *path, const char *ending);

// What is in a folder, in the order of names, those that begin with a dot left out.
typedef struct cli_listing {
    const char **paths;
    size_t count, capacity;
    int failed; // errno of reading it, or 0
} cli_listing;

// Lists `folder`; all of it lives in `arena`. False when out of memory.
bool cli_list_folder(lg_arena *arena, lg_str folder, cli_listing *ret);

// Takes every path that was given as it is, and of a folder every file below it, in the order of their
// names, that ends in one of `endings` (which ends with NULL) and whose name does not begin with a dot.
// Says what it leaves out and what cannot be read. False when out of memory, after saying so.
// cli_files_close() in either case.
bool cli_files_list(cli_files *files, char **paths, size_t count, const char *const *endings);
void cli_files_close(cli_files *files);

// File number `i` cannot be read: says so with its place in `text` (which may be empty), and counts it.
void cli_files_break(cli_files *files, size_t i, const lg_error *error, lg_str text);

// File number `i` is none that the verb reads. One that was only found in a folder is left out; one that
// was named is broken.
void cli_files_leave_out(cli_files *files, size_t i, const lg_error *error);

// Says how many more were left out than were named. When all files have been read.
void cli_files_end(const cli_files *files);

// A JSON line for each file that was not read: {"broken_file": ...} or {"skipped_file": ...}.
void cli_files_write(const cli_files *files, cli_out *out);

// The members `broken_files` and `skipped_files` of a summary.
void cli_files_write_counts(const cli_files *files, lg_json_writer *w);

// The exit code of a run that by itself would end with `code`.
int cli_files_code(const cli_files *files, int code);

#endif
