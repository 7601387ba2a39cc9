// Doubles from text and back: tables of known hard cases, laws on random ones, and the table of
// powers of ten recomputed with long arithmetic.
#include "lg_test.h"

#include "json/json_internal.h"

#include <math.h>

static const lg_json *parse(lg_arena *arena, lg_str text)
{
    const lg_json *value = NULL;
    lg_status status = lg_json_parse_in(arena, text, 0, text.len, NULL, &value, NULL);
    return status == LG_OK ? value : NULL;
}

static uint64_t bits_of(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof(bits));
    return bits;
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

typedef struct reading {
    const char *text;
    double value;
} reading;

static const reading readings[] = {
    {"0.0", 0.0},
    {"-0.0", -0.0},
    {"0.1", 0x1.999999999999ap-4},
    {"0.30000000000000004", 0x1.3333333333334p-2},
    {"3.141592653589793", 0x1.921fb54442d18p+1},
    {"1e22", 1e22},
    {"1e23", 0x1.52d02c7e14af6p+76},
    {"123456789012345680000.0", 0x1.ac53a7e04bcdap+66},
    {"9007199254740993.0", 0x1p53},                                  // 2^53 + 1: a tie, to even
    {"9007199254740992.9999999999999999999", 0x1p53},                // below the tie
    {"9007199254740993.00000000000000000001", 0x1.0000000000001p53}, // above it
    {"9007199254740995.0", 0x1.0000000000002p53},
    {"1.7976931348623157e308", 0x1.fffffffffffffp+1023},
    {"1.7976931348623158e308", 0x1.fffffffffffffp+1023},
    {"179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977"
     "587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845"
     "817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559"
     "699508093042880177904174497791.999",
     0x1.fffffffffffffp+1023}, // just below the midpoint to 2^1024
    {"2.2250738585072014e-308", 0x1p-1022},
    {"2.2250738585072011e-308", 0x0.fffffffffffffp-1022},
    {"2.2250738585072012e-308", 0x1p-1022},
    {"2.225073858507201136057409796709131975934819546351645648023426109724822222021076945516529523"
     "908135087914149158913039621106870086438694594645527657207407820621743379988141063267329253552"
     "286881372149012981122451451889849057222307285255133155755015914397476397983411801999323962548"
     "289017107081850690630666655994938275772572015763062690663332647565300009245888316433037779791"
     "869612049497390377829704905051080609940730262937128958950003583799967207254304360284078895771"
     "796150945516748243471030702609144621572289880258182545180325707018860872113128079512233426288"
     "368622321503775666622503982534335974568884423900265498198385487948292206894721689831099698365"
     "846814022854243330660339850886445804001034933970427567186443383770486037861622771738545623065"
     "874679014086723327636718751234567890123456789012345678901e-308",
     0x1p-1022}, // more digits than any midpoint has
    {"5e-324", 0x1p-1074},
    {"4.9406564584124654e-324", 0x1p-1074},
    {"2.4703282292062328e-324", 0x1p-1074},
    {"2.4703282292062327e-324", 0.0},
    {"1e-400", 0.0},
    {"-1e-400", -0.0},
    {"7.2057594037927933e16", 0x1p56}, // a tie after one multiplication
    {"8.5e-45", 0x1.84361c80ae165p-147},
    {"6.9294956446009195e15", 6929495644600919.5},
    {"1090544144181609348835077142190", 0x1.b8779f2474dfbp+99},
    {"0.000000000000000000000000000000000000000000000000000000000000000000000000000000001e81", 1.0},
    {"100000000000000000000000000000000000000000000000000000000000000000000000000000000.0e-80",
     1.0},
};

static void reads_the_nearest_double(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    for (size_t i = 0; i < sizeof(readings) / sizeof(readings[0]); i++) {
        const lg_json *value = parse(&arena, lg_str_c(readings[i].text));
        double got = 99.0;
        CHECK_MSG(value && lg_json_double(value, &got), readings[i].text);
        if (!CHECK_MSG(bits_of(got) == bits_of(readings[i].value), readings[i].text)) {
            printf("    got %a, want %a\n", got, readings[i].value);
        }
    }
    lg_arena_done(&arena);
}

