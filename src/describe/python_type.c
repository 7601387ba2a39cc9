// python_type.c: annotations as schemas, and literals as JSON.
//
// A class of the same text stands in its place, members and all; what contains itself is cut. What is no type that can be
// known allows anything, and the tool says so.
#include "describe/describe_internal.h"

#define TYPE_DEPTH_MAX 24u
#define UNION_MAX 24u
#define CLASS_ROUNDS 2u

bool py_take(py *p, const char *op)
{
    bool there = py_is(p, op) && !p->tokens[p->at].first;
    p->at += there ? 1 : 0;
    return there;
}

// Is here the end of an expression?
static bool py_ends(const py *p)
{
    const py_token *t = &p->tokens[p->at];
    return t->kind == PY_END || t->first || py_is(p, ",") || py_is(p, ")") || py_is(p, "]") ||
           py_is(p, "}") || py_is(p, "=") || py_is(p, ":");
}

void py_skip(py *p)
{
    size_t depth = 0;
    for (const py_token *t = &p->tokens[p->at]; t->kind != PY_END; t = &p->tokens[++p->at]) {
        bool opens = py_is(p, "(") || py_is(p, "[") || py_is(p, "{");
        bool closes = py_is(p, ")") || py_is(p, "]") || py_is(p, "}");
        if (depth == 0 && py_ends(p)) {
            return;
        }
        depth += opens ? 1 : 0;
        depth -= closes ? 1 : 0;
    }
}

// What is looked at again costs again: else a long alias that is used often would take the square of the text.
static void charge(py *p, size_t from, size_t to)
{
    size_t cost = to > from ? (to - from) / 4 + 1 : 1;
    p->j->nodes -= cost < p->j->nodes ? cost : p->j->nodes;
}

// The same reader at a token of the module.
static py at_place(const py *p, size_t at)
{
    py made = *p;
    made.tokens = p->whole;
    made.at = at;
    return made;
}

// --- Literals -----------------------------------------------------------------------------------

static const lg_json *number_of(py *p, lg_str text, bool negative)
{
    char room[80];
    size_t len = 0;
    const lg_json *value = NULL;
    if (negative) {
        room[len++] = '-';
    }
    if (text.len && text.ptr[0] == '.') {
        room[len++] = '0';
    }
    for (size_t i = 0; i < text.len && len + 2 < sizeof(room); i++) {
        bool dot = text.ptr[i] == '.' && (i + 1 == text.len || !lg_is_digit(text.ptr[i + 1]));
        if (text.ptr[i] != '_') {
            room[len++] = text.ptr[i];
        }
        if (dot) {
            room[len++] = '0';
        }
    }
    lg_str kept = lg_arena_str(p->j->arena, lg_str_of(room, len));
    p->j->oom = p->j->oom || !kept.ptr;
    if (!kept.ptr ||
        lg_json_parse_in(p->j->arena, kept, 0, kept.len, NULL, &value, NULL) != LG_OK) {
        return NULL;
    }
    return describe_keep(p->j, *value);
}

static const lg_json *text_value(py *p)
{
    lg_buf all;
    lg_buf_init(&all, 0);
    size_t begun = p->at;
    while (p->tokens[p->at].kind == PY_TEXT && (p->at == begun || !p->tokens[p->at].first)) {
        lg_buf_add(&all, py_decode(p->j, &p->tokens[p->at++]));
    }
    lg_json made = describe_text(p->j, lg_buf_str(&all));
    p->j->oom = p->j->oom || lg_buf_status(&all) != LG_OK;
    lg_buf_done(&all);
    return describe_keep(p->j, made);
}

static const lg_json *list_value(py *p, const char *end)
{
    lg_json *items = NULL;
    size_t count = 0, capacity = 0;
    bool known = true;
    while (!py_is(p, end) && p->tokens[p->at].kind != PY_END && !p->j->oom) {
        const lg_json *value = py_value(p);
        lg_json *more = lg_arena_grow(p->j->arena, items, count, &capacity, sizeof(*more));
        if (!more) {
            p->j->oom = true;
            return NULL;
        }
        items = more;
        items[count++] = value ? *value : lg_json_make_null();
        known = known && value;
        if (!py_take(p, ",") && !py_is(p, end)) {
            py_skip(p);
            known = false;
            if (!py_take(p, ",") && !py_is(p, end)) {
                p->at += p->tokens[p->at].kind != PY_END ? 1 : 0;
            }
        }
    }
    (void)py_take(p, end);
    return known ? describe_keep(p->j, describe_list(p->j, items, count)) : NULL;
}

