// prove_witness.c: what a call shows to be false is never proved.
//
// Packs are made by seed: schemas, a rule, effects with `when`, `each`, `fail`, `append`, `remove` and
// `settle`, invariants and a postcondition. Random calls are judged by the gate and carried out by the
// world on random states. Where one breaks an invariant or a postcondition, or is what a claim says no
// call can be, the prover is asked: it must not have proved the opposite. For each pack there is
// another with one part changed: where a call tells the two apart, they must not be proved equal, nor
// one stricter than the other in the wrong direction.
//
//     conformance_prove_witness [PACKS [SEED]]
#include "lg_test.h"

#include "gate/gate.h"
#include "pack_maker.h"
#include "prove/prove.h"
#include "world/world.h"

// Z3, which is no sanitizer's, takes most of the time, and the release build asks of all of them: the sanitizers see
// every kind of step, claim and witness, which is checked below. `make hunt` has the large numbers.
#ifdef __SANITIZE_ADDRESS__
#define PACKS 150u
#else
#define PACKS 1000u
#endif
#define SEED 1u
#define CALLS_A_PACK 30u
#define INVARIANTS 2u
#define RULES 2u
#define STEPS_MAX 3u
#define SHOWN_MAX 10u
#define TIMEOUT_MS 200u
#define SOLVER_STEPS 200000u
#define DEPTH 2u
#define STATE_ATTEMPTS 6u
#define NOW 1715785200 // the packs' clock
#define PARAMETERS                                                                                 \
    "{\"type\":\"object\",\"properties\":{\"q\":%.*s,\"k\":{\"type\":\"string\"},"                 \
    "\"n\":{\"type\":\"number\"}},\"required\":[\"q\",\"k\",\"n\"]}"

// Everything that is written of a pack beside its schemas; each is JSON, or CEL.
typedef struct parts {
    lg_str types, box, many, seen, parameters;
    lg_str rules[RULES], when[RULES];
    lg_str steps, settle, gives, ensures, invariant;
} parts;

// What calls have shown.
typedef struct witness {
    const lg_json *args, *ledger, *state;
} witness;

typedef struct shown_by_calls {
    witness breaks[INVARIANTS], breaks_result, allowed, violates[RULES], alone[RULES],
        applies[RULES], stricter, looser;
} shown_by_calls;

// What a pack with a witness is made of, as it is written.
static const char *const forms[] = {
    "\"each\":",   "\"when\":",     "\"fail\":",      "\"undo\":",  "\"append\":",
    "\"remove\":", "\"settle\":[{", "ledger.history", "ledger.seen"};
#define FORMS LG_COUNT(forms)

typedef struct run {
    pack_maker m;
    parts p;
    size_t packs, not_loaded, calls, carried_out, asked, diffs, shown, failed_to_prove;
    size_t witnesses[LG_OBLIGATION_KINDS], wrong[LG_OBLIGATION_KINDS], proved;
    size_t relations[2], wrong_relations, wrong_unproved;
    size_t forms[FORMS]; // of packs in which a call broke something
} run;

static size_t wanted_packs = PACKS;
static uint64_t seed = SEED;

// --- Packs ----------------------------------------------------------------------------------------

static void write_expression(lg_buf *out, const char *name, lg_str source)
{
    lg_buf_addf(out, "\"%s\":", name);
    lg_json_print_str(out, source);
}

static void write_rules(lg_buf *out, const parts *p)
{
    lg_buf_add_c(out, ",\"rules\":{");
    for (uint32_t i = 0; i < RULES; i++) {
        lg_buf_addf(out, "%s\"r%u\":{\"tools\":[\"act\"],\"otherwise\":\"%s\",\"say\":\"no\",",
                    i ? "," : "", i, i ? "block" : "revise");
        if (p->when[i].len) {
            write_expression(out, "when", p->when[i]);
            lg_buf_add_byte(out, ',');
        }
        write_expression(out, "that", p->rules[i].len ? p->rules[i] : LG_STR("true"));
        lg_buf_add_byte(out, '}');
    }
    lg_buf_add_byte(out, '}');
}

