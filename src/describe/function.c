// function.c: a function, its docstring and its types as a tool.
//
// The signature says what there is; the docstring says what it means, and its types where the signature has none.
#include "describe/describe_internal.h"

// --- Types in words -----------------------------------------------------------------------------

static const struct {
    const char *word;
    const char *type;
    const char *format;
} words[] = {
    {"string", "string", NULL},
    {"text", "string", NULL},
    {"str", "string", NULL},
    {"integer", "integer", NULL},
    {"int", "integer", NULL},
    {"whole number", "integer", NULL},
    {"number", "number", NULL},
    {"float", "number", NULL},
    {"double", "number", NULL},
    {"decimal", "number", NULL},
    {"numeric", "number", NULL},
    {"boolean", "boolean", NULL},
    {"bool", "boolean", NULL},
    {"object", "object", NULL},
    {"dict", "object", NULL},
    {"dictionary", "object", NULL},
    {"map", "object", NULL},
    {"json", "object", NULL},
    {"array", "array", NULL},
    {"list", "array", NULL},
    {"tuple", "array", NULL},
    {"null", "null", NULL},
    {"none", "null", NULL},
    {"date", "string", "date"},
    {"datetime", "string", "date-time"},
    {"timestamp", "string", "date-time"},
    {"url", "string", "uri"},
    {"uri", "string", "uri"},
    {"email", "string", "email"},
    {"uuid", "string", "uuid"},
    {"strings", "string", NULL},
    {"integers", "integer", NULL},
    {"numbers", "number", NULL},
    {"floats", "number", NULL},
    {"objects", "object", NULL},
    {"booleans", "boolean", NULL},
    {"ints", "integer", NULL},
    {"dicts", "object", NULL},
    {"any", NULL, NULL},
};

static size_t find_word(lg_str word)
{
    size_t i = 0;
    while (i < LG_COUNT(words) && !lg_str_eq_any_case(word, lg_str_c(words[i].word))) {
        i++;
    }
    return i;
}

static bool starts_any_case(lg_str text, lg_str prefix)
{
    return lg_str_eq_any_case(lg_str_slice(text, 0, prefix.len), prefix);
}

// "list of strings": the strings; SIZE_MAX: it is no list.
static size_t of_what(lg_str words_given)
{
    static const char *const lists[] = {"list of ", "array of ", "lists of ", "a list of ",
                                        "set of "};
    for (size_t i = 0; i < LG_COUNT(lists); i++) {
        if (starts_any_case(words_given, lg_str_c(lists[i]))) {
            return strlen(lists[i]);
        }
    }
    return SIZE_MAX;
}

static bool is_mark(lg_str word)
{
    return lg_str_eq_any_case(word, LG_STR("required")) ||
           lg_str_eq_any_case(word, LG_STR("optional")) ||
           lg_str_eq_any_case(word, LG_STR("mandatory")) ||
           starts_any_case(word, LG_STR("default"));
}

bool py_is_type_word(lg_str word)
{
    size_t of = of_what(word);
    size_t alternative = lg_str_find(word, LG_STR(" or "));
    if (alternative != SIZE_MAX) {
        return py_is_type_word(lg_str_slice(word, 0, alternative)) &&
               find_word(lg_str_slice(word, alternative + 4, word.len)) < LG_COUNT(words);
    }
    return is_mark(word) ||
           find_word(of == SIZE_MAX ? word : lg_str_slice(word, of, word.len)) < LG_COUNT(words);
}

static lg_json word_type(py *p, size_t i)
{
    lg_json made = describe_type(p->j, words[i].type);
    draft d = describe_draft_of(p->j, &made);
    if (words[i].format) {
        describe_put_c(&d, "format", words[i].format);
    }
    return describe_object(&d);
}

