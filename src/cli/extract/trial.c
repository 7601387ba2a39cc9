// trial.c: is a draft worth offering? What can be proved of it, and what it does to recorded conversations.
#include "cli/extract/draft.h"

#include "prove/prove.h"
#include "session/fitting.h"
#include "session/recorded.h"

#include <time.h>

#define TOOLS_MAX 4u // that a draft is proved for: one that shows it is enough
#define TOOL_SECONDS 20u

// --- Proofs -----------------------------------------------------------------------------------------------

static uint64_t work_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

// What was found of the rule, over its tools: the best of each, and of calls that pass the worst.
typedef struct verdicts {
    bool seen[LG_OBLIGATION_KINDS];
    bool shown[LG_OBLIGATION_KINDS];   // an example was executed
    bool refuted[LG_OBLIGATION_KINDS]; // for all tools so far
    lg_str stuck;                      // a tool that no call passes for any more
} verdicts;

static void take_claim(verdicts *v, const lg_claim *claim, lg_str id)
{
    bool of_tool = claim->kind == LG_OBLIGE_ALLOWED;
    if (!of_tool && !lg_str_eq(claim->rule, id)) {
        return;
    }
    if (of_tool && claim->outcome == LG_REFUTED) {
        v->stuck = claim->tool;
    }
    bool refuted = claim->outcome == LG_REFUTED;
    v->refuted[claim->kind] = refuted && (!v->seen[claim->kind] || v->refuted[claim->kind]);
    v->shown[claim->kind] = v->shown[claim->kind] || claim->outcome == LG_PROVED;
    v->seen[claim->kind] = true;
}

static lg_status ask_prover(const lg_pack *pack, lg_str tool, lg_str id, lg_arena *arena,
                            verdicts *v, lg_error *reterr)
{
    lg_prove_options options = {.only = tool,
                                .seconds = TOOL_SECONDS,
                                .work_us = work_us,
                                .now_us = work_us,
                                .kinds = 1u << LG_OBLIGE_ALLOWED | 1u << LG_OBLIGE_APPLIES |
                                         1u << LG_OBLIGE_VIOLABLE | 1u << LG_OBLIGE_NEEDED};
    lg_proof proof;
    lg_status status = lg_prove(pack, &options, arena, &proof, reterr);
    for (size_t i = 0; status == LG_OK && i < proof.count; i++) {
        take_claim(v, &proof.items[i], id);
    }
    return status;
}

static void decide(draft *item, const verdicts *v)
{
    if (v->stuck.len) {
        item->fate = DRAFT_VACUOUS;
        item->why = LG_STR("no call of one of its tools would pass any more");
    } else if (v->refuted[LG_OBLIGE_APPLIES]) {
        item->fate = DRAFT_VACUOUS;
        item->why = LG_STR("its condition can never be met");
    } else if (v->refuted[LG_OBLIGE_VIOLABLE]) {
        item->fate = DRAFT_VACUOUS;
        item->why = LG_STR("no call can violate it");
    } else if (v->refuted[LG_OBLIGE_NEEDED]) {
        item->fate = DRAFT_IMPLIED;
        item->why = LG_STR("what it refuses is refused already");
    } else if (!v->shown[LG_OBLIGE_VIOLABLE]) {
        item->fate = DRAFT_UNPROVED;
        item->why = LG_STR("no call was found that violates it");
    } else if (!v->shown[LG_OBLIGE_NEEDED]) {
        item->why = LG_STR("that the pack does not say it already could not be proved");
    }
}

void draft_prove(draft *item, const lg_pack *with)
{
    verdicts v = {.stuck = LG_STR("")};
    lg_error why = {0};
    lg_arena arena;
    lg_arena_init(&arena, 0);
    const char *path = cli_environment("LEDGERGATE_Z3");
    lg_status status = lg_prove_load_solver(path && *path ? path : NULL, &why);
    for (size_t i = 0; status == LG_OK && i < item->entry.tool_count && i < TOOLS_MAX; i++) {
        status = ask_prover(with, item->entry.tools[i], item->entry.id, &arena, &v, &why);
    }
    lg_arena_done(&arena);
    if (status == LG_OK) {
        decide(item, &v);
    } else {
        item->fate = DRAFT_UNPROVED;
        item->why = status == LG_ERR_ENVIRONMENT ? LG_STR("proofs need Z3, and it is not there")
                                                 : LG_STR("the prover has failed");
    }
}

