// judge.c: what a reply proposes is judged, and the log has it before any of it passes.
//
// A choice is one message: its text, where rules speak of what is said, and its calls together. Several choices are
// alternatives, each judged by itself.
#include "proxy/exchange_internal.h"

#include "base/alloc.h"
#include "base/sign.h"
#include "report/report.h"
#include "json/writer.h"

// --- What came of one thing ---------------------------------------------------------------------

// False: out of memory.
static bool take_buf(lg_exchange *x, lg_buf *text, lg_str *ret)
{
    lg_str copy = {NULL, 0};
    if (lg_buf_status(text) == LG_OK) {
        copy = lg_arena_str(&x->arena, lg_buf_str(text));
    }
    lg_buf_done(text);
    *ret = copy;
    return copy.ptr != NULL;
}

static bool list_rules(lg_exchange *x, const lg_decision *decision, lg_str *ret)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_json_writer w = {.out = &text};
    lg_jw_begin_array(&w);
    for (size_t i = 0; i < decision->finding_count; i++) {
        lg_jw_str(&w, decision->findings[i].rule);
    }
    lg_jw_end_array(&w);
    return take_buf(x, &text, ret);
}

// Is it refused by rules alone that this route only watches?
static bool is_watched_only(const lg_proxy_route *route, const lg_decision *decision)
{
    bool watched = decision->finding_count > 0;
    for (size_t i = 0; i < decision->finding_count; i++) {
        watched = watched && route_shadows(route, decision->findings[i].rule);
    }
    return watched;
}

static bool take_ruling(lg_exchange *x, lg_session *session, const lg_decision *decision,
                        ruling *ret)
{
    lg_str json = LG_STR("");
    bool allowed = decision->verdict == LG_ALLOW;
    bool shadow = x->route->options.mode == LG_PROXY_SHADOW;
    *ret = (ruling){.decided = true, .judged = decision->gated, .verdict = decision->verdict};
    ret->shadowed = !allowed && (shadow || is_watched_only(x->route, decision));
    ret->passes = allowed || ret->shadowed;
    ret->message = lg_arena_str(&x->arena, decision->message);
    ret->report = LG_STR("");
    ret->id = LG_STR("");
    if (decision->gated) {
        if (lg_decision_json(session, decision, &json, NULL) != LG_OK) {
            return false;
        }
        ret->report = lg_arena_str(&x->arena, json);
    }
    return ret->message.ptr && ret->report.ptr && list_rules(x, decision, &ret->rules);
}

// Refused for what is no rule of the pack.
static void refuse(ruling *r, const char *rule, lg_str message)
{
    r->host = rule;
    r->host_says = message;
    r->passes = false;
    r->shadowed = false;
    r->verdict = r->verdict == LG_BLOCK ? LG_BLOCK : LG_REVISE;
    r->message = message;
    r->rules = lg_str_c(rule);
}

// --- A choice -----------------------------------------------------------------------------------

// What is proposed together, and where the ruling on each goes.
typedef struct proposal {
    const lg_chat_choice *choice;
    lg_event *events;
    char (*ids)[LG_TRACE_ID_BYTES];
    ruling **rulings;
    lg_str *own_ids; // of calls: as the model named them
    size_t count;
} proposal;

// The call that is event `index` of the choice, or the first one behind the choice's.
static size_t find_call(const lg_chat_reply *reply, size_t first, const lg_chat_choice *choice,
                        size_t index)
{
    size_t call = first;
    while (call < first + choice->call_count && reply->calls[call].event != index) {
        call++;
    }
    return call;
}

