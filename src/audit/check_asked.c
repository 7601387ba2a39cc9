// check_asked.c: changes that nobody spoke of: neither the user, nor the agent before the user agreed.
#include "audit/dialogue.h"
#include "audit/words.h"

#define WRITES_MAX 64u // of a conversation that are looked at

// Extras that cost money, and the words without which nobody has asked for them.
typedef struct extra {
    const char *key, *pointer;
    const char *words[6];
} extra;

static const extra extras[] = {
    {"insurance", "/insurance", {"insur*", "coverage", "protect*", NULL}},
    {"total_baggages", "/total_baggages", {"bag*", "luggage", "suitcase*", "baggage*", NULL}},
    {"nonfree_baggages", "/nonfree_baggages", {"bag*", "luggage", "suitcase*", "baggage*", NULL}},
};

// Does the value of the argument ask for the extra?
static bool is_taken(const lg_json *value)
{
    double number;
    return lg_str_eq_any_case(lg_json_str(value), LG_STR("yes")) || lg_json_is_true(value) ||
           (lg_json_is_number(value) && lg_json_double(value, &number) && number > 0);
}

// Did anybody say one of the words before?
static bool was_said(audit_case *c, size_t before, const char *const *words)
{
    for (size_t i = 0; i < before; i++) {
        if ((audit_says(c, i, LG_ROLE_USER) || audit_says(c, i, LG_ROLE_AGENT)) &&
            audit_has_any(audit_plain_at(c, i), words)) {
            return true;
        }
    }
    return false;
}

// Does the record that is changed have it already, with that value?
static bool was_so(const audit_case *c, size_t index, const char *key, const lg_json *value)
{
    lg_str subject = audit_subject(c, index);
    char room[128];
    lg_buf wanted;
    lg_buf_init_in(&wanted, room, sizeof(room), 0);
    lg_buf_addf(&wanted, "\"%s\": ", key);
    lg_json_print(&wanted, value);
    bool ret = false;
    for (size_t i = 0; i < index && subject.len > 0 && !ret; i++) {
        const lg_trace_event *event = c->steps[i].event;
        ret = event->kind == LG_EVENT_RESULT && lg_str_find(event->text, subject) != SIZE_MAX &&
              lg_str_find(event->text, lg_buf_str(&wanted)) != SIZE_MAX;
    }
    lg_buf_done(&wanted);
    return ret;
}

static void check_extras(audit_case *c, size_t index)
{
    const lg_json *args = c->steps[index].event->args;
    for (size_t i = 0; i < LG_COUNT(extras); i++) {
        const lg_json *value = lg_json_get(args, lg_str_c(extras[i].key));
        if (!value || !is_taken(value) || was_said(c, index, extras[i].words) ||
            was_so(c, index, extras[i].key, value)) {
            continue;
        }
        lg_audit_finding *found =
            audit_found(c, KIND_UNASKED_WRITE, index, "%.*s with %s, of which nobody had spoken",
                        LG_FMT(c->steps[index].event->tool), extras[i].key);
        found->key = lg_str_c(extras[i].pointer);
        return;
    }
}

static void check_subject(audit_case *c, size_t index)
{
    lg_str subject = audit_subject(c, index);
    char phrase[64];
    if (subject.len < 4 || subject.len >= sizeof(phrase)) {
        return;
    }
    lg_str plain = audit_plain(c, subject);
    memcpy(phrase, plain.ptr, plain.len);
    phrase[plain.len] = '\0';
    const char *bare = phrase[0] == '#' ? phrase + 1 : phrase;
    const char *const words[] = {bare, NULL};
    if (!was_said(c, index, words)) { // though it may have been described
        audit_found(c, KIND_UNASKED_WRITE, index, "%.*s of %.*s, which nobody had named",
                    LG_FMT(c->steps[index].event->tool), LG_FMT(subject))
            ->severity = LG_SEVERITY_HINT;
    }
}

void audit_check_asked(audit_case *c)
{
    if (!audit_is_dialogue(c)) {
        return;
    }
    for (size_t i = 0, writes = 0; i < c->count && writes < WRITES_MAX; i++) {
        if (audit_is_carried_out(c, i)) {
            writes++;
            audit_checked(c, LG_EVAL_PLAN, 1);
            check_extras(c, i);
            check_subject(c, i);
        }
    }
}
