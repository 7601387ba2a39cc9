// reports.h: the reports of an audit for other programs: JUnit XML for build servers, SARIF for code hosts.
#ifndef LG_CLI_AUDIT_REPORTS_H
#define LG_CLI_AUDIT_REPORTS_H

#include "cli/audit/audit.h"

// Both are made of the file of all results, a line at a time. False after filling in `reterr`.
bool audit_write_junit(const char *results, const audit_sum *sum, const char *path,
                       lg_error *reterr);
bool audit_write_sarif(const char *results, const char *path, lg_error *reterr);

#endif
