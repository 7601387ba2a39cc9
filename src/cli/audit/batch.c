// batch.c: one file, or one line, and all its conversations.
#include "base/alloc.h"
#include "cli/audit/audit.h"
#include "cli/traces.h"
#include "trace/export.h"

void audit_batch_init(audit_batch *batch)
{
    *batch = (audit_batch){.status = LG_OK};
    lg_arena_init(&batch->arena, 0);
    lg_buf_init(&batch->text, 0);
    lg_buf_init(&batch->issues, 0);
}

void audit_batch_done(audit_batch *batch)
{
    lg_arena_done(&batch->arena);
    lg_buf_done(&batch->text);
    lg_buf_done(&batch->issues);
}

// The batch as a whole comes to nothing if there was no memory for a part of it.
static void need(audit_batch *batch, bool has_memory)
{
    if (!has_memory && batch->status == LG_OK) {
        batch->status = lg_fail_oom(&batch->error);
    }
}

static audit_item *add_item(audit_batch *batch)
{
    audit_item *items =
        lg_arena_grow(&batch->arena, batch->items, batch->count, &batch->capacity, sizeof(*items));
    need(batch, items != NULL);
    if (!items) {
        return NULL;
    }
    batch->items = items;
    items[batch->count] = (audit_item){.result = LG_STR("")};
    return &items[batch->count++];
}

// What a person needs to find it: "FILE: NAME, turn 10: what was wrong".
static void note_example(audit_batch *batch, const audit_item *item, const lg_trace *trace,
                         const lg_audit_finding *finding, audit_example *ret)
{
    if (ret->text.len && ret->severity >= finding->severity) {
        return;
    }
    ret->severity = finding->severity;
    ret->text = finding->event == LG_NO_EVENT
                    ? lg_arena_printf(&batch->arena, "%.*s: %.*s", LG_FMT(item->name),
                                      LG_FMT(finding->message))
                    : lg_arena_printf(&batch->arena, "%.*s, turn %u: %.*s", LG_FMT(item->name),
                                      trace->events[finding->event].turn, LG_FMT(finding->message));
    need(batch, ret->text.ptr != NULL);
}

static void count_findings(audit_batch *batch, audit_item *item, const lg_audit_result *result)
{
    size_t kinds;
    const lg_audit_kind *first = lg_audit_kinds(&kinds);
    audit_tally *found = LG_NEW_ARRAY(&batch->arena, audit_tally, kinds);
    item->worst = LG_NEW_ARRAY(&batch->arena, audit_example, kinds);
    need(batch, found && item->worst);
    if (!found || !item->worst) {
        return;
    }
    item->found = found;
    for (size_t i = 0; i < result->finding_count; i++) {
        const lg_audit_finding *finding = &result->findings[i];
        found[finding->kind - first].of[finding->severity]++;
        note_example(batch, item, result->trace, finding, &item->worst[finding->kind - first]);
    }
}

// Texts move while the buffer grows: they are offsets until the batch is whole.
static void write_result(audit_batch *batch, audit_item *item, const lg_audit_result *result,
                         lg_str file, bool with_artefact)
{
    lg_json_writer w = {.out = &batch->text};
    size_t from = batch->text.len;
    bool in_file = result->set->path.len > 0;
    uint32_t line = in_file ? result->trace->line : 0;
    lg_audit_write(&w, result, file, line);
    item->result = lg_str_of((const char *)(uintptr_t)from, batch->text.len - from);
    if (with_artefact) {
        from = batch->text.len;
        lg_buf_add_c(&batch->text, "{\"conversation\":");
        lg_export(&batch->text, LG_EXPORT_ARTIFACT, result->set, result->trace);
        lg_buf_add_c(&batch->text, ",\"ledger\":");
        lg_audit_write_changes(&(lg_json_writer){.out = &batch->text}, result);
        lg_buf_add_c(&batch->text, ",\"audit\":");
        lg_audit_write(&(lg_json_writer){.out = &batch->text}, result, file, line);
        lg_buf_add_c(&batch->text, "}");
        item->artefact = lg_str_of((const char *)(uintptr_t)from, batch->text.len - from);
    }
}

static void fill_item(audit_batch *batch, audit_item *item, const lg_audit_result *result)
{
    const lg_trace *trace = result->trace;
    memcpy(item->id, result->id, sizeof(item->id));
    item->name = lg_arena_printf(&batch->arena, "%.*s: %.*s", LG_FMT(result->set->path),
                                 LG_FMT(trace->name));
    item->domain = lg_arena_str(&batch->arena, trace->domain);
    item->model = lg_arena_str(&batch->arena, trace->model);
    need(batch, item->name.ptr && item->domain.ptr && item->model.ptr);
    item->has_pack = result->pack != NULL;
    item->has_reward = trace->has_reward;
    item->reward = trace->reward;
    item->has_aggregate = result->has_aggregate;
    item->aggregate = result->aggregate;
    item->has_outcome = result->has_outcome;
    item->outcome = result->outcome;
    item->process = result->process;
    item->undecided = (uint32_t)result->undecided_count;
    item->failure = result->failure;
    for (size_t i = 0; i < result->not_checked_count; i++) {
        if (result->not_checked[i].judged && item->unjudged++ == 0) {
            item->why_unjudged = lg_arena_str(&batch->arena, result->not_checked[i].why);
            need(batch, item->why_unjudged.ptr != NULL);
        }
    }
    count_findings(batch, item, result);
}

