// index.c: taking texts in: where every word and number of a conversation stands; forks.
#include "origin/origin_internal.h"

#include "base/alloc.h"

static const lg_origin_limits usual = {
    .text_bytes = (size_t)64 << 20,
    .memory_bytes = (size_t)256 << 20,
    .entries = 16u << 20,
    .steps = 4u << 20,
};

lg_status lg_origin_new(const lg_origin_limits *limits, lg_origin **ret_origin)
{
    lg_origin *origin = lg_zalloc(sizeof(*origin));
    if (!origin) {
        return LG_ERR_OOM;
    }
    lg_origin_limits l = limits ? *limits : usual;
    l.text_bytes = l.text_bytes ? l.text_bytes : usual.text_bytes;
    l.text_bytes = l.text_bytes < UINT32_MAX ? l.text_bytes : UINT32_MAX - 1;
    l.memory_bytes = l.memory_bytes ? l.memory_bytes : usual.memory_bytes;
    l.entries = l.entries ? l.entries : usual.entries;
    l.steps = l.steps ? l.steps : usual.steps;
    origin->limits = l;
    origin->references = 1;
    *ret_origin = origin;
    return LG_OK;
}

void lg_origin_free(lg_origin *origin)
{
    while (origin && --origin->references == 0) {
        lg_origin *parent = origin->parent;
        lg_free(origin->texts);
        lg_free(origin->entries);
        lg_free(origin->slots);
        lg_free(origin->numbers);
        lg_free(origin);
        origin = parent;
    }
}

lg_status lg_origin_fork(lg_origin *origin, lg_origin **ret_fork)
{
    // What has nothing of its own is no generation.
    bool own = origin->text_count > 0 || !origin->parent;
    if (own && origin->generation + 1 >= LG_ORIGIN_GENERATIONS_MAX) {
        return LG_ERR_LIMIT;
    }
    lg_origin *fork = NULL;
    lg_status status = lg_origin_new(&origin->limits, &fork);
    if (status != LG_OK) {
        return status;
    }
    fork->parent = own ? origin : origin->parent;
    fork->parent_texts = own ? origin->text_count : origin->parent_texts;
    fork->parent_entries = own ? origin->entry_count : origin->parent_entries;
    fork->parent_numbers = own ? origin->number_count : origin->parent_numbers;
    fork->generation = origin->generation + own;
    fork->base = origin->end;
    fork->end = origin->end;
    fork->entry_base = origin->entry_base + origin->entry_count;
    fork->text_base = origin->text_base + origin->text_count;
    fork->cut = origin->cut;
    fork->has_schema = origin->has_schema;
    fork->parent->references++;
    *ret_fork = fork;
    return LG_OK;
}

bool lg_origin_is_whole(const lg_origin *origin)
{
    return !origin->cut;
}

static size_t held_bytes(const lg_origin *origin)
{
    return origin->text_room * sizeof(*origin->texts) +
           origin->entry_room * sizeof(*origin->entries) +
           origin->slot_room * sizeof(*origin->slots) +
           origin->number_room * sizeof(*origin->numbers);
}

// Room for one more of `size_bytes` each, or the old array and false.
static bool grow(lg_origin *origin, void **items, uint32_t count, uint32_t *room, size_t size_bytes)
{
    if (count < *room) {
        return true;
    }
    uint32_t more = *room ? *room : 64;
    size_t wanted = (size_t)(*room + more) * size_bytes;
    if (more > UINT32_MAX / 2 - *room ||
        more * size_bytes > origin->limits.memory_bytes - held_bytes(origin)) {
        return false;
    }
    void *moved = lg_realloc(*items, wanted);
    if (!moved) {
        return false;
    }
    *items = moved;
    *room += more;
    return true;
}

static lg_origin_slot *slot_of(lg_origin_slot *slots, uint32_t room, uint64_t hash)
{
    uint32_t at = (uint32_t)(hash >> 16) & (room - 1);
    while (slots[at].hash && slots[at].hash != hash) {
        at = (at + 1) & (room - 1);
    }
    return &slots[at];
}

static bool grow_slots(lg_origin *origin)
{
    uint32_t room = origin->slot_room ? 2 * origin->slot_room : 256;
    if (room > UINT32_MAX / 2 ||
        room * sizeof(lg_origin_slot) > origin->limits.memory_bytes - held_bytes(origin)) {
        return false;
    }
    lg_origin_slot *slots = lg_zalloc(room * sizeof(*slots));
    if (!slots) {
        return false;
    }
    for (uint32_t i = 0; i < origin->slot_room; i++) {
        if (origin->slots[i].hash) {
            *slot_of(slots, room, origin->slots[i].hash) = origin->slots[i];
        }
    }
    lg_free(origin->slots);
    origin->slots = slots;
    origin->slot_room = room;
    return true;
}