// "{'a', 'b'}" and what Python would have written.
static lg_json python_type(py *p, lg_str text, bool *ret_known)
{
    py inner = *p;
    size_t before = p->j->unknown_count;
    *ret_known = false;
    if (text.len == 0 || py_lex(p->j, text, true, &inner.tokens, NULL) != LG_OK) {
        return describe_type(p->j, NULL);
    }
    inner.at = 0;
    if (inner.tokens[0].kind == PY_OP && lg_str_eq(inner.tokens[0].text, LG_STR("{"))) {
        const lg_json *values = py_value(&inner);
        *ret_known = lg_json_is(values, LG_JSON_ARRAY) && lg_json_len(values) > 0;
        draft d = {.j = p->j};
        if (*ret_known) {
            describe_put(&d, LG_STR("enum"), *values);
        }
        return describe_object(&d);
    }
    lg_json made = py_type(&inner);
    *ret_known = inner.tokens[inner.at].kind == PY_END && p->j->unknown_count == before &&
                 inner.tokens[0].kind == PY_NAME;
    p->j->unknown_count = before;
    return *ret_known ? made : describe_type(p->j, NULL);
}

lg_json py_type_of_words(py *p, lg_str given, bool *ret_known)
{
    given = lg_str_trim(given);
    size_t of = of_what(given);
    size_t alternative = lg_str_find(given, LG_STR(" or "));
    size_t i = find_word(given);
    *ret_known = true;
    if (i < LG_COUNT(words)) {
        return word_type(p, i);
    }
    if (alternative != SIZE_MAX && p->depth < 8) {
        bool both;
        p->depth++;
        lg_json items[2] = {
            py_type_of_words(p, lg_str_slice(given, 0, alternative), ret_known),
            py_type_of_words(p, lg_str_slice(given, alternative + 4, given.len), &both)};
        p->depth--;
        *ret_known = *ret_known && both;
        return *ret_known ? describe_either(p->j, items, 2) : describe_type(p->j, NULL);
    }
    if (of != SIZE_MAX && p->depth < 8) {
        p->depth++;
        lg_json items = py_type_of_words(p, lg_str_slice(given, of, given.len), ret_known);
        p->depth--;
        *ret_known = true;
        return describe_array(p->j, &items);
    }
    return python_type(p, given, ret_known);
}

// --- Marks of an entry --------------------------------------------------------------------------

typedef struct marks {
    lg_str type;
    bool optional, required;
    lg_str value; // of the default, as it is written
} marks;

static lg_str after_default(lg_str part)
{
    static const char *const begins[] = {"defaults to ", "default is ",
                                         "default: ", "default=", "default "};
    for (size_t i = 0; i < LG_COUNT(begins); i++) {
        if (starts_any_case(part, lg_str_c(begins[i]))) {
            return lg_str_trim(lg_str_slice(part, strlen(begins[i]), part.len));
        }
    }
    return LG_STR("");
}

static marks read_marks(lg_str text)
{
    marks m = {.type = LG_STR(""), .value = LG_STR("")};
    size_t begin = 0;
    size_t type_end = 0;
    for (size_t from = 0; from < text.len;) {
        size_t to = from;
        size_t depth = 0;
        while (to < text.len && (depth || (text.ptr[to] != ',' && text.ptr[to] != ';'))) {
            depth += text.ptr[to] == '[' || text.ptr[to] == '{' || text.ptr[to] == '(';
            depth -= depth && (text.ptr[to] == ']' || text.ptr[to] == '}' || text.ptr[to] == ')');
            to++;
        }
        lg_str part = lg_str_trim(lg_str_slice(text, from, to));
        m.optional = m.optional || lg_str_eq_any_case(part, LG_STR("optional"));
        m.required = m.required || lg_str_eq_any_case(part, LG_STR("required"));
        m.value = after_default(part).len ? after_default(part) : m.value;
        if (!is_mark(part) && type_end == 0) {
            begin = from;
            type_end = to;
        }
        from = to + 1;
    }
    m.type = lg_str_trim(lg_str_slice(text, begin, type_end));
    return m;
}

