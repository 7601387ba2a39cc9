// python.c: a module's functions as tools. Nothing of it is run.
//
// Two passes over the same tokens: first what names mean (classes with fields, aliases), then the functions, since a type
// may be used before it is written. Methods of plain classes are tools without their first parameter; what begins with
// `_`, is nested in a function, or belongs to a class that is a type, is none.
#include "describe/describe_internal.h"

#include "base/utf8.h"

#define NESTING_MAX 64u

typedef enum block_kind { BLOCK_FUNCTION, BLOCK_CLASS, BLOCK_RECORD } block_kind;

typedef struct block {
    block_kind kind;
    uint32_t indent;
    py_class *of;
} block;

typedef struct module {
    py p;
    block blocks[NESTING_MAX];
    size_t depth;
    bool record, skip, is_static; // by the decorators of what comes
    bool tools;                   // the second pass
    size_t next_class;
    lg_status status;
    lg_error *reterr;
} module;

static const py_token *now(const module *m)
{
    return &m->p.tokens[m->p.at];
}

static void skip_line(module *m)
{
    do {
        m->p.at += now(m)->kind != PY_END;
    } while (now(m)->kind != PY_END && !now(m)->first);
}

static void fail(module *m, const char *what)
{
    if (m->status == LG_OK) {
        m->status = lg_fail_at(m->reterr, LG_ERR_PARSE,
                               lg_text_position(m->p.j->text, now(m)->offset), "%s", what);
    }
}

static void push(module *m, block b)
{
    if (m->depth == NESTING_MAX) {
        m->status =
            lg_fail_at(m->reterr, LG_ERR_LIMIT, lg_text_position(m->p.j->text, now(m)->offset),
                       "blocks are nested more than %u deep", NESTING_MAX);
        return;
    }
    m->blocks[m->depth++] = b;
}

// --- Parameters ---------------------------------------------------------------------------------

static bool add_parameter(py *p, py_function *f, const py_parameter *parameter)
{
    py_parameter *params =
        lg_arena_grow(p->j->arena, f->params, f->count, &f->capacity, sizeof(*params));
    if (!params || f->count >= LG_DESCRIBE_MEMBERS_MAX) {
        p->j->oom = p->j->oom || !params;
        f->is_cut = params != NULL;
        return params != NULL;
    }
    for (size_t i = 0; i < f->count; i++) {
        if (lg_str_eq(params[i].name, parameter->name)) {
            return true;
        }
    }
    f->params = params;
    params[f->count++] = *parameter;
    return true;
}

// One of the parameters, at its name.
static void read_parameter(py *p, py_function *f, size_t stars, bool drop)
{
    py_parameter made = {.name = p->tokens[p->at++].text, .type = describe_type(p->j, NULL)};
    if (py_take(p, ":")) {
        made.typed = true;
        made.type = py_type(p);
        py_skip(p);
    }
    if (py_take(p, "=")) {
        made.optional = true;
        made.value = py_value(p);
    }
    if (stars == 0 && !drop) {
        (void)add_parameter(p, f, &made);
    }
    f->any_more = f->any_more || stars == 2;
}

// The list behind `(`, which was taken, and its bracket. False if it is none.
bool py_reads_parameters(py *p, py_function *f, bool is_method)
{
    bool begun = true;
    while (!py_is(p, ")") && p->tokens[p->at].kind != PY_END && !p->j->oom) {
        size_t stars = py_take(p, "**") ? 2 : py_take(p, "*") ? 1 : 0;
        if (p->tokens[p->at].kind == PY_NAME) {
            lg_str name = p->tokens[p->at].text;
            bool self = lg_str_eq(name, LG_STR("self")) || lg_str_eq(name, LG_STR("cls"));
            read_parameter(p, f, stars, begun && (is_method || self));
        } else if (!py_take(p, "/") && stars != 1) {
            return false;
        }
        begun = false;
        if (!py_take(p, ",") && !py_is(p, ")")) {
            return false;
        }
    }
    return py_take(p, ")");
}

// --- Functions ----------------------------------------------------------------------------------

// The docstring behind the colon of a `def` or `class` that stands at `indent`.
static lg_str docstring(module *m, uint32_t indent)
{
    const py_token *t = now(m);
    bool inside = !t->first || t->indent > indent;
    return t->kind == PY_TEXT && inside ? py_decode(m->p.j, t) : LG_STR("");
}

