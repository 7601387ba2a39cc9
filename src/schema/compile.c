// compile.c: the order of compilation, and what can only be said of the finished graph.
//
// Nodes are compiled from a list, not by recursion: a reference only finds its node, so that cycles
// need no care. Cycles that stay on one value would never end when validated; they are searched for
// last and refused. References that depend on the dynamic scope are followed to their first target
// only; the validator's depth limit holds for the rest.
#include "schema/schema_internal.h"

// --- Nodes that apply to the same value ----------------------------------------------------------

typedef bool (*node_visit)(void *context, const node *target, const char *keyword);

static bool visit_list(node_list list, const char *keyword, node_visit visit, void *context)
{
    for (size_t i = 0; i < list.count; i++) {
        if (list.items[i] && !visit(context, list.items[i], keyword)) {
            return false;
        }
    }
    return true;
}

static bool visit_logic(const logic_rules *l, node_visit visit, void *context)
{
    const struct {
        const node *target;
        const char *keyword;
    } single[] = {
        {l->ref, "$ref"},     {l->dynamic_ref, "$dynamicRef"}, {l->negated, "not"},
        {l->condition, "if"}, {l->then_branch, "then"},        {l->else_branch, "else"},
    };
    for (size_t i = 0; i < LG_COUNT(single); i++) {
        if (single[i].target && !visit(context, single[i].target, single[i].keyword)) {
            return false;
        }
    }
    return visit_list(l->all, "allOf", visit, context) &&
           visit_list(l->any, "anyOf", visit, context) &&
           visit_list(l->one, "oneOf", visit, context);
}

// Calls `visit` for every node that is applied to the same value as `from`, until one is false.
static bool visit_in_place(const node *from, node_visit visit, void *context)
{
    if (from->logic && !visit_logic(from->logic, visit, context)) {
        return false;
    }
    for (size_t i = 0; from->object && i < from->object->dependency_count; i++) {
        const dependency *d = &from->object->dependencies[i];
        if (d->schema && !visit(context, d->schema, d->keyword)) {
            return false;
        }
    }
    return true;
}

// --- Loops ----------------------------------------------------------------------------------------

typedef enum visit_mark {
    VISIT_NEW,
    VISIT_ON_PATH, // meeting it again closes a loop
    VISIT_DONE,
} visit_mark;

typedef struct loop_search {
    compiler *c;
    uint8_t *marks; // by node->id
    uint32_t depth;
    const node *from;
} loop_search;

static bool search_loop(void *context, const node *target, const char *keyword)
{
    loop_search *s = context;
    if (s->marks[target->id] == VISIT_DONE) {
        return true;
    }
    if (s->marks[target->id] == VISIT_ON_PATH) {
        lg_schema_complain(s->c, s->from->where, keyword,
                           "leads back to itself without consuming any input");
        return false;
    }
    if (s->depth >= LG_SCHEMA_EVAL_DEPTH_MAX) {
        lg_schema_complain(s->c, s->from->where, keyword, "is a chain of more than %u references",
                           LG_SCHEMA_EVAL_DEPTH_MAX);
        return false;
    }
    const node *from = s->from;
    s->marks[target->id] = VISIT_ON_PATH;
    s->from = target;
    s->depth++;
    bool ok = visit_in_place(target, search_loop, s);
    s->depth--;
    s->from = from;
    s->marks[target->id] = VISIT_DONE;
    return ok;
}

static void refuse_loops(compiler *c, const node *all)
{
    loop_search s = {.c = c, .marks = LG_NEW_ARRAY(c->arena, uint8_t, c->node_count)};
    if (!s.marks) {
        lg_schema_no_memory(c);
        return;
    }
    for (const node *n = all; n; n = n->next) {
        s.from = n;
        if (!search_loop(&s, n, NULL)) {
            return; // one loop is reported; others are often the same one, entered elsewhere
        }
    }
}

// --- Closed arguments -----------------------------------------------------------------------------

typedef struct argument_search {
    const node *root;
    uint8_t *seen; // by node->id
    uint32_t depth;
    bool properties;
    bool others; // another schema applies to the same value
} argument_search;

