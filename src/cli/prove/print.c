// print.c: the answer as a table.
//
// What is proved is said in few words: the claims about one rule stand in one line. What is not has
// a line of its own, then where and why, and the example. Columns are as wide as what stands in
// them, up to a limit; a longer name is followed by a new line, so nothing is ever out of place.
#include "cli/prove/answer.h"

#include "base/utf8.h"

#define SUBJECT_MAX 60u
#define WORDS_MAX 44u
#define DETAIL_INDENT 6u

// One line: claims about one tool, or one rule of it, with the same outcome.
typedef struct table_row {
    const lg_json *claim; // the first of them
    lg_str words;         // of all of them
    struct table_row *next;
} table_row;

// The lines of one tool. Those about the same rule stand together, wherever they came up.
typedef struct table_group {
    lg_str tool;
    table_row *first;
    table_row *last;
} table_group;

typedef struct table {
    lg_arena arena;
    table_group *groups; // in the order in which they come up
    size_t group_count;
    size_t subject_width;
    size_t words_width;
    bool oom;
} table;

static const lg_json *get(const lg_json *object, const char *key)
{
    return lg_json_get(object, lg_str_c(key));
}

static lg_str text(const lg_json *object, const char *key)
{
    return lg_json_str(get(object, key));
}

static bool is_proved(const lg_json *claim)
{
    return lg_str_eq(text(claim, "outcome"), LG_STR("proved"));
}

// --- Rows ---------------------------------------------------------------------------------------

static table_group *group_of(table *t, lg_str tool)
{
    for (size_t i = t->group_count; i-- > 0;) {
        if (lg_str_eq(t->groups[i].tool, tool)) {
            return &t->groups[i];
        }
    }
    t->groups[t->group_count] = (table_group){.tool = tool};
    return &t->groups[t->group_count++];
}

static lg_str subject_of(table *t, const lg_json *claim)
{
    lg_str rule = text(claim, "rule");
    lg_str other = text(claim, "other");
    if (!other.len) {
        return rule;
    }
    lg_str both = lg_arena_printf(&t->arena, "%.*s + %.*s", LG_FMT(rule), LG_FMT(other));
    t->oom = t->oom || !both.ptr;
    return both.ptr ? both : rule;
}

static bool is_same_subject(const lg_json *a, const lg_json *b)
{
    return lg_str_eq(text(a, "rule"), text(b, "rule")) &&
           lg_str_eq(text(a, "other"), text(b, "other"));
}

// The last line with the subject of the claim, and the one among them that takes it in; or NULL.
static table_row *find_row(const table_group *group, const lg_json *claim, table_row **ret_joins)
{
    table_row *found = NULL;
    *ret_joins = NULL;
    for (table_row *row = group->first; row; row = row->next) {
        if (is_same_subject(row->claim, claim)) {
            found = row;
            *ret_joins = is_proved(row->claim) && is_proved(claim) ? row : *ret_joins;
        } else if (found) {
            break;
        }
    }
    return found;
}

static void insert(table_group *group, table_row *row, table_row *after)
{
    if (after) {
        row->next = after->next;
        after->next = row;
    } else {
        row->next = group->first;
        group->first = row;
    }
    group->last = row->next ? group->last : row;
}

static void add_claim(table *t, const lg_json *claim, bool alone)
{
    table_group *group = group_of(t, text(claim, "tool"));
    table_row *joins;
    table_row *same = find_row(group, claim, &joins);
    lg_str word = text(claim, "obligation");
    if (!alone && joins) {
        lg_str both = lg_arena_printf(&t->arena, "%.*s, %.*s", LG_FMT(joins->words), LG_FMT(word));
        t->oom = t->oom || !both.ptr;
        joins->words = both.ptr ? both : joins->words;
        return;
    }
    table_row *row = LG_NEW(&t->arena, table_row);
    if (!row) {
        t->oom = true;
        return;
    }
    *row = (table_row){.claim = claim, .words = word};
    // What is about the tool itself comes first.
    insert(group, row, same ? same : subject_of(t, claim).len ? group->last : NULL);
}

static size_t wider(size_t width, lg_str shown, size_t more, size_t most)
{
    size_t asked = lg_utf8_count(shown) + more;
    return asked > width && asked <= most ? asked : width;
}

static void measure(table *t, const table_group *group)
{
    t->subject_width = wider(t->subject_width, group->tool, 0, SUBJECT_MAX);
    for (const table_row *row = group->first; row; row = row->next) {
        t->subject_width = wider(t->subject_width, subject_of(t, row->claim), 2, SUBJECT_MAX);
        t->words_width = wider(t->words_width, row->words, 0, WORDS_MAX);
    }
}

