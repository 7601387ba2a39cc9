// Days are counted in eras of 400 years, which all have the same length, and years begin in March,
// so that the leap day is the last one of a year and month lengths follow a linear formula.
#include "base/time.h"

#include "base/str.h"

#define DAY_SECONDS 86400
#define ERA_DAYS 146097       // in 400 years
#define DAYS_TO_1970 719468   // from 0000-03-01
#define YEAR_TO_MARCH_DAYS 59 // from 1 January to 1 March of a common year

static bool is_leap(int32_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

uint32_t lg_days_of_month(int32_t year, uint32_t month)
{
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (month < 1 || month > 12) {
        return 0;
    }
    return month == 2 && is_leap(year) ? 29 : days[month - 1];
}

int64_t lg_days_from_civil(int32_t year, uint32_t month, uint32_t day)
{
    int64_t march_year = month <= 2 ? (int64_t)year - 1 : year;
    int64_t era = (march_year >= 0 ? march_year : march_year - 399) / 400;
    int64_t year_of_era = march_year - era * 400;
    int64_t month_from_march = (month + 9) % 12;
    int64_t day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * ERA_DAYS + day_of_era - DAYS_TO_1970;
}

lg_civil lg_civil_from_seconds(int64_t seconds)
{
    int64_t days = seconds / DAY_SECONDS;
    int64_t second_of_day = seconds % DAY_SECONDS;
    if (second_of_day < 0) {
        second_of_day += DAY_SECONDS;
        days--;
    }
    int64_t shifted = days + DAYS_TO_1970;
    int64_t era = (shifted >= 0 ? shifted : shifted - (ERA_DAYS - 1)) / ERA_DAYS;
    int64_t day_of_era = shifted - era * ERA_DAYS;
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t month_from_march = (5 * day_of_year + 2) / 153;
    int64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
    int32_t year = (int32_t)(year_of_era + era * 400 + (month <= 2));
    bool before_march = day_of_year >= 306;
    int64_t yearday = before_march ? day_of_year - 306
                                   : day_of_year + YEAR_TO_MARCH_DAYS + (is_leap(year) ? 1 : 0);
    int64_t weekday = (days + 4) % 7; // 1970-01-01 was a Thursday
    return (lg_civil){
        .year = year,
        .month = (uint32_t)month,
        .day = (uint32_t)(day_of_year - (153 * month_from_march + 2) / 5 + 1),
        .hour = (uint32_t)(second_of_day / 3600),
        .minute = (uint32_t)(second_of_day / 60 % 60),
        .second = (uint32_t)(second_of_day % 60),
        .weekday = (uint32_t)(weekday < 0 ? weekday + 7 : weekday),
        .yearday = (uint32_t)yearday,
    };
}

// Reads exactly `count` digits at `*at`; false if there are fewer.
static bool read_digits(lg_str text, size_t *at, size_t count, uint32_t *ret)
{
    if (text.len - *at < count) {
        return false;
    }
    uint32_t value = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t digit = (uint32_t)(unsigned char)text.ptr[*at + i] - '0';
        if (digit > 9) {
            return false;
        }
        value = value * 10 + digit;
    }
    *at += count;
    *ret = value;
    return true;
}

static bool read_byte(lg_str text, size_t *at, char wanted)
{
    if (*at >= text.len || text.ptr[*at] != wanted) {
        return false;
    }
    ++*at;
    return true;
}

// Reads ".123456789..." if there is a point.
static bool read_fraction(lg_str text, size_t *at, uint32_t *ret_nanos)
{
    *ret_nanos = 0;
    if (!read_byte(text, at, '.')) {
        return true;
    }
    size_t first = *at;
    uint32_t unit = LG_TIME_NANOS / 10;
    while (*at < text.len && text.ptr[*at] >= '0' && text.ptr[*at] <= '9') {
        *ret_nanos += (uint32_t)(text.ptr[*at] - '0') * unit;
        unit /= 10;
        ++*at;
    }
    return *at > first;
}

