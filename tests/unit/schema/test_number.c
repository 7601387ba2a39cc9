// test_number.c: exact decisions about numbers, against decimal arithmetic done by hand.
#include "schema_test.h"

#include "schema/schema_internal.h"

static lg_json_doc *parse_number(const char *text)
{
    lg_json_doc *doc = NULL;
    lg_error error;
    bool ok = lg_json_parse(lg_str_c(text), NULL, &doc, &error) == LG_OK;
    CHECK_MSG(ok, text);
    return ok ? doc : NULL;
}

static void multiples_are_decided_exactly(void)
{
    static const struct {
        const char *number;
        const char *divisor;
        bool want;
    } cases[] = {
        {"0.0075", "0.0001", true},
        {"0.00751", "0.0001", false},
        {"0.3", "0.1", true},
        {"1.1", "0.1", true},
        {"19.99", "0.01", true},
        {"4.35", "0.01", true},
        {"4.355", "0.01", false},
        {"1e308", "0.5", true},
        {"1e308", "0.123456789", false},
        {"1e-300", "1e-308", true},
        {"1e-308", "1e-300", false},
        {"5e-324", "5e-324", true},
        {"1.7976931348623157e308", "1e292", true},
        {"1.7976931348623157e308", "1e293", false},
        {"12391239123", "1e-8", true},
        {"0", "7", true},
        {"-0.0", "7", true},
        {"-21", "7", true},
        {"-22", "7", false},
        {"9223372036854775807", "7", true}, // 7 * 1317624576693539401
        {"18446744073709551615", "5", true},
        {"18446744073709551615", "18446744073709551615", true},
        {"18446744073709551614", "18446744073709551615", false},
        {"36893488147419103230", "18446744073709551615", true},
        {"36893488147419103231", "18446744073709551615", false},
        {"100000000000000000000000000000000000000000001", "3", false},
        {"100000000000000000000000000000000000000000002", "3", true},
        {"1e400", "3", false},
        {"3e400", "3", true},
        {"3e400", "0.0007", false},
        {"1e400", "1e399", true},
        {"1e399", "1e400", false},
        {"1e999999999", "8", true},
        {"1e999999999", "3", false},
        {"10.50", "0.25", true},
        {"10", "0.3", false},
        {"9007199254740993", "2", false},
        {"1000", "1e3", true},
        {"1500", "1e3", false},
        {"1.0", "1", true},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        lg_json_doc *number = parse_number(cases[i].number);
        lg_json_doc *divisor = parse_number(cases[i].divisor);
        decimal d = {0};
        if (CHECK(number && divisor && lg_number_decimal(lg_json_root(divisor), &d))) {
            char name[200];
            snprintf(name, sizeof(name), "%s multipleOf %s", cases[i].number, cases[i].divisor);
            CHECK_MSG(lg_number_is_multiple(lg_json_root(number), d) == cases[i].want, name);
        }
        lg_json_doc_free(number);
        lg_json_doc_free(divisor);
    }
}

// n * d is a multiple of d, and n * d + 1 is none, for products computed in 64 bits.
static void multiplication_and_its_inverse_agree(void)
{
    uint64_t state = 42;
    for (int i = 0; i < 2000; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint64_t divisor = 2 + (state >> 32) % 1000003;
        uint64_t product = divisor * ((state >> 8) % 4000000007u);
        lg_json number = lg_json_make_int((int64_t)(product >> 1 << 1));
        product = product >> 1 << 1;
        lg_json by = lg_json_make_int((int64_t)divisor);
        decimal d = {0};
        CHECK(lg_number_decimal(&by, &d));
        CHECK(lg_number_is_multiple(&number, d) == (product % divisor == 0));
        number = lg_json_make_int((int64_t)product + 1);
        CHECK(lg_number_is_multiple(&number, d) == ((product + 1) % divisor == 0));
    }
}

static void integers_are_told_from_others(void)
{
    static const struct {
        const char *number;
        bool integral;
        bool positive;
    } cases[] = {
        {"1", true, true},
        {"1.0", true, true},
        {"-1e2", true, false},
        {"0.5", false, true},
        {"1e400", true, true},
        {"-1e400", true, false},
        {"1.5e1", true, true},

        {"0", true, false},
        {"123456789012345678901234567890", true, true},

        {"18446744073709551615", true, true},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        lg_json_doc *doc = parse_number(cases[i].number);
        CHECK_MSG(lg_number_is_integral(lg_json_root(doc)) == cases[i].integral, cases[i].number);
        CHECK_MSG(lg_number_is_positive(lg_json_root(doc)) == cases[i].positive, cases[i].number);
        lg_json_doc_free(doc);
    }
}

static void counts_are_cut_not_wrapped(void)
{
    static const struct {
        const char *number;
        bool ok;
        uint64_t want;
    } cases[] = {
        {"0", true, 0},
        {"2.0", true, 2},
        {"1e2", true, 100},
        {"-1", false, 0},
        {"0.5", false, 0},
        {"18446744073709551615", true, UINT64_MAX},
        {"1e30", true, UINT64_MAX},
        {"1e400", true, UINT64_MAX},
        {"'1'", false, 0},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        lg_json_doc *doc = parse_quoted(cases[i].number);
        uint64_t got = 0;
        CHECK_MSG(lg_number_count(lg_json_root(doc), &got) == cases[i].ok, cases[i].number);
        CHECK_MSG(!cases[i].ok || got == cases[i].want, cases[i].number);
        lg_json_doc_free(doc);
    }
}

int main(void)
{
    RUN(multiples_are_decided_exactly);
    RUN(multiplication_and_its_inverse_agree);
    RUN(integers_are_told_from_others);
    RUN(counts_are_cut_not_wrapped);
    return lg_test_done();
}
