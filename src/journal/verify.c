// verify.c: decisions are made again, and the first difference is told.
//
// A decision stands on all events before it, so that doing each from the beginning would take time in the square of a
// conversation's length. So the sessions that were told something last are kept, each with the event that it has come
// to, and the walk back from a decision ends at the first of these.
#include "base/alloc.h"
#include "journal/journal_internal.h"

#include <stdarg.h>
#include <stdio.h>

#define SESSIONS 32u        // that are kept
#define LAWS_MAX 256u       // that are kept: a gateway has one for each version of each pack
#define EVENTS_MAX 4000000u // of one conversation, beyond which somebody has tied a knot

typedef struct known_law {
    lg_journal_id id;
    lg_arena arena;
    read_law law;
    lg_pack *pack; // NULL: it cannot be loaded, and
    char why[256];
    lg_journal_agreement agreement;
    uint64_t used;
} known_law;

typedef struct kept_session {
    lg_session *session;
    known_law *law;
    lg_journal_id at; // the event, or scope, that it has come to
    uint64_t used;
} kept_session;

typedef struct task {
    lg_log *log;
    lg_str secret;
    bool anything_redacted;
    known_law **laws;
    size_t law_count;
    kept_session sessions[SESSIONS];
    uint64_t clock;
    lg_arena arena; // of one decision
    lg_journal_check check;
    lg_journal_check_sink sink;
    void *context;
    lg_journal_counts *counts;
    lg_error error; // where the log cannot be read
} task;

// --- What is found ------------------------------------------------------------------------------

LG_PRINTF(3, 4)
static bool find(task *t, lg_journal_agreement agreement, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(t->check.why, sizeof(t->check.why), format, args);
    va_end(args);
    t->check.agreement = agreement;
    return false;
}

// A payload that is not there any more: it was taken out, or else it is lost. The chain tells which; here it is believed
// if anything was taken out at all.
static bool find_missing(task *t, const char *what)
{
    return find(t, t->anything_redacted ? LG_JOURNAL_NOT_EXECUTABLE : LG_JOURNAL_BROKEN,
                t->anything_redacted ? "%s that it stands on was redacted"
                                     : "%s that it stands on is not in the log",
                what);
}

// A payload that cannot be read; where memory ran out, that is no finding.
static bool find_unreadable(task *t, lg_status status, const char *what, const lg_error *why)
{
    if (status == LG_ERR_OOM) {
        t->error = *why;
        t->error.status = status;
        return false;
    }
    return find(t, LG_JOURNAL_BROKEN, "%s: %.150s", what, why->msg);
}

static bool find_odd_id(task *t, uint64_t sequence)
{
    return find(t, LG_JOURNAL_BROKEN, "record %llu has not the id that its content gives",
                (unsigned long long)sequence);
}

// The record with this id, of this kind; copied. False after find(), or with t->error.
static bool fetch(task *t, const lg_journal_id *id, lg_str kind, const char *what, lg_arena *arena,
                  lg_str *ret_body, uint64_t *ret_sequence)
{
    lg_log_record record;
    lg_status status = lg_log_find(t->log, id_bytes(id), &record, &t->error);
    if (status == LG_ERR_MISSING) {
        t->error.status = LG_OK;
        return find_missing(t, what);
    }
    if (status != LG_OK) {
        t->error.status = status;
        return false;
    }
    *ret_sequence = record.sequence;
    if (!lg_str_eq(record.kind, kind)) {
        return find_odd_id(t, record.sequence);
    }
    *ret_body = lg_arena_str(arena, record.body);
    if (!ret_body->ptr) {
        t->error.status = lg_fail_oom(&t->error);
    }
    return ret_body->ptr != NULL;
}

// --- Laws ---------------------------------------------------------------------------------------

static void free_law(known_law *law)
{
    lg_pack_free(law->pack);
    lg_arena_done(&law->arena);
    lg_free(law);
}

