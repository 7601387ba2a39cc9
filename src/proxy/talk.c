// talk.c: one folded conversation, and what stands in it that the client has not written.
#include "proxy/proxy_internal.h"

#include "base/alloc.h"

// --- What the journal has come to ---------------------------------------------------------------

enum { WORD_WAITS, WORD_KEPT, WORD_LOST };

struct talk_word {
    _Atomic int users;
    _Atomic int said;
};

static void word_unref(talk_word *word)
{
    if (word && atomic_fetch_sub(&word->users, 1) == 1) {
        lg_free(word);
    }
}

// --- Lifetime -----------------------------------------------------------------------------------

lg_status talk_new(lg_proxy_route *route, const lg_journal_id *scope, talk **ret)
{
    const lg_limits *limits = &route->proxy->limits;
    talk *t = lg_zalloc(sizeof(*t));
    if (!t) {
        return LG_ERR_OOM;
    }
    lg_arena_init(&t->arena, limits->memory_bytes);
    if (lg_session_new(route->options.pack, limits, &t->session) != LG_OK) {
        talk_free(t);
        return LG_ERR_OOM;
    }
    // A request does not say when its messages were written: they are a recording.
    lg_session_set_recorded(t->session, true);
    t->logged_at = *scope;
    *ret = t;
    return LG_OK;
}

void talk_free(talk *t)
{
    if (t) {
        word_unref(t->word);
        lg_session_free(t->told);
        lg_session_free(t->session);
        lg_ledger_shown_done(&t->shown);
        lg_arena_done(&t->arena);
        lg_free(t);
    }
}

void talk_free_item(shelf_item *item)
{
    talk_free((talk *)item);
}

size_t talk_bytes(const talk *t)
{
    return sizeof(*t) + t->session->memory->quota.held_bytes + t->arena.held_bytes +
           lg_ledger_shown_bytes(&t->shown);
}

bool talk_insert(talk *t, const lg_chat_insert *insert)
{
    lg_chat_insert *inserts = lg_arena_grow(&t->arena, t->inserts, t->insert_count,
                                            &t->insert_capacity, sizeof(*inserts));
    lg_str kept = lg_arena_str(&t->arena, insert->text);
    if (!inserts || !kept.ptr) {
        return false;
    }
    t->inserts = inserts;
    t->insert_bytes += kept.len;
    t->inserts[t->insert_count] = *insert;
    t->inserts[t->insert_count++].text = kept;
    return true;
}

bool talk_add_call(talk *t, lg_str id, lg_str tool, uint32_t event)
{
    talk_call *calls =
        lg_arena_grow(&t->arena, t->calls, t->call_count, &t->call_capacity, sizeof(*calls));
    lg_str kept_id = lg_arena_str(&t->arena, id);
    lg_str kept_tool = lg_arena_str(&t->arena, tool);
    if (!calls || !kept_id.ptr || !kept_tool.ptr) {
        return false;
    }
    t->calls = calls;
    t->calls[t->call_count++] = (talk_call){.id = kept_id, .event = event, .tool = kept_tool};
    return true;
}

bool talk_add_clock(talk *t, lg_time time)
{
    talk_clock *clocks =
        lg_arena_grow(&t->arena, t->clocks, t->clock_count, &t->clock_capacity, sizeof(*clocks));
    if (!clocks) {
        return false;
    }
    t->clocks = clocks;
    t->clocks[t->clock_count++] = (talk_clock){.event = t->events, .time = time};
    return true;
}

// --- The log ------------------------------------------------------------------------------------

static void log_up_to(talk *t, uint32_t events, const lg_journal_id *at)
{
    size_t gone = 0; // of what is in the log no clock is needed
    if (events < t->logged) {
        return; // more of it has been written since
    }
    t->logged = events;
    t->logged_at = *at;
    while (gone + 1 < t->clock_count && t->clocks[gone + 1].event <= events) {
        gone++;
    }
    for (size_t i = gone; i < t->clock_count && gone; i++) {
        t->clocks[i - gone] = t->clocks[i];
    }
    t->clock_count -= gone;
}

void talk_logged(talk *t, const lg_journal_id *at)
{
    log_up_to(t, t->events, at);
}

talk_word *talk_hand_over(talk *t, const lg_journal_id *at)
{
    if (t->word) { // whoever is faster than the log would never have a word on all
        return NULL;
    }
    t->word = lg_alloc(sizeof(*t->word));
    if (t->word) {
        atomic_init(&t->word->users, 2);
        atomic_init(&t->word->said, WORD_WAITS);
        t->word_at = *at;
        t->word_events = t->events;
    }
    return t->word;
}

void talk_word_say(talk_word *word, bool kept)
{
    if (word) {
        atomic_store(&word->said, kept ? WORD_KEPT : WORD_LOST);
        word_unref(word);
    }
}

void talk_settle(talk *t)
{
    int said = t->word ? atomic_load(&t->word->said) : WORD_WAITS;
    if (said == WORD_KEPT) {
        log_up_to(t, t->word_events, &t->word_at);
    }
    if (said != WORD_WAITS) {
        word_unref(t->word);
        t->word = NULL;
    }
}
