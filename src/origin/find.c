// find.c: the first place of a value among the words that were taken in.
//
// The words of a value need not be divided as in the text ("555-1234" and "5551234"), so every beginning of the
// value's folded bytes is asked for as a word, and what is found is compared from there on.
#include "origin/origin_internal.h"

#define GAP_MAX 4u // bytes that may stand between two words of one value

void lg_origin_query_begin(lg_origin_query *query, lg_origin *origin, lg_arena *arena)
{
    *query = (lg_origin_query){.origin = origin, .arena = arena};
    query->budget.left = origin->limits.steps;
    lg_origin_layer layer = {origin, origin->text_count, origin->entry_count, origin->number_count};
    uint32_t count = 0;
    while (layer.origin && count <= LG_ORIGIN_GENERATIONS_MAX) {
        query->layers[count++] = layer;
        const lg_origin *o = layer.origin;
        layer = (lg_origin_layer){o->parent, o->parent_texts, o->parent_entries, o->parent_numbers};
    }
    query->layer_count = count;
    for (uint32_t i = 0; i < count / 2; i++) {
        lg_origin_layer last = query->layers[count - 1 - i];
        query->layers[count - 1 - i] = query->layers[i];
        query->layers[i] = last;
    }
}

bool lg_origin_needle_of(lg_str value, char *bytes, lg_origin_needle *ret)
{
    lg_origin_needle needle = {.folded = {bytes, 0}};
    lg_origin_reader reader = {value, 0, false};
    lg_origin_word word;
    size_t len = 0;
    while (lg_origin_next_word(&reader, &word)) {
        if (needle.words == LG_ORIGIN_WORDS_MAX) {
            return false;
        }
        lg_origin_reader letters = {value, word.begin, false};
        while (letters.at < word.end) {
            lg_origin_letter letter = lg_origin_next_letter(&letters);
            for (uint32_t i = 0; i < letter.len; i++) {
                bytes[len++] = letter.bytes[i];
            }
        }
        needle.ends[needle.words++] = (uint32_t)len;
    }
    needle.folded.len = len;
    *ret = needle;
    return len > 0;
}

// The text in which byte `at` stands.
static const lg_origin_text *text_at(const lg_origin_layer *layer, uint32_t at)
{
    uint32_t low = 0;
    uint32_t high = layer->texts;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (layer->origin->texts[middle].base <= at) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return &layer->origin->texts[low];
}

lg_origin_place lg_origin_place_at(const lg_origin_layer *layer, uint32_t at, size_t len)
{
    const lg_origin_text *text = text_at(layer, at);
    uint32_t begin = at - text->base;
    return (lg_origin_place){.source = text->source,
                             .begin = begin,
                             .end = begin + (uint32_t)len,
                             .text = layer->origin->text_base +
                                     (uint32_t)(text - layer->origin->texts)};
}

// Another year behind a date without one?
static bool other_year(const lg_origin_text *text, size_t from, int32_t year)
{
    lg_origin_reader reader = {text->text, from, text->escapes};
    lg_origin_word next;
    if (!lg_origin_next_word(&reader, &next) || next.begin - from > GAP_MAX) {
        return false;
    }
    return next.digits == 4 && next.letters == 4 && next.number >= 1900 && next.number <= 2100 &&
           next.number != (uint64_t)year;
}

// Is `end` the end of a word of the needle?
static bool divides(const lg_origin_needle *needle, size_t end)
{
    for (uint32_t i = 0; i < needle->words; i++) {
        if (needle->ends[i] >= end) {
            return needle->ends[i] == end;
        }
    }
    return false;
}

// Do the words of the text from `begin` on read like the needle? Then where they end, else 0.
static size_t compare(lg_origin_query *query, const lg_origin_text *text, size_t begin,
                      const lg_origin_needle *needle)
{
    lg_origin_reader reader = {text->text, begin, text->escapes};
    size_t same = 0;
    size_t gap = begin;
    bool was_alone = false;
    lg_budget_take(&query->budget, 1 + needle->folded.len / 8);
    while (reader.at < text->text.len) {
        size_t at = reader.at;
        lg_origin_letter letter = lg_origin_next_letter(&reader);
        bool apart = !letter.len || was_alone || (letter.alone && same);
        if (apart && at == gap && same == needle->folded.len) {
            return at;
        }
        if (apart && needle->exact && at == gap && !divides(needle, same)) {
            return 0;
        }
        if (!letter.len) {
            if (reader.at - gap > GAP_MAX) {
                return 0;
            }
            was_alone = false;
            continue;
        }
        if (same + letter.len > needle->folded.len ||
            memcmp(needle->folded.ptr + same, letter.bytes, letter.len) != 0) {
            return 0;
        }
        if (needle->exact && at == gap && !apart && same && divides(needle, same)) {
            return 0; // the needle has two words where the text has one
        }
        same += letter.len;
        was_alone = letter.alone;
        gap = reader.at;
    }
    return same == needle->folded.len && (!needle->exact || divides(needle, same)) ? gap : 0;
}

