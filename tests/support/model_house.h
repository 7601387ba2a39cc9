// model_house.h: a model's server in a thread, which gives one answer after the other, and a client to it.
#ifndef LG_MODEL_HOUSE_H
#define LG_MODEL_HOUSE_H

#include "net_house.h"

#include "llm/llm.h"
#include "json/json.h"

#define MODEL_ANSWERS 16u

// What is said, or with a status of its own an answer of HTTP; the last one is given to all further questions.
typedef struct model_answer {
    const char *text;
    unsigned status; // 0: 200, and `text` is what the model says
} model_answer;

typedef struct model_house {
    house house;
    lg_llm *llm;
    const model_answer *answers;
    size_t count;
    atomic_size_t asked;
    lg_buf last; // the last request's body; read once it was answered
    lg_buf reply;
} model_house;

static inline void model_on_request(void *data, lg_inbound *in)
{
    static const lg_http_header type = {{"Content-Type", 12}, {"application/json", 16}};
    model_house *m = data;
    size_t number = atomic_fetch_add(&m->asked, 1);
    const model_answer *answer = &m->answers[number < m->count ? number : m->count - 1];
    lg_http_headers headers = {&type, 1};
    lg_buf_clear(&m->last);
    lg_buf_add(&m->last, lg_inbound_request(in)->body);
    lg_buf_clear(&m->reply);
    if (answer->status) {
        lg_inbound_reply(in, answer->status, headers, lg_str_c(answer->text));
        return;
    }
    lg_buf_add_c(&m->reply, "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\","
                            "\"content\":");
    lg_json_print_str(&m->reply, lg_str_c(answer->text));
    lg_buf_add_c(&m->reply, "},\"finish_reason\":\"stop\"}]}");
    lg_inbound_reply(in, 200, headers, lg_buf_str(&m->reply));
}

static inline void model_begin(model_house *m, const model_answer *answers, size_t count)
{
    char url[64];
    lg_error error = {0};
    *m = (model_house){.answers = answers, .count = count};
    lg_buf_init(&m->last, 0);
    lg_buf_init(&m->reply, 0);
    lg_server_options options = {.handler = {.data = m, .request = model_on_request}};
    (void)house_begin(&m->house, &options);
    snprintf(url, sizeof(url), "http://127.0.0.1:%u/v1", (unsigned)m->house.port);
    lg_llm_options llm = {.base_url = lg_str_c(url),
                          .model = LG_STR("m"),
                          .attempts = 2,
                          .backoff_ms = 1,
                          .most_backoff_ms = 2,
                          .request_ms = 10000};
    CHECK_MSG(lg_llm_new(&llm, &m->llm, &error) == LG_OK, error.msg);
}

static inline void model_end(model_house *m)
{
    lg_llm_free(m->llm);
    house_end(&m->house);
    lg_buf_done(&m->last);
    lg_buf_done(&m->reply);
}

#endif
