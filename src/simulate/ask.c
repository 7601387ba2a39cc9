// ask.c: what only a model can say of a call: is it sensible, what does its tool return, which state does that leave?
#include "simulate/ask_internal.h"

static lg_status add_and_take(lg_arena *arena, const lg_ask *ask, const lg_json *result,
                              lg_str *ret, lg_error *reterr)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_llm_add_section(&text, "tool", ask->tool->name, ASK_TEXT_BYTES);
    lg_llm_add_section(&text, "description", ask->tool->description, ASK_TEXT_BYTES);
    ask_add_json(&text, "schema_of_arguments", ask->tool->parameters, ASK_SCHEMA_BYTES);
    ask_add_json(&text, "schema_of_result", ask->tool->result, ASK_SCHEMA_BYTES);
    ask_add_json(&text, "state", ask->state, ASK_STATE_BYTES);
    ask_add_calls(&text, ask->past, ask->past_count, 0);
    ask_add_json(&text, "arguments", ask->args, ASK_STATE_BYTES);
    ask_add_json(&text, "returned", result, ASK_STATE_BYTES);
    return ask_take(arena, &text, ret, reterr);
}

// --- Arguments (section 3.1) ----------------------------------------------------------------------

// The top-level argument that a model means: "a", "/a/0", "a.b". Empty: the schema has none such.
static lg_str argument_of(const lg_ask *ask, lg_str said)
{
    const lg_json *properties = lg_json_get(ask->tool->parameters, LG_STR("properties"));
    const lg_json *known = lg_json_len(properties) ? properties : ask->args;
    said = lg_str_trim(said);
    if (lg_json_get(known, said)) {
        return said;
    }
    lg_str rest = lg_str_slice(said, lg_str_starts(said, LG_STR("/")) ? 1 : 0, said.len);
    size_t end = 0;
    while (end < rest.len && rest.ptr[end] != '/' && rest.ptr[end] != '.' && rest.ptr[end] != '[') {
        end++;
    }
    lg_str first = lg_str_slice(rest, 0, end);
    return lg_json_get(known, first) ? first : LG_STR("");
}

typedef struct problems {
    lg_sim_violation *items;
    size_t count, unknown, shortened;
} problems;

static lg_str pointer_to(lg_arena *arena, lg_str name)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_json_pointer_add(&text, name);
    return lg_buf_keep(&text, arena);
}

static lg_status take_problem(lg_arena *arena, const lg_ask *ask, const lg_json *item, problems *p,
                              lg_error *reterr)
{
    lg_str name = argument_of(ask, lg_json_str(lg_json_get(item, LG_STR("argument"))));
    lg_str reason = lg_str_trim(lg_json_str(lg_json_get(item, LG_STR("reason"))));
    if (name.len == 0) {
        p->unknown++;
        return LG_OK;
    }
    bool hidden = reason.len == 0 || ask_gives_away(ask, name, reason);
    p->shortened += hidden;
    lg_sim_violation *v = &p->items[p->count++];
    *v = (lg_sim_violation){.rule = LG_STR("model"), .kind = LG_STR("arguments")};
    v->path = pointer_to(arena, name);
    v->message =
        hidden ? lg_arena_printf(arena, "`%.*s` is not what its description asks for", LG_FMT(name))
               : lg_arena_printf(arena, "`%.*s`: %.*s", LG_FMT(name), LG_FMT(reason));
    return v->path.ptr && v->message.ptr ? LG_OK : lg_fail_oom(reterr);
}

static lg_status note_problems(lg_arena *arena, const problems *p, lg_str *ret_note,
                               lg_error *reterr)
{
    if (p->unknown + p->shortened > 0) {
        *ret_note = lg_arena_printf(
            arena,
            "of what the model said against the arguments, %zu named none of the tool's and %zu "
            "gave no reason that may be passed on",
            p->unknown, p->shortened);
        return ret_note->ptr ? LG_OK : lg_fail_oom(reterr);
    }
    return LG_OK;
}

static lg_status note_why(lg_arena *arena, const char *what, lg_str why, lg_str *ret_note,
                          lg_error *reterr)
{
    *ret_note = lg_arena_printf(arena, "%s: %.*s", what, LG_FMT(why));
    return ret_note->ptr ? LG_OK : lg_fail_oom(reterr);
}

lg_status lg_ask_validity(lg_arena *arena, lg_llm *model, const lg_ask *ask,
                          const lg_sim_violation **ret, size_t *ret_count, lg_str *ret_note,
                          lg_error *reterr)
{
    const lg_json *value;
    lg_str why;
    ask_question question = {.task = ask_task_validity};
    *ret = NULL;
    *ret_count = 0;
    *ret_note = LG_STR("");
    if (lg_json_len(ask->args) == 0) {
        return LG_OK; // there is nothing to be wrong
    }
    lg_status status = ask_schema(arena, ask_schema_validity, &question.schema, reterr);
    if (status == LG_OK) {
        // The state is not shown: what the validator does not know it cannot give away.
        lg_ask shown = {.tool = ask->tool, .args = ask->args};
        status = add_and_take(arena, &shown, NULL, &question.material, reterr);
    }
    if (status == LG_OK) {
        status = ask_model(arena, model, &question, &value, &why, reterr);
    }
    if (status != LG_OK) {
        return status;
    }
    const lg_json *valid = lg_json_get(value, LG_STR("valid"));
    const lg_json *list = lg_json_get(value, LG_STR("problems"));
    if (!lg_json_is(valid, LG_JSON_BOOL)) {
        why = value ? LG_STR("it is not what was asked for") : why;
        return note_why(arena, "the model has not looked at the arguments", why, ret_note, reterr);
    }
    size_t count = lg_json_is(list, LG_JSON_ARRAY) ? lg_json_len(list) : 0;
    problems p = {.items = LG_NEW_ARRAY(arena, lg_sim_violation, count + 1)};
    if (!p.items) {
        return lg_fail_oom(reterr);
    }
    for (size_t i = 0; i < count && status == LG_OK && !lg_json_is_true(valid); i++) {
        status = take_problem(arena, ask, lg_json_item(list, i), &p, reterr);
    }
    *ret = p.items;
    *ret_count = p.count;
    if (status == LG_OK && p.count == 0 && !lg_json_is_true(valid)) {
        return note_why(arena, "the arguments count as valid",
                        LG_STR("the model found them wrong and named none of them"), ret_note,
                        reterr);
    }
    return status == LG_OK ? note_problems(arena, &p, ret_note, reterr) : status;
}

