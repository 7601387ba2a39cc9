// steps.c: what tools do to the state: steps, procedures, and what a tool answers.
//
// Each step has an environment of its own below that of the steps around it, so that its item and its
// `let`s are seen by what it does and by nothing else. Steps side by side share their slots.
#include "pack/loader.h"

#define STEP_DEPTH_MAX 16u
#define PROCEDURES_MAX 256u

// A list of steps that is being read, and where in it the reader is.
typedef struct step_list {
    const lg_json *steps;
    size_t index;
    const struct step_list *outer;
} step_list;

typedef struct step_reader {
    loader *l;
    bool changes_state; // false in a tool that is no write: it may only fail
    bool is_shared;     // procedures and `settle`
    const step_list *list;
} step_reader;

static bool read_steps(step_reader *r, const lg_json *json, const lg_cel_env *env, uint32_t depth,
                       const lg_step **ret_steps, size_t *ret_count);

// --- Environments -------------------------------------------------------------------------------

// `state`, `now` and `args`, in this order.
static lg_cel_env *base_env(loader *l, const lg_cel_type *args)
{
    lg_cel_env *env = lg_cel_env_new(l->arena, l->definitions, &l->limits);
    if (!env) {
        return NULL;
    }
    bool declared =
        lg_cel_env_declare(env, LG_STR("state"), l->pack->state.type) == LG_STEP_SLOT_STATE &&
        lg_cel_env_declare(env, LG_STR("now"), lg_cel_type_of_kind(LG_CEL_TIMESTAMP)) ==
            LG_STEP_SLOT_NOW &&
        lg_cel_env_declare(env, LG_STR("args"), args) == LG_STEP_SLOT_ARGS;
    return declared ? env : NULL;
}

// Steps that many tools share have no arguments, but the slot.
static lg_cel_env *shared_env(loader *l)
{
    lg_cel_type *none = LG_NEW(l->arena, lg_cel_type);
    if (!none) {
        return NULL;
    }
    *none = (lg_cel_type){.kind = LG_CEL_OBJECT,
                          .name = LG_STR("steps that all tools share: they have no arguments")};
    return base_env(l, none);
}

static void note_slots(loader *l, const lg_cel_env *env)
{
    uint32_t slots = lg_cel_env_slots(env);
    l->pack->step_slots = slots > l->pack->step_slots ? slots : l->pack->step_slots;
}

// --- Parts of a step ----------------------------------------------------------------------------

// Numbers and truth values may stand without quotes.
static const lg_json *as_expression(loader *l, const lg_json *value)
{
    if (!value || lg_json_is(value, LG_JSON_STRING)) {
        return value;
    }
    bool plain = lg_json_is(value, LG_JSON_BOOL) || lg_json_is(value, LG_JSON_NULL) ||
                 lg_json_is_number(value);
    lg_json *text = LG_NEW(l->arena, lg_json);
    if (!plain || !text) {
        return value;
    }
    lg_buf print;
    lg_buf_init(&print, 0);
    lg_json_print(&print, value);
    *text = lg_json_make_str(lg_arena_str(l->arena, lg_buf_str(&print)));
    text->offset = value->offset;
    lg_buf_done(&print);
    return text;
}

static const lg_cel_program *read_value(loader *l, const lg_cel_env *env, const lg_json *body,
                                        const char *key)
{
    const lg_json *value = as_expression(l, lg_json_get(body, lg_str_c(key)));
    if (!lg_json_is(value, LG_JSON_STRING)) {
        loader_error(l, value ? value->offset : body->offset, "this step needs `%s`: an expression",
                     key);
        return NULL;
    }
    return loader_compile(l, env, value, 0, lg_json_str(value).len);
}

static void read_each(loader *l, const lg_json *body, lg_cel_env *env, const lg_cel_env *outer,
                      lg_step *step)
{
    const lg_json *each = lg_json_get(body, LG_STR("each"));
    const lg_json *as = lg_json_get(body, LG_STR("as"));
    if (!each) {
        if (as) {
            loader_error(l, as->offset, "`as` names the item of an `each`; there is none");
        }
        return;
    }
    step->each = loader_compile_as(l, outer, each, LG_CEL_LIST, "each");
    const lg_cel_type *list = step->each ? lg_cel_program_type(step->each) : NULL;
    const lg_cel_type *item =
        list && list->kind == LG_CEL_LIST ? list->element : lg_cel_type_of_kind(LG_CEL_DYN);
    lg_str name = as ? loader_string(l, body, "as", false) : LG_STR("item");
    step->item_slot = lg_cel_env_declare(env, name, item);
    if (step->item_slot == UINT32_MAX) {
        loader_error(l, (as ? as : each)->offset,
                     "`%.*s` cannot be bound: it is taken, reserved, or no name%s", LG_FMT(name),
                     as ? "" : "; give the item a name with `as`");
    }
}