static bool search_arguments(void *context, const node *target, const char *keyword)
{
    (void)keyword;
    argument_search *s = context;
    if (s->seen[target->id]) {
        return true;
    }
    s->seen[target->id] = 1;
    s->others = s->others || target != s->root;
    s->properties = s->properties || lg_json_get(target->source, LG_STR("properties"));
    if (s->depth < LG_SCHEMA_EVAL_DEPTH_MAX) {
        s->depth++;
        (void)visit_in_place(target, search_arguments, s);
        s->depth--;
    }
    return !s->properties || !s->others;
}

// Makes `root` refuse arguments that nothing names. Where several schemas name them together, that
// is `unevaluatedProperties`; alone it is the cheaper `additionalProperties`.
static const node *close_arguments(compiler *c, const node *root)
{
    argument_search s = {.root = root, .seen = LG_NEW_ARRAY(c->arena, uint8_t, c->node_count)};
    if (!s.seen) {
        lg_schema_no_memory(c);
        return root;
    }
    (void)search_arguments(&s, root, NULL);
    const object_rules *old = root->object;
    if (!s.properties || (old && (old->additional || old->unevaluated))) {
        return root;
    }
    node *closed = LG_NEW(c->arena, node);
    node *nothing = LG_NEW(c->arena, node);
    object_rules *rules = LG_NEW(c->arena, object_rules);
    if (!closed || !nothing || !rules) {
        lg_schema_no_memory(c);
        return root;
    }
    *nothing = (node){.plain = true,
                      .refuses = true,
                      .source = root->source,
                      .where = root->where,
                      .resource = root->resource};
    *rules = old ? *old : (object_rules){.members_max = UINT64_MAX};
    *(s.others ? &rules->unevaluated : &rules->additional) = nothing;
    *closed = *root;
    closed->trivial = false;
    closed->plain = false;
    closed->object = rules;
    closed->involved = closed->involved || rules->unevaluated;
    return closed;
}

// --- The public function --------------------------------------------------------------------------

// Compiles until no node is left; each may index more of them. Returns all, linked by `next`.
static node *compile_all(compiler *c)
{
    node *all = NULL;
    while (c->to_compile && !c->oom) {
        node *n = c->to_compile;
        c->to_compile = n->next;
        n->next = all;
        all = n;
        lg_compile_node(c, n);
    }
    return all;
}

// Prepares all nodes for quick.c. Returns whether it may be asked: it knows no dynamic scope.
static bool prepare_quick(compiler *c, node *all)
{
    bool dynamic = false;
    for (node *n = all; n && !c->oom; n = n->next) {
        dynamic = dynamic || (n->logic && n->logic->dynamic_ref);
        if (!lg_quick_prepare(c->arena, n)) {
            lg_schema_no_memory(c);
        }
    }
    return !dynamic;
}

static const lg_schema *finish(compiler *c, const node *root, node *all)
{
    bool quick = prepare_quick(c, all);
    lg_schema *schema = LG_NEW(c->arena, lg_schema);
    if (!schema) {
        lg_schema_no_memory(c);
        return NULL;
    }
    *schema = (lg_schema){
        .root = c->options.closed_arguments ? close_arguments(c, root) : root,
        .steps = c->options.steps ? c->options.steps : LG_SCHEMA_STEPS_DEFAULT,
        .regex_steps = c->limits.regex_steps,
        .quick = quick,
    };
    return c->failed ? NULL : schema;
}

const lg_schema *lg_schema_compile(lg_arena *arena, const lg_json *schema,
                                   const lg_schema_options *options, lg_errors *errors)
{
    compiler c = {.arena = arena, .errors = errors};
    c.options = options ? *options : (lg_schema_options){0};
    c.limits = lg_limits_resolve(c.options.limits);
    if (!lg_json_is(schema, LG_JSON_OBJECT) && !lg_json_is(schema, LG_JSON_BOOL)) {
        lg_schema_complain(&c, NULL, NULL, "must be an object or a boolean");
        return NULL;
    }
    const node *root = lg_index_document(&c, schema, LG_STR(""));
    node *all = compile_all(&c);
    if (root && !c.failed) {
        refuse_loops(&c, all);
    }
    return root && !c.failed ? finish(&c, root, all) : NULL;
}
