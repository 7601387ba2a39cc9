// stated.c: which rules prompt and pack state.
#include "audit/stated.h"

#include "audit/words.h"
#include "base/hash.h"
#include "pack/conversation.h"

#define SENTENCE_BYTES_MAX 600u // a longer one is a list of tools, or no sentence
#define ROWS_MAX 3u
#define PHRASES_MAX 10u
#define LAWS_BYTES_MAX ((size_t)4 << 20) // kept from one conversation to the next
#define LAWS_MAX 64u
#define ALIKE_PERCENT 75u // of its words: a sentence that says the same in other words

// A sentence is about a topic if it has one phrase of each row.
static const char *const topics[TOPIC_COUNT][ROWS_MAX][PHRASES_MAX] = {
    [TOPIC_ONE_CALL] = {{"one tool call at a time", "one tool at a time", "one call at a time",
                         "one function at a time", "one function call at a time",
                         "single tool call", "only one tool call", "multiple tool calls"}},
    [TOPIC_TEXT_OR_CALL] = {{"tool call*", "call a tool", "a tool", "function call"},
                            {"respond*", "reply*", "message*", "speak*", "talk*"},
                            {"simultaneously", "at the same time", "not make a tool call",
                             "not both", "in the same message", "in the same turn"}},
    [TOPIC_CONFIRM] = {{"confirmation"},
                       {"explicit", "obtain", "ask for", "get their", "get the"},
                       {"before", "must", "have to", "need to", "always"}},
    [TOPIC_AUTHENTICATE] = {{"authenticat*", "identify the customer", "identify the user",
                             "identify the patient", "verify the identity", "verify their identity",
                             "user's identity", "customer's identity", "obtain the user id"},
                            {"must", "have to", "need to", "should", "always", "required"}},
    [TOPIC_CALCULATE] = {{"calculat*"},
                         {"tool", "tools", "calculator", "function"},
                         {"must", "have to", "need to", "should", "always", "use", "never"}},
    [TOPIC_VERIFY] = {{"verify", "check that", "read back", "re-read", "read again"},
                      {"after", "before informing", "updated", "has been changed"},
                      {"must", "have to", "should", "always", "make sure"}},
    [TOPIC_TRY_FIRST] = {{"before transferring", "before you transfer", "before a transfer",
                          "before handing", "before escalating"},
                         {"must", "have to", "should", "always", "make sure", "try"}},
};

bool audit_is_about(lg_str sentence, audit_topic topic)
{
    for (size_t row = 0; row < ROWS_MAX && topics[topic][row][0]; row++) {
        if (!audit_has_any(sentence, topics[topic][row])) {
            return false;
        }
    }
    return true;
}

// --- The law ------------------------------------------------------------------------------------------------

// Whether a quotation stands in the prompt: asked again with each finding of its rule.
typedef struct quotation {
    lg_str because;
    bool is_law;
    struct quotation *next;
} quotation;

struct audit_law {
    lg_str source; // the prompt as it was recorded, and its hash
    uint64_t hash;
    const lg_pack *pack;
    lg_str prompt; // plain
    audit_stated topics[TOPIC_COUNT];
    quotation *quotations;
    audit_law *next; // of those that are kept
};

// The instructions, as recorded; empty if they were not.
static lg_str recorded_prompt(const audit_case *c)
{
    if (c->trace->prompt.len > 0) {
        return c->trace->prompt;
    }
    for (size_t i = 0; i < c->count; i++) {
        if (audit_says(c, i, LG_ROLE_SYSTEM)) {
            return c->steps[i].event->text;
        }
    }
    return LG_STR("");
}

static void state(audit_stated *stated, lg_str rule, lg_str because)
{
    if (!stated->is_stated) {
        *stated = (audit_stated){.is_stated = true, .rule = rule, .because = because};
    }
}

// Without what marks an item of a list or a heading.
static lg_str without_bullet(lg_str sentence)
{
    while (sentence.len > 0 &&
           lg_str_find(LG_STR("-*#> "), lg_str_slice(sentence, 0, 1)) != SIZE_MAX) {
        sentence = lg_str_slice(sentence, 1, sentence.len);
    }
    return sentence;
}

