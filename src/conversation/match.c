// match.c: an event and the patterns: which it matches, and what it is about.
//
// What a condition speaks of and the event does not have is no match: `args.reason == 'x'` is not
// true of a call without a reason. Were it undecided instead, an agent could switch a count off by
// leaving an argument out. It is counted, though. Any other error is a defect, and is said.
#include "conversation/conversation_internal.h"

#include "base/hash.h"

const lg_cel_failure course_no_times = {
    .kind = LG_CEL_FAIL_MISSING, .read = UINT32_MAX, .what = "an event has no recorded time"};

// --- The event ----------------------------------------------------------------------------------

static const char *kind_name(uint32_t on)
{
    return on == LG_ON_CALL     ? "call"
           : on == LG_ON_RESULT ? "result"
           : on == LG_ON_ERROR  ? "error"
           : on == LG_ON_USER   ? "user"
                                : "agent";
}

bool passage_init(passage *p)
{
    const lg_conversation_event *event = p->event;
    size_t count = LG_COURSE_SLOT_COUNT + p->course->signal_count;
    p->values = LG_NEW_ARRAY(p->scratch, lg_cel_value, count);
    if (!p->values) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        p->values[i] = lg_cel_make_null();
    }
    bool said = (p->on & (LG_ON_USER | LG_ON_AGENT)) != 0;
    if (event->ledger) {
        p->values[LG_COURSE_SLOT_LEDGER] = lg_cel_from_json(event->ledger);
    }
    if (said) {
        p->values[LG_COURSE_SLOT_MESSAGE] = lg_cel_make_str(event->text);
    } else {
        p->values[LG_COURSE_SLOT_TOOL] = lg_cel_make_str(event->tool);
        if (event->args) {
            p->values[LG_COURSE_SLOT_ARGS] = lg_cel_from_json(event->args);
        }
    }
    p->values[LG_COURSE_SLOT_KIND] = lg_cel_make_str(lg_str_c(kind_name(p->on)));
    p->has_result = (p->on & (LG_ON_RESULT | LG_ON_ERROR)) == 0;
    return true;
}

// A result is parsed when the first expression may look at it. What is no JSON stays text.
static void find_result(passage *p)
{
    const lg_pack *pack = p->c->pack;
    lg_str text = p->event->text;
    const lg_json *json = NULL;
    bool is_text =
        p->on == LG_ON_ERROR || (p->tool != LG_NO_EVENT && pack->tools[p->tool].returns_text);
    p->has_result = true;
    p->values[LG_COURSE_SLOT_RESULT] = lg_cel_make_str(text);
    if (!is_text && passage_pay(p, lg_json_read_steps(text)) &&
        lg_json_parse_in(p->scratch, text, 0, text.len, &p->c->limits, &json, NULL) == LG_OK) {
        p->values[LG_COURSE_SLOT_RESULT] = lg_cel_from_json(json);
    }
}

lg_cel_value passage_eval(passage *p, const lg_cel_program *program)
{
    if (!p->has_result) {
        find_result(p);
    }
    lg_cel_activation activation = {.values = p->values,
                                    .scratch = p->scratch,
                                    .cost_limit = p->c->limits.cel_cost,
                                    .budget = p->bounds.verdict};
    return lg_cel_eval(program, &activation);
}

lg_conversation_ref passage_ref(const passage *p)
{
    return (lg_conversation_ref){
        .event = p->c->events, .turn = p->event->turn, .on = p->on, .tool = p->tool};
}

answer passage_within(const passage *p, const lg_window *window, int64_t at)
{
    if (window->unit == LG_WINDOW_NONE) {
        return ANSWER_YES;
    }
    if (window->unit == LG_WINDOW_SECONDS && !p->timed) {
        return ANSWER_UNKNOWN;
    }
    return p->at[window->unit] - at <= window->size ? ANSWER_YES : ANSWER_NO;
}

// --- Keys ---------------------------------------------------------------------------------------

