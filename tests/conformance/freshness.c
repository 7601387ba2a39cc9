// freshness.c: what is not marked stale is what the tools would return today.
//
// Packs, first states and calls are made by seed, with all the ways in which a read may depend on
// something: conditions and keys of its stores, constants, errors of its own, fields that are stored one
// by one, `settle`. Then the gold calls of each domain are carried out on its real state, and after
// each of them some writes of other conversations. After every call all reads that a record was put
// together from are made again: where the record has changed, that part of it must be stale. And
// what was read again must be stale no more.
//
// A rule that wants stale records read again says the same of the ledger as it is and of one with what the tools
// would return today, unless it has found that it must wait, or read again. So it is for a write that has not
// answered, too, once it was carried out.
#include "base/file.h"
#include "dice.h"
#include "gate/gate.h"
#include "lg_test.h"
#include "pack_fixture.h"
#include "world/world.h"
#include "json/tree.h"

#include <stdlib.h>

#define STEPS_MAX 16u
#define TASKS_MAX 512u
#ifdef __SANITIZE_ADDRESS__ // the release build tries all of them
#define PACKS 100u
#else
#define PACKS 300u
#endif

static uint64_t first_seed = 1;

// Records that one tool has read and another may have changed first.
typedef struct tally {
    lg_str read, write;
    size_t stale, changed;
} tally;

#define TALLIES_MAX 64u

typedef struct domain {
    lg_pack *pack;
    lg_world world;
    lg_ledger ledger;
    lg_ledger again; // what a read would store today
    lg_arena data;   // of the files
    lg_arena call;   // of one call
    const lg_json *tasks[TASKS_MAX];
    size_t task_count;
    uint64_t random;
    size_t compared, changed, stale;
    size_t refreshed;            // made fresh by reading again
    size_t judged, waited, idle; // by rules; of these told to wait; and of these for nothing
    tally tallies[TALLIES_MAX];
    size_t tally_count;
    const char *text; // of a pack that was made
    uint64_t seed;
} domain;

// --- Comparing ------------------------------------------------------------------------------------

typedef struct walk {
    domain *d;
    const lg_ledger_entry *entry;
    lg_str steps[STEPS_MAX];
    uint32_t count;
    bool changed;
} walk;

static void compare(walk *w, const lg_json *old, const lg_json *now);

static void compare_below(walk *w, lg_str step, const lg_json *old, const lg_json *now)
{
    w->steps[w->count++] = step;
    compare(w, old, now);
    w->count--;
}

static void check_stale(walk *w)
{
    w->changed = true;
    if (!CHECK_MSG(lg_ledger_is_stale(w->entry, w->steps, w->count, NULL, NULL),
                   "a record has changed and is not stale")) {
        printf("    seed %llu: %.*s", (unsigned long long)w->d->seed,
               LG_FMT(w->entry->declared->text));
        for (uint32_t i = 1; i < w->entry->declared->segment_count; i++) {
            printf(" %.*s", LG_FMT(w->entry->segments[i]));
        }
        printf(", read by %.*s at turn %u", LG_FMT(w->entry->tool), w->entry->turn);
        for (uint32_t i = 0; i < w->count; i++) {
            printf(".%.*s", LG_FMT(w->steps[i]));
        }
        printf("\n%s", w->d->text ? w->d->text : "");
    }
}

static void compare(walk *w, const lg_json *old, const lg_json *now)
{
    bool objects = lg_json_is(old, LG_JSON_OBJECT) && lg_json_is(now, LG_JSON_OBJECT);
    bool lists = lg_json_is(old, LG_JSON_ARRAY) && lg_json_is(now, LG_JSON_ARRAY) &&
                 lg_json_len(old) == lg_json_len(now);
    if ((!old && !now) || (old && now && lg_json_equal(old, now))) {
        return;
    }
    if ((!objects && !lists) || w->count == STEPS_MAX) {
        check_stale(w);
        return;
    }
    for (size_t i = 0; i < lg_json_len(old); i++) {
        lg_str key = objects ? lg_json_key(lg_json_member_at(old, i)) : (lg_str){NULL, 0};
        const lg_json *before = objects ? &lg_json_member_at(old, i)->value : lg_json_item(old, i);
        compare_below(w, key, before, objects ? lg_json_get(now, key) : lg_json_item(now, i));
    }
    for (size_t i = 0; objects && i < lg_json_len(now); i++) {
        lg_str key = lg_json_key(lg_json_member_at(now, i));
        if (!lg_json_get(old, key)) {
            compare_below(w, key, NULL, &lg_json_member_at(now, i)->value);
        }
    }
}

// --- Calls ----------------------------------------------------------------------------------------

// Carries a call out; the text of its result, or an empty one if it failed.
static bool carry_out(domain *d, lg_str tool, const lg_json *args, bool by_user, lg_str *ret)
{
    lg_world_call call = {.tool = tool, .args = args, .by_user = by_user};
    lg_world_outcome outcome;
    lg_error error;
    CHECK(lg_world_call_tool(&d->world, &call, &outcome, &error) == LG_OK);
    lg_buf text;
    lg_buf_init(&text, 0);
    if (outcome.result) {
        lg_world_print_outcome(&text, &outcome);
    }
    *ret = lg_arena_str(&d->call, lg_buf_str(&text));
    lg_buf_done(&text);
    return outcome.end == LG_WORLD_DONE;
}

