// From tokens to a tree: precedence climbing for the binary operators, recursive descent for the
// rest. Every way to nest passes through enter(), so the depth of recursion is bounded; chains of
// `&&` and `||` become one node with many operands.
//
// The first error of syntax ends the parse: what follows it would only be guesses.
#include "cel/cel_internal.h"

typedef struct parser {
    lg_cel_build *build;
    lg_cel_token token; // the next one
    uint32_t at;        // behind it
    uint32_t end;       // of the one before it
    uint32_t depth;
} parser;

static lg_cel_node *parse_expression(parser *p);
static lg_cel_node *parse_unary(parser *p);

// --- Helpers ------------------------------------------------------------------------------------

static bool advance(parser *p)
{
    p->end = p->token.end;
    return lg_cel_lex(p->build, &p->at, &p->token);
}

static bool is_at(const parser *p, lg_cel_token_kind kind)
{
    return p->token.kind == kind;
}

// "unexpected `)`, wanted an expression"
static void *unexpected(parser *p, const char *wanted)
{
    lg_str text = lg_str_slice(p->build->source, p->token.offset, p->token.end);
    if (is_at(p, LG_TOK_END)) {
        return lg_cel_report(p->build, LG_ERR_PARSE, p->token.offset,
                             "unexpected end of expression, wanted %s", wanted);
    }
    return lg_cel_report(p->build, LG_ERR_PARSE, p->token.offset, "unexpected `%.*s`, wanted %s",
                         (int)(text.len > 40 ? 40 : text.len), text.ptr, wanted);
}

static bool expect(parser *p, lg_cel_token_kind kind)
{
    if (!is_at(p, kind)) {
        unexpected(p, lg_cel_token_text(kind));
        return false;
    }
    return advance(p);
}

static void *too_deep(lg_cel_build *build, uint32_t offset)
{
    return lg_cel_report(build, LG_ERR_LIMIT, offset,
                         "nested deeper than %u levels (limit cel_depth)", build->depth_limit);
}

static bool enter(parser *p)
{
    if (++p->depth > p->build->depth_limit) {
        too_deep(p->build, p->token.offset);
        return false;
    }
    return true;
}

lg_cel_node *lg_cel_node_new(lg_cel_build *build, lg_cel_node_kind kind, uint32_t offset)
{
    lg_cel_node *node = LG_NEW(build->work, lg_cel_node);
    if (!node) {
        return lg_cel_oom(build);
    }
    node->kind = (uint8_t)kind;
    node->offset = offset;
    node->start = offset;
    node->depth = 1;
    return node;
}

static uint32_t deeper(uint32_t depth, const lg_cel_node *child)
{
    return child && child->depth > depth ? child->depth : depth;
}

static uint32_t deepest(uint32_t depth, lg_cel_node *const *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        depth = deeper(depth, items[i]);
    }
    return depth;
}

static uint32_t depth_of_children(const lg_cel_node *node)
{
    switch ((lg_cel_node_kind)node->kind) {
    case LG_NODE_CONST:
    case LG_NODE_IDENT:
        return 0;
    case LG_NODE_SELECT:
    case LG_NODE_HAS:
        return deeper(0, node->as.select.operand);
    case LG_NODE_NOT:
    case LG_NODE_NEGATE:
    case LG_NODE_BINARY:
    case LG_NODE_COND:
        return deeper(deeper(deeper(0, node->as.of.a), node->as.of.b), node->as.of.c);
    case LG_NODE_AND:
    case LG_NODE_OR:
    case LG_NODE_LIST:
    case LG_NODE_MAP:
        return deepest(0, node->as.list.items, node->as.list.count);
    case LG_NODE_CALL:
        return deepest(deeper(0, node->as.call.target), node->as.call.args, node->as.call.count);
    case LG_NODE_FOLD:
        return deeper(deeper(deeper(0, node->as.fold.range), node->as.fold.filter),
                      node->as.fold.step);
    case LG_NODE_BIND:
        return deeper(deeper(0, node->as.bind.value), node->as.bind.body);
    }
    return 0;
}