// Without `with` only what the types come from.
static void write_pack(lg_buf *out, const parts *p, bool with)
{
    lg_buf_clear(out);
    lg_buf_addf(
        out,
        "{\"pack\":\"p\",\"version\":\"1\",\"clock\":\"2024-05-15T15:00:00Z\","
        "\"types\":{%.*s},\"ledger\":{\"seen\":%.*s},\"state\":{\"box\":%.*s,\"many.*\":%.*s,"
        "\"log\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
        "\"bad\":{\"type\":\"boolean\"}},\"tools\":{\"look\":{\"kind\":\"read\","
        "\"parameters\":{\"type\":\"object\",\"properties\":{}},\"returns\":%.*s,"
        "\"stores\":[{\"at\":\"seen\"}]},\"act\":{\"kind\":\"write\",\"parameters\":%.*s,",
        LG_FMT(p->types), LG_FMT(p->seen), LG_FMT(p->box), LG_FMT(p->many), LG_FMT(p->seen),
        LG_FMT(p->parameters));
    lg_buf_addf(out, "\"effects\":[%.*s]", LG_FMT(with ? p->steps : LG_STR("")));
    if (with && p->ensures.len) {
        lg_buf_add_byte(out, ',');
        write_expression(out, "gives", p->gives);
        lg_buf_add_c(out, ",\"ensures\":[{\"id\":\"post\",");
        write_expression(out, "that", p->ensures);
        lg_buf_add_c(out, "}]");
    }
    lg_buf_add_c(out, "}}");
    if (with) {
        write_rules(out, p);
        lg_buf_addf(out, ",\"settle\":[%.*s]", LG_FMT(p->settle));
        lg_buf_add_c(out,
                     ",\"invariants\":[{\"id\":\"ok\",\"that\":\"!state.bad\"},{\"id\":\"other\",");
        write_expression(out, "that",
                         p->invariant.len ? p->invariant : LG_STR("size(state.log) >= 0"));
        lg_buf_add_c(out, "}]");
    }
    lg_buf_add_byte(out, '}');
}

static const lg_cel_type *type_of_place(const lg_pack *pack, size_t index)
{
    return pack->state.items[index].type;
}

// A record, under a key that is known or computed.
static const char *some_key(run *u, bool of_call)
{
    static const char *const keys[] = {"many.a", "many.b", "many[args.k]"};
    lg_str made = LG_STR("");
    if (dice_one_in(&u->m.d, 3)) {
        made = make_telling(&u->m, &lg_cel_t_string, DEPTH);
    }
    lg_str target = lg_arena_printf(&u->m.arena, "many[%.*s]", LG_FMT(made));
    bool plain = lg_str_find(made, LG_STR("\"")) == SIZE_MAX &&
                 lg_str_find(made, LG_STR("\\")) == SIZE_MAX; // it stands in a JSON string
    return made.len && target.ptr && plain ? target.ptr
                                           : keys[dice_below(&u->m.d, of_call ? 3 : 2)];
}

// Appends one step to `out`: what it does, under which condition, and how often.
static void write_step(run *u, lg_buf *out, const lg_pack *pack, bool of_call)
{
    pack_maker *m = &u->m;
    uint32_t names = m->name_count;
    lg_str list = LG_STR("");
    if (dice_one_in(&m->d, 3)) {
        const lg_cel_type *item = plain_type(&m->d);
        list = make_telling(m, lg_cel_type_list(&m->arena, item), DEPTH);
    }
    uint32_t way = dice_below(&m->d, 7);
    size_t place = way < 2 ? 0 : way < 4 ? 1 : 2;
    const lg_cel_type *type = way < 5 && place < 2 ? type_of_place(pack, place) : &lg_cel_t_string;
    lg_str value = make_telling(m, type, DEPTH);
    lg_str when = dice_one_in(&m->d, 2) ? make_telling(m, &lg_cel_t_bool, DEPTH) : LG_STR("");
    const char *key = some_key(u, of_call);
    lg_buf_add_byte(out, '{');
    if (list.len) {
        write_expression(out, "each", list);
        lg_buf_add_byte(out, ',');
    }
    if (way == 6) {
        lg_buf_add_c(out, "\"fail\":\"no\"");
        lg_buf_add_c(out, of_call && dice_one_in(&m->d, 2) ? ",\"undo\":false" : "");
    } else if (way == 5) {
        lg_buf_addf(out, "\"remove\":\"%s\"", key);
    } else {
        lg_buf_addf(out, "\"%s\":\"%s\",", place == 2 ? "append" : "set",
                    place == 0   ? "box"
                    : place == 1 ? key
                                 : "log");
        write_expression(out, place == 2 ? "value" : "to", value.len ? value : LG_STR("'a'"));
    }
    if (when.len) {
        lg_buf_add_byte(out, ',');
        write_expression(out, "when", when);
    }
    lg_buf_add_c(out, "},");
    m->name_count = names;
}

