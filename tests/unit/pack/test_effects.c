// test_effects.c: state, steps, procedures, definitions and conditions: what loads, and what an
// author can get wrong in them.
#include "base/buf.h"
#include "lg_test.h"
#include "pack/pack.h"

// A sound pack of sections; each case replaces the one that it names.
typedef struct section {
    const char *name;
    const char *text; // one line each, so that lines can be counted
} section;

static const section sound[] = {
    {"pack", "pack: p\n"},
    {"version", "version: '1'\n"},
    {"types",
     "types: {Order: {type: object, properties: {id: {type: string}, status: {type: string},"
     " items: {type: array, items: {type: string}}, total: {type: number}}}}\n"},
    {"ledger", "ledger: {orders.*: Order}\n"},
    {"state", "state: {orders.*: Order, lines.*: {is: Order, key: id, at: db.lines}}\n"},
    {"define", "define: {label(o): \"o.id + ':' + o.status\"}\n"},
    {"procedures", "procedures: {tidy: [{run: sweep}], sweep: [{remove: \"orders['x']\"}]}\n"},
    {"settle", "settle: [{run: tidy}]\n"},
    {"invariants", "invariants: [{id: named, that: \"state.orders.all(k, k != '')\"}]\n"},
    {"tool", "tools: {close: {kind: write, parameters: {type: object, properties: {id: {type: "
             "string}}}, let: {o: 'state.orders[args.id]'},\n"},
    {"effects", "  effects: [{set: 'orders[args.id].status', to: \"'closed'\"}],\n"},
    {"answer", "  answer: 'closed {label(o)}'}}\n"},
};
enum { EFFECTS_LINE = 11 };

typedef struct load_case {
    const char *section;
    const char *text;
    const char *error; // part of an error, NULL: it loads
} load_case;