static bool propose(lg_exchange *x, const round_of *r, size_t choice, size_t first_call,
                    proposal *ret)
{
    const lg_chat_choice *c = &r->reply->choices[choice];
    bool rules_hear = x->route->options.pack->course != NULL;
    *ret = (proposal){.choice = c,
                      .events = LG_NEW_ARRAY(&x->arena, lg_event, c->event_count + 1),
                      .ids = lg_arena_zalloc(&x->arena, c->event_count + 1, LG_TRACE_ID_BYTES, 1),
                      .rulings = LG_NEW_ARRAY(&x->arena, ruling *, c->event_count + 1),
                      .own_ids = LG_NEW_ARRAY(&x->arena, lg_str, c->event_count + 1)};
    if (!ret->events || !ret->ids || !ret->rulings || !ret->own_ids) {
        return false;
    }
    for (size_t i = 0; i < c->event_count; i++) {
        lg_event event = fold_proposed(x, c, i, ret->ids[ret->count]);
        size_t call = event.kind == LG_EVENT_CALL ? find_call(r->reply, first_call, c, i)
                                                  : first_call + c->call_count;
        bool known = call < first_call + c->call_count;
        if (known || (event.kind == LG_EVENT_MESSAGE && rules_hear)) {
            ret->rulings[ret->count] = known ? &r->calls[call] : &r->texts[choice];
            ret->own_ids[ret->count] = known ? r->reply->calls[call].id : LG_STR("");
            ret->events[ret->count++] = event;
        }
    }
    return true;
}

// Has this pass anything that the log must have?
static bool is_gated(const lg_decision *decisions, size_t count)
{
    bool gated = false;
    for (size_t i = 0; i < count; i++) {
        gated = gated || decisions[i].gated;
    }
    return gated;
}

// --- The log ------------------------------------------------------------------------------------

typedef struct keeper {
    lg_journal_batch *batch; // NULL until something is to be kept, or out of memory
    bool begun;
    bool misses;      // what it is about is not known any more, so there is no batch
    lg_journal_id at; // the last event that was added
} keeper;

// What the host's clock said when the event was told: only what a tool has returned is checked by it.
static const talk_clock *clock_of(const talk *t, const lg_event *event, uint32_t number)
{
    bool counts = event->kind == LG_EVENT_RESULT || event->kind == LG_EVENT_ERROR;
    for (size_t i = counts ? t->clock_count : 0; i > 0; i--) {
        if (t->clocks[i - 1].event <= number) {
            return &t->clocks[i - 1];
        }
    }
    return NULL;
}

static void add_event(const lg_exchange *x, keeper *k, const lg_event *event, uint32_t number)
{
    const talk_clock *clock = clock_of(x->talk, event, number);
    lg_journal_event kept = {.event = *event,
                             .has_host_time = clock != NULL,
                             .host_time = clock ? clock->time : (lg_time){0}};
    lg_journal_add_event(k->batch, &k->at, &kept, &k->at);
}

// Puts the events before the request at hand, from `first` on. LG_ERR_MISSING: they are not known any more.
static lg_status load_events_from(lg_exchange *x, uint32_t first)
{
    bool there = first >= x->base_events || x->before_count == x->base_events;
    return there ? LG_OK : continue_load(x);
}

// All that the session was told and the log does not have.
static void begin_keeping(lg_exchange *x, keeper *k)
{
    talk *t = x->talk;
    talk_settle(t);
    k->begun = true;
    k->at = t->logged_at;
    k->batch = NULL;
    lg_status there = load_events_from(x, t->logged);
    if (there == LG_OK) {
        k->batch = lg_journal_begin(x->proxy->journal, x->o.now);
    }
    k->misses = there == LG_ERR_MISSING;
    for (uint32_t i = t->logged; k->batch && i < t->events; i++) {
        char room[LG_TRACE_ID_BYTES];
        lg_event event =
            i < x->base_events ? x->before[i] : fold_event_at(x, i - x->base_events, room);
        add_event(x, k, &event, i);
    }
    x->logged_at = k->at;
}

// What has come past the gate.
static void describe_notes(const lg_exchange *x, lg_json_writer *w)
{
    bool any = false;
    for (size_t i = 0; i < x->note_count; i++) {
        const note *n = &x->notes[i];
        if (!n->past_gate) {
            continue;
        }
        if (!any) {
            lg_jw_key(w, "findings");
            lg_jw_begin_array(w);
        }
        any = true;
        lg_jw_begin_object(w);
        lg_jw_member_c(w, "kind", n->kind);
        lg_jw_member_str(w, "tool", n->tool);
        lg_jw_member_str(w, "id", n->id);
        lg_jw_end_object(w);
    }
    if (any) {
        lg_jw_end_array(w);
    }
}

