// replay_conversation.c: conversation rules over recorded conversations.
//
// A call and its result are observed one right after the other, as a live session sees them; both
// belong to the turn of the call.
#include "cli/replay_conversation.h"

#include "base/alloc.h"
#include "cli/replay.h"

#include <stdio.h>

static bool complain(const lg_error *error)
{
    cli_say("ledgergate replay: the conversation cannot be followed: %s", error->msg);
    return false;
}

// --- Lifetime -----------------------------------------------------------------------------------

bool replay_talk_init(replay *r)
{
    const lg_course *course = r->pack->course;
    lg_error error;
    lg_conversation_init(&r->talk.c, r->pack, NULL);
    if (course) {
        r->talk.by_rule = lg_zalloc((course->rule_count + 1) * sizeof(*r->talk.by_rule));
        if (!r->talk.by_rule) {
            lg_fail_oom(&error);
            return complain(&error);
        }
    }
    return true;
}

void replay_talk_done(replay *r)
{
    lg_conversation_done(&r->talk.c);
    lg_free(r->talk.by_rule);
}

bool replay_talk_reset(replay *r)
{
    r->talk.observed = LG_OBSERVED_NOTHING;
    r->talk.has_turn = false;
    r->talk.has_time = false;
    lg_conversation_reset(&r->talk.c);
    return true;
}

// --- What is found ------------------------------------------------------------------------------

static const char *kind_word(const lg_event *event)
{
    switch (event->kind) {
    case LG_EVENT_CALL:
        return "call";
    case LG_EVENT_RESULT:
        return "result";
    case LG_EVENT_ERROR:
        return "error";
    case LG_EVENT_MESSAGE:
        break;
    }
    return event->role == LG_ROLE_USER ? "user" : "agent";
}

static const char *severity(lg_verdict verdict)
{
    return verdict == LG_ALLOW ? "report" : lg_verdict_name(verdict);
}

static void write_text(lg_json_writer *w, const char *key, lg_str text)
{
    if (text.len) {
        lg_jw_key(w, key);
        lg_jw_str(w, text);
    }
}

static void write_finding(replay *r, const replay_site *site, const char *kind,
                          const lg_finding *finding)
{
    lg_json_writer w = {.out = &r->out.buf};
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "conversation");
    lg_jw_begin_object(&w);
    replay_write_site(r, &w, site);
    lg_jw_key(&w, "event");
    lg_jw_c(&w, kind);
    write_text(&w, "tool", site->call->tool);
    lg_jw_key(&w, "rule");
    lg_jw_str(&w, finding->rule);
    lg_jw_key(&w, "severity");
    lg_jw_c(&w, severity(finding->verdict));
    lg_jw_key(&w, "cause");
    lg_jw_c(&w, lg_cause_name(finding->cause));
    lg_jw_key(&w, "message");
    lg_jw_str(&w, finding->message);
    write_text(&w, "because", finding->because);
    lg_jw_key(&w, "evidence");
    lg_jw_begin_array(&w);
    for (size_t i = 0; i < finding->evidence_count; i++) {
        lg_jw_begin_object(&w);
        lg_jw_key(&w, "path");
        lg_jw_str(&w, finding->evidence[i].path);
        write_text(&w, "tool", finding->evidence[i].tool);
        lg_jw_key(&w, "turn");
        lg_jw_uint(&w, finding->evidence[i].turn);
        lg_jw_end_object(&w);
    }
    lg_jw_end_array(&w);
    lg_jw_end_object(&w);
    lg_jw_end_object(&w);
    lg_buf_add_c(&r->out.buf, "\n");
}

// Does the file's name stand at the end of each line? Else it stands above.
static bool names_file(const replay *r)
{
    return !r->show_reads && !r->show_ledger;
}

static size_t width_of_name(const replay *r)
{
    return names_file(r) ? 32 : 0;
}

