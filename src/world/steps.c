// steps.c: doing what steps say, one after the other, on a state of the call's own.
//
// Whatever cannot be done is a fault of the pack and ends the call: an expression that fails, a
// target that is not there, a value that JSON cannot hold. A `let` that fails is kept as it is, and
// is a fault where it is used.
#include "world/world_internal.h"

#include "json/tree.h"

#include <stdarg.h>
#include <stdio.h>

#define EXPRESSION_NEAR_BYTES 2000u // an expression of a step begins and ends within so many
#define STEP_DEPTH_MAX 512u         // of steps in steps, through procedures; the pack has no cycles

// --- Faults -------------------------------------------------------------------------------------

bool world_out_of_memory(world_run *run)
{
    run->oom = true;
    return false;
}

bool world_fault(world_run *run, const char *format, ...)
{
    lg_position at = lg_pack_position(run->world->pack, run->offset);
    va_list args;
    va_start(args, format);
    (void)lg_vfail_at(&run->outcome->fault, LG_ERR_TYPE, at, format, args);
    va_end(args);
    run->outcome->end = LG_WORLD_FAULT;
    return false;
}

void world_print_failure(lg_buf *out, const lg_cel_failure *failure)
{
    lg_buf_add_c(out, failure->what);
    if (failure->kind == LG_CEL_FAIL_MISSING) {
        lg_buf_add_c(out, ": ");
        lg_cel_print(out, failure->key);
    }
}

static bool is_word(char c)
{
    return lg_is_letter(c) || lg_is_digit(c) || c == '_';
}

// The place of a failed expression: where its text stands first behind the beginning of the step, or
// that beginning, if it is written otherwise there (over many lines, or with escapes).
static uint32_t offset_of(const world_run *run, lg_str source, const lg_cel_failure *failure)
{
    lg_str text = run->world->pack->text;
    size_t from = run->offset;
    lg_str near = lg_str_slice(text, from, from + EXPRESSION_NEAR_BYTES);
    for (size_t at = 0; source.len && source.len <= near.len;) {
        size_t found = lg_str_find(lg_str_slice(near, at, near.len), source);
        if (found == SIZE_MAX) {
            break;
        }
        at += found;
        size_t end = at + source.len;
        bool whole =
            (at == 0 || !is_word(near.ptr[at - 1])) && (end == near.len || !is_word(near.ptr[end]));
        if (whole) {
            return (uint32_t)(from + at) + failure->offset;
        }
        at++;
    }
    return run->offset;
}

static bool fault_of(world_run *run, const lg_cel_program *program, const lg_cel_failure *failure)
{
    if (failure->kind == LG_CEL_FAIL_LIMIT && run->world->work.refused) {
        return world_out_of_memory(run);
    }
    lg_buf text;
    lg_buf_init(&text, 0);
    world_print_failure(&text, failure);
    uint32_t step = run->offset;
    lg_str source = lg_cel_program_source(program);
    run->offset = offset_of(run, source, failure);
    world_fault(run, "`%.*s`: %.*s", LG_FMT(lg_str_cut(source, 200)), LG_FMT(lg_buf_str(&text)));
    run->offset = step;
    lg_buf_done(&text);
    return false;
}

// --- Expressions --------------------------------------------------------------------------------

static lg_cel_value evaluate(world_run *run, const lg_cel_program *program)
{
    lg_cel_activation activation = {.values = run->values,
                                    .scratch = &run->world->work,
                                    .cost_limit = run->world->limits.cel_cost};
    return lg_cel_eval(program, &activation);
}

bool world_eval(world_run *run, const lg_cel_program *program, lg_cel_value *ret)
{
    *ret = evaluate(run, program);
    return ret->kind != LG_CEL_ERROR || fault_of(run, program, ret->as.failure);
}

void world_do_lets(world_run *run, const lg_binding *lets, size_t count, uint32_t slot)
{
    LG_DEBUG_ASSERT(count == 0 || slot + count <= run->world->pack->step_slots);
    for (size_t i = 0; i < count; i++) {
        run->values[slot + i] = evaluate(run, lets[i].program);
    }
}

