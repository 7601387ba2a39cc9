// drive.h: a session of any pack, driven as an agent's host drives it: messages are heard, calls are
// judged and observed, the ledger is rendered, what is owed is asked for.
//
// Laws: a call is allowed exactly if nothing was found; two decisions on one ledger are the same; what
// is shown of a decision is there, is UTF-8, and is as long as it may be.
#ifndef LG_FUZZ_DRIVE_H
#define LG_FUZZ_DRIVE_H

#include "base/str.h"
#include "base/utf8.h"
#include "json/json.h"

#include <ledgergate/ledgergate.h>

static inline void drive_require(bool holds)
{
    if (!holds) {
        __builtin_trap();
    }
}

static inline void drive_check_text(lg_str text)
{
    drive_require(lg_utf8_valid_prefix(text) == text.len);
}

static inline void drive_check_finding(const lg_finding *finding)
{
    drive_require(finding->message.len > 0 && finding->rule.len > 0);
    drive_check_text(finding->message);
    for (size_t i = 0; i < finding->missing_count; i++) {
        drive_require(finding->missing[i].path.len > 0);
        drive_check_text(finding->missing[i].path);
        drive_check_text(finding->missing[i].read);
    }
}

static inline void drive_check_decision(const lg_decision *d)
{
    drive_require((d->verdict == LG_ALLOW) == (d->finding_count == 0));
    drive_require((d->verdict == LG_ALLOW) == (d->message.len == 0));
    drive_require(d->hint_count == 0 || d->verdict == LG_REVISE);
    drive_check_text(d->message);
    for (size_t i = 0; i < d->finding_count; i++) {
        drive_require(d->findings[i].verdict > LG_ALLOW && d->findings[i].verdict <= d->verdict);
        drive_check_finding(&d->findings[i]);
    }
    for (size_t i = 0; i < d->report_count; i++) {
        drive_check_finding(&d->reports[i]);
    }
    for (size_t i = 0; i < d->evidence_count; i++) {
        drive_require(d->evidence[i].path.len > 0);
        drive_require(d->evidence[i].value.len <= LG_EVIDENCE_BYTES_MAX);
        drive_check_text(d->evidence[i].path);
        drive_check_text(d->evidence[i].value);
    }
    for (size_t i = 0; i < d->hint_count; i++) {
        drive_check_text(d->hints[i].path);
        drive_check_text(d->hints[i].value);
    }
}

// A number that the decision decides.
static inline size_t drive_sum(const lg_decision *d)
{
    size_t sum = d->verdict * 31 + d->message.len;
    for (size_t i = 0; i < d->evidence_count; i++) {
        sum = sum * 31 + d->evidence[i].path.len + d->evidence[i].value.len;
    }
    return sum;
}

// As JSON it is one line, and one object.
static inline void drive_check_json(lg_session *session, const lg_decision *d)
{
    lg_str json;
    if (lg_decision_json(session, d, &json, NULL) == LG_OK) {
        drive_check_text(json);
        drive_require(json.len > 2 && json.ptr[0] == '{' && json.ptr[json.len - 1] == '}');
        drive_require(lg_str_find(json, LG_STR("\n")) == SIZE_MAX);
    }
}

static inline void drive_decide(lg_session *session, const lg_event *proposed)
{
    const lg_decision *decision;
    lg_error error;
    size_t sums[2] = {0, 0};
    for (size_t i = 0; i < 2; i++) {
        if (lg_decide(session, proposed, 1, &decision, &error) != LG_OK) {
            drive_require(error.msg[0]);
            return;
        }
        drive_check_decision(decision);
        drive_check_json(session, decision);
        sums[i] = drive_sum(decision);
    }
    drive_require(sums[0] == sums[1]);
}

static inline void drive_observe(lg_session *session, const lg_event *event)
{
    lg_observed observed;
    lg_error error = {.status = LG_OK};
    lg_status status = lg_observe(session, event, &observed, &error);
    drive_require(status == LG_OK || (error.status == status && error.msg[0]));
    drive_check_text(lg_str_c(error.msg));
    const lg_rejection *rejection = status == LG_OK ? lg_rejected(session) : NULL;
    if (rejection) {
        drive_require(rejection->message[0] && rejection->condition.len > 0);
        drive_check_text(lg_str_c(rejection->message));
    }
}

static inline void drive_hear(lg_session *session, const lg_event *message)
{
    if (message->role == LG_ROLE_AGENT) {
        drive_decide(session, message);
    }
    (void)!lg_observe(session, message, NULL, NULL);
}

// The end of a conversation: its ledger in every form, and its debts.
static inline void drive_end(lg_session *session)
{
    static const lg_render_options options[] = {
        {.compact = true}, {.types = true}, {.compact = true, .types = true, .budget_bytes = 600}};
    const lg_obligation *owed;
    size_t count;
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        lg_str text;
        if (lg_render(session, &options[i], &text, NULL) == LG_OK) {
            drive_check_text(text);
        }
    }
    if (lg_owed(session, &owed, &count, NULL) == LG_OK) {
        for (size_t i = 0; i < count; i++) {
            drive_check_text(owed[i].key);
            drive_check_text(owed[i].message);
        }
    }
}

