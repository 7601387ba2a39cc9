// explain.c: a tool as a Hoare triple, in the words of its pack.
//
// What is shown of the pack is read from its document, so that it is what the author wrote; the
// checked model has lost the names of items, and knows nothing that a reader would miss.
#include "cli/prove/explain.h"

#define STEP_DEPTH_MAX 16u

static const lg_json *get(const lg_json *object, const char *key)
{
    return lg_json_get(object, lg_str_c(key));
}

static void head(cli_out *out, const char *letter, const char *words)
{
    lg_buf_add_c(&out->buf, "  ");
    cli_colour(out, "1");
    lg_buf_add_c(&out->buf, letter);
    cli_colour(out, "0");
    lg_buf_addf(&out->buf, "  %s\n", words);
}

static void indent(cli_out *out, uint32_t depth)
{
    for (uint32_t i = 0; i < depth; i++) {
        lg_buf_add_c(&out->buf, "  ");
    }
}

// A text in one line: what was folded, or stands in lines of its own, has one blank between words.
static void add_folded(cli_out *out, lg_str text)
{
    text = lg_str_trim(text);
    size_t from = 0;
    for (size_t i = 0; i < text.len; i++) {
        bool again =
            i > 0 && text.ptr[i] == ' ' && (text.ptr[i - 1] == ' ' || text.ptr[i - 1] == '\n');
        if (again) {
            cli_add_text(out, lg_str_slice(text, from, i));
            from = i + 1;
        }
    }
    cli_add_text(out, lg_str_slice(text, from, text.len));
}

static void add_source(cli_out *out, const lg_json *source)
{
    if (lg_json_is(source, LG_JSON_STRING)) {
        add_folded(out, lg_json_str(source));
    } else {
        lg_json_print(&out->buf, source);
    }
}

static void add_clause(cli_out *out, const char *words, const lg_json *source)
{
    if (source) {
        lg_buf_add_c(&out->buf, words);
        add_source(out, source);
    }
}

static void add_lets(cli_out *out, uint32_t depth, const lg_json *lets)
{
    for (size_t i = 0; i < lg_json_len(lets); i++) {
        const lg_json_member *member = lg_json_member_at(lets, i);
        indent(out, depth);
        lg_buf_addf(&out->buf, "let %.*s = ", LG_FMT(lg_json_key(member)));
        add_source(out, &member->value);
        lg_buf_add_c(&out->buf, "\n");
    }
}

// --- P ------------------------------------------------------------------------------------------

static void show_rule(cli_out *out, const lg_pack *pack, const lg_rule *rule)
{
    const lg_json *source = lg_json_get(get(pack->document, "rules"), rule->id);
    indent(out, 3);
    lg_buf_addf(&out->buf, "%.*s", LG_FMT(rule->id));
    lg_buf_add_c(&out->buf, rule->need_count ? "\n" : "  (abstains if something is missing)\n");
    add_lets(out, 5, get(source, "let"));
    indent(out, 5);
    if (rule->when) {
        add_clause(out, "if ", get(source, "when"));
        lg_buf_add_c(&out->buf, ": ");
    }
    add_source(out, get(source, "that"));
    lg_buf_add_c(&out->buf, "\n");
    for (size_t i = 0; i < rule->need_count; i++) {
        indent(out, 5);
        lg_buf_addf(&out->buf, "%.*s is known%s\n", LG_FMT(rule->needs[i].name),
                    rule->stale == LG_STALE_REREAD ? ", and not stale" : "");
    }
}

static void show_precondition(cli_out *out, const lg_pack *pack, const lg_tool *tool)
{
    head(out, "P", "what must hold before a call, of what is known");
    if (tool->kind != LG_TOOL_WRITE || tool->by_user) {
        lg_buf_add_c(&out->buf, "      true: only writes of the assistant are judged\n");
        return;
    }
    lg_buf_add_c(&out->buf, "      the arguments fit the tool's parameters\n");
    for (size_t i = 0; i < tool->rule_count; i++) {
        show_rule(out, pack, &pack->rules[tool->rules[i]]);
    }
}

// --- Q ------------------------------------------------------------------------------------------

static void show_condition(cli_out *out, const lg_condition *condition)
{
    indent(out, 3);
    lg_buf_addf(&out->buf, "%.*s: ", LG_FMT(condition->id));
    add_folded(out, lg_cel_program_source(condition->that));
    lg_buf_add_c(&out->buf, "\n");
}