static void show_site(replay *r, const replay_site *site)
{
    if (names_file(r)) {
        lg_buf_add_c(&r->out.buf, "  ");
        cli_add_text(&r->out, site->set->path);
        if (site->set->count > 1) {
            lg_buf_add_c(&r->out.buf, ": ");
            cli_add_text(&r->out, site->trace->name);
        }
    }
    lg_buf_add_c(&r->out.buf, "\n");
}

static void show_finding(replay *r, const replay_site *site, const char *kind,
                         const lg_finding *finding)
{
    lg_buf *out = &r->out.buf;
    lg_buf_addf(out, "  turn %-3u  ", site->call->turn);
    cli_colour(&r->out, finding->verdict == LG_ALLOW ? "2" : "33");
    cli_pad(&r->out, lg_str_c(finding->verdict == LG_ALLOW ? "reported" : "occurred"), 12);
    cli_colour(&r->out, "0");
    cli_pad(&r->out, site->call->tool.len ? site->call->tool : lg_str_c(kind), width_of_name(r));
    show_site(r, site);
    lg_buf_addf(out, "      %.*s: ", LG_FMT(finding->rule));
    cli_add_text(&r->out, finding->message);
    lg_buf_add_c(out, "\n");
}

static void print_finding(replay *r, const replay_site *site, const char *kind,
                          const lg_finding *finding)
{
    r->counts.pack_errors += finding->cause == LG_CAUSE_DEFECT;
    if (r->quiet) {
        return;
    }
    if (r->json) {
        write_finding(r, site, kind, finding);
    } else {
        show_finding(r, site, kind, finding);
    }
}

void replay_talk_reports(replay *r, const replay_site *site, const lg_decision *decision)
{
    for (size_t i = 0; i < decision->report_count; i++) {
        print_finding(r, site, "call", &decision->reports[i]);
    }
}

// --- Events -------------------------------------------------------------------------------------

static lg_conversation_event call_event(const replay *r, lg_str tool, const lg_json *args)
{
    return (lg_conversation_event){.kind = LG_EVENT_CALL,
                                   .role = LG_ROLE_AGENT,
                                   .has_turn = r->talk.has_turn,
                                   .turn = r->talk.turn,
                                   .tool = tool,
                                   .args = args,
                                   .ledger = r->ledger.state.root,
                                   .has_time = r->talk.has_time,
                                   .time = r->talk.time};
}

bool replay_talk_judge(replay *r, const lg_gate_call *call, lg_gate_budget *budget,
                       lg_decision *decision)
{
    lg_error error;
    lg_conversation_event event = call_event(r, call->tool, call->args);
    return lg_gate_join(&r->talk.c, &event, budget, &r->scratch, decision, &error) == LG_OK ||
           complain(&error);
}

// Observes one event; `site` is NULL where nothing is to be printed.
static bool observe(replay *r, const lg_conversation_event *event, const replay_site *site,
                    const char *kind)
{
    lg_error error;
    lg_conversation_findings found;
    lg_arena_reset(&r->scratch);
    bool lost = r->talk.c.state.lost;
    lg_conversation_tidy(&r->talk.c, NULL, 0);
    lg_status status = lg_conversation_observe(&r->talk.c, event, &r->scratch, &found, &error);
    if (status ==
        LG_ERR_LIMIT) { // what comes of this conversation is refused; others can be followed
        return lost || !complain(&error);
    }
    if (status != LG_OK) {
        return complain(&error);
    }
    for (size_t i = 0; site && i < found.count; i++) {
        r->talk.occurred += found.items[i].verdict != LG_ALLOW;
        print_finding(r, site, kind, &found.items[i]);
    }
    return true;
}

bool replay_talk_message(replay *r, const replay_site *site)
{
    const lg_event *said = site->call;
    lg_conversation_event event = {.kind = LG_EVENT_MESSAGE,
                                   .role = said->role,
                                   .has_turn = true,
                                   .turn = said->turn,
                                   .text = said->text,
                                   .ledger = r->ledger.state.root,
                                   .has_time = said->has_time,
                                   .time = said->time};
    return observe(r, &event, site, kind_word(said));
}

