// date.c: dates and times of day in the forms that people and programs write them in.
#include "origin/origin_internal.h"

#include "base/time.h"

#include <stdio.h>

static const char *const months[] = {"january",   "february", "march",    "april",
                                     "may",       "june",     "july",     "august",
                                     "september", "october",  "november", "december"};
static const char *const days[] = {"sunday",   "monday", "tuesday", "wednesday",
                                   "thursday", "friday", "saturday"};

typedef struct moment {
    bool has_date, has_time;
    int32_t year;
    uint32_t month, day;
    uint32_t minutes; // of the day
} moment;

typedef struct digits {
    uint32_t value;
    uint32_t count;
} digits;

static digits read_digits(lg_str text, size_t *at)
{
    digits read = {0};
    while (*at < text.len && lg_is_digit(text.ptr[*at]) && read.count < 5) {
        read.value = read.value * 10 + (uint32_t)(text.ptr[(*at)++] - '0');
        read.count++;
    }
    return read;
}

static bool is_day(int32_t year, uint32_t month, uint32_t day)
{
    return year >= 1 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 &&
           day <= lg_days_of_month(year, month);
}

// "2024-05-16", "2024/5/16", "05/16/2024".
static bool read_date(lg_str text, size_t *at, moment *ret)
{
    digits part[3];
    size_t next = *at;
    char mark = 0;
    for (int i = 0; i < 3; i++) {
        part[i] = read_digits(text, &next);
        if (part[i].count == 0 || (i && part[i].count != 2 && part[i].count != 1 && i != 2)) {
            return false;
        }
        if (i < 2) {
            if (next >= text.len || (text.ptr[next] != '-' && text.ptr[next] != '/') ||
                (i && text.ptr[next] != mark)) {
                return false;
            }
            mark = text.ptr[next++];
        }
    }
    bool year_first = part[0].count == 4 && part[2].count <= 2;
    if (!year_first && (part[2].count != 4 || part[0].count > 2)) {
        return false;
    }
    ret->year = (int32_t)part[year_first ? 0 : 2].value;
    ret->month = part[year_first ? 1 : 0].value;
    ret->day = part[year_first ? 2 : 1].value;
    ret->has_date = is_day(ret->year, ret->month, ret->day);
    *at = next;
    return ret->has_date;
}

size_t lg_origin_date_length(lg_str text)
{
    moment m;
    size_t at = 0;
    return read_date(text, &at, &m) ? at : 0;
}

static uint32_t half_of_day(lg_str rest)
{
    lg_str t = lg_str_trim(rest);
    if (t.len < 2 || lg_lower(t.ptr[1] == '.' ? t.ptr[2 < t.len ? 2 : 1] : t.ptr[1]) != 'm') {
        return 0;
    }
    char c = lg_lower(t.ptr[0]);
    return c == 'a' ? 1 : c == 'p' ? 2 : 0;
}

// "16:00", "16:00:00", "4:00 PM", "4 pm", with a zone or none.
static bool read_time(lg_str text, size_t *at, moment *ret)
{
    size_t next = *at;
    digits hour = read_digits(text, &next);
    digits minute = {0};
    bool colon = next < text.len && text.ptr[next] == ':';
    if (colon) {
        next++;
        minute = read_digits(text, &next);
    }
    if (next < text.len && text.ptr[next] == ':') {
        next++;
        read_digits(text, &next);
    }
    lg_str rest = lg_str_slice(text, next, text.len);
    uint32_t half = half_of_day(rest);
    if (hour.count == 0 || hour.count > 2 || (colon && minute.count != 2) || (!colon && !half) ||
        rest.len > 8 || hour.value > 24 || minute.value > 59) {
        return false;
    }
    uint32_t h = half ? hour.value % 12 + (half == 2 ? 12 : 0) : hour.value % 24;
    ret->minutes = h * 60 + minute.value;
    ret->has_time = true;
    *at = text.len;
    return true;
}

static bool read_moment(lg_str text, moment *ret)
{
    *ret = (moment){0};
    size_t at = 0;
    lg_str t = lg_str_trim(text);
    if (t.len > 40) {
        return false;
    }
    if (read_date(t, &at, ret)) {
        if (at == t.len) {
            return true;
        }
        if (t.ptr[at] != 'T' && t.ptr[at] != ' ') {
            return false;
        }
        at++;
    }
    return read_time(t, &at, ret);
}

