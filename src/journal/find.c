// find.c: decisions by what people call them, and what a redaction of them takes out.
#include "journal/journal_internal.h"

#include "base/map.h"

#include <stdlib.h>

// --- One decision -------------------------------------------------------------------------------

static bool read_sequence(lg_str text, uint64_t *ret)
{
    uint64_t number = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') {
            return false;
        }
        number = number * 10 + (uint64_t)(text.ptr[i] - '0');
    }
    *ret = number;
    return text.len > 0 && text.len <= 18;
}

lg_status lg_journal_find(lg_log *log, lg_str id, lg_log_record *ret, lg_error *reterr)
{
    lg_journal_id key;
    uint64_t sequence;
    lg_status status;
    if (read_sequence(id, &sequence)) {
        status = lg_log_at(log, sequence, ret, reterr);
    } else if (lg_unhex(id, key.bytes, sizeof(key.bytes))) {
        status = lg_log_find(log, id_bytes(&key), ret, reterr);
    } else {
        return lg_fail(reterr, LG_ERR_USAGE,
                       "`%.*s` is no decision: give its id (32 hexadecimal digits) or the number "
                       "of its record",
                       (int)(id.len < 40 ? id.len : 40), id.ptr);
    }
    if (status == LG_ERR_MISSING || (status == LG_OK && !lg_str_eq(ret->kind, KIND_DECISION))) {
        return lg_fail(reterr, LG_ERR_MISSING,
                       "there is no decision %.*s in the log; if it was redacted, its record has "
                       "its number alone",
                       LG_FMT(id));
    }
    return status;
}

// --- Selections ---------------------------------------------------------------------------------

typedef struct selected {
    uint64_t sequence;
    lg_str mark; // or empty
} selected;

typedef struct selecting {
    lg_log *log;
    lg_arena *arena;
    selected *all;
    size_t count, capacity;
    size_t decision_count;
    lg_map decisions; // ids, of those that are selected
    lg_map events;    // likewise
    lg_map needed;    // events that other conversations stand on, too
    lg_map shared;    // of these, what the selected decisions stand on
    lg_error *reterr;
} selecting;

static lg_status add_marked(selecting *s, uint64_t sequence, lg_str mark)
{
    selected *all = lg_arena_grow(s->arena, s->all, s->count, &s->capacity, sizeof(*all));
    if (!all) {
        return lg_fail_oom(s->reterr);
    }
    s->all = all;
    all[s->count++] = (selected){sequence, mark};
    return LG_OK;
}

static lg_status add_sequence(selecting *s, uint64_t sequence)
{
    return add_marked(s, sequence, LG_STR(""));
}

static lg_status add_event(selecting *s, uint64_t sequence, const read_event *event)
{
    lg_str mark = event->has_said ? lg_arena_str(s->arena, id_bytes(&event->said)) : LG_STR("");
    return mark.ptr ? add_marked(s, sequence, mark) : lg_fail_oom(s->reterr);
}

// False in `*ret_new` if it was there.
static lg_status add_id(selecting *s, lg_map *ids, const lg_journal_id *id, bool *ret_new)
{
    *ret_new = !lg_map_get(ids, id_bytes(id));
    if (!*ret_new) {
        return LG_OK;
    }
    lg_str key = lg_arena_str(s->arena, id_bytes(id));
    return key.ptr && lg_map_put(s->arena, ids, key, key.ptr, 1) ? LG_OK : lg_fail_oom(s->reterr);
}

static lg_status add_decision(selecting *s, const lg_log_record *record)
{
    lg_journal_id id;
    bool is_new;
    lg_status status = add_sequence(s, record->sequence);
    s->decision_count++;
    if (status == LG_OK && record->key.len == sizeof(id.bytes)) {
        memcpy(id.bytes, record->key.ptr, sizeof(id.bytes));
        status = add_id(s, &s->decisions, &id, &is_new);
    }
    return status;
}

// Outcomes of the decisions that were selected.
static lg_status add_outcomes(selecting *s)
{
    lg_log_record record;
    lg_journal_id decision;
    lg_arena scratch;
    lg_status status = LG_OK;
    lg_arena_init(&scratch, 0);
    for (uint64_t from = 1; status == LG_OK; from = record.sequence + 1) {
        status = lg_log_next(s->log, from, KIND_OUTCOME, &record, s->reterr);
        if (status == LG_OK && record.has_payload &&
            read_outcome_body(&scratch, record.body, &decision, NULL) == LG_OK &&
            lg_map_get(&s->decisions, id_bytes(&decision))) {
            status = add_sequence(s, record.sequence);
        }
        lg_arena_reset(&scratch);
    }
    lg_arena_done(&scratch);
    return status == LG_ERR_MISSING ? LG_OK : status;
}

// Events from `at` back to the beginning, or to one that is known already; an event that is not needed elsewhere is
// selected. `others`: of decisions that are not selected.
static lg_status walk_events(selecting *s, lg_journal_id at, bool others, lg_arena *scratch)
{
    lg_status status = LG_OK;
    while (status == LG_OK && !id_is_scope(&at)) {
        lg_log_record record;
        read_event event;
        bool is_new = false;
        bool needed = others || lg_map_get(&s->needed, id_bytes(&at));
        lg_map *ids = others ? &s->needed : needed ? &s->shared : &s->events;
        status = add_id(s, ids, &at, &is_new);
        if (status != LG_OK || !is_new) {
            return status;
        }
        status = lg_log_find(s->log, id_bytes(&at), &record, s->reterr);
        if (status != LG_OK) {
            return status == LG_ERR_MISSING ? LG_OK : status;
        }
        if (read_event_body(scratch, record.body, &event, NULL) != LG_OK) {
            return needed ? LG_OK : add_sequence(s, record.sequence);
        }
        status = needed ? LG_OK : add_event(s, record.sequence, &event);
        at = event.previous;
        lg_arena_reset(scratch);
    }
    return status;
}

