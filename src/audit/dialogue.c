// dialogue.c: asking, agreeing, handing over.
#include "audit/dialogue.h"

#include "audit/words.h"

bool audit_is_call(const audit_case *c, size_t index)
{
    const lg_trace_event *event = c->steps[index].event;
    return event->kind == LG_EVENT_CALL && event->role == LG_ROLE_AGENT;
}

const lg_trace_event *audit_answer(const audit_case *c, size_t call)
{
    uint32_t other = c->steps[call].event->other;
    return other == LG_NO_EVENT ? NULL : &c->trace->events[other];
}

bool audit_begins_with(lg_str name, const char *const *words)
{
    for (; *words; words++) {
        if (lg_str_starts(name, lg_str_c(*words))) {
            return true;
        }
    }
    return false;
}

bool audit_is_read(const audit_case *c, size_t index)
{
    static const char *const reads[] = {"get_",  "find_",   "list_", "search_",
                                        "read_", "lookup_", NULL};
    const audit_step *step = &c->steps[index];
    return audit_is_call(c, index) && (step->tool ? step->tool->kind == LG_TOOL_READ
                                                  : audit_begins_with(step->event->tool, reads));
}

bool audit_hands_over(lg_str tool)
{
    return lg_str_starts(tool, LG_STR("transfer_to_human"));
}

bool audit_is_transfer(const audit_case *c, size_t index)
{
    return audit_is_call(c, index) && audit_hands_over(c->steps[index].event->tool);
}

lg_str audit_subject(const audit_case *c, size_t call)
{
    const lg_json *args = c->steps[call].event->args;
    for (size_t i = 0; lg_json_is(args, LG_JSON_OBJECT) && i < lg_json_len(args); i++) {
        const lg_json_member *member = lg_json_member_at(args, i);
        lg_str key = lg_json_key(member), value = lg_json_str(&member->value);
        bool is_id = lg_str_ends(key, LG_STR("_id")) || lg_str_eq(key, LG_STR("id"));
        bool of_user = lg_str_starts(key, LG_STR("user")) ||
                       lg_str_starts(key, LG_STR("customer")) ||
                       lg_str_starts(key, LG_STR("patient")) || lg_str_starts(key, LG_STR("pay"));
        if (is_id && !of_user && value.len > 0) {
            return value;
        }
    }
    return LG_STR("");
}

// --- Words ------------------------------------------------------------------------------------------------

bool audit_says_any(audit_case *c, size_t index, lg_role role, const char *const *phrases)
{
    return audit_says(c, index, role) && audit_has_any(audit_plain_at(c, index), phrases);
}

bool audit_asks(audit_case *c, size_t index)
{
    static const char *const words[] = {"confirm",
                                        "(yes)",
                                        "yes/no",
                                        "(yes/no)",
                                        "proceed",
                                        "go ahead",
                                        "would you like me to",
                                        "shall i",
                                        "should i",
                                        "do you want me to",
                                        "is that correct",
                                        "is this correct",
                                        "do you agree",
                                        "okay with",
                                        "would you like to",
                                        "do you want to",
                                        NULL};
    return audit_says_any(c, index, LG_ROLE_AGENT, words);
}

bool audit_agrees(audit_case *c, size_t index)
{
    static const char *const yes[] = {"yes",
                                      "yeah",
                                      "yep",
                                      "yup",
                                      "sure",
                                      "correct",
                                      "confirmed",
                                      "i confirm",
                                      "go ahead",
                                      "please go ahead",
                                      "please proceed",
                                      "proceed",
                                      "that's correct",
                                      "that is correct",
                                      "absolutely",
                                      "i agree",
                                      NULL};
    static const char *const but[] = {
        "but",      "however",   "wait",   "not",    "no",     "don't", "instead",
        "actually", "can't",     "cannot", "before", "unless", "first", "also",
        "can you",  "could you", "what",   "how",    "if",     "only",  "except",
        "isn't",    "doesn't",   "didn't", "won't",  NULL};
    if (!audit_says(c, index, LG_ROLE_USER)) {
        return false;
    }
    lg_str plain = audit_plain_at(c, index);
    bool says_yes = false;
    for (size_t i = 0; yes[i] && !says_yes; i++) {
        says_yes = audit_begins(plain, yes[i]);
    }
    says_yes =
        says_yes && !audit_begins(plain, "correct the") && !audit_begins(plain, "correct my");
    return says_yes && !audit_has_any(plain, but) && lg_str_find(plain, LG_STR("?")) == SIZE_MAX;
}