static void observe(lg_ledger *ledger, lg_str tool, const lg_json *args, bool by_user, lg_str text,
                    uint32_t turn)
{
    lg_ledger_call call = {
        .tool = tool, .args = args, .result = text, .by_user = by_user, .turn = turn};
    lg_observed observed;
    lg_error error = {0};
    CHECK_MSG(lg_ledger_observe(ledger, &call, &observed, &error) == LG_OK, error.msg);
}

// The oldest observation after `after` that the record was put together from, or NULL.
static const lg_ledger_source *next_source(const lg_ledger_entry *entry, uint64_t after)
{
    const lg_ledger_source *next = NULL;
    for (const lg_ledger_source *s = entry->sources; s; s = s->older) {
        if (s->observed > after && (!next || s->observed < next->observed)) {
            next = s;
        }
    }
    return next;
}

// The part of the record into which the store puts something may have changed: the read fails.
static void check_failed(walk *w, const lg_tool_store *store)
{
    for (uint32_t i = store->to.place->segment_count; i < store->to.segment_count; i++) {
        w->steps[w->count++] = store->to.segments[i].name;
    }
    check_stale(w);
    w->count = 0;
}

// Makes the reads of the record again, each on the state as it is, for `d->again`. `w`: of those that fail, or
// NULL. False if a result is not accepted: that says nothing.
static bool read_again(domain *d, const lg_ledger_entry *entry, walk *w)
{
    const lg_json *root = d->world.root;
    bool accepted = true;
    lg_ledger_reset(&d->again);
    const lg_ledger_source *s = next_source(entry, 0);
    for (; s && accepted; s = next_source(entry, s->observed)) {
        lg_str text;
        if (carry_out(d, s->tool, s->args, false, &text)) {
            observe(&d->again, s->tool, s->args, false, text, 0);
            accepted = d->again.rejection.category == LG_CATEGORY_NONE;
        } else if (w) {
            check_failed(w, s->store);
        }
        d->world.root = root;
    }
    return accepted;
}

static void count_stale(domain *d, const lg_ledger_entry *entry, bool changed)
{
    size_t i = 0;
    while (i < d->tally_count && !(lg_str_eq(d->tallies[i].read, entry->tool) &&
                                   lg_str_eq(d->tallies[i].write, entry->stale_tool))) {
        i++;
    }
    if (i < TALLIES_MAX) {
        d->tally_count = i < d->tally_count ? d->tally_count : i + 1;
        d->tallies[i].read = entry->tool;
        d->tallies[i].write = entry->stale_tool;
        d->tallies[i].stale++;
        d->tallies[i].changed += changed;
    }
}

static void check_entry(domain *d, const lg_ledger_entry *entry)
{
    lg_arena_mark mark = lg_arena_mark_here(&d->call);
    walk w = {.d = d, .entry = entry};
    if (read_again(d, entry, &w)) {
        const lg_ledger_entry *now =
            lg_ledger_find(&d->again.state, entry->segments, entry->declared->segment_count);
        compare(&w, entry->value, now ? now->value : NULL);
        d->compared++;
        d->changed += w.changed;
        d->stale += entry->stale;
        if (entry->stale && !d->text) {
            count_stale(d, entry, w.changed);
        }
    }
    lg_arena_rewind(&d->call, mark);
}

static void one_call(domain *d, const lg_json *call, uint32_t turn)
{
    lg_str tool = lg_json_str(lg_json_get(call, LG_STR("name")));
    const lg_json *args = lg_json_get(call, LG_STR("arguments"));
    bool by_user = lg_str_eq(lg_json_str(lg_json_get(call, LG_STR("requestor"))), LG_STR("user"));
    const lg_tool *declared = lg_pack_tool(d->pack, tool);
    lg_str text;
    bool says = declared && (declared->gives || declared->has_answer);
    if (!declared || !carry_out(d, tool, args, by_user, &text) ||
        (declared->kind == LG_TOOL_READ && !says)) {
        return;
    }
    observe(&d->ledger, tool, args, by_user, text, turn);
    for (uint32_t i = 0; declared->kind == LG_TOOL_WRITE && i < d->ledger.state.entries.count;
         i++) {
        check_entry(d, lg_ledger_entry_at(&d->ledger.state, i));
    }
}

// A write out of any conversation of the domain, or NULL.
static const lg_json *pick_write(domain *d)
{
    d->random = d->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const lg_json *task = d->tasks[(d->random >> 33) % d->task_count];
    const lg_json *calls = lg_json_get(task, LG_STR("calls"));
    size_t from = (d->random >> 20) % (lg_json_len(calls) + 1);
    for (size_t i = from; i < lg_json_len(calls); i++) {
        const lg_json *call = lg_json_item(calls, i);
        const lg_tool *tool = lg_pack_tool(d->pack, lg_json_str(lg_json_get(call, LG_STR("name"))));
        if (tool && tool->kind == LG_TOOL_WRITE) {
            return call;
        }
    }
    return NULL;
}

static void one_task(domain *d, const lg_json *task)
{
    const lg_json *calls = lg_json_get(task, LG_STR("calls"));
    lg_ledger_reset(&d->ledger);
    for (size_t i = 0; i < lg_json_len(calls); i++) {
        one_call(d, lg_json_item(calls, i), (uint32_t)i);
        const lg_json *other = pick_write(d);
        if (other) {
            one_call(d, other, (uint32_t)i);
        }
    }
}

// --- Packs by seed --------------------------------------------------------------------------------

