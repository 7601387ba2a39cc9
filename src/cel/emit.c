// From the checked tree to instructions.
//
// Registers are handed out like a stack: a node leaves its value in the register it is told, and
// uses those above for what it needs on the way. Constants and variables are operands as they are,
// without an instruction. A chain of selections is one instruction.
#include "cel/cel_internal.h"

typedef struct vector {
    void *items;
    size_t count;
    size_t capacity;
} vector;

typedef struct operand {
    lg_cel_place place;
    uint16_t index;
} operand;

typedef struct emitter {
    lg_cel_build *build;
    vector code, constants, keys, folds, functions, patterns, texts;
    uint32_t registers; // most in use at once
    uint32_t iterators;
    uint32_t open_folds;
    bool failed;
} emitter;

static void emit(emitter *e, const lg_cel_node *node, uint16_t dst);
static bool fold(emitter *e, const lg_cel_node *node, lg_cel_value *ret);

// --- Helpers ------------------------------------------------------------------------------------

static void out_of_memory(emitter *e)
{
    lg_cel_oom(e->build);
    e->failed = true;
}

// Adds one element, at most `limit` of them; returns its index, or 0 after a failure.
static uint32_t add(emitter *e, vector *v, const void *item, size_t size, size_t limit)
{
    void *items = lg_arena_grow(e->build->work, v->items, v->count, &v->capacity, size);
    if (!items) {
        out_of_memory(e);
        return 0;
    }
    v->items = items;
    if (v->count >= limit) {
        if (!e->failed) {
            lg_cel_report(e->build, LG_ERR_LIMIT, 0, "the expression is too large to compile");
        }
        e->failed = true;
        return 0;
    }
    memcpy((char *)v->items + v->count * size, item, size);
    return (uint32_t)v->count++;
}

static uint32_t put(emitter *e, lg_cel_ins ins)
{
    return add(e, &e->code, &ins, sizeof(ins), UINT32_MAX / 4);
}

static uint32_t here(const emitter *e)
{
    return (uint32_t)e->code.count;
}

// What the instructions from `start` on cost: a step each, and one for each key of a path, which may
// be long.
static uint32_t code_cost(const emitter *e, uint32_t start)
{
    uint64_t cost = 0;
    const lg_cel_ins *code = e->code.items;
    const lg_cel_key *keys = e->keys.items;
    for (uint32_t i = start; i < here(e); i++) {
        bool path = code[i].op == LG_OP_PATH || code[i].op == LG_OP_HAS;
        cost += 1;
        for (uint32_t k = 0; path && k < code[i].b; k++) {
            cost += (k > 0) + lg_cel_text_cost(keys[code[i].c + k].len);
        }
    }
    return cost < UINT32_MAX ? (uint32_t)cost : UINT32_MAX;
}

static void jump_here(emitter *e, uint32_t at)
{
    if (!e->failed) {
        ((lg_cel_ins *)e->code.items)[at].c = here(e);
    }
}

static uint8_t places(operand a, operand b)
{
    return (uint8_t)((unsigned)a.place | (unsigned)b.place << 2);
}

static operand reg(uint16_t index)
{
    return (operand){LG_PLACE_REG, index};
}

// The register after `dst`, noted as in use.
static uint16_t above(emitter *e, uint16_t dst)
{
    if (dst >= UINT16_MAX - 1) {
        if (!e->failed) {
            lg_cel_report(e->build, LG_ERR_LIMIT, 0, "the expression is too large to compile");
        }
        e->failed = true;
        return dst;
    }
    if (dst + 2u > e->registers) {
        e->registers = dst + 2u;
    }
    return (uint16_t)(dst + 1);
}

static operand constant(emitter *e, lg_cel_value value)
{
    return (operand){LG_PLACE_CONST,
                     (uint16_t)add(e, &e->constants, &value, sizeof(value), UINT16_MAX)};
}

static void put_move(emitter *e, uint16_t dst, operand a, uint32_t offset)
{
    put(e, (lg_cel_ins){.op = LG_OP_MOVE,
                        .places = (uint8_t)a.place,
                        .dst = dst,
                        .a = a.index,
                        .offset = offset});
}