// False where a bound was reached. `*ret_new`: there was none of this hash.
static inline bool put(lg_origin *origin, uint64_t hash, uint32_t at, bool *ret_new)
{
    if (origin->entry_base + origin->entry_count >= origin->limits.entries ||
        !grow(origin, (void **)&origin->entries, origin->entry_count, &origin->entry_room,
              sizeof(*origin->entries)) ||
        (origin->slot_count >= origin->slot_room / 2 && !grow_slots(origin))) {
        return false;
    }
    uint32_t entry = origin->entry_count++;
    origin->entries[entry] = (lg_origin_entry){.at = at, .next = LG_ORIGIN_NONE_AT};
    lg_origin_slot *slot = slot_of(origin->slots, origin->slot_room, hash);
    *ret_new = !slot->hash;
    if (slot->hash) {
        origin->entries[slot->last].next = entry;
        slot->last = entry;
        return true;
    }
    *slot = (lg_origin_slot){hash, entry, entry};
    origin->slot_count++;
    return true;
}

uint32_t lg_origin_first(const lg_origin *origin, uint64_t hash, uint32_t entries)
{
    if (!origin->slot_room) {
        return LG_ORIGIN_NONE_AT;
    }
    const lg_origin_slot *slot = slot_of(origin->slots, origin->slot_room, hash);
    return slot->hash && slot->first < entries ? slot->first : LG_ORIGIN_NONE_AT;
}

// --- Numbers ------------------------------------------------------------------------------------

static bool digits_at(lg_str text, size_t at, size_t count)
{
    for (size_t i = at; i < at + count; i++) {
        if (i >= text.len || !lg_is_digit(text.ptr[i])) {
            return false;
        }
    }
    return true;
}

size_t lg_origin_read_decimal(lg_str text, lg_origin_decimal *ret)
{
    size_t at = 0;
    size_t count = 0;
    uint64_t mantissa = 0;
    uint32_t scale = 0;
    for (; digits_at(text, at, 1) && count <= 18; count++) {
        mantissa = mantissa * 10 + (uint64_t)(text.ptr[at++] - '0');
    }
    size_t first = count;
    while (first && first <= 3 && at < text.len && text.ptr[at] == ',' && count <= 12 &&
           digits_at(text, at + 1, 3) && !digits_at(text, at + 4, 1)) {
        for (size_t end = at + 4; ++at < end; count++) {
            mantissa = mantissa * 10 + (uint64_t)(text.ptr[at] - '0');
        }
    }
    if (count == 0 || count > 18) {
        return 0;
    }
    if (at < text.len && text.ptr[at] == '.' && digits_at(text, at + 1, 1)) {
        for (at++; digits_at(text, at, 1) && count <= 18 && scale < 9; count++, scale++) {
            mantissa = mantissa * 10 + (uint64_t)(text.ptr[at++] - '0');
        }
    }
    if (digits_at(text, at, 1)) {
        return 0;
    }
    for (; scale && mantissa % 10 == 0; scale--) {
        mantissa /= 10;
    }
    *ret = (lg_origin_decimal){mantissa, scale};
    return at;
}

uint64_t lg_origin_hash_decimal(lg_origin_decimal number, lg_origin_class class)
{
    uint64_t state = (number.mantissa ^ (uint64_t)number.scale << 60) * LG_ORIGIN_HASH_START;
    return lg_origin_hash_end(state ^ state >> 31, class);
}

int64_t lg_origin_fixed(lg_origin_decimal number)
{
    if (number.scale > 4 || number.mantissa > (uint64_t)1 << 44) {
        return -1;
    }
    int64_t fixed = (int64_t)number.mantissa;
    for (uint32_t i = number.scale; i < 4; i++) {
        fixed *= 10;
    }
    return fixed;
}

static bool put_number(lg_origin *origin, lg_origin_decimal number, uint32_t at,
                       lg_origin_class class)
{
    bool is_new = false;
    if (!put(origin, lg_origin_hash_decimal(number, class), at, &is_new)) {
        return false;
    }
    int64_t value = lg_origin_fixed(number);
    if (!is_new || value <= 0 || class != LG_ORIGIN_GROUND_NUMBER) {
        return true;
    }
    if (!grow(origin, (void **)&origin->numbers, origin->number_count, &origin->number_room,
              sizeof(*origin->numbers))) {
        return false;
    }
    origin->numbers[origin->number_count++] =
        (lg_origin_number){.value = value, .entry = origin->entry_count - 1};
    return true;
}

// --- Texts --------------------------------------------------------------------------------------

