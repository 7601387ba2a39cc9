// never.c: comparisons with what a value never is.
//
// Where a schema lists the values of a field, `status == 'pendng'` is false for every record that the
// ledger or the state can hold: a slip of the finger that no type shows. Each expression of a pack is
// gone through for literals that are compared with such a field.
#include "pack/loader.h"
#include "pack/yaml.h"

#define VALUES_SHOWN 8u

typedef struct search {
    loader *l;
    const lg_json *scalar;
    size_t from; // where in it the expression begins
} search;

// The listed values of a field that is named in the expression itself. A value that comes out of a branch
// or a list may have the type of one field and the value of another.
static const lg_json *listed_values(const lg_cel_node *node)
{
    return node->kind == LG_NODE_SELECT && node->type ? node->type->values : NULL;
}

static bool is_listed(const lg_json *values, lg_cel_value value)
{
    for (size_t i = 0; i < lg_json_len(values); i++) {
        if (lg_cel_equal(lg_cel_from_json(lg_json_item(values, i)), value)) {
            return true;
        }
    }
    return false;
}

static void complain(const search *s, const lg_cel_node *field, const lg_cel_node *literal,
                     const lg_json *values)
{
    loader_names names = {.wanted = lg_cel_str(literal->as.constant)};
    lg_buf text;
    lg_buf_init(&text, 0);
    for (size_t i = 0; i < lg_json_len(values); i++) {
        loader_offer(&names, lg_json_str(lg_json_item(values, i)));
        if (i < VALUES_SHOWN) {
            lg_buf_add_c(&text, i ? ", " : "");
            lg_json_print(&text, lg_json_item(values, i));
        }
    }
    lg_buf_add_c(&text, lg_json_len(values) > VALUES_SHOWN ? ", ..." : "");
    size_t at = lg_yaml_locate(s->l->pack->text, s->scalar, s->from + literal->start);
    loader_error(s->l, (uint32_t)at, "`%.*s` is never `%.*s`; it is one of %.*s%s",
                 LG_FMT(field->as.select.name), LG_FMT(names.wanted), LG_FMT(lg_buf_str(&text)),
                 loader_meant(s->l, &names));
    lg_buf_done(&text);
}

static void compare(void *context, const lg_cel_node *field, const lg_cel_node *literal)
{
    const lg_json *values = listed_values(field);
    if (values && !is_listed(values, literal->as.constant)) {
        complain(context, field, literal, values);
    }
}

static void take_if_text(const lg_cel_node *value, const lg_cel_node *literal,
                         loader_comparison *take, void *context)
{
    if (literal->kind == LG_NODE_CONST && literal->as.constant.kind == LG_CEL_STRING) {
        take(context, value, literal);
    }
}

// As deep as the tree, which is bounded.
void loader_each_comparison(const lg_cel_node *node, loader_comparison *take, void *context)
{
    if (node->kind == LG_NODE_BINARY && (node->op == LG_BIN_EQ || node->op == LG_BIN_NE)) {
        take_if_text(node->as.of.a, node->as.of.b, take, context);
        take_if_text(node->as.of.b, node->as.of.a, take, context);
    } else if (node->kind == LG_NODE_BINARY && node->op == LG_BIN_IN &&
               node->as.of.b->kind == LG_NODE_LIST) {
        const lg_cel_node *list = node->as.of.b;
        for (uint32_t i = 0; i < list->as.list.count; i++) {
            take_if_text(node->as.of.a, list->as.list.items[i], take, context);
        }
    }
    const lg_cel_node *child;
    for (size_t i = 0; (child = lg_cel_node_child(node, i)) != NULL; i++) {
        loader_each_comparison(child, take, context);
    }
}

void loader_check_comparisons(loader *l, const lg_json *scalar, size_t from,
                              const lg_cel_program *program)
{
    const lg_cel_node *tree = lg_cel_program_tree(program);
    search s = {l, scalar, from};
    if (tree) {
        loader_each_comparison(tree, compare, &s);
    }
}
