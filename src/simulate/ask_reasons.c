// ask_reasons.c: what a model says of a wrong argument must not give the right one away.
//
// A reason passes if no word of it can be that value. Whatever the schema lists (enum, const, default, examples) and whatever
// the state or an earlier answer holds is such a value, unless the call has it itself; and so is every quoted piece, and every
// number but those of the argument's own description, that the call does not have. Masks such as YYYY-MM-DD are none. Where
// looking takes too long the reason does not pass: it is better to say less.
#include "simulate/ask_internal.h"

#define MOST_VALUES 3000000u // of states and answers, some 10 ns each
#define MOST_DEPTH 64u
#define MOST_REASON 600u

typedef struct leak {
    const lg_ask *ask;
    lg_str reason;
    lg_str args; // as JSON
    uint32_t left;
    uint64_t pairs
        [1024]; // which two bytes stand side by side in the reason, in lower case: most values have others
} leak;

static bool is_word(char c)
{
    return lg_is_letter(c) || lg_is_digit(c) || c == '_' || (c & 0x80) != 0;
}

static bool equals(lg_str text, size_t at, lg_str piece)
{
    bool exact = piece.len == 1; // "A" is a grade, "a" an article
    for (size_t i = 0; i < piece.len; i++) {
        char a = text.ptr[at + i], b = piece.ptr[i];
        if (exact ? a != b : lg_lower(a) != lg_lower(b)) {
            return false;
        }
    }
    return true;
}

// Does `piece` stand in `text`, with no word going on at either side?
static bool stands_in(lg_str text, lg_str piece)
{
    if (piece.len == 0 || piece.len > text.len) {
        return false;
    }
    bool first = is_word(piece.ptr[0]), last = is_word(piece.ptr[piece.len - 1]);
    for (size_t at = 0; at + piece.len <= text.len; at++) {
        size_t end = at + piece.len;
        if (equals(text, at, piece) && !(first && at > 0 && is_word(text.ptr[at - 1])) &&
            !(last && end < text.len && is_word(text.ptr[end]))) {
            return true;
        }
    }
    return false;
}

static unsigned pair_at(lg_str text, size_t at)
{
    unsigned first = (unsigned char)lg_lower(text.ptr[at]);
    return first << 8 | (unsigned char)lg_lower(text.ptr[at + 1]);
}

static void note_pairs(leak *l)
{
    for (size_t i = 0; i + 1 < l->reason.len; i++) {
        unsigned pair = pair_at(l->reason, i);
        l->pairs[pair / 64] |= (uint64_t)1 << pair % 64;
    }
}

static bool may_stand_in(const leak *l, lg_str piece)
{
    if (piece.len < 2 || piece.len > l->reason.len) {
        return piece.len == 1;
    }
    unsigned pair = pair_at(piece, 0), last = pair_at(piece, piece.len - 2);
    return (l->pairs[pair / 64] >> pair % 64 & 1) && (l->pairs[last / 64] >> last % 64 & 1);
}

// --- Values that are known ------------------------------------------------------------------------

static bool is_given_away(leak *l, lg_str value)
{
    return may_stand_in(l, value) && stands_in(l->reason, value) && !stands_in(l->args, value);
}

static bool scalar_leaks(leak *l, const lg_json *value)
{
    char room[64];
    lg_buf text;
    if (lg_json_is(value, LG_JSON_STRING)) {
        return is_given_away(l, lg_json_str(value));
    }
    if (!lg_json_is_number(value)) {
        return false;
    }
    lg_buf_init_in(&text, room, sizeof(room), 0);
    lg_json_print(&text, value);
    bool leaks = is_given_away(l, lg_buf_str(&text));
    lg_buf_done(&text);
    return leaks;
}

// Values, and the names of members that are ids: entities are known by them.
static bool any_leaks(leak *l, const lg_json *value, unsigned depth)
{
    if (!value || l->left == 0 || depth > MOST_DEPTH) {
        return value != NULL;
    }
    l->left--;
    if (lg_json_is(value, LG_JSON_ARRAY)) {
        for (size_t i = 0; i < lg_json_len(value); i++) {
            if (any_leaks(l, lg_json_item(value, i), depth + 1)) {
                return true;
            }
        }
        return false;
    }
    if (!lg_json_is(value, LG_JSON_OBJECT)) {
        return scalar_leaks(l, value);
    }
    for (size_t i = 0; i < lg_json_len(value); i++) {
        const lg_json_member *member = lg_json_member_at(value, i);
        lg_str key = lg_json_key(member);
        bool is_id = false; // names of members are words of a language; those with a digit are ids
        for (size_t j = 0; j < key.len && !is_id; j++) {
            is_id = lg_is_digit(key.ptr[j]);
        }
        if ((is_id && is_given_away(l, key)) || any_leaks(l, &member->value, depth + 1)) {
            return true;
        }
    }
    return false;
}

