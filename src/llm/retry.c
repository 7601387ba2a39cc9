// retry.c: when to ask again, and how long to wait before.
//
// The wait doubles with each attempt, and a part of 50 to 100 % of it is taken, so that those who failed together do not come
// back together. Which part follows from a seed, the question and the attempt: the same run waits the same.
#include "llm/llm_internal.h"

#include "base/hash.h"
#include "base/time.h"

#include <stdio.h>

bool lg_llm_is_worth_again(unsigned status)
{
    return status == 408 || status == 409 || status == 425 || status == 429 ||
           (status >= 500 && status <= 599);
}

uint64_t lg_llm_backoff_ms(const lg_llm_options *options, const char hash[65], uint32_t attempt)
{
    uint64_t wait = options->backoff_ms;
    for (uint32_t i = 1; i < attempt && wait < options->most_backoff_ms; i++) {
        wait *= 2;
    }
    wait = wait < options->most_backoff_ms ? wait : options->most_backoff_ms;
    char room[128];
    int len = snprintf(room, sizeof(room), "%llu %s %u", (unsigned long long)options->seed, hash,
                       attempt);
    uint64_t dice = lg_hash(lg_str_of(room, (size_t)len)) >> 32;
    return wait / 2 + ((wait - wait / 2) * dice >> 32);
}

// --- Retry-After ---

static bool read_number(lg_str text, uint64_t *ret)
{
    uint64_t number = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (!lg_is_digit(text.ptr[i]) || i >= 9) {
            return false;
        }
        number = number * 10 + (uint64_t)(text.ptr[i] - '0');
    }
    *ret = number;
    return text.len > 0;
}

static uint32_t read_month(lg_str text)
{
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    for (uint32_t i = 0; i < 12; i++) {
        if (lg_str_eq(text, lg_str_of(names + (size_t)3 * i, 3))) {
            return i + 1;
        }
    }
    return 0;
}

// "Sun, 06 Nov 1994 08:49:37 GMT"
static bool read_date(lg_str text, int64_t *ret_seconds)
{
    uint64_t day, year, hour, minute, second;
    uint32_t month = read_month(lg_str_slice(text, 8, 11));
    bool fine = text.len == 29 && lg_str_ends(text, LG_STR(" GMT")) && month &&
                text.ptr[19] == ':' && text.ptr[22] == ':' &&
                read_number(lg_str_slice(text, 5, 7), &day) &&
                read_number(lg_str_slice(text, 12, 16), &year) &&
                read_number(lg_str_slice(text, 17, 19), &hour) &&
                read_number(lg_str_slice(text, 20, 22), &minute) &&
                read_number(lg_str_slice(text, 23, 25), &second);
    if (!fine || year < 1 || day < 1 || day > lg_days_of_month((int32_t)year, month) || hour > 23 ||
        minute > 59 || second > 60) {
        return false;
    }
    int64_t days = lg_days_from_civil((int32_t)year, month, (uint32_t)day);
    *ret_seconds = days * 86400 + (int64_t)(hour * 3600 + minute * 60 + second);
    return true;
}

bool lg_llm_retry_after_ms(lg_str retry_after, lg_str date, uint64_t *ret_ms)
{
    uint64_t seconds;
    int64_t until, now;
    if (read_number(retry_after, &seconds)) {
        *ret_ms = seconds * 1000;
        return true;
    }
    if (!read_date(retry_after, &until) || !read_date(date, &now)) {
        return false;
    }
    *ret_ms = until > now ? (uint64_t)(until - now) * 1000 : 0;
    return true;
}