// --- Recordings --------------------------------------------------------------------------------------------

typedef struct telling {
    uint8_t *allowed; // by event: the pack allows the call there
} telling;

static bool note(void *context, size_t index, const lg_decision *decision)
{
    telling *t = context;
    t->allowed[index] = decision->verdict == LG_ALLOW;
    return true;
}

static bool go_on(void *context, size_t index, lg_observed observed)
{
    (void)context;
    (void)index;
    (void)observed;
    return true;
}

// Which calls the pack allows, as far as it can follow the conversation.
static bool tell(lg_session *session, const lg_trace *trace, lg_arena *arena, uint8_t **ret,
                 size_t *ret_count)
{
    telling t = {LG_NEW_ARRAY(arena, uint8_t, trace->count + 1)};
    lg_recorded_listener listener = {&t, note, go_on};
    bool ended;
    lg_error why;
    if (!t.allowed) {
        return false;
    }
    *ret = t.allowed;
    *ret_count = trace->count;
    lg_session_reset(session);
    lg_status status = lg_session_tell(session, trace, &listener, arena, ret_count, &ended, &why);
    *ret_count = status == LG_OK ? trace->count : *ret_count;
    return status != LG_ERR_OOM;
}

static bool was_carried_out(const lg_trace *trace, size_t call)
{
    uint32_t other = trace->events[call].other;
    return other != LG_NO_EVENT && trace->events[other].kind == LG_EVENT_RESULT;
}

static bool compare(draft *item, const lg_trace *trace, lg_session *without, lg_session *with,
                    lg_arena *arena)
{
    uint8_t *before, *after;
    size_t seen_before, seen_after;
    if (!tell(without, trace, arena, &before, &seen_before) ||
        !tell(with, trace, arena, &after, &seen_after)) {
        return false;
    }
    size_t seen = seen_before < seen_after ? seen_before : seen_after;
    for (size_t i = 0; i < seen; i++) {
        bool refused = before[i] && !after[i];
        item->newly_refused += refused;
        item->rewarded +=
            refused && trace->has_reward && trace->reward >= 1 && was_carried_out(trace, i);
    }
    return true;
}

static bool try_set(draft *item, const lg_trace_set *set, const lg_pack *pack, lg_session *without,
                    lg_session *with)
{
    lg_arena arena;
    bool fine = true;
    lg_arena_init(&arena, 0);
    for (size_t i = 0; i < set->count && fine; i++) {
        const lg_pack *fits;
        lg_arena_reset(&arena);
        fine = lg_fitting_pack(&arena, &pack, 1, &set->traces[i], &fits);
        if (fine && fits) {
            fine = compare(item, &set->traces[i], without, with, &arena);
        }
    }
    lg_arena_done(&arena);
    return fine;
}

bool draft_try(draft *item, const cli_traces *traces, const lg_pack *without, const lg_pack *with)
{
    lg_session *sessions[2] = {NULL, NULL};
    bool fine = lg_session_new(without, cli_limits(), &sessions[0]) == LG_OK &&
                lg_session_new(with, cli_limits(), &sessions[1]) == LG_OK;
    for (size_t i = 0; i < 2 && fine; i++) {
        lg_session_set_recorded(sessions[i], true);
        lg_session_set_explain(sessions[i], LG_EXPLAIN_NOTHING);
    }
    for (size_t i = 0; i < traces->count && fine; i++) {
        fine = try_set(item, traces->sets[i], without, sessions[0], sessions[1]);
    }
    item->tried = fine;
    lg_session_free(sessions[0]);
    lg_session_free(sessions[1]);
    return fine;
}
