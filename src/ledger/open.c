// open.c: calls that were made and have no answer yet.
//
// Such a call may or may not have been carried out. The ledger itself says nothing of it until it is
// answered; whoever judges by the ledger asks for the state in which it may have been (lg_ledger_assume).
// The list also keeps the answered calls of the latest message: a read that was made beside a write may
// show what was before it, in whatever order the two answer.
#include "ledger/ledger_internal.h"

static bool same_message(const lg_ledger_call *a, const lg_ledger_call *b)
{
    return a->has_turn && b->has_turn && a->turn == b->turn;
}

// Can it have changed anything of the ledger's records?
static bool may_change(const lg_pack *pack, const lg_ledger_call *call)
{
    const lg_tool *tool = lg_pack_tool(pack, call->tool);
    return !tool || tool->by_user || call->by_user || tool->kind != LG_TOOL_READ ||
           tool->alters.anything || tool->alters.count > 0;
}

static bool is_write(const lg_pack *pack, const lg_ledger_call *call)
{
    const lg_tool *tool = lg_pack_tool(pack, call->tool);
    return tool && !tool->by_user && !call->by_user && tool->kind == LG_TOOL_WRITE;
}

// --- The list -----------------------------------------------------------------------------------

// Copies the calls of the list that are still wanted: not `without`, and of the answered ones those of the
// message of `latest`. They are few (open_calls), and there are fewer answered ones of one message than a
// message has calls.
static bool copy_list(lg_arena *arena, const lg_open_call *list, const lg_open_call *without,
                      const lg_ledger_call *latest, const lg_open_call **ret)
{
    *ret = NULL;
    const lg_open_call **end = ret;
    for (; list; list = list->earlier) {
        if (list == without || (list->answered && !same_message(&list->call, latest))) {
            continue;
        }
        lg_open_call *copy = LG_NEW(arena, lg_open_call);
        if (!copy) {
            return false;
        }
        *copy = *list;
        copy->earlier = NULL;
        *end = copy;
        end = &copy->earlier;
    }
    return true;
}

// The list without answered calls of earlier messages: as it is, where there are none.
static bool tidy_list(lg_arena *arena, const lg_open_call *list, const lg_ledger_call *latest,
                      const lg_open_call **ret)
{
    *ret = list;
    for (const lg_open_call *at = list; at; at = at->earlier) {
        if (at->answered && !same_message(&at->call, latest)) {
            return copy_list(arena, list, NULL, latest, ret);
        }
    }
    return true;
}

static lg_open_call *add(lg_arena *arena, const lg_open_call *earlier, const lg_ledger_call *call)
{
    lg_open_call *open = LG_NEW(arena, lg_open_call);
    if (open) {
        *open = (lg_open_call){.earlier = earlier, .call = *call};
        open->call.id = lg_arena_str(arena, call->id);
        open->call.tool = lg_arena_str(arena, call->tool);
        open->call.args = lg_json_copy(arena, call->args);
        open->call.result = LG_STR("");
    }
    return open && open->call.id.ptr && open->call.tool.ptr && open->call.args ? open : NULL;
}

lg_status lg_ledger_begin(const lg_ledger *ledger, lg_ledger_state *state, lg_arena *arena,
                          const lg_ledger_call *call, lg_error *reterr)
{
    lg_arena_mark mark = lg_arena_mark_here(arena);
    const lg_open_call *earlier;
    if (state->open_count >= ledger->limits.open_calls) {
        return lg_fail(reterr, LG_ERR_LIMIT,
                       "%u calls have been made that were never answered (open_calls)",
                       ledger->limits.open_calls);
    }
    lg_open_call *open = NULL;
    if (tidy_list(arena, state->open, call, &earlier)) {
        open = add(arena, earlier, call);
    }
    if (!open) {
        lg_arena_rewind(arena, mark);
        return lg_fail_oom(reterr);
    }
    state->open = open;
    state->open_count++;
    return LG_OK;
}

const lg_open_call *lg_ledger_awaits(const lg_ledger_state *state, lg_str id, lg_str tool)
{
    const lg_open_call *found = NULL;
    for (const lg_open_call *open = state->open; open; open = open->earlier) {
        bool named = id.len ? lg_str_eq(open->call.id, id)
                            : tool.len == 0 || lg_str_eq(open->call.tool, tool);
        found = named && !open->answered ? open : found;
    }
    return found;
}

// --- Answers ------------------------------------------------------------------------------------

