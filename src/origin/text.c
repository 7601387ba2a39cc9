// text.c: where a text of the arguments comes from: whole, as a number, a date, arithmetic, prose, or in parts.
#include "origin/origin_internal.h"

#define VALUE_WORDS_MAX 5u // what has more is prose

static bool is_one_of(lg_str text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (lg_str_eq_any_case(text, lg_str_c(words[i]))) {
            return true;
        }
    }
    return false;
}

// "1,234.50", "$12", "15%", "-3". Not "007": that is an id.
static bool read_number(lg_str text, lg_origin_decimal *ret)
{
    lg_str t = text;
    while (t.len && (*t.ptr == '-' || *t.ptr == '+' || *t.ptr == '$' || *t.ptr == ' ')) {
        t = lg_str_slice(t, 1, t.len);
    }
    size_t len = lg_origin_read_decimal(t, ret);
    bool rest = len + 1 == t.len && t.ptr[len] == '%';
    bool padded = len > 1 && t.ptr[0] == '0' && lg_is_digit(t.ptr[1]);
    return len && (len == t.len || rest) && !padded &&
           (ret->scale || ret->mantissa <= LG_ORIGIN_INTEGER_MAX);
}

static bool seen(lg_origin_answer *answer)
{
    answer->verdict = LG_ORIGIN_SEEN;
    return true;
}

static bool whole_from(lg_origin_query *query, lg_str given, lg_origin_answer *answer)
{
    static const char *const schemes[] = {"https://", "http://", "mailto:", "tel:"};
    lg_str text = given;
    for (size_t i = 0; i < LG_COUNT(schemes); i++) {
        if (lg_str_starts(given, lg_str_c(schemes[i])) && given.len > strlen(schemes[i])) {
            text = lg_str_slice(given, strlen(schemes[i]), given.len);
        }
    }
    char *bytes = lg_arena_alloc(query->arena, text.len, 1);
    lg_origin_needle needle;
    if (!bytes) {
        query->failed = true;
        return false;
    }
    if (!lg_origin_needle_of(text, bytes, &needle)) {
        return false;
    }
    needle.exact = needle.folded.len < 5;
    return lg_origin_find(query, &needle, &answer->place) ||
           lg_origin_find_own(query, &needle, true, &answer->place);
}

// "ann at example dot com": an address as it is said aloud.
static bool spoken_from(lg_origin_query *query, lg_str text, lg_origin_answer *answer)
{
    char room[2 * LG_ORIGIN_SHORT];
    size_t at = lg_str_find(text, LG_STR("@"));
    if (at == SIZE_MAX || text.len > LG_ORIGIN_SHORT) {
        return false;
    }
    for (int local = 0; local < 2; local++) { // are the dots before the @ said too?
        lg_buf said;
        lg_buf_init_in(&said, room, sizeof(room), 0);
        for (size_t i = 0; i < text.len; i++) {
            bool dot = text.ptr[i] == '.' && (i > at || local);
            lg_buf_add(&said, i == at ? LG_STR(" at ")
                              : dot   ? LG_STR(" dot ")
                                      : lg_str_slice(text, i, i + 1));
        }
        bool failed = lg_buf_status(&said) != LG_OK;
        bool from = !failed && said.len <= LG_ORIGIN_SHORT &&
                    lg_origin_find_words(query, lg_buf_str(&said), &answer->place);
        lg_buf_done(&said);
        query->failed = query->failed || failed;
        if (from) {
            return true;
        }
    }
    return false;
}

// --- Arithmetic ---------------------------------------------------------------------------------

static bool is_expression(lg_str text)
{
    bool operates = false;
    bool digit = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool operator= c && strchr("+-*/%^", c);
        operates = operates || (operator&& digit);
        digit = digit || lg_is_digit(c);
        if (!operator&& !lg_is_digit(c) && (!c || !strchr(" ().,$", c))) {
            return false;
        }
    }
    return operates && digit;
}

