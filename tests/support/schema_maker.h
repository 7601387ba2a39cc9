// schema_maker.h: JSON Schemas by seed, and values for them.
//
// A schema is made of every keyword of the validator (keywords that are not there are a gap that the
// test counts). A value is made along a schema, some parts of it against it; whether it fits is for
// the validator to say.
#ifndef LG_SCHEMA_MAKER_H
#define LG_SCHEMA_MAKER_H

#include "value_maker.h"

#include "json/json.h"

// Refers to one of the pack's named types: "A", "B". They refer to none.
typedef struct schema_maker {
    dice *d;
    lg_buf *out;
    bool named; // `$ref` may be used
    uint32_t members;
} schema_maker;

static inline void make_schema(schema_maker *m, uint32_t depth);

static inline void schema_member(schema_maker *m, const char *name)
{
    lg_buf_addf(m->out, "%s\"%s\":", m->members++ ? "," : "", name);
}

// A schema inside of one.
static inline void schema_below(schema_maker *m, uint32_t depth)
{
    uint32_t members = m->members;
    m->members = 0;
    make_schema(m, depth + 1);
    m->members = members;
}

static inline void schema_list(schema_maker *m, uint32_t depth)
{
    uint32_t count = 1 + dice_below(m->d, 3);
    lg_buf_add_byte(m->out, '[');
    for (uint32_t i = 0; i < count; i++) {
        lg_buf_add_c(m->out, i ? "," : "");
        schema_below(m, depth);
    }
    lg_buf_add_byte(m->out, ']');
}

// Some of the names, each once.
static inline void schema_names(schema_maker *m)
{
    uint32_t from = dice_below(m->d, LG_COUNT(maker_keys));
    uint32_t count = 1 + dice_below(m->d, 2);
    lg_buf_add_byte(m->out, '[');
    for (uint32_t i = 0; i < count; i++) {
        lg_buf_addf(m->out, "%s\"%s\"", i ? "," : "",
                    maker_keys[(from + i) % LG_COUNT(maker_keys)]);
    }
    lg_buf_add_byte(m->out, ']');
}

static inline void schema_by_name(schema_maker *m, uint32_t depth)
{
    uint32_t from = dice_below(m->d, LG_COUNT(maker_keys));
    uint32_t count = 1 + dice_below(m->d, 3);
    lg_buf_add_byte(m->out, '{');
    for (uint32_t i = 0; i < count; i++) {
        lg_buf_addf(m->out, "%s\"%s\":", i ? "," : "",
                    maker_keys[(from + i) % LG_COUNT(maker_keys)]);
        schema_below(m, depth);
    }
    lg_buf_add_byte(m->out, '}');
}

static inline void schema_small(schema_maker *m)
{
    lg_buf_addf(m->out, "%u", dice_below(m->d, 4));
}

// --- Keywords by type -----------------------------------------------------------------------------

static inline void schema_of_number(schema_maker *m)
{
    static const char *const bounds[] = {"minimum", "maximum", "exclusiveMinimum",
                                         "exclusiveMaximum"};
    if (dice_one_in(m->d, 3)) {
        schema_member(m, DICE_PICK(m->d, bounds));
        make_number(m->d, m->out);
    } else if (dice_one_in(m->d, 6)) {
        static const char *const factors[] = {"1", "0.5", "0.1", "2", "3"};
        schema_member(m, "multipleOf");
        lg_buf_add_c(m->out, DICE_PICK(m->d, factors));
    }
}

static inline void schema_of_text(schema_maker *m)
{
    static const char *const patterns[] = {"\"^a\"", "\"a\"",     "\"^$\"",    "\"^[a-z]*$\"",
                                           "\"k\"",  "\"^..?$\"", "\"\\\\d\"", "\"^(?!a)\""};
    static const char *const formats[] = {"\"date-time\"", "\"email\"", "\"uuid\"", "\"ipv4\"",
                                          "\"made-up\""};
    switch (dice_below(m->d, 8)) {
    case 0:
        schema_member(m, "minLength");
        schema_small(m);
        return;
    case 1:
        schema_member(m, "maxLength");
        schema_small(m);
        return;
    case 2:
        schema_member(m, "pattern");
        lg_buf_add_c(m->out, DICE_PICK(m->d, patterns));
        return;
    case 3:
        schema_member(m, "format");
        lg_buf_add_c(m->out, DICE_PICK(m->d, formats));
        return;
    default:
        return;
    }
}

