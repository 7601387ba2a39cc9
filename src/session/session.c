// session.c: lifetime, forks, and what can be asked of a session.
#include "base/alloc.h"
#include "session/session_internal.h"

#include <stdlib.h>

// --- Lifetime -----------------------------------------------------------------------------------

// Is it one of the forks that share this memory, and are they as many as are counted?
static bool is_listed(const lg_session_memory *memory, const lg_session *session)
{
    size_t count = 0;
    bool found = false;
    for (const lg_session *fork = memory->forks; fork; fork = fork->next) {
        found = found || fork == session;
        count++;
    }
    return found && count == memory->fork_count;
}

static lg_session *add_fork(lg_session_memory *memory)
{
    lg_session *session = lg_zalloc(sizeof(*session));
    if (session) {
        session->memory = memory;
        session->explain = LG_EXPLAIN_ALL;
        session->next = memory->forks;
        if (memory->forks) {
            memory->forks->previous = session;
        }
        memory->forks = session;
        memory->fork_count++;
        lg_arena_init(&session->scratch, memory->ledger.limits.memory_bytes);
        lg_arena_share(&session->scratch, &memory->quota);
        LG_DEBUG_ASSERT(is_listed(memory, session));
    }
    return session;
}

static void free_memory(lg_session_memory *memory)
{
    lg_ledger_done(&memory->ledger);
    lg_conversation_done(&memory->conversation);
    lg_free(memory);
}

void session_leave(lg_session *session)
{
    session->state.ledger = session->memory->ledger.state;
    session->state.conversation = session->memory->conversation.state;
}

lg_status lg_session_new(const lg_pack *pack, const lg_limits *limits, lg_session **ret_session)
{
    lg_session_memory *memory = lg_zalloc(sizeof(*memory));
    if (!memory) {
        return LG_ERR_OOM;
    }
    lg_limits resolved = lg_limits_resolve(limits);
    memory->quota.limit_bytes = resolved.memory_bytes;
    lg_ledger_init(&memory->ledger, pack, &resolved);
    lg_ledger_share(&memory->ledger, &memory->quota);
    lg_conversation_init(&memory->conversation, pack, &resolved);
    lg_conversation_share(&memory->conversation, &memory->quota);
    lg_session *session = add_fork(memory);
    if (!session) {
        free_memory(memory);
        return LG_ERR_OOM;
    }
    session_leave(session);
    *ret_session = session;
    return LG_OK;
}

void lg_session_free(lg_session *session)
{
    if (!session) {
        return;
    }
    lg_session_memory *memory = session->memory;
    LG_DEBUG_ASSERT(is_listed(memory, session)); // it is freed once
    if (session->next) {
        session->next->previous = session->previous;
    }
    if (session->previous) {
        session->previous->next = session->next;
    } else {
        memory->forks = session->next;
    }
    memory->fork_count--;
    lg_arena_done(&session->scratch);
    lg_free(session);
    if (memory->fork_count == 0) {
        free_memory(memory);
    }
}

static void forget_latest(lg_session *session)
{
    session->rejection = (lg_rejection){0};
    session->found = NULL;
    session->found_count = 0;
    lg_arena_reset(&session->scratch);
}

void lg_session_reset(lg_session *session)
{
    lg_session_memory *memory = session->memory;
    forget_latest(session);
    if (memory->fork_count == 1) {
        lg_ledger_reset(&memory->ledger);
        lg_conversation_reset(&memory->conversation);
    } else { // the others still need what is there
        memory->ledger.state = (lg_ledger_state){.root = memory->ledger.pack->ledger.root};
        memory->conversation.state = (lg_conversation_state){0};
    }
    session_leave(session);
    session->state.lost = false;
}

lg_status lg_session_fork(lg_session *session, lg_session **ret_fork)
{
    lg_session *fork = add_fork(session->memory);
    if (!fork) {
        return LG_ERR_OOM;
    }
    fork->state = session->state;
    fork->explain = session->explain;
    fork->recorded = session->recorded;
    fork->time_is_set = session->time_is_set;
    fork->time = session->time;
    fork->not_followed = session->not_followed;
    *ret_fork = fork;
    return LG_OK;
}

