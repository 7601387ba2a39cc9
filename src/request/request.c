// request.c: what was asked for, message by message, and which records are meant.
#include "base/buf.h"
#include "request/request_internal.h"

#define SAID_MAX ((size_t)1 << 16) // bytes of `said`

const char *lg_asked_how_name(lg_asked_how how)
{
    static const char *const names[] = {"named",  "meant", "said",   "only",
                                        "spoken", "any",   "nothing"};
    return names[how];
}

const char *lg_asked_verdict_name(lg_asked_verdict verdict)
{
    static const char *const names[] = {"done", "permitted", "refused", "forfeited", "undecided"};
    return names[verdict];
}

lg_cel_value seeker_evaluate(seeker *s, const lg_cel_program *program)
{
    lg_cel_activation activation = {
        .values = s->values, .scratch = &s->scratch, .budget = &s->budget};
    lg_cel_value value = lg_cel_eval(program, &activation);
    s->cut = s->cut || s->budget.spent;
    return value;
}

// --- Messages -----------------------------------------------------------------------------------

// What cannot be evaluated is not said.
static bool any_holds(seeker *s, const lg_cel_program *const *programs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        lg_arena_reset(&s->scratch);
        lg_cel_value value = seeker_evaluate(s, programs[i]);
        if (value.kind == LG_CEL_BOOL && value.as.boolean) {
            return true;
        }
    }
    return false;
}

static bool is_of_user(const lg_trace_event *event)
{
    return event->kind == LG_EVENT_MESSAGE && event->role == LG_ROLE_USER;
}

// All that the user has said, message by message; what is too long is left out.
static bool join_said(seeker *s)
{
    lg_buf said;
    lg_buf_init(&said, SAID_MAX);
    for (size_t i = 0; i < s->trace->count; i++) {
        const lg_trace_event *event = &s->trace->events[i];
        if (is_of_user(event) && said.len + event->text.len + 1 <= SAID_MAX) {
            lg_buf_add(&said, event->text);
            lg_buf_add_c(&said, "\n");
        }
    }
    lg_str text = lg_arena_str(&s->words, lg_buf_str(&said));
    lg_buf_done(&said);
    s->values[LG_REQUEST_SLOT_SAID] = lg_cel_make_str(text);
    return text.ptr != NULL;
}

// A sentence ends before a blank or the end of its line; the dot of `3.5` or `a@b.c` ends none.
static bool ends_sentence(lg_str text, size_t at)
{
    char c = text.ptr[at];
    bool blank_behind = at + 1 == text.len || text.ptr[at + 1] == ' ' || text.ptr[at + 1] == '\n';
    return c == '\n' || (blank_behind && (c == '.' || c == '!' || c == '?' || c == ';'));
}

// What a message is to a request.
typedef struct hearing {
    bool is_open; // an earlier message has asked, so that it may be taken back
    bool asks, takes_back;
    word_set *close; // words of the sentences that ask
} hearing;

static lg_status hear_sentence(seeker *s, const lg_request *request, lg_str sentence, hearing *h)
{
    s->values[LG_REQUEST_SLOT_SENTENCE] = lg_cel_make_str(sentence);
    bool says = any_holds(s, request->says, request->says_count);
    bool unless = (says || h->is_open) && any_holds(s, request->unless, request->unless_count);
    h->takes_back = h->takes_back || unless;
    h->asks = h->asks || (says && !unless);
    return says && !unless ? words_add(&s->words, h->close, sentence, &s->budget) : LG_OK;
}

static lg_status hear_message(seeker *s, const lg_request *request, lg_str text, hearing *h)
{
    lg_status status = LG_OK;
    size_t from = 0;
    s->values[LG_REQUEST_SLOT_MESSAGE] = lg_cel_make_str(text);
    for (size_t i = 0; i < text.len && status == LG_OK && !s->budget.spent; i++) {
        if (i + 1 == text.len || ends_sentence(text, i)) {
            lg_str sentence = lg_str_trim(lg_str_slice(text, from, i + 1));
            status = sentence.len ? hear_sentence(s, request, sentence, h) : LG_OK;
            from = i + 1;
        }
    }
    return status;
}

// Words of what asks: of the sentences, and of the messages they stand in.
typedef struct asking_words {
    word_set close, whole;
} asking_words;

