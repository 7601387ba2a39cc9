// block.c: deflate without a header (RFC 1951), which browsers read as "deflate-raw", and base64 (RFC 4648).
#include "page/page_internal.h"

#include "base/alloc.h"
#include "base/base64.h"
#include "base/str.h"

#include <limits.h>
#define ZLIB_CONST // what is read is const
#include <zlib.h>

#define LEVEL 6
#define PACKED_ROOM (32u << 10)

static void *take(void *unused, unsigned count, unsigned size)
{
    (void)unused;
    return lg_alloc((size_t)count * size);
}

static void give(void *unused, void *memory)
{
    (void)unused;
    lg_free(memory);
}

void page_block_init(page_block *b)
{
    *b = (page_block){0};
    lg_buf_init(&b->packed, 0);
}

void page_block_done(page_block *b)
{
    if (b->stream) {
        (void)deflateEnd(b->stream);
        lg_free(b->stream);
        b->stream = NULL;
    }
    lg_buf_done(&b->packed);
}

static lg_status begin(page_block *b)
{
    z_stream *z = b->stream;
    if (z) {
        return deflateReset(z) == Z_OK ? LG_OK : LG_ERR_INTERNAL;
    }
    z = lg_zalloc(sizeof(*z));
    if (!z) {
        return LG_ERR_OOM;
    }
    z->zalloc = take;
    z->zfree = give;
    if (deflateInit2(z, LEVEL, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
        lg_free(z);
        return LG_ERR_OOM;
    }
    b->stream = z;
    return LG_OK;
}

// Takes all that is to be read, and with Z_FINISH writes all that is left.
static lg_status pump(page_block *b, int how)
{
    z_stream *z = b->stream;
    int status;
    do {
        char *room = lg_buf_room(&b->packed, PACKED_ROOM);
        if (!room) {
            return LG_ERR_OOM;
        }
        z->next_out = (Bytef *)room;
        z->avail_out = PACKED_ROOM;
        status = deflate(z, how);
        if (status == Z_STREAM_ERROR) {
            return LG_ERR_INTERNAL;
        }
        b->packed.len += PACKED_ROOM - z->avail_out;
    } while (z->avail_out == 0 || (how == Z_FINISH && status != Z_STREAM_END));
    return LG_OK;
}

lg_status page_block_add(page_block *b, lg_str text)
{
    if (b->raw_bytes == 0) {
        lg_status status = begin(b);
        if (status != LG_OK) {
            return status;
        }
    }
    z_stream *z = b->stream;
    b->raw_bytes += text.len;
    for (lg_status status = LG_OK; text.len > 0;) {
        size_t size = text.len < UINT_MAX ? text.len : UINT_MAX;
        z->next_in = (z_const Bytef *)text.ptr;
        z->avail_in = (uInt)size;
        text = (lg_str){text.ptr + size, text.len - size};
        status = pump(b, Z_NO_FLUSH);
        if (status != LG_OK) {
            return status;
        }
    }
    return LG_OK;
}

static void add_base64(page_spool *to, lg_str bytes)
{
    char room[4096];
    const size_t most = sizeof(room) / 4 * 3;
    for (size_t at = 0; at < bytes.len; at += most) {
        size_t length = lg_base64(room, lg_str_slice(bytes, at, at + most));
        page_spool_add(to, (lg_str){room, length});
    }
}

lg_status page_block_end(page_block *b, page_spool *to, const char *id, const char *attribute)
{
    if (b->raw_bytes == 0) {
        return LG_OK;
    }
    z_stream *z = b->stream;
    z->next_in = Z_NULL;
    z->avail_in = 0;
    lg_status status = pump(b, Z_FINISH);
    if (status == LG_OK) {
        page_spool_add(to, LG_STR("<script type=\"text/plain\" id=\""));
        page_spool_add(to, lg_str_c(id));
        page_spool_add(to, LG_STR("\""));
        page_spool_add(to, lg_str_c(attribute));
        page_spool_add(to, LG_STR(">"));
        add_base64(to, lg_buf_str(&b->packed));
        page_spool_add(to, LG_STR("</script>\n"));
    }
    lg_buf_clear(&b->packed);
    b->raw_bytes = 0;
    return status;
}
