// A TZif file holds the changes of the offset up to some year, and behind them a rule in the notation
// of POSIX ("CET-1CEST,M3.5.0,M10.5.0/3") for all later years. Both are read; lookup is a binary
// search in the changes, or the rule.
#include "base/zone.h"

#include "base/error.h"
#include "base/file.h"
#include "base/str.h"
#include "base/time.h"

#include <stdio.h>

#define ZONE_FOLDER "/usr/share/zoneinfo"
#define NAME_MAX 64u
#define FILE_BYTES_MAX (1u << 20)
#define OFFSET_MAX (25 * 3600) // beyond any that was ever in use
#define HEADER_BYTES 44u
#define DAY_SECONDS 86400

// When, within a year, a rule changes the offset.
typedef struct change_rule {
    char form; // 'M': month, week, weekday. 'J': day 1 to 365 without leap days. '0': day 0 to 365
    int32_t month, week, day;
    int32_t time; // seconds from midnight, also negative or beyond the day
} change_rule;

typedef struct posix_rule {
    int32_t standard; // seconds east
    int32_t summer;
    bool has_summer;
    change_rule begin, end; // of summer time
} posix_rule;

struct lg_zone {
    const int64_t *times;   // ascending
    const int32_t *offsets; // from times[i] on
    size_t count;
    int32_t first; // before times[0]
    bool has_rule;
    posix_rule rule; // after the last of `times`
};

// --- The rule -----------------------------------------------------------------------------------

typedef struct reader {
    const char *at;
    const char *end;
} reader;

static bool take(reader *r, char wanted)
{
    if (r->at == r->end || *r->at != wanted) {
        return false;
    }
    r->at++;
    return true;
}

static bool read_number(reader *r, int32_t max, int32_t *ret)
{
    int32_t value = 0;
    const char *first = r->at;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9' && value <= max; r->at++) {
        value = value * 10 + (*r->at - '0');
    }
    *ret = value;
    return r->at > first && value <= max;
}

// "CET" or "<+05>"; what it says is of no interest.
static bool skip_name(reader *r)
{
    const char *first = r->at;
    if (take(r, '<')) {
        while (r->at < r->end && *r->at != '>') {
            r->at++;
        }
        return take(r, '>');
    }
    while (r->at < r->end && (unsigned char)((*r->at | 0x20) - 'a') < 26) {
        r->at++;
    }
    return r->at - first >= 3;
}

// "-1", "3:30", "02:00:00", in seconds.
static bool read_time(reader *r, int32_t max_hours, int32_t *ret)
{
    bool negative = take(r, '-');
    int32_t hours = 0, minutes = 0, seconds = 0;
    if (!negative) {
        take(r, '+');
    }
    bool ok = read_number(r, max_hours, &hours) &&
              (!take(r, ':') ||
               (read_number(r, 59, &minutes) && (!take(r, ':') || read_number(r, 59, &seconds))));
    int32_t sum = hours * 3600 + minutes * 60 + seconds;
    *ret = negative ? -sum : sum;
    return ok;
}

static bool read_change(reader *r, change_rule *ret)
{
    bool ok = true;
    *ret = (change_rule){.form = '0', .time = 2 * 3600};
    if (take(r, 'M')) {
        ret->form = 'M';
        ok = read_number(r, 12, &ret->month) && ret->month >= 1 && take(r, '.') &&
             read_number(r, 5, &ret->week) && ret->week >= 1 && take(r, '.') &&
             read_number(r, 6, &ret->day);
    } else if (take(r, 'J')) {
        ret->form = 'J';
        ok = read_number(r, 365, &ret->day) && ret->day >= 1;
    } else {
        ok = read_number(r, 365, &ret->day);
    }
    return ok && (!take(r, '/') || read_time(r, 167, &ret->time));
}

static bool read_rule(lg_str text, posix_rule *ret)
{
    reader r = {text.ptr, text.ptr + text.len};
    int32_t west;
    if (!skip_name(&r) || !read_time(&r, 24, &west)) {
        return false;
    }
    ret->standard = -west; // POSIX counts to the west
    if (r.at == r.end) {
        return true;
    }
    ret->has_summer = true;
    if (!skip_name(&r)) {
        return false;
    }
    ret->summer = ret->standard + 3600;
    if (r.at < r.end && *r.at != ',') {
        if (!read_time(&r, 24, &west)) {
            return false;
        }
        ret->summer = -west;
    }
    return take(&r, ',') && read_change(&r, &ret->begin) && take(&r, ',') &&
           read_change(&r, &ret->end) && r.at == r.end;
}