static void put_fail(emitter *e, uint16_t dst, const char *text, uint32_t offset)
{
    uint32_t index = add(e, &e->texts, &text, sizeof(text), UINT16_MAX);
    put(e, (lg_cel_ins){.op = LG_OP_FAIL, .dst = dst, .c = index, .offset = offset});
}

// Where the value of `node` is: in place if it is a constant or a name, else computed into `dst`.
static operand locate(emitter *e, const lg_cel_node *node, uint16_t dst)
{
    if (node->kind == LG_NODE_CONST) {
        return constant(e, node->as.constant);
    }
    if (node->kind == LG_NODE_IDENT && node->as.ident.resolved) {
        return node->as.ident.local ? reg(node->as.ident.local->reg)
                                    : (operand){LG_PLACE_VAR, (uint16_t)node->as.ident.slot};
    }
    lg_cel_value folded;
    if (fold(e, node, &folded)) {
        return constant(e, folded);
    }
    emit(e, node, dst);
    return reg(dst);
}

// --- Folding of constants -----------------------------------------------------------------------

static bool constant_items(const lg_cel_node *node)
{
    for (uint32_t i = 0; i < node->as.list.count; i++) {
        const lg_cel_node *item = node->as.list.items[i];
        if (item->kind != LG_NODE_CONST || item->optional_item) {
            return false;
        }
    }
    return true;
}

static bool fold_list(emitter *e, const lg_cel_node *node, lg_cel_value *ret)
{
    if (!constant_items(node)) {
        return false;
    }
    lg_cel_value *items = LG_NEW_ARRAY(e->build->arena, lg_cel_value, node->as.list.count + 1u);
    for (uint32_t i = 0; items && i < node->as.list.count; i++) {
        items[i] = node->as.list.items[i]->as.constant;
    }
    *ret = items ? lg_cel_make_list(e->build->arena, items, node->as.list.count)
                 : (lg_cel_value){.kind = LG_CEL_ERROR};
    return !lg_cel_is_error(*ret);
}

// Natives may trust the number of their operands, if nothing else. Without checking, or where only an
// overload that was declared from outside fits, the call fails when it is evaluated.
static bool takes_count(const lg_cel_function *function, bool member, uint32_t count)
{
    for (size_t i = 0; i < function->overload_count; i++) {
        const lg_cel_overload *overload = &function->overloads[i];
        bool fits =
            overload->variadic ? count >= overload->arg_count : count == overload->arg_count;
        if (fits && overload->member == member) {
            return true;
        }
    }
    return false;
}

// Calls a pure function on constants. One that fails is left to fail when evaluated.
static bool fold_call(emitter *e, const lg_cel_node *node, lg_cel_value *ret)
{
    const lg_cel_function *function = node->as.call.function;
    if (!function || !function->constant || node->as.call.target || node->as.call.count != 1 ||
        !takes_count(function, false, 1) || node->as.call.args[0]->kind != LG_NODE_CONST) {
        return false;
    }
    lg_cel_vm vm = {.scratch = e->build->arena, .budget = 10000};
    *ret = function->native(&vm, &node->as.call.args[0]->as.constant, 1);
    return !lg_cel_is_error(*ret) && !vm.limit;
}

static bool fold(emitter *e, const lg_cel_node *node, lg_cel_value *ret)
{
    if (node->kind == LG_NODE_LIST) {
        return fold_list(e, node, ret);
    }
    return node->kind == LG_NODE_CALL && fold_call(e, node, ret);
}

// --- Names and fields ---------------------------------------------------------------------------

// A chain of selections becomes one PATH, of the keys in the order in which they are read.
static void emit_path(emitter *e, const lg_cel_node *node, uint16_t dst)
{
    lg_cel_op op = node->kind == LG_NODE_HAS ? LG_OP_HAS : LG_OP_PATH;
    const lg_cel_node *base = node;
    uint16_t count = 0;
    do {
        count++;
        base = base->as.select.operand;
    } while (base->kind == LG_NODE_SELECT && !base->optional);
    operand a = locate(e, base, dst);
    lg_cel_key none = {0};
    uint32_t first = 0;
    for (uint16_t i = 0; i < count; i++) {
        uint32_t index = add(e, &e->keys, &none, sizeof(none), UINT32_MAX / 16);
        first = i == 0 ? index : first;
    }
    const lg_cel_node *at = node;
    for (uint16_t i = count; i-- > 0 && !e->failed; at = at->as.select.operand) {
        ((lg_cel_key *)e->keys.items)[first + i] =
            (lg_cel_key){at->as.select.name.ptr, (uint32_t)at->as.select.name.len, at->offset};
    }
    put(e, (lg_cel_ins){.op = (uint8_t)op,
                        .places = (uint8_t)a.place,
                        .dst = dst,
                        .a = a.index,
                        .b = count,
                        .c = first,
                        .offset = node->offset});
}

