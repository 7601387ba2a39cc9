// What is sent, what is read, and when it is sent again: functions over bytes.
#include "llm/llm_internal.h"

#include "lg_test.h"

static lg_arena arena;
static const lg_llm_options options = {
    .model = {"m", 1}, .backoff_ms = 100, .most_backoff_ms = 1000};
static const lg_llm_message hello = {.role = {"user", 4}, .text = {"Hello", 5}};

static const lg_json *parse(const char *text)
{
    const lg_json *value = NULL;
    lg_error error;
    lg_str all = lg_str_c(text);
    CHECK(lg_json_parse_in(&arena, all, 0, all.len, NULL, &value, &error) == LG_OK);
    return value;
}

static lg_llm_question make(const lg_llm_request *request, lg_status wanted)
{
    lg_llm_question question = {0};
    lg_llm_again again = {0};
    lg_error error = {0};
    CHECK(lg_llm_question_make(&arena, &options, request, &again, &question, &error) == wanted);
    return question;
}

static bool same(const lg_llm_question *a, const lg_llm_question *b)
{
    return memcmp(a->hash, b->hash, 64) == 0;
}

static void a_question_is_known_by_what_is_asked(void)
{
    lg_llm_request plain = {.messages = &hello, .message_count = 1};
    lg_llm_question first = make(&plain, LG_OK);
    CHECK_STR(first.wire,
              "{\"messages\":[{\"content\":\"Hello\",\"role\":\"user\"}],\"model\":\"m\"}");
    // The same in a later version, or in another program: what was recorded is found.
    CHECK_STR(lg_str_of(first.hash, 64),
              "d0e871911cbc0dd5002ce207fe42a896dbbc3e3f34d6a127dbb8e8de1a4fd5fa");
    lg_llm_request streamed = plain;
    streamed.stream = true;
    lg_llm_question second = make(&streamed, LG_OK);
    CHECK(same(&first, &second));
    CHECK(lg_str_find(second.wire, LG_STR("\"stream\":true")) != SIZE_MAX);
    lg_llm_request other = plain;
    other.sample = 1;
    lg_llm_question third = make(&other, LG_OK);
    CHECK(!same(&first, &third) && lg_str_eq(first.wire, third.wire));
    other = plain;
    other.has_temperature = true;
    lg_llm_question fourth = make(&other, LG_OK);
    CHECK(!same(&first, &fourth));
    CHECK(lg_str_find(fourth.wire, LG_STR("\"temperature\":0}")) != SIZE_MAX);
    other = plain;
    other.more = parse("{\"model\":\"x\",\"stream\":true,\"stream_options\":1,\"top_p\":0.5}");
    lg_llm_question fifth = make(&other, LG_OK);
    CHECK_STR(fifth.wire,
              "{\"messages\":[{\"content\":\"Hello\",\"role\":\"user\"}],\"model\":\"m\","
              "\"top_p\":0.5}");
}

static void messages_are_what_the_protocol_has(void)
{
    lg_llm_message messages[] = {
        {.role = LG_STR("assistant"), .calls = parse("[{\"id\":\"c\"}]")},
        {.role = LG_STR("tool"), .text = LG_STR("\xff"), .call_id = LG_STR("c")},
        {.role = LG_STR("user"), .parts = parse("[{\"type\":\"text\"}]")},
    };
    lg_llm_request request = {.messages = messages, .message_count = 3};
    CHECK_STR(
        make(&request, LG_OK).wire,
        "{\"messages\":[{\"content\":null,\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c\"}]},"
        "{\"content\":\"\xEF\xBF\xBD\",\"role\":\"tool\",\"tool_call_id\":\"c\"},"
        "{\"content\":[{\"type\":\"text\"}],\"role\":\"user\"}],\"model\":\"m\"}");
}

static void what_is_no_request_is_refused(void)
{
    lg_llm_request none = {0};
    (void)make(&none, LG_ERR_USAGE);
    lg_llm_request endless = {
        .messages = &hello, .message_count = 1, .has_temperature = true, .temperature = 1e308 * 10};
    (void)make(&endless, LG_ERR_USAGE);
    lg_llm_request embed = {.kind = LG_LLM_EMBED};
    (void)make(&embed, LG_ERR_USAGE);
}

