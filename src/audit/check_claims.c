// check_claims.c: what the agent says of records and of its own deeds, beside what tools returned and what was called.
//
// Only what is said plainly counts: a sentence that is no condition, no question and no offer, about one thing that
// has a name. What is said of the future is a promise, of the past a claim.
#include "audit/amounts.h"
#include "audit/dialogue.h"
#include "audit/words.h"

#include <stdio.h>

#define ENTITIES_MAX 64u // things of a conversation that are followed
#define NEAR_BYTES 44u   // a deed stands so near to who has done it

// Something that calls were about, by its id.
typedef struct entity {
    lg_str id;        // as in the call
    lg_str plain;     // as in plain texts
    lg_str status;    // plain, as last returned; or empty
    size_t status_at; // event
    lg_str record;    // the latest result about it
    bool changed;     // some change of it was carried out
    bool failed;      // the latest change of it failed
} entity;

// How many things a list of what can be had holds: of a result with "available" of each.
typedef struct stock {
    size_t all, available; // none: there was no such result
    size_t at;             // event
} stock;

typedef struct claims {
    audit_case *c;
    entity entities[ENTITIES_MAX];
    size_t entity_count;
    size_t carried_out; // changes so far
    size_t failed;      // changes since the user spoke last
    stock stock;        // the latest
    bool transferred;   // already
    bool promised;      // the latest promise, for one finding a promise
} claims;

// --- What is known ------------------------------------------------------------------------------------------

static entity *entity_of(claims *s, lg_str id)
{
    for (size_t i = 0; i < s->entity_count; i++) {
        if (lg_str_eq(s->entities[i].id, id)) {
            return &s->entities[i];
        }
    }
    if (s->entity_count == ENTITIES_MAX || id.len < 4) {
        return NULL;
    }
    entity *ret = &s->entities[s->entity_count++];
    *ret = (entity){.id = id, .plain = audit_plain(s->c, id)};
    return ret;
}

// The text of the only "status" in a result; empty if there is none, or more than one.
static lg_str only_status(lg_str text)
{
    const lg_str key = LG_STR("\"status\":");
    size_t at = lg_str_find(text, key);
    if (at == SIZE_MAX) {
        return LG_STR("");
    }
    lg_str rest = lg_str_slice(text, at + key.len, text.len);
    if (lg_str_find(rest, key) != SIZE_MAX) {
        return LG_STR("");
    }
    rest = lg_str_trim(lg_str_slice(rest, 0, 64));
    if (rest.len < 2 || rest.ptr[0] != '"') {
        return LG_STR("");
    }
    size_t end = lg_str_find(lg_str_slice(rest, 1, rest.len), LG_STR("\""));
    return end == SIZE_MAX ? LG_STR("") : lg_str_slice(rest, 1, end + 1);
}

static size_t count_of(lg_str text, lg_str wanted)
{
    size_t count = 0;
    for (size_t at = 0, hit; at < text.len; at += hit + wanted.len, count++) {
        hit = lg_str_find(lg_str_slice(text, at, text.len), wanted);
        if (hit == SIZE_MAX) {
            break;
        }
    }
    return count;
}

static void learn_stock(claims *s, size_t index)
{
    lg_str text = s->c->steps[index].event->text;
    size_t available = count_of(text, LG_STR("\"available\": true")) +
                       count_of(text, LG_STR("\"available\":true"));
    size_t gone = count_of(text, LG_STR("\"available\": false")) +
                  count_of(text, LG_STR("\"available\":false"));
    if (available + gone > 1) {
        s->stock = (stock){.all = available + gone, .available = available, .at = index};
    }
}

static void learn(claims *s, size_t index)
{
    audit_case *c = s->c;
    const lg_trace_event *event = c->steps[index].event;
    if (audit_is_transfer(c, index)) {
        s->transferred = true;
    }
    if (audit_says(c, index, LG_ROLE_USER)) {
        s->failed = 0;
    }
    bool is_answer = event->kind == LG_EVENT_RESULT || event->kind == LG_EVENT_ERROR;
    if (!is_answer || event->role != LG_ROLE_AGENT || event->other == LG_NO_EVENT) {
        return;
    }
    bool went_well = event->kind == LG_EVENT_RESULT, is_write = audit_is_write(c, event->other);
    lg_str id = audit_subject(c, event->other);
    s->carried_out += is_write && went_well;
    s->failed += is_write && !went_well;
    entity *about = id.len ? entity_of(s, id) : NULL;
    learn_stock(s, index);
    if (!about) {
        return;
    }
    about->record = went_well ? event->text : about->record;
    about->changed = about->changed || (is_write && went_well);
    about->failed = is_write ? !went_well : about->failed;
    lg_str status = went_well ? only_status(event->text) : LG_STR("");
    if (status.len) {
        about->status = audit_plain(c, status);
        about->status_at = index;
    }
}