// Half of the time the condition is plain, so that the steps before it are what matters.
static void write_last_step(run *u, lg_buf *out)
{
    bool plain = dice_one_in(&u->m.d, 2);
    lg_str when = plain ? LG_STR("args.k > ''") : make_telling(&u->m, &lg_cel_t_bool, DEPTH);
    lg_buf_add_c(out, "{\"set\":\"bad\",\"to\":\"true\",");
    write_expression(out, "when", when.len ? when : LG_STR("false"));
    lg_buf_add_byte(out, '}');
}

// Values of `state`, `args` and `now`, or of `ledger` and `args`, as calls will have them.
static void take_samples(run *u, const lg_pack *pack, bool of_rules)
{
    pack_maker *m = &u->m;
    const lg_tool *tool = &pack->tools[1];
    for (uint32_t i = 0; i < SAMPLES_MAX; i++) {
        const lg_json *args = make_arguments(m, pack, tool);
        const lg_json *first = !args      ? NULL
                               : of_rules ? make_ledger(m, pack, tool, args)
                                          : make_places(m, pack, &pack->state, true, NULL);
        lg_cel_value *values = m->samples[m->sample_count];
        if (first) {
            values[0] = lg_cel_from_json(first);
            values[1] = lg_cel_from_json(args);
            values[2] = of_rules ? lg_cel_make_null() : lg_cel_make_timestamp(NOW, 0);
            m->sample_count++;
        }
    }
}

static void make_effects(run *u, const lg_pack *pack)
{
    cel_name of_call[] = {{"state", pack->state.type},
                          {"args", pack->tools[1].args_type},
                          {"now", &lg_cel_t_timestamp}};
    lg_buf out;
    lg_buf_init(&out, 0);
    begin_expressions(&u->m, of_call, LG_COUNT(of_call));
    take_samples(u, pack, false);
    for (uint32_t i = dice_below(&u->m.d, STEPS_MAX); i > 0; i--) {
        write_step(u, &out, pack, true);
    }
    write_last_step(u, &out);
    u->p.steps = lg_arena_str(&u->m.arena, lg_buf_str(&out));
    u->p.gives = make_telling(&u->m, plain_type(&u->m.d), DEPTH);
    begin_expressions(&u->m, of_call, 1);
    take_samples(u, pack, false);
    u->p.invariant =
        dice_one_in(&u->m.d, 2) ? make_telling(&u->m, &lg_cel_t_bool, DEPTH) : LG_STR("");
    lg_buf_clear(&out);
    if (dice_one_in(&u->m.d, 4)) {
        write_step(u, &out, pack, false);
        out.len -= out.len ? 1 : 0; // the comma
    }
    u->p.settle = lg_arena_str(&u->m.arena, lg_buf_str(&out));
    lg_buf_done(&out);
}

