// open.c: calls that were made and have no answer yet.
//
// Such a call may or may not have been carried out. The ledger itself says nothing of it until it is
// answered; whoever judges by the ledger asks for the state in which it may have been (lg_ledger_assume).
// The list also keeps answered calls that have changed something, as long as others may have been made beside
// them: a read that was made before a write answered may show what was before it.
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

// Calls with an answer that are listed; beyond that it is forgotten which they were.
#define ANSWERED_MAX 256u

// When the oldest call was made that has no answer; `without` is not asked.
static uint64_t oldest_open(const lg_open_call *list, const lg_open_call *without)
{
    uint64_t oldest = UINT64_MAX;
    for (; list; list = list->earlier) {
        bool open = !list->answered && list != without;
        oldest = open && list->call.begun < oldest ? list->call.begun : oldest;
    }
    return oldest;
}

// A call that has changed something is of interest to the others of its message, and to those that were made
// before it was answered: they may show what was before it, in whatever order they answer.
static bool is_wanted(const lg_open_call *at, const lg_ledger_call *latest, uint64_t oldest)
{
    return !at->answered || same_message(&at->call, latest) || oldest < at->answered;
}

// Copies what is wanted of the list of `state`, but not `without`.
static bool copy_list(lg_arena *arena, lg_ledger_state *state, const lg_open_call *without,
                      const lg_ledger_call *latest)
{
    const lg_open_call *list = state->open;
    const lg_open_call **end = &state->open;
    uint64_t oldest = oldest_open(list, without);
    state->open = NULL;
    state->answered_count = 0;
    for (; list; list = list->earlier) {
        if (list == without || !is_wanted(list, latest, oldest)) {
            continue;
        }
        if (list->answered && state->answered_count == ANSWERED_MAX) {
            state->forgotten =
                state->forgotten > list->answered ? state->forgotten : list->answered;
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
        state->answered_count += copy->answered != 0;
    }
    return true;
}

// Takes out what is no longer wanted, where there is any.
static bool tidy_list(lg_arena *arena, lg_ledger_state *state, const lg_ledger_call *latest)
{
    uint64_t oldest = oldest_open(state->open, NULL);
    for (const lg_open_call *at = state->open; at; at = at->earlier) {
        if (!is_wanted(at, latest, oldest)) {
            return copy_list(arena, state, NULL, latest);
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
    lg_ledger_state next = *state;
    if (state->open_count >= ledger->limits.open_calls) {
        return lg_fail(reterr, LG_ERR_LIMIT,
                       "%u calls have been made that were never answered (open_calls)",
                       ledger->limits.open_calls);
    }
    lg_open_call *open = NULL;
    if (tidy_list(arena, &next, call)) {
        open = add(arena, next.open, call);
    }
    if (!open) {
        lg_arena_rewind(arena, mark);
        return lg_fail_oom(reterr);
    }
    open->call.begun = ledger->observed;
    next.open = open;
    next.open_count++;
    *state = next;
    return LG_OK;
}

// Ids may come again, from agents that number the calls of each message: the latest message that has the id, and
// of that the first such call, as recordings are read (trace/pair.c).
static const lg_open_call *find_id(const lg_ledger_state *state, lg_str id)
{
    const lg_open_call *found = NULL;
    for (const lg_open_call *open = state->open; open && id.len; open = open->earlier) {
        bool same = !open->answered && lg_str_eq(open->call.id, id);
        found = same && (!found || same_message(&open->call, &found->call)) ? open : found;
    }
    return found;
}

const lg_open_call *lg_ledger_awaits(const lg_ledger_state *state, lg_str id, lg_str tool,
                                     const lg_json *args)
{
    const lg_open_call *found = find_id(state, id);
    if (found) {
        return found;
    }
    for (const lg_open_call *open = state->open; open; open = open->earlier) {
        bool nameless = id.len == 0 || open->call.id.len == 0;
        bool of_tool = tool.len == 0 || lg_str_eq(open->call.tool, tool);
        bool same = nameless && of_tool && (!args || lg_json_equal(args, open->call.args));
        found = same && !open->answered ? open : found;
    }
    return found;
}

// --- Answers ------------------------------------------------------------------------------------

// The list after the answer. What may have changed something stays, for the reads beside it.
static bool close_call(lg_ledger *ledger, const lg_open_call *open, lg_ledger_state *state)
{
    bool changes = may_change(ledger->pack, &open->call);
    bool beside = oldest_open(state->open, open) != UINT64_MAX || open->call.has_turn;
    if (!copy_list(&ledger->arena, state, open, &open->call)) {
        return false;
    }
    state->open_count--;
    if (!changes || !beside) {
        return true;
    }
    // It may have been made in memory that goes with its answer.
    lg_open_call *answered = add(&ledger->arena, state->open, &open->call);
    if (answered) {
        answered->answered = ledger->observed + 1;
        state->open = answered;
        state->answered_count++;
    }
    return answered != NULL;
}

lg_status lg_ledger_answer(lg_ledger *ledger, const lg_open_call *open,
                           const lg_ledger_call *answer, lg_observed *ret_observed,
                           lg_error *reterr)
{
    lg_arena_mark mark = lg_arena_mark_here(&ledger->arena);
    lg_ledger_state left = ledger->state;
    if (!close_call(ledger, open, &left)) {
        lg_arena_rewind(&ledger->arena, mark);
        return lg_fail_oom(reterr);
    }
    lg_ledger_call call = open->call;
    call.result = answer->result;
    call.failed = answer->failed;
    call.now = answer->now;
    lg_status status = observe_call(ledger, &call, ret_observed, reterr);
    if (status == LG_OK) {
        ledger->state.open = left.open;
        ledger->state.open_count = left.open_count;
        ledger->state.answered_count = left.answered_count;
        ledger->state.forgotten = left.forgotten;
    }
    return status;
}

// --- What may have happened ---------------------------------------------------------------------

// As if `call` were carried out now, whatever it returns: what it may change of what was stored just now is
// marked. Of other records it was marked when the call answered, or when they were stored.
static lg_status mark_changes_of(fold *f, const lg_ledger_call *call)
{
    lg_ledger_call own = f->call;
    const lg_tool *tool = f->tool;
    uint32_t marked;
    f->call = *call;
    f->tool = lg_pack_tool(f->ledger->pack, call->tool);
    f->own = true;
    lg_status status = mark_stale(f, &marked);
    f->own = false;
    f->call = own;
    f->tool = tool;
    return status;
}

lg_status mark_read_beside_writes(fold *f)
{
    uint32_t marked;
    lg_status status = LG_OK;
    for (const lg_open_call *at = f->next.open; at && status == LG_OK; at = at->earlier) {
        bool beside = same_message(&at->call, &f->call) || f->call.begun < at->answered;
        if (at->answered && beside && may_change(f->ledger->pack, &at->call)) {
            status = mark_changes_of(f, &at->call);
        }
    }
    bool forgotten = status == LG_OK && f->call.begun < f->next.forgotten;
    return forgotten ? mark_doubtful(f, &marked) : status;
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
    bool known = has_turn && open->call.has_turn;
    bool beside = !known || open->call.turn == turn;
    bool judged = f->ledger->pack->parallel == LG_PARALLEL_JUDGE;
    bool alone = judged && known && beside;
    if (status != LG_OK || alone || open->answered || f->steps.spent ||
        !may_change(f->ledger->pack, &open->call)) {
        return status;
    }
    return assume_call(f, open, beside && !judged);
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

// --- Pasts --------------------------------------------------------------------------------------

bool lg_ledger_is_uncertain(const lg_json *write)
{
    lg_str outcome = lg_json_str(lg_json_get(write, LG_STR("outcome")));
    return lg_str_eq(outcome, LG_STR("unknown")) || lg_str_eq(outcome, LG_STR("pending"));
}

const lg_json *lg_ledger_certain(lg_arena *arena, const lg_ledger_state *state)
{
    const lg_json *history = lg_json_get(state->root, LG_STR("history"));
    size_t count = lg_json_len(history);
    size_t known = state->certain;
    size_t kept = known;
    for (size_t i = known; i < count; i++) {
        kept += !lg_ledger_is_uncertain(lg_json_item(history, i));
    }
    if (kept == count) {
        return state->root;
    }
    lg_json *items = LG_NEW_ARRAY(arena, lg_json, kept);
    lg_json *certain = LG_NEW(arena, lg_json);
    size_t next = 0;
    for (size_t i = 0; items && i < count; i++) {
        if (i < known || !lg_ledger_is_uncertain(lg_json_item(history, i))) {
            items[next++] = *lg_json_item(history, i);
        }
    }
    bool fine = items && certain &&
                lg_tree_with_member(arena, state->root, LG_STR("history"),
                                    lg_json_make_array(items, kept), certain) == LG_OK;
    return fine ? certain : NULL;
}
