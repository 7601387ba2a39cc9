// check.c: `ledgergate check`: is this pack sound?
#include "cli/check/check.h"

#include <stdio.h>

static const char help[] =
    "usage: ledgergate check PACK [OPTIONS]\n"
    "\n"
    "Loads a pack and says everything that is wrong with it: unknown keys and names, expressions\n"
    "that are ill-typed, schemas that cannot be honoured, effects and stores that do not fit "
    "their\n"
    "places, definitions in circles, invariants that the empty ledger breaks. Also names what it\n"
    "does not cover: writes that no rule judges, reads that store nothing, rules that abstain\n"
    "where a record leaves out what its type does not require, and steps of `settle` that do not\n"
    "come to rest, so that every call may change something. And it remarks on what looks right "
    "and\n"
    "is not: a `\\b` that has become a backspace, patterns that an id only has to contain, rules\n"
    "that judge nothing, reads that every write makes stale.\n"
    "\n"
    "  --state FILE  also: do the invariants of the state hold in this file, and is it settled? "
    "One\n"
    "                JSON object, or one a line, each with the `task_id` it is for\n"
    "  --task ID     of many states, that of this task\n"
    "  --json        one JSON object\n"
    "\n"
    "Exit codes: 0 sound, 1 an invariant does not hold in FILE, or `settle` changes it, 2 errors\n"
    "or bad input, 3 internal or environment.\n";

typedef struct coverage {
    size_t kinds[3]; // of the assistant's tools
    size_t of_the_user;
    size_t expressions;
    size_t steps;
    size_t ensures;
} coverage;

// Steps, and the expressions in them. As deep as steps may stand in steps.
static size_t count_steps(const lg_step *steps, size_t count, size_t *expressions)
{
    size_t total = count;
    for (size_t i = 0; i < count; i++) {
        const lg_step *step = &steps[i];
        *expressions += (step->each != NULL) + step->let_count + (step->when != NULL) +
                        (step->value != NULL) + step->text.count;
        total += count_steps(step->steps, step->step_count, expressions);
    }
    return total;
}

static void measure_tool(const lg_tool *tool, coverage *c)
{
    if (tool->by_user) {
        c->of_the_user++;
    } else {
        c->kinds[tool->kind]++;
    }
    c->ensures += tool->ensure_count;
    c->expressions += tool->store_count + tool->let_count + tool->ensure_count +
                      (tool->gives != NULL) + tool->answer.count;
    c->steps += count_steps(tool->steps, tool->step_count, &c->expressions);
}

static coverage measure(const lg_pack *pack)
{
    coverage c = {0};
    for (size_t i = 0; i < pack->tool_count; i++) {
        measure_tool(&pack->tools[i], &c);
    }
    for (size_t i = 0; i < pack->procedure_count; i++) {
        const lg_procedure *procedure = &pack->procedures[i];
        c.steps += count_steps(procedure->steps, procedure->step_count, &c.expressions);
    }
    c.steps += count_steps(pack->settle, pack->settle_count, &c.expressions);
    c.expressions += pack->ledger_invariant_count + pack->state_invariant_count;
    for (size_t i = 0; i < pack->rule_count; i++) {
        const lg_rule *rule = &pack->rules[i];
        c.expressions += rule->let_count + 1 + (rule->when != NULL);
    }
    return c;
}

static bool is_uncovered(const lg_tool *tool)
{
    if (tool->by_user) {
        return false;
    }
    return (tool->kind == LG_TOOL_WRITE && tool->rule_count == 0) ||
           (tool->kind == LG_TOOL_READ && tool->store_count == 0);
}

static void write_remarks(lg_json_writer *w, const lg_pack *pack)
{
    lg_jw_key(w, "remarks");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < pack->remark_count; i++) {
        lg_position at = lg_pack_position(pack, pack->remarks[i].offset);
        lg_jw_begin_object(w);
        lg_jw_member_uint(w, "line", at.line);
        lg_jw_member_uint(w, "column", at.column);
        lg_jw_member_str(w, "message", pack->remarks[i].text);
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}

static void write_json(cli_out *out, const lg_pack *pack, const coverage *c,
                       const check_start *start)
{
    lg_json_writer w = {.out = &out->buf};
    lg_jw_begin_object(&w);
    lg_jw_member_str(&w, "pack", pack->name);
    lg_jw_member_str(&w, "version", pack->version);
    lg_jw_member_c(&w, "hash", pack->hash);
    lg_jw_member_uint(&w, "errors", 0);
    lg_jw_member_uint(&w, "tools", pack->tool_count);
    lg_jw_member_uint(&w, "reads", c->kinds[LG_TOOL_READ]);
    lg_jw_member_uint(&w, "writes", c->kinds[LG_TOOL_WRITE]);
    lg_jw_member_uint(&w, "rules", pack->rule_count);
    lg_jw_member_uint(&w, "ledger_paths", pack->ledger.count);
    lg_jw_member_uint(&w, "user_tools", c->of_the_user);
    lg_jw_member_uint(&w, "state_places", pack->state.count);
    lg_jw_member_uint(&w, "steps", c->steps);
    lg_jw_member_uint(&w, "postconditions", c->ensures);
    lg_jw_member_uint(&w, "invariants", pack->ledger_invariant_count + pack->state_invariant_count);
    lg_jw_member_uint(&w, "conversation_rules", pack->course ? pack->course->rule_count : 0);
    lg_jw_member_uint(&w, "requests", pack->request_count);
    lg_jw_key(&w, "uncovered");
    lg_jw_begin_array(&w);
    for (size_t i = 0; i < pack->tool_count; i++) {
        if (is_uncovered(&pack->tools[i])) {
            lg_jw_str(&w, pack->tools[i].name);
        }
    }
    lg_jw_end_array(&w);
    write_remarks(&w, pack);
    if (start) {
        check_start_write(start, &w);
    }
    check_settle_write(pack, start, &w);
    lg_jw_end_object(&w);
    lg_buf_add_c(&out->buf, "\n");
}

