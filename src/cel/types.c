// Types: the shared constants, making, naming, printing.
#include "cel/cel_internal.h"

static const lg_cel_type param_a = {.kind = LG_CEL_PARAM, .name = {"A", 1}};

const lg_cel_type lg_cel_t_error = {.kind = LG_CEL_ERROR};
const lg_cel_type lg_cel_t_dyn = {.kind = LG_CEL_DYN};
const lg_cel_type lg_cel_t_null = {.kind = LG_CEL_NULL};
const lg_cel_type lg_cel_t_bool = {.kind = LG_CEL_BOOL};
const lg_cel_type lg_cel_t_int = {.kind = LG_CEL_INT};
const lg_cel_type lg_cel_t_uint = {.kind = LG_CEL_UINT};
const lg_cel_type lg_cel_t_double = {.kind = LG_CEL_DOUBLE};
const lg_cel_type lg_cel_t_string = {.kind = LG_CEL_STRING};
const lg_cel_type lg_cel_t_bytes = {.kind = LG_CEL_BYTES};
const lg_cel_type lg_cel_t_timestamp = {.kind = LG_CEL_TIMESTAMP};
const lg_cel_type lg_cel_t_duration = {.kind = LG_CEL_DURATION};
const lg_cel_type lg_cel_t_list = {.kind = LG_CEL_LIST, .element = &lg_cel_t_dyn};
const lg_cel_type lg_cel_t_map = {
    .kind = LG_CEL_MAP, .key = &lg_cel_t_dyn, .element = &lg_cel_t_dyn};
const lg_cel_type lg_cel_t_type = {.kind = LG_CEL_TYPE};
const lg_cel_type lg_cel_t_optional = {.kind = LG_CEL_OPTIONAL, .element = &lg_cel_t_dyn};
const lg_cel_type lg_cel_t_ip = {.kind = LG_CEL_OPAQUE, .name = {"net.IP", 6}};
const lg_cel_type lg_cel_t_cidr = {.kind = LG_CEL_OPAQUE, .name = {"net.CIDR", 8}};

const lg_cel_type *lg_cel_type_of_kind(lg_cel_kind kind)
{
    switch (kind) {
    case LG_CEL_ERROR:
        return &lg_cel_t_error;
    case LG_CEL_DYN:
        return &lg_cel_t_dyn;
    case LG_CEL_NULL:
        return &lg_cel_t_null;
    case LG_CEL_BOOL:
        return &lg_cel_t_bool;
    case LG_CEL_INT:
        return &lg_cel_t_int;
    case LG_CEL_UINT:
        return &lg_cel_t_uint;
    case LG_CEL_DOUBLE:
        return &lg_cel_t_double;
    case LG_CEL_STRING:
        return &lg_cel_t_string;
    case LG_CEL_BYTES:
        return &lg_cel_t_bytes;
    case LG_CEL_TIMESTAMP:
        return &lg_cel_t_timestamp;
    case LG_CEL_DURATION:
        return &lg_cel_t_duration;
    case LG_CEL_LIST:
        return &lg_cel_t_list;
    case LG_CEL_MAP:
    case LG_CEL_OBJECT:
        return &lg_cel_t_map;
    case LG_CEL_TYPE:
        return &lg_cel_t_type;
    case LG_CEL_OPTIONAL:
        return &lg_cel_t_optional;
    case LG_CEL_OPAQUE:
        return &lg_cel_t_dyn;
    case LG_CEL_PARAM:
        return &param_a;
    }
    return &lg_cel_t_error;
}

const lg_cel_type *lg_cel_type_list(lg_arena *arena, const lg_cel_type *element)
{
    lg_cel_type *type = LG_NEW(arena, lg_cel_type);
    if (type) {
        type->kind = LG_CEL_LIST;
        type->element = element;
    }
    return type;
}

const lg_cel_type *lg_cel_type_map(lg_arena *arena, const lg_cel_type *key,
                                   const lg_cel_type *value)
{
    lg_cel_type *type = LG_NEW(arena, lg_cel_type);
    if (type) {
        type->kind = LG_CEL_MAP;
        type->key = key;
        type->element = value;
    }
    return type;
}

