// fits.c: does an expression give what its place can hold, as far as one sees by looking at it?
//
// Types know that a status is a text. That it is one of four texts, and that a record has all that is
// required of it, only the schema of the place knows. So the tree of the expression and the schema
// are gone through side by side: what is written out (a literal, a branch that is one, the members of
// a record) is compared here, with its place; what is computed waits for the call, where the whole
// record is validated.
#include "cel/tree.h"
#include "pack/loader.h"
#include "pack/yaml.h"

#include <stdarg.h>
#include <stdio.h>

#define REFERENCES_MAX 16u // from one type's name to another's

// A part of what is being looked at: "/owner/name".
typedef struct part {
    const struct part *outer;
    lg_str name;
} part;

typedef struct fit {
    loader *l;
    const loader_wanted *wanted;
    const part *inside; // NULL: all of it
} fit;

static void check(fit *f, const lg_cel_node *node, const lg_cel_type *type, const lg_json *schema);

// --- Schemas ------------------------------------------------------------------------------------

const lg_json *loader_schema_meant(const loader *l, const lg_json *schema)
{
    for (uint32_t i = 0; i < REFERENCES_MAX && schema; i++) {
        lg_str prefix = LG_STR("#/types/");
        lg_str target = lg_json_str(lg_json_get(schema, LG_STR("$ref")));
        if (lg_json_is(schema, LG_JSON_STRING)) {
            schema = lg_json_get(l->types, lg_json_str(schema));
        } else if (lg_str_starts(target, prefix)) {
            schema = lg_json_get(l->types, lg_str_slice(target, prefix.len, target.len));
        } else {
            return schema;
        }
    }
    return NULL;
}

// Combined schemas may say anything of a part, so nothing is said of it here.
static bool is_combined(const lg_json *schema)
{
    static const char *const words[] = {"anyOf", "oneOf", "allOf", "if", "patternProperties"};
    for (size_t i = 0; i < LG_COUNT(words); i++) {
        if (lg_json_get(schema, lg_str_c(words[i]))) {
            return true;
        }
    }
    return false;
}

static const lg_json *schema_of_member(const loader *l, const lg_json *schema, lg_str name)
{
    schema = loader_schema_meant(l, schema);
    if (!schema || is_combined(schema)) {
        return NULL;
    }
    const lg_json *member = lg_json_get(lg_json_get(schema, LG_STR("properties")), name);
    return member ? member : lg_json_get(schema, LG_STR("additionalProperties"));
}

const lg_json *loader_schema_of_item(const loader *l, const lg_json *schema)
{
    schema = loader_schema_meant(l, schema);
    return schema && !is_combined(schema) ? lg_json_get(schema, LG_STR("items")) : NULL;
}

bool loader_schema_requires(const loader *l, const lg_json *schema, lg_str name)
{
    const lg_json *required = lg_json_get(loader_schema_meant(l, schema), LG_STR("required"));
    for (size_t i = 0; i < lg_json_len(required); i++) {
        if (lg_str_eq(lg_json_str(lg_json_item(required, i)), name)) {
            return true;
        }
    }
    return false;
}

const lg_json *loader_schema_at(const loader *l, const lg_target *target)
{
    const lg_json *schema = target->place->schema;
    for (uint32_t s = target->place->segment_count; s < target->segment_count && schema; s++) {
        const lg_target_segment *segment = &target->segments[s];
        const lg_json *whole = loader_schema_meant(l, schema);
        schema = !segment->key ? schema_of_member(l, whole, segment->name)
                 : lg_json_get(whole, LG_STR("properties")) ? NULL // a computed field may be any
                 : lg_json_get(whole, LG_STR("items"))      ? loader_schema_of_item(l, whole)
                                                       : schema_of_member(l, whole, LG_STR(""));
    }
    return schema;
}

// --- What is written out ------------------------------------------------------------------------

// As deep as maps stand in maps, which the tree bounds.
static void add_path(lg_buf *out, const part *inside)
{
    if (inside) {
        add_path(out, inside->outer);
        lg_buf_addf(out, "/%.*s", LG_FMT(inside->name));
    }
}