static const char made_head[] =
    "pack: made\n"
    "version: '1'\n"
    "types:\n"
    "  Tag: {type: object, properties: {id: {type: string}, n: {type: number}}}\n"
    "  User:\n"
    "    type: object\n"
    "    properties:\n"
    "      id: {type: string}\n"
    "      level: {type: string}\n"
    "      boss: {type: string}\n"
    "      note: {type: string}\n"
    "      n: {type: number}\n"
    "      tags: {type: array, items: {$ref: '#/types/Tag'}}\n"
    "      other: {type: object, properties: {sum: {type: number}, name: {type: string}}}\n"
    "      more: {type: object, additionalProperties: {type: string}}\n"
    "      cards: {type: object, additionalProperties: {type: object, properties: {n: {type: "
    "number}, kind: {type: string}}}}\n"
    "  Order: {type: object, properties: {owner: {type: string}, status: {type: string}}}\n"
    "ledger:\n"
    "  users.*: User\n"
    "  prof.*: User\n"
    "  orders.*: Order\n"
    "  found.*: {}\n"
    "state:\n"
    "  users.*: User\n"
    "  orders.*: Order\n"
    "  flags: {type: object, properties: {locked: {type: boolean}, hidden: {type: boolean}}}\n"
    "  c: {type: object, properties: {ticks: {type: number}, sum: {type: number}}}\n";

static const char made_parameters[] =
    "    parameters: {type: object, properties: {a: {type: string}, b: {type: string}, "
    "o: {type: string}, v: {type: string}, l: {type: array, items: {type: object, properties: {u: "
    "{type: string}, v: {type: string}}}}}, required: [a, b, o, v, l]}\n";

static const char made_state[] =
    "{\"users\":{\"u1\":{\"id\":\"u1\",\"level\":\"gold\",\"boss\":\"u2\",\"note\":\"\",\"n\":1,"
    "\"tags\":[{\"id\":\"t1\",\"n\":1}],\"cards\":{\"gold\":{\"n\":1,\"kind\":\"x\"},\"t1\":{\"n\":"
    "2,\"kind\":\"y\"}}},"
    "\"u2\":{\"id\":\"u2\",\"level\":\"basic\",\"boss\":\"u1\",\"note\":\"x\",\"n\":2,\"tags\":[],"
    "\"cards\":{}},"
    "\"u3\":{\"id\":\"u3\",\"level\":\"gold\",\"boss\":\"u3\",\"note\":\"\",\"n\":3,"
    "\"tags\":[{\"id\":\"t2\",\"n\":4},{\"id\":\"t3\",\"n\":5}],\"cards\":{\"basic\":{\"n\":3,"
    "\"kind\":\"x\"}}}},"
    "\"orders\":{\"o1\":{\"owner\":\"u1\",\"status\":\"open\"},"
    "\"o2\":{\"owner\":\"u3\",\"status\":\"shut\"}},"
    "\"flags\":{\"locked\":false,\"hidden\":false},\"c\":{\"ticks\":0,\"sum\":0}}";

static const char *const made_gives[] = {
    "state.users[args.a]",
    "state.users[args.a]",
    "state.users[state.orders[args.o].owner]",
    "\"{'id': args.a, 'level': state.users[args.a].level, 'boss': state.users[args.a].boss, "
    "'n': state.users[args.a].n, 'tags': state.users[args.b].tags}\"",
    "\"state.users[args.a].level == 'gold' ? state.users[args.a] : state.users[args.b]\"",
    "\"cel.bind(u, state.users[args.a], {'id': u.id, 'level': u.note, 'boss': u.boss, 'n': "
    "double(size(state.users)), 'tags': u.tags})\"",
    "shown",
};

static const char *const made_fails[] = {
    "state.flags.locked",
    "\"!(args.a in state.users)\"",
    "\"args.a in state.users && state.users[args.a].level == 'hidden'\"",
    "\"size(state.orders) < 2\"",
    "\"args.l.exists(g, g.u in state.users && state.users[g.u].level == 'hidden')\"",
    "\"state.users[args.l[0].u].n > 4.0\"",
    "\"state.users.exists(u, state.users[u].n > 4.0)\"",
};

static const char *const made_stores[] = {
    "{at: \"users[args.a]\"}",
    "{at: \"users[args.a]\"}",
    "{at: \"users[args.a]\", when: \"result.level == 'gold'\"}",
    "{at: \"users[result.id]\"}",
    "{at: \"users[args.a].note\", value: \"'vip'\", when: \"result.level == 'gold'\"}",
    "{at: \"users[result.boss].note\", value: \"'boss'\"}",
    "{at: \"users[result.boss].level\", value: \"'lead'\", when: result.n > 1.0}",
    "{at: \"prof[args.a].id\", value: result.id}",
    "{at: \"prof[args.a].level\", value: result.level}",
    "{at: \"prof[args.a].tags\", value: result.tags}",
    "{at: \"prof[args.a].boss\", value: result.boss, when: \"result.level != 'basic'\"}",
    "{at: \"prof[args.a].note\", value: \"result.n > 2.0 ? 'many' : 'few'\"}",
    "{at: \"prof[args.a].other.sum\", value: result.n}",
    "{at: \"prof[args.a].other\", value: \"{'sum': 1.0, 'name': result.note}\"}",
    "{at: \"prof[args.a].other.name\", value: result.level}",
    "{at: \"prof[args.a].more\", value: \"{'level': result.level, 'n': string(result.n)}\"}",
    "{at: \"prof['all'].level\", value: result.level}",
    "{each: result.tags, at: \"prof[item.id].n\", value: item.n}",
    "{each: result.tags, at: \"found[item.id]\", value: item.id}",
    "{at: \"found[args.b]\", value: result.tags.size()}",
    "{at: \"found['k']\", value: \"'const'\", when: \"result.level != 'basic'\"}",
    "{at: \"found[result.level]\", value: \"'const'\"}",
};