const lg_cel_type *lg_cel_type_nullable(lg_arena *arena, const lg_cel_type *type)
{
    if (type->nullable || type->kind == LG_CEL_DYN || type->kind == LG_CEL_NULL) {
        return type;
    }
    lg_cel_type *copy = LG_NEW(arena, lg_cel_type);
    if (copy) {
        *copy = *type;
        copy->nullable = true;
    }
    return copy;
}

lg_str lg_cel_type_name(const lg_cel_type *type)
{
    switch (type->kind) {
    case LG_CEL_ERROR:
        return LG_STR("error");
    case LG_CEL_DYN:
        return LG_STR("dyn");
    case LG_CEL_NULL:
        return LG_STR("null_type");
    case LG_CEL_BOOL:
        return LG_STR("bool");
    case LG_CEL_INT:
        return LG_STR("int");
    case LG_CEL_UINT:
        return LG_STR("uint");
    case LG_CEL_DOUBLE:
        return LG_STR("double");
    case LG_CEL_STRING:
        return LG_STR("string");
    case LG_CEL_BYTES:
        return LG_STR("bytes");
    case LG_CEL_TIMESTAMP:
        return LG_STR("google.protobuf.Timestamp");
    case LG_CEL_DURATION:
        return LG_STR("google.protobuf.Duration");
    case LG_CEL_LIST:
        return LG_STR("list");
    case LG_CEL_MAP:
        return LG_STR("map");
    case LG_CEL_TYPE:
        return LG_STR("type");
    case LG_CEL_OPTIONAL:
        return LG_STR("optional_type");
    case LG_CEL_OBJECT:
    case LG_CEL_OPAQUE:
    case LG_CEL_PARAM:
        return type->name;
    }
    return LG_STR("error");
}

const lg_cel_type *lg_cel_type_named(lg_str name)
{
    static const lg_cel_type *const denoted[] = {
        &lg_cel_t_null,     &lg_cel_t_bool,   &lg_cel_t_int,   &lg_cel_t_uint,
        &lg_cel_t_double,   &lg_cel_t_string, &lg_cel_t_bytes, &lg_cel_t_timestamp,
        &lg_cel_t_duration, &lg_cel_t_list,   &lg_cel_t_map,   &lg_cel_t_type,
        &lg_cel_t_optional, &lg_cel_t_ip,     &lg_cel_t_cidr,
    };
    for (size_t i = 0; i < LG_COUNT(denoted); i++) {
        if (lg_str_eq(lg_cel_type_name(denoted[i]), name)) {
            return denoted[i];
        }
    }
    return NULL;
}

// No expression can name it or hold one: the compiler puts it where a name of a zone stood.
const lg_cel_type lg_cel_t_zone = {.kind = LG_CEL_OPAQUE, .name = {"zone", 4}};

#define PRINT_DEPTH_MAX 32

static void print_type(lg_buf *out, const lg_cel_type *type, uint32_t depth);

static void print_params(lg_buf *out, const lg_cel_type *type, uint32_t depth)
{
    for (size_t i = 0; i < type->param_count; i++) {
        lg_buf_add_c(out, i == 0 ? "(" : ", ");
        print_type(out, type->params[i], depth);
    }
    lg_buf_add_c(out, type->param_count ? ")" : "");
}

