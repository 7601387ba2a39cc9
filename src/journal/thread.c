// thread.c: which decisions are of one conversation.
//
// A name that a host gives may be that of many who began alike ("Hello"). What tells them apart is what they were told: events
// form a tree, so a conversation is one path in it, and a decision stands on that path where its last event does. Where paths
// part behind a decision, these are several conversations (or one that was taken back and tried again: nobody can tell).
#include "journal/journal_internal.h"

typedef struct walk {
    lg_log *log;
    lg_arena *arena;
    lg_arena scratch;
    conversation *c;
    lg_error *reterr;
} walk;

static lg_status add_id(walk *w, lg_map *ids, const lg_journal_id *id)
{
    lg_str key = lg_arena_str(w->arena, id_bytes(id));
    return key.ptr && lg_map_put(w->arena, ids, key, key.ptr, 1) ? LG_OK : lg_fail_oom(w->reterr);
}

static bool has_id(const lg_map *ids, const lg_journal_id *id)
{
    return lg_map_get(ids, id_bytes(id)) != NULL;
}

static bool same_id(const lg_journal_id *a, const lg_journal_id *b)
{
    return memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

// From `at` to the event before it. False in `*ret_known` where that is not known: what stood there is gone. `event` is
// valid until the next step.
static lg_status step_back(walk *w, lg_journal_id *at, read_event *event, bool *ret_known)
{
    lg_log_record record;
    lg_arena_reset(&w->scratch);
    lg_status status = lg_log_find(w->log, id_bytes(at), &record, w->reterr);
    *ret_known = status == LG_OK && read_event_body(&w->scratch, record.body, event, NULL) == LG_OK;
    *at = *ret_known ? event->previous : *at;
    return status == LG_ERR_MISSING ? LG_OK : status;
}

// --- All decisions ------------------------------------------------------------------------------

static lg_status add_decision(walk *w, const lg_log_record *record, lg_str name)
{
    conversation *c = w->c;
    read_decision decision;
    lg_arena_reset(&w->scratch);
    if (!record->has_payload ||
        read_decision_body(&w->scratch, record->body, &decision, NULL) != LG_OK) {
        return LG_OK;
    }
    conversation_decision *all =
        lg_arena_grow(w->arena, c->all, c->count, &c->capacity, sizeof(*all));
    if (!all) {
        return lg_fail_oom(w->reterr);
    }
    c->all = all;
    all[c->count] =
        (conversation_decision){.sequence = record->sequence,
                                .time = record->time,
                                .last = decision.last,
                                .chosen = name.len && lg_str_eq(decision.conversation, name)};
    all[c->count].has_id = record->key.len == LG_JOURNAL_ID_BYTES;
    if (all[c->count].has_id) {
        memcpy(all[c->count].id.bytes, record->key.ptr, LG_JOURNAL_ID_BYTES);
    }
    c->count++;
    return LG_OK;
}

// Those of this name are chosen.
static lg_status read_decisions(walk *w, lg_str name)
{
    lg_log_record record;
    lg_status status = LG_OK;
    for (uint64_t from = 1; status == LG_OK; from = record.sequence + 1) {
        status = lg_log_next(w->log, from, KIND_DECISION, &record, w->reterr);
        if (status == LG_OK) {
            status = add_decision(w, &record, name);
        }
    }
    return status == LG_ERR_MISSING ? LG_OK : status;
}

// --- The path of one decision -------------------------------------------------------------------

typedef struct path_of {
    lg_journal_id last;
    lg_map before; // its events
    lg_map behind; // events that are known to stand behind the last of them
    lg_map apart;  // and such as are known not to
} path_of;

static lg_status collect_path(walk *w, path_of *path)
{
    lg_journal_id at = path->last;
    bool known = true;
    lg_status status = LG_OK;
    while (status == LG_OK && known && !id_is_scope(&at) && !has_id(&path->before, &at)) {
        read_event event;
        status = add_id(w, &path->before, &at);
        if (status == LG_OK) {
            status = step_back(w, &at, &event, &known);
        }
    }
    return status;
}

// Does the path to `last` lead through the last event of `path`?
static lg_status leads_through(walk *w, path_of *path, const lg_journal_id *last, bool *ret)
{
    lg_journal_id at = *last;
    lg_map seen = {0};
    bool known = true;
    lg_status status = LG_OK;
    bool behind = false;
    while (status == LG_OK && known && !id_is_scope(&at) && !has_id(&seen, &at)) {
        read_event event;
        behind = same_id(&at, &path->last) || has_id(&path->behind, &at);
        if (behind || has_id(&path->before, &at) || has_id(&path->apart, &at)) {
            break;
        }
        status = add_id(w, &seen, &at);
        if (status == LG_OK) {
            status = step_back(w, &at, &event, &known);
        }
    }
    for (uint32_t i = 0; status == LG_OK && i < seen.next; i++) {
        const char *key = lg_map_at(&seen, i);
        lg_journal_id one;
        memcpy(one.bytes, key, sizeof(one.bytes));
        status = add_id(w, behind ? &path->behind : &path->apart, &one);
    }
    *ret = behind;
    return status;
}

// All decisions on the path of this one, before it and behind it. Where it was made before anything was said, it is alone:
// there all conversations begin.
static lg_status choose_path(walk *w, uint64_t sequence)
{
    conversation *c = w->c;
    path_of path = {0};
    lg_status status = LG_OK;
    for (size_t i = 0; i < c->count; i++) {
        path.last = c->all[i].sequence == sequence ? c->all[i].last : path.last;
    }
    status = collect_path(w, &path);
    for (size_t i = 0; i < c->count && status == LG_OK; i++) {
        conversation_decision *one = &c->all[i];
        one->chosen = one->sequence == sequence || has_id(&path.before, &one->last);
        if (!one->chosen) {
            status = leads_through(w, &path, &one->last, &one->chosen);
        }
    }
    return status;
}

// --- Where paths end ----------------------------------------------------------------------------

typedef struct ends_of {
    lg_map lasts; // last events of decisions that were chosen
    lg_map inner; // what stands before one of these
    lg_map forks; // and where two of their paths meet
} ends_of;

static lg_status mark_path(walk *w, ends_of *ends, lg_journal_id at)
{
    bool known = true;
    lg_status status = LG_OK;
    while (status == LG_OK && !id_is_scope(&at)) {
        read_event event;
        status = step_back(w, &at, &event, &known);
        if (status != LG_OK || !known) {
            break;
        }
        if (has_id(&ends->inner, &at)) {
            return add_id(w, &ends->forks, &at);
        }
        status = add_id(w, &ends->inner, &at);
        if (status == LG_OK && has_id(&ends->lasts, &at)) {
            break; // what stands before it is marked
        }
    }
    return status;
}

static lg_status mark_paths(walk *w, ends_of *ends)
{
    lg_status status = LG_OK;
    for (size_t i = 0; i < w->c->count && status == LG_OK; i++) {
        const conversation_decision *one = &w->c->all[i];
        if (!one->chosen || has_id(&ends->lasts, &one->last)) {
            continue;
        }
        status = add_id(w, &ends->lasts, &one->last);
        if (status == LG_OK && !has_id(&ends->inner, &one->last)) {
            status = mark_path(w, ends, one->last);
        }
    }
    return status;
}

#define BEGIN_BYTES 120u

// What the user said first that no other of these conversations has.
static lg_status find_words(walk *w, const ends_of *ends, lg_journal_id at, lg_str *ret)
{
    lg_map seen = {0};
    bool known = true;
    lg_status status = LG_OK;
    *ret = LG_STR("");
    while (status == LG_OK && !id_is_scope(&at) && !has_id(&ends->forks, &at) &&
           !has_id(&seen, &at)) {
        read_event event;
        status = add_id(w, &seen, &at);
        if (status == LG_OK) {
            status = step_back(w, &at, &event, &known);
        }
        if (status != LG_OK || !known) {
            break;
        }
        const lg_event *told = &event.told.event;
        if (told->kind == LG_EVENT_MESSAGE && told->role == LG_ROLE_USER && told->text.len) {
            *ret = lg_arena_str(w->arena, lg_str_cut(told->text, BEGIN_BYTES));
            status = ret->ptr ? LG_OK : lg_fail_oom(w->reterr);
        }
    }
    return status;
}

static lg_status describe_end(walk *w, const ends_of *ends, const conversation_decision *one,
                              lg_journal_thread *ret)
{
    char hex[LG_JOURNAL_ID_HEX];
    lg_hex(one->id.bytes, sizeof(one->id.bytes), hex);
    ret->sequence = one->sequence;
    ret->time = one->time;
    ret->id = lg_arena_str(w->arena, lg_str_c(one->has_id ? hex : ""));
    return ret->id.ptr ? find_words(w, ends, one->last, &ret->words) : lg_fail_oom(w->reterr);
}

// Of each end, the decision that was made there last.
static lg_status find_ends(walk *w)
{
    conversation *c = w->c;
    ends_of ends = {0};
    lg_map told = {0};
    lg_status status = mark_paths(w, &ends);
    c->threads = LG_NEW_ARRAY(w->arena, lg_journal_thread, LG_JOURNAL_THREADS_MAX);
    if (status == LG_OK && !c->threads) {
        status = lg_fail_oom(w->reterr);
    }
    for (size_t i = c->count; i > 0 && status == LG_OK; i--) {
        const conversation_decision *one = &c->all[i - 1];
        if (!one->chosen || has_id(&ends.inner, &one->last) || has_id(&told, &one->last)) {
            continue;
        }
        status = add_id(w, &told, &one->last);
        if (status == LG_OK && c->thread_count < LG_JOURNAL_THREADS_MAX) {
            status = describe_end(w, &ends, one, &c->threads[c->thread_count]);
        }
        c->thread_count++;
    }
    return status;
}

// --- What is meant ------------------------------------------------------------------------------

static lg_status choose(walk *w, lg_str what)
{
    lg_log_record record = {0};
    size_t named = 0;
    lg_status found = lg_journal_find(w->log, what, &record, w->reterr);
    if (found != LG_OK && found != LG_ERR_MISSING && found != LG_ERR_USAGE) {
        return found;
    }
    uint64_t sequence = record.sequence;
    bool gone = found == LG_OK && !record.has_payload;
    lg_status status = read_decisions(w, what);
    for (size_t i = 0; i < w->c->count; i++) {
        named += w->c->all[i].chosen;
    }
    if (status != LG_OK || (found != LG_OK && named)) {
        return status;
    }
    if (found != LG_OK) {
        return lg_fail(w->reterr, LG_ERR_MISSING,
                       "there is no conversation `%.*s` in the log, and no decision with this id "
                       "or number",
                       (int)(what.len < 80 ? what.len : 80), what.ptr);
    }
    if (named) {
        return lg_fail(w->reterr, LG_ERR_USAGE,
                       "`%.*s` is both the name of a conversation and a decision: give the id of "
                       "a decision",
                       (int)(what.len < 80 ? what.len : 80), what.ptr);
    }
    if (gone) {
        return lg_fail(w->reterr, LG_ERR_MISSING,
                       "what record %llu said is gone, so that nobody knows which conversation it "
                       "was of",
                       (unsigned long long)sequence);
    }
    return choose_path(w, sequence);
}

lg_status conversation_find(lg_log *log, lg_str what, lg_arena *arena, conversation *ret,
                            lg_error *reterr)
{
    walk w = {.log = log, .arena = arena, .c = ret, .reterr = reterr};
    *ret = (conversation){0};
    lg_arena_init(&w.scratch, 0);
    lg_status status = choose(&w, what);
    if (status == LG_OK) {
        status = find_ends(&w);
    }
    lg_arena_done(&w.scratch);
    return status;
}