lg_cel_node *lg_cel_node_done(lg_cel_build *build, lg_cel_node *node)
{
    uint32_t depth = depth_of_children(node) + 1;
    if (depth > build->depth_limit) {
        return too_deep(build, node->offset);
    }
    node->depth = (uint16_t)depth;
    return node;
}

// A growing array of nodes.
typedef struct items {
    lg_cel_node **at;
    size_t count;
    size_t capacity;
} items;

static bool add_item(parser *p, items *list, lg_cel_node *node)
{
    if (!node) {
        return false;
    }
    lg_cel_node **at =
        lg_arena_grow(p->build->work, list->at, list->count, &list->capacity, sizeof(*at));
    if (!at) {
        lg_cel_oom(p->build);
        return false;
    }
    list->at = at;
    list->at[list->count++] = node;
    return true;
}

// --- Primary expressions ------------------------------------------------------------------------

static lg_cel_node *make_const(parser *p, uint32_t offset, lg_cel_value value)
{
    lg_cel_node *node = lg_cel_node_new(p->build, LG_NODE_CONST, offset);
    if (node) {
        node->as.constant = value;
    }
    return node;
}

static lg_cel_node *parse_literal(parser *p, bool negative, uint32_t offset)
{
    lg_cel_value value = p->token.value;
    if (value.kind == LG_CEL_UINT && p->token.is_signed) {
        uint64_t magnitude = value.as.u64;
        if (magnitude > (uint64_t)INT64_MAX && !negative) {
            return lg_cel_report(p->build, LG_ERR_PARSE, offset, "integer literal out of range");
        }
        value = lg_cel_make_int(negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude);
    } else if (value.kind == LG_CEL_DOUBLE && negative) {
        value.as.f64 = -value.as.f64;
    }
    return advance(p) ? make_const(p, offset, value) : NULL;
}

// The rest of "(a, b)", after the opening parenthesis.
static bool parse_arguments(parser *p, items *list)
{
    while (!is_at(p, LG_TOK_RPAREN)) {
        if (!add_item(p, list, parse_expression(p))) {
            return false;
        }
        if (!is_at(p, LG_TOK_COMMA)) {
            break;
        }
        if (!advance(p)) {
            return false;
        }
        if (is_at(p, LG_TOK_RPAREN)) {
            unexpected(p, "an argument");
            return false;
        }
    }
    return expect(p, LG_TOK_RPAREN);
}

// `start` is the first byte of the whole call. The opening parenthesis is the next token.
static lg_cel_node *parse_call(parser *p, lg_cel_node *target, lg_str name, uint32_t offset,
                               uint32_t start)
{
    items args = {0};
    if (!advance(p) || !parse_arguments(p, &args)) {
        return NULL;
    }
    lg_cel_node *node = lg_cel_node_new(p->build, LG_NODE_CALL, offset);
    if (!node) {
        return NULL;
    }
    node->start = start;
    node->as.call.target = target;
    node->as.call.name = name;
    node->as.call.args = args.at;
    node->as.call.count = (uint32_t)args.count;
    return lg_cel_node_done(p->build, node) ? lg_cel_expand(p->build, node) : NULL;
}

static lg_cel_node *parse_name(parser *p, bool absolute, uint32_t start)
{
    lg_str name = p->token.text;
    uint32_t offset = p->token.offset;
    if (lg_cel_is_reserved(name)) {
        return lg_cel_report(p->build, LG_ERR_PARSE, offset, "`%.*s` is a reserved word",
                             LG_FMT(name));
    }
    if (!advance(p)) {
        return NULL;
    }
    if (is_at(p, LG_TOK_LPAREN)) {
        return parse_call(p, NULL, name, offset, start);
    }
    lg_cel_node *node = lg_cel_node_new(p->build, LG_NODE_IDENT, offset);
    if (node) {
        node->start = start;
        node->as.ident.name = name;
        node->as.ident.absolute = absolute;
    }
    return node;
}

