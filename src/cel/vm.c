// The machine: a loop over instructions with registers on the C stack.
//
// Failures are values. An operator that meets one passes it on; of two, worse() chooses.
// `&&`, `||`, all() and exists() absorb them. A limit that was met is noted in the machine and
// decides the result whatever the instructions make of it, so nothing can absorb it.
//
// Cost: the length of the code once, the length of a fold's body for each round, and what single
// operations charge for the size of what they touch. A step is some 20 ns at most, whatever the data
// are: tests/limit/test_steps.c and tests/limit and bench/bench_gate.c hold the worst of them.
#include "cel/cel_internal.h"

// --- Failures -----------------------------------------------------------------------------------

static const lg_cel_failure memory_failure = {
    .kind = LG_CEL_FAIL_LIMIT, .read = UINT32_MAX, .what = "out of memory"};

static const lg_cel_failure cost_failure = {.kind = LG_CEL_FAIL_LIMIT,
                                            .read = UINT32_MAX,
                                            .what =
                                                "the evaluation takes too many steps (cel_cost)"};

bool lg_cel_charge(lg_cel_vm *vm, uint64_t steps)
{
    if (steps > vm->budget) {
        vm->budget = 0;
        vm->limit = vm->limit ? vm->limit : &cost_failure;
        return false;
    }
    vm->budget -= steps;
    return true;
}

// The system clears a page before its first use: some 20 ns for 64 bytes.
void *lg_cel_scratch(lg_cel_vm *vm, size_t size_bytes, size_t align)
{
    if (size_bytes >= 64 && !lg_cel_charge(vm, size_bytes / 64)) {
        return NULL;
    }
    void *memory = lg_arena_alloc(vm->scratch, size_bytes, align);
    if (!memory && !vm->limit) {
        vm->limit = &memory_failure;
    }
    return memory;
}

lg_cel_value lg_cel_out_of_memory(lg_cel_vm *vm)
{
    vm->limit = vm->limit ? vm->limit : &memory_failure;
    return (lg_cel_value){.kind = LG_CEL_ERROR, .as.failure = vm->limit};
}

static lg_cel_value fail_with(lg_cel_vm *vm, lg_cel_failure failure)
{
    lg_cel_failure *kept = lg_cel_scratch(vm, sizeof(*kept), _Alignof(lg_cel_failure));
    if (!kept) {
        return lg_cel_out_of_memory(vm);
    }
    *kept = failure;
    if (failure.kind == LG_CEL_FAIL_LIMIT && !vm->limit) {
        vm->limit = kept;
    }
    return (lg_cel_value){.kind = LG_CEL_ERROR, .as.failure = kept};
}

lg_cel_value lg_cel_fail(lg_cel_vm *vm, lg_cel_failure_kind kind, const char *what)
{
    return fail_with(
        vm, (lg_cel_failure){.kind = kind, .offset = vm->offset, .read = UINT32_MAX, .what = what});
}

lg_cel_value lg_cel_fail_missing(lg_cel_vm *vm, const char *what, lg_cel_value key, uint32_t read,
                                 bool marked)
{
    return fail_with(vm, (lg_cel_failure){.kind = LG_CEL_FAIL_MISSING,
                                          .offset = vm->offset,
                                          .read = read,
                                          .key = key,
                                          .what = what,
                                          .marked = marked});
}

static int severity(lg_cel_value value)
{
    return !lg_cel_is_error(value)                         ? 0
           : value.as.failure->kind == LG_CEL_FAIL_MISSING ? 1 + value.as.failure->marked
           : value.as.failure->kind == LG_CEL_FAIL_LIMIT   ? 4
                                                           : 3;
}

// The operand that is the result if one of the two is an error.
static lg_cel_value worse(lg_cel_value a, lg_cel_value b)
{
    return severity(b) > severity(a) ? b : a;
}

// Forgets what was allocated after `mark`. Where a newer chunk was begun since then, it is kept and
// the mark moves into it: giving it back would mean to ask the system for it in every round.
void lg_cel_forget(lg_cel_vm *vm, lg_arena_mark *mark)
{
    if (vm->scratch->chunk == mark->chunk) {
        if (vm->scratch->next != mark->next) {
            lg_arena_rewind(vm->scratch, *mark);
        }
    } else {
        *mark = lg_arena_mark_here(vm->scratch);
    }
}

// --- Iteration ----------------------------------------------------------------------------------