static bool add_outcome(lg_exchange *x, const outcome *one)
{
    outcome *all =
        lg_arena_grow(&x->arena, x->outcomes, x->outcome_count, &x->outcome_capacity, sizeof(*all));
    if (all) {
        x->outcomes = all;
        x->outcomes[x->outcome_count++] = *one;
    }
    return all != NULL;
}

// The reports that there are already; NULL: out of memory.
static const lg_str *list_reports(lg_exchange *x, ruling *const *rulings, size_t count)
{
    lg_str *all = LG_NEW_ARRAY(&x->arena, lg_str, count);
    for (size_t i = 0; all && i < count; i++) {
        all[i] = rulings[i]->report;
    }
    return all;
}

// Where what happens is not what the report says. False: out of memory.
static bool list_overrides(lg_exchange *x, ruling *const *rulings, size_t count,
                           lg_journal_decision *decision)
{
    lg_journal_override *all = LG_NEW_ARRAY(&x->arena, lg_journal_override, count);
    for (size_t i = 0; all && i < count; i++) {
        const ruling *r = rulings[i];
        if (r->host || r->shadowed) {
            lg_journal_override one = {.proposed = i,
                                       .passes = r->passes,
                                       .rules = r->host ? lg_str_c(r->host) : r->rules,
                                       .message = r->host ? r->host_says : LG_STR("")};
            all[decision->override_count++] = one;
        }
    }
    decision->overrides = all;
    return all != NULL;
}

// Events that were proposed together, what was decided on them, and what comes of it.
typedef struct judgement {
    lg_session *session;
    const lg_event *events;
    ruling *const *rulings;
    const lg_str *own_ids;
    size_t count;
    const lg_decision *decisions; // NULL: there is none, for
    const lg_error *error;        // this reason; the rulings say nothing then
} judgement;

// Whose call it was, and where: what neither the report nor the events say.
static bool describe(const lg_exchange *x, const judgement *j, lg_buf *about)
{
    lg_json_writer w = {.out = about};
    lg_jw_begin_object(&w);
    lg_jw_member_str(&w, "route", x->route->options.name);
    lg_jw_member_str(&w, "principal", x->o.principal);
    lg_jw_member_c(&w, "api", lg_chat_api_name(x->o.api));
    lg_jw_member_str(&w, "model", x->request->model);
    lg_jw_member_c(&w, "mode", x->report.shadow ? "shadow" : "enforce");
    lg_jw_member_uint(&w, "round", x->round);
    lg_jw_key(&w, "calls");
    lg_jw_begin_array(&w);
    for (size_t i = 0; i < j->count; i++) {
        lg_jw_str(&w, j->own_ids[i]);
    }
    lg_jw_end_array(&w);
    describe_notes(x, &w);
    lg_jw_end_object(&w);
    return lg_buf_status(about) == LG_OK;
}

// False: out of memory.
static bool keep_decision(lg_exchange *x, keeper *k, const judgement *j, lg_str *ret_id)
{
    lg_journal_id id = {0};
    char hex[LG_JOURNAL_ID_HEX];
    lg_buf about;
    *ret_id = LG_STR("");
    if (!x->proxy->journal) {
        return true;
    }
    if (!k->begun) {
        begin_keeping(x, k);
    }
    lg_buf_init(&about, 0);
    bool fixed = x->route->options.pack->fixed_clock;
    bool described = describe(x, j, &about);
    if (k->batch && described) {
        lg_journal_decision kept = {.conversation = lg_str_c(x->conversation),
                                    .about = lg_buf_str(&about),
                                    .law = x->route->law,
                                    .last = k->at,
                                    .has_host_time = !fixed,
                                    .host_time = fixed ? (lg_time){0} : x->o.now,
                                    .session = j->session,
                                    .proposed = j->events,
                                    .count = j->count,
                                    .decisions = j->decisions,
                                    .error = j->error};
        if (j->decisions) {
            kept.reports = list_reports(x, j->rulings, j->count);
            described = kept.reports && list_overrides(x, j->rulings, j->count, &kept);
        }
        lg_journal_add_decision(k->batch, &kept, &id);
        lg_hex(id.bytes, sizeof(id.bytes), hex);
        *ret_id = lg_arena_str(&x->arena, lg_str_c(hex));
    }
    lg_buf_done(&about);
    outcome waits = {id, j->rulings, j->count};
    return described && (!k->batch || (ret_id->ptr && add_outcome(x, &waits)));
}

