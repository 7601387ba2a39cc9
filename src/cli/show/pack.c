// pack.c: `ledgergate show PACK`: what a pack says, section by section, in the order of its file.
#include "cli/show/show.h"

#include "pack/conversation.h"
#include "pack/requests.h"
#include "report/report.h"

#define EXPRESSION_COLUMN "    "

static size_t count_steps(const lg_step *steps, size_t count)
{
    size_t total = count; // as deep as steps may stand in steps
    for (size_t i = 0; i < count; i++) {
        total += count_steps(steps[i].steps, steps[i].step_count);
    }
    return total;
}

static const char *category_of(const lg_rule *rule)
{
    return lg_category_name(rule->category == LG_CATEGORY_NONE ? LG_CATEGORY_ENTITY
                                                               : rule->category);
}

static const char *shape(lg_course_kind kind)
{
    switch (kind) {
    case LG_COURSE_NEVER:
        return "never";
    case LG_COURSE_BEFORE:
        return "before";
    case LG_COURSE_AFTER:
        return "after";
    case LG_COURSE_THAT:
        return "that";
    case LG_COURSE_SINGLE_CALL:
    case LG_COURSE_NO_TEXT:
        return "message";
    }
    return NULL;
}

// --- JSON ---------------------------------------------------------------------------------------

// Every record has the type of its place.
static void places_json(lg_json_writer *w, const char *key, const lg_places *places)
{
    lg_jw_key(w, key);
    lg_jw_begin_array(w);
    for (size_t i = 0; i < places->count; i++) {
        lg_buf type;
        lg_buf_init(&type, 0);
        lg_cel_type_print(&type, places->items[i].type);
        lg_jw_begin_object(w);
        lg_jw_member_str(w, "path", places->items[i].text);
        lg_jw_member_str(w, "type", lg_buf_str(&type));
        lg_jw_end_object(w);
        lg_buf_done(&type);
    }
    lg_jw_end_array(w);
}

static void tool_json(lg_json_writer *w, const lg_pack *pack, const lg_tool *tool)
{
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "name", tool->name);
    lg_jw_member_c(w, "kind", lg_tool_kind_name(tool->kind));
    if (tool->by_user) {
        lg_jw_member_c(w, "requestor", "user");
    }
    lg_jw_key(w, "stores");
    lg_jw_begin_array(w);
    for (size_t s = 0; s < tool->store_count; s++) {
        lg_jw_str(w, tool->stores[s].to.place->text);
    }
    lg_jw_end_array(w);
    lg_jw_key(w, "rules");
    lg_jw_begin_array(w);
    for (size_t r = 0; r < tool->rule_count; r++) {
        lg_jw_str(w, pack->rules[tool->rules[r]].id);
    }
    lg_jw_end_array(w);
    if (tool->has_effects) {
        lg_jw_member_uint(w, "steps", count_steps(tool->steps, tool->step_count));
    }
    lg_jw_key(w, "postconditions");
    lg_jw_begin_array(w);
    for (size_t e = 0; e < tool->ensure_count; e++) {
        lg_jw_str(w, tool->ensures[e].id);
    }
    lg_jw_end_array(w);
    lg_jw_end_object(w);
}

static void rules_json(lg_json_writer *w, const lg_pack *pack)
{
    lg_jw_key(w, "rules");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < pack->rule_count; i++) {
        const lg_rule *rule = &pack->rules[i];
        lg_jw_begin_object(w);
        lg_jw_member_str(w, "id", rule->id);
        lg_jw_member_c(w, "otherwise", lg_report_severity(rule->otherwise));
        lg_jw_member_c(w, "category", category_of(rule));
        lg_jw_member_c(w, "stale", rule->stale == LG_STALE_REREAD ? "reread" : "use");
        lg_jw_member_str(w, "that", lg_cel_program_source(rule->that));
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}

static void invariants_json(lg_json_writer *w, const lg_condition *items, size_t count,
                            const char *of)
{
    for (size_t i = 0; i < count; i++) {
        lg_jw_begin_object(w);
        lg_jw_member_str(w, "id", items[i].id);
        lg_jw_member_c(w, "of", of);
        lg_jw_member_str(w, "that", lg_cel_program_source(items[i].that));
        lg_jw_end_object(w);
    }
}