static inline void schema_of_list(schema_maker *m, uint32_t depth)
{
    if (!dice_one_in(m->d, 4)) {
        schema_member(m, "items");
        schema_below(m, depth);
    }
    switch (dice_below(m->d, 10)) {
    case 0:
        schema_member(m, "prefixItems");
        schema_list(m, depth);
        return;
    case 1:
        schema_member(m, "minItems");
        schema_small(m);
        return;
    case 2:
        schema_member(m, "maxItems");
        schema_small(m);
        return;
    case 3:
        schema_member(m, "uniqueItems");
        lg_buf_add_c(m->out, "true");
        return;
    case 4:
        schema_member(m, "contains");
        schema_below(m, depth);
        if (dice_one_in(m->d, 2)) {
            schema_member(m, "minContains");
            schema_small(m);
        }
        if (dice_one_in(m->d, 2)) {
            schema_member(m, "maxContains");
            schema_small(m);
        }
        return;
    case 5:
        schema_member(m, "unevaluatedItems");
        schema_below(m, depth);
        return;
    default:
        return;
    }
}

static inline void schema_of_members(schema_maker *m, uint32_t depth)
{
    static const char *const name_patterns[] = {"^x", "a", "^[a-c]$", "\\\\d"};
    if (dice_one_in(m->d, 2)) {
        schema_member(m, "required");
        schema_names(m);
    }
    switch (dice_below(m->d, 14)) {
    case 0:
    case 1:
        schema_member(m, "additionalProperties");
        schema_below(m, depth);
        return;
    case 2:
        schema_member(m, "patternProperties");
        lg_buf_addf(m->out, "{\"%s\":", DICE_PICK(m->d, name_patterns));
        schema_below(m, depth);
        lg_buf_add_byte(m->out, '}');
        return;
    case 3:
        schema_member(m, "propertyNames");
        schema_below(m, depth);
        return;
    case 4:
        schema_member(m, "minProperties");
        schema_small(m);
        return;
    case 5:
        schema_member(m, "maxProperties");
        schema_small(m);
        return;
    case 6:
    case 7:
        schema_member(m, dice_one_in(m->d, 2) ? "dependentRequired" : "dependencies");
        lg_buf_addf(m->out, "{\"%s\":", DICE_PICK(m->d, maker_keys));
        schema_names(m);
        lg_buf_add_byte(m->out, '}');
        return;
    case 8:
        schema_member(m, dice_one_in(m->d, 2) ? "dependentSchemas" : "dependencies");
        lg_buf_addf(m->out, "{\"%s\":", DICE_PICK(m->d, maker_keys));
        schema_below(m, depth);
        lg_buf_add_byte(m->out, '}');
        return;
    case 9:
        schema_member(m, "unevaluatedProperties");
        schema_below(m, depth);
        return;
    default:
        return;
    }
}

// --- Keywords of any type -------------------------------------------------------------------------

static inline void schema_of_combination(schema_maker *m, uint32_t depth)
{
    static const char *const lists[] = {"allOf", "anyOf", "oneOf"};
    switch (dice_below(m->d, 6)) {
    case 0:
        schema_member(m, "not");
        schema_below(m, depth);
        return;
    case 1:
        schema_member(m, "if");
        schema_below(m, depth);
        if (!dice_one_in(m->d, 3)) {
            schema_member(m, "then");
            schema_below(m, depth);
        }
        if (!dice_one_in(m->d, 3)) {
            schema_member(m, "else");
            schema_below(m, depth);
        }
        return;
    default:
        schema_member(m, DICE_PICK(m->d, lists));
        schema_list(m, depth);
        return;
    }
}

static inline void schema_of_listed(schema_maker *m)
{
    uint32_t count = 1 + dice_below(m->d, 3);
    bool texts = dice_one_in(m->d, 2);
    if (dice_one_in(m->d, 3)) {
        schema_member(m, "const");
        make_any(m->d, m->out, 2);
        return;
    }
    schema_member(m, "enum");
    lg_buf_add_byte(m->out, '[');
    for (uint32_t i = 0; i < count; i++) {
        lg_buf_add_c(m->out, i ? "," : "");
        if (texts) {
            make_text(m->d, m->out);
        } else {
            make_any(m->d, m->out, 2);
        }
    }
    lg_buf_add_byte(m->out, ']');
}

static const char *const maker_types[] = {"null",   "boolean", "number", "integer",
                                          "string", "array",   "object"};
enum { MAKES_NULL, MAKES_BOOL, MAKES_NUMBER, MAKES_INTEGER, MAKES_TEXT, MAKES_LIST, MAKES_OBJECT };

static inline void schema_of_type(schema_maker *m, uint32_t type, uint32_t depth)
{
    if (type == MAKES_NUMBER || type == MAKES_INTEGER) {
        schema_of_number(m);
    } else if (type == MAKES_TEXT) {
        schema_of_text(m);
    } else if (type == MAKES_LIST) {
        schema_of_list(m, depth);
    } else if (type == MAKES_OBJECT) {
        if (!dice_one_in(m->d, 4)) {
            schema_member(m, "properties");
            schema_by_name(m, depth);
        }
        schema_of_members(m, depth);
    }
}

