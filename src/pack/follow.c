// follow.c: following the trees of expressions to the paths of the state that they read.
//
// An expression is followed from its leaves: a chain of fields and keys that begins at `state` is a
// path, one that begins at `args` is a key that a call brings, and anything that is done with a
// path (compared, counted, put into a list) reads it. A `let` stands for its expression; its reads
// count where it is used. A comprehension over a map reads which keys there are, and what its body
// says; one over a list reads the list.
#include "pack/follow.h"

#define TEXTS_MAX 16u // of which a key may be one

// --- Records -------------------------------------------------------------------------------------

// Is it known to which record the path leads?
static bool is_known(const lg_reach *path, uint32_t record)
{
    for (uint32_t i = 0; i < record; i++) {
        if (path->steps[i].key == LG_REACH_ANY) {
            return false;
        }
    }
    return true;
}

// --- Keys ---------------------------------------------------------------------------------------

static const lg_place *place_above(const lg_places *places, const lg_reach *path)
{
    for (size_t i = 0; i < places->count; i++) {
        const lg_place *place = &places->items[i];
        bool fits = place->segment_count <= path->count;
        for (uint32_t s = 0; fits && s < place->segment_count; s++) {
            fits = lg_str_eq(place->segments[s], LG_STR("*")) ||
                   (path->steps[s].key == LG_REACH_NAME &&
                    lg_str_eq(place->segments[s], path->steps[s].name));
        }
        if (fits) {
            return place;
        }
    }
    return NULL;
}

// How many steps lead to a record that the ledger may hold too: in a place of the same name and
// type. 0: none.
static uint32_t stand_in(const lg_pack *pack, const lg_reach *path)
{
    const lg_place *place = place_above(&pack->state, path);
    for (size_t i = 0; place && i < pack->ledger.count; i++) {
        const lg_place *same = &pack->ledger.items[i];
        if (lg_str_eq(same->text, place->text)) {
            return lg_cel_type_equal(same->type, place->type) ? place->segment_count : 0;
        }
    }
    return 0;
}

static ref follow(walk *w, const lg_cel_node *node);

static lg_reach_step key_step(walk *w, const lg_cel_node *node)
{
    ref key = follow(w, node);
    consume(w, key);
    if (key.kind == REF_TEXT) {
        return name_step(key.text);
    }
    bool of_state = key.kind == REF_STATE;
    uint32_t record = of_state ? stand_in(w->l->pack, &key.path) : 0;
    bool of_record = record && is_known(&key.path, record) && !key.path.presence;
    bool of_argument =
        key.kind == REF_ARGS && key.path.count > 0 && key.path.steps[0].key != LG_REACH_ANY;
    if (!of_record && !of_argument && key.kind != REF_ONE_OF) {
        return any_step();
    }
    lg_reach_value *value = LG_NEW(w->l->arena, lg_reach_value);
    if (!value) {
        return any_step();
    }
    *value = (lg_reach_value){.texts = key.texts,
                              .text_count = key.text_count,
                              .of_state = of_state,
                              .late = key.late,
                              .record = record,
                              .path = key.path};
    return (lg_reach_step){.key = LG_REACH_VALUE, .value = value};
}

// --- Expressions --------------------------------------------------------------------------------

void consume(walk *w, ref used)
{
    if (used.kind == REF_STATE) {
        reads_note(w->l, w->out, &used.path);
    }
}

void consume_presence(walk *w, ref used)
{
    used.path.presence = used.path.count < LG_REACH_STEPS_MAX;
    consume(w, used);
}

static void consume_children(walk *w, const lg_cel_node *node)
{
    const lg_cel_node *child;
    for (size_t i = 0; (child = lg_cel_node_child(node, i)) != NULL; i++) {
        consume(w, follow(w, child));
    }
}