static bool eval_json(world_run *run, const lg_cel_program *program, const lg_json **ret)
{
    lg_cel_value value;
    if (!world_eval(run, program, &value)) {
        return false;
    }
    *ret = lg_cel_to_json(&run->world->work, value);
    if (!*ret && run->world->work.refused) {
        return world_out_of_memory(run);
    }
    return *ret || world_fault(run, "`%.*s` gives what JSON cannot hold",
                               LG_FMT(lg_str_cut(lg_cel_program_source(program), 200)));
}

bool world_print_template(world_run *run, const lg_template *template, const lg_json **ret)
{
    lg_buf text;
    lg_buf_init(&text, LG_JSON_LEN_MAX);
    bool fine = true;
    for (size_t i = 0; i < template->count && fine; i++) {
        const lg_template_part *part = &template->parts[i];
        lg_cel_value value;
        lg_buf_add(&text, part->literal);
        fine = !part->program || world_eval(run, part->program, &value);
        if (fine && part->program) {
            lg_cel_print(&text, value);
        }
    }
    lg_json *made = fine ? LG_NEW(&run->world->work, lg_json) : NULL;
    lg_str copy = made ? lg_arena_str(&run->world->work, lg_buf_str(&text)) : LG_STR("");
    lg_status status = lg_buf_status(&text);
    lg_buf_done(&text);
    if (!fine) {
        return false;
    }
    if (status != LG_OK || !made || !copy.ptr) {
        return world_out_of_memory(run);
    }
    *made = lg_json_make_str(copy);
    *ret = made;
    return true;
}

// --- Targets ------------------------------------------------------------------------------------

void world_print_key(lg_buf *out, lg_str key, bool first)
{
    bool name = key.len > 0 && !lg_is_digit(key.ptr[0]);
    for (size_t i = 0; i < key.len && name; i++) {
        char c = key.ptr[i];
        name = lg_is_letter(c) || lg_is_digit(c) || c == '_';
    }
    if (name) {
        lg_buf_add_c(out, first ? "" : ".");
        lg_buf_add(out, key);
    } else {
        lg_buf_add_c(out, "[");
        lg_json_print_str(out, key);
        lg_buf_add_c(out, "]");
    }
}

// A step on its way down to its target.
typedef struct descent {
    world_run *run;
    const lg_step *step;
    lg_cel_value keys[LG_PATH_SEGMENTS_MAX];
    const lg_json *value; // set, append
} descent;

static bool fault_at(descent *d, uint32_t depth, const char *what)
{
    lg_buf path;
    lg_buf_init(&path, 0);
    for (uint32_t i = 0; i <= depth; i++) {
        if (d->keys[i].kind == LG_CEL_STRING) {
            world_print_key(&path, lg_cel_str(d->keys[i]), i == 0);
        } else {
            lg_buf_add_c(&path, "[");
            lg_cel_print(&path, d->keys[i]);
            lg_buf_add_c(&path, "]");
        }
    }
    world_fault(d->run, "%.*s %s", LG_FMT(lg_str_cut(lg_buf_str(&path), 240)), what);
    lg_buf_done(&path);
    return false;
}

static bool find_keys(descent *d)
{
    const lg_target *target = &d->step->target;
    LG_DEBUG_ASSERT(0 < target->segment_count && target->segment_count <= LG_PATH_SEGMENTS_MAX);
    for (uint32_t i = 0; i < target->segment_count; i++) {
        const lg_target_segment *segment = &target->segments[i];
        d->keys[i] = lg_cel_make_str(segment->name);
        if (segment->key && !world_eval(d->run, segment->key, &d->keys[i])) {
            return false;
        }
    }
    return true;
}

// The index that a key means in `list`; one past the end is not an index.
static bool index_of(const lg_json *list, lg_cel_value key, size_t *ret)
{
    int64_t index = -1;
    if (key.kind == LG_CEL_INT) {
        index = key.as.i64;
    } else if (key.kind == LG_CEL_UINT && key.as.u64 <= LG_JSON_LEN_MAX) {
        index = (int64_t)key.as.u64;
    } else if (key.kind == LG_CEL_DOUBLE) {
        lg_json number = lg_json_make_null();
        if (key.as.f64 >= 0.0 && key.as.f64 <= (double)LG_JSON_LEN_MAX) {
            number = lg_json_make_double(key.as.f64);
        }
        if (!lg_json_int(&number, &index)) {
            return false;
        }
    }
    *ret = (size_t)index;
    return index >= 0 && (size_t)index < lg_json_len(list);
}