static bool parse_optional_mark(parser *p, bool *ret)
{
    *ret = is_at(p, LG_TOK_QUESTION);
    return !*ret || advance(p);
}

static lg_cel_node *finish_aggregate(parser *p, lg_cel_node_kind kind, uint32_t offset, items list)
{
    lg_cel_node *node = lg_cel_node_new(p->build, kind, offset);
    if (!node) {
        return NULL;
    }
    node->as.list.items = list.at;
    node->as.list.count = (uint32_t)list.count;
    return lg_cel_node_done(p->build, node);
}

// Behind an item stands a comma or the end of the literal.
static bool end_item(parser *p, lg_cel_token_kind close, const char *wanted)
{
    if (is_at(p, LG_TOK_COMMA)) {
        return advance(p);
    }
    return is_at(p, close) || unexpected(p, wanted);
}

static lg_cel_node *parse_list(parser *p)
{
    uint32_t offset = p->token.offset;
    items list = {0};
    if (!advance(p)) {
        return NULL;
    }
    while (!is_at(p, LG_TOK_RBRACKET)) {
        bool optional;
        if (!parse_optional_mark(p, &optional) || !add_item(p, &list, parse_expression(p))) {
            return NULL;
        }
        list.at[list.count - 1]->optional_item = optional;
        if (!end_item(p, LG_TOK_RBRACKET, "`,` or `]`")) {
            return NULL;
        }
    }
    return advance(p) ? finish_aggregate(p, LG_NODE_LIST, offset, list) : NULL;
}

static lg_cel_node *parse_map(parser *p)
{
    uint32_t offset = p->token.offset;
    items list = {0};
    if (!advance(p)) {
        return NULL;
    }
    while (!is_at(p, LG_TOK_RBRACE)) {
        bool optional;
        if (!parse_optional_mark(p, &optional) || !add_item(p, &list, parse_expression(p)) ||
            !expect(p, LG_TOK_COLON) || !add_item(p, &list, parse_expression(p))) {
            return NULL;
        }
        list.at[list.count - 1]->optional_item = optional;
        if (!end_item(p, LG_TOK_RBRACE, "`,` or `}`")) {
            return NULL;
        }
    }
    return advance(p) ? finish_aggregate(p, LG_NODE_MAP, offset, list) : NULL;
}

static lg_cel_node *parse_parentheses(parser *p)
{
    if (!advance(p)) {
        return NULL;
    }
    lg_cel_node *node = parse_expression(p);
    if (!node || !expect(p, LG_TOK_RPAREN)) {
        return NULL;
    }
    node->parenthesised = true;
    return node;
}

static lg_cel_node *parse_primary(parser *p)
{
    uint32_t start = p->token.offset;
    if (is_at(p, LG_TOK_LITERAL)) {
        return parse_literal(p, false, start);
    }
    if (is_at(p, LG_TOK_IDENT)) {
        return parse_name(p, false, start);
    }
    if (is_at(p, LG_TOK_DOT)) {
        if (!advance(p)) {
            return NULL;
        }
        return is_at(p, LG_TOK_IDENT) ? parse_name(p, true, start) : unexpected(p, "a name");
    }
    if (is_at(p, LG_TOK_LPAREN)) {
        return parse_parentheses(p);
    }
    if (is_at(p, LG_TOK_LBRACKET)) {
        return parse_list(p);
    }
    return is_at(p, LG_TOK_LBRACE) ? parse_map(p) : unexpected(p, "an expression");
}

// --- Postfix: fields, indexes, methods ----------------------------------------------------------

static lg_cel_node *parse_field(parser *p, lg_cel_node *operand)
{
    bool optional;
    if (!advance(p) || !parse_optional_mark(p, &optional)) {
        return NULL;
    }
    if (!is_at(p, LG_TOK_IDENT) && !is_at(p, LG_TOK_QUOTED)) {
        return unexpected(p, "the name of a field or function");
    }
    bool quoted = is_at(p, LG_TOK_QUOTED);
    lg_str name = p->token.text;
    uint32_t offset = p->token.offset;
    if (!advance(p)) {
        return NULL;
    }
    if (is_at(p, LG_TOK_LPAREN) && !quoted && !optional) {
        return parse_call(p, operand, name, offset, operand->start);
    }
    lg_cel_node *node = lg_cel_node_new(p->build, LG_NODE_SELECT, offset);
    if (!node) {
        return NULL;
    }
    node->start = operand->start;
    node->optional = optional;
    node->as.select.operand = operand;
    node->as.select.name = name;
    return lg_cel_node_done(p->build, node);
}

