// The defaults of every ceiling, as <ledgergate/types.h> promises them.
#include "base/types.h"

#include "lg_test.h"

static void check_defaults(lg_limits got)
{
    CHECK(got.json_depth == 256);
    CHECK(got.json_bytes == (size_t)1 << 30);
    CHECK(got.stream_bytes == (size_t)64 << 20);
    CHECK(got.json_string_bytes == (size_t)64 << 20);
    CHECK(got.document_bytes == (size_t)1 << 30);
    CHECK(got.memory_bytes == (size_t)64 << 20);
    CHECK(got.error_count == 50);
    CHECK(got.cel_bytes == 64 * 1024);
    CHECK(got.cel_depth == 200);
    CHECK(got.cel_cost == 1000000);
    CHECK(got.regex_steps == 100000);
    CHECK(got.decision_steps == 300000);
    CHECK(got.observe_steps == 5000000);
    CHECK(got.ledger_entries == 10000);
    CHECK(got.trace_events == 1000000);
}

static void null_and_zero_give_the_defaults(void)
{
    lg_limits zero = {0};
    check_defaults(lg_limits_resolve(NULL));
    check_defaults(lg_limits_resolve(&zero));
}

static void what_was_set_stays(void)
{
    lg_limits given = {.json_depth = 1,
                       .json_bytes = 2,
                       .json_string_bytes = 3,
                       .stream_bytes = 13,
                       .document_bytes = 12,
                       .memory_bytes = 4,
                       .error_count = 5,
                       .cel_bytes = 6,
                       .cel_depth = 7,
                       .cel_cost = 8,
                       .regex_steps = 9,
                       .decision_steps = 10,
                       .observe_steps = 11,
                       .ledger_entries = 14,
                       .trace_events = 15};
    lg_limits got = lg_limits_resolve(&given);
    CHECK(got.json_depth == 1 && got.json_bytes == 2 && got.json_string_bytes == 3);
    CHECK(got.stream_bytes == 13);
    CHECK(got.document_bytes == 12 && got.memory_bytes == 4);
    CHECK(got.error_count == 5 && got.cel_bytes == 6);
    CHECK(got.cel_depth == 7 && got.cel_cost == 8 && got.regex_steps == 9);
    CHECK(got.decision_steps == 10 && got.observe_steps == 11);
    CHECK(got.ledger_entries == 14 && got.trace_events == 15);
    lg_limits one = {.cel_cost = 77};
    got = lg_limits_resolve(&one);
    CHECK(got.cel_cost == 77);
    got.cel_cost = 1000000;
    check_defaults(got);
}

int main(void)
{
    RUN(null_and_zero_give_the_defaults);
    RUN(what_was_set_stays);
    return lg_test_done();
}
