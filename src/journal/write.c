// write.c: payloads as JSON. docs/log.md names their members.
//
// The same thing has the same bytes, because ids are digests of them. What is zero is left out.
#include "journal/journal_internal.h"

#include "base/utf8.h"

static void write_id(lg_json_writer *w, const char *key, const lg_journal_id *id)
{
    char hex[LG_JOURNAL_ID_HEX];
    lg_hex(id->bytes, sizeof(id->bytes), hex);
    lg_jw_key(w, key);
    lg_jw_c(w, hex);
}

// A text of any bytes: as a string, or in hexadecimal below `key` and "_hex" if a string cannot hold it.
static void write_text(lg_json_writer *w, const char *key, lg_str text)
{
    if (text.len == 0) {
        return;
    }
    if (lg_utf8_valid_prefix(text) == text.len) {
        lg_jw_key(w, key);
        lg_jw_str(w, text);
        return;
    }
    char long_key[64];
    lg_buf name;
    lg_buf_init_in(&name, long_key, sizeof(long_key), 0);
    lg_buf_addf(&name, "%s_hex", key);
    lg_jw_key_str(w, lg_buf_str(&name));
    lg_buf_done(&name);
    lg_buf hex;
    lg_buf_init(&hex, 0);
    char *room = lg_buf_room(&hex, 2 * text.len + 1);
    if (room) {
        lg_hex(text.ptr, text.len, room);
        hex.len += 2 * text.len;
    } else if (w->out->status == LG_OK) {
        w->out->status = LG_ERR_OOM;
    }
    lg_jw_str(w, lg_buf_str(&hex));
    lg_buf_done(&hex);
}

static void write_time(lg_json_writer *w, const char *key, bool has, lg_time time)
{
    if (has) {
        lg_jw_key(w, key);
        lg_jw_begin_array(w);
        lg_jw_int(w, time.seconds);
        lg_jw_uint(w, time.nanos);
        lg_jw_end_array(w);
    }
}

static const char *role_name(lg_role role)
{
    switch (role) {
    case LG_ROLE_AGENT:
        return "agent";
    case LG_ROLE_USER:
        return "user";
    case LG_ROLE_SYSTEM:
        break;
    }
    return "system";
}

// --- Events -------------------------------------------------------------------------------------

// Whether a session was told arguments as text, as a value, or as both, is a part of the event: reading takes steps.
static void write_args(lg_json_writer *w, const lg_event *event)
{
    write_text(w, "args", event->args);
    if (event->json && event->args.len == 0) {
        lg_jw_key(w, "value");
        lg_jw_json(w, event->json);
    } else if (event->json) {
        lg_jw_key(w, "parsed");
        lg_jw_bool(w, true);
    }
}

static void write_event_members(lg_json_writer *w, const lg_event *event)
{
    lg_jw_key(w, "kind");
    lg_jw_c(w, lg_event_kind_name(event->kind));
    lg_jw_key(w, "role");
    lg_jw_c(w, role_name(event->role));
    if (event->has_turn) {
        lg_jw_key(w, "turn");
        lg_jw_uint(w, event->turn);
    }
    write_time(w, "time", event->has_time, event->time);
    write_text(w, "id", event->id);
    write_text(w, "tool", event->tool);
    write_args(w, event);
    write_text(w, "text", event->text);
}

void write_event(lg_json_writer *w, lg_str secret, const lg_journal_id *previous,
                 const lg_journal_event *event, lg_journal_id *ret_said)
{
    lg_jw_begin_object(w);
    write_id(w, "previous", previous);
    write_time(w, "host_time", event->has_host_time, event->host_time);
    size_t from = w->out->len; // the same whenever it was told
    write_event_members(w, &event->event);
    id_add_said(secret, previous, lg_str_slice(lg_buf_str(w->out), from, w->out->len), ret_said);
    char hex[LG_JOURNAL_ID_HEX];
    lg_hex(ret_said->said, sizeof(ret_said->said), hex);
    lg_jw_key(w, "said");
    lg_jw_c(w, hex);
    lg_jw_end_object(w);
}

// --- Laws ---------------------------------------------------------------------------------------

