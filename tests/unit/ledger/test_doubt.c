// test_doubt.c: what is stale after calls that failed, or of which nobody knows what came of them; and how
// reading again clears it.
#include "ledger/ledger.h"
#include "lg_test.h"
#include "pack_fixture.h"

#define PARAMETERS                                                                                 \
    "    parameters: {type: object, properties: {id: {type: string}, to: {type: string}}}\n"

static const char yaml[] =
    "pack: desk\n"
    "version: '1'\n"
    "types:\n"
    "  Prof:\n"
    "    type: object\n"
    "    properties: {id: {type: string}, level: {type: string}, note: {type: string}}\n"
    "ledger:\n"
    "  prof.*: Prof\n"
    "  users.*: Prof\n"
    "  me: {}\n"
    "state:\n"
    "  users.*: Prof\n"
    "  flags: {type: object, properties: {locked: {type: boolean}}}\n"
    "tools:\n"
    "  get_user:\n    kind: read\n" PARAMETERS
    "    returns: Prof\n    gives: 'state.users[args.id]'\n"
    "    stores:\n"
    "      - {at: 'users[args.id]'}\n"
    "      - {at: 'users[args.id].note', value: \"'vip'\", when: \"result.level == 'gold'\"}\n"
    "  get_id:\n    kind: read\n" PARAMETERS
    "    gives: 'state.users[args.id]'\n    stores: [{at: 'prof[args.id].id', value: result.id}]\n"
    "  get_level:\n    kind: read\n" PARAMETERS "    gives: 'state.users[args.id]'\n"
    "    stores: [{at: 'prof[args.id].level', value: result.level}]\n"
    "  get_prof:\n    kind: read\n" PARAMETERS "    gives: 'state.users[args.id]'\n"
    "    stores:\n"
    "      - {at: 'prof[args.id].level', value: result.level}\n"
    "      - {at: 'prof[args.id].id', value: result.id, when: \"result.level == 'gold'\"}\n"
    "      - {at: 'prof[args.id].note', value: \"'!'\", when: \"result.level == 'vip'\"}\n"
    "  find:\n    kind: read\n" PARAMETERS "    stores: [{at: 'users[result.id]'}, {at: me}]\n"
    "  look:\n    kind: read\n" PARAMETERS
    "    effects: [{fail: 'Error: locked', when: state.flags.locked}]\n"
    "    gives: 'state.users[args.id].id'\n    stores: [{at: me}]\n"
    "  set_level:\n    kind: write\n" PARAMETERS "    effects:\n"
    "      - {fail: 'Error: user {args.id} not found', when: '!(args.id in state.users)'}\n"
    "      - {fail: 'Error: {state.users[args.id].note}', when: args.to == 'x'}\n"
    "      - {fail: 'Error: the level {state.users[args.id].level} is fixed', when: args.to == "
    "'y'}\n"
    "      - {run: check}\n"
    "      - {set: 'users[args.id].level', to: args.to}\n"
    "      - {fail: 'Error: set and failed', when: args.to == 'z', undo: false}\n"
    "  set_note:\n    kind: write\n" PARAMETERS
    "    effects: [{set: 'users[args.id].note', to: args.to}]\n"
    "  set_noted:\n    kind: write\n" PARAMETERS
    "    effects: [{set: 'users[state.users[args.id].note].level', to: args.to}]\n"
    "  lock:\n    kind: write\n" PARAMETERS "    effects: [{set: flags.locked, to: 'true'}]\n"
    "  shake:\n    kind: write\n" PARAMETERS
    "    errors: ['Error: nothing to shake', 'Error: {args.id} does not shake']\n"
    "  ring:\n    kind: write\n    requestor: user\n" PARAMETERS "    effects: []\n"
    "procedures: {check: [{do: [{fail: 'Error: not now', when: state.flags.locked}]}]}\n";

typedef struct desk {
    lg_pack *pack;
    lg_ledger ledger;
    lg_arena arena;
    uint32_t turn;
    lg_error error;
} desk;

static void desk_open(desk *d)
{
    *d = (desk){.turn = 1};
    lg_arena_init(&d->arena, 0);
    d->pack = fixture_pack(yaml);
    lg_ledger_init(&d->ledger, d->pack, NULL);
}