// --- The response (section 3.2) -------------------------------------------------------------------

// No part of it leads to another place.
static bool has_no_reference(const lg_json *value, unsigned depth)
{
    if (depth > 64 || lg_json_get(value, LG_STR("$ref")) ||
        lg_json_get(value, LG_STR("$dynamicRef"))) {
        return false;
    }
    for (size_t i = 0; i < lg_json_len(value); i++) {
        const lg_json *inner = lg_json_is(value, LG_JSON_ARRAY)
                                   ? lg_json_item(value, i)
                                   : &lg_json_member_at(value, i)->value;
        if (lg_json_len(inner) > 0 && !has_no_reference(inner, depth + 1)) {
            return false;
        }
    }
    return true;
}

// Servers take schemas of objects, in the words of JSON Schema, that stand alone.
static bool can_be_sent(const lg_sim_tool *tool)
{
    bool is_of_3_0 = tool->of_catalogue && tool->of_catalogue->dialect == LG_SCHEMA_OPENAPI_3_0;
    return tool->result && tool->results && !is_of_3_0 &&
           lg_str_eq(lg_json_str(lg_json_get(tool->result, LG_STR("type"))), LG_STR("object")) &&
           has_no_reference(tool->result, 0);
}

lg_status lg_ask_response(lg_arena *arena, lg_llm *model, const lg_ask *ask,
                          const lg_json **ret_result, lg_str *ret_note, lg_error *reterr)
{
    lg_str why;
    ask_question question = {.task = ask_task_response,
                             .schema = can_be_sent(ask->tool) ? ask->tool->result : NULL,
                             .checked = ask->tool->results};
    *ret_result = NULL;
    *ret_note = LG_STR("");
    lg_status status = add_and_take(arena, ask, NULL, &question.material, reterr);
    if (status == LG_OK) {
        status = ask_model(arena, model, &question, ret_result, &why, reterr);
    }
    if (status == LG_OK && !*ret_result) {
        return note_why(arena, "the model's answer is replaced by synthesis", why, ret_note,
                        reterr);
    }
    return status;
}

// --- The state (section 3.3) ------------------------------------------------------------------------

static bool is_larger(const lg_json *value, size_t most)
{
    lg_buf text;
    lg_buf_init(&text, most);
    if (value) {
        lg_json_print(&text, value);
    }
    bool larger = lg_buf_status(&text) != LG_OK;
    lg_buf_done(&text);
    return larger;
}

lg_status lg_ask_state(lg_arena *arena, lg_llm *model, const lg_ask *ask, const lg_json *result,
                       const lg_json **ret_state, lg_str *ret_note, lg_error *reterr)
{
    static const char stays[] = "the state stays as it was";
    lg_str why;
    ask_question question = {.task = ask_task_state, .of_object = true};
    *ret_state = NULL;
    *ret_note = LG_STR("");
    // A model that sees a part would write a part, and the rest would be gone.
    if (is_larger(ask->state, ASK_STATE_BYTES) || is_larger(result, ASK_STATE_BYTES)) {
        return note_why(arena, stays, LG_STR("it is too large for a model to write it anew"),
                        ret_note, reterr);
    }
    lg_status status = add_and_take(arena, ask, result, &question.material, reterr);
    if (status == LG_OK) {
        status = ask_model(arena, model, &question, ret_state, &why, reterr);
    }
    return status == LG_OK && !*ret_state ? note_why(arena, stays, why, ret_note, reterr) : status;
}

lg_status lg_ask_first_state(lg_arena *arena, lg_llm *model, const lg_sim *sim, lg_str task,
                             const lg_json *background, const lg_json **ret_state, lg_str *ret_note,
                             lg_error *reterr)
{
    static const char none[] = "the task begins without a state of its own";
    lg_buf text;
    lg_str why;
    ask_question question = {.task = ask_task_first_state, .of_object = true};
    *ret_state = NULL;
    *ret_note = LG_STR("");
    if (is_larger(background, ASK_STATE_BYTES)) {
        return note_why(arena, none, LG_STR("what is known already is too large for a model"),
                        ret_note, reterr);
    }
    lg_buf_init(&text, 0);
    lg_llm_add_section(&text, "task", task, ASK_STATE_BYTES);
    ask_add_json(&text, "known", background, ASK_STATE_BYTES);
    ask_add_tools(&text, sim);
    lg_status status = ask_take(arena, &text, &question.material, reterr);
    if (status == LG_OK) {
        status = ask_model(arena, model, &question, ret_state, &why, reterr);
    }
    return status == LG_OK && !*ret_state ? note_why(arena, none, why, ret_note, reterr) : status;
}
