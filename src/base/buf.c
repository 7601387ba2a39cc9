// buf.c: the growing buffer.
#include "base/buf.h"
#include "base/alloc.h"
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// More than this is no limit: so that sums of sizes never wrap.
#define NO_LIMIT (SIZE_MAX / 4)

void lg_buf_init(lg_buf *buf, size_t limit_bytes)
{
    bool limited = limit_bytes > 0 && limit_bytes < NO_LIMIT;
    *buf = (lg_buf){.limit_bytes = limited ? limit_bytes : NO_LIMIT};
}

void lg_buf_init_in(lg_buf *buf, char *room, size_t cap, size_t limit_bytes)
{
    lg_buf_init(buf, limit_bytes);
    buf->ptr = room;
    buf->cap = cap;
    buf->lent = true;
}

void lg_buf_done(lg_buf *buf)
{
    if (!buf->lent) {
        lg_free(buf->ptr);
    }
    lg_buf_init(buf, buf->limit_bytes);
}

void lg_buf_clear(lg_buf *buf)
{
    buf->len = 0;
    buf->status = LG_OK;
}

// Memory of the buffer's own for `need` bytes. What is lent is copied and left as it is: it is the
// caller's, and none that the allocator knows.
static bool grow(lg_buf *buf, size_t need)
{
    size_t cap = buf->cap < 64 ? 128 : buf->cap * (buf->cap < 4096 ? 4 : 2);
    cap = cap < need ? need : cap;
    char *grown = lg_realloc(buf->lent ? NULL : buf->ptr, cap);
    if (!grown) {
        buf->status = LG_ERR_OOM;
        return false;
    }
    if (buf->lent && buf->len) {
        memcpy(grown, buf->ptr, buf->len);
    }
    buf->ptr = grown;
    buf->cap = cap;
    buf->lent = false;
    return true;
}

// Room for `size_bytes` of contents and for `spare_bytes` behind them, which no limit counts.
static char *reserve(lg_buf *buf, size_t size_bytes, size_t spare_bytes)
{
    if (buf->status != LG_OK) {
        return NULL;
    }
    if (size_bytes > buf->limit_bytes - buf->len) {
        buf->status = LG_ERR_LIMIT;
        return NULL;
    }
    size_t wanted = size_bytes + spare_bytes;
    // Also for no bytes at all: an offset from NULL is undefined, even one of 0.
    if ((!buf->ptr || wanted > buf->cap - buf->len) && !grow(buf, buf->len + wanted)) {
        return NULL;
    }
    return buf->ptr + buf->len;
}

char *lg_buf_room(lg_buf *buf, size_t size_bytes)
{
    return reserve(buf, size_bytes, 0);
}

void lg_buf_add(lg_buf *buf, lg_str s)
{
    char *room = lg_buf_room(buf, s.len);
    if (room && s.len) {
        memcpy(room, s.ptr, s.len);
        buf->len += s.len;
    }
}

void lg_buf_add_c(lg_buf *buf, const char *text)
{
    lg_buf_add(buf, (lg_str){text, strlen(text)});
}

void lg_buf_add_byte(lg_buf *buf, char byte)
{
    char *room = lg_buf_room(buf, 1);
    if (room) {
        *room = byte;
        buf->len++;
    }
}

void lg_buf_add_repeat(lg_buf *buf, char byte, size_t count)
{
    char *room = lg_buf_room(buf, count);
    if (room && count) {
        memset(room, byte, count);
        buf->len += count;
    }
}

// Into the room that there is, which most often is enough; else once more, when it is known how much is needed.
void lg_buf_addf(lg_buf *buf, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    bool usable = buf->status == LG_OK && buf->ptr;
    size_t left_bytes = usable ? buf->cap - buf->len : 0;
    int len = vsnprintf(usable ? buf->ptr + buf->len : NULL, left_bytes, format, args);
    va_end(args);
    if (len < 0 && buf->status == LG_OK) {
        buf->status = LG_ERR_LIMIT; // longer than an int can say
    }
    char *room = len < 0 ? NULL : reserve(buf, (size_t)len, 1); // vsnprintf ends with a NUL
    if (room && (size_t)len >= left_bytes) {
        vsnprintf(room, (size_t)len + 1, format, again);
    }
    buf->len += room ? (size_t)len : 0;
    va_end(again);
}

lg_status lg_buf_status(const lg_buf *buf)
{
    return buf->status;
}

lg_str lg_buf_keep(lg_buf *buf, lg_arena *arena)
{
    bool fine = buf->status == LG_OK;
    lg_str kept = fine ? lg_arena_str(arena, lg_buf_str(buf)) : (lg_str){NULL, 0};
    lg_buf_done(buf);
    return kept;
}
