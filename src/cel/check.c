// The checker: finds out what each name means and which type each node has, and reports what can
// never work. It goes on after an error, so that one run shows all of them; a node that failed has
// the error type, which fits everything, so that nothing is reported twice.
//
// Recursion follows the tree, whose depth the parser has bounded.
#include "cel/infer.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct checker {
    lg_cel_build *build;
    lg_cel_infer infer;
    const lg_cel_local *scope; // innermost name bound by a macro
    bool unchecked;
} checker;

static const lg_cel_type *check(checker *c, lg_cel_node *node);

// --- Reports ------------------------------------------------------------------------------------

// Reports and gives the error type. Without checking, nothing is reported and all is dyn; after
// memory ran out, types mean nothing any more.
LG_PRINTF(3, 4)
static const lg_cel_type *type_error(checker *c, uint32_t offset, const char *format, ...)
{
    char text[LG_ERROR_TEXT_BYTES];
    if (c->unchecked) {
        return &lg_cel_t_dyn;
    }
    if (!c->infer.failed) {
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        lg_cel_report(c->build, LG_ERR_TYPE, offset, "%s", text);
    }
    return &lg_cel_t_error;
}

static lg_str print_types(checker *c, const lg_cel_type *const *types, size_t count, bool member)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 && !member) {
            lg_buf_add_c(&text, "(");
        } else if (i > 0) {
            lg_buf_add_c(&text, i > 1 || !member ? ", " : "");
        }
        lg_cel_type_print(&text, lg_cel_infer_final(&c->infer, types[i]));
        if (i == 0 && member) {
            lg_buf_add_c(&text, ".(");
        }
    }
    lg_buf_add_c(&text, count ? ")" : "()");
    lg_str copy = lg_arena_str(c->build->work, lg_buf_str(&text));
    lg_buf_done(&text);
    return copy.ptr ? copy : LG_STR("");
}

// The commonest slip where values come from JSON: `amount == 10`.
static bool mixes_int_and_double(checker *c, const lg_cel_type *const *types, size_t count)
{
    if (count != 2) {
        return false;
    }
    lg_cel_kind a = lg_cel_infer_final(&c->infer, types[0])->kind;
    lg_cel_kind b = lg_cel_infer_final(&c->infer, types[1])->kind;
    return (a == LG_CEL_INT && b == LG_CEL_DOUBLE) || (a == LG_CEL_DOUBLE && b == LG_CEL_INT);
}

static const lg_cel_type *no_overload(checker *c, uint32_t offset, lg_str name,
                                      const lg_cel_type *const *types, size_t count, bool member)
{
    lg_str shown = print_types(c, types, count, member);
    bool named = name.len && (name.ptr[0] == '_' || name.ptr[0] == '[' ||
                              (name.ptr[0] >= 'a' && name.ptr[0] <= 'z'));
    const char *advice = !named && !member && mixes_int_and_double(c, types, count)
                             ? ": numbers of JSON are doubles, so write 10.0 for 10, or double(n)"
                             : "";
    return type_error(c, offset, "no overload of `%.*s` for %.*s%s", LG_FMT(name), LG_FMT(shown),
                      advice);
}

static lg_str print_type(checker *c, const lg_cel_type *type)
{
    lg_str shown = print_types(c, &type, 1, false);
    return lg_str_slice(shown, 1, shown.len - 1);
}

static const lg_cel_type *unknown(checker *c, uint32_t offset, const char *what,
                                  const lg_cel_closest *closest, const char *owner)
{
    if (c->unchecked) {
        return &lg_cel_t_dyn;
    }
    bool good = lg_cel_closest_good(closest);
    lg_cel_report(c->build, LG_ERR_NAME, offset, "unknown %s `%.*s`%s%s%.*s%s", what,
                  LG_FMT(closest->wanted), owner, good ? "; did you mean `" : "",
                  good ? (int)closest->best.len : 0, good ? closest->best.ptr : "",
                  good ? "`?" : "");
    return &lg_cel_t_error;
}

// --- Names --------------------------------------------------------------------------------------