static const load_case cases[] = {
    {"version", "version: '1'\n", NULL},
    {"state", "state: [orders]\n", "`state` must be a map from paths to types"},
    {"state", "state: {orders.*: Oder}\n", "no type is called `Oder`"},
    {"state", "state: {orders.*.items: Order}\n", "has its `*` at the end"},
    {"state", "state: {orders.*: Order, lines: {is: Order, key: id}}\n", "only a collection"},
    {"state", "state: {orders.*: Order, lines.*: {is: Order, by: id}}\n",
     "unknown key `by` in a place of the state"},
    {"state", "state: {orders.*: {is: Order, at: [db]}}\n", "`at` is where a state file has it"},
    {"define", "define: {label: '1'}\n", "a definition is called like status_bar(device)"},
    {"define", "define: {label(o: '1'}\n", "a definition is called like status_bar(device)"},
    {"define", "define: {sum(o): 'o'}\n", "`sum` cannot be defined"},
    {"define", "define: {label(o): 'o +'}\n", "wanted an expression"},
    {"define", "define: {label(o): label(o)}\n", "unknown function `label`"},
    {"define", "define: {'label(o, p)': o.id}\n", "`label` wants 2 arguments, not 1"},
    {"define", "define: {label(o): o.idd}\n", "idd"},
    {"procedures", "procedures: {tidy: [{run: sweep}], sweep: [{run: tidy}]}\n",
     "procedure `tidy` runs itself"},
    {"procedures", "procedures: {tidy: [{set: \"orders['x'].id\", to: args.id}]}\n",
     "they have no arguments"},
    {"procedures", "procedures: [tidy]\n", "`procedures` is a map"},
    {"settle", "settle: [{run: tidi}]\n", "no procedure is called `tidi`"},
    {"settle", "settle: {run: tidy}\n", "steps are a list"},
    {"invariants", "invariants: [{id: a, that: 'true'}]\n", "must speak of `ledger` or of `state`"},
    {"invariants", "invariants: [{id: a, that: 'size(state.orders) == size(ledger.orders)'}]\n",
     "and not of both"},
    {"invariants", "invariants: [{id: a, that: size(state.orders)}]\n", "`that` must give a bool"},
    {"invariants",
     "invariants: [{id: a, that: size(state.orders) > 0}, {id: a, that: size(ledger.orders) > "
     "0}]\n",
     "`a` is there already"},
    {"invariants", "invariants: [{id: a, that: size(ledger.history) < 3}]\n",
     "invariant `a` speaks of `ledger.history`, which only grows"},
    {"invariants", "invariants: [{id: a, that: size(ledger.orders) < 3, category: semantic}]\n",
     NULL},
    {"invariants", "invariants: [{id: a, that: size(ledger.orders) < 3, category: entity}]\n",
     "`category` is one of format, empty, semantic and update"},
    {"effects", "  effects: [{set: 'orders[args.id].status', to: 5}],\n",
     "would be given int, but the state holds string there"},
    {"effects", "  effects: [{set: 'orders[args.id].total', to: 5}],\n", NULL},
    {"effects", "  effects: [{set: 'orders[args.id].state', to: 5}],\n",
     "`orders[args.id].state` names no field of `orders.*`"},
    {"effects", "  effects: [{set: 'oders[args.id].state', to: 5}],\n",
     "matches no path that `state` declares"},
    {"effects", "  effects: [{set: 'orders[1].status', to: o.id}],\n", "must be a string"},
    {"effects", "  effects: [{set: 'orders[args.id].items[0]', to: o.id}],\n", NULL},
    {"effects", "  effects: [{set: 'orders[args.id].items[o.id]', to: o.id}],\n", "names no field"},
    {"effects", "  effects: [{set: 'orders[args.id].status'}],\n", "this step needs `to`"},
    {"effects", "  effects: [{append: 'orders[args.id].items', value: o.id}],\n", NULL},
    {"effects", "  effects: [{append: 'orders[args.id].items', value: o.total}],\n",
     "would be given double, but the state holds string there"},
    {"effects", "  effects: [{append: 'orders[args.id].status', value: o.id}],\n", "is no list"},
    {"effects", "  effects: [{remove: 'orders[args.id]'}],\n", NULL},
    {"effects", "  effects: [{remove: orders}],\n",
     "`orders` is not a whole path of `state`, such as `orders.*`"},
    {"effects", "  effects: [{fail: 'no {args.id}', when: args.id == ''}],\n", NULL},
    {"effects", "  effects: [{fail: 'no', undo: false}],\n", NULL},
    {"effects", "  effects: [{fail: 'no', undo: no}],\n", "`undo` is true"},
    {"effects", "  effects: [{remove: 'orders[args.id]', undo: false}],\n",
     "`undo` belongs to `fail`"},
    {"settle", "settle: [{fail: a, undo: false}]\n", "stands in the effects of a write"},
    {"effects", "  effects: [{fail: 'no {args.idd}'}],\n", "did you mean `id`?"},
    {"effects", "  effects: [{fail: 'no', when: args.id}],\n", "`when` must give a bool"},
    {"effects", "  effects: [{each: o.items, do: [{fail: '{item}'}]}],\n", NULL},
    {"effects", "  effects: [{each: o.items, as: o, fail: a}],\n", "`o` cannot be bound"},
    {"effects", "  effects: [{each: o.items, do: [{each: o.items, fail: a}]}],\n",
     "give the item a name with `as`"},
    {"effects", "  effects: [{each: o.status, fail: a}],\n", "`each` must give a list"},
    {"effects", "  effects: [{as: x, fail: a}],\n", "`as` names the item of an `each`"},
    {"effects", "  effects: [{let: {x: o.id}, fail: '{x}'}, {fail: '{x}'}],\n", "x"},
    {"effects", "  effects: [{set: 'orders[args.id].id', to: o.id, fail: a}],\n",
     "this one does more"},
    {"effects", "  effects: [{when: 'true'}],\n", "this one does none"},
    {"effects", "  effects: [{do: [{do: [{sett: a}]}]}],\n", "did you mean `set`?"},
    {"effects", "  effects: {set: a},\n", "steps are a list"},
    {"effects", "  effects: [], requestor: customer,\n", "`requestor` is assistant or user"},
    {"effects", "  effects: [], ensures: [{id: a, that: args.id == result.id}],\n", NULL},
    {"effects", "  effects: [], ensures: [{id: a, that: args.id == '', category: empty}],\n", NULL},
    {"effects", "  effects: [], ensures: [{id: a, that: 'true', category: state}],\n",
     "`category` is one of format, empty, semantic and update"},
    {"effects", "  effects: [], changes: [],\n", "unknown key `changes` in a tool"},
    {"effects", "  effects: [], ensures: [{id: a}],\n", "a condition needs `that`"},
    {"effects", "  effects: [], ensures: [{that: 'true'}],\n", "`id` is missing"},
    {"effects",
     "  effects: [], ensures: [{id: a, that: args.id == ''}, {id: a, that: args.id == 'a'}],\n",
     "`a` is there already"},
    {"effects", "  effects: [], ensures: [{id: a, that: state.orders.size() == 1}],\n", "state"},
    {"tool",
     "tools: {close: {kind: read, parameters: {type: object, properties: {id: {type: "
     "string}}}, let: {o: 'state.orders[args.id]'},\n",
     "only a tool of kind write changes the state"},
    {"answer", "  gives: o, answer: a}}\n", "not both"},
    {"answer", "  answer: [no]}}\n", "`answer` is a text"},
    {"answer", "  gives: o.total, returns: Order}}\n",
     "this gives double, but the tool returns Order"},
};

