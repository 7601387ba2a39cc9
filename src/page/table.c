// table.c: digests of texts in an open table: what was seen is known again in constant memory a text, however long it
// is. The digests are cryptographic, because who wrote the texts must not be able to have one taken for another.
#include "page/page_internal.h"

#include "base/alloc.h"
#include "base/keyed_hash.h"

#include <string.h>

#define FIRST_CAPACITY 256u

void page_table_init(page_table *t, size_t limit)
{
    *t = (page_table){.limit = limit};
}

void page_table_done(page_table *t)
{
    lg_free(t->slots);
    t->slots = NULL;
}

void page_table_clear(page_table *t)
{
    if (t->slots) {
        memset(t->slots, 0, t->capacity * sizeof(t->slots[0]));
    }
    t->count = 0;
}

static page_slot *slot_of(page_slot *slots, size_t capacity, const unsigned char digest[16])
{
    uint64_t at;
    memcpy(&at, digest, sizeof(at));
    for (;; at++) {
        page_slot *slot = &slots[at & (capacity - 1)];
        if (slot->value == 0 || memcmp(slot->digest, digest, 16) == 0) {
            return slot;
        }
    }
}

static bool grow(page_table *t)
{
    size_t capacity = t->capacity ? 2 * t->capacity : FIRST_CAPACITY;
    page_slot *slots = lg_zalloc(capacity * sizeof(*slots));
    if (!slots) {
        t->status = LG_ERR_OOM;
        return false;
    }
    for (size_t i = 0; i < t->capacity; i++) {
        if (t->slots[i].value) {
            *slot_of(slots, capacity, t->slots[i].digest) = t->slots[i];
        }
    }
    lg_free(t->slots);
    t->slots = slots;
    t->capacity = capacity;
    return true;
}

uint32_t page_table_number(page_table *t, const lg_str *parts, size_t count, uint32_t next)
{
    lg_digest digest;
    lg_digest_parts(LG_STR(""), parts, count, &digest);
    if (2 * (t->count + 1) > t->capacity && !grow(t)) {
        return UINT32_MAX;
    }
    page_slot *slot = slot_of(t->slots, t->capacity, digest.bytes);
    if (slot->value) {
        return slot->value - 1;
    }
    if (t->count >= t->limit) {
        return UINT32_MAX;
    }
    memcpy(slot->digest, digest.bytes, sizeof(slot->digest));
    slot->value = next + 1;
    t->count++;
    return next;
}