static const lg_json *child_of(const lg_json *node, lg_cel_value key)
{
    size_t index;
    if (lg_json_is(node, LG_JSON_ARRAY)) {
        return index_of(node, key, &index) ? lg_json_item(node, index) : NULL;
    }
    return key.kind == LG_CEL_STRING ? lg_json_get(node, lg_cel_str(key)) : NULL;
}

static bool made(descent *d, uint32_t depth, lg_status status)
{
    return status == LG_OK || (status == LG_ERR_OOM ? world_out_of_memory(d->run)
                                                    : fault_at(d, depth, "is too large"));
}

// A copy of `node` in which `value` stands at the key of this depth.
static bool put_child(descent *d, uint32_t depth, const lg_json *node, lg_json value, lg_json *ret)
{
    lg_arena *work = &d->run->world->work;
    lg_cel_value key = d->keys[depth];
    size_t index;
    if (lg_json_is(node, LG_JSON_OBJECT) && key.kind == LG_CEL_STRING) {
        return made(d, depth, lg_tree_with_member(work, node, lg_cel_str(key), value, ret));
    }
    if (lg_json_is(node, LG_JSON_ARRAY)) {
        return index_of(node, key, &index)
                   ? made(d, depth, lg_tree_with_item_at(work, node, index, value, ret))
                   : fault_at(d, depth, "is no item of that list");
    }
    return fault_at(d, depth,
                    lg_json_is(node, LG_JSON_OBJECT) ? "is no key of a map: a text is"
                                                     : "cannot be: above it is no map");
}

static bool take_child(descent *d, uint32_t depth, const lg_json *node, lg_json *ret)
{
    lg_arena *work = &d->run->world->work;
    size_t index;
    if (!child_of(node, d->keys[depth])) {
        return fault_at(d, depth, "is not there, so it cannot be removed");
    }
    if (lg_json_is(node, LG_JSON_ARRAY) && index_of(node, d->keys[depth], &index)) {
        return made(d, depth, lg_tree_without_item(work, node, index, ret));
    }
    return made(d, depth, lg_tree_without_member(work, node, lg_cel_str(d->keys[depth]), ret));
}

// Expressions compute with doubles. Where an integer stood, a value without fraction stays one.
static lg_json in_kind(const lg_json *old, lg_json value)
{
    int64_t integer;
    bool both = lg_json_is(old, LG_JSON_INT) && lg_json_is(&value, LG_JSON_DOUBLE);
    return both && lg_json_int(&value, &integer) ? lg_json_make_int(integer) : value;
}

static bool act(descent *d, uint32_t depth, const lg_json *node, lg_json *ret)
{
    LG_DEBUG_ASSERT(!d->value == (d->step->kind == LG_STEP_REMOVE));
    const lg_json *old = child_of(node, d->keys[depth]);
    lg_json list;
    if (d->step->kind == LG_STEP_REMOVE) {
        return take_child(d, depth, node, ret);
    }
    if (d->step->kind == LG_STEP_SET) {
        return put_child(d, depth, node, in_kind(old, *d->value), ret);
    }
    if (!lg_json_is(old, LG_JSON_ARRAY)) {
        return fault_at(d, depth, old ? "is no list, so nothing can be appended" : "is not there");
    }
    return made(d, depth, lg_tree_with_item(&d->run->world->work, old, *d->value, &list)) &&
           put_child(d, depth, node, list, ret);
}

// As deep as the target's path.
static bool descend(descent *d, uint32_t depth, const lg_json *node, lg_json *ret)
{
    if (depth + 1 == d->step->target.segment_count) {
        return act(d, depth, node, ret);
    }
    const lg_json *child = child_of(node, d->keys[depth]);
    lg_json below;
    if (!child) {
        return fault_at(d, depth, "is not there");
    }
    return descend(d, depth + 1, child, &below) && put_child(d, depth, node, below, ret);
}

static bool change_state(world_run *run, const lg_step *step)
{
    descent d = {.run = run, .step = step};
    lg_json *root = LG_NEW(&run->world->work, lg_json);
    if (!root) {
        return world_out_of_memory(run);
    }
    if (!find_keys(&d) || (step->value && !eval_json(run, step->value, &d.value)) ||
        !descend(&d, 0, run->root, root)) {
        return false;
    }
    run->root = root;
    run->values[LG_STEP_SLOT_STATE] = lg_cel_from_json(root);
    return true;
}