static const lg_json *dict_value(py *p)
{
    draft d = {.j = p->j};
    bool known = true;
    while (!py_is(p, "}") && p->tokens[p->at].kind != PY_END && !p->j->oom) {
        const lg_json *key = py_value(p);
        const lg_json *value = py_take(p, ":") ? py_value(p) : NULL;
        known =
            known && value && lg_json_is(key, LG_JSON_STRING) && d.count < LG_DESCRIBE_MEMBERS_MAX;
        if (known) {
            describe_put(&d, lg_json_str(key), *value);
        }
        if (!py_take(p, ",") && !py_is(p, "}")) {
            p->at += p->tokens[p->at].kind != PY_END ? 1 : 0;
            known = false;
        }
    }
    (void)py_take(p, "}");
    return known ? describe_keep(p->j, describe_object(&d)) : NULL;
}

// The value of `Color.RED`, where Color is an enumeration of this text.
static const lg_json *member_value(py *p)
{
    const py_name *name = lg_map_get(&p->names, p->tokens[p->at].text);
    const py_token *dot = &p->tokens[p->at + 1];
    if (!name || !name->of || !name->of->is_enum || dot->kind != PY_OP ||
        !lg_str_eq(dot->text, LG_STR(".")) || p->tokens[p->at + 2].kind != PY_NAME) {
        return NULL;
    }
    lg_str member = p->tokens[p->at + 2].text;
    for (size_t i = 0; i < name->of->count; i++) {
        const py_field *field = &name->of->fields[i];
        if (field->value_at && lg_str_eq(field->name, member)) {
            py inner = at_place(p, field->value_at);
            p->at += 3;
            const lg_json *value = p->j->nodes ? py_value(&inner) : NULL;
            charge(p, field->value_at, inner.at);
            return value;
        }
    }
    return NULL;
}

static const lg_json *value_inside(py *p)
{
    const py_token *t = &p->tokens[p->at];
    bool minus = py_take(p, "-");
    t = &p->tokens[p->at];
    if (t->kind == PY_NUMBER) {
        p->at++;
        return number_of(p, t->text, minus);
    }
    if (t->kind == PY_TEXT) {
        return text_value(p);
    }
    if (py_take(p, "True") || py_take(p, "False")) {
        return describe_keep(p->j, lg_json_make_bool(lg_str_eq(t->text, LG_STR("True"))));
    }
    if (py_take(p, "None")) {
        return describe_keep(p->j, lg_json_make_null());
    }
    if (py_take(p, "[")) {
        return list_value(p, "]");
    }
    if (py_take(p, "(")) {
        return list_value(p, ")");
    }
    if (py_take(p, "{")) {
        bool set = p->tokens[p->at].kind != PY_END && !py_is(p, "}");
        py look = *p;
        py_skip(&look);
        return set && !py_is(&look, ":") ? list_value(p, "}") : dict_value(p);
    }
    return t->kind == PY_NAME ? member_value(p) : NULL;
}

const lg_json *py_value(py *p)
{
    const lg_json *value = NULL;
    // A level that looks ahead goes through what is in it twice.
    if (p->depth < 8) {
        p->depth++;
        value = value_inside(p);
        p->depth--;
    }
    if (!value || !py_ends(p)) {
        py_skip(p);
        return NULL;
    }
    return value;
}

// --- Types --------------------------------------------------------------------------------------

typedef enum maker {
    MAKE_TYPE, // as it is
    MAKE_FORMAT,
    MAKE_LIST,
    MAKE_DICT,
    MAKE_TUPLE,
    MAKE_OPTIONAL,
    MAKE_UNION,
    MAKE_LITERAL,
    MAKE_FIRST, // of what is in the brackets
    MAKE_ANY,
} maker;

