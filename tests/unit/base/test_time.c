// Times and the calendar: RFC 3339 in and out, and every day of 10,000 years there and back.
#include "base/str.h"
#include "base/time.h"

#include "lg_test.h"

static const struct time_case {
    const char *text;
    int64_t seconds;
    uint32_t nanos;
    const char *printed;
} time_cases[] = {
    {"1970-01-01T00:00:00Z", 0, 0, "1970-01-01T00:00:00Z"},
    {"2024-05-15T15:00:00-05:00", 1715803200, 0, "2024-05-15T20:00:00Z"},
    {"2024-05-15t15:00:00.5z", 1715785200, 500000000, "2024-05-15T15:00:00.5Z"},
    {"2024-02-29T23:59:59.000000001Z", 1709251199, 1, "2024-02-29T23:59:59.000000001Z"},
    {"2024-02-29T23:59:59.1234567891Z", 1709251199, 123456789, "2024-02-29T23:59:59.123456789Z"},
    {"1969-12-31T23:59:59.25Z", -1, 250000000, "1969-12-31T23:59:59.25Z"},
    {"2000-02-29T00:00:00+05:30", 951762600, 0, "2000-02-28T18:30:00Z"},
    {"0001-01-01T00:00:00Z", LG_TIME_MIN_SECONDS, 0, "0001-01-01T00:00:00Z"},
    {"9999-12-31T23:59:59.999999999Z", LG_TIME_MAX_SECONDS, 999999999,
     "9999-12-31T23:59:59.999999999Z"},
};

static void times_are_parsed_and_printed(void)
{
    for (size_t i = 0; i < LG_COUNT(time_cases); i++) {
        const struct time_case *c = &time_cases[i];
        lg_time time = {0};
        CHECK_MSG(lg_time_parse(lg_str_c(c->text), &time), c->text);
        CHECK_MSG(time.seconds == c->seconds && time.nanos == c->nanos, c->text);
        char out[LG_TIME_TEXT_MAX];
        size_t len = lg_time_print(out, time);
        CHECK_STR(lg_str_of(out, len), c->printed);
    }
}

static void what_is_no_time_is_refused(void)
{
    static const char *const texts[] = {
        "",
        "2024-05-15",
        "2024-05-15 15:00:00Z",
        "2024-05-15T15:00:00",
        "2024-05-15T15:00Z",
        "2024-5-15T15:00:00Z",
        "24-05-15T15:00:00Z",
        "2024-13-15T15:00:00Z",
        "2024-00-15T15:00:00Z",
        "2024-04-31T15:00:00Z",
        "2024-05-00T15:00:00Z",
        "2023-02-29T15:00:00Z",
        "1900-02-29T15:00:00Z",
        "2024-05-15T24:00:00Z",
        "2024-05-15T15:60:00Z",
        "2024-05-15T15:00:60Z", // a leap second
        "2024-05-15T15:00:00.Z",
        "2024-05-15T15:00:00+24:00",
        "2024-05-15T15:00:00+05:60",
        "2024-05-15T15:00:00+0530",
        "2024-05-15T15:00:00Z ",
        " 2024-05-15T15:00:00Z",
        "2024-05-15T15:00:00ZZ",
        "0001-01-01T00:00:00+00:01",
        "0000-12-31T23:59:59Z",
        "9999-12-31T23:59:59-00:01",
        "-024-05-15T15:00:00Z",
    };
    for (size_t i = 0; i < LG_COUNT(texts); i++) {
        lg_time time = {1, 2};
        CHECK_MSG(!lg_time_parse(lg_str_c(texts[i]), &time), texts[i]);
        CHECK_MSG(time.seconds == 1 && time.nanos == 2, texts[i]);
    }
    lg_time time;
    CHECK(!lg_time_parse((lg_str){NULL, 0}, &time));
}

// One loop over all days: the inverse, the weekday and the day of the year follow by counting.
static void every_day_goes_there_and_back(void)
{
    int64_t days = lg_days_from_civil(1, 1, 1);
    CHECK(days * 86400 == LG_TIME_MIN_SECONDS);
    uint32_t bad = 0;
    uint32_t weekday = 1; // 0001-01-01 was a Monday
    for (int32_t year = 1; year <= 9999; year++) {
        uint32_t yearday = 0;
        for (uint32_t month = 1; month <= 12; month++) {
            for (uint32_t day = 1; day <= lg_days_of_month(year, month); day++) {
                lg_civil c = lg_civil_from_seconds(days * 86400 + 86399);
                bad += lg_days_from_civil(year, month, day) != days || c.year != year ||
                       c.month != month || c.day != day || c.weekday != weekday ||
                       c.yearday != yearday || c.hour != 23 || c.minute != 59 || c.second != 59;
                days++;
                yearday++;
                weekday = (weekday + 1) % 7;
            }
        }
        bad += yearday != 365 && yearday != 366;
    }
    CHECK(bad == 0);
    CHECK(days * 86400 - 1 == LG_TIME_MAX_SECONDS);
}

static void months_have_their_lengths(void)
{
    CHECK(lg_days_of_month(2000, 2) == 29 && lg_days_of_month(1900, 2) == 28);
    CHECK(lg_days_of_month(2024, 2) == 29 && lg_days_of_month(2023, 2) == 28);
    CHECK(lg_days_of_month(2023, 4) == 30 && lg_days_of_month(2023, 12) == 31);
    CHECK(lg_days_of_month(2023, 0) == 0 && lg_days_of_month(2023, 13) == 0);
}

static const struct offset_case {
    const char *text;
    bool valid;
    int32_t seconds;
} offset_cases[] = {
    {"UTC", true, 0},        {"Z", true, 0},
    {"+05:30", true, 19800}, {"-02:30", true, -9000},
    {"05:30", true, 19800},  {"+00:00", true, 0},
    {"+23:59", true, 86340}, {"+24:00", false, 0},
    {"5:30", false, 0},      {"+5:30", false, 0},
    {"", false, 0},          {"utc", false, 0},
    {"+05:30x", false, 0},   {"Europe/Berlin", false, 0},
};

static void offsets_are_parsed(void)
{
    for (size_t i = 0; i < LG_COUNT(offset_cases); i++) {
        const struct offset_case *c = &offset_cases[i];
        int32_t seconds = 0;
        CHECK_MSG(lg_time_parse_offset(lg_str_c(c->text), &seconds) == c->valid, c->text);
        CHECK_MSG(!c->valid || seconds == c->seconds, c->text);
    }
}

static void times_are_ordered_by_seconds_then_nanos(void)
{
    lg_time early = {-1, 999999999};
    lg_time late = {0, 0};
    lg_time later = {0, 1};
    CHECK(lg_time_cmp(early, late) < 0 && lg_time_cmp(late, early) > 0);
    CHECK(lg_time_cmp(late, later) < 0 && lg_time_cmp(later, late) > 0);
    CHECK(lg_time_cmp(later, later) == 0);
}

int main(void)
{
    RUN(times_are_parsed_and_printed);
    RUN(what_is_no_time_is_refused);
    RUN(every_day_goes_there_and_back);
    RUN(months_have_their_lengths);
    RUN(offsets_are_parsed);
    RUN(times_are_ordered_by_seconds_then_nanos);
    return lg_test_done();
}