static void show_postcondition(cli_out *out, const lg_json *source, const lg_tool *tool)
{
    head(out, "Q", "what a result must be, or it is discarded");
    indent(out, 3);
    const lg_json *returns = get(source, "returns");
    if (returns) {
        add_clause(out, "returns: ", returns);
    } else {
        lg_buf_add_c(&out->buf, "returns: anything");
    }
    lg_buf_add_c(&out->buf, "\n");
    for (size_t i = 0; i < tool->ensure_count; i++) {
        show_condition(out, &tool->ensures[i]);
    }
}

// --- U ------------------------------------------------------------------------------------------

// What one step does, without its conditions.
static void add_action(cli_out *out, const lg_json *step)
{
    if (get(step, "set")) {
        add_source(out, get(step, "set"));
        add_clause(out, " := ", get(step, "to"));
    } else if (get(step, "append")) {
        add_source(out, get(step, "append"));
        add_clause(out, " := itself, then ", get(step, "value"));
    } else if (get(step, "remove")) {
        add_clause(out, "remove ", get(step, "remove"));
    } else if (get(step, "fail")) {
        add_clause(out, "end, with the error ", get(step, "fail"));
    } else if (get(step, "run")) {
        add_clause(out, "run ", get(step, "run"));
    } else {
        lg_buf_add_c(&out->buf, "do");
    }
    lg_buf_add_c(&out->buf, "\n");
}

// As deep as steps may stand in steps.
static void show_steps(cli_out *out, const lg_json *steps, uint32_t depth)
{
    for (size_t i = 0; i < lg_json_len(steps) && depth < STEP_DEPTH_MAX; i++) {
        const lg_json *step = &steps->as.items[i];
        const lg_json *as = get(step, "as");
        uint32_t inner = depth;
        if (get(step, "each")) {
            indent(out, inner++);
            lg_buf_addf(&out->buf, "for each %.*s of ",
                        LG_FMT(as ? lg_json_str(as) : LG_STR("item")));
            add_source(out, get(step, "each"));
            lg_buf_add_c(&out->buf, "\n");
        }
        add_lets(out, inner, get(step, "let"));
        indent(out, inner);
        if (get(step, "when")) {
            add_clause(out, "if ", get(step, "when"));
            lg_buf_add_c(&out->buf, ": ");
        }
        add_action(out, step);
        show_steps(out, get(step, "do"), inner + 1);
    }
}

static void show_stores(cli_out *out, const lg_json *stores)
{
    for (size_t i = 0; i < lg_json_len(stores); i++) {
        const lg_json *store = &stores->as.items[i];
        const lg_json *each = get(store, "each");
        const lg_json *value = get(store, "value");
        indent(out, 3);
        if (each) {
            add_clause(out, "for each item of ", each);
            lg_buf_add_c(&out->buf, ": ");
        }
        if (get(store, "when")) {
            add_clause(out, "if ", get(store, "when"));
            lg_buf_add_c(&out->buf, ": ");
        }
        add_clause(out, "ledger.", get(store, "at"));
        lg_buf_add_c(&out->buf, " := ");
        if (value) {
            add_source(out, value);
        } else {
            lg_buf_add_c(&out->buf, each ? "item" : "result");
        }
        lg_buf_add_c(&out->buf, "\n");
    }
}

static void show_update(cli_out *out, const lg_pack *pack, const lg_json *source,
                        const lg_tool *tool)
{
    head(out, "U", "what a call does");
    add_lets(out, 3, get(source, "let"));
    show_steps(out, get(source, "effects"), 3);
    show_stores(out, get(source, "stores"));
    if (tool->kind == LG_TOOL_WRITE && !tool->has_effects) {
        lg_buf_add_c(&out->buf, "      to the state: the pack does not say\n");
    }
    if (tool->kind == LG_TOOL_WRITE && !tool->by_user) {
        lg_buf_add_c(&out->buf, "      ledger.history := itself, then the call\n"
                                "      stale: what was read of the state where this changes it\n");
    }
    if (pack->settle_count) {
        lg_buf_add_c(&out->buf, "      then the state settles\n");
    }
    indent(out, 3);
    lg_buf_add_c(&out->buf, "the result is ");
    if (get(source, "gives")) {
        add_source(out, get(source, "gives"));
    } else if (get(source, "answer")) {
        add_clause(out, "the text ", get(source, "answer"));
    } else {
        lg_buf_add_c(&out->buf, "not said by the pack");
    }
    lg_buf_add_c(&out->buf, "\n");
}

// --- The rule and what was proved ---------------------------------------------------------------