typedef struct iterator {
    lg_cel_value range;
    size_t at; // the next one
    size_t count;
    lg_cel_value error;  // the worst so far, or null
    lg_arena_mark mark;  // what was allocated after it in a round is forgotten after the round
    lg_cel_value *items; // filter, map: room for `count`
    lg_cel_map *map;
    size_t found; // filter, map: items; exists_one: matches
} iterator;

typedef struct machine {
    lg_cel_vm vm;
    lg_cel_value *regs;
    iterator *iterators;
} machine;

// An element of a list goes into the register of the first variable, or into that of the second
// beside its index.
static inline void load_item(machine *m, const iterator *it, const lg_cel_fold *fold, size_t at)
{
    lg_cel_value *to = &m->regs[fold->two ? fold->second : fold->first];
    if (it->range.boxed) {
        const lg_json *item = &it->range.as.json->as.items[at];
        if (m->vm.log) {
            lg_cel_note_index(&m->vm, it->range.as.json, at, item);
        }
        lg_cel_load(to, item, it->range.marked);
    } else {
        *to = it->range.as.list->items[at];
    }
    if (fold->two) {
        m->regs[fold->first] = lg_cel_make_int((int64_t)at);
    }
}

// A key of a map goes into the register of the first variable, its value into that of the second.
static void load_entry(machine *m, const iterator *it, const lg_cel_fold *fold, size_t at)
{
    lg_cel_value key;
    lg_cel_value value;
    lg_cel_entry(it->range, at, &key, &value);
    if (it->range.boxed && m->vm.log) {
        lg_cel_note_key(&m->vm, it->range.as.json, lg_cel_str(key),
                        &lg_json_member_at(it->range.as.json, at)->value);
    }
    m->regs[fold->first] = key;
    if (fold->two) {
        m->regs[fold->second] = value;
    }
}

// The result of a fold that went through all elements.
static lg_cel_value fold_result(machine *m, const iterator *it, const lg_cel_fold *fold)
{
    if (lg_cel_is_error(it->error)) {
        return it->error;
    }
    switch ((lg_cel_fold_kind)fold->kind) {
    case LG_FOLD_ALL:
        return lg_cel_make_bool(true);
    case LG_FOLD_EXISTS:
        return lg_cel_make_bool(false);
    case LG_FOLD_ONE:
        return lg_cel_make_bool(it->found == 1);
    case LG_FOLD_FILTER:
    case LG_FOLD_MAP: {
        lg_cel_list *list = lg_cel_scratch(&m->vm, sizeof(*list), _Alignof(lg_cel_list));
        if (!list) {
            return lg_cel_out_of_memory(&m->vm);
        }
        *list = (lg_cel_list){it->items, it->found};
        return (lg_cel_value){.kind = LG_CEL_LIST, .marked = it->range.marked, .as.list = list};
    }
    case LG_FOLD_MAP_VALUES:
    case LG_FOLD_MAP_ENTRIES:
        return (lg_cel_value){.kind = LG_CEL_MAP, .marked = it->range.marked, .as.map = it->map};
    }
    return lg_cel_make_null();
}

// The next round, or the end; returns where to go on.
static inline uint32_t next_round(machine *m, iterator *it, const lg_cel_fold *fold)
{
    if (it->at == it->count) {
        m->regs[fold->result] = fold_result(m, it, fold);
        return fold->end;
    }
    if (!lg_cel_charge(&m->vm, fold->cost)) {
        m->regs[fold->result] = (lg_cel_value){.kind = LG_CEL_ERROR, .as.failure = &cost_failure};
        return fold->end;
    }
    size_t at = it->at++;
    if (it->range.kind == LG_CEL_LIST) {
        load_item(m, it, fold, at);
    } else {
        load_entry(m, it, fold, at);
    }
    return fold->body;
}

static uint32_t leave(machine *m, const lg_cel_fold *fold, lg_cel_value result)
{
    m->regs[fold->result] = result;
    return fold->end;
}

static bool make_room(machine *m, iterator *it, const lg_cel_fold *fold)
{
    if (fold->kind == LG_FOLD_FILTER || fold->kind == LG_FOLD_MAP) {
        it->items = lg_cel_scratch(&m->vm, it->count * sizeof(*it->items) + 1, 16);
        return it->items != NULL;
    }
    if (fold->kind >= LG_FOLD_MAP_VALUES) {
        bool paid = lg_cel_charge(&m->vm, it->count);
        it->map = paid ? lg_cel_map_new(m->vm.scratch, it->count) : NULL;
        return it->map != NULL;
    }
    return true;
}