static bool load_law(task *t, known_law *law)
{
    lg_str body;
    lg_error why;
    size_t count = 0;
    uint64_t sequence = 0;
    if (!fetch(t, &law->id, KIND_LAW, "the law", &law->arena, &body, &sequence)) {
        return false;
    }
    lg_journal_id id;
    id_of_content(t->secret, KIND_LAW, body, &id);
    if (t->secret.len && !lg_str_eq(id_bytes(&id), id_bytes(&law->id))) {
        return find_odd_id(t, sequence);
    }
    lg_status status = read_law_body(&law->arena, body, &law->law, &why);
    if (status != LG_OK) {
        return find_unreadable(t, status, "the law cannot be read", &why);
    }
    lg_str name = lg_arena_str(&law->arena, law->law.file);
    status = lg_pack_load_text(law->law.text, name.ptr ? name.ptr : "", &law->law.limits,
                               &law->pack, &why, 1, &count);
    return status == LG_OK || find_unreadable(t, status, "the law's pack cannot be loaded", &why);
}

// The one that was used longest ago, with its sessions.
static void forget_law(task *t)
{
    size_t oldest = 0;
    for (size_t i = 1; i < t->law_count; i++) {
        oldest = t->laws[i]->used < t->laws[oldest]->used ? i : oldest;
    }
    known_law *law = t->laws[oldest];
    for (size_t i = 0; i < SESSIONS; i++) {
        if (t->sessions[i].law == law) {
            lg_session_free(t->sessions[i].session);
            t->sessions[i] = (kept_session){.session = NULL};
        }
    }
    t->laws[oldest] = t->laws[--t->law_count];
    free_law(law);
}

// NULL after find(), or with t->error. What is wrong with a law is found once and told for each decision.
static known_law *law_of(task *t, const lg_journal_id *id)
{
    for (size_t i = 0; i < t->law_count; i++) {
        if (memcmp(t->laws[i]->id.bytes, id->bytes, sizeof(id->bytes)) == 0) {
            known_law *law = t->laws[i];
            law->used = ++t->clock;
            return law->pack ? law : (find(t, law->agreement, "%s", law->why), NULL);
        }
    }
    if (t->law_count == LAWS_MAX) {
        forget_law(t);
    }
    known_law *law = lg_zalloc(sizeof(*law));
    if (!law) {
        t->error.status = lg_fail_oom(&t->error);
        return NULL;
    }
    law->id = *id;
    law->used = ++t->clock;
    lg_arena_init(&law->arena, 0);
    t->laws[t->law_count++] = law;
    if (!load_law(t, law)) {
        law->agreement = t->check.agreement;
        (void)snprintf(law->why, sizeof(law->why), "%s", t->check.why);
        return NULL;
    }
    return law;
}

// --- Sessions -----------------------------------------------------------------------------------

static kept_session *session_at(task *t, const known_law *law, const lg_journal_id *at)
{
    for (size_t i = 0; i < SESSIONS; i++) {
        kept_session *kept = &t->sessions[i];
        if (kept->session && kept->law == law &&
            memcmp(kept->at.bytes, at->bytes, sizeof(at->bytes)) == 0) {
            return kept;
        }
    }
    return NULL;
}

// One that has been told nothing, in place of the one that was used longest ago.
static kept_session *new_session(task *t, known_law *law, const lg_journal_id *scope)
{
    kept_session *kept = &t->sessions[0];
    for (size_t i = 1; i < SESSIONS; i++) {
        kept = t->sessions[i].used < kept->used ? &t->sessions[i] : kept;
    }
    lg_session_free(kept->session);
    *kept = (kept_session){.law = law, .at = *scope};
    if (lg_session_new(law->pack, &law->law.limits, &kept->session) != LG_OK) {
        t->error.status = lg_fail_oom(&t->error);
        return NULL;
    }
    lg_session_set_recorded(kept->session, law->law.recorded);
    lg_session_set_explain(kept->session, law->law.explain);
    return kept;
}

static void set_time(lg_session *session, bool has, lg_time time)
{
    lg_session_set_time(session, has ? time : (lg_time){0});
}

// --- Conversations ------------------------------------------------------------------------------

typedef struct told_event {
    const struct told_event *next; // the later one
    lg_journal_id id;
    read_event event;
} told_event;

