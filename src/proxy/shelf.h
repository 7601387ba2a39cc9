// shelf.h: a bounded table of things by digest, shared by threads: what was used longest ago goes first.
//
// A thing embeds a `shelf_item` as its first member and belongs to the shelf while it stands there. Keys are keyed
// digests, so nobody outside chooses where in the table something stands.
#ifndef LG_PROXY_SHELF_H
#define LG_PROXY_SHELF_H

#include "base/buf.h"
#include "base/keyed_hash.h"

#include <pthread.h>

typedef struct shelf_item {
    lg_hash_digest key;
    size_t bytes; // that the thing takes, as its owner says
    struct shelf_item *next_in_slot;
    struct shelf_item *newer, *older;
} shelf_item;

typedef struct shelf {
    pthread_mutex_t lock;
    shelf_item **slots; // a power of two of them, or NULL
    size_t slot_count;
    shelf_item *newest, *oldest;
    size_t count, bytes;
    size_t limit_count, limit_bytes;
    void (*free_item)(shelf_item *item);
} shelf;

void shelf_init(shelf *s, size_t limit_count, size_t limit_bytes, void (*free_item)(shelf_item *));
void shelf_done(shelf *s); // frees what stands there

// The thing of this key, which is the caller's from now on; NULL: there is none.
shelf_item *shelf_take(shelf *s, const lg_hash_digest *key);

// Hands `item` over with its key and bytes set. One that has the same key, and the oldest ones over the limits, are
// freed; so is `item` itself, if it is larger than all of the shelf or there is no memory for it.
void shelf_put(shelf *s, shelf_item *item);

// Other limits from now on: the oldest ones over them are freed.
void shelf_limit(shelf *s, size_t limit_count, size_t limit_bytes);

// --- Texts --------------------------------------------------------------------------------------

// The same for texts, which are copied in and out: a shelf with shelf_free_text.
void shelf_free_text(shelf_item *item);
// False: out of memory, or too large; it is not kept then.
bool shelf_put_text(shelf *s, const lg_hash_digest *key, lg_str text);
// Appends a copy of the text to `out`, if there is one. It counts as used.
bool shelf_get_text(shelf *s, const lg_hash_digest *key, lg_buf *out);

#endif