// The default in a sentence: "(default 3)", "Defaults to 'C'."
static lg_str default_in(lg_str text)
{
    static const char *const begins[] = {
        "(default: ",   "(default ", "(defaults to ", "Defaults to ",
        "defaults to ", "Default: ", "Default is "};
    for (size_t i = 0; i < LG_COUNT(begins); i++) {
        size_t at = lg_str_find(text, lg_str_c(begins[i]));
        if (at != SIZE_MAX) {
            size_t from = at + strlen(begins[i]);
            size_t to = from;
            while (to < text.len && !strchr("),;\n", text.ptr[to]) &&
                   !(text.ptr[to] == '.' && (to + 1 == text.len || text.ptr[to + 1] == ' '))) {
                to++;
            }
            return lg_str_trim(lg_str_slice(text, from, to));
        }
    }
    return LG_STR("");
}

// The literal that a default is in words; words that are none are a text, where a text is wanted.
static const lg_json *default_value(py *p, lg_str text, bool wants_text)
{
    py inner = *p;
    if (text.len == 0) {
        return NULL;
    }
    if (lg_str_eq(text, LG_STR("true")) || lg_str_eq(text, LG_STR("false"))) {
        return describe_keep(p->j, lg_json_make_bool(text.len == 4));
    }
    if (py_lex(p->j, text, true, &inner.tokens, NULL) == LG_OK) {
        inner.at = 0;
        const lg_json *value = py_value(&inner);
        if (value && inner.tokens[inner.at].kind == PY_END) {
            return value;
        }
    }
    bool word = lg_str_find(text, LG_STR(" ")) == SIZE_MAX && text.len < 40;
    return wants_text && word ? describe_keep(p->j, describe_text(p->j, text)) : NULL;
}

// The quoted values behind "one of", of a text: `one of "a", "b" or 'c'`.
static void add_choices(py *p, draft *d, lg_str text)
{
    lg_json items[32];
    size_t count = 0;
    size_t at = lg_str_find(text, LG_STR("one of"));
    size_t from = at == SIZE_MAX ? text.len : at + 6;
    while (from < text.len && count < LG_COUNT(items)) {
        char c = text.ptr[from];
        size_t close = strchr("\"'`", c) && c ? lg_str_find(lg_str_slice(text, from + 1, text.len),
                                                            lg_str_of(&text.ptr[from], 1))
                                              : SIZE_MAX;
        if (close != SIZE_MAX) {
            lg_json value = lg_json_make_str(lg_str_slice(text, from + 1, from + 1 + close));
            bool there = false;
            for (size_t i = 0; i < count; i++) {
                there = there || lg_json_equal(&items[i], &value);
            }
            items[count] = value;
            count += there ? 0 : 1;
            from += close + 2;
        } else if (c == '.' || c == ';' || c == ')') {
            break;
        } else {
            from++;
        }
    }
    if (count > 1) {
        describe_put(d, LG_STR("enum"), describe_list(p->j, items, count));
    }
}

// --- Parameters ---------------------------------------------------------------------------------

static const doc_entry *entry_of(const doc *d, lg_str name)
{
    for (size_t i = 0; i < d->params.count; i++) {
        if (lg_str_eq(d->params.items[i].name, name)) {
            return &d->params.items[i];
        }
    }
    return NULL;
}

static const char *type_of_value(const lg_json *value)
{
    switch (lg_json_type_of(value)) {
    case LG_JSON_BOOL:
        return "boolean";
    case LG_JSON_INT:
    case LG_JSON_UINT:
        return "integer";
    case LG_JSON_DOUBLE:
    case LG_JSON_BIGNUM:
        return "number";
    case LG_JSON_STRING:
        return "string";
    case LG_JSON_ARRAY:
        return "array";
    case LG_JSON_OBJECT:
        return "object";
    case LG_JSON_NULL:
        break;
    }
    return NULL;
}

// The type of a parameter, from wherever it is said; `entry` may be NULL.
static lg_json type_of(py *p, const py_parameter *parameter, const marks *m)
{
    bool known = false;
    if (parameter->typed) {
        return parameter->type;
    }
    lg_json made = py_type_of_words(p, m->type, &known);
    if (!known && parameter->value && type_of_value(parameter->value)) {
        made = describe_type(p->j, type_of_value(parameter->value));
    } else if (!known) {
        describe_unknown(p->j, "the type of `%.*s`", LG_FMT(lg_str_cut(parameter->name, 80)));
    }
    return made;
}