static const struct {
    const char *name;
    maker maker;
    const char *word;
} types[] = {
    {"str", MAKE_TYPE, "string"},
    {"int", MAKE_TYPE, "integer"},
    {"float", MAKE_TYPE, "number"},
    {"bool", MAKE_TYPE, "boolean"},
    {"None", MAKE_TYPE, "null"},
    {"NoneType", MAKE_TYPE, "null"},
    {"bytes", MAKE_TYPE, "string"},
    {"Decimal", MAKE_TYPE, "number"},
    {"Number", MAKE_TYPE, "number"},
    {"Path", MAKE_TYPE, "string"},
    {"AnyStr", MAKE_TYPE, "string"},
    {"LiteralString", MAKE_TYPE, "string"},
    {"SecretStr", MAKE_TYPE, "string"},
    {"StrictStr", MAKE_TYPE, "string"},
    {"StrictInt", MAKE_TYPE, "integer"},
    {"StrictFloat", MAKE_TYPE, "number"},
    {"StrictBool", MAKE_TYPE, "boolean"},
    {"datetime", MAKE_FORMAT, "date-time"},
    {"date", MAKE_FORMAT, "date"},
    {"time", MAKE_FORMAT, "time"},
    {"UUID", MAKE_FORMAT, "uuid"},
    {"EmailStr", MAKE_FORMAT, "email"},
    {"HttpUrl", MAKE_FORMAT, "uri"},
    {"AnyUrl", MAKE_FORMAT, "uri"},
    {"list", MAKE_LIST, NULL},
    {"List", MAKE_LIST, NULL},
    {"Sequence", MAKE_LIST, NULL},
    {"MutableSequence", MAKE_LIST, NULL},
    {"Iterable", MAKE_LIST, NULL},
    {"Iterator", MAKE_LIST, NULL},
    {"Collection", MAKE_LIST, NULL},
    {"Generator", MAKE_LIST, NULL},
    {"AsyncIterator", MAKE_LIST, NULL},
    {"set", MAKE_LIST, NULL},
    {"Set", MAKE_LIST, NULL},
    {"frozenset", MAKE_LIST, NULL},
    {"FrozenSet", MAKE_LIST, NULL},
    {"deque", MAKE_LIST, NULL},
    {"dict", MAKE_DICT, NULL},
    {"Dict", MAKE_DICT, NULL},
    {"Mapping", MAKE_DICT, NULL},
    {"MutableMapping", MAKE_DICT, NULL},
    {"defaultdict", MAKE_DICT, NULL},
    {"DefaultDict", MAKE_DICT, NULL},
    {"OrderedDict", MAKE_DICT, NULL},
    {"tuple", MAKE_TUPLE, NULL},
    {"Tuple", MAKE_TUPLE, NULL},
    {"Optional", MAKE_OPTIONAL, NULL},
    {"Union", MAKE_UNION, NULL},
    {"Literal", MAKE_LITERAL, NULL},
    {"Annotated", MAKE_FIRST, NULL},
    {"Required", MAKE_FIRST, NULL},
    {"NotRequired", MAKE_FIRST, NULL},
    {"ReadOnly", MAKE_FIRST, NULL},
    {"Final", MAKE_FIRST, NULL},
    {"ClassVar", MAKE_FIRST, NULL},
    {"Awaitable", MAKE_FIRST, NULL},
    {"Any", MAKE_ANY, NULL},
    {"object", MAKE_ANY, NULL},
    {"Callable", MAKE_ANY, NULL},
    {"Type", MAKE_ANY, NULL},
    {"type", MAKE_ANY, NULL},
};

static lg_json type_one(py *p);

static lg_json any(py *p)
{
    return describe_type(p->j, NULL);
}

// The arguments of `[...]`, where the bracket was taken: some of them, and how many there are.
static size_t type_arguments(py *p, lg_json *items, size_t most)
{
    size_t count = 0;
    while (!py_is(p, "]") && p->tokens[p->at].kind != PY_END && !p->j->oom) {
        lg_json made = py_type(p);
        if (count < most) {
            items[count] = made;
        }
        count++;
        if (!py_take(p, ",") && !py_is(p, "]")) {
            py_skip(p);
            if (!py_take(p, ",")) {
                break;
            }
        }
    }
    (void)py_take(p, "]");
    return count < most ? count : most;
}

static lg_json literals(py *p)
{
    draft d = {.j = p->j};
    const lg_json *values = list_value(p, "]");
    if (!values || lg_json_len(values) == 0) {
        return any(p);
    }
    // The same value twice is no error of Python's, and one of JSON Schema's.
    lg_json *items = LG_NEW_ARRAY(p->j->arena, lg_json, lg_json_len(values));
    size_t count = 0;
    bool texts = true;
    for (size_t i = 0; items && i < lg_json_len(values) && count < 500; i++) {
        bool there = false;
        for (size_t k = 0; k < count && !there; k++) {
            there = lg_json_equal(&items[k], &values->as.items[i]);
        }
        if (!there) {
            items[count++] = values->as.items[i];
        }
        texts = texts && lg_json_is(&values->as.items[i], LG_JSON_STRING);
    }
    charge(p, 0, 4 * lg_json_len(values));
    p->j->oom = p->j->oom || !items;
    if (texts) {
        describe_put_c(&d, "type", "string");
    }
    describe_put(&d, LG_STR("enum"), lg_json_make_array(items, items ? count : 0));
    return describe_object(&d);
}