static bool number_is_from(lg_origin_query *query, lg_origin_decimal number,
                           lg_origin_answer *answer)
{
    lg_origin_answer part = {.pointer = answer->pointer};
    if (number.scale == 0 && number.mantissa <= 1) {
        return true;
    }
    bool from = lg_origin_number_from(query, number, true, &part);
    if (from && part.verdict == LG_ORIGIN_SEEN) {
        lg_origin_operand(answer, &part.place);
    }
    for (uint32_t i = 0; i < part.operand_count; i++) {
        lg_origin_operand(answer, &part.operands[i]);
    }
    return from;
}

// Minutes of an hour, percent, months: what every calculation may have.
static bool is_constant(lg_origin_decimal number)
{
    static const uint64_t known[] = {12, 24, 60, 100, 365, 1000};
    bool is = false;
    for (size_t i = 0; i < LG_COUNT(known); i++) {
        is = is || (number.scale == 0 && number.mantissa == known[i]);
    }
    return is;
}

static void expression_from(lg_origin_query *query, lg_str text, lg_origin_answer *answer)
{
    for (size_t at = 0; at < text.len;) {
        if (!lg_is_digit(text.ptr[at])) {
            at++;
            continue;
        }
        lg_origin_decimal number;
        size_t len = lg_origin_read_decimal(lg_str_slice(text, at, text.len), &number);
        if (len == 0) {
            for (len = 0; at + len < text.len && lg_is_digit(text.ptr[at + len]); len++) {
            }
            lg_origin_miss(answer, lg_str_slice(text, at, at + len));
        } else if (!is_constant(number) && !number_is_from(query, number, answer)) {
            lg_origin_miss(answer, lg_str_slice(text, at, at + len));
        }
        at += len;
    }
    answer->operation = LG_ORIGIN_EXPRESSION;
    answer->verdict = answer->missing_count ? LG_ORIGIN_UNGROUNDED : LG_ORIGIN_COMPUTED;
}

// --- What an argument's name says ---------------------------------------------------------------

// Is the last word of the name one of these, or the plural of one?
static bool ends_in(lg_str field, const char *const *words, size_t count)
{
    size_t at = field.len;
    while (at && field.ptr[at - 1] != '_' && field.ptr[at - 1] != '-') {
        at--;
    }
    lg_str last = lg_str_slice(field, at, field.len);
    lg_str one = last.len && lg_lower(last.ptr[last.len - 1]) == 's'
                     ? lg_str_slice(last, 0, last.len - 1)
                     : last;
    return is_one_of(last, words, count) || is_one_of(one, words, count);
}

static bool is_id_field(lg_str field)
{
    static const char *const words[] = {"id",    "number", "email", "uuid",    "key",
                                        "token", "zip",    "phone", "postcode"};
    return ends_in(field, words, LG_COUNT(words));
}

// How much to look at, and no fact.
bool lg_origin_is_bound(lg_str field)
{
    static const char *const words[] = {
        "limit",   "n",         "k",           "max",   "page",        "offset",
        "results", "timeout",   "size",        "depth", "max_results", "top_k",
        "endLine", "startLine", "temperature", "width", "height",      "retries"};
    return ends_in(field, words, LG_COUNT(words));
}

// Which of several kinds: what stands here comes from a list, though no schema may be there to show it.
static bool is_kind_field(lg_str field)
{
    static const char *const words[] = {
        "type",     "kind",      "mode",      "status",   "statuses", "action",
        "category", "filter",    "specialty", "issue",    "strategy", "permission",
        "format",   "sort",      "order",     "level",    "priority", "class",
        "cabin",    "unit",      "currency",  "language", "gender",   "path",
        "check",    "authority", "severity",  "scope",    "stage",    "role"};
    return ends_in(field, words, LG_COUNT(words));
}

static bool is_label(lg_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!lg_is_letter(text.ptr[i]) && !strchr("_- ", text.ptr[i])) {
            return false;
        }
    }
    return text.len > 0;
}

// "JFK", "TX".
static bool is_code(lg_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < 'A' || text.ptr[i] > 'Z') {
            return false;
        }
    }
    return text.len == 2 || text.len == 3;
}

