// buf.c: the growing buffer.
#include "base/buf.h"
#include "base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void lg_buf_init(lg_buf *buf, size_t limit_bytes)
{
    *buf = (lg_buf){.limit_bytes = limit_bytes ? limit_bytes : SIZE_MAX / 4};
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

char *lg_buf_room(lg_buf *buf, size_t size_bytes)
{
    if (buf->status != LG_OK) {
        return NULL;
    }
    if (size_bytes > buf->limit_bytes - buf->len) {
        buf->status = LG_ERR_LIMIT;
        return NULL;
    }
    // Also for no bytes at all: an offset from NULL is undefined, even one of 0.
    if (!buf->ptr || size_bytes > buf->cap - buf->len) {
        size_t cap = buf->cap < 128 ? 128 : buf->cap * 2;
        cap = cap - buf->len < size_bytes ? buf->len + size_bytes : cap;
        char *grown = lg_realloc(buf->ptr, cap + 1); // vsnprintf ends its text with a NUL
        if (!grown) {
            buf->status = LG_ERR_OOM;
            return NULL;
        }
        buf->ptr = grown;
        buf->cap = cap;
    }
    return buf->ptr + buf->len;
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

void lg_buf_addf(lg_buf *buf, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *room = len >= 0 ? lg_buf_room(buf, (size_t)len) : NULL;
    if (room) {
        vsnprintf(room, (size_t)len + 1, format, again);
        buf->len += (size_t)len;
    }
    va_end(again);
}

lg_status lg_buf_status(const lg_buf *buf)
{
    return buf->status;
}