static lg_str build(lg_buf *text, const load_case *c)
{
    lg_buf_clear(text);
    for (size_t i = 0; i < LG_COUNT(sound); i++) {
        bool replaced = strcmp(sound[i].name, c->section) == 0;
        lg_buf_add_c(text, replaced ? c->text : sound[i].text);
    }
    return lg_buf_str(text);
}

static void check_case(const load_case *c, lg_buf *text)
{
    lg_pack *pack = NULL;
    lg_error errors[8];
    size_t count = 0;
    lg_status status =
        lg_pack_load_text(build(text, c), "p.yaml", NULL, &pack, errors, LG_COUNT(errors), &count);
    bool said = false;
    for (size_t e = 0; c->error && e < count && e < LG_COUNT(errors); e++) {
        bool in_effects = strcmp(c->section, "effects") == 0;
        said = said ||
               (strstr(errors[e].msg, c->error) && (!in_effects || errors[e].line == EFFECTS_LINE));
    }
    bool right = c->error ? status != LG_OK && said : status == LG_OK;
    if (!CHECK_MSG(right, c->error ? c->error : c->text) && count > 0) {
        printf("    got: %u:%u: %s\n", errors[0].line, errors[0].column, errors[0].msg);
    }
    lg_pack_free(pack);
}

static void authors_mistakes(void)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        check_case(&cases[i], &text);
    }
    lg_buf_done(&text);
}

static void places_say_where_a_file_has_them(void)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_pack *pack = NULL;
    lg_error errors[1];
    CHECK(lg_pack_load_text(build(&text, &cases[0]), "p.yaml", NULL, &pack, errors, 1, NULL) ==
          LG_OK);
    if (CHECK(pack && pack->state.count == 2)) {
        const lg_place *orders = &pack->state.items[0];
        const lg_place *lines = &pack->state.items[1];
        CHECK(orders->at_count == 1 && lg_str_eq(orders->at[0], LG_STR("orders")));
        CHECK(orders->record_key.len == 0 && orders->shape);
        CHECK(lines->at_count == 2 && lg_str_eq(lines->at[1], LG_STR("lines")));
        CHECK(lg_str_eq(lines->record_key, LG_STR("id")));
    }
    lg_pack_free(pack);
    lg_buf_done(&text);
}

static void steps_nested_too_deep_are_refused(void)
{
    lg_buf effects;
    lg_buf_init(&effects, 0);
    lg_buf_add_c(&effects, "  effects: ");
    for (int i = 0; i < 40; i++) {
        lg_buf_add_c(&effects, "[{do: ");
    }
    lg_buf_add_c(&effects, "[]");
    for (int i = 0; i < 40; i++) {
        lg_buf_add_c(&effects, "}]");
    }
    lg_buf_add_c(&effects, ",\n");
    lg_buf_add_byte(&effects, '\0');
    load_case deep = {"effects", lg_buf_str(&effects).ptr, "more than 16 levels deep"};
    lg_buf text;
    lg_buf_init(&text, 0);
    check_case(&deep, &text);
    lg_buf_done(&text);
    lg_buf_done(&effects);
}

// Whatever the ceiling, what a pack says of its tools is read as a whole or not at all.
static void nothing_is_lost_for_want_of_memory(void)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    build(&text, &cases[0]);
    size_t loaded = 0;
    size_t refused = 0;
    for (size_t limit = 1024; limit < (size_t)256 << 10; limit += limit < 65536 ? 101 : 4001) {
        lg_pack *pack = NULL;
        lg_error error = {0};
        size_t count = 0;
        lg_limits limits = {.document_bytes = limit};
        if (lg_pack_load_text(lg_buf_str(&text), "p", &limits, &pack, &error, 1, &count) != LG_OK) {
            refused++;
            CHECK(!pack && count > 0 && error.msg[0]);
            continue;
        }
        loaded++;
        CHECK(pack->state.count == 2 && pack->procedure_count == 2 && pack->settle_count == 1);
        CHECK(pack->state_invariant_count == 1 && pack->tools[0].step_count == 1);
        CHECK(pack->tools[0].let_count == 1 && pack->tools[0].answer.count == 1);
        CHECK(pack->settle[0].run == &pack->procedures[0] && pack->procedures[0].step_count == 1);
        lg_pack_free(pack);
    }
    CHECK(loaded > 0 && refused > 0);
    lg_buf_done(&text);
}

int main(void)
{
    RUN(authors_mistakes);
    RUN(places_say_where_a_file_has_them);
    RUN(steps_nested_too_deep_are_refused);
    RUN(nothing_is_lost_for_want_of_memory);
    return lg_test_done();
}
