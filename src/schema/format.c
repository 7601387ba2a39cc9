// format.c: the formats that can be asserted, and those of dates, pointers and identifiers.
//
// Each is a hand-written reader of the grammar its RFC gives; all are linear in the text. Formats
// that nobody has defined are annotations, as the specification says. `idn-hostname` is defined but
// needs the Unicode tables of IDNA 2008, which are not here: asserting it is refused.
#include "schema/schema_internal.h"

// --- Pieces ---------------------------------------------------------------------------------------

static bool is_hex(char c)
{
    return lg_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// Reads exactly `count` digits; -1 if they are not there.
static int read_digits(lg_str s, size_t *at, size_t count)
{
    int value = 0;
    for (size_t i = 0; i < count; i++) {
        if (*at >= s.len || !lg_is_digit(s.ptr[*at])) {
            return -1;
        }
        value = value * 10 + (s.ptr[(*at)++] - '0');
    }
    return value;
}

static bool read_byte(lg_str s, size_t *at, char byte)
{
    bool yes = *at < s.len && s.ptr[*at] == byte;
    *at += yes ? 1 : 0;
    return yes;
}

static bool read_letter(lg_str s, size_t *at, char upper)
{
    return read_byte(s, at, upper) || read_byte(s, at, (char)(upper + 32));
}

// --- RFC 3339 -------------------------------------------------------------------------------------

static int days_of_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && leap ? 29 : days[month - 1];
}

static bool read_date(lg_str s, size_t *at)
{
    int year = read_digits(s, at, 4);
    bool ok = year >= 0 && read_byte(s, at, '-');
    int month = ok ? read_digits(s, at, 2) : -1;
    ok = month >= 1 && month <= 12 && read_byte(s, at, '-');
    int day = ok ? read_digits(s, at, 2) : -1;
    return day >= 1 && day <= days_of_month(year, month);
}

// `Z` or `+hh:mm`, as minutes east of UTC.
static bool read_offset(lg_str s, size_t *at, int *ret_minutes)
{
    *ret_minutes = 0;
    if (read_letter(s, at, 'Z')) {
        return true;
    }
    bool west = *at < s.len && s.ptr[*at] == '-';
    if (!west && !(*at < s.len && s.ptr[*at] == '+')) {
        return false;
    }
    (*at)++;
    int hours = read_digits(s, at, 2);
    bool ok = hours >= 0 && hours <= 23 && read_byte(s, at, ':');
    int minutes = ok ? read_digits(s, at, 2) : -1;
    *ret_minutes = (hours * 60 + minutes) * (west ? -1 : 1);
    return minutes >= 0 && minutes <= 59;
}

static bool read_time(lg_str s, size_t *at)
{
    int hour = read_digits(s, at, 2);
    bool ok = hour >= 0 && hour <= 23 && read_byte(s, at, ':');
    int minute = ok ? read_digits(s, at, 2) : -1;
    ok = minute >= 0 && minute <= 59 && read_byte(s, at, ':');
    int second = ok ? read_digits(s, at, 2) : -1;
    if (second < 0 || second > 60) {
        return false;
    }
    if (read_byte(s, at, '.')) {
        size_t start = *at;
        while (*at < s.len && lg_is_digit(s.ptr[*at])) {
            (*at)++;
        }
        if (*at == start) {
            return false;
        }
    }
    int offset = 0;
    if (!read_offset(s, at, &offset)) {
        return false;
    }
    // A leap second is the last one of a day in UTC.
    int minute_of_day = (hour * 60 + minute - offset + 2 * 1440) % 1440;
    return second < 60 || minute_of_day == 1439;
}

static bool is_date(lg_str s)
{
    size_t at = 0;
    return read_date(s, &at) && at == s.len;
}

static bool is_time(lg_str s)
{
    size_t at = 0;
    return read_time(s, &at) && at == s.len;
}

static bool is_date_time(lg_str s)
{
    size_t at = 0;
    return read_date(s, &at) && read_letter(s, &at, 'T') && read_time(s, &at) && at == s.len;
}