static void print_type(lg_buf *out, const lg_cel_type *type, uint32_t depth)
{
    if (depth > PRINT_DEPTH_MAX) {
        lg_buf_add_c(out, "...");
        return;
    }
    if (type->kind == LG_CEL_TIMESTAMP || type->kind == LG_CEL_DURATION) {
        lg_buf_add_c(out, type->kind == LG_CEL_TIMESTAMP ? "timestamp" : "duration");
    } else if (type->kind == LG_CEL_OBJECT && type->name.len == 0) {
        lg_buf_add_c(out, "object"); // a schema in place, not one of the pack's types
    } else {
        lg_buf_add(out, lg_cel_type_name(type));
    }
    if (type->kind == LG_CEL_LIST || type->kind == LG_CEL_OPTIONAL) {
        lg_buf_add_byte(out, '(');
        print_type(out, type->element, depth + 1);
        lg_buf_add_byte(out, ')');
    } else if (type->kind == LG_CEL_MAP) {
        lg_buf_add_byte(out, '(');
        print_type(out, type->key, depth + 1);
        lg_buf_add_c(out, ", ");
        print_type(out, type->element, depth + 1);
        lg_buf_add_byte(out, ')');
    } else if (type->kind == LG_CEL_OPAQUE) {
        print_params(out, type, depth + 1);
    }
    if (type->nullable) {
        lg_buf_add_c(out, " or null");
    }
}

const lg_cel_field *lg_cel_type_field(const lg_cel_type *type, lg_str name)
{
    for (size_t i = 0; type->kind == LG_CEL_OBJECT && i < type->field_count; i++) {
        if (lg_str_eq(type->fields[i].name, name)) {
            return &type->fields[i];
        }
    }
    return NULL;
}

void lg_cel_type_print(lg_buf *out, const lg_cel_type *type)
{
    print_type(out, type, 0);
}

static bool types_equal(const lg_cel_type *a, const lg_cel_type *b, uint32_t depth)
{
    if (a == b) {
        return true;
    }
    if (!a || !b || a->kind != b->kind || a->nullable != b->nullable ||
        a->param_count != b->param_count || !lg_str_eq(a->name, b->name) ||
        depth > LG_CEL_DEPTH_MAX) {
        return false;
    }
    if (a->kind == LG_CEL_OBJECT) {
        return true; // by name: fields may refer back to their object
    }
    for (size_t i = 0; i < a->param_count; i++) {
        if (!types_equal(a->params[i], b->params[i], depth + 1)) {
            return false;
        }
    }
    return types_equal(a->key, b->key, depth + 1) && types_equal(a->element, b->element, depth + 1);
}

bool lg_cel_type_equal(const lg_cel_type *a, const lg_cel_type *b)
{
    return types_equal(a, b, 0);
}

static const lg_cel_type *copy_type(lg_arena *arena, const lg_cel_type *type, uint32_t depth);

static const lg_cel_type *copy_params(lg_arena *arena, lg_cel_type *copy, uint32_t depth)
{
    const lg_cel_type **params = LG_NEW_ARRAY(arena, const lg_cel_type *, copy->param_count);
    for (size_t i = 0; params && i < copy->param_count; i++) {
        params[i] = copy_type(arena, copy->params[i], depth + 1);
        if (!params[i]) {
            return NULL;
        }
    }
    copy->params = params;
    return params ? copy : NULL;
}

static const lg_cel_type *copy_type(lg_arena *arena, const lg_cel_type *type, uint32_t depth)
{
    bool compound = type->kind == LG_CEL_LIST || type->kind == LG_CEL_MAP ||
                    type->kind == LG_CEL_OPTIONAL || type->kind == LG_CEL_OPAQUE;
    if (!compound && !type->nullable && type->kind != LG_CEL_OBJECT) {
        return lg_cel_type_of_kind(type->kind);
    }
    lg_cel_type *copy = LG_NEW(arena, lg_cel_type);
    if (!copy || depth > LG_CEL_DEPTH_MAX) {
        return NULL;
    }
    *copy = *type;
    if (type->key) {
        copy->key = copy_type(arena, type->key, depth + 1);
    }
    if (type->element) {
        copy->element = copy_type(arena, type->element, depth + 1);
    }
    bool failed = (type->key && !copy->key) || (type->element && !copy->element);
    return failed ? NULL : type->param_count ? copy_params(arena, copy, depth) : copy;
}

// Objects are the environment's and outlive every program; all else is copied.
const lg_cel_type *lg_cel_type_copy(lg_arena *arena, const lg_cel_type *type)
{
    return type->kind == LG_CEL_OBJECT && !type->nullable ? type : copy_type(arena, type, 0);
}