static void beyond_the_doubles_is_a_bignum(void)
{
    static const char *const texts[] = {"1e400",    "-1e400",       "1.7976931348623159e308",
                                        "1e309",    "2e308",        "123456789e301",
                                        "0.01e400", "1e99999999999"};
    lg_arena arena;
    lg_arena_init(&arena, 0);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        const lg_json *value = parse(&arena, lg_str_c(texts[i]));
        double d;
        CHECK_MSG(lg_json_is(value, LG_JSON_BIGNUM), texts[i]);
        CHECK_MSG(!lg_json_double(value, &d), texts[i]);
    }
    lg_arena_done(&arena);
}

typedef struct printing {
    double value;
    const char *compact;
    const char *canonical;
} printing;

// The canonical column is appendix B of RFC 8785, and more of the kind.
static const printing printings[] = {
    {0.0, "0.0", "0"},
    {-0.0, "-0.0", "0"},
    {1.0, "1.0", "1"},
    {-1.5, "-1.5", "-1.5"},
    {118.0, "118.0", "118"},
    {100.0, "100.0", "100"},
    {0.1, "0.1", "0.1"},
    {342.81, "342.81", "342.81"},
    {0.000001, "0.000001", "0.000001"},
    {0.0000001, "1e-7", "1e-7"},
    {1.5e-7, "1.5e-7", "1.5e-7"},
    {0.0000015, "0.0000015", "0.0000015"},
    {123456789012345680000.0, "123456789012345680000.0", "123456789012345680000"},
    {1e21, "1e+21", "1e+21"},
    {1e20, "100000000000000000000.0", "100000000000000000000"},
    {1.5e300, "1.5e+300", "1.5e+300"},
    {0x1p-1074, "5e-324", "5e-324"},
    {-0x1p-1074, "-5e-324", "-5e-324"},
    {0x1.fffffffffffffp+1023, "1.7976931348623157e+308", "1.7976931348623157e+308"},
    {-0x1.fffffffffffffp+1023, "-1.7976931348623157e+308", "-1.7976931348623157e+308"},
    {9007199254740992.0, "9007199254740992.0", "9007199254740992"},
    {-9007199254740992.0, "-9007199254740992.0", "-9007199254740992"},
    {295147905179352830000.0, "295147905179352830000.0", "295147905179352830000"},
    {9.999999999999997e22, "9.999999999999997e+22", "9.999999999999997e+22"},
    {1e23, "1e+23", "1e+23"},
    {1.0000000000000001e23, "1.0000000000000001e+23", "1.0000000000000001e+23"},
    {999999999999999700000.0, "999999999999999700000.0", "999999999999999700000"},
    {999999999999999900000.0, "999999999999999900000.0", "999999999999999900000"},
    {9.999999999999997e-7, "9.999999999999997e-7", "9.999999999999997e-7"},
    {333333333.3333332, "333333333.3333332", "333333333.3333332"},
    {333333333.33333325, "333333333.33333325", "333333333.33333325"},
    {333333333.3333333, "333333333.3333333", "333333333.3333333"},
    {333333333.3333334, "333333333.3333334", "333333333.3333334"},
    {333333333.33333343, "333333333.33333343", "333333333.33333343"},
    {-0.0000033333333333333333, "-0.0000033333333333333333", "-0.0000033333333333333333"},
    {1424953923781206.2, "1424953923781206.2", "1424953923781206.2"},
    {2.2250738585072014e-308, "2.2250738585072014e-308", "2.2250738585072014e-308"},
    {0x1p-44, "5.684341886080802e-14", "5.684341886080802e-14"}, // lower neighbour is closer
    {0x1p+70, "1.1805916207174113e+21", "1.1805916207174113e+21"},
    {4.35, "4.35", "4.35"},
    {2.0e-3, "0.002", "0.002"},
};

static void prints_the_shortest_text(void)
{
    for (size_t i = 0; i < sizeof(printings) / sizeof(printings[0]); i++) {
        lg_json value = lg_json_make_double(printings[i].value);
        lg_buf out;
        lg_buf_init(&out, 0);
        lg_json_print(&out, &value);
        CHECK_STR(lg_buf_str(&out), printings[i].compact);
        lg_buf_clear(&out);
        lg_json_print_canonical(&out, &value);
        CHECK_STR(lg_buf_str(&out), printings[i].canonical);
        lg_buf_done(&out);
    }
}

