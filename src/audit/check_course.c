// check_course.c: loops, failures that repeat or stay, and how the conversation ended.
#include "audit/dialogue.h"
#include "audit/stated.h"
#include "audit/words.h"

#include "base/hash.h"

#define LOOP_MIN 3u      // the same call with the same answer so many times
#define BARRED_MAX 4u    // changes of a conversation that may have barred the way to others
#define PROBES_MAX 16u   // of the table: what does not find a place is taken for new
#define WORD_BYTES 32u   // of a word in a tool's name
#define FAILURES_MAX 64u // of a conversation that are followed to its end
#define WRITES_MAX 64u   // of a conversation whose subjects are followed

// --- Repetition ---------------------------------------------------------------------------------------------

// A call with its answer, how often it came since something was last changed, and how often since the user has spoken:
// who asks again is answered again.
typedef struct repeat {
    bool used;
    uint64_t hash;
    size_t index, times, epoch;
    size_t in_turn, turn;
} repeat;

typedef struct repeats {
    repeat *slots;
    size_t mask; // of a power of two
    size_t epoch, turn;
    lg_buf text;
} repeats;

static bool same_call(const audit_case *c, size_t a, size_t b)
{
    const lg_trace_event *left = c->steps[a].event, *right = c->steps[b].event;
    const lg_trace_event *left_answer = audit_answer(c, a), *right_answer = audit_answer(c, b);
    return lg_str_eq(left->tool, right->tool) &&
           (left->args && right->args ? lg_json_equal(left->args, right->args)
                                      : lg_str_eq(left->text, right->text)) &&
           left_answer->kind == right_answer->kind &&
           lg_str_eq(left_answer->text, right_answer->text);
}

// Equal calls have equal hashes: arguments are printed, whatever their form was.
static uint64_t hash_of(const audit_case *c, repeats *all, size_t index)
{
    const lg_trace_event *event = c->steps[index].event, *answer = audit_answer(c, index);
    lg_buf_clear(&all->text);
    lg_buf_add(&all->text, event->tool);
    if (event->args) {
        lg_json_print_canonical(&all->text, event->args);
    } else {
        lg_buf_add(&all->text, event->text);
    }
    lg_buf_add_byte(&all->text, (char)answer->kind);
    lg_buf_add(&all->text, answer->text);
    return lg_hash(lg_buf_str(&all->text));
}

// The call at `index` with those before it that had the same answer. NULL: it has no place in the table.
static const repeat *count_call(const audit_case *c, repeats *all, size_t index)
{
    uint64_t hash = hash_of(c, all, index);
    for (size_t probe = 0; probe < PROBES_MAX; probe++) {
        repeat *slot = &all->slots[(hash + probe) & all->mask];
        if (!slot->used) {
            *slot = (repeat){.used = true, .hash = hash, .index = index};
        }
        if (slot->hash == hash && same_call(c, slot->index, index)) {
            bool unchanged = slot->epoch == all->epoch;
            slot->times = unchanged ? slot->times + 1 : 1;
            slot->in_turn = unchanged && slot->turn == all->turn ? slot->in_turn + 1 : 1;
            slot->epoch = all->epoch;
            slot->turn = all->turn;
            return slot;
        }
    }
    return NULL;
}

static void check_repeat(audit_case *c, repeats *all, size_t index)
{
    const lg_trace_event *answer = audit_answer(c, index);
    const repeat *seen = count_call(c, all, index);
    audit_checked(c, LG_EVAL_PLAN, 1);
    if (seen && seen->times > 1 && answer->kind == LG_EVENT_ERROR) {
        audit_found(c, KIND_REPEATED_FAILURE, index, "%.*s failed again as it had before: %.*s",
                    LG_FMT(c->steps[index].event->tool), LG_FMT(lg_str_cut(answer->text, 200)));
    } else if (seen && seen->in_turn == LOOP_MIN) {
        audit_found(c, KIND_LOOP, index,
                    "%.*s was called %u times with the same result before the user spoke again",
                    LG_FMT(c->steps[index].event->tool), LOOP_MIN);
    }
}

