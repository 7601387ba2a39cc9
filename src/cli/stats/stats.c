// stats.c: `ledgergate stats`: what do many audits say together?
#include "cli/stats/stats.h"

#include "cli/files.h"
#include "cli/lines.h"
#include "stats/stats.h"

#include <stdio.h>

static const char help[] =
    "usage: ledgergate stats AUDIT... [--json] [--writes-only] [--runs] [--compare OTHER]\n"
    "\n"
    "What many results of `ledgergate audit` say together: pass^k, failures by class, how well "
    "each\n"
    "score tells passed from failed conversations (ROC, with 95 % intervals over customers),\n"
    "comparisons of models, violations by kind and model. AUDIT is a file of results (JSON "
    "Lines),\n"
    "or a folder with results.jsonl anywhere below it; - is standard input. Of a divided run give\n"
    "all parts: the statistics are those of the whole. A result that comes twice counts once. A "
    "line\n"
    "that cannot be read is named, the others are counted, and the exit code is 2.\n"
    "\n"
    "  --writes-only    pass^k of the conversations alone that have to change something\n"
    "  --runs           several runs of a task compared with one another\n"
    "  --compare OTHER  what has changed since an earlier audit, OTHER\n"
    "  --json           one JSON object (docs/stats.md)\n"
    "\n"
    "Exit codes: 0 fine, 2 bad input, 3 internal or environment.\n";

#define PROBLEMS_SAID 50u   // of bad lines; of the others the number
#define DUPLICATES_SAID 20u // likewise

// A line that is bad, or there twice.
typedef struct problem {
    lg_position at;
    const char *message;
} problem;

typedef struct problems {
    problem *items;
    size_t count; // of all
    size_t kept, capacity;
    size_t most;
} problems;

typedef struct run {
    lg_arena arena;
    problems bad, twice;
    size_t lines, other;
    int code;
} run;

// --- What is wrong --------------------------------------------------------------------------------

static void note(run *r, problems *list, lg_position at, const char *message)
{
    if (list->count++ >= list->most) {
        return;
    }
    problem *items =
        lg_arena_grow(&r->arena, list->items, list->kept, &list->capacity, sizeof(*items));
    lg_str copy = lg_arena_str(&r->arena, lg_str_c(message));
    if (!items || !copy.ptr) {
        (void)cli_out_of_memory(&r->code);
        return;
    }
    list->items = items;
    items[list->kept++] = (problem){at, copy.ptr};
    cli_progress("", 0, 0);
    if (at.column) {
        cli_say("%s:%u:%u: %s", at.file, at.line, at.column, message);
    } else {
        cli_say("%s:%u: %s", at.file, at.line, message);
    }
}

static void note_bad(run *r, const cli_lines *lines, const lg_error *error)
{
    int code = cli_exit_code(error->status);
    r->code = code > r->code ? code : r->code;
    note(r, &r->bad, (lg_position){lines->name, lines->number, error->column}, error->msg);
}

static void note_twice(run *r, const cli_lines *lines, lg_str id)
{
    char message[128];
    snprintf(message, sizeof(message), "result %.*s is there already, and counts once",
             (int)(id.len < 64 ? id.len : 64), id.ptr);
    note(r, &r->twice, (lg_position){lines->name, lines->number, 0}, message);
}

static void say_more(const problems *list, const char *what)
{
    if (list->count > list->kept) {
        cli_say("ledgergate: and %zu more %s", list->count - list->kept, what);
    }
}

// --- Reading --------------------------------------------------------------------------------------

// False: it makes no sense to go on.
static bool add_line(run *r, lg_stats *stats, const cli_lines *lines, lg_str line)
{
    lg_error error;
    lg_stats_added added;
    lg_status status = lg_stats_add(stats, line, &added, &error);
    r->lines++;
    if (status == LG_ERR_OOM) {
        return cli_out_of_memory(&r->code);
    }
    if (status != LG_OK) {
        note_bad(r, lines, &error);
    } else if (added.kind == LG_STATS_DUPLICATE) {
        note_twice(r, lines, added.id);
    }
    r->other += status == LG_OK && added.kind == LG_STATS_OTHER;
    return true;
}

static bool add_lines(run *r, lg_stats *stats, cli_lines *lines, lg_error *reterr)
{
    for (;;) {
        lg_str line;
        bool more = false;
        lg_status status = cli_lines_next(lines, &line, &more, reterr);
        if (status == LG_ERR_LIMIT) {
            note_bad(r, lines, reterr);
        } else if (status != LG_OK) {
            return false;
        } else if (!more) {
            return true;
        } else if (!add_line(r, stats, lines, line)) {
            return lg_fail_oom(reterr) == LG_OK;
        }
    }
}

static void add_file(run *r, lg_stats *stats, cli_files *files, size_t i)
{
    cli_lines lines;
    lg_error error;
    cli_progress(files->paths[i], i, files->count);
    bool ok = cli_lines_open(&lines, files->paths[i], &error) == LG_OK &&
              add_lines(r, stats, &lines, &error);
    if (!ok) {
        cli_files_break(files, i, &error, LG_STR(""));
    }
    cli_lines_close(&lines);
}

