// The read log: every lookup in JSON, also those that found nothing.
#include "cel_fixture.h"

// "user.name=\"x\" user.zip=- [0]={...}": key or index of each entry and what it found.
static lg_str show_log(cel_fixture *f)
{
    lg_buf_clear(&f->text);
    for (uint32_t i = 0; i < f->log.count; i++) {
        const lg_cel_read *read = &f->reads[i];
        lg_buf_add_c(&f->text, i ? " " : "");
        if (read->is_index) {
            lg_buf_addf(&f->text, "[%u]", read->index);
        } else {
            lg_buf_add(&f->text, read->key);
        }
        lg_buf_add_byte(&f->text, '=');
        if (read->child) {
            lg_json_print(&f->text, read->child);
        } else {
            lg_buf_add_byte(&f->text, '-');
        }
    }
    return lg_buf_str(&f->text);
}

static void logs_reads(void)
{
    static const struct {
        const char *source;
        const char *want;
    } cases[] = {
        {"true", ""},
        {"j.a", "a=1"},
        {"j.o.x == 2.0", "o={\"x\":2} x=2"},
        {"j.o.y", "o={\"x\":2} y=-"},
        {"j['a']", "a=1"},
        {"j['zz']", "zz=-"},
        {"has(j.a)", "a=1"},
        {"has(j.zz)", "zz=-"},
        {"has(j.o.zz)", "o={\"x\":2} zz=-"},
        {"'a' in j", "a=1"},
        {"'zz' in j", "zz=-"},
        {"j.l[1]", "l=[5,6] [1]=6"},
        {"j.l[7]", "l=[5,6] [7]=-"},
        {"5.0 in j.l", "l=[5,6] [0]=5"},
        {"7.0 in j.l", "l=[5,6] [0]=5 [1]=6"},
        {"j.l.exists(x, x == 5.0)", "l=[5,6] [0]=5"},
        {"j.l.all(x, x > 1.0)", "l=[5,6] [0]=5 [1]=6"},
        {"j.o.all(k, k == 'x')", "o={\"x\":2} x=2"},
        {"sum(j.l)", "l=[5,6] [0]=5 [1]=6"},
        {"j.a == 2.0 && j.o.x == 2.0", "a=1"},
        {"j.a == 1.0 || j.o.x == 2.0", "a=1"},
        {"j.a == 1.0 ? j.a : j.o", "a=1 a=1"},
        {"j.zz || j.a == 1.0", "zz=- a=1"},
        {"size(j.l)", "l=[5,6]"},
        {"j.o == {'x': 2}", "o={\"x\":2}"},
        {"{'k': j.a}.k", "a=1"},
    };
    cel_fixture f;
    fixture_init(&f);
    fixture_declare(&f, "j", lg_cel_type_of_kind(LG_CEL_DYN),
                    fixture_json(&f, "{\"a\":1,\"o\":{\"x\":2},\"l\":[5,6]}"));
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        const lg_cel_program *program = fixture_compile(&f, lg_str_c(cases[i].source));
        lg_test_name = cases[i].source;
        if (CHECK(program)) {
            fixture_eval(&f, program);
            CHECK_STR(show_log(&f), cases[i].want);
        }
    }
    fixture_done(&f);
}

static void missing_names_its_entry(void)
{
    cel_fixture f;
    fixture_init(&f);
    fixture_declare(&f, "j", lg_cel_type_of_kind(LG_CEL_DYN),
                    fixture_json(&f, "{\"o\":{},\"l\":[1]}"));
    static const struct {
        const char *source;
        uint32_t read;
        const char *key;
    } cases[] = {
        {"j.o.x", 1, "x"},
        {"j.l[4]", 1, "4"},
        {"j.o['x']", 1, "x"},
        {"j.l[0] == 1.0 && j.o.y", 3, "y"},
        {"{'a': 1}.b", UINT32_MAX, "b"},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        lg_cel_env_set_unchecked(f.env, true);
        const lg_cel_program *program = fixture_compile(&f, lg_str_c(cases[i].source));
        lg_test_name = cases[i].source;
        if (!CHECK(program)) {
            continue;
        }
        lg_cel_value value = fixture_eval(&f, program);
        if (CHECK(value.kind == LG_CEL_ERROR)) {
            CHECK(value.as.failure->kind == LG_CEL_FAIL_MISSING);
            CHECK(value.as.failure->read == cases[i].read);
            lg_buf_clear(&f.text);
            lg_cel_print(&f.text, value.as.failure->key);
            CHECK_STR(lg_buf_str(&f.text), cases[i].key);
        }
    }
    fixture_done(&f);
}

static void a_full_log_counts_what_it_drops(void)
{
    cel_fixture f;
    fixture_init(&f);
    fixture_declare(&f, "j", lg_cel_type_of_kind(LG_CEL_DYN), fixture_json(&f, "[1,2,3,4,5]"));
    const lg_cel_program *program = fixture_compile(&f, LG_STR("j.all(x, x > 0.0)"));
    f.log.capacity = 2;
    if (CHECK(program)) {
        CHECK(fixture_eval(&f, program).as.boolean);
        CHECK(f.log.count == 2 && f.log.dropped == 3);
    }
    // No log at all, and the same result.
    lg_cel_value value =
        lg_cel_eval(program, &(lg_cel_activation){.values = f.values, .scratch = &f.scratch});
    CHECK(value.kind == LG_CEL_BOOL && value.as.boolean);
    fixture_done(&f);
}

int main(void)
{
    RUN(logs_reads);
    RUN(missing_names_its_entry);
    RUN(a_full_log_counts_what_it_drops);
    return lg_test_done();
}
