// test_reload.c: a conversation keeps the pack with which it began, as long as it is remembered; all else is anew.
#include "proxy_host.h"
#include "proxy_texts.h"

// By the first pack A may be acted on; by the second nothing may.
#define STRICT                                                                                     \
    "rules:\n"                                                                                     \
    "  never:\n"                                                                                   \
    "    tools: [act]\n"                                                                           \
    "    that: 'false'\n"                                                                          \
    "    say: Not any more.\n"
#define GOOD REPLY(CALLS(CALL("w1", "act", ARGS_A)), "tool_calls")
#define DONE_A READ_A "," AGENT("It is open.") "," USER("act")

static void reload(host *h, lg_pack *pack, const lg_proxy_route_options *with)
{
    lg_error err;
    lg_proxy_route *next;
    lg_proxy_route_options options = *with;
    options.pack = pack;
    options.before = h->route;
    CHECK(lg_proxy_route_new(h->proxy, &options, &next, &err) == LG_OK);
    lg_proxy_route_free(h->route);
    h->route = next;
}

static bool acts(host *h, const char *body)
{
    host_reply(h, GOOD);
    host_run(h, body);
    return host_says(h, "'id':'w1','type'");
}

static void said(host *h, const char *text, const char *body)
{
    char reply[512];
    snprintf(reply, sizeof(reply), REPLY(AGENT("%s"), "stop"), text);
    host_reply(h, reply);
    host_run(h, body);
}

static void what_has_begun_keeps_its_pack(void)
{
    host h;
    lg_pack *strict = desk_pack(STRICT);
    host_open(&h, &(host_options){.rules = RULES, .route = {.on_refusal = LG_PROXY_RETURN}});
    said(&h, "It is open.", ASK(READ_A));
    reload(&h, strict, &h.o.route);
    CHECK(acts(&h, ASK(DONE_A)));
    CHECK(host_counts(&h).folds_warm == 1);
    CHECK(!acts(&h, ASK(USER("another") "," DONE_A))); // which nobody knows
    CHECK(!acts(&h, ASK(READ_A)));                     // it begins
    reload(&h, strict, &h.o.route);                    // the same once more
    CHECK(acts(&h, ASK(DONE_A "," AGENT("Well.") "," USER("act"))));
    host_verify(&h, 4);
    host_close(&h);
    lg_pack_free(strict);
}

// A mode, a rule that is only watched, ...: what else was changed counts at once.
static void other_settings_count_at_once(void)
{
    host h;
    lg_pack *strict = desk_pack(STRICT);
    host_open(&h, &(host_options){.rules = RULES, .route = {.mode = LG_PROXY_SHADOW}});
    said(&h, "It is open.", ASK(READ_A));
    lg_proxy_route_options with = h.o.route;
    with.mode = LG_PROXY_ENFORCE;
    with.on_refusal = LG_PROXY_RETURN;
    reload(&h, strict, &with);
    CHECK(!acts(&h, ASK(DONE_A)));
    host_close(&h);
    lg_pack_free(strict);
}

static void packs_are_released(void *context)
{
    ++*(int *)context;
}

// Some packs back it ends, and what was held goes.
static void five_packs_are_enough(void)
{
    enum { PACKS = 8 };
    lg_pack *packs[PACKS];
    int released = 0;
    host h;
    host_open(&h, &(host_options){.rules = RULES,
                                  .route = {.on_refusal = LG_PROXY_RETURN,
                                            .released = packs_are_released,
                                            .context = &released}});
    said(&h, "It is open.", ASK(READ_A));
    for (int i = 0; i < PACKS; i++) {
        char rules[512];
        snprintf(rules, sizeof(rules),
                 "rules:\n  never%d:\n    tools: [act]\n    that: 'false'\n    say: No.\n", i);
        packs[i] = desk_pack(rules);
        reload(&h, packs[i], &h.o.route);
        CHECK(released == (i < 4 ? 0 : i - 3));
    }
    CHECK(!acts(&h, ASK(DONE_A)));
    host_close(&h);
    CHECK(released == PACKS + 1);
    for (int i = 0; i < PACKS; i++) {
        lg_pack_free(packs[i]);
    }
}

// Of what earlier packs have folded each keeps a quarter, so that all together are no more than what the current one may have.
static void earlier_packs_keep_less(void)
{
    static const char *const users[] = {"ann", "ben", "cat", "dan", "eve", "fay", "gus", "hal"};
    host h;
    lg_pack *strict = desk_pack(STRICT);
    host_open(&h, &(host_options){.rules = RULES,
                                  .route = {.on_refusal = LG_PROXY_RETURN},
                                  .proxy = {.session_entries = LG_COUNT(users)}});
    for (size_t i = 0; i < LG_COUNT(users); i++) {
        h.principal = lg_str_c(users[i]);
        said(&h, "It is open.", ASK(READ_A));
    }
    reload(&h, strict, &h.o.route);
    for (size_t i = 0; i < LG_COUNT(users); i++) {
        h.principal = lg_str_c(users[i]);
        CHECK(acts(&h, ASK(DONE_A)) == (i >= LG_COUNT(users) - 2)); // the latest ones
    }
    host_close(&h);
    lg_pack_free(strict);
}

// What is to be told, and what a response's id continues, belongs to the route, whatever its pack.
static void what_is_to_be_told_is_told(void)
{
    host h;
    lg_pack *strict = desk_pack(STRICT);
    host_open(&h, &(host_options){.rules = RULES,
                                  .route = {.on_refusal = LG_PROXY_RETURN},
                                  .proxy = {.session_bytes = 1}});
    host_reply(&h, REPLY(SAYS_AND_CALLS("Well.", CALL("w1", "act", ARGS_B)), "tool_calls"));
    host_run(&h, ASK(READ_A));
    reload(&h, strict, &h.o.route);
    said(&h, "I see.", ASK(READ_A "," AGENT("Well.") "," USER("go on")));
    CHECK(host_asked(&h, 0, "your call of"));
    host_close(&h);
    lg_pack_free(strict);
}

static void responses_go_on(void)
{
#define R_REPLY(id)                                                                                \
    "{'id':'" id "','object':'response','status':'completed','model':'m','output':[{'type':"       \
    "'message','id':'m1','role':'assistant','status':'completed','content':[{'type':"              \
    "'output_text','text':'ok','annotations':[]}]}]}"
    for (size_t bytes = 0; bytes < 2; bytes++) {
        host h;
        lg_pack *strict = desk_pack(STRICT);
        host_open(&h, &(host_options){.rules = RULES,
                                      .api = LG_CHAT_RESPONSES,
                                      .route = {.shares_upstream = true},
                                      .proxy = {.session_bytes = bytes}});
        host_reply(&h, R_REPLY("resp_1"));
        host_run(&h, "{'model':'m','input':'begin'}");
        reload(&h, strict, &h.o.route);
        host_reply(&h, R_REPLY("resp_2"));
        host_run(&h, "{'model':'m','previous_response_id':'resp_1','input':'go on'}");
        CHECK(h.status == 200);
        CHECK(host_counts(&h).folds_warm == (bytes == 0));
        host_close(&h);
        lg_pack_free(strict);
    }
}

int main(void)
{
    RUN(what_has_begun_keeps_its_pack);
    RUN(other_settings_count_at_once);
    RUN(five_packs_are_enough);
    RUN(earlier_packs_keep_less);
    RUN(what_is_to_be_told_is_told);
    RUN(responses_go_on);
    return lg_test_done();
}