static ref follow_name(walk *w, const lg_cel_node *node)
{
    const lg_cel_local *local = node->as.ident.local;
    for (uint32_t i = w->local_count; local && i-- > 0;) {
        if (w->locals[i].local == local) {
            return w->locals[i].is;
        }
    }
    uint32_t at = node->as.ident.slot;
    if (!local && at == w->state_slot) {
        return (ref){.kind = REF_STATE, .late = w->late};
    }
    if (!local && at == w->args_slot) {
        return (ref){.kind = REF_ARGS};
    }
    if (!local && at < w->slot_count) {
        reads_note_all(w->l, w->out, &w->slots[at].of);
        return w->slots[at].is;
    }
    return (ref){.kind = REF_OTHER};
}

static bool is_map(const lg_cel_node *node)
{
    return node->type && (node->type->kind == LG_CEL_MAP || node->type->kind == LG_CEL_OBJECT);
}

static ref follow_binary(walk *w, const lg_cel_node *node)
{
    ref from = {0};
    switch ((lg_cel_binary)node->op) {
    case LG_BIN_INDEX:
    case LG_BIN_OPT_INDEX:
        from = follow(w, node->as.of.a);
        return step_down(from, key_step(w, node->as.of.b));
    case LG_BIN_IN:
        from = follow(w, node->as.of.b);
        if (from.kind == REF_STATE && is_map(node->as.of.b)) {
            consume_presence(w, step_down(from, key_step(w, node->as.of.a)));
            return (ref){.kind = REF_OTHER};
        }
        consume(w, from);
        consume(w, follow(w, node->as.of.a));
        return (ref){.kind = REF_OTHER};
    case LG_BIN_ADD:
    case LG_BIN_SUB:
    case LG_BIN_MUL:
    case LG_BIN_DIV:
    case LG_BIN_MOD:
    case LG_BIN_EQ:
    case LG_BIN_NE:
    case LG_BIN_LT:
    case LG_BIN_LE:
    case LG_BIN_GT:
    case LG_BIN_GE:
        break;
    }
    consume_children(w, node);
    return (ref){.kind = REF_OTHER};
}

// Names beyond LOCALS_MAX are not known, and what they stand for was consumed.
static void bind(walk *w, const lg_cel_local *local, ref is)
{
    if (!local) {
        return;
    }
    if (w->local_count == LOCALS_MAX) {
        w->out->anything = true;
        return;
    }
    w->locals[w->local_count].local = local;
    w->locals[w->local_count++].is = is;
}

static ref follow_fold(walk *w, const lg_cel_node *node)
{
    uint32_t outer = w->local_count;
    ref range = follow(w, node->as.fold.range);
    ref value = {.kind = REF_OTHER};
    if (range.kind == REF_STATE && is_map(node->as.fold.range)) {
        value = step_down(range, any_step());
        consume_presence(w, value);
    } else {
        consume(w, range);
    }
    bind(w, node->as.fold.first, (ref){.kind = REF_OTHER});
    bind(w, node->as.fold.second, value);
    if (node->as.fold.filter) {
        consume(w, follow(w, node->as.fold.filter));
    }
    consume(w, follow(w, node->as.fold.step));
    w->local_count = outer;
    bool some = range.kind == REF_TEXTS && node->op == LG_FOLD_FILTER;
    return some ? range : (ref){.kind = REF_OTHER};
}

static ref follow_list(walk *w, const lg_cel_node *node)
{
    lg_str texts[TEXTS_MAX];
    uint32_t count = 0;
    const lg_cel_node *item = lg_cel_node_child(node, 0);
    while (item && count < TEXTS_MAX && item->kind == LG_NODE_CONST &&
           item->as.constant.kind == LG_CEL_STRING) {
        texts[count++] = lg_cel_str(item->as.constant);
        item = lg_cel_node_child(node, count);
    }
    lg_str *kept = !item && count ? LG_NEW_ARRAY(w->l->arena, lg_str, count) : NULL;
    if (!kept) {
        consume_children(w, node);
        return (ref){.kind = REF_OTHER};
    }
    memcpy(kept, texts, count * sizeof(*kept));
    return (ref){.kind = REF_TEXTS, .texts = kept, .text_count = count};
}