static void addresses(void)
{
    const struct {
        const char *base, *url; // NULL: it is none
    } cases[] = {
        {"http://h/v1", "http://h/v1/rerank"},
        {"https://h:8/v1//", "https://h:8/v1/rerank"},
        {"http://h", "http://h/rerank"},
        {"http://h/v1?a=b", "http://h/v1/rerank?a=b"},
        {"http://", NULL},
        {"http:///", NULL},
        {"h/v1", NULL},
        {"", NULL},
        {"file:///etc", NULL},
        {"http://me@h/v1", NULL},
        {"http://h/v1#x", NULL},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        lg_str url = LG_STR(""), shown;
        lg_error error = {0};
        lg_status status =
            lg_llm_address(&arena, lg_str_c(cases[i].base), LG_LLM_RERANK, &url, &shown, &error);
        CHECK_MSG((status == LG_OK) == (cases[i].url != NULL), cases[i].base);
        if (status == LG_OK && cases[i].url) {
            CHECK_STR(url, cases[i].url);
            CHECK(lg_str_find(shown, LG_STR("?")) == SIZE_MAX);
        }
    }
}

static void waits_double_and_follow_from_the_seed(void)
{
    char hash[65];
    memset(hash, 'a', 64);
    hash[64] = '\0';
    uint64_t most = 100, sum = 0;
    for (uint32_t attempt = 1; attempt <= 40; attempt++) {
        uint64_t wait = lg_llm_backoff_ms(&options, hash, attempt);
        CHECK(wait >= most / 2 && wait <= most);
        CHECK(wait == lg_llm_backoff_ms(&options, hash, attempt));
        most = most * 2 < 1000 ? most * 2 : 1000;
    }
    lg_llm_options other = options;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        other.seed = seed;
        sum += lg_llm_backoff_ms(&other, hash, 1);
    }
    CHECK(sum > 72000 && sum < 78000); // 75 each, if the parts are spread evenly
}

static void what_is_worth_another_attempt(void)
{
    static const unsigned again[] = {408, 409, 425, 429, 500, 502, 503, 504, 529, 599};
    static const unsigned never[] = {0, 200, 301, 400, 401, 403, 404, 405, 413, 422, 600};
    for (size_t i = 0; i < LG_COUNT(again); i++) {
        CHECK(lg_llm_is_worth_again(again[i]));
    }
    for (size_t i = 0; i < LG_COUNT(never); i++) {
        CHECK(!lg_llm_is_worth_again(never[i]));
    }
}

static void retry_after(void)
{
    static const char date[] = "Sun, 06 Nov 1994 08:49:37 GMT";
    const struct {
        const char *after, *date;
        int64_t wait_ms; // -1: it says nothing
    } cases[] = {
        {"0", date, 0},
        {"120", "", 120000},
        {"999999999", "", 999999999000},
        {"9999999999", "", -1},
        {"-1", "", -1},
        {"1.5", "", -1},
        {"", date, -1},
        {"soon", date, -1},
        {"Sun, 06 Nov 1994 08:49:39 GMT", date, 2000},
        {"Mon, 07 Nov 1994 08:49:37 GMT", date, 86400000},
        {"Sun, 06 Nov 1994 08:49:36 GMT", date, 0},
        {"Sun, 06 Nov 1994 08:49:39 GMT", "", -1},
        {"Sun, 31 Feb 1994 08:49:39 GMT", date, -1},
        {"Sun, 06 Nox 1994 08:49:39 GMT", date, -1},
        {"Sun, 06 Nov 1994 08:49:39 CET", date, -1},
        {"Sun, 06 Nov 0000 08:49:39 GMT", date, -1},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        uint64_t wait = 0;
        bool said = lg_llm_retry_after_ms(lg_str_c(cases[i].after), lg_str_c(cases[i].date), &wait);
        CHECK_MSG(said == (cases[i].wait_ms >= 0), cases[i].after);
        CHECK_MSG(!said || wait == (uint64_t)cases[i].wait_ms, cases[i].after);
    }
}