// --- What grounds -------------------------------------------------------------------------------

static bool own_before(lg_origin_query *query, const lg_origin_needle *needle, uint32_t at);

// Does the user's next word after this text of the agent agree?
static bool is_agreed(lg_origin_query *query, uint32_t layer, const lg_origin_text *text)
{
    const lg_origin_layer *l = &query->layers[layer];
    uint32_t next = (uint32_t)(text - l->origin->texts) + 1;
    for (uint32_t i = layer; i < query->layer_count; i++, next = 0) {
        for (; next < query->layers[i].texts; next++) {
            if (!lg_budget_take(&query->budget, 1)) {
                return false;
            }
            if (query->layers[i].origin->texts[next].source.kind == LG_ORIGIN_USER) {
                return query->layers[i].origin->texts[next].agrees;
            }
        }
    }
    return false;
}

// Where to look, and for what of it to be content with.
typedef struct search {
    lg_origin_query *query;
    const lg_origin_needle *needle;
    bool own, confirmed, schema;
    uint32_t before; // of all bytes
} search;

static bool accepts(const search *s, uint32_t layer, const lg_origin_text *text, uint32_t at,
                    size_t end)
{
    if (at >= s->before) {
        return false;
    }
    if (s->needle->year && other_year(text, end, s->needle->year)) {
        return false;
    }
    if (!s->own && s->schema != (text->source.kind == LG_ORIGIN_SCHEMA)) {
        return false;
    }
    if (s->own) {
        return !s->confirmed ||
               (text->source.kind == LG_ORIGIN_AGENT && is_agreed(s->query, layer, text));
    }
    return text->source.kind != LG_ORIGIN_ERROR || !own_before(s->query, s->needle, at);
}

// The first place of the needle whose first word in the text has the hash, before `*best`.
static void search_hash(const search *s, uint32_t layer, uint64_t hash, uint32_t *best, size_t *len)
{
    const lg_origin_layer *l = &s->query->layers[layer];
    uint32_t entry = lg_origin_first(l->origin, hash, l->entries);
    while (entry < l->entries && l->origin->entries[entry].at < *best) {
        if (!lg_budget_take(&s->query->budget, 1)) {
            return;
        }
        uint32_t at = l->origin->entries[entry].at;
        const lg_origin_text *text = text_at(l, at);
        size_t end = compare(s->query, text, at - text->base, s->needle);
        if (end && accepts(s, layer, text, at, end)) {
            *best = at;
            *len = end - (at - text->base);
            return;
        }
        entry = l->origin->entries[entry].next;
    }
}

static bool search_all(const search *s, lg_origin_place *ret)
{
    const lg_origin_needle *needle = s->needle;
    lg_origin_class class = s->own ? LG_ORIGIN_OWN : LG_ORIGIN_GROUND;
    for (uint32_t i = 0; i < s->query->layer_count; i++) {
        if (!lg_budget_take(&s->query->budget, needle->exact ? 2 : 2 + needle->folded.len)) {
            return false;
        }
        uint32_t best = LG_ORIGIN_NONE_AT;
        size_t len = 0;
        uint64_t state = LG_ORIGIN_HASH_START;
        for (size_t n = 0; n < needle->folded.len && n < LG_ORIGIN_SHORT * 2; n++) {
            state = lg_origin_hash_add(state, needle->folded.ptr[n]);
            if (!needle->exact || n + 1 == needle->ends[0]) {
                search_hash(s, i, lg_origin_hash_end(state, class), &best, &len);
            }
        }
        if (best != LG_ORIGIN_NONE_AT) {
            *ret = lg_origin_place_at(&s->query->layers[i], best, len);
            return true;
        }
    }
    return false;
}

static bool own_before(lg_origin_query *query, const lg_origin_needle *needle, uint32_t at)
{
    search s = {query, needle, .own = true, .before = at};
    lg_origin_place place;
    return search_all(&s, &place);
}

bool lg_origin_find(lg_origin_query *query, const lg_origin_needle *needle, lg_origin_place *ret)
{
    search s = {query, needle, .before = LG_ORIGIN_NONE_AT};
    if (search_all(&s, ret)) {
        return true;
    }
    s.schema = true;
    return query->origin->has_schema && search_all(&s, ret);
}

