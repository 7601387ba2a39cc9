// prove_generated.c: gate and formulas agree on schemas, expressions and values that nobody wrote.
//
// Packs are made by seed: schemas of all keywords, rules of all operators, macros and functions, values
// that break things. Of each case (schemas, expression, values) the gate's outcome is compared with
// the formulas in three ways: the formulas for all cases, evaluated on this one; of every second, the
// rule translated with the values in place, where Z3 must find the outcome possible; and, of a few, the
// formulas of proofs, with inputs that equal the values. Leaving an outcome open is no difference,
// but has to stay an exception. What was never made is a gap, and fails.
//
//     conformance_prove_generated [CASES [SEED]]
#include "lg_test.h"

#include "allowed.h"
#include "base/file.h"
#include "pack_maker.h"

#ifdef __SANITIZE_ADDRESS__ // the release build asks for all of them
#define CASES 20000u
#else
#define CASES 100000u
#endif
#define SEED 1u
#define RULES_A_PACK 8u
#define VALUES_A_PACK 60u
// Of the values:
#define IN_PLACE_EVERY 2u
#define GIVEN_EVERY 30u
#define DEPTH_MAX 3u
#define SHOWN_MAX 12u
#define KEYWORDS_MAX 96u
#define REASONS_MAX 32u

typedef enum way { WAY_FORMULAS, WAY_IN_PLACE, WAY_GIVEN, WAYS } way;

static const char *const way_names[] = {"formulas for all", "values in place", "inputs that equal"};

typedef struct tally {
    size_t equal, open, differ, no_input;
} tally;

typedef struct named_count {
    char name[64];
    size_t count;
} named_count;

typedef struct run {
    pack_maker m;
    lg_str types, r, many, parameters;
    lg_str rules[RULES_A_PACK];
    uint32_t rule_count;
    size_t packs, not_loaded, not_opened, cases, unfit, premises_broken, z3_differs, shown,
        shown_pack;
    tally ways[WAYS];
    named_count keywords[KEYWORDS_MAX], reasons[REASONS_MAX];
    size_t keyword_count, reason_count;
} run;

// --- Packs ----------------------------------------------------------------------------------------

static void write_pack(run *u, bool with_rules)
{
    lg_buf *out = &u->m.text;
    lg_buf_clear(out);
    lg_buf_addf(
        out,
        "{\"pack\":\"p\",\"version\":\"1\",\"clock\":\"2024-05-15T15:00:00Z\",\"types\":{%.*s},"
        "\"ledger\":{\"r\":%.*s,\"m.*\":%.*s},\"tools\":{\"act\":{\"kind\":\"write\","
        "\"parameters\":%.*s}},\"rules\":{",
        LG_FMT(u->types), LG_FMT(u->r), LG_FMT(u->many), LG_FMT(u->parameters));
    for (uint32_t i = 0; i < (with_rules ? u->rule_count : 0); i++) {
        lg_buf_addf(out, "%s\"r%u\":{\"tools\":[\"act\"],\"otherwise\":\"block\",\"say\":\"no\",%s",
                    i ? "," : "", i, i % 4 == 3 ? "\"needs\":[\"ledger.r\"]," : "");
        lg_buf_add_c(out, "\"that\":");
        lg_json_print_str(out, u->rules[i]);
        lg_buf_add_byte(out, '}');
    }
    lg_buf_add_c(out, "}}");
}

static void make_rules(run *u, const lg_pack *pack)
{
    cel_name variables[] = {{"ledger", pack->ledger.type},
                            {"args", pack->tools[0].args_type},
                            {"now", &lg_cel_t_timestamp},
                            {"tool", &lg_cel_t_string}};
    begin_expressions(&u->m, variables, LG_COUNT(variables));
    u->rule_count = 0;
    for (uint32_t i = 0; i < RULES_A_PACK; i++) {
        lg_str made = make_expression(&u->m, &lg_cel_t_bool, 1 + i % DEPTH_MAX);
        if (made.len) {
            u->rules[u->rule_count++] = made;
        }
    }
}

// A pack of new schemas and rules; NULL if the loader does not take it.
static lg_pack *make_pack(run *u, uint64_t seed)
{
    pack_maker_begin(&u->m, seed);
    u->types = make_kept_types(&u->m);
    u->r = make_kept_schema(&u->m, true);
    u->many = make_kept_schema(&u->m, true);
    u->parameters = make_kept_parameters(&u->m);
    write_pack(u, false);
    lg_pack *plain = load_made(&u->m);
    if (!plain) {
        return NULL;
    }
    make_rules(u, plain);
    lg_pack_free(plain);
    write_pack(u, true);
    return load_made(&u->m);
}