static void check_repeats(audit_case *c)
{
    repeats all = {.mask = 7};
    for (size_t i = 0, calls = 0; i < c->count; i++) {
        calls += audit_is_call(c, i);
        while (calls * 2 > all.mask) {
            all.mask = all.mask * 2 + 1;
        }
    }
    all.slots = LG_NEW_ARRAY(c->arena, repeat, all.mask + 1);
    if (!all.slots) {
        c->oom = true;
        return;
    }
    lg_buf_init(&all.text, 0);
    for (size_t i = 0; i < c->count; i++) {
        all.turn += audit_says(c, i, LG_ROLE_USER);
        if (audit_is_call(c, i) && audit_answer(c, i)) {
            check_repeat(c, &all, i);
            all.epoch += audit_is_carried_out(c, i);
        }
    }
    lg_buf_done(&all.text);
}

// --- Failures that stay -------------------------------------------------------------------------------------

// Of later changes it is enough to know the tools and subjects that went well: few of either.
static bool made_good(const audit_case *c, size_t index)
{
    lg_str subject = audit_subject(c, index);
    for (size_t i = index + 1; i < c->count; i++) {
        if (!audit_is_write(c, i) || !audit_succeeded(c, i)) {
            continue;
        }
        bool same_tool = lg_str_eq(c->steps[i].event->tool, c->steps[index].event->tool);
        bool same_subject = subject.len > 0 && lg_str_eq(audit_subject(c, i), subject);
        if (same_subject || (same_tool && subject.len == 0)) {
            return true;
        }
    }
    return false;
}

// The next word of a tool's name that the other's has not: "address" of modify_order_address, beside modify_order_items.
static bool own_word(lg_str name, lg_str other, size_t *at, char word[WORD_BYTES])
{
    while (*at < name.len) {
        size_t end = lg_str_find(lg_str_slice(name, *at, name.len), LG_STR("_"));
        lg_str part = lg_str_slice(name, *at, end == SIZE_MAX ? name.len : *at + end);
        *at = end == SIZE_MAX ? name.len : *at + end + 1;
        if (part.len >= 4 && part.len < WORD_BYTES && lg_str_find(other, part) == SIZE_MAX) {
            memcpy(word, part.ptr, part.len);
            word[part.len] = '\0';
            return true;
        }
    }
    return false;
}

static bool user_said(audit_case *c, const char *word, size_t before)
{
    for (size_t i = 0; i < before; i++) {
        if (audit_says(c, i, LG_ROLE_USER) && audit_has(audit_plain_at(c, i), word)) {
            return true;
        }
    }
    return false;
}

// Does the user wish to have it changed, in one sentence?
static bool user_wished(audit_case *c, const char *word, size_t before)
{
    static const char *const wishes[] = {"change*", "changing", "update*", "updating",
                                         "modify*", "correct*", "fix*",    NULL};
    for (size_t i = 0; i < before; i++) {
        size_t at = 0;
        lg_str sentence;
        while (audit_says(c, i, LG_ROLE_USER) &&
               audit_next_sentence(audit_plain_at(c, i), &at, &sentence)) {
            if (audit_has(sentence, word) && audit_has_any(sentence, wishes) &&
                !audit_has(sentence, "default")) { // that is of the user, and no record
                return true;
            }
        }
    }
    return false;
}

// Did the user speak of what the tool is for before the other one was called?
static bool was_wanted(audit_case *c, lg_str tool, size_t before)
{
    char word[WORD_BYTES];
    for (size_t at = 0; own_word(tool, c->steps[before].event->tool, &at, word);) {
        if (user_said(c, word, before)) {
            return true;
        }
    }
    return false;
}

// The change of the same thing that went well before, by another tool; SIZE_MAX: none.
static size_t changed_before(const audit_case *c, size_t index)
{
    lg_str subject = audit_subject(c, index);
    for (size_t i = index; subject.len > 0 && i-- > 0;) {
        if (audit_is_carried_out(c, i) && lg_str_eq(audit_subject(c, i), subject) &&
            !lg_str_eq(c->steps[i].event->tool, c->steps[index].event->tool)) {
            return i;
        }
    }
    return SIZE_MAX;
}

// Did what the agent had changed itself bar the way to what the user wanted, too?
static bool check_barred(audit_case *c, size_t failed)
{
    static const char *const states[] = {"cannot be", "can not be",  "already", "status",
                                         "no longer", "not allowed", NULL};
    lg_str error = lg_str_cut(audit_answer(c, failed)->text, 400);
    size_t before = changed_before(c, failed);
    if (before == SIZE_MAX || !audit_has_any(audit_plain(c, error), states) ||
        !was_wanted(c, c->steps[failed].event->tool, before)) {
        return false;
    }
    lg_audit_finding *found = audit_found(
        c, KIND_FAILED_WRITE_LEFT, before,
        "%.*s came first, and %.*s of the same, which the user had asked for, failed then",
        LG_FMT(c->steps[before].event->tool), LG_FMT(c->steps[failed].event->tool));
    found->severity = LG_SEVERITY_SEVERE; // nothing that comes later can make it good
    return true;
}