// What waits for the journal's word, on its own: the exchange may be gone by then, and the proxy.
typedef struct waiting {
    void (*kept)(void *context, uint64_t token, lg_status status);
    void *context;
    uint64_t token;
    talk_word *word; // or NULL
} waiting;

static void tell_kept(void *context, const lg_store_receipt *receipt)
{
    waiting w = *(waiting *)context;
    lg_free(context);
    talk_word_say(w.word, receipt->status == LG_OK);
    if (w.kept) {
        w.kept(w.context, w.token, receipt->status);
    }
}

static lg_status commit(lg_exchange *x, lg_error *reterr)
{
    waiting *w = lg_alloc(sizeof(*w));
    lg_journal_batch *batch = x->batch;
    x->batch = NULL;
    if (!w || !batch) {
        lg_free(w);
        lg_journal_drop(batch);
        return x->misses ? lg_fail(reterr, LG_ERR_MISSING,
                                   "the responses that it continues are forgotten")
                         : lg_fail_oom(reterr);
    }
    x->token = atomic_fetch_add(&x->proxy->tokens, 1) + 1;
    *w = (waiting){.kept = x->o.kept, .context = x->o.kept_context, .token = x->token};
    bool waits = x->route->options.mode == LG_PROXY_ENFORCE;
    if (!waits) { // whoever goes on with the conversation looks whether it came to be
        w->word = talk_hand_over(x->talk, &x->logged_at);
    } else {
        x->state = EXCHANGE_KEEPING; // before the journal may have answered
    }
    lg_status status = lg_journal_commit(batch, tell_kept, w, reterr);
    if (status != LG_OK) {
        talk_word_say(w->word, false);
        lg_free(w);
        x->state = EXCHANGE_SETTLING;
    }
    return status;
}

// --- Judging a choice ---------------------------------------------------------------------------

// Where a call passes although a rule has found something of it, those behind it are judged again as if it were made:
// that is what will have happened.
static size_t passes_against_rule(const lg_exchange *x, const proposal *p, size_t from)
{
    size_t i = from;
    while (i < p->count && !(p->rulings[i]->shadowed && !x->report.shadow)) {
        i++;
    }
    return i + 1 < p->count ? i : p->count;
}

static lg_status assume_made(lg_exchange *x, keeper *k, const proposal *p, size_t from, size_t to,
                             lg_session **fork)
{
    lg_status status = *fork ? LG_OK : lg_session_fork(x->talk->session, fork);
    for (size_t i = from; i < to && status == LG_OK; i++) {
        if (p->rulings[i]->passes) {
            status = lg_observe(*fork, &p->events[i], NULL, NULL);
            if (k->batch) {
                add_event(x, k, &p->events[i], UINT32_MAX);
            }
        }
    }
    return status;
}

// Parts of the conversation that nobody can read may hold anything.
static bool is_unreadable(const lg_exchange *x)
{
    return x->request->conversation->left_out > 0 && !x->route->options.allow_unseen &&
           !x->report.shadow;
}

// What comes of one thing: what the pack says, unless there is a reason to refuse it that is none of the pack's.
static bool rule_on(lg_exchange *x, lg_session *session, const lg_decision *decision,
                    const lg_event *event, ruling *r)
{
    const char *host = r->host; // it was refused before anybody judged it
    lg_str says = r->host_says;
    if (!take_ruling(x, session, decision, r)) {
        return false;
    }
    if (r->judged && !x->o.canary) {
        route_count(x->home, decision, event->tool);
    }
    if (!host && r->judged && r->passes && event->kind == LG_EVENT_CALL && is_unreadable(x)) {
        host = "[\"unreadable\"]";
        says = LG_STR("A part of this conversation cannot be read, so that it is not known what "
                      "was done in it: no call that changes something is made.");
    }
    if (host && r->verdict == LG_ALLOW) {
        refuse(r, host, says);
    } else if (host && decision->finding_count == 1 &&
               lg_str_eq(decision->findings[0].rule, LG_STR("arguments"))) {
        refuse(r, host, says); // the same, which the host says better
    } else if (host) {
        r->host = host;
        r->host_says = says;
        r->passes = false;
        r->shadowed = false;
        r->message = lg_arena_printf(&x->arena, "%.*s\n%.*s", LG_FMT(says), LG_FMT(r->message));
    }
    return r->message.ptr != NULL;
}