static bool make_table(table *t, const lg_json *claims, bool alone)
{
    size_t count = lg_json_len(claims);
    lg_arena_init(&t->arena, 0);
    t->groups = LG_NEW_ARRAY(&t->arena, table_group, count + 1);
    if (!t->groups) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        add_claim(t, &claims->as.items[i], alone);
    }
    for (size_t i = 0; i < t->group_count; i++) {
        measure(t, &t->groups[i]);
    }
    return !t->oom;
}

// --- Lines --------------------------------------------------------------------------------------

// A cell and two blanks; the next one begins in a new line if this one is too long.
static void add_cell(cli_out *out, lg_str shown, size_t width, size_t indent)
{
    cli_pad(out, shown, width);
    if (lg_utf8_count(shown) > width) {
        lg_buf_add_c(&out->buf, "\n");
        lg_buf_add_repeat(&out->buf, ' ', indent + width);
    }
    lg_buf_add_c(&out->buf, "  ");
}

static void add_outcome(cli_out *out, const lg_json *claim)
{
    lg_str outcome = text(claim, "outcome");
    bool finding = lg_json_is_true(get(claim, "finding"));
    cli_colour(out, finding ? "31" : is_proved(claim) ? "32" : "33");
    lg_buf_add(&out->buf, outcome);
    cli_colour(out, "0");
    if (!finding && lg_str_eq(outcome, LG_STR("refuted"))) {
        lg_buf_add_c(&out->buf, ", a remark");
    }
    lg_buf_add_c(&out->buf, "\n");
}

static void add_place(lg_buf *out, const char *file, const lg_json *at)
{
    int64_t line = 0;
    int64_t column = 0;
    (void)lg_json_int(get(at, "line"), &line);
    (void)lg_json_int(get(at, "column"), &column);
    lg_buf_addf(out, "%s:%lld:%lld", file, (long long)line, (long long)column);
}

static void print_details(cli_out *out, const prove_answer *answer, const lg_json *claim,
                          bool examples)
{
    if (!is_proved(claim)) {
        lg_str why = text(claim, "why");
        lg_buf_add_repeat(&out->buf, ' ', DETAIL_INDENT);
        add_place(&out->buf, answer->file, claim);
        lg_buf_add_c(&out->buf, ": ");
        cli_add_text(out, why.len ? why : text(claim, "claim"));
        lg_buf_add_c(&out->buf, "\n");
    }
    if (examples || !is_proved(claim)) {
        prove_print_example(&out->buf, get(claim, "example"), DETAIL_INDENT);
    }
}

static void print_row(cli_out *out, table *t, const table_row *row, lg_str subject, size_t indent)
{
    size_t width = t->subject_width > indent ? t->subject_width - indent : 0;
    lg_buf_add_repeat(&out->buf, ' ', indent);
    if (indent == 0) {
        cli_colour(out, "1");
    }
    add_cell(out, subject, width, indent);
    if (indent == 0) {
        cli_colour(out, "0");
    }
    add_cell(out, row->words, t->words_width, t->subject_width + 2);
    add_outcome(out, row->claim);
}

// The name of the tool stands in the first line if that is about the tool itself.
static void print_group(cli_out *out, const prove_answer *answer, table *t,
                        const table_group *group, bool examples)
{
    lg_str tool = group->tool.len ? group->tool : LG_STR("several tools");
    const lg_json *above = NULL;
    for (const table_row *row = group->first; row; row = row->next) {
        lg_str subject = subject_of(t, row->claim);
        bool heads = !above && !subject.len;
        if (!above && !heads) {
            cli_colour(out, "1");
            lg_buf_addf(&out->buf, "%.*s", LG_FMT(tool));
            cli_colour(out, "0");
            lg_buf_add_c(&out->buf, "\n");
        }
        bool said = above && !examples && is_same_subject(above, row->claim);
        print_row(out, t, row, heads ? tool : said ? LG_STR("") : subject, heads ? 0 : 2);
        print_details(out, answer, row->claim, examples);
        cli_out_flush_some(out);
        above = row->claim;
    }
}

static void add_source(lg_buf *out, const prove_answer *answer, const lg_json *seconds)
{
    double value = 0;
    if (answer->cached) {
        lg_buf_add_c(out, "; from the cache\n");
    } else if (lg_json_double(seconds, &value)) {
        lg_buf_addf(out, "; %.1f s\n", value);
    }
}

static uint64_t count_of(const lg_json *summary, const char *key)
{
    int64_t value = 0;
    return lg_json_int(get(summary, key), &value) && value > 0 ? (uint64_t)value : 0;
}