static void make_conditions(run *u, const lg_pack *pack)
{
    cel_name of_rule[] = {{"ledger", pack->ledger.type},
                          {"args", pack->tools[1].args_type},
                          {"result", &lg_cel_t_dyn}};
    begin_expressions(&u->m, of_rule, 2);
    take_samples(u, pack, true);
    for (uint32_t i = 0; i < RULES; i++) {
        u->p.rules[i] =
            dice_one_in(&u->m.d, 2) ? make_telling(&u->m, &lg_cel_t_bool, DEPTH) : LG_STR("");
        u->p.when[i] =
            dice_one_in(&u->m.d, 4) ? make_telling(&u->m, &lg_cel_t_bool, DEPTH) : LG_STR("");
    }
    begin_expressions(&u->m, of_rule, LG_COUNT(of_rule));
    u->p.ensures = u->p.gives.len ? make_expression(&u->m, &lg_cel_t_bool, DEPTH) : LG_STR("");
}

// Half of them are simple: then more calls are allowed, and carried out.
static lg_str some_schema(run *u)
{
    static const char *const simple[] = {
        "{\"type\":\"number\"}",
        "{\"type\":\"string\"}",
        "{\"type\":\"number\",\"minimum\":0}",
        "{\"type\":\"array\",\"items\":{\"type\":\"number\"}}",
        "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"number\"}}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"number\"},\"b\":{}}}"};
    return dice_one_in(&u->m.d, 2) ? make_kept_schema(&u->m, true)
                                   : lg_str_c(DICE_PICK(&u->m.d, simple));
}

static lg_pack *make_pack(run *u, uint64_t of_seed)
{
    pack_maker *m = &u->m;
    pack_maker_begin(m, of_seed);
    u->p = (parts){.types = make_kept_types(m)};
    u->p.box = some_schema(u);
    u->p.many = some_schema(u);
    u->p.seen = some_schema(u);
    lg_str q = some_schema(u);
    u->p.parameters = lg_arena_printf(&m->arena, PARAMETERS, LG_FMT(q));
    write_pack(&m->text, &u->p, false);
    lg_pack *plain = load_made(m);
    if (!plain) {
        return NULL;
    }
    make_effects(u, plain);
    make_conditions(u, plain);
    lg_pack_free(plain);
    write_pack(&m->text, &u->p, true);
    return load_made(m);
}

// The same pack with one part changed.
static lg_pack *make_variant(run *u, const lg_pack *pack)
{
    parts before = u->p;
    uint32_t rule = dice_below(&u->m.d, RULES);
    cel_name of_rule[] = {{"ledger", pack->ledger.type}, {"args", pack->tools[1].args_type}};
    begin_expressions(&u->m, of_rule, LG_COUNT(of_rule));
    lg_str made = make_expression(&u->m, &lg_cel_t_bool, DEPTH);
    switch (dice_below(&u->m.d, 4)) {
    case 0:
        u->p.rules[rule] = made;
        break;
    case 1:
        u->p.rules[rule] = lg_arena_printf(&u->m.arena, "(%.*s) || (%.*s)",
                                           LG_FMT(before.rules[rule]), LG_FMT(made));
        break;
    case 2:
        u->p.rules[rule] = lg_arena_printf(&u->m.arena, "(%.*s) && (%.*s)",
                                           LG_FMT(before.rules[rule]), LG_FMT(made));
        break;
    default:
        u->p.parameters = make_kept_parameters(&u->m);
        break;
    }
    write_pack(&u->m.text, &u->p, true);
    u->p = before;
    return load_made(&u->m);
}

// --- Calls ----------------------------------------------------------------------------------------

static bool decide(run *u, const lg_pack *pack, const witness *w, lg_decision *ret)
{
    const lg_ledger_state state = {.root = w->ledger};
    const lg_gate_call call = {.tool = LG_STR("act"), .args = w->args};
    const lg_gate_options options = {.explain = LG_EXPLAIN_NOTHING};
    lg_error error;
    return lg_gate_decide(pack, &state, &call, &options, &u->m.arena, ret, &error) == LG_OK;
}

static void note(witness *items, const witness *w)
{
    if (!items->args) {
        *items = *w;
    }
}

static bool is_rule(lg_str id, uint32_t number)
{
    return id.len == 2 && id.ptr[0] == 'r' && id.ptr[1] == (char)('0' + number);
}