static bool is_hidden(lg_str name)
{
    return name.len > 0 && name.ptr[0] == '_';
}

static void read_function(module *m, uint32_t indent)
{
    py *p = &m->p;
    const block *outer = m->depth ? &m->blocks[m->depth - 1] : NULL;
    bool is_tool = m->tools && !m->skip && (!outer || outer->kind == BLOCK_CLASS);
    py_function f = {.name = now(m)->text, .offset = now(m)->offset, .has_signature = true};
    if (now(m)->kind != PY_NAME || now(m)->first) {
        fail(m, "a function has a name behind `def`");
        return;
    }
    p->at++;
    if (py_take(p, "[")) {
        while (!py_is(p, "]") && now(m)->kind != PY_END) {
            p->at++;
        }
        (void)py_take(p, "]");
    }
    p->j->unknown_count = 0;
    p->j->tool = f.name;
    p->j->offset = f.offset;
    if (!py_take(p, "(") || !py_reads_parameters(p, &f, outer && !m->is_static)) {
        fail(m, "this is no list of parameters: expected `name: type = default` and commas");
        return;
    }
    if (py_take(p, "->")) {
        f.has_returns = true;
        f.returns = py_type(p);
        py_skip(p);
    }
    if (!py_take(p, ":")) {
        fail(m, "expected `:` behind the parameters of a function");
        return;
    }
    f.doc = docstring(m, indent);
    if (is_tool && !is_hidden(f.name)) {
        if (f.is_cut) {
            describe_note(p->j, f.offset, "of the parameters the first %u alone are described",
                          LG_DESCRIBE_MEMBERS_MAX);
        }
        describe_add_function(p, &f);
    }
    p->j->tool = LG_STR("");
    push(m, (block){BLOCK_FUNCTION, indent, NULL});
}

// --- Classes ------------------------------------------------------------------------------------

static bool name_in(lg_str name, const char *const *names)
{
    for (size_t i = 0; names[i]; i++) {
        if (lg_str_eq(name, lg_str_c(names[i]))) {
            return true;
        }
    }
    return false;
}

// What a class is, by its bases.
static void read_bases(module *m, py_class *c)
{
    static const char *const records[] = {"BaseModel", "TypedDict", "NamedTuple", "Struct", NULL};
    static const char *const enums[] = {"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", NULL};
    py *p = &m->p;
    if (!py_take(p, "(")) {
        return;
    }
    c->bases_at = now(m)->kind == PY_NAME ? p->at : 0;
    while (!py_is(p, ")") && now(m)->kind != PY_END) {
        const py_name *base = now(m)->kind == PY_NAME ? lg_map_get(&p->names, now(m)->text) : NULL;
        c->is_record = c->is_record || name_in(now(m)->text, records) ||
                       (base && base->of && base->of->is_record);
        c->is_enum =
            c->is_enum || name_in(now(m)->text, enums) || (base && base->of && base->of->is_enum);
        if (py_is(p, "total") && lg_str_eq(p->tokens[p->at + 1].text, LG_STR("=")) &&
            lg_str_eq(p->tokens[p->at + 2].text, LG_STR("False"))) {
            c->total = false;
        }
        p->at++;
    }
    (void)py_take(p, ")");
}

static bool remember(py *p, lg_str name, py_class *of, size_t alias_at)
{
    py_name *made = LG_NEW(p->j->arena, py_name);
    if (made) {
        *made = (py_name){of, alias_at};
    }
    bool done = made && lg_map_put(p->j->arena, &p->names, name, made, 2);
    p->j->oom = p->j->oom || !done;
    return done;
}

static void read_class(module *m, uint32_t indent)
{
    py *p = &m->p;
    py_class *c = LG_NEW(p->j->arena, py_class);
    if (now(m)->kind != PY_NAME || now(m)->first || !c) {
        p->j->oom = p->j->oom || !c;
        fail(m, "a class has a name behind `class`");
        return;
    }
    *c = (py_class){.name = now(m)->text, .is_record = m->record, .total = true};
    p->at++;
    read_bases(m, c);
    if (!py_take(p, ":")) {
        fail(m, "expected `:` behind the name of a class");
        return;
    }
    c->doc = docstring(m, indent);
    if (!m->tools) {
        (void)remember(p, c->name, c, 0);
    }
    push(m, (block){c->is_record || c->is_enum ? BLOCK_RECORD : BLOCK_CLASS, indent, c});
}

