// fuzz_stats.c: lines of results that anybody may have written.
//
// Laws: each line is a result, a duplicate, nothing to count, or an error with a message; the statistics of what was taken
// are JSON; and they are the same whether the lines came forwards or backwards.
#include "drive.h"

#include "stats/stats.h"

#define LINES_MOST 64u // their statistics cost by the line

typedef struct cut {
    lg_str lines[LINES_MOST];
    size_t count;
} cut;

static void cut_lines(lg_str text, cut *ret)
{
    ret->count = 0;
    for (size_t at = 0; at < text.len && ret->count < LINES_MOST;) {
        size_t end = lg_str_line_end(text, at);
        ret->lines[ret->count++] = lg_str_slice(text, at, end);
        at = end + 1;
    }
}

static lg_stats *taken(const cut *c, bool backwards, size_t *ret_duplicates)
{
    lg_stats *stats;
    lg_error error;
    *ret_duplicates = 0;
    drive_require(lg_stats_new(&stats, &error) == LG_OK);
    for (size_t i = 0; i < c->count; i++) {
        lg_stats_added added;
        size_t before = lg_stats_count(stats);
        lg_status status =
            lg_stats_add(stats, c->lines[backwards ? c->count - 1 - i : i], &added, &error);
        if (status != LG_OK) {
            drive_check_text(lg_str_c(error.msg));
            drive_require(error.msg[0] != '\0');
        }
        bool counted = status == LG_OK && added.kind == LG_STATS_RESULT;
        *ret_duplicates += status == LG_OK && added.kind == LG_STATS_DUPLICATE;
        drive_require(lg_stats_count(stats) == before + counted);
    }
    return stats;
}

static void write(const lg_stats *stats, lg_buf *out)
{
    const lg_stats_options options = {.writes_only = true, .runs = true, .baseline = stats};
    lg_error error;
    lg_buf_init(out, 0);
    lg_json_writer w = {.out = out};
    lg_jw_begin_object(&w);
    drive_require(lg_stats_write(stats, &options, &w, &error) == LG_OK);
    lg_jw_end_object(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cut c;
    size_t duplicates, again;
    lg_buf text, other;
    lg_arena arena;
    const lg_json *root;
    cut_lines(lg_str_of((const char *)data, size), &c);
    lg_stats *stats = taken(&c, false, &duplicates);
    lg_stats *backwards = taken(&c, true, &again);
    write(stats, &text);
    write(backwards, &other);
    lg_arena_init(&arena, 0);
    drive_require(lg_json_parse_in(&arena, lg_buf_str(&text), 0, text.len, NULL, &root, NULL) ==
                  LG_OK);
    // Of two that are called the same the first counts; and a column too many is refused, whichever came last.
    if (duplicates == 0 && again == 0 && lg_stats_count(stats) == c.count &&
        lg_stats_count(backwards) == c.count) {
        drive_require(lg_str_eq(lg_buf_str(&text), lg_buf_str(&other)));
    }
    lg_arena_done(&arena);
    lg_buf_done(&text);
    lg_buf_done(&other);
    lg_stats_free(stats);
    lg_stats_free(backwards);
    return 0;
}