static inline void make_schema(schema_maker *m, uint32_t depth)
{
    uint32_t shallow = depth < 3 ? LG_COUNT(maker_types) : MAKES_LIST;
    uint32_t type = dice_below(m->d, shallow);
    if (depth > 0 && dice_one_in(m->d, 14)) {
        lg_buf_add_c(m->out, dice_one_in(m->d, 4) ? "false" : dice_one_in(m->d, 2) ? "true" : "{}");
        return;
    }
    lg_buf_add_byte(m->out, '{');
    if (m->named && dice_one_in(m->d, 10)) {
        schema_member(m, "$ref");
        lg_buf_addf(m->out, "\"#/types/%c\"", 'A' + dice_below(m->d, 2));
        if (dice_one_in(m->d, 2)) {
            lg_buf_add_byte(m->out, '}');
            return;
        }
    }
    if (dice_one_in(m->d, 8)) {
        schema_of_listed(m);
    }
    if (dice_one_in(m->d, 10)) {
        uint32_t other = dice_below(m->d, shallow);
        if (other != type) {
            schema_member(m, "type");
            lg_buf_addf(m->out, "[\"%s\",\"%s\"]", maker_types[type], maker_types[other]);
            schema_of_type(m, other, depth);
        }
    } else if (!dice_one_in(m->d, 7)) {
        schema_member(m, "type");
        lg_buf_addf(m->out, "\"%s\"", maker_types[type]);
    }
    schema_of_type(m, type, depth);
    if (depth < 3 && dice_one_in(m->d, 6)) {
        schema_of_combination(m, depth);
    }
    lg_buf_add_byte(m->out, '}');
}

// --- Values along a schema ------------------------------------------------------------------------

typedef struct fitting {
    dice *d;
    lg_buf *out;
    const lg_json *types; // what `$ref` refers to, by name
} fitting;

static inline void make_fitting(fitting *f, const lg_json *schema, uint32_t depth);

static inline bool schema_type_is(const lg_json *schema, const char *name)
{
    return lg_str_eq(lg_json_str(lg_json_get(schema, LG_STR("type"))), lg_str_c(name));
}

static inline void fitting_member(fitting *f, lg_str key, const lg_json *schema, uint32_t depth,
                                  uint32_t *count)
{
    lg_buf_add_c(f->out, (*count)++ ? "," : "");
    lg_json_print_str(f->out, key);
    lg_buf_add_byte(f->out, ':');
    make_fitting(f, schema, depth + 1);
}

static inline bool key_is_listed(const lg_json *names, lg_str key)
{
    for (size_t i = 0; i < lg_json_len(names); i++) {
        if (lg_str_eq(lg_json_str(lg_json_item(names, i)), key)) {
            return true;
        }
    }
    return false;
}

// What is said of the members of an object.
typedef struct fitting_members {
    const lg_json *properties, *required, *others;
    bool closed;
    uint32_t depth, count;
} fitting_members;

// The member, more often than not if it is named.
static inline void fitting_named(fitting *f, fitting_members *o, lg_str key)
{
    const lg_json *property = lg_json_get(o->properties, key);
    uint32_t rare = property ? 2 : o->properties && (o->closed || !o->others) ? 24 : 4;
    bool here = key_is_listed(o->required, key) ? !dice_one_in(f->d, 24) : dice_one_in(f->d, rare);
    if (here) {
        fitting_member(f, key, property ? property : o->others, o->depth, &o->count);
    }
}

static inline bool is_maker_key(lg_str key)
{
    bool found = false;
    for (size_t i = 0; i < LG_COUNT(maker_keys); i++) {
        found = found || lg_str_eq(key, lg_str_c(maker_keys[i]));
    }
    return found;
}

// Members in any order, and sometimes others than those that are named.
static inline void fitting_object(fitting *f, const lg_json *schema, uint32_t depth)
{
    fitting_members o = {.properties = lg_json_get(schema, LG_STR("properties")),
                         .required = lg_json_get(schema, LG_STR("required")),
                         .others = lg_json_get(schema, LG_STR("additionalProperties")),
                         .depth = depth};
    uint32_t from = dice_below(f->d, LG_COUNT(maker_keys));
    o.closed = lg_json_is(o.others, LG_JSON_BOOL) && !o.others->as.boolean;
    lg_buf_add_byte(f->out, '{');
    for (uint32_t i = 0; i < LG_COUNT(maker_keys); i++) {
        fitting_named(f, &o, lg_str_c(maker_keys[(from + i) % LG_COUNT(maker_keys)]));
    }
    for (size_t i = 0; i < lg_json_len(o.properties); i++) {
        lg_str key = lg_json_key(&o.properties->as.members[i]);
        if (!is_maker_key(key)) {
            fitting_named(f, &o, key);
        }
    }
    if (!o.closed && dice_one_in(f->d, 10)) {
        lg_buf_add_c(f->out, o.count ? "," : "");
        lg_buf_add_c(f->out, DICE_PICK(f->d, maker_other_keys));
        lg_buf_add_byte(f->out, ':');
        make_fitting(f, o.others, depth + 1);
    }
    lg_buf_add_byte(f->out, '}');
}

