// prefix.c: what was read of a request's messages, found again by the bytes that the next request begins with.
//
// A reading is looked for at each place where a message may end, the latest first, by a hash of the bytes up to there.
// The hash is fast and no more than a guess: two objects side by side in a text may be no messages, two texts may have one
// hash. Then the bytes are compared, all of them, so a wrong guess costs time and nothing else. The hash begins with the scope,
// which is secret: nobody outside sees or chooses where others' readings stand.
//
// Of Completions alone: the texts of the other protocols that stand outside of the list are events as well.
#include "proxy/exchange_internal.h"

#include "base/alloc.h"

#define READ_BYTES_MAX ((size_t)256 << 10) // a longer body is read as it is
#define PLACES_MAX 512u

typedef struct reading {
    shelf_item item;
    lg_hash_digest scope;
    lg_chat_reading *read;
} reading;

typedef struct place {
    uint64_t hash;
    size_t at;
} place;

// --- The hash -----------------------------------------------------------------------------------

static uint64_t fold_product(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t add_words(uint64_t hash, const uint64_t seeds[2], const char *bytes)
{
    uint64_t words[2];
    memcpy(words, bytes, sizeof(words));
    return fold_product(words[0] ^ seeds[0] ^ hash, words[1] ^ seeds[1]);
}

static uint64_t hash_on(uint64_t hash, const uint64_t seeds[2], const char *bytes, size_t len)
{
    char rest[16] = {0};
    size_t whole = len & ~(size_t)15;
    for (size_t i = 0; i < whole; i += 16) {
        hash = add_words(hash, seeds, bytes + i);
    }
    memcpy(rest, bytes + whole, len - whole);
    return fold_product(add_words(hash, seeds, rest) ^ seeds[1], len ^ seeds[0]);
}

// --- Places -------------------------------------------------------------------------------------

static size_t skip_blanks(lg_str body, size_t at)
{
    while (at < body.len && (body.ptr[at] == ' ' || body.ptr[at] == '\n' || body.ptr[at] == '\t' ||
                             body.ptr[at] == '\r')) {
        at++;
    }
    return at;
}

static size_t skip_byte(lg_str body, size_t at, char c) // SIZE_MAX: something else stands there
{
    at = at < body.len ? skip_blanks(body, at) : SIZE_MAX;
    return at < body.len && body.ptr[at] == c ? at + 1 : SIZE_MAX;
}

// Where the bracket of the messages seems to stand, or SIZE_MAX.
static size_t find_list(lg_str body)
{
    size_t key = lg_str_find(body, LG_STR("\"messages\""));
    size_t colon = key == SIZE_MAX ? SIZE_MAX : skip_byte(body, key + 10, ':');
    size_t open = colon == SIZE_MAX ? SIZE_MAX : skip_byte(body, colon, '[');
    return open == SIZE_MAX ? SIZE_MAX : open - 1;
}

// In a string a quote behind a brace would be escaped.
static bool is_between_objects(lg_str body, size_t at)
{
    size_t comma = skip_byte(body, at, ',');
    size_t brace = comma == SIZE_MAX ? SIZE_MAX : skip_byte(body, comma, '{');
    return brace != SIZE_MAX && skip_byte(body, brace, '"') != SIZE_MAX;
}

// The places behind `list_at` where a message may end, if they are not too many, as the hash goes on from one to the next.
static size_t find_places(lg_str body, size_t list_at, const uint64_t seeds[2],
                          place places[PLACES_MAX])
{
    size_t count = 1; // the bracket, where nothing was read
    const char *end = body.ptr + body.len;
    places[0] = (place){.hash = list_at, .at = list_at};
    for (const char *at = body.ptr + list_at; (at = memchr(at, '}', (size_t)(end - at))) != NULL;) {
        size_t behind = (size_t)(++at - body.ptr);
        if (!is_between_objects(body, behind)) {
            continue;
        }
        if (count == PLACES_MAX) {
            return 0;
        }
        const place *last = &places[count - 1];
        uint64_t hash = hash_on(last->hash, seeds, body.ptr + last->at, behind - last->at);
        places[count++] = (place){.hash = hash, .at = behind};
    }
    return count;
}

// As the place at `to` would have it in a body where another object follows.
static uint64_t hash_to(lg_str body, size_t to, const uint64_t seeds[2], const place *places,
                        size_t count)
{
    while (count > 1 && places[count - 1].at >= to) {
        count--;
    }
    const place *last = &places[count - 1];
    return hash_on(last->hash, seeds, body.ptr + last->at, to - last->at);
}

static lg_hash_digest key_of(uint64_t hash, size_t list_at, size_t to)
{
    lg_hash_digest key;
    uint64_t where = (uint64_t)list_at << 32 | (uint32_t)to;
    memcpy(key.bytes, &hash, sizeof(hash));
    memcpy(key.bytes + sizeof(hash), &where, sizeof(where));
    return key;
}

// --- Readings -----------------------------------------------------------------------------------

static void free_reading(reading *r)
{
    if (r) {
        lg_chat_reading_free(r->read);
        lg_free(r);
    }
}

void prefix_free_item(shelf_item *item)
{
    free_reading((reading *)item);
}

static reading *take(lg_exchange *x, size_t list_at, const place *places, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        lg_hash_digest key = key_of(places[i - 1].hash, list_at, places[i - 1].at);
        reading *r = (reading *)shelf_take(&x->proxy->readings, &key);
        if (r && lg_hash_digest_eq(&r->scope, &x->scope) &&
            lg_chat_reading_fits(r->read, x->o.body, list_at)) {
            return r;
        }
        free_reading(r);
    }
    return NULL;
}