static void print_proof(cli_out *out, const prove_answer *answer, bool examples)
{
    table t = {0};
    const lg_json *summary = get(answer->root, "summary");
    out->failed = !make_table(&t, get(answer->root, "obligations"), examples) || out->failed;
    for (size_t i = 0; i < t.group_count && !out->failed; i++) {
        print_group(out, answer, &t, &t.groups[i], examples);
    }
    lg_arena_done(&t.arena);
    uint64_t findings = count_of(summary, "findings");
    lg_buf_addf(&out->buf,
                "%s%.*s: %zu proved, %zu refuted (%zu finding%s), %zu assumed, %zu unknown",
                t.group_count ? "\n" : "", LG_FMT(text(answer->root, "pack")),
                (size_t)count_of(summary, "proved"), (size_t)count_of(summary, "refuted"),
                (size_t)findings, lg_plural(findings), (size_t)count_of(summary, "assumed"),
                (size_t)count_of(summary, "unknown"));
    add_source(&out->buf, answer, get(summary, "seconds"));
    if (count_of(summary, "unknown")) {
        lg_buf_add_c(&out->buf, "What is unknown was not decided within the limits: --max-seconds "
                                "N and --timeout MS raise them, --tool NAME asks of one tool.\n");
    }
}

// --- Two packs ----------------------------------------------------------------------------------

static bool is_equal(const lg_json *tool)
{
    return lg_str_eq(text(tool, "relation"), LG_STR("equal"));
}

static void print_tool(cli_out *out, const prove_answer *answer, const lg_json *tool, size_t width)
{
    lg_str why = text(tool, "why");
    bool proved = lg_json_is_true(get(tool, "proved"));
    bool in_old = lg_str_eq(text(tool, "in"), LG_STR("old"));
    add_cell(out, text(tool, "tool"), width, 0);
    cli_colour(out, is_equal(tool) ? "32" : "33");
    cli_pad(out, text(tool, "relation"), 12);
    cli_colour(out, "0");
    lg_buf_add_c(&out->buf, proved ? "  proved\n" : "  not proved\n");
    if (!is_equal(tool) || why.len) {
        lg_buf_add_repeat(&out->buf, ' ', DETAIL_INDENT);
        add_place(&out->buf, in_old ? answer->old_file : answer->file, tool);
        if (why.len) {
            lg_buf_add_c(&out->buf, ": ");
            cli_add_text(out, why);
        }
        lg_buf_add_c(&out->buf, "\n");
    }
    prove_print_example(&out->buf, get(tool, "stricter"), DETAIL_INDENT);
    prove_print_example(&out->buf, get(tool, "looser"), DETAIL_INDENT);
    cli_out_flush_some(out);
}

// Verdicts may be equal, and the packs differ all the same.
static void print_uncompared(cli_out *out, const prove_answer *answer)
{
    const lg_json *parts = get(answer->root, "uncompared");
    lg_buf_add_c(&out->buf,
                 lg_json_len(parts) ? "\nthese differ, too, and are not compared:\n" : "");
    for (size_t i = 0; i < lg_json_len(parts); i++) {
        const lg_json *part = &parts->as.items[i];
        bool in_old = lg_str_eq(text(part, "in"), LG_STR("old"));
        lg_buf_add_c(&out->buf, "  ");
        add_place(&out->buf, in_old ? answer->old_file : answer->file, part);
        lg_buf_add_c(&out->buf, ": ");
        cli_add_text(out, text(part, "what"));
        lg_buf_add_c(&out->buf, "\n");
        cli_out_flush_some(out);
    }
}

static void print_difference(cli_out *out, const prove_answer *answer)
{
    const lg_json *tools = get(answer->root, "tools");
    size_t count = lg_json_len(tools);
    size_t width = 0;
    for (size_t i = 0; i < count; i++) {
        width = wider(width, text(&tools->as.items[i], "tool"), 0, SUBJECT_MAX);
    }
    for (size_t i = 0; i < count; i++) {
        print_tool(out, answer, &tools->as.items[i], width);
    }
    print_uncompared(out, answer);
    lg_str relation = text(answer->root, "relation");
    bool comparable =
        lg_str_eq(relation, LG_STR("stricter")) || lg_str_eq(relation, LG_STR("looser"));
    bool unknown = lg_str_eq(relation, LG_STR("unknown"));
    bool proved = lg_json_is_true(get(answer->root, "proved"));
    lg_buf_addf(&out->buf, "%s", count ? "\n" : "");
    if (unknown) {
        lg_buf_add_c(&out->buf,
                     "how the verdicts of the two packs stand to each other is not proved");
    } else {
        lg_buf_addf(&out->buf, "the verdicts of the new pack are %.*s%s%s", LG_FMT(relation),
                    comparable ? " than those of the old one" : " to those of the old one",
                    proved ? ", proved" : ", though not of every tool it is proved how");
    }
    add_source(&out->buf, answer, get(answer->root, "seconds"));
}

void prove_print(cli_out *out, const prove_answer *answer, bool examples)
{
    if (answer->is_difference) {
        print_difference(out, answer);
    } else {
        print_proof(out, answer, examples);
    }
}
