// Errors: which operators absorb them, and which of two goes on.
//
// The tables are complete over their operands: every pair of a value, a missing key and a type error.
#include "cel_fixture.h"

// Expressions that come to the given outcome, none of them decided by the compiler.
typedef enum outcome {
    TRUE,
    FALSE,
    MISSING,
    TYPE,
    OUTCOMES,
} outcome;

static const char *const sources[] = {"j.yes", "j.no", "j.absent", "j.nil.x"};
static const char *const shown[] = {"bool true", "bool false", "missing: no such key `absent`",
                                    "type: no such overload"};

static void declare_json(cel_fixture *f)
{
    fixture_declare(f, "j", lg_cel_type_of_kind(LG_CEL_DYN),
                    fixture_json(f, "{\"yes\":true,\"no\":false,\"nil\":null,\"n\":1,"
                                    "\"rows\":[{\"v\":true},{\"v\":false},{},{\"v\":null}]}"));
}

static void check_run(cel_fixture *f, const char *source, const char *want)
{
    lg_test_name = source;
    CHECK_STR(fixture_run(f, source), want);
}

static outcome and_of(outcome a, outcome b)
{
    if (a == FALSE || b == FALSE) {
        return FALSE;
    }
    return a == TYPE || b == TYPE ? TYPE : a == MISSING || b == MISSING ? MISSING : TRUE;
}

static outcome or_of(outcome a, outcome b)
{
    if (a == TRUE || b == TRUE) {
        return TRUE;
    }
    return a == TYPE || b == TYPE ? TYPE : a == MISSING || b == MISSING ? MISSING : FALSE;
}

static void logic_is_commutative_towards_errors(void)
{
    cel_fixture f;
    fixture_init(&f);
    declare_json(&f);
    for (int a = 0; a < OUTCOMES; a++) {
        for (int b = 0; b < OUTCOMES; b++) {
            char source[64];
            snprintf(source, sizeof(source), "%s && %s", sources[a], sources[b]);
            check_run(&f, source, shown[and_of((outcome)a, (outcome)b)]);
            snprintf(source, sizeof(source), "%s || %s", sources[a], sources[b]);
            check_run(&f, source, shown[or_of((outcome)a, (outcome)b)]);
        }
    }
    fixture_done(&f);
}

static void chains_of_three(void)
{
    cel_fixture f;
    fixture_init(&f);
    declare_json(&f);
    for (int i = 0; i < OUTCOMES * OUTCOMES * OUTCOMES; i++) {
        int a = i / 16;
        int b = i / 4 % 4;
        int c = i % 4;
        char source[96];
        snprintf(source, sizeof(source), "%s && %s && %s", sources[a], sources[b], sources[c]);
        check_run(&f, source, shown[and_of(and_of((outcome)a, (outcome)b), (outcome)c)]);
        snprintf(source, sizeof(source), "%s || %s || %s", sources[a], sources[b], sources[c]);
        check_run(&f, source, shown[or_of(or_of((outcome)a, (outcome)b), (outcome)c)]);
        snprintf(source, sizeof(source), "%s && %s || %s", sources[a], sources[b], sources[c]);
        check_run(&f, source, shown[or_of(and_of((outcome)a, (outcome)b), (outcome)c)]);
    }
    fixture_done(&f);
}

// all() is a long `&&` over the elements, exists() a long `||`.
static void quantifiers_absorb_like_logic(void)
{
    cel_fixture f;
    fixture_init(&f);
    declare_json(&f);
    for (int i = 0; i < OUTCOMES * OUTCOMES; i++) {
        int a = i / 4;
        int b = i % 4;
        char source[160];
        snprintf(source, sizeof(source), "[1, 2].all(x, x == 1 ? %s : %s)", sources[a], sources[b]);
        check_run(&f, source, shown[and_of((outcome)a, (outcome)b)]);
        snprintf(source, sizeof(source), "[1, 2].exists(x, x == 1 ? %s : %s)", sources[a],
                 sources[b]);
        check_run(&f, source, shown[or_of((outcome)a, (outcome)b)]);
    }
    fixture_done(&f);
}

static void strict_operators_prefer_other_errors_to_missing(void)
{
    static const char *const forms[] = {
        "%s == %s",
        "%s != %s",
        "%s < %s",
        "%s + %s",
        "%s in [%s]",
        "[%s, %s]",
        "{'a': %s, 'b': %s}",
        "[%s][%s]",
        "j[%s][%s]",
        "string(%s) + %s",
        "[0].map(x, [%s, %s])",
        "size([%s, 1] + [%s])",
        "[1, 2].filter(x, x == 1 ? %s : %s)",
        "[1, 2].map(x, x == 1 ? %s : %s)",
        "[1, 2].exists_one(x, x == 1 ? %s : %s)",
        "[1, 2].map(x, x == 1 ? %s : %s, x)",
    };
    cel_fixture f;
    fixture_init(&f);
    declare_json(&f);
    for (size_t i = 0; i < LG_COUNT(forms); i++) {
        for (int pair = 0; pair < 4; pair++) {
            outcome a = pair / 2 ? TYPE : MISSING;
            outcome b = pair % 2 ? TYPE : MISSING;
            char source[160];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(source, sizeof(source), forms[i], sources[a], sources[b]);
#pragma GCC diagnostic pop
            check_run(&f, source, shown[a == TYPE || b == TYPE ? TYPE : MISSING]);
        }
    }
    fixture_done(&f);
}