static const char *const made_steps[] = {
    "{set: 'users[args.a].level', to: args.v}",
    "{set: 'users[args.a].level', to: \"'basic'\"}",
    "{set: 'users[args.a].boss', to: args.b}",
    "{set: 'users[args.a].note', to: args.v}",
    "{set: 'users[args.a].n', to: 'state.users[args.a].n + 1.0'}",
    "{set: flags.locked, to: '!state.flags.locked'}",
    "{set: flags.hidden, to: '!state.flags.hidden'}",
    "{append: 'users[args.a].tags', value: \"{'id': args.v, 'n': 1.0}\"}",
    "{remove: 'users[args.a].tags[0]', when: 'state.users[args.a].tags.size() > 0'}",
    "{set: 'users[args.a].tags[0].n', to: 9.0, when: 'state.users[args.a].tags.size() > 0'}",
    "{set: 'users[state.orders[args.o].owner].note', to: args.v}",
    "{set: 'users[args.a].cards[args.v].n', to: 5.0, when: 'args.v in state.users[args.a].cards'}",
    "{set: 'users[args.a].cards[args.v]', to: \"{'n': 6.0, 'kind': args.b}\"}",
    "{set: 'users[args.a].cards[state.users[args.b].level]', to: \"{'n': 7.0}\"}",
    "{each: args.l, as: g, set: 'users[g.u].note', to: g.v, when: g.u in state.users}",
    "{each: args.l, as: g, set: 'users[g.u].cards[g.v]', to: \"{'n': 8.0, 'kind': 'x'}\", when: "
    "g.u in "
    "state.users}",
    "{set: 'users[args.l[1].u].level', to: args.v}",
    "{set: 'users[args.a].note', to: args.v, when: \"state.users[args.a].level == 'gold'\"}",
    "{set: 'users[args.b].note', to: args.v, when: \"state.users[args.a].level == 'gold'\"}",
    "{when: \"state.users[args.a].boss == 'u1'\", do: [{set: 'users[args.a].level', to: args.v}, "
    "{set: 'users[args.a].boss', to: args.b}]}",
    "{set: 'users[state.orders[args.o].owner].n', to: 4.0, when: "
    "\"state.users[state.orders[args.o].owner].level == 'gold'\"}",
    "{each: args.l, as: g, set: 'users[g.u].n', to: 3.0, when: \"g.u in state.users && "
    "'gold' == state.users[g.u].level\"}",
    "{each: args.l, as: g, set: 'users[args.a].cards[g.v].n', to: 3.0, when: \"g.v in "
    "state.users[args.a].cards && state.users[args.a].cards[g.v].kind == 'x'\"}",
    "{each: args.l, as: g, let: {c: 'state.users[args.a].cards[args.v]'}, set: "
    "'users[args.a].cards[g.v].n', to: 2.0, when: \"c.kind == 'x'\"}",
    "{set: 'users[args.a].cards[args.v].kind', to: \"'x'\"}",
    "{do: [{set: 'users[args.a].level', to: \"'gold'\"}, {set: 'users[args.a].note', to: args.b, "
    "when: \"state.users[args.a].level == 'gold'\"}]}",
    "{set: 'users[args.a].n', to: 2.0, when: \"state.users[args.a].note == ''\"}",
    "{set: 'users[args.a].level', to: args.v, when: \"state.users[args.a].level == 'basic'\"}",
    "{each: \"['u1', 'u2']\", as: u, set: 'users[u].note', to: args.v, when: \"u in state.users && "
    "state.users[u].level == 'gold'\"}",
    "{let: {ids: \"['u2', 'u4', 'u1'].filter(i, i != args.a)\"}, set: 'users[ids[0]].note', to: "
    "args.v}",
    "{each: \"['u4', 'u2']\", as: u, set: 'users[u].level', to: args.v, when: u in state.users}",
    "{remove: 'users[args.a].cards[args.v]', when: 'args.v in state.users[args.a].cards'}",
    "{set: 'users[state.orders[args.o].owner].level', to: args.v}",
    "{set: 'orders[args.o].owner', to: args.b}",
    "{remove: 'users[args.a]', when: size(state.users) > 2}",
    "{set: 'users[args.a]', to: \"{'id': args.a, 'level': args.v, 'boss': args.b, 'note': '', 'n': "
    "1.0, 'tags': []}\"}",
    "{set: \"orders[args.v]\", to: \"{'owner': args.a, 'status': 'new'}\"}",
    "{each: \"['u1', 'u2']\", as: u, set: 'users[u].n', to: 7.0, when: u in state.users}",
    "{fail: 'Error: no {args.a}', when: \"!(args.a in state.users)\"}",
    "{fail: 'Error: {state.users[args.a].level} may not', when: \"args.a in state.users && "
    "state.users[args.a].n > 6.0\"}",
};