// Reads the event of this id.
static bool fetch_event(task *t, const lg_journal_id *id, told_event *ret)
{
    lg_str body;
    lg_error why;
    lg_journal_id own;
    uint64_t sequence = 0;
    if (!fetch(t, id, KIND_EVENT, "an event", &t->arena, &body, &sequence)) {
        return false;
    }
    lg_status status = read_event_body(&t->arena, body, &ret->event, &why);
    if (status != LG_OK) {
        return find_unreadable(t, status, "an event cannot be read", &why);
    }
    id_of_event(t->secret, &ret->event.previous, &ret->event.told.event, body, &own);
    if (t->secret.len && !lg_str_eq(id_bytes(&own), id_bytes(id))) {
        return find_odd_id(t, sequence);
    }
    ret->id = *id;
    return true;
}

// Reads events from `last` back to one that a session has come to, or to the scope: returns it. `*ret` is the earliest of
// those that it has yet to be told. NULL: the reason is in the task.
static kept_session *walk_back(task *t, known_law *law, const lg_journal_id *last,
                               const told_event **ret)
{
    lg_journal_id at = *last;
    size_t count = 0;
    *ret = NULL;
    kept_session *kept = session_at(t, law, &at);
    while (!kept && !id_is_scope(&at)) {
        told_event *told = LG_NEW(&t->arena, told_event);
        if (!told) {
            t->error.status = lg_fail_oom(&t->error);
            return NULL;
        }
        if (++count > EVENTS_MAX) {
            (void)find(t, LG_JOURNAL_BROKEN, "its events have no beginning");
            return NULL;
        }
        if (!fetch_event(t, &at, told)) {
            return NULL;
        }
        told->next = *ret;
        *ret = told;
        at = told->event.previous;
        kept = session_at(t, law, &at);
    }
    return kept ? kept : new_session(t, law, &at);
}

// What a session does not accept, it did not accept then either; but where memory runs out, nothing is known of it.
static bool tell(task *t, kept_session *kept, const told_event *events)
{
    for (; events; events = events->next) {
        const lg_journal_event *told = &events->event.told;
        set_time(kept->session, told->has_host_time, told->host_time);
        if (lg_observe(kept->session, &told->event, NULL, NULL) == LG_ERR_OOM) {
            lg_session_free(kept->session);
            *kept = (kept_session){.session = NULL};
            return find(t, LG_JOURNAL_NOT_EXECUTABLE, "memory ran out");
        }
        kept->at = events->id;
    }
    return true;
}

// --- Differences --------------------------------------------------------------------------------

// The first place where two values differ: its pointer is in `path`, and what stands there in `*a` and `*b`; NULL: nothing.
static bool first_difference(const lg_json **a, const lg_json **b, lg_buf *path);

static bool element_differs(const lg_json *x, const lg_json *y, const lg_json **a,
                            const lg_json **b, lg_buf *path)
{
    *a = x;
    *b = y;
    return first_difference(a, b, path);
}

static bool items_differ(const lg_json *x, const lg_json *y, const lg_json **a, const lg_json **b,
                         lg_buf *path)
{
    size_t most = lg_json_len(x) > lg_json_len(y) ? lg_json_len(x) : lg_json_len(y);
    size_t len = path->len;
    for (size_t i = 0; i < most; i++, path->len = len) {
        lg_buf_addf(path, "/%zu", i);
        if (element_differs(lg_json_item(x, i), lg_json_item(y, i), a, b, path)) {
            return true;
        }
    }
    return false;
}

// Those of `x`, then those that `y` alone has.
static bool members_differ(const lg_json *x, const lg_json *y, const lg_json **a, const lg_json **b,
                           lg_buf *path)
{
    size_t len = path->len;
    for (size_t i = 0; i < lg_json_len(x) + lg_json_len(y); i++, path->len = len) {
        bool of_x = i < lg_json_len(x);
        const lg_json_member *member =
            of_x ? lg_json_member_at(x, i) : lg_json_member_at(y, i - lg_json_len(x));
        lg_str key = lg_json_key(member);
        if (!of_x && lg_json_get(x, key)) {
            continue;
        }
        lg_json_pointer_add(path, key);
        if (element_differs(lg_json_get(x, key), lg_json_get(y, key), a, b, path)) {
            return true;
        }
    }
    return false;
}