static void desk_close(desk *d)
{
    lg_ledger_done(&d->ledger);
    lg_pack_free(d->pack);
    lg_arena_done(&d->arena);
}

static lg_ledger_call call_of(desk *d, const char *tool, const char *args, const char *result)
{
    return (lg_ledger_call){.tool = lg_str_c(tool),
                            .args = fixture_json(&d->arena, args),
                            .result = lg_str_c(result),
                            .turn = d->turn++};
}

static lg_observed desk_call(desk *d, const char *tool, const char *args, const char *result,
                             bool failed)
{
    lg_ledger_call call = call_of(d, tool, args, result);
    call.failed = failed;
    lg_observed observed = LG_OBSERVED_NOTHING;
    CHECK_MSG(lg_ledger_observe(&d->ledger, &call, &observed, &d->error) == LG_OK, tool);
    return observed;
}

static const lg_ledger_entry *record(const desk *d, const char *first, const char *second)
{
    lg_str path[] = {lg_str_c(first), lg_str_c(second ? second : "")};
    const lg_ledger_entry *entry = lg_ledger_find(&d->ledger.state, path, second ? 2 : 1);
    if (!CHECK_MSG(entry != NULL, first)) {
        exit(1);
    }
    return entry;
}

static bool is_stale(const desk *d, const char *first, const char *second, const char *field)
{
    lg_str step = lg_str_c(field ? field : "");
    return lg_ledger_is_stale(record(d, first, second), &step, field ? 1 : 0, NULL, NULL);
}

#define ADA "{\"id\":\"ada\"}"
#define BOB "{\"id\":\"bob\"}"

static void read_two(desk *d)
{
    desk_call(d, "get_user", ADA, "{\"id\":\"ada\",\"level\":\"gold\"}", false);
    desk_call(d, "get_user", BOB, "{\"id\":\"bob\",\"level\":\"basic\"}", false);
}

// --- Writes that failed ---------------------------------------------------------------------------

typedef struct error_case {
    const char *tool, *args, *text;
    bool declared; // nothing has changed
} error_case;

static const error_case errors[] = {
    {"set_level", ADA, "Error: user ada not found", true},
    {"set_level", ADA, "  Error: user ada not found\n", true},
    {"set_level", BOB, "Error: user ada not found", false},
    {"set_level", ADA, "Error: user ada not found, or timed out", false},
    {"set_level", ADA, "Error: timed out", false}, // a text of nothing but the unknown says nothing
    {"set_level", ADA, "Error: the level gold is fixed", true},
    {"set_level", ADA, "Error: the level gold may be fixed later", false},
    {"set_level", ADA, "Error: not now", true}, // in a procedure
    {"set_level", ADA, "Error: set and failed", false},
    {"set_level", ADA, "", false},
    {"shake", ADA, "Error: nothing to shake", true},
    {"shake", ADA, "Error: ada does not shake", true},
    {"shake", ADA, "Error: bob does not shake", false},
    {"shake", ADA, "Error: timed out", false},
    {"nobody", ADA, "Error: Tool 'nobody' not found.", true},
    {"nobody", ADA, "Error: Tool 'somebody' not found.", false},
    {"nobody", ADA, "Error: timed out", false},
};

static void a_write_that_failed_may_have_happened(void)
{
    for (size_t i = 0; i < LG_COUNT(errors); i++) {
        const error_case *c = &errors[i];
        desk d;
        desk_open(&d);
        read_two(&d);
        lg_observed failed = lg_str_eq(lg_str_c(c->tool), LG_STR("nobody")) ? LG_OBSERVED_STALE
                                                                            : LG_OBSERVED_UNKNOWN;
        lg_observed want = c->declared ? LG_OBSERVED_NOTHING : failed;
        CHECK_MSG(desk_call(&d, c->tool, c->args, c->text, true) == want, c->text);
        bool of_bob = lg_str_eq(lg_str_c(c->args), LG_STR(BOB));
        CHECK_MSG(is_stale(&d, "users", of_bob ? "bob" : "ada", NULL) == !c->declared, c->text);
        CHECK(lg_json_len(lg_json_get(d.ledger.state.root, LG_STR("users"))) == 2);
        desk_close(&d);
    }
}