static lg_json tuple_of(py *p, const lg_json *items, size_t count, bool endless)
{
    if (endless || count == 0) {
        return describe_array(p->j, count ? &items[0] : NULL);
    }
    draft d = {.j = p->j};
    describe_put_c(&d, "type", "array");
    describe_put(&d, LG_STR("prefixItems"), describe_list(p->j, items, count));
    describe_put(&d, LG_STR("minItems"), lg_json_make_int((int64_t)count));
    describe_put(&d, LG_STR("maxItems"), lg_json_make_int((int64_t)count));
    return describe_object(&d);
}

static bool has_dots(const py *p)
{
    for (size_t i = p->at, depth = 0; p->tokens[i].kind != PY_END; i++) {
        lg_str text = p->tokens[i].kind == PY_OP ? p->tokens[i].text : LG_STR("");
        depth += lg_str_eq(text, LG_STR("["));
        if (lg_str_eq(text, LG_STR("]")) && depth-- == 0) {
            return false;
        }
        if (lg_str_eq(text, LG_STR("...")) && depth == 0) {
            return true;
        }
    }
    return false;
}

static lg_json format_of(py *p, const char *format)
{
    draft d = {.j = p->j};
    describe_put_c(&d, "type", "string");
    describe_put_c(&d, "format", format);
    return describe_object(&d);
}

// What stands behind the type in `Annotated[int, "how many"]`.
static lg_json annotated(py *p)
{
    lg_json made = py_type(p);
    while (py_take(p, ",")) {
        bool says = py_is(p, "Doc") || py_is(p, "Field");
        if (p->tokens[p->at].kind == PY_TEXT) {
            const lg_json *said = text_value(p);
            made = said ? describe_said(p->j, &made, lg_json_str(said)) : made;
        } else if (says && lg_str_eq(p->tokens[p->at + 1].text, LG_STR("("))) {
            py inner = *p;
            inner.at += 2;
            while (!py_is(&inner, ")") && inner.tokens[inner.at].kind != PY_END) {
                bool named = py_is(&inner, "description");
                inner.at += named ? 1 : 0;
                named = (named && py_take(&inner, "=")) || inner.tokens[inner.at].kind == PY_TEXT;
                const lg_json *said = py_value(&inner);
                made = named && said ? describe_said(p->j, &made, lg_json_str(said)) : made;
                inner.at += inner.tokens[inner.at].kind != PY_END && !py_is(&inner, ")");
            }
        }
        py_skip(p);
    }
    (void)py_take(p, "]");
    return made;
}

static lg_json generic(py *p, maker how, const char *word)
{
    lg_json items[UNION_MAX];
    bool open = py_take(p, "[");
    bool endless = open && has_dots(p);
    draft d = {.j = p->j};
    if (open && how == MAKE_LITERAL) {
        return literals(p);
    }
    if (open && how == MAKE_FIRST) {
        return annotated(p);
    }
    size_t count = open ? type_arguments(p, items, UNION_MAX - 1) : 0;
    switch (how) {
    case MAKE_TYPE:
        return describe_type(p->j, word);
    case MAKE_FORMAT:
        return format_of(p, word);
    case MAKE_LIST:
        return describe_array(p->j, count ? &items[0] : NULL);
    case MAKE_TUPLE:
        return tuple_of(p, items, count, endless);
    case MAKE_OPTIONAL:
    case MAKE_UNION:
        if (how == MAKE_OPTIONAL && count) {
            items[count++] = describe_type(p->j, "null");
        }
        return describe_either(p->j, items, count);
    case MAKE_DICT:
        describe_put_c(&d, "type", "object");
        if (count > 1 && lg_json_len(&items[1]) > 0) {
            describe_put(&d, LG_STR("additionalProperties"), items[1]);
        }
        return describe_object(&d);
    case MAKE_LITERAL:
    case MAKE_FIRST:
    case MAKE_ANY:
        break;
    }
    return any(p);
}

// --- Classes ------------------------------------------------------------------------------------