static uint32_t begin_fold(machine *m, const lg_cel_fold *fold, const lg_cel_value *range)
{
    iterator *it = &m->iterators[fold->iterator];
    if (range->kind != LG_CEL_LIST && range->kind != LG_CEL_MAP) {
        return leave(m, fold, lg_cel_is_error(*range) ? *range : lg_cel_no_overload(&m->vm));
    }
    it->range.kind = range->kind;
    it->range.boxed = range->boxed;
    it->range.marked = range->marked;
    it->range.as = range->as;
    it->at = 0;
    it->count = range->boxed ? range->as.json->len : lg_cel_len(*range);
    it->error.kind = LG_CEL_NULL;
    it->found = 0;
    if (!make_room(m, it, fold)) {
        return leave(m, fold, lg_cel_out_of_memory(&m->vm));
    }
    it->mark = (lg_arena_mark){m->vm.scratch->chunk, m->vm.scratch->next};
    return next_round(m, it, fold);
}

// A round ended in something that is no bool, or in an error.
static uint32_t round_failed(machine *m, iterator *it, const lg_cel_fold *fold, lg_cel_value value)
{
    if (!lg_cel_is_error(value)) {
        value = lg_cel_no_overload(&m->vm);
    }
    bool kept = severity(value) > severity(it->error);
    if (kept) {
        it->error = value;
        it->mark = lg_arena_mark_here(m->vm.scratch);
    } else if (fold->kind < LG_FOLD_MAP) {
        lg_cel_forget(&m->vm, &it->mark);
    }
    bool absorbs = fold->kind == LG_FOLD_ALL || fold->kind == LG_FOLD_EXISTS;
    if (!absorbs && it->error.as.failure->kind != LG_CEL_FAIL_MISSING) {
        return leave(m, fold, it->error);
    }
    return next_round(m, it, fold);
}

// Takes over the entries of a map; an error value if that cannot be.
static lg_cel_value put_entries(machine *m, iterator *it, lg_cel_value map)
{
    if (map.kind != LG_CEL_MAP) {
        return lg_cel_no_overload(&m->vm);
    }
    for (size_t i = 0; i < lg_cel_len(map) && lg_cel_charge(&m->vm, 1); i++) {
        lg_cel_value key;
        lg_cel_value value;
        lg_cel_entry(map, i, &key, &value);
        lg_cel_put put = lg_cel_map_put(&m->vm, m->vm.scratch, it->map, key, value);
        if (put != LG_CEL_PUT_OK) {
            return put == LG_CEL_PUT_OOM
                       ? lg_cel_out_of_memory(&m->vm)
                       : lg_cel_fail(&m->vm, LG_CEL_FAIL_TYPE, "repeated key in a map");
        }
    }
    return map;
}

static uint32_t put_value(machine *m, iterator *it, const lg_cel_fold *fold, lg_cel_value value)
{
    if (fold->kind == LG_FOLD_MAP_ENTRIES && !lg_cel_is_error(value)) {
        value = put_entries(m, it, value);
    }
    if (lg_cel_is_error(value)) {
        return round_failed(m, it, fold, value);
    }
    if (fold->kind == LG_FOLD_MAP) {
        it->items[it->found++] = value;
    } else if (fold->kind == LG_FOLD_MAP_VALUES &&
               lg_cel_map_put(&m->vm, m->vm.scratch, it->map, m->regs[fold->first], value) !=
                   LG_CEL_PUT_OK) { // the keys are those of a map, so only memory can be short
        return leave(m, fold, lg_cel_out_of_memory(&m->vm));
    }
    return next_round(m, it, fold);
}

static inline uint32_t step_fold(machine *m, const lg_cel_fold *fold, const lg_cel_value *value)
{
    iterator *it = &m->iterators[fold->iterator];
    if (fold->kind >= LG_FOLD_MAP) {
        return put_value(m, it, fold, *value);
    }
    if (value->kind != LG_CEL_BOOL) {
        return round_failed(m, it, fold, *value);
    }
    if (m->vm.scratch->next != it->mark.next) {
        lg_cel_forget(&m->vm, &it->mark);
    }
    if (fold->kind == LG_FOLD_ALL || fold->kind == LG_FOLD_EXISTS) {
        if (value->as.boolean == (fold->kind == LG_FOLD_EXISTS)) {
            lg_cel_set_bool(&m->regs[fold->result], value->as.boolean);
            return fold->end;
        }
    } else if (value->as.boolean) {
        if (fold->kind == LG_FOLD_FILTER) {
            it->items[it->found] = m->regs[fold->first];
        }
        it->found++;
    }
    return next_round(m, it, fold);
}