// Has the log to have it? What changes something, and what the host refuses by itself.
static bool is_to_keep(const judgement *j)
{
    bool keeps = is_gated(j->decisions, j->count);
    for (size_t i = 0; i < j->count; i++) {
        keeps = keeps || j->rulings[i]->host;
    }
    return keeps;
}

static lg_status judge_from(lg_exchange *x, keeper *k, lg_session *session, const proposal *p,
                            size_t from, lg_error *reterr)
{
    lg_str id = LG_STR("");
    judgement j = {.session = session,
                   .events = p->events + from,
                   .rulings = p->rulings + from,
                   .own_ids = p->own_ids + from,
                   .count = p->count - from,
                   .error = reterr};
    lg_status status = lg_decide(session, j.events, j.count, &j.decisions, reterr);
    if (status != LG_OK) {
        j.decisions = NULL;
        if (status != LG_ERR_OOM && !keep_decision(x, k, &j, &id)) {
            return lg_fail_oom(reterr);
        }
        return status;
    }
    for (size_t i = 0; i < j.count; i++) {
        if (!rule_on(x, session, &j.decisions[i], &j.events[i], j.rulings[i])) {
            return lg_fail_oom(reterr);
        }
    }
    if (is_to_keep(&j) && !keep_decision(x, k, &j, &id)) {
        return lg_fail_oom(reterr);
    }
    for (size_t i = 0; i < j.count; i++) {
        j.rulings[i]->id = j.rulings[i]->judged || j.rulings[i]->host ? id : LG_STR("");
    }
    return LG_OK;
}

static lg_status judge_proposal(lg_exchange *x, keeper *k, const proposal *p, lg_error *reterr)
{
    lg_session *fork = NULL;
    lg_status status = LG_OK;
    size_t from = 0;
    while (status == LG_OK && from < p->count) {
        status = judge_from(x, k, fork ? fork : x->talk->session, p, from, reterr);
        size_t stop = status == LG_OK ? passes_against_rule(x, p, from) : p->count;
        if (stop < p->count) {
            status = assume_made(x, k, p, from, stop + 1, &fork);
            from = stop + 1;
        } else {
            from = p->count;
        }
    }
    lg_session_free(fork);
    return status;
}

// No verdict was reached: none of it passes.
static void refuse_all(lg_exchange *x, const proposal *p, const lg_error *why)
{
    lg_str message = lg_arena_printf(
        &x->arena, "LedgerGate has reached no verdict, so this is refused to be safe: %s.",
        why->msg);
    exchange_problem(x, "ledgergate_no_verdict", lg_str_c(why->msg));
    exchange_add(x, COUNT_failures, 1);
    for (size_t i = 0; i < p->count; i++) {
        bool said = p->events[i].kind == LG_EVENT_MESSAGE;
        *p->rulings[i] =
            (ruling){.decided = true, .judged = true, .passes = x->report.shadow, .id = LG_STR("")};
        if (said && !x->route->judges_text) {
            *p->rulings[i] = (ruling){.passes = true, .id = LG_STR("")};
        } else if (!x->report.shadow) {
            refuse(p->rulings[i], "[\"no_verdict\"]", message.ptr ? message : LG_STR("refused"));
        }
    }
}

// --- What needs no rule -------------------------------------------------------------------------

static bool is_json_call(lg_str kind)
{
    return !lg_str_starts(kind, LG_STR("custom"));
}