static bool first_difference(const lg_json **a, const lg_json **b, lg_buf *path)
{
    const lg_json *x = *a;
    const lg_json *y = *b;
    if (x && y && x->type == y->type && lg_json_is(x, LG_JSON_OBJECT)) {
        return members_differ(x, y, a, b, path);
    }
    if (x && y && x->type == y->type && lg_json_is(x, LG_JSON_ARRAY)) {
        return items_differ(x, y, a, b, path);
    }
    return !x || !y || x->type != y->type || !lg_json_equal(x, y);
}

static lg_str print(task *t, const lg_json *value)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    if (value) {
        lg_json_print(&text, value);
    }
    lg_str kept =
        lg_buf_status(&text) == LG_OK ? lg_arena_str(&t->arena, lg_buf_str(&text)) : LG_STR("");
    lg_buf_done(&text);
    return kept.ptr ? kept : LG_STR("");
}

static bool find_difference(task *t, const read_decision *decision, lg_str now_text)
{
    const lg_json *then = decision->decisions;
    const lg_json *now = NULL;
    lg_buf path;
    lg_buf_init(&path, 0);
    if (lg_json_parse_in(&t->arena, now_text, 0, now_text.len, NULL, &now, NULL) != LG_OK) {
        now = NULL;
    }
    bool differs = first_difference(&then, &now, &path);
    bool found = find(t, LG_JOURNAL_DIFFERENT, "decisions%.*s differs%s",
                      (int)(path.len < 150 ? path.len : 150), lg_buf_str(&path).ptr,
                      differs ? "" : " in how it is written");
    t->check.then = print(t, then);
    t->check.now = print(t, now);
    lg_buf_done(&path);
    return found;
}

// --- Deciding -----------------------------------------------------------------------------------

static bool compare_reports(task *t, lg_session *session, const read_decision *decision,
                            const lg_decision *decisions)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_json_writer w = {.out = &text};
    lg_status status = write_reports(&w, session, decisions, NULL, decision->count, &t->error);
    status = status == LG_OK ? lg_buf_status(&text) : status;
    lg_str now = status == LG_OK ? lg_arena_str(&t->arena, lg_buf_str(&text)) : LG_STR("");
    lg_buf_done(&text);
    if (status != LG_OK || !now.ptr) {
        t->error.status = lg_fail_oom(&t->error);
        return false;
    }
    // Both are whole arrays, so the one is the other if it begins with it.
    return lg_str_starts(decision->reports, now) || find_difference(t, decision, now);
}

static bool compare_failure(task *t, const read_decision *decision, lg_status status,
                            const lg_error *why)
{
    lg_str now = lg_str_c(status == LG_OK ? "" : lg_status_text(status));
    lg_str oom = lg_str_c(lg_status_text(LG_ERR_OOM));
    if (lg_str_eq(decision->status, oom) || status == LG_ERR_OOM) {
        return find(t, LG_JOURNAL_NOT_EXECUTABLE, "memory ran out");
    }
    if (lg_str_eq(decision->status, now) &&
        (status == LG_OK || lg_str_eq(decision->error, lg_str_c(why->msg)))) {
        return true;
    }
    t->check.then = decision->status.len ? decision->error : LG_STR("a verdict");
    t->check.now =
        status == LG_OK ? LG_STR("a verdict") : lg_arena_str(&t->arena, lg_str_c(why->msg));
    return find(t, LG_JOURNAL_DIFFERENT, "error differs");
}

static bool compare_ledger(task *t, lg_session *session, const read_decision *decision)
{
    char ledger[LEDGER_HEX_BYTES];
    if (digest_ledger(session, ledger, &t->error) != LG_OK) {
        t->error.status = LG_ERR_OOM;
        return false;
    }
    if (lg_str_eq(decision->ledger, lg_str_c(ledger))) {
        return true;
    }
    t->check.then = decision->ledger;
    t->check.now = lg_arena_str(&t->arena, lg_str_c(ledger));
    return find(t, LG_JOURNAL_DIFFERENT, "ledger differs");
}