// Text as it is, anything else as JSON. False if it is no key.
static bool key_of_value(passage *p, lg_cel_value value, course_key_text *ret)
{
    lg_str text = value.kind == LG_CEL_STRING ? lg_cel_str(value) : (lg_str){0};
    if (value.kind == LG_CEL_NULL) {
        return false;
    }
    if (!text.ptr) {
        const lg_json *json = lg_cel_to_json_within(p->scratch, value, p->bounds.verdict);
        lg_buf buf;
        lg_buf_init(&buf, 0);
        if (json && lg_json_weigh(p->bounds.verdict, json)) {
            lg_json_print(&buf, json);
        }
        text = lg_arena_str(p->scratch, lg_buf_str(&buf));
        p->oom = p->oom || lg_buf_status(&buf) != LG_OK; // half a key is another key
        lg_buf_done(&buf);
        if (!json || !text.ptr) {
            return false;
        }
    }
    *ret = (course_key_text){.is = true};
    if (!passage_pay(p, text.len / 4)) { // its hash
        return false;
    }
    if (text.len > sizeof(ret->bytes)) {
        char hex[65];
        lg_sha256_hex(text, hex);
        memcpy(ret->bytes, hex, sizeof(ret->bytes));
        ret->len = sizeof(ret->bytes);
    } else {
        memcpy(ret->bytes, text.ptr, text.len);
        ret->len = (uint32_t)text.len;
    }
    return true;
}

// --- Patterns -----------------------------------------------------------------------------------

// Calls of a tool are the agent's, or the user's own if the pack says that the tool is.
static bool is_of_tools(const passage *p, const lg_pattern_part *part)
{
    if (p->on & (LG_ON_USER | LG_ON_AGENT)) {
        return true;
    }
    bool by_user = p->event->role == LG_ROLE_USER;
    if (!part->tools) {
        return !by_user || part->on == LG_ON_ANYTHING;
    }
    return p->tool != LG_NO_EVENT && part->tools[p->tool] &&
           p->c->pack->tools[p->tool].by_user == by_user;
}

// An error of an expression: undecided for want of times, absent, or a defect.
static answer answer_of_error(passage *p, const lg_cel_program *program, lg_cel_value value,
                              match *m)
{
    static const lg_cel_failure no_bool = {
        .kind = LG_CEL_FAIL_TYPE, .read = UINT32_MAX, .what = "the result is not what it must be"};
    const lg_cel_failure *failure = value.kind == LG_CEL_ERROR ? value.as.failure : &no_bool;
    if (failure->what != course_no_times.what && failure->kind == LG_CEL_FAIL_MISSING) {
        p->absent++;
        return ANSWER_NO;
    }
    p->over_limit = p->over_limit || failure->kind == LG_CEL_FAIL_LIMIT;
    m->failure = failure;
    m->program = program;
    return failure->what == course_no_times.what ? ANSWER_UNKNOWN : ANSWER_NO;
}

// Its condition; without one, YES.
static answer match_when(passage *p, const lg_pattern_part *part, match *m)
{
    if (!part->when) {
        return ANSWER_YES;
    }
    lg_cel_value when = passage_eval(p, part->when);
    if (when.kind != LG_CEL_BOOL) {
        return answer_of_error(p, part->when, when, m);
    }
    return when.as.boolean ? ANSWER_YES : ANSWER_NO;
}

// Where the condition is undecided, an absent key still decides.
static answer match_part(passage *p, const lg_pattern_part *part, match *m)
{
    p->c->work++;
    if (!passage_pay(p, 1)) {
        return ANSWER_NO; // which nobody will look at
    }
    if (!(part->on & p->on) || !is_of_tools(p, part)) {
        return ANSWER_NO;
    }
    answer when = match_when(p, part, m);
    if (when == ANSWER_NO || !part->key) {
        return when;
    }
    if (when == ANSWER_UNKNOWN) {
        m->failure = NULL; // that of the key counts, if there is one
    }
    lg_cel_value key = passage_eval(p, part->key);
    if (key.kind == LG_CEL_ERROR) {
        return answer_of_error(p, part->key, key, m);
    }
    if (!key_of_value(p, key, &m->key)) {
        p->absent++;
        return ANSWER_NO;
    }
    return when;
}

match passage_match(passage *p, const lg_pattern *pattern)
{
    match m = {.is = ANSWER_NO};
    for (size_t i = 0; i < pattern->count; i++) {
        answer is = match_part(p, &pattern->parts[i], &m);
        if (is == ANSWER_YES) {
            m.is = is;
            m.failure = NULL;
            return m;
        }
        m.is = is == ANSWER_UNKNOWN ? is : m.is;
        m.key = (course_key_text){0}; // of a part that does not match
    }
    return m;
}