static lg_cel_local *find_local(const checker *c, lg_str name)
{
    for (const lg_cel_local *local = c->scope; local; local = local->outer) {
        if (lg_str_eq(local->name, name)) {
            union {
                const lg_cel_local *from;
                lg_cel_local *to;
            } same = {local}; // made by the parser, which owns it
            return same.to;
        }
    }
    return NULL;
}

// "a.b.c" of a tree of plain selections from a name; false if it is anything else. Fills the buffer
// from its end.
static bool qualified_name(const lg_cel_node *node, char *buffer, size_t size, lg_str *ret,
                           const lg_cel_node **ret_root)
{
    size_t at = size;
    for (;; node = node->as.select.operand) {
        bool is_root = node->kind == LG_NODE_IDENT;
        if (!is_root && (node->kind != LG_NODE_SELECT || node->optional)) {
            return false;
        }
        lg_str name = is_root ? node->as.ident.name : node->as.select.name;
        if (name.len + 1 > at) {
            return false;
        }
        at -= name.len;
        memcpy(buffer + at, name.ptr, name.len);
        if (is_root) {
            *ret = (lg_str){buffer + at, size - at};
            *ret_root = node;
            return true;
        }
        buffer[--at] = '.';
    }
}

#define NAME_MAX 256

// Looks `name` up in the container and in those around it: "com.example.name", "com.name", "name".
static const lg_cel_variable *find_variable(const checker *c, lg_str name, bool absolute,
                                            uint32_t *ret_slot)
{
    const lg_cel_env *env = c->build->env;
    lg_str container = absolute ? LG_STR("") : env->container;
    while (container.len > 0 && container.len + 1 + name.len <= NAME_MAX) {
        char buffer[NAME_MAX];
        memcpy(buffer, container.ptr, container.len);
        buffer[container.len] = '.';
        memcpy(buffer + container.len + 1, name.ptr, name.len);
        const lg_cel_variable *found =
            lg_cel_env_find(env, (lg_str){buffer, container.len + 1 + name.len}, ret_slot);
        if (found) {
            return found;
        }
        while (container.len > 0 && container.ptr[--container.len] != '.') {
        }
    }
    return lg_cel_env_find(env, name, ret_slot);
}

// Makes `node` a reference to the variable or type `name`, if there is one.
static bool resolve_global(checker *c, lg_cel_node *node, lg_str name, bool absolute)
{
    uint32_t slot = 0;
    const lg_cel_variable *variable = find_variable(c, name, absolute, &slot);
    if (variable) {
        node->kind = LG_NODE_IDENT;
        node->as.ident.name = variable->name;
        node->as.ident.resolved = true;
        node->as.ident.local = NULL;
        node->as.ident.slot = slot;
        node->type = variable->type;
        return true;
    }
    const lg_cel_type *type = lg_cel_type_named(name);
    if (type) {
        node->kind = LG_NODE_CONST;
        node->as.constant = (lg_cel_value){.kind = LG_CEL_TYPE, .as.type = type};
        node->type = &lg_cel_t_type;
    }
    return type != NULL;
}

static void offer_names(const checker *c, lg_cel_closest *closest)
{
    for (const lg_cel_local *local = c->scope; local; local = local->outer) {
        lg_cel_closest_offer(closest, local->name);
    }
    for (const lg_cel_env *env = c->build->env; env; env = env->parent) {
        for (size_t i = 0; i < env->count; i++) {
            lg_cel_closest_offer(closest, env->items[i].name);
        }
    }
}

static const lg_cel_type *check_ident(checker *c, lg_cel_node *node)
{
    lg_str name = node->as.ident.name;
    lg_cel_local *local = node->as.ident.absolute ? NULL : find_local(c, name);
    if (local) {
        node->as.ident.resolved = true;
        node->as.ident.local = local;
        return local->type;
    }
    if (resolve_global(c, node, name, node->as.ident.absolute)) {
        return node->type;
    }
    lg_cel_closest closest = {.wanted = name};
    offer_names(c, &closest);
    return unknown(c, node->offset, "name", &closest, "");
}

// --- Fields and indexes -------------------------------------------------------------------------

static const lg_cel_type *optional_of(checker *c, const lg_cel_type *element)
{
    lg_cel_type *type = LG_NEW(c->build->work, lg_cel_type);
    if (!type) {
        lg_cel_oom(c->build);
        return &lg_cel_t_error;
    }
    type->kind = LG_CEL_OPTIONAL;
    type->element = element;
    return type;
}