static void what_has_not_answered_may_have_happened(void)
{
    desk d;
    desk_open(&d);
    read_two(&d);
    lg_ledger_call call = call_of(&d, "set_level", "{\"id\":\"ada\",\"to\":\"basic\"}", "");
    lg_budget steps = {.left = 100000};
    lg_ledger_state before = d.ledger.state;
    CHECK(lg_ledger_begin(&d.ledger, &d.ledger.state, &d.arena, &call, &d.error) == LG_OK);
    CHECK(!is_stale(&d, "users", "ada", NULL)); // to the ledger itself nothing has happened
    CHECK(lg_ledger_assume(&d.ledger, &d.ledger.state, false, 0, &steps, &d.arena, &d.ledger.state,
                           &d.error) == LG_OK);
    CHECK(is_stale(&d, "users", "ada", "level") && !is_stale(&d, "users", "bob", NULL));
    CHECK(d.ledger.state.pending == 1 && record(&d, "users", "ada")->pending);
    CHECK(before.pending == 0);
    call = call_of(&d, "nobody", "{}", "");
    CHECK(lg_ledger_begin(&d.ledger, &d.ledger.state, &d.arena, &call, &d.error) == LG_OK);
    CHECK(lg_ledger_assume(&d.ledger, &d.ledger.state, false, 0, &steps, &d.arena, &d.ledger.state,
                           &d.error) == LG_OK);
    CHECK(d.ledger.state.pending == 2);
    desk_close(&d);
}

// A read that answers late may show what was before a write. What others have read since shows what is.
static void a_late_read_makes_nothing_stale_but_itself(void)
{
    desk d;
    desk_open(&d);
    lg_ledger_call late = call_of(&d, "get_user", BOB, "");
    late.id = LG_STR("late");
    CHECK(lg_ledger_begin(&d.ledger, &d.ledger.state, &d.arena, &late, &d.error) == LG_OK);
    desk_call(&d, "shake", "{}", "", false);
    desk_call(&d, "get_user", ADA, "{\"id\":\"ada\"}", false);
    CHECK(!is_stale(&d, "users", "ada", NULL));
    const lg_open_call *open =
        lg_ledger_awaits(&d.ledger.state, late.id, LG_STR("get_user"), late.args);
    late.result = LG_STR("{\"id\":\"bob\"}");
    lg_observed observed;
    if (CHECK(open != NULL)) {
        CHECK(lg_ledger_answer(&d.ledger, open, &late, &observed, &d.error) == LG_OK);
    }
    CHECK(is_stale(&d, "users", "bob", NULL));
    CHECK(!is_stale(&d, "users", "ada", NULL));
    desk_close(&d);
}

// A call may come with its answer while another has none. What that may change is no key.
static void a_key_is_not_known_while_another_write_is_open(void)
{
    for (uint32_t open = 0; open < 2; open++) {
        desk d;
        desk_open(&d);
        desk_call(&d, "get_user", ADA, "{\"id\":\"ada\",\"note\":\"bob\"}", false);
        desk_call(&d, "get_user", BOB, "{\"id\":\"bob\"}", false);
        desk_call(&d, "get_user", "{\"id\":\"eve\"}", "{\"id\":\"eve\"}", false);
        lg_ledger_call call = call_of(&d, "set_note", "{\"id\":\"ada\",\"to\":\"eve\"}", "");
        CHECK(!open ||
              lg_ledger_begin(&d.ledger, &d.ledger.state, &d.arena, &call, &d.error) == LG_OK);
        desk_call(&d, "set_noted", ADA, "", false);
        CHECK(is_stale(&d, "users", "bob", "level"));
        CHECK(is_stale(&d, "users", "eve", "level") == open);
        desk_close(&d);
    }
}

// --- Reads that failed ----------------------------------------------------------------------------