static void write_limits(lg_json_writer *w, const lg_limits *given)
{
    lg_limits limits = lg_limits_resolve(given);
    lg_jw_key(w, "limits");
    lg_jw_begin_object(w);
#define X(name)                                                                                    \
    lg_jw_key(w, #name);                                                                           \
    lg_jw_uint(w, limits.name);
    LIMITS_MAP(X)
#undef X
    lg_jw_end_object(w);
}

void write_law(lg_json_writer *w, const lg_journal_law *law)
{
    lg_jw_begin_object(w);
    write_text(w, "pack", law->pack->name);
    write_text(w, "version", law->pack->version);
    lg_jw_key(w, "hash");
    lg_jw_c(w, law->pack->hash);
    write_text(w, "file", lg_str_c(law->pack->file));
    lg_jw_key(w, "program");
    lg_jw_c(w, lg_version());
    lg_jw_key(w, "explain");
    lg_jw_uint(w, (uint64_t)law->explain);
    lg_jw_key(w, "recorded");
    lg_jw_bool(w, law->recorded);
    write_limits(w, law->limits);
    write_text(w, "text", law->pack->text);
    lg_jw_end_object(w);
}

// --- Decisions ----------------------------------------------------------------------------------

lg_status digest_ledger(lg_session *session, char out[LEDGER_HEX_BYTES], lg_error *reterr)
{
    lg_ledger_state seen;
    lg_digest digest;
    lg_buf text;
    if (lg_session_seen(session, &seen) != LG_OK) {
        return lg_fail_oom(reterr);
    }
    lg_buf_init(&text, 0);
    lg_json_print(&text, seen.root);
    lg_status status = lg_buf_status(&text);
    const lg_str parts[] = {LG_STR("ledgergate ledger 1\n"), lg_buf_str(&text)};
    lg_digest_parts(LG_STR(""), parts, LG_COUNT(parts), &digest);
    lg_hex(digest.bytes, LG_DIGEST_BYTES, out);
    lg_buf_done(&text);
    return status == LG_OK ? LG_OK : lg_fail(reterr, status, "the ledger cannot be printed");
}

lg_status write_reports(lg_json_writer *w, lg_session *session, const lg_decision *decisions,
                        const lg_str *made, size_t count, lg_error *reterr)
{
    lg_status status = LG_OK;
    lg_jw_begin_array(w);
    for (size_t i = 0; i < count && status == LG_OK; i++) {
        lg_str json = made ? made[i] : LG_STR("");
        if (!json.len) {
            status = lg_decision_json(session, &decisions[i], &json, reterr);
        }
        if (status == LG_OK) {
            lg_jw_raw(w, json);
        }
    }
    lg_jw_end_array(w);
    return status;
}

static void write_proposed(lg_json_writer *w, const lg_event *proposed, size_t count)
{
    lg_jw_key(w, "proposed");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        lg_jw_begin_object(w);
        write_event_members(w, &proposed[i]);
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}

static void write_error(lg_json_writer *w, const lg_error *error)
{
    lg_jw_key(w, "error");
    lg_jw_begin_object(w);
    lg_jw_key(w, "status");
    lg_jw_c(w, lg_status_text(error->status));
    lg_jw_key(w, "message");
    lg_jw_c(w, error->msg);
    lg_jw_end_object(w);
}

static void write_overrides(lg_json_writer *w, const lg_journal_override *overrides, size_t count)
{
    lg_jw_key(w, "host");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        lg_jw_begin_object(w);
        lg_jw_key(w, "proposed");
        lg_jw_uint(w, overrides[i].proposed);
        lg_jw_key(w, "passes");
        lg_jw_bool(w, overrides[i].passes);
        lg_jw_key(w, "rules");
        lg_jw_raw(w, overrides[i].rules);
        write_text(w, "message", overrides[i].message);
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}

lg_status write_decision(lg_json_writer *w, const lg_journal_decision *decision, lg_error *reterr)
{
    char ledger[LEDGER_HEX_BYTES];
    lg_status status = digest_ledger(decision->session, ledger, reterr);
    lg_jw_begin_object(w);
    write_text(w, "conversation", decision->conversation);
    if (decision->about.len) {
        lg_jw_key(w, "about");
        lg_jw_raw(w, decision->about);
    }
    write_id(w, "law", &decision->law);
    write_id(w, "last", &decision->last);
    write_time(w, "host_time", decision->has_host_time, decision->host_time);
    lg_jw_key(w, "ledger");
    lg_jw_c(w, ledger);
    write_proposed(w, decision->proposed, decision->count);
    if (decision->override_count) {
        write_overrides(w, decision->overrides, decision->override_count);
    }
    if (decision->decisions) {
        lg_jw_key(w, "decisions");
        w->need_comma = false;
        if (status == LG_OK) {
            status = write_reports(w, decision->session, decision->decisions, decision->reports,
                                   decision->count, reterr);
        }
    } else {
        write_error(w, decision->error);
    }
    lg_jw_end_object(w);
    return status;
}

// --- Outcomes -----------------------------------------------------------------------------------

static const char *outcome_name(lg_journal_outcome_kind kind)
{
    switch (kind) {
    case LG_OUTCOME_DELIVERED:
        return "delivered";
    case LG_OUTCOME_REFUSED:
        return "refused";
    case LG_OUTCOME_UNDELIVERED:
        return "undelivered";
    case LG_OUTCOME_REMOVED:
        break;
    }
    return "removed";
}

void write_outcome(lg_json_writer *w, const lg_journal_outcome *outcome)
{
    lg_jw_begin_object(w);
    write_id(w, "decision", &outcome->decision);
    lg_jw_key(w, "outcome");
    lg_jw_c(w, outcome_name(outcome->kind));
    write_text(w, "note", outcome->note);
    lg_jw_end_object(w);
}
