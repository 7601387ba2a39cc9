// explain_json.c: tools as Hoare triples for other programs: one object a line.
//
// What the pack says is copied as it says it; what it leaves out is left out here.
#include "cli/prove/explain.h"

static const lg_json *get(const lg_json *object, const char *key)
{
    return lg_json_get(object, lg_str_c(key));
}

static void copy_members(lg_json_writer *w, const lg_json *source, const char *const *keys,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const lg_json *value = get(source, keys[i]);
        if (value) {
            lg_jw_member_json(w, keys[i], value);
        }
    }
}

static void write_conditions(lg_json_writer *w, const char *key, const lg_condition *items,
                             size_t count)
{
    lg_jw_key(w, key);
    lg_jw_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        lg_jw_begin_object(w);
        lg_jw_member_str(w, "id", items[i].id);
        lg_jw_member_str(w, "that", lg_cel_program_source(items[i].that));
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}

static void write_precondition(lg_json_writer *w, const lg_pack *pack, const lg_tool *tool)
{
    static const char *const keys[] = {"let", "when", "that", "needs"};
    bool judged = tool->kind == LG_TOOL_WRITE && !tool->by_user;
    lg_jw_key(w, "P");
    lg_jw_begin_array(w);
    for (size_t i = 0; judged && i < tool->rule_count; i++) {
        const lg_rule *rule = &pack->rules[tool->rules[i]];
        lg_jw_begin_object(w);
        lg_jw_member_str(w, "id", rule->id);
        copy_members(w, lg_json_get(get(pack->document, "rules"), rule->id), keys, LG_COUNT(keys));
        lg_jw_member_str(w, "stale",
                         rule->stale == LG_STALE_REREAD ? LG_STR("reread") : LG_STR("use"));
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}

static void write_obligations(lg_json_writer *w, const explain_request *r, const lg_tool *tool)
{
    lg_jw_key(w, "obligations");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < r->obligation_count; i++) {
        const explain_obligation *o = &r->obligations[i];
        if (!lg_str_eq(o->tool, tool->name)) {
            continue;
        }
        lg_jw_begin_object(w);
        lg_jw_member_str(w, "of", o->is_invariant ? LG_STR("I") : LG_STR("Q"));
        lg_jw_member_str(w, "id", o->condition);
        lg_jw_member_str(w, "outcome", lg_str_c(o->outcome));
        lg_jw_member_str(w, "why", o->why);
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}

void explain_write_tool(cli_out *out, const explain_request *r, const lg_tool *tool)
{
    static const char *const result[] = {"returns"};
    static const char *const update[] = {"let", "effects", "stores", "gives", "answer"};
    lg_json_writer w = {.out = &out->buf};
    const lg_json *source = lg_json_get(get(r->pack->document, "tools"), tool->name);
    lg_jw_begin_object(&w);
    lg_jw_member_str(&w, "tool", tool->name);
    lg_jw_member_str(&w, "kind", lg_str_c(lg_tool_kind_name(tool->kind)));
    lg_jw_member_str(&w, "requestor", tool->by_user ? LG_STR("user") : LG_STR("assistant"));
    write_precondition(&w, r->pack, tool);
    lg_jw_key(&w, "Q");
    lg_jw_begin_object(&w);
    copy_members(&w, source, result, LG_COUNT(result));
    write_conditions(&w, "ensures", tool->ensures, tool->ensure_count);
    lg_jw_end_object(&w);
    lg_jw_key(&w, "U");
    lg_jw_begin_object(&w);
    copy_members(&w, source, update, LG_COUNT(update));
    lg_jw_end_object(&w);
    write_obligations(&w, r, tool);
    lg_jw_end_object(&w);
    lg_buf_add_c(&out->buf, "\n");
    cli_out_flush_some(out);
}

void explain_write_invariants(cli_out *out, const lg_pack *pack)
{
    lg_json_writer w = {.out = &out->buf};
    lg_jw_begin_object(&w);
    lg_jw_member_str(&w, "pack", pack->name);
    lg_jw_key(&w, "I");
    lg_jw_begin_object(&w);
    write_conditions(&w, "ledger", pack->ledger_invariants, pack->ledger_invariant_count);
    write_conditions(&w, "state", pack->state_invariants, pack->state_invariant_count);
    lg_jw_end_object(&w);
    lg_jw_end_object(&w);
    lg_buf_add_c(&out->buf, "\n");
}