static void a_read_that_failed_leaves_its_record_doubtful(void)
{
    desk d;
    desk_open(&d);
    read_two(&d);
    desk_call(&d, "get_id", ADA, "{\"id\":\"ada\"}", false);
    CHECK(desk_call(&d, "get_user", ADA, "Error: timed out", true) == LG_OBSERVED_STALE);
    CHECK(is_stale(&d, "users", "ada", NULL) && !is_stale(&d, "users", "bob", NULL));
    CHECK(!is_stale(&d, "prof", "ada", NULL));
    CHECK(record(&d, "users", "ada")->doubted);
    CHECK_STR(record(&d, "users", "ada")->stale_tool, "get_user");
    lg_str block = {0};
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_ledger_render(&d.ledger, &d.ledger.state, &(lg_render_options){0}, &text);
    block = lg_arena_str(&d.arena, lg_buf_str(&text));
    lg_buf_done(&text);
    CHECK(lg_str_find(block, LG_STR("stale: get_user at turn 4 failed to read it")) != SIZE_MAX);
    desk_call(&d, "get_user", ADA, "{\"id\":\"ada\",\"level\":\"gold\"}", false);
    CHECK(!is_stale(&d, "users", "ada", NULL));
    desk_close(&d);
}

static void a_read_that_was_rejected_does_too(void)
{
    desk d;
    desk_open(&d);
    read_two(&d);
    CHECK(desk_call(&d, "get_user", BOB, "{\"id\":7}", false) == LG_OBSERVED_UNREADABLE);
    CHECK(d.ledger.rejection.category == LG_CATEGORY_FORMAT);
    CHECK(is_stale(&d, "users", "bob", NULL) && !is_stale(&d, "users", "ada", NULL));
    desk_close(&d);
}

static void where_the_key_is_in_the_result_the_same_read_counts(void)
{
    desk d;
    desk_open(&d);
    desk_call(&d, "find", "{\"to\":\"a\"}", "{\"id\":\"ada\"}", false);
    desk_call(&d, "find", "{\"to\":\"b\"}", "{\"id\":\"bob\"}", false);
    CHECK(desk_call(&d, "find", "{\"to\":\"a\"}", "Error: timed out", true) == LG_OBSERVED_STALE);
    CHECK(is_stale(&d, "users", "ada", NULL) && !is_stale(&d, "users", "bob", NULL));
    CHECK(is_stale(&d, "me", NULL, NULL)); // whatever stands there
    desk_close(&d);
}

static void whether_a_read_succeeds_is_part_of_what_it_shows(void)
{
    desk d;
    desk_open(&d);
    desk_call(&d, "look", ADA, "\"ada\"", false);
    CHECK(!is_stale(&d, "me", NULL, NULL));
    desk_call(&d, "lock", "{}", "", false);
    CHECK(is_stale(&d, "me", NULL, NULL));
    desk_close(&d);
}

// --- Parts ----------------------------------------------------------------------------------------

static void what_a_condition_decides_is_stale_with_it(void)
{
    desk d;
    desk_open(&d);
    read_two(&d);
    desk_call(&d, "set_level", "{\"id\":\"ada\",\"to\":\"basic\"}", "", false);
    CHECK(is_stale(&d, "users", "ada", "level") && is_stale(&d, "users", "ada", "note"));
    CHECK(!is_stale(&d, "users", "ada", "id"));
    desk_call(&d, "set_level", "{\"id\":\"bob\",\"to\":\"gold\"}", "", false);
    CHECK(is_stale(&d, "users", "bob", "note")); // it was left out, and would be there now
    desk_close(&d);
}