static void show_inference(cli_out *out, const lg_tool *tool)
{
    lg_buf_addf(&out->buf,
                "\n      σ |= P    σ |= I    r = %.*s(σ)    (σ, r) |= Q\n"
                "      ------------------------------------------------------\n"
                "      U(σ, r) |= I\n\n",
                LG_FMT(tool->name));
}

static const explain_obligation *find(const explain_request *r, lg_str tool, lg_str condition,
                                      bool is_invariant)
{
    const explain_obligation *others = NULL;
    for (size_t i = 0; i < r->obligation_count; i++) {
        const explain_obligation *o = &r->obligations[i];
        if (o->is_invariant != is_invariant || !lg_str_eq(o->tool, tool)) {
            continue;
        }
        if (lg_str_eq(o->condition, condition)) {
            return o;
        }
        others = o->condition.len ? others : o;
    }
    return others;
}

static void show_obligation(cli_out *out, const explain_request *r, const lg_tool *tool,
                            const lg_condition *condition, bool is_invariant)
{
    const explain_obligation *o = find(r, tool->name, condition->id, is_invariant);
    const char *outcome = o ? o->outcome : "not proved: the pack does not say what it does";
    indent(out, 3);
    lg_buf_add_c(&out->buf, is_invariant ? "I " : "Q ");
    cli_pad(out, condition->id, 34);
    lg_buf_addf(&out->buf, " %s", outcome);
    if (o && o->why.len) {
        lg_buf_add_c(&out->buf, ": ");
        cli_add_text(out, o->why);
    }
    lg_buf_add_c(&out->buf, "\n");
}

static void show_obligations(cli_out *out, const explain_request *r, const lg_tool *tool)
{
    lg_buf_add_c(
        &out->buf,
        "  eq. 15: for all σ: if P and I hold of σ, Q holds of the result, and I of U(σ, r)\n");
    for (size_t i = 0; i < tool->ensure_count; i++) {
        show_obligation(out, r, tool, &tool->ensures[i], false);
    }
    for (size_t i = 0; i < r->pack->state_invariant_count; i++) {
        show_obligation(out, r, tool, &r->pack->state_invariants[i], true);
    }
}

static void show_tool(cli_out *out, const explain_request *r, const lg_tool *tool)
{
    const lg_json *source = lg_json_get(get(r->pack->document, "tools"), tool->name);
    cli_colour(out, "1");
    lg_buf_addf(&out->buf, "{P} %.*s {Q}\n", LG_FMT(tool->name));
    cli_colour(out, "0");
    show_precondition(out, r->pack, tool);
    show_postcondition(out, source, tool);
    show_update(out, r->pack, source, tool);
    show_inference(out, tool);
    show_obligations(out, r, tool);
    lg_buf_add_c(&out->buf, "\n");
    cli_out_flush_some(out);
}

static void show_invariants(cli_out *out, const lg_pack *pack)
{
    cli_colour(out, "1");
    lg_buf_add_c(&out->buf, "I, what makes σ well-formed\n");
    cli_colour(out, "0");
    lg_buf_add_c(&out->buf,
                 "      every entry is of its declared type, and every key is there once\n");
    for (size_t i = 0; i < pack->ledger_invariant_count; i++) {
        show_condition(out, &pack->ledger_invariants[i]);
    }
    for (size_t i = 0; i < pack->state_invariant_count; i++) {
        show_condition(out, &pack->state_invariants[i]);
    }
    lg_buf_add_c(&out->buf, "\n");
}

int explain(const explain_request *request)
{
    cli_out out;
    int code = EXIT_FINE;
    size_t unsafe = 0;
    cli_out_init(&out, request->json);
    if (request->json) {
        explain_write_invariants(&out, request->pack);
    } else {
        show_invariants(&out, request->pack);
    }
    for (size_t i = 0; i < request->pack->tool_count; i++) {
        const lg_tool *tool = &request->pack->tools[i];
        bool wanted = request->only.len == 0 || lg_str_eq(request->only, tool->name);
        if (!wanted || tool->kind == LG_TOOL_GENERIC) {
            continue;
        }
        if (request->json) {
            explain_write_tool(&out, request, tool);
        } else {
            show_tool(&out, request, tool);
        }
    }
    if (request->state && !explain_derive(&out, request, &unsafe, &code)) {
        lg_buf_clear(&out.buf); // nothing is printed if the input is wrong
        return cli_out_done(&out, code);
    }
    return cli_out_done(&out, unsafe ? EXIT_FINDINGS : code);
}
