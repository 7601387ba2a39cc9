// Timestamps and durations: reading them, and the parts of them.
#include "cel/cel_internal.h"

lg_cel_value lg_cel_fn_timestamp(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    lg_time time;
    if (args[0].kind == LG_CEL_TIMESTAMP) {
        return args[0];
    }
    if (args[0].kind == LG_CEL_STRING) {
        lg_cel_charge(vm, 4 + args[0].aux / 16);
        return lg_time_parse(lg_cel_str(args[0]), &time)
                   ? lg_cel_make_timestamp(time.seconds, time.nanos)
                   : lg_cel_fail(vm, LG_CEL_FAIL_TYPE, "the text is no RFC 3339 timestamp");
    }
    return args[0].kind == LG_CEL_INT ? lg_cel_time_result(vm, LG_CEL_TIMESTAMP, args[0].as.i64, 0)
                                      : lg_cel_no_overload(vm);
}

// --- Durations ----------------------------------------------------------------------------------

static const struct {
    char text[4];
    int64_t nanos;
} units[] = {
    {"ns", 1},
    {"us", 1000},
    {"ms", 1000000},
    {"s", INT64_C(1000000000)},
    {"m", INT64_C(60000000000)},
    {"h", INT64_C(3600000000000)},
};

static int64_t read_unit(lg_str text, size_t *at)
{
    size_t first = *at;
    while (*at < text.len && text.ptr[*at] >= 'a' && text.ptr[*at] <= 'z') {
        ++*at;
    }
    lg_str name = lg_str_slice(text, first, *at);
    for (size_t i = 0; i < LG_COUNT(units); i++) {
        if (lg_str_eq(name, lg_str_c(units[i].text))) {
            return units[i].nanos;
        }
    }
    return 0;
}

// "12.5h": the whole part times the unit, and as much of the fraction as makes whole nanoseconds.
// 0 means unreadable; *ret_fits is false on overflow.
static bool read_part(lg_str text, size_t *at, int64_t *total, bool *ret_fits)
{
    int64_t whole = 0;
    int64_t fraction = 0;
    int64_t scale = 1;
    size_t digits = 0;
    for (; *at < text.len && text.ptr[*at] >= '0' && text.ptr[*at] <= '9'; ++*at, digits++) {
        int64_t digit = text.ptr[*at] - '0';
        *ret_fits = *ret_fits && !__builtin_mul_overflow(whole, 10, &whole) &&
                    !__builtin_add_overflow(whole, digit, &whole);
    }
    if (*at < text.len && text.ptr[*at] == '.') {
        for (++*at; *at < text.len && text.ptr[*at] >= '0' && text.ptr[*at] <= '9'; ++*at) {
            digits++;
            if (scale < INT64_C(1000000000000000)) {
                fraction = fraction * 10 + (text.ptr[*at] - '0');
                scale *= 10;
            }
        }
    }
    int64_t unit = read_unit(text, at);
    if (digits == 0 || unit == 0) {
        return false;
    }
    // `fraction` is below `scale`, so the quotient is below `unit`; the product needs 128 bits.
    __extension__ typedef __int128 wide;
    int64_t part = (int64_t)((wide)fraction * unit / scale);
    *ret_fits = *ret_fits && !__builtin_mul_overflow(whole, unit, &whole) &&
                !__builtin_add_overflow(whole, part, &whole) &&
                !__builtin_add_overflow(*total, whole, total);
    return true;
}

// "-1h30m", "1.5s", "0".
static bool read_duration(lg_str text, int64_t *ret_nanos, bool *ret_fits)
{
    size_t at = 0;
    bool negative = text.len > 0 && text.ptr[0] == '-';
    int64_t total = 0;
    if (negative || (text.len > 0 && text.ptr[0] == '+')) {
        at++;
    }
    *ret_fits = true;
    *ret_nanos = 0;
    if (lg_str_eq(lg_str_slice(text, at, text.len), LG_STR("0"))) {
        return true;
    }
    if (at == text.len) {
        return false;
    }
    while (at < text.len) {
        if (!read_part(text, &at, &total, ret_fits)) {
            return false;
        }
    }
    *ret_nanos = negative ? -total : total;
    return true;
}

