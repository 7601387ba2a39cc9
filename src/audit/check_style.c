// check_style.c: how the agent talks and calls: one thing at a time, calls that are made and not printed, arithmetic that a
// tool does.
#include "audit/amounts.h"
#include "audit/dialogue.h"
#include "audit/stated.h"
#include "audit/words.h"

#include "catalogue/catalogue.h"

// --- One message --------------------------------------------------------------------------------------------

static bool is_agents(const lg_trace_event *event)
{
    return event->role == LG_ROLE_AGENT &&
           (event->kind == LG_EVENT_CALL || event->kind == LG_EVENT_MESSAGE);
}

// Text behind what a model thinks in these tags; all of it without them.
static lg_str after_thoughts(lg_str text, lg_str open, lg_str close)
{
    if (!lg_str_starts(text, open)) {
        return text;
    }
    size_t end = lg_str_find(text, close);
    return end == SIZE_MAX ? LG_STR("")
                           : lg_str_trim(lg_str_slice(text, end + close.len, text.len));
}

// Text that is for the user: not what a model thinks in tags.
static bool is_for_user(const audit_case *c, size_t index)
{
    if (!audit_says(c, index, LG_ROLE_AGENT)) {
        return false;
    }
    lg_str text = lg_str_trim(c->steps[index].event->text);
    text = after_thoughts(text, LG_STR("<think>"), LG_STR("</think>"));
    text = after_thoughts(text, LG_STR("<thinking>"), LG_STR("</thinking>"));
    return text.len > 0;
}

// One message of the agent: events [from, to) that it said and called in one turn.
static void check_message(audit_case *c, size_t from, size_t to, bool is_dialogue)
{
    size_t calls = 0, texts = 0, first_call = from;
    for (size_t i = from; i < to; i++) {
        bool is_call = audit_is_call(c, i);
        first_call = is_call && calls == 0 ? i : first_call;
        calls += is_call;
        texts += is_for_user(c, i);
    }
    audit_checked(c, LG_EVAL_TRANSITION, calls > 0);
    if (calls > 0 && texts > 0) {
        lg_audit_finding *found = audit_found(c, KIND_TEXT_WITH_CALL, first_call,
                                              "text for the user and a call of %.*s in one message",
                                              LG_FMT(c->steps[first_call].event->tool));
        audit_by_law(c, found, TOPIC_TEXT_OR_CALL);
        if (!is_dialogue) { // nobody listens
            found->severity = LG_SEVERITY_HINT;
        }
    }
    if (calls > 1) {
        audit_by_law(
            c, audit_found(c, KIND_SEVERAL_CALLS, first_call, "%zu calls in one message", calls),
            TOPIC_ONE_CALL);
    }
}

// --- Calls that are printed ---------------------------------------------------------------------------------

#define TOOLS_MAX                                                                                  \
    128u // names of tools that are called or offered and that the pack need not declare
#define RESULTS_MAX 256u // of a calculator

typedef struct style {
    audit_case *c;
    lg_str tools[TOOLS_MAX];
    size_t tool_count;
    lg_str calculator; // its name, or empty
    lg_str results[RESULTS_MAX];
    size_t result_count; // so far
} style;

static bool is_called(const style *s, lg_str name)
{
    for (size_t i = 0; i < s->tool_count; i++) {
        if (lg_str_eq(s->tools[i], name)) {
            return true;
        }
    }
    return false;
}

// A tool of the agent's: one that the pack declares, that was offered, or that is called somewhere in the conversation.
static bool is_tool(const style *s, lg_str name)
{
    const lg_tool *tool = s->c->pack ? lg_pack_tool(s->c->pack, name) : NULL;
    return tool ? !tool->by_user : is_called(s, name);
}