// A call is judged, is made, and is answered: `answer` has its call with it. A fork that was made before it
// is as the session was, and goes the same way.
static inline void drive_call(lg_session *session, const lg_event *answer)
{
    lg_session *fork = NULL;
    lg_event call = *answer;
    call.kind = LG_EVENT_CALL;
    call.text = (lg_str){NULL, 0};
    call.role = LG_ROLE_AGENT;
    drive_decide(session, &call);
    call.role = answer->role;
    if (lg_session_fork(session, &fork) == LG_OK) {
        drive_observe(fork, answer);
        lg_session_free(fork);
    }
    drive_observe(session, &call);
    call.kind = answer->kind;
    call.text = answer->text;
    drive_observe(session, &call);
}

// --- Calls as text ------------------------------------------------------------------------------

static inline lg_str drive_next_line(lg_str text, size_t *from)
{
    size_t length = lg_str_find(lg_str_slice(text, *from, text.len), LG_STR("\n"));
    size_t to = length == SIZE_MAX ? text.len : *from + length;
    lg_str line = lg_str_slice(text, *from, to);
    *from = to + 1;
    return line;
}

static inline lg_str drive_print(lg_arena *arena, const lg_json *value)
{
    lg_buf out;
    lg_buf_init(&out, 0);
    if (value) {
        lg_json_print(&out, value);
    }
    lg_str text = lg_arena_str(arena, lg_buf_str(&out));
    lg_buf_done(&out);
    return text;
}

// Each line is {"tool": ..., "args": {...}, "result": "...", "failed": false, "user": false}.
static inline void drive_lines(lg_session *session, lg_arena *arena, lg_str text)
{
    uint32_t turn = 0;
    for (size_t from = 0; from < text.len && turn < 100; turn++) {
        const lg_json *event;
        lg_str line = drive_next_line(text, &from);
        if (lg_json_parse_in(arena, line, 0, line.len, NULL, &event, NULL) == LG_OK) {
            bool failed = lg_json_is_true(lg_json_get(event, LG_STR("failed")));
            bool by_user = lg_json_is_true(lg_json_get(event, LG_STR("user")));
            lg_event answer = {.kind = failed ? LG_EVENT_ERROR : LG_EVENT_RESULT,
                               .role = by_user ? LG_ROLE_USER : LG_ROLE_AGENT,
                               .has_turn = true,
                               .turn = turn,
                               .tool = lg_json_str(lg_json_get(event, LG_STR("tool"))),
                               .args = drive_print(arena, lg_json_get(event, LG_STR("args"))),
                               .text = lg_json_str(lg_json_get(event, LG_STR("result")))};
            drive_call(session, &answer);
        }
    }
}

// --- A pack for whatever calls there are --------------------------------------------------------
//
// `look` and `note` remember a result under each argument that is a text; `pay` wants to have seen
// all of them. So every argument and every key of a recording becomes a path.

static const char drive_pack_text[] =
    "pack: any\n"
    "version: '1'\n"
    "clock: 2024-05-15T15:00:00Z\n"
    "ledger:\n"
    "  seen.*: {}\n"
    "  said.*: {type: string}\n"
    "tools:\n"
    "  look:\n"
    "    kind: read\n"
    "    parameters: {type: object}\n"
    "    returns: {}\n"
    "    stores:\n"
    "      - {at: 'seen[args.map(k, args[k]).filter(v, type(v) == string)[0]]'}\n"
    "      - {at: 'seen[args.map(k, args[k]).filter(v, type(v) == string)[1]]'}\n"
    "  note:\n"
    "    kind: read\n"
    "    parameters: {type: object}\n"
    "    returns: text\n"
    "    stores:\n"
    "      - {at: 'said[args.map(k, k)[0]]'}\n"
    "  pay: {kind: write, parameters: {type: object, additionalProperties: true}}\n"
    "  swap: {kind: write, parameters: {type: object, additionalProperties: true}}\n"
    "rules:\n"
    "  seen:\n"
    "    tools: [pay]\n"
    "    that: \"args.all(k, type(args[k]) != string || ledger.seen[args[k]] == args)\"\n"
    "    needs: [ledger.seen]\n"
    "    say: \"{args}\"\n"
    "  kept:\n"
    "    tools: [swap]\n"
    "    let: {all: \"ledger.seen.map(k, ledger.seen[k])\"}\n"
    "    that: \"all.all(o, o == args) && args.all(k, k in ledger.said)\"\n"
    "    otherwise: block\n"
    "    say: \"{all.size()} {args.map(k, k)}\"\n"
    "conversation:\n"
    "  single_call_per_turn: {otherwise: report}\n"
    "  patterns: {short: {message: any, when: 'message.size() < 20'}}\n"
    "  rules:\n"
    "    once: {never: {from: {result: pay, key: args},\n"
    "      to: {call: pay, key: args}}}\n"
    "    after: {after: {result: look, key: 'args.map(k, k)'},\n"
    "      must: {result: pay, key: 'args.map(k, k)'}}\n";

static inline const lg_pack *drive_pack(void)
{
    static lg_pack *pack;
    lg_str text = {drive_pack_text, sizeof(drive_pack_text) - 1};
    drive_require(pack || lg_pack_load_text(text, "any", NULL, &pack, NULL, 0, NULL) == LG_OK);
    return pack;
}

#endif
