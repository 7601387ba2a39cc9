// chain.c: what is digested and signed. docs/log.md says the same in words, scripts/verify_log.py in Python.
//
// Each digest begins with words that no other kind has, and every part but the last has a fixed size or its size
// before it: so no two different things are the same text.
#include "store/store_internal.h"

static lg_str bytes_of(const void *bytes, size_t size_bytes)
{
    return (lg_str){bytes, size_bytes};
}

// Big-endian.
static void put_u64(unsigned char out[8], uint64_t value)
{
    for (unsigned i = 0; i < 8; i++) {
        out[i] = (unsigned char)(value >> (56 - 8 * i));
    }
}

void store_payload_digest(const unsigned char salt[SALT_BYTES], lg_str key, lg_str body,
                          lg_digest *ret)
{
    unsigned char key_bytes = (unsigned char)key.len;
    LG_DEBUG_ASSERT(key.len <= LG_STORE_KEY_BYTES_MAX);
    const lg_str parts[] = {LG_STR("ledgergate payload 1\n"), bytes_of(salt, SALT_BYTES),
                            bytes_of(&key_bytes, 1), key, body};
    lg_digest_parts(LG_STR(""), parts, LG_COUNT(parts), ret);
}

void store_first_link(const unsigned char log_id[LOG_ID_BYTES],
                      const unsigned char public_key[LG_SIGN_KEY_BYTES], lg_digest *ret)
{
    const lg_str parts[] = {LG_STR("ledgergate log 1\n"), bytes_of(log_id, LOG_ID_BYTES),
                            bytes_of(public_key, LG_SIGN_KEY_BYTES)};
    lg_digest_parts(LG_STR(""), parts, LG_COUNT(parts), ret);
}

void store_add_link(const store_link *link, lg_digest *chain)
{
    unsigned char sequence[8];
    unsigned char time[8];
    unsigned char kind_bytes = (unsigned char)link->kind.len;
    LG_DEBUG_ASSERT(link->kind.len <= LG_STORE_KIND_BYTES_MAX);
    put_u64(sequence, link->sequence);
    put_u64(time, (uint64_t)link->time_us);
    const lg_str parts[] = {LG_STR("ledgergate record 1\n"),
                            bytes_of(chain->bytes, LG_DIGEST_BYTES),
                            bytes_of(sequence, 8),
                            bytes_of(time, 8),
                            bytes_of(&kind_bytes, 1),
                            link->kind,
                            bytes_of(link->payload->bytes, LG_DIGEST_BYTES)};
    lg_digest next;
    lg_digest_parts(LG_STR(""), parts, LG_COUNT(parts), &next);
    *chain = next;
}

lg_str store_head_text(const unsigned char log_id[LOG_ID_BYTES], uint64_t sequence,
                       const lg_digest *chain, char room[HEAD_TEXT_BYTES])
{
    static const char words[] = "ledgergate head 1\n";
    size_t at = sizeof(words) - 1;
    _Static_assert(sizeof(words) - 1 + LOG_ID_BYTES + 8 + LG_DIGEST_BYTES <= HEAD_TEXT_BYTES,
                   "it fits");
    memcpy(room, words, at);
    memcpy(room + at, log_id, LOG_ID_BYTES);
    at += LOG_ID_BYTES;
    put_u64((unsigned char *)room + at, sequence);
    at += 8;
    memcpy(room + at, chain->bytes, LG_DIGEST_BYTES);
    return (lg_str){room, at + LG_DIGEST_BYTES};
}

// --- Times and kinds ----------------------------------------------------------------------------

bool store_time_us(lg_time time, int64_t *ret)
{
    if (time.seconds < LG_TIME_MIN_SECONDS || time.seconds > LG_TIME_MAX_SECONDS ||
        time.nanos >= LG_TIME_NANOS) {
        return false;
    }
    *ret = time.seconds * 1000000 + time.nanos / 1000;
    return true;
}

lg_time store_time_of(int64_t time_us)
{
    int64_t seconds = time_us / 1000000 - (time_us % 1000000 < 0);
    return (lg_time){seconds, (uint32_t)(time_us - seconds * 1000000) * 1000};
}

bool store_is_kind(lg_str kind)
{
    bool fine = kind.len > 0 && kind.len <= LG_STORE_KIND_BYTES_MAX;
    for (size_t i = 0; fine && i < kind.len; i++) {
        char c = kind.ptr[i];
        fine = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    }
    return fine;
}
