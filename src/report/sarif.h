// sarif.h: findings as SARIF 2.1.0 (OASIS), which code hosts and editors show at their lines.
//
//     lg_sarif s;
//     lg_sarif_begin(&s, &buf, folder, rules, LG_COUNT(rules));
//     lg_sarif_result_begin(&s, &result); // then members of its `properties` with &s.w
//     lg_sarif_result_end(&s);
//     lg_sarif_end(&s);
#ifndef LG_REPORT_SARIF_H
#define LG_REPORT_SARIF_H

#include "json/writer.h"

// A kind of result.
typedef struct lg_sarif_rule {
    const char *id;
    const char *text; // one sentence
    const char *help; // what to do; or NULL
} lg_sarif_rule;

typedef enum lg_sarif_kind {
    LG_SARIF_ERROR,   // fails, and must be mended
    LG_SARIF_WARNING, // fails
    LG_SARIF_NOTE,    // fails, and does no harm
    LG_SARIF_OPEN,    // could not be decided
    LG_SARIF_REVIEW,  // somebody should look
    LG_SARIF_PASS,
} lg_sarif_kind;

typedef struct lg_sarif_result {
    size_t rule; // index into the rules
    lg_sarif_kind kind;
    lg_str message;
    const char *path; // of the file: absolute, or relative to the folder of the log
    int64_t line;     // from 1; 0: the file as a whole
    int64_t column;   // from 1, in code points
    lg_str subject;   // the tool or rule that it is about; or empty
    lg_str identity;  // the same for the same finding, wherever it has moved to; or empty
} lg_sarif_result;

typedef struct lg_sarif {
    lg_json_writer w;
    lg_str folder;
    const lg_sarif_rule *rules;
    size_t count;
} lg_sarif;

// `folder` is the absolute path that relative ones begin in; absolute paths below it are written
// relative to it, since that is what a code host can find. Empty: they stay absolute.
void lg_sarif_begin(lg_sarif *s, lg_buf *out, lg_str folder, const lg_sarif_rule *rules,
                    size_t count);
void lg_sarif_result_begin(lg_sarif *s, const lg_sarif_result *result);
void lg_sarif_result_end(lg_sarif *s);
void lg_sarif_end(lg_sarif *s);

#endif