static void list_uncovered(cli_out *out, const lg_pack *pack, lg_tool_kind kind, const char *words)
{
    bool first = true;
    for (size_t i = 0; i < pack->tool_count; i++) {
        const lg_tool *tool = &pack->tools[i];
        if (tool->kind == kind && is_uncovered(tool)) {
            lg_buf_addf(&out->buf, "%s%.*s", first ? words : ", ", LG_FMT(tool->name));
            first = false;
        }
    }
    lg_buf_add_c(&out->buf, first ? "" : "\n");
}

static void add_count(cli_out *out, size_t count, const char *what, const char *behind)
{
    lg_buf_addf(&out->buf, "%zu %s%s%s", count, what, lg_plural(count), behind);
}

static void write_text(cli_out *out, const lg_pack *pack, const coverage *c)
{
    size_t tools = pack->tool_count - c->of_the_user;
    cli_colour(out, "1");
    lg_buf_addf(&out->buf, "%.*s %.*s", LG_FMT(pack->name), LG_FMT(pack->version));
    cli_colour(out, "0");
    lg_buf_addf(&out->buf, ": sound\n");
    lg_buf_addf(&out->buf, "  %zu tool%s: ", tools, lg_plural(tools));
    add_count(out, c->kinds[LG_TOOL_READ], "read", ", ");
    add_count(out, c->kinds[LG_TOOL_WRITE], "write", ", ");
    lg_buf_addf(&out->buf, "%zu neither", c->kinds[LG_TOOL_GENERIC]);
    if (c->of_the_user) {
        lg_buf_addf(&out->buf, "; and %zu of the customer's own", c->of_the_user);
    }
    lg_buf_add_c(&out->buf, "\n");
    lg_buf_add_c(&out->buf, "  ");
    add_count(out, pack->rule_count, "rule", ", ");
    add_count(out, pack->ledger.count, "ledger path", ", ");
    add_count(out, c->expressions, "expression", "\n");
    if (pack->state.count) {
        lg_buf_addf(&out->buf, "  %zu place%s of the state, ", pack->state.count,
                    lg_plural(pack->state.count));
        add_count(out, c->steps, "step", ", ");
        add_count(out, c->ensures, "postcondition", ", ");
        add_count(out, pack->ledger_invariant_count + pack->state_invariant_count, "invariant",
                  "\n");
    }
    if (pack->course) {
        lg_buf_add_c(&out->buf, "  ");
        add_count(out, pack->course->rule_count, "conversation rule", ", ");
        add_count(out, pack->course->signal_count, "signal", "\n");
    }
    if (pack->request_count) {
        lg_buf_add_c(&out->buf, "  ");
        add_count(out, pack->request_count, "request", " of customers\n");
    }
    list_uncovered(out, pack, LG_TOOL_WRITE, "  writes that no rule judges (arguments only): ");
    list_uncovered(out, pack, LG_TOOL_READ, "  reads that store nothing: ");
    for (size_t i = 0; i < pack->remark_count; i++) {
        lg_position at = lg_pack_position(pack, pack->remarks[i].offset);
        lg_buf_addf(&out->buf, "  %s:%u:%u: remark: %.*s\n", at.file, at.line, at.column,
                    LG_FMT(pack->remarks[i].text));
    }
    lg_buf_addf(&out->buf, "  sha256 %s\n", pack->hash);
}

static int report(const lg_pack *pack, const check_start *start, bool json)
{
    cli_out out;
    cli_out_init(&out, json);
    coverage c = measure(pack);
    if (json) {
        write_json(&out, pack, &c, start);
    } else {
        write_text(&out, pack, &c);
        if (start) {
            check_start_show(start, &out);
        }
        check_settle_show(pack, start, &out);
    }
    bool found = start && (start->broken_count || start->unrest_count);
    return cli_out_done(&out, found ? EXIT_FINDINGS : EXIT_FINE);
}

int cli_check(int argc, char **argv)
{
    if (cli_wants_help(argc, argv)) {
        return cli_print_help(help);
    }
    bool json = false;
    const char *state = NULL;
    const char *task = NULL;
    const cli_option options[] = {
        {"--state", &state, NULL}, {"--task", &task, NULL}, {"--json", NULL, &json}};
    size_t operands;
    int code = cli_parse("check", argc, argv, options, LG_COUNT(options), &operands);
    if (code != EXIT_FINE) {
        return code;
    }
    if (operands != 1) {
        return cli_usage("check", "give one pack");
    }
    if (task && !state) {
        return cli_usage("check", "--task chooses among the states of --state FILE");
    }
    lg_pack *pack = json ? cli_load_pack_json(argv[0], &code) : cli_load_pack(argv[0], &code);
    if (!pack) {
        return code;
    }
    check_start start;
    if (state && pack->state.count == 0) {
        lg_pack_free(pack);
        return cli_usage("check", "the pack declares no `state` that %s could be", state);
    }
    if (!state) {
        code = report(pack, NULL, json);
    } else {
        if (check_start_open(&start, pack, state, task, &code)) {
            code = report(pack, &start, json);
        }
        check_start_close(&start);
    }
    lg_pack_free(pack);
    return code;
}