LG_PRINTF(3, 4)
static void complain(fit *f, uint32_t offset, const char *format, ...)
{
    char text[LG_ERROR_TEXT_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    char room[200];
    lg_buf path;
    lg_buf_init_in(&path, room, sizeof(room), sizeof(room));
    add_path(&path, f->inside);
    lg_str inside = lg_str_cut(lg_buf_str(&path), 100);
    size_t at = lg_yaml_locate(f->l->pack->text, f->wanted->scalar, offset);
    loader_error(f->l, (uint32_t)at, "this does not fit %.*s: %.*s%s%s", LG_FMT(f->wanted->what),
                 LG_FMT(inside), inside.len ? ": " : "", text);
    lg_buf_done(&path);
}

// The value of a node that names nothing and calls nothing. As deep as the tree, which is bounded.
static bool constant(fit *f, const lg_cel_node *node, lg_json *ret);

static bool constant_list(fit *f, const lg_cel_node *node, lg_json *ret)
{
    lg_json *items = LG_NEW_ARRAY(f->l->arena, lg_json, node->as.list.count + 1);
    for (uint32_t i = 0; i < node->as.list.count; i++) {
        const lg_cel_node *item = node->as.list.items[i];
        if (!items || item->optional_item || !constant(f, item, &items[i])) {
            return false;
        }
    }
    *ret = lg_json_make_array(items, node->as.list.count);
    return items != NULL;
}

static bool constant_map(fit *f, const lg_cel_node *node, lg_json *ret)
{
    uint32_t count = node->as.list.count / 2;
    lg_json_member *members = lg_json_alloc_members(f->l->arena, count);
    for (uint32_t i = 0; i < count; i++) {
        const lg_cel_node *key = node->as.list.items[2 * i];
        const lg_cel_node *item = node->as.list.items[2 * i + 1];
        lg_json name, value;
        if (!members || key->optional_item || item->optional_item || !constant(f, key, &name) ||
            !lg_json_is(&name, LG_JSON_STRING) || !constant(f, item, &value)) {
            return false;
        }
        members[i] = lg_json_make_member(lg_json_str(&name), value);
    }
    *ret = lg_json_make_object(members, count);
    return members != NULL;
}

static bool constant(fit *f, const lg_cel_node *node, lg_json *ret)
{
    lg_cel_value value;
    const lg_json *json = NULL;
    switch ((lg_cel_node_kind)node->kind) {
    case LG_NODE_CONST:
        json = lg_cel_to_json(f->l->arena, node->as.constant);
        break;
    case LG_NODE_NEGATE:
        if (node->as.of.a->kind != LG_NODE_CONST) {
            return false;
        }
        value = node->as.of.a->as.constant;
        if (value.kind == LG_CEL_INT && value.as.i64 >= 0) {
            json = lg_cel_to_json(f->l->arena, lg_cel_make_int(-value.as.i64));
        } else if (value.kind == LG_CEL_DOUBLE) {
            json = lg_cel_to_json(f->l->arena, lg_cel_make_double(-value.as.f64));
        }
        break;
    case LG_NODE_LIST:
        return constant_list(f, node, ret);
    case LG_NODE_MAP:
        return constant_map(f, node, ret);
    case LG_NODE_IDENT:
    case LG_NODE_SELECT:
    case LG_NODE_HAS:
    case LG_NODE_NOT:
    case LG_NODE_BINARY:
    case LG_NODE_AND:
    case LG_NODE_OR:
    case LG_NODE_COND:
    case LG_NODE_CALL:
    case LG_NODE_FOLD:
    case LG_NODE_BIND:
        return false;
    }
    if (json) {
        *ret = *json;
    }
    return json != NULL;
}

static void check_constant(fit *f, const lg_cel_node *node, const lg_json *value,
                           const lg_json *schema)
{
    lg_schema_violation violation = {0};
    lg_schema_report report = {.items = &violation, .capacity = 1};
    lg_arena_mark mark = lg_arena_mark_here(f->l->arena);
    lg_errors reported; // those of the schema are told where it stands
    lg_errors_init(&reported, f->l->arena, 1);
    lg_schema_options options = {.document = f->l->pack->document, .limits = &f->l->limits};
    schema = loader_schema_meant(f->l, schema);
    const lg_schema *compiled =
        schema ? lg_schema_compile(f->l->arena, schema, &options, &reported) : NULL;
    bool fits = !compiled || lg_schema_validate(compiled, value, &report);
    lg_arena_rewind(f->l->arena, mark);
    if (!fits) {
        lg_str pointer = lg_str_c(violation.instance_pointer);
        part below = {f->inside, lg_str_slice(pointer, 1, pointer.len)};
        f->inside = pointer.len ? &below : f->inside;
        complain(f, node->start, "%s", violation.msg);
        f->inside = pointer.len ? below.outer : f->inside;
    }
}

// --- Records ------------------------------------------------------------------------------------

static void check_member(fit *f, const lg_cel_node *key, const lg_cel_node *value,
                         const lg_cel_type *type, const lg_json *schema)
{
    lg_str name = lg_cel_str(key->as.constant);
    const lg_cel_field *field = lg_cel_type_field(type, name);
    const lg_cel_type *below = type->kind == LG_CEL_MAP ? type->element
                               : field                  ? field->type
                                                        : NULL;
    if (!below && type->kind == LG_CEL_OBJECT) {
        loader_names names = {.wanted = name};
        loader_offer_fields(&names, type);
        complain(f, key->start, "there is no field `%.*s`%s", LG_FMT(name),
                 loader_meant(f->l, &names));
        return;
    }
    part member = {f->inside, name};
    f->inside = &member;
    check(f, value, below ? below : lg_cel_type_of_kind(LG_CEL_DYN),
          schema_of_member(f->l, schema, name));
    f->inside = member.outer;
}

static bool has_key(const lg_cel_node *map, lg_str name)
{
    for (uint32_t i = 0; i < map->as.list.count; i += 2) {
        const lg_cel_node *key = map->as.list.items[i];
        if (key->kind != LG_NODE_CONST || lg_str_eq(lg_cel_str(key->as.constant), name)) {
            return true; // a computed key may be any
        }
    }
    return false;
}

static void check_map(fit *f, const lg_cel_node *map, const lg_cel_type *type,
                      const lg_json *schema)
{
    for (uint32_t i = 0; i + 1 < map->as.list.count; i += 2) {
        const lg_cel_node *key = map->as.list.items[i];
        if (key->kind == LG_NODE_CONST && key->as.constant.kind == LG_CEL_STRING) {
            check_member(f, key, map->as.list.items[i + 1], type, schema);
        }
    }
    const lg_json *required = lg_json_get(loader_schema_meant(f->l, schema), LG_STR("required"));
    for (size_t i = 0; i < lg_json_len(required) && !f->wanted->unfinished; i++) {
        lg_str name = lg_json_str(lg_json_item(required, i));
        if (!has_key(map, name)) {
            complain(f, map->start, "`%.*s` is missing", LG_FMT(name));
        }
    }
}

// --- Expressions --------------------------------------------------------------------------------

static void check_items(fit *f, const lg_cel_node *list, const lg_cel_type *type,
                        const lg_json *schema)
{
    const lg_cel_type *item =
        type->kind == LG_CEL_LIST ? type->element : lg_cel_type_of_kind(LG_CEL_DYN);
    const lg_json *of_item = loader_schema_of_item(f->l, schema);
    if (list->kind == LG_NODE_FOLD) {
        check(f, list->as.fold.step, item, of_item);
        return;
    }
    for (uint32_t i = 0; i < list->as.list.count; i++) {
        if (!list->as.list.items[i]->optional_item) {
            check(f, list->as.list.items[i], item, of_item);
        }
    }
}

static bool type_fits(fit *f, const lg_cel_node *node, const lg_cel_type *type)
{
    if (!node->type || loader_assignable(node->type, type)) {
        return true;
    }
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_cel_type_print(&text, node->type);
    lg_buf_add_c(&text, " where ");
    lg_cel_type_print(&text, type);
    complain(f, node->start, "this gives %.*s is wanted", LG_FMT(lg_buf_str(&text)));
    lg_buf_done(&text);
    return false;
}

static void check(fit *f, const lg_cel_node *node, const lg_cel_type *type, const lg_json *schema)
{
    lg_json value;
    if (!type_fits(f, node, type)) {
        return;
    }
    bool by_member = node->kind == LG_NODE_MAP && f->wanted->unfinished;
    if (schema && !by_member && constant(f, node, &value)) {
        check_constant(f, node, &value, schema);
        return;
    }
    bool maps = node->kind == LG_NODE_FOLD && node->op == LG_FOLD_MAP;
    if (node->kind == LG_NODE_COND) {
        check(f, node->as.of.b, type, schema);
        check(f, node->as.of.c, type, schema);
    } else if (node->kind == LG_NODE_BIND && node->op == LG_BIND_PLAIN) {
        check(f, node->as.bind.body, type, schema);
    } else if (node->kind == LG_NODE_LIST || maps) {
        check_items(f, node, type, schema);
    } else if (node->kind == LG_NODE_MAP) {
        check_map(f, node, type, schema);
    }
}

void loader_check_literals(loader *l, const lg_cel_program *program, const loader_wanted *wanted)
{
    const lg_cel_node *tree = program ? lg_cel_program_tree(program) : NULL;
    if (!tree || !loader_assignable(lg_cel_program_type(program), wanted->type)) {
        return; // that is told already
    }
    fit f = {.l = l, .wanted = wanted};
    check(&f, tree, wanted->type, wanted->schema);
}