// The condition of map(x, condition, step).
static uint32_t test_round(machine *m, const lg_cel_fold *fold, lg_cel_value value, uint32_t pc)
{
    iterator *it = &m->iterators[fold->iterator];
    if (value.kind != LG_CEL_BOOL) {
        return round_failed(m, it, fold, value);
    }
    return value.as.boolean ? pc : next_round(m, it, fold);
}

// --- Paths --------------------------------------------------------------------------------------

// The member of a small object is found by going through it; a large one has an index.
static inline const lg_json *find_member(lg_cel_vm *vm, const lg_json *object,
                                         const lg_cel_key *key)
{
    if (object->len > LG_JSON_INDEX_MIN) {
        lg_cel_charge(vm, lg_cel_lookup_cost(object->len));
        return lg_json_get(object, (lg_str){key->ptr, key->len});
    }
    const lg_json_member *member = object->as.members;
    for (uint32_t i = 0; i < object->len; i++, member++) {
        if (member->key_len == key->len && lg_cel_same_bytes(member->key, key->ptr, key->len)) {
            return &member->value;
        }
    }
    return NULL;
}

// Selections that begin with something else than a JSON object.
static lg_cel_value follow_slow(lg_cel_vm *vm, lg_cel_value value, const lg_cel_key *key,
                                const lg_cel_key *end)
{
    for (; key != end && !lg_cel_is_error(value); key++) {
        vm->offset = key->offset;
        value = lg_cel_select(vm, value, (lg_str){key->ptr, key->len});
    }
    return value;
}

// From JSON object to JSON object, without a value in between.
static inline void follow(lg_cel_vm *vm, const lg_cel_value *from, const lg_cel_key *key,
                          uint32_t count, lg_cel_value *to)
{
    const lg_cel_key *end = key + count;
    const lg_json *object = from->as.json;
    if (from->kind != LG_CEL_MAP || !from->boxed) {
        *to = follow_slow(vm, *from, key, end);
        return;
    }
    for (;;) {
        const lg_json *child = find_member(vm, object, key);
        uint32_t read = UINT32_MAX;
        if (vm->log) {
            read = lg_cel_note_key(vm, object, (lg_str){key->ptr, key->len}, child);
        }
        if (!child || child->type == LG_JSON_BIGNUM) {
            vm->offset = key->offset;
            lg_cel_value name = lg_cel_make_str((lg_str){key->ptr, key->len});
            *to = child ? lg_cel_fail(vm, LG_CEL_FAIL_RANGE, "a number too large to be exact")
                        : lg_cel_fail_missing(vm, "no such key", name, read, from->marked);
            return;
        }
        if (++key == end) {
            lg_cel_load(to, child, from->marked);
            return;
        }
        if (child->type != LG_JSON_OBJECT) {
            lg_cel_value value;
            lg_cel_load(&value, child, from->marked);
            *to = follow_slow(vm, value, key, end);
            return;
        }
        object = child;
    }
}

static inline void charge_key(lg_cel_vm *vm, uint32_t len)
{
    if (len >= 32) {
        lg_cel_charge(vm, lg_cel_text_cost(len));
    }
}

// `a[b]`. Of a JSON object and a text it is a path of one key, known only now; the elements of a JSON
// array are near too. All else has a function.
static inline void index_into(lg_cel_vm *vm, const lg_cel_value *a, const lg_cel_value *b,
                              lg_cel_value *to)
{
    if (a->kind == LG_CEL_MAP && a->boxed && b->kind == LG_CEL_STRING) {
        lg_cel_key key = {b->as.text, b->aux, vm->offset};
        charge_key(vm, b->aux);
        follow(vm, a, &key, 1, to);
    } else if (a->kind == LG_CEL_LIST && a->boxed && b->kind == LG_CEL_INT &&
               (uint64_t)b->as.i64 < a->as.json->len &&
               a->as.json->as.items[b->as.i64].type != LG_JSON_BIGNUM) {
        const lg_json *item = &a->as.json->as.items[b->as.i64];
        if (vm->log) {
            lg_cel_note_index(vm, a->as.json, (size_t)b->as.i64, item);
        }
        lg_cel_load(to, item, a->marked);
    } else {
        *to = lg_cel_is_error(*a) || lg_cel_is_error(*b) ? worse(*a, *b) : lg_cel_index(vm, *a, *b);
    }
}