// What the prompt says of consecutive calls: rules decide it, whoever has read them.
static lg_status give_edges(audit_worker *worker, const lg_trace *trace, audit_batch *batch)
{
    const lg_prompt_rules *given = worker->options->rules, *rules = NULL;
    lg_prompt_rules own;
    lg_str ignored;
    lg_status status = LG_OK;
    lg_audit_set_edges(worker->audit, NULL, 0);
    if (given) {
        status = lg_prompt_rules_of(&batch->arena, given, trace->prompt, trace->tools, &own,
                                    &batch->error);
        rules = &own;
    } else if (worker->judge && trace->prompt.len > 0) {
        status = lg_judge_rules(worker->judge, trace->prompt, trace->tools, &rules, &ignored,
                                &batch->error);
    }
    if (status != LG_OK || !rules) {
        return status;
    }
    lg_audit_edge *edges = LG_NEW_ARRAY(&batch->arena, lg_audit_edge, rules->count + 1);
    size_t count = 0;
    for (size_t i = 0; edges && i < rules->count; i++) {
        const lg_prompt_rule *rule = &rules->items[i];
        if (rule->family == LG_FAMILY_FORBIDDEN_EDGE) {
            edges[count++] =
                (lg_audit_edge){rule->from, rule->to, rule->must, rule->text, rule->quote};
        }
    }
    lg_audit_set_edges(worker->audit, edges, count);
    return edges ? LG_OK : lg_fail_oom(&batch->error);
}

// False: the conversation could not be audited; `batch->error` says why.
static bool audit_trace(audit_worker *worker, const lg_trace_set *set, const lg_trace *trace,
                        audit_batch *batch, const lg_audit_result **ret)
{
    lg_audit_judgement judgements[LG_EVAL_COUNT];
    size_t count;
    lg_status status = give_edges(worker, trace, batch);
    if (status == LG_OK) {
        status = lg_audit_conversation(worker->audit, set, trace, ret, &batch->error);
    }
    if (status == LG_OK && worker->judge) {
        status = lg_judge_conversation(worker->judge, trace, judgements, &count, &batch->error);
        if (status == LG_OK) {
            status = lg_audit_judge(worker->audit, judgements, count, ret, &batch->error);
        }
    }
    return status == LG_OK;
}

static void audit_one(audit_worker *worker, const lg_trace_set *set, const lg_trace *trace,
                      lg_str file, audit_batch *batch)
{
    const lg_audit_result *result;
    if (!audit_trace(worker, set, trace, batch, &result)) {
        batch->lost++;
        return;
    }
    audit_item *item = add_item(batch);
    if (item) {
        fill_item(batch, item, result);
        write_result(batch, item, result, file, worker->options->out != NULL);
    }
}

static void audit_set(audit_worker *worker, const lg_trace_set *set, lg_str file,
                      audit_batch *batch)
{
    for (size_t i = 0; i < set->count && batch->status == LG_OK; i++) {
        const lg_trace *trace = &set->traces[i];
        audit_one(worker, set, trace, file, batch);
    }
    need(batch, lg_buf_status(&batch->text) == LG_OK);
    for (size_t i = 0; i < batch->count; i++) {
        audit_item *item = &batch->items[i];
        item->result.ptr = batch->text.ptr + (uintptr_t)item->result.ptr;
        item->artefact.ptr = batch->text.ptr + (uintptr_t)item->artefact.ptr;
    }
    (worker->options->json ? cli_write_issues : cli_show_issues)(&batch->issues, set);
    batch->issue_count = set->issue_count + set->issues_dropped;
    batch->left_out = set->left_out;
}

static lg_trace_options trace_options(const audit_options *options)
{
    lg_trace_options ret = {.limits = cli_limits()};
    if (options->format) {
        (void)lg_trace_format_parse(lg_str_c(options->format), &ret.format);
    }
    return ret;
}

void audit_file(audit_worker *worker, const char *path, audit_batch *batch)
{
    lg_trace_options about = trace_options(worker->options);
    lg_trace_set *set;
    batch->status = lg_trace_open(path, &about, &set, &batch->error);
    if (batch->status == LG_OK) {
        audit_set(worker, set, set->path, batch);
        lg_trace_close(set);
    }
}

void audit_line(audit_worker *worker, lg_str text, audit_batch *batch)
{
    lg_trace_options about = trace_options(worker->options);
    lg_trace_set *set;
    batch->status = lg_trace_import(text, "", &about, &set, &batch->error);
    if (batch->status == LG_OK) {
        audit_set(worker, set, LG_STR(""), batch);
        lg_trace_close(set);
    }
}

// --- Workers --------------------------------------------------------------------------------------------------

bool audit_worker_init(audit_worker *worker, const audit_options *options)
{
    lg_audit_options about = {.packs = options->packs,
                              .pack_count = options->pack_count,
                              .limits = cli_limits(),
                              .keep_changes = options->out != NULL};
    lg_judge_options judging = {.llm = options->llm, .rules = options->rules};
    lg_error why;
    *worker = (audit_worker){.options = options};
    if (lg_audit_new(&about, &worker->audit, &why) != LG_OK ||
        (options->llm && lg_judge_new(&judging, &worker->judge, &why) != LG_OK)) {
        cli_say("ledgergate audit: %s", why.msg);
        audit_worker_done(worker);
        return false;
    }
    return true;
}

void audit_worker_done(audit_worker *worker)
{
    lg_judge_free(worker->judge);
    lg_audit_free(worker->audit);
}