lg_status lg_session_restore(lg_session *session, const lg_session *snapshot)
{
    if (session->memory != snapshot->memory) {
        return LG_ERR_USAGE;
    }
    forget_latest(session);
    LG_DEBUG_ASSERT(
        is_listed(session->memory, snapshot)); // or its state may lie in memory that was given back
    session->state = snapshot->state;
    session->not_followed = snapshot->not_followed;
    return LG_OK;
}

void lg_session_set_time(lg_session *session, lg_time time)
{
    time.seconds = time.seconds < LG_TIME_MIN_SECONDS ? LG_TIME_MIN_SECONDS : time.seconds;
    time.seconds = time.seconds > LG_TIME_MAX_SECONDS ? LG_TIME_MAX_SECONDS : time.seconds;
    time.nanos = time.nanos < LG_TIME_NANOS ? time.nanos : LG_TIME_NANOS - 1;
    session->time_is_set = true;
    session->time = time;
}

void lg_session_set_recorded(lg_session *session, bool recorded)
{
    session->recorded = recorded;
}

void lg_session_set_explain(lg_session *session, lg_explain explain)
{
    session->explain = explain;
}

void lg_session_keep_all(lg_session *session)
{
    session->memory->keeps_all = true;
}

// --- The memory ---------------------------------------------------------------------------------

// Rules count on what was done: without a part of it there is no verdict.
lg_status session_fail_lost(lg_error *reterr)
{
    return lg_fail(
        reterr, LG_ERR_LIMIT,
        "something that has happened could not be taken in (lg_observe failed), so nothing is "
        "decided any more: begin a new session, or raise the limit that it named");
}

void session_enter(lg_session *session)
{
    forget_latest(session);
    session->memory->ledger.state = session->state.ledger;
    session->memory->ledger.rejection = (lg_rejection){0};
    session->memory->conversation.state = session->state.conversation;
}

bool session_is_entered(const lg_session *session)
{
    const lg_ledger_state *ledger = &session->memory->ledger.state;
    const lg_conversation_state *conversation = &session->memory->conversation.state;
    return ledger->root == session->state.ledger.root &&
           ledger->open == session->state.ledger.open &&
           conversation->signals == session->state.conversation.signals &&
           conversation->rules == session->state.conversation.rules &&
           conversation->events == session->state.conversation.events;
}

typedef struct fork_states {
    lg_ledger_state **ledgers;
    lg_conversation_state **conversations;
    size_t count;
} fork_states;

// The states of the other forks: `session`'s own is that of the memory.
static bool list_forks(lg_session *session, fork_states *ret)
{
    size_t count = session->memory->fork_count - 1;
    *ret = (fork_states){LG_NEW_ARRAY(&session->scratch, lg_ledger_state *, count),
                         LG_NEW_ARRAY(&session->scratch, lg_conversation_state *, count), 0};
    if (!ret->ledgers || !ret->conversations) {
        return false;
    }
    for (lg_session *fork = session->memory->forks; fork; fork = fork->next) {
        if (fork != session) {
            ret->ledgers[ret->count] = &fork->state.ledger;
            ret->conversations[ret->count++] = &fork->state.conversation;
        }
    }
    LG_DEBUG_ASSERT(ret->count == count);
    return true;
}

bool session_tidy(lg_session *session, bool now)
{
    lg_session_memory *memory = session->memory;
    lg_ledger *ledger = &memory->ledger;
    lg_conversation *conversation = &memory->conversation;
    fork_states others;
    LG_DEBUG_ASSERT(session_is_entered(session));
    bool untidy = lg_ledger_is_untidy(ledger) || lg_conversation_is_untidy(conversation);
    if (memory->keeps_all || (!now && !untidy) || !list_forks(session, &others)) {
        return false;
    }
    bool gave = true;
    if (now) {
        gave = lg_ledger_tidy_now(ledger, others.ledgers, others.count);
        gave = lg_conversation_tidy_now(conversation, others.conversations, others.count) || gave;
    } else {
        lg_ledger_tidy(ledger, others.ledgers, others.count);
        lg_conversation_tidy(conversation, others.conversations, others.count);
    }
    session_leave(session);
    return gave;
}