// `a in b`, with a short way for a text among the keys of a JSON object and in a short list that was
// made here.
static inline void member_of(lg_cel_vm *vm, const lg_cel_value *a, const lg_cel_value *b,
                             lg_cel_value *to)
{
    if (a->kind != LG_CEL_STRING || (b->kind != LG_CEL_MAP && b->kind != LG_CEL_LIST) ||
        (b->kind == LG_CEL_MAP) != b->boxed ||
        (b->kind == LG_CEL_LIST && (b->as.list->count > 8 || a->aux >= 64))) {
        *to = lg_cel_is_error(*a) || lg_cel_is_error(*b) ? worse(*a, *b)
                                                         : lg_cel_member_of(vm, *a, *b);
        return;
    }
    bool found = false;
    if (b->kind == LG_CEL_MAP) {
        lg_cel_key key = {a->as.text, a->aux, vm->offset};
        charge_key(vm, a->aux);
        const lg_json *child = find_member(vm, b->as.json, &key);
        if (vm->log) {
            lg_cel_note_key(vm, b->as.json, lg_cel_str(*a), child);
        }
        found = child != NULL;
    } else {
        const lg_cel_value *item = b->as.list->items;
        for (const lg_cel_value *end = item + b->as.list->count; item != end && !found; item++) {
            found = item->kind == LG_CEL_STRING && item->aux == a->aux &&
                    lg_cel_same_bytes(item->as.text, a->as.text, a->aux);
        }
    }
    lg_cel_set_bool(to, found);
}

static lg_cel_value has_path(lg_cel_vm *vm, const lg_cel_value *from, const lg_cel_key *key,
                             uint32_t count)
{
    lg_cel_value value = *from;
    if (count > 1) {
        follow(vm, from, key, count - 1, &value);
    }
    vm->offset = key[count - 1].offset;
    return lg_cel_is_error(value)
               ? value
               : lg_cel_has(vm, value, (lg_str){key[count - 1].ptr, key[count - 1].len});
}

// --- Operators with errors ----------------------------------------------------------------------

static bool either_failed(lg_cel_value a, lg_cel_value b)
{
    return lg_cel_is_error(a) || lg_cel_is_error(b);
}

static lg_cel_value arith(lg_cel_vm *vm, lg_cel_op op, lg_cel_value a, lg_cel_value b)
{
    if (either_failed(a, b)) {
        return worse(a, b);
    }
    lg_cel_value made = lg_cel_arith(vm, (lg_cel_binary)(op - LG_OP_ADD + LG_BIN_ADD), a, b);
    made.marked = lg_cel_is_marked(&a) || lg_cel_is_marked(&b);
    return made;
}

static lg_cel_value equal(lg_cel_vm *vm, lg_cel_value a, lg_cel_value b, bool wanted)
{
    return either_failed(a, b) ? worse(a, b) : lg_cel_make_bool(lg_cel_same(vm, a, b) == wanted);
}

static lg_cel_value compare(lg_cel_vm *vm, lg_cel_op op, lg_cel_value a, lg_cel_value b)
{
    int order;
    if (either_failed(a, b)) {
        return worse(a, b);
    }
    if (!lg_cel_order(vm, a, b, &order)) {
        return lg_cel_no_overload(vm);
    }
    if (order == 2) { // a NaN
        return lg_cel_make_bool(false);
    }
    bool result = op == LG_OP_LT   ? order < 0
                  : op == LG_OP_LE ? order <= 0
                  : op == LG_OP_GT ? order > 0
                                   : order >= 0;
    return lg_cel_make_bool(result);
}

static inline bool compare_doubles(lg_cel_op op, double a, double b)
{
    return op == LG_OP_LT ? a < b : op == LG_OP_LE ? a <= b : op == LG_OP_GT ? a > b : a >= b;
}

// The operand of `&&` or `||` as it counts there: a bool or an error.
static lg_cel_value as_condition(lg_cel_vm *vm, lg_cel_value value)
{
    return value.kind == LG_CEL_BOOL || lg_cel_is_error(value) ? value : lg_cel_no_overload(vm);
}