// What words say beside the type: a default, and whether it may be left out.
static const lg_json *told_value(py *p, const py_parameter *parameter, lg_str text, marks *m)
{
    lg_str given = m->value.len ? m->value : default_in(text);
    bool optional = starts_any_case(text, LG_STR("optional")) ||
                    starts_any_case(text, LG_STR("(optional")) || given.len > 0;
    m->optional = m->optional || (optional && !m->required);
    return parameter->value ? parameter->value : default_value(p, given, true);
}

static lg_json with_null(py *p, lg_json type)
{
    const lg_json *word = lg_json_get(&type, LG_STR("type"));
    bool known = !lg_json_is(word, LG_JSON_STRING) || lg_json_get(&type, LG_STR("enum"));
    lg_json both[2] = {type, describe_type(p->j, "null")};
    return known ? type : describe_either(p->j, both, 2);
}

static void add_parameter(py *p, const py_parameter *given, const doc_entry *entry, bool loose,
                          draft *properties, draft *required)
{
    py_parameter parameter = *given;
    marks m = read_marks(entry ? entry->type : LG_STR(""));
    lg_str text = entry ? entry->text : LG_STR("");
    draft choices = {.j = p->j};
    add_choices(p, &choices, text);
    parameter.value = loose ? told_value(p, given, text, &m) : given->value;
    if (!parameter.typed && m.type.len == 0 && choices.count) {
        m.type = LG_STR("string");
    }
    lg_json type = type_of(p, &parameter, &m);
    bool is_text = lg_str_eq(lg_json_str(lg_json_get(&type, LG_STR("type"))), LG_STR("string"));
    const lg_json *value = parameter.value;
    if (lg_json_is(value, LG_JSON_NULL)) {
        type = with_null(p, type);
    }
    draft d = describe_draft_of(p->j, &type);
    if (is_text && choices.count && !lg_json_get(&type, LG_STR("enum"))) {
        describe_put(&d, LG_STR("enum"), choices.members[0].value);
    }
    if (text.len) {
        describe_put(&d, LG_STR("description"), lg_json_make_str(text));
    }
    if (value && (!loose || is_text == lg_json_is(value, LG_JSON_STRING))) {
        describe_put(&d, LG_STR("default"), *value);
    }
    type = describe_object(&d);
    type = describe_said(p->j, &type, describe_phrase(p->j, parameter.name));
    describe_put(properties, parameter.name, type);
    if (!(loose ? m.optional : parameter.optional)) {
        describe_put(required, parameter.name, lg_json_make_str(parameter.name));
    }
}

static const lg_json *arguments(py *p, const draft *properties, const draft *required, bool open)
{
    draft d = {.j = p->j};
    lg_json *names = LG_NEW_ARRAY(p->j->arena, lg_json, required->count + 1);
    for (size_t i = 0; names && i < required->count; i++) {
        names[i] = required->members[i].value;
    }
    p->j->oom = p->j->oom || !names;
    describe_put_c(&d, "type", "object");
    describe_put(&d, LG_STR("properties"), describe_object(properties));
    if (names && required->count) {
        describe_put(&d, LG_STR("required"), lg_json_make_array(names, required->count));
    }
    if (!open) {
        describe_put(&d, LG_STR("additionalProperties"), lg_json_make_bool(false));
    }
    return describe_keep(p->j, describe_object(&d));
}