bool replay_talk_call(replay *r, const replay_site *site, const lg_json *before)
{
    const lg_event *call = site->call;
    const lg_event *answer = site->answer;
    bool refused = call->args && (r->talk.observed == LG_OBSERVED_UNREADABLE ||
                                  r->talk.observed == LG_OBSERVED_REJECTED);
    lg_conversation_event event = call_event(r, call->tool, call->args);
    event.role = call->role;
    event.ledger = before;
    // The agent's call was judged already.
    if (!observe(r, &event, call->role == LG_ROLE_AGENT ? NULL : site, "call")) {
        return false;
    }
    if (!answer) {
        return true;
    }
    event.kind = refused ? LG_EVENT_ERROR : answer->kind;
    event.text = answer->text;
    event.has_time = answer->has_time;
    event.time = answer->time;
    return observe(r, &event, site, event.kind == LG_EVENT_ERROR ? "error" : "result");
}

bool replay_talk_fold(replay *r, const lg_ledger_call *call, const lg_json *before)
{
    lg_conversation_event event = call_event(r, call->tool, call->args);
    event.role = call->by_user ? LG_ROLE_USER : LG_ROLE_AGENT;
    event.has_turn = true;
    event.turn = call->turn;
    event.ledger = before;
    if (!observe(r, &event, NULL, "call")) {
        return false;
    }
    bool refused =
        r->talk.observed == LG_OBSERVED_UNREADABLE || r->talk.observed == LG_OBSERVED_REJECTED;
    event.kind = call->failed || refused ? LG_EVENT_ERROR : LG_EVENT_RESULT;
    event.text = call->result;
    return observe(r, &event, NULL, "result");
}

// --- The end ------------------------------------------------------------------------------------

static void write_owed(replay *r, const replay_site *site, const lg_obligation *owed)
{
    lg_json_writer w = {.out = &r->out.buf};
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "obligation");
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "file");
    lg_jw_str(&w, site->set->path);
    lg_jw_key(&w, "trace");
    lg_jw_str(&w, site->trace->name);
    lg_jw_key(&w, "task");
    lg_jw_str(&w, site->trace->task);
    lg_jw_key(&w, "rule");
    lg_jw_str(&w, owed->rule);
    lg_jw_key(&w, "severity");
    lg_jw_c(&w, severity(owed->verdict));
    lg_jw_key(&w, "state");
    lg_jw_c(&w, owed->state == LG_OWED_LATE ? "late" : "unmet");
    write_text(&w, "key", owed->key);
    write_text(&w, "tool", owed->tool);
    lg_jw_key(&w, "event");
    lg_jw_uint(&w, owed->event);
    lg_jw_key(&w, "turn");
    lg_jw_uint(&w, owed->turn);
    lg_jw_key(&w, "message");
    lg_jw_str(&w, owed->message);
    write_text(&w, "because", owed->because);
    lg_jw_end_object(&w);
    lg_jw_end_object(&w);
    lg_buf_add_c(&r->out.buf, "\n");
}

static void show_owed(replay *r, const replay_site *site, const lg_obligation *owed)
{
    lg_buf *out = &r->out.buf;
    lg_buf_addf(out, "  turn %-3u  ", owed->turn);
    cli_colour(&r->out, owed->verdict == LG_ALLOW ? "2" : "33");
    cli_pad(&r->out, lg_str_c(owed->state == LG_OWED_LATE ? "late" : "unmet"), 12);
    cli_colour(&r->out, "0");
    cli_pad(&r->out, owed->rule, width_of_name(r));
    show_site(r, site);
    lg_buf_add_c(out, "      ");
    cli_add_text(&r->out, owed->message);
    lg_buf_add_c(out, "\n");
}

static void count_owed(replay *r, const lg_obligation *owed)
{
    const lg_course *course = r->pack->course;
    r->talk.unmet += owed->verdict != LG_ALLOW;
    for (size_t i = 0; i < course->rule_count; i++) {
        r->talk.by_rule[i].unmet += lg_str_eq(course->rules[i].id, owed->rule);
    }
}