// Digits of `%.*e`, without trailing zeros: how many, and what number they make.
static size_t c_digits(double value, int precision, char text[64])
{
    snprintf(text, 64, "%.*e", precision, value);
    size_t count = 1 + (size_t)precision;
    char *digits = text + (precision ? 2 : 1); // behind the point
    while (count > 1 && digits[count - 2] == '0') {
        count--;
    }
    return count;
}

// Whether a text with `digits` digits reads back to `value`, trying the neighbours of the nearest
// one too: below a power of two the nearest need not be the one that reads back.
static bool fewer_would_do(double value, int digits)
{
    char text[64];
    snprintf(text, sizeof(text), "%.*e", digits - 1, value);
    if (strtod(text, NULL) == value) {
        return true;
    }
    double step = pow(10, floor(log10(value)) - (digits - 1));
    for (int side = -1; side <= 1; side += 2) {
        snprintf(text, sizeof(text), "%.*e", digits - 1, value + side * step);
        if (strtod(text, NULL) == value) {
            return true;
        }
    }
    return false;
}

static void check_shortest(double value)
{
    lg_buf out;
    lg_buf_init(&out, 0);
    lg_json_print_double(&out, value);
    lg_buf_add_byte(&out, '\0');
    const char *text = out.ptr;
    if (!CHECK_MSG(strtod(text, NULL) == value, "reads back")) {
        printf("    %a printed as %s\n", value, text);
    }
    lg_json_digits d = lg_json_shortest(value);
    int count = snprintf(NULL, 0, "%llu", (unsigned long long)d.digits);
    if (count > 1 && !CHECK_MSG(!fewer_would_do(value, count - 1), "no shorter text reads back")) {
        printf("    %a printed as %s\n", value, text);
    }
    // Of the same length it is the nearest, if the nearest reads back at all.
    char nearest[64];
    size_t nearest_count = c_digits(value, count - 1, nearest);
    if (nearest_count == (size_t)count && strtod(nearest, NULL) == value) {
        char ours[64];
        snprintf(ours, sizeof(ours), "%llue%d", (unsigned long long)d.digits, d.exponent);
        char both[2][64];
        snprintf(both[0], 64, "%.17e", strtod(ours, NULL));
        snprintf(both[1], 64, "%.17e", strtod(nearest, NULL));
        CHECK_MSG(strcmp(both[0], both[1]) == 0, "as near as C");
        // Compare the digits themselves: strip the point of C's text.
        char stripped[64];
        size_t n = 0;
        for (const char *c = nearest; *c != 'e'; c++) {
            if (*c >= '0' && *c <= '9') {
                stripped[n++] = *c;
            }
        }
        stripped[n] = '\0';
        snprintf(ours, sizeof(ours), "%llu", (unsigned long long)d.digits);
        if (!CHECK_MSG(strcmp(stripped, ours) == 0, "the nearest of the shortest")) {
            printf("    %a: %s, C has %s\n", value, ours, stripped);
        }
    }
    lg_buf_done(&out);
}

static void shortest_is_a_law(void)
{
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = next_random(&state) & ~((uint64_t)1 << 63);
        double value;
        memcpy(&value, &bits, sizeof(value));
        if (isfinite(value) && value != 0.0) {
            check_shortest(value);
        }
        check_shortest((double)(next_random(&state) % 100000000 + 1) / 100.0); // prices
    }
    for (int e = -1074; e < 1024; e++) {
        double power = ldexp(1.0, e);
        check_shortest(power);
        check_shortest(nextafter(power, (double)INFINITY));
        if (e > -1074) {
            check_shortest(nextafter(power, 0.0));
        }
    }
}

static void check_reading(const char *text)
{
    double want = strtod(text, NULL);
    double got = 0.0;
    bool finite = lg_json_text_to_double(lg_str_c(text), &got);
    CHECK_MSG(finite == (isinf(want) == 0), text);
    CHECK_MSG(!finite || bits_of(got) == bits_of(want), text);
    lg_arena arena;
    lg_arena_init(&arena, 0);
    const lg_json *value = parse(&arena, lg_str_c(text));
    if (CHECK_MSG(lg_json_is_number(value), text) && lg_json_double(value, &got)) {
        if (!CHECK_MSG(bits_of(got) == bits_of(want), text)) {
            printf("    got %a, want %a\n", got, want);
        }
    }
    lg_arena_done(&arena);
}

