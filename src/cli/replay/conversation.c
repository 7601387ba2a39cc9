// conversation.c: conversation rules over recorded conversations.
#include "cli/replay/conversation.h"

#include "base/alloc.h"
#include "cli/replay/replay.h"
#include "report/report.h"

#include <stdio.h>

// --- Lifetime -----------------------------------------------------------------------------------

bool replay_talk_init(replay_talk *talk, const struct lg_course *course)
{
    if (course) {
        talk->by_rule = lg_zalloc((course->rule_count + 1) * sizeof(*talk->by_rule));
    }
    return !course || talk->by_rule;
}

void replay_talk_done(replay_talk *talk)
{
    lg_free(talk->by_rule);
}

// --- What is found ------------------------------------------------------------------------------

static const char *kind_word(const lg_trace_event *event)
{
    bool said = event->kind == LG_EVENT_MESSAGE;
    return !said ? lg_event_kind_name(event->kind) : event->role == LG_ROLE_USER ? "user" : "agent";
}

static void write_finding(replay *r, const replay_site *site, const char *kind,
                          const lg_finding *finding)
{
    lg_json_writer w = {.out = &r->out.buf};
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "conversation");
    lg_jw_begin_object(&w);
    replay_write_site(r, &w, site);
    lg_jw_member_c(&w, "event", kind);
    if (site->call->tool.len) {
        lg_jw_member_str(&w, "tool", site->call->tool);
    }
    lg_jw_member_c(&w, "severity", lg_report_severity(finding->verdict));
    lg_report_finding_members(&w, finding);
    lg_jw_end_object(&w);
    lg_jw_end_object(&w);
    lg_buf_add_c(&r->out.buf, "\n");
}

static void show_finding(replay *r, const replay_site *site, const char *kind,
                         const lg_finding *finding)
{
    bool reported = finding->verdict == LG_ALLOW;
    cli_out *out = replay_begin_row(r, reported ? PART_REPORTED : PART_REFUSED, site->call->turn,
                                    reported ? "2" : "33", reported ? "reported" : "occurred");
    cli_add_text(out, site->call->tool.len ? site->call->tool : lg_str_c(kind));
    lg_buf_addf(&out->buf, "\n      %.*s: ", LG_FMT(finding->rule));
    cli_add_text(out, finding->message);
    lg_buf_add_c(&out->buf, "\n");
}

static void print_finding(replay *r, const replay_site *site, const char *kind,
                          const lg_finding *finding)
{
    r->by->counts.pack_errors += finding->cause == LG_CAUSE_DEFECT;
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

void replay_talk_found(replay *r, const replay_site *site, bool refused)
{
    size_t count;
    const lg_finding *found = lg_found(r->by->session, &count);
    for (size_t i = 0; i < count; i++) {
        r->by->talk.occurred += found[i].verdict != LG_ALLOW;
        print_finding(r, site, refused ? "error" : kind_word(site->event), &found[i]);
    }
}

// --- The end ------------------------------------------------------------------------------------

static void write_owed(replay *r, const replay_site *site, const lg_obligation *owed)
{
    lg_json_writer w = {.out = &r->out.buf};
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "obligation");
    lg_jw_begin_object(&w);
    replay_write_talk(r, &w, site->set, site->trace, 0);
    lg_report_obligation_members(&w, owed, true);
    lg_jw_end_object(&w);
    lg_jw_end_object(&w);
    lg_buf_add_c(&r->out.buf, "\n");
}

static void show_owed(replay *r, const lg_obligation *owed)
{
    bool reported = owed->verdict == LG_ALLOW;
    cli_out *out =
        replay_begin_row(r, reported ? PART_REPORTED : PART_REFUSED, owed->turn,
                         reported ? "2" : "33", owed->state == LG_OWED_LATE ? "late" : "unmet");
    cli_add_text(out, owed->rule);
    lg_buf_add_c(&out->buf, "\n      ");
    cli_add_text(out, owed->message);
    lg_buf_add_c(&out->buf, "\n");
}