const lg_ledger *lg_session_ledger(lg_session *session)
{
    session->memory->ledger.state = session->state.ledger;
    return &session->memory->ledger;
}

lg_status lg_session_seen(lg_session *session, lg_ledger_state *ret)
{
    const lg_ledger *ledger = &session->memory->ledger;
    lg_budget steps = {.left = ledger->limits.observe_steps,
                       .what = LG_NO_STEPS_LEFT("observe_steps")};
    // In a message to come: what is open now is not of it.
    return lg_ledger_assume(ledger, &session->state.ledger, true, UINT32_MAX, &steps,
                            &session->scratch, ret, NULL);
}

const lg_conversation *lg_session_conversation(lg_session *session)
{
    session->memory->conversation.state = session->state.conversation;
    return &session->memory->conversation;
}

// --- What can be asked --------------------------------------------------------------------------

const lg_rejection *lg_rejected(const lg_session *session)
{
    return session->rejection.category == LG_CATEGORY_NONE ? NULL : &session->rejection;
}

const lg_finding *lg_found(const lg_session *session, size_t *ret_count)
{
    *ret_count = session->found_count;
    return session->found;
}

const char *lg_not_followed(const lg_session *session)
{
    return session->state.conversation.lost ? session->not_followed.msg : NULL;
}

lg_status lg_owed(lg_session *session, const lg_obligation **ret, size_t *ret_count,
                  lg_error *reterr)
{
    session_enter(session);
    return lg_conversation_owed(&session->memory->conversation, &session->scratch, ret, ret_count,
                                reterr);
}

// What is owed, a line each, as far as the budget goes. Nothing is added where nothing is owed.
static lg_status render_owed(lg_session *session, size_t budget_bytes, lg_buf *text,
                             lg_error *reterr)
{
    const lg_obligation *owed;
    size_t count;
    lg_status status = lg_conversation_owed(&session->memory->conversation, &session->scratch,
                                            &owed, &count, reterr);
    for (size_t i = 0; status == LG_OK && i < count; i++) {
        size_t needed = sizeof("Owed: \n") - 1 + owed[i].message.len;
        bool fits = budget_bytes == 0 || text->len + needed <= budget_bytes;
        if (fits && owed[i].state != LG_OWED_LATE) {
            lg_buf_addf(text, "Owed: %.*s\n", LG_FMT(owed[i].message));
        }
    }
    return status;
}

static lg_status render_ledger(lg_session *session, const lg_render_options *options, lg_buf *text,
                               lg_error *reterr)
{
    lg_ledger_state seen;
    lg_status status = lg_session_seen(session, &seen);
    if (status != LG_OK) {
        return lg_fail_oom(reterr);
    }
    lg_ledger_render(&session->memory->ledger, &seen, options, text);
    return LG_OK;
}

// Copies the text out of the buffer, which is done with.
static lg_status keep_text(lg_session *session, lg_buf *text, lg_status status, lg_str *ret_text,
                           lg_error *reterr)
{
    lg_str kept = {NULL, 0};
    if (status == LG_OK && lg_buf_status(text) == LG_OK) {
        kept = lg_arena_str(&session->scratch, lg_buf_str(text));
    }
    lg_buf_done(text);
    if (status == LG_OK && !kept.ptr) {
        status = lg_fail_oom(reterr);
    }
    *ret_text = status == LG_OK ? kept : *ret_text;
    return status;
}

lg_status lg_render(lg_session *session, const lg_render_options *options, lg_str *ret_text,
                    lg_error *reterr)
{
    lg_buf text;
    session_enter(session);
    lg_buf_init(&text, lg_arena_left(&session->scratch) / 2); // it is copied in the end
    lg_status status = render_ledger(session, options, &text, reterr);
    if (status == LG_OK) {
        status = render_owed(session, options ? options->budget_bytes : 0, &text, reterr);
    }
    return keep_text(session, &text, status, ret_text, reterr);
}