static void emit_select(emitter *e, const lg_cel_node *node, uint16_t dst)
{
    if (!node->optional || node->kind == LG_NODE_HAS) {
        emit_path(e, node, dst);
        return;
    }
    operand a = locate(e, node->as.select.operand, dst);
    lg_cel_key key = {node->as.select.name.ptr, (uint32_t)node->as.select.name.len, node->offset};
    uint32_t index = add(e, &e->keys, &key, sizeof(key), UINT32_MAX / 16);
    put(e, (lg_cel_ins){.op = LG_OP_OPT_SELECT,
                        .places = (uint8_t)a.place,
                        .dst = dst,
                        .a = a.index,
                        .b = 1,
                        .c = index,
                        .offset = node->offset});
}

static void emit_ident(emitter *e, const lg_cel_node *node, uint16_t dst)
{
    if (node->as.ident.resolved) {
        put_move(e, dst, locate(e, node, dst), node->offset);
    } else {
        put_fail(e, dst, "unknown name", node->offset);
    }
}

// --- Operators ----------------------------------------------------------------------------------

static void emit_binary(emitter *e, const lg_cel_node *node, uint16_t dst)
{
    static const uint8_t ops[] = {
        [LG_BIN_ADD] = LG_OP_ADD,     [LG_BIN_SUB] = LG_OP_SUB,
        [LG_BIN_MUL] = LG_OP_MUL,     [LG_BIN_DIV] = LG_OP_DIV,
        [LG_BIN_MOD] = LG_OP_MOD,     [LG_BIN_EQ] = LG_OP_EQ,
        [LG_BIN_NE] = LG_OP_NE,       [LG_BIN_LT] = LG_OP_LT,
        [LG_BIN_LE] = LG_OP_LE,       [LG_BIN_GT] = LG_OP_GT,
        [LG_BIN_GE] = LG_OP_GE,       [LG_BIN_IN] = LG_OP_IN,
        [LG_BIN_INDEX] = LG_OP_INDEX, [LG_BIN_OPT_INDEX] = LG_OP_OPT_INDEX,
    };
    operand a = locate(e, node->as.of.a, dst);
    operand b = locate(e, node->as.of.b, above(e, dst));
    put(e, (lg_cel_ins){.op = ops[node->op],
                        .places = places(a, b),
                        .dst = dst,
                        .a = a.index,
                        .b = b.index,
                        .offset = node->offset});
}

static void emit_unary(emitter *e, const lg_cel_node *node, uint16_t dst)
{
    operand a = locate(e, node->as.of.a, dst);
    put(e, (lg_cel_ins){.op = node->kind == LG_NODE_NOT ? LG_OP_NOT : LG_OP_NEGATE,
                        .places = (uint8_t)a.place,
                        .dst = dst,
                        .a = a.index,
                        .offset = node->offset});
}

// The jumps out of a chain are linked through their targets until the end is known.
static void emit_logic(emitter *e, const lg_cel_node *node, uint16_t dst)
{
    bool is_and = node->kind == LG_NODE_AND;
    uint32_t linked = UINT32_MAX;
    for (uint32_t i = 0; i < node->as.list.count && !e->failed; i++) {
        const lg_cel_node *item = node->as.list.items[i];
        lg_cel_ins ins = {.dst = dst, .c = linked, .offset = item->start};
        if (i == 0) {
            emit(e, item, dst);
            ins.op = is_and ? LG_OP_AND_FIRST : LG_OP_OR_FIRST;
        } else {
            operand a = locate(e, item, above(e, dst));
            ins.op = is_and ? LG_OP_AND : LG_OP_OR;
            ins.places = (uint8_t)a.place;
            ins.a = a.index;
        }
        linked = put(e, ins);
    }
    while (linked != UINT32_MAX && !e->failed) {
        lg_cel_ins *ins = &((lg_cel_ins *)e->code.items)[linked];
        linked = ins->c;
        ins->c = here(e);
    }
}

