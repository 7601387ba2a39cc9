// test_faults.c: what befalls calls is a function of the seed and their number, and is never more than what was asked for.
#include "base/str.h"
#include "lg_test.h"
#include "mock/mock.h"

typedef struct house {
    lg_arena arena;
    lg_sim *sim;
    lg_mock *mock;
} house;

static void open_house(house *h, const lg_mock_faults *faults)
{
    static const char tools[] =
        "[{\"name\":\"get_note\",\"description\":\"d\",\"parameters\":{\"type\":\"object\"}}]";
    lg_errors errors;
    const lg_catalogue *catalogue = NULL;
    lg_arena_init(&h->arena, 0);
    lg_errors_init(&errors, &h->arena, 5);
    CHECK(lg_catalogue_read(&h->arena, lg_str_c(tools), NULL, &catalogue, NULL) == LG_OK);
    lg_sim_options options = {.catalogue = catalogue};
    CHECK(lg_sim_new(&options, &h->sim, &errors) == LG_OK);
    lg_mock_options of = {.sim = h->sim, .catalogue = catalogue, .faults = *faults};
    CHECK(lg_mock_new(&of, &h->mock, NULL) == LG_OK);
}

static void close_house(house *h)
{
    lg_mock_free(h->mock);
    lg_sim_free(h->sim);
    lg_arena_done(&h->arena);
}

static lg_mock_response ask(house *h, const char *path, const char *header, const char *value)
{
    lg_http_header headers[] = {{lg_str_c(header), lg_str_c(value)}};
    lg_mock_request request = {.method = LG_STR("POST"),
                               .path = lg_str_c(path),
                               .headers = {headers, header ? 1 : 0},
                               .body = LG_STR("{}")};
    lg_mock_response response = {0};
    CHECK(lg_mock_answer(h->mock, &request, &h->arena, &response) == LG_OK);
    return response;
}

static void words_of_faults(void)
{
    lg_mock_fault fault;
    CHECK(lg_mock_fault_read(LG_STR("503"), &fault) && fault.kind == LG_MOCK_FAULT_STATUS);
    CHECK(fault.status == 503);
    CHECK(lg_mock_fault_read(LG_STR("timeout"), &fault) && fault.kind == LG_MOCK_FAULT_TIMEOUT);
    CHECK(lg_mock_fault_read(LG_STR("reset"), &fault) && fault.kind == LG_MOCK_FAULT_RESET);
    CHECK(lg_mock_fault_read(LG_STR("lost"), &fault) && fault.kind == LG_MOCK_FAULT_LOST);
    CHECK(!lg_mock_fault_read(LG_STR("200"), &fault) && !lg_mock_fault_read(LG_STR("600"), &fault));
    CHECK(!lg_mock_fault_read(LG_STR(""), &fault) && !lg_mock_fault_read(LG_STR("soon"), &fault));
    CHECK(!lg_mock_fault_read(LG_STR("5000000000000000000000"), &fault));
}

static void the_share_and_the_latency_are_those_that_were_asked_for(void)
{
    house h;
    lg_mock_faults faults = {.least_ms = 20, .most_ms = 80, .rate = 0.25, .seed = 5};
    size_t failed = 0;
    uint32_t least = UINT32_MAX;
    uint32_t most = 0;
    open_house(&h, &faults);
    for (size_t i = 0; i < 4000; i++) {
        lg_mock_response r = ask(&h, "/tools/get_note", NULL, NULL);
        failed += r.status == 500;
        least = r.delay_ms < least ? r.delay_ms : least;
        most = r.delay_ms > most ? r.delay_ms : most;
    }
    CHECK(failed > 880 && failed < 1120); // 1000, and four deviations
    CHECK(least == 20 && most == 80);
    CHECK(ask(&h, "/sessions", NULL, NULL).delay_ms == 0);
    close_house(&h);
}

static void a_request_chooses_for_itself(void)
{
    house h;
    lg_mock_faults faults = {.rate = 1};
    open_house(&h, &faults);
    CHECK(ask(&h, "/tools/get_note", NULL, NULL).status == 500);
    CHECK(ask(&h, "/tools/get_note", "x-ledgergate-fault", "none").status == 200);
    CHECK(ask(&h, "/tools/get_note", "x-ledgergate-fault", "429").status == 429);
    CHECK(ask(&h, "/tools/get_note", "x-ledgergate-fault", "reset").status == 0);
    CHECK(ask(&h, "/tools/get_note", "x-ledgergate-fault", "timeout").delay_ms == 30000);
    CHECK(ask(&h, "/tools/get_note", "x-ledgergate-latency", "99").delay_ms == 99);
    CHECK(ask(&h, "/tools/get_note", "x-ledgergate-latency", "x").status == 400);
    CHECK(ask(&h, "/tools/get_note", "x-ledgergate-latency", "60001").status == 400);
    CHECK(ask(&h, "/tools/get_note", "prefer", "dynamic=true, code=418").status == 418);
    close_house(&h);
}

int main(void)
{
    RUN(words_of_faults);
    RUN(the_share_and_the_latency_are_those_that_were_asked_for);
    RUN(a_request_chooses_for_itself);
    return lg_test_done();
}