static const char *const made_settle[] = {
    "{set: c.sum, to: double(size(state.users))}",
    "{set: \"users['u1'].note\", to: \"state.flags.hidden ? 'h' : 's'\", when: \"'u1' in "
    "state.users\"}",
    "{set: \"users['u1'].level\", to: \"'gold'\", when: \"'u1' in state.users && "
    "state.users['u1'].level == 'basic' && state.flags.hidden\"}",
    "{set: c.ticks, to: state.c.ticks + 1.0}",
    "{set: \"users['u2'].n\", to: state.c.ticks, when: \"'u2' in state.users\"}",
    "{set: \"users['u2'].n\", to: state.c.sum, when: \"'u2' in state.users\"}",
    "{set: c.sum, to: \"'u1' in state.users ? state.users['u1'].n : 0.0\"}",
    "{set: \"users['u1'].n\", to: \"state.flags.locked ? 1.0 : 2.0\", when: \"'u1' in "
    "state.users\"}",
    "{each: \"['u1', 'u2', 'u3']\", as: u, set: 'users[u].n', to: state.c.sum, when: u in "
    "state.users}",
    "{set: flags.hidden, to: '!state.flags.hidden', when: state.flags.locked}",
    "{when: state.flags.locked, do: [{set: c.sum, to: 5.0}, {set: flags.hidden, to: 'true'}]}",
};

// Of a call of `rest`.
static const char *const made_rules[] = {
    "that: \"ledger.users[args.a].level == args.v\"",
    "that: \"ledger.users[args.a].n > 1.0 || ledger.users[args.b].level == args.v\"",
    "that: \"ledger.users[args.b].level == args.v || ledger.users[args.a].note == ''\"",
    "that: \"ledger.users[args.a].tags.exists(t, t.id == args.v)\"",
    "that: \"size(ledger.users[args.a].tags) > 1\"",
    "that: \"ledger.users[args.a].tags[0].n == 1.0\"",
    "that: \"has(ledger.users[args.a].note) && ledger.users[args.a].note != 'x'\"",
    "that: \"args.v in ledger.users[args.a].cards\"",
    "that: \"ledger.users[args.a].cards[args.v].n > 4.0\"",
    "that: \"ledger.users[args.a].?cards[?args.v].?n.orValue(1.0) > 4.0\"",
    "that: \"ledger.users[args.a].cards.all(c, c != args.v)\"",
    "that: \"ledger.users[args.a].cards.exists(c, ledger.users[args.a].cards[c].n > 4.0)\"",
    "that: \"ledger.users[args.a].cards.exists_one(c, ledger.users[args.a].cards[c].n > 4.0)\"",
    "that: \"size(ledger.users[args.a].cards) == 1\"",
    "that: \"ledger.users[args.a].cards == ledger.users[args.b].cards\"",
    "that: \"ledger.users[args.a] == ledger.users[args.b]\"",
    "let: {u: 'ledger.users[args.a]', c: 'u.cards[args.v]'}, that: 'false'",
    "let: {u: 'ledger.users[args.a]'}, when: \"args.v in u.cards && u.cards[args.v].n > 2.0\", "
    "that: \"u.n == 1.0\"",
    "that: \"ledger.users[ledger.users[args.a].boss].level != 'basic'\"",
    "that: \"ledger.users.exists(u, ledger.users[u].level == args.v)\"",
    "that: \"ledger.users.all(u, u == args.a || ledger.users[u].note != 'boss')\"",
    "that: \"ledger.prof[args.a].other == ledger.prof[args.b].other\"",
    "that: \"ledger.prof[args.a].other.name == args.v\"",
    "that: \"ledger.prof[args.a].more['level'] == args.v\"",
    "that: \"ledger.prof[args.a].more.exists(k, ledger.prof[args.a].more[k] == args.v)\"",
    "that: \"ledger.prof.exists(k, ledger.prof[k].n == 9.0)\"",
    "that: \"ledger.found.exists(k, k == args.v)\"",
    "let: {x: 'ledger.prof[args.a].other.sum'}, that: \"ledger.users[args.b].n > 1.0\"",
};

#define RULES 6u
#define READS 5u
#define WRITES 4u

static void add_some(lg_buf *out, dice *d, const char *const *from, size_t of, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        lg_buf_addf(out, "%s%s", i ? ", " : "", from[dice_below(d, (uint32_t)of)]);
    }
}

static lg_str made_pack(lg_arena *arena, dice *d)
{
    lg_buf out;
    lg_buf_init(&out, 0);
    lg_buf_add_c(&out, made_head);
    if (dice_one_in(d, 2)) {
        lg_buf_add_c(&out, "settle: [");
        add_some(&out, d, made_settle, LG_COUNT(made_settle), 1 + dice_below(d, 3));
        lg_buf_add_c(&out, "]\n");
    }
    lg_buf_addf(&out, "tools:\n  rest:\n    kind: write\n%s    effects: []\n", made_parameters);
    for (uint32_t i = 0; i < READS; i++) {
        lg_buf_addf(&out, "  read%u:\n    kind: read\n%s", i, made_parameters);
        lg_buf_addf(&out, "    let: {shown: 'state.users[args.%s]'}\n",
                    dice_one_in(d, 2) ? "a" : "b");
        if (dice_one_in(d, 3)) {
            lg_buf_addf(&out, "    effects: [{fail: 'Error: no', when: %s}]\n",
                        DICE_PICK(d, made_fails));
        }
        lg_buf_addf(&out, "    gives: %s\n    stores: [", DICE_PICK(d, made_gives));
        add_some(&out, d, made_stores, LG_COUNT(made_stores), 1 + dice_below(d, 4));
        lg_buf_add_c(&out, "]\n");
    }
    for (uint32_t i = 0; i < WRITES; i++) {
        lg_buf_addf(&out, "  write%u:\n    kind: write\n%s    effects: [", i, made_parameters);
        add_some(&out, d, made_steps, LG_COUNT(made_steps), 1 + dice_below(d, 3));
        lg_buf_add_c(&out, "]\n");
    }
    lg_buf_add_c(&out, "stale: reread\nrules:\n");
    for (uint32_t i = 0; i < RULES; i++) {
        lg_buf_addf(&out, "  rule%u: {tools: [rest], say: x, %s}\n", i, DICE_PICK(d, made_rules));
    }
    lg_str text = lg_arena_str(arena, lg_buf_str(&out));
    lg_buf_done(&out);
    return text;
}