static void require_write(step_reader *r, const lg_json *at)
{
    if (!r->changes_state) {
        loader_error(r->l, at->offset,
                     "only a tool of kind write changes the state; others may only `fail`");
    }
}

// --- Kinds of step ------------------------------------------------------------------------------

// May this step put something at `target` or below it? Those that contain steps may do anything.
static bool may_write(const lg_json *step, lg_str target)
{
    static const char *const others[] = {"do", "run"};
    static const char *const writers[] = {"set", "append"};
    for (size_t i = 0; i < LG_COUNT(others); i++) {
        if (lg_json_get(step, lg_str_c(others[i])) ||
            lg_str_starts(lg_json_str(lg_json_get(step, lg_str_c(writers[i]))), target)) {
            return true;
        }
    }
    return false;
}

// What one step leaves unfinished a later one may finish: records are validated after the call.
static bool is_unfinished(const step_reader *r, lg_str target)
{
    for (const step_list *list = r->list; list; list = list->outer) {
        for (size_t i = list->index + 1; i < lg_json_len(list->steps); i++) {
            if (may_write(lg_json_item(list->steps, i), target)) {
                return true;
            }
        }
    }
    return false;
}

// Does what the step's `key` writes out fit its place? `type` and `schema` are those of the place.
static void check_literals(step_reader *r, const lg_json *body, const char *key,
                           const lg_step *step, loader_wanted wanted)
{
    lg_str target = step->target.text;
    wanted.scalar = as_expression(r->l, lg_json_get(body, lg_str_c(key)));
    wanted.what = lg_arena_printf(r->l->arena, "`%.*s`", LG_FMT(target));
    wanted.unfinished = is_unfinished(r, target);
    if (wanted.what.ptr) {
        loader_check_literals(r->l, step->value, &wanted);
    }
}

static void read_set(step_reader *r, const lg_json *body, const lg_cel_env *env, lg_step *step)
{
    const lg_json *at = lg_json_get(body, LG_STR("set"));
    require_write(r, at);
    bool found = loader_read_target(r->l, env, at, &r->l->pack->state, &step->target);
    step->value = read_value(r->l, env, body, "to");
    if (found && step->value) {
        const lg_json *schema = loader_schema_at(r->l, &step->target);
        loader_check_fits(r->l, at, lg_cel_program_type(step->value), step->target.type, "state");
        check_literals(r, body, "to", step,
                       (loader_wanted){.type = step->target.type, .schema = schema});
    }
}

static void read_append(step_reader *r, const lg_json *body, const lg_cel_env *env, lg_step *step)
{
    const lg_json *at = lg_json_get(body, LG_STR("append"));
    require_write(r, at);
    bool found = loader_read_target(r->l, env, at, &r->l->pack->state, &step->target);
    step->value = read_value(r->l, env, body, "value");
    if (!found) {
        return;
    }
    if (step->target.type->kind != LG_CEL_LIST && step->target.type->kind != LG_CEL_DYN) {
        loader_error(r->l, at->offset, "`%.*s` is no list: nothing can be appended to it",
                     LG_FMT(lg_json_str(at)));
    } else if (step->value && step->target.type->kind == LG_CEL_LIST) {
        const lg_cel_type *item = step->target.type->element;
        const lg_json *list = loader_schema_at(r->l, &step->target);
        loader_check_fits(r->l, at, lg_cel_program_type(step->value), item, "state");
        check_literals(r, body, "value", step,
                       (loader_wanted){.type = item, .schema = loader_schema_of_item(r->l, list)});
    }
}

// Is the last segment a field that the record above it must have?
static bool is_required(const loader *l, const lg_target *target)
{
    lg_target above = *target;
    const lg_target_segment *last = &above.segments[--above.segment_count];
    return above.segment_count >= above.place->segment_count && !last->key &&
           loader_schema_requires(l, loader_schema_at(l, &above), last->name);
}