static lg_cel_value call(lg_cel_vm *vm, const lg_cel_function *function, const lg_cel_value *args,
                         uint32_t count)
{
    lg_cel_value worst = lg_cel_make_null();
    bool marked = false;
    for (uint32_t i = 0; i < count; i++) {
        worst = lg_cel_is_error(args[i]) ? worse(worst, args[i]) : worst;
        marked = marked || lg_cel_is_marked(&args[i]);
    }
    if (lg_cel_is_error(worst)) {
        return worst;
    }
    lg_cel_value made = function->native(vm, args, count);
    made.marked = marked || lg_cel_is_marked(&made);
    return made;
}

// --- Literals -----------------------------------------------------------------------------------

// A list under construction: its room follows from the literal.
static lg_cel_value new_list(lg_cel_vm *vm, uint32_t capacity)
{
    lg_cel_list *list = lg_cel_scratch(vm, sizeof(*list), _Alignof(lg_cel_list));
    lg_cel_value *items = lg_cel_scratch(vm, capacity * sizeof(*items) + 1, 16);
    if (!list || !items) {
        return lg_cel_out_of_memory(vm);
    }
    *list = (lg_cel_list){items, 0};
    return (lg_cel_value){.kind = LG_CEL_LIST, .as.list = list};
}

static lg_cel_value append(lg_cel_value list, lg_cel_value item)
{
    if (either_failed(list, item)) {
        return worse(list, item);
    }
    union {
        const lg_cel_list *from;
        lg_cel_list *to;
    } open = {list.as.list}; // made by this literal, and nothing else has seen it yet
    union {
        const lg_cel_value *from;
        lg_cel_value *to;
    } items = {open.to->items};
    items.to[open.to->count++] = item;
    return list;
}

static lg_cel_value append_optional(lg_cel_vm *vm, lg_cel_value list, lg_cel_value item)
{
    if (lg_cel_is_error(item)) {
        return append(list, item);
    }
    if (item.kind != LG_CEL_OPTIONAL) {
        return append(list, lg_cel_no_overload(vm));
    }
    return item.as.optional ? append(list, *item.as.optional) : list;
}

static lg_cel_value new_map(lg_cel_vm *vm, uint32_t capacity)
{
    lg_cel_map *map = lg_cel_charge(vm, capacity) ? lg_cel_map_new(vm->scratch, capacity) : NULL;
    return map ? (lg_cel_value){.kind = LG_CEL_MAP, .as.map = map} : lg_cel_out_of_memory(vm);
}

static lg_cel_value put_entry(lg_cel_vm *vm, lg_cel_value map, lg_cel_value key, lg_cel_value value)
{
    if (lg_cel_is_error(map) || either_failed(key, value)) {
        return worse(map, worse(key, value));
    }
    union {
        const lg_cel_map *from;
        lg_cel_map *to;
    } open = {map.as.map}; // as in append()
    switch (lg_cel_map_put(vm, vm->scratch, open.to, key, value)) {
    case LG_CEL_PUT_OK:
        return map;
    case LG_CEL_PUT_TAKEN:
        return lg_cel_fail(vm, LG_CEL_FAIL_TYPE, "repeated key in a map");
    case LG_CEL_PUT_BAD_KEY:
        return lg_cel_fail(vm, LG_CEL_FAIL_TYPE, "a map key must be a bool, int, uint or string");
    case LG_CEL_PUT_OOM:
        break;
    }
    return lg_cel_out_of_memory(vm);
}

static lg_cel_value put_optional(lg_cel_vm *vm, lg_cel_value map, lg_cel_value key,
                                 lg_cel_value value)
{
    if (either_failed(key, value)) {
        return worse(map, worse(key, value));
    }
    if (value.kind != LG_CEL_OPTIONAL) {
        return worse(map, lg_cel_no_overload(vm));
    }
    return value.as.optional ? put_entry(vm, map, key, *value.as.optional) : map;
}

// --- The loop -----------------------------------------------------------------------------------