static const lg_json *made_args(lg_arena *arena, dice *d)
{
    static const char *const users[] = {"u1", "u2", "u3", "u4"};
    static const char *const values[] = {"gold", "basic", "hidden", "t1"};
    lg_str text = lg_arena_printf(
        arena,
        "{\"a\":\"%s\",\"b\":\"%s\",\"o\":\"o%u\",\"v\":\"%s\","
        "\"l\":[{\"u\":\"%s\",\"v\":\"%s\"},{\"u\":\"%s\",\"v\":\"%s\"}]}",
        DICE_PICK(d, users), DICE_PICK(d, users), 1 + dice_below(d, 2), DICE_PICK(d, values),
        DICE_PICK(d, users), DICE_PICK(d, values), DICE_PICK(d, users), DICE_PICK(d, values));
    return fixture_json(arena, text.ptr);
}

// Carries a call out and tells the ledger. Now and then the answer of a write gets lost.
static void one_made_call(domain *d, dice *luck, lg_str tool, const lg_json *args, uint32_t turn)
{
    lg_str text;
    const lg_tool *declared = lg_pack_tool(d->pack, tool);
    lg_ledger_call call = {.tool = tool, .args = args, .turn = turn};
    bool done = carry_out(d, tool, args, false, &text);
    bool lost = declared->kind == LG_TOOL_WRITE && dice_one_in(luck, 5);
    call.failed = !done || lost;
    call.result = lost ? LG_STR("Error: the connection timed out") : text;
    lg_observed observed;
    lg_error error = {0};
    CHECK_MSG(lg_ledger_observe(&d->ledger, &call, &observed, &error) == LG_OK, error.msg);
}

// A read that shows what was before a write, and answers after it; and one in between.
static void one_late_read(domain *d, dice *luck, uint32_t turn)
{
    lg_str text;
    lg_ledger_call call = {.id = LG_STR("late"),
                           .tool = lg_arena_printf(&d->call, "read%u", dice_below(luck, READS)),
                           .args = made_args(&d->call, luck),
                           .turn = turn};
    lg_error error = {0};
    CHECK(lg_ledger_begin(&d->ledger, &d->ledger.state, &d->ledger.arena, &call, &error) == LG_OK);
    call.failed = !carry_out(d, call.tool, call.args, false, &text);
    call.result = text;
    for (uint32_t i = 0; i < 2; i++) {
        lg_str tool = lg_arena_printf(&d->call, i ? "read%u" : "write%u",
                                      dice_below(luck, i ? READS : WRITES));
        one_made_call(d, luck, tool, made_args(&d->call, luck), turn);
    }
    const lg_open_call *open = lg_ledger_awaits(&d->ledger.state, call.id, call.tool, call.args);
    lg_observed observed;
    if (CHECK(open != NULL)) {
        CHECK(lg_ledger_answer(&d->ledger, open, &call, &observed, &error) == LG_OK);
    }
}

// Reads again what the ledger names until the record is fresh; no more often than it has parts.
static void check_refresh(domain *d, uint32_t index, uint32_t turn)
{
    const lg_ledger_entry *entry = lg_ledger_entry_at(&d->ledger.state, index);
    uint32_t tries = 0;
    for (const lg_ledger_source *s = entry->sources; s; s = s->older) {
        tries++;
    }
    for (uint32_t i = 0; i < tries && entry->stale; i++) {
        lg_ledger_read again = lg_ledger_read_again(entry, NULL);
        const lg_json *args = lg_json_copy(&d->call, again.args);
        lg_str text;
        if (!carry_out(d, again.tool, args, false, &text)) {
            return; // what stood there is there no more
        }
        observe(&d->ledger, again.tool, args, false, text, turn);
        entry = lg_ledger_entry_at(&d->ledger.state, index);
        const lg_ledger_source *s = entry->sources;
        while (s && s->observed != d->ledger.observed) {
            s = s->older;
        }
        if (!s || d->ledger.rejection.category != LG_CATEGORY_NONE) {
            return; // the read has not stored anything here any more
        }
    }
    bool left_out = false; // a part that its read has not stored any more keeps its mark
    for (const lg_ledger_source *s = entry->sources; s; s = s->older) {
        for (const lg_ledger_source *t = entry->sources; t && s->stale; t = t->older) {
            left_out = left_out || (t->observed > s->observed && t->read == s->read &&
                                    lg_json_equal(t->args, s->args));
        }
    }
    d->refreshed += !entry->stale;
    if (!CHECK_MSG(!entry->stale || left_out, "what was read again is stale for ever")) {
        printf("    seed %llu: %.*s %.*s\n%s", (unsigned long long)d->seed,
               LG_FMT(entry->declared->text), LG_FMT(entry->segments[1]), d->text);
    }
}

// --- Rules by seed --------------------------------------------------------------------------------

// What the rules of `rest` find: the cause of each, by its number.
typedef struct verdicts {
    lg_cause causes[RULES];
    bool found[RULES];
} verdicts;