static const struct {
    const char *keyword;
    const char *schema; // for texts; for numbers the same but where another one is named
} bounds[] = {{"ge", "minimum"},
              {"gt", "exclusiveMinimum"},
              {"le", "maximum"},
              {"lt", "exclusiveMaximum"},
              {"min_length", "minLength"},
              {"max_length", "maxLength"},
              {"description", "description"}};

// `Field(0, ge=0, description="...")` and dataclasses' field(): what it says, and whether there is a default.
static bool field_call(py *p, draft *d)
{
    bool optional = false;
    bool begun = true;
    p->at += 2;
    while (!py_is(p, ")") && p->tokens[p->at].kind != PY_END) {
        const py_token *name = &p->tokens[p->at];
        bool named = name->kind == PY_NAME && lg_str_eq(p->tokens[p->at + 1].text, LG_STR("=")) &&
                     p->tokens[p->at + 1].kind == PY_OP;
        bool dots = py_is(p, "...");
        p->at += named ? 2 : 0;
        const lg_json *value = py_value(p);
        bool given = named ? lg_str_starts(name->text, LG_STR("default")) : begun;
        optional = optional || (given && !dots);
        if (given && value && !lg_str_eq(name->text, LG_STR("default_factory"))) {
            describe_put(d, LG_STR("default"), *value);
        }
        for (size_t i = 0; named && value && i < LG_COUNT(bounds); i++) {
            if (lg_str_eq(name->text, lg_str_c(bounds[i].keyword))) {
                describe_put(d, lg_str_c(bounds[i].schema), *value);
            }
        }
        begun = false;
        p->at += p->tokens[p->at].kind != PY_END && !py_is(p, ")");
    }
    (void)py_take(p, ")");
    return optional;
}

static void add_field(py *p, const py_class *c, const py_field *field, const doc *d,
                      draft *properties, draft *required)
{
    py at_type = at_place(p, field->type_at);
    bool optional = py_is(&at_type, "NotRequired") || !c->total;
    lg_json type = py_type(&at_type);
    charge(p, field->type_at, at_type.at);
    draft made = describe_draft_of(p->j, &type);
    if (field->value_at) {
        py at_value = at_place(p, field->value_at);
        bool call = (py_is(&at_value, "Field") || py_is(&at_value, "field")) &&
                    lg_str_eq(p->whole[field->value_at + 1].text, LG_STR("("));
        const lg_json *value = call ? NULL : py_value(&at_value);
        optional = call ? field_call(&at_value, &made) || optional : true;
        if (value) {
            describe_put(&made, LG_STR("default"), *value);
        }
        charge(p, field->value_at, at_value.at);
    }
    type = describe_object(&made);
    for (size_t i = 0; i < d->params.count; i++) {
        if (lg_str_eq(d->params.items[i].name, field->name)) {
            type = describe_said(p->j, &type, d->params.items[i].text);
        }
    }
    describe_put(properties, field->name,
                 describe_said(p->j, &type, describe_phrase(p->j, field->name)));
    if (!optional) {
        describe_put(required, field->name, lg_json_make_str(field->name));
    }
}

static void add_fields(py *p, py_class *c, draft *properties, draft *required, uint32_t depth)
{
    doc d = describe_doc(p->j, c->doc, false);
    if (c->bases_at && depth < 8) {
        py at = at_place(p, c->bases_at);
        for (; at.tokens[at.at].kind == PY_NAME; at.at++) {
            const py_name *base = lg_map_get(&p->names, at.tokens[at.at].text);
            if (base && base->of && base->of != c) {
                add_fields(p, base->of, properties, required, depth + 1);
            }
            py_skip(&at);
            if (!py_is(&at, ",")) {
                break;
            }
        }
    }
    for (size_t i = 0; i < c->count && !p->j->oom && properties->count < LG_DESCRIBE_MEMBERS_MAX;
         i++) {
        if (c->fields[i].type_at) {
            add_field(p, c, &c->fields[i], &d, properties, required);
        }
    }
}

static lg_json enum_of(py *p, const py_class *c)
{
    lg_json *items = LG_NEW_ARRAY(p->j->arena, lg_json, c->count + 1);
    size_t count = 0;
    draft d = {.j = p->j};
    for (size_t i = 0; items && i < c->count; i++) {
        py at = at_place(p, c->fields[i].value_at);
        const lg_json *value = at.at ? py_value(&at) : NULL;
        charge(p, c->fields[i].value_at, at.at);
        bool there = !value;
        for (size_t k = 0; k < count && !there; k++) {
            there = lg_json_equal(&items[k], value);
        }
        if (!there) {
            items[count++] = *value;
        }
    }
    p->j->oom = p->j->oom || !items;
    if (count == 0 || !items) {
        return any(p);
    }
    describe_put(&d, LG_STR("enum"), lg_json_make_array(items, count));
    return describe_object(&d);
}