static void read_prompt(audit_case *c, audit_law *law, lg_str prompt)
{
    law->prompt = audit_plain(c, prompt);
    size_t at = 0;
    lg_str sentence;
    while (audit_next_sentence(prompt, &at, &sentence)) {
        if (sentence.len > SENTENCE_BYTES_MAX) {
            continue;
        }
        lg_str plain = audit_plain(c, sentence);
        for (audit_topic t = 0; t < TOPIC_COUNT; t++) {
            if (!law->topics[t].is_stated && audit_is_about(plain, t)) {
                state(&law->topics[t], LG_STR(""), without_bullet(sentence));
            }
        }
    }
}

static bool is_of_topic(const lg_course_rule *rule, lg_str plain, audit_topic topic)
{
    if (rule->kind == LG_COURSE_SINGLE_CALL || rule->kind == LG_COURSE_NO_TEXT) {
        return topic == (rule->kind == LG_COURSE_SINGLE_CALL ? TOPIC_ONE_CALL : TOPIC_TEXT_OR_CALL);
    }
    return topic > TOPIC_TEXT_OR_CALL && audit_is_about(plain, topic);
}

// What the pack says counts where the prompt says so too, or was not recorded.
static void read_pack(audit_case *c, audit_law *law)
{
    const lg_course *course = c->pack ? c->pack->course : NULL;
    for (size_t i = 0; course && i < course->rule_count; i++) {
        const lg_course_rule *rule = &course->rules[i];
        lg_str plain = audit_plain(c, rule->because);
        for (audit_topic t = 0; t < TOPIC_COUNT; t++) {
            if (!is_of_topic(rule, plain, t)) {
                continue;
            }
            if (law->topics[t].is_stated && law->topics[t].rule.len == 0) {
                law->topics[t].rule = rule->id;
                law->topics[t].because = rule->because;
            } else if (law->prompt.len == 0 || audit_is_law(c, rule->because, true)) {
                state(&law->topics[t], rule->id, rule->because);
            }
        }
    }
}

// Where laws live: those that are kept, longer than the conversation.
static lg_arena *law_arena(audit_case *c)
{
    return c->laws ? &c->laws->arena : c->arena;
}

static audit_law *kept_law(const audit_case *c, lg_str source, uint64_t hash)
{
    audit_law *law = c->laws ? c->laws->first : NULL;
    while (law && (law->hash != hash || law->pack != c->pack || !lg_str_eq(law->source, source))) {
        law = law->next;
    }
    return law;
}

// Reads prompt and pack. What is read must not lie with the conversation: a case like it says where instead.
static audit_law *read_law(audit_case *c, lg_str source, uint64_t hash)
{
    audit_case in = *c;
    in.arena = law_arena(c);
    in.law = LG_NEW(in.arena, audit_law);
    source = lg_arena_str(in.arena, source);
    if (!in.law || !source.ptr) {
        c->oom = true;
        return NULL;
    }
    *in.law = (audit_law){.source = source, .hash = hash, .pack = c->pack};
    read_prompt(&in, in.law, source);
    read_pack(&in, in.law);
    c->oom = c->oom || in.oom;
    if (c->laws && !in.oom) {
        in.law->next = c->laws->first;
        c->laws->first = in.law;
        c->laws->count++;
    }
    return in.law;
}

static audit_law *law_of(audit_case *c)
{
    static _Thread_local audit_law nothing; // after a failure
    if (!c->law) {
        lg_str source = recorded_prompt(c);
        uint64_t hash = lg_hash(source);
        c->law = kept_law(c, source, hash);
        c->law = c->law ? c->law : read_law(c, source, hash);
    }
    return c->law ? c->law : &nothing;
}

void audit_laws_trim(audit_laws *laws)
{
    if (laws->count >= LAWS_MAX || laws->arena.held_bytes > LAWS_BYTES_MAX) {
        audit_laws_done(laws);
    }
}

void audit_laws_done(audit_laws *laws)
{
    lg_arena_done(&laws->arena);
    laws->first = NULL;
    laws->count = 0;
}

const audit_stated *audit_states(audit_case *c, audit_topic topic)
{
    return &law_of(c)->topics[topic];
}

