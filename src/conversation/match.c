// match.c: an event and the patterns: which it matches, and what it is about.
//
// What a condition speaks of and the event does not have is no match: `args.reason == 'x'` is not
// true of a call without a reason. Were it undecided instead, an agent could switch a count off by
// leaving an argument out. It is counted, though. Any other error is a defect, and is said; the event
// may match then. What depends on an undecided signal is certain if it is the same for all values that
// the signal may have.
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
            p->values[LG_COURSE_SLOT_ARGS].marked =
                true; // what they lack is told from what else is
        }
    }
    p->values[LG_COURSE_SLOT_KIND] = lg_cel_make_str(lg_str_c(kind_name(p->on)));
    p->has_result = (p->on & (LG_ON_RESULT | LG_ON_ERROR)) == 0;
    return true;
}

// A result is parsed when the first expression may look at it. What is no JSON stays text.
static void find_result(passage *p)
{
    LG_DEBUG_ASSERT((p->on & (LG_ON_RESULT | LG_ON_ERROR)) != 0);
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

static lg_cel_value evaluate(passage *p, const lg_cel_program *program)
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
        .event = p->c->state.events, .turn = p->event->turn, .on = p->on, .tool = p->tool};
}

// --- Conditions ---------------------------------------------------------------------------------

static truth truth_of_error(passage *p, lg_cel_value value)
{
    static const lg_cel_failure no_bool = {
        .kind = LG_CEL_FAIL_TYPE, .read = UINT32_MAX, .what = "the result is not what it must be"};
    const lg_cel_failure *failure = value.kind == LG_CEL_ERROR ? value.as.failure : &no_bool;
    if (failure->kind == LG_CEL_FAIL_MISSING) {
        return (truth){.is = ANSWER_NO, .absent = true, .of_args = failure->marked};
    }
    p->over_limit = p->over_limit || failure->kind == LG_CEL_FAIL_LIMIT;
    return (truth){.is = ANSWER_UNKNOWN, .defect = failure};
}

// The signal that is undecided and made the value; the count of signals if none has.
static size_t undecided_signal(const passage *p, lg_cel_value value)
{
    size_t i = 0;
    while (i < p->course->signal_count &&
           (value.kind != LG_CEL_ERROR || value.as.failure != &p->signals[i].next.why ||
            value.as.failure->what != course_no_times.what)) {
        i++;
    }
    return i;
}

typedef struct trials {
    const lg_cel_program *program;
    uint32_t left;
    bool differ; // or were too many
    bool any;
    truth all; // what they have in common
} trials;

static void take_trial(trials *t, truth one)
{
    t->differ = t->differ || (t->any && (t->all.is != one.is || t->all.absent != one.absent ||
                                         t->all.of_args != one.of_args));
    t->any = true;
    t->all = one;
}

static void try_values(passage *p, trials *t);

static void try_with(passage *p, trials *t, size_t signal, int64_t value)
{
    lg_cel_value *slot = &p->values[LG_COURSE_SLOT_COUNT + signal];
    lg_cel_value undecided = *slot;
    bool counts = p->course->signals[signal].kind == LG_SIGNAL_COUNT;
    *slot = counts ? lg_cel_make_int(value) : lg_cel_make_bool(value != 0);
    try_values(p, t);
    *slot = undecided;
}

// Evaluates with every value that the undecided signals may have, as far as the condition looks at them, until two
// answers differ. The least and the greatest value come first: with them answers differ most often. As deep as
// there are signals.
static void try_values(passage *p, trials *t)
{
    if (t->left == 0 || t->differ) {
        t->differ = true;
        return;
    }
    t->left--;
    lg_cel_value value = evaluate(p, t->program);
    size_t signal = undecided_signal(p, value);
    if (signal == p->course->signal_count) {
        take_trial(t, value.kind == LG_CEL_BOOL
                          ? (truth){.is = value.as.boolean ? ANSWER_YES : ANSWER_NO}
                          : truth_of_error(p, value));
        return;
    }
    int64_t low = p->signals[signal].low;
    int64_t high = p->signals[signal].high;
    LG_DEBUG_ASSERT(low < high); // else it is decided
    try_with(p, t, signal, low);
    try_with(p, t, signal, high);
    for (int64_t i = low + 1; i < high && !t->differ; i++) {
        try_with(p, t, signal, i);
    }
}

truth passage_ask(passage *p, const lg_cel_program *program)
{
    lg_cel_value value = evaluate(p, program);
    if (value.kind == LG_CEL_BOOL) {
        return (truth){.is = value.as.boolean ? ANSWER_YES : ANSWER_NO};
    }
    if (undecided_signal(p, value) == p->course->signal_count) {
        return truth_of_error(p, value);
    }
    trials t = {.program = program, .left = LG_CONVERSATION_TRIALS_MAX};
    try_values(p, &t);
    return t.differ ? (truth){.is = ANSWER_UNKNOWN} : t.all;
}

