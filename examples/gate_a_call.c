// gate_a_call.c: the whole library in one small program.
//
//     gate_a_call packs/retail
//
// A session observes what three tools returned, then two calls are proposed: a refund to a card
// that has not paid for the order, and one to the gift card that has.
#include <ledgergate/ledgergate.h>

#include <stdio.h>

static int fail(const char *what, const lg_error *error)
{
    fprintf(stderr, "%s: %s\n", what, error->msg);
    return 3;
}

static lg_pack *load(const char *path)
{
    lg_pack *pack = NULL;
    lg_error errors[10];
    size_t count = 0;
    if (lg_pack_load(path, NULL, &pack, errors, 10, &count) != LG_OK) {
        for (size_t i = 0; i < count && i < 10; i++) {
            fprintf(stderr, "%s:%u:%u: %s\n", errors[i].file ? errors[i].file : path,
                    errors[i].line, errors[i].column, errors[i].msg);
        }
        return NULL;
    }
    return pack;
}

static int propose(lg_session *session, lg_str args)
{
    const lg_decision *decision;
    lg_error error;
    lg_event call = {
        .kind = LG_EVENT_CALL, .tool = LG_STR("return_delivered_order_items"), .args = args};
    if (lg_decide(session, &call, 1, &decision, &error) != LG_OK) {
        return fail("no verdict", &error); // and so the call is not made
    }
    printf("%s\n", lg_verdict_name(decision->verdict));
    if (decision->message.len) {
        printf("%.*s\n", LG_FMT(decision->message));
    }
    for (size_t i = 0; i < decision->hint_count; i++) {
        printf("hint: %.*s = %.*s\n", LG_FMT(decision->hints[i].path),
               LG_FMT(decision->hints[i].value));
    }
    return 0;
}

static int converse(lg_session *session)
{
    // What the tools returned so far, as it came over the wire: each answer brings its call.
    const lg_event events[] = {
        {.kind = LG_EVENT_RESULT,
         .tool = LG_STR("find_user_id_by_email"),
         .args = LG_STR("{\"email\": \"ada@example.com\"}"),
         .text = LG_STR("ada_1"),
         .has_turn = true,
         .turn = 1},
        {.kind = LG_EVENT_RESULT,
         .tool = LG_STR("get_user_details"),
         .args = LG_STR("{\"user_id\": \"ada_1\"}"),
         .text = LG_STR("{\"user_id\": \"ada_1\", \"payment_methods\": {"
                        "\"card_7\": {\"source\": \"credit_card\", \"id\": \"card_7\"}, "
                        "\"gift_2\": {\"source\": \"gift_card\", \"id\": \"gift_2\", "
                        "\"balance\": 10.0}}}"),
         .has_turn = true,
         .turn = 2},
        {.kind = LG_EVENT_RESULT,
         .tool = LG_STR("get_order_details"),
         .args = LG_STR("{\"order_id\": \"#W0000001\"}"),
         .text = LG_STR("{\"order_id\": \"#W0000001\", \"user_id\": \"ada_1\", "
                        "\"status\": \"delivered\", \"items\": [{\"item_id\": \"11\", "
                        "\"product_id\": \"5\", \"price\": 19.5}], \"payment_history\": ["
                        "{\"transaction_type\": \"payment\", \"amount\": 19.5, "
                        "\"payment_method_id\": \"gift_2\"}]}"),
         .has_turn = true,
         .turn = 3},
    };
    lg_error error;
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        if (lg_observe(session, &events[i], NULL, &error) != LG_OK) {
            return fail("observe", &error);
        }
    }
    lg_str block;
    if (lg_render(session, &(lg_render_options){.compact = true}, &block, &error) != LG_OK) {
        return fail("render", &error);
    }
    printf("%.*s\n", LG_FMT(block));
    int code = propose(session, LG_STR("{\"order_id\": \"#W0000001\", \"item_ids\": [\"11\"], "
                                       "\"payment_method_id\": \"card_7\"}"));
    return code ? code
                : propose(session, LG_STR("{\"order_id\": \"#W0000001\", \"item_ids\": [\"11\"], "
                                          "\"payment_method_id\": \"gift_2\"}"));
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: gate_a_call PACK\n");
        return 2;
    }
    lg_pack *pack = load(argv[1]);
    lg_session *session = NULL;
    if (!pack || lg_session_new(pack, NULL, &session) != LG_OK) {
        return pack ? 3 : 2;
    }
    int code = converse(session);
    lg_session_free(session);
    lg_pack_free(pack);
    return code;
}