lg_audit_finding *audit_by_law(audit_case *c, lg_audit_finding *found, audit_topic topic)
{
    const audit_stated *stated = audit_states(c, topic);
    found->severity = stated->is_stated ? found->severity : LG_SEVERITY_HINT;
    found->rule = stated->rule;
    found->because = stated->because;
    return found;
}

// --- Quotations ---------------------------------------------------------------------------------------------

// What is quoted: "retail policy: You can only ..." without what stands before it; empty if it is no policy's.
static lg_str quoted_of(lg_str plain)
{
    size_t colon = lg_str_find(plain, LG_STR(": "));
    if (colon == SIZE_MAX || colon > 40) {
        return LG_STR("");
    }
    lg_str source = lg_str_slice(plain, 0, colon);
    bool of_policy = lg_str_ends(source, LG_STR("policy")) || lg_str_ends(source, LG_STR("manual"));
    return of_policy ? lg_str_slice(plain, colon + 2, plain.len) : LG_STR("");
}

// The next word of more than three bytes.
static bool next_word(lg_str text, size_t *at, lg_str *ret)
{
    while (*at < text.len) {
        size_t from = *at;
        while (*at < text.len && (lg_is_letter(text.ptr[*at]) || lg_is_digit(text.ptr[*at]))) {
            (*at)++;
        }
        *ret = lg_str_slice(text, from, *at);
        *at += *at < text.len;
        if (ret->len > 3) {
            return true;
        }
    }
    return false;
}

// Does one sentence of the prompt have most of the words?
static bool is_said_alike(lg_str prompt, lg_str piece)
{
    size_t at = 0;
    lg_str sentence, word;
    while (audit_next_sentence(prompt, &at, &sentence)) {
        size_t words = 0, found = 0;
        for (size_t in = 0; next_word(piece, &in, &word); words++) {
            found += lg_str_find(sentence, word) != SIZE_MAX;
            if (words > 2 && found == 0) {
                break;
            }
        }
        if (words > 2 && found * 100 >= words * ALIKE_PERCENT) {
            return true;
        }
    }
    return false;
}

static lg_str without_signs(lg_str s)
{
    s = lg_str_trim(s);
    while (s.len > 0 && (s.ptr[s.len - 1] == '.' || s.ptr[s.len - 1] == ',')) {
        s.len--;
    }
    return s;
}

// "..." leaves out what stands between two pieces. Of a rule about the conversation each piece must be there: it asks
// for the very thing. A rule about records quotes what its policy lists, and one of the list shows that the policy has it.
static bool holds_quotation(lg_str prompt, lg_str quoted, bool all)
{
    bool any = false;
    while (quoted.len > 0) {
        size_t gap = lg_str_find(quoted, LG_STR("..."));
        lg_str piece = without_signs(lg_str_slice(quoted, 0, gap));
        quoted = gap == SIZE_MAX ? LG_STR("") : lg_str_slice(quoted, gap + 3, quoted.len);
        bool holds = piece.len == 0 || lg_str_find(prompt, piece) != SIZE_MAX ||
                     is_said_alike(prompt, piece);
        if (all && !holds) {
            return false;
        }
        any = any || (holds && piece.len > 0);
    }
    return any || all;
}

static bool states_the_same(const audit_law *law, lg_str plain)
{
    for (audit_topic t = 0; t < TOPIC_COUNT; t++) {
        if (law->topics[t].is_stated && audit_is_about(plain, t)) {
            return true;
        }
    }
    return false;
}

bool audit_is_law(audit_case *c, lg_str because, bool is_course)
{
    audit_law *law = law_of(c);
    if (law->prompt.len == 0 || because.len == 0) {
        return true;
    }
    for (quotation *q = law->quotations; q; q = q->next) {
        if (lg_str_eq(q->because, because)) {
            return q->is_law;
        }
    }
    lg_str plain = audit_plain(c, because), quoted = quoted_of(plain);
    bool is_law = quoted.len == 0 || holds_quotation(law->prompt, quoted, is_course) ||
                  states_the_same(law, plain);
    quotation *q = LG_NEW(law_arena(c), quotation);
    lg_str kept = lg_arena_str(law_arena(c), because);
    if (q && kept.ptr && law->source.ptr) {
        *q = (quotation){.because = kept, .is_law = is_law, .next = law->quotations};
        law->quotations = q;
    }
    return is_law;
}