// `name: type = value` or `NAME = value` in a class.
static void read_field(module *m, py_class *c)
{
    py *p = &m->p;
    py_field field = {.name = now(m)->text};
    p->at++;
    if (py_take(p, ":")) {
        field.type_at = p->at;
        py_skip(p);
    }
    if (py_take(p, "=")) {
        field.value_at = p->at;
    }
    if ((!field.type_at && !field.value_at) || is_hidden(field.name) ||
        c->count >= LG_DESCRIBE_MEMBERS_MAX) {
        return;
    }
    py_field *fields =
        lg_arena_grow(p->j->arena, c->fields, c->count, &c->capacity, sizeof(*fields));
    if (!fields) {
        p->j->oom = true;
        return;
    }
    c->fields = fields;
    fields[c->count++] = field;
}

// --- Lines --------------------------------------------------------------------------------------

static void read_decorator(module *m)
{
    static const char *const records[] = {"dataclass", "define", "frozen", NULL};
    static const char *const skipped[] = {"property", "overload", "setter", "cached_property",
                                          NULL};
    for (m->p.at++; now(m)->kind != PY_END && !now(m)->first && !py_is(&m->p, "("); m->p.at++) {
        lg_str name = now(m)->text;
        m->record = m->record || name_in(name, records);
        m->skip = m->skip || name_in(name, skipped);
        m->is_static = m->is_static || lg_str_eq(name, LG_STR("staticmethod"));
    }
}

// A line of the module, or of a class, that defines nothing but perhaps a name.
static void read_other(module *m)
{
    py *p = &m->p;
    const py_token *t = now(m);
    const py_token *next = t->kind == PY_END ? t : t + 1;
    block *top = m->depth ? &m->blocks[m->depth - 1] : NULL;
    bool plain = t->kind == PY_NAME && next->kind == PY_OP && !next->first;
    if (top && top->kind != BLOCK_FUNCTION && !m->tools && plain) {
        read_field(m, top->of);
        return;
    }
    bool keyword = py_is(p, "type") && next->kind == PY_NAME && !next->first;
    p->at += keyword ? 1 : 0;
    lg_str name = now(m)->text;
    if (!top && !m->tools && now(m)->kind == PY_NAME && (plain || keyword)) {
        p->at++;
        // `Alias: TypeAlias = ...` and `Alias = ...`
        if (py_take(p, ":")) {
            py_skip(p);
        }
        if (py_take(p, "=") && (now(m)->kind == PY_NAME || now(m)->kind == PY_TEXT) &&
            !lg_map_get(&p->names, name)) {
            (void)remember(p, name, NULL, p->at);
        }
    }
}

static void read_line(module *m)
{
    py *p = &m->p;
    uint32_t indent = now(m)->indent;
    while (m->depth && m->blocks[m->depth - 1].indent >= indent) {
        m->depth--;
    }
    bool inside = m->depth && m->blocks[m->depth - 1].kind == BLOCK_FUNCTION;
    if (inside) {
        skip_line(m);
        return;
    }
    if (py_is(p, "@")) {
        read_decorator(m);
        if (!now(m)->first) {
            skip_line(m);
        }
        return;
    }
    p->at += py_is(p, "async") ? 1 : 0;
    bool def = py_is(p, "def");
    bool class = py_is(p, "class");
    p->at += def || class ? 1 : 0;
    if (def) {
        read_function(m, indent);
    } else if (class) {
        read_class(m, indent);
    } else {
        read_other(m);
    }
    m->record = m->skip = m->is_static = false;
    if (!now(m)->first && now(m)->kind != PY_END) {
        skip_line(m);
    }
}

static void read_module(module *m)
{
    m->p.at = 0;
    m->depth = 0;
    while (now(m)->kind != PY_END && m->status == LG_OK && !m->p.j->oom) {
        size_t before = m->p.at;
        read_line(m);
        if (m->p.at == before) {
            skip_line(m);
        }
    }
}

lg_status describe_python(job *j, lg_error *reterr)
{
    module m = {.p = {.j = j}, .reterr = reterr};
    lg_status status = py_lex(j, j->text, false, &m.p.tokens, reterr);
    if (status != LG_OK) {
        return status;
    }
    m.p.whole = m.p.tokens;
    read_module(&m);
    m.tools = true;
    if (m.status == LG_OK) {
        j->list->finding_count = 0;
        read_module(&m);
    }
    return m.status;
}