// --- Parts --------------------------------------------------------------------------------------

static bool word_is_from(lg_origin_query *query, lg_str word, lg_origin_place *ret)
{
    char bytes[2 * LG_ORIGIN_SHORT];
    lg_origin_needle needle;
    if (word.len > LG_ORIGIN_SHORT) {
        lg_origin_answer whole = {0};
        bool from = whole_from(query, word, &whole);
        *ret = whole.place;
        return from;
    }
    if (!lg_origin_needle_of(word, bytes, &needle)) {
        return false;
    }
    needle.exact = true;
    return lg_origin_find(query, &needle, ret) || lg_origin_find_own(query, &needle, true, ret);
}

// Another form of the word: with one ending in place of another.
static bool other_form_is_from(lg_origin_query *query, lg_str word, lg_origin_place *ret)
{
    static const char *const endings[] = {"",    "s",    "es", "ed", "d",   "ing",  "n",
                                          "al",  "ly",   "y",  "er", "ion", "e",    "ist",
                                          "ies", "ment", "or", "ic", "ian", "ation"};
    size_t count = LG_COUNT(endings);
    char form[LG_ORIGIN_SHORT];
    if (word.len < 4 || word.len + 5 > sizeof(form) || !is_label(word)) {
        return false;
    }
    for (size_t off = 0; off < count; off++) {
        lg_str ending = lg_str_c(endings[off]);
        size_t stem = word.len - (ending.len < word.len ? ending.len : word.len);
        if (stem < 4 || !lg_str_eq_any_case(lg_str_slice(word, stem, word.len), ending)) {
            continue;
        }
        memcpy(form, word.ptr, stem);
        for (size_t on = 0; on < count; on++) {
            size_t len = strlen(endings[on]);
            memcpy(form + stem, endings[on], len);
            if (on != off && lg_origin_find_words(query, (lg_str){form, stem + len}, ret)) {
                return true;
            }
        }
    }
    return false;
}

static bool is_small_word(lg_str word)
{
    static const char *const words[] = {"http", "https", "www",  "mailto", "txt", "csv", "md",
                                        "pdf",  "docx",  "json", "a",      "an",  "the", "of",
                                        "in",   "on",    "at",   "to",     "for", "and", "or",
                                        "is",   "by",    "with", "from",   "as",  "s"};
    return is_one_of(word, words, LG_COUNT(words));
}

// A number and its unit as one word.
static bool unit_is_from(lg_origin_query *query, lg_str text, lg_origin_place *ret)
{
    char joined[16];
    size_t len = 0;
    for (size_t i = 0; i < text.len && len < sizeof(joined); i++) {
        if (lg_is_digit(text.ptr[i]) || lg_is_letter(text.ptr[i])) {
            joined[len++] = text.ptr[i];
        }
    }
    return len && len < sizeof(joined) && lg_is_digit(joined[0]) && !lg_is_digit(joined[len - 1]) &&
           lg_origin_find_words(query, (lg_str){joined, len}, ret);
}

// Its words, each from somewhere. The pieces of an id, each from elsewhere, are no id.
static void parts_from(lg_origin_query *query, lg_str text, bool is_id, lg_origin_answer *answer)
{
    bool inflected = false;
    lg_origin_reader reader = {text, 0, false};
    lg_origin_word word;
    uint32_t count = 0;
    size_t before = text.len; // where the word before begins
    while (lg_origin_next_word(&reader, &word)) {
        lg_str part = lg_str_slice(text, word.begin, word.end);
        lg_str unit =
            lg_str_slice(text, before, word.end); // "10 mg", written "10mg" where it was seen
        before = word.begin;
        lg_origin_place place;
        count++;
        if (is_small_word(part)) {
            continue;
        }
        bool form = false;
        lg_origin_decimal number; // of "10mg", too
        if (word_is_from(query, part, &place) || unit_is_from(query, unit, &place) ||
            (!is_id && read_number(part, &number) &&
             lg_origin_find_number(query, number, &place)) ||
            (form = !is_id && other_form_is_from(query, part, &place))) {
            lg_origin_operand(answer, &place);
            inflected = inflected || form;
        } else {
            lg_origin_miss(answer, part);
        }
    }
    answer->operation = inflected ? LG_ORIGIN_INFLECTED : LG_ORIGIN_JOINED;
    answer->verdict = LG_ORIGIN_COMPUTED;
    if (answer->missing_count || (count < 2 && !inflected) || is_id) {
        answer->operation = LG_ORIGIN_NONE;
        answer->verdict = LG_ORIGIN_UNGROUNDED;
        answer->operand_count = 0;
        if (!answer->missing_count) {
            lg_origin_miss(answer, text);
        }
    }
}