static void emit_cond(emitter *e, const lg_cel_node *node, uint16_t dst)
{
    operand a = locate(e, node->as.of.a, dst);
    uint32_t branch = put(e, (lg_cel_ins){.op = LG_OP_BRANCH,
                                          .places = (uint8_t)a.place,
                                          .dst = dst,
                                          .a = a.index,
                                          .offset = node->offset});
    emit(e, node->as.of.b, dst);
    uint32_t jump = put(e, (lg_cel_ins){.op = LG_OP_JUMP, .offset = node->offset});
    jump_here(e, branch);
    emit(e, node->as.of.c, dst);
    jump_here(e, jump);
}

// --- Literals -----------------------------------------------------------------------------------

static void emit_list(emitter *e, const lg_cel_node *node, uint16_t dst)
{
    uint32_t count = node->as.list.count;
    put(e, (lg_cel_ins){.op = LG_OP_LIST, .dst = dst, .c = count, .offset = node->offset});
    for (uint32_t i = 0; i < count && !e->failed; i++) {
        const lg_cel_node *item = node->as.list.items[i];
        bool optional = item->optional_item;
        operand a = locate(e, item, above(e, dst));
        put(e, (lg_cel_ins){.op = optional ? LG_OP_APPEND_OPT : LG_OP_APPEND,
                            .places = (uint8_t)a.place,
                            .dst = dst,
                            .a = a.index,
                            .offset = item->start});
    }
}

static void emit_map(emitter *e, const lg_cel_node *node, uint16_t dst)
{
    uint32_t count = node->as.list.count;
    put(e, (lg_cel_ins){.op = LG_OP_MAP, .dst = dst, .c = count / 2, .offset = node->offset});
    for (uint32_t i = 0; i + 1 < count && !e->failed; i += 2) {
        const lg_cel_node *key = node->as.list.items[i];
        const lg_cel_node *value = node->as.list.items[i + 1];
        bool optional = value->optional_item;
        uint16_t first = above(e, dst);
        operand a = locate(e, key, first);
        operand b = locate(e, value, above(e, first));
        put(e, (lg_cel_ins){.op = optional ? LG_OP_PUT_OPT : LG_OP_PUT,
                            .places = places(a, b),
                            .dst = dst,
                            .a = a.index,
                            .b = b.index,
                            .offset = key->start});
    }
}

// --- Calls --------------------------------------------------------------------------------------

// matches() with a constant pattern: compiled here, once.
static bool emit_match(emitter *e, const lg_cel_node *node, uint16_t dst)
{
    const lg_cel_node *target = node->as.call.target;
    uint32_t count = node->as.call.count + (target != NULL);
    const lg_cel_node *pattern =
        count == 2 ? node->as.call.args[count - 1 - (target != NULL)] : NULL;
    if (node->as.call.function->native != lg_cel_fn_matches || !pattern ||
        pattern->kind != LG_NODE_CONST || pattern->as.constant.kind != LG_CEL_STRING) {
        return false;
    }
    const char *why;
    size_t offset;
    const lg_cel_regex *regex =
        lg_cel_regex_compile(e->build->arena, lg_cel_str(pattern->as.constant), &why, &offset);
    if (!regex) {
        e->failed = true;
        why ? lg_cel_report(e->build, LG_ERR_PARSE, pattern->offset, "%s", why)
            : lg_cel_oom(e->build);
        return true;
    }
    operand a = locate(e, target ? target : node->as.call.args[0], dst);
    uint32_t index = add(e, &e->patterns, &regex, sizeof(regex), UINT32_MAX / 16);
    put(e, (lg_cel_ins){.op = LG_OP_MATCH,
                        .places = (uint8_t)a.place,
                        .dst = dst,
                        .a = a.index,
                        .c = index,
                        .offset = node->offset});
    return true;
}

