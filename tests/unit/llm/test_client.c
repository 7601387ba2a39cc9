// The client with a server in another thread: callbacks that ask more, an end in the middle, and memory that ends anywhere.
#include "llm/llm_internal.h"

#include "base/alloc.h"
#include "net_house.h"
#include "temp_folder.h"

static const char completion[] =
    "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"{\\\"a\\\":1}\","
    "\"tool_calls\":[{\"id\":\"c\",\"function\":{\"name\":\"n\",\"arguments\":\"{}\"}}]},"
    "\"logprobs\":{\"content\":[{\"token\":\"a\",\"logprob\":-1,\"top_logprobs\":["
    "{\"token\":\"b\",\"logprob\":-2}]}]},\"finish_reason\":\"stop\"}],"
    "\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":4}}";

static const lg_http_header json_type = {{"Content-Type", 12}, {"application/json", 16}};

// The first request of each odd number is too much for it.
static void on_request(void *data, lg_inbound *in)
{
    atomic_uint *count = data;
    unsigned number = atomic_fetch_add(count, 1);
    lg_http_headers headers = {&json_type, 1};
    if (number % 8 == 7) {
        lg_inbound_reply(in, 503, headers, LG_STR("{}"));
    } else {
        lg_inbound_reply(in, 200, headers, lg_str_c(completion));
    }
}

static atomic_uint served;

static bool begin_server(house *h, char url[64])
{
    lg_server_options options = {.handler = {.data = &served, .request = on_request}};
    bool ok = house_begin(h, &options);
    snprintf(url, 64, "http://127.0.0.1:%u/v1", (unsigned)h->port);
    return ok;
}

static const lg_llm_message hello = {.role = {"user", 4}, .text = {"Hello", 5}};

static lg_llm_options options_for(const char *url)
{
    return (lg_llm_options){.base_url = lg_str_c(url),
                            .model = LG_STR("m"),
                            .key = LG_STR("sk-1234567890"),
                            .backoff_ms = 1,
                            .most_backoff_ms = 2};
}

// --- callbacks ---

typedef struct chain {
    lg_llm *llm;
    lg_llm_request request;
    unsigned left, told;
} chain;

static void on_link(void *data, const lg_llm_reply *reply)
{
    chain *c = data;
    c->told++;
    CHECK(reply->end == LG_LLM_OK);
    CHECK_STR(reply->text, "{\"a\":1}");
    if (c->left && CHECK(c->left--)) {
        CHECK(lg_llm_submit(c->llm, &c->request, on_link, c, NULL) == LG_OK);
    }
}

static void a_reply_may_ask_more(void)
{
    house h;
    char url[64];
    lg_error error = {0};
    chain c = {.request = {.messages = &hello, .message_count = 1}, .left = 10};
    if (!begin_server(&h, url)) {
        return;
    }
    lg_llm_options options = options_for(url);
    if (CHECK(lg_llm_new(&options, &c.llm, &error) == LG_OK)) {
        for (int i = 0; i < 3; i++) {
            CHECK(lg_llm_submit(c.llm, &c.request, on_link, &c, &error) == LG_OK);
        }
        CHECK(lg_llm_wait(c.llm, &error) == LG_OK);
        CHECK(c.told == 13);
        CHECK(lg_llm_wait(c.llm, &error) == LG_OK); // nothing is left to wait for
        CHECK(lg_llm_submit(c.llm, &c.request, on_link, &c, &error) == LG_OK);
        CHECK(lg_llm_wait(c.llm, &error) == LG_OK);
        lg_llm_totals totals = lg_llm_totals_of(c.llm);
        CHECK(c.told == 14 && totals.made.exchanges == 14 && totals.failed == 0);
        CHECK(totals.sent.usage.prompt_tokens == 14 * 9);
    }
    lg_llm_free(c.llm);
    house_end(&h);
}

static void an_end_in_the_middle(void)
{
    house h;
    char url[64];
    lg_error error = {0};
    chain c = {.request = {.messages = &hello, .message_count = 1}};
    if (!begin_server(&h, url)) {
        return;
    }
    lg_llm_options options = options_for(url);
    if (CHECK(lg_llm_new(&options, &c.llm, &error) == LG_OK)) {
        for (int i = 0; i < 20; i++) {
            CHECK(lg_llm_submit(c.llm, &c.request, on_link, &c, &error) == LG_OK);
        }
    }
    lg_llm_free(c.llm); // the queue was not begun
    CHECK(c.told == 0);
    lg_llm_free(NULL);
    house_end(&h);
}

// --- memory ---

static bool is_about_memory(const lg_llm_reply *reply)
{
    return reply->end == LG_LLM_OK || reply->end == LG_LLM_FAILED ||
           reply->end == LG_LLM_UNREACHABLE || reply->end == LG_LLM_REFUSED;
}