// The list after the answer. What may have changed something stays, for the reads beside it.
static bool close_call(lg_ledger *ledger, const lg_open_call *open, const lg_open_call **ret)
{
    bool stays = open->call.has_turn && may_change(ledger->pack, &open->call);
    if (!stays) {
        return copy_list(&ledger->arena, ledger->state.open, open, &open->call, ret);
    }
    if (!copy_list(&ledger->arena, ledger->state.open, open, &open->call, ret)) {
        return false;
    }
    lg_open_call *answered = LG_NEW(&ledger->arena, lg_open_call);
    if (answered) {
        *answered = *open;
        answered->answered = true;
        answered->earlier = *ret;
        *ret = answered;
    }
    return answered != NULL;
}

lg_status lg_ledger_answer(lg_ledger *ledger, const lg_open_call *open,
                           const lg_ledger_call *answer, lg_observed *ret_observed,
                           lg_error *reterr)
{
    lg_arena_mark mark = lg_arena_mark_here(&ledger->arena);
    const lg_open_call *left;
    if (!close_call(ledger, open, &left)) {
        lg_arena_rewind(&ledger->arena, mark);
        return lg_fail_oom(reterr);
    }
    lg_ledger_call call = open->call;
    call.result = answer->result;
    call.failed = answer->failed;
    call.now = answer->now;
    lg_status status = lg_ledger_observe(ledger, &call, ret_observed, reterr);
    if (status == LG_OK) {
        ledger->state.open = left;
        ledger->state.open_count--;
    }
    return status;
}

// --- What may have happened ---------------------------------------------------------------------

// As if `call` were carried out now, whatever it returns: what it may change is marked.
static lg_status mark_changes_of(fold *f, const lg_ledger_call *call)
{
    lg_ledger_call own = f->call;
    const lg_tool *tool = f->tool;
    uint32_t marked;
    f->call = *call;
    f->tool = lg_pack_tool(f->ledger->pack, call->tool);
    lg_status status = mark_stale(f, &marked);
    f->call = own;
    f->tool = tool;
    return status;
}

lg_status mark_read_beside_writes(fold *f)
{
    lg_status status = LG_OK;
    for (const lg_open_call *at = f->next.open; at && status == LG_OK; at = at->earlier) {
        if (at->answered && same_message(&at->call, &f->call) &&
            may_change(f->ledger->pack, &at->call)) {
            status = mark_changes_of(f, &at->call);
        }
    }
    return status;
}

static lg_status assume_call(fold *f, const lg_open_call *open, bool pending)
{
    f->call = open->call;
    f->tool = lg_pack_tool(f->ledger->pack, open->call.tool);
    f->pending = pending;
    uint32_t marked;
    lg_status status = LG_OK;
    if (is_write(f->ledger->pack, &open->call)) {
        status = add_to_history(f, pending ? "pending" : "unknown");
    }
    return status == LG_OK ? mark_stale(f, &marked) : status;
}

// The oldest first, as the history has them. As deep as there are open calls.
static lg_status assume_all(fold *f, const lg_open_call *open, bool has_turn, uint32_t turn)
{
    if (!open) {
        return LG_OK;
    }
    lg_status status = assume_all(f, open->earlier, has_turn, turn);
    bool beside = !has_turn || !open->call.has_turn || open->call.turn == turn;
    bool alone = beside && f->ledger->pack->parallel == LG_PARALLEL_JUDGE;
    if (status != LG_OK || alone || open->answered || !may_change(f->ledger->pack, &open->call)) {
        return status;
    }
    return assume_call(f, open, beside);
}

lg_status lg_ledger_assume(const lg_ledger *ledger, const lg_ledger_state *state, bool has_turn,
                           uint32_t turn, lg_budget *steps, lg_arena *arena, lg_ledger_state *ret,
                           lg_error *reterr)
{
    lg_error why;
    lg_ledger made = *ledger; // its arenas are not touched
    fold f = {.ledger = &made,
              .work = arena,
              .next = *state,
              .assumed = true,
              .why = &why,
              .steps = *steps};
    made.state = *state;
    made.observed++;
    *ret = *state;
    if (state->open_count == 0) {
        return LG_OK;
    }
    lg_status status = assume_all(&f, state->open, has_turn, turn);
    *steps = f.steps;
    if (status != LG_OK && reterr) {
        *reterr = why;
    }
    *ret = status == LG_OK ? f.next : *ret;
    return status;
}