static void single_errors(void)
{
    static const struct {
        const char *source;
        const char *want;
    } cases[] = {
        {"!j.absent", "missing: no such key `absent`"},
        {"-j.absent", "missing: no such key `absent`"},
        {"j.absent ? 1 : 2", "missing: no such key `absent`"},
        {"j.yes ? 1 : j.absent", "int 1"},
        {"j.no ? j.absent : 2", "int 2"},
        {"j.no && (j.absent ? true : false)", "bool false"},
        {"size(j.absent)", "missing: no such key `absent`"},
        {"j.absent.matches('a')", "missing: no such key `absent`"},
        {"j.rows.all(r, r.v)", "bool false"},
        {"j.rows.exists(r, r.v)", "bool true"},
        {"j.rows.exists(r, r.v == 'x')", "missing: no such key `v`"},
        {"j.rows.all(r, r.v != 'x')", "missing: no such key `v`"},
        {"j.rows.exists(r, r.v.x)", "type: no such overload"},
        {"j.rows.filter(r, r.v == true)", "missing: no such key `v`"},
        {"j.rows.filter(r, r.v)", "type: no such overload"},
        {"j.rows.map(r, r.v)", "missing: no such key `v`"},
        {"j.rows.map(r, has(r.v), r.v)", "list [true,false,null]"},
        {"j.rows.exists_one(r, r.v == true)", "missing: no such key `v`"},
        {"j.rows.map(r, r.v)[0]", "missing: no such key `v`"},
        {"j.rows[9].v", "missing: index out of range `9`"},
        {"j.absent.all(x, true) || j.yes", "bool true"},
        {"j.n / 0.0 > 1.0 || j.absent", "bool true"},
        {"1 / 0 == 1 || j.absent", "range: division by zero"},
        {"j.absent || 1 / 0 == 1", "range: division by zero"},
        {"1 / 0 == 1 || j.nil.x", "range: division by zero"},
        {"j.nil.x || 1 / 0 == 1", "type: no such overload"},
        {"'text' && j.no", NULL},
        {"j.n && j.no", "bool false"},
        {"j.no && j.n", "bool false"},
        {"j.n || j.yes", "bool true"},
        {"j.n && j.yes", "type: no such overload"},
        {"j.yes && j.n", "type: no such overload"},
        {"j.absent && j.n", "type: no such overload"},
    };
    cel_fixture f;
    fixture_init(&f);
    declare_json(&f);
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        if (cases[i].want) {
            check_run(&f, cases[i].source, cases[i].want);
        } else {
            lg_test_name = cases[i].source;
            CHECK(!fixture_compile(&f, lg_str_c(cases[i].source)));
        }
    }
    fixture_done(&f);
}

// A failure names the place in the source that failed, and the lookup that did.
static void failures_have_places(void)
{
    static const struct {
        const char *source;
        uint32_t offset;
    } cases[] = {
        {"j.absent", 2},
        {"j.yes && j.rows[9]", 15},
        {"j.rows[0].nope", 10},
        {"1 + j.n", 2},
        {"j.rows.all(r, r.w)", 16},
        {"  j['absent']", 3},
        {"size(j.n)", 0},
        {"1 / 0", 2},
        {"j.n.exists(x, true)", 4},
        {"j.nil.x.y", 6},
        {"j.yes && j.n", 9},
        {"timestamp('x')", 0},
    };
    cel_fixture f;
    fixture_init(&f);
    declare_json(&f);
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        lg_cel_env_set_unchecked(f.env, true);
        const lg_cel_program *program = fixture_compile(&f, lg_str_c(cases[i].source));
        lg_test_name = cases[i].source;
        if (CHECK(program)) {
            lg_cel_value value = fixture_eval(&f, program);
            CHECK(value.kind == LG_CEL_ERROR && value.as.failure->offset == cases[i].offset);
        }
    }
    fixture_done(&f);
}

// Nothing is known of what an expression means, and still nothing is called with what it cannot bear.
static void unchecked_calls_fail_when_evaluated(void)
{
    static const char *const calls[] = {
        "dyn()",       "size()",     "size(1, 2)",  "startsWith('a', 'b')", "1.startsWith(2)",
        "'a'.dyn()",   "math.abs()", "ip()",        "'a'.format()",         "[].sortBy()",
        "nothing + 1", "nothing(1)", "'a'.or('b')", "timestamp()",          "j.getHours('UTC', 1)",
        "-'a'",        "!1",         "[1, 2].x",    "{1: 2}.x.y",           "1[2]",
    };
    cel_fixture f;
    fixture_init(&f);
    declare_json(&f);
    lg_cel_env_set_unchecked(f.env, true);
    for (size_t i = 0; i < LG_COUNT(calls); i++) {
        const lg_cel_program *program = fixture_compile(&f, lg_str_c(calls[i]));
        lg_test_name = calls[i];
        CHECK(program && fixture_eval(&f, program).kind == LG_CEL_ERROR);
    }
    fixture_done(&f);
}

int main(void)
{
    RUN(logic_is_commutative_towards_errors);
    RUN(chains_of_three);
    RUN(quantifiers_absorb_like_logic);
    RUN(strict_operators_prefer_other_errors_to_missing);
    RUN(single_errors);
    RUN(failures_have_places);
    RUN(unchecked_calls_fail_when_evaluated);
    return lg_test_done();
}