// What is owed is made anew: it depends on the time, and is little.
static lg_status render_owed_again(lg_session *session, lg_session_block *ret, lg_buf *out,
                                   lg_error *reterr)
{
    char room[512];
    lg_buf owed;
    lg_buf_init_in(&owed, room, sizeof(room), 0);
    lg_status status = render_owed(session, 0, &owed, reterr);
    if (status == LG_OK && lg_buf_status(&owed) != LG_OK) {
        status = lg_fail_oom(reterr);
    }
    if (status == LG_OK) {
        lg_json_add_escaped(out, lg_buf_str(&owed));
        ret->plain_bytes += owed.len;
        ret->empty = ret->empty && owed.len == 0;
    }
    lg_buf_done(&owed);
    return status;
}

lg_status lg_session_render_again(lg_session *session, const lg_render_options *options,
                                  lg_ledger_shown *shown, lg_buf *out, lg_session_block *ret,
                                  lg_error *reterr)
{
    lg_ledger_state seen;
    session_enter(session);
    if (lg_session_seen(session, &seen) != LG_OK) {
        return lg_fail_oom(reterr);
    }
    const lg_ledger *ledger = &session->memory->ledger;
    ret->empty =
        seen.entries.count == 0 && lg_json_len(lg_json_get(seen.root, LG_STR("history"))) == 0;
    ret->plain_bytes = lg_ledger_render_again(ledger, &seen, options, shown, out);
    return render_owed_again(session, ret, out, reterr);
}

// --- What has changed since ---------------------------------------------------------------------

typedef struct debts {
    lg_str *items; // as they came
    lg_str *sorted;
    size_t count;
} debts;

static int by_text(const void *a, const void *b)
{
    return lg_str_cmp(*(const lg_str *)a, *(const lg_str *)b);
}

static lg_status list_debts(lg_session *session, debts *ret, lg_error *reterr)
{
    const lg_obligation *owed;
    size_t count;
    session_enter(session);
    lg_status status = lg_conversation_owed(&session->memory->conversation, &session->scratch,
                                            &owed, &count, reterr);
    if (status != LG_OK) {
        return status;
    }
    *ret = (debts){.items = LG_NEW_ARRAY(&session->scratch, lg_str, count),
                   .sorted = LG_NEW_ARRAY(&session->scratch, lg_str, count)};
    if (!ret->items || !ret->sorted) {
        return lg_fail_oom(reterr);
    }
    for (size_t i = 0; i < count; i++) {
        if (owed[i].state != LG_OWED_LATE) {
            ret->sorted[ret->count] = owed[i].message;
            ret->items[ret->count++] = owed[i].message;
        }
    }
    if (ret->count > 1) {
        qsort(ret->sorted, ret->count, sizeof(*ret->sorted), by_text);
    }
    return LG_OK;
}

static void print_debts(lg_buf *text, const char *head, const debts *of, const debts *but)
{
    for (size_t i = 0; i < of->count; i++) {
        if (!but->count ||
            !bsearch(&of->items[i], but->sorted, but->count, sizeof(*but->sorted), by_text)) {
            lg_buf_addf(text, "%s: %.*s\n", head, LG_FMT(of->items[i]));
        }
    }
}

lg_status lg_session_render_changes(lg_session *session, lg_session *before,
                                    const lg_render_options *options, lg_str *ret_text,
                                    lg_error *reterr)
{
    LG_DEBUG_ASSERT(session->memory == before->memory && session != before);
    debts old, now;
    lg_ledger_state was, is;
    lg_buf text;
    lg_status status = list_debts(before, &old, reterr);
    if (status == LG_OK) {
        status = list_debts(session, &now, reterr);
    }
    if (status == LG_OK &&
        (lg_session_seen(before, &was) != LG_OK || lg_session_seen(session, &is) != LG_OK)) {
        status = lg_fail_oom(reterr);
    }
    lg_buf_init(&text, lg_arena_left(&session->scratch) / 2);
    if (status == LG_OK &&
        !lg_ledger_render_changes(&session->memory->ledger, &was, &is, options, &text)) {
        status = lg_fail_oom(reterr);
    }
    if (status == LG_OK) {
        print_debts(&text, "Owed", &now, &old);
        print_debts(&text, "No longer owed", &old, &now);
    }
    return keep_text(session, &text, status, ret_text, reterr);
}