static verdicts judge(domain *d, const lg_ledger_state *state, const lg_json *args)
{
    lg_gate_call call = {.tool = LG_STR("rest"), .args = args};
    lg_gate_options options = {.explain = LG_EXPLAIN_NOTHING};
    lg_decision decision;
    lg_error error;
    verdicts v = {0};
    CHECK(lg_gate_decide(d->pack, state, &call, &options, &d->call, &decision, &error) == LG_OK);
    for (size_t i = 0; i < decision.finding_count; i++) {
        const lg_finding *finding = &decision.findings[i];
        uint32_t number = (uint32_t)(finding->rule.ptr[finding->rule.len - 1] - '0');
        if (CHECK(number < RULES)) {
            v.causes[number] = finding->cause;
            v.found[number] = true;
        }
    }
    return v;
}

// The ledger's records with what they would be today; those that would not be there any more are left out. False
// if a result is not accepted, which says nothing.
static bool as_of_today(domain *d, lg_ledger_state *ret)
{
    lg_json *root = lg_arena_alloc(&d->call, sizeof(*root), 8);
    *root = *d->pack->ledger.root;
    *ret = (lg_ledger_state){.root = root};
    for (uint32_t i = 0; i < d->ledger.state.entries.count; i++) {
        const lg_ledger_entry *entry = lg_ledger_entry_at(&d->ledger.state, i);
        uint32_t count = entry->declared->segment_count;
        if (!read_again(d, entry, NULL)) {
            return false;
        }
        const lg_ledger_entry *now = lg_ledger_at(&d->again.state, entry->segments, count);
        if (now) {
            lg_ledger_entry fresh = {.declared = entry->declared,
                                     .segments = entry->segments,
                                     .value = lg_json_copy(&d->call, now->value)};
            CHECK(lg_tree_with(&d->call, root, entry->segments, count, *fresh.value, root) ==
                  LG_OK);
            CHECK(lg_ledger_state_add(&d->call, ret, &fresh));
        }
    }
    return true;
}

// `plain`: what they would find if nobody minded what is stale.
static void compare_verdicts(domain *d, const verdicts *then, const verdicts *plain,
                             const verdicts *today, const char *what)
{
    for (uint32_t i = 0; i < RULES; i++) {
        bool waits = then->found[i] &&
                     (then->causes[i] == LG_CAUSE_STALE || then->causes[i] == LG_CAUSE_PENDING);
        bool same = then->found[i] == today->found[i] && then->causes[i] == today->causes[i];
        d->judged++;
        d->waited += waits;
        d->idle += waits && plain->found[i] == today->found[i];
        if (!CHECK_MSG(waits || same, what)) {
            printf("    seed %llu: rule%u\n%s", (unsigned long long)d->seed, i, d->text);
        }
    }
}

// Judges a call of `rest` by `state`, and by what the tools would return today.
static void check_rules(domain *d, const lg_ledger_state *state, const lg_json *args,
                        const char *what)
{
    lg_ledger_state today;
    if (as_of_today(d, &today)) {
        lg_ledger_state unmarked = {.root = state->root};
        verdicts then = judge(d, state, args);
        verdicts plain = judge(d, &unmarked, args);
        verdicts now = judge(d, &today, args);
        compare_verdicts(d, &then, &plain, &now, what);
    }
}

// Beside one or two writes that happen while nobody has their answers.
static void check_rules_beside(domain *d, dice *luck, const lg_json *args)
{
    lg_ledger_state open = d->ledger.state;
    lg_ledger_state assumed;
    lg_error error;
    lg_budget steps = {.left = 100000000};
    const lg_json *root = d->world.root;
    for (uint32_t i = 1 + dice_below(luck, 2); i > 0; i--) {
        lg_ledger_call call = {.tool =
                                   lg_arena_printf(&d->call, "write%u", dice_below(luck, WRITES)),
                               .args = made_args(&d->call, luck),
                               .has_turn = true,
                               .turn = 1000};
        lg_str text;
        CHECK(lg_ledger_begin(&d->ledger, &open, &d->call, &call, &error) == LG_OK);
        (void)carry_out(d, call.tool, call.args, false, &text);
    }
    CHECK(lg_ledger_assume(&d->ledger, &open, true, 1000, &steps, &d->call, &assumed, &error) ==
          LG_OK);
    check_rules(d, &assumed, args, "a rule says something else after what was pending");
    d->world.root = root;
}

// --- Calls by seed --------------------------------------------------------------------------------

static void try_calls(domain *d, dice *luck)
{
    const lg_json *none = made_args(&d->call, luck);
    for (uint32_t i = 0; i < 4; i++) {
        one_made_call(d, luck, LG_STR("rest"), none, 0);
    }
    lg_ledger_reset(&d->ledger);
    for (uint32_t turn = 1; turn <= 30; turn++) {
        bool read = dice_below(luck, 5) < 3;
        lg_str tool = lg_arena_printf(&d->call, "%s%u", read ? "read" : "write",
                                      dice_below(luck, read ? READS : WRITES));
        if (dice_one_in(luck, 6)) {
            one_late_read(d, luck, turn);
        } else {
            one_made_call(d, luck, tool, made_args(&d->call, luck), turn);
        }
        for (uint32_t i = 0; i < d->ledger.state.entries.count; i++) {
            check_entry(d, lg_ledger_entry_at(&d->ledger.state, i));
        }
        const lg_json *args = made_args(&d->call, luck);
        check_rules(d, &d->ledger.state, args, "a rule says something else after reading again");
        check_rules_beside(d, luck, args);
        uint32_t count = d->ledger.state.entries.count;
        if (count && d->pack->restless_count == 0 && dice_one_in(luck, 4)) {
            check_refresh(d, dice_below(luck, count), turn);
        }
    }
}