// Random digits, points and exponents, and midpoints of neighbours with a digit more or less.
static void reading_agrees_with_c(void)
{
    uint64_t state = 0x9E3779B97F4A7C15u;
    char text[1200];
    for (int i = 0; i < 30000; i++) {
        unsigned long long m = next_random(&state) >> (next_random(&state) % 64);
        int e = (int)(next_random(&state) % 700) - 360;
        snprintf(text, sizeof(text), "%llu.%llue%d", m % 1000000, m, e);
        check_reading(text);
        snprintf(text, sizeof(text), "%llue%d", m, e);
        check_reading(text);
    }
    for (int i = 0; i < 2000; i++) {
        uint64_t bits = next_random(&state) & ~((uint64_t)1 << 63);
        double value;
        memcpy(&value, &bits, sizeof(value));
        if (!isfinite(value) || (bits >> 52) > 2045 || (bits >> 52) < 1) {
            continue;
        }
        // Exactly half way to the next double: one more bit, so 2 * mantissa + 1.
        double half = (nextafter(value, (double)INFINITY) - value) / 2;
        long double middle = (long double)value + (long double)half;
        int len = snprintf(text, 1100, "%.800Le", middle);
        CHECK(len > 0 && len < 1100);
        check_reading(text);
    }
}

// --- The table ----------------------------------------------------------------------------------
// 10^q as a long integer of 32-bit limbs, least first, or 2^n divided by one.

enum { LIMBS = 80 };

typedef struct wide {
    uint32_t limb[LIMBS];
} wide;

static void times_ten(wide *w)
{
    uint64_t carry = 0;
    for (int i = 0; i < LIMBS; i++) {
        carry += (uint64_t)w->limb[i] * 10;
        w->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static void divide_by_ten(wide *w)
{
    uint64_t rest = 0;
    for (int i = LIMBS - 1; i >= 0; i--) {
        rest = rest << 32 | w->limb[i];
        w->limb[i] = (uint32_t)(rest / 10);
        rest %= 10;
    }
}

static bool bit_at(const wide *w, int bit)
{
    return bit >= 0 && (w->limb[bit / 32] >> (bit % 32) & 1);
}

static lg_json_power top_128(const wide *w)
{
    int top = LIMBS * 32 - 1;
    while (!bit_at(w, top)) {
        top--;
    }
    lg_json_power p = {0, 0};
    for (int i = 0; i < 64; i++) {
        p.high = p.high << 1 | bit_at(w, top - i);
        p.low = p.low << 1 | bit_at(w, top - 64 - i);
    }
    return p;
}

static void the_table_is_what_it_says(void)
{
    wide up = {.limb = {1}};
    for (int q = 0; q <= POWER_MAX; q++) {
        lg_json_power p = top_128(&up);
        CHECK(p.high == lg_json_powers[q - POWER_MIN].high);
        CHECK(p.low == lg_json_powers[q - POWER_MIN].low);
        times_ten(&up);
    }
    // Repeated floors of a division are the floor of the whole.
    wide down = {.limb = {0}};
    down.limb[LIMBS - 1] = 1;
    for (int q = -1; q >= POWER_MIN; q--) {
        divide_by_ten(&down);
        lg_json_power p = top_128(&down);
        CHECK(p.high == lg_json_powers[q - POWER_MIN].high);
        CHECK(p.low == lg_json_powers[q - POWER_MIN].low);
    }
}

static void integers_print_all_their_digits(void)
{
    static const struct {
        int64_t value;
        const char *text;
    } rows[] = {{0, "0"},
                {7, "7"},
                {10, "10"},
                {99, "99"},
                {100, "100"},
                {-1, "-1"},
                {1234567, "1234567"},
                {INT64_MAX, "9223372036854775807"},
                {INT64_MIN, "-9223372036854775808"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        lg_json value = lg_json_make_int(rows[i].value);
        lg_buf out;
        lg_buf_init(&out, 0);
        lg_json_print(&out, &value);
        CHECK_STR(lg_buf_str(&out), rows[i].text);
        lg_buf_done(&out);
    }
}

int main(void)
{
    RUN(reads_the_nearest_double);
    RUN(beyond_the_doubles_is_a_bignum);
    RUN(prints_the_shortest_text);
    RUN(shortest_is_a_law);
    RUN(reading_agrees_with_c);
    RUN(the_table_is_what_it_says);
    RUN(integers_print_all_their_digits);
    return lg_test_done();
}