// --- Looking up ---------------------------------------------------------------------------------

// The earlier of two.
static void keep_first(bool found, const lg_origin_place *place, bool *any, lg_origin_place *best)
{
    bool before = !*any || place->text < best->text ||
                  (place->text == best->text && place->begin < best->begin);
    if (found && before) {
        *best = *place;
    }
    *any = *any || found;
}

typedef struct finder {
    lg_origin_query *query;
    int32_t year; // that may not be contradicted, or 0
    bool any;
    lg_origin_place best;
} finder;

LG_PRINTF(2, 3) static void try_form(finder *f, const char *format, ...)
{
    char text[LG_ORIGIN_SHORT];
    char bytes[2 * LG_ORIGIN_SHORT];
    if (!lg_budget_take(&f->query->budget, 8)) { // printing it costs more than looking it up
        return;
    }
    va_list args;
    va_start(args, format);
    lg_str form = lg_str_vprint(text, sizeof(text), format, args);
    va_end(args);
    lg_origin_needle needle;
    lg_origin_place place;
    if (lg_origin_needle_of(form, bytes, &needle)) {
        needle.exact = true;
        needle.year = f->year;
        keep_first(lg_origin_find(f->query, &needle, &place), &place, &f->any, &f->best);
    }
}

static const char *ending(uint32_t day)
{
    static const char *const endings[] = {"th", "st", "nd", "rd"};
    return day / 10 != 1 && day % 10 < 4 ? endings[day % 10] : "th";
}

static void try_month_name(finder *f, const moment *m, const char *month, int len)
{
    uint32_t d = m->day;
    const char *th = ending(d);
    try_form(f, "%.*s %u", len, month, d);
    try_form(f, "%.*s %u%s", len, month, d, th);
    try_form(f, "%u %.*s", d, len, month);
    try_form(f, "%u%s %.*s", d, th, len, month);
    try_form(f, "%u%s of %.*s", d, th, len, month);
    try_form(f, "%.*s the %u%s", len, month, d, th);
    if (d < 10) {
        try_form(f, "%.*s 0%u", len, month, d);
        try_form(f, "0%u %.*s", d, len, month);
    }
}

// The forms that have no year. `year`: none may contradict it, or 0.
static void try_without_year(finder *f, const moment *m, int32_t year)
{
    f->year = year;
    try_form(f, "%02u/%02u", m->month, m->day);
    try_form(f, "%u/%u", m->month, m->day);
    try_form(f, "%u\xE6\x9C\x88%u\xE6\x97\xA5", m->month, m->day); // month and day, in Chinese
    const char *month = months[m->month - 1];
    try_month_name(f, m, month, (int)strlen(month));
    try_month_name(f, m, month, 3);
    if (m->month == 9) {
        try_month_name(f, m, "sept", 4);
    }
    f->year = 0;
}

static bool find_date(lg_origin_query *query, const moment *m, lg_origin_place *ret)
{
    finder f = {.query = query};
    uint32_t d = m->day;
    try_form(&f, "%d-%02u-%02u", m->year, m->month, d);
    try_form(&f, "%d%02u%02u", m->year, m->month, d);
    try_form(&f, "%02u/%02u/%d", m->month, d, m->year);
    try_form(&f, "%02u/%02u/%02d", m->month, d, m->year % 100);
    try_form(&f, "%u/%u/%d", m->month, d, m->year);
    try_form(&f, "%u/%u/%02d", m->month, d, m->year % 100);
    try_form(&f, "%02u/%02u/%d", d, m->month, m->year);
    try_without_year(&f, m, m->year);
    // "2024-05-16T15:00:00": the day and the letter are one word.
    for (uint32_t hour = 0; hour < 24 && !f.any; hour++) {
        try_form(&f, "%d-%02u-%02uT%02u", m->year, m->month, d, hour);
    }
    *ret = f.best;
    return f.any;
}