static const lg_cel_type *object_field(checker *c, const lg_cel_type *object, lg_str name,
                                       uint32_t offset)
{
    lg_cel_closest closest = {.wanted = name};
    for (size_t i = 0; i < object->field_count; i++) {
        if (lg_str_eq(object->fields[i].name, name)) {
            return object->fields[i].type;
        }
        lg_cel_closest_offer(&closest, object->fields[i].name);
    }
    lg_str owner = lg_arena_printf(c->build->work, " of %.*s", LG_FMT(object->name));
    return unknown(c, offset, "field", &closest, owner.ptr ? owner.ptr : "");
}

// The type of `operand.name`.
static const lg_cel_type *field_type(checker *c, const lg_cel_type *operand, lg_str name,
                                     uint32_t offset)
{
    const lg_cel_type *type = lg_cel_infer_resolve(&c->infer, operand);
    switch (type->kind) {
    case LG_CEL_ERROR:
    case LG_CEL_DYN:
    case LG_CEL_PARAM:
        return type->kind == LG_CEL_ERROR ? &lg_cel_t_error : &lg_cel_t_dyn;
    case LG_CEL_OBJECT:
        return object_field(c, type, name, offset);
    case LG_CEL_MAP:
        if (lg_cel_infer_assignable(&c->infer, &lg_cel_t_string, type->key)) {
            return type->element;
        }
        break;
    case LG_CEL_OPTIONAL:
        return optional_of(c, field_type(c, type->element, name, offset));
    case LG_CEL_NULL:
    case LG_CEL_BOOL:
    case LG_CEL_INT:
    case LG_CEL_UINT:
    case LG_CEL_DOUBLE:
    case LG_CEL_STRING:
    case LG_CEL_BYTES:
    case LG_CEL_TIMESTAMP:
    case LG_CEL_DURATION:
    case LG_CEL_LIST:
    case LG_CEL_TYPE:
    case LG_CEL_OPAQUE:
        break;
    }
    lg_str shown = print_type(c, type);
    return type_error(c, offset, "a value of type %.*s has no field `%.*s`", LG_FMT(shown),
                      LG_FMT(name));
}

// `a.b.c` may be the name of a variable or type, unless `a` is bound by a macro.
static bool resolve_qualified(checker *c, lg_cel_node *node)
{
    char buffer[NAME_MAX];
    lg_str name;
    const lg_cel_node *root;
    if (!qualified_name(node, buffer, sizeof(buffer), &name, &root)) {
        return false;
    }
    bool absolute = root->as.ident.absolute;
    uint32_t slot;
    bool plain = !c->build->env->qualified && c->build->env->container.len == 0 &&
                 lg_cel_env_find(c->build->env, root->as.ident.name, &slot);
    return !plain && (absolute || !find_local(c, root->as.ident.name)) &&
           resolve_global(c, node, name, absolute);
}

static bool is_optional(const checker *c, const lg_cel_type *type)
{
    return lg_cel_infer_resolve(&c->infer, type)->kind == LG_CEL_OPTIONAL;
}

static const lg_cel_type *check_select(checker *c, lg_cel_node *node)
{
    if (node->kind == LG_NODE_SELECT && resolve_qualified(c, node)) {
        return node->type;
    }
    const lg_cel_type *operand = check(c, node->as.select.operand);
    const lg_cel_type *type = field_type(c, operand, node->as.select.name, node->offset);
    if (node->kind == LG_NODE_HAS) {
        return &lg_cel_t_bool;
    }
    return node->optional && !is_optional(c, operand) ? optional_of(c, type) : type;
}