static lg_cel_node *make_binary(parser *p, lg_cel_binary op, uint32_t offset, lg_cel_node *a,
                                lg_cel_node *b)
{
    lg_cel_node *node = a && b ? lg_cel_node_new(p->build, LG_NODE_BINARY, offset) : NULL;
    if (!node) {
        return NULL;
    }
    node->op = (uint8_t)op;
    node->start = a->start;
    node->as.of.a = a;
    node->as.of.b = b;
    return lg_cel_node_done(p->build, node);
}

static lg_cel_node *parse_subscript(parser *p, lg_cel_node *operand)
{
    uint32_t offset = p->token.offset;
    bool optional;
    if (!advance(p) || !parse_optional_mark(p, &optional)) {
        return NULL;
    }
    lg_cel_node *index = parse_expression(p);
    if (!index || !expect(p, LG_TOK_RBRACKET)) {
        return NULL;
    }
    return make_binary(p, optional ? LG_BIN_OPT_INDEX : LG_BIN_INDEX, offset, operand, index);
}

static lg_cel_node *parse_postfix(parser *p, lg_cel_node *node)
{
    while (node) {
        if (is_at(p, LG_TOK_DOT)) {
            node = parse_field(p, node);
        } else if (is_at(p, LG_TOK_LBRACKET)) {
            node = parse_subscript(p, node);
        } else if (is_at(p, LG_TOK_LBRACE) &&
                   (node->kind == LG_NODE_IDENT || node->kind == LG_NODE_SELECT)) {
            return lg_cel_report(p->build, LG_ERR_PARSE, p->token.offset,
                                 "message literals are not supported; write a map");
        } else {
            return node;
        }
    }
    return NULL;
}

// --- Operators ----------------------------------------------------------------------------------

static lg_cel_node *parse_prefixed(parser *p, lg_cel_node_kind kind)
{
    uint32_t offset = p->token.offset;
    if (!advance(p)) {
        return NULL;
    }
    bool number =
        is_at(p, LG_TOK_LITERAL) && (p->token.value.kind == LG_CEL_DOUBLE ||
                                     (p->token.value.kind == LG_CEL_UINT && p->token.is_signed));
    if (kind == LG_NODE_NEGATE && number) {
        lg_cel_node *literal = parse_literal(p, true, offset);
        return literal ? parse_postfix(p, literal) : NULL;
    }
    lg_cel_node *operand = enter(p) ? parse_unary(p) : NULL;
    lg_cel_node *node = operand ? lg_cel_node_new(p->build, kind, offset) : NULL;
    if (!node) {
        return NULL;
    }
    p->depth--;
    node->as.of.a = operand;
    return lg_cel_node_done(p->build, node);
}

static lg_cel_node *parse_unary(parser *p)
{
    if (is_at(p, LG_TOK_NOT)) {
        return parse_prefixed(p, LG_NODE_NOT);
    }
    if (is_at(p, LG_TOK_MINUS)) {
        return parse_prefixed(p, LG_NODE_NEGATE);
    }
    lg_cel_node *node = parse_primary(p);
    return node ? parse_postfix(p, node) : NULL;
}

typedef struct operator_row {
    uint8_t precedence; // 0: the token is no binary operator
    uint8_t op;         // of precedence 3 and above
} operator_row;

enum { PRECEDENCE_OR = 1, PRECEDENCE_AND = 2 };

