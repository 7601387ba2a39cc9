// sum.c: what all conversations come to.
#include "base/alloc.h"
#include "cli/audit/audit.h"
#include "cli/model.h"

#include <stdlib.h>

#define NAME_WIDTH 30u   // of a model; of a longer name the end is shown, which tells models apart
#define EXAMPLE_MAX 400u // bytes that are shown of one finding

// Means of what is known alone.
typedef struct mean {
    double sum;
    size_t count;
} mean;

typedef struct audit_group {
    lg_str domain, model;
    size_t conversations, violated;
    mean reward, aggregate, outcome, process;
} audit_group;

bool audit_sum_init(audit_sum *sum)
{
    *sum = (audit_sum){.conversations = 0};
    lg_arena_init(&sum->arena, 0);
    (void)lg_audit_kinds(&sum->kinds);
    sum->found = LG_NEW_ARRAY(&sum->arena, audit_tally, sum->kinds);
    sum->conversations_of = LG_NEW_ARRAY(&sum->arena, size_t, sum->kinds);
    sum->worst = LG_NEW_ARRAY(&sum->arena, audit_example, sum->kinds);
    return sum->found && sum->conversations_of && sum->worst;
}

void audit_sum_done(audit_sum *sum)
{
    lg_arena_done(&sum->arena);
}

static void add_mean(mean *m, bool known, double value)
{
    m->sum += known ? value : 0;
    m->count += known;
}

static struct audit_group *group_of(audit_sum *sum, const audit_item *item)
{
    for (size_t i = 0; i < sum->group_count; i++) {
        struct audit_group *group = &sum->groups[i];
        if (lg_str_eq(group->domain, item->domain) && lg_str_eq(group->model, item->model)) {
            return group;
        }
    }
    struct audit_group *groups = lg_arena_grow(&sum->arena, sum->groups, sum->group_count,
                                               &sum->group_capacity, sizeof(*groups));
    if (!groups) {
        return NULL;
    }
    sum->groups = groups;
    struct audit_group *group = &groups[sum->group_count];
    *group = (audit_group){.domain = lg_arena_str(&sum->arena, item->domain),
                           .model = lg_arena_str(&sum->arena, item->model)};
    sum->group_count += group->domain.ptr && group->model.ptr;
    return group->domain.ptr && group->model.ptr ? group : NULL;
}

// Keeps the first of the most severe: a kind takes room four times at most.
static bool keep_worst(audit_sum *sum, size_t kind, const audit_example *example)
{
    audit_example *worst = &sum->worst[kind];
    if (!example->text.len || (worst->text.len && worst->severity >= example->severity)) {
        return true;
    }
    *worst = (audit_example){example->severity, lg_arena_str(&sum->arena, example->text)};
    return worst->text.ptr != NULL;
}

bool audit_sum_add(audit_sum *sum, const audit_item *item)
{
    struct audit_group *group = group_of(sum, item);
    bool violated = false, kept = true;
    if (!group) {
        return false;
    }
    for (size_t i = 0; i < sum->kinds; i++) {
        bool counted = audit_tally_counted(&item->found[i]) > 0;
        for (size_t severity = 0; severity < LG_COUNT(item->found[i].of); severity++) {
            sum->found[i].of[severity] += item->found[i].of[severity];
        }
        sum->conversations_of[i] += counted;
        violated = violated || counted;
        kept = keep_worst(sum, i, &item->worst[i]) && kept;
    }
    sum->conversations++;
    sum->without_pack += !item->has_pack;
    sum->undecided += item->undecided;
    if (item->unjudged && sum->unjudged == 0) {
        sum->why_unjudged = lg_arena_str(&sum->arena, item->why_unjudged);
        kept = kept && sum->why_unjudged.ptr;
    }
    sum->unjudged += item->unjudged;
    sum->failed += item->failure != LG_FAILURE_NONE;
    group->conversations++;
    sum->violated += violated;
    group->violated += violated;
    add_mean(&group->reward, item->has_reward, item->reward);
    add_mean(&group->aggregate, item->has_aggregate, item->aggregate);
    add_mean(&group->outcome, item->has_outcome, item->outcome);
    add_mean(&group->process, true, item->process);
    return kept;
}