// Which messages ask for it. `event` stays LG_NO_EVENT if none does.
static lg_status find_asking(seeker *s, lg_asked *asked, asking_words *words)
{
    const lg_trace *trace = s->trace;
    lg_status status = LG_OK;
    asked->event = asked->last = asked->withdrawn = LG_NO_EVENT;
    for (size_t i = 0; i < trace->count && status == LG_OK && !s->budget.spent; i++) {
        const lg_trace_event *event = &trace->events[i];
        hearing h = {.is_open = asked->event != LG_NO_EVENT, .close = &words->close};
        if (!is_of_user(event)) {
            continue;
        }
        status = hear_message(s, asked->request, event->text, &h);
        if (h.asks) {
            asked->event = asked->event == LG_NO_EVENT ? (uint32_t)i : asked->event;
            asked->last = (uint32_t)i;
            asked->withdrawn = LG_NO_EVENT;
            status = status == LG_OK ? words_add(&s->words, &words->whole, event->text, &s->budget)
                                     : status;
        } else if (h.takes_back && asked->event != LG_NO_EVENT && asked->withdrawn == LG_NO_EVENT) {
            asked->withdrawn = (uint32_t)i;
        }
    }
    words_sort(&words->close);
    words_sort(&words->whole);
    return status;
}

// All that `role` has said, once a key is looked for there.
static lg_status gather_words(seeker *s, lg_role role, word_set *set, bool *is_done)
{
    lg_status status = LG_OK;
    for (size_t i = 0; !*is_done && i < s->trace->count && status == LG_OK; i++) {
        const lg_trace_event *event = &s->trace->events[i];
        if (event->kind == LG_EVENT_MESSAGE && event->role == role) {
            status = words_add(&s->words, set, event->text, &s->budget);
        }
    }
    if (!*is_done) {
        words_sort(set);
    }
    *is_done = true;
    return status;
}

// --- Records ------------------------------------------------------------------------------------

// A record that may be meant.
typedef struct record {
    lg_str key;
    lg_cel_value value; // null, if there are only keys
} record;

typedef struct record_list {
    record *items;
    size_t count;
} record_list;

static lg_status list_records(seeker *s, lg_cel_value about, record_list *ret)
{
    bool map = about.kind == LG_CEL_MAP;
    size_t count = map || about.kind == LG_CEL_LIST ? lg_cel_len(about) : 0;
    *ret = (record_list){.items = LG_NEW_ARRAY(&s->words, record, count + 1)};
    if (!ret->items) {
        return LG_ERR_OOM;
    }
    for (size_t i = 0; i < count && lg_budget_take(&s->budget, 4); i++) {
        lg_cel_value key;
        lg_cel_value value = lg_cel_make_null();
        if (map) {
            lg_cel_entry(about, i, &key, &value);
        } else {
            key = lg_cel_item(about, i);
        }
        if (key.kind == LG_CEL_STRING && key.aux) {
            ret->items[ret->count++] = (record){lg_cel_str(key), value};
        }
    }
    return LG_OK;
}

static record_list those_in(seeker *s, const record_list *all, const word_set *words)
{
    record_list some = {.items = LG_NEW_ARRAY(&s->words, record, all->count + 1)};
    for (size_t i = 0; some.items && i < all->count; i++) {
        if (words_hold(words, all->items[i].key)) {
            some.items[some.count++] = all->items[i];
        }
    }
    return some;
}

// Where none is known, all that is said of one is missing.
static const lg_cel_failure no_record = {
    .kind = LG_CEL_FAIL_MISSING, .read = UINT32_MAX, .what = "no record is known"};

static const record unknown_record = {.value = {.kind = LG_CEL_ERROR, .as.failure = &no_record}};

static void bind(seeker *s, const record *r)
{
    s->values[LG_REQUEST_SLOT_KEY] = r->key.len ? lg_cel_make_str(r->key) : r->value;
    s->values[LG_REQUEST_SLOT_RECORD] = r->value;
}

static record_list those_that(seeker *s, const lg_cel_program *condition, const record_list *all)
{
    record_list some = {.items = LG_NEW_ARRAY(&s->words, record, all->count + 1)};
    for (size_t i = 0; some.items && i < all->count; i++) {
        lg_arena_reset(&s->scratch);
        bind(s, &all->items[i]);
        lg_cel_value value = seeker_evaluate(s, condition);
        if (value.kind == LG_CEL_BOOL && value.as.boolean) {
            some.items[some.count++] = all->items[i];
        }
    }
    return some;
}