static ref follow_bind(walk *w, const lg_cel_node *node)
{
    uint32_t outer = w->local_count;
    ref value = follow(w, node->as.bind.value);
    if (node->op != LG_BIND_PLAIN) { // whether there is a value decides, too
        consume(w, value);
    }
    bind(w, node->as.bind.local, value);
    ref body = follow(w, node->as.bind.body);
    w->local_count = outer;
    return body;
}

// As deep as the tree, which the parser bounds.
static ref follow(walk *w, const lg_cel_node *node)
{
    switch ((lg_cel_node_kind)node->kind) {
    case LG_NODE_CONST:
        if (node->as.constant.kind == LG_CEL_STRING) {
            return (ref){.kind = REF_TEXT, .text = lg_cel_str(node->as.constant)};
        }
        return (ref){.kind = REF_OTHER};
    case LG_NODE_IDENT:
        return follow_name(w, node);
    case LG_NODE_SELECT:
        return step_down(follow(w, node->as.select.operand), name_step(node->as.select.name));
    case LG_NODE_HAS:
        consume_presence(
            w, step_down(follow(w, node->as.select.operand), name_step(node->as.select.name)));
        return (ref){.kind = REF_OTHER};
    case LG_NODE_BINARY:
        return follow_binary(w, node);
    case LG_NODE_FOLD:
        return follow_fold(w, node);
    case LG_NODE_BIND:
        return follow_bind(w, node);
    case LG_NODE_LIST:
        return follow_list(w, node);
    case LG_NODE_NOT:
    case LG_NODE_NEGATE:
    case LG_NODE_AND:
    case LG_NODE_OR:
    case LG_NODE_COND:
    case LG_NODE_MAP:
    case LG_NODE_CALL:
        break;
    }
    consume_children(w, node);
    return (ref){.kind = REF_OTHER};
}

ref follow_program(walk *w, const lg_cel_program *program)
{
    const lg_cel_node *tree = program ? lg_cel_program_tree(program) : NULL;
    w->out->anything = w->out->anything || (program && !tree);
    return tree ? follow(w, tree) : (ref){.kind = REF_OTHER};
}

void consume_program(walk *w, const lg_cel_program *program)
{
    consume(w, follow_program(w, program));
}

void consume_template(walk *w, const lg_template *text)
{
    for (size_t i = 0; i < text->count; i++) {
        consume_program(w, text->parts[i].program);
    }
}

// Does the expression name this slot? As deep as the tree.
bool names_slot(const lg_cel_node *node, uint32_t at)
{
    if (node->kind == LG_NODE_IDENT && !node->as.ident.local && node->as.ident.slot == at) {
        return true;
    }
    const lg_cel_node *child;
    for (size_t i = 0; (child = lg_cel_node_child(node, i)) != NULL; i++) {
        if (names_slot(child, at)) {
            return true;
        }
    }
    return false;
}

// --- Steps --------------------------------------------------------------------------------------

walk new_walk(loader *l, uint32_t args_slot, reads *out, reads *changes)
{
    walk w = {.l = l,
              .state_slot = LG_STEP_SLOT_STATE,
              .args_slot = args_slot,
              .out = out,
              .changes = changes,
              .slots = LG_NEW_ARRAY(l->arena, slot, l->pack->step_slots)};
    w.slot_count = w.slots ? l->pack->step_slots : 0;
    return w;
}

void set_slot(walk *w, uint32_t at, ref is, reads of)
{
    if (at < w->slot_count) {
        w->slots[at] = (slot){.is = is, .of = of};
    }
}

void walk_lets(walk *w, const lg_binding *lets, size_t count, uint32_t first)
{
    reads *out = w->out;
    for (size_t i = 0; i < count; i++) {
        reads own = {0};
        w->out = &own;
        ref is = follow_program(w, lets[i].program);
        w->out = out;
        set_slot(w, first + (uint32_t)i, is, own);
    }
}

bool is_item_removed(const lg_step *step)
{
    const lg_target *target = &step->target;
    uint32_t last = target->segment_count - 1;
    return step->kind == LG_STEP_REMOVE && target->place && last >= target->place->segment_count &&
           target->segments[last].key;
}

