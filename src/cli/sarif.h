// sarif.h: findings as SARIF 2.1.0 (OASIS), which code hosts and editors show at their lines.
//
//     sarif s;
//     sarif_begin(&s, &buf, rules, LG_COUNT(rules));
//     sarif_result_begin(&s, &result); // then members of its `properties` with &s.w
//     sarif_result_end(&s);
//     sarif_end(&s);
#ifndef LG_CLI_SARIF_H
#define LG_CLI_SARIF_H

#include "json/writer.h"

// A kind of result.
typedef struct sarif_rule {
    const char *id;
    const char *text; // one sentence
    const char *help; // what to do; or NULL
} sarif_rule;

typedef enum sarif_kind {
    SARIF_ERROR,   // fails, and must be mended
    SARIF_WARNING, // fails
    SARIF_NOTE,    // fails, and does no harm
    SARIF_OPEN,    // could not be decided
    SARIF_REVIEW,  // somebody should look
    SARIF_PASS,
} sarif_kind;

typedef struct sarif_result {
    size_t rule; // index into the rules
    sarif_kind kind;
    lg_str message;
    const char *path; // of the file, as the user gave it
    int64_t line;     // from 1; 0: the file as a whole
    int64_t column;   // from 1, in code points
    lg_str subject;   // the tool or rule that it is about; or empty
    lg_str identity;  // the same for the same finding, wherever it has moved to; or empty
} sarif_result;

typedef struct sarif {
    lg_json_writer w;
    const sarif_rule *rules;
    size_t count;
} sarif;

void sarif_begin(sarif *s, lg_buf *out, const sarif_rule *rules, size_t count);
void sarif_result_begin(sarif *s, const sarif_result *result);
void sarif_result_end(sarif *s);
void sarif_end(sarif *s);

#endif