static bool find_time(lg_origin_query *query, uint32_t minutes, lg_origin_place *ret)
{
    finder f = {.query = query};
    uint32_t h = minutes / 60;
    uint32_t m = minutes % 60;
    uint32_t h12 = h % 12 ? h % 12 : 12;
    const char *half = h < 12 ? "am" : "pm";
    const char *half_dots = h < 12 ? "a.m" : "p.m";
    try_form(&f, "%02u:%02u", h, m);
    try_form(&f, "%u:%02u", h, m);
    try_form(&f, "%u:%02u %s", h12, m, half);
    try_form(&f, "%u:%02u%s", h12, m, half);
    try_form(&f, "%02u:%02u %s", h12, m, half);
    try_form(&f, "%02u:%02u%s", h12, m, half);
    try_form(&f, "%u:%02u %s", h12, m, half_dots);
    if (m == 0) {
        try_form(&f, "%u %s", h12, half);
        try_form(&f, "%u%s", h12, half);
        try_form(&f, "%u %s", h12, half_dots);
        if (h % 12 == 0) {
            try_form(&f, "%s", h ? "noon" : "midnight");
        }
    }
    *ret = f.best;
    return f.any;
}

// --- Reckoning ----------------------------------------------------------------------------------

static bool find_any(lg_origin_query *query, const char *const *words, size_t count,
                     lg_origin_place *ret)
{
    for (size_t i = 0; i < count; i++) {
        if (lg_origin_find_words(query, lg_str_c(words[i]), ret)) {
            return true;
        }
    }
    return false;
}

// A word that leads from a day to the one `apart` days later.
static bool find_leap(lg_origin_query *query, const moment *to, int apart, lg_origin_place *ret)
{
    static const char *const next[] = {"tomorrow",      "next day",  "day after",
                                       "following day", "day later", "a day"};
    static const char *const previous[] = {"yesterday", "previous day", "day before", "day earlier",
                                           "day ago"};
    static const char *const weeks[] = {"week", "weeks", "next week", "weekly"};
    int64_t day = lg_days_from_civil(to->year, to->month, to->day);
    const char *weekday = days[lg_civil_from_seconds(day * 86400).weekday];
    if ((apart == 1 && find_any(query, next, LG_COUNT(next), ret)) ||
        (apart == -1 && find_any(query, previous, LG_COUNT(previous), ret))) {
        return true;
    }
    if (lg_origin_find_words(query, lg_str_c(weekday), ret) ||
        lg_origin_find_words(query, (lg_str){weekday, 3}, ret)) {
        return true;
    }
    if (apart % 7 == 0 && find_any(query, weeks, LG_COUNT(weeks), ret)) {
        return true;
    }
    static const char *const counts[] = {"",    "one",   "two",   "three", "four", "five",
                                         "six", "seven", "eight", "nine",  "ten"};
    finder span = {.query = query};
    int count = apart < 0 ? -apart : apart;
    try_form(&span, "%d days", count);
    try_form(&span, "%d day", count);
    if (count <= 10) {
        try_form(&span, "%s day", counts[count]);
        try_form(&span, "%s days", counts[count]);
    }
    *ret = span.best;
    return span.any;
}

static moment shifted(const moment *m, int apart)
{
    int64_t day = lg_days_from_civil(m->year, m->month, m->day) + apart;
    lg_civil civil = lg_civil_from_seconds(day * 86400);
    return (moment){.has_date = true, .year = civil.year, .month = civil.month, .day = civil.day};
}

static bool set(lg_origin_answer *answer, const lg_origin_place *first,
                const lg_origin_place *second)
{
    answer->verdict = LG_ORIGIN_COMPUTED;
    answer->operation = LG_ORIGIN_DATE;
    lg_origin_operand(answer, first);
    lg_origin_operand(answer, second);
    return true;
}

// By a word from a day that was seen, or between two that were.
static bool reckon_date(lg_origin_query *query, const moment *m, lg_origin_answer *answer)
{
    lg_origin_place near;
    lg_origin_place word;
    lg_origin_place sides[2];
    bool has_side[2] = {false, false};
    if (m->year < 2 || m->year > 9998) {
        return false;
    }
    for (int apart = 1; apart <= 14; apart++) {
        for (int side = 0; side < 2; side++) {
            int by = side ? -apart : apart; // from the day near by to this one
            moment other = shifted(m, -by);
            if (!find_date(query, &other, &near)) {
                continue;
            }
            if (!has_side[side]) {
                has_side[side] = true;
                sides[side] = near;
            }
            if (find_leap(query, m, by, &word)) {
                return set(answer, &near, &word);
            }
        }
    }
    return has_side[0] && has_side[1] && set(answer, &sides[0], &sides[1]);
}