static void budgets_are_read(void)
{
    lg_llm_budget b = {0};
    lg_error error = {0};
    CHECK(lg_llm_budget_read(LG_STR("calls=5, tokens=7,prompt_tokens=1,completion_tokens=2,"
                                    "seconds=1.5,money=0.25"),
                             &b, &error) == LG_OK);
    CHECK(b.calls == 5 && b.tokens == 7 && b.prompt_tokens == 1 && b.completion_tokens == 2);
    CHECK(b.seconds > 1.49 && b.seconds < 1.51 && b.money > 0.24 && b.money < 0.26);
    static const char *const wrong[] = {
        "",          "calls",     "calls=",    "calls=0",
        "x=1",       "calls=1,",  "calls=0x5", "calls=1,calls=1",
        "money=inf", "money=nan", "money=1e5", "calls=99999999999999999999999"};
    for (size_t i = 0; i < LG_COUNT(wrong); i++) {
        error.msg[0] = '\0';
        CHECK_MSG(lg_llm_budget_read(lg_str_c(wrong[i]), &b, &error) == LG_ERR_USAGE, wrong[i]);
        CHECK(error.msg[0]);
    }
    CHECK(b.calls == 5); // a failure leaves it as it was
}

static void what_a_budget_allows(void)
{
    lg_llm_options o = {.prompt_price = 2, .completion_price = 8, .budget = {.money = 1}};
    lg_llm_sum sum = {.usage = {.prompt_tokens = 100000, .completion_tokens = 99999}};
    lg_error error = {0};
    CHECK(lg_llm_may_spend(&o, &sum, &error));
    sum.usage.completion_tokens++;
    CHECK(!lg_llm_may_spend(&o, &sum, &error) && strstr(error.msg, "money"));
    o.budget = (lg_llm_budget){.calls = 3};
    sum.attempts = 2;
    CHECK(lg_llm_may_spend(&o, &sum, &error));
    sum.attempts = 3;
    CHECK(!lg_llm_may_spend(&o, &sum, &error) && strstr(error.msg, "3 calls"));
}

static void top_tokens_and_ranks_are_sorted(void)
{
    lg_str texts[3] = {LG_STR("a"), LG_STR("b"), LG_STR("c")};
    lg_llm_request rank = {.kind = LG_LLM_RERANK, .texts = texts, .text_count = 3, .top_n = 2};
    lg_llm_reply reply = {0};
    lg_error error = {0};
    const lg_json *body = parse("{\"results\":[{\"index\":2,\"relevance_score\":1},{\"index\":1,"
                                "\"relevance_score\":2},{\"index\":0,\"relevance_score\":1}]}");
    CHECK(lg_llm_reply_read(&arena, &rank, body, &reply, &error) == LG_OK);
    CHECK(reply.rank_count == 2 && reply.ranks[0].index == 1 && reply.ranks[1].index == 0);
    lg_llm_request chat = {.kind = LG_LLM_CHAT};
    body =
        parse("{\"choices\":[{\"message\":{\"content\":\"a\"},\"logprobs\":{\"content\":["
              "{\"token\":\"a\",\"logprob\":-1,\"top_logprobs\":[{\"token\":\"c\",\"logprob\":-3},"
              "{\"token\":\"b\",\"logprob\":-2},{\"token\":\"a\",\"logprob\":-1}]}]}}]}");
    CHECK(lg_llm_reply_read(&arena, &chat, body, &reply, &error) == LG_OK);
    CHECK(reply.token_count == 1 && reply.tokens[0].top_count == 3);
    CHECK_STR(reply.tokens[0].top[0].text, "a");
    CHECK_STR(reply.tokens[0].top[2].text, "c");
}

