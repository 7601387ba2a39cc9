// fuzz_chat_reply.c: unstreamed replies of all three APIs.
//
// The first byte chooses the API and what is allowed. Of any bytes: the reply is refused with words, or it is read; then it is
// itself and the field with nothing refused, and what is written for the client has exactly the calls that were
// allowed.
#include "chat_laws.h"
#include "chat_lenient.h"

static void require(bool holds)
{
    if (!holds) {
        __builtin_trap();
    }
}

static void check_ruling(lg_arena *arena, const lg_chat_options *options,
                         const lg_chat_reply *reply, uint64_t mask)
{
    chat_ruling room;
    lg_buf out;
    const lg_chat_reply *again;
    const lg_chat_ruling *ruling = chat_rule(&room, mask, CHAT_FIELD, "Not now.");
    lg_buf_init(&out, 0);
    bool written = lg_chat_rewrite(reply, ruling, &out, NULL) == LG_OK;
    require(!written || options->pass_unknown ||
            !chat_broken_by_lenient(lg_buf_str(&out), reply, ruling));
    if (written && !reply->is_error) {
        require(lg_chat_reply_parse(arena, reply->api, lg_buf_str(&out), options, &again, NULL) ==
                LG_OK);
        require(chat_has_allowed(reply, ruling, again));
        require(lg_json_get(again->root, LG_STR("ledgergate")) != NULL);
    }
    lg_buf_done(&out);
}

static void check_again(const lg_chat_reply *reply)
{
    lg_str feedback[CHAT_CALLS];
    lg_buf out;
    lg_buf_init(&out, 0);
    for (size_t i = 0; i < CHAT_CALLS; i++) {
        feedback[i] = LG_STR("no \"such\" thing");
    }
    for (size_t i = 0; i < reply->choice_count; i++) {
        size_t count = reply->choices[i].call_count ? reply->choices[i].call_count : 1;
        lg_json_doc *doc = NULL;
        lg_buf_clear(&out);
        lg_buf_add_byte(&out, '[');
        require(lg_chat_ask_again(reply, i, feedback, count, &out, NULL) == LG_OK);
        lg_buf_add_byte(&out, ']');
        require(lg_json_parse(lg_buf_str(&out), NULL, &doc, NULL) == LG_OK);
        lg_json_doc_free(doc);
    }
    lg_buf_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lg_arena arena;
    lg_error error = {0};
    const lg_chat_reply *reply;
    if (size == 0) {
        return 0;
    }
    lg_chat_options options = {.limits = {.json_depth = 64}, .pass_unknown = data[0] >> 7};
    lg_arena_init(&arena, (size_t)64 << 20);
    lg_chat_api api = (lg_chat_api)(data[0] % LG_CHAT_API_COUNT);
    lg_str body = {(const char *)data + 1, size - 1};
    lg_status status = lg_chat_reply_parse(&arena, api, body, &options, &reply, &error);
    if (status == LG_OK) {
        check_ruling(&arena, &options, reply, data[0] >> 2);
        check_ruling(&arena, &options, reply, UINT64_MAX);
        check_again(reply);
        require(reply->is_error || reply->left_out ||
                lg_json_get(reply->root, LG_STR("ledgergate")) || !chat_broken_by_field(reply));
    } else {
        require(error.status == status && error.msg[0]);
    }
    lg_arena_done(&arena);
    return 0;
}
