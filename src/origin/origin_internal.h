// origin_internal.h: the index of words, and what the kinds of values share in looking things up in it.
#ifndef LG_ORIGIN_INTERNAL_H
#define LG_ORIGIN_INTERNAL_H

#include "origin/origin.h"

#define LG_ORIGIN_GENERATIONS_MAX 64u
#define LG_ORIGIN_NONE_AT UINT32_MAX

// --- Reading words (words.c) --------------------------------------------------------------------

// A place in a text that is read character by character.
typedef struct lg_origin_reader {
    lg_str text;
    size_t at;
    bool escapes; // of JSON: `\n` and `\u00e9` are read as what they stand for
} lg_origin_reader;

// What a character is to a word: its folded bytes, none if it stands between words, or all of a word.
typedef struct lg_origin_letter {
    char bytes[4];
    uint32_t len;
    bool alone;
} lg_origin_letter;

// Moves past one character; it is not at the end.
lg_origin_letter lg_origin_next_letter(lg_origin_reader *reader);

typedef struct lg_origin_word {
    size_t begin, end; // in the text
    uint64_t state;    // of the hash of its folded bytes
    uint32_t digits;   // that it begins with
    uint32_t letters;  // all of its folded bytes
    uint64_t number;   // that these digits are, if they are 18 at most
} lg_origin_word;

// Moves past the next word. False if there is none.
bool lg_origin_next_word(lg_origin_reader *reader, lg_origin_word *ret);

#define LG_ORIGIN_HASH_START UINT64_C(0xCBF29CE484222325)
static inline uint64_t lg_origin_hash_add(uint64_t state, char byte)
{
    return (state ^ (unsigned char)byte) * UINT64_C(0x9E3779B97F4A7C15);
}

// What is hashed apart: words that ground, words of the agent, numbers of each.
typedef enum lg_origin_class {
    LG_ORIGIN_GROUND,
    LG_ORIGIN_OWN,
    LG_ORIGIN_GROUND_NUMBER,
    LG_ORIGIN_OWN_NUMBER,
} lg_origin_class;

static inline uint64_t lg_origin_hash_end(uint64_t state, lg_origin_class class)
{
    uint64_t mixed = (state ^ (uint64_t)(class + 1)) * UINT64_C(0xD6E8FEB86659FD93);
    mixed = (mixed ^ mixed >> 32) * UINT64_C(0xD6E8FEB86659FD93);
    return (mixed ^ mixed >> 29) | 1; // 0 is an empty slot
}

// --- The index (index.c) ------------------------------------------------------------------------

typedef struct lg_origin_text {
    lg_str text;
    lg_origin_source source;
    uint32_t base; // of its first byte among all bytes
    bool escapes;
    bool agrees; // the user says yes
} lg_origin_text;

// One occurrence of a word or number. Those of one hash are a list in their order.
typedef struct lg_origin_entry {
    uint32_t at; // among all bytes
    uint32_t next;
} lg_origin_entry;

typedef struct lg_origin_slot {
    uint64_t hash;
    uint32_t first, last;
} lg_origin_slot;

// A number that was seen, in ten-thousandths: for sums.
typedef struct lg_origin_number {
    int64_t value;
    uint32_t entry;
} lg_origin_number;

struct lg_origin {
    lg_origin_limits limits;
    lg_origin *parent; // what it was forked from, as far as the three counts below say
    uint32_t parent_texts, parent_entries, parent_numbers;
    uint32_t references;
    uint32_t generation;
    uint32_t base;       // bytes of the parents
    uint32_t entry_base; // words of the parents
    uint32_t text_base;  // texts of the parents
    uint32_t end;        // bytes of the parents and its own
    bool cut;            // a text was left out
    bool has_schema;     // one of its texts, or of its parents', is of a tool's schema
    lg_origin_text *texts;
    lg_origin_entry *entries;
    lg_origin_slot *slots;
    lg_origin_number *numbers;
    uint32_t text_count, text_room;
    uint32_t entry_count, entry_room;
    uint32_t slot_count, slot_room; // the room is a power of two, or 0
    uint32_t number_count, number_room;
};

// The first entry of `hash` among the first `entries` of this generation, or LG_ORIGIN_NONE_AT.
uint32_t lg_origin_first(const lg_origin *origin, uint64_t hash, uint32_t entries);

// A decimal number: `mantissa` / 10^`scale`, without trailing zeros behind the point.
typedef struct lg_origin_decimal {
    uint64_t mantissa;
    uint32_t scale;
} lg_origin_decimal;

