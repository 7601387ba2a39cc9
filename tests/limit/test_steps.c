// test_steps.c: the work of a decision is bounded, whatever its rules and the results are.
//
// Each case is judged with the default limits. It must end where the table says, within its steps, and
// in the same place when it is judged again.
#include "steps_bench.h"
#include "steps_cases.h"

// --- What a tool may return ---------------------------------------------------------------------

static void add_item(lg_buf *out, const steps_case *c, unsigned i)
{
    if (c->data == DATA_NUMBERS) {
        lg_buf_addf(out, "%u", i);
    } else if (c->data == DATA_RECORDS) {
        lg_buf_addf(out, "{\"id\": \"k%u\", \"v\": {\"a\": [1, 2, 3, %u], \"b\": \"x\"}}", i, i);
    } else if (c->data == DATA_WORDS) {
        lg_buf_add_byte(out, '"');
        lg_buf_add_repeat(out, 'a', c->bytes > 6 ? c->bytes - 6 : 0);
        lg_buf_addf(out, "%06u\"", i);
    } else if (c->data == DATA_DIGITS) {
        lg_buf_add_repeat(out, '7', c->bytes);
    } else {
        lg_buf_addf(out, "\"%s\"", c->unit);
    }
}

static void add_box(lg_buf *out, const steps_case *c)
{
    bool map = c->data == DATA_KEYS;
    lg_buf_add_c(out, map ? "{\"map\": {" : "{\"list\": [");
    for (unsigned i = 0; i < c->items; i++) {
        lg_buf_add_c(out, i ? ", " : "");
        if (map) {
            lg_buf_addf(out, "\"key %u\": 1", i);
        } else {
            add_item(out, c, i);
        }
    }
    lg_buf_add_c(out, map ? "}" : "]");
    lg_buf_add_c(out, ", \"text\": \"");
    const char *unit = c->unit ? c->unit : "a";
    bool text = c->data == DATA_NUMBERS;
    for (size_t len = 0; text && len < c->bytes; len += strlen(unit)) {
        lg_buf_add_c(out, unit);
    }
    lg_buf_add_c(out, "\"}");
}

// --- Rules --------------------------------------------------------------------------------------

static void run_case(const steps_case *c)
{
    bench b;
    lg_buf rules;
    lg_buf_init(&rules, 0);
    lg_buf_addf(&rules, "rules: {r: {tools: [act], that: \"%s\", say: no}}\n", c->rule);
    lg_buf_add_byte(&rules, '\0');
    open_pack(&b, "{type: object}", rules.ptr);
    add_box(&b.text, c);
    observe(&b, "get_box", "{}", lg_buf_str(&b.text));
    (void)judge(&b, c->name, LG_STR("{}"), c->want ? c->want : "revise: r budget");
    close_pack(&b);
    lg_buf_done(&rules);
}

static void rules_end_within_their_steps(void)
{
    for (size_t i = 0; i < LG_COUNT(steps_cases); i++) {
        run_case(&steps_cases[i]);
    }
}

int main(void)
{
    RUN(rules_end_within_their_steps);
    show_worst();
    return lg_test_done();
}