bool lg_origin_find_own(lg_origin_query *query, const lg_origin_needle *needle, bool confirmed,
                        lg_origin_place *ret)
{
    search s = {query, needle, .own = true, .confirmed = confirmed, .before = LG_ORIGIN_NONE_AT};
    if (!search_all(&s, ret)) {
        return false;
    }
    ret->source.kind = confirmed ? LG_ORIGIN_CONFIRMED : ret->source.kind;
    return true;
}

bool lg_origin_find_words(lg_origin_query *query, lg_str value, lg_origin_place *ret)
{
    char bytes[2 * LG_ORIGIN_SHORT];
    lg_origin_needle needle;
    if (value.len > LG_ORIGIN_SHORT || !lg_origin_needle_of(value, bytes, &needle)) {
        return false;
    }
    needle.exact = true;
    return lg_origin_find(query, &needle, ret);
}

bool lg_origin_find_inside(lg_origin_query *query, lg_str word, lg_origin_place *ret)
{
    for (uint32_t i = 0; i < query->layer_count; i++) {
        const lg_origin_layer *l = &query->layers[i];
        for (uint32_t t = 0; t < l->texts; t++) {
            const lg_origin_text *text = &l->origin->texts[t];
            if (text->source.kind != LG_ORIGIN_USER || text->text.len < word.len) {
                continue;
            }
            if (!lg_budget_take(&query->budget, 1 + text->text.len / 4)) {
                return false;
            }
            for (size_t at = 0; at + word.len <= text->text.len; at++) {
                if (lg_str_eq_any_case(lg_str_slice(text->text, at, at + word.len), word)) {
                    *ret = lg_origin_place_at(l, text->base + (uint32_t)at, word.len);
                    return true;
                }
            }
        }
    }
    return false;
}

// --- Numbers ------------------------------------------------------------------------------------

// Is the number written at `at`? Then its length, else 0.
static size_t reads(const lg_origin_text *text, size_t at, lg_origin_decimal number)
{
    lg_origin_decimal read;
    lg_str rest = {text->text.ptr + at, text->text.len - at};
    size_t len = lg_origin_read_decimal(rest, &read);
    return len && read.mantissa == number.mantissa && read.scale == number.scale ? len : 0;
}

static bool find_number(const search *s, lg_origin_decimal number, lg_origin_place *ret);

static bool accepts_number(const search *s, uint32_t layer, const lg_origin_text *text, uint32_t at,
                           lg_origin_decimal number)
{
    if (s->own) {
        return !s->confirmed ||
               (text->source.kind == LG_ORIGIN_AGENT && is_agreed(s->query, layer, text));
    }
    if (s->schema != (text->source.kind == LG_ORIGIN_SCHEMA)) {
        return false;
    }
    search own = {.query = s->query, .own = true, .before = at};
    lg_origin_place place;
    return text->source.kind != LG_ORIGIN_ERROR || !find_number(&own, number, &place);
}

static bool find_number(const search *s, lg_origin_decimal number, lg_origin_place *ret)
{
    uint64_t hash =
        lg_origin_hash_decimal(number, s->own ? LG_ORIGIN_OWN_NUMBER : LG_ORIGIN_GROUND_NUMBER);
    for (uint32_t i = 0; i < s->query->layer_count; i++) {
        const lg_origin_layer *l = &s->query->layers[i];
        uint32_t entry = lg_origin_first(l->origin, hash, l->entries);
        if (!lg_budget_take(&s->query->budget, 1)) {
            return false;
        }
        for (; entry < l->entries; entry = l->origin->entries[entry].next) {
            uint32_t at = l->origin->entries[entry].at;
            if (at >= s->before || !lg_budget_take(&s->query->budget, 1)) {
                return false;
            }
            const lg_origin_text *text = text_at(l, at);
            size_t len = reads(text, at - text->base, number);
            if (len && accepts_number(s, i, text, at, number)) {
                *ret = lg_origin_place_at(l, at, len);
                return true;
            }
        }
    }
    return false;
}

bool lg_origin_find_number(lg_origin_query *query, lg_origin_decimal number, lg_origin_place *ret)
{
    search s = {.query = query, .before = LG_ORIGIN_NONE_AT};
    if (find_number(&s, number, ret)) {
        return true;
    }
    s.schema = true;
    return query->origin->has_schema && find_number(&s, number, ret);
}

bool lg_origin_find_own_number(lg_origin_query *query, lg_origin_decimal number, bool confirmed,
                               lg_origin_place *ret)
{
    search s = {.query = query, .own = true, .confirmed = confirmed, .before = LG_ORIGIN_NONE_AT};
    if (!find_number(&s, number, ret)) {
        return false;
    }
    ret->source.kind = confirmed ? LG_ORIGIN_CONFIRMED : ret->source.kind;
    return true;
}