// Asks twice the same, with the n-th allocation of this thread and all later ones failing. True: none was reached.
static bool ask_with_failure(const lg_llm_options *options, uint64_t n, const lg_json *schema)
{
    lg_arena arena;
    lg_llm *llm = NULL;
    lg_error error = {0};
    lg_llm_reply replies[2];
    bool fine = false;
    lg_llm_request requests[2] = {
        {.messages = &hello, .message_count = 1, .schema = schema, .top_logprobs = 1},
        {.messages = &hello, .message_count = 1, .schema = schema, .top_logprobs = 1}};
    lg_arena_init(&arena, 0);
    lg_alloc_fail_at(n);
    lg_status status = lg_llm_new(options, &llm, &error);
    CHECK(status == LG_OK || error.msg[0]);
    if (status == LG_OK) {
        status = lg_llm_ask_all(llm, requests, 2, &arena, replies, &error);
        for (size_t i = 0; i < 2; i++) {
            CHECK(is_about_memory(&replies[i]));
            CHECK(replies[i].end == LG_LLM_OK || replies[i].error.msg[0]);
            CHECK(replies[i].end != LG_LLM_OK || replies[i].text.len == 7);
        }
        fine = status == LG_OK && replies[0].end == LG_LLM_OK && replies[1].end == LG_LLM_OK;
    }
    lg_llm_free(llm);
    lg_alloc_fail_at(0);
    lg_arena_done(&arena);
    return fine;
}

static void memory_may_end_anywhere(void)
{
    house h;
    char url[64], folder[128], path[256];
    lg_json_doc *doc = NULL;
    if (!begin_server(&h, url) || !lg_temp_folder(folder)) {
        return;
    }
    lg_temp_path(path, sizeof(path), folder, "r.jsonl");
    CHECK(lg_json_parse(LG_STR("{\"type\":\"object\",\"required\":[\"a\"]}"), NULL, &doc, NULL) ==
          LG_OK);
    lg_llm_options options = options_for(url);
    options.recording = path;
    options.attempts = 3;
    for (int mode = LG_LLM_OFF; mode <= LG_LLM_REPLAY; mode++) {
        uint64_t n = 1;
        options.mode = (lg_llm_mode)mode;
        for (bool fine = false; !fine && n < 2000; n++) {
            if (mode == LG_LLM_RECORD) {
                lg_temp_empty(folder);
            }
            fine = ask_with_failure(&options, n, lg_json_root(doc));
        }
        CHECK_MSG(n > 20 && n < 2000, "it succeeds when memory lasts");
    }
    lg_json_doc_free(doc);
    lg_temp_remove(folder);
    house_end(&h);
}

// --- what was recorded is the same later ---

static void a_recording_outlives_its_client(void)
{
    house h;
    char url[64], folder[128], path[256];
    lg_error error = {0};
    lg_arena arena;
    lg_llm_reply first, second;
    lg_llm *llm = NULL;
    if (!begin_server(&h, url) || !lg_temp_folder(folder)) {
        return;
    }
    lg_arena_init(&arena, 0);
    lg_temp_path(path, sizeof(path), folder, "r.jsonl");
    lg_llm_request request = {.messages = &hello, .message_count = 1};
    lg_llm_options options = options_for(url);
    options.recording = path;
    options.mode = LG_LLM_RECORD;
    CHECK(lg_llm_new(&options, &llm, &error) == LG_OK);
    CHECK(llm && lg_llm_ask_all(llm, &request, 1, &arena, &first, &error) == LG_OK);
    lg_llm_free(llm);
    house_end(&h);
    options.mode = LG_LLM_REPLAY;
    options.base_url = LG_STR("");
    options.key = LG_STR("");
    CHECK(lg_llm_new(&options, &llm, &error) == LG_OK);
    CHECK(lg_llm_ask_all(llm, &request, 1, &arena, &second, &error) == LG_OK);
    lg_llm_free(llm);
    CHECK(first.end == LG_LLM_OK && second.end == LG_LLM_OK && !first.reused && second.reused);
    CHECK(lg_str_eq(first.text, second.text) && first.call_count == 1 && second.call_count == 1);
    CHECK(first.tokens[0].top_count == 1 && second.tokens[0].top_count == 1);
    CHECK_STR(second.tokens[0].top[0].text, "b");
    lg_temp_remove(folder);
    lg_arena_done(&arena);
}

int main(void)
{
    RUN(a_reply_may_ask_more);
    RUN(an_end_in_the_middle);
    RUN(memory_may_end_anywhere);
    RUN(a_recording_outlives_its_client);
    return lg_test_done();
}