// --- Counting -------------------------------------------------------------------------------------

static void count_named(named_count *items, size_t *count, size_t most, lg_str name)
{
    for (size_t i = 0; i < *count; i++) {
        if (lg_str_eq(lg_str_c(items[i].name), name)) {
            items[i].count++;
            return;
        }
    }
    if (*count < most && name.len < sizeof(items->name)) {
        snprintf(items[*count].name, sizeof(items->name), "%.*s", LG_FMT(name));
        items[(*count)++].count = 1;
    }
}

// Names of members are no keywords, and are counted all the same: nobody asks for them.
static void count_keywords(run *u, const lg_json *schema)
{
    bool object = lg_json_is(schema, LG_JSON_OBJECT);
    for (size_t i = 0; i < lg_json_len(schema); i++) {
        if (object) {
            count_named(u->keywords, &u->keyword_count, KEYWORDS_MAX,
                        lg_json_key(&schema->as.members[i]));
        }
        count_keywords(u, object ? &schema->as.members[i].value : lg_json_item(schema, i));
    }
}

// One of each pack.
static void show(run *u, const char *what, const lg_pack *pack, const lg_agreement_case *c,
                 const lg_agreement_rule *r)
{
    if (u->shown_pack != u->packs && u->shown++ < SHOWN_MAX) {
        u->shown_pack = u->packs;
        printf("%s: the gate says %s: %.*s\n    args %.*s\n    ledger %.*s\n    pack %.*s\n", what,
               lg_said_name(r->gate), LG_FMT(lg_cel_program_source(r->rule->that)),
               LG_FMT(fixture_print(&u->m.arena, c->args)),
               LG_FMT(fixture_print(&u->m.arena, c->ledger)),
               LG_FMT(fixture_print(&u->m.arena, pack->document)));
    }
}

// A limit of the evaluation; else the inputs of the formulas do not have a value that fits.
static bool is_beyond_evaluation(const char *why)
{
    static const char *const reasons[] = {"a number beyond the doubles", "out of memory",
                                          "a number that is very large or very small"};
    bool found = false;
    for (size_t i = 0; i < LG_COUNT(reasons); i++) {
        found = found || strcmp(why, reasons[i]) == 0;
    }
    return found;
}

// --- Comparing ------------------------------------------------------------------------------------

static void compare_formulas(run *u, const lg_pack *pack, const lg_agreement_case *c,
                             const lg_agreement_result *r)
{
    tally *t = &u->ways[WAY_FORMULAS];
    if (r->unfit) {
        count_named(u->reasons, &u->reason_count, REASONS_MAX, lg_str_c(r->unfit));
        u->unfit++;
        if (!is_beyond_evaluation(r->unfit)) {
            t->no_input++;
            show(u, r->unfit, pack, c, &r->rules[0]);
        }
        return;
    }
    for (size_t i = 0; i < r->rule_count; i++) {
        const lg_agreement_rule *rule = &r->rules[i];
        bool open = rule->prover == LG_SAID_NOTHING;
        t->open += open;
        t->equal += rule->prover == rule->gate;
        if (open) {
            count_named(u->reasons, &u->reason_count, REASONS_MAX, lg_str_c(rule->why));
        } else if (rule->prover != rule->gate) {
            t->differ++;
            show(u, lg_said_name(rule->prover), pack, c, rule);
        }
    }
    if (r->broken || r->z3_differs) {
        u->premises_broken += r->broken != NULL;
        u->z3_differs += r->z3_differs;
        show(u, r->broken ? r->broken : "Z3 evaluates it to something else", pack, c, &r->rules[0]);
    }
}

static void compare_allowed(run *u, allowed *a, way w, const lg_agreement_case *c,
                            const lg_agreement_result *r)
{
    tally *t = &u->ways[w];
    for (size_t i = 0; i < r->rule_count; i++) {
        const lg_agreement_rule *rule = &r->rules[i];
        allowance found = is_allowed(a, c, rule->rule, i, rule->gate);
        t->equal += found == ALLOWED_ALONE;
        t->open += found == ALLOWED_OPEN;
        t->differ += found == ALLOWED_NOT;
        t->no_input += found == ALLOWED_NO_INPUT;
        if (found == ALLOWED_NOT || found == ALLOWED_NO_INPUT) {
            show(u, found == ALLOWED_NOT ? "excluded" : "its values are excluded", a->pack, c,
                 rule);
        }
    }
}