static const lg_cel_type *check_index(checker *c, lg_cel_node *node)
{
    const lg_cel_type *types[2] = {check(c, node->as.of.a), check(c, node->as.of.b)};
    const lg_cel_type *operand = lg_cel_infer_resolve(&c->infer, types[0]);
    bool wrap = node->op == LG_BIN_OPT_INDEX;
    if (operand->kind == LG_CEL_OPTIONAL) {
        wrap = true;
        operand = lg_cel_infer_resolve(&c->infer, operand->element);
    }
    const lg_cel_type *result = NULL;
    const lg_cel_node *key = node->as.of.b;
    if (operand->kind == LG_CEL_ERROR || operand->kind == LG_CEL_DYN ||
        operand->kind == LG_CEL_PARAM) {
        result = operand->kind == LG_CEL_ERROR ? operand : &lg_cel_t_dyn;
    } else if (operand->kind == LG_CEL_LIST &&
               lg_cel_infer_assignable(&c->infer, types[1], &lg_cel_t_int)) {
        result = operand->element;
    } else if (operand->kind == LG_CEL_MAP &&
               lg_cel_infer_assignable(&c->infer, types[1], operand->key)) {
        result = operand->element;
    } else if (operand->kind == LG_CEL_OBJECT &&
               lg_cel_infer_assignable(&c->infer, types[1], &lg_cel_t_string)) {
        bool named = key->kind == LG_NODE_CONST && key->as.constant.kind == LG_CEL_STRING;
        result = named ? object_field(c, operand, lg_cel_str(key->as.constant), key->offset)
                       : &lg_cel_t_dyn;
    } else {
        return no_overload(c, node->offset, LG_STR("[]"), types, 2, false);
    }
    return wrap ? optional_of(c, result) : result;
}

// --- Operators ----------------------------------------------------------------------------------

static lg_str binary_text(lg_cel_binary op)
{
    static const lg_str texts[] = {
#define X(name, text) {text, sizeof(text) - 1},
        LG_CEL_BINARY_MAP(X)
#undef X
    };
    return texts[op];
}

// Most operators meet two operands of one simple type, or dyn; then no table is needed. NULL if the
// table must decide.
static const lg_cel_type *quick_binary(lg_cel_binary op, const lg_cel_type *a, const lg_cel_type *b)
{
    bool dyn = a->kind == LG_CEL_DYN || b->kind == LG_CEL_DYN;
    bool same = a->kind == b->kind && a->kind >= LG_CEL_BOOL && a->kind <= LG_CEL_DURATION;
    bool numbers = same && a->kind >= LG_CEL_INT && a->kind <= LG_CEL_DOUBLE;
    if (op == LG_BIN_EQ || op == LG_BIN_NE) {
        return dyn || same ? &lg_cel_t_bool : NULL;
    }
    if (op >= LG_BIN_LT && op <= LG_BIN_GE) {
        return same || (a->kind == LG_CEL_DYN && b->kind == LG_CEL_DYN) ? &lg_cel_t_bool : NULL;
    }
    if (op <= LG_BIN_DIV && numbers) {
        return lg_cel_type_of_kind(a->kind);
    }
    return op <= LG_BIN_MOD && a->kind == LG_CEL_DYN && b->kind == LG_CEL_DYN ? &lg_cel_t_dyn
                                                                              : NULL;
}

static const lg_cel_type *check_binary(checker *c, lg_cel_node *node)
{
    lg_cel_binary op = (lg_cel_binary)node->op;
    if (op == LG_BIN_INDEX || op == LG_BIN_OPT_INDEX) {
        return check_index(c, node);
    }
    const lg_cel_type *types[2] = {check(c, node->as.of.a), check(c, node->as.of.b)};
    const lg_cel_type *result = quick_binary(op, lg_cel_infer_resolve(&c->infer, types[0]),
                                             lg_cel_infer_resolve(&c->infer, types[1]));
    if (!result) {
        size_t count;
        const lg_cel_overload *overloads = lg_cel_operator_overloads(op, &count);
        lg_cel_candidates call = {.args = types, .arg_count = 2};
        lg_cel_infer_try(&c->infer, &call, overloads, count);
        result = lg_cel_infer_chosen(&c->infer, &call);
    }
    return result ? result : no_overload(c, node->offset, binary_text(op), types, 2, false);
}

static bool is_bool(checker *c, const lg_cel_type *type)
{
    return lg_cel_infer_assignable(&c->infer, type, &lg_cel_t_bool);
}