// Does the agent say, after the call at `index`, that what the word stands for cannot be done any more?
static bool is_denied(audit_case *c, size_t index, const char *word)
{
    static const char *const denials[] = {"unfortunately", "cannot",    "can't",        "unable",
                                          "not able",      "no longer", "not possible", NULL};
    static const char *const locked[] = {"already",  "since", "because",   "once",
                                         "modified", "now",   "no longer", NULL};
    for (size_t i = index + 1; i < c->count; i++) {
        size_t at = 0;
        lg_str sentence;
        while (audit_says(c, i, LG_ROLE_AGENT) &&
               audit_next_sentence(audit_plain_at(c, i), &at, &sentence)) {
            if (audit_has(sentence, word) && audit_has_any(sentence, denials) &&
                audit_has_any(sentence, locked)) {
                return true;
            }
        }
    }
    return false;
}

static bool is_ever_called(const audit_case *c, lg_str tool)
{
    for (size_t i = 0; i < c->count; i++) {
        if (audit_is_call(c, i) && lg_str_eq(c->steps[i].event->tool, tool)) {
            return true;
        }
    }
    return false;
}

// Tools of one family have all but their last word in common.
static bool is_of_family(lg_str a, lg_str b)
{
    size_t last = a.len;
    while (last > 0 && a.ptr[last - 1] != '_') {
        last--;
    }
    return last > 8 && b.len > last &&
           lg_str_eq(lg_str_slice(a, 0, last), lg_str_slice(b, 0, last));
}

// The same where the agent knew better than to try: it says that what was wanted is barred now.
static bool check_given_up(audit_case *c, size_t index)
{
    size_t tools = lg_pack_tool_count(c->pack);
    lg_str name = c->steps[index].event->tool;
    for (size_t i = 0; i < tools; i++) {
        lg_tool_info tool = lg_pack_tool_at(c->pack, i);
        char word[WORD_BYTES];
        size_t at = 0;
        if (tool.writes && is_of_family(name, tool.name) && own_word(tool.name, name, &at, word) &&
            user_wished(c, word, index) && !is_ever_called(c, tool.name) &&
            is_denied(c, index, word)) {
            audit_found(c, KIND_FAILED_WRITE_LEFT, index,
                        "%.*s came first, and %.*s, which the user had asked for, was barred then",
                        LG_FMT(name), LG_FMT(tool.name))
                ->severity = LG_SEVERITY_SEVERE;
            return true;
        }
    }
    return false;
}

static void check_barred_unasked(audit_case *c)
{
    for (size_t i = 0, looked = 0; c->pack && i < c->count && looked < BARRED_MAX; i++) {
        if (audit_is_carried_out(c, i)) {
            looked++;
            if (check_given_up(c, i)) {
                return;
            }
        }
    }
}

// Does anybody but the system say anything? Else it is a list of calls, and nobody could be told.
static bool has_messages(const audit_case *c)
{
    for (size_t i = 0; i < c->count; i++) {
        if (c->steps[i].event->kind == LG_EVENT_MESSAGE &&
            c->steps[i].event->role != LG_ROLE_SYSTEM) {
            return true;
        }
    }
    return false;
}

static void check_failed(audit_case *c, const audit_aftermath *later)
{
    for (size_t i = 0, failures = 0; i < c->count && failures < FAILURES_MAX; i++) {
        const lg_trace_event *answer = audit_is_write(c, i) ? audit_answer(c, i) : NULL;
        audit_checked(c, LG_EVAL_FINAL_STATE, answer != NULL);
        if (!answer || answer->kind != LG_EVENT_ERROR) {
            continue;
        }
        failures++;
        if (made_good(c, i) || (failures <= BARRED_MAX && check_barred(c, i))) {
            continue;
        }
        if (!has_messages(c)) {
            audit_undecided(c, KIND_FAILED_WRITE_LEFT, i, LG_STR(""),
                            "the recording holds calls alone: what the user was told is not in it");
        } else if (!later[i + 1].excuse && !later[i + 1].transfer) {
            audit_found(c, KIND_FAILED_WRITE_LEFT, i,
                        "%.*s failed, was not made good, and the user was not told: %.*s",
                        LG_FMT(c->steps[i].event->tool), LG_FMT(lg_str_cut(answer->text, 200)));
        }
    }
}