// The one thing that a sentence names; NULL: none, or several.
static const entity *named_in(const claims *s, lg_str sentence)
{
    const entity *ret = NULL;
    for (size_t i = 0; i < s->entity_count; i++) {
        if (lg_str_find(sentence, s->entities[i].plain) != SIZE_MAX) {
            if (ret) {
                return NULL;
            }
            ret = &s->entities[i];
        }
    }
    return ret;
}

// --- What is said -------------------------------------------------------------------------------------------

// Words that make of a statement something else.
static const char *const unsure[] = {
    "if",     "once",    "when",    "after",    "before",  "until",      "unless", "would",
    "could",  "should",  "can",     "may",      "might",   "cannot",     "can't",  "not",
    "no",     "only",    "must",    "need",     "were",    "eligible",   "wasn't", "isn't",
    "hasn't", "haven't", "or",      "either",   "upon",    "assuming",   "shall",  "please",
    "try",    "tried",   "unable",  "couldn't", "already", "previously", "policy", "typically",
    "never",  "however", "will be", "to be",    NULL};

// Of a deed: words that put it off, or deny it.
static const char *const put_off[] = {
    "if",     "once",   "until",   "unless", "would",    "could",   "should",   "might",
    "cannot", "can't",  "not",     "unable", "couldn't", "upon",    "assuming", "will be",
    "to be",  "please", "after",   "before", "when",     "haven't", "hasn't",   "previously",
    "reply",  "say",    "tell me", "either", NULL};

static bool is_plain(lg_str sentence, const char *const *unless)
{
    return sentence.len > 0 && sentence.ptr[sentence.len - 1] != '?' &&
           !audit_has_any(sentence, unless);
}

static const char *const statuses[] = {"pending",   "processed", "delivered",
                                       "cancelled", "canceled",  NULL};

// "order #w1 is delivered", "#w1 (status: pending)": the status that is said; NULL: none, or several.
static const char *status_said(lg_str sentence)
{
    static const char *const before[] = {"is ",        "is currently ", "is already ", "is now ",
                                         "status is ", "status: ",      "status of ",  "was ",
                                         "has been ",  "is still ",     NULL};
    const char *ret = NULL;
    for (size_t i = 0; statuses[i]; i++) {
        if (!audit_has(sentence, statuses[i])) {
            continue;
        }
        if (ret) {
            return NULL;
        }
        char phrase[64];
        for (size_t k = 0; before[k]; k++) {
            snprintf(phrase, sizeof(phrase), "%s%s", before[k], statuses[i]);
            ret = audit_has(sentence, phrase) ? statuses[i] : ret;
        }
    }
    return ret;
}

static bool is_same_status(lg_str known, const char *said)
{
    lg_str word = lg_str_c(said);
    return lg_str_starts(known, word) ||
           (lg_str_starts(word, LG_STR("cancel")) && lg_str_starts(known, LG_STR("cancel")));
}

static void check_status(claims *s, size_t index, lg_str sentence)
{
    const entity *about = named_in(s, sentence);
    const char *said = about && about->status.len ? status_said(sentence) : NULL;
    bool known = false;
    for (size_t i = 0; said && statuses[i]; i++) {
        known = known || is_same_status(about->status, statuses[i]);
    }
    if (!known || !is_plain(sentence, unsure)) {
        return;
    }
    audit_checked(s->c, LG_EVAL_OUTPUT, 1);
    if (!is_same_status(about->status, said) && !about->changed) {
        audit_found(s->c, KIND_CONTRADICTED_CLAIM, index,
                    "%.*s is said to be %s; what was returned says \"%.*s\"", LG_FMT(about->id),
                    said, LG_FMT(about->status));
    }
}