size_t audit_sum_findings(const audit_sum *sum)
{
    size_t all = 0;
    for (size_t i = 0; i < sum->kinds; i++) {
        all += audit_tally_counted(&sum->found[i]);
    }
    return all;
}

// --- For people -------------------------------------------------------------------------------------------

static void show_mean(lg_buf *out, const mean *m, int digits)
{
    if (m->count) {
        lg_buf_addf(out, "%10.*f", digits, m->sum / (double)m->count);
    } else {
        lg_buf_addf(out, "%10s", "-");
    }
}

static int by_name(const void *a, const void *b)
{
    const audit_group *left = a, *right = b;
    int order = lg_str_cmp(left->domain, right->domain);
    return order ? order : lg_str_cmp(left->model, right->model);
}

static void show_model(cli_out *out, lg_str name)
{
    bool fits = name.len < NAME_WIDTH;
    lg_buf_add_c(&out->buf, fits ? "" : "..");
    cli_pad(out, fits ? name : lg_str_slice(name, name.len - NAME_WIDTH + 3, name.len),
            fits ? NAME_WIDTH : NAME_WIDTH - 2);
}

static void show_groups(const audit_sum *sum, cli_out *out)
{
    qsort(sum->groups, sum->group_count, sizeof(*sum->groups), by_name);
    lg_buf_addf(&out->buf, "\n%-14s%-*s%10s%10s%10s%10s%10s%10s\n", "domain", (int)NAME_WIDTH,
                "model", "n", "violated", "reward", "outcome", "aggregate", "process");
    for (size_t i = 0; i < sum->group_count; i++) {
        const audit_group *group = &sum->groups[i];
        cli_pad(out, group->domain.len ? group->domain : LG_STR("-"), 14);
        show_model(out, group->model.len ? group->model : LG_STR("-"));
        lg_buf_addf(&out->buf, "%10zu%10zu", group->conversations, group->violated);
        show_mean(&out->buf, &group->reward, 2);
        show_mean(&out->buf, &group->outcome, 2);
        show_mean(&out->buf, &group->aggregate, 0);
        show_mean(&out->buf, &group->process, 0);
        lg_buf_add_c(&out->buf, "\n");
    }
}

// The most severe that there is one of.
static lg_severity worst_of(const audit_tally *tally)
{
    lg_severity worst = LG_SEVERITY_SEVERE;
    while (worst > LG_SEVERITY_HINT && tally->of[worst] == 0) {
        worst--;
    }
    return worst;
}

static void show_kind(const audit_sum *sum, cli_out *out, size_t kind)
{
    static const char *const colours[] = {"2", "2", "33", "31"};
    size_t count;
    const audit_tally *tally = &sum->found[kind];
    cli_colour(out, colours[worst_of(tally)]);
    lg_buf_addf(&out->buf, "%-26s", lg_audit_kinds(&count)[kind].name);
    cli_colour(out, "0");
    for (int severity = LG_SEVERITY_SEVERE; severity >= LG_SEVERITY_HINT; severity--) {
        if (tally->of[severity]) {
            lg_buf_addf(&out->buf, "%10zu", tally->of[severity]);
        } else {
            lg_buf_addf(&out->buf, "%10s", "-");
        }
    }
    if (sum->conversations_of[kind]) {
        lg_buf_addf(&out->buf, "%16zu\n", sum->conversations_of[kind]);
    } else {
        lg_buf_addf(&out->buf, "%16s\n", "-"); // hints are in no count
    }
    lg_buf_add_c(&out->buf, "  ");
    cli_colour(out, "2");
    cli_add_cut(out, sum->worst[kind].text, EXAMPLE_MAX);
    cli_colour(out, "0");
    lg_buf_add_c(&out->buf, "\n");
}

static void show_kinds(const audit_sum *sum, cli_out *out)
{
    lg_buf_addf(&out->buf, "\n%-26s%10s%10s%10s%10s%16s\n", "findings", "severe", "moderate",
                "minor", "hints", "conversations");
    for (int severity = LG_SEVERITY_SEVERE; severity >= LG_SEVERITY_HINT; severity--) {
        for (size_t i = 0; i < sum->kinds; i++) {
            if ((int)worst_of(&sum->found[i]) == severity && sum->found[i].of[severity] > 0) {
                show_kind(sum, out, i);
            }
        }
    }
}