// A call that is none, before rules see it. False: out of memory.
static bool look_at(lg_exchange *x, const lg_chat_call *call, ruling *r)
{
    lg_error why = {0};
    lg_str message = LG_STR("");
    const char *rule = "[\"arguments\"]";
    const lg_json *value;
    lg_str args = lg_str_trim(call->args);
    *r = (ruling){.passes = true, .id = LG_STR("")};
    if (call->broken) {
        message =
            lg_arena_printf(&x->arena, "This is not one call: %s. Make it again.", call->broken);
        rule = "[\"broken\"]";
    } else if (call->cut) {
        message = LG_STR("The message ended before the arguments of this call were whole. Make "
                         "it again, in a shorter message.");
        rule = "[\"cut\"]";
    } else if (is_json_call(call->kind) && args.len) {
        lg_arena_mark mark = lg_arena_mark_here(&x->arena);
        lg_str copy = lg_arena_str(&x->arena, args);
        lg_status status = copy.ptr ? lg_json_parse_in(&x->arena, copy, 0, copy.len,
                                                       &x->proxy->limits, &value, &why)
                                    : LG_ERR_OOM;
        lg_arena_rewind(&x->arena, mark);
        if (status == LG_ERR_OOM) {
            return false;
        }
        if (status != LG_OK) {
            exchange_add(x, COUNT_bad_arguments, 1);
            message = lg_arena_printf(
                &x->arena, "The arguments of this call are no JSON: line %u, column %u: %s.",
                why.line, why.column, why.msg);
        }
    }
    if (message.len && !x->report.shadow) {
        refuse(r, rule, message);
    }
    return message.ptr != NULL;
}

// What was proposed to nobody passes for nobody.
static void refuse_undecided(const lg_exchange *x, round_of *r)
{
    for (size_t i = 0; i < r->reply->call_count; i++) {
        ruling *one = &r->calls[i];
        if (!one->decided && one->passes && !x->report.shadow) {
            refuse(one, "[\"broken\"]",
                   LG_STR("This is no call that can be judged. Make it again."));
        }
    }
}

// --- A reply ------------------------------------------------------------------------------------

static void count_ruling(lg_exchange *x, const ruling *r, bool is_call)
{
    proxy_number number = r->verdict == LG_BLOCK    ? COUNT_blocked
                          : r->verdict == LG_REVISE ? COUNT_revised
                                                    : COUNT_allowed;
    if (r->judged || (!r->passes && is_call)) {
        exchange_add(x, number, 1);
        exchange_add(x, COUNT_shadowed, r->shadowed);
        x->report.decisions++;
        x->report.refused += !r->passes;
    } else if (is_call) {
        exchange_add(x, COUNT_ungated, 1);
    }
}

static lg_status judge_choices(lg_exchange *x, keeper *k, round_of *r)
{
    const lg_chat_reply *reply = r->reply;
    size_t call = 0;
    for (size_t c = 0; c < reply->choice_count; c++) {
        proposal p;
        lg_error why = {0};
        if (!propose(x, r, c, call, &p)) {
            return LG_ERR_OOM;
        }
        lg_status status = p.count ? judge_proposal(x, k, &p, &why) : LG_OK;
        if (status != LG_OK) {
            refuse_all(x, &p, &why);
        }
        if (!x->route->judges_text) { // then no rule refuses what is said
            r->texts[c].passes = true;
        }
        call += reply->choices[c].call_count;
    }
    return LG_OK;
}

static bool set_up(lg_exchange *x, const lg_chat_reply *reply, round_of *ret)
{
    *ret = (round_of){.reply = reply,
                      .calls = LG_NEW_ARRAY(&x->arena, ruling, reply->call_count),
                      .texts = LG_NEW_ARRAY(&x->arena, ruling, reply->choice_count)};
    if (!ret->calls || !ret->texts) {
        return false;
    }
    for (size_t i = 0; i < reply->choice_count; i++) {
        ret->texts[i] = (ruling){.passes = true, .id = LG_STR("")};
    }
    for (size_t i = 0; i < reply->call_count; i++) {
        if (!look_at(x, &reply->calls[i], &ret->calls[i])) {
            return false;
        }
    }
    return true;
}

bool judge_reply(lg_exchange *x, const lg_chat_reply *reply)
{
    round_of *r = &x->judged[x->judged_count];
    keeper k = {0};
    if (!set_up(x, reply, r) || judge_choices(x, &k, r) != LG_OK) {
        lg_journal_drop(k.batch);
        return false;
    }
    x->batch = k.batch;
    x->keeps = k.begun;
    x->misses = k.misses;
    x->judged_count++;
    refuse_undecided(x, r);
    for (size_t i = 0; i < reply->call_count; i++) {
        count_ruling(x, &r->calls[i], true);
    }
    for (size_t i = 0; i < reply->choice_count; i++) {
        count_ruling(x, &r->texts[i], false);
    }
    return true;
}