static lg_json class_type(py *p, py_class *c)
{
    draft properties = {.j = p->j};
    draft required = {.j = p->j};
    draft d = {.j = p->j};
    size_t cost = c->count + c->doc.len / 64 + 1;
    if (c->is_enum && p->j->nodes >= cost) {
        p->j->nodes -= cost;
        return enum_of(p, c);
    }
    describe_put_c(&d, "type", "object");
    if (c->open >= CLASS_ROUNDS || p->j->nodes < cost) {
        lg_str said = lg_arena_printf(p->j->arena,
                                      "Cut here: %.*s contains itself, or there is too much of it",
                                      LG_FMT(lg_str_cut(c->name, 80)));
        describe_put(&d, LG_STR("description"), lg_json_make_str(said.ptr ? said : LG_STR("")));
        describe_unknown(p->j, "%.*s", LG_FMT(said.ptr ? said : LG_STR("")));
        return describe_object(&d);
    }
    p->j->nodes -= cost;
    c->open++;
    add_fields(p, c, &properties, &required, 0);
    c->open--;
    lg_json *names = LG_NEW_ARRAY(p->j->arena, lg_json, required.count + 1);
    for (size_t i = 0; names && i < required.count; i++) {
        names[i] = required.members[i].value;
    }
    p->j->oom = p->j->oom || !names;
    if (properties.count) {
        describe_put(&d, LG_STR("properties"), describe_object(&properties));
    }
    if (required.count && names) {
        describe_put(&d, LG_STR("required"), lg_json_make_array(names, required.count));
    }
    return describe_object(&d);
}

// --- Names --------------------------------------------------------------------------------------

static lg_json named_type(py *p, lg_str name)
{
    const py_name *own = lg_map_get(&p->names, name);
    if (own && own->of) {
        return class_type(p, own->of);
    }
    if (own) {
        py at = at_place(p, own->alias_at);
        lg_json made = py_type(&at);
        charge(p, own->alias_at, at.at);
        return made;
    }
    for (size_t i = 0; i < LG_COUNT(types); i++) {
        if (lg_str_eq(name, lg_str_c(types[i].name))) {
            return generic(p, types[i].maker, types[i].word);
        }
    }
    describe_unknown(p->j, "the type `%.*s`", LG_FMT(lg_str_cut(name, 80)));
    return any(p);
}

// A type that is written as a text, since it comes later.
static lg_json forward(py *p)
{
    py inner = *p;
    lg_str text = py_decode(p->j, &p->tokens[p->at++]);
    if (py_lex(p->j, text, true, &inner.tokens, NULL) != LG_OK) {
        return any(p);
    }
    inner.at = 0;
    return inner.tokens[0].kind == PY_TEXT ? any(p) : py_type(&inner);
}

static lg_json type_one(py *p)
{
    const py_token *t = &p->tokens[p->at];
    if (t->kind == PY_TEXT) {
        return forward(p);
    }
    if (t->kind != PY_NAME) {
        py_skip(p);
        return any(p);
    }
    lg_str name = t->text;
    p->at++;
    while (py_is(p, ".") && p->tokens[p->at + 1].kind == PY_NAME) {
        name = p->tokens[p->at + 1].text;
        p->at += 2;
    }
    lg_json made = named_type(p, name);
    if (py_is(p, "[")) { // of a type that has none here
        p->at++;
        while (!py_is(p, "]") && p->tokens[p->at].kind != PY_END) {
            py_skip(p);
            p->at += py_is(p, "]") || p->tokens[p->at].kind == PY_END ? 0 : 1;
        }
        (void)py_take(p, "]");
    }
    return made;
}

lg_json py_type(py *p)
{
    lg_json items[UNION_MAX];
    size_t count = 0;
    if (p->depth >= TYPE_DEPTH_MAX || p->j->nodes == 0) {
        py_skip(p);
        describe_unknown(p->j, "a type that is nested too deep, or is too much");
        return any(p);
    }
    p->j->nodes--;
    p->depth++;
    do {
        lg_json made = type_one(p);
        if (count < UNION_MAX) {
            items[count++] = made;
        }
    } while (py_take(p, "|"));
    p->depth--;
    return describe_either(p->j, items, count);
}