// --- Steps --------------------------------------------------------------------------------------

static bool do_steps(world_run *run, const lg_step *steps, size_t count, uint32_t depth);

static bool do_fail(world_run *run, const lg_step *step)
{
    if (world_print_template(run, &step->text, &run->outcome->result)) {
        run->outcome->end = LG_WORLD_FAILED;
        run->outcome->failed = step;
    }
    return false;
}

// A procedure has its own variables.
static bool do_procedure(world_run *run, const lg_procedure *procedure, uint32_t depth)
{
    lg_cel_value *outer = run->values;
    run->values = LG_NEW_ARRAY(&run->world->work, lg_cel_value, run->world->pack->step_slots);
    if (!run->values) {
        run->values = outer;
        return world_out_of_memory(run);
    }
    run->values[LG_STEP_SLOT_STATE] = outer[LG_STEP_SLOT_STATE];
    run->values[LG_STEP_SLOT_NOW] = outer[LG_STEP_SLOT_NOW];
    run->values[LG_STEP_SLOT_ARGS] = lg_cel_make_null();
    LG_DEBUG_ASSERT(outer[LG_STEP_SLOT_STATE].as.json == run->root);
    bool fine = do_steps(run, procedure->steps, procedure->step_count, depth);
    outer[LG_STEP_SLOT_STATE] = run->values[LG_STEP_SLOT_STATE];
    run->values = outer;
    return fine;
}

static bool do_kind(world_run *run, const lg_step *step, uint32_t depth)
{
    switch (step->kind) {
    case LG_STEP_SET:
    case LG_STEP_APPEND:
    case LG_STEP_REMOVE:
        return change_state(run, step);
    case LG_STEP_FAIL:
        return do_fail(run, step);
    case LG_STEP_DO:
        return do_steps(run, step->steps, step->step_count, depth + 1);
    case LG_STEP_RUN:
        return do_procedure(run, step->run, depth + 1);
    }
    return true;
}

// The step for one item.
static bool do_once(world_run *run, const lg_step *step, uint32_t depth)
{
    run->offset = step->offset;
    if (run->steps_left == 0) {
        return world_fault(run, "the call takes more than %u steps", LG_WORLD_STEPS_MAX);
    }
    run->steps_left--;
    LG_DEBUG_ASSERT(run->values[LG_STEP_SLOT_STATE].as.json ==
                    run->root); // expressions see the state so far
    world_do_lets(run, step->lets, step->let_count, step->let_slot);
    if (step->when) {
        lg_cel_value when;
        if (!world_eval(run, step->when, &when)) {
            return false;
        }
        if (when.kind != LG_CEL_BOOL) {
            return world_fault(run, "`%.*s` is neither true nor false",
                               LG_FMT(lg_str_cut(lg_cel_program_source(step->when), 200)));
        }
        if (!when.as.boolean) {
            return true;
        }
    }
    return do_kind(run, step, depth);
}

static bool do_step(world_run *run, const lg_step *step, uint32_t depth)
{
    run->offset = step->offset;
    if (!step->each) {
        return do_once(run, step, depth);
    }
    lg_cel_value list;
    if (!world_eval(run, step->each, &list)) {
        return false;
    }
    if (list.kind != LG_CEL_LIST) {
        return world_fault(run, "`%.*s` is no list",
                           LG_FMT(lg_str_cut(lg_cel_program_source(step->each), 200)));
    }
    LG_DEBUG_ASSERT(step->item_slot < run->world->pack->step_slots);
    for (size_t i = 0; i < lg_cel_len(list); i++) {
        run->values[step->item_slot] = lg_cel_item(list, i);
        if (!do_once(run, step, depth)) {
            return false;
        }
    }
    return true;
}

static bool do_steps(world_run *run, const lg_step *steps, size_t count, uint32_t depth)
{
    if (depth > STEP_DEPTH_MAX) {
        return world_fault(run, "steps run steps more than %u levels deep", STEP_DEPTH_MAX);
    }
    for (size_t i = 0; i < count; i++) {
        if (!do_step(run, &steps[i], depth)) {
            return false;
        }
    }
    return true;
}

bool world_do_steps(world_run *run, const lg_step *steps, size_t count)
{
    return do_steps(run, steps, count, 0);
}