// Reads all of `paths`; the statistics, or NULL after saying what is wrong.
static lg_stats *read_all(run *r, cli_files *files, char **paths, size_t count)
{
    static const char *const endings[] = {"results.jsonl", NULL};
    lg_stats *stats = NULL;
    lg_error error;
    if (!cli_files_list(files, paths, count, endings)) {
        r->code = EXIT_INTERNAL;
        return NULL;
    }
    if (lg_stats_new(&stats, &error) != LG_OK) {
        (void)cli_out_of_memory(&r->code);
        return NULL;
    }
    for (size_t i = 0; i < files->count && r->code != EXIT_INTERNAL; i++) {
        add_file(r, stats, files, i);
    }
    cli_progress("", 0, 0);
    say_more(&r->bad, "bad lines");
    say_more(&r->twice, "that are there already");
    cli_files_end(files);
    r->code = cli_files_code(files, r->code);
    if (lg_stats_count(stats) == 0 && r->code == EXIT_FINE) {
        cli_say(files->count ? "ledgergate: there are no results in %s%s"
                             : "ledgergate: there is no results.jsonl in %s%s",
                paths[0], count > 1 ? " and the others" : "");
        r->code = EXIT_USAGE;
    }
    return stats;
}

// --- Writing --------------------------------------------------------------------------------------

static void write_problems(lg_json_writer *w, const char *key, const problems *list)
{
    lg_jw_key(w, key);
    lg_jw_begin_array(w);
    for (size_t i = 0; i < list->kept; i++) {
        lg_jw_begin_object(w);
        cli_write_position(w, list->items[i].at);
        lg_jw_member_c(w, "message", list->items[i].message);
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}

static void write_input(lg_json_writer *w, const run *r, const cli_files *files)
{
    lg_jw_key(w, "input");
    lg_jw_begin_object(w);
    lg_jw_member_uint(w, "files", files->count);
    lg_jw_member_uint(w, "lines", r->lines);
    lg_jw_member_uint(w, "other_lines", r->other);
    lg_jw_member_uint(w, "bad_lines", r->bad.count);
    lg_jw_member_uint(w, "duplicates", r->twice.count);
    cli_files_write_counts(files, w);
    write_problems(w, "problems", &r->bad);
    write_problems(w, "named_duplicates", &r->twice);
    lg_jw_end_object(w);
}

static void print(cli_out *out, lg_str text, int *code)
{
    lg_arena arena;
    const lg_json *root;
    lg_error error;
    lg_arena_init(&arena, 0);
    if (lg_json_parse_in(&arena, text, 0, text.len, NULL, &root, &error) != LG_OK) {
        *code = EXIT_INTERNAL;
        cli_say_error(&error, LG_STR(""));
    } else {
        cli_stats_print(out, root);
    }
    lg_arena_done(&arena);
}

static void write_all(run *r, const lg_stats *stats, const cli_files *files,
                      const lg_stats_options *options, bool json)
{
    cli_out out;
    lg_buf text;
    lg_error error;
    cli_out_init(&out, json);
    lg_buf_init(&text, 0);
    lg_json_writer w = {.out = &text};
    lg_jw_begin_object(&w);
    write_input(&w, r, files);
    if (lg_stats_write(stats, options, &w, &error) != LG_OK) {
        (void)cli_out_of_memory(&r->code);
    } else {
        lg_jw_end_object(&w);
        if (json) {
            lg_buf_add(&out.buf, lg_buf_str(&text));
            lg_buf_add_c(&out.buf, "\n");
        } else {
            print(&out, lg_buf_str(&text), &r->code);
        }
    }
    lg_buf_done(&text);
    r->code = cli_out_done(&out, r->code);
}

static void begin(run *r)
{
    *r = (run){.bad = {.most = PROBLEMS_SAID}, .twice = {.most = DUPLICATES_SAID}};
    lg_arena_init(&r->arena, 0);
}

// What an earlier audit says, for comparison.
static lg_stats *read_baseline(const char *path, int *code)
{
    run r;
    cli_files files;
    char *paths[] = {(char *)(uintptr_t)path}; // nobody writes to it
    begin(&r);
    lg_stats *stats = read_all(&r, &files, paths, 1);
    *code = r.code;
    cli_files_close(&files);
    lg_arena_done(&r.arena);
    return stats;
}

static int run_stats(char **paths, size_t count, lg_stats_options *options, const char *other,
                     bool json)
{
    run r;
    cli_files files;
    int code = EXIT_FINE;
    lg_stats *baseline = other ? read_baseline(other, &code) : NULL;
    options->baseline = baseline;
    begin(&r);
    lg_stats *stats = read_all(&r, &files, paths, count);
    r.code = code > r.code ? code : r.code;
    if (stats && r.code != EXIT_INTERNAL && (json || lg_stats_count(stats))) {
        write_all(&r, stats, &files, options, json);
    }
    lg_stats_free(stats);
    lg_stats_free(baseline);
    cli_files_close(&files);
    lg_arena_done(&r.arena);
    return r.code;
}

int cli_stats(int argc, char **argv)
{
    if (cli_wants_help(argc, argv)) {
        return cli_print_help(help);
    }
    const char *other = NULL;
    bool json = false;
    lg_stats_options settings = {0};
    const cli_option options[] = {{"--json", NULL, &json},
                                  {"--writes-only", NULL, &settings.writes_only},
                                  {"--runs", NULL, &settings.runs},
                                  {"--compare", &other, NULL}};
    size_t operands;
    int code = cli_parse("stats", argc, argv, options, LG_COUNT(options), &operands);
    if (code != EXIT_FINE) {
        return code;
    }
    if (operands == 0) {
        return cli_usage("stats", "give at least one audit: a folder or its results.jsonl");
    }
    return run_stats(argv, operands, &settings, other, json);
}