static void note_tools(style *s)
{
    for (size_t i = 0; i < s->c->count; i++) {
        const audit_step *step = &s->c->steps[i];
        if (audit_is_call(s->c, i) && !step->tool && s->tool_count < TOOLS_MAX &&
            !is_called(s, step->event->tool)) {
            s->tools[s->tool_count++] = step->event->tool;
        }
    }
    for (size_t i = 0; s->c->offered && i < s->c->offered->tool_count; i++) {
        lg_str name = s->c->offered->tools[i].name;
        if (s->tool_count < TOOLS_MAX && !is_called(s, name)) {
            s->tools[s->tool_count++] = name;
        }
    }
}

static bool is_of_name(char byte)
{
    return lg_is_letter(byte) || lg_is_digit(byte) || byte == '_';
}

// The name that ends before `end`.
static lg_str name_before(lg_str text, size_t end)
{
    size_t from = end;
    while (from > 0 && is_of_name(text.ptr[from - 1])) {
        from--;
    }
    return lg_str_slice(text, from, end);
}

// `tool(argument=...)`, `tool({"argument": ...})`: a name alone, or with (), is only talked about.
static bool has_arguments(lg_str text, size_t open)
{
    lg_str rest = lg_str_slice(text, open + 1, open + 120);
    size_t close = lg_str_find(rest, LG_STR(")"));
    lg_str inside = lg_str_slice(rest, 0, close);
    return lg_str_find(inside, LG_STR("=")) != SIZE_MAX ||
           lg_str_starts(lg_str_trim(inside), LG_STR("{")) ||
           lg_str_find(inside, LG_STR("\":")) != SIZE_MAX;
}

static lg_str printed_as_code(const style *s, lg_str text)
{
    for (size_t at = 0; at < text.len; at++) {
        const char *hit = memchr(text.ptr + at, '(', text.len - at);
        if (!hit) {
            break;
        }
        at = (size_t)(hit - text.ptr);
        lg_str name = name_before(text, at);
        if (name.len > 3 && has_arguments(text, at) && is_tool(s, name)) {
            return name;
        }
    }
    return LG_STR("");
}

// `{"name": "tool", "arguments": ...}`
static lg_str printed_as_json(const style *s, lg_str text)
{
    const lg_str key = LG_STR("\"name\"");
    if (lg_str_find(text, LG_STR("\"arguments\"")) == SIZE_MAX &&
        lg_str_find(text, LG_STR("\"parameters\"")) == SIZE_MAX) {
        return LG_STR("");
    }
    for (size_t at = 0, hit; at < text.len; at += hit + key.len) {
        hit = lg_str_find(lg_str_slice(text, at, text.len), key);
        if (hit == SIZE_MAX) {
            break;
        }
        lg_str rest = lg_str_slice(text, at + hit + key.len, text.len);
        size_t quote = lg_str_find(lg_str_slice(rest, 0, 8), LG_STR("\""));
        rest = quote == SIZE_MAX ? LG_STR("") : lg_str_slice(rest, quote + 1, rest.len);
        lg_str name = lg_str_slice(rest, 0, lg_str_find(rest, LG_STR("\"")));
        if (name.len <= 64 && is_tool(s, name)) {
            return name;
        }
    }
    return LG_STR("");
}

static bool is_called_in_turn(const audit_case *c, size_t index, lg_str tool)
{
    uint32_t turn = c->steps[index].event->turn;
    for (size_t i = index + 1; i < c->count && c->steps[i].event->turn == turn; i++) {
        if (audit_is_call(c, i) && lg_str_eq(c->steps[i].event->tool, tool)) {
            return true;
        }
    }
    return false;
}

static void check_printed(const style *s, size_t index)
{
    audit_case *c = s->c;
    lg_str text = c->steps[index].event->text;
    lg_str name = printed_as_json(s, text);
    name = name.len ? name : printed_as_code(s, text);
    if (name.len && !is_called_in_turn(c, index, name)) {
        audit_found(c, KIND_PRINTED_CALL, index, "a call of %.*s is printed as text", LG_FMT(name));
    }
}

// --- Arithmetic ---------------------------------------------------------------------------------------------

static bool is_calculator(lg_str tool)
{
    return lg_str_starts(tool, LG_STR("calculat"));
}