static void load_state(domain *d, const lg_json *state)
{
    lg_errors errors;
    lg_errors_init(&errors, &d->call, 4);
    lg_world_file file = {.value = state, .name = "state"};
    if (!CHECK(lg_world_load(&d->world, &file, &errors) == LG_OK)) {
        printf("%s\n", errors.count ? errors.items[0].msg : "out of memory");
        exit(1);
    }
}

static void domain_open(domain *d)
{
    lg_world_init(&d->world, d->pack, NULL);
    lg_ledger_init(&d->ledger, d->pack, NULL);
    lg_ledger_init(&d->again, d->pack, NULL);
    lg_arena_init(&d->data, SIZE_MAX / 2);
    lg_arena_init(&d->call, 0);
}

static void domain_close(domain *d)
{
    lg_world_done(&d->world);
    lg_ledger_done(&d->ledger);
    lg_ledger_done(&d->again);
    lg_arena_done(&d->data);
    lg_arena_done(&d->call);
    lg_pack_free(d->pack);
}

static void report(const domain *d, const char *name)
{
    size_t equal = d->stale - d->changed;
    printf("%s: %zu records looked at again, %zu had changed, %zu were stale: %zu %% of these were "
           "equal\n",
           name, d->compared, d->changed, d->stale, d->stale ? 100 * equal / d->stale : 0);
    for (size_t i = 0; i < d->tally_count; i++) {
        const tally *t = &d->tallies[i];
        printf("    %5zu stale, %5zu of them equal: read by %.*s, first changed by %.*s\n",
               t->stale, t->stale - t->changed, LG_FMT(t->read), LG_FMT(t->write));
    }
    CHECK_MSG(d->changed > 0, "records have changed at all");
}

static void what_has_changed_is_stale_in_packs_by_seed(void)
{
    domain sum = {0};
    for (uint64_t seed = first_seed; seed < first_seed + PACKS && lg_test_failures < 3; seed++) {
        dice luck = dice_of(seed);
        domain d = {.seed = seed};
        lg_arena text;
        lg_arena_init(&text, 0);
        d.text = made_pack(&text, &luck).ptr;
        d.pack = fixture_pack(d.text);
        domain_open(&d);
        load_state(&d, fixture_json(&d.data, made_state));
        try_calls(&d, &luck);
        sum.compared += d.compared;
        sum.changed += d.changed;
        sum.stale += d.stale;
        sum.refreshed += d.refreshed;
        sum.judged += d.judged;
        sum.waited += d.waited;
        sum.idle += d.idle;
        domain_close(&d);
        lg_arena_done(&text);
    }
    report(&sum, "packs by seed");
    printf("packs by seed: %zu records were fresh after reading again\n", sum.refreshed);
    printf("packs by seed: rules judged %zu times, %zu had to wait or to read again: %zu %% of "
           "these would "
           "have found the same\n",
           sum.judged, sum.waited, 100 * sum.idle / sum.waited);
    CHECK(sum.waited > 0 && sum.judged > sum.waited);
}

// --- Domains --------------------------------------------------------------------------------------

static size_t read_lines(lg_arena *arena, const char *folder, const char *name,
                         const lg_json **items)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    lg_file file;
    lg_error error;
    if (lg_file_open(path, (size_t)1 << 30, &file, &error) != LG_OK) {
        printf("%s: %s\n", path, error.msg);
        exit(1);
    }
    lg_str text = lg_arena_str(arena, file.text);
    lg_file_close(&file);
    size_t count = 0;
    for (size_t from = 0; from < text.len && count < TASKS_MAX;) {
        size_t length = lg_str_find(lg_str_slice(text, from, text.len), LG_STR("\n"));
        bool whole = !lg_str_ends(lg_str_c(name), LG_STR("l")) || length == SIZE_MAX;
        size_t to = whole ? text.len : from + length;
        if (lg_json_parse_in(arena, text, from, to, NULL, &items[count++], &error) != LG_OK) {
            printf("%s: %s\n", path, error.msg);
            exit(1);
        }
        from = to + 1;
    }
    return count;
}

static void try_domain(const char *data, const char *name, const char *states_name)
{
    static const lg_json *states[TASKS_MAX];
    domain d = {.random = 7};
    char path[4096];
    lg_error error;
    size_t count = 0;
    snprintf(path, sizeof(path), LG_SOURCE_DIR "/packs/%s", name);
    if (lg_pack_load(path, NULL, &d.pack, &error, 1, &count) != LG_OK) {
        printf("%s: %s\n", path, error.msg);
        exit(1);
    }
    domain_open(&d);
    snprintf(path, sizeof(path), "%s/data/tau2/%s", data, name);
    size_t state_count = read_lines(&d.data, path, states_name, states);
    d.task_count = read_lines(&d.data, path, "gold_traces.jsonl", d.tasks);
    for (size_t i = 0; i < d.task_count; i++) {
        load_state(&d, states[i < state_count ? i : state_count - 1]);
        one_task(&d, d.tasks[i]);
        lg_ledger_reset(&d.ledger);
        lg_arena_reset(&d.call);
    }
    report(&d, name);
    domain_close(&d);
}

static void what_has_changed_is_stale(void)
{
    const char *data = lg_test_data_dir();
    if (!data) {
        printf("skipped: freshness of real domains (no shared data)\n");
        return;
    }
    try_domain(data, "retail", "db.json");
    try_domain(data, "airline", "db.json");
    try_domain(data, "telecom", "initial_states.jsonl");
}

int main(int argc, char **argv)
{
    first_seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    RUN(what_has_changed_is_stale_in_packs_by_seed);
    RUN(what_has_changed_is_stale);
    return lg_test_done();
}