static reading *begin(const lg_exchange *x, size_t list_at)
{
    reading *r = lg_zalloc(sizeof(*r));
    if (r) {
        r->scope = x->scope;
        r->read = lg_chat_reading_new(list_at, &x->proxy->key, x->proxy->limits.document_bytes);
    }
    if (r && !r->read) {
        free_reading(r);
        r = NULL;
    }
    return r;
}

bool prefix_read(lg_exchange *x, const lg_chat_options *options)
{
    place places[PLACES_MAX];
    uint64_t seeds[2];
    lg_str body = x->o.body;
    bool suits = x->o.api == LG_CHAT_COMPLETIONS && body.len <= READ_BYTES_MAX &&
                 !x->proxy->reads_anew && !x->reading;
    size_t list_at = suits ? find_list(body) : SIZE_MAX;
    memcpy(seeds, x->scope.bytes, sizeof(seeds));
    size_t count = list_at == SIZE_MAX ? 0 : find_places(body, list_at, seeds, places);
    if (!count) {
        return false;
    }
    reading *r = take(x, list_at, places, count);
    exchange_add(x, COUNT_readings, r != NULL);
    r = r ? r : begin(x, list_at);
    if (!r || lg_chat_request_read_on(&x->asked, r->read, body, options, &x->request,
                                      &x->reads_on) != LG_OK) {
        free_reading(r);
        lg_arena_reset(&x->asked);
        return false;
    }
    size_t to = lg_chat_reading_end(r->read);
    r->item.key = key_of(hash_to(body, to, seeds, places, count), list_at, to);
    r->item.bytes = sizeof(*r) + lg_chat_reading_bytes(r->read);
    x->reading = &r->item;
    return true;
}

size_t prefix_bytes(const lg_exchange *x)
{
    return x->reading ? x->reading->bytes : 0;
}

void prefix_put_back(lg_exchange *x)
{
    shelf_item *item = x->reading;
    x->reading = NULL;
    if (item && x->reads_on) {
        shelf_put(&x->proxy->readings, item);
    } else if (item) {
        prefix_free_item(item);
    }
}