static const operator_row operators[] = {
    [LG_TOK_OR] = {PRECEDENCE_OR, 0}, [LG_TOK_AND] = {PRECEDENCE_AND, 0},
    [LG_TOK_EQ] = {3, LG_BIN_EQ},     [LG_TOK_NE] = {3, LG_BIN_NE},
    [LG_TOK_LT] = {3, LG_BIN_LT},     [LG_TOK_LE] = {3, LG_BIN_LE},
    [LG_TOK_GT] = {3, LG_BIN_GT},     [LG_TOK_GE] = {3, LG_BIN_GE},
    [LG_TOK_IN] = {3, LG_BIN_IN},     [LG_TOK_PLUS] = {4, LG_BIN_ADD},
    [LG_TOK_MINUS] = {4, LG_BIN_SUB}, [LG_TOK_STAR] = {5, LG_BIN_MUL},
    [LG_TOK_SLASH] = {5, LG_BIN_DIV}, [LG_TOK_PERCENT] = {5, LG_BIN_MOD},
};

static operator_row operator_at(const parser *p)
{
    size_t kind = p->token.kind;
    return kind < LG_COUNT(operators) ? operators[kind] : (operator_row){0, 0};
}

static lg_cel_node *parse_binary(parser *p, uint32_t precedence);

// The rest of a chain of `&&` or `||`, whose operator is the next token.
static lg_cel_node *parse_chain(parser *p, lg_cel_node *first, uint32_t precedence)
{
    lg_cel_token_kind kind = p->token.kind;
    uint32_t offset = p->token.offset;
    items list = {0};
    if (!add_item(p, &list, first)) {
        return NULL;
    }
    while (is_at(p, kind)) {
        if (!advance(p) || !add_item(p, &list, parse_binary(p, precedence + 1))) {
            return NULL;
        }
    }
    lg_cel_node *node =
        finish_aggregate(p, kind == LG_TOK_AND ? LG_NODE_AND : LG_NODE_OR, offset, list);
    if (node) {
        node->start = first->start;
    }
    return node;
}

// Operators that bind at least as tightly as `precedence`. Recursion goes up the five levels only.
static lg_cel_node *parse_binary(parser *p, uint32_t precedence)
{
    lg_cel_node *left = parse_unary(p);
    for (;;) {
        operator_row row = operator_at(p);
        if (!left || row.precedence < precedence || row.precedence == 0) {
            return left;
        }
        if (row.precedence <= PRECEDENCE_AND) {
            left = parse_chain(p, left, row.precedence);
            continue;
        }
        uint32_t offset = p->token.offset;
        if (!advance(p)) {
            return NULL;
        }
        left = make_binary(p, (lg_cel_binary)row.op, offset, left,
                           parse_binary(p, row.precedence + 1u));
    }
}

static lg_cel_node *parse_conditional(parser *p, lg_cel_node *condition)
{
    uint32_t offset = p->token.offset;
    lg_cel_node *yes = advance(p) ? parse_binary(p, PRECEDENCE_OR) : NULL;
    if (!yes || !expect(p, LG_TOK_COLON)) {
        return NULL;
    }
    lg_cel_node *no = parse_expression(p);
    lg_cel_node *node = no ? lg_cel_node_new(p->build, LG_NODE_COND, offset) : NULL;
    if (!node) {
        return NULL;
    }
    node->start = condition->start;
    node->as.of.a = condition;
    node->as.of.b = yes;
    node->as.of.c = no;
    return lg_cel_node_done(p->build, node);
}

static lg_cel_node *parse_expression(parser *p)
{
    if (!enter(p)) {
        return NULL;
    }
    lg_cel_node *node = parse_binary(p, PRECEDENCE_OR);
    if (node && is_at(p, LG_TOK_QUESTION)) {
        node = parse_conditional(p, node);
    }
    p->depth--;
    return node;
}

lg_cel_node *lg_cel_parse(lg_cel_build *build)
{
    parser p = {.build = build};
    if (!advance(&p)) {
        return NULL;
    }
    lg_cel_node *node = parse_expression(&p);
    if (node && !is_at(&p, LG_TOK_END)) {
        return unexpected(&p, "an operator or the end of the expression");
    }
    return node;
}
