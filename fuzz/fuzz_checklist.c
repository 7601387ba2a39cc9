// fuzz_checklist.c: what a task says of how one sees that it is done: read, and judged on a small session.
//
// The input is a task, or an entry of a data set. Properties: what is refused has a reason with a place; what is read has a
// description for each item, and is judged without a model: each item once, in order, with a reason; the whole succeeds only if
// all of it does; the same again gives the same; and no judgement takes longer than its budget.
#include "simulate/verify.h"

#include "pack/pack.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static const char yaml[] =
    "pack: shop\nversion: '1'\ntypes:\n  Order: {type: object, properties: {status: {type: "
    "string}}}\n"
    "ledger:\n  orders.*: Order\nstate:\n  orders.*: Order\ntools:\n  set:\n    kind: write\n"
    "    parameters: {type: object, properties: {id: {type: string}, status: {type: string}}, "
    "required: [id, status]}\n    effects:\n      - {fail: 'Error: none', when: '!(args.id in "
    "state.orders)'}\n      - {set: 'orders[args.id].status', to: args.status}\n";
static const char first_state[] = "{\"orders\":{\"W1\":{\"status\":\"new\"}}}";

static const lg_limits limits = {.json_depth = 64};

typedef struct world {
    lg_arena arena;
    lg_pack *pack;
    lg_sim *sim;
    lg_sim_session *session;
} world;

static const lg_json *parse(lg_arena *arena, lg_str text)
{
    const lg_json *value = NULL;
    return lg_json_parse_in(arena, text, 0, text.len, &limits, &value, NULL) == LG_OK ? value
                                                                                      : NULL;
}

static void open_world(world *w)
{
    lg_error error;
    lg_errors errors;
    lg_sim_answer answer;
    size_t count = 0;
    lg_arena_init(&w->arena, 0);
    lg_errors_init(&errors, &w->arena, 4);
    REQUIRE(lg_pack_load_text(lg_str_c(yaml), "p", NULL, &w->pack, &error, 1, &count) == LG_OK);
    lg_sim_options options = {.pack = w->pack};
    lg_world_file file = {.value = parse(&w->arena, lg_str_c(first_state))};
    REQUIRE(lg_sim_new(&options, &w->sim, &errors) == LG_OK);
    REQUIRE(lg_sim_add_state(w->sim, &file, LG_STR(""), &errors) == LG_OK);
    REQUIRE(lg_sim_session_new(w->sim, NULL, &w->session, &error) == LG_OK);
    lg_sim_call call = {.tool = LG_STR("set"),
                        .args = parse(&w->arena, LG_STR("{\"id\":\"W1\",\"status\":\"old\"}"))};
    REQUIRE(lg_sim_call_tool(w->session, &call, NULL, &answer, &error) == LG_OK);
}

static void close_world(world *w)
{
    lg_sim_session_free(w->session);
    lg_sim_free(w->sim);
    lg_pack_free(w->pack);
    lg_arena_done(&w->arena);
}

static void check_judgement(const lg_sim_judgement *j)
{
    bool all = j->count > 0;
    for (size_t i = 0; i < j->count; i++) {
        all = all && j->items[i].status == LG_CHECK_SUCCESS;
        REQUIRE(j->items[i].reasoning.len > 0);
        REQUIRE(j->items[i].by != LG_CHECK_BY_MODEL);
        REQUIRE(j->items[i].by != LG_CHECK_BY_NOBODY || j->items[i].status == LG_CHECK_UNKNOWN);
    }
    REQUIRE(all == (j->status == LG_CHECK_SUCCESS) && (j->reward == 1) == all);
    REQUIRE((j->feedback.len == 0) == all);
}

static void judge(world *w, const lg_checklist *list, lg_arena *arena, lg_sim_judgement *ret)
{
    lg_error error;
    const lg_sim_done done = {.task = LG_STR("t"), .response = LG_STR("Paid 1,250.50 to W1")};
    REQUIRE(lg_sim_judge(w->session, list, &done, NULL, arena, ret, &error) == LG_OK);
    REQUIRE(ret->count == list->count);
    check_judgement(ret);
}

static void check_task(world *w, lg_arena *arena, const lg_json *task)
{
    lg_checklist list = {0};
    lg_errors errors;
    lg_sim_judgement first, again;
    lg_errors_init(&errors, arena, 8);
    lg_status status = lg_checklist_read(arena, task, &list, &errors);
    REQUIRE((status == LG_OK) == !lg_errors_any(&errors));
    REQUIRE(status == LG_OK || errors.items[0].msg[0]);
    if (status != LG_OK) {
        return;
    }
    judge(w, &list, arena, &first);
    judge(w, &list, arena, &again);
    REQUIRE(first.status == again.status && lg_str_eq(first.feedback, again.feedback));
}

static void check_entry(world *w, lg_arena *arena, const lg_json *entry)
{
    lg_sim_verified verified;
    lg_errors errors;
    lg_errors_init(&errors, arena, 8);
    lg_status status = lg_sim_verify_entry(w->sim, entry, 0, NULL, arena, &verified, &errors);
    REQUIRE(status == LG_OK || lg_errors_any(&errors));
    if (status == LG_OK) {
        check_judgement(&verified.judgement);
        REQUIRE(verified.invalid + verified.failed <= verified.calls && !verified.tried_again);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    world w;
    lg_arena arena;
    lg_arena_init(&arena, (size_t)1 << 30);
    const lg_json *value = parse(&arena, lg_str_of((const char *)data, size));
    if (value) {
        open_world(&w);
        check_task(&w, &arena, value);
        check_entry(&w, &arena, value);
        close_world(&w);
    }
    lg_arena_done(&arena);
    return 0;
}