// Longer than a screen because it is a flat switch: one short case an instruction.
static lg_cel_value run(machine *m, const lg_cel_program *p, const lg_cel_value *variables)
{
    lg_cel_vm *vm = &m->vm;
    lg_cel_value *regs = m->regs;
    const lg_cel_value *const bases[] = {
        [LG_PLACE_REG] = regs, [LG_PLACE_CONST] = p->constants, [LG_PLACE_VAR] = variables};
#define A (bases[ins->places & 3][ins->a])
#define B (bases[ins->places >> 2][ins->b])
#define R (regs[ins->dst])
#define FOLD (&p->folds[ins->b])
    for (uint32_t pc = 0;;) {
        const lg_cel_ins *ins = &p->code[pc++];
        vm->offset = ins->offset;
        switch ((lg_cel_op)ins->op) {
        case LG_OP_RETURN:
            return A;
        case LG_OP_MOVE:
            R = A;
            break;
        case LG_OP_FAIL:
            R = lg_cel_fail(vm, LG_CEL_FAIL_TYPE, p->texts[ins->c]);
            break;
        case LG_OP_JUMP:
            pc = ins->c;
            break;
        case LG_OP_PATH:
            follow(vm, &A, &p->keys[ins->c], ins->b, &R);
            break;
        case LG_OP_HAS:
            R = has_path(vm, &A, &p->keys[ins->c], ins->b);
            break;
        case LG_OP_OPT_SELECT: {
            lg_str name = {p->keys[ins->c].ptr, p->keys[ins->c].len};
            R = lg_cel_is_error(A) ? A : lg_cel_opt_select(vm, A, name);
            break;
        }
        case LG_OP_INDEX:
            index_into(vm, &A, &B, &R);
            break;
        case LG_OP_OPT_INDEX:
            R = either_failed(A, B) ? worse(A, B) : lg_cel_opt_index(vm, A, B);
            break;
        case LG_OP_EQ:
        case LG_OP_NE: {
            const lg_cel_value *a = &A;
            const lg_cel_value *b = &B;
            bool wanted = ins->op == LG_OP_EQ;
            if (a->kind == LG_CEL_STRING && b->kind == LG_CEL_STRING && a->aux < 64) {
                bool same = a->aux == b->aux && lg_cel_same_bytes(a->as.text, b->as.text, a->aux);
                lg_cel_set_bool(&R, same == wanted);
            } else {
                R = equal(vm, *a, *b, wanted);
            }
            break;
        }
        case LG_OP_LT:
        case LG_OP_LE:
        case LG_OP_GT:
        case LG_OP_GE: {
            const lg_cel_value *a = &A;
            const lg_cel_value *b = &B;
            if (a->kind == LG_CEL_DOUBLE && b->kind == LG_CEL_DOUBLE) {
                lg_cel_set_bool(&R, compare_doubles((lg_cel_op)ins->op, a->as.f64, b->as.f64));
            } else {
                R = compare(vm, (lg_cel_op)ins->op, *a, *b);
            }
            break;
        }
        case LG_OP_IN:
            member_of(vm, &A, &B, &R);
            break;
        case LG_OP_ADD:
        case LG_OP_SUB:
        case LG_OP_MUL:
        case LG_OP_DIV:
        case LG_OP_MOD:
            R = arith(vm, (lg_cel_op)ins->op, A, B);
            break;
        case LG_OP_NEGATE:
            R = lg_cel_is_error(A) ? A : lg_cel_negate(vm, A);
            break;
        case LG_OP_NOT:
            R = A.kind == LG_CEL_BOOL ? lg_cel_make_bool(!A.as.boolean) : as_condition(vm, A);
            break;
        case LG_OP_AND_FIRST:
        case LG_OP_OR_FIRST:
            if (R.kind != LG_CEL_BOOL) {
                R = as_condition(vm, R);
            } else if (R.as.boolean == (ins->op == LG_OP_OR_FIRST)) {
                pc = ins->c;
            }
            break;
        case LG_OP_AND:
        case LG_OP_OR:
            if (A.kind != LG_CEL_BOOL) {
                R = worse(R, as_condition(vm, A));
            } else if (A.as.boolean == (ins->op == LG_OP_OR)) {
                lg_cel_set_bool(&R, ins->op == LG_OP_OR);
                pc = ins->c;
            }
            break;
        case LG_OP_BRANCH:
            if (A.kind != LG_CEL_BOOL) {
                R = as_condition(vm, A);
                pc = p->code[ins->c - 1].c;
            } else if (!A.as.boolean) {
                pc = ins->c;
            }
            break;
        case LG_OP_CALL:
            R = call(vm, p->functions[ins->c], &regs[ins->a], ins->b);
            break;
        case LG_OP_MATCH:
            R = lg_cel_is_error(A) ? A
                : A.kind != LG_CEL_STRING
                    ? lg_cel_no_overload(vm)
                    : lg_cel_regex_match(vm, p->patterns[ins->c], lg_cel_str(A));
            break;
        case LG_OP_LIST:
            R = new_list(vm, ins->c);
            break;
        case LG_OP_APPEND:
            R = append(R, A);
            break;
        case LG_OP_APPEND_OPT:
            R = append_optional(vm, R, A);
            break;
        case LG_OP_MAP:
            R = new_map(vm, ins->c);
            break;
        case LG_OP_PUT:
            R = put_entry(vm, R, A, B);
            break;
        case LG_OP_PUT_OPT:
            R = put_optional(vm, R, A, B);
            break;
        case LG_OP_FOLD:
            pc = begin_fold(m, FOLD, &A);
            break;
        case LG_OP_FOLD_TEST:
            pc = test_round(m, FOLD, A, pc);
            break;
        case LG_OP_FOLD_STEP:
            pc = step_fold(m, FOLD, &A);
            break;
        case LG_OP_OPT_ELSE:
            if (R.kind != LG_CEL_OPTIONAL) {
                R = lg_cel_is_error(R) ? R : lg_cel_no_overload(vm);
                pc = ins->c;
            } else if (R.as.optional) {
                R = ins->b ? *R.as.optional : R;
                pc = ins->c;
            }
            break;
        case LG_OP_OPT_BIND: {
            lg_cel_value *bound = &regs[ins->a];
            if (bound->kind == LG_CEL_OPTIONAL && bound->as.optional) {
                *bound = *bound->as.optional;
            } else {
                bool passes = bound->kind == LG_CEL_OPTIONAL || lg_cel_is_error(*bound);
                R = passes ? *bound : lg_cel_no_overload(vm);
                pc = ins->c;
            }
            break;
        }
        case LG_OP_WRAP:
            R = lg_cel_is_error(A) ? A : lg_cel_some(vm, A);
            break;
        }
    }
#undef A
#undef B
#undef R
#undef FOLD
}