static void note_decision(const lg_decision *d, const witness *w, shown_by_calls *ret)
{
    if (d->verdict == LG_ALLOW) {
        note(&ret->allowed, w);
    }
    for (size_t i = 0; i < d->finding_count; i++) {
        for (uint32_t k = 0; k < RULES; k++) {
            if (is_rule(d->findings[i].rule, k) && d->findings[i].cause == LG_CAUSE_VIOLATED) {
                note(&ret->violates[k], w);
                note(&ret->applies[k], w);
                if (d->finding_count == 1) {
                    note(&ret->alone[k], w);
                }
            }
        }
    }
}

// Carries the call out, if it is allowed, on a state in which all invariants hold.
static void carry_out(run *u, lg_world *world, const witness *w, shown_by_calls *ret)
{
    lg_world_call call = {.tool = LG_STR("act"), .args = w->args, .ledger = w->ledger};
    lg_world_outcome outcome;
    lg_error error;
    if (lg_world_call_tool(world, &call, &outcome, &error) != LG_OK ||
        (outcome.end != LG_WORLD_DONE && !lg_world_is_half_done(&outcome))) {
        return;
    }
    u->carried_out++;
    for (size_t i = 0; i < outcome.breach_count; i++) {
        const lg_world_breach *breach = &outcome.breaches[i];
        size_t number = (size_t)(breach->condition - world->pack->state_invariants);
        note(breach->is_invariant ? &ret->breaks[number < INVARIANTS ? number : 0]
                                  : &ret->breaks_result,
             w);
    }
}

static bool load_state(run *u, lg_world *world, const lg_json *state)
{
    lg_errors errors;
    const lg_world_breach *breaches;
    size_t count = 0;
    lg_world_file file = {.value = state};
    lg_errors_init(&errors, &u->m.arena, 1);
    return lg_world_load(world, &file, &errors) == LG_OK &&
           lg_world_check(world, &u->m.arena, &breaches, &count) == LG_OK && count == 0;
}

static void one_call(run *u, const lg_pack *pack, const lg_pack *variant, shown_by_calls *ret)
{
    const lg_tool *tool = lg_pack_tool(pack, LG_STR("act"));
    lg_decision d;
    lg_decision other;
    witness w = {.args = make_arguments(&u->m, pack, tool)};
    w.ledger = w.args ? make_ledger(&u->m, pack, tool, w.args) : NULL;
    if (!w.args || !CHECK(decide(u, pack, &w, &d))) {
        return;
    }
    u->calls++;
    note_decision(&d, &w, ret);
    if (variant && decide(u, variant, &w, &other) && other.verdict != d.verdict) {
        note(other.verdict > d.verdict ? &ret->stricter : &ret->looser, &w);
    }
    lg_world world;
    lg_world_init(&world, pack, NULL);
    for (uint32_t i = 0; i < STATE_ATTEMPTS && d.verdict == LG_ALLOW; i++) {
        w.state = make_places(&u->m, pack, &pack->state, true, NULL);
        if (w.state && load_state(u, &world, w.state)) {
            carry_out(u, &world, &w, ret);
            break;
        }
    }
    lg_world_done(&world);
}

// --- Asking ---------------------------------------------------------------------------------------

static lg_str printed_or_none(run *u, const lg_json *value)
{
    return value ? fixture_print(&u->m.arena, value) : LG_STR("none");
}

static void show(run *u, const char *what, const char *said, const lg_pack *pack, const witness *w)
{
    if (u->shown++ < SHOWN_MAX) {
        printf(
            "%s is said to be %s\n    args %.*s\n    ledger %.*s\n    state %.*s\n    pack %.*s\n",
            what, said, LG_FMT(printed_or_none(u, w->args)), LG_FMT(printed_or_none(u, w->ledger)),
            LG_FMT(printed_or_none(u, w->state)), LG_FMT(printed_or_none(u, pack->document)));
    }
}