bool audit_may_agree(audit_case *c, size_t index, bool asked)
{
    static const char *const words[] = {
        "yes",       "yeah",      "yep",        "yup",        "sure",    "ok",     "okay",
        "confirm*",  "correct",   "proceed*",   "go ahead",   "go with", "agree*", "sounds good",
        "perfect",   "great",     "absolutely", "definitely", "works",   "do it",  "do that",
        "certainly", "of course", "approve*",   "exactly",    "fine",    NULL};
    // To a question of the agent's an order is an answer, too.
    static const char *const answers[] = {
        "please",     "good",    "right",       "let's",    "thanks",   "thank you",  "i'd like",
        "i want",     "y",       "yea",         "ye",       "that one", "happy with", "fantastic",
        "wonderful",  "now",     "immediately", "asap",     "at once",  "execute*",   "process*",
        "submit*",    "finali*", "complete*",   "cancel*",  "return*",  "exchange*",  "book*",
        "update*",    "change*", "modify*",     "use",      "both",     "all",        "the first",
        "the second", "option*", "just",        "get",      "make",     "initiate*",  "start*",
        "handle*",    "refund*", "swap*",       "replace*", "resolve*", "apply*",     NULL};
    if (!audit_says(c, index, LG_ROLE_USER)) {
        return false;
    }
    lg_str plain = audit_plain_at(c, index);
    return audit_has_any(plain, words) || (asked && audit_has_any(plain, answers));
}

// --- Who speaks when ----------------------------------------------------------------------------------------

const char *const audit_excuses[] = {
    "unable",   "cannot",     "can't",     "not possible", "unfortunately", "sorry",
    "apolog*",  "error",      "issue",     "fail*",        "not allowed",   "insufficient",
    "problem",  "couldn't",   "could not", "not eligible", "not available", "isn't",
    "is not",   "doesn't",    "does not",  "not found",    "only be",       "don't",
    "do not",   "won't",      "transfer*", "however",      "unsuccessful",  "wasn't",
    "not able", "not enough", "exceed*",   "require*",     "must",          "invalid",
    NULL};

const audit_aftermath *audit_after(audit_case *c)
{
    if (c->after) {
        return c->after;
    }
    audit_aftermath *all = LG_NEW_ARRAY(c->arena, audit_aftermath, c->count + 1);
    if (!all) {
        c->oom = true;
        return NULL;
    }
    for (size_t i = c->count; i-- > 0;) {
        all[i] = all[i + 1];
        bool says = audit_says(c, i, LG_ROLE_AGENT);
        all[i].reply = all[i].reply || says;
        if (!all[i].excuse && says) {
            all[i].excuse = audit_has_any(audit_plain_at(c, i), audit_excuses);
        }
        all[i].transfer = all[i].transfer || audit_is_transfer(c, i);
        all[i].write = all[i].write || audit_is_write(c, i);
        all[i].call = all[i].call || audit_is_call(c, i);
    }
    c->after = all;
    return all;
}

bool audit_is_dialogue(const audit_case *c)
{
    bool agent_spoke = false;
    for (size_t i = 0; i < c->count; i++) {
        agent_spoke = agent_spoke || audit_says(c, i, LG_ROLE_AGENT);
        if (agent_spoke && audit_says(c, i, LG_ROLE_USER)) {
            return true;
        }
    }
    return false;
}