// Into the register `at` itself, wherever the value is.
static void emit_into(emitter *e, const lg_cel_node *node, uint16_t at)
{
    operand a = locate(e, node, at);
    if (a.place != LG_PLACE_REG || a.index != at) {
        put_move(e, at, a, node->offset);
    }
}

// a.or(b) and a.orValue(b): `b` is evaluated only if it is needed.
static bool emit_opt_else(emitter *e, const lg_cel_node *node, uint16_t dst)
{
    lg_cel_native *native = node->as.call.function->native;
    if ((native != lg_cel_fn_or && native != lg_cel_fn_or_value) || !node->as.call.target ||
        node->as.call.count != 1) {
        return false;
    }
    emit_into(e, node->as.call.target, dst);
    uint32_t jump = put(e, (lg_cel_ins){.op = LG_OP_OPT_ELSE,
                                        .dst = dst,
                                        .b = native == lg_cel_fn_or_value,
                                        .offset = node->offset});
    emit_into(e, node->as.call.args[0], dst);
    jump_here(e, jump);
    return true;
}

// A constant that names a time zone is read here, so that evaluation opens no file. False if the
// argument is to be passed as it is.
static bool emit_zone(emitter *e, const lg_cel_node *arg, uint16_t at)
{
    int32_t offset;
    lg_error error;
    if (arg->kind != LG_NODE_CONST || arg->as.constant.kind != LG_CEL_STRING ||
        lg_time_parse_offset(lg_cel_str(arg->as.constant), &offset)) {
        return false;
    }
    lg_cel_opaque *opaque = LG_NEW(e->build->arena, lg_cel_opaque);
    if (!opaque) {
        out_of_memory(e);
        return true;
    }
    opaque->type = &lg_cel_t_zone;
    lg_status status =
        lg_zone_load(e->build->arena, lg_cel_str(arg->as.constant), &opaque->zone, &error);
    if (status == LG_ERR_OOM) {
        out_of_memory(e);
    } else if (status != LG_OK) {
        lg_cel_report(e->build, status, arg->start, "%s", error.msg);
        e->failed = true;
    } else {
        lg_cel_value zone = {.kind = LG_CEL_OPAQUE, .as.opaque = opaque};
        put_move(e, at, constant(e, zone), arg->offset);
    }
    return true;
}

static void emit_call(emitter *e, const lg_cel_node *node, uint16_t dst)
{
    const lg_cel_function *function = node->as.call.function;
    if (!function) {
        put_fail(e, dst, "a function without an implementation", node->offset);
        return;
    }
    bool member = node->as.call.target != NULL;
    if (!takes_count(function, member, node->as.call.count + member)) {
        put_fail(e, dst, "no such overload", node->offset);
        return;
    }
    if (emit_match(e, node, dst) || emit_opt_else(e, node, dst)) {
        return;
    }
    uint16_t at = dst;
    uint32_t count = 0;
    if (node->as.call.target) {
        emit_into(e, node->as.call.target, at);
        count++;
    }
    for (uint32_t i = 0; i < node->as.call.count && !e->failed; i++, count++) {
        at = count ? above(e, at) : at;
        if (!function->takes_zone || !emit_zone(e, node->as.call.args[i], at)) {
            emit_into(e, node->as.call.args[i], at);
        }
    }
    uint32_t index = add(e, &e->functions, &function, sizeof(function), UINT32_MAX / 16);
    put(e, (lg_cel_ins){.op = LG_OP_CALL,
                        .dst = dst,
                        .a = dst,
                        .b = (uint16_t)count,
                        .c = index,
                        .offset = node->offset});
}

// --- Macros -------------------------------------------------------------------------------------