static const lg_cel_type *check_logic(checker *c, lg_cel_node *node)
{
    lg_str name = node->kind == LG_NODE_AND ? LG_STR("&&") : LG_STR("||");
    const lg_cel_type *before = NULL;
    for (uint32_t i = 0; i < node->as.list.count; i++) {
        lg_cel_node *item = node->as.list.items[i];
        const lg_cel_type *type = check(c, item);
        if (!is_bool(c, type)) {
            const lg_cel_type *types[2] = {before ? before : type, before ? type : &lg_cel_t_bool};
            no_overload(c, item->start, name, types, 2, false);
        }
        before = &lg_cel_t_bool;
    }
    return &lg_cel_t_bool;
}

static const lg_cel_type *check_unary(checker *c, lg_cel_node *node)
{
    const lg_cel_type *type = check(c, node->as.of.a);
    const lg_cel_type *known = lg_cel_infer_resolve(&c->infer, type);
    if (node->kind == LG_NODE_NOT) {
        return is_bool(c, type) ? &lg_cel_t_bool
                                : no_overload(c, node->offset, LG_STR("!"), &type, 1, false);
    }
    bool ok = known->kind == LG_CEL_INT || known->kind == LG_CEL_DOUBLE ||
              known->kind == LG_CEL_DURATION || known->kind <= LG_CEL_DYN ||
              known->kind == LG_CEL_PARAM;
    return ok ? known : no_overload(c, node->offset, LG_STR("-"), &type, 1, false);
}

// `x` where null stands beside it.
static const lg_cel_type *or_null(checker *c, const lg_cel_type *type)
{
    const lg_cel_type *nullable = lg_cel_type_nullable(c->build->work, type);
    if (!nullable) {
        lg_cel_oom(c->build);
    }
    return nullable ? nullable : &lg_cel_t_error;
}

static const lg_cel_type *check_cond(checker *c, lg_cel_node *node)
{
    const lg_cel_type *types[3] = {check(c, node->as.of.a), check(c, node->as.of.b),
                                   check(c, node->as.of.c)};
    const lg_cel_type *yes = lg_cel_infer_resolve(&c->infer, types[1]);
    const lg_cel_type *no = lg_cel_infer_resolve(&c->infer, types[2]);
    bool with_null = yes->kind == LG_CEL_NULL || no->kind == LG_CEL_NULL;
    if (!is_bool(c, types[0]) || (!with_null && !lg_cel_infer_assignable(&c->infer, yes, no))) {
        return no_overload(c, node->offset, LG_STR("?:"), types, 3, false);
    }
    return with_null ? or_null(c, yes->kind == LG_CEL_NULL ? no : yes)
                     : lg_cel_infer_join(&c->infer, yes, no);
}

// --- Literals -----------------------------------------------------------------------------------

// The type of one item; that of an optional item is what the optional holds.
static const lg_cel_type *item_type(checker *c, lg_cel_node *item)
{
    const lg_cel_type *type = check(c, item);
    if (!item->optional_item) {
        return type;
    }
    const lg_cel_type *known = lg_cel_infer_resolve(&c->infer, type);
    if (known->kind == LG_CEL_OPTIONAL) {
        return known->element;
    }
    if (known->kind <= LG_CEL_DYN) {
        return known;
    }
    lg_str shown = print_type(c, known);
    return type_error(c, item->start, "an item marked `?` must be optional, not %.*s",
                      LG_FMT(shown));
}

static const lg_cel_type *join_item(checker *c, const lg_cel_type *sum, const lg_cel_type *type)
{
    return sum ? lg_cel_infer_join(&c->infer, sum, type) : type;
}

static const lg_cel_type *or_fresh(checker *c, const lg_cel_type *type)
{
    return type ? type : lg_cel_infer_variable(&c->infer);
}

static const lg_cel_type *made(checker *c, const lg_cel_type *type)
{
    if (!type) {
        lg_cel_oom(c->build);
    }
    return type ? type : &lg_cel_t_error;
}

static const lg_cel_type *check_list(checker *c, lg_cel_node *node)
{
    const lg_cel_type *element = NULL;
    for (uint32_t i = 0; i < node->as.list.count; i++) {
        element = join_item(c, element, item_type(c, node->as.list.items[i]));
    }
    return made(c, lg_cel_type_list(c->build->work, or_fresh(c, element)));
}

