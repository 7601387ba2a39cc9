// print.c: the statistics for people: tables of what the JSON holds.
#include "cli/stats/stats.h"
#include "cli/stats/table.h"

#include <stdio.h>

#define KINDS_SHOWN 40u
#define PASS_SHOWN 8u // of the k

typedef struct printing {
    cli_out *out;
    const lg_json *root;
    lg_arena arena;
    cli_table table;
} printing;

static const lg_json *get(const lg_json *object, const char *key)
{
    return lg_json_get(object, lg_str_c(key));
}

static lg_str name_of(const lg_json *object, const char *key)
{
    lg_str name = lg_json_str(get(object, key));
    return name.len ? name : LG_STR("(none)");
}

static double number_in(const lg_json *object, const char *key)
{
    double number = 0;
    return lg_json_double(get(object, key), &number) ? number : 0;
}

static void begin(printing *p, const char *columns, const char *const *heading)
{
    cli_table_begin(&p->table, &p->arena, columns);
    for (size_t i = 0; columns[i]; i++) {
        cli_table_c(&p->table, heading[i]);
    }
}

#define BEGIN(p, columns, ...) begin((p), (columns), (const char *const[]){__VA_ARGS__})

static void end(printing *p, const char *title)
{
    cli_table_print(&p->table, p->out, title);
    lg_arena_reset(&p->arena);
}

static void add_group(printing *p, const lg_json *group)
{
    cli_table_text(&p->table, name_of(group, "domain"));
    cli_table_text(&p->table, name_of(group, "model"));
}

// --- By domain and model ----------------------------------------------------------------------------

static void print_groups(printing *p)
{
    static const char *const scores[] = {"outcome", "aggregate", "aggregate_once", "process"};
    const lg_json *groups = get(p->root, "by_group");
    BEGIN(p, "llrrrrrrr", "domain", "model", "n", "rewarded", "passed", "outcome", "aggregate",
          "once", "process");
    for (size_t i = 0; i < lg_json_len(groups); i++) {
        const lg_json *group = lg_json_item(groups, i);
        add_group(p, group);
        cli_table_number(&p->table, get(group, "n"), 0);
        cli_table_number(&p->table, get(group, "rewarded"), 0);
        cli_table_percent(&p->table, get(group, "pass_rate"));
        for (size_t k = 0; k < LG_COUNT(scores); k++) {
            cli_table_number(&p->table, get(get(get(group, "scores"), scores[k]), "mean"),
                             k == 0 ? 3 : 1);
        }
    }
    end(p, "Results, and the means of their scores");
}

static void print_pass(printing *p)
{
    const lg_json *groups = get(p->root, "pass_k");
    const lg_json *only = get(p->root, "writes_only");
    BEGIN(p, "llrrl", "domain", "model", "tasks", "runs", "pass^1, pass^2, ...");
    for (size_t i = 0; i < lg_json_len(groups); i++) {
        const lg_json *group = lg_json_item(groups, i);
        const lg_json *pass = get(group, "pass");
        char text[128] = "";
        for (size_t k = 0, at = 0; k < lg_json_len(pass) && k < PASS_SHOWN; k++) {
            at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%.3f", k ? "  " : "",
                                   number_in(lg_json_item(pass, k), "value"));
        }
        add_group(p, group);
        cli_table_number(&p->table, get(group, "tasks"), 0);
        cli_table_number(&p->table, get(group, "runs"), 0);
        cli_table_c(&p->table, text);
    }
    end(p, only ? "pass^k, tasks that have to change something" : "pass^k");
    if (only && number_in(only, "tasks_unknown") > 0) {
        lg_buf_addf(&p->out->buf, "  of %.0f tasks it is not known, they are left out\n\n",
                    number_in(only, "tasks_unknown"));
    }
}

static void print_composite(printing *p)
{
    const lg_json *checks = get(get(p->root, "composite"), "checks");
    BEGIN(p, "lrr", "check", "n", "mean");
    for (size_t i = 0; i < lg_json_len(checks); i++) {
        const lg_json *check = lg_json_item(checks, i);
        cli_table_text(&p->table, name_of(check, "check"));
        cli_table_number(&p->table, get(check, "n"), 0);
        cli_table_number(&p->table, get(check, "mean"), 3);
    }
    if (lg_json_len(checks)) {
        const lg_json *composite = get(p->root, "composite");
        cli_table_c(&p->table, "all, 0 to 100");
        cli_table_number(&p->table, get(composite, "n"), 0);
        cli_table_number(&p->table, get(composite, "mean"), 1);
    }
    end(p, "Recorded checks");
}

// --- Curves -----------------------------------------------------------------------------------------

static void add_auc(printing *p, lg_str name, const lg_json *areas)
{
    cli_table_text(&p->table, name);
    cli_table_interval(&p->table, get(areas, "overall"), "auc");
    cli_table_interval(&p->table, get(areas, "within_groups"), "auc");
    cli_table_number(&p->table, get(get(areas, "overall"), "n"), 0);
}

