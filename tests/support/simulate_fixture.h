// simulate_fixture.h: a small shop that is simulated: a pack, a first state, sessions and calls in one line.
#ifndef LG_SIMULATE_FIXTURE_H
#define LG_SIMULATE_FIXTURE_H

#include "lg_test.h"
#include "pack_fixture.h"
#include "simulate/simulate.h"

#define DESK_STATE                                                                                 \
    "{\"orders\":[{\"id\":\"#1\",\"status\":\"open\",\"n\":1},{\"id\":\"#2\",\"status\":\"paid\"," \
    "\"n\":2}],\"phone\":{\"on\":false},\"kept\":[1,2]}"

// Reads, writes with a rule, a postcondition and an invariant, a customer's tool, one that says nothing of its result.
static const char desk_pack[] =
    "pack: desk\n"
    "version: '1'\n"
    "clock: 2024-05-15T15:00:00Z\n"
    "types:\n"
    "  Order:\n"
    "    type: object\n"
    "    properties: {id: {type: string}, status: {enum: [open, paid, shut]}, n: {type: integer}}\n"
    "    required: [id, status, n]\n"
    "state:\n"
    "  orders.*: {is: Order, key: id, at: orders}\n"
    "  phone: {type: object}\n"
    "ledger: {orders.*: Order}\n"
    "invariants:\n"
    "  - {id: few_open, that: \"size(state.orders) < 4\", because: no more than three}\n"
    "tools:\n"
    "  get_order:\n"
    "    kind: read\n"
    "    parameters: {type: object, properties: {id: {type: string}}, required: [id]}\n"
    "    effects: [{fail: 'Error: no such order', when: '!(args.id in state.orders)'}]\n"
    "    gives: \"state.orders[args.id]\"\n"
    "    returns: Order\n"
    "    stores: [{at: \"orders[args.id]\"}]\n"
    "  set_status:\n"
    "    kind: write\n"
    "    parameters:\n"
    "      type: object\n"
    "      properties: {id: {type: string}, status: {enum: [open, paid, shut]}}\n"
    "      required: [id, status]\n"
    "    effects:\n"
    "      - {fail: 'Error: no such order', when: '!(args.id in state.orders)'}\n"
    "      - {set: \"orders[args.id].status\", to: args.status}\n"
    "    answer: 'now {args.status}'\n"
    "    returns: text\n"
    "    ensures: [{id: not_shut, that: \"args.status != 'shut'\", because: shut is for ever}]\n"
    "  add_order:\n"
    "    kind: write\n"
    "    parameters: {type: object, properties: {id: {type: string}}, required: [id]}\n"
    "    effects: [{set: \"orders[args.id]\", to: \"{'id': args.id, 'status': 'open', 'n': 0}\"}]\n"
    "    answer: added\n"
    "    returns: text\n"
    "  flip:\n"
    "    kind: write\n"
    "    requestor: user\n"
    "    parameters: {type: object, properties: {}}\n"
    "    effects: [{set: \"phone.on\", to: \"!state.phone.on\"}]\n"
    "    gives: state.phone\n"
    "rules:\n"
    "  seen_first:\n"
    "    tools: [set_status]\n"
    "    that: \"ledger.orders[args.id].status != args.status\"\n"
    "    needs: [\"ledger.orders[args.id]\"]\n"
    "    say: the order must be read first, and change\n";

typedef struct desk {
    lg_arena arena;
    lg_pack *pack;
    lg_sim *sim;
    lg_sim_answer answer; // of the latest call
} desk;

static inline lg_status desk_add(desk *d, const char *state, const char *task, lg_errors *errors)
{
    lg_str text = lg_arena_str(&d->arena, lg_str_c(state));
    lg_world_file file = {
        .value = fixture_json(&d->arena, text.ptr), .text = text, .name = "desk.json"};
    return lg_sim_add_state(d->sim, &file, lg_str_c(task), errors);
}

static inline void desk_open(desk *d, lg_sim_options options)
{
    lg_errors errors;
    *d = (desk){0};
    lg_arena_init(&d->arena, 0);
    lg_errors_init(&errors, &d->arena, 5);
    d->pack = fixture_pack(desk_pack);
    options.pack = d->pack;
    CHECK(lg_sim_new(&options, &d->sim, &errors) == LG_OK);
    CHECK(desk_add(d, DESK_STATE, "", &errors) == LG_OK);
}

static inline void desk_close(desk *d)
{
    lg_sim_free(d->sim);
    lg_pack_free(d->pack);
    lg_arena_done(&d->arena);
}

static inline lg_sim_session *desk_session(desk *d)
{
    lg_sim_session *session = NULL;
    lg_error error = {.msg = ""};
    CHECK_MSG(lg_sim_session_new(d->sim, NULL, &session, &error) == LG_OK, error.msg);
    return session;
}

static inline lg_str desk_print_answer(desk *d)
{
    const lg_sim_answer *a = &d->answer;
    lg_str told = lg_arena_printf(&d->arena, "%s %s %.*s", lg_sim_end_name(a->end),
                                  lg_sim_source_name(a->source), LG_FMT(a->text));
    for (size_t i = 0; i < a->violation_count; i++) {
        const lg_sim_violation *v = &a->violations[i];
        told =
            lg_arena_printf(&d->arena, "%.*s; %.*s %.*s %.*s: %.*s", LG_FMT(told), LG_FMT(v->kind),
                            LG_FMT(v->rule), LG_FMT(v->path), LG_FMT(v->message));
    }
    return told;
}

// Calls a tool: how it ended, who answered what, and what it violates, in one line.
static inline lg_str desk_call_by(desk *d, lg_sim_session *session, const char *tool,
                                  const char *args, bool by_user)
{
    lg_sim_call call = {.tool = lg_str_c(tool),
                        .args = args[0] == '{' ? fixture_json(&d->arena, args) : NULL,
                        .args_text = lg_str_c(args),
                        .by_user = by_user};
    lg_error error = {.msg = ""};
    if (lg_sim_call_tool(session, &call, NULL, &d->answer, &error) != LG_OK) {
        return lg_arena_printf(&d->arena, "failed: %s", error.msg);
    }
    CHECK(lg_sim_is_error(&d->answer) == (d->answer.error.len > 0));
    return desk_print_answer(d);
}

static inline lg_str desk_call(desk *d, lg_sim_session *session, const char *tool, const char *args)
{
    return desk_call_by(d, session, tool, args, false);
}

static inline lg_str desk_state(desk *d, lg_sim_session *session)
{
    const lg_json *state = NULL;
    CHECK(lg_sim_state(session, &d->arena, false, &state, NULL) == LG_OK);
    return state ? fixture_print(&d->arena, state) : LG_STR("");
}

static inline lg_str desk_hash(desk *d, lg_sim_session *session)
{
    char hash[65] = "";
    CHECK(lg_sim_state_hash(session, hash, NULL) == LG_OK);
    return lg_arena_str(&d->arena, lg_str_c(hash));
}

#endif