// The result is in `dst`, the variables and then the body above it.
static void emit_fold(emitter *e, const lg_cel_node *node, uint16_t dst)
{
    uint16_t first = above(e, dst);
    uint16_t second = node->as.fold.second ? above(e, first) : first;
    uint16_t body = above(e, second);
    operand range = locate(e, node->as.fold.range, body);
    lg_cel_fold desc = {.kind = node->op,
                        .two = node->as.fold.second != NULL,
                        .first = first,
                        .second = second,
                        .result = dst,
                        .iterator = (uint16_t)e->open_folds};
    uint32_t index = add(e, &e->folds, &desc, sizeof(desc), UINT16_MAX);
    node->as.fold.first->reg = first;
    if (node->as.fold.second) {
        node->as.fold.second->reg = second;
    }
    e->open_folds++;
    e->iterators = e->open_folds > e->iterators ? e->open_folds : e->iterators;
    put(e, (lg_cel_ins){.op = LG_OP_FOLD,
                        .places = (uint8_t)range.place,
                        .dst = dst,
                        .a = range.index,
                        .b = (uint16_t)index,
                        .offset = node->offset});
    uint32_t start = here(e);
    if (node->as.fold.filter) {
        operand test = locate(e, node->as.fold.filter, body);
        put(e, (lg_cel_ins){.op = LG_OP_FOLD_TEST,
                            .places = (uint8_t)test.place,
                            .a = test.index,
                            .b = (uint16_t)index,
                            .offset = node->as.fold.filter->offset});
    }
    operand a = locate(e, node->as.fold.step, body);
    put(e, (lg_cel_ins){.op = LG_OP_FOLD_STEP,
                        .places = (uint8_t)a.place,
                        .a = a.index,
                        .b = (uint16_t)index,
                        .offset = node->as.fold.step->offset});
    e->open_folds--;
    if (!e->failed) {
        lg_cel_fold *stored = &((lg_cel_fold *)e->folds.items)[index];
        stored->body = start;
        stored->end = here(e);
        stored->cost = code_cost(e, start);
    }
}

static void emit_bind(emitter *e, const lg_cel_node *node, uint16_t dst)
{
    uint16_t at = above(e, dst);
    uint16_t body = above(e, at);
    uint32_t open = 0;
    emit_into(e, node->as.bind.value, at);
    node->as.bind.local->reg = at;
    if (node->op != LG_BIND_PLAIN) {
        open =
            put(e, (lg_cel_ins){.op = LG_OP_OPT_BIND, .dst = dst, .a = at, .offset = node->offset});
    }
    operand a = locate(e, node->as.bind.body, body);
    if (node->op == LG_BIND_OPT_MAP) {
        put(e, (lg_cel_ins){.op = LG_OP_WRAP,
                            .places = (uint8_t)a.place,
                            .dst = dst,
                            .a = a.index,
                            .offset = node->offset});
    } else {
        put_move(e, dst, a, node->offset);
    }
    if (node->op != LG_BIND_PLAIN) {
        jump_here(e, open);
    }
}

static void emit_const(emitter *e, lg_cel_value value, uint16_t dst, uint32_t offset)
{
    put_move(e, dst, constant(e, value), offset);
}

// A flat switch over the kinds of nodes.
static void emit(emitter *e, const lg_cel_node *node, uint16_t dst)
{
    lg_cel_value folded;
    if (e->failed) {
        return;
    }
    if (fold(e, node, &folded)) {
        emit_const(e, folded, dst, node->offset);
        return;
    }
    switch ((lg_cel_node_kind)node->kind) {
    case LG_NODE_CONST:
        emit_const(e, node->as.constant, dst, node->offset);
        return;
    case LG_NODE_IDENT:
        emit_ident(e, node, dst);
        return;
    case LG_NODE_SELECT:
    case LG_NODE_HAS:
        emit_select(e, node, dst);
        return;
    case LG_NODE_NOT:
    case LG_NODE_NEGATE:
        emit_unary(e, node, dst);
        return;
    case LG_NODE_BINARY:
        emit_binary(e, node, dst);
        return;
    case LG_NODE_AND:
    case LG_NODE_OR:
        emit_logic(e, node, dst);
        return;
    case LG_NODE_COND:
        emit_cond(e, node, dst);
        return;
    case LG_NODE_LIST:
        emit_list(e, node, dst);
        return;
    case LG_NODE_MAP:
        emit_map(e, node, dst);
        return;
    case LG_NODE_CALL:
        emit_call(e, node, dst);
        return;
    case LG_NODE_FOLD:
        emit_fold(e, node, dst);
        return;
    case LG_NODE_BIND:
        emit_bind(e, node, dst);
        return;
    }
}

// --- The program --------------------------------------------------------------------------------