bool replay_talk_end(replay *r, const replay_site *site)
{
    const lg_course *course = r->pack->course;
    const lg_obligation *owed;
    size_t count;
    lg_error error;
    if (!course) {
        return true;
    }
    lg_arena_reset(&r->scratch);
    if (lg_conversation_owed(&r->talk.c, &r->scratch, &owed, &count, &error) != LG_OK) {
        return complain(&error);
    }
    for (size_t i = 0; i < count; i++) {
        count_owed(r, &owed[i]);
        if (!r->quiet && r->json) {
            write_owed(r, site, &owed[i]);
        } else if (!r->quiet) {
            show_owed(r, site, &owed[i]);
        }
    }
    r->talk.dropped += lg_conversation_dropped(&r->talk.c);
    for (size_t i = 0; i < course->rule_count; i++) {
        lg_conversation_tally now = lg_conversation_tally_of(&r->talk.c, i);
        lg_conversation_tally *all = &r->talk.by_rule[i].tally;
        all->judged += now.judged;
        all->violated += now.violated;
        all->undecided += now.undecided;
        all->absent += now.absent;
    }
    return true;
}

bool replay_talk_found(const replay *r)
{
    return r->talk.occurred + r->talk.unmet + r->talk.dropped > 0;
}

// --- The summary --------------------------------------------------------------------------------

void replay_talk_write_summary(replay *r, lg_json_writer *w)
{
    const lg_course *course = r->pack->course;
    if (!course) {
        return;
    }
    lg_jw_key(w, "conversation");
    lg_jw_begin_object(w);
    lg_jw_key(w, "occurred");
    lg_jw_uint(w, r->talk.occurred);
    lg_jw_key(w, "unmet");
    lg_jw_uint(w, r->talk.unmet);
    lg_jw_key(w, "not_followed");
    lg_jw_uint(w, r->talk.dropped);
    lg_jw_key(w, "by_rule");
    lg_jw_begin_object(w);
    for (size_t i = 0; i < course->rule_count; i++) {
        const struct talk_rule_counts *counts = &r->talk.by_rule[i];
        lg_jw_key_str(w, course->rules[i].id);
        lg_jw_begin_object(w);
        lg_jw_key(w, "severity");
        lg_jw_c(w, severity(course->rules[i].otherwise));
        lg_jw_key(w, "judged");
        lg_jw_uint(w, counts->tally.judged);
        lg_jw_key(w, "violated");
        lg_jw_uint(w, counts->tally.violated);
        lg_jw_key(w, "unmet");
        lg_jw_uint(w, counts->unmet);
        lg_jw_key(w, "undecided");
        lg_jw_uint(w, counts->tally.undecided);
        lg_jw_end_object(w);
    }
    lg_jw_end_object(w);
    lg_jw_end_object(w);
}

void replay_talk_show_summary(replay *r)
{
    const lg_course *course = r->pack->course;
    lg_buf *out = &r->out.buf;
    if (!course || course->rule_count == 0) {
        return;
    }
    lg_buf_add_c(out, "Conversation rules                        judged  violated     unmet "
                      "undecided\n");
    for (size_t i = 0; i < course->rule_count; i++) {
        const struct talk_rule_counts *counts = &r->talk.by_rule[i];
        bool reports = course->rules[i].otherwise == LG_ALLOW;
        lg_buf_add_c(out, "  ");
        cli_pad(&r->out, course->rules[i].id, 38);
        lg_buf_addf(out, "%8llu  %8llu  %8zu  %8llu%s\n", (unsigned long long)counts->tally.judged,
                    (unsigned long long)counts->tally.violated, counts->unmet,
                    (unsigned long long)counts->tally.undecided, reports ? "  (reports only)" : "");
    }
    if (r->talk.dropped) {
        lg_buf_addf(out, "  obligations that were too many to follow: %zu\n", r->talk.dropped);
    }
}