#define LG_ORIGIN_INTEGER_MAX UINT64_C(999999999) // what is larger is an id and looked up as a word

// Reads digits, groups of three behind commas, and a fraction. Returns how many bytes, 0 if it is no such number.
size_t lg_origin_read_decimal(lg_str text, lg_origin_decimal *ret);
uint64_t lg_origin_hash_decimal(lg_origin_decimal number, lg_origin_class class);

// In ten-thousandths, or -1.
int64_t lg_origin_fixed(lg_origin_decimal number);

// --- Looking up (find.c) ------------------------------------------------------------------------

// One generation and how much of it is seen.
typedef struct lg_origin_layer {
    const lg_origin *origin;
    uint32_t texts, entries, numbers;
} lg_origin_layer;

typedef struct lg_origin_query {
    lg_origin *origin;
    lg_arena *arena;
    lg_budget budget;
    lg_origin_layer layers[LG_ORIGIN_GENERATIONS_MAX + 1]; // the oldest first
    uint32_t layer_count;
    const lg_json *args; // whole
    bool failed;         // out of memory
} lg_origin_query;

void lg_origin_query_begin(lg_origin_query *query, lg_origin *origin, lg_arena *arena);

#define LG_ORIGIN_WORDS_MAX 64u // of a value that is looked up as one

// A value as it is looked up: its folded bytes without what stands between words.
typedef struct lg_origin_needle {
    lg_str folded;
    uint32_t words;
    uint32_t ends[LG_ORIGIN_WORDS_MAX]; // of each word in `folded`
    bool exact;                         // words must be divided in the same places
    int32_t year; // of a date that is looked up without it: another one may not follow; or 0
} lg_origin_needle;

// `bytes`: room for as many as the value has. False if it has no word, or too many.
bool lg_origin_needle_of(lg_str value, char *bytes, lg_origin_needle *ret);

// The first place of the needle in what grounds. `*ret` is only set when it is found.
bool lg_origin_find(lg_origin_query *query, const lg_origin_needle *needle, lg_origin_place *ret);
// The same of `value`, at most LG_ORIGIN_SHORT bytes; as exact words.
#define LG_ORIGIN_SHORT 64u
bool lg_origin_find_words(lg_origin_query *query, lg_str value, lg_origin_place *ret);
bool lg_origin_find_number(lg_origin_query *query, lg_origin_decimal number, lg_origin_place *ret);
// What the agent said: the same.
bool lg_origin_find_own(lg_origin_query *query, const lg_origin_needle *needle, bool confirmed,
                        lg_origin_place *ret);
bool lg_origin_find_own_number(lg_origin_query *query, lg_origin_decimal number, bool confirmed,
                               lg_origin_place *ret);

// Where the letters of `word` (ASCII) stand inside of longer words of the user's. Goes through all that the user said.
bool lg_origin_find_inside(lg_origin_query *query, lg_str word, lg_origin_place *ret);

// The place of an entry of a layer: `len` bytes.
lg_origin_place lg_origin_place_at(const lg_origin_layer *layer, uint32_t at, size_t len);

// --- Kinds of values ----------------------------------------------------------------------------

static inline void lg_origin_operand(lg_origin_answer *answer, const lg_origin_place *place)
{
    if (answer->operand_count < LG_ORIGIN_OPERANDS_MAX) {
        answer->operands[answer->operand_count++] = *place;
    }
}

static inline void lg_origin_miss(lg_origin_answer *answer, lg_str part)
{
    if (answer->missing_count < LG_ORIGIN_MISSING_MAX) {
        answer->missing[answer->missing_count++] = part;
    }
}

// Each sets verdict, place and operands and returns true if the value is grounded; else the answer is as it was.
bool lg_origin_number_from(lg_origin_query *query, lg_origin_decimal number, bool compute,
                           lg_origin_answer *answer);                    // number.c
bool lg_origin_decimal_of(const lg_json *value, lg_origin_decimal *ret); // of a number or its text
// date.c: is `text` a date, a time, or both? Then `answer` says where it is from.
bool lg_origin_date_from(lg_origin_query *query, lg_str text, lg_origin_answer *answer);
// Does a date begin at `text`? Its length, or 0.
size_t lg_origin_date_length(lg_str text);
// text.c: is the argument a limit, a page: how much to look at?
bool lg_origin_is_bound(lg_str field);
void lg_origin_text_from(lg_origin_query *query, lg_str text, lg_str field,
                         lg_origin_answer *answer);

#endif