static void put_parameters(py *p, const py_function *f, const doc *d, lg_described *tool)
{
    draft properties = {.j = p->j};
    draft required = {.j = p->j};
    for (size_t i = 0; i < f->count && !p->j->oom; i++) {
        add_parameter(p, &f->params[i], entry_of(d, f->params[i].name),
                      f->loose && !f->params[i].optional, &properties, &required);
    }
    for (size_t i = 0; f->loose && i < d->params.count && !p->j->oom; i++) {
        py_parameter told = {.name = d->params.items[i].name};
        if (f->has_signature && f->count) {
            break;
        }
        add_parameter(p, &told, &d->params.items[i], true, &properties, &required);
    }
    bool known = f->has_signature || properties.count || d->says_params;
    tool->parameters_by = f->has_signature ? LG_BY_SIGNATURE
                          : known          ? LG_BY_DOCSTRING
                                           : LG_BY_NOTHING;
    if (!known) {
        describe_unknown(p->j, "its parameters");
    }
    tool->parameters = arguments(p, &properties, &required, f->any_more || !known);
}

// --- Results ------------------------------------------------------------------------------------

// The object that a list of members in a docstring is.
static lg_json members_of(py *p, const doc *d)
{
    draft properties = {.j = p->j};
    draft whole = {.j = p->j};
    for (size_t i = 0; i < d->results.count; i++) {
        const doc_entry *entry = &d->results.items[i];
        marks m = read_marks(entry->type);
        bool known = false;
        lg_json type = py_type_of_words(p, m.type, &known);
        type = describe_said(p->j, &type,
                             entry->text.len ? entry->text : describe_phrase(p->j, entry->name));
        describe_put(&properties, entry->name, type);
    }
    describe_put_c(&whole, "type", "object");
    describe_put(&whole, LG_STR("properties"), describe_object(&properties));
    return describe_object(&whole);
}

// Does the schema say no more than that there is an object?
static bool is_vague(const lg_json *schema)
{
    return lg_json_len(schema) == 0 ||
           (lg_json_len(schema) == 1 &&
            lg_str_eq(lg_json_str(lg_json_get(schema, LG_STR("type"))), LG_STR("object")));
}

static void put_result(py *p, const py_function *f, const doc *d, lg_described *tool)
{
    bool known = false;
    lg_json type = f->has_returns ? f->returns : describe_type(p->j, NULL);
    tool->success_by = LG_BY_SIGNATURE;
    if (is_vague(&type) && d->results.count) {
        type = members_of(p, d);
        tool->success_by = LG_BY_DOCSTRING;
    } else if (!f->has_returns && d->returns_type.len) {
        lg_json told = py_type_of_words(p, d->returns_type, &known);
        type = known ? told : type;
        tool->success_by = known ? LG_BY_DOCSTRING : LG_BY_NOTHING;
    }
    if (lg_json_len(&type) == 0) {
        if (d->returns.len) { // words of which nothing is made
            describe_unknown(p->j, "what it gives: \"%.*s\"", LG_FMT(lg_str_cut(d->returns, 120)));
        }
        type = describe_guess(p->j, f->name, d->body);
        tool->success_by = lg_json_len(&type) ? LG_BY_WORDS : LG_BY_NOTHING;
    } else if (is_vague(&type)) {
        describe_unknown(p->j, "what the object that it gives holds");
    }
    type = describe_said(p->j, &type, d->returns);
    tool->success = describe_keep(p->j, describe_said(p->j, &type, LG_STR("What it gives")));
}

void describe_add_function(py *p, const py_function *f)
{
    doc d = describe_doc(p->j, f->doc, f->loose);
    lg_described tool = {.name = f->name, .offset = f->offset, .words = f->doc};
    tool.description = d.body;
    put_parameters(p, f, &d, &tool);
    put_result(p, f, &d, &tool);
    for (size_t i = 0; !f->loose && i < d.params.count; i++) {
        bool there = f->any_more;
        for (size_t k = 0; k < f->count && !there; k++) {
            there = lg_str_eq(f->params[k].name, d.params.items[i].name);
        }
        if (!there) {
            describe_note(p->j, f->offset, "the docstring tells of `%.*s`, which is no parameter",
                          LG_FMT(lg_str_cut(d.params.items[i].name, 80)));
        }
    }
    describe_add_tool(p->j, &tool);
    p->j->unknown_count = 0;
}