static inline void fitting_list(fitting *f, const lg_json *schema, uint32_t depth)
{
    const lg_json *first = lg_json_get(schema, LG_STR("prefixItems"));
    const lg_json *item = lg_json_get(schema, LG_STR("items"));
    uint32_t count = dice_below(f->d, 5);
    dice again = *f->d; // elements made by the same dice are the same
    bool alike = dice_one_in(f->d, 4);
    lg_buf_add_byte(f->out, '[');
    for (uint32_t i = 0; i < count; i++) {
        if (alike && dice_one_in(f->d, 2)) {
            *f->d = again;
        }
        lg_buf_add_c(f->out, i ? "," : "");
        make_fitting(f, i < lg_json_len(first) ? lg_json_item(first, i) : item, depth + 1);
    }
    lg_buf_add_byte(f->out, ']');
}

static inline void fitting_type(fitting *f, const lg_json *schema, lg_str type, uint32_t depth)
{
    if (lg_str_eq(type, LG_STR("object"))) {
        fitting_object(f, schema, depth);
    } else if (lg_str_eq(type, LG_STR("array"))) {
        fitting_list(f, schema, depth);
    } else if (lg_str_eq(type, LG_STR("string"))) {
        make_text(f->d, f->out);
    } else if (lg_str_eq(type, LG_STR("null"))) {
        lg_buf_add_c(f->out, "null");
    } else if (lg_str_eq(type, LG_STR("boolean"))) {
        lg_buf_add_c(f->out, dice_one_in(f->d, 2) ? "true" : "false");
    } else {
        const lg_json *limit = lg_json_get(schema, LG_STR("minimum"));
        limit = limit ? limit : lg_json_get(schema, LG_STR("maximum"));
        if (limit && dice_one_in(f->d, 2)) {
            lg_json_print(f->out, limit);
        } else {
            make_number(f->d, f->out);
        }
    }
}

static inline const lg_json *any_part(fitting *f, const lg_json *schema, const char *keyword)
{
    const lg_json *parts = lg_json_get(schema, lg_str_c(keyword));
    return lg_json_len(parts) ? lg_json_item(parts, dice_below(f->d, (uint32_t)lg_json_len(parts)))
                              : NULL;
}

// What the schema says in other words: a type that is referred to, one of several.
static inline const lg_json *instead_of(fitting *f, const lg_json *schema)
{
    lg_str name = lg_json_str(lg_json_get(schema, LG_STR("$ref")));
    if (name.len && !dice_one_in(f->d, 3)) {
        return lg_json_get(f->types, lg_str_slice(name, name.len - 1, name.len));
    }
    static const char *const lists[] = {"anyOf", "oneOf", "allOf"};
    for (size_t i = 0; i < LG_COUNT(lists); i++) {
        const lg_json *part = any_part(f, schema, lists[i]);
        if (part && dice_one_in(f->d, 2)) {
            return part;
        }
    }
    return NULL;
}

static inline void make_fitting(fitting *f, const lg_json *schema, uint32_t depth)
{
    const lg_json *other = depth < 8 ? instead_of(f, schema) : NULL;
    const lg_json *constant = lg_json_get(schema, LG_STR("const"));
    constant = constant ? constant : any_part(f, schema, "enum");
    const lg_json *type = lg_json_get(schema, LG_STR("type"));
    const lg_json *one = any_part(f, schema, "type");
    if (!lg_json_is(schema, LG_JSON_OBJECT) || depth > 8 || dice_one_in(f->d, 24)) {
        make_any(f->d, f->out, depth);
    } else if (other) {
        make_fitting(f, other, depth + 1);
    } else if (constant && !dice_one_in(f->d, 6)) {
        lg_json_print(f->out, constant);
    } else if (type) {
        fitting_type(f, schema, lg_json_str(one ? one : type), depth);
    } else if (lg_json_get(schema, LG_STR("properties")) && !dice_one_in(f->d, 3)) {
        fitting_object(f, schema, depth);
    } else if (lg_json_get(schema, LG_STR("items")) && !dice_one_in(f->d, 3)) {
        fitting_list(f, schema, depth);
    } else {
        make_any(f->d, f->out, depth);
    }
}

#endif