static void usage_that_is_nonsense_is_estimated(void)
{
    lg_llm_usage u = lg_llm_usage_read(
        parse("{\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":4}}"), 8, 8);
    CHECK(!u.estimated && u.prompt_tokens == 9 && u.completion_tokens == 4);
    u = lg_llm_usage_read(parse("{\"choices\":[],\"usage\":{\"prompt_tokens\":9}}"), 8, 9);
    CHECK(u.estimated && u.prompt_tokens == 2 && u.completion_tokens == 3);
    u = lg_llm_usage_read(parse("{\"data\":[],\"usage\":{\"total_tokens\":9}}"), 8, 9);
    CHECK(!u.estimated && u.prompt_tokens == 9 && u.completion_tokens == 0);
}

static void json_is_found_in_what_a_model_says(void)
{
    const struct {
        const char *said, *json; // NULL: there is none
    } cases[] = {
        {"{\"a\":1}", "{\"a\":1}"},
        {" 7 ", "7"},
        {"It is 7.", NULL},
        {"", NULL},
        {"```json\n{\"a\":1}\n```", "{\"a\":1}"},
        {"```\nnot\n```\n```json\n[1]\n```", "[1]"},
        {"so {\"a\":\"}\\\"{\"} it is", "{\"a\":\"}\\\"{\"}"},
        {"{no} {\"a\":1}", "{\"a\":1}"},
        {"{{{{ [2]", "[2]"},
        {"<think>{\"a\":0}</think>{\"a\":1}", "{\"a\":1}"},
        {"{\"a\":1", NULL},
        {"{\"a\":1,\"a\":2}", NULL},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        lg_error error = {0};
        const lg_json *found = lg_llm_find_json(&arena, lg_str_c(cases[i].said), NULL, &error);
        CHECK_MSG((found != NULL) == (cases[i].json != NULL), cases[i].said);
        CHECK_MSG(!found || lg_json_identical(found, parse(cases[i].json)), cases[i].said);
        CHECK(found || error.msg[0]);
    }
}

// A megabyte of brackets is looked at a few times, not a million.
static void the_search_is_bounded(void)
{
    size_t size = (size_t)1 << 20;
    char *text = malloc(size);
    lg_error error = {0};
    CHECK(text != NULL);
    memset(text, '{', size);
    CHECK(!lg_llm_find_json(&arena, lg_str_of(text, size), NULL, &error));
    for (size_t i = 0; i < size; i++) {
        text[i] = "```\n"[i % 4];
    }
    CHECK(!lg_llm_find_json(&arena, lg_str_of(text, size), NULL, &error));
    free(text);
}

static void a_stream_is_what_its_events_come_to(void)
{
    const struct {
        const char *text;
        lg_status status;
    } cases[] = {
        {"", LG_ERR_MISSING},
        {"data: [DONE]\n\n", LG_ERR_PARSE},
        {"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n", LG_ERR_MISSING},
        {"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]\n\n", LG_OK},
        {"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DO", LG_ERR_MISSING},
        {"data: {\"error\":{\"message\":\"no\"}}\n\ndata: [DONE]\n\n", LG_ERR_MISSING},
        {"data: 7\n\ndata: [DONE]\n\n", LG_ERR_PARSE},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        lg_buf out;
        lg_error error = {0};
        lg_buf_init(&out, 0);
        lg_status status = lg_llm_stream_read(lg_str_c(cases[i].text), NULL, &out, &error);
        CHECK_MSG(status == cases[i].status, cases[i].text);
        lg_buf_done(&out);
    }
}

int main(void)
{
    lg_arena_init(&arena, 0);
    RUN(a_question_is_known_by_what_is_asked);
    RUN(messages_are_what_the_protocol_has);
    RUN(what_is_no_request_is_refused);
    RUN(addresses);
    RUN(waits_double_and_follow_from_the_seed);
    RUN(what_is_worth_another_attempt);
    RUN(retry_after);
    RUN(budgets_are_read);
    RUN(what_a_budget_allows);
    RUN(top_tokens_and_ranks_are_sorted);
    RUN(usage_that_is_nonsense_is_estimated);
    RUN(json_is_found_in_what_a_model_says);
    RUN(the_search_is_bounded);
    RUN(a_stream_is_what_its_events_come_to);
    lg_arena_done(&arena);
    return lg_test_done();
}