// Registers and iterators of most programs fit here; others get scratch.
#define REGS_ON_STACK 32
#define ITERATORS_ON_STACK 4

// The budget's limit, where it was met before that of the expression. In scratch, if there is any.
static const lg_cel_failure *name_limit(lg_cel_vm *vm, const lg_budget *budget)
{
    lg_cel_failure *named = LG_NEW(vm->scratch, lg_cel_failure);
    if (!named) {
        return vm->limit;
    }
    *named = cost_failure;
    named->what = budget->what;
    return named;
}

// Takes what was used off the budget that this evaluation shares with others.
static void settle(lg_cel_vm *vm, lg_budget *budget, uint64_t given)
{
    bool own = given < budget->left;
    budget->left -= given - vm->budget;
    if (vm->limit == &cost_failure && !own) {
        budget->spent = true;
        vm->limit = budget->what ? name_limit(vm, budget) : vm->limit;
    }
}

lg_cel_value lg_cel_eval(const lg_cel_program *program, const lg_cel_activation *activation)
{
    lg_cel_value regs[REGS_ON_STACK];
    iterator iterators[ITERATORS_ON_STACK];
    machine m = {.regs = regs, .iterators = iterators};
    m.vm.scratch = activation->scratch;
    m.vm.log = activation->log;
    uint64_t given = activation->cost_limit ? activation->cost_limit : program->cost_limit;
    if (activation->budget && activation->budget->left < given) {
        given = activation->budget->left;
    }
    LG_DEBUG_ASSERT(activation->scratch && program->registers > 0);
    m.vm.budget = given;
    m.vm.regex_steps = program->regex_steps;
    if (program->registers > REGS_ON_STACK) {
        m.regs = lg_cel_scratch(&m.vm, program->registers * sizeof(*regs), 16);
    }
    if (program->iterators > ITERATORS_ON_STACK) {
        m.iterators = lg_cel_scratch(&m.vm, program->iterators * sizeof(*iterators), 16);
    }
    lg_cel_value result = lg_cel_make_null();
    if (m.regs && m.iterators && lg_cel_charge(&m.vm, program->cost)) {
        result = run(&m, program, activation->values);
    }
    if (activation->budget) {
        settle(&m.vm, activation->budget, given);
    }
    return m.vm.limit ? (lg_cel_value){.kind = LG_CEL_ERROR, .as.failure = m.vm.limit} : result;
}
