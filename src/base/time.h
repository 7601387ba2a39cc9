// time.h: points in time and the calendar, without the C library's time functions.
//
// The proleptic Gregorian calendar from year 1 to year 9999, in UTC, without leap seconds (RFC 3339
// as google.protobuf.Timestamp has it). Nothing here reads a clock.
#ifndef LG_BASE_TIME_H
#define LG_BASE_TIME_H

#include "base/types.h"

#define LG_TIME_MIN_SECONDS INT64_C(-62135596800) // 0001-01-01T00:00:00Z
#define LG_TIME_MAX_SECONDS INT64_C(253402300799) // 9999-12-31T23:59:59Z
#define LG_TIME_NANOS 1000000000u                 // in one second

// A day and the time in it.
typedef struct lg_civil {
    int32_t year;
    uint32_t month; // 1 to 12
    uint32_t day;   // 1 to 31
    uint32_t hour, minute, second;
    uint32_t weekday; // 0 is Sunday
    uint32_t yearday; // 0 is 1 January
} lg_civil;

// Days from 1970-01-01 to the given day; `month` and `day` must exist.
int64_t lg_days_from_civil(int32_t year, uint32_t month, uint32_t day);
lg_civil lg_civil_from_seconds(int64_t seconds);
uint32_t lg_days_of_month(int32_t year, uint32_t month);

// Parses an RFC 3339 time ("2024-05-15T15:00:00.5-05:00"; `t` and `z` may be lower case). Digits of
// the fraction past the ninth are cut off. False if `text` is anything else, names a day that does
// not exist, a leap second, or a time outside of the years 1 to 9999.
bool lg_time_parse(lg_str text, lg_time *ret);

// Writes "2024-05-15T20:00:00.5Z", with as many digits of fraction as are needed, and returns its
// length. No NUL.
#define LG_TIME_TEXT_MAX 32
size_t lg_time_print(char out[LG_TIME_TEXT_MAX], lg_time time);

// Parses "UTC", "Z", "+05:30", "-02:30" or "05:30" into seconds east of Greenwich.
bool lg_time_parse_offset(lg_str text, int32_t *ret_seconds);

static inline int lg_time_cmp(lg_time a, lg_time b)
{
    return a.seconds != b.seconds ? (a.seconds < b.seconds ? -1 : 1)
                                  : (a.nanos > b.nanos) - (a.nanos < b.nanos);
}

#endif