// The call that shows the claim to be false, if it is said so; or NULL.
static const witness *against(const lg_claim *c, const shown_by_calls *shown)
{
    uint32_t rule = is_rule(c->rule, 1) ? 1 : 0;
    bool first = lg_str_eq(c->rule, LG_STR("ok"));
    bool act = lg_str_eq(c->tool, LG_STR("act"));
    bool is_promise = c->kind == LG_OBLIGE_PRESERVES || c->kind == LG_OBLIGE_ENSURES;
    const witness *w = c->kind == LG_OBLIGE_PRESERVES  ? &shown->breaks[first ? 0 : 1]
                       : c->kind == LG_OBLIGE_ENSURES  ? &shown->breaks_result
                       : c->kind == LG_OBLIGE_ALLOWED  ? &shown->allowed
                       : c->kind == LG_OBLIGE_APPLIES  ? &shown->applies[rule]
                       : c->kind == LG_OBLIGE_VIOLABLE ? &shown->violates[rule]
                       : c->kind == LG_OBLIGE_NEEDED   ? &shown->alone[rule]
                                                       : NULL;
    bool said = is_promise ? act && c->outcome == LG_PROVED : c->outcome == LG_REFUTED;
    return w && said && w->args ? w : NULL;
}

static void count_witnesses(run *u, const shown_by_calls *shown)
{
    u->witnesses[LG_OBLIGE_PRESERVES] += shown->breaks[0].args || shown->breaks[1].args;
    u->witnesses[LG_OBLIGE_ENSURES] += shown->breaks_result.args != NULL;
    u->witnesses[LG_OBLIGE_ALLOWED] += shown->allowed.args != NULL;
    for (uint32_t i = 0; i < RULES; i++) {
        u->witnesses[LG_OBLIGE_APPLIES] += shown->applies[i].args != NULL;
        u->witnesses[LG_OBLIGE_VIOLABLE] += shown->violates[i].args != NULL;
        u->witnesses[LG_OBLIGE_NEEDED] += shown->alone[i].args != NULL;
    }
}

// `text` is the pack's.
static void count_forms(run *u, lg_str text)
{
    for (size_t i = 0; i < FORMS; i++) {
        u->forms[i] += lg_str_find(text, lg_str_c(forms[i])) != SIZE_MAX;
    }
}

static void ask_about_pack(run *u, const lg_pack *pack, const shown_by_calls *shown)
{
    lg_prove_options options = {.timeout_ms = TIMEOUT_MS, .steps = SOLVER_STEPS};
    options.kinds = 1u << LG_OBLIGE_PRESERVES | 1u << LG_OBLIGE_ENSURES | 1u << LG_OBLIGE_ALLOWED |
                    1u << LG_OBLIGE_APPLIES | 1u << LG_OBLIGE_VIOLABLE | 1u << LG_OBLIGE_NEEDED;
    lg_arena arena;
    lg_proof proof;
    lg_error error;
    lg_arena_init(&arena, (size_t)1 << 30);
    bool fine = lg_prove(pack, &options, &arena, &proof, &error) == LG_OK;
    u->asked++;
    u->failed_to_prove += !fine;
    for (size_t i = 0; fine && i < proof.count; i++) {
        const lg_claim *c = &proof.items[i];
        const witness *w = against(c, shown);
        u->proved += c->outcome == LG_PROVED;
        if (w) {
            u->wrong[c->kind]++;
            show(u, lg_claim_text(c->kind), lg_proof_outcome_name(c->outcome), pack, w);
        }
    }
    lg_arena_done(&arena);
}

static void ask_about_variant(run *u, const lg_pack *pack, const lg_pack *variant,
                              const shown_by_calls *shown)
{
    lg_prove_options options = {.timeout_ms = TIMEOUT_MS, .steps = SOLVER_STEPS};
    lg_arena arena;
    lg_difference d;
    lg_error error;
    lg_arena_init(&arena, (size_t)1 << 30);
    bool fine = lg_prove_difference(pack, variant, &options, &arena, &d, &error) == LG_OK;
    u->diffs++;
    u->failed_to_prove += !fine;
    u->relations[0] += shown->stricter.args != NULL;
    u->relations[1] += shown->looser.args != NULL;
    if (fine) {
        bool less = d.relation == LG_RELATION_EQUAL || d.relation == LG_RELATION_LOOSER;
        bool more = d.relation == LG_RELATION_EQUAL || d.relation == LG_RELATION_STRICTER;
        bool wrong = (less && shown->stricter.args) || (more && shown->looser.args);
        u->wrong_relations += wrong && d.proved;
        u->wrong_unproved += wrong && !d.proved;
        if (wrong && d.proved) {
            show(u, "the relation of the packs", lg_relation_name(d.relation), variant,
                 less && shown->stricter.args ? &shown->stricter : &shown->looser);
            show(u, "that of the pack before", "compared", pack, &shown->allowed);
        }
    }
    lg_arena_done(&arena);
}