static bool read_hours_and_minutes(lg_str text, size_t *at, int32_t *ret_seconds)
{
    uint32_t hours;
    uint32_t minutes;
    if (!read_digits(text, at, 2, &hours) || !read_byte(text, at, ':') ||
        !read_digits(text, at, 2, &minutes) || hours > 23 || minutes > 59) {
        return false;
    }
    *ret_seconds = (int32_t)(hours * 3600 + minutes * 60);
    return true;
}

// Reads "Z" or "+hh:mm".
static bool read_zone(lg_str text, size_t *at, int32_t *ret_seconds)
{
    *ret_seconds = 0;
    if (read_byte(text, at, 'Z') || read_byte(text, at, 'z')) {
        return true;
    }
    if (read_byte(text, at, '+')) {
        return read_hours_and_minutes(text, at, ret_seconds);
    }
    if (!read_byte(text, at, '-') || !read_hours_and_minutes(text, at, ret_seconds)) {
        return false;
    }
    *ret_seconds = -*ret_seconds;
    return true;
}

bool lg_time_parse(lg_str text, lg_time *ret)
{
    size_t at = 0;
    uint32_t year, month, day, hour, minute, second, nanos;
    int32_t offset;
    if (!read_digits(text, &at, 4, &year) || !read_byte(text, &at, '-') ||
        !read_digits(text, &at, 2, &month) || !read_byte(text, &at, '-') ||
        !read_digits(text, &at, 2, &day) ||
        !(read_byte(text, &at, 'T') || read_byte(text, &at, 't')) ||
        !read_digits(text, &at, 2, &hour) || !read_byte(text, &at, ':') ||
        !read_digits(text, &at, 2, &minute) || !read_byte(text, &at, ':') ||
        !read_digits(text, &at, 2, &second) || !read_fraction(text, &at, &nanos) ||
        !read_zone(text, &at, &offset) || at != text.len) {
        return false;
    }
    if (day < 1 || day > lg_days_of_month((int32_t)year, month) || hour > 23 || minute > 59 ||
        second > 59) {
        return false;
    }
    int64_t seconds = lg_days_from_civil((int32_t)year, month, day) * DAY_SECONDS +
                      (int64_t)(hour * 3600 + minute * 60 + second) - offset;
    if (seconds < LG_TIME_MIN_SECONDS || seconds > LG_TIME_MAX_SECONDS) {
        return false;
    }
    *ret = (lg_time){seconds, nanos};
    return true;
}

static void put_digits(char **at, uint32_t value, size_t count)
{
    for (size_t i = count; i-- > 0;) {
        (*at)[i] = (char)('0' + value % 10);
        value /= 10;
    }
    *at += count;
}

size_t lg_time_print(char out[LG_TIME_TEXT_MAX], lg_time time)
{
    lg_civil c = lg_civil_from_seconds(time.seconds);
    char *at = out;
    put_digits(&at, (uint32_t)c.year, 4);
    *at++ = '-';
    put_digits(&at, c.month, 2);
    *at++ = '-';
    put_digits(&at, c.day, 2);
    *at++ = 'T';
    put_digits(&at, c.hour, 2);
    *at++ = ':';
    put_digits(&at, c.minute, 2);
    *at++ = ':';
    put_digits(&at, c.second, 2);
    if (time.nanos) {
        *at++ = '.';
        put_digits(&at, time.nanos, 9);
        while (at[-1] == '0') {
            at--;
        }
    }
    *at++ = 'Z';
    return (size_t)(at - out);
}

bool lg_time_parse_offset(lg_str text, int32_t *ret_seconds)
{
    size_t at = 0;
    if (lg_str_eq(text, LG_STR("UTC"))) {
        *ret_seconds = 0;
        return true;
    }
    bool signed_text = text.len > 0 && (text.ptr[0] < '0' || text.ptr[0] > '9');
    bool ok = signed_text ? read_zone(text, &at, ret_seconds)
                          : read_hours_and_minutes(text, &at, ret_seconds);
    return ok && at == text.len;
}