static void read_remove(step_reader *r, const lg_json *body, const lg_cel_env *env, lg_step *step)
{
    const lg_json *at = lg_json_get(body, LG_STR("remove"));
    require_write(r, at);
    bool found = loader_read_target(r->l, env, at, &r->l->pack->state, &step->target);
    if (found && step->target.segment_count == 1) {
        loader_error(r->l, at->offset, "`%.*s` is a whole place: it cannot be removed",
                     LG_FMT(lg_json_str(at)));
    } else if (found && is_required(r->l, &step->target) && !is_unfinished(r, step->target.text)) {
        loader_error(r->l, at->offset, "`%.*s` is required: it cannot be removed",
                     LG_FMT(lg_json_str(at)));
    }
}

static void read_fail(step_reader *r, const lg_json *body, const lg_cel_env *env, lg_step *step)
{
    const lg_json *text = lg_json_get(body, LG_STR("fail"));
    if (lg_json_is(text, LG_JSON_STRING)) {
        loader_read_template(r->l, env, text, &step->text);
    } else {
        loader_error(r->l, text->offset, "`fail` is the text of the tool's error");
    }
    const lg_json *undo = lg_json_get(body, LG_STR("undo"));
    step->keeps = undo && !lg_json_is_true(undo);
    if (undo && !lg_json_is(undo, LG_JSON_BOOL)) {
        loader_error(r->l, undo->offset,
                     "`undo` is true (what was done before is undone) or false");
    } else if (step->keeps && (!r->changes_state || r->is_shared)) {
        loader_error(
            r->l, undo->offset,
            "`undo: false` stands in the effects of a write: only these keep what was done");
    }
}

static void read_run(step_reader *r, const lg_json *body, lg_step *step)
{
    loader *l = r->l;
    const lg_json *run = lg_json_get(body, LG_STR("run"));
    require_write(r, run);
    loader_names names = {.wanted = lg_json_str(run)};
    if (!lg_json_is(run, LG_JSON_STRING)) {
        loader_error(l, run->offset, "`run` is the name of a procedure");
        return;
    }
    for (size_t i = 0; i < l->pack->procedure_count; i++) {
        loader_offer(&names, l->pack->procedures[i].name);
        if (lg_str_eq(l->pack->procedures[i].name, names.wanted)) {
            step->run = &l->pack->procedures[i];
            return;
        }
    }
    loader_error(l, run->offset, "no procedure is called `%.*s`%s", LG_FMT(names.wanted),
                 loader_meant(l, &names));
}

static bool read_kind(loader *l, const lg_json *body, lg_step_kind *ret)
{
    static const char *const actions[] = {"set", "append", "remove", "fail", "do", "run"};
    size_t found = 0;
    for (size_t i = 0; i < LG_COUNT(actions); i++) {
        if (lg_json_get(body, lg_str_c(actions[i]))) {
            *ret = (lg_step_kind)i;
            found++;
        }
    }
    if (found != 1) {
        loader_error(l, body->offset,
                     "a step does one thing: set, append, remove, fail, do or run; this one does "
                     "%s",
                     found ? "more" : "none");
    }
    return found == 1;
}

static void read_step(step_reader *r, const lg_json *body, const lg_cel_env *outer, uint32_t depth,
                      lg_step *step)
{
    static const char *const keys[] = {"each",  "as",     "let",  "when", "set", "to",  "append",
                                       "value", "remove", "fail", "do",   "run", "undo"};
    loader *l = r->l;
    step->offset = body->offset;
    if (!loader_check_keys(l, body, "a step", keys, LG_COUNT(keys)) ||
        !read_kind(l, body, &step->kind)) {
        return;
    }
    if (step->kind != LG_STEP_FAIL && lg_json_get(body, LG_STR("undo"))) {
        loader_error(l, body->offset, "`undo` belongs to `fail`");
    }
    lg_cel_env *env = lg_cel_env_new(l->arena, outer, NULL);
    if (!env) {
        loader_error(l, body->offset, "out of memory");
        return;
    }
    read_each(l, body, env, outer, step);
    step->let_slot = lg_cel_env_slots(env);
    step->lets =
        loader_read_lets(l, lg_json_get(body, LG_STR("let")), "let", env, &step->let_count);
    note_slots(l, env);
    const lg_json *when = lg_json_get(body, LG_STR("when"));
    if (when) {
        step->when = loader_compile_as(l, env, when, LG_CEL_BOOL, "when");
    }
    switch (step->kind) {
    case LG_STEP_SET:
        read_set(r, body, env, step);
        break;
    case LG_STEP_APPEND:
        read_append(r, body, env, step);
        break;
    case LG_STEP_REMOVE:
        read_remove(r, body, env, step);
        break;
    case LG_STEP_FAIL:
        read_fail(r, body, env, step);
        break;
    case LG_STEP_DO:
        read_steps(r, lg_json_get(body, LG_STR("do")), env, depth + 1, &step->steps,
                   &step->step_count);
        break;
    case LG_STEP_RUN:
        read_run(r, body, step);
        break;
    }
}

