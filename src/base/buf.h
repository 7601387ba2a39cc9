// buf.h: a growing byte buffer that fails once and stays failed.
//
// Append freely, then check once with lg_buf_status(). After a failure the contents are of no use.
#ifndef LG_BASE_BUF_H
#define LG_BASE_BUF_H

#include "base/types.h"

typedef struct lg_arena lg_arena; // arena.h

typedef struct lg_buf {
    char *ptr;
    size_t len;
    size_t cap;         // bytes at ptr, every one of which may be written
    size_t limit_bytes; // of `len`, not of `cap`
    lg_status status;
    bool lent; // ptr is the caller's memory: what outgrows it is copied, and it is never freed
} lg_buf;

// `limit_bytes` 0: no ceiling. No memory is held until the first append.
void lg_buf_init(lg_buf *buf, size_t limit_bytes);
// The same, but begins in `cap` bytes at `room`, which must outlive it: short texts never touch the
// system's allocator. Longer ones move out of it.
void lg_buf_init_in(lg_buf *buf, char *room, size_t cap, size_t limit_bytes);
void lg_buf_done(lg_buf *buf);  // frees; usable again after lg_buf_init
void lg_buf_clear(lg_buf *buf); // empties for reuse, keeps the memory, clears a failure

void lg_buf_add(lg_buf *buf, lg_str s);
void lg_buf_add_c(lg_buf *buf, const char *text);
void lg_buf_add_byte(lg_buf *buf, char byte);
void lg_buf_add_repeat(lg_buf *buf, char byte, size_t count);
LG_PRINTF(2, 3) void lg_buf_addf(lg_buf *buf, const char *format, ...);

// Makes room for `size_bytes` more and returns where they go, or NULL; then add to `len` yourself.
char *lg_buf_room(lg_buf *buf, size_t size_bytes);

// Hands the text over to the arena and is done with the buffer. `ptr` is NULL if the buffer has failed, or the arena is full.
LG_NODISCARD lg_str lg_buf_keep(lg_buf *buf, lg_arena *arena);

// LG_OK, LG_ERR_OOM or LG_ERR_LIMIT.
LG_NODISCARD lg_status lg_buf_status(const lg_buf *buf);

static inline lg_str lg_buf_str(const lg_buf *buf)
{
    return (lg_str){buf->ptr ? buf->ptr : "", buf->len};
}

#endif