// What a schema lists, wherever it stands in it.
static bool schema_leaks(leak *l, const lg_json *schema, unsigned depth)
{
    static const char *const lists[] = {"enum", "const", "default", "examples", "example"};
    if (l->left == 0 || depth > MOST_DEPTH) {
        return true;
    }
    l->left--;
    for (size_t i = 0; i < LG_COUNT(lists) && lg_json_is(schema, LG_JSON_OBJECT); i++) {
        const lg_json *listed = lg_json_get(schema, lg_str_c(lists[i]));
        if (listed && any_leaks(l, listed, depth + 1)) {
            return true;
        }
    }
    for (size_t i = 0; i < lg_json_len(schema); i++) {
        const lg_json *inner = lg_json_is(schema, LG_JSON_ARRAY)
                                   ? lg_json_item(schema, i)
                                   : &lg_json_member_at(schema, i)->value;
        if (lg_json_len(inner) > 0 && schema_leaks(l, inner, depth + 1)) {
            return true;
        }
    }
    return false;
}

// --- What the reason itself says --------------------------------------------------------------------

// "YYYY-MM-DD", "hh:mm": letters of a mask, and what stands between them.
static bool is_mask(lg_str piece)
{
    static const lg_str letters = {"YyMmDdHhSsTZ-/:. ", 17};
    for (size_t i = 0; i < piece.len; i++) {
        if (lg_str_find(letters, lg_str_of(&piece.ptr[i], 1)) == SIZE_MAX) {
            return false;
        }
    }
    return piece.len > 0;
}

static bool is_argument(const leak *l, lg_str piece)
{
    const lg_json *properties = lg_json_get(l->ask->tool->parameters, LG_STR("properties"));
    return lg_json_get(properties, piece) || lg_json_get(l->ask->args, piece);
}

static bool quote_leaks(const leak *l, lg_str piece)
{
    return piece.len > 0 && !is_mask(piece) && !is_argument(l, piece) && !stands_in(l->args, piece);
}

// Quoted pieces: between two of one of these. An apostrophe within a word opens nothing.
static bool quotes_leak(const leak *l)
{
    lg_str text = l->reason;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool opens = c == '"' || c == '`' || (c == '\'' && (i == 0 || !is_word(text.ptr[i - 1])));
        size_t end = i + 1;
        while (opens && end < text.len && text.ptr[end] != c) {
            end++;
        }
        if (opens && end < text.len) {
            if (quote_leaks(l, lg_str_slice(text, i + 1, end))) {
                return true;
            }
            i = end;
        }
    }
    return false;
}

static bool numbers_leak(const leak *l, lg_str description)
{
    lg_str text = l->reason;
    for (size_t i = 0; i < text.len; i++) {
        size_t end = i;
        while (end < text.len && (is_word(text.ptr[end]) || text.ptr[end] == '-')) {
            end++;
        }
        lg_str word = lg_str_slice(text, i, end);
        bool digits = false;
        for (size_t j = 0; j < word.len && !digits; j++) {
            digits = lg_is_digit(word.ptr[j]);
        }
        if (digits && !stands_in(l->args, word) && !stands_in(description, word) &&
            !is_argument(l, word)) {
            return true;
        }
        i = end > i ? end - 1 : i;
    }
    return false;
}

bool ask_gives_away(const lg_ask *ask, lg_str argument, lg_str reason)
{
    lg_buf args;
    const lg_json *properties = lg_json_get(ask->tool->parameters, LG_STR("properties"));
    const lg_json *description =
        lg_json_get(lg_json_get(properties, argument), LG_STR("description"));
    if (reason.len > MOST_REASON) {
        return true;
    }
    lg_buf_init(&args, 0);
    lg_json_print(&args, ask->args);
    leak l = {.ask = ask, .reason = reason, .args = lg_buf_str(&args), .left = MOST_VALUES};
    note_pairs(&l);
    bool leaks = lg_buf_status(&args) != LG_OK || quotes_leak(&l) ||
                 numbers_leak(&l, lg_json_str(description)) ||
                 (ask->tool->parameters && schema_leaks(&l, ask->tool->parameters, 0)) ||
                 (ask->state && any_leaks(&l, ask->state, 0));
    for (size_t i = ask->past_count; i > 0 && !leaks && ask->past_count - i < ASK_CALLS; i--) {
        const lg_json *result = ask->past[i - 1].result;
        leaks = result && any_leaks(&l, result, 0);
    }
    lg_buf_done(&args);
    return leaks;
}