// Those that are likely, if any is; else all.
static record_list likely_ones(seeker *s, const lg_request *request, const record_list *all)
{
    record_list some = request->likely ? those_that(s, request->likely, all) : *all;
    return some.count ? some : *all;
}

// Which of the records are meant, and how that is known.
static lg_status choose_records(seeker *s, const lg_request *request, const asking_words *asking,
                                record_list *list, lg_asked_how *ret_how)
{
    record_list some = those_in(s, list, &asking->close);
    *ret_how = LG_ASKED_NAMED;
    if (some.count == 0) {
        some = those_in(s, list, &asking->whole);
    }
    lg_status status = LG_OK;
    if (some.count == 0 && request->means) {
        some = those_that(s, request->means, list);
        *ret_how = LG_ASKED_MEANT;
    }
    if (some.count == 0) {
        status = gather_words(s, LG_ROLE_USER, &s->user, &s->has_user);
        some = those_in(s, list, &s->user);
        *ret_how = LG_ASKED_SAID;
    }
    if (some.count == 0 && status == LG_OK) {
        *list = likely_ones(s, request, list);
        some = *list;
        *ret_how = LG_ASKED_ONLY;
    }
    if (some.count > 1 && *ret_how == LG_ASKED_ONLY) {
        status = gather_words(s, LG_ROLE_AGENT, &s->agent, &s->has_agent);
        some = those_in(s, list, &s->agent);
        *ret_how = LG_ASKED_SPOKEN;
    }
    if (some.count == 0 && list->count) {
        some = *list;
        *ret_how = LG_ASKED_ANY;
    }
    *list = some;
    return s->words.refused ? LG_ERR_OOM : status;
}

// --- One request --------------------------------------------------------------------------------

static lg_status add_asked(seeker *s, const lg_asked *found, const record *r)
{
    if (s->count == LG_ASKED_MAX) {
        s->cut = true;
        return LG_OK;
    }
    lg_asked *asked = &s->items[s->count];
    *asked = *found;
    asked->key = lg_arena_str(s->arena, r->key);
    bind(s, r);
    lg_arena_reset(&s->scratch);
    if (!asked->key.ptr || asked_build(s, asked) != LG_OK) {
        return LG_ERR_OOM;
    }
    asked_find_call(s, asked);
    asked_entitle(s, asked);
    s->count++;
    return LG_OK;
}

// Where it was a guess which record is meant, and something was carried out, one of them stands for all.
static void drop_guesses(seeker *s, size_t from)
{
    bool guessed = s->count > from && s->items[from].how > LG_ASKED_NAMED;
    if (guessed && s->items[from].done != LG_NO_EVENT) {
        s->count = from + 1;
    }
}

static lg_status add_records(seeker *s, lg_asked *found, const asking_words *asking)
{
    record_list list = {0};
    lg_status status = LG_OK;
    found->how = LG_ASKED_NOTHING;
    if (found->request->about) {
        s->values[LG_REQUEST_SLOT_MESSAGE] = lg_cel_make_str(s->trace->events[found->last].text);
        status = list_records(s, seeker_evaluate(s, found->request->about), &list);
    }
    if (status == LG_OK && list.count) {
        status = choose_records(s, found->request, asking, &list, &found->how);
    }
    bool others = list.count > 0;
    if (status == LG_OK && found->request->where) {
        list = those_that(s, found->request->where, &list);
    }
    others = others && list.count == 0; // what is meant is none of this request's business
    size_t from = s->count;
    s->cut = s->cut || list.count > LG_ASKED_RECORDS_MAX;
    for (size_t i = 0; i < list.count && i < LG_ASKED_RECORDS_MAX && status == LG_OK; i++) {
        status = add_asked(s, found, &list.items[i]);
    }
    if (status == LG_OK && list.count == 0 && !others) {
        status = add_asked(s, found, &unknown_record);
    }
    drop_guesses(s, from);
    return status;
}

static lg_status seek(seeker *s, const lg_request *request)
{
    lg_asked found = {.request = request};
    asking_words asking = {0};
    lg_status status = find_asking(s, &found, &asking);
    if (status == LG_OK && found.event != LG_NO_EVENT) {
        status = add_records(s, &found, &asking);
    }
    if (status == LG_ERR_LIMIT) { // the budget has ended, and says so
        s->cut = true;
        status = LG_OK;
    }
    return s->scratch.refused ? LG_ERR_OOM : status;
}