// --- Keys ---------------------------------------------------------------------------------------

// A text as it is, anything else as canonical JSON, in which 1 and 1.0 are the same. What is long
// stands as its hash. False if it is no key.
static bool key_of_value(passage *p, lg_cel_value value, course_key_text *ret)
{
    bool is_text = value.kind == LG_CEL_STRING;
    lg_str text = is_text ? lg_cel_str(value) : (lg_str){0};
    if (value.kind == LG_CEL_NULL) {
        return false;
    }
    if (!is_text) {
        const lg_json *json = lg_cel_to_json_within(p->scratch, value, p->bounds.verdict);
        lg_buf buf;
        lg_buf_init(&buf, 0);
        if (json && lg_json_weigh(p->bounds.verdict, json)) {
            lg_json_print_canonical(&buf, json);
        }
        text = lg_arena_str(p->scratch, lg_buf_str(&buf));
        p->oom = p->oom || lg_buf_status(&buf) != LG_OK; // half a key is another key
        lg_buf_done(&buf);
        if (!json || !text.ptr) {
            return false;
        }
    }
    if (!passage_pay(p, text.len / 4)) { // its hash
        return false;
    }
    bool is_long = text.len > LG_CONVERSATION_KEY_BYTES;
    char hex[65];
    if (is_long) {
        lg_sha256_hex(text, hex);
        text = lg_str_of(hex, LG_CONVERSATION_KEY_BYTES);
    }
    LG_DEBUG_ASSERT(text.len <= LG_CONVERSATION_KEY_BYTES);
    *ret = (course_key_text){.len = 1 + (uint32_t)text.len};
    ret->bytes[0] = is_text ? (is_long ? 'T' : 't') : (is_long ? 'J' : 'j');
    memcpy(ret->bytes + 1, text.ptr, text.len);
    return true;
}

static answer match_key(passage *p, const lg_pattern_part *part, answer when, course_key_text *key,
                        match *m)
{
    lg_cel_value value = evaluate(p, part->key);
    if (undecided_signal(p, value) < p->course->signal_count) {
        return ANSWER_UNKNOWN; // the key is not known
    }
    if (value.kind == LG_CEL_ERROR && value.as.failure->kind != LG_CEL_FAIL_MISSING) {
        p->over_limit = p->over_limit || value.as.failure->kind == LG_CEL_FAIL_LIMIT;
        m->defect = value.as.failure;
        m->program = part->key;
        return ANSWER_UNKNOWN;
    }
    if (value.kind == LG_CEL_ERROR || !key_of_value(p, value, key)) {
        p->absent++;
        return ANSWER_NO;
    }
    return when;
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

// Where the condition is undecided, an absent key still decides.
static answer match_part(passage *p, const lg_pattern_part *part, course_key_text *key, match *m)
{
    p->work++;
    if (!passage_pay(p, 1)) {
        return ANSWER_NO; // no steps are left: the answer will not count
    }
    if (!(part->on & p->on) || !is_of_tools(p, part)) {
        return ANSWER_NO;
    }
    truth when = part->when ? passage_ask(p, part->when) : (truth){.is = ANSWER_YES};
    p->absent += when.absent;
    if (when.defect) {
        m->defect = when.defect;
        m->program = part->when;
    }
    return when.is == ANSWER_NO || !part->key ? when.is : match_key(p, part, when.is, key, m);
}

// The first part that matches gives the key: if an earlier one may match, with another key, then it
// is not known which.
match passage_match(passage *p, const lg_pattern *pattern)
{
    match m; // whose key is not cleared: that would cost more than the rest
    m.is = ANSWER_NO;
    m.key.len = 0;
    m.defect = NULL;
    m.program = NULL;
    for (size_t i = 0; i < pattern->count && m.is != ANSWER_YES; i++) {
        course_key_text key;
        key.len = 0;
        answer is = match_part(p, &pattern->parts[i], &key, &m);
        if (is == ANSWER_NO) {
            continue;
        }
        bool same = m.is == ANSWER_NO || lg_str_eq(key_str(&key), key_str(&m.key));
        m.is = same ? is : ANSWER_UNKNOWN;
        m.key.len = same ? key.len : 0;
        memcpy(m.key.bytes, key.bytes, m.key.len);
        if (is == ANSWER_YES) {
            m.defect = NULL;
            break;
        }
    }
    return m;
}