// --- What is there --------------------------------------------------------------------------------------------

// "there are 9 available options": a number that is neither of all nor of those that can be had.
static bool counts_stock(lg_str sentence, const audit_amount *number)
{
    static const char *const of[] = {"options", "variants", "models", "versions", NULL};
    lg_str rest = lg_str_slice(sentence, number->to, number->to + NEAR_BYTES);
    return !number->is_money && rest.len > 1 && rest.ptr[0] == ' ' && audit_has_any(sentence, of) &&
           audit_has(rest, "available") &&
           audit_has(lg_str_slice(sentence, 0, number->from), "there are");
}

static void check_stock(claims *s, size_t index, lg_str sentence)
{
    audit_amount number;
    size_t at = 0;
    bool recent = s->stock.all > 0 && index - s->stock.at < 4;
    if (!recent || !audit_next_amount(sentence, &at, &number) || !counts_stock(sentence, &number)) {
        return;
    }
    audit_checked(s->c, LG_EVAL_OUTPUT, 1);
    if (!audit_same_amount(number.value, (double)s->stock.all) &&
        !audit_same_amount(number.value, (double)s->stock.available)) {
        audit_found(s->c, KIND_CONTRADICTED_CLAIM, index,
                    "%.*s are said to be available; of %zu that were returned %zu are",
                    (int)(number.to - number.from), sentence.ptr + number.from, s->stock.all,
                    s->stock.available);
    }
}

// "order #w1 has no tracking number", and its record has one.
static void check_absent(claims *s, size_t index, lg_str sentence)
{
    static const char *const denies[] = {"no tracking",
                                         "not have a tracking",
                                         "not have any tracking",
                                         "without a tracking",
                                         "no associated tracking",
                                         "doesn't have a tracking",
                                         NULL};
    const entity *about = audit_has_any(sentence, denies) ? named_in(s, sentence) : NULL;
    const lg_str key = LG_STR("\"tracking_id\": [\"");
    if (about && about->record.len && lg_str_find(about->record, key) != SIZE_MAX) {
        audit_found(s->c, KIND_CONTRADICTED_CLAIM, index,
                    "%.*s is said to have no tracking number; its record has one",
                    LG_FMT(about->id));
    }
}

// --- Deeds --------------------------------------------------------------------------------------------------

// "i've cancelled", "has been successfully updated": of something that only a change brings about. The part of the sentence
// with the deed and what it was done to; empty if there is none.
static lg_str said_done(lg_str sentence)
{
    static const char *const mine[] = {"i've",
                                       "i have",
                                       "has been successfully",
                                       "have been successfully",
                                       "was successfully",
                                       "were successfully",
                                       "i successfully",
                                       "has now been",
                                       "have now been",
                                       NULL};
    static const char *const deeds[] = {"cancelled",
                                        "canceled",
                                        "booked",
                                        "refunded",
                                        "exchanged",
                                        "modified",
                                        "upgraded",
                                        "rebooked",
                                        "rescheduled",
                                        "updated your",
                                        "updated the",
                                        "changed your",
                                        "changed the",
                                        "placed the",
                                        "placed your",
                                        "submitted the",
                                        "submitted your",
                                        "processed the return",
                                        "processed your return",
                                        "processed the refund",
                                        "processed your refund",
                                        "processed the exchange",
                                        "processed your exchange",
                                        "processed the cancellation",
                                        "been updated",
                                        "been changed",
                                        "successfully updated",
                                        "successfully changed",
                                        "successfully processed",
                                        "successfully added",
                                        "successfully placed",
                                        "issued",
                                        NULL};
    static const char *const others[] = {
        "i've found", "i have found", "i've located",  "i've checked", "i've reviewed",
        "i see",      "identity",     "authenticated", "verified",     "request has been",
        "you've",     "you have",     "you mentioned", "your account", "note",
        NULL};
    for (size_t i = 0; mine[i]; i++) {
        size_t at = audit_find(sentence, mine[i], 0);
        if (at != SIZE_MAX && audit_has_any(lg_str_slice(sentence, at, at + NEAR_BYTES), deeds)) {
            return audit_has_any(sentence, others)
                       ? LG_STR("")
                       : lg_str_slice(sentence, at, at + NEAR_BYTES + NEAR_BYTES / 2);
        }
    }
    return LG_STR("");
}