static void conversation_json(lg_json_writer *w, const lg_course *course)
{
    lg_jw_key(w, "conversation");
    lg_jw_begin_array(w);
    for (size_t i = 0; course && i < course->rule_count; i++) {
        lg_jw_begin_object(w);
        lg_jw_member_str(w, "id", course->rules[i].id);
        lg_jw_member_c(w, "shape", shape(course->rules[i].kind));
        lg_jw_member_c(w, "otherwise", lg_report_severity(course->rules[i].otherwise));
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}

static void requests_json(lg_json_writer *w, const lg_pack *pack)
{
    lg_jw_key(w, "requests");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < pack->request_count; i++) {
        lg_jw_begin_object(w);
        lg_jw_member_str(w, "id", pack->requests[i].id);
        lg_jw_member_str(w, "tool", pack->requests[i].tool->name);
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}

static void write_pack(cli_out *out, const lg_pack *pack)
{
    lg_json_writer w = {.out = &out->buf};
    lg_jw_begin_object(&w);
    lg_jw_member_str(&w, "pack", pack->name);
    lg_jw_member_str(&w, "version", pack->version);
    places_json(&w, "ledger", &pack->ledger);
    places_json(&w, "state", &pack->state);
    lg_jw_key(&w, "tools");
    lg_jw_begin_array(&w);
    for (size_t i = 0; i < pack->tool_count; i++) {
        tool_json(&w, pack, &pack->tools[i]);
    }
    lg_jw_end_array(&w);
    rules_json(&w, pack);
    lg_jw_key(&w, "invariants");
    lg_jw_begin_array(&w);
    invariants_json(&w, pack->ledger_invariants, pack->ledger_invariant_count, "ledger");
    invariants_json(&w, pack->state_invariants, pack->state_invariant_count, "state");
    lg_jw_end_array(&w);
    conversation_json(&w, pack->course);
    requests_json(&w, pack);
    lg_jw_end_object(&w);
    lg_buf_add_c(&out->buf, "\n");
}

// --- For people ---------------------------------------------------------------------------------

static void heading(cli_out *out, const char *text)
{
    lg_buf_add_c(&out->buf, "\n");
    cli_colour(out, "1");
    lg_buf_add_c(&out->buf, text);
    cli_colour(out, "0");
    lg_buf_add_c(&out->buf, "\n");
}

// In one line, however it is written. Blanks within a line stay, since texts may hold them.
static void show_expression(cli_out *out, const lg_cel_program *program)
{
    lg_str source = lg_str_trim(lg_cel_program_source(program));
    bool begins = false; // a line
    cli_colour(out, "2");
    lg_buf_add_c(&out->buf, EXPRESSION_COLUMN);
    for (size_t i = 0; i < source.len; i++) {
        char c = source.ptr[i];
        if (c == '\n' && !begins) {
            lg_buf_add_c(&out->buf, " ");
        }
        begins = c == '\n' || (begins && c == ' ');
        if (!begins) {
            lg_buf_add_byte(&out->buf, c);
        }
    }
    cli_colour(out, "0");
    lg_buf_add_c(&out->buf, "\n");
}

static void show_places(cli_out *out, const char *title, const lg_places *places)
{
    if (places->count) {
        heading(out, title);
    }
    for (size_t i = 0; i < places->count; i++) {
        lg_buf_add_c(&out->buf, "  ");
        cli_pad(out, places->items[i].text, 41);
        lg_cel_type_print(&out->buf, places->items[i].type);
        lg_buf_add_c(&out->buf, "\n");
    }
}

static void show_tool(cli_out *out, const lg_tool *tool)
{
    lg_buf *buf = &out->buf;
    bool write = tool->kind == LG_TOOL_WRITE;
    const char *comma = "  ";
    lg_buf_add_c(buf, "  ");
    cli_pad(out, lg_str_c(lg_tool_kind_name(tool->kind)), 9);
    bool more = tool->by_user || tool->store_count || tool->ensure_count || write;
    cli_pad(out, tool->name, more ? 32 : 0);
    for (size_t s = 0; s < tool->store_count; s++) {
        if (s == 0 || tool->stores[s].to.place != tool->stores[s - 1].to.place) {
            lg_buf_addf(buf, "%s%s%.*s", comma, s ? "" : "to ",
                        LG_FMT(tool->stores[s].to.place->text));
            comma = ", ";
        }
    }
    if (tool->by_user) {
        lg_buf_addf(buf, "%sthe customer's own", comma);
        comma = "; ";
    } else if (write) {
        lg_buf_addf(buf, "%s%zu rule%s", comma, tool->rule_count, lg_plural(tool->rule_count));
        comma = ", ";
    }
    if (write && tool->has_effects) {
        size_t steps = count_steps(tool->steps, tool->step_count);
        lg_buf_addf(buf, "%s%zu step%s", comma, steps, lg_plural(steps));
    } else if (write) {
        lg_buf_addf(buf, "%smay change anything", comma);
    }
    if (tool->ensure_count) {
        lg_buf_addf(buf, "%s%zu postcondition%s", more && comma[0] == ' ' ? "  " : "; ",
                    tool->ensure_count, lg_plural(tool->ensure_count));
    }
    lg_buf_add_c(buf, "\n");
}

static void show_rule(cli_out *out, const lg_pack *pack, const lg_rule *rule)
{
    lg_buf_add_c(&out->buf, "  ");
    cli_pad(out, rule->id, 42);
    cli_pad(out, lg_str_c(lg_report_severity(rule->otherwise)), 8);
    cli_pad(out, lg_str_c(category_of(rule)), 8);
    lg_buf_addf(&out->buf, "%s%s\n", rule->need_count ? "insists on its evidence" : "may abstain",
                rule->stale == LG_STALE_REREAD ? ", which must be fresh" : "");
    show_expression(out, rule->that);
    cli_colour(out, "2");
    lg_buf_add_c(&out->buf, EXPRESSION_COLUMN "for ");
    for (size_t i = 0; i < rule->tool_count; i++) {
        lg_buf_addf(&out->buf, "%s%.*s", i ? ", " : "", LG_FMT(pack->tools[rule->tools[i]].name));
    }
    cli_colour(out, "0");
    lg_buf_add_c(&out->buf, "\n");
}

static void show_invariants(cli_out *out, const lg_condition *items, size_t count, const char *of)
{
    for (size_t i = 0; i < count; i++) {
        lg_buf_add_c(&out->buf, "  ");
        cli_pad(out, items[i].id, 42);
        lg_buf_addf(&out->buf, "of the %s\n", of);
        show_expression(out, items[i].that);
    }
}

static void show_pattern(cli_out *out, const char *before, const lg_pattern *pattern)
{
    for (size_t i = 0; i < pattern->count; i++) {
        lg_buf_add_c(&out->buf, i ? " or " : before);
        cli_add_text(out, pattern->parts[i].text);
    }
}

static void show_course_rule(cli_out *out, const lg_course_rule *rule)
{
    lg_buf_add_c(&out->buf, "  ");
    cli_pad(out, rule->id, 42);
    lg_buf_addf(&out->buf, "%s\n", lg_report_severity(rule->otherwise));
    cli_colour(out, "2");
    switch (rule->kind) {
    case LG_COURSE_NEVER:
        show_pattern(out, EXPRESSION_COLUMN "after ", &rule->opens);
        show_pattern(out, " never ", &rule->judged);
        show_pattern(out, " unless ", &rule->closes);
        break;
    case LG_COURSE_BEFORE:
        show_pattern(out, EXPRESSION_COLUMN "first ", &rule->opens);
        show_pattern(out, ", then ", &rule->judged);
        break;
    case LG_COURSE_AFTER:
        show_pattern(out, EXPRESSION_COLUMN "after ", &rule->opens);
        show_pattern(out, " there must be ", &rule->closes);
        break;
    case LG_COURSE_THAT:
        cli_colour(out, "0");
        show_expression(out, rule->that);
        show_pattern(out, EXPRESSION_COLUMN "at ", &rule->judged);
        break;
    case LG_COURSE_SINGLE_CALL:
        lg_buf_add_c(&out->buf, EXPRESSION_COLUMN "one call a message");
        break;
    case LG_COURSE_NO_TEXT:
        lg_buf_add_c(&out->buf, EXPRESSION_COLUMN "a message has a text or a call");
        break;
    }
    cli_colour(out, "0");
    lg_buf_add_c(&out->buf, "\n");
}

static void show_request(cli_out *out, const lg_request *request)
{
    lg_buf_add_c(&out->buf, "  ");
    cli_pad(out, request->id, 42);
    cli_add_text(out, request->tool->name);
    lg_buf_add_c(&out->buf, "\n");
    for (size_t i = 0; i < request->says_count; i++) {
        show_expression(out, request->says[i]);
    }
}

static void show_pack(cli_out *out, const lg_pack *pack)
{
    cli_colour(out, "1");
    lg_buf_addf(&out->buf, "%.*s %.*s", LG_FMT(pack->name), LG_FMT(pack->version));
    cli_colour(out, "0");
    lg_buf_addf(&out->buf, "  %.*s\n", LG_FMT(pack->description));
    show_places(out, "Ledger", &pack->ledger);
    show_places(out, "State", &pack->state);
    heading(out, "Tools");
    for (size_t i = 0; i < pack->tool_count; i++) {
        show_tool(out, &pack->tools[i]);
    }
    if (pack->rule_count) {
        heading(out, "Rules");
    }
    for (size_t i = 0; i < pack->rule_count; i++) {
        show_rule(out, pack, &pack->rules[i]);
    }
    if (pack->ledger_invariant_count + pack->state_invariant_count) {
        heading(out, "Invariants");
    }
    show_invariants(out, pack->ledger_invariants, pack->ledger_invariant_count, "ledger");
    show_invariants(out, pack->state_invariants, pack->state_invariant_count, "state");
    if (pack->course && pack->course->rule_count) {
        heading(out, "Conversation");
    }
    for (size_t i = 0; pack->course && i < pack->course->rule_count; i++) {
        show_course_rule(out, &pack->course->rules[i]);
    }
    if (pack->request_count) {
        heading(out, "Requests");
    }
    for (size_t i = 0; i < pack->request_count; i++) {
        show_request(out, &pack->requests[i]);
    }
}

int show_pack_file(const char *path, bool json)
{
    int code;
    lg_pack *pack = cli_load_pack(path, &code);
    if (!pack) {
        return code;
    }
    cli_out out;
    cli_out_init(&out, json);
    if (json) {
        write_pack(&out, pack);
    } else {
        show_pack(&out, pack);
    }
    lg_pack_free(pack);
    return cli_out_done(&out, EXIT_FINE);
}