void judge_keep(lg_exchange *x)
{
    lg_error why = {0};
    if (x->keeps && commit(x, &why) != LG_OK) {
        judge_unkept(x, &x->judged[x->judged_count - 1], lg_str_c(why.msg));
    }
    x->keeps = false;
}

// Who was to get the reply is gone before the journal has the decisions: it gets them all the same.
static void keep_abandoned(lg_exchange *x)
{
    if (x->batch && lg_journal_commit_later(x->batch, NULL) != LG_OK) {
        x->outcome_count = x->removed; // nothing is known of those behind them
        exchange_add(x, COUNT_failures, 1);
    }
    x->batch = NULL;
    x->keeps = false;
}

void judge_unkept(lg_exchange *x, round_of *r, lg_str why)
{
    lg_str message = lg_arena_printf(
        &x->arena,
        "The decision on this call could not be kept in the log (%.*s), so it is not made.",
        LG_FMT(why));
    x->kept_failed = true;
    x->outcome_count = x->report.shadow ? x->removed : x->outcome_count;
    exchange_problem(x, "ledgergate_journal", why);
    exchange_add(x, COUNT_journal_failures, 1);
    for (size_t i = 0; i < r->reply->call_count; i++) { // no log has it
        r->calls[i].id = LG_STR("");
    }
    for (size_t i = 0; i < r->reply->choice_count; i++) {
        r->texts[i].id = LG_STR("");
    }
    for (size_t i = 0; i < r->reply->call_count && !x->report.shadow; i++) {
        if (r->calls[i].judged && r->calls[i].passes) {
            refuse(&r->calls[i], "[\"journal\"]",
                   message.ptr ? message : LG_STR("The decision could not be kept in the log."));
            x->report.refused++;
        }
    }
}

// What the host says of what it refused, if nothing of it has passed.
static bool is_refused(const outcome *one, lg_str *ret_why)
{
    bool passes = false;
    for (size_t i = 0; i < one->count; i++) {
        const ruling *r = one->rulings[i];
        passes = passes || r->passes;
        *ret_why = ret_why->len || !r->host ? *ret_why : r->host_says;
    }
    return !passes;
}

static void add_outcome_of(const lg_exchange *x, size_t index, bool delivered,
                           lg_journal_batch *batch)
{
    const outcome *one = &x->outcomes[index];
    lg_str why = LG_STR("");
    lg_journal_outcome told = {.decision = one->decision, .kind = LG_OUTCOME_UNDELIVERED};
    bool refused = is_refused(one, &why);
    if (index < x->removed) {
        told.kind = LG_OUTCOME_REMOVED;
    } else if (refused) { // nothing passes either way; only whom it was told is another thing
        told.kind = delivered ? LG_OUTCOME_REFUSED : LG_OUTCOME_UNDELIVERED;
        told.note = why;
    } else if (delivered && !x->answered) {
        told.kind = LG_OUTCOME_REFUSED;
        told.note = LG_STR("the reply could not be passed on");
    } else if (delivered) {
        told.kind = LG_OUTCOME_DELIVERED;
    }
    lg_journal_add_outcome(batch, &told);
}

void judge_outcomes(lg_exchange *x, bool delivered)
{
    if (x->judged_count) {
        exchange_add(x, delivered ? COUNT_delivered : COUNT_undelivered, 1);
    }
    keep_abandoned(x);
    if (!x->outcome_count) {
        return;
    }
    lg_journal_batch *batch = lg_journal_begin(x->proxy->journal, x->o.now);
    for (size_t i = 0; batch && i < x->outcome_count; i++) {
        add_outcome_of(x, i, delivered, batch);
    }
    bool kept = batch && lg_journal_commit_later(batch, NULL) == LG_OK;
    if (!kept && !x->kept_failed) {
        exchange_add(x, COUNT_failures, 1); // a decision without an outcome: not known
    }
}