static void print_roc(printing *p)
{
    const lg_json *scores = get(p->root, "scores");
    if (number_in(get(p->root, "overall"), "rewarded") == 0) {
        return;
    }
    BEGIN(p, "lllr", "score", "overall", "within domain and model", "n");
    add_auc(p, LG_STR("outcome"), get(p->root, "roc_auc"));
    for (size_t i = 0; i < lg_json_len(scores); i++) {
        const lg_json_member *score = lg_json_member_at(scores, i);
        add_auc(p, lg_json_key(score), &score->value);
    }
    end(p, "ROC-AUC against the reward (95 %)");
}

static void print_roc_parts(printing *p, const char *key, const char *title)
{
    const lg_json *parts = get(get(p->root, "roc_auc"), key);
    BEGIN(p, "llrr", "", "outcome", "n", "passed");
    for (size_t i = 0; i < lg_json_len(parts) && lg_json_len(parts) > 1; i++) {
        const lg_json_member *part = lg_json_member_at(parts, i);
        cli_table_text(&p->table, lg_json_key(part));
        cli_table_interval(&p->table, &part->value, "auc");
        cli_table_number(&p->table, get(&part->value, "n"), 0);
        cli_table_number(&p->table, get(&part->value, "positives"), 0);
    }
    end(p, title);
}

static void print_runs(printing *p)
{
    const lg_json *scores = get(p->root, "roc_auc_runs");
    BEGIN(p, "lllll", "score", "own", "with the task's others", "less the others", "within tasks");
    for (size_t i = 0; i < lg_json_len(scores); i++) {
        const lg_json_member *score = lg_json_member_at(scores, i);
        const lg_json *areas = &score->value;
        cli_table_text(&p->table, lg_json_key(score));
        cli_table_interval(&p->table, get(get(areas, "own"), "overall"), "auc");
        cli_table_interval(&p->table, get(get(areas, "blend"), "overall"), "auc");
        cli_table_interval(&p->table, get(get(areas, "difference"), "overall"), "auc");
        cli_table_interval(&p->table, get(areas, "within_tasks"), "auc");
    }
    end(p, "ROC-AUC, several runs of a task compared");
}

// --- Failures and violations ------------------------------------------------------------------------

static void print_failures(printing *p, const char *key, const char *title)
{
    const lg_json *classes = get(get(get(p->root, "failures"), key), "classes");
    char text[64];
    BEGIN(p, "lrr", "class", "n", "share");
    for (size_t i = 0; i < lg_json_len(classes); i++) {
        const lg_json *one = lg_json_item(classes, i);
        snprintf(text, sizeof(text), "%.1f %%", number_in(one, "percent"));
        cli_table_text(&p->table, name_of(one, "class"));
        cli_table_number(&p->table, get(one, "n"), 0);
        cli_table_c(&p->table, text);
    }
    end(p, title);
}

static void print_violations(printing *p)
{
    const lg_json *violations = get(p->root, "violations");
    const lg_json *kinds = get(violations, "kinds");
    const lg_json *passed = get(violations, "passed_with_finding");
    BEGIN(p, "llrrrr", "kind", "severity", "findings", "conversations", "share", "of passed");
    for (size_t i = 0; i < lg_json_len(kinds) && i < KINDS_SHOWN; i++) {
        const lg_json *kind = lg_json_item(kinds, i);
        cli_table_text(&p->table, name_of(kind, "kind"));
        cli_table_text(&p->table, name_of(kind, "severity"));
        cli_table_number(&p->table, get(kind, "findings"), 0);
        cli_table_number(&p->table, get(kind, "conversations"), 0);
        cli_table_percent(&p->table, get(kind, "share"));
        cli_table_percent(&p->table, get(kind, "passed_share"));
    }
    end(p, "Findings");
    if (number_in(passed, "passed") > 0) {
        lg_buf_addf(&p->out->buf, "%.0f of %.0f that passed have a finding that is no hint\n\n",
                    number_in(passed, "with_finding"), number_in(passed, "passed"));
    }
}

// The share of a kind in a group; no row of it means none.
static void add_share(printing *p, const char *name, const lg_json *group)
{
    const lg_json *kinds = get(get(p->root, "violations"), "kinds");
    char text[32] = "0.0 %";
    for (size_t i = 0; i < lg_json_len(kinds); i++) {
        const lg_json *kind = lg_json_item(kinds, i);
        const lg_json *groups = get(kind, "by_group");
        if (!lg_str_eq(name_of(kind, "kind"), lg_str_c(name))) {
            continue;
        }
        for (size_t k = 0; k < lg_json_len(groups); k++) {
            const lg_json *one = lg_json_item(groups, k);
            if (lg_json_equal(get(one, "domain"), get(group, "domain")) &&
                lg_json_equal(get(one, "model"), get(group, "model"))) {
                snprintf(text, sizeof(text), "%.1f %%", 100 * number_in(one, "share"));
            }
        }
    }
    cli_table_c(&p->table, text);
}