// One run of components such as "1Y2M3D", each unit at most once and without a gap between them:
// `units` in their order. Returns how many there were, or -1.
static int read_components(lg_str s, size_t *at, const char *units)
{
    int count = 0;
    size_t next = 0;
    while (*at < s.len && lg_is_digit(s.ptr[*at])) {
        while (*at < s.len && lg_is_digit(s.ptr[*at])) {
            (*at)++;
        }
        const char *unit = *at < s.len && s.ptr[*at] ? strchr(units, s.ptr[*at]) : NULL;
        size_t found = unit ? (size_t)(unit - units) : 0;
        if (!unit || (count > 0 && found != next)) {
            return -1;
        }
        (*at)++;
        next = found + 1;
        count++;
    }
    return count;
}

// RFC 3339 appendix A.
static bool is_duration(lg_str s)
{
    size_t at = 0;
    if (!read_byte(s, &at, 'P')) {
        return false;
    }
    size_t start = at;
    if (read_components(s, &at, "W") == 1 && at == s.len) {
        return true;
    }
    at = start;
    int dates = read_components(s, &at, "YMD");
    if (dates < 0) {
        return false;
    }
    if (read_byte(s, &at, 'T')) {
        int times = read_components(s, &at, "HMS");
        return times > 0 && at == s.len;
    }
    return dates > 0 && at == s.len;
}

// --- Identifiers and pointers ---------------------------------------------------------------------

static bool is_uuid(lg_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? s.ptr[i] != '-' : !is_hex(s.ptr[i])) {
            return false;
        }
    }
    return s.len == 36;
}

static bool is_json_pointer(lg_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        bool escape = s.ptr[i] == '~';
        if (escape && (i + 1 == s.len || (s.ptr[i + 1] != '0' && s.ptr[i + 1] != '1'))) {
            return false;
        }
    }
    return s.len == 0 || s.ptr[0] == '/';
}

static bool is_relative_json_pointer(lg_str s)
{
    size_t at = 0;
    while (at < s.len && lg_is_digit(s.ptr[at])) {
        at++;
    }
    if (at == 0 || (s.ptr[0] == '0' && at > 1)) {
        return false;
    }
    lg_str rest = lg_str_slice(s, at, s.len);
    return lg_str_eq(rest, LG_STR("#")) || is_json_pointer(rest);
}

static bool is_regex(lg_str s)
{
    return lg_ecma_translate(s, NULL, NULL, NULL);
}

// --- The table ------------------------------------------------------------------------------------

static const format_rule formats[] = {
    {"date-time", is_date_time, "a date and time such as 2024-05-15T15:00:00Z"},
    {"date", is_date, "a date such as 2024-05-15"},
    {"time", is_time, "a time such as 15:00:00Z"},
    {"duration", is_duration, "a duration such as P3DT12H"},
    {"email", lg_format_email, "an e-mail address"},
    {"idn-email", lg_format_idn_email, "an e-mail address"},
    {"hostname", lg_format_hostname, "a host name"},
    {"ipv4", lg_format_ipv4, "an IPv4 address such as 192.0.2.1"},
    {"ipv6", lg_format_ipv6, "an IPv6 address such as 2001:db8::1"},
    {"uri", lg_format_uri, "a URI such as https://example.com/a"},
    {"uri-reference", lg_format_uri_reference, "a URI or a relative reference"},
    {"iri", lg_format_iri, "an IRI such as https://example.com/a"},
    {"iri-reference", lg_format_iri_reference, "an IRI or a relative reference"},
    {"uri-template", lg_format_uri_template, "a URI template such as /orders/{id}"},
    {"uuid", is_uuid, "a UUID such as 123e4567-e89b-12d3-a456-426614174000"},
    {"json-pointer", is_json_pointer, "a JSON pointer such as /a/0"},
    {"relative-json-pointer", is_relative_json_pointer, "a relative JSON pointer such as 1/a"},
    {"regex", is_regex, "a regular expression of ECMA-262"},
};

const format_rule *lg_format_find(lg_str name)
{
    for (size_t i = 0; i < LG_COUNT(formats); i++) {
        if (lg_str_eq(lg_str_c(formats[i].name), name)) {
            return &formats[i];
        }
    }
    return NULL;
}