// --- Agreed, and not done -------------------------------------------------------------------------------------

// A proposal of something to be done, for a plain yes.
static bool proposes(audit_case *c, size_t index)
{
    static const char *const asks[] = {"(yes)", "confirm", "proceed", "go ahead", NULL};
    static const char *const acts[] = {
        "cancel*",  "return*", "exchang*", "modif*",   "chang*",  "book*",    "updat*",
        "refund*",  "upgrad*", "add*",     "purchas*", "remov*",  "schedul*", "reschedul*",
        "suspend*", "resum*",  "enabl*",   "disabl*",  "refuel*", "order*",   NULL};
    static const char *const past[] = {"has been", "have been", "successfully",
                                       "i've",     "is now",    NULL};
    if (!audit_asks(c, index)) {
        return false;
    }
    lg_str plain = audit_plain_at(c, index);
    return audit_has_any(plain, asks) && audit_has_any(plain, acts) && !audit_has_any(plain, past);
}

static bool is_last_word(const audit_case *c, size_t index)
{
    return lg_str_find(c->steps[index].event->text, LG_STR("###")) != SIZE_MAX;
}

// Does the agent answer the user with why not, or with a question?
static bool has_reason(audit_case *c, size_t index)
{
    static const char *const wants[] = {
        "i need",       "i'll need",   "i will need",  "please provide",
        "please share", "please tell", "please reply", NULL};
    for (size_t i = index + 1; i < c->count && !audit_says(c, i, LG_ROLE_USER); i++) {
        if (audit_says(c, i, LG_ROLE_AGENT)) {
            lg_str plain = audit_plain_at(c, i);
            if (audit_has_any(plain, audit_excuses) || audit_has_any(plain, wants) ||
                lg_str_find(plain, LG_STR("?")) != SIZE_MAX) {
                return true;
            }
        }
    }
    return false;
}

// A yes after which nothing is tried any more, and nothing is said against it.
static void check_agreed(audit_case *c, const audit_aftermath *later)
{
    size_t proposal = SIZE_MAX;
    for (size_t i = 0; i < c->count; i++) {
        if (audit_says(c, i, LG_ROLE_AGENT)) {
            proposal = proposes(c, i) ? i : SIZE_MAX;
            continue;
        }
        if (!audit_says(c, i, LG_ROLE_USER) || proposal == SIZE_MAX) {
            continue;
        }
        const audit_aftermath *after = &later[i + 1];
        bool tried = c->pack ? after->write : after->call;
        audit_checked(c, LG_EVAL_PLAN, 1);
        if (audit_agrees(c, i) && !is_last_word(c, i) && !tried && !after->transfer &&
            !has_reason(c, i)) {
            if (audit_breaks_off(c)) {
                audit_undecided(c, KIND_YES_WITHOUT_WRITE, i, LG_STR(""),
                                "the conversation breaks off, and it may have been under way");
            } else {
                audit_found(c, KIND_YES_WITHOUT_WRITE, i,
                            "the user agrees to what was proposed, and nothing is done");
            }
        }
        proposal = SIZE_MAX;
    }
}

// --- Handing over, reading again ------------------------------------------------------------------------------

static void check_transfers(audit_case *c)
{
    bool has_read = false;
    for (size_t i = 0; i < c->count; i++) {
        has_read = has_read || (audit_is_read(c, i) && audit_succeeded(c, i));
        if (!audit_is_transfer(c, i)) {
            continue;
        }
        audit_checked(c, LG_EVAL_TRANSITION, 1);
        if (!has_read) {
            audit_by_law(c,
                         audit_found(c, KIND_BLIND_TRANSFER, i,
                                     "the user is handed over, and no record was read before"),
                         TOPIC_TRY_FIRST);
        }
    }
}

static bool names(const lg_json *args, lg_str value)
{
    for (size_t i = 0; lg_json_is(args, LG_JSON_OBJECT) && i < lg_json_len(args); i++) {
        if (lg_str_eq(lg_json_str(&lg_json_member_at(args, i)->value), value)) {
            return true;
        }
    }
    return false;
}

