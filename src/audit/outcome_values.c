// outcome_values.c: signals of the values that changes were called with.
//
// The check of groundedness finds where a value comes from, also by computing it (room origin). Here it is asked for
// less, and it tells more of the outcome: whether a value stood anywhere as it was called with. A date that the agent
// has made of "next Friday" did not.
#include "audit/outcome.h"

#define VALUES_MAX 64u          // of one conversation; the others are taken to be seen
#define SEARCHED_MAX (1u << 24) // bytes, likewise
#define TELLING_MAX 64u         // bytes

typedef struct value_search {
    audit_case *c;
    size_t call;     // whose values are looked at
    size_t values;   // looked at
    size_t searched; // bytes
    size_t unseen;
} value_search;

static bool holds(lg_str text, lg_str value)
{
    char first = lg_lower(value.ptr[0]);
    for (size_t i = 0; i + value.len <= text.len; i++) {
        if (lg_lower(text.ptr[i]) == first &&
            lg_str_eq_any_case(lg_str_slice(text, i, i + value.len), value)) {
            return true;
        }
    }
    return false;
}

// What the user has said, or a tool has returned, before the call.
static bool was_seen(value_search *s, lg_str value)
{
    for (size_t i = 0; i < s->call; i++) {
        const lg_trace_event *event = s->c->steps[i].event;
        bool counts = event->kind == LG_EVENT_RESULT || audit_says(s->c, i, LG_ROLE_USER);
        if (!counts) {
            continue;
        }
        s->searched += event->text.len;
        if (s->searched > SEARCHED_MAX || holds(event->text, value)) {
            return true;
        }
    }
    return false;
}

// An id, a date, a number in a text: short words are chosen, and long texts are written.
static bool is_telling(lg_str value)
{
    bool digit = false;
    for (size_t i = 0; i < value.len; i++) {
        digit = digit || lg_is_digit(value.ptr[i]);
    }
    return digit && value.len > 3 && value.len <= TELLING_MAX;
}

static void look_at(value_search *s, const lg_json *json)
{
    if (lg_json_is(json, LG_JSON_OBJECT)) {
        for (size_t i = 0; i < lg_json_len(json); i++) {
            look_at(s, &lg_json_member_at(json, i)->value);
        }
    } else if (lg_json_is(json, LG_JSON_ARRAY)) {
        for (size_t i = 0; i < lg_json_len(json); i++) {
            look_at(s, lg_json_item(json, i));
        }
    } else if (lg_json_is(json, LG_JSON_STRING) && s->values < VALUES_MAX) {
        lg_str value = lg_json_str(json);
        s->values++;
        s->unseen += is_telling(value) && !was_seen(s, value);
    }
}

void audit_signals_of_values(audit_case *c)
{
    value_search s = {.c = c};
    for (s.call = 0; s.call < c->count && !c->oom; s.call++) {
        if (audit_changes(c, s.call)) {
            look_at(&s, c->steps[s.call].event->args);
        }
    }
    audit_signal_count(c, "unseen_value", s.unseen > 0);
}