static void count_owed(replay *r, const lg_obligation *owed)
{
    const lg_course *course = r->by->pack->course;
    r->by->talk.unmet += owed->verdict != LG_ALLOW;
    for (size_t i = 0; i < course->rule_count; i++) {
        r->by->talk.by_rule[i].unmet += lg_str_eq(course->rules[i].id, owed->rule);
    }
}

bool replay_talk_end(replay *r, const replay_site *site)
{
    const lg_course *course = r->by->pack->course;
    const lg_obligation *owed;
    size_t count;
    lg_error error;
    if (!course) {
        return true;
    }
    if (lg_owed(r->by->session, &owed, &count, &error) != LG_OK) {
        cli_say("ledgergate replay: what is owed at the end cannot be told: %s", error.msg);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        count_owed(r, &owed[i]);
        if (!r->quiet && r->json) {
            write_owed(r, site, &owed[i]);
        } else if (!r->quiet) {
            show_owed(r, &owed[i]);
        }
    }
    const lg_conversation *conversation = lg_session_conversation(r->by->session);
    r->by->talk.dropped += lg_conversation_dropped(conversation);
    for (size_t i = 0; i < course->rule_count; i++) {
        lg_conversation_tally now = lg_conversation_tally_of(conversation, i);
        lg_conversation_tally *all = &r->by->talk.by_rule[i].tally;
        all->judged += now.judged;
        all->violated += now.violated;
        all->undecided += now.undecided;
        all->absent += now.absent;
    }
    return true;
}

bool replay_talk_broken(const replay_talk *talk)
{
    return talk->occurred + talk->unmet + talk->dropped > 0;
}

// --- The summary --------------------------------------------------------------------------------

void replay_talk_write_summary(replay *r, lg_json_writer *w)
{
    const lg_course *course = r->by->pack->course;
    if (!course) {
        return;
    }
    lg_jw_key(w, "conversation");
    lg_jw_begin_object(w);
    lg_jw_member_uint(w, "occurred", r->by->talk.occurred);
    lg_jw_member_uint(w, "unmet", r->by->talk.unmet);
    lg_jw_member_uint(w, "not_followed", r->by->talk.dropped);
    lg_jw_key(w, "by_rule");
    lg_jw_begin_object(w);
    for (size_t i = 0; i < course->rule_count; i++) {
        const struct talk_rule_counts *counts = &r->by->talk.by_rule[i];
        lg_jw_key_str(w, course->rules[i].id);
        lg_jw_begin_object(w);
        lg_jw_member_c(w, "severity", lg_report_severity(course->rules[i].otherwise));
        lg_jw_member_uint(w, "judged", counts->tally.judged);
        lg_jw_member_uint(w, "violated", counts->tally.violated);
        lg_jw_member_uint(w, "unmet", counts->unmet);
        lg_jw_member_uint(w, "undecided", counts->tally.undecided);
        lg_jw_end_object(w);
    }
    lg_jw_end_object(w);
    lg_jw_end_object(w);
}

// Rules of which there is nothing to tell have no row.
void replay_talk_show_summary(replay *r)
{
    const lg_course *course = r->by->pack->course;
    lg_buf *out = &r->out.buf;
    bool begun = false;
    for (size_t i = 0; course && i < course->rule_count; i++) {
        const struct talk_rule_counts *counts = &r->by->talk.by_rule[i];
        bool reports = course->rules[i].otherwise == LG_ALLOW;
        if (counts->tally.violated + counts->unmet + counts->tally.undecided == 0) {
            continue;
        }
        lg_buf_add_c(out, begun ? ""
                                : "Conversation rules, at how many events    judged  violated     "
                                  "unmet undecided\n");
        begun = true;
        lg_buf_add_c(out, "  ");
        cli_pad(&r->out, course->rules[i].id, 38);
        lg_buf_addf(out, "%8llu  %8llu  %8zu  %8llu%s\n", (unsigned long long)counts->tally.judged,
                    (unsigned long long)counts->tally.violated, counts->unmet,
                    (unsigned long long)counts->tally.undecided, reports ? "  (reports only)" : "");
    }
    if (r->by->talk.dropped) {
        lg_buf_addf(out, "  obligations that were too many to follow: %zu\n", r->by->talk.dropped);
    }
}