lg_cel_value lg_cel_fn_duration(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    int64_t nanos;
    bool fits;
    if (args[0].kind == LG_CEL_DURATION) {
        return args[0];
    }
    if (args[0].kind != LG_CEL_STRING) {
        return lg_cel_no_overload(vm);
    }
    if (!lg_cel_charge(vm, 2 + args[0].aux / 2)) {
        return args[0];
    }
    if (!read_duration(lg_cel_str(args[0]), &nanos, &fits)) {
        return lg_cel_fail(vm, LG_CEL_FAIL_TYPE, "the text is no duration");
    }
    return fits ? lg_cel_time_result(vm, LG_CEL_DURATION, 0, nanos)
                : lg_cel_fail(vm, LG_CEL_FAIL_RANGE, "duration out of range");
}

// --- Parts --------------------------------------------------------------------------------------

// The offset that a second argument means: a zone that the compiler read, or the text of an offset.
static bool offset_of(lg_cel_value zone, int64_t seconds, int32_t *ret)
{
    if (zone.kind == LG_CEL_OPAQUE && zone.as.opaque->type == &lg_cel_t_zone) {
        *ret = lg_zone_offset(zone.as.opaque->zone, seconds);
        return true;
    }
    return zone.kind == LG_CEL_STRING && lg_time_parse_offset(lg_cel_str(zone), ret);
}

// The calendar day of a timestamp in the time zone of the second argument, if there is one.
static bool civil_of(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count, lg_civil *ret,
                     lg_cel_value *reterr)
{
    int32_t offset = 0;
    lg_cel_charge(vm, count == 2 ? 5 : 1);
    if (args[0].kind != LG_CEL_TIMESTAMP || count > 2 ||
        (count == 2 && args[1].kind != LG_CEL_STRING && args[1].kind != LG_CEL_OPAQUE)) {
        *reterr = lg_cel_no_overload(vm);
        return false;
    }
    if (count == 2 && !offset_of(args[1], args[0].as.i64, &offset)) {
        *reterr = lg_cel_fail(vm, LG_CEL_FAIL_TYPE,
                              "unknown time zone (a name must be a constant, else an offset)");
        return false;
    }
    *ret = lg_civil_from_seconds(args[0].as.i64 + offset);
    return true;
}

// One function for each part: `expression` over the calendar day `c`.
#define CIVIL_PART(name, expression)                                                               \
    lg_cel_value lg_cel_fn_get_##name(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)     \
    {                                                                                              \
        lg_civil c;                                                                                \
        lg_cel_value error;                                                                        \
        return civil_of(vm, args, count, &c, &error) ? lg_cel_make_int(expression) : error;        \
    }

CIVIL_PART(full_year, c.year)
CIVIL_PART(month, (int64_t)c.month - 1)
CIVIL_PART(date, c.day)
CIVIL_PART(day_of_month, (int64_t)c.day - 1)
CIVIL_PART(day_of_week, c.weekday)
CIVIL_PART(day_of_year, c.yearday)

// The whole seconds of a duration, rounded towards zero.
static int64_t whole_seconds(lg_cel_value duration)
{
    return duration.as.i64 + (duration.as.i64 < 0 && duration.aux > 0);
}

// These exist for durations too, where they count the whole duration.
#define SHARED_PART(name, civil, whole)                                                            \
    lg_cel_value lg_cel_fn_get_##name(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)     \
    {                                                                                              \
        lg_civil c;                                                                                \
        lg_cel_value error;                                                                        \
        if (args[0].kind == LG_CEL_DURATION && count == 1) {                                       \
            return lg_cel_make_int(whole);                                                         \
        }                                                                                          \
        return civil_of(vm, args, count, &c, &error) ? lg_cel_make_int(civil) : error;             \
    }

SHARED_PART(hours, c.hour, whole_seconds(args[0]) / 3600)
SHARED_PART(minutes, c.minute, whole_seconds(args[0]) / 60)
SHARED_PART(seconds, c.second, whole_seconds(args[0]))

// The milliseconds of a duration beside its whole seconds.
lg_cel_value lg_cel_fn_get_milliseconds(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    lg_civil c;
    lg_cel_value error;
    if (args[0].kind == LG_CEL_DURATION && count == 1) {
        int64_t nanos = args[0].aux;
        bool negative = args[0].as.i64 < 0 && nanos > 0;
        return lg_cel_make_int((negative ? nanos - LG_TIME_NANOS : nanos) / 1000000);
    }
    return civil_of(vm, args, count, &c, &error) ? lg_cel_make_int(args[0].aux / 1000000) : error;
}