static bool may_be_key(const lg_cel_type *type)
{
    return type->kind <= LG_CEL_DYN || type->kind == LG_CEL_PARAM || type->kind == LG_CEL_BOOL ||
           type->kind == LG_CEL_INT || type->kind == LG_CEL_UINT || type->kind == LG_CEL_STRING;
}

static const lg_cel_type *check_map(checker *c, lg_cel_node *node)
{
    const lg_cel_type *key = NULL;
    const lg_cel_type *value = NULL;
    for (uint32_t i = 0; i + 1 < node->as.list.count; i += 2) {
        lg_cel_node *key_node = node->as.list.items[i];
        const lg_cel_type *type = check(c, key_node);
        const lg_cel_type *known = lg_cel_infer_resolve(&c->infer, type);
        if (!may_be_key(known)) {
            lg_str shown = print_type(c, known);
            type = type_error(c, key_node->start,
                              "a map key must be a bool, int, uint or string, not %.*s",
                              LG_FMT(shown));
        }
        key = join_item(c, key, type);
        value = join_item(c, value, item_type(c, node->as.list.items[i + 1]));
    }
    return made(c, lg_cel_type_map(c->build->work, or_fresh(c, key), or_fresh(c, value)));
}

// --- Calls --------------------------------------------------------------------------------------

static bool is_known_function(const checker *c, const lg_cel_node *node)
{
    for (const lg_cel_env *env = c->build->env; env; env = env->parent) {
        for (size_t i = 0; i < env->function_count; i++) {
            if (lg_str_eq(env->functions[i].name, node->as.call.name)) {
                return true;
            }
        }
    }
    return node->as.call.function != NULL;
}

static const lg_cel_type *call_overloads(checker *c, const lg_cel_node *node, bool member,
                                         const lg_cel_type *const *types, size_t count)
{
    lg_str name = node->as.call.name;
    const lg_cel_function *function = node->as.call.function;
    lg_cel_candidates call = {.args = types, .arg_count = count, .member = member};
    if (function) {
        lg_cel_infer_try(&c->infer, &call, function->overloads, function->overload_count);
    }
    for (const lg_cel_env *env = c->build->env; env; env = env->parent) {
        for (size_t i = 0; i < env->function_count; i++) {
            if (lg_str_eq(env->functions[i].name, name)) {
                lg_cel_infer_try(&c->infer, &call, env->functions[i].overload, 1);
            }
        }
    }
    return lg_cel_infer_chosen(&c->infer, &call);
}

// `a.b.f(x)` may call the function "a.b.f": then there is no receiver.
static void resolve_qualified_call(checker *c, lg_cel_node *node)
{
    char buffer[NAME_MAX];
    lg_str prefix;
    const lg_cel_node *root;
    lg_str name = node->as.call.name;
    if (!node->as.call.target ||
        !qualified_name(node->as.call.target, buffer, sizeof(buffer), &prefix, &root) ||
        find_local(c, root->as.ident.name)) {
        return;
    }
    lg_str full = lg_arena_printf(c->build->work, "%.*s.%.*s", LG_FMT(prefix), LG_FMT(name));
    if (full.ptr && lg_cel_function_find(full)) {
        node->as.call.target = NULL;
        node->as.call.name = full;
    }
}

static const lg_cel_type *unknown_function(checker *c, const lg_cel_node *node)
{
    lg_cel_closest closest = {.wanted = node->as.call.name};
    const lg_cel_function *function;
    for (size_t i = 0; (function = lg_cel_function_at(i)); i++) {
        lg_cel_closest_offer(&closest, lg_str_c(function->name));
    }
    lg_cel_offer_definitions(c->build->env, &closest);
    static const char *const macros[] = {"has", "all", "exists", "exists_one", "filter", "map"};
    for (size_t i = 0; i < LG_COUNT(macros); i++) {
        lg_cel_closest_offer(&closest, lg_str_c(macros[i]));
        if (lg_str_eq(closest.wanted, lg_str_c(macros[i]))) {
            return type_error(c, node->offset, "wrong number of arguments for the macro `%s`",
                              macros[i]);
        }
    }
    return unknown(c, node->offset, "function", &closest, "");
}