// --- The file -----------------------------------------------------------------------------------

typedef struct header {
    uint8_t version;
    uint32_t utc_count, standard_count, leap_count, time_count, type_count, char_count;
} header;

static uint32_t get_u32(const char *at)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        value = value << 8 | (unsigned char)at[i];
    }
    return value;
}

static int64_t get_i64(const char *at)
{
    return (int64_t)((uint64_t)get_u32(at) << 32 | get_u32(at + 4));
}

static bool read_header(lg_str data, size_t at, header *ret)
{
    if (data.len < at || data.len - at < HEADER_BYTES || memcmp(data.ptr + at, "TZif", 4) != 0) {
        return false;
    }
    const char *counts = data.ptr + at + 20;
    *ret = (header){(uint8_t)data.ptr[at + 4], get_u32(counts),      get_u32(counts + 4),
                    get_u32(counts + 8),       get_u32(counts + 12), get_u32(counts + 16),
                    get_u32(counts + 20)};
    return ret->utc_count <= FILE_BYTES_MAX && ret->standard_count <= FILE_BYTES_MAX &&
           ret->leap_count <= FILE_BYTES_MAX && ret->time_count <= FILE_BYTES_MAX &&
           ret->type_count <= 256 && ret->char_count <= FILE_BYTES_MAX;
}

// Bytes behind the header; times take 4 or 8 of them.
static size_t block_bytes(const header *h, size_t time_bytes)
{
    return h->time_count * (time_bytes + 1) + h->type_count * (size_t)6 + h->char_count +
           h->leap_count * (time_bytes + 4) + h->standard_count + h->utc_count;
}

// The block of 8-byte times that begins at `at`: LG_OK, LG_ERR_FORMAT or LG_ERR_OOM.
static lg_status read_block(lg_arena *arena, lg_str data, size_t at, const header *h, lg_zone *zone)
{
    const char *times = data.ptr + at;
    const char *kinds = times + (size_t)h->time_count * 8;
    const char *types = kinds + h->time_count;
    int64_t *out_times = LG_NEW_ARRAY(arena, int64_t, h->time_count + 1u);
    int32_t *out_offsets = LG_NEW_ARRAY(arena, int32_t, h->time_count + 1u);
    if (!out_times || !out_offsets) {
        return LG_ERR_OOM;
    }
    for (size_t i = 0; i < h->time_count; i++) {
        unsigned char kind = (unsigned char)kinds[i];
        out_times[i] = get_i64(times + i * 8);
        if (kind >= h->type_count || (i > 0 && out_times[i] <= out_times[i - 1])) {
            return LG_ERR_FORMAT;
        }
        out_offsets[i] = (int32_t)get_u32(types + kind * 6u);
        if (out_offsets[i] < -OFFSET_MAX || out_offsets[i] > OFFSET_MAX) {
            return LG_ERR_FORMAT;
        }
    }
    zone->times = out_times;
    zone->offsets = out_offsets;
    zone->count = h->time_count;
    zone->first = (int32_t)get_u32(types);
    bool sane = zone->first >= -OFFSET_MAX && zone->first <= OFFSET_MAX;
    return sane ? LG_OK : LG_ERR_FORMAT;
}

// The rule stands between two line ends behind the second block. It may be empty.
static bool read_footer(lg_str footer, lg_zone *zone)
{
    if (footer.len < 2 || footer.ptr[0] != '\n') {
        return false;
    }
    size_t end = lg_str_find(lg_str_slice(footer, 1, footer.len), LG_STR("\n"));
    if (end == SIZE_MAX) {
        return false;
    }
    zone->has_rule = end > 0;
    return end == 0 || read_rule(lg_str_slice(footer, 1, end + 1), &zone->rule);
}