typedef struct subjects {
    lg_agreement *formulas;
    allowed in_place, given;
    bool has_given;
} subjects;

static void one_value(run *u, const lg_pack *pack, subjects *s, uint32_t number)
{
    const lg_tool *tool = &pack->tools[0];
    const lg_json *args = make_arguments(&u->m, pack, tool);
    const lg_json *ledger = args ? make_ledger(&u->m, pack, tool, args) : NULL;
    lg_agreement_case c = {.ledger = ledger,
                           .args = args,
                           .seed = number,
                           .premises = true,
                           .ask_z3 = number % GIVEN_EVERY == 1};
    lg_agreement_result r;
    lg_error error;
    if (!args ||
        !CHECK(lg_agreement_of_formulas(s->formulas, &c, &u->m.arena, &r, &error) == LG_OK)) {
        return;
    }
    for (size_t i = 0; i < r.rule_count; i++) {
        if (!CHECK_MSG(r.rules[i].gate != LG_SAID_NOTHING, "the gate says one thing")) {
            return;
        }
    }
    u->cases += r.rule_count;
    compare_formulas(u, pack, &c, &r);
    if (number % IN_PLACE_EVERY == 0) {
        compare_allowed(u, &s->in_place, WAY_IN_PLACE, &c, &r);
    }
    if (s->has_given && number % GIVEN_EVERY == 0) {
        compare_allowed(u, &s->given, WAY_GIVEN, &c, &r);
    }
}

static void try_values(run *u, const lg_pack *pack)
{
    const lg_tool *tool = &pack->tools[0];
    lg_error error;
    subjects s = {.formulas = NULL};
    if (lg_agreement_open(pack, tool, 2, &s.formulas, &error) != LG_OK) {
        u->not_opened++;
        return;
    }
    bool ready = allowed_open(&s.in_place, pack, tool, false);
    s.has_given = allowed_open(&s.given, pack, tool, true);
    for (uint32_t i = 0; ready && i < VALUES_A_PACK; i++) {
        one_value(u, pack, &s, i);
    }
    allowed_close(&s.in_place);
    allowed_close(&s.given);
    lg_agreement_close(s.formulas);
}

static void try_pack(run *u, uint64_t seed)
{
    lg_pack *pack = make_pack(u, seed);
    u->packs++;
    if (!pack) {
        u->not_loaded++;
        return;
    }
    count_keywords(u, pack->document);
    if (u->rule_count) {
        try_values(u, pack);
    }
    lg_pack_free(pack);
}

// --- Coverage -------------------------------------------------------------------------------------

// Of fewer cases, four fifths of what there is.
#define CASES_OF_ALL 100000u

static void functions_are_covered(const run *u)
{
    bool all = u->cases >= CASES_OF_ALL;
    size_t forms = 0;
    const cel_counts *kept = &u->m.cel.kept;
    size_t count = cel_function_count();
    size_t covered = 0;
    for (size_t i = 0; i < count; i++) {
        const char *name = lg_cel_function_at(i)->name;
        bool sorts = strcmp(name, "lists.@sortByKeys") == 0; // what `sortBy` stands for
        bool found = kept->functions[i] > 0 || (sorts && kept->forms[FORM_SORT_BY] > 0);
        covered += found;
        CHECK_MSG(found || !all, name);
    }
    for (size_t i = 0; i < FORM_COUNT; i++) {
        forms += kept->forms[i] > 0;
        CHECK_MSG(kept->forms[i] > 0 || !all, cel_form_names[i]);
    }
    CHECK(covered * 10 >= count * 8 && forms * 10 >= FORM_COUNT * 8);
    printf("functions: %zu of %zu; operators, macros and literals: %zu of %d\n", covered, count,
           forms, FORM_COUNT);
}

static size_t times_of(const run *u, lg_str keyword)
{
    for (size_t i = 0; i < u->keyword_count; i++) {
        if (lg_str_eq(lg_str_c(u->keywords[i].name), keyword)) {
            return u->keywords[i].count;
        }
    }
    return 0;
}