static bool shows_breach(const shown_by_calls *shown)
{
    return shown->breaks[0].args || shown->breaks[1].args || shown->breaks_result.args;
}

static void try_pack(run *u, uint64_t number)
{
    lg_pack *pack = make_pack(u, seed * 1000003 + number);
    shown_by_calls shown = {.allowed = {.args = NULL}};
    u->packs++;
    if (!pack) {
        u->not_loaded++;
        return;
    }
    lg_pack *variant = make_variant(u, pack);
    for (uint32_t i = 0; i < CALLS_A_PACK; i++) {
        one_call(u, pack, variant, &shown);
    }
    count_witnesses(u, &shown);
    if (shows_breach(&shown)) {
        count_forms(u, fixture_print(&u->m.arena, pack->document));
    }
    if (shows_breach(&shown) || number % 4 == 0) {
        ask_about_pack(u, pack, &shown);
    }
    if (variant && (shown.stricter.args || shown.looser.args)) {
        ask_about_variant(u, pack, variant, &shown);
    }
    lg_pack_free(variant);
    lg_pack_free(pack);
}

// --- Running --------------------------------------------------------------------------------------

static void print(const run *u)
{
    static const lg_claim_kind kinds[] = {LG_OBLIGE_PRESERVES, LG_OBLIGE_ENSURES,
                                          LG_OBLIGE_ALLOWED,   LG_OBLIGE_APPLIES,
                                          LG_OBLIGE_VIOLABLE,  LG_OBLIGE_NEEDED};
    printf("%zu packs (%zu not loaded), %zu calls, %zu carried out; %zu packs and %zu pairs proved "
           "about (%zu without an answer), %zu claims proved\n",
           u->packs, u->not_loaded, u->calls, u->carried_out, u->asked, u->diffs,
           u->failed_to_prove, u->proved);
    for (size_t i = 0; i < LG_COUNT(kinds); i++) {
        printf("    %s: %zu witnesses, %zu wrong\n", lg_claim_word(kinds[i]),
               u->witnesses[kinds[i]], u->wrong[kinds[i]]);
        CHECK_MSG(u->wrong[kinds[i]] == 0, lg_claim_text(kinds[i]));
        CHECK_MSG(u->witnesses[kinds[i]] > 0, lg_claim_word(kinds[i]));
    }
    for (size_t i = 0; i < FORMS; i++) {
        printf("    %s in %zu packs that a call refutes\n", forms[i], u->forms[i]);
        CHECK_MSG(u->forms[i] > 0, forms[i]);
    }
    printf("    --diff: %zu stricter, %zu looser; %zu wrong, %zu wrong and not proved\n",
           u->relations[0], u->relations[1], u->wrong_relations, u->wrong_unproved);
    CHECK_MSG(u->wrong_relations == 0, "packs that a call tells apart are not proved equal");
    CHECK_MSG(u->relations[0] > 0 && u->relations[1] > 0, "calls tell packs apart, both ways");
    CHECK_MSG(u->proved > 0, "something is proved at all");
    CHECK_MSG(u->failed_to_prove == 0, "every pack gets an answer");
}

static void what_a_call_refutes_is_not_proved(void)
{
    static run u;
    pack_maker_init(&u.m);
    for (uint64_t i = 0; i < wanted_packs; i++) {
        try_pack(&u, i);
    }
    print(&u);
    pack_maker_done(&u.m);
}

int main(int argc, char **argv)
{
    wanted_packs = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : PACKS;
    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : SEED;
    RUN(what_a_call_refutes_is_not_proved);
    return lg_test_done();
}
