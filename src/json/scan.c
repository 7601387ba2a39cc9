// scan.c: see scan.h.
#include "json/scan.h"

static inline const char *skip_plain(const char *at, const char *end)
{
    for (; end - at >= 16; at += 16) {
        unsigned stops = lg_scan_stops(at);
        if (stops) {
            return at + __builtin_ctz(stops);
        }
    }
    while (at < end && !lg_scan_is_stop((unsigned char)*at)) {
        at++;
    }
    return at;
}

static inline bool is_tail(const char *at, unsigned char low, unsigned char high)
{
    return (unsigned char)*at >= low && (unsigned char)*at <= high;
}

// Length of the valid UTF-8 sequence of more than one byte at `at`, or 0 (RFC
// 3629 section 4).
static inline size_t sequence_len(const char *at, const char *end)
{
    unsigned char lead = (unsigned char)*at;
    size_t left = (size_t)(end - at);
    unsigned char low = 0x80; // bounds of the second byte
    unsigned char high = 0xBF;
    if (lead >= 0xC2 && lead <= 0xDF) {
        return left >= 2 && is_tail(at + 1, low, high) ? 2 : 0;
    }
    if (lead >= 0xE0 && lead <= 0xEF) {
        low = lead == 0xE0 ? 0xA0 : low;   // no overlong forms
        high = lead == 0xED ? 0x9F : high; // no surrogates
        return left >= 3 && is_tail(at + 1, low, high) && is_tail(at + 2, 0x80, 0xBF) ? 3 : 0;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        low = lead == 0xF0 ? 0x90 : low;
        high = lead == 0xF4 ? 0x8F : high; // nothing above U+10FFFF
        bool valid = left >= 4 && is_tail(at + 1, low, high) && is_tail(at + 2, 0x80, 0xBF) &&
                     is_tail(at + 3, 0x80, 0xBF);
        return valid ? 4 : 0;
    }
    return 0;
}

const char *lg_scan_string(const char *at, const char *end)
{
    for (;;) {
        at = skip_plain(at, end);
        if (at >= end || (unsigned char)*at < 0x80) {
            return at;
        }
        while (at < end && (unsigned char)*at >= 0x80) {
            size_t len = sequence_len(at, end);
            if (len == 0) {
                return at;
            }
            at += len;
        }
    }
}

void lg_scan_move(lg_scan_window *w, const char *begin, const char *end)
{
    size_t left = (size_t)(end - begin);
    w->begin = begin;
    if (left >= 64) {
        w->stops = lg_scan_stops64(begin);
        return;
    }
    char tail[64] = {0};
    memcpy(tail, begin, left);
    w->stops = lg_scan_stops64(tail) & (((uint64_t)1 << left) - 1);
}

const char *lg_scan_far(lg_scan_window *w, const char *at, const char *end)
{
    if (at - w->begin < 64) { // and nothing up to the end of the window
        if (end - w->begin <= 64) {
            return end;
        }
        at = w->begin + 64;
    }
    for (;;) {
        lg_scan_move(w, at, end);
        if (w->stops) {
            return at + __builtin_ctzll(w->stops);
        }
        if (end - at <= 64) {
            return end;
        }
        at += 64;
    }
}