// False after adding an error about the list itself.
static bool read_steps(step_reader *r, const lg_json *json, const lg_cel_env *env, uint32_t depth,
                       const lg_step **ret_steps, size_t *ret_count)
{
    if (!lg_json_is(json, LG_JSON_ARRAY) || depth > STEP_DEPTH_MAX) {
        loader_error(r->l, json->offset,
                     depth > STEP_DEPTH_MAX ? "steps stand in steps more than %u levels deep"
                                            : "steps are a list (nested at most %u levels deep)",
                     STEP_DEPTH_MAX);
        return false;
    }
    lg_step *steps = LG_NEW_ARRAY(r->l->arena, lg_step, lg_json_len(json));
    if (!steps) {
        loader_error(r->l, json->offset, "out of memory");
        return false;
    }
    step_list list = {.steps = json, .outer = r->list};
    r->list = &list;
    for (; list.index < lg_json_len(json); list.index++) {
        read_step(r, lg_json_item(json, list.index), env, depth, &steps[list.index]);
    }
    r->list = list.outer;
    *ret_steps = steps;
    *ret_count = lg_json_len(json);
    return true;
}

// --- Procedures ---------------------------------------------------------------------------------

// Do these steps run nothing but procedures that are marked as ending?
static bool steps_end(const lg_step *steps, size_t count, const lg_procedure *all,
                      const bool *ending)
{
    for (size_t i = 0; i < count; i++) {
        const lg_step *step = &steps[i];
        if ((step->run && !ending[step->run - all]) ||
            !steps_end(step->steps, step->step_count, all, ending)) {
            return false;
        }
    }
    return true;
}

// A procedure ends if all that it runs do; whatever remains runs itself.
static void refuse_cycles(loader *l)
{
    const lg_procedure *all = l->pack->procedures;
    bool ending[PROCEDURES_MAX] = {false};
    bool more = true;
    while (more) {
        more = false;
        for (size_t i = 0; i < l->pack->procedure_count; i++) {
            if (!ending[i] && steps_end(all[i].steps, all[i].step_count, all, ending)) {
                ending[i] = true;
                more = true;
            }
        }
    }
    for (size_t i = 0; i < l->pack->procedure_count; i++) {
        if (!ending[i]) {
            loader_error(l, all[i].offset,
                         "procedure `%.*s` runs itself, directly or through others",
                         LG_FMT(all[i].name));
        }
    }
}

void loader_read_procedures(loader *l, const lg_json *procedures)
{
    size_t count = lg_json_len(procedures);
    if (procedures && (!lg_json_is(procedures, LG_JSON_OBJECT) || count > PROCEDURES_MAX)) {
        loader_error(l, procedures->offset,
                     "`procedures` is a map from names to lists of steps, of at most %u",
                     PROCEDURES_MAX);
        return;
    }
    lg_procedure *items = LG_NEW_ARRAY(l->arena, lg_procedure, count);
    const lg_cel_env *env = shared_env(l);
    if (!items || !env) {
        loader_error(l, 0, "out of memory");
        return;
    }
    for (size_t i = 0; i < count; i++) { // names first: a procedure may run a later one
        const lg_json_member *member = lg_json_member_at(procedures, i);
        items[i] = (lg_procedure){.name = lg_json_key(member), .offset = member->key_offset};
    }
    l->pack->procedures = items;
    l->pack->procedure_count = count;
    step_reader r = {.l = l, .changes_state = true, .is_shared = true};
    for (size_t i = 0; i < count; i++) {
        read_steps(&r, &lg_json_member_at(procedures, i)->value, env, 1, &items[i].steps,
                   &items[i].step_count);
    }
    refuse_cycles(l);
}

void loader_read_settle(loader *l, const lg_json *settle)
{
    const lg_cel_env *env = settle ? shared_env(l) : NULL;
    if (env) {
        step_reader r = {.l = l, .changes_state = true, .is_shared = true};
        read_steps(&r, settle, env, 1, &l->pack->settle, &l->pack->settle_count);
    }
}

// --- Tools --------------------------------------------------------------------------------------