static const lg_cel_type *check_call(checker *c, lg_cel_node *node)
{
    resolve_qualified_call(c, node);
    node->as.call.function = lg_cel_function_find(node->as.call.name);
    if (!is_known_function(c, node)) {
        return unknown_function(c, node); // its arguments may be what a macro of a like name binds
    }
    bool member = node->as.call.target != NULL;
    size_t count = node->as.call.count + (size_t)member;
    const lg_cel_type **types = LG_NEW_ARRAY(c->build->work, const lg_cel_type *, count + 1);
    if (!types) {
        lg_cel_oom(c->build);
        return &lg_cel_t_error;
    }
    if (member) {
        types[0] = check(c, node->as.call.target);
    }
    for (uint32_t i = 0; i < node->as.call.count; i++) {
        types[i + (size_t)member] = check(c, node->as.call.args[i]);
    }
    const lg_cel_type *result = call_overloads(c, node, member, types, count);
    return result ? result : no_overload(c, node->offset, node->as.call.name, types, count, member);
}

// --- Macros -------------------------------------------------------------------------------------

static const char *fold_name(const lg_cel_node *node)
{
    static const char *const names[] = {
        [LG_FOLD_ALL] = "all",
        [LG_FOLD_EXISTS] = "exists",
        [LG_FOLD_ONE] = "exists_one",
        [LG_FOLD_FILTER] = "filter",
        [LG_FOLD_MAP] = "map",
        [LG_FOLD_MAP_VALUES] = "transformMap",
        [LG_FOLD_MAP_ENTRIES] = "transformMapEntry",
    };
    return names[node->op];
}

static void check_condition(checker *c, const lg_cel_node *fold, lg_cel_node *condition)
{
    const lg_cel_type *type = check(c, condition);
    if (!is_bool(c, type)) {
        lg_str shown = print_type(c, type);
        type_error(c, condition->offset, "the condition of %s() must be a bool, not %.*s",
                   fold_name(fold), LG_FMT(shown));
    }
}

// Sets the types of the variables from what is walked through.
static void bind_fold(checker *c, lg_cel_node *node, const lg_cel_type *range)
{
    const lg_cel_type *type = lg_cel_infer_resolve(&c->infer, range);
    const lg_cel_type *key = &lg_cel_t_dyn;
    const lg_cel_type *value = &lg_cel_t_dyn;
    bool by_value = false; // one variable stands for the values, not the keys
    if (type->kind == LG_CEL_LIST) {
        key = &lg_cel_t_int;
        value = type->element;
        by_value = true;
    } else if (type->kind == LG_CEL_MAP || type->kind == LG_CEL_OBJECT) {
        key = type->kind == LG_CEL_MAP ? type->key : &lg_cel_t_string;
        value = type->kind == LG_CEL_MAP ? type->element : &lg_cel_t_dyn;
    } else if (type->kind > LG_CEL_DYN && type->kind != LG_CEL_PARAM) {
        lg_str shown = print_type(c, type);
        type_error(c, node->offset, "%s() walks through a list or a map, not %.*s", fold_name(node),
                   LG_FMT(shown));
    }
    node->as.fold.first->type = node->as.fold.second || !by_value ? key : value;
    if (node->as.fold.second) {
        node->as.fold.second->type = value;
    }
}

// The step of transformMapEntry() is a map, whose entries are taken over.
static const lg_cel_type *check_entries(checker *c, const lg_cel_node *node)
{
    const lg_cel_type *type = check(c, node->as.fold.step);
    const lg_cel_type *known = lg_cel_infer_resolve(&c->infer, type);
    if (known->kind == LG_CEL_MAP || known->kind <= LG_CEL_DYN) {
        return known;
    }
    lg_str shown = print_type(c, known);
    return type_error(c, node->as.fold.step->offset,
                      "the step of transformMapEntry() must be a map, not %.*s", LG_FMT(shown));
}