// --- Prose --------------------------------------------------------------------------------------

static bool is_prose_field(lg_str field)
{
    static const char *const fields[] = {
        "thought",       "summary", "reason",   "notes",       "note",        "message",
        "content",       "body",    "title",    "description", "comment",     "subject",
        "query",         "text",    "details",  "explanation", "prompt",      "instructions",
        "justification", "purpose", "symptoms", "issue",       "search_query"};
    return is_one_of(field, fields, LG_COUNT(fields));
}

// Does a sentence begin at `at`?
static bool begins_sentence(lg_str text, size_t at)
{
    while (at && strchr(" \"'(*-\t", text.ptr[at - 1]) && text.ptr[at - 1]) {
        at--;
    }
    return at == 0 || strchr(".!?:;\n", text.ptr[at - 1]) != NULL;
}

// A name, a number, an id: what prose cannot have by itself.
static bool is_entity(lg_str text, const lg_origin_word *word)
{
    bool digit = false;
    size_t capitals = 0;
    for (size_t i = word->begin; i < word->end; i++) {
        digit = digit || lg_is_digit(text.ptr[i]);
        capitals += text.ptr[i] >= 'A' && text.ptr[i] <= 'Z';
    }
    if (digit) {
        return true;
    }
    static const char *const calendar[] = {
        "January",   "February",  "March",   "April",    "May",      "June",   "July",
        "August",    "September", "October", "November", "December", "Monday", "Tuesday",
        "Wednesday", "Thursday",  "Friday",  "Saturday", "Sunday"};
    if (is_one_of(lg_str_slice(text, word->begin, word->end), calendar, LG_COUNT(calendar))) {
        return false;
    }
    bool name = capitals == 1 && word->letters > 2 && !begins_sentence(text, word->begin);
    return name && text.ptr[word->begin] >= 'A' && text.ptr[word->begin] <= 'Z';
}

static bool entity_is_from(lg_origin_query *query, lg_str part, lg_origin_answer *answer)
{
    lg_origin_decimal number;
    lg_origin_place place;
    if (word_is_from(query, part, &place)) {
        return true;
    }
    if (read_number(part, &number)) {
        return number_is_from(query, number, answer);
    }
    size_t digits = 0; // "2nd", "4pm"
    while (digits < part.len && lg_is_digit(part.ptr[digits])) {
        digits++;
    }
    return digits && digits < part.len && part.len - digits <= 3 &&
           lg_origin_read_decimal(lg_str_slice(part, 0, digits), &number) &&
           number_is_from(query, number, answer);
}

static void prose_from(lg_origin_query *query, lg_str text, lg_origin_answer *answer)
{
    lg_origin_reader reader = {text, 0, false};
    lg_origin_word word;
    while (lg_origin_next_word(&reader, &word)) {
        if (!is_entity(text, &word)) {
            continue;
        }
        lg_str part = lg_str_slice(text, word.begin, word.end);
        lg_origin_decimal number;
        lg_str rest = lg_str_slice(text, word.begin, text.len);
        size_t len = lg_origin_date_length(rest);
        if (len) {
            lg_origin_answer date = {.verdict = LG_ORIGIN_UNKNOWN};
            part = lg_str_slice(rest, 0, len);
            lg_origin_date_from(query, part, &date);
            if (date.verdict == LG_ORIGIN_UNGROUNDED) {
                lg_origin_miss(answer, part);
            }
            reader.at = word.begin + len;
            continue;
        }
        len = lg_origin_read_decimal(rest, &number);
        if (len > part.len) { // "1,234.50" is one number and three words
            part = lg_str_slice(rest, 0, len);
            reader.at = word.begin + len;
        }
        if (!entity_is_from(query, part, answer)) {
            lg_origin_miss(answer, part);
        }
    }
    answer->verdict = LG_ORIGIN_PROSE;
    answer->operand_count = 0;
}

