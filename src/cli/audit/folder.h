// folder.h: the folder of `--out`: all that an audit leaves behind.
//
//     results.jsonl           a result a line (docs/audit.md)
//     conversations/ID.json   the artefact of a conversation: the recording, normalised, and its audit
//     summary.json            what all come to
//     junit.xml, audit.sarif  for CI and for code hosts
//     index.html              for people
//
// What was there before stays until the audit is whole: each file appears under its name when it is written.
#ifndef LG_CLI_AUDIT_FOLDER_H
#define LG_CLI_AUDIT_FOLDER_H

#include "cli/audit/audit.h"

typedef struct audit_folder audit_folder;

// Makes the folder, if there is none. `compare` is the folder of an earlier audit, or NULL. False without memory;
// whatever else goes wrong is told.
bool audit_folder_open(const char *path, const char *compare, audit_folder **ret);
// What goes wrong is told once, at the end.
void audit_folder_add(audit_folder *folder, const audit_item *item);
// Writes what is written last (if all is well until then), and frees it. False after saying what could not be written.
bool audit_folder_close(audit_folder *folder, const audit_sum *sum, bool complete);

#endif