static const lg_cel_type *check_fold(checker *c, lg_cel_node *node)
{
    const lg_cel_type *range = check(c, node->as.fold.range);
    const lg_cel_local *outer = c->scope;
    bind_fold(c, node, range);
    node->as.fold.first->outer = outer;
    c->scope = node->as.fold.first;
    if (node->as.fold.second) {
        node->as.fold.second->outer = c->scope;
        c->scope = node->as.fold.second;
    }
    if (node->as.fold.filter) {
        check_condition(c, node, node->as.fold.filter);
    }
    lg_cel_fold_kind kind = (lg_cel_fold_kind)node->op;
    const lg_cel_type *result = &lg_cel_t_bool;
    if (kind == LG_FOLD_MAP) {
        result = made(c, lg_cel_type_list(c->build->work, check(c, node->as.fold.step)));
    } else if (kind == LG_FOLD_MAP_VALUES) {
        result = made(c, lg_cel_type_map(c->build->work, node->as.fold.first->type,
                                         check(c, node->as.fold.step)));
    } else if (kind == LG_FOLD_MAP_ENTRIES) {
        result = check_entries(c, node);
    } else {
        check_condition(c, node, node->as.fold.step);
    }
    if (kind == LG_FOLD_FILTER) {
        result = made(c, lg_cel_type_list(c->build->work, node->as.fold.first->type));
    }
    c->scope = outer;
    return result;
}

// What optMap() and optFlatMap() bind: the value of the optional.
static const lg_cel_type *unwrapped(checker *c, const lg_cel_node *node, const lg_cel_type *type)
{
    const lg_cel_type *known = lg_cel_infer_resolve(&c->infer, type);
    if (known->kind == LG_CEL_OPTIONAL) {
        return known->element;
    }
    if (known->kind <= LG_CEL_DYN || known->kind == LG_CEL_PARAM) {
        return &lg_cel_t_dyn;
    }
    lg_str shown = print_type(c, known);
    return type_error(c, node->offset, "wanted an optional, not %.*s", LG_FMT(shown));
}

static const lg_cel_type *check_bind(checker *c, lg_cel_node *node)
{
    lg_cel_local *local = node->as.bind.local;
    const lg_cel_type *value = check(c, node->as.bind.value);
    local->type = node->op == LG_BIND_PLAIN ? value : unwrapped(c, node, value);
    local->outer = c->scope;
    c->scope = local;
    const lg_cel_type *type = check(c, node->as.bind.body);
    c->scope = local->outer;
    if (node->op == LG_BIND_OPT_FLAT_MAP) {
        type = unwrapped(c, node->as.bind.body, type);
    }
    return node->op == LG_BIND_PLAIN ? type : optional_of(c, type);
}

static const lg_cel_type *check_node(checker *c, lg_cel_node *node)
{
    switch ((lg_cel_node_kind)node->kind) {
    case LG_NODE_CONST:
        return lg_cel_type_of(node->as.constant);
    case LG_NODE_IDENT:
        return check_ident(c, node);
    case LG_NODE_SELECT:
    case LG_NODE_HAS:
        return check_select(c, node);
    case LG_NODE_NOT:
    case LG_NODE_NEGATE:
        return check_unary(c, node);
    case LG_NODE_BINARY:
        return check_binary(c, node);
    case LG_NODE_AND:
    case LG_NODE_OR:
        return check_logic(c, node);
    case LG_NODE_COND:
        return check_cond(c, node);
    case LG_NODE_LIST:
        return check_list(c, node);
    case LG_NODE_MAP:
        return check_map(c, node);
    case LG_NODE_CALL:
        return check_call(c, node);
    case LG_NODE_FOLD:
        return check_fold(c, node);
    case LG_NODE_BIND:
        return check_bind(c, node);
    }
    return &lg_cel_t_error;
}

static const lg_cel_type *check(checker *c, lg_cel_node *node)
{
    const lg_cel_type *type = check_node(c, node);
    node->type = c->unchecked ? &lg_cel_t_dyn : type;
    return node->type;
}

bool lg_cel_check(lg_cel_build *build, lg_cel_node *root)
{
    checker c = {.build = build, .unchecked = build->env->unchecked};
    lg_cel_infer_init(&c.infer, build->work);
    check(&c, root);
    if (!c.infer.failed) {
        root->type = lg_cel_infer_final(&c.infer, root->type);
    }
    if (c.infer.failed && !build->failed) {
        c.infer.steps == 0
            ? lg_cel_report(build, LG_ERR_LIMIT, 0, "the types of this expression are too large")
            : lg_cel_oom(build);
    }
    return !build->failed;
}