static uint32_t word_count(lg_str text)
{
    lg_origin_reader reader = {text, 0, false};
    lg_origin_word word;
    uint32_t count = 0;
    while (count <= VALUE_WORDS_MAX && lg_origin_next_word(&reader, &word)) {
        size_t at = word.begin; // words that blanks divide, and not an id's pieces
        count += count == 0 || (at && strchr(" \n\t", text.ptr[at - 1])) ||
                 (unsigned char)text.ptr[at] >= 0xE3;
    }
    return count;
}

// A name inside of a longer word, or an id whose number was said without its letter.
static bool part_from(lg_origin_query *query, lg_str text, lg_str field, lg_origin_answer *answer)
{
    static const char *const names[] = {"name"};
    lg_origin_place place;
    size_t letters = 0;
    while (letters < text.len && (lg_is_letter(text.ptr[letters]) || text.ptr[letters] == '#')) {
        letters++;
    }
    bool found = false;
    if (letters == text.len && ends_in(field, names, 1)) {
        found = text.len >= 4 && lg_origin_find_inside(query, text, &place);
    } else if (letters && letters <= 3 && text.len - letters >= 6) {
        size_t digits = letters;
        while (digits < text.len && lg_is_digit(text.ptr[digits])) {
            digits++;
        }
        found = digits == text.len &&
                lg_origin_find_words(query, lg_str_slice(text, letters, digits), &place);
    }
    if (found) {
        answer->verdict = LG_ORIGIN_COMPUTED;
        answer->operation = LG_ORIGIN_PART;
        answer->missing_count = 0;
        lg_origin_operand(answer, &place);
    }
    return found;
}

void lg_origin_text_from(lg_origin_query *query, lg_str text, lg_str field,
                         lg_origin_answer *answer)
{
    static const char *const trivial[] = {"",     "yes", "no",  "true", "false", "null",
                                          "none", "n/a", "nil", "0",    "1",     "-1"};
    lg_str t = lg_str_trim(text);
    lg_origin_decimal number;
    if (is_one_of(t, trivial, LG_COUNT(trivial)) || word_count(t) == 0) {
        answer->verdict = LG_ORIGIN_TRIVIAL;
        return;
    }
    if (lg_origin_is_bound(field) && read_number(t, &number)) {
        answer->verdict = LG_ORIGIN_CHOSEN;
        return;
    }
    bool is_id = is_id_field(field) || memchr(t.ptr, '@', t.len) != NULL;
    if (read_number(t, &number) && lg_origin_number_from(query, number, !is_id, answer)) {
        return;
    }
    if (whole_from(query, t, answer) || spoken_from(query, t, answer)) {
        seen(answer);
        return;
    }
    if (is_expression(t) && !lg_origin_date_from(query, t, answer)) {
        expression_from(query, t, answer);
        return;
    }
    if (answer->verdict != LG_ORIGIN_UNKNOWN || lg_origin_date_from(query, t, answer)) {
        return;
    }
    uint32_t words = word_count(t);
    if (words > VALUE_WORDS_MAX || is_prose_field(field)) {
        prose_from(query, t, answer);
        return;
    }
    parts_from(query, t, is_id, answer);
    if (answer->verdict != LG_ORIGIN_UNGROUNDED || part_from(query, t, field, answer)) {
        return;
    }
    if (is_kind_field(field) && is_label(t)) {
        answer->verdict = LG_ORIGIN_CHOSEN;
        answer->missing_count = 0;
    } else if (is_code(t) && !is_id) {
        answer->verdict = LG_ORIGIN_CODE;
    }
}
