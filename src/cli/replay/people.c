// people.c: conversations for people: what was refused, what only reported, what allowed, each apart.
//
// The summary stands first, so that rows are kept until all conversations are through. Those with nothing
// but allowed calls are counted and not listed.
#include "cli/replay/replay.h"

#include <unistd.h>

#define EVIDENCE_SHOWN 8u
#define VALUE_SHOWN 48u
#define ARGUMENTS_SHOWN 160u
#define FOLDER_MAX 4096u

// --- Parts --------------------------------------------------------------------------------------

cli_out *replay_rows(replay *r, replay_part part)
{
    bool in_order = r->show_reads || r->show_ledger;
    return &r->parts[in_order ? PART_REFUSED : part];
}

cli_out *replay_begin_row(replay *r, replay_part part, uint32_t turn, const char *colour,
                          const char *word)
{
    cli_out *out = replay_rows(r, part);
    lg_buf_addf(&out->buf, "  turn %-3u  ", turn);
    cli_colour(out, colour);
    cli_pad(out, lg_str_c(word), 12);
    cli_colour(out, "0");
    return out;
}

lg_str replay_shown_path(lg_str path)
{
    char room[FOLDER_MAX];
    bool absolute = path.len > 0 && path.ptr[0] == '/';
    const char *folder = absolute ? getcwd(room, sizeof(room)) : NULL;
    lg_str above = folder ? lg_str_c(folder) : LG_STR("");
    bool below = above.len > 1 && lg_str_starts(path, above) && path.len > above.len + 1 &&
                 path.ptr[above.len] == '/';
    return below ? lg_str_slice(path, above.len + 1, path.len) : path;
}

static void begin_conversation(replay *r, const lg_trace_set *set, const lg_trace *trace)
{
    cli_out *out = &r->told;
    lg_buf_add_c(&out->buf, "\n");
    cli_colour(out, "1");
    cli_add_text(out, replay_shown_path(set->path));
    if (set->count > 1) { // else its name says nothing
        lg_buf_add_c(&out->buf, ": ");
        cli_add_text(out, trace->name);
    }
    cli_colour(out, "0");
    if (r->packs.chosen) {
        lg_buf_addf(&out->buf, "  (pack %.*s)", LG_FMT(r->by->pack->name));
    }
    lg_buf_add_c(&out->buf, "\n");
}

void replay_end_rows(replay *r, const lg_trace_set *set, const lg_trace *trace)
{
    static const char *const heads[PART_COUNT] = {"", "  Reported\n", "  Allowed\n"};
    bool any = r->parts[PART_REFUSED].buf.len || r->parts[PART_REPORTED].buf.len;
    if (any) {
        begin_conversation(r, set, trace);
    } else {
        r->untold++;
    }
    for (replay_part part = PART_REFUSED; part < PART_COUNT; part++) {
        if (!any) {
            lg_buf_clear(&r->parts[part].buf);
            r->parts[part].printable = 0;
        } else if (r->parts[part].buf.len) {
            lg_buf_add_c(&r->told.buf, heads[part]);
            cli_out_move(&r->told, &r->parts[part]);
        }
    }
}

// --- A decision ---------------------------------------------------------------------------------

static const char *verdict_colour(lg_verdict verdict)
{
    static const char *const colours[] = {"32", "33", "31"};
    return colours[verdict];
}

// One line; what stands at the path may be long, and is cut.
static void show_evidence(cli_out *out, const lg_evidence *evidence)
{
    lg_buf_add_c(&out->buf, "        ");
    cli_add_text(out, evidence->path);
    lg_buf_add_c(&out->buf, " = ");
    cli_add_cut(out, evidence->value, VALUE_SHOWN);
    if (evidence->observed || evidence->tool.len) {
        lg_buf_addf(&out->buf, "  [%.*s%sturn %u%s%.*s]", LG_FMT(evidence->tool),
                    evidence->tool.len ? ", " : "", evidence->turn,
                    evidence->stale ? "; stale since " : "", LG_FMT(evidence->stale_tool));
    }
    lg_buf_add_c(&out->buf, "\n");
}

