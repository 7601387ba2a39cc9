// fuzz_refine.c: any bytes as a request of chat completions for refined calls, with a planner that says what the bytes say.
//
// Properties: every answer has one of the documented statuses and is JSON, or events of JSON; a refusal has words and asks nobody; the
// same request twice gives the same bytes; nothing of it lasts.
#include "refine/chat.h"

#include <stdlib.h>

static void expect(bool condition)
{
    if (!condition) {
        abort();
    }
}

static const char tools_text[] =
    "[{\"name\":\"get_thing\",\"description\":\"reads\",\"inputSchema\":{\"type\":\"object\","
    "\"properties\":{\"id\":{\"type\":\"string\"}},"
    "\"required\":[\"id\"]}},{\"name\":\"make_thing\",\"description\":\"creates\",\"inputSchema\":{"
    "\"type\":\"object\"}}]";

// Says a piece of the input each time: a call of a tool with these arguments, a text, nothing.
typedef struct teller {
    lg_str text;
    size_t at, asked;
} teller;

static lg_status next(void *data, const lg_refine_ask *ask, lg_arena *arena, lg_refine_reply *ret,
                      lg_error *reterr)
{
    teller *t = data;
    lg_llm_call *call = LG_NEW(arena, lg_llm_call);
    if (!call) {
        return lg_fail_oom(reterr);
    }
    expect(ask->message_count >= 2 && ask->messages[0].text.len > 0);
    size_t end = lg_str_line_end(t->text, t->at);
    lg_str line = lg_str_slice(t->text, t->at, end);
    t->at = end + 1;
    t->asked++;
    if (line.len > 1 && line.ptr[0] <= '@') {
        *call = (lg_llm_call){.id = lg_str_slice(line, 1, 3),
                              .name = line.ptr[0] & 1 ? LG_STR("get_thing") : LG_STR("make_thing"),
                              .args = lg_str_slice(line, 1, line.len)};
        ret->calls = call;
        ret->call_count = 1;
    } else {
        ret->text = line;
    }
    return LG_OK;
}

static void check_answer(const lg_buf *out, const lg_refine_chat_reply *reply, const teller *t)
{
    lg_json_doc *doc = NULL;
    unsigned s = reply->status;
    expect(s == 200 || s == 400 || s == 429 || s == 502 || s == 503);
    expect(s != 400 || t->asked == 0);
    if (!lg_str_eq(lg_str_c(reply->type), LG_STR("application/json"))) {
        expect(s == 200 && lg_str_ends(lg_buf_str(out), LG_STR("data: [DONE]\n\n")));
        return;
    }
    lg_status status = lg_json_parse(lg_buf_str(out), NULL, &doc, NULL);
    expect(status == LG_OK || status == LG_ERR_LIMIT || status == LG_ERR_OOM);
    const lg_json *root = doc ? lg_json_root(doc) : NULL;
    expect(!doc || lg_json_get(root, s == 200 ? LG_STR("choices") : LG_STR("error")));
    lg_json_doc_free(doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lg_arena arena;
    lg_errors errors;
    lg_sim *sim = NULL;
    lg_sim_options sim_options = {0};
    lg_checklist checklist = {0};
    lg_buf out[2];
    if (size < 1) {
        return 0;
    }
    lg_str all = {(const char *)data + 1, size - 1};
    size_t end = lg_str_line_end(all, 0); // the body is a line, what the planner says the rest
    lg_arena_init(&arena, (size_t)1 << 28);
    lg_errors_init(&errors, &arena, 3);
    expect(lg_catalogue_read(&arena, lg_str_c(tools_text), NULL, &sim_options.catalogue, NULL) ==
           LG_OK);
    expect(lg_sim_new(&sim_options, &sim, &errors) == LG_OK);
    for (size_t i = 0; i < 2; i++) {
        teller t = {.text = lg_str_slice(all, end + 1, all.len)};
        lg_refine_planner planner = {.next = next, .data = &t};
        lg_refine_chat_options options = {
            .sim = sim,
            .allows_other_tools = data[0] & 1,
            .refine = {.planner = &planner,
                       .checklist = &checklist,
                       .without_judge = data[0] & 2,
                       .retries = 2,
                       .calls_per_attempt = 8},
        };
        lg_refine_chat_reply reply;
        lg_buf_init(&out[i], 0);
        lg_status status =
            lg_refine_chat(&options, lg_str_slice(all, 0, end), &out[i], &reply, NULL);
        expect(status == LG_OK || status == LG_ERR_OOM);
        if (status == LG_OK) {
            check_answer(&out[i], &reply, &t);
        }
    }
    expect(lg_str_eq(lg_buf_str(&out[0]), lg_buf_str(&out[1])));
    lg_buf_done(&out[0]);
    lg_buf_done(&out[1]);
    lg_sim_free(sim);
    lg_arena_done(&arena);
    return 0;
}