// Keywords that no schema of a pack can use: of other dialects, or refused.
static bool is_of_another_dialect(lg_str keyword)
{
    static const char *const others[] = {"$dynamicRef", "$recursiveRef", "additionalItems",
                                         "nullable"};
    for (size_t i = 0; i < LG_COUNT(others); i++) {
        if (lg_str_eq(keyword, lg_str_c(others[i]))) {
            return true;
        }
    }
    return false;
}

// The table of the validator, as it is written: a keyword that is added there has to be made here.
static void keywords_are_covered(const run *u)
{
    lg_file file;
    lg_error error;
    const char *path = LG_SOURCE_DIR "/src/schema/keywords.c";
    if (!CHECK(lg_file_open(path, (size_t)1 << 20, &file, &error) == LG_OK)) {
        return;
    }
    size_t known = 0;
    lg_str text = file.text;
    lg_str row = LG_STR("\n    {\"");
    size_t at = lg_str_find(text, LG_STR(" keywords[] = {"));
    text = lg_str_slice(text, at == SIZE_MAX ? text.len : at, text.len);
    size_t end = lg_str_find(text, LG_STR("\n};"));
    text = lg_str_slice(text, 0, end == SIZE_MAX ? 0 : end);
    while ((at = lg_str_find(text, row)) != SIZE_MAX) {
        text = lg_str_slice(text, at + row.len, text.len);
        lg_str name = lg_str_slice(text, 0, lg_str_find(text, LG_STR("\"")));
        known++;
        if (!is_of_another_dialect(name) && !CHECK(times_of(u, name) > 0)) {
            printf("no schema has `%.*s`\n", LG_FMT(name));
        }
    }
    CHECK_MSG(known > 40, "the table of keywords was found");
    printf("keywords: %zu, 4 of them of other dialects\n", known);
    lg_file_close(&file);
}

// --- Running --------------------------------------------------------------------------------------

static void print(const run *u)
{
    printf("%zu cases of %zu packs (%zu not loaded, %zu not followed); %zu of %zu expressions "
           "compiled; %zu values that no schema let through\n",
           u->cases, u->packs, u->not_loaded, u->not_opened, u->m.compiled, u->m.made,
           u->m.misfits);
    for (size_t i = 0; i < WAYS; i++) {
        const tally *t = &u->ways[i];
        printf("%s: %zu equal, %zu open, %zu differ, %zu values excluded\n", way_names[i], t->equal,
               t->open, t->differ, t->no_input);
    }
    printf("premises broken: %zu; Z3 differs: %zu; cases not spoken of: %zu\n", u->premises_broken,
           u->z3_differs, u->unfit);
    for (size_t i = 0; i < u->reason_count; i++) {
        printf("    %zu times: %s\n", u->reasons[i].count, u->reasons[i].name);
    }
}

static void check(const run *u)
{
    for (size_t i = 0; i < WAYS; i++) {
        const tally *t = &u->ways[i];
        size_t all = t->equal + t->open + t->differ + t->no_input;
        CHECK_MSG(t->differ == 0, "the formulas allow what the gate says");
        CHECK_MSG(t->no_input == 0, "the formulas have every value that fits its schema");
        CHECK_MSG(t->equal * 4 >= all, "the formulas say something of a good part of the cases");
    }
    CHECK_MSG(u->premises_broken == 0, "what is taken for granted of all ledgers is so");
    CHECK_MSG(u->z3_differs == 0, "Z3 evaluates formulas as the evaluation does");
    CHECK_MSG(u->not_opened * 20 <= u->packs, "nearly all rules can be followed");
    CHECK_MSG(u->not_loaded * 5 <= u->packs, "most packs that are made are packs");
}

static size_t wanted_cases = CASES;
static uint64_t seed = SEED;

static void gate_and_formulas_agree(void)
{
    static run u;
    pack_maker_init(&u.m);
    for (uint64_t i = 0; u.cases < wanted_cases && i < wanted_cases; i++) {
        try_pack(&u, seed * 1000003 + i);
    }
    print(&u);
    check(&u);
    functions_are_covered(&u);
    keywords_are_covered(&u);
    pack_maker_done(&u.m);
}

int main(int argc, char **argv)
{
    wanted_cases = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : CASES;
    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : SEED;
    RUN(gate_and_formulas_agree);
    return lg_test_done();
}