static void a_record_read_field_by_field_is_fresh_again(void)
{
    desk d;
    desk_open(&d);
    for (uint32_t i = 0; i < 20; i++) { // however often
        desk_call(&d, "get_id", ADA, "{\"id\":\"ada\"}", false);
        desk_call(&d, "get_level", ADA, "{\"level\":\"gold\"}", false);
    }
    desk_call(&d, "lock", "{}", "", false);
    CHECK(!is_stale(&d, "prof", "ada", NULL));
    desk_call(&d, "shake", "{}", "", false);
    CHECK(is_stale(&d, "prof", "ada", "id") && is_stale(&d, "prof", "ada", "level"));
    CHECK_STR(lg_ledger_read_again(record(&d, "prof", "ada"), NULL).tool, "get_level");
    desk_call(&d, "get_level", ADA, "{\"level\":\"gold\"}", false);
    CHECK(is_stale(&d, "prof", "ada", "id") && !is_stale(&d, "prof", "ada", "level"));
    CHECK_STR(lg_ledger_read_again(record(&d, "prof", "ada"), NULL).tool, "get_id");
    desk_call(&d, "get_id", ADA, "{\"id\":\"ada\"}", false);
    CHECK(!is_stale(&d, "prof", "ada", NULL));
    desk_call(&d, "set_level", "{\"id\":\"ada\",\"to\":\"basic\"}", "", false);
    CHECK(is_stale(&d, "prof", "ada", "level") && !is_stale(&d, "prof", "ada", "id"));
    desk_close(&d);
}

static void what_a_read_leaves_out_again_is_not_in_doubt(void)
{
    desk d;
    desk_open(&d);
    desk_call(&d, "get_prof", ADA, "{\"id\":\"ada\",\"level\":\"gold\"}", false);
    desk_call(&d, "set_level", "{\"id\":\"ada\",\"to\":\"basic\"}", "", false);
    CHECK(is_stale(&d, "prof", "ada", "id") && is_stale(&d, "prof", "ada", "note"));
    desk_call(&d, "get_prof", ADA, "{\"id\":\"ada\",\"level\":\"basic\"}", false);
    CHECK(!is_stale(&d, "prof", "ada", "level") && !is_stale(&d, "prof", "ada", "note"));
    CHECK(is_stale(&d, "prof", "ada", "id")); // it stands there since the first read
    desk_close(&d);
}

// What is known to have happened need not be looked through again; what is not is found all the same.
static void writes_that_are_certain_are_counted(void)
{
    desk d;
    desk_open(&d);
    for (int i = 0; i < 40; i++) {
        desk_call(&d, "set_level", "{\"id\":\"ada\",\"to\":\"basic\"}", "", false);
        lg_ledger_tidy(&d.ledger, NULL, 0);
        CHECK(d.ledger.state.certain == (uint32_t)i + 1);
    }
    CHECK(lg_ledger_certain(&d.arena, &d.ledger.state) == d.ledger.state.root);
    lg_ledger_state before = d.ledger.state;
    desk_call(&d, "set_level", "{\"id\":\"ada\",\"to\":\"gold\"}", "Error: timed out", true);
    desk_call(&d, "set_level", "{\"id\":\"ada\",\"to\":\"basic\"}", "", false);
    CHECK(d.ledger.state.certain == 40); // the one behind the doubtful one is looked at
    lg_ledger_state unknown = {.root = d.ledger.state.root}; // of which nobody has counted anything
    for (int i = 0; i < 2; i++) {
        const lg_json *root = lg_ledger_certain(&d.arena, i ? &unknown : &d.ledger.state);
        CHECK(lg_json_len(lg_json_get(root, LG_STR("history"))) == 41);
    }
    d.ledger.state = before;
    desk_call(&d, "set_level", "{\"id\":\"ada\",\"to\":\"basic\"}", "", false);
    CHECK(d.ledger.state.certain == 41);
    CHECK(lg_ledger_certain(&d.arena, &d.ledger.state) == d.ledger.state.root);
    desk_close(&d);
}

int main(void)
{
    RUN(a_write_that_failed_may_have_happened);
    RUN(what_has_not_answered_may_have_happened);
    RUN(a_late_read_makes_nothing_stale_but_itself);
    RUN(a_key_is_not_known_while_another_write_is_open);
    RUN(a_read_that_failed_leaves_its_record_doubtful);
    RUN(a_read_that_was_rejected_does_too);
    RUN(where_the_key_is_in_the_result_the_same_read_counts);
    RUN(whether_a_read_succeeds_is_part_of_what_it_shows);
    RUN(what_a_condition_decides_is_stale_with_it);
    RUN(a_record_read_field_by_field_is_fresh_again);
    RUN(what_a_read_leaves_out_again_is_not_in_doubt);
    RUN(writes_that_are_certain_are_counted);
    return lg_test_done();
}