static void show_judged(const audit_sum *sum, cli_out *out)
{
    if (!sum->llm) {
        lg_buf_add_c(&out->buf, "decided by rules; what only a model can judge was not checked\n");
        return;
    }
    lg_llm_totals t = lg_llm_totals_of(sum->llm);
    lg_buf_addf(&out->buf, "judged by %s: %llu question%s, %llu tokens", sum->model,
                (unsigned long long)t.made.exchanges, lg_plural(t.made.exchanges),
                (unsigned long long)(t.made.usage.prompt_tokens + t.made.usage.completion_tokens));
    if (t.made.money > 0) {
        lg_buf_addf(&out->buf, ", %.4f spent", t.made.money);
    }
    lg_buf_addf(&out->buf, "; not judged: %zu\n", sum->unjudged);
    if (sum->unjudged) {
        lg_buf_add_c(&out->buf, "the first not judged: ");
        cli_add_cut(out, sum->why_unjudged, EXAMPLE_MAX);
        lg_buf_add_c(&out->buf, "\n");
    }
}

void audit_sum_show(const audit_sum *sum, cli_out *out)
{
    size_t findings = audit_sum_findings(sum);
    lg_buf_addf(&out->buf, "%zu conversation%s, %zu finding%s, %zu undecided\n", sum->conversations,
                lg_plural(sum->conversations), findings, lg_plural(findings), sum->undecided);
    if (sum->without_pack) {
        lg_buf_addf(
            &out->buf,
            "%zu fit no pack: which of their tools change something is not known, and nothing "
            "about changes was checked\n",
            sum->without_pack);
    }
    if (sum->duplicates) {
        lg_buf_addf(&out->buf, "%zu were there before and are counted once\n", sum->duplicates);
    }
    show_judged(sum, out);
    if (sum->conversations) {
        show_groups(sum, out);
        show_kinds(sum, out);
    }
    if (findings) {
        lg_buf_add_c(&out->buf,
                     "\nOf each kind the first of the most severe. All of them: --json, or "
                     "--out DIR, which writes a page, too.\n");
    }
}

// --- For programs ------------------------------------------------------------------------------------------

static void write_kinds(const audit_sum *sum, lg_json_writer *w)
{
    size_t count;
    const lg_audit_kind *kinds = lg_audit_kinds(&count);
    lg_jw_key(w, "by_kind");
    lg_jw_begin_object(w);
    for (size_t i = 0; i < count; i++) {
        lg_jw_key(w, kinds[i].name);
        lg_jw_begin_object(w);
        lg_jw_member_uint(w, "findings", audit_tally_counted(&sum->found[i]));
        for (lg_severity severity = 0; severity < LG_COUNT(sum->found[i].of); severity++) {
            lg_jw_member_uint(w, lg_severity_name(severity), sum->found[i].of[severity]);
        }
        lg_jw_member_uint(w, "conversations", sum->conversations_of[i]);
        lg_jw_end_object(w);
    }
    lg_jw_end_object(w);
}

void audit_sum_write(const audit_sum *sum, lg_json_writer *w)
{
    lg_jw_begin_object(w);
    lg_jw_member_uint(w, "conversations", sum->conversations);
    lg_jw_member_uint(w, "violated", sum->violated);
    lg_jw_member_uint(w, "duplicates", sum->duplicates);
    lg_jw_member_uint(w, "without_pack", sum->without_pack);
    lg_jw_member_uint(w, "findings", audit_sum_findings(sum));
    lg_jw_member_uint(w, "undecided", sum->undecided);
    lg_jw_member_uint(w, "failed", sum->failed);
    lg_jw_member_uint(w, "import_errors", sum->issues);
    lg_jw_member_uint(w, "left_out", sum->left_out);
    lg_jw_member_uint(w, "lost", sum->lost);
    lg_jw_member_c(w, "decided_by", sum->llm ? "rules and a model" : "rules");
    lg_jw_member_uint(w, "not_judged", sum->unjudged);
    lg_jw_key(w, "model");
    cli_model_write(sum->model, sum->llm, w);
    write_kinds(sum, w);
    lg_jw_end_object(w);
}