static lg_str find_calculator(const style *s)
{
    size_t tools = s->c->pack ? lg_pack_tool_count(s->c->pack) : 0;
    for (size_t i = 0; i < tools; i++) {
        lg_tool_info tool = lg_pack_tool_at(s->c->pack, i);
        if (is_calculator(tool.name) && !tool.by_user) {
            return tool.name;
        }
    }
    for (size_t i = 0; i < s->tool_count; i++) {
        if (is_calculator(s->tools[i])) {
            return s->tools[i];
        }
    }
    return LG_STR("");
}

// The operator between two numbers: nothing else stands there but blanks and signs of money. 0: there is none.
static char operator_between(lg_str text, size_t from, size_t to)
{
    char ret = 0;
    for (size_t i = from; i < to; i++) {
        char byte = text.ptr[i];
        bool is_operator = byte == '+' || byte == '-' || byte == '=' || byte == 'x' || byte == '/';
        bool times =
            (unsigned char)byte == 0xC3 && i + 1 < to && (unsigned char)text.ptr[i + 1] == 0x97;
        if (is_operator || times) {
            if (ret) {
                return 0;
            }
            ret = times ? 'x' : byte;
            i += times;
        } else if (byte != ' ' && byte != '$' && byte != '*' && byte != '\\' && byte != '(' &&
                   byte != ')') {
            return 0;
        }
    }
    return ret;
}

// "a + b = c" in a text; `*ret` is c.
static bool find_equation(lg_str text, audit_amount *ret)
{
    audit_amount before, number;
    size_t operators = 0, at = 0;
    bool any = audit_next_amount(text, &at, &before);
    while (any && audit_next_amount(text, &at, &number)) {
        char sign = operator_between(text, before.to, number.from);
        if (sign == '=' && operators > 0) {
            *ret = number;
            return true;
        }
        operators = sign && sign != '=' ? operators + 1 : 0;
        before = number;
    }
    return false;
}

static bool was_returned(const style *s, double value)
{
    for (size_t i = 0; i < s->result_count; i++) {
        if (audit_holds_amount(s->results[i], value)) {
            return true;
        }
    }
    return false;
}

static void check_arithmetic(const style *s, size_t index)
{
    audit_amount sum;
    lg_str plain = audit_plain_at(s->c, index);
    if (find_equation(plain, &sum) && !was_returned(s, sum.value)) {
        audit_by_law(s->c,
                     audit_found(s->c, KIND_TOOL_BYPASSED, index,
                                 "%.*s is worked out in prose; %.*s is there for it",
                                 (int)(sum.to - sum.from), plain.ptr + sum.from,
                                 LG_FMT(s->calculator)),
                     TOPIC_CALCULATE);
    }
}

static void check_texts(style *s)
{
    for (size_t i = 0; i < s->c->count; i++) {
        const lg_trace_event *event = s->c->steps[i].event;
        if (event->kind == LG_EVENT_RESULT && is_calculator(event->tool) &&
            s->result_count < RESULTS_MAX) {
            s->results[s->result_count++] = event->text;
        }
        if (!is_for_user(s->c, i)) {
            continue;
        }
        audit_checked(s->c, LG_EVAL_OUTPUT, 1);
        check_printed(s, i);
        if (s->calculator.len) {
            check_arithmetic(s, i);
        }
    }
}

void audit_check_style(audit_case *c)
{
    bool is_dialogue = audit_is_dialogue(c);
    for (size_t from = 0, to; from < c->count; from = to) {
        to = from + 1;
        if (!is_agents(c->steps[from].event)) {
            continue;
        }
        while (to < c->count && c->steps[to].event->turn == c->steps[from].event->turn) {
            to++;
        }
        check_message(c, from, to, is_dialogue);
    }
    style *s = LG_NEW(c->arena, style);
    if (!s) {
        c->oom = true;
        return;
    }
    s->c = c;
    note_tools(s);
    s->calculator = find_calculator(s);
    check_texts(s);
}
