// shelf.c: a chained table that doubles, threaded by a list in the order of use.
#include "proxy/shelf.h"

#include "base/alloc.h"
#include "base/str.h"

#define SLOTS_FIRST 64u

void shelf_init(shelf *s, size_t limit_count, size_t limit_bytes, void (*free_item)(shelf_item *))
{
    *s = (shelf){.limit_count = limit_count, .limit_bytes = limit_bytes, .free_item = free_item};
    pthread_mutex_init(&s->lock, NULL);
}

void shelf_done(shelf *s)
{
    while (s->newest) {
        shelf_item *item = s->newest;
        s->newest = item->older;
        s->free_item(item);
    }
    lg_free(s->slots);
    pthread_mutex_destroy(&s->lock);
}

// --- The table, under the lock ------------------------------------------------------------------

// The digest is keyed, so any part of it is as good as random.
static size_t slot_of(const lg_hash_digest *key, size_t slot_count)
{
    size_t bits;
    memcpy(&bits, key->bytes, sizeof(bits));
    return bits & (slot_count - 1);
}

static shelf_item **find(const shelf *s, const lg_hash_digest *key)
{
    shelf_item **at = s->slots ? &s->slots[slot_of(key, s->slot_count)] : NULL;
    while (at && *at && !lg_hash_digest_eq(&(*at)->key, key)) {
        at = &(*at)->next_in_slot;
    }
    return at && *at ? at : NULL;
}

static void link_newest(shelf *s, shelf_item *item)
{
    item->newer = NULL;
    item->older = s->newest;
    if (s->newest) {
        s->newest->newer = item;
    } else {
        s->oldest = item;
    }
    s->newest = item;
}

static void unlink_item(shelf *s, shelf_item *item)
{
    *(item->newer ? &item->newer->older : &s->newest) = item->older;
    *(item->older ? &item->older->newer : &s->oldest) = item->newer;
}

static shelf_item *take_at(shelf *s, shelf_item **at)
{
    shelf_item *item = *at;
    *at = item->next_in_slot;
    unlink_item(s, item);
    s->count--;
    s->bytes -= item->bytes;
    return item;
}

// Without the memory for more slots the old ones do, if there are any.
static bool grow(shelf *s)
{
    size_t count = s->slot_count ? s->slot_count * 2 : SLOTS_FIRST;
    shelf_item **slots = lg_zalloc(count * sizeof(shelf_item *));
    if (!slots) {
        return s->slot_count > 0;
    }
    for (shelf_item *item = s->newest; item; item = item->older) {
        shelf_item **slot = &slots[slot_of(&item->key, count)];
        item->next_in_slot = *slot;
        *slot = item;
    }
    lg_free(s->slots);
    s->slots = slots;
    s->slot_count = count;
    return true;
}

static void insert(shelf *s, shelf_item *item)
{
    shelf_item **slot = &s->slots[slot_of(&item->key, s->slot_count)];
    item->next_in_slot = *slot;
    *slot = item;
    link_newest(s, item);
    s->count++;
    s->bytes += item->bytes;
}

// Takes the oldest out, in front of `out`: chained by `older`, they are freed without the lock.
static shelf_item *take_oldest(shelf *s, shelf_item *out)
{
    shelf_item *oldest = take_at(s, find(s, &s->oldest->key));
    oldest->older = out;
    return oldest;
}

// Takes out what `item` has to make room for.
static shelf_item *make_room(shelf *s, const shelf_item *item)
{
    shelf_item **same = find(s, &item->key);
    shelf_item *out = same ? take_at(s, same) : NULL;
    if (out) {
        out->older = NULL;
    }
    while (s->oldest && (s->count >= s->limit_count || s->bytes > s->limit_bytes - item->bytes)) {
        out = take_oldest(s, out);
    }
    return out;
}

static void free_all(const shelf *s, shelf_item *out)
{
    while (out) {
        shelf_item *next = out->older;
        s->free_item(out);
        out = next;
    }
}

// --- The face -----------------------------------------------------------------------------------

shelf_item *shelf_take(shelf *s, const lg_hash_digest *key)
{
    pthread_mutex_lock(&s->lock);
    shelf_item **at = find(s, key);
    shelf_item *item = at ? take_at(s, at) : NULL;
    pthread_mutex_unlock(&s->lock);
    return item;
}

static bool put(shelf *s, shelf_item *item)
{
    shelf_item *out = NULL;
    pthread_mutex_lock(&s->lock);
    bool fits = item->bytes <= s->limit_bytes && s->limit_count > 0;
    fits = fits && (s->count < s->slot_count || grow(s));
    if (fits) {
        out = make_room(s, item);
        insert(s, item);
    }
    LG_DEBUG_ASSERT(s->count <= s->limit_count && s->bytes <= s->limit_bytes);
    pthread_mutex_unlock(&s->lock);
    free_all(s, out);
    if (!fits) {
        s->free_item(item);
    }
    return fits;
}

void shelf_put(shelf *s, shelf_item *item)
{
    (void)put(s, item);
}

void shelf_limit(shelf *s, size_t limit_count, size_t limit_bytes)
{
    shelf_item *out = NULL;
    pthread_mutex_lock(&s->lock);
    s->limit_count = limit_count;
    s->limit_bytes = limit_bytes;
    while (s->oldest && (s->count > limit_count || s->bytes > limit_bytes)) {
        out = take_oldest(s, out);
    }
    pthread_mutex_unlock(&s->lock);
    free_all(s, out);
}

// --- Texts --------------------------------------------------------------------------------------

typedef struct text_item {
    shelf_item item;
    size_t len;
    char text[];
} text_item;

void shelf_free_text(shelf_item *item)
{
    lg_free(item);
}

bool shelf_put_text(shelf *s, const lg_hash_digest *key, lg_str text)
{
    text_item *kept = text.len < SIZE_MAX / 2 ? lg_alloc(sizeof(*kept) + text.len) : NULL;
    if (!kept) {
        return false;
    }
    *kept = (text_item){.item = {.key = *key, .bytes = sizeof(*kept) + text.len}, .len = text.len};
    lg_copy_bytes(kept->text, text.ptr, text.len);
    return put(s, &kept->item);
}

bool shelf_get_text(shelf *s, const lg_hash_digest *key, lg_buf *out)
{
    pthread_mutex_lock(&s->lock);
    shelf_item **at = find(s, key);
    if (at) {
        shelf_item *item = *at;
        text_item *kept = (text_item *)item;
        unlink_item(s, item);
        link_newest(s, item);
        lg_buf_add(out, (lg_str){kept->text, kept->len});
    }
    pthread_mutex_unlock(&s->lock);
    return at != NULL;
}