// --- All of them --------------------------------------------------------------------------------

static lg_status judge_all(seeker *s, lg_error *reterr)
{
    lg_status status = LG_OK;
    for (size_t i = 0; i < s->count && status == LG_OK; i++) {
        lg_asked *asked = &s->items[i];
        bool known = asked->key.len || !asked->request->about;
        if (asked->done != LG_NO_EVENT) {
            asked->verdict = LG_ASKED_DONE;
        } else if (!known) {
            asked->verdict = LG_ASKED_UNDECIDED;
        } else if (asked->verdict == LG_ASKED_PERMITTED) { // so far
            status = asked_judge(s, asked, reterr);
        }
    }
    return status;
}

// When nothing more happens: by the pack's clock, else as far as it was recorded.
static lg_cel_value end_of(const seeker *s)
{
    if (s->pack->fixed_clock) {
        return lg_cel_make_timestamp(s->pack->clock_seconds, s->pack->clock_nanos);
    }
    for (size_t i = s->trace->count; i-- > 0;) {
        const lg_trace_event *event = &s->trace->events[i];
        if (event->has_time) {
            return lg_cel_make_timestamp(event->time.seconds, event->time.nanos);
        }
    }
    return lg_cel_make_null();
}

// What the session knows is looked at first; then it is asked, which moves what was looked at.
static lg_status find_all(seeker *s, lg_error *reterr)
{
    lg_ledger_state seen;
    if (lg_session_seen(s->session, &seen) != LG_OK) {
        return lg_fail_oom(reterr);
    }
    s->values[LG_REQUEST_SLOT_LEDGER] = lg_cel_from_json(seen.root);
    s->values[LG_REQUEST_SLOT_NOW] = end_of(s);
    if (!join_said(s)) {
        return lg_fail_oom(reterr);
    }
    for (size_t i = 0; i < s->pack->request_count; i++) {
        if (seek(s, &s->pack->requests[i]) != LG_OK) {
            return lg_fail_oom(reterr);
        }
    }
    return judge_all(s, reterr);
}

lg_status lg_requests_find(lg_session *session, const lg_trace *trace, lg_arena *arena,
                           lg_requests *ret, lg_error *reterr)
{
    const lg_ledger *ledger = lg_session_ledger(session);
    seeker s = {.session = session,
                .pack = ledger->pack,
                .trace = trace,
                .arena = arena,
                .budget = {.left = ledger->limits.observe_steps,
                           .what = LG_NO_STEPS_LEFT("observe_steps")}};
    *ret = (lg_requests){0};
    for (size_t i = 0; i < LG_REQUEST_SLOT_COUNT; i++) {
        s.values[i] = lg_cel_make_null();
    }
    if (s.pack->request_count == 0) {
        return LG_OK;
    }
    s.items = LG_NEW_ARRAY(arena, lg_asked, LG_ASKED_MAX);
    if (!s.items) {
        return lg_fail_oom(reterr);
    }
    lg_explain explain = session->explain;
    lg_session_set_explain(session, LG_EXPLAIN_NOTHING);
    lg_arena_init(&s.words, ledger->limits.memory_bytes);
    lg_arena_init(&s.scratch, ledger->limits.memory_bytes);
    lg_status status = find_all(&s, reterr);
    lg_arena_done(&s.scratch);
    lg_arena_done(&s.words);
    lg_session_set_explain(session, explain);
    if (status == LG_OK) {
        *ret = (lg_requests){.items = s.items, .count = s.count, .cut = s.cut};
    }
    return status;
}

lg_status lg_customer_of(lg_session *session, lg_arena *arena, lg_str *ret, lg_error *reterr)
{
    const lg_ledger *ledger = lg_session_ledger(session);
    const lg_cel_program *customer = ledger->pack->customer;
    lg_ledger_state seen;
    *ret = LG_STR("");
    if (!customer) {
        return LG_OK;
    }
    if (lg_session_seen(session, &seen) != LG_OK) {
        return lg_fail_oom(reterr);
    }
    lg_cel_value values[] = {lg_cel_from_json(seen.root)};
    lg_cel_value value =
        lg_cel_eval(customer, &(lg_cel_activation){.values = values, .scratch = arena});
    if (value.kind == LG_CEL_STRING) {
        *ret = lg_arena_str(arena, lg_cel_str(value));
    }
    return arena->refused || !ret->ptr ? lg_fail_oom(reterr) : LG_OK;
}