// A number that a word of digits begins, or the digits that a unit follows ("16th", "2GB"). Returns the byte behind it
// in `*until`, so that what stands behind its point is not read once more. False where a bound was reached.
static bool take_number(lg_origin *origin, const lg_origin_text *text, const lg_origin_word *word,
                        size_t *until, lg_origin_class class)
{
    lg_str t = text->text;
    bool plain = word->digits == word->letters;
    if (word->begin < *until || word->digits > 18 || (!plain && word->letters - word->digits > 3)) {
        return true;
    }
    lg_origin_decimal number = {word->number, 0};
    size_t len = word->end - word->begin;
    char behind = word->end < t.len ? t.ptr[word->end] : ' ';
    if (plain && (behind == '.' || behind == ',') && digits_at(t, word->end + 1, 1)) {
        len = lg_origin_read_decimal((lg_str){t.ptr + word->begin, t.len - word->begin}, &number);
        *until = word->begin + len;
    }
    if (len == 0 || (number.scale == 0 && number.mantissa > LG_ORIGIN_INTEGER_MAX)) {
        return true;
    }
    return put_number(origin, number, text->base + (uint32_t)word->begin, class);
}

static bool take_words(lg_origin *origin, const lg_origin_text *text)
{
    bool own = text->source.kind == LG_ORIGIN_AGENT || text->source.kind == LG_ORIGIN_CALL;
    lg_origin_reader reader = {text->text, 0, text->escapes};
    lg_origin_word word;
    size_t until = 0;
    bool is_new = false;
    while (lg_origin_next_word(&reader, &word)) {
        uint64_t hash = lg_origin_hash_end(word.state, own ? LG_ORIGIN_OWN : LG_ORIGIN_GROUND);
        if (!put(origin, hash, text->base + (uint32_t)word.begin, &is_new)) {
            return false;
        }
        if (word.digits && !take_number(origin, text, &word, &until,
                                        own ? LG_ORIGIN_OWN_NUMBER : LG_ORIGIN_GROUND_NUMBER)) {
            return false;
        }
    }
    return true;
}

// Does the user say yes? Then what the agent had just said is the user's word.
static bool agrees(lg_str text)
{
    static const char *const words[] = {
        "yes",          "yeah",         "yep",    "yup",     "sure",   "ok",
        "okay",         "correct",      "right",  "go",      "please", "confirm",
        "confirmed",    "agreed",       "sounds", "perfect", "great",  "absolutely",
        "\xE6\x98\xAF",                 // "is so"
        "\xE5\xA5\xBD",                 // "good"
        "\xE5\xB0\x8D", "\xE5\xAF\xB9", // "correct"
        "\xE7\xA2\xBA", "\xE7\xA1\xAE", // "confirm"
        "\xE5\x8F\xAF", "\xE6\xB2\x92", // "may", "no problem"
    };
    lg_origin_reader reader = {lg_str_slice(text, 0, 256), 0, false};
    lg_origin_word word;
    for (int i = 0; i < 3 && lg_origin_next_word(&reader, &word); i++) {
        lg_str said = lg_str_slice(text, word.begin, word.end);
        for (size_t w = 0; w < LG_COUNT(words); w++) {

            if (lg_str_eq_any_case(said, lg_str_c(words[w]))) {
                return true;
            }
        }
        if (lg_str_eq_any_case(said, LG_STR("no")) || lg_str_eq_any_case(said, LG_STR("not"))) {
            return false;
        }
    }
    return false;
}

void lg_origin_take(lg_origin *origin, lg_origin_source source, lg_str text)
{
    if (text.len == 0 || origin->cut) {
        return;
    }
    if (text.len > origin->limits.text_bytes - origin->end ||
        !grow(origin, (void **)&origin->texts, origin->text_count, &origin->text_room,
              sizeof(*origin->texts))) {
        origin->cut = true;
        return;
    }
    lg_str trimmed = lg_str_trim(lg_str_slice(text, 0, 64));
    bool json = trimmed.len && (trimmed.ptr[0] == '{' || trimmed.ptr[0] == '[');
    if (source.kind == LG_ORIGIN_FIELD && !json) {
        source.kind = LG_ORIGIN_TEXT;
    }
    lg_origin_text taken = {.text = text, .source = source, .base = origin->end};
    taken.escapes = json || source.kind == LG_ORIGIN_TEXT || source.kind == LG_ORIGIN_ERROR;
    taken.agrees = source.kind == LG_ORIGIN_USER && agrees(text);
    origin->texts[origin->text_count++] = taken;
    origin->end += (uint32_t)text.len;
    origin->has_schema = origin->has_schema || source.kind == LG_ORIGIN_SCHEMA;
    origin->cut = !take_words(origin, &taken);
}