lg_status lg_zone_parse(lg_arena *arena, lg_str data, const lg_zone **ret_zone, lg_error *reterr)
{
    header first;
    header second;
    lg_zone *zone = LG_NEW(arena, lg_zone);
    if (!zone) {
        return lg_fail_oom(reterr);
    }
    if (!read_header(data, 0, &first) || first.version < '2') {
        return lg_fail(reterr, LG_ERR_FORMAT, "not a time zone file of version 2 or later");
    }
    size_t at = HEADER_BYTES + block_bytes(&first, 4);
    if (!read_header(data, at, &second) || second.type_count == 0) {
        return lg_fail(reterr, LG_ERR_FORMAT, "the time zone file has no second header");
    }
    at += HEADER_BYTES;
    size_t bytes = block_bytes(&second, 8);
    bool whole = bytes <= data.len - at;
    lg_status status = whole ? read_block(arena, data, at, &second, zone) : LG_ERR_FORMAT;
    if (status == LG_ERR_OOM) {
        return lg_fail_oom(reterr);
    }
    if (status != LG_OK || !read_footer(lg_str_slice(data, at + bytes, data.len), zone)) {
        return lg_fail(reterr, LG_ERR_FORMAT, "the time zone file is not well formed");
    }
    *ret_zone = zone;
    return LG_OK;
}

// Parts of letters, digits and "+-_" between single slashes: nothing that could leave the folder.
static bool is_zone_name(lg_str name)
{
    bool slash = true;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool plain = (unsigned char)((c | 0x20) - 'a') < 26 || (c >= '0' && c <= '9') || c == '+' ||
                     c == '-' || c == '_';
        if (!plain && (c != '/' || slash)) {
            return false;
        }
        slash = c == '/';
    }
    return !slash && name.len <= NAME_MAX;
}

lg_status lg_zone_load(lg_arena *arena, lg_str name, const lg_zone **ret_zone, lg_error *reterr)
{
    char path[sizeof(ZONE_FOLDER) + NAME_MAX + 2];
    lg_file file;
    if (!is_zone_name(name)) {
        return lg_fail(reterr, LG_ERR_NAME, "unknown time zone `%.*s`", LG_FMT(name));
    }
    snprintf(path, sizeof(path), ZONE_FOLDER "/%.*s", LG_FMT(name));
    if (lg_file_open(path, FILE_BYTES_MAX, &file, NULL) != LG_OK) {
        return lg_fail(reterr, LG_ERR_NAME,
                       "unknown time zone `%.*s`, or no time zone data in " ZONE_FOLDER,
                       LG_FMT(name));
    }
    lg_status status = lg_zone_parse(arena, file.text, ret_zone, reterr);
    lg_file_close(&file);
    return status;
}

// --- Lookup -------------------------------------------------------------------------------------

static int64_t days_to_change(int32_t year, const change_rule *rule)
{
    int64_t first = lg_days_from_civil(year, 1, 1);
    if (rule->form == '0') {
        return first + rule->day;
    }
    if (rule->form == 'J') { // 29 February is never counted
        bool after_leap_day = lg_days_of_month(year, 2) == 29 && rule->day > 59;
        return first + rule->day - 1 + after_leap_day;
    }
    int64_t month = lg_days_from_civil(year, (uint32_t)rule->month, 1);
    int64_t weekday = ((month + 4) % 7 + 7) % 7;
    int64_t day = (rule->day - weekday + 7) % 7 + (rule->week - 1) * 7;
    int64_t length = lg_days_of_month(year, (uint32_t)rule->month);
    return month + (day >= length ? day - 7 : day); // the fifth is the last
}

static int32_t offset_by_rule(const posix_rule *rule, int64_t seconds)
{
    if (!rule->has_summer) {
        return rule->standard;
    }
    int32_t year = lg_civil_from_seconds(seconds + rule->standard).year;
    int64_t begin =
        days_to_change(year, &rule->begin) * DAY_SECONDS + rule->begin.time - rule->standard;
    int64_t end = days_to_change(year, &rule->end) * DAY_SECONDS + rule->end.time - rule->summer;
    bool summer = begin < end ? seconds >= begin && seconds < end
                              : seconds >= begin || seconds < end; // over the new year
    return summer ? rule->summer : rule->standard;
}

int32_t lg_zone_offset(const lg_zone *zone, int64_t seconds)
{
    size_t low = 0;
    size_t high = zone->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (zone->times[middle] <= seconds) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == zone->count && zone->has_rule) {
        return offset_by_rule(&zone->rule, seconds);
    }
    return low == 0 ? zone->first : zone->offsets[low - 1];
}