static void check_done(claims *s, size_t index, lg_str sentence)
{
    lg_str deed = said_done(sentence);
    if (!s->c->pack || deed.len == 0 || !is_plain(sentence, put_off)) {
        return;
    }
    const entity *about = named_in(s, deed);
    audit_checked(s->c, LG_EVAL_OUTPUT, 1);
    if (s->carried_out > 0 && (!about || about->changed)) {
        return;
    }
    bool failed = about ? about->failed : s->failed > 0;
    if (failed) {
        audit_found(s->c, KIND_CONTRADICTED_CLAIM, index,
                    "it is said to be done, and the call had failed: %.*s",
                    LG_FMT(lg_str_cut(sentence, 200)));
    } else {
        audit_found(s->c, KIND_PROMISE_NOT_KEPT, index,
                    "it is said to be done, and nothing was called for it: %.*s",
                    LG_FMT(lg_str_cut(sentence, 200)));
    }
}

// --- Promises -----------------------------------------------------------------------------------------------

// What is said to come next.
static bool is_future(lg_str sentence)
{
    static const char *const next[] = {"i will now",      "i'll now",
                                       "i am now",        "i'm now",
                                       "i will proceed",  "i'll proceed",
                                       "i'm going to",    "i am going to",
                                       "let me proceed",  "i am proceeding",
                                       "i'm proceeding",  "i'll go ahead",
                                       "i will go ahead", NULL};
    return audit_has_any(sentence, next);
}

static bool names_deed(lg_str sentence)
{
    static const char *const deeds[] = {
        "cancel*", "book",    "booking",  "refund*", "exchang*", "modif*",     "upgrad*", "updat*",
        "chang*",  "return*", "process*", "add",     "adding",   "reschedul*", "submit*", NULL};
    return audit_has_any(sentence, deeds);
}

static bool hands_over(lg_str sentence)
{
    static const char *const words[] = {
        "transferring you", "i will transfer you", "i'll transfer you",         "i am transferring",
        "i'm transferring", "i will now transfer", "you are being transferred", NULL};
    return audit_has_any(sentence, words);
}

static void check_promise(claims *s, size_t index, lg_str sentence, const audit_aftermath *after)
{
    audit_case *c = s->c;
    bool to_people = hands_over(sentence);
    bool to_do = !to_people && c->pack && is_future(sentence) && names_deed(sentence);
    bool asks = to_people && lg_str_find(audit_plain_at(c, index), LG_STR("?")) != SIZE_MAX;
    if ((!to_people && !to_do) || asks || !is_plain(sentence, put_off) ||
        audit_has(sentence, "without")) {
        return;
    }
    audit_checked(c, LG_EVAL_OUTPUT, 1);
    bool kept = to_people ? s->transferred || after->transfer
                          : after->write || after->transfer || after->excuse;
    bool has_turn = after->call || after->reply;
    if (!kept && (!has_turn || audit_breaks_off(c))) { // nobody let it
        audit_undecided(c, KIND_PROMISE_NOT_KEPT, index, LG_STR(""),
                        has_turn ? "the conversation breaks off, and it may have been under way"
                                 : "the conversation ends before the agent has another turn");
        return;
    }
    if (!kept && !s->promised) {
        s->promised = true;
        audit_found(c, KIND_PROMISE_NOT_KEPT, index, "it is promised, and never done: %.*s",
                    LG_FMT(lg_str_cut(sentence, 200)));
    }
}

void audit_check_claims(audit_case *c)
{
    const audit_aftermath *later = audit_after(c);
    claims *s = LG_NEW(c->arena, claims);
    if (!later || !s) {
        c->oom = true;
        return;
    }
    s->c = c;
    for (size_t i = 0; i < c->count; i++) {
        learn(s, i);
        if (!audit_says(c, i, LG_ROLE_AGENT)) {
            continue;
        }
        size_t at = 0;
        lg_str sentence;
        while (audit_next_sentence(audit_plain_at(c, i), &at, &sentence)) {
            check_status(s, i, sentence);
            check_stock(s, i, sentence);
            check_absent(s, i, sentence);
            check_done(s, i, sentence);
            check_promise(s, i, sentence, &later[i + 1]);
        }
    }
}