static const void *keep(emitter *e, const vector *v, size_t size)
{
    void *copy = lg_arena_alloc(e->build->arena, v->count * size + 1, 16);
    if (!copy) {
        out_of_memory(e);
        return NULL;
    }
    if (v->count) {
        memcpy(copy, v->items, v->count * size);
    }
    return copy;
}

static void keep_all(emitter *e, lg_cel_program *p)
{
    p->code = keep(e, &e->code, sizeof(lg_cel_ins));
    p->constants = keep(e, &e->constants, sizeof(lg_cel_value));
    p->keys = keep(e, &e->keys, sizeof(lg_cel_key));
    p->folds = keep(e, &e->folds, sizeof(lg_cel_fold));
    p->functions = keep(e, &e->functions, sizeof(const lg_cel_function *));
    p->patterns = keep(e, &e->patterns, sizeof(const lg_cel_regex *));
    p->texts = keep(e, &e->texts, sizeof(const char *));
    p->cost = e->failed ? 0 : code_cost(e, 0);
    p->registers = e->registers;
    p->iterators = e->iterators;
}

// The machine follows instructions without looking: what they name has to be there.
static bool is_there(const emitter *e, unsigned place, uint32_t index)
{
    return place == LG_PLACE_REG     ? index < e->registers
           : place == LG_PLACE_CONST ? index < e->constants.count
                                     : index < lg_cel_env_slots(e->build->env);
}

static bool is_sound(const emitter *e, const lg_cel_ins *ins)
{
    bool fine = ins->dst < e->registers;
    switch (ins->op) {
    case LG_OP_CALL:
        return fine && ins->c < e->functions.count && ins->a + ins->b <= e->registers;
    case LG_OP_PATH:
    case LG_OP_HAS:
        fine = fine && ins->c + ins->b <= e->keys.count;
        break;
    case LG_OP_FAIL:
        fine = fine && ins->c < e->texts.count;
        break;
    case LG_OP_MATCH:
        fine = fine && ins->c < e->patterns.count;
        break;
    case LG_OP_FOLD:
    case LG_OP_FOLD_TEST:
    case LG_OP_FOLD_STEP:
        return fine && ins->b < e->folds.count && is_there(e, ins->places & 3u, ins->a);
    case LG_OP_JUMP:
    case LG_OP_AND_FIRST:
    case LG_OP_AND:
    case LG_OP_OR_FIRST:
    case LG_OP_OR:
    case LG_OP_BRANCH:
        fine = fine && ins->c < e->code.count;
        break;
    default:
        break;
    }
    return fine && is_there(e, ins->places & 3u, ins->a);
}

static bool is_program_sound(const emitter *e)
{
    const lg_cel_ins *code = e->code.items;
    const lg_cel_fold *folds = e->folds.items;
    bool fine = e->code.count > 0 && code[e->code.count - 1].op == LG_OP_RETURN;
    for (size_t i = 0; i < e->code.count; i++) {
        fine = fine && is_sound(e, &code[i]);
    }
    for (size_t i = 0; i < e->folds.count; i++) {
        fine = fine && folds[i].iterator < e->iterators && folds[i].result < e->registers &&
               folds[i].body < e->code.count && folds[i].end < e->code.count;
    }
    return fine;
}

const lg_cel_program *lg_cel_emit(lg_cel_build *build, const lg_cel_node *root)
{
    emitter e = {.build = build, .registers = 1};
    operand a = locate(&e, root, 0);
    put(&e,
        (lg_cel_ins){
            .op = LG_OP_RETURN, .places = (uint8_t)a.place, .a = a.index, .offset = root->offset});
    lg_cel_program *program = LG_NEW(build->arena, lg_cel_program);
    if (!program) {
        out_of_memory(&e);
    }
    if (e.failed) {
        return NULL;
    }
    LG_DEBUG_ASSERT(is_program_sound(&e));
    keep_all(&e, program);
    program->cost_limit = build->env->limits.cel_cost;
    program->regex_steps = build->env->limits.regex_steps;
    program->source = build->source;
    program->tree = build->env->keep_trees ? root : NULL;
    program->type = lg_cel_type_copy(build->arena, root->type);
    if (!program->type) {
        out_of_memory(&e);
    }
    return e.failed ? NULL : program;
}
