// tree.h: an expression as a tree, after names were resolved and types checked.
//
// For those who read expressions instead of running them: which paths an expression reads, what it
// means to a prover. A tree lives as long as its program, and is there only if the environment was
// told to keep trees. Macros are folds and bindings by now, `!=` and `in` are operators, a chain of
// `&&` is one node. A name is a local of a macro around it, or the slot of a variable.
#ifndef LG_CEL_TREE_H
#define LG_CEL_TREE_H

#include "cel/cel.h"

typedef enum lg_cel_node_kind {
    LG_NODE_CONST,
    LG_NODE_IDENT,
    LG_NODE_SELECT, // a.name, a.?name
    LG_NODE_HAS,    // has(a.name)
    LG_NODE_NOT,
    LG_NODE_NEGATE,
    LG_NODE_BINARY, // a op b, a[b], a[?b]
    LG_NODE_AND,    // of two or more: a chain is one node, so that it costs no depth
    LG_NODE_OR,
    LG_NODE_COND, // a ? b : c
    LG_NODE_LIST,
    LG_NODE_MAP,
    LG_NODE_CALL,
    LG_NODE_FOLD, // all, exists, map ...
    LG_NODE_BIND, // cel.bind, optMap
} lg_cel_node_kind;

// clang-format off
#define LG_CEL_BINARY_MAP(X) \
    X(ADD, "+") X(SUB, "-") X(MUL, "*") X(DIV, "/") X(MOD, "%")                                    \
    X(EQ, "==") X(NE, "!=") X(LT, "<") X(LE, "<=") X(GT, ">") X(GE, ">=")                          \
    X(IN, "in") X(INDEX, "[]") X(OPT_INDEX, "[?]")
// clang-format on
typedef enum lg_cel_binary {
#define X(name, text) LG_BIN_##name,
    LG_CEL_BINARY_MAP(X)
#undef X
} lg_cel_binary;

typedef enum lg_cel_fold_kind {
    LG_FOLD_ALL,
    LG_FOLD_EXISTS,
    LG_FOLD_ONE,
    LG_FOLD_FILTER,
    LG_FOLD_MAP,         // to a list
    LG_FOLD_MAP_VALUES,  // to a map with the same keys
    LG_FOLD_MAP_ENTRIES, // to a map of the entries that the steps give
} lg_cel_fold_kind;

typedef enum lg_cel_bind_kind {
    LG_BIND_PLAIN,
    LG_BIND_OPT_MAP,      // the value of an optional, if it has one; the result becomes optional
    LG_BIND_OPT_FLAT_MAP, // the same, and the result is optional already
} lg_cel_bind_kind;

typedef struct lg_cel_node lg_cel_node;

// A name that a macro binds.
typedef struct lg_cel_local {
    lg_str name;
    const lg_cel_type *type;
    const struct lg_cel_local *outer; // in scope around it
    uint16_t reg;
} lg_cel_local;

typedef struct lg_cel_function lg_cel_function;

struct lg_cel_node {
    uint8_t kind;       // an lg_cel_node_kind
    uint8_t op;         // an lg_cel_binary, lg_cel_fold_kind or lg_cel_bind_kind
    bool optional;      // select: `.?`
    bool optional_item; // as an item of a list or map: marked `?`
    bool parenthesised;
    uint16_t depth;  // levels below and including this one
    uint32_t offset; // byte that errors point at: the operator, the name of a field or function
    uint32_t start;  // first byte
    const lg_cel_type *type; // set by the checker
    union {
        lg_cel_value constant;
        struct {
            lg_str name;
            bool absolute; // written with a leading dot
            bool resolved;
            lg_cel_local *local; // a name bound by a macro, else a slot
            uint32_t slot;
        } ident;
        struct {
            lg_cel_node *operand;
            lg_str name;
        } select; // and has
        struct {
            lg_cel_node *a, *b, *c;
        } of; // unary, binary, cond
        struct {
            lg_cel_node **items; // map: key, value, key, value
            uint32_t count;
        } list; // list, map, and, or
        struct {
            lg_cel_node *target; // receiver, NULL for a global call
            lg_str name;
            lg_cel_node **args;
            uint32_t count;
            const lg_cel_function *function; // NULL if only declared, or unknown
        } call;
        struct {
            lg_cel_node *range;
            lg_cel_node *filter; // condition before the step, or NULL
            lg_cel_node *step;   // predicate or transformation
            lg_cel_local *first;
            lg_cel_local *second; // or NULL
        } fold;
        struct {
            lg_cel_local *local;
            lg_cel_node *value;
            lg_cel_node *body;
        } bind;
    } as;
};

// The tree of a program whose environment keeps trees, otherwise NULL.
const lg_cel_node *lg_cel_program_tree(const lg_cel_program *program);

// The parts of a node, one after the other, in the order of evaluation; NULL after the last.
const lg_cel_node *lg_cel_node_child(const lg_cel_node *node, size_t index);

// What all overloads of a function give; LG_CEL_DYN if they differ, or there is none.
lg_cel_kind lg_cel_function_gives(lg_str name);

#endif