// The month in one place, the day in another: "between May 17 and 20".
static bool compose_date(lg_origin_query *query, const moment *m, lg_origin_answer *answer)
{
    finder month = {.query = query};
    finder day = {.query = query};
    const char *name = months[m->month - 1];
    try_form(&month, "%s", name);
    try_form(&month, "%.3s", name);
    try_form(&month, "%d-%02u", m->year, m->month);
    try_form(&month, "%u\xE6\x9C\x88", m->month);
    finder elsewhen = {.query = query};
    try_without_year(&elsewhen, m, 0); // "May 16, 2023": that is another day
    if (!month.any || elsewhen.any) {
        return false;
    }
    try_form(&day, "%u%s", m->day, ending(m->day));
    lg_origin_place number;
    keep_first(lg_origin_find_number(query, (lg_origin_decimal){m->day, 0}, &number), &number,
               &day.any, &day.best);
    return day.any && set(answer, &month.best, &day.best);
}

static bool date_from(lg_origin_query *query, const moment *m, lg_origin_answer *answer)
{
    if (find_date(query, m, &answer->place)) {
        answer->verdict = LG_ORIGIN_SEEN;
        return true;
    }
    return compose_date(query, m, answer) || reckon_date(query, m, answer);
}

static bool time_from(lg_origin_query *query, uint32_t minutes, lg_origin_answer *answer)
{
    static const char *const spans[] = {"hour", "hours", "minutes", "minute", "half", "h", "min"};
    if (find_time(query, minutes, &answer->place)) {
        answer->verdict = LG_ORIGIN_SEEN;
        return true;
    }
    lg_origin_place number;
    lg_origin_place word;
    uint32_t h = minutes / 60 % 12 ? minutes / 60 % 12 : 12;
    const char *half = minutes < 720 ? "am" : "pm";
    char from[16];
    int len = snprintf(from, sizeof(from), "%u to", h); // "from 4 to 5 PM"
    if (minutes % 60 == 0 && lg_origin_find_words(query, (lg_str){from, (size_t)len}, &number) &&
        lg_origin_find_words(query, lg_str_c(half), &word)) {
        return set(answer, &number, &word);
    }
    if (!find_any(query, spans, LG_COUNT(spans), &word)) {
        return false;
    }
    for (uint32_t apart = 15; apart <= 8 * 60; apart += 15) {
        if (find_time(query, (minutes + 1440 - apart) % 1440, &number) ||
            find_time(query, (minutes + apart) % 1440, &number)) {
            return set(answer, &number, &word);
        }
    }
    return false;
}

bool lg_origin_date_from(lg_origin_query *query, lg_str text, lg_origin_answer *answer)
{
    moment m;
    if (!read_moment(text, &m)) {
        return false;
    }
    lg_origin_answer date = *answer;
    lg_origin_answer time = *answer;
    bool has_date = !m.has_date || date_from(query, &m, &date);
    bool has_time =
        !m.has_time || m.minutes == 0 || m.minutes == 1439 || time_from(query, m.minutes, &time);
    if (has_date && has_time) {
        bool one = !m.has_time || !m.has_date;
        *answer = m.has_date ? date : time;
        if (!one && answer->verdict == LG_ORIGIN_SEEN && m.minutes != 0 && m.minutes != 1439) {
            lg_origin_place place = answer->place;
            set(answer, &place, time.verdict == LG_ORIGIN_SEEN ? &time.place : &time.operands[0]);
        }
        if (answer->verdict == LG_ORIGIN_UNKNOWN) { // midnight, and nothing else
            answer->verdict = LG_ORIGIN_TRIVIAL;
        }
        return true;
    }
    size_t cut = 0;
    while (cut < text.len && text.ptr[cut] != 'T' && text.ptr[cut] != ' ') {
        cut++;
    }
    answer->verdict = LG_ORIGIN_UNGROUNDED;
    if (!has_date) {
        lg_origin_miss(answer, m.has_time ? lg_str_slice(text, 0, cut) : text);
    }
    if (!has_time) {
        lg_origin_miss(answer, m.has_date ? lg_str_slice(text, cut + 1, text.len) : text);
    }
    return true;
}