static void read_gives(loader *l, lg_tool *tool, const lg_json *gives, const lg_json *returns,
                       const lg_cel_env *env)
{
    const lg_json *expression = as_expression(l, gives);
    if (!lg_json_is(expression, LG_JSON_STRING)) {
        loader_error(l, gives->offset, "`gives` is an expression: the result of the call");
        return;
    }
    tool->gives = loader_compile(l, env, expression, 0, lg_json_str(expression).len);
    if (tool->gives && !loader_assignable(lg_cel_program_type(tool->gives), tool->result_type)) {
        lg_buf text;
        lg_buf_init(&text, 0);
        lg_cel_type_print(&text, lg_cel_program_type(tool->gives));
        lg_buf_add_c(&text, ", but the tool returns ");
        lg_cel_type_print(&text, tool->result_type);
        loader_error(l, gives->offset, "this gives %.*s", LG_FMT(lg_buf_str(&text)));
        lg_buf_done(&text);
    }
    loader_wanted wanted = {.scalar = expression,
                            .type = tool->result_type,
                            .schema = returns,
                            .what = LG_STR("what the tool returns")};
    loader_check_literals(l, tool->gives, &wanted);
}

static void read_answer(loader *l, lg_tool *tool, const lg_json *answer, const lg_cel_env *env)
{
    tool->has_answer = lg_json_is(answer, LG_JSON_STRING);
    if (!tool->has_answer) {
        loader_error(l, answer->offset, "`answer` is a text, with expressions in braces");
        return;
    }
    if (tool->gives) {
        loader_error(l, answer->offset, "a tool gives a value or answers with a text, not both");
    }
    if (!loader_assignable(lg_cel_type_of_kind(LG_CEL_STRING), tool->result_type)) {
        lg_buf text;
        lg_buf_init(&text, 0);
        lg_cel_type_print(&text, tool->result_type);
        loader_error(l, answer->offset,
                     "`answer` is a text, but the tool returns %.*s; `gives` says which",
                     LG_FMT(lg_buf_str(&text)));
        lg_buf_done(&text);
    }
    loader_read_template(l, env, answer, &tool->answer);
}

void loader_read_effects(loader *l, lg_tool *tool, const lg_json *body)
{
    const lg_json *lets = lg_json_get(body, LG_STR("let"));
    const lg_json *effects = lg_json_get(body, LG_STR("effects"));
    const lg_json *gives = lg_json_get(body, LG_STR("gives"));
    const lg_json *answer = lg_json_get(body, LG_STR("answer"));
    if (!lets && !effects && !gives && !answer) {
        return;
    }
    lg_cel_env *env = base_env(l, tool->args_type);
    if (!env) {
        loader_error(l, body->offset, "out of memory");
        return;
    }
    tool->lets = loader_read_lets(l, lets, "let", env, &tool->let_count);
    note_slots(l, env);
    tool->has_effects = effects != NULL;
    step_reader r = {.l = l, .changes_state = tool->kind == LG_TOOL_WRITE};
    if (effects) {
        read_steps(&r, effects, env, 1, &tool->steps, &tool->step_count);
    }
    if (gives) {
        const lg_json *returns = lg_json_get(body, LG_STR("returns"));
        read_gives(l, tool, gives, tool->returns_text ? NULL : returns, env);
    }
    if (answer) {
        read_answer(l, tool, answer, env);
    }
}

// --- Errors that change nothing -----------------------------------------------------------------

void loader_read_tool_errors(loader *l, lg_tool *tool, const lg_json *errors)
{
    size_t count = lg_json_len(errors);
    if (!errors) {
        return;
    }
    if (tool->kind != LG_TOOL_WRITE || !lg_json_is(errors, LG_JSON_ARRAY)) {
        loader_error(
            l, errors->offset,
            "`errors` of a write lists the texts of errors after which nothing has changed");
        return;
    }
    lg_cel_env *env = base_env(l, tool->args_type);
    lg_template *items = LG_NEW_ARRAY(l->arena, lg_template, count);
    if (!env || !items) {
        loader_error(l, errors->offset, "out of memory");
        return;
    }
    note_slots(l, env);
    for (size_t i = 0; i < count; i++) {
        const lg_json *text = lg_json_item(errors, i);
        if (!lg_json_is(text, LG_JSON_STRING) || lg_str_trim(lg_json_str(text)).len == 0) {
            loader_error(l, text ? text->offset : 0,
                         "an error is a text, with expressions in braces");
            return;
        }
        loader_read_template(l, env, text, &items[i]);
    }
    tool->errors = items;
    tool->error_count = count;
}