static void check_verified(audit_case *c)
{
    size_t writes[WRITES_MAX], count = 0;
    for (size_t i = 0; i < c->count; i++) {
        if (audit_is_carried_out(c, i) && audit_subject(c, i).len > 0 && count < WRITES_MAX) {
            writes[count++] = i;
            audit_checked(c, LG_EVAL_PLAN, 1);
        } else if (audit_is_read(c, i)) {
            size_t left = 0;
            for (size_t k = 0; k < count; k++) {
                if (!names(c->steps[i].event->args, audit_subject(c, writes[k]))) {
                    writes[left++] = writes[k];
                }
            }
            count = left;
        }
    }
    for (size_t k = 0; k < count; k++) {
        audit_by_law(c,
                     audit_found(c, KIND_SKIPPED_VERIFICATION, writes[k],
                                 "%.*s is not read again after %.*s",
                                 LG_FMT(audit_subject(c, writes[k])),
                                 LG_FMT(c->steps[writes[k]].event->tool)),
                     TOPIC_VERIFY);
    }
}

// --- The end --------------------------------------------------------------------------------------------------

// What the recording itself says of its end.
typedef enum ending { END_UNKNOWN, END_REGULAR, END_BROKEN } ending;

static ending recorded_end(lg_str ended)
{
    static const char *const broken[] = {"max",    "error", "timeout", "limit",
                                         "length", "abort", NULL};
    for (size_t i = 0; broken[i]; i++) {
        if (lg_str_find(ended, lg_str_c(broken[i])) != SIZE_MAX) {
            return END_BROKEN;
        }
    }
    return lg_str_find(ended, LG_STR("stop")) != SIZE_MAX ? END_REGULAR : END_UNKNOWN;
}

static bool is_goodbye(audit_case *c, size_t index)
{
    static const char *const words[] = {"thank*",       "bye",         "goodbye",
                                        "appreciate",   "that's all",  "that is all",
                                        "have a great", "have a nice", NULL};
    lg_str plain = audit_plain_at(c, index);
    return audit_has_any(plain, words) && lg_str_find(plain, LG_STR("?")) == SIZE_MAX;
}

// Why it is no regular end, or NULL.
static const char *irregular(audit_case *c, size_t last)
{
    const lg_trace_event *event = c->steps[last].event;
    bool is_transfer = audit_hands_over(event->tool);
    switch (event->kind) {
    case LG_EVENT_MESSAGE:
        if (event->role == LG_ROLE_USER) {
            return is_last_word(c, last) || is_goodbye(c, last)
                       ? NULL
                       : "the user's last message has no answer";
        }
        return event->role == LG_ROLE_AGENT && lg_str_trim(event->text).len == 0
                   ? "the agent's last message is empty"
                   : NULL;
    case LG_EVENT_CALL:
        return is_transfer ? NULL : "it ends with a call that has no answer";
    case LG_EVENT_RESULT:
    case LG_EVENT_ERROR:
        return is_transfer ? NULL : "it ends with what a tool returned, and nobody is told";
    }
    return NULL;
}

bool audit_breaks_off(audit_case *c)
{
    ending recorded = recorded_end(c->trace->ended);
    return c->count > 0 && (recorded == END_BROKEN ||
                            (recorded == END_UNKNOWN && irregular(c, c->count - 1) != NULL));
}

// An error of the surroundings is no fault of the agent's.
static bool is_of_surroundings(lg_str ended)
{
    return lg_str_starts(ended, LG_STR("error")) ||
           lg_str_starts(ended, LG_STR("infrastructure")) || lg_str_starts(ended, LG_STR("user"));
}

// Of calls alone, as MCP transcripts hold them, nobody knows how the talk around them ended.
static void check_end(audit_case *c)
{
    if (!has_messages(c)) {
        return;
    }
    size_t last = c->count - 1;
    ending recorded = recorded_end(c->trace->ended);
    const char *why = recorded == END_UNKNOWN ? irregular(c, last) : NULL;
    audit_checked(c, LG_EVAL_FINAL_STATE, 1);
    if (recorded == END_BROKEN) {
        lg_audit_finding *found =
            audit_found(c, KIND_NO_REGULAR_END, last, "the conversation was ended by %.*s",
                        LG_FMT(c->trace->ended));
        found->severity = is_of_surroundings(c->trace->ended) ? LG_SEVERITY_HINT : found->severity;
    } else if (why) {
        // Whoever recorded it may have stopped there.
        audit_found(c, KIND_NO_REGULAR_END, last, "%s", why)->severity = LG_SEVERITY_HINT;
    }
}

void audit_check_course(audit_case *c)
{
    check_repeats(c);
    const audit_aftermath *later = audit_after(c);
    if (later) {
        check_failed(c, later);
        check_barred_unasked(c);
        check_agreed(c, later);
    }
    check_transfers(c);
    check_verified(c);
    check_end(c);
}