// The decisions of the conversation, with the events that they stand on; or (`others`) what all others stand on.
static lg_status walk_decisions(selecting *s, lg_str conversation, bool others, lg_arena *scratch)
{
    lg_log_record record;
    lg_status status = LG_OK;
    for (uint64_t from = 1; status == LG_OK; from = record.sequence + 1) {
        read_decision decision;
        status = lg_log_next(s->log, from, KIND_DECISION, &record, s->reterr);
        if (status != LG_OK) {
            break;
        }
        bool readable = record.has_payload &&
                        read_decision_body(scratch, record.body, &decision, NULL) == LG_OK;
        bool wanted = readable && lg_str_eq(decision.conversation, conversation) != others;
        lg_journal_id last = wanted ? decision.last : (lg_journal_id){0};
        if (wanted && !others) {
            status = add_decision(s, &record);
        }
        lg_arena_reset(scratch);
        if (wanted && status == LG_OK) {
            status = walk_events(s, last, others, scratch);
        }
    }
    return status == LG_ERR_MISSING ? LG_OK : status;
}

// What was said behind the last decision: events that follow one that is selected. They stand behind it in the log, too.
static lg_status add_followers(selecting *s, lg_arena *scratch)
{
    lg_log_record record;
    lg_journal_id id;
    lg_status status = LG_OK;
    for (uint64_t from = 1; status == LG_OK; from = record.sequence + 1) {
        read_event event;
        bool is_new = false;
        status = lg_log_next(s->log, from, KIND_EVENT, &record, s->reterr);
        bool follows = status == LG_OK && record.has_payload &&
                       record.key.len == sizeof(id.bytes) &&
                       read_event_body(scratch, record.body, &event, NULL) == LG_OK &&
                       lg_map_get(&s->events, id_bytes(&event.previous)) &&
                       !lg_map_get(&s->needed, record.key);
        if (follows) {
            memcpy(id.bytes, record.key.ptr, sizeof(id.bytes));
            status = add_id(s, &s->events, &id, &is_new);
        }
        if (follows && is_new && status == LG_OK) {
            status = add_event(s, record.sequence, &event);
        }
        lg_arena_reset(scratch);
    }
    return status == LG_ERR_MISSING ? LG_OK : status;
}

static lg_status add_conversation(selecting *s, lg_str conversation)
{
    lg_arena scratch;
    lg_arena_init(&scratch, 0);
    lg_status status = walk_decisions(s, conversation, true, &scratch);
    if (status == LG_OK) {
        status = walk_decisions(s, conversation, false, &scratch);
    }
    if (status == LG_OK) {
        status = add_followers(s, &scratch);
    }
    lg_arena_done(&scratch);
    return status;
}

static int by_number(const void *a, const void *b)
{
    const selected *left = a;
    const selected *right = b;
    return (left->sequence > right->sequence) - (left->sequence < right->sequence);
}

static lg_status finish(selecting *s, lg_status status, lg_journal_selection *ret)
{
    if (status != LG_OK) {
        return status;
    }
    uint64_t *sequences = LG_NEW_ARRAY(s->arena, uint64_t, s->count);
    lg_str *marks = LG_NEW_ARRAY(s->arena, lg_str, s->count);
    if (!sequences || !marks) {
        return lg_fail_oom(s->reterr);
    }
    if (s->count) {
        qsort(s->all, s->count, sizeof(*s->all), by_number);
    }
    for (size_t i = 0; i < s->count; i++) {
        sequences[i] = s->all[i].sequence;
        marks[i] = s->all[i].mark;
    }
    *ret = (lg_journal_selection){sequences, marks, s->count, s->decision_count, s->shared.count};
    return LG_OK;
}

lg_status lg_journal_select_decision(lg_log *log, lg_str id, lg_arena *arena,
                                     lg_journal_selection *ret, lg_error *reterr)
{
    lg_log_record record;
    selecting s = {.log = log, .arena = arena, .reterr = reterr};
    lg_status status = lg_journal_find(log, id, &record, reterr);
    if (status == LG_OK) {
        status = add_decision(&s, &record);
    }
    if (status == LG_OK) {
        status = add_outcomes(&s);
    }
    return finish(&s, status, ret);
}

lg_status lg_journal_select_conversation(lg_log *log, lg_str conversation, lg_arena *arena,
                                         lg_journal_selection *ret, lg_error *reterr)
{
    selecting s = {.log = log, .arena = arena, .reterr = reterr};
    lg_status status = add_conversation(&s, conversation);
    if (status == LG_OK) {
        status = add_outcomes(&s);
    }
    return finish(&s, status, ret);
}

lg_status lg_journal_select_before(lg_log *log, lg_time time, lg_arena *arena,
                                   lg_journal_selection *ret, lg_error *reterr)
{
    lg_log_record record;
    selecting s = {.log = log, .arena = arena, .reterr = reterr};
    lg_status status = LG_OK;
    for (uint64_t from = 1; status == LG_OK; from = record.sequence + 1) {
        status = lg_log_next(log, from, LG_STR(""), &record, reterr);
        if (status != LG_OK) {
            break;
        }
        bool stays =
            lg_str_eq(record.kind, KIND_LAW) || lg_str_eq(record.kind, LG_STR("redaction"));
        if (record.has_payload && !stays && lg_time_cmp(record.time, time) < 0) {
            status = add_sequence(&s, record.sequence);
            s.decision_count += lg_str_eq(record.kind, KIND_DECISION);
        }
    }
    return finish(&s, status == LG_ERR_MISSING ? LG_OK : status, ret);
}