static bool decide_again(task *t, lg_session *session, const read_decision *decision)
{
    const lg_decision *decisions = NULL;
    lg_error why = {.status = LG_OK};
    set_time(session, decision->has_host_time, decision->host_time);
    lg_status status = lg_decide(session, decision->proposed, decision->count, &decisions, &why);
    if (!compare_ledger(t, session, decision)) {
        return false;
    }
    return status == LG_OK && decision->decisions ? compare_reports(t, session, decision, decisions)
                                                  : compare_failure(t, decision, status, &why);
}

static bool check_decision(task *t, const lg_log_record *record)
{
    read_decision decision;
    const told_event *events;
    lg_error why;
    if (!record->has_payload) {
        return find(t, LG_JOURNAL_NOT_EXECUTABLE, "it was redacted");
    }
    char *hex = lg_arena_alloc(&t->arena, 2 * record->key.len + 1, 1);
    lg_str body = lg_arena_str(&t->arena, record->body);
    if (!body.ptr || !hex) {
        t->error.status = lg_fail_oom(&t->error);
        return false;
    }
    lg_hex(record->key.ptr, record->key.len, hex);
    t->check.id = (lg_str){hex, 2 * record->key.len};
    lg_status status = read_decision_body(&t->arena, body, &decision, &why);
    if (status != LG_OK) {
        return find_unreadable(t, status, "it cannot be read", &why);
    }
    known_law *law = law_of(t, &decision.law);
    kept_session *kept = law ? walk_back(t, law, &decision.last, &events) : NULL;
    if (!kept) {
        return false;
    }
    kept->used = ++t->clock;
    return tell(t, kept, events) && decide_again(t, kept->session, &decision);
}

static lg_status check_record(task *t, const lg_log_record *record)
{
    t->check = (lg_journal_check){.sequence = record->sequence, .agreement = LG_JOURNAL_SAME};
    t->error.status = LG_OK;
    (void)check_decision(t, record);
    if (t->error.status != LG_OK) {
        return t->error.status;
    }
    t->counts->decisions++;
    t->counts->same += t->check.agreement == LG_JOURNAL_SAME;
    t->counts->different += t->check.agreement == LG_JOURNAL_DIFFERENT;
    t->counts->not_executable += t->check.agreement == LG_JOURNAL_NOT_EXECUTABLE;
    t->counts->broken += t->check.agreement == LG_JOURNAL_BROKEN;
    t->sink(t->context, &t->check);
    lg_arena_reset(&t->arena);
    return LG_OK;
}

// --- All of them --------------------------------------------------------------------------------

static lg_status check_all(task *t, uint64_t only)
{
    lg_log_record record;
    lg_status status = lg_log_next(t->log, 1, LG_STR("redaction"), &record, &t->error);
    t->anything_redacted = status == LG_OK;
    uint64_t from = only ? only : 1;
    while (status == LG_OK || status == LG_ERR_MISSING) {
        status = lg_log_next(t->log, from, KIND_DECISION, &record, &t->error);
        if (status != LG_OK || (only && record.sequence != only)) {
            break;
        }
        from = record.sequence + 1;
        status = check_record(t, &record);
        if (only) {
            break;
        }
    }
    return status == LG_ERR_MISSING ? LG_OK : status;
}

lg_status lg_journal_verify(lg_log *log, lg_str secret, uint64_t only, lg_journal_check_sink check,
                            void *context, lg_journal_counts *ret, lg_error *reterr)
{
    *ret = (lg_journal_counts){0};
    task *t = lg_zalloc(sizeof(*t) + LAWS_MAX * sizeof(*t->laws));
    if (!t) {
        return lg_fail_oom(reterr);
    }
    *t = (task){.log = log, .secret = secret, .sink = check, .context = context, .counts = ret};
    t->laws = (known_law **)(t + 1);
    lg_arena_init(&t->arena, 0);
    lg_status status = check_all(t, only);
    if (status != LG_OK && reterr) {
        *reterr = t->error;
        reterr->status = status;
    }
    for (size_t i = 0; i < SESSIONS; i++) {
        lg_session_free(t->sessions[i].session);
    }
    for (size_t i = 0; i < t->law_count; i++) {
        free_law(t->laws[i]);
    }
    lg_arena_done(&t->arena);
    lg_free(t);
    return status;
}