void walk_target(walk *w, const lg_step *step)
{
    const lg_target *target = &step->target;
    ref at = {.kind = REF_STATE};
    for (uint32_t i = 0; i < target->segment_count; i++) {
        const lg_target_segment *segment = &target->segments[i];
        const lg_cel_node *key = segment->key ? lg_cel_program_tree(segment->key) : NULL;
        lg_reach_step next = segment->key ? any_step() : name_step(segment->name);
        if (key) {
            next = key_step(w, key);
        }
        if (i + 1 == target->segment_count && is_item_removed(step)) {
            next = any_step();
        }
        at = step_down(at, next);
    }
    at.path.only = w->only;
    reads_note(w->l, w->changes, &at.path);
}

// `a.b == 'text'`: notes it as a condition of what the step aims at.
static void note_equal(walk *w, const lg_cel_node *node)
{
    ref a = follow(w, node->as.of.a);
    ref b = follow(w, node->as.of.b);
    const ref *place = a.kind == REF_STATE ? &a : &b;
    const ref *text = a.kind == REF_TEXT ? &a : &b;
    bool fits = place->kind == REF_STATE && text->kind == REF_TEXT && !place->path.presence &&
                place->path.count < LG_REACH_STEPS_MAX;
    lg_reach_only *only = fits ? LG_NEW(w->l->arena, lg_reach_only) : NULL;
    if (only) {
        *only = (lg_reach_only){.next = w->only, .path = place->path, .text = text->text};
        w->only = only;
    }
}

// What must hold for the condition to hold; of what it does not understand it says nothing. As deep as the tree.
static void note_conditions(walk *w, const lg_cel_node *node)
{
    uint32_t outer = w->local_count;
    const lg_cel_node *child;
    if (node->kind == LG_NODE_BINARY && node->op == LG_BIN_EQ) {
        note_equal(w, node);
    }
    for (size_t i = 0; node->kind == LG_NODE_AND && (child = lg_cel_node_child(node, i)) != NULL;
         i++) {
        note_conditions(w, child);
    }
    if (node->kind == LG_NODE_BIND && node->op == LG_BIND_PLAIN) {
        bind(w, node->as.bind.local, follow(w, node->as.bind.value));
        note_conditions(w, node->as.bind.body);
        w->local_count = outer;
    }
}

walk walk_of_procedure(const walk *w)
{
    walk inner = {.l = w->l,
                  .state_slot = LG_STEP_SLOT_STATE,
                  .args_slot = NO_SLOT,
                  .late = true,
                  .slots = LG_NEW_ARRAY(w->l->arena, slot, w->slot_count),
                  .out = w->out,
                  .changes = w->changes};
    inner.slot_count = inner.slots ? w->slot_count : 0;
    return inner;
}

static void walk_procedure(walk *w, const lg_procedure *procedure)
{
    walk inner = walk_of_procedure(w);
    walk_steps(&inner, procedure->steps, procedure->step_count);
}

static void walk_step(walk *w, const lg_step *step)
{
    if (step->each) {
        ref list = follow_program(w, step->each);
        consume(w, list);
        set_slot(w, step->item_slot, step_down(list, any_step()), (reads){0});
    }
    walk_lets(w, step->lets, step->let_count, step->let_slot);
    consume_program(w, step->when);
    const lg_reach_only *around = w->only;
    const lg_cel_node *when = step->when ? lg_cel_program_tree(step->when) : NULL;
    if (when && w->conditional) {
        note_conditions(w, when);
    }
    switch (step->kind) {
    case LG_STEP_SET:
    case LG_STEP_APPEND:
    case LG_STEP_REMOVE:
        walk_target(w, step);
        consume_program(w, step->value);
        break;
    case LG_STEP_FAIL:
        consume_template(w, &step->text);
        break;
    case LG_STEP_DO:
        walk_steps(w, step->steps, step->step_count);
        break;
    case LG_STEP_RUN:
        walk_procedure(w, step->run);
        break;
    }
    w->only = around;
}

// Steps stand in steps, and procedures run procedures, to a depth that the loader bounds.
void walk_steps(walk *w, const lg_step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        walk_step(w, &steps[i]);
    }
}