// What the paper tells models apart by (AgentPex, section 4.5).
static void print_protocol(printing *p)
{
    static const char *const names[] = {"text_with_call", "several_calls", "skipped_verification",
                                        "unauthenticated_write"};
    const lg_json *groups = get(p->root, "by_group");
    BEGIN(p, "llrrrr", "domain", "model", "text with call", "several calls", "not verified",
          "unauthenticated");
    for (size_t i = 0; i < lg_json_len(groups) && i < KINDS_SHOWN * 4; i++) {
        const lg_json *group = lg_json_item(groups, i);
        add_group(p, group);
        for (size_t k = 0; k < LG_COUNT(names); k++) {
            add_share(p, names[k], group);
        }
    }
    end(p, "Conversations with these findings");
}

// --- Comparisons ------------------------------------------------------------------------------------

static void print_models(printing *p)
{
    const lg_json *all = get(p->root, "comparisons");
    BEGIN(p, "lllrlrr", "model", "less model", "domain", "tasks", "pass rate", "p", "Holm");
    for (size_t i = 0; i < lg_json_len(all); i++) {
        const lg_json *one = lg_json_item(all, i);
        if (!lg_str_eq(name_of(one, "measure"), LG_STR("pass_rate"))) {
            continue;
        }
        cli_table_text(&p->table, name_of(one, "a"));
        cli_table_text(&p->table, name_of(one, "b"));
        cli_table_text(&p->table, lg_json_is(get(one, "domain"), LG_JSON_NULL)
                                      ? LG_STR("all")
                                      : name_of(one, "domain"));
        cli_table_number(&p->table, get(one, "tasks"), 0);
        cli_table_interval(&p->table, one, "difference");
        cli_table_number(&p->table, get(one, "p"), 4);
        cli_table_number(&p->table, get(one, "p_holm"), 4);
    }
    end(p, "Models on the same tasks (95 %)");
}

// What is in no pair is in no mean: with changed recordings pairs by conversation are those that did not change.
static const char *pairing(const lg_json *trend)
{
    lg_str by = name_of(trend, "paired_by");
    return lg_str_eq(by, LG_STR("conversation"))     ? "of the very same conversation"
           : lg_str_eq(by, LG_STR("model_and_task")) ? "of the same model and task"
                                                     : "of the same task";
}

static void print_trend(printing *p)
{
    const lg_json *trend = get(p->root, "trend");
    const lg_json *measures = get(trend, "measures");
    const lg_json *kinds = get(trend, "kinds");
    if (!trend) {
        return;
    }
    lg_buf_addf(&p->out->buf,
                "Since the other audit: %.0f results before, %.0f now; %.0f pairs %s\n\n",
                number_in(trend, "before"), number_in(trend, "after"), number_in(trend, "paired"),
                pairing(trend));
    BEGIN(p, "lrrrlr", "mean of", "pairs", "before", "now", "difference", "p");
    for (size_t i = 0; i < lg_json_len(measures); i++) {
        const lg_json_member *one = lg_json_member_at(measures, i);
        cli_table_text(&p->table, lg_json_key(one));
        cli_table_number(&p->table, get(&one->value, "pairs"), 0);
        cli_table_number(&p->table, get(&one->value, "before"), 3);
        cli_table_number(&p->table, get(&one->value, "after"), 3);
        cli_table_interval(&p->table, &one->value, "difference");
        cli_table_number(&p->table, get(&one->value, "p"), 4);
    }
    end(p, "Paired");
    BEGIN(p, "lrrrr", "kind", "before", "now", "before", "now");
    for (size_t i = 0; i < lg_json_len(kinds) && i < KINDS_SHOWN; i++) {
        const lg_json *kind = lg_json_item(kinds, i);
        cli_table_text(&p->table, name_of(kind, "kind"));
        cli_table_number(&p->table, get(get(kind, "before"), "conversations"), 0);
        cli_table_number(&p->table, get(get(kind, "after"), "conversations"), 0);
        cli_table_percent(&p->table, get(get(kind, "before"), "share"));
        cli_table_percent(&p->table, get(get(kind, "after"), "share"));
    }
    end(p, "Conversations with a finding");
}

void cli_stats_print(cli_out *out, const lg_json *stats)
{
    printing p = {.out = out, .root = stats};
    lg_arena_init(&p.arena, 0);
    lg_buf_addf(&out->buf, "%.0f results, %.0f there twice, %.0f bad lines\n\n",
                number_in(stats, "results"), number_in(stats, "duplicates"),
                number_in(get(stats, "input"), "bad_lines"));
    print_groups(&p);
    print_pass(&p);
    print_composite(&p);
    print_roc(&p);
    print_roc_parts(&p, "by_domain", "By domain");
    print_roc_parts(&p, "by_model", "By model");
    print_runs(&p);
    print_failures(&p, "by_reward", "Failures by class");
    print_failures(&p, "by_outcome", "Without a reward, outcome below 0.5, by class");
    print_violations(&p);
    print_protocol(&p);
    print_models(&p);
    print_trend(&p);
    lg_arena_done(&p.arena);
}
