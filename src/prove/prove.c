// prove.c: all obligations of a pack, tool by tool.
#include "prove/task.h"

// A tool takes at most one of three parts of the time that is left: most take little, and a few that are hard leave
// something to those behind them.
#define TOOL_PARTS 3u

lg_prove_options prove_resolved(const lg_prove_options *options)
{
    lg_prove_options all = options ? *options : (lg_prove_options){0};
    all.timeout_ms = all.timeout_ms ? all.timeout_ms : 1000;
    all.width = all.width ? all.width : 2;
    all.width = all.width < 4 ? all.width : 4;
    all.depth = all.depth ? all.depth : 3;
    all.seconds = all.seconds ? all.seconds : 120;
    all.megabytes = all.megabytes ? all.megabytes : 2048;
    return all;
}

bool is_asked(const lg_prove_options *options, lg_claim_kind kind)
{
    LG_DEBUG_ASSERT(kind < LG_OBLIGATION_KINDS);
    return options->kinds == 0 || (options->kinds >> kind & 1u) != 0;
}

lg_status lg_prove_load_solver(const char *path, lg_error *reterr)
{
    return terms_load_solver(path, reterr);
}

const char *lg_prove_solver(void)
{
    return terms_solver();
}

static bool is_named_tool(const task *t, const lg_tool *tool)
{
    return t->options.only.len == 0 || lg_str_eq(t->options.only, tool->name);
}

bool is_gated(const lg_tool *tool)
{
    return tool->kind == LG_TOOL_WRITE && !tool->by_user;
}

bool is_wanted_tool(const task *t, const lg_tool *tool)
{
    return is_gated(tool) && is_named_tool(t, tool);
}

void tell_progress(const task *t, lg_str tool, size_t done, size_t count)
{
    if (t->options.progress) {
        t->options.progress(t->options.progress_context, tool, done, count);
    }
}

static size_t count_named(const task *t)
{
    size_t count = 0;
    for (size_t i = 0; i < t->pack->tool_count; i++) {
        count += is_named_tool(t, &t->pack->tools[i]);
    }
    return count;
}

static lg_status prove_write(task *t, const lg_tool *tool, lg_error *reterr)
{
    bench b;
    lg_status status = bench_open(&b, t, tool, reterr);
    if (status != LG_OK) {
        return status;
    }
    uint64_t outer = share_begin(t, 2);
    status = oblige_rules(&b);
    share_end(t, outer);
    if (status == LG_OK && is_asked(&t->options, LG_OBLIGE_REACHABLE)) {
        outer = share_begin(t, 2);
        status = oblige_reachable(&b);
        share_end(t, outer);
    }
    if (status == LG_OK) {
        status = oblige_effects(t, tool, &b, reterr);
    }
    bench_close(&b);
    return status == LG_OK ? LG_OK : lg_fail_oom(reterr);
}

// Only the agent's writes have rules. Whatever else a tool does is to be right all the same.
static lg_status prove_tool(task *t, const lg_tool *tool, lg_error *reterr)
{
    return is_wanted_tool(t, tool) ? prove_write(t, tool, reterr)
                                   : oblige_effects(t, tool, NULL, reterr);
}

// What was found out on the way to another claim is not part of the answer.
static void drop_unasked(task *t)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->count; i++) {
        if (is_asked(&t->options, t->items[i].kind)) {
            t->items[kept++] = t->items[i];
        }
    }
    t->count = kept;
}

static void sum_up(const task *t, lg_proof *proof)
{
    *proof = (lg_proof){.items = t->items, .count = t->count};
    for (size_t i = 0; i < t->count; i++) {
        LG_DEBUG_ASSERT((size_t)t->items[i].outcome < LG_COUNT(proof->outcomes));
        proof->outcomes[t->items[i].outcome]++;
        proof->findings += t->items[i].finding;
        proof->micros += t->items[i].micros;
    }
}

// The order is that in which answers are needed: whether any state is sound before effects, all tools before
// what takes several of them, and the rules' claims last, over all of their tools.
lg_status lg_prove(const lg_pack *pack, const lg_prove_options *options, lg_arena *arena,
                   lg_proof *ret_proof, lg_error *reterr)
{
    if (lg_prove_load_solver(NULL, reterr) != LG_OK) {
        return LG_ERR_ENVIRONMENT;
    }
    task t = {.pack = pack, .options = prove_resolved(options), .arena = arena};
    terms_budget budget = task_budget(&t.options);
    t.budget = &budget;
    t.rules = LG_NEW_ARRAY(arena, rule_note, pack->rule_count + 1);
    if (!t.rules || !reach_begin(&t)) {
        return lg_fail_oom(reterr);
    }
    uint64_t since = t.options.now_us ? t.options.now_us() : 0;
    size_t wanted = count_named(&t);
    lg_status satisfiable = oblige_satisfiable(&t, reterr);
    if (satisfiable != LG_OK) {
        return satisfiable;
    }
    for (size_t i = 0, done = 0; i < pack->tool_count; i++) {
        const lg_tool *tool = &pack->tools[i];
        if (!is_named_tool(&t, tool)) {
            continue;
        }
        tell_progress(&t, tool->name, done++, wanted);
        uint64_t outer = share_begin(&t, TOOL_PARTS);
        lg_status status = prove_tool(&t, tool, reterr);
        share_end(&t, outer);
        if (status != LG_OK) {
            return status;
        }
    }
    tell_progress(&t, LG_STR(""), wanted, wanted);
    uint64_t outer = share_begin(&t, 2);
    lg_status reached = oblige_reached(&t, reterr);
    share_end(&t, outer);
    if (reached != LG_OK) {
        return reached;
    }
    reached = oblige_sequences(&t, reterr);
    if (reached != LG_OK) {
        return reached;
    }
    oblige_noted(&t);
    drop_unasked(&t);
    if (t.oom) {
        return lg_fail_oom(reterr);
    }
    sum_up(&t, ret_proof);
    ret_proof->micros = t.options.now_us ? t.options.now_us() - since : 0;
    return LG_OK;
}
