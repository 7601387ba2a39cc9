// stats.h: what many audits say together: pass^k, failure classes, ROC, comparisons of models, violations.
//
// The results of an audit (docs/audit.md, one JSON object a line) are added one at a time, of any number of files and
// in any order: of each only what is counted is kept, a few hundred bytes, and the statistics of the parts of a
// divided run are those of the whole, byte for byte. A result that is there already (its `id`) counts once.
//
//     lg_stats *stats;
//     if (lg_stats_new(&stats, &err) != LG_OK) ...
//     while (next_line(&line))
//         if (lg_stats_add(stats, line, &added, &err) != LG_OK) ...   // that line is bad; go on
//     lg_jw_begin_object(&w);
//     if (lg_stats_write(stats, &options, &w, &err) != LG_OK) ...     // docs/stats.md
//     lg_jw_end_object(&w);
//     lg_stats_free(stats);
//
// What is not known is not zero: a score that is null is in no mean, and every figure says of how many it is. A figure
// that does not exist (an area under a curve with one class alone) is null and says why. Chance has a fixed seed.
#ifndef LG_STATS_STATS_H
#define LG_STATS_STATS_H

#include "json/writer.h"

typedef struct lg_stats lg_stats;

LG_NODISCARD lg_status lg_stats_new(lg_stats **ret_stats, lg_error *reterr);
void lg_stats_free(lg_stats *stats); // NULL is allowed

typedef enum lg_stats_kind {
    LG_STATS_RESULT,    // counted
    LG_STATS_DUPLICATE, // its id was there already: not counted again
    LG_STATS_OTHER,     // a summary, a broken file, a blank line: nothing to count
} lg_stats_kind;

typedef struct lg_stats_added {
    lg_stats_kind kind;
    lg_str id; // of a result or a duplicate; lives as long as the statistics
} lg_stats_added;

// Adds one line, with or without its line end. Fails with LG_ERR_PARSE, LG_ERR_LIMIT or LG_ERR_FORMAT (nothing of the
// line is counted; columns count in the line) or LG_ERR_OOM (likewise). The line may go afterwards.
LG_NODISCARD lg_status lg_stats_add(lg_stats *stats, lg_str line, lg_stats_added *ret_added,
                                    lg_error *reterr);

// How many results are counted.
size_t lg_stats_count(const lg_stats *stats);

typedef struct lg_stats_options {
    bool writes_only;         // pass^k of the conversations that must change something alone
    bool runs;                // several runs of a task compared with one another: `roc_auc_runs`
    const lg_stats *baseline; // an earlier audit, for `trend`; or NULL
} lg_stats_options;

// Writes the members of docs/stats.md into the object that was begun. Fails with LG_ERR_OOM; what was written then is
// of no use.
LG_NODISCARD lg_status lg_stats_write(const lg_stats *stats, const lg_stats_options *options,
                                      lg_json_writer *w, lg_error *reterr);

#endif
