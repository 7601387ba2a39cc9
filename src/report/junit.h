// junit.h: results as JUnit XML, which build servers show as tests.
//
// The dialect is that of Ant's task, as Jenkins and GitLab read it: suites of cases, of which each passes or fails. A
// case that has several findings has several failures.
//
// It goes to the buffer as it is said, and the buffer may be emptied between any two calls: a document of any length
// takes the memory of a case. So the counts, which stand first, are known before.
//
//     lg_junit j;
//     lg_junit_begin(&j, &buf, LG_STR("audit"), (lg_junit_counts){.cases = 1, .failed = 1});
//     lg_junit_case_begin(&j, LG_STR("airline"), LG_STR("12/0"), LG_STR("runs/day.json"));
//     lg_junit_failure(&j, LG_STR("severe"), LG_STR("ungrounded argument"), LG_STR("the whole text"));
//     lg_junit_case_end(&j);
//     lg_junit_end(&j);
#ifndef LG_REPORT_JUNIT_H
#define LG_REPORT_JUNIT_H

#include "base/buf.h"

// What is not UTF-8 becomes U+FFFD, and so does what no XML 1.0 document may hold (section 2.2: most control characters,
// also as references).
typedef struct lg_junit {
    lg_buf *out;
} lg_junit;

typedef struct lg_junit_counts {
    uint64_t cases, failed; // a case that has failures is in `failed` once
} lg_junit_counts;

// What fails is seen in `out`.
void lg_junit_begin(lg_junit *j, lg_buf *out, lg_str name, lg_junit_counts counts);

// `file` may be empty.
void lg_junit_case_begin(lg_junit *j, lg_str group, lg_str name, lg_str file);
void lg_junit_failure(lg_junit *j, lg_str type, lg_str message, lg_str text);
void lg_junit_case_end(lg_junit *j);

void lg_junit_end(lg_junit *j);

#endif