static void show_finding(cli_out *out, const lg_finding *finding)
{
    lg_buf_addf(&out->buf, "      %.*s: ", LG_FMT(finding->rule));
    cli_add_text(out, finding->message);
    lg_buf_add_c(&out->buf, "\n");
    cli_colour(out, "2");
    for (size_t i = 0; i < finding->evidence_count && i < EVIDENCE_SHOWN; i++) {
        show_evidence(out, &finding->evidence[i]);
    }
    if (finding->evidence_count > EVIDENCE_SHOWN) {
        lg_buf_addf(&out->buf, "        and %zu more (--json shows them)\n",
                    finding->evidence_count - EVIDENCE_SHOWN);
    }
    cli_colour(out, "0");
}

static bool is_over_budget(const lg_decision *decision)
{
    for (size_t i = 0; i < decision->finding_count; i++) {
        if (decision->findings[i].cause == LG_CAUSE_BUDGET) {
            return true;
        }
    }
    return false;
}

static bool is_read_before(const lg_decision *decision, size_t finding, size_t missing)
{
    lg_str read = decision->findings[finding].missing[missing].read;
    for (size_t i = 0; i <= finding; i++) {
        const lg_finding *other = &decision->findings[i];
        size_t end = i == finding ? missing : other->missing_count;
        for (size_t m = 0; m < end; m++) {
            if (lg_str_eq(other->missing[m].read, read)) {
                return true;
            }
        }
    }
    return false;
}

// What has to be read first, each read once.
static void show_reads(cli_out *out, const lg_decision *decision)
{
    for (size_t i = 0; i < decision->finding_count; i++) {
        for (size_t m = 0; m < decision->findings[i].missing_count; m++) {
            lg_str read = decision->findings[i].missing[m].read;
            if (read.len && !is_read_before(decision, i, m)) {
                lg_buf_add_c(&out->buf, "      has to be read first: ");
                cli_add_text(out, read);
                lg_buf_add_c(&out->buf, "\n");
            }
        }
    }
}

static void show_outlook(cli_out *out, const lg_decision *decision)
{
    show_reads(out, decision);
    for (size_t i = 0; i < decision->hint_count; i++) {
        lg_buf_addf(&out->buf, "      would pass with %.*s = %.*s\n",
                    LG_FMT(decision->hints[i].path), LG_FMT(decision->hints[i].value));
    }
    if (decision->hints_cut) {
        lg_buf_add_c(&out->buf,
                     "      the search for what would pass ended early (decision_steps)\n");
    }
    if (decision->evidence_cut) {
        lg_buf_add_c(&out->buf, "      the evidence is cut short (decision_steps)\n");
    }
    if (is_over_budget(decision)) { // what is no business of the model that the message is for
        lg_buf_add_c(&out->buf,
                     "      the rule is too expensive for what was read: mend it, or raise "
                     "decision_steps where calls are judged\n");
    }
}

// What the recording did: of what was refused in any case, of what was allowed if it went wrong.
static const char *recorded_words(const replay_site *site, lg_verdict verdict)
{
    if (!site->answer) {
        return verdict == LG_ALLOW ? "" : "no answer in the recording";
    }
    bool failed = site->answer->kind == LG_EVENT_ERROR;
    if (verdict == LG_ALLOW) {
        return failed ? "failed in the recording" : "";
    }
    return failed ? "failed in the recording" : "carried out in the recording";
}

// In one line. What could not be read as JSON is shown as it was sent.
static void show_arguments(cli_out *out, const lg_trace_event *call)
{
    lg_buf_add_c(&out->buf, "      ");
    cli_colour(out, "2");
    if (call->args) {
        cli_add_json(out, call->args, ARGUMENTS_SHOWN);
    } else {
        cli_add_cut(out, call->text, ARGUMENTS_SHOWN);
    }
    cli_colour(out, "0");
    lg_buf_add_c(&out->buf, "\n");
}

void replay_show(replay *r, const replay_site *site, const lg_decision *decision)
{
    bool refused = decision->verdict != LG_ALLOW;
    cli_out *out =
        replay_begin_row(r, refused ? PART_REFUSED : PART_ALLOWED, site->call->turn,
                         verdict_colour(decision->verdict), lg_verdict_name(decision->verdict));
    const char *recorded = recorded_words(site, decision->verdict);
    cli_pad(out, site->call->tool, recorded[0] ? 32 : 0);
    lg_buf_addf(&out->buf, "%s%s\n", recorded[0] ? "  " : "", recorded);
    if (refused) {
        show_arguments(out, site->call);
    }
    for (size_t i = 0; i < decision->finding_count; i++) {
        show_finding(out, &decision->findings[i]);
    }
    show_outlook(out, decision);
}
